//! Training examples of a run, with finite samples that are kept in memory once they have been drawn.

use super::RunSpec;
use crate::tasks::Batch;

impl RunSpec {
    /// The finite sample of each replica, its first `most` examples at most; nothing where the task has none.
    pub fn samples(&self, most: usize) -> Vec<Batch> {
        let sampler = self.task.sampler();
        let Some(size) = sampler.sample_size() else { return vec![] };
        let sample = |replica: u32| {
            let mut batch = Batch::default();
            sampler.finite_sample(self.run.seed, replica, 0, size.min(most), &mut batch);
            batch
        };
        (0..self.run.replicas as u32).map(sample).collect()
    }

    /// Appends the training batch of `step` in `replica` to `out`, from its sample where there are `samples`, which are all
    /// that [`RunSpec::samples`] gives.
    pub fn draw(&self, samples: &[Batch], replica: usize, step: u64, out: &mut Batch) {
        let (sampler, seed, size) = (self.task.sampler(), self.run.seed, self.batch());
        match samples.get(replica) {
            None => sampler.sample(seed, replica as u32, step, size, out),
            Some(sample) => {
                out.visit(sample, sampler.columns(), sampler.visits(seed, replica as u32, step, size));
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
            let samples = spec.samples(usize::MAX);
            let sampler = spec.task.sampler();
            assert_eq!(samples.len(), sampler.sample_size().map_or(0, |_| spec.run.replicas));
            for replica in 0..spec.run.replicas {
                let (mut kept, mut drawn) = (Batch::default(), Batch::default());
                spec.draw(&samples, replica, 4, &mut kept);
                sampler.sample(spec.run.seed, replica as u32, 4, spec.batch(), &mut drawn);
                assert_eq!(kept, drawn);
            }
            for (first, whole) in spec.samples(6).iter().zip(&samples) {
                assert_eq!((first.len(), &first.x[..]), (6, &whole.x[..6 * sampler.columns()]));
            }
        }
    }
}
