//! Sweeps: the dialog that makes one, and the map that fills in while its runs end.

use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, HtmlInputElement, HtmlSelectElement, KeyboardEvent};

use super::sheet::Sheet;
use crate::app::form::CELLS_KEY;
use crate::app::state::{Action, State};
use crate::app::store::Store;
use crate::app::sweep_form::{Choice, Way, modes, settings, words};
use crate::app::sweep_map::{Face, faces, legend, markup};
use crate::app::sweeping::{Sweep, Wish};
use crate::permalink::{Cells, encode};

/// Options as markup.
fn options<'a>(of: impl Iterator<Item = (&'a str, &'a str)>, chosen: &str) -> String {
    let mut out = String::new();
    for (value, word) in of {
        let selected = if value == chosen { "\" selected>" } else { "\">" };
        for part in ["<option value=\"", value, selected, word, "</option>"] {
            out.push_str(part);
        }
    }
    out
}

/// The button that opens the dialog, and the dialog.
#[component]
pub fn SweepForm() -> impl IntoView {
    let open = RwSignal::new(false);
    view! {
        <button class="button panel__action" type="button" data-testid="sweep" on:click=move |_| open.set(true)>
            "Sweep over settings"
        </button>
        <Sheet open title="Sweep over one or two settings">{move || dialog(open)}</Sheet>
    }
    .into_any()
}

fn dialog(open: RwSignal<bool>) -> AnyView {
    let store = Store::here();
    // As the link is when the dialog is opened; the run behind it goes on.
    let (link, flops) = store.peek(|state| (state.link.clone(), state.flops()));
    let choice = RwSignal::new(Choice::of(&link.spec));
    let link = StoredValue::new(link);
    let made = move || link.with_value(|link| choice.with(|choice| choice.link(link)));
    let told = Memo::new(move |_| match made() {
        Ok(link) => (true, Choice::estimate(&link, flops)),
        Err(why) => (false, why),
    });
    let hear = move |event: Event| {
        let Some(target) = event.target() else { return };
        let (name, value, is_on) =
            match (target.dyn_ref::<HtmlSelectElement>(), target.dyn_ref::<HtmlInputElement>()) {
                (Some(select), _) => (select.name(), select.value(), false),
                (_, Some(input)) => (input.name(), input.value(), input.checked()),
                _ => return,
            };
        link.with_value(|link| choice.update(|choice| choice.take(&link.spec, &name, &value, is_on)));
    };
    let begin = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        if let Ok(link) = made() {
            open.set(false);
            store.act(Action::Sweep(Wish::Make(Box::new(link))));
        }
    };
    let seeds = choice.with_untracked(|choice| choice.seeds.clone());
    view! {
        <form class="sweeper" on:input=hear on:submit=begin>
            {way(0, "First setting", choice, link)}
            {way(1, "Second setting", choice, link)}
            <label class="wish">
                <span>"Seeds per run"</span>
                <input name="seeds" inputmode="numeric" value=seeds data-testid="sweep-seeds" />
            </label>
            <p class="sweeper__told" class:knob__problem=move || !told.get().0 role="status" data-testid="sweep-told">
                {move || told.get().1}
            </p>
            <button class="button button--main" type="submit" data-testid="sweep-start" disabled=move || !told.get().0>
                "Start the sweep"
            </button>
        </form>
    }
    .into_any()
}

