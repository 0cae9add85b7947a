//! What the parts of the panel have in common.

use super::action::{self, PanelAction};
use crate::descent::DescentState;

/// The run, for readers of its tokens.
pub(super) type News = vivarium_view::ui::news::News<DescentState>;

impl News {
    /// Has a person's wish done.
    pub(super) fn look(self, what: PanelAction) {
        self.ask(|state, _| action::request(state, what));
    }
}
