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
        name: "Memorise first, understand later",
        group: &GROUP,
        link: "#v1/groups?n=31&frac=0.6&lambda=0&std=0.5&lr=0.003&b2=0.98&wd=0.3&steps=6000&target=0.99&every=25&speed=600&show=loss.accuracy.neurons.purity&x=log",
        claim: "Within a hundred steps every training pair is right, but hardly any held-out pair. Two thousand steps later the held-out pairs are right too. By step 6,000 the embeddings of most neurons are waves of almost a single frequency.",
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
        name: "Without weight decay it never generalises",
        group: &GROUP,
        link: "#v1/groups?n=31&frac=0.6&lambda=0&std=0.5&lr=0.003&b2=0.98&steps=6000&target=0.99&every=25&speed=600&show=loss.accuracy.neurons.purity&x=log",
        claim: "The same network without weight decay memorises the training pairs and does not generalise within 6,000 steps.",
        source: "Power et al. 2022, section 3.3; Nanda et al. 2023, section 5.3",
        instance: "As in “Memorise first, understand later”, with weight decay 0.",
        expect: &[memorises((25, 300)), never(0.2, 6_000)],
        budget: 6_000,
        ..QUICK
    },
    Preset {
        slug: "grokking-progress",
        name: "Hidden progress behind grokking",
        group: &GROUP,
        link: "#v1/groups?model=embedding-mlp&n=29&frac=0.6&demb=32&width=128&join=concat&lr=0.005&b2=0.98&wd=1&steps=3000&every=50&speed=200&show=accuracy.neurons.progress.sparsity&x=log",
        claim: "The restricted loss, with the key frequencies alone, falls before held-out accuracy rises. The excluded loss, without the key frequencies, rises.",
        source: "Nanda et al. 2023, sections 4.3 and 5.1",
        instance: "Kept: the progress measures. Our choices: an MLP on embeddings instead of a transformer, modulus 29 instead of 113, and key frequencies that are determined at every measurement instead of only at the end.",
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
        claim: "With the penalty that favours the largest margin the network generalises, and held-out accuracy rises suddenly.",
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
        claim: "The network memorises the training pairs of a table without a rule, but the held-out pairs stay wrong.",
        source: "Power et al. 2022; Nanda et al. 2023, control",
        instance: "Network, weight decay and share of training pairs as in “Memorise first, understand later”.",
        expect: &[memorises((25, 500)), never(0.15, 6_000)],
        budget: 6_000,
        ..QUICK
    },
    Preset {
        slug: "grokking-multiplication",
        name: "Multiplication modulo 31",
        group: &GROUP,
        link: "#v1/groups?op=mul&n=31&frac=0.6&lambda=0&std=0.5&lr=0.002&b2=0.98&wd=1&steps=6000&target=0.99&halt=target&every=25&speed=300&show=loss.accuracy.weights.neurons&x=log",
        claim: "The network generalises as for addition, but its neurons' embeddings are not waves: no single frequency dominates.",
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
        instance: "Kept: one layer, four heads, ReLU, no layer norm, AdamW with weight decay 1, the progress measures. Shrunk: modulus 31 instead of 113, 32 dimensions instead of 128. Our choices: half of the pairs for training, learning rate 0.005.",
        expect: &[memorises((50, 600)), learns(0.99, (500, 6_000), (0.5, 1.0))],
        budget: 6_000,
        time: "Half a minute on one core, a minute or two in a browser without a GPU.",
    },
    Preset {
        slug: "squares-113",
        name: "Modulo 113, in half a minute",
        group: &GROUP,
        link: "#v1/groups?n=113&frac=0.3&width=512&lambda=3e-6&std=0.3&lr=0.003&b2=0.98&steps=1200&target=0.99&halt=target&every=25&speed=0&show=loss.accuracy.neurons.curve&x=log",
        claim: "The modulus and the share of training pairs are as in the paper. All 3,831 training pairs are memorised within a hundred steps, and the other 8,938 pairs are right a few hundred steps later.",
        source: "Nanda et al. 2023 for the instance; Morwani et al. 2023 for the network",
        instance: "Kept: p = 113 and 30 % of the pairs for training. Our choices: one hidden layer of 512 neurons with square activation and a penalty, instead of a transformer with weight decay.",
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
        claim: "The network memorises 3,831 of 12,769 pairs within hundreds of steps. Thousands of steps later it is right on the held-out pairs, and it uses only a few key frequencies.",
        source: "Nanda et al. 2023, sections 3 and 4",
        instance: "Full size. The paper also trains an output for the token =, and raises the learning rate over the first ten steps. Our run does neither.",
        expect: &[memorises((50, 2_000)), learns(0.99, (3_000, 40_000), ALL)],
        budget: 40_000,
        time: "Minutes on a real GPU, hours on a processor.",
    },
];
