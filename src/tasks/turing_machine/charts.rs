//! Charts of transformers that run a Turing machine.

crate::charts! {
    /// All of them, in the order of links and switches.
    CHARTS;
    /// Every token so far as a column: its numbers group by group, 0 or 1.
    COLUMNS = "columns", "Tokens, one for each step", "Columns", Grid;
    /// The tape of the ordinary simulator after every step, with the cell of the head.
    TAPE = "tape", "Tape over time, by the simulator", "Tape", Grid;
    /// How far the numbers of the token of this step are from 0 or 1 after each block, before rounding.
    STRAY = "stray", "Deviation from 0 and 1, by block", "By block", Bars;
    /// The largest deviation in each step, and in all steps so far.
    STRAYED = "strayed", "Deviation from 0 and 1", "Deviation", Lines;
    /// Past tokens that each block of this step attends to, one row for each block with attention.
    RECALL = "recall", "Attention to past tokens, block by block", "Recall", Grid;
    /// Share of the steps so far whose token equals the simulator's.
    CORRECT = "correct", "Correct steps", "Correct", Lines;
    /// First wrong step at the end of each run of a sweep over the noise σ.
    BY_NOISE = "bynoise", "First wrong step by noise σ", "By σ", Lines;
    /// First wrong step at the end of each run of a sweep over the inverse temperature β.
    BY_BETA = "bybeta", "First wrong step by softmax β", "By β", Lines;
    /// Blocks of the transformer in each run of a sweep over the steps T.
    DEPTH = "bysteps", "Blocks by steps T", "By T", Lines;
    /// One matrix of the block that is shown, with its noise.
    MATRIX = "matrix", "A matrix of the block shown", "Matrix", Grid;
}
