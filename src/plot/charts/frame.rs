//! What surrounds a plot: title, legend, numbers and names of the axes.

use plotters::backend::DrawingBackend;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

use super::Drawn;
use super::axis::Axis;
use super::pen::{Area, Label, Pen};

/// Space around everything.
const PAD: f64 = 8.0;
/// Height of a line of title or legend.
const ROW: f64 = 18.0;
/// Between a swatch and its name; also between entries of a legend, doubled.
const GAP: f64 = 6.0;
/// Width of a swatch.
const SWATCH: f64 = 14.0;
/// The same where dashes have to be told apart.
const WIDE_SWATCH: f64 = 30.0;
/// Most of the height that a legend may take, and the rows that it may always have.
const LEGEND: f64 = 0.35;
const ROWS: usize = 3;
/// Least part of its usual size that a long name in a legend is made smaller to.
const SMALLEST: f64 = 0.6;
/// Least space for numbers on the left of curves and bars; "chance" fits.
pub(super) const LEFT: f64 = 48.0;
/// Right of the plot: half of the last number's width.
const RIGHT: f64 = 14.0;
/// Least length of a decade of a logarithmic axis that is divided.
const DIVIDED: f64 = 32.0;
/// Least length of one that is seen at all.
const WHOLE: f64 = 6.0;
/// Width of the button that the page has in the lower left corner of a drawing, with a gap.
const CORNER: f64 = 24.0;
/// Length of a tick.
pub(super) const TICK: f64 = 4.0;

/// What stands before a name in a legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Swatch {
    /// A piece of the curve.
    Line,
    /// A piece of a curve whose values are dots.
    Dotted,
    /// A dot, where no line joins them.
    Dot,
    /// A patch of the background.
    Patch,
}

impl Swatch {
    /// That of a curve with or without dots.
    pub fn of_curve(points: bool) -> Self {
        if points { Swatch::Dotted } else { Swatch::Line }
    }
}

/// An entry of a legend.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    /// The curve's colour.
    pub colour: RGBColor,
    /// Its name.
    pub name: String,
    /// What stands before the name.
    pub swatch: Swatch,
    /// Whether its curve is not drawn now.
    pub hidden: bool,
    /// Which dashes and marks the curve has.
    pub look: usize,
}

/// The names around a plot.
pub(super) struct Names<'a> {
    /// Title.
    pub title: &'a str,
    /// Horizontal axis.
    pub x: &'a str,
    /// Vertical axis; left out where the title says the same.
    pub y: &'a str,
    /// Names of the curves.
    pub legend: Vec<Entry>,
    /// Space for numbers on the left, in pixels.
    pub left: i32,
    /// Least space on the left, in CSS pixels: charts of one width stand below each other.
    pub least_left: f64,
    /// Space on the right beyond the least, in pixels.
    pub right: i32,
}

/// Draws title, legend and names of the axes; what is left for the plot, if that is enough to see something.
pub(super) fn surround<DB: DrawingBackend>(
    pen: &Pen<DB>,
    names: &Names,
) -> Result<Option<Area>, DrawingAreaErrorKind<DB::ErrorType>> {
    let all = pen.all();
    let pad = pen.px(PAD);
    let room = all.width() - pad - pen.px(RIGHT);
    let (title, y) = (names.title.to_lowercase(), names.y.to_lowercase());
    let turned = !y.is_empty() && title.split(", ").next() != Some(&y);
    let rows = header_rows(pen, names, room);
    let below = pen.px(17.0) + if names.x.is_empty() { pen.px(4.0) } else { pen.px(21.0) };
    let plot = Area {
        left: pad + (names.left + if turned { pen.px(15.0) } else { 0 }).max(pen.px(names.least_left)),
        top: pen.px(if rows > 0 { PAD + 6.0 } else { PAD + 2.0 } + ROW * rows as f64),
        right: all.right - pen.px(RIGHT) - names.right,
        bottom: all.bottom - below,
    };
    if plot.width() < pen.px(24.0) || plot.height() < pen.px(16.0) {
        return Ok(None);
    }
    header(pen, names, room)?;
    name_below(pen, names.x, plot)?;
    if turned && pen.width(names.y, pen.name(HPos::Center)) < plot.height() + pen.px(20.0) {
        let label = Label { turned: true, ..pen.name(HPos::Center) };
        pen.text(names.y, (pad + pen.px(5.0), (plot.top + plot.bottom) / 2), label)?;
    }
    Ok(Some(plot))
}

