//! Width and luck: the winners of a wide layer and their ticket, what one step reveals, and what resources must pay.
//!
//! # Why
//! Chances are closed forms that follow a slider at once. Drawn batches stand beside them as points, made in slices
//! between two frames, a few milliseconds each, and begun anew when a slider is moved.

use std::time::Duration;

use js_sys::Reflect;
use leptos::prelude::*;

use super::plot::Drawing;
use super::theme::Appearance;
use crate::analysis::Reading;
use crate::analysis::recovery::trials::{Share, Trials};
use crate::analysis::recovery::{Neuron, chart};
use crate::app::luck::{floor, neurons, revealed, rewound};
use crate::app::store::Store;
use crate::models::{Initialisation, Model};
use crate::platform::now_ms;
use crate::tasks::Task;

/// Longest time between two looks at the person, in milliseconds.
const SLICE_MS: f64 = 6.0;
/// Trials of each batch size.
const TRIALS: usize = 40;
/// Largest batch that is drawn, as a power of two; curves go on.
const LARGEST: u32 = 17;

/// The section, for runs on bits.
#[component]
pub fn Luck(
    /// Whether drawings are light or dark.
    appearance: Appearance,
) -> impl IntoView {
    let store = Store::here();
    let is_lab = store.memo(|state| matches!(state.spec().task, Task::SparseParity(_)));
    let is_sparse = store
        .memo(|state| matches!(&state.spec().model, Model::Mlp(net) if net.init == Initialisation::Sparse));
    move || {
        let open = RwSignal::new(is_sparse.get());
        let toggled = move |event: web_sys::Event| {
            let now = event.target().and_then(|target| Reflect::get(&target, &"open".into()).ok());
            if let Some(now) = now {
                open.set(now.is_truthy());
            }
        };
        is_lab.get().then(|| {
            view! {
                <details class="theory" open=open.get_untracked() data-testid="luck" on:toggle=toggled>
                    <summary class="theory__title"><h2 class="theory__name">"Width and luck"</h2></summary>
                    // Closed, it costs nothing.
                    {move || open.get().then(|| opened(store, appearance))}
                </details>
            }
            .into_any()
        })
    }
}

fn opened(store: Store, appearance: Appearance) -> AnyView {
    let tickets = store.memo(rewound);
    let floor = store.memo(|state| floor(state.spec()));
    let link = |link: Option<String>, word: &'static str, testid: &'static str| {
        link.map(|link| view! { <a class="button" href=link data-testid=testid>{word}</a> })
    };
    view! {
        {move || tickets.get().map(|found| view! {
            <p class="card__note" role="status" data-testid="winners">{found.about}</p>
            <div class="luck__links">
                {link(found.ticket, "Rewind them and train them alone", "ticket")}
                {link(found.others, "As many at random instead", "others")}
            </div>
        })}
        {one_step(store, appearance)}
        <p class="card__note" data-testid="floor">{move || floor.get()}</p>
    }
    .into_any()
}

/// The chance that one step reveals the bits, with its knobs.
fn one_step(store: Store, appearance: Appearance) -> AnyView {
    let (n, k, s) = store.peek(|state| {
        let ones = match &state.spec().model {
            Model::Mlp(net) => net.ones,
            _ => 2,
        };
        match &state.spec().task {
            Task::SparseParity(task) => (task.n.clamp(8, 60), task.k.clamp(1, 6), ones.min(40)),
            _ => (30, 2, 2),
        }
    });
    // Odd parities have no gap without a bias.
    let (n, k, s) = (RwSignal::new(n), RwSignal::new(k + k % 2), RwSignal::new(s));
    let all = Memo::new(move |_| neurons(n.get(), k.get(), s.get()));
    let drawn = RwSignal::new(Vec::<(usize, Vec<Share>)>::new());
    let turn = StoredValue::new(0u32);
    // Nobody draws for a panel that is gone.
    on_cleanup(move || {
        turn.try_update_value(|turn| *turn += 1);
    });
    Effect::new(move |_| {
        let neurons: Vec<Neuron> = all.get().into_iter().map(|(_, neuron)| neuron).collect();
        drawn.set(neurons.iter().enumerate().map(|(at, _)| (at, vec![])).collect());
        turn.update_value(|turn| *turn += 1);
        // Small batches first: all curves grow from the left.
        let jobs = (7..=LARGEST).step_by(2).flat_map(|power| {
            neurons
                .iter()
                .enumerate()
                .map(move |(at, neuron)| (at, *neuron, 1u64 << power))
                .collect::<Vec<_>>()
        });
        let mut jobs: Vec<(usize, Neuron, u64)> = jobs.collect();
        jobs.reverse();
        draw(jobs, None, turn, turn.get_value(), drawn);
    });
    let reading =
        Callback::new(move |()| Reading::Lines(all.with(|all| drawn.with(|drawn| chart(all, 20, drawn)))));
    let texts = move || all.with(|all| revealed(all));
    let label = move || texts().join(" ");
    let knob = |name: &'static str, of: RwSignal<usize>, low: usize, high: usize, step: usize| {
        let id = format!("luck-{low}-{high}");
        let (by, shown) = (id.clone(), id.clone());
        let on_input = move |event| {
            if let Ok(value) = event_target_value(&event).parse() {
                of.set(value);
            }
        };
        view! {
            <div class="luck__knob">
                <label for=by>{name}</label>
                <input id=id type="range" min=low max=high step=step prop:value=move || of.get().to_string()
                    on:input=on_input />
                <output for=shown>{move || of.get()}</output>
            </div>
        }
        .into_any()
    };
    view! {
        <h3 class="card__name">"One step reveals the bits"</h3>
        <p class="card__note">
            "One neuron, one batch: are the largest entries of its gradient those of the relevant bits? Lines by theory, \
             points by drawn batches."
        </p>
        <div class="theory__parts">
            <div class="theory__knobs">
                {knob("Bits n", n, 8, 60, 1)}
                {knob("Relevant bits k", k, 2, 6, 2)}
                {knob("Ones in a row s", s, 0, 40, 1)}
            </div>
            <ul class="theory__texts" data-testid="luck-texts">
                {move || texts().into_iter().map(|text| view! { <li>{text}</li> }).collect_view()}
            </ul>
            <div class="luck__plot">
                <Drawing testid="luck-plot" reading label=Signal::derive(label) appearance />
            </div>
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
    set_timeout(
        move || {
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
            let under_way = if share.all < TRIALS {
                Some((at, trials))
            } else {
                drawn.update(|drawn| drawn[at].1.push(share));
                None
            };
            draw(jobs, under_way, turn, mine, drawn);
        },
        Duration::ZERO,
    );
}
