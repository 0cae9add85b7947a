//! The step that the first transformer is at: all that the page needs to know of a run, since it follows from the settings
//! what the tokens are.

use vivarium_model::models::machine_transformer::STEP;
use vivarium_model::protocol::Finding;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Form;
use vivarium_view::probing::{AtOnce, Probe, ProbeSpec, Probed};

/// The number of steps that the first replica has made.
pub const AT_STEP: Probe = Probe { name: "machine-step", applies };

/// The probe.
pub const SPEC: ProbeSpec = ProbeSpec { probe: AT_STEP, job: |_| Some(Box::new(AtOnce(found))) };

fn applies(spec: &RunSpec) -> Result<(), String> {
    match spec.task.examples().form() == Form::Steps {
        true => Ok(()),
        false => Err(Form::Steps.only().into()),
    }
}

fn found(network: &Probed) -> Option<Finding> {
    let step = network.weights.get(STEP)?.clone();
    Some(Finding::of(AT_STEP.id()).with_numbers(step))
}
