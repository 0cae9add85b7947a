//! Training examples of a run, drawn from fixed training sets in memory or freshly.

use super::RunSpec;
use crate::tasks::Batch;

impl RunSpec {
    /// Fixed training set of each replica, at most its first `max_examples` examples; empty if the task draws fresh
    /// examples.
    pub fn training_sets(&self, max_examples: usize) -> Vec<Batch> {
        let sampler = self.task.sampler();
        let Some(size) = sampler.training_set_size() else { return vec![] };
        let sample = |replica: u32| {
            let mut batch = Batch::default();
            sampler.append_training_set(self.run.seed, replica, 0, size.min(max_examples), &mut batch);
            batch
        };
        (0..self.run.replicas as u32).map(sample).collect()
    }

    /// Appends the training batch of step `step` in replica `replica` to `out`: from `training_sets`, the result of
    /// [`RunSpec::training_sets`] without a limit, or freshly drawn if `training_sets` is empty.
    pub fn append_batch(&self, training_sets: &[Batch], replica: usize, step: u64, out: &mut Batch) {
        let (sampler, seed, size) = (self.task.sampler(), self.run.seed, self.batch_size());
        match training_sets.get(replica) {
            None => sampler.sample(seed, replica as u32, step, size, out),
            Some(sample) => {
                out.append_rows(
                    sample,
                    sampler.columns(),
                    sampler.batch_indices(seed, replica as u32, step, size),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::permalink::decode;
    use crate::tasks::Batch;

    #[test]
    fn kept_samples_give_the_batches_that_the_task_draws() {
        for link in [
            "#v1/sparse-token-regression?m=40&noise=0.5&replicas=3&batch=7",
            "#v1/sparse-token-regression?replicas=2&batch=5",
            "#v1/teacher-student?n=9&m=20&replicas=2&batch=8",
        ] {
            let (link, notices) = decode(link);
            assert!(notices.is_empty(), "{notices:?}");
            let spec = link.spec;
            let samples = spec.training_sets(usize::MAX);
            let sampler = spec.task.sampler();
            assert_eq!(samples.len(), sampler.training_set_size().map_or(0, |_| spec.run.replicas));
            for replica in 0..spec.run.replicas {
                let (mut kept, mut drawn) = (Batch::default(), Batch::default());
                spec.append_batch(&samples, replica, 4, &mut kept);
                sampler.sample(spec.run.seed, replica as u32, 4, spec.batch_size(), &mut drawn);
                assert_eq!(kept, drawn);
            }
            for (first, whole) in spec.training_sets(6).iter().zip(&samples) {
                assert_eq!((first.len(), &first.x[..]), (6, &whole.x[..6 * sampler.columns()]));
            }
        }
    }
}
