//! Networks of powers on a sparse parity: section 7.5 and figure 7.5.

use crate::analysis::chart;
use crate::presets::{Expect, Measure, Preset, PresetGroup, QUICK};

/// Figure 7.5.
const GROUP: PresetGroup =
    PresetGroup { slug: "margin", name: "Parities with the largest margin", charts: &[chart::MARGIN] };

/// The margin is at most the largest there is, rounding aside.
const fn margin(step: u64, at_least: f32) -> Expect {
    Expect::Median { measure: Measure::Margin, step, between: (at_least, 1.001) }
}

pub(super) const PRESETS: &[Preset] = &[
    Preset {
        slug: "parity-margin",
        name: "Parity of 3 bits: the margin that theory predicts",
        group: &GROUP,
        link: "#v1/sparse-parity?model=power-net&opt=adam&n=10&data=cube&lr=0.01&loss=ce&batch=0&steps=800&halt=steps&every=10&speed=200&show=accuracy.strongest.margin",
        claim: "After about a hundred steps the network classifies all inputs correctly. Then the weights on the irrelevant bits shrink, and the margin comes close to the largest possible margin, γ* = 0.530.",
        source: "Edelman 2024, theorem 7.8 (Morwani et al. 2023)",
        instance: "As in the source: all 2^10 inputs, cross-entropy, the penalty on ‖ω‖^(k+1). Our choices: (n, k) = (10, 3) instead of (10, 4), 24 neurons, λ = 0.01 and Adam instead of gradient descent.",
        expect: &[
            Expect::Reaches {
                measure: Measure::TestAccuracy,
                at_least: 1.0,
                steps: (1, 300),
                share: (0.9, 1.0),
            },
            margin(800, 0.97),
        ],
        budget: 800,
        ..QUICK
    },
    Preset {
        slug: "parity-margin-4",
        name: "Parity of 4 bits, by gradient descent",
        group: &GROUP,
        link: "#v1/sparse-parity?model=power-net&n=10&k=4&data=cube&width=40&degree=4&loss=ce&batch=0&steps=4000&halt=steps&every=20&speed=1000&show=accuracy.strongest.margin",
        claim: "At the end every z^4 neuron has weights on the 4 relevant bits only, and the margin is within one per cent of the largest possible margin, γ* = 0.607.",
        source: "Edelman 2024, theorem 7.8 and figure 7.5",
        instance: "The settings of figure 7.5, with λ = 0.01 instead of 0.001. With this λ, 4,000 steps are enough instead of 30,000.",
        expect: &[margin(4_000, 0.98)],
        budget: 4_000,
        time: "A few seconds on one processor core.",
    },
    Preset {
        slug: "parity-margin-full",
        name: "Figure 7.5: parity of 4 bits, 30,000 steps",
        group: &GROUP,
        link: "#v1/sparse-parity?model=power-net&n=10&k=4&data=cube&width=40&degree=4&lambda=0.001&loss=ce&batch=0&steps=30000&halt=steps&every=100&speed=0&show=accuracy.strongest.margin",
        claim: "The penalty is a tenth of the penalty in “Parity of 4 bits, by gradient descent”. Therefore the margin approaches the same value as in that run, but about ten times as slowly.",
        source: "Edelman 2024, figure 7.5 and appendix D.2.2",
        instance: "Full size: z^4, 40 neurons, λ = 0.001, learning rate 0.1, all 1,024 inputs at every step; the initial distribution and the exponent of the penalty are our choices, because the thesis does not state them.",
        expect: &[margin(30_000, 0.98)],
        budget: 30_000,
        time: "Under a minute on one processor core.",
    },
];
