//! Examples as bits, the form in which kernels take them: for each block of 32 examples a word for every input
//! and one for the labels, where a set bit means −1.

use crate::session::learner::MEASURE_SAMPLE;
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, ParityExamples, Task, TaskData};

/// Appends examples to `words`.
pub fn pack(batch: &Batch, inputs: usize, words: &mut Vec<u32>) {
    for (x, y) in batch.x.chunks(32 * inputs).zip(batch.y.chunks(32)) {
        let start = words.len();
        words.resize(start + inputs + 1, 0);
        for (e, (x, y)) in x.chunks(inputs).zip(y).enumerate() {
            for (word, value) in words[start..].iter_mut().zip(x.iter().chain([y])) {
                *word |= u32::from(*value < 0.0) << e;
            }
        }
    }
}

/// The first `count` held-out examples.
pub fn held_out(spec: &RunSpec, count: usize) -> Vec<u32> {
    let (task, mut words, mut batch) = (spec.task.sampler(), vec![], Batch::default());
    for from in (0..count).step_by(1024) {
        batch.clear();
        task.append_held_out(spec.run.seed, from, 1024.min(count - from), &mut batch);
        pack(&batch, task.inputs(), &mut words);
    }
    words
}

/// The finite sample of `replica`, or its beginning, as it is measured, and how many examples that are.
pub fn seen(spec: &RunSpec, replica: u32) -> Option<(Vec<u32>, usize)> {
    let (task, mut words, mut batch) = (spec.task.sampler(), vec![], Batch::default());
    let count = task.training_set_size()?.min(MEASURE_SAMPLE);
    task.append_training_set(spec.run.seed, replica, 0, count, &mut batch);
    pack(&batch, task.inputs(), &mut words);
    Some((words, count))
}

/// For each replica and row of its finite sample, if there is one, the bits of the row and its label, with bit
/// number `inputs` the label's.
pub fn rows(spec: &RunSpec) -> Vec<u32> {
    let (task, mut data, mut batch) = (spec.task.sampler(), vec![], Batch::default());
    let (inputs, size) = (task.inputs(), task.training_set_size().unwrap_or(0));
    for replica in 0..spec.run.replicas as u32 {
        for from in (0..size).step_by(1024) {
            batch.clear();
            task.append_training_set(spec.run.seed, replica, from, 1024.min(size - from), &mut batch);
            for (x, y) in batch.x.chunks(inputs).zip(&batch.y) {
                let row = data.len();
                data.resize(row + inputs / 32 + 1, 0);
                for (i, value) in x.iter().chain([y]).enumerate() {
                    data[row + i / 32] |= u32::from(*value < 0.0) << (i % 32);
                }
            }
        }
    }
    data
}

/// Training batches, drawn as bits without ever being numbers.
pub struct Batches {
    task: Task,
    examples: ParityExamples,
    seed: u64,
    blocks: usize,
    size: usize,
    relevant: Vec<usize>,
    /// As [`rows`] gives them.
    rows: Vec<u32>,
}

impl Batches {
    /// The batches of `spec`.
    pub fn new(spec: &RunSpec) -> Self {
        let sampler = spec.task.sampler();
        let TaskData::Bits(Some(examples)) = sampler.data() else {
            unreachable!("only networks on bits have batches of bits")
        };
        Batches {
            task: spec.task.clone(),
            examples,
            seed: spec.run.seed,
            blocks: spec.run.batch.div_ceil(32),
            size: spec.run.batch,
            relevant: sampler.relevant(spec.run.seed),
            rows: rows(spec),
        }
    }

    /// The batch of `step` in `replica`, in place of what `words` held.
    pub fn draw(&self, replica: u32, step: u64, words: &mut Vec<u32>) {
        let inputs = self.examples.inputs;
        words.resize(self.blocks * (inputs + 1), 0);
        if self.examples.training_set_size > 0 {
            return self.gather(replica, step, words);
        }
        let [stream, noise] =
            [Purpose::Batch, Purpose::Noise].map(|p| RandomStream::new(self.seed, p, replica));
        for (block, words) in words.chunks_exact_mut(inputs + 1).enumerate() {
            self.examples.fill_block(&stream, step, block, &self.relevant, words);
            words[inputs] ^= self.examples.draw_label_flips(&noise, step, block);
        }
    }

    /// The rows of the finite sample that are visited at `step`.
    fn gather(&self, replica: u32, step: u64, words: &mut [u32]) {
        let ParityExamples { inputs, training_set_size: sample, .. } = self.examples;
        let across = inputs / 32 + 1;
        let own = &self.rows[replica as usize * sample * across..][..sample * across];
        let visits = self.task.sampler().batch_indices(self.seed, replica, step, self.size);
        for (words, visits) in words.chunks_exact_mut(inputs + 1).zip(visits.chunks(32)) {
            for (column, words) in words.chunks_mut(32).enumerate() {
                let mut square = [0; 32];
                for (word, at) in square.iter_mut().zip(visits) {
                    *word = own[at * across + column];
                }
                transpose(&mut square);
                words.copy_from_slice(&square[..words.len()]);
            }
        }
    }
}

/// Bit i of word e becomes bit e of word i, by exchanging ever smaller squares (Warren 2012, section 7-3).
fn transpose(words: &mut [u32; 32]) {
    let (mut half, mut mask) = (16, 0x0000_FFFF);
    while half > 0 {
        for k in (0..32).filter(|k| k & half == 0) {
            let differ = ((words[k] >> half) ^ words[k + half]) & mask;
            words[k] ^= differ << half;
            words[k + half] ^= differ;
        }
        half /= 2;
        mask ^= mask << half;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::tasks::{Sampler, SparseParity};

    #[test]
    fn drawn_bits_are_the_packed_examples() {
        for (m, noise, size) in [(0, 0.0, 32), (0, 0.3, 75), (7, 0.2, 40), (100, 0.0, 96)] {
            for n in [5, 31, 32, 70] {
                let task = SparseParity { n, m, noise, ..Default::default() };
                let mut spec = RunSpec { task: Task::SparseParity(task.clone()), ..Default::default() };
                (spec.run.batch, spec.run.replicas, spec.run.seed) = (size, 3, 9);
                let batches = Batches::new(&spec);
                let mut words = vec![];
                for step in 0..4 {
                    let (mut batch, mut expected) = (Batch::default(), vec![]);
                    task.sample(9, 2, step, size, &mut batch);
                    pack(&batch, n, &mut expected);
                    batches.draw(2, step, &mut words);
                    // What lies beyond the batch counts for nothing.
                    let last = if size % 32 == 0 { u32::MAX } else { (1 << (size % 32)) - 1 };
                    let tail = words.len() - (n + 1);
                    words[tail..].iter_mut().for_each(|word| *word &= last);
                    assert_eq!(words, expected, "n = {n}, m = {m}");
                }
            }
        }
    }
}
