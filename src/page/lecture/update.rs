//! How the entries of a lecture are opened, and the texts of its bar.

use super::{
    Lecture, LectureAction, LectureEntry, LectureError, LectureProgress, STORY_PREFIX, state_picture,
};
use crate::effect::Effect;
use crate::presenter::PresenterAction;
use crate::state::{State, UndoEntry};
use vivarium_core::language::{escape_hidden_characters, translated};
use vivarium_model::permalink::{decode, encode};
use vivarium_view::display::instance::describe_unlisted_settings;

/// Texts of the bar of the lecture that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LectureTexts {
    /// Title of the lecture; may be empty.
    pub title: String,
    /// Position of the entry, such as "2 of 7".
    pub place: String,
    /// Claim that the run demonstrates; empty for a passage of a story.
    pub claim: String,
    /// Task that the network of the run learns; empty for a passage of a story.
    pub task: String,
    /// Note of the entry; empty if it has none or if notes are hidden.
    pub note: String,
    /// Whether notes are shown.
    pub shows_note: bool,
    /// Whether the entry is the first one.
    pub is_first: bool,
    /// Whether the entry is the last one.
    pub is_last: bool,
}

impl LectureProgress {
    /// Returns the address of the shown entry, such as `#lecture/3/…`.
    pub fn address(&self) -> String {
        Lecture::entry_address(&self.code, self.index)
    }

    /// Returns the index of the last entry.
    fn last_index(&self) -> usize {
        self.lecture.entries.len().saturating_sub(1)
    }

    /// Returns the position of the shown entry, such as "2 of 7".
    pub fn place(&self) -> String {
        tr!("{number} of {count}", number = self.index + 1, count = self.lecture.entries.len())
    }
}

impl State {
    /// Opens the lecture of an address; `place` is its part after `#lecture/`: a code, or the number of an entry and a
    /// code.
    pub(crate) fn open_lecture(&mut self, place: &str, effects: &mut Vec<Effect>) {
        let (number, code) = place.split_once('/').unwrap_or(("1", place));
        let index = number.parse::<usize>().map_or(0, |number| number.saturating_sub(1));
        if let Some(progress) = self.lecture.as_mut().filter(|progress| progress.code == code) {
            // The user goes back or forward in the history.
            let index = index.min(progress.last_index());
            if std::mem::replace(&mut progress.index, index) != index {
                self.open_entry(effects);
            }
            return;
        }
        let lecture = Lecture::decode(code).and_then(|lecture| match lecture.entries.is_empty() {
            true => Err(LectureError::Empty),
            false => Ok(lecture),
        });
        match lecture {
            Ok(lecture) => self.start_lecture(lecture, index, effects),
            Err(error) => {
                self.end_lecture();
                self.start_default_run(effects);
                self.player.message = error.to_string();
            }
        }
    }

    /// Carries out an action on the lecture that is shown.
    pub(crate) fn apply_lecture_action(&mut self, action: LectureAction, effects: &mut Vec<Effect>) {
        match action {
            LectureAction::Start(lecture) if lecture.entries.is_empty() => {
                self.player.message = LectureError::Empty.to_string();
            }
            LectureAction::Start(lecture) => self.start_lecture(*lecture, 0, effects),
            LectureAction::Resume => {
                if let Some(progress) = self.ended_lecture.take() {
                    self.show_lecture(*progress, effects);
                }
            }
            LectureAction::ToggleNote => {
                if let Some(progress) = &mut self.lecture {
                    progress.shows_note = !progress.shows_note;
                }
            }
        }
    }

    /// Shows a lecture in presenter mode, from the entry with this index.
    fn start_lecture(&mut self, lecture: Lecture, index: usize, effects: &mut Vec<Effect>) {
        let code = lecture.encode();
        let mut progress = LectureProgress { lecture, code, index, shows_note: true };
        progress.index = index.min(progress.last_index());
        self.show_lecture(progress, effects);
    }

    /// Shows a lecture in presenter mode, from its current entry.
    fn show_lecture(&mut self, progress: LectureProgress, effects: &mut Vec<Effect>) {
        self.ended_lecture = None;
        self.lecture = Some(Box::new(progress));
        self.apply_presenter_action(PresenterAction::Enter, effects);
        self.open_entry(effects);
    }

