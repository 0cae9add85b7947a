//! Presets: runs with a claim, its source, and a statement that a test can check.

use crate::permalink::{Link, decode};

/// A named run that shows something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preset {
    /// Permanent name.
    pub slug: &'static str,
    /// What a person reads in the menu.
    pub name: &'static str,
    /// The run, as a link.
    pub link: &'static str,
    /// What it shows, in one sentence.
    pub claim: &'static str,
    /// Author, year and section.
    pub source: &'static str,
    /// What was kept of the source's instance and what was shrunk.
    pub instance: &'static str,
    /// The claim as numbers.
    pub expect: &'static [Expect],
    /// Steps after which the claim must have shown.
    pub budget: u64,
}

/// One checkable part of a claim: in at least `fraction` of the replicas, `measure` first reaches `at_least`
/// at a step from `steps.0` to `steps.1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expect {
    /// What is measured.
    pub measure: Measure,
    /// The threshold.
    pub at_least: f32,
    /// First and last step at which the threshold may be reached first.
    pub steps: (u64, u64),
    /// Share of the replicas for which this must hold.
    pub fraction: f64,
}

/// What an expectation is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Accuracy on the training batch, or on the finite sample where there is one.
    TrainAccuracy,
    /// Accuracy on held-out examples.
    TestAccuracy,
}

impl Preset {
    /// The preset's run.
    pub fn link(&self) -> Link {
        decode(self.link).0
    }

    /// The preset of that name.
    pub fn find(slug: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|p| p.slug == slug)
    }
}

/// Every preset, in the order of the menu; the first is what the page opens with.
pub const PRESETS: &[Preset] = &[
    Preset {
        slug: "parity-20",
        name: "A parity of 3 in 20 bits",
        link: "#v1/sparse-parity?n=20&width=64&every=10&speed=200",
        claim: "The loss rests at chance, then falls all at once: the network has found the 3 bits that matter.",
        source: "Edelman 2024, section 5.3 (Barak et al. 2022, figure 1)",
        instance: "Kept: loss, initialisation, learning rate, batch size. Shrunk: 20 bits instead of 50, width 64 instead of 100.",
        expect: &[Expect {
            measure: Measure::TestAccuracy,
            at_least: 1.0,
            steps: (200, 3_000),
            fraction: 1.0,
        }],
        budget: 3_000,
    },
    Preset {
        slug: "parity-50",
        name: "The thesis's parity: 3 in 50 bits",
        link: "#v1/sparse-parity?speed=1000",
        claim: "One of 19,600 sets of bits is found by gradient descent after a long plateau, and no seed gets lucky early.",
        source: "Edelman 2024, section 5.3, setting (ii)",
        instance: "Full size: (50, 3), width 100, uniform initialisation, hinge loss; batch 32 and learning rate 0.1 are among those that the thesis sweeps.",
        expect: &[Expect {
            measure: Measure::TestAccuracy,
            at_least: 1.0,
            steps: (800, 10_000),
            fraction: 1.0,
        }],
        budget: 10_000,
    },
    Preset {
        slug: "parity-noise",
        name: "A quarter of the labels is wrong",
        link: "#v1/sparse-parity?n=30&noise=0.25&target=0.98&speed=1000",
        claim: "With a quarter of the labels flipped the signal halves and the plateau grows, but the parity is still found.",
        source: "Edelman 2024, appendix B.3.6 and figure B.12",
        instance: "Kept: width 100, learning rate 0.1, accuracy on clean labels. Shrunk: 30 bits instead of 50; solved means 98 %.",
        expect: &[Expect {
            measure: Measure::TestAccuracy,
            at_least: 0.98,
            steps: (1_000, 10_000),
            fraction: 1.0,
        }],
        budget: 10_000,
    },
    Preset {
        slug: "parity-grokking",
        name: "Memorise first, understand later",
        link: "#v1/sparse-parity?n=30&m=700&wd=0.003&seed=2&steps=30000&target=0.98&every=100&speed=2000",
        claim: "On 700 fixed examples the network is perfect on what it has seen long before it is right on what it has not.",
        source: "Edelman 2024, figure 5.4 (right) and appendix B.3.5",
        instance: "Width 100, batch 32, learning rate 0.1 as in the thesis; (n, k), sample size and weight decay, which the text leaves open, are ours.",
        expect: &[
            Expect { measure: Measure::TrainAccuracy, at_least: 0.999, steps: (300, 4_000), fraction: 1.0 },
            Expect { measure: Measure::TestAccuracy, at_least: 0.98, steps: (3_000, 30_000), fraction: 1.0 },
        ],
        budget: 30_000,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permalink::encode;

    #[test]
    fn every_preset_is_a_clean_canonical_link_within_its_budget() {
        for preset in PRESETS {
            let (link, notices) = decode(preset.link);
            assert!(notices.is_empty(), "{}: {notices:?}", preset.slug);
            assert_eq!(encode(&link), preset.link, "{}", preset.slug);
            assert!(preset.budget <= link.spec.run.steps);
            assert!(!preset.expect.is_empty());
            for expect in preset.expect {
                assert!(expect.steps.0 < expect.steps.1 && expect.steps.1 <= preset.budget);
            }
            for text in [preset.claim, preset.instance] {
                assert!(text.ends_with('.'), "{}: {text}", preset.slug);
            }
        }
    }

    #[test]
    fn slugs_are_unique() {
        for (i, preset) in PRESETS.iter().enumerate() {
            assert!(PRESETS[..i].iter().all(|other| other.slug != preset.slug));
            assert_eq!(Preset::find(preset.slug), Some(preset));
        }
    }
}
