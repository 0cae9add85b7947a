//! Access of a lab's panel to the lab's state of the displayed run.

use std::marker::PhantomData;

use leptos::prelude::*;

use crate::context::RunContext;
use vivarium_model::permalink::ViewSettings;
use vivarium_view::display::LabState;
use vivarium_view::ui::request::Request;

/// Access of a lab's panel to the displayed run and to `S`, the data that the lab keeps for a run. Copies refer to the
/// same page.
pub struct LabContext<S> {
    /// Access to the page and the run that it displays.
    pub context: RunContext,
    /// Number that grows with every change of the displayed run, of probe results or of the inspected example.
    change_count: Memo<u64>,
    /// Marks the type `S` of the lab's data, of which no value is held.
    of: PhantomData<fn() -> S>,
}

impl<S> Clone for LabContext<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for LabContext<S> {}

impl<S: LabState> LabContext<S> {
    /// Returns the access to the displayed run and its lab's data from the Leptos context; panics outside of a page.
    pub fn here() -> Self {
        let context = RunContext::here();
        // Each of them only ever grows.
        let change_count = context.memo(|run| run.run_count + run.finding_count + run.view_changes);
        LabContext { context, change_count, of: PhantomData }
    }

    /// Reads from the lab's data and the view's settings, and subscribes the caller to their changes; `None` for runs
    /// of other labs.
    pub fn see<T>(self, of: impl FnOnce(&S, &ViewSettings) -> T) -> Option<T> {
        self.change_count.get();
        self.peek(of)
    }

    /// Reads from the lab's data and the view's settings without subscribing; `None` for runs of other labs.
    pub fn peek<T>(self, of: impl FnOnce(&S, &ViewSettings) -> T) -> Option<T> {
        self.context.peek(|run| run.lab_state::<S>().map(|state| of(state, &run.link.view)))
    }

    /// Creates a memo of a value that `of` reads from the lab's data and the view's settings, `None` for runs of other
    /// labs; it notifies only when the value changes.
    pub fn memo<T>(self, of: impl Fn(&S, &ViewSettings) -> T + Send + Sync + 'static) -> Memo<Option<T>>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        Memo::new(move |_| self.see(&of))
    }

    /// Sends the page the request that `of` returns, if any.
    pub fn ask<R: Into<Option<Request>>>(self, of: impl FnOnce(&S, &ViewSettings) -> R) {
        if let Some(request) = self.peek(|state, view| of(state, view).into()).flatten() {
            self.context.ask.run(request);
        }
    }

    /// Creates a memo of a message on the invalid text in the form field of the setting `key`; `None` if the text is
    /// valid.
    pub fn rejected_text(self, key: &'static str) -> Memo<Option<String>> {
        let field = self.context.field(key);
        Memo::new(move |_| {
            field.with(|field| {
                let expected = field.expected.as_deref()?;
                Some(tr!("{text} was not accepted: expected {expected}.", text = field.text, expected))
            })
        })
    }
}
