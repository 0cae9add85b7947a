//! A program as a cellular automaton: in each layer every cell changes by one rule that sees the cell and its four neighbours.
//!
//! ```text
//! phase unknown   1  value 0, and above is the border, padding or a bit → memorise
//!                 2  above or below memorises → memorise
//!                 3  a bit, on the right padding, below padding or the border → compute, with the head in the start state
//!                 4  a neighbour computes → compute
//! memorise           nothing changes
//! compute            the head writes, and leaves for the neighbour to which its rule moves it
//! ```
//!
//! Functions f_msg and f_TM of Goel, Kakade, Kalai and Zhang (2022), appendix B.2, for a block with a [ring](super::grid).
//! Layer 1 sets the head; layer t + 1 makes step t. The message of rule 4 goes one cell further in each layer, and stays
//! ahead of the head if the first step does not move: otherwise the head would be lost.
//!
//! # Why
//! A cell whose neighbourhood did not change in the last layer does not change in this one, whatever the rule is. So only
//! cells next to a change are computed; [`Automaton::layer_of_all`] computes every cell, and tests compare the two.

use std::sync::Arc;

use super::super::data::check_sizes;
use super::super::mistake::Mistake;
use super::code::{Cell, Codes, Phase, readout};
use super::grid::{EMPTY, Grid, MINUS, PLUS};
use super::program::{Move, Program};

/// The moves that lead to a cell, from its neighbours above, below, on the left and on the right.
const TOWARDS: [Move; 4] = [Move::Down, Move::Up, Move::Right, Move::Left];

/// Those neighbours, as moves from the cell.
const AWAY: [Move; 4] = [Move::Up, Move::Down, Move::Left, Move::Right];

/// What a cell becomes; neighbours above, below, on the left and on the right, none at the border.
pub fn local_rule(program: &Program, cell: Cell, near: [Option<Cell>; 4]) -> Cell {
    match cell.phase {
        Phase::Unknown => message(cell, near),
        Phase::Memorise => cell,
        Phase::Compute => step(program, cell, near),
    }
}

fn is_bit(cell: Cell) -> bool {
    cell.symbol == PLUS || cell.symbol == MINUS
}

/// f_msg.
fn message(cell: Cell, near: [Option<Cell>; 4]) -> Cell {
    let [above, below, _, right] = near;
    let memorises = |one: Option<Cell>| one.is_some_and(|one| one.phase == Phase::Memorise);
    let first_empty = cell == Cell::new(EMPTY) && above.is_none_or(|above| above.padding || is_bit(above));
    if first_empty || (!cell.padding && (memorises(above) || memorises(below))) {
        Cell { phase: Phase::Memorise, ..Cell::new(EMPTY) }
    } else if is_bit(cell) && right == Some(Cell::RING) && below.is_none_or(|below| below == Cell::RING) {
        Cell { phase: Phase::Compute, head: Some(0), ..cell }
    } else if near.into_iter().flatten().any(|one| one.phase == Phase::Compute) {
        Cell { phase: Phase::Compute, ..cell }
    } else {
        cell
    }
}

/// f_TM.
fn step(program: &Program, cell: Cell, near: [Option<Cell>; 4]) -> Cell {
    if let Some(state) = cell.head {
        let rule = program.transition(state, cell.symbol);
        let head = (rule.step == Move::Stay).then_some(rule.next);
        return Cell { padding: false, symbol: rule.write, phase: Phase::Compute, head };
    }
    for (one, towards) in near.into_iter().zip(TOWARDS) {
        let Some((from, state)) = one.and_then(|one| Some((one, one.head?))) else { continue };
        let rule = program.transition(state, from.symbol);
        if rule.step == towards {
            return Cell { head: Some(rule.next), ..cell };
        }
    }
    cell
}

/// Rows and columns of all cells, row by row.
fn places(rows: usize, columns: usize) -> Vec<(usize, usize)> {
    (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))).collect()
}

