//! Settings that chapters 5 and 6 of the thesis (Edelman 2024) and its appendices B and C state for their experiments.

use vivarium_view::presets::ledger::{EMPTY_EXPERIMENT, Experiment};

/// Settings common to chapter 5 of Edelman 2024: fresh uniform examples, the hinge loss and plain SGD at a constant
/// rate, for networks f = uᵀσ(Wx + b) without output bias.
pub const CHAPTER_5: Experiment = Experiment {
    passage: "Edelman 2024, section 5.3 and appendix B.4",
    stated: &[
        ("model", "mlp"),
        ("opt", "sgd"),
        ("s", ""),
        ("layout", "anywhere"),
        ("data", "fresh"),
        ("m", "0"),
        ("noise", "0"),
        ("init", "uniform"),
        ("bias", "hidden"),
        ("second", "trained"),
        ("first", "trained"),
        ("keep", ""),
        ("loss", "hinge"),
        ("mom", "0"),
        ("momkind", "classical"),
        ("warm", "0"),
        ("cool", "none"),
        ("held", "8192"),
    ],
    unstated: &["wd"],
    ..EMPTY_EXPERIMENT
};

/// Settings common to all training curves of figure 5.1 (left) of Edelman 2024: the parity of 3 of 50 bits.
const FIGURE_5_1: Experiment = Experiment {
    passage: "Edelman 2024, figure 5.1 (left) and appendix B.4.1",
    based_on: Some(&CHAPTER_5),
    stated: &[("n", "50"), ("k", "3")],
    ..EMPTY_EXPERIMENT
};

/// Figure 5.1 of Edelman 2024, panel 1: setting (i), a ReLU network of width 10, batches of 32.
pub const FIGURE_5_1_RELU_10: Experiment = Experiment {
    passage: "Edelman 2024, figure 5.1 (left), panel 1, and appendix B.4.1",
    based_on: Some(&FIGURE_5_1),
    stated: &[("width", "10"), ("act", "relu"), ("batch", "32"), ("lr", "0.5")],
    ..EMPTY_EXPERIMENT
};

/// Figure 5.1 of Edelman 2024, panel 2: setting (i), a ReLU network of width 10, with batches of 1,024.
pub const FIGURE_5_1_LARGE_BATCH: Experiment = Experiment {
    passage: "Edelman 2024, figure 5.1 (left), panel 2, and appendix B.4.1",
    based_on: Some(&FIGURE_5_1),
    stated: &[("width", "10"), ("act", "relu"), ("batch", "1024"), ("lr", "0.05")],
    ..EMPTY_EXPERIMENT
};

/// Figure 5.1 of Edelman 2024, panel 3: setting (ii), a ReLU network of width 100, with one example at a time.
pub const FIGURE_5_1_SINGLE: Experiment = Experiment {
    passage: "Edelman 2024, figure 5.1 (left), panel 3, and appendix B.4.1",
    based_on: Some(&FIGURE_5_1),
    stated: &[("width", "100"), ("act", "relu"), ("batch", "1"), ("lr", "0.05")],
    ..EMPTY_EXPERIMENT
};

/// Figure 5.1 of Edelman 2024, panel 4: setting (iv), a network of width 10 with the activation z³.
pub const FIGURE_5_1_CUBIC_10: Experiment = Experiment {
    passage: "Edelman 2024, figure 5.1 (left), panel 4, and appendix B.4.1",
    based_on: Some(&FIGURE_5_1),
    stated: &[("width", "10"), ("act", "power"), ("degree", "3"), ("batch", "32"), ("lr", "0.05")],
    ..EMPTY_EXPERIMENT
};

/// Figure 5.1 of Edelman 2024, panel 5: setting (vii), one neuron with a zigzag activation.
pub const FIGURE_5_1_ZIGZAG: Experiment = Experiment {
    passage: "Edelman 2024, figure 5.1 (left), panel 5, and appendix B.4.1",
    based_on: Some(&FIGURE_5_1),
    stated: &[("width", "1"), ("act", "zigzag"), ("degree", "3"), ("batch", "32"), ("lr", "0.2")],
    ..EMPTY_EXPERIMENT
};

