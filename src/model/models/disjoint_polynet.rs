//! Disjoint-PolyNet of Edelman 2024, section 5.4.2 and appendix B.2.3, on many replicas at once: a product of
//! linear forms that share no input.
//!
//! ```text
//! f(x) = Π_{i=1}^{k} ⟨w_i, x_{P_i}⟩,  P_i = the i-th of k blocks of consecutive coordinates
//! ```
//!
//! # Why
//! On a parity with one relevant bit in each block (the task's layout "blocks") the population gradient of the
//! correlation loss is zero but for the k relevant weights, which makes the whole course of training known
//! exactly: it is the model of which the thesis proves plateau and transition.
//! The thesis lets k divide n. Here block i goes from ⌊in/k⌋ up to ⌊(i+1)n/k⌋ for any k ≤ n, which is the same
//! if k divides n; otherwise the blocks differ by one coordinate, and no pair of n and k is refused.
//! The blocks of w stand one below the other in one parameter `[replicas, inputs, 1]`.

use std::borrow::Cow;

use super::Architecture;
use super::Bind;
use super::Forms;
use super::LinearFirstLayer;
use super::ModelConfig;
use super::Network;
use super::Parameter;
use super::Rows;
use super::first_layer::{self, product};
use super::initialisation::each;
use super::layout::{self, Tensor, Tensors};
use super::{Family, graph_network};
use crate::tasks::{Examples, Task, TaskData};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::ScriptPart;
use vivarium_core::pytorch::ToPyTorch;
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::BARAK_2022;
use vivarium_core::sources::EDELMAN_2024;
use vivarium_core::{choices, settings};
use vivarium_operators::{Graph, block_diagonal};

choices! {
    /// Distribution of the initial weights, whose size does not depend on n: those of the thesis's figure and theorems.
    pub enum Law {
        /// Standard normal (figure B.1, theorem 5.7).
        Normal = "normal", "Normal, variance 1";
        /// ±1 with equal probability (theorem 5.8).
        Signs = "signs", "Random signs ±1";
        /// All ones (section 5.4.2).
        Ones = "ones", "All ones";
    }
}

settings! {
    /// A product of linear forms in blocks of the input: f(x) = Π ⟨w_i, x_Pi⟩.
    pub struct DisjointPolynet {
        /// Number of blocks; each block gives one factor of the product. A parity of k bits, one bit in each block, needs k blocks.
        degree: usize = 3, "degree", "Degree", Range::Int(1, 8), "blocks";
        /// Distribution of the initial weights.
        init: Law = Law::Normal, "init", "Initialisation", Range::Choice(Law::OPTIONS);
    }
}

impl DisjointPolynet {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "disjoint-polynet",
        name: "Disjoint-PolyNet",
        about: "A product of linear forms, each on a separate block of the inputs. For this network, theory predicts how long the loss plateau lasts.",
        sources: &[EDELMAN_2024, BARAK_2022],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
f = Π_j x[P_j] w[P_j]                       j = 0 … degree − 1
P_j = ⌊j n / degree⌋ … ⌊(j + 1) n / degree⌋ − 1",
        loss: layout::SIGNS,
        letters: &[["P_j", "the inputs of block j, counted from 0"]],
        all: &[Tensor::new(
            "w",
            ["n", "1"],
            ["input", ""],
            "weights of the blocks, one block below the other",
        )],
    };

    /// The coordinates of each block, from 0.
    pub fn blocks(&self, inputs: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
        block_diagonal::ranges(inputs, self.degree)
    }
}

impl Bind for DisjointPolynet {
    type Bound = Self;

    fn bind(&self, _examples: &dyn Examples) -> Cow<'_, Self> {
        Cow::Borrowed(self)
    }
}

impl ModelConfig for DisjointPolynet {
    fn suits(&self, task: &Task) -> bool {
        // It is made for parities, whose theory it comes with.
        matches!(task.data(), TaskData::Bits(Some(_)))
    }

    fn mend(&mut self, inputs: usize) {
        self.degree = self.degree.min(inputs);
    }

    fn family(&self) -> Option<Family> {
        Some(Family::Graph)
    }

    #[cfg(feature = "train")]
    fn net(&self) -> Option<Box<dyn super::Net>> {
        Some(Box::new(self.clone()))
    }
}

impl ToPyTorch for DisjointPolynet {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Ok(ScriptPart::from_code(&[include_str!("pytorch/disjoint_polynet.py")]))
    }
}

impl Architecture for DisjointPolynet {
    fn graph(&self, inputs: usize, _stage: usize) -> Option<Graph> {
        Some(self.build(inputs))
    }

