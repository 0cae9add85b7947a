//! A program of one head on a grid of cells, as a value: states, symbols, and a table of rules.
//!
//! ```text
//! δ: state × symbol → (symbol to write, move, next state)        moves: up, down, left, right, stay
//! ```
//!
//! The machine model of Goel, Kakade, Kalai and Zhang (2022), appendix B.1.2: a Turing machine with a tape of two dimensions. A
//! run begins in the first state and ends in the state HALT, which has no rule.

use std::fmt::{Display, Formatter, Result as Written};

use super::super::mistake::Mistake;

/// Name of the blank.
pub const BLANK: char = '_';

/// Names of the symbols that every program has, in the order of their numbers: the blank, 1 and −1.
pub const BITS: [char; 3] = [BLANK, '+', '-'];

/// Name of the state that ends a run.
pub const HALT: &str = "HALT";

/// Where the head goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// To the cell above.
    Up,
    /// To the cell below.
    Down,
    /// To the cell on the left.
    Left,
    /// To the cell on the right.
    Right,
    /// Nowhere.
    Stay,
}

impl Move {
    /// All moves.
    pub const ALL: [Move; 5] = [Move::Up, Move::Down, Move::Left, Move::Right, Move::Stay];

    /// "U".
    pub fn letter(self) -> char {
        match self {
            Move::Up => 'U',
            Move::Down => 'D',
            Move::Left => 'L',
            Move::Right => 'R',
            Move::Stay => 'S',
        }
    }

    /// The row and column to which it leads; none above or to the left of the first cell.
    pub fn from(self, row: usize, column: usize) -> Option<(usize, usize)> {
        match self {
            Move::Up => Some((row.checked_sub(1)?, column)),
            Move::Down => Some((row.checked_add(1)?, column)),
            Move::Left => Some((row, column.checked_sub(1)?)),
            Move::Right => Some((row, column.checked_add(1)?)),
            Move::Stay => Some((row, column)),
        }
    }
}

/// What a program does in a state with a symbol under the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The symbol that it writes, by number.
    pub write: u8,
    /// Where the head goes.
    pub step: Move,
    /// The next state, by number.
    pub next: u8,
}

/// A program.
///
/// The start state has number 0, and HALT, if a rule leads to it, the last one. The first symbols are [`BITS`], the others
/// are sorted, so that equal programs have equal texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    pub(super) states: Vec<String>,
    pub(super) symbols: Vec<char>,
    /// State by state, in each symbol by symbol.
    pub(super) rules: Vec<Option<Rule>>,
}

impl Program {
    /// Names of the states; the first is the start state.
    pub fn states(&self) -> &[String] {
        &self.states
    }

    /// Names of the symbols; the first are [`BITS`].
    pub fn symbols(&self) -> &[char] {
        &self.symbols
    }

    /// The name of a state; empty where there is no such state.
    pub fn state(&self, number: u8) -> &str {
        self.states.get(usize::from(number)).map_or("", String::as_str)
    }

    /// The name of a symbol; the blank where there is no such symbol.
    pub fn symbol(&self, number: u8) -> char {
        self.symbols.get(usize::from(number)).copied().unwrap_or(BLANK)
    }

    /// Whether a state is HALT.
    pub fn is_halt(&self, state: u8) -> bool {
        self.state(state) == HALT
    }

    /// The rule for a state and a symbol; none where there is none, and in HALT.
    #[inline]
    pub fn rule(&self, state: u8, symbol: u8) -> Option<Rule> {
        let (state, symbol) = (usize::from(state), usize::from(symbol));
        let known = symbol < self.symbols.len();
        known.then(|| self.rules.get(state * self.symbols.len() + symbol).copied().flatten()).flatten()
    }

    /// What a step does: the rule, or nothing at all where there is none.
    #[inline]
    pub fn transition(&self, state: u8, symbol: u8) -> Rule {
        self.rule(state, symbol).unwrap_or(Rule { write: symbol, step: Move::Stay, next: state })
    }

    /// Whether no rule of the start state moves: the message that the table is full is then ahead of the head.
    ///
    /// # Errors
    /// The first symbol for which one moves.
    pub fn stays_first(&self) -> Result<(), Mistake> {
        let mut symbols = self.symbols.iter().zip(0..);
        match symbols.find(|(_, number)| self.transition(0, *number).step != Move::Stay) {
            Some((symbol, _)) => Err(Mistake::FirstStep { state: self.state(0).into(), symbol: *symbol }),
            None => Ok(()),
        }
    }

    /// How many rules it has.
    pub fn len(&self) -> usize {
        self.rules.iter().flatten().count()
    }

    /// Whether it has no rule, which is never so.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many transitions it has if HALT counts with one for each symbol, which stays and writes what it reads.
    pub fn transitions(&self) -> usize {
        let halts = self.states.iter().filter(|name| *name == HALT).count();
        self.len() + halts * self.symbols.len()
    }
}

/// One rule a line, `state read → write move state`, without wild-cards.
impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> Written {
        for (row, name) in self.rules.chunks(self.symbols.len()).zip(&self.states) {
            for (rule, read) in row.iter().zip(&self.symbols) {
                if let Some(Rule { write, step, next }) = rule {
                    let (write, next) = (self.symbol(*write), self.state(*next));
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
    fn a_program_knows_its_parts() {
        let program = Program::parse("a + → - L b\na _ → * S HALT\nb C → + U a").unwrap();
        assert_eq!(program.states(), ["a", "b", "HALT"]);
        assert_eq!(program.symbols(), ['_', '+', '-', 'C']);
        assert_eq!((program.len(), program.transitions(), program.is_empty()), (3, 7, false));
        assert_eq!(program.rule(0, 1), Some(Rule { write: 2, step: Move::Left, next: 1 }));
        assert_eq!(program.rule(0, 2), None);
        assert_eq!(program.rule(0, 4), None);
        assert_eq!(program.rule(9, 0), None);
        assert_eq!(program.transition(2, 3), Rule { write: 3, step: Move::Stay, next: 2 });
        assert!(program.is_halt(2) && !program.is_halt(1) && !program.is_halt(9));
        assert_eq!((program.symbol(9), program.state(9)), ('_', ""));
    }

    #[test]
    fn moves_end_at_the_first_cell() {
        let places = Move::ALL.map(|step| step.from(0, 3));
        assert_eq!(places, [None, Some((1, 3)), Some((0, 2)), Some((0, 4)), Some((0, 3))]);
        assert_eq!(Move::Left.from(1, 0), None);
        assert_eq!(Move::ALL.map(Move::letter), ['U', 'D', 'L', 'R', 'S']);
    }
}
