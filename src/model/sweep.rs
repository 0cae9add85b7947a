//! Sweeps: one run for every value of a setting, and of a second one, for how long learning takes.
//!
//! ```
//! use vivarium_model::{permalink::decode, sweep};
//! let (link, _) = decode("#v1/sparse-parity?sweep=n:10_20&series=k:2_3&replicas=5");
//! let cells = sweep::cells(&link.spec);
//! assert_eq!(cells.len(), 4);
//! assert_eq!((cells[1].sweep_index, cells[1].series_index), (0, 1));
//! ```
//!
//! # Why
//! A cell is an ordinary run of its own, with as many replicas as the sweep asks for, so nothing that trains
//! knows of sweeps: the caller trains one cell after the other. Cells of the same abscissa come
//! together, so that every curve grows from the start.

use crate::run::RunSpec;
use crate::run::cells::{MAX_PAGE_SWEEP_RUNS, SweepRuns, build_run, count_runs_usize, value_indices};
use vivarium_core::settings::{InvalidSetting, SweepAxis};

/// Largest number of runs of a sweep on the command line and in Python; the page allows 1024.
pub const MAX_SWEEP_RUNS: usize = 1_000_000;

/// One run of a sweep, with its position in the grid of the first two swept settings.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepCell {
    /// Specification of this run, with the values of the swept settings and without a sweep.
    pub spec: RunSpec,
    /// Index, from 0, among the values of the first swept setting of the value that this run has.
    pub sweep_index: usize,
    /// Index, from 0, among the values of the second swept setting of the value that this run has; 0 if there is no
    /// second setting.
    pub series_index: usize,
}

/// Runs of the sweep of `spec`, in the order in which they are trained; empty if `spec` has no sweep.
pub fn cells(spec: &RunSpec) -> Vec<SweepCell> {
    let runs = SweepRuns::new(spec);
    // All runs of a link without problems were checked when it was read, if they are no more than a page makes.
    let one = |number| match count_runs_usize(spec) > MAX_PAGE_SWEEP_RUNS {
        true => runs.build_checked(number).ok(),
        false => runs.build_unchecked(number),
    };
    let cell = |number| {
        let (at, series) = value_indices(spec, number);
        Some(SweepCell { spec: one(number)?, sweep_index: at, series_index: series })
    };
    (0..count_runs_usize(spec)).filter_map(cell).collect()
}

/// Run `number` of the sweep of `spec`, counted from 0.
///
/// # Errors
/// The invalid value of a swept setting. A valid specification has none.
pub fn cell(spec: &RunSpec, number: usize) -> Result<SweepCell, InvalidSetting> {
    let (at, series) = value_indices(spec, number);
    build_run(spec, number).map(|spec| SweepCell { spec, sweep_index: at, series_index: series })
}

/// Positions on a chart of the values of a swept setting: the numbers themselves, or 1, 2, 3 and so on if some values
/// are not numbers.
pub fn axis_positions(axis: &SweepAxis) -> Vec<f64> {
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
    fn ranges_of_whole_numbers_are_whole() {
        let spec = spec("#v1/sparse-parity?sweep=n:lin:10..45:4&series=lr:log:0.01..1:3");
        assert_eq!(spec.run.sweep.values, ["10", "22", "33", "45"]);
        assert_eq!(spec.run.series.values, ["0.01", "0.1", "1"]);
        assert_eq!(cells(&spec).len(), 12);
    }

    #[test]
    fn words_stand_in_a_row_and_numbers_where_they_are() {
        assert_eq!(axis_positions(&spec("#v1/sparse-parity?sweep=n:10_25").run.sweep), [10.0, 25.0]);
        assert_eq!(axis_positions(&spec("#v1/sparse-parity?sweep=loss:hinge_ce").run.sweep), [1.0, 2.0]);
    }
}
