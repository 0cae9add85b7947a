//! The drawing of the circuit picture: inputs, wires and gates on the left, the answer, the draws of noise and the controls on
//! the right; on a phone from top to bottom.

use super::{Change, CircuitHero, DRAWS, Place, Wire, describe_bit, is_miss};
use vivarium_plot::scene::{Anchor, Area, Ink, Point, Scene, Shape, Stroke, TargetKind};
use vivarium_science::circuits::{Rounding, is_correct};
use vivarium_view::display::hero::Frame;
use vivarium_view::display::words::{format_signed, format_significant};

/// Largest width and height of a gate in CSS pixels.
const GATE: (f32, f32) = (36.0, 26.0);
/// Smallest width and height of a gate with a label in CSS pixels.
const LABELLED_GATE: (f32, f32) = (24.0, 14.0);
/// Radius of the dot of an inserted ID gate in CSS pixels.
const RELAY: f32 = 3.0;
/// Largest width of a wire in CSS pixels; a wire with value 0 is hollow, with a gap of half this width.
const WIRE: f32 = 4.0;
/// Width of the column of the inputs in CSS pixels.
const INPUT_COLUMN: f32 = 44.0;
/// Largest vertical distance between gates of a layer in CSS pixels.
const ROW: f32 = 64.0;
/// Smallest horizontal distance between gates of a chain in CSS pixels; a longer chain has several rows.
const CHAIN_PITCH: f32 = 34.0;
/// Duration in which wires bend after a change of the weights, in milliseconds.
const BEND_MS: f64 = 120.0;
/// Number of cells in a row of the square of noise draws.
const DRAW_COLUMNS: usize = 10;

/// Largest number of characters of the text on the first wrong gate.
const MAX_PLACE_CHARACTERS: usize = 24;

/// Where the parts of the picture are.
struct Layout {
    /// Centre of each gate, `[layers][gates]`; layer 0 is the inputs.
    places: Vec<Vec<Point>>,
    /// Width and height of a gate.
    gate: (f32, f32),
    /// Width and height of the area of an input that reacts to touches.
    touch: (f32, f32),
    /// Width of a wire.
    wire: f32,
    /// Largest bend of a wire.
    bend: f32,
    /// Centre of the lamp of the answer.
    lamp: Point,
    /// Radius of the lamp.
    lamp_radius: f32,
    /// Square of the noise draws.
    draws: Area,
    /// Point at which the texts on the draws stand.
    draws_text: Point,
    /// Which end of the texts on the draws is at that point.
    draws_anchor: Anchor,
    /// Ends of the slider of noise.
    slider: [Point; 2],
    /// Areas of the buttons: next draw, rounding, smallest change.
    buttons: [Area; 3],
}

impl Layout {
    /// The layout for the hero's circuit in a picture of this size.
    fn new(hero: &CircuitHero, frame: &Frame) -> Layout {
        let Frame { width, height, .. } = *frame;
        if frame.is_narrow() {
            let button = (width - 40.0) / 3.0;
            let buttons =
                [0.0, 1.0, 2.0].map(|at| Area::new(12.0 + (button + 8.0) * at, height - 62.0, button, 32.0));
            return Layout {
                lamp: Point::new(34.0, height - 164.0),
                lamp_radius: 16.0,
                draws: Area::new(width - 76.0, height - 188.0, 64.0, 64.0),
                draws_text: Point::new(width - 84.0, height - 178.0),
                draws_anchor: Anchor::End,
                slider: [28.0, width - 28.0].map(|x| Point::new(x, height - 88.0)),
                buttons,
                ..Layout::of_circuit(hero, Area::new(8.0, 24.0, width - 16.0, height - 220.0))
            };
        }
        // The sentence on the noise, and the words beside the draws, need this much room.
        let left = width - (0.24 * width).max(320.0);
        let (across, at) = (width - 20.0 - left, |share: f32| 24.0 + (height - 48.0) * share);
        let side = ((height - 48.0) * 0.33).min(150.0);
        let half = (across - 8.0) / 2.0;
        Layout {
            lamp: Point::new(left + 28.0, at(0.12)),
            lamp_radius: 22.0,
            draws: Area::new(left, at(0.24), side, side),
            draws_text: Point::new(left + side + 14.0, at(0.24) + 16.0),
            draws_anchor: Anchor::Start,
            slider: [left + 16.0, width - 42.0].map(|x| Point::new(x, at(0.74))),
            buttons: [
                Area::new(left, at(0.86) - 15.0, half, 30.0),
                Area::new(left + half + 8.0, at(0.86) - 15.0, half, 30.0),
                Area::new(left, at(0.96) - 15.0, across, 30.0),
            ],
            ..Layout::of_circuit(hero, Area::new(12.0, 34.0, left - 48.0, height - 68.0))
        }
    }

