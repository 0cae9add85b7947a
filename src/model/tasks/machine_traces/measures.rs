//! The measures of traces of a machine.

use crate::tasks::measures::{MeasureSlot, SEQUENCE_TRAINING_MEASURES, names_of, units};
use crate::tasks::{MeasureInfo, MeasureNames};
use vivarium_science::machines::TraceMetric;

/// Definitions of all measures of the task on traces of a Turing machine, in lists.
pub(super) const MEASURES: &[&[MeasureInfo]] =
    &[&SEQUENCE_TRAINING_MEASURES, &TEST_MEASURES, &FURTHER_MEASURES];

/// Names in CSV and JSON files of the measures of the task on traces of a Turing machine.
pub(super) const MEASURE_NAMES: MeasureNames = MeasureNames {
    names: [
        SEQUENCE_TRAINING_MEASURES[0].name,
        SEQUENCE_TRAINING_MEASURES[1].name,
        TEST_MEASURES[0].name,
        TEST_MEASURES[1].name,
    ],
    further_names: &FURTHER_NAMES,
    further_measures: TraceMetric::OPTIONS,
    largest_margin: None,
};

/// Names in CSV and JSON files of the measures in [`FURTHER_MEASURES`].
const FURTHER_NAMES: [&str; 16] = names_of(&FURTHER_MEASURES);

/// Definitions of cross-entropy and accuracy on held-out traces.
const TEST_MEASURES: [MeasureInfo; 2] = [
    MeasureInfo::new(
        MeasureSlot::TestLoss,
        "test_cross_entropy",
        units::NATS,
        "Mean cross-entropy over all tokens of the held-out traces.",
    ),
    MeasureInfo::new(
        MeasureSlot::TestAccuracy,
        "accuracy_on_written_cells",
        units::FRACTION,
        "Share of the held-out tokens on cells that were written before for which the most probable symbol is right.",
    ),
];

/// Definitions of the measures of held-out traces besides loss and accuracy, in the order of [`TraceMetric`].
const FURTHER_MEASURES: [MeasureInfo; 16] = [
    MeasureInfo::new(
        MeasureSlot::Further,
        "excess_cross_entropy",
        "nats; 0 is the best possible",
        "Difference between test_cross_entropy and the smallest cross-entropy that any predictor has on average. It can be slightly negative on a finite sample.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "accuracy_on_new_cells",
        units::FRACTION,
        "Share of right symbols on cells that no step has written; one half is the best possible.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "accuracy_2_steps_back",
        units::FRACTION,
        "Share of right symbols on cells that were last written 2 steps ago.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "accuracy_4_steps_back",
        units::FRACTION,
        "Share of right symbols on cells that were last written 4 steps ago.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "accuracy_6_steps_back",
        units::FRACTION,
        "Share of right symbols on cells that were last written 6 steps ago.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "accuracy_8_steps_back",
        units::FRACTION,
        "Share of right symbols on cells that were last written 8 steps ago.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "accuracy_10_to_16_steps_back",
        units::FRACTION,
        "Share of right symbols on cells that were last written 10 to 16 steps ago.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "accuracy_18_or_more_steps_back",
        units::FRACTION,
        "Share of right symbols on cells that were last written 18 or more steps ago.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "attention_to_write_layer_1",
        units::FRACTION,
        "Mean attention to the most recent write of the cell, if it was four or more steps ago, of the head of layer 1 with the largest such mean.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "attention_to_write_layer_2",
        units::FRACTION,
        "Mean attention to the most recent write of the cell, if it was four or more steps ago, of the head of layer 2 with the largest such mean.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "attention_to_write_layer_3",
        units::FRACTION,
        "Mean attention to the most recent write of the cell, if it was four or more steps ago, of the head of layer 3 with the largest such mean.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "attention_to_write_layer_4",
        units::FRACTION,
        "Mean attention to the most recent write of the cell, if it was four or more steps ago, of the head of layer 4 with the largest such mean.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "uniform_attention_to_write",
        units::FRACTION,
        "The same mean for attention that is uniform over all positions.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "accuracy_at_2_times_length",
        units::FRACTION,
        "Share of right symbols on cells that were written within the context, if the run is twice as long as in training.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "accuracy_at_4_times_length",
        units::FRACTION,
        "Share of right symbols on cells that were written within the context, if the run is four times as long as in training.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "accuracy_at_8_times_length",
        units::FRACTION,
        "Share of right symbols on cells that were written within the context, if the run is eight times as long as in training.",
    ),
];
