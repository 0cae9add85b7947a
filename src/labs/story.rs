//! Stories: guided tours through runs, written in Markdown files in the folders of the labs.
//!
//! The format is strict, so that the page shows everything that the file contains:
//!
//! ```text
//! ---
//! title: Where is the progress hidden?
//! about: One sentence for the list of stories.
//! minutes: 6
//! ---
//!
//! ## Title of a passage
//!
//! Run: name of a preset, or a link
//!
//! A paragraph on one or more lines, with *stress*.
//!
//! [Train to step 300](step:300) [Look at the loss](panel:loss)
//! [Set the width to 5](setting:width=5) [Another run](run:parity-20)
//!
//! - [ ] A guess.
//! - [x] The right one.
//!
//! > The answer, shown after a guess.
//!
//! + Further reading, which the page folds under "Read more".
//!
//! ## For teachers
//!
//! The notes, as [`super::story_notes`] reads them.
//!
//! ## Sources
//!
//! - Author, year, title.
//! ```
//!
//! # Length
//! The picture stands beside the text, so a passage shows at most five new lines at a time. A line has about 70
//! characters: the paragraphs before the last question have together at most 350 characters, the explanation of a
//! question at most 350, and the paragraphs after the last question together at most 350. In a passage without a
//! question all paragraphs have together at most 350 characters. A guess has at most 90. Paragraphs that begin with `+ `
//! are not counted, and nothing in the other paragraphs depends on them: everything that the reader needs for the
//! prediction and for its explanation is outside of them. Consecutive ones are folded together; on paper they are
//! ordinary paragraphs.
//!
//! # Why
//! Plain Markdown can be read and corrected without the program. The page fetches a story only when it is opened, which
//! keeps the first download small. A test plays all stories.

use std::fmt;

use super::find_preset;
use super::story_notes::{NotesReader, TeacherNotes};
use vivarium_model::chart::Chart;

/// Entry of a story in the list of stories, known before its file is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoryEntry {
    /// Permanent name of the story, which is also the name of its Markdown file.
    pub slug: &'static str,
    /// Title of the story as the list of stories shows it.
    pub title: &'static str,
    /// One sentence on the contents of the story, shown in the list of stories.
    pub about: &'static str,
    /// Time in minutes that a reader needs for the whole story.
    pub minutes: u32,
    /// Slug of the preset whose recorded curve is the story's thumbnail; the story uses a run of this preset.
    pub curve: &'static str,
}

/// A story as parsed from its Markdown file: passages with runs, references, and notes for teachers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Story {
    /// Title of the story, from the line `title:` of its file.
    pub title: String,
    /// One sentence on the story, shown in the list of stories.
    pub about: String,
    /// Time in minutes that a reader needs for the whole story.
    pub minutes: u32,
    /// Passages (screens) of the story in reading order, at least one.
    pub passages: Vec<Passage>,
    /// Bibliographic references of the story, one string each.
    pub sources: Vec<String>,
    /// Notes for teachers, which the story itself does not show.
    pub notes: TeacherNotes,
}

/// A passage of a story: one screen with a title, a run, text, buttons and questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Title of the passage, shown above its text.
    pub title: String,
    /// Link (`#v1/…`) of the run that is open beside the passage.
    pub run: String,
    /// Paragraphs, rows of buttons and questions of the passage, in the order of the file.
    pub blocks: Vec<PassageBlock>,
}

/// One block of a passage: a paragraph, a row of buttons or a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PassageBlock {
    /// A paragraph; text between two `*` is emphasised.
    Text(String),
    /// A paragraph of further reading, which the page folds; text between two `*` is emphasised.
    More(String),
    /// Buttons, each with its label and its action.
    Buttons(Vec<(String, StoryAction)>),
    /// A question in which the reader predicts a result.
    Question {
        /// Answers to choose from, and whether each is right.
        guesses: Vec<(String, bool)>,
        /// Explanation shown after the choice.
        answer: String,
    },
}

