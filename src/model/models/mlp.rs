//! Two-layer perceptron of Edelman 2024, section 5.3, on many replicas at once:
//!
//! ```text
//! f(x) = uᵀ σ(W x + b) + β
//! ```
//!
//! # Why
//! The thesis prints f without the output bias β. Without it the narrowest ReLU nets cannot represent a
//! parity at all, and with it they reach the thesis's figures, so it is there and can be switched off.
//! W is stored `[replicas, inputs, width]`, so that one neuron's weights are a column and the product
//! with a batch needs no transposition.
//!
//! A lottery ticket (Frankle and Carbin 2018; Edelman 2024, figure C.2) is a list of neurons, `keep`: those of a
//! layer of `width` neurons that are there at all, with the weights that they would have in it before the first
//! step. Which they are is found by training the whole layer, once; the list stands in the link. So initial weights
//! stay a function of the settings alone, which page, loops and kernels compute in no time, and nobody has to train a
//! network to begin another. With one initialisation for all replicas (`inits=1`) a ticket is trained on several
//! orders of data; with one for each, the same list is some neurons of other layers: as many, as they come.

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
use super::family::{Family, Head, OneHiddenLayer};
use super::initialisation;
use super::layout::{self, Tensor, Tensors};
use super::{first_layer, graph_network, pytorch, too_wide};
use crate::tasks::{ExampleForm, Examples};
use vivarium_core::bounds::MAX_FIRST_LAYER_WEIGHTS;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::ScriptPart;
use vivarium_core::pytorch::ToPyTorch;
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::BARAK_2022;
use vivarium_core::sources::EDELMAN_2024;
use vivarium_core::{choices, settings};
use vivarium_operators::Graph;

choices! {
    /// Which biases are trained; the others stay at zero.
    pub enum Biases {
        /// Hidden and output.
        Both = "both", "Hidden biases and output bias";
        /// b only, as printed in the thesis.
        Hidden = "hidden", "Hidden biases only";
        /// β only.
        Output = "output", "Output bias only";
        /// Neither.
        Neither = "none", "None";
    }
}

choices! {
    /// What becomes of the second layer u.
    pub enum SecondLayer {
        /// Drawn and trained as the first.
        Trained = "trained", "Trained";
        /// Every u_j is 1 for ever: f(x) = Σ_j σ(w_j·x + b_j) + β.
        Ones = "ones", "All weights fixed to 1";
    }
}

choices! {
    /// What becomes of the first layer W and its biases b.
    pub enum FirstLayer {
        /// Trained from what was drawn.
        Trained = "trained", "Trained";
        /// Never moved: random features, of which u learns a combination (Edelman 2024, theorem 5.6).
        Frozen = "frozen", "Frozen at random weights";
    }
}

settings! {
    /// One hidden layer: f(x) = uᵀσ(Wx + b) + β.
    pub struct Mlp {
        /// Number of neurons in the hidden layer.
        width: usize = 100, "width", "Width", Range::Int(1, 16_384), "neurons";
        /// Non-linearity of the hidden neurons.
        activation: Activation = Activation::Relu, "act", "Activation σ", Range::Choice(Activation::OPTIONS);
        /// Exponent of z^degree; for other activations, the number k of bits for which one neuron can compute the parity.
        degree: usize = 3, "degree", "Degree of σ", Range::Int(1, 8), only when "act" = "power" | "zigzag" | "wave" | "osc" | "sin";
        /// Distribution of the initial weights and biases.
        init: Initialisation = Initialisation::Uniform, "init", "Initialisation", Range::Choice(Initialisation::OPTIONS);
        /// Number of ones in each row of the initial W; all other entries are 0 or ε.
        ones: usize = 2, "ones", "Ones per row of W", Range::Int(1, 512), only when "init" = "sparse" | "perturbed";
        /// Biases that are trained. With ReLU, a parity of an odd number of bits (3 or more) cannot be learned without hidden biases.
        biases: Biases = Biases::Both, "bias", "Biases", Range::Choice(Biases::OPTIONS);
        /// Whether the second layer u is trained, or all its weights are fixed to 1, so that the layer adds up the neurons' outputs.
        second: SecondLayer = SecondLayer::Trained, "second", "Second layer u", Range::Choice(SecondLayer::OPTIONS);
        /// Whether the first layer W and its biases b are trained, or keep their random initial values.
        first: FirstLayer = FirstLayer::Trained, "first", "First layer W", Range::Choice(FirstLayer::OPTIONS);
        /// List of the hidden neurons that are kept, counted from 1; all others are removed. If the list is empty, all are kept.
        keep: Vec<usize> = vec![], "keep", "Kept neurons", Range::List(1, 16_384);
    }
}

