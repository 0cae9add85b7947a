//! The drawing of descent inside a transformer: the plot with curves and points, the layers of a step with the numbers that they
//! write, and the loss.

use super::{CURVE_SEGMENTS, DescentHero, format_label, point_of};
use crate::descent::panel::steps::{layer_buttons, layer_heading};
use vivarium_plot::scene::{Anchor, Area, Ink, Point, Scene, Shape, Stroke, TargetKind};
use vivarium_science::descent::LayerPhase;
use vivarium_view::display::hero::Frame;
use vivarium_view::display::words::{format_decimal, format_significant, format_thousands};

/// Time for which each layer is shown, in milliseconds.
const LAYER_MS: f64 = 120.0;
/// Pause between two passes through the layers, as a number of layers.
const PAUSE_LAYERS: usize = 5;
/// Duration of the movement of the curve to new weights, in milliseconds.
const CURVE_MS: f64 = 120.0;
/// Radius of a point that can be dragged and of one that cannot, in CSS pixels.
const RADII: [f32; 2] = [6.0, 3.5];
/// Largest width and height of the area of a point that reacts to touches, in CSS pixels.
const POINT_TOUCH: f32 = 44.0;
/// Smallest distance of two points that can be dragged, in CSS pixels, on a phone and elsewhere.
const POINT_PITCH: [f32; 2] = [34.0, 24.5];
/// From this width in CSS pixels on, the layers are on the right of the plot; in narrower pictures they are below it.
const MIN_WIDE: f32 = 1000.0;
/// The scale of the loss ends at this multiple of the loss of the initial weights.
const LOSS_REACH: f64 = 1.25;

/// Where the parts of the picture are.
struct Layout {
    /// The plot.
    plot: Area,
    /// Upper left corner of the first layer.
    layers: Point,
    /// Distance of two layers, and width and height of a layer, in CSS pixels.
    layer: [f32; 3],
    /// Number of layers in a row.
    columns: usize,
    /// Left end and vertical centre of the first line of text.
    words: Point,
    /// Length of the scale of the loss in CSS pixels.
    scale: f32,
    /// Centre of the button that restores the points.
    button: Point,
    /// Whether the layers are below the plot.
    is_narrow: bool,
}

impl Layout {
    /// The layout for a picture of this size with `count` layers.
    fn new(count: usize, frame: &Frame) -> Layout {
        let Frame { width, height, .. } = *frame;
        let is_narrow = width < MIN_WIDE;
        let plot = match is_narrow {
            true => Area::new(42.0, 26.0, (width - 56.0).max(1.0), (height * 0.42).max(1.0)),
            false => Area::new(56.0, 34.0, (width * 0.43).min(600.0), (height - 72.0).max(1.0)),
        };
        let left = if is_narrow { 6.0 } else { plot.right() + 48.0 };
        let right = if is_narrow { width - 6.0 } else { width - 24.0 };
        let top = if is_narrow { plot.bottom() + 22.0 } else { 58.0 };
        // On a phone a layer is at least 26 pixels wide.
        let rows = if is_narrow && (right - left) / count.max(1) as f32 <= 27.0 { 2 } else { 1 };
        let columns = count.div_ceil(rows).max(1);
        let (pitch, height_of_layer) =
            ((right - left) / columns as f32, if is_narrow { 46.0 } else { 100.0 });
        let below = top + (height_of_layer + 4.0) * rows as f32;
        Layout {
            plot,
            layers: Point::new(left, top),
            layer: [pitch, pitch - 4.0, height_of_layer],
            columns,
            words: Point::new(left, below + if is_narrow { 10.0 } else { 20.0 }),
            scale: if is_narrow { width - 12.0 } else { (right - left).min(420.0) },
            button: match is_narrow {
                true => Point::new(width - 66.0, height - 20.0),
                false => Point::new(left + 70.0, height - 40.0),
            },
            is_narrow,
        }
    }

