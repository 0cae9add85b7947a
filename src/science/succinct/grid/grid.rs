//! The grid on which a program runs: a block with the data, a ring of blank cells around it, and the working tape.
//!
//! ```text
//! row i of the block   y_i · [x ∘ x_i, 1]      i = 1 … m: the XOR form of example i for the test input x
//! row m + 1            [x, 1]                   from the dummy example
//! ```
//!
//! The XOR form is the output of the memory layer W·diag([x, 1]) for a table W = y[x, 1]/3 (Goel, Kakade, Kalai and Zhang 2022,
//! appendix B.1.2, where the last column is y·y instead: the memory layer gives y).
//!
//! # Why
//! The paper has no ring. A program can then detect the right edge, where the padding begins, but not the other three, where
//! the cells end. With the ring every edge is blank, and the programs of the [library](super::library) detect all four.
//!
//! The paper's working tape has l columns of padding to the right of the block, as many as the network has layers (definition
//! 5 and algorithm 1: l = L), so that no head reaches its end. The first of these columns is the right side of the ring. A
//! grid begins with this column and grows as the head moves to the right, up to a maximum; columns that the head has not
//! approached contain only padding.

use super::super::data::{Dataset, check_input, check_sizes};
use super::super::error::SuccinctError;
use super::super::limits::MAX_PROGRAM_STEPS;

/// Index of the blank symbol in every program's list of symbols.
pub const BLANK_INDEX: u8 = 0;
/// Index in every program's list of symbols of `+`, which stands for the number 1.
pub const PLUS_INDEX: u8 = 1;
/// Index in every program's list of symbols of `-`, which stands for the number −1.
pub const MINUS_INDEX: u8 = 2;

/// Maximum number of columns of a working tape: the maximum number of steps of a run.
pub const MAX_TAPE_COLUMNS: u64 = MAX_PROGRAM_STEPS;

/// Three numbers of columns of a grid: stored now, in the block of data, and the maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ColumnCounts {
    /// Number of columns stored now, including both sides of the ring of blank cells around the block.
    pub current: usize,
    /// Number of columns of the block that holds the data: d + 1.
    pub block: usize,
    /// Maximum number of columns to which the grid can grow.
    pub max: usize,
}

impl ColumnCounts {
    /// The numbers of columns of a grid with a block of `block` columns, the ring around it, and no further columns
    /// of a working tape.
    pub fn with_ring(block: usize) -> ColumnCounts {
        ColumnCounts { current: block + 2, block, max: block + 2 }
    }

    /// Number of columns after the working tape has doubled, at most `max`.
    pub fn grown_count(self) -> usize {
        let tape = self.current.saturating_sub(self.block + 1);
        self.block.saturating_add(1).saturating_add(tape.saturating_mul(2)).min(self.max).max(self.current)
    }
}

/// A grid of symbol indices with m + 3 rows and, in addition to the working tape, d + 2 columns. The tape has one column at
/// first. Rows and columns are numbered from 0, including the ring, so that the block begins in row 1 and column 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// Number of rows, including the ring of blank cells around the block.
    rows: usize,
    /// Current, block and maximum numbers of columns, including the ring and the working tape.
    columns: ColumnCounts,
    /// Index, in the program's symbols, of the symbol in each cell, row-major, `[rows, columns]`.
    cells: Vec<u8>,
}

impl Grid {
    /// A blank grid for m examples with d inputs.
    ///
    /// # Errors
    /// d or m is out of range.
    pub fn blank(d: usize, m: usize) -> Result<Grid, SuccinctError> {
        check_sizes(d, m)?;
        let (rows, columns) = (m + 3, ColumnCounts::with_ring(d + 1));
        Ok(Grid { rows, columns, cells: vec![BLANK_INDEX; rows * columns.current] })
    }

    /// Sets the maximum number of columns of the working tape to `tape`, clamped to 1 … [`MAX_TAPE_COLUMNS`].
    pub fn with_tape(mut self, tape: u64) -> Grid {
        let tape = usize::try_from(tape.clamp(1, MAX_TAPE_COLUMNS)).unwrap_or(1);
        self.columns.max = (self.columns.block + 1 + tape).max(self.columns.current);
        self
    }

