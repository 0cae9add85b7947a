//! Sweeps: one run for every value of a setting, and of a second one, for how long learning takes.
//!
//! ```
//! use vivarium::{permalink::decode, sweep};
//! let (link, _) = decode("#v1/sparse-parity?sweep=n:10_20&series=k:2_3&replicas=5");
//! let cells = sweep::cells(&link.spec);
//! assert_eq!(cells.len(), 4);
//! assert_eq!((cells[1].at, cells[1].series), (0, 1));
//! ```
//!
//! # Why
//! A cell is an ordinary run of its own, with as many replicas as the sweep asks for, so nothing that trains
//! knows of sweeps: whoever drives runs takes one cell after the other. Cells of the same abscissa come
//! together, so that every curve grows from the start.

use std::collections::BTreeMap;

use crate::bounds::MOST_CONSTRUCTIONS;
use crate::models::Family;
use crate::run::RunSpec;
use crate::settings::{Axis, Problem, thousands};

/// Most runs that a sweep may stand for without anybody's word: what a page makes and shows.
pub const MOST_CELLS: usize = 1024;

/// Most runs of a sweep that a person may ask for beyond that.
pub const MOST_AT_ALL: usize = 1_000_000;

/// Settings that no cell can have for itself.
pub const FIXED: &[&str] = &["sweep", "series", "lrs", "device", "learner"];

/// One run of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The run, without a sweep.
    pub spec: RunSpec,
    /// Which value of the sweep's setting it has.
    pub at: usize,
    /// Which value of the second setting it has; 0 where there is none.
    pub series: usize,
}

/// How many runs the sweep of `spec` stands for; 0 if it is no sweep.
pub fn count(spec: &RunSpec) -> usize {
    spec.run.sweep.values.len().saturating_mul(spec.run.series.values.len().max(1))
}

/// The runs of the sweep of `spec`, in the order in which they are made; none if it is no sweep.
pub fn cells(spec: &RunSpec) -> Vec<Cell> {
    (0..count(spec)).filter_map(|number| cell(spec, number).ok()).collect()
}

/// Run `number` of the sweep of `spec`, from 0.
///
/// # Errors
/// Which of the sweep's values cannot be. None of a sweep in a specification without problems.
pub fn cell(spec: &RunSpec, number: usize) -> Result<Cell, Problem> {
    let cell = set(spec, number)?;
    match cell.spec.problems().first() {
        Some(problem) => Err(wrong("sweep", &spec.run.sweep, problem)),
        None => Ok(cell),
    }
}

/// Run `number` with its values, whether they can be together or not.
fn set(spec: &RunSpec, number: usize) -> Result<Cell, Problem> {
    let (sweep, series) = (&spec.run.sweep, &spec.run.series);
    let lines = series.values.len().max(1);
    let (at, line) = (number / lines, number % lines);
    let mut cell = Cell { spec: spec.clone(), at, series: line };
    (cell.spec.run.sweep, cell.spec.run.series) = (Axis::default(), Axis::default());
    // The second setting first: it may be the one that the first depends on.
    if let Some(value) = series.values.get(line) {
        cell.spec.parse(&series.key, value).map_err(|p| wrong("series", series, &p))?;
    }
    let value = sweep.values.get(at).map_or("", String::as_str);
    cell.spec.parse(&sweep.key, value).map_err(|p| wrong("sweep", sweep, &p))?;
    Ok(cell)
}

/// Operations that it takes to write down the networks of largest margin that these runs of a sweep begin with, each
/// group's once.
fn construction(spec: &RunSpec, numbers: impl Iterator<Item = usize>) -> u64 {
    // Of no other family is a construction work, so that no run has to be looked at.
    if !matches!(spec.model.config().family(), Some(Family::Pairs(_))) {
        return 0;
    }
    let of_one = |number| {
        let RunSpec { model, task, .. } = set(spec, number).ok()?.spec;
        model.config().construction(&task)
    };
    let different: BTreeMap<_, u64> = numbers.filter_map(of_one).collect();
    different.into_values().fold(0, u64::saturating_add)
}

fn wrong(key: &str, axis: &Axis, problem: &Problem) -> Problem {
    Problem::new(key, &axis.to_string(), tr!("runs that are possible; {problem}", problem))
}

