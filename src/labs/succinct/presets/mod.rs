//! Networks that contain a learning algorithm (Goel, Kakade, Kalai and Zhang 2022): the table that SGD writes, programs on it,
//! and the search for a rule.
//!
//! The paper has no experiment and gives no number; programs, sizes and the space of rules are ours.

mod programs;
mod search;

use vivarium_science::succinct::LearningMetric;
use vivarium_view::presets::{Expect, Measure, Preset};

/// Every preset of the lab, in the order of the menu.
pub const PRESETS: &[&[Preset]] = &[programs::PROGRAMS, search::SEARCHES, search::RULES];

/// The median of a further measure at step `step`.
const fn median(of: LearningMetric, step: u64, between: (f32, f32)) -> Expect {
    Expect::Median { measure: Measure::Succinct(of), step, between }
}

/// The median of the share of test inputs answered correctly at step `step`.
const fn right(step: u64, between: (f32, f32)) -> Expect {
    Expect::Median { measure: Measure::TestAccuracy, step, between }
}

/// The median of a further measure at the end of a sweep's runs, at value number `at` of curve `series`.
const fn last(of: LearningMetric, series: usize, at: usize, between: (f32, f32)) -> Expect {
    Expect::Last { measure: Measure::Succinct(of), series, at, between }
}

/// The same of the share of test inputs answered correctly.
const fn last_right(series: usize, at: usize, between: (f32, f32)) -> Expect {
    Expect::Last { measure: Measure::TestAccuracy, series, at, between }
}

/// The median of the validation accuracy of the chosen rule at step `step`.
const fn valid(step: u64, between: (f32, f32)) -> Expect {
    Expect::Median { measure: Measure::TrainAccuracy, step, between }
}
