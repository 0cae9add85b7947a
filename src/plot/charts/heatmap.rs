//! Draws a heat map: a matrix of signed numbers as coloured cells.
//!
//! # Why
//! Every rectangle is a call into the canvas, so colours are rounded to 41, neighbours of one colour in a row
//! are drawn as one, and a matrix of more than [`Theme::max_cells`](super::Theme::max_cells) cells is pooled into
//! blocks. A block shows its largest magnitude with its sign, not its mean: one big weight among thousands
//! stays visible. How much is gathered depends on sizes alone, so that nothing flickers while values change.

use std::ops::Range;

use plotters::backend::DrawingBackend;
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

use super::DrawResult;
use super::axis::{self, Axis, AxisScale};
use super::colour::mix;
use super::frame::{self, PlotLabels, TICK_LENGTH};
use super::numbers;
use super::pen::{LabelStyle, Pen, PixelRect};
use crate::analysis::Heatmap;

/// Number of colours of a heat map for positive values, and as many for negative ones, besides the colour of zero.
const COLOURS_PER_SIDE: usize = 20;
/// Minimum number of columns that remain when a heat map with too many cells is pooled; beyond that its rows are pooled
/// further instead.
const MIN_COLUMNS: usize = 96;
/// Width of the colour scale beside a heat map, in CSS pixels.
const SCALE_WIDTH: f64 = 8.0;
/// Space between the cells of a heat map and its colour scale, in CSS pixels.
const SCALE_GAP: f64 = 10.0;
/// Maximum fraction of the width of a heat map that row names may take; if they would take more, row numbers are drawn.
const MAX_NAME_FRACTION: f64 = 0.3;
/// Minimum width in CSS pixels of a block of pooled heat map cells, so that a single large value remains visible.
const MIN_BLOCK_WIDTH: f64 = 2.0;

/// Draws a heat map with its cells, row and column labels, and colour scale.
pub(super) fn draw<DB: DrawingBackend>(pen: &Pen<DB>, grid: &Heatmap) -> DrawResult<DB> {
    let empty =
        grid.rows == 0 || grid.columns == 0 || grid.rows.checked_mul(grid.columns) != Some(grid.values.len());
    let limit = grid.max_magnitude();
    let ends = [numbers::format_two_digits(f64::from(limit)), numbers::format_two_digits(f64::from(-limit))];
    let numbers = frame::max_label_width(pen, ends.iter().map(String::as_str)).max(pen.to_pixels(26.0));
    let rows_named = names_if_fitting(
        &grid.row_names,
        grid.rows,
        f64::from(pen.full_rect().width()) * MAX_NAME_FRACTION,
        pen,
    );
    let last_row = grid.rows.to_string();
    let labels = match rows_named {
        Some(names) => frame::max_label_width(pen, names.iter().map(String::as_str)),
        None => frame::max_label_width(pen, [last_row.as_str()].into_iter()),
    };
    let names = PlotLabels {
        title: &grid.title,
        x_label: &grid.x_label,
        y_label: &grid.y_label,
        legend: vec![],
        left_label_width: labels.max(pen.to_pixels(14.0)) + pen.to_pixels(13.0),
        min_left: 0.0,
        extra_right: pen.to_pixels(SCALE_GAP + SCALE_WIDTH + 5.0) + numbers - pen.to_pixels(4.0),
    };
    let Some(plot) = frame::draw_surroundings(pen, &names)? else { return Ok(()) };
    pen.draw_border(plot, pen.theme.grid)?;
    let colours = pen.theme.diverging_scale(COLOURS_PER_SIDE);
    let left = plot.right + pen.to_pixels(SCALE_GAP);
    // Shares have no negative half.
    let signed = limit == 0.0 || grid.values.iter().any(|value| *value < 0.0);
    let bar = PixelRect { left, right: left + pen.to_pixels(SCALE_WIDTH), ..plot };
    match signed {
        true => draw_colour_scale(pen, bar, &colours, [&ends[0], "0", &ends[1]], limit)?,
        false => draw_colour_scale(pen, bar, &colours[colours.len() / 2..], [&ends[0], "", "0"], limit)?,
    }
    if empty {
        let middle = ((plot.left + plot.right) / 2, (plot.top + plot.bottom) / 2);
        let said = if grid.note.is_empty() { tr!("nothing to show yet") } else { &grid.note };
        return pen.draw_text(said, middle, pen.name_style(HPos::Center));
    }
    draw_cells(pen, plot, grid, limit, &colours)?;
    #[cfg(feature = "cli")]
    super::inscribed::draw_cell_texts(pen, plot, grid, |value| match colour_index(value, limit) {
        Some(COLOURS_PER_SIDE) => pen.theme.zero,
        Some(i) => colours[i.min(2 * COLOURS_PER_SIDE)],
        None => pen.theme.grid,
    })?;
    draw_outlines(pen, plot, grid)?;
    if !grid.note.is_empty() {
        let middle = ((plot.left + plot.right) / 2, (plot.top + plot.bottom) / 2);
        pen.draw_text(&grid.note, middle, pen.name_style(HPos::Center))?;
    }
    draw_row_labels(pen, plot, grid, rows_named)?;
    match names_if_fitting(&grid.column_names, grid.columns, f64::from(plot.width()), pen) {
        Some(names) => draw_column_names(pen, plot, names),
        None => draw_column_numbers(pen, plot, grid),
    }
}

