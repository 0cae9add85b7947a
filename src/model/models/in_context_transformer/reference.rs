//! The decoder of one replica in plain loops and double precision: for probes, and as the reference of everything that
//! is faster.
//!
//! Tokens are rows of all matrices here: h is `[t, width]` for a prompt of t tokens.

use super::{Format, InContextTransformer, LayerPlaces, Norm, OnPoints, Places, Unit};
use crate::models::attend::Attend;
use crate::models::matrices::product_turned;
use crate::models::norm::Normed;
use vivarium_core::math::{add_scaled, dot, matrix_product, softmax};
use vivarium_operators::pointwise::Function;

/// The weights of one replica, with all that their use needs.
#[derive(Debug, Clone)]
pub struct Plain {
    pub(super) net: InContextTransformer,
    pub(super) places: Places,
    /// Numbers in an input x.
    pub(super) inputs: usize,
    /// As [`Architecture::parameters`](crate::models::Architecture::parameters) of one replica.
    pub weights: Vec<Vec<f64>>,
}

/// What a network makes of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// The heads, layer by layer.
    pub heads: Vec<Head>,
    /// ŷ at each question, `[points]`.
    pub outputs: Vec<f64>,
}

/// What a head looks at.
///
/// Token 2j is the question of point j, counted from 0, and token 2j + 1 its answer; the last answer is not read, so
/// that p points are t = 2p − 1 tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// Its layer, from 0.
    pub layer: usize,
    /// Its number in the layer, from 0.
    pub head: usize,
    /// Scores s, `[t, t]`: the row is of the token that looks; 0 where the column comes later.
    pub scores: Vec<f64>,
    /// Weights of attention, `[t, t]`, 0 where the column comes later. The rows of a softmax sum to one.
    pub weights: Vec<f64>,
}

/// All that a layer makes on its way, for the way back.
pub(super) struct Pass {
    /// What attention reads.
    pub normed: Normed,
    /// nW_Q, nW_K and nW_V of what is read, n, each `[t, width]` with the heads side by side.
    pub query: Vec<f64>,
    pub key: Vec<f64>,
    pub value: Vec<f64>,
    pub heads: Vec<Head>,
    /// What the heads give, side by side, `[t, width]`.
    pub mixed: Vec<f64>,
    /// What the MLP reads.
    pub mlp: Normed,
    /// nW_in and σ of it, `[t, hidden]`.
    pub before: Vec<f64>,
    pub hidden: Vec<f64>,
}

/// All that a network makes on its way.
pub(super) struct Walk {
    /// `[t, inputs + 1]`.
    pub tokens: Vec<f64>,
    pub layers: Vec<Pass>,
    /// What the read-out reads, at all tokens.
    pub normed: Normed,
    /// `[points]`.
    pub outputs: Vec<f64>,
    /// `[points]`.
    pub labels: Vec<f64>,
}

impl OnPoints {
    /// The network of one replica's `weights`.
    ///
    /// # Shapes
    /// `weights` as [`Architecture::parameters`](crate::models::Architecture::parameters) of one replica.
    pub fn plain(&self, weights: &[&[f32]]) -> Plain {
        let wide = |values: &&[f32]| values.iter().map(|v| f64::from(*v)).collect();
        Plain {
            net: self.net.clone(),
            places: self.net.places(),
            inputs: self.prompts.inputs(),
            weights: weights.iter().map(wide).collect(),
        }
    }
}

impl Plain {
    /// Most points of a prompt that this network can read; none where it has no vectors of places.
    pub fn longest(&self) -> Option<usize> {
        self.places.positions.map(|at| self.weights[at].len() / self.net.width.max(1) / 2)
    }

    /// Attention and predictions of a prompt.
    ///
    /// # Shapes
    /// `row` is one prompt of any number of points, inputs and then labels: `points · (inputs + 1)` numbers. The label of
    /// the last point is not looked at, and that of each other point only by the points after it.
    ///
    /// # Panics
    /// If the prompt is [longer](Plain::longest) than there are places.
    pub fn look(&self, row: &[f32]) -> Look {
        let walk = self.walk(row);
        Look { heads: walk.layers.into_iter().flat_map(|pass| pass.heads).collect(), outputs: walk.outputs }
    }

    /// ŷ at each question of the prompt in `row`, which is as in [`Plain::look`], `[points]`.
    ///
    /// # Panics
    /// As [`Plain::look`].
    pub fn outputs(&self, row: &[f32]) -> Vec<f64> {
        self.walk(row).outputs
    }

