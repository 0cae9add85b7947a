//! Attention over past tokens and a null slot, with hard maximum or softmax.
//!
//! ```text
//! scores    τ_0 = ⟨Q h, K_0⟩,  τ_t = ⟨Q h, K h_t⟩
//! hard      h + 1/|J| Σ_{j ∈ J} v_j,  J the slots of the largest score,  v_0 = V_0,  v_t = V h_t
//! softmax   h + Σ_j p_j v_j,  p_j = exp(β τ_j) / Σ_k exp(β τ_k)
//! ```
//!
//! # Why
//! Keys and values of a token never change, so that they are computed once and cached. Keys are stored coordinate by
//! coordinate: the scores of all tokens are then summed one coordinate at a time, in an order that does not depend on the
//! number of tokens. Only those rows of the values are stored that can be other than 0, usually one.

use super::layer::Affine;

/// How attention weights are computed from the attention scores of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AttentionMode {
    /// Hard maximum: equal weights for all slots with the largest score, 0 for the others.
    Hard,
    /// Softmax with inverse temperature β.
    Soft(f64),
}

impl AttentionMode {
    /// A sufficient inverse temperature β = ln(2(T + m)) of softmax attention: above it, all T = `steps` steps are
    /// correct with rounding and without noise, for an input of m = `input` symbols.
    ///
    /// The largest score exceeds the others by at least 1; let x = exp(−β) < 1/(2(T + m)). Step i ≤ T attends to at most i past
    /// tokens, so that the other slots together have at most L = i x times the weight of a slot with the largest score (x + (i
    /// − 1) x² if tokens have the largest score, since then each other token is 2 or more below). That is less than ½, and the
    /// rounding that follows corrects an error of at most L/(1 + L) < 1/3. In the last block two attentions come before one
    /// rounding. If a step has written the cell, only its symbol enters the token. Otherwise the attention to the input errs by
    /// at most m x/(1 + m x), its m tokens included, and the attention to the past, whose null slot then exceeds the others by
    /// 3, by at most T x³. Together that is less than 1/3 too: m x/(1 + m x) is at most m/(2T + 3m), which is 2T/(3(2T + 3m))
    /// below 1/3, and T x³ ≤ T/(8(T + m)³) is less than that, since 16(T + m)³ > 3(2T + 3m).
    ///
    /// The condition is sufficient, not necessary: cells of the input differ in many bits, so that the scores of most input
    /// tokens are more than 1 below the largest, and a smaller β may be enough.
    pub fn safe_beta(steps: usize, input: usize) -> f64 {
        libm::log(2.0 * (steps as f64 + input as f64))
    }
}

/// Weights of an attention layer with a null slot: one more key and value, which get the attention if no token matches.
#[derive(Debug, Clone, PartialEq)]
pub struct Attention {
    /// Query matrix Q with its bias, an affine map from a token to its query, `[keys, width]`.
    pub query: Affine,
    /// Key matrix K with its bias, an affine map from a token to its key, `[keys, width]`.
    pub key: Affine,
    /// Key K₀ of the null slot, `[keys]`.
    pub null_key: Vec<f64>,
    /// Value matrix V with its bias, an affine map from a token to its value, `[width, width]`.
    pub value: Affine,
    /// Value V₀ of the null slot, `[width]`.
    pub null_value: Vec<f64>,
}

/// Keys and values that one attention layer has computed for the tokens so far.
#[derive(Debug, Clone)]
pub struct KeyValueCache {
    /// Keys of the tokens so far, one list for each key coordinate, `[keys][tokens]`.
    keys: Vec<Vec<f64>>,
    /// For each token so far, the coordinates of its value whose indices `rows` lists, row-major, `[tokens, rows]`.
    values: Vec<f64>,
    /// Indices of the value coordinates that are stored: those that can be other than 0.
    rows: Vec<usize>,
    /// Workspace that holds first the key `[keys]` and then the value `[width]` of the token that is appended.
    numbers: Vec<f64>,
}

