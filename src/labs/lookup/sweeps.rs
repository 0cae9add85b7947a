//! Charts of sweeps: error by heads, sequences to the target, retrieval error by sharpness, and error by sample size.

use super::theory::{lower_bound, prompt_task, read_count, span_lower_bounds};
use super::weights::span::OUTSIDE;
use vivarium_core::bounds::{PAGE_SLICE_OPERATIONS, saturating_product};
use vivarium_core::settings::SweepAxis;
use vivarium_core::sorting;
use vivarium_plot::analysis::bootstrap::ScalingLaw;
use vivarium_plot::analysis::ends;
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_plot::analysis::scaling::{ScalingPoint, fit_logarithm, fit_power_law, slope_interval};
use vivarium_plot::analysis::{LineChart, Role, Series};
use vivarium_science::tokens::theory::oracle::mean_oracle_risk;
use vivarium_science::tokens::theory::retrieval::{evaluate_lookup, lookup_error_bound};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{empty_lines, final_error_curves};
use vivarium_view::display::words::{format_significant, format_thousands, setting_label, setting_symbol};

/// Number of x-values at which a theoretical or fitted curve is computed.
const CURVE_POINTS: usize = 40;
/// Minimum number of points of the curve of the exact retrieval error against the sharpness α; if fewer can be computed
/// in time, this curve is not drawn.
const MIN_CURVE_POINTS: u64 = 8;
/// Upper end of the y-axis of the chart of error against the number of training prompts, divided by the largest value
/// drawn there or 1, whichever is larger.
const AXIS_MARGIN: f64 = 1.05;
/// Chart roles, which set the colours, given in turn to the curves of a sweep.
const CURVE_ROLES: [Role; 3] = [Role::Test, Role::Train, Role::Relevant];

/// Whether the link is a sweep over the setting with this key.
pub(super) fn sweeps_over(run: &RunView, key: &str) -> bool {
    let SweepAxis { key: own, values, .. } = &run.link.spec.run.sweep;
    own == key && !values.is_empty()
}

/// Theoretical lower bounds on the relative error for curve number `curve` (from 0) of a sweep over heads, as (number
/// of heads, bound), in ascending order of heads.
fn lower_bounds_of_curve(run: &RunView, curve: usize) -> Vec<(f64, f32)> {
    let Some(sweep) = &run.sweep else { return vec![] };
    let cells = sweep.cells.iter().filter(|cell| cell.series_index == curve);
    let mut all: Vec<(f64, f32)> = cells
        .filter_map(|cell| {
            let heads = read_count(&cell.spec, "h")?;
            Some((heads as f64, lower_bound(&cell.spec, heads)? as f32))
        })
        .collect();
    sorting::sort_by(&mut all, |a, b| a.0.total_cmp(&b.0));
    all
}

/// Draws the relative error on held-out prompts at the end of each run of a sweep against the number of heads, with the
/// theoretical lower bounds.
pub(super) fn draw_error_by_heads(run: &RunView) -> LineChart {
    let curves = final_error_curves(run);
    let mut lines = ends::chart(&curves, &setting_label(&run.link.spec, "h"), tr!("relative error"));
    for (line, (name, _)) in curves.iter().enumerate() {
        let (x, y): (Vec<f64>, Vec<f32>) = lower_bounds_of_curve(run, line).into_iter().unzip();
        let name = match curves.len() {
            1 => tr!("theoretical lower bound").into(),
            _ => tr!("theoretical lower bound, {name}", name),
        };
        lines.series.push(Series { name, role: Role::Other, points: true, x, y, ..Default::default() });
    }
    lines.y_range = Some((0.0, 1.05));
    lines
}

/// Curves of the sweep so far as (name, points); each point holds a swept value and, for each network, the number of
/// training sequences (not steps) seen until it reached the target.
pub(super) fn collect_sequences(run: &RunView) -> Vec<(String, Vec<ScalingPoint>)> {
    let spec = &run.link.spec;
    let Some(sweep) = &run.sweep else { return vec![] };
    let batch = spec.batch_size() as u64;
    let seen = |point: ScalingPoint| ScalingPoint {
        times: point.times.iter().map(|time| time.map(|steps| steps * batch)).collect(),
        horizon: point.horizon.saturating_mul(batch),
        ..point
    };
    let curves = sweep.curves(spec).into_iter();
    curves.map(|(name, points)| (name, points.into_iter().map(seen).collect())).collect()
}

