//! Pictures that move: a list of shapes and of things that can be touched, without any drawing surface.
//!
//! A lab's hero computes a [`Scene`] from numbers for each frame. A canvas of the page paints it, and [`svg`] writes it as
//! text, which tests compare. [`animation`] stores several scenes of a run in a small file.
//!
//! # Why
//! Charts are drawn with plotters, whose coordinates and line widths are whole pixels: a line that becomes thicker jumps
//! from 1 to 2, and what moves, jerks. Scenes have positions and widths in fractions of a pixel. They are rebuilt for each
//! frame, because a few hundred shapes take less time to build than a tree of them takes to compare.

pub mod animation;
pub mod svg;

use plotters::style::RGBColor;

use crate::charts::Theme;
use crate::charts::colour::mix;

/// Position or distance in CSS pixels: x to the right, y downwards.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    /// Distance from the left edge in CSS pixels.
    pub x: f32,
    /// Distance from the top edge in CSS pixels.
    pub y: f32,
}

impl Point {
    /// The point with these coordinates in CSS pixels.
    pub const fn new(x: f32, y: f32) -> Self {
        Point { x, y }
    }

    /// The point `share` of the way from this point to `to`.
    pub fn towards(self, to: Point, share: f32) -> Point {
        Point::new(self.x + (to.x - self.x) * share, self.y + (to.y - self.y) * share)
    }

    /// Distance between two points in CSS pixels.
    pub fn distance(self, to: Point) -> f32 {
        libm::hypotf(to.x - self.x, to.y - self.y)
    }
}

/// Rectangle with horizontal and vertical sides, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Area {
    /// Left edge.
    pub left: f32,
    /// Top edge.
    pub top: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

impl Area {
    /// The rectangle with this left and top edge, width and height.
    pub const fn new(left: f32, top: f32, width: f32, height: f32) -> Self {
        Area { left, top, width, height }
    }

    /// The square or rectangle of this width and height around a centre.
    pub fn around(centre: Point, width: f32, height: f32) -> Self {
        Area::new(centre.x - width / 2.0, centre.y - height / 2.0, width, height)
    }

    /// Centre of the rectangle.
    pub fn centre(&self) -> Point {
        Point::new(self.left + self.width / 2.0, self.top + self.height / 2.0)
    }

    /// Right edge.
    pub fn right(&self) -> f32 {
        self.left + self.width
    }

    /// Bottom edge.
    pub fn bottom(&self) -> f32 {
        self.top + self.height
    }

    /// Whether the rectangle contains the point; left and top edges belong to it, right and bottom edges do not.
    pub fn contains(&self, point: Point) -> bool {
        (self.left..self.right()).contains(&point.x) && (self.top..self.bottom()).contains(&point.y)
    }

    /// Whether two rectangles have a point inside both.
    pub fn overlaps(&self, other: &Area) -> bool {
        self.left < other.right()
            && other.left < self.right()
            && self.top < other.bottom()
            && other.top < self.bottom()
    }
}

/// Meaning of a colour; the theme of the page gives its red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ink {
    /// Background of the page.
    Background,
    /// Text and outlines.
    Text,
    /// Secondary text and lines.
    Quiet,
    /// Faint lines and frames.
    Grid,
    /// Negative numbers.
    Negative,
    /// Positive numbers.
    Positive,
    /// Things that are touched, chosen or pointed out.
    Mark,
    /// Training data, and the first of several kinds of things, such as attention heads.
    First,
    /// Held-out data, and the second of several kinds of things.
    Second,
    /// The third of several kinds of things.
    Third,
}

/// A colour: its meaning, and its strength from 0 (background) to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Colour {
    /// Meaning of the colour.
    pub ink: Ink,
    /// Strength from 0, the colour of the background, to 1.
    pub strength: f32,
}

impl Ink {
    /// This colour, mixed with the background: `strength` from 0 (background) to 1.
    pub const fn at(self, strength: f32) -> Colour {
        Colour { ink: self, strength }
    }

