//! The drawing of the picture: table and handles, clocks with waves or rows of cells, bars, captions.

use std::f32::consts::{FRAC_PI_2, TAU};

use super::layout::Layout;
use super::{ANSWER_MS, GroupsHero, TURN_MS, format_logit};
use vivarium_plot::analysis::progress::ModularOperation;
use vivarium_plot::scene::{Anchor, Area, Ink, Point, Scene, Shape, Stroke, TargetKind, WidthScale};
use vivarium_view::display::hero::Frame;
use vivarium_view::display::words::{capitalize, format_signed, format_thousands};

/// Strength of the colours of the table's cells if all pairs are training pairs.
const CELL_STRENGTH: f32 = 0.8;
/// Strength of the colours of the table's training cells if others are held out.
const TRAINING_STRENGTH: f32 = 0.35;
/// Strength of the colours of the table's held-out cells.
const HELD_OUT_STRENGTH: f32 = 0.95;
/// Smallest size of a cell of the table in CSS pixels with which held-out cells get an outline.
const OUTLINED_CELL: f32 = 8.0;
/// Largest number of outlines of held-out cells.
const MAX_OUTLINES: usize = 300;
/// Largest number of hours that are drawn as dots on a clock.
const MAX_HOURS: usize = 31;
/// Points of the curve of a wave for each answer.
const POINTS_PER_ANSWER: usize = 4;
/// Width of the thickest hand of a clock in CSS pixels.
const THICKEST_HAND: f32 = 6.0;
/// Width of a bold text as a multiple of the width of a regular text with the same letters.
const BOLD_WIDTH: f32 = 1.2;
/// Strength of the colours of a part that is switched off.
const OFF_STRENGTH: f32 = 0.25;

/// Draws the picture at the time of the frame.
pub(super) fn draw(hero: &GroupsHero, frame: &Frame) -> Scene {
    let mut scene = Scene::new(frame.width, frame.height);
    let layout = Layout::new(hero, frame);
    draw_handles(&mut scene, hero, &layout);
    draw_table(&mut scene, hero, &layout);
    for (part, irrep) in layout.parts.iter().zip(&hero.slots) {
        draw_part(&mut scene, hero, &layout, *part, *irrep, frame);
    }
    draw_legend(&mut scene, hero, &layout);
    draw_bars(&mut scene, hero, &layout, frame);
    draw_captions(&mut scene, hero, &layout);
    scene
}

/// Width of a text in CSS pixels, estimated from its number of letters.
fn estimate_width(text: &str, size: f32) -> f32 {
    text.chars().count() as f32 * size * 0.55
}

/// The largest size of the font, from 11 to `largest` CSS pixels, with which a text fits into a width.
fn fitting_size(text: &str, width: f32, largest: f32) -> f32 {
    (width / estimate_width(text, 1.0).max(1.0)).clamp(11.0, largest)
}

/// The tracks of a and b with their handles, and the sign of the operation in the corner between them.
fn draw_handles(scene: &mut Scene, hero: &GroupsHero, layout: &Layout) {
    let (rows, columns, n) = (layout.rows_track, layout.columns_track, hero.order());
    let cell = layout.cell(hero.question, n).centre();
    let height = columns.height;
    let [a, b] = hero.question.map(|element| hero.group.element_name(element));
    // Handles stay within their tracks.
    let a_at =
        Point::new(rows.centre().x, cell.y.clamp(rows.top + height / 2.0, rows.bottom() - height / 2.0));
    let half = rows.width / 2.0;
    let b_at = Point::new(cell.x.clamp(columns.left + half, columns.right() - half), columns.centre().y);
    for (track, at, name, ink) in [(rows, a_at, a, Ink::First), (columns, b_at, b, Ink::Second)] {
        scene.stroke(Shape::Box(track, 6.0), Stroke::new(Ink::Grid, 1.0));
        let handle = Area::around(at, rows.width, height);
        scene.fill(Shape::Box(handle, 6.0), ink);
        let size = fitting_size(name, rows.width - 6.0, 15.0);
        scene.bold_text(name, at, size, Anchor::Middle, Ink::Background);
    }
    let corner = Point::new(rows.centre().x, columns.centre().y);
    scene.bold_text(hero.symbol, corner, 18.0, Anchor::Middle, Ink::Text);
    let names = match hero.operation {
        Some(_) => [tr!("First number a"), tr!("Second number b")],
        None => [tr!("First element a"), tr!("Second element b")],
    };
    scene.target("a", names[0], a, TargetKind::Handle, rows);
    scene.target("b", names[1], b, TargetKind::Handle, columns);
}

