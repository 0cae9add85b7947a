//! Measurements of a run, and line charts of loss and accuracy: the median over replicas with its range.

use std::borrow::Cow;

use super::packed::PackedMeasurements;
use super::replicas::{ReplicaCurves, ReplicaMeasure, diverged_replicas, without_diverged};
use super::{LineChart, Role, Series};
use vivarium_core::bounds::{MAX_MEASUREMENT_FLOATS, MAX_MEASUREMENTS};
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;

/// Maximum number of stored measurements of a run; when it is reached, every second one is dropped, so memory stays
/// bounded.
pub const MAX_HISTORY_ROWS: usize = MAX_MEASUREMENTS as usize;

/// Maximum number of floats in the stored measurements of a run; with thousands of replicas this allows fewer
/// measurements than [`MAX_HISTORY_ROWS`].
pub const MAX_STORED_NUMBERS: usize = MAX_MEASUREMENT_FLOATS as usize;

/// Minimum number of measurements that a run may store, however many floats each has: it overrides
/// [`MAX_STORED_NUMBERS`].
const MIN_CAPACITY: usize = 64;

/// The measurements of a run: those for charts, thinned evenly when there are too many, and all for files, as far as
/// they fit into bounded memory.
///
/// # Why
/// Charts draw medians and ranges over the replicas at every frame. They are computed once for each measurement, when
/// it is added: for thousands of replicas and thousands of measurements it takes a second.
#[derive(Debug, Clone, PartialEq)]
pub struct RunHistory {
    /// Every `stride`-th measurement of the run with its statistics over replicas, ascending by training step.
    rows: Vec<SummarisedRow>,
    /// Number of measurements from one stored measurement to the next; a power of two.
    stride: u64,
    /// Number of measurements that the run has added so far, including those that are no longer stored.
    push_count: u64,
    /// The latest measurement, whether it is stored in `rows` or not; `None` before the first.
    latest: Option<SummarisedRow>,
    /// All measurements of the run, once `rows` is thinned; `None` before, and for a run with too many.
    packed: Option<PackedMeasurements>,
    /// Whether the run executes or searches its networks and trains nothing, so that none can diverge.
    is_executed: bool,
}

/// A measurement of a run with the median, minimum and maximum of each of its measures that is not empty, over the
/// replicas that have not [diverged](diverged_replicas).
#[derive(Debug, Clone, PartialEq)]
struct SummarisedRow {
    /// The measurement, with the values of all replicas.
    row: Measurement,
    /// Indices, from 0, of the replicas that have [diverged](diverged_replicas).
    diverged: Vec<usize>,
    /// Median, minimum and maximum of each measure, indexed by [`ReplicaMeasure::index`]; `None` for a measure without
    /// values.
    median_ranges: Vec<Option<MedianRange>>,
}

/// Median, minimum and maximum over the replicas of one measure.
type MedianRange = (f32, f32, f32);

impl SummarisedRow {
    /// Computes the median, minimum and maximum over the replicas that have not diverged, of every measure.
    fn new(row: Measurement, is_executed: bool) -> Self {
        let diverged = diverged_replicas(&row, is_executed);
        let spread = |values: &[f32]| median_range(&without_diverged(values, &diverged));
        let spreads = ReplicaMeasure::all_values(&row).map(|v| (!v.is_empty()).then(|| spread(v))).collect();
        SummarisedRow { row, diverged, median_ranges: spreads }
    }

    /// Median, minimum and maximum of the measure `of` over the replicas that have not diverged; NaN if there are none.
    fn median_range(&self, of: ReplicaMeasure) -> MedianRange {
        self.median_ranges.get(of.index()).copied().flatten().unwrap_or((f32::NAN, f32::NAN, f32::NAN))
    }
}

impl Default for RunHistory {
    fn default() -> Self {
        RunHistory { rows: vec![], stride: 1, push_count: 0, latest: None, packed: None, is_executed: false }
    }
}

/// Maximum number of measurements that a run may store if each has as many floats as the measurement `row`.
fn max_rows(row: &Measurement) -> usize {
    let numbers: usize = ReplicaMeasure::all_values(row).map(<[f32]>::len).sum();
    (MAX_STORED_NUMBERS / numbers.max(1)).clamp(MIN_CAPACITY, MAX_HISTORY_ROWS)
}

