//! The drawing of the picture: tiles of the bits on the left, the token \[CLS\] with its beams in the middle, the answer on
//! the right; on a phone from top to bottom.

use super::{Beams, BooleanHero, Reading, bits_with_beams};
use crate::answer_scale::AnswerScale;
use vivarium_plot::scene::{Anchor, Area, Ink, Point, Scene, Shape, Stroke, TargetKind, WidthScale};
use vivarium_view::display::hero::Frame;
use vivarium_view::display::words::format_thousands;

/// Widths of beams for shares of the attention or of the weights: half of it has the largest width.
const BEAM_SCALE: WidthScale = WidthScale { largest: 0.5, width: 10.0 };
/// Largest distance between the centres of two neighbouring tiles in CSS pixels.
const PITCH: f32 = 44.0;
/// Largest distance between the centres of two neighbouring tiles on a phone in CSS pixels.
const NARROW_PITCH: f32 = 34.0;
/// Size of a tile as a share of the distance between two tiles.
const TILE_SHARE: f32 = 0.86;
/// Strength of the colour of a tile without attention.
const FAINTEST_TILE: f32 = 0.2;
/// Strength of the colour of all tiles before the network is known.
const UNKNOWN_TILE: f32 = 0.6;
/// Length of the grey line that stands for all other attention, in CSS pixels.
const STUB: f32 = 20.0;
/// Answers are drawn to this distance beyond the two labels 0 and 1.
const BEYOND: f32 = 0.12;
/// Smallest and largest answer on the scale.
const RANGE: [f32; 2] = [-BEYOND, 1.0 + BEYOND];
/// Period of the pulse of the relevant bits after the run, in milliseconds.
const PULSE_MS: f64 = 2000.0;

/// Where the parts of the picture are.
struct Layout {
    /// Centres of the tiles of the bits.
    tiles: Vec<Point>,
    /// Distance between the centres of two neighbouring tiles, which is the size of the area that reacts to touches.
    pitch: f32,
    /// Centre of the disc of \[CLS\], where beams end.
    disc: Point,
    /// Radius of the disc.
    radius: f32,
    /// Scale of the answer.
    scale: AnswerScale,
    /// Whether the parts are from top to bottom.
    is_narrow: bool,
}

impl Layout {
    /// The layout for `n` bits in a picture of this size.
    fn new(n: usize, frame: &Frame) -> Layout {
        if frame.is_narrow() { Layout::narrow(n, frame) } else { Layout::wide(n, frame) }
    }

    /// From left to right: a square of bits, \[CLS\], the scale of the answer.
    fn wide(n: usize, frame: &Frame) -> Layout {
        let Frame { width, height, .. } = *frame;
        let region = Area::new(0.04 * width, 30.0, 0.4 * width, height - 58.0);
        let (tiles, pitch) = square_of_tiles(n, &region, PITCH);
        let middle = height / 2.0 + 4.0;
        let (half, right) = (((height - 110.0) / 2.0).min(190.0), 0.82 * width);
        Layout {
            tiles,
            pitch,
            disc: Point::new(0.6 * width, middle),
            radius: 28.0,
            scale: AnswerScale {
                ends: [Point::new(right, middle + half), Point::new(right, middle - half)],
                range: RANGE,
                is_horizontal: false,
            },
            is_narrow: false,
        }
    }

    /// From top to bottom: a square of bits, \[CLS\], the scale of the answer.
    fn narrow(n: usize, frame: &Frame) -> Layout {
        let Frame { width, height, .. } = *frame;
        let region = Area::new(6.0, 24.0, width - 12.0, height - 120.0);
        let (tiles, pitch) = square_of_tiles(n, &region, NARROW_PITCH);
        let scale = height - 44.0;
        Layout {
            tiles,
            pitch,
            disc: Point::new(width / 2.0, height - 76.0),
            radius: 18.0,
            scale: AnswerScale {
                ends: [Point::new(30.0, scale), Point::new(width - 30.0, scale)],
                range: RANGE,
                is_horizontal: true,
            },
            is_narrow: true,
        }
    }
}

