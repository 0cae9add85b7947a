//! State of the lab for a run: the examples, the table and the cells after the latest step, or the result of the
//! search.

use std::sync::Arc;

use super::probes::MEMORY;
use vivarium_model::models::Family;
use vivarium_model::models::cell_rules::{BEST, CLOUD, CellRules, RULE, SIDE, rule_of};
use vivarium_model::models::recurrent_conv::{CELLS, RecurrentConv, TABLE, examples};
use vivarium_model::permalink::Link;
use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_science::succinct::LearningProblem;
use vivarium_science::succinct::data::SampledProblem;
use vivarium_science::succinct::grid::{
    Automaton, AutomatonCell, BLANK_INDEX, CellCodes, CellPhase, Grid, GridProgram, GridRule as Transition,
    MINUS_INDEX, PLUS_INDEX, TABLE_DENOMINATOR, TableTraining, TapePadding, output,
};
use vivarium_science::succinct::search::{CellRule, QueryDistribution};
use vivarium_view::display::LabState;

/// State of the lab for the first replica of one run: learning problem, examples, and program or search.
#[derive(Debug, Clone)]
pub struct SuccinctState {
    /// Learning problem of the run: kind of concept, number of inputs d and of examples m, and label noise.
    pub problem: LearningProblem,
    /// Concept (true labelling function) and training examples drawn for the first replica.
    pub sample: SampledProblem,
    /// Test input shown in the panel, with entries ±1, `[d]` for d inputs.
    pub query: Vec<i8>,
    /// Steps executed so far; first each step of SGD writes a row of the table, then each step applies a layer.
    pub step: u64,
    /// Part of the state that depends on whether the model runs a program or searches among rules.
    pub model_state: ModelState,
}

/// Part of the lab's state that depends on the kind of model.
#[derive(Debug, Clone)]
pub enum ModelState {
    /// State of a network that runs a program on the table of examples.
    Program(Box<ProgramState>),
    /// State of a search among cell-update rules for one that learns.
    Search(Box<SearchState>),
}

/// State of a network that writes examples into a table and runs a program on it.
#[derive(Debug, Clone)]
pub struct ProgramState {
    /// Settings of the recurrent convolutional network whose filter contains the program.
    pub net: RecurrentConv,
    /// Program whose rules the network's filter applies on the grid of cells.
    pub program: Arc<GridProgram>,
    /// Table W of weights in which SGD stores m examples of d inputs and a dummy example, `[m + 1, d + 1]`.
    pub table: Vec<f32>,
    /// Gradient ∂loss/∂W of the table in the latest step of SGD, `[m + 1, d + 1]`; 0 before the first step.
    pub gradient: Vec<f32>,
    /// Cells of the automaton, with a ring of padding around the table, `[m + 3, columns]`; blank before the first
    /// layer.
    pub cells: Vec<AutomatonCell>,
    /// Number of columns of `cells`, including the padding: d + 3 for d inputs, and more once the head goes farther to
    /// the right, on the working tape.
    pub columns: usize,
    /// Number of columns of the table, d + 1 for d inputs and the label.
    pub table_columns: usize,
    /// Maximum number of columns on the working tape, the cells to the right of the table.
    pub max_tape_columns: u64,
}

/// State of a search among cell-update rules for one that learns.
#[derive(Debug, Clone)]
pub struct SearchState {
    /// Settings of the search among cell-update rules, such as the number of validation queries.
    pub net: CellRules,
    /// Distribution of the queries (examples of a random concept and a test input) on which rules are tested.
    pub queries: QueryDistribution,
    /// Rule with the best validation accuracy so far; `None` before the first restart of the search.
    pub rule: Option<CellRule>,
    /// Statistics of the search: twice the number of validation queries that the chosen rule answers right (a query
    /// with sum 0 counts half), the number of the restart that found it, from 1, and the number of rules tried that
    /// answer at least 95 % of all queries right.
    pub chosen_stats: [f32; 3],
    /// Number of rules tried, by discretised validation accuracy (row) and test accuracy (column), `[SIDE, SIDE]`,
    /// where `SIDE` is the number of levels of an accuracy.
    pub rule_counts: Vec<f32>,
}

