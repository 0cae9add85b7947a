//! The drawing of the picture of learning in context: examples and curves in a plot, and on its right the predictions
//! for the query; on a phone below it.

use super::{Curve, InContextHero, format_value, method_name};
use vivarium_plot::scene::{Anchor, Area, Colour, Ink, Point, Scene, Shape, Stroke, TargetKind, WidthScale};
use vivarium_view::display::hero::Frame;
use vivarium_view::display::words::format_signed;

/// Duration of the movement of the curves after a press, in milliseconds.
const CURVE_MS: f64 = 120.0;
/// Width of the network's curve in CSS pixels.
const NETWORK_LINE: f32 = 3.0;
/// Width of the curves of the methods in CSS pixels.
const METHOD_LINE: f32 = 1.5;
/// Colours and lengths of dashes and gaps of the curves of the methods.
const METHOD_STYLES: [(Ink, f32, f32); 4] =
    [(Ink::First, 7.0, 4.0), (Ink::Second, 2.5, 3.5), (Ink::Third, 12.0, 4.0), (Ink::Quiet, 5.0, 5.0)];
/// Radius of the dot of an example in CSS pixels.
const DOT: f32 = 4.0;
/// Radius of the pale disc around the dot of an example in CSS pixels.
const DISC: f32 = 10.0;
/// Line widths of the query's attention to the examples: all attention has the largest width.
const ATTENTION_WIDTHS: WidthScale = WidthScale { largest: 1.0, width: 10.0 };
/// Smallest vertical distance of two names of curves in CSS pixels.
const NAME_PITCH: f32 = 16.0;

/// Where the parts of the picture are.
struct Layout {
    /// Plot of examples and curves.
    plot: Area,
    /// Distance of the query's handle from the lower edge of the plot.
    handle: f32,
    /// Row of the three buttons.
    buttons: Area,
    /// Rows of the predictions for the query.
    answers: Area,
    /// Size of the area of an example that reacts to touches.
    touch: f32,
    /// Whether the parts are from top to bottom.
    is_narrow: bool,
}

impl Layout {
    /// The layout of a picture of this size.
    fn new(frame: &Frame) -> Layout {
        let Frame { width, height, .. } = *frame;
        if frame.is_narrow() {
            let plot = Area::new(32.0, 26.0, (width - 56.0).max(40.0), (height - 260.0).max(40.0));
            let below = plot.bottom();
            return Layout {
                plot,
                handle: 30.0,
                buttons: Area::new(6.0, below + 48.0, width - 12.0, 34.0),
                answers: Area::new(6.0, below + 88.0, width - 12.0, height - below - 92.0),
                touch: 26.0,
                is_narrow: true,
            };
        }
        let plot = Area::new(50.0, 36.0, (0.6 * width - 50.0).max(40.0), (height - 132.0).max(40.0));
        let answers = 0.6 * width + 120.0;
        Layout {
            plot,
            handle: 34.0,
            buttons: Area::new(plot.left, height - 40.0, plot.width.min(480.0), 32.0),
            answers: Area::new(answers, plot.top, width - answers - 20.0, height - 80.0),
            touch: 30.0,
            is_narrow: false,
        }
    }

    /// Point of the plot for x and y, where the axes end at ± `limits`.
    fn point(&self, limits: [f64; 2], [x, y]: [f64; 2]) -> Point {
        let [right, up] = [x / limits[0], y / limits[1]];
        Point::new(
            self.plot.left + (right as f32 + 1.0) / 2.0 * self.plot.width,
            self.plot.top + (1.0 - up as f32) / 2.0 * self.plot.height,
        )
    }

    /// Centre of the query's handle, which is at this distance from the left edge of the picture.
    fn handle_at(&self, x: f32) -> Point {
        Point::new(x, self.plot.bottom() + self.handle)
    }
}

/// Values x and y of a point of the picture, where the axes end at ± `limits`.
pub(super) fn values_at(point: Point, limits: [f64; 2], frame: &Frame) -> [f64; 2] {
    let plot = Layout::new(frame).plot;
    let right = f64::from((point.x - plot.left) / plot.width);
    let down = f64::from((point.y - plot.top) / plot.height);
    [(2.0 * right - 1.0) * limits[0], (1.0 - 2.0 * down) * limits[1]]
}

/// A curve with its name and its line.
struct NamedCurve<'a> {
    /// Short name of what predicts.
    name: &'static str,
    /// Line of the curve.
    stroke: Stroke,
    /// Values of the curve.
    curve: &'a Curve,
}

