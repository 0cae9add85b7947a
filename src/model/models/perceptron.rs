//! The simple perceptron: one linear form, f(x) = w·x.
//!
//! # Why
//! It is the student of which everything is known. With the correlation loss, one fresh example a step and weights that
//! begin at zero, gradient descent adds up yx: Hebb's rule (Vallet 1989).
//!
//! # Speed
//! 100 inputs and one fresh example a step, on one core: 98,800 steps/s by the executor of graphs, and 32,500 by autodiff
//! (AMD EPYC, 2026-11-29).

use std::borrow::Cow;

use super::initialisation::Initialisation;
use super::layout::{self, Tensor, Tensors};
use super::{
    Architecture, Bind, Family, Forms, LinearFirstLayer, ModelConfig, Network, Parameter, Rows, first_layer,
    graph_network,
};
use crate::tasks::Examples;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings::Range;
use vivarium_core::sources::Source;
use vivarium_core::{choices, settings};
use vivarium_operators::Graph;

choices! {
    /// What the weights are before the first step.
    pub enum Start {
        /// All of them 0.
        Zero = "zero", "Zeros";
        /// Normal with variance 2/n.
        Gaussian = "gaussian", "Gaussian, variance 2/n";
    }
}

settings! {
    /// One linear form: f(x) = w·x.
    pub struct Perceptron {
        /// Values of the weights before the first step.
        start: Start = Start::Zero, "begin", "Initial weights", Range::Choice(Start::OPTIONS);
    }
}

impl Perceptron {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "perceptron",
        name: "Simple perceptron",
        about: "One linear form of the inputs; the sign of its value is the answer.",
        sources: &[Source {
            cite: "Rosenblatt 1958",
            title: "The Perceptron: A Probabilistic Model for Information Storage and Organization in the Brain",
            url: "https://doi.org/10.1037/h0042519",
        }],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
f = x w",
        loss: layout::SIGNS,
        letters: &[],
        all: &[Tensor::new("w", ["n", "1"], ["input", ""], "weights")],
    };
}

impl Bind for Perceptron {
    type Bound = Self;

    fn bind(&self, _examples: &dyn Examples) -> Cow<'_, Self> {
        Cow::Borrowed(self)
    }
}

impl ModelConfig for Perceptron {
    fn family(&self) -> Option<Family> {
        Some(Family::Graph)
    }

    #[cfg(feature = "train")]
    fn net(&self) -> Option<Box<dyn super::Net>> {
        Some(Box::new(self.clone()))
    }
}

/// The script has the functions of the graph.
impl ToPyTorch for Perceptron {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Ok(ScriptPart::default())
    }
}

impl Architecture for Perceptron {
    fn graph(&self, inputs: usize, _stage: usize) -> Option<Graph> {
        Some(self.build(inputs))
    }

    fn parameters(&self, inputs: usize, replicas: usize) -> Vec<Parameter> {
        graph_network::parameters(&self.build(inputs), replicas)
    }

    fn rows(&self) -> Rows {
        Rows { name: "Weights w", symbol: "w", row: "input bit", column: "", entry: "weight" }
    }

    fn initial(&self, seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        let parameter = &self.parameters(inputs, replicas)[0];
        vec![match self.start {
            Start::Zero => vec![0.0; parameter.len()],
            Start::Gaussian => Initialisation::Gaussian.draw(seed, 0, parameter, inputs),
        }]
    }

    fn step_flops(&self, inputs: usize, batch: usize) -> f64 {
        4.0 * batch as f64 * inputs as f64
    }
}

impl Perceptron {
    /// The linear form w · x.
    fn build(&self, inputs: usize) -> Graph {
        let deviation = match self.start {
            Start::Zero => 0.0,
            Start::Gaussian => (2.0 / inputs as f32).sqrt(),
        };
        let mut graph = Graph::on_numbers(inputs);
        let w = graph.parameter("w", [inputs, 1], deviation);
        let x = graph.input();
        let f = graph.linear(x, w);
        graph.set_output(f);
        graph
    }
}

impl Network for Perceptron {
    fn evaluate(&self, weights: &[&[f32]], inputs: usize, x: &[f32], stage: usize) -> Vec<f32> {
        first_layer::evaluate(self, weights, inputs, x, stage)
    }

    fn linear_first_layer(&self) -> Option<&dyn LinearFirstLayer> {
        Some(self)
    }
}

impl LinearFirstLayer for Perceptron {
    fn first_layer<'a>(&self, weights: &[&'a [f32]], _inputs: usize) -> Forms<'a> {
        (weights[0].into(), vec![0.0].into())
    }

    fn head(&self, _weights: &[&[f32]], z: &[f64], gradient: &mut [f64], _stage: usize) -> f64 {
        gradient[0] = 1.0;
        z[0]
    }
}

#[cfg(feature = "train")]
impl super::Net for Perceptron {
    fn forward(
        &self,
        examples: &dyn crate::tasks::Examples,
        parameters: &[burn::tensor::Tensor<3>],
        x: burn::tensor::Tensor<3>,
        _stage: usize,
    ) -> burn::tensor::Tensor<3> {
        vivarium_operators::tensors::forward(&self.build(examples.inputs()), parameters, &x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_the_linear_form() {
        let net = Perceptron { start: Start::Gaussian };
        let weights = net.initial(4, 3, 1);
        let w = &weights[0];
        let outputs = net.evaluate(&[w], 3, &[1.0, 1.0, -1.0, -1.0, 1.0, 1.0], 0);
        let exact = [w[0] + w[1] - w[2], -w[0] + w[1] + w[2]];
        assert!(outputs.iter().zip(exact).all(|(a, b)| (a - b).abs() < 1e-6), "{outputs:?} {exact:?}");
        assert!(Perceptron::default().initial(4, 3, 2)[0] == [0.0; 6]);
    }
}
