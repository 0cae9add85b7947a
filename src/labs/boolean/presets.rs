//! Chapter 4: what one layer of attention learns from few examples; and functions of one's own with a small and a large
//! leap (Abbe, Boix-Adsera and Misiakiewicz 2023).

use super::experiments;
use vivarium_model::chart;
use vivarium_view::presets::{
    ALL_REPLICAS, Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup, expect_learned,
};

/// Every preset of the lab of sparse Boolean functions, one slice per menu group.
pub const PRESETS: &[&[Preset]] = &[ATTENTION_PRESETS, LEAP_PRESETS];

/// Menu group of the presets on networks with attention that learn a few relevant bits (Edelman 2024, figures 4.2 to
/// 4.4).
const ATTENTION_GROUP: PresetGroup =
    PresetGroup { slug: "variables", name: "What attention learns from few examples", charts: &[] };

/// Presets in which a network with attention learns an AND or a parity of a few bits.
const ATTENTION_PRESETS: &[Preset] = &[
    Preset {
        slug: "and-enough",
        name: "AND of 3 bits among 100, from 100 examples",
        group: &ATTENTION_GROUP,
        link: "#v1/sparse-boolean?steps=250&halt=steps&every=10&held=512",
        claim: "In at least seven of ten networks, held-out accuracy reaches 99 % within 250 iterations: the transformer learns the conjunction from 100 examples. The median network then classifies all its 100 examples correctly.",
        source: "Edelman 2024, figure 4.3 (left)",
        experiment: Some(&experiments::FIGURE_4_3_ABOVE),
        departures: &[("last iteration", "1,000", "250")],
        expectations: &[
            expect_learned(0.99, (20, 250), (0.7, 1.0)),
            Expectation::Median {
                measure: ExpectedMeasure::TrainAccuracy,
                step: 250,
                between: (0.999, 1.001),
            },
        ],
        max_steps: 250,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "and-too-few",
        name: "AND of 3 bits, from 20 examples: only memorisation",
        group: &ATTENTION_GROUP,
        link: "#v1/sparse-boolean?m=20&steps=250&halt=steps&every=10&held=512",
        claim: "The median network also fits a sample of 20 examples, but its held-out accuracy is at most 85 % after 250 iterations. At most one network in ten learns the conjunction. If there are fewer examples than a threshold, the network overfits.",
        source: "Edelman 2024, figure 4.3 (left)",
        experiment: Some(&experiments::FIGURE_4_3_BELOW),
        departures: &[("last iteration", "1,000", "250")],
        expectations: &[
            Expectation::Median {
                measure: ExpectedMeasure::TrainAccuracy,
                step: 250,
                between: (0.999, 1.001),
            },
            expect_learned(0.99, (0, 250), (0.0, 0.1)),
            Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step: 250, between: (0.5, 0.85) },
        ],
        max_steps: 250,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "and-dropout",
        name: "AND of 3 bits, trained with dropout",
        group: &ATTENTION_GROUP,
        link: "#v1/sparse-boolean?adrop=0.1&rdrop=0.1&clip=1&steps=250&halt=steps&every=10&held=512",
        claim: "The network is trained with dropout of attention weights and of block outputs, and with gradients of norm 1 at most. It still learns the conjunction from 100 examples: in at least nine of ten networks, held-out accuracy reaches 99 % within 100 iterations.",
        source: "Edelman 2024, figure 4.3 (left) and appendix A.3.1",
        experiment: Some(&experiments::FIGURE_4_3_ABOVE),
        departures: &[("last iteration", "1,000", "250")],
        remarks: "Dropout of embeddings is off because it gives each example tokens of its own: a training step then has about 14 times as many operations.",
        expectations: &[
            expect_learned(0.99, (20, 100), (0.9, 1.0)),
            Expectation::Median {
                measure: ExpectedMeasure::TrainAccuracy,
                step: 100,
                between: (0.999, 1.001),
            },
        ],
        max_steps: 250,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "and-threshold",
        name: "How many examples are enough to learn an AND?",
        group: &ATTENTION_GROUP,
        link: "#v1/sparse-boolean?tries=5&replicas=25&steps=250&every=10&held=512&sweep=m:20_30_40_50_60_80&series=n:25_50_100_200&speed=0&show=accuracy.enough",
        claim: "If the number T of bits is eight times as large, the network needs only two or three times as many examples: the necessary number grows like log T, not like T.",
        source: "Edelman 2024, figure 4.2 and corollary 4.9",
        experiment: Some(&experiments::FIGURE_4_2),
        departures: &[
            ("bits", "100 to 1,100", "25 to 200"),
            ("examples", "50 to 200", "20 to 80"),
            ("trials per point", "40", "5"),
            ("last iteration", "1,000", "250"),
        ],
        remarks: "A new sample takes the place of every sample that another conjunction fits too, and more than 99 % accuracy counts as success, as in the source.",
        expectations: &[
            Expectation::Threshold { series: 0, between: (20.0, 40.0) },
            Expectation::Threshold { series: 1, between: (30.0, 60.0) },
            Expectation::Threshold { series: 2, between: (40.0, 60.0) },
            Expectation::Threshold { series: 3, between: (40.0, 80.0) },
            Expectation::Solved { series: 0, at: 3, share: (0.8, 1.0) },
            Expectation::Solved { series: 3, at: 0, share: (0.0, 0.2) },
            Expectation::Solved { series: 3, at: 5, share: (0.8, 1.0) },
        ],
        max_steps: 250,
        duration_note: "A few minutes on one processor core.",
    },
    Preset {
        slug: "and-looks",
        name: "Most of the attention is on 3 of 50 bits",
        group: &ATTENTION_GROUP,
        link: "#v1/sparse-boolean?n=50&s=5.20.30&m=300&heads=1&steps=100&halt=steps&speed=10&show=accuracy.attention.looks",
        claim: "After 50 iterations the single head of the median network puts at least 80 % of its attention on bits 5, 20 and 30.",
        source: "Edelman 2024, figure 4.3 (right)",
        experiment: Some(&experiments::FIGURE_4_3_ATTENTION),
        departures: &[("iteration at which the attention is measured", "500", "50")],
        remarks: "Some of the attention moves to other bits after iteration 50.",
        expectations: &[
            expect_learned(0.99, (20, 100), (0.9, 1.0)),
            Expectation::Median { measure: ExpectedMeasure::Attention, step: 0, between: (0.03, 0.12) },
            Expectation::Median { measure: ExpectedMeasure::Attention, step: 50, between: (0.8, 1.0) },
        ],
        max_steps: 100,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "layer-norm-matters",
        name: "Layer norm halves the number of examples needed",
        group: &ATTENTION_GROUP,
        link: "#v1/sparse-boolean?n=50&tries=5&replicas=50&steps=250&every=10&held=512&sweep=m:30_50_70_100&series=ln:yes_no&speed=0&show=accuracy.times.sweep",
        claim: "Without layer norm the network needs about twice as many examples as with layer norm.",
        source: "Our experiment, on the architecture of Edelman 2024, appendix A.3.1",
        experiment: Some(&experiments::OWN_EXPERIMENT),
        remarks: "The thesis does not study the effect of layer norm. Here each point has 10 trials of 5 restarts and 250 iterations.",
        expectations: &[
            Expectation::Threshold { series: 0, between: (30.0, 60.0) },
            Expectation::Threshold { series: 1, between: (70.0, 110.0) },
            Expectation::Solved { series: 0, at: 2, share: (0.8, 1.0) },
            Expectation::Solved { series: 1, at: 0, share: (0.0, 0.3) },
        ],
        max_steps: 250,
        duration_note: "A few minutes on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "transformer-parity",
        name: "A transformer suddenly finds 3 of 10 bits",
        group: &ATTENTION_GROUP,
        link: "#v1/sparse-parity?model=parity-transformer&opt=adam&n=10&batch=256&steps=4000&held=1024&speed=0&show=loss.accuracy.looks",
        claim: "The transformer learns a parity. At step 500 the accuracy of the median network is still at chance. At least eight of ten networks reach 99 % by step 4,000, after a sudden rise: a phase transition.",
        source: "Edelman 2024, figure 4.4",
        experiment: Some(&experiments::FIGURE_4_4),
        remarks: "The network is the smaller transformer of chapter 5, without layer norm and dropout. With 15 bits, two networks that we tried were still at chance after 6,500 steps.",
        expectations: &[
            expect_learned(0.99, (500, 4_000), (0.8, 1.0)),
            Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step: 500, between: (0.45, 0.6) },
        ],
        max_steps: 4_000,
        ..PRESET_DEFAULTS
    },
];

