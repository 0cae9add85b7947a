//! Networks on prompts of tokens (Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025): the staircase of heads, the race of
//! attention, feedforward and recurrent networks, and exact theory.
//!
//! The paper gives hardly any settings; "the authors'" settings come from their released code.

pub mod experiments;
mod race;
mod stairs;
mod theory;

use vivarium_view::presets::{Expectation, ExpectedMeasure, Preset};

/// Every preset of the lab on sparse token regression, in the order of the menu; the inner lists are its groups.
pub const PRESETS: &[&[Preset]] = &[stairs::STAIRS, race::RACE, theory::THEORY];

/// Expects the share of the label variance that the network explains, R² on held-out prompts (median over networks), to
/// be in the interval `between` at step `step`.
const fn expect_explained(step: u64, between: (f32, f32)) -> Expectation {
    Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step, between }
}

/// Expects the median of a measure of the query-key matrix W_QK at step `step` to be in the interval `between`.
const fn expect_matrix_measure(measure: ExpectedMeasure, step: u64, between: (f32, f32)) -> Expectation {
    Expectation::Median { measure, step, between }
}

/// Expects the median over networks of the relative error on held-out prompts, at the end of the runs with swept value
/// number `at` (from 0), to be in the interval `between`; for the first curve of the sweep.
const fn expect_final_error(at: usize, between: (f32, f32)) -> Expectation {
    Expectation::FinalError { series: 0, at, between }
}
