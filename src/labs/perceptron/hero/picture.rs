//! The drawing of student and teacher: example and weights as cells on the left, the plane of both vectors in the middle,
//! overlap and error on the right; on a phone from top to bottom and without the cells.

use super::{BATCH, FULL_CELL, MAX_CELLS, MOVE_MS, TeacherHero, format_degrees, format_overlap};
use vivarium_core::math::norm;
use vivarium_plot::scene::{Anchor, Area, Ink, Point, Scene, Shape, Stroke, TargetKind};
use vivarium_view::display::hero::{Frame, Hero};
use vivarium_view::display::words::{MISSING, format_probability, format_thousands};

/// Key of the handle at the tip of the student's arrow.
pub(super) const STUDENT: &str = "student";
/// Key of the button that gives the student the shown example.
pub(super) const GIVE_ONE: &str = "give-one";
/// Key of the button that gives the student [`BATCH`] examples.
pub(super) const GIVE_BATCH: &str = "give-many";
/// Key of the button that sets all weights of the student to 0.
pub(super) const FORGET: &str = "forget";

/// Length of the arrows as a share of the circle's radius.
const ARROW: f32 = 0.82;
/// Width of the arrows in CSS pixels.
const ARROW_WIDTH: f32 = 4.0;
/// Size of the area at the tip of the student's arrow that reacts to touches, in CSS pixels.
const HANDLE: f32 = 44.0;
/// Component of an input along an axis of the plane that is at the edge of the circle; in an input of many signs it is
/// distributed nearly as N(0, 1).
const EDGE: f32 = 2.8;
/// Radius of a dot of a held-out example in CSS pixels.
const DOT: f32 = 2.5;
/// Radius of the dot of the shown example in CSS pixels.
const EXAMPLE: f32 = 5.0;
/// Length, in CSS pixels, of the arrow of the nudge by an input of length 1 in the plane. Only its direction is to scale: a
/// real nudge is too short to be seen once the student has many examples.
const NUDGE: f32 = 26.0;
/// Height of the parts of the right column together, in CSS pixels.
const COLUMN_HEIGHT: f32 = 400.0;

/// Where the parts of the picture are.
pub(super) struct Layout {
    /// Centre of the circle, where both arrows begin.
    centre: Point,
    /// Radius of the circle in CSS pixels.
    radius: f32,
    /// Squares for the example, the teacher's weights and the student's weights; `None` on a phone.
    cells: Option<[Area; 3]>,
    /// Bars of the overlap and of the error.
    bars: [Area; 2],
    /// Buttons from top to bottom, or from left to right on a phone.
    buttons: [Area; 3],
    /// Top of the right column; without meaning on a phone.
    top: f32,
    /// Whether the parts are from top to bottom.
    is_narrow: bool,
}

impl Layout {
    /// The layout of a picture of this size.
    pub(super) fn new(frame: &Frame) -> Layout {
        if frame.is_narrow() { Layout::narrow(frame) } else { Layout::wide(frame) }
    }

    /// From left to right: cells, circle, bars and buttons.
    fn wide(frame: &Frame) -> Layout {
        let Frame { width, height, .. } = *frame;
        // Above the circle is the teacher's name, below it are the student's name and two lines.
        let radius = ((height - 94.0) / 2.0).min(0.17 * width).clamp(1.0, 190.0);
        let pitch = ((height - 8.0) / 3.0).min(170.0);
        let side = (pitch - 30.0).min(0.13 * width).clamp(1.0, 124.0);
        let first = (height - 3.0 * pitch) / 2.0 + 24.0;
        let cell = |at: f32| Area::new(0.05 * width, first + at * pitch, side, side);
        let (left, right) = (0.66 * width, 0.96 * width);
        let top = ((height - COLUMN_HEIGHT) / 2.0).max(0.0);
        let bar = |y: f32| Area::new(left, top + y, right - left, 14.0);
        let button = |at: f32| Area::new(left, top + 250.0 + 46.0 * at, (right - left).min(230.0), 38.0);
        Layout {
            centre: Point::new(0.41 * width, 28.0 + (height - 94.0) / 2.0),
            radius,
            cells: Some([cell(0.0), cell(1.0), cell(2.0)]),
            bars: [bar(72.0), bar(132.0)],
            buttons: [button(0.0), button(1.0), button(2.0)],
            top,
            is_narrow: false,
        }
    }

