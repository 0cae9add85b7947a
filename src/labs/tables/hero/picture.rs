//! The drawing of the maps of a table: the shown row on the left, the maps of network and forest in the middle, both answers
//! on the right; on a phone from top to bottom.

use super::{EDGE, FOREST, MAX_TREES, NETWORK, TableHero};
use vivarium_plot::scene::{Anchor, Area, Ink, Point, Scene, Shape, Stroke, TargetKind};
use vivarium_view::display::hero::Frame;
use vivarium_view::display::words::format_signed;

/// Key of the handle of the shown row on the network's map.
pub(super) const POINT: &str = "point";
/// Key of the switch between the values of the row and medians.
pub(super) const MEDIANS: &str = "medians";
/// Beginning of the keys of columns; the index of the column, from 0, follows.
pub(super) const COLUMN: &str = "column-";

/// Largest number of columns in the list of the shown row.
const LISTED: usize = 12;
/// Largest number of columns in the list on a phone, in two rows.
const NARROW_LISTED: usize = 10;
/// Number of training rows that are drawn on each map.
const POINTS: usize = 120;
/// Radius of the point of a training row in CSS pixels.
const POINT_RADIUS: f32 = 2.5;
/// Radius of the shown row in CSS pixels.
const ROW_RADIUS: f32 = 8.0;
/// Size of the area around the shown row that reacts to touches, in CSS pixels.
const HANDLE: f32 = 44.0;
/// Strength of the colour of a cell whose class has the probability 1; the points of the rows are stronger.
const CELL_STRENGTH: f32 = 0.5;
/// Duration of the movement of the bars to new answers, in milliseconds.
const ANSWER_MS: f64 = 120.0;
/// Largest number of letters of a column's name in the picture.
const NAME_LETTERS: usize = 16;
/// Height of the parts of the right column together, in CSS pixels.
const COLUMN_HEIGHT: f32 = 330.0;

/// Where the parts of the picture are.
pub(super) struct Layout {
    /// Squares of the maps of network and forest.
    maps: [Area; 2],
    /// Entries of the list of columns.
    columns: Vec<Area>,
    /// Bars of both answers.
    bars: [Area; 2],
    /// Switch between the values of the row and medians.
    switch: Area,
    /// Point at which the text on the shown row begins.
    row_text: Point,
    /// Whether the parts are from top to bottom.
    is_narrow: bool,
}

impl Layout {
    /// The layout of a picture of this size.
    pub(super) fn new(frame: &Frame) -> Layout {
        if frame.is_narrow() { Layout::narrow(frame) } else { Layout::wide(frame) }
    }

    /// From left to right: list of columns, maps, answers.
    fn wide(frame: &Frame) -> Layout {
        let Frame { width, height, .. } = *frame;
        let side = (height - 100.0).min(0.24 * width).clamp(1.0, 340.0);
        let top = (height - side) / 2.0 + 12.0;
        let (left, gap) = (0.235 * width, 0.03 * width);
        let map = |at: f32| Area::new(left + at * (side + gap), top, side, side);
        let pitch = ((height - 48.0) / LISTED as f32).clamp(1.0, 34.0);
        let first = (height - pitch * LISTED as f32) / 2.0 + 14.0;
        let entry = |at: usize| Area::new(0.03 * width, first + pitch * at as f32, 0.175 * width, pitch);
        let (x, across) = (left + 2.0 * side + 2.0 * gap, 0.97 * width - left - 2.0 * (side + gap));
        let above = ((height - COLUMN_HEIGHT) / 2.0).max(0.0);
        let bar = |y: f32| Area::new(x, above + y, across, 16.0);
        Layout {
            maps: [map(0.0), map(1.0)],
            columns: (0..LISTED).map(entry).collect(),
            bars: [bar(50.0), bar(136.0)],
            switch: Area::new(x, above + 250.0, across.min(260.0), 40.0),
            row_text: Point::new(x, above + 208.0),
            is_narrow: false,
        }
    }

