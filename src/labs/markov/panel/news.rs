//! What the parts of the panel that looks inside a network have in common.

use super::action::SequenceAction;
use super::change::request;
use crate::markov::state::MarkovState;

/// The run, for readers of the sequence that is looked into.
pub(super) type News = vivarium_view::ui::news::News<MarkovState>;

impl News {
    /// Has a person's wish done.
    pub(super) fn look(self, what: SequenceAction) {
        self.ask(|chains, view| request(chains, view, what));
    }
}
