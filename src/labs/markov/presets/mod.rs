//! Networks on Markov chains in context: chapter 8 of the thesis and appendix E (Edelman et al. 2024).
//!
//! Bands are those of twenty seeds each, on the processor's loop. Appendix E.2 of the thesis states learning rates:
//! 3e-5, and 3e-2 for 3-grams. With the first the network of the first preset stays at the uniform strategy for all its
//! steps, so rates are ours.

mod alignment;
mod experiments;

use vivarium_science::markov::ChainMeasure as Of;
use vivarium_science::markov::Strategy::{Bigram, Trigram, Uniform, Unigram};
use vivarium_view::presets::{
    ALL_REPLICAS, Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup, expect_learned,
    expect_not_learned,
};

/// Every preset of the lab on Markov chains, in the order of the menu; the inner lists are its groups.
pub const PRESETS: &[&[Preset]] = &[INDUCTION, BY_HAND, alignment::PRESETS, DISTRIBUTIONS];

/// Group of presets of transformers in which an induction head forms (figures 8.1 to 8.3, 8.5 and E.3 to E.8 of Edelman
/// 2024).
const INDUCTION_GROUP: PresetGroup =
    PresetGroup { slug: "induction", name: "An induction head forms", charts: &[] };

/// Group of presets with an induction head set by hand and with the minimal model in theory (figures 8.3, 8.4b and E.1,
/// and proposition 8.2, of Edelman 2024).
const BY_HAND_GROUP: PresetGroup =
    PresetGroup { slug: "by-hand", name: "The induction head by hand and in theory", charts: &[] };

/// Group of presets on other distributions of Markov chains than uniformly drawn rows (figures 8.4a and E.6 of Edelman
/// 2024).
const DISTRIBUTIONS_GROUP: PresetGroup =
    PresetGroup { slug: "laws", name: "Other kinds of chains", charts: &[] };

/// Expects the median of a measure over the networks at step `step` to be in the interval `between`.
const fn expect_median(measure: ExpectedMeasure, step: u64, between: (f32, f32)) -> Expectation {
    Expectation::Median { measure, step, between }
}

/// Expects the median of the network's KL divergence from the truth, divided by that of the bigram strategy, at step
/// `step` to be in the interval `between`.
const fn expect_over_bigrams(step: u64, between: (f32, f32)) -> Expectation {
    expect_median(ExpectedMeasure::OverLine(Bigram), step, between)
}

/// Expects the previous-token score (mean attention on the preceding symbol, of the head where it is largest) at step
/// `step` to be in the interval `between`.
const fn expect_previous_score(step: u64, between: (f32, f32)) -> Expectation {
    expect_median(ExpectedMeasure::Chain(Of::Previous), step, between)
}

/// Expects the induction score (attention from the last symbol to what followed its earlier occurrences, the largest
/// over the heads outside the first layer) at step `step` to be in the interval `between`.
const fn expect_induction_score(step: u64, between: (f32, f32)) -> Expectation {
    expect_median(ExpectedMeasure::Chain(Of::Induction), step, between)
}

/// Expects the share of networks whose predictions are nearest to the uniform, then the unigram, then the bigram
/// strategy, and to no other, to be in `share`.
const fn expect_three_stages(share: (f64, f64)) -> Expectation {
    Expectation::Stages { stages: &[Uniform, Unigram, Bigram], share }
}

