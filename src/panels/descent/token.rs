//! One token: a chooser, and its numbers as a strip of coloured blocks.

use leptos::html::Canvas;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, KeyboardEvent, PointerEvent};

use crate::descent::context::{PanelContext, SendAction};
use vivarium_labs::descent::DescentState;
use vivarium_labs::descent::panel::action::{self, PanelAction};
use vivarium_labs::descent::panel::steps;
use vivarium_labs::descent::panel::strip::{self, PartAccess, SHADES_PER_SIGN, TokenPart};
use vivarium_model::permalink::ViewSettings;
use vivarium_science::descent::{DescentNetwork, TokenLayout};
use vivarium_ui::appearance::Appearance;
use vivarium_ui::browser::element_by_id;
use vivarium_ui::frames::paint_on_frames;
use vivarium_ui::pixels;
use vivarium_ui::text::element_text;
use vivarium_view::display::words::format_thousands;

/// Largest number of example tokens for which each token gets a button; with more, a number field chooses the token.
const MAX_TOKEN_BUTTONS: usize = 32;

/// Draws the buttons that choose the token on display: the token of one of `examples` examples, or of the query.
pub(super) fn draw_token_chooser(panel: PanelContext, examples: usize) -> AnyView {
    let shown = Memo::new(move |_| panel.see(DescentState::shown_token).unwrap_or(examples));
    // The query, which stands last, is the view's 0.
    let go = move |token: usize| {
        panel.send_action(PanelAction::ShowToken(if token >= examples { 0 } else { token + 1 }))
    };
    let on_key = move |event: KeyboardEvent| {
        let is_button = event.target().and_then(|of| of.dyn_into::<Element>().ok());
        if is_button.is_none_or(|of| of.tag_name() != "BUTTON") {
            return;
        }
        let now = shown.get_untracked();
        let to = match event.key().as_str() {
            "ArrowLeft" | "ArrowUp" => now.saturating_sub(1),
            "ArrowRight" | "ArrowDown" => (now + 1).min(examples),
            "Home" => 0,
            "End" => examples,
            _ => return,
        };
        event.prevent_default();
        go(to);
        if let Some(button) = element_by_id(&format!("token-{to}")) {
            // Nothing else would have the focus if it failed.
            let _ = button.focus();
        }
    };
    let one = move |token: usize| {
        let is_shown = Memo::new(move |_| shown.get() == token);
        let (word, testid) = match token {
            _ if token == examples => (tr!("Query").to_string(), "token-query".into()),
            _ => ((token + 1).to_string(), format!("token-{}", token + 1)),
        };
        // Without buttons for the others, it must be reached from everywhere.
        let is_reached = move || is_shown.get() || examples > MAX_TOKEN_BUTTONS;
        view! {
            <button class="chip token" type="button" id=format!("token-{token}") data-testid=testid
                aria-pressed=move || is_shown.get().to_string()
                aria-label=move || panel.see(|state, _| action::token_name(state, token))
                tabindex=move || if is_reached() { "0" } else { "-1" }
                on:click=move |_| go(token) prop:textContent=word>
            </button>
        }
    };
    let box_of = move || {
        let number = move || match shown.get() {
            token if token < examples => (token + 1).to_string(),
            _ => String::new(),
        };
        view! {
            <label class="editor__label" for="token-number">{tr!("Example")}</label>
            <input class="setting__input token__box" id="token-number" data-testid="token-number" type="text"
                inputmode="numeric" autocomplete="off" placeholder=format!("1–{examples}") prop:value=number
                on:change=move |event| panel.send_action(PanelAction::ShowTypedToken(event_target_value(&event))) />
        }
    };
    let buttons: Vec<usize> = match examples > MAX_TOKEN_BUTTONS {
        true => vec![examples],
        false => (0..=examples).collect(),
    };
    let problem = panel.rejected_text("place");
    view! {
        <div class="token__chooser" role="group" aria-label=tr!("Token that is shown") data-testid="tokens"
            on:keydown=on_key>
            <span class="editor__label" aria-hidden="true">{tr!("Token")}</span>
            {(examples > MAX_TOKEN_BUTTONS).then(box_of)}
            {buttons.into_iter().map(one).collect_view()}
        </div>
        <p class="setting__error" role="status" data-testid="token-error" prop:textContent=problem></p>
    }
    .into_any()
}

