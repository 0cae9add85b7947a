//! Section 6.4.2: networks and random forests on small tables.

use crate::presets::{Expect, Measure, Preset, PresetGroup, QUICK};

/// Every preset of the lab, in the order of the menu.
pub const PRESETS: &[&[Preset]] = &[ALL_OF_THEM];

/// Section 6.4.2 and figure C.3.
const GROUP: PresetGroup = PresetGroup { slug: "tables", name: "Tables: networks and forests", charts: &[] };

/// What all of them keep and shrink.
macro_rules! instance {
    ($($more:literal)?) => {
        concat!(
            "Kept: standard columns, a tenth of the rows held out, a new split and sample for each network, ReLU layers \
             whose first begins with 2 ones a row, rate 0.001, medians over networks. Ours: a generated table with the \
             three properties instead of 16 real ones, 20 networks instead of 100, Adam, 300 steps of 64 rows.",
            $(" ", $more)?
        )
    };
}

const SOURCE: &str = "Edelman 2024, section 6.4.2 and appendix C.3.3; Grinsztajn et al. 2022";

const ALL_OF_THEM: &[Preset] = &[
    Preset {
        slug: "table-network",
        name: "300 rows of a table, learned by heart",
        group: &GROUP,
        link: "#v1/tabular",
        claim: "Ten networks fit their 300 rows without error and err on one held-out row in five: most of what they learned was no rule.",
        source: SOURCE,
        instance: instance!("Here there are 10 networks."),
        expect: &[
            Expect::Median { measure: Measure::TrainAccuracy, step: 300, between: (0.995, 1.001) },
            Expect::Median { measure: Measure::TestAccuracy, step: 300, between: (0.75, 0.85) },
        ],
        budget: 300,
        ..QUICK
    },
    Preset {
        slug: "table-trees",
        name: "The same rows, and a forest",
        group: &GROUP,
        link: "#v1/tabular?model=random-forest&steps=100&every=1&speed=20",
        claim: "One tree errs on one row in four, a hundred of them, each on other draws of the same 300 rows, on one in fifty.",
        source: "Breiman 2001; Edelman 2024, appendix C.3.3",
        instance: "Kept: bootstrap samples, √n columns per split, trees of any depth. Ours: a generated table, and the default forest instead of the best of many.",
        expect: &[
            Expect::Median { measure: Measure::TestAccuracy, step: 1, between: (0.7, 0.85) },
            Expect::Median { measure: Measure::TestAccuracy, step: 100, between: (0.96, 1.0) },
        ],
        budget: 100,
        ..QUICK
    },
    Preset {
        slug: "table-forest",
        name: "A forest beats networks on a table",
        group: &GROUP,
        link: "#v1/tabular?replicas=20&every=50&sweep=m:30_100_300_1000&series=model:deep-mlp_random-forest&speed=0&show=accuracy.ends",
        claim: "From the same 300 rows a random forest learns this table nearly without error, and networks err on one row in five.",
        source: SOURCE,
        instance: instance!(),
        expect: &[
            Expect::Ends { series: 0, at: 2, between: (0.16, 0.25) },
            Expect::Ends { series: 1, at: 2, between: (0.0, 0.05) },
            Expect::Ahead { series: 1, than: 0, at: 1, by: 0.05 },
            Expect::Ahead { series: 1, than: 0, at: 3, by: 0.1 },
        ],
        budget: 300,
        time: "Under a minute on one processor core.",
    },
    Preset {
        slug: "table-turned",
        name: "Turn the columns, and networks win",
        group: &GROUP,
        link: "#v1/tabular?replicas=20&every=50&sweep=turned:no_yes&series=model:deep-mlp_random-forest&speed=0&show=accuracy.ends",
        claim: "A random rotation of all columns changes next to nothing for networks, and takes from the forest what it is good at: columns that mean something each by itself.",
        source: SOURCE,
        instance: instance!("The rotation is that of Grinsztajn et al."),
        expect: &[
            Expect::Ahead { series: 1, than: 0, at: 0, by: 0.12 },
            Expect::Ahead { series: 0, than: 1, at: 1, by: 0.02 },
            Expect::Ends { series: 0, at: 0, between: (0.17, 0.23) },
            Expect::Ends { series: 0, at: 1, between: (0.18, 0.24) },
        ],
        budget: 300,
        time: "Under a minute on one processor core.",
    },
    Preset {
        slug: "table-columns",
        name: "Columns that say nothing",
        group: &GROUP,
        link: "#v1/tabular?replicas=20&every=50&sweep=n:4_8_16_32_64&series=model:deep-mlp_random-forest&speed=0&show=accuracy.ends",
        claim: "Each doubling of the columns costs networks dear, although the three that matter stay the same; the forest hardly minds.",
        source: SOURCE,
        instance: instance!(),
        expect: &[
            Expect::Ends { series: 0, at: 0, between: (0.05, 0.13) },
            Expect::Ends { series: 0, at: 4, between: (0.2, 0.32) },
            Expect::Ends { series: 1, at: 4, between: (0.0, 0.08) },
        ],
        budget: 300,
        time: "Under a minute on one processor core.",
    },
    Preset {
        slug: "table-jumps",
        name: "Labels that jump",
        group: &GROUP,
        link: "#v1/tabular?n=6&m=1000&replicas=20&every=50&sweep=pieces:2_4_8_16&series=model:deep-mlp_random-forest&speed=0&show=accuracy.ends",
        claim: "The more often the label jumps along a column, the less networks find of it; trees cut wherever it jumps.",
        source: SOURCE,
        instance: instance!(),
        expect: &[
            Expect::Ahead { series: 1, than: 0, at: 0, by: 0.01 },
            Expect::Ahead { series: 1, than: 0, at: 1, by: 0.05 },
            Expect::Ahead { series: 1, than: 0, at: 2, by: 0.05 },
        ],
        budget: 300,
        time: "About a minute on one processor core.",
    },
    Preset {
        slug: "table-width",
        name: "Wide networks do well on small tables",
        group: &GROUP,
        link: "#v1/tabular?replicas=20&every=50&sweep=m:30_100_300_1000&series=widths:10.10_30.30_100.100_300.300&speed=0&show=accuracy.ends",
        claim: "Width helps from a hundred rows on, however much larger than the sample a network is.",
        source: "Edelman 2024, section 6.4.2, finding (2T), and figure C.3",
        instance: instance!(
            "Two hidden layers instead of three, of 10 to 300 neurons instead of 100 to 30,000."
        ),
        expect: &[
            Expect::Ahead { series: 2, than: 0, at: 1, by: 0.003 },
            Expect::Ahead { series: 2, than: 0, at: 2, by: 0.01 },
            Expect::Ahead { series: 3, than: 0, at: 2, by: 0.01 },
            Expect::Ahead { series: 2, than: 0, at: 3, by: 0.015 },
            Expect::Ahead { series: 3, than: 0, at: 3, by: 0.02 },
        ],
        budget: 300,
        time: "A few minutes on one processor core.",
    },
    Preset {
        slug: "table-sparse",
        name: "Sparse beginnings on a wide table",
        group: &GROUP,
        link: "#v1/tabular?n=40&widths=200.100&replicas=20&steps=500&every=50&sweep=m:300_1000_3000&series=init:uniform_sparse&speed=0&show=accuracy.ends",
        claim: "On a table of 40 columns a first layer that begins with two ones a row errs less than a dense one from a thousand rows on, and most on three thousand.",
        source: "Edelman 2024, section 6.4.2, finding (3T), and figure C.3",
        instance: instance!(
            "Two hidden layers of 200 and 100 neurons, and 500 steps. The thesis finds the effect on some tables and most on the smallest samples; on this one it is there for larger ones."
        ),
        expect: &[
            Expect::Ahead { series: 1, than: 0, at: 1, by: 0.003 },
            Expect::Ahead { series: 1, than: 0, at: 2, by: 0.012 },
        ],
        budget: 500,
        time: "A few minutes on one processor core.",
    },
    Preset {
        slug: "table-parity",
        name: "A table that is a parity",
        group: &GROUP,
        link: "#v1/tabular?k=2&rule=parity&replicas=20&steps=500&every=50&sweep=m:100_300_1000_3000&series=model:deep-mlp_random-forest&speed=0&show=accuracy.ends",
        claim: "Where no column tells anything by itself, greedy splits have nothing to go by, and networks learn from fewer rows than the forest.",
        source: "Ours, after Edelman 2024, section 6.4.2: sparse parity has all three properties of tables",
        instance: instance!("The label is the product of the signs of two columns, and there are 500 steps."),
        expect: &[
            Expect::Ahead { series: 0, than: 1, at: 1, by: 0.05 },
            Expect::Ahead { series: 0, than: 1, at: 2, by: 0.02 },
        ],
        budget: 500,
        time: "A minute or two on one processor core.",
    },
];
