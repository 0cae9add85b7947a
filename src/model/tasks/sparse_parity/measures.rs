//! The measures of sparse parities.

use crate::tasks::measures::{LOSS, MARGIN, OF_SIGNS, Slot, names, units};
use crate::tasks::{MeasureInfo, Measures};
use vivarium_core::sources::{EDELMAN_2024_GROUPS, MORWANI_2023};

/// All of them.
pub(super) const MEASURES: &[&[MeasureInfo]] = &[&OF_SIGNS, &ON_ALL_INPUTS, &[MARGIN, MARGIN_OVER_MAX]];

/// The names where all inputs are trained on, or where examples are held out.
pub(super) fn of(takes_all_inputs: bool) -> Measures {
    let [train_loss, train_accuracy, loss, accuracy] = names(&OF_SIGNS);
    let [loss, accuracy] = if takes_all_inputs { names(&ON_ALL_INPUTS) } else { [loss, accuracy] };
    Measures { names: [train_loss, train_accuracy, loss, accuracy], ..Measures::default() }
}

/// Where nothing is held out.
const ON_ALL_INPUTS: [MeasureInfo; 2] = [
    MeasureInfo::new(
        Slot::TestLoss,
        "loss_on_all_inputs",
        LOSS,
        "Mean of the same loss function over all 2^n inputs, or evenly spaced ones, if all inputs are trained on. It is no measure of generalisation.",
    ),
    MeasureInfo::new(
        Slot::TestAccuracy,
        "accuracy_on_all_inputs",
        units::SHARE,
        "Share of the same inputs for which the output has the sign of the label. An output of 0 counts as one half. It is no measure of generalisation.",
    ),
];

/// The margin as a share.
const MARGIN_OVER_MAX: MeasureInfo = MeasureInfo::new(Slot::MarginOverMax, "margin_over_max", "share, at most 1", "The margin divided by the largest margin of any such network: k! √(2 (k + 1)^−(k + 1)) for the parity of k bits and neurons z^k (theorem 7.8). Only if all inputs are trained on.").from(&[EDELMAN_2024_GROUPS, MORWANI_2023]);
