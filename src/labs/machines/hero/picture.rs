//! The drawing of the machine: past tokens in a row with arcs of attention, below them the tape, the next action of the
//! machine, and the blocks of the transformer.

use super::execution::{BlockMoment, Holder, Moment};
use super::{MachineHero, describe_wrong_search, has_rule, symbol_name};
use crate::machines::tape::state_name;
use vivarium_plot::scene::{
    Anchor, Area, Colour, Ink, Point, Scene, Shape, Stroke, TargetKind, WidthScale, smooth,
};
use vivarium_science::machines::{BlockKind, HeadMove, StepRecord};
use vivarium_view::display::hero::Frame;
use vivarium_view::display::words::format_thousands;

/// Largest distance of two tokens in CSS pixels.
const MAX_TOKEN_PITCH: f32 = 44.0;
/// Smallest distance of two tokens in CSS pixels at which their symbols are written into them.
const MIN_SYMBOL_PITCH: f32 = 16.0;
/// Height of a token in CSS pixels.
const TOKEN_HEIGHT: f32 = 24.0;
/// Size of a cell of the tape in CSS pixels.
const CELL: f32 = 46.0;
/// Largest distance of two cells of the tape in CSS pixels.
const MAX_CELL_PITCH: f32 = 54.0;
/// From this width in CSS pixels on, the words on the next action are on the right of the tape; in narrower pictures they are
/// below it.
const MIN_WIDE: f32 = 1160.0;
/// Widths of the arcs of attention: an attention weight of 1 has 10 pixels.
const ATTENTION: WidthScale = WidthScale { largest: 1.0, width: 10.0 };
/// Smallest attention weight at which a token is filled as one to which the block attends.
const ATTENDED: f32 = 0.3;
/// Smallest distance of the vertical centres of two lines of text in CSS pixels.
const MIN_LINE_DISTANCE: f32 = 15.0;
/// Largest number of letters of a state's name in the picture; longer names are cut.
const MAX_NAME_LETTERS: usize = 12;

/// Where the parts of the picture are.
struct Layout {
    /// Centre of the token of step 0.
    first_token: Point,
    /// Distance of the centres of two tokens in CSS pixels.
    pitch: f32,
    /// Centre of the circle that stands for no token.
    null: Point,
    /// Highest point of the arcs.
    arcs_top: f32,
    /// Left end and vertical centre of the tape.
    tape: Point,
    /// Number of cells of the tape in the picture.
    cell_count: usize,
    /// Distance of the centres of two cells in CSS pixels.
    cell_pitch: f32,
    /// Left end and vertical centre of the first line of the text on the next action.
    words: Point,
    /// Left end and vertical centre of the row of blocks.
    blocks: Point,
    /// Width of the row of blocks in CSS pixels.
    blocks_width: f32,
    /// Centre of the button for the next step.
    button: Point,
    /// Whether the words are below the tape.
    is_narrow: bool,
}

impl Layout {
    /// The layout for a picture of this size with `slots` tokens.
    fn new(slots: usize, frame: &Frame) -> Layout {
        let Frame { width, height, .. } = *frame;
        let is_narrow = width < MIN_WIDE;
        let (left, right) = if is_narrow { (40.0, 14.0) } else { (72.0, 40.0) };
        let pitch = ((width - left - right) / slots.max(1) as f32).min(MAX_TOKEN_PITCH);
        let tokens = height * if is_narrow { 0.27 } else { 0.38 };
        let tape = height * if is_narrow { 0.46 } else { 0.60 };
        let (cell_count, cell_pitch) = match is_narrow {
            true => {
                // An odd number of cells, from 5 to 15.
                let count = ((width - 12.0) / MAX_CELL_PITCH) as usize;
                let count = count.clamp(5, 16).saturating_sub(1) / 2 * 2 + 1;
                (count, ((width - 12.0) / count as f32).min(MAX_CELL_PITCH))
            }
            false => (15, 48.0),
        };
        let blocks = height * if is_narrow { 0.80 } else { 0.85 };
        Layout {
            first_token: Point::new(left + pitch / 2.0, tokens),
            pitch,
            null: Point::new(if is_narrow { 18.0 } else { 42.0 }, tokens),
            arcs_top: 34.0,
            tape: Point::new(if is_narrow { 6.0 } else { 40.0 }, tape),
            cell_count,
            cell_pitch,
            words: match is_narrow {
                true => Point::new(8.0, height * 0.60),
                false => Point::new(40.0 + 15.0 * 48.0 + 36.0, tape - 26.0),
            },
            blocks: Point::new(if is_narrow { 6.0 } else { 40.0 }, blocks),
            blocks_width: width - if is_narrow { 12.0 } else { 220.0 },
            button: match is_narrow {
                true => Point::new(width - 66.0, height - 22.0),
                false => Point::new(width - 96.0, blocks),
            },
            is_narrow,
        }
    }

