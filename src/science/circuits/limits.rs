//! Maximum sizes of circuits, networks and searches.

/// Maximum number of gates in the text of a circuit.
pub const MAX_GATES: usize = 400;
/// Maximum number of inputs of a circuit.
pub const MAX_INPUTS: usize = 64;
/// Maximum number of inputs of a circuit for a truth table, which then has 2¹² rows.
pub const MAX_TRUTH_TABLE_INPUTS: usize = 12;
/// Maximum number of gates of a layered circuit, including inputs and inserted ID gates.
pub const MAX_LAYERED_GATES: usize = 20_000;
/// Maximum length of a circuit's text, in bytes.
pub const MAX_CIRCUIT_TEXT_BYTES: usize = 32_768;

/// Maximum number of input bits of a parity circuit.
pub const MAX_PARITY_BITS: usize = 32;
/// Maximum number of bits of each of the two numbers that an adder adds.
pub const MAX_ADDER_BITS: usize = 16;
/// Maximum number of input bits of a majority circuit.
pub const MAX_MAJORITY_BITS: usize = 19;
/// Maximum number of inputs of a random circuit.
pub const MAX_RANDOM_INPUTS: usize = 16;

/// Maximum number of parameters of a network, without those of rounding.
pub const MAX_NETWORK_PARAMETERS: usize = 500_000;
/// Maximum number of weights of the toy network, which has one weight per layer.
pub const MAX_TOY_DEPTH: usize = 1_000;

/// Maximum number of random noise directions that one search for the smallest perturbation tries.
pub const MAX_NOISE_DRAWS: usize = 256;

/// Maximum number of starting points on the decision boundary from which one search for the smallest perturbation
/// descends.
pub const MAX_SEARCH_STARTS: usize = 64;
/// Maximum number of steps of the descent along the decision boundary from one starting point.
pub const MAX_DESCENT_STEPS: usize = 1_000;

/// Maximum number of characters that the text of a circuit takes in a link.
pub const MAX_LINK_CHARACTERS: usize = 4_096;
/// Maximum number of parameters of the network of a run on the page or the command line, whose search for the smallest
/// perturbation stores more than ten vectors of this length.
pub const MAX_RUN_PARAMETERS: usize = 20_000;
