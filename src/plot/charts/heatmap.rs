//! A matrix of signed numbers as coloured cells.
//!
//! # Why
//! Every rectangle is a call into the canvas, so colours are rounded to 41, neighbours of one colour in a row
//! are drawn as one, and a matrix of more than [`Theme::cells`](super::Theme::cells) cells is gathered into
//! blocks. A block shows its largest magnitude with its sign, not its mean: one big weight among thousands
//! stays visible. How much is gathered depends on sizes alone, so that nothing flickers while values change.

use std::ops::Range;

use plotters::backend::DrawingBackend;
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

use super::Drawn;
use super::axis::{self, Axis, Scale};
use super::colour::mix;
use super::frame::{self, Names, TICK};
use super::numbers;
use super::pen::{Area, Label, Pen};
use crate::analysis::Grid;

/// Colours on each side of zero.
const HALF: usize = 20;
/// Columns that are kept as long as rows can be gathered instead.
const FEWEST_COLUMNS: usize = 96;
/// Width of the colour scale.
const BAR: f64 = 8.0;
/// Between cells and colour scale.
const BEFORE_BAR: f64 = 10.0;
/// Most of the width that names of rows may take.
const NAMES: f64 = 0.3;
/// Width of a block, once columns must be gathered: a single strong one should be seen.
const BLOCK: f64 = 2.0;

/// Draws a matrix.
pub(super) fn draw<DB: DrawingBackend>(pen: &Pen<DB>, grid: &Grid) -> Drawn<DB> {
    let empty =
        grid.rows == 0 || grid.columns == 0 || grid.rows.checked_mul(grid.columns) != Some(grid.values.len());
    let limit = grid.limit();
    let ends = [numbers::rounded(f64::from(limit)), numbers::rounded(f64::from(-limit))];
    let numbers = frame::widest(pen, ends.iter().map(String::as_str)).max(pen.px(26.0));
    let rows_named = named(&grid.row_names, grid.rows, f64::from(pen.all().width()) * NAMES, pen);
    let last_row = grid.rows.to_string();
    let labels = match rows_named {
        Some(names) => frame::widest(pen, names.iter().map(String::as_str)),
        None => frame::widest(pen, [last_row.as_str()].into_iter()),
    };
    let names = Names {
        title: &grid.title,
        x: &grid.x_label,
        y: &grid.y_label,
        legend: vec![],
        left: labels.max(pen.px(14.0)) + pen.px(13.0),
        least_left: 0.0,
        right: pen.px(BEFORE_BAR + BAR + 5.0) + numbers - pen.px(4.0),
    };
    let Some(plot) = frame::surround(pen, &names)? else { return Ok(()) };
    pen.frame(plot, pen.theme.grid)?;
    let colours = pen.theme.diverging(HALF);
    let left = plot.right + pen.px(BEFORE_BAR);
    // Shares have no negative half.
    let signed = limit == 0.0 || grid.values.iter().any(|value| *value < 0.0);
    let bar = Area { left, right: left + pen.px(BAR), ..plot };
    match signed {
        true => colour_scale(pen, bar, &colours, [&ends[0], "0", &ends[1]], limit)?,
        false => colour_scale(pen, bar, &colours[colours.len() / 2..], [&ends[0], "", "0"], limit)?,
    }
    if empty {
        let middle = ((plot.left + plot.right) / 2, (plot.top + plot.bottom) / 2);
        let said = if grid.note.is_empty() { tr!("nothing to show yet") } else { &grid.note };
        return pen.text(said, middle, pen.name(HPos::Center));
    }
    cells(pen, plot, grid, limit, &colours)?;
    #[cfg(feature = "cli")]
    super::inscribed::draw(pen, plot, grid, |value| match shade(value, limit) {
        Some(HALF) => pen.theme.zero,
        Some(i) => colours[i.min(2 * HALF)],
        None => pen.theme.grid,
    })?;
    outlines(pen, plot, grid)?;
    if !grid.note.is_empty() {
        let middle = ((plot.left + plot.right) / 2, (plot.top + plot.bottom) / 2);
        pen.text(&grid.note, middle, pen.name(HPos::Center))?;
    }
    rows(pen, plot, grid, rows_named)?;
    match named(&grid.column_names, grid.columns, f64::from(plot.width()), pen) {
        Some(names) => column_names(pen, plot, names),
        None => columns(pen, plot, grid),
    }
}

/// The names, if there is one for each and the widest fits.
fn named<'a, DB: DrawingBackend>(
    names: &'a [String],
    count: usize,
    room: f64,
    pen: &Pen<DB>,
) -> Option<&'a [String]> {
    let wide = || f64::from(frame::widest(pen, names.iter().map(String::as_str)));
    (count > 0 && names.len() == count && wide() <= room).then_some(names)
}

