//! Drawing surface of charts: a canvas of the page, or the text of an SVG file.
//!
//! # Why
//! All drawing is generic over its backend, and two of them would bring every chart into the page twice, 7 KiB of
//! its download.

use plotters::backend::SVGBackend;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};
use plotters_canvas::CanvasBackend;

/// Drawing backend: canvas or SVG text.
pub enum Surface<'a> {
    /// Canvas on the page.
    Canvas(CanvasBackend),
    /// Text of an SVG file.
    Svg(SVGBackend<'a>),
}

/// Error of a drawing call on the canvas or the SVG backend, as text.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SurfaceError(String);

/// Result of a drawing call: nothing, or an error of the canvas or SVG backend.
type DrawResult = Result<(), DrawingErrorKind<SurfaceError>>;

/// Converts the error of the canvas or SVG backend to [`SurfaceError`].
fn convert_error<E: std::error::Error + Send + Sync>(done: Result<(), DrawingErrorKind<E>>) -> DrawResult {
    done.map_err(|error| DrawingErrorKind::DrawingError(SurfaceError(error.to_string())))
}

/// Calls the same method of either backend.
macro_rules! either {
    ($surface:expr, $backend:ident => $call:expr) => {
        match $surface {
            Surface::Canvas($backend) => convert_error($call),
            Surface::Svg($backend) => convert_error($call),
        }
    };
}

impl DrawingBackend for Surface<'_> {
    type ErrorType = SurfaceError;

    fn get_size(&self) -> (u32, u32) {
        match self {
            Surface::Canvas(canvas) => canvas.get_size(),
            Surface::Svg(svg) => svg.get_size(),
        }
    }

    fn ensure_prepared(&mut self) -> DrawResult {
        either!(self, backend => backend.ensure_prepared())
    }

    fn present(&mut self) -> DrawResult {
        either!(self, backend => backend.present())
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> DrawResult {
        either!(self, backend => backend.draw_pixel(point, color))
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> DrawResult {
        either!(self, backend => backend.draw_line(from, to, style))
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> DrawResult {
        either!(self, backend => backend.draw_rect(upper_left, bottom_right, style, fill))
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> DrawResult {
        either!(self, backend => backend.draw_path(path, style))
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> DrawResult {
        either!(self, backend => backend.draw_circle(center, radius, style, fill))
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        vertices: I,
        style: &S,
    ) -> DrawResult {
        either!(self, backend => backend.fill_polygon(vertices, style))
    }

    fn draw_text<T: BackendTextStyle>(&mut self, text: &str, style: &T, at: BackendCoord) -> DrawResult {
        either!(self, backend => backend.draw_text(text, style, at))
    }

    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        text: &str,
        style: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<SurfaceError>> {
        let words = |error: String| DrawingErrorKind::DrawingError(SurfaceError(error));
        match self {
            Surface::Canvas(canvas) => {
                canvas.estimate_text_size(text, style).map_err(|e| words(e.to_string()))
            }
            Surface::Svg(svg) => svg.estimate_text_size(text, style).map_err(|e| words(e.to_string())),
        }
    }
}
