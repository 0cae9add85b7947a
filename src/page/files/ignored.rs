//! Files that the page leaves unread because it opens one file at a time: other files of the same drop, and a file that
//! was being read when the next one was opened.

use crate::state::State;

impl State {
    /// Cancels the reading of the file that a worker is reading, because another file is opened.
    pub(super) fn cancel_for_next_file(&mut self) {
        self.unread_files_note = match self.file_reading.take() {
            Some(reading) => tr!(
                "The page stopped reading {name}, because it opens one file at a time.",
                name = reading.name
            ),
            None => String::new(),
        };
    }

    /// Notes that `count` files were dropped together with the file that was opened or is being read, and are not opened.
    pub(crate) fn note_ignored_files(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        if !self.unread_files_note.is_empty() {
            self.unread_files_note.push(' ');
        }
        self.unread_files_note += &tr!(
            "The page opens one file at a time. Number of other dropped files that the page did not open: {count}.",
            count
        );
        self.show_unread_files();
    }

    /// Appends the note on unread files to the message on the file that was opened or refused; waits while a file is being
    /// read.
    pub(crate) fn show_unread_files(&mut self) {
        if self.file_reading.is_none() && !self.unread_files_note.is_empty() {
            let note = std::mem::take(&mut self.unread_files_note);
            self.player.append_to_message(&note);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::state::{Action, State};
    use vivarium_model::platform::file::UploadedFile;
    use vivarium_view::record::head::HEAD_BYTES;
    use vivarium_view::record::reading::ReadProgress;
    use vivarium_view::ui::request::Request;

    /// A page with a run, to which a file was given.
    fn give(state: &mut State, name: &str, file: UploadedFile) {
        state.apply(Action::Request(Request::OpenFile(name.into(), Ok(file))));
    }

    fn small(text: &str) -> UploadedFile {
        UploadedFile::from_bytes(text.as_bytes().into())
    }

    /// A table of which the page has only the first bytes, so that a worker reads it.
    fn large() -> UploadedFile {
        let text = format!("size,age,sold\n{}", "1,2,no\n3,4,yes\n".repeat(HEAD_BYTES / 8));
        UploadedFile {
            size: text.len() as u64,
            head: Arc::from(&text.as_bytes()[..HEAD_BYTES]),
            handle: None,
        }
    }

    #[test]
    fn other_files_of_a_drop_are_counted_once_the_first_is_opened_or_refused() {
        let mut state = State::default();
        state.apply(Action::Open("#v1/sparse-parity?n=20".into()));
        give(&mut state, "notes.json", small("{}"));
        let refused = state.player.message.clone();
        state.apply(Action::FilesIgnored(2));
        assert!(refused.starts_with("notes.json was not opened"), "{refused}");
        assert_eq!(
            state.player.message,
            format!(
                "{refused} The page opens one file at a time. Number of other dropped files that the page did not open: 2."
            )
        );
        give(&mut state, "notes.json", small("{}"));
        state.apply(Action::FilesIgnored(0));
        assert_eq!(state.player.message, refused, "one file alone needs no note");
        // A large file is read first.
        give(&mut state, "large.csv", large());
        let before = state.player.message.clone();
        state.apply(Action::FilesIgnored(1));
        assert_eq!(state.player.message, before);
        let number = state.file_reading.as_ref().expect("a file that is read").number;
        state.apply(Action::FileMessage(number, ReadProgress::Progress(0.5)));
        assert_eq!(state.player.message, before);
        state.apply(Action::FileMessage(number, ReadProgress::Done(Err("it is damaged".into()))));
        let message = &state.player.message;
        assert!(message.starts_with("large.csv was not opened: it is damaged."), "{message}");
        assert!(message.ends_with("did not open: 1."), "{message}");
    }

    #[test]
    fn a_file_that_was_being_read_is_named_when_the_next_one_takes_its_place() {
        let mut state = State::default();
        state.apply(Action::Open("#v1/sparse-parity?n=20".into()));
        give(&mut state, "first.csv", large());
        give(&mut state, "second.json", small("{}"));
        let message = &state.player.message;
        assert!(message.starts_with("second.json was not opened"), "{message}");
        assert!(
            message.ends_with("The page stopped reading first.csv, because it opens one file at a time."),
            "{message}"
        );
        assert!(state.file_reading.is_none());
    }
}
