//! Progress of a sweep: one run after the other, with the results so far.

use std::collections::BTreeMap;

use super::words::{format_count, format_setting, format_thousands, option_label, setting_label};
use crate::record::{RunTable, format_tables, quote_csv_field};
use vivarium_core::settings::SweepAxis;
use vivarium_core::sorting;
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_model::run::cells::{axes_with_value_indices, sweep_axes};
use vivarium_model::run::time::{estimate_run_seconds, format_duration};
use vivarium_model::sweep::{SweepCell, axis_positions, cells};
use vivarium_model::tasks::MeasureNames;
use vivarium_plot::analysis::convergence::{ConvergenceTimes, best_of_groups};
use vivarium_plot::analysis::curves::{RunHistory, median_range};
use vivarium_plot::analysis::replicas::{ReplicaMeasure, diverged_replicas, without_diverged};
use vivarium_plot::analysis::scaling::ScalingPoint;

/// Largest number of measurements of one run that a sweep keeps for its table of metrics.
const MAX_RUN_ROWS: usize = 256;

/// Size in bytes, by an estimate, of the measurements of all runs that a sweep keeps for its table of metrics; beyond it,
/// every second measurement of each run is dropped.
const MAX_ROWS_BYTES: usize = 16 << 20;

/// Size in bytes, by an estimate, of a run's settings in the list of the runs of a sweep.
const CELL_BYTES: usize = 2 << 10;

/// Returns an estimate of the bytes of memory that a measurement takes.
fn row_bytes(row: &Measurement) -> usize {
    256 + 4 * (5 * row.test_loss.len() + row.measures.iter().map(Vec::len).sum::<usize>())
}

/// Returns every measurement of `rows` with an index that is a multiple of `stride`, and the last one.
fn thin_rows<T>(rows: Vec<T>, stride: usize) -> Vec<T> {
    let last = rows.len().saturating_sub(1);
    let kept = rows.into_iter().enumerate().filter(|(i, _)| i % stride == 0 || *i == last);
    kept.map(|(_, row)| row).collect()
}

/// Progress and results of a sweep: one run after the other over the values of one or two settings.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepProgress {
    /// Every run of the sweep with its settings, in the order in which the runs are trained.
    pub cells: Vec<SweepCell>,
    /// Step at which each replica reached the target (`None` if it did not), for each run before the current one;
    /// results of later runs are in `early_results`.
    pub solved_steps: Vec<Vec<Option<u64>>>,
    /// Median held-out loss and accuracy at the end of each run in `solved_steps`; empty for a sweep from a file.
    pub final_metrics: Vec<[f32; 2]>,
    /// Held-out accuracy of every replica at the end of each run in `solved_steps`; empty for a sweep from a file.
    pub final_accuracies: Vec<Vec<f32>>,
    /// Medians over the replicas of the task's further measures at the end of each run in `solved_steps`; empty for a
    /// sweep from a file.
    pub final_measures: Vec<Vec<f32>>,
    /// Results of runs that further workers finished ahead of the current run, by index of the run from 0.
    early_results: BTreeMap<usize, SweepRunResult>,
    /// Evenly spaced measurements of the finished runs, by index of the run from 0; a sweep from a file has none.
    rows: BTreeMap<usize, Vec<Measurement>>,
    /// Whether the user has cancelled the sweep.
    pub cancelled: bool,
    /// Wall-clock seconds that the sweep has trained so far, over all its finished runs and the current one; pauses are
    /// not counted.
    pub trained_seconds: u32,
    /// Estimated duration of each run in `cells`, from its size and number of steps; only ratios of these numbers are
    /// used.
    relative_costs: Vec<f64>,
}

