//! The newest numbers as text, which also serves those who cannot see the charts.

use leptos::prelude::*;

use crate::store::Store;
use vivarium_page::files::{initial_weights, origin};
use vivarium_page::run::status;
use vivarium_page::trainer::device::device_line;
use vivarium_view::display::RunView;
use vivarium_view::display::status::held_out;
use vivarium_view::display::summary::{self, Newest, extra};
use vivarium_view::display::words::thousands;

/// A number with its name.
#[component]
fn Readout(
    /// Name for tests.
    testid: &'static str,
    /// What the number is.
    #[prop(into)]
    name: Signal<String>,
    /// The number.
    of: fn(&RunView) -> String,
) -> impl IntoView {
    let text = Store::here().memo(move |state| of(&state.run));
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
    let note = store.memo(|state| {
        let parts = [initial_weights(&state.run), held_out(&state.run)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    });
    let device = store.memo(|state| {
        origin(state)
            .unwrap_or_else(|| device_line(state.choice.as_ref(), state.report.as_ref(), state.is_timing()))
    });
    let learner = store.memo(status::learner);
    let rate = store.memo(status::rate);
    let names = [0, 1].map(|which| store.memo(move |state| extra(&state.run, which).0));
    let labels = [0, 1, 2, 3].map(|which| store.memo(move |state| summary::names(&state.run)[which].clone()));
    view! {
        <section class="numbers" aria-label=tr!("Newest measurements")>
            <dl class="readouts">
                <Readout testid="train-loss" name=labels[0] of=|run| Newest::of(run).train_loss />
                <Readout testid="test-loss" name=labels[1] of=|run| Newest::of(run).test_loss />
                <Readout testid="train-accuracy" name=labels[2]
                    of=|run| Newest::of(run).train_accuracy />
                <Readout testid="test-accuracy" name=labels[3]
                    of=|run| Newest::of(run).test_accuracy />
                <Readout testid="reach-relevant" name=names[0] of=|run| extra(run, 0).1 />
                <Readout testid="reach-other" name=names[1] of=|run| extra(run, 1).1 />
            </dl>
            <p class="device">
                <span data-testid="device">{device}</span>
                <span data-testid="learner">{learner}</span>
                <span class="device__rate" data-testid="rate">{rate}</span>
                <span class="device__note">{note}</span>
            </p>
        </section>
    }
    .into_any()
}

/// The step and the status line, above the charts.
#[component]
pub fn Headline() -> impl IntoView {
    let store = Store::here();
    let step = store.memo(|state| thousands(state.run.step));
    let text = store.memo(status::status);
    view! {
        <div class="headline">
            <p class="headline__step"><span class="headline__unit">{tr!("Step")}</span>" "<span data-testid="step">{step}</span></p>
            <p class="headline__status" data-testid="status">{text}</p>
        </div>
    }
    .into_any()
}
