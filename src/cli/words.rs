//! `lab words`: the catalogue of every text of the page, from which translations are made.

#![expect(clippy::print_stdout, reason = "this command prints")]

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use super::CommandError;
use vivarium_core::catalog::CatalogEntry;
use vivarium_core::settings::{ChoiceOption, Range, SettingInfo, Settings};
use vivarium_labs::story::{PassageBlock, parse_story};
use vivarium_labs::story_notes::TeacherNotes;
use vivarium_labs::{PRESETS, find_story_file, preset_groups, stories};
use vivarium_model::chart::Chart;
use vivarium_model::models::Model;
use vivarium_model::optim::Optimizer;
use vivarium_model::permalink::ViewSettings;
use vivarium_model::run::RunSettings;
use vivarium_model::tasks::Task;
use vivarium_science::markov::theory::TheorySettings;
use vivarium_science::markov::{ChainMeasure, Strategy};
use vivarium_view::presets::recorded::DurationClass;

/// Openings of the macros whose first literal is a text of the page.
const TEXT_MACROS: [&str; 2] = ["tr!(", "text!("];

/// Literals in `tr!` and `text!` of a source file, in order, without those of its tests.
///
/// # Errors
/// A sentence if such a macro has no literal.
pub fn find_texts(source: &str) -> Result<Vec<String>, String> {
    // A `mod tests;` line only names a file of tests; texts may follow it.
    let tests = source
        .match_indices("\n#[cfg(test)]\nmod ")
        .find(|(at, mark)| source[at + mark.len()..].lines().next().is_some_and(|line| line.ends_with('{')));
    let source = tests.map_or(source, |(end, _)| &source[..end]);
    let mut found = vec![];
    for (at, mark) in TEXT_MACROS.iter().flat_map(|mark| source.match_indices(mark)) {
        let line = source[..at].rsplit('\n').next().unwrap_or_default();
        // The name of another macro, or a comment.
        let is_other = line.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == ':');
        if is_other || line.trim_start().starts_with("//") {
            continue;
        }
        let literal = source[at + mark.len()..].trim_start();
        let inside = literal.strip_prefix('"').ok_or(format!("no literal in {mark}{literal:.40}"))?;
        found.push((
            at,
            unescape_literal(inside).ok_or(format!("an escape that is not known in {inside:.40}"))?,
        ));
    }
    found.sort();
    Ok(found.into_iter().map(|(_, text)| text).collect())
}

/// Contents of a Rust string literal that starts after its first quote; None if it has no end or an unknown
/// escape.
fn unescape_literal(literal: &str) -> Option<String> {
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

/// Adds the Rust files below `folder` to `sources`, in alphabetical order in each folder, without test files,
/// `language.rs`, and the command line, whose texts are in English only.
fn collect_sources(folder: &Path, sources: &mut Vec<PathBuf>) -> Result<(), anyhow::Error> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name == "cli" {
            // The command line is in English only.
        } else if path.is_dir() {
            collect_sources(&path, sources)?;
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") && name != "language.rs" {
            sources.push(path);
        }
    }
    Ok(())
}

/// Adds the labels of the options of a setting to `texts`, the texts of the page that are to be translated.
fn collect_choices(options: &[ChoiceOption], texts: &mut Vec<String>) {
    texts.extend(options.iter().map(|option| option.label.to_string()));
}

/// Adds labels, help texts, units and options of settings to `texts`, the texts of the page that are to be
/// translated.
fn collect_settings(settings: &[SettingInfo], texts: &mut Vec<String>) {
    for setting in settings {
        texts.extend([setting.label, setting.help, setting.unit].map(String::from));
        if let Range::Choice(options) | Range::Set(options) = setting.range {
            collect_choices(options, texts);
        }
    }
}

/// Adds names, descriptions and settings of tasks, models or optimizers to `texts`, the texts of the page
/// that are to be translated.
fn collect_entries(entries: &[CatalogEntry], texts: &mut Vec<String>) {
    for entry in entries {
        texts.extend([entry.info.name, entry.info.about].map(String::from));
        collect_settings(entry.settings, texts);
    }
}

