//! The lecture that is edited: its entries, the changes, and their undo.

use super::{
    Lecture, LectureEntry, LectureError, MAX_CODE_LENGTH, STORY_PREFIX, address_error, normalize_address,
};
use crate::share::titles::run_name;
use vivarium_core::language::translated;
use vivarium_labs::stories;
use vivarium_model::permalink::decode;

/// Largest number of changes that can be undone.
const MAX_UNDO: usize = 50;

/// A change of the lecture that is edited. Entries are meant by their index, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftAction {
    /// Append this entry.
    Add(LectureEntry),
    /// Append an entry without a note for this address of a run or of a passage, as the user has written it.
    AddAddress(String),
    /// Exchange the entry with its successor (`true`) or its predecessor (`false`).
    Move(usize, bool),
    /// Remove the entry.
    Remove(usize),
    /// Set the note of the entry.
    SetNote(usize, String),
    /// Set the step at which the run of the entry waits; None for its beginning.
    SetStep(usize, Option<u64>),
    /// Set the title of the lecture.
    SetTitle(String),
    /// Edit this lecture in place of the current one.
    Replace(Lecture),
    /// Undo the last change.
    Undo,
}

/// A text of the lecture: successive changes of one text are undone together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EditedText {
    /// The title.
    Title,
    /// The note of the entry with this index.
    Note(usize),
}

/// The lecture that is edited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LectureDraft {
    /// Lecture with all changes so far; it is within the limits.
    pub lecture: Lecture,
    /// Number of changes so far other than those of a title, a note or a step; the list of entries is built anew when it
    /// changes.
    pub version: u64,
    /// Why the last change was refused; empty if it was not.
    pub error: String,
    /// Lectures before the last changes, the latest last.
    undo: Vec<Lecture>,
    /// Text that the last change has changed; None after a change of another kind.
    edited_text: Option<EditedText>,
}

impl LectureDraft {
    /// Creates a draft from the text that the browser has stored; an empty draft if that is no lecture.
    pub fn from_stored(code: &str) -> LectureDraft {
        LectureDraft { lecture: Lecture::decode(code).unwrap_or_default(), ..LectureDraft::default() }
    }

    /// Whether there is a change to undo.
    pub fn can_undo(&self) -> bool {
        !self.undo.is_empty()
    }

    /// Carries out a change. A change beyond a limit is refused: the lecture stays, and the reason is in `error`.
    pub fn apply(&mut self, action: DraftAction) {
        self.error.clear();
        let text = match &action {
            DraftAction::SetTitle(_) => Some(EditedText::Title),
            DraftAction::SetNote(at, _) => Some(EditedText::Note(*at)),
            _ => None,
        };
        // A new list would take the focus from the field in which the user types, and from the one after it.
        self.version += u64::from(text.is_none() && !matches!(action, DraftAction::SetStep(..)));
        if action == DraftAction::Undo {
            if let Some(before) = self.undo.pop() {
                self.lecture = before;
            }
            self.edited_text = None;
            return;
        }
        match changed_lecture(&self.lecture, action) {
            Ok(lecture) if lecture == self.lecture => {}
            Ok(lecture) => {
                let before = std::mem::replace(&mut self.lecture, lecture);
                if text.is_none() || text != self.edited_text {
                    if self.undo.len() >= MAX_UNDO {
                        self.undo.remove(0);
                    }
                    self.undo.push(before);
                }
                // Not after a refused change, which Undo could not take back together with the next one.
                self.edited_text = text;
            }
            Err(error) => self.error = error.to_string(),
        }
    }
}

/// Returns `lecture` after a change other than Undo.
///
/// # Errors
/// If the changed lecture would exceed a limit, or if an address is not valid.
fn changed_lecture(lecture: &Lecture, action: DraftAction) -> Result<Lecture, LectureError> {
    let mut changed = lecture.clone();
    let entries = &mut changed.entries;
    let count = entries.len();
    match action {
        DraftAction::Add(entry) => entries.push(entry),
        DraftAction::AddAddress(text) => {
            let address = normalize_address(&text).ok_or_else(|| address_error(count + 1, text.trim()))?;
            entries.push(LectureEntry { address, note: String::new() });
        }
        DraftAction::Move(at, is_down) => {
            let other = if is_down { at.checked_add(1) } else { at.checked_sub(1) };
            if let Some(other) = other.filter(|other| (*other).max(at) < count) {
                entries.swap(at, other);
            }
        }
        DraftAction::Remove(at) if at < count => drop(entries.remove(at)),
        DraftAction::SetNote(at, note) => {
            if let Some(entry) = entries.get_mut(at) {
                entry.note = note;
            }
        }
        DraftAction::SetStep(at, step) => {
            if let Some(entry) = entries.get_mut(at) {
                entry.set_wait_step(step);
            }
        }
        DraftAction::SetTitle(title) => changed.title = title,
        DraftAction::Replace(other) => changed = other,
        DraftAction::Remove(_) | DraftAction::Undo => {}
    }
    changed.check()?;
    if changed.encode().len() > MAX_CODE_LENGTH {
        return Err(LectureError::TooLong);
    }
    Ok(changed)
}

/// Returns the name of an entry for the list of entries: of its run, or of the story and the passage.
pub fn entry_name(entry: &LectureEntry) -> String {
    match entry.address.strip_prefix(STORY_PREFIX).and_then(|place| place.split_once('/')) {
        Some((slug, passage)) => {
            let title = stories().find(|story| story.slug == slug).map_or(slug, |story| story.title);
            tr!("Story “{title}”, passage {passage}", title = translated(title), passage)
        }
        None => run_name(&decode(&entry.address).0.spec),
    }
}
