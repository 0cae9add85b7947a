//! The drawing of the picture of a look-up: questions above, numbers below, arcs of the attention heads between them;
//! then the heads as switches, and the answer on a scale. On a phone heads and scale are below.

use super::{Answer, LookupHero, format_value, letter};
use crate::answer_scale::AnswerScale;
use vivarium_plot::scene::{Anchor, Area, Ink, Point, Scene, Shape, Stroke, TargetKind, WidthScale};
use vivarium_science::tokens::TeacherKind;
use vivarium_view::display::hero::Frame;
use vivarium_view::display::words::format_signed;

/// Largest width and height of a tile of a question or number in CSS pixels.
const TILE: (f32, f32) = (64.0, 44.0);
/// Number of tiles in a row on a phone.
const NARROW_COLUMNS: usize = 8;
/// Distance of the rows of tiles on a phone in CSS pixels.
const NARROW_ROW: f32 = 42.0;
/// Duration of the movement of arcs after a touch, in milliseconds.
const ARC_MS: f64 = 300.0;
/// Duration of the movement of the needle, in milliseconds.
const NEEDLE_MS: f64 = 120.0;
/// Widths of arcs: all attention has the largest width.
const ARC_WIDTHS: WidthScale = WidthScale { largest: 1.0, width: 10.0 };
/// Colours of the heads; further heads have the same colours with dashes.
const HEAD_INKS: [Ink; 4] = [Ink::First, Ink::Second, Ink::Third, Ink::Text];
/// Distance of the ends of two heads' arcs at the same tile in CSS pixels.
const ARC_PITCH: f32 = 7.0;
/// Largest |entry| of a token with several entries that is drawn with the full colour.
const LARGEST_ENTRY: f32 = 2.5;

/// Where the parts of the picture are.
struct Layout {
    /// Centres of the tiles of the questions.
    questions: Vec<Point>,
    /// Centres of the tiles of the numbers.
    numbers: Vec<Point>,
    /// Width and height of a tile.
    tile: (f32, f32),
    /// Width and height of the area of a tile that reacts to touches.
    touch: (f32, f32),
    /// Switches of the heads.
    heads: Vec<Area>,
    /// Point where the lines of the heads end.
    output: Point,
    /// Scale of the answer, as a share of its limit.
    scale: AnswerScale,
    /// Whether the parts are from top to bottom.
    is_narrow: bool,
}

impl Layout {
    /// The layout for `n` positions and `heads` heads in a picture of this size.
    fn new(n: usize, heads: usize, frame: &Frame) -> Layout {
        if frame.is_narrow() { Layout::narrow(n, heads, frame) } else { Layout::wide(n, heads, frame) }
    }

    /// From left to right: questions above numbers, heads, scale.
    fn wide(n: usize, heads: usize, frame: &Frame) -> Layout {
        let Frame { width, height, .. } = *frame;
        let pitch = (0.6 * width - 40.0) / n.max(1) as f32;
        let row = |y: f32| -> Vec<Point> {
            (0..n).map(|at| Point::new(20.0 + pitch * (at as f32 + 0.5), y)).collect()
        };
        let head_pitch = ((height - 80.0) / heads.max(1) as f32).min(64.0);
        let first = height / 2.0 - head_pitch * heads as f32 / 2.0;
        let head = |at: usize| {
            let centre = Point::new(0.7 * width, first + head_pitch * (at as f32 + 0.5));
            Area::around(centre, (0.12 * width).clamp(96.0, 150.0), (head_pitch - 8.0).min(48.0))
        };
        let (middle, right) = (height / 2.0, 0.86 * width);
        let span = ((height - 150.0) / 2.0).min(200.0);
        Layout {
            questions: row(58.0),
            numbers: row(height - 68.0),
            tile: (TILE.0.min(pitch - 4.0), TILE.1),
            touch: (pitch, TILE.1),
            heads: (0..heads).map(head).collect(),
            output: Point::new(right - 24.0, middle),
            scale: AnswerScale {
                ends: [Point::new(right, middle + span), Point::new(right, middle - span)],
                range: [-1.0, 1.0],
                is_horizontal: false,
            },
            is_narrow: false,
        }
    }

