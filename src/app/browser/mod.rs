//! Functions of the browser: address, history, clipboard, storage, scrolling, GPU.

pub mod build;
pub mod files;

use js_sys::{Function, Object, Promise, Reflect};
use leptos::prelude::{document, window};
use wasm_bindgen::prelude::*;
use web_sys::ScrollRestoration;

use vivarium_core::language::TranslationTable;
use vivarium_model::permalink::{find_misplaced_link, strip_trackers};
use vivarium_page::state::State;
use vivarium_page::{lecture, tour};
use vivarium_player::device::GpuSupport;
use vivarium_ui::browser::{get_property, on_settled};

/// Returns the fragment of the address with its `#`.
pub fn fragment() -> String {
    window().location().hash().unwrap_or_default()
}

/// Returns the link that follows `?` or an encoded `#` in this page's address, with its `#`, and moves it to the fragment of
/// the address; None if the address has a fragment, or no such link.
pub fn take_misplaced_link() -> Option<String> {
    let (link, address) = find_misplaced_link(&window().location().href().ok()?)?;
    if let Ok(history) = window().history() {
        // Where a browser refuses, the next change of the link leaves both in the address; the fragment counts.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&format!("{address}{link}")));
    }
    Some(link)
}

/// Navigates to another fragment of this page's address.
pub fn go_to(fragment: &str) {
    // It fails in no browser: the page stays.
    let _ = window().location().set_hash(fragment);
}

/// Returns how far the page is scrolled from its top, in CSS pixels.
pub fn scroll_position() -> f64 {
    window().scroll_y().unwrap_or_default()
}

/// Scrolls the page to `y` CSS pixels from its top.
pub fn scroll_to(y: f64) {
    window().scroll_to_with_x_and_y(0.0, y);
}

/// Stores a text in the current entry of the browser's history; it is restored when the user comes back to that entry. The
/// browser does not scroll by itself then.
pub fn set_history_state(text: &str) {
    if let Ok(history) = window().history() {
        // Where a browser refuses, the place is not restored.
        let _ = history.replace_state(&JsValue::from(text), "");
        let _ = history.set_scroll_restoration(ScrollRestoration::Manual);
    }
}

/// Returns the text that [`set_history_state`] has stored in the current entry of the browser's history; None without
/// one.
pub fn history_state() -> Option<String> {
    window().history().ok()?.state().ok()?.as_string()
}

/// Prefixes of the addresses of stories and lectures; a `/` separates a passage or entry from the rest of the address.
const PLACE_PREFIXES: [&str; 2] = [tour::ADDRESS_PREFIX, lecture::ADDRESS_PREFIX];

/// Sets the fragment in the address bar. Passages of a story and entries of a lecture add an entry to the history; other
/// links replace the current one. False if the browser has refused, which browsers do if it happens too often: Safari after
/// 100 changes in 10 seconds.
pub fn set_address_bar(link: &str) -> bool {
    let now = fragment();
    if now == link {
        return true;
    }
    let names_place = |link: &str| {
        PLACE_PREFIXES.iter().find_map(|prefix| link.strip_prefix(prefix).map(|place| place.contains('/')))
    };
    // The address of a story or lecture without a place is replaced by the address with the first place.
    let is_new_entry = names_place(link) == Some(true) && names_place(&now) != Some(false);
    let changed = window().history().and_then(|history| match is_new_entry {
        true => history.push_state_with_url(&JsValue::NULL, "", Some(link)),
        false => history.replace_state_with_url(&JsValue::NULL, "", Some(link)),
    });
    changed.is_ok()
}

/// Returns the full address of this page with the fragment `link`, without the keys by which other sites recognise visitors.
pub fn address_of(link: &str) -> String {
    let location = window().location();
    let whole = location.href().unwrap_or_default();
    let base = whole.split('#').next().unwrap_or_default();
    format!("{}{link}", strip_trackers(base))
}

/// Copies a text to the clipboard; `done` receives whether it was copied.
pub fn copy_text(text: &str, done: impl FnOnce(bool) + 'static) {
    // Outside of a secure context there is no clipboard, whatever web-sys says.
    let clipboard = get_property(&window().navigator(), "clipboard");
    if clipboard.is_undefined() {
        return done(false);
    }
    let promise = window().navigator().clipboard().write_text(text);
    on_settled(&promise, move |outcome| done(outcome.is_ok()));
}

