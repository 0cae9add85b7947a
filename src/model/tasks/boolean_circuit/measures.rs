//! The measures of a network that computes a Boolean circuit.

use crate::tasks::measures::{Slot, names, units};
use crate::tasks::{MeasureInfo, Measures};
use vivarium_core::sources::WEI_2022;
use vivarium_science::circuits::CircuitMetric;

/// All of them.
pub(super) const MEASURES: &[&[MeasureInfo]] = &[&OF_VALUES, &FURTHER];

/// Their names.
pub(super) const NAMES: Measures = Measures {
    names: names(&OF_VALUES),
    further: &FURTHER_NAMES,
    more: CircuitMetric::OPTIONS,
    largest_margin: None,
};

const FURTHER_NAMES: [&str; 8] = names(&FURTHER);

/// Of all gates, and of the output.
const OF_VALUES: [MeasureInfo; 4] = [
    MeasureInfo::new(
        Slot::TrainLoss,
        "gate_squared_error",
        "squared, at least 0",
        "Mean squared difference between the values of all gates and the bits of the circuit, for the input of the replica and with the noise of the step.",
    ),
    MeasureInfo::new(
        Slot::TrainAccuracy,
        "gate_agreement",
        units::SHARE,
        "Share of the gates whose value is on the side of 1/2 of the circuit's bit.",
    ),
    MeasureInfo::new(
        Slot::TestLoss,
        "output_squared_error",
        "squared, at least 0",
        "Mean squared error of the output over rows of the truth table; the output is scaled so that it is ±1 without noise.",
    ),
    MeasureInfo::new(
        Slot::TestAccuracy,
        "output_agreement",
        units::SHARE,
        "Share of the same rows for which the network's answer equals the circuit's. An output of 0 is an error for both labels.",
    ),
];

/// In the order of [`CircuitMetric`].
const FURTHER: [MeasureInfo; 8] = [
    MeasureInfo::new(Slot::Further, "least_norm_found", units::DISTANCE, "Smallest norm of a perturbation of all weights that changes the answer, of those that the search has found so far. It is an upper bound of the margin.").from(&[WEI_2022]),
    MeasureInfo::new(Slot::Further, "smallest_noise_norm", units::DISTANCE, "Smallest norm of random noise on the weights that changes the answer."),
    MeasureInfo::new(Slot::Further, "bound_of_theorem_d_6", units::DISTANCE, "Lower bound of the margin by theorem D.6, whose perturbations may change the parameters of rounding too.").from(&[WEI_2022]),
    MeasureInfo::new(Slot::Further, "bound_with_rounding_fixed", units::DISTANCE, "Lower bound of the margin if the parameters of rounding are not perturbed, by the proof of theorem D.6 with E₁ = 0. It is about twice bound_by_formula_with_rounding_fixed.").from(&[WEI_2022]),
    MeasureInfo::new(Slot::Further, "exact_margin", units::DISTANCE, "The margin, where it is known exactly: for the product of weights."),
    MeasureInfo::new(Slot::Further, "gate_deviation", units::DISTANCE, "Largest deviation of a gate's value from 0 and 1, before rounding and with the noise of the step."),
    MeasureInfo::new(Slot::Further, "search_iterations", units::COUNT, "Iterations that the search has made."),
    MeasureInfo::new(Slot::Further, "bound_by_formula_with_rounding_fixed", units::DISTANCE, "Lower bound of the margin if the parameters of rounding are not perturbed, by the formula of theorem D.6 with κ_ξ = 0.").from(&[WEI_2022]),
];
