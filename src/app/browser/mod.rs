//! What the page asks of the browser: address, clipboard, storage, media, GPU.

pub mod build;
pub mod files;

use js_sys::{Function, Object, Promise, Reflect};
use leptos::prelude::{document, window};
use wasm_bindgen::prelude::*;

use vivarium_core::language::Table;
use vivarium_page::state::State;
use vivarium_page::trainer::device::Survey;
use vivarium_ui::browser::{get, settle};

/// The fragment of the address, with its `#`.
pub fn fragment() -> String {
    window().location().hash().unwrap_or_default()
}

/// Goes to another fragment, as a link to it would.
pub fn go_to(fragment: &str) {
    // It fails in no browser: the page stays.
    let _ = window().location().set_hash(fragment);
}

/// How far the page is scrolled, in pixels of the style sheet.
pub fn scrolled() -> f64 {
    window().scroll_y().unwrap_or_default()
}

/// Scrolls the page that far.
pub fn scroll_to(y: f64) {
    window().scroll_to_with_x_and_y(0.0, y);
}

/// Writes a text into the entry of the history that is shown: it is there again when a person comes back to that entry.
pub fn note_in_history(text: &str) {
    if let Ok(history) = window().history() {
        // Where a browser refuses, the place is not restored.
        let _ = history.replace_state(&JsValue::from(text), "");
    }
}

/// The text that was written into the entry of the history that is shown.
pub fn noted_in_history() -> Option<String> {
    window().history().ok()?.state().ok()?.as_string()
}

/// Puts a link into the address bar: without a new entry in the history, but for the passages of a story, through which a
/// person goes back and forward.
pub fn show_address(link: &str) {
    let now = fragment();
    if now == link {
        return;
    }
    let is_passage = |link: &str| link.strip_prefix("#story/").is_some_and(|place| place.contains('/'));
    if let Ok(history) = window().history()
        && is_passage(link)
        && (!now.starts_with("#story/") || is_passage(&now))
    {
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(link));
        return;
    }
    if let Ok(history) = window().history() {
        // A browser may refuse when it happens too often; the next change tries again.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(link));
    }
}

/// The whole address of this page with `link`.
pub fn address_of(link: &str) -> String {
    let location = window().location();
    let whole = location.href().unwrap_or_default();
    let base = whole.split('#').next().unwrap_or_default();
    format!("{base}{link}")
}

/// Copies `text`; `done` learns whether it worked.
pub fn copy(text: &str, done: impl FnOnce(bool) + 'static) {
    // Outside of a secure context there is no clipboard, whatever web-sys says.
    let clipboard = get(&window().navigator(), "clipboard");
    if clipboard.is_undefined() {
        return done(false);
    }
    let promise = window().navigator().clipboard().write_text(text);
    settle(&promise, move |outcome| done(outcome.is_ok()));
}

#[wasm_bindgen]
extern "C" {
    /// web-sys has it too, with types that nothing else here needs.
    #[wasm_bindgen(js_name = fetch)]
    fn fetch_file(address: &str) -> Promise;
}

/// Fetches a text file of this page; `done` gets it, or a sentence.
pub fn fetch(file: &str, done: impl FnOnce(Result<String, String>) + 'static) {
    settle(&fetch_file(&build::with_build(file)), move |response| {
        let response = response.unwrap_or(JsValue::NULL);
        let text = get(&response, "text").dyn_into::<Function>();
        match text.and_then(|text| text.call0(&response)) {
            Ok(promise) if get(&response, "ok").is_truthy() => {
                settle(&Promise::resolve(&promise), move |text| {
                    done(
                        text.ok()
                            .and_then(|text| text.as_string())
                            .ok_or(tr!("the file could not be read").into()),
                    );
                });
            }
            _ => done(Err(tr!("the file could not be fetched").into())),
        }
    });
}

/// Scrolls as far as it takes to see what `selector` names.
pub fn bring_into_view(selector: &str) {
    let Ok(Some(element)) = document().query_selector(selector) else { return };
    let how = Object::new();
    let _ = Reflect::set(&how, &"block".into(), &"nearest".into());
    if let Ok(scroll) = get(&element, "scrollIntoView").dyn_into::<Function>() {
        let _ = scroll.call1(&element, &how);
    }
}

/// Whether the browser knows WebGPU at all.
pub fn has_gpu() -> bool {
    get(&window().navigator(), "gpu").is_object()
}

/// How many threads the processor runs at once, as far as the browser tells.
pub fn cores() -> usize {
    get(&window().navigator(), "hardwareConcurrency").as_f64().map_or(1, |cores| cores as usize)
}

/// Asks the browser for a GPU adapter. The answer always comes later, never at once.
pub fn survey(done: impl FnOnce(Survey) + 'static) {
    let gpu = get(&window().navigator(), "gpu");
    let request = get(&gpu, "requestAdapter").dyn_into::<Function>();
    let answer = request.and_then(|request| request.call0(&gpu)).unwrap_or(JsValue::NULL);
    let promise = Promise::resolve(&answer);
    settle(&promise, move |adapter| {
        let adapter = adapter.unwrap_or(JsValue::NULL);
        if !adapter.is_object() {
            return done(Survey::NoAdapter);
        }
        let info = get(&adapter, "info");
        let word = |key: &str| get(&info, key).as_string().unwrap_or_default();
        let names = [word("description"), format!("{} {}", word("vendor"), word("architecture"))];
        let name = names.iter().map(|n| n.trim()).find(|n| !n.is_empty()).unwrap_or_default().to_string();
        // The flag moved from the adapter to its info; browsers of either age are about.
        let simulated = [&info, &adapter].iter().any(|o| get(o, "isFallbackAdapter").is_truthy());
        done(Survey::Adapter { name, simulated });
    });
}

/// The languages that the person reads, best first.
pub fn reads() -> Vec<String> {
    window().navigator().languages().iter().filter_map(|tag| tag.as_string()).collect()
}

/// The texts that an object has under its keys, read by the browser, which knows JSON already; none where it is none.
pub fn texts(json: &str) -> Option<Table> {
    let object = js_sys::JSON::parse(json).ok()?.dyn_into::<Object>().ok()?;
    let pair = |pair: JsValue| Some((get(&pair, "0").as_string()?, get(&pair, "1").as_string()?));
    // Collecting them would sort them first, by a function of its own.
    let mut table = Table::new();
    Object::entries(&object).iter().filter_map(pair).for_each(|(text, own)| _ = table.insert(text, own));
    Some(table)
}

/// Opens the page again.
pub fn reload() {
    // It fails in no browser.
    let _ = window().location().reload();
}

/// `window.vivarium.rows()`: every kept measurement, for tests and for the curious.
pub fn publish_rows(read: impl Fn(&mut dyn FnMut(&State)) + 'static) {
    let rows = Closure::<dyn Fn() -> JsValue>::new(move || {
        let mut out = JsValue::UNDEFINED;
        read(&mut |state| {
            let rows: Vec<_> = state.run.history.rows().collect();
            out = serde_wasm_bindgen::to_value(&rows).unwrap_or(JsValue::UNDEFINED);
        });
        out
    });
    let api = Object::new();
    let _ = Reflect::set(&api, &"rows".into(), rows.as_ref());
    let _ = Reflect::set(&window(), &"vivarium".into(), &api);
    // It lives as long as the page.
    rows.forget();
}

/// After a panic: one sentence and a way out, without a call back into the dead program.
pub fn show_panic() {
    build::notice("crash", tr!("This page has stopped because of an error in its program."));
}
