//! The theory with adjustable settings: W and v after a few exact gradient steps.

use super::{GradientTensor, MinimalModel, TwoSymbolDistribution};
use vivarium_core::settings::Range;
use vivarium_core::{choices, settings};

choices! {
    /// Chains for which the gradient steps are computed.
    pub enum Curriculum {
        /// Independent uniform rows.
        Default = "default", "Independent rows";
        /// a = b, uniform in (0, 1).
        Doubly = "doubly", "Doubly stochastic";
        /// One step on chains with independent rows, then one on chains with a = b near ½ (proposition 8.5).
        TwoStep = "twostep", "First independent rows, then doubly stochastic";
    }
}

choices! {
    /// Which weights decay in the second step of the curriculum.
    pub enum DecayedWeights {
        /// W and v, as in the proof of proposition E.3 (equations E.53 and E.54).
        Both = "both", "W and v";
        /// Only W, as in proposition 8.5.
        Kernel = "w", "W alone";
    }
}

settings! {
    /// A few exact steps of the minimal model on two symbols.
    pub struct TheorySettings {
        /// Distribution of the Markov chains for which the gradient steps are computed. These chains have two symbols.
        curriculum: Curriculum = Curriculum::Default, "tdata", "Chains in the theory", Range::Choice(Curriculum::OPTIONS);
        /// Number t of symbols in a context, for the calculations of the theory.
        length: usize = 100, "tt", "Context length t in the theory", Range::Int(2, 256), "symbols";
        /// Learning rate η of every gradient step of the theory.
        eta: f64 = 0.03, "teta", "Learning rate η in the theory", Range::Real(0.0001, 1.0), only when "tdata" = "default" | "doubly";
        /// Initial value of every entry of v.
        initial_lag: f64 = 0.02, "tc", "Initial v", Range::Real(0.001, 1.0);
        /// Initial value of every entry of W; lemma 8.4 of the thesis uses the same number for W and v.
        initial_kernel: f64 = 0.02, "tw", "Initial W", Range::Real(0.0, 1.0);
        /// Number of gradient steps that the theory computes.
        steps: usize = 2, "tsteps", "Gradient steps in the theory", Range::Int(1, 50), only when "tdata" = "default" | "doubly";
        /// In step 2 the next symbol differs from the current one with a probability drawn uniformly from ½ − ε to ½ + ε.
        epsilon: f64 = 0.25, "teps", "Half-width ε of the interval", Range::Real(0.01, 0.5), only when "tdata" = "twostep";
        /// The learning rate of step 1 is this number divided by t²; proposition E.3 of the thesis does not state the number.
        first_rate_factor: f64 = 100.0, "tr1", "Learning rate of step 1 times t²", Range::Real(0.01, 10000.0), only when "tdata" = "twostep";
        /// The learning rate of step 2 is this number divided by t; proposition E.3 of the thesis does not state the number.
        second_rate_factor: f64 = 1.0, "tr2", "Learning rate of step 2 times t", Range::Real(0.01, 10000.0), only when "tdata" = "twostep";
        /// Weights with weight decay 1 in step 2. The proof of proposition E.3 decays W and v; proposition 8.5 decays W alone.
        decayed_weights: DecayedWeights = DecayedWeights::Both, "tdecay", "Weight decay in step 2", Range::Choice(DecayedWeights::OPTIONS), only when "tdata" = "twostep";
    }
}

/// The minimal model after each gradient step, parts of its gradients, and sentences that summarise them.
#[derive(Debug, Clone, PartialEq)]
pub struct TheoryResult {
    /// The weights W and v of the minimal model after each gradient step, from step 0, the initial weights.
    pub models: Vec<MinimalModel>,
    /// Negative gradient of the loss with respect to the matrix W at the initial weights, for the first gradient
    /// step.
    pub first_kernel_gradient: [[f64; 2]; 2],
    /// Part of the negative gradient of the loss with respect to v, at the weights before the last step: the part
    /// from the constant matrix whose entries are the off-diagonal mean of W, `[length]`.
    pub uniform_lag_gradient: Vec<f64>,
    /// Part of the negative gradient of the loss with respect to v, at the weights before the last step: the part
    /// from the diagonal of W minus the off-diagonal mean, `[length]`.
    pub diagonal_lag_gradient: Vec<f64>,
    /// Sentences, in the language of the page, that describe the result.
    pub summary: Vec<String>,
}

