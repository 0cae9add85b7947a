//! The step that the first transformer is at: all that the page needs to know of a run, since it follows from the settings
//! what the tokens are.

use crate::models::machine_transformer::STEP;
use crate::probing::{AtOnce, Probe, ProbeSpec, Probed};
use crate::protocol::Finding;
use crate::run::RunSpec;
use crate::tasks::Form;

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
