//! Softmax in place of the hard maximum.

use super::{expect_all_correct, expect_final};
use vivarium_model::tasks::turing_machine::charts;
use vivarium_science::machines::MachineMetric;
use vivarium_view::presets::{ALL_REPLICAS, PRESET_DEFAULTS, Preset, PresetGroup};

/// Group of presets in which the transformer that executes a Turing machine uses softmax attention in place of the hard
/// maximum.
const GROUP: PresetGroup = PresetGroup {
    slug: "softmax-machines",
    name: "Softmax in place of the maximum",
    charts: &[charts::BY_BETA],
};

/// Paper and sections shown as the source of most presets of this file (sweeps over softmax attention).
const SOURCE: &str = "Wei, Chen and Ma 2022, section 4.1, which allows softmax attention";

/// Expected share of networks whose T machine steps are all right, as (minimum, maximum): none of the networks.
const NO_NETWORKS: (f64, f64) = (0.0, 0.0);

/// Presets with sweeps over the inverse temperature β of softmax attention.
pub(super) const SOFTMAX: &[Preset] = &[
    Preset {
        slug: "softmax-machine",
        name: "How large must the inverse temperature of softmax be?",
        group: &GROUP,
        link: "#v1/turing-machine?m=counter&choice=soft&steps=400&every=10&sweep=beta:2_3_3.5_4_4.5_5_6_10&series=t:100_400&speed=0&show=correct.bybeta",
        claim: "Softmax can replace the hard maximum if the inverse temperature β is large enough. With rounding, the endless counter runs 100 steps without an error with β = 3.5, but not with β = 3. The counter runs 400 steps without an error with β = 5, but not with β = 4.5. For a run of T steps with rounding and an input of m symbols, every β above ln(2(T + m)) is large enough. The endless counter has m = 1.",
        source: SOURCE,
        remarks: "Our choices: the endless counter, without noise. The rule β > ln(2(T + m)) is also ours. The largest score exceeds every smaller score by at least 1. Attention to past tokens has at most T smaller scores, and attention to the input at most m. So all smaller scores together get less than half of the attention weight of the largest score, and rounding removes the errors below 1/3. The rule is sufficient, not necessary: most scores are smaller by more than 1.",
        expectations: &[
            expect_all_correct((0, 0), NO_NETWORKS),
            expect_all_correct((0, 1), NO_NETWORKS),
            expect_all_correct((0, 2), ALL_REPLICAS),
            expect_all_correct((0, 3), ALL_REPLICAS),
            expect_all_correct((0, 4), ALL_REPLICAS),
            expect_all_correct((0, 5), ALL_REPLICAS),
            expect_all_correct((0, 6), ALL_REPLICAS),
            expect_all_correct((0, 7), ALL_REPLICAS),
            expect_all_correct((1, 0), NO_NETWORKS),
            expect_all_correct((1, 1), NO_NETWORKS),
            expect_all_correct((1, 2), NO_NETWORKS),
            expect_all_correct((1, 3), NO_NETWORKS),
            expect_all_correct((1, 4), NO_NETWORKS),
            expect_all_correct((1, 5), ALL_REPLICAS),
            expect_all_correct((1, 6), ALL_REPLICAS),
            expect_all_correct((1, 7), ALL_REPLICAS),
        ],
        max_steps: 400,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "soft-unrounded-machine",
        name: "Softmax without rounding",
        group: &GROUP,
        link: "#v1/turing-machine?m=counter&t=100&choice=soft&round=no&steps=100&sweep=beta:6_12_24&speed=0&show=strayed.correct.bybeta",
        claim: "Without rounding, the small attention weights of all tokens that do not have the largest score add up. Even with β = 24 the transformer computes a wrong step of the endless counter: the first wrong step is step 58.",
        source: SOURCE,
        remarks: "Our choices: the endless counter, T = 100, without noise.",
        expectations: &[
            expect_all_correct((0, 0), NO_NETWORKS),
            expect_all_correct((0, 2), NO_NETWORKS),
            expect_final(MachineMetric::FirstWrong, (0, 2), (58.0, 58.0)),
        ],
        max_steps: 100,
        ..PRESET_DEFAULTS
    },
];