impl TheoryResult {
    /// Mean diagonal entry of W divided by the mean off-diagonal entry, after each gradient step, from step 0, the
    /// initial weights.
    pub fn diagonal_ratios(&self) -> Vec<f64> {
        self.models.iter().map(MinimalModel::diagonal_ratio).collect()
    }

    /// The weights W and v of the minimal model after the last gradient step.
    pub fn last_model(&self) -> &MinimalModel {
        &self.models[self.models.len() - 1]
    }

    /// Number of peaks of the weight v after the last step at the odd distances 1, 3, 5, 7 and 9, counted up to the
    /// first of them without a peak. A peak is greater than the weights at both neighbouring distances.
    pub fn count_odd_peaks(&self) -> usize {
        let v = &self.last_model().v;
        let peak = |d: &usize| v[*d] > v[d - 1] && v[*d] > v[d + 1];
        (1..v.len().saturating_sub(1)).step_by(2).take(5).take_while(peak).count()
    }
}

impl TheorySettings {
    /// Computes the gradient steps of the minimal model from the initial weights, and the sentences that summarise
    /// them; takes a few milliseconds.
    pub fn compute(&self) -> TheoryResult {
        let length = self.length;
        let distribution = match self.curriculum {
            Curriculum::Doubly => TwoSymbolDistribution::Equal { epsilon: 0.5 },
            Curriculum::Default | Curriculum::TwoStep => TwoSymbolDistribution::Independent,
        };
        let mut tensor = GradientTensor::compute(distribution, length);
        let two_step = self.curriculum == Curriculum::TwoStep;
        let mut after = vec![MinimalModel::with_equal_weights(self.initial_kernel, self.initial_lag, length)];
        let first = tensor.kernel_gradient(&after[0].v);
        if two_step {
            after.push(after[0].gradient_step(&tensor, self.first_rate_factor / (length * length) as f64));
            tensor = GradientTensor::compute(TwoSymbolDistribution::Equal { epsilon: self.epsilon }, length);
            let decay = if self.decayed_weights == DecayedWeights::Both { [1.0, 1.0] } else { [1.0, 0.0] };
            after.push(after[1].gradient_step_with_decay(
                &tensor,
                self.second_rate_factor / length as f64,
                decay,
            ));
        } else {
            for step in 0..self.steps {
                after.push(after[step].gradient_step(&tensor, self.eta));
            }
        }
        let (uniform, diagonal) = after[after.len() - 2].lag_gradient_parts(&tensor);
        let mut outcome = TheoryResult {
            models: after,
            first_kernel_gradient: first,
            uniform_lag_gradient: uniform,
            diagonal_lag_gradient: diagonal,
            summary: vec![],
        };
        outcome.summary = self.summarise(&outcome);
        outcome
    }

