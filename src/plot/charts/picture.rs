//! Readings as files: SVG for papers, PNG for screens, one chart or several as a figure.

use std::io;
use std::path::Path;
use std::sync::Once;

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::style::{FontStyle, register_font};

pub use super::figure::{Figure, Form, Paper, Unit};
use super::figure::{TITLE_ROW, alone, written};
use super::indexed;
use super::pen::Pen;
use super::{Drawn, Quirks, Theme, draw};
use crate::analysis::Reading;

/// A PNG is drawn so much larger, and then averaged.
const OVERSAMPLING: u32 = 3;
/// Most pixels of a PNG.
const LARGEST: u64 = 16 << 20;

/// Signs that the bundled font has not, and what is written for them.
pub(super) const INSTEAD: &[(&str, &str)] = &[("∝", "~"), ("‖", "||"), ("⊗", "×"), ("⟨", "<"), ("⟩", ">")];

impl Figure<'_> {
    /// Draws all of it over the whole area.
    ///
    /// # Errors
    /// What the backend reports.
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
pub fn svg(reading: &Reading, theme: &Theme, width: u32, height: u32) -> String {
    figure_svg(&alone(reading, width, height), theme)
}

/// One reading as a PNG file of so many CSS pixels times the theme's scale.
///
/// # Errors
/// If the file cannot be written, or the picture would be very large.
pub fn png(reading: &Reading, theme: &Theme, width: u32, height: u32, path: &Path) -> io::Result<()> {
    figure_png(&alone(reading, width, height), theme, path)
}

/// Several readings as the text of an SVG file; the theme's scale is of no account there.
pub fn figure_svg(figure: &Figure, theme: &Theme) -> String {
    written(figure, theme, |text, units, theme| {
        let area = SVGBackend::with_string(text, units).into_drawing_area();
        figure.draw(&area, theme).and_then(|()| area.present()).is_ok()
    })
}

/// Several readings as a PNG file.
///
/// # Errors
/// If the file cannot be written, or the picture would be very large.
pub fn figure_png(figure: &Figure, theme: &Theme, path: &Path) -> io::Result<()> {
    let (small, size) = pixels(figure, theme)?;
    let mut file = BitMapBackend::new(path, size);
    file.blit_bitmap((0, 0), size, &small).and_then(|()| file.present()).map_err(io::Error::other)
}

/// Several readings as the bytes of a small PNG file of few colours.
///
/// # Errors
/// If the picture would be very large, or what the encoder reports.
pub fn figure_indexed(figure: &Figure, theme: &Theme) -> io::Result<Vec<u8>> {
    let (small, (width, height)) = pixels(figure, theme)?;
    indexed::encode(&small, width as usize, height as usize)
}

/// The figure as `[height, width, 3]` bytes, with width and height.
fn pixels(figure: &Figure, theme: &Theme) -> io::Result<(Vec<u8>, (u32, u32))> {
    static FONT: Once = Once::new();
    FONT.call_once(|| {
        let known = register_font("sans-serif", FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT);
        assert!(known.is_ok(), "the bundled font can be read");
    });
    let size = figure.size();
    let [width, height] = [size.0, size.1].map(|css| (f64::from(css) * theme.scale).round().max(1.0) as u32);
    if u64::from(width) * u64::from(height) > LARGEST {
        let sentence = format!("a picture of {width} × {height} pixels is too large");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, sentence));
    }
    // This font is 1.121 em high, and plotters sets its baseline 0.11 em below the middle; 0.35 is right.
    let quirks = Quirks { text_size: 1.121, text_drop: 0.24, pieces: true, instead: INSTEAD };
    let scale = theme.scale * f64::from(OVERSAMPLING) * figure.form.zoom;
    let theme =
        Theme { scale, quirks, family: "sans-serif", cells: theme.cells.max(200_000), ..theme.clone() };
    let large = (width * OVERSAMPLING, height * OVERSAMPLING);
    let mut pixels = vec![0; large.0 as usize * large.1 as usize * 3];
    {
        let area = BitMapBackend::with_buffer(&mut pixels, large).into_drawing_area();
        figure.draw(&area, &theme).and_then(|()| area.present()).map_err(io::Error::other)?;
    }
    Ok((averaged(&pixels, width as usize, OVERSAMPLING as usize), (width, height)))
}

/// Every square of `by × by` pixels as one; rows are `width` pixels long afterwards.
fn averaged(pixels: &[u8], width: usize, by: usize) -> Vec<u8> {
    let long = width * by * 3;
    let mut small = Vec::with_capacity(pixels.len() / (by * by));
    for rows in pixels.chunks_exact(long * by) {
        for x in 0..width {
            for channel in 0..3 {
                let sum: usize = (0..by * by)
                    .map(|i| usize::from(rows[i / by * long + (x * by + i % by) * 3 + channel]))
                    .sum();
                small.push((sum / (by * by)) as u8);
            }
        }
    }
    small
}
