//! The measures of gradient descent inside a transformer.

use crate::tasks::measures::{MeasureSlot, names_of, units};
use crate::tasks::{MeasureInfo, MeasureNames};
use vivarium_core::sources::WU_2024;
use vivarium_science::descent::ComparisonMeasure;

/// Definitions of all measures of the task on gradient descent inside a transformer, in lists.
pub(super) const MEASURES: &[&[MeasureInfo]] = &[&ERROR_MEASURES, &FURTHER_MEASURES];

/// Names in CSV and JSON files of the measures of the task on gradient descent inside a transformer.
pub(super) const MEASURE_NAMES: MeasureNames = MeasureNames {
    names: names_of(&ERROR_MEASURES),
    further_names: &FURTHER_NAMES,
    further_measures: ComparisonMeasure::OPTIONS,
    largest_margin: None,
};

/// Names in CSV and JSON files of the measures in [`FURTHER_MEASURES`].
const FURTHER_NAMES: [&str; 9] = names_of(&FURTHER_MEASURES);

/// Unit text of a squared error of a label.
const SQUARED_LABEL_UNIT: &str = "squared unit of a label, at least 0";

/// Definitions of loss and R² of the weights that the transformer holds in its tokens, and of direct gradient descent
/// in double precision.
const ERROR_MEASURES: [MeasureInfo; 4] = [
    MeasureInfo::new(MeasureSlot::TrainLoss, "loss_of_tokens", SQUARED_LABEL_UNIT, "Loss L_n of the weights that are stored in the tokens: half of the mean squared error over the examples of the prompt.").with_sources(&[WU_2024]),
    MeasureInfo::new(MeasureSlot::TrainAccuracy, "r2_of_tokens", units::R2, "Share of the variance of the labels that the weights in the tokens explain: 1 − 2 loss_of_tokens / variance."),
    MeasureInfo::new(MeasureSlot::TestLoss, "loss_of_descent", SQUARED_LABEL_UNIT, "Loss L_n of direct gradient descent on the same network in double precision, after the same steps.").with_sources(&[WU_2024]),
    MeasureInfo::new(MeasureSlot::TestAccuracy, "r2_of_descent", units::R2, "Share of the variance of the labels that direct gradient descent explains: 1 − 2 loss_of_descent / variance."),
];

/// Definitions of the measures besides loss and R², such as distances between both descents, in the order of
/// [`ComparisonMeasure`].
const FURTHER_MEASURES: [MeasureInfo; 9] = [
    MeasureInfo::new(MeasureSlot::Further, "distance_to_descent", units::DISTANCE, "Euclidean distance between the weights in the tokens and those of direct descent.").with_sources(&[WU_2024]),
    MeasureInfo::new(MeasureSlot::Further, "distance_of_single_precision", units::DISTANCE, "Euclidean distance between direct descent in single and in double precision: what rounding alone does."),
    MeasureInfo::new(MeasureSlot::Further, "distance_from_start", units::DISTANCE, "Euclidean distance of direct descent from the initial weights."),
    MeasureInfo::new(MeasureSlot::Further, "wrong_slopes", units::COUNT, "Pairs of an example and a ReLU whose slope was wrong in the last step, because the input z of the ReLU was in 0 < z < δ.").with_sources(&[WU_2024]),
    MeasureInfo::new(MeasureSlot::Further, "gradient_error", units::DISTANCE, "Largest error ε of the transformer's gradient so far, as a Euclidean norm.").with_sources(&[WU_2024]),
    MeasureInfo::new(MeasureSlot::Further, "lipschitz_constant", units::DISTANCE, "Largest Lipschitz constant L of the gradient that the steps so far have shown.").with_sources(&[WU_2024]),
    MeasureInfo::new(MeasureSlot::Further, "bound_of_corollary_1_1", units::DISTANCE, "Bound on distance_to_descent after l steps: (1 + ηL)^l ε / L, with the largest learning rate η so far.").with_sources(&[WU_2024]),
    MeasureInfo::new(MeasureSlot::Further, "bound_step_by_step", units::DISTANCE, "The same bound with L and ε of each step: e ← (1 + ηL) e + ηε."),
    MeasureInfo::new(MeasureSlot::Further, "loss_in_single_precision", SQUARED_LABEL_UNIT, "Loss L_n of direct gradient descent in single precision."),
];