    /// From top to bottom: circle, bars, answers, buttons.
    fn narrow(frame: &Frame) -> Layout {
        let Frame { width, height, .. } = *frame;
        // Below the circle: the student's name, one line, two bars, one line and the buttons.
        let bottom = height - 146.0;
        let radius = ((bottom - 30.0) / 2.0 - 20.0).min(width / 2.0 - 60.0).max(1.0);
        let bar = |y: f32| Area::new(112.0, y - 6.0, width - 112.0 - 64.0, 12.0);
        let across = (width - 32.0) / 3.0;
        let button = |at: f32| Area::new(8.0 + at * (across + 8.0), height - 52.0, across, 44.0);
        Layout {
            centre: Point::new(width / 2.0, 30.0 + (bottom - 30.0) / 2.0),
            radius,
            cells: None,
            bars: [bar(height - 112.0), bar(height - 90.0)],
            buttons: [button(0.0), button(1.0), button(2.0)],
            top: 0.0,
            is_narrow: true,
        }
    }

    /// Angle, in radians from −π to π, from the teacher's arrow, which points upwards, to a point, positive towards the
    /// right; `None` near the centre.
    pub(super) fn angle_of(&self, point: Point) -> Option<f64> {
        let (x, y) = (f64::from(point.x - self.centre.x), f64::from(self.centre.y - point.y));
        (libm::hypot(x, y) > 2.0).then(|| libm::atan2(x, y))
    }

    /// The point at this angle from the teacher's arrow, `share` of the radius away from the centre.
    fn at_angle(&self, angle: f64, share: f32) -> Point {
        let away = self.radius * share;
        Point::new(
            self.centre.x + away * libm::sin(angle) as f32,
            self.centre.y - away * libm::cos(angle) as f32,
        )
    }

    /// The point of an input with these components across and along the teacher, at most at the edge of the circle.
    fn input(&self, across: f32, along: f32) -> Point {
        let scale = self.radius / EDGE;
        let point = Point::new(self.centre.x + across * scale, self.centre.y - along * scale);
        self.inside(point, EXAMPLE)
    }

    /// The point, or the point in its direction that is `margin` pixels inside the circle if it is farther away.
    fn inside(&self, point: Point, margin: f32) -> Point {
        let (away, most) = (self.centre.distance(point), (self.radius - margin).max(0.0));
        if away > most { self.centre.towards(point, most / away) } else { point }
    }
}

/// Draws the picture at the time of the frame.
pub(super) fn draw(hero: &TeacherHero, frame: &Frame) -> Scene {
    let mut scene = Scene::new(frame.width, frame.height);
    let layout = Layout::new(frame);
    let moved = f64::from(frame.moved(hero.turn.since_ms, MOVE_MS));
    let shown = hero.angle.map(|angle| hero.turn.from + (angle - hero.turn.from) * moved);
    draw_circle(&mut scene, hero, &layout, shown);
    draw_example(&mut scene, hero, &layout);
    draw_arrows(&mut scene, hero, &layout, shown, frame);
    draw_cells(&mut scene, hero, &layout);
    draw_numbers(&mut scene, hero, &layout);
    draw_buttons(&mut scene, &layout);
    scene
}

/// The circle with the wedges of wrong answers, the lines on which both answers change, and the dots.
fn draw_circle(scene: &mut Scene, hero: &TeacherHero, layout: &Layout, shown: Option<f64>) {
    let (centre, radius) = (layout.centre, layout.radius);
    if let Some(angle) = shown {
        // The answers change on the lines across the arrows; between these lines they differ.
        let angle = angle as f32;
        for start in [0.0, std::f32::consts::PI] {
            let ends = if angle < 0.0 { [start + angle, start] } else { [start, start + angle] };
            scene.fill(Shape::Arc(centre, radius, ends), Ink::Mark.at(0.22));
        }
    }
    scene.stroke(Shape::Circle(centre, radius), Stroke::new(Ink::Grid, 1.5));
    let quarter = std::f64::consts::FRAC_PI_2;
    let lines = [Some((0.0, Ink::Text)), shown.map(|angle| (angle, Ink::Mark))];
    for (angle, ink) in lines.into_iter().flatten() {
        let ends = [quarter, -quarter].map(|turn| layout.at_angle(angle + turn, 1.0));
        scene.line(ends[0], ends[1], Stroke::new(ink.at(0.6), 1.5));
    }
    let dots = hero.across.iter().zip(&hero.along).zip(&hero.dots.y);
    for ((across, along), label) in dots {
        let colour = Ink::of_sign(*label).at(0.85);
        scene.fill(Shape::Circle(layout.input(*across, *along), DOT), colour);
    }
}