/// Presets of transformers that learn Markov chains in stages, and of some that do not.
const INDUCTION: &[Preset] = &[
    Preset {
        slug: "induction",
        name: "An induction head forms",
        group: &INDUCTION_GROUP,
        link: "#v1/markov",
        claim: "The KL divergence to the true distribution falls to the KL of the unigram strategy, changes little for a while, and falls again while the first layer learns to attend to the previous symbol.",
        source: "Edelman 2024, section 8.2 and figures 8.1 and 8.2",
        experiment: Some(&experiments::TRANSFORMER),
        remarks: "With the learning rate of the source, 0.00003, the KL does not leave the KL of the uniform strategy within the steps of this run.",
        expectations: &[
            expect_three_stages((0.8, 1.0)),
            expect_learned(0.5, (150, 400), ALL_REPLICAS),
            expect_previous_score(400, (0.95, 1.0)),
            expect_induction_score(400, (0.85, 1.0)),
            expect_median(ExpectedMeasure::Truth, 400, (0.02, 0.034)),
            expect_over_bigrams(400, (1.0, 1.8)),
        ],
        max_steps: 400,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "induction-slow",
        name: "A smaller learning rate: hidden progress on the plateau",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?lr=0.002&steps=700&show=kl.strategies.scores.distances",
        claim: "While the loss falls only slowly, the first layer already gives more weight to symbols at odd distances than to symbols at even distances. The loss does not show this progress.",
        source: "Edelman 2024, section 8.3.2 and figures 8.3 and E.7",
        experiment: Some(&experiments::TRANSFORMER),
        expectations: &[
            expect_median(ExpectedMeasure::OddOverEven, 240, (1.02, 3.0)),
            expect_median(ExpectedMeasure::Chain(Of::Previous), 200, (0.02, 0.3)),
            expect_learned(0.5, (300, 700), (0.85, 1.0)),
            expect_over_bigrams(700, (1.0, 1.9)),
        ],
        max_steps: 700,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "induction-k3",
        name: "Chains with three symbols",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?k=3&steps=600",
        claim: "With three symbols, the KL of the network has a plateau near the KL of the unigram strategy, and this plateau is flatter than with two symbols. After the plateau the KL of the network falls as suddenly as with two symbols.",
        source: "Edelman 2024, section 8.2 and figure 8.3",
        experiment: Some(&experiments::TRANSFORMER),
        expectations: &[
            expect_three_stages((0.75, 1.0)),
            expect_learned(0.5, (180, 400), ALL_REPLICAS),
            expect_previous_score(600, (0.95, 1.0)),
            expect_over_bigrams(600, (1.3, 1.9)),
        ],
        max_steps: 600,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "induction-k3-slow",
        name: "Chains with three symbols: a long plateau",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?k=3&lr=0.002&steps=1000",
        claim: "With a learning rate of 0.002, the KL of the network stays near the KL of the unigram strategy until about step 400. Then the KL of the network falls a second time, less steeply than the first time.",
        source: "Edelman 2024, figures 8.1 and 8.3",
        experiment: Some(&experiments::TRANSFORMER),
        expectations: &[
            expect_three_stages((0.9, 1.0)),
            expect_median(ExpectedMeasure::OverLine(Unigram), 240, (0.95, 1.1)),
            expect_learned(0.5, (400, 800), ALL_REPLICAS),
            expect_over_bigrams(1_000, (1.3, 1.9)),
        ],
        max_steps: 1_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "induction-norm",
        name: "An induction head with the settings of the authors' code",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?k=3&t=100&norm=pre&std=0.02&lr=0.002&wd=0.1&batch=64&steps=800",
        claim: "An induction head also forms in a network with layer norms and output projections. At the end the KL is 1.5 to 2.1 times the KL of the bigram strategy.",
        source: "Edelman 2024, section 8.2.3 and appendix E.2, with the layer norms, projections and weight decay of the authors' code",
        experiment: Some(&experiments::TRANSFORMER),
        remarks: "The layer norms, the output projections, the initial distribution and the weight decay are those of the authors' code, which also has dropout.",
        expectations: &[
            expect_three_stages((0.9, 1.0)),
            expect_learned(0.5, (250, 550), ALL_REPLICAS),
            expect_over_bigrams(800, (1.5, 2.1)),
        ],
        max_steps: 800,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "induction-k4",
        name: "Chains with four symbols, contexts of 200 symbols",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?k=4&t=200&lr=0.003&batch=64&steps=800",
        claim: "With four symbols and contexts of 200 symbols, the KL of the network has a plateau at the KL of the unigram strategy before it falls a second time. The thesis reports a plateau for shorter contexts too, but there the KLs of the unigram and the bigram strategy differ too little to show which strategy the plateau belongs to.",
        source: "Edelman 2024, figure E.4",
        experiment: Some(&experiments::FIGURE_E_4),
        expectations: &[
            expect_three_stages((0.8, 1.0)),
            expect_learned(0.5, (250, 700), (0.9, 1.0)),
            expect_over_bigrams(800, (1.8, 2.6)),
        ],
        max_steps: 800,
        duration_note: "About fifteen seconds on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "induction-seeds",
        name: "An induction head with twenty seeds",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?seed=1&replicas=20&show=kl.strategies.scores.distances",
        claim: "With at least nineteen of the twenty seeds, the KL gets half-way from the KL of the unigram strategy to the KL of the bigram strategy within 400 steps. The step at which this happens differs between seeds.",
        source: "Edelman 2024, figure E.3",
        experiment: Some(&experiments::TRANSFORMER),
        departures: &[("seeds", "10", "20")],
        expectations: &[expect_learned(0.5, (120, 400), (0.95, 1.0)), expect_over_bigrams(400, (1.0, 2.1))],
        max_steps: 400,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "one-layer",
        name: "One layer is not enough for bigrams",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?heads=1&steps=1500&speed=200",
        claim: "A network with a single layer learns unigrams. In 1,500 steps its KL does not get half-way from the KL of the unigram strategy to the KL of the bigram strategy.",
        source: "Edelman 2024, figure E.8",
        experiment: Some(&experiments::FIGURE_E_8),
        remarks: "The source trains eight times longer than its two-layer network; this run has about four times as many steps as “An induction head forms”.",
        expectations: &[
            expect_not_learned(0.5, 1_500),
            expect_median(ExpectedMeasure::OverLine(Unigram), 1_500, (0.8, 1.0)),
        ],
        max_steps: 1_500,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "one-layer-absolute",
        name: "One layer, absolute positions",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?heads=1&pos=absolute&steps=1500&speed=200",
        claim: "With absolute positions (one vector for each position) instead of relative positions (one vector for each distance), a network with a single layer does not learn bigrams either.",
        source: "Edelman 2024, figure E.8",
        experiment: Some(&experiments::FIGURE_E_8),
        expectations: &[
            expect_not_learned(0.5, 1_500),
            expect_median(ExpectedMeasure::OverLine(Unigram), 1_500, (0.85, 1.05)),
        ],
        max_steps: 1_500,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "one-layer-mlp",
        name: "One layer with an MLP",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?heads=1&mlp=on&steps=1500&speed=200",
        claim: "This network has one attention layer and then an MLP. Its KL falls a little below the KL of the unigram strategy, but not half-way to the KL of the bigram strategy.",
        source: "Edelman 2024, figure E.8",
        experiment: Some(&experiments::FIGURE_E_8),
        remarks: "The MLP has 64 neurons, which is our choice. In our runs the final KL is about a fifth below the KL of the unigram strategy; in figure E.8 of the thesis, the final KL is not notably below this value.",
        expectations: &[
            expect_not_learned(0.5, 1_500),
            expect_median(ExpectedMeasure::OverLine(Unigram), 1_500, (0.7, 0.95)),
        ],
        max_steps: 1_500,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "absolute",
        name: "Two layers, absolute positions",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?pos=absolute&steps=1500&speed=200",
        claim: "With absolute positions the first layer has to learn separately for each position which position comes before it. Depending on the seed, two layers with absolute positions need about five times as many steps as with relative positions, or they do not learn bigrams in 1,500 steps.",
        source: "Elhage et al. 2021 and Olsson et al. 2022 use absolute positions; Edelman 2024, figure E.8, uses them with one layer",
        experiment: Some(&experiments::TRANSFORMER),
        remarks: "The thesis has no run of two layers with absolute positions.",
        expectations: &[expect_learned(0.5, (700, 1_500), (0.2, 0.9)), expect_not_learned(0.8, 1_500)],
        max_steps: 1_500,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "trigrams",
        name: "Trigrams in four stages",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?t=100&gram=3&d=48&heads=3.3&lr=0.003&batch=64&steps=600",
        claim: "Each symbol depends on the two previous symbols. A network with three heads in each layer goes through four stages in at least fourteen of twenty runs: its predictions are close first to the uniform strategy, then to unigrams, then to bigrams, and finally to trigrams.",
        source: "Edelman 2024, section 8.3.3 and figure 8.5",
        experiment: Some(&experiments::FIGURE_8_5),
        expectations: &[
            Expectation::Stages { stages: &[Uniform, Unigram, Bigram, Trigram], share: (0.7, 1.0) },
            expect_learned(0.5, (200, 600), (0.85, 1.0)),
            expect_median(ExpectedMeasure::OverLine(Trigram), 600, (1.2, 2.2)),
        ],
        max_steps: 600,
        duration_note: "About ten seconds on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "trigrams-two-and-one",
        name: "Trigrams: two heads in layer 1, one in layer 2",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?t=100&gram=3&d=32&heads=2.1&lr=0.003&batch=64&steps=1000",
        claim: "Two heads in the first layer and one head in the second layer are enough to learn trigrams: the first layer has one head for each of the two previous symbols.",
        source: "Edelman 2024, section 8.3.3",
        experiment: Some(&experiments::FIGURE_8_5),
        remarks: "The thesis contains no run with these heads. With most seeds, but not with all seeds, the network learns trigrams.",
        expectations: &[expect_learned(0.5, (300, 1_000), (0.5, 1.0))],
        max_steps: 1_000,
        duration_note: "About ten seconds on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "trigrams-one-head",
        name: "Trigrams with one head: the network learns only bigrams",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?t=100&gram=3&lr=0.003&batch=64&steps=1500&speed=100",
        claim: "With a single head in each layer, the KL of the network falls to about the KL of the bigram strategy and stays there until the last step.",
        source: "Edelman 2024, section 8.3.3",
        experiment: Some(&experiments::SINGLE_HEADS),
        expectations: &[
            expect_not_learned(0.5, 1_500),
            Expectation::Stages { stages: &[Uniform, Unigram, Bigram], share: (0.7, 1.0) },
            expect_median(ExpectedMeasure::OverLine(Bigram), 1_500, (0.85, 1.1)),
        ],
        max_steps: 1_500,
        duration_note: "About ten seconds on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "no-attention",
        name: "Without attention: an MLP on the current symbol",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?model=own&net=embed~32;mlp~128;read&lr=0.003&show=kl.strategies.next",
        claim: "A network without attention sees only the current symbol. Averaged over all chains, the next symbol equals the current symbol only a little more often than not. So the current symbol helps only a little: at step 400 the KL of the network is 0.90 to 0.95 of the KL of the uniform strategy.",
        source: "Our control, compared with Edelman 2024, section 8.2",
        remarks: "The layers are in the settings. Insert “positions”, “attention 2” and “attention 2” after “embed 32”, and the KL falls below 0.1 within 400 steps.",
        expectations: &[
            expect_median(ExpectedMeasure::OverLine(Uniform), 400, (0.9, 0.95)),
            expect_not_learned(0.2, 400),
        ],
        max_steps: 400,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "recurrent",
        name: "Without attention: a recurrent network (GRU)",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?model=own&net=embed~16;gru~32;read&lr=0.01&show=kl.strategies.next",
        claim: "This network has no attention. It reads the symbols one after the other and keeps only the 32 numbers of its state. The network learns in the same stages as the transformer: its predictions are nearest to the uniform strategy, then to the unigram strategy, then to the bigram strategy. At step 400 its KL is 1.0 to 1.6 times the KL of the bigram strategy.",
        source: "Our variation of Edelman 2024, section 8.2, with gated recurrent units after Cho et al. 2014",
        remarks: "An induction head is therefore not the only way to count what followed what. Our choices: 32 units, embeddings of 16 components, learning rate 0.01.",
        expectations: &[
            expect_three_stages((0.8, 1.0)),
            expect_learned(0.5, (40, 200), ALL_REPLICAS),
            expect_over_bigrams(400, (1.0, 1.6)),
        ],
        max_steps: 400,
        ..PRESET_DEFAULTS
    },
];

