//! A program as a cellular automaton: in each layer every cell is updated by one local rule of the cell and its four
//! neighbours.
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
//! Layer 1 sets the head; layer t + 1 makes step t. The message of rule 4 goes one cell further in each layer, and stays ahead
//! of the head if the first step does not move: otherwise the head would be lost. In both the order of the cases is that of the
//! paper. Two corrections: x_{−1,0} in the paper's case of a head on the right must be x_{0,1}, and rule 3, which the text
//! calls the bottom-left cell, has the condition of the bottom-right cell, as in appendix B.3.
//!
//! # Why
//! A cell whose neighbourhood did not change in the last layer does not change in this one. So only cells next to a change are
//! computed; [`Automaton::apply_layer_to_all_cells`] computes every cell, and tests compare the two. Of the working tape only
//! the columns that the head has approached are stored. A new column gets the phase that the message would have given it: a
//! cell is in the phase "compute" after one layer more than its distance from the start cell.

use std::sync::Arc;

use super::super::data::check_sizes;
use super::super::error::SuccinctError;
use super::code::{AutomatonCell, CellCodes, CellPhase, readout};
use super::grid::{BLANK_INDEX, ColumnCounts, Grid, MINUS_INDEX, PLUS_INDEX};
use super::program::{GridMove, GridProgram};

/// The moves by which a head comes to a cell from its neighbour above, below, on the left and on the right, in this
/// order of neighbours.
const MOVES_TO_CELL: [GridMove; 4] = [GridMove::Down, GridMove::Up, GridMove::Right, GridMove::Left];

/// The moves by which a head goes from a cell to its neighbour above, below, on the left and on the right, in this
/// order of neighbours.
const MOVES_TO_NEIGHBOURS: [GridMove; 4] = [GridMove::Up, GridMove::Down, GridMove::Left, GridMove::Right];

/// The value of the cell `cell` of the automaton that runs `program` after one layer. `near` are the cell's
/// neighbours above, below, on the left and on the right, in this order; `None` beyond the border.
pub fn local_rule(
    program: &GridProgram,
    cell: AutomatonCell,
    near: [Option<AutomatonCell>; 4],
) -> AutomatonCell {
    match cell.phase {
        CellPhase::Unknown => apply_message(cell, near),
        CellPhase::Memorise => cell,
        CellPhase::Compute => apply_transition(program, cell, near),
    }
}

/// Whether the symbol of a cell is `+` or `-`.
fn is_bit(cell: AutomatonCell) -> bool {
    cell.symbol == PLUS_INDEX || cell.symbol == MINUS_INDEX
}

/// Applies the message rule f_msg to a cell in the phase "unknown": the cell enters the phase "memorise" or "compute",
/// or stays as it is.
fn apply_message(cell: AutomatonCell, near: [Option<AutomatonCell>; 4]) -> AutomatonCell {
    let [above, below, _, right] = near;
    let memorises = |one: Option<AutomatonCell>| one.is_some_and(|one| one.phase == CellPhase::Memorise);
    let first_empty =
        cell == AutomatonCell::new(BLANK_INDEX) && above.is_none_or(|above| above.padding || is_bit(above));
    if first_empty || (!cell.padding && (memorises(above) || memorises(below))) {
        AutomatonCell { phase: CellPhase::Memorise, ..AutomatonCell::new(BLANK_INDEX) }
    } else if is_bit(cell)
        && right == Some(AutomatonCell::RING)
        && below.is_none_or(|below| below == AutomatonCell::RING)
    {
        AutomatonCell { phase: CellPhase::Compute, head: Some(0), ..cell }
    } else if near.into_iter().flatten().any(|one| one.phase == CellPhase::Compute) {
        AutomatonCell { phase: CellPhase::Compute, ..cell }
    } else {
        cell
    }
}

/// Applies the Turing machine rule f_TM, by which the head moves and writes, to a cell in the phase "compute".
fn apply_transition(
    program: &GridProgram,
    cell: AutomatonCell,
    near: [Option<AutomatonCell>; 4],
) -> AutomatonCell {
    if let Some(state) = cell.head {
        let rule = program.transition(state, cell.symbol);
        let head = (rule.step == GridMove::Stay).then_some(rule.next);
        return AutomatonCell { padding: false, symbol: rule.write, phase: CellPhase::Compute, head };
    }
    for (one, towards) in near.into_iter().zip(MOVES_TO_CELL) {
        let Some((from, state)) = one.and_then(|one| Some((one, one.head?))) else { continue };
        let rule = program.transition(state, from.symbol);
        if rule.step == towards {
            return AutomatonCell { head: Some(rule.next), ..cell };
        }
    }
    cell
}

