//! Curves, stairs, dots and bands.

use plotters::backend::DrawingBackend;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::style::RGBColor;

use super::Drawn;
use super::axis::Axis;
use super::decimate::{self, Point};
use super::frame::LEFT;
use super::pen::{Area, Pen};
use crate::analysis::Series;

/// Radius of a dot.
pub(super) const DOT: f64 = 2.6;
/// Dots at less distance would be a caterpillar: only the line is drawn then.
const APART: f64 = 7.0;
/// Opacity of a band.
const BAND: f64 = 0.2;
/// Dots of a scatter stand at places this far apart (CSS pixels): any number of them is a bounded number of
/// strokes.
const RASTER: f64 = 1.5;
/// More dots of a scatter are small ones.
const MANY: usize = 300;

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Style {
    /// Its colour.
    pub colour: RGBColor,
    /// Its width in CSS pixels.
    pub width: f64,
    /// Which dashes and marks it has; 0 is a whole line with dots.
    pub look: usize,
}

/// Draws `values` at the places of a curve; what was drawn, so that names can stay clear of it.
pub(super) fn curve<DB: DrawingBackend>(
    pen: &Pen<DB>,
    x: &Axis,
    y: &Axis,
    series: &Series,
    values: &[f32],
    style: Style,
) -> Result<Vec<Vec<Point>>, DrawingAreaErrorKind<DB::ErrorType>> {
    if series.scatter {
        return scatter(pen, x, y, series, style);
    }
    let points: Vec<Option<Point>> = match series.stairs {
        true => {
            let edges = stairs(x, series, values).flat_map(|stair| match stair {
                Some((from, to, value)) => {
                    let at = y.place(f64::from(value));
                    [at.map(|at| (from, at)), at.map(|at| (to, at))]
                }
                None => [None, None],
            });
            edges.collect()
        }
        false if series.ends => ended(x, y, &series.x, values),
        false => line(x, y, &series.x, values),
    };
    let mut runs = decimate::curve(points.into_iter());
    if series.stairs {
        runs.iter_mut().for_each(|run| *run = squared(run));
    }
    for run in &runs {
        pen.dashed(run, style.width, style.colour, style.look)?;
    }
    if series.points && dotted(pen, series.x.len()) {
        dots(pen, x, y, series, style)?;
    }
    Ok(runs)
}

/// The places of a line, cut where it leaves the axis; none for what lies beside.
fn line(x: &Axis, y: &Axis, places: &[f64], values: &[f32]) -> Vec<Option<Point>> {
    let height = |i: usize| y.place(f64::from(values[i]));
    let mut points = vec![];
    let count = places.len().min(values.len());
    for i in 0..count {
        let own = x.place_inside(places[i]);
        points.push(own.and_then(|own| Some((own, height(i)?))));
        // Most lines have nothing beside the axis.
        if i + 1 == count || (own.is_some() && x.place_inside(places[i + 1]).is_some()) {
            continue;
        }
        for edge in [x.start, x.end] {
            let ends =
                (x.place_anywhere(places[i]), x.place_anywhere(places[i + 1]), height(i), height(i + 1));
            let (Some(from), Some(to), Some(low), Some(high)) = ends else { continue };
            let share = (f64::from(edge) - from) / (to - from);
            if share > 0.0 && share < 1.0 {
                points.push(Some((edge, low + (share * f64::from(high - low)).round() as i32)));
            }
        }
    }
    points
}

/// The same, cut as well where it leaves the vertical axis.
fn ended(x: &Axis, y: &Axis, places: &[f64], values: &[f32]) -> Vec<Option<Point>> {
    let mut points = vec![];
    let mut before: Option<(f64, f64)> = None;
    for (at, value) in places.iter().zip(values) {
        let now = x.place_anywhere(*at).zip(y.place_anywhere(f64::from(*value)));
        let now = now.filter(|now| now.0.is_finite() && now.1.is_finite());
        match (before, now) {
            (Some(from), Some(to)) => match within(from, to, x, y) {
                Some((from, to)) => {
                    // Where it comes from outside, it begins anew.
                    let begin = pixels(from);
                    if points.last() != Some(&Some(begin)) {
                        points.extend([None, Some(begin)]);
                    }
                    points.push(Some(pixels(to)));
                }
                None => points.push(None),
            },
            _ => {
                points.push(None);
                points.extend(now.and_then(|at| within(at, at, x, y)).map(|(at, _)| Some(pixels(at))));
            }
        }
        before = now;
    }
    points
}

