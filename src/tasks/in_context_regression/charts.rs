//! Charts of transformers that are gradient descent.

crate::charts! {
    /// All of them, in the order of links and switches.
    CHARTS;
    /// The loss L_n of the weights in the tokens and of direct descent on the same network, in double and in single precision.
    BOTH = "both", "Loss of transformer and direct descent", "Losses", Lines;
    /// Distance between the weights in the tokens and the weights of direct descent. For comparison: two bounds, and direct descent in single precision.
    APART = "apart", "Distance from direct gradient descent", "Distance", Lines;
    /// Every number of every token after the layer that is shown; the numbers that this layer reads and writes are outlined.
    TOKENS = "strip", "Tokens, number by number", "Tokens", Grid;
    /// Attention weights of one head of the layer that is shown: the weight with which each token adds the value of every other token.
    ACTING = "acting", "Attention in the layer shown", "Attention", Grid;
    /// The functions of the network stored in the tokens and of the network of direct descent, with the examples and the target function.
    FITTED = "fitted", "Fitted function", "Fit", Lines;
    /// Number of heads of each of the 2N + 4 layers of a step; for an MLP, the number of hidden units.
    HEADS = "layerheads", "Heads of each layer", "Layers", Bars;
    /// Distance between the weights in the tokens and those of direct descent, at the end of each run of a sweep over the number M of straight lines.
    KNOTS = "knots", "Distance by number of straight lines M", "By M", Lines;
    /// Distance between the weights in the tokens and the weights of direct descent, at the end of each run of a sweep over the band δ.
    BAND = "band", "Distance by band δ", "By δ", Lines;
}
