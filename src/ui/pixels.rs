//! Pictures drawn on a canvas pixel by pixel: small ones, which the style sheet enlarges.

use js_sys::{Function, Reflect, Uint8ClampedArray};
use wasm_bindgen::prelude::*;
use web_sys::HtmlCanvasElement;

/// Resizes the canvas to `size` (columns, rows) and draws `pixels`, RGBA bytes row by row. Does nothing if the browser
/// has no 2D canvas.
pub fn draw_pixels(canvas: &HtmlCanvasElement, size: (u32, u32), pixels: &[u8]) {
    if (canvas.width(), canvas.height()) != size {
        canvas.set_width(size.0);
        canvas.set_height(size.1);
    }
    put_image_data(canvas, size, pixels);
}

/// Calls `putImageData` by reflection, without the type ImageData, which would enlarge the program.
fn put_image_data(canvas: &HtmlCanvasElement, (columns, rows): (u32, u32), pixels: &[u8]) -> Option<()> {
    let context = canvas.get_context("2d").ok()??;
    let method = |name: &str| Reflect::get(&context, &name.into()).ok()?.dyn_into::<Function>().ok();
    let image = method("createImageData")?.call2(&context, &columns.into(), &rows.into()).ok()?;
    let data: Uint8ClampedArray = Reflect::get(&image, &"data".into()).ok()?.dyn_into().ok()?;
    // A length that is not the picture's would be an exception.
    if data.length() as usize == pixels.len() {
        data.copy_from(pixels);
        method("putImageData")?.call3(&context, &image, &0.into(), &0.into()).ok()?;
    }
    Some(())
}