    /// Positive or negative by the sign of `value`; zero counts as positive.
    pub fn of_sign(value: f32) -> Ink {
        if value < 0.0 { Ink::Negative } else { Ink::Positive }
    }
}

impl From<Ink> for Colour {
    fn from(ink: Ink) -> Self {
        ink.at(1.0)
    }
}

impl Colour {
    /// Red, green and blue of the colour in a theme, each from 0 to 255.
    pub fn to_rgb(self, theme: &Theme) -> [u8; 3] {
        let full = match self.ink {
            Ink::Background => theme.bg,
            Ink::Text => theme.ink,
            Ink::Quiet => theme.quiet,
            Ink::Grid => theme.grid,
            Ink::Negative => theme.negative,
            Ink::Positive => theme.positive,
            Ink::Mark => theme.mark,
            Ink::First => theme.train,
            Ink::Second => theme.test,
            Ink::Third => theme.other,
        };
        let RGBColor(red, green, blue) = match self.strength {
            full_strength if full_strength >= 1.0 => full,
            strength => mix(theme.bg, full, f64::from(strength.max(0.0))),
        };
        [red, green, blue]
    }
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    /// Colour of the line.
    pub colour: Colour,
    /// Width in CSS pixels.
    pub width: f32,
    /// Lengths of a dash and of the gap after it in CSS pixels; `None` for a solid line.
    pub dash: Option<(f32, f32)>,
}

impl Stroke {
    /// A solid line of this colour and width.
    pub fn new(colour: impl Into<Colour>, width: f32) -> Self {
        Stroke { colour: colour.into(), width, dash: None }
    }

    /// This line with dashes of `dash` pixels and gaps of `gap` pixels.
    pub fn dashed(self, dash: f32, gap: f32) -> Self {
        Stroke { dash: Some((dash, gap)), ..self }
    }
}

/// Horizontal position of a text relative to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins at the point.
    Start,
    /// The text is centred at the point.
    Middle,
    /// The text ends at the point.
    End,
}

/// A geometric shape, a text or a picture of cells.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Straight lines through these points.
    Path(Vec<Point>),
    /// Cubic Bézier curve: from, two control points, to.
    Curve([Point; 4]),
    /// Circle with this centre and radius.
    Circle(Point, f32),
    /// Part of a circle around a centre: centre, radius, and angles of its ends in radians, clockwise from the right.
    /// Filled, it is a sector.
    Arc(Point, f32, [f32; 2]),
    /// Rectangle with corners rounded by this radius.
    Box(Area, f32),
    /// Text, vertically centred at the point; its fill is the colour of the letters.
    Text {
        /// The text.
        text: String,
        /// Point at which the text stands.
        at: Point,
        /// Size of the font in CSS pixels.
        size: f32,
        /// Which end of the text is at the point.
        anchor: Anchor,
        /// Whether the letters are bold.
        bold: bool,
    },
    /// Rectangle of equal cells, row by row; each value from −1 (negative colour) over 0 (background) to 1 (positive
    /// colour).
    Cells {
        /// Rectangle that the cells fill.
        area: Area,
        /// Number of cells in a row.
        columns: usize,
        /// Values of the cells, row by row.
        values: Vec<f32>,
    },
}

/// Value of a cell whose value is not known; it has the colour of frames.
pub const UNKNOWN_CELL: f32 = 2.0;

/// A shape with its line and its filling.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Geometry of the shape.
    pub shape: Shape,
    /// Outline of the shape, if it has one.
    pub stroke: Option<Stroke>,
    /// Colour of its inside, if it is filled.
    pub fill: Option<Colour>,
}

/// How a target reacts to a touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetKind {
    /// A press does something once, such as choosing it.
    Press,
    /// A press switches it on or off; it is on if the value is true.
    Switch(bool),
    /// It can be dragged, and moved with the arrow keys.
    Handle,
}

/// A thing in a scene that can be touched: it has a name, a value in words and an area.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// Stable name of the target for the program: "bit-3".
    pub key: String,
    /// Name of the target for screen readers: "Bit 3".
    pub name: String,
    /// Value of the target for screen readers: "plus 1"; may be empty.
    pub value: String,
    /// How it reacts.
    pub kind: TargetKind,
    /// Area that reacts to the pointer, in CSS pixels.
    pub area: Area,
}