/// Figure 5.1 of Edelman 2024, panel 6: setting (x), one neuron with a sine activation.
pub const FIGURE_5_1_SINE: Experiment = Experiment {
    passage: "Edelman 2024, figure 5.1 (left), panel 6, and appendix B.4.1",
    based_on: Some(&FIGURE_5_1),
    stated: &[("width", "1"), ("act", "sin"), ("degree", "3"), ("batch", "32"), ("lr", "0.05")],
    ..EMPTY_EXPERIMENT
};

/// Figure 5.1 of Edelman 2024, panel 7: setting (*iii), a transformer, trained with Adam.
pub const FIGURE_5_1_TRANSFORMER: Experiment = Experiment {
    passage: "Edelman 2024, figure 5.1 (left), panel 7, and appendix B.4.1",
    based_on: Some(&FIGURE_5_1),
    stated: &[
        ("model", "parity-transformer"),
        ("opt", "adam"),
        ("demb", "1024"),
        ("dattn", "8"),
        ("heads", "128"),
        ("batch", "32"),
        ("lr", "0.0005"),
        ("b1", "0.9"),
        ("b2", "0.999"),
        ("eps", "1e-8"),
    ],
    unstated: &["dmlp", "wd", "wdkind", "clip"],
};

/// Figure 5.1 of Edelman 2024, panel 8: setting (xv), a PolyNet (sum of products of three linear forms).
pub const FIGURE_5_1_POLYNET: Experiment = Experiment {
    passage: "Edelman 2024, figure 5.1 (left), panel 8, and appendix B.4.1",
    based_on: Some(&FIGURE_5_1),
    stated: &[("model", "polynet"), ("degree", "3"), ("bias", "yes"), ("batch", "32"), ("lr", "0.07")],
    ..EMPTY_EXPERIMENT
};

/// Figure 5.2 of Edelman 2024, left: distribution of convergence times (steps to learn the parity) over a million
/// trials of one setting, which the text does not name.
pub const FIGURE_5_2_LEFT: Experiment = Experiment {
    passage: "Edelman 2024, figure 5.2 (left) and appendix B.4.2",
    based_on: Some(&CHAPTER_5),
    stated: &[("held", "128")],
    unstated: &["model", "n", "k", "width", "act", "bias", "batch", "lr"],
};

/// Figure 5.2 of Edelman 2024, centre: convergence times on a sparse parity with several orders of the data for each
/// initialisation.
pub const FIGURE_5_2_CENTRE: Experiment = Experiment {
    passage: "Edelman 2024, figure 5.2 (centre) and appendix B.4.2",
    based_on: Some(&CHAPTER_5),
    stated: &[("batch", "128"), ("lr", "0.01")],
    unstated: &["model", "n", "k", "width", "act", "degree", "bias", "second"],
};

/// Figure 5.3 of Edelman 2024: one neuron with a sine activation, with a bias and without a second layer, trained on a
/// sparse parity.
pub const FIGURE_5_3: Experiment = Experiment {
    passage: "Edelman 2024, figure 5.3 and appendix B.3.3",
    based_on: Some(&CHAPTER_5),
    stated: &[("width", "1"), ("act", "sin"), ("second", "ones")],
    unstated: &["n", "k", "degree", "batch", "lr"],
};

/// Figure 5.3 of Edelman 2024 (right, bottom): the single neuron with a sine activation, trained on random labels for
/// comparison.
pub const FIGURE_5_3_NOISE: Experiment = Experiment {
    passage: "Edelman 2024, figure 5.3 (right, bottom) and appendix B.3.3",
    based_on: Some(&FIGURE_5_3),
    stated: &[("noise", "0.5")],
    ..EMPTY_EXPERIMENT
};

/// Figures 5.4 (right) and B.11 of Edelman 2024: ReLU networks of width 100 trained with weight decay on a fixed sample
/// of a sparse parity.
pub const FIGURE_B_11: Experiment = Experiment {
    passage: "Edelman 2024, figures 5.4 (right) and B.11, and appendix B.3.5",
    based_on: Some(&CHAPTER_5),
    stated: &[("width", "100"), ("act", "relu"), ("batch", "32"), ("lr", "0.1")],
    unstated: &["n", "k", "m", "wd"],
};

