//! The few strokes that all charts are made of.

use std::cell::Cell;

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontStyle, FontTransform, RGBColor, TextStyle};

use super::axis::Axis;
use super::decimate::PixelPoint;
use super::{DrawResult, Theme};

/// Text style of a label.
#[derive(Clone, Copy)]
pub(super) struct LabelStyle {
    /// Font size of the label in CSS pixels.
    pub size: f64,
    /// Text colour.
    pub colour: RGBColor,
    /// Horizontal alignment at the given position; vertically the text is centred.
    pub align: HPos,
    /// Whether the text is bold, if the font supports it.
    pub bold: bool,
    /// Whether the text is rotated to read upwards.
    pub is_vertical: bool,
}

/// A rectangle in backend pixels; right and lower edge are exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PixelRect {
    /// Left edge.
    pub left: i32,
    /// Upper edge.
    pub top: i32,
    /// Right edge.
    pub right: i32,
    /// Lower edge.
    pub bottom: i32,
}

impl PixelRect {
    /// Width in backend pixels.
    pub fn width(&self) -> i32 {
        self.right - self.left
    }

    /// Height in backend pixels.
    pub fn height(&self) -> i32 {
        self.bottom - self.top
    }
}

/// Drawing primitives on a plotters area, with the colours and sizes of a theme.
pub(super) struct Pen<'a, DB: DrawingBackend> {
    /// Drawing area of the plotters library on which the pen draws.
    area: &'a DrawingArea<DB, Shift>,
    /// Colours, font sizes and line widths of the chart.
    pub theme: &'a Theme,
    /// Horizontal and vertical axis of the line chart that was drawn; `None` before, and for other charts.
    pub axes: Cell<Option<(Axis, Axis)>>,
    /// Number of backend pixels per CSS pixel.
    scale: f64,
}

impl<'a, DB: DrawingBackend> Pen<'a, DB> {
    /// A pen for this area and theme.
    pub fn new(area: &'a DrawingArea<DB, Shift>, theme: &'a Theme) -> Self {
        let scale = if theme.scale.is_finite() { theme.scale.clamp(0.1, 32.0) } else { 1.0 };
        Pen { area, theme, axes: Cell::new(None), scale }
    }

    /// Rectangle of the whole drawing area, in backend pixels.
    pub fn full_rect(&self) -> PixelRect {
        let (width, height) = self.area.dim_in_pixel();
        let most = 1 << 20;
        PixelRect { left: 0, top: 0, right: width.min(most) as i32, bottom: height.min(most) as i32 }
    }

    /// Converts a length in CSS pixels to backend pixels, rounded and at least 1.
    pub fn to_pixels(&self, css: f64) -> i32 {
        ((css * self.scale).round() as i32).max(1)
    }

    /// Converts a length in backend pixels to CSS pixels.
    pub fn to_css_pixels(&self, pixels: i32) -> f64 {
        f64::from(pixels) / self.scale
    }

    /// Text style of tick labels, the numbers on axes.
    pub fn tick_style(&self, align: HPos) -> LabelStyle {
        LabelStyle {
            size: self.theme.tick_px,
            colour: self.theme.quiet,
            align,
            bold: false,
            is_vertical: false,
        }
    }

    /// Text style of axis labels and curve names.
    pub fn name_style(&self, align: HPos) -> LabelStyle {
        LabelStyle { size: self.theme.label_px, ..self.tick_style(align) }
    }

    /// Text style of titles.
    pub fn title_style(&self) -> LabelStyle {
        LabelStyle {
            size: self.theme.title_px,
            colour: self.theme.ink,
            bold: true,
            ..self.tick_style(HPos::Left)
        }
    }

