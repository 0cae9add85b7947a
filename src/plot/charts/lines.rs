//! Draws line charts: curves with bands, dashed reference lines and named vertical marks.

use plotters::backend::DrawingBackend;
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

use super::axis::{Axis, AxisScale};
use super::colour::mix;
use super::frame::{self, LegendEntry, LegendSwatch, PlotLabels};
use super::inside::{self, fits_next_to_axis};
use super::pen::{Pen, PixelRect};
use super::strokes::{self, CurveStyle};
use super::{DrawResult, MUTED_COLOURS, Theme, ends};
use crate::analysis::replicas::DIVERGENCE_FACTOR;
use crate::analysis::{AxisSpan, LineChart, Role, Series};

/// Minimum end of a horizontal axis of training steps, so that it does not change with each of the first measurements.
const MIN_STEP_AXIS_END: f64 = 100.0;
/// Maximum number of curves in individual colours; a chart with more is a crowd, in which curves of [`Role::Other`] are
/// drawn thin and pale.
const MAX_SINGLE_CURVES: usize = 6;
/// Line width in CSS pixels of each thin, pale curve in a chart with more than [`MAX_SINGLE_CURVES`] curves.
const CROWD_CURVE_WIDTH: f64 = 0.75;
/// Maximum number of line widths by which a curve that others cover is drawn wider.
const MAX_WIDENINGS: usize = 3;
/// Share of the background colour in the colour of the part of a curve after the displayed training step.
const FAINT_MIX: f64 = 0.65;
/// Share of the background colour in the colour of values before smoothing.
const UNSMOOTHED_MIX: f64 = 0.6;
/// Style index, for dashes and marks, of the first curve of another run.
const OTHER_RUN_STYLE_INDEX: usize = 4;
/// Share of the background colour in the colour of an interval of the horizontal axis.
const SPAN_MIX: f64 = 0.86;

/// Draws a line chart with its curves, axes and legend.
pub(super) fn draw<DB: DrawingBackend>(pen: &Pen<DB>, lines: &LineChart) -> DrawResult<DB> {
    let (x, y) = (x_axis(lines), y_axis(lines));
    let styles = curve_styles(pen.theme, lines);
    let most = if y.is_logarithmic() { 9.0 } else { 6.0 };
    let ticks = y.ticks(frame::max_label_count(pen, pen.full_rect().height() * 6 / 10, 24.0, most));
    let short: Vec<&(f64, String)> =
        lines.reference_lines.iter().filter(|r| fits_next_to_axis(pen, &r.1)).collect();
    let numbers = ticks.iter().map(|t| t.1.as_str());
    let mut entries = vec![];
    if pen.theme.legend {
        entries = legend_entries(lines, &styles, |count| strokes::has_room_for_dots(pen, count));
        entries.retain(|entry| !entry.hidden);
        entries.extend(span_entries(pen.theme, lines));
    }
    let names = PlotLabels {
        title: &lines.title,
        x_label: lines.x_label_and_scale().0,
        y_label: &lines.y_label,
        legend: entries,
        left_label_width: frame::max_label_width(pen, numbers.chain(short.iter().map(|r| r.1.as_str())))
            + pen.to_pixels(8.0),
        min_left: frame::MIN_LEFT_MARGIN,
        extra_right: 0,
    };
    let Some(plot) = frame::draw_surroundings(pen, &names)? else { return Ok(()) };
    let x = Axis { start_pixel: plot.left, end_pixel: plot.right, ..x };
    let y = Axis { start_pixel: plot.bottom, end_pixel: plot.top, ..y };
    pen.axes.set(Some((x, y)));

    let named: Vec<i32> = short.iter().filter_map(|r| y.pixel_if_inside(r.0)).collect();
    draw_spans(pen, plot, &x, lines)?;
    frame::draw_y_axis(pen, plot, &y, &ticks, &named)?;
    frame::draw_x_axis(pen, plot, &x, true)?;
    let curves = || lines.series.iter().zip(&styles).filter(|(series, _)| !series.hidden);
    for (series, style) in curves() {
        strokes::draw_band(pen, &x, &y, series, style.colour)?;
    }
    let mut written: Vec<i32> = vec![];
    for (at, name) in &lines.reference_lines {
        let Some(at) = y.pixel_if_inside(*at) else { continue };
        pen.draw_dashed_line(plot.left, plot.right, at, pen.theme.quiet)?;
        // Of names that would touch, the first stays.
        let is_free = written.iter().all(|other| (other - at).abs() >= pen.to_pixels(pen.theme.tick_px));
        if fits_next_to_axis(pen, name) && is_free {
            written.push(at);
            pen.draw_text(
                name,
                (plot.left - pen.to_pixels(frame::y_label_gap(&y)), at),
                pen.tick_style(HPos::Right),
            )?;
        }
    }
    for at in lines.marks.iter().filter_map(|m| x.pixel_if_inside(m.0)) {
        pen.draw_vertical_line(at, plot.top, plot.bottom, 1.0, pen.theme.mark)?;
    }
    let mut drawn = vec![];
    // What matters most is drawn last: held-out over training over the rest.
    for role in [Role::Other, Role::Relevant, Role::Train, Role::Test] {
        for (series, style) in curves().filter(|(series, _)| series.role == role) {
            if !series.unsmoothed.is_empty() {
                let colour = mix(style.colour, pen.theme.bg, UNSMOOTHED_MIX);
                strokes::draw_curve(
                    pen,
                    &x,
                    &y,
                    series,
                    &series.unsmoothed,
                    CurveStyle { colour, width: CROWD_CURVE_WIDTH, style_index: style.style_index },
                )?;
            }
            drawn.extend(strokes::draw_curve(pen, &x, &y, series, &series.y, *style)?);
        }
    }
    inside::draw_inside_names(pen, plot, &x, &y, lines, &drawn)
}

