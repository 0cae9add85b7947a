//! Thresholds of a sweep: the smallest number of examples (or value of another setting) that suffices.

use super::{ChartDependency, ChartSpec};
use crate::display::sweep::SweepProgress;
use crate::display::view::RunView;
use crate::display::words::{format_decimal, format_thousands, setting_label, setting_symbol, uncapitalize};
use vivarium_core::settings::SweepAxis;
use vivarium_model::chart;
use vivarium_model::run::RunSpec;
use vivarium_plot::analysis::threshold::{chart, find_threshold, fit_logarithm};
use vivarium_plot::analysis::{LineChart, Reading};

/// Chart of thresholds: for each value of the second swept setting, the smallest value of the first at which 80 % of
/// the replicas succeed.
pub(super) const THRESHOLD: ChartSpec =
    ChartSpec::new(chart::THRESHOLD, |run| Reading::Lines(draw_thresholds(run).unwrap_or_default()))
        .applies(|run| {
            let run = &run.link.spec.run;
            match parse_axis_values(&run.sweep).and(parse_axis_values(&run.series)) {
                Some(_) => Ok(()),
                None => Err(tr!(
                    "This chart is drawn only for a sweep over two settings that both have numbers as values."
                )
                .into()),
            }
        })
        .summary(summarize_thresholds)
        .depends_on(ChartDependency::Sweep);

/// Values of a swept setting as numbers; `None` if the setting has no values in the sweep or its values are words.
fn parse_axis_values(axis: &SweepAxis) -> Option<Vec<f64>> {
    let numbers: Option<Vec<f64>> = axis.values.iter().map(|value| value.parse().ok()).collect();
    numbers.filter(|numbers| !numbers.is_empty())
}

/// For each value of the second swept setting: (that value, smallest value of the first setting at which 80 % of the
/// replicas reach the target, `None` if none does or the runs have not finished). `None` for the whole if a setting is
/// not swept or its values are words.
pub fn compute_thresholds(spec: &RunSpec, sweep: &SweepProgress) -> Option<Vec<(f64, Option<f64>)>> {
    let (values, series) = (parse_axis_values(&spec.run.sweep)?, parse_axis_values(&spec.run.series)?);
    let count = |line: usize, at: usize| {
        let times = sweep.solved_steps(at * series.len() + line)?;
        Some((times.iter().flatten().count(), times.len()))
    };
    let of = |(line, x): (usize, &f64)| {
        let counts: Vec<_> = (0..values.len()).map(|at| count(line, at)).collect();
        (*x, find_threshold(&values, &counts))
    };
    Some(series.iter().enumerate().map(of).collect())
}

/// Draws the thresholds over the values of the second swept setting; `None` if the run is not a sweep over two settings
/// with numbers as values.
fn draw_thresholds(run: &RunView) -> Option<LineChart> {
    let spec = &run.link.spec;
    let (sweep, series) = (&spec.run.sweep.key, &spec.run.series.key);
    let points = compute_thresholds(spec, run.sweep.as_ref()?)?;
    let name =
        tr!("smallest {setting} for 80 % success", setting = uncapitalize(&setting_label(spec, sweep)));
    Some(chart(&points, &setting_label(spec, series), &name, &setting_symbol(spec, series)))
}

/// Describes in a sentence the smallest values at which 80 % of the replicas succeed, and their growth with the second
/// swept setting.
fn summarize_thresholds(run: &RunView) -> Option<String> {
    let spec = &run.link.spec;
    let all = compute_thresholds(spec, run.sweep.as_ref()?)?;
    let known: Vec<(f64, f64)> = all.iter().filter_map(|(x, m)| Some((*x, (*m)?))).collect();
    let (of, symbol) =
        (setting_symbol(spec, &spec.run.sweep.key), setting_symbol(spec, &spec.run.series.key));
    let one = |(x, m): &(f64, f64)| {
        tr!(
            "{least} at {symbol} = {value}",
            least = format_thousands(*m as u64),
            symbol,
            value = format_thousands(*x as u64)
        )
    };
    let list: Vec<String> = known.iter().map(one).collect();
    Some(match fit_logarithm(&known) {
        Some((_, b)) => tr!(
            "Smallest {of} at which at least 80 % of the trials succeed: {places}. When {symbol} doubles, the smallest {of} grows by about {more}.",
            of,
            places = list.join(", "),
            symbol,
            more = format_decimal((b * std::f64::consts::LN_2) as f32)
        ),
        None if list.is_empty() => tr!("No run of the sweep has reached 80 % successful trials yet.").into(),
        None => tr!(
            "Smallest {of} at which at least 80 % of the trials succeed: {places}.",
            of,
            places = list.join(", ")
        ),
    })
}