    /// Centre of the token of a step.
    fn token(&self, step: usize) -> Point {
        Point::new(self.first_token.x + self.pitch * step as f32, self.first_token.y)
    }

    /// Area of block `at` of `count`.
    fn block(&self, at: usize, count: usize) -> Area {
        let pitch = (self.blocks_width / count.max(1) as f32).min(96.0);
        Area::new(self.blocks.x + pitch * at as f32, self.blocks.y - 22.0, pitch - 3.0, 44.0)
    }

    /// First cell of the part of the tape that is shown when the head is on cell `head`.
    fn first_cell(&self, head: usize) -> usize {
        let scrolled = self.cell_count / 3;
        (head / scrolled).saturating_sub(1) * scrolled
    }
}

/// The layout of the picture of this hero.
fn layout_of(hero: &MachineHero, frame: &Frame) -> Layout {
    Layout::new(hero.execution.steps + 1, frame)
}

/// The step whose token is nearest to a point.
pub(super) fn step_at(hero: &MachineHero, frame: &Frame, at: Point) -> usize {
    let layout = layout_of(hero, frame);
    let steps = (at.x - layout.first_token.x) / layout.pitch;
    // Of a number below 0 and of no number the step is 0.
    (steps + 0.5) as usize
}

/// Draws the picture at the time of the frame.
pub(super) fn draw(hero: &MachineHero, frame: &Frame) -> Scene {
    let mut scene = Scene::new(frame.width, frame.height);
    let layout = layout_of(hero, frame);
    let Some(moment) = hero.moment() else { return scene };
    let (at, share) = hero.block_at(frame);
    let Some(block) = moment.blocks.get(at) else { return scene };
    draw_arcs(&mut scene, hero, &layout, block);
    draw_tokens(&mut scene, hero, &layout, moment, block);
    // The head stays in the first block and moves in the second.
    let moved = match at {
        0 => 0.0,
        1 => smooth(share),
        _ => 1.0,
    };
    let head = draw_tape(&mut scene, hero, &layout, moved);
    if block.kind == BlockKind::Fetch {
        draw_fetched(&mut scene, hero, &layout, head, share);
    }
    draw_words(&mut scene, hero, &layout, moment);
    draw_blocks(&mut scene, hero, &layout, moment, at);
    draw_captions(&mut scene, hero, &layout);
    scene
}

/// Arcs from the newest token to past tokens: thin ones to all candidates, and thick ones to those to which the block attends.
fn draw_arcs(scene: &mut Scene, hero: &MachineHero, layout: &Layout, block: &BlockMoment) {
    let Some(null_weight) = block.null_weight else { return };
    let top = |step: usize| Point::new(layout.token(step).x, layout.token(step).y - TOKEN_HEIGHT / 2.0 - 2.0);
    let from = top(hero.step);
    let arc = |to: Point| {
        let distance = (from.x - to.x).abs();
        // A curve reaches three quarters of the height of its control points.
        let lift = (24.0 + 0.4 * distance).min((from.y - layout.arcs_top) / 0.75);
        // An arc from a token to itself is a loop.
        let aside = if distance < 1.0 { 16.0 } else { 0.0 };
        Shape::Curve([
            from,
            Point::new(from.x + aside, from.y - lift),
            Point::new(to.x - aside, from.y - lift),
            to,
        ])
    };
    for candidate in &block.candidates {
        scene.stroke(arc(top(*candidate)), Stroke::new(Ink::Quiet.at(0.6), 1.0));
    }
    for (token, weight) in &block.attended {
        if let Some(width) = ATTENTION.width_of(*weight) {
            scene.stroke(arc(top(*token)), Stroke::new(Ink::Mark, width));
        }
    }
    if let Some(width) = ATTENTION.width_of(null_weight) {
        let to = Point::new(layout.null.x, from.y);
        scene.stroke(arc(to), Stroke::new(Ink::Quiet, width).dashed(6.0, 4.0));
    }
}

