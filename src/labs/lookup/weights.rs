//! Probe of the first network's parameters, with which the page evaluates the network on prompts.

pub mod scores;
pub mod span;

use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{ExampleForm, TaskData};
use vivarium_view::probing::{AllParameters, Probe, ProbeSpec};

/// Parameters of the first network of a run on prompts, one tensor after another in the model's fixed order, if they
/// are [few enough](check_is_small).
pub const PARAMETERS: Probe = Probe { name: "lookup-parameters", applies };

/// Definition of the probe [`PARAMETERS`]: its name, and the measurement that reads all parameter tensors.
pub const SPEC: ProbeSpec = ProbeSpec::new(PARAMETERS, |_| Some(Box::new(AllParameters(PARAMETERS.id()))));

/// Returns an error message if the probe [`PARAMETERS`] cannot run: if the task has no prompts, or the network has too
/// many parameters.
fn applies(spec: &RunSpec) -> Result<(), String> {
    match spec.task.data() {
        TaskData::Prompts(_) => check_is_small(spec),
        _ => Err(ExampleForm::Prompt.unavailable_reason().into()),
    }
}

/// Returns an error message if one forward pass of the network on a prompt takes too many operations for the page.
///
/// # Errors
///
/// A sentence that says that the network is too large.
pub fn check_is_small(spec: &RunSpec) -> Result<(), String> {
    // A training step costs a forward pass and a backward pass, which is twice as expensive.
    spec.check_fits_page(spec.architecture().step_flops(spec.task.examples().inputs(), 1) / 3.0)
}
