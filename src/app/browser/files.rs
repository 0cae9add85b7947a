//! What the page asks of the browser about files: to save some, and to read those that a person chose or dropped.
//!
//! Files and drags are reached through their properties, since web-sys would need features of its own for them.

use js_sys::{Array, Function, Promise, Uint8Array};
use leptos::prelude::{document, set_timeout, window};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, BlobPropertyBag, Event, HtmlAnchorElement, HtmlCanvasElement, Url};

use crate::app::browser::{get, settle};
use crate::app::files::Saved;

/// Largest file that is read at all: more would only make the page stand still before it is refused.
const MOST_BYTES: f64 = 256e6;

/// What the browser calls itself.
pub fn system() -> String {
    window().navigator().user_agent().unwrap_or_default()
}

/// Offers a file for saving; whether the browser took it.
pub fn save(file: &Saved) -> bool {
    let parts = Array::of1(&Uint8Array::from(file.bytes.as_slice()));
    let about = BlobPropertyBag::new();
    about.set_type(file.kind);
    let blob = Blob::new_with_u8_array_sequence_and_options(&parts, &about);
    blob.is_ok_and(|blob| save_blob(&blob, &file.name))
}

fn save_blob(blob: &Blob, name: &str) -> bool {
    let anchor = document().create_element("a").ok().and_then(|a| a.dyn_into::<HtmlAnchorElement>().ok());
    let (Some(anchor), Ok(address)) = (anchor, Url::create_object_url_with_blob(blob)) else { return false };
    anchor.set_href(&address);
    anchor.set_download(name);
    anchor.click();
    // Browsers read it a little later.
    let forget = move || {
        let _ = Url::revoke_object_url(&address);
    };
    set_timeout(forget, std::time::Duration::from_secs(30));
    true
}

/// The canvas of a chart on show.
pub fn canvas(slug: &str) -> Option<HtmlCanvasElement> {
    let found = document().query_selector(&format!("canvas[data-testid=chart-{slug}]"));
    found.ok().flatten().and_then(|canvas| canvas.dyn_into().ok())
}

/// A canvas of so many pixels, beside the page.
pub fn blank([width, height]: [u32; 2]) -> Option<HtmlCanvasElement> {
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    canvas.set_width(width);
    canvas.set_height(height);
    Some(canvas)
}

/// Saves what is on a canvas as PNG.
pub fn save_canvas(canvas: &HtmlCanvasElement, name: String) -> bool {
    let done = Closure::once_into_js(move |blob: JsValue| {
        if let Ok(blob) = blob.dyn_into::<Blob>() {
            save_blob(&blob, &name);
        }
    });
    canvas.to_blob(done.unchecked_ref::<Function>()).is_ok()
}

/// Reads the first of the files of an input or of a drop; `done` gets its name and its bytes, or a sentence.
pub fn read_first(owner: &JsValue, done: impl FnOnce(String, Result<Vec<u8>, String>) + 'static) {
    let file = get(&get(owner, "files"), "0");
    if !file.is_object() {
        return;
    }
    let name = get(&file, "name").as_string().unwrap_or_else(|| tr!("the file").into());
    if get(&file, "size").as_f64().unwrap_or_default() > MOST_BYTES {
        return done(name, Err(tr!("it is larger than any run").into()));
    }
    let promise = get(&file, "arrayBuffer").dyn_into::<Function>().and_then(|read| read.call0(&file));
    let promise = Promise::resolve(&promise.unwrap_or(JsValue::NULL));
    settle(&promise, move |buffer| {
        // A folder, or a file that is gone, gives an error.
        let bytes = buffer.ok().filter(JsValue::is_object).map(|buffer| Uint8Array::new(&buffer).to_vec());
        done(name, bytes.ok_or_else(|| tr!("the browser cannot read it").into()));
    });
}

/// Whether a drag brings files, and not a piece of text or of the page.
pub fn brings_files(event: &Event) -> bool {
    let types = get(&get(event, "dataTransfer"), "types");
    Array::is_array(&types) && Array::from(&types).includes(&"Files".into(), 0)
}

/// What is dropped.
pub fn dropped(event: &Event) -> JsValue {
    get(event, "dataTransfer")
}
