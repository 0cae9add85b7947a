//! The parameters of the first network, with which the page answers prompts itself.

pub mod scores;
pub mod span;

use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Form;
use vivarium_view::probing::{AllParameters, Probe, ProbeSpec};

/// All parameters of a network on prompts, one after the other in their permanent order, where the page [can compute with
/// them](is_small).
pub const PARAMETERS: Probe = Probe { name: "lookup-parameters", applies };

/// The probe.
pub const SPEC: ProbeSpec =
    ProbeSpec { probe: PARAMETERS, job: |_| Some(Box::new(AllParameters(PARAMETERS.id()))) };

fn applies(spec: &RunSpec) -> Result<(), String> {
    let examples = spec.task.examples();
    if examples.form() != Form::Prompt {
        return Err(Form::Prompt.only().into());
    }
    is_small(spec)
}

/// Whether a page can hold the parameters of one network, and answers a prompt in no time.
///
/// # Errors
/// A sentence that says that the network is too large.
pub fn is_small(spec: &RunSpec) -> Result<(), String> {
    // A step goes forward and twice as far back.
    spec.is_small(spec.architecture().step_flops(spec.task.examples().inputs(), 1) / 3.0)
}
