//! The execution of the run's program for one test input, step by step, and the columns that it rejects.

use std::sync::Arc;

use vivarium_model::models::Family;
use vivarium_model::models::recurrent_conv::{Chosen, RecurrentConv};
use vivarium_model::run::RunSpec;
use vivarium_science::succinct::grid::{BLANK_INDEX, Grid, GridProgram, NetworkOutput, ProgramRun, RunEnd};
use vivarium_science::succinct::{LearningProblem, SampledProblem};

/// Largest number of rows of the grid, with the ring of blank cells, of which a picture is drawn.
const MAX_ROWS: usize = 18;
/// Largest number of columns of the grid, with the ring of blank cells, of which a picture is drawn.
const MAX_COLUMNS: usize = 13;
/// Largest number of program steps that are executed for a test input; the programs of the library halt earlier on the
/// grids that are drawn.
const MAX_STEPS: u64 = 1 << 13;

/// The network's settings and the learning problem, if the network executes a valid program on a small grid.
pub(super) fn drawable_program(spec: &RunSpec) -> Option<(RecurrentConv, LearningProblem)> {
    let Family::ProgramOnGrid(net) = spec.model.config().family()? else { return None };
    let problem = spec.task.data().learning_problem()?;
    let [rows, columns] = problem.grid_size();
    let is_small = rows <= MAX_ROWS && columns <= MAX_COLUMNS;
    let is_complete = [0, problem.inputs].contains(&problem.fixed_input.len());
    let is_valid = net.program != Chosen::Own || net.program().is_ok();
    let is_copied = crate::parameters::check_is_small(spec).is_ok();
    (is_small && is_complete && is_valid && is_copied).then_some((net, problem))
}

/// Parts that all test inputs of a run share: the program and the examples.
#[derive(Debug, Clone)]
pub(super) struct Machine {
    /// Settings of the network whose filter contains the program.
    pub(super) net: RecurrentConv,
    /// The program.
    pub(super) program: Arc<GridProgram>,
    /// Learning problem of the run.
    pub(super) problem: LearningProblem,
    /// Concept and training examples of the first replica.
    pub(super) sample: SampledProblem,
    /// Computes the network's output after a halt.
    output: NetworkOutput,
    /// Maximum number of columns of the working tape.
    tape: u64,
}

/// The head before one step of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    /// Row and column of the head, from 0 with the ring of blank cells.
    pub(super) head: (usize, usize),
    /// Index of the state.
    pub(super) state: u8,
    /// Index of the symbol that the head reads.
    pub(super) read: u8,
    /// Index of the symbol that the step writes; the symbol read if no step follows.
    write: u8,
}

/// A decision of the program on a column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Event {
    /// First time at which the decision has been made.
    pub(super) time: usize,
    /// Number of the column, from 1.
    pub(super) column: usize,
    /// Whether the column is rejected: it has both signs, or no pivot. Else it is accepted.
    pub(super) is_rejected: bool,
}

/// The execution of a program for one test input.
///
/// Time counts steps of the run: first each step writes a row of the table, then each step applies a layer. The first
/// layer places the head.
#[derive(Debug, Clone)]
pub(super) struct Course {
    /// The test input, `[d]`, with entries ±1.
    pub(super) query: Vec<i8>,
    /// The true label of the test input, ±1.
    pub(super) label: i8,
    /// The network's answer at the end, ±1; `None` if it gives none.
    pub(super) answer: Option<i8>,
    /// Whether the program halts.
    pub(super) is_halting: bool,
    /// Number of rows of the table, m + 1, each written in one step of SGD.
    pub(super) rows: usize,
    /// Decisions on columns, in the order of time.
    pub(super) events: Vec<Event>,
    /// Grid before the first layer.
    first: Grid,
    /// The head before each step of the program, and after the last one.
    moments: Vec<Moment>,
}

impl Machine {
    /// The program and the examples of a run; `None` if the lab has no picture of it.
    pub(super) fn new(spec: &RunSpec) -> Option<Machine> {
        let (net, problem) = drawable_program(spec)?;
        let program = Arc::new(net.program().ok()?);
        Some(Machine {
            output: NetworkOutput::new(&program),
            sample: problem.sample(spec.run.seed, 0).ok()?,
            tape: net.columns(problem.grid_size(), spec.run.replicas),
            net,
            program,
            problem,
        })
    }

