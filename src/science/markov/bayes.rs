//! The Bayes-optimal prediction of the next symbol: the mean of the current row, given the whole context.
//!
//! The bigram strategy (Edelman 2024, equation 8.3) is this mean if the first symbol tells nothing about the chain. But
//! sequences begin with the stationary distribution π of their chain (remark 8.1), so with Dirichlet rows
//!
//! ```text
//! E[P_rj | x] = E_c[π(x_1) P_rj] / E_c[π(x_1)]
//! ```
//!
//! where the rows are independent under E_c, each with the Dirichlet distribution of parameters c + α, and c counts what
//! followed the row's context.
//!
//! | chains | prediction |
//! |---|---|
//! | Dirichlet rows, two symbols, n = 2 | quadrature over both rows |
//! | Dirichlet rows, else | an importance sample: rows from E_c, weighted by π of the first context |
//! | independent symbols | (how often the symbol has occurred + 1) / (length + k) |
//! | doubly stochastic, two symbols | both rows have the same parameter, so (repetitions + 1) / (transitions + 2) for the last symbol |
//! | a mixture of these two, two symbols | both, weighted by their posterior probabilities |
//! | no signal of lower order, two symbols | the same, counting only windows of n symbols with the current middle symbols |
//! | doubly stochastic, a mixture or no signal of lower order, more symbols | none |
//! | a mixture with chains of order n − 1 | none |
//!
//! # Why
//! For more than two symbols, the posterior over matrices whose rows and columns sum to one does not factor into
//! rows, and samples of its prior miss its mode. In a mixture with chains of order n − 1, the posterior probabilities of
//! the two kinds need the likelihood of the context, averaged over all chains of order n − 1; the importance sample does
//! not estimate it. There is no prediction in these cases.

mod divergence;

pub use divergence::{BayesDivergence, BayesDivergenceJob};

use super::distributions::draw_dirichlet_row;
use super::{ChainFamily, ChainSequences, SequenceSampler, context_count};
use vivarium_core::math::softplus;
use vivarium_core::rng::{Purpose, RandomStream};

/// Number of random transition matrices over which the importance sampler averages for one prediction.
pub const IMPORTANCE_SAMPLES: usize = 64;
/// Distance between neighbouring nodes of the quadrature over a transition probability, near the middle, in
/// log-odds.
const NODE_SPACING: f64 = 0.1;
/// Index of the quadrature node, counted from the middle node 0 to both sides, near which the distances between
/// nodes begin to grow.
const SPACING_GROWTH_NODE: f64 = 60.0;
/// Exponent 30 of the tail that the quadrature omits: about e^−30 of a row's distribution lies beyond the last
/// node.
const TAIL_EXPONENT: f64 = 30.0;
/// Upper limit for the absolute log-odds of a quadrature node; nodes beyond it are not placed.
const MAX_LOG_ODDS: f64 = 300.0;
/// Quadrature nodes whose weight is smaller than this multiple of the largest weight are skipped.
const MIN_RELATIVE_WEIGHT: f64 = 1e-18;

/// Predicts the symbol after a context by the posterior mean of the transition probabilities from its last n − 1
/// symbols.
#[derive(Debug, Clone)]
pub struct BayesPredictor {
    /// Number k of different symbols of the sequences.
    symbols: usize,
    /// Order n of the chains: each symbol depends on the n − 1 symbols before it.
    order: usize,
    /// How the posterior mean is computed for the chains' family.
    method: PredictionMethod,
}

/// How the posterior mean of the transition probabilities is computed for a family of chains.
#[derive(Debug, Clone)]
enum PredictionMethod {
    /// Closed form for independent symbols.
    Independent,
    /// Closed form for doubly stochastic chains on two symbols, and for chains on two symbols without signal of lower
    /// order.
    DoublyStochastic,
    /// The prior probability of a doubly stochastic chain.
    Mixture(f64),
    /// Quadrature over both rows of a chain on two symbols.
    Quadrature(QuadratureNodes),
    /// Importance sampling of transition matrices.
    ImportanceSample(ImportanceSampler),
}