/// Result of one finished run of a sweep: steps of reaching the target, final accuracies and final measures.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepRunResult {
    /// Step at which each replica reached the target, `None` if it did not; of replicas that share a training set, only
    /// the earliest.
    pub solved_steps: Vec<Option<u64>>,
    /// Median over the replicas of held-out loss and held-out accuracy at the end of the run.
    pub final_metrics: [f32; 2],
    /// Held-out accuracy of every replica at the end of the run.
    pub final_accuracies: Vec<f32>,
    /// Medians over the replicas of the task's further measures (those besides loss and accuracy) at the end of the
    /// run.
    pub final_measures: Vec<f32>,
    /// Evenly spaced measurements of the run, the first and the last one among them.
    pub rows: Vec<Measurement>,
}

impl SweepRunResult {
    /// Builds the result from `times`, the step at which each replica reached the target, and the run's measurements;
    /// without a measurement, loss and accuracy are NaN and the lists are empty.
    pub fn of(spec: &RunSpec, times: &[Option<u64>], history: &RunHistory) -> Self {
        let last = history.latest();
        let rows: Vec<&Measurement> = history.rows().collect();
        let stride = rows.len().div_ceil(MAX_RUN_ROWS).max(1);
        SweepRunResult {
            rows: thin_rows(rows, stride).into_iter().cloned().collect(),
            solved_steps: best_of_groups(times, spec.task.examples().replicas_per_training_set()),
            final_metrics: [ReplicaMeasure::TestLoss, ReplicaMeasure::TestAccuracy]
                .map(|of| history.latest_median(of)),
            final_accuracies: last.map(|row| row.test_accuracy.clone()).unwrap_or_default(),
            final_measures: median_measures(last, spec.is_executed()),
        }
    }
}

/// Medians of the task's further measures (those besides loss and accuracy) in the measurement `row`, over the replicas
/// that have not diverged, in the order of the task's measures; empty if there is no measurement. `is_executed` says
/// whether the run trains nothing, so that none can diverge.
pub fn median_measures(row: Option<&Measurement>, is_executed: bool) -> Vec<f32> {
    let Some(row) = row else { return vec![] };
    let diverged = diverged_replicas(row, is_executed);
    row.measures.iter().map(|values| median_range(&without_diverged(values, &diverged)).0).collect()
}

impl SweepProgress {
    /// Creates the progress of the sweep that `spec` describes, before its first run; `None` if `spec` describes a
    /// single run.
    pub fn of(spec: &RunSpec) -> Option<SweepProgress> {
        let cells = cells(spec);
        let costs = cells.iter().map(|cell| estimate_run_seconds(&cell.spec)).collect();
        (!cells.is_empty()).then_some(SweepProgress {
            cells,
            relative_costs: costs,
            solved_steps: vec![],
            final_metrics: vec![],
            final_accuracies: vec![],
            final_measures: vec![],
            early_results: BTreeMap::new(),
            rows: BTreeMap::new(),
            cancelled: false,
            trained_seconds: 0,
        })
    }

    /// Whether no run of the sweep is being trained any more: the sweep was cancelled, or all its runs have finished.
    pub fn is_stopped(&self) -> bool {
        self.cancelled || self.is_complete()
    }

    /// Number of finished runs, those that further workers finished ahead of the current run included.
    pub fn ended_count(&self) -> usize {
        self.solved_steps.len() + self.early_results.len()
    }

    /// Step at which each replica of run `run` (from 0) reached the target; `None` if the run has not finished.
    pub fn solved_steps(&self, run: usize) -> Option<&Vec<Option<u64>>> {
        self.solved_steps.get(run).or_else(|| Some(&self.early_results.get(&run)?.solved_steps))
    }

    /// Median held-out loss and accuracy at the end of run `run` (from 0); `None` if the run has not finished.
    pub fn final_metrics(&self, run: usize) -> Option<[f32; 2]> {
        self.final_metrics.get(run).copied().or_else(|| Some(self.early_results.get(&run)?.final_metrics))
    }

    /// Held-out accuracy of every replica at the end of run `run` (from 0); `None` if the run has not finished.
    pub fn final_accuracies(&self, run: usize) -> Option<&Vec<f32>> {
        self.final_accuracies.get(run).or_else(|| Some(&self.early_results.get(&run)?.final_accuracies))
    }