/// For each cell of a grid, row by row, the indices of its neighbours in the order of [`MOVES_TO_NEIGHBOURS`];
/// `None` beyond the border.
fn list_neighbours(rows: usize, columns: usize) -> Vec<[Option<usize>; 4]> {
    let neighbour = |(row, column): (usize, usize), away: GridMove| {
        let to = away.target(row, column).filter(|(row, column)| *row < rows && *column < columns);
        to.map(|(row, column)| row * columns + column)
    };
    list_cells(rows, columns)
        .into_iter()
        .map(|place| MOVES_TO_NEIGHBOURS.map(|away| neighbour(place, away)))
        .collect()
}

/// The pairs (row, column) of all cells of a grid, row by row.
fn list_cells(rows: usize, columns: usize) -> Vec<(usize, usize)> {
    (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))).collect()
}

/// The cellular automaton that runs a program, on a grid whose table is full; each layer of the network is one
/// step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Automaton {
    /// The program that the cellular automaton runs.
    program: Arc<GridProgram>,
    /// Encoding of the cells of `program` as numbers, which the network computes with.
    codes: CellCodes,
    /// Number of rows, including the ring of blank cells around the block.
    rows: usize,
    /// Current, block and maximum numbers of columns of the grid, including the ring and the working tape.
    columns: ColumnCounts,
    /// The stored cells, row-major, including the ring of blank cells around the block.
    cells: Vec<AutomatonCell>,
    /// Whether the head has reached the last stored column, so that the working tape must grow.
    is_at_end: bool,
    /// For each cell, the indices into `cells` of its neighbours above, below, on the left and on the right; `None`
    /// beyond the border.
    near: Vec<[Option<usize>; 4]>,
    /// Number of network layers applied so far, each one step of the automaton.
    layers: u64,
    /// Indices into `cells` of the cells that may change in the next layer.
    candidates: Vec<usize>,
    /// For each cell the number of the layer after which it became a candidate, so that no cell is listed twice.
    since: Vec<u64>,
    /// Buffer for the changes of a layer, as pairs (index of a cell, new value).
    changes: Vec<(usize, AutomatonCell)>,
}

impl Automaton {
    /// The automaton before its first layer.
    ///
    /// # Errors
    /// A rule of the start state moves the head, or a cell of the block is blank.
    pub fn new(program: Arc<GridProgram>, grid: &Grid) -> Result<Self, SuccinctError> {
        program.check_first_step()?;
        let (rows, columns) = (grid.rows(), grid.column_counts());
        let places = list_cells(rows, columns.current);
        let hole = |(row, column): &&(usize, usize)| {
            !grid.is_ring(*row, *column)
                && ![PLUS_INDEX, MINUS_INDEX].contains(&grid.symbol_at(*row, *column))
        };
        if let Some((row, column)) = places.iter().find(hole) {
            return Err(SuccinctError::BlankCell { row: *row, column: *column });
        }
        let cell = |(row, column): &(usize, usize)| {
            if grid.is_ring(*row, *column) {
                AutomatonCell::RING
            } else {
                AutomatonCell::new(grid.symbol_at(*row, *column))
            }
        };
        let cells = places.iter().map(cell).collect();
        Ok(Automaton::with_cells(program, rows, columns, cells, 0))
    }

    /// Restores an automaton from its cells, row-major including the ring, after `layers` layers. Its working tape has one
    /// column, that of the ring.
    ///
    /// The restored automaton continues like the original, cell for cell. Only its first layer takes longer, because every cell
    /// is computed; so [`Automaton::run`] needs one more layer to detect that nothing changes.
    ///
    /// # Errors
    /// A rule of the start state moves the head, the size or the number of cells is invalid, or a cell has a symbol or a state
    /// that the program does not have.
    pub fn from_cells(
        program: Arc<GridProgram>,
        rows: usize,
        columns: usize,
        cells: Vec<AutomatonCell>,
        layers: u64,
    ) -> Result<Self, SuccinctError> {
        program.check_first_step()?;
        check_sizes(columns.saturating_sub(3), rows.saturating_sub(3))?;
        if cells.len() != rows * columns {
            return Err(SuccinctError::CellCount { found: cells.len(), wanted: rows * columns });
        }
        let (symbols, states) = (program.symbols().len(), program.state_names().len());
        let is_foreign = |cell: &AutomatonCell| {
            usize::from(cell.symbol) >= symbols || usize::from(cell.head.unwrap_or(0)) >= states
        };
        if let Some(at) = cells.iter().position(is_foreign) {
            return Err(SuccinctError::UnknownCell { row: at / columns, column: at % columns });
        }
        Ok(Automaton::with_cells(program, rows, ColumnCounts::with_ring(columns - 2), cells, layers))
    }

