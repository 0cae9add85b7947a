//! The drawing of the traces picture: the path of the machine's head with arcs from the chosen step, and the predicted symbol;
//! on a phone from top to bottom.

use super::TracesHero;
use vivarium_plot::scene::{Anchor, Area, Ink, Point, Scene, Shape, Stroke, TargetKind, WidthScale};
use vivarium_view::display::hero::Frame;
use vivarium_view::display::words::format_percent;

/// Largest horizontal distance between steps in CSS pixels.
const STEP: f32 = 24.0;
/// Largest vertical distance between cells of the tape in CSS pixels.
const CELL: f32 = 14.0;
/// Space above and below the path for the arcs in CSS pixels.
const ARC_SPACE: f32 = 42.0;
/// Widths of the arcs of attention: all attention is 10 pixels.
const ATTENTION: WidthScale = WidthScale { largest: 1.0, width: 10.0 };
/// Duration in which the mark and the arcs move to another step, in milliseconds.
const MOVE_MS: f64 = 400.0;
/// Height of a bar of the predicted symbol in CSS pixels.
const BAR: f32 = 18.0;
/// Width of the area of the handle in CSS pixels.
const HANDLE: f32 = 44.0;

/// Where the parts of the picture are.
struct Layout {
    /// Point of the path at step 0 if the head were on cell 0.
    origin: Point,
    /// Distances between steps and between cells.
    pitch: (f32, f32),
    /// Area of the path and its arcs.
    path: Area,
    /// Area of the two bars of the predicted symbol, for symbol 0 and symbol 1.
    bars: [Area; 2],
    /// Point at which the texts on the chosen step begin.
    words: Point,
    /// Vertical distance between these texts.
    line: f32,
    /// Areas of the buttons: next head, next trace.
    buttons: [Area; 2],
    /// Whether the parts are from top to bottom.
    is_narrow: bool,
}

impl Layout {
    /// The layout for the hero's trace in a picture of this size.
    fn new(hero: &TracesHero, frame: &Frame) -> Layout {
        let Frame { width, height, .. } = *frame;
        let is_narrow = frame.is_narrow();
        // The longest sentence on a step needs this much room.
        let left = width - (0.27 * width).max(326.0);
        let path = match is_narrow {
            true => Area::new(10.0, 40.0, width - 20.0, height - 248.0),
            false => Area::new(24.0, 36.0, left - 60.0, height - 104.0),
        };
        let cells = hero.positions.iter().map(|place| place.cell);
        let (low, high) = cells.fold((0, 0), |(low, high), cell| (cell.min(low), cell.max(high)));
        let across = (path.width / (hero.length() + 1) as f32).min(STEP);
        let down = ((path.height - 2.0 * ARC_SPACE) / (high - low).max(1) as f32).min(CELL);
        let centre = path.centre();
        let origin = Point::new(
            centre.x - across * hero.length() as f32 / 2.0,
            centre.y + down * (low + high) as f32 / 2.0,
        );
        let (bar_left, bar_top) = if is_narrow { (34.0, height - 148.0) } else { (left + 24.0, 56.0) };
        let bar_step = if is_narrow { 24.0 } else { 34.0 };
        let bar = |at: f32| Area::new(bar_left, bar_top + bar_step * at, width - 74.0 - bar_left, BAR);
        let half = if is_narrow { (width - 32.0) / 2.0 } else { (width - 28.0 - left) / 2.0 };
        let (button_left, button_top) = if is_narrow { (12.0, height - 42.0) } else { (left, height - 74.0) };
        let button = |at: f32| Area::new(button_left + (half + 8.0) * at, button_top, half, 34.0);
        Layout {
            origin,
            pitch: (across, down),
            path,
            bars: [bar(0.0), bar(1.0)],
            words: match is_narrow {
                true => Point::new(12.0, height - 92.0),
                false => Point::new(left, 142.0),
            },
            line: if is_narrow { 17.0 } else { 24.0 },
            buttons: [button(0.0), button(1.0)],
            is_narrow,
        }
    }

