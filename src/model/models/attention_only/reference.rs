//! The transformer of one replica in plain loops and double precision: for probes, and as the reference of everything
//! that is faster.
//!
//! Places of symbols are rows of all matrices here: z is `[t, d]` for a context of t symbols.

use super::{AttentionOnly, LayerPlaces, OfLength, Places};
use crate::models::matrices::product_turned;
use crate::models::norm::Normed;
use vivarium_core::math::{add_scaled, dot, log_sum_exp, matrix_product, softmax};

/// The weights of one replica, with all that their use needs.
#[derive(Debug, Clone)]
pub struct Plain {
    pub(super) net: AttentionOnly,
    pub(super) places: Places,
    /// Symbols of the longest context.
    pub(super) length: usize,
    pub(super) symbols: usize,
    /// As [`Architecture::parameters`](crate::models::Architecture::parameters) of one replica.
    pub(super) weights: Vec<Vec<f64>>,
}

/// What a network makes of a context of t symbols.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// The heads, layer by layer.
    pub heads: Vec<Head>,
    /// Logits after each symbol, `[t, symbols]`.
    pub logits: Vec<f64>,
}

/// What a head looks at.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// Its layer, from 0.
    pub layer: usize,
    /// Its number in the layer, from 0.
    pub head: usize,
    /// Scores before the softmax, `[t, t]`: the row is of the place that looks; −∞ where the column comes later.
    pub scores: Vec<f64>,
    /// Shares of attention, `[t, t]`; every row sums to one.
    pub shares: Vec<f64>,
}

/// All that a layer makes on its way, for the way back.
pub(super) struct Pass {
    /// What attention reads.
    pub normed: Normed,
    /// yW_Q, yW_K and yW_V of what is read, y, each `[t, d]` with the heads side by side.
    pub query: Vec<f64>,
    pub key: Vec<f64>,
    pub value: Vec<f64>,
    pub heads: Vec<Head>,
    /// What the heads give, side by side, `[t, d]`.
    pub mixed: Vec<f64>,
    /// What the MLP reads, and its neurons after the ReLU, `[t, 4d]`.
    pub mlp: Option<(Normed, Vec<f64>)>,
}

/// All that a network makes on its way.
pub(super) struct Walk {
    pub layers: Vec<Pass>,
    /// What the read-out reads.
    pub normed: Normed,
    /// `[t, symbols]`.
    pub logits: Vec<f64>,
}

impl OfLength {
    /// The network of one replica's `weights` on so many `symbols`.
    ///
    /// # Shapes
    /// `weights` as [`Architecture::parameters`](crate::models::Architecture::parameters) of one replica.
    pub fn plain(&self, weights: &[&[f32]], symbols: usize) -> Plain {
        let wide = |values: &&[f32]| values.iter().map(|v| f64::from(*v)).collect();
        let weights = weights.iter().map(wide).collect();
        Plain { net: self.net.clone(), places: self.net.places(), length: self.length, symbols, weights }
    }
}

impl Plain {
    /// Scores, shares of attention and logits on `context`. The heads in `off`, counted layer by layer from 0, give
    /// zero; what they would look at is still told.
    ///
    /// # Panics
    /// If the context is empty, longer than those that the network is for, or holds other symbols.
    pub fn look(&self, context: &[u8], off: &[usize]) -> Look {
        let walk = self.walk(context, off);
        Look { heads: walk.layers.into_iter().flat_map(|pass| pass.heads).collect(), logits: walk.logits }
    }

    /// Mean cross-entropy over all places of `sequence`, which holds one symbol more than there are places: each is
    /// predicted from those before it. 0 where there is none.
    pub fn loss(&self, sequence: &[u8]) -> f64 {
        let [context @ .., _] = sequence else { return 0.0 };
        if context.is_empty() {
            return 0.0;
        }
        let logits = self.walk(context, &[]).logits;
        let losses = logits.chunks_exact(self.symbols).zip(&sequence[1..]);
        losses.map(|(logits, label)| surprise(logits, *label)).sum::<f64>() / context.len() as f64
    }

    /// Effective positional weights of each head of the first layer (Edelman 2024, section 8.3.2): the softmax over
    /// distances δ from 0 of (y W_Q)·R_δ/√d_h, with y what the layer reads at a symbol, averaged over the symbols,
    /// times the number of distances, so that 1 is an even share. No heads with absolute positions.
    ///
    /// The thesis writes W_K there, while its formula of attention pairs R with queries; here it is queries.
    pub fn distances(&self) -> Vec<Vec<f64>> {
        let at = &self.places.layers[0];
        let Some(distances) = at.distances.map(|at| &self.weights[at]) else { return vec![] };
        let (d, size) = (self.net.hidden, self.size(0));
        let read = self.normed(&self.weights[self.places.embed], at.gain).out;
        let queries = matrix_product(&read, &self.weights[at.query], d);
        let of_head = |head: usize| {
            let columns = head * size..(head + 1) * size;
            let mut mean = vec![0.0; self.length];
            for query in queries.chunks_exact(d) {
                let score = |row: &[f64]| dot(&query[columns.clone()], &row[columns.clone()]);
                let mut shares: Vec<f64> = distances.chunks_exact(d).map(score).collect();
                shares.iter_mut().for_each(|score| *score /= libm::sqrt(size as f64));
                softmax(&mut shares);
                add_scaled(&mut mean, self.length as f64 / self.symbols as f64, &shares);
            }
            mean
        };
        (0..self.net.heads[0]).map(of_head).collect()
    }