/// Blocks down and across for a matrix of this shape on so many CSS pixels.
fn blocks(rows: usize, columns: usize, (width, height): (f64, f64), cells: usize) -> (usize, usize) {
    let down = rows.min(height.max(1.0) as usize);
    let room = if columns as f64 > width { width / BLOCK } else { width };
    let across = columns.min(room.max(1.0) as usize).min((cells / down).max(FEWEST_COLUMNS));
    (down.min((cells / across).max(1)), across)
}

/// The part `i` of `of` of a length.
fn part(i: usize, of: usize, length: usize) -> Range<usize> {
    i * length / of..(i + 1) * length / of
}

/// The value of largest magnitude per block, row by row; NaN where no value is finite.
fn gather(grid: &Grid, down: usize, across: usize) -> Vec<f32> {
    let mut gathered = vec![f32::NAN; down * across];
    for (i, line) in gathered.chunks_mut(across).enumerate() {
        for row in part(i, down, grid.rows) {
            let values = &grid.values[row * grid.columns..(row + 1) * grid.columns];
            for (j, largest) in line.iter_mut().enumerate() {
                for v in &values[part(j, across, grid.columns)] {
                    if v.is_finite() && (largest.is_nan() || v.abs() > largest.abs()) {
                        *largest = *v;
                    }
                }
            }
        }
    }
    gathered
}

/// Index into the colours; none for what is not a number.
fn shade(value: f32, limit: f32) -> Option<usize> {
    let share = if limit > 0.0 { value / limit } else { 0.0 };
    value.is_finite().then(|| (HALF as f32 * (1.0 + share)).round() as usize)
}

fn cells<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: Area,
    grid: &Grid,
    limit: f32,
    colours: &[RGBColor],
) -> Drawn<DB> {
    pen.fill(plot, pen.theme.zero, 1.0)?;
    let size = (pen.css(plot.width()), pen.css(plot.height()));
    let (down, across) = blocks(grid.rows, grid.columns, size, pen.theme.cells.max(1));
    let pixels = |i: usize, of: usize, length: i32| (i * length as usize / of) as i32;
    for (i, line) in gather(grid, down, across).chunks(across).enumerate() {
        let (top, bottom) = (pixels(i, down, plot.height()), pixels(i + 1, down, plot.height()));
        let mut from = 0;
        for run in line.chunk_by(|a, b| shade(*a, limit) == shade(*b, limit)) {
            let to = from + run.len();
            let area = Area {
                left: plot.left + pixels(from, across, plot.width()),
                right: plot.left + pixels(to, across, plot.width()),
                top: plot.top + top,
                bottom: plot.top + bottom,
            };
            match shade(run[0], limit) {
                Some(HALF) => {}
                Some(i) => pen.fill(area, colours[i.min(2 * HALF)], 1.0)?,
                None => pen.fill(area, pen.theme.grid, 1.0)?,
            }
            from = to;
        }
    }
    Ok(())
}

/// Frames around the blocks that are outlined, as far as they lie in the matrix.
fn outlines<DB: DrawingBackend>(pen: &Pen<DB>, plot: Area, grid: &Grid) -> Drawn<DB> {
    let at =
        |i: usize, of: usize, length: i32| (i.min(of) as f64 * f64::from(length) / of as f64).round() as i32;
    for (rows, columns) in &grid.outlines {
        let area = Area {
            left: plot.left + at(columns.start, grid.columns, plot.width()),
            right: plot.left + at(columns.end, grid.columns, plot.width()),
            top: plot.top + at(rows.start, grid.rows, plot.height()),
            bottom: plot.top + at(rows.end, grid.rows, plot.height()),
        };
        pen.frame(area, pen.theme.mark)?;
    }
    Ok(())
}

