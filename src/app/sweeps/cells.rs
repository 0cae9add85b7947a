//! The map of a sweep, which fills in while its runs end.
//!
//! # Why
//! It is HTML that is written once and changed in place: a thousand cells with signals of their own are slow, and every
//! view adds code to the program.

use leptos::html::Section;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, KeyboardEvent};

use crate::store::Store;
use vivarium_core::language::{escape_html, translated};
use vivarium_model::permalink::{SweepMapQuantity, encode};
use vivarium_page::settings::form::MAP_VALUE_KEY;
use vivarium_page::state::{Action, State};
use vivarium_page::sweeps::SweepAction;
use vivarium_page::sweeps::form::options_html;
use vivarium_page::sweeps::map::{CellView, cell_views, map_html, map_legend};
use vivarium_ui::browser::{element_by_id, set_attribute};
use vivarium_view::display::sweep::SweepProgress;

/// Sets the text of the element with this DOM id, if there is one and its text differs.
fn set_element_text(id: &str, text: &str) {
    if let Some(element) = element_by_id(id).filter(|element| element.text_content().as_deref() != Some(text))
    {
        element.set_text_content(Some(text));
    }
}

/// Values on which the sweep's map depends: (link, number of ended runs, sentence on the progress) of the sweep; the
/// map is drawn again when one of them changes.
type MapInputs = (String, usize, String);

/// Returns the values on which the sweep's map depends; None without a sweep.
fn map_inputs(state: &State) -> Option<MapInputs> {
    state
        .player
        .run
        .sweep
        .as_ref()
        .map(|sweep| (encode(&state.player.run.link), sweep.ended_count(), sweep.describe_progress()))
}

/// Returns the HTML of the sweep's map: head, empty cells and a line for the legend.
fn map_frame_html(state: &State) -> String {
    let cells = SweepMapQuantity::OPTIONS.iter().map(|choice| (choice.slug, translated(choice.label)));
    format!(
        "<div class=\"map__head\"><progress id=\"map-bar\" aria-label=\"{runs}\"></progress><span \
         class=\"map__progress\" id=\"map-progress\" data-testid=\"sweep-progress\"></span><button class=\"button\" \
         type=\"button\" id=\"map-cancel\" data-testid=\"sweep-cancel\">{cancel}</button><select class=\"setting__select\" \
         aria-label=\"{shown}\" data-testid=\"sweep-cells\">{}</select></div><div class=\"map__scroll\">{}\
         </div><p class=\"map__about\" id=\"map-about\" data-testid=\"map-about\"></p>",
        options_html(cells, state.player.run.link.view.cells.slug()),
        map_html(&state.player.run),
        runs = escape_html(tr!("Runs of the sweep")),
        cancel = escape_html(tr!("Cancel")),
        shown = escape_html(tr!("Quantity shown in the cells")),
    )
}

/// Returns (DOM id of the event's target, index of the cell if the target is a cell of the map).
fn event_target_cell(event: &Event) -> (String, Option<usize>) {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let id = target.map(|target| target.id()).unwrap_or_default();
    let number = id.strip_prefix("cell-").and_then(|number| number.parse().ok());
    (id, number)
}

/// Returns the DOM id of the map's cell with this index; the index is that of a run in the sweep.
fn cell_id(number: usize) -> String {
    format!("cell-{number}")
}

/// Sets text, colour and description of the map's cell with this index.
fn show_cell(number: usize, view: &CellView) {
    let Some(cell) = element_by_id(&cell_id(number)) else { return };
    let class = if view.is_now { "map__cell map__cell--current" } else { "map__cell" };
    let strength = view.colour_strength.map(|strength| format!("--filled:{strength:.3}")).unwrap_or_default();
    // What is read out begins with what is seen, so that it can be called by that.
    let label = [view.text.as_str(), &view.description].join(" ");
    for (name, value) in
        [("class", class), ("style", &strength), ("title", &view.description), ("aria-label", &label)]
    {
        let _ = cell.set_attribute(name, value);
    }
    cell.set_text_content(Some(&view.text));
}

