//! Curves, stairs, dots and bands.

use plotters::backend::DrawingBackend;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::style::RGBColor;

use super::DrawResult;
use super::axis::Axis;
use super::decimate::{self, PixelPoint};
use super::frame::MIN_LEFT_MARGIN;
use super::pen::{Pen, PixelRect};
use crate::analysis::Series;

/// Radius in CSS pixels of the dot that marks a value of a curve.
pub(super) const DOT_RADIUS: f64 = 2.6;
/// Minimum distance in CSS pixels between the dots that mark the values of a line curve; if values are closer, only the
/// line is drawn.
const MIN_DOT_DISTANCE: f64 = 7.0;
/// Opacity, from 0 to 1, of the band around a curve.
const BAND_OPACITY: f64 = 0.2;
/// Side in CSS pixels of the squares of which each gets at most one dot of a scatter plot, which bounds the number of
/// strokes.
const SCATTER_RASTER: f64 = 1.5;
/// Maximum number of full-size dots of a scatter plot; if there are more, all its dots are smaller.
const MAX_LARGE_DOTS: usize = 300;

/// Half of the width, and the height, in CSS pixels of the arrowhead that marks where a curve leaves the plot at its top.
const ARROW_SIZE: f64 = 4.0;

/// Colour, width and dashes of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CurveStyle {
    /// Colour of the curve and of its dots.
    pub colour: RGBColor,
    /// Line width of the curve in CSS pixels.
    pub width: f64,
    /// Index of the dashes and marks of the curve; 0 is a solid line with dots.
    pub style_index: usize,
}

/// Draws `values` at the x values of a curve, and returns the drawn pixels in unbroken runs, so that names can avoid
/// them.
pub(super) fn draw_curve<DB: DrawingBackend>(
    pen: &Pen<DB>,
    x: &Axis,
    y: &Axis,
    series: &Series,
    values: &[f32],
    style: CurveStyle,
) -> Result<Vec<Vec<PixelPoint>>, DrawingAreaErrorKind<DB::ErrorType>> {
    if series.scatter {
        return draw_scatter(pen, x, y, series, style);
    }
    let points: Vec<Option<PixelPoint>> = match series.stairs {
        true => {
            let edges = stair_edges(x, series, values).flat_map(|stair| match stair {
                Some((from, to, value)) => {
                    let at = y.pixel_clamped(f64::from(value));
                    [at.map(|at| (from, at)), at.map(|at| (to, at))]
                }
                None => [None, None],
            });
            edges.collect()
        }
        false if series.is_clipped || leaves_axis(y, values) => clipped_line_points(x, y, &series.x, values),
        false => line_points(x, y, &series.x, values),
    };
    let mut runs = decimate::decimate_curve(points.into_iter());
    if series.stairs {
        runs.iter_mut().for_each(|run| *run = restore_corners(run));
    }
    for run in &runs {
        pen.draw_dashed_curve(run, style.width, style.colour, style.style_index)?;
    }
    if series.points && has_room_for_dots(pen, series.x.len()) {
        draw_dots(pen, x, y, series, style)?;
    }
    if !series.is_clipped && !series.stairs {
        for at in exit_pixels(x, y, &series.x, values) {
            draw_arrow(pen, at, style.colour)?;
        }
    }
    Ok(runs)
}

/// Whether one of the finite values is beyond an end of the vertical axis, so that the curve is cut there.
fn leaves_axis(y: &Axis, values: &[f32]) -> bool {
    let is_out = |value: f64| y.pixel_unclamped(value).is_some() && y.pixel_if_inside(value).is_none();
    values.iter().any(|value| is_out(f64::from(*value)))
}

/// Pixels at the top of the plot through which the line through `values` at the x values `places` leaves the vertical
/// axis or enters it, at most one for the width of an arrowhead.
fn exit_pixels(x: &Axis, y: &Axis, places: &[f64], values: &[f32]) -> Vec<PixelPoint> {
    let is_above =
        |at: usize| f64::from(values[at]) > y.high && y.pixel_if_inside(f64::from(values[at])).is_none();
    let point = |at: usize| x.pixel_unclamped(places[at]).zip(y.pixel_unclamped(f64::from(values[at])));
    let top = f64::from(y.end_pixel);
    let mut exits: Vec<PixelPoint> = vec![];
    for at in 1..places.len().min(values.len()) {
        if is_above(at - 1) == is_above(at) {
            continue;
        }
        let (Some(from), Some(to)) = (point(at - 1), point(at)) else { continue };
        let share = (top - from.1) / (to.1 - from.1);
        let across = from.0 + share.clamp(0.0, 1.0) * (to.0 - from.0);
        let (left, right) = (f64::from(x.start_pixel), f64::from(x.end_pixel));
        let is_apart = |other: &PixelPoint| (f64::from(other.0) - across).abs() >= 2.0 * ARROW_SIZE;
        if (left..=right).contains(&across) && exits.last().is_none_or(is_apart) {
            exits.push(round_to_pixel((across, top)));
        }
    }
    exits
}