impl RunHistory {
    /// Creates the history, without measurements, of a run with this specification.
    pub fn of(spec: &RunSpec) -> Self {
        RunHistory { is_executed: spec.is_executed(), ..RunHistory::default() }
    }

    /// Adds a measurement. If its step is not after the latest one, the run was resumed from a checkpoint: stored
    /// measurements from that step on are discarded.
    pub fn push(&mut self, row: Measurement) {
        if self.latest.as_ref().is_some_and(|last| last.row.step >= row.step) {
            self.rows.retain(|old| old.row.step < row.step);
        }
        if self.packed.as_mut().is_some_and(|packed| !packed.push(&row)) {
            self.packed = None;
        }
        let capacity = max_rows(&row);
        let measured = SummarisedRow::new(row, self.is_executed);
        if self.push_count.is_multiple_of(self.stride) {
            self.rows.push(measured.clone());
        }
        self.push_count += 1;
        self.latest = Some(measured);
        if self.rows.len() >= capacity {
            if self.stride == 1 {
                let mut all = PackedMeasurements::default();
                self.packed = self.rows.iter().all(|kept| all.push(&kept.row)).then_some(all);
            }
            let mut at = 0;
            self.rows.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.stride *= 2;
        }
    }

    /// The stored measurements, followed by the latest one if it is not among them.
    fn iter_summarised(&self) -> impl Iterator<Item = &SummarisedRow> {
        let is_newer =
            |last: &&SummarisedRow| self.rows.last().is_none_or(|kept| kept.row.step < last.row.step);
        self.rows.iter().chain(self.latest.iter().filter(is_newer))
    }

    /// The stored measurements, ascending by training step, always including the latest.
    pub fn rows(&self) -> impl Iterator<Item = &Measurement> {
        self.iter_summarised().map(|measured| &measured.row)
    }

    /// Number of bytes that the measurements take which are kept for files besides those for charts.
    pub fn packed_byte_count(&self) -> usize {
        self.packed.as_ref().map_or(0, PackedMeasurements::byte_count)
    }

    /// Number of [`all_rows`](Self::all_rows).
    fn all_count(&self) -> usize {
        self.packed.as_ref().map_or_else(|| self.iter_summarised().count(), PackedMeasurements::len)
    }

    /// The measurement with this index among [`all_rows`](Self::all_rows); `None` beyond the last.
    fn get(&self, index: usize) -> Option<Cow<'_, Measurement>> {
        match &self.packed {
            Some(packed) => packed.get(index).map(Cow::Owned),
            None if index == self.rows.len() => {
                self.iter_summarised().last().map(|kept| Cow::Borrowed(&kept.row))
            }
            None => self.rows.get(index).map(|kept| Cow::Borrowed(&kept.row)),
        }
    }

    /// Every measurement of the run, ascending by training step; of a run with so many that they do not fit into memory,
    /// the stored ones as in [`rows`](Self::rows).
    pub fn all_rows(&self) -> impl Iterator<Item = Cow<'_, Measurement>> + Clone {
        (0..self.all_count()).filter_map(move |index| self.get(index))
    }

    /// The stored measurements, each with the precomputed [`median_range`] of the measure `of` over the replicas that have
    /// not diverged: median, minimum and maximum.
    pub fn median_ranges(&self, of: ReplicaMeasure) -> impl Iterator<Item = (&Measurement, (f32, f32, f32))> {
        self.iter_summarised().map(move |measured| (&measured.row, measured.median_range(of)))
    }

    /// A copy of the history with the measurements up to and including this step.
    pub fn up_to_step(&self, step: u64) -> RunHistory {
        let rows: Vec<SummarisedRow> =
            self.rows.iter().filter(|kept| kept.row.step <= step).cloned().collect();
        let last = self.iter_summarised().filter(|kept| kept.row.step <= step).last().cloned();
        let mut packed = self.packed.clone();
        if let Some(packed) = &mut packed {
            packed.remove_from_step(step.saturating_add(1));
        }
        let push_count = rows.len() as u64 * self.stride;
        RunHistory {
            push_count,
            stride: self.stride,
            rows,
            latest: last,
            packed,
            is_executed: self.is_executed,
        }
    }

    /// The latest measurement of the run; `None` before the first.
    pub fn latest(&self) -> Option<&Measurement> {
        self.latest.as_ref().map(|measured| &measured.row)
    }

    /// The median of the measure `of` in the latest measurement over the replicas that have not
    /// [diverged](diverged_replicas); NaN if there is no measurement, or without values.
    pub fn latest_median(&self, of: ReplicaMeasure) -> f32 {
        self.latest.as_ref().map_or(f32::NAN, |measured| measured.median_range(of).0)
    }

    /// Number of replicas that have [diverged](diverged_replicas) by the latest measurement.
    pub fn latest_diverged_count(&self) -> usize {
        self.latest.as_ref().map_or(0, |measured| measured.diverged.len())
    }
}

