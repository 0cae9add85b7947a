//! A look into a context, symbol by symbol, so that it can be made in parts.
//!
//! # Why
//! Attention looks back only, so that all of a symbol's row follows from the keys and values of those before it. The
//! numbers are those of [`Plain::look`], in the same order of additions.

use super::reference::{Head, Look, Plain};
use super::{LayerPlaces, OfLength};
use vivarium_core::math::{add_scaled, dot, matrix_product, softmax};

/// A look under way.
#[derive(Debug, Clone)]
pub struct LookJob {
    plain: Plain,
    context: Vec<u8>,
    /// Heads of each layer that are switched off.
    silent: Vec<Vec<usize>>,
    /// Keys and values of each layer, `[symbols so far, d]`.
    known: Vec<[Vec<f64>; 2]>,
    look: Look,
    /// Symbols so far.
    at: usize,
}

impl OfLength {
    /// The look of one replica's `weights` into `context`, as [`Plain::look`] makes it at once.
    ///
    /// # Shapes
    /// `weights` as [`Architecture::parameters`](crate::models::Architecture::parameters) of one replica.
    pub fn look_job(&self, weights: &[&[f32]], symbols: usize, context: &[u8], off: &[usize]) -> LookJob {
        let plain = self.plain(weights, symbols);
        let (mut silent, mut heads, mut before, t) = (vec![], vec![], 0, context.len());
        for (layer, count) in self.net.heads.iter().enumerate() {
            let of_layer = before..before + count;
            silent.push(off.iter().filter(|o| of_layer.contains(o)).map(|o| o - before).collect());
            before += count;
            heads.extend((0..*count).map(|head| Head {
                layer,
                head,
                scores: vec![f64::NEG_INFINITY; t * t],
                shares: vec![0.0; t * t],
            }));
        }
        let look = Look { heads, logits: vec![] };
        let known = vec![[vec![], vec![]]; self.net.heads.len()];
        LookJob { plain, context: context.to_vec(), silent, known, look, at: 0 }
    }
}

impl LookJob {
    /// Goes on by about so many operations, but by one symbol at least; the look comes with the last one.
    pub fn advance(&mut self, operations: u64) -> Option<Look> {
        let mut left = operations;
        while self.at < self.context.len() {
            self.place();
            left = left.saturating_sub(self.operations());
            if left == 0 && self.at < self.context.len() {
                return None;
            }
        }
        Some(std::mem::replace(&mut self.look, Look { heads: vec![], logits: vec![] }))
    }

    /// Operations of the symbol that was last, roughly.
    fn operations(&self) -> u64 {
        let (d, weights) = (self.plain.net.hidden, self.plain.weights.iter().map(Vec::len).sum::<usize>());
        (weights + 3 * self.at * d * self.known.len()) as u64
    }

    /// The row of the next symbol in every layer.
    fn place(&mut self) {
        let (plain, i) = (&self.plain, self.at);
        let d = plain.net.hidden;
        let mut z = plain.weights[plain.places.embed][usize::from(self.context[i]) * d..][..d].to_vec();
        if let Some(positions) = plain.places.positions {
            add_scaled(&mut z, 1.0, &plain.weights[positions][i * d..][..d]);
        }
        let mut first = 0;
        for (layer, at) in plain.places.layers.iter().enumerate() {
            let count = plain.net.heads[layer];
            let heads = &mut self.look.heads[first..first + count];
            first += count;
            row(plain, at, &mut self.known[layer], heads, &self.silent[layer], i, &mut z);
        }
        let read = plain.normed(&z, plain.places.gain).out;
        self.look.logits.extend(matrix_product(&read, &plain.weights[plain.places.readout], plain.symbols));
        self.at += 1;
    }
}

