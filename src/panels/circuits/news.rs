//! What the parts of the panel have in common.

use vivarium_labs::circuits::CircuitState;
use vivarium_labs::circuits::panel::action::{self, PanelAction};

/// The run, for readers of its circuit.
pub(super) type News = vivarium_ui::news::News<CircuitState>;

/// Requests of the panel's controls.
pub(super) trait Requests {
    /// Asks the page for the change that `action` makes.
    fn request(self, action: PanelAction);
}

impl Requests for News {
    fn request(self, action: PanelAction) {
        self.ask(|state, _| action::request(state, action));
    }
}
