//! The minimal model of one replica in plain loops and double precision: its logits, and exact gradients to check faster
//! learners against.
//!
//! # Why
//! The formula has two nested sums for every place, O(t³) in all. Both come apart: what v gathers before place q,
//! Σ_{s≤q} v_{q−s} e_{x_s}, does not depend on p, and the sum over q only grows with p. With L the first and m the current
//! symbol,
//!
//! ```text
//! L_q = Σ_{s≤q} v_{q−s} e_{x_s}          [t, symbols], the only part of O(t²)
//! C_p[m] = Σ_{q≤p} (W L_q)_m e_{x_q}     [symbols, symbols], kept while p goes on
//! f(x)_p = C_p[x_p]
//! ```
//!
//! which is O(t² + t k²) (Edelman 2024, equation 8.8, written out in appendix E.1). Gradients go through the same steps
//! backwards at the same cost.

use super::{KERNEL, LAGS, OfLength};
#[cfg(not(target_family = "wasm"))]
use crate::models::inside;
#[cfg(not(target_family = "wasm"))]
use vivarium_core::bounds::saturating_product;

/// The weights of one replica in double precision.
struct Weights {
    /// W, `[symbols, symbols]`.
    kernel: Vec<f64>,
    /// v, `[length]`.
    lags: Vec<f64>,
}

impl Weights {
    fn new(weights: &[&[f32]]) -> Self {
        let wide = |which: usize| weights[which].iter().map(|w| f64::from(*w)).collect();
        Weights { kernel: wide(KERNEL), lags: wide(LAGS) }
    }

    /// L, `[places, symbols]`: how much v gathers of each symbol up to each place of `context`.
    fn gathered(&self, symbols: usize, context: &[u8]) -> Vec<f64> {
        let mut out = vec![0.0; context.len() * symbols];
        for (q, row) in out.chunks_exact_mut(symbols).enumerate() {
            for (symbol, lag) in context[..=q].iter().rev().zip(&self.lags) {
                row[usize::from(*symbol)] += lag;
            }
        }
        out
    }

    /// (W L_q)_m for the row L_q.
    fn weighed(&self, row: &[f64], m: usize) -> f64 {
        let kernel = &self.kernel[m * row.len()..][..row.len()];
        row.iter().zip(kernel).map(|(l, w)| l * w).sum()
    }

    /// The logits at every place of `context`, `[places, symbols]`, of what was gathered there.
    fn logits(&self, symbols: usize, context: &[u8], gathered: &[f64]) -> Vec<f64> {
        let mut counts = vec![0.0; symbols * symbols];
        let mut out = Vec::with_capacity(context.len() * symbols);
        for (symbol, row) in context.iter().zip(gathered.chunks_exact(symbols)) {
            let symbol = usize::from(*symbol);
            for m in 0..symbols {
                counts[m * symbols + symbol] += self.weighed(row, m);
            }
            out.extend_from_slice(&counts[symbol * symbols..][..symbols]);
        }
        out
    }
}

impl OfLength {
    /// f at every place of `context`: after its first symbol, after its second, and so on.
    ///
    /// # Shapes
    /// `weights` are those of one replica, in the order of [`Architecture::parameters`](super::Architecture::parameters);
    /// the result is `[places, symbols]`.
    ///
    /// # Panics
    /// If a symbol is not below `symbols`.
    pub fn logits(&self, weights: &[&[f32]], symbols: usize, context: &[u8]) -> Vec<f64> {
        let weights = Weights::new(weights);
        let gathered = weights.gathered(symbols, context);
        weights.logits(symbols, context, &gathered)
    }

