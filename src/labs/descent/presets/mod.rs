//! Transformers that are gradient descent (Wu, Su, Hu, Song and Liu 2024): the table of distances to direct descent,
//! the theorem behind it, and the traps.
//!
//! The paper executes none of its constructions and gives no number; the settings are those of an independent program,
//! and are called ours.

mod theorem;
mod traps;

use vivarium_science::descent::ComparisonMeasure;
use vivarium_view::presets::{Expectation, ExpectedMeasure, Preset};

/// Every preset of the lab of gradient descent in tokens, one slice per menu group.
pub const PRESETS: &[&[Preset]] =
    &[theorem::THEOREM_PRESETS, theorem::DISTANCE_PRESETS, traps::CONTROL_PRESETS];

/// Expects the median over replicas of a comparison of descent in tokens with direct gradient descent, at step `step`,
/// to be in the range `between`.
const fn expect_median(measure: ComparisonMeasure, step: u64, between: (f32, f32)) -> Expectation {
    Expectation::Median { measure: ExpectedMeasure::Descent(measure), step, between }
}

/// Expects that in exactly the share `share` (0 to 1) of the replicas, the comparison measure `of` reaches at least
/// `limit` within 100 steps of descent.
const fn expect_at_least(of: ComparisonMeasure, limit: f32, share: f64) -> Expectation {
    let measure = ExpectedMeasure::Descent(of);
    Expectation::Reaches { measure, at_least: limit, steps: (0, 100), share: (share, share) }
}

/// Expects that the weights in the tokens are at a distance (ℓ₂ norm) of at least 1e−14 from those of direct gradient
/// descent within `step` steps, in a share of the networks in the range `share`.
const fn expect_deviation(step: u64, share: (f64, f64)) -> Expectation {
    let measure = ExpectedMeasure::Descent(ComparisonMeasure::Distance);
    Expectation::Reaches { measure, at_least: 1e-14, steps: (0, step), share }
}

/// Expects the median over replicas of R², the explained share of the labels' variance, with the weights in the tokens
/// at step `step` to be in the range `between`.
const fn expect_explained_variance(step: u64, between: (f32, f32)) -> Expectation {
    Expectation::Median { measure: ExpectedMeasure::TrainAccuracy, step, between }
}

/// Expects the median over replicas of a comparison measure at the last step of a sweep's run, for the swept value with
/// index `at` (from 0), to be in the range `between`.
const fn expect_final_median(measure: ComparisonMeasure, at: usize, between: (f32, f32)) -> Expectation {
    Expectation::FinalMeasure { measure: ExpectedMeasure::Descent(measure), series: 0, at, between }
}

/// Expects the exponent of the power law of the final distance from direct gradient descent in the swept setting to be
/// in the range `between`; it is fitted to the swept values from the first to the last index (from 0) in `values`.
const fn expect_power_law(values: (usize, usize), between: (f64, f64)) -> Expectation {
    Expectation::PowerLaw {
        measure: ExpectedMeasure::Descent(ComparisonMeasure::Distance),
        series: 0,
        values,
        between,
    }
}