    /// From top to bottom: maps, bars, switch, columns.
    fn narrow(frame: &Frame) -> Layout {
        let Frame { width, height, .. } = *frame;
        let side = ((width - 24.0) / 2.0).min(height - 280.0).clamp(1.0, 220.0);
        let map = |at: f32| Area::new(width / 2.0 - side - 4.0 + at * (side + 8.0), 40.0, side, side);
        let below = 40.0 + side;
        let bar = |y: f32| Area::new(74.0, below + y - 6.0, width - 74.0 - 132.0, 12.0);
        let top = below + 116.0;
        let (across, down) = ((width - 16.0) / 5.0, ((height - 4.0 - top) / 2.0).max(1.0));
        let entry = |at: usize| {
            let (column, row) = ((at % 5) as f32, (at / 5) as f32);
            Area::new(8.0 + across * column, top + down * row, across, down)
        };
        Layout {
            maps: [map(0.0), map(1.0)],
            columns: (0..NARROW_LISTED).map(entry).collect(),
            bars: [bar(33.0), bar(53.0)],
            switch: Area::new(width / 2.0, below + 68.0, width / 2.0 - 8.0, 42.0),
            row_text: Point::new(8.0, below + 80.0),
            is_narrow: true,
        }
    }

    /// Values of both columns at a point of the network's map, which may be outside.
    pub(super) fn values_at(&self, point: Point) -> [f32; 2] {
        let map = &self.maps[NETWORK];
        let share = |at: f32, from: f32, length: f32| 2.0 * (at - from) / length.max(1.0) - 1.0;
        [EDGE * share(point.x, map.left, map.width), -EDGE * share(point.y, map.top, map.height)]
    }

    /// The point of these values on a map, at most at its edge.
    fn place(map: &Area, [x, y]: [f32; 2]) -> Point {
        let share = |value: f32| (value.clamp(-EDGE, EDGE) / EDGE + 1.0) / 2.0;
        Point::new(map.left + map.width * share(x), map.top + map.height * share(-y))
    }
}

/// Draws the picture at the time of the frame.
pub(super) fn draw(hero: &TableHero, frame: &Frame) -> Scene {
    let mut scene = Scene::new(frame.width, frame.height);
    let layout = Layout::new(frame);
    draw_maps(&mut scene, hero, &layout);
    draw_columns(&mut scene, hero, &layout);
    draw_answers(&mut scene, hero, &layout, frame);
    draw_switch(&mut scene, hero, &layout);
    scene
}

/// A name of a column, shortened to this many letters.
fn shorten(name: &str, letters: usize) -> String {
    match name.chars().count() > letters {
        true => name.chars().take(letters.saturating_sub(1)).chain(['…']).collect(),
        false => name.into(),
    }
}

