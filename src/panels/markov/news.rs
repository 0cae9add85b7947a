//! What the parts of the panel that looks inside a network have in common.

use vivarium_labs::markov::panel::action::SequenceAction;
use vivarium_labs::markov::panel::change::request;
use vivarium_labs::markov::state::MarkovState;

/// The run, for readers of the sequence that is looked into.
pub(super) type News = vivarium_ui::news::News<MarkovState>;

/// Requests of the panel's controls.
pub(super) trait Requests {
    /// Asks the page for the change that `action` makes.
    fn request(self, action: SequenceAction);
}

impl Requests for News {
    fn request(self, action: SequenceAction) {
        self.ask(|chains, view| request(chains, view, action));
    }
}