    /// An automaton with these cells after `layers` layers; all cells are candidates for the next layer.
    fn with_cells(
        program: Arc<GridProgram>,
        rows: usize,
        columns: ColumnCounts,
        cells: Vec<AutomatonCell>,
        layers: u64,
    ) -> Self {
        let is_last = |at: usize| at % columns.current + 1 == columns.current;
        let is_at_end = cells.iter().enumerate().any(|(at, cell)| cell.head.is_some() && is_last(at));
        Automaton {
            codes: CellCodes::new(&program),
            program,
            rows,
            columns,
            near: list_neighbours(rows, columns.current),
            layers,
            candidates: (0..cells.len()).collect(),
            since: vec![layers; cells.len()],
            changes: Vec::new(),
            cells,
            is_at_end,
        }
    }

    /// Adds columns of the working tape on the right before the head reaches them: the tape doubles, at most to its
    /// maximum.
    fn grow(&mut self) {
        self.is_at_end = false;
        let (before, after) = (self.columns.current, self.columns.grown_count());
        if after == before {
            return;
        }
        let (start, layers) = ((self.rows - 2, self.columns.block), self.layers);
        let cell = |(row, column): (usize, usize)| {
            if column < before {
                return self.cells[row * before + column];
            }
            let phase = if is_reached(start, (row, column), layers) {
                CellPhase::Compute
            } else {
                CellPhase::Unknown
            };
            AutomatonCell { phase, ..AutomatonCell::RING }
        };
        self.cells = list_cells(self.rows, after).into_iter().map(cell).collect();
        self.columns.current = after;
        self.near = list_neighbours(self.rows, after);
        self.candidates = (0..self.cells.len()).collect();
        self.since = vec![layers; self.cells.len()];
    }

    /// The value that cell `at`, an index into `cells`, has after the next layer.
    fn next(&self, at: usize) -> AutomatonCell {
        let near = self.near[at].map(|one| one.map(|one| self.cells[one]));
        local_rule(&self.program, self.cells[at], near)
    }

    /// Applies one layer to the cells that may change; returns the number of stored cells that changed.
    pub fn apply_layer(&mut self) -> usize {
        if self.is_at_end {
            self.grow();
        }
        let mut changes = std::mem::take(&mut self.changes);
        let next = self.candidates.iter().map(|at| (*at, self.next(*at)));
        changes.extend(next.filter(|(at, cell)| self.cells[*at] != *cell));
        self.apply_changes(changes)
    }

    /// Applies one layer and computes every cell, as a reference for [`Automaton::apply_layer`]; returns the number
    /// of stored cells that changed.
    pub fn apply_layer_to_all_cells(&mut self) -> usize {
        if self.is_at_end {
            self.grow();
        }
        let next = (0..self.cells.len()).map(|at| (at, self.next(at)));
        let changes = next.filter(|(at, cell)| self.cells[*at] != *cell).collect();
        self.apply_changes(changes)
    }

