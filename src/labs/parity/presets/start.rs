//! Presets for the first visit: the thesis's parity, and a smaller one.

use super::experiments;
use vivarium_view::presets::{ALL_REPLICAS, PRESET_DEFAULTS, Preset, PresetGroup, expect_learned};

/// Group of presets for a user's first visit, at the top of the menu.
const GROUP: PresetGroup = PresetGroup { slug: "start", name: "Start here", charts: &[] };

/// Presets at the top of the menu; the page opens with the first of them.
pub(super) const PRESETS: &[Preset] = &[
    Preset {
        slug: "parity-20",
        name: "A parity of 3 of 20 bits",
        group: &GROUP,
        link: "#v1/sparse-parity?n=20&width=64&every=10&speed=200",
        claim: "The loss stays at the level of random guessing, then falls suddenly: the network has found the 3 relevant bits.",
        source: "Edelman 2024, section 5.3, setting (ii), and figure B.2, row 1 (Barak et al. 2022, figure 1)",
        experiment: Some(&experiments::FIGURE_B_2_ROW_1),
        expectations: &[expect_learned(1.0, (200, 3_000), ALL_REPLICAS)],
        max_steps: 3_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "parity-50",
        name: "The parity of the thesis: 3 of 50 bits",
        group: &GROUP,
        link: "#v1/sparse-parity?speed=1000",
        claim: "After a long plateau, gradient descent finds the right one of 19,600 possible sets of 3 bits. With every seed there is a long plateau: no network finds the set early by luck.",
        source: "Edelman 2024, section 5.3, setting (ii), and figure B.2, row 1",
        experiment: Some(&experiments::FIGURE_B_2_ROW_1),
        remarks: "The task is that of figure 5.1 (left): (n, k) = (50, 3).",
        expectations: &[expect_learned(1.0, (800, 10_000), ALL_REPLICAS)],
        max_steps: 10_000,
        ..PRESET_DEFAULTS
    },
];