/// The shown example, and the dashed line that separates the students that answer +1 from those that answer −1.
fn draw_example(scene: &mut Scene, hero: &TeacherHero, layout: &Layout) {
    let [across, along] = hero.example.at;
    let at = layout.input(across, along);
    if let Some(angle) = layout.angle_of(at) {
        let quarter = std::f64::consts::FRAC_PI_2;
        let ends = [quarter, -quarter].map(|turn| layout.at_angle(angle + turn, 1.0));
        scene.line(ends[0], ends[1], Stroke::new(Ink::Quiet, 1.5).dashed(6.0, 5.0));
    }
    let fill = Ink::of_sign(hero.example.label);
    scene.fill_and_stroke(Shape::Circle(at, EXAMPLE), fill, Stroke::new(Ink::Text, 1.5));
}

/// Draws an arrow with a filled head.
fn draw_arrow(scene: &mut Scene, from: Point, to: Point, stroke: Stroke) {
    let length = from.distance(to);
    if !length.is_finite() || length < 1.0 {
        return;
    }
    let head = (5.0 + 2.0 * stroke.width).min(length);
    let base = to.towards(from, head / length);
    let (x, y) = (0.45 * head * (to.x - from.x) / length, 0.45 * head * (to.y - from.y) / length);
    let corners = vec![to, Point::new(base.x - y, base.y + x), Point::new(base.x + y, base.y - x)];
    scene.line(from, base, stroke);
    scene.fill(Shape::Path(corners), stroke.colour);
}

/// Arrows of teacher and student with their names, the nudge that the shown example would give, and the handle of the
/// student.
fn draw_arrows(scene: &mut Scene, hero: &TeacherHero, layout: &Layout, shown: Option<f64>, frame: &Frame) {
    let centre = layout.centre;
    draw_arrow(scene, centre, layout.at_angle(0.0, ARROW), Stroke::new(Ink::Text, ARROW_WIDTH));
    let tip = shown.map_or(centre, |angle| layout.at_angle(angle, ARROW));
    if shown.is_some() {
        draw_arrow(scene, centre, tip, Stroke::new(Ink::Mark, ARROW_WIDTH));
    }
    // The direction of the nudge; its size is that of the gradient of the loss, up to 1.
    let factor = hero.step_factor(f64::from(hero.example.label), hero.output());
    let rate = hero.step_factor(1.0, 0.0).abs().max(f64::MIN_POSITIVE);
    let strength = (factor / rate).clamp(-1.0, 1.0) as f32;
    let length = NUDGE * strength * frame.moved(hero.example.since_ms, MOVE_MS);
    let [across, along] = hero.example.at;
    let end = layout.inside(Point::new(tip.x + across * length, tip.y - along * length), 0.0);
    draw_arrow(scene, tip, end, Stroke::new(Ink::Mark.at(0.55), 2.0).dashed(4.0, 4.0));
    scene.fill_and_stroke(Shape::Circle(tip, 8.0), Ink::Background, Stroke::new(Ink::Mark, 3.0));
    let name_of = |angle: f64| layout.at_angle(angle, 1.0 + 14.0 / layout.radius);
    // Both names begin at the arrows and go away from each other.
    let (own, other) = match shown.is_some_and(|angle| angle < 0.0) {
        true => ((-4.0, Anchor::End), (4.0, Anchor::Start)),
        false => ((4.0, Anchor::Start), (-4.0, Anchor::End)),
    };
    let at = name_of(0.0);
    scene.bold_text(tr!("teacher"), Point::new(at.x + other.0, at.y), 13.0, other.1, Ink::Text);
    if let Some(angle) = shown {
        let at = name_of(angle);
        scene.bold_text(tr!("student"), Point::new(at.x + own.0, at.y), 13.0, own.1, Ink::Mark);
    }
    let value = hero.describe_angle();
    scene.target(STUDENT, tr!("Student"), value, TargetKind::Handle, Area::around(tip, HANDLE, HANDLE));
}

