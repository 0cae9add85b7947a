//! Recorded scenes as a small text: every shape and every style once, and for each scene which shapes it has, in which
//! styles.
//!
//! ```text
//! scenes 1      format and version
//! ghHgpD        width and height
//! sAAKgCwBAA    a style: filling and line
//! pwCgFwoCnD    a shape; its letter says of which kind it is
//! fAA           a scene: its shapes from back to front, each with its style
//! ```
//!
//! All numbers are whole: positions in quarters of a CSS pixel, strengths of colours in 32 parts. They are written as
//! base-64 digits of five bits, like the positions in source maps. Texts and targets are left out.
//!
//! # Why
//! A shape that stays where it is while its colour or width changes, such as an edge whose weight grows, is written once.
//! So the file of sixteen scenes is hardly larger than that of one, and the change from one scene to the next is known for
//! each shape. A text goes through the same functions as the other fetched files, and servers compress it.

use std::collections::BTreeMap;

use super::{Area, Colour, Ink, Item, Point, Scene, Shape, Stroke, UNKNOWN_CELL};

/// First line of a file: name and version of the format.
const HEADER: &str = "scenes 1";

/// Colours by the numbers that stand in files; new ones are added at the end.
const INKS: [Ink; 10] = [
    Ink::Background,
    Ink::Text,
    Ink::Quiet,
    Ink::Grid,
    Ink::Negative,
    Ink::Positive,
    Ink::Mark,
    Ink::First,
    Ink::Second,
    Ink::Third,
];

/// Parts of a CSS pixel in which positions are written.
const POSITION_PARTS: f32 = 4.0;
/// Parts of a CSS pixel in which widths of lines are written.
const WIDTH_PARTS: f32 = 8.0;
/// Parts of a radian in which angles are written.
const ANGLE_PARTS: f32 = 256.0;
/// Parts of 1 in which the strength of a colour is written.
const STRENGTH_PARTS: f32 = 32.0;
/// Parts of 1 in which values of cells are written: with its sign, a value is one digit.
const CELL_PARTS: f32 = 15.0;

/// Number among the values of cells after which the number of repetitions of the last value follows.
const REPEAT: i32 = 99;
/// Smallest number of repetitions of a value that are written as one number.
const MIN_REPEATS: usize = 3;
/// Largest number of cells of a shape.
const MAX_CELLS: usize = 1 << 14;

/// Thinnest line in CSS pixels that a reduced scene has.
const THINNEST_REDUCED_LINE: f32 = 0.5;

/// Digits of numbers, each with five bits; the second half says that a digit follows.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends a number.
fn push_number(out: &mut String, number: i32) {
    // Small numbers of both signs have small codes: 0, −1, 1, −2, 2, …
    let mut rest = ((number << 1) ^ (number >> 31)) as u32;
    loop {
        let low = rest & 31;
        rest >>= 5;
        let digit = if rest > 0 { low | 32 } else { low };
        out.push(char::from(DIGITS[digit as usize]));
        if rest == 0 {
            return;
        }
    }
}

/// The numbers of a text; `None` if it is not made of whole numbers.
fn read_numbers(text: &str) -> Option<Vec<i32>> {
    let (mut numbers, mut code, mut shift) = (vec![], 0u32, 0u32);
    for byte in text.bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        if shift > 30 {
            return None;
        }
        code |= u32::from(digit & 31) << shift;
        if digit >= 32 {
            shift += 5;
        } else {
            numbers.push((code >> 1) as i32 ^ -((code & 1) as i32));
            (code, shift) = (0, 0);
        }
    }
    (shift == 0).then_some(numbers)
}

/// A value as a whole number of parts; 0 for a value that is not a number.
fn quantize(value: f32, parts: f32) -> i32 {
    (value * parts).round().clamp(-1e6, 1e6) as i32
}

