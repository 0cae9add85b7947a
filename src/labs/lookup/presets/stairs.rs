//! One head for each name: proposition 21 and its control.

use super::{expect_explained, expect_final_error};
use vivarium_model::tasks::sparse_token_regression::charts;
use vivarium_view::presets::{
    ALL_REPLICAS, PRESET_DEFAULTS, Preset, PresetGroup, expect_learned, expect_not_learned,
};

/// Group of presets for proposition 21 of Mousavi-Hosseini et al. 2025 and the remark after its proposition 3: at least
/// one head per name is needed.
const GROUP: PresetGroup =
    PresetGroup { slug: "heads-and-names", name: "One head for each name", charts: &[charts::ERROR] };

/// Presets that show the theoretical lower bound on the error for each number of heads.
pub(super) const STAIRS: &[Preset] = &[
    Preset {
        slug: "two-heads",
        name: "Two names, two heads",
        group: &GROUP,
        link: "#v1/sparse-token-regression",
        claim: "Each position of a prompt has a token, which is a random number, and the names of two positions. The label of a position is the sum of the centred squares of the tokens at the two named positions, divided by √2. The centred square of x is x² minus the mean of x². With two heads the relative error falls below 0.05.",
        source: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, theorem 4 and proposition 21",
        remarks: "As in the source: one layer of attention with one matrix W_QK for each head, no residual connection and no layer norm, a two-layer network after the attention. Our choices: 8 positions, tokens of one number, one-hot codes without the factor √(d/q), scores that depend only on positions, Adam with learning rate 0.003, and 4,000 steps of 64 prompts.",
        expectations: &[expect_explained(4_000, (0.95, 1.0))],
        max_steps: 4_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "one-head",
        name: "Two names, one head",
        group: &GROUP,
        link: "#v1/sparse-token-regression?h=1",
        claim: "With one head for two names, half of the variance stays unexplained after any number of training steps: theory proves that the relative error is at least 0.5.",
        source: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, proposition 21",
        remarks: "The settings of “Two names, two heads”, with one head.",
        expectations: &[expect_explained(4_000, (0.46, 0.54)), expect_not_learned(0.56, 4_000)],
        max_steps: 4_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "staircase-2",
        name: "Two names, 1 to 3 heads",
        group: &GROUP,
        link: "#v1/sparse-token-regression?replicas=20&sweep=h:1_2_3&speed=0&show=error.stairs",
        claim: "With one head the median final error of twenty networks is half of the variance of the labels, which is the theoretical lower bound. With two or three heads the median is near zero.",
        source: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, proposition 21",
        remarks: "The settings of “Two names, two heads”, with 1, 2 and 3 heads and twenty seeds each. The lower bound max(0, 1 − H/q) on the relative error is about these labels: sums of the centred squares of q different tokens with normal distribution. It holds for every network with H heads if the scores depend only on positions. Proposition 3 of the paper, which allows all scores, gives the bound 1 − H(q + d)/(qd). For tokens of one number (d = 1) this bound is below 0.",
        expectations: &[
            expect_final_error(0, (0.48, 0.53)),
            expect_final_error(1, (0.0, 0.05)),
            expect_final_error(2, (0.0, 0.03)),
        ],
        max_steps: 4_000,
        duration_note: "A few minutes on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "staircase-3",
        name: "Three names, 1 to 4 heads",
        group: &GROUP,
        link: "#v1/sparse-token-regression?q=3&replicas=20&sweep=h:1_2_3_4&speed=0&show=error.stairs",
        claim: "With three names, each of the first three heads explains about another third of the variance, in the median of twenty networks: the lower bounds on the relative error with 1, 2 and 3 heads are 0.667, 0.333 and 0.",
        source: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, proposition 21",
        remarks: "The settings of “Two names, 1 to 3 heads”, with three names and 1 to 4 heads.",
        expectations: &[
            expect_final_error(0, (0.63, 0.71)),
            expect_final_error(1, (0.31, 0.42)),
            expect_final_error(2, (0.0, 0.2)),
            expect_final_error(3, (0.0, 0.1)),
        ],
        max_steps: 4_000,
        duration_note: "A few minutes on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "one-head-mean",
        name: "One head is enough for a mean",
        group: &GROUP,
        link: "#v1/sparse-token-regression?g=mean&h=1&replicas=20",
        claim: "If the label is √2 times the mean of the tokens at the two named positions, one head is enough: the head gives each of the two tokens the attention weight ½.",
        source: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, after proposition 3",
        remarks: "The settings of “Two names, one head”, with twenty seeds and another label: √2 times the mean of the tokens at the named positions, instead of the sum of their centred squares.",
        expectations: &[
            expect_explained(4_000, (0.99, 1.0)),
            expect_learned(0.95, (50, 4_000), ALL_REPLICAS),
        ],
        max_steps: 4_000,
        duration_note: "About a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
];
