//! Paints scenes on a canvas of the page.
//!
//! # Why
//! Lines of one style become one path, so that a few hundred lines cost two dozen strokes: a stroke costs much more than a
//! line in it. Within one path crossings are not darker, which is why colours are mixed with the background before.

use vivarium_plot::charts::Theme;
use vivarium_plot::scene::svg::cell_colour;
use vivarium_plot::scene::{Anchor, Colour, Item, Point, Scene, Shape, Stroke};
use wasm_bindgen::JsCast;
use wasm_bindgen::JsValue;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// Largest number of pixels per CSS pixel at which pictures are painted; more cost memory and are not seen in motion.
const MAX_SCALE: f64 = 2.0;
/// Smallest number of pixels per CSS pixel at which pictures are painted.
const MIN_SCALE: f64 = 0.5;

/// Resizes the canvas to the scene at `scale` pixels per CSS pixel, from 0.5 to 2, and paints the scene. Does nothing if
/// the browser has no 2D canvas.
pub fn paint_scene(canvas: &HtmlCanvasElement, scene: &Scene, theme: &Theme, scale: f64) {
    let scale = scale.clamp(MIN_SCALE, MAX_SCALE);
    let size = |length: f32| (f64::from(length) * scale).round().max(1.0) as u32;
    let (width, height) = (size(scene.width), size(scene.height));
    if (canvas.width(), canvas.height()) != (width, height) {
        canvas.set_width(width);
        canvas.set_height(height);
    }
    let Ok(Some(context)) = canvas.get_context("2d") else { return };
    let Ok(context) = context.dyn_into::<CanvasRenderingContext2d>() else { return };
    let _ = context.set_transform(scale, 0.0, 0.0, scale, 0.0, 0.0);
    context.clear_rect(0.0, 0.0, f64::from(scene.width), f64::from(scene.height));
    context.set_line_cap("round");
    context.set_line_join("round");
    context.set_text_baseline("middle");
    let mut at = 0;
    while at < scene.items.len() {
        at += paint_run(&context, &scene.items[at..], theme);
    }
}

/// Paints the first item and all following lines of the same style; returns their number. `items` is not empty.
fn paint_run(context: &CanvasRenderingContext2d, items: &[Item], theme: &Theme) -> usize {
    let first = &items[0];
    match (&first.shape, first.stroke, first.fill) {
        (Shape::Text { text, at, size, anchor, bold }, _, Some(fill)) => {
            let weight = if *bold { "600 " } else { "" };
            context.set_font(&format!("{weight}{size}px {}", theme.font_family));
            context.set_text_align(match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "center",
                Anchor::End => "end",
            });
            context.set_fill_style_str(&css(fill, theme));
            let _ = context.fill_text(text, f64::from(at.x), f64::from(at.y));
            1
        }
        (Shape::Cells { area, columns, values }, ..) => {
            let columns = (*columns).max(1);
            let rows = values.len().div_ceil(columns).max(1);
            let (width, height) = (area.width / columns as f32, area.height / rows as f32);
            let mut last = None;
            for (at, value) in values.iter().enumerate() {
                let left = area.left + (at % columns) as f32 * width;
                let top = area.top + (at / columns) as f32 * height;
                // Most cells have the colour of their neighbours, and a colour costs more than a cell.
                let colour = cell_colour(*value).to_rgb(theme);
                if last != Some(colour) {
                    last = Some(colour);
                    context.set_fill_style_str(&css(cell_colour(*value), theme));
                }
                // A little more than the cell, so that no background is seen between cells.
                let [left, top, width, height] = [left, top, width + 0.4, height + 0.4].map(f64::from);
                context.fill_rect(left, top, width, height);
            }
            1
        }
        (_, Some(stroke), None) => {
            let same =
                items.iter().take_while(|item| item.stroke == Some(stroke) && item.fill.is_none()).count();
            context.begin_path();
            items[..same].iter().for_each(|item| trace(context, &item.shape, false));
            apply_stroke(context, stroke, theme);
            same
        }
        (shape, stroke, fill) => {
            context.begin_path();
            trace(context, shape, fill.is_some());
            if let Some(fill) = fill {
                context.set_fill_style_str(&css(fill, theme));
                context.fill();
            }
            if let Some(stroke) = stroke {
                apply_stroke(context, stroke, theme);
            }
            1
        }
    }
}

/// Strokes the current path.
fn apply_stroke(context: &CanvasRenderingContext2d, stroke: Stroke, theme: &Theme) {
    context.set_stroke_style_str(&css(stroke.colour, theme));
    context.set_line_width(f64::from(stroke.width));
    let dashes = js_sys::Array::new();
    if let Some((dash, gap)) = stroke.dash {
        dashes.push(&JsValue::from(dash));
        dashes.push(&JsValue::from(gap));
    }
    let _ = context.set_line_dash(&dashes);
    context.stroke();
}

/// Adds a shape to the current path; a filled arc is a sector.
fn trace(context: &CanvasRenderingContext2d, shape: &Shape, is_filled: bool) {
    let pair = |point: &Point| (f64::from(point.x), f64::from(point.y));
    match shape {
        Shape::Path(points) => {
            for (at, point) in points.iter().enumerate() {
                let (x, y) = pair(point);
                if at == 0 { context.move_to(x, y) } else { context.line_to(x, y) }
            }
        }
        Shape::Curve([from, one, two, to]) => {
            let ((x0, y0), (x1, y1), (x2, y2), (x3, y3)) = (pair(from), pair(one), pair(two), pair(to));
            context.move_to(x0, y0);
            context.bezier_curve_to(x1, y1, x2, y2, x3, y3);
        }
        Shape::Circle(centre, radius) => {
            let ((x, y), radius) = (pair(centre), f64::from(radius.max(0.0)));
            context.move_to(x + radius, y);
            let _ = context.arc(x, y, radius, 0.0, std::f64::consts::TAU);
        }
        Shape::Arc(centre, radius, [from, to]) => {
            let ((x, y), radius) = (pair(centre), f64::from(radius.max(0.0)));
            let (from, to) = (f64::from(*from), f64::from(*to));
            if is_filled {
                context.move_to(x, y);
            } else {
                context.move_to(x + radius * from.cos(), y + radius * from.sin());
            }
            let _ = context.arc_with_anticlockwise(x, y, radius, from, to, to < from);
            if is_filled {
                context.close_path();
            }
        }
        Shape::Box(area, radius) => {
            let [left, top, width, height] = [area.left, area.top, area.width, area.height].map(f64::from);
            let radius = f64::from(*radius).min(width / 2.0).min(height / 2.0).max(0.0);
            if radius < 0.5 {
                context.rect(left, top, width, height);
                return;
            }
            let (right, bottom) = (left + width, top + height);
            context.move_to(left + radius, top);
            let _ = context.arc_to(right, top, right, bottom, radius);
            let _ = context.arc_to(right, bottom, left, bottom, radius);
            let _ = context.arc_to(left, bottom, left, top, radius);
            let _ = context.arc_to(left, top, right, top, radius);
            context.close_path();
        }
        Shape::Text { .. } | Shape::Cells { .. } => {}
    }
}

/// A colour of the theme in CSS notation.
fn css(colour: Colour, theme: &Theme) -> String {
    let [red, green, blue] = colour.to_rgb(theme);
    format!("#{red:02x}{green:02x}{blue:02x}")
}
