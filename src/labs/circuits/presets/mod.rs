//! Circuits as networks (Wei, Chen and Ma 2022): the margins of a product of weights, those of circuits by depth, and
//! noise.
//!
//! The paper has no experiment and gives no number; the settings are ours.

mod gates;
mod noise;
mod product;

use vivarium_science::circuits::CircuitMetric;
use vivarium_view::presets::{Expectation, ExpectedMeasure, Preset};

/// Every preset of the circuit lab, one slice per menu group.
pub const PRESETS: &[&[Preset]] = &[product::PRODUCT_PRESETS, gates::GATE_PRESETS, noise::NOISE_PRESETS];

/// Expects the median over replicas of a circuit metric, at step `step` of the search for perturbations, to be in the
/// range `between`.
const fn expect_median(metric: CircuitMetric, step: u64, between: (f32, f32)) -> Expectation {
    Expectation::Median { measure: ExpectedMeasure::Circuit(metric), step, between }
}

/// Expects the median over replicas of a circuit metric at the end of a sweep's run to be in the range `between`, for
/// the curve with index `series` and the swept value with index `at`, both from 0.
const fn expect_final_median(
    metric: CircuitMetric,
    series: usize,
    at: usize,
    between: (f32, f32),
) -> Expectation {
    Expectation::FinalMeasure { measure: ExpectedMeasure::Circuit(metric), series, at, between }
}
