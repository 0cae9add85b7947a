//! The drawing of the picture on Markov chains: the symbols with arcs of attention, buttons, and the bars of the next
//! symbol at the right; on a phone from top to bottom.

use super::trace::Attended;
use super::{MarkovHero, percent};
use vivarium_plot::analysis::chains::{head_names, symbol_letter};
use vivarium_plot::scene::{Anchor, Area, Ink, Point, Scene, Shape, Stroke, TargetKind, WidthScale};
use vivarium_view::display::hero::Frame;

/// Duration of the movement of the bars, in milliseconds.
const ANSWER_MS: f64 = 120.0;
/// Duration of the movement of the votes, in milliseconds.
const VOTES_MS: f64 = 400.0;
/// Widths of the arcs of the last layer: an attention weight of ½ or more has the largest.
const LAST_LAYER: WidthScale = WidthScale { largest: 0.5, width: 10.0 };
/// Widths of the arcs of the first layer.
const FIRST_LAYER: WidthScale = WidthScale { largest: 1.0, width: 4.0 };
/// Largest number of arcs of the first layer from one symbol.
const FIRST_LAYER_KEYS: usize = 2;
/// Shares of the attention below this one are not drawn as a stub.
const MIN_REST: f32 = 0.02;
/// Number of symbols in a row on a phone.
const ROW: usize = 8;
/// Width in CSS pixels of the words to the left of a row of buttons.
const LABEL_WIDTH: f32 = 90.0;
/// Height of a button in CSS pixels.
const BUTTON_HEIGHT: f32 = 28.0;
/// Width and height, in CSS pixels, of the area in which a line of the chain can be seized; narrow columns have less width.
const HANDLE: (f32, f32) = (64.0, 28.0);
/// Smallest distance of columns in CSS pixels at which counts fit below the bars.
const COUNTS_COLUMN: f32 = 42.0;

/// A row of buttons with words to its left.
struct Buttons {
    /// Point where the words begin.
    label: Point,
    /// Areas of the buttons.
    areas: Vec<Area>,
}

impl Buttons {
    /// A row of `count` buttons around the height `y`, with words, between `left` and `left` + `width`; the buttons are at
    /// most `largest` pixels apart.
    fn new(left: f32, width: f32, y: f32, count: usize, largest: f32) -> Buttons {
        let pitch = ((width - LABEL_WIDTH) / count.max(1) as f32).min(largest);
        let area = |at: usize| {
            let left = left + LABEL_WIDTH + pitch * at as f32;
            Area::new(left, y - BUTTON_HEIGHT / 2.0, pitch - 3.0, BUTTON_HEIGHT)
        };
        Buttons { label: Point::new(left, y), areas: (0..count).map(area).collect() }
    }
}

/// Where the parts of the picture are.
pub(super) struct Layout {
    /// Whether the parts are from top to bottom.
    is_narrow: bool,
    /// Centres of the symbols.
    symbols: Vec<Point>,
    /// Number of symbols in a row.
    per_row: usize,
    /// Size of the tile of a symbol in CSS pixels.
    tile: f32,
    /// Width and height of the area of a symbol that reacts to touches.
    touch: (f32, f32),
    /// Distance of the first and the last symbol of a row.
    row_width: f32,
    /// Height of the arcs above the symbols.
    above: f32,
    /// Height of the arcs below the symbols.
    below: f32,
    /// Buttons that change the chosen symbol, one per symbol of the alphabet.
    alphabet: Buttons,
    /// Switches of the heads.
    heads: Buttons,
    /// Horizontal centres of the bars.
    columns: Vec<f32>,
    /// Distance of two bars.
    pitch: f32,
    /// Height of probability 1.
    top: f32,
    /// Height of probability 0.
    base: f32,
}

impl Layout {
    /// The layout of the picture of this size.
    pub(super) fn new(hero: &MarkovHero, frame: &Frame) -> Layout {
        if frame.is_narrow() { Layout::narrow(hero, frame) } else { Layout::wide(hero, frame) }
    }

