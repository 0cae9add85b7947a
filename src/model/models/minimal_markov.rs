//! The smallest model that can do bigrams in context (Edelman 2024, equation 8.8), on many replicas at once.
//!
//! ```text
//! f(x)_{p,i} = Σ_{q≤p} 1[x_q = i] Σ_{s≤q} v_{q−s} W[x_p, x_s]
//! ```
//!
//! W is k by k and v has an entry for each distance, from 0; the thesis counts v from 1. There is no softmax inside. v = (0, 1, 0, …) with W = 1 counts
//! how often each symbol has followed the current one, and v = (1, 0, …) with W full of ones how often each has been
//! (fact 8.3).

mod reference;
#[cfg(feature = "train")]
mod tensors;

use std::borrow::Cow;

use super::layout::{self, Tensor, Tensors};
use super::{Architecture, Bind, Family, ModelConfig, Network, Parameter, Rows};
use crate::tasks::{ExampleForm, Examples, Task, TaskData};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::{EDELMAN_2024_HEADS, EDELMAN_2024_MARKOV};
use vivarium_core::{bounds, choices, settings};

choices! {
    /// What a run begins from.
    pub enum Beginning {
        /// The same number everywhere.
        Constant = "constant", "Constant W and v";
        /// Counts of pairs.
        Bigram = "bigram", "Bigram counts, weights set by hand";
        /// Counts of symbols.
        Unigram = "unigram", "Unigram counts, weights set by hand";
    }
}

settings! {
    /// A matrix over pairs of symbols and a vector over distances.
    pub struct MinimalMarkov {
        /// Weights at the start of the run.
        from: Beginning = Beginning::Constant, "from", "Initial weights", Range::Choice(Beginning::OPTIONS);
        /// Value of every entry of W at the start of the run.
        kernel: f64 = 0.0, "w0", "Initial W", Range::Real(-1.0, 1.0), only when "from" = "constant";
        /// Value of every entry of v at the start of the run.
        lags: f64 = 0.02, "v0", "Initial v", Range::Real(-1.0, 1.0), only when "from" = "constant";
    }
}

impl MinimalMarkov {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "minimal-markov",
        name: "Minimal model",
        about: "A matrix W over pairs of symbols and a vector v over distances: a minimal model that can count pairs of neighbouring symbols.",
        sources: &[EDELMAN_2024_MARKOV, EDELMAN_2024_HEADS],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
f_i[s] = Σ_{j ≤ i, x_j = s} Σ_{r ≤ j} lags[j − r] kernel[x_i, x_r]      i, j, r = 0 … t − 1",
        loss: layout::SYMBOLS,
        letters: &[],
        all: &[
            Tensor::new("kernel", ["k", "k"], ["current symbol x_i", "earlier symbol x_r"], "the matrix W"),
            Tensor::new("lags", ["1", "t"], ["", "distance j − r, from 0"], "the vector v"),
        ],
    };

    /// The weights of fact 8.3, in the order of [`Architecture::parameters`], if that is what a run begins from.
    pub fn counting(&self, task: &Task) -> Option<Vec<Vec<f32>>> {
        let TaskData::Sequences(drawn) = task.data() else { return None };
        let symbols = drawn.symbols;
        let (distance, kernel) = match self.from {
            Beginning::Constant => return None,
            Beginning::Bigram => {
                let identity = (0..symbols * symbols).map(|i| f32::from(i % (symbols + 1) == 0));
                (1, identity.collect())
            }
            Beginning::Unigram => (0, vec![1.0; symbols * symbols]),
        };
        let lags = (0..drawn.length).map(|d| f32::from(d == distance)).collect();
        Some(vec![kernel, lags])
    }
}

/// Place of W, `[symbols, symbols]`: the row is the current symbol's.
pub const KERNEL: usize = 0;
/// Place of v, `[1, length]`, from distance 0.
pub const LAGS: usize = 1;

impl Bind for MinimalMarkov {
    type Bound = OfLength;

    fn bind(&self, examples: &dyn Examples) -> Cow<'_, OfLength> {
        Cow::Owned(OfLength { net: self.clone(), length: examples.prediction_count() })
    }
}

impl ModelConfig for MinimalMarkov {
    fn takes(&self) -> &'static [ExampleForm] {
        &[ExampleForm::Sequence]
    }

    fn constructed(&self, task: &Task, _seed: u64) -> Option<Vec<Vec<f32>>> {
        self.counting(task)
    }

    fn family(&self) -> Option<Family> {
        Some(Family::Minimal)
    }

    #[cfg(feature = "train")]
    fn net(&self) -> Option<Box<dyn super::Net>> {
        Some(Box::new(self.clone()))
    }
}

impl ToPyTorch for MinimalMarkov {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Ok(ScriptPart::from_code(&[include_str!("pytorch/minimal_markov.py")]))
    }
}

/// The architecture on sequences of `length` symbols.
#[derive(Debug, Clone)]
pub struct OfLength {
    /// The settings.
    pub net: MinimalMarkov,
    /// Symbols of a context.
    pub length: usize,
}

impl Architecture for OfLength {
    fn parameters(&self, inputs: usize, replicas: usize) -> Vec<Parameter> {
        vec![
            Parameter::new("kernel", [replicas, inputs, inputs]),
            Parameter::new("lags", [replicas, 1, self.length]),
        ]
    }

    fn rows(&self) -> Rows {
        Rows { name: "Matrix W", symbol: "W", row: "symbol", column: "symbol", entry: "weight" }
    }

    fn initial(&self, _seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        let parameters = self.parameters(inputs, replicas);
        let constant = |which: usize, value: f64| vec![value as f32; parameters[which].len()];
        vec![constant(KERNEL, self.net.kernel), constant(LAGS, self.net.lags)]
    }

    fn step_flops(&self, inputs: usize, batch: usize) -> f64 {
        let (k, t) = (inputs as f64, self.length as f64);
        6.0 * batch as f64 * (0.5 * t * t * k + t * k * k)
    }

    fn problems(&self, inputs: usize, batch: usize, replicas: usize) -> Vec<InvalidSetting> {
        super::exceeds_memory(self.activations(inputs), batch, replicas).into_iter().collect()
    }

    fn activations(&self, inputs: usize) -> u64 {
        bounds::saturating_product([self.length, self.length.max(inputs * inputs)])
    }
}

impl Network for OfLength {
    fn evaluate(&self, weights: &[&[f32]], inputs: usize, x: &[f32], _stage: usize) -> Vec<f32> {
        self.last(weights, inputs, x)
    }

    #[cfg(not(target_family = "wasm"))]
    fn inside_at(
        &self,
        at: &super::inside::At<'_>,
        weights: &[&[f32]],
        inputs: usize,
        x: &[f32],
    ) -> Result<Vec<super::inside::Inside>, String> {
        self.look(at, weights, inputs, x)
    }
}
