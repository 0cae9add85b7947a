//! What the parts of the panel have in common.

use super::action::{self, PanelAction};
use crate::succinct::SuccinctState;

/// The run, for readers of its table or of its search.
pub(super) type News = vivarium_view::ui::news::News<SuccinctState>;

impl News {
    /// Has a person's wish done.
    pub(super) fn look(self, what: PanelAction) {
        let seed = self.context.peek(|run| run.link.spec.run.seed);
        self.ask(|state, _| action::request(state, seed, what));
    }
}
