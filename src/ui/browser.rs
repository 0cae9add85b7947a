//! Functions of the browser: storage, media queries, elements, and files chosen by the user.

use js_sys::{Promise, Reflect};
use leptos::prelude::{document, window};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, HtmlElement};

use vivarium_model::platform::file::{UploadedFile, open_blob};
use vivarium_model::platform::web::spawn;

/// Reads the text under `key` from the browser's local storage; `None` if there is none or storage is blocked.
pub fn read_stored(key: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(key).ok()?
}

/// Writes the text `word` under `key` to the browser's local storage, unless storage is blocked.
pub fn write_stored(key: &str, word: &str) {
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = storage.set_item(key, word);
    }
}

/// Reads the text under `key` from the session storage of this tab; `None` if there is none or storage is blocked.
pub fn read_tab_stored(key: &str) -> Option<String> {
    window().session_storage().ok()??.get_item(key).ok()?
}

/// Writes the text `word` under `key` to the session storage of this tab, unless storage is blocked.
pub fn write_tab_stored(key: &str, word: &str) {
    if let Ok(Some(storage)) = window().session_storage() {
        let _ = storage.set_item(key, word);
    }
}

/// Whether the browser matches a CSS media query, such as `(prefers-color-scheme: dark)`.
pub fn matches_media(query: &str) -> bool {
    window().match_media(query).ok().flatten().is_some_and(|list| list.matches())
}

/// Sets an attribute of the document's root element `<html>`.
pub fn set_root_attribute(name: &str, value: &str) {
    if let Some(root) = document().document_element() {
        let _ = root.set_attribute(name, value);
    }
}

/// Property of a JavaScript object; undefined if it cannot be read.
pub fn get_property(from: &JsValue, key: &str) -> JsValue {
    Reflect::get(from, &key.into()).unwrap_or(JsValue::UNDEFINED)
}

/// Calls `done` with the value or error of a promise when it settles.
pub fn on_settled(promise: &Promise, done: impl FnOnce(Result<JsValue, JsValue>) + 'static) {
    let done = std::rc::Rc::new(std::cell::Cell::new(Some(done)));
    let other = done.clone();
    let fine = Closure::once(move |value: JsValue| {
        if let Some(done) = done.take() {
            done(Ok(value));
        }
    });
    let wrong = Closure::once(move |error: JsValue| {
        if let Some(done) = other.take() {
            done(Err(error));
        }
    });
    let _ = promise.then2(&fine, &wrong);
    // The browser frees them together with the promise.
    fine.forget();
    wrong.forget();
}

/// Returns the HTML element with this DOM id; `None` if the document has none.
pub fn element_by_id(id: &str) -> Option<HtmlElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// Sets the attribute `name` of the HTML element with the DOM id `id`; does nothing if there is none.
pub fn set_attribute(id: &str, name: &str, value: &str) {
    if let Some(element) = element_by_id(id) {
        let _ = element.set_attribute(name, value);
    }
}

/// Moves the keyboard focus to the first element that matches the CSS selector `selector`.
pub fn focus_selector(selector: &str) {
    if let Ok(Some(element)) = document().query_selector(selector)
        && let Some(element) = element.dyn_ref::<HtmlElement>()
    {
        let _ = element.focus();
    }
}

/// Reads the first file of a file input or of a drop; `done` receives its name, and the file with at most `max_bytes`
/// of its first bytes or the reason why it cannot be read.
pub fn read_first_file(
    owner: &JsValue,
    max_bytes: usize,
    done: impl FnOnce(String, Result<UploadedFile, String>) + 'static,
) {
    let file = get_property(&get_property(owner, "files"), "0");
    let name = get_property(&file, "name").as_string().unwrap_or_else(|| tr!("the file").into());
    let Ok(file) = file.dyn_into::<Blob>() else { return };
    spawn(async move {
        // A folder, or a file that is gone, gives an error.
        let read = open_blob(file, max_bytes).await;
        done(name, read.map_err(|_| tr!("the browser cannot read the file").into()));
    });
}
