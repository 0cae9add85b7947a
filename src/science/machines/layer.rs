//! Matrices with biases, and the rounding after a block.
//!
//! ```text
//! affine   y = W x + b
//! ReLU     φ(z) = max(z, 0)
//! round    3φ(z − 1/3) − 3φ(z − 2/3)    0 below 1/3, 1 above 2/3
//! ```
//!
//! # Why
//! A matrix is an ordinary dense one, column after column: so a sum over columns can leave out the coordinates that are 0,
//! of which a token has many, and the rows of a column are added in one go. Of a matrix with few entries the others are
//! left out too. Both leave out products with 0 and keep the order of a row's sum, so that the numbers are those of the
//! plain product (a test compares).

/// Up to this part of a matrix's entries may be other than 0 where only these are multiplied.
const SPARSE: usize = 4;

/// A matrix and a bias.
#[derive(Debug, Clone, PartialEq)]
pub struct Affine {
    rows: usize,
    columns: usize,
    /// Column after column.
    weights: Vec<f64>,
    bias: Vec<f64>,
    /// Entries that are not 0; none where there are many.
    sparse: Option<Entries>,
}

/// Entries that are not 0, column after column.
#[derive(Debug, Clone, PartialEq)]
struct Entries {
    /// Where each column begins, and the end.
    starts: Vec<usize>,
    /// Row and value.
    entries: Vec<(u32, f64)>,
}

impl Affine {
    /// A matrix and a bias that are 0.
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        Affine { rows, columns, weights: vec![0.0; rows * columns], bias: vec![0.0; rows], sparse: None }
    }

    /// Sets an entry.
    pub(super) fn set(&mut self, row: usize, column: usize, value: f64) {
        self.weights[column * self.rows + row] = value;
    }

    /// Sets an entry of the bias.
    pub(super) fn set_bias(&mut self, row: usize, value: f64) {
        self.bias[row] = value;
    }

    /// Finds out whether few entries are other than 0; to be called when all are set.
    pub(super) fn finish(&mut self) {
        self.sparse = None;
        let count = self.weights.iter().filter(|weight| **weight != 0.0).count();
        if count * SPARSE > self.weights.len() {
            return;
        }
        let (mut starts, mut entries) = (vec![0], Vec::with_capacity(count));
        for column in self.weights.chunks(self.rows.max(1)) {
            let filled = column.iter().zip(0..).filter(|(weight, _)| **weight != 0.0);
            entries.extend(filled.map(|(weight, row): (_, u32)| (row, *weight)));
            starts.push(entries.len());
        }
        self.sparse = Some(Entries { starts, entries });
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// An entry of the matrix.
    pub fn weight(&self, row: usize, column: usize) -> f64 {
        self.weights[column * self.rows + row]
    }

    /// The bias, `[rows]`.
    pub fn bias(&self) -> &[f64] {
        &self.bias
    }

    /// The matrix row by row, `[rows, columns]`.
    pub fn dense(&self) -> Vec<f64> {
        let all = (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| (row, column)));
        all.map(|(row, column)| self.weight(row, column)).collect()
    }

    /// Rows that are not 0 for every x.
    pub(super) fn rows_in_use(&self) -> Vec<usize> {
        let used = |row: usize| {
            self.bias[row] != 0.0 || (0..self.columns).any(|column| self.weight(row, column) != 0.0)
        };
        (0..self.rows).filter(|row| used(*row)).collect()
    }

    /// Replaces every weight by what `change` makes of its place and its value, row by row, and then every bias.
    pub(super) fn change(&mut self, change: &mut dyn FnMut(usize, f64) -> f64) {
        for row in 0..self.rows {
            for column in 0..self.columns {
                let weight = &mut self.weights[column * self.rows + row];
                *weight = change(row * self.columns + column, *weight);
            }
        }
        self.bias.iter_mut().enumerate().for_each(|(row, value)| *value = change(row, *value));
        self.finish();
    }

    /// W x + b.
    ///
    /// # Shapes
    /// `x` is `[columns]`, `y` becomes `[rows]`.
    pub fn apply(&self, x: &[f64], y: &mut Vec<f64>) {
        y.clear();
        y.extend_from_slice(&self.bias);
        for (column, x) in x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            match &self.sparse {
                Some(Entries { starts, entries }) => {
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

    /// All weights and biases.
    pub fn numbers(&self) -> impl Iterator<Item = f64> {
        self.weights.iter().chain(&self.bias).copied()
    }
}

/// φ of every number.
pub(super) fn relu(numbers: &mut [f64]) {
    numbers.iter_mut().filter(|z| **z < 0.0).for_each(|z| *z = 0.0);
}

/// 3φ(z − 1/3) − 3φ(z − 2/3), which is 0 below 1/3 and 1 above 2/3.
pub fn round(z: f64) -> f64 {
    let relu = |z: f64| if z > 0.0 { z } else { 0.0 };
    3.0 * relu(z - 1.0 / 3.0) - 3.0 * relu(z - 2.0 / 3.0)
}

/// The largest distance of one of these numbers from 0 or 1, whichever is nearer.
pub fn deviation(numbers: &[f64]) -> f64 {
    let distances = numbers.iter().map(|z| if *z > 0.5 { (z - 1.0).abs() } else { z.abs() });
    distances
        .fold(0.0, |most: f64, distance| if distance > most || distance.is_nan() { distance } else { most })
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
    fn leaving_out_zeros_changes_no_bit() {
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
    fn a_matrix_is_its_entries() {
        let affine = filled(2, 3, 2);
        assert_eq!(affine.dense()[2], affine.weight(0, 2));
        assert_eq!((affine.rows(), affine.columns(), affine.bias()), (2, 3, [0.0, 0.3].as_slice()));
        assert_eq!(affine.rows_in_use(), [0, 1]);
        let mut changed = affine.clone();
        changed.change(&mut |i, value| value + i as f64);
        assert_eq!(changed.weight(1, 2), affine.weight(1, 2) + 5.0);
        assert_eq!(changed.bias(), [0.0, 0.3 + 1.0]);
    }

    #[test]
    fn rounding_repairs_errors_below_a_third() {
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
