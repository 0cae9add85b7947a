//! Draws the surroundings of a plot: title, legend, axes with numbers and labels.

use plotters::backend::DrawingBackend;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

use super::DrawResult;
use super::axis::Axis;
use super::pen::{LabelStyle, Pen, PixelRect};

/// Empty space at each edge of a chart, in CSS pixels.
const PAD: f64 = 8.0;
/// Height of a row of title or legend, in CSS pixels.
const ROW_HEIGHT: f64 = 18.0;
/// Space between a legend swatch and its name, and half the space between legend entries, in CSS pixels.
const SWATCH_GAP: f64 = 6.0;
/// Width of a legend swatch, the symbol before a name, in CSS pixels.
const SWATCH_WIDTH: f64 = 14.0;
/// Width of a legend swatch that shows the dashes of a curve, in CSS pixels.
const DASHED_SWATCH_WIDTH: f64 = 30.0;
/// Maximum fraction of the height of the chart that the legend may take.
const MAX_LEGEND_FRACTION: f64 = 0.35;
/// Number of legend rows that are always allowed, even if they take more than [`MAX_LEGEND_FRACTION`] of a low chart.
const MIN_LEGEND_ROWS: usize = 3;
/// Minimum factor by which the font of a long name in the legend is shrunk.
const MIN_NAME_SCALE: f64 = 0.6;
/// Minimum space for tick labels on the left of a chart, in CSS pixels; the word "chance" fits.
pub(super) const MIN_LEFT_MARGIN: f64 = 48.0;
/// Space on the right of the plot, in CSS pixels: half the width of the last tick label of the horizontal axis.
const RIGHT_MARGIN: f64 = 14.0;
/// Minimum length of a power of ten on a logarithmic axis, in CSS pixels, for minor ticks within it; on a shorter one
/// they are left out.
const MIN_DIVIDED_DECADE: f64 = 32.0;
/// Minimum length of a power of ten on a logarithmic axis, in CSS pixels, for a tick at each power of ten.
const MIN_MARKED_DECADE: f64 = 6.0;
/// Width, with a gap, of the button that the page shows in the lower left corner of a chart, in CSS pixels.
const CORNER_BUTTON_WIDTH: f64 = 24.0;
/// Length of a tick of an axis, in CSS pixels.
pub(super) const TICK_LENGTH: f64 = 4.0;

/// Symbol in the legend before the name of a curve, of bars or of a background interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LegendSwatch {
    /// A line segment.
    Line,
    /// A line segment with a dot.
    Dotted,
    /// A dot, for a scatter plot.
    Dot,
    /// A rectangle, for a background interval.
    Patch,
}

impl LegendSwatch {
    /// Swatch of a line curve, with a dot if `points`, that is, if its values are marked by dots.
    pub fn of_curve(points: bool) -> Self {
        if points { LegendSwatch::Dotted } else { LegendSwatch::Line }
    }
}

/// An entry of the legend of a chart: a swatch and a name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LegendEntry {
    /// Colour of the curve, bars or background interval that the entry names.
    pub colour: RGBColor,
    /// Name of the curve, bars or background interval.
    pub name: String,
    /// Symbol before the name in the legend.
    pub swatch: LegendSwatch,
    /// Whether the user has switched the curve off.
    pub hidden: bool,
    /// Index of the dashes and marks of the curve; 0 is a solid line with dots.
    pub style_index: usize,
}

/// Title, axis labels and legend around a plot, and space on its left and right.
pub(super) struct PlotLabels<'a> {
    /// Title of the chart.
    pub title: &'a str,
    /// Label of the horizontal axis.
    pub x_label: &'a str,
    /// Label of the vertical axis; omitted if the title repeats it.
    pub y_label: &'a str,
    /// Entries of the legend, in the order in which they are drawn.
    pub legend: Vec<LegendEntry>,
    /// Width of the tick labels left of the plot, in backend pixels.
    pub left_label_width: i32,
    /// Minimum space left of the plot in CSS pixels, so that charts below each other are aligned.
    pub min_left: f64,
    /// Extra space right of the plot, in backend pixels.
    pub extra_right: i32,
}