impl SuccinctState {
    /// State of the lab before the run's first step; `None` if the settings of its learning problem or program are
    /// invalid.
    pub fn new(spec: &RunSpec) -> Option<Self> {
        let problem = spec.task.data().learning_problem()?;
        let drawn = problem.sample(spec.run.seed, 0).ok()?;
        let query = problem.test_input(&drawn);
        let ([rows, columns], [high, wide]) = (problem.table_size(), problem.grid_size());
        let of = match spec.model.config().family()? {
            Family::ProgramOnGrid(net) => ModelState::Program(Box::new(ProgramState {
                program: Arc::new(net.program().ok()?),
                table: vec![0.0; rows * columns],
                gradient: vec![0.0; rows * columns],
                cells: vec![AutomatonCell::from_number(0)?; high * wide],
                columns: wide,
                table_columns: columns,
                max_tape_columns: net.columns([high, wide], spec.run.replicas),
                net,
            })),
            Family::RuleSearch(net) => ModelState::Search(Box::new(SearchState {
                queries: QueryDistribution::new(
                    problem.family,
                    problem.inputs,
                    problem.examples,
                    problem.noise,
                )
                .ok()?,
                rule: None,
                chosen_stats: [0.0; 3],
                rule_counts: vec![0.0; SIDE * SIDE],
                net,
            })),
            _ => return None,
        };
        Some(SuccinctState { problem, sample: drawn, query, step: 0, model_state: of })
    }

    /// State of a network that runs a program; `None` if the model is a search.
    pub fn program_state(&self) -> Option<&ProgramState> {
        match &self.model_state {
            ModelState::Program(own) => Some(own),
            ModelState::Search(_) => None,
        }
    }

    /// State of a search among rules; `None` if the network runs a program.
    pub fn search_state(&self) -> Option<&SearchState> {
        match &self.model_state {
            ModelState::Search(own) => Some(own),
            ModelState::Program(_) => None,
        }
    }

    /// Number of rows of the table of examples that SGD has written so far, the dummy example included.
    pub fn rows_written(&self) -> usize {
        usize::try_from(self.step.min(self.problem.writing_steps())).unwrap_or(usize::MAX)
    }

    /// Number of layers of the network applied since the table was full.
    pub fn layers_applied(&self) -> u64 {
        self.step.saturating_sub(self.problem.writing_steps())
    }
}

impl ProgramState {
    /// Row and column of the program's head in `cells`, from 0 with the ring of padding, and number of its state;
    /// `None` before the first layer, and after the head has left the grid.
    pub fn head_position(&self) -> Option<(usize, usize, u8)> {
        let found = self.cells.iter().enumerate().find_map(|(at, cell)| Some((at, cell.head?)));
        found.map(|(at, state)| (at / self.columns.max(1), at % self.columns.max(1), state))
    }

    /// Number of the head's state, index of the symbol in its cell, and the rule that the next layer applies there;
    /// `None` without a head or a matching rule, or after a halt.
    pub fn next_rule(&self) -> Option<(u8, u8, Transition)> {
        let cell = self.cells.iter().find(|cell| cell.head.is_some())?;
        let state = cell.head.filter(|state| !self.program.is_halt(*state))?;
        Some((state, cell.symbol, self.program.rule(state, cell.symbol)?))
    }

    /// Whether the program's head is in the state HALT.
    pub fn has_halted(&self) -> bool {
        self.cells.iter().any(|cell| cell.head.is_some_and(|state| self.program.is_halt(state)))
    }

