//! The replica values that a median curve summarises.

use vivarium_model::protocol::Measurement;

/// A measure, such as the held-out loss, that each measurement of a run has for every replica.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplicaMeasure {
    /// Loss on training examples.
    TrainLoss,
    /// Accuracy on training examples.
    TrainAccuracy,
    /// Loss on held-out examples.
    TestLoss,
    /// Accuracy on held-out examples.
    TestAccuracy,
    /// Normalised margin.
    Margin,
    /// A task-specific measure, by its index, from 0, among the task-specific measures of a measurement.
    TaskMeasure(usize),
}

impl ReplicaMeasure {
    /// Index of the measure in the list of all measures of a measurement: 0 training loss, 1 training accuracy, 2
    /// held-out loss, 3 held-out accuracy, 4 margin, and from 5 on the task-specific measures.
    pub fn index(self) -> usize {
        match self {
            ReplicaMeasure::TrainLoss => 0,
            ReplicaMeasure::TrainAccuracy => 1,
            ReplicaMeasure::TestLoss => 2,
            ReplicaMeasure::TestAccuracy => 3,
            ReplicaMeasure::Margin => 4,
            ReplicaMeasure::TaskMeasure(at) => 5 + at,
        }
    }

    /// The measure with this [`index`](Self::index) in the list of all measures of a measurement, from 0.
    pub fn from_index(index: usize) -> ReplicaMeasure {
        match index {
            0 => ReplicaMeasure::TrainLoss,
            1 => ReplicaMeasure::TrainAccuracy,
            2 => ReplicaMeasure::TestLoss,
            3 => ReplicaMeasure::TestAccuracy,
            4 => ReplicaMeasure::Margin,
            more => ReplicaMeasure::TaskMeasure(more - 5),
        }
    }

    /// The values of every measure of a measurement, in the order of [`index`](Self::index).
    pub fn all_values(row: &Measurement) -> impl Iterator<Item = &[f32]> {
        let count = ReplicaMeasure::TaskMeasure(row.measures.len()).index();
        (0..count).map(move |index| ReplicaMeasure::from_index(index).values(row))
    }

    /// The values of this measure in a measurement, one per replica; empty if it was not measured.
    pub fn values(self, row: &Measurement) -> &[f32] {
        match self {
            ReplicaMeasure::TrainLoss => &row.train_loss,
            ReplicaMeasure::TrainAccuracy => &row.train_accuracy,
            ReplicaMeasure::TestLoss => &row.test_loss,
            ReplicaMeasure::TestAccuracy => &row.test_accuracy,
            ReplicaMeasure::Margin => &row.margin,
            ReplicaMeasure::TaskMeasure(at) => row.measures.get(at).map_or(&[], Vec::as_slice),
        }
    }
}

/// Factor by which the loss of a network must exceed the losses of the best quarter of the networks, or 1 where these
/// are smaller, for the network to count as diverged. A loss of 1 is about that of guessing in every task.
pub const DIVERGENCE_FACTOR: f32 = 1000.0;

/// Indices, from 0, of the replicas that have diverged by the measurement `row`: their training or held-out loss is
/// infinite, NaN, or more than [`DIVERGENCE_FACTOR`] times the lower quartile of the finite losses of all replicas (at
/// least 1). None has if the run executes or searches its networks and trains nothing (`is_executed`): there the place of
/// the loss has a deviation, which is large after a wrong step.
///
/// # Why
/// A loss of 10²¹ is finite for some measurements before it is infinite. In the range of the curves it would hide all
/// other networks. With the lower quartile in place of the median, a quarter of the networks is enough to tell that the
/// others have diverged. Losses that are large for all networks are no divergence.
pub fn diverged_replicas(row: &Measurement, is_executed: bool) -> Vec<usize> {
    if is_executed {
        return vec![];
    }
    let mut diverged = std::collections::BTreeSet::new();
    for losses in [&row.train_loss, &row.test_loss] {
        let mut finite: Vec<f32> = losses.iter().copied().filter(|loss| loss.is_finite()).collect();
        let usual = match finite.len() {
            0 => 0.0,
            count => *finite.select_nth_unstable_by((count - 1) / 4, f32::total_cmp).1,
        };
        let limit = DIVERGENCE_FACTOR * usual.max(1.0);
        let is_lost = |loss: f32| !loss.is_finite() || loss > limit;
        diverged.extend(losses.iter().enumerate().filter(|(_, loss)| is_lost(**loss)).map(|(at, _)| at));
    }
    diverged.into_iter().collect()
}

/// The values of a measure, one per replica, with NaN in place of the values of the replicas with the indices
/// `diverged`.
pub fn without_diverged<'a>(values: &'a [f32], diverged: &[usize]) -> std::borrow::Cow<'a, [f32]> {
    if diverged.is_empty() {
        return values.into();
    }
    let mut kept = values.to_vec();
    for replica in diverged {
        if let Some(value) = kept.get_mut(*replica) {
            *value = f32::NAN;
        }
    }
    kept.into()
}

