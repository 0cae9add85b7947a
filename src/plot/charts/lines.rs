//! Curves with bands, dashed reference lines and named vertical marks.

use plotters::backend::DrawingBackend;
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

use super::axis::{Axis, Scale};
use super::colour::mix;
use super::frame::{self, Entry, Names, Swatch};
use super::inside::{self, is_short};
use super::pen::{Area, Pen};
use super::strokes::{self, Style};
use super::{Drawn, MUTED, Theme, ends};
use crate::analysis::{Lines, Role, Series, Span};

/// An axis of steps reaches at least so far: the first measurements do not make it jump from frame to frame.
const FEWEST_STEPS: f64 = 100.0;
/// With more curves, the others are drawn as a crowd.
const FEW: usize = 6;
/// Width of a curve in a crowd.
const THIN: f64 = 0.75;
/// Most curves that one is wide enough to be seen under.
const MOST_UNDER: usize = 3;
/// How far the colour of what comes after the step that is shown is mixed into the background.
const FAINT: f64 = 0.65;
/// The same of what is drawn behind its smoothed curve.
const BEHIND: f64 = 0.6;
/// The look of the first curve of another run, where curves differ by their looks.
const FURTHER: usize = 4;
/// How far the colour of a span is mixed into the background.
const PALE: f64 = 0.86;

/// Draws curves.
pub(super) fn draw<DB: DrawingBackend>(pen: &Pen<DB>, lines: &Lines) -> Drawn<DB> {
    let (x, y) = (x_axis(lines), y_axis(lines));
    let styles = styles(pen.theme, lines);
    let most = if y.log() { 9.0 } else { 6.0 };
    let ticks = y.ticks(frame::most(pen, pen.all().height() * 6 / 10, 24.0, most));
    let short: Vec<&(f64, String)> = lines.references.iter().filter(|r| is_short(pen, &r.1)).collect();
    let numbers = ticks.iter().map(|t| t.1.as_str());
    let mut entries = vec![];
    if pen.theme.legend {
        entries = legend(lines, &styles, |count| strokes::dotted(pen, count));
        entries.retain(|entry| !entry.hidden);
        entries.extend(patches(pen.theme, lines));
    }
    let names = Names {
        title: &lines.title,
        x: lines.axis().0,
        y: &lines.y_label,
        legend: entries,
        left: frame::widest(pen, numbers.chain(short.iter().map(|r| r.1.as_str()))) + pen.px(8.0),
        least_left: frame::LEFT,
        right: 0,
    };
    let Some(plot) = frame::surround(pen, &names)? else { return Ok(()) };
    let x = Axis { start: plot.left, end: plot.right, ..x };
    let y = Axis { start: plot.bottom, end: plot.top, ..y };
    pen.across.set(Some((x, y)));

    let named: Vec<i32> = short.iter().filter_map(|r| y.place_inside(r.0)).collect();
    spans(pen, plot, &x, lines)?;
    frame::beside(pen, plot, &y, &ticks, &named)?;
    frame::below(pen, plot, &x, true)?;
    let curves = || lines.series.iter().zip(&styles).filter(|(series, _)| !series.hidden);
    for (series, style) in curves() {
        strokes::band(pen, &x, &y, series, style.colour)?;
    }
    let mut written: Vec<i32> = vec![];
    for (at, name) in &lines.references {
        let Some(at) = y.place_inside(*at) else { continue };
        pen.dashes(plot.left, plot.right, at, pen.theme.quiet)?;
        // Of names that would touch, the first stays.
        let is_free = written.iter().all(|other| (other - at).abs() >= pen.px(pen.theme.tick_px));
        if is_short(pen, name) && is_free {
            written.push(at);
            pen.text(name, (plot.left - pen.px(frame::beside_gap(&y)), at), pen.tick(HPos::Right))?;
        }
    }
    for at in lines.marks.iter().filter_map(|m| x.place_inside(m.0)) {
        pen.down(at, plot.top, plot.bottom, 1.0, pen.theme.mark)?;
    }
    let mut drawn = vec![];
    // What matters most is drawn last: held-out over training over the rest.
    for role in [Role::Other, Role::Relevant, Role::Train, Role::Test] {
        for (series, style) in curves().filter(|(series, _)| series.role == role) {
            if !series.raw.is_empty() {
                let colour = mix(style.colour, pen.theme.bg, BEHIND);
                strokes::curve(
                    pen,
                    &x,
                    &y,
                    series,
                    &series.raw,
                    Style { colour, width: THIN, look: style.look },
                )?;
            }
            drawn.extend(strokes::curve(pen, &x, &y, series, &series.y, *style)?);
        }
    }
    inside::names(pen, plot, &x, &y, lines, &drawn)
}