/// A Bayes-optimal prediction of the symbol that follows a context.
#[derive(Debug, Clone, PartialEq)]
pub struct BayesPrediction {
    /// Predicted probability of each symbol: the posterior mean, `[symbols]`.
    pub mean: Vec<f64>,
    /// The posterior mean estimated from each half of the importance sample alone, `[symbols]` each; `None` if
    /// `mean` is exact.
    pub half_means: Option<[Vec<f64>; 2]>,
}

impl BayesPredictor {
    /// Creates a predictor for sequences of the sizes in `sequences` whose chains come from `family`; `seed` is
    /// that of the importance samples. `None` if the posterior mean cannot be computed: for doubly stochastic
    /// chains and mixtures with more than two symbols or another order than 2, except mixtures of weight 0; for
    /// chains without signal of lower order and more than two symbols; and for their mixtures.
    pub fn new(sequences: &ChainSequences, family: ChainFamily, seed: u64) -> Option<Self> {
        let ChainSequences { symbols, order, alpha, mixture_weight: share, .. } = *sequences;
        let two = (symbols, order) == (2, 2);
        let method = match family {
            ChainFamily::Dirichlet if two => PredictionMethod::Quadrature(QuadratureNodes::new(alpha)),
            ChainFamily::Dirichlet => {
                PredictionMethod::ImportanceSample(ImportanceSampler::new(symbols, order, alpha, seed))
            }
            ChainFamily::Independent => PredictionMethod::Independent,
            ChainFamily::Mixture if share <= 0.0 => PredictionMethod::Independent,
            ChainFamily::DoublyStochastic if two => PredictionMethod::DoublyStochastic,
            ChainFamily::Mixture if two => PredictionMethod::Mixture(share),
            ChainFamily::NoLowerOrder if symbols == 2 => PredictionMethod::DoublyStochastic,
            ChainFamily::DoublyStochastic
            | ChainFamily::Mixture
            | ChainFamily::NoLowerOrder
            | ChainFamily::LowerOrderMixture => return None,
        };
        Some(BayesPredictor { symbols, order, method })
    }

    /// Whether predictions are exact; if not, they are estimated by an importance sample.
    pub fn is_exact(&self) -> bool {
        !matches!(self.method, PredictionMethod::ImportanceSample(_))
    }

    /// Approximate number of arithmetic operations of one prediction.
    pub fn operations_per_prediction(&self) -> u64 {
        match &self.method {
            PredictionMethod::Independent
            | PredictionMethod::DoublyStochastic
            | PredictionMethod::Mixture(_) => 1024,
            PredictionMethod::Quadrature(nodes) => 40 * nodes.0.len() as u64,
            PredictionMethod::ImportanceSample(sample) => {
                let contexts = context_count(self.symbols, self.order) as u64;
                let row = 200 * self.symbols as u64;
                IMPORTANCE_SAMPLES as u64 * (contexts * row + contexts.pow(3) / 3) + sample.rows.len() as u64
            }
        }
    }

    /// Predicts the probabilities of the symbol after `context`; `None` if the context is empty or shorter than n −
    /// 1 for order n. `number` selects the random words of the importance sample.
    pub fn predict(&mut self, context: &[u8], number: u64) -> Option<BayesPrediction> {
        let (k, order) = (self.symbols, self.order);
        if context.is_empty() || context.len() + 1 < order {
            return None;
        }
        let exact = |mean| Some(BayesPrediction { mean, half_means: None });
        match &mut self.method {
            PredictionMethod::Independent => exact(predict_independent(k, context)),
            PredictionMethod::DoublyStochastic => exact(predict_doubly_stochastic(order, context)),
            PredictionMethod::Mixture(share) => {
                let weight = doubly_stochastic_probability(*share, context);
                let both = predict_doubly_stochastic(order, context)
                    .into_iter()
                    .zip(predict_independent(k, context));
                exact(both.map(|(doubly, other)| weight * doubly + (1.0 - weight) * other).collect())
            }
            PredictionMethod::Quadrature(nodes) => exact(nodes.predict(context)),
            PredictionMethod::ImportanceSample(sample) => Some(sample.predict(context, number)),
        }
    }
}