/// Draws an arrowhead that points upwards, with its tip at the pixel `at`.
fn draw_arrow<DB: DrawingBackend>(pen: &Pen<DB>, (x, y): PixelPoint, colour: RGBColor) -> DrawResult<DB> {
    let size = pen.to_pixels(ARROW_SIZE);
    pen.fill_polygon(vec![(x, y), (x - size, y + size), (x + size, y + size)], colour, 1.0)
}

/// Pixels of the line through `values` at the x values `places`, clipped at the ends of the horizontal axis, for values
/// within the vertical axis; `None` for values that are outside the horizontal axis, not finite, or not positive on a
/// logarithmic axis.
fn line_points(x: &Axis, y: &Axis, places: &[f64], values: &[f32]) -> Vec<Option<PixelPoint>> {
    let height = |i: usize| y.pixel_clamped(f64::from(values[i]));
    let mut points = vec![];
    let count = places.len().min(values.len());
    for i in 0..count {
        let own = x.pixel_if_inside(places[i]);
        points.push(own.and_then(|own| Some((own, height(i)?))));
        // Most lines have nothing beside the axis.
        if i + 1 == count || (own.is_some() && x.pixel_if_inside(places[i + 1]).is_some()) {
            continue;
        }
        for edge in [x.start_pixel, x.end_pixel] {
            let ends =
                (x.pixel_unclamped(places[i]), x.pixel_unclamped(places[i + 1]), height(i), height(i + 1));
            let (Some(from), Some(to), Some(low), Some(high)) = ends else { continue };
            let share = (f64::from(edge) - from) / (to - from);
            if share > 0.0 && share < 1.0 {
                points.push(Some((edge, low + (share * f64::from(high - low)).round() as i32)));
            }
        }
    }
    points
}

/// Pixels of the line through `values` at the x values `places`, clipped at the ends of both axes; `None` where the
/// line is interrupted.
fn clipped_line_points(x: &Axis, y: &Axis, places: &[f64], values: &[f32]) -> Vec<Option<PixelPoint>> {
    let mut points = vec![];
    let mut before: Option<(f64, f64)> = None;
    for (at, value) in places.iter().zip(values) {
        let now = x.pixel_unclamped(*at).zip(y.pixel_unclamped(f64::from(*value)));
        let now = now.filter(|now| now.0.is_finite() && now.1.is_finite());
        match (before, now) {
            (Some(from), Some(to)) => match clip_segment(from, to, x, y) {
                Some((from, to)) => {
                    // Where it comes from outside, it begins anew.
                    let begin = round_to_pixel(from);
                    if points.last() != Some(&Some(begin)) {
                        points.extend([None, Some(begin)]);
                    }
                    points.push(Some(round_to_pixel(to)));
                }
                None => points.push(None),
            },
            _ => {
                points.push(None);
                points.extend(
                    now.and_then(|at| clip_segment(at, at, x, y)).map(|(at, _)| Some(round_to_pixel(at))),
                );
            }
        }
        before = now;
    }
    points
}

/// Rounds a position (x, y) in fractions of backend pixels to whole backend pixels.
fn round_to_pixel((x, y): (f64, f64)) -> PixelPoint {
    (x.round() as i32, y.round() as i32)
}

/// The two ends, each (x, y) in backend pixels, of the part of the line segment between the pixels `from` and `to` that
/// is within both axes; `None` if no part is.
fn clip_segment(from: (f64, f64), to: (f64, f64), x: &Axis, y: &Axis) -> Option<((f64, f64), (f64, f64))> {
    let (right, down) = (to.0 - from.0, to.1 - from.1);
    if !right.is_finite() || !down.is_finite() {
        return None;
    }
    let (mut first, mut last) = (0.0f64, 1.0f64);
    for (at, to, length, axis) in [(from.0, to.0, right, x), (from.1, to.1, down, y)] {
        let (low, high) = (
            f64::from(axis.start_pixel.min(axis.end_pixel)),
            f64::from(axis.start_pixel.max(axis.end_pixel)),
        );
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
        at.clamp(
            f64::from(axis.start_pixel.min(axis.end_pixel)),
            f64::from(axis.start_pixel.max(axis.end_pixel)),
        )
    };
    let held = |(across, down): (f64, f64)| (held(across, x), held(down, y));
    (first <= last).then(|| (held(point(first)), held(point(last))))
}

