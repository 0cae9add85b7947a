//! Settings that chapter 4 of the thesis states for its experiments.
//!
//! Appendix A.3.1 takes "all hyperparameter settings left undiscussed" from the defaults of minGPT: the width 4d of the
//! MLP, layer norms, decoupled weight decay, ε = 10⁻⁸, a constant learning rate, and gradients whose norm is at most 1.

use vivarium_view::presets::ledger::{EMPTY_EXPERIMENT, Experiment};

/// Settings of Edelman 2024, figure 4.2: AND of three bits, learned from a finite sample.
pub const FIGURE_4_2: Experiment = Experiment {
    passage: "Edelman 2024, section 4.6, figure 4.2 and appendix A.3.1, with the defaults of minGPT (Karpathy 2020)",
    stated: &[
        ("fn", "and"),
        ("k", "3"),
        ("s", ""),
        (
            "n",
            "100 | 150 | 200 | 250 | 300 | 350 | 400 | 450 | 500 | 550 | 600 | 650 | 700 | 750 | 800 | 900 | 1000 | 1100",
        ),
        ("m", "50 | 60 | 70 | 80 | 90 | 100 | 110 | 120 | 130 | 140 | 150 | 160 | 170 | 180 | 190 | 200"),
        ("tries", "5"),
        ("model", "cls-transformer"),
        ("demb", "64"),
        ("heads", "16"),
        ("dmlp", "256"),
        ("ln", "yes"),
        ("adrop", "0.1"),
        ("edrop", "0.1"),
        ("rdrop", "0.1"),
        ("opt", "adam"),
        ("lr", "0.001"),
        ("b1", "0.9"),
        ("b2", "0.999"),
        ("eps", "1e-8"),
        ("wd", "0.0001"),
        ("wdkind", "decoupled"),
        ("warm", "0"),
        ("cool", "none"),
        ("clip", "1"),
        ("loss", "ce"),
        ("batch", "0"),
        ("held", "10000"),
    ],
    ..EMPTY_EXPERIMENT
};

/// Settings of Edelman 2024, figure 4.3 (left): AND of three of n = 300 bits, with m = 200 training examples, more than
/// the threshold from which the network learns it.
pub const FIGURE_4_3_ABOVE: Experiment = Experiment {
    passage: "Edelman 2024, figure 4.3 (left), above the threshold, and appendix A.3.2",
    based_on: Some(&FIGURE_4_2),
    stated: &[("n", "300"), ("m", "200")],
    ..EMPTY_EXPERIMENT
};

/// Settings of Edelman 2024, figure 4.3 (left): AND of three of n = 300 bits, with m = 50 training examples, fewer than
/// the threshold from which the network learns it.
pub const FIGURE_4_3_BELOW: Experiment = Experiment {
    passage: "Edelman 2024, figure 4.3 (left), below the threshold, and appendix A.3.2",
    based_on: Some(&FIGURE_4_2),
    stated: &[("n", "300"), ("m", "50")],
    ..EMPTY_EXPERIMENT
};

/// Settings of Edelman 2024, figure 4.3 (right): attention of one head in a network that has learned the AND.
pub const FIGURE_4_3_ATTENTION: Experiment = Experiment {
    passage: "Edelman 2024, figure 4.3 (right) and appendix A.3.2",
    based_on: Some(&FIGURE_4_2),
    stated: &[("n", "50"), ("m", "300"), ("s", "5.20.30"), ("heads", "1")],
    unstated: &["tries"],
};

/// Settings of Edelman 2024, figure 4.4: parities of three bits, with fresh examples at every step.
pub const FIGURE_4_4: Experiment = Experiment {
    passage: "Edelman 2024, section 4.6, figure 4.4 and appendix A.3.2",
    based_on: Some(&FIGURE_4_2),
    stated: &[
        ("n", "10 | 15"),
        ("layout", "anywhere"),
        ("data", "fresh"),
        ("m", "0"),
        ("noise", "0"),
        ("dattn", "4"),
        ("batch", "2048"),
    ],
    unstated: &["held"],
};

/// Settings of an experiment of this project, not of Edelman 2024, on the network of figure 4.2 of Edelman 2024; the
/// number n of bits and the number m of training examples are choices of this project.
pub const OWN_EXPERIMENT: Experiment = Experiment {
    passage: "Edelman 2024, appendix A.3.1",
    based_on: Some(&FIGURE_4_2),
    unstated: &["n", "m"],
    ..EMPTY_EXPERIMENT
};
