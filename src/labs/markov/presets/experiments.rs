//! What chapter 8 of the thesis (Edelman 2024) and its appendix E.2 state about their experiments.

use vivarium_view::presets::ledger::{Experiment, NOTHING_STATED};

/// Sequences of Markov chains with uniform rows: sections 8.2.1 and 8.2.3, and appendix E.2 for what both models share.
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
    ..NOTHING_STATED
};

/// The transformer of equations 8.4 and 8.5, trained with AdamW.
pub const TRANSFORMER: Experiment = Experiment {
    passage: "Edelman 2024, section 8.2.3 and appendix E.2",
    like: Some(&TASK),
    stated: &[
        ("model", "attention-only"),
        ("d", "16"),
        ("heads", "1.1"),
        ("pos", "relative"),
        ("norm", "none"),
        ("mlp", "off"),
        ("from", "drawn"),
        ("opt", "adam"),
        ("lr", "0.00003"),
        ("wdkind", "decoupled"),
    ],
    unstated: &["std", "b1", "b2", "eps", "clip"],
};

/// The minimal model of equation 8.8, from W = 0 and a constant v.
pub const MINIMAL: Experiment = Experiment {
    passage: "Edelman 2024, figure 8.3 (bottom) and appendix E.2",
    like: Some(&TASK),
    stated: &[
        ("model", "minimal-markov"),
        ("from", "constant"),
        ("w0", "0"),
        ("opt", "sgd"),
        ("lr", "0.002"),
    ],
    unstated: &["v0", "mom", "momkind"],
};

/// Doubly stochastic chains, alone and mixed with independent symbols, on the transformer.
pub const FIGURE_8_4A: Experiment = Experiment {
    passage: "Edelman 2024, figure 8.4a and appendix E.2",
    like: Some(&TRANSFORMER),
    stated: &[("k", "4"), ("data", "ds | mixture")],
    unstated: &["mix"],
};

/// The minimal model on two symbols.
pub const FIGURE_8_4B: Experiment = Experiment {
    passage: "Edelman 2024, figure 8.4b and appendix E.2",
    like: Some(&MINIMAL),
    stated: &[("k", "2")],
    ..NOTHING_STATED
};

/// 3-grams with three heads in each layer.
pub const FIGURE_8_5: Experiment = Experiment {
    passage: "Edelman 2024, section 8.3.3, figure 8.5 and appendix E.2",
    like: Some(&TRANSFORMER),
    stated: &[("gram", "3"), ("t", "200"), ("heads", "3.3"), ("lr", "0.03")],
    unstated: &["k", "d"],
};

/// 3-grams with a single head in each layer.
pub const SINGLE_HEADS: Experiment = Experiment {
    passage: "Edelman 2024, section 8.3.3 and appendix E.2",
    like: Some(&FIGURE_8_5),
    stated: &[("heads", "1.1")],
    ..NOTHING_STATED
};

/// More symbols than three.
pub const FIGURE_E_4: Experiment = Experiment {
    passage: "Edelman 2024, figure E.4 and appendix E.2",
    like: Some(&TRANSFORMER),
    stated: &[("t", "200")],
    unstated: &["k"],
};

/// One layer, with and without MLP, with relative and absolute positions.
pub const FIGURE_E_8: Experiment = Experiment {
    passage: "Edelman 2024, figure E.8 and appendix E.2",
    like: Some(&TRANSFORMER),
    stated: &[("heads", "1"), ("pos", "relative | absolute"), ("mlp", "off | on")],
    ..NOTHING_STATED
};
