//! Perceptron of several hidden layers (Edelman 2024, appendix B.3.7), on many replicas at once, trained end to
//! end or greedily layer by layer:
//!
//! ```text
//! z_0 = x,  z_l = σ(W_l z_{l−1} + b_l) for l = 1..L−1,  f(x) = uᵀ z_{L−1} + β
//! ```
//!
//! # Why
//! With σ(z) = z², L layers represent parities of up to 2^(L−1) bits, while each layer by itself sees none of
//! more than two: its population gradient is zero. What is learned is learned end to end. To show the other half,
//! layers can be trained greedily (Belilovsky et al. 2019): the steps of a run are divided evenly into stages, one
//! for each hidden layer l, and stage l trains W_l and b_l with a head u_l, β_l of its own on the frozen layers
//! below. The output of the network in stage l is that of head l.
//!
//! The thesis prints f without the output bias β. With a last hidden layer of one neuron u z² has one sign
//! everywhere, and every run stays at one half; with β it reaches what the thesis reports.
//!
//! # Speed
//! Widths (10, 10, 1) on 10 bits, batch 32, on one core: 153,000 steps/s by the executor of graphs, and 160,000 by the loop
//! that was written for these layers (AMD EPYC, medians of eleven pairs between 0.75 and 1.07, 2026-11-29). Autodiff makes
//! some 12,000.

use std::borrow::Cow;

use super::layout::{self, Tensor, Tensors};
use super::{
    Activation, Architecture, Bind, Family, Forms, Initialisation, LinearFirstLayer, ModelConfig, Network,
    Parameter, exceeds_memory, first_layer, graph_network, initialisation, pytorch, too_wide,
};
use crate::tasks::{ExampleForm, Examples};
use vivarium_core::bounds::MAX_FIRST_LAYER_WEIGHTS;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::{BELILOVSKY_2019, EDELMAN_2024};
use vivarium_core::{choices, settings};
use vivarium_operators::Graph;

choices! {
    /// Which layers are trained at a time.
    pub enum Training {
        /// All of them, by the gradient of the one output.
        EndToEnd = "end", "All layers together";
        /// One after the other, each with a head of its own.
        Greedy = "greedy", "Layer by layer";
    }
}

settings! {
    /// Hidden layers z ↦ σ(Wz + b) one after the other, then f(x) = uᵀz + β.
    pub struct DeepMlp {
        /// Number of neurons in each hidden layer, from the first layer to the last.
        widths: Vec<usize> = vec![2, 1], "widths", "Hidden widths", Range::Sizes(1, 16_384, 6), "neurons";
        /// Non-linearity of the hidden neurons.
        activation: Activation = Activation::Power, "act", "Activation σ", Range::Choice(Activation::OPTIONS);
        /// Exponent of z^degree; for other activations, the number k of bits for which one neuron can compute the parity.
        degree: usize = 2, "degree", "Degree of σ", Range::Int(1, 8), only when "act" = "power" | "zigzag" | "wave" | "osc" | "sin";
        /// Distribution of the initial weights and biases.
        init: Initialisation = Initialisation::Uniform, "init", "Initialisation", Range::Choice(Initialisation::OPTIONS);
        /// Number of ones in each initial row of the first layer; all other entries are 0 or ε.
        ones: usize = 2, "ones", "Ones per row of the first layer", Range::Int(1, 512), only when "init" = "sparse" | "perturbed";
        /// Whether all layers are trained for the whole run, or one layer after the other, each for an equal number of steps.
        training: Training = Training::EndToEnd, "layers", "Training of the layers", Range::Choice(Training::OPTIONS);
    }
}

