//! Noise on every weight, with rounding after each block and without.

use super::{expect_all_correct, expect_final};
use vivarium_model::tasks::turing_machine::charts;
use vivarium_science::machines::MachineMetric;
use vivarium_view::presets::{ALL_REPLICAS, PRESET_DEFAULTS, Preset, PresetGroup};

/// Group of presets on random noise added to every weight of the transformer that executes a Turing machine.
const GROUP: PresetGroup = PresetGroup {
    slug: "noise-on-machines",
    name: "Noise on every weight",
    charts: &[charts::BY_NOISE, charts::STRAYED],
};

/// Paper and sections shown as the source of most presets of this file (sweeps over the noise on the weights).
const SOURCE: &str = "Wei, Chen and Ma 2022, section 3 and appendix D";

/// Expected share of networks whose T machine steps are all right, as (minimum, maximum): none of the networks.
const NO_NETWORKS: (f64, f64) = (0.0, 0.0);

/// Expected share of networks whose T machine steps are all right, as (minimum, maximum): at most two of six networks.
const FEW_NETWORKS: (f64, f64) = (0.0, 0.34);

/// Presets with sweeps over the standard deviation of the noise on the weights.
pub(super) const NOISE: &[Preset] = &[
    Preset {
        slug: "unrounded-machine",
        name: "Without rounding, errors grow",
        group: &GROUP,
        link: "#v1/turing-machine?round=no&replicas=6&sweep=sigma:0.00001_0.0001_0.001&speed=0&show=strayed.correct.bynoise",
        claim: "Without rounding, the errors of each step enter the next step and grow. With noise of standard deviation 0.00001 on every weight, none of six networks runs the busy beaver to its end: the median network makes its first error between steps 6 and 14. With noise of standard deviation 0.001 the median network makes its first error at step 5.",
        source: SOURCE,
        remarks: "Our choices: the busy beaver with 4 states, T = 107, six random samples of the noise.",
        expectations: &[
            expect_all_correct((0, 0), NO_NETWORKS),
            expect_all_correct((0, 2), NO_NETWORKS),
            expect_final(MachineMetric::FirstWrong, (0, 0), (6.0, 14.0)),
            expect_final(MachineMetric::FirstWrong, (0, 2), (5.0, 5.0)),
        ],
        max_steps: 107,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "rounded-machine",
        name: "With rounding, the tolerated noise is 300 times as large",
        group: &GROUP,
        link: "#v1/turing-machine?replicas=6&sweep=sigma:0.001_0.003_0.01_0.03&speed=0&show=strayed.correct.bynoise",
        claim: "Rounding after each block removes every error below 1/3. With noise of standard deviation 0.003 all six networks run the busy beaver to its end. Without rounding, a 300th of this noise is already too much. With rounding and noise of standard deviation 0.03, no network reaches the end.",
        source: SOURCE,
        remarks: "Our choices: the busy beaver with 4 states, T = 107, six random samples of the noise on every weight and bias. The rounding itself has no noise.",
        expectations: &[
            expect_all_correct((0, 0), ALL_REPLICAS),
            expect_all_correct((0, 1), ALL_REPLICAS),
            expect_all_correct((0, 3), NO_NETWORKS),
            expect_final(MachineMetric::FirstWrong, (0, 1), (108.0, 108.0)),
        ],
        max_steps: 107,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "longer-machine",
        name: "Must the noise be smaller for a longer run?",
        group: &GROUP,
        link: "#v1/turing-machine?m=counter&replicas=6&steps=800&every=10&sweep=sigma:0.001_0.003_0.005_0.01&series=t:50_200_800&speed=0&show=correct.bynoise",
        claim: "With noise of standard deviation 0.003 all six networks for each of T = 50, 200 and 800 steps run without an error, so the length of the run makes no difference. With noise of standard deviation 0.005 the length makes a difference: all six networks for T = 50 run without an error, and at most two of the six networks for T = 800 run without an error. In a longer run there are more steps in which a rare error can occur, and the networks for T = 800 have more blocks.",
        source: "Wei, Chen and Ma 2022, theorem D.6: a lower bound of the margin that does not depend on depth",
        remarks: "Our choices: the endless counter, six random samples of Gaussian noise. The theorem bounds the smallest harmful change of the weights. The theorem gives no information about how often random noise is harmful.",
        expectations: &[
            expect_all_correct((0, 1), ALL_REPLICAS),
            expect_all_correct((1, 1), ALL_REPLICAS),
            expect_all_correct((2, 1), ALL_REPLICAS),
            expect_all_correct((0, 2), ALL_REPLICAS),
            expect_all_correct((2, 2), FEW_NETWORKS),
        ],
        max_steps: 800,
        duration_note: "About half a minute on one processor core.",
        ..PRESET_DEFAULTS
    },
];
