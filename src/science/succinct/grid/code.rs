//! Encoding of a cell of the automaton as a number of the network, in balanced base 3.
//!
//! ```text
//! value = Σ a(i)·3^−i with digits a(i) ∈ {−1, 0, 1}
//! digit 0      padding: 1 outside of the block, where the head has not been
//! digit 1      symbol: 0 is blank, ±1 are the bits
//! digit 2      phase: −1 memorise, 1 compute, 0 unknown
//! digit 3      1 where the head is
//! digits 4 …   two more digits of the symbol if there are more than 3, or one if there are at most 9
//! then         the state, only where the head is: all digits 0 for the start state, the number in binary with digits ±1 for
//!              the others
//! ```
//!
//! Goel, Kakade, Kalai and Zhang (2022), appendices B.1.1, B.1.2 and B.2; there all programs have three symbols, and the state
//! has log₂ s + 1 digits, one more than are needed. B.1.2 gives the start state the code 0, which rule 3 of f_msg needs: it
//! adds 1/9 + 1/27 and no digit of a state. A value is kept as a whole numerator over 2·3^k: over 3^k every value of a cell
//! is whole, and with the 2 so is the border's 1/6.
//!
//! # Why
//! More than three symbols could also take the digits after digit 1. Then the phase would be worth less than 1/9, and the
//! slope of the head and the learning rate would depend on the program. Behind digit 3 the first digits are the same for
//! all programs, and so is the training.

use super::super::limits::MAX_PROGRAM_STATES;
use super::grid::BLANK_INDEX;
use super::program::GridProgram;

/// Phase of a cell of the automaton (unknown, memorise or compute), which selects the rule that changes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CellPhase {
    /// Before a message has arrived.
    Unknown,
    /// An example is being written; the program does not run.
    Memorise,
    /// The table is full; the program runs.
    Compute,
}

/// A cell of the cellular automaton: its symbol, its phase, and the head if it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AutomatonCell {
    /// Whether the cell counts as padding: a cell of the ring does, until the head has visited it.
    pub padding: bool,
    /// Index, in the program's symbols, of the symbol in the cell.
    pub symbol: u8,
    /// Phase of the cell (unknown, memorise or compute), which selects the automaton's rule for it.
    pub phase: CellPhase,
    /// Index, in the program's states, of the head's state if the head is on this cell; else `None`.
    pub head: Option<u8>,
}

impl AutomatonCell {
    /// A cell of the block with a symbol, before the first layer.
    pub fn new(symbol: u8) -> AutomatonCell {
        AutomatonCell { padding: false, symbol, phase: CellPhase::Unknown, head: None }
    }

    /// A cell of the ring of blank cells around the block, before the first layer: padding, with the value 1.
    pub const RING: AutomatonCell =
        AutomatonCell { padding: true, symbol: BLANK_INDEX, phase: CellPhase::Unknown, head: None };

    /// The cell as one number below 2¹⁴, for files and runs that store cells as numbers.
    ///
    /// ```text
    /// symbol + 27·phase + 81·padding + 162·head      phase: 0 unknown, 1 memorise, 2 compute
    ///                                                head: 0 without the head, 1 + state with the head
    /// ```
    ///
    /// Unlike [`CellCodes::encode`], the number does not depend on the program.
    pub fn to_number(self) -> u16 {
        let phase = match self.phase {
            CellPhase::Unknown => 0,
            CellPhase::Memorise => 1,
            CellPhase::Compute => 2,
        };
        let head = self.head.map_or(0, |state| 1 + u16::from(state));
        u16::from(self.symbol) + 27 * phase + 81 * u16::from(self.padding) + 162 * head
    }

    /// The cell with this number; `None` if no cell of any program has it.
    pub fn from_number(number: u16) -> Option<AutomatonCell> {
        let symbol = u8::try_from(number % 27).ok()?;
        let phase = match number / 27 % 3 {
            0 => CellPhase::Unknown,
            1 => CellPhase::Memorise,
            _ => CellPhase::Compute,
        };
        let padding = number / 81 % 2 == 1;
        let head = match (number / 162).checked_sub(1) {
            None => None,
            Some(state) if usize::from(state) < MAX_PROGRAM_STATES => Some(u8::try_from(state).ok()?),
            Some(_) => return None,
        };
        Some(AutomatonCell { padding, symbol, phase, head })
    }
}

