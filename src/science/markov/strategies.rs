//! Counting strategies that predict the next symbol without knowing the chain, and divergences between predictions.
//!
//! If the rows of a chain have the Dirichlet distribution with parameter α, the posterior mean of a row after counts
//! c is `(c + α) / (Σ c + kα)` (Edelman 2024, equation 8.3). It ignores that the first symbols, drawn from the
//! stationary distribution, carry information about the rows; [`BayesPredictor`](super::BayesPredictor) uses it.
//! Strategies of lower order than the chain count with the same α: they are the posterior means for chains of their
//! own order.

use vivarium_core::choices;
use vivarium_core::math::log_sum_exp;

choices! {
    /// A strategy that predicts the next symbol from the frequencies of windows of symbols. Its order is the length
    /// of these windows.
    pub enum Strategy {
        /// All symbols are equally likely.
        Uniform = "uniform", "Uniform";
        /// Each symbol is as likely as it has been frequent.
        Unigram = "unigram", "Unigram";
        /// Each symbol is as likely as it has been frequent after the last symbol.
        Bigram = "bigram", "Bigram";
        /// Each symbol is as likely as it has been frequent after the last two symbols.
        Trigram = "trigram", "Trigram";
        /// Each symbol is as likely as it has been frequent after the last three symbols.
        Tetragram = "tetragram", "Tetragram";
    }
}

impl Strategy {
    /// Name of the prediction strategy in the language of the page.
    pub fn name(self) -> &'static str {
        vivarium_core::language::translated(Strategy::OPTIONS[self.order()].label)
    }

    /// The order n of the strategy: it predicts from the last n − 1 symbols; 0 for the uniform strategy. Also its
    /// index in [`Strategy::ALL`].
    pub fn order(self) -> usize {
        self as usize
    }

    /// The strategy of order n = `order`, which predicts from the last n − 1 symbols (0: uniform); `None` above the
    /// largest order.
    pub fn from_order(order: usize) -> Option<Self> {
        Strategy::ALL.get(order).copied()
    }

    /// Writes the probabilities of all `symbols` symbols after `context` into `out`, `[symbols]`. `pseudocount`, above
    /// 0, is added to each count.
    pub fn predict(self, symbols: usize, pseudocount: f64, context: &[u8], out: &mut [f64]) {
        let out = &mut out[..symbols];
        out.fill(pseudocount);
        let n = self.order();
        if n > 0 && context.len() >= n {
            let last = &context[context.len() + 1 - n..];
            for window in context.windows(n).filter(|window| window[..n - 1] == *last) {
                out[usize::from(window[n - 1])] += 1.0;
            }
        }
        let sum: f64 = out.iter().sum();
        out.iter_mut().for_each(|p| *p /= sum);
    }
}

/// Kullback–Leibler divergence KL(p ‖ q) of the distribution q from p, in nats; infinite if q gives probability 0
/// to an outcome that p allows.
pub fn kl_divergence(p: &[f64], q: &[f64]) -> f64 {
    p.iter().zip(q).filter(|(p, _)| **p > 0.0).map(|(p, q)| p * libm::log(p / q)).sum()
}

/// Kullback–Leibler divergence KL(p ‖ q) in nats, where `logs` are the log-probabilities of q; finite even if q
/// underflows.
pub fn kl_to_log_probabilities(p: &[f64], logs: &[f64]) -> f64 {
    p.iter().zip(logs).filter(|(p, _)| **p > 0.0).map(|(p, log)| p * (libm::log(*p) - log)).sum()
}

/// Writes the natural logarithms of softmax(`logits`), `[symbols]`, into `out`.
pub fn log_softmax(logits: &[f64], out: &mut [f64]) {
    let shift = log_sum_exp(logits.iter().copied());
    out.iter_mut().zip(logits).for_each(|(out, z)| *out = z - shift);
}