    /// Horizontal position of a step, which may be between two steps.
    fn x(&self, step: f32) -> f32 {
        self.origin.x + self.pitch.0 * step
    }

    /// Point of the path at a step on a cell.
    fn point(&self, step: usize, cell: i64) -> Point {
        Point::new(self.x(step as f32), self.origin.y - self.pitch.1 * cell as f32)
    }
}

/// The step whose position is nearest to a point; `None` if the point is not finite.
pub(super) fn step_at(hero: &TracesHero, point: Point, frame: &Frame) -> Option<usize> {
    let layout = Layout::new(hero, frame);
    let step = (point.x - layout.origin.x) / layout.pitch.0;
    step.is_finite().then(|| step.round().clamp(0.0, hero.length() as f32) as usize)
}

/// Draws the picture at the time of the frame.
pub(super) fn draw(hero: &TracesHero, frame: &Frame) -> Scene {
    let mut scene = Scene::new(frame.width, frame.height);
    let layout = Layout::new(hero, frame);
    draw_mark(&mut scene, hero, &layout, frame);
    draw_path(&mut scene, hero, &layout);
    draw_arcs(&mut scene, hero, &layout, frame);
    draw_bars(&mut scene, hero, &layout);
    draw_words(&mut scene, hero, &layout);
    draw_buttons(&mut scene, hero, &layout);
    draw_captions(&mut scene, &layout);
    scene
}

/// A line through the chosen step with a handle below the path.
fn draw_mark(scene: &mut Scene, hero: &TracesHero, layout: &Layout, frame: &Frame) {
    let (from, to) = (hero.step_before as f32, hero.step as f32);
    let x = layout.x(from + (to - from) * frame.moved(hero.chosen_ms, MOVE_MS));
    let (top, bottom) = (layout.path.top, layout.path.bottom() + 14.0);
    scene.line(Point::new(x, top), Point::new(x, bottom), Stroke::new(Ink::Grid, 2.0));
    let ends = [layout.x(0.0), layout.x(hero.length() as f32)].map(|x| Point::new(x, bottom));
    scene.line(ends[0], ends[1], Stroke::new(Ink::Grid, 4.0));
    let handle = Point::new(x, bottom);
    scene.fill_and_stroke(Shape::Circle(handle, 9.0), Ink::Background, Stroke::new(Ink::Mark, 4.0));
    let step = hero.step;
    let words = tr!("step {step}", step);
    let at = Point::new(x.clamp(34.0, (scene.width - 34.0).max(34.0)), bottom + 20.0);
    scene.bold_text(words, at, 13.0, Anchor::Middle, Ink::Text);
    // The area is that of the chosen step at rest, so that it does not move away from a pointer.
    let left = (layout.x(to) - HANDLE / 2.0).min(scene.width - HANDLE).max(0.0);
    let area = Area::new(left, top, HANDLE, bottom + 12.0 - top);
    scene.target("step", tr!("Step of the machine"), step.to_string(), TargetKind::Handle, area);
}

/// The path of the machine's head: a dot at each step, filled where the symbol is 1, with a cross where the network is wrong
/// about a written cell.
fn draw_path(scene: &mut Scene, hero: &TracesHero, layout: &Layout) {
    let points: Vec<Point> =
        hero.positions.iter().enumerate().map(|(step, place)| layout.point(step, place.cell)).collect();
    let radius = (0.4 * layout.pitch.0).min(4.0);
    scene.stroke(Shape::Path(points.clone()), Stroke::new(Ink::Quiet.at(0.6), 1.5));
    for (step, at) in points.iter().enumerate() {
        let fill = if hero.symbol(step) == 1 { Ink::Text } else { Ink::Background };
        scene.fill_and_stroke(Shape::Circle(*at, radius), fill, Stroke::new(Ink::Text, 1.2));
    }
    for (step, at) in points.iter().enumerate() {
        if hero.last_write(step).is_some() && hero.is_right(step) == Some(false) {
            let arm = radius + 3.0;
            for side in [-arm, arm] {
                let [from, to] = [-1.0, 1.0].map(|end| Point::new(at.x + end * arm, at.y + end * side));
                scene.line(from, to, Stroke::new(Ink::Mark, 2.0));
            }
        }
    }
    if let Some(at) = points.get(hero.step) {
        scene.stroke(Shape::Circle(*at, radius + 4.0), Stroke::new(Ink::Mark, 3.0));
    }
}

