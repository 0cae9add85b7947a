//! Networks on Markov chains in context: chapter 8 of the thesis and appendix E (Edelman et al. 2024).
//!
//! Bands are those of twenty seeds each, on the processor's loop. The thesis leaves steps, initial values and weight
//! decay open, and its learning rate of 3e-5 does not bring its own time line about; so rates and steps are ours.

use crate::markov::Measure as Of;
use crate::markov::Strategy::{Bigram, Trigram, Uniform, Unigram};
use crate::presets::{ALL, Expect, Measure, Preset, PresetGroup, QUICK, learns, never};

/// Every preset of the lab, in the order of the menu.
pub const PRESETS: &[&[Preset]] = &[INDUCTION, BY_HAND, LAWS];

/// Figures 8.1 to 8.3, 8.5 and E.3 to E.8.
const INDUCTION_GROUP: PresetGroup =
    PresetGroup { slug: "induction", name: "An induction head forms", charts: &[] };

/// Figures 8.3, 8.4b and E.1, and proposition 8.2.
const BY_HAND_GROUP: PresetGroup =
    PresetGroup { slug: "by-hand", name: "The circuit, by hand and in theory", charts: &[] };

/// Figures 8.4a and E.6.
const LAWS_GROUP: PresetGroup = PresetGroup { slug: "laws", name: "Other chains", charts: &[] };

/// The median of `measure` over the networks, at step `step`.
const fn median(measure: Measure, step: u64, between: (f32, f32)) -> Expect {
    Expect::Median { measure, step, between }
}

/// KL to the truth over that of the bigram strategy, at step `step`.
const fn over_bigrams(step: u64, between: (f32, f32)) -> Expect {
    median(Measure::OverLine(Bigram), step, between)
}

/// The score of the head that looks at the symbol before most, at step `step`.
const fn previous(step: u64, between: (f32, f32)) -> Expect {
    median(Measure::Chain(Of::Previous), step, between)
}

/// The score of the best induction head, at step `step`.
const fn induction(step: u64, between: (f32, f32)) -> Expect {
    median(Measure::Chain(Of::Induction), step, between)
}

/// Uniform, then unigrams, then bigrams, and nothing else.
const fn three_stages(share: (f64, f64)) -> Expect {
    Expect::Stages { stages: &[Uniform, Unigram, Bigram], share }
}

