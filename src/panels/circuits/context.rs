//! The type and trait that the parts of the panel share: the handle to the run, and the sending of actions.

use vivarium_labs::circuits::CircuitState;
use vivarium_labs::circuits::panel::action::{self, PanelAction};

/// Access of the panel to the displayed run and to `CircuitState`, the data that the lab on circuits keeps for it.
pub(super) type PanelContext = vivarium_ui::lab_context::LabContext<CircuitState>;

/// Sends the actions of the panel on a circuit to the page.
pub(super) trait SendAction {
    /// Sends the page the request that stands for `action`, a change in the circuits panel.
    fn send_action(self, action: PanelAction);
}

impl SendAction for PanelContext {
    fn send_action(self, action: PanelAction) {
        self.ask(|state, _| action::build_request(state, action));
    }
}