/// A program's automaton on a full table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Automaton {
    program: Arc<Program>,
    codes: Codes,
    rows: usize,
    columns: usize,
    cells: Vec<Cell>,
    /// The neighbours of each cell, in the order of [`AWAY`].
    near: Vec<[Option<usize>; 4]>,
    layers: u64,
    /// Cells that may change in the next layer.
    candidates: Vec<usize>,
    /// The layer after which each cell became a candidate, so that none is one twice.
    since: Vec<u64>,
    changes: Vec<(usize, Cell)>,
}

impl Automaton {
    /// The automaton before its first layer.
    ///
    /// # Errors
    /// Where a rule of the start state moves, or where a cell of the block is blank.
    pub fn new(program: Arc<Program>, grid: &Grid) -> Result<Self, Mistake> {
        program.stays_first()?;
        let (rows, columns) = (grid.rows(), grid.columns());
        let places = places(rows, columns);
        let hole = |(row, column): &&(usize, usize)| {
            !grid.is_ring(*row, *column) && ![PLUS, MINUS].contains(&grid.read(*row, *column))
        };
        if let Some((row, column)) = places.iter().find(hole) {
            return Err(Mistake::Hole { row: *row, column: *column });
        }
        let cell = |(row, column): &(usize, usize)| {
            if grid.is_ring(*row, *column) { Cell::RING } else { Cell::new(grid.read(*row, *column)) }
        };
        let cells = places.iter().map(cell).collect();
        Ok(Automaton::with(program, [rows, columns], cells, 0))
    }

    /// An automaton that goes on from these cells, row by row with the ring, after so many layers.
    ///
    /// It becomes what it would have become without the interruption, cell for cell. Only its first layer takes longer,
    /// because every cell may change in it; so [`Automaton::run`] needs one more layer to see that nothing changes.
    ///
    /// # Errors
    /// Where a rule of the start state moves, where no data set has a grid of this size, where the number of cells is not
    /// rows times columns, or where a cell has a symbol or a state that is not one of the program's.
    pub fn of(
        program: Arc<Program>,
        rows: usize,
        columns: usize,
        cells: Vec<Cell>,
        layers: u64,
    ) -> Result<Self, Mistake> {
        program.stays_first()?;
        check_sizes(columns.saturating_sub(3), rows.saturating_sub(3))?;
        if cells.len() != rows * columns {
            return Err(Mistake::Cells { found: cells.len(), wanted: rows * columns });
        }
        let (symbols, states) = (program.symbols().len(), program.states().len());
        let is_foreign = |cell: &Cell| {
            usize::from(cell.symbol) >= symbols || usize::from(cell.head.unwrap_or(0)) >= states
        };
        if let Some(at) = cells.iter().position(is_foreign) {
            return Err(Mistake::Foreign { row: at / columns, column: at % columns });
        }
        Ok(Automaton::with(program, [rows, columns], cells, layers))
    }

    /// The automaton with these cells, all of which may change in the next layer.
    fn with(program: Arc<Program>, [rows, columns]: [usize; 2], cells: Vec<Cell>, layers: u64) -> Self {
        let neighbour = |(row, column): (usize, usize), away: Move| {
            let to = away.from(row, column).filter(|(row, column)| *row < rows && *column < columns);
            to.map(|(row, column)| row * columns + column)
        };
        let near = places(rows, columns).into_iter().map(|place| AWAY.map(|away| neighbour(place, away)));
        Automaton {
            codes: Codes::new(&program),
            program,
            rows,
            columns,
            near: near.collect(),
            layers,
            candidates: (0..cells.len()).collect(),
            since: vec![layers; cells.len()],
            changes: Vec::new(),
            cells,
        }
    }

    /// What a cell becomes.
    fn next(&self, at: usize) -> Cell {
        let near = self.near[at].map(|one| one.map(|one| self.cells[one]));
        local_rule(&self.program, self.cells[at], near)
    }

