//! The measures of a learning algorithm inside a network, and of a search for its rule.

use crate::tasks::measures::{Slot, names, units};
use crate::tasks::{MeasureInfo, Measures};
use vivarium_core::sources::GOEL_2022;
use vivarium_science::succinct::LearningMetric;

/// All of them.
pub(super) const MEASURES: &[&[MeasureInfo]] = &[&OF_PROGRAM, &OF_SEARCH, &FURTHER];

/// Their names for a filter that is written by hand.
pub(super) const NAMES: Measures = Measures {
    names: names(&OF_PROGRAM),
    further: &FURTHER_NAMES,
    more: LearningMetric::OPTIONS,
    largest_margin: None,
};

/// Their names for a rule that is searched for.
pub(super) const IN_SEARCH: Measures = Measures { names: names(&OF_SEARCH), ..NAMES };

const FURTHER_NAMES: [&str; 10] = names(&FURTHER);

/// Of the table and of the answers.
const OF_PROGRAM: [MeasureInfo; 4] = [
    MeasureInfo::new(
        Slot::TrainLoss,
        "table_error",
        units::DISTANCE,
        "Largest distance of the written rows of the table from y[x, 1]/3.",
    )
    .from(&[GOEL_2022]),
    MeasureInfo::new(
        Slot::TrainAccuracy,
        "share_of_rows_written",
        units::SHARE,
        "Share of the rows of the table that SGD has written.",
    ),
    MeasureInfo::new(
        Slot::TestLoss,
        "answer_squared_error",
        units::DISTANCE,
        "Mean of (f − y)² over the test inputs, for the label y and the output f of the network with the layers of this step: the sum of f_head over the cells of the table (definition 5). f is 0 while the table is written, and in most layers a large whole number while the program runs.",
    )
    .from(&[GOEL_2022]),
    MeasureInfo::new(
        Slot::TestAccuracy,
        "share_of_answers_right",
        units::SHARE,
        "Share of the test inputs for which the program has halted and the output f is the label.",
    )
    .from(&[GOEL_2022]),
];

/// Of the rule that is chosen.
const OF_SEARCH: [MeasureInfo; 4] = [
    MeasureInfo::new(Slot::TrainLoss, "validation_error", units::SHARE, "1 − validation_accuracy."),
    MeasureInfo::new(
        Slot::TrainAccuracy,
        "validation_accuracy",
        units::SHARE,
        "Share of the validation queries that the chosen rule answers right; 0.5 before the first restart.",
    ),
    MeasureInfo::new(
        Slot::TestLoss,
        "test_error",
        units::SHARE,
        "Share of the test queries that the chosen rule answers wrong: 1 − test_accuracy.",
    ),
    MeasureInfo::new(
        Slot::TestAccuracy,
        "test_accuracy",
        units::SHARE,
        "Share of the test queries that the chosen rule answers right; 0.5 before the first restart.",
    ),
];

/// In the order of [`LearningMetric`].
const FURTHER: [MeasureInfo; 10] = [
    MeasureInfo::new(Slot::Further, "table_deviation", units::DISTANCE, "The same number as table_error."),
    MeasureInfo::new(
        Slot::Further,
        "layers_applied",
        units::COUNT,
        "Layers that the network has applied since the table was full.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "share_of_inputs_answered",
        units::SHARE,
        "Share of the test inputs for which the program has halted with an answer, −1 or 1, and the output f is this answer.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "median_running_time",
        "layers",
        "Median number of layers until the program halts, once it has halted for all test inputs.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "longest_running_time",
        "layers",
        "Largest number of layers until the program halts, once it has halted for all test inputs.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "rank_of_examples",
        units::COUNT,
        "Rank of the examples modulo 2. With rank d they determine every parity.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "share_of_good_rules",
        units::SHARE,
        "Share of the rules tried that answer at least 95 % of all queries right.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "accuracy_at_twice_size",
        units::SHARE,
        "Accuracy of the chosen rule on problems of twice the size.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "best_restart",
        "number of a restart",
        "Restart that found the chosen rule.",
    ),
    MeasureInfo::new(
        Slot::Further,
        "output_excess",
        units::DISTANCE,
        "Largest |f − answer| over the test inputs for which the program has halted with an answer in the top-left cell. It is 0 if the head halts outside of the table or on the top-left cell, and 18(1/27 + q/81) if it halts elsewhere in the table, with the code q of the state HALT.",
    )
    .from(&[GOEL_2022]),
];
