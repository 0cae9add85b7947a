//! Presets: runs with a claim, its source, and statements that a test can check.
//!
//! They are the figures of Edelman 2024, chapters 4 to 7 and appendices A, B and D (Barak et al. 2022, Morwani et al.
//! 2023), and of the papers on grokking. A preset names the [experiment](ledger) of its source, from which
//! follows which settings of the run are as in the source, different or ours.
#![doc = include_str!("README.md")]

pub mod ledger;
pub mod recorded;

use ledger::Experiment;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::{Link, decode};
use vivarium_science::markov::Strategy;

/// Presets that belong together in the menu.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PresetGroup {
    /// Permanent name.
    pub slug: &'static str,
    /// What a person reads in the menu.
    pub name: &'static str,
    /// Charts whose recorded curve says most about these presets, the best first; empty for the usual ones.
    pub charts: &'static [Chart],
}

/// A named run that shows something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preset {
    /// Permanent name.
    pub slug: &'static str,
    /// What a person reads in the menu.
    pub name: &'static str,
    /// Where in the menu it stands.
    pub group: &'static PresetGroup,
    /// The run, as a link.
    pub link: &'static str,
    /// What it shows, in one sentence.
    pub claim: &'static str,
    /// Author, year and section.
    pub source: &'static str,
    /// The publication's experiment of which this run is an instance. Which settings are kept, changed or ours follows from
    /// the link; nothing where the run is no experiment of a publication.
    pub experiment: Option<&'static Experiment>,
    /// Departures from the experiment that are no setting: what, in the publication, here.
    pub departs: &'static [(&'static str, &'static str, &'static str)],
    /// Other remarks on the instance; with an experiment, only what does not follow from the settings. May be empty then.
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
    /// In curve `series` of a sweep the median of `measure` at the end, at value number `at`, lies within `between`.
    Last {
        /// What is measured, which may be no measure of the weights.
        measure: Measure,
        /// Which curve.
        series: usize,
        /// Which value of the sweep.
        at: usize,
        /// Lowest and highest median.
        between: (f32, f32),
    },
    /// In curve `series` of a sweep the median of `measure` at the end goes as the power α of the swept value, with α
    /// within `between`.
    Power {
        /// What is measured, which may be no measure of the weights.
        measure: Measure,
        /// Which curve.
        series: usize,
        /// First and last value of the sweep that count.
        values: (usize, usize),
        /// Lowest and highest exponent.
        between: (f64, f64),
    },
    /// At value number `at` of a sweep the median of [`Expect::Ends`] is lower in curve `series` than in curve `than`, by at least `by`.
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
    /// Share of the live neurons that have more than 99 % of the power of each of u, v and w in one frequency or irrep.
    Pure,
    /// Share of the live neurons whose u, v and w have one dominant frequency or irrep.
    Agreement,
    /// |θu + θv − θw| in radians, for subtraction |θu − θv − θw|, the median over live neurons.
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
    Chain(vivarium_science::markov::ChainMeasure),
    /// What is measured where a transformer descends.
    Descent(vivarium_science::descent::ComparisonMeasure),
    /// What is measured where a transformer runs a machine.
    Machine(vivarium_science::machines::MachineMetric),
    /// What is measured of a circuit's network.
    Circuit(vivarium_science::circuits::CircuitMetric),
    /// What is measured of a network that contains a learning algorithm, or of a search for one.
    Succinct(vivarium_science::succinct::LearningMetric),
    /// What is measured of a network on traces of a machine.
    Trace(vivarium_science::machines::TraceMetric),
    /// R² of a transformer on prompts of points, after so many examples.
    AfterExamples(usize),
    /// Least ratio of the weight of an odd distance to that of the even distance before it, for distances up to 5: of the
    /// effective positional weights of the first head, or of v. Above 1 the pattern of even and odd is there.
    OddOverEven,
    /// The weight of distance 1 over the largest weight of another distance, of the same weights. Above 1 distance 1 leads.
    FirstDistance,
    /// Least entry on the diagonal of W over the largest beside it, by absolute value; of attention on prompts, the same of
    /// W_QK and the diagonals of its [blocks](Measure::Block).
    Diagonal,
    /// Share of ‖W‖² of the first layer that is outside the span of the training prompts.
    OutsideSpan,
    /// Largest entry of W_QK in the blocks that compare the code of a name with that of a position, over the largest
    /// elsewhere, by absolute value.
    Block,
}

impl Preset {
    /// The preset's run.
    pub fn link(&self) -> Link {
        decode(self.link).0
    }
}

/// A preset whose run takes some seconds at most.
pub const QUICK: Preset = Preset {
    slug: "",
    name: "",
    group: &PresetGroup { slug: "", name: "", charts: &[] },
    link: "",
    claim: "",
    source: "",
    experiment: None,
    departs: &[],
    instance: "",
    expect: &[],
    budget: 0,
    time: "",
};

/// Held-out accuracy first reaches `at_least` within `steps`, in a share of the replicas within `share`.
pub const fn learns(at_least: f32, steps: (u64, u64), share: (f64, f64)) -> Expect {
    Expect::Reaches { measure: Measure::TestAccuracy, at_least, steps, share }
}

/// Held-out accuracy never reaches `at_least` within `steps` steps.
pub const fn never(at_least: f32, steps: u64) -> Expect {
    Expect::Reaches { measure: Measure::TestAccuracy, at_least, steps: (0, steps), share: (0.0, 0.0) }
}

/// In every replica.
pub const ALL: (f64, f64) = (1.0, 1.0);