impl Mlp {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "mlp",
        name: "Two-layer MLP",
        about: "A network with one hidden layer. By default all its weights are trained. Even a small network of this kind can learn a parity.",
        sources: &[EDELMAN_2024, BARAK_2022],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
z = x w + b
f = σ(z) u + beta",
        loss: layout::SIGNS,
        letters: &[["M", "neurons: `width`, or the length of `keep`"]],
        all: &[
            Tensor::new("w", ["n", "M"], ["input", "neuron"], "weights of the hidden layer"),
            Tensor::new("u", ["M", "1"], ["neuron", ""], "weights of the output; all 1 with `second=ones`"),
            Tensor::new(
                "b",
                ["1", "M"],
                ["", "neuron"],
                "biases of the hidden layer; all 0 without this bias (`bias`)",
            ),
            Tensor::new("beta", ["1", "1"], ["", ""], "bias of the output; 0 without this bias (`bias`)"),
        ],
    };

    /// Whether the hidden bias b and the output bias β are there.
    pub fn biases(&self) -> (bool, bool) {
        match self.biases {
            Biases::Both => (true, true),
            Biases::Hidden => (true, false),
            Biases::Output => (false, true),
            Biases::Neither => (false, false),
        }
    }

    /// Neurons that are there: those that are kept, or all that were drawn.
    pub fn neurons(&self) -> usize {
        if self.keep.is_empty() { self.width } else { self.keep.len() }
    }
}

/// Place of W in [`Architecture::parameters`].
pub const W: usize = 0;
/// Place of u.
pub const U: usize = 1;
/// Place of b.
pub const B: usize = 2;
/// Place of β.
pub const BETA: usize = 3;

impl Bind for Mlp {
    type Bound = Self;

    fn bind(&self, _examples: &dyn Examples) -> Cow<'_, Self> {
        Cow::Borrowed(self)
    }
}

impl ModelConfig for Mlp {
    fn takes(&self) -> &'static [ExampleForm] {
        &[ExampleForm::Bits, ExampleForm::Row]
    }

    fn family(&self) -> Option<Family> {
        let (hidden_bias, output_bias) = self.biases();
        let first_layer = self.first == FirstLayer::Trained;
        Some(Family::OneHiddenLayer(OneHiddenLayer {
            width: self.neurons(),
            head: Head::Sum,
            activation: self.activation,
            degree: self.degree,
            hidden_bias: hidden_bias && first_layer,
            output_bias,
            first_layer,
            second_layer: self.second == SecondLayer::Trained,
        }))
    }

    #[cfg(feature = "train")]
    fn net(&self) -> Option<Box<dyn super::Net>> {
        Some(Box::new(self.clone()))
    }
}

impl ToPyTorch for Mlp {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        let (hidden, output) = self.biases();
        let ones = self.second == SecondLayer::Ones;
        let all = [(ones, U), (!hidden, B), (!output, BETA)];
        let fixed = all.iter().filter(|(is_fixed, _)| *is_fixed).map(|(_, which)| *which).collect();
        let frozen = if self.first == FirstLayer::Frozen { vec![W, B] } else { vec![] };
        let mut code = vec![pytorch::SIGMA, include_str!("pytorch/mlp.py")];
        // Which neurons are kept says something only of the layer that the seed draws.
        let given = !self.keep.is_empty();
        if !given {
            code.push(include_str!("pytorch/initial/mlp.py"));
        }
        Ok(ScriptPart {
            code,
            constant_parameters: fixed,
            frozen_parameters: frozen,
            embeds_initial_weights: given,
            ..ScriptPart::default()
        })
    }
}

impl Architecture for Mlp {
    fn graph(&self, inputs: usize, _stage: usize) -> Option<Graph> {
        Some(self.build(inputs))
    }

    fn parameters(&self, inputs: usize, replicas: usize) -> Vec<Parameter> {
        graph_network::parameters(&self.build(inputs), replicas)
    }