    /// One layer; how many cells it changed.
    pub fn layer(&mut self) -> usize {
        let mut changes = std::mem::take(&mut self.changes);
        let next = self.candidates.iter().map(|at| (*at, self.next(*at)));
        changes.extend(next.filter(|(at, cell)| self.cells[*at] != *cell));
        self.accept(changes)
    }

    /// The same layer, with every cell computed.
    pub fn layer_of_all(&mut self) -> usize {
        let next = (0..self.cells.len()).map(|at| (at, self.next(at)));
        let changes = next.filter(|(at, cell)| self.cells[*at] != *cell).collect();
        self.accept(changes)
    }

    /// Puts changes in, and lists the cells that may change next.
    fn accept(&mut self, mut changes: Vec<(usize, Cell)>) -> usize {
        self.layers += 1;
        self.candidates.clear();
        let count = changes.len();
        for (at, cell) in changes.drain(..) {
            self.cells[at] = cell;
            for one in self.near[at].into_iter().flatten().chain([at]) {
                if self.since[one] != self.layers {
                    self.since[one] = self.layers;
                    self.candidates.push(one);
                }
            }
        }
        self.changes = changes;
        count
    }

    /// Layers until no cell changes, but at most so many in all; whether no cell can change any more.
    pub fn run(&mut self, most: u64) -> bool {
        while self.layers < most && !self.candidates.is_empty() {
            self.layer();
        }
        self.candidates.is_empty()
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Layers made.
    pub fn layers(&self) -> u64 {
        self.layers
    }

    /// The cells, row by row with the ring.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Rows and columns, with the ring.
    pub fn size(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// The code words of the cells.
    pub fn codes(&self) -> Codes {
        self.codes
    }

    /// Row, column and state of the head; none before the first layer, and after it left the grid.
    pub fn head(&self) -> Option<(usize, usize, u8)> {
        let found = self.cells.iter().enumerate().find_map(|(at, cell)| Some((at, cell.head?)));
        found.map(|(at, state)| (at / self.columns, at % self.columns, state))
    }

    /// The output of the network if these were its last layer: the sum of [`readout`] over the block, as a numerator over
    /// [`Codes::unit`].
    pub fn output(&self) -> i64 {
        let inside = |row: &[Cell]| -> i64 {
            let block = row.iter().take(self.columns - 1).skip(1);
            block.map(|cell| readout(self.codes.encode(*cell), self.codes.unit())).sum()
        };
        self.cells.chunks(self.columns).take(self.rows - 1).skip(1).map(inside).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::succinct::Data;

    #[test]
    fn the_message_is_ahead_of_the_head_only_if_the_first_step_stays() {
        let data = Data::new(vec![vec![1; 5]; 3], vec![1; 3]).unwrap();
        let grid = Grid::new(&data, &[1; 5]).unwrap();
        let staying = Arc::new(Program::parse("a * → * S b\nb * → * L b").unwrap());
        let mut automaton = Automaton::new(Arc::clone(&staying), &grid).unwrap();
        let heads: Vec<_> = (0..5).map(|_| (automaton.layer(), automaton.head())).collect();
        // Layer 1 sets the head; layer 2 changes its state and tells four neighbours; layer 3 moves it and tells the next six.
        let head = |column, state| Some((4, column, state));
        assert_eq!(
            heads.iter().map(|one| one.1).collect::<Vec<_>>(),
            [head(6, 0), head(6, 1), head(5, 1), head(4, 1), head(3, 1)]
        );
        assert_eq!(heads[..3].iter().map(|one| one.0).collect::<Vec<_>>(), [1, 5, 8]);
        let mut automaton = Automaton::new(staying, &grid).unwrap();
        automaton.program = Arc::new(Program::parse("a * → * L a").unwrap());
        automaton.layer();
        assert_eq!(automaton.head(), head(6, 0));
        automaton.layer();
        assert_eq!(automaton.head(), None);
    }
}
