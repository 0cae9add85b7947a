//! Networks on pairs of elements: chapter 7 of the thesis and appendix D (Morwani et al. 2023).

mod experiments;
mod grokking;

use vivarium_model::chart;
use vivarium_view::presets::{
    ALL_REPLICAS, Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup, expect_learned,
};

/// Every preset of the lab of finite groups, one slice per menu group.
pub const PRESETS: &[&[Preset]] = &[MODULAR_PRESETS, FINITE_GROUP_PRESETS, grokking::GROKKING_PRESETS];

/// Menu group of the presets on addition modulo n (Edelman 2024, figures 7.1, 7.4 and D.1).
const MODULAR_GROUP: PresetGroup = PresetGroup {
    slug: "notes",
    name: "Modular addition: one frequency per neuron",
    charts: &[chart::MARGIN],
};

/// Menu group of the presets on finite groups other than addition modulo n (Edelman 2024, figures 7.6, D.2 and D.3).
const FINITE_GROUPS_GROUP: PresetGroup =
    PresetGroup { slug: "groups", name: "Finite groups", charts: &[chart::MARGIN] };

/// Expects the median over replicas of `measure`, at training step `step`, to be in the range `between`.
const fn expect_median(measure: ExpectedMeasure, step: u64, between: (f32, f32)) -> Expectation {
    Expectation::Median { measure, step, between }
}

/// Expects the median over replicas of the normalised margin, as a share of the largest possible margin γ*, to be in
/// the range `between` at training step `step`.
const fn expect_margin_share(step: u64, between: (f32, f32)) -> Expectation {
    expect_median(ExpectedMeasure::Margin, step, between)
}

/// Expects that at swept value number `at` the median of the final margin over γ* lies within `between`.
const fn expect_final_margin(at: usize, between: (f32, f32)) -> Expectation {
    Expectation::FinalMeasure { measure: ExpectedMeasure::Margin, series: 0, at, between }
}

/// Remark on presets with a penalty λ‖θ‖^r: the thesis (Edelman 2024) does not state r.
const EXPONENT_NOTE: &str = "The thesis does not state the exponent r of its penalty λ‖θ‖^r; here r = ν.";

