//! The section on width and initial weights: which neurons of a wide layer win, what one gradient step reveals, and the
//! cost.
//!
//! # Why
//! Probabilities are closed forms that follow a slider immediately. Shares of random batches are points next to them,
//! measured in slices of a few milliseconds between two frames, and started anew when a slider moves.

use std::time::Duration;

use leptos::prelude::*;

use vivarium_core::language::translated;
use vivarium_labs::parity::luck::{
    SLIDERS, describe_bound, describe_one_step, find_tickets, initial_slider_values, reference_neurons,
};
use vivarium_model::models::Model;
use vivarium_model::platform::now_ms;
use vivarium_model::tasks::Task;
use vivarium_plot::analysis::Reading;
use vivarium_plot::analysis::recovery::trials::{RecoveryTrials, TrialCounts};
use vivarium_plot::analysis::recovery::{ParityNeuron, chart};
use vivarium_ui::context::RunContext;
use vivarium_ui::dialog::fold;
use vivarium_ui::plot::Drawing;

/// Time limit of one slice of trials, in milliseconds, after which the browser handles events.
const SLICE_MS: f64 = 6.0;
/// Number of trials at each combination of neuron and batch size; a trial draws a random batch for one gradient step.
const TRIALS_PER_POINT: usize = 40;
/// (p, q): batches of up to 2^p examples are sampled, and theory curves are drawn up to batches of 2^q examples.
const MAX_BATCH_POWERS: (u32, u32) = (17, 20);

/// Section about width and initial weights, for runs on parities; open for sparse initial weights and for runs of one
/// step.
#[component]
pub fn WidthAndLuck() -> impl IntoView {
    let context = RunContext::here();
    let lab = context.memo(|run| {
        let spec = run.spec();
        let is_sparse = matches!(&spec.model, Model::Mlp(net) if net.init.rest(1).is_some());
        matches!(spec.task, Task::SparseParity(_)).then_some(is_sparse || spec.run.steps == 1)
    });
    move || {
        let is_open = lab.get()?;
        Some(fold("luck", tr!("Width and initial weights"), is_open, move || draw_section(context)))
    }
}

/// Draws a sentence on the winning neurons of the layer (those with the largest weight norms), and links to runs that
/// train these alone or equally many random neurons; draws nothing unless the task is a parity and the neurons start
/// with a few weights of 1 each.
fn draw_tickets(context: RunContext) -> AnyView {
    let found = context.memo(find_tickets);
    let link = |address: Option<String>, testid: &'static str, label: &'static str| {
        address.map(|address| view! { <a class="button" href=address data-testid=testid>{label}</a> })
    };
    let tickets = move || {
        found.get().map(|found| {
            view! {
                <p class="card__note" data-testid="winners" prop:textContent=found.description></p>
                <div class="luck__links">
                    {link(
                        found.ticket,
                        "ticket",
                        tr!("Reset these neurons to their initial weights and train them alone"),
                    )}
                    {link(found.others, "others", tr!("Train the same number of random neurons instead"))}
                </div>
            }
        })
    };
    view! { <div class="luck__part" data-testid="luck-winners">{tickets}</div> }.into_any()
}

/// Draws the sliders of [`SLIDERS`], which show and set `values`, in their order: n bits, k relevant bits, s ones per
/// row of initial weights.
fn draw_sliders(values: RwSignal<[usize; 3]>) -> AnyView {
    let sliders = SLIDERS.into_iter().enumerate().map(|(at, (key, label, low, high, step))| {
        let id = format!("luck-{key}");
        let value = move || values.get()[at].to_string();
        let set = move |event: web_sys::Event| {
            if let Ok(value) = event_target_value(&event).parse() {
                values.update(|values| values[at] = value);
            }
        };
        view! {
            <div class="luck__setting">
                <label for=id.clone()>{translated(label)}</label>
                <input id=id.clone() type="range" min=low.to_string() max=high.to_string() step=step.to_string()
                    prop:value=value on:input=set />
                <output id=format!("{id}-is") for=id translate="no">{value}</output>
            </div>
        }
    });
    sliders.collect_view().into_any()
}