/// Scores and attention weights of one token in one attention layer.
#[derive(Debug, Clone, PartialEq)]
pub struct AttentionTrace {
    /// Attention weight of each key token, in the order of the tokens, without the null slot.
    pub weights: Vec<f64>,
    /// Attention weight of the null slot.
    pub null_weight: f64,
    /// Attention score of each key token, in the order of the tokens, without the null slot.
    pub scores: Vec<f64>,
    /// Attention score of the null slot.
    pub null_score: f64,
    /// Largest attention score minus the next smaller one, null slot included; `None` if all scores are equal.
    pub score_gap: Option<f64>,
}

impl Attention {
    /// Creates an empty cache for the keys and values of this attention layer.
    pub fn new_cache(&self) -> KeyValueCache {
        let mut rows = self.value.nonzero_rows();
        let null = self.null_value.iter().enumerate().filter(|(_, value)| **value != 0.0);
        rows.extend(null.map(|(row, _)| row));
        rows.sort_unstable();
        rows.dedup();
        KeyValueCache {
            keys: vec![Vec::new(); self.key.rows()],
            values: Vec::new(),
            rows,
            numbers: Vec::new(),
        }
    }

    /// Attends from the token `h` to the null slot and the first `count` tokens of the cache, with attention
    /// weights computed as `mode` says, and adds the weighted mean of their values to `h`.
    ///
    /// # Shapes
    /// `h` is `[width]`; the result has weights and scores `[count]`.
    pub fn attend(
        &self,
        h: &mut [f64],
        cache: &KeyValueCache,
        count: usize,
        mode: AttentionMode,
    ) -> AttentionTrace {
        let mut query = Vec::new();
        self.query.apply(h, &mut query);
        let mut scores = vec![0.0; count];
        let mut null_score = 0.0;
        for ((q, keys), null) in query.iter().zip(&cache.keys).zip(&self.null_key) {
            scores.iter_mut().zip(keys).for_each(|(score, key)| *score += q * key);
            null_score += q * null;
        }
        let best = scores.iter().copied().fold(null_score, f64::max);
        let below = scores.iter().copied().chain([null_score]).filter(|score| *score < best);
        let next = below.fold(f64::NEG_INFINITY, f64::max);
        let score_gap = next.is_finite().then_some(best - next);
        let share = |score: f64| match mode {
            AttentionMode::Hard => f64::from(u8::from(score == best)),
            AttentionMode::Soft(beta) => libm::exp(beta * (score - best)),
        };
        let mut null_weight = share(null_score);
        let mut weights: Vec<f64> = scores.iter().map(|score| share(*score)).collect();
        let total = weights.iter().fold(null_weight, |sum, weight| sum + weight);
        // Without finite scores all weights are 0.
        if !(total > 0.0 && total.is_finite()) {
            weights.fill(0.0);
            return AttentionTrace { weights, null_weight: 0.0, scores, null_score, score_gap };
        }
        let size = cache.rows.len();
        let mut found: Vec<f64> = cache.rows.iter().map(|row| null_weight * self.null_value[*row]).collect();
        for (weight, values) in weights.iter().zip(cache.values.chunks(size.max(1))) {
            if *weight != 0.0 {
                found.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
            }
        }
        // The sum is divided once, at the end, so that the mean of equal numbers is exactly that number.
        cache.rows.iter().zip(found).for_each(|(row, sum)| h[*row] += sum / total);
        null_weight /= total;
        weights.iter_mut().for_each(|weight| *weight /= total);
        AttentionTrace { weights, null_weight, scores, null_score, score_gap }
    }

    /// All weights and biases of the query, key and value maps, and the key and value of the null slot.
    pub fn parameters(&self) -> impl Iterator<Item = f64> {
        let matrices = self.query.parameters().chain(self.key.parameters()).chain(self.value.parameters());
        matrices.chain(self.null_key.iter().copied()).chain(self.null_value.iter().copied())
    }
}

