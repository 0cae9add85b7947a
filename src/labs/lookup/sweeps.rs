//! Charts of sweeps: error by heads, sequences to the target, retrieval by sharpness, and what a sample cannot tell.

use super::theory::{floor, outside_span, task, whole};
use super::weights::span::OUTSIDE;
use vivarium_core::bounds::{SLICE, product};
use vivarium_core::settings::Axis;
use vivarium_core::sorting;
use vivarium_plot::analysis::bootstrap::Law;
use vivarium_plot::analysis::ends;
use vivarium_plot::analysis::scaling::{Point, fit, fit_logarithm, interval};
use vivarium_plot::analysis::{Lines, Role, Series};
use vivarium_science::tokens::theory::oracle::mean_oracle_risk;
use vivarium_science::tokens::theory::retrieval::{evaluate_lookup, lookup_error_bound};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{final_errors, with_axes};
use vivarium_view::display::words::{label, significant, symbol, thousands};

/// Places at which curves of theory are drawn.
const PLACES: usize = 40;
/// Fewest of them.
const FEWEST: u64 = 8;
/// The top of an axis of relative errors over the largest of them.
const ROOM: f64 = 1.05;
/// Colours of curves, one after the other.
const ROLES: [Role; 3] = [Role::Test, Role::Train, Role::Relevant];

/// Whether the link is a sweep over this setting.
pub(super) fn is_over(run: &RunView, key: &str) -> bool {
    let Axis { key: own, values, .. } = &run.link.spec.run.sweep;
    own == key && !values.is_empty()
}

/// Floors by theory of the runs of one curve of the sweep: heads and floor, in rising order.
fn floors_of(run: &RunView, line: usize) -> Vec<(f64, f32)> {
    let Some(sweep) = &run.sweep else { return vec![] };
    let cells = sweep.cells.iter().filter(|cell| cell.series == line);
    let mut all: Vec<(f64, f32)> = cells
        .filter_map(|cell| {
            let heads = whole(&cell.spec, "h")?;
            Some((heads as f64, floor(&cell.spec, heads)? as f32))
        })
        .collect();
    sorting::sort_by(&mut all, |a, b| a.0.total_cmp(&b.0));
    all
}

pub(super) fn stairs(run: &RunView) -> Lines {
    let curves = final_errors(run);
    let mut lines = ends::chart(&curves, &label(&run.link.spec, "h"), tr!("relative error"));
    for (line, (name, _)) in curves.iter().enumerate() {
        let (x, y): (Vec<f64>, Vec<f32>) = floors_of(run, line).into_iter().unzip();
        let name = match curves.len() {
            1 => tr!("theoretical lower bound").into(),
            _ => tr!("theoretical lower bound, {name}", name),
        };
        lines.series.push(Series { name, role: Role::Other, points: true, x, y, ..Default::default() });
    }
    lines.y_range = Some((0.0, 1.05));
    lines
}

/// The curves of the sweep so far: their names, and for each value of the sweep the sequences that each network had seen
/// when it reached the target.
pub(super) fn sequences(run: &RunView) -> Vec<(String, Vec<Point>)> {
    let spec = &run.link.spec;
    let Some(sweep) = &run.sweep else { return vec![] };
    let batch = spec.batch() as u64;
    let seen = |point: Point| Point {
        times: point.times.iter().map(|time| time.map(|steps| steps * batch)).collect(),
        horizon: point.horizon.saturating_mul(batch),
        ..point
    };
    let curves = sweep.curves(spec).into_iter();
    curves.map(|(name, points)| (name, points.into_iter().map(seen).collect())).collect()
}

/// A fitted curve with the 95 % interval of its slope, if networks are enough for one.
fn with_interval(fitted: String, ends: Option<[String; 2]>) -> String {
    match ends {
        Some([low, high]) => tr!("{fitted}, 95 % interval {low} to {high}", fitted, low, high),
        None => fitted,
    }
}

/// "∝ N^0.55, 95 % interval 0.48 to 0.63", as far as it is known.
fn power(points: &[Point], symbol: &str) -> Option<String> {
    let fitted = format!("∝ {symbol}^{}", significant(fit(points)?.exponent));
    let ends = interval(points, Law::Power).map(|(low, high)| [low, high].map(significant));
    Some(with_interval(fitted, ends))
}