impl DeepMlp {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "deep-mlp",
        name: "Deep MLP",
        about: "A network with several hidden layers. With the activation z², a network with one hidden layer can compute parities of at most 2 bits, and a network with two hidden layers can compute parities of at most 4 bits.",
        sources: &[EDELMAN_2024, BELILOVSKY_2019],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
h_0 = x
h_l = σ(h_{l−1} w{l} + b{l})                l = 1 … L
f   = h_L u{L} + beta{L}",
        loss: layout::SIGNS,
        letters: &[
            [
                "L",
                "hidden layers: the length of `widths`. With `layers=greedy` the steps are divided evenly among the hidden layers, and while layer l is trained, f = h_l u{l} + beta{l}",
            ],
            ["m_l", "neurons of layer l: number l of `widths`; m_0 = n"],
        ],
        all: &[
            Tensor::new(
                "w{l}",
                ["n or m_{l−1}", "m_l"],
                ["input or neuron below", "neuron"],
                "weights of hidden layer l",
            ),
            Tensor::new("b{l}", ["1", "m_l"], ["", "neuron"], "its biases"),
            Tensor::new(
                "u{l}",
                ["m_l", "1"],
                ["neuron", ""],
                "weights of the output above layer l: of the last layer alone, or of every layer with `layers=greedy`",
            ),
            Tensor::new("beta{l}", ["1", "1"], ["", ""], "bias of this output"),
        ],
    };

    /// Whether layers are trained one after the other.
    pub fn greedy(&self) -> bool {
        self.training == Training::Greedy
    }

    /// The hidden layer, from 0, below the head that is the output in `stage`.
    pub fn top(&self, stage: usize) -> usize {
        if self.greedy() { stage } else { self.widths.len() - 1 }
    }

    /// Place of u of that head in [`Architecture::parameters`]; β follows.
    pub fn u(&self, stage: usize) -> usize {
        2 * self.widths.len() + if self.greedy() { 2 * stage } else { 0 }
    }

    /// The network whose output is that of `stage`.
    fn build(&self, inputs: usize, stage: usize) -> Graph {
        let mut graph = Graph::on_numbers(inputs);
        let (mut layers, mut below) = (vec![], inputs);
        for (number, width) in (1..).zip(&self.widths) {
            let w = graph.parameter(format!("w{number}"), [below, *width], 0.0);
            layers.push([w, graph.parameter(format!("b{number}"), [1, *width], 0.0)]);
            below = *width;
        }
        let mut heads = vec![];
        for stage in 0..self.stages() {
            let top = self.top(stage);
            let u = graph.parameter(format!("u{}", top + 1), [self.widths[top], 1], 0.0);
            heads.push([u, graph.parameter(format!("beta{}", top + 1), [1, 1], 0.0)]);
        }
        let mut h = graph.input();
        for [w, b] in &layers[..=self.top(stage)] {
            let z = graph.linear(h, *w);
            let z = graph.sum(&[z, *b]);
            h = graph.pointwise(z, self.activation.function(self.degree));
        }
        let [u, beta] = heads[if self.greedy() { stage } else { 0 }];
        let f = graph.linear(h, u);
        let f = graph.sum(&[f, beta]);
        graph.set_output(f);
        if self.greedy() {
            let is_of_stage = |which: usize| which % (2 * self.widths.len()) / 2 == stage;
            let others = (0..graph.parameters().len()).filter(|which| !is_of_stage(*which));
            others.for_each(|which| graph.freeze(which));
        }
        graph
    }

    /// z_{l+1} before the activation, given z_l.
    fn forms(&self, weights: &[&[f32]], layer: usize, below: &[f64]) -> Vec<f64> {
        let (w, b) = (weights[w(layer)], weights[b(layer)]);
        let mut z: Vec<f64> = b.iter().map(|b| f64::from(*b)).collect();
        for (h, row) in below.iter().zip(w.chunks_exact(b.len())) {
            z.iter_mut().zip(row).for_each(|(z, w)| *z += h * f64::from(*w));
        }
        z
    }

    /// σ and σ' of every number.
    fn activate(&self, z: &[f64]) -> (Vec<f64>, Vec<f64>) {
        z.iter().map(|z| self.activation.value_and_slope(self.degree, *z)).unzip()
    }
}

/// Place of W of hidden layer `layer`, counted from 0, in [`Architecture::parameters`].
pub fn w(layer: usize) -> usize {
    2 * layer
}

/// Place of b of hidden layer `layer`.
pub fn b(layer: usize) -> usize {
    2 * layer + 1
}

impl Bind for DeepMlp {
    type Bound = Self;

    fn bind(&self, _examples: &dyn Examples) -> Cow<'_, Self> {
        Cow::Borrowed(self)
    }
}