/// A picture at one moment: shapes from back to front, and what can be touched.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scene {
    /// Width of the picture in CSS pixels.
    pub width: f32,
    /// Height of the picture in CSS pixels.
    pub height: f32,
    /// Shapes from back to front.
    pub items: Vec<Item>,
    /// Things that can be touched, in the order of the keyboard.
    pub targets: Vec<Target>,
}

impl Scene {
    /// An empty picture of this size in CSS pixels.
    pub fn new(width: f32, height: f32) -> Self {
        Scene { width, height, items: vec![], targets: vec![] }
    }

    /// Adds a shape with an outline.
    pub fn stroke(&mut self, shape: Shape, stroke: Stroke) {
        self.items.push(Item { shape, stroke: Some(stroke), fill: None });
    }

    /// Adds a shape with a filling.
    ///
    /// Cells that are not a number become [`UNKNOWN_CELL`], so that equal pictures compare as equal.
    pub fn fill(&mut self, mut shape: Shape, colour: impl Into<Colour>) {
        if let Shape::Cells { values, .. } = &mut shape {
            values.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = UNKNOWN_CELL);
        }
        self.items.push(Item { shape, stroke: None, fill: Some(colour.into()) });
    }

    /// Adds a shape with a filling and an outline.
    pub fn fill_and_stroke(&mut self, shape: Shape, colour: impl Into<Colour>, stroke: Stroke) {
        self.items.push(Item { shape, stroke: Some(stroke), fill: Some(colour.into()) });
    }

    /// Adds a straight line.
    pub fn line(&mut self, from: Point, to: Point, stroke: Stroke) {
        self.stroke(Shape::Path(vec![from, to]), stroke);
    }

    /// Adds a text of `size` CSS pixels.
    pub fn text(
        &mut self,
        text: impl Into<String>,
        at: Point,
        size: f32,
        anchor: Anchor,
        colour: impl Into<Colour>,
    ) {
        self.fill(Shape::Text { text: text.into(), at, size, anchor, bold: false }, colour);
    }

    /// Adds a bold text of `size` CSS pixels.
    pub fn bold_text(
        &mut self,
        text: impl Into<String>,
        at: Point,
        size: f32,
        anchor: Anchor,
        colour: impl Into<Colour>,
    ) {
        self.fill(Shape::Text { text: text.into(), at, size, anchor, bold: true }, colour);
    }

    /// Adds something that can be touched.
    pub fn target(
        &mut self,
        key: impl Into<String>,
        name: impl Into<String>,
        value: impl Into<String>,
        kind: TargetKind,
        area: Area,
    ) {
        self.targets.push(Target { key: key.into(), name: name.into(), value: value.into(), kind, area });
    }

    /// The target whose area contains the point; if several do, the one with the nearest centre.
    pub fn target_at(&self, point: Point) -> Option<&Target> {
        let inside = self.targets.iter().filter(|target| target.area.contains(point));
        inside.min_by(|a, b| a.area.centre().distance(point).total_cmp(&b.area.centre().distance(point)))
    }
}

/// The share of a movement that is done after a share of its time, both from 0 to 1: speed and acceleration are 0 at both
/// ends (`smooth` of manim, `manimlib/utils/rate_functions.py`).
pub fn smooth(time: f32) -> f32 {
    let (t, left) = (time.clamp(0.0, 1.0), 1.0 - time.clamp(0.0, 1.0));
    t * t * t * (10.0 * left * left + 5.0 * left * t + t * t)
}

/// Widths of lines for amounts: proportional, up to a largest width.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WidthScale {
    /// Amount that has the largest width.
    pub largest: f32,
    /// The largest width in CSS pixels.
    pub width: f32,
}

/// Lines thinner than this many CSS pixels are not drawn.
pub const THINNEST_LINE: f32 = 0.35;