    /// The mean cross-entropy over `sequences` and places, in nats, and its gradients with respect to W and v.
    ///
    /// # Shapes
    /// `weights` as in [`OfLength::logits`]; `sequences` is `[sequences, length + 1]`, of which each symbol but the first is
    /// predicted from those before it; the gradients are `[symbols, symbols]` and `[length]`.
    ///
    /// # Panics
    /// If a symbol is not below `symbols`.
    pub fn gradients(&self, weights: &[&[f32]], symbols: usize, sequences: &[u8]) -> (f64, [Vec<f64>; 2]) {
        let weights = Weights::new(weights);
        let (mut kernel, mut lags) = (vec![0.0; symbols * symbols], vec![0.0; self.length]);
        let mut loss = 0.0;
        let count = sequences.len() / (self.length + 1);
        let share = 1.0 / (count * self.length).max(1) as f64;
        for sequence in sequences.chunks_exact(self.length + 1) {
            let (context, labels) = (&sequence[..self.length], &sequence[1..]);
            let gathered = weights.gathered(symbols, context);
            // The logits turn into the loss's derivatives by them.
            let mut slopes = weights.logits(symbols, context, &gathered);
            for (row, label) in slopes.chunks_exact_mut(symbols).zip(labels) {
                loss += cross_entropy(row, usize::from(*label)) * share;
                row.iter_mut().for_each(|slope| *slope *= share);
            }
            // Of C, summed over the places that are still to come: every later one has it.
            let mut counts = vec![0.0; symbols * symbols];
            let mut row = vec![0.0; symbols];
            for q in (0..context.len()).rev() {
                let symbol = usize::from(context[q]);
                let slope = &slopes[q * symbols..][..symbols];
                counts[symbol * symbols..][..symbols].iter_mut().zip(slope).for_each(|(c, s)| *c += s);
                row.fill(0.0);
                for m in 0..symbols {
                    let slope = counts[m * symbols + symbol];
                    for l in 0..symbols {
                        kernel[m * symbols + l] += slope * gathered[q * symbols + l];
                        row[l] += slope * weights.kernel[m * symbols + l];
                    }
                }
                for (symbol, lag) in context[..=q].iter().rev().zip(&mut lags) {
                    *lag += row[usize::from(*symbol)];
                }
            }
        }
        (loss, [kernel, lags])
    }

    /// f after the last symbol of each context, `[examples, symbols]`; the last column of `x`, the label, is not looked at.
    pub(super) fn last(&self, weights: &[&[f32]], symbols: usize, x: &[f32]) -> Vec<f32> {
        let weights = Weights::new(weights);
        let mut out = Vec::with_capacity(x.len() / (self.length + 1) * symbols);
        for row in x.chunks_exact(self.length + 1) {
            let context = self.context(row);
            let gathered = weights.gathered(symbols, &context);
            let logits = weights.logits(symbols, &context, &gathered);
            out.extend(logits[(self.length - 1) * symbols..].iter().map(|logit| *logit as f32));
        }
        out
    }

    /// The symbols of a row of examples, without its label.
    fn context(&self, row: &[f32]) -> Vec<u8> {
        row[..self.length].iter().map(|symbol| *symbol as u8).collect()
    }

    /// The formula as two layers of attention without softmax: v between places, then W between the current symbol and what
    /// v has gathered. As [`Network::inside_at`](crate::models::Network::inside_at).
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn look(
        &self,
        at: &inside::At<'_>,
        weights: &[&[f32]],
        symbols: usize,
        x: &[f32],
    ) -> Result<Vec<inside::Inside>, String> {
        let [attends, gathers] =
            [inside::Kind::Attention, inside::Kind::Activations].map(|kind| at.wants(kind));
        if at.wants_nothing() {
            return Ok(vec![]);
        }
        let (t, weights, mut all) = (self.length, Weights::new(weights), inside::Gathered::default());
        inside::fits(saturating_product([x.len() / (t + 1), t, 2 * (t + symbols)]))?;
        let (between, places) =
            ([("head", 1), ("query", t), ("key", t)], [("position", t), ("symbol", symbols)]);
        for row in x.chunks_exact(t + 1) {
            let context = self.context(row);
            let gathered = weights.gathered(symbols, &context);
            let first = |query: usize, key: usize| weights.lags[query - key];
            let second = |query: usize, key: usize| {
                weights.weighed(&gathered[key * symbols..][..symbols], usize::from(context[query]))
            };
            if attends {
                all.attention(&inside::of_layer("attention", 0), &between, causal(t, first));
                all.attention(&inside::of_layer("attention", 1), &between, causal(t, second));
            }
            if gathers {
                let logits = weights.logits(symbols, &context, &gathered);
                all.activations(&inside::of_layer("activations", 0), &places, gathered);
                all.activations(&inside::of_layer("activations", 1), &places, logits);
            }
        }
        Ok(all.arrays())
    }
}

