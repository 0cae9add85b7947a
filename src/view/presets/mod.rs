//! Presets: predefined runs with a claim, its source, and numeric expectations that tests check.
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

/// Group of presets (predefined runs) in the menu.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PresetGroup {
    /// Permanent name of the group in links and files.
    pub slug: &'static str,
    /// Name of the group shown in the menu.
    pub name: &'static str,
    /// Charts whose recorded curves represent the presets of this group best, in order of preference; empty for the
    /// default charts.
    pub charts: &'static [Chart],
}

/// A predefined run that demonstrates a claim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preset {
    /// Permanent name of the preset in links and files.
    pub slug: &'static str,
    /// Name shown in the menu.
    pub name: &'static str,
    /// Group of the menu that contains the preset.
    pub group: &'static PresetGroup,
    /// Settings of the run, as a link that the page and the command line read.
    pub link: &'static str,
    /// Claim that the run demonstrates, in one sentence.
    pub claim: &'static str,
    /// Source of the claim that the run demonstrates: author, year and section.
    pub source: &'static str,
    /// Experiment of a publication that the run reproduces, with which its settings are compared; `None` if there is
    /// none.
    pub experiment: Option<&'static Experiment>,
    /// Departures from the experiment that are not settings, each as (name, value in the publication, value here).
    pub departures: &'static [(&'static str, &'static str, &'static str)],
    /// Remarks on the run; if `experiment` is set, only remarks that do not follow from the comparison of the settings.
    /// May be empty.
    pub remarks: &'static str,
    /// Numeric expectations by which tests check the claim of the preset.
    pub expectations: &'static [Expectation],
    /// Number of steps after which every expectation in `expectations` must hold.
    pub max_steps: u64,
    /// Sentence on the duration of the run if it takes more than some seconds; otherwise empty.
    pub duration_note: &'static str,
}

/// One numeric expectation of a preset, checked by tests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Expectation {
    /// `measure` first reaches `at_least` at a step within `steps`, in a share of the replicas within `share`.
    /// A share of 0 to 0 says that it never does.
    Reaches {
        /// Measured quantity.
        measure: ExpectedMeasure,
        /// The threshold.
        at_least: f32,
        /// First and last step at which the threshold may be reached first.
        steps: (u64, u64),
        /// Least and largest share of the replicas.
        share: (f64, f64),
    },
    /// At step `step` the median of `measure` over the replicas lies within `between`.
    Median {
        /// Measured quantity.
        measure: ExpectedMeasure,
        /// Step of the measurement.
        step: u64,
        /// Lowest and highest median.
        between: (f32, f32),
    },
    /// The median time to the target t_c over the replicas lies within these steps; of every curve of a sweep, at
    /// its value number `at`.
    MedianTime {
        /// Index of the curve (value of the second setting), from 0.
        series: usize,
        /// Index of the swept value, from 0.
        at: usize,
        /// Lowest and highest median.
        between: (u64, u64),
    },
    /// In curve `series` of a sweep t_c grows as the power α of the swept value, with α within `between`.
    Exponent {
        /// Index of the curve, from 0.
        series: usize,
        /// Indices of the first and last swept value in the fit.
        values: (usize, usize),
        /// Lowest and highest exponent.
        between: (f64, f64),
    },
    /// In curve `series` the share of replicas that reach the target, at value number `at`, lies within `share`.
    Solved {
        /// Index of the curve, from 0.
        series: usize,
        /// Index of the swept value, from 0.
        at: usize,
        /// Least and largest share.
        share: (f64, f64),
    },
    /// In curve `series` of a sweep the smallest swept value at which 80 % of the trials succeed lies within `between`.
    Threshold {
        /// Index of the curve, from 0.
        series: usize,
        /// Lowest and highest value.
        between: (f64, f64),
    },
    /// In curve `series` of a sweep, the median over replicas of the final held-out error at swept value `at` lies
    /// within `between`.
    FinalError {
        /// Index of the curve, from 0.
        series: usize,
        /// Index of the swept value, from 0.
        at: usize,
        /// Lowest and highest median error.
        between: (f32, f32),
    },
    /// In curve `series` of a sweep the median of `measure` at the end, at value number `at`, lies within `between`.
    FinalMeasure {
        /// Measured quantity; not one computed from weights.
        measure: ExpectedMeasure,
        /// Index of the curve, from 0.
        series: usize,
        /// Index of the swept value, from 0.
        at: usize,
        /// Lowest and highest median.
        between: (f32, f32),
    },
    /// In curve `series` of a sweep, the median of `measure` at the end is a power law of the swept value with exponent
    /// α within `between`.
    PowerLaw {
        /// Measured quantity; not one computed from weights.
        measure: ExpectedMeasure,
        /// Index of the curve, from 0.
        series: usize,
        /// Indices of the first and last swept value in the fit.
        values: (usize, usize),
        /// Lowest and highest exponent.
        between: (f64, f64),
    },
    /// At swept value `at`, the median of [`Expectation::FinalError`] is lower in curve `series` than in curve `than`,
    /// by at least `by`.
    LowerError {
        /// Index of the curve with the smaller error, from 0.
        series: usize,
        /// Index of the curve with the larger error, from 0.
        than: usize,
        /// Index of the swept value, from 0.
        at: usize,
        /// Smallest difference of the two errors.
        by: f32,
    },
    /// The interquartile range of t_c at value `from` of a sweep is at least `times` that at value `to`.
    NarrowerSpread {
        /// Index of the swept value with the wider range.
        from: usize,
        /// Index of the swept value with the narrower range.
        to: usize,
        /// Smallest ratio of the two ranges.
        times: f64,
    },
    /// Of all pairs of replicas, one at swept value `at` and one at swept value `than`, in at least the share `share`
    /// the first has the smaller product of t_c and swept value. A replica that never reaches the target counts as
    /// later.
    FasterPairs {
        /// Index of the swept value of the faster replicas.
        at: usize,
        /// Index of the swept value of the slower replicas.
        than: usize,
        /// Smallest share of the pairs, above one half.
        share: f64,
    },
    /// The network follows exactly these strategies one after the other, in a share of the replicas within `share`.
    Stages {
        /// Strategies in order.
        stages: &'static [Strategy],
        /// Smallest and largest share of the replicas.
        share: (f64, f64),
    },
    /// Smallest share of the variance of ln t_c that lies between initialisations rather than within them.
    VarianceBetweenInits(f64),
}

