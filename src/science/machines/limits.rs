//! How large machines, their texts and their runs may be.

/// Most states of a machine.
pub const MOST_STATES: usize = 24;

/// Most symbols of a machine, the blank among them.
pub const MOST_SYMBOLS: usize = 8;

/// Most rules of a text.
pub const MOST_RULES: usize = 1000;

/// Most bytes of a text.
pub const MOST_TEXT: usize = 1 << 16;

/// Most characters of a state's name.
pub const MOST_LETTERS: usize = 32;

/// Most steps of a run that is kept.
pub const MOST_STEPS: usize = 10_000;

/// The last cell where an input may stand.
pub const MOST_CELL: u64 = 1 << 14;

/// Most bits of a position: they hold the largest cell, [`MOST_CELL`] and
/// [`MOST_STEPS`] together.
pub const MOST_POSITION_BITS: u32 = 15;