    /// Point of the plot for a number x and an output y, both as shares of the axes from −1 to 1.
    fn at(&self, x: f64, y: f64) -> Point {
        let share = |value: f64| ((value + 1.0) / 2.0) as f32;
        Point::new(
            self.plot.left + self.plot.width * share(x),
            self.plot.top + self.plot.height * (1.0 - share(y)),
        )
    }

    /// Area of layer number `at`, from 0.
    fn layer(&self, at: usize) -> Area {
        let [pitch, width, height] = self.layer;
        let (column, row) = (at % self.columns, at / self.columns);
        Area::new(
            self.layers.x + pitch * column as f32,
            self.layers.y + (height + 4.0) * row as f32,
            width,
            height,
        )
    }
}

/// The label of the example whose point is dragged to a point of the picture.
pub(super) fn label_at(hero: &DescentHero, frame: &Frame, to: Point) -> f64 {
    let plot = Layout::new(hero.layer_count(), frame).plot;
    let share = f64::from((to.y - plot.top) / plot.height);
    hero.frame.max_y * (1.0 - 2.0 * share)
}

/// Draws the picture at the time of the frame.
pub(super) fn draw(hero: &DescentHero, frame: &Frame) -> Scene {
    let mut scene = Scene::new(frame.width, frame.height);
    let layout = Layout::new(hero.layer_count(), frame);
    draw_axes(&mut scene, hero, &layout);
    draw_curves(&mut scene, hero, &layout, frame);
    draw_points(&mut scene, hero, &layout);
    let shown = shown_layer(hero, frame);
    draw_layers(&mut scene, hero, &layout, shown);
    draw_words(&mut scene, hero, &layout, shown);
    scene
}

/// The layer that is shown: the chosen one, or one after another; `None` between two passes and without motion.
fn shown_layer(hero: &DescentHero, frame: &Frame) -> Option<usize> {
    if hero.layer.is_some() || frame.is_still {
        return hero.layer;
    }
    let count = hero.layer_count();
    let at = (frame.now_ms / LAYER_MS).rem_euclid((count + PAUSE_LAYERS) as f64) as usize;
    (at < count).then_some(at)
}

/// Frame, axes and their ends.
fn draw_axes(scene: &mut Scene, hero: &DescentHero, layout: &Layout) {
    let plot = layout.plot;
    scene.stroke(Shape::Box(plot, 2.0), Stroke::new(Ink::Grid, 1.2));
    scene.line(layout.at(-1.0, 0.0), layout.at(1.0, 0.0), Stroke::new(Ink::Grid, 1.2));
    scene.line(layout.at(0.0, -1.0), layout.at(0.0, 1.0), Stroke::new(Ink::Grid, 1.2));
    let beside = plot.left - 5.0;
    let end = |value: f64| format_significant(value);
    for (value, y) in [(hero.frame.max_y, plot.top + 7.0), (-hero.frame.max_y, plot.bottom() - 7.0)] {
        scene.text(end(value), Point::new(beside, y), 11.0, Anchor::End, Ink::Quiet);
    }
    let below = plot.bottom() + 10.0;
    scene.text(end(-hero.frame.max_x), Point::new(plot.left, below), 11.0, Anchor::Start, Ink::Quiet);
    scene.text(end(hero.frame.max_x), Point::new(plot.right(), below), 11.0, Anchor::End, Ink::Quiet);
    let title = tr!("points of the prompt, and the small network in the tokens");
    let title = if layout.is_narrow { tr!("Drag a point up or down.") } else { title };
    scene.text(title, Point::new(plot.left, plot.top - 14.0), 13.0, Anchor::Start, Ink::Quiet);
}

