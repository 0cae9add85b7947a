//! Searches among 19,683 rules.

use super::{expect_accuracy, expect_final_accuracy, expect_median, expect_validation_accuracy};
use vivarium_model::tasks::succinct_learning::charts;
use vivarium_science::succinct::LearningMetric;
use vivarium_view::presets::{PRESET_DEFAULTS, Preset, PresetGroup};

/// Group of presets on how many restarts and validation queries a search for a learning rule needs.
const SEARCH: PresetGroup = PresetGroup {
    slug: "search-for-a-rule",
    name: "A search for a short program",
    charts: &[charts::CHOSEN, charts::CLOUD],
};

/// Presets in which a search tries cell-update rules and keeps the one with the best validation accuracy.
pub(super) const SEARCHES: &[Preset] = &[
    Preset {
        slug: "search-bit",
        name: "A random search finds a learning algorithm",
        group: &SEARCH,
        link: "#v1/succinct-learning?model=cell-rules&inputs=7&examples=15&replicas=20&steps=3000&every=10&held=400&speed=100&show=cloud.chosen.rule",
        claim: "The label is equal to one of the 7 inputs; for each query, this input is chosen at random. Each search keeps the rule with the highest accuracy on 60 validation queries. In the median of 20 searches, the best of 10 random rules is right on 65 to 85 % of the test queries, and the best of 3,000 rules on more than 98 %.",
        source: "Goel et al. 2022, corollary 2 and section 5",
        remarks: "Different from the paper: the space of filters. The paper's space is too large for any search; the space here has 19,683 rules. A rule gives the new value of a cell (−1, 0 or +1) from the cell itself and the cell above it.",
        expectations: &[
            expect_accuracy(10, (0.65, 0.85)),
            expect_accuracy(300, (0.93, 1.0)),
            expect_accuracy(3000, (0.98, 1.0)),
        ],
        max_steps: 3000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "search-bottom",
        name: "A search with the answer from the bottom row only",
        group: &SEARCH,
        link: "#v1/succinct-learning?model=cell-rules&inputs=7&examples=15&read=bottom&replicas=20&steps=3000&every=10&held=400&speed=100&show=cloud.chosen.rule",
        claim: "If the answer is the sign of the sum of the bottom row only, fewer rules learn which input is equal to the label than with the sum of all cells. In the median of 20 searches the best of 10 random rules is right on 58 to 70 % of the test queries. The best of 3,000 rules is right on more than 99.5 % of the test queries.",
        source: "Goel et al. 2022, corollary 2",
        remarks: "The settings of “A random search finds a learning algorithm”, but the answer is the sign of the sum of the bottom row only.",
        expectations: &[expect_accuracy(10, (0.58, 0.7)), expect_accuracy(3000, (0.995, 1.0))],
        max_steps: 3000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "search-half-space",
        name: "A search that finds no good rule",
        group: &SEARCH,
        link: "#v1/succinct-learning?model=cell-rules&concept=half-space&inputs=7&examples=15&replicas=20&steps=3000&every=10&held=400&speed=100&show=cloud.chosen.rule",
        claim: "In the median of 20 searches, none of the rules tried is right on at least 95 % of the queries about half-spaces. If 3,000 instead of 100 random rules are tried, the median accuracy of the chosen rule on the 60 validation queries still rises, to more than 0.8. On the test queries the median accuracy is between 0.74 and 0.81 after 100 and after 3,000 rules. So the high validation accuracy of the chosen rule is partly due to chance.",
        source: "Goel et al. 2022, corollary 2",
        remarks: "The settings of “A random search finds a learning algorithm”, but the label is sign(w·x) with a standard normal vector w.",
        expectations: &[
            expect_accuracy(100, (0.74, 0.81)),
            expect_accuracy(3000, (0.74, 0.81)),
            expect_validation_accuracy(3000, (0.8, 0.87)),
            expect_median(LearningMetric::GoodRuleShare, 3000, (0.0, 0.0)),
        ],
        max_steps: 3000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "all-rules",
        name: "All 19,683 rules",
        group: &SEARCH,
        link: "#v1/succinct-learning?model=cell-rules&inputs=7&examples=15&tried=all&valid=400&steps=19683&every=100&held=400&speed=0&show=cloud.chosen.rule",
        claim: "The label is equal to one of the 7 inputs; for each query, this input is chosen at random. Of all 19,683 rules, between 90 and 130 are right on at least 95 % of 800 queries. The rule that is best on 400 of these queries is right on more than 98 % of the other 400 queries.",
        source: "Goel et al. 2022, section 5, on exhaustive search",
        remarks: "Our choice: each rule is tried once, on 800 queries.",
        // 90 and 130 of 19,683.
        expectations: &[
            expect_accuracy(19_683, (0.975, 1.0)),
            expect_median(LearningMetric::GoodRuleShare, 19_683, (0.004_572, 0.006_605)),
        ],
        max_steps: 19_683,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "all-rules-noise",
        name: "All 19,683 rules, with label noise",
        group: &SEARCH,
        link: "#v1/succinct-learning?model=cell-rules&inputs=7&examples=15&flips=0.1&tried=all&valid=400&steps=19683&every=100&held=400&speed=0&show=cloud.chosen.rule",
        claim: "With 10 % of the labels wrong, no rule is right on at least 95 % of the queries about one unknown bit. The rule that is best on 400 validation queries is right on about 87 % of 400 other queries.",
        source: "Goel et al. 2022, section 5, on exhaustive search",
        remarks: "Our choice: each rule is tried once, on 800 queries.",
        expectations: &[
            expect_accuracy(19_683, (0.85, 0.92)),
            expect_median(LearningMetric::GoodRuleShare, 19_683, (0.0, 0.0)),
        ],
        max_steps: 19_683,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "all-rules-parity",
        name: "No rule learns a parity",
        group: &SEARCH,
        link: "#v1/succinct-learning?model=cell-rules&concept=parity&inputs=7&examples=15&tried=all&valid=400&steps=19683&every=100&held=400&speed=0&show=cloud.chosen.rule",
        claim: "On parities the best of all 19,683 rules is right on 56 to 65 % of the 400 validation queries on which it was chosen, and on about half of 400 other queries. A rule has only nine entries, which is not enough for Gaussian elimination; our program for Gaussian elimination has 47 states.",
        source: "Goel et al. 2022, section 5, on exhaustive search",
        remarks: "Our choice: each rule is tried once, on 800 queries.",
        expectations: &[
            expect_accuracy(19_683, (0.45, 0.55)),
            expect_validation_accuracy(19_683, (0.56, 0.65)),
        ],
        max_steps: 19_683,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "all-rules-constant",
        name: "All 19,683 rules, for a constant label",
        group: &SEARCH,
        link: "#v1/succinct-learning?model=cell-rules&concept=constant&inputs=7&examples=15&tried=all&valid=400&steps=19683&every=100&held=400&speed=0&show=cloud.chosen.rule",
        claim: "In each query all examples and the test input have the same label, 1 or −1. Of all 19,683 rules, between 80 and 130 are right on at least 95 % of 800 queries. If the label of each example is instead equal to one unknown input bit, about as many rules reach this accuracy. The rule that is best on 400 of the 800 queries is right on more than 97.5 % of the other 400 queries.",
        source: "Goel et al. 2022, section 5, on exhaustive search",
        remarks: "Our choice: each rule is tried once, on 800 queries.",
        // 80 and 130 of 19,683.
        expectations: &[
            expect_accuracy(19_683, (0.975, 1.0)),
            expect_median(LearningMetric::GoodRuleShare, 19_683, (0.004_064, 0.006_605)),
        ],
        max_steps: 19_683,
        ..PRESET_DEFAULTS
    },
];