    /// Medians over the replicas of the task's further measures at the end of run `run` (from 0); `None` if the run has
    /// not finished.
    pub fn final_measures(&self, run: usize) -> Option<&Vec<f32>> {
        self.final_measures.get(run).or_else(|| Some(&self.early_results.get(&run)?.final_measures))
    }

    /// Last measurement of run `run` (from 0); `None` if the run has not finished, and in a sweep from a file.
    pub fn last_row(&self, run: usize) -> Option<&Measurement> {
        self.rows.get(&run)?.last()
    }

    /// Stores `outcome`, the result of the sweep's current run, and moves on to the next unfinished run.
    pub fn finish_run(&mut self, outcome: SweepRunResult) {
        let mut next = Some(outcome);
        while let Some(SweepRunResult {
            solved_steps: times,
            final_metrics: last,
            final_accuracies: right,
            final_measures: measures,
            rows,
        }) = next
        {
            self.keep_rows(self.solved_steps.len(), rows);
            self.solved_steps.push(times);
            self.final_metrics.push(last);
            self.final_accuracies.push(right);
            self.final_measures.push(measures);
            next = self.early_results.remove(&self.solved_steps.len());
        }
    }

    /// Whether a further worker may train run `run` (from 0) before the page reaches it; the last run is left to the
    /// page, which displays it.
    pub fn can_run_early(&self, run: usize) -> bool {
        run > self.solved_steps.len() && run + 1 < self.cells.len() && !self.early_results.contains_key(&run)
    }

    /// Stores the result of run `run` (from 0), which a further worker finished before the page reached it.
    pub fn finish_run_early(&mut self, run: usize, mut outcome: SweepRunResult) {
        self.keep_rows(run, std::mem::take(&mut outcome.rows));
        self.early_results.insert(run, outcome);
    }

    /// Keeps the measurements of run `run` (from 0) for the table of metrics; if the measurements of all runs take too
    /// much memory, every second one of each run is dropped.
    fn keep_rows(&mut self, run: usize, rows: Vec<Measurement>) {
        if rows.is_empty() {
            return;
        }
        self.rows.insert(run, rows);
        while self.rows.values().flatten().map(row_bytes).sum::<usize>() > MAX_ROWS_BYTES
            && self.rows.values().any(|rows| rows.len() > 2)
        {
            self.rows.values_mut().for_each(|rows| *rows = thin_rows(std::mem::take(rows), 2));
        }
    }

    /// Returns an estimate of the bytes of memory that the sweep takes: its list of runs, their results and the kept
    /// measurements.
    pub fn byte_count(&self) -> usize {
        let runs = 0..self.cells.len();
        let times: usize = runs.clone().filter_map(|run| self.solved_steps(run)).map(Vec::len).sum();
        let values = |run: usize| [self.final_accuracies(run), self.final_measures(run)];
        let values: usize = runs.flat_map(values).flatten().map(Vec::len).sum();
        let rows: usize = self.rows.values().flatten().map(row_bytes).sum();
        CELL_BYTES * self.cells.len() + 16 * times + 4 * values + rows
    }

    /// Whether measurements of finished runs are kept for the table of metrics.
    pub fn has_rows(&self) -> bool {
        !self.rows.is_empty()
    }

    /// Progress in words: "12 of 40 runs, about 3 min left".
    pub fn describe_progress(&self) -> String {
        let (done, all) =
            (format_thousands(self.ended_count() as u64), format_count(self.cells.len(), "run"));
        match self.seconds_left() {
            _ if self.is_complete() => tr!("All {all} have ended", all),
            _ if self.cancelled => {
                tr!("Cancelled after {done} of {all}; the results so far are kept", done, all)
            }
            Some(left) => tr!("{done} of {all}, about {left} left", done, all, left = format_duration(left)),
            None => tr!("{done} of {all}", done, all),
        }
    }

