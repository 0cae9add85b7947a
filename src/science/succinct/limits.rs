//! How large data sets, grids, programs and their texts may be.

/// Most states of a program, HALT among them.
pub const MOST_STATES: usize = 64;

/// Most symbols of a program, the blank, `+` and `-` among them: as many as three digits of base 3 can tell apart.
pub const MOST_SYMBOLS: usize = 27;

/// Most rules of a text, each symbol that a line reads counted once.
pub const MOST_RULES: usize = 1024;

/// Most bytes of a text.
pub const MOST_TEXT: usize = 1 << 16;

/// Most characters of a state's name.
pub const MOST_LETTERS: usize = 16;

/// Most inputs d of an example: a row of bits fits in 64.
pub const MOST_INPUTS: usize = 63;

/// Most examples m of a data set.
pub const MOST_EXAMPLES: usize = 100;

/// Largest probability of a wrong label: above one half, the opposite label would be the right one more often.
pub const MOST_NOISE: f64 = 0.5;

/// Most steps of a run.
pub const MOST_STEPS: u64 = 1 << 20;