/// Draws a curve of outputs at equal distances; parts outside the plot are left out.
fn draw_curve(scene: &mut Scene, hero: &DescentHero, layout: &Layout, curve: &[f64], stroke: Stroke) {
    let mut points = vec![];
    for (at, y) in curve.iter().enumerate() {
        let share = y / hero.frame.max_y;
        let is_inside = share.abs() <= 1.0;
        if is_inside {
            points.push(layout.at(2.0 * at as f64 / CURVE_SEGMENTS as f64 - 1.0, share));
        }
        if !is_inside || at + 1 == curve.len() {
            let part = std::mem::take(&mut points);
            if part.len() > 1 {
                scene.stroke(Shape::Path(part), stroke);
            }
        }
    }
}

/// The curves of the initial weights, of the weights in the tokens, and of direct gradient descent.
fn draw_curves(scene: &mut Scene, hero: &DescentHero, layout: &Layout, frame: &Frame) {
    let [to, direct] = hero.shown_curves();
    draw_curve(scene, hero, layout, &hero.start_curve, Stroke::new(Ink::Quiet.at(0.5), 1.5));
    let moved = f64::from(frame.moved(hero.since_ms, CURVE_MS));
    let shown: Vec<f64> = match hero.from_curve.len() == to.len() {
        true => hero.from_curve.iter().zip(to).map(|(from, to)| from + (to - from) * moved).collect(),
        false => to.to_vec(),
    };
    // A curve that has been without values moves from nowhere.
    let shown = if shown.iter().any(|y| y.is_finite()) { &shown[..] } else { to };
    draw_curve(scene, hero, layout, shown, Stroke::new(Ink::Mark, 3.5));
    draw_curve(scene, hero, layout, direct, Stroke::new(Ink::Text, 1.5).dashed(5.0, 5.0));
}

/// The points of the examples with lines to the curve; the points that can be dragged have a ring. Points that are too near to
/// another one for a finger cannot be dragged.
fn draw_points(scene: &mut Scene, hero: &DescentHero, layout: &Layout) {
    let count = hero.examples.len();
    let [max_x, max_y] = [hero.frame.max_x, hero.frame.max_y];
    let place = |point: [f64; 2]| layout.at(point[0] / max_x, (point[1] / max_y).clamp(-1.0, 1.0));
    let centres: Vec<Point> = (0..count).map(|at| place(point_of(&hero.examples, at))).collect();
    let handles = choose_handles(&centres, if layout.is_narrow { POINT_PITCH[0] } else { POINT_PITCH[1] });
    for (at, centre) in centres.iter().enumerate() {
        let [x, label] = point_of(&hero.examples, at);
        if let Some(output) = hero.shown_outputs().get(at).filter(|output| output.is_finite()) {
            let error = (output - label) as f32;
            let to = layout.at(x / max_x, (output / max_y).clamp(-1.0, 1.0));
            scene.line(*centre, to, Stroke::new(Ink::of_sign(error).at(0.6), 1.5));
        }
    }
    for (at, centre) in centres.iter().enumerate() {
        let original = place(point_of(&hero.original, at));
        if original != *centre {
            scene.stroke(Shape::Circle(original, RADII[1]), Stroke::new(Ink::Quiet, 1.2));
        }
        let is_handle = handles.iter().any(|(handle, _)| *handle == at);
        let radius = if is_handle { RADII[0] } else { RADII[1] };
        let ring = if is_handle { Stroke::new(Ink::Text, 1.6) } else { Stroke::new(Ink::First, 1.0) };
        scene.fill_and_stroke(Shape::Circle(*centre, radius), Ink::First, ring);
        if at == hero.example {
            scene.stroke(Shape::Circle(*centre, RADII[0] + 4.0), Stroke::new(Ink::Mark, 2.0));
        }
    }
    for (at, width) in handles {
        let [x, label] = point_of(&hero.examples, at).map(format_label);
        let name = tr!("Point {number}, x = {x}", number = at + 1, x);
        if let Some(centre) = centres.get(at) {
            let area = Area::around(*centre, width, POINT_TOUCH);
            scene.target(format!("point-{at}"), name, label, TargetKind::Handle, area);
        }
    }
}

