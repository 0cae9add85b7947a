//! The theory of two steps with knobs, drawn while they are moved.

use js_sys::Reflect;
use leptos::prelude::*;

use super::inside::seen;
use super::knob::Knob;
use super::plot::Drawing;
use super::theme::Appearance;
use crate::analysis::{Reading, theory};
use crate::app::form::theory_fields;
use crate::app::store::Store;
use crate::markov::theory::Explorer;
use crate::models::Model;
use crate::settings::Settings;

/// Steps of which v is drawn, the last ones.
const DRAWN_STEPS: usize = 3;

/// The section, for runs on sequences; open where the minimal model is trained.
#[component]
pub fn Theory(
    /// Whether drawings are light or dark.
    appearance: Appearance,
) -> impl IntoView {
    let lab = Store::here()
        .memo(|state| state.chains.is_some().then(|| matches!(state.spec().model, Model::MinimalMarkov(_))));
    move || {
        let is_minimal = lab.get()?;
        let open = RwSignal::new(is_minimal);
        let toggled = move |event: web_sys::Event| {
            let now = event.target().and_then(|target| Reflect::get(&target, &"open".into()).ok());
            if let Some(now) = now {
                open.set(now.is_truthy());
            }
        };
        let view = view! {
            <details class="theory" open=is_minimal data-testid="theory" on:toggle=toggled>
                <summary class="theory__title"><h2 class="theory__name">"The theory of two steps"</h2></summary>
                // Closed, it costs nothing.
                {move || open.get().then(|| view! { <Explored appearance /> })}
            </details>
        };
        Some(view.into_any())
    }
}

/// Knobs, sentences and drawings.
#[component]
fn Explored(
    /// Whether drawings are light or dark.
    appearance: Appearance,
) -> impl IntoView {
    let store = Store::here();
    let taken = store.memo(|state| state.link.theory.clone());
    // While a slider is moved, the theory follows on the next frame; the link changes when it is let go.
    let trial = RwSignal::new(None::<Explorer>);
    let wish = StoredValue::new(None::<Explorer>);
    Effect::new(move |_| {
        taken.get();
        wish.set_value(None);
        trial.set(None);
    });
    let knobs = Memo::new(move |_| trial.get().unwrap_or_else(|| taken.get()));
    let outcome = Memo::new(move |_| knobs.with(Explorer::result));
    let try_out = move |key: &'static str, text: String| {
        let Some(knob) = Explorer::KNOBS.iter().find(|knob| knob.key == key) else { return };
        let mut next = taken.get_untracked();
        let is_set = knob.parse(&text).is_ok_and(|value| next.set(key, &value).is_ok());
        let waits = wish.with_value(Option::is_some);
        if is_set {
            wish.set_value(Some(next));
        }
        if is_set && !waits {
            request_animation_frame(move || {
                // The panel may have been closed since, or the slider let go.
                if let Some(next) = wish.try_update_value(Option::take).flatten() {
                    trial.try_set(Some(next));
                }
            });
        }
    };
    let trained = seen(store, |chains, _| chains.minimal().map(|(_, v)| v.to_vec()));
    let lags = Memo::new(move |_| {
        let trained = trained.get().flatten();
        outcome.with(|outcome| {
            let after: Vec<(usize, &[f64])> =
                outcome.after.iter().enumerate().map(|(step, theory)| (step, &theory.v[..])).collect();
            let last = &after[after.len().saturating_sub(DRAWN_STEPS)..];
            Reading::Lines(theory::lags(last, trained.as_deref()))
        })
    });
    let kernel = Memo::new(move |_| {
        outcome.with(|outcome| Reading::Grid(theory::kernel(&outcome.last().w, outcome.after.len() - 1)))
    });
    let parts = Memo::new(move |_| {
        outcome.with(|outcome| Reading::Lines(theory::parts(&outcome.uniform, &outcome.diagonal)))
    });
    let ratios =
        Memo::new(move |_| outcome.with(|outcome| Reading::Lines(theory::ratios(&outcome.ratios()))));
    let texts = Memo::new(move |_| outcome.with(|outcome| outcome.texts.clone()));
    let label = Signal::derive(move || texts.with(|texts| texts.join(" ")));
    view! {
        <p class="card__note">
            "W and v of the minimal model on two symbols after a few exact gradient steps, computed without training."
            {move || trained.get().flatten().map(|_| " The points are the v of the network in this run.")}
        </p>
        <div class="theory__parts">
            <div class="theory__knobs">
                {theory_fields().into_iter().map(|field| {
                    let key = field.key;
                    view! { <Knob field trial=Callback::new(move |text| try_out(key, text)) /> }
                }).collect_view()}
            </div>
            <ul class="theory__texts" data-testid="theory-texts">
                {move || texts.get().into_iter().map(|text| view! { <li>{text}</li> }).collect_view()}
            </ul>
            <div class="theory__plots">
                <Drawing testid="theory-v" reading=lags label appearance />
                <Drawing testid="theory-w" reading=kernel label appearance />
                <Drawing testid="theory-parts" reading=parts label appearance />
                <Drawing testid="theory-ratio" reading=ratios label appearance />
            </div>
        </div>
    }
    .into_any()
}
