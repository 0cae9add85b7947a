//! Settings that Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025 state for the experiments of figures 1 and 2.
//!
//! The paper states the task, the codes and online AdamW. All other settings are those of the authors' code,
//! <https://github.com/mousavih/transformers-separation>.

use vivarium_view::presets::ledger::{EMPTY_EXPERIMENT, Experiment};

/// Settings common to figures 1 (a) and 1 (b) of Mousavi-Hosseini et al. 2025: training on fresh sequences until the
/// test error is below a threshold.
const FIGURE_1: Experiment = Experiment {
    passage: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, figure 1, and the authors' code",
    stated: &[
        ("dim", "10"),
        ("q", "1"),
        // One name cannot be drawn twice.
        ("draw", "distinct | free"),
        ("g", "linear"),
        ("codes", "random"),
        ("de", "0"),
        ("enc", "one"),
        ("noise", "0"),
        ("m", "0"),
        ("opt", "adam"),
        ("lr", "0.001"),
        ("b1", "0.9"),
        ("b2", "0.999"),
        ("eps", "0.00000001"),
        ("wd", "0.01"),
        ("wdkind", "decoupled"),
        ("warm", "0"),
        ("cool", "none"),
        ("clip", "0"),
        ("loss", "square"),
        ("batch", "64"),
        ("held", "5000"),
    ],
    ..EMPTY_EXPERIMENT
};

/// Figure 1 (a) of Mousavi-Hosseini et al. 2025: each position names a position of its own. The authors' code tests on
/// prompts whose positions all name the same one.
const FIGURE_1_A: Experiment = Experiment {
    passage: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, figure 1 (a), and the authors' code",
    based_on: Some(&FIGURE_1),
    stated: &[("n", "2 | 4 | 6 | 8 | 10 | 12"), ("lists", "each"), ("test", "one")],
    ..EMPTY_EXPERIMENT
};

/// Attention network of figures 1 (a) and 2 of Mousavi-Hosseini et al. 2025: one head followed by a hidden layer of 100
/// units.
const ATTENTION: Experiment = Experiment {
    stated: &[
        ("model", "token-attention"),
        ("h", "1"),
        ("qk", "separate"),
        ("dk", "0"),
        ("scores", "all"),
        ("values", "token"),
        ("width", "100"),
        ("begin", "random"),
    ],
    based_on: Some(&FIGURE_1_A),
    ..EMPTY_EXPERIMENT
};

/// Figure 1 (a) of Mousavi-Hosseini et al. 2025: curve of the attention network.
pub const FIGURE_1_A_ATTENTION: Experiment = Experiment {
    passage: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, figure 1 (a), and the authors' code",
    based_on: Some(&ATTENTION),
    ..EMPTY_EXPERIMENT
};

/// Figure 1 (a) of Mousavi-Hosseini et al. 2025: curve of the feedforward network on the flattened prompt.
pub const FIGURE_1_A_FEEDFORWARD: Experiment = Experiment {
    passage: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, figure 1 (a), and the authors' code",
    based_on: Some(&FIGURE_1_A),
    stated: &[("model", "token-mlp"), ("widths", "0.1000")],
    ..EMPTY_EXPERIMENT
};

/// Figure 1 (a) of Mousavi-Hosseini et al. 2025: curve of the bidirectional GRU.
pub const FIGURE_1_A_RECURRENT: Experiment = Experiment {
    passage: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, figure 1 (a), and the authors' code",
    based_on: Some(&FIGURE_1_A),
    stated: &[("model", "gru"), ("width", "500")],
    ..EMPTY_EXPERIMENT
};

/// Figure 1 (b) of Mousavi-Hosseini et al. 2025: curve of the feedforward network, where all positions name the same
/// position.
pub const FIGURE_1_B_FEEDFORWARD: Experiment = Experiment {
    passage: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, figure 1 (b), and the authors' code",
    based_on: Some(&FIGURE_1),
    stated: &[
        ("n", "25 | 27 | 29 | 31 | 33"),
        ("lists", "one"),
        ("test", "same | one"),
        ("model", "token-mlp"),
        ("widths", "0.1000"),
    ],
    ..EMPTY_EXPERIMENT
};

/// Figure 2 of Mousavi-Hosseini et al. 2025: the attention weights of one head. Each position names a position of its
/// own, as the caption says; the authors' script trains on prompts whose positions all name the same one.
pub const FIGURE_2: Experiment = Experiment {
    passage: "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, figure 2, and the authors' code",
    based_on: Some(&ATTENTION),
    stated: &[
        ("n", "100"),
        ("lists", "each"),
        ("test", "same"),
        ("m", "50000"),
        ("wd", "0.2"),
        ("held", "10000"),
    ],
    ..EMPTY_EXPERIMENT
};