#[wasm_bindgen]
extern "C" {
    /// Calls the browser's `fetch`; the binding in web-sys would add unused types to the WebAssembly.
    #[wasm_bindgen(js_name = fetch)]
    fn fetch_file(address: &str) -> Promise;
}

/// Fetches a text file of this page's host; `done` receives the text or a sentence on the error.
pub fn fetch_text(file: &str, done: impl FnOnce(Result<String, String>) + 'static) {
    on_settled(&fetch_file(&build::address_with_build(file)), move |response| {
        let response = response.unwrap_or(JsValue::NULL);
        let text = get_property(&response, "text").dyn_into::<Function>();
        match text.and_then(|text| text.call0(&response)) {
            Ok(promise) if get_property(&response, "ok").is_truthy() => {
                on_settled(&Promise::resolve(&promise), move |text| {
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

/// Scrolls the page until the first element that matches the CSS selector `selector` is visible.
pub fn scroll_into_view(selector: &str) {
    let Ok(Some(element)) = document().query_selector(selector) else { return };
    let how = Object::new();
    let _ = Reflect::set(&how, &"block".into(), &"nearest".into());
    if let Ok(scroll) = get_property(&element, "scrollIntoView").dyn_into::<Function>() {
        let _ = scroll.call1(&element, &how);
    }
}

/// Whether the browser has WebGPU.
pub fn has_gpu() -> bool {
    get_property(&window().navigator(), "gpu").is_object()
}

/// Returns the number of hardware threads that the browser reports, to decide how many workers train.
pub fn thread_count() -> usize {
    get_property(&window().navigator(), "hardwareConcurrency").as_f64().map_or(1, |cores| cores as usize)
}

/// Requests a GPU adapter from the browser; `done` receives the GPU support, never before this function has returned.
pub fn detect_gpu(done: impl FnOnce(GpuSupport) + 'static) {
    let gpu = get_property(&window().navigator(), "gpu");
    let request = get_property(&gpu, "requestAdapter").dyn_into::<Function>();
    let answer = request.and_then(|request| request.call0(&gpu)).unwrap_or(JsValue::NULL);
    let promise = Promise::resolve(&answer);
    on_settled(&promise, move |adapter| {
        let adapter = adapter.unwrap_or(JsValue::NULL);
        if !adapter.is_object() {
            return done(GpuSupport::NoAdapter);
        }
        let info = get_property(&adapter, "info");
        let word = |key: &str| get_property(&info, key).as_string().unwrap_or_default();
        let names = [word("description"), format!("{} {}", word("vendor"), word("architecture"))];
        let name = names.iter().map(|n| n.trim()).find(|n| !n.is_empty()).unwrap_or_default().to_string();
        // The flag moved from the adapter to its info; browsers of either age are about.
        let simulated = [&info, &adapter].iter().any(|o| get_property(o, "isFallbackAdapter").is_truthy());
        done(GpuSupport::Adapter { name, simulated });
    });
}

/// Returns the languages that the user reads, best first.
pub fn reader_languages() -> Vec<String> {
    window().navigator().languages().iter().filter_map(|tag| tag.as_string()).collect()
}

/// Parses the translated texts of a language from JSON with the browser's decoder; None if they are not a JSON object
/// of texts.
pub fn parse_text_table(json: &str) -> Option<TranslationTable> {
    let object = js_sys::JSON::parse(json).ok()?.dyn_into::<Object>().ok()?;
    let pair =
        |pair: JsValue| Some((get_property(&pair, "0").as_string()?, get_property(&pair, "1").as_string()?));
    // Collecting them would sort them first, by a function of its own.
    let mut table = TranslationTable::new();
    Object::entries(&object).iter().filter_map(pair).for_each(|(text, own)| _ = table.insert(text, own));
    Some(table)
}

/// Reloads the page in the browser.
pub fn reload_page() {
    // It fails in no browser.
    let _ = window().location().reload();
}

/// Defines `window.vivarium.rows()`, which returns every measurement of the run, for tests and for curious users.
pub fn publish_rows(read: impl Fn(&mut dyn FnMut(&State)) + 'static) {
    let rows = Closure::<dyn Fn() -> JsValue>::new(move || {
        let mut out = JsValue::UNDEFINED;
        read(&mut |state| {
            let rows: Vec<_> = state.player.run.history.all_rows().collect();
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

/// After a panic, shows a notice with a reload button that works without the stopped WebAssembly.
pub fn show_panic() {
    build::show_notice("crash", tr!("This page has stopped because of an error in its program."));
}
