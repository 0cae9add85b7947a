//! How the labels of a prompt lie in its row, and which of them a network is judged by: the same for every learner.

use vivarium_model::tasks::{Examples, TaskData};

/// A row of the batch that is a prompt: its last numbers are the labels of its positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptRows {
    /// Numbers of a row.
    pub columns: usize,
    /// Labels of a row, all of which are trained on.
    pub labels: usize,
    /// Labels of a held-out row that are measured, the last ones.
    pub judged: usize,
}

impl PromptRows {
    /// Those of a task on prompts; of any other there are none.
    ///
    /// # Why
    /// Where a prompt is points of a function, a network is judged by its last point, before which it has seen all the
    /// others; what it makes of the first points nobody could know.
    pub fn of(examples: &dyn Examples) -> Option<Self> {
        let (columns, labels, judged) = match examples.data() {
            TaskData::Prompts(prompts) => (prompts.row_len(), prompts.length, prompts.length),
            TaskData::Points(prompts) => (prompts.row_len(), prompts.points, 1),
            _ => return None,
        };
        Some(PromptRows { columns, labels, judged })
    }
}
