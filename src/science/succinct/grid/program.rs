//! A program for a head on a grid of cells: states, symbols, and a table of rules.
//!
//! ```text
//! δ: state × symbol → (symbol to write, move, next state)        moves: up, down, left, right, stay
//! ```
//!
//! The machine model of Goel, Kakade, Kalai and Zhang (2022), appendix B.1.2: a Turing machine with a tape of two dimensions. A
//! run begins in the first state and ends in the state HALT, which has no rule.

use std::fmt::{Display, Formatter, Result as FmtResult};

use super::super::error::SuccinctError;

/// Character of the blank symbol in the text of a program.
pub const BLANK: char = '_';

/// Names of the symbols that every program has, in the order of their numbers: the blank, 1 and −1.
pub const BASE_SYMBOLS: [char; 3] = [BLANK, '+', '-'];

/// Name of the state that ends a run.
pub const HALT: &str = "HALT";

/// Direction in which a rule moves the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GridMove {
    /// One cell up.
    Up,
    /// One cell down.
    Down,
    /// One cell to the left.
    Left,
    /// One cell to the right.
    Right,
    /// No movement.
    Stay,
}

impl GridMove {
    /// All moves, in the order of their declaration.
    pub const ALL: [GridMove; 5] =
        [GridMove::Up, GridMove::Down, GridMove::Left, GridMove::Right, GridMove::Stay];

    /// The letter of the move in the text of a program: U, D, L, R or S.
    pub fn letter(self) -> char {
        match self {
            GridMove::Up => 'U',
            GridMove::Down => 'D',
            GridMove::Left => 'L',
            GridMove::Right => 'R',
            GridMove::Stay => 'S',
        }
    }

    /// Row and column, from 0, that a head reaches by this move from a cell; `None` above the first row or to the
    /// left of the first column.
    pub fn target(self, row: usize, column: usize) -> Option<(usize, usize)> {
        match self {
            GridMove::Up => Some((row.checked_sub(1)?, column)),
            GridMove::Down => Some((row.checked_add(1)?, column)),
            GridMove::Left => Some((row, column.checked_sub(1)?)),
            GridMove::Right => Some((row, column.checked_add(1)?)),
            GridMove::Stay => Some((row, column)),
        }
    }
}

/// The action of a program for one pair of state and symbol under the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GridRule {
    /// Index, in the program's symbols, of the symbol that the rule writes.
    pub write: u8,
    /// Direction in which the head moves after writing.
    pub step: GridMove,
    /// Index, in the program's states, of the next state.
    pub next: u8,
}

/// A program for a head that moves on a grid: states, symbols and rules.
///
/// The start state has index 0 and HALT, if a rule leads to it, has the last index. The first symbols are [`BASE_SYMBOLS`], the
/// others are sorted, so that equal programs have equal texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridProgram {
    /// Names of the states; the first is the start state, and HALT, if a rule leads to it, is the last.
    pub(super) states: Vec<String>,
    /// Characters of the symbols; the first are [`BASE_SYMBOLS`].
    pub(super) symbols: Vec<char>,
    /// The rule of each state and symbol, `[states, symbols]`; `None` in HALT or if there is no rule.
    pub(super) rules: Vec<Option<GridRule>>,
}

impl GridProgram {
    /// Names of the states by index; the first is the start state.
    pub fn state_names(&self) -> &[String] {
        &self.states
    }

    /// The symbols by index; the first are [`BASE_SYMBOLS`].
    pub fn symbols(&self) -> &[char] {
        &self.symbols
    }

    /// Name of the state with this index; empty if there is no such state.
    pub fn state_name(&self, number: u8) -> &str {
        self.states.get(usize::from(number)).map_or("", String::as_str)
    }

    /// Character of the symbol with this index; the blank if there is no such symbol.
    pub fn symbol_name(&self, number: u8) -> char {
        self.symbols.get(usize::from(number)).copied().unwrap_or(BLANK)
    }

