//! The benchmark, shown in place of the run.

use leptos::prelude::*;
use wasm_bindgen::JsValue;
use web_sys::{Event, MouseEvent};

use crate::browser;
use crate::gallery::cards::{follow_focus, scroll_to_view_top};
use crate::store::Store;
use crate::tour::passage::pressed_button;
use vivarium_core::language::translated;
use vivarium_page::bench::BenchAction;
use vivarium_page::state::Action;
use vivarium_ui::browser::get_property;
use vivarium_ui::text::element_text;
use vivarium_view::record::bench::BenchTable;

/// View of the benchmark; empty unless the benchmark is open.
#[component]
pub fn Bench() -> impl IntoView {
    let store = Store::here();
    let is_open = store.memo(|state| state.bench.is_open);
    let copy = move |text: fn(&BenchTable) -> String| {
        let text = store.peek(|state| text(&state.bench.table));
        browser::copy_text(&text, move |is_done| {
            store.act(Action::ShowMessage(translated(if is_done { COPIED_TEXT } else { NOT_COPIED_TEXT })));
        });
    };
    let press = move |event: MouseEvent| {
        let act = |what| store.act(Action::Bench(what));
        match pressed_button(&event).as_deref() {
            Some("close") => act(BenchAction::Close),
            Some("start") => act(BenchAction::Start),
            Some("stop") => act(BenchAction::Stop),
            Some("markdown") => copy(BenchTable::to_markdown),
            Some("json") => copy(to_json),
            _ => {}
        }
    };
    let compare = move |event: Event| {
        let text =
            event.target().and_then(|field| get_property(&field, "value").as_string()).unwrap_or_default();
        let theirs = (!text.trim().is_empty()).then(|| BenchTable::parse(&text, from_json));
        store.act(Action::Bench(BenchAction::Compare(theirs)));
    };
    follow_focus(is_open, scroll_to_view_top);
    move || {
        is_open.get().then(|| {
            let head = store.peek(|state| state.bench.heading_html());
            let version = store.memo(|state| state.bench.version);
            let results = move || {
                version.get();
                store.peek(|state| state.bench.results_html())
            };
            // They change seldom: the button that was pressed keeps the focus meanwhile.
            let controls = store.memo(|state| state.bench.buttons_html());
            let status = store.memo(|state| state.bench.status_text());
            let compared = move || {
                version.get();
                store.peek(|state| state.bench.comparison_note())
            };
            view! {
                <main class="gallery" data-testid="bench-view" on:click=press>
                    // Markup: `Bench::heading_html` and others, written with `Html`, which escapes texts.
                    <div inner_html=head></div>
                    <div class="bench-row">
                        // Markup: the same.
                        <div class="bench-row" inner_html=move || controls.get()></div>
                        <span role="status" data-testid="bench-status" prop:textContent=status></span>
                    </div>
                    // Markup: the same.
                    <div class="gallery__cards" inner_html=results></div>
                    <label class="bench-other">
                        {tr!("Compare with the table of another device: paste that table here, as Markdown or as JSON.")}
                        <textarea rows="4" spellcheck="false" data-testid="bench-other" on:input=compare></textarea>
                    </label>
                    <p class="gallery__count" role="status" data-testid="bench-compared"
                        prop:textContent=element_text(compared)></p>
                </main>
            }
        })
    }
}

/// Converts a table of benchmark results to JSON with the browser's encoder.
fn to_json(table: &BenchTable) -> String {
    let value = serde_wasm_bindgen::to_value(table).unwrap_or(JsValue::NULL);
    let text = js_sys::JSON::stringify_with_replacer_and_space(&value, &JsValue::NULL, &2.into());
    text.ok().and_then(|text| text.as_string()).unwrap_or_default()
}

/// Parses a table of benchmark results from JSON with the browser's decoder; else returns a sentence on the error.
fn from_json(text: &str) -> Result<BenchTable, String> {
    let value = js_sys::JSON::parse(text).map_err(|_| tr!("it is not valid JSON").to_string())?;
    serde_wasm_bindgen::from_value(value).map_err(|why| why.to_string())
}

/// Message after the table of benchmark results was copied to the clipboard.
const COPIED_TEXT: &str = text!("The table has been copied.");
/// Message after the browser refused to copy the table of benchmark results.
const NOT_COPIED_TEXT: &str = text!("The browser did not allow this page to copy the text.");