/// Action on the run shown that a button in a story's passage performs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoryAction {
    /// Train to this step and wait there.
    Train(u64),
    /// Change a setting: its key and its value.
    Change(String, String),
    /// Scroll to a chart and highlight it.
    Point(Chart),
    /// Open the run of this link.
    Open(String),
}

/// A syntax error in the Markdown file of a story, with the line where it occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoryError {
    /// Number, from 1, of the line with the error in the story's file.
    pub line: usize,
    /// Description of the syntax that the parser expected in the line with the error.
    pub expected: &'static str,
}

impl fmt::Display for StoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: expected {}", self.line, self.expected)
    }
}

/// Parses the Markdown file of a story.
///
/// # Errors
/// The first line that does not follow the format, which the documentation of this module defines.
pub fn parse_story(text: &str) -> Result<Story, StoryError> {
    let mut lines = text.lines().enumerate();
    let mut front = |start: &str, expected: &'static str| match lines.next() {
        Some((_, line)) if line.starts_with(start) => Ok(line[start.len()..].trim().to_string()),
        Some((at, _)) => Err(StoryError { line: at + 1, expected }),
        None => Err(StoryError { line: 1, expected }),
    };
    front("---", "---")?;
    let title = front("title: ", "a title")?;
    let about = front("about: ", "what it is about")?;
    let minutes =
        front("minutes: ", "minutes")?.parse().map_err(|_| StoryError { line: 4, expected: "minutes" })?;
    front("---", "---")?;
    let (passages, sources) = (vec![], vec![]);
    let mut story = Story { title, about, minutes, passages, sources, notes: TeacherNotes::default() };
    let (mut notes, mut in_sources) = (None, false);
    let mut block: Vec<&str> = vec![];
    let (mut block_start, mut last) = (1, 5);
    // An empty line at the end closes the last block.
    for (at, line) in lines.chain([(usize::MAX, "")]) {
        let line = line.trim_end();
        if at != usize::MAX {
            last = at + 1;
        }
        if !line.is_empty() {
            if block.is_empty() {
                block_start = last;
            }
            block.push(line);
            continue;
        }
        let lines = std::mem::take(&mut block);
        let Some(first) = lines.first() else { continue };
        let error_at = |expected| StoryError { line: block_start, expected };
        if let Some(title) = first.strip_prefix("## ") {
            if lines.len() > 1 || in_sources {
                return Err(error_at("a title on its own, before the sources"));
            }
            in_sources = title == "Sources";
            match title {
                "For teachers" if notes.is_none() => notes = Some(NotesReader::default()),
                "Sources" => {
                    let read =
                        notes.take().ok_or(error_at("the part \"For teachers\" before the sources"))?;
                    story.notes = read.finish().map_err(error_at)?;
                }
                _ if notes.is_some() => return Err(error_at("the sources after the part \"For teachers\"")),
                _ => story.passages.push(Passage { title: title.into(), run: String::new(), blocks: vec![] }),
            }
        } else if let Some(notes) = &mut notes {
            notes.read_block(&lines).map_err(error_at)?;
        } else if in_sources {
            for line in &lines {
                story.sources.push(line.strip_prefix("- ").ok_or(error_at("a list of sources"))?.into());
            }
        } else {
            let passage = story.passages.last_mut().ok_or(error_at("a passage's title"))?;
            if passage.run.is_empty() {
                let name = first.strip_prefix("Run: ").filter(|_| lines.len() == 1);
                passage.run = name.and_then(resolve_run_link).ok_or(error_at("the passage's run"))?;
            } else {
                parse_block(&lines, &mut passage.blocks).map_err(error_at)?;
            }
        }
    }
    let whole = !story.passages.is_empty() && story.passages.iter().all(|p| !p.blocks.is_empty());
    match whole && !story.sources.is_empty() {
        true => Ok(story),
        false => Err(StoryError { line: last, expected: "passages that say something, and sources" }),
    }
}

