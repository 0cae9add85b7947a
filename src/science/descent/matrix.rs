//! Matrices of a layer, as one opens them: almost all entries are 0, so that only the others are kept.

use super::number::Number;

/// A matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Row, column and value of every entry that is not 0, row by row, in each from the last column to the first.
    ///
    /// # Why
    /// Sums over a row run from the last column to the first: there the loss gradient's row has t and 1, which cancel in an
    /// example before R₃ can cost the error its digits.
    pub entries: Vec<(usize, usize, f64)>,
}

impl Matrix {
    /// Of these entries, those that are 0 left out.
    pub(super) fn new(
        rows: usize,
        columns: usize,
        entries: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Self {
        let mut entries: Vec<_> = entries.into_iter().filter(|(.., value)| *value != 0.0).collect();
        entries.sort_by_key(|(row, column, _)| (*row, std::cmp::Reverse(*column)));
        Matrix { rows, columns, entries }
    }

    /// All entries, `[rows, columns]`.
    pub fn dense(&self) -> Vec<f64> {
        let mut dense = vec![0.0; self.rows * self.columns];
        for (row, column, value) in &self.entries {
            dense[row * self.columns + column] = *value;
        }
        dense
    }

    /// The product with a vector, `[columns]`: `[rows]`.
    pub fn times<T: Number>(&self, vector: &[T]) -> Vec<T> {
        let mut product = vec![T::default(); self.rows];
        for (row, column, value) in &self.entries {
            product[*row] += T::of(*value) * vector[*column];
        }
        product
    }

    /// ‖·‖₁, the largest sum of |entries| in a column, as in equation C.1 of the paper.
    pub fn norm(&self) -> f64 {
        let mut columns = vec![0.0; self.columns];
        self.entries.iter().for_each(|(_, column, value)| columns[*column] += value.abs());
        columns.into_iter().fold(0.0, f64::max)
    }
}

/// The matrices of an attention head, or of a head of products: D × D each.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// Q.
    pub q: Matrix,
    /// K.
    pub k: Matrix,
    /// V.
    pub v: Matrix,
}

impl Head {
    /// Rows of Q and K from the first to the last that has an entry.
    pub(super) fn rows(&self) -> usize {
        let rows = [&self.q, &self.k].into_iter().flat_map(|matrix| &matrix.entries).map(|(row, ..)| row + 1);
        rows.max().unwrap_or(0)
    }

    /// ⟨Q h_i, K h_s⟩.
    pub fn product<T: Number>(&self, query: &[T], key: &[T]) -> T {
        let mut sum = T::default();
        for (q, k) in self.q.times(query).into_iter().zip(self.k.times(key)) {
            sum += q * k;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_its_entries() {
        let matrix = Matrix::new(2, 3, [(1, 0, 2.0), (0, 2, -1.0), (1, 2, 5.0), (0, 1, 0.0)]);
        assert_eq!(matrix.entries, [(0, 2, -1.0), (1, 2, 5.0), (1, 0, 2.0)]);
        assert_eq!(matrix.dense(), [0.0, 0.0, -1.0, 2.0, 0.0, 5.0]);
        assert_eq!(matrix.times(&[1.0, 10.0, 100.0]), [-100.0, 502.0]);
        assert_eq!(matrix.times(&[1.0f32, 10.0, 100.0]), [-100.0, 502.0]);
        assert_eq!(matrix.norm(), 6.0);
    }
}
