//! The measures of a Turing machine that a transformer runs.

use crate::tasks::measures::{MeasureSlot, names_of, units};
use crate::tasks::{MeasureInfo, MeasureNames};
use vivarium_core::sources::WEI_2022;
use vivarium_science::machines::MachineMetric;

/// Definitions of all measures of the task on a Turing machine that a transformer runs, in lists.
pub(super) const MEASURES: &[&[MeasureInfo]] = &[&STEP_MEASURES, &FURTHER_MEASURES];

/// Names in CSV and JSON files of the measures of the task on a Turing machine that a transformer runs.
pub(super) const MEASURE_NAMES: MeasureNames = MeasureNames {
    names: names_of(&STEP_MEASURES),
    further_names: &FURTHER_NAMES,
    further_measures: MachineMetric::OPTIONS,
    largest_margin: None,
};

/// Names in CSV and JSON files of the measures in [`FURTHER_MEASURES`].
const FURTHER_NAMES: [&str; 8] = names_of(&FURTHER_MEASURES);

/// Definitions of the deviation of the transformer's numbers from bits before rounding, in the last step and in all
/// steps so far, and of the shares of right steps.
const STEP_MEASURES: [MeasureInfo; 4] = [
    MeasureInfo::new(
        MeasureSlot::TrainLoss,
        "deviation_in_step",
        units::DISTANCE,
        "Largest distance of a number of the last step from 0 or 1, before rounding. Step 0 fetches the first symbol.",
    ),
    MeasureInfo::new(
        MeasureSlot::TrainAccuracy,
        "share_of_steps_right",
        units::FRACTION,
        "Share of the steps so far whose token equals that of an ordinary simulator; 1 before the first step.",
    ),
    MeasureInfo::new(
        MeasureSlot::TestLoss,
        "deviation_so_far",
        units::DISTANCE,
        "Largest distance of a number of any step so far from 0 or 1, before rounding, step 0 included.",
    ),
    MeasureInfo::new(
        MeasureSlot::TestAccuracy,
        "share_before_first_error",
        units::FRACTION,
        "Number of steps before the first wrong step, divided by the number T of steps of the whole run.",
    )
    .with_sources(&[WEI_2022]),
];

/// Definitions of the further measures of the transformer that runs the machine, in the order of [`MachineMetric`].
const FURTHER_MEASURES: [MeasureInfo; 8] = [
    MeasureInfo::new(MeasureSlot::Further, "first_wrong_step", units::COUNT, "Number of the first step whose token differs from the simulator's. Without such a step: one more than there are steps."),
    MeasureInfo::new(MeasureSlot::Further, "smallest_score_gap", units::DISTANCE, "Smallest difference between the largest attention score and the next one, in all steps so far, step 0 included; 0 where no attention had two different scores.").with_sources(&[WEI_2022]),
    MeasureInfo::new(MeasureSlot::Further, "largest_deviation", units::DISTANCE, "The same number as deviation_so_far."),
    MeasureInfo::new(MeasureSlot::Further, "blocks", units::COUNT, "Number of blocks of the transformer."),
    MeasureInfo::new(MeasureSlot::Further, "bits_of_position", units::COUNT, "Number of bits with which the transformer writes a position."),
    MeasureInfo::new(MeasureSlot::Further, "head_cell", "number of a cell", "Cell of the machine's head in the newest token."),
    MeasureInfo::new(MeasureSlot::Further, "machine_state", "number of a state", "State of the machine in the newest token."),
    MeasureInfo::new(MeasureSlot::Further, "halted", "0 or 1", "1 if the machine has no rule for the state and the symbol of the newest token, otherwise 0."),
];