/// Posterior mean `[symbols]`, given `context`, of the symbols' probabilities if symbols are independent and the
/// prior of these probabilities is uniform.
fn predict_independent(symbols: usize, context: &[u8]) -> Vec<f64> {
    let mut counts = vec![1.0; symbols];
    context.iter().for_each(|symbol| counts[usize::from(*symbol)] += 1.0);
    let all = (context.len() + symbols) as f64;
    counts.into_iter().map(|count| count / all).collect()
}

/// Counts, among the windows of `order` symbols in `context` whose middle symbols are the last `order − 2` symbols of
/// `context`, first those that end with their first symbol, then those that end with another symbol. For order 2
/// these are the transitions to the same symbol and to another symbol. `context` has at least `order − 1` symbols.
fn count_repeats(order: usize, context: &[u8]) -> [f64; 2] {
    let middle = &context[context.len() + 2 - order..];
    let mut counts = [0.0; 2];
    for window in context.windows(order).filter(|window| window[1..order - 1] == *middle) {
        counts[usize::from(window[0] != window[order - 1])] += 1.0;
    }
    counts
}

/// Posterior mean `[2]` of the next symbol's probabilities after `context`, for chains of order n = `order` on two
/// symbols. With an unknown probability, the next symbol repeats the symbol n − 1 places before it. This probability
/// depends on the n − 2 symbols between the two; its prior is uniform.
fn predict_doubly_stochastic(order: usize, context: &[u8]) -> Vec<f64> {
    let [repeated, changed] = count_repeats(order, context);
    let again = (repeated + 1.0) / (repeated + changed + 2.0);
    let first = context[context.len() + 1 - order];
    (0..2).map(|symbol| if symbol == first { again } else { 1.0 - again }).collect()
}

/// Posterior probability that `context`, a sequence on the symbols 0 and 1, comes from a doubly stochastic chain and
/// not from independent symbols; `share` is the prior probability of a doubly stochastic chain.
fn doubly_stochastic_probability(share: f64, context: &[u8]) -> f64 {
    // ∫ u^a (1 − u)^b du = a! b! / (a + b + 1)!
    let log_integral =
        |a: f64, b: f64| libm::lgamma(a + 1.0) + libm::lgamma(b + 1.0) - libm::lgamma(a + b + 2.0);
    let ones = context.iter().filter(|symbol| **symbol == 1).count() as f64;
    let [repeated, changed] = count_repeats(2, context);
    // Both symbols are equally frequent in a doubly stochastic chain, so the first has probability ½.
    let doubly = log_integral(repeated, changed) - std::f64::consts::LN_2;
    let independent = log_integral(ones, context.len() as f64 - ones);
    let odds = share / (1.0 - share) * libm::exp(doubly - independent);
    if odds.is_finite() { odds / (1.0 + odds) } else { 1.0 }
}

/// The nodes of the quadrature over a probability u: for each node log u, log(1 − u) and the logarithm of the
/// quadrature weight. The second field is the Dirichlet parameter α of the chains' rows.
///
/// # Why
/// In log-odds s = log(u / (1 − u)) the density of a Beta distribution is smooth and falls exponentially on both sides, even
/// for parameters below 1, and the stationary probability π of a symbol is a logistic function of the difference of two
/// log-odds where both probabilities to leave a symbol are small.
/// So the trapezoidal rule converges exponentially. Its nodes are 0.1 apart in the middle, where a density of 255 counts has a
/// standard deviation of 0.12, and farther apart outside, where densities are as wide as the logistic function.
#[derive(Debug, Clone)]
struct QuadratureNodes(Vec<[f64; 3]>, f64);

