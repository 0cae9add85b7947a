//! Other functions and other inputs: linear regression, sparse weights, trees, the paper's mixtures, longer prompts and
//! shifted inputs.

use super::{expect_final_error, expect_r2, experiments};
use vivarium_model::tasks::in_context_learning::charts;
use vivarium_view::presets::{Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup};

/// Menu group of the presets on prompts with various classes of target functions and distributions of inputs.
const FUNCTIONS_GROUP: PresetGroup = PresetGroup {
    slug: "learned-functions",
    name: "Other functions and inputs",
    charts: &[charts::EXPLAINED],
};

/// Presets that compare the network with baselines on several classes of functions.
pub(super) const FUNCTION_PRESETS: &[Preset] = &[
    Preset {
        slug: "linear-regression",
        name: "Linear functions: the transformer is nearly as good as least squares",
        group: &FUNCTIONS_GROUP,
        link: "#v1/in-context-learning?class=linear&dim=2&const=no&points=11&s=1&blocks=3&show=explained.examples.maps",
        claim: "A transformer of three layers is trained on linear functions. The trained transformer predicts the labels of a new linear function nearly as well as minimum-norm least squares. Without noise, minimum-norm least squares is the Bayes-optimal method; this method is the limit of ridge regression as λ goes to 0.",
        source: "Garg, Tsipras, Liang and Valiant 2022, section 3, figure 2",
        experiment: Some(&experiments::LINEAR),
        departures: &[
            ("training steps", "500,000", "4,000"),
            ("biases of the transformer", "trained", "none"),
            ("curriculum", "from 5 components and 11 points to 20 components and 41 points", "none"),
        ],
        expectations: &[expect_r2(4_000, (0.75, 0.9999))],
        max_steps: 4_000,
        duration_note: "About half a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "noisy-linear-regression",
        name: "Linear functions with noise: the transformer compared with ridge regression",
        group: &FUNCTIONS_GROUP,
        link: "#v1/in-context-learning?class=linear&dim=2&const=no&points=11&s=1&noise=0.5&blocks=3&show=explained.examples.maps",
        claim: "If the labels have noise of standard deviation σ, ridge regression with λ = σ² is the Bayes-optimal method. After 10 examples, a transformer of three layers that is trained on prompts with noisy labels has nearly the same R² as ridge regression.",
        source: "Garg, Tsipras, Liang and Valiant 2022, section 4 (noisy linear regression)",
        experiment: Some(&experiments::NOISY),
        departures: &[
            ("training steps", "500,000", "4,000"),
            ("biases of the transformer", "trained", "none"),
            ("curriculum", "from 5 components and 11 points to 20 components and 41 points", "none"),
            ("noise on the labels in training", "none", "as in the test"),
            ("labels with noise", "rescaled to their variance without noise", "not rescaled"),
        ],
        remarks: "The label to be predicted has noise as well, so no prediction can reach an R² of 1.",
        expectations: &[expect_r2(4_000, (0.7, 0.87))],
        max_steps: 4_000,
        duration_note: "About half a minute on one processor core.",
    },
    Preset {
        slug: "sparse-linear",
        name: "Sparse linear functions: the transformer compared with least squares",
        group: &FUNCTIONS_GROUP,
        link: "#v1/in-context-learning?class=sparse&dim=2&const=no&points=4&s=1&blocks=3&format=joint&batch=128&show=explained.examples.maps",
        claim: "Each prompt contains examples of one linear function with two weights. One of these weights, chosen at random for each prompt, is 0. After one example the transformer has a smaller error than least squares, which does not use the fact that one weight is 0. The Bayes-optimal error is smaller than both of these errors. After two or more examples, least squares is exact and the transformer is not.",
        source: "Garg, Tsipras, Liang and Valiant 2022, section 5, figure 5",
        experiment: Some(&experiments::SPARSE),
        departures: &[
            ("training steps", "500,000", "4,000"),
            ("biases of the transformer", "trained", "none"),
            ("curriculum", "from 5 components and 11 points to 20 components and 41 points", "none"),
        ],
        remarks: "Mean squared error after one example, on 20,000 prompts for each of three seeds: transformer 0.38 to 0.42, least squares 0.50, Bayes-optimal about 0.32. The paper's transformer is better than least squares and nearly as good as the lasso. At d = 4 with 1 nonzero weight, the error of a network of this size was not below that of least squares after 1, 2 or 3 examples (one seed).",
        expectations: &[
            expect_r2(4_000, (0.82, 0.99)),
            // Least squares has 1 − (1/2) / (3/4) = 0.333 on average: of the square of w half is left, and of four
            // points the variance within a prompt is three quarters of it.
            Expectation::Median {
                measure: ExpectedMeasure::AfterExamples(1),
                step: 4_000,
                between: (0.37, 0.6),
            },
        ],
        max_steps: 4_000,
        duration_note: "About half a minute on one processor core.",
    },
    Preset {
        slug: "decision-trees",
        name: "Decision trees: the transformer compared with other methods",
        group: &FUNCTIONS_GROUP,
        link: "#v1/in-context-learning?class=tree&dim=4&const=no&points=21&s=1&splits=2&show=explained.examples.maps",
        claim: "A transformer of two layers is trained on decision trees of depth 2: each tree tests the sign of one input number, and then the sign of a second input number. After 20 examples of a new tree, the transformer explains about 0.7 of the variance of the labels. Ridge regression on (x, 1), nearest neighbours and a network that is trained on the prompt, after its last epoch, each explain at most 0.4 of the variance: these methods do not use the fact that the function is a tree.",
        source: "Garg, Tsipras, Liang and Valiant 2022, section 5, figure 5",
        experiment: Some(&experiments::TREES),
        departures: &[
            ("training steps", "500,000", "4,000"),
            ("biases of the transformer", "trained", "none"),
            ("curriculum", "from 5 components and 26 points to 20 components and 101 points", "none"),
        ],
        remarks: "Not measured here: greedy and boosted trees, which the paper also compares with the transformer.",
        expectations: &[expect_r2(4_000, (0.6, 0.8))],
        max_steps: 4_000,
        duration_note: "About 40 seconds on one processor core.",
    },
    Preset {
        slug: "nearly-affine",
        name: "The paper's inputs: an affine fit explains most of the variance",
        group: &FUNCTIONS_GROUP,
        link: "#v1/in-context-learning?dim=2&const=no&points=21&dist=mixture&show=explained.examples.maps",
        claim: "On inputs from N(−2, I), random networks without biases are nearly affine functions. After 20 examples, ridge regression on (x, 1) explains about 0.9 of the variance of the labels. The paper's figures do not show this method.",
        source: "Wu, Su, Hu, Song and Liu 2024, appendix G, figures 1 and 2",
        experiment: Some(&experiments::NETWORKS),
        departures: &[
            ("training steps", "500,000", "4,000"),
            ("biases of the transformer", "trained", "none"),
        ],
        remarks: "Our addition: comparison with the affine fit.",
        expectations: &[expect_r2(4_000, (0.35, 0.995))],
        max_steps: 4_000,
        duration_note: "About half a minute on one processor core.",
    },
    Preset {
        slug: "mixtures",
        name: "The paper's mixtures of inputs: the transformer compared with an affine fit",
        group: &FUNCTIONS_GROUP,
        link: "#v1/in-context-learning?dim=2&const=no&points=21&dist=mixture&sweep=tw2:0_0.1_0.3_0.5&speed=0&show=examples.depth",
        claim: "The transformer is trained on inputs from N(−2, I) and tested on mixtures of N(−2, I) and N(2, I). On the training inputs, random networks are nearly affine functions, so ridge regression on (x, 1) explains most of the variance of the labels. The paper's figures do not show this method. On mixtures that did not occur in training, the transformer's R² is lower than on the training inputs.",
        source: "Wu, Su, Hu, Song and Liu 2024, appendix G, figures 1 and 2",
        experiment: Some(&experiments::NETWORKS),
        departures: &[
            ("training steps", "500,000", "4,000"),
            ("biases of the transformer", "trained", "none"),
        ],
        remarks: "Every run of the sweep trains the same network and tests it on different prompts. Our addition: comparison with the affine fit.",
        expectations: &[expect_final_error(0, 0, (0.005, 0.65)), expect_final_error(0, 3, (0.1, 5.0))],
        max_steps: 4_000,
        duration_note: "A few minutes on one processor core.",
    },
    Preset {
        slug: "longer-prompts",
        name: "Prompts longer than in training",
        group: &FUNCTIONS_GROUP,
        link: "#v1/in-context-learning?long=33",
        claim: "The transformer is trained on prompts of 17 points and tested after up to 32 examples. The position vectors after point 17 were not trained. For a transformer of this size, R² stays about the same on longer prompts, while the R² of methods that use only the prompt increases.",
        source: "Wu, Su, Hu, Song and Liu 2024, appendix G, figure 2; Garg, Tsipras, Liang and Valiant 2022, section 4",
        experiment: Some(&experiments::NETWORKS),
        departures: &[
            ("training steps", "500,000", "4,000"),
            ("biases of the transformer", "trained", "none"),
        ],
        remarks: "With softmax attention, the R² in the paper is lower on test prompts that are longer than the training prompts.",
        expectations: &[
            expect_r2(4_000, (0.78, 0.98)),
            Expectation::Median {
                measure: ExpectedMeasure::AfterExamples(32),
                step: 4_000,
                between: (0.7, 0.99),
            },
        ],
        max_steps: 4_000,
        duration_note: "About half a minute on one processor core.",
    },
    Preset {
        slug: "shifted-inputs",
        name: "Test inputs with a smaller or larger standard deviation",
        group: &FUNCTIONS_GROUP,
        link: "#v1/in-context-learning?sweep=ts:0.3_1_2&speed=0&show=examples.depth",
        claim: "The inputs of the test prompts have a smaller or larger standard deviation than in training. With test inputs multiplied by 0.3, R² is lower than with unchanged test inputs. With test inputs multiplied by 2, the decrease of R² is smaller.",
        source: "Garg, Tsipras, Liang and Valiant 2022, section 4; our instance",
        remarks: "The settings of “In-context learning with two layers”, with the test inputs multiplied by 0.3, 1 and 2. Every run of the sweep trains the same network.",
        expectations: &[
            expect_final_error(0, 0, (0.06, 1.5)),
            expect_final_error(0, 1, (0.02, 0.22)),
            expect_final_error(0, 2, (0.02, 0.4)),
        ],
        max_steps: 4_000,
        duration_note: "A few minutes on one processor core.",
        ..PRESET_DEFAULTS
    },
];
