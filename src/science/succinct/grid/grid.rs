//! The grid on which a program works: a block with the data, one ring of blank cells around it, and the working tape.
//!
//! ```text
//! row i of the block   y_i · [x ∘ x_i, 1]      i = 1 … m: the XOR form of example i for the test input x
//! row m + 1            [x, 1]                   from the dummy sample
//! ```
//!
//! The XOR form is what the memory layer W·diag([x, 1]) makes of a table W = y[x, 1]/3 (Goel, Kakade, Kalai and Zhang 2022,
//! appendix B.1.2, where the last column is y·y instead: the memory layer gives y).
//!
//! # Why
//! The paper has no ring. A head can then see the right edge, where padding stands, but not the three others, where cells
//! simply end. With the ring every edge is a blank, and the programs of the [library](super::library) find all four.
//!
//! The paper's working tape has l columns of padding to the right of the block, as many as the network has layers (definition
//! 5 and algorithm 1: l = L), so that no head comes to its end. The first of these columns is the right side of the ring. A
//! grid begins with this one and grows as the head moves to the right, up to the number of columns that it may have: columns
//! that the head has not been near hold padding and nothing else.

use super::super::data::{Data, check_input, check_sizes};
use super::super::limits::MOST_STEPS;
use super::super::mistake::Mistake;

/// The number of the blank.
pub const EMPTY: u8 = 0;
/// The number of the symbol for 1.
pub const PLUS: u8 = 1;
/// The number of the symbol for −1.
pub const MINUS: u8 = 2;

/// Most columns of a working tape: as many as a run has steps at most.
pub const MOST_TAPE: u64 = MOST_STEPS;

/// How many columns a grid has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Columns {
    /// Those that are kept now, with both sides of the ring.
    pub now: usize,
    /// Those of the block.
    pub block: usize,
    /// Those that there may be.
    pub most: usize,
}

impl Columns {
    /// A block of so many columns, and a working tape of one.
    pub fn ring(block: usize) -> Columns {
        Columns { now: block + 2, block, most: block + 2 }
    }

    /// Columns after the tape has grown; as many as before where it may not grow.
    pub fn grown(self) -> usize {
        let tape = self.now.saturating_sub(self.block + 1);
        self.block.saturating_add(1).saturating_add(tape.saturating_mul(2)).min(self.most).max(self.now)
    }
}

/// Symbols by number, on (m + 3) rows and d + 2 columns besides the working tape, which has one column at first. Rows and
/// columns are counted from 0, ring included, so that the block begins in row 1 and column 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    rows: usize,
    columns: Columns,
    cells: Vec<u8>,
}

impl Grid {
    /// A blank grid for m examples of d inputs.
    ///
    /// # Errors
    /// Where d or m is outside its range.
    pub fn blank(d: usize, m: usize) -> Result<Grid, Mistake> {
        check_sizes(d, m)?;
        let (rows, columns) = (m + 3, Columns::ring(d + 1));
        Ok(Grid { rows, columns, cells: vec![EMPTY; rows * columns.now] })
    }

    /// The grid with a working tape of up to so many columns, at least 1 and at most [`MOST_TAPE`].
    pub fn with_tape(mut self, tape: u64) -> Grid {
        let tape = usize::try_from(tape.clamp(1, MOST_TAPE)).unwrap_or(1);
        self.columns.most = (self.columns.block + 1 + tape).max(self.columns.now);
        self
    }

    /// The XOR form of a data set with a test input.
    ///
    /// # Errors
    /// Where the test input has another length than the examples, or an entry that is neither 1 nor −1.
    pub fn new(data: &Data, x: &[i8]) -> Result<Grid, Mistake> {
        check_input(data.d(), x)?;
        let mut grid = Grid::blank(data.d(), data.m())?;
        let dummy = vec![1; data.d()];
        let table = data.examples().chain([(dummy.as_slice(), 1)]);
        for ((example, y), row) in table.zip(1..) {
            let entries = example.iter().zip(x).map(|(a, b)| a * b * y).chain([y]);
            for (entry, column) in entries.zip(1..) {
                grid.write(row, column, if entry > 0 { PLUS } else { MINUS });
            }
        }
        Ok(grid)
    }

    /// Rows, ring included.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns that are kept now, ring included.
    pub fn columns(&self) -> usize {
        self.columns.now
    }

    /// Columns that are kept, that the block has, and that there may be.
    pub(super) fn widths(&self) -> Columns {
        self.columns
    }

    /// Rows and columns of the block.
    pub fn block(&self) -> (usize, usize) {
        (self.rows - 2, self.columns.block)
    }

    /// All symbols by number, row by row.
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// The bottom-right cell of the block, where programs start.
    pub fn start(&self) -> (usize, usize) {
        (self.rows - 2, self.columns.block)
    }

    /// Whether a cell is one of the ring or of the working tape.
    pub fn is_ring(&self, row: usize, column: usize) -> bool {
        row == 0 || column == 0 || row + 1 >= self.rows || column > self.columns.block
    }

