//! Maximum sizes of data sets, grids, programs and their texts.

/// Maximum number of states of a grid program, including the state HALT.
pub const MAX_PROGRAM_STATES: usize = 64;

/// Maximum number of symbols of a program, including the blank, `+` and `-`: the number of values of three ternary digits.
pub const MAX_PROGRAM_SYMBOLS: usize = 27;

/// Maximum number of rules of a program; a line counts once for each symbol that it reads.
pub const MAX_PROGRAM_RULES: usize = 1024;

/// Maximum length of a program's text, in bytes.
pub const MAX_PROGRAM_TEXT_BYTES: usize = 1 << 16;

/// Maximum length of a state's name, in characters.
pub const MAX_STATE_NAME_LENGTH: usize = 16;

/// Maximum number d of inputs of an example, so that a row of d + 1 bits fits into 64.
pub const MAX_EXAMPLE_INPUTS: usize = 63;

/// Maximum number m of examples of a data set.
pub const MAX_EXAMPLES: usize = 100;

/// Maximum probability of a wrong label; above one half, the opposite label would be correct more often.
pub const MAX_LABEL_NOISE: f64 = 0.5;

/// Maximum number of steps of a run of a grid program.
pub const MAX_PROGRAM_STEPS: u64 = 1 << 20;