/// Adds to row `i` of z what a layer gives.
fn row(
    plain: &Plain,
    at: &LayerPlaces,
    known: &mut [Vec<f64>; 2],
    heads: &mut [Head],
    silent: &[usize],
    i: usize,
    z: &mut [f64],
) {
    let d = plain.net.hidden;
    let read = plain.normed(z, at.gain).out;
    let [query, key, value] =
        [at.query, at.key, at.value].map(|at| matrix_product(&read, &plain.weights[at], d));
    let [keys, values] = known;
    keys.extend(key);
    values.extend(value);
    let distances = at.distances.map(|at| &plain.weights[at][..]);
    let (size, mut mixed) = (d / heads.len(), vec![0.0; d]);
    for head in heads {
        let columns = head.head * size..(head.head + 1) * size;
        let t = head.scores.len().isqrt();
        let query = &query[columns.clone()];
        let scores = &mut head.scores[i * t..][..=i];
        for (score, key) in scores.iter_mut().zip(keys.chunks_exact(d)) {
            *score = dot(query, &key[columns.clone()]);
        }
        if let Some(distances) = distances {
            for (score, row) in scores.iter_mut().rev().zip(distances.chunks_exact(d)) {
                *score += dot(query, &row[columns.clone()]);
            }
        }
        scores.iter_mut().for_each(|score| *score /= libm::sqrt(size as f64));
        let shares = &mut head.shares[i * t..][..=i];
        shares.copy_from_slice(scores);
        softmax(shares);
        if !silent.contains(&head.head) {
            for (share, value) in shares.iter().zip(values.chunks_exact(d)) {
                add_scaled(&mut mixed[columns.clone()], *share, &value[columns.clone()]);
            }
        }
    }
    match at.out {
        Some(out) => add_scaled(z, 1.0, &matrix_product(&mixed, &plain.weights[out], d)),
        None => add_scaled(z, 1.0, &mixed),
    }
    if let Some([first, second]) = at.mlp {
        let read = plain.normed(z, at.mlp_gain).out;
        let mut h = matrix_product(&read, &plain.weights[first], 4 * d);
        // What is no number passes: it must show.
        h.iter_mut().filter(|h| **h < 0.0).for_each(|h| *h = 0.0);
        add_scaled(z, 1.0, &matrix_product(&h, &plain.weights[second], d));
    }
}

#[cfg(test)]
mod tests {
    use crate::models::Model;
    use crate::models::attention_only::OfLength;
    use crate::permalink::decode;

    #[test]
    fn symbol_by_symbol_is_the_same_as_all_at_once() {
        for link in [
            "#v1/markov?k=3&t=20&heads=2.1&d=12&std=0.6&seed=4",
            "#v1/markov?k=2&t=17&heads=1.2&d=8&pos=absolute&norm=pre&std=0.6",
            "#v1/markov?k=3&t=9&heads=2.2.1&d=8&mlp=on&norm=pre&std=0.9",
            "#v1/markov?k=2&t=12&heads=3&d=6&mlp=on&std=0.9",
        ] {
            let spec = decode(link).0.spec;
            let Model::AttentionOnly(net) = &spec.model else { panic!("another model") };
            let length = spec.task.examples().prediction_count();
            let (of_length, symbols) = (OfLength { net: net.clone(), length }, spec.task.examples().inputs());
            let weights = spec.initialize_parameters();
            let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
            let mut context = vec![];
            let drawn = spec.task.data().chain_sequences().unwrap();
            drawn.append_held_out_sequences(drawn.test_family, 3, 0..1, &mut context);
            for (t, off) in [(length, vec![]), (length / 2, vec![0]), (1, vec![]), (length, vec![1, 2])] {
                let context = &context[..t];
                let expected = of_length.plain(&weights, symbols).look(context, &off);
                let mut job = of_length.look_job(&weights, symbols, context, &off);
                let mut parts = 1;
                let look = loop {
                    match job.advance(1) {
                        Some(look) => break look,
                        None => parts += 1,
                    }
                };
                assert_eq!(parts, t, "a symbol a part");
                assert_eq!(look, expected, "{link} {t} {off:?}");
                let whole = of_length.look_job(&weights, symbols, context, &off).advance(u64::MAX);
                assert_eq!(whole, Some(expected));
            }
        }
    }
}
