//! Where the parts of the picture are: the table of questions on the left, the parts of the logits in the middle, and the
//! bars of the answers on the right; on a phone from top to bottom.

use super::{GroupsHero, MAX_PARTS};
use vivarium_plot::scene::{Area, Point};
use vivarium_view::display::hero::Frame;

/// Number of clocks in a row of the wide picture.
const CLOCKS_IN_ROW: usize = 3;
/// Largest radius of a clock in CSS pixels.
const LARGEST_RADIUS: f32 = 60.0;
/// Distance of the wide table from the upper edge of the picture in CSS pixels.
const TABLE_TOP: f32 = 56.0;
/// Space above and below the wide table together, in CSS pixels.
const AROUND_TABLE: f32 = 104.0;
/// Height of a part with a clock in the narrow picture in CSS pixels.
const NARROW_PARTS: f32 = 108.0;

/// Areas of the parts of the picture, in CSS pixels.
pub(super) struct Layout {
    /// Whether the parts are from top to bottom.
    pub(super) is_narrow: bool,
    /// The table of all questions, with a row for each a and a column for each b.
    pub(super) table: Area,
    /// Track left of the table, on which the handle of a is at the height of its row.
    pub(super) rows_track: Area,
    /// Track above the table, on which the handle of b is above its column.
    pub(super) columns_track: Area,
    /// Areas of the parts of the logits, in the order of `GroupsHero::slots`.
    pub(super) parts: Vec<Area>,
    /// Area of the legend of the clocks; `None` where there is no room or no clock.
    pub(super) legend: Option<Area>,
    /// Radius of the clocks; 0 if the parts have no clocks.
    pub(super) radius: f32,
    /// Height of the name above a part.
    pub(super) name_height: f32,
    /// Height of the strip of a wave below its clock.
    pub(super) strip_height: f32,
    /// Area of the bars.
    pub(super) bars: Area,
}

/// Index, from 0, of the one of `count` equal pieces of a length in which `at` is; the first or last one outside.
fn piece_at(at: f32, start: f32, length: f32, count: usize) -> usize {
    // Conversions of negative numbers and of NaN give 0.
    (((at - start) / length * count as f32) as usize).min(count.saturating_sub(1))
}

impl Layout {
    /// The layout of a picture of this size.
    pub(super) fn new(hero: &GroupsHero, frame: &Frame) -> Layout {
        if frame.is_narrow() { Layout::narrow(hero, frame) } else { Layout::wide(hero, frame) }
    }

    /// Width of the handle of an element with the longest name.
    fn handle_width(hero: &GroupsHero) -> f32 {
        (hero.name_length as f32 * 7.5 + 14.0).clamp(34.0, 96.0)
    }

    /// From left to right: table, parts of the logits, bars.
    fn wide(hero: &GroupsHero, frame: &Frame) -> Layout {
        let Frame { width, height, .. } = *frame;
        let handle = Layout::handle_width(hero);
        let side = (height - AROUND_TABLE).min(0.28 * width);
        let top = TABLE_TOP + (height - AROUND_TABLE - side) / 2.0;
        let table = Area::new(handle + 14.0, top, side, side);
        let bars_left = 0.72 * width;
        let (left, right) = (table.right() + 26.0, bars_left - 44.0);
        let mut layout = Layout {
            is_narrow: false,
            table,
            rows_track: Area::new(8.0, top, handle, side),
            columns_track: Area::new(table.left, top - 30.0, side, 26.0),
            parts: vec![],
            legend: None,
            radius: 0.0,
            name_height: 18.0,
            strip_height: if height > 480.0 { 60.0 } else { 46.0 },
            bars: Area::new(bars_left, 66.0, width - 16.0 - bars_left, height - 130.0),
        };
        if hero.operation.is_none() {
            let pitch = ((height - 60.0) / MAX_PARTS as f32).min(70.0);
            let row = |at: usize| Area::new(left, 34.0 + pitch * at as f32, right - left, pitch);
            layout.parts = (0..hero.slots.len()).map(row).collect();
            return layout;
        }
        let pitch = Point::new((right - left) / CLOCKS_IN_ROW as f32, (height - 46.0) / 2.0);
        let cell = |at: usize| {
            let (column, row) = ((at % CLOCKS_IN_ROW) as f32, (at / CLOCKS_IN_ROW) as f32);
            Area::new(left + pitch.x * column, 30.0 + pitch.y * row, pitch.x, pitch.y)
        };
        layout.parts = (0..hero.slots.len()).map(cell).collect();
        layout.legend = Some(cell(MAX_PARTS));
        let room = pitch.y - layout.name_height - layout.strip_height - 18.0;
        layout.radius = (room / 2.0).min(pitch.x / 2.0 - 6.0).min(LARGEST_RADIUS);
        layout
    }

