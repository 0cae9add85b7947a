//! The table that SGD writes, and programs that learn from it.

use super::{expect_accuracy, expect_final, expect_final_accuracy, expect_median};
use vivarium_model::chart;
use vivarium_model::tasks::succinct_learning::charts;
use vivarium_science::succinct::LearningMetric;
use vivarium_view::presets::{Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup};

/// Group of presets in which SGD stores examples in a table and the network then runs a learning program on it.
const TABLE: PresetGroup = PresetGroup {
    slug: "program-on-a-table",
    name: "A program on a table of examples",
    charts: &[charts::ANSWERS, charts::CELLS],
};

/// Group of presets for comparison, in which SGD trains all weights of an ordinary network on few examples of a parity,
/// without a built-in program.
const PLAIN: PresetGroup = PresetGroup {
    slug: "parity-of-few-examples",
    name: "SGD on few examples of a parity",
    charts: &[chart::ACCURACY, chart::LOSS],
};

/// Presets in which the network runs a program on a table of examples, and presets with ordinary SGD.
pub(super) const PROGRAMS: &[Preset] = &[
    Preset {
        slug: "tape-writer",
        name: "SGD stores examples in a table of weights",
        group: &TABLE,
        link: "#v1/succinct-learning?steps=9&speed=2&show=written.slope",
        claim: "Nine steps of SGD store 8 examples with 6 inputs each, and one dummy example, in the table W of weights. Each step changes one row and no other row. Each row is exactly y[x, 1]/3 for the inputs x and the label y of an example: the largest deviation is 0.",
        source: "Goel et al. 2022, lemmas 3 and 4",
        remarks: "As in the paper: the learning rate 1/54, the loss ½(y − f)², the dummy example and the derivatives of the filter. Different from the paper: the weights of the filter are set by hand instead of drawn at random; the filter and its derivatives are computed from their definition instead of by the ReLU network of lemma 5; the network has m + 2 layers during the training instead of L = c(t + m + d), and further layers would change nothing; a ring of blank cells is around the table; the arithmetic is exact. Our choices: d = 6 inputs, m = 8 examples.",
        expectations: &[
            Expectation::Median { measure: ExpectedMeasure::TrainAccuracy, step: 3, between: (0.333, 0.334) },
            Expectation::Median { measure: ExpectedMeasure::TrainAccuracy, step: 9, between: (1.0, 1.0) },
            expect_median(LearningMetric::TableDeviation, 9, (0.0, 0.0)),
        ],
        max_steps: 9,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "dictator-program",
        name: "A program that finds the relevant input",
        group: &TABLE,
        link: "#v1/succinct-learning?replicas=20&show=written.gridcells.answers",
        claim: "The label is equal to one of the 6 inputs. Each row of the table is multiplied by the test input, component by component. A program with 20 states searches for a column in which all signs are equal. In the median of 20 data sets the program halts after about 115 layers, and for all test inputs the output of the network is then exactly the label, 1 or −1.",
        source: "Goel et al. 2022, section 4 and appendix B",
        remarks: "As in the paper: the cells' code in base 3 with the code 0 for the start state, the rules for messages and for the program, the output as a sum over the cells of the table, and a working tape of as many columns as layers. Different from the paper: a ring of blank cells is around the table, because without it a head cannot detect the top, left and bottom border; the filter is computed from its definition instead of by a ReLU network; the filter is set by hand instead of drawn at random and chosen on validation examples; the network has one layer more in each step instead of a fixed number L = c(t + m + d), and m + 2 layers during the training; the code of a state has log₂ s digits instead of log₂ s + 1; the arithmetic is exact. Three misprints of the paper are corrected: the last column of the table holds y, not y · y; a head that moves left comes from the cell on the right; and the function that is summed for the output is 0 at 1/9, as its proof needs. Our choices: the program (the paper contains none), d = 6, m = 8, 20 data sets, 64 test inputs.",
        expectations: &[
            expect_accuracy(200, (1.0, 1.0)),
            expect_median(LearningMetric::MedianTime, 200, (108.0, 124.0)),
            expect_median(LearningMetric::OutputExcess, 200, (0.0, 0.0)),
        ],
        max_steps: 200,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "dictator-larger",
        name: "The program with 20 states on a larger table",
        group: &TABLE,
        link: "#v1/succinct-learning?inputs=10&examples=12&replicas=20&steps=300&show=gridcells.answers",
        claim: "With 10 inputs and 12 examples, the program with 20 states that finds the relevant input halts after about 220 layers in the median of 20 data sets. The filter is the same as for 6 inputs and 8 examples; only the table is larger and the network is deeper. In the median all test inputs are answered correctly.",
        source: "Goel et al. 2022, section 4 and appendix B",
        remarks: "The network, and its differences from the paper, are those of the run “A program that finds the relevant input”. Our choices: d = 10 inputs, m = 12 examples, 20 data sets.",
        expectations: &[
            expect_accuracy(300, (1.0, 1.0)),
            expect_median(LearningMetric::MedianTime, 300, (208.0, 236.0)),
        ],
        max_steps: 300,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "parity-program",
        name: "A filter that performs Gaussian elimination",
        group: &TABLE,
        link: "#v1/succinct-learning?concept=parity&inputs=4&program=parity&replicas=20&steps=1200&every=10&speed=60&show=gridcells.answers",
        claim: "The label is a parity: the product of some of the 4 inputs. Each of the 8 examples is a linear equation modulo 2, and a program with 47 states solves these equations by Gaussian elimination. In the median of 20 data sets the program halts after about 950 layers and answers all test inputs correctly.",
        source: "Goel et al. 2022, section 1, which names row reduction as an example of a succinct learning algorithm",
        remarks: "The network, and its differences from the paper, are those of the run “A program that finds the relevant input”. One more difference: the value of a cell is a number in base 3, in which one digit encodes one of 3 symbols in the paper; here three digits encode one of 12 symbols. The program is ours: 47 states, 12 symbols and 258 rules, or 270 rules with the rules of the state HALT. The paper contains no program.",
        expectations: &[
            expect_accuracy(1200, (1.0, 1.0)),
            expect_median(LearningMetric::MedianTime, 1200, (920.0, 985.0)),
        ],
        max_steps: 1200,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "parity-twenty",
        name: "A parity of 20 inputs from 40 examples",
        group: &TABLE,
        link: "#v1/succinct-learning?concept=parity&inputs=20&examples=40&program=parity&steps=60000&every=500&speed=0&show=gridcells.answers",
        claim: "A program with 47 states learns a parity of some of 20 inputs from 40 examples: after about 55,000 layers all 64 test inputs are answered correctly. A perceptron that is trained with SGD on the same number of examples answers only about half of the new inputs correctly in the median of 10 networks, as with random guessing.",
        source: "Goel et al. 2022, section 1",
        remarks: "Our choices: d = 20 inputs, m = 40 examples, one data set. Compare this run with the run “A perceptron trained by SGD on 40 examples of a parity”.",
        expectations: &[
            expect_accuracy(60_000, (1.0, 1.0)),
            expect_median(LearningMetric::MedianTime, 60_000, (54_000.0, 56_500.0)),
        ],
        max_steps: 60_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "parity-times",
        name: "Each step of the program needs one layer",
        group: &TABLE,
        link: "#v1/succinct-learning?concept=parity&program=parity&replicas=9&steps=10000&every=1000&sweep=inputs:3_4_6_8_10&series=examples:6_8_12_16_20&speed=0&show=bysize",
        claim: "The number of layers until Gaussian elimination halts grows with the size of the problem, but the filter stays the same. With twice as many examples as inputs the median number of layers is about 530 for 3 inputs, 960 for 4, 2,400 for 6, 4,850 for 8 and 8,600 for 10.",
        source: "Goel et al. 2022, theorem 1: O(t + m + d) layers for a program of t steps",
        remarks: "Our choices: 25 sizes, 9 data sets for each size.",
        expectations: &[
            expect_final(LearningMetric::MedianTime, 0, 0, (500.0, 560.0)),
            expect_final(LearningMetric::MedianTime, 1, 1, (925.0, 985.0)),
            expect_final(LearningMetric::MedianTime, 2, 2, (2_330.0, 2_480.0)),
            expect_final(LearningMetric::MedianTime, 3, 3, (4_750.0, 4_980.0)),
            expect_final(LearningMetric::MedianTime, 4, 4, (8_400.0, 8_750.0)),
        ],
        max_steps: 10_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "parity-examples",
        name: "How many examples does Gaussian elimination need?",
        group: &TABLE,
        link: "#v1/succinct-learning?concept=parity&inputs=8&program=parity&replicas=20&steps=6000&every=1000&sweep=examples:2_4_6_8_10_12_16&speed=0&show=learned",
        claim: "A set of 2 to 6 examples does not determine a parity of 8 inputs: in the median of 20 data sets, only about half of the test inputs are answered correctly. With 12 or 16 examples the median rank of the examples is 8, and in the median all test inputs are answered correctly.",
        source: "Goel et al. 2022, section 1: row reduction needs O(d) examples",
        remarks: "Our choices: d = 8 inputs, 2 to 16 examples, 20 data sets for each number of examples.",
        expectations: &[
            expect_final_accuracy(0, 0, (0.44, 0.56)),
            expect_final_accuracy(0, 1, (0.44, 0.57)),
            expect_final_accuracy(0, 2, (0.44, 0.62)),
            expect_final_accuracy(0, 5, (1.0, 1.0)),
            expect_final_accuracy(0, 6, (1.0, 1.0)),
            expect_final(LearningMetric::Rank, 0, 5, (8.0, 8.0)),
            expect_final(LearningMetric::Rank, 0, 6, (8.0, 8.0)),
        ],
        max_steps: 6_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "dictator-noise",
        name: "The dictator learner with label noise",
        group: &TABLE,
        link: "#v1/succinct-learning?inputs=7&examples=15&replicas=40&steps=400&every=50&sweep=flips:0_0.02_0.05_0.1_0.2&speed=0&show=learned",
        claim: "The dictator learner, which finds the input that is equal to the label, needs a column in which all signs are equal. With 10 % of the labels wrong, more than half of the 40 data sets have no such column. The program then halts without an answer, so in the median data set no test input is answered.",
        source: "Goel et al. 2022, section 4; the noise is ours",
        remarks: "Our choices: d = 7 inputs, m = 15 examples. Other rules answer more test inputs correctly than the dictator learner: see the run “All 19,683 rules, with label noise”.",
        expectations: &[
            expect_final_accuracy(0, 0, (1.0, 1.0)),
            expect_final_accuracy(0, 3, (0.0, 0.0)),
            expect_final_accuracy(0, 4, (0.0, 0.0)),
        ],
        max_steps: 400,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "parity-by-sgd",
        name: "A perceptron trained by SGD on 40 examples of a parity",
        group: &PLAIN,
        link: "#v1/sparse-parity?n=20&k=8&m=40&width=128&replicas=10&steps=200&halt=steps&every=5&show=loss.accuracy",
        claim: "In the median of 10 networks, a perceptron with 128 hidden units answers all 40 training examples of a parity of 8 of 20 bits correctly after 100 steps of SGD, but after 200 steps only about half of the new inputs, as with random guessing. Gaussian elimination learns a parity of some of 20 inputs from the same number of examples.",
        source: "Goel et al. 2022, section 1; Kearns and Valiant 1993",
        remarks: "Our choices: 10 networks, 40 examples for each network, 200 steps.",
        expectations: &[
            Expectation::Median { measure: ExpectedMeasure::TrainAccuracy, step: 100, between: (1.0, 1.0) },
            expect_accuracy(200, (0.47, 0.53)),
        ],
        max_steps: 200,
        ..PRESET_DEFAULTS
    },
];
