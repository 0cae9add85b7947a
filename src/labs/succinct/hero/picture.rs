//! The drawing of an executed program: the test input and the grid on the left, the program in the middle, the answer on
//! the right, the time below; on a phone from top to bottom.

use super::ProgramHero;
use crate::succinct::panel::sentences::format_label;
use vivarium_model::models::recurrent_conv::Chosen;
use vivarium_plot::scene::{Anchor, Area, Ink, Item, Point, Scene, Shape, Stroke, TargetKind, smooth};
use vivarium_view::display::hero::Frame;
use vivarium_view::display::words::format_thousands;

/// Largest width and height of a cell of the grid in CSS pixels.
const MAX_CELL: f32 = 36.0;
/// Smallest width of a cell on a wide screen in CSS pixels, so that the test input's cells can be touched.
const MIN_CELL: f32 = 24.0;
/// Strength of the colour of a cell with a sign.
const TINT: f32 = 0.45;
/// Strength of what is in a rejected column, relative to other columns.
const PALE: f32 = 0.35;
/// The head jumps if a step takes less than this many milliseconds.
const SLIDE_MS: f64 = 125.0;
/// Duration of the frame around the column of a flipped input, in milliseconds.
const FLIP_MS: f64 = 400.0;
/// Width of the rules in the listing of the program in CSS pixels; comments are to the right of it.
const RULE_WIDTH: f32 = 150.0;
/// Smallest width of the listing in CSS pixels; a narrower place has no listing.
const MIN_LISTING: f32 = 190.0;
/// Estimated width of a letter, relative to the size of the font.
const LETTER: f32 = 0.54;

/// Where the parts of the picture are.
struct Layout {
    /// Area of the grid, with the ring of blank cells.
    grid: Area,
    /// Width and height of a cell.
    cell: (f32, f32),
    /// Height of the text above the cells of the test input that names the parts.
    caption: f32,
    /// Height of the centres of the cells of the test input.
    query: f32,
    /// Height of a cell of the test input.
    query_height: f32,
    /// Area of the program's lines; `None` if there is no room for them.
    listing: Option<Area>,
    /// Centre of the answer's tile.
    answer: Point,
    /// Centre of the label's tile.
    label: Point,
    /// Size of the answer's tile.
    tile: f32,
    /// Left end of the first of the lines that say what happens.
    facts: Point,
    /// Ends of the line of time.
    time: [Point; 2],
    /// Area of the button that stops and continues the movement.
    play: Area,
    /// Whether the parts are from top to bottom.
    is_narrow: bool,
}

impl Layout {
    /// The layout for a grid of this many rows and columns in a picture of this size.
    fn new((rows, columns): (usize, usize), frame: &Frame) -> Layout {
        let (rows_f, columns_f) = (rows.max(1) as f32, columns.max(1) as f32);
        let Frame { width, height, .. } = *frame;
        let is_narrow = frame.is_narrow();
        let (left, top, below) = if is_narrow { (44.0, 64.0, 122.0) } else { (72.0, 80.0, 60.0) };
        let high = ((height - top - below) / rows_f).clamp(1.0, MAX_CELL);
        let wide = match is_narrow {
            true => ((width - left - 8.0) / columns_f).min(MAX_CELL),
            false => high.max(MIN_CELL).min((0.3 * width / columns_f).max(MIN_CELL)),
        };
        let grid = Area::new(left, top, wide * columns_f, high * rows_f);
        let (caption, query, query_height) = if is_narrow { (9.0, 46.0, 26.0) } else { (14.0, 60.0, 28.0) };
        let mut listing = None;
        let (answer, label, tile, facts) = if is_narrow {
            let y = grid.bottom() + 60.0;
            (Point::new(92.0, y), Point::new(216.0, y), 28.0, Point::new(8.0, grid.bottom() + 12.0))
        } else {
            // The caption above the grid can be wider than the grid.
            let (from, to) = ((grid.right() + 40.0).max(410.0), 0.74 * width);
            let area = Area::new(from, 28.0, to - from, height - 86.0);
            listing = (area.width >= MIN_LISTING).then_some(area);
            let (x, y) = (0.77 * width, 0.28 * height);
            (Point::new(x + 28.0, y), Point::new(x + 112.0, y), 56.0, Point::new(x, y + 84.0))
        };
        let y = height - if is_narrow { 22.0 } else { 26.0 };
        Layout {
            grid,
            cell: (wide, high),
            caption,
            query,
            query_height,
            listing,
            answer,
            label,
            tile,
            facts,
            time: [Point::new(80.0, y), Point::new(width - 32.0, y)],
            play: Area::around(Point::new(28.0, y), 40.0, 36.0),
            is_narrow,
        }
    }

