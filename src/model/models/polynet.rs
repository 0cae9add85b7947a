//! PolyNet of Edelman 2024, section 5.3, setting (xv), on many replicas at once: a product of linear forms.
//!
//! ```text
//! f(x) = Π_{i=1}^{k} (w_i·x + b_i)
//! ```
//!
//! # Why
//! A parity of k bits is the product of k coordinates, so this is the shortest way to write one down, and
//! every w_i must find a different bit. The w_i are the columns of one parameter `[replicas, inputs, k]`, as
//! in the [perceptron](super::mlp), so that charts of its first layer show them too.

use std::borrow::Cow;

use super::Activation;
use super::Architecture;
use super::Bind;
use super::Forms;
use super::Initialisation;
use super::LinearFirstLayer;
use super::ModelConfig;
use super::Network;
use super::Parameter;
use super::Rows;
use super::family::{Family, Head, OneHiddenLayer};
use super::first_layer::{self, product};
use super::graph_network;
use super::layout::{self, Tensor, Tensors};
use crate::tasks::Examples;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::ScriptPart;
use vivarium_core::pytorch::ToPyTorch;
use vivarium_core::settings::Range;
use vivarium_core::sources::{BARAK_2022, EDELMAN_2024};
use vivarium_core::{choices, settings};
use vivarium_operators::Graph;

choices! {
    /// Whether the factors have biases; without them they stay at zero.
    pub enum Bias {
        /// w·x + b.
        Yes = "yes", "In every factor";
        /// w·x.
        No = "no", "None";
    }
}

settings! {
    /// A product of linear forms: f(x) = Π (w_i·x + b_i).
    pub struct Polynet {
        /// Number of factors; a parity of k bits needs k factors.
        degree: usize = 3, "degree", "Degree", Range::Int(1, 8), "factors";
        /// Distribution of the initial weights and biases.
        init: Initialisation = Initialisation::Uniform, "init", "Initialisation", Range::Choice(Initialisation::DENSE);
        /// Whether the factors have biases that are trained.
        bias: Bias = Bias::Yes, "bias", "Biases", Range::Choice(Bias::OPTIONS);
    }
}

impl Polynet {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "polynet",
        name: "PolyNet",
        about: "A product of linear forms of the input bits. The product is the parity if each form depends on exactly one relevant bit, and different forms depend on different bits.",
        sources: &[EDELMAN_2024, BARAK_2022],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
f = Π_j (x w + b)_j                         j = 0 … degree − 1",
        loss: layout::SIGNS,
        letters: &[],
        all: &[
            Tensor::new("w", ["n", "degree"], ["input", "factor"], "weights of the factors"),
            Tensor::new("b", ["1", "degree"], ["", "factor"], "biases of the factors; all 0 with `bias=no`"),
        ],
    };
}

/// Place of the w_i, as columns, in [`Architecture::parameters`].
pub const W: usize = 0;
/// Place of the b_i.
pub const B: usize = 1;

impl Bind for Polynet {
    type Bound = Self;

    fn bind(&self, _examples: &dyn Examples) -> Cow<'_, Self> {
        Cow::Borrowed(self)
    }
}

impl ModelConfig for Polynet {
    fn family(&self) -> Option<Family> {
        Some(Family::OneHiddenLayer(OneHiddenLayer {
            width: self.degree,
            head: Head::Product,
            activation: Activation::Relu,
            degree: 1,
            hidden_bias: self.bias == Bias::Yes,
            output_bias: false,
            first_layer: true,
            second_layer: false,
        }))
    }

    #[cfg(feature = "train")]
    fn net(&self) -> Option<Box<dyn super::Net>> {
        Some(Box::new(self.clone()))
    }
}

impl ToPyTorch for Polynet {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        let fixed = if self.bias == Bias::No { vec![B] } else { vec![] };
        Ok(ScriptPart {
            constant_parameters: fixed,
            ..ScriptPart::from_code(&[include_str!("pytorch/polynet.py")])
        })
    }
}

impl Architecture for Polynet {
    fn graph(&self, inputs: usize, _stage: usize) -> Option<Graph> {
        Some(self.build(inputs))
    }

    fn parameters(&self, inputs: usize, replicas: usize) -> Vec<Parameter> {
        graph_network::parameters(&self.build(inputs), replicas)
    }

    fn rows(&self) -> Rows {
        Rows {
            name: "Weights w of the factors",
            symbol: "w",
            row: "input bit",
            column: "factor",
            entry: "weight",
        }
    }

    fn initial(&self, seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        let parameters = self.parameters(inputs, replicas);
        let biases = match self.bias {
            Bias::Yes => self.init.draw(seed, B, &parameters[B], inputs),
            Bias::No => vec![0.0; parameters[B].len()],
        };
        vec![self.init.draw(seed, W, &parameters[W], inputs), biases]
    }

    fn step_flops(&self, inputs: usize, batch: usize) -> f64 {
        4.0 * batch as f64 * inputs as f64 * self.degree as f64
    }
}

impl Polynet {
    /// The product of linear forms of all inputs.
    fn build(&self, inputs: usize) -> Graph {
        let mut graph = Graph::on_numbers(inputs);
        let w = graph.parameter("w", [inputs, self.degree], 0.0);
        let b = graph.parameter("b", [1, self.degree], 0.0);
        if self.bias == Bias::No {
            graph.freeze(B);
        }
        let x = graph.input();
        let forms = graph.linear(x, w);
        let forms = graph.sum(&[forms, b]);
        let f = graph.product(forms);
        graph.set_output(f);
        graph
    }
}

impl Network for Polynet {
    fn evaluate(&self, weights: &[&[f32]], inputs: usize, x: &[f32], stage: usize) -> Vec<f32> {
        first_layer::evaluate(self, weights, inputs, x, stage)
    }

    fn linear_first_layer(&self) -> Option<&dyn LinearFirstLayer> {
        Some(self)
    }
}

impl LinearFirstLayer for Polynet {
    fn first_layer<'a>(&self, weights: &[&'a [f32]], _inputs: usize) -> Forms<'a> {
        (weights[W].into(), weights[B].into())
    }

    fn head(&self, _weights: &[&[f32]], z: &[f64], gradient: &mut [f64], _stage: usize) -> f64 {
        product(z, gradient)
    }
}

#[cfg(feature = "train")]
impl super::Net for Polynet {
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
    fn absent_biases_start_at_zero_and_the_weights_are_the_same() {
        let (with, without) = (Polynet::default(), Polynet { bias: Bias::No, ..Default::default() });
        let (with, without) = (with.initial(2, 5, 2), without.initial(2, 5, 2));
        assert_eq!(with[W], without[W]);
        assert!(with[B].iter().all(|b| *b != 0.0) && without[B].iter().all(|b| *b == 0.0));
        assert_eq!((with[W].len(), with[B].len(), without[B].len()), (30, 6, 6));
    }
}