/// The table of all questions: cells answered correctly in the positive colour, others in the negative one; the shown
/// question with lines to the handles.
fn draw_table(scene: &mut Scene, hero: &GroupsHero, layout: &Layout) {
    let n = hero.order();
    let strength = |is_training: bool| match (hero.held_out_runs.is_empty(), is_training) {
        (true, _) => CELL_STRENGTH,
        (false, true) => TRAINING_STRENGTH,
        (false, false) => HELD_OUT_STRENGTH,
    };
    let cells = hero.table.iter().zip(&hero.is_training);
    let values = cells.map(|(right, is_training)| right * strength(*is_training)).collect();
    scene.fill(Shape::Cells { area: layout.table, columns: n, values }, Ink::Text);
    let size = layout.table.width / n as f32;
    if size >= OUTLINED_CELL && hero.held_out_runs.len() <= MAX_OUTLINES {
        for [row, column, count] in &hero.held_out_runs {
            let first = layout.cell([*row, *column], n);
            let run = Area { width: size * *count as f32, ..first };
            scene.stroke(Shape::Box(run, 1.0), Stroke::new(Ink::Text.at(0.7), 1.0));
        }
    }
    let cell = layout.cell(hero.question, n);
    let (centre, line) = (cell.centre(), Stroke::new(Ink::Mark, 1.5));
    scene.line(Point::new(layout.table.left, centre.y), Point::new(cell.left, centre.y), line);
    scene.line(Point::new(centre.x, layout.table.top), Point::new(centre.x, cell.top), line);
    scene.stroke(Shape::Box(cell, 2.0), Stroke::new(Ink::Mark, 3.0));
    let value = tr!(
        "{question}; the network answers {answer}",
        question = hero.describe_question(),
        answer = hero.answer_name()
    );
    scene.target("table", tr!("Table of all questions"), value, TargetKind::Handle, layout.table);
}

/// One part of the logits: its name, its clock if it has one, and its wave.
fn draw_part(scene: &mut Scene, hero: &GroupsHero, layout: &Layout, part: Area, irrep: usize, frame: &Frame) {
    let is_off = hero.is_off.get(irrep).copied().unwrap_or(false);
    let strength = if is_off { OFF_STRENGTH } else { 1.0 };
    let name = match (is_off, layout.is_narrow && layout.radius > 0.0) {
        (false, true) => hero.short_irrep_name(irrep),
        (false, false) => hero.irrep_name(irrep),
        (true, true) => tr!("off").into(),
        (true, false) => tr!("{name}, off", name = hero.irrep_name(irrep)),
    };
    let size = if layout.is_narrow { 11.0 } else { 13.0 };
    let (x, anchor) = match layout.radius > 0.0 {
        true => (part.centre().x, Anchor::Middle),
        false => (part.left, Anchor::Start),
    };
    let at = Point::new(x, part.top + layout.name_height / 2.0);
    scene.text(name, at, size, anchor, if is_off { Ink::Quiet } else { Ink::Text });
    let strip = layout.strip(&part);
    let hand = wave_hand(hero, irrep);
    if layout.radius > 0.0 {
        let centre = Point::new(part.centre().x, part.top + layout.name_height + layout.radius);
        draw_clock(
            scene,
            hero,
            Clock { centre, radius: layout.radius, frequency: irrep, strength },
            hand,
            frame,
        );
        draw_wave(scene, hero, strip, irrep, hand, strength);
    } else {
        draw_cells(scene, hero, strip, irrep, strength);
    }
    let value = format_logit(hero.wave_value(irrep, hero.pointed_answer()));
    let name = match layout.radius > 0.0 {
        true => tr!("Clock of frequency {frequency}", frequency = irrep),
        false => capitalize(&hero.irrep_name(irrep)),
    };
    scene.target(format!("wave-{irrep}"), name, value, TargetKind::Switch(!is_off), part);
}