/// Encoding of the cells of one program as balanced ternary numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellCodes {
    /// Number of symbols of the program whose cells are encoded.
    symbols: usize,
    /// Number of states of the program whose cells are encoded.
    states: usize,
    /// Number of digits of the symbol in addition to digit 1: 0, 1 or 2.
    extra_symbol_digits: usize,
    /// Number of balanced ternary digits that encode the state of the head.
    state_digits: usize,
}

/// Number of leading digits of a cell (padding, symbol, phase, head) that have the same meaning for all programs.
const COMMON_DIGITS: usize = 4;

/// Balanced ternary digit of `number` modulo 3: the remainder 0, 1 or 2 becomes 0, 1 or −1.
fn ternary_digit(number: u8) -> i8 {
    match number % 3 {
        0 => 0,
        1 => 1,
        _ => -1,
    }
}

impl CellCodes {
    /// The encoding of cells for the numbers of symbols and states of a program.
    pub fn new(program: &GridProgram) -> CellCodes {
        let (symbols, states) = (program.symbols().len(), program.state_names().len());
        let extra_symbol_digits = usize::from(symbols > 3) + usize::from(symbols > 9);
        let state_digits = (0..).take_while(|digits| (1usize << digits) < states).count().max(1);
        CellCodes { symbols, states, extra_symbol_digits, state_digits }
    }

    /// Number of digits of an encoded cell, including digit 0.
    pub fn width(&self) -> usize {
        COMMON_DIGITS + self.extra_symbol_digits + self.state_digits
    }

    /// The balanced ternary digits −1, 0 or 1 of an encoded cell, digit 0 first.
    pub fn digits(&self, cell: AutomatonCell) -> Vec<i8> {
        let phase = match cell.phase {
            CellPhase::Unknown => 0,
            CellPhase::Memorise => -1,
            CellPhase::Compute => 1,
        };
        let mut digits =
            vec![i8::from(cell.padding), ternary_digit(cell.symbol), phase, i8::from(cell.head.is_some())];
        digits.extend(
            [3, 9].iter().take(self.extra_symbol_digits).map(|power| ternary_digit(cell.symbol / power)),
        );
        let bit = |state: u8, at: usize| match state {
            0 => 0,
            _ if u64::from(state) >> at & 1 == 1 => 1,
            _ => -1,
        };
        digits.extend((0..self.state_digits).rev().map(|at| cell.head.map_or(0, |state| bit(state, at))));
        digits
    }

    /// Denominator of the encoded values of cells: 2·3^k, where k is the index of the last digit.
    pub fn denominator(&self) -> i64 {
        (1..self.width()).fold(2, |unit, _| unit * 3)
    }

    /// The encoded value of a cell, as a numerator over [`CellCodes::denominator`].
    pub fn encode(&self, cell: AutomatonCell) -> i64 {
        2 * self.digits(cell).iter().fold(0, |value, digit| 3 * value + i64::from(*digit))
    }

    /// The cell whose encoded value is `value`, a numerator over [`CellCodes::denominator`]; `None` if no cell of this
    /// program has it.
    pub fn decode(&self, value: i64) -> Option<AutomatonCell> {
        let digits = balanced_digits(value, self.width())?;
        let (first, rest) = digits.split_at(COMMON_DIGITS);
        let (more, state) = rest.split_at(self.extra_symbol_digits);
        let number = |digit: i8| u8::try_from(digit.rem_euclid(3)).unwrap_or(0);
        let symbol =
            more.iter().rev().chain([&first[1]]).fold(0, |symbol, digit| 3 * symbol + number(*digit));
        let phase = match first[2] {
            0 => CellPhase::Unknown,
            1 => CellPhase::Compute,
            _ => CellPhase::Memorise,
        };
        let number = state.iter().fold(0, |state, digit| 2 * state + u8::from(*digit > 0));
        let head = (first[3] == 1).then_some(number);
        let cell = AutomatonCell { padding: first[0] == 1, symbol, phase, head };
        let known = usize::from(symbol) < self.symbols && usize::from(head.unwrap_or(0)) < self.states;
        (known && self.encode(cell) == value).then_some(cell)
    }
}

