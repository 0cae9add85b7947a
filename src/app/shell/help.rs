//! The help dialog, and the keyboard shortcuts that it lists.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use crate::browser;
use crate::shell::single_keys::SingleKeys;
use crate::store::Store;
use vivarium_core::language::{LANGUAGES, choose_language, translated};
use vivarium_model::platform::fresh_seed;
use vivarium_page::LANGUAGE;
use vivarium_page::bench::{self, BenchAction};
use vivarium_page::gallery::{FRAGMENT, GalleryAction};
use vivarium_page::html::glossary_html;
use vivarium_page::keys::{KeyPress, acts_once, is_single_sign};
use vivarium_page::lecture::LectureAction;
use vivarium_page::library::LibraryAction;
use vivarium_page::presenter::{Focus, Presenter, PresenterAction};
use vivarium_page::state::Action;
use vivarium_page::tour::TourAction;
use vivarium_panels::panel;
use vivarium_ui::appearance::Appearance;
use vivarium_ui::browser::{read_stored, write_stored};
use vivarium_ui::dialog::{ModalDialog, fold};
use vivarium_view::display::glossary;
use vivarium_view::ui::request::Request;

/// (key, description) of the keyboard shortcuts, for the help dialog.
const KEYS: &[(&str, &str)] = &[
    (text!("Space"), text!("Play or pause; after the end, continue the run")),
    (text!("→ or ."), text!("One step")),
    ("R", text!("Start the same run again")),
    ("N", text!("Start a run with the same settings and a new seed")),
    ("C", text!("Keep this run and compare the next runs with this run")),
    (
        text!("Ctrl Z"),
        text!("Undo the last change; after a new start or a new seed, back to the step of the run before"),
    ),
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
    (text!("Page Down, Page Up, N"), text!("In a lecture: next and previous entry; show or hide the notes")),
    (text!("B or ."), text!("In presenter mode: black screen, or the charts again")),
    ("Q, C, I", text!("In presenter mode: QR code of the address, next chart, panels of the lab")),
    (text!("[ and ]"), text!("Show the previous or the next measurement")),
    (
        text!("← → on a chart"),
        text!("Read the values at one step; ↑ ↓ choose a curve, Enter shows the run at this step"),
    ),
    (text!("Click on a curve"), text!("Show the run at this step")),
    (text!("+, −, 0 on a chart"), text!("Show fewer steps, more steps, or the whole run")),
    (text!("Shift and drag"), text!("Show only the selected steps of the curves")),
    (text!("Esc"), text!("Cancel reading a file, or close an open dialog; show the newest step again")),
    ("?", text!("This help")),
];

/// Address of the file with the licences of all parts of the page, which `cargo xtask build` writes
/// (`.cargo/xtask/src/supply.rs`).
const LICENCES: &str = "./licences.txt";

/// CSS selector of the open drawer with the settings, beside the moving picture.
const DRAWER: &str = "[data-testid=stage-drawer]";

/// CSS selector of the button that opens and closes the drawer with the settings.
const DRAWER_BUTTON: &str = "[data-testid=stage-settings]";

