//! The section on width and initial weights: which neurons of a wide layer win, what one gradient step reveals, and the
//! cost.
//!
//! # Why
//! Probabilities are closed forms that follow a slider immediately. Shares of random batches are points next to them,
//! measured in slices of a few milliseconds between two frames, and started anew when a slider moves. Texts and sliders
//! are HTML strings: a view of each would be more code than everything else here.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlInputElement};

use vivarium_core::language::escape_html;
use vivarium_labs::parity::luck::{
    describe_bound, describe_one_step, initial_slider_values, reference_neurons, render_sliders,
    render_tickets, slider_index,
};
use vivarium_model::models::Model;
use vivarium_model::platform::now_ms;
use vivarium_model::tasks::Task;
use vivarium_plot::analysis::Reading;
use vivarium_plot::analysis::recovery::trials::{RecoveryTrials, TrialCounts};
use vivarium_plot::analysis::recovery::{ParityNeuron, chart};
use vivarium_ui::context::RunContext;
use vivarium_ui::plot::Drawing;
use vivarium_ui::sheet::fold;

/// Time limit of one slice of trials, in milliseconds, after which the browser handles events.
const SLICE_MS: f64 = 6.0;
/// Number of trials at each combination of neuron and batch size; a trial draws a random batch for one gradient step.
const TRIALS_PER_POINT: usize = 40;
/// (p, q): batches of up to 2^p examples are sampled, and theory curves are drawn up to batches of 2^q examples.
const MAX_BATCH_POWERS: (u32, u32) = (17, 20);

/// HTML of the introduction above the sliders of the section on width and initial weights.
fn intro_markup() -> String {
    format!(
        "<h3 class=\"card__name\">{}</h3><p class=\"card__note\">{}</p>",
        escape_html(tr!("One step reveals the bits")),
        escape_html(tr!(
            "Take one neuron and one batch. Do the relevant bits have the largest entries in the gradient? Lines show the probability from theory; points show the share of random batches."
        ))
    )
}

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

/// Draws an element with this CSS class whose inner HTML is always `markup`.
fn draw_markup(class: &'static str, testid: &'static str, markup: Signal<String>) -> AnyView {
    // Markup: what this file and `parity::luck` write, whose texts are escaped.
    view! { <div class=class data-testid=testid inner_html=markup></div> }.into_any()
}

/// Draws sliders, chart and texts on how one gradient step reveals the relevant bits, and starts the trials anew when a
/// slider moves.
fn draw_section(context: RunContext) -> AnyView {
    let winners = context.memo(render_tickets);
    let floor = context.memo(|run| escape_html(&describe_bound(run.spec()).unwrap_or_default()));
    let places = RwSignal::new(context.peek(|run| initial_slider_values(run.spec())));
    let all = Memo::new(move |_| {
        let [n, k, s] = places.get();
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
    let said = move || all.with(|all| describe_one_step(all));
    let texts = move || {
        let items: String = said().iter().map(|text| format!("<li>{}</li>", escape_html(text))).collect();
        format!("<ul class=\"theory__texts\">{items}</ul>")
    };
    let hear = move |event: Event| {
        let Some(input) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok()) else {
            return;
        };
        if let (Some(at), Ok(place)) = (slider_index(&input.name()), input.value().parse()) {
            if let Some(shown) = document().get_element_by_id(&format!("{}-is", input.id())) {
                shown.set_text_content(Some(&input.value()));
            }
            places.update(|places| places[at] = place);
        }
    };
    let settings = render_sliders(places.get_untracked());
    view! {
        <div on:input=hear>
            {draw_markup("luck__part", "luck-winners", winners.into())}
            {draw_markup("luck__part", "luck-about", Signal::derive(intro_markup))}
            <div class="theory__parts">
                {draw_markup("theory__knobs", "luck-knobs", Signal::stored(settings))}
                {draw_markup("luck__part", "luck-texts", Signal::derive(texts))}
                {view! {
                    <Drawing testid="luck-plot" reading label=Signal::derive(move || said().join(" ")) />
                }.into_any()}
            </div>
            {draw_markup("card__note", "floor", floor.into())}
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
