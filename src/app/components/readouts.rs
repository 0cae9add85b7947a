//! The newest numbers as text, which also serves those who cannot see the charts.

use leptos::prelude::*;

use crate::app::device::device_line;
use crate::app::files::origin;
use crate::app::state::State;
use crate::app::status;
use crate::app::store::Store;
use crate::app::summary::{self, Newest, extra};
use crate::app::words::thousands;

/// A number with its name.
#[component]
fn Readout(
    /// Name for tests.
    testid: &'static str,
    /// What the number is.
    #[prop(into)]
    name: Signal<String>,
    /// The number.
    of: fn(&State) -> String,
) -> impl IntoView {
    let text = Store::here().memo(of);
    view! {
        <div class="readout">
            <dt class="readout__name">{name}</dt>
            <dd class="readout__value" data-testid=testid>{text}</dd>
        </div>
    }
    .into_any()
}

/// What the run is doing, and its newest numbers.
#[component]
pub fn Readouts() -> impl IntoView {
    let store = Store::here();
    let held_out = store.memo(status::held_out);
    let device = store.memo(|state| {
        origin(state).unwrap_or_else(|| device_line(state.choice.as_ref(), state.report.as_ref()))
    });
    let learner = store.memo(status::learner);
    let rate = store.memo(status::rate);
    let names = [0, 1].map(|which| store.memo(move |state| extra(state, which).0));
    let labels = [0, 1, 2, 3].map(|which| store.memo(move |state| summary::names(state)[which].clone()));
    view! {
        <section class="numbers" aria-label=tr!("Newest numbers")>
            <dl class="readouts">
                <Readout testid="train-loss" name=labels[0] of=|s| Newest::of(s.history.last()).train_loss />
                <Readout testid="test-loss" name=labels[1] of=|s| Newest::of(s.history.last()).test_loss />
                <Readout testid="train-accuracy" name=labels[2]
                    of=|s| Newest::of(s.history.last()).train_accuracy />
                <Readout testid="test-accuracy" name=labels[3]
                    of=|s| Newest::of(s.history.last()).test_accuracy />
                <Readout testid="reach-relevant" name=names[0] of=|s| extra(s, 0).1 />
                <Readout testid="reach-other" name=names[1] of=|s| extra(s, 1).1 />
            </dl>
            <p class="device">
                <span data-testid="device">{device}</span>
                <span data-testid="learner">{learner}</span>
                <span class="device__rate" data-testid="rate">{rate}</span>
                <span class="device__note">{move || held_out.get()}</span>
            </p>
        </section>
    }
    .into_any()
}

/// The step and the status line, above the charts.
#[component]
pub fn Headline() -> impl IntoView {
    let store = Store::here();
    let step = store.memo(|state| thousands(state.step));
    let text = store.memo(status::status);
    view! {
        <div class="headline">
            <p class="headline__step"><span class="headline__unit">{tr!("Step")}</span>" "<span data-testid="step">{step}</span></p>
            <p class="headline__status" data-testid="status">{text}</p>
        </div>
    }
    .into_any()
}
