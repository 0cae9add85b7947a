//! Affine layers, the ReLU, and the rounding after a block.
//!
//! ```text
//! affine   y = W x + b
//! ReLU     φ(z) = max(z, 0)
//! round    3φ(z − 1/3) − 3φ(z − 2/3)    0 below 1/3, 1 above 2/3
//! ```
//!
//! # Why
//! A matrix is dense and column-major: the product can skip coordinates of x that are 0, of which a token has many, and adds a
//! whole column at once. A matrix with few nonzero entries is also stored sparsely. Both only skip products with 0 and keep the
//! order of summation, so that the result equals the plain product exactly (a test compares).

/// A matrix is stored sparsely if the number of its entries is at least this many times the number of nonzero ones.
const MIN_SPARSITY: usize = 4;

/// An affine map x ↦ W x + b.
#[derive(Debug, Clone, PartialEq)]
pub struct Affine {
    /// Number of rows of W: dimension of the output.
    rows: usize,
    /// Number of columns of W: dimension of the input.
    columns: usize,
    /// Entries of the weight matrix W, column-major, `[columns, rows]`.
    weights: Vec<f64>,
    /// Entries of the bias vector b, `[rows]`.
    bias: Vec<f64>,
    /// The entries of W that are not 0; `None` if they are many.
    sparse: Option<SparseEntries>,
}

/// The entries of a matrix that are not 0, by column (compressed sparse columns).
#[derive(Debug, Clone, PartialEq)]
struct SparseEntries {
    /// For each column the index into `entries` of its first entry, and last the total number of entries.
    starts: Vec<usize>,
    /// The nonzero entries as pairs (row, value), column by column.
    entries: Vec<(u32, f64)>,
}

impl Affine {
    /// An affine map whose weights and biases are 0.
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        Affine { rows, columns, weights: vec![0.0; rows * columns], bias: vec![0.0; rows], sparse: None }
    }

    /// Sets the entry of the weight matrix W at `row` and `column`, both from 0.
    pub(super) fn set(&mut self, row: usize, column: usize, value: f64) {
        self.weights[column * self.rows + row] = value;
    }

    /// Sets entry `row`, from 0, of the bias vector b.
    pub(super) fn set_bias(&mut self, row: usize, value: f64) {
        self.bias[row] = value;
    }

    /// Stores W sparsely if few entries are not 0; must be called after all entries are set.
    pub(super) fn finish(&mut self) {
        self.sparse = None;
        let count = self.weights.iter().filter(|weight| **weight != 0.0).count();
        if count * MIN_SPARSITY > self.weights.len() {
            return;
        }
        let (mut starts, mut entries) = (vec![0], Vec::with_capacity(count));
        for column in self.weights.chunks(self.rows.max(1)) {
            let filled = column.iter().zip(0..).filter(|(weight, _)| **weight != 0.0);
            entries.extend(filled.map(|(weight, row): (_, u32)| (row, *weight)));
            starts.push(entries.len());
        }
        self.sparse = Some(SparseEntries { starts, entries });
    }

    /// Number of rows of the weight matrix W: dimension of the output.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns of the weight matrix W: dimension of the input.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The entry of the weight matrix W at `row` and `column`, both from 0.
    pub fn weight(&self, row: usize, column: usize) -> f64 {
        self.weights[column * self.rows + row]
    }

    /// The bias b, `[rows]`.
    pub fn bias(&self) -> &[f64] {
        &self.bias
    }

    /// All entries of the weight matrix W, row-major, `[rows, columns]`.
    pub fn dense(&self) -> Vec<f64> {
        let all = (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| (row, column)));
        all.map(|(row, column)| self.weight(row, column)).collect()
    }

    /// Indices, in rising order, of the outputs of W x + b that are not 0 for every x: those whose row of W or
    /// whose bias has a number other than 0.
    pub(super) fn nonzero_rows(&self) -> Vec<usize> {
        let used = |row: usize| {
            self.bias[row] != 0.0 || (0..self.columns).any(|column| self.weight(row, column) != 0.0)
        };
        (0..self.rows).filter(|row| used(*row)).collect()
    }

    /// Replaces every weight by `change(index, value)`, with row-major indices from 0, and then every bias by
    /// `change(row, value)`, with indices that begin at 0 again.
    pub(super) fn map_parameters(&mut self, change: &mut dyn FnMut(usize, f64) -> f64) {
        for row in 0..self.rows {
            for column in 0..self.columns {
                let weight = &mut self.weights[column * self.rows + row];
                *weight = change(row * self.columns + column, *weight);
            }
        }
        self.bias.iter_mut().enumerate().for_each(|(row, value)| *value = change(row, *value));
        self.finish();
    }

    /// Computes y = W x + b.
    ///
    /// # Shapes
    /// `x` is `[columns]`, `y` becomes `[rows]`.
    pub fn apply(&self, x: &[f64], y: &mut Vec<f64>) {
        y.clear();
        y.extend_from_slice(&self.bias);
        for (column, x) in x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            match &self.sparse {
                Some(SparseEntries { starts, entries }) => {
                    for (row, weight) in &entries[starts[column]..starts[column + 1]] {
                        y[*row as usize] += weight * x;
                    }
                }
                None => {
                    let weights = &self.weights[column * self.rows..(column + 1) * self.rows];
                    y.iter_mut().zip(weights).for_each(|(y, weight)| *y += weight * x);
                }
            }
        }
    }

    /// The values of all weights of W and then of all biases b.
    pub fn parameters(&self) -> impl Iterator<Item = f64> {
        self.weights.iter().chain(&self.bias).copied()
    }
}