/// The row or column `names`, if there are exactly `count` of them and the widest fits into `room` backend pixels;
/// otherwise `None`.
fn names_if_fitting<'a, DB: DrawingBackend>(
    names: &'a [String],
    count: usize,
    room: f64,
    pen: &Pen<DB>,
) -> Option<&'a [String]> {
    let wide = || f64::from(frame::max_label_width(pen, names.iter().map(String::as_str)));
    (count > 0 && names.len() == count && wide() <= room).then_some(names)
}

/// Numbers (rows, columns) of blocks into which a matrix with this many rows and columns is pooled on `width` ×
/// `height` CSS pixels, so that there are at most about `cells` blocks.
fn block_counts(rows: usize, columns: usize, (width, height): (f64, f64), cells: usize) -> (usize, usize) {
    let down = rows.min(height.max(1.0) as usize);
    let room = if columns as f64 > width { width / MIN_BLOCK_WIDTH } else { width };
    let across = columns.min(room.max(1.0) as usize).min((cells / down).max(MIN_COLUMNS));
    (down.min((cells / across).max(1)), across)
}

/// Range of the row or column indices in block number `i`, from 0, if `length` rows or columns are pooled into
/// `block_count` blocks.
fn block_range(i: usize, block_count: usize, length: usize) -> Range<usize> {
    i * length / block_count..(i + 1) * length / block_count
}

/// Pools the matrix into `down` rows of `across` blocks; returned row by row, each block with its finite value of
/// largest magnitude, or NaN if it has none.
fn pool_max_magnitude(grid: &Heatmap, down: usize, across: usize) -> Vec<f32> {
    let mut gathered = vec![f32::NAN; down * across];
    for (i, line) in gathered.chunks_mut(across).enumerate() {
        for row in block_range(i, down, grid.rows) {
            let values = &grid.values[row * grid.columns..(row + 1) * grid.columns];
            for (j, largest) in line.iter_mut().enumerate() {
                for v in &values[block_range(j, across, grid.columns)] {
                    if v.is_finite() && (largest.is_nan() || v.abs() > largest.abs()) {
                        *largest = *v;
                    }
                }
            }
        }
    }
    gathered
}

/// Index of the colour of a value on the scale from −`limit` to `limit`, from 0 to 2·[`COLOURS_PER_SIDE`]; `None` if
/// the value is not finite.
fn colour_index(value: f32, limit: f32) -> Option<usize> {
    let share = if limit > 0.0 { value / limit } else { 0.0 };
    value.is_finite().then(|| (COLOURS_PER_SIDE as f32 * (1.0 + share)).round() as usize)
}

