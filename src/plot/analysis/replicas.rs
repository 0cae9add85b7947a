//! The single curves behind a median: which number of a measurement they are.

use vivarium_model::protocol::Row;

/// A number that a measurement has for each replica.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// Loss on training examples.
    TrainLoss,
    /// Accuracy on the same.
    TrainAccuracy,
    /// Loss on held-out examples.
    TestLoss,
    /// Accuracy on the same.
    TestAccuracy,
    /// Normalised margin.
    Margin,
    /// A further measure of the task, by its place in the row.
    Measure(usize),
}

impl Of {
    /// Its place among all of them: 0 to 4, and from 5 on the further measures.
    pub fn place(self) -> usize {
        match self {
            Of::TrainLoss => 0,
            Of::TrainAccuracy => 1,
            Of::TestLoss => 2,
            Of::TestAccuracy => 3,
            Of::Margin => 4,
            Of::Measure(at) => 5 + at,
        }
    }

    /// The number at that place.
    pub fn at(place: usize) -> Of {
        match place {
            0 => Of::TrainLoss,
            1 => Of::TrainAccuracy,
            2 => Of::TestLoss,
            3 => Of::TestAccuracy,
            4 => Of::Margin,
            more => Of::Measure(more - 5),
        }
    }

    /// The numbers, one per replica; none where it is not measured.
    pub fn values(self, row: &Row) -> &[f32] {
        match self {
            Of::TrainLoss => &row.train_loss,
            Of::TrainAccuracy => &row.train_accuracy,
            Of::TestLoss => &row.test_loss,
            Of::TestAccuracy => &row.test_accuracy,
            Of::Margin => &row.margin,
            Of::Measure(at) => row.measures.get(at).map_or(&[], Vec::as_slice),
        }
    }
}

/// What the median and the band of a curve are taken over.
///
/// # Why
/// A copy of every replica's curve in every reading would be copied at every drawing, for thousands of replicas; this
/// says where they are, and who points at one looks there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Each {
    /// The number.
    pub of: Of,
    /// What it is divided by.
    pub divisor: f32,
    /// What is added to that.
    pub offset: f32,
    /// First replica, from 0.
    pub first: usize,
    /// From one replica to the next.
    pub every: usize,
}

impl Each {
    /// This number of all replicas.
    pub fn of(of: Of) -> Self {
        Each { of, divisor: 1.0, offset: 0.0, first: 0, every: 1 }
    }

    /// Each replica, from 0, with its height in the chart.
    pub fn heights(self, row: &Row) -> impl Iterator<Item = (usize, f32)> + '_ {
        let Each { of, divisor, offset, first, every } = self;
        let values = of.values(row).iter().enumerate().skip(first).step_by(every.max(1));
        values.map(move |(replica, value)| (replica, value / divisor + offset))
    }

    /// One replica's height in the chart.
    pub fn height(self, row: &Row, replica: usize) -> Option<f32> {
        self.of.values(row).get(replica).map(|value| value / self.divisor + self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_replica_is_found_where_its_curve_is_drawn() {
        let row = Row {
            test_accuracy: vec![0.25, 0.5, 1.0, 0.75],
            measures: vec![vec![], vec![3.0]],
            ..Default::default()
        };
        let error = Each { divisor: -1.0, offset: 1.0, ..Each::of(Of::TestAccuracy) };
        let heights: Vec<_> = error.heights(&row).collect();
        assert_eq!(heights, [(0, 0.75), (1, 0.5), (2, 0.0), (3, 0.25)]);
        let second = Each { first: 1, every: 2, ..Each::of(Of::TestAccuracy) };
        assert_eq!(second.heights(&row).collect::<Vec<_>>(), [(1, 0.5), (3, 0.75)]);
        assert_eq!((error.height(&row, 3), error.height(&row, 4)), (Some(0.25), None));
        assert_eq!(Of::Measure(1).values(&row), [3.0]);
        assert!(Of::Measure(2).values(&row).is_empty() && Of::Margin.values(&row).is_empty());
        assert!((0..20).all(|place| Of::at(place).place() == place));
    }
}