    /// Symbols and buttons on the left, bars on the right.
    fn wide(hero: &MarkovHero, frame: &Frame) -> Layout {
        let Frame { width, height, .. } = *frame;
        let (left, span, n) = (0.03 * width, 0.6 * width, hero.symbols.len());
        let pitch = (span / n.max(1) as f32).min(64.0);
        let (tile, row) = ((pitch - 6.0).min(40.0), 0.36 * height);
        let symbols = (0..n).map(|at| Point::new(left + pitch * (at as f32 + 0.5), row)).collect();
        let (columns, column) = spread(0.675 * width, 0.31 * width, hero.task.symbols);
        Layout {
            is_narrow: false,
            symbols,
            per_row: n.max(1),
            tile,
            touch: (pitch - 0.5, tile + 6.0),
            row_width: (pitch * n.saturating_sub(1) as f32).max(1.0),
            above: (row - tile / 2.0 - 46.0).max(4.0),
            below: (height - 122.0 - row - tile / 2.0).max(4.0),
            alphabet: Buttons::new(left, span, height - 72.0, hero.task.symbols, 42.0),
            heads: Buttons::new(left, span, height - 30.0, hero.switch_count(), 56.0),
            columns,
            pitch: column,
            top: 62.0,
            base: height - 66.0,
        }
    }

    /// From top to bottom: symbols in rows of eight, buttons, bars.
    fn narrow(hero: &MarkovHero, frame: &Frame) -> Layout {
        let Frame { width, height, .. } = *frame;
        let (left, span, n) = (6.0, width - 12.0, hero.symbols.len());
        let pitch = span / ROW as f32;
        let (tile, row, distance) = ((pitch - 8.0).min(34.0), 0.165 * height, 0.15 * height);
        let centre = |at: usize| {
            let across = left + pitch * ((at % ROW) as f32 + 0.5);
            Point::new(across, row + distance * (at / ROW) as f32)
        };
        let (columns, column) = spread(40.0, width - 50.0, hero.task.symbols);
        Layout {
            is_narrow: true,
            symbols: (0..n).map(centre).collect(),
            per_row: ROW,
            tile,
            touch: (pitch - 0.5, distance.min(44.0)),
            row_width: pitch * (ROW - 1) as f32,
            above: (row - tile / 2.0 - 32.0).max(4.0),
            below: (0.11 * height - tile / 2.0).max(4.0),
            alphabet: Buttons::new(left, span, 0.5 * height, hero.task.symbols, 42.0),
            heads: Buttons::new(left, span, 0.575 * height, hero.switch_count(), 48.0),
            columns,
            pitch: column,
            top: 0.67 * height,
            base: height - 44.0,
        }
    }

    /// Height of a probability on the scale of the bars.
    fn height_of(&self, probability: f32) -> f32 {
        self.base + (self.top - self.base) * probability.clamp(0.0, 1.0)
    }

    /// Probability at a height of the scale of the bars, from 0 to 1.
    pub(super) fn probability_at(&self, y: f32) -> f32 {
        ((self.base - y) / (self.base - self.top)).clamp(0.0, 1.0)
    }

    /// An arc between two symbols, above or below their row, the higher the farther they are apart; between symbols of
    /// different rows a curve in the space between the rows. `None` without such symbols.
    fn arc(&self, query: usize, key: usize, is_above: bool) -> Option<Shape> {
        let (from, to) = (*self.symbols.get(query)?, *self.symbols.get(key)?);
        let half = self.tile / 2.0 + 2.0;
        if query / self.per_row != key / self.per_row {
            let sign = if from.y > to.y { -1.0 } else { 1.0 };
            let (from, to) = (Point::new(from.x, from.y + sign * half), Point::new(to.x, to.y - sign * half));
            let middle = (from.y + to.y) / 2.0;
            return Some(Shape::Curve([from, Point::new(from.x, middle), Point::new(to.x, middle), to]));
        }
        let (sign, room) = if is_above { (-1.0, self.above) } else { (1.0, self.below) };
        // A curve reaches three quarters of the way to its control points.
        let reach = room * 4.0 / 3.0 * (0.25 + 0.75 * (from.x - to.x).abs() / self.row_width).min(1.0);
        let spread = if query == key { self.tile / 4.0 } else { 0.0 };
        let (begin, end, y) = (from.x + spread, to.x - spread, from.y + sign * half);
        let control = y + sign * reach;
        Some(Shape::Curve([
            Point::new(begin, y),
            Point::new(begin, control),
            Point::new(end, control),
            Point::new(end, y),
        ]))
    }
}

/// Centres of `count` columns in the middle of a space that begins at `left`, and their distance, at most 90 pixels.
fn spread(left: f32, width: f32, count: usize) -> (Vec<f32>, f32) {
    let pitch = (width / count.max(1) as f32).min(90.0);
    let first = left + (width - pitch * count as f32) / 2.0 + pitch / 2.0;
    ((0..count).map(|at| first + pitch * at as f32).collect(), pitch)
}

