//! Lectures: a list of runs and passages of stories with notes, made on the page and shown in presenter mode.
//!
//! ```text
//! mod.rs    a lecture, its entries and limits
//! code.rs   the text that keeps a lecture in a link or in a file
//! draft.rs  the lecture that is edited
//! update.rs the lecture that is shown: its entries are opened one after the other
//! ```
//!
//! # Why
//! A lecture is kept in its link, as a run is: no account is needed, and the link keeps working. The step at which
//! a run waits is in the entry's own link (key `at`), so that an entry needs nothing that a class link does not have. An
//! entry is trained when it is opened: there is one trainer, and it ignores the speed limit up to that step.

mod code;
pub mod draft;
#[cfg(test)]
mod tests;
pub mod update;

use std::fmt::{self, Display};

use crate::tour::ADDRESS_PREFIX as STORY_PREFIX;
use vivarium_labs::stories;
use vivarium_model::permalink::{Link, MAX_LINK_LENGTH, decode, encode, percent_decode};
use vivarium_model::run::RunSpec;
use vivarium_view::display::words::format_thousands;

/// Prefix of the address of a lecture: `#lecture/3/<code>` is its third entry.
pub const ADDRESS_PREFIX: &str = "#lecture/";

/// Largest number of entries of a lecture.
pub const MAX_ENTRIES: usize = 50;

/// Largest number of characters of the title of a lecture.
pub const MAX_TITLE_LENGTH: usize = 120;

/// Largest number of characters of the note of an entry.
pub const MAX_NOTE_LENGTH: usize = 500;

/// Largest number of characters of the text that keeps a lecture in its link.
pub const MAX_CODE_LENGTH: usize = 60_000;

/// Largest number of bytes of a file with a lecture.
pub const MAX_FILE_BYTES: usize = 400_000;

/// Largest number of characters of an invalid address that an error message repeats.
const MAX_QUOTED_LENGTH: usize = 80;

/// Largest passage number in an address; no story has as many passages.
const MAX_PASSAGE: usize = 999;

/// A lecture: runs and passages of stories in the order in which they are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lecture {
    /// Title of the lecture; may be empty.
    pub title: String,
    /// Entries in the order in which they are shown.
    pub entries: Vec<LectureEntry>,
}

/// An entry of a lecture: a run or a passage of a story, with a note.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LectureEntry {
    /// Address of a run, `#v1/…`, in which the key `at` is the step at which the run waits, or of a passage of a story,
    /// `#story/…/3`.
    pub address: String,
    /// Note of the lecturer; may be empty.
    pub note: String,
}

/// The lecture that is shown, and the entry at which it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LectureProgress {
    /// Lecture that is shown; it has at least one entry.
    pub lecture: Lecture,
    /// Text that keeps the lecture in its link.
    code: String,
    /// Index, from 0, of the entry that is shown.
    pub index: usize,
    /// Whether the note of the entry is shown.
    pub shows_note: bool,
}

/// An action on the lecture that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LectureAction {
    /// Show this lecture from its first entry, in presenter mode.
    Start(Box<Lecture>),
    /// Go on with the lecture that was left, at the entry at which it was left.
    Resume,
    /// Show the note of the entry, or hide it.
    ToggleNote,
}

/// A reason why a lecture cannot be read, or cannot be changed in this way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LectureError {
    /// The text after `#lecture/` is no lecture, or a part of it is missing.
    Incomplete,
    /// The file is no lecture.
    OtherFile,
    /// The lecture was written by a newer version of the page.
    NewerVersion,
    /// The lecture has no entries.
    Empty,
    /// The lecture has more entries than [`MAX_ENTRIES`].
    ManyEntries,
    /// The link of the lecture is longer than [`MAX_CODE_LENGTH`], or its file larger than [`MAX_FILE_BYTES`].
    TooLong,
    /// The title is longer than [`MAX_TITLE_LENGTH`].
    LongTitle,
    /// The note of the entry with this number, from 1, is longer than [`MAX_NOTE_LENGTH`].
    LongNote(usize),
    /// (number of the entry, from 1, beginning of its address): the address is neither of a run nor of a story.
    Address(usize, String),
}

