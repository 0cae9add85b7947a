//! Curves with bands, dashed reference lines and named vertical marks.

use plotters::backend::DrawingBackend;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

use super::Drawn;
use super::axis::{self, Axis};
use super::decimate::{self, Point};
use super::frame::{self, Names};
use super::pen::{Area, Label, Pen};
use super::theme::mix;
use crate::analysis::{Lines, Role, Series};

/// An axis of steps reaches at least so far: the first measurements do not make it jump from frame to frame.
const FEWEST_STEPS: f64 = 100.0;
/// A reference whose name is longer (CSS pixels) is named inside of the plot.
const LONG_NAME: f64 = 48.0;

/// Draws curves.
pub(super) fn draw<DB: DrawingBackend>(pen: &Pen<DB>, lines: &Lines) -> Drawn<DB> {
    let (x_range, y_range) = (x_range(lines), y_range(lines));
    let colours = colours(pen, lines);
    let ticks = axis::ticks(y_range.0, y_range.1, frame::most(pen, pen.all().height() * 6 / 10, 24.0, 6.0));
    let short: Vec<&(f64, String)> = lines.references.iter().filter(|r| is_short(pen, &r.1)).collect();
    let numbers = ticks.iter().map(|t| t.1.as_str());
    let names = Names {
        title: &lines.title,
        x: &lines.x_label,
        y: &lines.y_label,
        legend: legend(lines, &colours),
        left: frame::widest(pen, numbers.chain(short.iter().map(|r| r.1.as_str()))) + pen.px(8.0),
        least_left: frame::LEFT,
        right: 0,
    };
    let Some(plot) = frame::surround(pen, &names)? else { return Ok(()) };
    let x = Axis { low: x_range.0, high: x_range.1, log: lines.log_x, start: plot.left, end: plot.right };
    let y = Axis { low: y_range.0, high: y_range.1, log: false, start: plot.bottom, end: plot.top };

    let named: Vec<i32> = short.iter().filter_map(|r| y.place_inside(r.0)).collect();
    frame::beside(pen, plot, &y, &ticks, &named)?;
    frame::below(pen, plot, &x, true)?;
    for (series, colour) in lines.series.iter().zip(&colours) {
        band(pen, &x, &y, series, *colour)?;
    }
    for (at, name) in &lines.references {
        let Some(at) = y.place_inside(*at) else { continue };
        pen.dashes(plot.left, plot.right, at, pen.theme.quiet)?;
        if is_short(pen, name) {
            pen.text(name, (plot.left - pen.px(6.0), at), pen.tick(HPos::Right))?;
        }
    }
    for at in lines.marks.iter().filter_map(|m| x.place_inside(m.0)) {
        pen.down(at, plot.top, plot.bottom, 1.0, pen.theme.mark)?;
    }
    let drawn = curves(pen, &x, &y, lines, &colours)?;
    names_inside(pen, plot, &x, &y, lines, &drawn)
}

/// Draws the curves; what was drawn, so that names can stay clear of it.
fn curves<DB: DrawingBackend>(
    pen: &Pen<DB>,
    x: &Axis,
    y: &Axis,
    lines: &Lines,
    colours: &[RGBColor],
) -> Result<Vec<Vec<Point>>, DrawingAreaErrorKind<DB::ErrorType>> {
    let mut drawn: Vec<Vec<Point>> = vec![];
    // What matters most is drawn last: held-out over training over the rest.
    for role in [Role::Other, Role::Train, Role::Test] {
        for (series, colour) in lines.series.iter().zip(colours).filter(|(s, _)| s.role == role) {
            for run in decimate::curve(places(x, y, series)) {
                pen.curve(&run, pen.theme.stroke, *colour)?;
                drawn.push(run);
            }
        }
    }
    Ok(drawn)
}

/// Writes the names of marks, and of references that are too long for the axis.
fn names_inside<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: Area,
    x: &Axis,
    y: &Axis,
    lines: &Lines,
    drawn: &[Vec<Point>],
) -> Drawn<DB> {
    for (at, name) in lines.references.iter().filter(|r| !is_short(pen, &r.1)) {
        let Some(at) = y.place_inside(*at) else { continue };
        let row = pen.px(pen.theme.tick_px * 0.8);
        let (left, right) = (plot.left + pen.px(4.0), plot.right - pen.px(4.0));
        let room = right - left - pen.width(name, pen.tick(HPos::Left));
        let spots: Vec<_> = [4, 0, 2, 3, 1]
            .iter()
            .map(|quarters| left + room * quarters / 4)
            .flat_map(|x| [(x, at + row, HPos::Left), (x, at - row, HPos::Left)])
            .collect();
        inside(pen, plot, drawn, name, &spots, pen.theme.quiet)?;
    }
    for (at, name) in &lines.marks {
        let Some(at) = x.place_inside(*at) else { continue };
        let spots: Vec<_> = [0.5, 0.3, 0.7, 0.12, 0.88]
            .iter()
            .map(|share| plot.top + (share * f64::from(plot.height())) as i32)
            .flat_map(|y| [(at + pen.px(5.0), y, HPos::Left), (at - pen.px(5.0), y, HPos::Right)])
            .collect();
        inside(pen, plot, drawn, name, &spots, pen.theme.mark)?;
    }
    Ok(())
}