/// Amplitude of the cosine and of the sine in the wave of a frequency, whose sum has its peak at their angle; zeros before
/// the first weights.
pub(super) fn wave_hand(hero: &GroupsHero, frequency: usize) -> Point {
    let n = hero.order();
    let mut sums = Point::default();
    for (answer, value) in hero.waves.get(frequency).into_iter().flatten().enumerate() {
        let angle = TAU * (frequency * answer % n) as f32 / n as f32;
        sums = Point::new(sums.x + value * libm::cosf(angle), sums.y + value * libm::sinf(angle));
    }
    // Σ cos² over the answers is n/2, but n where the frequency is its own negative.
    let scale = if (2 * frequency).is_multiple_of(n) { 1.0 } else { 2.0 } / n as f32;
    Point::new(sums.x * scale, sums.y * scale)
}

/// A clock of one frequency.
#[derive(Clone, Copy)]
struct Clock {
    /// Centre of the clock in CSS pixels.
    centre: Point,
    /// Radius of the clock in CSS pixels.
    radius: f32,
    /// Frequency k: for each hour, the clock turns by k of n parts of a full turn.
    frequency: usize,
    /// Strength of its colours.
    strength: f32,
}

impl Clock {
    /// The point at this distance from the centre, `turn` full turns clockwise from the top.
    fn at(&self, turn: f32, distance: f32) -> Point {
        let (x, y) = (libm::sinf(TAU * turn), -libm::cosf(TAU * turn));
        Point::new(self.centre.x + distance * x, self.centre.y + distance * y)
    }

    /// Adds an arc between two turns, in either order, at this distance from the centre.
    fn draw_arc(&self, scene: &mut Scene, distance: f32, turns: [f32; 2], ink: Ink) {
        let [from, to] = [turns[0].min(turns[1]), turns[0].max(turns[1])].map(|turn| TAU * turn - FRAC_PI_2);
        if to - from > 1e-3 {
            let stroke = Stroke::new(ink.at(self.strength), 4.0);
            scene.stroke(Shape::Arc(self.centre, distance, [from, to]), stroke);
        }
    }
}

/// A clock: the arcs k·a and k·b, a dot where they end, and a hand in the direction of the peak of the network's wave.
fn draw_clock(scene: &mut Scene, hero: &GroupsHero, clock: Clock, hand: Point, frame: &Frame) {
    let (n, radius) = (hero.order(), clock.radius);
    scene.stroke(Shape::Circle(clock.centre, radius), Stroke::new(Ink::Quiet.at(clock.strength), 1.2));
    if n <= MAX_HOURS && radius > 30.0 {
        for hour in 0..n {
            let at = clock.at(hour as f32 / n as f32, radius);
            scene.fill(Shape::Circle(at, 1.4), Ink::Quiet.at(clock.strength));
        }
    }
    let [a, b] = hero.question.map(|element| (clock.frequency * element % n) as f32 / n as f32);
    let moved = frame.moved(hero.question_ms, TURN_MS);
    // First the clock turns by k·a, then by k·b.
    let (first, second) = ((2.0 * moved).min(1.0), (2.0 * moved - 1.0).max(0.0));
    let sign = if hero.operation == Some(ModularOperation::Difference) { -1.0 } else { 1.0 };
    let middle = a * first;
    let end = middle + sign * b * second;
    let [outer, inner] =
        if radius > 30.0 { [radius - 8.0, radius - 14.0] } else { [radius - 5.0, radius - 10.0] };
    clock.draw_arc(scene, outer, [0.0, middle], Ink::First);
    clock.draw_arc(scene, inner, [middle, end], Ink::Second);
    let amplitude = libm::hypotf(hand.x, hand.y);
    let scale = WidthScale { largest: hero.wave_limit, width: THICKEST_HAND };
    if let Some(thickness) = scale.width_of(amplitude).filter(|_| amplitude.is_finite()) {
        let tip = clock.at(libm::atan2f(hand.y, hand.x) / TAU, inner - 3.0);
        scene.line(clock.centre, tip, Stroke::new(Ink::Text.at(clock.strength), thickness));
    }
    scene.fill(Shape::Circle(clock.at(end, radius), 4.5), Ink::Mark.at(clock.strength));
}