/// Presets on addition modulo n, learned by networks with one hidden layer.
const MODULAR_PRESETS: &[Preset] = &[
    Preset {
        slug: "z23",
        name: "One frequency per neuron: addition modulo 23",
        group: &MODULAR_GROUP,
        link: "#v1/groups?speed=60&show=margin.neurons.purity.mass",
        claim: "At the end each live neuron has more than 99 % of its power in one frequency. Each of the eleven frequencies occurs in at least one neuron. The margin differs from the largest possible margin by less than 0.1 %.",
        source: "Edelman 2024, theorem 7.7 and figures 7.1c and 7.4c (Morwani et al. 2023)",
        experiment: Some(&experiments::FIGURE_7_1_QUADRATIC),
        departures: &[("learning rate", "doubled ten times, to 51.2", "constant")],
        remarks: EXPONENT_NOTE,
        expectations: &[
            expect_margin_share(300, (0.985, 1.0001)),
            expect_margin_share(600, (0.999, 1.0001)),
            expect_median(ExpectedMeasure::Purity, 600, (0.999, 1.0001)),
            expect_median(ExpectedMeasure::Pure, 600, (0.999, 1.0001)),
            expect_median(ExpectedMeasure::Agreement, 600, (0.999, 1.0001)),
            expect_median(ExpectedMeasure::Residual, 600, (0.0, 0.02)),
            expect_median(ExpectedMeasure::Kinds, 600, (0.999, 1.0001)),
        ],
        max_steps: 600,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "z23-phases",
        name: "The phase of w is the sum of two phases",
        group: &MODULAR_GROUP,
        link: "#v1/groups?seed=1&speed=60&show=purity.phases.residual.curve",
        claim: "From neuron to neuron, the phases of u and v differ. In the median neuron, the phase of w differs from the sum of the phases of u and v by at most 0.02 radians. In each live neuron, u, v and w have the same frequency.",
        source: "Edelman 2024, theorem 7.7 and figure 7.1b",
        experiment: Some(&experiments::FIGURE_7_1_QUADRATIC),
        departures: &[("learning rate", "doubled ten times, to 51.2", "constant")],
        remarks: "The settings of “One frequency per neuron: addition modulo 23”, with another seed.",
        expectations: &[
            expect_median(ExpectedMeasure::Residual, 600, (0.0, 0.02)),
            expect_median(ExpectedMeasure::Agreement, 600, (0.999, 1.0001)),
        ],
        max_steps: 600,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "z23-outputs",
        name: "Equal logits for all wrong answers",
        group: &MODULAR_GROUP,
        link: "#v1/groups?seed=2&speed=60&show=loss.margin.counts.outputs",
        claim: "In a network with the largest possible margin, the logit of the right answer is larger than the logit of each wrong answer. The difference is the same for all wrong answers and for all pairs.",
        source: "Edelman 2024, lemma 7.6 and appendix D.6",
        experiment: Some(&experiments::FIGURE_7_1_QUADRATIC),
        departures: &[("learning rate", "doubled ten times, to 51.2", "constant")],
        remarks: "The settings of “One frequency per neuron: addition modulo 23”, with another seed.",
        expectations: &[expect_margin_share(600, (0.999, 1.0001))],
        max_steps: 600,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "z31",
        name: "Addition modulo 31",
        group: &MODULAR_GROUP,
        link: "#v1/groups?n=31&width=256&steps=1000&speed=100",
        claim: "A larger modulus has more frequencies, and training takes more steps: at step 300 the margin is between 60 and 97 % of the largest possible margin, and with modulus 23 it is above 98 %. At step 1,000 it is at least 97 %.",
        source: "Edelman 2024, theorem 7.7",
        experiment: Some(&experiments::FIGURE_7_1_QUADRATIC),
        departures: &[("learning rate", "doubled ten times, to 51.2", "constant")],
        remarks: EXPONENT_NOTE,
        expectations: &[
            expect_margin_share(300, (0.6, 0.97)),
            expect_margin_share(1_000, (0.97, 1.0001)),
            expect_median(ExpectedMeasure::Purity, 1_000, (0.99, 1.0001)),
        ],
        max_steps: 1_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "z71",
        name: "As in the thesis: addition modulo 71",
        group: &MODULAR_GROUP,
        link: "#v1/groups?opt=sgd&n=71&width=500&lambda=0.0001&lr=0.05&steps=40000&every=100&lrs=1000:0.1_2000:0.2_3000:0.4_4000:0.8_5000:1.6_6000:3.2_7000:6.4_8000:12.8_9000:25.6_10000:51.2&speed=0",
        claim: "This run uses gradient descent with a learning rate that doubles ten times. At the end the median neuron has more than 99 % of its power in one frequency, and each of the 35 frequencies occurs in at least one neuron. The margin is at least 97 % of the largest possible margin.",
        source: "Edelman 2024, figure 7.1 and appendix D.2.1",
        experiment: Some(&experiments::FIGURE_7_1_QUADRATIC),
        remarks: EXPONENT_NOTE,
        expectations: &[
            expect_learned(1.0, (500, 20_000), ALL_REPLICAS),
            expect_margin_share(40_000, (0.97, 1.0001)),
            expect_median(ExpectedMeasure::Purity, 40_000, (0.99, 1.0001)),
            expect_median(ExpectedMeasure::Kinds, 40_000, (0.999, 1.0001)),
        ],
        max_steps: 40_000,
        duration_note: "Long: about ten minutes on one core of a server, half an hour in a browser without a GPU.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "z23-relu",
        name: "ReLU: almost one frequency per neuron",
        group: &MODULAR_GROUP,
        link: "#v1/groups?opt=sgd&width=128&act=relu&lambda=0.0001&nu=2&lr=0.05&steps=3000&every=20&lrs=200:0.1_400:0.2_600:0.4_800:0.8_1000:1.6_1200:3.2_1400:6&show=accuracy.neurons.purity.curve",
        claim: "With ReLU and a plain L2 penalty, the median neuron has about nine tenths of its power in one frequency, and one tenth in other frequencies.",
        source: "Edelman 2024, figures 7.1a and 7.4b",
        experiment: Some(&experiments::FIGURE_7_1_RELU),
        departures: &[(
            "learning rate",
            "doubled ten times, to 51.2",
            "doubled six times and then raised to 6",
        )],
        remarks: EXPONENT_NOTE,
        expectations: &[
            expect_learned(1.0, (100, 3_000), ALL_REPLICAS),
            expect_median(ExpectedMeasure::Purity, 3_000, (0.85, 0.95)),
            expect_median(ExpectedMeasure::Kinds, 3_000, (0.999, 1.0001)),
        ],
        max_steps: 3_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "z23-narrow",
        name: "88 neurons are too few to reach the largest margin in training",
        group: &MODULAR_GROUP,
        link: "#v1/groups?width=88&speed=60",
        claim: "A theorem says that 88 neurons suffice for the largest margin. In training some frequencies get too few neurons, and the margin stays below the largest possible margin.",
        source: "Edelman 2024, theorem 7.7: 4(p − 1) neurons",
        experiment: Some(&experiments::FIGURE_7_1_QUADRATIC),
        departures: &[("learning rate", "doubled ten times, to 51.2", "constant")],
        remarks: "The settings of “One frequency per neuron: addition modulo 23”, with 88 neurons instead of 200.",
        expectations: &[
            expect_margin_share(600, (0.7, 0.97)),
            expect_median(ExpectedMeasure::Purity, 600, (0.99, 1.0001)),
        ],
        max_steps: 600,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "z7-memorise",
        name: "From memorising to one frequency per neuron",
        group: &MODULAR_GROUP,
        link: "#v1/groups?n=7&width=98&from=memorise&steps=1000&speed=100",
        claim: "At the start every pair has two neurons of its own, and the margin is less than half of the largest possible margin. With the penalty, training turns embeddings into waves: at the end the median neuron has more than 99 % of its power in one frequency.",
        source: "Edelman 2024, appendix D.4",
        remarks: "As in the thesis: two neurons with one-hot weights for every pair. Our additions: u, v and w have equal norms, and the network is then trained.",
        expectations: &[
            expect_median(ExpectedMeasure::Margin, 0, (0.457, 0.459)),
            expect_margin_share(1_000, (0.99, 1.0001)),
            expect_median(ExpectedMeasure::Purity, 1_000, (0.99, 1.0001)),
        ],
        max_steps: 1_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "z23-memorise",
        name: "A perfect classifier with memorised pairs",
        group: &MODULAR_GROUP,
        link: "#v1/groups?width=1058&from=memorise&lr=0&steps=100&show=accuracy.margin.neurons.curve",
        claim: "This network gives the right answer for every pair, although the spectra of its neurons are flat and its margin is only 28 % of the largest possible margin. So right answers do not require waves.",
        source: "Edelman 2024, appendix D.4",
        remarks: "The network is not trained: a formula gives the weights of 2p² neurons. Our choice: equal norms of u, v and w.",
        expectations: &[
            expect_margin_share(100, (0.2815, 0.2825)),
            expect_learned(1.0, (0, 1), ALL_REPLICAS),
        ],
        max_steps: 100,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "z23-fourier",
        name: "A perfect classifier with waves",
        group: &MODULAR_GROUP,
        link: "#v1/groups?width=88&from=maximum&lr=0&steps=100&show=accuracy.margin.neurons.curve",
        claim: "A formula gives the weights of this network, with eight neurons for every frequency. The network has the largest possible margin.",
        source: "Edelman 2024, appendix D.6",
        remarks: "The network is not trained: a formula gives the weights of 4(p − 1) neurons.",
        expectations: &[
            expect_margin_share(100, (0.9999, 1.0001)),
            expect_learned(1.0, (0, 1), ALL_REPLICAS),
        ],
        max_steps: 100,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "quadratic-form",
        name: "Not a group: a² + ab + b² modulo 23",
        group: &MODULAR_GROUP,
        link: "#v1/groups?op=quad&speed=100",
        claim: "The network learns the table of a² + ab + b² modulo 23, which is not the table of a group. In the median neuron, no frequency has more than 60 % of the power of the embedding u. So the waves in the runs on addition are due to the group structure of addition.",
        source: "Our control; the quadratic form is from Power et al. 2022",
        remarks: "Network, penalty and optimizer as in “One frequency per neuron: addition modulo 23”.",
        expectations: &[
            expect_learned(1.0, (20, 300), ALL_REPLICAS),
            expect_median(ExpectedMeasure::Purity, 600, (0.0, 0.6)),
        ],
        max_steps: 600,
        ..PRESET_DEFAULTS
    },
];

