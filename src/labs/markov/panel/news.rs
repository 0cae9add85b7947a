//! What the parts of the panel that looks inside a network have in common.

use leptos::prelude::*;

use super::action::SequenceAction;
use super::change::request;
use crate::labs::markov::state::MarkovState;
use crate::permalink::View;
use crate::ui::context::RunContext;

/// The run, for readers of the sequence that is looked into.
#[derive(Clone, Copy)]
pub(super) struct News {
    /// The run itself.
    pub context: RunContext,
    told: Memo<u64>,
}

impl News {
    /// Of this page.
    pub fn here() -> News {
        let context = RunContext::here();
        // Each of them only ever grows.
        News { context, told: context.memo(|run| run.runs + run.findings + run.looked) }
    }

    /// What `of` sees in the sequence; whoever calls is told when there is news of it.
    pub fn see<T>(self, of: impl FnOnce(&MarkovState, &View) -> T) -> Option<T> {
        self.told.get();
        self.peek(of)
    }

    fn peek<T>(self, of: impl FnOnce(&MarkovState, &View) -> T) -> Option<T> {
        self.context.peek(|run| run.state::<MarkovState>().map(|chains| of(chains, &run.link.view)))
    }

    /// Has a person's wish done.
    pub fn look(self, what: SequenceAction) {
        if let Some(asked) = self.peek(|chains, view| request(chains, view, what)).flatten() {
            self.context.ask.run(asked);
        }
    }
}