impl ModelConfig for DeepMlp {
    fn takes(&self) -> &'static [ExampleForm] {
        &[ExampleForm::Bits, ExampleForm::Row]
    }

    fn family(&self) -> Option<Family> {
        Some(Family::HiddenLayers(self.clone()))
    }

    #[cfg(feature = "train")]
    fn net(&self) -> Option<Box<dyn super::Net>> {
        Some(Box::new(self.clone()))
    }
}

impl ToPyTorch for DeepMlp {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        let (forward, layers) = match self.training {
            Training::EndToEnd => (include_str!("pytorch/deep_mlp_end.py"), "depth"),
            Training::Greedy => (include_str!("pytorch/deep_mlp_greedy.py"), "stages"),
        };
        let code = vec![pytorch::SIGMA, include_str!("pytorch/deep_mlp.py"), forward];
        Ok(ScriptPart {
            code,
            settings: vec![(layers, self.widths.len().to_string())],
            ..ScriptPart::default()
        })
    }
}

impl Architecture for DeepMlp {
    fn graph(&self, inputs: usize, stage: usize) -> Option<Graph> {
        Some(self.build(inputs, stage))
    }

    fn parameters(&self, inputs: usize, replicas: usize) -> Vec<Parameter> {
        graph_network::parameters(&self.build(inputs, 0), replicas)
    }

    fn initial(&self, seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        // A weight matrix has as many rows as its neurons have inputs; a bias follows the law of its weights.
        let mut fan_in = inputs;
        let draw = |(which, parameter): (usize, &Parameter)| {
            if let Some(rest) = self.init.rest(inputs).filter(|_| which == w(0)) {
                return initialisation::sparse(seed, parameter, self.ones, rest, |at| at);
            }
            if which.is_multiple_of(2) {
                fan_in = parameter.shape[1];
            }
            self.init.draw(seed, which, parameter, fan_in)
        };
        self.parameters(inputs, replicas).iter().enumerate().map(draw).collect()
    }

    fn step_flops(&self, inputs: usize, batch: usize) -> f64 {
        // The input needs no gradient.
        let above: f64 = self.widths.windows(2).map(|pair| 6.0 * pair[0] as f64 * pair[1] as f64).sum();
        batch as f64 * (4.0 * inputs as f64 * self.widths[0] as f64 + above)
    }

    fn problems(&self, inputs: usize, batch: usize, replicas: usize) -> Vec<InvalidSetting> {
        let first = self.widths.first().copied().unwrap_or(0);
        let wide = too_wide("widths", first, inputs, MAX_FIRST_LAYER_WEIGHTS);
        wide.into_iter().chain(exceeds_memory(self.activations(inputs), batch, replicas)).collect()
    }

    fn stages(&self) -> usize {
        if self.greedy() { self.widths.len() } else { 1 }
    }
}

impl Network for DeepMlp {
    fn evaluate(&self, weights: &[&[f32]], inputs: usize, x: &[f32], stage: usize) -> Vec<f32> {
        first_layer::evaluate(self, weights, inputs, x, stage)
    }

    fn linear_first_layer(&self) -> Option<&dyn LinearFirstLayer> {
        Some(self)
    }

    #[cfg(not(target_family = "wasm"))]
    fn inside(&self, weights: &[&[f32]], inputs: usize, x: &[f32]) -> Vec<super::inside::Inside> {
        let mut all = super::inside::Gathered::default();
        for x in x.chunks_exact(inputs) {
            let mut h: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
            for (layer, width) in self.widths.iter().enumerate() {
                h = self.activate(&self.forms(weights, layer, &h)).0;
                let name = super::inside::of_layer("activations", layer);
                all.activations(&name, &[("neuron", *width)], h.iter().copied());
            }
        }
        all.arrays()
    }
}