/// Quantity of a run that an expectation limits, such as its held-out accuracy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedMeasure {
    /// Accuracy on the training batch, or on the finite sample where there is one.
    TrainAccuracy,
    /// Accuracy on held-out examples.
    TestAccuracy,
    /// ‖W_t − W_0‖_∞ of the first layer.
    Movement,
    /// Largest absolute first-layer weight on a relevant bit, divided by the largest on another bit.
    Lead,
    /// 1 if the bits on which the first neuron's weights have moved farthest are the relevant ones, else 0.
    Revealed,
    /// The largest Fourier gap Γ of the first layer's neurons.
    Gap,
    /// Correlation of the network's output with the target, computed over all inputs.
    Correlation,
    /// Sum of the attention weights on the relevant bits.
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
    /// Share of the frequencies (or non-trivial irreps) that are dominant in some live neuron.
    Kinds,
    /// Share of this irrep in Σ‖ω‖^ν over the live neurons; the trivial one is number 0.
    Mass(usize),
    /// Number of live neurons.
    Live,
    /// Cross-entropy of the network restricted to its key frequencies.
    Restricted,
    /// KL divergence of the network from the true distribution of the next symbol, in nats, at the last position.
    Truth,
    /// [`ExpectedMeasure::Truth`] divided by the KL divergence of this strategy on the same contexts.
    OverLine(Strategy),
    /// Further measure of a network on Markov sequences.
    Chain(vivarium_science::markov::ChainMeasure),
    /// Measure of a transformer that performs gradient descent in context.
    Descent(vivarium_science::descent::ComparisonMeasure),
    /// Measure of a transformer that executes a machine.
    Machine(vivarium_science::machines::MachineMetric),
    /// Measure of a network compiled from a circuit.
    Circuit(vivarium_science::circuits::CircuitMetric),
    /// Measure of a network that contains a learning algorithm, or of a search for one.
    Succinct(vivarium_science::succinct::LearningMetric),
    /// Measure of a network trained on execution traces of a machine.
    Trace(vivarium_science::machines::TraceMetric),
    /// R² of a transformer on prompts of points, after this number of examples in the prompt.
    AfterExamples(usize),
    /// Smallest ratio of the positional weight of an odd distance to that of the preceding even distance, for distances
    /// up to 5, of the first head or of v. Above 1, odd distances dominate.
    OddOverEven,
    /// Positional weight of distance 1 divided by the largest weight of another distance. Above 1, distance 1
    /// dominates.
    FirstDistance,
    /// Smallest diagonal entry of W divided by the largest off-diagonal entry, by absolute value; for attention on
    /// prompts, of W_QK and the diagonals of its [blocks](ExpectedMeasure::Block).
    Diagonal,
    /// Share of ‖W‖² of the first layer outside the span of the training prompts.
    OutsideSpan,
    /// Largest entry of W_QK in the blocks that compare the code of a name with that of a position, divided by the
    /// largest entry elsewhere, by absolute value.
    Block,
}

impl Preset {
    /// Decodes the preset's link to the settings of its run and view.
    pub fn link(&self) -> Link {
        decode(self.link).0
    }
}

/// Preset with empty fields, whose fields other presets take over by struct update.
pub const PRESET_DEFAULTS: Preset = Preset {
    slug: "",
    name: "",
    group: &PresetGroup { slug: "", name: "", charts: &[] },
    link: "",
    claim: "",
    source: "",
    experiment: None,
    departures: &[],
    remarks: "",
    expectations: &[],
    max_steps: 0,
    duration_note: "",
};

/// Expects held-out accuracy to first reach `at_least` (from 0 to 1) at a step from `steps.0` to `steps.1`, in a
/// fraction of the replicas from `share.0` to `share.1`.
pub const fn expect_learned(at_least: f32, steps: (u64, u64), share: (f64, f64)) -> Expectation {
    Expectation::Reaches { measure: ExpectedMeasure::TestAccuracy, at_least, steps, share }
}

/// Expects held-out accuracy to stay below `at_least` (from 0 to 1) up to step `steps` in all replicas.
pub const fn expect_not_learned(at_least: f32, steps: u64) -> Expectation {
    Expectation::Reaches {
        measure: ExpectedMeasure::TestAccuracy,
        at_least,
        steps: (0, steps),
        share: (0.0, 0.0),
    }
}

/// Smallest and largest fraction of the replicas for which an expectation must hold: all replicas.
pub const ALL_REPLICAS: (f64, f64) = (1.0, 1.0);