/// Both maps with the training rows and the shown row, and the names of their columns.
fn draw_maps(scene: &mut Scene, hero: &TableHero, layout: &Layout) {
    let names = [
        tr!("network").to_string(),
        tr!("forest: {trees} of {all} trees", trees = hero.trees.len(), all = MAX_TREES),
    ];
    let [across, up] = hero.axes;
    let values = [hero.value(across), hero.value(up)];
    for ((map, name), cells) in layout.maps.iter().zip(names).zip(&hero.maps) {
        let values_drawn = cells.iter().map(|value| CELL_STRENGTH * value).collect();
        let shape = Shape::Cells { area: *map, columns: hero.resolution, values: values_drawn };
        scene.fill(shape, Ink::Background);
        scene.stroke(Shape::Box(*map, 0.0), Stroke::new(Ink::Quiet, 1.0));
        let rows = hero.training.x.chunks_exact(hero.column_count().max(1)).zip(&hero.training.y);
        for (row, label) in rows.take(POINTS) {
            let value = |column: usize| row.get(column).copied().unwrap_or(0.0);
            let at = Layout::place(map, [value(across), value(up)]);
            let outline = Stroke::new(Ink::Background, 0.8);
            scene.fill_and_stroke(Shape::Circle(at, POINT_RADIUS), Ink::of_sign(*label), outline);
        }
        let at = Layout::place(map, values);
        let fill = hero.label().map_or(Ink::Background, Ink::of_sign);
        scene.fill_and_stroke(Shape::Circle(at, ROW_RADIUS), fill, Stroke::new(Ink::Mark, 3.5));
        let (name_above, axis_above) = if layout.is_narrow { (28.0, 10.0) } else { (34.0, 13.0) };
        let title = Point::new(map.left + map.width / 2.0, map.top - name_above);
        scene.bold_text(name, title, 13.0, Anchor::Middle, Ink::Text);
        let vertical = tr!("↑ {name}", name = shorten(&hero.name(up), NAME_LETTERS));
        scene.text(vertical, Point::new(map.left, map.top - axis_above), 12.0, Anchor::Start, Ink::Quiet);
        let horizontal = tr!("{name} →", name = shorten(&hero.name(across), NAME_LETTERS));
        let below = Point::new(map.right(), map.bottom() + 12.0);
        scene.text(horizontal, below, 12.0, Anchor::End, Ink::Quiet);
        let range = match hero.is_standardized {
            true => tr!("±{edge} SD", edge = EDGE),
            false => tr!("−{edge} to {edge}", edge = EDGE),
        };
        scene.text(range, Point::new(map.left, below.y), 11.0, Anchor::Start, Ink::Quiet);
    }
    // The maps change with the row that is shown, unless the other columns are at their medians.
    let (others, at, anchor) = match layout.is_narrow {
        true => (hero.describe_others(), Point::new(8.0, layout.row_text.y + 17.0), Anchor::Start),
        false => {
            let [first, last] = layout.maps;
            let middle = (first.left + last.right()) / 2.0;
            (hero.describe_others(), Point::new(middle, first.bottom() + 29.0), Anchor::Middle)
        }
    };
    scene.text(others, at, 12.0, anchor, Ink::Quiet);
    // The area stays near the map, so that it overlaps nothing else.
    let map = &layout.maps[NETWORK];
    let at = Layout::place(map, values);
    let within = |at: f32, from: f32, to: f32| (at - HANDLE / 2.0).min(to + 8.0 - HANDLE).max(from - 8.0);
    let (left, top) = (within(at.x, map.left, map.right()), within(at.y, map.top, map.bottom()));
    let area = Area::new(left, top, HANDLE, HANDLE);
    scene.target(POINT, tr!("Row on the map"), hero.describe_point(), TargetKind::Handle, area);
}

/// The list of the columns of the input: name and value of each, the most relevant first. A press puts a column on the
/// maps.
fn draw_columns(scene: &mut Scene, hero: &TableHero, layout: &Layout) {
    let input = hero.input();
    let [across, up] = hero.axes;
    for (area, column) in layout.columns.iter().zip(hero.order.iter().copied()) {
        let value = input.get(column).copied().unwrap_or(0.0);
        let words = format_signed(value, 2);
        let name = hero.name(column);
        let mark = match column {
            column if column == across => "→ ",
            column if column == up => "↑ ",
            _ => "",
        };
        let inner = Area::new(area.left + 1.0, area.top + 1.5, area.width - 2.0, area.height - 3.0);
        let outline = match mark.is_empty() {
            true => Stroke::new(Ink::Grid, 1.0),
            false => Stroke::new(Ink::Mark, 2.5),
        };
        scene.fill_and_stroke(Shape::Box(inner, 4.0), Ink::Background, outline);
        let is_relevant = hero.relevant.contains(&column);
        let size = if layout.is_narrow { 11.0 } else { 12.0 };
        let mut write = |text: String, at: Point, anchor: Anchor| match is_relevant {
            true => scene.bold_text(text, at, size, anchor, Ink::Text),
            false => scene.text(text, at, size, anchor, Ink::Text),
        };
        let middle = area.centre();
        if layout.is_narrow {
            let quarter = area.height / 4.0;
            write(shorten(&name, 9), Point::new(middle.x, middle.y - quarter + 2.0), Anchor::Middle);
            let colour = Ink::of_sign(value);
            scene.text(
                format!("{mark}{words}"),
                Point::new(middle.x, middle.y + quarter - 2.0),
                12.0,
                Anchor::Middle,
                colour,
            );
        } else {
            let letters = if area.width < 180.0 { 8 } else { 12 };
            let shown = format!("{mark}{}", shorten(&name, letters));
            write(shown, Point::new(area.left + 6.0, middle.y), Anchor::Start);
            let zero = area.left + 0.66 * area.width;
            let length = 0.12 * area.width * value.clamp(-EDGE, EDGE) / EDGE;
            let bar = Area::new(zero + length.min(0.0), middle.y - 4.0, length.abs(), 8.0);
            scene.fill(Shape::Box(bar, 0.0), Ink::of_sign(value).at(0.8));
            let ends = [-7.0, 7.0].map(|away| Point::new(zero, middle.y + away));
            scene.line(ends[0], ends[1], Stroke::new(Ink::Quiet, 1.0));
            let at = Point::new(area.right() - 6.0, middle.y);
            scene.text(words.as_str(), at, 12.0, Anchor::End, Ink::Text);
        }
        let name = tr!("Put {name} on the maps", name);
        scene.target(format!("{COLUMN}{column}"), name, words, TargetKind::Press, *area);
    }
    if let (false, Some(first)) = (layout.is_narrow, layout.columns.first()) {
        let words = match hero.relevant.is_empty() {
            true if hero.is_standardized => tr!("columns of the row, in SD"),
            true => tr!("columns of the row"),
            false => tr!("columns (bold: relevant)"),
        };
        let at = Point::new(first.left, first.top - 12.0);
        scene.text(words, at, 13.0, Anchor::Start, Ink::Quiet);
    }
}

