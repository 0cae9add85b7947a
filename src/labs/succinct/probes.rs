//! Probe of all parameters of the first network: the table and the cells, or the state of the search.

use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{ExampleForm, TaskData};
use vivarium_view::probing::{AllParameters, Probe, ProbeSpec};

/// Parameters of the first replica (table and cells of a program, or state of a search), one tensor after another.
pub const MEMORY: Probe = Probe { name: "succinct-memory", applies };

/// Definition of the probe [`MEMORY`]: its name, and the measurement that reads all parameters.
pub const SPEC: ProbeSpec = ProbeSpec::new(MEMORY, |_| Some(Box::new(AllParameters(MEMORY.id()))));

/// Returns an error message unless the run's task is a learning problem for a network that contains a learning
/// algorithm.
pub(super) fn applies(spec: &RunSpec) -> Result<(), String> {
    match spec.task.data() {
        TaskData::Program(_) => Ok(()),
        _ => Err(ExampleForm::Program.unavailable_reason().into()),
    }
}