/// Transformers that learn in stages, and those that do not.
const INDUCTION: &[Preset] = &[
    Preset {
        slug: "induction",
        name: "An induction head forms",
        group: &INDUCTION_GROUP,
        link: "#v1/markov",
        claim: "The loss drops, rests on the line of unigrams, and drops again while the first layer's attention snaps to the symbol before.",
        source: "Edelman 2024, section 8.2 and figures 8.1 and 8.2",
        instance: "Kept: two layers of one head, d = 16, relative positions, no MLP, a fresh chain for every sequence. Shrunk: 50 symbols and batches of 32 instead of 100 and 64; weights from N(0, 0.1²) and a learning rate of 0.005 are ours.",
        expect: &[
            three_stages((0.8, 1.0)),
            learns(0.5, (150, 400), ALL),
            previous(400, (0.95, 1.0)),
            induction(400, (0.85, 1.0)),
            median(Measure::Truth, 400, (0.02, 0.034)),
            over_bigrams(400, (1.0, 1.8)),
        ],
        budget: 400,
        ..QUICK
    },
    Preset {
        slug: "induction-slow",
        name: "The same, slowly: what moves on the plateau",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?lr=0.002&steps=700&show=kl.strategies.scores.distances",
        claim: "While the loss falls only slowly, odd distances already weigh more than even ones: progress that the loss does not show.",
        source: "Edelman 2024, section 8.3.2 and figures 8.3 and E.7",
        instance: "As the preset before, with a learning rate of 0.002.",
        expect: &[
            median(Measure::OddOverEven, 240, (1.02, 3.0)),
            median(Measure::Chain(Of::Previous), 200, (0.02, 0.3)),
            learns(0.5, (300, 700), (0.85, 1.0)),
            over_bigrams(700, (1.0, 1.9)),
        ],
        budget: 700,
        ..QUICK
    },
    Preset {
        slug: "induction-k3",
        name: "Three symbols",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?k=3&steps=600",
        claim: "With three symbols the plateau of unigrams is plainer, and the way down from it as sudden.",
        source: "Edelman 2024, section 8.2 and figure 8.3",
        instance: "As the first of these presets, with three symbols.",
        expect: &[
            three_stages((0.75, 1.0)),
            learns(0.5, (180, 400), ALL),
            previous(600, (0.95, 1.0)),
            over_bigrams(600, (1.3, 1.9)),
        ],
        budget: 600,
        ..QUICK
    },
    Preset {
        slug: "induction-k3-slow",
        name: "Three symbols and a long plateau",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?k=3&lr=0.002&steps=1000",
        claim: "With a slower learning rate the loss stays near the line of unigrams until about step 400. Then it falls a second time, less steeply than at first.",
        source: "Edelman 2024, figures 8.1 and 8.3",
        instance: "As the preset before, with a learning rate of 0.002.",
        expect: &[
            three_stages((0.9, 1.0)),
            median(Measure::OverLine(Unigram), 240, (0.95, 1.1)),
            learns(0.5, (400, 800), ALL),
            over_bigrams(1_000, (1.3, 1.9)),
        ],
        budget: 1_000,
        ..QUICK
    },
    Preset {
        slug: "induction-norm",
        name: "With the settings of the authors' code",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?k=3&t=100&norm=pre&std=0.02&lr=0.002&wd=0.1&batch=64&steps=800",
        claim: "With layer norms and output projections the head forms as well, and comes nearer to the line of bigrams.",
        source: "Edelman 2024, section 8.2.3 and appendix E.2, with the layer norms, projections and weight decay of the authors' code",
        instance: "Kept: 100 symbols, batches of 64, N(0, 0.02²), weight decay 0.1 of the matrices. Ours: no dropout, and a learning rate of 0.002.",
        expect: &[three_stages((0.9, 1.0)), learns(0.5, (250, 550), ALL), over_bigrams(800, (1.5, 2.1))],
        budget: 800,
        ..QUICK
    },
    Preset {
        slug: "induction-k4",
        name: "Four symbols, 200 in a context",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?k=4&t=200&lr=0.003&batch=64&steps=800",
        claim: "With more symbols it takes a longer context for unigrams to be worth learning first; then the plateau is there as well.",
        source: "Edelman 2024, figure E.4",
        instance: "Kept: 200 symbols, batches of 64. The figure does not say how many symbols there are; four, the learning rate and the initial values are ours.",
        expect: &[
            three_stages((0.8, 1.0)),
            learns(0.5, (250, 700), (0.9, 1.0)),
            over_bigrams(800, (1.8, 2.6)),
        ],
        budget: 800,
        time: "About fifteen seconds on one processor core.",
    },
    Preset {
        slug: "induction-seeds",
        name: "Twenty seeds at once",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?seed=1&replicas=20&show=kl.strategies.scores.distances",
        claim: "Every seed goes the same way; when it drops for the second time varies.",
        source: "Edelman 2024, figure E.3",
        instance: "Twenty seeds instead of ten, on the first of these presets.",
        expect: &[learns(0.5, (120, 400), (0.95, 1.0)), over_bigrams(400, (1.0, 2.1))],
        budget: 400,
        ..QUICK
    },
    Preset {
        slug: "one-layer",
        name: "One layer is not enough",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?heads=1&steps=1500&speed=200",
        claim: "A single layer learns unigrams and stays there, however long it trains.",
        source: "Edelman 2024, figure E.8",
        instance: "The first of these presets without its second layer, trained four times as long.",
        expect: &[never(0.5, 1_500), median(Measure::OverLine(Unigram), 1_500, (0.8, 1.0))],
        budget: 1_500,
        ..QUICK
    },
    Preset {
        slug: "one-layer-absolute",
        name: "One layer, absolute positions",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?heads=1&pos=absolute&steps=1500&speed=200",
        claim: "With a vector for each place instead of each distance, one layer does no better.",
        source: "Edelman 2024, figure E.8",
        instance: "As the preset before, with absolute positions.",
        expect: &[never(0.5, 1_500), median(Measure::OverLine(Unigram), 1_500, (0.85, 1.05))],
        budget: 1_500,
        ..QUICK
    },
    Preset {
        slug: "one-layer-mlp",
        name: "One layer with an MLP",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?heads=1&mlp=on&steps=1500&speed=200",
        claim: "An MLP after the one layer helps a little, and never to bigrams.",
        source: "Edelman 2024, figure E.8",
        instance: "As the preset before the last, with an MLP of 64 neurons; at this size it ends a fifth below the line of unigrams, where the figure says not notably below.",
        expect: &[never(0.5, 1_500), median(Measure::OverLine(Unigram), 1_500, (0.7, 0.95))],
        budget: 1_500,
        ..QUICK
    },
    Preset {
        slug: "absolute",
        name: "Two layers, absolute positions",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?pos=absolute&steps=1500&speed=200",
        claim: "Without distances the head that looks back has to be learnt place by place: the same two layers take five times as long, or do not arrive.",
        source: "Elhage et al. 2021 and Olsson et al. 2022 have absolute positions; Edelman 2024, figure E.8, tries them on one layer",
        instance: "The first of these presets with absolute positions.",
        expect: &[learns(0.5, (700, 1_500), (0.2, 0.9)), never(0.8, 1_500)],
        budget: 1_500,
        ..QUICK
    },
    Preset {
        slug: "trigrams",
        name: "Trigrams in four stages",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?t=100&gram=3&d=48&heads=3.3&lr=0.003&batch=64&steps=600",
        claim: "Where a symbol depends on the two before it, three heads in each layer go from nothing by way of unigrams and bigrams to trigrams.",
        source: "Edelman 2024, section 8.3.3 and figure 8.5",
        instance: "Kept: three heads per layer, batches of 64. Shrunk: 100 symbols instead of 200. Two symbols, d = 48 and the learning rate are ours.",
        expect: &[
            Expect::Stages { stages: &[Uniform, Unigram, Bigram, Trigram], share: (0.7, 1.0) },
            learns(0.5, (200, 600), (0.85, 1.0)),
            median(Measure::OverLine(Trigram), 600, (1.2, 2.2)),
        ],
        budget: 600,
        time: "About ten seconds on one processor core.",
    },
    Preset {
        slug: "trigrams-two-and-one",
        name: "Trigrams with two heads and one",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?t=100&gram=3&d=32&heads=2.1&lr=0.003&batch=64&steps=1000",
        claim: "Two heads in the first layer and one in the second already do: one head for each symbol to look back to.",
        source: "Edelman 2024, section 8.3.3",
        instance: "The preset before with fewer heads, which the thesis does not try; most seeds arrive, not all.",
        expect: &[learns(0.5, (300, 1_000), (0.5, 1.0))],
        budget: 1_000,
        time: "About ten seconds on one processor core.",
    },
    Preset {
        slug: "trigrams-one-head",
        name: "Trigrams with one head: stuck at bigrams",
        group: &INDUCTION_GROUP,
        link: "#v1/markov?t=100&gram=3&lr=0.003&batch=64&steps=1500&speed=100",
        claim: "With a single head in each layer the network does no better than bigrams.",
        source: "Edelman 2024, section 8.3.3",
        instance: "As the two presets before, with one head in each layer and d = 16.",
        expect: &[
            never(0.5, 1_500),
            Expect::Stages { stages: &[Uniform, Unigram, Bigram], share: (0.7, 1.0) },
            median(Measure::OverLine(Bigram), 1_500, (0.85, 1.1)),
        ],
        budget: 1_500,
        time: "About ten seconds on one processor core.",
    },
];