    /// Centre of a cell of the grid; row and column count from 0 with the ring.
    fn centre(&self, (row, column): (usize, usize)) -> Point {
        let (wide, high) = self.cell;
        Point::new(self.grid.left + (column as f32 + 0.5) * wide, self.grid.top + (row as f32 + 0.5) * high)
    }

    /// Area of a column of the table, without the ring.
    fn column(&self, column: usize) -> Area {
        let (wide, high) = self.cell;
        let left = self.grid.left + column as f32 * wide;
        Area::new(left, self.grid.top + high, wide, self.grid.height - 2.0 * high)
    }

    /// Point of the line of time after a share of the execution.
    fn time(&self, share: f32) -> Point {
        self.time[0].towards(self.time[1], share.clamp(0.0, 1.0))
    }
}

/// The time of an execution with times from 0 to `total` to which the handle is dragged by a pointer at this point.
pub(super) fn time_at(total: usize, point: Point, frame: &Frame) -> usize {
    // The line of time is in the same place for all grids.
    let [from, to] = Layout::new((1, 1), frame).time;
    let share = ((point.x - from.x) / (to.x - from.x).max(1.0)).clamp(0.0, 1.0);
    libm::roundf(share * total as f32) as usize
}

/// State that is shown at the time of a frame.
struct Shown {
    /// Time of the execution, in steps of the run.
    time: usize,
    /// Share of the next step that is done, from 0 to 1; 0 if steps are too fast for a movement.
    share: f32,
    /// Columns that are rejected, counted from 1.
    rejected: Vec<usize>,
    /// Line of the program that the next layer applies, from 1.
    line: Option<usize>,
    /// Whether the execution has ended.
    has_ended: bool,
}

/// Draws the picture at the time of the frame.
pub(super) fn draw(hero: &ProgramHero, frame: &Frame) -> Scene {
    let mut scene = Scene::new(frame.width, frame.height);
    let layout = Layout::new(hero.course.size(), frame);
    let (time, share) = hero.play.position(frame.now_ms, frame.is_still);
    let shown = Shown {
        time,
        share: if hero.play.step_ms < SLIDE_MS { 0.0 } else { smooth(share) },
        rejected: hero.course.rejected(time),
        line: hero.line_at(time),
        has_ended: time >= hero.course.total(),
    };
    draw_query(&mut scene, hero, &layout);
    draw_cells(&mut scene, hero, &layout, &shown);
    draw_marks(&mut scene, hero, &layout, &shown, frame);
    draw_listing(&mut scene, hero, &layout, &shown);
    draw_answer(&mut scene, hero, &layout, &shown);
    draw_facts(&mut scene, hero, &layout, &shown);
    draw_time(&mut scene, hero, &layout, &shown);
    scene
}

