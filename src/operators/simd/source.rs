//! Rows of a value as an operator reads them: its own rows, a single one for all samples, or rows of a table by number.

use super::Row;

/// Rows to read.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// `[panel][row]`.
    pub rows: &'a [Row],
    /// Rows from one panel to the next.
    pub stride: usize,
    /// The row of each sample.
    pub index: &'a [u32],
    /// Whether all samples have row 0.
    pub is_constant: bool,
}

impl<'a> Source<'a> {
    /// No rows.
    pub const EMPTY: Source<'static> = Source { rows: &[], stride: 0, index: &[], is_constant: false };

    /// The row of `sample` in `panel`.
    #[inline(always)]
    pub fn row(self, panel: usize, sample: usize) -> Row {
        self.rows[panel * self.stride + self.index[sample] as usize]
    }

    /// The rows of `count` samples in `panel`.
    #[inline(always)]
    pub fn samples(self, panel: usize, count: usize) -> impl Iterator<Item = Row> + 'a {
        let rows = &self.rows[panel * self.stride..][..self.stride];
        self.index[..count].iter().map(|row| rows[*row as usize])
    }
}

/// Rows to add a gradient to.
#[derive(Debug)]
pub struct SourceMut<'a> {
    /// `[panel][row]`.
    pub rows: &'a mut [Row],
    /// Rows from one panel to the next.
    pub stride: usize,
    /// The row of each sample.
    pub index: &'a [u32],
    /// Whether all samples have row 0.
    pub is_constant: bool,
}

impl SourceMut<'_> {
    /// The row of `sample` in `panel`.
    #[inline(always)]
    pub fn row_mut(&mut self, panel: usize, sample: usize) -> &mut Row {
        &mut self.rows[panel * self.stride + self.index[sample] as usize]
    }
}
