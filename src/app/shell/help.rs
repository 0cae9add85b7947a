//! The help dialog, and the keys that it lists.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use crate::browser;
use crate::store::Store;
use vivarium_core::language::{LANGUAGES, translated, wanted};
use vivarium_model::platform::fresh_seed;
use vivarium_page::LANGUAGE;
use vivarium_page::bench::{self, BenchAction};
use vivarium_page::gallery::{FRAGMENT, GalleryAction};
use vivarium_page::html::explained;
use vivarium_page::library::LibraryAction;
use vivarium_page::presenter::{Focus, Presenter, PresenterAction};
use vivarium_page::state::Action;
use vivarium_page::tour::TourAction;
use vivarium_panels::panel;
use vivarium_ui::appearance::Appearance;
use vivarium_ui::browser::{remember, remembered};
use vivarium_ui::sheet::{Sheet, fold};
use vivarium_view::display::glossary;
use vivarium_view::ui::request::Request;

const KEYS: &[(&str, &str)] = &[
    (text!("Space"), text!("Play or pause; after the end, continue the run")),
    (text!("→ or ."), text!("One step")),
    ("R", text!("Start the same run again")),
    ("N", text!("Start a run with the same settings and a new seed")),
    ("C", text!("Keep this run and compare the next runs with this run")),
    (text!("Ctrl Z"), text!("Undo the last change")),
    ("S", text!("Save the run, or open a saved run")),
    ("G", text!("Gallery of all experiments, or back to the run")),
    ("J, K", text!("Next and previous passage of a story")),
    ("P", text!("Large text for a projector, or normal text")),
    (text!("Shift P"), text!("Presenter mode for a lecture; Esc ends presenter mode")),
    (
        text!("Page Down, Page Up"),
        text!(
            "In presenter mode: next and previous passage of the story; without a story, next and previous chart"
        ),
    ),
    (text!("B or ."), text!("In presenter mode: black screen, or the charts again")),
    ("Q, C, I", text!("In presenter mode: QR code of the address, next chart, panels of the lab")),
    (text!("[ and ]"), text!("Show the previous or the next measurement")),
    (
        text!("← → on a chart"),
        text!("Read the values at one step; ↑ ↓ choose a curve, Enter shows the run at this step"),
    ),
    (text!("+, −, 0 on a chart"), text!("Show fewer steps, more steps, or the whole run")),
    (text!("Shift and drag"), text!("Show only the selected steps of the curves")),
    (text!("Esc"), text!("Cancel reading a file, or close an open dialog; show the newest step again")),
    ("?", text!("This help")),
];

/// What all programs of the page are made of; `cargo xtask build` writes it (`.cargo/xtask/src/supply.rs`).
const LICENCES: &str = "./licences.txt";

/// Takes keys from wherever they are not needed otherwise.
pub fn shortcuts(store: Store, help: RwSignal<bool>, files: RwSignal<bool>, appearance: Appearance) {
    window_event_listener(ev::keydown, move |event: KeyboardEvent| {
        let target: Option<Element> = event.target().and_then(|target| target.dyn_into().ok());
        let inside =
            |selector: &str| target.as_ref().is_some_and(|t| matches!(t.closest(selector), Ok(Some(_))));
        let presents = store.peek(|state| state.presenter.is_some());
        // What covers the screen of somebody who presents is a dialog, too.
        if inside("dialog") && !(presents && inside(".cover")) || event.alt_key() || event.default_prevented()
        {
            return;
        }
        let writes = inside("input[type=text], textarea, [contenteditable]");
        let command = event.ctrl_key() || event.meta_key();
        let key = event.key();
        if command {
            if key == "z" && !(writes && is_being_written(store, target.as_ref())) && !event.shift_key() {
                event.prevent_default();
                store.act(Action::Undo);
            }
            return;
        }
        // A control that has the focus keeps the keys that it answers to itself.
        let presses = writes || inside("button, summary, a, select, input");
        let moves = writes || inside("input, select");
        if presents {
            let focus = match (writes, moves) {
                (true, _) => Focus::Text,
                (_, true) => Focus::Control,
                _ => Focus::Page,
            };
            if let Some(action) = Presenter::key(&key, focus) {
                event.prevent_default();
                store.act(Action::Present(action));
                return;
            }
        }
        let [in_gallery, in_bench] = store.peek(|state| [state.gallery.is_open, state.bench.is_open]);
        let action = match key.as_str() {
            "g" | "G" if !in_gallery && !moves => {
                event.prevent_default();
                browser::go_to(FRAGMENT);
                return;
            }
            "Escape" if store.peek(|state| state.reading.is_some()) => Action::Request(Request::CancelFile),
            "Escape" if in_gallery => Action::Gallery(GalleryAction::Close),
            "Escape" if in_bench => Action::Bench(BenchAction::Close),
            "g" | "G" if !moves => Action::Gallery(GalleryAction::Close),
            // The run goes on beneath, where nobody sees what would become of it.
            " " | "." | "[" | "]" | "ArrowRight" | "r" | "R" | "n" | "N" | "c" | "C" | "j" | "J" | "k"
            | "K"
                if in_gallery || in_bench =>
            {
                return;
            }
            " " if !presses => Action::Toggle,
            "." if !writes => Action::SingleStep,
            "[" | "]" if !writes => Action::ScrubBy(key == "]"),
            "Escape" if store.peek(|state| state.end.is_some()) => Action::BackToEnd,
            "ArrowRight" if !moves => Action::SingleStep,
            "r" | "R" if !moves => Action::Reset,
            "n" | "N" if !moves && !event.repeat() => Action::NewSeed(fresh_seed()),
            "c" | "C" if !moves && !event.repeat() => Action::Library(LibraryAction::Compare),
            "s" | "S" if !moves => {
                event.prevent_default();
                files.set(true);
                return;
            }
            "j" | "J" if !moves => Action::Tour(TourAction::Turn(1)),
            "k" | "K" if !moves => Action::Tour(TourAction::Turn(-1)),
            "p" | "P" if !moves && event.shift_key() => Action::Present(PresenterAction::Enter),
            "p" | "P" if !moves => {
                appearance.present();
                return;
            }
            "?" if !writes => {
                help.set(true);
                return;
            }
            _ => return,
        };
        event.prevent_default();
        store.act(action);
    });
}

