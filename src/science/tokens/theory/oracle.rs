//! The oracle of theorem 6: it knows u and which token is named, but sees a prompt only through its projection onto
//! the span of n training prompts.
//!
//! Theorem 6 is about the algorithms of definition 5: those that end at a stationary point of the loss plus λ/2 ‖W‖²,
//! where ∇L + λW = 0, and those that return weights of minimum norm. With them every row of a fully connected first
//! layer W lies in that span, so that later layers see x ∈ R^{Nd} only through its projection P x. Other training
//! need not keep W in the span: Adam scales gradients coordinate by coordinate, decoupled weight decay has no such
//! stationary points, and without decay the component of the initial weights outside the span remains.
//! [`PromptSpan::fraction_outside`] measures how much of W is outside.
//!
//! The label is ⟨e_t ⊗ u, x⟩ with u in the block of the named token t, and for normal tokens the minimum risk is
//!
//! ```text
//! E (y − E[y | P x])² = 1 − ‖P (e_t ⊗ u)‖²
//! ```
//!
//! Averaged over uniformly drawn directions this is **1 − n/(Nd)**, exactly. [`PromptSpan`] computes it for given
//! prompts.

use vivarium_core::math::{dot, normalize, orthogonalize, project_out};
use vivarium_core::rng::{Purpose, RandomStream};

/// The span of training prompts, as vectors `[positions · dim]`, and for each token t the squared norm of the
/// projection onto this span of the direction e_t ⊗ u: the vector u in the block of token t, and 0 elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptSpan {
    /// The direction u, a unit vector `[dim]`: the label of a prompt is ⟨u, x_t⟩ for its named token x_t.
    u: Vec<f64>,
    /// An orthonormal basis of the span, `[rank][positions · dim]`.
    basis: Vec<Vec<f64>>,
    /// For each token t the squared norm ‖P (e_t ⊗ u)‖², where P projects onto the span of the prompts and e_t ⊗ u
    /// is u in the block of token t, `[positions]`.
    captured: Vec<f64>,
}

impl PromptSpan {
    /// The span of no prompts yet, for prompts of `positions` tokens. `u` is a unit vector, `[dim]`.
    pub fn new(positions: usize, u: &[f64]) -> Self {
        PromptSpan { u: u.to_vec(), basis: vec![], captured: vec![0.0; positions] }
    }

    /// Adds a prompt to the span by Gram–Schmidt, in `rank · N · d` operations.
    ///
    /// # Shapes
    /// `tokens` is `[positions, dim]`.
    pub fn add_prompt(&mut self, tokens: &[f64]) {
        let (mut rest, size) = (tokens.to_vec(), dot(tokens, tokens));
        orthogonalize(&mut rest, self.basis.iter());
        let square = dot(&rest, &rest);
        if square <= 1e-18 * size || self.basis.len() == rest.len() {
            return;
        }
        normalize(&mut rest);
        for (caught, block) in self.captured.iter_mut().zip(rest.chunks(self.u.len())) {
            let along = dot(&self.u, block);
            *caught += along * along;
        }
        self.basis.push(rest);
    }

    /// Fraction of the total squared norm of `vectors` that lies outside the span of the prompts, from 0 to 1; 0 if
    /// all vectors are 0.
    ///
    /// # Shapes
    /// Each vector is `[positions · dim]`.
    pub fn fraction_outside(&self, vectors: impl Iterator<Item = Vec<f64>>) -> f64 {
        let (mut outside, mut whole) = (0.0, 0.0);
        for vector in vectors {
            let mut rest = vector.clone();
            self.basis.iter().for_each(|axis| project_out(&mut rest, axis));
            outside += dot(&rest, &rest);
            whole += dot(&vector, &vector);
        }
        if whole > 0.0 { outside / whole } else { 0.0 }
    }

    /// Dimension of the span of the training prompts added so far.
    pub fn rank(&self) -> usize {
        self.basis.len()
    }

    /// Squared norm ‖P (e_t ⊗ u)‖², from 0 to 1, where P projects onto the span of the prompts and e_t ⊗ u is u in
    /// the block of token t = `position`: 1 minus the minimum risk of an oracle that knows u and t and sees P x of
    /// a prompt x, if the label is ⟨u, x_t⟩.
    pub fn captured_fraction(&self, position: usize) -> f64 {
        self.captured[position]
    }

    /// The mean of [`PromptSpan::captured_fraction`] over all tokens: 1 minus the oracle's expected risk if the
    /// named token is drawn uniformly.
    pub fn mean_captured_fraction(&self) -> f64 {
        self.captured.iter().sum::<f64>() / self.captured.len() as f64
    }
}

/// Expected risk, over uniformly drawn directions u, of the oracle of theorem 6 (Mousavi-Hosseini, Sanford, Wu and
/// Erdogdu 2025), which sees a prompt only through its projection onto the span of the training prompts: max(0, 1 −
/// n/(Nd)) for n = `prompts` training prompts, N = `positions` and d = `dim`.
pub fn mean_oracle_risk(prompts: usize, positions: usize, dim: usize) -> f64 {
    (1.0 - prompts as f64 / (positions * dim) as f64).max(0.0)
}