/// All curves: the network's, then those of the methods, then the true function.
fn named_curves(hero: &InContextHero) -> Vec<NamedCurve<'_>> {
    let mut all = vec![];
    if let Some(curve) = &hero.network_curve {
        all.push(NamedCurve {
            name: tr!("the network"),
            stroke: Stroke::new(Ink::Text, NETWORK_LINE),
            curve,
        });
    }
    let methods = hero.methods.iter().zip(&hero.method_curves).zip(METHOD_STYLES.iter().cycle());
    all.extend(methods.map(|((method, curve), (ink, dash, gap))| NamedCurve {
        name: method_name(*method),
        stroke: Stroke::new(*ink, METHOD_LINE).dashed(*dash, *gap),
        curve,
    }));
    if let Some(curve) = &hero.true_curve {
        all.push(NamedCurve {
            name: tr!("true function"),
            stroke: Stroke::new(Ink::Quiet.at(0.3), 7.0),
            curve,
        });
    }
    all
}

/// Draws the picture at the time of the frame.
pub(super) fn draw(hero: &InContextHero, frame: &Frame) -> Scene {
    let mut scene = Scene::new(frame.width, frame.height);
    let (layout, curves) = (Layout::new(frame), named_curves(hero));
    draw_axes(&mut scene, hero, &layout);
    draw_curves(&mut scene, hero, &layout, &curves, frame);
    draw_query(&mut scene, hero, &layout);
    draw_examples(&mut scene, hero, &layout);
    draw_buttons(&mut scene, hero, &layout);
    draw_answers(&mut scene, hero, &layout, &curves);
    draw_captions(&mut scene, hero, &layout);
    scene
}

/// A number beside an axis: without decimals if it is whole.
fn format_tick(value: f64) -> String {
    format_signed(value as f32, if value.fract() == 0.0 { 0 } else { 2 })
}

/// Frame of the plot with three numbers on each axis.
fn draw_axes(scene: &mut Scene, hero: &InContextHero, layout: &Layout) {
    let (plot, limits) = (layout.plot, hero.limits);
    scene.stroke(Shape::Box(plot, 0.0), Stroke::new(Ink::Grid, 1.0));
    for part in [-1.0, 0.0, 1.0] {
        let x = part * limits[0] * 2.0 / 3.0;
        let at = layout.point(limits, [x, 0.0]);
        let ends = [plot.top, plot.bottom()].map(|y| Point::new(at.x, y));
        scene.line(ends[0], ends[1], Stroke::new(Ink::Grid, 1.0));
        let below = Point::new(at.x, plot.bottom() + 10.0);
        scene.text(format_tick(x), below, 12.0, Anchor::Middle, Ink::Quiet);
        let y = part * limits[1] / 2.0;
        let at = layout.point(limits, [0.0, y]);
        let ends = [plot.left, plot.right()].map(|x| Point::new(x, at.y));
        scene.line(ends[0], ends[1], Stroke::new(Ink::Grid, 1.0));
        let beside = Point::new(plot.left - 5.0, at.y);
        scene.text(format_tick(y), beside, 12.0, Anchor::End, Ink::Quiet);
    }
}

/// The parts of a polyline between two heights; parts that are not finite are left out.
pub(super) fn pieces_between(points: &[Point], top: f32, bottom: f32) -> Vec<Vec<Point>> {
    let (mut pieces, mut is_joined): (Vec<Vec<Point>>, bool) = (vec![], false);
    for pair in points.windows(2) {
        let &[a, b] = pair else { continue };
        let step = b.y - a.y;
        let [from, to] = if !(a.y.is_finite() && b.y.is_finite()) {
            [1.0, 0.0]
        } else if step == 0.0 {
            if (top..=bottom).contains(&a.y) { [0.0, 1.0] } else { [1.0, 0.0] }
        } else {
            let ends = [(top - a.y) / step, (bottom - a.y) / step];
            [ends[0].min(ends[1]).max(0.0), ends[0].max(ends[1]).min(1.0)]
        };
        if from >= to {
            is_joined = false;
            continue;
        }
        match pieces.last_mut() {
            Some(piece) if is_joined && from == 0.0 => piece.push(a.towards(b, to)),
            _ => pieces.push(vec![a.towards(b, from), a.towards(b, to)]),
        }
        is_joined = to == 1.0;
    }
    pieces
}