    /// Draws text at the pixel (x, y), centred vertically; characters that the font lacks are replaced.
    pub fn draw_text(&self, text: &str, (x, y): PixelPoint, label: LabelStyle) -> DrawResult<DB> {
        if text.is_empty() {
            return Ok(());
        }
        let style = if label.bold { FontStyle::Bold } else { FontStyle::Normal };
        let em = label.size * self.scale;
        let drop = (self.theme.quirks.text_offset_em * em).round() as i32;
        let (transform, at) = if label.is_vertical {
            (FontTransform::Rotate270, (x + drop, y))
        } else {
            (FontTransform::None, (x, y + drop))
        };
        let font = FontDesc::new(self.theme.font_family.into(), em * self.theme.quirks.text_size, style)
            .transform(transform);
        let style = TextStyle::from(font).color(&label.colour).pos(Pos::new(label.align, VPos::Center));
        let instead = self.theme.quirks.substitutes.iter();
        let text = instead.fold(text.to_string(), |text, (missing, there)| text.replace(missing, there));
        self.area.draw(&Text::new(text, at, style))
    }

    /// Estimated width of a text in backend pixels, for a common sans-serif font; more often too large than too small.
    pub fn text_width(&self, text: &str, label: LabelStyle) -> i32 {
        let em: f64 = text
            .chars()
            .map(|c| match c {
                'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '\'' | ' ' | 'I' => 0.3,
                'f' | 't' | 'r' | '(' | ')' | '-' | '/' => 0.39,
                'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.9,
                'A'..='Z' => 0.69,
                '0'..='9' | 'a'..='z' | '−' | '±' => 0.6,
                _ => 0.7,
            })
            .sum();
        (em * label.size * self.scale * if label.bold { 1.06 } else { 1.0 }).ceil() as i32
    }

    /// Fills a rectangle with opacity `alpha`. Straight lines are drawn as rectangles too, which keeps them sharp on a
    /// canvas.
    pub fn fill_rect(&self, area: PixelRect, colour: RGBColor, alpha: f64) -> DrawResult<DB> {
        if area.width() <= 0 || area.height() <= 0 {
            return Ok(());
        }
        let corners = [(area.left, area.top), (area.right, area.bottom)];
        self.area.draw(&Rectangle::new(corners, colour.mix(alpha).filled()))
    }

    /// Draws a horizontal line from `left` to `right`, centred on the pixel row `y` and `css` CSS pixels thick.
    pub fn draw_horizontal_line(
        &self,
        left: i32,
        right: i32,
        y: i32,
        css: f64,
        colour: RGBColor,
    ) -> DrawResult<DB> {
        let top = y - self.to_pixels(css) / 2;
        self.fill_rect(PixelRect { left, right, top, bottom: top + self.to_pixels(css) }, colour, 1.0)
    }

    /// Draws a vertical line from `top` to `bottom`, centred on the pixel column `x` and `css` CSS pixels thick.
    pub fn draw_vertical_line(
        &self,
        x: i32,
        top: i32,
        bottom: i32,
        css: f64,
        colour: RGBColor,
    ) -> DrawResult<DB> {
        let left = x - self.to_pixels(css) / 2;
        self.fill_rect(PixelRect { left, right: left + self.to_pixels(css), top, bottom }, colour, 1.0)
    }

    /// Draws a dashed horizontal line, one CSS pixel thick, from `left` to `right` at height `y`.
    pub fn draw_dashed_line(&self, left: i32, right: i32, y: i32, colour: RGBColor) -> DrawResult<DB> {
        let (dash, gap) = (self.to_pixels(4.0), self.to_pixels(4.0));
        (left..right)
            .step_by((dash + gap) as usize)
            .try_for_each(|x| self.draw_horizontal_line(x, (x + dash).min(right), y, 1.0, colour))
    }

    /// Draws the border of a rectangle, one CSS pixel thick and just outside it.
    pub fn draw_border(&self, area: PixelRect, colour: RGBColor) -> DrawResult<DB> {
        let line = self.to_pixels(1.0);
        let PixelRect { left, top, right, bottom } = area;
        self.fill_rect(
            PixelRect { left: left - line, right: right + line, top: top - line, bottom: top },
            colour,
            1.0,
        )?;
        self.fill_rect(
            PixelRect { left: left - line, right: right + line, top: bottom, bottom: bottom + line },
            colour,
            1.0,
        )?;
        self.fill_rect(PixelRect { left: left - line, right: left, top, bottom }, colour, 1.0)?;
        self.fill_rect(PixelRect { left: right, right: right + line, top, bottom }, colour, 1.0)
    }