/// Draws the picture at the time of the frame.
pub(super) fn draw(hero: &MarkovHero, frame: &Frame) -> Scene {
    let mut scene = Scene::new(frame.width, frame.height);
    let (layout, attended) = (Layout::new(hero, frame), hero.attended());
    draw_arcs(&mut scene, hero, &layout, &attended);
    draw_symbols(&mut scene, hero, &layout);
    draw_buttons(&mut scene, hero, &layout);
    draw_bars(&mut scene, hero, &layout, frame);
    draw_votes(&mut scene, hero, &layout, &attended, frame);
    draw_captions(&mut scene, hero, &layout, attended.rest);
    scene
}

/// Arcs of the last layer below the symbols, from the chosen symbol, with a grey stub for the keys that are not drawn; and
/// arcs of the first layer above, from the symbols that the last layer attends to.
fn draw_arcs(scene: &mut Scene, hero: &MarkovHero, layout: &Layout, attended: &Attended) {
    let ink = |weight: f32, layer: Ink| if weight < 0.0 { Ink::Negative } else { layer };
    for (key, weight) in &attended.keys {
        for (before, weight) in hero.attended_before(*key).keys.iter().take(FIRST_LAYER_KEYS) {
            if let (Some(width), Some(arc)) = (FIRST_LAYER.width_of(*weight), layout.arc(*key, *before, true))
            {
                scene.stroke(arc, Stroke::new(ink(*weight, Ink::Second), width));
            }
        }
        if let (Some(width), Some(arc)) =
            (LAST_LAYER.width_of(*weight), layout.arc(hero.pointed, *key, false))
        {
            scene.stroke(arc, Stroke::new(ink(*weight, Ink::First).at(0.85), width));
        }
    }
    if let (Some(width), Some(centre)) =
        (LAST_LAYER.width_of(attended.rest), layout.symbols.get(hero.pointed))
        && attended.rest >= MIN_REST
    {
        let from = Point::new(centre.x + layout.tile * 0.3, centre.y + layout.tile / 2.0 + 2.0);
        scene.line(from, Point::new(from.x + 8.0, from.y + 14.0), Stroke::new(Ink::Quiet.at(0.6), width));
    }
}

/// Tiles of the symbols: the chosen one has a thick outline, earlier copies of the context that it ends are shaded, and
/// later symbols are pale.
fn draw_symbols(scene: &mut Scene, hero: &MarkovHero, layout: &Layout) {
    let copies: Vec<usize> = hero.followers().into_iter().filter_map(|at| at.checked_sub(1)).collect();
    for (at, centre) in layout.symbols.iter().enumerate() {
        let (is_chosen, letter) = (at == hero.pointed, hero.letter_at(at));
        let strength = if at > hero.pointed { 0.35 } else { 1.0 };
        let shade = if is_chosen || copies.contains(&at) { 0.22 } else { 0.0 };
        let outline = match is_chosen {
            true => Stroke::new(Ink::Mark, 3.0),
            false => Stroke::new(Ink::Text.at(strength), 1.4),
        };
        let area = Area::around(*centre, layout.tile, layout.tile);
        scene.fill_and_stroke(Shape::Box(area, 5.0), Ink::Mark.at(shade), outline);
        let size = (layout.tile * 0.5).clamp(11.0, 18.0);
        scene.bold_text(letter.as_str(), *centre, size, Anchor::Middle, Ink::Text.at(strength));
        let touch = Area::around(*centre, layout.touch.0, layout.touch.1);
        let name = tr!("Symbol {number}", number = at + 1);
        let value = if is_chosen { tr!("{letter}, chosen", letter) } else { letter };
        scene.target(format!("symbol-{at}"), name, value, TargetKind::Press, touch);
    }
}

