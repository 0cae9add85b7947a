//! The type and trait that the parts of the panel share: the handle to the run, and the sending of actions.

use leptos::prelude::*;

use vivarium_labs::machines::MachineState;
use vivarium_labs::machines::panel::action::{self, MachineAction};

/// Reactive handle to the run on display and to this lab's state of it.
pub(super) type PanelContext = vivarium_ui::news::LabContext<MachineState>;

/// Sends the panel's actions to the page, and reads values that are constant during a run.
pub(super) trait SendAction {
    /// Sends `action` to the page as the request that it stands for.
    fn send_action(self, action: MachineAction);

    /// A memo of `of` that is computed once at the start of each run; `None` while another lab's run is on display.
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
