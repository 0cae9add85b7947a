//! The ordinary simulator: one head that walks over the grid, one rule after another.

use std::sync::Arc;

use super::super::limits::MOST_STEPS;
use super::super::mistake::Mistake;
use super::grid::Grid;
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
/// use std::sync::Arc;
/// use vivarium_science::succinct::grid::{End, Grid, Walk, library};
/// use vivarium_science::succinct::{Drawn, Family};
/// let program = Arc::new(library::DICTATOR.program().unwrap());
/// let drawn = Drawn::new(Family::Dictator, 6, 12, 0.0, 1, 0).unwrap();
/// let x = drawn.query(0);
/// let mut walk = Walk::new(program, Grid::new(&drawn.data, &x).unwrap());
/// assert!(matches!(walk.run(1000), Ok(End::Halted { .. })));
/// assert_eq!(walk.grid().prediction(), Some(drawn.concept.label(&x)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walk {
    program: Arc<Program>,
    grid: Grid,
    state: u8,
    at: (usize, usize),
    steps: u64,
    /// Why no further step can be made, once one was tried.
    end: Option<End>,
}

impl Walk {
    /// The program before its first step, with the head on the bottom-right cell of the block; the grid says how wide the
    /// working tape may become.
    pub fn new(program: Arc<Program>, grid: Grid) -> Self {
        let at = grid.start();
        Walk { program, grid, state: 0, at, steps: 0, end: None }
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
            let is_halt = self.program.is_halt(state);
            let no_rule = End::NoRule { steps, state, symbol, at: self.at };
            return self.ended(if is_halt { End::Halted { steps } } else { no_rule });
        };
        let to = rule.step.from(row, column).filter(|(row, column)| self.grid.reach(*row, *column));
        let Some(to) = to else {
            return self.ended(End::OffTheGrid { steps, state, step: rule.step, at: self.at });
        };
        self.grid.write(row, column, rule.write);
        (self.at, self.state, self.steps) = (to, rule.next, steps + 1);
        Ok(())
    }

    /// Remembers an end.
    fn ended(&mut self, end: End) -> Result<(), End> {
        self.end = Some(end);
        Err(end)
    }

    /// Makes steps until so many were made in all, or until the program ends; why it ended, if it did.
    ///
    /// A program that halts with the last of these steps has ended. It may be called again with more steps; after the end it
    /// does nothing and says the same.
    pub fn advance(&mut self, until: u64) -> Option<End> {
        while self.end.is_none() && (self.steps < until || self.program.is_halt(self.state)) {
            if self.step().is_err() {
                break;
            }
        }
        self.end
    }

    /// Makes steps until the run ends, at most until so many were made in all.
    ///
    /// # Errors
    /// Where the number of steps is 0 or above [`MOST_STEPS`].
    pub fn run(&mut self, most: u64) -> Result<End, Mistake> {
        if !(1..=MOST_STEPS).contains(&most) {
            return Err(Mistake::Steps { found: most });
        }
        Ok(self.advance(most).unwrap_or(End::OutOfSteps { steps: self.steps }))
    }

    /// Why the run ended; none while it may go on.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
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
    use crate::succinct::Data;

    /// A program on the grid of one example.
    fn walk(text: &str) -> Walk {
        let data = Data::new(vec![vec![1, -1]], vec![-1]).unwrap();
        Walk::new(Arc::new(Program::parse(text).unwrap()), Grid::new(&data, &[1, 1]).unwrap())
    }

    fn ended(text: &str, most: u64) -> String {
        let mut walk = walk(text);
        let end = walk.run(most).unwrap();
        assert_eq!((end.steps(), walk.step().err().unwrap_or(end)), (walk.steps().min(most), end));
        end.sentence(walk.program())
    }

    #[test]
    fn every_end_has_its_sentence() {
        assert_eq!(ended("a * → * S b\nb * → * S HALT", 9), "The program halts after step 2.");
        assert_eq!(ended("a * → * S b\nb * → * S HALT", 2), "The program halts after step 2.");
        let mut walk = walk("a * → * S b\nb * → * S HALT");
        assert_eq!(walk.run(1).unwrap(), End::OutOfSteps { steps: 1 });
        assert_eq!(ended("a * → * S b\nb * → * S HALT", 1), "The program has not halted by step 1.");
        let steps = "the number of steps must be from 1 to 1048576, but it is 0";
        assert_eq!(walk.run(0).unwrap_err().to_string(), steps);
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

    #[test]
    fn a_run_goes_on_until_it_ends_and_remembers_why() {
        let three = "a * → * S b\nb * → * S c\nc * → * S HALT";
        let missing = "a + → - U b\nb - → * L a";
        let leaving = "a * → * S b\nb * → * S c\nc * → * S d\nd * → * R d";
        // The first number of steps for which each end is known: HALT is one that its last step leads to.
        for (text, first) in [(three, 3), (missing, 4), (leaving, 5)] {
            let end = walk(text).run(100).unwrap();
            let mut walk = walk(text);
            for until in [0, 1, 1, 2, 3, 4, 5, 6, 50] {
                let expected = (until >= first).then_some(end);
                assert_eq!((walk.advance(until), walk.end()), (expected, expected), "{text} {until}");
                assert_eq!(walk.steps(), until.min(end.steps()));
            }
            assert_eq!((walk.advance(0), walk.run(1)), (Some(end), Ok(end)));
        }
    }
}
