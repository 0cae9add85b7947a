//! The type and trait that the parts of the panel share: the handle to the run, and the sending of actions.

use leptos::prelude::*;

use vivarium_labs::machines::MachineState;
use vivarium_labs::machines::panel::action::{self, MachineAction};

/// Access of the panel to the displayed run and to `MachineState`, the data that the lab on Turing machines keeps for
/// it.
pub(super) type PanelContext = vivarium_ui::lab_context::LabContext<MachineState>;

/// Sends the panel's actions to the page, and reads values that are constant during a run.
pub(super) trait SendAction {
    /// Sends the page the request that stands for `action`, a change in the panel of the Turing machine.
    fn send_action(self, action: MachineAction);

    /// Creates a memo of the value that `of` reads from the lab's data, computed once at the start of each run; `None`
    /// while another lab's run is displayed.
    fn memo_per_run<T>(self, of: impl Fn(&MachineState) -> T + Send + Sync + 'static) -> Memo<Option<T>>
    where
        T: PartialEq + Send + Sync + 'static;
}

impl SendAction for PanelContext {
    fn send_action(self, action: MachineAction) {
        self.ask(|state, _| action::request(state, action));
    }

    fn memo_per_run<T>(self, of: impl Fn(&MachineState) -> T + Send + Sync + 'static) -> Memo<Option<T>>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        let begun = self.context.memo(|run| run.run_count);
        Memo::new(move |_| {
            // Read here, because a memo is updated only if it has a reader.
            begun.get();
            self.peek(|state, _| of(state))
        })
    }
}