/// Draws title, legend and axis labels, and returns the rectangle that remains for the plot; `None`, with nothing
/// drawn, if that is too small.
pub(super) fn draw_surroundings<DB: DrawingBackend>(
    pen: &Pen<DB>,
    names: &PlotLabels,
) -> Result<Option<PixelRect>, DrawingAreaErrorKind<DB::ErrorType>> {
    let all = pen.full_rect();
    let pad = pen.to_pixels(PAD);
    let room = all.width() - pad - pen.to_pixels(RIGHT_MARGIN);
    let (title, y) = (names.title.to_lowercase(), names.y_label.to_lowercase());
    let turned = !y.is_empty() && title.split(", ").next() != Some(&y);
    let rows = header_row_count(pen, names, room);
    let below =
        pen.to_pixels(17.0) + if names.x_label.is_empty() { pen.to_pixels(4.0) } else { pen.to_pixels(21.0) };
    let plot = PixelRect {
        left: pad
            + (names.left_label_width + if turned { pen.to_pixels(15.0) } else { 0 })
                .max(pen.to_pixels(names.min_left)),
        top: pen.to_pixels(if rows > 0 { PAD + 6.0 } else { PAD + 2.0 } + ROW_HEIGHT * rows as f64),
        right: all.right - pen.to_pixels(RIGHT_MARGIN) - names.extra_right,
        bottom: all.bottom - below,
    };
    if plot.width() < pen.to_pixels(24.0) || plot.height() < pen.to_pixels(16.0) {
        return Ok(None);
    }
    draw_header(pen, names, room)?;
    draw_x_label(pen, names.x_label, plot)?;
    if turned
        && pen.text_width(names.y_label, pen.name_style(HPos::Center)) < plot.height() + pen.to_pixels(20.0)
    {
        let label = LabelStyle { is_vertical: true, ..pen.name_style(HPos::Center) };
        pen.draw_text(names.y_label, (pad + pen.to_pixels(5.0), (plot.top + plot.bottom) / 2), label)?;
    }
    Ok(Some(plot))
}

/// Draws the label of the horizontal axis below the middle of the plot; moves or shrinks it where it would leave the
/// picture or meet the page's corner button.
fn draw_x_label<DB: DrawingBackend>(pen: &Pen<DB>, name: &str, plot: PixelRect) -> DrawResult<DB> {
    let (all, label) = (pen.full_rect(), pen.name_style(HPos::Center));
    let left = if pen.theme.titles { 0 } else { pen.to_pixels(CORNER_BUTTON_WIDTH) };
    let share = f64::from(all.right - left) / f64::from(pen.text_width(name, label).max(1));
    let label = LabelStyle { size: label.size * share.clamp(MIN_NAME_SCALE, 1.0), ..label };
    let half = (pen.text_width(name, label) + 1) / 2;
    let middle = ((plot.left + plot.right) / 2).min(all.right - half).max(left + half);
    pen.draw_text(name, (middle, all.bottom - pen.to_pixels(11.0)), label)
}

/// Text style of the names in the legend.
fn legend_label_style<DB: DrawingBackend>(pen: &Pen<DB>) -> LabelStyle {
    LabelStyle { colour: pen.theme.ink, ..pen.name_style(HPos::Left) }
}

/// Width of a legend swatch in CSS pixels: wider if the theme distinguishes curves by dashes.
fn swatch_width<DB: DrawingBackend>(pen: &Pen<DB>) -> f64 {
    if pen.theme.dashes { DASHED_SWATCH_WIDTH } else { SWATCH_WIDTH }
}

/// Text style of a name in the legend, shrunk if its entry is wider than `room` backend pixels.
fn entry_label_style<DB: DrawingBackend>(pen: &Pen<DB>, name: &str, room: i32) -> LabelStyle {
    let label = legend_label_style(pen);
    let room = f64::from(room - pen.to_pixels(swatch_width(pen) + SWATCH_GAP));
    let share = (room / f64::from(pen.text_width(name, label).max(1))).clamp(MIN_NAME_SCALE, 1.0);
    LabelStyle { size: label.size * share, ..label }
}

/// Width in backend pixels of the legend entry with this name, which has `room` backend pixels at most.
fn entry_width<DB: DrawingBackend>(pen: &Pen<DB>, name: &str, room: i32) -> i32 {
    pen.to_pixels(swatch_width(pen) + 3.0 * SWATCH_GAP)
        + pen.text_width(name, entry_label_style(pen, name, room))
}