/// Draws the pale backgrounds of the intervals `lines.spans` of the horizontal axis, over the whole height of the plot.
fn draw_spans<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: PixelRect,
    x: &Axis,
    lines: &LineChart,
) -> DrawResult<DB> {
    for span in lines.spans.iter().filter(|span| x.overlaps(span.from, span.to)) {
        let (Some(left), Some(right)) = (x.pixel_clamped(span.from), x.pixel_clamped(span.to)) else {
            continue;
        };
        if left < right {
            pen.fill_rect(PixelRect { left, right, ..plot }, span_colour(pen.theme, span, lines), 1.0)?;
        }
    }
    Ok(())
}

/// Colour of a background interval: a pale shade of its role's colour, paler for the second name of the same role.
fn span_colour(theme: &Theme, span: &AxisSpan, lines: &LineChart) -> RGBColor {
    let colour = match span.role {
        Role::Train => theme.train,
        Role::Test => theme.test,
        Role::Relevant => theme.mark,
        Role::Other => theme.other,
    };
    let first = lines.spans.iter().find(|other| other.role == span.role).map(|other| &other.name);
    mix(colour, theme.bg, if first == Some(&span.name) { SPAN_MIX } else { SPAN_MIX + 0.06 })
}

/// Horizontal axis of a line chart with its range and scale; its pixels are still zero.
fn x_axis(lines: &LineChart) -> Axis {
    let places = || {
        let marks = lines.marks.iter().map(|m| m.0);
        lines.series.iter().flat_map(|s| s.x.iter().copied()).chain(marks)
    };
    let steps = lines.x_label.starts_with("step");
    let ((low, high), scale) = match lines.x_range.filter(|r| ends::is_valid_range(*r)) {
        Some(range) if !lines.log_x => (range, AxisScale::Linear),
        None if !lines.log_x => {
            (ends::horizontal_range(places(), if steps { MIN_STEP_AXIS_END } else { 0.0 }), AxisScale::Linear)
        }
        Some((low, high)) if low > 1.0 && ends::is_valid_log_range((low, high)) => {
            ((low, high), AxisScale::Logarithmic)
        }
        given if steps || places().any(|v| v == 0.0) => {
            let far = given.filter(|(_, high)| *high >= 2.0);
            (
                far.map_or_else(|| ends::counting_log_range(places()), |(_, high)| (1.0, high)),
                AxisScale::LogarithmicFromOne,
            )
        }
        Some(range) if ends::is_valid_log_range(range) => (range, AxisScale::Logarithmic),
        _ => (ends::horizontal_log_range(places()), AxisScale::Logarithmic),
    };
    let whole = lines.series.iter().flat_map(|s| &s.x).all(|v| v.fract() == 0.0);
    Axis {
        low,
        high,
        scale,
        whole_ticks_only: whole,
        start_pixel: 0,
        end_pixel: 0,
        tick_unit: lines.x_label_and_scale().1,
    }
}

/// Values of a curve, also those before smoothing, and the edges of its band.
fn curve_values(curve: &Series) -> impl Iterator<Item = f64> {
    let edges = curve.band.iter().flat_map(|(low, high)| [*low, *high]);
    curve.y.iter().chain(&curve.unsmoothed).copied().chain(edges).map(f64::from)
}

