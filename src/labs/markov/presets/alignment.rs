//! Presets on the alignment of layers: how the learning of one layer depends on the other layer.

use super::{expect_median, experiments};
use vivarium_view::presets::{
    ALL_REPLICAS, Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup, expect_learned,
};

/// Group of presets on the alignment of layers (section 8.1, the fourth finding, and section 8.3.2 of Edelman 2024).
const GROUP: PresetGroup =
    PresetGroup { slug: "alignment", name: "One layer given, the other layer learned", charts: &[] };

/// Presets in which one layer begins at the weights of the induction head, or layers of different steps are combined.
pub(super) const PRESETS: &[Preset] = &[
    Preset {
        slug: "layer-given-minimal",
        name: "One layer of the minimal model is given",
        group: &GROUP,
        link: "#v1/markov?model=minimal-markov&opt=sgd&t=100&v0=0.005&lr=0.001&batch=64&replicas=3&steps=1200&sweep=from:constant_layer1_layer2&series=trained:all_layer1_layer2&speed=0&show=times.sweep.kl",
        claim: "From constant weights, the model learns bigrams in about 1,000 steps, if W and v are both trained, and not at all if only one of them is. If v begins with all its weight at distance 1, W needs 10 steps; if W begins as the identity matrix, v needs about 30 steps. So each layer is learned quickly once the other layer is right. The given layer need not be trained.",
        source: "Edelman 2024, section 8.1 (alignment of layers) and fact 8.3",
        remarks: "The thesis finds that the signal for the first layer depends on the second layer, and reports no run in which one layer is given. The learning rate and the entries of the initial v are smaller than in the thesis. With the values of the thesis, none of ten networks that began with W as the identity matrix reached the target in 1,500 steps.",
        expectations: &[
            Expectation::MedianTime { series: 0, at: 0, between: (900, 1_100) },
            Expectation::MedianTime { series: 0, at: 1, between: (5, 15) },
            Expectation::MedianTime { series: 0, at: 2, between: (20, 40) },
            Expectation::Solved { series: 1, at: 0, share: (0.0, 0.0) },
            Expectation::Solved { series: 1, at: 1, share: (0.0, 0.0) },
            Expectation::MedianTime { series: 1, at: 2, between: (20, 40) },
            Expectation::Solved { series: 2, at: 0, share: (0.0, 0.0) },
            Expectation::MedianTime { series: 2, at: 1, between: (5, 15) },
            Expectation::Solved { series: 2, at: 2, share: (0.0, 0.0) },
        ],
        max_steps: 1_200,
        duration_note: "About half a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "layer-given",
        name: "One layer of the transformer is given",
        group: &GROUP,
        link: "#v1/markov?d=6&from=layer1&c=10&replicas=3&steps=1000&sweep=from:embedding_layer1_layer2&series=trained:layers_layer1_layer2&speed=0&show=times.sweep.kl",
        claim: "Embedding and read-out are those of the induction head and stay fixed. From two random layers, the transformer learns bigrams in about 300 steps. If one of the layers begins at the weights of the induction head and both are trained, about 200 steps are enough. If the first layer is given, training the second layer alone is enough. If the second layer is given, training the first layer alone is not: the KL stays between the KL of the unigram strategy and the KL of the bigram strategy.",
        source: "Edelman 2024, section 8.1 (alignment of layers) and proposition 8.2",
        remarks: "The thesis reports no run in which one layer is given. The sharpness c = 10 is ours; with c = 3, 5 and 20, too, no first layer alone reached the target within 1,000 steps.",
        expectations: &[
            Expectation::MedianTime { series: 0, at: 0, between: (260, 420) },
            Expectation::MedianTime { series: 0, at: 1, between: (110, 230) },
            Expectation::MedianTime { series: 0, at: 2, between: (130, 270) },
            Expectation::Solved { series: 1, at: 0, share: (0.0, 0.0) },
            Expectation::Solved { series: 1, at: 1, share: (0.0, 0.0) },
            Expectation::Solved { series: 1, at: 2, share: (0.0, 0.05) },
            Expectation::Solved { series: 2, at: 0, share: (0.0, 0.0) },
            Expectation::MedianTime { series: 2, at: 1, between: (130, 300) },
            Expectation::Solved { series: 2, at: 2, share: (0.0, 0.0) },
        ],
        max_steps: 1_000,
        duration_note: "About a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "layers-swapped",
        name: "Which layer is learned first?",
        group: &GROUP,
        link: "#v1/markov?model=minimal-markov&opt=sgd&t=100&lr=0.002&batch=64&steps=1500&every=50&speed=200&show=kl.gradients.swaps.lags",
        claim: "The grid combines v of one step with W of another step. W of step 200 with v of step 1,000 predicts almost as well as both of step 1,000. With v of step 200, no W predicts well. So W, the second layer, is learned first. At step 0 the gradient for v is zero, because W is zero.",
        source: "Edelman 2024, section 8.3.2 and lemma 8.4",
        experiment: Some(&experiments::FIGURE_8_4B),
        remarks: "The thesis concludes this from the gradients at the start and combines no layers. The entries of W grow during training, so an early v with a late W also gives logits that are too large.",
        expectations: &[
            expect_learned(0.5, (800, 1_200), ALL_REPLICAS),
            expect_median(ExpectedMeasure::Diagonal, 100, (3.0, 12.0)),
        ],
        max_steps: 1_500,
        ..PRESET_DEFAULTS
    },
];
