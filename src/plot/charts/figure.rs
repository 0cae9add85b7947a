//! Figures of one chart or several, and the SVG file around what is drawn, natively and in the page.

use super::{Quirks, Theme};
use crate::analysis::Reading;

/// Plotters counts in whole units: so many of them per pixel of an SVG.
const UNITS: u32 = 4;
/// Height of a figure's title.
pub(super) const TITLE_ROW: f64 = 30.0;

/// How large a picture is on paper or on a screen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paper {
    /// Width in `unit`.
    pub width: f64,
    /// Height in `unit`.
    pub height: f64,
    /// What both are counted in.
    pub unit: Unit,
}

/// What lengths of a picture are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Inches.
    Inch,
    /// Centimetres.
    Centimetre,
    /// CSS pixels, 96 to an inch.
    Pixel,
}

impl Unit {
    /// How CSS writes it.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Inch => "in",
            Unit::Centimetre => "cm",
            Unit::Pixel => "px",
        }
    }

    /// Inches in it.
    pub fn inches(self) -> f64 {
        match self {
            Unit::Inch => 1.0,
            Unit::Centimetre => 1.0 / 2.54,
            Unit::Pixel => 1.0 / 96.0,
        }
    }
}

impl Paper {
    /// Width and height in inches.
    pub fn inches(&self) -> (f64, f64) {
        (self.width * self.unit.inches(), self.height * self.unit.inches())
    }
}

/// What is asked of the form of a picture, beyond what it shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Form<'a> {
    /// Size of the whole picture; without it, as large as its charts.
    pub paper: Option<Paper>,
    /// How much larger than usual letters, margins and lines are.
    pub zoom: f64,
    /// What the picture is called where no title is drawn; if empty, as its charts are called.
    pub name: &'a str,
}

impl Default for Form<'_> {
    fn default() -> Self {
        Form { paper: None, zoom: 1.0, name: "" }
    }
}

/// Several readings in one picture, row by row.
#[derive(Debug, Clone, Copy)]
pub struct Figure<'a> {
    /// What is drawn.
    pub readings: &'a [Reading],
    /// Above everything; nothing if empty.
    pub title: &'a str,
    /// Charts per row.
    pub columns: usize,
    /// Width and height of one chart, if the picture has no size of its own.
    pub panel: (u32, u32),
    /// Its size, and that of its letters.
    pub form: Form<'a>,
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
        if let Some(paper) = &self.form.paper {
            let (width, height) = paper.inches();
            return ((96.0 * width).round().max(1.0) as u32, (96.0 * height).round().max(1.0) as u32);
        }
        let (width, height) = self.panel;
        let (columns, rows) = (self.columns() as u32, self.rows().max(1) as u32);
        let title = (f64::from(self.title_row()) * self.form.zoom).round() as u32;
        (width.saturating_mul(columns), height.saturating_mul(rows).saturating_add(title))
    }

    /// Width and height in `per` units to the CSS pixel; of a size on paper, rounded in units and not in pixels.
    pub(super) fn units(&self, per: u32) -> (u32, u32) {
        let Some(paper) = &self.form.paper else {
            let (width, height) = self.size();
            return (width.saturating_mul(per), height.saturating_mul(per));
        };
        let (width, height) = paper.inches();
        let units = |inches: f64| (96.0 * f64::from(per) * inches).round().max(1.0) as u32;
        (units(width), units(height))
    }

    /// What the picture is called.
    pub(super) fn name(&self) -> &str {
        match self.readings {
            _ if !self.title.is_empty() => self.title,
            _ if !self.form.name.is_empty() => self.form.name,
            [reading] => reading.title(),
            _ => "",
        }
    }
}

/// A figure of one chart.
pub fn alone(reading: &Reading, width: u32, height: u32) -> Figure<'_> {
    let readings = std::slice::from_ref(reading);
    Figure { readings, title: "", columns: 1, panel: (width, height), form: Form::default() }
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
    let theme = Theme { scale: f64::from(UNITS) * figure.form.zoom, quirks, ..theme.clone() };
    let units = figure.units(UNITS);
    let (width, height) = match &figure.form.paper {
        Some(Paper { width, height, unit }) if *unit != Unit::Pixel => {
            (format!("{width}{}", unit.name()), format!("{height}{}", unit.name()))
        }
        _ => (figure.size().0.to_string(), figure.size().1.to_string()),
    };
    let mut text = String::new();
    assert!(drawn(&mut text, units, &theme), "writing to a string cannot fail");
    let body = text.split_once('\n').map_or("", |(_, body)| body);
    let name = figure.name().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {} {}\" role=\"img\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n<title>{name}</title>\n\
         <style>rect{{shape-rendering:crispEdges}}polyline{{stroke-linejoin:round;stroke-linecap:round}}</style>\n{body}",
        units.0, units.1
    )
}
