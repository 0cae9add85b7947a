//! The output f of the network for a test input, computed from the step-by-step run of its program.
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
//! The cells after layer t follow from the run after step t − 1, without applying the layers: symbols and head are those of the
//! run, and a cell is in the phase "compute" once the message has reached it. The run is ten times as fast as the layers. Tests
//! compare f with the layers, and with the paper's functions in exact fractions.

use super::automaton::is_reached;
use super::code::{AutomatonCell, CellCodes, CellPhase, readout};
use super::program::GridProgram;
use super::run::{ProgramRun, RunEnd};

/// Computes the network's output f for a test input (Goel, Kakade, Kalai and Zhang 2022, definition 5) from the run
/// of one program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkOutput {
    /// Encoding of the program's cells as numbers, which the network computes with.
    codes: CellCodes,
    /// For each symbol, the readout f_head of a cell with this symbol and without the head, before and after the
    /// message that the table is full has arrived; numerators over the denominator.
    read: Vec<[i64; 2]>,
}

impl NetworkOutput {
    /// Prepares the outputs of the network that runs `program`: its readout for a cell with each symbol of the
    /// program.
    pub fn new(program: &GridProgram) -> NetworkOutput {
        let codes = CellCodes::new(program);
        let of = |symbol: u8| {
            [CellPhase::Unknown, CellPhase::Compute].map(|phase| {
                readout(
                    codes.encode(AutomatonCell { phase, ..AutomatonCell::new(symbol) }),
                    codes.denominator(),
                )
            })
        };
        NetworkOutput { codes, read: (0..).take(program.symbols().len()).map(of).collect() }
    }

    /// Denominator of the fractions in which the network's output f is given.
    pub fn denominator(&self) -> i64 {
        self.codes.denominator()
    }

    /// The network's output f after `layers` layers, as a numerator over [`NetworkOutput::denominator`].
    /// `program_run` must have made `layers` − 1 steps, since layer 1 only places the head, or have ended before.
    pub fn compute(&self, program_run: &ProgramRun, layers: u64) -> i64 {
        let (grid, head) = (program_run.grid(), program_run.head());
        let ((rows, columns), start) = (grid.block_size(), grid.start_cell());
        let mut sum = 0;
        for row in 1..=rows {
            for column in 1..=columns {
                let symbol = grid.symbol_at(row, column);
                let computes = is_reached(start, (row, column), layers);
                sum += match layers > 0 && (row, column) == head {
                    true => self.readout_at_head(symbol, program_run.state()),
                    false => self.read.get(usize::from(symbol)).map_or(0, |read| read[usize::from(computes)]),
                };
            }
        }
        sum
    }

    /// The network's readout of the cell under the head, with this symbol and state, as a numerator over the
    /// denominator.
    fn readout_at_head(&self, symbol: u8, state: u8) -> i64 {
        let cell =
            AutomatonCell { phase: CellPhase::Compute, head: Some(state), ..AutomatonCell::new(symbol) };
        readout(self.codes.encode(cell), self.codes.denominator())
    }

    /// The program's answer, 1 or −1, if the program has halted within `layers` layers with an answer in the
    /// top-left cell and the network's output f equals it; else `None`.
    pub fn answer(&self, program_run: &ProgramRun, layers: u64) -> Option<i8> {
        halted_answer(program_run, layers)
            .filter(|answer| self.compute(program_run, layers) == i64::from(*answer) * self.denominator())
    }

    /// The network's output f minus the program's answer; `None` unless the program has halted within `layers`
    /// layers with an answer.
    pub fn excess(&self, program_run: &ProgramRun, layers: u64) -> Option<f64> {
        let answer = halted_answer(program_run, layers)?;
        Some(
            (self.compute(program_run, layers) - i64::from(answer) * self.denominator()) as f64
                / self.denominator() as f64,
        )
    }
}

/// The answer in the top-left cell, 1 or −1, if the program has halted within `layers` layers, else `None`. Layer 1
/// only places the head.
fn halted_answer(program_run: &ProgramRun, layers: u64) -> Option<i8> {
    match program_run.end() {
        Some(RunEnd::Halted { steps }) if steps < layers => program_run.grid().prediction(),
        _ => None,
    }
}
