//! How many sequences each kind of network needs: figure 1 of the paper, small and at its own sizes.

use vivarium_model::tasks::sparse_token_regression::charts;
use vivarium_view::presets::{Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup};

use super::{expect_explained, expect_matrix_measure, experiments};

/// Group of presets on the number of training sequences needed for prompts of N positions (figure 1 and theorems 4 and
/// 6 to 9 of Mousavi-Hosseini et al. 2025).
const GROUP: PresetGroup = PresetGroup {
    slug: "sequences-and-positions",
    name: "Sequences needed for N positions",
    charts: &[charts::NEEDED, charts::ERROR],
};

/// Expects the median over networks of the number of training steps until the target is reached to be in `between`, for
/// curve number `series` of the sweep at swept value number `at`, both from 0.
const fn expect_steps(series: usize, at: usize, between: (u64, u64)) -> Expectation {
    Expectation::MedianTime { series, at, between }
}

/// Expects that at most 20 % of the networks reach the target, for curve number `series` of the sweep at swept value
/// number `at`, both from 0.
const fn expect_not_reached(series: usize, at: usize) -> Expectation {
    Expectation::Solved { series, at, share: (0.0, 0.2) }
}

/// Presets that compare how many sequences attention, a feedforward network on the whole prompt and a bidirectional GRU
/// need.
pub(super) const RACE: &[Preset] = &[
    Preset {
        slug: "race",
        name: "Three networks, prompts of 4, 8 and 16 tokens",
        group: &GROUP,
        link: "#v1/sparse-token-regression?dim=4&q=1&g=linear&codes=random&h=1&qk=separate&scores=all&values=token&width=32&wd=0.01&steps=3200&halt=target&every=10&held=500&sweep=n:4_8_16&series=model:token-attention_token-mlp_gru&by=loss&limit=0.5&speed=0&show=error.sequences&count=examples",
        claim: "From 4 to 16 positions, the number of training sequences that are needed to explain half of the variance grows by a factor of less than 2 for attention, and by a factor of 5 for the GRU. With 16 positions the feedforward network explains less than half of the variance after 200,000 sequences.",
        source: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, figure 1 (a)",
        experiment: Some(&experiments::FIGURE_1_A_ATTENTION),
        departures: &[
            ("number of positions N", "2 to 12", "4, 8 and 16"),
            ("target error", "0.7", "0.5"),
            ("number of networks for each N", "5", "1"),
            ("hidden layers of the feedforward network", "N·d and 1,000 units", "two of 128 units"),
            ("units of the GRU in each direction", "500", "64"),
            ("matrices W_V and W_O", "trained", "none"),
            ("biases of queries, keys and values", "trained", "none"),
            (
                "bound of the initial entries of W_Q and W_K, with D components of a token's vector",
                "√(1.5/D)",
                "√(1/D)",
            ),
        ],
        expectations: &[
            expect_steps(0, 0, (40, 160)),
            expect_steps(0, 2, (80, 300)),
            expect_steps(1, 0, (50, 250)),
            expect_not_reached(1, 2),
            expect_steps(2, 0, (100, 600)),
            expect_steps(2, 2, (700, 3_200)),
        ],
        max_steps: 3_200,
        duration_note: "About half a minute on one processor core. The GRU is trained last.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "attention-48",
        name: "Attention, prompts of 4 to 48 tokens",
        group: &GROUP,
        link: "#v1/sparse-token-regression?dim=4&q=1&g=linear&codes=random&h=1&qk=separate&scores=all&values=token&width=32&wd=0.01&replicas=5&steps=2000&halt=target&every=10&sweep=n:4_8_12_16_24_32_48&by=loss&limit=0.5&speed=0&show=error.sequences&count=examples",
        claim: "The number of sequences that attention needs grows about like the logarithm of the number of positions. With twelve times as many positions, attention needs about twice as many sequences.",
        source: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, theorem 4 and figure 1 (a)",
        experiment: Some(&experiments::FIGURE_1_A_ATTENTION),
        departures: &[
            ("number of positions N", "2 to 12", "4 to 48"),
            ("target error", "0.7", "0.5"),
            ("matrices W_V and W_O", "trained", "none"),
            ("biases of queries, keys and values", "trained", "none"),
            (
                "bound of the initial entries of W_Q and W_K, with D components of a token's vector",
                "√(1.5/D)",
                "√(1/D)",
            ),
        ],
        expectations: &[
            Expectation::Exponent { series: 0, values: (0, 6), between: (0.05, 0.6) },
            Expectation::Solved { series: 0, at: 6, share: (0.8, 1.0) },
        ],
        max_steps: 2_000,
        duration_note: "About a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "paper-attention",
        name: "The paper's sizes: attention",
        group: &GROUP,
        link: "#v1/sparse-token-regression?dim=10&q=1&g=linear&codes=random&h=1&qk=separate&scores=all&values=token&width=100&lr=0.001&wd=0.01&replicas=5&halt=target&every=10&held=5000&sweep=n:2_4_6_8_10_12_24_48&by=loss&limit=0.7&speed=0&show=error.sequences&count=examples",
        claim: "At the sizes of the paper attention needs about 3,000 sequences for 2 positions, 17,000 for 12 positions and 24,000 for 48 positions.",
        source: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, figure 1 (a), with the settings of the authors' code",
        experiment: Some(&experiments::FIGURE_1_A_ATTENTION),
        departures: &[
            ("number of positions N", "2 to 12", "2 to 48"),
            ("matrices W_V and W_O", "trained", "none"),
            ("biases of queries, keys and values", "trained", "none"),
            (
                "bound of the initial entries of W_Q and W_K, with D components of a token's vector",
                "√(1.5/D)",
                "√(1/D)",
            ),
        ],
        remarks: "The test prompts of the authors' code are simpler than the training prompts.",
        expectations: &[
            expect_steps(0, 0, (20, 90)),
            expect_steps(0, 5, (130, 450)),
            Expectation::Exponent { series: 0, values: (1, 7), between: (0.1, 0.8) },
        ],
        max_steps: 4_000,
        duration_note: "Several minutes on one processor core.",
    },
    Preset {
        slug: "paper-mlp",
        name: "The paper's sizes: a feedforward network",
        group: &GROUP,
        link: "#v1/sparse-token-regression?model=token-mlp&dim=10&q=1&g=linear&codes=random&widths=0.1000&lr=0.001&wd=0.01&halt=target&every=10&held=5000&sweep=n:2_4_6_8_10&by=loss&limit=0.7&speed=0&show=error.sequences&count=examples",
        claim: "At the sizes of the paper a feedforward network with two hidden layers, of N·d and of 1,000 units, needs about 2,000 sequences for 2 positions and about 100,000 for 10 positions.",
        source: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, figure 1 (a), with the settings of the authors' code",
        experiment: Some(&experiments::FIGURE_1_A_FEEDFORWARD),
        departures: &[
            ("number of positions N", "2 to 12", "2 to 10"),
            ("number of networks for each N", "5", "1"),
        ],
        remarks: "A width of 0 stands for N·d units. With the simpler test prompts of the authors' code, fewer sequences are enough.",
        expectations: &[
            expect_steps(0, 0, (15, 80)),
            Expectation::Exponent { series: 0, values: (1, 4), between: (1.2, 3.5) },
        ],
        max_steps: 4_000,
        duration_note: "Many minutes on one processor core.",
    },
    Preset {
        slug: "paper-gru",
        name: "The paper's sizes: a GRU of 500 units",
        group: &GROUP,
        link: "#v1/sparse-token-regression?model=gru&dim=10&q=1&g=linear&codes=random&width=500&lr=0.001&wd=0.01&halt=target&every=10&held=5000&sweep=n:2_4_6_8&by=loss&limit=0.7&speed=0&show=error.sequences&count=examples",
        claim: "At the sizes of the paper: with 2 positions, a bidirectional GRU of 500 units needs fewer sequences than attention; with 8 positions, it needs several times as many sequences as attention.",
        source: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, figure 1 (a), with the settings of the authors' code",
        experiment: Some(&experiments::FIGURE_1_A_RECURRENT),
        departures: &[
            ("number of positions N", "2 to 12", "2 to 8"),
            ("number of networks for each N", "5", "1"),
        ],
        expectations: &[expect_steps(0, 0, (5, 40)), expect_steps(0, 3, (400, 1_400))],
        max_steps: 4_000,
        duration_note: "About half an hour on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "simple-race",
        name: "One list of names for all positions",
        group: &GROUP,
        link: "#v1/sparse-token-regression?model=token-mlp&n=9&dim=4&q=1&lists=one&g=linear&widths=128.1000&lr=0.002&wd=0.01&steps=4700&halt=target&held=500&sweep=n:9_25_49&series=model:token-mlp_token-attention_gru&by=loss&limit=0.05&speed=0&show=error.sequences&count=examples",
        claim: "If all positions contain the same name, so that all labels depend on the same token, the feedforward network at 9 positions needs the fewest sequences of the three networks: one third of the number that attention needs. At 49 positions the feedforward network needs three times as many sequences as attention. The GRU of 64 units also needs more sequences than attention at 49 positions, so this run does not show what the paper's figure shows of recurrent networks: with 25 to 33 positions, a GRU of 500 units needs about as many sequences as attention.",
        source: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, figure 1 (b)",
        experiment: Some(&experiments::FIGURE_1_B_FEEDFORWARD),
        departures: &[
            ("number of positions N", "25 to 33", "9, 25 and 49"),
            ("target error", "0.02", "0.05"),
            ("number of networks for each N", "5", "1"),
            ("units of the GRU in each direction", "500", "64"),
            (
                "attention heads",
                "1, with scores and values of whole tokens",
                "2, with scores of codes and values of the tokens' numbers",
            ),
            ("hidden units after the attention", "100", "64"),
        ],
        remarks: "We do not use random codes, because among 9 random codes of 10 signs two are often similar: the absolute value of their scalar product is above 1/2.",
        expectations: &[
            expect_steps(0, 0, (100, 250)),
            expect_steps(1, 0, (300, 700)),
            expect_steps(0, 2, (2_000, 4_700)),
            expect_steps(1, 2, (700, 1_800)),
            expect_steps(2, 0, (250, 700)),
            expect_steps(2, 2, (1_800, 4_500)),
        ],
        max_steps: 4_700,
        duration_note: "A few minutes on one processor core.",
    },
    Preset {
        slug: "found-lookup",
        name: "The query-key matrix after training",
        group: &GROUP,
        link: "#v1/sparse-token-regression?n=16&dim=4&q=1&g=linear&codes=random&h=1&qk=separate&scores=all&values=token&width=32&wd=0.01&steps=1500",
        claim: "After training the large entries of |W_QK| are in the block that compares the code of a name with the code of a position.",
        source: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, figure 2",
        experiment: Some(&experiments::FIGURE_2),
        departures: &[
            ("matrices W_V and W_O", "trained", "none"),
            ("biases of queries, keys and values", "trained", "none"),
            (
                "bound of the initial entries of W_Q and W_K, with D components of a token's vector",
                "√(1.5/D)",
                "√(1/D)",
            ),
        ],
        remarks: "The authors train on the same 50,000 sequences for up to 20 epochs; here all sequences are fresh. The authors' script trains on one name for all positions, but the caption of the figure says that each position has its own name.",
        expectations: &[
            expect_explained(1_500, (0.85, 1.0)),
            expect_matrix_measure(ExpectedMeasure::Block, 1_500, (8.0, 100.0)),
        ],
        max_steps: 1_500,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "figure-2",
        name: "The paper's figure 2: 100 positions",
        group: &GROUP,
        link: "#v1/sparse-token-regression?n=100&dim=10&q=1&g=linear&codes=random&h=1&qk=separate&scores=all&values=token&width=100&lr=0.001&wd=0.2&steps=1600&every=200&held=500",
        claim: "After training with 100 positions, the largest entries of |W_QK| are the entries on the diagonal of one block: the block that compares the code of a name with the code of a position.",
        source: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, figure 2, with the settings of the authors' code",
        experiment: Some(&experiments::FIGURE_2),
        departures: &[
            ("matrices W_V and W_O", "trained", "none"),
            ("biases of queries, keys and values", "trained", "none"),
            (
                "bound of the initial entries of W_Q and W_K, with D components of a token's vector",
                "√(1.5/D)",
                "√(1/D)",
            ),
        ],
        remarks: "The authors train on the same 50,000 sequences for up to 20 epochs; here all sequences are fresh, because a run on this page cannot store so many. At the end the training error is below 0.05, as in the authors' run. The authors' script trains on one name for all positions, but the caption of the figure says that each position has its own name.",
        expectations: &[
            expect_explained(1_600, (0.95, 1.0)),
            expect_matrix_measure(ExpectedMeasure::Block, 1_600, (15.0, 200.0)),
            // Every entry on the diagonal is larger than all others.
            expect_matrix_measure(ExpectedMeasure::Diagonal, 1_600, (1.2, 5.0)),
        ],
        max_steps: 1_600,
        duration_note: "A minute or two on one processor core.",
    },
];