    /// The layout of the circuit in an area; the other parts have no places.
    fn of_circuit(hero: &CircuitHero, area: Area) -> Layout {
        let layered = &hero.layered;
        let (places, pitch) = match layered.width() {
            0 | 1 => chain_places(layered.depth(), area),
            width => layer_places(hero, area, width),
        };
        Layout {
            places,
            gate: (GATE.0.min(pitch.0 - 8.0).max(5.0), GATE.1.min(pitch.1 - 6.0).max(5.0)),
            touch: (INPUT_COLUMN.min(pitch.0.max(24.0)), pitch.1.clamp(24.0, 60.0)),
            wire: WIRE.min(0.25 * pitch.1).min(0.4 * pitch.0),
            bend: 14.0_f32.min(0.4 * pitch.1),
            lamp: Point::default(),
            lamp_radius: 0.0,
            draws: Area::default(),
            draws_text: Point::default(),
            draws_anchor: Anchor::Start,
            slider: [Point::default(); 2],
            buttons: [Area::default(); 3],
        }
    }

    /// Centre of a gate; `None` if there is no such gate.
    fn place(&self, (layer, at): Place) -> Option<Point> {
        self.places.get(layer)?.get(at).copied()
    }

    /// Cubic Bézier curve of a wire, `bent` from 0 (its bend before the latest change) to 1.
    fn curve(&self, wire: &Wire, bent: f32) -> Option<[Point; 4]> {
        let (from, mut to) = (self.place(wire.from)?, self.place(wire.to)?);
        to.y += wire.side * (0.25 * self.gate.1).min(4.0);
        let [before, now] = wire.bends.map(|bend| bend.clamp(-self.bend, self.bend));
        // The middle of the curve is three quarters of the way to its control points.
        let (middle, bend) = ((from.x + to.x) / 2.0, (before + (now - before) * bent) / 0.75);
        Some([from, Point::new(middle, from.y + bend), Point::new(middle, to.y + bend), to])
    }
}

/// Centres of the gates in layers from left to right, and the distances between layers and between gates of a layer;
/// `width` is the number of gates of the widest layer.
fn layer_places(hero: &CircuitHero, area: Area, width: usize) -> (Vec<Vec<Point>>, (f32, f32)) {
    let layers = hero.layered.layers();
    let across = (area.width - INPUT_COLUMN) / (layers.len() - 1).max(1) as f32;
    let down = (area.height / width as f32).min(ROW);
    let (first, middle) = (area.left + INPUT_COLUMN / 2.0, area.centre().y);
    let places = layers.iter().enumerate().map(|(layer, gates)| {
        let x = if layer == 0 { first } else { area.left + INPUT_COLUMN + across * (layer as f32 - 0.5) };
        let top = middle - down * (gates.len() as f32 - 1.0) / 2.0;
        (0..gates.len()).map(|at| Point::new(x, top + down * at as f32)).collect()
    });
    (places.collect(), (across, down))
}