/// What cannot be in the sweep of `spec`, of at most so many runs.
pub(crate) fn problems(spec: &RunSpec, most: usize) -> Vec<Problem> {
    let (sweep, series) = (&spec.run.sweep, &spec.run.series);
    let found = |axis: &Axis, key: &str, expected: &str| vec![Problem::new(key, &axis.to_string(), expected)];
    if sweep.is_empty() {
        return if series.is_empty() {
            vec![]
        } else {
            found(series, "series", tr!("a sweep to draw the curves of"))
        };
    }
    for (key, axis) in [("sweep", sweep), ("series", series)] {
        if FIXED.contains(&axis.key.as_str()) || (key == "series" && axis.key == sweep.key) {
            return found(axis, key, tr!("a setting that each run of the sweep can have for itself"));
        }
    }
    if count(spec) > most {
        return found(sweep, "sweep", &too_many(spec, most));
    }
    // What cannot be is at an end of an axis, nearly always; the rest of very many is found when its turn comes.
    let (ends, lines) = (sweep.values.len() - 1, series.values.len().max(1));
    let is_looked_at = |number: &usize| {
        let (at, line) = (number / lines, number % lines);
        count(spec) <= MOST_CELLS || at == 0 || at == ends || line == 0 || line == lines - 1
    };
    let looked_at = (0..count(spec)).filter(is_looked_at);
    if construction(spec, looked_at.clone()) > MOST_CONSTRUCTIONS {
        let expected =
            tr!("fewer or smaller groups: to find networks of largest margin on all of them takes too long");
        return found(sweep, "sweep", expected);
    }
    looked_at.filter_map(|number| cell(spec, number).err()).take(1).collect()
}

/// What is said of a sweep of more than `most` runs: how many they are, how long they take, and what can be done.
fn too_many(spec: &RunSpec, most: usize) -> String {
    let (most, count, time) =
        (thousands(most as u64), thousands(count(spec) as u64), duration(seconds(spec)));
    format!(
        "at most {most} runs, and these are {count}, up to {time} on one core of a processor: take fewer values, or \
         make them with `lab sweep --yes` and the same link"
    )
}

/// Operations that one core of a processor makes in a second, roughly: see
/// [`AUTODIFF_WORTH_FLOPS`](crate::training::launch::choose::AUTODIFF_WORTH_FLOPS).
const FLOPS: f64 = 1e10;
/// Seconds that a step takes however small the network is, roughly.
const STEP_S: f64 = 1e-6;
/// Runs that are looked at for an estimate.
const LOOKED_AT: usize = 16;

/// Seconds that one core of a processor takes for the run of `spec` up to its last step, roughly.
pub fn seconds_of_one(spec: &RunSpec) -> f64 {
    spec.run.steps as f64 * (spec.step_flops() / FLOPS + STEP_S * spec.run.replicas as f64)
}

/// The same for all runs of its sweep: most take less, as they end at their target.
pub fn seconds(spec: &RunSpec) -> f64 {
    let count = count(spec);
    let some = count.min(LOOKED_AT);
    let times = (0..some).filter_map(|i| cell(spec, i * count / some).ok());
    let times: Vec<f64> = times.map(|cell| seconds_of_one(&cell.spec)).collect();
    count as f64 * times.iter().sum::<f64>() / times.len().max(1) as f64
}

/// Seconds as a person says them: "20 s", "3 min", "5 hours", "12 days".
pub fn duration(seconds: f64) -> String {
    let rounded = |unit: f64| thousands(libm::round(seconds / unit).clamp(1.0, 1e15) as u64);
    match seconds {
        s if s < 90.0 => format!("{} s", rounded(1.0)),
        s if s < 5400.0 => format!("{} min", rounded(60.0)),
        s if s < 129_600.0 => format!("{} hours", rounded(3600.0)),
        _ => format!("{} days", rounded(86_400.0)),
    }
}

