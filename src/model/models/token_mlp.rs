//! Perceptron on whole prompts of tokens (Mousavi-Hosseini et al. 2025, section 4), on many replicas at once: it sees all
//! tokens with the codes of their positions and names side by side, and has an output for each position.
//!
//! ```text
//! h_0 = [z_1; …; z_N],  h_l = relu(h_{l−1} W_l + b_l) for l = 1..L,  ŷ = h_L W_{L+1} + b_{L+1}
//! ```
//!
//! z_i is what [`prompts`] says. At a stationary point of the loss plus λ/2 ‖W‖², or with weights of least norm, the first
//! layer W sees of a prompt only its projection onto what the n training prompts span. Then the error on fresh prompts is at
//! least 1 − n/(Nd), on average over the linear functions (definition 5 and theorem 6 of the paper). Adam with decoupled
//! weight decay does not end at such a point.
//!
//! All numbers begin uniform on ±1/√fan_in, as PyTorch's `Linear` has them.
//!
//! [`mod@reference`] has these formulas and their gradients in double precision.

pub mod reference;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::layout::{self, Tensor, Tensors};
use super::on_prompts::{self, PromptNetwork};
use super::{Bind, Family, Initialisation, ModelConfig, Parameter, prompts};
use crate::tasks::{ExampleForm, Examples};
use vivarium_core::bounds;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings;
use vivarium_core::settings::Range;
use vivarium_core::sources::MOUSAVI_2025;
use vivarium_science::tokens::TokenPrompts;

settings! {
    /// Hidden layers of ReLUs on all tokens of a prompt at once, and an output for each position.
    pub struct TokenMlp {
        /// Number of neurons in each hidden layer, first layer first; 0 stands for N·d, the components of all tokens.
        widths: Vec<usize> = vec![128, 128], "widths", "Hidden widths", Range::Sizes(0, 4096, 6), "neurons";
    }
}

impl TokenMlp {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "token-mlp",
        name: "Token MLP",
        about: "A feedforward network that reads the whole prompt at once, with an output for each position.",
        sources: &[MOUSAVI_2025],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
h_0 = [z_0, z_1, …, z_{n−1}]
h_l = max(0, h_{l−1} w{l} + b{l})                       l = 1 … L
f   = h_L w{L+1} + b{L+1}                               a number for each position",
        loss: layout::POSITIONS,
        letters: &[
            layout::PROMPT_LETTERS[0],
            layout::PROMPT_LETTERS[1],
            layout::PROMPT_LETTERS[2],
            ["L", "hidden layers: the length of `widths`"],
            ["m_l", "neurons of hidden layer l: number l of `widths`, or `n` · `dim` where that number is 0"],
        ],
        all: &[
            layout::CODES,
            Tensor::new(
                "w{l}",
                ["n · D or m_{l−1}", "m_l or n"],
                ["number of h_0 or neuron below", "neuron, or position in the last layer"],
                "weights of layer l",
            ),
            Tensor::new(
                "b{l}",
                ["1", "m_l or n"],
                ["", "neuron, or position in the last layer"],
                "its biases",
            ),
        ],
    };

    /// Neurons of each hidden layer on prompts, the first one first.
    fn hidden<'a>(&'a self, prompts: &'a TokenPrompts) -> impl Iterator<Item = usize> + 'a {
        self.widths.iter().map(|width| if *width == 0 { prompts.length * prompts.dim } else { *width })
    }

    /// Inputs and outputs of each layer on prompts, the first one first.
    pub fn layers(&self, prompts: &TokenPrompts) -> Vec<[usize; 2]> {
        let mut below = prompts.length * prompts.encoded_dim();
        let layer = |width: usize| [std::mem::replace(&mut below, width), width];
        self.hidden(prompts).chain([prompts.length]).map(layer).collect()
    }
}

/// Place of W of layer `layer`, counted from 0, in [`Architecture::parameters`](super::Architecture::parameters).
pub fn w(layer: usize) -> usize {
    1 + 2 * layer
}

/// Place of b of that layer.
pub fn b(layer: usize) -> usize {
    2 + 2 * layer
}