/// The risk of the oracle of [`mean_oracle_risk`] for each number of training prompts in `counts`, which increase,
/// in the random draw number `draw`: each draw has its own direction u, named token and normal prompts.
pub fn sample_oracle_risks(seed: u64, draw: u32, positions: usize, dim: usize, counts: &[usize]) -> Vec<f64> {
    let stream = |purpose| RandomStream::new(seed, purpose, draw);
    let normal = |stream: RandomStream, step: u64, count: usize| -> Vec<f64> {
        (0..count as u32).map(|i| f64::from(stream.draw_normal(step, i))).collect()
    };
    let mut u = normal(stream(Purpose::Support), 0, dim);
    normalize(&mut u);
    let named = stream(Purpose::Names).draw_below(0, 0, positions as u32) as usize;
    let (mut span, mut pushed) = (PromptSpan::new(positions, &u), 0);
    let risk = |count: &usize| {
        while pushed < *count {
            span.add_prompt(&normal(stream(Purpose::Sample), pushed as u64, positions * dim));
            pushed += 1;
        }
        (1.0 - span.captured_fraction(named)).max(0.0)
    };
    counts.iter().map(risk).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(values: &[f64]) -> (f64, f64) {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64;
        (mean, square.sqrt())
    }

    /// N = 16, d = 8: an independent implementation measured 0.739, 0.496, 0.250, 0.143 and 0 in 40 draws each. Both are
    /// means of 40.
    #[test]
    fn risks_match_values_of_another_program() {
        let (counts, draws) = ([32, 64, 96, 112, 128], 40);
        let elsewhere = [0.739, 0.496, 0.250, 0.143, 0.000];
        let all: Vec<Vec<f64>> =
            (0..draws).map(|draw| sample_oracle_risks(7, draw, 16, 8, &counts)).collect();
        for (i, (count, elsewhere)) in counts.iter().zip(elsewhere).enumerate() {
            let (mean, spread) = moments(&all.iter().map(|risks| risks[i]).collect::<Vec<_>>());
            let error = spread / f64::from(draws).sqrt();
            assert!(
                (mean - mean_oracle_risk(*count, 16, 8)).abs() < 3.5 * error + 1e-9,
                "n = {count}: {mean} ± {error}"
            );
            let apart = 3.5 * error * 2f64.sqrt() + 1e-9;
            assert!((mean - elsewhere).abs() < apart, "n = {count}: {mean} ± {error}, elsewhere {elsewhere}");
        }
    }

    /// Squared lengths of projections of a uniform direction are Beta(n/2, (Nd − n)/2).
    #[test]
    fn the_captured_fraction_has_the_variance_of_a_beta_distribution() {
        let draws = 400;
        let risks: Vec<f64> = (0..draws).map(|draw| sample_oracle_risks(3, draw, 6, 4, &[12])[0]).collect();
        let (mean, spread) = moments(&risks);
        let exact = (0.25f64 / 13.0).sqrt();
        assert!((mean - 0.5).abs() < 4.0 * exact / f64::from(draws).sqrt(), "{mean}");
        assert!((spread / exact - 1.0).abs() < 0.15, "{spread} {exact}");
    }

    #[test]
    fn a_span_grows_by_independent_prompts_only() {
        let mut span = PromptSpan::new(2, &[0.6, 0.8]);
        span.add_prompt(&[3.0, 4.0, 0.0, 0.0]);
        assert!((span.captured_fraction(0) - 1.0).abs() < 1e-12 && span.captured_fraction(1) == 0.0);
        span.add_prompt(&[6.0, 8.0, 0.0, 0.0]);
        assert_eq!(span.rank(), 1);
        span.add_prompt(&[3.0, 4.0, 1.0, 0.0]);
        assert!(
            (span.captured_fraction(1) - 0.36).abs() < 1e-12
                && (span.mean_captured_fraction() - 0.68).abs() < 1e-12
        );
        for i in 0..6 {
            span.add_prompt(&[1.0, f64::from(i), -2.0, f64::from(i * i)]);
        }
        assert_eq!(span.rank(), 4);
        assert!((span.mean_captured_fraction() - 1.0).abs() < 1e-9);
    }

    /// 1 − n/(Nd) holds for the mean over an orthonormal set of directions in every draw.
    #[test]
    fn the_captured_fraction_averages_to_the_exact_value() {
        let stream = RandomStream::new(2, Purpose::Batch, 0);
        let (positions, dim) = (5, 3);
        for prompts in [1, 4, 9] {
            let share = |axis: usize| {
                let u: Vec<f64> = (0..dim).map(|i| if i == axis { 1.0 } else { 0.0 }).collect();
                let mut span = PromptSpan::new(positions, &u);
                for p in 0..prompts as u64 {
                    let row: Vec<f64> =
                        (0..(positions * dim) as u32).map(|i| f64::from(stream.draw_normal(p, i))).collect();
                    span.add_prompt(&row);
                }
                span.mean_captured_fraction()
            };
            let mean = (0..dim).map(share).sum::<f64>() / dim as f64;
            assert!(
                (1.0 - mean - mean_oracle_risk(prompts, positions, dim)).abs() < 1e-10,
                "{prompts}: {mean}"
            );
        }
    }
}
