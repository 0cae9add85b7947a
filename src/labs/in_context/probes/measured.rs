//! R² of a network by number of examples, measured in slices: by the worker on the held-out prompts, and by the page on
//! prompts whose inputs are multiplied by a factor that the user chooses.

use crate::in_context::probes::curve::{R2Curve, SquaredErrors};
use crate::in_context::weights::forward_operations;
use vivarium_model::models::in_context_transformer::Plain;
use vivarium_model::run::RunSpec;
use vivarium_science::functions::{FunctionPrompts, population_variance};

/// Approximate maximum number of operations of one measurement of a network's R²; it sets the number of held-out
/// prompts, within [`PROMPT_COUNT_RANGE`].
const MAX_OPERATIONS: f64 = 2.5e8;
/// Minimum and maximum number of held-out prompts of one measurement of a network's R², if the run has so many.
const PROMPT_COUNT_RANGE: (usize, usize) = (32, 512);

/// Measurement, in slices, of a network's R² on held-out prompts by number of examples, in progress or finished.
#[derive(Clone)]
pub struct R2Measurement {
    /// Distribution of the held-out prompts on which R² is measured.
    prompts: FunctionPrompts,
    /// Seed of the run, from which its held-out prompts are drawn.
    seed: u64,
    /// The network whose R² is measured, with the parameters at the start of the measurement.
    network: Plain,
    /// Squared errors of the network on the prompts evaluated so far.
    errors: SquaredErrors,
    /// The variance of the labels within a prompt, over as many points as a training prompt has, summed over the
    /// prompts evaluated so far.
    label_variance_sum: f64,
    /// Number of held-out prompts to be evaluated in the whole measurement.
    prompt_count: usize,
    /// Approximate number of operations of the network's forward pass on one prompt.
    operations_per_prompt: f64,
}

impl R2Measurement {
    /// Starts the measurement of the R² of `network`, with the settings of a run, on held-out prompts of the
    /// distribution `prompts`: that of the run, or one with scaled inputs.
    pub fn new(spec: &RunSpec, prompts: FunctionPrompts, network: Plain) -> Self {
        let each = forward_operations(spec, prompts.max_points());
        let count = ((MAX_OPERATIONS / each) as usize)
            .clamp(PROMPT_COUNT_RANGE.0, PROMPT_COUNT_RANGE.1)
            .min(spec.held_out_count().max(1));
        let errors = SquaredErrors::new(prompts.max_points());
        R2Measurement {
            prompts,
            seed: spec.run.seed,
            network,
            errors,
            label_variance_sum: 0.0,
            prompt_count: count,
            operations_per_prompt: each,
        }
    }

    /// Evaluates further prompts by about this many operations, at least one prompt; true when all prompts have been
    /// evaluated.
    pub fn advance(&mut self, operations: f64) -> bool {
        let (longest, begin) = (self.prompts.max_points(), self.errors.prompt_count());
        let portion = ((operations / self.operations_per_prompt) as usize).max(1);
        let mut rows = vec![];
        self.prompts.append_held_out_prompts(
            self.seed,
            longest,
            begin..begin.saturating_add(portion).min(self.prompt_count),
            &mut rows,
        );
        for row in rows.chunks(self.prompts.row_len_for(longest)) {
            let labels = self.prompts.split_row(row).1;
            let outputs = self.network.outputs(row);
            self.errors
                .add_prompt(outputs.iter().zip(labels).map(|(output, y)| (output - f64::from(*y)).powi(2)));
            self.label_variance_sum += population_variance(&labels[..self.prompts.points]);
        }
        self.errors.prompt_count() >= self.prompt_count
    }

    /// The number of points of the longest held-out prompt, and the number of prompts to be evaluated in total.
    pub fn point_and_prompt_counts(&self) -> [usize; 2] {
        [self.prompts.max_points(), self.prompt_count]
    }

    /// The curve of R² by number of examples on the prompts evaluated so far: 1 − mean squared error / `variance`,
    /// where `variance` is that of the labels.
    pub fn r2_curve(&self, variance: f64) -> R2Curve {
        self.errors.to_r2_curve(variance)
    }

    /// The curve of R² by number of examples on the prompts evaluated so far, relative to the variance of the labels
    /// within a prompt, averaged over these prompts.
    pub fn r2_curve_of_read_prompts(&self) -> R2Curve {
        // Avoids a division by 0 if all labels are equal.
        self.r2_curve((self.label_variance_sum / self.errors.prompt_count().max(1) as f64).max(1e-12))
    }
}
