//! The heads: a small attention map of each, which can be read, enlarged and switched off.

use leptos::html::Canvas;
use leptos::prelude::*;
use vivarium_labs::markov::MarkovState;
use vivarium_model::tasks::markov::charts as markov_charts;
use vivarium_ui::text::element_text;
use vivarium_view::display::charts::ChartOfRun;
use web_sys::{HtmlCanvasElement, KeyboardEvent, PointerEvent};

use crate::markov::context::{PanelContext, SendAction};
use vivarium_labs::markov::panel::action::SequenceAction;
use vivarium_labs::markov::panel::texts;
use vivarium_ui::appearance::Appearance;
use vivarium_ui::button::button;
use vivarium_ui::pixels;
use vivarium_ui::plot::repaint_on;
use vivarium_view::ui::request::Request;

/// Number of colours into which attention weights from 0 to 1 are divided in an attention map.
const SHADES: usize = 256;
/// Upper bound on the length of a sequence; the base in which [`pack_cell`] encodes positions.
const MAX_LENGTH: usize = 256;

/// Attention maps of all heads, layer by layer; empty for a network without attention.
#[component]
pub fn HeadMaps(
    /// Reactive handle to the run and its sequence.
    panel: PanelContext,
) -> impl IntoView {
    // As text, since texts are compared anyway.
    let names = panel.context.memo(|run| match run.lab_state::<MarkovState>() {
        Some(chains) if chains.has_attention_maps() => chains.head_names().join(" "),
        _ => String::new(),
    });
    move || names.with(|names| (!names.is_empty()).then(|| draw_card(panel, names)))
}

/// Draws the card with the maps; `names` are the names of the heads, such as "1.2", separated by spaces.
fn draw_card(panel: PanelContext, names: &str) -> AnyView {
    // The cell that is pointed at.
    let pointed = RwSignal::new(None::<usize>);
    let off = panel
        .context
        .memo(|run| texts::describe_disabled_heads(run.lab_state::<MarkovState>()?, &run.link.view));
    let reading = move || {
        let text = panel.see(|chains, _| {
            let [head, from, to] = unpack_cell(pointed.get()?);
            texts::describe_attention(chains, head, from, to)
        });
        text.flatten().unwrap_or_else(|| {
            tr!("Each row shows the attention from one symbol to itself and to earlier symbols. Point at a map, or use the arrow keys, to read a value. Press a map to switch its head off.")
                .into()
        })
    };
    let can_measure = panel.context.memo(|run| {
        !run.link.view.show.contains(&markov_charts::ABLATION) && markov_charts::ABLATION.applies(run).is_ok()
    });
    let names: Vec<&str> = names.split(' ').collect();
    let layer_of = |name: &str| name.split('.').next().unwrap_or_default().to_string();
    let layers = names.chunk_by(|a, b| layer_of(a) == layer_of(b));
    let mut first = 0;
    let rows = layers.map(|layer| {
        let title = tr!("Layer {layer}", layer = layer_of(layer[0]));
        let shown = title.clone();
        let heads = layer.iter().enumerate().map(|(at, name)| draw_head(panel, first + at, name, pointed));
        let heads = heads.collect_view();
        first += layer.len();
        view! {
            <div class="heads__layer" role="group" aria-label=title>
                <p class="heads__name" prop:textContent=shown></p>
                {heads}
            </div>
        }
    });
    let rows = rows.collect_view();
    view! {
        <section class="card card--heads" aria-labelledby="heads-title" data-testid="heads">
            <h3 class="card__name" id="heads-title">{tr!("Heads")}</h3>
            <p class="card__note" role="status" data-testid="head-reading" prop:textContent=element_text(reading)></p>
            {move || off.get().map(|sentence| view! {
                <div class="heads__off" role="status">
                    <p data-testid="heads-off" prop:textContent=sentence></p>
                    {button("all-heads", tr!("Switch all heads on"), Box::new(|| false),
                        Box::new(move || panel.send_action(SequenceAction::EnableAllHeads)))}
                </div>
            })}
            <div class="heads">{rows}</div>
            <div class="editor__buttons" class:invisible=move || !can_measure.get()>
                {button("measure-heads", tr!("Measure the KL without each head"), Box::new(|| false),
                    Box::new(move || panel.context.ask.run(Request::ToggleChart(markov_charts::ABLATION))))}
            </div>
        </section>
    }
    .into_any()
}

/// Encodes head, query position and key position (all from 0) of an attention weight as one number; positions are below
/// [`MAX_LENGTH`].
fn pack_cell([head, from, to]: [usize; 3]) -> usize {
    (head * MAX_LENGTH + from) * MAX_LENGTH + to
}

/// Decodes a number of [`pack_cell`] to `[head, query position, key position]`.
fn unpack_cell(cell: usize) -> [usize; 3] {
    [cell / MAX_LENGTH / MAX_LENGTH, cell / MAX_LENGTH % MAX_LENGTH, cell % MAX_LENGTH]
}

