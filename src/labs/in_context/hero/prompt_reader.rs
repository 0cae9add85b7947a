//! The network's predictions for many queries after the same examples.
//!
//! # Why
//! A token attends only to itself and to earlier tokens, so the query changes nothing in the layers' keys and values of
//! the examples. They are computed once here, and each query is one more token. `Plain::outputs` of the model would
//! evaluate all tokens again for each query, which takes about twenty times as long for a curve of 49 queries.

use vivarium_core::math::{add_scaled, dot, matrix_product, softmax};
use vivarium_model::models::attend::Attend;
use vivarium_model::models::in_context_transformer::{
    Format, InContextTransformer, NORM_EPSILON, Norm, Places,
};

/// A network's answer to a query.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Prediction {
    /// The predicted label.
    pub output: f64,
    /// Attention weights of the query in the last layer, mean over heads: one for each token of the examples, then one
    /// for the query itself.
    pub attention: Vec<f64>,
}

/// Keys and values of all tokens read so far in one layer, each `[tokens, width]`, the heads side by side.
#[derive(Debug, Clone, Default)]
struct LayerCache {
    /// Keys of the tokens.
    keys: Vec<f64>,
    /// Values of the tokens.
    values: Vec<f64>,
}

/// A network that has read some examples of a prompt, with the keys and values of their tokens.
#[derive(Debug)]
pub(super) struct PromptReader<'a> {
    /// Settings of the network.
    net: &'a InContextTransformer,
    /// Parameters of one replica in the order of `RunSpec::parameters`.
    weights: &'a [Vec<f64>],
    /// Indices of the parameters in `weights`.
    places: Places,
    /// Number of tokens of the examples read so far: two for each example.
    token_count: usize,
    /// Keys and values of these tokens, layer by layer.
    caches: Vec<LayerCache>,
}

impl<'a> PromptReader<'a> {
    /// A network that has read no examples yet. All parameters of the network must be present, with their full lengths.
    pub fn new(net: &'a InContextTransformer, weights: &'a [Vec<f64>]) -> Self {
        let places = net.places();
        let caches = vec![LayerCache::default(); places.layers.len()];
        PromptReader { net, weights, places, token_count: 0, caches }
    }

    /// Reads an example: its input `x`, `[inputs]`, and its label.
    pub fn read_example(&mut self, x: &[f64], label: f64) {
        let mut question = x.to_vec();
        question.push(0.0);
        self.read_token(&question);
        self.token_count += 1;
        let mut answer = match self.net.format {
            Format::Interleaved => vec![0.0; x.len()],
            Format::Joint => x.to_vec(),
        };
        answer.push(label);
        self.read_token(&answer);
        self.token_count += 1;
    }

    /// Predicts the label of the query input `x`, `[inputs]`, from the examples read so far.
    pub fn predict(&mut self, x: &[f64]) -> Prediction {
        let mut question = x.to_vec();
        question.push(0.0);
        let (h, attention) = self.read_token(&question);
        let kept = self.token_count * self.net.width;
        for cache in &mut self.caches {
            cache.keys.truncate(kept);
            cache.values.truncate(kept);
        }
        let normed = self.normed(&h, self.places.gain);
        Prediction { output: dot(&normed, &self.weights[self.places.readout]), attention }
    }

    /// Appends the token `[inputs + 1]` to the caches of all layers. Returns its vector after the last layer, `[width]`,
    /// and its attention weights in the last layer, mean over heads, `[tokens]`.
    fn read_token(&mut self, token: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (d, size) = (self.net.width, self.net.head_width());
        let mut h = matrix_product(token, &self.weights[self.places.read_in], d);
        if let Some(positions) = self.places.positions {
            let from = self.token_count * d;
            add_scaled(&mut h, 1.0, self.weights[positions].get(from..).unwrap_or_default());
        }
        let mut attention = vec![];
        for (layer, at) in self.places.layers.iter().enumerate() {
            let read = self.normed(&h, at.gain_attention);
            let [query, key, value] =
                [at.query, at.key, at.value].map(|at| matrix_product(&read, &self.weights[at], d));
            let cache = &mut self.caches[layer];
            cache.keys.extend(key);
            cache.values.extend(value);
            let mut mixed = vec![0.0; d];
            attention = vec![0.0; self.token_count + 1];
            for head in 0..self.net.heads {
                let columns = head * size..(head + 1) * size;
                let score = |key: &[f64]| {
                    dot(&query[columns.clone()], &key[columns.clone()]) / libm::sqrt(size as f64)
                };
                let mut head_weights: Vec<f64> = cache.keys.chunks_exact(d).map(score).collect();
                match self.net.attend {
                    Attend::Softmax => softmax(&mut head_weights),
                    Attend::Relu => {
                        let count = head_weights.len() as f64;
                        let positive = |score: f64| if score < 0.0 { 0.0 } else { score };
                        head_weights.iter_mut().for_each(|score| *score = positive(*score) / count);
                    }
                }
                for (weight, value) in head_weights.iter().zip(cache.values.chunks_exact(d)) {
                    add_scaled(&mut mixed[columns.clone()], *weight, &value[columns.clone()]);
                }
                add_scaled(&mut attention, 1.0 / self.net.heads as f64, &head_weights);
            }
            add_scaled(&mut h, 1.0, &matrix_product(&mixed, &self.weights[at.out], d));
            let read = self.normed(&h, at.gain_mlp);
            let mut hidden = matrix_product(&read, &self.weights[at.mlp_in], self.net.hidden);
            hidden.iter_mut().for_each(|z| *z = self.net.unit.value_and_slope(*z).0);
            add_scaled(&mut h, 1.0, &matrix_product(&hidden, &self.weights[at.mlp_out], d));
        }
        (h, attention)
    }

    /// The norm of the vector `h`, `[width]`, times the gains in parameter `gain`.
    fn normed(&self, h: &[f64], gain: usize) -> Vec<f64> {
        let count = h.len() as f64;
        let mean = match self.net.norm {
            Norm::Rms => 0.0,
            Norm::Layer => h.iter().sum::<f64>() / count,
        };
        let centred: Vec<f64> = h.iter().map(|value| value - mean).collect();
        let factor = 1.0 / libm::sqrt(dot(&centred, &centred) / count + f64::from(NORM_EPSILON));
        centred.iter().zip(&self.weights[gain]).map(|(value, gain)| value * factor * gain).collect()
    }
}
