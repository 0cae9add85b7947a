//! The measures of traces of a machine.

use crate::tasks::measures::{OF_SEQUENCES, Slot, names, units};
use crate::tasks::{MeasureInfo, Measures};
use vivarium_science::machines::TraceMetric;

/// All of them.
pub(super) const MEASURES: &[&[MeasureInfo]] = &[&OF_SEQUENCES, &ON_TEST, &FURTHER];

/// Their names.
pub(super) const NAMES: Measures = Measures {
    names: [OF_SEQUENCES[0].name, OF_SEQUENCES[1].name, ON_TEST[0].name, ON_TEST[1].name],
    further: &FURTHER_NAMES,
    more: TraceMetric::OPTIONS,
    largest_margin: None,
};

const FURTHER_NAMES: [&str; 16] = names(&FURTHER);

/// On held-out traces.
const ON_TEST: [MeasureInfo; 2] = [
    MeasureInfo::new(
        Slot::TestLoss,
        "test_cross_entropy",
        units::NATS,
        "Mean cross-entropy over all tokens of the held-out traces.",
    ),
    MeasureInfo::new(
        Slot::TestAccuracy,
        "accuracy_on_written_cells",
        units::SHARE,
        "Share of the held-out tokens on cells that were written before for which the most probable symbol is right.",
    ),
];

/// In the order of [`TraceMetric`].
const FURTHER: [MeasureInfo; 16] = [
    MeasureInfo::new(
        Slot::Further,
        "excess_cross_entropy",
        "nats; 0 is the best possible",
        "Difference between test_cross_entropy and the smallest cross-entropy that any predictor has on average. It can be slightly negative on a finite sample.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "accuracy_on_new_cells",
        units::SHARE,
        "Share of right symbols on cells that no step has written; one half is the best possible.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "accuracy_2_steps_back",
        units::SHARE,
        "Share of right symbols on cells that were last written 2 steps ago.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "accuracy_4_steps_back",
        units::SHARE,
        "Share of right symbols on cells that were last written 4 steps ago.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "accuracy_6_steps_back",
        units::SHARE,
        "Share of right symbols on cells that were last written 6 steps ago.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "accuracy_8_steps_back",
        units::SHARE,
        "Share of right symbols on cells that were last written 8 steps ago.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "accuracy_10_to_16_steps_back",
        units::SHARE,
        "Share of right symbols on cells that were last written 10 to 16 steps ago.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "accuracy_18_or_more_steps_back",
        units::SHARE,
        "Share of right symbols on cells that were last written 18 or more steps ago.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "attention_to_write_layer_1",
        units::SHARE,
        "Mean attention to the most recent write of the cell, if it was four or more steps ago, of the head of layer 1 with the largest such mean.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "attention_to_write_layer_2",
        units::SHARE,
        "Mean attention to the most recent write of the cell, if it was four or more steps ago, of the head of layer 2 with the largest such mean.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "attention_to_write_layer_3",
        units::SHARE,
        "Mean attention to the most recent write of the cell, if it was four or more steps ago, of the head of layer 3 with the largest such mean.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "attention_to_write_layer_4",
        units::SHARE,
        "Mean attention to the most recent write of the cell, if it was four or more steps ago, of the head of layer 4 with the largest such mean.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "uniform_attention_to_write",
        units::SHARE,
        "The same mean for attention that is uniform over all positions.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "accuracy_at_2_times_length",
        units::SHARE,
        "Share of right symbols on cells that were written within the context, if the run is twice as long as in training.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "accuracy_at_4_times_length",
        units::SHARE,
        "Share of right symbols on cells that were written within the context, if the run is four times as long as in training.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "accuracy_at_8_times_length",
        units::SHARE,
        "Share of right symbols on cells that were written within the context, if the run is eight times as long as in training.",
    ),
];
