//! Chapter 4: what one layer of attention learns from few examples.

use crate::presets::{Expect, Measure, Preset, PresetGroup, QUICK, learns};

/// Every preset of the lab, in the order of the menu.
pub const PRESETS: &[&[Preset]] = &[ALL_OF_THEM];

/// Figures 4.2 to 4.4.
const GROUP: PresetGroup =
    PresetGroup { slug: "variables", name: "What attention learns from few samples", charts: &[] };

const ALL_OF_THEM: &[Preset] = &[
    Preset {
        slug: "and-enough",
        name: "AND of 3 bits among 100, from 100 examples",
        group: &GROUP,
        link: "#v1/sparse-boolean?steps=250&halt=steps&every=10&held=512",
        claim: "The transformer fits its 100 examples and learns the conjunction: training accuracy and held-out accuracy rise together.",
        source: "Edelman 2024, figure 4.3 (left)",
        instance: "Kept: one layer, 16 heads, embedding 64, layer norm, full-batch Adam with learning rate 0.001 and weight decay 0.0001. Shrunk: 100 bits instead of 300, 100 examples instead of 200, 250 iterations instead of 1,000; no dropout. Dropout hardly matters here, and without dropout the seed determines the run.",
        expect: &[
            learns(0.99, (20, 250), (0.7, 1.0)),
            Expect::Median { measure: Measure::TrainAccuracy, step: 250, between: (0.999, 1.001) },
        ],
        budget: 250,
        ..QUICK
    },
    Preset {
        slug: "and-too-few",
        name: "AND of 3 bits, from 20 examples: only memorisation",
        group: &GROUP,
        link: "#v1/sparse-boolean?m=20&steps=250&halt=steps&every=10&held=512",
        claim: "The network also fits a sample of 20 examples, but it does not learn the conjunction. If there are fewer examples than a threshold, the network overfits.",
        source: "Edelman 2024, figure 4.3 (left)",
        instance: "As in “AND of 3 bits among 100, from 100 examples”, with 20 examples. The thesis uses 300 bits and 50 examples.",
        expect: &[
            Expect::Median { measure: Measure::TrainAccuracy, step: 250, between: (0.999, 1.001) },
            learns(0.99, (0, 250), (0.0, 0.1)),
            Expect::Median { measure: Measure::TestAccuracy, step: 250, between: (0.5, 0.85) },
        ],
        budget: 250,
        ..QUICK
    },
    Preset {
        slug: "and-threshold",
        name: "How many examples are enough to learn an AND?",
        group: &GROUP,
        link: "#v1/sparse-boolean?tries=5&replicas=25&steps=250&every=10&held=512&sweep=m:20_30_40_50_60_80&series=n:25_50_100_200&speed=0&show=accuracy.enough",
        claim: "For a context length T that is eight times as large, the network needs only two or three times as many examples: the threshold grows like log T, not like T.",
        source: "Edelman 2024, figure 4.2 and corollary 4.9",
        instance: "Kept: the architecture, the best of 5 restarts per sample, success above 99 % accuracy, a threshold at 80 % of the trials, a new sample in place of every sample that also fits another conjunction. Shrunk: 25 to 200 bits instead of 100 to 1,100, 5 trials per point instead of 40, 250 iterations instead of 1,000; no dropout.",
        expect: &[
            Expect::Threshold { series: 0, between: (20.0, 40.0) },
            Expect::Threshold { series: 1, between: (30.0, 60.0) },
            Expect::Threshold { series: 2, between: (40.0, 60.0) },
            Expect::Threshold { series: 3, between: (40.0, 80.0) },
            Expect::Solved { series: 0, at: 3, share: (0.8, 1.0) },
            Expect::Solved { series: 3, at: 0, share: (0.0, 0.2) },
            Expect::Solved { series: 3, at: 5, share: (0.8, 1.0) },
        ],
        budget: 250,
        time: "A few minutes on one processor core.",
    },
    Preset {
        slug: "and-looks",
        name: "Most of the attention is on 3 of 50 bits",
        group: &GROUP,
        link: "#v1/sparse-boolean?n=50&s=5.20.30&m=300&heads=1&steps=100&halt=steps&speed=10&show=accuracy.attention.looks",
        claim: "After 50 iterations the single head of this transformer puts most of its attention on bits 5, 20 and 30, and hardly any on the other bits.",
        source: "Edelman 2024, figure 4.3 (right)",
        instance: "Full size: 50 bits, 300 examples, one head of size 64, and the thesis's three bits. Our choice: the attention is measured after 50 iterations instead of 500, because some of the attention moves to other bits later.",
        expect: &[
            learns(0.99, (20, 100), (0.9, 1.0)),
            Expect::Median { measure: Measure::Attention, step: 0, between: (0.03, 0.12) },
            Expect::Median { measure: Measure::Attention, step: 50, between: (0.8, 1.0) },
        ],
        budget: 100,
        ..QUICK
    },
    Preset {
        slug: "layer-norm-matters",
        name: "Layer norm halves the examples needed",
        group: &GROUP,
        link: "#v1/sparse-boolean?n=50&tries=5&replicas=50&steps=250&every=10&held=512&sweep=m:30_50_70_100&series=ln:yes_no&speed=0&show=accuracy.times.sweep",
        claim: "Without layer norm the network needs about twice as many examples as with layer norm.",
        source: "Our experiment, on the architecture of Edelman 2024, appendix A.3.1",
        instance: "50 bits, 10 trials of 5 restarts per point. The thesis keeps minGPT's layer norm and does not study its effect.",
        expect: &[
            Expect::Threshold { series: 0, between: (30.0, 60.0) },
            Expect::Threshold { series: 1, between: (70.0, 110.0) },
            Expect::Solved { series: 0, at: 2, share: (0.8, 1.0) },
            Expect::Solved { series: 1, at: 0, share: (0.0, 0.3) },
        ],
        budget: 250,
        time: "A few minutes on one processor core.",
    },
    Preset {
        slug: "transformer-parity",
        name: "A transformer suddenly finds 3 of 15 bits",
        group: &GROUP,
        link: "#v1/sparse-parity?model=parity-transformer&opt=adam&n=15&heads=8&batch=256&steps=8000&held=1024&speed=0&show=loss.accuracy.looks",
        claim: "The transformer learns a parity. For thousands of steps its accuracy stays at chance, and then it rises to 99 % within a few hundred steps: a phase transition.",
        source: "Edelman 2024, figure 4.4",
        instance: "As in the thesis: 3 of 15 bits, fresh examples, Adam with learning rate 0.001. Our choices: the smaller transformer of chapter 5 without layer norm, hinge loss, batches of 256 instead of 2,048.",
        expect: &[
            learns(0.99, (500, 8_000), (0.7, 1.0)),
            Expect::Median { measure: Measure::TestAccuracy, step: 500, between: (0.45, 0.6) },
        ],
        budget: 8_000,
        time: "About half a minute on one processor core.",
    },
];