    /// Tokens `[t, inputs + 1]` and labels `[points]` of the prompt in `row`.
    pub(super) fn tokens(&self, row: &[f32]) -> (Vec<f64>, Vec<f64>) {
        let (inputs, points) = (self.inputs, row.len() / (self.inputs + 1));
        let row: Vec<f64> = row.iter().map(|v| f64::from(*v)).collect();
        let (x, labels) = row.split_at(points * inputs);
        let mut tokens = Vec::with_capacity(2 * row.len());
        for (x, y) in x.chunks_exact(inputs).zip(labels) {
            tokens.extend_from_slice(x);
            tokens.push(0.0);
            match self.net.format {
                Format::Interleaved => tokens.resize(tokens.len() + inputs, 0.0),
                Format::Joint => tokens.extend_from_slice(x),
            }
            tokens.push(*y);
        }
        tokens.truncate((2 * points).saturating_sub(1) * (inputs + 1));
        (tokens, labels.to_vec())
    }

    pub(super) fn walk(&self, row: &[f32]) -> Walk {
        let d = self.net.width;
        let (tokens, labels) = self.tokens(row);
        let mut h = matrix_product(&tokens, &self.weights[self.places.read_in], d);
        if let Some(positions) = self.places.positions.map(|at| &self.weights[at]) {
            assert!(h.len() <= positions.len(), "the prompt has more tokens than the network has places");
            add_scaled(&mut h, 1.0, positions);
        }
        let pass = |(layer, at)| self.pass(layer, at, &mut h);
        let layers = self.places.layers.iter().enumerate().map(pass).collect();
        let normed = self.normed(&h, self.places.gain);
        let output = |row: &[f64]| dot(row, &self.weights[self.places.readout]);
        let outputs = normed.out.chunks_exact(d).step_by(2).map(output).collect();
        Walk { tokens, layers, normed, outputs, labels }
    }

    /// What a layer makes of `h`, to which it adds.
    fn pass(&self, layer: usize, at: &LayerPlaces, h: &mut [f64]) -> Pass {
        let (d, size) = (self.net.width, self.net.head_width());
        let normed = self.normed(h, at.gain_attention);
        let [query, key, value] =
            [at.query, at.key, at.value].map(|at| matrix_product(&normed.out, &self.weights[at], d));
        let mut mixed = vec![0.0; h.len()];
        let mut heads = vec![];
        for head in 0..self.net.heads {
            let cut = |rows: &[f64]| -> Vec<f64> {
                rows.chunks_exact(d).flat_map(|row| &row[head * size..][..size]).copied().collect()
            };
            let (scores, weights) = self.attend(&cut(&query), &cut(&key));
            let t = h.len() / d;
            for (mixed, weights) in mixed.chunks_exact_mut(d).zip(weights.chunks_exact(t)) {
                for (weight, value) in weights.iter().zip(value.chunks_exact(d)) {
                    add_scaled(&mut mixed[head * size..][..size], *weight, &value[head * size..][..size]);
                }
            }
            heads.push(Head { layer, head, scores, weights });
        }
        add_scaled(h, 1.0, &matrix_product(&mixed, &self.weights[at.out], d));
        let mlp = self.normed(h, at.gain_mlp);
        let before = matrix_product(&mlp.out, &self.weights[at.mlp_in], self.net.hidden);
        let hidden: Vec<f64> = before.iter().map(|z| self.net.unit.value_and_slope(*z).0).collect();
        add_scaled(h, 1.0, &matrix_product(&hidden, &self.weights[at.mlp_out], d));
        Pass { normed, query, key, value, heads, mixed, mlp, before, hidden }
    }

    /// Scores of a head and its weights of attention, `[t, t]`, from its own columns of queries and keys.
    fn attend(&self, query: &[f64], key: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let size = self.net.head_width();
        let mut scores = product_turned(query, key, size);
        let t = query.len() / size;
        for (i, row) in scores.chunks_exact_mut(t).enumerate() {
            row.iter_mut().for_each(|score| *score /= libm::sqrt(size as f64));
            row[i + 1..].fill(0.0);
        }
        let mut weights = scores.clone();
        for (i, row) in weights.chunks_exact_mut(t).enumerate() {
            match self.net.attend {
                Attend::Softmax => softmax(&mut row[..=i]),
                Attend::Relu => {
                    let positive = |score: f64| if score < 0.0 { 0.0 } else { score };
                    row.iter_mut().for_each(|score| *score = positive(*score) / (i + 1) as f64);
                }
            }
        }
        (scores, weights)
    }

    /// norm(h) for each row of h, with the gains at `gain`.
    pub(super) fn normed(&self, h: &[f64], gain: usize) -> Normed {
        Normed::of(h, &self.weights[gain], self.net.norm == Norm::Layer)
    }
}

impl Unit {
    /// σ as an operator.
    pub fn function(self) -> Function {
        match self {
            Unit::Relu => Function::Relu,
            Unit::Gelu => Function::Gelu,
        }
    }

    /// σ(z) and σ'(z) in double precision.
    pub fn value_and_slope(self, z: f64) -> (f64, f64) {
        self.function().value_and_derivative(z)
    }
}
