//! What the parts of the panel have in common.

use vivarium_labs::descent::DescentState;
use vivarium_labs::descent::panel::action::{self, PanelAction};

/// The run, for readers of its tokens.
pub(super) type News = vivarium_ui::news::News<DescentState>;

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