/// Vertical axis of a line chart with its range and scale; its pixels are still zero. Over training steps, values of other
/// runs that are more than [`DIVERGENCE_FACTOR`] times as large as all values of this run are left out of the range.
fn y_axis(lines: &LineChart) -> Axis {
    let shown = |of_other_runs: bool| {
        let curves =
            lines.series.iter().filter(move |s| !s.hidden && s.muted_colour.is_some() == of_other_runs);
        curves.flat_map(curve_values)
    };
    let own_end = shown(false).filter(|v| v.is_finite()).reduce(f64::max).filter(|_| lines.is_over_steps());
    let limit = own_end.map_or(f64::INFINITY, |end| f64::from(DIVERGENCE_FACTOR) * end.max(1.0));
    let values = || {
        let others = shown(true).filter(|v| *v <= limit);
        shown(false).chain(others).chain(lines.reference_lines.iter().map(|r| r.0))
    };
    let given = lines.y_range.filter(|r| ends::is_valid_range(*r));
    let (low, high) = match given {
        Some(range) if !lines.log_y || ends::is_valid_log_range(range) => range,
        None if !lines.log_y => ends::vertical_range(values()),
        // Down to zero is nowhere on a logarithmic axis, but the other end is still meant.
        Some((_, high)) if ends::is_valid_log_range((high / 10.0, high)) => {
            let (low, _) = ends::vertical_log_range(values().filter(|v| *v <= high).chain([high]));
            (low, high)
        }
        _ => ends::vertical_log_range(values()),
    };
    let scale = if lines.log_y { AxisScale::Logarithmic } else { AxisScale::Linear };
    Axis { low, high, scale, whole_ticks_only: false, start_pixel: 0, end_pixel: 0, tick_unit: 1.0 }
}

/// Whether the chart has more than [`MAX_SINGLE_CURVES`] curves, not counting faint curves and curves of other runs.
fn is_crowd(lines: &LineChart) -> bool {
    lines.series.iter().filter(|series| !series.faint && series.muted_colour.is_none()).count()
        > MAX_SINGLE_CURVES
}

/// The style of each curve of a line chart: the colour of its role, for each further name of the same role paler or, if
/// the theme has dashes, with other dashes.
pub(super) fn curve_styles(theme: &Theme, lines: &LineChart) -> Vec<CurveStyle> {
    let crowd = is_crowd(lines);
    let mut seen: [Vec<&str>; 4] = Default::default();
    lines
        .series
        .iter()
        .map(|series| {
            let look = |place: usize| if theme.dashes { place } else { 0 };
            if let Some(tint) = series.muted_colour {
                let colour = MUTED_COLOURS[tint % MUTED_COLOURS.len()];
                return CurveStyle {
                    colour,
                    width: theme.curve_width,
                    style_index: look(OTHER_RUN_STYLE_INDEX + tint),
                };
            }
            let (role, colour) = match series.role {
                Role::Test => (0, theme.test),
                Role::Train => (1, theme.train),
                Role::Relevant if series.faint => {
                    return CurveStyle {
                        colour: theme.crowd_colour(),
                        width: theme.curve_width,
                        style_index: 0,
                    };
                }
                Role::Relevant if !theme.dashes => {
                    return CurveStyle { colour: theme.mark, width: theme.curve_width, style_index: 0 };
                }
                Role::Relevant => (2, theme.mark),
                Role::Other if crowd => {
                    return CurveStyle {
                        colour: theme.crowd_colour(),
                        width: CROWD_CURVE_WIDTH,
                        style_index: 0,
                    };
                }
                Role::Other => (3, theme.other),
            };
            let roles = seen.len();
            let names = &mut seen[role];
            let place = names.iter().position(|name| !name.is_empty() && *name == series.name);
            let place = place.unwrap_or(names.len());
            if place == names.len() {
                names.push(&series.name);
            }
            let pale = match series.faint {
                true => FAINT_MIX,
                // Dashes tell them apart, and pale ink does not print.
                false if theme.dashes => 0.0,
                false => (place % 3) as f64 * 0.25,
            };
            let width = theme.curve_width * (1.0 + series.covering_curves.min(MAX_WIDENINGS) as f64);
            CurveStyle { colour: mix(colour, theme.bg, pale), width, style_index: look(role + place * roles) }
        })
        .collect()
}