/// "900 + 3,100 ln N, 95 % interval 2,900 to 3,300", likewise: the interval is that of the factor of ln N.
fn logarithm(points: &[Point], symbol: &str) -> Option<String> {
    let law = fit_logarithm(points)?;
    let sign = if law.slope < 0.0 { "−" } else { "+" };
    let level = if law.level < 0.0 { "−" } else { "" };
    let whole = |x: f64| thousands(x.abs().round() as u64);
    let signed = |x: f64| format!("{}{}", if x < 0.0 { "−" } else { "" }, whole(x));
    let fitted = format!("{level}{} {sign} {} ln {symbol}", whole(law.level), whole(law.slope));
    let ends = interval(points, Law::Logarithm).map(|(low, high)| [low, high].map(signed));
    Some(with_interval(fitted, ends))
}

/// Both fits of a curve, in words; none without two medians.
pub(super) fn fits(points: &[Point], symbol: &str) -> Option<[String; 2]> {
    Some([logarithm(points, symbol)?, power(points, symbol)?])
}

pub(super) fn needed(run: &RunView) -> Lines {
    let spec = &run.link.spec;
    let (key, curves) = (&spec.run.sweep.key, sequences(run));
    let symbol = symbol(spec, key);
    let gap = (f32::NAN, f32::NAN);
    let curve = |(at, (name, points)): (usize, &(String, Vec<Point>))| {
        let band = |point: &Point| {
            let interval = point.median().and(point.interval());
            interval.map_or(gap, |(low, high)| (low as f32, high as f32))
        };
        Series {
            name: match power(points, &symbol).filter(|_| curves.len() > 1) {
                Some(power) => format!("{name}, {power}"),
                None => name.clone(),
            },
            role: ROLES[at % ROLES.len()],
            points: true,
            x: points.iter().map(|point| point.x).collect(),
            y: points.iter().map(|point| point.median().map_or(f32::NAN, |seen| seen as f32)).collect(),
            band: points.iter().map(band).collect(),
            ..Default::default()
        }
    };
    let mut series: Vec<Series> = curves.iter().enumerate().map(curve).collect();
    // Of several curves the fits would be a crowd; they are said instead.
    if let [(_, points)] = curves.as_slice() {
        series.extend(fitted(points, &symbol));
    }
    let (x_label, places) = (label(spec, key), vivarium_model::sweep::places(&spec.run.sweep));
    let has_ratios = places.iter().all(|x| *x > 0.0);
    let ends = places.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
    let is_empty = series.iter().all(|series| series.y.iter().all(|y| y.is_nan()));
    Lines {
        x_label,
        y_label: tr!("sequences seen").into(),
        x_range: Some(ends),
        y_range: is_empty.then_some((1e3, 1e6)),
        log_x: has_ratios,
        log_y: true,
        series,
        ..Default::default()
    }
}

/// Both fits of the medians as curves, in other words none.
fn fitted(points: &[Point], symbol: &str) -> Vec<Series> {
    let known: Vec<f64> =
        points.iter().filter(|point| point.median().is_some()).map(|point| point.x).collect();
    let (Some(law), Some(log), Some([logarithm, power]), [first, .., last]) =
        (fit(points), fit_logarithm(points), fits(points, symbol), known.as_slice())
    else {
        return vec![];
    };
    let x: Vec<f64> =
        (0..PLACES).map(|i| first * libm::pow(last / first, i as f64 / (PLACES - 1) as f64)).collect();
    let curve = |name: String, role: Role, of: &dyn Fn(f64) -> f64| Series {
        name,
        role,
        y: x.iter().map(|x| of(*x) as f32).collect(),
        x: x.clone(),
        ..Default::default()
    };
    vec![curve(logarithm, Role::Train, &|x| log.at(x)), curve(power, Role::Other, &|x| law.at(x))]
}