/// Splits the legend into rows that are `room` backend pixels wide, and drops rows for which the chart is too low; the
/// flag says whether the first legend row shares the row of the title.
fn legend_rows<'a, DB: DrawingBackend>(
    pen: &Pen<DB>,
    names: &'a PlotLabels,
    room: i32,
) -> (bool, Vec<&'a [LegendEntry]>) {
    let widths: Vec<i32> = names.legend.iter().map(|entry| entry_width(pen, &entry.name, room)).collect();
    let title = match names.title {
        "" => 0,
        title => pen.text_width(title, pen.title_style()) + pen.to_pixels(2.0 * SWATCH_GAP),
    };
    if widths.iter().sum::<i32>() + title <= room + pen.to_pixels(2.0 * SWATCH_GAP) {
        return (true, vec![&names.legend]);
    }
    let (mut rows, mut from, mut used) = (vec![], 0, 0);
    for (i, width) in widths.iter().enumerate() {
        if used + width > room + pen.to_pixels(2.0 * SWATCH_GAP) && i > from {
            rows.push(&names.legend[from..i]);
            (from, used) = (i, 0);
        }
        used += width;
    }
    rows.push(&names.legend[from..]);
    rows.truncate(
        MIN_LEGEND_ROWS
            .max((MAX_LEGEND_FRACTION * pen.to_css_pixels(pen.full_rect().height()) / ROW_HEIGHT) as usize),
    );
    (title == 0, rows)
}

/// Number of rows that title and legend take above a plot `room` backend pixels wide; 0 if the theme reserves no space
/// for them.
fn header_row_count<DB: DrawingBackend>(pen: &Pen<DB>, names: &PlotLabels, room: i32) -> usize {
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

/// Draws title and legend above the plot, in rows that are `room` backend pixels wide.
fn draw_header<DB: DrawingBackend>(pen: &Pen<DB>, names: &PlotLabels, room: i32) -> DrawResult<DB> {
    let left = pen.to_pixels(PAD);
    let row_y = |row: usize| pen.to_pixels(PAD + ROW_HEIGHT * (row as f64 + 0.5) - 2.0);
    if pen.theme.titles {
        pen.draw_text(names.title, (left, row_y(0)), pen.title_style())?;
    }
    let (shared, rows) = legend_rows(pen, names, room);
    for (i, entries) in rows.iter().enumerate() {
        let row = if shared { i } else { i + usize::from(!names.title.is_empty()) };
        let width: i32 = entries.iter().map(|entry| entry_width(pen, &entry.name, room)).sum();
        let mut x = if shared { left + room + pen.to_pixels(2.0 * SWATCH_GAP) - width } else { left };
        for LegendEntry { colour, name, swatch: kind, style_index: look, .. } in *entries {
            let (wide, y) = (swatch_width(pen), row_y(row));
            match kind {
                LegendSwatch::Patch => {
                    pen.draw_horizontal_line(x, x + pen.to_pixels(wide), y, 11.0, *colour)?
                }
                LegendSwatch::Line | LegendSwatch::Dotted if pen.theme.dashes => {
                    pen.draw_dashed_curve(
                        &[(x, y), (x + pen.to_pixels(wide), y)],
                        pen.theme.curve_width,
                        *colour,
                        *look,
                    )?;
                }
                LegendSwatch::Line => {
                    pen.draw_horizontal_line(x, x + pen.to_pixels(wide), y, 3.0, *colour)?
                }
                LegendSwatch::Dotted => {
                    pen.draw_horizontal_line(x, x + pen.to_pixels(wide), y, 1.6, *colour)?
                }
                LegendSwatch::Dot => {}
            }
            if matches!(kind, LegendSwatch::Dotted | LegendSwatch::Dot) {
                pen.draw_mark((x + pen.to_pixels(wide) / 2, y), 3.0, *colour, *look)?;
            }
            pen.draw_text(
                name,
                (x + pen.to_pixels(wide + SWATCH_GAP), y),
                entry_label_style(pen, name, room),
            )?;
            x += entry_width(pen, name, room);
        }
    }
    Ok(())
}

/// Maximum number of labels on an axis that is `pixels` backend pixels long if each takes `label_width` CSS pixels; at
/// most `max_count`.
pub(super) fn max_label_count<DB: DrawingBackend>(
    pen: &Pen<DB>,
    pixels: i32,
    label_width: f64,
    max_count: f64,
) -> usize {
    (pen.to_css_pixels(pixels) / label_width).clamp(2.0, max_count) as usize
}

/// Width in backend pixels of the widest of these tick labels.
pub(super) fn max_label_width<'a, DB: DrawingBackend>(
    pen: &Pen<DB>,
    labels: impl Iterator<Item = &'a str>,
) -> i32 {
    labels.map(|text| pen.text_width(text, pen.tick_style(HPos::Right))).max().unwrap_or(0)
}

