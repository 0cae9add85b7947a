//! Saving of files, and reading of files that are dropped on the page.
//!
//! Properties of files and drags are read by name, since web-sys would need additional features for them.

use js_sys::{Array, Function, Uint8Array};
use leptos::prelude::{document, set_timeout, window};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, BlobPropertyBag, Event, HtmlAnchorElement, HtmlCanvasElement, Url};

use vivarium_page::files::ExportFile;
use vivarium_ui::browser::{get_property, read_stored, write_stored};

/// Key in the browser's local storage of whether CSV files are saved with decimal commas: [`IS_ON`] if so.
const DECIMAL_COMMAS: &str = "vivarium.decimal-commas";

/// Stored value of a choice that is on.
const IS_ON: &str = "on";

/// Whether this reader wants CSV files with decimal commas.
pub fn wants_decimal_commas() -> bool {
    read_stored(DECIMAL_COMMAS).as_deref() == Some(IS_ON)
}

/// Remembers in this browser whether the reader wants CSV files with decimal commas.
pub fn store_decimal_commas(is_on: bool) {
    write_stored(DECIMAL_COMMAS, if is_on { IS_ON } else { "off" });
}

/// Returns the user agent of the browser.
pub fn user_agent() -> String {
    window().navigator().user_agent().unwrap_or_default()
}

/// Offers a file for download. Returns whether the browser accepted it.
pub fn save_file(file: &ExportFile) -> bool {
    let parts = Array::of1(&Uint8Array::from(file.bytes.as_slice()));
    let about = BlobPropertyBag::new();
    about.set_type(file.media_type);
    let blob = Blob::new_with_u8_array_sequence_and_options(&parts, &about);
    blob.is_ok_and(|blob| save_blob(&blob, &file.name))
}

/// Offers a blob for download under this name. Returns whether the browser accepted it.
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

/// Returns the canvas of the chart with this slug; None if the chart is not on the page.
pub fn chart_canvas(slug: &str) -> Option<HtmlCanvasElement> {
    let element = document().query_selector(&format!("canvas[data-testid=chart-{slug}]"));
    element.ok().flatten().and_then(|canvas| canvas.dyn_into().ok())
}

/// Creates a canvas `[width, height]` in pixels that is not part of the page.
pub fn create_canvas([width, height]: [u32; 2]) -> Option<HtmlCanvasElement> {
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    canvas.set_width(width);
    canvas.set_height(height);
    Some(canvas)
}

/// Offers the content of a canvas for download as a PNG with this name. When the browser has encoded the picture, which
/// takes a while, or cannot encode it, `report` is called with whether the file was offered.
pub fn save_canvas_png(canvas: &HtmlCanvasElement, name: String, report: impl Fn(bool) + Clone + 'static) {
    let encoded = report.clone();
    let done = Closure::once_into_js(move |blob: JsValue| {
        encoded(blob.dyn_into::<Blob>().is_ok_and(|blob| save_blob(&blob, &name)));
    });
    if canvas.to_blob(done.unchecked_ref::<Function>()).is_err() {
        report(false);
    }
}

/// Whether the drag of this event carries files, and not text or a part of the page.
pub fn has_files(event: &Event) -> bool {
    let types = get_property(&get_property(event, "dataTransfer"), "types");
    Array::is_array(&types) && Array::from(&types).includes(&"Files".into(), 0)
}

/// Returns the browser's list of data that was dropped with this event.
pub fn dropped_items(event: &Event) -> JsValue {
    get_property(event, "dataTransfer")
}

/// Returns the number of files among dropped data.
pub fn count_files(items: &JsValue) -> usize {
    get_property(&get_property(items, "files"), "length").as_f64().unwrap_or_default() as usize
}
