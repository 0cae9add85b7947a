//! The drawing of the parity picture: bits on the left, neurons in the middle, the answer on the right; on a phone from
//! top to bottom.

use super::{MAX_NEURONS, NEEDLE_MS, ParityHero, SORT_MS};
use crate::answer_scale::AnswerScale;
use vivarium_core::sorting;
use vivarium_plot::scene::{Anchor, Area, Ink, Point, Scene, Shape, Stroke, TargetKind};
use vivarium_view::display::hero::Frame;
use vivarium_view::display::words::format_signed;

/// Largest number of bits in a column of tiles.
const COLUMN: usize = 20;
/// Number of bits in a row of tiles on a phone.
const ROW: usize = 10;
/// Number of neurons in the picture on a phone.
const NARROW_NEURONS: usize = 10;
/// Number of held-out examples in the picture on a phone.
const NARROW_DOTS: usize = 50;
/// Height of dots and numbers below the scale on a phone in CSS pixels.
const DOTS_HEIGHT: f32 = 96.0;
/// Smallest distance of two tiles of a column in CSS pixels, as long as the picture has room.
const MIN_PITCH: f32 = 18.0;
/// Smallest distance of two tiles of a column in CSS pixels with which their numbers can be read; a picture that is too low
/// for it has more columns.
const LEGIBLE_PITCH: f32 = 24.0;
/// Size of a tile in CSS pixels.
const TILE: f32 = 24.0;
/// Radius of a neuron in CSS pixels.
const NEURON: f32 = 13.0;
/// Radius of a dot of a held-out example in CSS pixels.
const DOT: f32 = 2.5;
/// Strength of the lines of other bits while one bit is chosen.
const UNCHOSEN: f32 = 0.25;
/// Period of the pulse of the relevant bits after the run, in milliseconds.
const PULSE_MS: f64 = 2000.0;
/// Number of pulses after the run.
const PULSES: f64 = 4.0;
/// Smallest and largest answer on the scale of the needle.
const RANGE: [f32; 2] = [-2.0, 2.0];

/// Where the parts of the picture are.
struct Layout {
    /// Centres of the tiles of the bits.
    tiles: Vec<Point>,
    /// Size of a tile in CSS pixels.
    tile: f32,
    /// Area of a tile that reacts to touches: width and height.
    touch: (f32, f32),
    /// First and last centre of the neurons.
    neurons: [Point; 2],
    /// Number of neurons that are drawn.
    neuron_count: usize,
    /// Point where the lines of the neurons end.
    output: Point,
    /// Scale of the answer.
    scale: AnswerScale,
    /// Number of dots of held-out examples.
    dot_count: usize,
    /// Whether the parts are from top to bottom.
    is_narrow: bool,
}

impl Layout {
    /// The layout for `n` bits in a picture of this size.
    fn new(n: usize, frame: &Frame) -> Layout {
        if frame.is_narrow() { Layout::narrow(n, frame) } else { Layout::wide(n, frame) }
    }

    /// From left to right: columns of bits, neurons, needle, dots.
    fn wide(n: usize, frame: &Frame) -> Layout {
        let Frame { width, height, .. } = *frame;
        let legible_rows = (((height - 50.0) / LEGIBLE_PITCH) as usize).clamp(1, COLUMN);
        let columns = n.div_ceil(legible_rows).max(1);
        let rows = n.div_ceil(columns).max(1);
        // In a low picture the tiles keep a height that can be touched, and the space around them shrinks.
        let [pitch, low_pitch] = [50.0, 40.0].map(|margin| (height - margin) / rows as f32);
        let pitch = pitch.max(low_pitch.min(MIN_PITCH)).min(27.0);
        let top = 34.0 + (height - 44.0 - pitch * rows as f32) / 2.0 + pitch / 2.0;
        let left = 0.06 * width + 20.0;
        let tile = TILE.min(pitch - 3.0);
        let tiles = (0..n)
            .map(|bit| Point::new(left + 40.0 * (bit / rows) as f32, top + pitch * (bit % rows) as f32))
            .collect();
        let (middle, span) = (height / 2.0 + 12.0, (height - 90.0).min(540.0) / 2.0);
        let (across, right) = (0.46 * width, 0.74 * width);
        // Below the scale are two lines of text.
        let scale_span = (height / 2.0 - 78.0).min(200.0);
        Layout {
            tiles,
            tile,
            touch: (if columns > 1 { 40.0 } else { 64.0 }, pitch),
            neurons: [Point::new(across, middle - span), Point::new(across, middle + span)],
            neuron_count: MAX_NEURONS,
            output: Point::new(right - 24.0, middle),
            scale: AnswerScale {
                ends: [Point::new(right, middle + scale_span), Point::new(right, middle - scale_span)],
                range: RANGE,
                is_horizontal: false,
            },
            dot_count: usize::MAX,
            is_narrow: false,
        }
    }

