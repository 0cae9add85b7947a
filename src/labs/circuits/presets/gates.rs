//! Circuits of gates: the margin by depth, and the bounds of theorem D.6 below what a search finds.

use super::{expect_final_median, expect_median};
use vivarium_model::tasks::boolean_circuit::charts;
use vivarium_science::circuits::CircuitMetric;
use vivarium_view::presets::{Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup};

/// Menu group of the presets on margins: the smallest perturbation norms that change answers of networks built from
/// circuits of gates.
const MARGINS_GROUP: PresetGroup = PresetGroup {
    slug: "circuits-and-margins",
    name: "Circuits and their margins",
    charts: &[charts::DEPTHS, charts::NORMS],
};

/// Expects the median over replicas of the share of right answers, on the measured rows of the truth table, to be 1 at
/// step `step` of the search for perturbations.
const fn expect_all_correct(step: u64) -> Expectation {
    Expectation::Median { measure: ExpectedMeasure::TestAccuracy, step, between: (1.0, 1.0) }
}

/// Presets on the smallest parameter perturbations that change the answers of networks constructed from circuits of
/// gates.
pub(super) const GATE_PRESETS: &[Preset] = &[
    Preset {
        slug: "parity-circuit",
        name: "The parity of 4 bits",
        group: &MARGINS_GROUP,
        link: "#v1/boolean-circuit?in=1.1.1.1",
        claim: "A network with rounding computes the parity of 4 bits. A search tries to find the smallest change of the 200 weights and biases of this network, without the parameters of rounding, that flips the answer for the input 1111. The search finds a change with norm 0.158. If the parameters of rounding stay fixed, no change with a norm below 0.0859 flips this answer, by the proof of theorem D.6; the formula of the theorem gives the smaller bound 0.0437. If the parameters of rounding may change as well, no change with a norm below 0.00332 flips this answer, by theorem D.6.",
        source: "Wei, Chen and Ma 2022, theorem 3.1 and theorem D.6",
        remarks: "Our choices: the parity of 4 bits as a chain of 10 layers (the inputs, and 3 layers for each exclusive or), and the constants of theorem D.6 for this network. For fixed parameters of rounding, 0.0437 is the theorem's formula with κ_ξ = 0. The bound 0.0859 is not stated in the paper: it follows from the theorem's proof, in which the error E₁ is then 0.",
        expectations: &[
            expect_median(CircuitMetric::LeastNorm, 200, (0.157, 0.16)),
            expect_median(CircuitMetric::ProofBound, 200, (0.0858, 0.0859)),
            expect_median(CircuitMetric::FormulaBound, 200, (0.0437, 0.04375)),
            expect_median(CircuitMetric::TheoremBound, 200, (0.0033, 0.00334)),
            expect_all_correct(200),
        ],
        max_steps: 200,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "xor-depth",
        name: "An exclusive or (XOR) at several depths",
        group: &MARGINS_GROUP,
        link: "#v1/boolean-circuit?n=2&in=1.1&sweep=levels:4_8_16_32_64&series=round:no_yes&speed=0&show=norms.bydepth",
        claim: "A circuit that computes an exclusive or (XOR) is made deeper by gates that only copy a value. A search tries to find the smallest change of the weights and biases that makes the answer wrong. Without rounding, the norm of the smallest change found falls from 0.109 at 4 layers to 0.041 at 64 layers. With rounding, this norm stays at 0.21. The lower bound with fixed parameters of rounding is the same at every depth: 0.135 by the proof of theorem D.6, and 0.0679 by the formula of the theorem.",
        source: "Wei, Chen and Ma 2022, theorem 3.1 and theorem D.6",
        remarks: "Our choices: the input bits 1 and 1, and circuits of 4 to 64 layers, including the layer of the inputs. The theorem's formula is used with κ_ξ = 0, and its proof with E₁ = 0.",
        expectations: &[
            expect_final_median(CircuitMetric::LeastNorm, 0, 0, (0.108, 0.11)),
            expect_final_median(CircuitMetric::LeastNorm, 0, 1, (0.09, 0.0925)),
            expect_final_median(CircuitMetric::LeastNorm, 0, 2, (0.0715, 0.0735)),
            expect_final_median(CircuitMetric::LeastNorm, 0, 3, (0.0545, 0.056)),
            expect_final_median(CircuitMetric::LeastNorm, 0, 4, (0.0404, 0.0414)),
            expect_final_median(CircuitMetric::LeastNorm, 1, 0, (0.2125, 0.2145)),
            expect_final_median(CircuitMetric::LeastNorm, 1, 1, (0.212, 0.2145)),
            expect_final_median(CircuitMetric::LeastNorm, 1, 2, (0.212, 0.214)),
            expect_final_median(CircuitMetric::LeastNorm, 1, 3, (0.212, 0.2145)),
            expect_final_median(CircuitMetric::LeastNorm, 1, 4, (0.212, 0.214)),
            expect_final_median(CircuitMetric::ProofBound, 1, 0, (0.135, 0.1355)),
            expect_final_median(CircuitMetric::ProofBound, 1, 1, (0.135, 0.1355)),
            expect_final_median(CircuitMetric::ProofBound, 1, 2, (0.135, 0.1355)),
            expect_final_median(CircuitMetric::ProofBound, 1, 3, (0.135, 0.1355)),
            expect_final_median(CircuitMetric::ProofBound, 1, 4, (0.135, 0.1355)),
            expect_final_median(CircuitMetric::FormulaBound, 1, 0, (0.0679, 0.068)),
            expect_final_median(CircuitMetric::FormulaBound, 1, 1, (0.0679, 0.068)),
            expect_final_median(CircuitMetric::FormulaBound, 1, 2, (0.0679, 0.068)),
            expect_final_median(CircuitMetric::FormulaBound, 1, 3, (0.0679, 0.068)),
            expect_final_median(CircuitMetric::FormulaBound, 1, 4, (0.0679, 0.068)),
        ],
        max_steps: 200,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "parity-bits",
        name: "Parities of 2 to 8 bits",
        group: &MARGINS_GROUP,
        link: "#v1/boolean-circuit?sweep=n:2_4_6_8&series=round:no_yes&speed=0&show=norms.bydepth",
        claim: "The parity of more bits needs a deeper and wider circuit. A search tries to find the smallest change of the weights and biases that makes the answer wrong. From 2 bits to 8, the norm of the smallest change found falls from more than 0.1 to less than 0.02 without rounding, and from more than 0.21 to less than 0.135 with rounding.",
        source: "Wei, Chen and Ma 2022, theorem 3.1",
        remarks: "Our choices: each parity is a chain with 3 layers for each further bit, and the norms are computed for the input whose bits are all 1. With a different input, each norm changes by up to a third.",
        expectations: &[
            expect_final_median(CircuitMetric::LeastNorm, 0, 0, (0.1, 0.12)),
            expect_final_median(CircuitMetric::LeastNorm, 0, 1, (0.04, 0.05)),
            expect_final_median(CircuitMetric::LeastNorm, 0, 2, (0.022, 0.03)),
            expect_final_median(CircuitMetric::LeastNorm, 0, 3, (0.0145, 0.02)),
            expect_final_median(CircuitMetric::LeastNorm, 1, 0, (0.21, 0.225)),
            expect_final_median(CircuitMetric::LeastNorm, 1, 1, (0.157, 0.18)),
            expect_final_median(CircuitMetric::LeastNorm, 1, 2, (0.132, 0.16)),
            expect_final_median(CircuitMetric::LeastNorm, 1, 3, (0.115, 0.135)),
        ],
        max_steps: 200,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "carry-circuit",
        name: "The carry of 3-bit numbers",
        group: &MARGINS_GROUP,
        link: "#v1/boolean-circuit?circuit=adder&n=3&replicas=4&steps=300",
        claim: "The output of the circuit is 1 if the sum of two 3-bit numbers needs a fourth bit. For each of four inputs, a search tries to find the smallest change of the weights and biases that makes the answer wrong. The median norm of the changes found is 0.141. The medians of the lower bounds are 0.0744 by the proof of theorem D.6 and 0.0377 by the formula of the theorem if the parameters of rounding stay fixed, and 0.00285 by theorem D.6 if the parameters of rounding may change as well.",
        source: "Wei, Chen and Ma 2022, theorem D.6",
        remarks: "Our choices: a ripple-carry adder as the circuit, a network with rounding, and the last four rows of the truth table as inputs.",
        expectations: &[
            expect_median(CircuitMetric::LeastNorm, 300, (0.14, 0.143)),
            expect_median(CircuitMetric::ProofBound, 300, (0.074, 0.0748)),
            expect_median(CircuitMetric::FormulaBound, 300, (0.0375, 0.0379)),
            expect_median(CircuitMetric::TheoremBound, 300, (0.0028, 0.0029)),
            expect_all_correct(300),
        ],
        max_steps: 300,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "carry-bare",
        name: "The carry of 3-bit numbers, without rounding",
        group: &MARGINS_GROUP,
        link: "#v1/boolean-circuit?circuit=adder&n=3&round=no&replicas=4&steps=300",
        claim: "A circuit computes the carry of 3-bit numbers without rounding. For each of four inputs, a search tries to find the smallest change of the weights and biases that makes the answer wrong. The median norm of the changes found is 0.074. This is about half of 0.141, the median with rounding for the same inputs. Without rounding, theorem D.6 gives no bound.",
        source: "Wei, Chen and Ma 2022, theorem D.6",
        remarks: "The settings of “The carry of 3-bit numbers”, without rounding.",
        expectations: &[
            expect_median(CircuitMetric::LeastNorm, 300, (0.073, 0.075)),
            expect_all_correct(300),
        ],
        max_steps: 300,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "majority-circuit",
        name: "The majority of 5 bits",
        group: &MARGINS_GROUP,
        link: "#v1/boolean-circuit?circuit=majority&n=5&replicas=4&steps=300",
        claim: "A circuit with rounding computes the majority of 5 bits. For each of four inputs, a search tries to find the smallest change of the weights and biases that makes the answer wrong. The median norm of the changes found is 0.245. The medians of the lower bounds with fixed parameters of rounding are 0.0882 by the proof of theorem D.6 and 0.0446 by the formula of the theorem.",
        source: "Wei, Chen and Ma 2022, theorem D.6",
        remarks: "Our choices: the last four rows of the truth table as inputs, and a circuit with rounding that computes, for several k and i, whether at least k of the first i bits are 1.",
        expectations: &[
            expect_median(CircuitMetric::LeastNorm, 300, (0.24, 0.25)),
            expect_median(CircuitMetric::ProofBound, 300, (0.0878, 0.0886)),
            expect_median(CircuitMetric::FormulaBound, 300, (0.0444, 0.0448)),
            expect_all_correct(300),
        ],
        max_steps: 300,
        ..PRESET_DEFAULTS
    },
];
