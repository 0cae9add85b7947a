//! One number per cell, in balanced base 3: how a cell of the automaton is a value of the network.
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

use super::super::limits::MOST_STATES;
use super::grid::EMPTY;
use super::program::Program;

/// What a cell knows of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Nothing yet.
    Unknown,
    /// An example is being written: nothing is computed.
    Memorise,
    /// The table is full: the program runs.
    Compute,
}

/// A cell of the automaton.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cell {
    /// Whether it is padding; a cell of the ring is, until the head has been there.
    pub padding: bool,
    /// The symbol, by number.
    pub symbol: u8,
    /// The phase.
    pub phase: Phase,
    /// The state, by number, if the head is here.
    pub head: Option<u8>,
}

impl Cell {
    /// A cell of the block with a symbol, before the first layer.
    pub fn new(symbol: u8) -> Cell {
        Cell { padding: false, symbol, phase: Phase::Unknown, head: None }
    }

    /// A cell of the ring before the first layer, with the value 1.
    pub const RING: Cell = Cell { padding: true, symbol: EMPTY, phase: Phase::Unknown, head: None };

    /// The cell of a program as one number below 2¹⁴, for runs that keep their cells as numbers.
    ///
    /// ```text
    /// symbol + 27·phase + 81·padding + 162·head      phase: 0 unknown, 1 memorise, 2 compute
    ///                                                head: 0 where it is not, and 1 + the state where it is
    /// ```
    ///
    /// Unlike its [value](Codes::encode), the number does not depend on the program.
    pub fn number(self) -> u16 {
        let phase = match self.phase {
            Phase::Unknown => 0,
            Phase::Memorise => 1,
            Phase::Compute => 2,
        };
        let head = self.head.map_or(0, |state| 1 + u16::from(state));
        u16::from(self.symbol) + 27 * phase + 81 * u16::from(self.padding) + 162 * head
    }

    /// The cell that has this number; none where no cell of any program has it.
    pub fn numbered(number: u16) -> Option<Cell> {
        let symbol = u8::try_from(number % 27).ok()?;
        let phase = match number / 27 % 3 {
            0 => Phase::Unknown,
            1 => Phase::Memorise,
            _ => Phase::Compute,
        };
        let padding = number / 81 % 2 == 1;
        let head = match (number / 162).checked_sub(1) {
            None => None,
            Some(state) if usize::from(state) < MOST_STATES => Some(u8::try_from(state).ok()?),
            Some(_) => return None,
        };
        Some(Cell { padding, symbol, phase, head })
    }
}

/// The code words of one program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Codes {
    symbols: usize,
    states: usize,
    more_digits: usize,
    state_digits: usize,
}

/// Digits before those that depend on the program.
const FIRST: usize = 4;

/// The digit for 0, 1 and 2.
fn trit(number: u8) -> i8 {
    match number % 3 {
        0 => 0,
        1 => 1,
        _ => -1,
    }
}

impl Codes {
    /// The code words of a program.
    pub fn new(program: &Program) -> Codes {
        let (symbols, states) = (program.symbols().len(), program.states().len());
        let more_digits = usize::from(symbols > 3) + usize::from(symbols > 9);
        let state_digits = (0..).take_while(|digits| (1usize << digits) < states).count().max(1);
        Codes { symbols, states, more_digits, state_digits }
    }

    /// Digits of a code word, with digit 0.
    pub fn width(&self) -> usize {
        FIRST + self.more_digits + self.state_digits
    }

    /// The digits of a cell, digit 0 first.
    pub fn digits(&self, cell: Cell) -> Vec<i8> {
        let phase = match cell.phase {
            Phase::Unknown => 0,
            Phase::Memorise => -1,
            Phase::Compute => 1,
        };
        let mut digits =
            vec![i8::from(cell.padding), trit(cell.symbol), phase, i8::from(cell.head.is_some())];
        digits.extend([3, 9].iter().take(self.more_digits).map(|power| trit(cell.symbol / power)));
        let bit = |state: u8, at: usize| match state {
            0 => 0,
            _ if u64::from(state) >> at & 1 == 1 => 1,
            _ => -1,
        };
        digits.extend((0..self.state_digits).rev().map(|at| cell.head.map_or(0, |state| bit(state, at))));
        digits
    }

