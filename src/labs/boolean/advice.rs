//! Settings that cannot learn, and why.

use crate::advice::too_few;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Examples, Task};

/// Why these settings can hardly learn, as a sentence.
pub fn cannot_learn(spec: &RunSpec) -> Vec<String> {
    let Task::SparseBoolean(task) = &spec.task else { return vec![] };
    let drawn = spec.run.steps.saturating_mul(spec.batch() as u64);
    let labels = task.sample_size().map_or(drawn, |size| size as u64);
    too_few((task.n, task.bits()), labels).into_iter().collect()
}