/// Median, minimum and maximum of the finite `values`; NaN if there are none. Runs in linear time, without sorting.
pub fn median_range(values: &[f32]) -> (f32, f32, f32) {
    let mut finite: Vec<f32> = values.iter().copied().filter(|v| v.is_finite()).collect();
    let (Some(low), Some(high)) =
        (finite.iter().copied().min_by(f32::total_cmp), finite.iter().copied().max_by(f32::total_cmp))
    else {
        return (f32::NAN, f32::NAN, f32::NAN);
    };
    let (is_even, middle) = (finite.len().is_multiple_of(2), (finite.len() - 1) / 2);
    let (_, lower, above) = finite.select_nth_unstable_by(middle, f32::total_cmp);
    let upper = above.iter().copied().min_by(f32::total_cmp).filter(|_| is_even).unwrap_or(*lower);
    ((*lower + upper) / 2.0, low, high)
}

/// The curve of the median of one measure over the replicas that have not diverged, with minimum and maximum as its band.
pub fn median_series(history: &RunHistory, name: &str, role: Role, of: ReplicaMeasure) -> Series {
    let mut series = Series { name: name.to_string(), role, ..Default::default() };
    for (row, (middle, low, high)) in history.median_ranges(of) {
        series.x.push(row.step as f64);
        series.y.push(middle);
        if of.values(row).len() > 1 {
            series.band.push((low, high));
            series.replica_curves = Some(ReplicaCurves::all_replicas(of));
        }
    }
    series
}

/// Minimum number of examples in a batch for a training curve: the accuracy on a smaller batch is mostly 0 or 1 and
/// says little.
const MIN_BATCH: usize = 8;

/// Lower end of the axis of accuracy where guessing gives at least one half, unless a curve is below it.
const LOWEST_USUAL_ACCURACY: f64 = 0.3;

/// Legend name of the training curve, for training on a finite sample or, if not `finite_sample`, on fresh batches of
/// `batch` examples; `None` if these are smaller than `MIN_BATCH`.
pub fn training_curve_name(finite_sample: bool, batch: usize) -> Option<&'static str> {
    match (finite_sample, batch) {
        (true, _) => Some(tr!("training sample")),
        (false, MIN_BATCH..) => Some(tr!("training batch")),
        (false, _) => None,
    }
}

/// Maximum number of initialisations in [`loss_by_initialisation_chart`], each with a curve; with more, the ordinary
/// loss chart is shown instead.
pub const MAX_INITIALISATIONS: usize = 8;

/// Held-out loss over steps with a curve for each of `inits` initialisations: curve i is the median, with the range as
/// band, of the replicas r with r mod `inits` = i (Edelman 2024, figure 5.2, centre).
pub fn loss_by_initialisation_chart(history: &RunHistory, inits: usize) -> LineChart {
    let roles = [Role::Test, Role::Train, Role::Relevant, Role::Other];
    let curve = |init: usize| {
        let mut series = Series {
            name: tr!("initialisation {number}", number = init + 1),
            role: roles[init % roles.len()],
            replica_curves: Some(ReplicaCurves {
                first_replica: init,
                stride: inits,
                ..ReplicaCurves::all_replicas(ReplicaMeasure::TestLoss)
            }),
            ..Default::default()
        };
        for SummarisedRow { row, diverged, .. } in history.iter_summarised() {
            let losses = without_diverged(&row.test_loss, diverged);
            let own: Vec<f32> = losses.iter().skip(init).step_by(inits).copied().collect();
            let (middle, low, high) = median_range(&own);
            series.x.push(row.step as f64);
            series.y.push(middle);
            series.band.push((low, high));
        }
        series
    };
    LineChart { series: (0..inits).map(curve).collect(), ..loss_chart(history, None, None) }
}

