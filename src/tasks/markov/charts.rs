//! Charts of networks on sequences.

crate::charts! {
    /// All of them, in the order of links and switches.
    CHARTS;
    /// KL divergence between the true distribution and the network's prediction at the last symbol, with the KL of each strategy and the name of the nearest strategy.
    TRUTH = "kl", "KL to the truth", "KL", Lines;
    /// KL divergence between the prediction of each strategy and the network's prediction; the network is nearest to the strategy with the smallest KL.
    STRATEGIES = "strategies", "KL to the strategies", "Strategies", Lines;
    /// Previous-token score: attention to the previous symbol. Induction score: attention from the last symbol to the symbols after its earlier occurrences.
    SCORES = "scores", "Previous-token and induction scores", "Scores", Lines;
    /// Attention of one head on the chosen sequence: each row is a symbol that attends to earlier symbols.
    MAP = "map", "Attention map", "Map", Grid;
    /// Weight of each distance in the first layer, averaged over symbols, now and at earlier steps; if all distances have the same weight, this weight is 1.
    DISTANCES = "distances", "Effective positional weights", "Distances", Lines;
    /// For each head: KL divergence from the true distribution if this head is removed, compared with the KL of the whole network.
    ABLATION = "ablation", "KL without each head", "Ablation", Bars;
    /// KL divergence between the true distribution and the network's prediction, for each kind of chain; training may have used only one kind of chain.
    OTHERS = "others", "KL on each kind of chain", "Chains", Lines;
    /// Matrix W of the minimal model: the weight of an earlier symbol, given the current symbol.
    KERNEL = "kernel", "Matrix W", "W", Grid;
    /// Vector v of the minimal model by distance; the entries at odd distances rise before the loss falls.
    LAGS = "lags", "Vector v", "v", Bars;
    /// Probabilities of the next symbol of the chosen sequence: as predicted by the network and by each strategy, and the true probabilities.
    NEXT = "next", "Next symbol", "Next", Grid;
    /// W and v of the minimal model after exact gradient steps, computed from the theory; a setting gives the number of steps (usually two).
    THEORY = "theory", "Theory of two gradient steps", "Theory", Lines;
}
