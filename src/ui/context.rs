//! Interface between a panel and the page: the panel reads the displayed run and sends requests.

use leptos::prelude::*;

use vivarium_view::display::RunView;
use vivarium_view::ui::field::FieldState;
use vivarium_view::ui::request::Request;

/// Access of panels to the page: the displayed run, form fields and requests; provided by Leptos context. Copies refer
/// to the same page.
#[derive(Clone, Copy)]
pub struct RunContext {
    /// The run that the page displays, as a signal.
    pub run: MappedSignal<RunView>,
    /// State of the form field of the setting with the given key; subscribes the caller to its changes.
    pub field: Callback<&'static str, FieldState>,
    /// Message on the last file that could not be opened, or an empty text; subscribes the caller to its changes.
    pub file_error: Callback<(), String>,
    /// Turns a text into HTML in which the glossary's terms are links; subscribes the caller to its changes.
    pub explained_html: Callback<String, String>,
    /// Sends a panel's request to the page, which carries it out.
    pub ask: Callback<Request>,
}

impl RunContext {
    /// Returns the access to the page from the Leptos context; panics outside of a page.
    pub fn here() -> RunContext {
        expect_context()
    }

    /// Reads from the displayed run without subscribing to its changes.
    pub fn peek<T>(self, of: impl FnOnce(&RunView) -> T) -> T {
        self.run.with_untracked(of)
    }

    /// Creates a memo of a value that `of` reads from the displayed run; it notifies only when the value changes.
    pub fn memo<T>(self, of: impl Fn(&RunView) -> T + Send + Sync + 'static) -> Memo<T>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        Memo::new(move |_| self.run.with(&of))
    }

    /// Creates a memo of the state of the form field of the setting `key`.
    pub fn field(self, key: &'static str) -> Memo<FieldState> {
        Memo::new(move |_| self.field.run(key))
    }

    /// Memo of the error of the last file that could not be opened; empty if there was none.
    pub fn file_error(self) -> Memo<String> {
        Memo::new(move |_| self.file_error.run(()))
    }

    /// Requests the page to set the setting `key` of the run or of its view to the value that `text` describes; the
    /// change can be undone.
    pub fn edit(self, key: &'static str, text: impl Into<String>) {
        self.ask.run(Request::edit(key, text));
    }

    /// Requests the page to show the message `text` to the user.
    pub fn show_message(self, text: &'static str) {
        self.ask.run(Request::ShowMessage(text));
    }
}