/// The wave of a frequency over the answers, and its value at the answer that is pointed out.
fn draw_wave(
    scene: &mut Scene,
    hero: &GroupsHero,
    strip: Area,
    frequency: usize,
    hand: Point,
    strength: f32,
) {
    let n = hero.order();
    let middle = strip.centre().y;
    let y = |value: f32| middle - (value / hero.wave_limit).clamp(-1.0, 1.0) * strip.height / 2.0;
    let axis = [strip.left, strip.right()].map(|x| Point::new(x, middle));
    scene.line(axis[0], axis[1], Stroke::new(Ink::Grid, 1.0));
    let pointed = hero.pointed_answer();
    let x = Layout::answer_x(&strip, pointed, n);
    let marker = Stroke::new(Ink::Mark.at(strength), 1.0);
    scene.line(Point::new(x, strip.top), Point::new(x, strip.bottom()), marker);
    if !(hand.x.is_finite() && hand.y.is_finite()) {
        return;
    }
    let last = POINTS_PER_ANSWER * n;
    let points = (0..=last).map(|at| {
        let share = at as f32 / last as f32;
        let angle = TAU * frequency as f32 * (share - 0.5 / n as f32);
        let value = hand.x * libm::cosf(angle) + hand.y * libm::sinf(angle);
        Point::new(strip.left + strip.width * share, y(value))
    });
    scene.stroke(Shape::Path(points.collect()), Stroke::new(Ink::Text.at(strength), 1.6));
    let value = hero.wave_value(frequency, pointed);
    if value.is_finite() {
        scene.fill(Shape::Circle(Point::new(x, y(value)), 3.5), Ink::of_sign(value).at(strength));
    }
}

/// The projection of the logits onto an irrep as a row of cells, one for each answer, with the answer that is pointed out.
fn draw_cells(scene: &mut Scene, hero: &GroupsHero, strip: Area, irrep: usize, strength: f32) {
    let n = hero.order();
    let wave = hero.waves.get(irrep).filter(|wave| wave.len() == n);
    let values = match wave {
        Some(wave) => {
            wave.iter().map(|value| (value / hero.wave_limit).clamp(-1.0, 1.0) * strength).collect()
        }
        None => vec![f32::NAN; n],
    };
    scene.fill(Shape::Cells { area: strip, columns: n, values }, Ink::Text);
    let x = Layout::answer_x(&strip, hero.pointed_answer(), n);
    let cell = Area::new(x - strip.width / n as f32 / 2.0, strip.top, strip.width / n as f32, strip.height);
    scene.stroke(Shape::Box(cell, 1.0), Stroke::new(Ink::Mark, 2.0));
}

/// The legend of the clocks: which arc and which line means what.
fn draw_legend(scene: &mut Scene, hero: &GroupsHero, layout: &Layout) {
    let Some(area) = layout.legend else { return };
    let [a, b] = hero.question.map(|element| hero.group.element_name(element));
    let second = match hero.operation {
        Some(ModularOperation::Difference) => tr!("back: frequency × {b}", b),
        _ => tr!("then: frequency × {b}", b),
    };
    let lines = [
        (tr!("turn: frequency × {a}", a), Ink::First),
        (second, Ink::Second),
        (tr!("hand: the network").to_string(), Ink::Text),
    ];
    for (at, (words, ink)) in lines.into_iter().enumerate() {
        let y = area.centre().y + 24.0 * (at as f32 - 1.0);
        let ends = [area.left + 2.0, area.left + 16.0].map(|x| Point::new(x, y));
        scene.line(ends[0], ends[1], Stroke::new(ink, 4.0));
        scene.text(words, Point::new(area.left + 22.0, y), 12.0, Anchor::Start, Ink::Text);
    }
}

