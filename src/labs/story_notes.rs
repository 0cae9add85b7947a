//! Notes for teachers: the part `## For teachers` of a story's file.
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
//! The notes are in the same file as the passages they refer to, so that an author who changes one sees the other. They
//! are not a passage because they give the answers, which a student should not see.

/// Headings of the lists in the notes for teachers, in their required order.
const NOTE_HEADINGS: [&str; 5] = ["Goals", "Before", "Questions", "Misconceptions", "Technical slips"];

/// Notes for teachers on one story: goals, prerequisites, questions, misconceptions and technical problems.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TeacherNotes {
    /// Learning goals: abilities that a student has after the story, one string per list item.
    pub goals: Vec<String>,
    /// Prerequisites: knowledge and abilities that a student needs before the story, one string per list item.
    pub before: Vec<String>,
    /// Two to four questions for the class, as pairs of the question and its short answer.
    pub questions: Vec<(String, String)>,
    /// Common misconceptions of students, each with its correction, one string per list item.
    pub misconceptions: Vec<String>,
    /// Technical problems with the page in class, each with its remedy, one string per list item.
    pub technical_problems: Vec<String>,
}

/// Parser of a story's notes for teachers, which receives them block by block.
#[derive(Default)]
pub(super) struct NotesReader {
    /// The notes for teachers parsed so far, to which list items are appended.
    notes: TeacherNotes,
    /// Number of headings in the notes read so far: 1 means that list items now belong to the first of
    /// [`NOTE_HEADINGS`], and 0 that no heading has been read.
    heading_count: usize,
}

impl NotesReader {
    /// Parses the lines of one block of the notes for teachers, a heading or list items. The error describes the syntax
    /// that is expected in place of these lines.
    pub(super) fn read_block(&mut self, lines: &[&str]) -> Result<(), &'static str> {
        /// Error text for lines that should be list items of the notes for teachers but do not start with "- ".
        const ITEMS: &str = "the notes for teachers as lists: -";
        let head = lines.first().and_then(|line| line.strip_prefix("### "));
        if let Some(head) = head {
            let is_next = lines.len() == 1 && NOTE_HEADINGS.get(self.heading_count) == Some(&head);
            self.heading_count += 1;
            return is_next
                .then_some(())
                .ok_or("### and Goals, Before, Questions, Misconceptions, Technical slips in this order");
        }
        let notes = &mut self.notes;
        let list = match self.heading_count {
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
            5 => &mut notes.technical_problems,
            _ => return Err("### Goals"),
        };
        for line in lines {
            list.push(line.strip_prefix("- ").ok_or(ITEMS)?.into());
        }
        Ok(())
    }

    /// The parsed notes for teachers; an error text if a list is empty or there are not two to four questions.
    pub(super) fn finish(self) -> Result<TeacherNotes, &'static str> {
        let TeacherNotes { goals, before, questions, misconceptions, technical_problems: slips } =
            &self.notes;
        let lists = [goals, before, misconceptions, slips];
        let is_whole = lists.iter().all(|list| !list.is_empty()) && (2..=4).contains(&questions.len());
        is_whole.then_some(self.notes).ok_or("goals, before, two to four questions, misconceptions and slips")
    }
}

/// The shortest valid notes, for story files in tests.
#[doc(hidden)]
pub const MINIMAL_NOTES: &str = "## For teachers\n\n### Goals\n\n- G.\n\n### Before\n\n- B.\n\n### Questions\n\n\
    - Q?\n> A.\n- R?\n> C.\n\n### Misconceptions\n\n- M.\n\n### Technical slips\n\n- T.\n\n";

#[cfg(test)]
mod tests {
    use super::super::story::parse_story;
    use super::super::{find_story_file, stories};
    use super::*;

    fn story(notes: &str) -> Result<TeacherNotes, String> {
        let passage = "---\ntitle: T\nabout: A.\nminutes: 1\n---\n\n## P\n\nRun: z23\n\nText.\n\n";
        let text = format!("{passage}{notes}## Sources\n\n- S.\n");
        parse_story(&text).map(|story| story.notes).map_err(|flaw| flaw.to_string())
    }

    #[test]
    fn every_story_has_whole_notes_of_whole_sentences() {
        for about in stories() {
            let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
            let text = std::fs::read_to_string(find_story_file(root, about.slug).unwrap()).unwrap();
            let notes = parse_story(&text).unwrap_or_else(|flaw| panic!("{}, {flaw}", about.slug)).notes;
            let (questions, answers): (Vec<_>, Vec<_>) = notes.questions.iter().cloned().unzip();
            assert!(questions.iter().all(|question| question.ends_with('?')), "{}", about.slug);
            for text in
                [notes.goals, notes.before, answers, notes.misconceptions, notes.technical_problems].concat()
            {
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
        let notes = story(MINIMAL_NOTES).unwrap();
        assert_eq!((&*notes.goals, &*notes.before), (&["G.".to_string()][..], &["B.".to_string()][..]));
        let pair = |question: &str, answer: &str| (question.to_string(), answer.to_string());
        assert_eq!(notes.questions, [pair("Q?", "A."), pair("R?", "C.")]);
        assert_eq!((&*notes.misconceptions[0], &*notes.technical_problems[0]), ("M.", "T."));
    }

    #[test]
    fn notes_that_lack_a_part_are_refused() {
        assert!(story("").unwrap_err().ends_with("expected the part \"For teachers\" before the sources"));
        for lost in ["- G.\n", "- B.\n", "- R?\n> C.\n", "> A.\n", "- M.\n", "- T.\n", "### Goals\n\n"] {
            assert!(story(&MINIMAL_NOTES.replace(lost, "")).is_err(), "without {lost}");
        }
        for head in NOTE_HEADINGS {
            assert!(story(&MINIMAL_NOTES.replace(head, "Other")).is_err(), "{head}");
        }
        let line = |notes: &str| story(notes).unwrap_err().split(':').next().unwrap_or_default().to_string();
        assert_eq!(line(&MINIMAL_NOTES.replace("- B.", "B.")), "line 21");
        assert!(story(&format!("{MINIMAL_NOTES}{MINIMAL_NOTES}")).is_err(), "twice");
        assert!(
            story(&format!("{MINIMAL_NOTES}## Q\n\nRun: z23\n\nText.\n\n")).is_err(),
            "a passage after them"
        );
    }
}
