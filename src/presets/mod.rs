//! Presets: runs with a claim, its source, and statements that a test can check.
//!
//! They are the figures of Edelman 2024, chapters 4 to 7 and appendices A, B and D (Barak et al. 2022, Morwani et al.
//! 2023), and of the papers on grokking. Where the text leaves a setting
//! open, because only a figure shows it, the preset's instance says that it is ours.
#![doc = include_str!("README.md")]

mod chains;
mod data;
mod depth;
mod frontier;
mod grokking;
mod groups;
mod networks;
mod parities;
mod parts;
mod progress;
pub mod recorded;
mod search;
mod start;
pub mod stories;
#[cfg(test)]
mod story_claims;
mod tables;
mod variables;

use std::sync::OnceLock;

use crate::choices;
use crate::markov::Strategy;
use crate::permalink::{Link, decode};
use crate::run::RunSpec;

choices! {
    /// Presets that belong together, in the order of the menu.
    pub enum Group {
        /// What the page opens with.
        Start = "start", "Start here";
        /// Figure 5.1, left, and its relatives.
        Networks = "networks", "One task, many networks";
        /// Figure 5.3 and appendix B.3.1 and B.3.3.
        Progress = "progress", "Progress before the loss moves";
        /// Figures 5.1 and 5.4, and 5.2.
        Search = "search", "No random search";
        /// Figures 5.4, right, B.11 and B.12.
        Data = "data", "Few examples and wrong labels";
        /// Figures 6.1, 6.2 and C.1.
        Frontier = "frontier", "Data, width, time and luck";
        /// Figures 4.2 to 4.4.
        Variables = "variables", "What attention learns from few samples";
        /// Section 6.4.2 and figure C.3.
        Tables = "tables", "Tables: networks and forests";
        /// Appendix B.3.7 and B.3.8.
        Depth = "depth", "Depth and width";
        /// Figures 7.1, 7.4 and D.1.
        Notes = "notes", "Modular addition: one note per neuron";
        /// Figures 7.6, D.2 and D.3.
        Groups = "groups", "Finite groups";
        /// Figure 7.5.
        Margin = "margin", "Parities with the largest margin";
        /// Power et al. 2022 and Nanda et al. 2023.
        Grokking = "grokking", "Memorise, then understand";
        /// Figures 8.1 to 8.3, 8.5 and E.3 to E.8.
        Induction = "induction", "An induction head forms";
        /// Figures 8.3, 8.4b and E.1, and proposition 8.2.
        ByHand = "by-hand", "The circuit, by hand and in theory";
        /// Figures 8.4a and E.6.
        Laws = "laws", "Other chains";
    }
}

/// A named run that shows something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preset {
    /// Permanent name.
    pub slug: &'static str,
    /// What a person reads in the menu.
    pub name: &'static str,
    /// Where in the menu it stands.
    pub group: Group,
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
    /// How long it takes, in one sentence, where that is more than some seconds; else empty.
    pub time: &'static str,
}

