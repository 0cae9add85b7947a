//! The type and trait that the parts of the panel share: the handle to the run, and the sending of actions.

use vivarium_labs::circuits::CircuitState;
use vivarium_labs::circuits::panel::action::{self, PanelAction};

/// Reactive handle to the run on display and to this lab's state of it.
pub(super) type PanelContext = vivarium_ui::news::LabContext<CircuitState>;

/// Sends the panel's actions to the page.
pub(super) trait SendAction {
    /// Sends `action` to the page as the request that it stands for.
    fn send_action(self, action: PanelAction);
}

impl SendAction for PanelContext {
    fn send_action(self, action: PanelAction) {
        self.ask(|state, _| action::build_request(state, action));
    }
}