    /// Columns of each head of `layer`.
    pub(super) fn size(&self, layer: usize) -> usize {
        self.net.hidden / self.net.heads[layer]
    }

    /// The whole way from `context` to logits.
    pub(super) fn walk(&self, context: &[u8], off: &[usize]) -> Walk {
        let t = context.len();
        assert!((1..=self.length).contains(&t), "a context of {t} symbols for a network of {}", self.length);
        let d = self.net.hidden;
        let embed = &self.weights[self.places.embed];
        let mut z: Vec<f64> =
            context.iter().flat_map(|x| &embed[usize::from(*x) * d..][..d]).copied().collect();
        if let Some(positions) = self.places.positions {
            add_scaled(&mut z, 1.0, &self.weights[positions]);
        }
        let mut before = 0;
        let mut layers = vec![];
        for (layer, at) in self.places.layers.iter().enumerate() {
            let heads = self.net.heads[layer];
            let silent: Vec<usize> =
                off.iter().filter(|o| (before..before + heads).contains(o)).map(|o| o - before).collect();
            layers.push(self.layer(&mut z, layer, at, &silent));
            before += heads;
        }
        let normed = self.normed(&z, self.places.gain);
        let logits = matrix_product(&normed.out, &self.weights[self.places.readout], self.symbols);
        Walk { layers, normed, logits }
    }

    /// Adds to z what a layer gives, of which the heads `silent` give nothing.
    fn layer(&self, z: &mut [f64], layer: usize, at: &LayerPlaces, silent: &[usize]) -> Pass {
        let (d, size) = (self.net.hidden, self.size(layer));
        let normed = self.normed(z, at.gain);
        let [query, key, value] =
            [at.query, at.key, at.value].map(|at| matrix_product(&normed.out, &self.weights[at], d));
        let distances = at.distances.map(|at| &self.weights[at][..]);
        let mut mixed = vec![0.0; z.len()];
        let mut heads = vec![];
        for head in 0..self.net.heads[layer] {
            let columns = head * size..(head + 1) * size;
            let scores = scores(&query, &key, distances, d, columns.clone());
            let mut shares = scores.clone();
            let t = z.len() / d;
            shares.chunks_exact_mut(t).for_each(softmax);
            if !silent.contains(&head) {
                for (mixed, shares) in mixed.chunks_exact_mut(d).zip(shares.chunks_exact(t)) {
                    for (share, value) in shares.iter().zip(value.chunks_exact(d)) {
                        add_scaled(&mut mixed[columns.clone()], *share, &value[columns.clone()]);
                    }
                }
            }
            heads.push(Head { layer, head, scores, shares });
        }
        match at.out {
            Some(out) => add_scaled(z, 1.0, &matrix_product(&mixed, &self.weights[out], d)),
            None => add_scaled(z, 1.0, &mixed),
        }
        let mlp = at.mlp.map(|[first, second]| {
            let normed = self.normed(z, at.mlp_gain);
            let mut h = matrix_product(&normed.out, &self.weights[first], 4 * d);
            // What is no number passes: it must show.
            h.iter_mut().filter(|h| **h < 0.0).for_each(|h| *h = 0.0);
            add_scaled(z, 1.0, &matrix_product(&h, &self.weights[second], d));
            (normed, h)
        });
        Pass { normed, query, key, value, heads, mixed, mlp }
    }

    /// LN(z)·g for each row of z, or z without a gain.
    pub(super) fn normed(&self, z: &[f64], gain: Option<usize>) -> Normed {
        gain.map_or_else(|| Normed::none(z), |gain| Normed::of(z, &self.weights[gain], true))
    }
}

/// Scores of one head, whose `columns` of queries and keys `[t, d]` and of the rows of distances these are: `[t, t]`, −∞
/// where the column comes later than the row.
fn scores(
    query: &[f64],
    key: &[f64],
    distances: Option<&[f64]>,
    d: usize,
    columns: std::ops::Range<usize>,
) -> Vec<f64> {
    let t = query.len() / d;
    let cut = |rows: &[f64]| -> Vec<f64> {
        rows.chunks_exact(d).flat_map(|row| &row[columns.clone()]).copied().collect()
    };
    let (query, key) = (cut(query), cut(key));
    let mut scores = product_turned(&query, &key, columns.len());
    let by_distance = distances.map(|rows| product_turned(&query, &cut(&rows[..t * d]), columns.len()));
    for (i, row) in scores.chunks_exact_mut(t).enumerate() {
        if let Some(by_distance) = &by_distance {
            let distances = &by_distance[i * t..][..=i];
            row.iter_mut().zip(distances.iter().rev()).for_each(|(score, more)| *score += more);
        }
        row.iter_mut().for_each(|score| *score /= libm::sqrt(columns.len() as f64));
        row[i + 1..].fill(f64::NEG_INFINITY);
    }
    scores
}

/// Cross-entropy of one prediction.
pub(super) fn surprise(logits: &[f64], label: u8) -> f64 {
    log_sum_exp(logits.iter().copied()) - logits[usize::from(label)]
}
