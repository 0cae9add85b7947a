//! The transformer on tensors.

use burn::tensor::Tensor;
use burn::tensor::activation::{relu, softmax};

use super::{AttentionOnly, LayerPlaces};
use crate::models::Net;
use crate::models::sequences::{self, NEVER, one_hot, past, skewed};
use crate::tasks::Examples;

impl Net for AttentionOnly {
    /// A row for every symbol of every context: `[replicas, batch · length, symbols]`.
    fn forward(
        &self,
        _examples: &dyn Examples,
        parameters: &[Tensor<3>],
        x: Tensor<3>,
        _stage: usize,
    ) -> Tensor<3> {
        let places = self.places();
        let [_, batch, columns] = x.dims();
        let length = columns - 1;
        let [replicas, symbols, d] = parameters[places.embed].dims();
        let symbols = one_hot(&x, 0, length, symbols);
        let mut z = symbols.matmul(parameters[places.embed].clone()); // [replicas, batch · length, d]
        if let Some(at) = places.positions {
            let all = z.reshape([replicas, batch, length * d]);
            let positions = parameters[at].clone().reshape([replicas, 1, length * d]);
            z = (all + positions).reshape([replicas, batch * length, d]);
        }
        // What is yet to come is no past: a score that no softmax sees.
        let past = past(length, &z.device());
        let never = (past.ones_like() - past) * NEVER;
        for (layer, at) in places.layers.iter().enumerate() {
            let sizes = Sizes { batch, length, heads: self.heads[layer] };
            let mixed = attend(parameters, at, normed(&z, at.gain, parameters), &never, sizes);
            z = z + match at.out {
                Some(out) => mixed.matmul(parameters[out].clone()),
                None => mixed,
            };
            if let Some([w_in, w_out]) = at.mlp {
                let hidden = normed(&z, at.mlp_gain, parameters).matmul(parameters[w_in].clone());
                z = z + relu(hidden).matmul(parameters[w_out].clone());
            }
        }
        normed(&z, places.gain, parameters).matmul(parameters[places.readout].clone())
    }

    fn trained(&self, _stage: usize) -> Vec<bool> {
        vec![true; self.places().readout + 1]
    }
}

#[derive(Clone, Copy)]
struct Sizes {
    batch: usize,
    length: usize,
    heads: usize,
}

/// LN(z)·g where there is a gain, else z.
fn normed(z: &Tensor<3>, gain: Option<usize>, parameters: &[Tensor<3>]) -> Tensor<3> {
    gain.map_or_else(|| z.clone(), |gain| sequences::normed(z, &parameters[gain], true))
}

/// What the heads of a layer give, side by side.
///
/// # Shapes
/// `z` and the result are `[replicas, batch · length, d]`; `never` is `[1, length, length]`.
fn attend(
    parameters: &[Tensor<3>],
    at: &LayerPlaces,
    z: Tensor<3>,
    never: &Tensor<3>,
    sizes: Sizes,
) -> Tensor<3> {
    let Sizes { batch, length, heads } = sizes;
    let [replicas, rows, d] = z.dims();
    let size = d / heads;
    // Heads before sequences, so that all sequences of a head meet its distances in one product.
    let of = |which: usize| {
        let all = z.clone().matmul(parameters[which].clone());
        all.reshape([replicas, rows, heads, size]).swap_dims(1, 2).reshape([replicas * heads, rows, size])
    };
    let by_sequence = |all: Tensor<3>| all.reshape([replicas * heads * batch, length, size]);
    let (query, key, value) = (of(at.query) / (size as f32).sqrt(), of(at.key), of(at.value));
    let mut scores = by_sequence(query.clone()).matmul(by_sequence(key).swap_dims(1, 2));
    if let Some(distances) = at.distances {
        let r = parameters[distances].clone().reshape([replicas, length, heads, size]);
        let r = r.swap_dims(1, 2).reshape([replicas * heads, length, size]);
        let by_distance = query.matmul(r.swap_dims(1, 2)); // [replicas · heads, batch · length, length]
        scores = scores + skewed(by_distance.reshape([replicas * heads * batch, length, length]));
    }
    let shares = softmax(scores + never.clone(), 2);
    let mixed = shares.matmul(by_sequence(value)).reshape([replicas, heads, rows, size]);
    mixed.swap_dims(1, 2).reshape([replicas, rows, d])
}