/// Centres of `n` tiles in rows of a square in the middle of a region, and the distance between two tiles, at most
/// `largest_pitch`.
fn square_of_tiles(n: usize, region: &Area, largest_pitch: f32) -> (Vec<Point>, f32) {
    let mut columns = 1;
    while columns * columns < n {
        columns += 1;
    }
    let rows = n.div_ceil(columns).max(1);
    let pitch = (region.width / columns as f32).min(region.height / rows as f32).min(largest_pitch);
    let centre = region.centre();
    let left = centre.x - pitch * (columns - 1) as f32 / 2.0;
    let top = centre.y - pitch * (rows - 1) as f32 / 2.0;
    let tile =
        |bit: usize| Point::new(left + pitch * (bit % columns) as f32, top + pitch * (bit / columns) as f32);
    ((0..n).map(tile).collect(), pitch)
}

/// Draws the picture at the time of the frame.
pub(super) fn draw(hero: &BooleanHero, frame: &Frame) -> Scene {
    let mut scene = Scene::new(frame.width, frame.height);
    let layout = Layout::new(hero.bit_count(), frame);
    let shown = hero.shown_at(frame);
    let beams = bits_with_beams(&shown.shares);
    for bit in 0..hero.bit_count() {
        draw_tile(&mut scene, hero, &layout, &shown, bit);
        add_target(&mut scene, hero, &layout, bit);
    }
    draw_beams(&mut scene, &layout, &shown, &beams);
    // Tiles with beams lie on all beams, so that their numbers can be read.
    for bit in &beams {
        draw_tile(&mut scene, hero, &layout, &shown, *bit);
    }
    draw_relevant(&mut scene, hero, &layout, frame);
    draw_answer(&mut scene, hero, &layout, &shown);
    draw_disc(&mut scene, hero, &layout, &shown, &beams);
    draw_captions(&mut scene, hero, &layout);
    scene
}

/// The tile of a bit: filled for 1, hollow for 0, and stronger the more attention it has.
fn draw_tile(scene: &mut Scene, hero: &BooleanHero, layout: &Layout, shown: &Reading, bit: usize) {
    let (Some(centre), Some(value)) = (layout.tiles.get(bit), hero.bits.get(bit)) else { return };
    let size = layout.pitch * TILE_SHARE;
    // Full strength from twice the share that each token has in a uniform distribution: there beams begin.
    let share = |share: &f32| (share * (hero.bit_count() + 1) as f32 / 2.0).min(1.0);
    let known = |part: f32| FAINTEST_TILE + (1.0 - FAINTEST_TILE) * part;
    let strength = shown.shares.get(bit).map(share).map_or(UNKNOWN_TILE, known);
    let outline = match hero.last_flipped == Some(bit) {
        true => Stroke::new(Ink::Mark, 3.0),
        false => Stroke::new(Ink::Text.at(strength), 1.4),
    };
    let (fill, ink) = match *value > 0.0 {
        true if strength > 0.5 => (Ink::Text.at(strength), Ink::Background.at(1.0)),
        true => (Ink::Text.at(strength), Ink::Text.at(1.0)),
        false => (Ink::Background.at(1.0), Ink::Text.at(strength.max(0.7))),
    };
    scene.fill_and_stroke(Shape::Box(Area::around(*centre, size, size), 4.0), fill, outline);
    let font = (size * 0.4).clamp(11.0, 14.0);
    scene.text((bit + 1).to_string(), *centre, font, Anchor::Middle, ink);
}