/// Appends points: the first from the corner of the scene, every other one from the point before it.
fn push_points(out: &mut String, points: &[Point]) {
    let (mut x, mut y) = (0, 0);
    for point in points {
        let next = (quantize(point.x, POSITION_PARTS), quantize(point.y, POSITION_PARTS));
        push_number(out, next.0 - x);
        push_number(out, next.1 - y);
        (x, y) = next;
    }
}

/// The points of [`push_points`]; `None` for an odd number of coordinates.
fn read_points(numbers: &[i32]) -> Option<Vec<Point>> {
    let (mut x, mut y) = (0i32, 0i32);
    let mut read = |pair: &[i32]| {
        (x, y) = (x.wrapping_add(pair[0]), y.wrapping_add(pair[1]));
        Point::new(x as f32 / POSITION_PARTS, y as f32 / POSITION_PARTS)
    };
    numbers.len().is_multiple_of(2).then(|| numbers.chunks_exact(2).map(&mut read).collect())
}

/// Appends a rectangle.
fn push_area(out: &mut String, area: &Area) {
    for length in [area.left, area.top, area.width, area.height] {
        push_number(out, quantize(length, POSITION_PARTS));
    }
}

/// The rectangle of [`push_area`].
fn read_area(numbers: [i32; 4]) -> Area {
    let [left, top, width, height] = numbers.map(|number| number as f32 / POSITION_PARTS);
    Area::new(left, top, width, height)
}

/// Appends values of cells, equal neighbours together.
fn push_cells(out: &mut String, values: &[f32]) {
    let codes: Vec<i32> =
        values.iter().map(|value| quantize(value.clamp(-UNKNOWN_CELL, UNKNOWN_CELL), CELL_PARTS)).collect();
    for same in codes.chunk_by(|one, next| one == next) {
        push_number(out, same[0]);
        let repeats = same.len() - 1;
        if repeats >= MIN_REPEATS {
            push_number(out, REPEAT);
            push_number(out, i32::try_from(repeats).unwrap_or(i32::MAX));
        } else {
            same[1..].iter().for_each(|code| push_number(out, *code));
        }
    }
}

/// The values of [`push_cells`]; `None` if there are too many, or if a number of repetitions has no value before it.
fn read_cells(numbers: &[i32]) -> Option<Vec<f32>> {
    let mut values: Vec<f32> = vec![];
    let mut numbers = numbers.iter();
    while let Some(number) = numbers.next() {
        if *number == REPEAT {
            let repeats = usize::try_from(*numbers.next()?).ok()?;
            let value = *values.last()?;
            if repeats > MAX_CELLS {
                return None;
            }
            values.resize(values.len() + repeats, value);
        } else {
            values.push(*number as f32 / CELL_PARTS);
        }
        if values.len() > MAX_CELLS {
            return None;
        }
    }
    Some(values)
}

/// The line of a shape; `None` for a text.
fn format_shape(shape: &Shape) -> Option<String> {
    let mut out = String::new();
    match shape {
        Shape::Path(points) => {
            out.push('p');
            push_points(&mut out, points);
        }
        Shape::Curve(points) => {
            out.push('k');
            push_points(&mut out, points);
        }
        Shape::Circle(centre, radius) => {
            out.push('c');
            push_points(&mut out, &[*centre]);
            push_number(&mut out, quantize(*radius, POSITION_PARTS));
        }
        Shape::Arc(centre, radius, angles) => {
            out.push('a');
            push_points(&mut out, &[*centre]);
            push_number(&mut out, quantize(*radius, POSITION_PARTS));
            angles.iter().for_each(|angle| push_number(&mut out, quantize(*angle, ANGLE_PARTS)));
        }
        Shape::Box(area, radius) => {
            out.push('b');
            push_area(&mut out, area);
            push_number(&mut out, quantize(*radius, POSITION_PARTS));
        }
        Shape::Cells { area, columns, values } => {
            out.push('g');
            push_area(&mut out, area);
            push_number(&mut out, i32::try_from(*columns).unwrap_or(i32::MAX));
            push_cells(&mut out, values);
        }
        Shape::Text { .. } => return None,
    }
    Some(out)
}