fn pixels((x, y): (f64, f64)) -> Point {
    (x.round() as i32, y.round() as i32)
}

/// The part of a straight piece that lies on both axes, if any does.
fn within(from: (f64, f64), to: (f64, f64), x: &Axis, y: &Axis) -> Option<((f64, f64), (f64, f64))> {
    let (right, down) = (to.0 - from.0, to.1 - from.1);
    if !right.is_finite() || !down.is_finite() {
        return None;
    }
    let (mut first, mut last) = (0.0f64, 1.0f64);
    for (at, to, length, axis) in [(from.0, to.0, right, x), (from.1, to.1, down, y)] {
        let (low, high) = (f64::from(axis.start.min(axis.end)), f64::from(axis.start.max(axis.end)));
        // Powers of ten are not exact.
        let (low, high) = (low - 0.01, high + 0.01);
        if at.max(to) < low || at.min(to) > high {
            return None;
        }
        if length == 0.0 {
            continue;
        }
        let (one, other) = ((low - at) / length, (high - at) / length);
        (first, last) = (first.max(one.min(other)), last.min(one.max(other)));
    }
    // From the nearer end, which the other one may be so far from that nothing is left of it in their difference.
    let point = |share: f64| match share <= 0.5 {
        true => (from.0 + share * right, from.1 + share * down),
        false => (to.0 - (1.0 - share) * right, to.1 - (1.0 - share) * down),
    };
    // Where both ends are far away, what is between is not exact.
    let held = |at: f64, axis: &Axis| {
        at.clamp(f64::from(axis.start.min(axis.end)), f64::from(axis.start.max(axis.end)))
    };
    let held = |(across, down): (f64, f64)| (held(across, x), held(down, y));
    (first <= last).then(|| (held(point(first)), held(point(last))))
}

/// Draws values as dots that no line joins; a short run for each.
fn scatter<DB: DrawingBackend>(
    pen: &Pen<DB>,
    x: &Axis,
    y: &Axis,
    series: &Series,
    style: Style,
) -> Result<Vec<Vec<Point>>, DrawingAreaErrorKind<DB::ErrorType>> {
    let pairs = series.x.iter().zip(&series.y);
    let places = pairs.filter_map(|(a, b)| Some((x.place_inside(*a)?, y.place_inside(f64::from(*b))?)));
    let places = apart(places, pen.px(RASTER));
    let size = if places.len() > MANY { DOT * 0.6 } else { DOT };
    places.iter().try_for_each(|at| pen.mark(*at, size, style.colour, style.look))?;
    Ok(places.into_iter().map(|at| vec![at, at]).collect())
}

/// The first of the places in each square of this side.
fn apart(places: impl Iterator<Item = Point>, side: i32) -> Vec<Point> {
    let mut taken = std::collections::BTreeSet::new();
    places.filter(|(x, y)| taken.insert((x.div_euclid(side), y.div_euclid(side)))).collect()
}

fn dots<DB: DrawingBackend>(pen: &Pen<DB>, x: &Axis, y: &Axis, series: &Series, style: Style) -> Drawn<DB> {
    let pairs = series.x.iter().zip(&series.y);
    let mut places = pairs.filter_map(|(a, b)| Some((x.place_inside(*a)?, y.place_inside(f64::from(*b))?)));
    places.try_for_each(|at| pen.mark(at, DOT, style.colour, style.look))
}

/// Whether so many values over the whole width can be marked by dots.
pub(super) fn dotted<DB: DrawingBackend>(pen: &Pen<DB>, count: usize) -> bool {
    count as f64 * APART <= pen.css(pen.all().width()) - LEFT
}

