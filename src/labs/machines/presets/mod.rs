//! Transformers that run a Turing machine (Wei, Chen and Ma 2022): machines of the library, depth, noise and softmax.
//!
//! The paper has no experiment and no number; the settings are those of an independent program, and are called ours.

mod library;
mod noise;
mod softmax;

use vivarium_science::machines::MachineMetric;
use vivarium_view::presets::{Expect, Measure, Preset};

/// Every preset of the lab, in the order of the menu.
pub const PRESETS: &[&[Preset]] = &[library::RUNS, noise::NOISE, softmax::SOFTMAX];

/// The median of a further measure at step `step`.
const fn median(of: MachineMetric, step: u64, between: (f32, f32)) -> Expect {
    Expect::Median { measure: Measure::Machine(of), step, between }
}

/// The median of a further measure at the end of a sweep's runs: of curve `series` at value number `at`.
const fn last(of: MachineMetric, (series, at): (usize, usize), between: (f32, f32)) -> Expect {
    Expect::Last { measure: Measure::Machine(of), series, at, between }
}

/// The share of the networks all of whose T steps are right: of curve `series` of a sweep at value number `at`.
const fn survive((series, at): (usize, usize), share: (f64, f64)) -> Expect {
    Expect::Solved { series, at, share }
}