/// Draws the parts of the horizontal axis that have a background.
fn spans<DB: DrawingBackend>(pen: &Pen<DB>, plot: Area, x: &Axis, lines: &Lines) -> Drawn<DB> {
    for span in lines.spans.iter().filter(|span| x.meets(span.from, span.to)) {
        let (Some(left), Some(right)) = (x.place(span.from), x.place(span.to)) else { continue };
        if left < right {
            pen.fill(Area { left, right, ..plot }, shade(pen.theme, span, lines), 1.0)?;
        }
    }
    Ok(())
}

/// The colour of a span: a pale shade of its role's, the second of a role paler still.
fn shade(theme: &Theme, span: &Span, lines: &Lines) -> RGBColor {
    let colour = match span.role {
        Role::Train => theme.train,
        Role::Test => theme.test,
        Role::Relevant => theme.mark,
        Role::Other => theme.other,
    };
    let first = lines.spans.iter().find(|other| other.role == span.role).map(|other| &other.name);
    mix(colour, theme.bg, if first == Some(&span.name) { PALE } else { PALE + 0.06 })
}

/// The horizontal axis, without its pixels.
fn x_axis(lines: &Lines) -> Axis {
    let places = || {
        let marks = lines.marks.iter().map(|m| m.0);
        lines.series.iter().flat_map(|s| s.x.iter().copied()).chain(marks)
    };
    let steps = lines.x_label.starts_with("step");
    let ((low, high), scale) = match lines.x_range.filter(|r| ends::sane(*r)) {
        Some(range) if !lines.log_x => (range, Scale::Even),
        None if !lines.log_x => {
            (ends::horizontal(places(), if steps { FEWEST_STEPS } else { 0.0 }), Scale::Even)
        }
        Some((low, high)) if low > 1.0 && ends::sane_ratio((low, high)) => ((low, high), Scale::Ratio),
        given if steps || places().any(|v| v == 0.0) => {
            let far = given.filter(|(_, high)| *high >= 2.0);
            (far.map_or_else(|| ends::counting(places()), |(_, high)| (1.0, high)), Scale::Counting)
        }
        Some(range) if ends::sane_ratio(range) => (range, Scale::Ratio),
        _ => (ends::horizontal_ratio(places()), Scale::Ratio),
    };
    let whole = lines.series.iter().flat_map(|s| &s.x).all(|v| v.fract() == 0.0);
    Axis { low, high, scale, whole, start: 0, end: 0, unit: lines.axis().1 }
}

/// The vertical axis, without its pixels.
fn y_axis(lines: &Lines) -> Axis {
    let values = || {
        let drawn = lines.series.iter().filter(|s| !s.hidden).flat_map(|s| {
            let edges = s.band.iter().flat_map(|(low, high)| [*low, *high]);
            s.y.iter().chain(&s.raw).copied().chain(edges).map(f64::from)
        });
        drawn.chain(lines.references.iter().map(|r| r.0))
    };
    let given = lines.y_range.filter(|r| ends::sane(*r));
    let (low, high) = match given {
        Some(range) if !lines.log_y || ends::sane_ratio(range) => range,
        None if !lines.log_y => ends::vertical(values()),
        // Down to zero is nowhere on a logarithmic axis, but the other end is still meant.
        Some((_, high)) if ends::sane_ratio((high / 10.0, high)) => {
            let (low, _) = ends::vertical_ratio(values().filter(|v| *v <= high).chain([high]));
            (low, high)
        }
        _ => ends::vertical_ratio(values()),
    };
    let scale = if lines.log_y { Scale::Ratio } else { Scale::Even };
    Axis { low, high, scale, whole: false, start: 0, end: 0, unit: 1.0 }
}

/// Whether there are too many curves to tell them apart.
fn is_crowd(lines: &Lines) -> bool {
    lines.series.iter().filter(|series| !series.faint && series.tint.is_none()).count() > FEW
}