/// The row of tokens up to the displayed step, and the circle for no token. The newest token is a handle: it can be dragged to
/// another step.
fn draw_tokens(scene: &mut Scene, hero: &MachineHero, layout: &Layout, moment: &Moment, block: &BlockMoment) {
    let (first, last) = (layout.token(0), layout.token(hero.end_step()));
    scene.line(first, last, Stroke::new(Ink::Grid, 2.0));
    scene.fill_and_stroke(Shape::Circle(layout.null, 8.0), Ink::Background, Stroke::new(Ink::Quiet, 1.5));
    let below = |x: f32| Point::new(x, layout.null.y + 25.0);
    scene.text(tr!("none"), below(layout.null.x), 11.0, Anchor::Middle, Ink::Quiet);
    let writers = moment.blocks.iter().find(|block| block.kind == BlockKind::Visited);
    let writers = writers.map(|block| block.candidates.as_slice()).unwrap_or_default();
    let width = (layout.pitch - 1.0).clamp(1.5, 34.0);
    for (step, token) in hero.moments.iter().enumerate().take(hero.step + 1) {
        let is_attended = block.attended.iter().any(|(other, weight)| *other == step && *weight >= ATTENDED);
        let fill: Colour = if is_attended {
            Ink::Mark.into()
        } else if block.candidates.contains(&step) {
            Ink::Text.into()
        } else if writers.contains(&step) {
            Ink::Quiet.at(0.5)
        } else {
            Ink::Grid.into()
        };
        let centre = layout.token(step);
        scene.fill(Shape::Box(Area::around(centre, width, TOKEN_HEIGHT), 1.5), fill);
        let is_dark = is_attended || block.candidates.contains(&step);
        if layout.pitch >= MIN_SYMBOL_PITCH && step > 0 {
            let symbol = hero.machine().format_symbols([token.record.written]);
            let ink = if is_dark { Ink::Background } else { Ink::Text };
            scene.bold_text(symbol, centre, 12.0, Anchor::Middle, ink);
        }
        if hero.edits.iter().any(|edit| edit.holder == Holder::Step(step)) {
            scene.fill(Shape::Circle(Point::new(centre.x, centre.y + 17.0), 3.0), Ink::Mark);
        }
    }
    let newest = layout.token(hero.step);
    let frame = Area::around(newest, width + 6.0, TOKEN_HEIGHT + 8.0);
    scene.stroke(Shape::Box(frame, 3.0), Stroke::new(Ink::Mark, 2.5));
    let step = hero.step;
    let label = below(newest.x.max(layout.null.x + 52.0).min(scene.width - 38.0));
    scene.bold_text(tr!("token {step}", step), label, 12.0, Anchor::Middle, Ink::Text);
    let touch = Point::new(newest.x.max(24.0).min(scene.width - 24.0), newest.y);
    let all = hero.end_step();
    let value = tr!("{step} of {all}", step, all);
    scene.target(
        "step",
        tr!("Step of the machine"),
        value,
        TargetKind::Handle,
        Area::around(touch, 44.0, 40.0),
    );
}

/// The tape with the head, which has moved by the share `moved` from its last cell; below each cell the number of the token that
/// holds its symbol. Returns the centre of the head.
fn draw_tape(scene: &mut Scene, hero: &MachineHero, layout: &Layout, moved: f32) -> Point {
    let head_after = |step: usize| hero.moments.get(step).map_or(0, |moment| moment.record.head);
    let (before, after) = (head_after(hero.step.saturating_sub(1)), head_after(hero.step));
    let between = |from: usize, to: usize| from as f32 + (to as f32 - from as f32) * moved;
    let offset = between(layout.first_cell(before), layout.first_cell(after));
    let pitch = layout.cell_pitch;
    let centre = |cell: f32| Point::new(layout.tape.x + (cell - offset + 0.5) * pitch, layout.tape.y);
    let tape = hero.tape();
    let machine = hero.machine();
    for (number, cell) in tape.iter().enumerate().skip(offset as usize).take(layout.cell_count + 1) {
        // A cell that is only partly inside is not drawn.
        let place = number as f32 - offset;
        if !(-0.01..=(layout.cell_count - 1) as f32 + 0.01).contains(&place) {
            continue;
        }
        let at = centre(number as f32);
        let outline = match hero.changed_cell == Some(number) {
            true => Stroke::new(Ink::Mark, 3.0).dashed(5.0, 3.0),
            false => Stroke::new(Ink::Quiet, 1.2),
        };
        scene.fill_and_stroke(Shape::Box(Area::around(at, CELL, CELL), 3.0), Ink::Background, outline);
        if cell.symbol != 0 {
            let symbol = machine.format_symbols([cell.symbol]);
            scene.bold_text(symbol, at, 20.0, Anchor::Middle, Ink::Text);
        }
        let below = Point::new(at.x, at.y + CELL / 2.0 + 11.0);
        match cell.holder {
            Holder::Step(step) => scene.text(step.to_string(), below, 12.0, Anchor::Middle, Ink::Quiet),
            Holder::Input(_) if cell.symbol != 0 => {
                scene.text(tr!("input"), below, 11.0, Anchor::Middle, Ink::Quiet);
            }
            Holder::Input(_) => {}
        }
        let name = match number == after {
            true => tr!("Cell {number}, under the head", number),
            false => tr!("Cell {number}", number),
        };
        let touch = Area::around(at, pitch - 1.0, CELL + 8.0);
        scene.target(
            format!("cell-{number}"),
            name,
            symbol_name(machine, cell.symbol),
            TargetKind::Press,
            touch,
        );
    }
    let head = centre(between(before, after));
    scene.stroke(Shape::Box(Area::around(head, CELL + 8.0, CELL + 8.0), 5.0), Stroke::new(Ink::Mark, 4.0));
    let state = hero.moment().map_or(0, |moment| moment.record.state);
    let state = cut(state_name(machine, state));
    let above = Point::new(head.x.max(70.0).min(scene.width - 70.0), head.y - CELL / 2.0 - 15.0);
    scene.bold_text(tr!("state {state}", state), above, 14.0, Anchor::Middle, Ink::Mark);
    head
}

