//! Hebb's rule, the oldest way to learn from a teacher.

use vivarium_view::presets::{Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup};

/// Every preset of the lab on student and teacher perceptrons: only Hebb's rule.
pub const PRESETS: &[&[Preset]] = &[&[HEBB]];

/// Group of presets of a student perceptron that learns from a linear teacher, compared with Vallet 1989 (Hebb's rule).
const GROUP: PresetGroup = PresetGroup { slug: "teacher", name: "Teacher and student", charts: &[] };

/// Preset in which a student perceptron with zero initial weights learns from a linear teacher by Hebb's rule.
const HEBB: Preset = Preset {
    slug: "hebb",
    name: "Hebb's rule and the error that theory predicts",
    group: &GROUP,
    link: "#v1/teacher-student?replicas=10",
    claim: "The weight vector of each of ten student networks is the sum of yx, the label times the input, over all examples so far. In the median of the ten networks, about 16 % of the answers to new inputs are wrong after 5 examples per weight, and about 9 % after 20 examples per weight, as theory predicts.",
    source: "Vallet 1989; Engel and Van den Broeck 2001, section 3.1",
    remarks: "The theory is for n → ∞: the overlap of student and teacher is R = 1/√(1 + π/(2α)) after α examples per weight, and (1/π) arccos R of the answers are wrong. Our choices: n = 100 inputs of ±1, a teacher with Gaussian weights, 10 networks, 2,000 steps, 4,096 held-out examples.",
    expectations: &[
        Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step: 500, between: (0.822, 0.853) },
        Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step: 2000, between: (0.9, 0.926) },
    ],
    max_steps: 2000,
    ..PRESET_DEFAULTS
};
