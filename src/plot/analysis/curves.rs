//! Loss and accuracy over the steps, one curve or the median of the replicas with their range.

use super::replicas::{Each, Of};
use super::{Lines, Role, Series};
use vivarium_core::bounds::{MOST_OF_CURVES, MOST_ROWS};
use vivarium_model::protocol::Row;

/// Most measurements that are kept; then every second one is dropped, so that memory stays bounded however
/// long a run is.
pub const CAPACITY: usize = MOST_ROWS as usize;

/// Most numbers in them: of thousands of replicas, fewer measurements than [`CAPACITY`].
pub const MOST_KEPT: usize = MOST_OF_CURVES as usize;

/// Fewest measurements that are dropped to half, however large each is.
const FEWEST_KEPT: usize = 64;

/// The measurements of a run, thinned evenly once there are many.
///
/// # Why
/// Charts draw medians and ranges over the replicas, at every frame. So these are taken once of each measurement, when
/// it comes: to sort thousands of replicas in thousands of measurements takes a second.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    rows: Vec<Measured>,
    stride: u64,
    seen: u64,
    last: Option<Measured>,
}

/// A measurement with the median, the lowest and the highest of each of its columns that is not empty.
#[derive(Debug, Clone, PartialEq)]
struct Measured {
    row: Row,
    /// In the order of [`Of::place`].
    spreads: Vec<Option<Spread>>,
}

/// Median, lowest and highest.
type Spread = (f32, f32, f32);

impl Measured {
    fn new(row: Row) -> Self {
        let columns = (0..Of::Measure(row.measures.len()).place()).map(Of::at);
        let spreads = columns.map(|of| of.values(&row)).map(|v| (!v.is_empty()).then(|| spread(v))).collect();
        Measured { row, spreads }
    }

    fn spread(&self, of: Of) -> Spread {
        self.spreads.get(of.place()).copied().flatten().unwrap_or((f32::NAN, f32::NAN, f32::NAN))
    }
}

impl Default for History {
    fn default() -> Self {
        History { rows: vec![], stride: 1, seen: 0, last: None }
    }
}

/// How many measurements as large as `row` are kept at most.
fn capacity(row: &Row) -> usize {
    let numbers = (0..Of::Measure(row.measures.len()).place()).map(|at| Of::at(at).values(row).len());
    (MOST_KEPT / numbers.sum::<usize>().max(1)).clamp(FEWEST_KEPT, CAPACITY)
}

impl History {
    /// Adds a measurement. One of an earlier step than the last means that the run was taken up from a
    /// checkpoint: what came after it is forgotten.
    pub fn push(&mut self, row: Row) {
        if self.last.as_ref().is_some_and(|last| last.row.step >= row.step) {
            self.rows.retain(|old| old.row.step < row.step);
        }
        let capacity = capacity(&row);
        let measured = Measured::new(row);
        if self.seen.is_multiple_of(self.stride) {
            self.rows.push(measured.clone());
        }
        self.seen += 1;
        self.last = Some(measured);
        if self.rows.len() >= capacity {
            let mut at = 0;
            self.rows.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.stride *= 2;
        }
    }

    fn measured(&self) -> impl Iterator<Item = &Measured> {
        let is_newer = |last: &&Measured| self.rows.last().is_none_or(|kept| kept.row.step < last.row.step);
        self.rows.iter().chain(self.last.iter().filter(is_newer))
    }

    /// The kept measurements, with the newest always among them.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.measured().map(|measured| &measured.row)
    }

    /// The same, each with the [`spread`] of a number over its replicas, which was taken when it came.
    pub fn spreads(&self, of: Of) -> impl Iterator<Item = (&Row, (f32, f32, f32))> {
        self.measured().map(move |measured| (&measured.row, measured.spread(of)))
    }

    /// Those up to a step.
    pub fn until(&self, step: u64) -> History {
        let rows: Vec<Measured> = self.rows.iter().filter(|kept| kept.row.step <= step).cloned().collect();
        let last = self.measured().filter(|kept| kept.row.step <= step).last().cloned();
        History { seen: rows.len() as u64 * self.stride, stride: self.stride, rows, last }
    }

    /// The newest measurement.
    pub fn last(&self) -> Option<&Row> {
        self.last.as_ref().map(|measured| &measured.row)
    }
}