/// The link of a run in a story's file, which is written there as a link `#v1/…` or as a preset's slug; none if no
/// preset has this slug.
fn resolve_run_link(name: &str) -> Option<String> {
    match name.starts_with("#v1/") {
        true => Some(name.into()),
        false => find_preset(name).map(|preset| preset.link.into()),
    }
}

/// Parses the lines of one block of a passage (a paragraph, buttons, guesses or an answer) and appends it to `blocks`.
/// The error describes the syntax that is expected in place of these lines.
fn parse_block(lines: &[&str], blocks: &mut Vec<PassageBlock>) -> Result<(), &'static str> {
    let joined = |mark: &str, expected| {
        let parts: Option<Vec<&str>> = lines.iter().map(|line| line.strip_prefix(mark)).collect();
        parts.map(|parts| parts.join(" ")).ok_or(expected)
    };
    if lines[0].starts_with("- [") {
        let guess = |line: &&str| {
            let right = line.strip_prefix("- [x] ").map(|text| (text.to_string(), true));
            right.or(line.strip_prefix("- [ ] ").map(|text| (text.to_string(), false)))
        };
        let guesses = lines.iter().map(guess).collect::<Option<Vec<_>>>().ok_or("guesses: - [ ] or - [x]")?;
        if guesses.len() < 2 || guesses.iter().filter(|(_, right)| *right).count() != 1 {
            return Err("two guesses or more, of which one is right");
        }
        blocks.push(PassageBlock::Question { guesses, answer: String::new() });
        return Ok(());
    }
    if let Some(PassageBlock::Question { answer, .. }) = blocks.last_mut()
        && answer.is_empty()
    {
        *answer = joined("> ", "the answer to the question before: >")?;
        return Ok(());
    }
    if lines[0].starts_with('[') {
        let mut buttons = vec![];
        let mut rest = lines.join(" ");
        while !rest.is_empty() {
            let link = rest.strip_prefix('[').and_then(|rest| rest.split_once(')'));
            let ((word, target), after) = link
                .and_then(|(link, after)| Some((link.split_once("](")?, after)))
                .ok_or("buttons: [words](action)")?;
            buttons.push((
                word.to_string(),
                parse_action(target).ok_or("an action: step, setting, panel or run")?,
            ));
            rest = after.trim_start().to_string();
        }
        blocks.push(PassageBlock::Buttons(buttons));
        return Ok(());
    }
    if lines[0].starts_with("+ ") {
        blocks.push(PassageBlock::More(joined("+ ", "further reading: each line begins with +")?));
        return Ok(());
    }
    if lines[0].starts_with(['-', '>', '#', '!', '`', '<', '+']) {
        return Err("text, further reading, buttons, guesses or an answer");
    }
    blocks.push(PassageBlock::Text(lines.join(" ")));
    Ok(())
}

