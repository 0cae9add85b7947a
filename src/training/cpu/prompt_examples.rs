//! What networks on prompts train on and are measured by, on the processor, whether they are trained or executed.

use std::ops::Range;

use super::network::Shard;
use crate::session::learner::MEASURE_SAMPLE;
use crate::session::prompt_rows::PromptRows;
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Batch;

/// The prompts of a run.
pub struct PromptExamples {
    spec: RunSpec,
    /// Where labels stand, and which of them count.
    rows: PromptRows,
    /// The variance of a label.
    variance: f64,
    /// The batch that was drawn last.
    pub batch: Batch,
    /// Of which replica and step that is.
    drawn: Option<(usize, u64)>,
    /// The finite sample of each replica, where the task has one.
    samples: Vec<Batch>,
    held_out: Batch,
}

impl PromptExamples {
    /// The prompts of a run; of finite samples the first `most`.
    ///
    /// # Errors
    /// A sentence that says that the task is not one on prompts.
    pub fn of(spec: &RunSpec, most: usize) -> Result<Self, String> {
        let sampler = spec.task.sampler();
        let rows = PromptRows::of(spec.task.examples());
        let (Some(rows), Some(variance)) = (rows, sampler.label_variance(spec.run.seed)) else {
            return Err(format!("its task is {}", spec.task.info().name));
        };
        Ok(PromptExamples {
            rows,
            variance,
            batch: Batch::default(),
            drawn: None,
            samples: spec.training_sets(most),
            held_out: Batch::default(),
            spec: spec.clone(),
        })
    }

    /// Draws the training batch of `step` in replica number `number`; samples have to be whole.
    pub fn draw(&mut self, number: usize, step: u64) {
        self.batch.clear();
        self.spec.append_batch(&self.samples, number, step, &mut self.batch);
        self.drawn = Some((number, step));
    }

    /// Draws what belongs to a shard of the training batch of `step` in replica number `number`: the shard alone where the
    /// task can, otherwise the whole batch, unless that was drawn last. Which prompts of [`PromptExamples::batch`] are the
    /// shard's.
    pub fn draw_shard(&mut self, number: usize, step: u64, shard: Shard) -> Range<usize> {
        let (size, seed) = (self.spec.batch_size(), self.spec.run.seed);
        let range = shard.range(size);
        if self.drawn == Some((number, step)) {
            return range;
        }
        if self.samples.is_empty() {
            self.drawn = None;
            self.batch.clear();
            let sampler = self.spec.task.sampler();
            if sampler.sample_range(seed, number as u32, step, range.clone(), &mut self.batch) {
                return 0..range.len();
            }
        }
        self.draw(number, step);
        range
    }

    /// Draws held-out prompts up to so many.
    pub fn prepare(&mut self, held_out: usize) {
        let have = self.held_out.len();
        if have < held_out {
            let sampler = self.spec.task.sampler();
            sampler.append_held_out(self.spec.run.seed, have, held_out - have, &mut self.held_out);
        }
    }

    /// Appends the measurements of replica number `number` before training step `step`: mean squared errors on what it
    /// trains on and on `held_out` prompts, relative to the variance of a label, and the shares of it that are explained.
    /// Of held-out prompts the labels count by which a network is [judged](PromptRows::judged).
    ///
    /// `outputs` appends what the network makes of prompts `[prompts, columns]`; it is asked about `together` of them at
    /// once.
    pub fn measure(
        &mut self,
        (number, step, held_out): (usize, u64, usize),
        row: &mut Measurement,
        together: usize,
        mut outputs: impl FnMut(&[f32], &mut Vec<f32>),
    ) {
        if self.samples.is_empty() {
            self.draw(number, step);
        }
        let PromptRows { columns, labels, judged } = self.rows;
        let mut found = vec![];
        let mut error = |rows: &[f32], judged: usize| {
            let (mut sum, mut count) = (0.0, 0);
            for rows in rows.chunks(together.saturating_mul(columns)) {
                found.clear();
                outputs(rows, &mut found);
                for (row, found) in rows.chunks_exact(columns).zip(found.chunks_exact(labels)) {
                    let pairs = row[columns - judged..].iter().zip(&found[labels - judged..]);
                    sum += pairs.map(|(y, f)| f64::from(f - y).powi(2)).sum::<f64>();
                    count += judged;
                }
            }
            (sum / count.max(1) as f64 / self.variance) as f32
        };
        let train = match self.samples.get(number) {
            Some(sample) => error(&sample.x[..sample.x.len().min(MEASURE_SAMPLE * columns)], labels),
            None => error(&self.batch.x, labels),
        };
        let test = error(&self.held_out.x[..held_out * columns], judged);
        row.train_loss.push(train);
        row.train_accuracy.push(1.0 - train);
        row.test_loss.push(test);
        row.test_accuracy.push(1.0 - test);
    }
}