/// The first entries of a vector as cells in rows of equal length: values from −1 to 1, and zeros after the last one.
fn cells_of(vector: impl Iterator<Item = f64>) -> (usize, Vec<f32>) {
    let mut values: Vec<f32> = vector.take(MAX_CELLS).map(|value| value.clamp(-1.0, 1.0) as f32).collect();
    let columns = (libm::sqrt(values.len() as f64).ceil() as usize).max(1);
    values.resize(values.len().div_ceil(columns) * columns, 0.0);
    (columns, values)
}

/// The example, the teacher's weights and the student's weights as squares of cells. Both weight vectors have the same
/// length in the picture, so that equal directions look equal.
fn draw_cells(scene: &mut Scene, hero: &TeacherHero, layout: &Layout) {
    let Some(areas) = layout.cells else { return };
    // The teacher's weights have the variance 1 if its length is √n.
    let full = libm::sqrt(hero.input_count() as f64) / FULL_CELL;
    let length = norm(&hero.student);
    let scale = if length.is_finite() && length > 0.0 { full / length } else { 0.0 };
    let count = format_thousands(hero.input_count() as u64);
    let [example, teacher, student] = match hero.input_count() > MAX_CELLS {
        true => [
            tr!("example: {shown} of {count} signs", shown = MAX_CELLS, count),
            tr!("teacher: first {shown}", shown = MAX_CELLS),
            tr!("student: first {shown}", shown = MAX_CELLS),
        ],
        false => [
            tr!("example: {count} signs", count),
            tr!("teacher's weights").into(),
            tr!("student's weights").into(),
        ],
    };
    let drawn = [
        (example, cells_of(hero.example.x.iter().map(|x| 0.8 * f64::from(*x)))),
        (teacher, cells_of(hero.teacher.iter().map(|w| full * w))),
        (student, cells_of(hero.student.iter().map(|w| if scale > 0.0 { scale * w } else { 0.0 }))),
    ];
    for ((name, (columns, values)), area) in drawn.into_iter().zip(areas) {
        let at = Point::new(area.left, area.top - 12.0);
        scene.text(name, at, 13.0, Anchor::Start, Ink::Quiet);
        scene.fill(Shape::Cells { area, columns, values }, Ink::Background);
        scene.stroke(Shape::Box(area, 0.0), Stroke::new(Ink::Grid, 1.0));
    }
}

/// A bar from 0 to 1 with its name, its value and a notch.
struct Bar {
    /// Name of the number.
    name: &'static str,
    /// The number; `None` if it is undefined.
    value: Option<f64>,
    /// The number in words.
    words: String,
    /// Another number that is marked on the bar.
    notch: Option<f64>,
}

/// Draws a bar: its name and words are above it, or on its left and right on a phone.
fn draw_bar(scene: &mut Scene, layout: &Layout, area: Area, bar: Bar) {
    let share = |value: f64| (value as f32).clamp(0.0, 1.0);
    let value = bar.value.filter(|value| value.is_finite());
    let filled = Area::new(area.left, area.top, area.width * value.map_or(0.0, share), area.height);
    scene.fill(Shape::Box(filled, 0.0), Ink::Mark.at(0.8));
    scene.stroke(Shape::Box(area, 0.0), Stroke::new(Ink::Quiet, 1.2));
    if let Some(notch) = bar.notch.filter(|notch| notch.is_finite()) {
        let x = area.left + area.width * share(notch);
        let ends = [area.top - 4.0, area.bottom() + 4.0].map(|y| Point::new(x, y));
        scene.line(ends[0], ends[1], Stroke::new(Ink::Text, 3.0));
    }
    if layout.is_narrow {
        let y = area.centre().y;
        scene.text(bar.name, Point::new(8.0, y), 12.0, Anchor::Start, Ink::Text);
        scene.bold_text(bar.words, Point::new(scene.width - 8.0, y), 12.0, Anchor::End, Ink::Text);
        return;
    }
    let above = area.top - 12.0;
    scene.text(bar.name, Point::new(area.left, above), 13.0, Anchor::Start, Ink::Text);
    scene.bold_text(bar.words, Point::new(area.right(), above), 13.0, Anchor::End, Ink::Text);
    for (text, x, anchor) in [("0", area.left, Anchor::Start), ("1", area.right(), Anchor::End)] {
        scene.text(text, Point::new(x, area.bottom() + 11.0), 11.0, anchor, Ink::Quiet);
    }
}

