//! Charts as files: SVG for papers, PNG for screens, one chart or several as a figure.

use std::io;
use std::path::Path;
use std::sync::Once;

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::style::{FontStyle, register_font};

pub use super::figure::{Figure, FigureLayout, LengthUnit, PictureSize};
use super::figure::{TITLE_HEIGHT, single_chart, wrap_svg};
use super::indexed;
use super::pen::Pen;
use super::{BackendQuirks, DrawResult, Theme, draw};
use crate::analysis::Reading;

/// Factor by which width and height of a PNG are drawn larger before it is averaged down.
const OVERSAMPLING: u32 = 3;
/// Maximum number of pixels of a PNG picture; drawing a larger one is an error.
const MAX_PIXELS: u64 = 16 << 20;

/// Pairs of a character that the bundled font lacks and the text that replaces it.
pub(super) const FONT_SUBSTITUTES: &[(&str, &str)] =
    &[("∝", "~"), ("‖", "||"), ("⊗", "×"), ("⟨", "<"), ("⟩", ">")];

impl Figure<'_> {
    /// Draws title and charts over the whole area.
    ///
    /// # Errors
    /// Errors of the backend.
    pub(super) fn draw<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        theme: &Theme,
    ) -> DrawResult<DB> {
        area.fill(&theme.bg)?;
        let pen = Pen::new(area, theme);
        if self.title_height() > 0 {
            let mut label = pen.title_style();
            label.size *= 1.2;
            // A link as title is long.
            let room = f64::from(pen.full_rect().width() - pen.to_pixels(16.0));
            label.size *= (room / f64::from(pen.text_width(self.title, label).max(1))).clamp(0.5, 1.0);
            pen.draw_text(self.title, (pen.to_pixels(8.0), pen.to_pixels(TITLE_HEIGHT * 0.55)), label)?;
        }
        let (_, below) = area.split_vertically((f64::from(self.title_height()) * theme.scale).round() as i32);
        let panels = below.split_evenly((self.row_count().max(1), self.column_count()));
        self.readings.iter().zip(&panels).try_for_each(|(reading, panel)| draw(panel, reading, theme))
    }
}

/// Draws one chart as the text of an SVG file of this size in CSS pixels.
pub fn chart_svg(reading: &Reading, theme: &Theme, width: u32, height: u32) -> String {
    figure_svg(&single_chart(reading, width, height), theme)
}

/// Writes one chart as a PNG file; the size is in CSS pixels, times the theme's scale.
///
/// # Errors
/// If the file cannot be written, or the picture has more than `MAX_PIXELS` pixels.
pub fn chart_png(reading: &Reading, theme: &Theme, width: u32, height: u32, path: &Path) -> io::Result<()> {
    figure_png(&single_chart(reading, width, height), theme, path)
}

/// Draws a figure as the text of an SVG file; the theme's scale is ignored.
pub fn figure_svg(figure: &Figure, theme: &Theme) -> String {
    wrap_svg(figure, theme, |text, units, theme| {
        let area = SVGBackend::with_string(text, units).into_drawing_area();
        figure.draw(&area, theme).and_then(|()| area.present()).is_ok()
    })
}

/// Writes a figure as a PNG file.
///
/// # Errors
/// If the file cannot be written, or the picture has more than `MAX_PIXELS` pixels.
pub fn figure_png(figure: &Figure, theme: &Theme, path: &Path) -> io::Result<()> {
    let (small, size) = render_pixels(figure, theme)?;
    let mut file = BitMapBackend::new(path, size);
    file.blit_bitmap((0, 0), size, &small).and_then(|()| file.present()).map_err(io::Error::other)
}

/// Encodes a figure as a PNG file with all of its colours.
///
/// # Errors
/// If the picture has more than `MAX_PIXELS` pixels, or an error of the encoder.
pub fn figure_png_bytes(figure: &Figure, theme: &Theme) -> io::Result<Vec<u8>> {
    let (small, (width, height)) = render_pixels(figure, theme)?;
    let mut file = vec![];
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&small)?;
    writer.finish()?;
    Ok(file)
}

/// Encodes a figure as a small PNG file with few colours.
///
/// # Errors
/// If the picture has more than `MAX_PIXELS` pixels, or an error of the encoder.
pub fn figure_indexed_png(figure: &Figure, theme: &Theme) -> io::Result<Vec<u8>> {
    let (small, (width, height)) = render_pixels(figure, theme)?;
    indexed::encode_png(&small, width as usize, height as usize)
}

/// Draws a figure as a picture `[height, width, 3]` of bytes for red, green and blue, and returns them with (width,
/// height).
fn render_pixels(figure: &Figure, theme: &Theme) -> io::Result<(Vec<u8>, (u32, u32))> {
    /// Registration of the bundled font with plotters, once per process.
    static FONT: Once = Once::new();
    FONT.call_once(|| {
        let known = register_font("sans-serif", FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT);
        assert!(known.is_ok(), "the bundled font can be read");
    });
    let size = figure.size();
    let [width, height] = [size.0, size.1].map(|css| (f64::from(css) * theme.scale).round().max(1.0) as u32);
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        let sentence = format!("a picture of {width} × {height} pixels is too large");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, sentence));
    }
    // This font is 1.121 em high, and plotters sets its baseline 0.11 em below the middle; 0.35 is right.
    let quirks = BackendQuirks {
        text_size: 1.121,
        text_offset_em: 0.24,
        draws_segments: true,
        substitutes: FONT_SUBSTITUTES,
    };
    let scale = theme.scale * f64::from(OVERSAMPLING) * figure.layout.zoom;
    let theme = Theme {
        scale,
        quirks,
        font_family: "sans-serif",
        max_cells: theme.max_cells.max(200_000),
        ..theme.clone()
    };
    let large = (width * OVERSAMPLING, height * OVERSAMPLING);
    let mut pixels = vec![0; large.0 as usize * large.1 as usize * 3];
    {
        let area = BitMapBackend::with_buffer(&mut pixels, large).into_drawing_area();
        figure.draw(&area, &theme).and_then(|()| area.present()).map_err(io::Error::other)?;
    }
    Ok((downsample(&pixels, width as usize, OVERSAMPLING as usize), (width, height)))
}

/// Averages each square of `factor × factor` pixels of three bytes; `width` is the number of pixels in a row of the
/// result.
fn downsample(pixels: &[u8], width: usize, factor: usize) -> Vec<u8> {
    let long = width * factor * 3;
    let mut small = Vec::with_capacity(pixels.len() / (factor * factor));
    for rows in pixels.chunks_exact(long * factor) {
        for x in 0..width {
            for channel in 0..3 {
                let sum: usize = (0..factor * factor)
                    .map(|i| usize::from(rows[i / factor * long + (x * factor + i % factor) * 3 + channel]))
                    .sum();
                small.push((sum / (factor * factor)) as u8);
            }
        }
    }
    small
}