/// Parses the target of a button, such as `step:300`; none if it is malformed.
fn parse_action(target: &str) -> Option<StoryAction> {
    let (kind, what) = target.split_once(':')?;
    match kind {
        "step" => what.parse().ok().map(StoryAction::Train),
        "setting" => what.split_once('=').map(|(key, value)| StoryAction::Change(key.into(), value.into())),
        "panel" => {
            Chart::ALL.iter().find(|chart| chart.slug() == what).map(|chart| StoryAction::Point(*chart))
        }
        "run" => resolve_run_link(what).map(StoryAction::Open),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story_notes::MINIMAL_NOTES;
    use crate::{find_story_file, stories};
    use vivarium_model::permalink::{Link, decode, encode};

    fn text(slug: &str) -> String {
        let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        std::fs::read_to_string(find_story_file(root, slug).unwrap()).unwrap()
    }

    /// The run of a link that must be written as the page would write it.
    fn opened(link: &str) -> Link {
        let (read, notices) = decode(link);
        assert!(notices.is_empty(), "{link}: {notices:?}");
        assert_eq!(encode(&read), link);
        read
    }

    #[test]
    fn every_story_can_be_played_from_its_first_button_to_its_last() {
        for about in stories() {
            let story =
                parse_story(&text(about.slug)).unwrap_or_else(|flaw| panic!("{}, {flaw}", about.slug));
            assert_eq!(
                (&*story.title, &*story.about, story.minutes),
                (about.title, about.about, about.minutes)
            );
            assert!((4..=12).contains(&story.passages.len()), "{}", about.slug);
            let curve = find_preset(about.curve).unwrap();
            assert!(story.passages.iter().any(|passage| passage.run == curve.link), "{}", about.curve);
            let (mut questions, mut trained) = (0, 0);
            let (mut link, mut step, mut on) = (Link::default(), 0, String::new());
            for passage in &story.passages {
                let place = format!("{}, {}", about.slug, passage.title);
                let bound = opened(&passage.run);
                let is_sweep = !bound.spec.run.sweep.values.is_empty();
                if bound.spec != link.spec || on != passage.run {
                    step = if bound.spec == link.spec { step } else { 0 };
                }
                (link, on) = (bound, passage.run.clone());
                for block in &passage.blocks {
                    match block {
                        PassageBlock::Text(text) | PassageBlock::More(text) => {
                            assert!(text.len() < 700 && !text.contains('!'), "{place}: {text}");
                            assert!(
                                text.ends_with(['.', '?']) && text.matches('*').count() % 2 == 0,
                                "{text}"
                            );
                        }
                        PassageBlock::Question { guesses, answer } => {
                            questions += 1;
                            assert!(!answer.is_empty() && !answer.contains('!'), "{place}");
                            assert!(guesses.iter().all(|(text, _)| text.ends_with('.')), "{place}");
                        }
                        PassageBlock::Buttons(buttons) => {
                            for (word, action) in buttons {
                                assert!(word.len() <= 44 && !word.ends_with('.'), "{place}: {word}");
                                let run = &link.spec.run;
                                match action {
                                    StoryAction::Train(to) => {
                                        trained += 1;
                                        assert!(!is_sweep, "{place}: a sweep has no step to train to");
                                        assert!(
                                            *to > step && *to <= run.steps,
                                            "{place}: {word} after {step}"
                                        );
                                        // So that the curve gets no point that the run itself would not have.
                                        assert!(to.is_multiple_of(run.every), "{place}: {to}");
                                        step = *to;
                                    }
                                    StoryAction::Change(key, value) => {
                                        let spec = link.spec.clone();
                                        link.spec.parse(key, value).unwrap();
                                        assert!(link.spec.invalid_settings().is_empty(), "{place}: {word}");
                                        assert_ne!(spec, link.spec, "{place}: {word} changes nothing");
                                        step = 0;
                                    }
                                    StoryAction::Point(chart) => {
                                        let form = link.spec.task.data().form();
                                        assert!(
                                            chart.form().is_none_or(|of| form.counts_as(of)),
                                            "{place}: {word}"
                                        );
                                        assert!(
                                            link.view.show.contains(chart),
                                            "{place}: {word} is not shown"
                                        );
                                    }
                                    StoryAction::Open(run) => {
                                        link = opened(run);
                                        step = 0;
                                    }
                                }
                            }
                        }
                    }
                }
            }
            assert!(questions >= 2 && trained >= 3, "{}: {questions} {trained}", about.slug);
            assert!(story.sources.iter().all(|source| source.ends_with('.')), "{}", about.slug);
        }
    }

    #[test]
    fn what_is_no_story_is_refused_with_its_line() {
        let good = text(stories().next().unwrap().slug);
        assert!(parse_story(&good).is_ok());
        let start = "---\ntitle: T\nabout: A.\nminutes: 1\n---\n\n";
        for (rest, line) in [
            ("Text.\n", 7),
            ("## P\n\nText.\n", 9),
            ("## P\n\nRun: nothing-like-it\n", 9),
            ("## P\n\nRun: z23\n\n- [x] One.\n", 11),
            ("## P\n\nRun: z23\n\n- [x] One.\n- [ ] Two.\n\nNo answer.\n", 14),
            ("## P\n\nRun: z23\n\n[A](step:x)\n", 11),
            ("## P\n\nRun: z23\n\n[A](panel:astrology)\n", 11),
            ("## P\n\nRun: z23\n\n<b>\n", 11),
            ("## P\n\nRun: z23\n\n+Further.\n", 11),
            ("## P\n\nRun: z23\n\nText.\n\n+ Further\nreading.\n", 13),
            ("## P\n\nRun: z23\n\n- [x] One.\n- [ ] Two.\n\n+ No answer.\n", 14),
            ("## P\n\nRun: z23\n\nText.\n", 11),
        ] {
            assert_eq!(parse_story(&format!("{start}{rest}")).unwrap_err().line, line, "{rest}");
        }
        for text in ["", "---", "# Title", "---\ntitle: T\nabout: A.\nminutes: many\n---\n"] {
            assert!(parse_story(text).is_err(), "{text}");
        }
        let written = "## P\n\nRun: z23\n\nOne\ntwo.\n\n[A](step:10) [B](run:s3)\n\n+ More\n+ to read.\n\n";
        let story = parse_story(&format!("{start}{written}{MINIMAL_NOTES}## Sources\n\n- S.\n")).unwrap();
        assert_eq!(story.passages[0].blocks[0], PassageBlock::Text("One two.".into()));
        let PassageBlock::Buttons(buttons) = &story.passages[0].blocks[1] else { panic!("two buttons") };
        assert_eq!(buttons[0], ("A".into(), StoryAction::Train(10)));
        assert_eq!(buttons[1].1, StoryAction::Open(find_preset("s3").unwrap().link.into()));
        assert_eq!(story.passages[0].blocks[2], PassageBlock::More("More to read.".into()));
    }

    /// Number of characters of a text as the page shows it, without the stars around emphasised words.
    fn shown_length(text: &str) -> usize {
        text.chars().filter(|letter| *letter != '*').count()
    }

    /// Number of characters of all paragraphs among these blocks, without further reading.
    fn paragraphs_length(blocks: &[PassageBlock]) -> usize {
        let of = |block: &PassageBlock| match block {
            PassageBlock::Text(text) => shown_length(text),
            _ => 0,
        };
        blocks.iter().map(of).sum()
    }

    #[test]
    fn a_passage_shows_at_most_five_new_lines_at_a_time() {
        let (five_lines, guess_limit) = (5 * 70, 90);
        let mut long = vec![];
        for about in stories() {
            for passage in &parse_story(&text(about.slug)).unwrap().passages {
                let is_question = |block: &PassageBlock| matches!(block, PassageBlock::Question { .. });
                let last = passage.blocks.iter().rposition(is_question).unwrap_or(passage.blocks.len());
                let (before, after) = passage.blocks.split_at(last);
                let mut parts = vec![
                    ("before the question", paragraphs_length(before), five_lines),
                    ("after the question", paragraphs_length(after), five_lines),
                ];
                for block in &passage.blocks {
                    if let PassageBlock::Question { guesses, answer } = block {
                        parts.push(("explanation", shown_length(answer), five_lines));
                        parts.extend(
                            guesses.iter().map(|(guess, _)| ("guess", shown_length(guess), guess_limit)),
                        );
                    }
                }
                let over = parts.into_iter().filter(|(_, length, limit)| length > limit);
                long.extend(over.map(|(part, length, _)| {
                    format!("{}, {}: {part} has {length} characters", about.slug, passage.title)
                }));
            }
        }
        assert!(long.is_empty(), "{}", long.join("\n"));
    }
}
