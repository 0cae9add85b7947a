//! What a story says to a teacher: the part `## For teachers` of its file.
//!
//! ```text
//! ## For teachers
//!
//! ### Goals
//!
//! - What a student can say or do afterwards.
//!
//! ### Before
//!
//! - What a student needs to know before.
//!
//! ### Questions
//!
//! - A question for the class?
//! > Its short answer.
//!
//! ### Misconceptions
//!
//! - What students often believe, and what is true.
//!
//! ### Technical slips
//!
//! - What goes wrong at the screen, and what helps.
//! ```
//!
//! # Why
//! The notes stand beside the passages that they are about, so that who changes the one sees the other. They are no
//! passage: they tell the answers, and a student who walks through the story does not come across them.

/// The heads of the part, in their order.
const HEADS: [&str; 5] = ["Goals", "Before", "Questions", "Misconceptions", "Technical slips"];

/// What a story says to a teacher.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TeacherNotes {
    /// What a student can say or do afterwards.
    pub goals: Vec<String>,
    /// What a student needs to know before.
    pub before: Vec<String>,
    /// Questions for the class, two to four, each with its short answer.
    pub questions: Vec<(String, String)>,
    /// What students often believe, and what is true.
    pub misconceptions: Vec<String>,
    /// What goes wrong at the screen, and what helps.
    pub slips: Vec<String>,
}

/// Takes the part block by block.
#[derive(Default)]
pub(super) struct NotesReader {
    notes: TeacherNotes,
    /// How many heads were read.
    heads: usize,
}

impl NotesReader {
    /// Takes the lines of one block; or says what would be right there.
    pub(super) fn take(&mut self, lines: &[&str]) -> Result<(), &'static str> {
        const ITEMS: &str = "the notes for teachers as lists: -";
        let head = lines.first().and_then(|line| line.strip_prefix("### "));
        if let Some(head) = head {
            let is_next = lines.len() == 1 && HEADS.get(self.heads) == Some(&head);
            self.heads += 1;
            return is_next
                .then_some(())
                .ok_or("### and Goals, Before, Questions, Misconceptions, Technical slips in this order");
        }
        let notes = &mut self.notes;
        let list = match self.heads {
            1 => &mut notes.goals,
            2 => &mut notes.before,
            3 => {
                for pair in lines.chunks(2) {
                    let question = pair[0].strip_prefix("- ");
                    let answer = pair.get(1).and_then(|line| line.strip_prefix("> "));
                    let (question, answer) =
                        question.zip(answer).ok_or("a question, -, and its answer below it, >")?;
                    notes.questions.push((question.into(), answer.into()));
                }
                return Ok(());
            }
            4 => &mut notes.misconceptions,
            5 => &mut notes.slips,
            _ => return Err("### Goals"),
        };
        for line in lines {
            list.push(line.strip_prefix("- ").ok_or(ITEMS)?.into());
        }
        Ok(())
    }

    /// The notes, if none of their parts is missing.
    pub(super) fn finish(self) -> Result<TeacherNotes, &'static str> {
        let TeacherNotes { goals, before, questions, misconceptions, slips } = &self.notes;
        let lists = [goals, before, misconceptions, slips];
        let is_whole = lists.iter().all(|list| !list.is_empty()) && (2..=4).contains(&questions.len());
        is_whole.then_some(self.notes).ok_or("goals, before, two to four questions, misconceptions and slips")
    }
}

/// The shortest notes, for files that tests write, here and of the page.
#[doc(hidden)]
pub const LEAST: &str = "## For teachers\n\n### Goals\n\n- G.\n\n### Before\n\n- B.\n\n### Questions\n\n\
    - Q?\n> A.\n- R?\n> C.\n\n### Misconceptions\n\n- M.\n\n### Technical slips\n\n- T.\n\n";

#[cfg(test)]
mod tests {
    use super::super::story::parse;
    use super::super::{stories, story_file};
    use super::*;

    fn story(notes: &str) -> Result<TeacherNotes, String> {
        let passage = "---\ntitle: T\nabout: A.\nminutes: 1\n---\n\n## P\n\nRun: z23\n\nText.\n\n";
        let text = format!("{passage}{notes}## Sources\n\n- S.\n");
        parse(&text).map(|story| story.notes).map_err(|flaw| flaw.to_string())
    }

    #[test]
    fn every_story_has_whole_notes_of_whole_sentences() {
        for about in stories() {
            let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
            let text = std::fs::read_to_string(story_file(root, about.slug).unwrap()).unwrap();
            let notes = parse(&text).unwrap_or_else(|flaw| panic!("{}, {flaw}", about.slug)).notes;
            let (questions, answers): (Vec<_>, Vec<_>) = notes.questions.iter().cloned().unzip();
            assert!(questions.iter().all(|question| question.ends_with('?')), "{}", about.slug);
            for text in [notes.goals, notes.before, answers, notes.misconceptions, notes.slips].concat() {
                assert!(text.ends_with('.') && text.len() < 700, "{}: {text}", about.slug);
            }
            // The notes are one page or two on paper.
            let part = text.split("## For teachers").nth(1).unwrap().split("## Sources").next().unwrap();
            assert!((1_500..6_000).contains(&part.len()), "{}: {} bytes", about.slug, part.len());
            assert!(!part.contains('!') && part.matches('*').count().is_multiple_of(2), "{}", about.slug);
        }
    }

    #[test]
    fn notes_are_read_part_by_part() {
        let notes = story(LEAST).unwrap();
        assert_eq!((&*notes.goals, &*notes.before), (&["G.".to_string()][..], &["B.".to_string()][..]));
        let pair = |question: &str, answer: &str| (question.to_string(), answer.to_string());
        assert_eq!(notes.questions, [pair("Q?", "A."), pair("R?", "C.")]);
        assert_eq!((&*notes.misconceptions[0], &*notes.slips[0]), ("M.", "T."));
    }

    #[test]
    fn notes_that_lack_a_part_are_refused() {
        assert!(story("").unwrap_err().ends_with("expected the part \"For teachers\" before the sources"));
        for lost in ["- G.\n", "- B.\n", "- R?\n> C.\n", "> A.\n", "- M.\n", "- T.\n", "### Goals\n\n"] {
            assert!(story(&LEAST.replace(lost, "")).is_err(), "without {lost}");
        }
        for head in HEADS {
            assert!(story(&LEAST.replace(head, "Other")).is_err(), "{head}");
        }
        let line = |notes: &str| story(notes).unwrap_err().split(':').next().unwrap_or_default().to_string();
        assert_eq!(line(&LEAST.replace("- B.", "B.")), "line 21");
        assert!(story(&format!("{LEAST}{LEAST}")).is_err(), "twice");
        assert!(story(&format!("{LEAST}## Q\n\nRun: z23\n\nText.\n\n")).is_err(), "a passage after them");
    }
}