    /// Whether the state with index `state` is HALT, which ends a run.
    pub fn is_halt(&self, state: u8) -> bool {
        self.state_name(state) == HALT
    }

    /// The rule for a state and a symbol; `None` in HALT or if there is no rule.
    #[inline]
    pub fn rule(&self, state: u8, symbol: u8) -> Option<GridRule> {
        let (state, symbol) = (usize::from(state), usize::from(symbol));
        let known = symbol < self.symbols.len();
        known.then(|| self.rules.get(state * self.symbols.len() + symbol).copied().flatten()).flatten()
    }

    /// The rule for a state and a symbol, or a rule that changes nothing if there is none.
    #[inline]
    pub fn transition(&self, state: u8, symbol: u8) -> GridRule {
        self.rule(state, symbol).unwrap_or(GridRule { write: symbol, step: GridMove::Stay, next: state })
    }

    /// Checks that no rule of the start state moves the head, so that the message that the table is full reaches cells before
    /// the head does.
    ///
    /// # Errors
    /// [`SuccinctError::FirstStepMoves`] with the first symbol for which a rule moves the head.
    pub fn check_first_step(&self) -> Result<(), SuccinctError> {
        let mut symbols = self.symbols.iter().zip(0..);
        match symbols.find(|(_, number)| self.transition(0, *number).step != GridMove::Stay) {
            Some((symbol, _)) => {
                Err(SuccinctError::FirstStepMoves { state: self.state_name(0).into(), symbol: *symbol })
            }
            None => Ok(()),
        }
    }

    /// Number of pairs of state and symbol for which the program has a rule.
    pub fn rule_count(&self) -> usize {
        self.rules.iter().flatten().count()
    }

    /// Whether the program has no rule; always false for a parsed program.
    pub fn is_empty(&self) -> bool {
        self.rule_count() == 0
    }

    /// Number of transitions: the rules, and one for each symbol in HALT, which changes nothing.
    pub fn transition_count(&self) -> usize {
        let halts = self.states.iter().filter(|name| *name == HALT).count();
        self.rule_count() + halts * self.symbols.len()
    }
}

/// Writes one rule `state read → write move state` per line, without wildcards.
impl Display for GridProgram {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        for (row, name) in self.rules.chunks(self.symbols.len()).zip(&self.states) {
            for (rule, read) in row.iter().zip(&self.symbols) {
                if let Some(GridRule { write, step, next }) = rule {
                    let (write, next) = (self.symbol_name(*write), self.state_name(*next));
                    writeln!(f, "{name} {read} → {write} {} {next}", step.letter())?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parsed_program_has_the_states_symbols_and_rules_of_the_text() {
        let program = GridProgram::parse("a + → - L b\na _ → * S HALT\nb C → + U a").unwrap();
        assert_eq!(program.state_names(), ["a", "b", "HALT"]);
        assert_eq!(program.symbols(), ['_', '+', '-', 'C']);
        assert_eq!((program.rule_count(), program.transition_count(), program.is_empty()), (3, 7, false));
        assert_eq!(program.rule(0, 1), Some(GridRule { write: 2, step: GridMove::Left, next: 1 }));
        assert_eq!(program.rule(0, 2), None);
        assert_eq!(program.rule(0, 4), None);
        assert_eq!(program.rule(9, 0), None);
        assert_eq!(program.transition(2, 3), GridRule { write: 3, step: GridMove::Stay, next: 2 });
        assert!(program.is_halt(2) && !program.is_halt(1) && !program.is_halt(9));
        assert_eq!((program.symbol_name(9), program.state_name(9)), ('_', ""));
    }

    #[test]
    fn moves_do_not_leave_the_first_row_and_column() {
        let places = GridMove::ALL.map(|step| step.target(0, 3));
        assert_eq!(places, [None, Some((1, 3)), Some((0, 2)), Some((0, 4)), Some((0, 3))]);
        assert_eq!(GridMove::Left.target(1, 0), None);
        assert_eq!(GridMove::ALL.map(GridMove::letter), ['U', 'D', 'L', 'R', 'S']);
    }
}
