//! Matrices of numbers in double precision, for the reference executor.

/// A matrix, row after row.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Numbers, `[rows, columns]`.
    pub values: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Matrix { rows, columns, values: vec![0.0; rows * columns] }
    }

    /// A matrix with the shape of `other`, of zeros.
    pub fn zeros_like(other: &Matrix) -> Self {
        Matrix::zeros(other.rows, other.columns)
    }

    /// Row `row`.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..][..self.columns]
    }

    /// Row `row`, to write into.
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.columns..][..self.columns]
    }

    /// Adds `other`; if `other` has a single row, it is added to every row.
    pub fn add(&mut self, other: &Matrix) {
        for row in 0..self.rows {
            let added = other.row(if other.rows == 1 { 0 } else { row });
            self.row_mut(row).iter_mut().zip(added).for_each(|(value, added)| *value += added);
        }
    }

    /// The sum of all rows, as the gradient of a row that was added to every row.
    pub fn sum_of_rows(&self) -> Matrix {
        let mut sum = Matrix::zeros(1, self.columns);
        for row in 0..self.rows {
            sum.values.iter_mut().zip(self.row(row)).for_each(|(sum, value)| *sum += value);
        }
        sum
    }

    /// The product with `other`.
    pub fn multiply(&self, other: &Matrix) -> Matrix {
        let mut product = Matrix::zeros(self.rows, other.columns);
        for row in 0..self.rows {
            for (factor, values) in self.row(row).iter().zip(other.values.chunks_exact(other.columns)) {
                product.row_mut(row).iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
            }
        }
        product
    }

    /// Rows and columns exchanged.
    pub fn transposed(&self) -> Matrix {
        let column = |column: usize| self.values.iter().skip(column).step_by(self.columns).copied();
        Matrix {
            rows: self.columns,
            columns: self.rows,
            values: (0..self.columns).flat_map(column).collect(),
        }
    }
}