    /// From top to bottom: rows of bits, neurons, needle, dots.
    fn narrow(n: usize, frame: &Frame) -> Layout {
        let Frame { width, height, .. } = *frame;
        let pitch = (width - 12.0) / ROW as f32;
        let rows = n.div_ceil(ROW);
        let row_pitch = (height * 0.34 / rows as f32).min(44.0);
        let left = 6.0 + pitch / 2.0;
        let tiles = (0..n)
            .map(|bit| {
                Point::new(
                    left + pitch * (bit % ROW) as f32,
                    26.0 + row_pitch / 2.0 + row_pitch * (bit / ROW) as f32,
                )
            })
            .collect();
        let below = 26.0 + row_pitch * rows as f32;
        let neurons = below + (height - below) * 0.34;
        let scale = below + (height - below) * 0.66;
        Layout {
            tiles,
            tile: (pitch.min(row_pitch) - 6.0).min(34.0),
            touch: (pitch, row_pitch),
            neurons: [Point::new(24.0, neurons), Point::new(width - 24.0, neurons)],
            neuron_count: NARROW_NEURONS,
            output: Point::new(width / 2.0, scale - 16.0),
            scale: AnswerScale {
                ends: [Point::new(30.0, scale), Point::new(width - 30.0, scale)],
                range: RANGE,
                is_horizontal: true,
            },
            // Below the scale there may be room for the answer in numbers alone.
            dot_count: if height - scale >= DOTS_HEIGHT { NARROW_DOTS } else { 0 },
            is_narrow: true,
        }
    }

    /// Centre of the neuron in a place, which may be between two places.
    fn neuron(&self, place: f32) -> Point {
        self.neurons[0].towards(self.neurons[1], place / (self.neuron_count - 1).max(1) as f32)
    }
}

/// Draws the picture at the time of the frame.
pub(super) fn draw(hero: &ParityHero, frame: &Frame) -> Scene {
    let mut scene = Scene::new(frame.width, frame.height);
    let layout = Layout::new(hero.bit_count(), frame);
    let neurons = neuron_places(hero, &layout, frame);
    draw_lines(&mut scene, hero, &layout, &neurons);
    draw_neurons(&mut scene, hero, &neurons);
    draw_tiles(&mut scene, hero, &layout, frame);
    draw_answer(&mut scene, hero, &layout, frame);
    draw_captions(&mut scene, hero, &layout);
    scene
}

/// Index and centre of each neuron that is drawn.
fn neuron_places(hero: &ParityHero, layout: &Layout, frame: &Frame) -> Vec<(usize, Point)> {
    let shown = hero.slots.iter().take(layout.neuron_count).enumerate();
    // A few neurons are in the middle.
    let first = (layout.neuron_count - shown.len()) as f32 / 2.0;
    let place = |(to, slot): (usize, &super::Slot)| {
        let moved = frame.moved(slot.since_ms, SORT_MS);
        (slot.neuron, layout.neuron(first + slot.from + (to as f32 - slot.from) * moved))
    };
    shown.map(place).collect()
}

/// Lines from bits to neurons and from neurons to the answer: width for the size of a weight, colour for its sign.
fn draw_lines(scene: &mut Scene, hero: &ParityHero, layout: &Layout, neurons: &[(usize, Point)]) {
    let Some(network) = &hero.network else { return };
    let width = network.u.len();
    let mut lines: Vec<(Point, Point, Stroke)> = vec![];
    for (neuron, to) in neurons {
        for (bit, from) in layout.tiles.iter().enumerate() {
            let weight = network.w[bit * width + neuron];
            let strength = match hero.last_flipped {
                Some(chosen) if chosen != bit => UNCHOSEN,
                _ => 0.8,
            };
            if let Some(thickness) = hero.weight_scale.width_of(weight) {
                // On the right of a tile, or below it on a phone.
                let from = layout.scale.offset(*from, layout.tile / 2.0);
                lines.push((from, *to, Stroke::new(Ink::of_sign(weight).at(strength), thickness)));
            }
        }
        if let Some(thickness) = hero.output_scale.width_of(network.u[*neuron]) {
            let colour = Ink::of_sign(network.u[*neuron]).at(0.6);
            lines.push((*to, layout.output, Stroke::new(colour, thickness)));
        }
    }
    // Thick lines last, so that they are on top; lines of one style together, so that they are painted at once.
    sorting::sort_by(&mut lines, |(.., a), (.., b)| {
        let by_width = a.width.total_cmp(&b.width).then(a.colour.strength.total_cmp(&b.colour.strength));
        by_width.then(a.colour.ink.cmp(&b.colour.ink))
    });
    lines.into_iter().for_each(|(from, to, stroke)| scene.line(from, to, stroke));
}

