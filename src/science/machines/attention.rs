//! Attention over past tokens and a null slot, with hard maximum or softmax.
//!
//! ```text
//! scores    τ_0 = ⟨Q h, K_0⟩,  τ_t = ⟨Q h, K h_t⟩
//! hard      h + 1/|J| Σ_{j ∈ J} v_j,  J the slots of the largest score,  v_0 = V_0,  v_t = V h_t
//! softmax   h + Σ_j p_j v_j,  p_j = exp(β τ_j) / Σ_k exp(β τ_k)
//! ```
//!
//! # Why
//! Keys and values of a token never change, so that they are computed once and kept. Keys are kept coordinate by
//! coordinate: the scores of all tokens then grow by one coordinate at a time, in an order that does not depend on how many
//! tokens there are. Of the values only the rows are kept that can be other than 0, mostly one.

use super::layer::Affine;

/// How attention chooses among the scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Choice {
    /// The slots with the largest score, all alike.
    Hard,
    /// Softmax with this inverse temperature β.
    Soft(f64),
}

impl Choice {
    /// The β above which all T steps are right with rounding and without noise, ln 2(T + m), for an input of m symbols.
    ///
    /// A score that wins leads by 1, and x = exp(−β) < 1/(2(T + m)). Step i ≤ T attends to at most i past tokens, so that all
    /// slots that lose count at most L = i x as much as a winner (x + (i − 1) x² where tokens win, of which each loses by 2 or
    /// more). That is less than ½, and an error of at most L/(1 + L) < 1/3 is repaired by the rounding that follows. In the
    /// last block two attentions come before one rounding. Where a step has written the cell, its symbol alone enters the
    /// token. Otherwise the attention to the input errs by at most m x/(1 + m x), its m tokens among them, and the attention to
    /// the past, whose null slot then leads by 3, by at most T x³. Together that is less than 1/3 too: m x/(1 + m x) is at
    /// most m/(2T + 3m), which is 2T/(3(2T + 3m)) below 1/3, and T x³ ≤ T/(8(T + m)³) is less than that, since
    /// 16(T + m)³ > 3(2T + 3m).
    ///
    /// The condition is sufficient. Where no number ever errs by 1/3 at a smaller β, that β is enough too: cells of the input
    /// differ, so that most of its tokens lose by much more than 1.
    pub fn safe_beta(steps: usize, input: usize) -> f64 {
        libm::log(2.0 * (steps as f64 + input as f64))
    }
}

/// The matrices of an attention layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Attention {
    /// Q with its bias.
    pub query: Affine,
    /// K with its bias.
    pub key: Affine,
    /// K₀, the key of the null slot.
    pub null_key: Vec<f64>,
    /// V with its bias.
    pub value: Affine,
    /// V₀, the value of the null slot.
    pub null_value: Vec<f64>,
}

/// Keys and values of the tokens so far.
#[derive(Debug, Clone)]
pub struct Memory {
    /// Coordinate by coordinate, in each token by token.
    keys: Vec<Vec<f64>>,
    /// Token by token, in each row by row of those in use.
    values: Vec<f64>,
    /// Rows of values that are kept.
    rows: Vec<usize>,
    /// Scratch, `[keys]` and `[width]`.
    numbers: Vec<f64>,
}

/// What an attention layer looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// How much each token counts, from the first.
    pub weights: Vec<f64>,
    /// How much the null slot counts.
    pub null: f64,
    /// The scores of the tokens.
    pub scores: Vec<f64>,
    /// The score of the null slot.
    pub null_score: f64,
    /// The largest score minus the next smaller one; none where all scores are the same.
    pub gap: Option<f64>,
}

impl Attention {
    /// Memory without a token.
    pub fn memory(&self) -> Memory {
        let mut rows = self.value.rows_in_use();
        let null = self.null_value.iter().enumerate().filter(|(_, value)| **value != 0.0);
        rows.extend(null.map(|(row, _)| row));
        rows.sort_unstable();
        rows.dedup();
        Memory { keys: vec![Vec::new(); self.key.rows()], values: Vec::new(), rows, numbers: Vec::new() }
    }