/// Draws the coloured cells of a heat map, pooled into blocks if there are too many; `colours` are those of the values
/// from −`limit` to `limit`.
fn draw_cells<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: PixelRect,
    grid: &Heatmap,
    limit: f32,
    colours: &[RGBColor],
) -> DrawResult<DB> {
    pen.fill_rect(plot, pen.theme.zero, 1.0)?;
    let size = (pen.to_css_pixels(plot.width()), pen.to_css_pixels(plot.height()));
    let (down, across) = block_counts(grid.rows, grid.columns, size, pen.theme.max_cells.max(1));
    let pixels = |i: usize, of: usize, length: i32| (i * length as usize / of) as i32;
    for (i, line) in pool_max_magnitude(grid, down, across).chunks(across).enumerate() {
        let (top, bottom) = (pixels(i, down, plot.height()), pixels(i + 1, down, plot.height()));
        let mut from = 0;
        for run in line.chunk_by(|a, b| colour_index(*a, limit) == colour_index(*b, limit)) {
            let to = from + run.len();
            let area = PixelRect {
                left: plot.left + pixels(from, across, plot.width()),
                right: plot.left + pixels(to, across, plot.width()),
                top: plot.top + top,
                bottom: plot.top + bottom,
            };
            match colour_index(run[0], limit) {
                Some(COLOURS_PER_SIDE) => {}
                Some(i) => pen.fill_rect(area, colours[i.min(2 * COLOURS_PER_SIDE)], 1.0)?,
                None => pen.fill_rect(area, pen.theme.grid, 1.0)?,
            }
            from = to;
        }
    }
    Ok(())
}

/// Draws frames around the blocks of cells in `outlines`, clipped to the matrix.
fn draw_outlines<DB: DrawingBackend>(pen: &Pen<DB>, plot: PixelRect, grid: &Heatmap) -> DrawResult<DB> {
    let at =
        |i: usize, of: usize, length: i32| (i.min(of) as f64 * f64::from(length) / of as f64).round() as i32;
    for (rows, columns) in &grid.outlines {
        let area = PixelRect {
            left: plot.left + at(columns.start, grid.columns, plot.width()),
            right: plot.left + at(columns.end, grid.columns, plot.width()),
            top: plot.top + at(rows.start, grid.rows, plot.height()),
            bottom: plot.top + at(rows.end, grid.rows, plot.height()),
        };
        pen.draw_border(area, pen.theme.mark)?;
    }
    Ok(())
}

/// Draws the row `names`, or row numbers if they are `None`, and marks the highlighted rows with triangles and thin
/// lines.
fn draw_row_labels<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: PixelRect,
    grid: &Heatmap,
    names: Option<&[String]>,
) -> DrawResult<DB> {
    let edge =
        |row: usize| plot.top + (row as f64 * f64::from(plot.height()) / grid.rows as f64).round() as i32;
    let middle = |row: usize| (edge(row) + edge(row + 1)) / 2;
    let mut marked: Vec<usize> = grid.marked_rows.iter().copied().filter(|r| *r < grid.rows).collect();
    marked.sort_unstable();
    marked.dedup();
    let gap = pen.to_pixels(pen.theme.tick_px);
    let wanted: Vec<i32> = marked.iter().map(|r| middle(*r)).collect();
    let places = spread_positions(&wanted, gap, plot.top, plot.bottom);
    let right = plot.left - pen.to_pixels(10.0);
    let name = |row: usize| names.map_or_else(|| (row + 1).to_string(), |names| names[row].clone());
    let labelled: Vec<usize> = match names {
        Some(names) => labelled_columns(names, label_interval(gap, plot.height(), grid.rows)),
        None => round_numbers(pen, grid.rows, plot.height(), 26.0).iter().map(|number| number - 1).collect(),
    };
    for row in labelled {
        let y = middle(row);
        if places.iter().chain(&wanted).all(|other| (other - y).abs() >= gap) {
            pen.draw_text(&name(row), (right, y), pen.tick_style(HPos::Right))?;
        }
    }
    let mark = pen.theme.mark;
    // Thin rows stay readable between lines that hold back.
    let soft = mix(mark, pen.theme.bg, 0.3);
    let roomy = plot.height() >= pen.to_pixels(2.0) * grid.rows as i32;
    for (i, row) in marked.iter().enumerate() {
        let (y, half) = (middle(*row), pen.to_pixels(3.0));
        let tip = plot.left - pen.to_pixels(2.0);
        pen.fill_polygon(vec![(tip, y), (tip - 2 * half, y - half), (tip - 2 * half, y + half)], mark, 1.0)?;
        if roomy {
            let line = pen.to_pixels(1.0);
            let (top, bottom) = (edge(*row), edge(row + 1));
            pen.fill_rect(PixelRect { top: top - line, bottom: top, ..plot }, soft, 1.0)?;
            pen.fill_rect(PixelRect { top: bottom, bottom: bottom + line, ..plot }, soft, 1.0)?;
        }
        if let Some(place) = places.get(i) {
            let label = LabelStyle { colour: mark, ..pen.tick_style(HPos::Right) };
            pen.draw_text(&name(*row), (right, *place), label)?;
        }
    }
    Ok(())
}