    /// What values are numerators over: 2·3^k, where k is the number of the last digit.
    pub fn unit(&self) -> i64 {
        (1..self.width()).fold(2, |unit, _| unit * 3)
    }

    /// The value of a cell, as a numerator over [`Codes::unit`].
    pub fn encode(&self, cell: Cell) -> i64 {
        2 * self.digits(cell).iter().fold(0, |value, digit| 3 * value + i64::from(*digit))
    }

    /// The cell that has a value; none where no cell of this program has it.
    pub fn decode(&self, value: i64) -> Option<Cell> {
        let digits = digits(value, self.width())?;
        let (first, rest) = digits.split_at(FIRST);
        let (more, state) = rest.split_at(self.more_digits);
        let number = |digit: i8| u8::try_from(digit.rem_euclid(3)).unwrap_or(0);
        let symbol =
            more.iter().rev().chain([&first[1]]).fold(0, |symbol, digit| 3 * symbol + number(*digit));
        let phase = match first[2] {
            0 => Phase::Unknown,
            1 => Phase::Compute,
            _ => Phase::Memorise,
        };
        let number = state.iter().fold(0, |state, digit| 2 * state + u8::from(*digit > 0));
        let head = (first[3] == 1).then_some(number);
        let cell = Cell { padding: first[0] == 1, symbol, phase, head };
        let known = usize::from(symbol) < self.symbols && usize::from(head.unwrap_or(0)) < self.states;
        (known && self.encode(cell) == value).then_some(cell)
    }
}

/// The digits of a numerator over 2·3^(count − 1), digit 0 first; none where digit 0 would not be one of −1, 0 and 1 or where
/// the value is no sum of digits, as the border's 1/6.
fn digits(value: i64, count: usize) -> Option<Vec<i8>> {
    let mut digits = vec![0; count];
    take_apart(value, &mut digits).then_some(digits)
}

/// The first four digits of a numerator over 54, as [`Codes::decode`] has them; none where there are no such digits.
pub(super) fn four_digits(value: i64) -> Option<[i8; FIRST]> {
    let mut digits = [0; FIRST];
    take_apart(value, &mut digits).then_some(digits)
}

/// Fills in the digits; whether the value is their sum.
fn take_apart(value: i64, digits: &mut [i8]) -> bool {
    let mut rest = value / 2;
    for digit in digits.iter_mut().rev() {
        // −1, 0 or 1.
        let last = (rest + 1).rem_euclid(3) - 1;
        *digit = i8::try_from(last).unwrap_or(0);
        rest = (rest - last) / 3;
    }
    rest == 0 && value % 2 == 0
}

/// The head of the network at a value; value and result are numerators over `unit`, a multiple of 18.
///
/// ```text
/// −1 up to −1/6 | 18(x + 1/9) up to 0 | −18(x − 1/9) up to 1/9 | 18(x − 1/9) up to 1/6 | 1
/// ```
///
/// Appendix B.2. There the pieces are open intervals, and 1 stands for all points between them; with 0, 1/9 and 1/6 in the
/// pieces the function is continuous, and 1/9 becomes 0, which the proof needs.
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