/// The bars of all answers, with the right answer and the network's answer named below them.
fn draw_bars(scene: &mut Scene, hero: &GroupsHero, layout: &Layout, frame: &Frame) {
    let (n, bars) = (hero.order(), layout.bars);
    let x = |answer: usize| Layout::answer_x(&bars, answer, n);
    let (pitch, zero) = (bars.width / n as f32, layout.bar_y(0.0));
    let right = hero.right();
    let band = Area::around(Point::new(x(right), bars.centre().y), pitch.max(4.0), bars.height);
    scene.fill(Shape::Box(band, 2.0), Ink::Mark.at(0.2));
    for value in [1.0, 0.0, -0.5] {
        let y = layout.bar_y(value);
        let ink = if value == 0.0 { Ink::Quiet } else { Ink::Grid };
        scene.line(Point::new(bars.left, y), Point::new(bars.right(), y), Stroke::new(ink, 1.0));
        let words = format_signed(value * hero.bar_limit, 0);
        scene.text(words, Point::new(bars.left - 6.0, y), 12.0, Anchor::End, Ink::Quiet);
    }
    let moved = frame.moved(hero.answered_ms, ANSWER_MS);
    for (answer, logit) in hero.logits.iter().enumerate() {
        let before = hero.logits_before.get(answer).copied().filter(|before| before.is_finite());
        let from = before.unwrap_or(*logit);
        let value = (from + (logit - from) * moved) / hero.bar_limit;
        if !value.is_finite() {
            continue;
        }
        let (y, width) = (layout.bar_y(value), (0.8 * pitch).max(1.0));
        let bar = Area::new(x(answer) - width / 2.0, y.min(zero), width, (y - zero).abs());
        scene.fill(Shape::Box(bar, 0.0), Ink::of_sign(value).at(0.9));
    }
    let named = |scene: &mut Scene, words: String, answer: usize, y: f32, ink: Ink| {
        let half = BOLD_WIDTH * estimate_width(&words, 13.0) / 2.0;
        let at = x(answer).max(bars.left - 30.0 + half).min(bars.right() + 4.0 - half);
        scene.bold_text(words, Point::new(at, y), 13.0, Anchor::Middle, ink);
    };
    let words = tr!("right answer: {name}", name = hero.group.element_name(right));
    named(scene, words, right, bars.bottom() + 14.0, Ink::Mark);
    if let Some(answer) = hero.answer() {
        let (name, margin) = (hero.group.element_name(answer), format_logit(hero.margin()));
        let words = match hero.is_off.contains(&true) {
            true => tr!("without what is off: {name}, margin {margin}", name, margin),
            false => tr!("network: {name}, margin {margin}", name, margin),
        };
        named(scene, words, answer, bars.bottom() + 31.0, Ink::Text);
    }
    let pointed = hero.pointed_answer();
    let logit = format_logit(hero.logits.get(pointed).copied().unwrap_or(f32::NAN));
    let name = hero.group.element_name(pointed);
    if hero.cursor.is_some() {
        let line = Stroke::new(Ink::Mark, 1.5).dashed(4.0, 3.0);
        scene.line(Point::new(x(pointed), bars.top), Point::new(x(pointed), bars.bottom()), line);
        let words = tr!("answer {name}: {logit}", name, logit);
        named(scene, words, pointed, bars.top - 14.0, Ink::Text);
    }
    let value = tr!("answer {name}, logit minus mean {logit}", name, logit);
    scene.target("answers", tr!("Bars of the answers"), value, TargetKind::Handle, bars);
}

