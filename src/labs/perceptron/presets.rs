//! Hebb's rule, the oldest way to learn from a teacher.

use crate::presets::{Expect, Measure, Preset, PresetGroup, QUICK};

/// Every preset of the lab, in the order of the menu.
pub const PRESETS: &[&[Preset]] = &[&[HEBB]];

/// Vallet 1989.
const GROUP: PresetGroup = PresetGroup { slug: "teacher", name: "Teacher and student", charts: &[] };

const HEBB: Preset = Preset {
    slug: "hebb",
    name: "Hebb's rule and the error that theory predicts",
    group: &GROUP,
    link: "#v1/teacher-student?replicas=10",
    claim: "The weight vector of each of ten student networks is the sum of yx, the label times the input, over all examples so far. After 5 examples per weight the student networks answer 16 % of new inputs wrongly, and after 20 examples per weight 9 %, as theory predicts.",
    source: "Vallet 1989",
    instance: "As in the source: Hebb's rule on inputs of ±1 and a teacher with Gaussian weights. The theory is for n → ∞; here n is 100.",
    expect: &[
        Expect::Median { measure: Measure::TestAccuracy, step: 500, between: (0.822, 0.853) },
        Expect::Median { measure: Measure::TestAccuracy, step: 2000, between: (0.9, 0.926) },
    ],
    budget: 2000,
    ..QUICK
};