/// Draws the coordinates of the chosen token, after the chosen transformer layer, as blocks of coloured cells.
pub(super) fn draw_token_strip(panel: PanelContext, network: &DescentNetwork) -> AnyView {
    let layout = TokenLayout::new(network);
    let (parts, rows, numbers) = (strip::token_parts(&layout), strip::row_count(&layout), layout.len());
    let canvases: Vec<NodeRef<Canvas>> = parts.iter().map(|_| NodeRef::new()).collect();
    let phase = Memo::new(move |_| {
        panel
            .see(|state, view| steps::layer_phase(state.plan.network.layer_count(), state.shown_layer(view)))
            .flatten()
    });
    // The number that is pointed at.
    let pointed = RwSignal::new(None::<usize>);
    let blocks = parts.iter().enumerate().map(|(at, part)| {
        let role = {
            let (layout, part) = (layout.clone(), part.clone());
            Memo::new(move |_| strip::part_access(&layout, phase.get(), &part))
        };
        draw_part(at, part, rows, canvases[at], role, pointed)
    });
    let blocks = blocks.collect_view();
    paint_parts(panel, parts.clone(), rows, canvases);
    let parts = StoredValue::new(parts);
    let point = move |event: PointerEvent| {
        let at = event_part(&event).and_then(|(at, of)| {
            let bounds = of.get_bounding_client_rect();
            let right = (f64::from(event.client_x()) - bounds.left()) / bounds.width().max(1.0);
            let down = (f64::from(event.client_y()) - bounds.top()) / bounds.height().max(1.0);
            parts.with_value(|parts| parts.get(at)?.coordinate_at(right, down, rows))
        });
        if pointed.get_untracked() != at {
            pointed.set(at);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let now = pointed.get_untracked();
        let part = |by: isize| {
            parts.with_value(|parts| {
                let here = now.and_then(|now| parts.iter().position(|part| part.range.contains(&now)));
                let to = here.map_or(0, |here| here.saturating_add_signed(by).min(parts.len() - 1));
                parts[to].range.start
            })
        };
        let to = match event.key().as_str() {
            "ArrowLeft" | "ArrowUp" => now.map_or(0, |now| now.saturating_sub(1)),
            "ArrowRight" | "ArrowDown" => now.map_or(0, |now| (now + 1).min(numbers - 1)),
            "PageUp" => part(-1),
            "PageDown" => part(1),
            "Home" => 0,
            "End" => numbers - 1,
            "Escape" => return pointed.set(None),
            _ => return,
        };
        event.prevent_default();
        pointed.set(Some(to));
    };
    let reading = move || {
        let text = panel.see(|state, view| {
            let (at, token) = (pointed.get()?, shown_token(state, view)?);
            Some(strip::describe_coordinate(state.layout(), token, at))
        });
        text.flatten()
    };
    let note = move || {
        let help = || {
            tr!(
                "Point at a number to see its value, or move to the strip with the Tab key and press the arrow keys. PageUp and PageDown go to the previous or next block."
            )
        };
        reading().unwrap_or_else(|| help().into())
    };
    let title = panel.memo(|state, view| {
        let name = action::token_name(state, state.shown_token(view));
        tr!(
            "The token of {name}: {count} numbers",
            name,
            count = format_thousands(state.layout().len() as u64)
        )
    });
    let words = panel.memo(|state, view| {
        let token = shown_token(state, view)?;
        Some(strip::describe_token(state.layout(), &strip::token_parts(state.layout()), token))
    });
    view! {
        <h3 class="card__name" data-testid="strip-title" prop:textContent=title></h3>
        <div class="blocks" role="slider" tabindex="0" data-testid="strip" aria-label=tr!("Components of the token")
            aria-describedby="strip-announcement" aria-valuemin="1" aria-valuemax=numbers.to_string()
            aria-valuenow=move || (pointed.get().unwrap_or(0) + 1).to_string()
            aria-valuetext=move || reading().unwrap_or_else(|| tr!("no point selected").into())
            style:--cell=format!("{}px", strip::cell_side_px(rows))
            on:keydown=on_key on:blur=move |_| pointed.set(None)
            on:pointermove=point on:pointerdown=point on:pointerleave=move |_| pointed.set(None)>
            {blocks}
        </div>
        <p class="visually-hidden" id="strip-announcement" data-testid="strip-announcement"
            prop:textContent=element_text(move || words.get())></p>
        <p class="card__note" data-testid="strip-note" prop:textContent=element_text(note)></p>
        <p class="blocks__key" aria-hidden="true">
            <span class="blocks__pair">{tr!("negative")}<i class="blocks__scale"></i>{tr!("positive")}</span>
            <span class="blocks__pair"><i class="blocks__sample part--written"></i>{tr!("written by this layer")}</span>
            <span class="blocks__pair"><i class="blocks__sample part--read"></i>{tr!("read by this layer")}</span>
            <span>{tr!("Each kind of block has its own colour scale.")}</span>
        </p>
    }
    .into_any()
}

/// Coordinates of the chosen token after the chosen layer; until those of a newly chosen token are computed, those of
/// the previously chosen one.
fn shown_token<'a>(state: &'a DescentState, view: &ViewSettings) -> Option<&'a [f64]> {
    let trace = &state.trace;
    let layer =
        if trace.token_index == state.shown_token(view) { state.shown_layer(view) } else { trace.layer };
    trace.token_by_layer.get(layer).map(Vec::as_slice)
}