/// Numbers or names of rows, and the marked rows with a triangle and thin lines around them.
fn rows<DB: DrawingBackend>(pen: &Pen<DB>, plot: Area, grid: &Grid, names: Option<&[String]>) -> Drawn<DB> {
    let edge =
        |row: usize| plot.top + (row as f64 * f64::from(plot.height()) / grid.rows as f64).round() as i32;
    let middle = |row: usize| (edge(row) + edge(row + 1)) / 2;
    let mut marked: Vec<usize> = grid.marked_rows.iter().copied().filter(|r| *r < grid.rows).collect();
    marked.sort_unstable();
    marked.dedup();
    let gap = pen.px(pen.theme.tick_px);
    let wanted: Vec<i32> = marked.iter().map(|r| middle(*r)).collect();
    let places = spread(&wanted, gap, plot.top, plot.bottom);
    let right = plot.left - pen.px(10.0);
    let name = |row: usize| names.map_or_else(|| (row + 1).to_string(), |names| names[row].clone());
    let labelled: Vec<usize> = match names {
        Some(names) => labelled(names, every(gap, plot.height(), grid.rows)),
        None => round_numbers(pen, grid.rows, plot.height(), 26.0).iter().map(|number| number - 1).collect(),
    };
    for row in labelled {
        let y = middle(row);
        if places.iter().chain(&wanted).all(|other| (other - y).abs() >= gap) {
            pen.text(&name(row), (right, y), pen.tick(HPos::Right))?;
        }
    }
    let mark = pen.theme.mark;
    // Thin rows stay readable between lines that hold back.
    let soft = mix(mark, pen.theme.bg, 0.3);
    let roomy = plot.height() >= pen.px(2.0) * grid.rows as i32;
    for (i, row) in marked.iter().enumerate() {
        let (y, half) = (middle(*row), pen.px(3.0));
        let tip = plot.left - pen.px(2.0);
        pen.polygon(vec![(tip, y), (tip - 2 * half, y - half), (tip - 2 * half, y + half)], mark, 1.0)?;
        if roomy {
            let line = pen.px(1.0);
            let (top, bottom) = (edge(*row), edge(row + 1));
            pen.fill(Area { top: top - line, bottom: top, ..plot }, soft, 1.0)?;
            pen.fill(Area { top: bottom, bottom: bottom + line, ..plot }, soft, 1.0)?;
        }
        if let Some(place) = places.get(i) {
            let label = Label { colour: mark, ..pen.tick(HPos::Right) };
            pen.text(&name(*row), (right, *place), label)?;
        }
    }
    Ok(())
}

/// Every how many of `count` labels over so many pixels must stay if each takes `each`.
fn every(each: i32, pixels: i32, count: usize) -> usize {
    let slot = f64::from(pixels) / count.max(1) as f64;
    ((f64::from(each) / slot).ceil() as usize).max(1)
}

/// Every n-th of the names. Maps side by side are parted by a line without a name: after it, counting begins anew, and the
/// last names before it give way to its first. Where the maps are too small for a name each, some have none.
fn labelled(names: &[String], every: usize) -> Vec<usize> {
    let mut labelled: Vec<usize> = vec![];
    let (mut first, mut begun) = (0, None);
    for own in names.split(String::is_empty) {
        let is_roomy = begun.is_none_or(|begun| first - begun >= every);
        if is_roomy && !own.is_empty() {
            labelled.retain(|at| first - at >= every);
            labelled.extend((first..first + own.len()).step_by(every.max(1)));
            begun = Some(first);
        }
        first += own.len() + 1;
    }
    labelled
}

/// Names of columns, every n-th where they would touch.
fn column_names<DB: DrawingBackend>(pen: &Pen<DB>, plot: Area, names: &[String]) -> Drawn<DB> {
    let each = frame::widest(pen, names.iter().map(String::as_str)) + pen.px(6.0);
    let slot = f64::from(plot.width()) / names.len() as f64;
    for i in labelled(names, every(each, plot.width(), names.len())) {
        let name = &names[i];
        let x = plot.left + ((i as f64 + 0.5) * slot).round() as i32;
        frame::number_below(pen, plot, x, name, pen.tick(HPos::Center))?;
    }
    Ok(())
}

/// Places as near as possible to the wanted ones, in rising order and `gap` apart; none if they do not fit.
fn spread(wanted: &[i32], gap: i32, low: i32, high: i32) -> Vec<i32> {
    if wanted.len() as i32 * gap > high - low + gap {
        return vec![];
    }
    let mut places: Vec<i32> = wanted.to_vec();
    for i in 1..places.len() {
        places[i] = places[i].max(places[i - 1] + gap);
    }
    let mut most = high;
    for place in places.iter_mut().rev() {
        *place = (*place).min(most);
        most = *place - gap;
    }
    places
}

/// 1 and some round numbers up to `count`.
fn round_numbers<DB: DrawingBackend>(pen: &Pen<DB>, count: usize, pixels: i32, each: f64) -> Vec<usize> {
    let round = axis::ticks(1.0, (count as f64).max(1.5), frame::most(pen, pixels, each, 8.0))
        .into_iter()
        .map(|t| t.0);
    let mut numbers: Vec<usize> =
        round.filter(|v| v.fract() == 0.0 && *v >= 1.0 && *v <= count as f64).map(|v| v as usize).collect();
    let apart = |n: usize| (n - 1) as f64 * f64::from(pixels) / count as f64;
    if numbers.first().is_none_or(|n| *n > 1 && apart(*n) > f64::from(pen.px(each)) * 0.5) {
        numbers.insert(0, 1);
    }
    numbers
}

