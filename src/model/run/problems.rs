//! Invalid settings of one run, without its sweep.

use super::{MODEL_KEY, OPTIMIZER_KEY, RunSpec};
use crate::models::{Family, Model};
use crate::optim::loss::Loss;
use crate::tasks::TaskData;
use vivarium_core::settings::InvalidSetting;

impl RunSpec {
    /// Errors for invalid settings of this run by itself; the settings of its sweep are not checked.
    pub(super) fn invalid_settings_of_one_run(&self) -> Vec<InvalidSetting> {
        self.invalid_settings_and(Vec::new)
    }

    /// Errors for invalid settings of this run, and the errors that `more` finds; `more` is called only if the task's
    /// settings are valid.
    pub(super) fn invalid_settings_and(
        &self,
        more: impl FnOnce() -> Vec<InvalidSetting>,
    ) -> Vec<InvalidSetting> {
        let examples = self.task.examples();
        let mut errors = examples.invalid_settings();
        if !errors.is_empty() {
            // Invalid settings have no meaningful sizes.
            return errors;
        }
        errors.extend(self.invalid_model_or_loss());
        if self.run.batch == 0 && examples.training_set_size().is_none() {
            let expected = tr!(
                "at least 1, because a batch of 0 means the fixed training sample, but this run draws new examples at every step"
            );
            errors.push(InvalidSetting::new("batch", "0", expected));
        }
        let mut sizes = self.architecture().problems(examples.inputs(), self.batch_size(), self.run.replicas);
        sizes.extend(self.invalid_sizes());
        // Initial weights are constructed only if they fit into memory.
        let constructions =
            if sizes.is_empty() { self.model.config().construction_problems(&self.task) } else { vec![] };
        errors.extend(sizes);
        errors.extend(constructions);
        errors.extend(more());
        errors
    }

    /// Errors for settings that are invalid for a transformer whose layers are constructed as steps of plain gradient
    /// descent on all examples.
    fn invalid_descent_settings(&self) -> Vec<InvalidSetting> {
        let mut problems = vec![];
        let mut want = |key: &str, wanted: &str, expected: &str| {
            if let Some(value) = self.value(key).filter(|value| value.to_string() != wanted) {
                problems.push(InvalidSetting::new(key, &value.to_string(), expected));
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

    /// Errors if the model or the loss does not suit the task of this run.
    fn invalid_model_or_loss(&self) -> Vec<InvalidSetting> {
        let mut problems = vec![];
        if !self.model.suits(&self.task) {
            let suit =
                |entry: &&vivarium_core::catalog::CatalogEntry| Model::suit(entry.info.slug, &self.task);
            let slugs: Vec<_> = Model::ENTRIES.iter().filter(suit).map(|e| e.info.slug).collect();
            let expected = tr!("one of {slugs} for this task", slugs = slugs.join(", "));
            problems.push(InvalidSetting::new(MODEL_KEY, self.model.info().slug, expected));
        }
        if self.task.examples().classes().is_some() && self.run.loss != Loss::CrossEntropy {
            let expected = tr!("ce, since the labels are classes");
            problems.push(InvalidSetting::new("loss", self.run.loss.slug(), expected));
        }
        if self.run.smoothing > 0.0 && self.run.loss != Loss::CrossEntropy {
            let expected = tr!("0, because labels can be smoothed only with the cross-entropy loss");
            problems.push(InvalidSetting::new(
                "ls",
                &vivarium_core::settings::format_real(self.run.smoothing),
                expected,
            ));
        }
        if matches!(self.model.config().family(), Some(Family::Descent(_))) {
            problems.extend(self.invalid_descent_settings());
        }
        let is_on_prompts = matches!(self.task.data(), TaskData::Prompts(_) | TaskData::Points(_));
        if is_on_prompts && self.run.loss != Loss::Square {
            let expected = tr!("square, since the labels are real numbers");
            problems.push(InvalidSetting::new("loss", self.run.loss.slug(), expected));
        }
        problems
    }
}
