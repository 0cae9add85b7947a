//! Who measures a network on sequences of symbols, whatever they are of: our loops give its answers.

use super::evaluator::{Evaluation, Evaluator};
use super::trace_evaluator::{Counts, TraceEvaluator};
use vivarium_kernels::cpu::sequence_net::Inference;
use vivarium_model::run::RunSpec;

/// The evaluator of a run on sequences.
#[derive(Debug, Clone)]
pub enum Judge {
    /// Of chains.
    Chains(Evaluator),
    /// Of traces of a machine.
    Traces(TraceEvaluator),
}

impl Judge {
    /// That of a run; none for tasks that are not on sequences.
    pub fn new(spec: &RunSpec) -> Option<Self> {
        let traces = TraceEvaluator::new(spec).map(Judge::Traces);
        traces.or_else(|| Evaluator::new(spec).map(Judge::Chains))
    }

    /// What is to be said of the network with these weights of one replica.
    pub fn evaluate(&self, inference: &mut Inference, weights: &[&[f32]]) -> Evaluation {
        match self {
            Judge::Chains(evaluator) => {
                let (contexts, scored) = (evaluator.contexts(), evaluator.scored());
                evaluator.evaluate(&inference.answers(weights, contexts, scored, &[]))
            }
            Judge::Traces(evaluator) => {
                let mut counts = Counts::default();
                inference.look(weights, evaluator.contexts(), &mut |at, view| {
                    evaluator.count(at, view, &mut counts);
                });
                evaluator.evaluate(&counts, &inference.heads())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;

    #[test]
    fn chains_and_traces_have_an_evaluator_each_and_parities_have_none() {
        let judge = |lab: &str| Judge::new(&decode(&format!("#v1/{lab}")).0.spec);
        assert!(matches!(judge("markov?t=8&held=64"), Some(Judge::Chains(_))));
        assert!(matches!(judge("machine-traces?t=8&held=64"), Some(Judge::Traces(_))));
        assert!(judge("sparse-parity").is_none());
    }
}