/// A weight for each of `t` queries and each key up to it, and 0 for later keys, `[query, key]`.
#[cfg(not(target_family = "wasm"))]
fn causal(t: usize, weight: impl Fn(usize, usize) -> f64) -> impl Iterator<Item = f64> {
    let pairs = (0..t).flat_map(move |query| (0..t).map(move |key| (query, key)));
    pairs.map(move |(query, key)| if key <= query { weight(query, key) } else { 0.0 })
}

/// −ln softmax(logits)\[label\] in nats; `logits` turn into its derivatives by them.
fn cross_entropy(logits: &mut [f64], label: usize) -> f64 {
    let top = logits.iter().fold(f64::NEG_INFINITY, |top, logit| top.max(*logit));
    let own = logits[label] - top;
    logits.iter_mut().for_each(|logit| *logit = libm::exp(*logit - top));
    let sum: f64 = logits.iter().sum();
    logits.iter_mut().for_each(|power| *power /= sum);
    logits[label] -= 1.0;
    libm::log(sum) - own
}

#[cfg(test)]
mod tests {
    use super::super::{Beginning, MinimalMarkov};
    use super::*;
    use crate::models::{Architecture, Network};
    use crate::tasks::{MarkovChain, Task};
    use vivarium_core::rng::{Purpose, RandomStream};
    use vivarium_science::markov::theory::{GradientTensor, TwoSymbolDistribution};

    fn of_length(length: usize) -> OfLength {
        OfLength { net: MinimalMarkov::default(), length }
    }

    fn drawn(seed: u64, length: usize, symbols: usize) -> Vec<Vec<f32>> {
        let stream = RandomStream::new(seed, Purpose::Weights, 0);
        let of = |step, count: usize| (0..count as u32).map(|i| 0.4 * stream.draw_normal(step, i)).collect();
        vec![of(0, symbols * symbols), of(1, length)]
    }

    fn sequence(seed: u64, length: usize, symbols: usize) -> Vec<u8> {
        let stream = RandomStream::new(seed, Purpose::Batch, 0);
        (0..length as u32).map(|i| stream.draw_below(0, i, symbols as u32) as u8).collect()
    }

    fn slices(weights: &[Vec<f32>]) -> Vec<&[f32]> {
        weights.iter().map(Vec::as_slice).collect()
    }

    /// The formula of the module, word for word.
    fn naive(w: &[&[f32]], symbols: usize, x: &[u8]) -> Vec<f64> {
        let mut out = vec![0.0; x.len() * symbols];
        for p in 0..x.len() {
            for q in 0..=p {
                for s in 0..=q {
                    let weight = w[KERNEL][usize::from(x[p]) * symbols + usize::from(x[s])];
                    out[p * symbols + usize::from(x[q])] += f64::from(w[LAGS][q - s]) * f64::from(weight);
                }
            }
        }
        out
    }

