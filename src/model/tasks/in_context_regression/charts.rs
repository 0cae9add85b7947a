//! Charts of transformers that are gradient descent.

crate::charts! {
    /// Every chart of this task, in the order of links and buttons.
    CHARTS;
    /// The loss L_n of the weights in the tokens, and of direct gradient descent on the same network in double and in single precision.
    BOTH = "both", "Loss of transformer and direct gradient descent", "Losses", Lines, "Wu, Su, Hu, Song and Liu 2024, equation 2.2";
    /// Distance of the weights in the tokens from direct gradient descent. For comparison: two bounds on this distance; direct gradient descent in single precision.
    APART = "apart", "Distance from direct gradient descent", "Distance", Lines, "Wu, Su, Hu, Song and Liu 2024, corollary 1.1";
    /// Every number of every token after the layer that is shown; the numbers that this layer reads and writes are outlined.
    TOKENS = "strip", "Tokens, number by number", "Tokens", Grid, "Wu, Su, Hu, Song and Liu 2024, equation 2.1 and section 3";
    /// Attention weights of one head of the layer that is shown: each row holds the weights with which the values of all tokens are added up for one token.
    ACTING = "acting", "Attention in the layer shown", "Attention", Grid;
    /// Function of the network whose weights are in the tokens; function of the same network after direct gradient descent; the examples; the target function.
    FITTED = "fitted", "Fitted function", "Fit", Lines;
    /// For each of the 2N + 4 layers of a step: the number of heads of an attention layer, or the number of hidden units of an MLP.
    HEADS = "layerheads", "Heads or hidden units of each layer", "Layers", Bars, "Wu, Su, Hu, Song and Liu 2024, theorem 1 and appendix D";
    /// Distance between the weights in the tokens and those of direct gradient descent, at the end of each run of a sweep over the number M of straight lines.
    KNOTS = "knots", "Distance by number of straight lines M", "By M", Lines, "Wu, Su, Hu, Song and Liu 2024, definition 4 and lemma 7";
    /// Distance between the weights in the tokens and those of direct gradient descent, at the end of each run of a sweep over the width δ of the band.
    BAND = "band", "Distance by width δ of the band", "By δ", Lines;
}