/// One style per curve: its role's colour, paler for each further curve of the same role with another name.
pub(super) fn styles(theme: &Theme, lines: &Lines) -> Vec<Style> {
    let crowd = is_crowd(lines);
    let mut seen: [Vec<&str>; 4] = Default::default();
    lines
        .series
        .iter()
        .map(|series| {
            let look = |place: usize| if theme.dashes { place } else { 0 };
            if let Some(tint) = series.tint {
                let colour = MUTED[tint % MUTED.len()];
                return Style { colour, width: theme.stroke, look: look(FURTHER + tint) };
            }
            let (role, colour) = match series.role {
                Role::Test => (0, theme.test),
                Role::Train => (1, theme.train),
                Role::Relevant if series.faint => {
                    return Style { colour: theme.faint(), width: theme.stroke, look: 0 };
                }
                Role::Relevant if !theme.dashes => {
                    return Style { colour: theme.mark, width: theme.stroke, look: 0 };
                }
                Role::Relevant => (2, theme.mark),
                Role::Other if crowd => return Style { colour: theme.faint(), width: THIN, look: 0 },
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
                true => FAINT,
                // Dashes tell them apart, and pale ink does not print.
                false if theme.dashes => 0.0,
                false => (place % 3) as f64 * 0.25,
            };
            let width = theme.stroke * (1.0 + series.under.min(MOST_UNDER) as f64);
            Style { colour: mix(colour, theme.bg, pale), width, look: look(role + place * roles) }
        })
        .collect()
}

/// One entry per name and colour. Of a crowd, only what has a name in common is named, and last: its single
/// curves cannot be told apart.
pub(super) fn legend(lines: &Lines, styles: &[Style], dotted: impl Fn(usize) -> bool) -> Vec<Entry> {
    let crowd = is_crowd(lines);
    let common = |name: &str| lines.series.iter().filter(|s| s.name == name).count() > 1;
    let (mut entries, mut last): (Vec<Entry>, Vec<Entry>) = (vec![], vec![]);
    let shown = lines.series.iter().zip(styles).filter(|(series, _)| !series.faint);
    for (Series { name, role, points, scatter, x, hidden, .. }, style) in shown {
        let quiet = crowd && *role == Role::Other;
        let among = if quiet { &mut last } else { &mut entries };
        let known = among.iter().any(|e| e.name == *name && e.colour == style.colour);
        if !name.is_empty() && !known && (!quiet || common(name)) {
            among.push(Entry {
                colour: style.colour,
                name: name.clone(),
                hidden: *hidden,
                swatch: if *scatter { Swatch::Dot } else { Swatch::of_curve(*points && dotted(x.len())) },
                look: style.look,
            });
        }
    }
    entries.extend(last);
    entries
}

