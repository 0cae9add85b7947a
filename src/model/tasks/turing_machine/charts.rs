//! Charts of transformers that run a Turing machine.

crate::charts! {
    /// Every chart of this task, in the order of links and buttons.
    CHARTS;
    /// Each column is a token. Its rows are the numbers of the token, group by group; without errors each number is 0 or 1.
    COLUMNS = "columns", "Tokens, one for each step", "Columns", Grid, "Wei, Chen and Ma 2022, section 4.1 and appendix C.1";
    /// The machine's tape after every step, computed by an ordinary simulator, with the position of the head.
    TAPE = "tape", "Tape of the simulator over time", "Tape", Grid;
    /// For each block of the newest step: the largest distance of a number from the nearer of 0 and 1, before rounding.
    STRAY = "stray", "Deviation from 0 and 1, by block", "By block", Bars, "Wei, Chen and Ma 2022, proposition 3.4";
    /// The largest distance of a number from the nearer of 0 and 1: in each step, and in all steps so far.
    STRAYED = "strayed", "Deviation from 0 and 1", "Deviation", Lines, "Wei, Chen and Ma 2022, proposition 3.4";
    /// Attention weights of the newest step on past tokens. Each row is a block that has attention to past tokens.
    RECALL = "recall", "Attention to past tokens, block by block", "Attention", Grid, "Wei, Chen and Ma 2022, claims C.4 to C.6";
    /// Share of the steps so far in which the token agrees with the simulator.
    CORRECT = "correct", "Correct steps", "Correct", Lines;
    /// For each run of a sweep over the noise σ: the first step at which a token is wrong.
    BY_NOISE = "bynoise", "First wrong step by noise σ", "By σ", Lines;
    /// For each run of a sweep over the inverse temperature β: the first step at which a token is wrong.
    BY_BETA = "bybeta", "First wrong step by softmax β", "By β", Lines;
    /// Number of blocks of the transformer in each run of a sweep over the largest number of steps, T.
    DEPTH = "bysteps", "Number of blocks by number of steps T", "By T", Lines, "Wei, Chen and Ma 2022, theorem 4.1";
    /// One weight matrix of the block that is shown, including the noise on the weights.
    MATRIX = "matrix", "A matrix of the block shown", "Matrix", Grid, "Wei, Chen and Ma 2022, lemmas C.1 to C.8";
}