/// Returns the index of the cell to which a key (an arrow key, Home or End) moves the focus from the cell `number`;
/// None for other keys.
fn cell_for_key(state: &State, number: usize, key: &str) -> Option<usize> {
    let run = &state.player.run.link.spec.run;
    let (rows, columns) = (run.series.values.len().max(1), run.sweep.values.len());
    let (column, row) = (number / rows, number % rows);
    let (column, row) = match key {
        "ArrowLeft" => (column.saturating_sub(1), row),
        "ArrowRight" => ((column + 1).min(columns - 1), row),
        "ArrowUp" => (column, row.saturating_sub(1)),
        "ArrowDown" => (column, (row + 1).min(rows - 1)),
        "Home" => (0, row),
        "End" => (columns - 1, row),
        _ => return None,
    };
    Some(column * rows + row)
}

/// The map of the sweep with its progress and a button that cancels it; empty without a sweep.
#[component]
pub fn SweepMap() -> impl IntoView {
    let is_sweep = Store::here().memo(|state| state.player.run.sweep.is_some());
    move || is_sweep.get().then(map_view)
}

/// Creates the map of the sweep.
fn map_view() -> AnyView {
    let store = Store::here();
    let frame = NodeRef::<Section>::new();
    // Of which link it is, what is drawn, and which cell the tabulator reaches.
    let drawn = StoredValue::new((String::new(), Vec::<CellView>::new(), 0usize));
    let inputs = store.memo(map_inputs);
    Effect::new(move |_| {
        let (Some(frame), Some((link, done, progress))) = (frame.get(), inputs.get()) else { return };
        let (fresh, all, rests) = store.peek(|state| {
            let sweep = state.player.run.sweep.as_ref();
            (
                cell_views(&state.player.run),
                sweep.map_or(0, |s| s.cells.len()),
                sweep.is_none_or(SweepProgress::is_stopped),
            )
        });
        drawn.update_value(|(of, known, reached)| {
            if *of != link {
                // Markup: `map_frame_html` and `map_html`, whose texts are escaped.
                frame.set_inner_html(&store.peek(map_frame_html));
                (*of, *reached) = (link, 0);
                known.clear();
                set_attribute(&cell_id(0), "tabindex", "0");
            }
            if *known != fresh {
                fresh
                    .iter()
                    .enumerate()
                    .filter(|(number, face)| known.get(*number) != Some(face))
                    .for_each(|(number, face)| show_cell(number, face));
                *known = fresh;
                set_element_text("map-about", &store.peek(|state| map_legend(&state.player.run)));
            }
        });
        set_attribute("map-bar", "max", &all.to_string());
        set_attribute("map-bar", "value", &done.to_string());
        set_element_text("map-progress", &progress);
        set_attribute("map-cancel", "class", if rests { "button not-displayed" } else { "button" });
    });
    // One cell is reached with Tab, the others from there with arrow keys; the result of the focused cell is
    // described below.
    let point = move |event: Event| {
        let (_, Some(number)) = event_target_cell(&event) else { return };
        drawn.update_value(|(_, known, reached)| {
            set_element_text("map-about", known.get(number).map_or("", |face| &face.description));
            if event.type_() == "focusin" {
                set_attribute(&cell_id(*reached), "tabindex", "-1");
                set_attribute(&cell_id(number), "tabindex", "0");
                *reached = number;
            }
        });
    };
    let on_key = move |event: KeyboardEvent| {
        let number = event_target_cell(&event).1;
        let to = number.and_then(|number| store.peek(|state| cell_for_key(state, number, &event.key())));
        if let Some(cell) = to.and_then(|to| element_by_id(&cell_id(to))) {
            event.prevent_default();
            let _ = cell.focus();
        }
    };
    let on_click = move |event: web_sys::MouseEvent| {
        if event_target_cell(&event).0 == "map-cancel" {
            store.act(Action::Sweep(SweepAction::Cancel));
        }
    };
    view! {
        <section class="map" aria-label=tr!("Sweep") data-testid="map" node_ref=frame on:click=on_click on:keydown=on_key
            on:focusin=move |event| point(event.into()) on:pointerover=move |event| point(event.into())
            on:change=move |event| store.act(Action::Edit(MAP_VALUE_KEY.into(), event_target_value(&event)))></section>
    }
    .into_any()
}