/// The first `letters` letters of a text, with an ellipsis if it is longer.
fn clip(text: &str, letters: usize) -> String {
    match text.chars().count() <= letters {
        true => text.into(),
        false => text.chars().take(letters.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// A tile of a number ±1: filled for +1, hollow for −1.
fn draw_tile(scene: &mut Scene, area: Area, is_plus: bool, text: &str, outline: Stroke) {
    let (fill, ink) = if is_plus { (Ink::Text, Ink::Background) } else { (Ink::Background, Ink::Text) };
    scene.fill_and_stroke(Shape::Box(area, 4.0), fill, outline);
    let size = (area.height * 0.5).clamp(12.0, 22.0);
    scene.bold_text(text, area.centre(), size, Anchor::Middle, ink);
}

/// The cells of the test input above their columns, with the numbers of the inputs.
fn draw_query(scene: &mut Scene, hero: &ProgramHero, layout: &Layout) {
    let count = hero.machine.problem.examples;
    let caption = tr!("{count} examples, each times its label and the query", count);
    let (left, size) = if layout.is_narrow { (8.0, 11.0) } else { (layout.grid.left, 13.0) };
    scene.text(caption, Point::new(left, layout.caption), size, Anchor::Start, Ink::Quiet);
    let side = layout.grid.left - 6.0;
    scene.text(tr!("query"), Point::new(side, layout.query), 11.0, Anchor::End, Ink::Text);
    for (input, entry) in hero.course.query.iter().enumerate() {
        let (number, is_plus) = (input + 1, *entry > 0);
        let centre = Point::new(layout.centre((0, number)).x, layout.query);
        let above = Point::new(centre.x, layout.query - layout.query_height / 2.0 - 8.0);
        scene.text(number.to_string(), above, 11.0, Anchor::Middle, Ink::Quiet);
        let outline = match hero.flipped {
            Some((flipped, _)) if flipped == input => Stroke::new(Ink::Mark, 3.0),
            _ => Stroke::new(Ink::Text, 1.4),
        };
        let area = Area::around(centre, layout.cell.0 - 4.0, layout.query_height - 2.0);
        draw_tile(scene, area, is_plus, if is_plus { "+" } else { "−" }, outline);
        let value = if is_plus { tr!("plus 1") } else { tr!("minus 1") };
        let touch = Area::around(Point::new(centre.x, centre.y - 6.0), layout.cell.0, 44.0);
        scene.target(
            format!("input-{input}"),
            tr!("Input {number}", number),
            value,
            TargetKind::Switch(is_plus),
            touch,
        );
    }
}

/// The sign of a symbol in a cell: 1, −1, or 0 if the symbol has none.
fn sign_of(program: Chosen, symbol: char) -> f32 {
    match (program, symbol) {
        (_, '+') | (Chosen::Parity, 'P' | 'T' | 'U') => 1.0,
        (_, '-') | (Chosen::Parity, 'p' | 't' | 'u' | '#') => -1.0,
        _ => 0.0,
    }
}

/// The cells of the grid with their symbols; cells of rejected columns are pale.
fn draw_cells(scene: &mut Scene, hero: &ProgramHero, layout: &Layout, shown: &Shown) {
    let (rows, columns) = hero.course.size();
    let symbols: Vec<char> = hero
        .course
        .symbols(shown.time)
        .into_iter()
        .map(|symbol| hero.machine.program.symbol_name(symbol))
        .collect();
    let is_table = |at: usize| (1..rows - 1).contains(&(at / columns));
    let strength = |at: usize| match is_table(at) && shown.rejected.contains(&(at % columns)) {
        true => PALE,
        false => 1.0,
    };
    let value =
        |(at, symbol): (usize, &char)| sign_of(hero.machine.net.program, *symbol) * TINT * strength(at);
    let values = symbols.iter().enumerate().map(value).collect();
    scene.items.push(Item {
        shape: Shape::Cells { area: layout.grid, columns, values },
        stroke: None,
        fill: None,
    });
    let (grid, line) = (layout.grid, Stroke::new(Ink::Grid, 1.0));
    for row in 0..=rows {
        let y = grid.top + row as f32 * layout.cell.1;
        scene.line(Point::new(grid.left, y), Point::new(grid.right(), y), line);
    }
    for column in 0..=columns {
        let x = grid.left + column as f32 * layout.cell.0;
        scene.line(Point::new(x, grid.top), Point::new(x, grid.bottom()), line);
    }
    let size = (layout.cell.0.min(layout.cell.1) * 0.6).clamp(11.0, 20.0);
    for (at, symbol) in symbols.iter().enumerate() {
        let text = match symbol {
            '_' => continue,
            '-' => "−".into(),
            symbol => symbol.to_string(),
        };
        let centre = layout.centre((at / columns, at % columns));
        scene.text(text, centre, size, Anchor::Middle, Ink::Text.at(strength(at)));
    }
    // Row m + 1 of the table holds the test input.
    for row in 1..rows - 1 {
        let is_query = row + 2 == rows;
        let name = if is_query { tr!("query").into() } else { row.to_string() };
        let ink = if row <= shown.time { Ink::Text } else { Ink::Quiet };
        let at = Point::new(grid.left - 6.0, layout.centre((row, 0)).y);
        scene.text(name, at, 11.0, Anchor::End, ink);
    }
}

/// Struck columns, the accepted column, the column of a flipped input, and the frame of the head.
fn draw_marks(scene: &mut Scene, hero: &ProgramHero, layout: &Layout, shown: &Shown, frame: &Frame) {
    let (rows, columns) = hero.course.size();
    for column in &shown.rejected {
        let area = layout.column(*column);
        let x = area.centre().x;
        let (from, to) = (Point::new(x, area.top + 3.0), Point::new(x, area.bottom() - 3.0));
        scene.line(from, to, Stroke::new(Ink::Quiet, 2.5));
    }
    if hero.machine.net.program == Chosen::Dictator {
        let accepted =
            hero.course.events.iter().filter(|event| !event.is_rejected && event.time <= shown.time);
        for event in accepted {
            scene.stroke(Shape::Box(layout.column(event.column), 3.0), Stroke::new(Ink::Text, 2.5));
        }
    }
    if let Some((input, since_ms)) = hero.flipped {
        let left = 1.0 - frame.moved(since_ms, FLIP_MS);
        if left > 0.0 {
            let area = layout.column(input + 1);
            scene.stroke(Shape::Box(area, 3.0), Stroke::new(Ink::Mark.at(left), 3.0));
        }
    }
    let is_inside = |(row, column): (usize, usize)| row < rows && column < columns;
    if let Some(moment) = hero.course.moment(shown.time).filter(|moment| is_inside(moment.head)) {
        let from = layout.centre(moment.head);
        let next =
            hero.course.moment(shown.time + 1).filter(|next| shown.share > 0.0 && is_inside(next.head));
        let at = next.map_or(from, |next| from.towards(layout.centre(next.head), shown.share));
        let area = Area::around(at, layout.cell.0, layout.cell.1);
        scene.stroke(Shape::Box(area, 4.0), Stroke::new(Ink::Mark, 3.5));
    }
}

/// The lines of the program, of which the next one to be applied is marked; only those around it if there are too many.
fn draw_listing(scene: &mut Scene, hero: &ProgramHero, layout: &Layout, shown: &Shown) {
    let Some(area) = layout.listing else { return };
    let states = hero.machine.program.state_names().len();
    let caption = tr!("a program with {states} states", states);
    scene.text(caption, Point::new(area.left, layout.caption), 13.0, Anchor::Start, Ink::Quiet);
    let count = hero.lines.len().max(1);
    let pitch = (area.height / count as f32).clamp(12.0, 16.0);
    let capacity = ((area.height / pitch) as usize).max(1);
    let current = shown.line.map_or(0, |line| line - 1);
    let start = (current / capacity * capacity).min(count.saturating_sub(capacity));
    let size = (pitch - 2.5).clamp(11.0, 13.0);
    let letters = |width: f32| (width / (LETTER * size)).max(0.0) as usize;
    let comment_width = area.width - RULE_WIDTH - 32.0;
    for (place, line) in hero.lines.iter().skip(start).take(capacity).enumerate() {
        let y = area.top + (place as f32 + 0.5) * pitch;
        let at = |x: f32| Point::new(area.left + x, y);
        let is_current = shown.line == Some(line.number);
        if is_current {
            let back = Area::new(area.left, y - pitch / 2.0, area.width, pitch);
            scene.fill_and_stroke(Shape::Box(back, 3.0), Ink::Mark.at(0.2), Stroke::new(Ink::Mark, 1.5));
        }
        scene.text(line.number.to_string(), at(22.0), size, Anchor::End, Ink::Quiet);
        let rule = clip(&line.rule, letters(RULE_WIDTH));
        match is_current {
            true => scene.bold_text(rule, at(32.0), size, Anchor::Start, Ink::Text),
            false => scene.text(rule, at(32.0), size, Anchor::Start, Ink::Text),
        }
        if !line.comment.is_empty() && comment_width > 60.0 {
            let comment = clip(&line.comment, letters(comment_width));
            scene.text(comment, at(32.0 + RULE_WIDTH), size, Anchor::Start, Ink::Quiet);
        }
    }
}

/// The answer at the end of the execution, dashed until the program has ended, and the label.
fn draw_answer(scene: &mut Scene, hero: &ProgramHero, layout: &Layout, shown: &Shown) {
    let course = &hero.course;
    let area = Area::around(layout.answer, layout.tile, layout.tile);
    let text = course.answer.map_or("–", format_label);
    match shown.has_ended {
        true => draw_tile(scene, area, course.answer == Some(1), text, Stroke::new(Ink::Mark, 3.0)),
        false => draw_tile(scene, area, false, text, Stroke::new(Ink::Quiet, 2.0).dashed(4.0, 4.0)),
    }
    let side = layout.tile * 0.75;
    let area = Area::around(layout.label, side, side);
    draw_tile(scene, area, course.label > 0, format_label(course.label), Stroke::new(Ink::Text, 1.4));
    let at_end = match shown.has_ended {
        true => tr!("answer"),
        false => tr!("at the end"),
    };
    let [answer, label] = match layout.is_narrow {
        true => [Point::new(8.0, layout.answer.y), Point::new(layout.label.x - 70.0, layout.label.y)],
        false => [layout.answer, layout.label].map(|centre| Point::new(centre.x, centre.y + 44.0)),
    };
    let anchor = if layout.is_narrow { Anchor::Start } else { Anchor::Middle };
    let size = if layout.is_narrow { 11.0 } else { 13.0 };
    scene.text(at_end, answer, size, anchor, Ink::Quiet);
    scene.text(tr!("true label"), label, size, anchor, Ink::Quiet);
}

/// Describes the current layer: layer, state and symbol, and the rejected columns; on a phone also the line.
fn draw_facts(scene: &mut Scene, hero: &ProgramHero, layout: &Layout, shown: &Shown) {
    let (course, program) = (&hero.course, &hero.machine.program);
    let place = match shown.time.checked_sub(course.rows).filter(|layer| *layer > 0) {
        Some(layer) => tr!(
            "layer {layer} of {layers}",
            layer = format_thousands(layer as u64),
            layers = format_thousands(course.layers() as u64)
        ),
        None => tr!("SGD has stored {count} of {rows} rows", count = shown.time, rows = course.rows),
    };
    let rejected: Vec<String> = shown.rejected.iter().map(ToString::to_string).collect();
    let rejected = (!rejected.is_empty()).then(|| match hero.machine.net.program {
        Chosen::Parity => tr!("no pivot: {columns}", columns = rejected.join(", ")),
        _ => tr!("rejected: {columns}", columns = rejected.join(", ")),
    });
    let line = shown.line.and_then(|line| hero.lines.get(line - 1));
    let doing = match (course.moment(shown.time), line) {
        (Some(_), Some(line)) if layout.is_narrow => {
            tr!("line {line}: {rule}", line = line.number, rule = clip(&line.rule, 30))
        }
        (Some(moment), Some(line)) => tr!(
            "line {line}: state {state} reads {symbol}",
            line = line.number,
            state = program.state_name(moment.state),
            symbol = program.symbol_name(moment.read)
        ),
        (Some(_), None) if course.is_halting => tr!("the program has halted").into(),
        (Some(_), None) => tr!("the program has stopped").into(),
        (None, _) => tr!("then the program runs").into(),
    };
    if layout.is_narrow {
        scene.bold_text(doing, layout.facts, 13.0, Anchor::Start, Ink::Text);
        let below = Point::new(layout.facts.x, layout.facts.y + 20.0);
        scene.text(place, below, 11.0, Anchor::Start, Ink::Text);
        if let Some(rejected) = rejected {
            let end = Point::new(scene.width - 8.0, below.y);
            scene.text(rejected, end, 11.0, Anchor::End, Ink::Text);
        }
        return;
    }
    let facts = [Some(place), Some(doing), rejected];
    for (number, fact) in facts.into_iter().flatten().enumerate() {
        let at = Point::new(layout.facts.x, layout.facts.y + 22.0 * number as f32);
        match number {
            0 => scene.bold_text(fact, at, 14.0, Anchor::Start, Ink::Text),
            _ => scene.text(fact, at, 13.0, Anchor::Start, Ink::Text),
        }
    }
}

/// The line of time with a mark for each decision on a column, its handle, and the button beside it.
fn draw_time(scene: &mut Scene, hero: &ProgramHero, layout: &Layout, shown: &Shown) {
    let course = &hero.course;
    let total = course.total().max(1) as f32;
    let at = layout.time(shown.time as f32 / total);
    scene.line(layout.time[0], layout.time[1], Stroke::new(Ink::Grid, 4.0));
    scene.line(layout.time[0], at, Stroke::new(Ink::Quiet, 4.0));
    let mark = |scene: &mut Scene, time: usize, half: f32, stroke: Stroke| {
        let Point { x, y } = layout.time(time as f32 / total);
        scene.line(Point::new(x, y - half), Point::new(x, y + half), stroke);
    };
    mark(scene, course.rows, 9.0, Stroke::new(Ink::Quiet, 1.5));
    for event in &course.events {
        let ink = if event.is_rejected { Ink::Quiet } else { Ink::Text };
        mark(scene, event.time, if event.is_rejected { 5.0 } else { 9.0 }, Stroke::new(ink, 2.0));
    }
    scene.fill_and_stroke(Shape::Circle(at, 9.0), Ink::Mark, Stroke::new(Ink::Background, 1.5));
    let button = Area::around(layout.play.centre(), 34.0, 28.0);
    scene.fill_and_stroke(Shape::Box(button, 5.0), Ink::Background, Stroke::new(Ink::Text, 1.4));
    let Point { x, y } = button.centre();
    match hero.is_paused {
        true => {
            let triangle = [(-5.0, -7.0), (-5.0, 7.0), (8.0, 0.0)].map(|(dx, dy)| Point::new(x + dx, y + dy));
            scene.fill(Shape::Path(triangle.into()), Ink::Text);
        }
        false => {
            for dx in [-4.5, 4.5] {
                scene.line(
                    Point::new(x + dx, y - 6.0),
                    Point::new(x + dx, y + 6.0),
                    Stroke::new(Ink::Text, 4.0),
                );
            }
        }
    }
    let value = if hero.is_paused { tr!("stopped") } else { tr!("running") };
    scene.target("play", tr!("Run the program"), value, TargetKind::Switch(!hero.is_paused), layout.play);
    let value = match shown.time.checked_sub(course.rows).filter(|layer| *layer > 0) {
        Some(layer) => tr!("layer {layer}", layer = format_thousands(layer as u64)),
        None => tr!("row {row} of the table", row = shown.time),
    };
    scene.target("time", tr!("Time"), value, TargetKind::Handle, Area::around(at, 44.0, 36.0));
}