/// Widths of lines are rounded to this many steps up to the largest width, so that lines of equal width are painted
/// together.
const WIDTH_STEPS: f32 = 14.0;

impl WidthScale {
    /// Width in CSS pixels for the absolute value of an amount, rounded to one of 14 steps; `None` if the line is too thin
    /// to be drawn.
    pub fn width_of(&self, amount: f32) -> Option<f32> {
        let share = (amount.abs() / self.largest).min(1.0);
        if amount.is_nan() || share * self.width < THINNEST_LINE {
            return None;
        }
        Some((share * WIDTH_STEPS).ceil() / WIDTH_STEPS * self.width)
    }

    /// The scale whose largest amount is that of this scale, doubled until at most one in a hundred of these amounts is
    /// larger.
    pub fn doubled_for(self, amounts: impl Iterator<Item = f32>) -> Self {
        let mut sizes: Vec<f32> = amounts.map(f32::abs).filter(|size| size.is_finite()).collect();
        if sizes.is_empty() {
            return self;
        }
        let at = (sizes.len() - 1) * 99 / 100;
        let (_, high, _) = sizes.select_nth_unstable_by(at, f32::total_cmp);
        let mut largest = self.largest;
        while largest < *high {
            largest *= 2.0;
        }
        WidthScale { largest, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smooth_movement_begins_and_ends_at_rest() {
        assert_eq!(
            [smooth(-1.0), smooth(0.0), smooth(0.5), smooth(1.0), smooth(2.0)],
            [0.0, 0.0, 0.5, 1.0, 1.0]
        );
        let slope = |t: f32| (smooth(t + 1e-3) - smooth(t - 1e-3)) / 2e-3;
        assert!(slope(1e-3) < 1e-3 && slope(1.0 - 1e-3) < 1e-3 && slope(0.5) > 1.5);
        assert!((0..100).all(|i| smooth(i as f32 / 100.0) <= smooth((i + 1) as f32 / 100.0)));
    }

    #[test]
    fn widths_grow_with_amounts_and_vanish_at_zero() {
        let scale = WidthScale { largest: 2.0, width: 7.0 };
        assert_eq!([0.0, 0.05, f32::NAN].map(|amount| scale.width_of(amount)), [None; 3]);
        assert_eq!([2.0, -2.0, 9.0].map(|amount| scale.width_of(amount)), [Some(7.0); 3]);
        let widths: Vec<f32> = (1..40).map(|i| scale.width_of(i as f32 * 0.05).unwrap_or(0.0)).collect();
        assert!(widths.windows(2).all(|pair| pair[0] <= pair[1]));
        assert_eq!(scale.doubled_for([1.0; 200].into_iter()), scale);
        assert_eq!(scale.doubled_for([5.0; 200].into_iter()).largest, 8.0);
        assert_eq!(scale.doubled_for(std::iter::empty()), scale);
    }

    #[test]
    fn a_point_finds_the_target_with_the_nearest_centre() {
        let mut scene = Scene::new(100.0, 100.0);
        for (key, left) in [("a", 0.0), ("b", 10.0)] {
            scene.target(key, key, "", TargetKind::Press, Area::new(left, 0.0, 20.0, 20.0));
        }
        let found = |x, y| scene.target_at(Point::new(x, y)).map(|target| target.key.as_str());
        assert_eq!(
            [found(1.0, 1.0), found(12.0, 5.0), found(18.0, 5.0), found(50.0, 5.0)],
            [Some("a"), Some("a"), Some("b"), None]
        );
        assert!(scene.targets[0].area.overlaps(&scene.targets[1].area));
    }

    #[test]
    fn a_colour_without_strength_is_the_background() {
        let theme = Theme::light();
        assert_eq!(Ink::Positive.at(0.0).to_rgb(&theme), Ink::Background.at(1.0).to_rgb(&theme));
        assert_ne!(Ink::Positive.at(0.5).to_rgb(&theme), Ink::Positive.at(1.0).to_rgb(&theme));
        assert_eq!([Ink::of_sign(-1.0), Ink::of_sign(0.0)], [Ink::Negative, Ink::Positive]);
    }
}
