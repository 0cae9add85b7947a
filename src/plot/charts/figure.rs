//! Figures of one chart or several, and the SVG file around what is drawn, natively and in the page.

use super::{BackendQuirks, Theme};
use crate::analysis::Reading;

/// Integer units of the plotters backend per CSS pixel of an SVG.
const UNITS_PER_PIXEL: u32 = 4;
/// Height of the title of a figure, above all its charts, in CSS pixels.
pub(super) const TITLE_HEIGHT: f64 = 30.0;

/// Size of a picture on paper or on a screen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PictureSize {
    /// Width of the picture, in the unit `unit`.
    pub width: f64,
    /// Height of the picture, in the unit `unit`.
    pub height: f64,
    /// Unit in which width and height are given.
    pub unit: LengthUnit,
}

/// Unit of length in which the size of a picture is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LengthUnit {
    /// Inches.
    Inch,
    /// Centimetres.
    Centimetre,
    /// CSS pixels, 96 to an inch.
    Pixel,
}

impl LengthUnit {
    /// Abbreviation of the unit in CSS.
    pub fn css_name(self) -> &'static str {
        match self {
            LengthUnit::Inch => "in",
            LengthUnit::Centimetre => "cm",
            LengthUnit::Pixel => "px",
        }
    }

    /// Length of one unit in inches.
    pub fn in_inches(self) -> f64 {
        match self {
            LengthUnit::Inch => 1.0,
            LengthUnit::Centimetre => 1.0 / 2.54,
            LengthUnit::Pixel => 1.0 / 96.0,
        }
    }
}

impl PictureSize {
    /// Width and height in inches.
    pub fn in_inches(&self) -> (f64, f64) {
        (self.width * self.unit.in_inches(), self.height * self.unit.in_inches())
    }
}

/// Size, zoom and accessible name of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FigureLayout<'a> {
    /// Size of the whole figure; with `None` the sizes of its charts add up.
    pub size: Option<PictureSize>,
    /// Factor by which text, margins and lines are larger than at their usual size in CSS pixels.
    pub zoom: f64,
    /// Accessible name of the figure if it has no title; if empty too, the title of its only chart is used.
    pub name: &'a str,
}

impl Default for FigureLayout<'_> {
    fn default() -> Self {
        FigureLayout { size: None, zoom: 1.0, name: "" }
    }
}

/// Several charts in one picture, arranged in rows.
#[derive(Debug, Clone, Copy)]
pub struct Figure<'a> {
    /// Data of the charts of the figure, row by row.
    pub readings: &'a [Reading],
    /// Title above all charts; empty for none.
    pub title: &'a str,
    /// Maximum number of charts per row of the figure.
    pub columns: usize,
    /// Width and height of one chart in CSS pixels; ignored if `layout` fixes the size of the whole figure.
    pub chart_size: (u32, u32),
    /// Size, zoom and accessible name of the whole figure.
    pub layout: FigureLayout<'a>,
}

impl Figure<'_> {
    /// Number of charts per row: `columns`, but at most the number of charts.
    pub(super) fn column_count(&self) -> usize {
        self.columns.clamp(1, self.readings.len().max(1))
    }

    /// Number of rows of charts.
    pub(super) fn row_count(&self) -> usize {
        self.readings.len().div_ceil(self.column_count())
    }

    /// Height of the title above the charts in CSS pixels; 0 without a title.
    pub(super) fn title_height(&self) -> u32 {
        if self.title.is_empty() { 0 } else { TITLE_HEIGHT as u32 }
    }

    /// Width and height of the whole figure in CSS pixels.
    pub fn size(&self) -> (u32, u32) {
        if let Some(paper) = &self.layout.size {
            let (width, height) = paper.in_inches();
            return ((96.0 * width).round().max(1.0) as u32, (96.0 * height).round().max(1.0) as u32);
        }
        let (width, height) = self.chart_size;
        let (columns, rows) = (self.column_count() as u32, self.row_count().max(1) as u32);
        let title = (f64::from(self.title_height()) * self.layout.zoom).round() as u32;
        (width.saturating_mul(columns), height.saturating_mul(rows).saturating_add(title))
    }

    /// Width and height of the whole figure in backend units, of which a CSS pixel has `units_per_pixel`; a fixed size
    /// is rounded to backend units, not to CSS pixels.
    pub(super) fn size_in_units(&self, units_per_pixel: u32) -> (u32, u32) {
        let Some(paper) = &self.layout.size else {
            let (width, height) = self.size();
            return (width.saturating_mul(units_per_pixel), height.saturating_mul(units_per_pixel));
        };
        let (width, height) = paper.in_inches();
        let units = |inches: f64| (96.0 * f64::from(units_per_pixel) * inches).round().max(1.0) as u32;
        (units(width), units(height))
    }

    /// Accessible name of the figure: its title, the name in `layout`, or the title of its only chart.
    pub(super) fn accessible_name(&self) -> &str {
        match self.readings {
            _ if !self.title.is_empty() => self.title,
            _ if !self.layout.name.is_empty() => self.layout.name,
            [reading] => reading.title(),
            _ => "",
        }
    }
}

/// A figure of a single chart of this size in CSS pixels.
pub fn single_chart(reading: &Reading, width: u32, height: u32) -> Figure<'_> {
    let readings = std::slice::from_ref(reading);
    Figure { readings, title: "", columns: 1, chart_size: (width, height), layout: FigureLayout::default() }
}

/// Text of an SVG file. `draw` writes the content: it gets a string for plotters' SVG backend, the backend's width
/// and height and a theme in its units, and returns whether drawing succeeded.
pub fn wrap_svg(
    figure: &Figure,
    theme: &Theme,
    draw: impl FnOnce(&mut String, (u32, u32), &Theme) -> bool,
) -> String {
    // Letters hang from the middle of an x there, and sizes are divided by 1.24.
    let quirks = BackendQuirks { text_size: 1.24, text_offset_em: 0.09, ..BackendQuirks::CANVAS };
    let theme = Theme { scale: f64::from(UNITS_PER_PIXEL) * figure.layout.zoom, quirks, ..theme.clone() };
    let units = figure.size_in_units(UNITS_PER_PIXEL);
    let (width, height) = match &figure.layout.size {
        Some(PictureSize { width, height, unit }) if *unit != LengthUnit::Pixel => {
            (format!("{width}{}", unit.css_name()), format!("{height}{}", unit.css_name()))
        }
        _ => (figure.size().0.to_string(), figure.size().1.to_string()),
    };
    let mut text = String::new();
    assert!(draw(&mut text, units, &theme), "writing to a string cannot fail");
    let body = text.split_once('\n').map_or("", |(_, body)| body);
    let name = figure.accessible_name().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {} {}\" role=\"img\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n<title>{name}</title>\n\
         <style>rect{{shape-rendering:crispEdges}}polyline{{stroke-linejoin:round;stroke-linecap:round}}</style>\n{body}",
        units.0, units.1
    )
}
