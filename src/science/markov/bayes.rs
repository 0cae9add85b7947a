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
//! | doubly stochastic or a mixture, more symbols | none |
//!
//! # Why
//! The posterior over matrices of more symbols whose rows and columns sum to one factors into no rows, and samples of
//! its prior miss its peak. Where there is no prediction there is no line.

mod line;

pub use line::{BayesJob, BayesLine};

use super::laws::posterior_row;
use super::{ChainSequences, Chains, Walker, contexts};
use vivarium_core::math::softplus;
use vivarium_core::rng::{Purpose, Stream};

/// Matrices of an importance sample.
pub const SAMPLES: usize = 64;
/// Distance of the nodes of the quadrature near the middle, on the scale of log-odds.
const FINEST: f64 = 0.1;
/// From this node on the distances grow.
const GROWS_FROM: f64 = 60.0;
/// Exponent of 1/e of what is left out of the distribution of a row beyond the last node.
const TAIL: f64 = 30.0;
/// Largest log-odds of a node.
const FARTHEST: f64 = 300.0;
/// Smallest part of the largest weight that counts.
const NEGLIGIBLE: f64 = 1e-18;

/// Predicts by the posterior mean.
#[derive(Debug, Clone)]
pub struct Bayes {
    symbols: usize,
    order: usize,
    how: How,
}

#[derive(Debug, Clone)]
enum How {
    Independent,
    Doubly,
    /// With this share of doubly stochastic chains.
    Mixture(f64),
    Quadrature(Nodes),
    Sample(Sample),
}

/// A prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct Posterior {
    /// Probabilities of the symbols.
    pub mean: Vec<f64>,
    /// The same from each half of the importance sample; none where the mean is computed exactly.
    pub halves: Option<[Vec<f64>; 2]>,
}

impl Bayes {
    /// For sequences of chains of this distribution; none where the mean cannot be computed.
    pub fn new(drawn: &ChainSequences, chains: Chains, seed: u64) -> Option<Self> {
        let ChainSequences { symbols, order, alpha, share, .. } = *drawn;
        let two = (symbols, order) == (2, 2);
        let how = match chains {
            Chains::Dirichlet if two => How::Quadrature(Nodes::new(alpha)),
            Chains::Dirichlet => How::Sample(Sample::new(symbols, order, alpha, seed)),
            Chains::Independent => How::Independent,
            Chains::Mixture if share <= 0.0 => How::Independent,
            Chains::Doubly if two => How::Doubly,
            Chains::Mixture if two => How::Mixture(share),
            Chains::Doubly | Chains::Mixture => return None,
        };
        Some(Bayes { symbols, order, how })
    }

    /// Whether predictions are exact, and no sample.
    pub fn is_exact(&self) -> bool {
        !matches!(self.how, How::Sample(_))
    }

    /// Operations, roughly, of one prediction.
    pub fn operations(&self) -> u64 {
        match &self.how {
            How::Independent | How::Doubly | How::Mixture(_) => 1024,
            How::Quadrature(nodes) => 40 * nodes.0.len() as u64,
            How::Sample(sample) => {
                let contexts = contexts(self.symbols, self.order) as u64;
                let row = 200 * self.symbols as u64;
                SAMPLES as u64 * (contexts * row + contexts.pow(3) / 3) + sample.rows.len() as u64
            }
        }
    }

    /// The probabilities after `context`; none if the context is shorter than n − 1. `number` chooses the importance sample.
    pub fn predict(&mut self, context: &[u8], number: u64) -> Option<Posterior> {
        let (k, order) = (self.symbols, self.order);
        if context.is_empty() || context.len() + 1 < order {
            return None;
        }
        let exact = |mean| Some(Posterior { mean, halves: None });
        match &mut self.how {
            How::Independent => exact(independent(k, context)),
            How::Doubly => exact(doubly(context)),
            How::Mixture(share) => {
                let weight = doubly_weight(*share, context);
                let both = doubly(context).into_iter().zip(independent(k, context));
                exact(both.map(|(doubly, other)| weight * doubly + (1.0 - weight) * other).collect())
            }
            How::Quadrature(nodes) => exact(nodes.predict(context)),
            How::Sample(sample) => Some(sample.predict(context, number)),
        }
    }
}

