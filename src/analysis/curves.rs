//! Loss and accuracy over the steps, one curve or the median of the replicas with their range.

use super::replicas::{Each, Of};
use super::{Lines, Role, Series};
use crate::protocol::Row;

/// Most measurements that are kept; then every second one is dropped, so that memory stays bounded however
/// long a run is.
pub const CAPACITY: usize = 4096;

/// The measurements of a run, thinned evenly once there are many.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    rows: Vec<Row>,
    stride: u64,
    seen: u64,
    last: Option<Row>,
}

impl Default for History {
    fn default() -> Self {
        History { rows: vec![], stride: 1, seen: 0, last: None }
    }
}

impl History {
    /// Adds a measurement. One of an earlier step than the last means that the run was taken up from a
    /// checkpoint: what came after it is forgotten.
    pub fn push(&mut self, row: Row) {
        if self.last.as_ref().is_some_and(|last| last.step >= row.step) {
            self.rows.retain(|old| old.step < row.step);
        }
        if self.seen.is_multiple_of(self.stride) {
            self.rows.push(row.clone());
        }
        self.seen += 1;
        self.last = Some(row);
        if self.rows.len() >= CAPACITY {
            let mut at = 0;
            self.rows.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.stride *= 2;
        }
    }

    /// The kept measurements, with the newest always among them.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        let newest = self.last.iter().filter(|last| self.rows.last().is_none_or(|row| row.step < last.step));
        self.rows.iter().chain(newest)
    }

    /// The newest measurement.
    pub fn last(&self) -> Option<&Row> {
        self.last.as_ref()
    }
}

/// Median of the finite of `values`, with lowest and highest; NaN where there is none.
pub fn spread(values: &[f32]) -> (f32, f32, f32) {
    let mut sorted: Vec<f32> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_unstable_by(f32::total_cmp);
    let (Some(low), Some(high)) = (sorted.first(), sorted.last()) else {
        return (f32::NAN, f32::NAN, f32::NAN);
    };
    let middle = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0;
    (middle, *low, *high)
}

/// The median over replicas of a number, and its range.
pub(super) fn series(history: &History, name: &str, role: Role, of: Of) -> Series {
    let mut series = Series { name: name.to_string(), role, ..Default::default() };
    for row in history.rows() {
        let values = of.values(row);
        let (middle, low, high) = spread(values);
        series.x.push(row.step as f64);
        series.y.push(middle);
        if values.len() > 1 {
            series.band.push((low, high));
            series.each = Some(Each::of(of));
        }
    }
    series
}

/// Examples below which a batch says nothing of how far training is: its accuracy is 0 or 1 or nearly.
const FEWEST: usize = 8;

/// What the curve of training is measured on; nothing where that is too little to be drawn.
pub fn trained_on(finite_sample: bool, batch: usize) -> Option<&'static str> {
    match (finite_sample, batch) {
        (true, _) => Some(tr!("training sample")),
        (false, FEWEST..) => Some(tr!("training batch")),
        (false, _) => None,
    }
}

/// The curve of training under the name of what it is measured on, if any, and that of held-out examples.
/// Most initialisations that get a curve each.
pub const MOST_STARTS: usize = 8;

/// Held-out loss over the steps, a curve for each initialisation: the median of the replicas r that start from it,
/// those with the same r mod `inits`, and their range (figure 5.2, centre).
pub fn loss_by_start(history: &History, inits: usize) -> Lines {
    let roles = [Role::Test, Role::Train, Role::Relevant, Role::Other];
    let curve = |init: usize| {
        let mut series = Series {
            name: tr!("start {number}", number = init + 1),
            role: roles[init % roles.len()],
            each: Some(Each { first: init, every: inits, ..Each::of(Of::TestLoss) }),
            ..Default::default()
        };
        for row in history.rows() {
            let own: Vec<f32> = row.test_loss.iter().skip(init).step_by(inits).copied().collect();
            let (middle, low, high) = spread(&own);
            series.x.push(row.step as f64);
            series.y.push(middle);
            series.band.push((low, high));
        }
        series
    };
    Lines { series: (0..inits).map(curve).collect(), ..loss(history, None, None) }
}

fn both(history: &History, train: Option<&str>, on_training: Of, held_out: Of) -> Vec<Series> {
    let train = train.map(|name| series(history, name, Role::Train, on_training));
    train.into_iter().chain([series(history, tr!("held-out"), Role::Test, held_out)]).collect()
}

/// Loss over the steps; `train` as [`trained_on`] has it.
pub fn loss(history: &History, train: Option<&str>, solved: Option<u64>) -> Lines {
    Lines {
        title: tr!("Loss").into(),
        x_label: tr!("step").into(),
        y_label: tr!("loss").into(),
        series: both(history, train, Of::TrainLoss, Of::TestLoss),
        marks: solved.map(|step| (step as f64, tr!("found").into())).into_iter().collect(),
        ..Default::default()
    }
}

