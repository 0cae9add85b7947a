//! Section 6.4.2: networks and random forests on small tables.

use super::experiments;
use vivarium_view::presets::{Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup};

/// Every preset of the lab on tables, in the order of the menu; there is one group.
pub const PRESETS: &[&[Preset]] = &[TABLE_PRESETS];

/// Group of presets that compare networks and random forests on tables (section 6.4.2 and figure C.3 of Edelman 2024).
const GROUP: PresetGroup =
    PresetGroup { slug: "tables", name: "Networks and forests on tables", charts: &[] };

/// Differences between the presets and Edelman 2024 that are no settings, as (subject, value in the thesis, value
/// here): one table instead of 16, fewer networks and 300 training steps.
const DEVIATIONS: &[(&str, &str, &str)] = &[
    ("tables", "16 real tables", "one generated table with three properties of real tables"),
    ("networks per setting", "100", "20"),
    ("training", "100 epochs", "300 steps"),
];

/// Differences between the presets of 500 training steps and Edelman 2024 that are no settings, as (subject, value in
/// the thesis, value here).
const DEVIATIONS_500: &[(&str, &str, &str)] =
    &[DEVIATIONS[0], DEVIATIONS[1], ("training", "100 epochs", "500 steps")];

/// Papers and sections shown as the source of the presets of networks and random forests on tables.
const SOURCE: &str = "Edelman 2024, section 6.4.2 and appendix C.3.3; Grinsztajn et al. 2022";