    /// The grid with the XOR form of a data set and the test input x.
    ///
    /// # Errors
    /// x has the wrong length, or an entry that is neither 1 nor −1.
    pub fn new(data: &Dataset, x: &[i8]) -> Result<Grid, SuccinctError> {
        check_input(data.d(), x)?;
        let mut grid = Grid::blank(data.d(), data.m())?;
        let dummy = vec![1; data.d()];
        let table = data.examples().chain([(dummy.as_slice(), 1)]);
        for ((example, y), row) in table.zip(1..) {
            let entries = example.iter().zip(x).map(|(a, b)| a * b * y).chain([y]);
            for (entry, column) in entries.zip(1..) {
                grid.set_symbol(row, column, if entry > 0 { PLUS_INDEX } else { MINUS_INDEX });
            }
        }
        Ok(grid)
    }

    /// Number of rows, including the ring of blank cells around the block.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns stored now, including the ring of blank cells around the block.
    pub fn columns(&self) -> usize {
        self.columns.current
    }

    /// Number of columns stored now, number of columns of the block, and maximum number of columns.
    pub(super) fn column_counts(&self) -> ColumnCounts {
        self.columns
    }

    /// Numbers of rows and columns of the block: m + 1 and d + 1.
    pub fn block_size(&self) -> (usize, usize) {
        (self.rows - 2, self.columns.block)
    }

    /// The symbol of every cell as an index into the program's symbols, row-major, `[rows, columns]`.
    pub fn symbols(&self) -> &[u8] {
        &self.cells
    }

    /// Row and column of the bottom-right cell of the block, where programs start.
    pub fn start_cell(&self) -> (usize, usize) {
        (self.rows - 2, self.columns.block)
    }

    /// Whether a cell belongs to the ring of blank cells or to the working tape, that is, not to the block.
    pub fn is_ring(&self, row: usize, column: usize) -> bool {
        row == 0 || column == 0 || row + 1 >= self.rows || column > self.columns.block
    }

    /// Whether the grid has this cell. If the cell is in the first column to the right of the stored ones, the
    /// working tape grows first.
    #[inline]
    pub(super) fn extend_to(&mut self, row: usize, column: usize) -> bool {
        if column == self.columns.current {
            self.grow();
        }
        self.index(row, column).is_some()
    }

    /// Adds blank columns on the right, so that the working tape has twice as many, up to its maximum.
    fn grow(&mut self) {
        let (before, after) = (self.columns.current, self.columns.grown_count());
        let mut cells = vec![BLANK_INDEX; self.rows * after];
        for (new, old) in cells.chunks_mut(after).zip(self.cells.chunks(before)) {
            new.iter_mut().zip(old).for_each(|(new, old)| *new = *old);
        }
        (self.columns.current, self.cells) = (after, cells);
    }

    /// Index of a cell in [`Grid::symbols`]; `None` outside of the grid.
    #[inline]
    pub fn index(&self, row: usize, column: usize) -> Option<usize> {
        (row < self.rows && column < self.columns.current).then(|| row * self.columns.current + column)
    }

    /// Symbol index of a cell; the blank outside of the grid.
    #[inline]
    pub fn symbol_at(&self, row: usize, column: usize) -> u8 {
        self.index(row, column).and_then(|at| self.cells.get(at)).copied().unwrap_or(BLANK_INDEX)
    }

    /// Sets the symbol of a cell; does nothing outside of the grid.
    #[inline]
    pub fn set_symbol(&mut self, row: usize, column: usize, symbol: u8) {
        if let Some(cell) = self.index(row, column).and_then(|at| self.cells.get_mut(at)) {
            *cell = symbol;
        }
    }

