//! Layers of the networks on sequences in which an induction head has two layers: the attention-only transformer, and
//! the minimal model, whose vector v is the first layer and whose matrix W is the second (Edelman 2024, equation 8.8).

use vivarium_model::models::{Model, minimal_markov};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::ExampleForm;

/// Number of layers of the network of a run; `None` for networks of another kind.
pub(super) fn layer_count(spec: &RunSpec) -> Option<usize> {
    match &spec.model {
        Model::AttentionOnly(net) => Some(net.heads.len()),
        Model::MinimalMarkov(_) => Some(2),
        _ => None,
    }
}

/// Layer of parameter number `which`, from 0; `None` for parameters outside the layers.
pub(super) fn layer_of(spec: &RunSpec, which: usize) -> Option<usize> {
    match &spec.model {
        Model::AttentionOnly(net) => net.layer_of(which),
        _ => Some(usize::from(which == minimal_markov::KERNEL)),
    }
}

/// Returns an error message unless the task has sequences and the network has layers of this kind.
///
/// # Errors
///
/// A sentence that gives the reason.
pub(super) fn check_has_layers(spec: &RunSpec) -> Result<(), String> {
    if spec.task.data().chain_sequences().is_none() {
        return Err(ExampleForm::Sequence.unavailable_reason().into());
    }
    match layer_count(spec) {
        Some(_) => Ok(()),
        None => Err(tr!("This chart needs the attention-only transformer or the minimal model.").into()),
    }
}