/// Presets in which networks and random forests learn to classify the rows of a table.
const TABLE_PRESETS: &[Preset] = &[
    Preset {
        slug: "table-network",
        name: "Networks memorise 300 rows of a table",
        group: &GROUP,
        link: "#v1/tabular",
        claim: "In the median of ten networks, at least 99.5 % of the 300 training rows are classified correctly, but one held-out row in five is classified wrongly: the networks memorise rows instead of learning the rule.",
        source: SOURCE,
        experiment: Some(&experiments::APPENDIX_C_3_3),
        departures: &[DEVIATIONS[0], ("networks per setting", "100", "10"), DEVIATIONS[2]],
        remarks: "As in the thesis, columns are standardised, a tenth of the rows is held out, and every network has a split and a sample of its own.",
        expectations: &[
            Expectation::Median {
                measure: ExpectedMeasure::TrainAccuracy,
                step: 300,
                between: (0.995, 1.001),
            },
            Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step: 300, between: (0.75, 0.85) },
        ],
        max_steps: 300,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "table-trees",
        name: "A random forest on the same 300 rows",
        group: &GROUP,
        link: "#v1/tabular?model=random-forest&steps=100&every=1&speed=20",
        claim: "In the median of ten forests, a single tree classifies one held-out row in four wrongly. A forest has a hundred trees, and each tree is grown on a different bootstrap sample of the same 300 rows. The forest classifies one held-out row in fifty wrongly.",
        source: "Breiman 2001; Edelman 2024, appendix C.3.3",
        experiment: Some(&experiments::APPENDIX_C_3_3_FOREST),
        departures: &[DEVIATIONS[0], ("forests per setting", "100", "10")],
        remarks: "The thesis takes the best of many settings of the forest.",
        expectations: &[
            Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step: 1, between: (0.7, 0.85) },
            Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step: 100, between: (0.96, 1.0) },
        ],
        max_steps: 100,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "table-forest",
        name: "On a table, a random forest has a smaller error than networks",
        group: &GROUP,
        link: "#v1/tabular?replicas=20&every=50&sweep=m:30_100_300_1000&series=model:deep-mlp_random-forest&speed=0&show=accuracy.ends",
        claim: "Trained on the same 300 rows, a random forest classifies about 2 % of the held-out rows wrongly, and networks about 20 %: medians of 20 forests and of 20 networks.",
        source: SOURCE,
        experiment: Some(&experiments::APPENDIX_C_3_3),
        departures: DEVIATIONS,
        remarks: "As in the thesis, columns are standardised, a tenth of the rows is held out, and every network has a split and a sample of its own.",
        expectations: &[
            Expectation::FinalError { series: 0, at: 2, between: (0.16, 0.25) },
            Expectation::FinalError { series: 1, at: 2, between: (0.0, 0.05) },
            Expectation::LowerError { series: 1, than: 0, at: 1, by: 0.05 },
            Expectation::LowerError { series: 1, than: 0, at: 3, by: 0.1 },
        ],
        max_steps: 300,
        duration_note: "About half a minute on one processor core.",
    },
    Preset {
        slug: "table-turned",
        name: "With rotated columns, networks have a smaller error than the forest",
        group: &GROUP,
        link: "#v1/tabular?replicas=20&every=50&sweep=turned:no_yes&series=model:deep-mlp_random-forest&speed=0&show=accuracy.ends",
        claim: "With a random rotation of all columns, the median error of the networks stays near 20 %. The median error of the forest rises from about 2 % to about 24 %, because single columns are no longer informative.",
        source: SOURCE,
        experiment: Some(&experiments::APPENDIX_C_3_3),
        departures: DEVIATIONS,
        remarks: "The rotation follows Grinsztajn et al.; the thesis has no rotated tables. As in the thesis, columns are standardised, a tenth of the rows is held out, and every network has a split and a sample of its own.",
        expectations: &[
            Expectation::LowerError { series: 1, than: 0, at: 0, by: 0.12 },
            Expectation::LowerError { series: 0, than: 1, at: 1, by: 0.02 },
            Expectation::FinalError { series: 0, at: 0, between: (0.17, 0.23) },
            Expectation::FinalError { series: 0, at: 1, between: (0.18, 0.24) },
            Expectation::FinalError { series: 1, at: 0, between: (0.0, 0.05) },
            Expectation::FinalError { series: 1, at: 1, between: (0.21, 0.29) },
        ],
        max_steps: 300,
        duration_note: "About ten seconds on one processor core.",
    },
    Preset {
        slug: "table-columns",
        name: "Uninformative columns raise the error of networks",
        group: &GROUP,
        link: "#v1/tabular?replicas=20&every=50&sweep=n:4_8_16_32_64&series=model:deep-mlp_random-forest&speed=0&show=accuracy.ends",
        claim: "Each doubling of the number of columns raises the median error of the networks, from about 9 % with 4 columns to about 26 % with 64, although the three relevant columns stay the same. The median error of the forest rises too, to about 5 % with 64 columns.",
        source: SOURCE,
        experiment: Some(&experiments::APPENDIX_C_3_3),
        departures: DEVIATIONS,
        remarks: "As in the thesis, columns are standardised, a tenth of the rows is held out, and every network has a split and a sample of its own.",
        expectations: &[
            // Intervals that do not overlap: each error is larger than the one before.
            Expectation::FinalError { series: 0, at: 0, between: (0.05, 0.11) },
            Expectation::FinalError { series: 0, at: 1, between: (0.111, 0.16) },
            Expectation::FinalError { series: 0, at: 2, between: (0.161, 0.204) },
            Expectation::FinalError { series: 0, at: 3, between: (0.205, 0.238) },
            Expectation::FinalError { series: 0, at: 4, between: (0.239, 0.3) },
            Expectation::FinalError { series: 1, at: 0, between: (0.0, 0.02) },
            Expectation::FinalError { series: 1, at: 4, between: (0.03, 0.08) },
        ],
        max_steps: 300,
        duration_note: "Under a minute on one processor core.",
    },
    Preset {
        slug: "table-jumps",
        name: "More changes of the label along a relevant column",
        group: &GROUP,
        link: "#v1/tabular?n=6&m=1000&replicas=20&every=50&sweep=pieces:2_4_8_16&series=model:deep-mlp_random-forest&speed=0&show=accuracy.ends",
        claim: "The label changes several times as the value of a relevant column grows. The median error of the networks rises from about 10 % with 2 pieces per column to about 35 % with 4 pieces, and is more than 43 % with 8 and with 16 pieces. The median error of the forest also rises, but with each number of pieces it is smaller, because trees can split the column at every change.",
        source: SOURCE,
        experiment: Some(&experiments::APPENDIX_C_3_3),
        departures: DEVIATIONS,
        remarks: "As in the thesis, columns are standardised, a tenth of the rows is held out, and every network has a split and a sample of its own.",
        expectations: &[
            Expectation::LowerError { series: 1, than: 0, at: 0, by: 0.01 },
            Expectation::LowerError { series: 1, than: 0, at: 1, by: 0.05 },
            Expectation::LowerError { series: 1, than: 0, at: 2, by: 0.05 },
            Expectation::LowerError { series: 1, than: 0, at: 3, by: 0.05 },
            Expectation::FinalError { series: 0, at: 0, between: (0.07, 0.13) },
            Expectation::FinalError { series: 0, at: 1, between: (0.31, 0.39) },
            Expectation::FinalError { series: 0, at: 2, between: (0.43, 0.49) },
            Expectation::FinalError { series: 0, at: 3, between: (0.43, 0.51) },
        ],
        max_steps: 300,
        duration_note: "About a minute on one processor core.",
    },
    Preset {
        slug: "table-width",
        name: "On small tables, wider networks have smaller errors",
        group: &GROUP,
        link: "#v1/tabular?replicas=20&every=50&sweep=m:30_100_300_1000&series=widths:10.10_30.30_100.100_300.300&speed=0&show=accuracy.ends",
        claim: "With a hundred training rows or more, networks with two layers of 100 neurons have a smaller median error than networks with two layers of 10 neurons, although they have more than 10,000 weights. With 300 rows or more, networks with two layers of 300 neurons do so too.",
        source: "Edelman 2024, section 6.4.2, finding (2T), and figure C.3",
        experiment: Some(&experiments::APPENDIX_C_3_3),
        departures: &[
            DEVIATIONS[0],
            DEVIATIONS[1],
            DEVIATIONS[2],
            ("hidden layers", "3", "2"),
            ("widths", "100 to 30,000", "10 to 300"),
        ],
        remarks: "As in the thesis, columns are standardised, a tenth of the rows is held out, and every network has a split and a sample of its own.",
        expectations: &[
            Expectation::LowerError { series: 2, than: 0, at: 1, by: 0.003 },
            Expectation::LowerError { series: 2, than: 0, at: 2, by: 0.01 },
            Expectation::LowerError { series: 3, than: 0, at: 2, by: 0.01 },
            Expectation::LowerError { series: 2, than: 0, at: 3, by: 0.015 },
            Expectation::LowerError { series: 3, than: 0, at: 3, by: 0.02 },
        ],
        max_steps: 300,
        duration_note: "A few minutes on one processor core.",
    },
    Preset {
        slug: "table-sparse",
        name: "Sparse initialisation on a wide table",
        group: &GROUP,
        link: "#v1/tabular?n=40&widths=200.100&replicas=20&steps=500&every=50&sweep=m:300_1000_3000&series=init:uniform_sparse&speed=0&show=accuracy.ends",
        claim: "On a table of 40 columns, networks with a sparse initial first layer (two weights of 1 per neuron, all other weights 0) have a smaller median error than networks with a dense initial first layer if there are 1,000 or 3,000 training rows. The difference is larger for 3,000 rows. With 300 rows, the sparse first layer is no improvement.",
        source: "Edelman 2024, section 6.4.2, finding (3T), and figure C.3",
        experiment: Some(&experiments::APPENDIX_C_3_3),
        departures: DEVIATIONS_500,
        remarks: "In the thesis the effect occurs on some tables and is largest for the smallest samples. On this table the effect occurs for larger samples. As in the thesis, columns are standardised, a tenth of the rows is held out, and every network has a split and a sample of its own.",
        expectations: &[
            Expectation::LowerError { series: 0, than: 1, at: 0, by: 0.003 },
            Expectation::LowerError { series: 1, than: 0, at: 1, by: 0.003 },
            Expectation::LowerError { series: 1, than: 0, at: 2, by: 0.012 },
        ],
        max_steps: 500,
        duration_note: "A few minutes on one processor core.",
    },
    Preset {
        slug: "table-parity",
        name: "A table with a parity as its label",
        group: &GROUP,
        link: "#v1/tabular?k=2&rule=parity&replicas=20&steps=500&every=50&sweep=m:100_300_1000_3000&series=model:deep-mlp_random-forest&speed=0&show=accuracy.ends",
        claim: "If no column is informative by itself, the greedy algorithm that grows a tree has no useful criterion for its first split. With 300 and 1,000 training rows, networks have a smaller median error than the forest. With 3,000 rows, the forest has the smaller median error, about 3 % instead of about 6 %.",
        source: "Our experiment, after Edelman 2024, section 6.4.2: sparse parity has all three properties of tables",
        experiment: Some(&experiments::APPENDIX_C_3_3),
        departures: DEVIATIONS_500,
        remarks: "In this preset the label is the product of the signs of two columns. As in the thesis, columns are standardised, a tenth of the rows is held out, and every network has a split and a sample of its own.",
        expectations: &[
            Expectation::LowerError { series: 0, than: 1, at: 1, by: 0.02 },
            Expectation::LowerError { series: 0, than: 1, at: 2, by: 0.02 },
            Expectation::LowerError { series: 1, than: 0, at: 3, by: 0.01 },
        ],
        max_steps: 500,
        duration_note: "A minute or two on one processor core.",
    },
];
