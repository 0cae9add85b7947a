//! What can be wrong with a circuit, or with a request for one.

use super::limits::{
    MOST_GATES, MOST_IN_RUN, MOST_IN_TABLE, MOST_INPUTS, MOST_PARAMETERS, MOST_SIZE, MOST_TEXT,
};

/// Why there is no such circuit or network. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CircuitError {
    /// A text without a gate.
    #[error("{}", tr!("the circuit has no gate; write a gate on a line, for example “out = a and b”"))]
    Empty,
    /// A text that is too long to be read.
    #[error("{}", tr!("the text must have at most {most} bytes, but it has {found}", found = _0, most = MOST_TEXT))]
    Text(usize),
    /// A line that is no gate.
    #[error("{}", tr!("line {line} is not a gate; write a gate as “s = a and b”, “s = a or b”, “s = not a” or “s = a”", line = _0))]
    Form(usize),
    /// A word in the place of a gate that is none.
    #[error("{}", tr!("line {line}: there is no gate “{gate}”; the gates are “and”, “or”, “not” and “id”", line, gate))]
    Gate {
        /// Where it stands.
        line: usize,
        /// The word.
        gate: String,
    },
    /// A word in the place of a name that is none.
    #[error("{}", tr!("line {line}: “{name}” cannot be a name; a name must consist of letters, digits and _, must not begin with a digit, must have at most 32 characters, and must not be “and”, “or”, “not”, “id” or “inputs”", line, name))]
    Name {
        /// Where it stands.
        line: usize,
        /// The word.
        name: String,
    },
    /// A name that two lines assign.
    #[error("{}", tr!("line {line}: {name} is already assigned in line {first}", line, name, first))]
    Twice {
        /// The second of the two lines.
        line: usize,
        /// The name.
        name: String,
        /// The first of the two lines.
        first: usize,
    },
    /// A gate with the name of an input.
    #[error("{}", tr!("line {line}: {name} is an input, and no gate may have the name of an input", line, name))]
    Assigned {
        /// The gate's line.
        line: usize,
        /// The name.
        name: String,
    },
    /// A name that the line of inputs has twice.
    #[error("{}", tr!("line {line}: the input {name} is listed twice", line, name))]
    InputTwice {
        /// Where it stands.
        line: usize,
        /// The name.
        name: String,
    },
    /// A second line of inputs.
    #[error("{}", tr!("line {line}: the inputs are already listed in a line above", line = _0))]
    Inputs(usize),
    /// A name that is neither listed as an input nor assigned.
    #[error("{}", tr!("line {line}: {name} is neither in the list of inputs nor assigned in any line", line, name))]
    Unknown {
        /// Where it is read.
        line: usize,
        /// The name.
        name: String,
    },
    /// A gate that reads its own value.
    #[error("{}", tr!("line {line}: {name} depends on its own value", line, name))]
    Cycle {
        /// A line of the cycle.
        line: usize,
        /// What it assigns.
        name: String,
    },
    /// More gates than a circuit may have.
    #[error("{}", tr!("line {line}: a circuit must have at most {most} gates", line = _0, most = MOST_GATES))]
    TooManyGates(usize),
    /// More inputs than a circuit may have.
    #[error("{}", tr!("line {line}: a circuit must have at most {most} inputs", line = _0, most = MOST_INPUTS))]
    TooManyInputs(usize),
    /// A layered circuit that is too large.
    #[error("{}", tr!("arranged in layers, the circuit has {found} gates including ID gates; at most {most} are allowed", found = _0, most = MOST_SIZE))]
    TooLarge(u64),
    /// A truth table that is too long.
    #[error("{}", tr!("a circuit with a truth table must have at most {most} inputs, but this circuit has {found}", found = _0, most = MOST_IN_TABLE))]
    Table(usize),
    /// Bits for another number of inputs.
    #[error("{}", tr!("the circuit has {expected} inputs, but there are {found} bits", expected, found))]
    Bits {
        /// Inputs of the circuit.
        expected: usize,
        /// Bits that were given.
        found: usize,
    },
    /// A vector of parameters of another network.
    #[error("{}", tr!("the network has {expected} parameters, but there are {found} numbers", expected, found))]
    Theta {
        /// Parameters of the network.
        expected: usize,
        /// Numbers that were given.
        found: usize,
    },
    /// A number that a named circuit or a toy does not allow.
    #[error("{}", tr!("the number must be from {least} to {most}, but it is {found}", least, most, found))]
    Number {
        /// Smallest number allowed.
        least: usize,
        /// Largest number allowed.
        most: usize,
        /// What was asked for.
        found: usize,
    },
    /// A network that is too large.
    #[error("{}", tr!("the network must have at most {most} parameters, but it would have {found}", found = _0, most = MOST_PARAMETERS))]
    Parameters(u64),
    /// A network that is too large to be searched in a run.
    #[error("{}", tr!("the network of a run must have at most {most} parameters, but this network would have {found}", found = _0, most = MOST_IN_RUN))]
    Run(u64),
}

impl CircuitError {
    /// The line that it is about, from 1; none where it is about the whole.
    pub fn line(&self) -> Option<usize> {
        match self {
            CircuitError::Form(line)
            | CircuitError::Gate { line, .. }
            | CircuitError::Name { line, .. }
            | CircuitError::Twice { line, .. }
            | CircuitError::Assigned { line, .. }
            | CircuitError::InputTwice { line, .. }
            | CircuitError::Inputs(line)
            | CircuitError::Unknown { line, .. }
            | CircuitError::Cycle { line, .. }
            | CircuitError::TooManyGates(line)
            | CircuitError::TooManyInputs(line) => Some(*line),
            _ => None,
        }
    }
}

/// The number itself where it lies from `least` to `most`.
pub(super) fn within(found: usize, least: usize, most: usize) -> Result<usize, CircuitError> {
    let fits = (least..=most).contains(&found);
    fits.then_some(found).ok_or(CircuitError::Number { least, most, found })
}
