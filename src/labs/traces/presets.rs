//! Networks that are trained on traces of a machine. All of it is ours: Wei, Chen and Ma train nothing, and no claim here is
//! about their construction.

use crate::machines::TraceMeasure as Of;
use crate::presets::{Expect, Measure, Preset, PresetGroup, QUICK};
use crate::tasks::machine_traces::charts;

/// Every preset of the lab, in the order of the menu.
pub const PRESETS: &[&[Preset]] = &[TRACES];

/// What training finds.
const GROUP: PresetGroup = PresetGroup {
    slug: "what-training-finds",
    name: "What training finds",
    charts: &[charts::CELLS, charts::FLOOR],
};

/// The median over the networks of a further measure, at step `step`.
const fn median(of: Of, step: u64, between: (f32, f32)) -> Expect {
    Expect::Median { measure: Measure::Trace(of), step, between }
}

/// The same of the accuracy on written cells.
const fn written(step: u64, between: (f32, f32)) -> Expect {
    Expect::Median { measure: Measure::TestAccuracy, step, between }
}

const TRACES: &[Preset] = &[Preset {
    slug: "traces",
    name: "Two layers read a machine's steps",
    group: &GROUP,
    link: "#v1/machine-traces",
    claim: "placeholder",
    source: "Ours; the construction beside it is of Wei, Chen and Ma 2022, section 4",
    instance: "Ours: one random machine of two states and two symbols, a fresh random tape for every trace of 64 steps, two layers with two heads each.",
    expect: &[written(2000, (0.5, 1.0)), median(Of::New, 2000, (0.45, 0.55))],
    budget: 2000,
    ..QUICK
}];
