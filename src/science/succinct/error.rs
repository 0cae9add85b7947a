//! Errors of programs' texts, data sets and grids; each error displays as a sentence for the user.

use super::limits::{
    MAX_EXAMPLE_INPUTS, MAX_EXAMPLES, MAX_LABEL_NOISE, MAX_PROGRAM_RULES, MAX_PROGRAM_STATES,
    MAX_PROGRAM_STEPS, MAX_PROGRAM_SYMBOLS, MAX_PROGRAM_TEXT_BYTES, MAX_STATE_NAME_LENGTH,
};

/// Why a program cannot be parsed or run, or data cannot be sampled. Lines, rows and columns are numbered from 1; row 0 and
/// column 0 are the ring.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SuccinctError {
    /// The text has no rule.
    #[error("{}", tr!("the text has no rule; write one rule per line, for example A + → - L B"))]
    Empty,
    /// The text has more than [`MAX_PROGRAM_TEXT_BYTES`] bytes.
    #[error("{}", tr!("the text must have at most {most} bytes", most = MAX_PROGRAM_TEXT_BYTES))]
    TextTooLong,
    /// A line does not have the form of a rule.
    #[error("{}", tr!("line {line}: expected state, symbols read → symbol to write, move, next state, found: {found}", line, found))]
    InvalidRule {
        /// Number of the line in the program's text, from 1.
        line: usize,
        /// Beginning of the invalid line.
        found: String,
    },
    /// A line has an unknown word in the position of the move.
    #[error("{}", tr!("line {line}: unknown move {found}; write U, D, L, R or S (stay)", line, found))]
    UnknownMove {
        /// Number of the line in the program's text, from 1.
        line: usize,
        /// The invalid word of this line.
        found: String,
    },
    /// A list of symbols contains a character with a special meaning.
    #[error("{}", tr!("line {line}: the character {found} has a special meaning and must not be in a list of symbols", line, found))]
    ReservedSymbol {
        /// Number of the line in the program's text, from 1.
        line: usize,
        /// The invalid character.
        found: char,
    },
    /// A line lists the same symbol to read twice.
    #[error("{}", tr!("line {line}: the symbol {found} is listed twice", line, found))]
    DuplicateSymbol {
        /// Number of the line in the program's text, from 1.
        line: usize,
        /// Character of the symbol.
        found: char,
    },
    /// The number of symbols to write is neither 1 nor the number of symbols read.
    #[error("{}", tr!("line {line}: number of symbols read: {read}, number of symbols to write: {written}; as symbols to write, give *, one symbol, or as many symbols as are read", line, read, written))]
    WrittenSymbolCount {
        /// Number of the line in the program's text, from 1.
        line: usize,
        /// Number of symbols read; 1 for `*`.
        read: usize,
        /// Number of symbols to write.
        written: usize,
    },
    /// The name of a state has more than [`MAX_STATE_NAME_LENGTH`] characters.
    #[error("{}", tr!("line {line}: the name of a state must have at most {most} characters", line, most = MAX_STATE_NAME_LENGTH))]
    StateNameTooLong {
        /// Number of the line in the program's text, from 1.
        line: usize,
    },
    /// The name of a state is reserved.
    #[error("{}", tr!("line {line}: the name {found} cannot be used for a state", line, found))]
    InvalidStateName {
        /// Number of the line in the program's text, from 1.
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
        /// The symbol; `*` if both rules are for all other symbols.
        symbol: char,
    },
    /// The program has more than [`MAX_PROGRAM_STATES`] states.
    #[error("{}", tr!("line {line}: the program must have at most {most} states", line, most = MAX_PROGRAM_STATES))]
    TooManyStates {
        /// Line of the first state above the limit.
        line: usize,
    },
    /// The program has more than [`MAX_PROGRAM_SYMBOLS`] symbols.
    #[error("{}", tr!("line {line}: the program must have at most {most} symbols, including _, + and -", line, most = MAX_PROGRAM_SYMBOLS))]
    TooManySymbols {
        /// Line of the first symbol above the limit.
        line: usize,
    },
    /// The text has more than [`MAX_PROGRAM_RULES`] rules.
    #[error("{}", tr!("line {line}: the text must have at most {most} rules", line, most = MAX_PROGRAM_RULES))]
    TooManyRules {
        /// Line of the first rule above the limit.
        line: usize,
    },
    /// A rule is for the state HALT, in which runs end.
    #[error("{}", tr!("line {line}: the state HALT ends the run and must not have a rule", line))]
    HaltHasRule {
        /// Number of the line in the program's text, from 1.
        line: usize,
    },
    /// A rule leads to a state that has no rule and is not HALT.
    #[error("{}", tr!("line {line}: the state {state} has no rule; every state except HALT needs a rule", line, state))]
    StateWithoutRule {
        /// Line of the first rule that leads to the state.
        line: usize,
        /// Name of the state.
        state: String,
    },
    /// A rule of the start state moves the head.
    #[error("{}", tr!("in the start state {state}, a head that reads the symbol {symbol} must not move: the move of the first step must be S, because the compute message, which activates the cells, must reach each cell before the head does", state, symbol))]
    FirstStepMoves {
        /// Name of the start state.
        state: String,
        /// The symbol that the rule reads.
        symbol: char,
    },
    /// The number of inputs is 0 or greater than [`MAX_EXAMPLE_INPUTS`].
    #[error("{}", tr!("the number of inputs must be from 1 to {most}, but it is {found}", most = MAX_EXAMPLE_INPUTS, found))]
    InputsOutOfRange {
        /// The number of inputs.
        found: u64,
    },
    /// The number of examples is 0 or greater than [`MAX_EXAMPLES`].
    #[error("{}", tr!("the number of examples must be from 1 to {most}, but it is {found}", most = MAX_EXAMPLES, found))]
    ExamplesOutOfRange {
        /// The number of examples.
        found: u64,
    },
    /// The number of labels differs from the number of examples.
    #[error("{}", tr!("each example needs one label (examples: {examples}, labels: {labels})", labels, examples))]
    LabelCount {
        /// Number of labels.
        labels: usize,
        /// Number of examples.
        examples: usize,
    },
    /// An input has the wrong length.
    #[error("{}", tr!("wrong number of inputs in an example: {found} instead of {wanted}", found, wanted))]
    InputLength {
        /// Length of the input.
        found: usize,
        /// Required length.
        wanted: usize,
    },
    /// An entry of an input, or a label, is neither 1 nor −1.
    #[error("{}", tr!("each input and each label must be 1 or -1, but one of them is {found}", found))]
    InvalidValue {
        /// The entry or label.
        found: i8,
    },
    /// The label noise is not a probability from 0 to [`MAX_LABEL_NOISE`].
    #[error("{}", tr!("the label noise must be a probability from 0 to {most}, but it is {found}", most = MAX_LABEL_NOISE, found))]
    NoiseOutOfRange {
        /// The label noise.
        found: f64,
    },
    /// All rows of the table are written already.
    #[error("{}", tr!("all {rows} rows are written; there is no empty row for another example", rows))]
    TableFull {
        /// Number of rows of the table, m + 1.
        rows: usize,
    },
    /// A cell of the table is blank before the run.
    #[error("{}", tr!("the cell in row {row}, column {column} is blank, but the program starts only on a full table", row, column))]
    BlankCell {
        /// Row of the cell.
        row: usize,
        /// Column of the cell.
        column: usize,
    },
    /// The number of cells differs from rows times columns.
    #[error("{}", tr!("wrong number of cells: {found} instead of {wanted}", found, wanted))]
    CellCount {
        /// The number of cells.
        found: usize,
        /// Required number: rows times columns.
        wanted: usize,
    },
    /// A cell has a symbol or a state that the program does not have.
    #[error("{}", tr!("the cell in row {row}, column {column} has a symbol or a state that the program does not have", row, column))]
    UnknownCell {
        /// Row of the cell.
        row: usize,
        /// Column of the cell.
        column: usize,
    },
    /// The number of steps is 0 or greater than [`MAX_PROGRAM_STEPS`].
    #[error("{}", tr!("the number of steps must be from 1 to {most}, but it is {found}", most = MAX_PROGRAM_STEPS, found))]
    StepsOutOfRange {
        /// The requested number of steps.
        found: u64,
    },
}