    /// The program's prediction of the label, 1 or −1: the symbol of the top-left cell of the block, if all other
    /// cells of the block are blank; else `None`.
    pub fn prediction(&self) -> Option<i8> {
        let blank = |row: usize| {
            (1..=self.columns.block).filter(move |column| self.symbol_at(row, *column) != BLANK_INDEX)
        };
        let used = (1..=self.rows - 2).flat_map(|row| blank(row).map(move |column| (row, column)));
        match (used.eq([(1, 1)]), self.symbol_at(1, 1)) {
            (true, PLUS_INDEX) => Some(1),
            (true, MINUS_INDEX) => Some(-1),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_contains_the_xor_form() {
        let data = Dataset::new(vec![vec![1, -1], vec![-1, -1]], vec![-1, 1]).unwrap();
        let grid = Grid::new(&data, &[1, -1]).unwrap();
        assert_eq!((grid.rows(), grid.columns(), grid.start_cell()), (5, 5, (3, 3)));
        let text: Vec<String> = grid
            .symbols()
            .chunks(5)
            .map(|row| row.iter().map(|one| ['.', '+', '-'][usize::from(*one)]).collect())
            .collect();
        assert_eq!(text, [".....", ".---.", ".-++.", ".+-+.", "....."]);
        assert!(grid.is_ring(0, 2) && grid.is_ring(2, 4) && grid.is_ring(4, 2) && !grid.is_ring(3, 3));
        assert_eq!(grid.symbol_at(9, 0), BLANK_INDEX);
        assert_eq!(Grid::new(&data, &[1]).unwrap_err(), SuccinctError::InputLength { found: 1, wanted: 2 });
        assert_eq!(Grid::new(&data, &[1, 3]).unwrap_err(), SuccinctError::InvalidValue { found: 3 });
        assert_eq!(Grid::blank(0, 1).unwrap_err(), SuccinctError::InputsOutOfRange { found: 0 });
    }

    #[test]
    fn the_tape_grows_up_to_its_maximum() {
        let mut grid = Grid::blank(2, 1).unwrap().with_tape(3);
        grid.set_symbol(2, 4, PLUS_INDEX);
        assert_eq!((grid.columns(), grid.block_size(), grid.start_cell()), (5, (2, 3), (2, 3)));
        assert!(grid.extend_to(2, 4) && grid.columns() == 5);
        assert!(grid.extend_to(2, 5) && grid.columns() == 6);
        assert!(grid.extend_to(0, 6) && grid.columns() == 7);
        assert!(!grid.extend_to(0, 7) && grid.columns() == 7);
        assert_eq!(
            (grid.symbol_at(2, 4), grid.symbols().iter().filter(|cell| **cell != BLANK_INDEX).count()),
            (PLUS_INDEX, 1)
        );
        assert!(grid.is_ring(2, 6) && grid.is_ring(2, 4) && !grid.is_ring(2, 3));
        let mut narrow = Grid::blank(2, 1).unwrap();
        assert!(!narrow.extend_to(1, 5));
        assert_eq!(Grid::blank(2, 1).unwrap().with_tape(0), Grid::blank(2, 1).unwrap());
        let widest = Grid::blank(2, 1).unwrap().with_tape(u64::MAX);
        assert_eq!(widest.column_counts().max as u64, MAX_TAPE_COLUMNS + 4);
    }

    #[test]
    fn only_a_single_bit_in_the_top_left_cell_is_a_prediction() {
        let mut grid = Grid::blank(2, 2).unwrap();
        assert_eq!(grid.prediction(), None);
        grid.set_symbol(1, 1, MINUS_INDEX);
        grid.set_symbol(0, 0, PLUS_INDEX);
        grid.set_symbol(9, 9, PLUS_INDEX);
        assert_eq!(grid.prediction(), Some(-1));
        grid.set_symbol(1, 1, PLUS_INDEX);
        assert_eq!(grid.prediction(), Some(1));
        grid.set_symbol(3, 3, PLUS_INDEX);
        assert_eq!(grid.prediction(), None);
        grid.set_symbol(3, 3, BLANK_INDEX);
        grid.set_symbol(1, 1, 5);
        assert_eq!(grid.prediction(), None);
    }
}
