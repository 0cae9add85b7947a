//! The probe of the first transformer's parameters, from which the page computes its tokens.

use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{ExampleForm, TaskData};
use vivarium_view::probing::{AllParameters, Probe, ProbeSpec};

/// Probe of all parameters of the run's first replica, concatenated in their permanent order: the
/// [tensors](vivarium_science::descent::ComparisonState::to_tensors) of the comparison of gradient descent in tokens
/// with direct gradient descent.
pub const PARAMETERS: Probe = Probe { name: "descent-parameters", applies };

/// The probe [`PARAMETERS`] with the function that measures it.
pub const SPEC: ProbeSpec = ProbeSpec::new(PARAMETERS, |_| Some(Box::new(AllParameters(PARAMETERS.id()))));

/// `Ok` if the task is in-context regression by a constructed transformer, so that the probe [`PARAMETERS`] can be
/// measured; otherwise the reason why not.
fn applies(spec: &RunSpec) -> Result<(), String> {
    match spec.task.data() {
        TaskData::Fit(_) => Ok(()),
        _ => Err(ExampleForm::Fit.unavailable_reason().into()),
    }
}

/// The four parameter tensors of one replica as slices of the concatenated `numbers`: weights in the tokens, weights of
/// direct gradient descent, those in single precision, and values of comparison measures. None if the lengths do not
/// match the run.
pub(super) fn split_parameters<'a>(spec: &RunSpec, numbers: &'a [f32]) -> Option<[&'a [f32]; 4]> {
    let parts: [&[f32]; 4] = spec.split_parameters(numbers)?.try_into().ok()?;
    (parts.iter().map(|part| part.len()).sum::<usize>() == numbers.len()).then_some(parts)
}
