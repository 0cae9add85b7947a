//! The type and trait that the parts of the panel share: the handle to the run, and the sending of actions.

use vivarium_labs::descent::DescentState;
use vivarium_labs::descent::panel::action::{self, PanelAction};

/// Access of the panel to the displayed run and to `DescentState`, the data that the lab on gradient descent keeps for
/// it.
pub(super) type PanelContext = vivarium_ui::lab_context::LabContext<DescentState>;

/// Sends the panel's actions to the page.
pub(super) trait SendAction {
    /// Sends the page the request that stands for `action`, a change in the panel on gradient descent.
    fn send_action(self, action: PanelAction);
}

impl SendAction for PanelContext {
    fn send_action(self, action: PanelAction) {
        self.ask(|state, _| action::build_request(state, action));
    }
}
