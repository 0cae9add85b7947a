//! What the parts of the panel have in common.

use leptos::prelude::*;

use crate::machines::MachineState;
use crate::machines::panel::action::{self, PanelAction};

/// The run, for readers of its tokens.
pub(super) type News = vivarium_view::ui::news::News<MachineState>;

impl News {
    /// Has a person's wish done.
    pub(super) fn look(self, what: PanelAction) {
        self.ask(|state, _| action::request(state, what));
    }

    /// What `of` sees of each run; it is not asked again while the run goes on.
    pub(super) fn once<T>(self, of: impl Fn(&MachineState) -> T + Send + Sync + 'static) -> Memo<Option<T>>
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
