//! The heads: a small attention map of each, to be read, enlarged and switched off.

use js_sys::{Function, Reflect, Uint8ClampedArray};
use leptos::html::Canvas;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlCanvasElement, PointerEvent};

use super::inside::seen;
use super::plot::paint_on;
use super::theme::Appearance;
use crate::analysis::chart::Chart;
use crate::app::inside;
use crate::app::looking::Looking;
use crate::app::state::Action;
use crate::app::store::Store;

/// Shades of a map.
const SHADES: usize = 256;

/// All heads, layer by layer; nothing for a network without heads.
#[component]
pub fn Heads(
    /// Whether maps are light or dark.
    appearance: Appearance,
) -> impl IntoView {
    let store = Store::here();
    let layers = seen(store, |chains, _| chains.heads().to_vec());
    move || {
        let layers = layers.get().filter(|layers| !layers.is_empty())?;
        Some(view! { <HeadsCard layers appearance /> }.into_any())
    }
}

#[component]
fn HeadsCard(
    /// Heads of each layer.
    layers: Vec<usize>,
    /// Whether maps are light or dark.
    appearance: Appearance,
) -> impl IntoView {
    let store = Store::here();
    let off = seen(store, inside::off);
    let off = Memo::new(move |_| off.get().flatten());
    // Of the head, row and column that are pointed at.
    let pointed = RwSignal::new(None::<(usize, usize, usize)>);
    let news = store.memo(|state| (state.runs, state.findings, state.looked));
    let reading = move || {
        news.get();
        let said = pointed.get().and_then(|(head, from, to)| {
            store.peek(|state| inside::cell(state.chains.as_deref()?, head, from, to))
        });
        said.unwrap_or_else(|| {
            "Each row is a symbol that looks back. Point at a map to read it; press it to switch the head off.".into()
        })
    };
    let can_measure = store.memo(|state| {
        !state.link.view.show.contains(&Chart::Ablation) && Chart::Ablation.applies(state).is_ok()
    });
    let mut first = 0;
    let rows = layers.into_iter().enumerate().map(|(layer, count)| {
        let heads = (first..first + count).enumerate().map(|(at, head)| {
            view! { <Head head name=format!("{}.{}", layer + 1, at + 1) pointed appearance /> }
        });
        let heads = heads.collect_view();
        first += count;
        view! {
            <div class="heads__layer" role="group" aria-label=format!("Layer {}", layer + 1)>
                <p class="heads__name">{format!("Layer {}", layer + 1)}</p>
                {heads}
            </div>
        }
    });
    let rows = rows.collect_view();
    view! {
        <section class="card card--heads" aria-labelledby="heads-title" data-testid="heads">
            <h3 class="card__name" id="heads-title">"Heads"</h3>
            <p class="card__note" data-testid="head-reading">{reading}</p>
            {move || off.get().map(|sentence| view! {
                <div class="heads__off" role="status">
                    <p data-testid="heads-off">{sentence}</p>
                    <button class="button" type="button" data-testid="all-heads"
                        on:click=move |_| store.act(Action::Look(Looking::AllHeads))>
                        "Switch all on"
                    </button>
                </div>
            })}
            <div class="heads">{rows}</div>
            {move || can_measure.get().then(|| view! {
                <button class="button card__action" type="button" data-testid="measure-heads"
                    title="Shows the chart of the loss without each head, which is measured along the run."
                    on:click=move |_| store.act(Action::ToggleChart(Chart::Ablation))>
                    "Measure the loss without each head"
                </button>
            })}
        </section>
    }
    .into_any()
}