/// Circles of the neurons; the filling shows the value on the shown example.
fn draw_neurons(scene: &mut Scene, hero: &ParityHero, neurons: &[(usize, Point)]) {
    let hidden = hero.network.as_ref().map(|network| &network.hidden);
    for (neuron, at) in neurons {
        let value =
            hidden.and_then(|values| values.get(*neuron)).copied().filter(|v| v.is_finite()).unwrap_or(0.0);
        // A value of 1 fills a neuron fully: ReLU neurons of a solved parity have values of this size.
        let filled = Ink::of_sign(value).at(value.abs().min(1.0));
        scene.fill_and_stroke(Shape::Circle(*at, NEURON), filled, Stroke::new(Ink::Text, 1.2));
    }
}

/// Tiles of the bits: filled for +1, hollow for −1. After a run that has succeeded, the relevant bits pulse.
fn draw_tiles(scene: &mut Scene, hero: &ParityHero, layout: &Layout, frame: &Frame) {
    for (bit, centre) in layout.tiles.iter().enumerate() {
        let area = Area::around(*centre, layout.tile, layout.tile);
        let (is_plus, name) = (hero.bits[bit] > 0.0, bit + 1);
        let outline = match hero.last_flipped == Some(bit) {
            true => Stroke::new(Ink::Mark, 3.0),
            false => Stroke::new(Ink::Text, 1.4),
        };
        let (fill, ink) = if is_plus { (Ink::Text, Ink::Background) } else { (Ink::Background, Ink::Text) };
        scene.fill_and_stroke(Shape::Box(area, 4.0), fill, outline);
        let size = (layout.tile * 0.52).min(13.0);
        scene.text(name.to_string(), *centre, size, Anchor::Middle, ink);
        if hero.progress.has_succeeded
            && hero.relevant.contains(&bit)
            && let Some(ended) = hero.ended_ms
        {
            let periods = (frame.now_ms - ended) / PULSE_MS;
            // After a few pulses the ring stays, so that nothing has to be painted any more.
            let grown = match frame.is_still || periods > PULSES {
                true => 2.5,
                false => 1.5 + 2.0 * libm::sinf(periods.fract() as f32 * std::f32::consts::TAU).abs(),
            };
            let ring = Area::around(*centre, layout.tile + 2.0 * grown, layout.tile + 2.0 * grown);
            scene.stroke(Shape::Box(ring, 7.0), Stroke::new(Ink::Mark, 2.5));
        }
        let value = if is_plus { tr!("plus 1") } else { tr!("minus 1") };
        let touch = Area::around(*centre, layout.touch.0, layout.touch.1);
        scene.target(
            format!("bit-{bit}"),
            tr!("Bit {name}", name),
            value,
            TargetKind::Switch(is_plus),
            touch,
        );
    }
}

/// The scale of the answer with the needle, the label as a notch, and the answers on held-out examples as dots.
fn draw_answer(scene: &mut Scene, hero: &ParityHero, layout: &Layout, frame: &Frame) {
    let (scale, ticks) = (&layout.scale, [-1.0, 0.0, 1.0]);
    scale.draw_axis(scene, &ticks, 5.0);
    for tick in ticks {
        let at = scale.offset(scale.point(tick), 26.0);
        scene.text(format_signed(tick, 0), at, 13.0, Anchor::Middle, Ink::Quiet);
    }
    if let Some(network) = &hero.network {
        let dots = network.dot_answers.iter().zip(&hero.dots.y).take(layout.dot_count).enumerate();
        for (at, (answer, label)) in dots {
            // Two bands, one for each label; within a band by the number of the example.
            let band = if *label > 0.0 { 108.0 } else { 52.0 };
            let away = band + (at * 29 % 40) as f32 + 4.0;
            let away = if layout.is_narrow { 40.0 + (away - 52.0) * 0.32 } else { away };
            let at = scale.offset(scale.point(*answer), away);
            scene.fill(Shape::Circle(at, DOT), Ink::of_sign(*label).at(0.85));
        }
    }
    for side in [-12.0, 12.0] {
        scale.draw_notch(scene, hero.label(), hero.label(), [side, side * 0.4]);
    }
    let moved = frame.moved(hero.needle.since_ms, NEEDLE_MS);
    let shown = hero.needle.from + (hero.answer() - hero.needle.from) * moved;
    scale.draw_needle(scene, layout.output, shown);
}

