//! The type and trait that the parts of the panel share: the handle to the run, and the sending of actions.

use vivarium_labs::markov::panel::action::SequenceAction;
use vivarium_labs::markov::panel::change::request;
use vivarium_labs::markov::state::MarkovState;

/// Access of the panel to the displayed run and to `MarkovState`, the data that the lab on Markov chains keeps for it.
pub(super) type PanelContext = vivarium_ui::lab_context::LabContext<MarkovState>;

/// Sends the actions of the panel on one sequence to the page.
pub(super) trait SendAction {
    /// Sends the page the request that stands for `action`, a change of the sequence or of its Markov chain.
    fn send_action(self, action: SequenceAction);
}

impl SendAction for PanelContext {
    fn send_action(self, action: SequenceAction) {
        self.ask(|chains, view| request(chains, view, action));
    }
}
