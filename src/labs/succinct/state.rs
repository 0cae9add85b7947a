//! What the page knows of a run: the examples, the table and the cells after the newest step, or what the search has found.

use std::sync::Arc;

use super::probes::MEMORY;
use vivarium_model::models::Family;
use vivarium_model::models::cell_rules::{BEST, CLOUD, CellRules, RULE, SIDE, rule_of};
use vivarium_model::models::recurrent_conv::{CELLS, RecurrentConv, TABLE, examples};
use vivarium_model::permalink::Link;
use vivarium_model::protocol::Finding;
use vivarium_model::run::RunSpec;
use vivarium_science::succinct::LearningProblem;
use vivarium_science::succinct::data::SampledProblem;
use vivarium_science::succinct::grid::{
    Automaton, AutomatonCell, BLANK_INDEX, CellCodes, CellPhase, Grid, GridProgram, GridRule as Transition,
    MINUS_INDEX, PLUS_INDEX, TABLE_DENOMINATOR, TableTraining, TapePadding, output,
};
use vivarium_science::succinct::search::{CellRule, QueryDistribution};
use vivarium_view::display::LabState;

/// What is known of a run: that of its first replica.
#[derive(Debug, Clone)]
pub struct SuccinctState {
    /// What is to be learned.
    pub problem: LearningProblem,
    /// The concept and the examples.
    pub drawn: SampledProblem,
    /// The test input that is shown.
    pub query: Vec<i8>,
    /// Steps made.
    pub step: u64,
    /// What belongs to the model.
    pub of: Of,
}

/// What belongs to the model of the run.
#[derive(Debug, Clone)]
pub enum Of {
    /// A program on the table.
    Program(Box<OnTable>),
    /// A search among rules.
    Search(Box<Searched>),
}

/// A network that runs a program.
#[derive(Debug, Clone)]
pub struct OnTable {
    /// The network's settings.
    pub net: RecurrentConv,
    /// The program.
    pub program: Arc<GridProgram>,
    /// W, `[m + 1, d + 1]`.
    pub table: Vec<f32>,
    /// ∂loss/∂W in the newest step of SGD, `[m + 1, d + 1]`; all 0 before the first.
    pub gradient: Vec<f32>,
    /// The cells, `[m + 3, columns]`; all blank before the first layer.
    pub cells: Vec<AutomatonCell>,
    /// Columns of cells: d + 3, and more while the head is farther to the right on the working tape.
    pub columns: usize,
    /// Columns of the table, d + 1.
    pub block: usize,
    /// Columns that the working tape may have.
    pub tape: u64,
}

/// A search among rules.
#[derive(Debug, Clone)]
pub struct Searched {
    /// The settings of the search.
    pub net: CellRules,
    /// The kind of problem.
    pub task: QueryDistribution,
    /// The rule that is chosen so far; none before the first restart.
    pub rule: Option<CellRule>,
    /// Its points on the validation queries in halves, 1 + the restart that found it, and how many good rules were tried.
    pub best: [f32; 3],
    /// Counts of rules tried by validation accuracy (row) and test accuracy (column), `[SIDE, SIDE]`.
    pub cloud: Vec<f32>,
}

impl SuccinctState {
    /// Of a run, before its first step; none of a run that is refused.
    pub fn of(spec: &RunSpec) -> Option<Self> {
        let problem = spec.task.examples().learning_problem()?;
        let drawn = problem.sample(spec.run.seed, 0).ok()?;
        let query = problem.test_input(&drawn);
        let ([rows, columns], [high, wide]) = (problem.table_size(), problem.grid_size());
        let of = match spec.model.config().family()? {
            Family::ProgramOnGrid(net) => Of::Program(Box::new(OnTable {
                program: Arc::new(net.program().ok()?),
                table: vec![0.0; rows * columns],
                gradient: vec![0.0; rows * columns],
                cells: vec![AutomatonCell::from_number(0)?; high * wide],
                columns: wide,
                block: columns,
                tape: net.columns([high, wide], spec.run.replicas),
                net,
            })),
            Family::RuleSearch(net) => Of::Search(Box::new(Searched {
                task: QueryDistribution::new(problem.family, problem.inputs, problem.examples, problem.noise)
                    .ok()?,
                rule: None,
                best: [0.0; 3],
                cloud: vec![0.0; SIDE * SIDE],
                net,
            })),
            _ => return None,
        };
        Some(SuccinctState { problem, drawn, query, step: 0, of })
    }

    /// The network that runs a program; none of a search.
    pub fn on_table(&self) -> Option<&OnTable> {
        match &self.of {
            Of::Program(own) => Some(own),
            Of::Search(_) => None,
        }
    }

    /// The search; none of a network that runs a program.
    pub fn searched(&self) -> Option<&Searched> {
        match &self.of {
            Of::Search(own) => Some(own),
            Of::Program(_) => None,
        }
    }

    /// Rows of the table that are written.
    pub fn rows(&self) -> usize {
        usize::try_from(self.step.min(self.problem.writing_steps())).unwrap_or(usize::MAX)
    }

    /// Layers applied since the table was full.
    pub fn layers(&self) -> u64 {
        self.step.saturating_sub(self.problem.writing_steps())
    }
}

impl OnTable {
    /// Row, column and state of the head, with the ring; none before the first layer, and after the head left the grid.
    pub fn head(&self) -> Option<(usize, usize, u8)> {
        let found = self.cells.iter().enumerate().find_map(|(at, cell)| Some((at, cell.head?)));
        found.map(|(at, state)| (at / self.columns.max(1), at % self.columns.max(1), state))
    }

