//! All measurements of a long run in bounded memory.
//!
//! # Why
//! Charts keep some thousands of measurements, each with its statistics. A file of a run contains all measurements, and
//! a run of 20,001 measurements has less than a megabyte of numbers. They are stored one after the other without a
//! vector for each measure. Copies of a history share the blocks.

use std::sync::Arc;

use super::replicas::ReplicaMeasure;
use vivarium_core::bounds::MAX_PACKED_FLOATS;
use vivarium_model::protocol::Measurement;

/// Number of measurements in every block but the last.
const BLOCK_ROWS: usize = 256;

/// Measurements of a run, ascending by training step, with at most [`MAX_PACKED_FLOATS`] floats.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PackedMeasurements {
    /// Blocks of [`BLOCK_ROWS`] measurements; the last one may have fewer.
    blocks: Vec<Arc<Block>>,
    /// Different lists of lengths of the measures of a measurement, indexed by [`ReplicaMeasure::index`].
    shapes: Vec<Vec<usize>>,
    /// Number of 4-byte floats that the measurements take.
    float_count: u64,
}

/// Consecutive measurements.
#[derive(Debug, Clone, PartialEq, Default)]
struct Block {
    /// Training step, index of the shape, and index of the first value, of each measurement.
    rows: Vec<(u64, usize, usize)>,
    /// Values of all measures of all measurements, one measurement after the other.
    values: Vec<f32>,
}

/// Number of 4-byte floats that a measurement with `value_count` values takes, with its step and its two indices.
fn packed_floats(value_count: usize) -> u64 {
    value_count as u64 + 6
}

impl PackedMeasurements {
    /// Adds a measurement. If its step is not after the latest one, the run was resumed from a checkpoint: measurements
    /// from that step on are removed. Returns false, and does not add it, if there would be more than
    /// [`MAX_PACKED_FLOATS`] floats.
    pub fn push(&mut self, row: &Measurement) -> bool {
        let latest = self.blocks.last().and_then(|block| block.rows.last()).map(|(step, ..)| *step);
        if latest.is_some_and(|latest| latest >= row.step) {
            self.remove_from_step(row.step);
        }
        let shape: Vec<usize> = ReplicaMeasure::all_values(row).map(<[f32]>::len).collect();
        let floats = packed_floats(shape.iter().sum());
        if self.float_count.saturating_add(floats) > MAX_PACKED_FLOATS {
            return false;
        }
        self.float_count += floats;
        let index = self.shapes.iter().position(|other| *other == shape).unwrap_or(self.shapes.len());
        if index == self.shapes.len() {
            self.shapes.push(shape);
        }
        if self.blocks.last().is_none_or(|block| block.rows.len() >= BLOCK_ROWS) {
            self.blocks.push(Arc::default());
        }
        if let Some(block) = self.blocks.last_mut().map(Arc::make_mut) {
            block.rows.push((row.step, index, block.values.len()));
            ReplicaMeasure::all_values(row).for_each(|values| block.values.extend_from_slice(values));
        }
        true
    }

    /// Removes the measurements from this step on.
    pub fn remove_from_step(&mut self, step: u64) {
        self.blocks.retain(|block| block.rows.first().is_some_and(|(first, ..)| *first < step));
        if let Some(block) = self.blocks.last_mut() {
            let kept = block.rows.partition_point(|(at, ..)| *at < step);
            if let Some((.., values)) = block.rows.get(kept).copied() {
                let block = Arc::make_mut(block);
                block.rows.truncate(kept);
                block.values.truncate(values);
            }
        }
        let floats =
            |block: &Arc<Block>| block.values.len() as u64 + packed_floats(0) * block.rows.len() as u64;
        self.float_count = self.blocks.iter().map(floats).sum();
    }

    /// Number of bytes that the measurements take.
    pub fn byte_count(&self) -> usize {
        // At most four bytes for each of MAX_PACKED_FLOATS.
        4 * self.float_count as usize
    }

    /// Number of stored measurements.
    pub fn len(&self) -> usize {
        self.blocks.last().map_or(0, |last| (self.blocks.len() - 1) * BLOCK_ROWS + last.rows.len())
    }

    /// Whether no measurement is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The measurement with this index, from 0; `None` beyond the last.
    pub fn get(&self, index: usize) -> Option<Measurement> {
        let block = self.blocks.get(index / BLOCK_ROWS)?;
        let (step, shape, first) = *block.rows.get(index % BLOCK_ROWS)?;
        let shape = self.shapes.get(shape)?;
        let mut values = block.values.get(first..)?.iter().copied();
        let mut lists = shape.iter().map(|count| values.by_ref().take(*count).collect::<Vec<f32>>());
        let mut next = || lists.next().unwrap_or_default();
        Some(Measurement {
            step,
            train_loss: next(),
            train_accuracy: next(),
            test_loss: next(),
            test_accuracy: next(),
            margin: next(),
            measures: lists.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A measurement that has a margin and a further measure at every third step.
    fn row(step: u64) -> Measurement {
        let rare = if step.is_multiple_of(3) { vec![step as f32, 0.5] } else { vec![] };
        Measurement {
            step,
            train_loss: vec![step as f32, f32::INFINITY],
            test_loss: vec![1.0, -(step as f32)],
            test_accuracy: vec![0.25, 0.75],
            margin: rare.clone(),
            measures: vec![vec![], rare, vec![step as f32]],
            ..Default::default()
        }
    }

    #[test]
    fn measurements_are_unpacked_as_they_were_packed() {
        let mut packed = PackedMeasurements::default();
        assert!(packed.is_empty() && packed.get(0).is_none());
        for step in 0..1000 {
            assert!(packed.push(&row(step)));
        }
        assert_eq!((packed.len(), packed.shapes.len(), packed.blocks.len()), (1000, 2, 4));
        assert!((0..1000).all(|at| packed.get(at) == Some(row(at as u64))));
        assert!(packed.get(1000).is_none());
    }

    #[test]
    fn a_run_resumed_from_a_checkpoint_continues_in_a_copy() {
        let mut packed = PackedMeasurements::default();
        (0..700).for_each(|step| assert!(packed.push(&row(step))));
        let whole = packed.clone();
        for step in [600, 512, 511, 1, 0] {
            packed.remove_from_step(step);
            let mut expected = PackedMeasurements::default();
            (0..step).for_each(|step| assert!(expected.push(&row(step))));
            assert_eq!(packed.len(), step as usize);
            assert_eq!((packed.float_count, &packed.blocks), (expected.float_count, &expected.blocks));
        }
        assert!(packed.push(&row(5)) && packed.get(0) == Some(row(5)));
        assert!(packed.push(&row(9)) && packed.push(&row(7)) && packed.push(&row(8)));
        assert_eq!(
            (0..4).map(|at| packed.get(at).map(|row| row.step)).collect::<Vec<_>>(),
            [Some(5), Some(7), Some(8), None]
        );
        assert_eq!((whole.len(), whole.get(699)), (700, Some(row(699))));
    }

    #[test]
    fn memory_is_bounded() {
        let large = |step| Measurement { step, test_loss: vec![0.5; 1 << 20], ..Default::default() };
        let mut packed = PackedMeasurements::default();
        let added = (0..100).take_while(|step| packed.push(&large(*step))).count();
        assert_eq!(added, (MAX_PACKED_FLOATS >> 20) as usize - 1);
        assert!(packed.float_count <= MAX_PACKED_FLOATS);
    }
}
