//! The theory with knobs: what a few exact steps make of W and v.

use super::{Law, Tensor, Theory};
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
    pub enum Decayed {
        /// Both, as in the proof of proposition E.3 (equations E.53 and E.54).
        Both = "both", "W and v";
        /// The second layer, as in proposition 8.5.
        Kernel = "w", "W alone";
    }
}

settings! {
    /// A few exact steps of the minimal model on two symbols.
    pub struct Explorer {
        /// Distribution of the Markov chains for which the gradient steps are computed. These chains have two symbols.
        curriculum: Curriculum = Curriculum::Default, "tdata", "Chains in the theory", Range::Choice(Curriculum::OPTIONS);
        /// Number t of symbols in a context, for the calculations of the theory.
        length: usize = 100, "tt", "Context length t in the theory", Range::Int(2, 256), "symbols";
        /// Learning rate η of every gradient step of the theory.
        eta: f64 = 0.03, "teta", "Learning rate η in the theory", Range::Real(0.0001, 1.0), only when "tdata" = "default" | "doubly";
        /// Initial value of every entry of v.
        c: f64 = 0.02, "tc", "Initial v", Range::Real(0.001, 1.0);
        /// Initial value of every entry of W; lemma 8.4 of the thesis uses the same number for W and v.
        kernel: f64 = 0.02, "tw", "Initial W", Range::Real(0.0, 1.0);
        /// Number of gradient steps that the theory computes.
        steps: usize = 2, "tsteps", "Gradient steps in the theory", Range::Int(1, 50), only when "tdata" = "default" | "doubly";
        /// In step 2 the next symbol differs from the current one with a probability drawn uniformly from ½ − ε to ½ + ε.
        epsilon: f64 = 0.25, "teps", "Half-width ε of the interval", Range::Real(0.01, 0.5), only when "tdata" = "twostep";
        /// The learning rate of step 1 is this number divided by t²; proposition E.3 of the thesis does not state the number.
        first: f64 = 100.0, "tr1", "Learning rate of step 1 times t²", Range::Real(0.01, 10000.0), only when "tdata" = "twostep";
        /// The learning rate of step 2 is this number divided by t; proposition E.3 of the thesis does not state the number.
        second: f64 = 1.0, "tr2", "Learning rate of step 2 times t", Range::Real(0.01, 10000.0), only when "tdata" = "twostep";
        /// Weights with weight decay 1 in step 2. The proof of proposition E.3 decays W and v; proposition 8.5 decays W alone.
        decayed: Decayed = Decayed::Both, "tdecay", "Weight decay in step 2", Range::Choice(Decayed::OPTIONS), only when "tdata" = "twostep";
    }
}

/// What the steps have made.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// W and v after step 0, 1, and so on.
    pub after: Vec<Theory>,
    /// Minus the loss's gradient with respect to W at the first step.
    pub first: [[f64; 2]; 2],
    /// Part of minus the gradient with respect to v at the last step that a W full of the same number gives, `[length]`.
    pub uniform: Vec<f64>,
    /// Part that the rest of W's diagonal gives, `[length]`.
    pub diagonal: Vec<f64>,
    /// What there is to see, in sentences.
    pub texts: Vec<String>,
}

impl Outcome {
    /// The diagonal of W over the rest after each step from 0; not finite where there is no rest.
    pub fn ratios(&self) -> Vec<f64> {
        self.after.iter().map(Theory::ratio).collect()
    }

    /// W and v after the last step.
    pub fn last(&self) -> &Theory {
        &self.after[self.after.len() - 1]
    }

    /// How many of the first odd distances, up to five, have a larger v than both neighbours after the last step.
    pub fn odd_peaks(&self) -> usize {
        let v = &self.last().v;
        let peak = |d: &usize| v[*d] > v[d - 1] && v[*d] > v[d + 1];
        (1..v.len().saturating_sub(1)).step_by(2).take(5).take_while(peak).count()
    }
}

impl Explorer {
    /// The steps, in a few milliseconds: T anew, and a handful of products with it.
    pub fn result(&self) -> Outcome {
        let length = self.length;
        let law = match self.curriculum {
            Curriculum::Doubly => Law::Equal { epsilon: 0.5 },
            Curriculum::Default | Curriculum::TwoStep => Law::Independent,
        };
        let mut tensor = Tensor::new(law, length);
        let two_step = self.curriculum == Curriculum::TwoStep;
        let mut after = vec![Theory::constant(self.kernel, self.c, length)];
        let first = tensor.of_kernel(&after[0].v);
        if two_step {
            after.push(after[0].step(&tensor, self.first / (length * length) as f64));
            tensor = Tensor::new(Law::Equal { epsilon: self.epsilon }, length);
            let decay = if self.decayed == Decayed::Both { [1.0, 1.0] } else { [1.0, 0.0] };
            after.push(after[1].decayed_step(&tensor, self.second / length as f64, decay));
        } else {
            for step in 0..self.steps {
                after.push(after[step].step(&tensor, self.eta));
            }
        }
        let (uniform, diagonal) = after[after.len() - 2].parts(&tensor);
        let mut outcome = Outcome { after, first, uniform, diagonal, texts: vec![] };
        outcome.texts = self.texts(&outcome);
        outcome
    }