/// The `count` balanced ternary digits of a value, given as a numerator over 2·3^(count − 1), digit 0 first; `None`
/// if the value is not a sum of digits, such as the border's 1/6.
fn balanced_digits(value: i64, count: usize) -> Option<Vec<i8>> {
    let mut digits = vec![0; count];
    split_digits(value, &mut digits).then_some(digits)
}

/// The four balanced ternary digits of a value, given as a numerator over 54; `None` if the value is not a sum of
/// four digits.
pub(super) fn four_digits(value: i64) -> Option<[i8; COMMON_DIGITS]> {
    let mut digits = [0; COMMON_DIGITS];
    split_digits(value, &mut digits).then_some(digits)
}

/// Splits a value, given as a numerator over 2·3^k with k the last index of `digits`, into balanced ternary digits.
/// Returns whether the value is the sum of these digits.
fn split_digits(value: i64, digits: &mut [i8]) -> bool {
    let mut rest = value / 2;
    for digit in digits.iter_mut().rev() {
        // −1, 0 or 1.
        let last = (rest + 1).rem_euclid(3) - 1;
        *digit = i8::try_from(last).unwrap_or(0);
        rest = (rest - last) / 3;
    }
    rest == 0 && value % 2 == 0
}

/// The head f_head of the network; `value` and the result are numerators over `unit`, a multiple of 18.
///
/// ```text
/// −1 up to −1/6 | 18(x + 1/9) up to 0 | −18(x − 1/9) up to 1/9 | 18(x − 1/9) up to 1/6 | 1
/// ```
///
/// Goel, Kakade, Kalai and Zhang 2022, appendix B.2. There the pieces are open intervals, and 1 stands for all
/// points between them; with 0, 1/9 and 1/6 in the pieces the function is continuous, and 1/9 becomes 0, which the
/// proof needs.
pub fn readout(value: i64, unit: i64) -> i64 {
    let (ninth, sixth) = (unit / 9, unit / 6);
    match value {
        _ if value <= -sixth => -unit,
        _ if value <= 0 => 18 * (value + ninth),
        _ if value <= ninth => -18 * (value - ninth),
        _ if value <= sixth => 18 * (value - ninth),
        _ => unit,
    }
}

