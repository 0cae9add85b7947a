//! What is measured of networks on sequences: all their parameters, and what they lose without each of their heads.

use vivarium_kernels::cpu::sequence_net::{Answers, Inference};
use vivarium_model::protocol::Finding;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Form;
use vivarium_training::session::evaluator::Evaluator;
use vivarium_view::probing::{AllParameters, Job, Probe, ProbeSpec, Probed};

/// Contexts between two looks at the clock.
const PORTION: usize = 64;

/// All parameters of a network on sequences, one after the other in their permanent order: they are so few that the page
/// computes with them itself.
pub const PARAMETERS: Probe = Probe { name: "parameters", applies: is_of_sequences };
/// KL to the truth at the last symbol, in nats: of the whole network, then without each head, layer by layer.
pub const ABLATION: Probe = Probe { name: "ablation", applies: has_heads };

/// All of them.
pub const PROBES: &[ProbeSpec] = &[
    ProbeSpec { probe: PARAMETERS, job: |_| Some(Box::new(AllParameters(PARAMETERS.id()))) },
    ProbeSpec { probe: ABLATION, job: |network| Some(Box::new(Ablation::new(&network.spec)?)) },
];

fn is_of_sequences(spec: &RunSpec) -> Result<(), String> {
    match spec.task.examples().form() == Form::Sequence {
        true => Ok(()),
        false => Err(Form::Sequence.only().into()),
    }
}

fn has_heads(spec: &RunSpec) -> Result<(), String> {
    is_of_sequences(spec)?;
    match spec.model.config().heads().is_empty() {
        true => Err(tr!("This network has no heads.").into()),
        false => Ok(()),
    }
}

/// The probe on its way: first the whole network, then without each head.
struct Ablation {
    evaluator: Evaluator,
    inference: Inference,
    heads: usize,
    /// Contexts of the test.
    held_out: usize,
    length: usize,
    /// Logits on the first contexts.
    logits: Vec<f32>,
    found: Vec<f32>,
}

impl Ablation {
    /// Of the network of a run; none where there is no head.
    fn new(spec: &RunSpec) -> Option<Self> {
        let heads = spec.model.config().heads().iter().sum();
        (heads > 0).then_some(())?;
        Some(Ablation {
            evaluator: Evaluator::new(spec)?,
            inference: Inference::new(spec).ok()?,
            heads,
            held_out: spec.held_out(),
            length: spec.task.examples().length(),
            logits: vec![],
            found: vec![],
        })
    }
}

impl Job for Ablation {
    fn poll(&mut self, network: &Probed) -> Option<Finding> {
        let (weights, symbols) = (network.slices(), network.inputs());
        let done = self.logits.len() / symbols;
        let next = done..(done + PORTION).min(self.held_out);
        let contexts = &self.evaluator.contexts()[next.start * self.length..next.end * self.length];
        let off = self.found.len().checked_sub(1);
        let answers = self.inference.answers(&weights, contexts, 0, off.as_slice());
        self.logits.extend(answers.logits);
        if next.end < self.held_out {
            return None;
        }
        // Contexts of other laws stay unanswered, and what is measured on them is not looked at.
        let answers = Answers { logits: std::mem::take(&mut self.logits), ..Answers::default() };
        self.found.push(self.evaluator.evaluate(&answers).kl);
        (self.found.len() > self.heads)
            .then(|| Finding::of(ABLATION.id()).with_numbers(std::mem::take(&mut self.found)))
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
        let weights = spec.initial();
        let found = crate::measured(&ABLATION.id(), &spec, 0, weights.clone()).unwrap().numbers;
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
