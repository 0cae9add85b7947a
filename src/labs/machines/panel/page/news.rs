//! What the parts of the panel have in common.

use leptos::prelude::*;

use crate::labs::machines::MachineState;
use crate::labs::machines::panel::action::{self, PanelAction};
use crate::machines::Program;

/// The run, for readers of its tokens.
pub(super) type News = crate::ui::news::News<MachineState>;

impl News {
    /// Has a person's wish done.
    pub(super) fn look(self, what: PanelAction) {
        self.ask(|state, _| action::request(state, what));
    }

    /// What `of` sees of each run and of each machine; it is not asked again while the run goes on. A run is counted before
    /// its state is there, so that both are followed.
    pub(super) fn once<T>(self, of: impl Fn(&MachineState) -> T + Send + Sync + 'static) -> Memo<Option<T>>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        let begun = self.context.memo(|run| run.runs);
        let program = self.memo(|state, _| Program::clone(&state.program));
        Memo::new(move |_| {
            begun.track();
            program.track();
            self.peek(|state, _| of(state))
        })
    }
}