/// Draws the values of a curve as dots without a line, and returns a run of two equal pixels for each dot.
fn draw_scatter<DB: DrawingBackend>(
    pen: &Pen<DB>,
    x: &Axis,
    y: &Axis,
    series: &Series,
    style: CurveStyle,
) -> Result<Vec<Vec<PixelPoint>>, DrawingAreaErrorKind<DB::ErrorType>> {
    let pairs = series.x.iter().zip(&series.y);
    let places = pairs.filter_map(|(a, b)| Some((x.pixel_if_inside(*a)?, y.pixel_if_inside(f64::from(*b))?)));
    let places = thin_dots(places, pen.to_pixels(SCATTER_RASTER));
    let size = if places.len() > MAX_LARGE_DOTS { DOT_RADIUS * 0.6 } else { DOT_RADIUS };
    places.iter().try_for_each(|at| pen.draw_mark(*at, size, style.colour, style.style_index))?;
    Ok(places.into_iter().map(|at| vec![at, at]).collect())
}

/// Keeps the first position in each square of a grid with squares of `side` backend pixels.
fn thin_dots(places: impl Iterator<Item = PixelPoint>, side: i32) -> Vec<PixelPoint> {
    let mut taken = std::collections::BTreeSet::new();
    places.filter(|(x, y)| taken.insert((x.div_euclid(side), y.div_euclid(side)))).collect()
}

/// Draws a dot or mark at each value of a curve.
fn draw_dots<DB: DrawingBackend>(
    pen: &Pen<DB>,
    x: &Axis,
    y: &Axis,
    series: &Series,
    style: CurveStyle,
) -> DrawResult<DB> {
    let pairs = series.x.iter().zip(&series.y);
    let mut places =
        pairs.filter_map(|(a, b)| Some((x.pixel_if_inside(*a)?, y.pixel_if_inside(f64::from(*b))?)));
    places.try_for_each(|at| pen.draw_mark(at, DOT_RADIUS, style.colour, style.style_index))
}

/// Whether there is room for `count` separate dots along a curve over the whole width of the plot.
pub(super) fn has_room_for_dots<DB: DrawingBackend>(pen: &Pen<DB>, count: usize) -> bool {
    count as f64 * MIN_DOT_DISTANCE <= pen.to_css_pixels(pen.full_rect().width()) - MIN_LEFT_MARGIN
}

/// Start pixel, end pixel and value of each stair of a staircase curve, clipped to the horizontal axis; `None` for a
/// stair outside it.
fn stair_edges<'a, T: Copy>(
    x: &'a Axis,
    series: &'a Series,
    values: &'a [T],
) -> impl Iterator<Item = Option<(i32, i32, T)>> + 'a {
    series.x.iter().zip(values).enumerate().map(|(i, (from, value))| {
        let to = series.x.get(i + 1).unwrap_or(from);
        x.overlaps(*from, *to).then_some(())?;
        Some((x.pixel_clamped(*from)?, x.pixel_clamped(*to)?, *value))
    })
}

/// Restores the corners of a staircase curve that were lost where several stairs share a pixel column.
fn restore_corners(run: &[PixelPoint]) -> Vec<PixelPoint> {
    let mut whole: Vec<PixelPoint> = Vec::with_capacity(run.len());
    for (x, y) in run {
        if let Some(last) = whole.last().filter(|last| last.0 != *x && last.1 != *y) {
            whole.push((last.0, *y));
        }
        whole.push((*x, *y));
    }
    whole
}

/// Draws the band around a curve. On a logarithmic axis the band extends to the bottom where its lower edge is not
/// positive.
pub(super) fn draw_band<DB: DrawingBackend>(
    pen: &Pen<DB>,
    x: &Axis,
    y: &Axis,
    series: &Series,
    colour: RGBColor,
) -> DrawResult<DB> {
    let height = |(low, high): (f32, f32)| {
        let high = y.pixel_clamped(f64::from(high))?;
        let low = if y.is_logarithmic() && low <= 0.0 { y.low } else { f64::from(low) };
        Some((y.pixel_clamped(low)?, high))
    };
    if series.stairs {
        let steps = stair_edges(x, series, &series.band).map(|stair| {
            let (from, to, edges) = stair?;
            let (low, high) = height(edges)?;
            Some(PixelRect { left: from, right: to, top: low.min(high), bottom: low.max(high) })
        });
        return merge_boxes(steps.flatten())
            .into_iter()
            .try_for_each(|area| pen.fill_rect(area, colour, BAND_OPACITY));
    }
    let edges = series.x.iter().zip(&series.band).map(|(at, edges)| {
        let (low, high) = height(*edges)?;
        Some((x.pixel_if_inside(*at)?, low, high))
    });
    for run in decimate::decimate_band(edges) {
        let outline =
            run.iter().map(|(x, low, _)| (*x, *low)).chain(run.iter().rev().map(|(x, _, high)| (*x, *high)));
        if run.len() > 1 {
            pen.fill_polygon(outline.collect(), colour, BAND_OPACITY)?;
        }
    }
    Ok(())
}

