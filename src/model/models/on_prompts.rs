//! Networks on prompts of tokens: what all of them share, bound to the prompts of a task and in double precision.
//!
//! # Why
//! They differ in their parameters after the codes, in the numbers that they make on the way, and in the way itself. That is
//! what a [`PromptNetwork`] says; the rest of its [`Architecture`] follows.

use std::borrow::Cow;

use super::prompts::{self, CODES, CODES_OF_POSITIONS};
use super::{Architecture, Network, Parameter, Rows, exceeds_memory};
use crate::tasks::Examples;
use vivarium_core::settings::InvalidSetting;
use vivarium_science::tokens::TokenPrompts;

/// What differs between the networks on prompts that are trained.
pub trait PromptNetwork: Clone + 'static {
    /// Name, rows and columns of each parameter after the codes.
    fn shapes(&self, prompts: &TokenPrompts) -> Vec<(String, [usize; 2])>;

    /// Initial values of such a `parameter`, number `which` of all.
    fn draw(&self, prompts: &TokenPrompts, seed: u64, which: usize, parameter: &Parameter) -> Vec<f32>;

    /// As [`Architecture::step_flops`].
    fn step_flops(&self, prompts: &TokenPrompts, batch: usize) -> f64;

    /// Numbers per prompt in the largest tensor behind the encoded tokens.
    fn activations(&self, prompts: &TokenPrompts) -> u64;

    /// As [`Plain::outputs`].
    fn outputs(plain: &Plain<Self>, row: &[f32]) -> Vec<f64>;

    /// Adds to `all` what is inside the network for the prompt in `row`, as [`Network::inside`].
    #[cfg(not(target_family = "wasm"))]
    fn inside(plain: &Plain<Self>, row: &[f32], all: &mut super::inside::Gathered);
}

/// A network on the prompts of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct OnPrompts<N> {
    /// Its settings.
    pub net: N,
    /// What prompts it is on.
    pub prompts: TokenPrompts,
}

/// A network for these examples.
pub fn bound<N: Clone>(net: &N, examples: &dyn Examples) -> Cow<'static, OnPrompts<N>>
where
    OnPrompts<N>: Clone,
{
    Cow::Owned(OnPrompts { net: net.clone(), prompts: prompts::of(examples) })
}

/// The weights of one replica in double precision, with all that their use needs: for probes, and as the reference of
/// everything that is faster.
#[derive(Debug, Clone)]
pub struct Plain<N> {
    pub(super) net: N,
    pub(super) prompts: TokenPrompts,
    /// As [`Architecture::parameters`] of one replica.
    pub weights: Vec<Vec<f64>>,
}

impl<N: Clone> OnPrompts<N> {
    /// The network of one replica's `weights`.
    ///
    /// # Shapes
    /// `weights` as [`Architecture::parameters`] of one replica.
    pub fn plain(&self, weights: &[&[f32]]) -> Plain<N> {
        let wide = |values: &&[f32]| values.iter().map(|v| f64::from(*v)).collect();
        Plain { net: self.net.clone(), prompts: self.prompts, weights: weights.iter().map(wide).collect() }
    }
}

impl<N: PromptNetwork> Plain<N> {
    /// ŷ of the prompt in `row`, `[length]`.
    pub fn outputs(&self, row: &[f32]) -> Vec<f64> {
        N::outputs(self, row)
    }

    /// z of all positions of the prompt in `row`, `[length, width]`, and its labels.
    pub(super) fn encoded(&self, row: &[f32]) -> (Vec<f64>, Vec<f64>) {
        prompts::wide(&self.prompts, &self.weights[CODES], row)
    }

    /// Room for gradients: zeros, as the weights are.
    pub(super) fn zeros(&self) -> Vec<Vec<f64>> {
        self.weights.iter().map(|values| vec![0.0; values.len()]).collect()
    }
}

