//! Draws charts from a [`Reading`] on any plotters backend: a canvas in the page, SVG and PNG natively.
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

use crate::analysis::{LineChart, Reading};

mod axis;
mod bars;
pub(crate) mod colour;
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

pub use theme::{BackendQuirks, MUTED_COLOURS, Theme};
#[cfg(all(feature = "ui", target_family = "wasm"))]
pub use theme::{limit_scale, presenter_scale};

/// Result of a drawing operation: nothing, or the error of the plotters backend.
pub type DrawResult<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

/// Draws a chart over the whole area, background included. An area that is too small stays empty.
///
/// # Errors
/// Errors of the backend; a canvas and an SVG string have none in practice.
pub fn draw<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    reading: &Reading,
    theme: &Theme,
) -> DrawResult<DB> {
    draw_with_axes(area, reading, theme).map(|_| ())
}

/// Axes of a drawn line chart, for converting between values and backend pixels.
#[derive(Debug, Clone, Copy)]
pub struct PlotAxes {
    /// Horizontal axis.
    x: axis::Axis,
    /// Vertical axis.
    y: axis::Axis,
}

impl PlotAxes {
    /// Value on the horizontal axis at `pixel` backend pixels from the left of the chart, clamped to the ends of the
    /// axis.
    pub fn x_value(&self, pixel: f64) -> f64 {
        self.x.value_at(pixel)
    }

    /// Distance in backend pixels from the left of the chart to a value of the horizontal axis; `None` outside the
    /// axis.
    pub fn x_pixel(&self, value: f64) -> Option<f64> {
        self.x.pixel_if_inside(value).map(f64::from)
    }

    /// Distance in backend pixels from the top of the chart to a value of the vertical axis; `None` outside the axis.
    pub fn y_pixel(&self, value: f64) -> Option<f64> {
        self.y.pixel_if_inside(value).map(f64::from)
    }

    /// Left, upper, right and lower edge of the plot, within the axes, in backend pixels.
    pub fn edges(&self) -> [f64; 4] {
        [self.x.start_pixel, self.y.end_pixel, self.x.end_pixel, self.y.start_pixel].map(f64::from)
    }

    /// Range of values (low, high) of the horizontal axis after zooming in by `factor`, with the value at `pixel`
    /// backend pixels from the left of the chart fixed; a factor below 1 zooms out.
    pub fn zoom_x(&self, pixel: f64, factor: f64) -> (f64, f64) {
        self.x.zoomed_range(pixel, factor)
    }
}

impl PlotAxes {
    /// Linear axes over a plot of `width` × `height` pixels, with the values (left, right) and (bottom, top) at its
    /// edges, for tests.
    pub fn from_ranges(
        (left, right): (f64, f64),
        (bottom, top): (f64, f64),
        width: i32,
        height: i32,
    ) -> Self {
        let axis = |low, high, start, end| axis::Axis {
            low,
            high,
            scale: axis::AxisScale::Linear,
            whole_ticks_only: false,
            start_pixel: start,
            end_pixel: end,
            tick_unit: 1.0,
        };
        PlotAxes { x: axis(left, right, 0, width), y: axis(bottom, top, height, 0) }
    }
}

/// An entry of a legend that the page shows itself: name and colour.
#[derive(Debug, Clone, PartialEq)]
pub struct LegendItem {
    /// Name of the curve or background interval.
    pub name: String,
    /// Colour of the curve or background interval as "#rrggbb".
    pub colour: String,
    /// Whether the entry names a background interval instead of a curve.
    pub is_patch: bool,
    /// Whether the curve is switched off.
    pub is_hidden: bool,
}

/// Legend entries of a line chart, for a page that shows its own legend.
pub fn legend_items(lines: &LineChart, theme: &Theme) -> Vec<LegendItem> {
    let entries = lines::legend_entries(lines, &lines::curve_styles(theme, lines), |_| false);
    let entries = entries.into_iter().chain(lines::span_entries(theme, lines));
    let named = |entry: frame::LegendEntry| LegendItem {
        name: entry.name,
        colour: css_colour(entry.colour),
        is_patch: entry.swatch == frame::LegendSwatch::Patch,
        is_hidden: entry.hidden,
    };
    entries.map(named).collect()
}

/// Colour of each curve of a line chart as "#rrggbb".
pub fn curve_colours(lines: &LineChart, theme: &Theme) -> Vec<String> {
    lines::curve_styles(theme, lines).into_iter().map(|style| css_colour(style.colour)).collect()
}

/// The colour as "#rrggbb".
fn css_colour(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// As [`draw`], and returns the axes of a line chart so that pointer positions can be converted to values; `None` for
/// other charts.
///
/// # Errors
/// As [`draw`].
pub fn draw_with_axes<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    reading: &Reading,
    theme: &Theme,
) -> Result<Option<PlotAxes>, DrawingAreaErrorKind<DB::ErrorType>> {
    area.fill(&theme.bg)?;
    let pen = pen::Pen::new(area, theme);
    match reading {
        Reading::Lines(lines) => lines::draw(&pen, lines)?,
        Reading::Grid(grid) => heatmap::draw(&pen, grid)?,
        Reading::Bars(bars) => bars::draw(&pen, bars)?,
    }
    Ok(pen.axes.get().map(|(x, y)| PlotAxes { x, y }))
}
