//! How large circuits, networks and searches may be.

/// Gates that a circuit may have as it is written.
pub const MOST_GATES: usize = 400;
/// Inputs that a circuit may have.
pub const MOST_INPUTS: usize = 64;
/// Inputs of a circuit whose truth table is written: 2¹² rows.
pub const MOST_IN_TABLE: usize = 12;
/// Gates of a circuit in layers: inputs, gates and the ID gates that carry values.
pub const MOST_SIZE: usize = 20_000;
/// Bytes of a text that is read.
pub const MOST_TEXT: usize = 32_768;

/// Bits of a parity.
pub const MOST_IN_PARITY: usize = 32;
/// Bits of each of the two numbers that are added.
pub const MOST_IN_ADDER: usize = 16;
/// Bits of a majority.
pub const MOST_IN_MAJORITY: usize = 19;
/// Inputs of a random circuit.
pub const MOST_IN_RANDOM: usize = 16;

/// Parameters that a network may have, those of rounding apart.
pub const MOST_PARAMETERS: usize = 500_000;
/// Layers of the toy.
pub const MOST_IN_TOY: usize = 1_000;

/// Draws of noise in one measurement.
pub const MOST_DRAWS: usize = 256;

/// Starts that a search may follow.
pub const MOST_STARTS: usize = 64;
/// Steps that a search may take from each start.
pub const MOST_STEPS: usize = 1_000;

/// Characters that the text of a circuit takes in a link.
pub const MOST_IN_LINK: usize = 4_096;
/// Parameters that the network of a run may have: its search keeps more than ten lists of as many numbers.
pub const MOST_IN_RUN: usize = 20_000;
