//! What can be wrong with a machine, its input or its run, each as a sentence for the person who wrote it.

use super::limits::{
    MOST_CELL, MOST_LETTERS, MOST_POSITION_BITS, MOST_RULES, MOST_STATES, MOST_STEPS, MOST_SYMBOLS, MOST_TEXT,
};

/// Something that must be changed before a machine can run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Mistake {
    /// The text has no rule.
    #[error("{}", tr!("the text has no rule; write one rule per line, for example A 0 → 1 R B"))]
    Empty,
    /// The text is too long to be read.
    #[error("{}", tr!("the text must have at most {most} bytes", most = MOST_TEXT))]
    LongText,
    /// A line that is not a rule.
    #[error("{}", tr!("line {line}: expected {expected}, found: {found}", line, expected, found))]
    NotARule {
        /// The line, from 1.
        line: usize,
        /// What a rule looks like in this form.
        expected: &'static str,
        /// The line as it stands.
        found: String,
    },
    /// A rule of the comma form that lacks its other line.
    #[error("{}", tr!("line {line}: the rule needs a second line with the next state, the symbol to write and the move", line))]
    HalfARule {
        /// The line, from 1.
        line: usize,
    },
    /// A move that is none.
    #[error("{}", tr!("line {line}: unknown direction {found}; write L, R or S (stay)", line, found))]
    Direction {
        /// The line, from 1.
        line: usize,
        /// What stands there.
        found: String,
    },
    /// A symbol of several characters.
    #[error("{}", tr!("line {line}: a symbol must be one character, but {found} is longer", line, found))]
    LongSymbol {
        /// The line, from 1.
        line: usize,
        /// What stands there.
        found: String,
    },
    /// A character that separates rules or parts of a rule.
    #[error("{}", tr!("line {line}: the character {found} cannot be a symbol", line, found))]
    Symbol {
        /// The line, from 1.
        line: usize,
        /// The character.
        found: char,
    },
    /// A state whose name is too long.
    #[error("{}", tr!("line {line}: the name of a state must have at most {most} characters", line, most = MOST_LETTERS))]
    LongName {
        /// The line, from 1.
        line: usize,
    },
    /// A name with a character that separates rules or parts of a rule.
    #[error("{}", tr!("line {line}: the name {found} cannot be used for a state", line, found))]
    Name {
        /// The line, from 1.
        line: usize,
        /// The name.
        found: String,
    },
    /// Two rules for one state and symbol.
    #[error("{}", tr!("line {line}: state {state} with symbol {symbol} already has a rule, in line {first}", line, state, symbol, first))]
    TwoRules {
        /// The line of the second rule, from 1.
        line: usize,
        /// The line of the first rule.
        first: usize,
        /// The state.
        state: String,
        /// The symbol.
        symbol: char,
    },
    /// More states than a machine may have.
    #[error("{}", tr!("line {line}: this is state number {count}, but a machine must have at most {most} states", line, count = MOST_STATES + 1, most = MOST_STATES))]
    States {
        /// The line of the first state that is too much.
        line: usize,
    },
    /// More symbols than a machine may have.
    #[error("{}", tr!("line {line}: this is symbol number {count}, but a machine must have at most {most} symbols including the blank", line, count = MOST_SYMBOLS + 1, most = MOST_SYMBOLS))]
    Symbols {
        /// The line of the first symbol that is too much.
        line: usize,
    },
    /// More rules than are read.
    #[error("{}", tr!("line {line}: the text must have at most {most} rules", line, most = MOST_RULES))]
    Rules {
        /// The line of the first rule that is too much.
        line: usize,
    },
    /// The start state has no rule, so that nothing would ever happen.
    #[error("{}", tr!("the start state {state} has no rule", state))]
    Start {
        /// The state.
        state: String,
    },
    /// A state that is said to accept, but appears in no rule.
    #[error("{}", tr!("line {line}: the accepting state {state} appears in no rule", line, state))]
    Accepting {
        /// The line, from 1.
        line: usize,
        /// The state.
        state: String,
    },
    /// A character of the input that the machine does not know.
    #[error("{}", tr!("the input has the symbol {found}, but the machine has only these symbols: {known}", found, known))]
    Input {
        /// The character.
        found: char,
        /// The machine's symbols.
        known: String,
    },
    /// The head would leave the tape.
    #[error("{}", tr!("the head leaves the tape on the left at step {step}; choose {needed} or more as the start cell", step, needed))]
    OffTheTape {
        /// The step, from 1.
        step: u64,
        /// The least start cell with which all steps stay on the tape.
        needed: u64,
    },
    /// A start cell or an input that is too far to the right.
    #[error("{}", tr!("the start cell or the last symbol of the input is at cell {cell}, but the largest allowed cell is {most}", cell, most = MOST_CELL))]
    Cell {
        /// The cell.
        cell: u64,
    },
    /// No step, or too many.
    #[error("{}", tr!("the number of steps must be from 1 to {most}, but it is {found}", most = MOST_STEPS, found))]
    Steps {
        /// How many were asked for.
        found: u64,
    },
    /// Positions with no bit, or with too many.
    #[error("{}", tr!("the number of bits of a position must be from {least} to {most} in this run, but it is {found}", least, most = MOST_POSITION_BITS, found))]
    PositionBits {
        /// Fewest bits that hold the last step and the largest cell.
        least: u32,
        /// How many were asked for.
        found: u32,
    },
}