/// Where each value begins and ends, as far as the axis goes; none for what lies beside it.
fn stairs<'a, T: Copy>(
    x: &'a Axis,
    series: &'a Series,
    values: &'a [T],
) -> impl Iterator<Item = Option<(i32, i32, T)>> + 'a {
    series.x.iter().zip(values).enumerate().map(|(i, (from, value))| {
        let to = series.x.get(i + 1).unwrap_or(from);
        x.meets(*from, *to).then_some(())?;
        Some((x.place(*from)?, x.place(*to)?, *value))
    })
}

/// Stairs with the corners that went lost where several fell into one column of pixels.
fn squared(run: &[Point]) -> Vec<Point> {
    let mut whole: Vec<Point> = Vec::with_capacity(run.len());
    for (x, y) in run {
        if let Some(last) = whole.last().filter(|last| last.0 != *x && last.1 != *y) {
            whole.push((last.0, *y));
        }
        whole.push((*x, *y));
    }
    whole
}

/// Draws the band around a curve. On a logarithmic axis it reaches to the bottom where its lower edge is not
/// positive.
pub(super) fn band<DB: DrawingBackend>(
    pen: &Pen<DB>,
    x: &Axis,
    y: &Axis,
    series: &Series,
    colour: RGBColor,
) -> Drawn<DB> {
    let height = |(low, high): (f32, f32)| {
        let high = y.place(f64::from(high))?;
        let low = if y.log() && low <= 0.0 { y.low } else { f64::from(low) };
        Some((y.place(low)?, high))
    };
    if series.stairs {
        let steps = stairs(x, series, &series.band).map(|stair| {
            let (from, to, edges) = stair?;
            let (low, high) = height(edges)?;
            Some(Area { left: from, right: to, top: low.min(high), bottom: low.max(high) })
        });
        return boxes(steps.flatten()).into_iter().try_for_each(|area| pen.fill(area, colour, BAND));
    }
    let edges = series.x.iter().zip(&series.band).map(|(at, edges)| {
        let (low, high) = height(*edges)?;
        Some((x.place_inside(*at)?, low, high))
    });
    for run in decimate::band(edges) {
        let outline =
            run.iter().map(|(x, low, _)| (*x, *low)).chain(run.iter().rev().map(|(x, _, high)| (*x, *high)));
        if run.len() > 1 {
            pen.polygon(outline.collect(), colour, BAND)?;
        }
    }
    Ok(())
}

