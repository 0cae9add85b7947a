//! What the parts of the panel have in common.

use vivarium_labs::succinct::SuccinctState;
use vivarium_labs::succinct::panel::action::{self, PanelAction};

/// The run, for readers of its table or of its search.
pub(super) type News = vivarium_ui::news::News<SuccinctState>;

/// Requests of the panel's controls.
pub(super) trait Requests {
    /// Asks the page for the change that `action` makes.
    fn request(self, action: PanelAction);
}

impl Requests for News {
    fn request(self, action: PanelAction) {
        let seed = self.context.peek(|run| run.link.spec.run.seed);
        self.ask(|state, _| action::request(state, seed, action));
    }
}