/// One entry per name of a span, in the order in which they come.
pub(super) fn patches(theme: &Theme, lines: &Lines) -> Vec<Entry> {
    let mut entries: Vec<Entry> = vec![];
    for span in &lines.spans {
        if entries.iter().all(|e| e.name != span.name) {
            let colour = shade(theme, span, lines);
            let name = span.name.clone();
            entries.push(Entry { colour, name, swatch: Swatch::Patch, hidden: false, look: 0 });
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(x: &[f64], y: &[f32]) -> Lines {
        let series = vec![Series { x: x.into(), y: y.into(), ..Default::default() }];
        Lines { x_label: "n".into(), log_x: true, log_y: true, series, ..Default::default() }
    }

    #[test]
    fn steps_and_zeros_begin_at_one_and_sizes_where_they_are() {
        let ends = |lines: &Lines| {
            let axis = x_axis(lines);
            (axis.low.round(), axis.high.round(), axis.scale)
        };
        let sizes = curve(&[10.0, 160.0], &[1.0, 1.0]);
        assert_eq!(ends(&sizes), (10.0, 200.0, Scale::Ratio));
        assert_eq!(
            ends(&Lines { x_range: Some((10.0, 160.0)), ..sizes.clone() }),
            (10.0, 160.0, Scale::Ratio)
        );
        assert_eq!(
            ends(&Lines { x_range: Some((0.0, 160.0)), ..sizes.clone() }),
            (10.0, 200.0, Scale::Ratio)
        );
        let steps = Lines { x_label: "step".into(), ..sizes };
        assert_eq!(ends(&steps), (1.0, 200.0, Scale::Counting));
        assert_eq!(ends(&Lines { x_range: Some((0.0, 500.0)), ..steps }), (1.0, 500.0, Scale::Counting));
        assert_eq!(ends(&curve(&[0.0, 7.0], &[1.0, 1.0])), (1.0, 10.0, Scale::Counting));
    }

    #[test]
    fn a_given_end_at_zero_gives_way_to_the_data() {
        let lines = curve(&[1.0, 2.0, 3.0], &[0.5, 0.004, 0.0]);
        let axis = y_axis(&Lines { y_range: Some((0.0, 1.02)), ..lines.clone() });
        assert!((axis.low / 0.001 - 1.0).abs() < 1e-9 && axis.high == 1.02, "{axis:?}");
        let axis = y_axis(&Lines { y_range: Some((0.3, 1.02)), ..lines });
        assert_eq!((axis.low, axis.high), (0.3, 1.02));
    }

    #[test]
    fn a_crowd_is_thin_and_named_once() {
        let of =
            |i: usize, name: &str, role| Series { name: format!("{name}{i}"), role, ..Default::default() };
        let theme = Theme::light();
        let mut lines = Lines {
            series: (0..5).map(|i| of(i, "x", Role::Other)).chain([of(9, "x", Role::Relevant)]).collect(),
            ..Default::default()
        };
        let few = styles(&theme, &lines);
        assert!(few.iter().all(|style| style.width == theme.stroke) && few[0].colour == theme.other);
        lines.series.extend((0..2).map(|_| of(0, "rest", Role::Other)));
        let many = styles(&theme, &lines);
        assert_eq!(many[5], Style { colour: theme.mark, width: theme.stroke, look: 0 });
        assert!([0, 4, 7].iter().all(|i| many[*i] == Style { colour: theme.faint(), width: THIN, look: 0 }));
        let named = |lines: &Lines| legend(lines, &styles(&theme, lines), |_| true);
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
        let lines = Lines { series: (0..6).map(of).collect(), ..Default::default() };
        let styles = styles(&theme, &lines);
        let looks: Vec<usize> = styles.iter().map(|style| style.look).collect();
        assert_eq!(looks, [0, 1, 2, 3, 4, 5]);
        assert_eq!(styles[4].colour, theme.test);
        let entries = legend(&lines, &styles, |_| true);
        assert_eq!(entries.iter().map(|entry| entry.look).collect::<Vec<_>>(), looks);
        assert!(super::styles(&Theme::light(), &lines).iter().all(|style| style.look == 0));
    }

    #[test]
    fn what_lies_below_is_wider() {
        let theme = Theme::light();
        let of = |name: &str, role, under| Series { name: name.into(), role, under, ..Default::default() };
        let series = vec![
            of("a", Role::Other, 2),
            of("b", Role::Train, 1),
            of("c", Role::Test, 0),
            of("d", Role::Other, 99),
        ];
        let widths: Vec<f64> = styles(&theme, &Lines { series, ..Default::default() })
            .iter()
            .map(|s| s.width / theme.stroke)
            .collect();
        let apart = widths.iter().zip([3.0, 2.0, 1.0, 4.0]).map(|(width, wide)| (width - wide).abs());
        assert!(apart.fold(0.0, f64::max) < 1e-12, "{widths:?}");
    }

    #[test]
    fn spans_are_pale_and_named_once() {
        let span = |from: f64, name: &str, role| Span { from, to: from + 10.0, name: name.into(), role };
        let spans = vec![
            span(0.0, "uniform", Role::Other),
            span(10.0, "unigram", Role::Train),
            span(20.0, "uniform", Role::Other),
            span(30.0, "tetragram", Role::Train),
        ];
        let lines = Lines { spans, ..curve(&[0.0, 40.0], &[1.0, 0.5]) };
        for theme in [Theme::light(), Theme::dark()] {
            let entries = patches(&theme, &lines);
            let names: Vec<&str> = entries.iter().map(|e| e.name.as_str()).collect();
            assert_eq!(names, ["uniform", "unigram", "tetragram"]);
            assert!(entries.iter().all(|e| e.swatch == Swatch::Patch && e.colour != theme.bg));
            assert_ne!(entries[1].colour, entries[2].colour);
        }
    }
}
