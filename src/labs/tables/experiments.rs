//! Settings that appendix C.3.3 of the thesis states for networks and forests on tables.

use vivarium_view::presets::ledger::{EMPTY_EXPERIMENT, Experiment};

/// Appendix C.3.3 of Edelman 2024: MLPs on 16 tables. The architecture and SGD are those of appendix C.3.1, "except the
/// hyperparameters noted below".
pub const APPENDIX_C_3_3: Experiment = Experiment {
    passage: "Edelman 2024, section 6.4.2 and appendices C.3.1 and C.3.3",
    stated: &[
        ("model", "deep-mlp"),
        // Widths 100, 300, … 30,000 and depths 1 to 3; figure C.3 shows depth 3.
        (
            "widths",
            "100 | 300 | 1000 | 3000 | 10000 | 100.100 | 300.300 | 1000.1000 | 3000.3000 | 10000.10000 | 100.100.100 | 300.300.300 | 1000.1000.1000 | 3000.3000.3000 | 10000.10000.10000",
        ),
        ("act", "relu"),
        ("init", "sparse | uniform"),
        ("ones", "2 | 4"),
        ("layers", "end"),
        ("opt", "sgd"),
        ("lr", "0.001"),
        ("wd", "0 | 0.01"),
        ("batch", "256"),
    ],
    unstated: &[
        "data", "rows", "n", "k", "s", "rule", "pieces", "turned", "noise", "m", "b1", "b2", "eps", "wdkind",
        "warm", "cool", "clip", "loss", "held",
    ],
    ..EMPTY_EXPERIMENT
};

/// Appendix C.3.3 of Edelman 2024: random forests on the 16 tables of the MLPs, the best of all these settings. A depth
/// of 0 has no limit, and with 0 columns √n of the n columns are tried at each split.
pub const APPENDIX_C_3_3_FOREST: Experiment = Experiment {
    passage: "Edelman 2024, section 6.4.2 and appendix C.3.3",
    stated: &[
        ("model", "random-forest"),
        ("trees", "10 | 100 | 1000"),
        ("depth", "0 | 2 | 3 | 4 | 10"),
        ("features", "0 | 1 | 2 | 3 | 4"),
    ],
    unstated: &[
        "data", "rows", "n", "k", "s", "rule", "pieces", "turned", "noise", "m", "opt", "lr", "b1", "b2",
        "eps", "wd", "wdkind", "warm", "cool", "clip", "loss", "batch", "held",
    ],
    ..EMPTY_EXPERIMENT
};
