//! `lab words`: the catalogue of every text of the page, from which translations are made.

#![expect(clippy::print_stdout, reason = "this command prints")]

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use super::Trouble;
use vivarium_core::catalog::Entry;
use vivarium_core::settings::{Choice, Knob, Range, Settings};
use vivarium_labs::story::{Block, parse};
use vivarium_labs::story_notes::TeacherNotes;
use vivarium_labs::{PRESETS, preset_groups, stories, story_file};
use vivarium_model::chart::Chart;
use vivarium_model::models::Model;
use vivarium_model::optim::Optimizer;
use vivarium_model::permalink::View;
use vivarium_model::run::Run;
use vivarium_model::tasks::Task;
use vivarium_science::markov::theory::TheorySettings;
use vivarium_science::markov::{ChainMeasure, Strategy};
use vivarium_view::presets::recorded::Time;

/// How a source says that a literal is a text.
const MARKS: [&str; 2] = ["tr!(", "text!("];

/// The texts of a source in their order: the literals in `tr!` and `text!`, without those of its tests.
///
/// # Errors
/// A sentence where such a macro holds no literal.
pub fn texts_of(source: &str) -> Result<Vec<String>, String> {
    // Tests in a file of their own are only named here, and texts follow.
    let tests = source
        .match_indices("\n#[cfg(test)]\nmod ")
        .find(|(at, mark)| source[at + mark.len()..].lines().next().is_some_and(|line| line.ends_with('{')));
    let source = tests.map_or(source, |(end, _)| &source[..end]);
    let mut found = vec![];
    for (at, mark) in MARKS.iter().flat_map(|mark| source.match_indices(mark)) {
        let line = source[..at].rsplit('\n').next().unwrap_or_default();
        // The name of another macro, or words about this one.
        let is_other = line.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == ':');
        if is_other || line.trim_start().starts_with("//") {
            continue;
        }
        let literal = source[at + mark.len()..].trim_start();
        let inside = literal.strip_prefix('"').ok_or(format!("no literal in {mark}{literal:.40}"))?;
        found.push((at, unescaped(inside).ok_or(format!("an escape that is not known in {inside:.40}"))?));
    }
    found.sort();
    Ok(found.into_iter().map(|(_, text)| text).collect())
}

/// The text up to the quote that ends it.
fn unescaped(literal: &str) -> Option<String> {
    let mut out = String::new();
    let mut letters = literal.chars().peekable();
    loop {
        match letters.next()? {
            '"' => return Some(out),
            '\\' => match letters.next()? {
                '\n' => while letters.next_if(|letter| letter.is_whitespace()).is_some() {},
                letter @ ('"' | '\\') => out.push(letter),
                'n' => out.push('\n'),
                _ => return None,
            },
            letter => out.push(letter),
        }
    }
}

/// Sources below `folder`, in the order of their paths, without tests.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) -> Result<(), anyhow::Error> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name == "cli" {
            // The command line speaks English.
        } else if path.is_dir() {
            sources(&path, into)?;
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") && name != "language.rs" {
            into.push(path);
        }
    }
    Ok(())
}

fn of_choices(options: &[Choice], into: &mut Vec<String>) {
    into.extend(options.iter().map(|option| option.label.to_string()));
}

fn of_knobs(knobs: &[Knob], into: &mut Vec<String>) {
    for knob in knobs {
        into.extend([knob.label, knob.help, knob.unit].map(String::from));
        if let Range::Choice(options) | Range::Set(options) = knob.range {
            of_choices(options, into);
        }
    }
}

fn of_entries(entries: &[Entry], into: &mut Vec<String>) {
    for entry in entries {
        into.extend([entry.info.name, entry.info.about].map(String::from));
        of_knobs(entry.knobs, into);
    }
}

/// What stands in catalogues: settings, charts, presets.
fn of_catalogues(into: &mut Vec<String>) {
    of_entries(Task::ENTRIES, into);
    of_entries(Model::ENTRIES, into);
    of_entries(Optimizer::ENTRIES, into);
    of_knobs(Run::KNOBS, into);
    of_knobs(View::KNOBS, into);
    of_knobs(TheorySettings::KNOBS, into);
    into.extend(preset_groups().map(|presets| presets[0].group.name.to_string()));
    for options in [ChainMeasure::OPTIONS, Strategy::OPTIONS, Time::OPTIONS] {
        of_choices(options, into);
    }
    for about in Chart::ALL.iter().map(|chart| chart.info()) {
        into.extend([about.name, about.word, about.help].map(String::from));
    }
    for entry in Model::ENTRIES {
        let Some(model) = Model::from_slug(entry.info.slug) else { continue };
        let rows = model.architecture(Task::default().examples()).rows();
        let many = [rows.row, rows.column].into_iter().filter(|noun| !noun.is_empty());
        into.extend([rows.name, rows.row, rows.column, rows.entry].map(String::from));
        into.extend(many.map(|noun| format!("{noun}s")));
    }
    for noun in vivarium_view::display::words::NOUNS {
        into.extend([noun.to_string(), format!("{noun}s")]);
    }
    for preset in PRESETS.iter() {
        into.extend([preset.name, preset.claim, preset.instance, preset.time].map(String::from));
        into.extend(
            preset
                .departs
                .iter()
                .flat_map(|(what, source, here)| [what, source, here])
                .map(|text| text.to_string()),
        );
    }
}

