//! What is measured of networks on prompts of points: R² by number of examples.

pub mod curve;
pub mod example;
pub mod measured;
#[cfg(test)]
mod tests;

use super::weights::{is_on_points, network};
use curve::Curve;
use measured::Measurement;
use vivarium_model::protocol::Finding;
use vivarium_view::probing::{Job, Probe, ProbeSpec, Probed};

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

/// The measurement on its way.
struct ByExamples(Measurement);

impl ByExamples {
    fn new(of: &Probed) -> Option<Self> {
        let network = network(&of.spec)?;
        Some(ByExamples(Measurement::new(&of.spec, network.prompts.clone(), network.plain(&of.slices()))))
    }
}

impl Job for ByExamples {
    fn poll(&mut self, network: &Probed) -> Option<Finding> {
        self.0.advance(PORTION).then(|| {
            let prompts = network.spec.task.examples().function_prompts().unwrap_or_default();
            // The sampler keeps it: it takes a thousand prompts.
            let kept = network.spec.task.sampler().label_variance(network.spec.run.seed);
            let curve = kept.map_or_else(|| self.0.own_curve(), |variance| self.0.curve(variance));
            let last = prompts.points - 1;
            Finding::of(EXAMPLES.id())
                .with_few([last, last / 2].map(|at| f64::from(curve.middle[at])))
                .with_counts(self.0.counts())
                .with_numbers(curve.numbers())
        })
    }
}

/// The curve that was found.
pub fn found(finding: &Finding) -> Option<Curve> {
    Curve::of_numbers(&finding.numbers, *finding.counts.first()?)
}
