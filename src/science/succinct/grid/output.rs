//! The output f of the network for a test input, from the sequential walk of its program.
//!
//! ```text
//! f = Σ f_head(value of the cell) over the (m + 1)(d + 1) cells of the table          definition 5, appendix B.2
//! ```
//!
//! Appendix B.3 says that f is the answer: the program halts with the answer in the top-left cell and blanks in all other cells
//! of the table, which have the value 1/9, and f_head is 0 there. This holds where the head halts outside of the table, or
//! on the top-left cell. A head that halts on another cell of the table leaves the value 1/9 + 1/27 + q/81 there, with the
//! code q of the state HALT. Digits 4 … are at most 1/54 together, so that this is between 1/9 and 1/6, where f_head has the
//! slope 18: f is the answer and 18(1/27 + q/81), between 1/3 and 1. On the top-left cell the same summand changes nothing,
//! because ±1/3 + 1/9 stays outside of ±1/6.
//!
//! # Why
//! Each cell after layer t is known from the walk after step t − 1, without the t layers: the symbols are those of the walk's
//! grid, the head is where it is, and a cell computes once the message has reached it. The walk is faster than the layers
//! by a factor of ten. Tests compare f with the layers, and with the paper's functions in exact fractions.

use super::automaton::reached;
use super::code::{Cell, Codes, Phase, readout};
use super::program::Program;
use super::walk::{End, Walk};

/// What f is the sum of, for one program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    codes: Codes,
    /// f_head of each symbol without the head, before and after the message has come, as numerators over the unit.
    read: Vec<[i64; 2]>,
}

impl Output {
    /// Of a program.
    pub fn new(program: &Program) -> Output {
        let codes = Codes::new(program);
        let of = |symbol: u8| {
            [Phase::Unknown, Phase::Compute]
                .map(|phase| readout(codes.encode(Cell { phase, ..Cell::new(symbol) }), codes.unit()))
        };
        Output { codes, read: (0..).take(program.symbols().len()).map(of).collect() }
    }

    /// What f is a numerator over.
    pub fn unit(&self) -> i64 {
        self.codes.unit()
    }

    /// f after so many layers, as a numerator over [`Output::unit`]. The walk has made as many steps as these layers make, one
    /// less than the layers, or has ended before.
    pub fn of(&self, walk: &Walk, layers: u64) -> i64 {
        let (grid, head) = (walk.grid(), walk.head());
        let ((rows, columns), start) = (grid.block(), grid.start());
        let mut sum = 0;
        for row in 1..=rows {
            for column in 1..=columns {
                let symbol = grid.read(row, column);
                let computes = reached(start, (row, column), layers);
                sum += match layers > 0 && (row, column) == head {
                    true => self.at_head(symbol, walk.state()),
                    false => self.read.get(usize::from(symbol)).map_or(0, |read| read[usize::from(computes)]),
                };
            }
        }
        sum
    }

    /// f_head where the head is.
    fn at_head(&self, symbol: u8, state: u8) -> i64 {
        let cell = Cell { phase: Phase::Compute, head: Some(state), ..Cell::new(symbol) };
        readout(self.codes.encode(cell), self.codes.unit())
    }

    /// The program's answer if the network gives it: the program has halted within these layers with an answer in the top-left
    /// cell, and f is this answer.
    pub fn answer(&self, walk: &Walk, layers: u64) -> Option<i8> {
        halted(walk, layers).filter(|answer| self.of(walk, layers) == i64::from(*answer) * self.unit())
    }

    /// f minus the answer of the program, where it has halted within these layers with one.
    pub fn excess(&self, walk: &Walk, layers: u64) -> Option<f64> {
        let answer = halted(walk, layers)?;
        Some((self.of(walk, layers) - i64::from(answer) * self.unit()) as f64 / self.unit() as f64)
    }
}

/// The answer in the top-left cell of a program that has halted within so many layers; layer 1 sets the head.
fn halted(walk: &Walk, layers: u64) -> Option<i8> {
    match walk.end() {
        Some(End::Halted { steps }) if steps < layers => walk.grid().prediction(),
        _ => None,
    }
}