/// Adds the texts of all tasks, models, optimizers, settings, charts and presets to `texts`, the texts of the
/// page that are to be translated.
fn collect_catalogues(texts: &mut Vec<String>) {
    collect_entries(Task::ENTRIES, texts);
    collect_entries(Model::ENTRIES, texts);
    collect_entries(Optimizer::ENTRIES, texts);
    collect_settings(RunSettings::SETTINGS, texts);
    collect_settings(ViewSettings::SETTINGS, texts);
    collect_settings(TheorySettings::SETTINGS, texts);
    texts.extend(preset_groups().map(|presets| presets[0].group.name.to_string()));
    for options in [ChainMeasure::OPTIONS, Strategy::OPTIONS, DurationClass::OPTIONS] {
        collect_choices(options, texts);
    }
    for about in Chart::ALL.iter().map(|chart| chart.info()) {
        texts.extend([about.name, about.word, about.help].map(String::from));
    }
    for entry in Model::ENTRIES {
        let Some(model) = Model::from_slug(entry.info.slug) else { continue };
        let rows = model.architecture(Task::default().examples()).rows();
        let many = [rows.row, rows.column].into_iter().filter(|noun| !noun.is_empty());
        texts.extend([rows.name, rows.row, rows.column, rows.entry].map(String::from));
        texts.extend(many.map(|noun| format!("{noun}s")));
    }
    for noun in vivarium_view::display::words::COUNTED_NOUNS {
        texts.extend([noun.to_string(), format!("{noun}s")]);
    }
    for preset in PRESETS.iter() {
        texts.extend([preset.name, preset.claim, preset.remarks, preset.duration_note].map(String::from));
        texts.extend(
            preset
                .departures
                .iter()
                .flat_map(|(what, source, here)| [what, source, here])
                .map(|text| text.to_string()),
        );
    }
}

/// Adds the texts of all stories to `texts`, without the sources that the stories cite; `root` is the folder
/// of the repository.
fn collect_stories(root: &Path, texts: &mut Vec<String>) -> Result<(), anyhow::Error> {
    for about in stories() {
        let file =
            find_story_file(root, about.slug).with_context(|| format!("there is no story {}", about.slug))?;
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let story = parse_story(&text).map_err(|flaw| anyhow!("{}: {flaw}", file.display()))?;
        texts.extend([story.title, story.about]);
        let TeacherNotes { goals, before, questions, misconceptions, technical_problems: slips } =
            story.notes;
        texts.extend([goals, before].concat());
        texts.extend(questions.into_iter().flat_map(|(question, answer)| [question, answer]));
        texts.extend([misconceptions, slips].concat());
        for passage in story.passages {
            texts.push(passage.title);
            for block in passage.blocks {
                match block {
                    PassageBlock::Text(text) | PassageBlock::More(text) => texts.push(text),
                    PassageBlock::Buttons(buttons) => texts.extend(buttons.into_iter().map(|(word, _)| word)),
                    PassageBlock::Question { guesses, answer } => {
                        texts.extend(guesses.into_iter().map(|(word, _)| word));
                        texts.push(answer);
                    }
                }
            }
        }
    }
    Ok(())
}

/// Every text of the page that is to be translated, once; `root` is the folder of the repository.
///
/// # Errors
/// When a source cannot be read, or a text is not a literal.
pub fn collect_texts(root: &Path) -> Result<Vec<String>, anyhow::Error> {
    let mut files = vec![];
    collect_sources(&root.join("src"), &mut files)?;
    // The name of the language in that language.
    let mut texts = vec!["English".to_string()];
    for file in files {
        let source = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        texts.extend(find_texts(&source).map_err(|why| anyhow!("{}: {why}", file.display()))?);
    }
    collect_catalogues(&mut texts);
    collect_stories(root, &mut texts)?;
    let mut seen = HashSet::new();
    texts.retain(|text| text.chars().any(char::is_alphabetic) && seen.insert(text.clone()));
    Ok(texts)
}

/// Catalogue of translations as a JSON object, in which every text of the page is its own translation.
pub fn format_catalogue(texts: &[String]) -> String {
    let quoted = |text: &String| serde_json::Value::from(text.as_str()).to_string();
    let lines: Vec<String> = texts.iter().map(quoted).map(|text| format!("  {text}: {text}")).collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

/// Names of the placeholders in braces in a text, such as `n` in "{n} steps"; sorted, with repetitions.
pub fn find_placeholders(text: &str) -> Vec<&str> {
    let mut places: Vec<&str> =
        text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).collect();
    places.sort_unstable();
    places
}

/// Runs `lab words`.
///
/// # Errors
/// When a source cannot be read, or with `check` when the catalogue is out of date.
pub fn words(file: &Path, check: bool) -> Result<(), CommandError> {
    let new = format_catalogue(&collect_texts(Path::new("."))?);
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
        assert_eq!(find_texts(source).unwrap(), ["One \"two\" three {n}", "Four"]);
        assert!(find_texts("tr!(name)").is_err());
        assert!(find_texts("tr!(\"a\\tb\")").is_err());
    }

    #[test]
    fn places_are_distinguished_from_text() {
        assert_eq!(find_placeholders("{of} of {all}, {of}"), ["all", "of", "of"]);
        assert!(find_placeholders("none").is_empty());
    }
}