    /// From top to bottom: rows of questions, rows of numbers, heads, scale.
    fn narrow(n: usize, heads: usize, frame: &Frame) -> Layout {
        let Frame { width, height, .. } = *frame;
        let pitch = (width - 12.0) / NARROW_COLUMNS as f32;
        let rows = n.div_ceil(NARROW_COLUMNS).max(1) as f32;
        let tiles = |top: f32| -> Vec<Point> {
            let tile = |at: usize| {
                let (row, column) = ((at / NARROW_COLUMNS) as f32, (at % NARROW_COLUMNS) as f32);
                Point::new(6.0 + pitch * (column + 0.5), top + NARROW_ROW * (row + 0.5))
            };
            (0..n).map(tile).collect()
        };
        let head_columns = heads.clamp(1, 4);
        let head_rows = heads.div_ceil(head_columns).max(1) as f32;
        // The scale needs 78 pixels, a row of heads 42; what is left is the height of the arcs.
        let used = 24.0 + (2.0 * rows + head_rows) * NARROW_ROW + 96.0;
        let arcs = (height - used).clamp(30.0, 150.0);
        let numbers = 24.0 + rows * NARROW_ROW + arcs;
        let first = numbers + rows * NARROW_ROW + 8.0;
        let head_pitch = (width - 12.0) / head_columns as f32;
        let head = |at: usize| {
            let (row, column) = ((at / head_columns) as f32, (at % head_columns) as f32);
            Area::new(6.0 + head_pitch * column, first + NARROW_ROW * row, head_pitch - 6.0, NARROW_ROW - 6.0)
        };
        let scale = height - 62.0;
        Layout {
            questions: tiles(24.0),
            numbers: tiles(numbers),
            tile: (TILE.0.min(pitch - 4.0), NARROW_ROW - 4.0),
            touch: (pitch, NARROW_ROW - 2.0),
            heads: (0..heads).map(head).collect(),
            output: Point::new(width / 2.0, scale - 18.0),
            scale: AnswerScale {
                ends: [Point::new(30.0, scale), Point::new(width - 30.0, scale)],
                range: [-1.0, 1.0],
                is_horizontal: true,
            },
            is_narrow: true,
        }
    }
}

/// Draws the picture at the time of the frame.
pub(super) fn draw(hero: &LookupHero, frame: &Frame) -> Scene {
    let mut scene = Scene::new(frame.width, frame.height);
    let layout = Layout::new(hero.length(), hero.is_head_on.len(), frame);
    draw_arcs(&mut scene, hero, &layout, frame);
    draw_questions(&mut scene, hero, &layout);
    draw_numbers(&mut scene, hero, &layout);
    draw_heads(&mut scene, hero, &layout);
    draw_answer(&mut scene, hero, &layout, frame);
    draw_captions(&mut scene, hero, &layout);
    scene
}

/// Line of a head with this width: dotted if the head is off.
fn head_stroke(hero: &LookupHero, head: usize, width: f32) -> Stroke {
    let ink = HEAD_INKS[head % HEAD_INKS.len()];
    let stroke = Stroke::new(ink.at(0.85), width);
    match hero.is_head_on.get(head) {
        Some(false) => stroke.dashed(2.0, 4.0),
        _ if head >= HEAD_INKS.len() => stroke.dashed(9.0, 4.0),
        _ => stroke,
    }
}

/// Arcs from the question to the numbers: the width is the attention of a head on a number.
fn draw_arcs(scene: &mut Scene, hero: &LookupHero, layout: &Layout, frame: &Frame) {
    let (Some(answer), Some(question)) = (&hero.answer, layout.questions.get(hero.question)) else { return };
    let moved = f64::from(frame.moved(hero.changed_ms, ARC_MS));
    let half = layout.tile.1 / 2.0;
    for (head, attention) in answer.attention.iter().enumerate() {
        let before = hero.before.as_ref().and_then(|before| before.attention.get(head));
        let beside = ARC_PITCH * (head as f32 - (answer.attention.len() - 1) as f32 / 2.0);
        let from = Point::new(question.x + beside, question.y + half);
        for (at, (to, number)) in attention.iter().zip(&layout.numbers).enumerate() {
            let start = before.and_then(|before| before.get(at)).unwrap_or(to);
            let share = start + (to - start) * moved;
            if let Some(width) = finite_width(share) {
                let end = Point::new(number.x + beside, number.y - half);
                let middle = (from.y + end.y) / 2.0;
                let curve = [from, Point::new(from.x, middle), Point::new(end.x, middle), end];
                scene.stroke(Shape::Curve(curve), head_stroke(hero, head, width));
            }
        }
    }
}

/// Width of an arc for an attention weight; `None` if it is too thin or not finite.
fn finite_width(attention: f64) -> Option<f32> {
    if attention.is_finite() { ARC_WIDTHS.width_of(attention as f32) } else { None }
}