/// Draws the attention map of one head, counted from 0 over all layers; `name` is for example "1.2".
fn draw_head(panel: PanelContext, head: usize, name: &str, pointed: RwSignal<Option<usize>>) -> AnyView {
    let (context, appearance) = (panel.context, Appearance::here());
    let canvas = NodeRef::<Canvas>::new();
    let is_off = context.memo(move |run| run.link.view.markov.off.contains(&(head + 1)));
    let is_large = context
        .memo(move |run| run.link.view.head == head + 1 && run.link.view.show.contains(&markov_charts::MAP));
    let length = move || untrack(|| panel.see(|chains, _| chains.inspected.symbols.len())).unwrap_or(1);
    let paint = move || {
        let Some(canvas) = canvas.get_untracked() else { return };
        let colours = appearance.theme().sequential_scale(SHADES);
        context.peek(|run| {
            let inspected = run.lab_state::<MarkovState>().map(|chains| &chains.inspected)?;
            let shares = &inspected.trace.heads.get(head)?.shares;
            paint_map(&canvas, inspected.symbols.len(), shares, &colours)
        });
    };
    repaint_on(
        move || {
            let _ = (panel.see(|_, _| ()), appearance.is_dark.get());
            canvas.get().is_some()
        },
        paint,
    );
    let point = move |event: PointerEvent| {
        let Some(canvas) = canvas.get_untracked() else { return };
        let length = length();
        let at = |offset: i32, room: i32| {
            let share = f64::from(offset.max(0)) / f64::from(room.max(1));
            ((share * length as f64) as usize).min(length.saturating_sub(1))
        };
        let (row, column) =
            (at(event.offset_y(), canvas.client_height()), at(event.offset_x(), canvas.client_width()));
        pointed.set(Some(pack_cell([head, row, column])));
    };
    let here = move || pointed.get().map(unpack_cell).filter(|cell| cell[0] == head);
    let on_key = move |event: KeyboardEvent| {
        let (down, right) = match event.key().as_str() {
            "ArrowUp" => (-1, 0),
            "ArrowDown" => (1, 0),
            "ArrowLeft" => (0, -1),
            "ArrowRight" => (0, 1),
            "Escape" => return pointed.set(None),
            _ => return,
        };
        event.prevent_default();
        // One begins where the chosen prediction looks most.
        let start = || {
            panel.see(|chains, view| {
                (
                    chains.shown_position(view),
                    texts::max_attention_position(chains, head, chains.shown_position(view)),
                )
            })
        };
        let moved = |at: usize, by: isize| at.saturating_add_signed(by).min(length().saturating_sub(1));
        let cell = match untrack(here) {
            Some([_, from, to]) => [head, moved(from, down), moved(to, right)],
            None => {
                let (from, to) = untrack(start).unwrap_or_default();
                [head, from, to.unwrap_or(from)]
            }
        };
        pointed.set(Some(pack_cell(cell)));
    };
    let enlarge = move |_| {
        let next = if is_large.get_untracked() { 0 } else { head + 1 };
        panel.send_action(SequenceAction::SelectHead(next));
        if context.peek(|run| !run.link.view.show.contains(&markov_charts::MAP)) {
            context.ask.run(Request::ToggleChart(markov_charts::MAP));
        }
    };
    let label = {
        let name = name.to_string();
        move || {
            let mostly = panel
                .see(|chains, view| texts::describe_max_attention(chains, head, chains.shown_position(view)));
            mostly.flatten().unwrap_or_else(|| tr!("Head {name}", name))
        }
    };
    let share_of = move |which: usize| {
        move || format!("{:.3}%", here().map_or(0, |cell| cell[which]) as f64 / length() as f64 * 100.0)
    };
    view! {
        <div class="head" class:head--off=is_off data-testid=format!("head-card-{name}")>
            <button class="head__map" type="button" data-testid=format!("head-{name}") aria-label=label
                aria-pressed=move || (!is_off.get()).to_string()
                title=move || if is_off.get() { tr!("Switch this head on") } else { tr!("Switch this head off") }
                on:click=move |_| panel.send_action(SequenceAction::ToggleHead(head + 1)) on:keydown=on_key
                on:blur=move |_| pointed.set(None)
                on:pointermove=point on:pointerleave=move |_| pointed.set(None)>
                <canvas class="head__canvas" node_ref=canvas></canvas>
                <span class="head__row" class:invisible=move || here().is_none() style:top=share_of(1)></span>
                <span class="head__column" class:invisible=move || here().is_none() style:left=share_of(2)></span>
            </button>
            <div class="head__line">
                <span class="head__name" translate="no">{name.to_string()}</span>
                {move || is_off.get().then(|| view! { <span>{tr!("off")}</span> })}
                <button class="switch" type="button" data-testid=format!("enlarge-{name}")
                    aria-label=tr!("Enlarge head {name} in the chart of the attention map", name)
                    aria-pressed=move || is_large.get().to_string() on:click=enlarge>
                    {tr!("Enlarge")}
                </button>
            </div>
            <p class="head__loss" data-testid=format!("without-{name}")
                prop:textContent=element_text(move || panel.see(|chains, _| texts::describe_ablation(chains, head)))></p>
        </div>
    }
    .into_any()
}

/// Paints attention weights `[length, length]` (query, key), one pixel each; keys after the query stay transparent.
fn paint_map(
    canvas: &HtmlCanvasElement,
    length: usize,
    attention: &[f64],
    colours: &[[u8; 3]],
) -> Option<()> {
    let mut pixels = vec![0; 4 * length * length];
    for (at, (share, pixel)) in attention.iter().zip(pixels.chunks_exact_mut(4)).enumerate() {
        if at % length <= at / length {
            let shade = (share.clamp(0.0, 1.0) * (SHADES - 1) as f64).round() as usize;
            let [red, green, blue] = *colours.get(shade)?;
            pixel.copy_from_slice(&[red, green, blue, 255]);
        }
    }
    pixels::draw_pixels(canvas, (length as u32, length as u32), &pixels);
    Some(())
}
