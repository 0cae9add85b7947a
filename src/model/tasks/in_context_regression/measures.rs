//! The measures of gradient descent inside a transformer.

use crate::tasks::measures::{Slot, names, units};
use crate::tasks::{MeasureInfo, Measures};
use vivarium_core::sources::WU_2024;
use vivarium_science::descent::ComparisonMeasure;

/// All of them.
pub(super) const MEASURES: &[&[MeasureInfo]] = &[&OF_BOTH, &FURTHER];

/// Their names.
pub(super) const NAMES: Measures = Measures {
    names: names(&OF_BOTH),
    further: &FURTHER_NAMES,
    more: ComparisonMeasure::OPTIONS,
    largest_margin: None,
};

const FURTHER_NAMES: [&str; 9] = names(&FURTHER);

/// The unit of a squared label.
const SQUARES: &str = "squared unit of a label, at least 0";

/// Of the weights in the tokens, and of direct descent.
const OF_BOTH: [MeasureInfo; 4] = [
    MeasureInfo::new(Slot::TrainLoss, "loss_of_tokens", SQUARES, "Loss L_n of the weights that are stored in the tokens: half of the mean squared error over the examples of the prompt.").from(&[WU_2024]),
    MeasureInfo::new(Slot::TrainAccuracy, "r2_of_tokens", units::R2, "Share of the variance of the labels that the weights in the tokens explain: 1 − 2 loss_of_tokens / variance."),
    MeasureInfo::new(Slot::TestLoss, "loss_of_descent", SQUARES, "Loss L_n of direct gradient descent on the same network in double precision, after the same steps.").from(&[WU_2024]),
    MeasureInfo::new(Slot::TestAccuracy, "r2_of_descent", units::R2, "Share of the variance of the labels that direct gradient descent explains: 1 − 2 loss_of_descent / variance."),
];

/// In the order of [`ComparisonMeasure`].
const FURTHER: [MeasureInfo; 9] = [
    MeasureInfo::new(Slot::Further, "distance_to_descent", units::DISTANCE, "Euclidean distance between the weights in the tokens and those of direct descent.").from(&[WU_2024]),
    MeasureInfo::new(Slot::Further, "distance_of_single_precision", units::DISTANCE, "Euclidean distance between direct descent in single and in double precision: what rounding alone does."),
    MeasureInfo::new(Slot::Further, "distance_from_start", units::DISTANCE, "Euclidean distance of direct descent from the initial weights."),
    MeasureInfo::new(Slot::Further, "wrong_slopes", units::COUNT, "Pairs of an example and a ReLU whose slope was wrong in the last step, because the input z of the ReLU was in 0 < z < δ.").from(&[WU_2024]),
    MeasureInfo::new(Slot::Further, "gradient_error", units::DISTANCE, "Largest error ε of the transformer's gradient so far, as a Euclidean norm.").from(&[WU_2024]),
    MeasureInfo::new(Slot::Further, "lipschitz_constant", units::DISTANCE, "Largest Lipschitz constant L of the gradient that the steps so far have shown.").from(&[WU_2024]),
    MeasureInfo::new(Slot::Further, "bound_of_corollary_1_1", units::DISTANCE, "Bound on distance_to_descent after l steps: (1 + ηL)^l ε / L, with the largest learning rate η so far.").from(&[WU_2024]),
    MeasureInfo::new(Slot::Further, "bound_step_by_step", units::DISTANCE, "The same bound with L and ε of each step: e ← (1 + ηL) e + ηε."),
    MeasureInfo::new(Slot::Further, "loss_in_single_precision", SQUARES, "Loss L_n of direct gradient descent in single precision."),
];
