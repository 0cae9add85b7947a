//! The map of a sweep, which fills in while its runs end.
//!
//! # Why
//! It is markup that is written once and changed in place: a thousand cells with signals of their own are slow, and every
//! view is code that each visitor carries.

use leptos::html::Section;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, KeyboardEvent};

use crate::store::Store;
use vivarium_core::language::{escaped, translated};
use vivarium_model::permalink::{Cells, encode};
use vivarium_page::settings::form::CELLS_KEY;
use vivarium_page::state::{Action, State};
use vivarium_page::sweeps::SweepAction;
use vivarium_page::sweeps::form::options;
use vivarium_page::sweeps::map::{Face, faces, legend, markup};
use vivarium_ui::browser::{by_id, set_attribute};
use vivarium_view::display::sweep::Sweep;

fn write(id: &str, text: &str) {
    if let Some(element) = by_id(id).filter(|element| element.text_content().as_deref() != Some(text)) {
        element.set_text_content(Some(text));
    }
}

/// What the map is made of anew for: the link, how far the sweep is, and what is said of that.
type News = (String, usize, String);

fn news(state: &State) -> Option<News> {
    state.run.sweep.as_ref().map(|sweep| (encode(&state.run.link), sweep.ended(), sweep.progress()))
}

/// What does not change while a sweep is made, and room for what does.
fn frame(state: &State) -> String {
    let cells = Cells::OPTIONS.iter().map(|choice| (choice.slug, translated(choice.label)));
    format!(
        "<div class=\"map__head\"><progress id=\"map-bar\" aria-label=\"{runs}\"></progress><span \
         class=\"map__progress\" id=\"map-progress\" data-testid=\"sweep-progress\"></span><button class=\"button\" \
         type=\"button\" id=\"map-cancel\" data-testid=\"sweep-cancel\">{cancel}</button><select class=\"knob__select\" \
         aria-label=\"{shown}\" data-testid=\"sweep-cells\">{}</select></div><div class=\"map__room\">{}\
         </div><p class=\"map__about\" id=\"map-about\" data-testid=\"map-about\"></p>",
        options(cells, state.run.link.view.cells.slug()),
        markup(&state.run),
        runs = escaped(tr!("Runs of the sweep")),
        cancel = escaped(tr!("Cancel")),
        shown = escaped(tr!("Quantity shown in the cells")),
    )
}

/// The id of what an event is about, and its number if it is a cell.
fn at(event: &Event) -> (String, Option<usize>) {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let id = target.map(|target| target.id()).unwrap_or_default();
    let number = id.strip_prefix("cell-").and_then(|number| number.parse().ok());
    (id, number)
}

fn cell(number: usize) -> String {
    format!("cell-{number}")
}

/// Has a cell look so.
fn show(number: usize, face: &Face) {
    let Some(cell) = by_id(&cell(number)) else { return };
    let class = if face.is_now { "map__cell map__cell--now" } else { "map__cell" };
    let strength = face.strength.map(|strength| format!("--at:{strength:.3}")).unwrap_or_default();
    // What is read out begins with what is seen, so that it can be called by that.
    let label = [face.text.as_str(), &face.about].join(" ");
    for (name, value) in
        [("class", class), ("style", &strength), ("title", &face.about), ("aria-label", &label)]
    {
        let _ = cell.set_attribute(name, value);
    }
    cell.set_text_content(Some(&face.text));
}

/// The cell to which a key leads from another one.
fn led(state: &State, number: usize, key: &str) -> Option<usize> {
    let run = &state.run.link.spec.run;
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

/// The sweep's map, with how far it is and what ends it; nothing for one run.
#[component]
pub fn SweepMap() -> impl IntoView {
    let is_sweep = Store::here().memo(|state| state.run.sweep.is_some());
    move || is_sweep.get().then(map)
}

fn map() -> AnyView {
    let store = Store::here();
    let room = NodeRef::<Section>::new();
    // Of which link it is, what is drawn, and which cell the tabulator reaches.
    let drawn = StoredValue::new((String::new(), Vec::<Face>::new(), 0usize));
    let told = store.memo(news);
    Effect::new(move |_| {
        let (Some(room), Some((link, done, progress))) = (room.get(), told.get()) else { return };
        let (fresh, all, rests) = store.peek(|state| {
            let sweep = state.run.sweep.as_ref();
            (faces(&state.run), sweep.map_or(0, |s| s.cells.len()), sweep.is_none_or(Sweep::is_at_rest))
        });
        drawn.update_value(|(of, known, reached)| {
            if *of != link {
                // Markup: `frame` and `map::markup`, whose texts are escaped.
                room.set_inner_html(&store.peek(frame));
                (*of, *reached) = (link, 0);
                known.clear();
                set_attribute(&cell(0), "tabindex", "0");
            }
            if *known != fresh {
                fresh
                    .iter()
                    .enumerate()
                    .filter(|(number, face)| known.get(*number) != Some(face))
                    .for_each(|(number, face)| show(number, face));
                *known = fresh;
                write("map-about", &store.peek(|state| legend(&state.run)));
            }
        });
        set_attribute("map-bar", "max", &all.to_string());
        set_attribute("map-bar", "value", &done.to_string());
        write("map-progress", &progress);
        set_attribute("map-cancel", "class", if rests { "button gone" } else { "button" });
    });
    // One cell is reached by the tabulator, the others from there by arrows; what is known of one is said below.
    let point = move |event: Event| {
        let (_, Some(number)) = at(&event) else { return };
        drawn.update_value(|(_, known, reached)| {
            write("map-about", known.get(number).map_or("", |face| &face.about));
            if event.type_() == "focusin" {
                set_attribute(&cell(*reached), "tabindex", "-1");
                set_attribute(&cell(number), "tabindex", "0");
                *reached = number;
            }
        });
    };
    let on_key = move |event: KeyboardEvent| {
        let number = at(&event).1;
        let to = number.and_then(|number| store.peek(|state| led(state, number, &event.key())));
        if let Some(cell) = to.and_then(|to| by_id(&cell(to))) {
            event.prevent_default();
            let _ = cell.focus();
        }
    };
    let on_click = move |event: web_sys::MouseEvent| {
        if at(&event).0 == "map-cancel" {
            store.act(Action::Sweep(SweepAction::Cancel));
        }
    };
    view! {
        <section class="map" aria-label=tr!("Sweep") data-testid="map" node_ref=room on:click=on_click on:keydown=on_key
            on:focusin=move |event| point(event.into()) on:pointerover=move |event| point(event.into())
            on:change=move |event| store.act(Action::Edit(CELLS_KEY.into(), event_target_value(&event)))></section>
    }
    .into_any()
}