/// One checkable part of a claim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Expect {
    /// `measure` first reaches `at_least` at a step within `steps`, in a share of the replicas within `share`.
    /// A share of 0 to 0 says that it never does.
    Reaches {
        /// What is measured.
        measure: Measure,
        /// The threshold.
        at_least: f32,
        /// First and last step at which the threshold may be reached first.
        steps: (u64, u64),
        /// Least and largest share of the replicas.
        share: (f64, f64),
    },
    /// At step `step` the median of `measure` over the replicas lies within `between`.
    Median {
        /// What is measured.
        measure: Measure,
        /// Step of the measurement.
        step: u64,
        /// Lowest and highest median.
        between: (f32, f32),
    },
    /// The median time to the target t_c over the replicas lies within these steps; of every curve of a sweep, at
    /// its value number `at`.
    MedianTime {
        /// Which curve of a sweep.
        series: usize,
        /// Which value of the sweep.
        at: usize,
        /// Lowest and highest median.
        between: (u64, u64),
    },
    /// In curve `series` of a sweep t_c grows as the power α of the swept value, with α within `between`.
    Exponent {
        /// Which curve.
        series: usize,
        /// First and last value of the sweep that count.
        values: (usize, usize),
        /// Lowest and highest exponent.
        between: (f64, f64),
    },
    /// In curve `series` the share of replicas that reach the target, at value number `at`, lies within `share`.
    Solved {
        /// Which curve.
        series: usize,
        /// Which value of the sweep.
        at: usize,
        /// Least and largest share.
        share: (f64, f64),
    },
    /// In curve `series` of a sweep the smallest swept value at which 80 % of the trials succeed lies within `between`.
    Threshold {
        /// Which curve.
        series: usize,
        /// Lowest and highest value.
        between: (f64, f64),
    },
    /// In curve `series` of a sweep the median share of held-out examples that networks get wrong at the end, at value
    /// number `at`, lies within `between`.
    Ends {
        /// Which curve.
        series: usize,
        /// Which value of the sweep.
        at: usize,
        /// Lowest and highest median error.
        between: (f32, f32),
    },
    /// At value number `at` of a sweep that median is lower in curve `series` than in curve `than`, by at least `by`.
    Ahead {
        /// Which curve errs less.
        series: usize,
        /// Which errs more.
        than: usize,
        /// Which value of the sweep.
        at: usize,
        /// By how much at least.
        by: f32,
    },
    /// The interquartile range of t_c at value `from` of a sweep is at least `times` that at value `to`.
    Narrows {
        /// Which value has the wider range.
        from: usize,
        /// Which has the narrower.
        to: usize,
        /// How much wider.
        times: f64,
    },
    /// Of all pairs of replicas, one at value `at` of a sweep and one at value `than`, in at least this share the first
    /// reaches the target in fewer steps times value: with a share of the examples as value, on fewer of those
    /// examples. One that never does is after one that does.
    Sooner {
        /// Value of those that arrive first.
        at: usize,
        /// Value of those that arrive later.
        than: usize,
        /// Least share of the pairs, above a half.
        share: f64,
    },
    /// The strategy that the network is nearest to is these, one after the other and no other, in a share of the replicas
    /// within `share`.
    Stages {
        /// The strategies, in order.
        stages: &'static [Strategy],
        /// Least and largest share of the replicas.
        share: (f64, f64),
    },
    /// Of the variance of ln t_c at least this share lies between initialisations, not within them.
    Between(f64),
}

/// What an expectation is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Accuracy on the training batch, or on the finite sample where there is one.
    TrainAccuracy,
    /// Accuracy on held-out examples.
    TestAccuracy,
    /// ‖W_t − W_0‖_∞ of the first layer.
    Movement,
    /// Largest weight of the first layer on a relevant bit, over the largest on another.
    Lead,
    /// 1 where the bits along which the first neuron's weights have moved farthest are the relevant ones, else 0.
    Revealed,
    /// The largest Fourier gap Γ of the first layer's neurons.
    Gap,
    /// Correlation of the output with the target, exactly.
    Correlation,
    /// Attention on the relevant bits together.
    Attention,
    /// Normalised margin as a share of the largest possible, γ*.
    Margin,
    /// Largest normalised power of u, the median over live neurons.
    Purity,
    /// Share of the live neurons whose u, v and w have one dominant frequency or irrep.
    Agreement,
    /// |θu + θv − θw| in radians, the median over live neurons.
    Residual,
    /// Share of the frequencies, or non-trivial irreps, that some live neuron is of.
    Kinds,
    /// Share of this irrep in Σ‖ω‖^ν over the live neurons; the trivial one is number 0.
    Mass(usize),
    /// Live neurons.
    Live,
    /// Cross-entropy with the key frequencies alone.
    Restricted,
    /// KL(truth ‖ network) after the last symbol, in nats.
    Truth,
    /// The same over that of this strategy on the same contexts.
    OverLine(Strategy),
    /// A further measure of a network on sequences.
    Chain(crate::markov::Measure),
    /// Least ratio of the weight of an odd distance to that of the even distance before it, for distances up to 5: of the
    /// effective positional weights of the first head, or of v. Above 1 the pattern of even and odd is there.
    OddOverEven,
    /// Least entry on the diagonal of W over the largest beside it, by absolute value.
    Diagonal,
}