/// The slope of [`readout`]; where two pieces meet, that of the left one.
pub fn slope(value: i64, unit: i64) -> i64 {
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
    use crate::succinct::MOST_SYMBOLS;
    use crate::succinct::grid::{MINUS, PLUS, library};

    #[test]
    fn every_cell_has_a_value_of_its_own() {
        for (learner, digits, unit) in [(library::DICTATOR, 9, 13_122), (library::PARITY, 12, 354_294)] {
            let program = learner.program().unwrap();
            let codes = Codes::new(&program);
            assert_eq!((codes.width(), codes.unit()), (digits, unit));
            let mut values = Vec::new();
            let symbols = u8::try_from(program.symbols().len()).unwrap();
            let states = u8::try_from(program.states().len()).unwrap();
            for head in [None].into_iter().chain((0..states).map(Some)) {
                for phase in [Phase::Unknown, Phase::Memorise, Phase::Compute] {
                    for (symbol, padding) in (0..symbols).flat_map(|symbol| [(symbol, false), (symbol, true)])
                    {
                        let cell = Cell { padding, symbol, phase, head };
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
            let states = codes.unit() / 27 - (0..codes.state_digits).fold(0, |sum, _| 3 * sum + 2);
            assert_eq!((codes.decode(2), codes.decode(states)), (None, None));
            // The head alone is the start state.
            let start = Cell { head: Some(0), ..Cell::new(EMPTY) };
            assert_eq!(codes.decode(unit / 27), Some(start));
        }
    }

    #[test]
    fn every_cell_has_a_number_of_its_own() {
        let states = u8::try_from(MOST_STATES).unwrap();
        let mut numbers = Vec::new();
        for head in [None].into_iter().chain((0..states).map(Some)) {
            for padding in [false, true] {
                for phase in [Phase::Unknown, Phase::Memorise, Phase::Compute] {
                    for symbol in 0..u8::try_from(MOST_SYMBOLS).unwrap() {
                        let cell = Cell { padding, symbol, phase, head };
                        assert_eq!(Cell::numbered(cell.number()), Some(cell));
                        numbers.push(cell.number());
                    }
                }
            }
        }
        // Every number up to the last one is that of a cell, and no other is.
        assert!(numbers.into_iter().eq(0..10_530));
        assert!((10_530..=u16::MAX).all(|number| Cell::numbered(number).is_none()));
        let cell = Cell { padding: true, symbol: 5, phase: Phase::Compute, head: Some(3) };
        assert_eq!(cell.number(), 5 + 27 * 2 + 81 + 162 * 4);
        assert_eq!((Cell::new(EMPTY).number(), Cell::RING.number()), (0, 81));
    }

    #[test]
    fn values_are_those_of_the_paper() {
        let codes = Codes::new(&library::PARITY.program().unwrap());
        let unit = codes.unit();
        let compute = |symbol| Cell { phase: Phase::Compute, ..Cell::new(symbol) };
        assert_eq!(codes.encode(Cell::RING), unit);
        assert_eq!(codes.encode(Cell::new(PLUS)), unit / 3);
        assert_eq!(codes.encode(Cell::new(MINUS)), -unit / 3);
        assert_eq!(codes.encode(Cell { phase: Phase::Memorise, ..Cell::new(EMPTY) }), -unit / 9);
        let read = |symbol| readout(codes.encode(compute(symbol)), unit);
        assert_eq!([PLUS, MINUS, EMPTY].map(read), [unit, -unit, 0]);
        assert_eq!(codes.encode(compute(PLUS)), unit * 4 / 9);
        let start = codes.digits(Cell { head: Some(0), ..compute(MINUS) });
        // The start state has the code 0 (B.1.2), so that f_msg adds 1/9 + 1/27 and nothing else (B.2).
        assert_eq!(start, [0, -1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
        let with_head = Cell { head: Some(0), ..compute(MINUS) };
        assert_eq!(codes.encode(with_head), codes.encode(Cell::new(MINUS)) + unit / 9 + unit / 27);
        let state = codes.digits(Cell { head: Some(5), ..compute(EMPTY) });
        assert_eq!(state[6..], [-1, -1, -1, 1, -1, 1]);
        assert_eq!(digits(9, 4), None);
        assert_eq!(digits(36, 4).unwrap(), [1, -1, 0, 0]);
        assert_eq!(digits(82, 4), None);
    }

    #[test]
    fn the_readout_is_continuous_and_has_its_slope() {
        let unit = 54 * 27;
        for value in -unit..unit {
            let rise = readout(value + 1, unit) - readout(value, unit);
            assert_eq!(rise, slope(value + 1, unit), "{value}");
        }
        let at = |numerator| (readout(unit * numerator / 18, unit), slope(unit * numerator / 18, unit));
        assert_eq!([-4, -2, 0, 2, 8].map(at), [(-unit, 0), (0, 18), (2 * unit, 18), (0, -18), (unit, 0)]);
    }
}