/// A curve from one point of the path to another, above (`side` −1) or below (1) both.
fn arc_between(from: Point, to: Point, side: f32) -> [Point; 4] {
    let height = side * (0.4 * (from.x - to.x).abs()).clamp(18.0, ARC_SPACE);
    [from, Point::new(from.x, from.y + height), Point::new(to.x, to.y + height), to]
}

/// Arcs from the chosen step: below the path to the steps that the network attends to, as wide as the attention; above the
/// path, dashed, to the step that last wrote the cell. If the step with the most attention is that one, both are one arc
/// above the path with a tick.
fn draw_arcs(scene: &mut Scene, hero: &TracesHero, layout: &Layout, frame: &Frame) {
    let moved = frame.moved(hero.chosen_ms, MOVE_MS);
    let point = |step: usize| hero.positions.get(step).map(|place| layout.point(step, place.cell));
    let Some(from) = point(hero.step) else { return };
    let (attended, written) = (hero.attended(), hero.last_write(hero.step));
    let is_equal = written.is_some() && attended.first().map(|(step, _)| *step) == written;
    for (step, share) in &attended {
        let (Some(to), Some(width)) = (point(*step), ATTENTION.width_of(*share as f32)) else { continue };
        let side = if is_equal && Some(*step) == written { -1.0 } else { 1.0 };
        let arc = arc_between(from, from.towards(to, moved), side);
        scene.stroke(Shape::Curve(arc), Stroke::new(Ink::First, width));
    }
    let Some(to) = written.and_then(point) else { return };
    let arc = arc_between(from, from.towards(to, moved), -1.0);
    if is_equal {
        // The curve is highest at three quarters of the height of its control points.
        let top = Point::new((arc[0].x + arc[3].x) / 2.0, arc[0].y + 0.75 * (arc[1].y - arc[0].y) - 10.0);
        let tick = [(-6.0, -1.0), (-2.0, 4.0), (6.0, -6.0)].map(|(x, y)| Point::new(top.x + x, top.y + y));
        scene.stroke(Shape::Path(tick.to_vec()), Stroke::new(Ink::Text, 3.0));
    } else {
        scene.stroke(Shape::Curve(arc), Stroke::new(Ink::Text, 2.0).dashed(5.0, 4.0));
    }
}

/// Bars of the probabilities of the symbols 0 and 1 at the chosen step, with fixed ends; the true symbol is framed.
fn draw_bars(scene: &mut Scene, hero: &TracesHero, layout: &Layout) {
    let one = hero.probability_of_one(hero.step);
    for (symbol, area) in layout.bars.into_iter().enumerate() {
        let probability = one.map(|one| if symbol == 1 { one as f32 } else { (1.0 - one) as f32 });
        let is_true = hero.symbol(hero.step) == symbol;
        if let Some(probability) = probability {
            let filled = Area { width: area.width * probability, ..area };
            scene.fill(Shape::Box(filled, 0.0), Ink::Text.at(0.75));
            let at = Point::new(area.right() + 8.0, area.centre().y);
            scene.text(format_percent(probability), at, 13.0, Anchor::Start, Ink::Text);
        }
        let frame = if is_true { Stroke::new(Ink::Mark, 3.0) } else { Stroke::new(Ink::Grid, 1.0) };
        scene.stroke(Shape::Box(area, 0.0), frame);
        let at = Point::new(area.left - 12.0, area.centre().y);
        scene.bold_text(symbol.to_string(), at, 14.0, Anchor::Middle, Ink::Text);
    }
}

