//! The type and trait that the parts of the panel share: the handle to the run, and the sending of actions.

use vivarium_labs::markov::panel::action::SequenceAction;
use vivarium_labs::markov::panel::change::request;
use vivarium_labs::markov::state::MarkovState;

/// Reactive handle to the run on display and to this lab's state of it.
pub(super) type PanelContext = vivarium_ui::news::LabContext<MarkovState>;

/// Sends the panel's actions to the page.
pub(super) trait SendAction {
    /// Sends `action` to the page as the request that it stands for.
    fn send_action(self, action: SequenceAction);
}

impl SendAction for PanelContext {
    fn send_action(self, action: SequenceAction) {
        self.ask(|chains, view| request(chains, view, action));
    }
}
