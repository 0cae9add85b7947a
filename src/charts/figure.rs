//! Readings as SVG, for papers: one chart or several as a figure, natively and in the page.

use plotters::backend::DrawingBackend;
#[cfg(feature = "cli")]
use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
#[cfg(feature = "cli")]
use plotters::drawing::IntoDrawingArea;

use super::pen::Pen;
use super::{Drawn, Quirks, Theme, draw};
use crate::analysis::Reading;

/// Plotters counts in whole units: so many of them per pixel of an SVG.
const UNITS: u32 = 4;
/// Height of a figure's title.
const TITLE_ROW: f64 = 30.0;

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
    fn columns(&self) -> usize {
        self.columns.clamp(1, self.readings.len().max(1))
    }

    fn rows(&self) -> usize {
        self.readings.len().div_ceil(self.columns())
    }

    fn title_row(&self) -> u32 {
        if self.title.is_empty() { 0 } else { TITLE_ROW as u32 }
    }

    /// Width and height in CSS pixels.
    pub fn size(&self) -> (u32, u32) {
        let (width, height) = self.panel;
        let (columns, rows) = (self.columns() as u32, self.rows().max(1) as u32);
        (width.saturating_mul(columns), height.saturating_mul(rows).saturating_add(self.title_row()))
    }

    /// Draws all of it over the whole area; the page draws one chart at a time.
    ///
    /// # Errors
    /// What the backend reports.
    #[cfg(feature = "cli")]
    pub(super) fn draw<DB: DrawingBackend>(&self, area: &DrawingArea<DB, Shift>, theme: &Theme) -> Drawn<DB> {
        area.fill(&theme.bg)?;
        let pen = Pen::new(area, theme);
        if self.title_row() > 0 {
            let mut label = pen.title();
            label.size *= 1.2;
            // A link as title is long.
            let room = f64::from(pen.all().width() - pen.px(16.0));
            label.size *= (room / f64::from(pen.width(self.title, label).max(1))).clamp(0.5, 1.0);
            pen.text(self.title, (pen.px(8.0), pen.px(TITLE_ROW * 0.55)), label)?;
        }
        let (_, below) = area.split_vertically((f64::from(self.title_row()) * theme.scale).round() as i32);
        let panels = below.split_evenly((self.rows().max(1), self.columns()));
        self.readings.iter().zip(&panels).try_for_each(|(reading, panel)| draw(panel, reading, theme))
    }
}

/// One reading as the text of an SVG file of so many CSS pixels.
#[cfg(feature = "cli")]
pub fn svg(reading: &Reading, theme: &Theme, width: u32, height: u32) -> String {
    figure_svg(&alone(reading, width, height), theme)
}

/// A figure of one chart.
pub fn alone(reading: &Reading, width: u32, height: u32) -> Figure<'_> {
    Figure { readings: std::slice::from_ref(reading), title: "", columns: 1, panel: (width, height) }
}

/// Several readings as the text of an SVG file; the theme's scale is of no account there.
#[cfg(feature = "cli")]
pub fn figure_svg(figure: &Figure, theme: &Theme) -> String {
    written(figure, theme, |text, units, theme| {
        let area = SVGBackend::with_string(text, units).into_drawing_area();
        figure.draw(&area, theme).and_then(|()| area.present()).is_ok()
    })
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
