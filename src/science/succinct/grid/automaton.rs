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
//! ahead of the head if the first step does not move: otherwise the head would be lost. In both the order of the cases is that
//! of the paper, and what is read there as x_{−1,0} where the head is on the right is x_{0,1}. Rule 3 is said to be about the
//! bottom-left cell; its condition is that of the bottom-right cell, where appendix B.3 has it.
//!
//! # Why
//! A cell whose neighbourhood did not change in the last layer does not change in this one, whatever the rule is. So only
//! cells next to a change are computed; [`Automaton::layer_of_all`] computes every cell, and tests compare the two. Of the
//! working tape only the columns that the head has been near are kept. A column that is added gets the phase that the
//! message has given it meanwhile: a cell computes after as many layers as it is cells away from the start, and one.

use std::sync::Arc;

use super::super::data::check_sizes;
use super::super::mistake::Mistake;
use super::code::{Cell, Codes, Phase, readout};
use super::grid::{Columns, EMPTY, Grid, MINUS, PLUS};
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

/// The neighbours of each cell, in the order of [`AWAY`].
fn neighbours(rows: usize, columns: usize) -> Vec<[Option<usize>; 4]> {
    let neighbour = |(row, column): (usize, usize), away: Move| {
        let to = away.from(row, column).filter(|(row, column)| *row < rows && *column < columns);
        to.map(|(row, column)| row * columns + column)
    };
    places(rows, columns).into_iter().map(|place| AWAY.map(|away| neighbour(place, away))).collect()
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
    columns: Columns,
    cells: Vec<Cell>,
    /// Whether the head has come to the last column that is kept.
    is_at_end: bool,
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
        let (rows, columns) = (grid.rows(), grid.widths());
        let places = places(rows, columns.now);
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
        Ok(Automaton::with(program, rows, columns, cells, 0))
    }

    /// An automaton that goes on from these cells, row by row with the ring, after so many layers. Its working tape has one
    /// column, that of the ring.
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
        Ok(Automaton::with(program, rows, Columns::ring(columns - 2), cells, layers))
    }

    /// The automaton with these cells, all of which may change in the next layer.
    fn with(program: Arc<Program>, rows: usize, columns: Columns, cells: Vec<Cell>, layers: u64) -> Self {
        let is_last = |at: usize| at % columns.now + 1 == columns.now;
        let is_at_end = cells.iter().enumerate().any(|(at, cell)| cell.head.is_some() && is_last(at));
        Automaton {
            codes: Codes::new(&program),
            program,
            rows,
            columns,
            near: neighbours(rows, columns.now),
            layers,
            candidates: (0..cells.len()).collect(),
            since: vec![layers; cells.len()],
            changes: Vec::new(),
            cells,
            is_at_end,
        }
    }

    /// Adds columns on the right before the head needs them.
    fn grow(&mut self) {
        self.is_at_end = false;
        let (before, after) = (self.columns.now, self.columns.grown());
        if after == before {
            return;
        }
        let (start, layers) = ((self.rows - 2, self.columns.block), self.layers);
        let cell = |(row, column): (usize, usize)| {
            if column < before {
                return self.cells[row * before + column];
            }
            let phase = if reached(start, (row, column), layers) { Phase::Compute } else { Phase::Unknown };
            Cell { phase, ..Cell::RING }
        };
        self.cells = places(self.rows, after).into_iter().map(cell).collect();
        self.columns.now = after;
        self.near = neighbours(self.rows, after);
        self.candidates = (0..self.cells.len()).collect();
        self.since = vec![layers; self.cells.len()];
    }

    /// What a cell becomes.
    fn next(&self, at: usize) -> Cell {
        let near = self.near[at].map(|one| one.map(|one| self.cells[one]));
        local_rule(&self.program, self.cells[at], near)
    }

    /// One layer; how many of the cells that are kept it changed.
    pub fn layer(&mut self) -> usize {
        if self.is_at_end {
            self.grow();
        }
        let mut changes = std::mem::take(&mut self.changes);
        let next = self.candidates.iter().map(|at| (*at, self.next(*at)));
        changes.extend(next.filter(|(at, cell)| self.cells[*at] != *cell));
        self.accept(changes)
    }

    /// The same layer, with every cell computed.
    pub fn layer_of_all(&mut self) -> usize {
        if self.is_at_end {
            self.grow();
        }
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
            self.is_at_end |= cell.head.is_some() && at % self.columns.now + 1 == self.columns.now;
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

    /// The cells that are kept, row by row with the ring.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The block with its ring, row by row: of the working tape the first column.
    pub fn window(&self) -> impl Iterator<Item = Cell> {
        let wide = self.columns.block + 2;
        self.cells.chunks(self.columns.now).flat_map(move |row| row.iter().take(wide).copied())
    }

    /// Rows and columns that are kept, with the ring.
    pub fn size(&self) -> (usize, usize) {
        (self.rows, self.columns.now)
    }

    /// The code words of the cells.
    pub fn codes(&self) -> Codes {
        self.codes
    }

    /// Row, column and state of the head; none before the first layer, and after it left the grid.
    pub fn head(&self) -> Option<(usize, usize, u8)> {
        let found = self.cells.iter().enumerate().find_map(|(at, cell)| Some((at, cell.head?)));
        found.map(|(at, state)| (at / self.columns.now, at % self.columns.now, state))
    }

    /// The output f of the network if these were its last layer: the sum of [`readout`] over the block, as a numerator over
    /// [`Codes::unit`] (definition 5).
    pub fn output(&self) -> i64 {
        output(self.codes, &self.cells, self.columns.now, self.columns.block)
    }
}

/// The output f of a network with these cells in its last layer: rows of `columns` cells, ring included, with a block of
/// `block` columns.
pub fn output(codes: Codes, cells: &[Cell], columns: usize, block: usize) -> i64 {
    let inside = |row: &[Cell]| -> i64 {
        let of_block = row.iter().take(block + 1).skip(1);
        of_block.map(|cell| readout(codes.encode(*cell), codes.unit())).sum()
    };
    let rows = cells.len() / columns.max(1);
    cells.chunks(columns.max(1)).take(rows.saturating_sub(1)).skip(1).map(inside).sum()
}

/// Whether the message that the table is full has come from the cell `start` to another one after so many layers.
pub(super) fn reached(start: (usize, usize), to: (usize, usize), layers: u64) -> bool {
    let away = start.0.abs_diff(to.0) as u64 + start.1.abs_diff(to.1) as u64;
    away < layers
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