/// Overlap and error as bars, the angle, the answers to the shown example, and what the shapes mean.
fn draw_numbers(scene: &mut Scene, hero: &TeacherHero, layout: &Layout) {
    let theory = hero.theoretical_overlap();
    let overlap = hero.overlap().map_or(MISSING.into(), format_overlap);
    let words = match theory {
        Some(theory) if !layout.is_narrow => {
            tr!("{overlap} (theory {theory})", overlap, theory = format_overlap(theory))
        }
        _ => overlap,
    };
    let bar = Bar { name: tr!("overlap R"), value: hero.overlap(), words, notch: theory };
    draw_bar(scene, layout, layout.bars[0], bar);
    let words = hero.error().map_or(MISSING.into(), format_probability);
    let notch = theory.map(super::error_from_overlap);
    let bar = Bar { name: tr!("share wrong"), value: hero.error(), words, notch };
    draw_bar(scene, layout, layout.bars[1], bar);
    let angle = match hero.angle {
        Some(angle) => tr!("angle {angle}°", angle = format_degrees(angle)),
        None if hero.has_diverged() => tr!("weights not finite").into(),
        None => tr!("no direction yet").into(),
    };
    let shaded = tr!("shaded: inputs on which the student is wrong");
    let what_if = match hero.progress.has_ended {
        true => tr!("what if: not the run's student"),
        false => tr!("what if, until the run's next step"),
    };
    if layout.is_narrow {
        let top = Point::new(8.0, 13.0);
        scene.bold_text(angle, top, 14.0, Anchor::Start, Ink::Text);
        if hero.is_what_if {
            scene.text(what_if, Point::new(scene.width - 8.0, 13.0), 12.0, Anchor::End, Ink::Mark);
        }
        let middle = scene.width / 2.0;
        scene.text(shaded, Point::new(middle, scene.height - 134.0), 11.0, Anchor::Middle, Ink::Quiet);
        let at = Point::new(middle, scene.height - 67.0);
        scene.text(hero.describe_answers(), at, 12.0, Anchor::Middle, Ink::Text);
        return;
    }
    let left = layout.bars[0].left;
    let line = |y: f32| Point::new(left, layout.top + y);
    scene.bold_text(angle, line(32.0), 16.0, Anchor::Start, Ink::Text);
    if let Some(wrong) = hero.wrong_dot_count() {
        let words = tr!("{wrong} of {count} dots are wrong", wrong, count = hero.along.len());
        scene.text(words, line(182.0), 13.0, Anchor::Start, Ink::Text);
    }
    scene.text(hero.describe_answers(), line(204.0), 13.0, Anchor::Start, Ink::Text);
    if hero.is_what_if {
        scene.text(what_if, line(228.0), 13.0, Anchor::Start, Ink::Mark);
    }
    let below = |away: f32| Point::new(layout.centre.x, scene.height - away);
    let (first, second) = (below(28.0), below(11.0));
    scene.text(shaded, first, 12.0, Anchor::Middle, Ink::Quiet);
    let dashed = tr!("dashed: students on the large dot's side answer +1");
    scene.text(dashed, second, 12.0, Anchor::Middle, Ink::Quiet);
}

/// The buttons, which give examples or make the student forget.
fn draw_buttons(scene: &mut Scene, layout: &Layout) {
    let names: [(&str, String); 3] = [
        (GIVE_ONE, tr!("Give example").into()),
        (GIVE_BATCH, tr!("Give {count}", count = BATCH)),
        (FORGET, tr!("Forget all").into()),
    ];
    for ((key, name), area) in names.into_iter().zip(layout.buttons) {
        scene.fill_and_stroke(Shape::Box(area, 6.0), Ink::Background, Stroke::new(Ink::Text, 1.4));
        scene.text(name.as_str(), area.centre(), 13.0, Anchor::Middle, Ink::Text);
        scene.target(key, name, "", TargetKind::Press, area);
    }
}
