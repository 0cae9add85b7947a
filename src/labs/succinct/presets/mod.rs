//! Networks that contain a learning algorithm (Goel, Kakade, Kalai and Zhang 2022): the table that SGD writes, programs
//! on it, and the search for a rule.
//!
//! The paper has no experiment and gives no number; programs, sizes and the space of rules are ours.

mod programs;
mod search;

use vivarium_science::succinct::LearningMetric;
use vivarium_view::presets::{Expectation, ExpectedMeasure, Preset};

/// Every preset of the lab on networks that contain a learning algorithm, in the order of the menu; the inner lists are
/// its groups.
pub const PRESETS: &[&[Preset]] = &[programs::PROGRAMS, search::SEARCHES, search::RULES];

/// Expects the median over networks of `metric` at step `step` to be in the interval `between`.
const fn expect_median(metric: LearningMetric, step: u64, between: (f32, f32)) -> Expectation {
    Expectation::Median { measure: ExpectedMeasure::Succinct(metric), step, between }
}

/// Expects the median share of correctly answered test inputs at step `step` to be in the interval `between`.
const fn expect_accuracy(step: u64, between: (f32, f32)) -> Expectation {
    Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step, between }
}

/// Expects the median of a metric at the end of a sweep's runs, for curve number `series` at swept value number `at`
/// (both from 0), to be in `between`.
const fn expect_final(metric: LearningMetric, series: usize, at: usize, between: (f32, f32)) -> Expectation {
    Expectation::FinalMeasure { measure: ExpectedMeasure::Succinct(metric), series, at, between }
}

/// Expects the median share of correctly answered test inputs at the end of a sweep's runs, for curve number `series`
/// at swept value number `at` (both from 0), to be in `between`.
const fn expect_final_accuracy(series: usize, at: usize, between: (f32, f32)) -> Expectation {
    Expectation::FinalMeasure { measure: ExpectedMeasure::TestAccuracy, series, at, between }
}

/// Expects the median accuracy of the search's chosen rule on validation queries at step `step` to be in the interval
/// `between`.
const fn expect_validation_accuracy(step: u64, between: (f32, f32)) -> Expectation {
    Expectation::Median { measure: ExpectedMeasure::TrainAccuracy, step, between }
}