/// The symbol on its way from the token that holds it to the cell under the head.
fn draw_fetched(scene: &mut Scene, hero: &MachineHero, layout: &Layout, head: Point, share: f32) {
    let found = hero.moment().map_or(0, |moment| moment.found);
    if !(1..=hero.step).contains(&found) {
        return;
    }
    let token = layout.token(found);
    let from = Point::new(token.x, token.y + TOKEN_HEIGHT / 2.0 + 2.0);
    let to = Point::new(head.x, head.y - CELL / 2.0 - 4.0);
    scene.line(from, to, Stroke::new(Ink::Mark.at(0.6), 2.0));
    scene.fill(Shape::Circle(from.towards(to, smooth(share)), 5.0), Ink::Mark);
}

/// Writes which symbol the head reads, from which token, and the next action of the machine.
fn draw_words(scene: &mut Scene, hero: &MachineHero, layout: &Layout, moment: &Moment) {
    let record = moment.record;
    let (state, symbol) =
        (cut(state_name(hero.machine(), record.state)), symbol_name(hero.machine(), record.symbol));
    let source = match moment.found {
        found if found != moment.last_writer => describe_wrong_search(moment),
        0 if record.symbol == 0 => tr!("no token has written this cell").to_string(),
        0 => tr!("from the input").into(),
        found => tr!("found in token {found}, which wrote it last", found),
    };
    let line = |number: f32| Point::new(layout.words.x, layout.words.y + 20.0 * number);
    let size = if layout.is_narrow { 13.0 } else { 14.0 };
    let read = tr!("state {state} reads {symbol}", state, symbol);
    scene.bold_text(read, line(0.0), size + 2.0, Anchor::Start, Ink::Text);
    scene.text(source, line(1.0), size, Anchor::Start, Ink::Text);
    scene.text(next_action(hero, record), line(2.0), size, Anchor::Start, Ink::Text);
    if !moment.is_right {
        let words = tr!("this token is wrong: a machine with a tape differs");
        scene.bold_text(words, line(3.0), size - 1.0, Anchor::Start, Ink::Mark);
    }
}

/// Short words on what the machine does next: "writes 0, moves right, then state C".
fn next_action(hero: &MachineHero, record: StepRecord) -> String {
    let machine = hero.machine();
    if !has_rule(machine, record) {
        return tr!("the machine has stopped").into();
    }
    let rule = machine.transition(record.state, record.symbol);
    let (symbol, state) = (symbol_name(machine, rule.write), cut(state_name(machine, rule.next)));
    match rule.step {
        HeadMove::Left => tr!("writes {symbol}, moves left, then state {state}", symbol, state),
        HeadMove::Right => tr!("writes {symbol}, moves right, then state {state}", symbol, state),
        HeadMove::Stay => tr!("writes {symbol}, stays, then state {state}", symbol, state),
    }
}