    /// Draws a filled circle of radius `css` CSS pixels.
    pub fn draw_dot(&self, at: PixelPoint, css: f64, colour: RGBColor) -> DrawResult<DB> {
        self.area.draw(&Circle::new(at, self.to_pixels(css), colour.filled()))
    }

    /// Draws a line through the points, `css` CSS pixels thick; a single point is drawn as a dot.
    pub fn draw_curve(&self, points: &[PixelPoint], css: f64, colour: RGBColor) -> DrawResult<DB> {
        match points {
            [] => Ok(()),
            [point] => self.draw_dot(*point, css * 1.25, colour),
            _ if self.theme.quirks.draws_segments => points.windows(2).try_for_each(|ends| {
                let width = f64::from(self.to_pixels(css));
                self.area.draw(&Circle::new(ends[1], (width / 2.0) as i32, colour.filled()))?;
                self.draw_segment(ends[0], ends[1], width / 2.0, colour)
            }),
            _ => {
                let style = colour.stroke_width(self.to_pixels(css) as u32);
                self.area.draw(&PathElement::new(points.to_vec(), style))
            }
        }
    }

    /// Draws a line through the points, `css` CSS pixels thick, with the dashes of the curve style with this index.
    pub fn draw_dashed_curve(
        &self,
        points: &[PixelPoint],
        css: f64,
        colour: RGBColor,
        style_index: usize,
    ) -> DrawResult<DB> {
        #[cfg(feature = "cli")]
        if style_index > 0 && points.len() > 1 {
            // The round ends of a dash reach into the gaps.
            let lengths = super::dashes::dash_pattern(style_index).iter().enumerate();
            let lengths = lengths.map(|(at, length)| length + if at % 2 == 1 { css } else { 0.0 });
            let lengths: Vec<f64> = lengths.map(|length| length * self.scale).collect();
            let dashes = super::dashes::cut_into_dashes(points, &lengths);
            return dashes.iter().try_for_each(|dash| self.draw_curve(dash, css, colour));
        }
        let _ = style_index;
        self.draw_curve(points, css, colour)
    }

    /// Draws the mark of a value at the pixel `at`: a dot of radius `css` CSS pixels, or a polygon of about this size,
    /// as the curve style with this index has it.
    pub fn draw_mark(
        &self,
        at: PixelPoint,
        css: f64,
        colour: RGBColor,
        style_index: usize,
    ) -> DrawResult<DB> {
        #[cfg(feature = "cli")]
        if style_index > 0 {
            let corners = super::dashes::mark_corners(style_index, at, f64::from(self.to_pixels(css)));
            if !corners.is_empty() {
                return self.fill_polygon(corners, colour, 1.0);
            }
        }
        let _ = style_index;
        self.draw_dot(at, css, colour)
    }

    /// Draws a thick line segment as a polygon; `half` is half its width in backend pixels.
    fn draw_segment(&self, from: PixelPoint, to: PixelPoint, half: f64, colour: RGBColor) -> DrawResult<DB> {
        let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
        let length = libm::hypot(dx, dy).max(1.0);
        let side = ((-dy / length * half).round() as i32, (dx / length * half).round() as i32);
        let corner = |at: PixelPoint, sign: i32| (at.0 + sign * side.0, at.1 + sign * side.1);
        self.fill_polygon(vec![corner(from, 1), corner(to, 1), corner(to, -1), corner(from, -1)], colour, 1.0)
    }

    /// Fills the polygon with these corners with opacity `alpha`.
    pub fn fill_polygon(&self, points: Vec<PixelPoint>, colour: RGBColor, alpha: f64) -> DrawResult<DB> {
        self.area.draw(&Polygon::new(points, colour.mix(alpha).filled()))
    }
}
