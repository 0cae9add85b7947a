//! Which build of the page this is, and what is said where the server has another one by now.
//!
//! # Why
//! A deployment replaces all files at once, while the page may be open or kept by its service worker. Files that it
//! fetches later carry the build's name, in their own or as a query, so that none of another build takes their place;
//! where one is gone for that reason, the page says so and offers to be opened again.

use js_sys::{Function, Object, Promise, Reflect};
use leptos::prelude::{document, window};
use wasm_bindgen::prelude::*;

use vivarium_ui::browser::{get, settle};

/// The name of the build that the server has now (`.cargo/xtask/src/finish.rs`). No service worker keeps it.
const PUBLISHED: &str = "./build.txt";
/// The notice's id: one is enough.
const NOTICE: &str = "outdated";

/// The name of this build; `__BUILD__` where it was not finished.
pub fn build() -> String {
    let meta = document().query_selector("meta[name=build]").ok().flatten();
    meta.and_then(|meta| meta.get_attribute("content")).unwrap_or_default()
}

/// What stands in the names of the workers' files before their end.
pub fn suffix() -> String {
    Some(build()).filter(|build| is_finished(build)).map(|build| format!("-{build}")).unwrap_or_default()
}

/// The address of a file whose name says nothing of its contents: of this build, for the service worker.
pub fn with_build(file: &str) -> String {
    match build() {
        build if is_finished(&build) => format!("{file}?build={build}"),
        _ => file.into(),
    }
}

fn is_finished(build: &str) -> bool {
    !build.is_empty() && !build.starts_with('_')
}

#[wasm_bindgen]
extern "C" {
    /// web-sys has it too, with types that nothing else here needs.
    #[wasm_bindgen(js_name = fetch)]
    fn fetch_with(address: &str, how: &Object) -> Promise;
}

/// Looks which build the server has, after a file of this one could not be fetched; offers to open the page again
/// where it is another. Without a network there is nothing to say.
pub fn look_for_another() {
    let how = Object::new();
    let _ = Reflect::set(&how, &"cache".into(), &"no-store".into());
    settle(&fetch_with(PUBLISHED, &how), |response| {
        let response = response.unwrap_or(JsValue::NULL);
        let text = get(&response, "text").dyn_into::<Function>().and_then(|text| text.call0(&response));
        let (Ok(text), true) = (text, get(&response, "ok").is_truthy()) else { return };
        settle(&Promise::resolve(&text), |text| {
            let published = text.ok().and_then(|text| text.as_string()).unwrap_or_default();
            let ours = build();
            if is_finished(&ours) && is_name(published.trim()) && published.trim() != ours {
                offer_new();
            }
        });
    });
}

/// Whether a text is the name of a build, and not the page that some hosts send in place of a missing file.
fn is_name(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Says that the page is of an older build than the server's files, and offers to open it again.
pub fn offer_new() {
    if document().get_element_by_id(NOTICE).is_none() {
        notice(
            NOTICE,
            tr!(
                "A newer version of this page has been published, and the server no longer has all parts of this version. Open the page again; the address of the page keeps your settings."
            ),
        );
    }
}

/// A sentence over the page, and a button that opens the page again: without a call back into this program, which may
/// have stopped.
pub(super) fn notice(id: &str, sentence: &str) {
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
    if let Ok(reload) = get(&location, "reload").dyn_into::<Function>() {
        let _ = Reflect::set(&button, &"onclick".into(), &reload.bind0(&location));
    }
    let _ = notice.append_child(&button);
    let _ = body.append_child(&notice);
}
