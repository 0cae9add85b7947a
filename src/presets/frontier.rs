//! Chapter 6: data, width, time and luck pay for each other.

use super::parts::QUICK;
use super::{Expect, Group, Preset};

pub(super) const PRESETS: &[Preset] = &[
    Preset {
        slug: "width-buys-luck",
        name: "Width buys luck, and so do sparse rows",
        group: Group::Frontier,
        link: "#v1/sparse-parity?n=30&m=400&wd=0.01&replicas=20&target=0.9&every=100&held=512&sweep=width:10_30_100_300&series=init:uniform_sparse&speed=0&show=accuracy.times.sweep",
        claim: "From 400 examples hardly a narrow network finds the parity; most wide ones do, and rows that begin with two ones do it more often at every width.",
        source: "Edelman 2024, figures 6.2 (centre) and C.1",
        instance: "Batch 32, learning rate 0.1, coupled decay 0.01 and success at 90 % as in the thesis; n = 30 instead of 50 to 300, 20,000 steps instead of 100,000, width up to 300 instead of 100,000, 20 trials instead of 50.",
        expect: &[
            Expect::Solved { series: 0, at: 0, share: (0.0, 0.2) },
            Expect::Solved { series: 0, at: 1, share: (0.0, 0.3) },
            Expect::Solved { series: 0, at: 3, share: (0.65, 1.0) },
            Expect::Solved { series: 1, at: 1, share: (0.1, 0.7) },
            Expect::Solved { series: 1, at: 3, share: (0.85, 1.0) },
            Expect::MedianTime { series: 1, at: 3, between: (3_500, 8_500) },
        ],
        budget: 20_000,
        time: "Half a minute on one processor core.",
    },
    Preset {
        slug: "frontier",
        name: "The frontier of data and width",
        group: Group::Frontier,
        link: "#v1/sparse-parity?n=30&wd=0.01&replicas=10&target=0.9&every=100&held=512&sweep=m:300_400_600_1000_2000&series=width:10_30_100_300&speed=0&show=accuracy.times.sweep",
        claim: "Wide networks succeed with fewer examples: with 300 none does, with 600 the wide ones, with 2,000 all.",
        source: "Edelman 2024, figures 6.1 and C.1",
        instance: "Settings of the thesis but n = 30, 20,000 steps, width up to 300 and 10 trials per point.",
        expect: &[
            Expect::Solved { series: 3, at: 0, share: (0.0, 0.2) },
            Expect::Solved { series: 0, at: 1, share: (0.0, 0.2) },
            Expect::Solved { series: 3, at: 1, share: (0.5, 1.0) },
            Expect::Solved { series: 2, at: 2, share: (0.8, 1.0) },
            Expect::Solved { series: 0, at: 4, share: (0.8, 1.0) },
            Expect::MedianTime { series: 3, at: 2, between: (2_500, 5_000) },
            Expect::MedianTime { series: 3, at: 4, between: (700, 1_400) },
        ],
        budget: 20_000,
        time: "About a minute on one processor core.",
    },
    Preset {
        slug: "more-data-hurts",
        name: "More data can hurt",
        group: Group::Frontier,
        link: "#v1/sparse-parity?n=100&wd=0.01&replicas=10&steps=30000&target=0.9&every=200&held=512&sweep=m:3000_6000_10000_20000_40000&series=width:30_100&speed=0&show=accuracy.times.sweep",
        claim: "In 30,000 steps all find it from 10,000 examples and a minority from 40,000: a double descent over the sample size.",
        source: "Edelman 2024, figure 6.2 (right)",
        instance: "Settings of the thesis but n = 100, 30,000 steps, widths 30 and 100 and 10 trials per point.",
        expect: &[
            Expect::Solved { series: 0, at: 0, share: (0.0, 0.4) },
            Expect::Solved { series: 0, at: 2, share: (0.8, 1.0) },
            Expect::Solved { series: 1, at: 2, share: (0.9, 1.0) },
            Expect::Solved { series: 0, at: 4, share: (0.0, 0.6) },
            Expect::Solved { series: 1, at: 4, share: (0.0, 0.7) },
            Expect::MedianTime { series: 1, at: 2, between: (3_500, 5_500) },
            Expect::MedianTime { series: 1, at: 3, between: (4_800, 8_000) },
        ],
        budget: 30_000,
        time: "Two minutes on one processor core.",
    },
];
