//! The probe of the smallest perturbation that the first network's search has found.

use vivarium_model::models::circuit_network::found;
use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{ExampleForm, TaskData};
use vivarium_view::probing::{Probe, ProbeSpec, SinglePassMeasurement};

/// Probe of the smallest perturbation δ of the first replica's parameters, among those found so far, that changes the
/// network's answer: one number for each parameter; empty before the first step of the search.
pub const PERTURBATION: Probe = Probe { name: "circuit-perturbation", applies };

/// The probe [`PERTURBATION`] with the function that measures it.
pub const SPEC: ProbeSpec = ProbeSpec::new(PERTURBATION, |_| {
    Some(Box::new(SinglePassMeasurement(|network| {
        let delta = found(&network.weights).map_or(vec![], |(delta, _)| delta);
        let numbers = delta.into_iter().map(|delta| delta as f32).collect();
        Some(ProbeResult::new(PERTURBATION.id()).with_numbers(numbers))
    })))
});

/// `Ok` if the task is a Boolean circuit, so that the probe [`PERTURBATION`] can be measured; otherwise the reason why
/// not.
fn applies(spec: &RunSpec) -> Result<(), String> {
    match spec.task.data() {
        TaskData::Circuit(_) => Ok(()),
        _ => Err(ExampleForm::Circuit.unavailable_reason().into()),
    }
}