    /// Whether the head may be at a cell; the tape grows if it is the first one to the right of the columns that are kept.
    #[inline]
    pub(super) fn reach(&mut self, row: usize, column: usize) -> bool {
        if column == self.columns.now {
            self.grow();
        }
        self.place(row, column).is_some()
    }

    /// Blank columns on the right.
    fn grow(&mut self) {
        let (before, after) = (self.columns.now, self.columns.grown());
        let mut cells = vec![EMPTY; self.rows * after];
        for (new, old) in cells.chunks_mut(after).zip(self.cells.chunks(before)) {
            new.iter_mut().zip(old).for_each(|(new, old)| *new = *old);
        }
        (self.columns.now, self.cells) = (after, cells);
    }

    /// The place of a cell in [`Grid::cells`]; none outside of the grid.
    #[inline]
    pub fn place(&self, row: usize, column: usize) -> Option<usize> {
        (row < self.rows && column < self.columns.now).then(|| row * self.columns.now + column)
    }

    /// A symbol by number; the blank outside of the grid.
    #[inline]
    pub fn read(&self, row: usize, column: usize) -> u8 {
        self.place(row, column).and_then(|at| self.cells.get(at)).copied().unwrap_or(EMPTY)
    }

    /// Puts a symbol into a cell; nothing happens outside of the grid.
    #[inline]
    pub fn write(&mut self, row: usize, column: usize, symbol: u8) {
        if let Some(cell) = self.place(row, column).and_then(|at| self.cells.get_mut(at)) {
            *cell = symbol;
        }
    }

    /// The prediction after a run, 1 or −1: the top-left cell of the block where all others are blank; none elsewhere.
    pub fn prediction(&self) -> Option<i8> {
        let blank =
            |row: usize| (1..=self.columns.block).filter(move |column| self.read(row, *column) != EMPTY);
        let used = (1..=self.rows - 2).flat_map(|row| blank(row).map(move |column| (row, column)));
        match (used.eq([(1, 1)]), self.read(1, 1)) {
            (true, PLUS) => Some(1),
            (true, MINUS) => Some(-1),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_is_the_xor_form() {
        let data = Data::new(vec![vec![1, -1], vec![-1, -1]], vec![-1, 1]).unwrap();
        let grid = Grid::new(&data, &[1, -1]).unwrap();
        assert_eq!((grid.rows(), grid.columns(), grid.start()), (5, 5, (3, 3)));
        let text: Vec<String> = grid
            .cells()
            .chunks(5)
            .map(|row| row.iter().map(|one| ['.', '+', '-'][usize::from(*one)]).collect())
            .collect();
        assert_eq!(text, [".....", ".---.", ".-++.", ".+-+.", "....."]);
        assert!(grid.is_ring(0, 2) && grid.is_ring(2, 4) && grid.is_ring(4, 2) && !grid.is_ring(3, 3));
        assert_eq!(grid.read(9, 0), EMPTY);
        assert_eq!(Grid::new(&data, &[1]).unwrap_err(), Mistake::Length { found: 1, wanted: 2 });
        assert_eq!(Grid::new(&data, &[1, 3]).unwrap_err(), Mistake::Value { found: 3 });
        assert_eq!(Grid::blank(0, 1).unwrap_err(), Mistake::Inputs { found: 0 });
    }

    #[test]
    fn a_tape_grows_up_to_its_width() {
        let mut grid = Grid::blank(2, 1).unwrap().with_tape(3);
        grid.write(2, 4, PLUS);
        assert_eq!((grid.columns(), grid.block(), grid.start()), (5, (2, 3), (2, 3)));
        assert!(grid.reach(2, 4) && grid.columns() == 5);
        assert!(grid.reach(2, 5) && grid.columns() == 6);
        assert!(grid.reach(0, 6) && grid.columns() == 7);
        assert!(!grid.reach(0, 7) && grid.columns() == 7);
        assert_eq!((grid.read(2, 4), grid.cells().iter().filter(|cell| **cell != EMPTY).count()), (PLUS, 1));
        assert!(grid.is_ring(2, 6) && grid.is_ring(2, 4) && !grid.is_ring(2, 3));
        let mut narrow = Grid::blank(2, 1).unwrap();
        assert!(!narrow.reach(1, 5));
        assert_eq!(Grid::blank(2, 1).unwrap().with_tape(0), Grid::blank(2, 1).unwrap());
        let widest = Grid::blank(2, 1).unwrap().with_tape(u64::MAX);
        assert_eq!(widest.widths().most as u64, MOST_TAPE + 4);
    }

    #[test]
    fn only_a_lone_bit_at_the_top_left_is_a_prediction() {
        let mut grid = Grid::blank(2, 2).unwrap();
        assert_eq!(grid.prediction(), None);
        grid.write(1, 1, MINUS);
        grid.write(0, 0, PLUS);
        grid.write(9, 9, PLUS);
        assert_eq!(grid.prediction(), Some(-1));
        grid.write(1, 1, PLUS);
        assert_eq!(grid.prediction(), Some(1));
        grid.write(3, 3, PLUS);
        assert_eq!(grid.prediction(), None);
        grid.write(3, 3, EMPTY);
        grid.write(1, 1, 5);
        assert_eq!(grid.prediction(), None);
    }
}
