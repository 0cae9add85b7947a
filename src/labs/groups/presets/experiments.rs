//! Statements of chapter 7 of the thesis, Power et al. 2022 and Nanda et al. 2023 state about the settings of their experiments.
//!
//! Section 7.2 has the network, section 7.3 the loss, and appendix D.2 the hyperparameters. The thesis states neither
//! the exponent of its penalty λ‖θ‖^r nor the distribution of the initial weights.

use vivarium_view::presets::ledger::{EMPTY_EXPERIMENT, Experiment};

/// Settings of Edelman 2024, figure 7.1: addition modulo 71 with square activations, trained with a penalty on the
/// norm.
pub const FIGURE_7_1_QUADRATIC: Experiment = Experiment {
    passage: "Edelman 2024, sections 7.2 to 7.4, figures 7.1b, 7.1c, 7.4c and D.1b, and appendix D.2.1",
    stated: &[
        ("op", "add"),
        ("n", "71"),
        ("frac", "1"),
        ("model", "group-net"),
        ("width", "500"),
        ("act", "square"),
        ("lambda", "0.0001"),
        ("lambdas", ""),
        ("nu", "3"),
        ("from", "random"),
        ("opt", "sgd"),
        ("lr", "0.05"),
        ("mom", "0"),
        ("momkind", "classical"),
        ("wd", "0"),
        ("warm", "0"),
        ("cool", "none"),
        ("loss", "ce"),
        ("batch", "0"),
        ("steps", "40000"),
    ],
    // Adam's settings are not listed because the thesis does not use Adam.
    unstated: &["std", "b1", "b2", "eps", "wdkind", "clip"],
    ..EMPTY_EXPERIMENT
};

/// Settings of Edelman 2024, figure 7.1: addition modulo 71 with ReLUs and the L2 penalty.
pub const FIGURE_7_1_RELU: Experiment = Experiment {
    passage: "Edelman 2024, figures 7.1a, 7.4b and D.1a, and appendix D.2.1",
    based_on: Some(&FIGURE_7_1_QUADRATIC),
    stated: &[("act", "relu"), ("nu", "2")],
    ..EMPTY_EXPERIMENT
};

/// Settings of Edelman 2024, figure D.2: a network learns the product of two permutations of three letters.
pub const FIGURE_D_2: Experiment = Experiment {
    passage: "Edelman 2024, section 7.6, figure D.2 and appendix D.2.3",
    based_on: Some(&FIGURE_7_1_QUADRATIC),
    stated: &[("op", "symmetric"), ("letters", "3"), ("width", "30"), ("lambda", "1e-7"), ("steps", "50000")],
    ..EMPTY_EXPERIMENT
};

/// Settings of Edelman 2024, figure D.3: a network learns the product of two permutations of four letters.
pub const FIGURE_D_3: Experiment = Experiment {
    passage: "Edelman 2024, section 7.6, figure D.3 and appendix D.2.3",
    based_on: Some(&FIGURE_D_2),
    stated: &[("letters", "4"), ("width", "200")],
    ..EMPTY_EXPERIMENT
};

/// Settings of Edelman 2024, figure 7.6: product of permutations of five letters, trained in batches.
pub const FIGURE_7_6: Experiment = Experiment {
    passage: "Edelman 2024, section 7.6, figure 7.6 and appendix D.2.3",
    based_on: Some(&FIGURE_D_2),
    stated: &[
        ("letters", "5"),
        ("width", "2000"),
        ("lambda", "0.00001"),
        ("batch", "1000"),
        ("steps", "75000"),
    ],
    ..EMPTY_EXPERIMENT
};

/// Settings of Nanda et al. 2023: addition modulo 113 with a one-layer transformer. β₁, β₂ and ten steps of warm-up are
/// from the authors' program.
pub const NANDA: Experiment = Experiment {
    passage: "Nanda et al. 2023, section 3, and the authors' program",
    stated: &[
        ("op", "add"),
        ("n", "113"),
        ("frac", "0.3"),
        ("model", "modular-transformer"),
        ("demb", "128"),
        ("dattn", "32"),
        ("heads", "4"),
        ("dmlp", "512"),
        ("attend", "softmax"),
        ("opt", "adam"),
        ("lr", "0.001"),
        ("b1", "0.9"),
        ("b2", "0.98"),
        ("wd", "1"),
        ("wdkind", "decoupled"),
        ("clip", "0"),
        ("warm", "10"),
        ("cool", "none"),
        ("loss", "ce"),
        ("batch", "0"),
        ("steps", "40000"),
    ],
    unstated: &["eps"],
    ..EMPTY_EXPERIMENT
};
