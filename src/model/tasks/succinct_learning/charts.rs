//! Charts of networks that contain a learning algorithm.

crate::charts! {
    /// Every chart of this task, in the order of links and buttons.
    CHARTS;
    /// W, a table of weights trained by SGD: one row for each example. Each step of SGD changes one row.
    TABLE = "written", "Table written by SGD", "Table", Grid, "Goel et al. 2022, definition 5 and lemma 4";
    /// The gradient of the loss with respect to W in the newest step of SGD: 0 everywhere except in one row.
    GRADIENT = "slope", "Gradient of the newest SGD step", "Gradient", Grid, "Goel et al. 2022, lemmas 3 and 4";
    /// The cells of the network after the newest layer. Each cell shows its symbol; the head's cell also shows the program's state.
    CELLS = "gridcells", "Cells after the newest layer", "Grid", Grid, "Goel et al. 2022, appendices B.1 and B.2";
    /// Share of test inputs whose output f = Σ f_head is the program's answer after it has halted, and share for which f is also the label, after each step.
    ANSWERS = "answers", "Answers over the steps", "Answers", Lines, "Goel et al. 2022, definition 5 and lemma 2";
    /// The median number of layers until the program halts, for each run of a sweep, with the exponent of a fitted power law.
    TIMES = "bysize", "Running time by size", "By size", Lines, "Goel et al. 2022, theorem 1: one layer for each step of the program";
    /// Share of test inputs answered correctly at the end of each run of a sweep over the noise, or over the number of inputs, of examples or of validation queries.
    LEARNED = "learned", "Accuracy by size or noise", "Learned", Lines;
    /// How many of the tried rules have each combination of validation accuracy (row) and test accuracy (column).
    CLOUD = "cloud", "Rules tried", "Rules", Grid;
    /// The accuracy of the chosen rule on validation queries, test queries and queries with twice as many inputs and examples, after each restart of the search.
    CHOSEN = "chosen", "Accuracy of the chosen rule", "Chosen", Lines;
    /// The nine entries of the chosen rule: the new value of a cell, given its old value (row) and the value of the cell above it (column).
    RULE = "rule", "The chosen rule", "Rule", Grid;
}
