//! Probes of networks on sequences: all their parameters, the KL divergence without each of their heads, and gradients.

use super::gradients::{GRADIENTS, measure_gradients};
use super::own_network::{attention_layers, remove_heads};
use vivarium_kernels::cpu::sequence_net::{Answers, Inference};
use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{ExampleForm, TaskData};
use vivarium_training::session::evaluator::Evaluator;
use vivarium_view::probing::{
    AllParameters, Probe, ProbeMeasurement, ProbeSpec, ProbedNetwork, SinglePassMeasurement,
};

/// Number of contexts (held-out sequences) evaluated in one call of `poll`, which keeps each call short.
const CONTEXTS_PER_SLICE: usize = 64;

/// Parameters of a network on sequences, one tensor after another in the model's fixed order; with them the page
/// evaluates the network itself.
pub const PARAMETERS: Probe = Probe { name: "parameters", applies: check_has_sequences };
/// KL divergence from the true distribution of the symbol after the context to the network's prediction, in nats: for
/// the whole network, then without each head, layer by layer.
pub const ABLATION: Probe = Probe { name: "ablation", applies: check_has_heads };
/// Probes of the lab on Markov chains: [`PARAMETERS`], [`ABLATION`], the loss without each head, and [`GRADIENTS`].
pub const PROBES: &[ProbeSpec] = &[
    ProbeSpec::new(PARAMETERS, |_| Some(Box::new(AllParameters(PARAMETERS.id())))),
    ProbeSpec::new(ABLATION, |network| Some(Box::new(AblationJob::new(&network.spec)?))),
    ProbeSpec::new(GRADIENTS, |_| Some(Box::new(SinglePassMeasurement(measure_gradients)))),
];

/// Returns an error message if the task's examples are not sequences of symbols.
fn check_has_sequences(spec: &RunSpec) -> Result<(), String> {
    match spec.task.data() {
        TaskData::Sequences(_) => Ok(()),
        _ => Err(ExampleForm::Sequence.unavailable_reason().into()),
    }
}

/// Returns an error message unless the task has sequences and the network has attention heads.
fn check_has_heads(spec: &RunSpec) -> Result<(), String> {
    check_has_sequences(spec)?;
    match attention_layers(spec).is_empty() {
        true => Err(tr!("This network has no heads.").into()),
        false => Ok(()),
    }
}

/// Running measurement of [`ABLATION`]: the KL divergence of the whole network, then without each attention head in
/// turn.
struct AblationJob {
    /// Computes the KL divergence from the true next-symbol distribution to the predictions with given logits.
    evaluator: Evaluator,
    /// Computes the network's logits, with one attention head switched off or with all heads.
    inference: Inference,
    /// Number of attention heads of the network, in all layers together.
    head_count: usize,
    /// Number of held-out sequences, each used as one context.
    held_out: usize,
    /// Number of symbols in each context.
    length: usize,
    /// Logits after the last symbol of each context evaluated so far, with the present head off, `[contexts, symbols]`.
    logits: Vec<f32>,
    /// KL divergences measured so far, in nats: of the whole network, then without head 0, 1, …, counted through all
    /// layers.
    kl_values: Vec<f32>,
}

impl AblationJob {
    /// Starts to measure the KL divergence without each attention head; `None` if the network has no heads.
    fn new(spec: &RunSpec) -> Option<Self> {
        let heads = attention_layers(spec).iter().sum();
        (heads > 0).then_some(())?;
        Some(AblationJob {
            evaluator: Evaluator::new(spec)?,
            inference: Inference::new(spec).ok()?,
            head_count: heads,
            held_out: spec.held_out_count(),
            length: spec.task.examples().prediction_count(),
            logits: vec![],
            kl_values: vec![],
        })
    }
}

impl ProbeMeasurement for AblationJob {
    fn poll(&mut self, network: &ProbedNetwork) -> Option<ProbeResult> {
        let (weights, symbols) = (network.slices(), network.inputs());
        let done = self.logits.len() / symbols;
        let next = done..(done + CONTEXTS_PER_SLICE).min(self.held_out);
        let contexts = &self.evaluator.contexts()[next.start * self.length..next.end * self.length];
        let off = self.kl_values.len().checked_sub(1);
        let own = remove_heads(&network.spec, &weights, off.as_slice());
        let own: Option<Vec<&[f32]>> = own.as_ref().map(|own| own.iter().map(Vec::as_slice).collect());
        let answers = self.inference.answers(own.as_ref().unwrap_or(&weights), contexts, 0, off.as_slice());
        self.logits.extend(answers.logits);
        if next.end < self.held_out {
            return None;
        }
        // Contexts from other distributions are not evaluated, and their metrics are not used.
        let answers = Answers { logits: std::mem::take(&mut self.logits), ..Answers::default() };
        self.kl_values.push(self.evaluator.evaluate(&answers).kl);
        (self.kl_values.len() > self.head_count)
            .then(|| ProbeResult::new(ABLATION.id()).with_numbers(std::mem::take(&mut self.kl_values)))
    }
}

#[cfg(test)]
mod tests {
    use super::ABLATION;
    use vivarium_kernels::cpu::sequence_net::Answers;
    use vivarium_model::models::Model;
    use vivarium_model::models::attention_only::OfLength;
    use vivarium_model::permalink::decode;
    use vivarium_training::session::evaluator::Evaluator;

    #[test]
    fn heads_are_left_out_as_in_the_definition() {
        let spec = decode("#v1/markov?k=3&t=30&heads=2.1&d=12&std=0.6&held=100&seed=4").0.spec;
        let weights = spec.initialize_parameters();
        let found = crate::run_probe(&ABLATION.id(), &spec, 0, weights.clone()).unwrap().numbers;
        let Model::AttentionOnly(net) = &spec.model else { panic!("another model") };
        let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
        let plain = OfLength { net: net.clone(), length: 30 }.plain(&slices, 3);
        let evaluator = Evaluator::new(&spec).unwrap();
        assert_eq!(found.len(), 4);
        for (which, found) in found.into_iter().enumerate() {
            let off: Vec<usize> = which.checked_sub(1).into_iter().collect();
            let contexts = evaluator.contexts().chunks(30).take(100);
            let last = |context: &[u8]| plain.look(context, &off).logits[29 * 3..].to_vec();
            let logits = contexts.flat_map(last).map(|logit| logit as f32).collect();
            let exact = evaluator.evaluate(&Answers { logits, ..Default::default() }).kl;
            assert!((found - exact).abs() < 1e-5, "without {off:?}: {found} instead of {exact}");
        }
    }
}
