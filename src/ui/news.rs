//! What the parts of a lab's panel read and ask: what the lab knows of the run on display.

use std::marker::PhantomData;

use leptos::prelude::*;

use crate::context::RunContext;
use vivarium_model::permalink::View;
use vivarium_view::display::LabState;
use vivarium_view::ui::request::Request;

/// The run on display, for readers of the `S` that its lab knows of it. Copies are handles to the same.
pub struct News<S> {
    /// The run itself.
    pub context: RunContext,
    told: Memo<u64>,
    of: PhantomData<fn() -> S>,
}

impl<S> Clone for News<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for News<S> {}

impl<S: LabState> News<S> {
    /// Of this page.
    pub fn here() -> Self {
        let context = RunContext::here();
        // Each of them only ever grows.
        let told = context.memo(|run| run.runs + run.findings + run.looked);
        News { context, told, of: PhantomData }
    }

    /// What `of` sees; whoever calls is told when there is news.
    pub fn see<T>(self, of: impl FnOnce(&S, &View) -> T) -> Option<T> {
        self.told.get();
        self.peek(of)
    }

    /// The same without being told later.
    pub fn peek<T>(self, of: impl FnOnce(&S, &View) -> T) -> Option<T> {
        self.context.peek(|run| run.state::<S>().map(|state| of(state, &run.link.view)))
    }

    /// What `of` sees, telling its readers only when that changes.
    pub fn memo<T>(self, of: impl Fn(&S, &View) -> T + Send + Sync + 'static) -> Memo<Option<T>>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        Memo::new(move |_| self.see(&of))
    }

    /// Asks the page for what `of` says, if anything.
    pub fn ask<R: Into<Option<Request>>>(self, of: impl FnOnce(&S, &View) -> R) {
        if let Some(request) = self.peek(|state, view| of(state, view).into()).flatten() {
            self.context.ask.run(request);
        }
    }

    /// What was entered for the setting of a key and is not taken.
    pub fn problem(self, key: &'static str) -> Memo<Option<String>> {
        let field = self.context.field(key);
        Memo::new(move |_| {
            field.with(|field| {
                let expected = field.expected.as_deref()?;
                Some(tr!("{text} was not accepted: expected {expected}.", text = field.text, expected))
            })
        })
    }
}