/// The name of the horizontal axis: below the middle of the plot, or moved or made smaller where it would leave the picture
/// or meet what the page has in its corner.
fn name_below<DB: DrawingBackend>(pen: &Pen<DB>, name: &str, plot: Area) -> Drawn<DB> {
    let (all, label) = (pen.all(), pen.name(HPos::Center));
    let left = if pen.theme.titles { 0 } else { pen.px(CORNER) };
    let share = f64::from(all.right - left) / f64::from(pen.width(name, label).max(1));
    let label = Label { size: label.size * share.clamp(SMALLEST, 1.0), ..label };
    let half = (pen.width(name, label) + 1) / 2;
    let middle = ((plot.left + plot.right) / 2).min(all.right - half).max(left + half);
    pen.text(name, (middle, all.bottom - pen.px(11.0)), label)
}

fn legend_label<DB: DrawingBackend>(pen: &Pen<DB>) -> Label {
    Label { colour: pen.theme.ink, ..pen.name(HPos::Left) }
}

fn swatch<DB: DrawingBackend>(pen: &Pen<DB>) -> f64 {
    if pen.theme.dashes { WIDE_SWATCH } else { SWATCH }
}

/// How a name in the legend is set: one that is wider than the picture is set smaller.
fn entry_label<DB: DrawingBackend>(pen: &Pen<DB>, name: &str, room: i32) -> Label {
    let label = legend_label(pen);
    let room = f64::from(room - pen.px(swatch(pen) + GAP));
    let share = (room / f64::from(pen.width(name, label).max(1))).clamp(SMALLEST, 1.0);
    Label { size: label.size * share, ..label }
}

fn entry_width<DB: DrawingBackend>(pen: &Pen<DB>, name: &str, room: i32) -> i32 {
    pen.px(swatch(pen) + 3.0 * GAP) + pen.width(name, entry_label(pen, name, room))
}

/// The entries of the legend by rows that fit, as many as there is height for, and whether the first shares the title's
/// row.
fn legend_rows<'a, DB: DrawingBackend>(
    pen: &Pen<DB>,
    names: &'a Names,
    room: i32,
) -> (bool, Vec<&'a [Entry]>) {
    let widths: Vec<i32> = names.legend.iter().map(|entry| entry_width(pen, &entry.name, room)).collect();
    let title = match names.title {
        "" => 0,
        title => pen.width(title, pen.title()) + pen.px(2.0 * GAP),
    };
    if widths.iter().sum::<i32>() + title <= room + pen.px(2.0 * GAP) {
        return (true, vec![&names.legend]);
    }
    let (mut rows, mut from, mut used) = (vec![], 0, 0);
    for (i, width) in widths.iter().enumerate() {
        if used + width > room + pen.px(2.0 * GAP) && i > from {
            rows.push(&names.legend[from..i]);
            (from, used) = (i, 0);
        }
        used += width;
    }
    rows.push(&names.legend[from..]);
    rows.truncate(ROWS.max((LEGEND * pen.css(pen.all().height()) / ROW) as usize));
    (title == 0, rows)
}

fn header_rows<DB: DrawingBackend>(pen: &Pen<DB>, names: &Names, room: i32) -> usize {
    if !pen.theme.legend {
        return 0;
    }
    let title = usize::from(!names.title.is_empty());
    if names.legend.is_empty() {
        return title;
    }
    let (shared, rows) = legend_rows(pen, names, room);
    rows.len() + if shared { 0 } else { title }
}

fn header<DB: DrawingBackend>(pen: &Pen<DB>, names: &Names, room: i32) -> Drawn<DB> {
    let left = pen.px(PAD);
    let row_y = |row: usize| pen.px(PAD + ROW * (row as f64 + 0.5) - 2.0);
    if pen.theme.titles {
        pen.text(names.title, (left, row_y(0)), pen.title())?;
    }
    let (shared, rows) = legend_rows(pen, names, room);
    for (i, entries) in rows.iter().enumerate() {
        let row = if shared { i } else { i + usize::from(!names.title.is_empty()) };
        let width: i32 = entries.iter().map(|entry| entry_width(pen, &entry.name, room)).sum();
        let mut x = if shared { left + room + pen.px(2.0 * GAP) - width } else { left };
        for Entry { colour, name, swatch: kind, look, .. } in *entries {
            let (wide, y) = (swatch(pen), row_y(row));
            match kind {
                Swatch::Patch => pen.across(x, x + pen.px(wide), y, 11.0, *colour)?,
                Swatch::Line | Swatch::Dotted if pen.theme.dashes => {
                    pen.dashed(&[(x, y), (x + pen.px(wide), y)], pen.theme.stroke, *colour, *look)?;
                }
                Swatch::Line => pen.across(x, x + pen.px(wide), y, 3.0, *colour)?,
                Swatch::Dotted => pen.across(x, x + pen.px(wide), y, 1.6, *colour)?,
                Swatch::Dot => {}
            }
            if matches!(kind, Swatch::Dotted | Swatch::Dot) {
                pen.mark((x + pen.px(wide) / 2, y), 3.0, *colour, *look)?;
            }
            pen.text(name, (x + pen.px(wide + GAP), y), entry_label(pen, name, room))?;
            x += entry_width(pen, name, room);
        }
    }
    Ok(())
}

