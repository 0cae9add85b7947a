//! Settings that Wu, Su, Hu, Song and Liu 2024 state in appendix G about their experiments, and Garg, Tsipras, Liang and Valiant
//! 2022 about theirs: in sections 3 to 5, and in their code, <https://github.com/dtsip/in-context-learning>.

use vivarium_view::presets::ledger::{EMPTY_EXPERIMENT, Experiment};

/// Settings of the decoder in the style of GPT-2 that both Garg et al. 2022 and Wu et al. 2024 train; the other
/// experiments of this lab are based on them.
const GPT_2: Experiment = Experiment {
    stated: &[
        ("model", "in-context-transformer"),
        ("blocks", "12"),
        ("width", "256"),
        ("heads", "8"),
        ("format", "interleaved"),
        ("norm", "layer"),
        ("act", "gelu"),
        ("pos", "learned"),
        ("dim", "20"),
        ("const", "no"),
        ("ts", "1"),
        ("noise", "0"),
        ("loss", "square"),
        ("batch", "64"),
    ],
    ..EMPTY_EXPERIMENT
};

/// Settings of Wu et al. 2024, appendix G.1: random networks without biases on the inputs N(−2, I), tested on mixtures
/// with N(2, I).
pub const NETWORKS: Experiment = Experiment {
    passage: "Wu, Su, Hu, Song and Liu 2024, appendix G.1",
    based_on: Some(&GPT_2),
    stated: &[
        ("class", "network"),
        ("deep", "3 | 4 | 6"),
        ("points", "51"),
        ("long", "76"),
        ("dist", "mixture"),
        // The standard deviation of each of the two normal distributions.
        ("s", "1"),
        ("w2", "0"),
        ("tw2", "0 | 0.1 | 0.3 | 0.5"),
        ("dmlp", "256"),
        ("attend", "softmax | relu"),
        ("held", "6400"),
    ],
    unstated: &["k", "opt", "lr", "b1", "b2", "eps", "wd", "wdkind", "warm", "cool", "clip"],
};

/// Settings of Wu et al. 2024, appendix G.2 and figure 3: transformers of 4, 6, 8 and 10 layers.
pub const FIGURE_3: Experiment = Experiment {
    passage: "Wu, Su, Hu, Song and Liu 2024, appendix G.2, figure 3",
    based_on: Some(&NETWORKS),
    stated: &[("blocks", "4 | 6 | 8 | 10"), ("tw2", "0")],
    ..EMPTY_EXPERIMENT
};

/// Settings of Garg et al. 2022, section 3: a transformer learns linear functions in context.
pub const LINEAR: Experiment = Experiment {
    passage: "Garg, Tsipras, Liang and Valiant 2022, section 3, and the authors' code",
    based_on: Some(&GPT_2),
    stated: &[
        ("class", "linear"),
        ("points", "41"),
        ("long", "0"),
        ("dist", "normal"),
        ("s", "1"),
        ("dmlp", "1024"),
        ("attend", "softmax"),
        ("held", "1280"),
        ("opt", "adam"),
        ("lr", "0.0001"),
        ("b1", "0.9"),
        ("b2", "0.999"),
        ("eps", "0.00000001"),
        ("wd", "0"),
        // Without decay both kinds are the same.
        ("wdkind", "decoupled | coupled"),
        ("warm", "0"),
        ("cool", "none"),
        ("clip", "0"),
    ],
    ..EMPTY_EXPERIMENT
};

/// Settings of Garg et al. 2022, section 4: the transformer of section 3 on labels with noise.
pub const NOISY: Experiment = Experiment {
    passage: "Garg, Tsipras, Liang and Valiant 2022, section 4, and the authors' code",
    based_on: Some(&LINEAR),
    stated: &[("noise", "1")],
    ..EMPTY_EXPERIMENT
};

/// Settings of Garg et al. 2022, section 5: linear functions with three weights that are not 0.
pub const SPARSE: Experiment = Experiment {
    passage: "Garg, Tsipras, Liang and Valiant 2022, section 5, and the authors' code",
    based_on: Some(&LINEAR),
    stated: &[("class", "sparse"), ("sparse", "3")],
    ..EMPTY_EXPERIMENT
};

/// Settings of Garg et al. 2022, section 5: a transformer learns decision trees of depth 4 in context.
pub const TREES: Experiment = Experiment {
    passage: "Garg, Tsipras, Liang and Valiant 2022, section 5, and the authors' code",
    based_on: Some(&LINEAR),
    stated: &[("class", "tree"), ("splits", "4"), ("points", "101")],
    ..EMPTY_EXPERIMENT
};