impl QuadratureNodes {
    /// Places the quadrature nodes for chains whose rows have a Dirichlet distribution with parameter `alpha`.
    fn new(alpha: f64) -> Self {
        let reach = (TAIL_EXPONENT / alpha.min(1.0)).min(MAX_LOG_ODDS);
        let grown = |x: f64| libm::sqrt(1.0 + (x / SPACING_GROWTH_NODE) * (x / SPACING_GROWTH_NODE));
        let at = |x: f64| NODE_SPACING * x * grown(x);
        let half = (0..).take_while(|x| at(f64::from(*x)) < reach).last().unwrap_or(0);
        let node = |x: i32| {
            let x = f64::from(x);
            let (s, rest) = (at(x), (x / SPACING_GROWTH_NODE) * (x / SPACING_GROWTH_NODE) / grown(x));
            [-softplus(-s), -softplus(s), libm::log(grown(x) + rest)]
        };
        QuadratureNodes((-half..=half).map(node).collect(), alpha)
    }

    /// The distribution Beta(a, b) at the quadrature nodes, as pairs (probability u, weight: density times
    /// quadrature weight of the node, relative to the largest one). Nodes with negligible weight are omitted.
    fn beta_density(&self, a: f64, b: f64) -> Vec<(f64, f64)> {
        let logs: Vec<f64> = self.0.iter().map(|[u, rest, weight]| a * u + b * rest + weight).collect();
        let max_log = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights = logs.iter().map(|log| libm::exp(log - max_log));
        let points = self.0.iter().zip(weights).filter(|(_, weight)| *weight > MIN_RELATIVE_WEIGHT);
        points.map(|([u, ..], weight)| (libm::exp(*u), weight)).collect()
    }

    /// Posterior mean `[2]` of the next symbol's probabilities after `context`, for chains on two symbols with
    /// Dirichlet rows.
    fn predict(&self, context: &[u8]) -> Vec<f64> {
        let alpha = self.1;
        // Counts of the transitions, plus α.
        let mut counts = [[alpha; 2]; 2];
        context.windows(2).for_each(|pair| counts[usize::from(pair[0])][usize::from(pair[1])] += 1.0);
        // Posterior densities of the probability to leave symbol 0, and symbol 1.
        let leaving =
            [self.beta_density(counts[0][1], counts[0][0]), self.beta_density(counts[1][0], counts[1][1])];
        let (first, last) = (usize::from(context[0]), usize::from(context[context.len() - 1]));
        let (mut total, mut weighted_leave) = (0.0, 0.0);
        for (leave, leave_weight) in &leaving[last] {
            // π of a symbol is proportional to the probability to leave the other symbol.
            let share =
                |other: f64| if first == last { other / (leave + other) } else { leave / (leave + other) };
            let sum: f64 = leaving[1 - last].iter().map(|(other, weight)| weight * share(*other)).sum();
            total += leave_weight * sum;
            weighted_leave += leave_weight * sum * leave;
        }
        let change = weighted_leave / total;
        (0..2).map(|symbol| if symbol == last { 1.0 - change } else { change }).collect()
    }
}

/// Draws transition matrices from the product of the rows' posterior distributions, and weights them (importance
/// sampling).
#[derive(Debug, Clone)]
struct ImportanceSampler {
    /// Number k of different symbols of the chains.
    symbols: usize,
    /// Order n of the chains: each symbol depends on the n − 1 symbols before it.
    order: usize,
    /// Parameter α of the symmetric Dirichlet prior of each row of a transition matrix.
    alpha: f64,
    /// Seed of the random transition matrices of the importance samples.
    seed: u64,
    /// Computes the stationary distributions of the drawn matrices.
    sampler: SequenceSampler,
    /// Transition probabilities of the matrix drawn last, in units of 2⁻²⁴, `[contexts, symbols]`.
    rows: Vec<u32>,
}

impl ImportanceSampler {
    /// Creates a sampler for chains with this number of symbols, this order and Dirichlet parameter `alpha`.
    fn new(symbols: usize, order: usize, alpha: f64, seed: u64) -> Self {
        let walker = SequenceSampler::new(symbols, order);
        ImportanceSampler {
            symbols,
            order,
            alpha,
            seed,
            sampler: walker,
            rows: vec![0; context_count(symbols, order) * symbols],
        }
    }