/// Presets with a transformer whose induction head is set by hand, and with the minimal model, whose training has a
/// theory.
const BY_HAND: &[Preset] = &[
    Preset {
        slug: "induction-by-hand",
        name: "The induction head, written by hand",
        group: &BY_HAND_GROUP,
        link: "#v1/markov?d=6&from=circuit&steps=1&show=kl.scores.map.next",
        claim: "The weights of this network are written by hand, not trained. With these weights the network counts bigrams. With a larger sharpness c, more of the attention is on the symbols that the induction head uses.",
        source: "Edelman 2024, proposition 8.2",
        remarks: "As in the source: d = 3k. The logits are the counted frequencies of the next symbols times a constant a, not the logarithms of these frequencies. Therefore the KL of the network is one and a half to two times the KL of the bigram strategy.",
        expectations: &[
            expect_previous_score(0, (0.98, 1.0)),
            expect_induction_score(0, (0.96, 1.0)),
            expect_over_bigrams(0, (1.4, 2.1)),
        ],
        max_steps: 1,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "minimal",
        name: "The minimal model: diagonal W, alternating v",
        group: &BY_HAND_GROUP,
        link: "#v1/markov?model=minimal-markov&opt=sgd&t=100&lr=0.002&batch=64&steps=1500&every=10&speed=200&show=kl.strategies.kernel.lags",
        claim: "In this model a matrix W and a vector v replace the two layers. W is larger on the diagonal than elsewhere from step 1 on. v changes slowly, but by step 5 the largest entry of v is at distance 1, and by step 10 the entries at distances 1, 3 and 5 are larger than those at the even distances before them. This order is the same with all twenty seeds that we tried. At step 20 the entry at distance 1 exceeds the other entries by about 3 %, and at step 300 by about half.",
        source: "Edelman 2024, equation 8.8 and figures 8.3 and 8.4b",
        experiment: Some(&experiments::FIGURE_8_4B),
        remarks: "The logits are linear in the counts, so the KL of the model does not fall to the KL of the bigram strategy.",
        expectations: &[
            expect_median(ExpectedMeasure::Diagonal, 100, (3.0, 12.0)),
            Expectation::Reaches {
                measure: ExpectedMeasure::FirstDistance,
                at_least: 1.02,
                steps: (1, 20),
                share: ALL_REPLICAS,
            },
            Expectation::Reaches {
                measure: ExpectedMeasure::OddOverEven,
                at_least: 1.002,
                steps: (1, 20),
                share: ALL_REPLICAS,
            },
            expect_median(ExpectedMeasure::FirstDistance, 300, (1.4, 1.7)),
            expect_median(ExpectedMeasure::OddOverEven, 300, (1.1, 20.0)),
            expect_learned(0.5, (800, 1_200), ALL_REPLICAS),
            expect_median(ExpectedMeasure::Truth, 1_250, (0.028, 0.038)),
        ],
        max_steps: 1_500,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "minimal-theory",
        name: "Theory of two steps of gradient descent",
        group: &BY_HAND_GROUP,
        link: "#v1/markov?model=minimal-markov&opt=sgd&t=100&w0=0.02&lr=0.002&batch=64&steps=500&show=kl.kernel.lags.theory",
        claim: "After one step the diagonal entries of W are larger than the other entries of W, and the entries of v decrease with the distance. After the second step v is larger at distance 1 than at distance 0.",
        source: "Edelman 2024, lemma 8.4 and figures E.1 and E.2",
        remarks: "Full size: all entries of W and v start at 0.02. The theory uses the margin loss, which is linear in the logits at the start of training; the run trains on the cross-entropy.",
        expectations: &[
            expect_median(ExpectedMeasure::Diagonal, 100, (1.0, 10.0)),
            expect_median(ExpectedMeasure::OverLine(Unigram), 100, (1.0, 1.8)),
        ],
        max_steps: 500,
        ..PRESET_DEFAULTS
    },
];