/// Figure B.1 of Edelman 2024, right: a Disjoint-PolyNet (product of linear forms of disjoint blocks of bits), one
/// example at a time.
pub const FIGURE_B_1: Experiment = Experiment {
    passage: "Edelman 2024, section 5.4.2, appendix B.2.4 and figure B.1 (right)",
    based_on: Some(&CHAPTER_5),
    stated: &[
        ("model", "disjoint-polynet"),
        ("layout", "blocks"),
        ("init", "normal"),
        ("loss", "corr"),
        ("batch", "1"),
    ],
    unstated: &["n", "k", "degree", "lr"],
};

/// Figure B.1 of Edelman 2024, left: a Disjoint-PolyNet trained on all inputs with a small learning rate, which
/// approximates gradient flow.
pub const FIGURE_B_1_LEFT: Experiment = Experiment {
    passage: "Edelman 2024, section 5.4.2, appendix B.2.3 and figure B.1 (left)",
    based_on: Some(&FIGURE_B_1),
    stated: &[("data", "cube"), ("batch", "0")],
    unstated: &["n", "k", "degree", "lr"],
};

/// Figure B.2 of Edelman 2024, row 1: one ReLU network on parities of several sizes. Its width is 100 by the caption;
/// appendix B.4.1 prints a width of 10, but also names setting (ii), which has width 100.
pub const FIGURE_B_2_ROW_1: Experiment = Experiment {
    passage: "Edelman 2024, section 5.3, setting (ii), and figure B.2, row 1",
    based_on: Some(&CHAPTER_5),
    stated: &[
        ("n", "30 | 60 | 90"),
        ("k", "3 | 4 | 5 | 6"),
        ("width", "100"),
        ("act", "relu"),
        ("batch", "32"),
        ("lr", "0.1"),
    ],
    ..EMPTY_EXPERIMENT
};

/// Figure B.2 of Edelman 2024, row 3: settings common to networks that are barely wide enough, with one example at a
/// time.
const FIGURE_B_2_ROW_3: Experiment = Experiment {
    passage: "Edelman 2024, figure B.2, row 3, and appendix B.4.1",
    based_on: Some(&FIGURE_5_1),
    stated: &[("batch", "1"), ("lr", "0.1")],
    ..EMPTY_EXPERIMENT
};

/// Figure B.2 of Edelman 2024, row 3: setting (*i), a ReLU network of width 3.
pub const FIGURE_B_2_RELU_3: Experiment = Experiment {
    passage: "Edelman 2024, figure B.2, row 3, setting (*i)",
    based_on: Some(&FIGURE_B_2_ROW_3),
    stated: &[("width", "3"), ("act", "relu")],
    ..EMPTY_EXPERIMENT
};

/// Figure B.2 of Edelman 2024, row 3: setting (*ii), a network of width 3 with the activation z³.
pub const FIGURE_B_2_CUBIC_3: Experiment = Experiment {
    passage: "Edelman 2024, figure B.2, row 3, setting (*ii)",
    based_on: Some(&FIGURE_B_2_ROW_3),
    stated: &[("width", "3"), ("act", "power"), ("degree", "3"), ("lr", "0.01")],
    ..EMPTY_EXPERIMENT
};

/// Figures B.2 and B.6 of Edelman 2024: setting (viii), one neuron with an oscillating polynomial activation. The text
/// of figure B.6 calls it (vii) and uses batches of 32 and a rate of 0.01.
pub const FIGURES_B_2_AND_B_6_OSCILLATING: Experiment = Experiment {
    passage: "Edelman 2024, figure B.2, row 3, and figure B.6, setting (viii)",
    based_on: Some(&FIGURE_B_2_ROW_3),
    stated: &[("width", "1"), ("act", "osc"), ("degree", "3"), ("batch", "1 | 32"), ("lr", "0.1 | 0.01")],
    ..EMPTY_EXPERIMENT
};

