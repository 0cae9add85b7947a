//! The kept runs: a list, and the offer to go on with the last one.

use leptos::prelude::*;

use crate::app::library::{Kept, Wish};
use crate::app::state::{Action, State};
use crate::app::store::Store;
use crate::app::words::{difference, thousands};
use crate::charts::MUTED;
use crate::permalink::decode;

/// What a line of the list says besides the name.
fn about(state: &State, kept: &Kept) -> String {
    let step = thousands(kept.step);
    format!("step {step}; {}", difference(state.spec(), &decode(&kept.link).0.spec))
}

/// Goes on where the page was left, if one wants to.
#[component]
pub fn Offer() -> impl IntoView {
    let store = Store::here();
    let offer = store
        .memo(|state| state.offer().map(|kept| (kept.id.clone(), kept.name.clone(), thousands(kept.step))));
    move || {
        offer.get().map(|(id, name, step)| {
            view! {
                <section class="notice" data-testid="offer" aria-label="Kept run">
                    <p class="notice__text">{format!("You were at step {step} of “{name}”.")}</p>
                    <button class="button" type="button"
                        on:click=move |_| store.act(Action::Library(Wish::TakeUp(id.clone())))>
                        "Go on from there"
                    </button>
                </section>
            }
        })
    }
}

/// All kept runs.
#[component]
pub fn Library() -> impl IntoView {
    let store = Store::here();
    let ids = store
        .memo(|state| state.library.listed().into_iter().map(|kept| kept.id.clone()).collect::<Vec<_>>());
    let trouble = store.memo(|state| state.library.trouble.clone());
    view! {
        <details class="library" data-testid="library">
            <summary class="group__name">{move || format!("Kept runs ({})", ids.with(Vec::len))}</summary>
            <p class="library__about">
                "Runs are kept in this browser, on this device, and nothing of them leaves it. When room is needed, the \
                 oldest that are not pinned go first."
            </p>
            <ul class="library__list">
                <For each=move || ids.get() key=String::clone let:id>
                    <Entry id />
                </For>
            </ul>
        </details>
        <p class="library__about" role="status" data-testid="library-trouble">{trouble}</p>
    }
    .into_any()
}

/// One of them.
#[component]
fn Entry(
    /// What it is found by.
    id: String,
) -> impl IntoView {
    let store = Store::here();
    let seen = {
        let id = id.clone();
        store.memo(move |state| {
            let kept = state.library.find(&id)?;
            Some((
                kept.name.clone(),
                kept.pinned,
                about(state, kept),
                state.library.is_drawn(&id),
                kept.colour,
            ))
        })
    };
    let field = move |of: fn(&(String, bool, String, bool, usize)) -> String| {
        move || seen.with(|seen| seen.as_ref().map(of).unwrap_or_default())
    };
    let wish = |make: fn(String) -> Wish| {
        let id = id.clone();
        move |_| store.act(Action::Library(make(id.clone())))
    };
    let renamed = id.clone();
    view! {
        <li class="kept">
            <button class="kept__swatch" type="button" aria-label="Draw over the charts" title="Draw over the charts"
                aria-pressed=field(|seen| seen.3.to_string()) on:click=wish(Wish::Overlay)
                style:--tint=field(|seen| {
                    let colour = MUTED[seen.4 % MUTED.len()];
                    format!("rgb({} {} {})", colour.0, colour.1, colour.2)
                })></button>
            <input class="kept__name" type="text" aria-label="Name of the run" prop:value=field(|seen| seen.0.clone())
                on:change:target=move |event| {
                    store.act(Action::Library(Wish::Rename(renamed.clone(), event.target().value())));
                } />
            <span class="kept__about">{field(|seen| seen.2.clone())}</span>
            <button class="switch" type="button" on:click=wish(Wish::TakeUp)>"Open"</button>
            <button class="switch" type="button" aria-pressed=field(|seen| seen.1.to_string())
                on:click=wish(Wish::Pin)>"Pin"</button>
            <button class="switch" type="button" on:click=wish(Wish::Delete)>"Delete"</button>
        </li>
    }
    .into_any()
}
