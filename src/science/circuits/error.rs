//! Errors of circuits and their networks.

use super::limits::{
    MAX_CIRCUIT_TEXT_BYTES, MAX_GATES, MAX_INPUTS, MAX_LAYERED_GATES, MAX_NETWORK_PARAMETERS,
    MAX_RUN_PARAMETERS, MAX_TRUTH_TABLE_INPUTS,
};

/// Why a circuit or network cannot be built or evaluated. Lines are numbered from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CircuitError {
    /// The text contains no gate.
    #[error("{}", tr!("the circuit has no gate; write a gate on a line, for example “out = a and b”"))]
    Empty,
    /// The text has this number of bytes, more than [`MAX_CIRCUIT_TEXT_BYTES`].
    #[error("{}", tr!("the text must have at most {most} bytes, but it has {found}", found = _0, most = MAX_CIRCUIT_TEXT_BYTES))]
    TextTooLong(usize),
    /// This line does not have the form of a gate.
    #[error("{}", tr!("line {line} is not a gate; write a gate as “s = a and b”, “s = a or b”, “s = not a” or “s = a”", line = _0))]
    MalformedGate(usize),
    /// A line has an unknown word in the position of a gate's keyword.
    #[error("{}", tr!("line {line}: there is no gate “{gate}”; the gates are “and”, “or”, “not” and “id”", line, gate))]
    UnknownGate {
        /// Number of the line in the circuit's text, from 1.
        line: usize,
        /// The invalid word of this line.
        gate: String,
    },
    /// A line has a word that cannot be a name in the position of a name.
    #[error("{}", tr!("line {line}: “{name}” cannot be a name; a name must consist of letters, digits and _, must not begin with a digit, must have at most 32 characters, and must not be “and”, “or”, “not”, “id” or “inputs”", line, name))]
    InvalidName {
        /// Number of the line in the circuit's text, from 1.
        line: usize,
        /// The invalid word of this line.
        name: String,
    },
    /// Two lines define gates of the same name.
    #[error("{}", tr!("line {line}: {name} is already assigned in line {first}", line, name, first))]
    DuplicateGate {
        /// Second of the two lines.
        line: usize,
        /// The name that causes the error.
        name: String,
        /// First of the two lines.
        first: usize,
    },
    /// A gate has the name of a listed input.
    #[error("{}", tr!("line {line}: {name} is an input, and no gate may have the name of an input", line, name))]
    AssignedInput {
        /// Line of the gate.
        line: usize,
        /// The name that causes the error.
        name: String,
    },
    /// The list of inputs contains a name twice.
    #[error("{}", tr!("line {line}: the input {name} is listed twice", line, name))]
    DuplicateInput {
        /// Number of the line in the circuit's text, from 1.
        line: usize,
        /// The name that causes the error.
        name: String,
    },
    /// This line is a second list of inputs.
    #[error("{}", tr!("line {line}: the inputs are already listed in a line above", line = _0))]
    SecondInputList(usize),
    /// A gate reads a name that is neither a listed input nor a gate.
    #[error("{}", tr!("line {line}: {name} is neither in the list of inputs nor assigned in any line", line, name))]
    UnknownName {
        /// Line of the gate that reads the name.
        line: usize,
        /// The name that causes the error.
        name: String,
    },
    /// A gate depends on its own value.
    #[error("{}", tr!("line {line}: {name} depends on its own value", line, name))]
    Cycle {
        /// First line of the cycle.
        line: usize,
        /// Name of the gate of this line.
        name: String,
    },
    /// This line has gate number [`MAX_GATES`] + 1.
    #[error("{}", tr!("line {line}: a circuit must have at most {most} gates", line = _0, most = MAX_GATES))]
    TooManyGates(usize),
    /// This line has input number [`MAX_INPUTS`] + 1.
    #[error("{}", tr!("line {line}: a circuit must have at most {most} inputs", line = _0, most = MAX_INPUTS))]
    TooManyInputs(usize),
    /// The layers have this number of gates, more than [`MAX_LAYERED_GATES`].
    #[error("{}", tr!("arranged in layers, the circuit has {found} gates including ID gates; at most {most} are allowed", found = _0, most = MAX_LAYERED_GATES))]
    TooManyLayeredGates(u64),
    /// The circuit has this number of inputs, more than [`MAX_TRUTH_TABLE_INPUTS`].
    #[error("{}", tr!("a circuit with a truth table must have at most {most} inputs, but this circuit has {found}", found = _0, most = MAX_TRUTH_TABLE_INPUTS))]
    TruthTableTooLong(usize),
    /// The number of input bits differs from the number of inputs.
    #[error("{}", tr!("the circuit has {expected} inputs, but there are {found} bits", expected, found))]
    InputLength {
        /// Number of inputs of the circuit.
        expected: usize,
        /// Number of input bits.
        found: usize,
    },
    /// A parameter vector has the wrong length.
    #[error("{}", tr!("the network has {expected} parameters, but there are {found} numbers", expected, found))]
    ParameterLength {
        /// Number of parameters of the network.
        expected: usize,
        /// Length of the vector.
        found: usize,
    },
    /// A size of a circuit, toy network or search is out of range.
    #[error("{}", tr!("the number must be from {least} to {most}, but it is {found}", least = min, most = max, found))]
    NumberOutOfRange {
        /// Smallest allowed number.
        min: usize,
        /// Largest allowed number.
        max: usize,
        /// The number out of range.
        found: usize,
    },
    /// The network would have this number of parameters, more than [`MAX_NETWORK_PARAMETERS`].
    #[error("{}", tr!("the network must have at most {most} parameters, but it would have {found}", found = _0, most = MAX_NETWORK_PARAMETERS))]
    TooManyParameters(u64),
    /// The network of a run would have this number of parameters, more than [`MAX_RUN_PARAMETERS`].
    #[error("{}", tr!("the network of a run must have at most {most} parameters, but this network would have {found}", found = _0, most = MAX_RUN_PARAMETERS))]
    TooManyRunParameters(u64),
}

impl CircuitError {
    /// Line number, from 1, of the circuit's text where the error is; `None` if no single line causes it.
    pub fn line(&self) -> Option<usize> {
        match self {
            CircuitError::MalformedGate(line)
            | CircuitError::UnknownGate { line, .. }
            | CircuitError::InvalidName { line, .. }
            | CircuitError::DuplicateGate { line, .. }
            | CircuitError::AssignedInput { line, .. }
            | CircuitError::DuplicateInput { line, .. }
            | CircuitError::SecondInputList(line)
            | CircuitError::UnknownName { line, .. }
            | CircuitError::Cycle { line, .. }
            | CircuitError::TooManyGates(line)
            | CircuitError::TooManyInputs(line) => Some(*line),
            _ => None,
        }
    }
}

/// Returns `found` if it is from `min` to `max`, both included; otherwise a [`CircuitError`] that names the range.
pub(super) fn check_range(found: usize, min: usize, max: usize) -> Result<usize, CircuitError> {
    let fits = (min..=max).contains(&found);
    fits.then_some(found).ok_or(CircuitError::NumberOutOfRange { min, max, found })
}
