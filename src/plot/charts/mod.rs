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
use plotters::style::RGBColor;

use crate::analysis::{Lines, Reading};

mod axis;
mod bars;
mod colour;
#[cfg(feature = "cli")]
mod dashes;
mod decimate;
mod ends;
#[cfg(any(feature = "cli", feature = "ui"))]
pub mod figure;
mod frame;
mod heatmap;
#[cfg(feature = "cli")]
mod indexed;
#[cfg(feature = "cli")]
mod inscribed;
mod inside;
mod lines;
mod numbers;
#[cfg(feature = "cli")]
pub mod pdf;
mod pen;
#[cfg(feature = "cli")]
pub mod picture;
#[cfg(all(test, feature = "cli"))]
mod samples;
mod strokes;
#[cfg(all(test, feature = "cli"))]
mod tests;
mod theme;

#[cfg(all(feature = "ui", target_family = "wasm"))]
pub use theme::enlarged;
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

/// Where curves were drawn, in the backend's pixels.
#[derive(Debug, Clone, Copy)]
pub struct Across {
    x: axis::Axis,
    y: axis::Axis,
}

impl Across {
    /// The place on the horizontal axis so many pixels from the left, held within its ends.
    pub fn value(&self, pixel: f64) -> f64 {
        self.x.value(pixel)
    }

    /// How many pixels from the left a place lies, if it is within the ends.
    pub fn place(&self, value: f64) -> Option<f64> {
        self.x.place_inside(value).map(f64::from)
    }

    /// How many pixels from the top a height lies, held within the ends; none for what has no place.
    pub fn height(&self, value: f64) -> Option<f64> {
        self.y.place(value).map(f64::from)
    }

    /// Left, upper, right and lower edge.
    pub fn edges(&self) -> [f64; 4] {
        [self.x.start, self.y.end, self.x.end, self.y.start].map(f64::from)
    }

    /// Ends of the horizontal axis that shows `1 / factor` of it, with what is at `pixel` where it is.
    pub fn nearer(&self, pixel: f64, factor: f64) -> (f64, f64) {
        self.x.nearer(pixel, factor)
    }
}

impl Across {
    /// Ends of both axes over so many pixels, for tests of what stands over a chart.
    pub fn of((left, right): (f64, f64), (bottom, top): (f64, f64), width: i32, height: i32) -> Self {
        let axis = |low, high, start, end| axis::Axis {
            low,
            high,
            scale: axis::Scale::Even,
            whole: false,
            start,
            end,
            unit: 1.0,
        };
        Across { x: axis(left, right, 0, width), y: axis(bottom, top, height, 0) }
    }
}

/// A curve's name with its colour.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// Name in the legend.
    pub name: String,
    /// Colour as CSS writes it.
    pub colour: String,
    /// Whether it is a part of the background, and no curve.
    pub is_patch: bool,
    /// Whether the curve is not drawn now.
    pub is_hidden: bool,
}

/// The legend of curves, for a page that writes it itself.
pub fn legend(lines: &Lines, theme: &Theme) -> Vec<Named> {
    let entries = lines::legend(lines, &lines::styles(theme, lines), |_| false);
    let entries = entries.into_iter().chain(lines::patches(theme, lines));
    let named = |entry: frame::Entry| Named {
        name: entry.name,
        colour: css(entry.colour),
        is_patch: entry.swatch == frame::Swatch::Patch,
        is_hidden: entry.hidden,
    };
    entries.map(named).collect()
}

/// The colour of each curve as CSS writes it.
pub fn colours(lines: &Lines, theme: &Theme) -> Vec<String> {
    lines::styles(theme, lines).into_iter().map(|style| css(style.colour)).collect()
}

fn css(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The same as [`draw`]; of curves, where they are as well, so that a pointer can be followed.
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
    Ok(pen.across.get().map(|(x, y)| Across { x, y }))
}
