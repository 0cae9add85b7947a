//! The smallest perturbation that the first network's search has found, from which the page makes charts.

use vivarium_model::models::circuit_network::found;
use vivarium_model::protocol::Finding;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Form;
use vivarium_view::probing::{AtOnce, Probe, ProbeSpec};

/// The perturbation δ of all parameters, one number for each; no number before the first step.
pub const PERTURBATION: Probe = Probe { name: "circuit-perturbation", applies };

/// The probe.
pub const SPEC: ProbeSpec = ProbeSpec {
    probe: PERTURBATION,
    job: |_| {
        Some(Box::new(AtOnce(|network| {
            let delta = found(&network.weights).map_or(vec![], |(delta, _)| delta);
            let numbers = delta.into_iter().map(|delta| delta as f32).collect();
            Some(Finding::of(PERTURBATION.id()).with_numbers(numbers))
        })))
    },
};

fn applies(spec: &RunSpec) -> Result<(), String> {
    match spec.task.examples().form() == Form::Circuit {
        true => Ok(()),
        false => Err(Form::Circuit.only().into()),
    }
}
