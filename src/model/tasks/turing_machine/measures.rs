//! The measures of a Turing machine that a transformer runs.

use crate::tasks::measures::{Slot, names, units};
use crate::tasks::{MeasureInfo, Measures};
use vivarium_core::sources::WEI_2022;
use vivarium_science::machines::MachineMetric;

/// All of them.
pub(super) const MEASURES: &[&[MeasureInfo]] = &[&OF_STEPS, &FURTHER];

/// Their names.
pub(super) const NAMES: Measures = Measures {
    names: names(&OF_STEPS),
    further: &FURTHER_NAMES,
    more: MachineMetric::OPTIONS,
    largest_margin: None,
};

const FURTHER_NAMES: [&str; 8] = names(&FURTHER);

/// Of the last step, and of all steps.
const OF_STEPS: [MeasureInfo; 4] = [
    MeasureInfo::new(
        Slot::TrainLoss,
        "deviation_in_step",
        units::DISTANCE,
        "Largest distance of a number of the last step from 0 or 1, before rounding. Step 0 fetches the first symbol.",
    ),
    MeasureInfo::new(
        Slot::TrainAccuracy,
        "share_of_steps_right",
        units::SHARE,
        "Share of the steps so far whose token equals that of an ordinary simulator; 1 before the first step.",
    ),
    MeasureInfo::new(
        Slot::TestLoss,
        "deviation_so_far",
        units::DISTANCE,
        "Largest distance of a number of any step so far from 0 or 1, before rounding, step 0 included.",
    ),
    MeasureInfo::new(
        Slot::TestAccuracy,
        "share_before_first_error",
        units::SHARE,
        "Number of steps before the first wrong step, divided by the number T of steps of the whole run.",
    )
    .from(&[WEI_2022]),
];

/// In the order of [`MachineMetric`].
const FURTHER: [MeasureInfo; 8] = [
    MeasureInfo::new(Slot::Further, "first_wrong_step", units::COUNT, "Number of the first step whose token differs from the simulator's. Without such a step: one more than there are steps."),
    MeasureInfo::new(Slot::Further, "smallest_score_gap", units::DISTANCE, "Smallest difference between the largest attention score and the next one, in all steps so far, step 0 included; 0 where no attention had two different scores.").from(&[WEI_2022]),
    MeasureInfo::new(Slot::Further, "largest_deviation", units::DISTANCE, "The same number as deviation_so_far."),
    MeasureInfo::new(Slot::Further, "blocks", units::COUNT, "Number of blocks of the transformer."),
    MeasureInfo::new(Slot::Further, "bits_of_position", units::COUNT, "Number of bits with which the transformer writes a position."),
    MeasureInfo::new(Slot::Further, "head_cell", "number of a cell", "Cell of the machine's head in the newest token."),
    MeasureInfo::new(Slot::Further, "machine_state", "number of a state", "State of the machine in the newest token."),
    MeasureInfo::new(Slot::Further, "halted", "0 or 1", "1 if the machine has no rule for the state and the symbol of the newest token, otherwise 0."),
];
