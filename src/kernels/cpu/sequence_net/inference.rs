//! Forward passes alone, for measuring and for probes.

use super::scratch::{Asked, Scratch, View};
use super::symbols::Tally;
use super::{Network, Replica};
use crate::cpu::ReplicaState;
use crate::cpu::one_hidden_layer::Row;
use vivarium_model::run::RunSpec;

/// What a network answers to contexts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answers {
    /// Logits of the next symbol after each context, `[count, symbols]`.
    pub logits: Vec<f32>,
    /// Previous-token score and induction score of each head, layer by layer: means over the scored contexts. Empty for
    /// models without heads.
    pub heads: Vec<[f32; 2]>,
    /// Heads of each layer.
    pub layers: Vec<usize>,
}

/// A network without an optimizer.
#[derive(Debug, Clone)]
pub struct Inference {
    replica: Replica,
    scratch: Scratch,
}

impl Inference {
    /// Of the network of a run.
    ///
    /// # Errors
    /// A sentence that says why the network is not covered.
    pub fn new(spec: &RunSpec) -> Result<Self, String> {
        let network = Network::of(spec)?;
        Ok(Inference { replica: Replica::new(&network.layout), scratch: Scratch::new(&network) })
    }

    fn load(&mut self, weights: &[&[f32]]) {
        for (which, values) in weights.iter().enumerate() {
            self.replica.write(0, which, values);
        }
    }

    /// The answers of the network with these weights on `contexts`, with scores of its heads on the first `scored` of
    /// them. Heads that are `off`, counted layer by layer, bring nothing.
    ///
    /// # Shapes
    /// `weights` are those of one replica, in the order of [`Architecture::parameters`]; `contexts` is
    /// `[contexts, length]`.
    ///
    /// [`Architecture::parameters`]: vivarium_model::models::Architecture::parameters
    pub fn answers(&mut self, weights: &[&[f32]], contexts: &[u8], scored: usize, off: &[usize]) -> Answers {
        self.load(weights);
        answers(&self.replica, &mut self.scratch, contexts, scored, off)
    }

    /// Shows `see` what the network with these weights makes of each of the `contexts`, by its number.
    ///
    /// # Shapes
    /// As for [`Inference::answers`].
    pub fn look(&mut self, weights: &[&[f32]], contexts: &[u8], see: &mut dyn FnMut(usize, &View)) {
        self.load(weights);
        self.scratch.look(&self.replica, contexts, see);
    }

    /// Heads of each layer.
    pub fn heads(&self) -> Vec<usize> {
        self.scratch.heads()
    }

    /// The gradient of the mean cross-entropy over all positions of `[sequences, length + 1]`: one list for each parameter,
    /// in the order of [`Architecture::parameters`], for frozen parameters too.
    ///
    /// [`Architecture::parameters`]: vivarium_model::models::Architecture::parameters
    pub fn gradient(&mut self, weights: &[&[f32]], batch: &[u8]) -> Vec<Vec<f32>> {
        self.load(weights);
        let mut gradient = self.scratch.zeros();
        self.scratch.gradient(&self.replica, batch, &mut gradient);
        let read =
            |(rows, own): (&Vec<Row>, &&[f32])| rows.iter().flat_map(|row| row.0).take(own.len()).collect();
        gradient.iter().zip(weights).map(read).collect()
    }

    /// Cross-entropy and right answers on `[sequences, length + 1]`.
    pub fn tally(&mut self, weights: &[&[f32]], batch: &[u8]) -> Tally {
        self.load(weights);
        self.scratch.measure(&self.replica, batch)
    }
}

/// As [`Inference::answers`], of a replica.
pub fn answers(
    replica: &Replica,
    scratch: &mut Scratch,
    contexts: &[u8],
    scored: usize,
    off: &[usize],
) -> Answers {
    let layers = scratch.heads();
    let heads = vec![[0.0; 3]; layers.iter().sum()];
    let mut asked = Asked { scored, off: off.to_vec(), logits: vec![], heads };
    scratch.answer(replica, contexts, &mut asked);
    let mean = |[previous, induction, found]: [f64; 3]| {
        [(previous / scored.max(1) as f64) as f32, (induction / found.max(1.0)) as f32]
    };
    Answers { logits: asked.logits, heads: asked.heads.into_iter().map(mean).collect(), layers }
}