/// Appends the 95 % confidence interval `ends` (low, high) of the fitted slope (exponent of a power law, or factor of
/// the logarithm) to a fitted formula; without an interval the formula is unchanged.
fn append_interval(fitted: String, ends: Option<[String; 2]>) -> String {
    match ends {
        Some([low, high]) => tr!("{fitted}, 95 % interval {low} to {high}", fitted, low, high),
        None => fitted,
    }
}

/// Text of the power law fitted to the medians over networks of the training sequences until the target: "∝ N^0.55, 95
/// % interval 0.48 to 0.63", where `symbol` is "N", that of the swept setting; `None` with fewer than two medians.
fn format_power_fit(points: &[ScalingPoint], symbol: &str) -> Option<String> {
    let fitted = format!("∝ {symbol}^{}", format_significant(fit_power_law(points)?.exponent));
    let ends =
        slope_interval(points, ScalingLaw::Power).map(|(low, high)| [low, high].map(format_significant));
    Some(append_interval(fitted, ends))
}

/// Text of the logarithmic curve fitted to the medians over networks of the training sequences until the target: "900 +
/// 3,100 ln N, 95 % interval 2,900 to 3,300", where `symbol` is "N" and the interval is that of the factor of ln N;
/// `None` with fewer than two medians.
fn format_log_fit(points: &[ScalingPoint], symbol: &str) -> Option<String> {
    let fit = fit_logarithm(points)?;
    let sign = if fit.slope < 0.0 { "−" } else { "+" };
    let level = if fit.level < 0.0 { "−" } else { "" };
    let whole = |x: f64| format_thousands(x.abs().round() as u64);
    let signed = |x: f64| format!("{}{}", if x < 0.0 { "−" } else { "" }, whole(x));
    let fitted = format!("{level}{} {sign} {} ln {symbol}", whole(fit.level), whole(fit.slope));
    let ends = slope_interval(points, ScalingLaw::Logarithm).map(|(low, high)| [low, high].map(signed));
    Some(append_interval(fitted, ends))
}

/// Texts of the two fits to a curve of training sequences until the target, first the logarithm and then the power law;
/// `None` with fewer than two medians.
pub(super) fn format_fits(points: &[ScalingPoint], symbol: &str) -> Option<[String; 2]> {
    Some([format_log_fit(points, symbol)?, format_power_fit(points, symbol)?])
}

