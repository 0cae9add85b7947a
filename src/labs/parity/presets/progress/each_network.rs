//! Progress of each network of a run: appendix B.3.3 and figure B.7.

use super::experiments;
use vivarium_model::tasks::sparse_parity::charts as parity_charts;
use vivarium_view::presets::{
    Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup, expect_learned, expect_not_learned,
};

/// Group of presets that measure the progress of every network of a run (appendix B.3 of Edelman 2024).
const GROUP: PresetGroup = PresetGroup {
    slug: "progress-each",
    name: "Progress of each network",
    charts: &[parity_charts::INITIAL_GAPS],
};

/// Presets that measure the progress of every network of a run.
pub(in super::super) const PRESETS: &[Preset] = &[
    Preset {
        slug: "time-left",
        name: "Weight movement predicts the time left",
        group: &GROUP,
        link: "#v1/sparse-parity?n=30&width=1&act=sin&bias=hidden&second=ones&lr=0.01&batch=256&replicas=60&steps=3000&target=0.9&every=10&held=2048&speed=0&show=accuracy.timeleft.times",
        claim: "The farther the weights of a network have moved, the sooner this network reaches the target. At step 200, before any network reaches the target, the rank correlation of the movement ρ and the steps left is below −0.6 over the 60 networks. If training were a search without memory, this correlation would be near 0.",
        source: "Edelman 2024, section 5.5 and appendix B.3.3",
        experiment: Some(&experiments::FIGURE_5_3),
        remarks: "The thesis calls ρ a progress measure if it predicts the time to convergence, and has no figure of this. For the experiments of section 5.3, the thesis multiplies the argument of the sine by 2; here the factor is 1.",
        expectations: &[
            expect_learned(0.9, (150, 3_000), (0.85, 1.0)),
            Expectation::Reaches {
                measure: ExpectedMeasure::Movement,
                at_least: 0.08,
                steps: (100, 600),
                share: (0.6, 1.0),
            },
        ],
        max_steps: 3_000,
        duration_note: "About fifteen seconds on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "initial-gaps",
        name: "Fourier gaps of random neurons",
        group: &GROUP,
        link: "#v1/sparse-parity?n=15&k=2&width=1&bias=none&replicas=200&steps=200&every=20&held=512&speed=20&show=accuracy.startgaps",
        claim: "Each of the 200 networks is one ReLU neuron with random weights. For k = 2, nearly all neurons have a positive Fourier gap before the first step, and the median, about 0.11, is near the gap of a neuron with weights ±1/√n. For k = 4 the median is about 0.005. For k = 3 the gap of every neuron without a bias is 0.",
        source: "Edelman 2024, figure B.7",
        experiment: Some(&experiments::FIGURE_B_7),
        remarks: "The gaps are averages over all 32,768 inputs. With init=gaussian the medians are about 0.10 for k = 2 and 0.002 for k = 4. The figure shows distributions and states no medians. A single neuron without an output bias cannot compute the parity, so the accuracy stays below 90 %.",
        expectations: &[
            Expectation::Median { measure: ExpectedMeasure::Gap, step: 0, between: (0.09, 0.135) },
            Expectation::Reaches {
                measure: ExpectedMeasure::Gap,
                at_least: 1e-4,
                steps: (0, 1),
                share: (0.9, 1.0),
            },
            expect_not_learned(0.9, 200),
        ],
        max_steps: 200,
        ..PRESET_DEFAULTS
    },
];