pub(super) fn sharpness(run: &RunView) -> Lines {
    let spec = run.spec();
    let Some(task) = task(spec) else { return Lines::default() };
    let prompts = task.drawn();
    let (n, square) = (prompts.length, f64::from(prompts.code_scale()).powi(2));
    let swept = if is_over(run, "sharp") { final_errors(run) } else { vec![] };
    let places =
        if is_over(run, "sharp") { vivarium_model::sweep::places(&run.link.spec.run.sweep) } else { vec![] };
    // To where the bound is a thousandth.
    let usual = 2.0 / square * libm::log(1000.0 * n as f64);
    let end = places.iter().copied().fold(if places.is_empty() { usual } else { 0.0 }, f64::max);
    let count = SLICE / product([n, n, prompts.code_dim]).max(1);
    let mut series = vec![];
    if count >= FEWEST {
        let count = (count as usize).min(PLACES);
        let codes = prompts.draw_position_codes(spec.run.seed);
        let x: Vec<f64> = (0..=count).map(|i| end * i as f64 / count as f64).collect();
        let error = |alpha: &f64| {
            libm::sqrt(evaluate_lookup(&codes, prompts.code_dim, alpha * square).mean_squared_error) as f32
        };
        series.push(Series {
            name: tr!("exact error of the construction").into(),
            role: Role::Train,
            y: x.iter().map(error).collect(),
            x,
            ..Default::default()
        });
    }
    series.push(Series {
        name: tr!("bound N exp(−αs²/2)").into(),
        role: Role::Other,
        x: vec![0.0, end],
        y: [0.0, end].map(|alpha| lookup_error_bound(n, alpha * square) as f32).to_vec(),
        ..Default::default()
    });
    for (_, points) in swept.into_iter().filter(|(_, points)| !points.is_empty()) {
        let middle = |errors: &[f32]| {
            ends::quartiles(errors).map_or(f32::NAN, |[_, middle, _]| middle.max(0.0).sqrt())
        };
        let (x, y) = points.iter().map(|(x, errors)| (*x, middle(errors))).unzip();
        let name = tr!("networks: square root of the relative error").into();
        series.push(Series {
            name,
            role: Role::Test,
            points: true,
            scatter: true,
            x,
            y,
            ..Default::default()
        });
    }
    Lines {
        x_label: tr!("sharpness α").into(),
        y_label: tr!("retrieval error").into(),
        x_range: Some((0.0, end)),
        log_y: true,
        series,
        ..Default::default()
    }
}

pub(super) fn span(run: &RunView) -> Lines {
    let spec = run.spec();
    let Some(task) = task(spec) else { return Lines::default() };
    let (n, d) = (task.length, task.dim);
    let size = n * d;
    let swept = is_over(run, "m");
    let mut points: Vec<(f64, f32)> = match swept {
        true => final_errors(run)
            .into_iter()
            .flat_map(|(_, points)| points)
            .filter_map(|(m, errors)| Some((m, ends::quartiles(&errors)?[1])))
            .collect(),
        false => {
            let newest =
                run.history.last().map(|row| vivarium_plot::analysis::curves::spread(&row.test_loss).0);
            spec.task
                .examples()
                .sample_size()
                .zip(newest)
                .map(|(m, error)| (m as f64, error))
                .into_iter()
                .collect()
        }
    };
    sorting::sort_by(&mut points, |a, b| a.0.total_cmp(&b.0));
    let last = points.iter().fold(size as f64, |last, (m, _)| last.max(*m));
    let own: Vec<f32> = outside_span(spec).into_iter().map(|left| left as f32).collect();
    let mut lines = with_axes(tr!("training prompts n"), tr!("relative error"));
    lines.x_range = Some((0.0, last));
    lines.series.push(Series {
        name: tr!("lower bound, averaged over linear functions: 1 − n/(Nd)").into(),
        role: Role::Other,
        x: vec![0.0, size as f64, last],
        y: [0, size, last as usize].map(|m| mean_oracle_risk(m, n, d) as f32).to_vec(),
        ..Default::default()
    });
    if !own.is_empty() {
        lines.series.push(Series {
            name: tr!("lower bound for the prompts of this run").into(),
            role: Role::Train,
            x: (0..own.len()).map(|m| m as f64).collect(),
            y: own,
            ..Default::default()
        });
    }
    let (x, y) = points.into_iter().unzip();
    let name = tr!("trained networks").into();
    lines.series.push(Series { name, role: Role::Test, points: true, x, y, ..Default::default() });
    let outside = run.finding(&OUTSIDE).and_then(|found| found.few.first().copied());
    if let Some((share, m)) = outside.zip(spec.task.examples().sample_size()) {
        lines.y_label = tr!("relative error, share of ‖W‖²").into();
        lines.series.push(Series {
            name: tr!("share of ‖W‖² outside the span, newest run").into(),
            role: Role::Relevant,
            points: true,
            scatter: true,
            x: vec![m as f64],
            y: vec![share as f32],
            ..Default::default()
        });
    }
    // Networks can err more than predicting the mean does.
    let drawn = lines.series.iter().flat_map(|series| &series.y).filter(|y| y.is_finite());
    let most = drawn.fold(1.0, |most: f32, y| most.max(*y));
    lines.y_range = Some((0.0, ROOM * f64::from(most)));
    lines
}
