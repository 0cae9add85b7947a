//! What cannot be in one run, whatever its sweep.

use super::{MODEL_KEY, OPTIMIZER_KEY, RunSpec};
use crate::models::{Family, Model};
use crate::optim::loss::Loss;
use vivarium_core::settings::Problem;

impl RunSpec {
    /// What cannot be in this combination of settings, those of a sweep left out.
    pub(super) fn problems_alone(&self) -> Vec<Problem> {
        self.problems_and(Vec::new)
    }

    /// The same with those that `more` finds, which is asked only about a task that can be.
    pub(super) fn problems_and(&self, more: impl FnOnce() -> Vec<Problem>) -> Vec<Problem> {
        let examples = self.task.examples();
        let mut problems = examples.problems();
        if !problems.is_empty() {
            // Sizes of what cannot be are no sizes.
            return problems;
        }
        problems.extend(self.suits());
        if self.run.batch == 0 && examples.sample_size().is_none() {
            let expected = tr!(
                "at least 1, because a batch of 0 means the fixed training sample, but this run draws new examples at every step"
            );
            problems.push(Problem::new("batch", "0", expected));
        }
        let mut sizes = self.architecture().problems(examples.inputs(), self.batch(), self.run.replicas);
        sizes.extend(self.problems_of_size());
        // Only for what has room are initial weights constructed.
        let constructions =
            if sizes.is_empty() { self.model.config().construction_problems(&self.task) } else { vec![] };
        problems.extend(sizes);
        problems.extend(constructions);
        problems.extend(more());
        problems
    }

    /// What cannot be where the layers of a transformer are plain gradient descent on all examples.
    fn problems_of_descent(&self) -> Vec<Problem> {
        let mut problems = vec![];
        let mut want = |key: &str, wanted: &str, expected: &str| {
            if let Some(value) = self.value(key).filter(|value| value.to_string() != wanted) {
                problems.push(Problem::new(key, &value.to_string(), expected));
            }
        };
        want(OPTIMIZER_KEY, "sgd", tr!("sgd, because a step of the transformer is plain gradient descent"));
        want("mom", "0", tr!("0, because a step of the transformer is plain gradient descent"));
        want("wd", "0", tr!("0, because a step of the transformer is plain gradient descent"));
        want("warm", "0", tr!("0, because the transformer is built for one learning rate"));
        want("cool", "none", tr!("none, because the transformer is built for one learning rate"));
        want(
            "loss",
            Loss::Square.slug(),
            tr!("square, because the transformer computes the gradient of the squared error"),
        );
        want(
            "batch",
            "0",
            tr!("0, which means all examples, because every step uses all examples of the prompt"),
        );
        problems
    }

    /// What is wrong with model and loss for this task.
    fn suits(&self) -> Vec<Problem> {
        let mut problems = vec![];
        if !self.model.suits(&self.task) {
            let suit = |entry: &&vivarium_core::catalog::Entry| Model::suit(entry.info.slug, &self.task);
            let slugs: Vec<_> = Model::ENTRIES.iter().filter(suit).map(|e| e.info.slug).collect();
            let expected = tr!("one of {slugs} for this task", slugs = slugs.join(", "));
            problems.push(Problem::new(MODEL_KEY, self.model.info().slug, expected));
        }
        if self.task.examples().classes().is_some() && self.run.loss != Loss::CrossEntropy {
            let expected = tr!("ce, since the labels are classes");
            problems.push(Problem::new("loss", self.run.loss.slug(), expected));
        }
        if self.run.smoothing > 0.0 && self.run.loss != Loss::CrossEntropy {
            let expected = tr!("0, because labels can be smoothed only with the cross-entropy loss");
            problems.push(Problem::new("ls", &vivarium_core::settings::real(self.run.smoothing), expected));
        }
        if matches!(self.model.config().family(), Some(Family::Descent(_))) {
            problems.extend(self.problems_of_descent());
        }
        let examples = self.task.examples();
        let is_on_prompts = examples.prompts().is_some() || examples.function_prompts().is_some();
        if is_on_prompts && self.run.loss != Loss::Square {
            let expected = tr!("square, since the labels are real numbers");
            problems.push(Problem::new("loss", self.run.loss.slug(), expected));
        }
        problems
    }
}
