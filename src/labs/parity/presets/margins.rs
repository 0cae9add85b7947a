//! Networks of powers on a sparse parity: section 7.5 and figure 7.5.

use vivarium_model::chart;
use vivarium_view::presets::ledger::{EMPTY_EXPERIMENT, Experiment};
use vivarium_view::presets::{Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup};

/// Group of presets of power networks that learn parities with the largest margin (figure 7.5 of Edelman 2024).
const GROUP: PresetGroup =
    PresetGroup { slug: "margin", name: "Parities with the largest margin", charts: &[chart::MARGIN] };

/// Figure 7.5 of Edelman 2024: parity of 4 of 10 bits, trained on all inputs. The text states neither the exponent of
/// its penalty nor the distribution of the initial weights; it does not use Adam, so Adam's settings are unstated.
const FIGURE_7_5: Experiment = Experiment {
    passage: "Edelman 2024, sections 7.2, 7.3 and 7.5, figure 7.5 and appendix D.2.2",
    stated: &[
        ("n", "10"),
        ("k", "4"),
        ("s", ""),
        ("layout", "anywhere"),
        ("data", "cube"),
        ("m", "0"),
        ("noise", "0"),
        ("model", "power-net"),
        ("width", "40"),
        ("degree", "4"),
        ("lambda", "0.001"),
        ("lambdas", ""),
        ("from", "random"),
        ("opt", "sgd"),
        ("lr", "0.1"),
        ("mom", "0"),
        ("momkind", "classical"),
        ("wd", "0"),
        ("warm", "0"),
        ("cool", "none"),
        ("loss", "ce"),
        ("batch", "0"),
        ("steps", "30000"),
    ],
    unstated: &["std", "b1", "b2", "eps", "wdkind", "clip"],
    ..EMPTY_EXPERIMENT
};

/// Note shown with presets on the largest margin: the exponent of the weight penalty, which Edelman 2024 does not
/// state.
const EXPONENT: &str = "The thesis does not state the exponent r of its penalty λ‖θ‖^r; here r = k + 1.";

/// Expects the median over networks of the normalised margin at step `step`, as a share of the largest possible margin,
/// to be at least `at_least` and, apart from rounding, at most 1.
const fn expect_margin(step: u64, at_least: f32) -> Expectation {
    Expectation::Median { measure: ExpectedMeasure::Margin, step, between: (at_least, 1.001) }
}

/// Presets in which a power network learns a parity and its normalised margin grows to the largest possible one.
pub(super) const PRESETS: &[Preset] = &[
    Preset {
        slug: "parity-margin",
        name: "Parity of 3 bits: the margin that theory predicts",
        group: &GROUP,
        link: "#v1/sparse-parity?model=power-net&opt=adam&n=10&data=cube&lr=0.01&loss=ce&batch=0&steps=800&halt=steps&every=10&speed=200&show=accuracy.strongest.margin",
        claim: "In at least nine of ten runs, the network classifies all inputs correctly by step 300. Then the weights on the irrelevant bits shrink, and at step 800 the margin is at least 97 % of the largest possible margin, γ* = 0.530.",
        source: "Edelman 2024, theorem 7.8 (Morwani et al. 2023)",
        experiment: Some(&FIGURE_7_5),
        remarks: EXPONENT,
        expectations: &[
            Expectation::Reaches {
                measure: ExpectedMeasure::TestAccuracy,
                at_least: 1.0,
                steps: (1, 300),
                share: (0.9, 1.0),
            },
            expect_margin(800, 0.97),
        ],
        max_steps: 800,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "parity-margin-4",
        name: "Parity of 4 bits, by gradient descent",
        group: &GROUP,
        link: "#v1/sparse-parity?model=power-net&n=10&k=4&data=cube&width=40&degree=4&loss=ce&batch=0&steps=4000&halt=steps&every=20&speed=1000&show=accuracy.strongest.margin",
        claim: "At the end the margin is at least 98 % of the largest possible margin, γ* = 0.607. In a network with the largest possible margin, every z^4 neuron has weights on the 4 relevant bits only.",
        source: "Edelman 2024, theorem 7.8 and figure 7.5",
        experiment: Some(&FIGURE_7_5),
        remarks: "With λ = 0.01, 4,000 steps are enough. The thesis does not state the exponent r of its penalty λ‖θ‖^r; here r = k + 1.",
        expectations: &[expect_margin(4_000, 0.98)],
        max_steps: 4_000,
        duration_note: "A few seconds on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "parity-margin-full",
        name: "Figure 7.5: parity of 4 bits, 30,000 steps",
        group: &GROUP,
        link: "#v1/sparse-parity?model=power-net&n=10&k=4&data=cube&width=40&degree=4&lambda=0.001&loss=ce&batch=0&steps=30000&halt=steps&every=100&speed=0&show=accuracy.strongest.margin",
        claim: "The penalty is a tenth of the penalty in “Parity of 4 bits, by gradient descent”, and the margin rises more slowly: at step 4,000 it is still below 90 % of the largest possible margin. At step 30,000 it is at least 98 %.",
        source: "Edelman 2024, figure 7.5 and appendix D.2.2",
        experiment: Some(&FIGURE_7_5),
        remarks: EXPONENT,
        expectations: &[
            Expectation::Median { measure: ExpectedMeasure::Margin, step: 4_000, between: (0.7, 0.9) },
            expect_margin(30_000, 0.98),
        ],
        max_steps: 30_000,
        duration_note: "Under a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
];
