//! Charts of networks on prompts of points.

crate::charts! {
    /// Every chart of this task, in the order of links and buttons.
    CHARTS;
    /// Share of the variance of the labels that the network explains at the last point of a prompt, over the training steps; compared with other methods.
    EXPLAINED = "explained", "R² at the last point", "R²", Lines, "Wu, Su, Hu, Song and Liu 2024, appendix G.1";
    /// R² over held-out prompts by number of examples, with 90 % confidence intervals of the mean, for the network and for the methods it is compared with.
    EXAMPLES = "examples", "R² by number of examples", "Examples", Lines, "Wu, Su, Hu, Song and Liu 2024, appendix G.1, figures 1 and 2";
    /// The examples of one held-out prompt, the true function, and the functions that the network and other methods predict from the examples shown.
    PROMPT = "prompt", "One prompt: examples and predictions", "Prompt", Lines;
    /// Attention of every head and layer on the prompt shown. Each row is a token that attends; each column is a token that receives attention.
    MAPS = "maps", "Attention maps", "Maps", Grid;
    /// R² at the last point of a prompt, after each run of a sweep (for example over the number of layers): medians with quartiles.
    DEPTH = "depth", "R² at the end of each run", "Depth", Lines, "Wu, Su, Hu, Song and Liu 2024, appendix G.2, figure 3";
}
