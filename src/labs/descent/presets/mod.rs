//! Transformers that are gradient descent (Wu, Su, Hu, Song and Liu 2024): the table of distances to direct descent, the laws
//! behind it, and the traps.
//!
//! The paper executes none of its constructions and gives no number; the settings are those of an independent program, and
//! are called ours.

mod laws;
mod traps;

use vivarium_science::descent::ComparisonMeasure;
use vivarium_view::presets::{Expect, Measure, Preset};

/// Every preset of the lab, in the order of the menu.
pub const PRESETS: &[&[Preset]] = &[laws::BUILT, laws::LAWS, traps::TRAPS];

/// The median of a further measure at step `step`.
const fn median(of: ComparisonMeasure, step: u64, between: (f32, f32)) -> Expect {
    Expect::Median { measure: Measure::Descent(of), step, between }
}

/// A further measure reaches `limit` at a step up to 100 in this share of the networks.
const fn exceeds(of: ComparisonMeasure, limit: f32, share: f64) -> Expect {
    let measure = Measure::Descent(of);
    Expect::Reaches { measure, at_least: limit, steps: (0, 100), share: (share, share) }
}

/// Tokens and direct descent differ by more than rounding at a step up to `step`, in a share of the networks within `share`.
const fn parts(step: u64, share: (f64, f64)) -> Expect {
    let measure = Measure::Descent(ComparisonMeasure::Distance);
    Expect::Reaches { measure, at_least: 1e-14, steps: (0, step), share }
}

/// The median loss that the tokens leave of the variance of the labels, as a share that is explained.
const fn explains(step: u64, between: (f32, f32)) -> Expect {
    Expect::Median { measure: Measure::TrainAccuracy, step, between }
}

/// The median of a further measure at the end of a sweep's runs, at value number `at`.
const fn last(of: ComparisonMeasure, at: usize, between: (f32, f32)) -> Expect {
    Expect::Last { measure: Measure::Descent(of), series: 0, at, between }
}

/// The power of the swept value as which the distance at the end goes.
const fn power(values: (usize, usize), between: (f64, f64)) -> Expect {
    Expect::Power { measure: Measure::Descent(ComparisonMeasure::Distance), series: 0, values, between }
}
