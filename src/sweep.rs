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

use crate::run::RunSpec;
use crate::settings::{Axis, Problem};

/// Most runs that one sweep may stand for.
pub const MOST_CELLS: usize = 128;

/// Settings that no cell can have for itself.
const FIXED: &[&str] = &["sweep", "series", "lrs", "device", "learner"];

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

/// The runs of the sweep of `spec`, in the order in which they are made; none if it is no sweep.
pub fn cells(spec: &RunSpec) -> Vec<Cell> {
    expand(spec).into_iter().filter_map(Result::ok).collect()
}

fn expand(spec: &RunSpec) -> Vec<Result<Cell, Problem>> {
    let (sweep, series) = (&spec.run.sweep, &spec.run.series);
    let lines = series.values.len().max(1);
    let mut base = spec.clone();
    (base.run.sweep, base.run.series) = (Axis::default(), Axis::default());
    let cell = |at: usize, line: usize| {
        let mut cell = Cell { spec: base.clone(), at, series: line };
        // The second setting first: it may be the one that the first depends on.
        if let Some(value) = series.values.get(line) {
            cell.spec.parse(&series.key, value).map_err(|p| wrong("series", series, &p))?;
        }
        cell.spec.parse(&sweep.key, &sweep.values[at]).map_err(|p| wrong("sweep", sweep, &p))?;
        match cell.spec.problems().first() {
            Some(problem) => Err(wrong("sweep", sweep, problem)),
            None => Ok(cell),
        }
    };
    (0..sweep.values.len())
        .flat_map(|at| (0..lines).map(move |line| (at, line)))
        .map(|(a, l)| cell(a, l))
        .collect()
}

fn wrong(key: &str, axis: &Axis, problem: &Problem) -> Problem {
    Problem::new(key, &axis.to_string(), format!("runs that are possible; {problem}"))
}

/// What cannot be in the sweep of `spec`.
pub(crate) fn problems(spec: &RunSpec) -> Vec<Problem> {
    let (sweep, series) = (&spec.run.sweep, &spec.run.series);
    let found = |axis: &Axis, key: &str, expected: &str| vec![Problem::new(key, &axis.to_string(), expected)];
    if sweep.is_empty() {
        return if series.is_empty() {
            vec![]
        } else {
            found(series, "series", "a sweep to draw the curves of")
        };
    }
    for (key, axis) in [("sweep", sweep), ("series", series)] {
        if FIXED.contains(&axis.key.as_str()) || (key == "series" && axis.key == sweep.key) {
            return found(axis, key, "a setting that each run of the sweep can have for itself");
        }
    }
    if sweep.values.len() * series.values.len().max(1) > MOST_CELLS {
        return found(sweep, "sweep", &format!("at most {MOST_CELLS} runs in all"));
    }
    expand(spec).into_iter().filter_map(Result::err).take(1).collect()
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
            (
                "sweep=n:10_11_12_13_14_15_16_17_18_19_20_21_22_23_24_25_26&series=seed:1_2_3_4_5_6_7_8",
                "sweep",
                "128",
            ),
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
    fn words_stand_in_a_row_and_numbers_where_they_are() {
        assert_eq!(places(&spec("#v1/sparse-parity?sweep=n:10_25").run.sweep), [10.0, 25.0]);
        assert_eq!(places(&spec("#v1/sparse-parity?sweep=loss:hinge_ce").run.sweep), [1.0, 2.0]);
    }
}
