//! Draws names inside a plot where no curve crosses them.

use plotters::backend::DrawingBackend;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::style::text_anchor::HPos;

use super::DrawResult;
use super::axis::Axis;
use super::decimate::PixelPoint;
use super::pen::{LabelStyle, Pen, PixelRect};
use crate::analysis::LineChart;

/// Maximum width in CSS pixels of the name of a reference line beside the axis; wider names are written inside the
/// plot.
const MAX_AXIS_NAME_WIDTH: f64 = 48.0;

/// Share of the estimated width of a text by which its real width may exceed the estimate: fonts differ.
const WIDTH_TOLERANCE: f64 = 0.08;
/// Minimum scale to which the name of a reference line is shrunk in a narrow plot.
const MIN_NAME_SCALE: f64 = 0.6;

/// Whether the name of a reference line is narrow enough to be written left of the vertical axis.
pub(super) fn fits_next_to_axis<DB: DrawingBackend>(pen: &Pen<DB>, name: &str) -> bool {
    pen.text_width(name, pen.tick_style(HPos::Right)) <= pen.to_pixels(MAX_AXIS_NAME_WIDTH)
}

/// Writes inside the plot the names of vertical marks, and of reference lines whose names do not fit beside the axis;
/// avoids the pixels of the drawn `curves`.
pub(super) fn draw_inside_names<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: PixelRect,
    x: &Axis,
    y: &Axis,
    lines: &LineChart,
    curves: &[Vec<PixelPoint>],
) -> DrawResult<DB> {
    let mut taken = vec![];
    for (at, name) in lines.reference_lines.iter().filter(|r| !fits_next_to_axis(pen, &r.1)) {
        let Some(at) = y.pixel_if_inside(*at) else { continue };
        let row = pen.to_pixels(pen.theme.tick_px * 0.8);
        let (left, right) = (plot.left + pen.to_pixels(4.0), plot.right - pen.to_pixels(4.0));
        let label = shrink_to_width(pen, name, right - left, pen.tick_style(HPos::Left));
        let width = pen.text_width(name, label);
        let room = right - left - width;
        // At the edges the text ends exactly where the plot ends, whatever the font. Between the quarters only where
        // a curve crosses all of them.
        let spots: Vec<_> = [8, 0, 4, 6, 2, 7, 1, 5, 3]
            .iter()
            .map(|eighths| match eighths {
                8 => (right, HPos::Right),
                0 => (left, HPos::Left),
                eighths => (left + room * eighths / 8 + width / 2, HPos::Center),
            })
            .flat_map(|(x, align)| [(x, at + row, align), (x, at - row, align)])
            .collect();
        taken.extend(draw_at_free_spot(pen, plot, curves, &taken, name, &spots, label)?);
    }
    for (at, name) in &lines.marks {
        let Some(at) = x.pixel_if_inside(*at) else { continue };
        let spots: Vec<_> = [0.5, 0.3, 0.7, 0.12, 0.88]
            .iter()
            .map(|share| plot.top + (share * f64::from(plot.height())) as i32)
            .flat_map(|y| {
                [(at + pen.to_pixels(5.0), y, HPos::Left), (at - pen.to_pixels(5.0), y, HPos::Right)]
            })
            .collect();
        let label = LabelStyle { colour: pen.theme.mark, ..pen.tick_style(HPos::Left) };
        taken.extend(draw_at_free_spot(pen, plot, curves, &taken, name, &spots, label)?);
    }
    Ok(())
}

/// The style `label`, with a smaller font if the text would be wider than `room` backend pixels.
fn shrink_to_width<DB: DrawingBackend>(
    pen: &Pen<DB>,
    text: &str,
    room: i32,
    label: LabelStyle,
) -> LabelStyle {
    let width = f64::from(pen.text_width(text, label).max(1)) * (1.0 + WIDTH_TOLERANCE);
    // One pixel for rounding.
    let share = (f64::from(room - 1) / width).clamp(MIN_NAME_SCALE, 1.0);
    LabelStyle { size: label.size * share, ..label }
}

/// Writes a name in the style `label` at the first of `spots`, each (x, y, alignment to x), where no curve crosses it,
/// else at the first where it fits and overlaps none of the names in `taken`; returns its rectangle, `None` if nothing
/// was written.
fn draw_at_free_spot<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: PixelRect,
    curves: &[Vec<PixelPoint>],
    taken: &[PixelRect],
    name: &str,
    spots: &[(i32, i32, HPos)],
    label: LabelStyle,
) -> Result<Option<PixelRect>, DrawingAreaErrorKind<DB::ErrorType>> {
    let width = pen.text_width(name, label);
    // A text that is wider than estimated extends by this much on the side that is not aligned.
    let tolerance = (f64::from(width) * WIDTH_TOLERANCE) as i32;
    let half = pen.to_pixels(label.size * 0.62);
    let margin = pen.to_pixels(2.0);
    let fitting: Vec<(PixelPoint, HPos, PixelRect)> = spots
        .iter()
        .map(|(x, y, align)| {
            let left = match align {
                HPos::Left => *x,
                HPos::Center => *x - width / 2,
                HPos::Right => *x - width,
            };
            let area = PixelRect {
                left: left - margin,
                right: left + width + margin,
                top: y - half,
                bottom: y + half,
            };
            ((*x, *y), *align, area)
        })
        .filter(|(_, align, a)| {
            let (more_left, more_right) = match align {
                HPos::Left => (0, tolerance),
                HPos::Center => (tolerance / 2, tolerance / 2),
                HPos::Right => (tolerance, 0),
            };
            a.left - more_left >= plot.left
                && a.right + more_right <= plot.right
                && a.top >= plot.top
                && a.bottom <= plot.bottom
        })
        .filter(|(_, _, area)| !taken.iter().any(|other| overlaps(*area, *other)))
        .collect();
    let free = fitting.iter().find(|(_, _, area)| !curves.iter().any(|run| crosses(run, *area)));
    let Some((at, align, area)) = free.or(fitting.first()) else { return Ok(None) };
    if free.is_none() {
        pen.fill_rect(*area, pen.theme.bg, 0.8)?;
    }
    pen.draw_text(name, *at, LabelStyle { align: *align, ..label })?;
    Ok(Some(*area))
}

/// Whether the rectangles `a` and `b` have a common pixel.
fn overlaps(a: PixelRect, b: PixelRect) -> bool {
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

/// Whether the curve through the pixels `run` crosses the rectangle `area`, approximately: long segments are sampled at
/// 16 points.
fn crosses(run: &[PixelPoint], area: PixelRect) -> bool {
    let within = |(x, y): PixelPoint| area.left <= x && x < area.right && area.top <= y && y < area.bottom;
    run.windows(2).any(|ends| {
        let [(x0, y0), (x1, y1)] = [ends[0], ends[1]];
        let beside = x0.max(x1) < area.left || x0.min(x1) >= area.right;
        let above = y0.max(y1) < area.top || y0.min(y1) >= area.bottom;
        !beside && !above && (0..=16).any(|i| within((x0 + (x1 - x0) * i / 16, y0 + (y1 - y0) * i / 16)))
    })
}