/// The shape of [`format_shape`] from the letter of its kind and its numbers; `None` if they fit no shape.
fn read_shape(kind: char, numbers: &[i32]) -> Option<Shape> {
    let position = |number: i32| number as f32 / POSITION_PARTS;
    match (kind, numbers) {
        ('p', points) => Some(Shape::Path(read_points(points)?)),
        ('k', points) => Some(Shape::Curve(read_points(points)?.try_into().ok()?)),
        ('c', &[x, y, radius]) => Some(Shape::Circle(Point::new(position(x), position(y)), position(radius))),
        ('a', &[x, y, radius, from, to]) => {
            let angles = [from, to].map(|angle| angle as f32 / ANGLE_PARTS);
            Some(Shape::Arc(Point::new(position(x), position(y)), position(radius), angles))
        }
        ('b', &[left, top, width, height, radius]) => {
            Some(Shape::Box(read_area([left, top, width, height]), position(radius)))
        }
        ('g', &[left, top, width, height, columns, ref values @ ..]) => Some(Shape::Cells {
            area: read_area([left, top, width, height]),
            columns: usize::try_from(columns).ok().filter(|columns| (1..=MAX_CELLS).contains(columns))?,
            values: read_cells(values)?,
        }),
        _ => None,
    }
}

/// Line and filling of a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Style {
    /// Outline of the shape, if it has one.
    stroke: Option<Stroke>,
    /// Colour of its inside, if it is filled.
    fill: Option<Colour>,
}

/// Appends a colour: the number of its meaning from 1 and its strength, or two zeros for none.
fn push_colour(out: &mut String, colour: Option<Colour>) {
    let code = |colour: &Colour| INKS.iter().position(|ink| *ink == colour.ink);
    let ink = colour.as_ref().and_then(code).and_then(|at| i32::try_from(at + 1).ok());
    push_number(out, ink.unwrap_or(0));
    push_number(out, colour.map_or(0, |colour| quantize(colour.strength.clamp(0.0, 1.0), STRENGTH_PARTS)));
}

/// The colour of [`push_colour`], or `Some(None)` for none; `None` if there is no such colour.
fn read_colour(ink: i32, strength: i32) -> Option<Option<Colour>> {
    if ink == 0 {
        return Some(None);
    }
    let ink = INKS.get(usize::try_from(ink).ok()? - 1)?;
    Some(Some(ink.at(strength as f32 / STRENGTH_PARTS)))
}

/// The line of a style.
fn format_style(stroke: Option<Stroke>, fill: Option<Colour>) -> String {
    let mut out = String::from("s");
    push_colour(&mut out, fill);
    push_colour(&mut out, stroke.map(|stroke| stroke.colour));
    push_number(&mut out, stroke.map_or(0, |stroke| quantize(stroke.width, WIDTH_PARTS)));
    let (dash, gap) = stroke.and_then(|stroke| stroke.dash).unwrap_or_default();
    push_number(&mut out, quantize(dash, POSITION_PARTS));
    push_number(&mut out, quantize(gap, POSITION_PARTS));
    out
}

/// The style of [`format_style`]; `None` if the numbers fit no style.
fn read_style(numbers: &[i32]) -> Option<Style> {
    let &[fill, fill_strength, ink, strength, width, dash, gap] = numbers else { return None };
    let dashes = (dash as f32 / POSITION_PARTS, gap as f32 / POSITION_PARTS);
    let stroke = read_colour(ink, strength)?.map(|colour| Stroke {
        colour,
        width: width as f32 / WIDTH_PARTS,
        dash: (dash > 0 && gap >= 0).then_some(dashes),
    });
    Some(Style { stroke, fill: read_colour(fill, fill_strength)? })
}