/// Centres of the gates of a chain in rows that go to the right and to the left in turn, and the distances between gates and
/// between rows.
fn chain_places(depth: usize, area: Area) -> (Vec<Vec<Point>>, (f32, f32)) {
    let most = ((area.width / CHAIN_PITCH) as usize).max(1);
    let rows = depth.div_ceil(most).max(1);
    let columns = depth.div_ceil(rows).max(1);
    let (across, down) = ((area.width / columns as f32).min(110.0), (area.height / rows as f32).min(ROW));
    let top = area.centre().y - down * (rows as f32 - 1.0) / 2.0;
    let place = |layer: usize| {
        let (row, column) = (layer / columns, layer % columns);
        let column = if row % 2 == 0 { column } else { columns - 1 - column };
        vec![Point::new(area.left + across * (column as f32 + 0.5), top + down * row as f32)]
    };
    ((0..depth).map(place).collect(), (across, down))
}

/// The share of the slider of noise, from 0 to 1, at which a point is; outside of it for points beyond its ends.
pub(super) fn slider_share(hero: &CircuitHero, point: Point, frame: &Frame) -> f32 {
    let [from, to] = Layout::new(hero, frame).slider;
    (point.x - from.x) / (to.x - from.x)
}

/// Draws the picture at the time of the frame.
pub(super) fn draw(hero: &CircuitHero, frame: &Frame) -> Scene {
    let mut scene = Scene::new(frame.width, frame.height);
    let layout = Layout::new(hero, frame);
    draw_wires(&mut scene, hero, &layout, frame);
    draw_gates(&mut scene, hero, &layout, frame);
    draw_answer(&mut scene, hero, &layout, frame);
    draw_draws(&mut scene, hero, &layout, frame);
    draw_slider(&mut scene, hero, &layout);
    draw_buttons(&mut scene, hero, &layout);
    draw_captions(&mut scene, hero, &layout, frame);
    scene
}

/// Wires: solid for the value 1, hollow for 0, bent by the changes of their weights; dots run along the wires whose values
/// change.
fn draw_wires(scene: &mut Scene, hero: &CircuitHero, layout: &Layout, frame: &Frame) {
    let (bent, signal) = (frame.moved(hero.bent_ms, BEND_MS), hero.signal_layer(frame));
    let (mut hollow, mut solid, mut dots) = (vec![], vec![], vec![]);
    for wire in &hero.wires {
        let Some(curve) = layout.curve(wire, bent) else { continue };
        let (values, _) = hero.shown_values(wire.from.0, frame);
        if values.at(wire.from) > 0.5 {
            solid.push(curve)
        } else {
            hollow.push(curve)
        }
        let share = (signal - wire.from.0 as f64) as f32;
        let has_turned = (hero.values.at(wire.from) > 0.5) != (hero.values_before.at(wire.from) > 0.5);
        if has_turned && (0.0..1.0).contains(&share) {
            dots.push(point_on_curve(&curve, share));
        }
    }
    // Wires of one style follow each other, so that they are painted together.
    let gap = layout.wire / 2.0;
    for (curves, stroke) in [
        (&hollow, Stroke::new(Ink::Quiet.at(0.7), layout.wire)),
        (&hollow, Stroke::new(Ink::Background, gap)),
        (&solid, Stroke::new(Ink::Text.at(0.85), layout.wire)),
    ] {
        curves.iter().for_each(|curve| scene.stroke(Shape::Curve(*curve), stroke));
    }
    dots.into_iter().for_each(|dot| scene.fill(Shape::Circle(dot, 5.0), Ink::Mark));
}

/// The point of a cubic Bézier curve at the parameter `t` from 0 to 1.
fn point_on_curve(&[a, b, c, d]: &[Point; 4], t: f32) -> Point {
    let (ab, bc, cd) = (a.towards(b, t), b.towards(c, t), c.towards(d, t));
    ab.towards(bc, t).towards(bc.towards(cd, t), t)
}

