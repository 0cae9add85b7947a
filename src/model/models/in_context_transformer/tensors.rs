//! The decoder on tensors.

use burn::tensor::Tensor;
use burn::tensor::activation::{relu, softmax};

use super::{Format, InContextTransformer, LayerPlaces, Norm, prompts_of};
use crate::models::Net;
use crate::models::attend::Attend;
use crate::models::graph_prompts::interleave;
use crate::models::sequences::{self, NEVER, past};
use crate::tasks::Examples;

impl Net for InContextTransformer {
    /// A prediction for every point of every prompt: `[replicas, batch, points]`.
    fn forward(
        &self,
        examples: &dyn Examples,
        parameters: &[Tensor<3>],
        x: Tensor<3>,
        _stage: usize,
    ) -> Tensor<3> {
        let (places, inputs, d) = (self.places(), prompts_of(examples).inputs(), self.width);
        let [_, batch, columns] = x.dims();
        let [replicas, token, _] = parameters[places.read_in].dims();
        let points = columns / token;
        // The last answer is not needed, and stands here so that every point has two tokens.
        let t = 2 * points;
        let tokens = interleave(x, inputs, self.format == Format::Joint).expand([replicas, batch * t, token]);
        let mut h = tokens.matmul(parameters[places.read_in].clone()); // [replicas, batch · t, d]
        if let Some(at) = places.positions {
            let positions = parameters[at].clone().narrow(1, 0, t).reshape([replicas, 1, t * d]);
            h = (h.reshape([replicas, batch, t * d]) + positions).reshape([replicas, batch * t, d]);
        }
        let past = past(t, &h.device());
        for at in &places.layers {
            let read = self.normed(&h, &parameters[at.gain_attention]);
            h = h + self.attention(parameters, at, read, &past).matmul(parameters[at.out].clone());
            let read = self.normed(&h, &parameters[at.gain_mlp]);
            let hidden = self.unit.function().forward_tensors(read.matmul(parameters[at.mlp_in].clone()));
            h = h + hidden.matmul(parameters[at.mlp_out].clone());
        }
        let questions = h.reshape([replicas, batch * points, 2 * d]).narrow(2, 0, d);
        let outputs =
            self.normed(&questions, &parameters[places.gain]).matmul(parameters[places.readout].clone());
        outputs.reshape([replicas, batch, points])
    }

    fn trained(&self, _stage: usize) -> Vec<bool> {
        vec![true; self.places().readout + 1]
    }
}

impl InContextTransformer {
    /// norm(h) times the gain.
    fn normed(&self, h: &Tensor<3>, gain: &Tensor<3>) -> Tensor<3> {
        sequences::normed(h, gain, self.norm == Norm::Layer)
    }

    /// What the heads of a layer give, side by side.
    ///
    /// # Shapes
    /// `read` and the result are `[replicas, batch · t, d]`; `past` is `[1, t, t]`.
    fn attention(
        &self,
        parameters: &[Tensor<3>],
        at: &LayerPlaces,
        read: Tensor<3>,
        past: &Tensor<3>,
    ) -> Tensor<3> {
        let [replicas, rows, d] = read.dims();
        let (heads, size, t) = (self.heads, self.head_width(), past.dims()[1]);
        let prompts = replicas * rows / t;
        let of = |which: usize| {
            let all = read.clone().matmul(parameters[which].clone());
            let all = all.reshape([prompts, t, heads, size]).swap_dims(1, 2);
            all.reshape([prompts * heads, t, size])
        };
        let (query, key, value) = (of(at.query) / (size as f32).sqrt(), of(at.key), of(at.value));
        let scores = query.matmul(key.swap_dims(1, 2)); // [prompts · heads, t, t]
        let weights = match self.attend {
            // What is yet to come has a score that no softmax sees.
            Attend::Softmax => softmax(scores + (past.ones_like() - past.clone()) * NEVER, 2),
            Attend::Relu => relu(scores) * (past.clone() / past.clone().sum_dim(2)),
        };
        let mixed = weights.matmul(value).reshape([prompts, heads, t, size]);
        mixed.swap_dims(1, 2).reshape([replicas, rows, d])
    }
}

#[cfg(test)]
mod tests;
