//! What is measured of networks on traces besides what every measurement has: all their parameters.

use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Form;
use vivarium_view::probing::{AllParameters, Probe, ProbeSpec};

/// All parameters of a network on traces, one after the other in their permanent order: the page computes with them itself.
pub const PARAMETERS: Probe = Probe { name: "trace-parameters", applies: is_of_traces };

/// All of them.
pub const PROBES: &[ProbeSpec] =
    &[ProbeSpec { probe: PARAMETERS, job: |_| Some(Box::new(AllParameters(PARAMETERS.id()))) }];

fn is_of_traces(spec: &RunSpec) -> Result<(), String> {
    match spec.task.examples().form() == Form::Trace {
        true => Ok(()),
        false => Err(Form::Trace.only().into()),
    }
}