/// The n for which every n-th of `count` labels fits on an axis of `pixels` backend pixels if each takes `label_width`
/// backend pixels.
fn label_interval(label_width: i32, pixels: i32, count: usize) -> usize {
    let slot = f64::from(pixels) / count.max(1) as f64;
    ((f64::from(label_width) / slot).ceil() as usize).max(1)
}

/// Indices, from 0, of the row or column names that are drawn: every n-th, n being `every`. An empty name separates
/// heat maps that are side by side: the count restarts after it, and labels just before it are dropped. Maps too small
/// for a label get none.
fn labelled_columns(names: &[String], every: usize) -> Vec<usize> {
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

/// Draws the column names, every n-th if all would overlap.
fn draw_column_names<DB: DrawingBackend>(pen: &Pen<DB>, plot: PixelRect, names: &[String]) -> DrawResult<DB> {
    let each = frame::max_label_width(pen, names.iter().map(String::as_str)) + pen.to_pixels(6.0);
    let slot = f64::from(plot.width()) / names.len() as f64;
    for i in labelled_columns(names, label_interval(each, plot.width(), names.len())) {
        let name = &names[i];
        let x = plot.left + ((i as f64 + 0.5) * slot).round() as i32;
        frame::draw_x_tick_label(pen, plot, x, name, pen.tick_style(HPos::Center))?;
    }
    Ok(())
}

/// Pixel rows for the labels of highlighted rows, as near as possible to the `wanted` ones, which are ascending, but at
/// least `gap` apart and from `low` to `high`; ascending, and empty if they do not fit.
fn spread_positions(wanted: &[i32], gap: i32, low: i32, high: i32) -> Vec<i32> {
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

/// Row or column numbers that get a label: 1 and some round numbers up to `count`, as many as fit into `pixels` backend
/// pixels if each takes `label_width` CSS pixels.
fn round_numbers<DB: DrawingBackend>(
    pen: &Pen<DB>,
    count: usize,
    pixels: i32,
    label_width: f64,
) -> Vec<usize> {
    let round =
        axis::ticks(1.0, (count as f64).max(1.5), frame::max_label_count(pen, pixels, label_width, 8.0))
            .into_iter()
            .map(|t| t.0);
    let mut numbers: Vec<usize> =
        round.filter(|v| v.fract() == 0.0 && *v >= 1.0 && *v <= count as f64).map(|v| v as usize).collect();
    let apart = |n: usize| (n - 1) as f64 * f64::from(pixels) / count as f64;
    if numbers.first().is_none_or(|n| *n > 1 && apart(*n) > f64::from(pen.to_pixels(label_width)) * 0.5) {
        numbers.insert(0, 1);
    }
    numbers
}

/// Draws column numbers from 1, with ticks, below a heat map without column names.
fn draw_column_numbers<DB: DrawingBackend>(pen: &Pen<DB>, plot: PixelRect, grid: &Heatmap) -> DrawResult<DB> {
    let (high, scale) = (grid.columns as f64, AxisScale::Linear);
    let axis = Axis {
        low: 0.0,
        high,
        scale,
        whole_ticks_only: true,
        start_pixel: plot.left,
        end_pixel: plot.right,
        tick_unit: 1.0,
    };
    for number in round_numbers(pen, grid.columns, plot.width(), 48.0) {
        if let Some(x) = axis.pixel_clamped(number as f64 - 0.5) {
            pen.draw_vertical_line(
                x,
                plot.bottom + pen.to_pixels(1.0),
                plot.bottom + pen.to_pixels(TICK_LENGTH + 1.0),
                1.0,
                pen.theme.quiet,
            )?;
            let text = numbers::format_tick(number as f64, 1.0);
            frame::draw_x_tick_label(pen, plot, x, &text, pen.tick_style(HPos::Center))?;
        }
    }
    Ok(())
}

/// Draws the colour scale into `area`, with labels at its top, middle and bottom; the labels at the ends are left out
/// if `limit`, the largest value of the scale, is 0.
fn draw_colour_scale<DB: DrawingBackend>(
    pen: &Pen<DB>,
    area: PixelRect,
    colours: &[RGBColor],
    [top, middle, bottom]: [&str; 3],
    limit: f32,
) -> DrawResult<DB> {
    for (i, colour) in colours.iter().rev().enumerate() {
        let pixels = block_range(i, colours.len(), area.height() as usize);
        let (high, low) = (area.top + pixels.start as i32, area.top + pixels.end as i32);
        pen.fill_rect(PixelRect { top: high, bottom: low, ..area }, *colour, 1.0)?;
    }
    pen.draw_border(area, pen.theme.grid)?;
    let x = area.right + pen.to_pixels(5.0);
    let inset = pen.to_pixels(pen.theme.tick_px * 0.4);
    if !middle.is_empty() {
        pen.draw_text(middle, (x, (area.top + area.bottom) / 2), pen.tick_style(HPos::Left))?;
    }
    if limit > 0.0 {
        pen.draw_text(top, (x, area.top + inset), pen.tick_style(HPos::Left))?;
        pen.draw_text(bottom, (x, area.bottom - inset), pen.tick_style(HPos::Left))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_bounded_and_small_matrices_are_not_gathered() {
        assert_eq!(block_counts(50, 100, (500.0, 300.0), 6000), (50, 100));
        assert_eq!(block_counts(50, 1000, (500.0, 300.0), 6000), (50, 120));
        for (rows, columns) in [(512, 4096), (4096, 512), (1, 1_000_000), (1_000_000, 1)] {
            let (down, across) = block_counts(rows, columns, (800.0, 350.0), 6000);
            assert!(down * across <= 6000 && down >= 1 && across >= 1, "{down} × {across}");
        }
    }

    #[test]
    fn the_largest_magnitude_survives_with_its_sign() {
        let mut grid = Heatmap { rows: 3, columns: 1000, values: vec![0.01; 3000], ..Default::default() };
        grid.values[1765] = -2.0;
        grid.values[1766] = f32::INFINITY;
        let gathered = pool_max_magnitude(&grid, 3, 10);
        assert_eq!(gathered.iter().filter(|v| **v == -2.0).count(), 1);
        assert_eq!(gathered[17], -2.0);
        grid.values.fill(f32::NAN);
        assert!(pool_max_magnitude(&grid, 2, 7).iter().all(|v| v.is_nan()));
    }

    #[test]
    fn names_begin_anew_for_each_map() {
        let map: Vec<String> = (1..=5).map(|at| at.to_string()).collect();
        let names = [map.as_slice(), &map].join(&[String::new()][..]);
        let said = |every: usize| {
            labelled_columns(&names, every)
                .into_iter()
                .map(|at| format!("{at}:{}", names[at]))
                .collect::<Vec<_>>()
        };
        assert_eq!(said(1).len(), 10);
        assert_eq!(said(2), ["0:1", "2:3", "4:5", "6:1", "8:3", "10:5"]);
        // The fifth of the first map would touch the first of the second one.
        assert_eq!(said(4), ["0:1", "6:1", "10:5"]);
        assert_eq!(said(7), ["0:1"], "no room for the second one");
        assert_eq!(said(6), ["0:1", "6:1"]);
        assert_eq!(labelled_columns(&map, 3), [0, 3]);
        assert!(labelled_columns(&[], 3).is_empty());
    }

    #[test]
    fn labels_keep_their_distance() {
        assert_eq!(spread_positions(&[10, 12, 50], 11, 0, 100), [10, 21, 50]);
        assert_eq!(spread_positions(&[90, 95, 99], 11, 0, 100), [78, 89, 100]);
        assert!(spread_positions(&[1, 2, 3], 11, 0, 15).is_empty());
        assert_eq!(spread_positions(&[], 11, 0, 15), [0; 0]);
    }

    #[test]
    fn shades_end_at_the_limit() {
        assert_eq!(
            [-0.5, 0.0, 0.5].map(|v| colour_index(v, 0.5)),
            [Some(0), Some(COLOURS_PER_SIDE), Some(2 * COLOURS_PER_SIDE)]
        );
        assert_eq!((colour_index(f32::NAN, 1.0), colour_index(0.0, 0.0)), (None, Some(COLOURS_PER_SIDE)));
    }
}