impl Style {
    /// Whether the style has the same parts as another one: a line, a filling, or both.
    fn has_parts_of(&self, other: &Style) -> bool {
        (self.stroke.is_some(), self.fill.is_some()) == (other.stroke.is_some(), other.fill.is_some())
    }

    /// The style a share of the way, from 0 to 1, from an earlier style of the shape to this one; from nothing, if the
    /// shape was not there. A colour of another meaning is there at once.
    fn blend_from(&self, earlier: Option<&Style>, share: f32) -> Style {
        let between = |from: f32, to: f32| from + (to - from) * share;
        let colour = |to: Colour, from: Option<Option<Colour>>| match from {
            None => to.ink.at(to.strength * share),
            Some(Some(from)) if from.ink == to.ink => to.ink.at(between(from.strength, to.strength)),
            Some(_) => to,
        };
        let stroke = self.stroke.map(|to| {
            let from = earlier.map(|earlier| earlier.stroke);
            let width = from.flatten().map_or(to.width, |from| between(from.width, to.width));
            let of_line = from.map(|from| from.map(|from| from.colour));
            Stroke { colour: colour(to.colour, of_line), width, ..to }
        });
        Style { stroke, fill: self.fill.map(|to| colour(to, earlier.map(|earlier| earlier.fill))) }
    }
}

/// Different lines of one kind, each written once.
#[derive(Default)]
struct Lines {
    /// The lines in the order of their first use.
    text: String,
    /// Number of each line, from 0.
    numbers: BTreeMap<String, i32>,
}

impl Lines {
    /// The number of a line, which is added if it is new.
    fn number_of(&mut self, line: String) -> i32 {
        let next = i32::try_from(self.numbers.len()).unwrap_or(i32::MAX);
        if let Some(number) = self.numbers.get(&line) {
            return *number;
        }
        self.text += &line;
        self.text.push('\n');
        self.numbers.insert(line, next);
        next
    }
}

/// Writes scenes of one size as a text that [`Animation::decode`] reads, without texts and targets.
pub fn encode_scenes(scenes: &[Scene]) -> String {
    let (mut styles, mut shapes, mut frames) = (Lines::default(), Lines::default(), String::new());
    for scene in scenes {
        frames.push('f');
        // Most shapes follow the one after which they were first used, in the same style.
        let (mut shape, mut style) = (-1, 0);
        for item in &scene.items {
            let Some(line) = format_shape(&item.shape) else { continue };
            let next = (shapes.number_of(line), styles.number_of(format_style(item.stroke, item.fill)));
            push_number(&mut frames, next.0 - shape - 1);
            push_number(&mut frames, next.1 - style);
            (shape, style) = next;
        }
        frames.push('\n');
    }
    let mut size = String::new();
    if let Some(scene) = scenes.first() {
        push_points(&mut size, &[Point::new(scene.width, scene.height)]);
    }
    format!("{HEADER}\n{size}\n{}{}{frames}", styles.text, shapes.text)
}

/// The shapes of one recorded scene.
#[derive(Debug, Clone, PartialEq)]
struct RecordedScene {
    /// Shapes from back to front, each as (index of the shape, index of its style).
    items: Vec<(usize, usize)>,
    /// These pairs in the order of the shapes, so that a shape is found by halving.
    sorted: Vec<(usize, usize)>,
}

/// A moment of an animation: a scene, and how far the change from the scene before it has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// Index of the scene, from 0.
    pub scene: usize,
    /// Share of the change from the scene before it that is done, from 0 to 1.
    pub share: f32,
}

/// Recorded scenes of one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Animation {
    /// Width of the scenes in CSS pixels.
    width: f32,
    /// Height of the scenes in CSS pixels.
    height: f32,
    /// Different styles of all scenes.
    styles: Vec<Style>,
    /// Different shapes of all scenes.
    shapes: Vec<Shape>,
    /// The scenes, in their order.
    scenes: Vec<RecordedScene>,
}

