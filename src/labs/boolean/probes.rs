//! The probe of networks with attention on bits: the attention weights of each head for some examples.

use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, ExampleForm};
use vivarium_view::probing::{Probe, ProbeSpec, ProbedNetwork, SinglePassMeasurement};

/// Maximum number of held-out examples for which the probe [`CLS_ATTENTION`] gives attention weights.
const MAX_EXAMPLES: usize = 100;
/// Maximum number of weights in one result of the probe [`CLS_ATTENTION`], over all examples, heads and tokens; with
/// many heads or inputs, fewer examples are measured, but at least one.
const MAX_ATTENTION_WEIGHTS: usize = 1 << 16;

/// Probe of the first replica's attention weights from the \[CLS\] token to each token, for some held-out examples. The
/// result holds the number of heads as its count, and the weights `[examples, heads, inputs + 1]`, with \[CLS\] itself
/// as the last token.
pub const CLS_ATTENTION: Probe = Probe { name: "looks", applies };

/// All probes of the lab of sparse Boolean functions.
pub const PROBES: &[ProbeSpec] =
    &[ProbeSpec::new(CLS_ATTENTION, |_| Some(Box::new(SinglePassMeasurement(measure_attention))))];

/// `Ok` if the probe [`CLS_ATTENTION`] can be measured: the task has bits as inputs, and the network attends from a
/// \[CLS\] token; otherwise the reason why not.
fn applies(spec: &RunSpec) -> Result<(), String> {
    match spec.model.config().attends_from_cls() {
        _ if !spec.task.data().form().counts_as(ExampleForm::Bits) => {
            Err(ExampleForm::Bits.unavailable_reason().into())
        }
        true => Ok(()),
        false => Err(tr!("This network has no attention.").into()),
    }
}

/// Measures the first replica's attention weights of the \[CLS\] token, the result of the probe [`CLS_ATTENTION`]; none
/// for a network without attention.
fn measure_attention(network: &ProbedNetwork) -> Option<ProbeResult> {
    let (spec, inputs, mut batch) = (&network.spec, network.inputs(), Batch::default());
    let (model, weights) = (spec.network(), network.slices());
    let heads = model.attention(&weights, inputs, &[])?.len();
    let examples = (MAX_ATTENTION_WEIGHTS / (heads * (inputs + 1))).clamp(1, MAX_EXAMPLES);
    spec.task.sampler().append_held_out(spec.run.seed, 0, examples, &mut batch);
    let numbers = model.looks(&weights, inputs, &batch.x)?;
    Some(ProbeResult::new(CLS_ATTENTION.id()).with_counts([heads]).with_numbers(numbers))
}
