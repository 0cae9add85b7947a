//! Width and luck: the winners of a wide layer and their ticket, what one step reveals, and what resources must pay.
//!
//! # Why
//! Chances are closed forms that follow a slider at once. Drawn batches stand beside them as points, made in slices
//! between two frames, a few milliseconds each, and begun anew when a slider is moved. Words and sliders are markup that
//! is written at once: views of each would be more code than everything else here.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlInputElement};

use vivarium_core::language::escaped;
use vivarium_labs::parity::luck::{floor, knob, knobs_markup, neurons, places, revealed, winners_markup};
use vivarium_model::models::Model;
use vivarium_model::platform::now_ms;
use vivarium_model::tasks::Task;
use vivarium_plot::analysis::Reading;
use vivarium_plot::analysis::recovery::trials::{Share, Trials};
use vivarium_plot::analysis::recovery::{Neuron, chart};
use vivarium_ui::context::RunContext;
use vivarium_ui::plot::Drawing;
use vivarium_ui::sheet::fold;

/// Longest time between two looks at the person, in milliseconds.
const SLICE_MS: f64 = 6.0;
/// Trials of each batch size.
const TRIALS: usize = 40;
/// Largest batch that is drawn, as a power of two, and the largest that curves go to.
const LARGEST: (u32, u32) = (17, 20);

/// What is said above the knobs, as markup.
fn about() -> String {
    format!(
        "<h3 class=\"card__name\">{}</h3><p class=\"card__note\">{}</p>",
        escaped(tr!("One step reveals the bits")),
        escaped(tr!(
            "Take one neuron and one batch. Do the relevant bits have the largest entries in the gradient? Lines show the probability from theory; points show the share of random batches."
        ))
    )
}

/// The section, for runs on parities; open where rows begin with a few ones, and for runs of one step.
#[component]
pub fn Luck() -> impl IntoView {
    let context = RunContext::here();
    let lab = context.memo(|run| {
        let spec = run.spec();
        let is_sparse = matches!(&spec.model, Model::Mlp(net) if net.init.rest(1).is_some());
        matches!(spec.task, Task::SparseParity(_)).then_some(is_sparse || spec.run.steps == 1)
    });
    move || {
        let is_open = lab.get()?;
        Some(fold("luck", tr!("Width and initial weights"), is_open, move || opened(context)))
    }
}

/// A part whose markup is written anew when it changes.
fn part(class: &'static str, testid: &'static str, markup: Signal<String>) -> AnyView {
    // Markup: what this file and `parity::luck` write, whose texts are escaped.
    view! { <div class=class data-testid=testid inner_html=markup></div> }.into_any()
}

fn opened(context: RunContext) -> AnyView {
    let winners = context.memo(winners_markup);
    let floor = context.memo(|run| escaped(&floor(run.spec()).unwrap_or_default()));
    let places = RwSignal::new(context.peek(|run| places(run.spec())));
    let all = Memo::new(move |_| {
        let [n, k, s] = places.get();
        neurons(n, k, s)
    });
    let drawn = RwSignal::new(Vec::<(usize, Vec<Share>)>::new());
    let turn = StoredValue::new(0u32);
    // Nobody draws for a panel that is gone.
    on_cleanup(move || {
        turn.try_update_value(|turn| *turn += 1);
    });
    Effect::new(move |_| {
        let neurons: Vec<Neuron> = all.get().into_iter().map(|(_, neuron)| neuron).collect();
        drawn.set((0..neurons.len()).map(|at| (at, vec![])).collect());
        turn.update_value(|turn| *turn += 1);
        let mut jobs = vec![];
        // The last is taken first: all curves grow from the left.
        for power in (7..=LARGEST.0).rev().step_by(2) {
            jobs.extend(neurons.iter().enumerate().map(|(at, neuron)| (at, *neuron, 1u64 << power)));
        }
        draw(jobs, None, turn, turn.get_value(), drawn);
    });
    let reading = Callback::new(move |()| {
        Reading::Lines(all.with(|all| drawn.with(|drawn| chart(all, LARGEST.1, drawn))))
    });
    let said = move || all.with(|all| revealed(all));
    let texts = move || {
        let items: String = said().iter().map(|text| format!("<li>{}</li>", escaped(text))).collect();
        format!("<ul class=\"theory__texts\">{items}</ul>")
    };
    let hear = move |event: Event| {
        let Some(input) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok()) else {
            return;
        };
        if let (Some(at), Ok(place)) = (knob(&input.name()), input.value().parse()) {
            if let Some(shown) = document().get_element_by_id(&format!("{}-is", input.id())) {
                shown.set_text_content(Some(&input.value()));
            }
            places.update(|places| places[at] = place);
        }
    };
    let knobs = knobs_markup(places.get_untracked());
    view! {
        <div on:input=hear>
            {part("luck__part", "luck-winners", winners.into())}
            {part("luck__part", "luck-about", Signal::derive(about))}
            <div class="theory__parts">
                {part("theory__knobs", "luck-knobs", Signal::stored(knobs))}
                {part("luck__part", "luck-texts", Signal::derive(texts))}
                {view! {
                    <Drawing testid="luck-plot" reading label=Signal::derive(move || said().join(" ")) />
                }.into_any()}
            </div>
            {part("card__note", "floor", floor.into())}
        </div>
    }
    .into_any()
}

/// Goes on with trials for a moment, and again on the next turn of the page's loop until none is left or `turn` is
/// another.
fn draw(
    mut jobs: Vec<(usize, Neuron, u64)>,
    under_way: Option<(usize, Trials)>,
    turn: StoredValue<u32>,
    mine: u32,
    drawn: RwSignal<Vec<(usize, Vec<Share>)>>,
) {
    let go_on = move || {
        if turn.try_get_value() != Some(mine) {
            return;
        }
        let fresh = || jobs.pop().map(|(at, neuron, batch)| (at, Trials::new(neuron, batch, 1)));
        let Some((at, mut trials)) = under_way.or_else(fresh) else { return };
        let end = now_ms() + SLICE_MS;
        while trials.share().all < TRIALS && now_ms() < end {
            trials.advance(64);
        }
        let share = trials.share();
        if share.all >= TRIALS {
            drawn.update(|drawn| drawn[at].1.push(share));
        }
        draw(jobs, (share.all < TRIALS).then_some((at, trials)), turn, mine, drawn);
    };
    set_timeout(go_on, Duration::ZERO);
}
