//! Draws a [`Reading`] by its shape, on any plotters backend: a canvas in the page, SVG and PNG natively.
//!
//! # Why
//! Plotters gives the backends; axes, legends and labels are our own, because its mesh measures every label,
//! which in a browser is a reflow of the page, and because we want axis ends that stand still, curves of at
//! most two points per pixel, and no clutter. Widths of text are estimated, never measured.
//! What would change our mind: a canvas backend that measures on the canvas itself.
//!
//! Lengths are CSS pixels everywhere; [`Theme::scale`] turns them into the backend's.

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};

use crate::analysis::Reading;

mod axis;
mod bars;
mod colour;
mod decimate;
mod ends;
#[cfg(any(feature = "cli", feature = "ui"))]
pub mod figure;
mod frame;
mod heatmap;
#[cfg(feature = "cli")]
pub mod indexed;
mod inside;
mod lines;
mod numbers;
mod pen;
#[cfg(feature = "cli")]
pub mod picture;
#[cfg(all(test, feature = "cli"))]
mod samples;
mod strokes;
#[cfg(all(test, feature = "cli"))]
mod tests;
mod theme;

pub use theme::{MUTED, Quirks, Theme};

/// What drawing on a backend gives.
pub type Drawn<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

/// Draws a reading over the whole area, background included. Too small an area stays empty.
///
/// # Errors
/// What the backend reports; a canvas and an SVG string report nothing in practice.
pub fn draw<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    reading: &Reading,
    theme: &Theme,
) -> Drawn<DB> {
    draw_across(area, reading, theme).map(|_| ())
}

/// The horizontal axis of curves that were drawn.
#[derive(Debug, Clone, Copy)]
pub struct Across(axis::Axis);

impl Across {
    /// The value at a place that lies so many of the backend's pixels from the left.
    pub fn value(&self, pixel: f64) -> f64 {
        self.0.value(pixel)
    }
}

/// The same as [`draw`]; of curves, the horizontal axis as well, so that a pointer can be followed.
///
/// # Errors
/// As [`draw`].
pub fn draw_across<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    reading: &Reading,
    theme: &Theme,
) -> Result<Option<Across>, DrawingAreaErrorKind<DB::ErrorType>> {
    area.fill(&theme.bg)?;
    let pen = pen::Pen::new(area, theme);
    match reading {
        Reading::Lines(lines) => lines::draw(&pen, lines)?,
        Reading::Grid(grid) => heatmap::draw(&pen, grid)?,
        Reading::Bars(bars) => bars::draw(&pen, bars)?,
    }
    Ok(pen.across.get().map(Across))
}