impl Preset {
    /// The preset's run.
    pub fn link(&self) -> Link {
        decode(self.link).0
    }

    /// The preset that is this run.
    pub fn of(spec: &RunSpec) -> Option<&'static Preset> {
        // The page asks many times a second, and reading a link takes a while.
        static SPECS: OnceLock<Vec<RunSpec>> = OnceLock::new();
        let specs = SPECS.get_or_init(|| PRESETS.iter().map(|preset| preset.link().spec).collect());
        specs.iter().position(|other| other == spec).and_then(|at| PRESETS.get(at))
    }

    /// The preset of that name.
    pub fn find(slug: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|p| p.slug == slug)
    }
}

/// Every preset, in the order of the menu; the first is what the page opens with.
pub const PRESETS: &[Preset] = &ALL;

/// The parts of the menu, in its order.
const PARTS: &[&[Preset]] = &[
    start::PRESETS,
    networks::PRESETS,
    progress::PRESETS,
    search::PRESETS,
    data::PRESETS,
    frontier::PRESETS,
    variables::PRESETS,
    tables::PRESETS,
    depth::PRESETS,
    groups::NOTES,
    groups::PRESETS,
    parities::PRESETS,
    grokking::PRESETS,
    chains::INDUCTION,
    chains::BY_HAND,
    chains::LAWS,
];
static ALL: [Preset; parts::count(PARTS)] = parts::joined(PARTS);

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
                check(expect, preset, link.spec.run.sweep.values.len(), link.spec.run.series.values.len());
            }
            assert!(preset.time.is_empty() || preset.time.ends_with('.'), "{}", preset.slug);
            for text in [preset.claim, preset.instance] {
                assert!(text.ends_with('.'), "{}: {text}", preset.slug);
            }
        }
    }

    /// An expectation must be about something that the preset has, and must be able to fail.
    fn check(expect: &Expect, preset: &Preset, values: usize, series: usize) {
        let (values, series) = (values.max(1), series.max(1));
        let sound = match *expect {
            Expect::Reaches { steps, share, .. } => {
                steps.0 < steps.1 && steps.1 <= preset.budget && share.0 <= share.1 && share != (0.0, 1.0)
            }
            Expect::Median { step, between, .. } => step <= preset.budget && between.0 < between.1,
            Expect::MedianTime { series: line, at, between } => {
                line < series && at < values && between.0 < between.1
            }
            Expect::Exponent { series: line, values: (first, last), between } => {
                line < series && first < last && last < values && between.0 < between.1
            }
            Expect::Solved { series: line, at, share } => line < series && at < values && share != (0.0, 1.0),
            Expect::Threshold { series: line, between } => {
                line < series && values > 1 && between.0 < between.1
            }
            Expect::Ends { series: line, at, between } => {
                line < series && at < values && between.0 < between.1
            }
            Expect::Ahead { series: line, than, at, by } => {
                line < series && than < series && line != than && at < values && by > 0.0
            }
            Expect::Narrows { from, to, times } => from < values && to < values && times > 1.0,
            Expect::Sooner { at, than, share } => at < values && than < values && at != than && share > 0.5,
            Expect::Stages { stages, share } => stages.len() > 1 && share.0 > 0.0,
            Expect::Between(share) => share > 0.0 && preset.link().spec.run.inits > 1,
        };
        assert!(sound, "{}: {expect:?}", preset.slug);
    }

    #[test]
    fn every_group_has_presets_and_they_stand_together() {
        let mut groups: Vec<Group> = PRESETS.iter().map(|p| p.group).collect();
        groups.dedup();
        assert_eq!(groups, Group::ALL);
    }

    #[test]
    fn slugs_are_unique() {
        for (i, preset) in PRESETS.iter().enumerate() {
            assert!(PRESETS[..i].iter().all(|other| other.slug != preset.slug));
            assert_eq!(Preset::find(preset.slug), Some(preset));
            assert_eq!(Preset::of(&preset.link().spec), Some(preset), "two presets are one run");
        }
    }
}
