//! The parity lab's presets: the figures of Edelman 2024, chapter 5 and appendix B (Barak et al. 2022).
//!
//! Where the text leaves a setting open, because only a figure shows it, the instance says that it is ours.

use super::{Expect, Group, Measure, Preset};

/// A preset whose run takes some seconds at most.
const QUICK: Preset = Preset {
    slug: "",
    name: "",
    group: Group::Start,
    link: "",
    claim: "",
    source: "",
    instance: "",
    expect: &[],
    budget: 0,
    time: "",
};

/// Held-out accuracy first reaches `at_least` within `steps`, in a share of the replicas within `share`.
const fn learns(at_least: f32, steps: (u64, u64), share: (f64, f64)) -> Expect {
    Expect::Reaches { measure: Measure::TestAccuracy, at_least, steps, share }
}

/// Held-out accuracy never reaches `at_least` within `steps` steps.
const fn never(at_least: f32, steps: u64) -> Expect {
    Expect::Reaches { measure: Measure::TestAccuracy, at_least, steps: (0, steps), share: (0.0, 0.0) }
}

const ALL: (f64, f64) = (1.0, 1.0);

pub(super) const PRESETS: &[Preset] = &[
    Preset {
        slug: "parity-20",
        name: "A parity of 3 in 20 bits",
        link: "#v1/sparse-parity?n=20&width=64&every=10&speed=200",
        claim: "The loss rests at chance, then falls all at once: the network has found the 3 bits that matter.",
        source: "Edelman 2024, section 5.3 (Barak et al. 2022, figure 1)",
        instance: "Kept: loss, initialisation, learning rate, batch size. Shrunk: 20 bits instead of 50, width 64 instead of 100.",
        expect: &[learns(1.0, (200, 3_000), ALL)],
        budget: 3_000,
        ..QUICK
    },
    Preset {
        slug: "parity-50",
        name: "The thesis's parity: 3 in 50 bits",
        link: "#v1/sparse-parity?speed=1000",
        claim: "One of 19,600 sets of bits is found by gradient descent after a long plateau, and no seed gets lucky early.",
        source: "Edelman 2024, section 5.3, setting (ii)",
        instance: "Full size: (50, 3), width 100, uniform initialisation, hinge loss; batch 32 and learning rate 0.1 are among those that the thesis sweeps.",
        expect: &[learns(1.0, (800, 10_000), ALL)],
        budget: 10_000,
        ..QUICK
    },
    // One task, many networks.
    Preset {
        slug: "relu-10",
        name: "(i) ReLU, width 10, batch 32",
        group: Group::Networks,
        link: "#v1/sparse-parity?width=10&lr=0.5&steps=10000&every=20&speed=1000&show=loss.accuracy.weights.movement",
        claim: "Ten ReLU neurons find the 3 bits of 50, in steps like a staircase: neurons arrive one after the other.",
        source: "Edelman 2024, figure 5.1 (left), panel 1",
        instance: "Full size, with the thesis's batch and learning rate; the output bias, which its formula leaves out, is ours.",
        expect: &[learns(1.0, (300, 10_000), (0.95, 1.0))],
        budget: 10_000,
        ..QUICK
    },
    Preset {
        slug: "relu-10-large-batch",
        name: "(i) ReLU, width 10, batch 1,024",
        group: Group::Networks,
        link: "#v1/sparse-parity?width=10&lr=0.05&batch=1024&steps=12000&speed=1000",
        claim: "With batches of 1,024 and a tenth of the learning rate the same plateau ends in the same sudden fall.",
        source: "Edelman 2024, figure 5.1 (left), panel 2",
        instance: "Full size, with the thesis's batch and learning rate; the output bias is ours.",
        expect: &[learns(1.0, (1_500, 12_000), (0.8, 1.0))],
        budget: 12_000,
        ..QUICK
    },
    Preset {
        slug: "relu-100-single",
        name: "(ii) ReLU, width 100, one example at a time",
        group: Group::Networks,
        link: "#v1/sparse-parity?lr=0.05&batch=1&steps=30000&every=100&held=1024&speed=4000",
        claim: "Even with a single example per step the signal adds up behind a flat loss, until it is all there.",
        source: "Edelman 2024, figure 5.1 (left), panel 3",
        instance: "Full size, with the thesis's batch and learning rate; the output bias is ours.",
        expect: &[learns(1.0, (8_000, 30_000), (0.9, 1.0))],
        budget: 30_000,
        ..QUICK
    },
    Preset {
        slug: "cubic-10",
        name: "(iv) z³, width 10",
        group: Group::Networks,
        link: "#v1/sparse-parity?width=10&act=power&lr=0.05&steps=3000&every=10&speed=200",
        claim: "With cubic neurons, whose degree is that of the parity, the wait is four times shorter and still ends suddenly.",
        source: "Edelman 2024, figure 5.1 (left), panel 4",
        instance: "Full size, with the thesis's batch and learning rate; the output bias is ours.",
        expect: &[learns(1.0, (150, 3_000), (0.95, 1.0))],
        budget: 3_000,
        ..QUICK
    },
    Preset {
        slug: "zigzag-1",
        name: "(vii) One k-zigzag neuron",
        group: Group::Networks,
        link: "#v1/sparse-parity?width=1&act=zigzag&lr=0.2&steps=8000&every=10&show=loss.accuracy.weights.paths",
        claim: "A single neuron is enough where its non-linearity is the parity of a sum; it may take long from a bad start.",
        source: "Edelman 2024, figure 5.1 (left), panel 5",
        instance: "Full size, with the thesis's batch and learning rate; the output bias is ours.",
        expect: &[learns(1.0, (20, 8_000), (0.8, 1.0))],
        budget: 8_000,
        ..QUICK
    },
    Preset {
        slug: "sine-1",
        name: "(x) One sinusoidal neuron",
        group: Group::Networks,
        link: "#v1/sparse-parity?width=1&act=sin&lr=0.05&steps=5000&every=10&show=loss.accuracy.weights.paths",
        claim: "One sine of a weighted sum learns the parity of 3 among 50 bits in some hundred steps.",
        source: "Edelman 2024, figure 5.1 (left), panel 6",
        instance: "Full size, with the thesis's batch and learning rate. The thesis doubles the sine's argument; without that more seeds succeed, so it is left out.",
        expect: &[learns(1.0, (30, 5_000), (0.6, 1.0))],
        budget: 5_000,
        ..QUICK
    },
    Preset {
        slug: "transformer",
        name: "(*iii) A Parity Transformer",
        group: Group::Networks,
        link: "#v1/sparse-parity?model=parity-transformer&opt=adam&n=10&batch=256&steps=8000&every=20&held=1024&show=loss.accuracy.attention",
        claim: "A transformer finds a parity too, all at once, and its attention rests on the 3 bits that matter.",
        source: "Edelman 2024, figure 5.1 (left), panel 7, and figure 4.4",
        instance: "Kept: architecture, Adam, hinge loss. Shrunk: 10 bits instead of 50, embedding 32 instead of 1,024, 4 heads instead of 128; batch 256.",
        expect: &[learns(1.0, (200, 8_000), (0.8, 1.0))],
        budget: 8_000,
        time: "About half a minute on one processor core.",
        ..QUICK
    },
    Preset {
        slug: "transformer-full",
        name: "(*iii) The Parity Transformer, full size",
        group: Group::Networks,
        link: "#v1/sparse-parity?model=parity-transformer&opt=adam&demb=1024&heads=128&dmlp=4096&lr=0.0005&steps=100000&held=1024&show=loss.accuracy.attention",
        claim: "The thesis's transformer on 3 of 50 bits: the same sudden fall, at a size that wants a large GPU.",
        source: "Edelman 2024, figure 5.1 (left), panel 7",
        instance: "Full size with the thesis's batch 32 and learning rate; the width of its MLP, which the text leaves open, is ours: 4,096.",
        expect: &[learns(1.0, (200, 100_000), (0.2, 1.0))],
        budget: 100_000,
        time: "Hours on a laptop's GPU, days on a processor.",
        ..QUICK
    },
    Preset {
        slug: "polynet",
        name: "(xv) PolyNet",
        group: Group::Networks,
        link: "#v1/sparse-parity?model=polynet&lr=0.07&steps=2000&every=10&speed=200",
        claim: "A product of three linear forms is a parity as soon as each form has found its bit.",
        source: "Edelman 2024, figure 5.1 (left), panel 8",
        instance: "Full size, with the thesis's batch and learning rate.",
        expect: &[learns(1.0, (80, 2_000), (0.9, 1.0))],
        budget: 2_000,
        ..QUICK
    },
    Preset {
        slug: "oscillating-1",
        name: "(viii) One oscillating polynomial",
        group: Group::Networks,
        link: "#v1/sparse-parity?width=1&act=osc&lr=0.05&steps=8000&every=20&speed=800&show=loss.accuracy.weights.paths",
        claim: "A cubic that swings through ±1 at the right sums makes one neuron a parity, smoothly and without kinks.",
        source: "Edelman 2024, section 5.3, setting (viii)",
        instance: "(50, 3) and batch 32 as in figure 5.1; the learning rate is ours.",
        expect: &[learns(1.0, (100, 8_000), (0.7, 1.0))],
        budget: 8_000,
        ..QUICK
    },
    Preset {
        slug: "wave-1",
        name: "(ix) One ∞-zigzag neuron",
        group: Group::Networks,
        link: "#v1/sparse-parity?width=1&act=wave&steps=8000&every=10&show=loss.accuracy.weights.paths",
        claim: "A triangle wave never ends its zigzag; one neuron with it learns in most seeds, and some stay stuck.",
        source: "Edelman 2024, section 5.3, setting (ix)",
        instance: "(50, 3) and batch 32 as in figure 5.1; the learning rate is ours.",
        expect: &[learns(1.0, (30, 8_000), (0.5, 1.0))],
        budget: 8_000,
        ..QUICK
    },
    Preset {
        slug: "zigzag-bare",
        name: "(xi) k-zigzag without second layer",
        group: Group::Networks,
        link: "#v1/sparse-parity?width=1&act=zigzag&bias=hidden&second=ones&steps=5000&every=10&show=loss.accuracy.weights.paths",
        claim: "Without a second layer the neuron itself must become the parity, and does.",
        source: "Edelman 2024, section 5.3, setting (xi)",
        instance: "(50, 3) and batch 32 as in figure 5.1; the learning rate is ours.",
        expect: &[learns(1.0, (20, 5_000), (0.9, 1.0))],
        budget: 5_000,
        ..QUICK
    },
    Preset {
        slug: "oscillating-bare",
        name: "(xii) Oscillating polynomial without second layer",
        group: Group::Networks,
        link: "#v1/sparse-parity?width=1&act=osc&bias=hidden&second=ones&lr=0.01&steps=8000&every=20&speed=800&show=loss.accuracy.weights.paths",
        claim: "The oscillating polynomial alone is slow, since it wants a small learning rate, but it arrives.",
        source: "Edelman 2024, section 5.3, setting (xii); learning rate as in figure B.6",
        instance: "(50, 3) and batch 32 as in figure 5.1.",
        expect: &[learns(1.0, (300, 8_000), (0.7, 1.0))],
        budget: 8_000,
        ..QUICK
    },
    Preset {
        slug: "wave-bare",
        name: "(xiii) ∞-zigzag without second layer",
        group: Group::Networks,
        link: "#v1/sparse-parity?width=1&act=wave&bias=hidden&second=ones&steps=5000&every=10&show=loss.accuracy.weights.paths",
        claim: "At this learning rate the bare triangle wave learns fast or not at all, about half of the seeds each.",
        source: "Edelman 2024, section 5.3, setting (xiii)",
        instance: "(50, 3) and batch 32 as in figure 5.1; the learning rate is ours.",
        expect: &[learns(1.0, (20, 5_000), (0.2, 0.95))],
        budget: 5_000,
        ..QUICK
    },
    Preset {
        slug: "sine-bare",
        name: "(xiv) Sinusoidal neuron without second layer",
        group: Group::Networks,
        link: "#v1/sparse-parity?width=1&act=sin&bias=hidden&second=ones&lr=0.02&steps=6000&every=10&show=loss.accuracy.weights.paths",
        claim: "f(x) = sin(w·x + b): the smallest network there is, and it finds 3 of 50 bits from every seed.",
        source: "Edelman 2024, section 5.3, setting (xiv)",
        instance: "(50, 3) and batch 32 as in figure 5.1; the learning rate is ours.",
        expect: &[learns(1.0, (100, 6_000), (0.9, 1.0))],
        budget: 6_000,
        ..QUICK
    },
    Preset {
        slug: "narrowest-relu",
        name: "(*i) Three ReLU neurons for three bits",
        group: Group::Networks,
        link: "#v1/sparse-parity?n=20&width=3&lr=0.3&every=20&speed=2000",
        claim: "As many ReLU neurons as bits can be enough, given an output bias, but only about half of the seeds arrive.",
        source: "Edelman 2024, figure B.2, row 3, setting (*i)",
        instance: "20 bits instead of 50 and batch 32; the thesis's own formula, without output bias, solves none.",
        expect: &[learns(1.0, (200, 20_000), (0.2, 0.9))],
        budget: 20_000,
        ..QUICK
    },
    Preset {
        slug: "narrowest-relu-unbiased",
        name: "(*i) The same without output bias",
        group: Group::Networks,
        link: "#v1/sparse-parity?n=20&width=3&bias=hidden&lr=0.3&every=20&speed=2000",
        claim: "As the thesis prints it, without an output bias, no seed learns with three ReLU neurons.",
        source: "Edelman 2024, section 5.3 and figure B.2, row 3, setting (*i)",
        instance: "The control of the preset before: only the output bias is missing.",
        expect: &[never(0.99, 20_000)],
        budget: 20_000,
        ..QUICK
    },
    Preset {
        slug: "narrowest-cubic",
        name: "(*ii) Three cubic neurons for three bits",
        group: Group::Networks,
        link: "#v1/sparse-parity?n=20&width=3&act=power&lr=0.05&steps=5000&every=10&speed=200",
        claim: "Three cubic neurons are enough for three bits, from every seed.",
        source: "Edelman 2024, figure B.2, row 3, setting (*ii)",
        instance: "20 bits instead of 50, batch 32 instead of 1; the learning rate is ours.",
        expect: &[learns(1.0, (100, 5_000), (0.9, 1.0))],
        budget: 5_000,
        ..QUICK
    },
    Preset {
        slug: "disjoint-polynet",
        name: "Disjoint-PolyNet, one example at a time",
        group: Group::Networks,
        link: "#v1/sparse-parity?model=disjoint-polynet&n=30&layout=blocks&lr=0.0001&loss=corr&batch=1&steps=60000&target=0.95&every=100&held=2048&speed=10000&show=loss.accuracy.paths",
        claim: "Where one bit of each block matters, theory says how long it takes: most of the time passes at an error above 45 %.",
        source: "Edelman 2024, section 5.4.2 and figure B.1",
        instance: "Correlation loss, normal weights and batch 1 as in figure B.1; n = 30, k = 3 and the learning rate are ours, and it stops at 5 % error, since the weights then blow up in finite time.",
        expect: &[learns(0.95, (3_000, 60_000), (0.6, 1.0))],
        budget: 60_000,
        time: "Some seconds on one processor core.",
        ..QUICK
    },
    // Progress before the loss moves.
    Preset {
        slug: "hidden-progress",
        name: "Weights move while the loss is flat",
        group: Group::Progress,
        link: "#v1/sparse-parity?n=30&width=1&act=sin&bias=hidden&second=ones&lr=0.01&batch=256&steps=1500&every=10&speed=100&show=loss.accuracy.movement.paths",
        claim: "The loss says nothing for hundreds of steps; the weights on the 3 relevant bits have been leaving the others behind all along.",
        source: "Edelman 2024, figure 5.3 and appendix B.3.3",
        instance: "Kept: one sinusoidal neuron with bias, no second layer, hinge loss. Where the text is silent, ours: (30, 3), batch 256, learning rate 0.01.",
        expect: &[
            learns(0.6, (300, 1_500), (0.5, 1.0)),
            Expect::Reaches {
                measure: Measure::Movement,
                at_least: 0.08,
                steps: (100, 600),
                share: (0.6, 1.0),
            },
        ],
        budget: 1_500,
        ..QUICK
    },
    Preset {
        slug: "hidden-progress-noise",
        name: "The same neuron on labels without meaning",
        group: Group::Progress,
        link: "#v1/sparse-parity?n=30&noise=0.5&width=1&act=sin&bias=hidden&second=ones&lr=0.01&batch=256&steps=1500&every=10&speed=100&show=loss.accuracy.movement.paths",
        claim: "With random labels the weights wander without direction: over 600 steps they come a third as far.",
        source: "Edelman 2024, figure 5.3 (right, bottom)",
        instance: "The control of the preset before: half of the labels are flipped, so that they say nothing.",
        expect: &[
            never(0.6, 1_500),
            Expect::Reaches {
                measure: Measure::Movement,
                at_least: 0.08,
                steps: (0, 600),
                share: (0.0, 0.05),
            },
        ],
        budget: 1_500,
        ..QUICK
    },
    Preset {
        slug: "hidden-progress-mlp",
        name: "Hidden progress in a network of 100 neurons",
        group: Group::Progress,
        link: "#v1/sparse-parity?batch=1024&steps=4000&every=20&held=2048&speed=200&show=loss.accuracy.weights.movement",
        claim: "At step 1,000 accuracy is still about that of a coin, and the largest relevant weight has outgrown every other.",
        source: "Edelman 2024, figure B.9",
        instance: "(50, 3), ReLU of width 100, batch 1,024, learning rate 0.1.",
        expect: &[
            Expect::Median { measure: Measure::TestAccuracy, step: 1_000, between: (0.48, 0.6) },
            Expect::Median { measure: Measure::Lead, step: 1_000, between: (1.05, 3.0) },
            learns(0.9, (1_000, 4_000), (0.9, 1.0)),
        ],
        budget: 4_000,
        ..QUICK
    },
    Preset {
        slug: "gap-path",
        name: "The Fourier gap grows along the path",
        group: Group::Progress,
        link: "#v1/sparse-parity?n=15&width=1&act=sin&bias=hidden&second=ones&lr=0.01&steps=600&every=5&held=2048&speed=40&show=loss.accuracy.gap.spectrum",
        claim: "The population gradient favours a relevant bit from the first step, and does so ever more until the parity is found.",
        source: "Edelman 2024, figure B.8 (right) and appendix B.3.1",
        instance: "n = 15 as in the thesis, so that the gradient is exact over all 32,768 inputs; k = 3, batch 32 and learning rate 0.01 are ours. For odd k majority has no gap: its dashed line lies at 0.",
        expect: &[
            Expect::Reaches { measure: Measure::Gap, at_least: 0.25, steps: (10, 600), share: (0.8, 1.0) },
            Expect::Median { measure: Measure::Gap, step: 0, between: (0.005, 0.15) },
        ],
        budget: 600,
        ..QUICK
    },
    Preset {
        slug: "spectrum",
        name: "All Fourier weight moves to the third degree",
        group: Group::Progress,
        link: "#v1/sparse-parity?n=12&width=64&steps=2000&every=10&held=2048&speed=100&show=loss.accuracy.gap.spectrum",
        claim: "The output's Walsh spectrum, exact over all 4,096 inputs: linear at first, at the end one coefficient of degree 3.",
        source: "Edelman 2024, section 5.4.1 and equation B.2",
        instance: "Small enough for an exact spectrum: 12 bits, width 64.",
        expect: &[
            Expect::Reaches {
                measure: Measure::Correlation,
                at_least: 0.9,
                steps: (50, 2_000),
                share: (0.9, 1.0),
            },
            Expect::Median { measure: Measure::Correlation, step: 0, between: (-0.1, 0.1) },
        ],
        budget: 2_000,
        ..QUICK
    },
    // No random search.
    Preset {
        slug: "no-luck",
        name: "No copy gets lucky: 1,000 networks",
        group: Group::Search,
        link: "#v1/sparse-parity?n=20&lr=1&replicas=1000&steps=1000&every=5&held=128&speed=0&show=loss.accuracy.times",
        claim: "A thousand networks need 80 to 160 steps each; random guessing would be lucky at once now and then, and take 1,140 guesses on average.",
        source: "Edelman 2024, figure 5.2 (left)",
        instance: "1,000 trials instead of a million, with accuracy checked on 128 points as in the thesis's large sweeps; (20, 3), ReLU of width 100, batch 32 and learning rate 1 are ours, since the text names no setting.",
        expect: &[
            learns(1.0, (60, 250), (0.99, 1.0)),
            Expect::MedianTime { series: 0, at: 0, between: (95, 135) },
        ],
        budget: 1_000,
        time: "Some seconds, on one processor core within a minute.",
        ..QUICK
    },
    Preset {
        slug: "same-start",
        name: "Same initialisation, different data",
        group: Group::Search,
        link: "#v1/sparse-parity?n=30&width=1&act=sin&bias=hidden&second=ones&lr=0.01&batch=128&replicas=48&inits=6&steps=6000&every=10&held=1024&speed=0&show=loss.accuracy.times",
        claim: "Six initialisations, each with eight orders of data: how long it takes is settled by the start, not by the data.",
        source: "Edelman 2024, figure 5.2 (centre)",
        instance: "Batch 128 and learning rate 0.01 as in the thesis; one sinusoidal neuron on (30, 3) is ours, since the text names no architecture.",
        expect: &[Expect::Between(0.5), learns(1.0, (100, 6_000), (0.85, 1.0))],
        budget: 6_000,
        time: "Half a minute on one processor core.",
        ..QUICK
    },
    Preset {
        slug: "scaling",
        name: "Time against n, for 2, 3 and 4 bits",
        group: Group::Search,
        link: "#v1/sparse-parity?lr=1&replicas=20&steps=10000&every=10&held=128&sweep=n:10_15_20_25_30&series=k:2_3_4&speed=0&show=accuracy.times.sweep",
        claim: "Time grows as a power of n that grows with k: the network adapts to sparsity that nobody told it.",
        source: "Edelman 2024, figure 5.1 (right) and figure B.6",
        instance: "Setting (ii) with the thesis's batch 32, learning rate 1 and 128 points for checking; 20 trials per point instead of 1,000.",
        expect: &[
            Expect::Exponent { series: 0, values: (0, 4), between: (0.2, 1.0) },
            Expect::Exponent { series: 1, values: (0, 4), between: (0.8, 1.6) },
            Expect::Exponent { series: 2, values: (0, 4), between: (1.4, 2.4) },
            Expect::MedianTime { series: 2, at: 4, between: (700, 1_700) },
        ],
        budget: 10_000,
        time: "About ten seconds on one processor core.",
        ..QUICK
    },
    Preset {
        slug: "scaling-full",
        name: "Time against n, 1,000 trials per point",
        group: Group::Search,
        link: "#v1/sparse-parity?lr=1&replicas=1000&steps=10000&every=10&held=128&sweep=n:10_15_20_25_30&series=k:2_3_4&speed=0&show=accuracy.times.sweep",
        claim: "The same with the thesis's thousand trials per point: the medians' intervals shrink to the width of a line.",
        source: "Edelman 2024, figure 5.1 (right)",
        instance: "Full size.",
        expect: &[Expect::Exponent { series: 2, values: (0, 4), between: (1.4, 2.4) }],
        budget: 10_000,
        time: "Seconds on a GPU, about five minutes on one processor core.",
        ..QUICK
    },
    Preset {
        slug: "elbow",
        name: "The elbow: larger n, larger exponent",
        group: Group::Search,
        link: "#v1/sparse-parity?lr=1&replicas=20&every=10&held=128&sweep=n:10_20_40_80_160&speed=0&show=accuracy.times.sweep",
        claim: "For 3 bits the exponent rises from about 1 to 2 as n doubles from 10 to 160: no power law of random search.",
        source: "Edelman 2024, figure 5.2 (right)",
        instance: "Setting (ii), batch 32, learning rate 1; 20 trials per point instead of 1,000.",
        expect: &[
            Expect::Exponent { series: 0, values: (0, 1), between: (0.7, 1.4) },
            Expect::Exponent { series: 0, values: (3, 4), between: (1.7, 2.6) },
        ],
        budget: 20_000,
        time: "Half a minute on one processor core.",
        ..QUICK
    },
    Preset {
        slug: "width-sweep",
        name: "Width 3 to 1,000: no speed-up, less luck",
        group: Group::Search,
        link: "#v1/sparse-parity?n=30&bias=hidden&batch=128&replicas=20&every=20&held=1024&sweep=width:3_4_5_7_10_30_100_300_1000&speed=0&show=accuracy.times.sweep",
        claim: "A hundred times the neurons do not make it a hundred times faster; what they buy is that every seed arrives, at the same time.",
        source: "Edelman 2024, figure 5.4 (left) and figure B.10",
        instance: "ReLU without output bias, batch 128, learning rate 0.1 as in the thesis; n = 30, width up to 1,000 instead of 3 million, 20 trials instead of 1,000.",
        expect: &[
            Expect::Solved { series: 0, at: 0, share: (0.0, 0.2) },
            Expect::Solved { series: 0, at: 5, share: (0.95, 1.0) },
            Expect::MedianTime { series: 0, at: 6, between: (850, 1_400) },
            Expect::MedianTime { series: 0, at: 8, between: (750, 1_300) },
            Expect::Narrows { from: 4, to: 6, times: 1.5 },
        ],
        budget: 20_000,
        time: "About a minute on one processor core.",
        ..QUICK
    },
    // Few examples and wrong labels.
    Preset {
        slug: "parity-grokking",
        name: "Memorise first, understand later",
        group: Group::Data,
        link: "#v1/sparse-parity?n=30&m=700&wd=0.003&seed=2&steps=30000&target=0.98&every=100&speed=2000",
        claim: "On 700 fixed examples the network is perfect on what it has seen long before it is right on what it has not.",
        source: "Edelman 2024, figure 5.4 (right) and appendix B.3.5",
        instance: "Width 100, batch 32, learning rate 0.1 as in the thesis; (n, k), sample size and weight decay, which the text leaves open, are ours.",
        expect: &[
            Expect::Reaches {
                measure: Measure::TrainAccuracy,
                at_least: 0.999,
                steps: (300, 4_000),
                share: ALL,
            },
            learns(0.98, (3_000, 30_000), (0.9, 1.0)),
        ],
        budget: 30_000,
        ..QUICK
    },
    Preset {
        slug: "grokking-too-few",
        name: "Too few examples: never understood",
        group: Group::Data,
        link: "#v1/sparse-parity?n=30&m=300&wd=0.003&steps=30000&target=0.98&every=100&speed=4000",
        claim: "300 examples are memorised in 400 steps and never generalised from.",
        source: "Edelman 2024, figure 5.4 (right) and figure B.11",
        instance: "As the grokking preset, with 300 examples; the sample sizes are ours.",
        expect: &[
            Expect::Reaches {
                measure: Measure::TrainAccuracy,
                at_least: 0.999,
                steps: (100, 2_000),
                share: ALL,
            },
            never(0.9, 30_000),
        ],
        budget: 30_000,
        ..QUICK
    },
    Preset {
        slug: "grokking-enough",
        name: "Enough examples: no gap at all",
        group: Group::Data,
        link: "#v1/sparse-parity?n=30&m=2000&wd=0.003&steps=10000&target=0.98",
        claim: "With 2,000 examples training and held-out accuracy rise together.",
        source: "Edelman 2024, figure 5.4 (right) and figure B.11",
        instance: "As the grokking preset, with 2,000 examples; the sample sizes are ours.",
        expect: &[
            Expect::Reaches {
                measure: Measure::TrainAccuracy,
                at_least: 0.98,
                steps: (500, 3_000),
                share: ALL,
            },
            learns(0.98, (500, 3_000), ALL),
        ],
        budget: 10_000,
        ..QUICK
    },
    Preset {
        slug: "grokking-no-decay",
        name: "Without weight decay it stays memorised",
        group: Group::Data,
        link: "#v1/sparse-parity?n=30&m=1000&seed=2&steps=30000&target=0.98&every=100&speed=4000",
        claim: "On 1,000 examples and without weight decay everything seen is right for ever, and little else.",
        source: "Edelman 2024, figure B.11, top row",
        instance: "As the grokking preset, with 1,000 examples and λ = 0.",
        expect: &[
            Expect::Reaches {
                measure: Measure::TrainAccuracy,
                at_least: 0.999,
                steps: (500, 5_000),
                share: ALL,
            },
            Expect::Reaches {
                measure: Measure::TestAccuracy,
                at_least: 0.98,
                steps: (0, 30_000),
                share: (0.0, 0.2),
            },
        ],
        budget: 30_000,
        ..QUICK
    },
    Preset {
        slug: "grokking-too-much-decay",
        name: "Too much weight decay: nothing is learnt",
        group: Group::Data,
        link: "#v1/sparse-parity?n=30&m=1000&wd=0.1&target=0.98&every=100&speed=4000",
        claim: "With a weight decay of 0.1 the network cannot even memorise.",
        source: "Edelman 2024, figure B.11, bottom row",
        instance: "As the grokking preset, with 1,000 examples and λ = 0.1.",
        expect: &[
            Expect::Reaches {
                measure: Measure::TrainAccuracy,
                at_least: 0.98,
                steps: (0, 20_000),
                share: (0.0, 0.1),
            },
            never(0.98, 20_000),
        ],
        budget: 20_000,
        ..QUICK
    },
    Preset {
        slug: "grokking-map",
        name: "When it is understood, by sample size and weight decay",
        group: Group::Data,
        link: "#v1/sparse-parity?n=30&replicas=6&steps=40000&target=0.98&every=100&held=1024&sweep=m:300_500_700_1000_2000&series=wd:0.003_0.01_0.03&speed=0&show=accuracy.times.sweep",
        claim: "The more weight decay, the fewer examples are needed and the sooner it is understood; below 500 nothing helps.",
        source: "Edelman 2024, figure B.11",
        instance: "Width 100, batch 32, learning rate 0.1 as in the thesis; (n, k), sample sizes and decays are ours; 6 trials per point.",
        expect: &[
            Expect::Solved { series: 0, at: 0, share: (0.0, 0.0) },
            Expect::Solved { series: 2, at: 0, share: (0.0, 0.2) },
            Expect::MedianTime { series: 0, at: 2, between: (5_000, 20_000) },
            Expect::MedianTime { series: 2, at: 2, between: (1_200, 4_500) },
            Expect::Solved { series: 2, at: 1, share: (0.6, 1.0) },
        ],
        budget: 40_000,
        time: "About a minute on one processor core.",
        ..QUICK
    },
    Preset {
        slug: "parity-noise",
        name: "A quarter of the labels is wrong",
        group: Group::Data,
        link: "#v1/sparse-parity?n=30&noise=0.25&target=0.98&speed=1000",
        claim: "With a quarter of the labels flipped the signal halves and the plateau grows, but the parity is still found.",
        source: "Edelman 2024, appendix B.3.6 and figure B.12",
        instance: "Kept: width 100, learning rate 0.1, accuracy on clean labels. Shrunk: 30 bits instead of 50; solved means 98 %.",
        expect: &[learns(0.98, (1_000, 10_000), ALL)],
        budget: 10_000,
        ..QUICK
    },
    Preset {
        slug: "noise-sweep",
        name: "Time against label noise",
        group: Group::Data,
        link: "#v1/sparse-parity?n=30&replicas=20&target=0.98&held=1024&sweep=noise:0_0.1_0.2_0.25_0.3_0.35_0.4&speed=0&show=accuracy.times.sweep",
        claim: "Noise p shrinks the signal to 1 − 2p: at 40 % wrong labels it takes about six times as long, and still succeeds.",
        source: "Edelman 2024, appendix B.3.6 and figure B.12",
        instance: "Width 100, learning rate 0.1, batch 32; 30 bits instead of 50; solved means 98 %.",
        expect: &[
            Expect::MedianTime { series: 0, at: 0, between: (900, 1_500) },
            Expect::MedianTime { series: 0, at: 3, between: (2_000, 3_600) },
            Expect::MedianTime { series: 0, at: 6, between: (5_500, 9_500) },
        ],
        budget: 20_000,
        time: "About twenty seconds on one processor core.",
        ..QUICK
    },
    Preset {
        slug: "noise-49",
        name: "49 % of the labels are wrong",
        group: Group::Data,
        link: "#v1/sparse-parity?n=30&noise=0.49&batch=1024&steps=60000&target=0.6&every=500&held=4096&speed=0",
        claim: "A signal of one fiftieth: after some ten thousand steps the network is better than chance, which no noise-free shortcut could do.",
        source: "Edelman 2024, appendix B.3.6 and figure B.12",
        instance: "Width 100 and learning rate 0.1; batch 1,024 is ours; 30 bits instead of 50; found means 60 %.",
        expect: &[learns(0.6, (10_000, 60_000), (0.5, 1.0))],
        budget: 60_000,
        time: "Half a minute on one processor core.",
        ..QUICK
    },
    // Depth and width.
    Preset {
        slug: "no-plateau",
        name: "No plateau: z³, width 1,000, batch 1,024",
        group: Group::Depth,
        link: "#v1/sparse-parity?width=1000&act=power&lr=0.01&batch=1024&steps=400&halt=steps&every=10&held=4096&speed=0",
        claim: "Wide polynomial networks are the exception: their error falls steadily from the first step on.",
        source: "Edelman 2024, appendix B.3.8 and figure B.13, setting (vi)",
        instance: "Full size: (50, 3), width 1,000, batch 1,024; the learning rate is that of figure B.2.",
        expect: &[
            Expect::Median { measure: Measure::TestAccuracy, step: 160, between: (0.515, 0.56) },
            Expect::Median { measure: Measure::TestAccuracy, step: 400, between: (0.54, 0.65) },
        ],
        budget: 400,
        time: "Some seconds on one processor core.",
        ..QUICK
    },
    Preset {
        slug: "plateau-narrow",
        name: "The same, narrow and with small batches: a plateau",
        group: Group::Depth,
        link: "#v1/sparse-parity?width=10&act=power&lr=0.01&steps=3000&every=10&held=4096&speed=200",
        claim: "Ten cubic neurons and batches of 32 are at chance when the wide network is well on its way.",
        source: "Edelman 2024, appendix B.3.8 and figure B.13, setting (iv)",
        instance: "The control of the preset before: width 10 instead of 1,000, batch 32 instead of 1,024.",
        expect: &[Expect::Median { measure: Measure::TestAccuracy, step: 400, between: (0.48, 0.52) }],
        budget: 3_000,
        ..QUICK
    },
    Preset {
        slug: "deep",
        name: "Depth without layers: 4 bits, two quadratic layers",
        group: Group::Depth,
        link: "#v1/sparse-parity?model=deep-mlp&n=20&k=4&lr=0.01&held=1024&speed=2000",
        claim: "z² of z² is of degree 4: trained end to end, the network learns a parity that no single layer can see.",
        source: "Edelman 2024, appendix B.3.7",
        instance: "L = 3 with widths (2, 1), batch 32, learning rate 0.01, uniform initialisation as in the thesis, with the output bias without which the output has one sign; n = 20.",
        expect: &[learns(1.0, (500, 20_000), (0.6, 1.0))],
        budget: 20_000,
        time: "Some seconds on one processor core.",
        ..QUICK
    },
    Preset {
        slug: "layer-by-layer",
        name: "Layer by layer nothing is learnt",
        group: Group::Depth,
        link: "#v1/sparse-parity?model=deep-mlp&n=20&k=4&layers=greedy&lr=0.01&held=1024&speed=2000",
        claim: "Trained one layer after the other, the same network stays near chance: a parity of 4 is uncorrelated with every quadratic.",
        source: "Edelman 2024, appendix B.3.7",
        instance: "The control of the preset before: each layer is trained with a head of its own, then frozen.",
        expect: &[never(0.6, 20_000)],
        budget: 20_000,
        time: "Some seconds on one processor core.",
        ..QUICK
    },
    Preset {
        slug: "too-shallow",
        name: "Degree 4 cannot make 5 bits",
        group: Group::Depth,
        link: "#v1/sparse-parity?model=deep-mlp&n=10&k=5&lr=0.01&held=1024&speed=2000",
        claim: "Two layers of z² are a polynomial of degree 4, and every parity of 5 bits is uncorrelated with it.",
        source: "Edelman 2024, appendix B.3.7",
        instance: "The thesis's own control: L = 3, k = 5.",
        expect: &[never(0.65, 20_000)],
        budget: 20_000,
        time: "Some seconds on one processor core.",
        ..QUICK
    },
    Preset {
        slug: "deeper",
        name: "Four layers, six bits",
        group: Group::Depth,
        link: "#v1/sparse-parity?model=deep-mlp&n=10&k=6&widths=10.10.1&lr=0.01&steps=50000&every=100&held=1024&speed=0",
        claim: "Three quadratic layers reach degree 8 and learn a parity of 6 bits end to end.",
        source: "Edelman 2024, appendix B.3.7",
        instance: "L = 4 with widths (10, 10, 1), batch 32, learning rate 0.01 as in the thesis; n = 10.",
        expect: &[learns(1.0, (1_000, 50_000), (0.7, 1.0))],
        budget: 50_000,
        time: "Under a minute on one processor core.",
        ..QUICK
    },
];
