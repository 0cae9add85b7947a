//! Networks that are trained on traces of a machine. All of it is ours: Wei, Chen and Ma train nothing, and no claim here is
//! about their construction.

use vivarium_model::tasks::machine_traces::charts;
use vivarium_science::machines::TraceMetric as Of;
use vivarium_view::presets::{Expect, Measure, Preset, PresetGroup, QUICK};

/// Every preset of the lab, in the order of the menu.
pub const PRESETS: &[&[Preset]] = &[TRACES];

/// What training finds.
const GROUP: PresetGroup = PresetGroup {
    slug: "what-training-finds",
    name: "What training finds",
    charts: &[charts::CELLS, charts::FLOOR],
};

/// Where the task comes from.
const SOURCE: &str =
    "Our own experiment; for comparison: the construction of Wei, Chen and Ma 2022, section 4";

/// The median over the networks of a further measure, at step `step`.
const fn median(of: Of, step: u64, between: (f32, f32)) -> Expect {
    Expect::Median { measure: Measure::Trace(of), step, between }
}

/// The same of the accuracy on written cells.
const fn written(step: u64, between: (f32, f32)) -> Expect {
    Expect::Median { measure: Measure::TestAccuracy, step, between }
}

const TRACES: &[Preset] = &[
    Preset {
        slug: "traces",
        name: "A Turing machine with two states",
        group: &GROUP,
        link: "#v1/machine-traces",
        claim: "After 300 training steps the network predicts at least 98 % of the symbols on written cells correctly. But if the most recent write to the cell was four or more steps ago, no attention head has much more attention on this write than uniform attention would have. This suggests that the last few steps of this small machine already determine most symbols.",
        source: SOURCE,
        instance: "Our choices: one random machine of two states and two symbols, a fresh random tape for every trace of 64 steps, two layers of one attention head each, d = 16.",
        expect: &[
            written(300, (0.98, 1.0)),
            median(Of::NewCells, 300, (0.44, 0.56)),
            median(Of::Excess, 300, (0.0, 0.04)),
            median(Of::WriteAttentionLayer1, 300, (0.02, 0.1)),
            median(Of::WriteAttentionLayer2, 300, (0.02, 0.1)),
            median(Of::UniformAttention, 300, (0.03, 0.05)),
        ],
        budget: 300,
        ..QUICK
    },
    Preset {
        slug: "traces-by-lot",
        name: "A machine with a random next state, two layers",
        group: &GROUP,
        link: "#v1/machine-traces?next=lot&t=32&d=32&heads=4.4&mlp=off&steps=1500&show=cells.stepsback.writes.longer",
        claim: "The next state of the machine is random, so only the most recent write to a cell determines the symbol in this cell. The network's prediction is almost always right if this write was two or four steps ago. For older writes the prediction is right less often. If the write was 18 or more steps ago, the prediction is right in less than 75 % of the cases; a guess is right in 50 %.",
        source: SOURCE,
        instance: "Our choices: the next state is random, so the machine's head does a random walk. Traces of 32 steps instead of 64, two layers of four attention heads, d = 32.",
        expect: &[
            written(1500, (0.95, 0.99)),
            median(Of::TwoBack, 1500, (0.99, 1.0)),
            median(Of::FourBack, 1500, (0.98, 1.0)),
            median(Of::SixBack, 1500, (0.92, 1.0)),
            median(Of::EightBack, 1500, (0.82, 0.98)),
            median(Of::TenBack, 1500, (0.68, 0.9)),
            median(Of::FartherBack, 1500, (0.45, 0.75)),
            median(Of::WriteAttentionLayer1, 1500, (0.2, 0.6)),
            // Two kinds of networks: some have hardly any there, others five times as much as uniform attention.
            median(Of::WriteAttentionLayer2, 1500, (0.01, 0.35)),
            median(Of::RunEightTimes, 1500, (0.93, 0.99)),
        ],
        budget: 1500,
        ..QUICK
    },
    Preset {
        slug: "traces-by-lot-3",
        name: "A machine with a random next state, three layers",
        group: &GROUP,
        link: "#v1/machine-traces?next=lot&t=32&d=32&heads=4.4.4&mlp=off&steps=1500&show=cells.stepsback.writes.longer",
        claim: "A third layer changes the accuracy only a little. If the most recent write to the cell was four or six steps ago, more than 90 % of the predicted symbols are right. If this write was 18 or more steps ago, at most 80 % are right; a guess is right in 50 % of the cases.",
        source: SOURCE,
        instance: "The settings of “A machine with a random next state, two layers”, with three layers.",
        expect: &[
            written(1500, (0.95, 0.995)),
            median(Of::FourBack, 1500, (0.98, 1.0)),
            median(Of::SixBack, 1500, (0.92, 1.0)),
            median(Of::FartherBack, 1500, (0.45, 0.8)),
        ],
        budget: 1500,
        ..QUICK
    },
];