    #[test]
    fn logits_are_those_of_the_formula() {
        for (seed, length, symbols) in [(1, 2, 2), (2, 9, 3), (3, 40, 5), (4, 25, 8)] {
            let weights = drawn(seed, length, symbols);
            let weights = slices(&weights);
            let context = sequence(seed, length, symbols);
            let found = of_length(length).logits(&weights, symbols, &context);
            let expected = naive(&weights, symbols, &context);
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-10, "{found} {expected}");
            }
            // A shorter context is the beginning of a longer one.
            let short = of_length(length).logits(&weights, symbols, &context[..2]);
            assert_eq!(short, found[..2 * symbols]);
        }
    }

    #[test]
    fn evaluation_is_the_last_place_and_does_not_look_at_the_label() {
        let (length, symbols) = (7, 3);
        let weights = drawn(5, length, symbols);
        let weights = slices(&weights);
        let all = sequence(5, 3 * (length + 1), symbols);
        let mut x: Vec<f32> = all.iter().map(|symbol| f32::from(*symbol)).collect();
        let net = of_length(length);
        let found = net.evaluate(&weights, symbols, &x, 0);
        assert_eq!(found.len(), 3 * symbols);
        for (row, found) in all.chunks_exact(length + 1).zip(found.chunks_exact(symbols)) {
            let logits = net.logits(&weights, symbols, &row[..length]);
            for (found, expected) in found.iter().zip(&logits[(length - 1) * symbols..]) {
                assert_eq!(*found, *expected as f32);
            }
        }
        x.iter_mut().skip(length).step_by(length + 1).for_each(|label| *label = 0.0);
        assert_eq!(net.evaluate(&weights, symbols, &x, 0), found);
    }

    #[test]
    fn gradients_are_central_differences() {
        for (length, symbols) in [(6, 2), (11, 4)] {
            let net = of_length(length);
            let weights = drawn(8, length, symbols);
            let sequences = sequence(8, 5 * (length + 1), symbols);
            let (loss, gradients) = net.gradients(&slices(&weights), symbols, &sequences);
            assert!(loss > 0.0);
            for which in [KERNEL, LAGS] {
                assert_eq!(gradients[which].len(), weights[which].len());
                for (at, found) in gradients[which].iter().enumerate() {
                    // 2⁻⁸ is exact in single precision where the weight is, so that the step is known.
                    let loss_at = |step: f32| {
                        let mut moved = weights.clone();
                        moved[which][at] += step;
                        let place = f64::from(moved[which][at]);
                        (net.gradients(&slices(&moved), symbols, &sequences).0, place)
                    };
                    let ((above, high), (below, low)) = (loss_at(1.0 / 256.0), loss_at(-1.0 / 256.0));
                    let expected = (above - below) / (high - low);
                    assert!((found - expected).abs() < 2e-4 * expected.abs().max(1.0), "{found} {expected}");
                }
            }
        }
    }

    #[test]
    fn without_weights_the_loss_is_that_of_guessing() {
        let net = of_length(12);
        let weights = [vec![0.0; 9], vec![0.0; 12]];
        let (loss, gradients) = net.gradients(&slices(&weights), 3, &sequence(2, 4 * 13, 3));
        assert!((loss - libm::log(3.0)).abs() < 1e-12);
        assert!(gradients.iter().flatten().all(|gradient| *gradient == 0.0), "f is bilinear");
    }

    /// What v gathers, weighed by W, is counted once more by hand from the arrays.
    #[test]
    fn both_layers_of_attention_give_the_logits() {
        let (t, k) = (5, 3);
        let weights = drawn(6, t, k);
        let (weights, net) = (slices(&weights), of_length(t));
        let x: Vec<f32> = sequence(6, 2 * (t + 1), k).iter().map(|symbol| f32::from(*symbol)).collect();
        let kinds = [inside::Kind::Activations, inside::Kind::Attention];
        let at = inside::At { seed: 0, step: 0, rate: 0.0, kinds: &kinds };
        let arrays = net.inside_at(&at, &weights, k, &x).unwrap();
        let of = |name: &str| arrays.iter().find(|array| array.name == name).unwrap();
        let [first, second] = [1, 2].map(|layer| of(&format!("attention.layer{layer}")));
        let [gathered, logits] = [1, 2].map(|layer| of(&format!("activations.layer{layer}")));
        assert_eq!((&first.shape, &second.shape), (&vec![2, 1, t, t], &vec![2, 1, t, t]));
        assert_eq!((&gathered.shape, &logits.shape), (&vec![2, t, k], &vec![2, t, k]));
        for (e, row) in x.chunks_exact(t + 1).enumerate() {
            for (i, symbol) in (0..t).flat_map(|i| (0..k).map(move |symbol| (i, symbol))) {
                let summed = |of: &inside::Inside| -> f32 {
                    let is_it = |key: &usize| row[*key] == symbol as f32;
                    (0..t).filter(is_it).map(|key| of.values[(e * t + i) * t + key]).sum()
                };
                for (attention, values) in [(first, gathered), (second, logits)] {
                    let found = values.values[(e * t + i) * k + symbol];
                    assert!((summed(attention) - found).abs() < 1e-5, "{e} {i} {symbol}");
                }
            }
            assert_eq!(first.values[e * t * t + t], weights[LAGS][1], "from place 1 to place 0");
            assert_eq!(first.values[e * t * t + 1], 0.0, "no attention to later places");
        }
        let last: Vec<f32> =
            logits.values.chunks(t * k).flat_map(|each| each[(t - 1) * k..].to_vec()).collect();
        assert_eq!(last, net.evaluate(&weights, k, &x, 0));
        let long = of_length(1 << 20);
        let weights = [vec![0.0; 9], vec![0.0; 1 << 20]];
        let refused = long.inside_at(&at, &slices(&weights), k, &vec![0.0; (1 << 20) + 1]).unwrap_err();
        assert!(refused.ends_with("use fewer examples"), "{refused}");
    }

    /// Edelman 2024, fact 8.3.
    #[test]
    fn written_weights_count_pairs_and_symbols() {
        let (length, symbols) = (30, 4);
        let context = sequence(11, length, symbols);
        let task = Task::MarkovChain(MarkovChain { symbols, length, ..Default::default() });
        for from in [Beginning::Bigram, Beginning::Unigram] {
            let net = OfLength { net: MinimalMarkov { from, ..Default::default() }, length };
            let weights = net.net.counting(&task).unwrap();
            let shapes: Vec<usize> = net.parameters(symbols, 1).iter().map(|p| p.len()).collect();
            assert_eq!(weights.iter().map(Vec::len).collect::<Vec<_>>(), shapes);
            let found = net.logits(&slices(&weights), symbols, &context);
            for p in 0..length {
                for i in 0..symbols {
                    let is = |q: usize| usize::from(context[q]) == i;
                    let follows = |q: usize| q > 0 && context[q - 1] == context[p];
                    let counted = (0..=p).filter(|q| is(*q) && (from == Beginning::Unigram || follows(*q)));
                    // With W full of ones and v = e_1 every occurrence counts once.
                    assert_eq!(found[p * symbols + i], counted.count() as f64, "{from:?} {p} {i}");
                }
            }
        }
        assert_eq!(MinimalMarkov::default().counting(&task), None);
        let bits = Task::ENTRIES.iter().find_map(|e| Task::from_slug(e.info.slug)).unwrap();
        let net = MinimalMarkov { from: Beginning::Bigram, ..Default::default() };
        assert_eq!(net.counting(&bits), None, "weights for sequences are none for {bits:?}");
    }

    /// Minus the margin loss in its linear regime, but for its constant, is the mean of f at the label less that of all f:
    /// over chains with independent uniform rows it is the bilinear form of the theory.
    #[test]
    fn the_margin_of_sampled_sequences_is_that_of_the_theory() {
        let length = 12;
        let weights = drawn(3, length, 2);
        let (net, tensor) =
            (of_length(length), GradientTensor::compute(TwoSymbolDistribution::Independent, length));
        let lags: Vec<f64> = weights[LAGS].iter().map(|v| f64::from(*v)).collect();
        let gradient = tensor.kernel_gradient(&lags);
        let each = gradient.as_flattened().iter().zip(&weights[KERNEL]);
        let expected: f64 = each.map(|(gradient, w)| gradient * f64::from(*w)).sum();
        let stream = RandomStream::new(29, Purpose::Chain, 0);
        let (count, mut sum, mut squares) = (40_000, 0.0, 0.0);
        for e in 0..count {
            let unit = |i: usize| f64::from(stream.draw_uniform(e, i as u32)) + 0.5 / 16_777_216.0;
            let stay = [unit(0), unit(1)];
            let mut x = vec![u8::from(unit(2) >= (1.0 - stay[1]) / (2.0 - stay[0] - stay[1]))];
            for i in 1..=length {
                let now = x[i - 1];
                x.push(if unit(2 + i) < stay[usize::from(now)] { now } else { 1 - now });
            }
            let logits = net.logits(&slices(&weights), 2, &x[..length]);
            let margin = |(f, label): (&[f64], &u8)| f[usize::from(*label)] - 0.5 * (f[0] + f[1]);
            let mean = logits.chunks_exact(2).zip(&x[1..]).map(margin).sum::<f64>() / length as f64;
            sum += mean;
            squares += mean * mean;
        }
        let mean = sum / count as f64;
        let error = ((squares / count as f64 - mean * mean) / count as f64).sqrt();
        assert!((mean - expected).abs() < 4.0 * error, "{mean} is not {expected} within {error}");
        assert!(expected.abs() > 8.0 * error, "the error is small enough to tell");
    }
}