/// Where the values of an axis stand on a chart: at the numbers they are, or in a row where some are words.
pub fn places(axis: &Axis) -> Vec<f64> {
    let numbers: Option<Vec<f64>> = axis.values.iter().map(|v| v.parse().ok()).collect();
    numbers.unwrap_or_else(|| (1..=axis.values.len()).map(|i| i as f64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(link: &str) -> RunSpec {
        let (link, notices) = crate::permalink::decode(link);
        assert!(notices.is_empty(), "{notices:?}");
        link.spec
    }

    #[test]
    fn cells_are_runs_of_their_own_in_order_of_the_abscissa() {
        let spec = spec("#v1/sparse-parity?width=16&lr=1&replicas=7&sweep=n:10_20_30&series=k:2_4");
        let cells = cells(&spec);
        let settings: Vec<_> = cells.iter().map(|c| (c.spec.value("n"), c.spec.value("k"))).collect();
        let numbers: Vec<String> = settings
            .iter()
            .map(|(n, k)| format!("{}/{}", n.as_ref().unwrap(), k.as_ref().unwrap()))
            .collect();
        assert_eq!(numbers, ["10/2", "10/4", "20/2", "20/4", "30/2", "30/4"]);
        for cell in &cells {
            assert!(cell.spec.run.sweep.is_empty() && cell.spec.run.series.is_empty());
            assert_eq!(cell.spec.run.replicas, 7);
            assert_eq!(cell.spec.value("width").unwrap().to_string(), "16");
        }
        assert!(super::cells(&RunSpec::default()).is_empty());
    }

    #[test]
    fn impossible_sweeps_are_named_and_the_rest_of_the_link_is_kept() {
        for (query, key, part) in [
            ("sweep=m:0_10&series=k:2_600", "series", "1 to 8"),
            ("sweep=n:2_20&k=3", "sweep", "at most n = 2"),
            ("sweep=colour:1_2", "sweep", "a setting of this run"),
            ("sweep=sweep:1_2", "sweep", "for itself"),
            ("sweep=n:10_20&series=n:10_20", "series", "for itself"),
            ("series=k:2_3", "series", "a sweep"),
            ("sweep=n:lin:10..50:41&series=seed:lin:1..25:25", "sweep", "1,025, up to"),
        ] {
            let (link, notices) = crate::permalink::decode(&format!("#v1/sparse-parity?lr=0.5&{query}"));
            assert!(
                notices.iter().any(|n| n.key == key && n.expected.contains(part)),
                "{query}: {notices:?}"
            );
            assert!(link.spec.problems().is_empty());
            assert_eq!(link.spec.value("lr").unwrap().to_string(), "0.5");
        }
    }

    #[test]
    fn a_hundred_thousand_runs_are_refused_with_their_time_and_a_way_to_go_on() {
        let asked = "#v1/sparse-parity?replicas=20&sweep=lr:log:0.001..1:400&series=seed:lin:1..250:250";
        let (link, notices) = crate::permalink::decode(asked);
        assert!(link.spec.run.sweep.is_empty() && link.spec.run.replicas == 20);
        let said = notices.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        for part in ["at most 1,024 runs", "100,000", " days on one core", "fewer values", "lab sweep --yes"]
        {
            assert!(said.contains(part), "{part}: {said}");
        }
        let (link, notices) = crate::permalink::decode_within(asked, MOST_AT_ALL);
        assert!(notices.is_empty(), "{notices:?}");
        assert_eq!(count(&link.spec), 100_000);
        assert_eq!(crate::permalink::encode(&link), asked);
        let last = cell(&link.spec, 99_999).unwrap();
        assert_eq!((last.at, last.series, last.spec.run.seed), (399, 249, 250));
    }

    #[test]
    fn ranges_of_whole_numbers_are_whole() {
        let spec = spec("#v1/sparse-parity?sweep=n:lin:10..45:4&series=lr:log:0.01..1:3");
        assert_eq!(spec.run.sweep.values, ["10", "22", "33", "45"]);
        assert_eq!(spec.run.series.values, ["0.01", "0.1", "1"]);
        assert_eq!(cells(&spec).len(), 12);
    }

    #[test]
    fn times_are_said_in_the_unit_that_fits() {
        let said = [0.1, 20.0, 100.0, 3600.0, 7200.0, 400_000.0].map(duration);
        assert_eq!(said, ["1 s", "20 s", "2 min", "60 min", "2 hours", "5 days"]);
    }

    #[test]
    fn words_stand_in_a_row_and_numbers_where_they_are() {
        assert_eq!(places(&spec("#v1/sparse-parity?sweep=n:10_25").run.sweep), [10.0, 25.0]);
        assert_eq!(places(&spec("#v1/sparse-parity?sweep=loss:hinge_ce").run.sweep), [1.0, 2.0]);
    }
}