/// Merges the rectangles of the stairs of a band, ascending in x, that share a pixel column, so that no two overlap.
fn merge_boxes(stairs: impl Iterator<Item = PixelRect>) -> Vec<PixelRect> {
    let mut apart: Vec<PixelRect> = vec![];
    for stair in stairs {
        let PixelRect { mut left, top, bottom, .. } = stair;
        let right = stair.right.max(left + 1);
        if let Some(last) = apart.last_mut().filter(|last| left < last.right) {
            (last.top, last.bottom) = (last.top.min(top), last.bottom.max(bottom));
            left = last.right;
        }
        if left < right {
            apart.push(PixelRect { left, right, top, bottom });
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::super::axis::AxisScale;
    use super::*;

    fn axis(low: f64, high: f64) -> Axis {
        Axis {
            low,
            high,
            scale: AxisScale::Linear,
            whole_ticks_only: false,
            start_pixel: 0,
            end_pixel: 100,
            tick_unit: 1.0,
        }
    }

    #[test]
    fn a_stair_reaches_to_the_next_place_and_the_last_to_its_end() {
        let edges = |x: &[f64], y: &[f32]| {
            let series = Series { x: x.into(), y: y.into(), ..Default::default() };
            stair_edges(&axis(0.0, 10.0), &series, &series.y)
                .map(|s| s.map(|s| (s.0, s.1)))
                .collect::<Vec<_>>()
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
            line_points(&axis(0.0, 10.0), &axis(0.0, 100.0), x, y).into_iter().flatten().collect::<Vec<_>>()
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
            let points = clipped_line_points(&axis(0.0, 10.0), &axis(0.0, 100.0), x, y);
            decimate::decimate_curve(points.into_iter())
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
    fn a_curve_that_leaves_the_plot_is_cut_and_marked_at_the_top_and_never_drawn_along_an_edge() {
        let y = Axis { scale: AxisScale::Logarithmic, start_pixel: 100, end_pixel: 0, ..axis(1e-2, 1e2) };
        let x = axis(0.0, 10.0);
        let places: Vec<f64> = (0..7).map(f64::from).collect();
        // Down to nearly nothing, and up to what is hardly finite.
        let values = [1.0, 1e-9, 1e-12, 1e-9, 1.0, 1e21, 1e30];
        assert!(leaves_axis(&y, &values) && !leaves_axis(&y, &[1.0, 0.0, f32::NAN, f32::INFINITY]));
        let runs = decimate::decimate_curve(clipped_line_points(&x, &y, &places, &values).into_iter());
        for run in &runs {
            let along = run.windows(2).filter(|ends| ends[0].1 == ends[1].1 && [0, 100].contains(&ends[0].1));
            assert_eq!(along.count(), 0, "{runs:?}");
        }
        let exits = exit_pixels(&x, &y, &places, &values);
        assert_eq!(exits.iter().map(|at| at.1).collect::<Vec<_>>(), [0], "{exits:?}");
        assert!((40..=42).contains(&exits[0].0), "{exits:?}");
        assert!(exit_pixels(&x, &y, &places, &[1.0; 7]).is_empty());
        assert!(exit_pixels(&x, &y, &[], &[]).is_empty());
    }

    #[test]
    fn stairs_keep_their_corners_where_columns_are_gathered() {
        assert_eq!(restore_corners(&[(0, 5), (3, 5), (3, 9)]), [(0, 5), (3, 5), (3, 9)]);
        assert_eq!(restore_corners(&[(0, 5), (0, 9), (7, 6)]), [(0, 5), (0, 9), (0, 6), (7, 6)]);
    }

    #[test]
    fn dots_on_top_of_each_other_are_one() {
        let places = [(4, 4), (90, 3), (5, 5), (4, 4), (-1, 0), (0, 0)];
        assert_eq!(thin_dots(places.into_iter(), 2), [(4, 4), (90, 3), (-1, 0), (0, 0)]);
        assert_eq!(thin_dots((0..100_000).map(|i| (i % 200, i % 100)), 2).len(), 100);
    }

    #[test]
    fn boxes_of_a_band_do_not_overlap() {
        let of = |left, right, top, bottom| PixelRect { left, right, top, bottom };
        let gathered =
            merge_boxes([of(0, 4, 1, 2), of(4, 4, 3, 9), of(4, 4, 2, 5), of(4, 9, 4, 6)].into_iter());
        assert_eq!(gathered, [of(0, 4, 1, 2), of(4, 5, 2, 9), of(5, 9, 4, 6)]);
    }
}