/// Legend entries of the curves of a line chart, one per name and colour; `has_dots` tells whether a curve with that
/// number of values is marked by dots. The pale curves of a chart with many curves are listed last, and only under
/// names that several share.
pub(super) fn legend_entries(
    lines: &LineChart,
    styles: &[CurveStyle],
    has_dots: impl Fn(usize) -> bool,
) -> Vec<LegendEntry> {
    let crowd = is_crowd(lines);
    let common = |name: &str| lines.series.iter().filter(|s| s.name == name).count() > 1;
    let (mut entries, mut last): (Vec<LegendEntry>, Vec<LegendEntry>) = (vec![], vec![]);
    let shown = lines.series.iter().zip(styles).filter(|(series, _)| !series.faint);
    for (Series { name, role, points, scatter, x, hidden, .. }, style) in shown {
        let quiet = crowd && *role == Role::Other;
        let among = if quiet { &mut last } else { &mut entries };
        let known = among.iter().any(|e| e.name == *name && e.colour == style.colour);
        if !name.is_empty() && !known && (!quiet || common(name)) {
            among.push(LegendEntry {
                colour: style.colour,
                name: name.clone(),
                hidden: *hidden,
                swatch: if *scatter {
                    LegendSwatch::Dot
                } else {
                    LegendSwatch::of_curve(*points && has_dots(x.len()))
                },
                style_index: style.style_index,
            });
        }
    }
    entries.extend(last);
    entries
}

