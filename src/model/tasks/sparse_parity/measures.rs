//! The measures of sparse parities.

use crate::tasks::measures::{LOSS_UNIT, MARGIN_MEASURE, MeasureSlot, SIGN_LABEL_MEASURES, names_of, units};
use crate::tasks::{MeasureInfo, MeasureNames};
use vivarium_core::sources::{EDELMAN_2024_GROUPS, MORWANI_2023};

/// Definitions of all measures of the task on sparse parities, in lists.
pub(super) const MEASURES: &[&[MeasureInfo]] =
    &[&SIGN_LABEL_MEASURES, &ALL_INPUTS_MEASURES, &[MARGIN_MEASURE, MARGIN_OVER_MAX]];

/// Names of the measures in CSV and JSON files, depending on whether all inputs are trained on.
pub(super) fn measure_names(takes_all_inputs: bool) -> MeasureNames {
    let [train_loss, train_accuracy, loss, accuracy] = names_of(&SIGN_LABEL_MEASURES);
    let [loss, accuracy] = if takes_all_inputs { names_of(&ALL_INPUTS_MEASURES) } else { [loss, accuracy] };
    MeasureNames { names: [train_loss, train_accuracy, loss, accuracy], ..MeasureNames::default() }
}

/// Definitions of loss and accuracy on all 2ⁿ inputs, for runs that train on all of them.
const ALL_INPUTS_MEASURES: [MeasureInfo; 2] = [
    MeasureInfo::new(
        MeasureSlot::TestLoss,
        "loss_on_all_inputs",
        LOSS_UNIT,
        "Mean of the same loss function over all 2^n inputs, or evenly spaced ones, if all inputs are trained on. It is no measure of generalisation.",
    ),
    MeasureInfo::new(
        MeasureSlot::TestAccuracy,
        "accuracy_on_all_inputs",
        units::FRACTION,
        "Share of the same inputs for which the output has the sign of the label. An output of 0 counts as one half. It is no measure of generalisation.",
    ),
];

/// Definition of the normalised margin divided by the maximum margin, for parities trained on all inputs.
const MARGIN_OVER_MAX: MeasureInfo = MeasureInfo::new(MeasureSlot::MarginOverMax, "margin_over_max", "share, at most 1", "The margin divided by the largest margin of any such network: k! √(2 (k + 1)^−(k + 1)) for the parity of k bits and neurons z^k (theorem 7.8). Only if all inputs are trained on.").with_sources(&[EDELMAN_2024_GROUPS, MORWANI_2023]);