impl LinearFirstLayer for DeepMlp {
    fn first_layer<'a>(&self, weights: &[&'a [f32]], _inputs: usize) -> Forms<'a> {
        (weights[w(0)].into(), weights[b(0)].into())
    }

    fn head(&self, weights: &[&[f32]], z: &[f64], gradient: &mut [f64], stage: usize) -> f64 {
        let (mut h, by_z) = self.activate(z);
        let mut derivatives = vec![by_z];
        for layer in 1..=self.top(stage) {
            let (value, by_z) = self.activate(&self.forms(weights, layer, &h));
            h = value;
            derivatives.push(by_z);
        }
        let (u, beta) = (weights[self.u(stage)], weights[self.u(stage) + 1][0]);
        let output = h.iter().zip(u).map(|(h, u)| h * f64::from(*u)).sum::<f64>() + f64::from(beta);
        let mut in_h: Vec<f64> = u.iter().map(|u| f64::from(*u)).collect();
        for layer in (0..derivatives.len()).rev() {
            in_h.iter_mut().zip(&derivatives[layer]).for_each(|(in_h, by_z)| *in_h *= by_z);
            if layer > 0 {
                let rows = weights[w(layer)].chunks_exact(in_h.len());
                in_h = rows.map(|row| row.iter().zip(&in_h).map(|(w, g)| f64::from(*w) * g).sum()).collect();
            }
        }
        gradient.copy_from_slice(&in_h);
        output
    }
}

#[cfg(feature = "train")]
impl super::Net for DeepMlp {
    fn forward(
        &self,
        examples: &dyn crate::tasks::Examples,
        parameters: &[burn::tensor::Tensor<3>],
        x: burn::tensor::Tensor<3>,
        stage: usize,
    ) -> burn::tensor::Tensor<3> {
        let graph = self.build(examples.inputs(), stage).rewritten();
        vivarium_operators::tensors::forward(&graph, parameters, &x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn net(widths: &[usize], training: Training) -> DeepMlp {
        DeepMlp { widths: widths.to_vec(), training, ..Default::default() }
    }

    #[test]
    fn greedy_training_adds_a_head_for_every_layer() {
        let names = |training| {
            let parameters = net(&[4, 3], training).parameters(6, 2);
            parameters.iter().map(|p| format!("{}:{:?}", p.name, p.shape)).collect::<Vec<_>>().join(" ")
        };
        let layers = "w1:[2, 6, 4] b1:[2, 1, 4] w2:[2, 4, 3] b2:[2, 1, 3]";
        assert_eq!(names(Training::EndToEnd), format!("{layers} u2:[2, 3, 1] beta2:[2, 1, 1]"));
        let heads = "u1:[2, 4, 1] beta1:[2, 1, 1] u2:[2, 3, 1] beta2:[2, 1, 1]";
        assert_eq!(names(Training::Greedy), format!("{layers} {heads}"));
    }

    #[test]
    fn every_layer_is_scaled_by_its_fan_in() {
        let net = DeepMlp { init: Initialisation::Sign, ..net(&[16, 4], Training::Greedy) };
        let sizes: Vec<f32> = net.initial(1, 25, 1).iter().map(|values| values[0].abs()).collect();
        assert_eq!(sizes, [0.2, 0.2, 0.25, 0.25, 0.25, 0.25, 0.5, 0.5]);
    }

    #[test]
    fn a_sparse_first_layer_leaves_the_layers_above_as_they_are() {
        let dense = net(&[5, 4], Training::EndToEnd);
        let sparse = DeepMlp { init: Initialisation::Sparse, ..dense.clone() };
        let (dense, sparse) = (dense.initial(3, 6, 2), sparse.initial(3, 6, 2));
        assert_eq!(dense[1..], sparse[1..]);
        for replica in sparse[0].chunks(30) {
            for neuron in 0..5 {
                let column: Vec<f32> = (0..6).map(|i| replica[i * 5 + neuron]).collect();
                assert_eq!(column.iter().sum::<f32>(), 2.0);
                assert!(column.iter().all(|w| [0.0, 1.0].contains(w)));
            }
        }
    }

    /// x₁x₂x₃x₄ from squares of squares: (a + b)² = 2 + 2ab, (ab + cd)² = 2 + 2abcd.
    #[test]
    fn three_layers_of_squares_are_a_parity_of_four_bits() {
        let w1 = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0];
        let weights: [&[f32]; 6] = [&w1, &[0.0; 2], &[0.5, 0.5], &[-2.0], &[0.5], &[-1.0]];
        let net = net(&[2, 1], Training::EndToEnd);
        for word in 0..16 {
            let x: Vec<f32> = (0..4).map(|i| if word >> i & 1 == 0 { 1.0 } else { -1.0 }).collect();
            assert_eq!(net.evaluate(&weights, 4, &x, 0), [x.iter().product::<f32>()]);
        }
    }
}