/// The network on the prompts of a task.
pub type OnPrompts = on_prompts::OnPrompts<TokenMlp>;
/// The network of one replica in double precision.
pub type Plain = on_prompts::Plain<TokenMlp>;

impl Bind for TokenMlp {
    type Bound = OnPrompts;

    fn bind(&self, examples: &dyn Examples) -> Cow<'_, OnPrompts> {
        on_prompts::bound(self, examples)
    }
}

impl ModelConfig for TokenMlp {
    fn takes(&self) -> &'static [ExampleForm] {
        &[ExampleForm::Prompt]
    }

    fn family(&self) -> Option<Family> {
        Some(Family::TokenMlp(self.clone()))
    }

    #[cfg(feature = "train")]
    fn net(&self) -> Option<Box<dyn super::Net>> {
        Some(Box::new(self.clone()))
    }
}

impl ToPyTorch for TokenMlp {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Ok(ScriptPart {
            code: vec![include_str!("pytorch/token_mlp.py")],
            settings: vec![("depth", self.widths.len().to_string())],
            frozen_parameters: vec![prompts::CODES],
            ..ScriptPart::default()
        })
    }
}

impl PromptNetwork for TokenMlp {
    fn shapes(&self, prompts: &TokenPrompts) -> Vec<(String, [usize; 2])> {
        let both = |(layer, [inputs, outputs]): (usize, [usize; 2])| {
            [(format!("w{layer}"), [inputs, outputs]), (format!("b{layer}"), [1, outputs])]
        };
        (1..).zip(self.layers(prompts)).flat_map(both).collect()
    }

    fn draw(&self, prompts: &TokenPrompts, seed: u64, which: usize, parameter: &Parameter) -> Vec<f32> {
        let [fan_in, _] = self.layers(prompts)[(which - 1) / 2];
        Initialisation::Uniform.draw(seed, which, parameter, fan_in)
    }

    fn step_flops(&self, prompts: &TokenPrompts, batch: usize) -> f64 {
        let sizes = self.layers(prompts).into_iter().map(|[a, b]| a as f64 * b as f64);
        // The prompt needs no gradient.
        batch as f64
            * sizes.enumerate().map(|(layer, size)| if layer == 0 { 4.0 } else { 6.0 } * size).sum::<f64>()
    }

    fn activations(&self, prompts: &TokenPrompts) -> u64 {
        bounds::saturating_product([self.hidden(prompts).max().unwrap_or(1)])
    }

    fn outputs(plain: &Plain, row: &[f32]) -> Vec<f64> {
        plain.walk(plain.encoded(row).0).pop().unwrap_or_default()
    }

    #[cfg(not(target_family = "wasm"))]
    fn inside(plain: &Plain, row: &[f32], all: &mut super::inside::Gathered) {
        let layers = plain.walk(plain.encoded(row).0).into_iter().skip(1);
        for (layer, h) in layers.take(plain.net.widths.len()).enumerate() {
            let name = super::inside::of_layer("activations", layer);
            all.activations(&name, &[("neuron", h.len())], h);
        }
    }
}

#[cfg(feature = "train")]
impl super::Net for TokenMlp {
    fn forward(
        &self,
        examples: &dyn crate::tasks::Examples,
        parameters: &[burn::tensor::Tensor<3>],
        x: burn::tensor::Tensor<3>,
        _stage: usize,
    ) -> burn::tensor::Tensor<3> {
        let of_task = prompts::of(examples);
        let z = prompts::encoded(&of_task, &parameters[prompts::CODES], &x);
        let ([replicas, ..], [_, batch, _]) = (z.dims(), x.dims());
        let mut h = z.reshape([replicas, batch, of_task.length * of_task.encoded_dim()]);
        for layer in 0..=self.widths.len() {
            if layer > 0 {
                h = burn::tensor::activation::relu(h);
            }
            h = h.matmul(parameters[w(layer)].clone()) + parameters[b(layer)].clone(); // [replicas, batch, width]
        }
        h
    }

    fn trained(&self, _stage: usize) -> Vec<bool> {
        (0..3 + 2 * self.widths.len()).map(|which| which != prompts::CODES).collect()
    }
}
