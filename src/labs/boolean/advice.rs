//! Warnings about settings with which a network cannot learn a sparse Boolean function.

use crate::advice::describe_too_few_labels;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Examples, Task};

/// Reasons why a run on a sparse Boolean function can hardly learn, one sentence each; empty for other tasks, and if
/// there are enough training labels.
pub fn cannot_learn(spec: &RunSpec) -> Vec<String> {
    let Task::SparseBoolean(task) = &spec.task else { return vec![] };
    let drawn = spec.run.steps.saturating_mul(spec.batch_size() as u64);
    let labels = task.training_set_size().map_or(drawn, |size| size as u64);
    describe_too_few_labels((task.n, task.relevant_bit_count()), labels).into_iter().collect()
}
