//! What pieces of a page ask of the browser: its storage, media queries, elements, and files that a person chose.

use js_sys::{Promise, Reflect};
use leptos::prelude::{document, window};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, HtmlElement};

use vivarium_model::platform::file::{GivenFile, given};
use vivarium_model::platform::web::spawn;

/// A remembered word, if storage may be used.
pub fn remembered(key: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(key).ok()?
}

/// Remembers a word, if storage may be used.
pub fn remember(key: &str, word: &str) {
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = storage.set_item(key, word);
    }
}

/// A word that was kept for as long as the tab is open, if storage may be used.
pub fn kept_in_tab(key: &str) -> Option<String> {
    window().session_storage().ok()??.get_item(key).ok()?
}

/// Keeps a word for as long as the tab is open, if storage may be used.
pub fn keep_in_tab(key: &str, word: &str) {
    if let Ok(Some(storage)) = window().session_storage() {
        let _ = storage.set_item(key, word);
    }
}

/// Whether a media query holds.
pub fn holds(query: &str) -> bool {
    window().match_media(query).ok().flatten().is_some_and(|list| list.matches())
}

/// Sets an attribute of the root element.
pub fn mark_root(name: &str, value: &str) {
    if let Some(root) = document().document_element() {
        let _ = root.set_attribute(name, value);
    }
}

/// A property of an object.
pub fn get(from: &JsValue, key: &str) -> JsValue {
    Reflect::get(from, &key.into()).unwrap_or(JsValue::UNDEFINED)
}

/// Calls `done` with what a promise becomes.
pub fn settle(promise: &Promise, done: impl FnOnce(Result<JsValue, JsValue>) + 'static) {
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
    // Freed by the browser once the promise is.
    fine.forget();
    wrong.forget();
}

/// The element of this id.
pub fn by_id(id: &str) -> Option<HtmlElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// Sets an attribute of the element of this id.
pub fn set_attribute(id: &str, name: &str, value: &str) {
    if let Some(element) = by_id(id) {
        let _ = element.set_attribute(name, value);
    }
}

/// Gives the focus to what `selector` names.
pub fn focus(selector: &str) {
    if let Ok(Some(element)) = document().query_selector(selector)
        && let Some(element) = element.dyn_ref::<HtmlElement>()
    {
        let _ = element.focus();
    }
}

/// Takes the first of the files of an input or of a drop; `done` gets its name, and the file with up to `most` of its
/// first bytes, or a sentence.
pub fn read_first(
    owner: &JsValue,
    most: usize,
    done: impl FnOnce(String, Result<GivenFile, String>) + 'static,
) {
    let file = get(&get(owner, "files"), "0");
    let name = get(&file, "name").as_string().unwrap_or_else(|| tr!("the file").into());
    let Ok(file) = file.dyn_into::<Blob>() else { return };
    spawn(async move {
        // A folder, or a file that is gone, gives an error.
        let read = given(file, most).await;
        done(name, read.map_err(|_| tr!("the browser cannot read the file").into()));
    });
}
