//! Transformers on prompts of points (Garg, Tsipras, Liang and Valiant 2022; Wu, Su, Hu, Song and Liu 2024, appendix G), at
//! sizes that train in about a minute.
//!
//! Neither paper has numbers for these sizes. What is claimed was measured here; the papers' own sizes take days.

pub mod experiments;
mod functions;
mod layers;

use vivarium_view::presets::{Expect, Measure, Preset};

/// Every preset of the lab, in the order of the menu.
pub const PRESETS: &[&[Preset]] = &[layers::LAYERS, functions::FUNCTIONS];

/// The median R² at the last point, after `step` steps.
const fn explains(step: u64, between: (f32, f32)) -> Expect {
    Expect::Median { measure: Measure::TestAccuracy, step, between }
}

/// The median of 1 − R² at the end of a sweep's runs: of curve `series`, at value number `at`.
const fn ends(series: usize, at: usize, between: (f32, f32)) -> Expect {
    Expect::Ends { series, at, between }
}