/// Coordinate block of the token strip that is the target of an event: (index, element); `None` for another target.
fn event_part(event: &Event) -> Option<(usize, Element)> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let of = target.closest("[data-part]").ok()??;
    Some((of.get_attribute("data-part")?.parse().ok()?, of))
}

/// Draws the block with index `part_index` (from 0) of the token strip, which has `rows` rows: a canvas with one cell
/// per coordinate, and a mark on the cell of the coordinate under the pointer, whose index in the token is `pointed`.
/// `role` says whether the chosen layer reads or writes the block.
fn draw_part(
    part_index: usize,
    part: &TokenPart,
    rows: usize,
    canvas: NodeRef<Canvas>,
    role: Memo<PartAccess>,
    pointed: RwSignal<Option<usize>>,
) -> AnyView {
    let (columns, high) = part.image_size(rows);
    let cell = {
        let part = part.clone();
        Memo::new(move |_| pointed.get().and_then(|at| part.cell_position(at, rows)))
    };
    let share = move |which: usize| {
        move || {
            let (column, row) = cell.get().unwrap_or_default();
            let (at, of) = [(column, columns), (row, high)][which];
            format!("{:.3}%", 100.0 * at as f64 / of as f64)
        }
    };
    view! {
        <div class="part" class:part--written=move || role.get() == PartAccess::Written
            class:part--read=move || role.get() == PartAccess::Read data-testid=format!("part-{}", part.name)
            style:--columns=columns.to_string() style:--rows=high.to_string()>
            <span class="part__name" aria-hidden="true" translate="no">{part.name.clone()}</span>
            <span class="part__frame" data-part=part_index.to_string()>
                <canvas class="part__canvas" node_ref=canvas></canvas>
                <span class="part__mark" class:invisible=move || cell.get().is_none()
                    style:left=share(0) style:top=share(1)></span>
            </span>
        </div>
    }
    .into_any()
}

/// Repaints the canvases of the token strip, one per block in `parts`, on the next frame after the coordinates or the
/// colours have changed; `rows` is the number of rows of cells in the strip.
fn paint_parts(panel: PanelContext, parts: Vec<TokenPart>, rows: usize, canvases: Vec<NodeRef<Canvas>>) {
    let appearance = Appearance::here();
    let colours = Memo::new(move |_| {
        appearance.is_dark.get();
        appearance.theme().diverging_scale_bytes(SHADES_PER_SIGN)
    });
    let watch = move || {
        panel.see(|_, _| ());
        colours.with(|_| ());
    };
    paint_on_frames(watch, move || {
        let Some(colours) = colours.try_get_untracked() else { return };
        panel.peek(|state, view| {
            let token = shown_token(state, view)?;
            let limits = strip::color_limits(&parts, &state.trace.token_by_layer);
            for ((part, canvas), limit) in parts.iter().zip(&canvases).zip(limits) {
                let picture = strip::render_pixels(part, token, limit, rows, &colours);
                if let Some(canvas) = canvas.get_untracked() {
                    let (columns, high) = part.image_size(rows);
                    pixels::draw_pixels(&canvas, (columns as u32, high as u32), &picture);
                }
            }
            Some(())
        });
    });
}