/// What stands in the stories, but for their sources.
fn of_stories(root: &Path, into: &mut Vec<String>) -> Result<(), anyhow::Error> {
    for about in stories() {
        let file =
            story_file(root, about.slug).with_context(|| format!("there is no story {}", about.slug))?;
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let story = parse(&text).map_err(|flaw| anyhow!("{}: {flaw}", file.display()))?;
        into.extend([story.title, story.about]);
        let TeacherNotes { goals, before, questions, misconceptions, slips } = story.notes;
        into.extend([goals, before].concat());
        into.extend(questions.into_iter().flat_map(|(question, answer)| [question, answer]));
        into.extend([misconceptions, slips].concat());
        for passage in story.passages {
            into.push(passage.title);
            for block in passage.blocks {
                match block {
                    Block::Text(text) => into.push(text),
                    Block::Buttons(buttons) => into.extend(buttons.into_iter().map(|(word, _)| word)),
                    Block::Question { guesses, answer } => {
                        into.extend(guesses.into_iter().map(|(word, _)| word));
                        into.push(answer);
                    }
                }
            }
        }
    }
    Ok(())
}

/// Every text of the program whose repository is `root`, each once.
///
/// # Errors
/// When a source cannot be read, or holds a text that is no literal.
pub fn all_texts(root: &Path) -> Result<Vec<String>, anyhow::Error> {
    let mut files = vec![];
    sources(&root.join("src"), &mut files)?;
    // The name of the language itself, in itself.
    let mut texts = vec!["English".to_string()];
    for file in files {
        let source = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        texts.extend(texts_of(&source).map_err(|why| anyhow!("{}: {why}", file.display()))?);
    }
    of_catalogues(&mut texts);
    of_stories(root, &mut texts)?;
    let mut seen = HashSet::new();
    texts.retain(|text| text.chars().any(char::is_alphabetic) && seen.insert(text.clone()));
    Ok(texts)
}

/// The texts as a table in which every text is its own translation.
pub fn table(texts: &[String]) -> String {
    let quoted = |text: &String| serde_json::Value::from(text.as_str()).to_string();
    let lines: Vec<String> = texts.iter().map(quoted).map(|text| format!("  {text}: {text}")).collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

/// The places in a text that are filled, sorted.
pub fn places(text: &str) -> Vec<&str> {
    let mut places: Vec<&str> =
        text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).collect();
    places.sort_unstable();
    places
}

/// Runs `lab words`.
///
/// # Errors
/// When a source cannot be read, or with `check` when the catalogue is out of date.
pub fn words(file: &Path, check: bool) -> Result<(), Trouble> {
    let new = table(&all_texts(Path::new("."))?);
    match (fs::read_to_string(file).is_ok_and(|old| old == new), check) {
        (true, _) => println!("{} is up to date", file.display()),
        (false, true) => {
            return Err(anyhow!("{} is out of date; `cargo lab words` refreshes it", file.display()).into());
        }
        (false, false) => {
            fs::write(file, new).with_context(|| format!("cannot write {}", file.display()))?;
            println!("{} refreshed", file.display());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_as_the_compiler_reads_them() {
        let source = "use a;\n#[cfg(test)]\nmod trials;\nfn f() {\n // tr!(\"no\")\n tr!(\"One \\\"two\\\" \\\n      three {n}\", n); text!(\n   \"Four\");\
                      include_text!(\"no\") }\n#[cfg(test)]\nmod tests {\n tr!(\"no\") }";
        assert_eq!(texts_of(source).unwrap(), ["One \"two\" three {n}", "Four"]);
        assert!(texts_of("tr!(name)").is_err());
        assert!(texts_of("tr!(\"a\\tb\")").is_err());
    }

    #[test]
    fn places_are_told_from_text() {
        assert_eq!(places("{of} of {all}, {of}"), ["all", "of", "of"]);
        assert!(places("none").is_empty());
    }
}
