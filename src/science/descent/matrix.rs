//! Sparse matrices of a layer: only entries that are not 0 are stored.

use super::number::Precision;

/// A sparse matrix, given by its nonzero entries.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseMatrix {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// The nonzero entries as (row, column, value), sorted by row, within a row from the last column to the first.
    ///
    /// # Why
    /// Sums over a row start at the last column. The loss gradient's row has t and 1 there, which cancel in an
    /// example before the large R₃ can absorb the digits of the error.
    pub entries: Vec<(usize, usize, f64)>,
}

impl SparseMatrix {
    /// Creates a matrix from entries (row, column, value); zeros are omitted.
    pub(super) fn new(
        rows: usize,
        columns: usize,
        entries: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Self {
        let mut entries: Vec<_> = entries.into_iter().filter(|(.., value)| *value != 0.0).collect();
        entries.sort_by_key(|(row, column, _)| (*row, std::cmp::Reverse(*column)));
        SparseMatrix { rows, columns, entries }
    }

    /// All entries of the matrix, zeros included, row-major, `[rows, columns]`.
    pub fn to_dense(&self) -> Vec<f64> {
        let mut dense = vec![0.0; self.rows * self.columns];
        for (row, column, value) in &self.entries {
            dense[row * self.columns + column] = *value;
        }
        dense
    }

    /// The product of the matrix and a vector `[columns]`; the result is `[rows]`.
    pub fn multiply<T: Precision>(&self, vector: &[T]) -> Vec<T> {
        let mut product = vec![T::default(); self.rows];
        for (row, column, value) in &self.entries {
            product[*row] += T::from_f64(*value) * vector[*column];
        }
        product
    }

    /// The norm ‖·‖₁: the largest sum of absolute values in a column (Wu et al. 2024, equation C.1).
    pub fn max_column_sum(&self) -> f64 {
        let mut columns = vec![0.0; self.columns];
        self.entries.iter().for_each(|(_, column, value)| columns[*column] += value.abs());
        columns.into_iter().fold(0.0, f64::max)
    }
}

/// The matrices of an attention or product head, `[D, D]` each, for tokens with D coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct HeadMatrices {
    /// The query matrix Q: the query of token h_i is Q h_i, `[D, D]`.
    pub q: SparseMatrix,
    /// The key matrix K: the key of token h_s is K h_s, `[D, D]`.
    pub k: SparseMatrix,
    /// The value matrix V: the value of token h_s is V h_s, `[D, D]`.
    pub v: SparseMatrix,
}

impl HeadMatrices {
    /// Number of rows of Q and K up to the last row that has a nonzero entry in either.
    pub(super) fn used_row_count(&self) -> usize {
        let rows = [&self.q, &self.k].into_iter().flat_map(|matrix| &matrix.entries).map(|(row, ..)| row + 1);
        rows.max().unwrap_or(0)
    }

    /// The attention score ⟨Q h_i, K h_s⟩ of a query token h_i = `query` and a key token h_s = `key`.
    pub fn score<T: Precision>(&self, query: &[T], key: &[T]) -> T {
        let mut sum = T::default();
        for (q, k) in self.q.multiply(query).into_iter().zip(self.k.multiply(key)) {
            sum += q * k;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparse_matrix_matches_its_dense_form() {
        let matrix = SparseMatrix::new(2, 3, [(1, 0, 2.0), (0, 2, -1.0), (1, 2, 5.0), (0, 1, 0.0)]);
        assert_eq!(matrix.entries, [(0, 2, -1.0), (1, 2, 5.0), (1, 0, 2.0)]);
        assert_eq!(matrix.to_dense(), [0.0, 0.0, -1.0, 2.0, 0.0, 5.0]);
        assert_eq!(matrix.multiply(&[1.0, 10.0, 100.0]), [-100.0, 502.0]);
        assert_eq!(matrix.multiply(&[1.0f32, 10.0, 100.0]), [-100.0, 502.0]);
        assert_eq!(matrix.max_column_sum(), 6.0);
    }
}