/// One legend entry per name of a background interval, in order of appearance.
pub(super) fn span_entries(theme: &Theme, lines: &LineChart) -> Vec<LegendEntry> {
    let mut entries: Vec<LegendEntry> = vec![];
    for span in &lines.spans {
        if entries.iter().all(|e| e.name != span.name) {
            let colour = span_colour(theme, span, lines);
            let name = span.name.clone();
            entries.push(LegendEntry {
                colour,
                name,
                swatch: LegendSwatch::Patch,
                hidden: false,
                style_index: 0,
            });
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(x: &[f64], y: &[f32]) -> LineChart {
        let series = vec![Series { x: x.into(), y: y.into(), ..Default::default() }];
        LineChart { x_label: "n".into(), log_x: true, log_y: true, series, ..Default::default() }
    }

    #[test]
    fn steps_and_zeros_begin_at_one_and_sizes_where_they_are() {
        let ends = |lines: &LineChart| {
            let axis = x_axis(lines);
            (axis.low.round(), axis.high.round(), axis.scale)
        };
        let sizes = curve(&[10.0, 160.0], &[1.0, 1.0]);
        assert_eq!(ends(&sizes), (10.0, 200.0, AxisScale::Logarithmic));
        assert_eq!(
            ends(&LineChart { x_range: Some((10.0, 160.0)), ..sizes.clone() }),
            (10.0, 160.0, AxisScale::Logarithmic)
        );
        assert_eq!(
            ends(&LineChart { x_range: Some((0.0, 160.0)), ..sizes.clone() }),
            (10.0, 200.0, AxisScale::Logarithmic)
        );
        let steps = LineChart { x_label: "step".into(), ..sizes };
        assert_eq!(ends(&steps), (1.0, 200.0, AxisScale::LogarithmicFromOne));
        assert_eq!(
            ends(&LineChart { x_range: Some((0.0, 500.0)), ..steps }),
            (1.0, 500.0, AxisScale::LogarithmicFromOne)
        );
        assert_eq!(ends(&curve(&[0.0, 7.0], &[1.0, 1.0])), (1.0, 10.0, AxisScale::LogarithmicFromOne));
    }

    #[test]
    fn a_given_end_at_zero_gives_way_to_the_data() {
        let lines = curve(&[1.0, 2.0, 3.0], &[0.5, 0.004, 0.0]);
        let axis = y_axis(&LineChart { y_range: Some((0.0, 1.02)), ..lines.clone() });
        assert!((axis.low / 0.001 - 1.0).abs() < 1e-9 && axis.high == 1.02, "{axis:?}");
        let axis = y_axis(&LineChart { y_range: Some((0.3, 1.02)), ..lines });
        assert_eq!((axis.low, axis.high), (0.3, 1.02));
    }

    #[test]
    fn another_run_that_has_diverged_does_not_stretch_the_axis() {
        let own = curve(&[0.0, 10.0], &[0.7, 0.2]).series.remove(0);
        let other = |y: &[f32]| Series { muted_colour: Some(1), y: y.into(), ..own.clone() };
        let end = |x_label: &str, y: &[f32], log_y| {
            let series = vec![own.clone(), other(y)];
            y_axis(&LineChart { x_label: x_label.into(), log_y, series, ..Default::default() }).high
        };
        for log_y in [false, true] {
            assert!(end("step", &[0.7, 2.5e21], log_y) <= 1.0);
            assert!(end("step", &[0.7, 90.0], log_y) >= 90.0);
            assert!(end("n", &[0.7, 2.5e21], log_y) >= 2.5e21);
        }
        let alone = LineChart { x_label: "step".into(), series: vec![other(&[1e9])], ..Default::default() };
        assert!(y_axis(&alone).high >= 1e9);
    }

    #[test]
    fn a_crowd_is_thin_and_named_once() {
        let of =
            |i: usize, name: &str, role| Series { name: format!("{name}{i}"), role, ..Default::default() };
        let theme = Theme::light();
        let mut lines = LineChart {
            series: (0..5).map(|i| of(i, "x", Role::Other)).chain([of(9, "x", Role::Relevant)]).collect(),
            ..Default::default()
        };
        let few = curve_styles(&theme, &lines);
        assert!(few.iter().all(|style| style.width == theme.curve_width) && few[0].colour == theme.other);
        lines.series.extend((0..2).map(|_| of(0, "rest", Role::Other)));
        let many = curve_styles(&theme, &lines);
        assert_eq!(many[5], CurveStyle { colour: theme.mark, width: theme.curve_width, style_index: 0 });
        assert!([0, 4, 7].iter().all(|i| many[*i]
            == CurveStyle { colour: theme.crowd_colour(), width: CROWD_CURVE_WIDTH, style_index: 0 }));
        let named = |lines: &LineChart| legend_entries(lines, &curve_styles(&theme, lines), |_| true);
        let names: Vec<_> = named(&lines).into_iter().map(|e| e.name).collect();
        assert_eq!(names, ["x9", "rest0"]);
    }

    /// On paper no two curves have the same dashes and the same colour, and none is pale.
    #[test]
    #[cfg(feature = "cli")]
    fn curves_in_print_have_dashes_of_their_own() {
        let theme = Theme::print();
        let roles = [Role::Test, Role::Train, Role::Relevant, Role::Other];
        let of = |i: usize| Series { name: format!("k = {i}"), role: roles[i % 4], ..Default::default() };
        let lines = LineChart { series: (0..6).map(of).collect(), ..Default::default() };
        let styles = curve_styles(&theme, &lines);
        let looks: Vec<usize> = styles.iter().map(|style| style.style_index).collect();
        assert_eq!(looks, [0, 1, 2, 3, 4, 5]);
        assert_eq!(styles[4].colour, theme.test);
        let entries = legend_entries(&lines, &styles, |_| true);
        assert_eq!(entries.iter().map(|entry| entry.style_index).collect::<Vec<_>>(), looks);
        assert!(super::curve_styles(&Theme::light(), &lines).iter().all(|style| style.style_index == 0));
    }

    #[test]
    fn what_lies_below_is_wider() {
        let theme = Theme::light();
        let of = |name: &str, role, under| Series {
            name: name.into(),
            role,
            covering_curves: under,
            ..Default::default()
        };
        let series = vec![
            of("a", Role::Other, 2),
            of("b", Role::Train, 1),
            of("c", Role::Test, 0),
            of("d", Role::Other, 99),
        ];
        let widths: Vec<f64> = curve_styles(&theme, &LineChart { series, ..Default::default() })
            .iter()
            .map(|s| s.width / theme.curve_width)
            .collect();
        let apart = widths.iter().zip([3.0, 2.0, 1.0, 4.0]).map(|(width, wide)| (width - wide).abs());
        assert!(apart.fold(0.0, f64::max) < 1e-12, "{widths:?}");
    }

    #[test]
    fn spans_are_pale_and_named_once() {
        let span = |from: f64, name: &str, role| AxisSpan { from, to: from + 10.0, name: name.into(), role };
        let spans = vec![
            span(0.0, "uniform", Role::Other),
            span(10.0, "unigram", Role::Train),
            span(20.0, "uniform", Role::Other),
            span(30.0, "tetragram", Role::Train),
        ];
        let lines = LineChart { spans, ..curve(&[0.0, 40.0], &[1.0, 0.5]) };
        for theme in [Theme::light(), Theme::dark()] {
            let entries = span_entries(&theme, &lines);
            let names: Vec<&str> = entries.iter().map(|e| e.name.as_str()).collect();
            assert_eq!(names, ["uniform", "unigram", "tetragram"]);
            assert!(entries.iter().all(|e| e.swatch == LegendSwatch::Patch && e.colour != theme.bg));
            assert_ne!(entries[1].colour, entries[2].colour);
        }
    }
}
