//! Probe of all parameters of a network on traces.

use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{ExampleForm, TaskData};
use vivarium_view::probing::{AllParameters, Probe, ProbeSpec};

/// Parameters of a network on traces of a machine, one tensor after another in the model's fixed order; with them the
/// page evaluates the network.
pub const PARAMETERS: Probe = Probe { name: "trace-parameters", applies: check_has_traces };

/// Probes of the lab on traces: only [`PARAMETERS`], all parameter tensors of the first network.
pub const PROBES: &[ProbeSpec] =
    &[ProbeSpec::new(PARAMETERS, |_| Some(Box::new(AllParameters(PARAMETERS.id()))))];

/// Returns an error message if the task's examples are not traces of a Turing machine.
fn check_has_traces(spec: &RunSpec) -> Result<(), String> {
    match spec.task.data() {
        TaskData::Traces(_) => Ok(()),
        _ => Err(ExampleForm::Trace.unavailable_reason().into()),
    }
}