/// Figure B.2 of Edelman 2024: setting (xi), one neuron with a zigzag activation and without a second layer.
pub const FIGURE_B_2_ZIGZAG_BARE: Experiment = Experiment {
    passage: "Edelman 2024, figure B.2, row 3, setting (xi)",
    based_on: Some(&FIGURE_B_2_ROW_3),
    stated: &[("width", "1"), ("act", "zigzag"), ("degree", "3"), ("second", "ones")],
    ..EMPTY_EXPERIMENT
};

/// Figure B.2 of Edelman 2024: setting (xii), one neuron with an oscillating polynomial activation and without a second
/// layer.
pub const FIGURE_B_2_OSCILLATING_BARE: Experiment = Experiment {
    passage: "Edelman 2024, figure B.2, row 3, setting (xii)",
    based_on: Some(&FIGURE_B_2_ROW_3),
    stated: &[("width", "1"), ("act", "osc"), ("degree", "3"), ("second", "ones")],
    ..EMPTY_EXPERIMENT
};

/// Section 5.3 of Edelman 2024: range of settings; for each combination some learning rate solves the parity in at
/// least a fifth of 25 trials.
const ROBUST_SPACE: Experiment = Experiment {
    passage: "Edelman 2024, section 5.3",
    based_on: Some(&CHAPTER_5),
    stated: &[
        ("n", "10 | 20 | 30"),
        ("k", "2 | 3 | 4"),
        ("init", "uniform | gaussian | sign"),
        ("loss", "hinge | square | ce"),
        ("batch", "1 | 2 | 4 | 8 | 16 | 32 | 64 | 128 | 256 | 512 | 1024"),
        ("lr", "0.001 | 0.01 | 0.1 | 1"),
    ],
    ..EMPTY_EXPERIMENT
};

/// Section 5.3 of Edelman 2024, setting (ix): one neuron with a triangle-wave activation.
pub const SECTION_5_3_WAVE: Experiment = Experiment {
    passage: "Edelman 2024, section 5.3, setting (ix)",
    based_on: Some(&ROBUST_SPACE),
    stated: &[("width", "1"), ("act", "wave"), ("degree", "3")],
    ..EMPTY_EXPERIMENT
};

/// Section 5.3 of Edelman 2024, setting (xiii): one neuron with a triangle-wave activation and without a second layer.
pub const SECTION_5_3_WAVE_BARE: Experiment = Experiment {
    passage: "Edelman 2024, section 5.3, setting (xiii)",
    based_on: Some(&SECTION_5_3_WAVE),
    stated: &[("second", "ones")],
    ..EMPTY_EXPERIMENT
};

/// Figure B.6 of Edelman 2024: setting (xiv), one neuron with a sine activation and without a second layer, with the
/// learning rate and the batches of the figure.
pub const FIGURE_B_6_SINE_BARE: Experiment = Experiment {
    passage: "Edelman 2024, section 5.3, setting (xiv), and figure B.6",
    based_on: Some(&ROBUST_SPACE),
    stated: &[
        ("width", "1"),
        ("act", "sin"),
        ("degree", "3"),
        ("second", "ones"),
        ("batch", "32"),
        ("lr", "0.01"),
    ],
    ..EMPTY_EXPERIMENT
};

/// Figure B.6 of Edelman 2024: setting (ii), convergence times of ReLU networks of width 100, also in figures 5.1
/// (right) and 5.2 (right).
pub const FIGURE_B_6_RELU_100: Experiment = Experiment {
    passage: "Edelman 2024, figures 5.1 (right), 5.2 (right) and B.6, and appendix B.4",
    based_on: Some(&CHAPTER_5),
    stated: &[
        ("k", "2 | 3 | 4 | 5 | 6 | 7 | 8"),
        ("width", "100"),
        ("act", "relu"),
        ("batch", "32"),
        ("lr", "1"),
        ("held", "128"),
    ],
    ..EMPTY_EXPERIMENT
};

/// Figure B.7 of Edelman 2024: exact Fourier gaps of random linear threshold functions, the derivatives of ReLU neurons.
pub const FIGURE_B_7: Experiment = Experiment {
    passage: "Edelman 2024, figure B.7 and appendix B.3.1",
    based_on: Some(&CHAPTER_5),
    stated: &[("n", "15"), ("width", "1"), ("act", "relu"), ("init", "uniform | gaussian")],
    unstated: &["k", "bias", "second", "loss", "batch", "lr", "held"],
};