/// Names of the parts, the answer in numbers, and the scale of the lines.
fn draw_captions(scene: &mut Scene, hero: &ParityHero, layout: &Layout) {
    let n = hero.bit_count();
    let (answer, label) = (super::format_answer(hero.answer()), format_signed(hero.label(), 0));
    let scale = describe_scales(hero);
    if layout.is_narrow {
        let top = Point::new(6.0, 12.0);
        scene.text(tr!("{n} bits: filled is +1", n), top, 13.0, Anchor::Start, Ink::Quiet);
        let end = Point::new(scene.width - 6.0, 12.0);
        scene.text(scale, end, 11.0, Anchor::End, Ink::Quiet);
        let words = tr!("answer {answer}, label {label}", answer, label);
        let at = Point::new(scene.width / 2.0, (layout.scale.ends[0].y + 92.0).min(scene.height - 10.0));
        scene.bold_text(words, at, 15.0, Anchor::Middle, Ink::Text);
        return;
    }
    let top = 16.0;
    let first = layout.tiles.first().map_or(0.0, |tile| tile.x - layout.tile / 2.0);
    scene.text(tr!("{n} bits: filled is +1", n), Point::new(first, top), 13.0, Anchor::Start, Ink::Quiet);
    let neurons = hero.slots.len().min(layout.neuron_count);
    let words = match neurons < hero.layer.width {
        true => tr!("{neurons} of {all} neurons, the largest", neurons, all = hero.layer.width),
        false if neurons == 1 => tr!("1 neuron").into(),
        false => tr!("{neurons} neurons", neurons),
    };
    scene.text(words, Point::new(layout.neurons[0].x, top), 13.0, Anchor::Middle, Ink::Quiet);
    let right = layout.scale.ends[0].x;
    scene.text(tr!("answer"), Point::new(right + 4.0, top), 13.0, Anchor::End, Ink::Quiet);
    let words = tr!("{count} examples", count = hero.dots.y.len());
    scene.text(words, Point::new(right + 52.0, top), 13.0, Anchor::Start, Ink::Quiet);
    let below = layout.scale.ends[0].y + 28.0;
    let words = tr!("answer {answer}, label {label}", answer, label);
    scene.bold_text(words, Point::new(right + 30.0, below), 16.0, Anchor::Middle, Ink::Text);
    let at = Point::new(right + 30.0, below + 22.0);
    scene.text(describe_rule(hero), at, 13.0, Anchor::Middle, Ink::Quiet);
    // Below the lines, the last of which rises to the neurons; the rule can be at the same height, at the right.
    let below_lines = Point::new(layout.neurons[0].x - 24.0, scene.height - 12.0);
    scene.text(scale, below_lines, 12.0, Anchor::End, Ink::Quiet);
}

/// The rule of the label: that it is the product of the secret bits, or, when they are found, that product in numbers.
fn describe_rule(hero: &ParityHero) -> String {
    let k = hero.relevant.len();
    if !hero.progress.has_succeeded || k > 4 {
        return tr!("label: the product of the {k} secret bits", k);
    }
    let signs: Vec<String> = hero.relevant.iter().map(|bit| format_signed(hero.bits[*bit], 0)).collect();
    format!("{} = {}", signs.join(" × "), format_signed(hero.label(), 0))
}

/// The weight of the thickest lines, on both sides of the neurons if the scales differ.
fn describe_scales(hero: &ParityHero) -> String {
    let (first, second) = (hero.weight_scale.largest, hero.output_scale.largest);
    match first == second {
        true => tr!("thickest line: weight {first}", first),
        false => tr!("thickest line: weight {first}, to the answer {second}", first, second),
    }
}
