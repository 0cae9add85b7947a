//! What the parts of the panel have in common.

use leptos::prelude::*;

use super::action::{self, PanelAction};
use crate::labs::descent::DescentState;
use crate::permalink::View;
use crate::ui::context::RunContext;

/// The run, for readers of its tokens.
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

    /// What `of` sees in the tokens; whoever calls is told when there is news of them.
    pub fn see<T>(self, of: impl FnOnce(&DescentState, &View) -> T) -> Option<T> {
        self.told.get();
        self.peek(of)
    }

    /// The same without being told later.
    pub fn peek<T>(self, of: impl FnOnce(&DescentState, &View) -> T) -> Option<T> {
        self.context.peek(|run| run.state::<DescentState>().map(|state| of(state, &run.link.view)))
    }

    /// What `of` sees in the tokens, telling its readers only when that changes.
    pub fn memo<T>(self, of: impl Fn(&DescentState, &View) -> T + Send + Sync + 'static) -> Memo<Option<T>>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        Memo::new(move |_| self.see(&of))
    }

    /// Has a person's wish done.
    pub fn look(self, what: PanelAction) {
        if let Some(asked) = self.peek(|state, _| action::request(state, what)) {
            self.context.ask.run(asked);
        }
    }

    /// What was entered for one of these settings and is not taken.
    pub fn problem(self, key: &'static str) -> Memo<Option<String>> {
        let field = self.context.field(key);
        Memo::new(move |_| {
            field.with(|field| {
                let expected = field.expected.as_deref()?;
                Some(tr!("{text} is not taken: expected {expected}.", text = field.text, expected))
            })
        })
    }
}
