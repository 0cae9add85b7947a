//! What charts are drawn on in the page: a canvas, or the text of an SVG file that is saved.
//!
//! # Why
//! All drawing is generic over its backend, and two of them would bring every chart into the page twice, 7 KiB of
//! its download.

use plotters::backend::SVGBackend;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};
use plotters_canvas::CanvasBackend;

/// A backend that is one of two.
pub enum Surface<'a> {
    /// On the page.
    Canvas(CanvasBackend),
    /// A file.
    Svg(SVGBackend<'a>),
}

/// What went wrong, in the backend's words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Trouble(String);

type Drawn = Result<(), DrawingErrorKind<Trouble>>;

fn told<E: std::error::Error + Send + Sync>(done: Result<(), DrawingErrorKind<E>>) -> Drawn {
    done.map_err(|error| DrawingErrorKind::DrawingError(Trouble(error.to_string())))
}

/// The same call of either backend.
macro_rules! either {
    ($surface:expr, $backend:ident => $call:expr) => {
        match $surface {
            Surface::Canvas($backend) => told($call),
            Surface::Svg($backend) => told($call),
        }
    };
}

impl DrawingBackend for Surface<'_> {
    type ErrorType = Trouble;

    fn get_size(&self) -> (u32, u32) {
        match self {
            Surface::Canvas(canvas) => canvas.get_size(),
            Surface::Svg(svg) => svg.get_size(),
        }
    }

    fn ensure_prepared(&mut self) -> Drawn {
        either!(self, backend => backend.ensure_prepared())
    }

    fn present(&mut self) -> Drawn {
        either!(self, backend => backend.present())
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Drawn {
        either!(self, backend => backend.draw_pixel(point, color))
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        either!(self, backend => backend.draw_line(from, to, style))
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        either!(self, backend => backend.draw_rect(upper_left, bottom_right, style, fill))
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        either!(self, backend => backend.draw_path(path, style))
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        either!(self, backend => backend.draw_circle(center, radius, style, fill))
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        vertices: I,
        style: &S,
    ) -> Drawn {
        either!(self, backend => backend.fill_polygon(vertices, style))
    }

    fn draw_text<T: BackendTextStyle>(&mut self, text: &str, style: &T, at: BackendCoord) -> Drawn {
        either!(self, backend => backend.draw_text(text, style, at))
    }

    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        text: &str,
        style: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<Trouble>> {
        let words = |error: String| DrawingErrorKind::DrawingError(Trouble(error));
        match self {
            Surface::Canvas(canvas) => {
                canvas.estimate_text_size(text, style).map_err(|e| words(e.to_string()))
            }
            Surface::Svg(svg) => svg.estimate_text_size(text, style).map_err(|e| words(e.to_string())),
        }
    }
}