/// The median curve of the measure `on_training`, named `train_name`, or none if that is `None`, and the median curve
/// of the measure `held_out`.
fn train_and_test_series(
    history: &RunHistory,
    train_name: Option<&str>,
    on_training: ReplicaMeasure,
    held_out: ReplicaMeasure,
) -> Vec<Series> {
    let train = train_name.map(|name| median_series(history, name, Role::Train, on_training));
    train.into_iter().chain([median_series(history, tr!("held-out"), Role::Test, held_out)]).collect()
}

/// Line chart of the training and held-out loss over steps, with a mark at step `solved`, if any, at which the solution
/// was found. `train_name` names the training curve, see [`training_curve_name`]; `None` leaves it out.
pub fn loss_chart(history: &RunHistory, train_name: Option<&str>, solved: Option<u64>) -> LineChart {
    LineChart {
        title: tr!("Loss").into(),
        x_label: tr!("step").into(),
        y_label: tr!("loss").into(),
        series: train_and_test_series(
            history,
            train_name,
            ReplicaMeasure::TrainLoss,
            ReplicaMeasure::TestLoss,
        ),
        marks: solved.map(|step| (step as f64, tr!("solution found").into())).into_iter().collect(),
        ..Default::default()
    }
}

/// Line chart of the training and held-out accuracy over steps, with the accuracy of guessing, `chance`, from 0 to 1,
/// as a reference line; `train_name` and `solved` as in [`loss_chart`].
pub fn accuracy_chart(
    history: &RunHistory,
    train_name: Option<&str>,
    solved: Option<u64>,
    chance: f64,
) -> LineChart {
    let series = train_and_test_series(
        history,
        train_name,
        ReplicaMeasure::TrainAccuracy,
        ReplicaMeasure::TestAccuracy,
    );
    // Where a network is worse than guessing, the curve would be cut.
    let is_worse =
        series.iter().flat_map(|curve| &curve.y).any(|share| f64::from(*share) < LOWEST_USUAL_ACCURACY);
    let low = if chance >= 0.5 && !is_worse { LOWEST_USUAL_ACCURACY } else { 0.0 };
    LineChart {
        title: tr!("Accuracy").into(),
        x_label: tr!("step").into(),
        y_label: tr!("accuracy").into(),
        y_range: Some((low, 1.02)),
        series,
        reference_lines: vec![(chance, tr!("chance").into())],
        marks: solved.map(|step| (step as f64, tr!("solution found").into())).into_iter().collect(),
        ..Default::default()
    }
}