    /// Stores the new values of the changed cells, given as pairs (index, value), and lists the cells that may
    /// change in the next layer. Returns the number of changes.
    fn apply_changes(&mut self, mut changes: Vec<(usize, AutomatonCell)>) -> usize {
        self.layers += 1;
        self.candidates.clear();
        let count = changes.len();
        for (at, cell) in changes.drain(..) {
            self.cells[at] = cell;
            self.is_at_end |= cell.head.is_some() && at % self.columns.current + 1 == self.columns.current;
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

    /// Applies layers until no cell changes, or until `max_layers` in total; returns whether no cell can change any more.
    pub fn run(&mut self, max_layers: u64) -> bool {
        while self.layers < max_layers && !self.candidates.is_empty() {
            self.apply_layer();
        }
        self.candidates.is_empty()
    }

    /// The program that the cellular automaton runs.
    pub fn program(&self) -> &Arc<GridProgram> {
        &self.program
    }

    /// Number of network layers applied so far, each one step of the automaton.
    pub fn layers(&self) -> u64 {
        self.layers
    }

    /// The stored cells, row-major, including the ring of blank cells around the block.
    pub fn cells(&self) -> &[AutomatonCell] {
        &self.cells
    }

    /// The cells of the block and its ring, row-major, without further columns of the working tape.
    pub fn window(&self) -> impl Iterator<Item = AutomatonCell> {
        let wide = self.columns.block + 2;
        self.cells.chunks(self.columns.current).flat_map(move |row| row.iter().take(wide).copied())
    }

    /// Numbers of stored rows and columns of the grid, including the ring of blank cells around the block.
    pub fn size(&self) -> (usize, usize) {
        (self.rows, self.columns.current)
    }

    /// The encoding of the program's cells as numbers, which the network computes with.
    pub fn codes(&self) -> CellCodes {
        self.codes
    }

    /// Row, column and state index of the head, rows and columns from 0; `None` before the first layer, and after
    /// the head has left the grid.
    pub fn head(&self) -> Option<(usize, usize, u8)> {
        let found = self.cells.iter().enumerate().find_map(|(at, cell)| Some((at, cell.head?)));
        found.map(|(at, state)| (at / self.columns.current, at % self.columns.current, state))
    }

    /// The output f of the network if the current cells were its last layer: the sum of [`readout`] over the block,
    /// as a numerator over [`CellCodes::denominator`] (Goel, Kakade, Kalai and Zhang 2022, definition 5).
    pub fn output(&self) -> i64 {
        output(self.codes, &self.cells, self.columns.current, self.columns.block)
    }
}

/// The output f of a network with these cells in its last layer, as a numerator over [`CellCodes::denominator`].
/// `cells` are rows of `columns` cells, ring included, around a block of `block` columns.
pub fn output(codes: CellCodes, cells: &[AutomatonCell], columns: usize, block: usize) -> i64 {
    let inside = |row: &[AutomatonCell]| -> i64 {
        let of_block = row.iter().take(block + 1).skip(1);
        of_block.map(|cell| readout(codes.encode(*cell), codes.denominator())).sum()
    };
    let rows = cells.len() / columns.max(1);
    cells.chunks(columns.max(1)).take(rows.saturating_sub(1)).skip(1).map(inside).sum()
}

/// Whether the message that the table is full, which is at the cell `start` after layer 1 and spreads by one cell
/// per layer in four directions, has arrived at the cell `to` after `layers` layers. Cells are (row, column).
pub(super) fn is_reached(start: (usize, usize), to: (usize, usize), layers: u64) -> bool {
    let away = start.0.abs_diff(to.0) as u64 + start.1.abs_diff(to.1) as u64;
    away < layers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::succinct::Dataset;

    #[test]
    fn the_message_stays_ahead_of_the_head_only_if_the_first_step_does_not_move() {
        let data = Dataset::new(vec![vec![1; 5]; 3], vec![1; 3]).unwrap();
        let grid = Grid::new(&data, &[1; 5]).unwrap();
        let staying = Arc::new(GridProgram::parse("a * → * S b\nb * → * L b").unwrap());
        let mut automaton = Automaton::new(Arc::clone(&staying), &grid).unwrap();
        let heads: Vec<_> = (0..5).map(|_| (automaton.apply_layer(), automaton.head())).collect();
        // Layer 1 sets the head; layer 2 changes its state and the message reaches four neighbours; layer 3 moves the head and
        // the message reaches the next six.
        let head = |column, state| Some((4, column, state));
        assert_eq!(
            heads.iter().map(|one| one.1).collect::<Vec<_>>(),
            [head(6, 0), head(6, 1), head(5, 1), head(4, 1), head(3, 1)]
        );
        assert_eq!(heads[..3].iter().map(|one| one.0).collect::<Vec<_>>(), [1, 5, 8]);
        let mut automaton = Automaton::new(staying, &grid).unwrap();
        automaton.program = Arc::new(GridProgram::parse("a * → * L a").unwrap());
        automaton.apply_layer();
        assert_eq!(automaton.head(), head(6, 0));
        automaton.apply_layer();
        assert_eq!(automaton.head(), None);
    }
}
