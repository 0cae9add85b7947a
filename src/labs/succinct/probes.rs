//! All parameters of the first network: the table and the cells, or what the search knows.

use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Form;
use vivarium_view::probing::{AllParameters, Probe, ProbeSpec};

/// The parameters of the first replica, one after the other.
pub const MEMORY: Probe = Probe { name: "succinct-memory", applies };

/// The probe.
pub const SPEC: ProbeSpec = ProbeSpec { probe: MEMORY, job: |_| Some(Box::new(AllParameters(MEMORY.id()))) };

pub(super) fn applies(spec: &RunSpec) -> Result<(), String> {
    match spec.task.examples().form() == Form::Program {
        true => Ok(()),
        false => Err(Form::Program.only().into()),
    }
}