/// The posterior mean of the one row of independent symbols, whose prior is uniform.
fn independent(symbols: usize, context: &[u8]) -> Vec<f64> {
    let mut counts = vec![1.0; symbols];
    context.iter().for_each(|symbol| counts[usize::from(*symbol)] += 1.0);
    let all = (context.len() + symbols) as f64;
    counts.into_iter().map(|count| count / all).collect()
}

/// How often a symbol was repeated and how often it changed.
fn repeats(context: &[u8]) -> [f64; 2] {
    let repeated = context.windows(2).filter(|pair| pair[0] == pair[1]).count();
    [repeated as f64, (context.len() - 1 - repeated) as f64]
}

/// The posterior mean for two symbols that are each repeated with the same probability, whose prior is uniform.
fn doubly(context: &[u8]) -> Vec<f64> {
    let [repeated, changed] = repeats(context);
    let again = (repeated + 1.0) / (repeated + changed + 2.0);
    let last = context.last().copied().unwrap_or_default();
    (0..2).map(|symbol| if symbol == last { again } else { 1.0 - again }).collect()
}

/// Posterior probability that two symbols come from a doubly stochastic chain and not from independent symbols, where
/// the prior probability is `share`.
fn doubly_weight(share: f64, context: &[u8]) -> f64 {
    // ∫ u^a (1 − u)^b du = a! b! / (a + b + 1)!
    let log_integral =
        |a: f64, b: f64| libm::lgamma(a + 1.0) + libm::lgamma(b + 1.0) - libm::lgamma(a + b + 2.0);
    let ones = context.iter().filter(|symbol| **symbol == 1).count() as f64;
    let [repeated, changed] = repeats(context);
    // Both symbols are equally frequent in a doubly stochastic chain, so the first has probability ½.
    let doubly = log_integral(repeated, changed) - std::f64::consts::LN_2;
    let independent = log_integral(ones, context.len() as f64 - ones);
    let odds = share / (1.0 - share) * libm::exp(doubly - independent);
    if odds.is_finite() { odds / (1.0 + odds) } else { 1.0 }
}

/// Nodes of the quadrature over a probability u: log u, log(1 − u), and the logarithm of the weight of a Beta density
/// without its parameters.
///
/// # Why
/// In log-odds s = log(u / (1 − u)) the density of a Beta distribution is smooth and falls exponentially on both sides, even
/// for parameters below 1, and π is a logistic function of the difference of two log-odds where both probabilities are small.
/// So the trapezoidal rule converges exponentially. Its nodes are 0.1 apart in the middle, where a density of 255 counts has a
/// standard deviation of 0.12, and farther apart outside, where densities are as wide as the logistic function.
#[derive(Debug, Clone)]
struct Nodes(Vec<[f64; 3]>, f64);

impl Nodes {
    fn new(alpha: f64) -> Self {
        let reach = (TAIL / alpha.min(1.0)).min(FARTHEST);
        let grown = |x: f64| libm::sqrt(1.0 + (x / GROWS_FROM) * (x / GROWS_FROM));
        let at = |x: f64| FINEST * x * grown(x);
        let half = (0..).take_while(|x| at(f64::from(*x)) < reach).last().unwrap_or(0);
        let node = |x: i32| {
            let x = f64::from(x);
            let (s, rest) = (at(x), (x / GROWS_FROM) * (x / GROWS_FROM) / grown(x));
            [-softplus(-s), -softplus(s), libm::log(grown(x) + rest)]
        };
        Nodes((-half..=half).map(node).collect(), alpha)
    }

    /// The density of Beta(a, b) at the nodes that count, each u with its weight.
    fn density(&self, a: f64, b: f64) -> Vec<(f64, f64)> {
        let logs: Vec<f64> = self.0.iter().map(|[u, rest, weight]| a * u + b * rest + weight).collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights = logs.iter().map(|log| libm::exp(log - most));
        let points = self.0.iter().zip(weights).filter(|(_, weight)| *weight > NEGLIGIBLE);
        points.map(|([u, ..], weight)| (libm::exp(*u), weight)).collect()
    }

