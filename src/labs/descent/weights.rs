//! The state of the first transformer, from which the page makes its tokens.

use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Form;
use vivarium_view::probing::{AllParameters, Probe, ProbeSpec};

/// All parameters of a transformer that is descent, one after the other in their permanent order: the
/// [parts](vivarium_science::descent::ComparisonState::to_tensors) of its state.
pub const PARAMETERS: Probe = Probe { name: "descent-parameters", applies };

/// The probe.
pub const SPEC: ProbeSpec =
    ProbeSpec { probe: PARAMETERS, job: |_| Some(Box::new(AllParameters(PARAMETERS.id()))) };

fn applies(spec: &RunSpec) -> Result<(), String> {
    match spec.task.examples().form() == Form::Fit {
        true => Ok(()),
        false => Err(Form::Fit.only().into()),
    }
}

/// The parameters of one replica in one list of `numbers`; none where they are those of another run.
pub(super) fn parted<'a>(spec: &RunSpec, numbers: &'a [f32]) -> Option<[&'a [f32]; 4]> {
    let parts: [&[f32]; 4] = spec.parted(numbers)?.try_into().ok()?;
    (parts.iter().map(|part| part.len()).sum::<usize>() == numbers.len()).then_some(parts)
}