/// Draws sliders, chart and texts on how one gradient step reveals the relevant bits, and starts the trials anew when a
/// slider moves.
fn draw_section(context: RunContext) -> AnyView {
    let floor = context.memo(|run| describe_bound(run.spec()).unwrap_or_default());
    let values = RwSignal::new(context.peek(|run| initial_slider_values(run.spec())));
    let all = Memo::new(move |_| {
        let [n, k, s] = values.get();
        reference_neurons(n, k, s)
    });
    let drawn = RwSignal::new(Vec::<(usize, Vec<TrialCounts>)>::new());
    let turn = StoredValue::new(0u32);
    // No more trials for a panel that was removed.
    on_cleanup(move || {
        turn.try_update_value(|turn| *turn += 1);
    });
    Effect::new(move |_| {
        let neurons: Vec<ParityNeuron> = all.get().into_iter().map(|(_, neuron)| neuron).collect();
        drawn.set((0..neurons.len()).map(|at| (at, vec![])).collect());
        turn.update_value(|turn| *turn += 1);
        let mut jobs = vec![];
        // The last is taken first: all curves grow from the left.
        for power in (7..=MAX_BATCH_POWERS.0).rev().step_by(2) {
            jobs.extend(neurons.iter().enumerate().map(|(at, neuron)| (at, *neuron, 1u64 << power)));
        }
        run_trials(jobs, None, turn, turn.get_value(), drawn);
    });
    let reading = Callback::new(move |()| {
        Reading::Lines(all.with(|all| drawn.with(|drawn| chart(all, MAX_BATCH_POWERS.1, drawn))))
    });
    let sentences = move || all.with(|all| describe_one_step(all));
    let texts =
        move || sentences().into_iter().map(|text| view! { <li prop:textContent=text></li> }).collect_view();
    view! {
        <div>
            {draw_tickets(context)}
            <div class="luck__part" data-testid="luck-about">
                <h3 class="card__name">{tr!("One step reveals the bits")}</h3>
                <p class="card__note">
                    {tr!("Take one neuron and one batch. Do the relevant bits have the largest entries in the gradient? Lines show the probability from theory; points show the share of random batches.")}
                </p>
            </div>
            <div class="theory__parts">
                <div class="theory__settings" data-testid="luck-settings">{draw_sliders(values)}</div>
                <div class="luck__part" data-testid="luck-texts"><ul class="theory__texts">{texts}</ul></div>
                {view! {
                    <Drawing testid="luck-plot" reading label=Signal::derive(move || sentences().join(" ")) />
                }.into_any()}
            </div>
            <div class="card__note" data-testid="floor" prop:textContent=floor></div>
        </div>
    }
    .into_any()
}

/// Runs one slice of trials in a timer and schedules the next, until no job remains or `generation` is no longer
/// `own_generation`.
///
/// A job is (index of a neuron, neuron, batch size); `current` is the job in progress. `measured` holds a list per
/// neuron, to which the counts of successful trials at each batch size are added.
fn run_trials(
    mut jobs: Vec<(usize, ParityNeuron, u64)>,
    current: Option<(usize, RecoveryTrials)>,
    generation: StoredValue<u32>,
    own_generation: u32,
    measured: RwSignal<Vec<(usize, Vec<TrialCounts>)>>,
) {
    let go_on = move || {
        if generation.try_get_value() != Some(own_generation) {
            return;
        }
        let fresh = || jobs.pop().map(|(at, neuron, batch)| (at, RecoveryTrials::new(neuron, batch, 1)));
        let Some((at, mut trials)) = current.or_else(fresh) else { return };
        let end = now_ms() + SLICE_MS;
        while trials.counts().trials < TRIALS_PER_POINT && now_ms() < end {
            trials.advance(64);
        }
        let share = trials.counts();
        if share.trials >= TRIALS_PER_POINT {
            measured.update(|drawn| drawn[at].1.push(share));
        }
        run_trials(
            jobs,
            (share.trials < TRIALS_PER_POINT).then_some((at, trials)),
            generation,
            own_generation,
            measured,
        );
    };
    set_timeout(go_on, Duration::ZERO);
}