    /// The rule that the next layer applies at the head; none where there is no head, or where it has halted.
    pub fn next_rule(&self) -> Option<(u8, u8, Transition)> {
        let cell = self.cells.iter().find(|cell| cell.head.is_some())?;
        let state = cell.head.filter(|state| !self.program.is_halt(*state))?;
        Some((state, cell.symbol, self.program.rule(state, cell.symbol)?))
    }

    /// Whether the head is in the state HALT.
    pub fn has_halted(&self) -> bool {
        self.cells.iter().any(|cell| cell.head.is_some_and(|state| self.program.is_halt(state)))
    }

    /// The prediction of the program once it has halted: the top-left cell of the block holds + or −, and all
    /// other cells of the block are blank.
    pub fn prediction(&self) -> Option<i8> {
        let columns = self.columns.max(1);
        let corner = columns + 1;
        let rows = self.cells.len() / columns;
        let is_inside = |at: usize| {
            (1..rows.saturating_sub(1)).contains(&(at / columns))
                && (1..=self.block).contains(&(at % columns))
        };
        let mut others = self.cells.iter().enumerate().filter(|(at, _)| *at != corner && is_inside(*at));
        let are_blank = others.all(|(_, cell)| cell.symbol == BLANK_INDEX);
        let symbol = self.cells.get(corner).filter(|_| are_blank && self.has_halted())?.symbol;
        match symbol {
            PLUS_INDEX => Some(1),
            MINUS_INDEX => Some(-1),
            _ => None,
        }
    }

    /// The output f of the network with the layers that are applied: the sum of the head over the cells of the table
    /// (definition 5), as a numerator and what it is over.
    pub fn output(&self) -> (i64, i64) {
        let codes = CellCodes::new(&self.program);
        (output(codes, &self.cells, self.columns, self.block), codes.denominator())
    }

    /// The answer of the network once the program has halted: its prediction, where f is the prediction.
    pub fn answer(&self) -> Option<i8> {
        let (f, unit) = self.output();
        self.prediction().filter(|prediction| f == i64::from(*prediction) * unit)
    }

    /// The cells after so many layers with those of the working tape, made anew from the table.
    fn with_tape(
        &self,
        problem: &LearningProblem,
        query: &[i8],
        layers: u64,
    ) -> Option<(Vec<AutomatonCell>, usize)> {
        let data = examples(&self.table, problem).ok()?;
        let grid = Grid::new(&data, query).ok()?.with_tape(self.tape);
        let mut network = Automaton::new(self.program.clone(), &grid).ok()?;
        network.run(layers);
        Some((network.cells().to_vec(), network.size().1))
    }

    /// How many cells compute.
    pub fn computing(&self) -> usize {
        self.cells.iter().filter(|cell| cell.phase == CellPhase::Compute).count()
    }
}

/// ∂loss/∂W of the step of SGD that wrote row `row`, from the table before it, and 0 everywhere where nothing was written.
fn gradient(
    problem: &LearningProblem,
    drawn: &SampledProblem,
    table: &[f32],
    row: Option<usize>,
) -> Vec<f32> {
    let nothing = || vec![0.0; table.len()];
    let Some(row) = row else { return nothing() };
    let columns = problem.inputs + 1;
    let before = table.iter().enumerate().map(|(at, w)| {
        // Later rows were 0.
        if at / columns < row {
            libm::round(f64::from(w.clamp(-9.0, 9.0)) * TABLE_DENOMINATOR as f64) as i64
        } else {
            0
        }
    });
    let before: Vec<i64> = before.collect();
    let written = || {
        let mut tape =
            TableTraining::resume(problem.inputs, problem.examples, TapePadding::Ring, before.clone(), row)
                .ok()?;
        match (drawn.data.inputs().get(row), drawn.data.labels().get(row)) {
            (Some(x), Some(y)) => tape.train_on(x, *y).ok()?,
            _ => tape.train_on_dummy().ok()?,
        };
        Some(tape)
    };
    let Some(tape) = written() else { return nothing() };
    // W falls by 1/54 of the gradient, and its numbers are numerators over 54.
    before.iter().zip(&tape.weights().values).map(|(before, after)| (before - after) as f32).collect()
}

impl LabState for SuccinctState {
    fn cloned(&self) -> Box<dyn LabState> {
        Box::new(self.clone())
    }

    fn found(&mut self, step: u64, finding: &Finding, link: &Link) {
        // A finding of another run has other sizes.
        let Some(parameters) = MEMORY.parameters(&link.spec, finding) else { return };
        self.step = step;
        let (newest, layers) = (self.rows().checked_sub(1), self.layers());
        match &mut self.of {
            Of::Program(own) => {
                let (Some(table), Some(cells)) = (parameters.get(TABLE), parameters.get(CELLS)) else {
                    return;
                };
                own.gradient = gradient(&self.problem, &self.drawn, table, newest);
                own.table.clone_from(table);
                let blank = AutomatonCell::from_number(0);
                let cell = |number: &f32| AutomatonCell::from_number(*number as u16).or(blank);
                own.cells = cells.iter().filter_map(cell).collect();
                own.columns = own.block + 2;
                if layers > 0 && own.tape > 1 && own.head().is_none() {
                    if let Some((cells, columns)) = own.with_tape(&self.problem, &self.query, layers) {
                        (own.cells, own.columns) = (cells, columns);
                    }
                }
            }
            Of::Search(own) => {
                let (Some(rule), Some(best), Some(cloud)) =
                    (parameters.get(RULE), parameters.get(BEST), parameters.get(CLOUD))
                else {
                    return;
                };
                own.best = std::array::from_fn(|at| best.get(at).copied().unwrap_or(0.0));
                own.rule = (own.best[1] > 0.0).then(|| rule_of(rule));
                own.cloud.clone_from(cloud);
            }
        }
    }
}
