//! Grokking: training on a part of the pairs only (Power et al. 2022, Nanda et al. 2023).

use super::experiments;
use vivarium_model::chart;
use vivarium_view::presets::{
    ALL_REPLICAS, Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup, expect_learned,
    expect_not_learned,
};

/// Menu group of the presets on grokking (Power et al. 2022; Nanda et al. 2023).
const GROKKING_GROUP: PresetGroup =
    PresetGroup { slug: "grokking", name: "Memorise, then understand", charts: &[chart::ACCURACY] };

/// Expects that every replica first reaches a training accuracy of 99 % at a training step in the range `steps` (first,
/// last).
const fn expect_memorised(steps: (u64, u64)) -> Expectation {
    Expectation::Reaches {
        measure: ExpectedMeasure::TrainAccuracy,
        at_least: 0.99,
        steps,
        share: ALL_REPLICAS,
    }
}

/// Presets on grokking: networks trained on a part of the pairs of elements memorise these pairs long before they
/// answer held-out pairs.
pub(super) const GROKKING_PRESETS: &[Preset] = &[
    Preset {
        slug: "memorise-understand",
        name: "Memorisation first, generalisation later",
        group: &GROKKING_GROUP,
        link: "#v1/groups?n=31&frac=0.6&lambda=0&std=0.5&lr=0.003&b2=0.98&wd=0.3&steps=6000&target=0.99&every=25&speed=600&show=loss.accuracy.neurons.purity&x=log",
        claim: "Within 300 steps the network answers at least 99 % of the training pairs correctly; at step 500 it answers at most 15 % of the held-out pairs correctly. It answers half of the held-out pairs correctly for the first time at a step between 1,000 and 4,000. At step 6,000 one frequency has at least 85 % of the power of the embedding in the median neuron.",
        source: "Power et al. 2022; Gromov 2023 for squares",
        remarks: "Our choices: addition modulo 31, 60 % of the pairs for training, one hidden layer with square activation, AdamW with weight decay 0.3. Power et al. use modulus 97, a transformer of two layers, and AdamW with learning rate 0.001 and weight decay 1.",
        expectations: &[
            expect_memorised((25, 300)),
            expect_learned(0.5, (1_000, 4_000), ALL_REPLICAS),
            expect_learned(0.99, (1_500, 6_000), (0.9, 1.0)),
            Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step: 500, between: (0.0, 0.15) },
            Expectation::Median { measure: ExpectedMeasure::Purity, step: 6_000, between: (0.85, 1.0) },
        ],
        max_steps: 6_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "memorise-only",
        name: "Without weight decay the network does not generalise",
        group: &GROKKING_GROUP,
        link: "#v1/groups?n=31&frac=0.6&lambda=0&std=0.5&lr=0.003&b2=0.98&steps=6000&target=0.99&every=25&speed=600&show=loss.accuracy.neurons.purity&x=log",
        claim: "Without weight decay, the network memorises at least 99 % of the training pairs, but it answers less than 20 % of the held-out pairs correctly during the 6,000 steps.",
        source: "Power et al. 2022, section 3.3; Nanda et al. 2023, section 5.3",
        remarks: "The settings of “Memorisation first, generalisation later”, with weight decay 0.",
        expectations: &[expect_memorised((25, 300)), expect_not_learned(0.2, 6_000)],
        max_steps: 6_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "grokking-progress",
        name: "Hidden progress behind grokking",
        group: &GROKKING_GROUP,
        link: "#v1/groups?model=embedding-mlp&n=29&frac=0.6&demb=32&width=128&join=concat&lr=0.005&b2=0.98&wd=1&steps=3000&every=50&speed=200&show=accuracy.neurons.progress.sparsity&x=log",
        claim: "The restricted loss is the loss of the network with the key frequencies alone; this loss falls before held-out accuracy rises. The excluded loss is the loss without the key frequencies; the excluded loss rises.",
        source: "Nanda et al. 2023, sections 4.3 and 5.1",
        remarks: "As in the source: the progress measures. Our choices: an MLP on embeddings instead of a transformer, modulus 29 instead of 113, 60 % of the pairs for training instead of 30 %, learning rate 0.005 instead of 0.001, 3,000 steps instead of 40,000, and key frequencies that are determined at every measurement instead of only at the end.",
        expectations: &[
            expect_memorised((25, 500)),
            expect_learned(0.99, (500, 3_000), (0.85, 1.0)),
            Expectation::Median { measure: ExpectedMeasure::Restricted, step: 3_000, between: (0.0, 0.2) },
        ],
        max_steps: 3_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "grokking-penalty",
        name: "A penalty instead of weight decay",
        group: &GROKKING_GROUP,
        link: "#v1/groups?n=31&frac=0.5&lambda=0.00001&std=0.5&lr=0.003&b2=0.98&steps=3000&every=25&speed=300&x=log",
        claim: "With a penalty that favours large margins, and without weight decay, the network generalises, and in at least nine of ten runs 99 % of the held-out pairs are answered correctly by step 2,000.",
        source: "Morwani et al. 2023 for the penalty; Power et al. 2022 for the task",
        remarks: "Our choices: addition modulo 31, half of the pairs for training, λ = 0.00001 and no weight decay.",
        expectations: &[expect_memorised((25, 300)), expect_learned(0.99, (500, 2_000), (0.9, 1.0))],
        max_steps: 3_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "grokking-random",
        name: "A random table: no rule to learn",
        group: &GROKKING_GROUP,
        link: "#v1/groups?op=random&n=31&frac=0.6&lambda=0&std=0.5&lr=0.003&b2=0.98&wd=0.3&steps=6000&target=0.99&halt=target&every=25&speed=600&show=loss.accuracy.neurons.purity&x=log",
        claim: "The table has no rule. The network memorises at least 99 % of the training pairs, but it answers less than 15 % of the held-out pairs correctly during the 6,000 steps.",
        source: "Our control; the task without a rule is compared with those of Power et al. 2022",
        remarks: "Network, weight decay and share of training pairs as in “Memorisation first, generalisation later”.",
        expectations: &[expect_memorised((25, 500)), expect_not_learned(0.15, 6_000)],
        max_steps: 6_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "grokking-multiplication",
        name: "Multiplication modulo 31",
        group: &GROKKING_GROUP,
        link: "#v1/groups?op=mul&n=31&frac=0.6&lambda=0&std=0.5&lr=0.002&b2=0.98&wd=1&steps=6000&target=0.99&halt=target&every=25&speed=300&show=loss.accuracy.weights.neurons&x=log",
        claim: "The network generalises as it does for addition, but the embeddings of its neurons are not waves: no single frequency dominates in any embedding.",
        source: "Power et al. 2022",
        remarks: "Our choices: 60 % of the pairs for training, including pairs with zero, and one hidden layer with square activation.",
        expectations: &[expect_memorised((25, 500)), expect_learned(0.99, (500, 6_000), (0.85, 1.0))],
        max_steps: 6_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "grokking-transformer",
        name: "A small transformer",
        group: &GROKKING_GROUP,
        link: "#v1/groups?model=modular-transformer&n=31&frac=0.5&demb=32&dattn=8&dmlp=128&lr=0.005&b2=0.98&wd=1&steps=6000&target=0.99&halt=target&every=50&speed=0&show=loss.accuracy.progress.keys&x=log",
        claim: "In at least half of the runs, a small version of the paper's transformer answers 99 % of the held-out pairs correctly within 6,000 steps.",
        source: "Nanda et al. 2023",
        experiment: Some(&experiments::NANDA),
        departures: &[("output for the token “=”", "trained", "none")],
        remarks: "As in the source: one layer with ReLU and without layer norm, and the progress measures.",
        expectations: &[expect_memorised((50, 600)), expect_learned(0.99, (500, 6_000), (0.5, 1.0))],
        max_steps: 6_000,
        duration_note: "About ten seconds on one processor core.",
    },
    Preset {
        slug: "grokking-relu-attention",
        name: "A small transformer without softmax",
        group: &GROKKING_GROUP,
        link: "#v1/groups?model=modular-transformer&n=31&frac=0.5&demb=32&dattn=8&dmlp=128&attend=relu&lr=0.005&b2=0.98&wd=1&steps=6000&target=0.99&every=50&speed=0&show=loss.accuracy.progress.keys&x=log",
        claim: "A weight of attention is a positive score divided by the number of tokens, so the weights need not sum to 1. In at least nine of ten runs the network answers 90 % of the held-out pairs correctly within 6,000 steps. At most four of ten runs reach 99 %; with softmax, at least half of the runs reach 99 %.",
        source: "Our variation of the network of Nanda et al. 2023",
        experiment: Some(&experiments::NANDA),
        departures: &[("output for the token “=”", "trained", "none")],
        remarks: "All settings except the weights of attention are those of “A small transformer”.",
        expectations: &[
            expect_memorised((50, 300)),
            expect_learned(0.9, (500, 6_000), (0.9, 1.0)),
            expect_learned(0.99, (500, 6_000), (0.0, 0.4)),
        ],
        max_steps: 6_000,
        duration_note: "About fifteen seconds on one processor core.",
    },
    Preset {
        slug: "grokking-decoder",
        name: "A decoder-only transformer with two layers",
        group: &GROKKING_GROUP,
        link: "#v1/groups?model=own&n=31&frac=0.6&net=embed~32;token;positions;attention~4~causal;norm;mlp~128;norm;attention~4~causal;norm;mlp~128;norm;read~last&lr=0.003&b2=0.98&wd=1&steps=4000&target=0.99&halt=target&every=50&speed=0&x=log",
        claim: "This network is a small version of the transformer of Power et al. 2022, who first described grokking. Within 300 steps the network answers at least 99 % of the training pairs correctly. In at least nine of ten runs the network first answers 99 % of the held-out pairs correctly at a step between 500 and 4,000.",
        source: "Power et al. 2022, section 2 and appendix A.1",
        remarks: "As in the paper: decoder-only transformer, two layers of attention and MLP, 4 heads, AdamW with β₂ = 0.98 and weight decay 1. As in the authors' code: layer norm after each residual sum, ReLU. Our choices: modulus 31 instead of 97; width 32 instead of 128; trained instead of sinusoidal positions; biases in the MLP; tokens a, b and “=” without the operator; all training pairs in each step instead of at most 512; no warm-up; 60 % of the pairs for training; learning rate 0.003 instead of 0.001.",
        expectations: &[expect_memorised((50, 300)), expect_learned(0.99, (500, 4_000), (0.9, 1.0))],
        max_steps: 4_000,
        duration_note: "About twenty seconds on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "grokking-s5",
        name: "A transformer on the permutations of five letters",
        group: &GROKKING_GROUP,
        link: "#v1/groups?model=own&op=symmetric&letters=5&frac=0.6&net=embed~64~separate;token;attention~4;mlp~512;read~last&lr=0.002&b2=0.98&wd=1&batch=512&steps=10000&target=0.99&halt=target&every=100&speed=0&x=log",
        claim: "The group S5 has 120 permutations, so its table has 14,400 products. The network trains on 60 % of these products. In at least eight of ten runs the network answers 99 % of the held-out products correctly for the first time at a step between 1,000 and 10,000.",
        source: "Power et al. 2022 for the task; Nanda et al. 2023 for the kind of network",
        remarks: "One layer of attention and an MLP, without layer norm. The order of the two permutations matters, so the first and the second permutation have separate embeddings. As in Nanda et al.: 4 heads and 512 neurons. As in Power et al.: batches of 512. Our choices: 64 components, 60 % of the products, learning rate 0.002.",
        expectations: &[expect_learned(0.99, (1_000, 10_000), (0.8, 1.0))],
        max_steps: 10_000,
        duration_note: "Half a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "squares-113",
        name: "Addition modulo 113, in half a minute",
        group: &GROKKING_GROUP,
        link: "#v1/groups?n=113&frac=0.3&width=512&lambda=3e-6&std=0.3&lr=0.003&b2=0.98&steps=1200&target=0.99&halt=target&every=25&held=8938&speed=0&show=loss.accuracy.neurons.curve&x=log",
        claim: "The modulus and the share of training pairs are as in the paper. By step 200 the network answers at least 99 % of the 3,831 training pairs correctly, and at most 5 % of the other 8,938 pairs. By step 1,200 it answers 99 % of the other pairs correctly, in at least nine of ten runs.",
        source: "Nanda et al. 2023 for the instance; Morwani et al. 2023 for the network",
        remarks: "As in the source: p = 113 and 30 % of the pairs for training. Our choices: one hidden layer of 512 neurons with square activation and a penalty, instead of a transformer with weight decay.",
        expectations: &[
            expect_memorised((25, 200)),
            expect_learned(0.99, (300, 1_200), (0.9, 1.0)),
            Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step: 200, between: (0.0, 0.05) },
        ],
        max_steps: 1_200,
        duration_note: "Ten seconds on one core of a server, half a minute in a browser without a GPU.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "grokking-113",
        name: "The paper's transformer: modulo 113",
        group: &GROKKING_GROUP,
        link: "#v1/groups?model=modular-transformer&n=113&frac=0.3&lr=0.001&b2=0.98&wd=1&steps=40000&target=0.99&halt=target&every=100&held=8938&speed=0&show=loss.accuracy.progress.keys&x=log",
        claim: "Within 2,000 steps the network answers at least 99 % of its 3,831 training pairs correctly. It answers 99 % of the other 8,938 pairs correctly for the first time at a step between 3,000 and 40,000. In the paper, such a network uses only a few key frequencies; the chart shows the key frequencies of this run.",
        source: "Nanda et al. 2023, sections 3 and 4",
        experiment: Some(&experiments::NANDA),
        departures: &[("output for the token “=”", "trained", "none")],
        expectations: &[expect_memorised((50, 2_000)), expect_learned(0.99, (3_000, 40_000), ALL_REPLICAS)],
        max_steps: 40_000,
        duration_note: "Minutes on a GPU, hours on a CPU.",
        ..PRESET_DEFAULTS
    },
];