    /// Sentences that summarise the gradient steps in `outcome`: see [`TheoryResult::summary`].
    fn summarise(&self, outcome: &TheoryResult) -> Vec<String> {
        let mut texts = vec![];
        let [own, other] = outcome.first_kernel_gradient[0];
        texts.push(if other.abs() < 1e-9 * own.abs() {
            tr!("All symbols are equally frequent, so the unigram frequencies do not help the prediction. For this reason the first step changes only the diagonal of W.")
            .to_string()
        } else {
            tr!(
                "The first gradient of W is {other} times as large on the diagonal as elsewhere: W begins to give more weight to earlier symbols that are equal to the current symbol.",
                other = format!("{:.2}", own / other)
            )
        });
        let last = outcome.last_model();
        let (leader, steps) = (last.largest_lag(), outcome.models.len() - 1);
        let steps = if steps == 1 { tr!("1 step").to_string() } else { tr!("{steps} steps", steps) };
        let next_best = (0..last.v.len()).filter(|d| *d != leader).map(|d| last.v[d]);
        let lead = last.v[leader] / next_best.fold(f64::NEG_INFINITY, f64::max);
        let lead = if lead.is_finite() && lead < 1.1 {
            tr!("by {lead} %", lead = format!("{:.1}", 100.0 * (lead - 1.0)))
        } else {
            tr!("by a factor of {lead}", lead = format!("{lead:.1}"))
        };
        texts.push(match leader {
            0 => {
                tr!("After {steps} the largest entry of v is at distance 0, which favours unigrams. This entry exceeds the second-largest entry {lead}.", steps, lead)
            }
            1 => tr!("After {steps} the largest entry of v is at distance 1, which favours bigrams. This entry exceeds the second-largest entry {lead}.", steps, lead),
            d => tr!("After {steps} the largest entry of v is at distance {d}. This entry exceeds the second-largest entry {lead}.", steps, d, lead),
        });
        if outcome.count_odd_peaks() >= 2 {
            texts.push(
                tr!("The entries of v are larger at odd distances than at even distances. The reason: at even distances, a chain with eigenvalue λ and a chain with eigenvalue −λ change v in opposite directions.")
                .to_string(),
            );
        }
        texts.push(match last.diagonal_ratio() {
            ratio if ratio.is_finite() && ratio < 0.0 => {
                tr!("On average, an entry of W outside the diagonal is {share} % of an entry on the diagonal.", share = format!("{:.1}", 100.0 / ratio).replace('-', "−"))
            }
            ratio if ratio.is_finite() && ratio < 1e6 => {
                tr!("The entries on the diagonal of W are {ratio} times as large as the other entries, on average.", ratio = format!("{ratio:.2}"))
            }
            _ => tr!("W is a multiple of the identity.").to_string(),
        });
        texts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::settings::Settings;

    #[test]
    fn the_summary_states_the_lemma() {
        let outcome = TheorySettings::default().compute();
        assert_eq!(outcome.models.len(), 3);
        assert!(outcome.summary[0].contains("4.46 times"), "{}", outcome.summary[0]);
        assert!(outcome.summary[1].contains("2 steps") && outcome.summary[1].contains("favours bigrams"));
        assert!(outcome.summary[2].contains("larger at odd distances"));
        let short = TheorySettings { length: 40, ..TheorySettings::default() }.compute();
        assert!(short.summary[1].contains("favours unigrams"), "{}", short.summary[1]);
        let once = TheorySettings { steps: 1, ..TheorySettings::default() }.compute();
        assert!(once.summary[1].contains("1 step ") && once.summary[1].contains("favours unigrams"));
        assert!(once.summary.iter().all(|text| !text.contains("odd distances")));
    }

    #[test]
    fn the_summary_states_that_unigrams_do_not_help() {
        let doubly = TheorySettings { curriculum: Curriculum::Doubly, ..TheorySettings::default() }.compute();
        assert!(doubly.summary[0].contains("only the diagonal of W"), "{}", doubly.summary[0]);
        assert!(doubly.diagonal_ratios().iter().all(|ratio| ratio.is_finite()));
        let two = TheorySettings { curriculum: Curriculum::TwoStep, ..TheorySettings::default() }.compute();
        assert!(two.summary[0].contains("4.46 times"));
        assert!(two.summary[1].contains("favours bigrams"), "{}", two.summary[1]);
        assert!(two.summary.last().unwrap().contains("outside the diagonal is −1.3 %"), "{:?}", two.summary);
        let from_zero = TheorySettings {
            curriculum: Curriculum::TwoStep,
            initial_kernel: 0.0,
            ..TheorySettings::default()
        }
        .compute();
        assert!(from_zero.summary.last().unwrap().contains("identity"), "{:?}", from_zero.summary);
        assert_eq!(from_zero.models[1].v, from_zero.models[0].v, "v does not move while W is zero");
    }

    /// By NumPy from the definition of T, with 60 Gauss-Legendre nodes for each of a and b.
    #[test]
    fn the_curriculum_starts_with_the_initial_w_of_the_proposition() {
        let near = |found: &[f64], expected: &[f64]| {
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-5 * expected.abs(), "{found} {expected}");
            }
        };
        let of = |decayed| {
            TheorySettings {
                curriculum: Curriculum::TwoStep,
                decayed_weights: decayed,
                ..TheorySettings::default()
            }
            .compute()
        };
        let both = of(DecayedWeights::Both);
        near(both.models[1].w.as_flattened(), &[0.036_340_53, 0.023_661_36, 0.023_661_36, 0.036_340_53]);
        near(&both.models[1].v, &[0.021_168_66, 0.021_145_7, 0.021_122_97, 0.021_100_46]);
        near(
            both.models[2].w.as_flattened(),
            &[2.527_511_77e-4, -3.253_771e-6, -3.253_771e-6, 2.527_511_77e-4],
        );
        near(
            &both.models[2].v,
            &[1.458_813_9e-5, 1.451_942_28e-4, 1.429_229_3e-5, 3.297_690_96e-5, 1.399_644_66e-5],
        );
        let alone = of(DecayedWeights::Kernel);
        assert_eq!(alone.models[2].w, both.models[2].w);
        near(&alone.models[2].v, &[0.021_183_25, 0.021_290_9, 0.021_137_26, 0.021_133_44]);
    }

    #[test]
    fn the_summary_states_the_lead_and_the_ratio() {
        let summary = TheorySettings::default().compute().summary;
        assert!(
            summary[1]
                .ends_with("which favours bigrams. This entry exceeds the second-largest entry by 2.9 %."),
            "{}",
            summary[1]
        );
        assert_eq!(
            summary[3],
            "The entries on the diagonal of W are 2.86 times as large as the other entries, on average."
        );
        let two = TheorySettings {
            curriculum: Curriculum::TwoStep,
            initial_kernel: 0.0,
            ..TheorySettings::default()
        };
        let two = two.compute().summary;
        assert!(
            two[1].ends_with(
                "which favours bigrams. This entry exceeds the second-largest entry by a factor of 5.8."
            ),
            "{}",
            two[1]
        );
    }

    /// The first step's rate is 3/t² and leaves v if W is 0, the second's is 7/t and leaves nothing of what was before.
    #[test]
    fn the_two_steps_have_the_rates_of_the_proposition() {
        let settings =
            TheorySettings { curriculum: Curriculum::TwoStep, length: 10, ..TheorySettings::default() };
        let two = TheorySettings {
            initial_kernel: 0.0,
            first_rate_factor: 3.0,
            second_rate_factor: 7.0,
            ..settings
        }
        .compute();
        let near = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-9 * expected.abs(), "{found} {expected}");
        };
        for (after, gradient) in
            two.models[1].w.as_flattened().iter().zip(two.first_kernel_gradient.as_flattened())
        {
            near(100.0 / 3.0 * after, *gradient);
        }
        for (d, after) in two.models[2].v.iter().enumerate() {
            near(10.0 / 7.0 * after, two.uniform_lag_gradient[d] + two.diagonal_lag_gradient[d]);
        }
    }

    /// W treats both symbols alike here, so that the parts together are all that the last step adds to v.
    #[test]
    fn the_gradient_parts_belong_to_the_last_step() {
        for (curriculum, steps) in [
            (Curriculum::Default, 1),
            (Curriculum::Default, 4),
            (Curriculum::Default, 9),
            (Curriculum::Doubly, 5),
        ] {
            let settings = TheorySettings { curriculum, steps, length: 12, ..TheorySettings::default() };
            let outcome = settings.compute();
            assert_eq!(outcome.models.len(), steps + 1);
            let [.., before, last] = &outcome.models[..] else { panic!("{steps}") };
            for d in 0..12 {
                let (added, parts) = (
                    last.v[d] - before.v[d],
                    outcome.uniform_lag_gradient[d] + outcome.diagonal_lag_gradient[d],
                );
                assert!((added - 0.03 * parts).abs() < 1e-13, "{curriculum:?} {steps} {d}: {added} {parts}");
            }
        }
    }

    /// The summary for a first gradient of W, and for W and v after one step.
    fn summary_of([own, other]: [f64; 2], [diagonal, rest]: [f64; 2], v: &[f64]) -> Vec<String> {
        let after = vec![MinimalModel { w: [[diagonal, rest], [rest, diagonal]], v: v.to_vec() }; 2];
        let first = [[own, other], [other, own]];
        let (uniform, diagonal, texts) = (vec![], vec![], vec![]);
        TheorySettings::default().summarise(&TheoryResult {
            models: after,
            first_kernel_gradient: first,
            uniform_lag_gradient: uniform,
            diagonal_lag_gradient: diagonal,
            summary: texts,
        })
    }

    #[test]
    fn the_summary_compares_gradient_entries_by_relative_size() {
        let about = |own: f64, other: f64| summary_of([own, other], [2.0, 1.0], &[1.0, 2.0]).swap_remove(0);
        let alone = about(1.0, 0.0);
        assert!(!alone.contains("times"), "{alone}");
        for (own, other) in [(1e6, 1e-4), (-1e6, 1e-4), (1e-6, -1e-16)] {
            assert_eq!(about(own, other), alone, "{own} {other}");
        }
        assert!(about(6.0, 1.5).contains(" 4.00 times "), "{}", about(6.0, 1.5));
        assert!(about(2e-6, 1e-14).contains(" 200000000.00 times "), "{}", about(2e-6, 1e-14));
        // The edge itself.
        assert!(about(1.0, 1e-9).contains(" 1000000000.00 times "), "{}", about(1.0, 1e-9));
    }

    #[test]
    fn the_summary_mentions_two_or_more_odd_peaks() {
        let sentences = |v: &[f64]| summary_of([2.0, 1.0], [2.0, 1.0], v).len();
        assert_eq!(sentences(&[0.5, 2.0, 0.5, 0.5, 0.5]), 3);
        assert_eq!(sentences(&[0.5, 2.0, 0.5, 1.0, 0.5]), 4);
        assert_eq!(sentences(&[0.5, 2.0, 0.5, 1.0, 0.5, 1.0, 0.5]), 4);
    }

    #[test]
    fn the_summary_formats_leads_and_ratios_by_size() {
        let about = |w: [f64; 2], v: &[f64]| summary_of([2.0, 1.0], w, v);
        let lead = |first: f64| about([2.0, 1.0], &[first, 1.0]).swap_remove(1);
        assert!(lead(1.05).contains("by 5.0 %"), "{}", lead(1.05));
        assert!(lead(1.1).contains("by a factor of 1.1"), "{}", lead(1.1));
        let ratio = |diagonal: f64| about([diagonal, 1.0], &[2.0, 1.0]).swap_remove(2);
        assert!(ratio(999_999.0).contains(" 999999.00 times "), "{}", ratio(999_999.0));
        assert_eq!(ratio(1e6), about([1.0, 0.0], &[2.0, 1.0])[2]);
        assert!(ratio(-50.0).ends_with("outside the diagonal is −2.0 % of an entry on the diagonal."));
    }

    #[test]
    fn odd_distances_are_peaks_above_both_neighbours() {
        let peaks = |v: &[f64]| {
            let after = vec![MinimalModel { w: [[1.0; 2]; 2], v: v.to_vec() }];
            let (uniform, diagonal, texts) = (vec![], vec![], vec![]);
            TheoryResult {
                models: after,
                first_kernel_gradient: [[0.0; 2]; 2],
                uniform_lag_gradient: uniform,
                diagonal_lag_gradient: diagonal,
                summary: texts,
            }
            .count_odd_peaks()
        };
        for (v, expected) in [
            (&[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0][..], 3),
            (&[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], 1),
            (&[0.0, 1.0, 1.0], 0),
            (&[1.0, 1.0, 0.0], 0),
            (&[0.0, 1.0, 2.0], 0),
            (&[2.0, 1.0, 0.0], 0),
            (&[0.0, 1.0], 0),
            (&[], 0),
        ] {
            assert_eq!(peaks(v), expected, "{v:?}");
        }
        let many: Vec<f64> = (0..15).map(|d| f64::from(d % 2)).collect();
        assert_eq!(peaks(&many), 5);
    }

    #[test]
    fn extreme_settings_give_finite_numbers_and_a_summary() {
        for curriculum in Curriculum::ALL {
            for length in [2, 3, 256] {
                for (eta, c, kernel, epsilon, steps, rate, decayed) in [
                    (0.0001, 0.001, 0.0, 0.01, 1, 0.01, DecayedWeights::Both),
                    (1.0, 1.0, 1.0, 0.5, 50, 10_000.0, DecayedWeights::Kernel),
                ] {
                    let (curriculum, first, second) = (*curriculum, rate, rate);
                    let settings = TheorySettings {
                        curriculum,
                        length,
                        eta,
                        initial_lag: c,
                        initial_kernel: kernel,
                        steps,
                        epsilon,
                        first_rate_factor: first,
                        second_rate_factor: second,
                        decayed_weights: decayed,
                    };
                    let outcome = settings.compute();
                    let finite = |theory: &MinimalModel| {
                        theory.v.iter().chain(theory.w.as_flattened()).all(|x| x.is_finite())
                    };
                    assert!(outcome.models.iter().all(finite), "{settings:?}");
                    assert!(outcome.summary.iter().all(|text| text.ends_with('.')), "{:?}", outcome.summary);
                    let bad = |text: &String| text.contains("NaN") || text.contains("inf");
                    assert!(!outcome.summary.iter().any(bad), "{settings:?}: {:?}", outcome.summary);
                }
            }
        }
        let keys: Vec<&str> = TheorySettings::SETTINGS.iter().map(|setting| setting.key).collect();
        assert!(keys.iter().all(|key| key.starts_with('t')));
    }
}