/// Group of presets on the two cell-update rules that have a name, identity and consensus.
const NAMED_RULES_GROUP: PresetGroup = PresetGroup {
    slug: "rules-with-a-name",
    name: "The identity and consensus rules",
    charts: &[charts::LEARNED, charts::CHOSEN],
};

/// Adds to `preset` the group, source and step limit that the presets on the identity and consensus rules share.
const fn named_rule_preset(preset: Preset) -> Preset {
    Preset {
        group: &NAMED_RULES_GROUP,
        source: "Goel et al. 2022, corollary 2: short programs that learn",
        max_steps: 1,
        ..preset
    }
}

/// Presets of the identity and the consensus rule at two problem sizes.
pub(super) const RULES: &[Preset] = &[
    named_rule_preset(Preset {
        slug: "rule-identity",
        name: "The identity rule: a vote of all examples",
        link: "#v1/succinct-learning?model=cell-rules&inputs=7&examples=15&tried=one&replicas=5&steps=1&held=2000&sweep=flips:0_0.1&series=concept:dictator_half-space_constant&speed=0&show=learned",
        claim: "Under the identity rule no cell changes. The sum of all cells is then a vote of the examples: each example votes for its label, and the weight of its vote is the similarity of the example to the test input. This vote is Hebb's rule. With 15 examples of 7 inputs each, the vote is right on about 93 % of the queries about one unknown bit, 80 % of the queries about a half-space and 92 % of the queries about a constant label. With 10 % of the labels wrong, the vote is right on about 88 % of the queries about one bit.",
        remarks: "Our choice: one rule, tested on five times 2,000 queries for each of six kinds of problem. Each percentage is the median of five.",
        expectations: &[
            expect_final_accuracy(0, 0, (0.925, 0.945)),
            expect_final_accuracy(0, 1, (0.87, 0.9)),
            expect_final_accuracy(1, 0, (0.785, 0.81)),
            expect_final_accuracy(2, 0, (0.91, 0.93)),
        ],
        ..PRESET_DEFAULTS
    }),
    named_rule_preset(Preset {
        slug: "rule-identity-forty",
        name: "The identity rule, with 40 examples of 15 inputs",
        link: "#v1/succinct-learning?model=cell-rules&inputs=15&examples=40&tried=one&replicas=5&steps=1&held=2000&sweep=flips:0_0.1&series=concept:dictator_half-space_constant&speed=0&show=learned",
        claim: "With 40 examples of 15 inputs each, the identity rule, a vote of all examples, is right on about 95 % of the queries about one unknown bit, 80 % of the queries about a half-space and 95 % of the queries about a constant label. With 10 % of the labels wrong the vote is right on about 90 % of the queries about one bit.",
        remarks: "Our choice: one rule, tested on five times 2,000 queries for each of six kinds of problem. Each percentage is the median of five.",
        expectations: &[
            expect_final_accuracy(0, 0, (0.94, 0.96)),
            expect_final_accuracy(0, 1, (0.89, 0.92)),
            expect_final_accuracy(1, 0, (0.785, 0.81)),
            expect_final_accuracy(2, 0, (0.935, 0.955)),
        ],
        ..PRESET_DEFAULTS
    }),
    named_rule_preset(Preset {
        slug: "rule-consensus",
        name: "The consensus rule: columns in which all signs are equal",
        link: "#v1/succinct-learning?model=cell-rules&inputs=7&examples=15&tried=one&entries=-0000000+&replicas=5&steps=1&held=2000&sweep=flips:0_0.1&series=concept:dictator_half-space_constant&speed=0&show=learned",
        claim: "Under the consensus rule, a cell below the top row keeps its sign only if the cell above it has the same sign; otherwise the cell becomes 0. In the end a column with equal signs is unchanged. In any other column only the cells above the first change of sign are left. The answer is the sign of the sum of all cells. So the answer depends mainly on an input that determines the label without any exception. With 15 examples of 7 inputs each, consensus is right on about 99 % of the queries about one unknown bit, 99 % of the queries about a constant label and 69 % of the queries about a half-space. With 10 % of the labels wrong, consensus is right on about 79 % of the queries about one bit. The vote of all examples (the identity rule) is right on about 93 % of the queries about one bit without noise and 88 % with noise. So for one bit, consensus is better than the vote if all labels are right, and worse if 10 % of the labels are wrong.",
        remarks: "Our choice: one rule, tested on five times 2,000 queries for each of six kinds of problem. Each percentage is the median of five.",
        expectations: &[
            expect_final_accuracy(0, 0, (0.985, 1.0)),
            expect_final_accuracy(0, 1, (0.775, 0.805)),
            expect_final_accuracy(1, 0, (0.675, 0.71)),
            expect_final_accuracy(2, 0, (0.98, 0.995)),
        ],
        ..PRESET_DEFAULTS
    }),
    named_rule_preset(Preset {
        slug: "rule-consensus-forty",
        name: "The consensus rule, with 40 examples of 15 inputs",
        link: "#v1/succinct-learning?model=cell-rules&inputs=15&examples=40&tried=one&entries=-0000000+&replicas=5&steps=1&held=2000&sweep=flips:0_0.1&series=concept:dictator_half-space_constant&speed=0&show=learned",
        claim: "With 40 examples of 15 inputs each, the consensus rule is right on at least 99.9 % of the queries about one unknown bit or a constant label, and on about 61 % of the queries about a half-space. With 10 % of the labels wrong, the consensus rule is right on about 75 % of the queries about one bit, and a vote of all examples is right on about 90 % of these queries.",
        remarks: "Our choice: one rule, tested on five times 2,000 queries for each of six kinds of problem. Each percentage is the median of five.",
        expectations: &[
            expect_final_accuracy(0, 0, (0.999, 1.0)),
            expect_final_accuracy(0, 1, (0.73, 0.76)),
            expect_final_accuracy(1, 0, (0.595, 0.635)),
            expect_final_accuracy(2, 0, (0.999, 1.0)),
        ],
        ..PRESET_DEFAULTS
    }),
];