/// Draws the median number of training sequences until the target is reached against the swept setting, with fitted
/// curves if the sweep has a single curve.
pub(super) fn draw_sequences_to_target(run: &RunView) -> LineChart {
    let spec = &run.link.spec;
    let (key, curves) = (&spec.run.sweep.key, collect_sequences(run));
    let symbol = setting_symbol(spec, key);
    let gap = (f32::NAN, f32::NAN);
    let curve = |(at, (name, points)): (usize, &(String, Vec<ScalingPoint>))| {
        let band = |point: &ScalingPoint| {
            let interval = point.median_time().and(point.median_interval());
            interval.map_or(gap, |(low, high)| (low as f32, high as f32))
        };
        Series {
            name: match format_power_fit(points, &symbol).filter(|_| curves.len() > 1) {
                Some(power) => format!("{name}, {power}"),
                None => name.clone(),
            },
            role: CURVE_ROLES[at % CURVE_ROLES.len()],
            points: true,
            x: points.iter().map(|point| point.x).collect(),
            y: points.iter().map(|point| point.median_time().map_or(f32::NAN, |seen| seen as f32)).collect(),
            band: points.iter().map(band).collect(),
            ..Default::default()
        }
    };
    let mut series: Vec<Series> = curves.iter().enumerate().map(curve).collect();
    // The fits of several curves would clutter the chart; the summary lists them.
    if let [(_, points)] = curves.as_slice() {
        series.extend(draw_fits(points, &symbol));
    }
    let (x_label, places) =
        (setting_label(spec, key), vivarium_model::sweep::axis_positions(&spec.run.sweep));
    let has_ratios = places.iter().all(|x| *x > 0.0);
    let ends = places.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
    let is_empty = series.iter().all(|series| series.y.iter().all(|y| y.is_nan()));
    LineChart {
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

/// Curves of the logarithm and of the power law fitted to the median training sequences until the target; empty with
/// fewer than two medians.
fn draw_fits(points: &[ScalingPoint], symbol: &str) -> Vec<Series> {
    let known: Vec<f64> =
        points.iter().filter(|point| point.median_time().is_some()).map(|point| point.x).collect();
    let (Some(law), Some(log), Some([logarithm, power]), [first, .., last]) =
        (fit_power_law(points), fit_logarithm(points), format_fits(points, symbol), known.as_slice())
    else {
        return vec![];
    };
    let x: Vec<f64> = (0..CURVE_POINTS)
        .map(|i| first * libm::pow(last / first, i as f64 / (CURVE_POINTS - 1) as f64))
        .collect();
    let curve = |name: String, role: Role, of: &dyn Fn(f64) -> f64| Series {
        name,
        role,
        y: x.iter().map(|x| of(*x) as f32).collect(),
        x: x.clone(),
        ..Default::default()
    };
    vec![curve(logarithm, Role::Train, &|x| log.time_at(x)), curve(power, Role::Other, &|x| law.time_at(x))]
}

/// Draws the retrieval error, the root mean square error of a token coordinate of variance 1 that attention looks up,
/// against the sharpness α: exact error of the weights set by hand, the bound N exp(−αs²/2) of lemma 11 of
/// Mousavi-Hosseini et al. 2025 (N positions, factor s of the codes), and trained networks.
pub(super) fn draw_error_by_sharpness(run: &RunView) -> LineChart {
    let spec = run.spec();
    let Some(task) = prompt_task(spec) else { return LineChart::default() };
    let prompts = task.prompt_spec();
    let (n, square) = (prompts.length, f64::from(prompts.code_scale()).powi(2));
    let swept = if sweeps_over(run, "sharp") { final_error_curves(run) } else { vec![] };
    let places = if sweeps_over(run, "sharp") {
        vivarium_model::sweep::axis_positions(&run.link.spec.run.sweep)
    } else {
        vec![]
    };
    // Up to the sharpness at which the bound is 0.001.
    let usual = 2.0 / square * libm::log(1000.0 * n as f64);
    let end = places.iter().copied().fold(if places.is_empty() { usual } else { 0.0 }, f64::max);
    let count = PAGE_SLICE_OPERATIONS / saturating_product([n, n, prompts.code_dim]).max(1);
    let mut series = vec![];
    if count >= MIN_CURVE_POINTS {
        let count = (count as usize).min(CURVE_POINTS);
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
    LineChart {
        x_label: tr!("sharpness α").into(),
        y_label: tr!("retrieval error").into(),
        x_range: Some((0.0, end)),
        log_y: true,
        series,
        ..Default::default()
    }
}

/// Draws the relative error against the number of training prompts, with the lower bounds of theorem 6 of
/// Mousavi-Hosseini et al. 2025 for predictors that see tokens only through the span of these prompts, and the share of
/// the first network's first-layer weights outside this span.
pub(super) fn draw_error_by_sample_size(run: &RunView) -> LineChart {
    let spec = run.spec();
    let Some(task) = prompt_task(spec) else { return LineChart::default() };
    let (n, d) = (task.length, task.dim);
    let size = n * d;
    let swept = sweeps_over(run, "m");
    let mut points: Vec<(f64, f32)> = match swept {
        true => final_error_curves(run)
            .into_iter()
            .flat_map(|(_, points)| points)
            .filter_map(|(m, errors)| Some((m, ends::quartiles(&errors)?[1])))
            .collect(),
        false => {
            let latest = run.history.latest().map(|_| run.history.latest_median(ReplicaMeasure::TestLoss));
            spec.task
                .examples()
                .training_set_size()
                .zip(latest)
                .map(|(m, error)| (m as f64, error))
                .into_iter()
                .collect()
        }
    };
    sorting::sort_by(&mut points, |a, b| a.0.total_cmp(&b.0));
    let last = points.iter().fold(size as f64, |last, (m, _)| last.max(*m));
    let own: Vec<f32> = span_lower_bounds(spec).into_iter().map(|left| left as f32).collect();
    let mut lines = empty_lines(tr!("training prompts n"), tr!("relative error"));
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
    let outside = run.latest_finding(&OUTSIDE).and_then(|found| found.few.first().copied());
    if let Some((share, m)) = outside.zip(spec.task.examples().training_set_size()) {
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
    // The error of a network can be larger than that of predicting the mean.
    let drawn = lines.series.iter().flat_map(|series| &series.y).filter(|y| y.is_finite());
    let max_value = drawn.fold(1.0, |most: f32, y| most.max(*y));
    lines.y_range = Some((0.0, AXIS_MARGIN * f64::from(max_value)));
    lines
}