    fn predict(&self, context: &[u8]) -> Vec<f64> {
        let alpha = self.1;
        // How often each symbol was followed by each.
        let mut counts = [[alpha; 2]; 2];
        context.windows(2).for_each(|pair| counts[usize::from(pair[0])][usize::from(pair[1])] += 1.0);
        // Probabilities to leave 0, and to leave 1.
        let leaving = [self.density(counts[0][1], counts[0][0]), self.density(counts[1][0], counts[1][1])];
        let (first, last) = (usize::from(context[0]), usize::from(context[context.len() - 1]));
        let (mut whole, mut changes) = (0.0, 0.0);
        for (own, own_weight) in &leaving[last] {
            // π of a symbol is in proportion to the probability to leave the other symbol.
            let share = |other: f64| if first == last { other / (own + other) } else { own / (own + other) };
            let sum: f64 = leaving[1 - last].iter().map(|(other, weight)| weight * share(*other)).sum();
            whole += own_weight * sum;
            changes += own_weight * sum * own;
        }
        let change = changes / whole;
        (0..2).map(|symbol| if symbol == last { 1.0 - change } else { change }).collect()
    }
}

/// An importance sample.
#[derive(Debug, Clone)]
struct Sample {
    symbols: usize,
    order: usize,
    alpha: f64,
    seed: u64,
    walker: Walker,
    /// Of one chain, `[contexts, symbols]`.
    rows: Vec<u32>,
}

impl Sample {
    fn new(symbols: usize, order: usize, alpha: f64, seed: u64) -> Self {
        let walker = Walker::new(symbols, order);
        Sample { symbols, order, alpha, seed, walker, rows: vec![0; contexts(symbols, order) * symbols] }
    }

    /// Weights, and the row of the last context, of the matrices drawn.
    fn draw(&mut self, counts: &[f64], first: usize, last: usize, number: u64) -> Vec<(f64, Vec<f64>)> {
        // Held-out chains have replica 0.
        let stream = Stream::new(self.seed, Purpose::HeldOutChain, 1);
        let k = self.symbols;
        let mut words = vec![0; counts.len() * super::laws::GAMMA];
        let one = |s: usize| {
            stream.words(number, (s * words.len()) as u32, &mut words);
            let counts = counts.chunks(k).zip(words.chunks(k * super::laws::GAMMA));
            for (row, (counts, words)) in self.rows.chunks_mut(k).zip(counts) {
                posterior_row(counts, words, row);
            }
            let weight = self.walker.settle(&self.rows)[first];
            let row = &self.rows[last * k..][..k];
            (weight, row.iter().map(|units| f64::from(*units) / f64::from(super::Chain::ONE)).collect())
        };
        (0..SAMPLES).map(one).collect()
    }

    fn predict(&mut self, context: &[u8], number: u64) -> Posterior {
        let (k, past) = (self.symbols, self.order - 1);
        let place = |symbols: &[u8]| symbols.iter().fold(0, |place, symbol| place * k + usize::from(*symbol));
        let mut counts = vec![self.alpha; self.rows.len()];
        for window in context.windows(self.order) {
            counts[place(&window[..past]) * k + usize::from(window[past])] += 1.0;
        }
        let (first, last) = (place(&context[..past]), place(&context[context.len() - past..]));
        let drawn = self.draw(&counts, first, last, number);
        let own = &counts[last * k..][..k];
        let total: f64 = own.iter().sum();
        let known: Vec<f64> = own.iter().map(|count| count / total).collect();
        let (a, b) = drawn.split_at(SAMPLES / 2);
        Posterior { mean: weighted(&known, &drawn), halves: Some([weighted(&known, a), weighted(&known, b)]) }
    }
}

/// The weighted mean of rows whose mean without weights is `known`.
///
/// Only the covariance with the weights is taken from the sample, since the rest is known. If a probability then is not
/// above zero, the whole mean is taken from the sample.
fn weighted(known: &[f64], drawn: &[(f64, Vec<f64>)]) -> Vec<f64> {
    let sum: f64 = drawn.iter().map(|(weight, _)| weight).sum();
    let mean = sum / drawn.len() as f64;
    let of = |by: &dyn Fn(f64, f64, f64) -> f64| -> Vec<f64> {
        let one = |(j, known): (usize, &f64)| {
            drawn.iter().map(|(weight, row)| by(*weight, row[j], *known)).sum::<f64>() / sum
        };
        known.iter().enumerate().map(one).collect()
    };
    let moved = of(&|weight, p, known| weight * known + (weight - mean) * (p - known));
    if moved.iter().all(|p| *p > 0.0) { moved } else { of(&|weight, p, _| weight * p) }
}

#[cfg(test)]
mod tests;
