//! Grokking: training on a part of the pairs only (Power et al. 2022, Nanda et al. 2023).

use crate::analysis::chart;
use crate::presets::{ALL, Expect, Measure, Preset, PresetGroup, QUICK, learns, never};

/// Power et al. 2022 and Nanda et al. 2023.
const GROUP: PresetGroup =
    PresetGroup { slug: "grokking", name: "Memorise, then understand", charts: &[chart::ACCURACY] };

/// Every training pair is right within `steps`.
const fn memorises(steps: (u64, u64)) -> Expect {
    Expect::Reaches { measure: Measure::TrainAccuracy, at_least: 0.99, steps, share: ALL }
}

pub(super) const PRESETS: &[Preset] = &[
    Preset {
        slug: "memorise-understand",
        name: "Memorisation first, generalisation later",
        group: &GROUP,
        link: "#v1/groups?n=31&frac=0.6&lambda=0&std=0.5&lr=0.003&b2=0.98&wd=0.3&steps=6000&target=0.99&every=25&speed=600&show=loss.accuracy.neurons.purity&x=log",
        claim: "After about a hundred steps the network answers every training pair correctly, but hardly any held-out pair. About two thousand steps later the network answers most held-out pairs correctly too. By step 6,000 the embeddings of most neurons are waves in which one frequency has most of the power.",
        source: "Power et al. 2022; Gromov 2023 for squares",
        instance: "Our choices: addition modulo 31, 60 % of the pairs for training, one hidden layer with square activation, AdamW with weight decay 0.3. Power et al. use modulus 97 and a transformer.",
        expect: &[
            memorises((25, 300)),
            learns(0.5, (1_000, 4_000), ALL),
            learns(0.99, (1_500, 6_000), (0.9, 1.0)),
            Expect::Median { measure: Measure::TestAccuracy, step: 500, between: (0.0, 0.15) },
            Expect::Median { measure: Measure::Purity, step: 6_000, between: (0.85, 1.0) },
        ],
        budget: 6_000,
        ..QUICK
    },
    Preset {
        slug: "memorise-only",
        name: "Without weight decay the network does not generalise",
        group: &GROUP,
        link: "#v1/groups?n=31&frac=0.6&lambda=0&std=0.5&lr=0.003&b2=0.98&steps=6000&target=0.99&every=25&speed=600&show=loss.accuracy.neurons.purity&x=log",
        claim: "Without weight decay, the network memorises the training pairs, but it does not generalise within 6,000 steps.",
        source: "Power et al. 2022, section 3.3; Nanda et al. 2023, section 5.3",
        instance: "The settings of “Memorisation first, generalisation later”, with weight decay 0.",
        expect: &[memorises((25, 300)), never(0.2, 6_000)],
        budget: 6_000,
        ..QUICK
    },
    Preset {
        slug: "grokking-progress",
        name: "Hidden progress behind grokking",
        group: &GROUP,
        link: "#v1/groups?model=embedding-mlp&n=29&frac=0.6&demb=32&width=128&join=concat&lr=0.005&b2=0.98&wd=1&steps=3000&every=50&speed=200&show=accuracy.neurons.progress.sparsity&x=log",
        claim: "The restricted loss is the loss of the network with the key frequencies alone; this loss falls before held-out accuracy rises. The excluded loss is the loss without the key frequencies; the excluded loss rises.",
        source: "Nanda et al. 2023, sections 4.3 and 5.1",
        instance: "As in the source: the progress measures. Our choices: an MLP on embeddings instead of a transformer, modulus 29 instead of 113, and key frequencies that are determined at every measurement instead of only at the end.",
        expect: &[
            memorises((25, 500)),
            learns(0.99, (500, 3_000), (0.85, 1.0)),
            Expect::Median { measure: Measure::Restricted, step: 3_000, between: (0.0, 0.2) },
        ],
        budget: 3_000,
        ..QUICK
    },
    Preset {
        slug: "grokking-penalty",
        name: "A penalty instead of weight decay",
        group: &GROUP,
        link: "#v1/groups?n=31&frac=0.5&lambda=0.00001&std=0.5&lr=0.003&b2=0.98&steps=3000&every=25&speed=300&x=log",
        claim: "With a penalty that favours large margins, and without weight decay, the network generalises, and held-out accuracy rises suddenly.",
        source: "Morwani et al. 2023 for the penalty; Power et al. 2022 for the task",
        instance: "Our choices: addition modulo 31, half of the pairs for training, λ = 0.00001 and no weight decay.",
        expect: &[memorises((25, 300)), learns(0.99, (500, 2_000), (0.9, 1.0))],
        budget: 3_000,
        ..QUICK
    },
    Preset {
        slug: "grokking-random",
        name: "A random table: no rule to learn",
        group: &GROUP,
        link: "#v1/groups?op=random&n=31&frac=0.6&lambda=0&std=0.5&lr=0.003&b2=0.98&wd=0.3&steps=6000&target=0.99&halt=target&every=25&speed=600&show=loss.accuracy.neurons.purity&x=log",
        claim: "The table has no rule. The network memorises the training pairs, but its answers on held-out pairs stay wrong.",
        source: "Power et al. 2022; Nanda et al. 2023, control",
        instance: "Network, weight decay and share of training pairs as in “Memorisation first, generalisation later”.",
        expect: &[memorises((25, 500)), never(0.15, 6_000)],
        budget: 6_000,
        ..QUICK
    },
    Preset {
        slug: "grokking-multiplication",
        name: "Multiplication modulo 31",
        group: &GROUP,
        link: "#v1/groups?op=mul&n=31&frac=0.6&lambda=0&std=0.5&lr=0.002&b2=0.98&wd=1&steps=6000&target=0.99&halt=target&every=25&speed=300&show=loss.accuracy.weights.neurons&x=log",
        claim: "The network generalises as it does for addition, but the embeddings of its neurons are not waves: no single frequency dominates in any embedding.",
        source: "Power et al. 2022",
        instance: "Our choices: 60 % of the pairs for training, including pairs with zero, and one hidden layer with square activation.",
        expect: &[memorises((25, 500)), learns(0.99, (500, 6_000), (0.85, 1.0))],
        budget: 6_000,
        ..QUICK
    },
    Preset {
        slug: "grokking-transformer",
        name: "A small transformer",
        group: &GROUP,
        link: "#v1/groups?model=modular-transformer&n=31&frac=0.5&demb=32&dattn=8&dmlp=128&lr=0.005&b2=0.98&wd=1&steps=6000&target=0.99&halt=target&every=50&speed=0&show=loss.accuracy.progress.keys&x=log",
        claim: "A small version of the paper's transformer generalises with most seeds within a few thousand steps.",
        source: "Nanda et al. 2023",
        instance: "As in the source: one layer, four heads, ReLU, no layer norm, AdamW with weight decay 1, the progress measures. Smaller than in the source: modulus 31 instead of 113, 32 dimensions instead of 128. Our choices: half of the pairs for training, learning rate 0.005.",
        expect: &[memorises((50, 600)), learns(0.99, (500, 6_000), (0.5, 1.0))],
        budget: 6_000,
        time: "About ten seconds on one processor core.",
    },
    Preset {
        slug: "squares-113",
        name: "Addition modulo 113, in half a minute",
        group: &GROUP,
        link: "#v1/groups?n=113&frac=0.3&width=512&lambda=3e-6&std=0.3&lr=0.003&b2=0.98&steps=1200&target=0.99&halt=target&every=25&speed=0&show=loss.accuracy.neurons.curve&x=log",
        claim: "The modulus and the share of training pairs are as in the paper. The network memorises all 3,831 training pairs within a hundred steps. A few hundred steps later it answers nearly all of the other 8,938 pairs correctly.",
        source: "Nanda et al. 2023 for the instance; Morwani et al. 2023 for the network",
        instance: "As in the source: p = 113 and 30 % of the pairs for training. Our choices: one hidden layer of 512 neurons with square activation and a penalty, instead of a transformer with weight decay.",
        expect: &[
            memorises((25, 200)),
            learns(0.99, (300, 1_200), (0.9, 1.0)),
            Expect::Median { measure: Measure::TestAccuracy, step: 200, between: (0.0, 0.05) },
        ],
        budget: 1_200,
        time: "Ten seconds on one core of a server, half a minute in a browser without a GPU.",
    },
    Preset {
        slug: "grokking-113",
        name: "The paper's transformer: modulo 113",
        group: &GROUP,
        link: "#v1/groups?model=modular-transformer&n=113&frac=0.3&lr=0.001&b2=0.98&wd=1&steps=40000&target=0.99&halt=target&every=100&speed=0&show=loss.accuracy.progress.keys&x=log",
        claim: "The network memorises 3,831 of 12,769 pairs within hundreds of steps. Thousands of steps later it answers the held-out pairs correctly, and it uses only a few key frequencies.",
        source: "Nanda et al. 2023, sections 3 and 4",
        instance: "Full size. The paper also trains an output for the token “=”, and raises the learning rate over the first ten steps. Our run does neither.",
        expect: &[memorises((50, 2_000)), learns(0.99, (3_000, 40_000), ALL)],
        budget: 40_000,
        time: "Minutes on a GPU, hours on a CPU.",
    },
];