    /// Test input number `index`, from 0, with entries ±1; number 0 is the one of the run.
    pub(super) fn test_input(&self, index: u64) -> Vec<i8> {
        if index == 0 { self.problem.test_input(&self.sample) } else { self.sample.test_input(index) }
    }

    /// The program before its first step on the examples and the test input `query`.
    fn start(&self, query: &[i8]) -> Option<ProgramRun> {
        let grid = Grid::new(&self.sample.data, query).ok()?.with_tape(self.tape);
        Some(ProgramRun::new(self.program.clone(), grid))
    }

    /// The network's answer ±1 to the test input `query`; `None` if it gives none.
    pub(super) fn answer(&self, query: &[i8]) -> Option<i8> {
        let mut run = self.start(query)?;
        run.advance(MAX_STEPS);
        self.output.answer(&run, u64::MAX)
    }

    /// Executes the program for the test input `query`.
    pub(super) fn execute(&self, query: &[i8]) -> Option<Course> {
        let mut run = self.start(query)?;
        let first = run.grid().clone();
        let mut moments = vec![];
        loop {
            let (head, state) = (run.head(), run.state());
            let read = run.grid().symbol_at(head.0, head.1);
            let is_cut = run.steps() >= MAX_STEPS && !self.program.is_halt(state);
            let is_last = is_cut || run.step().is_err();
            moments.push(Moment { head, state, read, write: run.grid().symbol_at(head.0, head.1) });
            if is_last {
                break;
            }
        }
        Some(Course {
            query: query.to_vec(),
            label: self.sample.concept.label(query),
            answer: self.output.answer(&run, u64::MAX),
            is_halting: matches!(run.end(), Some(RunEnd::Halted { .. })),
            rows: first.block_size().0,
            events: self.find_events(&moments, first.block_size().0),
            first,
            moments,
        })
    }

    /// The decisions on columns that the states of a library's program show; none for a program of the user. The table has
    /// `rows` rows.
    fn find_events(&self, moments: &[Moment], rows: usize) -> Vec<Event> {
        let mut events = vec![];
        for (step, pair) in moments.windows(2).enumerate() {
            let [before, after] = pair else { continue };
            let states = [before, after].map(|moment| self.program.state_name(moment.state));
            let is_rejected = match (self.net.program, states) {
                // A cell differs from the bottom cell of its column; no cell is left that can be a pivot.
                (Chosen::Dictator, ["U+" | "U-", "D"]) | (Chosen::Parity, ["Gf", "Gu"]) => true,
                // The head has left the top of a column with equal signs; it has found a pivot.
                (Chosen::Dictator, ["U+" | "U-", "O+" | "O-"]) | (Chosen::Parity, ["Gf", "Pl"]) => false,
                _ => continue,
            };
            // Layer 1 places the head, and layer `step` + 2 makes the step after moment `step`.
            events.push(Event { time: rows + step + 2, column: before.head.1, is_rejected });
        }
        events
    }
}

impl Course {
    /// The last time, at which the program has ended.
    pub(super) fn total(&self) -> usize {
        self.rows + self.moments.len()
    }

    /// Number of layers until the program has ended.
    pub(super) fn layers(&self) -> usize {
        self.moments.len()
    }

    /// The head at a time; `None` while the table is written, and after the end.
    pub(super) fn moment(&self, time: usize) -> Option<&Moment> {
        self.moments.get(time.checked_sub(self.rows + 1)?)
    }

    /// Numbers of rows and columns of the grid without further columns of the working tape.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.first.rows(), self.first.columns())
    }

    /// Indices of the symbols in all cells at a time, row by row; rows of the table that SGD has not written are blank.
    pub(super) fn symbols(&self, time: usize) -> Vec<u8> {
        let mut cells = self.first.symbols().to_vec();
        if let Some(unwritten) = cells.get_mut((time + 1).saturating_mul(self.first.columns())..) {
            unwritten.fill(BLANK_INDEX);
        }
        for moment in self.moments.iter().take(time.saturating_sub(self.rows + 1)) {
            let at = self.first.index(moment.head.0, moment.head.1);
            if let Some(cell) = at.and_then(|at| cells.get_mut(at)) {
                *cell = moment.write;
            }
        }
        cells
    }

    /// Columns that the program has rejected until a time, in this order, counted from 1.
    pub(super) fn rejected(&self, time: usize) -> Vec<usize> {
        let until = self.events.iter().filter(|event| event.is_rejected && event.time <= time);
        until.map(|event| event.column).collect()
    }
}