    /// Estimated seconds until the last run of the sweep finishes: the seconds trained so far, times the estimated
    /// duration of the unfinished runs over that of the finished ones; `None` before a run has finished.
    fn seconds_left(&self) -> Option<f64> {
        let of = |ended: bool| {
            let costs = self.relative_costs.iter().enumerate();
            costs
                .filter(|(run, _)| self.solved_steps(*run).is_some() == ended)
                .map(|(_, cost)| cost)
                .sum::<f64>()
        };
        (self.ended_count() > 0 && self.trained_seconds > 0)
            .then(|| f64::from(self.trained_seconds) * of(false) / of(true))
    }

    /// Settings of the run that is trained now, or of the last run if all have finished.
    pub fn current_cell(&self) -> &SweepCell {
        &self.cells[self.solved_steps.len().min(self.cells.len() - 1)]
    }

    /// Whether every run of the sweep has finished.
    pub fn is_complete(&self) -> bool {
        self.solved_steps.len() == self.cells.len()
    }

    /// Number of replicas that reached the target, and number of replicas, over all finished runs.
    pub fn count_solved(&self) -> (usize, usize) {
        let all = || (0..self.cells.len()).filter_map(|run| self.solved_steps(run));
        (all().flatten().flatten().count(), all().map(Vec::len).sum())
    }

    /// Values of the first swept setting for which no median time to the target exists, because in each of their
    /// finished runs fewer than half of the replicas reached it: (index of the value, replicas at the target, all
    /// replicas).
    pub fn values_without_median(&self) -> Vec<(usize, usize, usize)> {
        let runs = |at: usize| self.cells.iter().enumerate().filter(move |(_, cell)| cell.sweep_index == at);
        let missed = |at: usize| {
            let mut sum = (at, 0, 0);
            for (run, _) in runs(at) {
                let times = self.solved_steps(run)?;
                if ConvergenceTimes::new(times).median().is_some() {
                    return None;
                }
                sum = (at, sum.1 + times.iter().flatten().count(), sum.2 + times.len());
            }
            Some(sum)
        };
        let last = self.cells.iter().map(|cell| cell.sweep_index).max().unwrap_or(0);
        (0..=last).filter_map(missed).collect()
    }

    /// Formats the results of the finished runs as a CSV table with one line per replica: the swept settings, `replica`,
    /// `t_c` (step at which the replica reached the target, empty if it did not), `budget` (number of steps of the run)
    /// and the held-out accuracy at the end. Replicas that share a training set have
    /// one line together. `lab plot` reads the table if every replica has a line and no run is missing between others.
    pub fn format_csv(&self, spec: &RunSpec) -> String {
        let names = self.cells.first().map_or(spec, |cell| &cell.spec).measure_names().names;
        let accuracy = names[3];
        let keys = sweep_axes(spec).map(|axis| axis.key.as_str());
        let header = keys.chain(["replica", "t_c", "budget", accuracy]);
        let mut text = header.collect::<Vec<_>>().join(",") + "\n";
        for (run, cell) in self.cells.iter().enumerate() {
            let Some(times) = self.solved_steps(run) else { continue };
            let values: Vec<_> = axes_with_value_indices(spec, run)
                .filter_map(|(axis, at)| Some(quote_csv_field(axis.values.get(at)?)))
                .collect();
            // Replicas that share a training set have one time together, and then the accuracies are not theirs alone.
            let accuracies = self.final_accuracies(run).filter(|all| all.len() == times.len());
            for (replica, time) in times.iter().enumerate() {
                let own = [
                    replica.to_string(),
                    time.map_or_else(String::new, |step| step.to_string()),
                    cell.spec.run.steps.to_string(),
                    accuracies.map_or_else(String::new, |all| all[replica].to_string()),
                ];
                text += &values
                    .iter()
                    .map(|value| &**value)
                    .chain(own.iter().map(String::as_str))
                    .collect::<Vec<_>>()
                    .join(",");
                text.push('\n');
            }
        }
        text
    }

