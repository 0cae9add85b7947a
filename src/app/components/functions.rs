//! What stands beside networks that learn Boolean functions: their heads, and heads that are written by hand.

use crate::tasks::sparse_boolean::charts as boolean_charts;
use leptos::prelude::*;

use super::plot::Drawing;
use super::sheet::fold;
use super::theme::Appearance;
use crate::analysis::heads::{Shattering, masses, needed, texts};
use crate::analysis::{Grid, Reading};
use crate::app::state::Action;
use crate::app::store::Store;
use crate::display::words::percent;
use crate::labs::boolean::looks::{head, heads, of_heads};
use crate::tasks::Task;

/// Heads that a link can name.
const MOST_HEADS: usize = 32;
/// Context lengths that are drawn besides the chosen one.
const LENGTHS: [usize; 3] = [16, 128, 1024];
/// Bits of the number of places of the heads that shatter.
const SHATTERED: u32 = 4;

/// The heads of a network that is read at `[CLS]`, to choose one for the chart of looks; where that chart is shown.
#[component]
pub fn Looks() -> impl IntoView {
    let store = Store::here();
    let count = store.memo(|state| match heads(&state.run) {
        heads if heads > 1 && state.run.link.view.show.contains(&boolean_charts::LOOKS) => {
            heads.min(MOST_HEADS)
        }
        _ => 0,
    });
    move || {
        let count = count.get();
        (count > 0).then(|| {
            let choices = (0..=count).map(|number| choice(store, number)).collect_view();
            view! {
                <section class="inside" aria-labelledby="looks-title" data-testid="looks-heads">
                    <h2 class="inside__title" id="looks-title">{tr!("Which head looks where")}</h2>
                    <section class="card" aria-label=tr!("Heads")>
                        <p class="card__note">
                            {tr!("Attention of each head on the relevant bits together, over the examples of the chart “Attention, example by example”. Press one to see its dots there.")}
                        </p>
                        <div class="switches" role="group" aria-label=tr!("Head in the chart")>{choices}</div>
                    </section>
                </section>
            }
        })
    }
}

/// The button of a head, counted from 1; 0 stands for all of them.
fn choice(store: Store, number: usize) -> AnyView {
    let said = store.memo(move |state| {
        let heads = of_heads(&state.run);
        let share = match number {
            0 => heads.iter().sum::<f32>() / heads.len() as f32,
            head => heads.get(head - 1).copied().unwrap_or(f32::NAN),
        };
        let name =
            if number == 0 { tr!("All, on average").to_string() } else { tr!("Head {number}", number) };
        format!("{name}: {}", percent(share))
    });
    let chosen = store
        .memo(move |state| head(&state.run, of_heads(&state.run).len()).map_or(0, |head| head + 1) == number);
    view! {
        <button class="switch" type="button" aria-pressed=move || chosen.get().to_string()
            data-testid=format!("looks-{number}")
            on:click=move |_| store.act(Action::Edit("head".into(), number.to_string()))>
            {said}
        </button>
    }
    .into_any()
}

/// Heads with weights that a lemma gives, in the lab of Boolean functions.
#[component]
pub fn Written(
    /// Whether drawings are light or dark.
    appearance: Appearance,
) -> impl IntoView {
    let is_lab = Store::here().memo(|state| matches!(state.run.spec().task, Task::SparseBoolean(_)));
    move || {
        is_lab
            .get()
            .then(|| fold("written", tr!("Heads written by hand"), false, move || instrument(appearance)))
    }
}

/// A slider over whole numbers, with what its position means.
fn slider(
    id: &'static str,
    label: &'static str,
    ends: (u32, u32),
    at: RwSignal<u32>,
    shown: fn(u32) -> String,
) -> AnyView {
    let share = move || 100 * (at.get() - ends.0) / (ends.1 - ends.0);
    view! {
        <div class="knob">
            <label class="knob__label" for=id>{label} " " <span class="knob__unit">{move || shown(at.get())}</span></label>
            <input class="knob__slider" type="range" id=id data-testid=id min=ends.0.to_string() max=ends.1.to_string()
                step="1" aria-valuetext=move || shown(at.get()) prop:value=move || at.get().to_string()
                style:--at=move || format!("{}%", share())
                on:input=move |event| {
                    if let Ok(value) = event_target_value(&event).parse::<u32>() {
                        at.set(value.clamp(ends.0, ends.1));
                    }
                } />
        </div>
    }
    .into_any()
}

/// Sliders, sentences and drawings.
fn instrument(appearance: Appearance) -> AnyView {
    // T as a power of two, s, and R in tenths.
    let (length, selected, sharpness) = (RwSignal::new(8), RwSignal::new(3), RwSignal::new(82));
    let chosen = move || (1usize << length.get(), selected.get() as usize, f64::from(sharpness.get()) / 10.0);
    let said = move || {
        let (length, selected, sharpness) = chosen();
        texts(length, selected, sharpness)
    };
    let drawn = move || {
        let (length, selected, sharpness) = chosen();
        let mut lengths = LENGTHS.to_vec();
        lengths.retain(|other| *other != length);
        lengths.push(length);
        Reading::Lines(masses(&lengths, selected, (length, sharpness)))
    };
    let enough = move || {
        let (length, selected, sharpness) = chosen();
        Reading::Lines(needed(selected, (length, sharpness)))
    };
    let grid = || {
        let heads = Shattering::new(SHATTERED);
        Reading::Grid(Grid { title: tr!("16 heads shatter 4 inputs").into(), ..heads.grid() })
    };
    let label = Signal::derive(move || said().join(" "));
    view! {
        <p class="card__note">
            {tr!("Nothing is trained here: the weights are those of two proofs. The first head selects s of T bits, and how sharp it must be grows with log T. The second kind has norms that grow as T squared, and can tell any subset of log T inputs from the others: without a bound on norms, capacity grows with T.")}
        </p>
        <div class="theory__parts">
            <div class="theory__knobs">
                {slider("written-length", tr!("Context length T"), (3, 11), length, |at| (1u32 << at).to_string())}
                {slider("written-selected", tr!("Relevant bits s"), (1, 8), selected, |at| at.to_string())}
                {slider("written-sharpness", tr!("Sharpness R"), (0, 160), sharpness, |at| format!("{:.1}", f64::from(at) / 10.0))}
            </div>
            <ul class="theory__texts" data-testid="written-texts">
                {move || said().into_iter().map(|text| view! { <li>{text}</li> }).collect_view()}
            </ul>
            <div class="theory__plots">
                <Drawing testid="written-mass" reading=Callback::new(move |()| drawn()) label appearance />
                <Drawing testid="written-needed" reading=Callback::new(move |()| enough()) label appearance />
                <Drawing testid="written-shattered" reading=Callback::new(move |()| grid())
                    label=Signal::derive(|| tr!("The output of head s on input i is above one half where bit i of s is 1.").to_string())
                    appearance />
            </div>
        </div>
    }
    .into_any()
}