fn is_short<DB: DrawingBackend>(pen: &Pen<DB>, name: &str) -> bool {
    pen.width(name, pen.tick(HPos::Right)) <= pen.px(LONG_NAME)
}

fn x_range(lines: &Lines) -> (f64, f64) {
    let places = || {
        let marks = lines.marks.iter().map(|m| m.0);
        lines.series.iter().flat_map(|s| s.x.iter().copied()).chain(marks)
    };
    let given = lines.x_range.filter(|r| axis::sane(*r));
    match (lines.log_x, given) {
        (true, Some((low, high))) if axis::sane((low.max(1.0), high)) && high >= 2.0 * low.max(1.0) => {
            (low.max(1.0), high)
        }
        (true, _) => axis::logarithmic(places()),
        (false, Some(range)) => range,
        (false, None) => {
            axis::horizontal(places(), if lines.x_label.starts_with("step") { FEWEST_STEPS } else { 0.0 })
        }
    }
}

fn y_range(lines: &Lines) -> (f64, f64) {
    let values = lines.series.iter().flat_map(|s| {
        let edges = s.band.iter().flat_map(|(low, high)| [*low, *high]);
        s.y.iter().copied().chain(edges).map(f64::from)
    });
    let references = lines.references.iter().map(|r| r.0);
    lines.y_range.filter(|r| axis::sane(*r)).unwrap_or_else(|| axis::vertical(values.chain(references)))
}

/// One colour per curve: its role's, paler for each further curve of the same role.
fn colours<DB: DrawingBackend>(pen: &Pen<DB>, lines: &Lines) -> Vec<RGBColor> {
    let theme = pen.theme;
    let mut seen = [0u8; 3];
    lines
        .series
        .iter()
        .map(|series| {
            let (role, colour) = match series.role {
                Role::Train => (0, theme.train),
                Role::Test => (1, theme.test),
                Role::Other => (2, theme.other),
            };
            let paler = f64::from(seen[role] % 3) * 0.25;
            seen[role] = seen[role].wrapping_add(1);
            mix(colour, theme.bg, paler)
        })
        .collect()
}

fn legend(lines: &Lines, colours: &[RGBColor]) -> frame::Legend {
    let named = lines.series.iter().zip(colours).filter(|(s, _)| !s.name.is_empty());
    named.map(|(s, colour)| (*colour, s.name.clone())).collect()
}

fn places<'a>(x: &'a Axis, y: &'a Axis, series: &'a Series) -> impl Iterator<Item = Option<Point>> + 'a {
    series.x.iter().zip(&series.y).map(|(a, b)| Some((x.place_inside(*a)?, y.place(f64::from(*b))?)))
}

fn band<DB: DrawingBackend>(
    pen: &Pen<DB>,
    x: &Axis,
    y: &Axis,
    series: &Series,
    colour: RGBColor,
) -> Drawn<DB> {
    let edges = series.x.iter().zip(&series.band).map(|(at, (low, high))| {
        Some((x.place_inside(*at)?, y.place(f64::from(*low))?, y.place(f64::from(*high))?))
    });
    for run in decimate::band(edges) {
        let outline =
            run.iter().map(|(x, low, _)| (*x, *low)).chain(run.iter().rev().map(|(x, _, high)| (*x, *high)));
        if run.len() > 1 {
            pen.polygon(outline.collect(), colour, 0.2)?;
        }
    }
    Ok(())
}

/// Writes a name inside of the plot at the first spot that no curve crosses, or else at the first that fits.
fn inside<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: Area,
    drawn: &[Vec<Point>],
    name: &str,
    spots: &[(i32, i32, HPos)],
    colour: RGBColor,
) -> Drawn<DB> {
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
        .collect();
    let free = fitting.iter().find(|(_, _, area)| !drawn.iter().any(|run| crosses(run, *area)));
    let Some((at, align, area)) = free.or(fitting.first()) else { return Ok(()) };
    if free.is_none() {
        pen.fill(*area, pen.theme.bg, 0.8)?;
    }
    pen.text(name, *at, Label { align: *align, ..label })
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