/// Buttons that change the chosen symbol, and switches of the heads: a head that is off has a dotted outline.
fn draw_buttons(scene: &mut Scene, hero: &MarkovHero, layout: &Layout) {
    let number = hero.pointed + 1;
    let label = tr!("Symbol {number}:", number);
    scene.text(label, layout.alphabet.label, 13.0, Anchor::Start, Ink::Quiet);
    let now = hero.letter_at(hero.pointed);
    for (symbol, area) in layout.alphabet.areas.iter().enumerate() {
        let letter = symbol_letter(symbol);
        let outline = if letter == now { Stroke::new(Ink::Mark, 3.0) } else { Stroke::new(Ink::Text, 1.2) };
        scene.fill_and_stroke(Shape::Box(*area, 5.0), Ink::Background, outline);
        scene.text(letter.as_str(), area.centre(), 14.0, Anchor::Middle, Ink::Text);
        let value = if letter == now { tr!("now") } else { "" };
        let name = tr!("Change symbol {number} to {letter}", number, letter);
        scene.target(format!("set-{symbol}"), name, value, TargetKind::Press, *area);
    }
    if layout.heads.areas.is_empty() {
        return;
    }
    scene.text(tr!("Heads:"), layout.heads.label, 13.0, Anchor::Start, Ink::Quiet);
    for ((head, area), name) in layout.heads.areas.iter().enumerate().zip(head_names(&hero.heads)) {
        let is_on = !hero.off.contains(&head);
        let (outline, ink, value) = match is_on {
            true => (Stroke::new(Ink::Text, 1.6), Ink::Text, tr!("on")),
            false => (Stroke::new(Ink::Quiet, 1.6).dashed(2.0, 3.0), Ink::Quiet, tr!("off")),
        };
        scene.fill_and_stroke(Shape::Box(*area, 5.0), Ink::Background, outline);
        scene.text(name.as_str(), area.centre(), 12.0, Anchor::Middle, ink);
        scene.target(
            format!("head-{head}"),
            tr!("Head {name}", name),
            value,
            TargetKind::Switch(is_on),
            *area,
        );
    }
}

/// Bars of the network's probabilities from 0 to 1, the chain's probabilities as lines that can be dragged, and those
/// estimated from the counts as rings.
fn draw_bars(scene: &mut Scene, hero: &MarkovHero, layout: &Layout, frame: &Frame) {
    let (truth, estimate, counts) = (hero.truth(), hero.estimate(), hero.counts());
    let (all, after) = (counts.iter().sum::<usize>(), hero.context_letters());
    let moved = frame.moved(hero.bars.since_ms, ANSWER_MS);
    let half = (layout.pitch * 0.3).min(22.0);
    if let Some(first) = layout.columns.first() {
        let x = first - layout.pitch / 2.0 - 2.0;
        for tick in [0.0f32, 1.0] {
            let at = Point::new(x, layout.height_of(tick));
            scene.text(format!("{tick:.0}"), at, 12.0, Anchor::End, Ink::Quiet);
        }
    }
    for (symbol, x) in layout.columns.iter().enumerate() {
        let letter = symbol_letter(symbol);
        let frame_area = Area::new(x - half, layout.top, 2.0 * half, layout.base - layout.top);
        scene.stroke(Shape::Box(frame_area, 0.0), Stroke::new(Ink::Grid, 1.0));
        let now = hero.probability(symbol);
        if now.is_finite() {
            let from = hero.bars.from.get(symbol).copied().filter(|from| from.is_finite()).unwrap_or(now);
            let y = layout.height_of(from + (now - from) * moved);
            let bar = Area::new(x - half, y, 2.0 * half, layout.base - y);
            scene.fill(Shape::Box(bar, 0.0), Ink::First.at(0.7));
        }
        if let Some(p) = truth.as_ref().and_then(|truth| truth.get(symbol)) {
            let at = Point::new(*x, layout.height_of(*p));
            let reach = half + 5.0;
            let (from, to) = (Point::new(x - reach, at.y), Point::new(x + reach, at.y));
            scene.line(from, to, Stroke::new(Ink::Text, 3.5));
            scene.fill(Shape::Circle(to, 4.5), Ink::Text);
            let name = tr!("Probability of {letter} after {after} in the chain", letter, after);
            let area = Area::around(at, (layout.pitch - 0.5).min(HANDLE.0), HANDLE.1);
            scene.target(format!("chain-{symbol}"), name, percent(*p), TargetKind::Handle, area);
        }
        if let Some(p) = estimate.as_ref().and_then(|estimate| estimate.get(symbol)) {
            let ring = Shape::Circle(Point::new(*x, layout.height_of(*p)), 4.5);
            scene.fill_and_stroke(ring, Ink::Background, Stroke::new(Ink::Text, 1.6));
        }
        let below = |distance: f32| Point::new(*x, layout.base + distance);
        scene.bold_text(letter, below(14.0), 15.0, Anchor::Middle, Ink::Text);
        scene.text(percent(now), below(31.0), 12.0, Anchor::Middle, Ink::Text);
        if !layout.is_narrow && layout.pitch >= COUNTS_COLUMN {
            let count = counts.get(symbol).copied().unwrap_or(0);
            let words = tr!("{count} of {all}", count, all);
            scene.text(words, below(48.0), 12.0, Anchor::Middle, Ink::Quiet);
        }
    }
}

