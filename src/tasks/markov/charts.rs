//! Charts of networks on sequences.

crate::charts! {
    /// All of them, in the order of links and switches.
    CHARTS;
    /// KL of the truth to the network at the last symbol, with what each strategy reaches and which one is nearest.
    TRUTH = "kl", "KL to the truth", "KL", Lines;
    /// KL of each strategy's prediction to the network's: which of them the network follows.
    STRATEGIES = "strategies", "KL to the strategies", "Follows", Lines;
    /// Attention to the previous symbol, and induction: attention from the last symbol to whatever followed its earlier occurrences.
    SCORES = "scores", "Previous-token and induction score", "Scores", Lines;
    /// Attention of one head on the chosen sequence: each row is a symbol that looks back.
    MAP = "map", "Attention map", "Map", Grid;
    /// Weight of each distance in the first layer, averaged over symbols, now and earlier; 1 is even.
    DISTANCES = "distances", "Effective positional weights", "Distances", Lines;
    /// KL to the truth without each head, beside that of the whole network.
    ABLATION = "ablation", "Loss without each head", "Without", Bars;
    /// KL to the truth on chains of each law, of which training may have seen one only.
    OTHERS = "others", "Other chains", "Others", Lines;
    /// Matrix W of the minimal model: how the current symbol weighs an earlier one.
    KERNEL = "kernel", "Matrix W", "W", Grid;
    /// Vector v of the minimal model over distances; odd ones rise before the loss falls.
    LAGS = "lags", "Vector v", "v", Bars;
    /// What the network, each strategy and the truth expect next on the chosen sequence.
    NEXT = "next", "Next symbol", "Next", Grid;
    /// W and v of the minimal model as two exact gradient steps make them, by theory.
    THEORY = "theory", "Theory of two steps", "Theory", Lines;
}
