//! The type and trait that the parts of the panel share: the handle to the run, and the sending of actions.

use vivarium_labs::succinct::SuccinctState;
use vivarium_labs::succinct::panel::action::{self, SuccinctAction};

/// Reactive handle to the run on display and to this lab's state of it.
pub(super) type PanelContext = vivarium_ui::news::LabContext<SuccinctState>;

/// Sends the panel's actions to the page.
pub(super) trait SendAction {
    /// Sends `action` to the page as the request that it stands for.
    fn send_action(self, action: SuccinctAction);
}

impl SendAction for PanelContext {
    fn send_action(self, action: SuccinctAction) {
        let seed = self.context.peek(|run| run.link.spec.run.seed);
        self.ask(|state, _| action::request(state, seed, action));
    }
}