/// Listens to the keyboard shortcuts of the page, for as long as the page is open; `help` and `files` open these
/// dialogs.
pub fn listen_to_shortcuts(
    store: Store,
    help: RwSignal<bool>,
    files: RwSignal<bool>,
    appearance: Appearance,
) {
    let single_keys = SingleKeys::provide();
    window_event_listener(ev::keydown, move |event: KeyboardEvent| {
        let target: Option<Element> = event.target().and_then(|target| target.dyn_into().ok());
        let inside =
            |selector: &str| target.as_ref().is_some_and(|t| matches!(t.closest(selector), Ok(Some(_))));
        let presents = store.peek(|state| state.presenter.is_some());
        // The cover of presenter mode is a dialog, too. A click on a text of a dialog leaves the focus on the page.
        let dialog = if presents { "dialog[open]:not(.cover)" } else { "dialog[open]" };
        if is_on_page(dialog) || event.default_prevented() {
            return;
        }
        let writes = inside("input[type=text], textarea, [contenteditable]");
        let (key, code) = (event.key(), event.code());
        let press = KeyPress {
            key: &key,
            code: &code,
            has_command: event.ctrl_key() || event.meta_key(),
            has_alt: event.alt_key(),
            has_shift: event.shift_key(),
        };
        if press.is_undo() {
            if !(writes && has_unsubmitted_text(store, target.as_ref())) {
                event.prevent_default();
                store.act(Action::Undo);
            }
            return;
        }
        let Some(key) = press.shortcut() else { return };
        if is_single_sign(&key) && !single_keys.are_on_now() {
            return;
        }
        // A control that has the focus keeps the keys that it answers to itself.
        let presses = writes || inside("button, summary, a, select, input");
        let moves = writes || inside("input, select");
        // In presenter mode the full stop covers the screen, which would flash.
        if event.repeat() && (acts_once(&key) || (presents && key == ".")) {
            // Held on the page, Space would scroll it.
            if !presses {
                event.prevent_default();
            }
            return;
        }
        if presents {
            let focus = match (writes, moves) {
                (true, _) => Focus::Text,
                (_, true) => Focus::Control,
                _ => Focus::Page,
            };
            if let Some(action) = Presenter::key_action(&key, focus) {
                event.prevent_default();
                store.act(Action::Presenter(action));
                return;
            }
            let is_notes_key = matches!(key.as_str(), "n" | "N") && focus == Focus::Page;
            if is_notes_key && store.peek(|state| state.lecture.is_some()) {
                store.act(Action::Lecture(LectureAction::ToggleNote));
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
            "Escape" if store.peek(|state| state.file_reading.is_some()) => {
                Action::Request(Request::CancelFile)
            }
            "Escape" if in_gallery => Action::Gallery(GalleryAction::Close),
            "Escape" if in_bench => Action::Bench(BenchAction::Close),
            "Escape" if is_on_page(DRAWER) => {
                event.prevent_default();
                close_drawer();
                return;
            }
            "g" | "G" if !moves => Action::Gallery(GalleryAction::Close),
            // The run goes on beneath, where the effect would not be visible.
            " " | "." | "[" | "]" | "ArrowRight" | "r" | "R" | "n" | "N" | "c" | "C" | "j" | "J" | "k"
            | "K"
                if in_gallery || in_bench =>
            {
                return;
            }
            " " if !presses => Action::TogglePlay,
            "." if !writes => Action::SingleStep,
            // The picture has a slider of its own.
            "[" | "]" if store.peek(|state| state.shows_stage()) => return,
            "[" | "]" if !writes => Action::ScrubBy(key == "]"),
            "Escape" if store.peek(|state| state.player.latest_run.is_some()) => Action::ShowLatestStep,
            "ArrowRight" if !moves => Action::SingleStep,
            "r" | "R" if !moves => Action::Reset,
            "n" | "N" if !moves => Action::NewSeed(fresh_seed()),
            "c" | "C" if !moves => Action::Library(LibraryAction::Compare),
            "s" | "S" if !moves => {
                event.prevent_default();
                files.set(true);
                return;
            }
            "j" | "J" if !moves => Action::Tour(TourAction::Turn(1)),
            "k" | "K" if !moves => Action::Tour(TourAction::Turn(-1)),
            "p" | "P" if !moves && event.shift_key() => Action::Presenter(PresenterAction::Enter),
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

/// Whether an element that matches the CSS selector is on the page.
fn is_on_page(selector: &str) -> bool {
    document().query_selector(selector).is_ok_and(|element| element.is_some())
}

/// Closes the drawer with the settings, whose button gets the focus.
fn close_drawer() {
    let button = document().query_selector(DRAWER_BUTTON).ok().flatten();
    if let Some(button) = button.and_then(|button| button.dyn_into::<web_sys::HtmlElement>().ok()) {
        button.click();
        let _ = button.focus();
    }
}

/// Whether `field` is a text field whose text was not submitted, so that the browser's own undo applies.
fn has_unsubmitted_text(store: Store, field: Option<&Element>) -> bool {
    let Some(field) = field.and_then(|field| field.dyn_ref::<web_sys::HtmlInputElement>()) else {
        return true;
    };
    let id = field.id();
    let Some(key) = id.strip_prefix("setting-") else { return true };
    store.peek(|state| state.field_state(key).text != field.value())
}

/// Creates the menu of languages; a choice reloads the page.
fn language_menu() -> AnyView {
    let now = choose_language(read_stored(LANGUAGE), &browser::reader_languages());
    let choose = |event| {
        write_stored(LANGUAGE, &event_target_value(&event));
        browser::reload_page();
    };
    let options = LANGUAGES.iter().map(|&(code, name)| {
        let chosen = code == now;
        view! { <option value=code lang=code selected=chosen>{name}</option> }
    });
    view! {
        <label class="form-field">
            <span>{tr!("Language")}</span>
            <select data-testid="language" on:change=choose>{options.collect_view()}</select>
        </label>
    }
    .into_any()
}

/// Creates the help dialog's list of the shown charts with their descriptions.
fn about_charts(store: Store) -> AnyView {
    let shown = store.peek(|state| state.player.run.link.view.show.clone());
    let about = shown.into_iter().map(|chart| {
        let about = chart.info();
        // Markup: `glossary_html`, which escapes texts.
        view! { <dt>{about.name}</dt><dd inner_html=glossary_html(about.help)></dd> }
    });
    view! { <h2>{tr!("Charts")}</h2><dl class="glossary">{about.collect_view()}</dl> }.into_any()
}

/// Creates the switch for shortcuts of a single letter or sign.
fn single_keys_switch() -> AnyView {
    let keys = SingleKeys::here();
    view! {
        <label class="teacher__choice">
            <input type="checkbox" data-testid="single-keys" prop:checked=move || keys.are_on()
                on:change=move |event| keys.switch(event_target_checked(&event)) />
            {tr!("Shortcuts of a single letter or sign are on")}
        </label>
        <p class="shortcuts__about">
            {tr!("If these shortcuts are off, letters and signs that are typed or dictated beside a field have no effect. Space, arrow keys, Page Down, Esc and Ctrl Z still work. This browser stores the choice.")}
        </p>
    }
    .into_any()
}

/// Creates the help dialog's list of all terms of the glossary.
fn glossary_list() -> AnyView {
    let terms =
        glossary::sorted_terms().into_iter().map(|(name, means)| view! { <dt>{name}</dt><dd>{means}</dd> });
    view! { <dl class="glossary" data-testid="terms">{terms.collect_view()}</dl> }.into_any()
}

/// The help dialog: description of the page and keyboard shortcuts.
#[component]
pub fn Help(
    /// Whether the dialog is open.
    open: RwSignal<bool>,
) -> impl IntoView {
    let store = Store::here();
    view! {
        <ModalDialog open title=tr!("About this page")>
            // Markup: `glossary_html`, which escapes texts.
            <p inner_html=move || store.see(|state| glossary_html(panel(state.player.run.spec()).help()))></p>
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
            {(LANGUAGES.len() > 1).then(language_menu)}
            {about_charts(store)}
            {fold("glossary", tr!("Glossary"), false, glossary_list)}
            <h2>{tr!("Keys")}</h2>
            {single_keys_switch()}
            <dl class="shortcuts">
                {KEYS
                    .iter()
                    .map(|(key, what)| view! { <dt><kbd>{translated(key)}</kbd></dt><dd>{translated(what)}</dd> })
                    .collect_view()}
            </dl>
        </ModalDialog>
    }
    .into_any()
}