/// Line chart of the training and held-out error, 1 − accuracy, over steps; suits a logarithmic axis. `chance` is the
/// accuracy of guessing, from 0 to 1; `train_name` and `solved` as in [`loss_chart`].
pub fn error_chart(
    history: &RunHistory,
    train_name: Option<&str>,
    solved: Option<u64>,
    chance: f64,
) -> LineChart {
    let mut lines = accuracy_chart(history, train_name, solved, chance);
    lines.reference_lines.iter_mut().for_each(|(accuracy, _)| *accuracy = 1.0 - *accuracy);
    for series in &mut lines.series {
        series.y.iter_mut().for_each(|y| *y = 1.0 - *y);
        series.band.iter_mut().for_each(|(low, high)| (*low, *high) = (1.0 - *high, 1.0 - *low));
        series.replica_curves =
            series.replica_curves.map(|each| ReplicaCurves { divisor: -1.0, offset: 1.0, ..each });
    }
    LineChart { title: tr!("Error").into(), y_label: tr!("error").into(), y_range: None, ..lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(step: u64) -> Measurement {
        let one = vec![step as f32];
        Measurement {
            step,
            train_loss: one.clone(),
            train_accuracy: one.clone(),
            test_loss: one.clone(),
            test_accuracy: one,
            ..Default::default()
        }
    }

    #[test]
    fn memory_is_bounded_and_the_ends_are_kept() {
        let mut history = RunHistory::default();
        (0..1_000_000).for_each(|i| history.push(row(i)));
        let steps: Vec<u64> = history.rows().map(|r| r.step).collect();
        assert!(steps.len() <= MAX_HISTORY_ROWS);
        assert!(steps.len() > MAX_HISTORY_ROWS / 4);
        assert_eq!((steps[0], *steps.last().unwrap()), (0, 999_999));
        assert!(steps.windows(2).all(|w| w[0] < w[1]));
    }

    #[test]
    fn taking_up_an_earlier_checkpoint_forgets_what_came_after() {
        let mut history = RunHistory::default();
        for step in [0, 10, 20, 30, 20, 25] {
            history.push(row(step));
        }
        assert_eq!(history.rows().map(|r| r.step).collect::<Vec<_>>(), [0, 10, 20, 25]);
        let before = history.up_to_step(20);
        assert_eq!(before.rows().map(|r| r.step).collect::<Vec<_>>(), [0, 10, 20]);
        assert_eq!(before.latest().unwrap().step, 20);
        assert_eq!(history.up_to_step(99).rows().count(), 4);
        assert_eq!(RunHistory::default().up_to_step(3), RunHistory::default());
    }

    #[test]
    fn all_measurements_of_a_long_run_are_kept() {
        let mut history = RunHistory::default();
        (0..20_001).for_each(|step| history.push(row(step)));
        let steps = |history: &RunHistory| history.all_rows().map(|row| row.step).collect::<Vec<_>>();
        assert!(history.rows().count() < 4096);
        assert_eq!(steps(&history), (0..20_001).collect::<Vec<_>>());
        assert_eq!(history.all_rows().last().unwrap().into_owned(), row(20_000));
        let before = history.up_to_step(12_345);
        assert_eq!(steps(&before), (0..12_346).collect::<Vec<_>>());
        // Also where charts have dropped the measurement between, a resumed run replaces it.
        let mut resumed = before.clone();
        (12_343..12_350).for_each(|step| resumed.push(row(step)));
        assert_eq!(steps(&resumed), (0..12_350).collect::<Vec<_>>());
        // Resumed from a checkpoint, the run continues there.
        (12_000..12_500).for_each(|step| history.push(row(step)));
        assert_eq!(steps(&history), (0..12_500).collect::<Vec<_>>());
        assert_eq!(steps(&before).len(), 12_346);
        let mut short = RunHistory::default();
        (0..100).for_each(|step| short.push(row(step)));
        assert_eq!((steps(&short).len(), &short.packed), (100, &None));
    }

    #[test]
    fn too_many_measurements_are_thinned_and_counted() {
        let large = |step| Measurement { test_loss: vec![0.5; 1 << 16], ..row(step) };
        let mut history = RunHistory::default();
        (0..400).for_each(|step| history.push(large(step)));
        let steps: Vec<u64> = history.all_rows().map(|row| row.step).collect();
        let stride = history.stride;
        assert!(stride > 1 && history.packed.is_none());
        assert!(steps[..steps.len() - 1].iter().zip(0..).all(|(step, at)| *step == at * stride), "{steps:?}");
        assert_eq!(steps.last(), Some(&399));
    }

    /// Two of twenty networks diverge: they leave the loss, and the accuracy with it.
    #[test]
    fn curves_follow_the_networks_that_have_not_diverged() {
        let mut history = RunHistory::default();
        for (step, lost) in [(0, 0.7), (10, 2.5e21), (20, f32::NAN)] {
            let mut losses = vec![0.7; 20];
            let mut accuracies = vec![0.9; 20];
            (losses[4], losses[9]) = (lost, lost);
            (accuracies[4], accuracies[9]) = (0.0, 0.0);
            history.push(Measurement {
                step,
                train_loss: losses.clone(),
                train_accuracy: accuracies.clone(),
                test_loss: losses,
                test_accuracy: accuracies,
                ..Default::default()
            });
        }
        for curve in &loss_chart(&history, training_curve_name(false, 32), None).series {
            assert_eq!(
                (curve.y.as_slice(), curve.band.as_slice()),
                ([0.7; 3].as_slice(), [(0.7, 0.7); 3].as_slice())
            );
        }
        let accuracies = accuracy_chart(&history, None, None, 0.5).series.remove(0);
        assert_eq!(accuracies.band, [(0.0, 0.9), (0.9, 0.9), (0.9, 0.9)]);
        let second = loss_by_initialisation_chart(&history, 5).series.remove(4);
        assert_eq!(second.band, [(0.7, 0.7); 3]);
        let (_, last) = history.median_ranges(ReplicaMeasure::TestAccuracy).last().unwrap();
        assert_eq!(last, (0.9, 0.9, 0.9));
        assert_eq!(
            (history.latest_median(ReplicaMeasure::TestAccuracy), history.latest_diverged_count()),
            (0.9, 2)
        );
    }

    #[test]
    fn replicas_of_one_start_stand_together() {
        let mut history = RunHistory::default();
        history.push(Measurement { test_loss: vec![1.0, 10.0, 2.0, 20.0, 3.0, 30.0], ..row(5) });
        let lines = loss_by_initialisation_chart(&history, 2);
        let curves: Vec<_> = lines.series.iter().map(|s| (s.x[0], s.y[0], s.band[0])).collect();
        assert_eq!(curves, [(5.0, 2.0, (1.0, 3.0)), (5.0, 20.0, (10.0, 30.0))]);
        assert_eq!((lines.series[1].name.as_str(), lines.title.as_str()), ("initialisation 2", "Loss"));
    }

    #[test]
    fn replicas_become_a_median_and_a_band() {
        assert_eq!(median_range(&[3.0, 1.0, 2.0]), (2.0, 1.0, 3.0));
        assert_eq!(median_range(&[3.0, 1.0, f32::NAN, 2.0, f32::INFINITY, 8.0]), (2.5, 1.0, 8.0));
        assert!(median_range(&[]).0.is_nan());
        let mut history = RunHistory::default();
        history.push(Measurement { test_loss: vec![1.0, 3.0], train_loss: vec![1.0, 3.0], ..row(0) });
        assert_eq!(loss_chart(&history, training_curve_name(false, 32), None).series[1].band, [(1.0, 3.0)]);
    }

    #[test]
    fn the_median_is_that_of_the_sorted_numbers() {
        let stream = vivarium_core::rng::RandomStream::new(3, vivarium_core::rng::Purpose::Batch, 0);
        for count in 1..200usize {
            let values: Vec<f32> =
                (0..count as u32).map(|i| stream.draw_uniform(count as u64, i / 2) - 0.5).collect();
            let mut sorted = values.clone();
            sorted.sort_unstable_by(f32::total_cmp);
            let middle = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0;
            assert_eq!(median_range(&values), (middle, sorted[0], sorted[count - 1]));
        }
        assert_eq!(median_range(&[0.0, -0.0, 0.0]).1.to_bits(), (-0.0f32).to_bits());
    }

    #[test]
    fn what_charts_draw_was_taken_when_it_came() {
        let mut history = RunHistory::default();
        for step in 0..5 {
            let of = |shift: f32| vec![step as f32 + shift, f32::NAN, step as f32];
            let measures = vec![vec![], of(3.0)];
            history.push(Measurement { step, test_loss: of(1.0), measures, ..Default::default() });
        }
        for of in [ReplicaMeasure::TestLoss, ReplicaMeasure::TaskMeasure(1)] {
            for (row, taken) in history.median_ranges(of) {
                assert_eq!(taken, median_range(of.values(row)));
            }
        }
        for of in [ReplicaMeasure::Margin, ReplicaMeasure::TaskMeasure(0), ReplicaMeasure::TaskMeasure(7)] {
            assert!(history.median_ranges(of).all(|(_, taken)| taken.0.is_nan()));
        }
    }

    #[test]
    fn measurements_of_thousands_of_replicas_are_fewer() {
        let mut history = RunHistory::default();
        let all = vec![0.5; 4096];
        for step in 0..1200 {
            history.push(Measurement {
                step,
                train_loss: all.clone(),
                train_accuracy: all.clone(),
                test_loss: all.clone(),
                test_accuracy: all.clone(),
                ..Default::default()
            });
            assert!(history.rows.len() * 4 * 4096 <= MAX_STORED_NUMBERS);
        }
        assert!(history.rows.len() > 500, "{}", history.rows.len());
        assert_eq!(
            max_rows(&Measurement { test_loss: vec![0.0; MAX_STORED_NUMBERS], ..Default::default() }),
            MIN_CAPACITY
        );
    }

    #[test]
    fn errors_are_what_accuracy_lacks() {
        let mut history = RunHistory::default();
        history.push(Measurement { test_accuracy: vec![0.75, 1.0, 0.5], ..row(0) });
        let lines = error_chart(&history, training_curve_name(true, 1), None, 0.5);
        assert_eq!((lines.series[1].y[0], lines.series[1].band[0]), (0.25, (0.0, 0.5)));
    }

    #[test]
    fn a_single_example_is_no_curve() {
        assert_eq!(
            [1, 7, 8].map(|batch| training_curve_name(false, batch)),
            [None, None, Some("training batch")]
        );
        let mut history = RunHistory::default();
        history.push(row(0));
        let lines = accuracy_chart(&history, training_curve_name(false, 1), None, 0.5);
        assert_eq!(lines.series.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["held-out"]);
    }
}