/// Votes: discs that move from the symbols that the last layer attends to into the bars of these symbols, their areas
/// proportional to attention weights.
fn draw_votes(scene: &mut Scene, hero: &MarkovHero, layout: &Layout, attended: &Attended, frame: &Frame) {
    let moved = frame.moved(hero.votes_ms, VOTES_MS);
    // Layers behind the attention of a network of one's own may make anything of what it attends to.
    if moved >= 1.0 || hero.is_own() {
        return;
    }
    for (key, weight) in &attended.keys {
        let symbol = hero.symbols.get(*key).map_or(0, |symbol| usize::from(*symbol));
        let probability = hero.probability(symbol);
        if let (Some(from), Some(x)) = (layout.symbols.get(*key), layout.columns.get(symbol))
            && probability.is_finite()
            && *weight > 0.0
        {
            let to = Point::new(*x, layout.height_of(probability));
            let disc = Shape::Circle(from.towards(to, moved), 14.0 * libm::sqrtf(*weight));
            scene.fill_and_stroke(disc, Ink::First, Stroke::new(Ink::Background, 1.5));
        }
    }
}

/// Words on what the lines and the bars are; `rest` is the share of the attention that is not drawn.
fn draw_captions(scene: &mut Scene, hero: &MarkovHero, layout: &Layout, rest: f32) {
    let (n, after) = (hero.symbols.len(), hero.context_letters());
    let (width, height, left) = (scene.width, scene.height, layout.alphabet.label.x);
    let other = (rest >= MIN_REST).then(|| tr!("grey: all other symbols, {share}", share = percent(rest)));
    let above = match (hero.heads.len(), hero.head_count_on(0)) {
        (0, _) if hero.is_own() => None,
        (0, _) => Some(tr!("lines above: vector v, thickest 1").to_string()),
        (1, _) => None,
        (_, count @ 2..) => {
            Some(tr!("above: attention in layer 1 (mean of {count} heads), thickest 1", count))
        }
        _ => Some(tr!("lines above: attention in layer 1, thickest 1").into()),
    };
    let layer = hero.heads.len();
    let below = match (layer, hero.head_count_on(layer.saturating_sub(1))) {
        // No layer attends.
        (0, _) if hero.is_own() => String::new(),
        (0, _) => tr!("lines below: weights of the votes, thickest 0.5").into(),
        (layer, count @ 2..) => {
            tr!("below: attention in layer {layer} (mean of {count} heads), thickest 0.5", layer, count)
        }
        (layer, _) => tr!("lines below: attention in layer {layer}, thickest 0.5", layer),
    };
    let alpha = hero.format_pseudocount();
    if layout.is_narrow {
        if !below.is_empty() {
            scene.text(below, Point::new(left, 10.0), 11.0, Anchor::Start, Ink::Quiet);
        }
        if let Some(above) = above {
            scene.text(above, Point::new(left, 24.0), 11.0, Anchor::Start, Ink::Quiet);
        }
        if let Some(other) = other {
            scene.text(other, Point::new(width - 6.0, 0.445 * height), 11.0, Anchor::End, Ink::Quiet);
        }
        let words = tr!("After {after}: bar network, line chain, ring counts + {alpha}", after, alpha);
        scene.text(words, Point::new(left, 0.63 * height), 11.0, Anchor::Start, Ink::Text);
        return;
    }
    let words = tr!("{n} symbols of a chain that the network has never seen", n);
    scene.text(words, Point::new(left, 16.0), 13.0, Anchor::Start, Ink::Text);
    if let Some(above) = above {
        scene.text(above, Point::new(left, 34.0), 12.0, Anchor::Start, Ink::Quiet);
    }
    let lower = match other {
        Some(other) => format!("{below}; {other}"),
        None => below,
    };
    if !lower.is_empty() {
        scene.text(lower, Point::new(left, height - 106.0), 12.0, Anchor::Start, Ink::Quiet);
    }
    let right = width - 12.0;
    let words = tr!("next symbol after {after}", after);
    scene.bold_text(words, Point::new(right, 16.0), 15.0, Anchor::End, Ink::Text);
    let words = tr!("bar: network; line: true chain; ring: from the counts + {alpha} each", alpha);
    scene.text(words, Point::new(right, 34.0), 12.0, Anchor::End, Ink::Quiet);
}
