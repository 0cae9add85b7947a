//! The measures of a network that computes a Boolean circuit.

use crate::tasks::measures::{MeasureSlot, names_of, units};
use crate::tasks::{MeasureInfo, MeasureNames};
use vivarium_core::sources::WEI_2022;
use vivarium_science::circuits::CircuitMetric;

/// Definitions of all measures of the task on Boolean circuits, in lists.
pub(super) const MEASURES: &[&[MeasureInfo]] = &[&VALUE_MEASURES, &FURTHER_MEASURES];

/// Names in CSV and JSON files of the measures of the task on Boolean circuits.
pub(super) const MEASURE_NAMES: MeasureNames = MeasureNames {
    names: names_of(&VALUE_MEASURES),
    further_names: &FURTHER_NAMES,
    further_measures: CircuitMetric::OPTIONS,
    largest_margin: None,
};

/// Names in CSV and JSON files of the measures in [`FURTHER_MEASURES`].
const FURTHER_NAMES: [&str; 8] = names_of(&FURTHER_MEASURES);

/// Definitions of squared error and agreement with the circuit, of the values of all gates and of the output.
const VALUE_MEASURES: [MeasureInfo; 4] = [
    MeasureInfo::new(
        MeasureSlot::TrainLoss,
        "gate_squared_error",
        "squared, at least 0",
        "Mean squared difference between the values of all gates and the bits of the circuit, for the input of the replica and with the noise of the step.",
    ),
    MeasureInfo::new(
        MeasureSlot::TrainAccuracy,
        "gate_agreement",
        units::FRACTION,
        "Share of the gates whose value is on the side of 1/2 of the circuit's bit.",
    ),
    MeasureInfo::new(
        MeasureSlot::TestLoss,
        "output_squared_error",
        "squared, at least 0",
        "Mean squared error of the output over rows of the truth table; the output is scaled so that it is ±1 without noise.",
    ),
    MeasureInfo::new(
        MeasureSlot::TestAccuracy,
        "output_agreement",
        units::FRACTION,
        "Share of the same rows for which the network's answer equals the circuit's. An output of 0 is an error for both labels.",
    ),
];

/// Definitions of margins, bounds and the other further measures of the network that computes the circuit, in the order
/// of [`CircuitMetric`].
const FURTHER_MEASURES: [MeasureInfo; 8] = [
    MeasureInfo::new(MeasureSlot::Further, "least_norm_found", units::DISTANCE, "Smallest norm of a perturbation of all weights that changes the answer, of those that the search has found so far. It is an upper bound of the margin.").with_sources(&[WEI_2022]),
    MeasureInfo::new(MeasureSlot::Further, "smallest_noise_norm", units::DISTANCE, "Smallest norm of random noise on the weights that changes the answer."),
    MeasureInfo::new(MeasureSlot::Further, "bound_of_theorem_d_6", units::DISTANCE, "Lower bound of the margin by theorem D.6, whose perturbations may change the parameters of rounding too.").with_sources(&[WEI_2022]),
    MeasureInfo::new(MeasureSlot::Further, "bound_with_rounding_fixed", units::DISTANCE, "Lower bound of the margin if the parameters of rounding are not perturbed, by the proof of theorem D.6 with E₁ = 0. It is about twice bound_by_formula_with_rounding_fixed.").with_sources(&[WEI_2022]),
    MeasureInfo::new(MeasureSlot::Further, "exact_margin", units::DISTANCE, "The margin, where it is known exactly: for the product of weights."),
    MeasureInfo::new(MeasureSlot::Further, "gate_deviation", units::DISTANCE, "Largest deviation of a gate's value from 0 and 1, before rounding and with the noise of the step."),
    MeasureInfo::new(MeasureSlot::Further, "search_iterations", units::COUNT, "Iterations that the search has made."),
    MeasureInfo::new(MeasureSlot::Further, "bound_by_formula_with_rounding_fixed", units::DISTANCE, "Lower bound of the margin if the parameters of rounding are not perturbed, by the formula of theorem D.6 with κ_ξ = 0.").with_sources(&[WEI_2022]),
];
