//! Random forest (Breiman 2001): the usual learner for tables, which networks are held against (Edelman 2024, appendix
//! C.3.3).
//!
//! ```text
//! f(x) = (1/T) Σ_t tree_t(x),  tree_t(x) ∈ {−1, +1}
//! ```
//!
//! Each tree is grown on a bootstrap sample, and at every node the best of a few columns drawn at random is split where
//! the Gini impurity falls most. One training step grows one tree, so that curves over the steps are curves over the
//! number of trees; after the last tree a step changes nothing.
//!
//! # Why
//! It is a model like the others, so that a sweep may have `model` as an axis and every chart, file and map is there for
//! both. Trees are [smartcore](https://docs.rs/smartcore)'s. What is saved of a forest is how many trees it has: which
//! they are follows from the specification, and they are grown again where a run is taken up.

use std::borrow::Cow;

use super::family::{Family, Trees};
use super::layout::{self, Tensor, Tensors};
use super::{Architecture, Bind, ModelConfig, Network, Parameter, Rows};
use crate::tasks::{ExampleForm, Examples};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings;
use vivarium_core::settings::Range;
use vivarium_core::sources::{BREIMAN_2001, EDELMAN_2024_FRONTIER};

settings! {
    /// Trees that vote.
    pub struct RandomForest {
        /// Number of trees in the forest; each training step grows one tree.
        trees: usize = 100, "trees", "Trees", Range::Int(1, 1000);
        /// Largest number of splits between the root and a leaf; with 0, nodes are split until every leaf contains only one class.
        depth: usize = 0, "depth", "Depth", Range::Int(0, 64), "splits";
        /// Number of random columns that are tried for each split; the best one is used. 0 means √n of the n columns.
        candidates: usize = 0, "features", "Columns tried per split", Range::Int(0, 512);
    }
}

impl RandomForest {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "random-forest",
        name: "Random forest",
        about: "Decision trees, each trained on a bootstrap sample, vote on the label. On tabular data, networks are compared with this forest.",
        sources: &[BREIMAN_2001, EDELMAN_2024_FRONTIER],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
f = mean of tree_t(x) over the trees so far, each −1 or +1",
        loss: layout::SIGNS,
        letters: &[],
        all: &[Tensor::new(
            "trees",
            ["1", "1"],
            ["", ""],
            "number of training steps, each of which grows one tree until the forest is complete; which trees these are follows from the link",
        )],
    };

    /// What the learner of forests needs to know.
    fn trees(&self) -> Trees {
        Trees { count: self.trees, depth: self.depth, candidates: self.candidates }
    }

    /// Trees after so many training steps.
    pub fn grown(&self, step: u64) -> usize {
        self.trees().grown(step)
    }
}

impl Bind for RandomForest {
    type Bound = Self;

    fn bind(&self, _examples: &dyn Examples) -> Cow<'_, Self> {
        Cow::Borrowed(self)
    }
}

impl ModelConfig for RandomForest {
    fn takes(&self) -> &'static [ExampleForm] {
        &[ExampleForm::Row]
    }

    fn has_weights(&self) -> bool {
        false
    }

    fn family(&self) -> Option<Family> {
        Some(Family::Forest(self.trees()))
    }
}

impl ToPyTorch for RandomForest {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Err("A forest is not trained by gradients.".into())
    }
}

impl Architecture for RandomForest {
    fn parameters(&self, _inputs: usize, replicas: usize) -> Vec<Parameter> {
        vec![Parameter::new("trees", [replicas, 1, 1])]
    }

    fn rows(&self) -> Rows {
        Rows::NONE
    }

    fn initial(&self, _seed: u64, _inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        vec![vec![0.0; replicas]]
    }

    fn step_flops(&self, inputs: usize, batch: usize) -> f64 {
        // Every node looks at all rows; a tree of some hundred leaves.
        batch as f64 * batch.min(400) as f64 * self.trees().candidates(inputs) as f64
    }
}

impl Network for RandomForest {
    /// Not a number for every row: the trees are not among the weights, and only the process of forests grows them.
    fn evaluate(&self, _weights: &[&[f32]], inputs: usize, x: &[f32], _stage: usize) -> Vec<f32> {
        vec![f32::NAN; x.len() / inputs.max(1)]
    }
}
