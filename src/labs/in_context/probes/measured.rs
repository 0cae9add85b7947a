//! R² of a network by number of examples, measured in parts: by the worker on the held-out prompts, and by the page on
//! prompts whose inputs are multiplied by a number of a person's choice.

use crate::in_context::probes::curve::{Curve, Errors};
use crate::in_context::weights::forward;
use vivarium_model::models::in_context_transformer::Plain;
use vivarium_model::run::RunSpec;
use vivarium_science::functions::{FunctionPrompts, population_variance};

/// Operations of a whole measurement, unless that is too few prompts.
const MOST_OPERATIONS: f64 = 2.5e8;
/// Prompts of a measurement at least and at most.
const PROMPTS: (usize, usize) = (32, 512);

/// The measurement on its way.
#[derive(Clone)]
pub struct Measurement {
    prompts: FunctionPrompts,
    seed: u64,
    network: Plain,
    errors: Errors,
    /// The variance of the labels within a prompt, summed over prompts.
    variance: f64,
    /// Prompts to be read.
    count: usize,
    /// Operations, roughly, of one of them.
    each: f64,
}

impl Measurement {
    /// Of the network of a run, on its held-out prompts or on others of the same kind.
    pub fn new(spec: &RunSpec, prompts: FunctionPrompts, network: Plain) -> Self {
        let each = forward(spec, prompts.max_points());
        let count =
            ((MOST_OPERATIONS / each) as usize).clamp(PROMPTS.0, PROMPTS.1).min(spec.held_out().max(1));
        let errors = Errors::new(prompts.max_points());
        Measurement { prompts, seed: spec.run.seed, network, errors, variance: 0.0, count, each }
    }

    /// Goes on by about so many operations; whether all prompts have been read.
    pub fn advance(&mut self, operations: f64) -> bool {
        let (longest, begin) = (self.prompts.max_points(), self.errors.prompts());
        let portion = ((operations / self.each) as usize).max(1);
        let mut rows = vec![];
        self.prompts.append_held_out_prompts(
            self.seed,
            longest,
            begin..begin.saturating_add(portion).min(self.count),
            &mut rows,
        );
        for row in rows.chunks(self.prompts.row_len_for(longest)) {
            let labels = self.prompts.split_row(row).1;
            let outputs = self.network.outputs(row);
            self.errors.add(outputs.iter().zip(labels).map(|(output, y)| (output - f64::from(*y)).powi(2)));
            self.variance += population_variance(&labels[..self.prompts.points]);
        }
        self.errors.prompts() >= self.count
    }

    /// Points of a prompt, and prompts to be read.
    pub fn counts(&self) -> [usize; 2] {
        [self.prompts.max_points(), self.count]
    }

    /// The curve, relative to this variance of the labels.
    pub fn curve(&self, variance: f64) -> Curve {
        self.errors.curve(variance)
    }

    /// The curve, relative to the variance of the labels of the prompts that were read.
    pub fn own_curve(&self) -> Curve {
        // Nothing is divided by 0 where all labels are equal.
        self.curve((self.variance / self.errors.prompts().max(1) as f64).max(1e-12))
    }
}
