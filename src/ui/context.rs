//! How a panel talks with the page: it reads the run on display, and asks for changes.

use leptos::prelude::*;

use vivarium_view::display::RunView;
use vivarium_view::ui::field::FieldState;
use vivarium_view::ui::request::Request;

/// The run on display, and what can be asked of the page about it; given by Leptos context. Copies are handles to the same.
#[derive(Clone, Copy)]
pub struct RunContext {
    /// The run on display.
    pub run: MappedSignal<RunView>,
    /// How the setting of a key stands; whoever calls is told when that changes.
    pub field: Callback<&'static str, FieldState>,
    /// What was wrong with the last file that was to be opened, or nothing; whoever calls is told when that changes.
    pub flaw: Callback<(), String>,
    /// A text as markup, in which the terms of the glossary can be pressed; whoever calls is told when that changes.
    pub explained: Callback<String, String>,
    /// Does what a panel asks for.
    pub ask: Callback<Request>,
}

impl RunContext {
    /// That of this page.
    pub fn here() -> RunContext {
        expect_context()
    }

    /// What `of` sees in the run now.
    pub fn peek<T>(self, of: impl FnOnce(&RunView) -> T) -> T {
        self.run.with_untracked(of)
    }

    /// What `of` sees in the run, telling its readers only when that changes.
    pub fn memo<T>(self, of: impl Fn(&RunView) -> T + Send + Sync + 'static) -> Memo<T>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        Memo::new(move |_| self.run.with(&of))
    }

    /// How the setting of a key stands, telling its readers only when that changes.
    pub fn field(self, key: &'static str) -> Memo<FieldState> {
        Memo::new(move |_| self.field.run(key))
    }

    /// What was wrong with the last file that was to be opened; empty where nothing was.
    pub fn flaw(self) -> Memo<String> {
        Memo::new(move |_| self.flaw.run(()))
    }

    /// Takes a text for a setting of the run or of its view; it can be undone.
    pub fn edit(self, key: &'static str, text: impl Into<String>) {
        self.ask.run(Request::edit(key, text));
    }

    /// Says something.
    pub fn say(self, text: &'static str) {
        self.ask.run(Request::Say(text));
    }
}
