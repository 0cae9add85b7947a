//! Maximum sizes of machines, their texts and their runs.

/// Maximum number of states of a machine.
pub const MAX_STATES: usize = 24;

/// Maximum number of symbols of a machine, including the blank.
pub const MAX_SYMBOLS: usize = 8;

/// Maximum number of rules in the text of a machine.
pub const MAX_RULES: usize = 1000;

/// Maximum length of the text of a machine, in bytes.
pub const MAX_MACHINE_TEXT_BYTES: usize = 1 << 16;

/// Maximum length of a state's name, in characters.
pub const MAX_STATE_NAME_LENGTH: usize = 32;

/// Maximum number of machine steps of a run.
pub const MAX_RUN_STEPS: usize = 10_000;

/// Largest cell number of an input symbol or the start cell.
pub const MAX_CELL: u64 = 1 << 14;

/// Maximum number of bits of a position: enough for the largest cell, [`MAX_CELL`] + [`MAX_RUN_STEPS`].
pub const MAX_POSITION_BITS: u32 = 15;
