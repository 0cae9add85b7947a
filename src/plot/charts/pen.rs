//! The few strokes that all charts are made of.

use std::cell::Cell;

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontStyle, FontTransform, RGBColor, TextStyle};

use super::axis::Axis;
use super::decimate::Point;
use super::{Drawn, Theme};

/// How a label is set.
#[derive(Clone, Copy)]
pub(super) struct Label {
    /// Size in CSS pixels.
    pub size: f64,
    /// Its colour.
    pub colour: RGBColor,
    /// Which part of it stands at the given place; its vertical middle always does.
    pub align: HPos,
    /// Whether it is bold, where the font can be.
    pub bold: bool,
    /// Whether it reads upwards.
    pub turned: bool,
}

/// A box of pixels, right and lower edge excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Area {
    /// Left edge.
    pub left: i32,
    /// Upper edge.
    pub top: i32,
    /// Right edge.
    pub right: i32,
    /// Lower edge.
    pub bottom: i32,
}

impl Area {
    /// Pixels across.
    pub fn width(&self) -> i32 {
        self.right - self.left
    }

    /// Pixels down.
    pub fn height(&self) -> i32 {
        self.bottom - self.top
    }
}

/// A drawing area with a theme.
pub(super) struct Pen<'a, DB: DrawingBackend> {
    area: &'a DrawingArea<DB, Shift>,
    /// The theme.
    pub theme: &'a Theme,
    /// The horizontal axis, once there is one that a value can be read off.
    pub across: Cell<Option<(Axis, Axis)>>,
    scale: f64,
}

impl<'a, DB: DrawingBackend> Pen<'a, DB> {
    /// A pen for this area.
    pub fn new(area: &'a DrawingArea<DB, Shift>, theme: &'a Theme) -> Self {
        let scale = if theme.scale.is_finite() { theme.scale.clamp(0.1, 32.0) } else { 1.0 };
        Pen { area, theme, across: Cell::new(None), scale }
    }

    /// All pixels.
    pub fn all(&self) -> Area {
        let (width, height) = self.area.dim_in_pixel();
        let most = 1 << 20;
        Area { left: 0, top: 0, right: width.min(most) as i32, bottom: height.min(most) as i32 }
    }

    /// A length of at least one pixel.
    pub fn px(&self, css: f64) -> i32 {
        ((css * self.scale).round() as i32).max(1)
    }

    /// A length in CSS pixels.
    pub fn css(&self, pixels: i32) -> f64 {
        f64::from(pixels) / self.scale
    }

    /// A number on an axis.
    pub fn tick(&self, align: HPos) -> Label {
        Label { size: self.theme.tick_px, colour: self.theme.quiet, align, bold: false, turned: false }
    }

    /// A name of an axis or a curve.
    pub fn name(&self, align: HPos) -> Label {
        Label { size: self.theme.label_px, ..self.tick(align) }
    }

    /// A title.
    pub fn title(&self) -> Label {
        Label { size: self.theme.title_px, colour: self.theme.ink, bold: true, ..self.tick(HPos::Left) }
    }

    /// Writes text.
    pub fn text(&self, text: &str, (x, y): Point, label: Label) -> Drawn<DB> {
        if text.is_empty() {
            return Ok(());
        }
        let style = if label.bold { FontStyle::Bold } else { FontStyle::Normal };
        let em = label.size * self.scale;
        let drop = (self.theme.quirks.text_drop * em).round() as i32;
        let (transform, at) = if label.turned {
            (FontTransform::Rotate270, (x + drop, y))
        } else {
            (FontTransform::None, (x, y + drop))
        };
        let font = FontDesc::new(self.theme.family.into(), em * self.theme.quirks.text_size, style)
            .transform(transform);
        let style = TextStyle::from(font).color(&label.colour).pos(Pos::new(label.align, VPos::Center));
        let instead = self.theme.quirks.instead.iter();
        let text = instead.fold(text.to_string(), |text, (missing, there)| text.replace(missing, there));
        self.area.draw(&Text::new(text, at, style))
    }

