//! The latest metrics as text, which also serves users who cannot see the charts.

use leptos::prelude::*;

use crate::store::Store;
use vivarium_page::files::{describe_origin, initial_weights_note};
use vivarium_player::device::describe_device;
use vivarium_player::status;
use vivarium_view::display::RunView;
use vivarium_view::display::status::describe_held_out;
use vivarium_view::display::summary::{self, LatestMetrics, extra_number};
use vivarium_view::display::words::format_thousands;

/// A number of the run, such as its loss, with its name.
#[component]
fn Readout(
    /// Test id.
    testid: &'static str,
    /// Name of the number.
    #[prop(into)]
    name: Signal<String>,
    /// Formats the number.
    of: fn(&RunView) -> String,
) -> impl IntoView {
    let text = Store::here().memo(move |state| of(&state.player.run));
    view! {
        <div class="readout">
            <dt class="readout__name" prop:textContent=name></dt>
            <dd class="readout__value" data-testid=testid translate="no" prop:textContent=text></dd>
        </div>
    }
    .into_any()
}

/// View of the run's latest losses and accuracies, its device, learner and speed.
#[component]
pub fn Readouts() -> impl IntoView {
    let store = Store::here();
    let note = store.memo(|state| {
        let parts = [initial_weights_note(&state.player.run), describe_held_out(&state.player.run)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    });
    let device = store.memo(|state| {
        describe_origin(state).unwrap_or_else(|| {
            describe_device(
                state.player.device_choice(),
                state.player.device_report.as_ref(),
                state.player.is_timing(),
            )
        })
    });
    let learner = store.memo(|state| status::learner_text(&state.player));
    let rate = store.memo(|state| status::step_rate_text(&state.player));
    let names = [0, 1].map(|which| store.memo(move |state| extra_number(&state.player.run, which).0));
    let labels = [0, 1, 2, 3]
        .map(|which| store.memo(move |state| summary::metric_names(&state.player.run)[which].clone()));
    view! {
        <section class="numbers" aria-label=tr!("Newest measurements")>
            <dl class="readouts">
                <Readout testid="train-loss" name=labels[0] of=|run| LatestMetrics::of(run).train_loss />
                <Readout testid="test-loss" name=labels[1] of=|run| LatestMetrics::of(run).test_loss />
                <Readout testid="train-accuracy" name=labels[2]
                    of=|run| LatestMetrics::of(run).train_accuracy />
                <Readout testid="test-accuracy" name=labels[3]
                    of=|run| LatestMetrics::of(run).test_accuracy />
                <Readout testid="reach-relevant" name=names[0] of=|run| extra_number(run, 0).1 />
                <Readout testid="reach-other" name=names[1] of=|run| extra_number(run, 1).1 />
            </dl>
            <p class="device">
                <span data-testid="device" prop:textContent=device></span>
                <span data-testid="learner" prop:textContent=learner></span>
                <span class="device__rate" data-testid="rate" prop:textContent=rate></span>
                <span class="device__note" prop:textContent=note></span>
            </p>
        </section>
    }
    .into_any()
}

/// The step and the status line above the charts.
#[component]
pub fn Headline() -> impl IntoView {
    let store = Store::here();
    let step = store.memo(|state| format_thousands(state.player.run.step));
    let text = store.memo(|state| status::status_line(&state.player));
    view! {
        <div class="headline">
            <p class="headline__step"><span class="headline__unit">{tr!("Step")}</span>" "<span data-testid="step" translate="no" prop:textContent=step></span></p>
            <p class="headline__status" data-testid="status" prop:textContent=text></p>
        </div>
    }
    .into_any()
}