/// Menu group of the presets on functions that differ in the leap: the number of new bits a network must find at once.
const LEAPS_GROUP: PresetGroup = PresetGroup {
    slug: "leaps",
    name: "Functions of the same bits, learned early or late",
    charts: &[chart::ACCURACY],
};

/// Presets on Boolean functions of the same three bits whose leap, the number of new bits to be found at once, is 1 or
/// 3.
const LEAP_PRESETS: &[Preset] = &[
    Preset {
        slug: "leap-1",
        name: "XOR of a bit with an AND: leap 1",
        group: &LEAPS_GROUP,
        link: "#v1/sparse-boolean?model=mlp&opt=sgd&fn=own&own=x1_@_(x2_*_x3)&n=50&m=0&lr=0.05&loss=square&batch=32&steps=400&halt=steps&show=loss.accuracy.fourier",
        claim: "The label is x1 XOR (x2 AND x3). Four Fourier coefficients are not 0: those of x1, x1x2, x1x3 and x1x2x3. In this order each product adds at most one new bit, so the leap is 1. Accuracy first stays near 75 %, which is the accuracy of always predicting x1, and reaches 99 % within 400 steps.",
        source: "Abbe, Boix-Adsera and Misiakiewicz 2023, main conjecture",
        remarks: "As in the source: SGD on a network with one hidden layer, new examples at every step, bits that are 0 or 1 with probability 1/2 each. Our choices: this function as the label, with the values −1 and +1 like every label here; 50 bits, 100 ReLUs, the squared loss, batch 32 and learning rate 0.05.",
        expectations: &[
            Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step: 40, between: (0.7, 0.8) },
            Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step: 100, between: (0.7, 0.8) },
            expect_learned(0.99, (150, 400), ALL_REPLICAS),
        ],
        max_steps: 400,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "leap-3",
        name: "Parity of the same three bits: leap 3",
        group: &LEAPS_GROUP,
        link: "#v1/sparse-boolean?model=mlp&opt=sgd&fn=own&own=x1_@_x2_@_x3&n=50&m=0&lr=0.05&loss=square&batch=32&steps=6000&every=20&speed=200&show=loss.accuracy.fourier",
        claim: "Only the Fourier coefficient of x1x2x3 is not 0. This product adds three new bits at once, so the leap is 3. At step 1,000 accuracy is still at chance, and nearly all seeds need more than 2,000 steps to reach 99 %. The same network learns the function with leap 1 within 400 steps.",
        source: "Abbe, Boix-Adsera and Misiakiewicz 2023, main conjecture",
        remarks: "The settings of “XOR of a bit with an AND: leap 1”, with the parity of the same three bits and up to 6,000 steps. Both functions have degree 3.",
        expectations: &[
            Expectation::Median {
                measure: ExpectedMeasure::TestAccuracy,
                step: 1_000,
                between: (0.45, 0.55),
            },
            expect_learned(0.99, (2_000, 6_000), (0.9, 1.0)),
        ],
        max_steps: 6_000,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "leap-times",
        name: "Leap 1 and leap 3: time against n",
        group: &LEAPS_GROUP,
        link: "#v1/sparse-boolean?model=mlp&opt=sgd&fn=own&own=x1_@_(x2_*_x3)&m=0&lr=0.05&loss=square&batch=32&replicas=20&steps=8000&every=10&held=256&sweep=n:10_20_40&series=fn:own_parity&speed=0&show=accuracy.times.sweep",
        claim: "With four times as many bits, the function with leap 1 needs two to three times as many training steps, and the parity, with leap 3, needs at least seven times as many. For 40 bits the parity takes about ten times as many steps as the function with leap 1.",
        source: "Abbe, Boix-Adsera and Misiakiewicz 2023, main conjecture",
        remarks: "The two functions and the settings of “XOR of a bit with an AND: leap 1”, for 10, 20 and 40 bits, with 20 networks per point. By the main conjecture of Abbe et al. (2023), the training time grows like n to the power max(leap, 2), up to logarithmic factors. So the exponents of leap 3 and leap 1 differ by 1.",
        expectations: &[
            Expectation::Exponent { series: 0, values: (0, 2), between: (0.5, 0.79) },
            Expectation::Exponent { series: 1, values: (0, 2), between: (1.41, 1.9) },
            Expectation::MedianTime { series: 0, at: 2, between: (220, 290) },
            Expectation::MedianTime { series: 1, at: 2, between: (2_200, 2_900) },
        ],
        max_steps: 8_000,
        duration_note: "About ten seconds on one processor core.",
        ..PRESET_DEFAULTS
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boolean::fourier::{compute_leap, fourier_coefficients, nonzero_sets};
    use vivarium_model::tasks::{Examples, SparseBoolean, Task};

    fn task(slug: &str) -> SparseBoolean {
        let preset = LEAP_PRESETS.iter().find(|preset| preset.slug == slug).expect("a preset");
        let Task::SparseBoolean(task) = preset.link().spec.task else { panic!("a sparse Boolean function") };
        task
    }

    /// As signs, a AND b is (−1 + a + b + ab)/2 and a XOR b is −ab, so that
    ///
    /// ```text
    /// x1 XOR (x2 AND x3) = −x1 (−1 + x2 + x3 + x2x3)/2 = (x1 − x1x2 − x1x3 − x1x2x3)/2
    /// x1 XOR x2 XOR x3 = −(−x1x2) x3 = x1x2x3
    /// ```
    #[test]
    fn the_functions_have_the_coefficients_and_leaps_that_the_claims_say() {
        let mut staircase = [0.0; 8];
        (staircase[0b001], staircase[0b011], staircase[0b101], staircase[0b111]) = (0.5, -0.5, -0.5, -0.5);
        let mut parity = [0.0; 8];
        parity[0b111] = 1.0;
        for (slug, expected, wanted) in
            [("leap-1", staircase, 1), ("leap-times", staircase, 1), ("leap-3", parity, 3)]
        {
            let found = fourier_coefficients(&task(slug));
            assert_eq!(
                (found.as_slice(), compute_leap(&nonzero_sets(&found))),
                (expected.as_slice(), wanted),
                "{slug}"
            );
        }
        // Both are functions of the same bits, and both labels are as common.
        let [one, three] = ["leap-1", "leap-3"].map(task);
        assert_eq!(one.relevant(0), three.relevant(0));
        assert_eq!([one.majority_fraction(), three.majority_fraction()], [0.5; 2]);
        // x1 alone is right on six of the eight values of the three bits.
        let table = one.truth_table();
        let right = table.iter().enumerate().filter(|(row, label)| (row >> 2 & 1 == 1) == **label);
        assert_eq!(right.count(), 6);
    }

    /// The claims say "two to three times", "at least seven times" and "about ten times".
    #[test]
    fn the_claim_about_times_follows_from_what_is_expected() {
        let expected =
            LEAP_PRESETS.iter().find(|preset| preset.slug == "leap-times").expect("a preset").expectations;
        let [
            Expectation::Exponent { between: slow, .. },
            Expectation::Exponent { between: fast, .. },
            Expectation::MedianTime { between: one, .. },
            Expectation::MedianTime { between: three, .. },
        ] = expected
        else {
            panic!("two exponents and two times")
        };
        let times = |exponent: f64| libm::pow(4.0, exponent);
        assert!(times(slow.0) >= 2.0 && times(slow.1) <= 3.0 && times(fast.0) >= 7.0);
        let ratio = |a: u64, b: u64| a as f64 / b as f64;
        assert!(ratio(three.0, one.1) > 7.0 && ratio(three.1, one.0) < 14.0);
    }
}
