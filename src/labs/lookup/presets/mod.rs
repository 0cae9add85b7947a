//! Networks on prompts of tokens (Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025): the staircase of heads, the race of
//! attention, feedforward and recurrent networks, and what theory knows exactly.
//!
//! The paper gives hardly any setting; those that are called the authors' are those of their released code.

pub mod experiments;
mod race;
mod stairs;
mod theory;

use vivarium_view::presets::{Expect, Measure, Preset};

/// Every preset of the lab, in the order of the menu.
pub const PRESETS: &[&[Preset]] = &[stairs::STAIRS, race::RACE, theory::THEORY];

/// The median share of the variance that is explained, at step `step`.
const fn explains(step: u64, between: (f32, f32)) -> Expect {
    Expect::Median { measure: Measure::TestAccuracy, step, between }
}

/// The median over networks of how far entries of W_QK stand out, at step `step`.
const fn stands_out(measure: Measure, step: u64, between: (f32, f32)) -> Expect {
    Expect::Median { measure, step, between }
}

/// The median relative error at the end of a sweep's runs, at value number `at`.
const fn ends(at: usize, between: (f32, f32)) -> Expect {
    Expect::Ends { series: 0, at, between }
}