/// Writes the probabilities softmax(`logits`), `[symbols]`, into `out`.
pub fn softmax(logits: &[f64], out: &mut [f64]) {
    log_softmax(logits, out);
    out.iter_mut().for_each(|p| *p = libm::exp(*p));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markov::{Chain, ChainDistribution, ChainFamily, ChainSequences, SequenceSampler};
    use vivarium_core::rng::{Purpose, RandomStream};

    fn predict_after(strategy: Strategy, symbols: usize, context: &[u8]) -> Vec<f64> {
        predict_with(strategy, symbols, 1.0, context)
    }

    fn predict_with(strategy: Strategy, symbols: usize, pseudocount: f64, context: &[u8]) -> Vec<f64> {
        let mut out = vec![0.0; symbols];
        strategy.predict(symbols, pseudocount, context, &mut out);
        out
    }

    /// Equation 8.3 by hand: in abaacba, a was followed by b, a and c; with α = 0.5 that is 1.5 of 4.5 each. Symbols occur 4, 2 and
    /// 1 times, with α = 2 that is 6, 4 and 3 of 13.
    #[test]
    fn the_prior_is_added_to_each_count() {
        let context = [0, 1, 0, 0, 2, 1, 0];
        assert_eq!(predict_with(Strategy::Bigram, 3, 0.5, &context), [1.5 / 4.5; 3]);
        assert_eq!(predict_with(Strategy::Unigram, 3, 2.0, &context), [6.0 / 13.0, 4.0 / 13.0, 3.0 / 13.0]);
        // After ba came a once.
        let trigram = predict_with(Strategy::Trigram, 3, 0.05, &context);
        assert!((trigram[0] - 1.05 / 1.15).abs() < 1e-12 && (trigram[2] - 0.05 / 1.15).abs() < 1e-12);
    }

    #[test]
    fn strategies_count_windows_of_their_order() {
        let context = [0, 1, 0, 0, 2, 1, 0];
        let predicted = |strategy| predict_after(strategy, 3, &context);
        assert_eq!(predicted(Strategy::Uniform), [1.0 / 3.0; 3]);
        assert_eq!(predicted(Strategy::Unigram), [0.5, 0.3, 0.2]);
        assert_eq!(predicted(Strategy::Bigram), [2.0 / 6.0, 2.0 / 6.0, 2.0 / 6.0]);
        assert_eq!(predicted(Strategy::Trigram), [0.5, 0.25, 0.25]);
        assert_eq!(predicted(Strategy::Tetragram), [1.0 / 3.0; 3]);
        assert_eq!(predict_after(Strategy::Tetragram, 2, &[0, 1]), [0.5; 2]);
        assert_eq!(predict_after(Strategy::Bigram, 2, &[1]), [0.5; 2]);
        assert_eq!(predict_after(Strategy::Unigram, 2, &[1]), [1.0 / 3.0, 2.0 / 3.0]);
        assert_eq!(Strategy::from_order(2), Some(Strategy::Bigram));
        assert_eq!((Strategy::from_order(5), Strategy::Trigram.name()), (None, "Trigram"));
    }

    /// The mean of the current row under its posterior, over a grid of both rows of a chain with two symbols; the first symbol
    /// counts as uniform.
    #[test]
    fn the_bigram_strategy_is_the_posterior_mean() {
        let n = 200;
        let points: Vec<f64> = (0..n).map(|i| (f64::from(i) + 0.5) / f64::from(n)).collect();
        for (bits, alpha) in (0..64u8).flat_map(|bits| [(bits, 1.0), (bits, 2.5), (bits, 7.0)]) {
            let context: Vec<u8> = (0..6).map(|i| bits >> i & 1).collect();
            let prior = |p: f64| (p * (1.0 - p)).powf(alpha - 1.0);
            let (mut above, mut below) = (0.0, 0.0);
            for a in &points {
                for b in &points {
                    // Probabilities of 0 after 0 and after 1.
                    let zero = |from: u8| if from == 0 { *a } else { *b };
                    let chance = |pair: &[u8]| if pair[1] == 0 { zero(pair[0]) } else { 1.0 - zero(pair[0]) };
                    let likelihood = context.windows(2).map(chance).product::<f64>() * prior(*a) * prior(*b);
                    above += likelihood * zero(context[5]);
                    below += likelihood;
                }
            }
            let found = predict_with(Strategy::Bigram, 2, alpha, &context)[0];
            assert!((found - above / below).abs() < 2e-4, "{context:?} {alpha}: {found} {}", above / below);
        }
    }

    /// Under a Dirichlet prior the probability of symbol j after counts c is B(α + c + e_j)/B(α + c), here by logarithms
    /// of Γ, with numbers of symbols, α and contexts drawn within the ranges of their settings.
    #[test]
    fn predictions_are_ratios_of_dirichlet_integrals_at_random_settings() {
        let stream = RandomStream::new(8, Purpose::Sample, 0);
        for case in 0..400 {
            let below = |index: u32, bound: u32| stream.draw_below(case, index, bound);
            let (symbols, length) = (2 + below(0, 7), 3 + below(1, 60));
            let alpha = 0.05 * 400f64.powf(f64::from(stream.draw_uniform(case, 2)));
            let context: Vec<u8> = (0..length).map(|i| below(10 + i, symbols) as u8).collect();
            let log_beta = |counts: &[f64]| {
                let total = counts.iter().sum::<f64>() + alpha * counts.len() as f64;
                counts.iter().map(|count| libm::lgamma(count + alpha)).sum::<f64>() - libm::lgamma(total)
            };
            for (strategy, order) in [(Strategy::Unigram, 0), (Strategy::Bigram, 1), (Strategy::Trigram, 2)] {
                let last = &context[context.len() - order..];
                let mut counts = vec![0.0; symbols as usize];
                for window in context.windows(order + 1).filter(|window| window[..order] == *last) {
                    counts[usize::from(window[order])] += 1.0;
                }
                let predicted = predict_with(strategy, symbols as usize, alpha, &context);
                for (symbol, predicted) in predicted.iter().enumerate() {
                    let mut next = counts.clone();
                    next[symbol] += 1.0;
                    let expected = libm::exp(log_beta(&next) - log_beta(&counts));
                    let error = (predicted - expected).abs();
                    assert!(error < 1e-9, "{strategy:?} {alpha} {context:?}: {predicted} {expected}");
                }
            }
        }
    }

    /// The mean KL(truth ‖ strategy) over held-out sequences of order 3, where only the trigram strategy helps.
    #[test]
    fn without_signal_of_lower_order_only_the_full_order_helps() {
        let family = ChainFamily::NoLowerOrder;
        for (symbols, length, bound) in [(2, 200, 0.012), (3, 400, 0.015), (4, 800, 0.02)] {
            let drawn = ChainSequences {
                symbols,
                length,
                order: 3,
                train_family: family,
                test_family: family,
                alpha: 1.0,
                mixture_weight: 0.5,
            };
            let (mut sequences, mut kl) = (vec![], [0.0; 4]);
            drawn.append_held_out_sequences(family, 5, 0..400, &mut sequences);
            for (example, sequence) in sequences.chunks(length + 1).enumerate() {
                let (context, chain) = (&sequence[..length], drawn.held_out_chain(family, 5, example));
                let truth = chain.next_symbol_distribution(chain.context_index(context));
                for (sum, strategy) in kl.iter_mut().zip(Strategy::ALL) {
                    let predicted = predict_with(*strategy, symbols, drawn.pseudocount(), context);
                    *sum += kl_divergence(&truth, &predicted) / 400.0;
                }
            }
            let [uniform, unigram, bigram, trigram] = kl;
            assert!((unigram - uniform).abs() < bound && (bigram - uniform).abs() < bound, "{kl:?}");
            assert!(trigram < 0.25 * uniform && uniform > 0.15, "{kl:?}");
        }
    }

    #[test]
    fn divergences_match_textbook_values() {
        assert_eq!(kl_divergence(&[0.5, 0.5], &[0.5, 0.5]), 0.0);
        assert!((kl_divergence(&[0.5, 0.5], &[0.25, 0.75]) - 0.5 * (4.0f64 / 3.0).ln()).abs() < 1e-15);
        assert!((kl_divergence(&[1.0, 0.0], &[0.5, 0.5]) - 2.0f64.ln()).abs() < 1e-15);
        assert_eq!(kl_divergence(&[0.5, 0.5], &[1.0, 0.0]), f64::INFINITY);
        let mut out = [0.0; 3];
        softmax(&[1000.0, 1000.0 + 3.0f64.ln(), -1e6], &mut out);
        assert!((out[0] - 0.25).abs() < 1e-12 && (out[1] - 0.75).abs() < 1e-12 && out[2] == 0.0);
        let mut logs = [0.0; 2];
        log_softmax(&[0.0, 2000.0], &mut logs);
        assert!((kl_to_log_probabilities(&[1.0, 0.0], &logs) - 2000.0).abs() < 1e-9);
    }

    /// Two values known by integration over both rows (60 points each): of the uniform strategy, and of the stationary
    /// law, which the unigram strategy comes to.
    #[test]
    fn divergences_on_two_symbols_match_closed_forms() {
        let n = 2000;
        let points: Vec<f64> = (0..n).map(|i| (f64::from(i) + 0.5) / f64::from(n)).collect();
        let (mut uniform, mut unigram) = (0.0, 0.0);
        for a in &points {
            for b in &points {
                let distribution = [(1.0 - b) / (2.0 - a - b), (1.0 - a) / (2.0 - a - b)];
                for (share, row) in distribution.iter().zip([[*a, 1.0 - a], [1.0 - b, *b]]) {
                    uniform += share * kl_divergence(&row, &[0.5; 2]);
                    unigram += share * kl_divergence(&row, &distribution);
                }
            }
        }
        let all = f64::from(n * n);
        assert!((uniform / all - 0.212258).abs() < 2e-5, "{}", uniform / all);
        assert!((unigram / all - 0.0829381).abs() < 2e-5, "{}", unigram / all);
    }

    /// Mean KL of the truth to each strategy up to the order, over 20 000 sequences, with its standard error.
    fn mean_divergences(
        distribution: ChainDistribution,
        symbols: usize,
        order: usize,
        length: usize,
    ) -> Vec<(f64, f64)> {
        let count = 20_000;
        let mut words = vec![0; distribution.words_per_chain(symbols, order)];
        let mut draws = vec![0; length + 2 - order];
        let pseudocount = if let ChainDistribution::Dirichlet(alpha) = distribution { alpha } else { 1.0 };
        let mut walker = SequenceSampler::new(symbols, order);
        let mut sums = vec![(0.0, 0.0); order + 1];
        let mut predicted = vec![0.0; symbols];
        for e in 0..count {
            RandomStream::new(4, Purpose::Chain, 0).fill_u32(e, 0, &mut words);
            RandomStream::new(4, Purpose::Batch, 0).fill_u32(e, 0, &mut draws);
            let (chain, mut context): (Chain, _) = (distribution.draw_chain(symbols, order, &words), vec![]);
            walker.append_sequence(&chain.rows, &draws, &mut context);
            assert_eq!(context.len(), length);
            let truth = chain.next_symbol_distribution(chain.context_index(&context));
            for (sum, strategy) in sums.iter_mut().zip(Strategy::ALL) {
                strategy.predict(symbols, pseudocount, &context, &mut predicted);
                let kl = kl_divergence(&truth, &predicted);
                *sum = (sum.0 + kl, sum.1 + kl * kl);
            }
        }
        let n = count as f64;
        sums.iter().map(|(sum, squares)| (sum / n, ((squares / n - (sum / n).powi(2)) / n).sqrt())).collect()
    }

    /// Against values from 40 000 sequences of an independent program, and 200 000 of another for trigrams, rounded as
    /// written here.
    #[test]
    fn strategies_reach_their_known_divergences() {
        use ChainDistribution::{Dirichlet, DoublyStochastic, Independent};
        let flat = Dirichlet(1.0);
        for (distribution, symbols, order, length, expected) in [
            (flat, 2, 2, 25, &[0.213, 0.0971, 0.0324][..]),
            (flat, 2, 2, 50, &[0.212, 0.0914, 0.0177]),
            (flat, 2, 2, 100, &[0.213, 0.0881, 0.0093]),
            (flat, 2, 2, 200, &[0.213, 0.0849, 0.0048]),
            (flat, 3, 2, 50, &[0.278, 0.178, 0.0476]),
            (flat, 3, 2, 100, &[0.280, 0.170, 0.0261]),
            (flat, 3, 2, 200, &[0.281, 0.166, 0.0140]),
            (flat, 4, 2, 100, &[0.313, 0.227, 0.0489]),
            (DoublyStochastic, 2, 2, 100, &[0.192, 0.193, 0.010]),
            (DoublyStochastic, 3, 2, 100, &[0.215, 0.223, 0.027]),
            (DoublyStochastic, 4, 2, 100, &[0.248, 0.262, 0.050]),
            (Independent, 2, 2, 100, &[0.193, 0.005, 0.0095]),
            (Independent, 3, 2, 100, &[0.266, 0.0096, 0.025]),
            (flat, 2, 3, 100, &[0.223, 0.1403, 0.0884, 0.0175]),
        ] {
            let found = mean_divergences(distribution, symbols, order, length);
            for ((found, error), expected) in found.iter().zip(expected) {
                // Both have a sampling error, and the printed value is rounded.
                let rounding = if *expected < 0.1 { 0.0005 } else { 0.001 };
                let bound = 4.0 * error * 1.5f64.sqrt() + rounding;
                assert!(
                    (found - expected).abs() < bound,
                    "{distribution:?} {symbols} {order} {length}: {found} {expected}"
                );
            }
        }
    }
}