    /// Formats the kept measurements of all finished runs as a CSV table with one line per run, measurement and replica:
    /// the swept settings, then the columns of a single run's table.
    pub fn format_metrics_csv(&self, spec: &RunSpec) -> String {
        let values = |run: usize| {
            let all = axes_with_value_indices(spec, run);
            let all = all.filter_map(|(axis, at)| Some(quote_csv_field(axis.values.get(at)?).into_owned()));
            all.collect::<Vec<_>>().join(",")
        };
        let measures: Vec<MeasureNames> = self.cells.iter().map(|cell| cell.spec.measure_names()).collect();
        let runs = self.rows.iter().filter_map(|(run, rows)| {
            let measures = measures.get(*run)?;
            Some(RunTable { first_fields: values(*run), measures, rows: rows.iter().collect() })
        });
        let keys: Vec<&str> = sweep_axes(spec).map(|axis| axis.key.as_str()).collect();
        format_tables(&keys.join(","), &runs.collect::<Vec<_>>())
    }

    /// One curve per value of the second swept setting, or a single one named "median": its name, and for each finished
    /// run, by increasing value of the first swept setting, a point with the steps at which the replicas reached the
    /// target.
    pub fn curves(&self, spec: &RunSpec) -> Vec<(String, Vec<ScalingPoint>)> {
        let (axis, series) = (axis_positions(&spec.run.sweep), &spec.run.series);
        let name = |line: usize| match series.values.get(line) {
            Some(value) => format_setting(spec, &series.key, value),
            None => "median".into(),
        };
        let points = |line: usize| {
            let cells = self.cells.iter().enumerate().filter(|(_, cell)| cell.series_index == line);
            let mut points: Vec<ScalingPoint> = cells
                .filter_map(|(run, cell)| {
                    let times = self.solved_steps(run)?.clone();
                    Some(ScalingPoint { x: axis[cell.sweep_index], times, horizon: cell.spec.run.steps })
                })
                .collect();
            sorting::sort_by(&mut points, |a, b| a.x.total_cmp(&b.x));
            points
        };
        (0..series.values.len().max(1)).map(|line| (name(line), points(line))).collect()
    }
}

/// Horizontal axis of a chart over the first swept setting: its label, the positions of the values, and whether it can
/// be logarithmic (only for positive numbers, not for words or zero).
pub(super) fn sweep_axis(spec: &RunSpec) -> (String, Vec<f64>, bool) {
    let SweepAxis { key, values, .. } = &spec.run.sweep;
    let at = axis_positions(&spec.run.sweep);
    let are_numbers = values.iter().all(|v| v.parse::<f64>().is_ok());
    let label = match are_numbers {
        true => setting_label(spec, key),
        false => {
            let names = at.iter().zip(values).map(|(at, v)| format!("{at} {}", option_label(spec, key, v)));
            format!("{}: {}", setting_label(spec, key), names.collect::<Vec<_>>().join(", "))
        }
    };
    let has_ratios = are_numbers && at.iter().all(|x| *x > 0.0);
    (label, at, has_ratios)
}

/// Smallest and largest of `places`, the positions of the swept values on a chart's horizontal axis.
pub(super) fn value_range(places: &[f64]) -> (f64, f64) {
    let low = places.iter().copied().fold(f64::INFINITY, f64::min);
    (low, places.iter().copied().fold(f64::NEG_INFINITY, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;

    #[test]
    fn the_metrics_of_a_long_sweep_take_bounded_memory() {
        let spec = decode("#v1/sparse-parity?replicas=1000&sweep=n:10_20_30_40_50_60_70_80").0.spec;
        let mut progress = SweepProgress::of(&spec).unwrap();
        let row = |step| Measurement { step, test_loss: vec![0.5; 1000], ..Default::default() };
        for run in 0..8 {
            progress.keep_rows(run, (0..200).map(row).collect());
        }
        assert_eq!(progress.rows.len(), 8);
        for rows in progress.rows.values() {
            assert!((16..=200).contains(&rows.len()), "{}", rows.len());
            assert_eq!((rows[0].step, rows[rows.len() - 1].step), (0, 199));
        }
        assert!(progress.rows.values().flatten().map(row_bytes).sum::<usize>() <= MAX_ROWS_BYTES);
    }
}