/// Figure B.8 of Edelman 2024, right: Fourier gap of one neuron with a sine activation along the path of SGD.
pub const FIGURE_B_8_RIGHT: Experiment = Experiment {
    passage: "Edelman 2024, figure B.8 (right) and appendix B.3.1",
    based_on: Some(&CHAPTER_5),
    stated: &[("width", "1"), ("act", "sin")],
    unstated: &["n", "k", "degree", "bias", "second", "batch", "lr", "held"],
};

/// Figure B.9 of Edelman 2024: an MLP of width 10 on a sparse parity, which the figure compares with single neurons.
pub const FIGURE_B_9_MLP: Experiment = Experiment {
    passage: "Edelman 2024, figure B.9 and appendix B.3.3",
    based_on: Some(&CHAPTER_5),
    stated: &[("width", "10")],
    unstated: &["n", "k", "act", "batch", "lr"],
};

/// Figures 5.4 (left) and B.10 of Edelman 2024: steps until networks learn a sparse parity, against the width of the
/// network.
pub const FIGURE_B_10: Experiment = Experiment {
    passage: "Edelman 2024, figures 5.4 (left) and B.10, and appendix B.3.4",
    based_on: Some(&CHAPTER_5),
    stated: &[("n", "30 | 40 | 50"), ("k", "3"), ("batch", "128"), ("lr", "0.1"), ("held", "128")],
    unstated: &["act"],
};

/// Figure B.12 of Edelman 2024: networks trained on a sparse parity with a share of the labels flipped.
pub const FIGURE_B_12: Experiment = Experiment {
    passage: "Edelman 2024, appendix B.3.6 and figure B.12",
    based_on: Some(&CHAPTER_5),
    stated: &[("n", "50"), ("k", "3"), ("width", "100"), ("act", "relu"), ("lr", "0.1")],
    unstated: &["noise", "batch"],
};

/// Figure B.12 of Edelman 2024 with its largest noise: 49 % of the labels of a sparse parity flipped.
pub const FIGURE_B_12_49: Experiment =
    Experiment { based_on: Some(&FIGURE_B_12), stated: &[("noise", "0.49")], unstated: &[], ..FIGURE_B_12 };

/// Appendix B.3.7 of Edelman 2024, depth L = 3: sparse parities learned by a network of two hidden layers with the
/// activation z².
pub const APPENDIX_B_3_7: Experiment = Experiment {
    passage: "Edelman 2024, appendix B.3.7",
    based_on: Some(&CHAPTER_5),
    stated: &[
        ("model", "deep-mlp"),
        ("n", "10 | 20 | 30"),
        ("k", "1 | 2 | 3 | 4"),
        ("widths", "2.1"),
        ("act", "power"),
        ("degree", "2"),
        ("layers", "end"),
        ("batch", "32"),
        ("lr", "0.01"),
    ],
    ..EMPTY_EXPERIMENT
};

/// Appendix B.3.7 of Edelman 2024 on training a deep network layer by layer, for which the text reports no run.
pub const APPENDIX_B_3_7_GREEDY: Experiment =
    Experiment { based_on: Some(&APPENDIX_B_3_7), stated: &[("layers", "greedy")], ..APPENDIX_B_3_7 };

/// Control experiment of appendix B.3.7 of Edelman 2024: depth L = 3 on parities of five or more bits, for which it is
/// too shallow; the text does not state the sizes.
pub const APPENDIX_B_3_7_TOO_SHALLOW: Experiment = Experiment {
    based_on: Some(&APPENDIX_B_3_7),
    stated: &[("k", "5 | 6 | 7 | 8")],
    unstated: &["n", "widths"],
    ..APPENDIX_B_3_7
};

