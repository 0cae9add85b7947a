//! The build of this page, and the notice that the server has another one.
//!
//! # Why
//! A deployment replaces all files at once, while the page may be open or kept by its service worker. Files that it
//! fetches later carry the build's name, in their own or as a query, so that none of another build takes their place;
//! where one is gone for that reason, the page says so and offers to be opened again.

use js_sys::{Function, Object, Promise, Reflect};
use leptos::prelude::{document, window};
use wasm_bindgen::prelude::*;

use vivarium_ui::browser::{get_property, on_settled};

/// File with the name of the server's current build (`.cargo/xtask/src/finish.rs`); the service worker does not cache
/// it.
const BUILD_FILE: &str = "./build.txt";
/// DOM id of the notice that the page is outdated, so that at most one is shown.
const NOTICE_ID: &str = "outdated";

/// Returns the name of the build that this page belongs to, from its HTML; it begins with `_` in an unfinished build.
pub fn build_name() -> String {
    let meta = document().query_selector("meta[name=build]").ok().flatten();
    meta.and_then(|meta| meta.get_attribute("content")).unwrap_or_default()
}

/// Returns the suffix of the worker files' names, "-" and the name of the build; empty in an unfinished build.
pub fn worker_file_suffix() -> String {
    Some(build_name())
        .filter(|build| has_build_name(build))
        .map(|build| format!("-{build}"))
        .unwrap_or_default()
}

/// Returns the address of a file with the name of the build as its query, by which the service worker tells builds
/// apart.
pub fn address_with_build(file: &str) -> String {
    match build_name() {
        build if has_build_name(&build) => format!("{file}?build={build}"),
        _ => file.into(),
    }
}

/// Whether `build` is the name of a finished build, and not of an unfinished one.
fn has_build_name(build: &str) -> bool {
    !build.is_empty() && !build.starts_with('_')
}

#[wasm_bindgen]
extern "C" {
    /// Calls the browser's `fetch` with options; the binding in web-sys would add unused types to the WebAssembly.
    #[wasm_bindgen(js_name = fetch)]
    fn fetch_with(address: &str, how: &Object) -> Promise;
}

/// Compares the server's build with this one after a failed fetch, and offers to reload the page if they differ.
/// Offline nothing is shown.
pub fn check_for_new_build() {
    let how = Object::new();
    let _ = Reflect::set(&how, &"cache".into(), &"no-store".into());
    on_settled(&fetch_with(BUILD_FILE, &how), |response| {
        let response = response.unwrap_or(JsValue::NULL);
        let text =
            get_property(&response, "text").dyn_into::<Function>().and_then(|text| text.call0(&response));
        let (Ok(text), true) = (text, get_property(&response, "ok").is_truthy()) else { return };
        on_settled(&Promise::resolve(&text), |text| {
            let published = text.ok().and_then(|text| text.as_string()).unwrap_or_default();
            let ours = build_name();
            if has_build_name(&ours) && is_build_name(published.trim()) && published.trim() != ours {
                show_reload_notice();
            }
        });
    });
}

/// Whether the text of a response is the name of a build, and not the page that some hosts send for a missing file.
fn is_build_name(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Shows a notice that the page is outdated, with a button that reloads it.
pub fn show_reload_notice() {
    if document().get_element_by_id(NOTICE_ID).is_none() {
        show_notice(
            NOTICE_ID,
            tr!(
                "A newer version of this page has been published, and the server no longer has all parts of this version. Open the page again; the address of the page keeps your settings."
            ),
        );
    }
}

/// Shows a notice (DOM id `id`) with a button that reloads the page in plain JavaScript, since the WebAssembly may have
/// stopped.
pub(super) fn show_notice(id: &str, sentence: &str) {
    let document = document();
    let (Some(body), Ok(notice), Ok(button)) =
        (document.body(), document.create_element("p"), document.create_element("button"))
    else {
        return;
    };
    notice.set_class_name("crash");
    notice.set_id(id);
    let _ = notice.set_attribute("role", "alert");
    notice.set_text_content(Some(&format!("{sentence} ")));
    button.set_text_content(Some(tr!("Open the page again")));
    let location: JsValue = window().location().into();
    if let Ok(reload) = get_property(&location, "reload").dyn_into::<Function>() {
        let _ = Reflect::set(&button, &"onclick".into(), &reload.bind0(&location));
    }
    let _ = notice.append_child(&button);
    let _ = body.append_child(&notice);
}