/// What is chosen for one of the settings.
fn way(
    at: usize,
    title: &'static str,
    choice: RwSignal<Choice>,
    link: StoredValue<crate::permalink::Link>,
) -> AnyView {
    let see = move |of: fn(&Way) -> &String| {
        Signal::derive(move || choice.with(|choice| of(&choice.ways[at]).clone()))
    };
    let key = Memo::new(move |_| choice.with(|choice| choice.ways[at].key.clone()));
    let all = link.with_value(|link| {
        let all = settings(&link.spec);
        let none = (at > 0).then_some(("", "None"));
        let all = all.iter().map(|(key, label)| (key.as_str(), label.as_str()));
        options(none.into_iter().chain(all), &key.get_untracked())
    });
    let boxes = move || {
        let key = key.get();
        link.with_value(|link| {
            let mut out = String::new();
            for (slug, label) in words(&link.spec, &key) {
                let checked = if choice.with_untracked(|choice| choice.has(at, slug)) { "checked " } else { "" };
                out += &format!(
                    "<label><input type=\"checkbox\" name=\"word.{at}\" value=\"{slug}\" {checked}/> {label}</label>"
                );
            }
            out
        })
    };
    let kind =
        move || match (key.with(String::is_empty), link.with_value(|l| words(&l.spec, &key.get()).len())) {
            (true, _) => "none",
            (_, 0) if choice.with(|choice| choice.ways[at].mode == "list") => "list",
            (_, 0) => "range",
            _ => "words",
        };
    let mode = see(|way| &way.mode);
    let modes = modes().map(|(value, word)| {
        view! { <option value=value prop:selected=move || mode.with(|mode| mode == value)>{word}</option> }.into_any()
    });
    let field = |name: &'static str, word: &'static str, text: Signal<String>| {
        let class = if name == "list" { "wish wish--list" } else { "wish wish--range" };
        view! {
            <label class=class>
                <span>{word}</span>
                <input name=format!("{name}.{at}") autocomplete="off" spellcheck="false" prop:value=text
                    data-testid=format!("sweep-{name}-{at}") />
            </label>
        }
        .into_any()
    };
    view! {
        <fieldset class="way" data-kind=kind>
            <legend>{title}</legend>
            <label class="wish">
                <span>"Setting"</span>
                <select name=format!("key.{at}") data-testid=format!("sweep-key-{at}") inner_html=all></select>
            </label>
            <label class="wish wish--mode">
                <span>"Values"</span>
                <select name=format!("mode.{at}") data-testid=format!("sweep-mode-{at}")>{modes}</select>
            </label>
            {field("from", "From", see(|way| &way.from))}
            {field("to", "To", see(|way| &way.to))}
            {field("many", "How many", see(|way| &way.many))}
            {field("list", "Numbers", see(|way| &way.list))}
            <div class="way__words" inner_html=boxes></div>
        </fieldset>
    }
    .into_any()
}

/// What the map is made of anew for: the link, how far the sweep is, and whether it rests.
fn news(state: &State) -> Option<(String, usize, bool)> {
    state.sweep.as_ref().map(|sweep| (encode(&state.link), sweep.done.len(), sweep.is_at_rest()))
}

fn cell(number: usize) -> Option<HtmlElement> {
    document().get_element_by_id(&format!("cell-{number}"))?.dyn_into().ok()
}

/// The number of the cell that an event is about.
fn number_of(event: &Event) -> Option<usize> {
    let target: Element = event.target()?.dyn_into().ok()?;
    target.id().strip_prefix("cell-")?.parse().ok()
}

/// Has a cell look so.
fn show(number: usize, face: &Face) {
    let Some(cell) = cell(number) else { return };
    let mut class = String::from("map__cell");
    if face.is_now {
        class += " map__cell--now";
    }
    let at = face.strength.map(|strength| format!("--at:{strength:.3}")).unwrap_or_default();
    for (name, value) in
        [("class", &class), ("style", &at), ("title", &face.about), ("aria-label", &face.about)]
    {
        let _ = cell.set_attribute(name, value);
    }
    cell.set_text_content(Some(&face.text));
}

/// The sweep's map, with how far it is and what ends it; nothing for one run.
#[component]
pub fn SweepMap() -> impl IntoView {
    let is_sweep = Store::here().memo(|state| state.sweep.is_some());
    move || is_sweep.get().then(map)
}

