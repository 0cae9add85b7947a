//! Perceptron on whole prompts of tokens (Mousavi-Hosseini et al. 2025, section 3.2), on many replicas at once: it sees all
//! tokens with the codes of their positions and names side by side, and has an output for each position.
//!
//! ```text
//! h_0 = [z_1; …; z_N],  h_l = relu(h_{l−1} W_l + b_l) for l = 1..L,  ŷ = h_L W_{L+1} + b_{L+1}
//! ```
//!
//! z_i is what [`prompts`] says. The first layer of such a network sees of a prompt only its projection onto what the
//! training prompts span, so that its error on fresh prompts is at least 1 − n/(Nd) (theorem 6 of the paper).
//!
//! All numbers begin uniform on ±1/√fan_in, as PyTorch's `Linear` has them.
//!
//! [`reference`] has these formulas and their gradients in double precision.

pub mod reference;
#[cfg(test)]
mod tests;

pub use reference::Plain;

use std::borrow::Cow;

use super::{
    Architecture, Bind, Family, Initialisation, ModelConfig, Network, Parameter, Rows, crowded, prompts,
};
use crate::bounds;
use crate::catalog::Info;
use crate::pytorch::{Part, ToPyTorch};
use crate::settings;
use crate::settings::{Problem, Range};
use crate::sources::MOUSAVI_2025;
use crate::tasks::{Examples, Form};
use crate::tokens::Prompts;

settings! {
    /// Hidden layers of ReLUs on all tokens of a prompt at once, and an output for each position.
    pub struct TokenMlp {
        /// Neurons of each hidden layer, the first one first.
        widths: Vec<usize> = vec![128, 128], "widths", "Hidden widths", Range::Sizes(1, 4096, 6), "neurons";
    }
}

impl TokenMlp {
    /// Name, source and summary.
    pub const INFO: Info = Info {
        slug: "token-mlp",
        name: "Token MLP",
        about: "A feedforward network that sees the whole prompt at once, with an output for each position.",
        sources: &[MOUSAVI_2025],
    };

    /// Inputs and outputs of each layer on prompts, the first one first.
    pub fn layers(&self, prompts: &Prompts) -> Vec<[usize; 2]> {
        let mut below = prompts.length * prompts.width();
        let layer = |width: &usize| [std::mem::replace(&mut below, *width), *width];
        self.widths.iter().chain([&prompts.length]).map(layer).collect()
    }
}

/// Place of W of layer `layer`, counted from 0, in [`Architecture::parameters`].
pub fn w(layer: usize) -> usize {
    1 + 2 * layer
}

/// Place of b of that layer.
pub fn b(layer: usize) -> usize {
    2 + 2 * layer
}

/// The network on the prompts of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct OnPrompts {
    /// Its settings.
    pub net: TokenMlp,
    /// What prompts it is on.
    pub prompts: Prompts,
}

impl Bind for TokenMlp {
    type Bound = OnPrompts;

    fn bind(&self, examples: &dyn Examples) -> Cow<'_, OnPrompts> {
        Cow::Owned(OnPrompts { net: self.clone(), prompts: prompts::of(examples) })
    }
}

impl ModelConfig for TokenMlp {
    fn takes(&self) -> &'static [Form] {
        &[Form::Prompt]
    }

    fn family(&self) -> Option<Family> {
        Some(Family::TokenMlp(self.clone()))
    }
}

impl ToPyTorch for TokenMlp {
    fn to_pytorch(&self, _seed: u64) -> Result<Part, String> {
        Ok(Part {
            code: vec![include_str!("pytorch/token_mlp.py")],
            settings: vec![("depth", self.widths.len().to_string())],
            frozen: vec![prompts::CODES],
            ..Part::default()
        })
    }
}

impl Architecture for OnPrompts {
    fn parameters(&self, _inputs: usize, replicas: usize) -> Vec<Parameter> {
        let mut parameters = vec![prompts::codes(&self.prompts, replicas)];
        for (layer, [inputs, outputs]) in self.net.layers(&self.prompts).into_iter().enumerate() {
            parameters.push(Parameter::new(&format!("w{}", layer + 1), [replicas, inputs, outputs]));
            parameters.push(Parameter::new(&format!("b{}", layer + 1), [replicas, 1, outputs]));
        }
        parameters
    }

    fn rows(&self) -> Rows {
        prompts::CODES_OF_POSITIONS
    }

    fn initial(&self, seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        let mut values = vec![prompts::initial_codes(&self.prompts, seed, replicas)];
        let fans = self.net.layers(&self.prompts).into_iter().flat_map(|[fan_in, _]| [fan_in; 2]);
        for ((which, parameter), fan_in) in
            self.parameters(inputs, replicas).iter().enumerate().skip(1).zip(fans)
        {
            values.push(Initialisation::Uniform.draw(seed, which, parameter, fan_in));
        }
        values
    }

    fn decays(&self, which: usize) -> bool {
        which != prompts::CODES
    }

    fn step_flops(&self, _inputs: usize, batch: usize) -> f64 {
        let sizes = self.net.layers(&self.prompts).into_iter().map(|[a, b]| a as f64 * b as f64);
        // The prompt needs no gradient.
        batch as f64
            * sizes.enumerate().map(|(layer, size)| if layer == 0 { 4.0 } else { 6.0 } * size).sum::<f64>()
    }

    fn problems(&self, inputs: usize, batch: usize, replicas: usize) -> Vec<Problem> {
        crowded(self.activations(inputs), batch, replicas).into_iter().collect()
    }

    fn activations(&self, _inputs: usize) -> u64 {
        let widest = self.net.widths.iter().copied().max().unwrap_or(1);
        prompts::encoded_numbers(&self.prompts).max(bounds::product([widest]))
    }
}

impl Network for OnPrompts {
    fn head(&self, _weights: &[&[f32]], _z: &[f64], _slopes: &mut [f64], _stage: usize) -> f64 {
        unreachable!("a network on prompts has no first layer that is linear in a row of the batch")
    }

    /// Outputs for prompts, `[prompts, length]`.
    fn evaluate(&self, weights: &[&[f32]], _inputs: usize, x: &[f32], _stage: usize) -> Vec<f32> {
        let plain = self.plain(weights);
        x.chunks_exact(self.prompts.columns()).flat_map(|row| plain.outputs(row)).map(|y| y as f32).collect()
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
        let mut h = z.reshape([replicas, batch, of_task.length * of_task.width()]);
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
