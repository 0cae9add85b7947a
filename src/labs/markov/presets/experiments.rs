//! Settings that chapter 8 of the thesis (Edelman 2024) and its appendix E.2 state for their experiments.

use vivarium_view::presets::ledger::{EMPTY_EXPERIMENT, Experiment};

/// Settings of Markov chains with uniformly drawn rows that the transformer and the minimal model share in Edelman
/// 2024, sections 8.2.1 and 8.2.3 and appendix E.2.
const TASK: Experiment = Experiment {
    passage: "Edelman 2024, section 8.2 and appendix E.2",
    stated: &[
        ("k", "2 | 3"),
        ("t", "100"),
        ("gram", "2"),
        ("data", "dirichlet"),
        ("alpha", "1"),
        ("test", "dirichlet"),
        ("loss", "ce"),
        ("batch", "64"),
    ],
    unstated: &["held", "wd", "warm", "cool", "drop", "gamma"],
    ..EMPTY_EXPERIMENT
};

/// Transformer of Edelman 2024, equations 8.4 and 8.5, trained with AdamW on sequences of Markov chains.
pub const TRANSFORMER: Experiment = Experiment {
    passage: "Edelman 2024, section 8.2.3 and appendix E.2",
    based_on: Some(&TASK),
    stated: &[
        ("model", "attention-only"),
        ("d", "16"),
        ("heads", "1.1"),
        ("pos", "relative"),
        ("norm", "none"),
        ("mlp", "off"),
        ("from", "drawn"),
        ("trained", "all"),
        ("opt", "adam"),
        ("lr", "0.00003"),
        ("wdkind", "decoupled"),
    ],
    unstated: &["std", "b1", "b2", "eps", "clip"],
};

/// Minimal model of Edelman 2024, equation 8.8, trained from W = 0 (weights between symbols) and a constant v (weights
/// of distances).
pub const MINIMAL: Experiment = Experiment {
    passage: "Edelman 2024, figure 8.3 (bottom) and appendix E.2",
    based_on: Some(&TASK),
    stated: &[
        ("model", "minimal-markov"),
        ("from", "constant"),
        ("trained", "all"),
        ("w0", "0"),
        ("opt", "sgd"),
        ("lr", "0.002"),
    ],
    unstated: &["v0", "mom", "momkind"],
};

/// Figure 8.4a of Edelman 2024: transformer trained on doubly stochastic chains, alone and mixed with sequences of
/// independent symbols.
pub const FIGURE_8_4A: Experiment = Experiment {
    passage: "Edelman 2024, figure 8.4a and appendix E.2",
    based_on: Some(&TRANSFORMER),
    stated: &[("k", "4"), ("data", "ds | mixture")],
    unstated: &["mix"],
};

/// Figure 8.4b of Edelman 2024: minimal model (matrix W over symbols, vector v over distances) trained on chains of two
/// symbols.
pub const FIGURE_8_4B: Experiment = Experiment {
    passage: "Edelman 2024, figure 8.4b and appendix E.2",
    based_on: Some(&MINIMAL),
    stated: &[("k", "2")],
    ..EMPTY_EXPERIMENT
};

/// Figure 8.5 of Edelman 2024: 3-grams (chains that look two symbols back), learned with three heads in each layer.
pub const FIGURE_8_5: Experiment = Experiment {
    passage: "Edelman 2024, section 8.3.3, figure 8.5 and appendix E.2",
    based_on: Some(&TRANSFORMER),
    stated: &[("gram", "3"), ("t", "200"), ("heads", "3.3"), ("lr", "0.03")],
    unstated: &["k", "d"],
};

/// Experiment of Edelman 2024 on 3-grams (chains that look two symbols back) with a single head in each layer.
pub const SINGLE_HEADS: Experiment = Experiment {
    passage: "Edelman 2024, section 8.3.3 and appendix E.2",
    based_on: Some(&FIGURE_8_5),
    stated: &[("heads", "1.1")],
    ..EMPTY_EXPERIMENT
};

/// Figure E.4 of Edelman 2024: transformer trained on Markov chains of more than three symbols.
pub const FIGURE_E_4: Experiment = Experiment {
    passage: "Edelman 2024, figure E.4 and appendix E.2",
    based_on: Some(&TRANSFORMER),
    stated: &[("t", "200")],
    unstated: &["k"],
};

/// Figure E.8 of Edelman 2024: transformers of one layer on Markov chains, with and without MLP, with relative and
/// absolute positions.
pub const FIGURE_E_8: Experiment = Experiment {
    passage: "Edelman 2024, figure E.8 and appendix E.2",
    based_on: Some(&TRANSFORMER),
    stated: &[("heads", "1"), ("pos", "relative | absolute"), ("mlp", "off | on")],
    ..EMPTY_EXPERIMENT
};