/// Texts on the chosen step: the answer, the steps of attention and of the last write, and the answers of the whole trace.
fn draw_words(scene: &mut Scene, hero: &TracesHero, layout: &Layout) {
    let at = |line: f32| Point::new(layout.words.x, layout.words.y + layout.line * line);
    let answer = match (hero.is_right(hero.step), hero.last_write(hero.step).is_some()) {
        (None, _) => "",
        (Some(true), true) => tr!("answer right"),
        (Some(false), true) => tr!("answer wrong"),
        (Some(true), false) => tr!("new cell: right by luck"),
        (Some(false), false) => tr!("new cell: wrong, as half of them"),
    };
    scene.bold_text(answer, at(0.0), if layout.is_narrow { 14.0 } else { 16.0 }, Anchor::Start, Ink::Text);
    let attended = hero.attended();
    let Some((top, share)) = attended.first() else { return };
    let share = format_percent(*share as f32);
    let words = match hero.last_write(hero.step) {
        Some(written) => {
            tr!("the head attends step {top} ({share}); last write {written}", top, share, written)
        }
        None => tr!("the head attends step {top} ({share})", top, share),
    };
    scene.text(words, at(1.0), 13.0, Anchor::Start, Ink::Text);
    if layout.is_narrow {
        return;
    }
    let is_drawn = |share: &f64| ATTENTION.width_of(*share as f32).is_some();
    let rest = 1.0 - attended.iter().map(|(_, share)| share).filter(|share| is_drawn(share)).sum::<f64>();
    let words = tr!("steps without an arc: {share}", share = format_percent(rest.max(0.0) as f32));
    scene.text(words, at(2.0), 13.0, Anchor::Start, Ink::Quiet);
    let (right, all) = hero.count_right();
    let words = tr!("{right} of {all} written cells right", right, all);
    scene.text(words, at(3.5), 13.0, Anchor::Start, Ink::Text);
    scene.text(tr!("cross: wrong about a written cell"), at(4.5), 13.0, Anchor::Start, Ink::Quiet);
}

/// The buttons: the next attention head, and the next held-out trace.
fn draw_buttons(scene: &mut Scene, hero: &TracesHero, layout: &Layout) {
    let [head, trace] = layout.buttons;
    let (name, number) = (hero.head_name().to_string(), hero.trace + 1);
    for (area, word) in [(head, tr!("Head {name} →", name)), (trace, tr!("Trace {number} →", number))] {
        scene.fill_and_stroke(Shape::Box(area, 8.0), Ink::Background, Stroke::new(Ink::Text, 1.4));
        scene.text(word, area.centre(), 13.0, Anchor::Middle, Ink::Text);
    }
    scene.target("head", tr!("Next attention head"), name, TargetKind::Press, head);
    let value = number.to_string();
    scene.target("trace", tr!("Next trace of the machine"), value, TargetKind::Press, trace);
}

/// Names of the parts, and the meaning of the arcs.
fn draw_captions(scene: &mut Scene, layout: &Layout) {
    let words = match layout.is_narrow {
        true => tr!("right: steps; up: cell of the machine's head; filled: 1"),
        false => tr!("from left to right: the steps; up and down: the cell of the machine's head; filled: 1"),
    };
    scene.text(words, Point::new(12.0, 13.0), 13.0, Anchor::Start, Ink::Quiet);
    let arcs = tr!("arcs: where the network attends; dashed: last write");
    if layout.is_narrow {
        scene.text(arcs, Point::new(12.0, 30.0), 11.0, Anchor::Start, Ink::Quiet);
        return;
    }
    let corner = Point::new(scene.width - 12.0, scene.height - 14.0);
    scene.text(arcs, corner, 12.0, Anchor::End, Ink::Quiet);
    let at = Point::new(layout.words.x, 16.0);
    scene.text(tr!("predicted symbol (framed: true)"), at, 13.0, Anchor::Start, Ink::Quiet);
}