/// The boxes of a staircase, which rise in x, without overlap: those within one column of pixels become one.
fn boxes(stairs: impl Iterator<Item = Area>) -> Vec<Area> {
    let mut apart: Vec<Area> = vec![];
    for stair in stairs {
        let Area { mut left, top, bottom, .. } = stair;
        let right = stair.right.max(left + 1);
        if let Some(last) = apart.last_mut().filter(|last| left < last.right) {
            (last.top, last.bottom) = (last.top.min(top), last.bottom.max(bottom));
            left = last.right;
        }
        if left < right {
            apart.push(Area { left, right, top, bottom });
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::super::axis::Scale;
    use super::*;

    fn axis(low: f64, high: f64) -> Axis {
        Axis { low, high, scale: Scale::Even, whole: false, start: 0, end: 100, unit: 1.0 }
    }

    #[test]
    fn a_stair_reaches_to_the_next_place_and_the_last_to_its_end() {
        let edges = |x: &[f64], y: &[f32]| {
            let series = Series { x: x.into(), y: y.into(), ..Default::default() };
            stairs(&axis(0.0, 10.0), &series, &series.y).map(|s| s.map(|s| (s.0, s.1))).collect::<Vec<_>>()
        };
        assert_eq!(edges(&[0.0, 1.0, 4.0], &[5.0, 6.0]), [Some((0, 10)), Some((10, 40))]);
        assert_eq!(edges(&[0.0, 1.0], &[5.0, 6.0]), [Some((0, 10)), Some((10, 10))]);
        assert_eq!(
            edges(&[-3.0, -1.0, 4.0, 12.0, 13.0], &[1.0; 4]),
            [None, Some((0, 40)), Some((40, 100)), None]
        );
    }

    #[test]
    fn a_line_is_cut_where_it_leaves_the_axis() {
        let points = |x: &[f64], y: &[f32]| {
            line(&axis(0.0, 10.0), &axis(0.0, 100.0), x, y).into_iter().flatten().collect::<Vec<_>>()
        };
        assert_eq!(points(&[2.0, 4.0], &[10.0, 20.0]), [(20, 10), (40, 20)]);
        assert_eq!(points(&[-5.0, 5.0, 15.0], &[0.0, 20.0, 0.0]), [(0, 10), (50, 20), (100, 10)]);
        assert_eq!(points(&[-10.0, 30.0], &[0.0, 40.0]), [(0, 10), (100, 20)], "over the whole axis");
        assert_eq!(points(&[-3.0, -1.0, 11.0, 12.0, 13.0], &[f32::NAN; 5]), []);
        assert_eq!(points(&[11.0, 12.0], &[1.0; 2]), []);
    }

    #[test]
    fn a_curve_that_ends_is_cut_at_the_edges_of_both_axes() {
        let runs = |x: &[f64], y: &[f32]| {
            let points = ended(&axis(0.0, 10.0), &axis(0.0, 100.0), x, y);
            decimate::curve(points.into_iter())
        };
        assert_eq!(runs(&[2.0, 4.0, 6.0], &[10.0, 20.0, 0.0]), [[(20, 10), (40, 20), (60, 0)]]);
        // Out at the middle of the piece, and in again further on: nothing along the edge.
        assert_eq!(
            runs(&[0.0, 2.0, 4.0, 6.0, 8.0], &[50.0, 150.0, 1e38, 150.0, 50.0]),
            [[(0, 50), (10, 100)], [(70, 100), (80, 50)]]
        );
        assert_eq!(
            runs(&[6.0, 8.0], &[1e38, 50.0]),
            [[(80, 50)]],
            "so steep that nothing is left of the piece"
        );
        assert_eq!(runs(&[0.0, 2.0], &[-50.0, 50.0]), [[(10, 0), (20, 50)]]);
        assert_eq!(runs(&[-5.0, 5.0, 15.0], &[0.0, 20.0, 0.0]), [[(0, 10), (50, 20), (100, 10)]]);
        assert_eq!(
            runs(&[0.0, 1.0, 2.0, 3.0, 4.0], &[5.0, f32::NAN, 5.0, 6.0, f32::INFINITY]),
            [vec![(0, 5)], vec![(20, 5), (30, 6)]]
        );
        assert!(runs(&[1.0, 2.0], &[120.0, 130.0]).is_empty() && runs(&[11.0], &[5.0]).is_empty());
    }

    #[test]
    fn stairs_keep_their_corners_where_columns_are_gathered() {
        assert_eq!(squared(&[(0, 5), (3, 5), (3, 9)]), [(0, 5), (3, 5), (3, 9)]);
        assert_eq!(squared(&[(0, 5), (0, 9), (7, 6)]), [(0, 5), (0, 9), (0, 6), (7, 6)]);
    }

    #[test]
    fn dots_on_top_of_each_other_are_one() {
        let places = [(4, 4), (90, 3), (5, 5), (4, 4), (-1, 0), (0, 0)];
        assert_eq!(apart(places.into_iter(), 2), [(4, 4), (90, 3), (-1, 0), (0, 0)]);
        assert_eq!(apart((0..100_000).map(|i| (i % 200, i % 100)), 2).len(), 100);
    }

    #[test]
    fn boxes_of_a_band_do_not_overlap() {
        let of = |left, right, top, bottom| Area { left, right, top, bottom };
        let gathered = boxes([of(0, 4, 1, 2), of(4, 4, 3, 9), of(4, 4, 2, 5), of(4, 9, 4, 6)].into_iter());
        assert_eq!(gathered, [of(0, 4, 1, 2), of(4, 5, 2, 9), of(5, 9, 4, 6)]);
    }
}