/// Which replicas a median curve summarises, and how their values of a measure are scaled in the chart.
///
/// # Why
/// Copying the curve of every replica into every chart would be slow for thousands of replicas. This refers to them, so
/// that the value of one replica can be looked up when the user points at it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReplicaCurves {
    /// Measure, such as the held-out loss, of which the curve shows the median over replicas.
    pub measure: ReplicaMeasure,
    /// Number by which the values of the measure are divided before they are drawn.
    pub divisor: f32,
    /// Number added to the values of the measure after the division.
    pub offset: f32,
    /// Index, from 0, of the first replica that the curve summarises.
    pub first_replica: usize,
    /// Difference between the indices of consecutive replicas that the curve summarises; 1 for all.
    pub stride: usize,
}

impl ReplicaCurves {
    /// The curve of the median of the measure `of` over all replicas, with unscaled values.
    pub fn all_replicas(of: ReplicaMeasure) -> Self {
        ReplicaCurves { measure: of, divisor: 1.0, offset: 0.0, first_replica: 0, stride: 1 }
    }

    /// Index, from 0, and scaled value of each replica that the curve summarises, in the measurement `row`.
    pub fn values_of_row(self, row: &Measurement) -> impl Iterator<Item = (usize, f32)> + '_ {
        let ReplicaCurves { measure: of, divisor, offset, first_replica: first, stride: every } = self;
        let values = of.values(row).iter().enumerate().skip(first).step_by(every.max(1));
        values.map(move |(replica, value)| (replica, value / divisor + offset))
    }

    /// Scaled value of the replica with this index in the measurement `row`; `None` if it has none.
    pub fn value_of_replica(self, row: &Measurement, replica: usize) -> Option<f32> {
        self.measure.values(row).get(replica).map(|value| value / self.divisor + self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_replica_is_found_where_its_curve_is_drawn() {
        let row = Measurement {
            test_accuracy: vec![0.25, 0.5, 1.0, 0.75],
            measures: vec![vec![], vec![3.0]],
            ..Default::default()
        };
        let error = ReplicaCurves {
            divisor: -1.0,
            offset: 1.0,
            ..ReplicaCurves::all_replicas(ReplicaMeasure::TestAccuracy)
        };
        let heights: Vec<_> = error.values_of_row(&row).collect();
        assert_eq!(heights, [(0, 0.75), (1, 0.5), (2, 0.0), (3, 0.25)]);
        let second = ReplicaCurves {
            first_replica: 1,
            stride: 2,
            ..ReplicaCurves::all_replicas(ReplicaMeasure::TestAccuracy)
        };
        assert_eq!(second.values_of_row(&row).collect::<Vec<_>>(), [(1, 0.5), (3, 0.75)]);
        assert_eq!((error.value_of_replica(&row, 3), error.value_of_replica(&row, 4)), (Some(0.25), None));
        assert_eq!(ReplicaMeasure::TaskMeasure(1).values(&row), [3.0]);
        assert!(
            ReplicaMeasure::TaskMeasure(2).values(&row).is_empty()
                && ReplicaMeasure::Margin.values(&row).is_empty()
        );
        assert!((0..20).all(|place| ReplicaMeasure::from_index(place).index() == place));
    }

    #[test]
    fn a_network_with_a_loss_far_above_that_of_the_best_quarter_has_diverged() {
        let row = |losses: &[f32]| Measurement { test_loss: losses.to_vec(), ..Default::default() };
        let lost = |losses: &[f32]| diverged_replicas(&row(losses), false);
        let mut twenty = vec![0.7; 20];
        (twenty[3], twenty[11]) = (2.5e21, f32::NAN);
        assert_eq!(lost(&twenty), [3, 11]);
        assert_eq!(lost(&[1e9, 0.5]), [0], "of two networks the better one counts");
        assert_eq!(lost(&[1e9, 1e9, 0.5, 1e9]), [0, 1, 3]);
        assert!(
            lost(&[1e9]).is_empty() && lost(&[1e9, 2e9, 3e11]).is_empty(),
            "this is the size of the losses"
        );
        assert!(
            lost(&[1e-9, 0.5, 900.0]).is_empty(),
            "a network that has memorised does not make others diverge"
        );
        assert!(lost(&[-1e8, -0.5, 12.0]).is_empty(), "a loss may be negative");
        assert_eq!(lost(&[f32::NAN, f32::INFINITY]), [0, 1]);
        assert!(lost(&[]).is_empty());
        let both = Measurement { train_loss: vec![f32::NAN, 1.0], ..row(&[1.0, f32::INFINITY]) };
        assert_eq!(diverged_replicas(&both, false), [0, 1]);
        let values = without_diverged(&[0.25, 0.5, 1.0], &[1, 7]).into_owned();
        assert!(values[0] == 0.25 && values[1].is_nan() && values[2] == 1.0);
        assert_eq!(*without_diverged(&[0.25, 0.5], &[]), [0.25, 0.5]);
    }
}