/// Accuracy over the steps, with that of guessing, `chance`, as a reference line.
pub fn accuracy(history: &History, train: Option<&str>, solved: Option<u64>, chance: f64) -> Lines {
    Lines {
        title: tr!("Accuracy").into(),
        x_label: tr!("step").into(),
        y_label: tr!("accuracy").into(),
        y_range: Some((if chance >= 0.5 { 0.3 } else { 0.0 }, 1.02)),
        series: both(history, train, Of::TrainAccuracy, Of::TestAccuracy),
        references: vec![(chance, tr!("chance").into())],
        marks: solved.map(|step| (step as f64, tr!("found").into())).into_iter().collect(),
        ..Default::default()
    }
}

/// Error over the steps, 1 − accuracy, which a logarithmic axis wants: what is left to learn.
pub fn error(history: &History, train: Option<&str>, solved: Option<u64>, chance: f64) -> Lines {
    let mut lines = accuracy(history, train, solved, chance);
    lines.references.iter_mut().for_each(|(accuracy, _)| *accuracy = 1.0 - *accuracy);
    for series in &mut lines.series {
        series.y.iter_mut().for_each(|y| *y = 1.0 - *y);
        series.band.iter_mut().for_each(|(low, high)| (*low, *high) = (1.0 - *high, 1.0 - *low));
        series.each = series.each.map(|each| Each { divisor: -1.0, offset: 1.0, ..each });
    }
    Lines { title: tr!("Error").into(), y_label: tr!("error").into(), y_range: None, ..lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(step: u64) -> Row {
        let one = vec![step as f32];
        Row {
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
        let mut history = History::default();
        (0..1_000_000).for_each(|i| history.push(row(i)));
        let steps: Vec<u64> = history.rows().map(|r| r.step).collect();
        assert!(steps.len() <= CAPACITY);
        assert!(steps.len() > CAPACITY / 4);
        assert_eq!((steps[0], *steps.last().unwrap()), (0, 999_999));
        assert!(steps.windows(2).all(|w| w[0] < w[1]));
    }

    #[test]
    fn taking_up_an_earlier_checkpoint_forgets_what_came_after() {
        let mut history = History::default();
        for step in [0, 10, 20, 30, 20, 25] {
            history.push(row(step));
        }
        assert_eq!(history.rows().map(|r| r.step).collect::<Vec<_>>(), [0, 10, 20, 25]);
    }

    #[test]
    fn replicas_of_one_start_stand_together() {
        let mut history = History::default();
        history.push(Row { test_loss: vec![1.0, 10.0, 2.0, 20.0, 3.0, 30.0], ..row(5) });
        let lines = loss_by_start(&history, 2);
        let curves: Vec<_> = lines.series.iter().map(|s| (s.x[0], s.y[0], s.band[0])).collect();
        assert_eq!(curves, [(5.0, 2.0, (1.0, 3.0)), (5.0, 20.0, (10.0, 30.0))]);
        assert_eq!((lines.series[1].name.as_str(), lines.title.as_str()), ("start 2", "Loss"));
    }

    #[test]
    fn replicas_become_a_median_and_a_band() {
        assert_eq!(spread(&[3.0, 1.0, 2.0]), (2.0, 1.0, 3.0));
        assert_eq!(spread(&[3.0, 1.0, f32::NAN, 2.0, f32::INFINITY, 8.0]), (2.5, 1.0, 8.0));
        assert!(spread(&[]).0.is_nan());
        let mut history = History::default();
        history.push(Row { test_loss: vec![1.0, 3.0], train_loss: vec![1.0, 3.0], ..row(0) });
        assert_eq!(loss(&history, trained_on(false, 32), None).series[1].band, [(1.0, 3.0)]);
    }

    #[test]
    fn errors_are_what_accuracy_lacks() {
        let mut history = History::default();
        history.push(Row { test_accuracy: vec![0.75, 1.0, 0.5], ..row(0) });
        let lines = error(&history, trained_on(true, 1), None, 0.5);
        assert_eq!((lines.series[1].y[0], lines.series[1].band[0]), (0.25, (0.0, 0.5)));
    }

    #[test]
    fn a_single_example_is_no_curve() {
        assert_eq!([1, 7, 8].map(|batch| trained_on(false, batch)), [None, None, Some("training batch")]);
        let mut history = History::default();
        history.push(row(0));
        let lines = accuracy(&history, trained_on(false, 1), None, 0.5);
        assert_eq!(lines.series.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["held-out"]);
    }
}
