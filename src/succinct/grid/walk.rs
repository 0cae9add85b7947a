//! The ordinary simulator: one head that walks over the grid, one rule after another.

use super::grid::Grid;
use super::limits::MOST_STEPS;
use super::mistake::Mistake;
use super::program::{Move, Program};

/// Why a run ends. Rows and columns are counted from 0, ring included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The program is in HALT.
    Halted {
        /// Steps made.
        steps: u64,
    },
    /// The state has no rule for the symbol under the head.
    NoRule {
        /// Steps made.
        steps: u64,
        /// The state.
        state: u8,
        /// The symbol.
        symbol: u8,
        /// The cell.
        at: (usize, usize),
    },
    /// The head leaves the grid.
    OffTheGrid {
        /// Steps made before the one that leaves.
        steps: u64,
        /// The state that moves the head.
        state: u8,
        /// Where to.
        step: Move,
        /// The cell from which it leaves.
        at: (usize, usize),
    },
    /// All steps are made.
    OutOfSteps {
        /// Steps made.
        steps: u64,
    },
}

impl End {
    /// Steps made.
    pub fn steps(self) -> u64 {
        match self {
            End::Halted { steps }
            | End::NoRule { steps, .. }
            | End::OffTheGrid { steps, .. }
            | End::OutOfSteps { steps } => steps,
        }
    }

    /// The reason in a sentence; row 0 and column 0 are the ring.
    pub fn sentence(self, program: &Program) -> String {
        match self {
            End::Halted { steps } => tr!("The program halts after step {steps}.", steps),
            End::NoRule { steps, state, symbol, at: (row, column) } => tr!(
                "The program stops after step {steps} because state {state} has no rule for the symbol {symbol} in row {row}, column {column}.",
                steps,
                state = program.state(state),
                symbol = program.symbol(symbol),
                row,
                column
            ),
            End::OffTheGrid { steps, state, step, at: (row, column) } => tr!(
                "The program stops after step {steps} because state {state} moves the head off the grid ({step}) from row {row}, column {column}.",
                steps,
                state = program.state(state),
                step = step.letter(),
                row,
                column
            ),
            End::OutOfSteps { steps } => tr!("The program has not halted by step {steps}.", steps),
        }
    }
}

/// A program on its grid.
///
/// ```
/// use vivarium::succinct::grid::{Drawn, End, Family, Grid, Walk, library};
/// let program = library::DICTATOR.program().unwrap();
/// let drawn = Drawn::new(Family::Dictator, 6, 12, 0.0, 1).unwrap();
/// let x = drawn.query(0);
/// let mut walk = Walk::new(&program, Grid::new(&drawn.data, &x).unwrap());
/// assert!(matches!(walk.run(1000), Ok(End::Halted { .. })));
/// assert_eq!(walk.grid().prediction(), Some(drawn.concept.label(&x)));
/// ```
#[derive(Debug, Clone)]
pub struct Walk<'a> {
    program: &'a Program,
    grid: Grid,
    state: u8,
    at: (usize, usize),
    steps: u64,
}

impl<'a> Walk<'a> {
    /// The program before its first step, with the head on the bottom-right cell of the block.
    pub fn new(program: &'a Program, grid: Grid) -> Self {
        let at = grid.start();
        Walk { program, grid, state: 0, at, steps: 0 }
    }

    /// Makes a step.
    ///
    /// # Errors
    /// The [`End`], and nothing is done, where the program has halted, has no rule, or would leave the grid.
    #[inline]
    pub fn step(&mut self) -> Result<(), End> {
        let ((row, column), state, steps) = (self.at, self.state, self.steps);
        let symbol = self.grid.read(row, column);
        let Some(rule) = self.program.rule(state, symbol) else {
            return Err(if self.program.is_halt(state) {
                End::Halted { steps }
            } else {
                End::NoRule { steps, state, symbol, at: self.at }
            });
        };
        let to = rule.step.from(row, column).filter(|(row, column)| self.grid.place(*row, *column).is_some());
        let Some(to) = to else {
            return Err(End::OffTheGrid { steps, state, step: rule.step, at: self.at });
        };
        self.grid.write(row, column, rule.write);
        (self.at, self.state, self.steps) = (to, rule.next, steps + 1);
        Ok(())
    }

    /// Makes steps until the run ends, at most until so many were made in all.
    ///
    /// # Errors
    /// Where the number of steps is 0 or above [`MOST_STEPS`].
    pub fn run(&mut self, most: u64) -> Result<End, Mistake> {
        if !(1..=MOST_STEPS).contains(&most) {
            return Err(Mistake::Steps { found: most });
        }
        loop {
            // A program that halts with its last step has halted.
            if self.steps >= most && !self.program.is_halt(self.state) {
                return Ok(End::OutOfSteps { steps: self.steps });
            }
            if let Err(end) = self.step() {
                return Ok(end);
            }
        }
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The state, by number.
    pub fn state(&self) -> u8 {
        self.state
    }

    /// The row and column of the head.
    pub fn head(&self) -> (usize, usize) {
        self.at
    }

    /// Steps made.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::succinct::grid::Data;

    fn ended(text: &str, most: u64) -> String {
        let program = Program::parse(text).unwrap();
        let data = Data::new(vec![vec![1, -1]], vec![-1]).unwrap();
        let mut walk = Walk::new(&program, Grid::new(&data, &[1, 1]).unwrap());
        let end = walk.run(most).unwrap();
        assert_eq!((end.steps(), walk.step().err().unwrap_or(end)), (walk.steps().min(most), end));
        end.sentence(&program)
    }

    #[test]
    fn every_end_has_its_sentence() {
        assert_eq!(ended("a * → * S b\nb * → * S HALT", 9), "The program halts after step 2.");
        assert_eq!(ended("a * → * S b\nb * → * S HALT", 2), "The program halts after step 2.");
        let program = Program::parse("a * → * S b\nb * → * S HALT").unwrap();
        let mut walk = Walk::new(&program, Grid::blank(1, 1).unwrap());
        assert_eq!(walk.run(1).unwrap().sentence(&program), "The program has not halted by step 1.");
        assert_eq!(walk.run(0).unwrap_err().to_string(), "a run has from 1 to 1048576 steps, not 0");
        assert_eq!(walk.run(1 << 21).unwrap_err(), Mistake::Steps { found: 1 << 21 });
        let missing =
            "The program stops after step 3 because state b has no rule for the symbol _ in row 0, column 2.";
        assert_eq!(ended("a + → - U b\nb - → * L a", 9), missing);
        let below = "The program stops after step 1 because state a moves the head off the grid (D) from row 3, column 3.";
        assert_eq!(ended("a * → * D a", 9), below);
        let right = "The program stops after step 1 because state a moves the head off the grid (R) from row 2, column 4.";
        assert_eq!(ended("a * → * R a", 9), right);
        let above = "The program stops after step 2 because state a moves the head off the grid (U) from row 0, column 3.";
        assert_eq!(ended("a * → * U a", 9), above);
        let left = "The program stops after step 3 because state a moves the head off the grid (L) from row 2, column 0.";
        assert_eq!(ended("a * → * L a", 9), left);
    }
}
