//! Depth and width: appendices B.3.7 and B.3.8.

use super::experiments;
use vivarium_view::presets::{
    Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup, expect_learned, expect_not_learned,
};

/// Group of presets with deep or wide networks on sparse parities (appendices B.3.7 and B.3.8 of Edelman 2024).
const GROUP: PresetGroup = PresetGroup { slug: "depth", name: "Depth and width", charts: &[] };

/// Presets in which deep or wide networks learn a sparse parity.
pub(super) const PRESETS: &[Preset] = &[
    Preset {
        slug: "no-plateau",
        name: "No plateau: z³, width 1,000, batch 1,024",
        group: &GROUP,
        link: "#v1/sparse-parity?width=1000&act=power&lr=0.01&batch=1024&steps=400&halt=steps&every=10&held=4096&speed=0",
        claim: "Most networks have a loss plateau, but this wide network with the activation z³ has no plateau: its error falls steadily from the first step on.",
        source: "Edelman 2024, appendix B.3.8 and figure B.13, setting (vi)",
        experiment: Some(&experiments::FIGURE_B_13_WIDE),
        expectations: &[
            Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step: 160, between: (0.515, 0.56) },
            Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step: 400, between: (0.54, 0.65) },
        ],
        max_steps: 400,
        duration_note: "A few seconds on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "plateau-narrow",
        name: "A plateau: z³, width 10, batch 32",
        group: &GROUP,
        link: "#v1/sparse-parity?width=10&act=power&lr=0.01&steps=3000&every=10&held=4096&speed=200",
        claim: "At step 400, the accuracy of a network of ten cubic neurons, trained on batches of 32, is still at chance. At the same step, the accuracy of a network of width 1,000, trained on batches of 1,024, is already above chance.",
        source: "Edelman 2024, appendix B.3.8 and figure B.13, setting (iv)",
        experiment: Some(&experiments::FIGURE_B_13_NARROW),
        remarks: "A control run for “No plateau: z³, width 1,000, batch 1,024”.",
        expectations: &[Expectation::Median {
            measure: ExpectedMeasure::TestAccuracy,
            step: 400,
            between: (0.48, 0.52),
        }],
        max_steps: 3_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "deep",
        name: "Two quadratic layers trained end to end: parity of 4 bits",
        group: &GROUP,
        link: "#v1/sparse-parity?model=deep-mlp&n=20&k=4&lr=0.01&held=1024",
        claim: "Two layers with the activation z² compute a polynomial of degree 4. If both layers are trained at the same time (end to end), the network learns a parity of 4 bits with nearly every seed. A single quadratic layer cannot learn this parity, because the parity is uncorrelated with every quadratic polynomial.",
        source: "Edelman 2024, appendix B.3.7",
        experiment: Some(&experiments::APPENDIX_B_3_7),
        departures: &[("output bias", "none", "trained")],
        remarks: "Without the output bias, the output never changes its sign. In the thesis all ten networks converge within 20,000 steps; of our 20 networks, 19 do.",
        expectations: &[expect_learned(1.0, (500, 20_000), (0.85, 1.0))],
        max_steps: 20_000,
        duration_note: "A few seconds on one processor core.",
    },
    Preset {
        slug: "layer-by-layer",
        name: "If layers are trained one at a time, the network learns nothing",
        group: &GROUP,
        link: "#v1/sparse-parity?model=deep-mlp&n=20&k=4&layers=greedy&lr=0.01&held=1024&speed=2000",
        claim: "If the two quadratic layers of a network are trained one after the other, its accuracy stays near chance: a parity of 4 bits is uncorrelated with every quadratic polynomial.",
        source: "Edelman 2024, appendix B.3.7",
        experiment: Some(&experiments::APPENDIX_B_3_7_GREEDY),
        departures: &[("output bias", "none", "trained")],
        remarks: "A control run for “Two quadratic layers trained end to end: parity of 4 bits”: each layer is trained with its own output head, then frozen. The thesis shows by calculation that such training has no signal, and reports no run.",
        expectations: &[expect_not_learned(0.6, 20_000)],
        max_steps: 20_000,
        duration_note: "A few seconds on one processor core.",
    },
    Preset {
        slug: "too-shallow",
        name: "Degree 4 is too low for a parity of 5 bits",
        group: &GROUP,
        link: "#v1/sparse-parity?model=deep-mlp&n=10&k=5&lr=0.01&held=1024&speed=2000",
        claim: "Two layers with the activation z² compute a polynomial of degree 4. Every polynomial of degree 4 is uncorrelated with every parity of 5 bits, so the network does not learn the parity.",
        source: "Edelman 2024, appendix B.3.7",
        experiment: Some(&experiments::APPENDIX_B_3_7_TOO_SHALLOW),
        departures: &[("output bias", "none", "trained")],
        remarks: "A control experiment of the thesis: two hidden layers (L = 3) and k ≥ 5 relevant bits.",
        expectations: &[expect_not_learned(0.65, 20_000)],
        max_steps: 20_000,
        duration_note: "A few seconds on one processor core.",
    },
    Preset {
        slug: "deeper",
        name: "Three quadratic layers: parity of 6 bits",
        group: &GROUP,
        link: "#v1/sparse-parity?model=deep-mlp&n=10&k=6&widths=10.10.1&lr=0.01&steps=50000&every=100&held=1024&speed=0",
        claim: "Three quadratic layers compute a polynomial of degree 8. Trained end to end, they learn a parity of 6 bits with nearly every seed.",
        source: "Edelman 2024, appendix B.3.7",
        experiment: Some(&experiments::APPENDIX_B_3_7_DEEPER),
        departures: &[("output bias", "none", "trained")],
        remarks: "In the thesis all ten networks converge within 50,000 steps; here all 20 networks do.",
        expectations: &[expect_learned(1.0, (1_000, 50_000), (0.95, 1.0))],
        max_steps: 50_000,
        duration_note: "About a second on one processor core.",
    },
];