/// Presets on finite groups other than addition modulo n, and on tables that are not groups.
const FINITE_GROUP_PRESETS: &[Preset] = &[
    Preset {
        slug: "s3",
        name: "Six permutations: S3",
        group: &FINITE_GROUPS_GROUP,
        link: "#v1/groups?op=symmetric&width=100&lambda=0.0001&steps=1500&speed=200&show=margin.neurons.mass.characters",
        claim: "In the median neuron, one irrep has more than 99 % of the power. Because the penalty λ is not zero, the two-dimensional irrep has a smaller share of the norm than in a network with the largest possible margin, as theory predicts.",
        source: "Edelman 2024, theorem 7.9 and figure D.2",
        experiment: Some(&experiments::FIGURE_D_2),
        departures: &[("learning rate", "doubled 15 times, to 1638.4", "constant")],
        remarks: EXPONENT_NOTE,
        expectations: &[
            expect_margin_share(1_500, (0.94, 0.9625)),
            expect_median(ExpectedMeasure::Purity, 1_500, (0.99, 1.0001)),
            expect_median(ExpectedMeasure::Mass(2), 1_500, (0.807, 0.827)),
        ],
        max_steps: 1_500,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "s3-certificate",
        name: "S3: every neuron is optimal, but the network is not",
        group: &FINITE_GROUPS_GROUP,
        link: "#v1/groups?op=symmetric&width=100&steps=1500&speed=200&show=margin.mass.classes.certificate",
        claim: "At the end, the weighted margin of every neuron whose weights are not zero is close to γ*, the largest possible value. Still, the margin of the network is about 94 % of γ*: for λ = 0.001 the two-dimensional irrep has too small a share of the norm. The class of (1 2 3) has the smallest margin; the margin of the class of (1 2) is about 7 % above γ*.",
        source: "Edelman 2024, lemmas 7.5 and 7.6 and theorem 7.9",
        experiment: Some(&experiments::FIGURE_D_2),
        departures: &[("learning rate", "doubled 15 times, to 1638.4", "constant")],
        remarks: EXPONENT_NOTE,
        expectations: &[
            expect_margin_share(1_500, (0.93, 0.945)),
            expect_median(ExpectedMeasure::Purity, 1_500, (0.99, 1.0001)),
        ],
        max_steps: 1_500,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "s3-margins",
        name: "S3: the margin approaches its maximum as λ falls",
        group: &FINITE_GROUPS_GROUP,
        link: "#v1/groups?op=symmetric&width=100&cool=cosine&steps=30000&every=1000&sweep=lambda:1e-7_1e-6_1e-5_0.0001_0.001&speed=0&show=margin.margins",
        claim: "The smaller the penalty λ, the closer the margin is to the largest possible margin γ*, as theorem 7.1 says. Even for λ = 10⁻⁷ the margin is 2 % below γ*. At each λ the networks reach the margin that theory predicts.",
        source: "Edelman 2024, theorem 7.1 and appendix D.2.3",
        experiment: Some(&experiments::FIGURE_D_2),
        departures: &[("learning rate", "doubled 15 times, to 1638.4", "constant")],
        remarks: EXPONENT_NOTE,
        expectations: &[
            expect_final_margin(0, (0.98, 0.981)),
            expect_final_margin(1, (0.9761, 0.9771)),
            expect_final_margin(2, (0.9704, 0.9714)),
            expect_final_margin(3, (0.9608, 0.9618)),
            expect_final_margin(4, (0.9414, 0.9424)),
        ],
        max_steps: 30_000,
        duration_note: "About half a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "s4",
        name: "The rotations of a cube: S4",
        group: &FINITE_GROUPS_GROUP,
        link: "#v1/groups?op=symmetric&letters=4&width=400&lambdas=200:0.0001_400:0.00001_600:1e-6&steps=800&speed=60&show=margin.purity.counts.mass",
        claim: "The penalty λ is lowered three times, and the margin rises to more than 89 % of the largest possible margin. Irreps of higher dimension get a larger share of the norm.",
        source: "Edelman 2024, theorem 7.9 and figure D.3",
        experiment: Some(&experiments::FIGURE_D_3),
        departures: &[("learning rate", "doubled 15 times, to 1638.4", "constant")],
        remarks: EXPONENT_NOTE,
        expectations: &[
            expect_margin_share(800, (0.89, 0.94)),
            expect_median(ExpectedMeasure::Purity, 800, (0.99, 1.0001)),
            expect_median(ExpectedMeasure::Kinds, 800, (0.999, 1.0001)),
            expect_median(ExpectedMeasure::Mass(1), 800, (0.03, 0.08)),
            expect_median(ExpectedMeasure::Mass(2), 800, (0.16, 0.2)),
            expect_median(ExpectedMeasure::Mass(3), 800, (0.36, 0.41)),
            expect_median(ExpectedMeasure::Mass(4), 800, (0.36, 0.41)),
        ],
        max_steps: 800,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "d5",
        name: "The symmetries of a pentagon: D5",
        group: &FINITE_GROUPS_GROUP,
        link: "#v1/groups?op=dihedral&n=5&width=100&lambda=0.0001&steps=1200&speed=150&show=margin.neurons.mass.cosets",
        claim: "Besides the trivial irrep, the group D5 has one sign irrep and two irreps of dimension two. The two irreps of dimension two have nearly equal shares of the norm, and each share differs from the prediction of our theory by at most 1.5 percentage points.",
        source: "Edelman 2024, theorem 7.9",
        remarks: "The group D5 is not in the thesis, but theorem 7.9 covers this group. The prediction for λ above 0 is ours. Our choices: 100 neurons, Adam, λ = 0.0001.",
        expectations: &[
            expect_margin_share(1_200, (0.94, 0.965)),
            expect_median(ExpectedMeasure::Mass(1), 1_200, (0.105, 0.125)),
            expect_median(ExpectedMeasure::Mass(2), 1_200, (0.43, 0.456)),
            expect_median(ExpectedMeasure::Mass(3), 1_200, (0.43, 0.456)),
        ],
        max_steps: 1_200,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "a5",
        name: "Group A5: one irrep stays unused",
        group: &FINITE_GROUPS_GROUP,
        link: "#v1/groups?op=alternating&letters=5&width=300&lambda=0.0001&lambdas=500:0.00001&std=0.15&steps=700&every=10&speed=0&show=margin.purity.counts.mass",
        claim: "Theorem 7.9 does not apply to the group A5. A more general theory predicts that the network does not use the five-dimensional irrep. In training, the share of this irrep in the norm falls below 1 %.",
        source: "Edelman 2024, appendix D.9.2",
        remarks: "For groups to which theorem 7.9 does not apply, the thesis contains only theory and no training runs. Our choices: 300 neurons, Adam, two values of λ.",
        expectations: &[
            expect_learned(1.0, (10, 300), ALL_REPLICAS),
            expect_median(ExpectedMeasure::Mass(4), 700, (0.0, 0.01)),
            expect_median(ExpectedMeasure::Purity, 700, (0.95, 1.0001)),
        ],
        max_steps: 700,
        duration_note: "A few seconds on one core, half a minute in a browser without a GPU.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "s5",
        name: "A hundred and twenty permutations: S5",
        group: &FINITE_GROUPS_GROUP,
        link: "#v1/groups?opt=sgd&op=symmetric&letters=5&width=2000&lambda=0.00001&lr=0.05&batch=1000&steps=75000&every=500&lrs=3000:0.1_6000:0.2_9000:0.4_12000:0.8_15000:1.6_18000:3.2_21000:6.4_24000:12.8&speed=0&show=margin.purity.counts.mass",
        claim: "The network trains on 14,400 pairs in batches of a thousand. The seven irreps are computed from the multiplication table of the group. At the end one irrep has at least 90 % of the power in the median neuron. In figure 7.6b of the thesis, irreps of higher dimension have more neurons. Our theory for λ = 0.00001 predicts the share 0 for the irrep of dimension six; only in the limit λ → 0 does its share rise to 33 %.",
        source: "Edelman 2024, figure 7.6 and appendix D.2.3",
        experiment: Some(&experiments::FIGURE_7_6),
        remarks: "The thesis does not state the exponent r of its penalty λ‖θ‖^r; here r = ν. Another r changes the effective λ, and with it the predicted shares.",
        expectations: &[
            expect_learned(0.99, (1_000, 75_000), ALL_REPLICAS),
            expect_median(ExpectedMeasure::Purity, 75_000, (0.9, 1.0001)),
        ],
        max_steps: 75_000,
        duration_note: "Very long: an hour on one core of a server.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "q8",
        name: "Quaternion group: an irrep of quaternionic type",
        group: &FINITE_GROUPS_GROUP,
        link: "#v1/groups?op=quaternion&width=100&lambda=0.0001&steps=1500&speed=200&show=margin.neurons.mass.characters",
        claim: "The quaternion group has one irrep of real dimension four. We extended the theory of margins to this irrep. For λ = 0.0001 it predicts 86 % of the largest possible margin, and the margin after training differs from this prediction by less than 3 percentage points.",
        source: "Edelman 2024, appendix D.9; the quaternionic case is ours",
        remarks: "The quaternion group is not in the thesis, because theorem 7.9 requires real irreps. Our choices: 100 neurons, Adam, λ = 0.0001.",
        expectations: &[
            expect_margin_share(1_500, (0.84, 0.885)),
            expect_median(ExpectedMeasure::Purity, 1_500, (0.97, 1.0001)),
        ],
        max_steps: 1_500,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "cube-of-bits",
        name: "Exclusive or, bit by bit: Z2 × Z2 × Z2",
        group: &FINITE_GROUPS_GROUP,
        link: "#v1/groups?op=product&width=100&speed=60&show=margin.neurons.mass.curve",
        claim: "All seven non-trivial irreps are parities of dimension one. The margin comes close to the largest possible margin, although the penalty λ is not small.",
        source: "Edelman 2024, theorem 7.9",
        remarks: "The group Z2 × Z2 × Z2 is not in the thesis, but theorem 7.9 covers this group. Our choices: 100 neurons, Adam, λ = 0.001.",
        expectations: &[
            expect_margin_share(600, (0.98, 1.0001)),
            expect_median(ExpectedMeasure::Kinds, 600, (0.999, 1.0001)),
        ],
        max_steps: 600,
        ..PRESET_DEFAULTS
    },
];