impl KeyValueCache {
    /// Computes the key and value of the token `h`, `[width]`, with the weights of `attention`, and appends them to
    /// the cache.
    pub fn push(&mut self, attention: &Attention, h: &[f64]) {
        attention.key.apply(h, &mut self.numbers);
        self.keys.iter_mut().zip(&self.numbers).for_each(|(keys, key)| keys.push(*key));
        attention.value.apply(h, &mut self.numbers);
        self.values.extend(self.rows.iter().map(|row| self.numbers[*row]));
    }

    /// Number of double-precision numbers that the cache stores per token: its key and the stored coordinates of
    /// its value.
    pub(super) fn numbers_per_token(&self) -> u64 {
        (self.keys.len() + self.rows.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Width 2: the query is 1, the key is the first coordinate, the value the second, and the score of the null slot is 0.5.
    fn attention() -> Attention {
        let (mut query, mut key, mut value) = (Affine::new(1, 2), Affine::new(1, 2), Affine::new(2, 2));
        query.set_bias(0, 1.0);
        key.set(0, 0, 1.0);
        value.set(1, 1, 1.0);
        Attention { query, key, null_key: vec![0.5], value, null_value: vec![0.0, -1.0] }
    }

    fn attention_trace(tokens: &[[f64; 2]], choice: AttentionMode) -> (Vec<f64>, AttentionTrace) {
        let attention = attention();
        let mut memory = attention.new_cache();
        tokens.iter().for_each(|token| memory.push(&attention, token));
        let mut h = vec![0.0, 10.0];
        let attention_trace = attention.attend(&mut h, &memory, tokens.len(), choice);
        (h, attention_trace)
    }

    #[test]
    fn hard_attention_averages_the_values_of_the_largest_scores() {
        let (h, found) = attention_trace(&[[2.0, 3.0], [1.0, 7.0], [2.0, 5.0]], AttentionMode::Hard);
        assert_eq!(h, [0.0, 14.0]);
        assert_eq!(
            (found.weights, found.null_weight, found.score_gap),
            (vec![0.5, 0.0, 0.5], 0.0, Some(1.0))
        );
        assert_eq!((found.scores, found.null_score), (vec![2.0, 1.0, 2.0], 0.5));
        let (h, found) = attention_trace(&[[0.0, 3.0]], AttentionMode::Hard);
        assert_eq!((h, found.null_weight), (vec![0.0, 9.0], 1.0));
        let (h, found) = attention_trace(&[], AttentionMode::Hard);
        assert_eq!((h, found.null_weight, found.score_gap), (vec![0.0, 9.0], 1.0, None));
    }

    #[test]
    fn softmax_approaches_the_hard_maximum_for_large_beta() {
        let (h, found) = attention_trace(&[[2.0, 3.0], [1.0, 7.0]], AttentionMode::Soft(1.0));
        let parts = [0.5, 2.0, 1.0].map(|score| libm::exp(score - 2.0));
        let total: f64 = parts.iter().sum();
        assert!(
            (found.null_weight - parts[0] / total).abs() < 1e-15
                && (found.weights[0] - parts[1] / total).abs() < 1e-15
        );
        assert!((h[1] - (10.0 + (-parts[0] + 3.0 * parts[1] + 7.0 * parts[2]) / total)).abs() < 1e-14);
        let (h, _) = attention_trace(&[[2.0, 3.0], [1.0, 7.0]], AttentionMode::Soft(60.0));
        assert!((h[1] - 13.0).abs() < 1e-12);
    }

    #[test]
    fn scores_that_are_not_finite_give_zero_weights() {
        let (h, found) = attention_trace(&[[f64::NAN, 3.0]], AttentionMode::Soft(1.0));
        assert_eq!((h, found.null_weight), (vec![0.0, 10.0], 0.0));
    }
}
