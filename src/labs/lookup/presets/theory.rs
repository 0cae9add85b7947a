//! Presets with exact theory: the span of a sample, the sharpness of attention, and the gated memory.

use super::{expect_explained, expect_final_error};
use vivarium_model::tasks::sparse_token_regression::charts;
use vivarium_view::presets::{Expectation, ExpectedMeasure, PRESET_DEFAULTS, Preset, PresetGroup};

/// Group of presets on exact results about the span of training prompts, sharp attention and recurrent networks
/// (theorem 6, lemma 11 and section 5 of Mousavi-Hosseini et al. 2025).
const GROUP: PresetGroup =
    PresetGroup { slug: "span-and-sharpness", name: "Exact theoretical results", charts: &[charts::ERROR] };

/// Expects the median share of the squared norm of the first-layer weights W outside the span of the training prompts,
/// at the end of the runs with swept value number `at` (from 0), to be in `between`.
const fn expect_outside_span(at: usize, between: (f32, f32)) -> Expectation {
    Expectation::FinalMeasure { measure: ExpectedMeasure::OutsideSpan, series: 0, at, between }
}

/// Presets on the span of training prompts, the sharpness of attention and the gated memory, for which theory gives
/// exact results.
pub(super) const THEORY: &[Preset] = &[
    Preset {
        slug: "span",
        name: "A lower bound for feedforward networks trained on n prompts",
        group: &GROUP,
        link: "#v1/sparse-token-regression?model=token-mlp&n=16&dim=8&q=1&lists=one&g=linear&wd=0.1&wdkind=coupled&replicas=10&steps=3000&sweep=m:32_64_96_112_128&speed=0&show=error.span",
        claim: "Assume that a predictor is given the function and the names. For each prompt, written as one vector, the predictor is given only the projection of this vector onto the linear span of n training prompts. The mean error of this predictor is 1 − n/(Nd) times the variance, for N positions and tokens of d numbers. A feedforward network whose first-layer weights are in this span has at least this error, on average over linear functions. Training with coupled weight decay ends near such weights: in the median of ten training sets, less than 0.1 % of their squared norm is outside the span.",
        source: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, definition 5 and theorem 6",
        remarks: "As in the source: one name for all positions, a linear function, Gaussian tokens, weight decay that is added to the gradient. Our choices: N = 16, d = 8, two hidden layers of 128 units, 3,000 steps of Adam with learning rate 0.003 and weight decay 0.1, ten training sets for each n. The theorem is about stationary points of the risk with a penalty λ/2 ‖W‖²; a trained network is only near such a point. Decoupled weight decay has other stationary points: with it and with 32 prompts, 21 % of ‖W‖² is outside the span after 3,000 steps (one network).",
        expectations: &[
            expect_final_error(0, (0.72, 2.0)),
            expect_final_error(1, (0.47, 2.0)),
            expect_final_error(2, (0.22, 2.0)),
            expect_final_error(3, (0.1, 2.0)),
            expect_final_error(4, (0.0, 2.0)),
            expect_outside_span(0, (0.0, 1e-3)),
            expect_outside_span(1, (0.0, 1e-3)),
            expect_outside_span(2, (0.0, 1e-3)),
            expect_outside_span(3, (0.0, 1e-3)),
        ],
        max_steps: 3_000,
        duration_note: "A few minutes on one processor core.",
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "sharpness",
        name: "How sharpness reduces the retrieval error",
        group: &GROUP,
        link: "#v1/sparse-token-regression?n=16&dim=4&q=1&g=linear&enc=root&h=1&begin=construction&sharp=1&lr=0&steps=1&every=1&sweep=sharp:0.5_0.75_1_1.25_1.5_1.75_2&speed=0&show=sharpness",
        claim: "The weights of this attention are set by hand. Once the error is small, it falls by the same factor each time the sharpness α grows by 1. On a logarithmic axis the error is then a straight line. This line is below the paper's upper bound, which has slope −d/(2q).",
        source: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, lemma 11 and equation A.2",
        remarks: "As in the source: the construction, with codes scaled by √(d/q). Our choices: N = 16, d = 4, q = 1, one-hot codes. With these codes the slope is −d/q, twice the slope of the bound. Nothing is trained: the learning rate is 0.",
        // The relative error is the square of the retrieval error. From α = 1.5 to 2 it falls by a factor of 51; a
        // slope of exactly −d/q is e⁴ = 54.6.
        expectations: &[
            expect_final_error(0, (0.4, 0.56)),
            expect_final_error(2, (0.04, 0.06)),
            expect_final_error(4, (0.001_2, 0.001_5)),
            expect_final_error(5, (0.000_17, 0.000_22)),
            expect_final_error(6, (0.000_024, 0.000_029)),
        ],
        max_steps: 1,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "memory",
        name: "A memory with one slot for each name",
        group: &GROUP,
        link: "#v1/sparse-token-regression?model=gated-memory&lists=one&slots=names&steps=8&every=1&speed=2&show=error.slots",
        claim: "If all positions have the same two names, all labels depend on the same two tokens. A recurrent memory with two slots stores each of these tokens as soon as the memory reads the token. After 8 positions the memory answers with an error below 1 % of the variance.",
        source: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, theorem 7",
        remarks: "The construction of the paper, executed position by position: h ← h + x · 2 relu(⟨ω_i, ω_t⟩ − 1/2). Here the products with x are computed exactly; the paper approximates these products by layers of ReLUs. Each square x² in the label is approximated here by 64 straight line segments.",
        expectations: &[expect_explained(8, (0.99, 1.0))],
        max_steps: 8,
        ..PRESET_DEFAULTS
    },
    Preset {
        slug: "memory-of-lists",
        name: "Two slots are too few if each position has its own names",
        group: &GROUP,
        link: "#v1/sparse-token-regression?model=gated-memory&slots=names&steps=8&every=1&speed=2&show=error.slots",
        claim: "If each position has its own names, a memory with two slots cannot store all tokens that are needed at later positions: the error is larger than the error of always predicting the mean. This memory would need one slot for each position.",
        source: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, proposition 8",
        remarks: "The settings of “A memory with one slot for each name”, with a different list of names for each position. Proposition 8 of the paper is about recurrent networks whose states have a bounded norm and whose labels are linear functions of one named token: if the error of such a network is small, its number of hidden units is at least of the order of N / log(1 + 𝔏²‖U‖²). Here U is the matrix that the network applies to its states before the output, and 𝔏 is the Lipschitz constant of the output function for states of norm 1.",
        expectations: &[expect_explained(8, (-10.0, 0.0))],
        max_steps: 8,
        ..PRESET_DEFAULTS
    },
];