/// Gates and inputs: darker for a value nearer to 1, with a ring if the value is wrong. Inserted ID gates are dots.
fn draw_gates(scene: &mut Scene, hero: &CircuitHero, layout: &Layout, frame: &Frame) {
    let has_labels = layout.gate.0 >= LABELLED_GATE.0 && layout.gate.1 >= LABELLED_GATE.1;
    for (layer, gates) in hero.layered.layers().iter().enumerate() {
        let (values, is_new) = hero.shown_values(layer, frame);
        for (at, gate) in gates.iter().enumerate() {
            let place = (layer, at);
            let Some(centre) = layout.place(place) else { continue };
            let value = values.at(place);
            let strength = if value.is_finite() { value.clamp(0.0, 1.0) as f32 } else { 0.0 };
            let is_wrong = is_new && hero.is_wrong(place);
            let outline = if is_wrong { Stroke::new(Ink::Mark, 3.0) } else { Stroke::new(Ink::Text, 1.2) };
            if gate.is_inserted {
                let radius = if is_wrong { RELAY + 2.0 } else { RELAY };
                scene.fill_and_stroke(Shape::Circle(centre, radius), Ink::Text.at(strength), outline);
                continue;
            }
            let size = if layer == 0 {
                (30.0_f32.min(layout.touch.0), layout.touch.1.min(30.0) - 4.0)
            } else {
                layout.gate
            };
            let area = Area::around(centre, size.0, size.1);
            scene.fill_and_stroke(Shape::Box(area, 4.0), Ink::Text.at(strength), outline);
            let ink = if strength > 0.5 { Ink::Background } else { Ink::Text };
            match gate.kind {
                None => {
                    let name = hero.circuit.signal_name(gate.signal);
                    // Names of an own circuit can be long.
                    if name.chars().count() <= 3 {
                        scene.text(name, centre, 12.0, Anchor::Middle, ink);
                    }
                    if !hero.is_product {
                        draw_input_target(scene, layout, at, name, value > 0.5, centre);
                    }
                }
                Some(kind) if has_labels && !hero.is_product => {
                    scene.text(kind.keyword(), centre, 11.0, Anchor::Middle, ink);
                }
                Some(_) => {}
            }
        }
    }
}

/// Makes an input a switch.
fn draw_input_target(scene: &mut Scene, layout: &Layout, at: usize, name: &str, is_on: bool, centre: Point) {
    let value = if is_on { "1" } else { "0" };
    let area = Area::around(centre, layout.touch.0, layout.touch.1);
    scene.target(format!("input-{at}"), tr!("Input {name}", name), value, TargetKind::Switch(is_on), area);
}

/// The lamp of the network's answer, and the answers of network and circuit in numbers.
fn draw_answer(scene: &mut Scene, hero: &CircuitHero, layout: &Layout, frame: &Frame) {
    let (values, is_new) = hero.shown_values(hero.layered.depth(), frame);
    let (output, label) = (values.output, u8::from(hero.label));
    let outline = match is_new && !is_correct(output, hero.label) {
        true => Stroke::new(Ink::Mark, 4.0),
        false => Stroke::new(Ink::Text, 1.6),
    };
    let fill = if output > 0.0 { Ink::Text } else { Ink::Background };
    scene.fill_and_stroke(Shape::Circle(layout.lamp, layout.lamp_radius), fill, outline);
    let ink = if output > 0.0 { Ink::Background } else { Ink::Text };
    scene.bold_text(describe_bit(output), layout.lamp, 16.0, Anchor::Middle, ink);
    let left = layout.lamp.x + layout.lamp_radius + 10.0;
    let words = tr!("network answers {answer}", answer = describe_bit(output));
    let [large, small] = if layout.lamp_radius < 20.0 { [13.0, 11.0] } else { [14.0, 12.0] };
    scene.bold_text(words, Point::new(left, layout.lamp.y - 9.0), large, Anchor::Start, Ink::Text);
    let output = format_signed(output as f32, 2);
    let words = tr!("circuit: {label}, output {output}", label, output);
    scene.text(words, Point::new(left, layout.lamp.y + 10.0), small, Anchor::Start, Ink::Quiet);
}