    fn texts(&self, outcome: &Outcome) -> Vec<String> {
        let mut texts = vec![];
        let [own, other] = outcome.first[0];
        texts.push(if other.abs() < 1e-9 * own.abs() {
            tr!("All symbols are equally frequent, so the unigram frequencies do not help the prediction. For this reason the first step changes only the diagonal of W.")
            .to_string()
        } else {
            tr!(
                "The first gradient of W is {other} times as large on the diagonal as elsewhere: W begins to give more weight to earlier symbols that are equal to the current symbol.",
                other = format!("{:.2}", own / other)
            )
        });
        let last = outcome.last();
        let (leader, steps) = (last.leader(), outcome.after.len() - 1);
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
        if outcome.odd_peaks() >= 2 {
            texts.push(
                tr!("The entries of v are larger at odd distances than at even distances. The reason: at even distances, a chain with eigenvalue λ and a chain with eigenvalue −λ change v in opposite directions.")
                .to_string(),
            );
        }
        texts.push(match last.ratio() {
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
    fn the_lemma_is_said_in_words() {
        let outcome = Explorer::default().result();
        assert_eq!(outcome.after.len(), 3);
        assert!(outcome.texts[0].contains("4.46 times"), "{}", outcome.texts[0]);
        assert!(outcome.texts[1].contains("2 steps") && outcome.texts[1].contains("favours bigrams"));
        assert!(outcome.texts[2].contains("larger at odd distances"));
        let short = Explorer { length: 40, ..Explorer::default() }.result();
        assert!(short.texts[1].contains("favours unigrams"), "{}", short.texts[1]);
        let once = Explorer { steps: 1, ..Explorer::default() }.result();
        assert!(once.texts[1].contains("1 step ") && once.texts[1].contains("favours unigrams"));
        assert!(once.texts.iter().all(|text| !text.contains("odd distances")));
    }

    #[test]
    fn curricula_without_unigrams_say_so() {
        let doubly = Explorer { curriculum: Curriculum::Doubly, ..Explorer::default() }.result();
        assert!(doubly.texts[0].contains("only the diagonal of W"), "{}", doubly.texts[0]);
        assert!(doubly.ratios().iter().all(|ratio| ratio.is_finite()));
        let two = Explorer { curriculum: Curriculum::TwoStep, ..Explorer::default() }.result();
        assert!(two.texts[0].contains("4.46 times"));
        assert!(two.texts[1].contains("favours bigrams"), "{}", two.texts[1]);
        assert!(two.texts.last().unwrap().contains("outside the diagonal is −1.3 %"), "{:?}", two.texts);
        let from_zero =
            Explorer { curriculum: Curriculum::TwoStep, kernel: 0.0, ..Explorer::default() }.result();
        assert!(from_zero.texts.last().unwrap().contains("identity"), "{:?}", from_zero.texts);
        assert_eq!(from_zero.after[1].v, from_zero.after[0].v, "v does not move while W is zero");
    }

    /// By NumPy from the definition of T, with 60 Gauss-Legendre nodes for each of a and b.
    #[test]
    fn the_curriculum_begins_with_the_initial_w_of_the_proposition() {
        let near = |found: &[f64], expected: &[f64]| {
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-5 * expected.abs(), "{found} {expected}");
            }
        };
        let of =
            |decayed| Explorer { curriculum: Curriculum::TwoStep, decayed, ..Explorer::default() }.result();
        let both = of(Decayed::Both);
        near(both.after[1].w.as_flattened(), &[0.036_340_53, 0.023_661_36, 0.023_661_36, 0.036_340_53]);
        near(&both.after[1].v, &[0.021_168_66, 0.021_145_7, 0.021_122_97, 0.021_100_46]);
        near(
            both.after[2].w.as_flattened(),
            &[2.527_511_77e-4, -3.253_771e-6, -3.253_771e-6, 2.527_511_77e-4],
        );
        near(
            &both.after[2].v,
            &[1.458_813_9e-5, 1.451_942_28e-4, 1.429_229_3e-5, 3.297_690_96e-5, 1.399_644_66e-5],
        );
        let alone = of(Decayed::Kernel);
        assert_eq!(alone.after[2].w, both.after[2].w);
        near(&alone.after[2].v, &[0.021_183_25, 0.021_290_9, 0.021_137_26, 0.021_133_44]);
    }

    #[test]
    fn the_lead_and_the_ratio_are_said_in_numbers() {
        let said = Explorer::default().result().texts;
        assert!(
            said[1].ends_with("which favours bigrams. This entry exceeds the second-largest entry by 2.9 %."),
            "{}",
            said[1]
        );
        assert_eq!(
            said[3],
            "The entries on the diagonal of W are 2.86 times as large as the other entries, on average."
        );
        let two = Explorer { curriculum: Curriculum::TwoStep, kernel: 0.0, ..Explorer::default() };
        let two = two.result().texts;
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
        let knobs = Explorer { curriculum: Curriculum::TwoStep, length: 10, ..Explorer::default() };
        let two = Explorer { kernel: 0.0, first: 3.0, second: 7.0, ..knobs }.result();
        let near = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-9 * expected.abs(), "{found} {expected}");
        };
        for (after, gradient) in two.after[1].w.as_flattened().iter().zip(two.first.as_flattened()) {
            near(100.0 / 3.0 * after, *gradient);
        }
        for (d, after) in two.after[2].v.iter().enumerate() {
            near(10.0 / 7.0 * after, two.uniform[d] + two.diagonal[d]);
        }
    }

    /// W treats both symbols alike here, so that the parts together are all that the last step adds to v.
    #[test]
    fn the_parts_are_those_of_the_last_step() {
        for (curriculum, steps) in [
            (Curriculum::Default, 1),
            (Curriculum::Default, 4),
            (Curriculum::Default, 9),
            (Curriculum::Doubly, 5),
        ] {
            let knobs = Explorer { curriculum, steps, length: 12, ..Explorer::default() };
            let outcome = knobs.result();
            assert_eq!(outcome.after.len(), steps + 1);
            let [.., before, last] = &outcome.after[..] else { panic!("{steps}") };
            for d in 0..12 {
                let (added, parts) = (last.v[d] - before.v[d], outcome.uniform[d] + outcome.diagonal[d]);
                assert!((added - 0.03 * parts).abs() < 1e-13, "{curriculum:?} {steps} {d}: {added} {parts}");
            }
        }
    }

    /// What is said of a first gradient of W, and of W and v after one step.
    fn said([own, other]: [f64; 2], [diagonal, rest]: [f64; 2], v: &[f64]) -> Vec<String> {
        let after = vec![Theory { w: [[diagonal, rest], [rest, diagonal]], v: v.to_vec() }; 2];
        let first = [[own, other], [other, own]];
        let (uniform, diagonal, texts) = (vec![], vec![], vec![]);
        Explorer::default().texts(&Outcome { after, first, uniform, diagonal, texts })
    }

    #[test]
    fn a_first_gradient_is_judged_by_its_own_size() {
        let about = |own: f64, other: f64| said([own, other], [2.0, 1.0], &[1.0, 2.0]).swap_remove(0);
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
    fn two_peaks_at_odd_distances_are_enough_to_be_said() {
        let sentences = |v: &[f64]| said([2.0, 1.0], [2.0, 1.0], v).len();
        assert_eq!(sentences(&[0.5, 2.0, 0.5, 0.5, 0.5]), 3);
        assert_eq!(sentences(&[0.5, 2.0, 0.5, 1.0, 0.5]), 4);
        assert_eq!(sentences(&[0.5, 2.0, 0.5, 1.0, 0.5, 1.0, 0.5]), 4);
    }

    #[test]
    fn leads_from_a_tenth_are_factors_and_ratios_from_a_million_the_identity() {
        let about = |w: [f64; 2], v: &[f64]| said([2.0, 1.0], w, v);
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
            let after = vec![Theory { w: [[1.0; 2]; 2], v: v.to_vec() }];
            let (uniform, diagonal, texts) = (vec![], vec![], vec![]);
            Outcome { after, first: [[0.0; 2]; 2], uniform, diagonal, texts }.odd_peaks()
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
    fn every_corner_of_the_knobs_has_numbers_and_sentences() {
        for curriculum in Curriculum::ALL {
            for length in [2, 3, 256] {
                for (eta, c, kernel, epsilon, steps, rate, decayed) in [
                    (0.0001, 0.001, 0.0, 0.01, 1, 0.01, Decayed::Both),
                    (1.0, 1.0, 1.0, 0.5, 50, 10_000.0, Decayed::Kernel),
                ] {
                    let (curriculum, first, second) = (*curriculum, rate, rate);
                    let knobs = Explorer {
                        curriculum,
                        length,
                        eta,
                        c,
                        kernel,
                        steps,
                        epsilon,
                        first,
                        second,
                        decayed,
                    };
                    let outcome = knobs.result();
                    let finite = |theory: &Theory| {
                        theory.v.iter().chain(theory.w.as_flattened()).all(|x| x.is_finite())
                    };
                    assert!(outcome.after.iter().all(finite), "{knobs:?}");
                    assert!(outcome.texts.iter().all(|text| text.ends_with('.')), "{:?}", outcome.texts);
                    let bad = |text: &String| text.contains("NaN") || text.contains("inf");
                    assert!(!outcome.texts.iter().any(bad), "{knobs:?}: {:?}", outcome.texts);
                }
            }
        }
        let keys: Vec<&str> = Explorer::KNOBS.iter().map(|knob| knob.key).collect();
        assert!(keys.iter().all(|key| key.starts_with('t')));
    }
}