    /// Looks from token `h` at the first `count` tokens of the memory, and adds to `h` what it finds.
    ///
    /// # Shapes
    /// `h` is `[width]`; the look has `[count]` weights.
    pub fn attend(&self, h: &mut [f64], memory: &Memory, count: usize, choice: Choice) -> Look {
        let mut query = Vec::new();
        self.query.apply(h, &mut query);
        let mut scores = vec![0.0; count];
        let mut null_score = 0.0;
        for ((q, keys), null) in query.iter().zip(&memory.keys).zip(&self.null_key) {
            scores.iter_mut().zip(keys).for_each(|(score, key)| *score += q * key);
            null_score += q * null;
        }
        let best = scores.iter().copied().fold(null_score, f64::max);
        let below = scores.iter().copied().chain([null_score]).filter(|score| *score < best);
        let next = below.fold(f64::NEG_INFINITY, f64::max);
        let gap = next.is_finite().then_some(best - next);
        let share = |score: f64| match choice {
            Choice::Hard => f64::from(u8::from(score == best)),
            Choice::Soft(beta) => libm::exp(beta * (score - best)),
        };
        let mut null = share(null_score);
        let mut weights: Vec<f64> = scores.iter().map(|score| share(*score)).collect();
        let total = weights.iter().fold(null, |sum, weight| sum + weight);
        // Numbers that are no longer finite have no largest score: then nothing is found.
        if !(total > 0.0 && total.is_finite()) {
            weights.fill(0.0);
            return Look { weights, null: 0.0, scores, null_score, gap };
        }
        let size = memory.rows.len();
        let mut found: Vec<f64> = memory.rows.iter().map(|row| null * self.null_value[*row]).collect();
        for (weight, values) in weights.iter().zip(memory.values.chunks(size.max(1))) {
            if *weight != 0.0 {
                found.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
            }
        }
        // The mean is divided once, at the end: so the mean of equal numbers is that number.
        memory.rows.iter().zip(found).for_each(|(row, sum)| h[*row] += sum / total);
        null /= total;
        weights.iter_mut().for_each(|weight| *weight /= total);
        Look { weights, null, scores, null_score, gap }
    }

    /// All weights, biases and null slots.
    pub fn numbers(&self) -> impl Iterator<Item = f64> {
        let matrices = self.query.numbers().chain(self.key.numbers()).chain(self.value.numbers());
        matrices.chain(self.null_key.iter().copied()).chain(self.null_value.iter().copied())
    }
}

impl Memory {
    /// Adds a token.
    pub fn push(&mut self, attention: &Attention, h: &[f64]) {
        attention.key.apply(h, &mut self.numbers);
        self.keys.iter_mut().zip(&self.numbers).for_each(|(keys, key)| keys.push(*key));
        attention.value.apply(h, &mut self.numbers);
        self.values.extend(self.rows.iter().map(|row| self.numbers[*row]));
    }

    /// Numbers that are kept for each token.
    pub(super) fn numbers_a_token(&self) -> u64 {
        (self.keys.len() + self.rows.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Width 2: the query is 1, the key is the first coordinate, the value the second, and the null slot scores 0.5.
    fn attention() -> Attention {
        let (mut query, mut key, mut value) = (Affine::new(1, 2), Affine::new(1, 2), Affine::new(2, 2));
        query.set_bias(0, 1.0);
        key.set(0, 0, 1.0);
        value.set(1, 1, 1.0);
        Attention { query, key, null_key: vec![0.5], value, null_value: vec![0.0, -1.0] }
    }

    fn look(tokens: &[[f64; 2]], choice: Choice) -> (Vec<f64>, Look) {
        let attention = attention();
        let mut memory = attention.memory();
        tokens.iter().for_each(|token| memory.push(&attention, token));
        let mut h = vec![0.0, 10.0];
        let look = attention.attend(&mut h, &memory, tokens.len(), choice);
        (h, look)
    }

    #[test]
    fn the_largest_score_wins_and_ties_share() {
        let (h, found) = look(&[[2.0, 3.0], [1.0, 7.0], [2.0, 5.0]], Choice::Hard);
        assert_eq!(h, [0.0, 14.0]);
        assert_eq!((found.weights, found.null, found.gap), (vec![0.5, 0.0, 0.5], 0.0, Some(1.0)));
        assert_eq!((found.scores, found.null_score), (vec![2.0, 1.0, 2.0], 0.5));
        let (h, found) = look(&[[0.0, 3.0]], Choice::Hard);
        assert_eq!((h, found.null), (vec![0.0, 9.0], 1.0));
        let (h, found) = look(&[], Choice::Hard);
        assert_eq!((h, found.null, found.gap), (vec![0.0, 9.0], 1.0, None));
    }

    #[test]
    fn softmax_comes_close_to_the_maximum() {
        let (h, found) = look(&[[2.0, 3.0], [1.0, 7.0]], Choice::Soft(1.0));
        let parts = [0.5, 2.0, 1.0].map(|score| libm::exp(score - 2.0));
        let total: f64 = parts.iter().sum();
        assert!(
            (found.null - parts[0] / total).abs() < 1e-15
                && (found.weights[0] - parts[1] / total).abs() < 1e-15
        );
        assert!((h[1] - (10.0 + (-parts[0] + 3.0 * parts[1] + 7.0 * parts[2]) / total)).abs() < 1e-14);
        let (h, _) = look(&[[2.0, 3.0], [1.0, 7.0]], Choice::Soft(60.0));
        assert!((h[1] - 13.0).abs() < 1e-12);
    }

    #[test]
    fn numbers_that_are_not_finite_are_no_answer() {
        let (h, found) = look(&[[f64::NAN, 3.0]], Choice::Soft(1.0));
        assert_eq!((h, found.null), (vec![0.0, 10.0], 0.0));
    }
}