/// The square of the noise draws: a cell for each, positive if the answer is right and negative if it is wrong.
fn draw_draws(scene: &mut Scene, hero: &CircuitHero, layout: &Layout, frame: &Frame) {
    let area = layout.draws;
    let values = hero.margins.iter().map(|margin| (*margin as f32).clamp(-1.0, 1.0)).collect();
    scene.fill(Shape::Cells { area, columns: DRAW_COLUMNS, values }, Ink::Text);
    scene.stroke(Shape::Box(area, 0.0), Stroke::new(Ink::Grid, 1.0));
    let cell = area.width / DRAW_COLUMNS as f32;
    for (draw, _) in hero.margins.iter().enumerate().filter(|(_, margin)| is_miss(**margin)) {
        // A dot, so that wrong draws are seen without colours.
        let centre = draw_centre(area, cell, draw);
        scene.fill(Shape::Circle(centre, 0.2 * cell), Ink::Text);
    }
    if let Change::Draw(draw) = hero.change {
        let shown = Area::around(draw_centre(area, cell, draw), cell, cell);
        scene.stroke(Shape::Box(shown, 1.0), Stroke::new(Ink::Mark, 2.5));
    }
    let (wrong, count) = (hero.count_wrong(), DRAWS);
    let at = |line: f32| Point::new(layout.draws_text.x, layout.draws_text.y + 18.0 * line);
    scene.bold_text(tr!("{wrong} of {count}", wrong, count), at(0.0), 15.0, layout.draws_anchor, Ink::Text);
    scene.text(tr!("draws wrong"), at(1.0), 13.0, layout.draws_anchor, Ink::Text);
    if layout.lamp_radius >= 20.0 {
        // Colours of the cells, where there is room for words.
        scene.text(tr!("a cell for each draw:"), at(3.6), 12.0, layout.draws_anchor, Ink::Quiet);
        scene.text(tr!("orange right, dot wrong"), at(4.5), 12.0, layout.draws_anchor, Ink::Quiet);
    }
    let (_, is_new) = hero.shown_values(hero.layered.depth(), frame);
    if is_new && !is_correct(hero.values.output, hero.label) {
        let words = tr!("first at {place}", place = hero.name_first_wrong());
        // Names of an own circuit can be long.
        if words.chars().count() <= MAX_PLACE_CHARACTERS {
            scene.text(words, at(2.2), 12.0, layout.draws_anchor, Ink::Quiet);
        }
    }
}

/// Centre of the cell of a draw in the square `area` with cells of size `cell`.
fn draw_centre(area: Area, cell: f32, draw: usize) -> Point {
    let (row, column) = (draw / DRAW_COLUMNS, draw % DRAW_COLUMNS);
    Point::new(area.left + cell * (column as f32 + 0.5), area.top + cell * (row as f32 + 0.5))
}

/// The slider of noise with its handle.
fn draw_slider(scene: &mut Scene, hero: &CircuitHero, layout: &Layout) {
    let [from, to] = layout.slider;
    scene.line(from, to, Stroke::new(Ink::Grid, 6.0));
    let at = from.towards(to, (hero.sigma / hero.largest_sigma).clamp(0.0, 1.0) as f32);
    scene.line(from, at, Stroke::new(Ink::Mark, 6.0));
    scene.fill_and_stroke(Shape::Circle(at, 10.0), Ink::Background, Stroke::new(Ink::Mark, 4.0));
    let sigma = hero.format_sigma();
    let words = match (hero.change, &hero.smallest) {
        (Change::Smallest, Some((_, norm))) => {
            tr!("smallest change found, norm {size}", size = format_significant(*norm))
        }
        // The biases of a product and the parameters of rounding are fixed.
        _ if hero.is_product => tr!("noise σ = {sigma} on the weights", sigma),
        _ if hero.rounding == Rounding::On => tr!("noise σ = {sigma}, not on the rounding", sigma),
        _ => tr!("noise σ = {sigma} on weights and biases", sigma),
    };
    scene.bold_text(words, Point::new(from.x, from.y - 24.0), 13.0, Anchor::Start, Ink::Text);
    scene.text("0", Point::new(from.x, from.y + 18.0), 11.0, Anchor::Middle, Ink::Quiet);
    let largest = hero.largest_sigma.to_string();
    scene.text(largest, Point::new(to.x, to.y + 18.0), 11.0, Anchor::Middle, Ink::Quiet);
    let area = Area::around(at, 44.0, 40.0);
    let name = match hero.is_product {
        true => tr!("Noise on every weight"),
        false => tr!("Noise on weights and biases"),
    };
    scene.target("noise", name, sigma, TargetKind::Handle, area);
}