    /// Prediction of the program after a halt, ±1: the symbol + or − in the top-left cell; `None` unless all other
    /// cells of the table are blank.
    pub fn prediction(&self) -> Option<i8> {
        let columns = self.columns.max(1);
        let corner = columns + 1;
        let rows = self.cells.len() / columns;
        let is_inside = |at: usize| {
            (1..rows.saturating_sub(1)).contains(&(at / columns))
                && (1..=self.table_columns).contains(&(at % columns))
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

    /// Output f of the network after the applied layers, as (numerator, denominator): the sum of its output function
    /// over the cells of the table (definition 5 of Goel et al. 2022).
    pub fn compute_output(&self) -> (i64, i64) {
        let codes = CellCodes::new(&self.program);
        (output(codes, &self.cells, self.columns, self.table_columns), codes.denominator())
    }

    /// Answer of the network, ±1, after a halt: the program's prediction if the output f equals it, else `None`.
    pub fn answer(&self) -> Option<i8> {
        let (f, unit) = self.compute_output();
        self.prediction().filter(|prediction| f == i64::from(*prediction) * unit)
    }

    /// Cells of the automaton after `layers` layers for the test input `query`, recomputed from the table, and their
    /// number of columns; `None` if the table does not hold valid examples.
    fn simulate_with_tape(
        &self,
        problem: &LearningProblem,
        query: &[i8],
        layers: u64,
    ) -> Option<(Vec<AutomatonCell>, usize)> {
        let data = examples(&self.table, problem).ok()?;
        let grid = Grid::new(&data, query).ok()?.with_tape(self.max_tape_columns);
        let mut network = Automaton::new(self.program.clone(), &grid).ok()?;
        network.run(layers);
        Some((network.cells().to_vec(), network.size().1))
    }

    /// Number of the automaton's cells in the compute phase: those that the message "compute" from the full table has
    /// reached.
    pub fn computing_cells(&self) -> usize {
        self.cells.iter().filter(|cell| cell.phase == CellPhase::Compute).count()
    }
}

/// Gradient ∂loss/∂W, `[m + 1, d + 1]` for m examples of d inputs, in the step of SGD that wrote row `row` (from 0) of
/// the table W, from the table before that step; 0 if `row` is `None`.
fn compute_gradient(
    problem: &LearningProblem,
    sample: &SampledProblem,
    table: &[f32],
    row: Option<usize>,
) -> Vec<f32> {
    let zeros = || vec![0.0; table.len()];
    let Some(row) = row else { return zeros() };
    let columns = problem.inputs + 1;
    let before = table.iter().enumerate().map(|(at, w)| {
        // Rows after `row` were 0.
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
        match (sample.data.inputs().get(row), sample.data.labels().get(row)) {
            (Some(x), Some(y)) => tape.train_on(x, *y).ok()?,
            _ => tape.train_on_dummy().ok()?,
        };
        Some(tape)
    };
    let Some(tape) = written() else { return zeros() };
    // W falls by 1/54 of the gradient, and its numbers are numerators over 54.
    before.iter().zip(&tape.weights().values).map(|(before, after)| (before - after) as f32).collect()
}

impl LabState for SuccinctState {
    fn clone_boxed(&self) -> Box<dyn LabState> {
        Box::new(self.clone())
    }

    fn add_finding(&mut self, step: u64, finding: &ProbeResult, link: &Link) {
        // A finding of another run can have other sizes and is ignored.
        let Some(parameters) = MEMORY.parameters(&link.spec, finding) else { return };
        self.step = step;
        let (newest, layers) = (self.rows_written().checked_sub(1), self.layers_applied());
        match &mut self.model_state {
            ModelState::Program(own) => {
                let (Some(table), Some(cells)) = (parameters.get(TABLE), parameters.get(CELLS)) else {
                    return;
                };
                own.gradient = compute_gradient(&self.problem, &self.sample, table, newest);
                own.table.clone_from(table);
                let blank = AutomatonCell::from_number(0);
                let cell = |number: &f32| AutomatonCell::from_number(*number as u16).or(blank);
                own.cells = cells.iter().filter_map(cell).collect();
                own.columns = own.table_columns + 2;
                if layers > 0
                    && own.max_tape_columns > 1
                    && own.head_position().is_none()
                    && let Some((cells, columns)) = own.simulate_with_tape(&self.problem, &self.query, layers)
                {
                    (own.cells, own.columns) = (cells, columns);
                }
            }
            ModelState::Search(own) => {
                let (Some(rule), Some(best), Some(cloud)) =
                    (parameters.get(RULE), parameters.get(BEST), parameters.get(CLOUD))
                else {
                    return;
                };
                own.chosen_stats = std::array::from_fn(|at| best.get(at).copied().unwrap_or(0.0));
                own.rule = (own.chosen_stats[1] > 0.0).then(|| rule_of(rule));
                own.rule_counts.clone_from(cloud);
            }
        }
    }
}