/// What outputs ŷ add to the mean of (ŷ − y)² over `count` positions, and its slopes in them.
pub(super) fn squares(outputs: &[f64], labels: &[f64], count: usize) -> (f64, Vec<f64>) {
    let errors = outputs.iter().zip(labels).map(|(f, y)| f - y);
    let slopes = errors.clone().map(|e| 2.0 * e / count as f64).collect();
    (errors.map(|e| e * e).sum::<f64>() / count as f64, slopes)
}

impl<N: PromptNetwork> Architecture for OnPrompts<N> {
    fn parameters(&self, _inputs: usize, replicas: usize) -> Vec<Parameter> {
        let shapes = self.net.shapes(&self.prompts).into_iter();
        let others = shapes.map(|(name, [rows, columns])| Parameter::new(&name, [replicas, rows, columns]));
        std::iter::once(prompts::codes(&self.prompts, replicas)).chain(others).collect()
    }

    fn rows(&self) -> Rows {
        CODES_OF_POSITIONS
    }

    fn initial(&self, seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        let draw = |(which, parameter): (usize, &Parameter)| match which {
            CODES => prompts::initial_codes(&self.prompts, seed, replicas),
            _ => self.net.draw(&self.prompts, seed, which, parameter),
        };
        self.parameters(inputs, replicas).iter().enumerate().map(draw).collect()
    }

    fn decays(&self, which: usize) -> bool {
        which != CODES
    }

    fn step_flops(&self, _inputs: usize, batch: usize) -> f64 {
        self.net.step_flops(&self.prompts, batch)
    }

    fn problems(&self, inputs: usize, batch: usize, replicas: usize) -> Vec<InvalidSetting> {
        exceeds_memory(self.activations(inputs), batch, replicas).into_iter().collect()
    }

    fn activations(&self, _inputs: usize) -> u64 {
        self.net.activations(&self.prompts).max(prompts::encoded_numbers(&self.prompts))
    }
}

impl<N: PromptNetwork> Network for OnPrompts<N> {
    /// Outputs for prompts, `[prompts, length]`.
    fn evaluate(&self, weights: &[&[f32]], _inputs: usize, x: &[f32], _stage: usize) -> Vec<f32> {
        let plain = self.plain(weights);
        x.chunks_exact(self.prompts.row_len()).flat_map(|row| plain.outputs(row)).map(|y| y as f32).collect()
    }

    #[cfg(not(target_family = "wasm"))]
    fn inside(&self, weights: &[&[f32]], _inputs: usize, x: &[f32]) -> Vec<super::inside::Inside> {
        let (mut all, plain) = (super::inside::Gathered::default(), self.plain(weights));
        x.chunks_exact(self.prompts.row_len()).for_each(|row| N::inside(&plain, row, &mut all));
        all.arrays()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Compares `gradients`, the loss on some prompts with its gradients, with central differences; every one is to have
    /// numbers above `least`.
    pub fn gradients_are_central_differences<N: PromptNetwork>(
        mut plain: Plain<N>,
        gradients: impl Fn(&Plain<N>) -> (f64, Vec<Vec<f64>>),
        least: f64,
        of: &str,
    ) {
        let (_, exact) = gradients(&plain);
        assert!(exact[CODES].iter().all(|slope| *slope == 0.0), "{of}: codes are not trained");
        for which in 1..exact.len() {
            let mut largest = 0.0f64;
            for (at, exact) in exact[which].iter().enumerate() {
                let (value, h) = (plain.weights[which][at], 1e-6);
                let mut loss = |value: f64| {
                    plain.weights[which][at] = value;
                    gradients(&plain).0
                };
                let numeric = (loss(value + h) - loss(value - h)) / (2.0 * h);
                loss(value);
                assert!((numeric - exact).abs() < 1e-7, "{of}, {which}, {at}: {numeric} against {exact}");
                largest = largest.max(exact.abs());
            }
            assert!(largest > least, "{of}: the gradient of {which} is not zero");
        }
    }
}