impl Animation {
    /// Reads the text of [`encode_scenes`]; `None` if it is another text or has no scene.
    pub fn decode(text: &str) -> Option<Animation> {
        let mut lines = text.lines();
        if lines.next() != Some(HEADER) {
            return None;
        }
        let size = *read_points(&read_numbers(lines.next()?)?)?.first()?;
        let mut animation =
            Animation { width: size.x, height: size.y, styles: vec![], shapes: vec![], scenes: vec![] };
        for line in lines {
            let kind = line.chars().next()?;
            let numbers = read_numbers(line.get(1..)?)?;
            match kind {
                's' => animation.styles.push(read_style(&numbers)?),
                'f' => {
                    let scene = animation.read_scene(&numbers)?;
                    animation.scenes.push(scene);
                }
                _ => animation.shapes.push(read_shape(kind, &numbers)?),
            }
        }
        let is_complete = !animation.scenes.is_empty() && size.x > 0.0 && size.y > 0.0;
        is_complete.then_some(animation)
    }

    /// A scene from its numbers; `None` if it has a shape or a style that the animation does not have.
    fn read_scene(&self, numbers: &[i32]) -> Option<RecordedScene> {
        let (mut shape, mut style) = (-1i32, 0i32);
        let mut items = vec![];
        for pair in numbers.chunks(2) {
            let &[to_shape, to_style] = pair else { return None };
            shape = shape.checked_add(to_shape)?.checked_add(1)?;
            style = style.checked_add(to_style)?;
            let item = (usize::try_from(shape).ok()?, usize::try_from(style).ok()?);
            if item.0 >= self.shapes.len() || item.1 >= self.styles.len() {
                return None;
            }
            items.push(item);
        }
        let mut sorted = items.clone();
        sorted.sort_unstable();
        Some(RecordedScene { items, sorted })
    }

    /// Number of scenes, at least 1.
    pub fn scene_count(&self) -> usize {
        self.scenes.len()
    }

    /// Width of the scenes in CSS pixels.
    pub fn width(&self) -> f32 {
        self.width
    }

    /// Height of the scenes in CSS pixels.
    pub fn height(&self) -> f32 {
        self.height
    }

    /// The style in a scene of a shape that now has another style with the same parts; `None` if the shape is not there.
    fn find_style(&self, scene: &RecordedScene, shape: usize, now: &Style) -> Option<&Style> {
        let from = scene.sorted.partition_point(|(other, _)| *other < shape);
        let of_shape = scene.sorted[from..].iter().take_while(|(other, _)| *other == shape);
        of_shape.filter_map(|(_, style)| self.styles.get(*style)).find(|style| style.has_parts_of(now))
    }

    /// The picture at a moment, enlarged by `scale`, which is below 1 for a reduced picture. While a scene follows the
    /// previous one, shapes of both change their widths and colours, and new shapes become visible.
    pub fn scene_at(&self, at: Moment, scale: f32) -> Scene {
        let mut picture = Scene::new(self.width * scale, self.height * scale);
        let Some(scene) = self.scenes.get(at.scene) else { return picture };
        let before = at.scene.checked_sub(1).filter(|_| at.share < 1.0).and_then(|at| self.scenes.get(at));
        for (shape, style) in &scene.items {
            let (Some(form), Some(style)) = (self.shapes.get(*shape), self.styles.get(*style)) else {
                continue;
            };
            let style = match before {
                Some(before) => style.blend_from(self.find_style(before, *shape, style), at.share),
                None => *style,
            };
            let stroke = style.stroke.map(|stroke| Stroke {
                width: (stroke.width * scale).max(THINNEST_REDUCED_LINE),
                dash: stroke.dash.map(|(dash, gap)| (dash * scale, gap * scale)),
                ..stroke
            });
            picture.items.push(Item { shape: resize(form, scale), stroke, fill: style.fill });
        }
        picture
    }
}