/// The buttons: the next draw, rounding, and the smallest change that the run's search has found.
fn draw_buttons(scene: &mut Scene, hero: &CircuitHero, layout: &Layout) {
    let (is_rounded, is_smallest) = (hero.rounding == Rounding::On, hero.change == Change::Smallest);
    let rounding = if is_rounded { tr!("Rounding: on") } else { tr!("Rounding: off") };
    let [shake, round, smallest] = layout.buttons;
    draw_button(scene, shake, tr!("Shake"), false);
    let draw = match hero.change {
        Change::Draw(draw) => tr!("draw {number} of {count}", number = draw + 1, count = DRAWS),
        Change::Smallest => String::new(),
    };
    scene.target("shake", tr!("Shake the weights: next draw of noise"), draw, TargetKind::Press, shake);
    draw_button(scene, round, rounding, is_rounded);
    let name = tr!("Rounding after each layer");
    scene.target("rounding", name, "", TargetKind::Switch(is_rounded), round);
    draw_button(scene, smallest, tr!("Smallest found"), is_smallest);
    let value = if hero.smallest.is_none() { tr!("not found yet") } else { "" };
    let name = tr!("Smallest change found that makes the answer wrong");
    scene.target("smallest", name, value, TargetKind::Switch(is_smallest), smallest);
}

/// A button with a word, filled if it is on.
fn draw_button(scene: &mut Scene, area: Area, word: &str, is_on: bool) {
    let (fill, ink) = if is_on { (Ink::Text, Ink::Background) } else { (Ink::Background, Ink::Text) };
    scene.fill_and_stroke(Shape::Box(area, 8.0), fill, Stroke::new(Ink::Text, 1.4));
    let size = if area.width < 120.0 { 12.0 } else { 13.0 };
    scene.text(word, area.centre(), size, Anchor::Middle, ink);
}

/// Names of the parts, and the scale of the bends.
fn draw_captions(scene: &mut Scene, hero: &CircuitHero, layout: &Layout, frame: &Frame) {
    let (is_rounded, count) = (hero.rounding == Rounding::On, hero.circuit.gates().len());
    let words = match (hero.is_product, is_rounded) {
        (true, true) => tr!("product of {count} weights, rounded after each", count),
        (true, false) => tr!("product of {count} weights, not rounded", count),
        (false, true) => tr!("inputs, then {count} gates, rounded after each layer", count),
        (false, false) => tr!("inputs, then {count} gates, not rounded", count),
    };
    scene.text(words, Point::new(12.0, 14.0), 13.0, Anchor::Start, Ink::Quiet);
    let scale = tr!("wire bent by 10 px: weight changed by {amount}", amount = 10.0 / super::BEND);
    scene.text(scale, Point::new(12.0, scene.height - 12.0), 11.0, Anchor::Start, Ink::Quiet);
    if !frame.is_narrow() {
        let at = Point::new(layout.lamp.x - layout.lamp_radius, 16.0);
        scene.text(tr!("answer"), at, 13.0, Anchor::Start, Ink::Quiet);
    }
}
