//! The sizes of a run, from its settings alone: what is held against the [limits](crate::bounds) before anything is built.

use super::{LearnerChoice, RunSpec};
use crate::bounds::{MOST_HELD_OUT, MOST_NUMBERS, product};
use crate::models::{Parameter, crowded};
use crate::settings::Problem;

/// Numbers that a run holds, by what they are. Of a run that is yet to be refused they may be more than any machine
/// could hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Weights of all replicas: the sum of `replicas · rows · columns` over the parameters.
    pub weights: u64,
    /// Inputs, or scores of the classes, of one step: `replicas · batch · max(columns, classes)`.
    pub data: u64,
    /// Finite samples: `replicas · examples · columns`.
    pub samples: u64,
    /// Held-out examples: `examples · columns`.
    pub held_out: u64,
    /// The same where each replica has its own, else none.
    pub splits: u64,
    /// The largest tensor between inputs and outputs where a step is made by autodiff: `replicas · batch ·
    /// activations`. Loops and kernels go through a step in parts.
    pub activations: u64,
}

impl RunSpec {
    /// The sizes of this run, of which the [task](crate::tasks::Sampler::problems) has no problem.
    pub fn sizes(&self) -> Sizes {
        let sampler = self.task.sampler();
        let (inputs, columns) = (sampler.inputs(), sampler.columns());
        let (batch, replicas, held_out) = (self.batch(), self.run.replicas, self.held_out());
        let activations = self.architecture().activations(inputs);
        Sizes {
            weights: self.parameters().iter().map(Parameter::numbers).fold(0, u64::saturating_add),
            data: product([replicas, batch, columns.max(sampler.classes().unwrap_or(1))]),
            samples: product([replicas, sampler.sample_size().unwrap_or(0), columns]),
            held_out: product([held_out, columns]),
            splits: if sampler.splits() { product([replicas, held_out, columns]) } else { 0 },
            activations: product([replicas as u64, batch as u64, activations]),
        }
    }

    /// What model, examples and replicas are too large for together.
    pub(super) fn problems_of_size(&self) -> Vec<Problem> {
        let sampler = self.task.sampler();
        let (inputs, sizes) = (sampler.inputs(), self.sizes());
        let mut problems = vec![];
        if self.run.learner == LearnerChoice::Autodiff {
            let activations = self.architecture().activations(inputs);
            problems.extend(crowded(activations, self.batch(), self.run.replicas));
        }
        if sizes.held_out > MOST_HELD_OUT {
            let expected =
                tr!("at most {most} for n = {n}", most = MOST_HELD_OUT / inputs as u64, n = inputs);
            problems.push(Problem::new("held", &self.run.held_out.to_string(), expected));
        }
        let together = [sizes.weights, sizes.data, sizes.samples, sizes.splits];
        if together.into_iter().any(|numbers| numbers > MOST_NUMBERS) {
            problems.push(Problem::new(
                "replicas",
                &self.run.replicas.to_string(),
                tr!("fewer networks of this size: together they would not fit into a browser's memory"),
            ));
        }
        problems
    }
}