/// Median of the finite of `values`, with lowest and highest; NaN where there is none. Nothing is sorted for it.
pub fn spread(values: &[f32]) -> (f32, f32, f32) {
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

/// The median over replicas of a number, and its range.
pub fn series(history: &History, name: &str, role: Role, of: Of) -> Series {
    let mut series = Series { name: name.to_string(), role, ..Default::default() };
    for (row, (middle, low, high)) in history.spreads(of) {
        series.x.push(row.step as f64);
        series.y.push(middle);
        if of.values(row).len() > 1 {
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
            name: tr!("initialisation {number}", number = init + 1),
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
        marks: solved.map(|step| (step as f64, tr!("solution found").into())).into_iter().collect(),
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
        marks: solved.map(|step| (step as f64, tr!("solution found").into())).into_iter().collect(),
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
        let before = history.until(20);
        assert_eq!(before.rows().map(|r| r.step).collect::<Vec<_>>(), [0, 10, 20]);
        assert_eq!(before.last().unwrap().step, 20);
        assert_eq!(history.until(99).rows().count(), 4);
        assert_eq!(History::default().until(3), History::default());
    }

    #[test]
    fn replicas_of_one_start_stand_together() {
        let mut history = History::default();
        history.push(Row { test_loss: vec![1.0, 10.0, 2.0, 20.0, 3.0, 30.0], ..row(5) });
        let lines = loss_by_start(&history, 2);
        let curves: Vec<_> = lines.series.iter().map(|s| (s.x[0], s.y[0], s.band[0])).collect();
        assert_eq!(curves, [(5.0, 2.0, (1.0, 3.0)), (5.0, 20.0, (10.0, 30.0))]);
        assert_eq!((lines.series[1].name.as_str(), lines.title.as_str()), ("initialisation 2", "Loss"));
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
    fn the_median_is_that_of_the_sorted_numbers() {
        let stream = vivarium_core::rng::Stream::new(3, vivarium_core::rng::Purpose::Batch, 0);
        for count in 1..200usize {
            let values: Vec<f32> =
                (0..count as u32).map(|i| stream.unit(count as u64, i / 2) - 0.5).collect();
            let mut sorted = values.clone();
            sorted.sort_unstable_by(f32::total_cmp);
            let middle = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0;
            assert_eq!(spread(&values), (middle, sorted[0], sorted[count - 1]));
        }
        assert_eq!(spread(&[0.0, -0.0, 0.0]).1.to_bits(), (-0.0f32).to_bits());
    }

    #[test]
    fn what_charts_draw_was_taken_when_it_came() {
        let mut history = History::default();
        for step in 0..5 {
            let of = |shift: f32| vec![step as f32 + shift, f32::NAN, step as f32];
            let measures = vec![vec![], of(3.0)];
            history.push(Row { step, test_loss: of(1.0), measures, ..Default::default() });
        }
        for of in [Of::TestLoss, Of::Measure(1)] {
            for (row, taken) in history.spreads(of) {
                assert_eq!(taken, spread(of.values(row)));
            }
        }
        for of in [Of::Margin, Of::Measure(0), Of::Measure(7)] {
            assert!(history.spreads(of).all(|(_, taken)| taken.0.is_nan()));
        }
    }

    #[test]
    fn measurements_of_thousands_of_replicas_are_fewer() {
        let mut history = History::default();
        let all = vec![0.5; 4096];
        for step in 0..1200 {
            history.push(Row {
                step,
                train_loss: all.clone(),
                train_accuracy: all.clone(),
                test_loss: all.clone(),
                test_accuracy: all.clone(),
                ..Default::default()
            });
            assert!(history.rows.len() * 4 * 4096 <= MOST_KEPT);
        }
        assert!(history.rows.len() > 500, "{}", history.rows.len());
        assert_eq!(capacity(&Row { test_loss: vec![0.0; MOST_KEPT], ..Default::default() }), FEWEST_KEPT);
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
