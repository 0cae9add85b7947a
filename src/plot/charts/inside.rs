//! Names inside of a plot, clear of its curves.

use plotters::backend::DrawingBackend;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

use super::Drawn;
use super::axis::Axis;
use super::decimate::Point;
use super::pen::{Area, Label, Pen};
use crate::analysis::Lines;

/// A reference whose name is longer (CSS pixels) is named inside of the plot.
const LONG_NAME: f64 = 48.0;

/// Whether a reference is named beside the axis.
pub(super) fn is_short<DB: DrawingBackend>(pen: &Pen<DB>, name: &str) -> bool {
    pen.width(name, pen.tick(HPos::Right)) <= pen.px(LONG_NAME)
}

/// Writes the names of marks, and of references that are too long for the axis.
pub(super) fn names<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: Area,
    x: &Axis,
    y: &Axis,
    lines: &Lines,
    drawn: &[Vec<Point>],
) -> Drawn<DB> {
    let mut taken = vec![];
    for (at, name) in lines.references.iter().filter(|r| !is_short(pen, &r.1)) {
        let Some(at) = y.place_inside(*at) else { continue };
        let row = pen.px(pen.theme.tick_px * 0.8);
        let (left, right) = (plot.left + pen.px(4.0), plot.right - pen.px(4.0));
        let room = right - left - pen.width(name, pen.tick(HPos::Left));
        // Between the quarters only where a curve crosses all of them.
        let spots: Vec<_> = [8, 0, 4, 6, 2, 7, 1, 5, 3]
            .iter()
            .map(|eighths| left + room * eighths / 8)
            .flat_map(|x| [(x, at + row, HPos::Left), (x, at - row, HPos::Left)])
            .collect();
        taken.extend(inside(pen, plot, drawn, &taken, name, &spots, pen.theme.quiet)?);
    }
    for (at, name) in &lines.marks {
        let Some(at) = x.place_inside(*at) else { continue };
        let spots: Vec<_> = [0.5, 0.3, 0.7, 0.12, 0.88]
            .iter()
            .map(|share| plot.top + (share * f64::from(plot.height())) as i32)
            .flat_map(|y| [(at + pen.px(5.0), y, HPos::Left), (at - pen.px(5.0), y, HPos::Right)])
            .collect();
        taken.extend(inside(pen, plot, drawn, &taken, name, &spots, pen.theme.mark)?);
    }
    Ok(())
}

/// Writes a name inside of the plot at the first spot that no curve crosses, or else at the first that fits and is
/// not taken by another name; where that was.
fn inside<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: Area,
    drawn: &[Vec<Point>],
    taken: &[Area],
    name: &str,
    spots: &[(i32, i32, HPos)],
    colour: RGBColor,
) -> Result<Option<Area>, DrawingAreaErrorKind<DB::ErrorType>> {
    let label = Label { colour, ..pen.tick(HPos::Left) };
    let width = pen.width(name, label);
    let half = pen.px(label.size * 0.62);
    let margin = pen.px(2.0);
    let fitting: Vec<(Point, HPos, Area)> = spots
        .iter()
        .map(|(x, y, align)| {
            let left = if matches!(align, HPos::Left) { *x } else { *x - width };
            let area =
                Area { left: left - margin, right: left + width + margin, top: y - half, bottom: y + half };
            ((*x, *y), *align, area)
        })
        .filter(|(_, _, a)| {
            a.left >= plot.left && a.right <= plot.right && a.top >= plot.top && a.bottom <= plot.bottom
        })
        .filter(|(_, _, area)| !taken.iter().any(|other| overlap(*area, *other)))
        .collect();
    let free = fitting.iter().find(|(_, _, area)| !drawn.iter().any(|run| crosses(run, *area)));
    let Some((at, align, area)) = free.or(fitting.first()) else { return Ok(None) };
    if free.is_none() {
        pen.fill(*area, pen.theme.bg, 0.8)?;
    }
    pen.text(name, *at, Label { align: *align, ..label })?;
    Ok(Some(*area))
}

fn overlap(a: Area, b: Area) -> bool {
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

/// Whether a curve passes through a box, near enough: long segments are looked at in 16 places.
fn crosses(run: &[Point], area: Area) -> bool {
    let within = |(x, y): Point| area.left <= x && x < area.right && area.top <= y && y < area.bottom;
    run.windows(2).any(|ends| {
        let [(x0, y0), (x1, y1)] = [ends[0], ends[1]];
        let beside = x0.max(x1) < area.left || x0.min(x1) >= area.right;
        let above = y0.max(y1) < area.top || y0.min(y1) >= area.bottom;
        !beside && !above && (0..=16).any(|i| within((x0 + (x1 - x0) * i / 16, y0 + (y1 - y0) * i / 16)))
    })
}
