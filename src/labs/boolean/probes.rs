//! What is measured of networks with attention on bits: where each head attends in each of some examples.

use vivarium_model::protocol::Finding;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, Form};
use vivarium_view::probing::{AtOnce, Probe, ProbeSpec, Probed};

/// Inputs whose attention is shown one by one, and most numbers that these may be.
const LOOKED_AT: usize = 100;
const MOST_LOOKS: usize = 1 << 16;

/// Attention of each head's \[CLS\] token on each token, for some held-out examples: the number of heads, and
/// `[examples, heads, inputs + 1]`.
pub const LOOKS: Probe = Probe { name: "looks", applies };

/// All of them.
pub const PROBES: &[ProbeSpec] = &[ProbeSpec { probe: LOOKS, job: |_| Some(Box::new(AtOnce(looks))) }];

fn applies(spec: &RunSpec) -> Result<(), String> {
    match spec.model.config().attends_from_cls() {
        _ if !spec.task.examples().form().is_a(Form::Bits) => Err(Form::Bits.only().into()),
        true => Ok(()),
        false => Err(tr!("This network has no attention.").into()),
    }
}

fn looks(network: &Probed) -> Option<Finding> {
    let (spec, inputs, mut batch) = (&network.spec, network.inputs(), Batch::default());
    let (model, weights) = (spec.network(), network.slices());
    let heads = model.attention(&weights, inputs, &[])?.len();
    let examples = (MOST_LOOKS / (heads * (inputs + 1))).clamp(1, LOOKED_AT);
    spec.task.sampler().held_out(spec.run.seed, 0, examples, &mut batch);
    let numbers = model.looks(&weights, inputs, &batch.x)?;
    Some(Finding::of(LOOKS.id()).with_counts([heads]).with_numbers(numbers))
}