    /// Estimated width of a text in pixels: a common sans-serif, rather too wide than too narrow.
    pub fn width(&self, text: &str, label: Label) -> i32 {
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

    /// Fills a box; straight lines are boxes too, which keeps them sharp on a canvas.
    pub fn fill(&self, area: Area, colour: RGBColor, alpha: f64) -> Drawn<DB> {
        if area.width() <= 0 || area.height() <= 0 {
            return Ok(());
        }
        let corners = [(area.left, area.top), (area.right, area.bottom)];
        self.area.draw(&Rectangle::new(corners, colour.mix(alpha).filled()))
    }

    /// A horizontal line that is centred on y.
    pub fn across(&self, left: i32, right: i32, y: i32, css: f64, colour: RGBColor) -> Drawn<DB> {
        let top = y - self.px(css) / 2;
        self.fill(Area { left, right, top, bottom: top + self.px(css) }, colour, 1.0)
    }

    /// A vertical line that is centred on x.
    pub fn down(&self, x: i32, top: i32, bottom: i32, css: f64, colour: RGBColor) -> Drawn<DB> {
        let left = x - self.px(css) / 2;
        self.fill(Area { left, right: left + self.px(css), top, bottom }, colour, 1.0)
    }

    /// A dashed horizontal line.
    pub fn dashes(&self, left: i32, right: i32, y: i32, colour: RGBColor) -> Drawn<DB> {
        let (dash, gap) = (self.px(4.0), self.px(4.0));
        (left..right)
            .step_by((dash + gap) as usize)
            .try_for_each(|x| self.across(x, (x + dash).min(right), y, 1.0, colour))
    }

    /// The border of a box, just outside of it.
    pub fn frame(&self, area: Area, colour: RGBColor) -> Drawn<DB> {
        let line = self.px(1.0);
        let Area { left, top, right, bottom } = area;
        self.fill(
            Area { left: left - line, right: right + line, top: top - line, bottom: top },
            colour,
            1.0,
        )?;
        self.fill(
            Area { left: left - line, right: right + line, top: bottom, bottom: bottom + line },
            colour,
            1.0,
        )?;
        self.fill(Area { left: left - line, right: left, top, bottom }, colour, 1.0)?;
        self.fill(Area { left: right, right: right + line, top, bottom }, colour, 1.0)
    }

    /// A filled circle.
    pub fn dot(&self, at: Point, css: f64, colour: RGBColor) -> Drawn<DB> {
        self.area.draw(&Circle::new(at, self.px(css), colour.filled()))
    }

    /// A curve; a single point becomes a dot.
    pub fn curve(&self, points: &[Point], css: f64, colour: RGBColor) -> Drawn<DB> {
        match points {
            [] => Ok(()),
            [point] => self.dot(*point, css * 1.25, colour),
            _ if self.theme.quirks.pieces => points.windows(2).try_for_each(|ends| {
                let width = f64::from(self.px(css));
                self.area.draw(&Circle::new(ends[1], (width / 2.0) as i32, colour.filled()))?;
                self.piece(ends[0], ends[1], width / 2.0, colour)
            }),
            _ => {
                let style = colour.stroke_width(self.px(css) as u32);
                self.area.draw(&PathElement::new(points.to_vec(), style))
            }
        }
    }

    /// A curve with the dashes of its look.
    pub fn dashed(&self, points: &[Point], css: f64, colour: RGBColor, look: usize) -> Drawn<DB> {
        #[cfg(feature = "cli")]
        if look > 0 && points.len() > 1 {
            // The round ends of a dash reach into the gaps.
            let lengths = super::dashes::pattern(look).iter().enumerate();
            let lengths = lengths.map(|(at, length)| length + if at % 2 == 1 { css } else { 0.0 });
            let lengths: Vec<f64> = lengths.map(|length| length * self.scale).collect();
            let dashes = super::dashes::cut(points, &lengths);
            return dashes.iter().try_for_each(|dash| self.curve(dash, css, colour));
        }
        let _ = look;
        self.curve(points, css, colour)
    }

    /// The mark of a value: a dot, or that of its look.
    pub fn mark(&self, at: Point, css: f64, colour: RGBColor, look: usize) -> Drawn<DB> {
        #[cfg(feature = "cli")]
        if look > 0 {
            let corners = super::dashes::mark(look, at, f64::from(self.px(css)));
            if !corners.is_empty() {
                return self.polygon(corners, colour, 1.0);
            }
        }
        let _ = look;
        self.dot(at, css, colour)
    }

    /// A thick line between two places.
    fn piece(&self, from: Point, to: Point, half: f64, colour: RGBColor) -> Drawn<DB> {
        let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
        let length = libm::hypot(dx, dy).max(1.0);
        let side = ((-dy / length * half).round() as i32, (dx / length * half).round() as i32);
        let corner = |at: Point, sign: i32| (at.0 + sign * side.0, at.1 + sign * side.1);
        self.polygon(vec![corner(from, 1), corner(to, 1), corner(to, -1), corner(from, -1)], colour, 1.0)
    }

    /// A filled polygon.
    pub fn polygon(&self, points: Vec<Point>, colour: RGBColor, alpha: f64) -> Drawn<DB> {
        self.area.draw(&Polygon::new(points, colour.mix(alpha).filled()))
    }
}