/// The circuit as it is written by hand, and the model that has a theory.
const BY_HAND: &[Preset] = &[
    Preset {
        slug: "induction-by-hand",
        name: "The induction head, written by hand",
        group: &BY_HAND_GROUP,
        link: "#v1/markov?d=6&from=circuit&steps=1&show=kl.scores.map.next",
        claim: "Weights written down without training count bigrams: slide their sharpness c and the head looks harder.",
        source: "Edelman 2024, proposition 8.2",
        instance: "Kept: d = 3k. Its logits are a times the frequencies, not their logarithms, so that it ends at one and a half to two times the line of bigrams.",
        expect: &[previous(0, (0.98, 1.0)), induction(0, (0.96, 1.0)), over_bigrams(0, (1.4, 2.1))],
        budget: 1,
        ..QUICK
    },
    Preset {
        slug: "minimal",
        name: "The minimal model: W turns diagonal, v zigzags",
        group: &BY_HAND_GROUP,
        link: "#v1/markov?model=minimal-markov&opt=sgd&t=100&lr=0.002&batch=64&steps=1500&every=10&speed=200&show=kl.strategies.kernel.lags",
        claim: "Two small parameters stand for the two layers: W becomes diagonal first, and v favours even places on its way to the one before.",
        source: "Edelman 2024, equation 8.8 and figures 8.3 and 8.4b",
        instance: "Full size: two symbols, 100 in a context, batches of 64, gradient descent at 0.002, W from zero and v constant. Its logits are linear in counts, so that it does not reach the line of bigrams.",
        expect: &[
            median(Measure::Diagonal, 100, (3.0, 12.0)),
            median(Measure::OddOverEven, 300, (1.1, 20.0)),
            learns(0.5, (800, 1_200), ALL),
            median(Measure::Truth, 1_250, (0.028, 0.038)),
        ],
        budget: 1_500,
        ..QUICK
    },
    Preset {
        slug: "minimal-theory",
        name: "Two steps of gradient descent, in theory",
        group: &BY_HAND_GROUP,
        link: "#v1/markov?model=minimal-markov&opt=sgd&t=100&w0=0.02&lr=0.002&batch=64&steps=500&show=kl.kernel.lags.theory",
        claim: "After one step W leans to its diagonal while v falls off evenly; the second step lifts the distance 1 above 0.",
        source: "Edelman 2024, lemma 8.4 and figures E.1 and E.2",
        instance: "Full size: both parameters begin constant at 0.02. The theory is of a loss that is linear at the start; the run beside it trains on cross-entropy.",
        expect: &[
            median(Measure::Diagonal, 100, (1.0, 10.0)),
            median(Measure::OverLine(Unigram), 100, (1.0, 1.8)),
        ],
        budget: 500,
        ..QUICK
    },
];

