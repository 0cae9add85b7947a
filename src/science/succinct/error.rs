//! What can be wrong with a program's text, a data set or a grid, each as a sentence for the person who wrote it.

use super::limits::{
    MOST_EXAMPLES, MOST_INPUTS, MOST_LETTERS, MOST_NOISE, MOST_RULES, MOST_STATES, MOST_STEPS, MOST_SYMBOLS,
    MOST_TEXT,
};

/// Something that must be changed before a program can be read or run, or data can be drawn. Lines, rows and columns are
/// counted from 1; row 0 and column 0 are the ring.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Mistake {
    /// The text has no rule.
    #[error("{}", tr!("the text has no rule; write one rule per line, for example A + → - L B"))]
    Empty,
    /// The text is too long to be read.
    #[error("{}", tr!("the text must have at most {most} bytes", most = MOST_TEXT))]
    LongText,
    /// A line that is not a rule.
    #[error("{}", tr!("line {line}: expected state, symbols read → symbol to write, move, next state, found: {found}", line, found))]
    NotARule {
        /// The line.
        line: usize,
        /// The line as it stands, cut if it is long.
        found: String,
    },
    /// A move that is none.
    #[error("{}", tr!("line {line}: unknown move {found}; write U, D, L, R or S (stay)", line, found))]
    Direction {
        /// The line.
        line: usize,
        /// What stands there.
        found: String,
    },
    /// A character with a meaning of its own.
    #[error("{}", tr!("line {line}: the character {found} has a special meaning and must not be in a list of symbols", line, found))]
    Symbol {
        /// The line.
        line: usize,
        /// The character.
        found: char,
    },
    /// A symbol that a line reads twice.
    #[error("{}", tr!("line {line}: the symbol {found} is listed twice", line, found))]
    SymbolTwice {
        /// The line.
        line: usize,
        /// The symbol.
        found: char,
    },
    /// A line that does not say what each symbol becomes.
    #[error("{}", tr!("line {line}: number of symbols read: {read}, number of symbols to write: {written}; as symbols to write, give *, one symbol, or as many symbols as are read", line, read, written))]
    Written {
        /// The line.
        line: usize,
        /// How many symbols are read; 1 for `*`.
        read: usize,
        /// How many are written.
        written: usize,
    },
    /// A state whose name is too long.
    #[error("{}", tr!("line {line}: the name of a state must have at most {most} characters", line, most = MOST_LETTERS))]
    LongName {
        /// The line.
        line: usize,
    },
    /// A name that no state may have.
    #[error("{}", tr!("line {line}: the name {found} cannot be used for a state", line, found))]
    Name {
        /// The line.
        line: usize,
        /// The name.
        found: String,
    },
    /// Two rules for one state and symbol.
    #[error("{}", tr!("line {line}: state {state} with symbol {symbol} already has a rule, in line {first}", line, state, symbol, first))]
    TwoRules {
        /// The line of the second rule.
        line: usize,
        /// The line of the first rule.
        first: usize,
        /// The state.
        state: String,
        /// The symbol; `*` for a second rule for all other symbols.
        symbol: char,
    },
    /// More states than a program may have.
    #[error("{}", tr!("line {line}: the program must have at most {most} states", line, most = MOST_STATES))]
    States {
        /// The line of the first state that is too much.
        line: usize,
    },
    /// More symbols than a program may have.
    #[error("{}", tr!("line {line}: the program must have at most {most} symbols, including _, + and -", line, most = MOST_SYMBOLS))]
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
    /// A rule for the state in which runs end.
    #[error("{}", tr!("line {line}: the state HALT ends the run and must not have a rule", line))]
    RuleOfHalt {
        /// The line.
        line: usize,
    },
    /// A state that rules lead to, but that has no rule.
    #[error("{}", tr!("line {line}: the state {state} has no rule; every state except HALT needs a rule", line, state))]
    StateWithoutRule {
        /// The line of the first rule that leads to it.
        line: usize,
        /// The state.
        state: String,
    },
    /// A first step that moves.
    #[error("{}", tr!("in the start state {state}, a head that reads the symbol {symbol} must not move: the move of the first step must be S, because the compute message, which activates the cells, must reach each cell before the head does", state, symbol))]
    FirstStep {
        /// The start state.
        state: String,
        /// The symbol on which it moves.
        symbol: char,
    },
    /// No input, or too many.
    #[error("{}", tr!("the number of inputs must be from 1 to {most}, but it is {found}", most = MOST_INPUTS, found))]
    Inputs {
        /// How many there are.
        found: u64,
    },
    /// No example, or too many.
    #[error("{}", tr!("the number of examples must be from 1 to {most}, but it is {found}", most = MOST_EXAMPLES, found))]
    Examples {
        /// How many there are.
        found: u64,
    },
    /// As many labels as there are not examples.
    #[error("{}", tr!("each example needs one label (examples: {examples}, labels: {labels})", labels, examples))]
    Labels {
        /// How many labels there are.
        labels: usize,
        /// How many examples there are.
        examples: usize,
    },
    /// An example with more or fewer inputs than the others.
    #[error("{}", tr!("wrong number of inputs in an example: {found} instead of {wanted}", found, wanted))]
    Length {
        /// How many it has.
        found: usize,
        /// How many it must have.
        wanted: usize,
    },
    /// An input or a label that is neither 1 nor −1.
    #[error("{}", tr!("each input and each label must be 1 or -1, but one of them is {found}", found))]
    Value {
        /// What it is.
        found: i8,
    },
    /// A probability that is none, or above one half.
    #[error("{}", tr!("the label noise must be a probability from 0 to {most}, but it is {found}", most = MOST_NOISE, found))]
    Noise {
        /// What it is.
        found: f64,
    },
    /// All rows are written.
    #[error("{}", tr!("all {rows} rows are written; there is no empty row for another example", rows))]
    Full {
        /// Rows of the table, m + 1.
        rows: usize,
    },
    /// A cell of the block that is blank before the run.
    #[error("{}", tr!("the cell in row {row}, column {column} is blank, but the program starts only on a full table", row, column))]
    Hole {
        /// The row in the block.
        row: usize,
        /// The column in the block.
        column: usize,
    },
    /// More or fewer cells than there are places.
    #[error("{}", tr!("wrong number of cells: {found} instead of {wanted}", found, wanted))]
    Cells {
        /// How many there are.
        found: usize,
        /// Rows times columns.
        wanted: usize,
    },
    /// A cell of another program.
    #[error("{}", tr!("the cell in row {row}, column {column} has a symbol or a state that the program does not have", row, column))]
    Foreign {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
    },
    /// No step, or too many.
    #[error("{}", tr!("the number of steps must be from 1 to {most}, but it is {found}", most = MOST_STEPS, found))]
    Steps {
        /// How many were asked for.
        found: u64,
    },
}