/// Tiles of the questions with the letters that they name.
fn draw_questions(scene: &mut Scene, hero: &LookupHero, layout: &Layout) {
    for (position, centre) in layout.questions.iter().enumerate() {
        let is_shown = position == hero.question;
        let area = Area::around(*centre, layout.tile.0, layout.tile.1 - 4.0);
        let (outline, ink) = match is_shown {
            true => (Stroke::new(Ink::Mark, 3.0), Ink::Text),
            false => (Stroke::new(Ink::Grid, 1.4), Ink::Quiet),
        };
        scene.fill_and_stroke(Shape::Box(area, 6.0), Ink::Background, outline);
        let names: Vec<String> =
            hero.names(position).into_iter().map(|name| letter(name).to_string()).collect();
        let is_tight = layout.tile.0 < 14.0 * names.len() as f32;
        let words = names.join(if is_tight { "" } else { " " });
        let size = if is_tight && names.len() > 3 { 11.0 } else { 14.0 };
        scene.bold_text(words, *centre, size, Anchor::Middle, ink);
        let (number, listed) = (position + 1, hero.list_names(position));
        let value = match is_shown {
            true => tr!("names {listed}, chosen", listed),
            false => tr!("names {listed}", listed),
        };
        let touch = Area::around(*centre, layout.touch.0, layout.touch.1);
        let name = tr!("Question {number}", number);
        scene.target(format!("question-{position}"), name, value, TargetKind::Press, touch);
    }
}

/// Tiles of the numbers: the letter of the position, and the number or, for tokens with several entries, their colours.
fn draw_numbers(scene: &mut Scene, hero: &LookupHero, layout: &Layout) {
    let named = hero.names(hero.question);
    for (position, centre) in layout.numbers.iter().enumerate() {
        let area = Area::around(*centre, layout.tile.0, layout.tile.1 - 4.0);
        let outline = match named.contains(&position) {
            true => Stroke::new(Ink::Mark, 3.0),
            false => Stroke::new(Ink::Text, 1.4),
        };
        scene.fill_and_stroke(Shape::Box(area, 6.0), Ink::Background, outline);
        let above = Point::new(centre.x, centre.y - 8.0);
        scene.bold_text(letter(position).to_string(), above, 14.0, Anchor::Middle, Ink::Text);
        let (token, name) = (hero.token(position), letter(position));
        let below = Point::new(centre.x, centre.y + 9.0);
        let value = match token {
            [number] => {
                let words = format_value(f64::from(*number));
                let size = if layout.tile.0 < 48.0 { 11.0 } else { 13.0 };
                scene.text(words.clone(), below, size, Anchor::Middle, Ink::of_sign(*number));
                words
            }
            _ => {
                let values = token.iter().map(|entry| (entry / LARGEST_ENTRY).clamp(-1.0, 1.0)).collect();
                let cells = Area::around(below, layout.tile.0 - 8.0, 12.0);
                scene.stroke(Shape::Box(cells, 0.0), Stroke::new(Ink::Grid, 1.0));
                scene
                    .fill(Shape::Cells { area: cells, columns: token.len().max(1), values }, Ink::Background);
                tr!("{count} entries", count = token.len())
            }
        };
        let touch = Area::around(*centre, layout.touch.0, layout.touch.1);
        let name = tr!("Number {name}", name);
        scene.target(format!("number-{position}"), name, value, TargetKind::Press, touch);
    }
}

/// Switches of the heads with the mean that each head reads, and their lines to the answer.
fn draw_heads(scene: &mut Scene, hero: &LookupHero, layout: &Layout) {
    for (head, area) in layout.heads.iter().enumerate() {
        let is_on = hero.is_head_on.get(head).copied().unwrap_or(true);
        let from = match layout.is_narrow {
            true => Point::new(area.centre().x, area.bottom()),
            false => Point::new(area.right(), area.centre().y),
        };
        scene.line(from, layout.output, head_stroke(hero, head, 2.0));
        let outline = head_stroke(hero, head, if is_on { 3.0 } else { 1.5 });
        scene.fill_and_stroke(Shape::Box(*area, 8.0), Ink::Background, outline);
        let (number, state) = (head + 1, if is_on { tr!("on") } else { tr!("off") });
        let read = hero.read_number(head).map(format_value);
        let (centre, ink) = (area.centre(), if is_on { Ink::Text } else { Ink::Quiet });
        let title = tr!("Head {number}: {state}", number, state);
        let value = match read {
            Some(read) => tr!("reads {read}", read),
            None => String::new(),
        };
        if value.is_empty() {
            scene.bold_text(title, centre, 12.0, Anchor::Middle, ink);
        } else {
            let [above, below] = [-8.0, 8.0].map(|away| Point::new(centre.x, centre.y + away));
            scene.bold_text(title, above, 12.0, Anchor::Middle, ink);
            scene.text(value.clone(), below, 12.0, Anchor::Middle, ink);
        }
        let name = tr!("Head {number}", number);
        scene.target(format!("head-{head}"), name, value, TargetKind::Switch(is_on), *area);
    }
}