/// Makes the tile of a bit a switch.
fn add_target(scene: &mut Scene, hero: &BooleanHero, layout: &Layout, bit: usize) {
    let (Some(centre), Some(value)) = (layout.tiles.get(bit), hero.bits.get(bit)) else { return };
    let (is_one, name) = (*value > 0.0, bit + 1);
    scene.target(
        format!("bit-{bit}"),
        tr!("Bit {name}", name),
        hero.spoken_bit(is_one),
        TargetKind::Switch(is_one),
        Area::around(*centre, layout.pitch, layout.pitch),
    );
}

/// Beams from the tiles with the largest shares to the disc; the width is the share.
fn draw_beams(scene: &mut Scene, layout: &Layout, shown: &Reading, beams: &[usize]) {
    for bit in beams {
        if let (Some(from), Some(share)) = (layout.tiles.get(*bit), shown.shares.get(*bit))
            && let Some(width) = BEAM_SCALE.width_of(*share)
        {
            scene.line(*from, layout.disc, Stroke::new(Ink::First.at(0.8), width));
        }
    }
}

/// Pulsing outlines of the relevant bits after a run that has succeeded.
fn draw_relevant(scene: &mut Scene, hero: &BooleanHero, layout: &Layout, frame: &Frame) {
    let Some(ended) = hero.ended_ms.filter(|_| hero.progress.has_succeeded) else { return };
    let phase = ((frame.now_ms - ended) / PULSE_MS).fract() as f32;
    let grown =
        if frame.is_still { 3.0 } else { 2.0 + 2.0 * libm::sinf(phase * std::f32::consts::TAU).abs() };
    let size = layout.pitch * TILE_SHARE + 2.0 * grown;
    for centre in hero.relevant.iter().filter_map(|bit| layout.tiles.get(*bit)) {
        scene.stroke(Shape::Box(Area::around(*centre, size, size), 6.0), Stroke::new(Ink::Mark, 2.5));
    }
}

/// The scale of the answer with the label as a notch, and the needle from the disc to the answer.
fn draw_answer(scene: &mut Scene, hero: &BooleanHero, layout: &Layout, shown: &Reading) {
    let scale = &layout.scale;
    scale.draw_axis(scene, &[0.0, 0.5, 1.0], 4.0);
    let (away, size) = if layout.is_narrow { (15.0, 11.0) } else { (24.0, 14.0) };
    for label in [false, true] {
        let at = scale.offset(scale.point(f32::from(u8::from(label))), away);
        scene.text(hero.format_bit(label), at, size, Anchor::Middle, Ink::Quiet);
    }
    let label = hero.label_of(&hero.bits);
    let (value, sign) = (f32::from(u8::from(label)), if label { 1.0 } else { -1.0 });
    let sides: &[f32] = if layout.is_narrow { &[-1.0] } else { &[-1.0, 1.0] };
    for side in sides {
        scale.draw_notch(scene, value, sign, [13.0, 5.0].map(|away| side * away));
    }
    if hero.has_network() {
        scale.draw_needle(scene, layout.disc, shown.answer);
    }
}

