//! Charts of networks that contain a learning algorithm.

crate::charts! {
    /// All of them, in the order of links and switches.
    CHARTS;
    /// W, a table of weights trained by SGD: one row for each example. Each step of SGD changes one row.
    TABLE = "written", "Table written by SGD", "Table", Grid;
    /// The gradient of the loss with respect to W in the newest step of SGD: 0 everywhere except in one row.
    GRADIENT = "slope", "Gradient of the newest SGD step", "Gradient", Grid;
    /// The cells of the network after the newest layer. Each cell shows its symbol; the head's cell also shows the program's state.
    CELLS = "gridcells", "Cells after the newest layer", "Grid", Grid;
    /// The share of test inputs for which the program has halted with an answer, and the share of test inputs answered correctly, after each step.
    ANSWERS = "answers", "Answers over the steps", "Answers", Lines;
    /// The median number of layers until the program halts, for each run of a sweep, with the exponent of a fitted power law.
    TIMES = "bysize", "Running time by size", "By size", Lines;
    /// Share of test inputs answered correctly at the end of each run of a sweep over the noise, or over the number of inputs, of examples or of validation queries.
    LEARNED = "learned", "Accuracy by size or noise", "Learned", Lines;
    /// How many of the tried rules have each combination of validation accuracy (row) and test accuracy (column).
    CLOUD = "cloud", "Rules tried", "Rules", Grid;
    /// The accuracy of the chosen rule on validation queries, test queries and queries with twice as many inputs and examples, after each restart of the search.
    CHOSEN = "chosen", "Accuracy of the chosen rule", "Chosen", Lines;
    /// The nine entries of the chosen rule: the new value of a cell, given its old value (row) and the value of the cell above it (column).
    RULE = "rule", "The chosen rule", "Rule", Grid;
}