/// Appendix B.3.7 of Edelman 2024, depth L = 4: sparse parities learned by a network of three hidden layers with the
/// activation z².
pub const APPENDIX_B_3_7_DEEPER: Experiment = Experiment {
    based_on: Some(&APPENDIX_B_3_7),
    stated: &[("k", "1 | 2 | 3 | 4 | 5 | 6"), ("widths", "10.10.1")],
    ..APPENDIX_B_3_7
};

/// Figure B.13 of Edelman 2024, settings (iv), (v) and (vi): networks with the activation z³ and widths 10, 100 and
/// 1,000, whose loss has no plateau.
const FIGURE_B_13: Experiment = Experiment {
    passage: "Edelman 2024, appendix B.3.8 and figure B.13",
    based_on: Some(&FIGURE_5_1),
    stated: &[("width", "10 | 100 | 1000"), ("act", "power"), ("degree", "3")],
    ..EMPTY_EXPERIMENT
};

/// Figure B.13 of Edelman 2024, setting (vi), of width 1,000, with the larger of the batches that figure B.2 states,
/// and the rate of that batch size.
pub const FIGURE_B_13_WIDE: Experiment = Experiment {
    passage: "Edelman 2024, appendix B.3.8, figure B.13 and figure B.2, row 4, setting (vi)",
    based_on: Some(&FIGURE_B_13),
    stated: &[("width", "1000"), ("batch", "1024"), ("lr", "0.01")],
    ..EMPTY_EXPERIMENT
};

/// Figure B.13 of Edelman 2024, setting (iv), of width 10, with the batches and the rate that figure B.6 states.
pub const FIGURE_B_13_NARROW: Experiment = Experiment {
    passage: "Edelman 2024, appendix B.3.8, figure B.13 and figure B.6, setting (iv)",
    based_on: Some(&FIGURE_B_13),
    stated: &[("width", "10"), ("batch", "32"), ("lr", "0.01")],
    ..EMPTY_EXPERIMENT
};

/// Appendix C.3.1 of Edelman 2024: the sweeps of chapter 6 over sample size and width, where success is an error of at
/// most 10 % on 10,000 examples. Larger samples and widths that the text also states are outside the range of a link.
pub const APPENDIX_C_3_1: Experiment = Experiment {
    passage: "Edelman 2024, section 6.4.1 and appendix C.3.1",
    stated: &[
        ("model", "mlp"),
        ("opt", "sgd"),
        ("s", ""),
        ("layout", "anywhere"),
        ("data", "fresh"),
        ("n", "50 | 100 | 150 | 200 | 250 | 300"),
        ("k", "3 | 4"),
        (
            "m",
            "100 | 200 | 300 | 600 | 1000 | 2000 | 3000 | 6000 | 10000 | 20000 | 30000 | 60000 | 100000 | 0",
        ),
        ("noise", "0"),
        ("width", "10 | 30 | 100 | 300 | 1000 | 3000 | 10000"),
        ("init", "uniform | sparse"),
        ("ones", "2"),
        ("bias", "both"),
        ("second", "trained"),
        ("first", "trained"),
        ("keep", ""),
        ("batch", "32"),
        ("lr", "0.1"),
        ("wd", "0.01"),
        ("held", "10000"),
    ],
    unstated: &["act", "loss", "mom", "momkind", "warm", "cool"],
    ..EMPTY_EXPERIMENT
};

/// Figure 6.2 of Edelman 2024, centre: sweep over sample sizes on a denser grid, whose values the text does not list.
pub const FIGURE_6_2_CENTRE: Experiment = Experiment {
    passage: "Edelman 2024, figure 6.2 (centre) and appendix C.3.1",
    based_on: Some(&APPENDIX_C_3_1),
    unstated: &["m"],
    ..EMPTY_EXPERIMENT
};

/// Figure C.2 of Edelman 2024: lottery tickets (the neurons with the largest weight norm, trained again alone from
/// their initial weights), on fresh examples.
pub const FIGURE_C_2: Experiment = Experiment {
    passage: "Edelman 2024, appendix C.3.2 and figure C.2",
    based_on: Some(&APPENDIX_C_3_1),
    stated: &[("n", "50"), ("k", "5"), ("m", "0"), ("width", "100"), ("init", "sparse")],
    unstated: &["keep", "wd", "held"],
};
