//! What the parts of the panel have in common.

use leptos::prelude::*;

use vivarium_labs::machines::MachineState;
use vivarium_labs::machines::panel::action::{self, PanelAction};

/// The run, for readers of its tokens.
pub(super) type News = vivarium_ui::news::News<MachineState>;

/// Requests of the panel's controls.
pub(super) trait Requests {
    /// Asks the page for the change that `action` makes.
    fn request(self, action: PanelAction);

    /// What `of` sees at the beginning of each run.
    fn once_per_run<T>(self, of: impl Fn(&MachineState) -> T + Send + Sync + 'static) -> Memo<Option<T>>
    where
        T: PartialEq + Send + Sync + 'static;
}

impl Requests for News {
    fn request(self, action: PanelAction) {
        self.ask(|state, _| action::request(state, action));
    }

    fn once_per_run<T>(self, of: impl Fn(&MachineState) -> T + Send + Sync + 'static) -> Memo<Option<T>>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        let begun = self.context.memo(|run| run.runs);
        Memo::new(move |_| {
            // Read, not only followed: a memo that nobody reads follows nothing itself.
            begun.get();
            self.peek(|state, _| of(state))
        })
    }
}