/// The curves inside the plot, the network's above the others, and their names at their right ends.
fn draw_curves(
    scene: &mut Scene,
    hero: &InContextHero,
    layout: &Layout,
    curves: &[NamedCurve],
    frame: &Frame,
) {
    let (plot, positions) = (layout.plot, hero.positions());
    let moved = f64::from(frame.moved(hero.changed_ms, CURVE_MS));
    let mut names: Vec<(f32, &NamedCurve)> = vec![];
    for named in curves.iter().rev() {
        let values = named.curve.shown(moved);
        let points: Vec<Point> =
            positions.iter().zip(&values).map(|(x, y)| layout.point(hero.limits, [*x, *y])).collect();
        for piece in pieces_between(&points, plot.top, plot.bottom()) {
            scene.stroke(Shape::Path(piece), named.stroke);
        }
        if let Some(end) = points.last().filter(|end| end.y.is_finite()) {
            names.push((end.y.clamp(plot.top + 6.0, plot.bottom() - 6.0), named));
        }
    }
    if layout.is_narrow {
        return;
    }
    vivarium_core::sorting::sort_by(&mut names, |a, b| a.0.total_cmp(&b.0));
    let mut lowest = f32::NEG_INFINITY;
    for (y, _) in &mut names {
        *y = y.max(lowest + NAME_PITCH);
        lowest = *y;
    }
    let mut highest = plot.bottom() - 6.0;
    for (y, named) in names.iter().rev() {
        let y = y.min(highest);
        highest = y - NAME_PITCH;
        let at = Point::new(plot.right() + 8.0, y);
        let ink = named.stroke.colour.ink;
        scene.text(named.name, at, 12.0, Anchor::Start, ink);
    }
}

/// The query: a vertical line with a handle below the plot, and the lines of its attention, from the network's prediction
/// to the examples.
fn draw_query(scene: &mut Scene, hero: &InContextHero, layout: &Layout) {
    let (plot, x) = (layout.plot, hero.query_x());
    let foot = layout.point(hero.limits, [x, 0.0]);
    let handle = layout.handle_at(foot.x);
    let above_handle = Point::new(foot.x, handle.y - 12.0);
    scene.line(Point::new(foot.x, plot.top), above_handle, Stroke::new(Ink::Mark, 1.5).dashed(3.0, 4.0));
    let answer = layout.point(hero.limits, [x, hero.answer()]);
    if answer.y.is_finite() {
        let answer = Point::new(answer.x, answer.y.clamp(plot.top, plot.bottom()));
        for (example, attention) in hero.shown_examples().iter().zip(&hero.attention) {
            if let Some(width) = ATTENTION_WIDTHS.width_of(*attention as f32) {
                let to = example_point(hero, layout, example);
                scene.line(answer, to, Stroke::new(Ink::Mark.at(0.3), width));
            }
        }
        scene.fill(Shape::Circle(answer, 6.0), Ink::Mark);
    }
    scene.fill(Shape::Circle(handle, 12.0), Ink::Mark);
    scene.bold_text("?", handle, 15.0, Anchor::Middle, Ink::Background);
    let value = tr!("x = {x}", x = format_value(x));
    scene.target("query", tr!("Query"), value, TargetKind::Handle, Area::around(handle, 44.0, 28.0));
}

/// Point of an example in the plot.
fn example_point(hero: &InContextHero, layout: &Layout, example: &super::Example) -> Point {
    layout.point(hero.limits, [example.x.first().copied().unwrap_or(0.0), example.y])
}

/// The examples as dots in pale discs; where inputs have several numbers, the discs are rings, because the examples are
/// not on the line of the curves.
///
/// # Why
/// Areas of examples that are close to each other overlap: a touch goes to the example with the nearest centre.
fn draw_examples(scene: &mut Scene, hero: &InContextHero, layout: &Layout) {
    for (at, example) in hero.shown_examples().iter().enumerate() {
        let point = example_point(hero, layout, example);
        if hero.network.prompts.dim == 1 {
            scene.fill(Shape::Circle(point, DISC), Ink::Text.at(0.15));
        } else {
            scene.stroke(Shape::Circle(point, DISC), Stroke::new(Ink::Text.at(0.4), 1.0));
        }
        let outline = match hero.moved_example == Some(at) {
            true => Stroke::new(Ink::Mark, 2.5),
            false => Stroke::new(Ink::Background, 1.0),
        };
        scene.fill_and_stroke(Shape::Circle(point, DOT), Ink::Text, outline);
        let x = example.x.first().copied().unwrap_or(0.0);
        let value = tr!("x = {x}, y = {y}", x = format_value(x), y = format_value(example.y));
        let name = tr!("Example {number}", number = at + 1);
        let area = Area::around(point, layout.touch, layout.touch);
        scene.target(format!("example-{at}"), name, value, TargetKind::Handle, area);
    }
}