/// Indices of the points that can be dragged, from left to right, with the width of the area that reacts: each is at least
/// `pitch` pixels to the right of its predecessor.
fn choose_handles(centres: &[Point], pitch: f32) -> Vec<(usize, f32)> {
    let mut order: Vec<usize> = (0..centres.len()).collect();
    vivarium_core::sorting::sort_by(&mut order, |a, b| {
        centres[*a].x.total_cmp(&centres[*b].x).then(a.cmp(b))
    });
    let mut chosen: Vec<usize> = vec![];
    for at in order {
        if chosen.last().is_none_or(|last| centres[at].x - centres[*last].x >= pitch) {
            chosen.push(at);
        }
    }
    let gap = |one: Option<&usize>, other: usize| {
        one.map_or(POINT_TOUCH, |one| (centres[*one].x - centres[other].x).abs() - 0.5)
    };
    let width = |place: usize, at: usize| {
        let before = place.checked_sub(1).and_then(|before| chosen.get(before));
        gap(before, at).min(gap(chosen.get(place + 1), at)).min(POINT_TOUCH)
    };
    chosen.iter().enumerate().map(|(place, at)| (*at, width(place, *at))).collect()
}

/// The layers of a step with the numbers that they write into the token of the shown example, up to the shown layer.
fn draw_layers(scene: &mut Scene, hero: &DescentHero, layout: &Layout, shown: Option<usize>) {
    let buttons = layer_buttons(hero.plan.network.layer_count());
    for (at, button) in buttons.iter().enumerate() {
        let (area, is_shown) = (layout.layer(at), shown == Some(at));
        if !at.is_multiple_of(layout.columns) {
            let middle = area.centre().y;
            let from = Point::new(layout.layer(at - 1).right(), middle);
            scene.line(from, Point::new(area.left, middle), Stroke::new(Ink::Quiet, 1.5));
        }
        let outline = if is_shown { Stroke::new(Ink::Mark, 3.5) } else { Stroke::new(Ink::Quiet, 1.2) };
        scene.fill_and_stroke(Shape::Box(area, 4.0), Ink::Background, outline);
        let name = Point::new(area.centre().x, area.top + 11.0);
        let ink = if is_shown { Ink::Mark } else { Ink::Text };
        scene.bold_text(button.short.clone(), name, 12.0, Anchor::Middle, ink);
        if shown.is_none_or(|shown| at <= shown)
            && let Some(values) = hero.numbers.written.get(at).filter(|values| !values.is_empty())
        {
            let room = Area::new(area.left + 4.0, area.top + 20.0, area.width - 8.0, area.height - 25.0);
            let wanted = libm::sqrtf(values.len() as f32 * room.width / room.height.max(1.0));
            let columns = (libm::ceilf(wanted) as usize).clamp(1, values.len());
            let rows = values.len().div_ceil(columns);
            let side = (room.width / columns as f32).min(room.height / rows as f32).min(16.0);
            let cells = Area::around(room.centre(), side * columns as f32, side * rows as f32);
            scene.fill(Shape::Cells { area: cells, columns, values: values.clone() }, Ink::Text);
            scene.stroke(Shape::Box(cells, 0.0), Stroke::new(Ink::Grid, 1.0));
        }
        let kind = TargetKind::Switch(hero.layer == Some(at));
        let heading = layer_heading(hero.plan.network.layer_count(), at + 1);
        scene.target(format!("layer-{at}"), heading, "", kind, area);
    }
}

/// Short words on what a layer does.
fn task_of(phase: LayerPhase) -> &'static str {
    match phase {
        LayerPhase::Forward(_) => tr!("computes outputs of the small network"),
        LayerPhase::Derivatives => tr!("computes the slopes of all neurons"),
        LayerPhase::LossGradient => tr!("computes 2 × (output − label)"),
        LayerPhase::Backward(_) => tr!("computes the errors of the neurons"),
        LayerPhase::Step => tr!("moves the weights in every token"),
        LayerPhase::CleanUp => tr!("clears the workspace for the next step"),
    }
}