/// Presets on other kinds of chains: networks that are tested on several kinds, or trained on doubly stochastic chains.
const DISTRIBUTIONS: &[Preset] = &[
    Preset {
        slug: "other-chains",
        name: "A transformer tested on three kinds of Markov chains",
        group: &DISTRIBUTIONS_GROUP,
        link: "#v1/markov?k=3&seed=2&steps=600&show=kl.strategies.scores.others",
        claim: "On the plateau, the KL is small on sequences of independent symbols, but on doubly stochastic chains the KL is about as large as the KL of the uniform strategy. After the plateau, the KL falls on doubly stochastic chains and stays the same on independent symbols.",
        source: "Edelman 2024, figure E.6",
        experiment: Some(&experiments::TRANSFORMER),
        expectations: &[
            expect_median(ExpectedMeasure::Chain(Of::OnIndependent), 150, (0.05, 0.09)),
            expect_median(ExpectedMeasure::Chain(Of::OnDoubly), 150, (0.19, 0.26)),
            expect_median(ExpectedMeasure::Chain(Of::OnDoubly), 600, (0.06, 0.09)),
            expect_median(ExpectedMeasure::Chain(Of::OnIndependent), 600, (0.05, 0.09)),
        ],
        max_steps: 600,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "other-chains-minimal",
        name: "The minimal model tested on three kinds of Markov chains",
        group: &DISTRIBUTIONS_GROUP,
        link: "#v1/markov?model=minimal-markov&opt=sgd&t=100&lr=0.002&batch=64&seed=2&steps=1500&every=10&speed=200&show=kl.strategies.others.lags",
        claim: "The minimal model also learns independent symbols first: when the KL on independent symbols has fallen by half, the KL on doubly stochastic chains is still near the KL of the uniform strategy.",
        source: "Edelman 2024, figure E.6",
        experiment: Some(&experiments::MINIMAL),
        expectations: &[
            expect_median(ExpectedMeasure::Chain(Of::OnIndependent), 100, (0.05, 0.1)),
            expect_median(ExpectedMeasure::Chain(Of::OnDoubly), 100, (0.12, 0.22)),
            expect_median(ExpectedMeasure::Chain(Of::OnDoubly), 1_250, (0.0, 0.06)),
        ],
        max_steps: 1_500,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "doubly-stochastic",
        name: "Trained on doubly stochastic chains",
        group: &DISTRIBUTIONS_GROUP,
        link: "#v1/markov?k=4&t=100&data=ds&norm=pre&std=0.02&lr=0.002&wd=0.1&batch=64&steps=1000",
        claim: "In doubly stochastic chains all symbols are equally frequent. With most seeds the network learns bigrams, although unigrams do not help on its training sequences. With some seeds the network does not learn bigrams within 1,000 steps.",
        source: "Edelman 2024, figure 8.4a",
        experiment: Some(&experiments::FIGURE_8_4A),
        remarks: "The layer norms, the output projections, the initial distribution and the weight decay are those of the authors' code.",
        expectations: &[expect_learned(0.5, (200, 1_000), (0.6, 1.0))],
        max_steps: 1_000,
        duration_note: "About ten seconds on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "doubly-stochastic-mixed",
        name: "Trained on a mixture with independent symbols",
        group: &DISTRIBUTIONS_GROUP,
        link: "#v1/markov?k=4&t=100&data=mixture&norm=pre&std=0.02&lr=0.002&wd=0.1&batch=64&steps=2000",
        claim: "If half of the training sequences have independent symbols, the KL has a plateau at the KL of the unigram strategy. Each step then has only half as many doubly stochastic sequences, so more steps do not mean that the network needs more of these sequences. Figure 8.4a of the thesis counts doubly stochastic sequences; “Does learning unigrams delay learning bigrams?” compares by this number.",
        source: "Edelman 2024, figure 8.4a",
        experiment: Some(&experiments::FIGURE_8_4A),
        remarks: "The layer norms, the output projections, the initial distribution and the weight decay are those of the authors' code.",
        expectations: &[
            expect_median(ExpectedMeasure::OverLine(Unigram), 500, (0.95, 1.1)),
            expect_learned(0.5, (500, 2_000), (0.5, 0.95)),
        ],
        max_steps: 2_000,
        duration_note: "About twenty seconds on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "unigrams-in-the-way",
        name: "Does learning unigrams delay learning bigrams? Forty seeds each",
        group: &DISTRIBUTIONS_GROUP,
        link: "#v1/markov?k=4&t=100&data=mixture&norm=pre&std=0.02&lr=0.002&wd=0.1&batch=64&replicas=40&steps=2000&every=25&sweep=mix:0.5_1&show=times.kl",
        claim: "One group of networks trains only on doubly stochastic sequences; in the second group half of the sequences are doubly stochastic and half have independent symbols. To learn bigrams, the median network of the first group needs somewhat fewer doubly stochastic sequences. If we compare each network of the first group with each network of the second group, the network of the first group needs fewer of these sequences in about two of three pairs. In both groups, a fifth to a third of the networks do not learn bigrams.",
        source: "Edelman 2024, figure 8.4a, which shows no seeds",
        experiment: Some(&experiments::FIGURE_8_4A),
        remarks: "The layer norms, the output projections, the initial distribution and the weight decay are those of the authors' code. In a comparison with three symbols and twenty seeds, we found no difference between these two kinds of training.",
        expectations: &[
            Expectation::MedianTime { series: 0, at: 0, between: (750, 1_250) },
            Expectation::MedianTime { series: 0, at: 1, between: (275, 550) },
            Expectation::Solved { series: 0, at: 0, share: (0.6, 0.95) },
            Expectation::Solved { series: 0, at: 1, share: (0.6, 0.98) },
            Expectation::FasterPairs { at: 1, than: 0, share: 0.56 },
        ],
        max_steps: 2_000,
        duration_note: "About half an hour on one processor core.",
        ..PRESET_DEFAULTS
    },
];