/// Buttons that add and remove an example and show another function.
fn draw_buttons(scene: &mut Scene, hero: &InContextHero, layout: &Layout) {
    let can_add = hero.example_count < hero.examples.len();
    let buttons = [
        ("add", tr!("Add a point"), can_add),
        ("remove", tr!("Remove a point"), hero.example_count > 1),
        ("another", tr!("New points"), true),
    ];
    let pitch = layout.buttons.width / buttons.len() as f32;
    for (at, (key, name, is_enabled)) in buttons.into_iter().enumerate() {
        let left = layout.buttons.left + pitch * at as f32;
        let area = Area::new(left, layout.buttons.top, pitch - 8.0, layout.buttons.height);
        let ink = Ink::Text.at(if is_enabled { 1.0 } else { 0.4 });
        scene.stroke(Shape::Box(area, 6.0), Stroke::new(ink, 1.2));
        scene.text(name, area.centre(), 13.0, Anchor::Middle, ink);
        if is_enabled {
            scene.target(key, name, "", TargetKind::Press, area);
        }
    }
}

/// Predictions for the query: for each method its line, its name, a bar from 0 to the prediction on the scale of the
/// plot's vertical axis, and the number.
fn draw_answers(scene: &mut Scene, hero: &InContextHero, layout: &Layout, curves: &[NamedCurve]) {
    let area = layout.answers;
    let longest = if layout.is_narrow { 26.0 } else { 58.0 };
    let pitch = (area.height / curves.len().max(1) as f32).min(longest);
    for (at, named) in curves.iter().enumerate() {
        let y = area.top + pitch * at as f32 + 12.0;
        let name = Point::new(area.left + 34.0, y);
        scene.line(Point::new(area.left, y), Point::new(area.left + 26.0, y), named.stroke);
        scene.text(named.name, name, 13.0, Anchor::Start, Ink::Text);
        let value = named.curve.at_query;
        let number = Point::new(area.right(), y);
        scene.bold_text(format_value(value), number, 13.0, Anchor::End, Ink::Text);
        let track = match layout.is_narrow {
            true => Area::new(area.left + 144.0, y - 4.0, area.width - 144.0 - 56.0, 8.0),
            false => Area::new(area.left, y + 14.0, area.width, 10.0),
        };
        let zero = track.centre();
        let ends = [track.left, track.right()].map(|x| Point::new(x, zero.y));
        scene.line(ends[0], ends[1], Stroke::new(Ink::Grid, 1.0));
        let share = (value / hero.limits[1]).clamp(-1.0, 1.0) as f32;
        if share.is_finite() {
            let length = share * track.width / 2.0;
            let bar = Area::new(zero.x + length.min(0.0), track.top, length.abs(), track.height);
            let colour: Colour = Ink::of_sign(share).at(0.8);
            scene.fill(Shape::Box(bar, 0.0), colour);
        }
        let middle = [track.top - 2.0, track.bottom() + 2.0].map(|y| Point::new(zero.x, y));
        scene.line(middle[0], middle[1], Stroke::new(Ink::Quiet, 1.0));
    }
}

/// Captions of plot and predictions, and the scale of the lines of attention.
fn draw_captions(scene: &mut Scene, hero: &InContextHero, layout: &Layout) {
    let (count, dim) = (hero.example_count, hero.network.prompts.dim);
    let words = match dim {
        1 => tr!("points: {count}", count),
        _ => tr!("points: {count}; curves along input 1 of {dim}", count, dim),
    };
    if layout.is_narrow {
        let scale = tr!("lines: attention");
        scene.text(words, Point::new(6.0, 12.0), 12.0, Anchor::Start, Ink::Quiet);
        scene.text(scale, Point::new(scene.width - 6.0, 12.0), 11.0, Anchor::End, Ink::Quiet);
        return;
    }
    scene.text(words, Point::new(layout.plot.left, 16.0), 13.0, Anchor::Start, Ink::Quiet);
    let words = tr!("predictions at the question mark");
    scene.text(words, Point::new(layout.answers.left, 16.0), 13.0, Anchor::Start, Ink::Quiet);
    let corner = Point::new(scene.width - 12.0, scene.height - 12.0);
    let scale = tr!("lines: attention of the last layer");
    scene.text(scale, corner, 12.0, Anchor::End, Ink::Quiet);
}