    fn parameters(&self, inputs: usize, replicas: usize) -> Vec<Parameter> {
        graph_network::parameters(&self.build(inputs), replicas)
    }

    fn rows(&self) -> Rows {
        Rows { name: "Weights w of the blocks", symbol: "w", row: "input bit", column: "", entry: "weight" }
    }

    fn initial(&self, seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        let parameters = self.parameters(inputs, replicas);
        let draw = |parameter| {
            each(seed, parameter, |stream, i| match self.init {
                Law::Normal => stream.draw_normal(0, i),
                Law::Signs if stream.draw_u32(0, i) >> 31 == 0 => 1.0,
                Law::Signs => -1.0,
                Law::Ones => 1.0,
            })
        };
        parameters.iter().map(draw).collect()
    }

    fn step_flops(&self, inputs: usize, batch: usize) -> f64 {
        // The block-diagonal matrix is multiplied as a whole.
        4.0 * batch as f64 * inputs as f64 * self.degree as f64
    }

    fn activations(&self, _inputs: usize) -> u64 {
        self.degree as u64
    }

    fn problems(&self, inputs: usize, _batch: usize, _replicas: usize) -> Vec<InvalidSetting> {
        let found = self.degree.to_string();
        let problem = || InvalidSetting::new("degree", &found, tr!("at most n = {n}", n = inputs));
        (self.degree > inputs).then(problem).into_iter().collect()
    }
}

impl DisjointPolynet {
    /// The product of the linear forms of all blocks.
    fn build(&self, inputs: usize) -> Graph {
        let mut graph = Graph::on_numbers(inputs);
        let w = graph.parameter("w", [inputs, 1], 0.0);
        let x = graph.input();
        // A degree above the number of inputs is refused before a run begins.
        let matrix = graph.block_diagonal(w, self.degree.clamp(1, inputs));
        let forms = graph.linear(x, matrix);
        let f = graph.product(forms);
        graph.set_output(f);
        graph
    }
}

impl Network for DisjointPolynet {
    fn evaluate(&self, weights: &[&[f32]], inputs: usize, x: &[f32], stage: usize) -> Vec<f32> {
        first_layer::evaluate(self, weights, inputs, x, stage)
    }

    fn linear_first_layer(&self) -> Option<&dyn LinearFirstLayer> {
        Some(self)
    }
}

impl LinearFirstLayer for DisjointPolynet {
    fn first_layer<'a>(&self, weights: &[&'a [f32]], inputs: usize) -> Forms<'a> {
        let mut w = vec![0.0; inputs * self.degree];
        for (factor, block) in self.blocks(inputs).enumerate() {
            for i in block {
                w[i * self.degree + factor] = weights[0][i];
            }
        }
        (w.into(), vec![0.0; self.degree].into())
    }

    fn head(&self, _weights: &[&[f32]], z: &[f64], gradient: &mut [f64], _stage: usize) -> f64 {
        product(z, gradient)
    }
}

#[cfg(feature = "train")]
impl super::Net for DisjointPolynet {
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
    fn blocks_follow_each_other_and_cover_the_inputs() {
        for (inputs, degree) in [(30, 3), (50, 3), (8, 8), (7, 4), (5, 1)] {
            let blocks: Vec<_> = DisjointPolynet { degree, ..Default::default() }.blocks(inputs).collect();
            assert_eq!((blocks[0].start, blocks[degree - 1].end), (0, inputs));
            assert!(blocks.windows(2).all(|pair| pair[0].end == pair[1].start));
            assert!(
                blocks.iter().all(|block| [inputs / degree, inputs.div_ceil(degree)].contains(&block.len()))
            );
        }
    }

    #[test]
    fn initial_weights_follow_their_distribution() {
        for init in Law::ALL {
            let w = DisjointPolynet { init: *init, ..Default::default() }.initial(3, 500, 8).remove(0);
            let mean = w.iter().sum::<f32>() / 4000.0;
            let square = w.iter().map(|w| w * w).sum::<f32>() / 4000.0;
            assert!((square - 1.0).abs() < 0.1, "{init:?}: {square}");
            assert!((mean - if *init == Law::Ones { 1.0 } else { 0.0 }).abs() < 0.05, "{init:?}: {mean}");
            assert_eq!(w.iter().all(|w| w.abs() == 1.0), *init != Law::Normal);
        }
    }

    #[test]
    fn more_blocks_than_inputs_are_refused() {
        let net = DisjointPolynet { degree: 5, ..Default::default() };
        assert_eq!(net.problems(4, 1, 1)[0].key, "degree");
        assert!(net.problems(5, 1, 1).is_empty());
    }
}