/// The row of blocks; blocks up to the shown one have computed their value.
fn draw_blocks(scene: &mut Scene, hero: &MachineHero, layout: &Layout, moment: &Moment, shown: usize) {
    let count = moment.blocks.len();
    for (at, block) in moment.blocks.iter().enumerate() {
        let (area, is_shown) = (layout.block(at, count), at == shown);
        let outline = if is_shown { Stroke::new(Ink::Mark, 3.0) } else { Stroke::new(Ink::Quiet, 1.2) };
        let fill = if at <= shown { Ink::Grid.at(0.6) } else { Ink::Background.into() };
        scene.fill_and_stroke(Shape::Box(area, 4.0), fill, outline);
        let centre = area.centre();
        if !layout.is_narrow {
            let name = short_name(block.kind);
            scene.text(name, Point::new(centre.x, centre.y - 11.0), 11.0, Anchor::Middle, Ink::Quiet);
        }
        let value = Point::new(centre.x, if layout.is_narrow { centre.y } else { centre.y + 9.0 });
        if at <= shown {
            let size = if block.value.chars().count() > 2 { 12.0 } else { 16.0 };
            scene.bold_text(block.value.clone(), value, size, Anchor::Middle, Ink::Text);
        }
        let is_chosen = hero.block == Some(at);
        let name = tr!("Block {number}: {name}", number = at + 1, name = block.kind.name());
        scene.target(format!("block-{at}"), name, block.value.clone(), TargetKind::Switch(is_chosen), area);
    }
    if let Some(block) = moment.blocks.get(shown) {
        let words =
            tr!("block {number} of {count}: {name}", number = shown + 1, count, name = block.kind.name());
        let below = Point::new(layout.blocks.x, layout.blocks.y + 37.0);
        scene.text(words, below, 12.0, Anchor::Start, Ink::Text);
    }
}

/// Short name of a block for its box.
fn short_name(kind: BlockKind) -> String {
    match kind {
        BlockKind::Apply => tr!("rule").into(),
        BlockKind::Move => tr!("move").into(),
        BlockKind::Visited => tr!("written?").into(),
        BlockKind::Search(round) => tr!("bit {number}", number = round + 1),
        BlockKind::Fetch => tr!("fetch").into(),
    }
}

/// Names of the parts, the scale of the arcs, and the button for the next step.
fn draw_captions(scene: &mut Scene, hero: &MachineHero, layout: &Layout) {
    let (step, end) = (hero.step, format_thousands(hero.end_step() as u64));
    let left = if layout.is_narrow { 8.0 } else { 40.0 };
    let title = match layout.is_narrow {
        true => tr!("one token for each step; no tape"),
        false => tr!("one token for each step of the machine; the transformer has no tape"),
    };
    scene.text(title, Point::new(left, 14.0), 13.0, Anchor::Start, Ink::Quiet);
    let right = Point::new(scene.width - 10.0, 14.0);
    scene.bold_text(tr!("step {step} of {end}", step, end), right, 13.0, Anchor::End, Ink::Text);
    let below = Point::new(left, layout.tape.y + CELL / 2.0 + 26.0);
    // In a low narrow picture the words on the step begin there.
    if !layout.is_narrow || layout.words.y - below.y >= MIN_LINE_DISTANCE {
        let words = tr!("the tape; below each cell the token that wrote it");
        scene.text(words, below, 11.0, Anchor::Start, Ink::Quiet);
    }
    let scale = tr!("thickest arc: attention 1");
    let corner = match layout.is_narrow {
        true => (Point::new(left, scene.height - 12.0), Anchor::Start),
        false => (Point::new(scene.width - 12.0, scene.height - 12.0), Anchor::End),
    };
    scene.text(scale, corner.0, 11.0, corner.1, Ink::Quiet);
    let words = match hero.step < hero.end_step() {
        true => tr!("next step"),
        false => tr!("start again"),
    };
    let area = Area::around(layout.button, 116.0, 36.0);
    scene.fill_and_stroke(Shape::Box(area, 6.0), Ink::Background, Stroke::new(Ink::Mark, 2.0));
    scene.bold_text(words, layout.button, 14.0, Anchor::Middle, Ink::Mark);
    scene.target("next", words, "", TargetKind::Press, area);
}

/// A name with at most [`MAX_NAME_LETTERS`] letters; a longer one is cut.
fn cut(name: &str) -> String {
    match name.chars().count() > MAX_NAME_LETTERS {
        true => format!("{}…", name.chars().take(MAX_NAME_LETTERS - 1).collect::<String>()),
        false => name.into(),
    }
}
