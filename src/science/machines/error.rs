//! Errors of machines, inputs and runs; each error displays as a sentence for the user.

use super::limits::{
    MAX_CELL, MAX_MACHINE_TEXT_BYTES, MAX_POSITION_BITS, MAX_RULES, MAX_RUN_STEPS, MAX_STATE_NAME_LENGTH,
    MAX_STATES, MAX_SYMBOLS,
};

/// Why a Turing machine's text cannot be parsed, or the machine cannot be run by a transformer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// The text has no rule.
    #[error("{}", tr!("the text has no rule; write one rule per line, for example A 0 → 1 R B"))]
    Empty,
    /// The text has more than [`MAX_MACHINE_TEXT_BYTES`] bytes.
    #[error("{}", tr!("the text must have at most {most} bytes", most = MAX_MACHINE_TEXT_BYTES))]
    TextTooLong,
    /// A line does not have the form of a rule.
    #[error("{}", tr!("line {line}: expected {expected}, found: {found}", line, expected, found))]
    InvalidRule {
        /// Number of the line in the machine's text, from 1.
        line: usize,
        /// Form of a rule in the notation of the text.
        expected: &'static str,
        /// Beginning of the invalid line.
        found: String,
    },
    /// A rule in two lines (notation with commas) has no second line.
    #[error("{}", tr!("line {line}: the rule needs a second line with the next state, the symbol to write and the move", line))]
    IncompleteRule {
        /// Number of the line in the machine's text, from 1.
        line: usize,
    },
    /// A line has an unknown word in the position of the move.
    #[error("{}", tr!("line {line}: unknown direction {found}; write L, R or S (stay)", line, found))]
    UnknownMove {
        /// Number of the line in the machine's text, from 1.
        line: usize,
        /// The invalid word of this line.
        found: String,
    },
    /// A symbol has several characters.
    #[error("{}", tr!("line {line}: a symbol must be one character, but {found} is longer", line, found))]
    SymbolTooLong {
        /// Number of the line in the machine's text, from 1.
        line: usize,
        /// The invalid word of this line.
        found: String,
    },
    /// A symbol is a character that separates rules or parts of a rule.
    #[error("{}", tr!("line {line}: the character {found} cannot be a symbol", line, found))]
    InvalidSymbol {
        /// Number of the line in the machine's text, from 1.
        line: usize,
        /// The invalid character.
        found: char,
    },
    /// The name of a state has more than [`MAX_STATE_NAME_LENGTH`] characters.
    #[error("{}", tr!("line {line}: the name of a state must have at most {most} characters", line, most = MAX_STATE_NAME_LENGTH))]
    StateNameTooLong {
        /// Number of the line in the machine's text, from 1.
        line: usize,
    },
    /// The name of a state is empty or contains a character that separates rules or parts of a rule.
    #[error("{}", tr!("line {line}: the name {found} cannot be used for a state", line, found))]
    InvalidStateName {
        /// Number of the line in the machine's text, from 1.
        line: usize,
        /// The name that causes the error.
        found: String,
    },
    /// Two rules are for the same state and symbol.
    #[error("{}", tr!("line {line}: state {state} with symbol {symbol} already has a rule, in line {first}", line, state, symbol, first))]
    DuplicateRule {
        /// Line number of the second rule.
        line: usize,
        /// Line number of the first rule.
        first: usize,
        /// Name of the state.
        state: String,
        /// Character of the symbol.
        symbol: char,
    },
    /// The machine has more than [`MAX_STATES`] states.
    #[error("{}", tr!("line {line}: this is state number {count}, but a machine must have at most {most} states", line, count = MAX_STATES + 1, most = MAX_STATES))]
    TooManyStates {
        /// Line with state number [`MAX_STATES`] + 1.
        line: usize,
    },
    /// The machine has more than [`MAX_SYMBOLS`] symbols.
    #[error("{}", tr!("line {line}: this is symbol number {count}, but a machine must have at most {most} symbols including the blank", line, count = MAX_SYMBOLS + 1, most = MAX_SYMBOLS))]
    TooManySymbols {
        /// Line with symbol number [`MAX_SYMBOLS`] + 1.
        line: usize,
    },
    /// The text has more than [`MAX_RULES`] rules.
    #[error("{}", tr!("line {line}: the text must have at most {most} rules", line, most = MAX_RULES))]
    TooManyRules {
        /// Line with rule number [`MAX_RULES`] + 1.
        line: usize,
    },
    /// The start state has no rule, so that the machine would make no step.
    #[error("{}", tr!("the start state {state} has no rule", state))]
    StartWithoutRule {
        /// Name of the state.
        state: String,
    },
    /// A line `accept: name` names a state that appears in no rule.
    #[error("{}", tr!("line {line}: the accepting state {state} appears in no rule", line, state))]
    UnknownAcceptingState {
        /// Number of the line in the machine's text, from 1.
        line: usize,
        /// Name of the state.
        state: String,
    },
    /// A character of the input is not a symbol of the machine.
    #[error("{}", tr!("the input has the symbol {found}, but the machine has only these symbols: {known}", found, known))]
    UnknownInputSymbol {
        /// The invalid character.
        found: char,
        /// All symbols of the machine.
        known: String,
    },
    /// The head leaves the tape at the left end.
    #[error("{}", tr!("the head leaves the tape on the left at step {step}; choose {needed} or more as the start cell", step, needed))]
    HeadLeavesTape {
        /// Number of the step that leaves the tape, from 1.
        step: u64,
        /// Smallest start cell for which the head stays on the tape.
        needed: u64,
    },
    /// The start cell or the last cell of the input is greater than [`MAX_CELL`].
    #[error("{}", tr!("the start cell or the last symbol of the input is at cell {cell}, but the largest allowed cell is {most}", cell, most = MAX_CELL))]
    CellTooLarge {
        /// The cell number, which is too large.
        cell: u64,
    },
    /// The number of steps is 0 or greater than [`MAX_RUN_STEPS`].
    #[error("{}", tr!("the number of steps must be from 1 to {most}, but it is {found}", most = MAX_RUN_STEPS, found))]
    StepsOutOfRange {
        /// The requested number of steps.
        found: u64,
    },
    /// The number of bits of a position is out of range.
    #[error("{}", tr!("the number of bits of a position must be from {least} to {most} in this run, but it is {found}", least = min, most = MAX_POSITION_BITS, found))]
    PositionBitsOutOfRange {
        /// Smallest allowed number of bits.
        min: u32,
        /// The requested number of bits.
        found: u32,
    },
}
