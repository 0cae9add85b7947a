//! Networks that are trained on traces of a machine. All of it is ours: Wei, Chen and Ma train nothing, and no claim
//! here is about their construction.

use vivarium_model::tasks::machine_traces::charts;
use vivarium_science::machines::TraceMetric as Of;
use vivarium_view::presets::{Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup};

/// Every preset of the lab on traces, in the order of the menu; there is one group.
pub const PRESETS: &[&[Preset]] = &[TRACES];

/// Group of presets on networks trained with traces of a Turing machine.
const GROUP: PresetGroup = PresetGroup {
    slug: "what-training-finds",
    name: "What training finds",
    charts: &[charts::CELLS, charts::FLOOR],
};

/// Source shown for all presets of networks trained on traces of a Turing machine.
const SOURCE: &str =
    "Our own experiment; for comparison: the construction of Wei, Chen and Ma 2022, section 4";

/// Expects the median over networks of `metric` at training step `step` to be in the interval `between`.
const fn expect_median(metric: Of, step: u64, between: (f32, f32)) -> Expectation {
    Expectation::Median { measure: ExpectedMeasure::Trace(metric), step, between }
}

/// Expects the median accuracy of predicted symbols on cells that the machine has written, at step `step`, to be in the
/// interval `between`.
const fn expect_written_accuracy(step: u64, between: (f32, f32)) -> Expectation {
    Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step, between }
}

/// Presets of networks that are trained on traces of a Turing machine.
const TRACES: &[Preset] = &[
    Preset {
        slug: "traces",
        name: "A Turing machine with two states",
        group: &GROUP,
        link: "#v1/machine-traces",
        claim: "After 300 training steps the network predicts at least 98 % of the symbols on written cells correctly. But if the most recent write to the cell was four or more steps ago, no attention head has much more attention on this write than uniform attention would have. This suggests that the last few steps of this small machine already determine most symbols.",
        source: SOURCE,
        remarks: "Our choices: one random machine of two states and two symbols, a fresh random tape for every trace of 64 steps, two layers of one attention head each, d = 16.",
        expectations: &[
            expect_written_accuracy(300, (0.98, 1.0)),
            expect_median(Of::NewCells, 300, (0.44, 0.56)),
            expect_median(Of::Excess, 300, (0.0, 0.04)),
            expect_median(Of::WriteAttentionLayer1, 300, (0.02, 0.1)),
            expect_median(Of::WriteAttentionLayer2, 300, (0.02, 0.1)),
            expect_median(Of::UniformAttention, 300, (0.03, 0.05)),
        ],
        max_steps: 300,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "traces-by-lot",
        name: "A machine with a random next state, two layers",
        group: &GROUP,
        link: "#v1/machine-traces?next=lot&t=32&d=32&heads=4.4&mlp=off&steps=1500&show=cells.stepsback.writes.longer",
        claim: "The next state of the machine is random, so only the most recent write to a cell determines the symbol in this cell. The network's prediction is almost always right if this write was two or four steps ago. For older writes the prediction is right less often. If the write was 18 or more steps ago, the prediction is right in less than 75 % of the cases; a guess is right in 50 %.",
        source: SOURCE,
        remarks: "Our choices: the next state is random, so the machine's head does a random walk. Traces of 32 steps instead of 64, two layers of four attention heads, d = 32.",
        expectations: &[
            expect_written_accuracy(1500, (0.95, 0.99)),
            expect_median(Of::TwoBack, 1500, (0.99, 1.0)),
            expect_median(Of::FourBack, 1500, (0.98, 1.0)),
            expect_median(Of::SixBack, 1500, (0.92, 1.0)),
            expect_median(Of::EightBack, 1500, (0.82, 0.98)),
            expect_median(Of::TenBack, 1500, (0.68, 0.9)),
            expect_median(Of::FartherBack, 1500, (0.45, 0.75)),
            expect_median(Of::WriteAttentionLayer1, 1500, (0.2, 0.6)),
            // Some networks have hardly any attention there, others five times as much as uniform attention.
            expect_median(Of::WriteAttentionLayer2, 1500, (0.01, 0.35)),
            expect_median(Of::RunEightTimes, 1500, (0.93, 0.99)),
        ],
        max_steps: 1500,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "traces-by-lot-3",
        name: "A machine with a random next state, three layers",
        group: &GROUP,
        link: "#v1/machine-traces?next=lot&t=32&d=32&heads=4.4.4&mlp=off&steps=1500&show=cells.stepsback.writes.longer",
        claim: "A third layer changes the accuracy only a little. If the most recent write to the cell was four or six steps ago, more than 90 % of the predicted symbols are right. If this write was 18 or more steps ago, at most 80 % are right; a guess is right in 50 % of the cases.",
        source: SOURCE,
        remarks: "The settings of “A machine with a random next state, two layers”, with three layers.",
        expectations: &[
            expect_written_accuracy(1500, (0.95, 0.995)),
            expect_median(Of::FourBack, 1500, (0.98, 1.0)),
            expect_median(Of::SixBack, 1500, (0.92, 1.0)),
            expect_median(Of::FartherBack, 1500, (0.45, 0.8)),
        ],
        max_steps: 1500,
        ..PRESET_DEFAULTS
    },
];