impl Display for LectureError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            LectureError::Incomplete => tr!(
                "The link of this lecture is incomplete or changed. Copy the whole link again, or ask for the file of the lecture."
            )
            .into(),
            LectureError::OtherFile => {
                tr!("This file is not a lecture that this page has saved.").to_string()
            }
            LectureError::NewerVersion => tr!(
                "This lecture was made with a newer version of this page. Reload the page, then open the lecture again."
            )
            .into(),
            LectureError::Empty => tr!("The lecture has no entries. Add a run first.").into(),
            LectureError::ManyEntries => tr!("A lecture has at most {max} entries.", max = MAX_ENTRIES),
            LectureError::TooLong => tr!(
                "The lecture is too long: its link has at most {max} characters. Shorten the notes, or make two lectures.",
                max = format_thousands(MAX_CODE_LENGTH as u64)
            ),
            LectureError::LongTitle => {
                tr!("The title of a lecture has at most {max} characters.", max = MAX_TITLE_LENGTH)
            }
            LectureError::LongNote(number) => tr!(
                "The note of entry {number} is too long: a note has at most {max} characters.",
                number,
                max = MAX_NOTE_LENGTH
            ),
            LectureError::Address(number, address) => tr!(
                "The address of entry {number} is neither the address of a run nor of a passage of a story: {address}",
                number,
                address
            ),
        };
        out.write_str(&text)
    }
}

impl std::error::Error for LectureError {}

impl Lecture {
    /// Returns an error if the lecture is larger than allowed, or if an address is not valid.
    fn check(&self) -> Result<(), LectureError> {
        if self.entries.len() > MAX_ENTRIES {
            return Err(LectureError::ManyEntries);
        }
        if self.title.chars().count() > MAX_TITLE_LENGTH {
            return Err(LectureError::LongTitle);
        }
        for (at, entry) in self.entries.iter().enumerate() {
            if entry.note.chars().count() > MAX_NOTE_LENGTH {
                return Err(LectureError::LongNote(at + 1));
            }
            if normalize_address(&entry.address).as_ref() != Some(&entry.address) {
                return Err(address_error(at + 1, &entry.address));
            }
        }
        Ok(())
    }

    /// Returns the address of the entry with this index, from 0, of the lecture with the code `code`.
    fn entry_address(code: &str, index: usize) -> String {
        format!("{ADDRESS_PREFIX}{}/{code}", index + 1)
    }

    /// Returns the address that opens the lecture at its first entry.
    pub fn address(&self) -> String {
        format!("{ADDRESS_PREFIX}{}", self.encode())
    }
}

impl LectureEntry {
    /// Whether the entry is a passage of a story.
    pub fn is_passage(&self) -> bool {
        self.address.starts_with(STORY_PREFIX)
    }

    /// Returns the step at which the run of the entry waits; None for a passage, and for a run that waits at its
    /// beginning.
    pub fn wait_step(&self) -> Option<u64> {
        if self.is_passage() { None } else { decode(&self.address).0.start_step() }
    }

    /// Sets the step at which the run of the entry waits; None for the beginning. A passage of a story is left as it is.
    fn set_wait_step(&mut self, step: Option<u64>) {
        if self.is_passage() {
            return;
        }
        let mut link = decode(&self.address).0.without_teacher_key("at");
        if let Some(step) = step {
            state_picture(&mut link);
            link.teacher_keys.push(("at".into(), step.clamp(1, 1_000_000_000).to_string()));
        }
        self.address = encode(&link);
    }
}

/// Has the link begin with the moving picture of its run, unless it states a view: a link with a step to wait at would
/// begin with charts otherwise.
fn state_picture(link: &mut Link) {
    if link.shows_picture().is_none() {
        link.teacher_keys.push(("view".into(), "picture".into()));
    }
}

/// Returns the address of a run or of a passage of a story in the form in which a lecture keeps it, from a fragment or a
/// whole address; None if the text is neither.
pub fn normalize_address(text: &str) -> Option<String> {
    if text.len() > MAX_LINK_LENGTH {
        return None;
    }
    let text = text.trim();
    let fragment = text.split_once('#').map_or(text, |(_, fragment)| fragment);
    if fragment.chars().any(char::is_control) {
        return None;
    }
    let plain = percent_decode(fragment);
    let path = plain.split('?').next().unwrap_or_default();
    if let Some(place) = path.strip_prefix("story/") {
        let (slug, number) = place.trim_end_matches('/').split_once('/').unwrap_or((place, "1"));
        let number = number.parse::<usize>().ok().filter(|number| (1..=MAX_PASSAGE).contains(number))?;
        let story = stories().find(|story| story.slug == slug)?;
        return Some(format!("{STORY_PREFIX}{}/{number}", story.slug));
    }
    let lab = path.strip_prefix("v1/")?.trim_matches('/');
    RunSpec::default_of_lab(lab)?;
    // As it stands: a newer page may know keys that this one does not.
    Some(format!("#{fragment}"))
}

/// Returns the error for an invalid address of the entry with this number, from 1.
fn address_error(number: usize, address: &str) -> LectureError {
    LectureError::Address(number, address.chars().take(MAX_QUOTED_LENGTH).collect())
}
