//! Other functions and other inputs: linear regression, sparse weights, trees, the paper's mixtures, longer prompts and
//! shifted inputs.

use super::{ends, explains};
use crate::presets::{Expect, Measure, Preset, PresetGroup};
use crate::tasks::in_context_learning::charts;

/// Functions and inputs.
const GROUP: PresetGroup = PresetGroup {
    slug: "learned-functions",
    name: "Other functions and inputs",
    charts: &[charts::EXPLAINED],
};

/// With the methods that see one prompt alone.
pub(super) const FUNCTIONS: &[Preset] = &[
    Preset {
        slug: "linear-regression",
        name: "Linear functions: nearly as good as least squares",
        group: &GROUP,
        link: "#v1/in-context-learning?class=linear&dim=2&const=no&points=11&s=1&blocks=3&show=explained.examples.maps",
        claim: "Trained on linear functions, three layers predict a new one nearly as well as least squares of least norm, which is the Bayes-optimal prediction without noise and the limit of ridge regression as λ goes to 0.",
        source: "Garg, Tsipras, Liang and Valiant 2022, section 3, figure 2",
        instance: "Kept: w ∼ N(0, I), inputs N(0, I), no noise, interleaved tokens, the squared error on all points. Shrunk, an instance of ours: d = 2 instead of 20, 11 points instead of 41, 3 layers of width 32 instead of 12 of 256, 4,000 steps of 64 prompts instead of 500,000, no curriculum.",
        expect: &[explains(4_000, (0.75, 0.9999))],
        budget: 4_000,
        time: "About half a minute on one processor core.",
    },
    Preset {
        slug: "noisy-linear-regression",
        name: "Linear functions with noise: beside ridge regression",
        group: &GROUP,
        link: "#v1/in-context-learning?class=linear&dim=2&const=no&points=11&s=1&noise=0.5&blocks=3&show=explained.examples.maps",
        claim: "With noise on the labels ridge regression with λ = σ² is the Bayes-optimal prediction. Trained on such prompts, three layers come near its R² after 10 examples.",
        source: "Garg, Tsipras, Liang and Valiant 2022, section 4 (noisy linear regression)",
        instance: "The settings of “Linear functions: nearly as good as least squares”, with noise of standard deviation σ = 0.5 on the labels of training and test. The labels that are predicted have noise, too, so that no prediction has an R² of 1.",
        expect: &[explains(4_000, (0.7, 0.87))],
        budget: 4_000,
        time: "About half a minute on one processor core.",
    },
    Preset {
        slug: "sparse-linear",
        name: "Sparse linear functions: ahead of least squares after one example",
        group: &GROUP,
        link: "#v1/in-context-learning?class=sparse&dim=2&const=no&points=4&s=1&blocks=3&format=joint&batch=128&show=explained.examples.maps",
        claim: "One of two weights is 0; which one differs from prompt to prompt. After one example, half as many as an input has numbers, the transformer's error is below that of least squares, which does not use sparsity; the Bayes-optimal error is lower still. From two examples on least squares is exact, and the transformer is not.",
        source: "Garg, Tsipras, Liang and Valiant 2022, section 5, figure 5",
        instance: "Kept: weights N(0, 1) at places drawn for each prompt and 0 elsewhere, inputs N(0, I), no noise, the squared error on all points. Shrunk: d = 2 with 1 weight instead of 20 with 3, 4 points instead of 41, 3 layers of width 32 instead of 12 of 256, 4,000 steps of 128 prompts instead of 500,000 of 64, no curriculum. Ours: joint tokens. Mean squared error after one example, on 20,000 prompts for each of three seeds: 0.38 to 0.42; least squares 0.50, Bayes-optimal about 0.32. The paper's transformer is better than least squares and nearly as good as the lasso. At d = 4 with 1 weight a network of this size was not below least squares, after 1, 2 or 3 examples (one seed).",
        expect: &[
            explains(4_000, (0.82, 0.99)),
            // Least squares has 1 − (1/2) / (3/4) = 0.333 on average: of the square of w half is left, and of four points
            // the variance within a prompt is three quarters of it.
            Expect::Median { measure: Measure::AfterExamples(1), step: 4_000, between: (0.37, 0.6) },
        ],
        budget: 4_000,
        time: "About half a minute on one processor core.",
    },
    Preset {
        slug: "decision-trees",
        name: "Decision trees: above ridge regression and the nearest examples",
        group: &GROUP,
        link: "#v1/in-context-learning?class=tree&dim=4&const=no&points=21&s=1&splits=2&show=explained.examples.maps",
        claim: "Trained on trees that look at two signs one after the other, two layers explain about 0.7 of the variance of a new one after 20 examples. Ridge regression on (x, 1), the nearest examples and a network that is trained on the prompt explain 0.4 at most: they do not use that the function is a tree.",
        source: "Garg, Tsipras, Liang and Valiant 2022, section 5, figure 5",
        instance: "Kept: full binary trees that look at the sign of one number at each node, leaves N(0, 1), inputs N(0, I), no noise, interleaved tokens, the squared error on all points. Shrunk: d = 4 instead of 20, depth 2 instead of 4, 21 points instead of 101, 2 layers of width 32 instead of 12 of 256, 4,000 steps of 64 prompts instead of 500,000, no curriculum. Not measured here: the greedy and the boosted trees, which the paper compares with.",
        expect: &[explains(4_000, (0.6, 0.8))],
        budget: 4_000,
        time: "About 40 seconds on one processor core.",
    },
    Preset {
        slug: "nearly-affine",
        name: "The paper's inputs, where an affine fit explains most",
        group: &GROUP,
        link: "#v1/in-context-learning?dim=2&const=no&points=21&dist=mixture&show=explained.examples.maps",
        claim: "With inputs from N(−2, I) random networks without biases are nearly affine: after 20 examples ridge regression on (x, 1) explains about 0.9 of the variance, a line that the paper's figures leave out.",
        source: "Wu, Su, Hu, Song and Liu 2024, appendix G, figures 1 and 2",
        instance: "Kept: inputs from N(−2, I), random networks of three layers without biases. Shrunk: d = 2 instead of 20, 21 points instead of 51, 2 layers of width 32, 4,000 steps. Ours: the affine fit.",
        expect: &[explains(4_000, (0.35, 0.995))],
        budget: 4_000,
        time: "About half a minute on one processor core.",
    },
    Preset {
        slug: "mixtures",
        name: "The paper's mixtures, with an affine fit beside them",
        group: &GROUP,
        link: "#v1/in-context-learning?dim=2&const=no&points=21&dist=mixture&sweep=tw2:0_0.1_0.3_0.5&speed=0&show=examples.depth",
        claim: "Trained on inputs from N(−2, I), the transformer is tested on mixtures with N(2, I). On the inputs of training random networks are nearly affine, so that ridge regression on (x, 1), which the paper's figure leaves out, explains most of the variance; on mixtures that the network has not seen, R² is lower.",
        source: "Wu, Su, Hu, Song and Liu 2024, appendix G, figures 1 and 2",
        instance: "Kept: training on N(−2, I), tests with weights 0, 0.1, 0.3 and 0.5 of N(2, I), random networks of three layers without biases. Shrunk: d = 2 instead of 20, 21 points instead of 51, 2 layers of width 32, 4,000 steps. Every run of the sweep trains the same network and tests it on other prompts. Ours: the affine fit.",
        expect: &[ends(0, 0, (0.005, 0.65)), ends(0, 3, (0.1, 5.0))],
        budget: 4_000,
        time: "A few minutes on one processor core.",
    },
    Preset {
        slug: "longer-prompts",
        name: "Prompts longer than in training",
        group: &GROUP,
        link: "#v1/in-context-learning?long=33",
        claim: "Trained on 17 points, the network is asked after up to 32 examples. The position vectors after point 17 were not trained; at this size R² stays about where it was, while methods that use only the prompt get better.",
        source: "Wu, Su, Hu, Song and Liu 2024, appendix G, figure 2; Garg, Tsipras, Liang and Valiant 2022, section 4",
        instance: "The settings of “Two layers learn to learn”, with test prompts of 33 points. The paper tests 76 points after training on 51, and finds that softmax attention drops beyond.",
        expect: &[
            explains(4_000, (0.78, 0.98)),
            Expect::Median { measure: Measure::AfterExamples(32), step: 4_000, between: (0.7, 0.99) },
        ],
        budget: 4_000,
        time: "About half a minute on one processor core.",
    },
    Preset {
        slug: "shifted-inputs",
        name: "Inputs narrower and wider than in training",
        group: &GROUP,
        link: "#v1/in-context-learning?sweep=ts:0.3_1_2&speed=0&show=examples.depth",
        claim: "With inputs that are 0.3 times as wide as in training R² is lower than as in training; with inputs twice as wide it falls less.",
        source: "Garg, Tsipras, Liang and Valiant 2022, section 4; our instance",
        instance: "The settings of “Two layers learn to learn”, with the inputs of the test multiplied by 0.3, 1 and 2. Every run of the sweep trains the same network.",
        expect: &[ends(0, 0, (0.06, 1.5)), ends(0, 1, (0.02, 0.22)), ends(0, 2, (0.02, 0.4))],
        budget: 4_000,
        time: "A few minutes on one processor core.",
    },
];
