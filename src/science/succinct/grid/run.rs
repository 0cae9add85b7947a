//! Ordinary step-by-step execution of a program on a grid, with one head.

use std::sync::Arc;

use super::super::error::SuccinctError;
use super::super::limits::MAX_PROGRAM_STEPS;
use super::grid::Grid;
use super::program::{GridMove, GridProgram};

/// Why a run ends. Rows and columns are numbered from 0, including the ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// The program has reached HALT.
    Halted {
        /// Steps made.
        steps: u64,
    },
    /// The state has no rule for the symbol under the head.
    NoRule {
        /// Steps made.
        steps: u64,
        /// Index of the state.
        state: u8,
        /// Index of the symbol.
        symbol: u8,
        /// Row and column of the cell.
        at: (usize, usize),
    },
    /// The head would leave the grid.
    LeftGrid {
        /// Number of steps before the move.
        steps: u64,
        /// Index of the state that moves the head.
        state: u8,
        /// The move.
        step: GridMove,
        /// Row and column of the head before the move.
        at: (usize, usize),
    },
    /// The maximum number of steps was reached.
    OutOfSteps {
        /// Steps made.
        steps: u64,
    },
}

impl RunEnd {
    /// Number of program steps that the run made until it ended.
    pub fn steps(self) -> u64 {
        match self {
            RunEnd::Halted { steps }
            | RunEnd::NoRule { steps, .. }
            | RunEnd::LeftGrid { steps, .. }
            | RunEnd::OutOfSteps { steps } => steps,
        }
    }

    /// A sentence with the reason, for the page; row 0 and column 0 are the ring.
    pub fn describe(self, program: &GridProgram) -> String {
        match self {
            RunEnd::Halted { steps } => tr!("The program halts after step {steps}.", steps),
            RunEnd::NoRule { steps, state, symbol, at: (row, column) } => tr!(
                "The program stops after step {steps} because state {state} has no rule for the symbol {symbol} in row {row}, column {column}.",
                steps,
                state = program.state_name(state),
                symbol = program.symbol_name(symbol),
                row,
                column
            ),
            RunEnd::LeftGrid { steps, state, step, at: (row, column) } => tr!(
                "The program stops after step {steps} because state {state} moves the head off the grid ({step}) from row {row}, column {column}.",
                steps,
                state = program.state_name(state),
                step = step.letter(),
                row,
                column
            ),
            RunEnd::OutOfSteps { steps } => tr!("The program has not halted by step {steps}.", steps),
        }
    }
}

/// The execution of a program on its grid.
///
/// ```
/// use std::sync::Arc;
/// use vivarium_science::succinct::grid::{RunEnd, Grid, ProgramRun, library};
/// use vivarium_science::succinct::{SampledProblem, ConceptFamily};
/// let program = Arc::new(library::DICTATOR.parse_program().unwrap());
/// let drawn = SampledProblem::new(ConceptFamily::Dictator, 6, 12, 0.0, 1, 0).unwrap();
/// let x = drawn.test_input(0);
/// let mut run = ProgramRun::new(program, Grid::new(&drawn.data, &x).unwrap());
/// assert!(matches!(run.run(1000), Ok(RunEnd::Halted { .. })));
/// assert_eq!(run.grid().prediction(), Some(drawn.concept.label(&x)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramRun {
    /// The program that is executed.
    program: Arc<GridProgram>,
    /// The grid of symbols after the steps made so far.
    grid: Grid,
    /// Index of the current state in the program.
    state: u8,
    /// Row and column of the head, from 0, including the ring.
    head: (usize, usize),
    /// Number of program steps made so far.
    steps: u64,
    /// Why the run has ended; `None` while it can continue. The first step that cannot be made sets it.
    end: Option<RunEnd>,
}

impl ProgramRun {
    /// A run before its first step, with the head on the bottom-right cell of the block. The grid determines the maximum width
    /// of the working tape.
    pub fn new(program: Arc<GridProgram>, grid: Grid) -> Self {
        let head = grid.start_cell();
        ProgramRun { program, grid, state: 0, head, steps: 0, end: None }
    }

    /// Makes one step.
    ///
    /// # Errors
    /// The [`RunEnd`] if the program has halted, has no rule, or would leave the grid; nothing changes then.
    #[inline]
    pub fn step(&mut self) -> Result<(), RunEnd> {
        let ((row, column), state, steps) = (self.head, self.state, self.steps);
        let symbol = self.grid.symbol_at(row, column);
        let Some(rule) = self.program.rule(state, symbol) else {
            let is_halt = self.program.is_halt(state);
            let no_rule = RunEnd::NoRule { steps, state, symbol, at: self.head };
            return self.finish(if is_halt { RunEnd::Halted { steps } } else { no_rule });
        };
        let to = rule.step.target(row, column).filter(|(row, column)| self.grid.extend_to(*row, *column));
        let Some(to) = to else {
            return self.finish(RunEnd::LeftGrid { steps, state, step: rule.step, at: self.head });
        };
        self.grid.set_symbol(row, column, rule.write);
        (self.head, self.state, self.steps) = (to, rule.next, steps + 1);
        Ok(())
    }