    /// Draws [`IMPORTANCE_SAMPLES`] transition matrices with the random words of step `number`. For each it returns
    /// a pair: the weight of the matrix, which is the stationary probability of the context with index `first`, and
    /// the row of transition probabilities from the context with index `last`. `counts` are the Dirichlet
    /// parameters of all rows, `[contexts, symbols]`.
    fn draw_weighted_rows(
        &mut self,
        counts: &[f64],
        first: usize,
        last: usize,
        number: u64,
    ) -> Vec<(f64, Vec<f64>)> {
        // Replica 1, because replica 0 draws the held-out chains.
        let stream = RandomStream::new(self.seed, Purpose::HeldOutChain, 1);
        let k = self.symbols;
        let mut words = vec![0; counts.len() * super::distributions::WORDS_PER_GAMMA];
        let one = |s: usize| {
            stream.fill_u32(number, (s * words.len()) as u32, &mut words);
            let counts = counts.chunks(k).zip(words.chunks(k * super::distributions::WORDS_PER_GAMMA));
            for (row, (counts, words)) in self.rows.chunks_mut(k).zip(counts) {
                draw_dirichlet_row(counts, words, row);
            }
            let weight = self.sampler.compute_stationary(&self.rows)[first];
            let row = &self.rows[last * k..][..k];
            (weight, row.iter().map(|units| f64::from(*units) / f64::from(super::Chain::ONE)).collect())
        };
        (0..IMPORTANCE_SAMPLES).map(one).collect()
    }

    /// Estimates the posterior mean of the next symbol's probabilities after `context`, from the whole sample and
    /// from each half. `number` selects the random words.
    fn predict(&mut self, context: &[u8], number: u64) -> BayesPrediction {
        let (k, past) = (self.symbols, self.order - 1);
        let index_of =
            |symbols: &[u8]| symbols.iter().fold(0, |index, symbol| index * k + usize::from(*symbol));
        let mut counts = vec![self.alpha; self.rows.len()];
        for window in context.windows(self.order) {
            counts[index_of(&window[..past]) * k + usize::from(window[past])] += 1.0;
        }
        let (first, last) = (index_of(&context[..past]), index_of(&context[context.len() - past..]));
        let weighted_rows = self.draw_weighted_rows(&counts, first, last, number);
        let row_counts = &counts[last * k..][..k];
        let total: f64 = row_counts.iter().sum();
        let expected_row: Vec<f64> = row_counts.iter().map(|count| count / total).collect();
        let (a, b) = weighted_rows.split_at(IMPORTANCE_SAMPLES / 2);
        BayesPrediction {
            mean: weighted_mean(&expected_row, &weighted_rows),
            half_means: Some([weighted_mean(&expected_row, a), weighted_mean(&expected_row, b)]),
        }
    }
}

/// The weighted mean of sampled rows of probabilities, given as pairs (weight, row), whose unweighted mean is
/// `expected_row`.
///
/// Only the covariance of the rows with their weights is estimated from the sample, because the mean of the rows is
/// known exactly. If a resulting probability is not positive, the whole mean is estimated from the sample.
fn weighted_mean(expected_row: &[f64], weighted_rows: &[(f64, Vec<f64>)]) -> Vec<f64> {
    let sum: f64 = weighted_rows.iter().map(|(weight, _)| weight).sum();
    let mean = sum / weighted_rows.len() as f64;
    let of = |by: &dyn Fn(f64, f64, f64) -> f64| -> Vec<f64> {
        let one = |(j, expected_row): (usize, &f64)| {
            weighted_rows.iter().map(|(weight, row)| by(*weight, row[j], *expected_row)).sum::<f64>() / sum
        };
        expected_row.iter().enumerate().map(one).collect()
    };
    let moved = of(&|weight, p, expected_row| weight * expected_row + (weight - mean) * (p - expected_row));
    if moved.iter().all(|p| *p > 0.0) { moved } else { of(&|weight, p, _| weight * p) }
}

#[cfg(test)]
mod tests;
