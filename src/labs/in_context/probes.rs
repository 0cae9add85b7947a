//! What is measured of networks on prompts of points: R² by number of examples.

#[cfg(test)]
mod tests;

use super::curve::{Curve, Errors};
use super::weights::{forward, is_on_points, network};
use crate::functions::FunctionPrompts;
use crate::models::in_context_transformer::Plain;
use crate::probing::{Job, Probe, ProbeSpec, Probed};
use crate::protocol::Finding;

/// R² after each number of examples, from none to one fewer than the longest held-out prompt has points, over held-out
/// prompts, and the ends of an interval of 90 % for it: `[3, points]`.
///
/// Its few numbers are R² at the last point of a prompt as in training, and half-way there. Its counts are points and
/// prompts.
pub const EXAMPLES: Probe = Probe { name: "in-context-examples", applies: is_on_points };

/// The probe with what measures it.
pub const SPEC: ProbeSpec =
    ProbeSpec { probe: EXAMPLES, job: |network| Some(Box::new(ByExamples::new(network)?)) };

/// Operations between two looks at the clock.
const PORTION: f64 = 4e6;
/// Operations of a whole measurement, unless that is too few prompts.
const MOST_OPERATIONS: f64 = 2.5e8;
/// Prompts of a measurement at least and at most.
const PROMPTS: (usize, usize) = (32, 512);

/// The measurement on its way.
struct ByExamples {
    prompts: FunctionPrompts,
    plain: Plain,
    errors: Errors,
    /// Prompts to be read, and how many between two looks at the clock.
    count: usize,
    portion: usize,
}

impl ByExamples {
    fn new(of: &Probed) -> Option<Self> {
        let (spec, network) = (&of.spec, network(&of.spec)?);
        let (prompts, flops) = (network.prompts.clone(), forward(spec, network.prompts.longest()));
        let count =
            ((MOST_OPERATIONS / flops) as usize).clamp(PROMPTS.0, PROMPTS.1).min(spec.held_out().max(1));
        Some(ByExamples {
            plain: network.plain(&of.slices()),
            errors: Errors::new(prompts.longest()),
            prompts,
            count,
            portion: ((PORTION / flops) as usize).max(1),
        })
    }
}

impl Job for ByExamples {
    fn poll(&mut self, network: &Probed) -> Option<Finding> {
        let (seed, longest) = (network.spec.run.seed, self.prompts.longest());
        let begin = self.errors.prompts();
        let mut rows = vec![];
        self.prompts.held_out(seed, longest, begin..(begin + self.portion).min(self.count), &mut rows);
        for row in rows.chunks(self.prompts.columns_of(longest)) {
            let labels = self.prompts.parts(row).1;
            let outputs = self.plain.outputs(row);
            self.errors.add(outputs.iter().zip(labels).map(|(output, y)| (output - f64::from(*y)).powi(2)));
        }
        (self.errors.prompts() >= self.count).then(|| {
            // The sampler keeps it: it takes a thousand prompts.
            let kept = network.spec.task.sampler().label_variance(seed);
            let curve = self.errors.curve(kept.unwrap_or_else(|| self.prompts.label_variance(seed)));
            let last = self.prompts.points - 1;
            Finding::of(EXAMPLES.id())
                .with_few([last, last / 2].map(|at| f64::from(curve.middle[at])))
                .with_counts([longest, self.count])
                .with_numbers(curve.numbers())
        })
    }
}

/// The curve that was found.
pub fn found(finding: &Finding) -> Option<Curve> {
    Curve::of_numbers(&finding.numbers, *finding.counts.first()?)
}