/// A shape, enlarged by `scale` from the corner of its scene.
fn resize(shape: &Shape, scale: f32) -> Shape {
    let point = |point: &Point| Point::new(point.x * scale, point.y * scale);
    let resized =
        |area: &Area| Area::new(area.left * scale, area.top * scale, area.width * scale, area.height * scale);
    match shape {
        Shape::Path(points) => Shape::Path(points.iter().map(point).collect()),
        Shape::Curve(points) => Shape::Curve(points.each_ref().map(point)),
        Shape::Circle(centre, radius) => Shape::Circle(point(centre), radius * scale),
        Shape::Arc(centre, radius, angles) => Shape::Arc(point(centre), radius * scale, *angles),
        Shape::Box(area, radius) => Shape::Box(resized(area), radius * scale),
        Shape::Cells { area, columns, values } => {
            Shape::Cells { area: resized(area), columns: *columns, values: values.clone() }
        }
        Shape::Text { text, at, size, anchor, bold } => Shape::Text {
            text: text.clone(),
            at: point(at),
            size: size * scale,
            anchor: *anchor,
            bold: *bold,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Anchor, TargetKind};

    /// A scene with a shape of every kind, in which a line has this width.
    fn scene(width: f32) -> Scene {
        let mut scene = Scene::new(900.0, 420.0);
        let at = |x: f32, y: f32| Point::new(x, y);
        scene.line(at(10.0, 20.0), at(300.25, 7.5), Stroke::new(Ink::Negative.at(0.5), width));
        scene.stroke(
            Shape::Curve([at(0.0, 0.0), at(1.0, -2.0), at(3.0, 4.0), at(800.0, 400.0)]),
            Stroke::new(Ink::Quiet, 1.5).dashed(4.0, 3.0),
        );
        scene.fill(Shape::Circle(at(100.0, 100.0), 12.5), Ink::Mark.at(0.25));
        scene.fill(Shape::Arc(at(50.0, 60.0), 20.0, [0.5, -1.25]), Ink::First);
        scene.fill_and_stroke(
            Shape::Box(Area::new(1.0, 2.0, 30.0, 40.0), 4.0),
            Ink::Positive,
            Stroke::new(Ink::Text, 1.0),
        );
        let values = vec![1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 0.0, UNKNOWN_CELL];
        scene.fill(Shape::Cells { area: Area::new(5.0, 6.0, 7.0, 8.0), columns: 4, values }, Ink::Background);
        scene.text("gone", at(1.0, 1.0), 12.0, Anchor::Start, Ink::Text);
        scene.target("key", "Name", "", TargetKind::Press, Area::new(0.0, 0.0, 20.0, 20.0));
        scene
    }

    #[test]
    fn numbers_are_read_as_written() {
        let numbers = [0, 1, -1, 15, -15, -16, 16, 511, -512, 99_999, i32::MAX, i32::MIN];
        let mut text = String::new();
        numbers.iter().for_each(|number| push_number(&mut text, *number));
        assert_eq!(read_numbers(&text).unwrap(), numbers);
        let length = |number: i32| {
            let mut text = String::new();
            push_number(&mut text, number);
            text.len()
        };
        assert_eq!([0, 15, -16, 16, -511, 512].map(length), [1, 1, 1, 2, 2, 3]);
        for text in ["g", "A!", "////////A", "é"] {
            assert_eq!(read_numbers(text), None, "{text}");
        }
        assert_eq!(quantize(f32::NAN, 4.0), 0);
        assert_eq!(quantize(f32::INFINITY, 4.0), 1_000_000);
    }

    #[test]
    fn scenes_are_read_as_written_without_texts_and_targets() {
        let scenes = [scene(3.0), scene(6.0)];
        let text = encode_scenes(&scenes);
        let animation = Animation::decode(&text).unwrap();
        assert_eq!((animation.width(), animation.height(), animation.scene_count()), (900.0, 420.0, 2));
        let read: Vec<Scene> =
            (0..2).map(|scene| animation.scene_at(Moment { scene, share: 1.0 }, 1.0)).collect();
        for (read, written) in read.iter().zip(&scenes) {
            assert_eq!(read.items.len(), written.items.len() - 1);
            assert!(read.targets.is_empty());
            assert!(read.items.iter().zip(&written.items).all(|(read, written)| read == written));
        }
        assert_eq!(encode_scenes(&read), text);
        // Only the style of the line is new in the second scene.
        assert_eq!(text.lines().skip(2).filter(|line| line.starts_with('p')).count(), 1);
        assert_eq!(text.lines().skip(2).filter(|line| line.starts_with('s')).count(), 7, "{text}");
        assert!(text.len() < 400, "{}", text.len());
    }

    #[test]
    fn shapes_change_their_widths_and_colours_and_new_shapes_become_visible() {
        let mut second = scene(6.0);
        second.items[0].stroke = Some(Stroke::new(Ink::Negative, 6.0));
        second.items[2].fill = Some(Ink::Third.into());
        second.line(Point::new(1.0, 2.0), Point::new(3.0, 4.0), Stroke::new(Ink::Second, 2.0));
        let animation = Animation::decode(&encode_scenes(&[scene(3.0), second])).unwrap();
        let at = |share: f32| animation.scene_at(Moment { scene: 1, share }, 0.5);
        let half = at(0.5);
        assert_eq!((half.width, half.height), (450.0, 210.0));
        assert_eq!(half.items[0].stroke, Some(Stroke::new(Ink::Negative.at(0.75), 2.25)));
        assert_eq!(half.items[0].shape, Shape::Path(vec![Point::new(5.0, 10.0), Point::new(150.125, 3.75)]));
        assert_eq!(half.items[1].stroke.unwrap().dash, Some((2.0, 1.5)));
        // Another colour is there at once; what is new comes from the background.
        assert_eq!(half.items[2].fill, Some(Ink::Third.into()));
        assert_eq!(half.items[6].stroke.unwrap().colour, Ink::Second.at(0.5));
        assert_eq!(at(0.0).items[6].stroke.unwrap().colour, Ink::Second.at(0.0));
        assert_eq!(at(1.0).items[0].stroke, Some(Stroke::new(Ink::Negative, 3.0)));
        assert_eq!(animation.scene_at(Moment { scene: 0, share: 0.3 }, 1.0).items.len(), 6);
        assert!(animation.scene_at(Moment { scene: 7, share: 1.0 }, 1.0).items.is_empty());
    }

    #[test]
    fn other_texts_are_no_animation() {
        let text = encode_scenes(&[scene(3.0)]);
        assert!(Animation::decode(&text).is_some());
        let without_scene: String =
            text.lines().filter(|line| !line.starts_with('f')).map(|line| format!("{line}\n")).collect();
        for other in [
            "",
            "<!doctype html>",
            "scenes 2\n",
            "scenes 1\n",
            &without_scene,
            &text.replace("scenes 1", "scenes 9"),
            &format!("{text}\n\n"),
            &format!("{text}x\n"),
            // A scene of shapes that are not there.
            &format!("{text}fgggB\n"),
        ] {
            assert_eq!(Animation::decode(other), None, "{other}");
        }
        // Every part of the text is read without a panic.
        for end in 0..text.len() {
            let _ = Animation::decode(&text[..end]);
        }
    }

    #[test]
    fn repeated_cells_are_bounded() {
        let mut many = String::from("g");
        [0, 0, 4, 4, 2, 1, REPEAT, i32::MAX].iter().for_each(|number| push_number(&mut many, *number));
        assert_eq!(Animation::decode(&format!("{HEADER}\nIQ\n{many}\nfA\n")), None);
        let mut cells = String::new();
        push_cells(&mut cells, &[0.2; 1000]);
        assert!(cells.len() < 8, "{cells}");
        assert_eq!(read_cells(&read_numbers(&cells).unwrap()).unwrap(), [0.2; 1000]);
    }
}
