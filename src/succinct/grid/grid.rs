//! The grid on which a program works: a block with the data, and one ring of blank cells around it.
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

use super::super::data::{Data, check_input, check_sizes};
use super::super::mistake::Mistake;

/// The number of the blank.
pub const EMPTY: u8 = 0;
/// The number of the symbol for 1.
pub const PLUS: u8 = 1;
/// The number of the symbol for −1.
pub const MINUS: u8 = 2;

/// Symbols by number, on (m + 3) rows and (d + 3) columns. Rows and columns are counted from 0, ring included, so that the
/// block begins in row 1 and column 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    rows: usize,
    columns: usize,
    cells: Vec<u8>,
}

impl Grid {
    /// A blank grid for m examples of d inputs.
    ///
    /// # Errors
    /// Where d or m is outside its range.
    pub fn blank(d: usize, m: usize) -> Result<Grid, Mistake> {
        check_sizes(d, m)?;
        let (rows, columns) = (m + 3, d + 3);
        Ok(Grid { rows, columns, cells: vec![EMPTY; rows * columns] })
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

    /// Columns, ring included.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All symbols by number, row by row.
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// The bottom-right cell of the block, where programs start.
    pub fn start(&self) -> (usize, usize) {
        (self.rows - 2, self.columns - 2)
    }

    /// Whether a cell is one of the ring.
    pub fn is_ring(&self, row: usize, column: usize) -> bool {
        row == 0 || column == 0 || row + 1 >= self.rows || column + 1 >= self.columns
    }

    /// The place of a cell in [`Grid::cells`]; none outside of the grid.
    #[inline]
    pub fn place(&self, row: usize, column: usize) -> Option<usize> {
        (row < self.rows && column < self.columns).then(|| row * self.columns + column)
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
            |row: usize| (1..=self.columns - 2).filter(move |column| self.read(row, *column) != EMPTY);
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
