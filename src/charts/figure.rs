//! Figures of one chart or several, and the SVG file around what is drawn, natively and in the page.

use super::{Quirks, Theme};
use crate::analysis::Reading;

/// Plotters counts in whole units: so many of them per pixel of an SVG.
const UNITS: u32 = 4;
/// Height of a figure's title.
pub(super) const TITLE_ROW: f64 = 30.0;

/// Several readings in one picture, row by row.
#[derive(Debug, Clone, Copy)]
pub struct Figure<'a> {
    /// What is drawn.
    pub readings: &'a [Reading],
    /// Above everything; nothing if empty.
    pub title: &'a str,
    /// Charts per row.
    pub columns: usize,
    /// Width and height of one chart.
    pub panel: (u32, u32),
}

impl Figure<'_> {
    /// Charts per row, as many as there are at most.
    pub(super) fn columns(&self) -> usize {
        self.columns.clamp(1, self.readings.len().max(1))
    }

    /// Rows of charts.
    pub(super) fn rows(&self) -> usize {
        self.readings.len().div_ceil(self.columns())
    }

    /// Height of the title in CSS pixels.
    pub(super) fn title_row(&self) -> u32 {
        if self.title.is_empty() { 0 } else { TITLE_ROW as u32 }
    }

    /// Width and height in CSS pixels.
    pub fn size(&self) -> (u32, u32) {
        let (width, height) = self.panel;
        let (columns, rows) = (self.columns() as u32, self.rows().max(1) as u32);
        (width.saturating_mul(columns), height.saturating_mul(rows).saturating_add(self.title_row()))
    }
}

/// A figure of one chart.
pub fn alone(reading: &Reading, width: u32, height: u32) -> Figure<'_> {
    Figure { readings: std::slice::from_ref(reading), title: "", columns: 1, panel: (width, height) }
}

/// The text of an SVG file around what `drawn` writes: it gets a string for plotters' SVG backend, the backend's width
/// and height, and the theme in its units, and says whether it could draw.
pub fn written(
    figure: &Figure,
    theme: &Theme,
    drawn: impl FnOnce(&mut String, (u32, u32), &Theme) -> bool,
) -> String {
    // Letters hang from the middle of an x there, and sizes are divided by 1.24.
    let quirks = Quirks { text_size: 1.24, text_drop: 0.09, ..Quirks::CANVAS };
    let theme = Theme { scale: f64::from(UNITS), quirks, ..theme.clone() };
    let (width, height) = figure.size();
    let units = (width.saturating_mul(UNITS), height.saturating_mul(UNITS));
    let mut text = String::new();
    assert!(drawn(&mut text, units, &theme), "writing to a string cannot fail");
    let body = text.split_once('\n').map_or("", |(_, body)| body);
    let name = match figure.readings {
        [reading] if figure.title.is_empty() => reading.title(),
        _ => figure.title,
    };
    let name = name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {} {}\" role=\"img\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n<title>{name}</title>\n\
         <style>rect{{shape-rendering:crispEdges}}polyline{{stroke-linejoin:round;stroke-linecap:round}}</style>\n{body}",
        units.0, units.1
    )
}