/// Both answers as bars from the middle to the class that is more probable, and the row's own class.
fn draw_answers(scene: &mut Scene, hero: &TableHero, layout: &Layout, frame: &Frame) {
    let moved = frame.moved(hero.answers.since_ms, ANSWER_MS);
    for (which, name) in [(NETWORK, tr!("network")), (FOREST, tr!("forest"))] {
        let area = layout.bars[which];
        let (from, now) = (hero.answers.from[which], hero.answers.now[which]);
        let shown = if from.is_nan() { now } else { from + (now - from) * moved };
        let zero = area.centre().x;
        if shown.is_finite() {
            let length = shown.clamp(-1.0, 1.0) * area.width / 2.0;
            let bar = Area::new(zero + length.min(0.0), area.top, length.abs(), area.height);
            scene.fill(Shape::Box(bar, 0.0), Ink::of_sign(shown));
        }
        scene.stroke(Shape::Box(area, 0.0), Stroke::new(Ink::Quiet, 1.2));
        let ends = [area.top - 4.0, area.bottom() + 4.0].map(|y| Point::new(zero, y));
        scene.line(ends[0], ends[1], Stroke::new(Ink::Text, 1.5));
        let words = shorten(&hero.describe_answer(which), if layout.is_narrow { 18 } else { 30 });
        if layout.is_narrow {
            let y = area.centre().y;
            scene.text(name, Point::new(8.0, y), 12.0, Anchor::Start, Ink::Text);
            scene.bold_text(words, Point::new(scene.width - 8.0, y), 12.0, Anchor::End, Ink::Text);
            continue;
        }
        scene.text(name, Point::new(area.left, area.top - 34.0), 13.0, Anchor::Start, Ink::Quiet);
        scene.bold_text(words, Point::new(area.left, area.top - 15.0), 15.0, Anchor::Start, Ink::Text);
        let below = area.bottom() + 13.0;
        let [low, high] =
            hero.classes.each_ref().map(|class| tr!("class {class}", class = shorten(class, 10)));
        scene.text(low, Point::new(area.left, below), 12.0, Anchor::Start, Ink::Negative);
        scene.text(high, Point::new(area.right(), below), 12.0, Anchor::End, Ink::Positive);
    }
    let ink = hero.label().map_or(Ink::Text, Ink::of_sign);
    scene.text(hero.describe_row(), layout.row_text, 12.0, Anchor::Start, ink);
}

/// The switch between the values of the row and medians in all columns that are not on the maps.
fn draw_switch(scene: &mut Scene, hero: &TableHero, layout: &Layout) {
    let area = layout.switch;
    let (fill, ink) = match hero.uses_medians {
        true => (Ink::Text, Ink::Background),
        false => (Ink::Background, Ink::Text),
    };
    scene.fill_and_stroke(Shape::Box(area, 6.0), fill, Stroke::new(Ink::Text, 1.4));
    let (name, size) = (tr!("other columns: medians"), if layout.is_narrow { 12.0 } else { 13.0 });
    scene.text(name, area.centre(), size, Anchor::Middle, ink);
    let value = match hero.uses_medians {
        true => tr!("at their medians"),
        false => tr!("values of the row"),
    };
    scene.target(MEDIANS, tr!("Other columns"), value, TargetKind::Switch(hero.uses_medians), area);
}
