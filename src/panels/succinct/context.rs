//! The type and trait that the parts of the panel share: the handle to the run, and the sending of actions.

use vivarium_labs::succinct::SuccinctState;
use vivarium_labs::succinct::panel::action::{self, SuccinctAction};

/// Access of the panel to the displayed run and to `SuccinctState`, the data that the lab on succinct programs keeps
/// for it.
pub(super) type PanelContext = vivarium_ui::lab_context::LabContext<SuccinctState>;

/// Sends the actions of the panel on succinct programs to the page.
pub(super) trait SendAction {
    /// Sends the page the request that stands for `action`, a change in the panel on succinct programs.
    fn send_action(self, action: SuccinctAction);
}

impl SendAction for PanelContext {
    fn send_action(self, action: SuccinctAction) {
        let seed = self.context.peek(|run| run.link.spec.run.seed);
        self.ask(|state, _| action::request(state, seed, action));
    }
}