/// The derivative of [`readout`] at `value`, a numerator over `unit`: 18, −18 or 0. At a kink it is that of the
/// left piece.
pub fn readout_derivative(value: i64, unit: i64) -> i64 {
    let (ninth, sixth) = (unit / 9, unit / 6);
    match value {
        _ if value <= -sixth || value > sixth => 0,
        _ if value <= 0 || value > ninth => 18,
        _ => -18,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::succinct::MAX_PROGRAM_SYMBOLS;
    use crate::succinct::grid::{MINUS_INDEX, PLUS_INDEX, library};

    #[test]
    fn different_cells_have_different_values() {
        for (learner, digits, unit) in [(library::DICTATOR, 9, 13_122), (library::PARITY, 12, 354_294)] {
            let program = learner.parse_program().unwrap();
            let codes = CellCodes::new(&program);
            assert_eq!((codes.width(), codes.denominator()), (digits, unit));
            let mut values = Vec::new();
            let symbols = u8::try_from(program.symbols().len()).unwrap();
            let states = u8::try_from(program.state_names().len()).unwrap();
            for head in [None].into_iter().chain((0..states).map(Some)) {
                for phase in [CellPhase::Unknown, CellPhase::Memorise, CellPhase::Compute] {
                    for (symbol, padding) in (0..symbols).flat_map(|symbol| [(symbol, false), (symbol, true)])
                    {
                        let cell = AutomatonCell { padding, symbol, phase, head };
                        let value = codes.encode(cell);
                        assert_eq!(codes.decode(value), Some(cell));
                        values.push(value);
                    }
                }
            }
            let count = values.len();
            values.sort_unstable();
            values.dedup();
            assert_eq!(values.len(), count);
            assert_eq!(codes.decode(unit / 6), None);
            // A state without a head, and a head with digits that no state has: −1 … −1, which would be 0 in binary.
            let states = codes.denominator() / 27 - (0..codes.state_digits).fold(0, |sum, _| 3 * sum + 2);
            assert_eq!((codes.decode(2), codes.decode(states)), (None, None));
            // The head alone is the start state.
            let start = AutomatonCell { head: Some(0), ..AutomatonCell::new(BLANK_INDEX) };
            assert_eq!(codes.decode(unit / 27), Some(start));
        }
    }

    #[test]
    fn different_cells_have_different_numbers() {
        let states = u8::try_from(MAX_PROGRAM_STATES).unwrap();
        let mut numbers = Vec::new();
        for head in [None].into_iter().chain((0..states).map(Some)) {
            for padding in [false, true] {
                for phase in [CellPhase::Unknown, CellPhase::Memorise, CellPhase::Compute] {
                    for symbol in 0..u8::try_from(MAX_PROGRAM_SYMBOLS).unwrap() {
                        let cell = AutomatonCell { padding, symbol, phase, head };
                        assert_eq!(AutomatonCell::from_number(cell.to_number()), Some(cell));
                        numbers.push(cell.to_number());
                    }
                }
            }
        }
        // Every number up to the last one is that of a cell, and no other is.
        assert!(numbers.into_iter().eq(0..10_530));
        assert!((10_530..=u16::MAX).all(|number| AutomatonCell::from_number(number).is_none()));
        let cell = AutomatonCell { padding: true, symbol: 5, phase: CellPhase::Compute, head: Some(3) };
        assert_eq!(cell.to_number(), 5 + 27 * 2 + 81 + 162 * 4);
        assert_eq!((AutomatonCell::new(BLANK_INDEX).to_number(), AutomatonCell::RING.to_number()), (0, 81));
    }

    #[test]
    fn values_equal_those_of_the_paper() {
        let codes = CellCodes::new(&library::PARITY.parse_program().unwrap());
        let unit = codes.denominator();
        let compute = |symbol| AutomatonCell { phase: CellPhase::Compute, ..AutomatonCell::new(symbol) };
        assert_eq!(codes.encode(AutomatonCell::RING), unit);
        assert_eq!(codes.encode(AutomatonCell::new(PLUS_INDEX)), unit / 3);
        assert_eq!(codes.encode(AutomatonCell::new(MINUS_INDEX)), -unit / 3);
        assert_eq!(
            codes.encode(AutomatonCell { phase: CellPhase::Memorise, ..AutomatonCell::new(BLANK_INDEX) }),
            -unit / 9
        );
        let read = |symbol| readout(codes.encode(compute(symbol)), unit);
        assert_eq!([PLUS_INDEX, MINUS_INDEX, BLANK_INDEX].map(read), [unit, -unit, 0]);
        assert_eq!(codes.encode(compute(PLUS_INDEX)), unit * 4 / 9);
        let start = codes.digits(AutomatonCell { head: Some(0), ..compute(MINUS_INDEX) });
        // The start state has the code 0 (B.1.2), so that f_msg adds 1/9 + 1/27 and nothing else (B.2).
        assert_eq!(start, [0, -1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
        let with_head = AutomatonCell { head: Some(0), ..compute(MINUS_INDEX) };
        assert_eq!(
            codes.encode(with_head),
            codes.encode(AutomatonCell::new(MINUS_INDEX)) + unit / 9 + unit / 27
        );
        let state = codes.digits(AutomatonCell { head: Some(5), ..compute(BLANK_INDEX) });
        assert_eq!(state[6..], [-1, -1, -1, 1, -1, 1]);
        assert_eq!(balanced_digits(9, 4), None);
        assert_eq!(balanced_digits(36, 4).unwrap(), [1, -1, 0, 0]);
        assert_eq!(balanced_digits(82, 4), None);
    }

    #[test]
    fn the_readout_is_continuous_with_the_stated_derivative() {
        let unit = 54 * 27;
        for value in -unit..unit {
            let rise = readout(value + 1, unit) - readout(value, unit);
            assert_eq!(rise, readout_derivative(value + 1, unit), "{value}");
        }
        let at = |numerator| {
            (readout(unit * numerator / 18, unit), readout_derivative(unit * numerator / 18, unit))
        };
        assert_eq!([-4, -2, 0, 2, 8].map(at), [(-unit, 0), (0, 18), (2 * unit, 18), (0, -18), (unit, 0)]);
    }
}
