//! The measures of a learning algorithm inside a network, and of a search for its rule.

use crate::tasks::measures::{MeasureSlot, names_of, units};
use crate::tasks::{MeasureInfo, MeasureNames};
use vivarium_core::sources::GOEL_2022;
use vivarium_science::succinct::LearningMetric;

/// Definitions of all measures of the task on a learning algorithm inside a network, in lists.
pub(super) const MEASURES: &[&[MeasureInfo]] = &[&PROGRAM_MEASURES, &SEARCH_MEASURES, &FURTHER_MEASURES];

/// Names of the measures in CSV and JSON files, for a constructed network.
pub(super) const MEASURE_NAMES: MeasureNames = MeasureNames {
    names: names_of(&PROGRAM_MEASURES),
    further_names: &FURTHER_NAMES,
    further_measures: LearningMetric::OPTIONS,
    largest_margin: None,
};

/// Names in CSV and JSON files of the measures of a search that selects a learning rule: error and accuracy on
/// validation and test queries.
pub(super) const SEARCH_MEASURE_NAMES: MeasureNames =
    MeasureNames { names: names_of(&SEARCH_MEASURES), ..MEASURE_NAMES };

/// Names in CSV and JSON files of the measures in [`FURTHER_MEASURES`].
const FURTHER_NAMES: [&str; 10] = names_of(&FURTHER_MEASURES);

/// Definitions of the errors of the table that the learning algorithm inside a constructed network writes, and of its
/// predictions.
const PROGRAM_MEASURES: [MeasureInfo; 4] = [
    MeasureInfo::new(
        MeasureSlot::TrainLoss,
        "table_error",
        units::DISTANCE,
        "Largest distance of the written rows of the table from y[x, 1]/3.",
    )
    .with_sources(&[GOEL_2022]),
    MeasureInfo::new(
        MeasureSlot::TrainAccuracy,
        "share_of_rows_written",
        units::FRACTION,
        "Share of the rows of the table that SGD has written.",
    ),
    MeasureInfo::new(
        MeasureSlot::TestLoss,
        "answer_squared_error",
        units::DISTANCE,
        "Mean of (f − y)² over the test inputs, for the label y and the output f of the network with the layers of this step: the sum of f_head over the cells of the table (definition 5). f is 0 while the table is written, and in most layers a large whole number while the program runs.",
    )
    .with_sources(&[GOEL_2022]),
    MeasureInfo::new(
        MeasureSlot::TestAccuracy,
        "share_of_answers_right",
        units::FRACTION,
        "Share of the test inputs for which the program has halted and the output f is the label.",
    )
    .with_sources(&[GOEL_2022]),
];

/// Definitions of error and accuracy, on validation and test queries, of the learning rule that a search over rules has
/// chosen.
const SEARCH_MEASURES: [MeasureInfo; 4] = [
    MeasureInfo::new(MeasureSlot::TrainLoss, "validation_error", units::FRACTION, "1 − validation_accuracy."),
    MeasureInfo::new(
        MeasureSlot::TrainAccuracy,
        "validation_accuracy",
        units::FRACTION,
        "Share of the validation queries that the chosen rule answers right; 0.5 before the first restart.",
    ),
    MeasureInfo::new(
        MeasureSlot::TestLoss,
        "test_error",
        units::FRACTION,
        "Share of the test queries that the chosen rule answers wrong: 1 − test_accuracy.",
    ),
    MeasureInfo::new(
        MeasureSlot::TestAccuracy,
        "test_accuracy",
        units::FRACTION,
        "Share of the test queries that the chosen rule answers right; 0.5 before the first restart.",
    ),
];

/// Definitions of the further measures of the constructed network, such as running times, in the order of
/// [`LearningMetric`].
const FURTHER_MEASURES: [MeasureInfo; 10] = [
    MeasureInfo::new(MeasureSlot::Further, "table_deviation", units::DISTANCE, "The same number as table_error."),
    MeasureInfo::new(
        MeasureSlot::Further,
        "layers_applied",
        units::COUNT,
        "Layers that the network has applied since the table was full.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "share_of_inputs_answered",
        units::FRACTION,
        "Share of the test inputs for which the program has halted with an answer, −1 or 1, and the output f is this answer.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "median_running_time",
        "layers",
        "Median number of layers until the program halts, once it has halted for all test inputs.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "longest_running_time",
        "layers",
        "Largest number of layers until the program halts, once it has halted for all test inputs.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "rank_of_examples",
        units::COUNT,
        "Rank of the examples modulo 2. With rank d they determine every parity.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "share_of_good_rules",
        units::FRACTION,
        "Share of the rules tried that answer at least 95 % of all queries right.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "accuracy_at_twice_size",
        units::FRACTION,
        "Accuracy of the chosen rule on problems of twice the size.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "best_restart",
        "number of a restart",
        "Restart that found the chosen rule.",
    ),
    MeasureInfo::new(
        MeasureSlot::Further,
        "output_excess",
        units::DISTANCE,
        "Largest |f − answer| over the test inputs for which the program has halted with an answer in the top-left cell. It is 0 if the head halts outside of the table or on the top-left cell, and 18(1/27 + q/81) if it halts elsewhere in the table, with the code q of the state HALT.",
    )
    .with_sources(&[GOEL_2022]),
];
