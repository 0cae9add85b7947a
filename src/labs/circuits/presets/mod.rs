//! Circuits as networks (Wei, Chen and Ma 2022): the margins of a product of weights, those of circuits by depth, and noise.
//!
//! The paper has no experiment and gives no number; the settings are ours.

mod gates;
mod noise;
mod product;

use vivarium_science::circuits::CircuitMetric;
use vivarium_view::presets::{Expect, Measure, Preset};

/// Every preset of the lab, in the order of the menu.
pub const PRESETS: &[&[Preset]] = &[product::PRODUCT, gates::GATES, noise::NOISE];

/// The median of a further measure at step `step`.
const fn median(of: CircuitMetric, step: u64, between: (f32, f32)) -> Expect {
    Expect::Median { measure: Measure::Circuit(of), step, between }
}

/// The median of a further measure at the end of a sweep's runs, at value number `at` of curve `series`.
const fn last(of: CircuitMetric, series: usize, at: usize, between: (f32, f32)) -> Expect {
    Expect::Last { measure: Measure::Circuit(of), series, at, between }
}