/// Draws ticks and tick labels of the horizontal axis below the plot, and a line along it if `with_line`.
pub(super) fn draw_x_axis<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: PixelRect,
    axis: &Axis,
    with_line: bool,
) -> DrawResult<DB> {
    if with_line {
        pen.fill_rect(
            PixelRect { top: plot.bottom, bottom: plot.bottom + pen.to_pixels(1.0), ..plot },
            pen.theme.quiet,
            1.0,
        )?;
    }
    let ticks =
        axis.ticks(max_label_count(pen, plot.width(), if axis.is_logarithmic() { 44.0 } else { 64.0 }, 8.0));
    for x in minor_tick_pixels(pen, axis, &ticks) {
        pen.draw_vertical_line(
            x,
            plot.bottom,
            plot.bottom + pen.to_pixels(TICK_LENGTH / 2.0 + 1.0),
            1.0,
            pen.theme.quiet,
        )?;
    }
    for (value, text) in ticks {
        if let Some(x) = axis.pixel_if_inside(value) {
            pen.draw_vertical_line(
                x,
                plot.bottom,
                plot.bottom + pen.to_pixels(TICK_LENGTH + 1.0),
                1.0,
                pen.theme.quiet,
            )?;
            draw_x_tick_label(pen, plot, x, &text, pen.tick_style(HPos::Center))?;
        }
    }
    Ok(())
}

/// Pixels, along the axis, of the ticks of a logarithmic axis that have no label in `labelled`, pairs of a value and
/// its label, as many as there is room for; none on a linear axis.
fn minor_tick_pixels<DB: DrawingBackend>(pen: &Pen<DB>, axis: &Axis, labelled: &[(f64, String)]) -> Vec<i32> {
    if !axis.is_logarithmic() {
        return vec![];
    }
    let decade = pen.to_css_pixels((axis.end_pixel - axis.start_pixel).abs()) / axis.decade_count();
    let ticks = if decade >= MIN_DIVIDED_DECADE {
        axis.minor_ticks()
    } else if decade >= MIN_MARKED_DECADE {
        axis.decade_ticks()
    } else {
        vec![]
    };
    let more = ticks.into_iter().filter(|value| labelled.iter().all(|(other, _)| other != value));
    more.filter_map(|value| axis.pixel_if_inside(value)).collect()
}

/// Draws the label of a tick below the plot, centred at the pixel column `x`, but moved inward where it would leave the
/// picture.
pub(super) fn draw_x_tick_label<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: PixelRect,
    x: i32,
    text: &str,
    label: LabelStyle,
) -> DrawResult<DB> {
    let half = pen.text_width(text, label) / 2;
    let right = pen.full_rect().right - half;
    pen.draw_text(text, (x.min(right).max(half), plot.bottom + pen.to_pixels(TICK_LENGTH + 9.0)), label)
}

/// Distance in CSS pixels between the plot and the tick labels on its left; wider on a logarithmic axis, so that a tick
/// is not read as a minus.
pub(super) fn y_label_gap(axis: &Axis) -> f64 {
    if axis.is_logarithmic() { TICK_LENGTH + 5.0 } else { 6.0 }
}

/// Draws `ticks`, pairs of a value and its label, and grid lines of the vertical axis; no label is drawn near the pixel
/// rows in `skip`, such as those of the names of reference lines.
pub(super) fn draw_y_axis<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: PixelRect,
    axis: &Axis,
    ticks: &[(f64, String)],
    skip: &[i32],
) -> DrawResult<DB> {
    for y in minor_tick_pixels(pen, axis, ticks) {
        pen.draw_horizontal_line(
            plot.left - pen.to_pixels(TICK_LENGTH * 0.75),
            plot.left,
            y,
            1.0,
            pen.theme.quiet,
        )?;
    }
    for (value, text) in ticks {
        let Some(y) = axis.pixel_if_inside(*value) else { continue };
        if y < plot.bottom {
            pen.draw_horizontal_line(plot.left, plot.right, y, 1.0, pen.theme.grid)?;
        }
        if axis.is_logarithmic() {
            pen.draw_horizontal_line(
                plot.left - pen.to_pixels(TICK_LENGTH),
                plot.left,
                y,
                1.0,
                pen.theme.quiet,
            )?;
        }
        if skip.iter().all(|other| (other - y).abs() >= pen.to_pixels(pen.theme.tick_px)) {
            pen.draw_text(
                text,
                (plot.left - pen.to_pixels(y_label_gap(axis)), y),
                pen.tick_style(HPos::Right),
            )?;
        }
    }
    Ok(())
}