fn columns<DB: DrawingBackend>(pen: &Pen<DB>, plot: Area, grid: &Grid) -> Drawn<DB> {
    let (high, scale) = (grid.columns as f64, Scale::Even);
    let axis = Axis { low: 0.0, high, scale, whole: true, start: plot.left, end: plot.right, unit: 1.0 };
    for number in round_numbers(pen, grid.columns, plot.width(), 48.0) {
        if let Some(x) = axis.place(number as f64 - 0.5) {
            pen.down(x, plot.bottom + pen.px(1.0), plot.bottom + pen.px(TICK + 1.0), 1.0, pen.theme.quiet)?;
            let text = numbers::label(number as f64, 1.0);
            frame::number_below(pen, plot, x, &text, pen.tick(HPos::Center))?;
        }
    }
    Ok(())
}

fn colour_scale<DB: DrawingBackend>(
    pen: &Pen<DB>,
    area: Area,
    colours: &[RGBColor],
    [top, middle, bottom]: [&str; 3],
    limit: f32,
) -> Drawn<DB> {
    for (i, colour) in colours.iter().rev().enumerate() {
        let pixels = part(i, colours.len(), area.height() as usize);
        let (high, low) = (area.top + pixels.start as i32, area.top + pixels.end as i32);
        pen.fill(Area { top: high, bottom: low, ..area }, *colour, 1.0)?;
    }
    pen.frame(area, pen.theme.grid)?;
    let x = area.right + pen.px(5.0);
    let inset = pen.px(pen.theme.tick_px * 0.4);
    if !middle.is_empty() {
        pen.text(middle, (x, (area.top + area.bottom) / 2), pen.tick(HPos::Left))?;
    }
    if limit > 0.0 {
        pen.text(top, (x, area.top + inset), pen.tick(HPos::Left))?;
        pen.text(bottom, (x, area.bottom - inset), pen.tick(HPos::Left))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_bounded_and_small_matrices_are_not_gathered() {
        assert_eq!(blocks(50, 100, (500.0, 300.0), 6000), (50, 100));
        assert_eq!(blocks(50, 1000, (500.0, 300.0), 6000), (50, 120));
        for (rows, columns) in [(512, 4096), (4096, 512), (1, 1_000_000), (1_000_000, 1)] {
            let (down, across) = blocks(rows, columns, (800.0, 350.0), 6000);
            assert!(down * across <= 6000 && down >= 1 && across >= 1, "{down} × {across}");
        }
    }

    #[test]
    fn the_largest_magnitude_survives_with_its_sign() {
        let mut grid = Grid { rows: 3, columns: 1000, values: vec![0.01; 3000], ..Default::default() };
        grid.values[1765] = -2.0;
        grid.values[1766] = f32::INFINITY;
        let gathered = gather(&grid, 3, 10);
        assert_eq!(gathered.iter().filter(|v| **v == -2.0).count(), 1);
        assert_eq!(gathered[17], -2.0);
        grid.values.fill(f32::NAN);
        assert!(gather(&grid, 2, 7).iter().all(|v| v.is_nan()));
    }

    #[test]
    fn names_begin_anew_for_each_map() {
        let map: Vec<String> = (1..=5).map(|at| at.to_string()).collect();
        let names = [map.as_slice(), &map].join(&[String::new()][..]);
        let said = |every: usize| {
            labelled(&names, every).into_iter().map(|at| format!("{at}:{}", names[at])).collect::<Vec<_>>()
        };
        assert_eq!(said(1).len(), 10);
        assert_eq!(said(2), ["0:1", "2:3", "4:5", "6:1", "8:3", "10:5"]);
        // The fifth of the first map would touch the first of the second one.
        assert_eq!(said(4), ["0:1", "6:1", "10:5"]);
        assert_eq!(said(7), ["0:1"], "no room for the second one");
        assert_eq!(said(6), ["0:1", "6:1"]);
        assert_eq!(labelled(&map, 3), [0, 3]);
        assert!(labelled(&[], 3).is_empty());
    }

    #[test]
    fn labels_keep_their_distance() {
        assert_eq!(spread(&[10, 12, 50], 11, 0, 100), [10, 21, 50]);
        assert_eq!(spread(&[90, 95, 99], 11, 0, 100), [78, 89, 100]);
        assert!(spread(&[1, 2, 3], 11, 0, 15).is_empty());
        assert_eq!(spread(&[], 11, 0, 15), [0; 0]);
    }

    #[test]
    fn shades_end_at_the_limit() {
        assert_eq!([-0.5, 0.0, 0.5].map(|v| shade(v, 0.5)), [Some(0), Some(HALF), Some(2 * HALF)]);
        assert_eq!((shade(f32::NAN, 1.0), shade(0.0, 0.0)), (None, Some(HALF)));
    }
}