    /// From top to bottom: table, parts of the logits, bars.
    fn narrow(hero: &GroupsHero, frame: &Frame) -> Layout {
        let Frame { width, height, .. } = *frame;
        let handle = Layout::handle_width(hero);
        // The space right of the table is for texts.
        let side = (width - handle - 184.0).clamp(90.0, 140.0);
        let table = Area::new(handle + 10.0, 44.0, side, side);
        let (top, width) = (194.0, width - 12.0);
        let pitch = match hero.operation {
            Some(_) => Point::new(width / MAX_PARTS as f32, 0.0),
            None => Point::new(0.0, NARROW_PARTS / 4.0),
        };
        let size = match hero.operation {
            Some(_) => Point::new(pitch.x, NARROW_PARTS),
            None => Point::new(width, pitch.y),
        };
        let part =
            |at: usize| Area::new(6.0 + pitch.x * at as f32, top + pitch.y * at as f32, size.x, size.y);
        // Four rows fit, or five clocks side by side.
        let count = if hero.operation.is_some() { MAX_PARTS } else { 4 };
        let bars_top = top + NARROW_PARTS + 34.0;
        Layout {
            is_narrow: true,
            table,
            rows_track: Area::new(4.0, 44.0, handle, side),
            columns_track: Area::new(table.left, 18.0, side, 24.0),
            parts: (0..hero.slots.len().min(count)).map(part).collect(),
            legend: None,
            radius: if hero.operation.is_some() { (pitch.x / 2.0 - 6.0).min(27.0) } else { 0.0 },
            name_height: 14.0,
            strip_height: 28.0,
            bars: Area::new(40.0, bars_top, width - 34.0, height - bars_top - 40.0),
        }
    }

    /// Row and column, from 0, of the cell of a table of `order` rows at a point; of the nearest cell outside the table.
    pub(super) fn cell_at(&self, point: Point, order: usize) -> [usize; 2] {
        let Area { left, top, width, height } = self.table;
        [piece_at(point.y, top, height, order), piece_at(point.x, left, width, order)]
    }

    /// The answer, of `order` answers, whose bar is at a point or nearest to it.
    pub(super) fn answer_at(&self, point: Point, order: usize) -> usize {
        piece_at(point.x, self.bars.left, self.bars.width, order)
    }

    /// The cell of the table in this row and column, of `order` rows.
    pub(super) fn cell(&self, [row, column]: [usize; 2], order: usize) -> Area {
        let size = self.table.width / order.max(1) as f32;
        Area::new(self.table.left + size * column as f32, self.table.top + size * row as f32, size, size)
    }

    /// The strip of a part's wave, below its clock or its name.
    pub(super) fn strip(&self, part: &Area) -> Area {
        let top = part.top + self.name_height;
        match self.radius > 0.0 {
            true => {
                Area::new(part.left + 4.0, top + 2.0 * self.radius + 8.0, part.width - 8.0, self.strip_height)
            }
            false => Area::new(part.left, top, part.width, part.height - self.name_height - 4.0),
        }
    }

    /// Position on the horizontal axis of `area` of an answer, of `order` answers.
    pub(super) fn answer_x(area: &Area, answer: usize, order: usize) -> f32 {
        area.left + area.width * (answer as f32 + 0.5) / order.max(1) as f32
    }

    /// Height of the bars' axis at a value from −1/2 (lower end) to 1 (upper end); values outside are at the nearest end.
    pub(super) fn bar_y(&self, value: f32) -> f32 {
        self.bars.top + self.bars.height * (1.0 - value.clamp(-0.5, 1.0)) / 1.5
    }
}