/// Whether a text field holds what was not taken yet: there the browser's own undo is meant.
fn is_being_written(store: Store, field: Option<&Element>) -> bool {
    let Some(field) = field.and_then(|field| field.dyn_ref::<web_sys::HtmlInputElement>()) else {
        return true;
    };
    let id = field.id();
    let Some(key) = id.strip_prefix("knob-") else { return true };
    store.peek(|state| state.field(key).text != field.value())
}

/// A menu of languages; the page is opened again in the one that is chosen.
fn choice_of_language() -> AnyView {
    let now = wanted(remembered(LANGUAGE), &browser::reads());
    let choose = |event| {
        remember(LANGUAGE, &event_target_value(&event));
        browser::reload();
    };
    let options = LANGUAGES.iter().map(|&(code, name)| {
        let chosen = code == now;
        view! { <option value=code lang=code selected=chosen>{name}</option> }
    });
    view! {
        <label class="wish">
            <span>{tr!("Language")}</span>
            <select data-testid="language" on:change=choose>{options.collect_view()}</select>
        </label>
    }
    .into_any()
}

/// What each chart that is shown is about: its switch says so too, but not to a finger.
fn about_charts(store: Store) -> AnyView {
    let shown = store.peek(|state| state.run.link.view.show.clone());
    let about = shown.into_iter().map(|chart| {
        let about = chart.info();
        // Markup: `explained`, which escapes texts.
        view! { <dt>{about.name}</dt><dd inner_html=explained(about.help)></dd> }
    });
    view! { <h2>{tr!("Charts")}</h2><dl class="glossary">{about.collect_view()}</dl> }.into_any()
}

/// Every term of the glossary.
fn terms() -> AnyView {
    let terms = glossary::sorted().into_iter().map(|(name, means)| view! { <dt>{name}</dt><dd>{means}</dd> });
    view! { <dl class="glossary" data-testid="terms">{terms.collect_view()}</dl> }.into_any()
}

/// What the page is about and which keys it knows.
#[component]
pub fn Help(
    /// Whether it is open.
    open: RwSignal<bool>,
) -> impl IntoView {
    let store = Store::here();
    view! {
        <Sheet open title=tr!("About this page")>
            // Markup: `explained`, which escapes texts.
            <p inner_html=move || store.see(|state| explained(panel(state.run.spec()).help()))></p>
            <p>
                {tr!("The settings and the seed determine every number. The address of this page contains both: if you copy the address and open it elsewhere, the same run starts. No data leaves your device.")}
            </p>
            <p>
                <a href=bench::FRAGMENT data-testid="bench" on:click=move |_| open.set(false)>
                    {tr!("Speed of this device: measure how fast it trains the networks of this page on the CPU and the GPU")}
                </a>
            </p>
            <p>
                <a href=LICENCES target="_blank" data-testid="licences">{tr!("Licences of the programs in this page")}</a>
            </p>
            {(LANGUAGES.len() > 1).then(choice_of_language)}
            {about_charts(store)}
            {fold("glossary", tr!("Glossary"), false, terms)}
            <h2>{tr!("Keys")}</h2>
            <dl class="keys">
                {KEYS
                    .iter()
                    .map(|(key, what)| view! { <dt><kbd>{translated(key)}</kbd></dt><dd>{translated(what)}</dd> })
                    .collect_view()}
            </dl>
        </Sheet>
    }
    .into_any()
}