    /// Ends the lecture that is shown, if there is one, and with it presenter mode; its run stays, and the lecture can be
    /// resumed.
    pub(crate) fn end_lecture(&mut self) {
        if let Some(progress) = self.lecture.take() {
            (self.ended_lecture, self.presenter) = (Some(progress), None);
        }
    }

    /// Goes forward in the lecture by `by` entries, or back if `by` is negative.
    pub(crate) fn turn_lecture(&mut self, by: isize, effects: &mut Vec<Effect>) {
        let Some(progress) = &mut self.lecture else { return };
        let index = progress.index.saturating_add_signed(by).min(progress.last_index());
        if std::mem::replace(&mut progress.index, index) != index {
            self.open_entry(effects);
        }
    }

    /// Opens the passage or the run of the shown entry. A run is trained to the step of its entry, and waits there.
    fn open_entry(&mut self, effects: &mut Vec<Effect>) {
        let Some(address) = self.lecture.as_ref().and_then(|progress| {
            progress.lecture.entries.get(progress.index).map(|entry| entry.address.clone())
        }) else {
            return;
        };
        self.close_bench(effects);
        self.gallery.is_open = false;
        if let Some(place) = address.strip_prefix(STORY_PREFIX) {
            self.start_default_run(effects);
            // The keys of the entry before are not about this passage, and neither is the step at which its run was to wait.
            self.player.run.link.teacher_keys.clear();
            self.clear_goal(effects);
            return self.open_story(place, effects);
        }
        self.tour = None;
        self.forget_stated_view();
        let (link, notices) = decode(&address);
        (self.notices, self.library.is_blank) = (notices, false);
        // The address of a frame shows its run on the whole page: a frame has no room for the bar of the lecture.
        let link = link.without_teacher_key("embed");
        // Without a step the run waits at its beginning.
        let waits_at_start = link.start_step().is_none();
        if self.player.run.run_count > 0 {
            self.clear_goal(effects);
            self.push_undo(UndoEntry::Link(Box::new(self.player.run.link.clone())));
            self.player.message = tr!("The lecture has opened this run.").into();
        }
        // The run that is left is saved as it ended: only the next one is paused.
        self.replace_link(link, effects);
        self.player.paused |= waits_at_start;
        self.start_from_beginning(effects);
    }

    /// Returns an entry for what the page shows: the open passage of a story, or the run, which waits at its current step.
    pub fn current_entry(&self) -> LectureEntry {
        if let Some(tour) = &self.tour {
            return LectureEntry { address: tour.passage_address(), note: String::new() };
        }
        let mut link = self.player.run.link.clone().without_teacher_key("at");
        if self.has_picture() {
            state_picture(&mut link);
        }
        if self.player.run.step > 0 && self.player.run.sweep.is_none() {
            link.teacher_keys.push(("at".into(), self.player.run.step.to_string()));
        }
        LectureEntry { address: encode(&link), note: String::new() }
    }

    /// Returns the texts of the bar of the lecture; None if no lecture is shown.
    pub fn lecture_texts(&self) -> Option<LectureTexts> {
        let progress = self.lecture.as_ref()?;
        let note = progress.lecture.entries.get(progress.index).map_or("", |entry| entry.note.as_str());
        let spec = &self.player.run.link.spec;
        let [claim, task] = match (&self.tour, self.preset()) {
            // A passage says what its run is about.
            (Some(_), _) => [String::new(), String::new()],
            (None, preset) => {
                let claim = match preset {
                    _ if self.player.run.link.hides("claim") => String::new(),
                    Some(preset) => translated(preset.claim).into(),
                    None => describe_unlisted_settings(spec),
                };
                [claim, translated(self.player.run.lab().about(spec)).into()]
            }
        };
        // The author of a lecture that came with a link is not known.
        let [title, note] = [progress.lecture.title.as_str(), note].map(escape_hidden_characters);
        Some(LectureTexts {
            title,
            place: progress.place(),
            claim,
            task,
            note: if progress.shows_note { note } else { String::new() },
            shows_note: progress.shows_note,
            is_first: progress.index == 0,
            is_last: progress.index == progress.last_index(),
        })
    }
}