/// Chains of other laws, to train on and to test on.
const LAWS: &[Preset] = &[
    Preset {
        slug: "other-chains",
        name: "Tested on three kinds of chains",
        group: &LAWS_GROUP,
        link: "#v1/markov?k=3&seed=2&steps=600&show=kl.strategies.scores.others",
        claim: "On the plateau independent symbols are predicted well and doubly stochastic chains not at all; at the second drop these fall, and those do not move.",
        source: "Edelman 2024, figure E.6",
        instance: "The preset with three symbols, from another seed.",
        expect: &[
            median(Measure::Chain(Of::OnIndependent), 150, (0.05, 0.09)),
            median(Measure::Chain(Of::OnDoubly), 150, (0.19, 0.26)),
            median(Measure::Chain(Of::OnDoubly), 600, (0.06, 0.09)),
            median(Measure::Chain(Of::OnIndependent), 600, (0.05, 0.09)),
        ],
        budget: 600,
        ..QUICK
    },
    Preset {
        slug: "other-chains-minimal",
        name: "The minimal model on three kinds of chains",
        group: &LAWS_GROUP,
        link: "#v1/markov?model=minimal-markov&opt=sgd&t=100&lr=0.002&batch=64&seed=2&steps=1500&every=10&speed=200&show=kl.strategies.others.lags",
        claim: "The minimal model, too, learns independent symbols first: doubly stochastic chains are still near uniform when those are half-way.",
        source: "Edelman 2024, figure E.6",
        instance: "The preset of the minimal model, from another seed.",
        expect: &[
            median(Measure::Chain(Of::OnIndependent), 100, (0.05, 0.1)),
            median(Measure::Chain(Of::OnDoubly), 100, (0.12, 0.22)),
            median(Measure::Chain(Of::OnDoubly), 1_250, (0.0, 0.06)),
        ],
        budget: 1_500,
        ..QUICK
    },
    Preset {
        slug: "doubly-stochastic",
        name: "Trained where unigrams say nothing",
        group: &LAWS_GROUP,
        link: "#v1/markov?k=4&t=100&data=ds&norm=pre&std=0.02&lr=0.002&wd=0.1&batch=64&steps=1000",
        claim: "On doubly stochastic chains all symbols are equally frequent: most seeds learn bigrams without a plateau of unigrams, about as soon as on ordinary chains, and some not at all.",
        source: "Edelman 2024, figure 8.4a",
        instance: "Kept: four symbols, 100 in a context, tested on ordinary chains. Ours: a learning rate of 0.002, where the thesis leaves the settings of this figure open.",
        expect: &[learns(0.5, (200, 1_000), (0.6, 1.0))],
        budget: 1_000,
        time: "About ten seconds on one processor core.",
    },
    Preset {
        slug: "doubly-stochastic-mixed",
        name: "The same, among sequences for unigrams",
        group: &LAWS_GROUP,
        link: "#v1/markov?k=4&t=100&data=mixture&norm=pre&std=0.02&lr=0.002&wd=0.1&batch=64&steps=2000",
        claim: "Make every second sequence one of independent symbols, and the plateau is back: the network takes more than twice as many steps.",
        source: "Edelman 2024, figure 8.4a",
        instance: "As the preset before; the share of a half is ours.",
        expect: &[
            median(Measure::OverLine(Unigram), 500, (0.95, 1.1)),
            learns(0.5, (500, 2_000), (0.5, 0.95)),
        ],
        budget: 2_000,
        time: "About twenty seconds on one processor core.",
    },
    Preset {
        slug: "unigrams-in-the-way",
        name: "Do unigrams get in the way? Forty seeds each",
        group: &LAWS_GROUP,
        link: "#v1/markov?k=4&t=100&data=mixture&norm=pre&std=0.02&lr=0.002&wd=0.1&batch=64&replicas=40&steps=2000&every=25&sweep=mix:0.5_1&show=times.kl",
        claim: "The median network needs fewer doubly stochastic sequences if it sees nothing else, but only somewhat: in about two of three pairs of seeds; a fifth to a third of them do not arrive on either diet.",
        source: "Edelman 2024, figure 8.4a, which shows no seeds",
        instance: "Kept: four symbols, 100 in a context, tested on ordinary chains. Ours: shares of a half and of all, a learning rate of 0.002, forty seeds. With three symbols twenty seeds show no difference.",
        expect: &[
            Expect::MedianTime { series: 0, at: 0, between: (750, 1_250) },
            Expect::MedianTime { series: 0, at: 1, between: (275, 550) },
            Expect::Solved { series: 0, at: 0, share: (0.6, 0.95) },
            Expect::Solved { series: 0, at: 1, share: (0.6, 0.98) },
            Expect::Sooner { at: 1, than: 0, share: 0.56 },
        ],
        budget: 2_000,
        time: "About half an hour on one processor core.",
    },
];