/// The shown layer, the number of steps and layers, the loss with its scale, and the button that restores the points.
fn draw_words(scene: &mut Scene, hero: &DescentHero, layout: &Layout, shown: Option<usize>) {
    let (count, Point { x: left, y: top }) = (hero.layer_count(), layout.words);
    if !layout.is_narrow {
        let title = tr!("{count} layers of the transformer: one step of gradient descent", count);
        scene.text(title, Point::new(left, 20.0), 13.0, Anchor::Start, Ink::Quiet);
        let place = Point::new(left, 42.0);
        let words = tr!("numbers that each layer writes for the ringed point; full colour: 1 or more");
        scene.text(words, place, 11.0, Anchor::Start, Ink::Quiet);
    }
    if let Some((at, layer)) = shown.and_then(|at| Some((at, hero.transformer.layers().get(at)?))) {
        let heading = layer_heading(hero.plan.network.layer_count(), at + 1);
        let task = task_of(layer.phase);
        let words = if layout.is_narrow { heading } else { tr!("{heading} – {task}", heading, task) };
        scene.text(words, Point::new(left, top), 13.0, Anchor::Start, Ink::Text);
    }
    let line = |number: f32| Point::new(left, top + if layout.is_narrow { 19.0 } else { 30.0 } * number);
    let step = hero.step();
    let before = step.saturating_mul(count as u64);
    let words = match hero.layer.filter(|_| hero.is_after_step()) {
        Some(layer) => tr!(
            "in step {step}: {layers} layers so far",
            step = format_thousands(step.saturating_add(1)),
            layers = format_thousands(before.saturating_add(layer as u64 + 1))
        ),
        None => {
            tr!(
                "step {step}: {layers} layers so far",
                step = format_thousands(step),
                layers = format_thousands(before)
            )
        }
    };
    scene.bold_text(words, line(1.0), 14.0, Anchor::Start, Ink::Text);
    let ([now, direct], start_loss) = (hero.shown_losses(), hero.loss_at_start());
    let [now_words, start_words, direct_words] =
        [now, start_loss, direct].map(|loss| format_decimal(loss as f32));
    let words = tr!("loss {now}, at the start {start_loss}", now = now_words, start_loss = start_words);
    scene.bold_text(words, line(2.0), 14.0, Anchor::Start, Ink::Text);
    let bar = Area::new(left, line(2.0).y + 12.0, layout.scale, 10.0);
    scene.fill(Shape::Box(bar, 3.0), Ink::Grid);
    let share = |loss: f64| (loss / (LOSS_REACH * hero.start_loss.max(1e-9))).clamp(0.0, 1.0) as f32;
    if now.is_finite() {
        scene.fill(Shape::Box(Area { width: bar.width * share(now), ..bar }, 3.0), Ink::Mark);
    }
    let tick = bar.left + bar.width * share(start_loss);
    scene.line(
        Point::new(tick, bar.top - 4.0),
        Point::new(tick, bar.bottom() + 4.0),
        Stroke::new(Ink::Text, 2.0),
    );
    let words = match layout.is_narrow {
        true => tr!("dashed: gradient descent, loss {loss}", loss = direct_words),
        false => {
            tr!("dashed: ordinary gradient descent, loss {loss}; thin: at the start", loss = direct_words)
        }
    };
    let below = Point::new(left, bar.bottom() + if layout.is_narrow { 13.0 } else { 20.0 });
    scene.text(words, below, 12.0, Anchor::Start, Ink::Text);
    if hero.changed.is_some() {
        let area = Area::around(layout.button, 124.0, 34.0);
        scene.fill_and_stroke(Shape::Box(area, 6.0), Ink::Background, Stroke::new(Ink::Mark, 2.0));
        let name = tr!("original points");
        scene.bold_text(name, layout.button, 14.0, Anchor::Middle, Ink::Mark);
        scene.target("restore", name, "", TargetKind::Press, area);
    }
}
