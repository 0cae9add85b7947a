//! What the page asks of the browser about files: to save some, and to know those that a person drops.
//!
//! Files and drags are reached through their properties, since web-sys would need features of its own for them.

use js_sys::{Array, Function, Uint8Array};
use leptos::prelude::{document, set_timeout, window};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, BlobPropertyBag, Event, HtmlAnchorElement, HtmlCanvasElement, Url};

use vivarium_page::files::Saved;
use vivarium_ui::browser::get;

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

/// Whether a drag brings files, and not a piece of text or of the page.
pub fn brings_files(event: &Event) -> bool {
    let types = get(&get(event, "dataTransfer"), "types");
    Array::is_array(&types) && Array::from(&types).includes(&"Files".into(), 0)
}

/// What is dropped.
pub fn dropped(event: &Event) -> JsValue {
    get(event, "dataTransfer")
}
