//! Layers, and what the form of the tokens has to do with them.

use super::{expect_final_error, expect_r2, experiments};
use vivarium_model::tasks::in_context_learning::charts;
use vivarium_view::presets::{PRESET_DEFAULTS, Preset, PresetGroup};

/// Menu group of the presets on random three-layer networks with one input number.
const LAYERS_GROUP: PresetGroup = PresetGroup {
    slug: "learned-layers",
    name: "Number of layers and kind of tokens",
    charts: &[charts::EXPLAINED],
};

/// Presets with transformers of 1, 2 and 4 layers on prompts of random three-layer networks.
pub(super) const LAYER_PRESETS: &[Preset] = &[
    Preset {
        slug: "two-layers-in-context",
        name: "In-context learning with two layers",
        group: &LAYERS_GROUP,
        link: "#v1/in-context-learning",
        claim: "A transformer of two layers is trained on prompts with examples of random networks; each prompt has a new network. The trained transformer then predicts the outputs of a new random network from 16 examples in the prompt, without any further training. The R² of these predictions is about 0.9: far above the R² of an affine fit, and near the R² of a network that is trained on the same 16 examples for 100 epochs, after its last epoch.",
        source: "Wu, Su, Hu, Song and Liu 2024, appendix G; Garg, Tsipras, Liang and Valiant 2022, section 5",
        experiment: Some(&experiments::NETWORKS),
        departures: &[
            ("training steps", "500,000", "4,000"),
            ("biases of the transformer", "trained", "none"),
        ],
        expectations: &[expect_r2(1_000, (0.55, 0.93)), expect_r2(4_000, (0.78, 0.98))],
        max_steps: 4_000,
        duration_note: "About half a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "one-layer-in-context",
        name: "One layer, interleaved tokens",
        group: &LAYERS_GROUP,
        link: "#v1/in-context-learning?blocks=1",
        claim: "With one layer, R² is much lower than with two layers. The x and y of an example are in different tokens, and one layer of attention cannot both combine x with y and compare the example with the query.",
        source: "Wu, Su, Hu, Song and Liu 2024, appendix G, figure 3",
        experiment: Some(&experiments::FIGURE_3),
        departures: &[
            ("training steps", "500,000", "4,000"),
            ("biases of the transformer", "trained", "none"),
        ],
        remarks: "The final R² depends on the initial weights: with other initial weights, another implementation reached an R² of only 0.13.",
        expectations: &[expect_r2(4_000, (0.05, 0.72))],
        max_steps: 4_000,
        duration_note: "About 15 seconds on one processor core.",
    },
    Preset {
        slug: "four-layers-in-context",
        name: "In-context learning with four layers",
        group: &LAYERS_GROUP,
        link: "#v1/in-context-learning?blocks=4",
        claim: "A transformer of four layers explains about 96 % of the variance of the labels. A network that is trained on the prompt for 100 epochs explains less of this variance after its last epoch.",
        source: "Wu, Su, Hu, Song and Liu 2024, appendix G, figure 3",
        experiment: Some(&experiments::FIGURE_3),
        departures: &[
            ("training steps", "500,000", "4,000"),
            ("biases of the transformer", "trained", "none"),
        ],
        expectations: &[expect_r2(4_000, (0.9, 0.995))],
        max_steps: 4_000,
        duration_note: "About a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "one-layer-of-pairs",
        name: "One layer, joint tokens",
        group: &LAYERS_GROUP,
        link: "#v1/in-context-learning?blocks=1&format=joint",
        claim: "With x and y in one token, one layer is enough for an R² above 0.85. This suggests that with interleaved tokens a second layer helps largely because one layer is needed to combine x with y.",
        source: "Our control experiment for Wu, Su, Hu, Song and Liu 2024, appendix G, figure 3",
        experiment: Some(&experiments::FIGURE_3),
        departures: &[
            ("training steps", "500,000", "4,000"),
            ("biases of the transformer", "trained", "none"),
        ],
        remarks: "Our control experiment. The tokens are [x, y] for examples and [x, 0] for queries.",
        expectations: &[expect_r2(4_000, (0.8, 0.99))],
        max_steps: 4_000,
        duration_note: "About 15 seconds on one processor core.",
    },
    Preset {
        slug: "layers-and-tokens",
        name: "R² by number of layers, for both kinds of tokens",
        group: &LAYERS_GROUP,
        link: "#v1/in-context-learning?replicas=3&sweep=blocks:1_2_4&series=format:interleaved_joint&speed=0&show=depth",
        claim: "With one layer, R² with interleaved tokens is far below R² with joint tokens. With two and four layers, the difference is small.",
        source: "Our control experiment for Wu, Su, Hu, Song and Liu 2024, appendix G, figure 3",
        experiment: Some(&experiments::FIGURE_3),
        departures: &[
            ("training steps", "500,000", "4,000"),
            ("biases of the transformer", "trained", "none"),
            ("layers", "4, 6, 8 and 10", "1, 2 and 4"),
            ("tokens", "interleaved", "interleaved, and joint for comparison"),
        ],
        remarks: "Our control experiment, with three seeds for each combination.",
        expectations: &[
            expect_final_error(0, 0, (0.28, 0.95)),
            expect_final_error(1, 0, (0.01, 0.2)),
            expect_final_error(0, 1, (0.02, 0.22)),
            expect_final_error(1, 1, (0.005, 0.15)),
            expect_final_error(0, 2, (0.005, 0.1)),
        ],
        max_steps: 4_000,
        duration_note: "Several minutes on one processor core.",
    },
];