/// The scale of the answer with the label as a notch and the network's answer as a needle.
fn draw_answer(scene: &mut Scene, hero: &LookupHero, layout: &Layout, frame: &Frame) {
    let (scale, ticks) = (&layout.scale, [-1.0, 0.0, 1.0]);
    scale.draw_axis(scene, &ticks, 5.0);
    let decimals = if hero.limit.fract() == 0.0 { 0 } else { 2 };
    for tick in ticks {
        let words = format_signed(tick * hero.limit as f32, decimals);
        scene.text(words, scale.offset(scale.point(tick), 18.0), 13.0, Anchor::Middle, Ink::Quiet);
    }
    let label = hero.label();
    if label.is_finite() {
        for side in [-12.0, 12.0] {
            scale.draw_notch(scene, (label / hero.limit) as f32, label as f32, [side, side * 0.4]);
        }
    }
    let from = hero.before.as_ref().map_or(hero.output(), |before: &Answer| before.output);
    let moved = f64::from(frame.moved(hero.changed_ms, NEEDLE_MS));
    let shown = from + (hero.output() - from) * moved;
    scale.draw_needle(scene, layout.output, (shown / hero.limit) as f32);
}

/// Describes the label of a question.
///
/// `size` is the number of named numbers of a question: names times components of a token.
fn describe_function(function: TeacherKind, size: usize) -> String {
    match function {
        TeacherKind::Linear => tr!("label: a weighted sum of the named numbers").into(),
        TeacherKind::Mean => tr!("label: the sum of the named numbers ÷ √{size}", size),
        TeacherKind::Squares => tr!("label: (number² − 1) ÷ √{size}, added over the named numbers", size),
        TeacherKind::Network => tr!("label: a random network of the named numbers").into(),
    }
}

/// Names of the parts, the answer in numbers, and the scale of the arcs.
fn draw_captions(scene: &mut Scene, hero: &LookupHero, layout: &Layout) {
    let prompts = &hero.network.prompts;
    let questions = tr!("{n} questions, names in each: {q}", n = prompts.length, q = prompts.names);
    let scale = tr!("thickest arc: all attention");
    let answer = tr!("answer {answer}", answer = format_value(hero.output()));
    let label = tr!("label {label}", label = format_value(hero.label()));
    let function = describe_function(prompts.function, prompts.names * prompts.dim);
    if layout.is_narrow {
        scene.text(questions, Point::new(6.0, 12.0), 12.0, Anchor::Start, Ink::Quiet);
        scene.text(scale, Point::new(scene.width - 6.0, 12.0), 11.0, Anchor::End, Ink::Quiet);
        let (y, middle) = (layout.scale.ends[0].y + 36.0, scene.width / 2.0);
        scene.bold_text(answer, Point::new(middle - 12.0, y), 14.0, Anchor::End, Ink::Text);
        scene.bold_text(label, Point::new(middle + 12.0, y), 14.0, Anchor::Start, Ink::Text);
        scene.text(function, Point::new(middle, scene.height - 10.0), 11.0, Anchor::Middle, Ink::Quiet);
        return;
    }
    let left = 20.0;
    scene.text(questions, Point::new(left, 16.0), 13.0, Anchor::Start, Ink::Quiet);
    let heads = tr!("heads, then {width} neurons", width = hero.network.net.width);
    scene.text(heads, Point::new(0.7 * scene.width, 16.0), 13.0, Anchor::Middle, Ink::Quiet);
    let below = Point::new(left, scene.height - 14.0);
    scene.text(function, below, 13.0, Anchor::Start, Ink::Quiet);
    let [foot, right] = [layout.scale.ends[0].y + 24.0, layout.scale.ends[0].x];
    scene.bold_text(answer, Point::new(right, foot), 15.0, Anchor::Middle, Ink::Text);
    scene.bold_text(label, Point::new(right, foot + 20.0), 15.0, Anchor::Middle, Ink::Text);
    let corner = Point::new(scene.width - 12.0, scene.height - 10.0);
    scene.text(scale, corner, 12.0, Anchor::End, Ink::Quiet);
}
