//! Transformers that run a Turing machine (Wei, Chen and Ma 2022): machines of the library, depth, noise and softmax.
//!
//! The paper has no experiment and no number; the settings are those of an independent program, and are called ours.

mod library;
mod noise;
mod softmax;

use vivarium_science::machines::MachineMetric;
use vivarium_view::presets::{Expectation, ExpectedMeasure, Preset};

/// Every preset of the lab on executed Turing machines, in the order of the menu; the inner lists are its groups.
pub const PRESETS: &[&[Preset]] = &[library::RUNS, noise::NOISE, softmax::SOFTMAX];

/// Expects the median over networks of `metric` at machine step `step` to be in the interval `between`.
const fn expect_median(metric: MachineMetric, step: u64, between: (f32, f32)) -> Expectation {
    Expectation::Median { measure: ExpectedMeasure::Machine(metric), step, between }
}

/// Expects the median of a metric at the end of a sweep's runs, for curve number `series` at swept value number `at`
/// (both from 0), to be in `between`.
const fn expect_final(of: MachineMetric, (series, at): (usize, usize), between: (f32, f32)) -> Expectation {
    Expectation::FinalMeasure { measure: ExpectedMeasure::Machine(of), series, at, between }
}

/// Expects the share of networks whose T machine steps are all right, for curve number `series` at swept value number
/// `at` (both from 0), to be in `share`.
const fn expect_all_correct((series, at): (usize, usize), share: (f64, f64)) -> Expectation {
    Expectation::Solved { series, at, share }
}