/// How many numbers an axis of this length can bear.
pub(super) fn most<DB: DrawingBackend>(pen: &Pen<DB>, pixels: i32, each: f64, limit: f64) -> usize {
    (pen.css(pixels) / each).clamp(2.0, limit) as usize
}

/// Width of the widest label.
pub(super) fn widest<'a, DB: DrawingBackend>(pen: &Pen<DB>, labels: impl Iterator<Item = &'a str>) -> i32 {
    labels.map(|text| pen.width(text, pen.tick(HPos::Right))).max().unwrap_or(0)
}

/// The horizontal axis: a line below the plot, ticks and numbers.
pub(super) fn below<DB: DrawingBackend>(pen: &Pen<DB>, plot: Area, axis: &Axis, line: bool) -> Drawn<DB> {
    if line {
        pen.fill(Area { top: plot.bottom, bottom: plot.bottom + pen.px(1.0), ..plot }, pen.theme.quiet, 1.0)?;
    }
    let ticks = axis.ticks(most(pen, plot.width(), if axis.log() { 44.0 } else { 64.0 }, 8.0));
    for x in minor_ticks(pen, axis, &ticks) {
        pen.down(x, plot.bottom, plot.bottom + pen.px(TICK / 2.0 + 1.0), 1.0, pen.theme.quiet)?;
    }
    for (value, text) in ticks {
        if let Some(x) = axis.place_inside(value) {
            pen.down(x, plot.bottom, plot.bottom + pen.px(TICK + 1.0), 1.0, pen.theme.quiet)?;
            number_below(pen, plot, x, &text, pen.tick(HPos::Center))?;
        }
    }
    Ok(())
}

/// Pixels of the unlabelled ticks of a logarithmic axis: as many as there is room for.
fn minor_ticks<DB: DrawingBackend>(pen: &Pen<DB>, axis: &Axis, labelled: &[(f64, String)]) -> Vec<i32> {
    if !axis.log() {
        return vec![];
    }
    let decade = pen.css((axis.end - axis.start).abs()) / axis.decades();
    let ticks = if decade >= DIVIDED {
        axis.minor_ticks()
    } else if decade >= WHOLE {
        axis.decade_ticks()
    } else {
        vec![]
    };
    let more = ticks.into_iter().filter(|value| labelled.iter().all(|(other, _)| other != value));
    more.filter_map(|value| axis.place_inside(value)).collect()
}

/// A label under the plot, held within the picture.
pub(super) fn number_below<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: Area,
    x: i32,
    text: &str,
    label: Label,
) -> Drawn<DB> {
    let half = pen.width(text, label) / 2;
    let right = pen.all().right - half;
    pen.text(text, (x.min(right).max(half), plot.bottom + pen.px(TICK + 9.0)), label)
}

/// Between the plot and what stands beside it: a tick must not be read as a minus.
pub(super) fn beside_gap(axis: &Axis) -> f64 {
    if axis.log() { TICK + 5.0 } else { 6.0 }
}

/// Numbers at the left of the plot with a grid line each.
pub(super) fn beside<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: Area,
    axis: &Axis,
    ticks: &[(f64, String)],
    skip: &[i32],
) -> Drawn<DB> {
    for y in minor_ticks(pen, axis, ticks) {
        pen.across(plot.left - pen.px(TICK * 0.75), plot.left, y, 1.0, pen.theme.quiet)?;
    }
    for (value, text) in ticks {
        let Some(y) = axis.place_inside(*value) else { continue };
        if y < plot.bottom {
            pen.across(plot.left, plot.right, y, 1.0, pen.theme.grid)?;
        }
        if axis.log() {
            pen.across(plot.left - pen.px(TICK), plot.left, y, 1.0, pen.theme.quiet)?;
        }
        if skip.iter().all(|other| (other - y).abs() >= pen.px(pen.theme.tick_px)) {
            pen.text(text, (plot.left - pen.px(beside_gap(axis)), y), pen.tick(HPos::Right))?;
        }
    }
    Ok(())
}
