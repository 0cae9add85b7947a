//! The probe of networks on prompts of points: R² by number of examples.

pub mod curve;
pub mod example;
pub mod measured;
#[cfg(test)]
mod tests;

use super::weights::{points_network, require_point_prompts};
use curve::R2Curve;
use measured::R2Measurement;
use vivarium_model::protocol::ProbeResult;
use vivarium_view::probing::{Probe, ProbeMeasurement, ProbeSpec, ProbedNetwork};

/// Probe of the first replica's R² on held-out prompts after 0, 1, … examples, up to the longest held-out prompt. The
/// numbers are R² and the lower and upper ends of its 90 % interval: `[3, points]`.
///
/// The result's scalars are R² at the last point of a training prompt, which follows P − 1 examples in a prompt of P
/// points, and R² after half as many examples, rounded down. Its counts are the numbers of points and of prompts.
pub const R2_BY_EXAMPLES: Probe = Probe { name: "in-context-examples", applies: require_point_prompts };

/// The probe [`R2_BY_EXAMPLES`] with the job that measures it.
pub const SPEC: ProbeSpec =
    ProbeSpec::new(R2_BY_EXAMPLES, |network| Some(Box::new(R2ByExamplesJob::new(network)?)));

/// Approximate number of operations of one slice of the job that measures [`R2_BY_EXAMPLES`], at least one prompt.
const OPERATIONS_PER_POLL: f64 = 4e6;

/// Job that measures the probe [`R2_BY_EXAMPLES`] in slices, with the prompts evaluated so far.
struct R2ByExamplesJob(R2Measurement);

impl R2ByExamplesJob {
    /// Creates the job that measures [`R2_BY_EXAMPLES`] on the first replica; none if the network does not read prompts
    /// of points.
    fn new(probed: &ProbedNetwork) -> Option<Self> {
        let network = points_network(&probed.spec)?;
        Some(R2ByExamplesJob(R2Measurement::new(
            &probed.spec,
            network.prompts.clone(),
            network.plain(&probed.slices()),
        )))
    }
}

impl ProbeMeasurement for R2ByExamplesJob {
    fn poll(&mut self, network: &ProbedNetwork) -> Option<ProbeResult> {
        self.0.advance(OPERATIONS_PER_POLL).then(|| {
            let prompts = network.spec.task.data().function_prompts().unwrap_or_default();
            // The sampler caches the variance, which it computes from a thousand prompts.
            let kept = network.spec.task.sampler().label_variance(network.spec.run.seed);
            let curve =
                kept.map_or_else(|| self.0.r2_curve_of_read_prompts(), |variance| self.0.r2_curve(variance));
            let last = prompts.points - 1;
            ProbeResult::new(R2_BY_EXAMPLES.id())
                .with_few_numbers([last, last / 2].map(|at| f64::from(curve.mean[at])))
                .with_counts(self.0.point_and_prompt_counts())
                .with_numbers(curve.to_numbers())
        })
    }
}

/// Reads the curve of R² by number of examples from a result of the probe [`R2_BY_EXAMPLES`]; none if the lengths in
/// the result do not match.
pub fn read_curve(finding: &ProbeResult) -> Option<R2Curve> {
    R2Curve::from_numbers(&finding.numbers, *finding.counts.first()?)
}
