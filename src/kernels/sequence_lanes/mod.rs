//! Networks on sequences of symbols, trained on one processor core without a tensor.

mod attention;
mod axis;
mod evaluator;
mod layer;
mod minimal;
mod norm;
mod products;
mod replica;
mod sequence;
mod symbols;
mod table;
#[cfg(test)]
mod tests;
mod transformer;

pub use evaluator::{Evaluator, answers};
pub use replica::{Replica, Scratch};
pub use symbols::Tally;

pub use super::lanes::Push;
pub use super::plan::Rule;

use super::lanes::{LANES, Row};
use crate::models::{AttentionOnly, Model};
use crate::run::RunSpec;
use crate::training::optimizers::Optimizer;

/// What kind of network it is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Attention on an embedding.
    Attention(AttentionOnly),
    /// W and v.
    Minimal,
}

/// What is known of a network before it is trained.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// Symbols that there are.
    pub symbols: usize,
    /// Symbols of a context.
    pub length: usize,
    /// What it is.
    pub kind: Kind,
    /// Update rule.
    pub rule: Rule,
    /// Numbers of each parameter.
    pub sizes: Vec<usize>,
    /// Whether weight decay pulls on each parameter.
    pub decays: Vec<bool>,
}

impl Network {
    /// The network of a run, or why no loop covers it.
    ///
    /// # Errors
    /// A sentence for the person.
    pub fn of(spec: &RunSpec) -> Result<Self, String> {
        let kind = match &spec.model {
            Model::AttentionOnly(net) => Kind::Attention(net.clone()),
            Model::MinimalMarkov(_) => Kind::Minimal,
            other => return Err(format!("its model is the {}", other.info().name)),
        };
        let rule = match &spec.optimizer {
            Optimizer::Sgd(sgd) => Rule::Sgd { momentum: sgd.momentum > 0.0 },
            Optimizer::Adam(_) => Rule::Adam,
        };
        let (symbols, length) = (spec.task.sampler().inputs(), spec.task.sampler().length());
        let architecture = spec.architecture();
        let sizes: Vec<usize> = architecture.parameters(symbols, 1).iter().map(|p| p.len()).collect();
        let decays = (0..sizes.len()).map(|which| architecture.decays(which)).collect();
        Ok(Network { symbols, length, kind, rule, sizes, decays })
    }

    /// Room for all parameters.
    fn rows(&self) -> Vec<Vec<Row>> {
        self.sizes.iter().map(|size| vec![Row::ZERO; size.div_ceil(LANES)]).collect()
    }
}
