//! Resources that learning a parity needs at least: two lower bounds, with their constants and their assumptions.
//!
//! Every gradient of a network with bounded slopes says something about at most a few of the C(n, k) parities at once,
//! so that whoever has few of everything fails on some of them (Edelman 2024, proposition 6.3 and theorem 5.6; after
//! Shalev-Shwartz, Shamir and Shammah 2017 and Kamath, Montasser and Srebro 2020).
//!
//! ```text
//! r·T / (τ²δ) ≤ ½·C(n, k)    an adversary who may add up to τ to every entry of every gradient can keep the
//!                            first T steps independent of some parity, with probability 1 − δ at least, if
//!                            ∂ℓ/∂ŷ = −y + ℓ₀(ŷ), as for the square loss, and ‖∇h(x)‖∞ ≤ 1
//! D·R² < ε²·C(n, k)          some parity has hinge loss above 1 − ε for every w of norm at most R on D fixed
//!                            features of norm at most 1
//! ```
//!
//! # Why
//! r counts parameters, T steps, and τ is also at least twice the largest error of an entry that comes from the sample, for
//! which about 1/τ² examples are enough. No run here has an adversary, and most have the hinge loss and larger slopes: for
//! them the proposition excludes nothing. It is a yardstick, with τ = 1/√m for m examples, and is called one. What is seen
//! to fail is far above it: 1/√m leaves the logarithm out, and the worst parity of all C(n, k) is meant.

use vivarium_core::math::binomial;

/// Size, steps and examples of a training run on (n, k)-parity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingResources {
    /// Number of input bits n.
    pub inputs: usize,
    /// Number of relevant bits k.
    pub relevant: usize,
    /// Number r of parameters of the network.
    pub parameters: f64,
    /// Number of training steps T.
    pub steps: f64,
    /// Number of examples m; the bound assumes an adversarial error of τ = 1/√m in every gradient entry.
    pub examples: f64,
}

impl TrainingResources {
    /// Upper bound r·T·m / (½·C(n, k)), for r parameters, T steps and m examples, on the probability that training
    /// succeeds on the hardest of the (n, k)-parities, if an adversary adds errors of up to 1/√m to every gradient
    /// entry (Edelman 2024, proposition 6.3). Says nothing where it is above 1.
    pub fn max_success_probability(&self) -> f64 {
        self.parameters * self.steps * self.examples / (0.5 * binomial(self.inputs, self.relevant))
    }

    /// Minimum number of examples, with all else equal, for which [`Self::max_success_probability`] is at least
    /// `delta`.
    pub fn min_examples(&self, delta: f64) -> f64 {
        delta * 0.5 * binomial(self.inputs, self.relevant) / (self.parameters * self.steps)
    }

    /// Minimum number n of input bits, with all else equal, for which [`Self::max_success_probability`] is below
    /// `delta`; `None` if it is above `max_inputs`.
    pub fn min_forbidden_inputs(&self, delta: f64, max_inputs: usize) -> Option<usize> {
        let forbids =
            |inputs: &usize| TrainingResources { inputs: *inputs, ..*self }.max_success_probability() < delta;
        (self.relevant..=max_inputs).find(forbids)
    }
}

