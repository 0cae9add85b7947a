//! Transformers on prompts of points (Garg, Tsipras, Liang and Valiant 2022; Wu, Su, Hu, Song and Liu 2024, appendix
//! G), at sizes that train in about a minute.
//!
//! Neither paper has numbers for these sizes. What is claimed was measured here; the papers' own sizes take days.

pub mod experiments;
mod functions;
mod layers;

use vivarium_view::presets::{Expectation, ExpectedMeasure, Preset};

/// Every preset of the lab of in-context learning, one slice per menu group.
pub const PRESETS: &[&[Preset]] = &[layers::LAYER_PRESETS, functions::FUNCTION_PRESETS];

/// Expects the median over replicas of R² at the last point of held-out prompts, at training step `step`, to be in the
/// range `between`.
const fn expect_r2(step: u64, between: (f32, f32)) -> Expectation {
    Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step, between }
}

/// Expects the median over replicas of 1 − R² at the last point of held-out prompts, at the end of a sweep's run, to be
/// in the range `between`, for the curve with index `series` and the swept value with index `at`, both from 0.
const fn expect_final_error(series: usize, at: usize, between: (f32, f32)) -> Expectation {
    Expectation::FinalError { series, at, between }
}
