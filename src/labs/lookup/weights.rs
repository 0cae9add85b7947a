//! The parameters of the first network, with which the page answers prompts itself.

use crate::bounds::{MOST_DRAWN, SLICE};
use crate::models::Parameter;
use crate::probing::{AtOnce, Probe, ProbeSpec, Probed};
use crate::protocol::Finding;
use crate::run::RunSpec;
use crate::tasks::Form;

/// All parameters of a network on prompts, one after the other in their permanent order, where the page [can compute with
/// them](is_small).
pub const PARAMETERS: Probe = Probe { name: "lookup-parameters", applies };

/// The probe.
pub const SPEC: ProbeSpec = ProbeSpec { probe: PARAMETERS, job: |_| Some(Box::new(AtOnce(parameters))) };

fn applies(spec: &RunSpec) -> Result<(), String> {
    let examples = spec.task.examples();
    if examples.form() != Form::Prompt {
        return Err(Form::Prompt.only().into());
    }
    match is_small(spec) {
        true => Ok(()),
        false => Err(tr!("This network is too large to be looked into on the page.").into()),
    }
}

/// Whether a page can hold the parameters of one network, and answers a prompt in no time.
pub fn is_small(spec: &RunSpec) -> bool {
    let (architecture, inputs) = (spec.architecture(), spec.task.examples().inputs());
    let numbers =
        architecture.parameters(inputs, 1).iter().map(Parameter::numbers).fold(0, u64::saturating_add);
    // A step goes forward and twice as far back.
    numbers <= MOST_DRAWN && architecture.step_flops(inputs, 1) / 3.0 <= SLICE as f64
}

fn parameters(network: &Probed) -> Option<Finding> {
    Some(Finding::of(PARAMETERS.id()).with_numbers(network.weights.concat()))
}