/// Lines on how many cells of the table are right, and whether all of them belong to the present step.
fn count_lines(hero: &GroupsHero) -> Vec<String> {
    let count = |of_training: bool| {
        let [right, all] = hero.count_right(of_training);
        (format_thousands(right as u64), format_thousands(all as u64))
    };
    let (right, all) = count(true);
    let mut lines = match hero.held_out_runs.is_empty() {
        true => vec![tr!("{right}/{all} right", right, all)],
        false => {
            let (held_right, held_all) = count(false);
            vec![
                tr!("training: {right}/{all} right", right, all),
                tr!("held-out: {right}/{all} right", right = held_right, all = held_all),
            ]
        }
    };
    if hero.pending > 0 {
        let done = format_thousands((hero.table.len() - hero.pending.min(hero.table.len())) as u64);
        lines.push(tr!("{done} cells up to date", done));
    }
    lines
}

/// Names of the parts, the question, the counts of right cells, and the scale of the waves.
fn draw_captions(scene: &mut Scene, hero: &GroupsHero, layout: &Layout) {
    let (shown, all) = (layout.parts.len(), hero.powers.len().saturating_sub(1));
    let parts = match hero.irreps.frequency(0) {
        Some(_) => tr!("{shown} of {all} frequencies", shown, all),
        None => tr!("{shown} of {all} representations", shown, all),
    };
    let limit = hero.wave_limit;
    let scale = match hero.operation {
        Some(_) => tr!("waves and hands up to {limit}", limit),
        None => tr!("rows from −{limit} to {limit}", limit),
    };
    let (question, mut counts) = (hero.describe_question(), count_lines(hero));
    let (table, bars) = (layout.table, layout.bars);
    if layout.is_narrow {
        let left = table.right() + 10.0;
        let room = scene.width - 6.0 - left;
        let [a, b] = hero.question.map(|element| hero.group.element_name(element));
        let lines = match hero.operation {
            Some(_) => vec![question],
            None => vec![
                format!("a = {a}"),
                format!("b = {b}"),
                format!("a {} b = {}", hero.symbol, hero.group.element_name(hero.right())),
            ],
        };
        for (at, words) in lines.into_iter().enumerate() {
            let size = fitting_size(&words, room, 17.0);
            let y = table.top + 8.0 + 20.0 * at as f32;
            scene.bold_text(words, Point::new(left, y), size, Anchor::Start, Ink::Text);
        }
        for (at, words) in counts.into_iter().chain([parts]).enumerate() {
            let y = table.top + 76.0 + 17.0 * at as f32;
            scene.text(words, Point::new(left, y), 11.0, Anchor::Start, Ink::Quiet);
        }
        let y = bars.top - 26.0;
        let words = tr!("all waves together");
        scene.text(words, Point::new(6.0, y), 11.0, Anchor::Start, Ink::Quiet);
        scene.text(scale, Point::new(scene.width - 6.0, y), 11.0, Anchor::End, Ink::Quiet);
        return;
    }
    // While cells are of earlier steps, the last line says so.
    let pending = if hero.pending > 0 { counts.pop() } else { None };
    let caption = pending.unwrap_or_else(|| match hero.held_out_runs.is_empty() {
        true => tr!("row a, column b; orange: the network is right").into(),
        false => tr!("orange: the network is right; strong: held-out").into(),
    });
    let top = 14.0;
    scene.text(caption, Point::new(8.0, top), 13.0, Anchor::Start, Ink::Quiet);
    for (at, words) in counts.into_iter().enumerate() {
        let at = Point::new(table.left, table.bottom() + 15.0 + 17.0 * at as f32);
        scene.text(words, at, 13.0, Anchor::Start, Ink::Text);
    }
    if let Some(part) = layout.parts.first() {
        scene.text(parts, Point::new(part.left, top), 13.0, Anchor::Start, Ink::Quiet);
    }
    let words = tr!("all waves together: a bar for each answer");
    let has_room = estimate_width(words, 13.0) <= bars.width;
    let words = if has_room { words } else { tr!("all waves together") };
    scene.text(words, Point::new(bars.left, top), 13.0, Anchor::Start, Ink::Quiet);
    let size = fitting_size(&question, bars.width, 18.0);
    scene.bold_text(question, Point::new(bars.left, 36.0), size, Anchor::Start, Ink::Text);
    let corner = Point::new(scene.width - 12.0, scene.height - 11.0);
    scene.text(scale, corner, 12.0, Anchor::End, Ink::Quiet);
}