/// The disc of \[CLS\], a grey line for the shares without a beam, and the shares in numbers.
fn draw_disc(scene: &mut Scene, hero: &BooleanHero, layout: &Layout, shown: &Reading, beams: &[usize]) {
    let (disc, radius) = (layout.disc, layout.radius);
    let share_of = |bit: &usize| shown.shares.get(*bit).copied().unwrap_or(0.0);
    let rest = (1.0 - beams.iter().map(share_of).sum::<f32>()).clamp(0.0, 1.0);
    let outwards = |away: f32| match layout.is_narrow {
        true => Point::new(disc.x + radius + away, disc.y),
        false => Point::new(disc.x, disc.y - radius - away),
    };
    if hero.has_network() {
        if let Some(width) = BEAM_SCALE.width_of(rest) {
            scene.line(disc, outwards(STUB), Stroke::new(Ink::Quiet.at(0.5), width));
        }
        let words = match beams.is_empty() {
            _ if hero.has_diverged => tr!("weights not finite").into(),
            true => tr!("no bit stands out").into(),
            false => tr!("others: {share}", share = format!("{rest:.2}")),
        };
        let anchor = if layout.is_narrow { Anchor::Start } else { Anchor::Middle };
        let size = if layout.is_narrow { 11.0 } else { 13.0 };
        scene.text(
            words,
            outwards(STUB + if layout.is_narrow { 8.0 } else { 14.0 }),
            size,
            anchor,
            Ink::Quiet,
        );
    }
    scene.fill_and_stroke(Shape::Circle(disc, radius), Ink::Background, Stroke::new(Ink::Text, 1.6));
    let name = match hero.beams {
        Beams::Attention { .. } => "[CLS]",
        Beams::Weights { .. } => "MLP",
    };
    let size = if layout.is_narrow { 11.0 } else { 14.0 };
    scene.bold_text(name, disc, size, Anchor::Middle, Ink::Text);
    if !layout.is_narrow {
        for (at, bit) in beams.iter().enumerate() {
            let line = Point::new(disc.x, disc.y + radius + 20.0 + 17.0 * at as f32);
            let (number, share) = (bit + 1, format!("{:.2}", share_of(bit)));
            let words = tr!("bit {number}: {share}", number, share);
            scene.text(words, line, 13.0, Anchor::Middle, Ink::Text);
        }
    }
}

/// Names of the parts, the answer in numbers, and the scale of the beams.
fn draw_captions(scene: &mut Scene, hero: &BooleanHero, layout: &Layout) {
    let (n, one) = (hero.bit_count(), hero.format_bit(true));
    let largest = BEAM_SCALE.largest;
    let (network, scale) = match hero.beams {
        Beams::Attention { heads: 1 } => {
            (tr!("attention").into(), tr!("thickest line: attention {largest}", largest))
        }
        Beams::Attention { heads } => (
            tr!("attention, mean of {heads} heads", heads),
            tr!("thickest line: attention {largest}", largest),
        ),
        Beams::Weights { neurons } => (
            tr!("weights of {neurons} neurons", neurons = format_thousands(neurons as u64)),
            tr!("thickest line: {largest} of the weights", largest),
        ),
    };
    let bits = tr!("{n} bits: filled is {one}", n, one);
    let answer = hero.format_answer(hero.latest.answer);
    let label = hero.format_bit(hero.label_of(&hero.bits));
    let words = tr!("answer {answer}, label {label}", answer, label);
    if layout.is_narrow {
        scene.text(bits, Point::new(6.0, 12.0), 13.0, Anchor::Start, Ink::Quiet);
        scene.text(scale, Point::new(scene.width - 6.0, 12.0), 11.0, Anchor::End, Ink::Quiet);
        let at = Point::new(scene.width / 2.0, scene.height - 11.0);
        scene.bold_text(words, at, 13.0, Anchor::Middle, Ink::Text);
        return;
    }
    let top = 16.0;
    let left = layout.tiles.first().map_or(12.0, |tile| tile.x - layout.pitch / 2.0);
    scene.text(bits, Point::new(left, top), 13.0, Anchor::Start, Ink::Quiet);
    scene.text(network, Point::new(layout.disc.x, top), 13.0, Anchor::Middle, Ink::Quiet);
    let right = layout.scale.ends[0].x;
    let name = match hero.answers_probability() && !hero.has_signs() {
        true => tr!("probability of {one}", one),
        false => tr!("answer").into(),
    };
    scene.text(name, Point::new(right, top), 13.0, Anchor::Middle, Ink::Quiet);
    let below = Point::new(right, layout.scale.ends[0].y + 26.0);
    scene.bold_text(words, below, 16.0, Anchor::Middle, Ink::Text);
    let corner = Point::new(left, scene.height - 13.0);
    scene.text(scale, corner, 12.0, Anchor::Start, Ink::Quiet);
}