    fn initial(&self, seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        let parameters = self.parameters(inputs, replicas);
        (0..parameters.len()).map(|which| self.initial_one(seed, inputs, which, &parameters[which])).collect()
    }

    fn step_flops(&self, inputs: usize, batch: usize) -> f64 {
        4.0 * batch as f64 * inputs as f64 * self.neurons() as f64
    }

    fn problems(&self, inputs: usize, _batch: usize, _replicas: usize) -> Vec<InvalidSetting> {
        let found = || self.keep.iter().map(usize::to_string).collect::<Vec<_>>().join(".");
        let expected = || tr!("neuron numbers from 1 to the width, {width}", width = self.width);
        let beyond = self.keep.iter().any(|neuron| *neuron == 0 || *neuron > self.width);
        let beyond = beyond.then(|| InvalidSetting::new("keep", &found(), expected()));
        beyond.into_iter().chain(too_wide("width", self.neurons(), inputs, MAX_FIRST_LAYER_WEIGHTS)).collect()
    }
}

impl Network for Mlp {
    fn evaluate(&self, weights: &[&[f32]], inputs: usize, x: &[f32], stage: usize) -> Vec<f32> {
        first_layer::evaluate(self, weights, inputs, x, stage)
    }

    fn linear_first_layer(&self) -> Option<&dyn LinearFirstLayer> {
        Some(self)
    }

    #[cfg(not(target_family = "wasm"))]
    fn inside(&self, weights: &[&[f32]], inputs: usize, x: &[f32]) -> Vec<super::inside::Inside> {
        let mut all = super::inside::Gathered::default();
        let neurons = [("neuron", self.neurons())];
        for x in x.chunks_exact(inputs) {
            let z = super::inside::forms(&(weights[W].into(), weights[B].into()), x);
            let h = z.iter().map(|z| self.activation.value_and_slope(self.degree, *z).0);
            all.activations("activations", &neurons, h);
            all.activations("preactivations", &neurons, z);
        }
        all.arrays()
    }
}

impl LinearFirstLayer for Mlp {
    fn first_layer<'a>(&self, weights: &[&'a [f32]], _inputs: usize) -> Forms<'a> {
        (weights[W].into(), weights[B].into())
    }

    fn head(&self, weights: &[&[f32]], z: &[f64], gradient: &mut [f64], _stage: usize) -> f64 {
        let mut output = f64::from(weights[BETA][0]);
        for ((z, u), derivative) in z.iter().zip(weights[U]).zip(gradient) {
            let (h, by_z) = self.activation.value_and_slope(self.degree, *z);
            output += f64::from(*u) * h;
            *derivative = f64::from(*u) * by_z;
        }
        output
    }
}

impl Mlp {
    /// The network as a graph.
    fn build(&self, inputs: usize) -> Graph {
        let (mut graph, width) = (Graph::on_numbers(inputs), self.neurons());
        let [w, u, b, beta] =
            [("w", [inputs, width]), ("u", [width, 1]), ("b", [1, width]), ("beta", [1, 1])]
                .map(|(name, shape)| graph.parameter(name, shape, 0.0));
        let x = graph.input();
        let z = graph.linear(x, w);
        let z = graph.sum(&[z, b]);
        let h = graph.pointwise(z, self.activation.function(self.degree));
        let f = graph.linear(h, u);
        let f = graph.sum(&[f, beta]);
        graph.set_output(f);
        let (hidden, output) = self.biases();
        let first = self.first == FirstLayer::Trained;
        let trained =
            [(W, first), (U, self.second == SecondLayer::Trained), (B, first && hidden), (BETA, output)];
        trained.iter().filter(|(_, is_trained)| !is_trained).for_each(|(which, _)| graph.freeze(*which));
        graph
    }

    fn initial_one(&self, seed: u64, inputs: usize, which: usize, parameter: &Parameter) -> Vec<f32> {
        let (hidden, output) = self.biases();
        if (which == B && !hidden) || (which == BETA && !output) {
            return vec![0.0; parameter.len()];
        }
        if which == U && self.second == SecondLayer::Ones {
            return vec![1.0; parameter.len()];
        }
        if which == W
            && let Some(rest) = self.init.rest(inputs)
        {
            let neuron = |at: usize| self.keep.get(at).map_or(at, |neuron| neuron - 1);
            return initialisation::sparse(seed, parameter, self.ones, rest, neuron);
        }
        // A bias follows the law of the weights beside it, as in PyTorch's `nn.Linear`.
        let fan_in = if matches!(which, U | BETA) { self.width } else { inputs };
        if self.keep.is_empty() || which == BETA {
            return self.init.draw(seed, which, parameter, fan_in);
        }
        // Only what is kept is drawn: the whole layers of thousands of replicas need not have room anywhere. A number
        // for each neuron, once for each input or once.
        let place = |at: u32| {
            let (row, at) = (at as usize / self.keep.len(), at as usize % self.keep.len());
            (row * self.width + self.keep[at] - 1) as u32
        };
        self.init.draw_at(seed, which, parameter, fan_in, place)
    }
}