fn map() -> AnyView {
    let store = Store::here();
    let room = NodeRef::<Div>::new();
    let drawn = StoredValue::new((String::new(), Vec::<Face>::new()));
    let told = store.memo(news);
    let about = RwSignal::new(String::new());
    Effect::new(move |_| {
        let (Some(room), Some((link, ..))) = (room.get(), told.get()) else { return };
        let fresh = store.peek(faces);
        drawn.update_value(|(of, known)| {
            if *of != link {
                room.set_inner_html(&store.peek(markup));
                *of = link;
                known.clear();
                if let Some(first) = cell(0) {
                    first.set_tab_index(0);
                }
            }
            for (number, face) in fresh.iter().enumerate() {
                if known.get(number) != Some(face) {
                    show(number, face);
                }
            }
            *known = fresh;
        });
    });
    let point = move |event: &Event| {
        let Some(number) = number_of(event) else { return };
        about.set(
            drawn.with_value(|(_, known)| known.get(number).map(|f| f.about.clone())).unwrap_or_default(),
        );
    };
    // One cell is reached by the tabulator, the others from there by arrows.
    let focus = move |event: Event| {
        point(&event);
        let Some(number) = number_of(&event) else { return };
        for other in 0..drawn.with_value(|(_, known)| known.len()) {
            if let Some(other_cell) = cell(other).filter(|_| other != number) {
                let _ = other_cell.set_attribute("tabindex", "-1");
            }
        }
        if let Some(cell) = cell(number) {
            cell.set_tab_index(0);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let Some(number) = number_of(&event) else { return };
        let (rows, columns) = store.peek(|state| {
            let run = &state.link.spec.run;
            (run.series.values.len().max(1), run.sweep.values.len())
        });
        let (column, row) = (number / rows, number % rows);
        let to = match event.key().as_str() {
            "ArrowLeft" => (column.saturating_sub(1), row),
            "ArrowRight" => ((column + 1).min(columns - 1), row),
            "ArrowUp" => (column, row.saturating_sub(1)),
            "ArrowDown" => (column, (row + 1).min(rows - 1)),
            "Home" => (0, row),
            "End" => (columns - 1, row),
            _ => return,
        };
        event.prevent_default();
        if let Some(cell) = cell(to.0 * rows + to.1) {
            let _ = cell.focus();
        }
    };
    let progress = store.memo(|state| state.sweep.as_ref().map(Sweep::progress).unwrap_or_default());
    let made = store.memo(|state| state.sweep.as_ref().map_or((0, 0), |s| (s.done.len(), s.cells.len())));
    let rests = store.memo(|state| state.sweep.as_ref().is_none_or(Sweep::is_at_rest));
    let words = Memo::new(move |_| {
        told.get();
        store.peek(legend)
    });
    let chosen = store.peek(|state| state.link.view.cells.slug());
    let shown = options(Cells::OPTIONS.iter().map(|choice| (choice.slug, choice.label)), chosen);
    let over = move |event: web_sys::PointerEvent| point(&event);
    view! {
        <section class="map" aria-label="Sweep" data-testid="map">
            <div class="map__head">
                <progress max=move || made.get().1.to_string() prop:value=move || made.get().0 as f64
                    aria-label="Runs of the sweep"></progress>
                <span class="map__progress" data-testid="sweep-progress">{progress}</span>
                <button class="button" type="button" data-testid="sweep-cancel" class:gone=rests disabled=rests
                    on:click=move |_| store.act(Action::Sweep(Wish::Cancel))>"Cancel"</button>
                <select class="knob__select" aria-label="What the cells show" data-testid="sweep-cells" inner_html=shown
                    on:change=move |event| store.act(Action::Edit(CELLS_KEY.into(), event_target_value(&event)))></select>
            </div>
            <div class="map__room" node_ref=room on:focusin=move |event| focus(event.into()) on:pointerover=over
                on:keydown=on_key></div>
            <p class="map__about" data-testid="map-about">
                {move || if about.with(String::is_empty) { words.get() } else { about.get() }}
            </p>
        </section>
    }
    .into_any()
}