/// Replaces every number z by the ReLU φ(z) = max(z, 0).
pub(super) fn relu(numbers: &mut [f64]) {
    numbers.iter_mut().filter(|z| **z < 0.0).for_each(|z| *z = 0.0);
}

/// The rounding function 3φ(z − 1/3) − 3φ(z − 2/3): 0 below 1/3, 1 above 2/3, linear between.
pub fn round(z: f64) -> f64 {
    let relu = |z: f64| if z > 0.0 { z } else { 0.0 };
    3.0 * relu(z - 1.0 / 3.0) - 3.0 * relu(z - 2.0 / 3.0)
}

/// Largest distance of these numbers from the nearer of 0 and 1; NaN if a number is NaN.
pub fn deviation(numbers: &[f64]) -> f64 {
    let distances = numbers.iter().map(|z| if *z > 0.5 { (z - 1.0).abs() } else { z.abs() });
    distances.fold(0.0, |max: f64, distance| if distance > max || distance.is_nan() { distance } else { max })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(rows: usize, columns: usize, every: usize) -> Affine {
        let mut affine = Affine::new(rows, columns);
        for i in (0..rows * columns).step_by(every) {
            affine.set(i / columns, i % columns, ((i * 37) % 19) as f64 / 7.0 - 1.0);
        }
        affine.set_bias(rows / 2, 0.3);
        affine.finish();
        affine
    }

    #[test]
    fn sparse_products_equal_dense_products_exactly() {
        for every in [1, 3, 7, 30] {
            let affine = filled(9, 13, every);
            assert_eq!(affine.sparse.is_some(), every > 4);
            let x: Vec<f64> = (0..13).map(|i| if i % 3 == 0 { 0.0 } else { f64::from(i) / 3.0 }).collect();
            let mut y = Vec::new();
            affine.apply(&x, &mut y);
            let plain: Vec<f64> = (0..9)
                .map(|row| {
                    (0..13).fold(affine.bias[row], |sum, column| sum + affine.weight(row, column) * x[column])
                })
                .collect();
            assert_eq!(y, plain);
        }
    }

    #[test]
    fn entries_can_be_read_and_replaced() {
        let affine = filled(2, 3, 2);
        assert_eq!(affine.dense()[2], affine.weight(0, 2));
        assert_eq!((affine.rows(), affine.columns(), affine.bias()), (2, 3, [0.0, 0.3].as_slice()));
        assert_eq!(affine.nonzero_rows(), [0, 1]);
        let mut changed = affine.clone();
        changed.map_parameters(&mut |i, value| value + i as f64);
        assert_eq!(changed.weight(1, 2), affine.weight(1, 2) + 5.0);
        assert_eq!(changed.bias(), [0.0, 0.3 + 1.0]);
    }

    #[test]
    fn rounding_corrects_errors_below_a_third() {
        for error in [-0.33, -0.1, 0.0, 0.2, 0.33] {
            assert_eq!(round(error), 0.0);
            assert!((round(1.0 + error) - 1.0).abs() < 4e-16);
        }
        assert!((round(0.5) - 0.5).abs() < 1e-15);
        assert_eq!(deviation(&[0.0, 1.0, 0.9, 0.25]), 0.25);
        assert!(deviation(&[f64::NAN, 0.1]).is_nan() || deviation(&[0.1, f64::NAN]).is_nan());
        let mut numbers = [-1.0, 2.0];
        relu(&mut numbers);
        assert_eq!(numbers, [0.0, 2.0]);
    }
}