/// Lower bound on the hinge loss of linear predictors on `features` fixed features of norm at most 1: on some parity of
/// `k` of `n` bits, every predictor with weights of norm at most `norm` has at least this loss, 1 − `norm`·√(`features`
/// / C(n, k)), or 0 if that is negative (Edelman 2024, theorem 5.6).
pub fn min_fixed_feature_loss(n: usize, k: usize, features: usize, norm: f64) -> f64 {
    (1.0 - norm * libm::sqrt(features as f64 / binomial(n, k))).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::walsh;
    use vivarium_core::math::{dot, norm};
    use vivarium_core::rng::{Purpose, RandomStream};

    const SPENT: TrainingResources =
        TrainingResources { inputs: 30, relevant: 3, parameters: 3201.0, steps: 1.0, examples: 1.0 };

    #[test]
    fn resources_pay_for_each_other() {
        // ½·C(30, 3) = 2030.
        assert_eq!(TrainingResources { parameters: 203.0, ..SPENT }.max_success_probability(), 0.1);
        for (more, by) in [
            (TrainingResources { parameters: 2.0 * 3201.0, ..SPENT }, 2.0),
            (TrainingResources { steps: 3.0, ..SPENT }, 3.0),
            (TrainingResources { examples: 5.0, ..SPENT }, 5.0),
        ] {
            assert!(
                (more.max_success_probability() / SPENT.max_success_probability() / by - 1.0).abs() < 1e-12
            );
        }
        let thrifty = TrainingResources { parameters: 10.0, steps: 10.0, ..SPENT };
        let least = thrifty.min_examples(0.5);
        let paid = TrainingResources { examples: least, ..thrifty };
        assert!((paid.max_success_probability() - 0.5).abs() < 1e-12 && least == 10.15);
        // Half of C(n, 3) is above 2·100 from n = 15 on, and never at k = 1 up to 100 bits.
        assert_eq!(TrainingResources { examples: 1.0, ..thrifty }.min_forbidden_inputs(0.5, 100), Some(15));
        assert_eq!(TrainingResources { relevant: 1, ..thrifty }.min_forbidden_inputs(0.5, 100), None);
    }

    /// Lemma C.1 and the step from it to proposition 6.3, on all 1,820 parities of four of 16 bits: r derivatives of at
    /// most 1 are correlated by more than τ with at most r/τ² parities, so that an adversary hides all others.
    #[test]
    fn few_parities_are_seen_by_bounded_derivatives() {
        const N: usize = 16;
        let sets: Vec<usize> = (0..1usize << N).filter(|set| set.count_ones() == 4).collect();
        assert_eq!(sets.len() as f64, binomial(N, 4));
        let stream = RandomStream::new(9, Purpose::Weights, 0);
        let w: Vec<f64> = (0..N as u32).map(|i| f64::from(stream.draw_normal(0, i))).collect();
        let parity = |x: &[f64], from: usize| x[from..from + 4].iter().product::<f64>();
        let derivatives = [
            walsh::walsh_coefficients(N, |x| parity(x, 0)),
            walsh::walsh_coefficients(N, |x| 0.5 * (parity(x, 4) - parity(x, 8))),
            // The slope of a ReLU with a bias.
            walsh::walsh_coefficients(N, |x| {
                let z = 1.0 + dot(x, &w);
                if z > 0.0 { 1.0 } else { 0.0 }
            }),
        ];
        for derivative in &derivatives {
            let mean = sets.iter().map(|set| derivative[*set].powi(2)).sum::<f64>() / sets.len() as f64;
            assert!(mean > 0.0 && mean <= 1.0 / binomial(N, 4) + 1e-15, "lemma C.1: {mean}");
        }
        for (tau, least) in [(0.01, 3), (0.1, 3), (0.4, 3), (0.9, 1)] {
            let is_seen = |set: &&usize| derivatives.iter().any(|derivative| derivative[**set].abs() > tau);
            let seen = sets.iter().filter(is_seen).count() as f64;
            assert!(
                seen >= f64::from(least) && seen <= derivatives.len() as f64 / (tau * tau),
                "{tau}: {seen}"
            );
            // On no larger share of the parities does one step of such gradients tell anything.
            let spent = TrainingResources {
                inputs: N,
                relevant: 4,
                parameters: derivatives.len() as f64,
                steps: 1.0,
                examples: 1.0 / (tau * tau),
            };
            assert!(seen / sets.len() as f64 <= spent.max_success_probability(), "{tau}: {seen}");
        }
    }

    /// Theorem 5.6 on all 56 parities of three of eight bits: with w bounded, the hinge loss is at least
    /// 1 − w·E\[yΨ\], and of some parity E\[yΨ\] is as short as the theorem needs it; and descent does not come below.
    #[test]
    fn some_parity_is_beyond_fixed_features() {
        const N: usize = 8;
        let points = 1usize << N;
        let sign = |point: usize, i: usize| 1.0 - 2.0 * (point >> i & 1) as f64;
        for features in [1, 4, 9] {
            let stream = RandomStream::new(5, Purpose::Weights, features as u32);
            let mut psi: Vec<Vec<f64>> = (0..points)
                .map(|point| {
                    let z = |d: usize| -> f64 {
                        let w = |i: usize| f64::from(stream.draw_normal(0, (d * N + i) as u32));
                        (0..N).map(|i| w(i) * sign(point, i)).sum()
                    };
                    (0..features).map(|d| z(d).max(0.0)).collect()
                })
                .collect();
            let most = psi.iter().map(|v| norm(v)).fold(0.0, f64::max);
            psi.iter_mut().flatten().for_each(|x| *x /= most);
            let (mut floor, mut worst) = (0.0f64, 0);
            for set in (0..points).filter(|set: &usize| set.count_ones() == 3) {
                let label =
                    |point: usize| if (point & set).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
                let mean: Vec<f64> = (0..features)
                    .map(|d| (0..points).map(|p| label(p) * psi[p][d]).sum::<f64>() / points as f64)
                    .collect();
                let least = 1.0 - 2.0 * norm(&mean);
                if least > floor {
                    (floor, worst) = (least, set);
                }
            }
            let bound = min_fixed_feature_loss(N, 3, features, 2.0);
            assert!(floor >= bound && bound > 0.1, "{features}: {floor} {bound}");
            // Projected descent on the hinge loss of the hardest parity.
            let mut w = vec![0.0; features];
            let mut loss = 1.0;
            for _ in 0..300 {
                let mut pull = vec![0.0; features];
                loss = 0.0;
                for (point, psi) in psi.iter().enumerate() {
                    let label = if (point & worst).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
                    let margin = label * dot(&w, psi);
                    loss += (1.0 - margin).max(0.0) / points as f64;
                    if margin < 1.0 {
                        pull.iter_mut().zip(psi).for_each(|(pull, x)| *pull += label * x / points as f64);
                    }
                }
                w.iter_mut().zip(&pull).for_each(|(w, pull)| *w += pull);
                let scale = (2.0 / norm(&w)).min(1.0);
                w.iter_mut().for_each(|w| *w *= scale);
            }
            assert!(loss >= floor - 1e-12, "{features}: {loss} {floor}");
        }
        assert_eq!(min_fixed_feature_loss(15, 3, 3000, 10.0), 0.0);
    }
}
