//! How many examples, or how large a value of another setting, are enough: the thresholds of a sweep.

use super::{ChartSpec, Follows};
use crate::display::sweep::Sweep;
use crate::display::view::RunView;
use crate::display::words::{decimal, label, small, symbol, thousands};
use vivarium_core::settings::Axis;
use vivarium_model::chart;
use vivarium_model::run::RunSpec;
use vivarium_plot::analysis::threshold::{chart, fit, threshold};
use vivarium_plot::analysis::{Lines, Reading};

/// The chart.
pub(super) const THRESHOLD: ChartSpec =
    ChartSpec::new(chart::THRESHOLD, |run| Reading::Lines(drawn(run).unwrap_or_default()))
        .applies(|run| {
            let run = &run.link.spec.run;
            match numbers(&run.sweep).and(numbers(&run.series)) {
                Some(_) => Ok(()),
                None => Err(tr!(
                    "This chart is drawn only for a sweep over two settings that both have numbers as values."
                )
                .into()),
            }
        })
        .summary(said)
        .follows(Follows::Sweep);

/// The values of an axis that has some, all of them numbers.
fn numbers(axis: &Axis) -> Option<Vec<f64>> {
    let numbers: Option<Vec<f64>> = axis.values.iter().map(|value| value.parse().ok()).collect();
    numbers.filter(|numbers| !numbers.is_empty())
}

/// For each value of the second setting of a sweep the smallest value of the first at which enough trials succeed.
/// None for a sweep of words.
pub fn thresholds(spec: &RunSpec, sweep: &Sweep) -> Option<Vec<(f64, Option<f64>)>> {
    let (values, series) = (numbers(&spec.run.sweep)?, numbers(&spec.run.series)?);
    let count = |line: usize, at: usize| {
        let times = sweep.times(at * series.len() + line)?;
        Some((times.iter().flatten().count(), times.len()))
    };
    let of = |(line, x): (usize, &f64)| {
        let counts: Vec<_> = (0..values.len()).map(|at| count(line, at)).collect();
        (*x, threshold(&values, &counts))
    };
    Some(series.iter().enumerate().map(of).collect())
}

fn drawn(run: &RunView) -> Option<Lines> {
    let spec = &run.link.spec;
    let (sweep, series) = (&spec.run.sweep.key, &spec.run.series.key);
    let points = thresholds(spec, run.sweep.as_ref()?)?;
    let name = tr!("smallest {setting} for 80 % success", setting = small(&label(spec, sweep)));
    Some(chart(&points, &label(spec, series), &name, &symbol(spec, series)))
}

fn said(run: &RunView) -> Option<String> {
    let spec = &run.link.spec;
    let all = thresholds(spec, run.sweep.as_ref()?)?;
    let known: Vec<(f64, f64)> = all.iter().filter_map(|(x, m)| Some((*x, (*m)?))).collect();
    let (of, symbol) = (symbol(spec, &spec.run.sweep.key), symbol(spec, &spec.run.series.key));
    let one = |(x, m): &(f64, f64)| {
        tr!(
            "{least} at {symbol} = {value}",
            least = thousands(*m as u64),
            symbol,
            value = thousands(*x as u64)
        )
    };
    let list: Vec<String> = known.iter().map(one).collect();
    Some(match fit(&known) {
        Some((_, b)) => tr!(
            "Smallest {of} at which at least 80 % of the trials succeed: {places}. When {symbol} doubles, the smallest {of} grows by about {more}.",
            of,
            places = list.join(", "),
            symbol,
            more = decimal((b * std::f64::consts::LN_2) as f32)
        ),
        None if list.is_empty() => tr!("No run of the sweep has reached 80 % successful trials yet.").into(),
        None => tr!(
            "Smallest {of} at which at least 80 % of the trials succeed: {places}.",
            of,
            places = list.join(", ")
        ),
    })
}