    /// Stores the reason why the run ends and returns it as an error.
    fn finish(&mut self, end: RunEnd) -> Result<(), RunEnd> {
        self.end = Some(end);
        Err(end)
    }

    /// Makes steps until `until` steps were made in total, or until the run ends; returns the reason of the end.
    ///
    /// A program that reaches HALT with step `until` has ended. Later calls continue the run; after the end they return the
    /// same reason.
    pub fn advance(&mut self, until: u64) -> Option<RunEnd> {
        while self.end.is_none() && (self.steps < until || self.program.is_halt(self.state)) {
            if self.step().is_err() {
                break;
            }
        }
        self.end
    }

    /// Makes steps until the run ends or `max_steps` steps were made in total.
    ///
    /// # Errors
    /// `max_steps` is 0 or greater than [`MAX_PROGRAM_STEPS`].
    pub fn run(&mut self, max_steps: u64) -> Result<RunEnd, SuccinctError> {
        if !(1..=MAX_PROGRAM_STEPS).contains(&max_steps) {
            return Err(SuccinctError::StepsOutOfRange { found: max_steps });
        }
        Ok(self.advance(max_steps).unwrap_or(RunEnd::OutOfSteps { steps: self.steps }))
    }

    /// Why the run has ended; `None` if it can continue.
    pub fn end(&self) -> Option<RunEnd> {
        self.end
    }

    /// The program that is executed.
    pub fn program(&self) -> &Arc<GridProgram> {
        &self.program
    }

    /// The grid of symbols after the steps made so far.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Index of the current state in the program.
    pub fn state(&self) -> u8 {
        self.state
    }

    /// Row and column of the head, from 0, including the ring.
    pub fn head(&self) -> (usize, usize) {
        self.head
    }

    /// Number of program steps made so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::succinct::Dataset;

    /// A program on the grid of one example.
    fn program_run(text: &str) -> ProgramRun {
        let data = Dataset::new(vec![vec![1, -1]], vec![-1]).unwrap();
        ProgramRun::new(Arc::new(GridProgram::parse(text).unwrap()), Grid::new(&data, &[1, 1]).unwrap())
    }

    fn describe_end(text: &str, max: u64) -> String {
        let mut program_run = program_run(text);
        let end = program_run.run(max).unwrap();
        assert_eq!(
            (end.steps(), program_run.step().err().unwrap_or(end)),
            (program_run.steps().min(max), end)
        );
        end.describe(program_run.program())
    }

    #[test]
    fn every_end_displays_as_a_sentence() {
        assert_eq!(describe_end("a * → * S b\nb * → * S HALT", 9), "The program halts after step 2.");
        assert_eq!(describe_end("a * → * S b\nb * → * S HALT", 2), "The program halts after step 2.");
        let mut program_run = program_run("a * → * S b\nb * → * S HALT");
        assert_eq!(program_run.run(1).unwrap(), RunEnd::OutOfSteps { steps: 1 });
        assert_eq!(describe_end("a * → * S b\nb * → * S HALT", 1), "The program has not halted by step 1.");
        let steps = "the number of steps must be from 1 to 1048576, but it is 0";
        assert_eq!(program_run.run(0).unwrap_err().to_string(), steps);
        assert_eq!(program_run.run(1 << 21).unwrap_err(), SuccinctError::StepsOutOfRange { found: 1 << 21 });
        let missing =
            "The program stops after step 3 because state b has no rule for the symbol _ in row 0, column 2.";
        assert_eq!(describe_end("a + → - U b\nb - → * L a", 9), missing);
        let below = "The program stops after step 1 because state a moves the head off the grid (D) from row 3, column 3.";
        assert_eq!(describe_end("a * → * D a", 9), below);
        let right = "The program stops after step 1 because state a moves the head off the grid (R) from row 2, column 4.";
        assert_eq!(describe_end("a * → * R a", 9), right);
        let above = "The program stops after step 2 because state a moves the head off the grid (U) from row 0, column 3.";
        assert_eq!(describe_end("a * → * U a", 9), above);
        let left = "The program stops after step 3 because state a moves the head off the grid (L) from row 2, column 0.";
        assert_eq!(describe_end("a * → * L a", 9), left);
    }

    #[test]
    fn a_run_continues_until_it_ends_and_stores_the_reason() {
        let three = "a * → * S b\nb * → * S c\nc * → * S HALT";
        let missing = "a + → - U b\nb - → * L a";
        let leaving = "a * → * S b\nb * → * S c\nc * → * S d\nd * → * R d";
        // The first number of steps for which each end is known: HALT is one that its last step leads to.
        for (text, first) in [(three, 3), (missing, 4), (leaving, 5)] {
            let end = program_run(text).run(100).unwrap();
            let mut program_run = program_run(text);
            for until in [0, 1, 1, 2, 3, 4, 5, 6, 50] {
                let expected = (until >= first).then_some(end);
                assert_eq!(
                    (program_run.advance(until), program_run.end()),
                    (expected, expected),
                    "{text} {until}"
                );
                assert_eq!(program_run.steps(), until.min(end.steps()));
            }
            assert_eq!((program_run.advance(0), program_run.run(1)), (Some(end), Ok(end)));
        }
    }
}
