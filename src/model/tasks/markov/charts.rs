//! Charts of networks on sequences.

crate::charts! {
    /// Every chart of this task, in the order of links and buttons.
    CHARTS;
    /// KL divergence between the true distribution and the network's prediction at the last symbol, with the KL of each strategy and of the Bayes-optimal prediction.
    TRUTH = "kl", "KL to the truth", "KL", Lines, "Edelman 2024, figures 8.3 and 8.5; lines of the strategies: section 8.2.2 and equation 8.3; Bayes-optimal line: equation 8.3 with the stationary first symbol of remark 8.1";
    /// KL divergence between the prediction of each strategy and the network's prediction; the network is nearest to the strategy with the smallest KL.
    STRATEGIES = "strategies", "KL to the strategies", "Strategies", Lines, "Edelman 2024, figures 8.1 and 8.3 (right); strategies: section 8.2.2";
    /// Previous-token score: attention to the previous symbol. Induction score: attention from the last symbol to the symbols after its earlier occurrences.
    SCORES = "scores", "Previous-token and induction scores", "Scores", Lines, "Olsson et al. 2022; attention of the layers: Edelman 2024, figure 8.2";
    /// Attention of one head on the chosen sequence: each row is a symbol that attends to earlier symbols.
    MAP = "map", "Attention map", "Map", Grid, "Edelman 2024, figure 8.2";
    /// Weight of each distance in the first layer, averaged over symbols, now and at earlier steps; if all distances have the same weight, this weight is 1.
    DISTANCES = "distances", "Effective positional weights", "Distances", Lines, "Edelman 2024, section 8.3.2 and figures 8.3 (middle) and E.7";
    /// For each head: KL divergence from the true distribution if this head is removed, compared with the KL of the whole network.
    ABLATION = "ablation", "KL without each head", "Ablation", Bars;
    /// KL divergence between the true distribution and the network's prediction, for each kind of chain; training may have used only one kind of chain.
    OTHERS = "others", "KL on each kind of chain", "Chains", Lines, "Edelman 2024, figure E.6";
    /// Length of the loss gradient with respect to the weights of each layer, on the next batch of training sequences.
    GRADIENTS = "gradients", "Gradient by layer", "Gradients", Lines, "Edelman 2024, section 8.1 (alignment of layers) and lemma 8.4";
    /// KL to the truth of networks that have the first layer of one training step (row) and all other weights of another step (column).
    SWAPS = "swaps", "Layers of different steps", "Swaps", Grid, "Edelman 2024, section 8.3.2 (the second layer is learned first)";
    /// Matrix W of the minimal model: the weight of an earlier symbol, given the current symbol.
    KERNEL = "kernel", "Matrix W", "W", Grid, "Edelman 2024, equation 8.8 and figure 8.4b (left)";
    /// Vector v of the minimal model by distance.
    LAGS = "lags", "Vector v", "v", Bars, "Edelman 2024, equation 8.8 and figure 8.4b (right)";
    /// Probabilities of the next symbol of the chosen sequence: those of the network, of each strategy and of the Bayes-optimal prediction, and the true ones.
    NEXT = "next", "Next symbol", "Next", Grid;
    /// W and v of the minimal model after exact gradient steps, computed from the theory; a setting gives the number of steps (usually two).
    THEORY = "theory", "Theory of two gradient steps", "Theory", Lines, "Edelman 2024, lemma 8.4, proposition E.3 and figures E.1 and E.2";
}
