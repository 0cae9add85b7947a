//! Consecutive rows of a matrix.
//!
//! ```text
//! out = x[first … first + count − 1]             x [rows, columns], out [count, columns]
//! grad_x[first + i] += grad_out[i]
//! ```

use crate::matrix::Matrix;
use crate::simd::{Panels, PanelsMut};

/// `count` rows of `x` from row `first` on.
pub fn forward(x: &Matrix, first: usize, count: usize) -> Matrix {
    let values = x.values[first * x.columns..][..count * x.columns].to_vec();
    Matrix { rows: count, columns: x.columns, values }
}

/// The gradient of `x`.
pub fn backward(x: &Matrix, first: usize, grad_output: &Matrix) -> Matrix {
    let mut grad_x = Matrix::zeros_like(x);
    grad_x.values[first * x.columns..][..grad_output.values.len()].copy_from_slice(&grad_output.values);
    grad_x
}

/// Writes `count` rows of `x` from row `first` on.
///
/// # Shapes
/// Both are `[panel of columns][row]`.
pub fn forward_simd(x: Panels<'_>, first: usize, out: &mut PanelsMut<'_>, count: usize) {
    for (panel, rows) in out.rows.chunks_exact_mut(out.stride).enumerate() {
        rows[..count].copy_from_slice(x.from(first).panel(panel, count));
    }
}

/// Adds to the gradient of `x`.
pub fn backward_simd(grad_output: Panels<'_>, first: usize, grad_x: &mut PanelsMut<'_>, count: usize) {
    for (panel, rows) in grad_output.rows.chunks_exact(grad_output.stride).enumerate() {
        let first = panel * grad_x.stride + first;
        for (sum, row) in grad_x.rows[first..first + count].iter_mut().zip(rows) {
            *sum = *sum + *row;
        }
    }
}
