//! What the parts of the panel that looks inside a network have in common.

use leptos::prelude::*;

use crate::app::looking::SequenceAction;
use crate::app::state::Action;
use crate::app::store::Store;
use crate::labs::markov::state::MarkovState;
use crate::permalink::View;

/// The state, for readers of the sequence that is looked into.
#[derive(Clone, Copy)]
pub(super) struct News {
    /// The state itself.
    pub store: Store,
    told: Memo<u64>,
}

impl News {
    /// Of this page.
    pub fn here() -> News {
        let store = Store::here();
        // Each of them only ever grows.
        News { store, told: store.memo(|state| state.run.runs + state.run.findings + state.run.looked) }
    }

    /// What `of` sees in the sequence; whoever calls is told when there is news of it.
    pub fn see<T>(self, of: impl FnOnce(&MarkovState, &View) -> T) -> Option<T> {
        self.told.get();
        self.store
            .peek(|state| state.run.state::<MarkovState>().map(|chains| of(chains, &state.run.link.view)))
    }

    /// Has a person's wish done.
    pub fn look(self, what: SequenceAction) {
        self.store.act(Action::Look(what));
    }
}

/// A button with a word on it.
pub(super) fn button(
    testid: &str,
    word: &'static str,
    is_disabled: Box<dyn Fn() -> bool + Send + Sync>,
    press: Box<dyn Fn()>,
) -> AnyView {
    view! {
        <button class="button" type="button" data-testid=testid.to_string() disabled=is_disabled
            on:click=move |_| press()>
            {word}
        </button>
    }
    .into_any()
}