/// One head.
#[component]
fn Head(
    /// Its number, from 0 over all layers.
    head: usize,
    /// Its name, "1.2".
    name: String,
    /// Head, row and column that are pointed at.
    pointed: RwSignal<Option<(usize, usize, usize)>>,
    /// Whether the map is light or dark.
    appearance: Appearance,
) -> impl IntoView {
    let store = Store::here();
    let canvas = NodeRef::<Canvas>::new();
    let news = store.memo(|state| (state.runs, state.findings, state.looked));
    let is_off = store.memo(move |state| state.link.view.off.contains(&(head + 1)));
    let is_large = store
        .memo(move |state| state.link.view.head == head + 1 && state.link.view.show.contains(&Chart::Map));
    let without = seen(store, move |chains, _| inside::without(chains, head));
    let mostly = seen(store, move |chains, view| inside::mostly(chains, head, chains.place(view)));
    let paint = move || {
        let Some(canvas) = canvas.get_untracked() else { return };
        let colours = appearance.theme().rising(SHADES);
        store.peek(|state| {
            let inspected = state.chains.as_deref().map(|chains| &chains.inspected)?;
            let shares = &inspected.look.heads.get(head)?.shares;
            fill(&canvas, inspected.symbols.len(), shares, &colours)
        });
    };
    paint_on(
        move || {
            let _ = (news.get(), appearance.is_dark.get());
            canvas.get().is_some()
        },
        paint,
    );
    let point = move |event: PointerEvent| {
        let length = store.peek(|s| s.chains.as_deref().map_or(0, |chains| chains.inspected.symbols.len()));
        let Some(canvas) = canvas.get_untracked() else { return };
        let at = |offset: i32, room: i32| {
            let share = f64::from(offset.max(0)) / f64::from(room.max(1));
            ((share * length as f64) as usize).min(length.saturating_sub(1))
        };
        let (row, column) =
            (at(event.offset_y(), canvas.client_height()), at(event.offset_x(), canvas.client_width()));
        pointed.set(Some((head, row, column)));
    };
    let enlarge = move |_| {
        let next = if is_large.get_untracked() { 0 } else { head + 1 };
        store.act(Action::Look(Looking::Head(next)));
        if store.peek(|state| !state.link.view.show.contains(&Chart::Map)) {
            store.act(Action::ToggleChart(Chart::Map));
        }
    };
    let spoken = name.clone();
    let label = move || match mostly.get().flatten() {
        Some(mostly) => mostly,
        None => format!("Head {spoken}"),
    };
    view! {
        <div class="head" class:head--off=is_off data-testid=format!("head-card-{name}")>
            <button class="head__map" type="button" data-testid=format!("head-{name}") aria-label=label
                aria-pressed=move || (!is_off.get()).to_string()
                title=move || if is_off.get() { "Switch this head on" } else { "Switch this head off" }
                on:click=move |_| store.act(Action::Look(Looking::ToggleHead(head + 1)))
                on:pointermove=point on:pointerleave=move |_| pointed.set(None)>
                <canvas class="head__canvas" node_ref=canvas></canvas>
            </button>
            <div class="head__line">
                <span class="head__name">{name.clone()}</span>
                {move || is_off.get().then_some("off")}
                <button class="switch" type="button" data-testid=format!("enlarge-{name}")
                    aria-label=format!("Enlarge head {name} in the chart of the attention map")
                    aria-pressed=move || is_large.get().to_string() on:click=enlarge>
                    "Enlarge"
                </button>
            </div>
            <p class="head__loss" data-testid=format!("without-{name}")>{move || without.get().flatten()}</p>
        </div>
    }
    .into_any()
}

/// Draws `[length, length]` shares, one pixel each; what cannot be looked at stays clear.
fn fill(canvas: &HtmlCanvasElement, length: usize, shares: &[f64], colours: &[[u8; 3]]) -> Option<()> {
    let side = length as u32;
    if (canvas.width(), canvas.height()) != (side, side) {
        canvas.set_width(side);
        canvas.set_height(side);
    }
    let mut pixels = vec![0; 4 * length * length];
    for (at, (share, pixel)) in shares.iter().zip(pixels.chunks_exact_mut(4)).enumerate() {
        if at % length <= at / length {
            let shade = (share.clamp(0.0, 1.0) * (SHADES - 1) as f64).round() as usize;
            let [red, green, blue] = *colours.get(shade)?;
            pixel.copy_from_slice(&[red, green, blue, 255]);
        }
    }
    // Without the type ImageData, which would be one more to carry.
    let context = canvas.get_context("2d").ok()??;
    let method = |name: &str| Reflect::get(&context, &name.into()).ok()?.dyn_into::<Function>().ok();
    let image = method("createImageData")?.call2(&context, &side.into(), &side.into()).ok()?;
    let data: Uint8ClampedArray = Reflect::get(&image, &"data".into()).ok()?.dyn_into().ok()?;
    data.copy_from(&pixels);
    method("putImageData")?.call3(&context, &image, &0.into(), &0.into()).ok()?;
    Some(())
}
