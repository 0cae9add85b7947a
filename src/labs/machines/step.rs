//! Probe of the first transformer's step, from which, together with the settings, the page computes
//! the tokens.

use vivarium_model::models::machine_transformer::STEP;
use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{ExampleForm, TaskData};
use vivarium_view::probing::{Probe, ProbeSpec, ProbedNetwork, SinglePassMeasurement};

/// Number of machine steps that the first replica has executed.
pub const CURRENT_STEP: Probe = Probe { name: "machine-step", applies };

/// Definition of the probe [`CURRENT_STEP`]: its name, and the measurement that reads the step.
pub const SPEC: ProbeSpec =
    ProbeSpec::new(CURRENT_STEP, |_| Some(Box::new(SinglePassMeasurement(read_step))));

/// Returns an error message if the run does not execute a Turing machine, so that the probe [`CURRENT_STEP`] cannot
/// run.
fn applies(spec: &RunSpec) -> Result<(), String> {
    match spec.task.data() {
        TaskData::Steps(_) => Ok(()),
        _ => Err(ExampleForm::Steps.unavailable_reason().into()),
    }
}

/// Reads the number of executed machine steps from the network's parameters.
fn read_step(network: &ProbedNetwork) -> Option<ProbeResult> {
    let step = network.weights.get(STEP)?.clone();
    Some(ProbeResult::new(CURRENT_STEP.id()).with_numbers(step))
}