#[cfg(feature = "train")]
impl super::Net for Mlp {
    fn forward(
        &self,
        examples: &dyn crate::tasks::Examples,
        parameters: &[burn::tensor::Tensor<3>],
        x: burn::tensor::Tensor<3>,
        _stage: usize,
    ) -> burn::tensor::Tensor<3> {
        let graph = self.build(examples.inputs()).rewritten();
        vivarium_operators::tensors::forward(&graph, parameters, &x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_layer_is_scaled_by_the_width() {
        let mlp = Mlp { width: 400, init: Initialisation::Sign, ..Default::default() };
        let size = |which: usize| mlp.initial(1, 25, 1)[which][0].abs();
        assert_eq!([W, B, U, BETA].map(size), [0.2, 0.2, 0.05, 0.05]);
    }

    #[test]
    fn absent_biases_start_at_zero() {
        let initial = Mlp { biases: Biases::Hidden, ..Default::default() }.initial(0, 5, 1);
        assert!(initial[B].iter().any(|v| *v != 0.0));
        assert_eq!(initial[BETA], [0.0]);
    }

    #[test]
    fn kept_neurons_have_the_weights_that_they_have_in_the_whole_layer() {
        for init in Initialisation::ALL.iter().copied() {
            let whole = Mlp { width: 9, init, ..Default::default() };
            let ticket = Mlp { keep: vec![3, 8, 1], ..whole.clone() };
            assert_eq!((ticket.neurons(), whole.neurons()), (3, 9));
            let shapes: Vec<_> = ticket.parameters(5, 2).into_iter().map(|p| p.shape).collect();
            assert_eq!(shapes, [[2, 5, 3], [2, 3, 1], [2, 1, 3], [2, 1, 1]]);
            let (all, kept) = (whole.initial(7, 5, 2), ticket.initial(7, 5, 2));
            for replica in 0..2 {
                for (at, neuron) in [2, 7, 0].into_iter().enumerate() {
                    for input in 0..5 {
                        let row = replica * 5 + input;
                        assert_eq!(kept[W][row * 3 + at], all[W][row * 9 + neuron], "{init:?}");
                    }
                    assert_eq!(kept[U][replica * 3 + at], all[U][replica * 9 + neuron], "{init:?}");
                    assert_eq!(kept[B][replica * 3 + at], all[B][replica * 9 + neuron], "{init:?}");
                }
            }
            assert_eq!(kept[BETA], all[BETA]);
            let beyond = Mlp { keep: vec![3, 10], ..whole };
            assert_eq!(beyond.problems(5, 1, 1)[0].key, "keep");
            assert!(ticket.problems(5, 1, 1).is_empty());
        }
    }

    /// The whole layers are 2³³ numbers, of which 32 bits count none.
    #[test]
    fn of_a_ticket_only_what_is_kept_is_drawn() {
        for init in Initialisation::ALL.iter().copied() {
            let ticket = Mlp { width: 4096, keep: vec![4096], init, ..Default::default() };
            let lengths = ticket.initial(0, 512, 4096).iter().map(Vec::len).collect::<Vec<_>>();
            assert_eq!(lengths, [512 * 4096, 4096, 4096, 4096]);
        }
    }

    #[test]
    fn a_second_layer_of_ones_leaves_the_other_weights_as_they_are() {
        let trained = Mlp::default().initial(3, 5, 2);
        let ones = Mlp { second: SecondLayer::Ones, ..Default::default() }.initial(3, 5, 2);
        assert!(ones[U].iter().all(|u| *u == 1.0));
        assert_eq!([&ones[W], &ones[B], &ones[BETA]], [&trained[W], &trained[B], &trained[BETA]]);
    }
}
