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
        /// v that reads the symbol before, as in the counts of pairs; W constant.
        First = "layer1", "v at distance 1 by hand, constant W";
        /// W = 1, as in the counts of pairs; v constant.
        Second = "layer2", "W = 1 by hand, constant v";
    }
}

choices! {
    /// The weights that are trained.
    pub enum TrainedPart {
        /// W and v.
        All = "all", "W and v";
        /// v alone: the first layer.
        First = "layer1", "v alone (layer 1)";
        /// W alone: the second layer.
        Second = "layer2", "W alone (layer 2)";
    }
}

settings! {
    /// A matrix over pairs of symbols and a vector over distances.
    pub struct MinimalMarkov {
        /// Weights at the start of the run.
        from: Beginning = Beginning::Constant, "from", "Initial weights", Range::Choice(Beginning::OPTIONS);
        /// Value of every entry of W at the start of the run.
        kernel: f64 = 0.0, "w0", "Initial W", Range::Real(-1.0, 1.0), only when "from" = "constant" | "layer1";
        /// Value of every entry of v at the start of the run.
        lags: f64 = 0.02, "v0", "Initial v", Range::Real(-1.0, 1.0), only when "from" = "constant" | "layer2";
        /// Weights that are trained; all other weights keep their initial values.
        trained: TrainedPart = TrainedPart::All, "trained", "Trained weights", Range::Choice(TrainedPart::OPTIONS);
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
        let given = match self.from {
            Beginning::Bigram | Beginning::Unigram => self.given(drawn.symbols, drawn.length),
            Beginning::Constant | Beginning::First | Beginning::Second => return None,
        };
        given.into_iter().collect()
    }

    /// W and v where they are set by hand, in the order of [`Architecture::parameters`]; `None` for a tensor that begins
    /// constant.
    fn given(&self, symbols: usize, length: usize) -> [Option<Vec<f32>>; 2] {
        let identity = || (0..symbols * symbols).map(|i| f32::from(i % (symbols + 1) == 0)).collect();
        let at = |distance: usize| (0..length).map(|d| f32::from(d == distance)).collect();
        match self.from {
            Beginning::Constant => [None, None],
            Beginning::Bigram => [Some(identity()), Some(at(1))],
            Beginning::Unigram => [Some(vec![1.0; symbols * symbols]), Some(at(0))],
            Beginning::First => [None, Some(at(1))],
            Beginning::Second => [Some(identity()), None],
        }
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
        let [kernel, lags] = self.net.given(inputs, self.length);
        let fill = |which: usize, given: Option<Vec<f32>>, value: f64| match given {
            Some(given) => given.repeat(replicas),
            None => vec![value as f32; parameters[which].len()],
        };
        vec![fill(KERNEL, kernel, self.net.kernel), fill(LAGS, lags, self.net.lags)]
    }

    fn is_trained(&self, which: usize) -> bool {
        match self.net.trained {
            TrainedPart::All => true,
            TrainedPart::First => which == LAGS,
            TrainedPart::Second => which == KERNEL,
        }
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
