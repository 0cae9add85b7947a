//! Product of the components of every row.
//!
//! ```text
//! out = Π_j x_j                                  x [rows, columns], out [rows, 1]
//! grad_x_j = grad_out Π_{l ≠ j} x_l
//! ```
//!
//! # Why
//! The product of the other factors is a product of a prefix and a suffix, and no quotient: a factor may be 0.

use crate::matrix::Matrix;
use crate::simd::{LANES, Panels, PanelsMut, Row};

/// The product of each row.
pub fn forward(x: &Matrix) -> Matrix {
    let product = |row: usize| x.row(row).iter().product();
    Matrix { rows: x.rows, columns: 1, values: (0..x.rows).map(product).collect() }
}

/// The gradient of x.
pub fn backward(x: &Matrix, grad_output: &Matrix) -> Matrix {
    let mut grad_x = Matrix::zeros_like(x);
    for row in 0..x.rows {
        for column in 0..x.columns {
            let others = x.row(row).iter().enumerate().filter(|(other, _)| *other != column);
            let product: f64 = others.map(|(_, x)| x).product();
            grad_x.row_mut(row)[column] = grad_output.row(row)[0] * product;
        }
    }
    grad_x
}

/// Writes the product of `columns` components of `count` samples.
///
/// # Shapes
/// `x` is `[panel][sample]`, `out` is `[sample]`, each number in the first lane of a row that is otherwise zero.
pub fn forward_simd(x: Panels<'_>, columns: usize, out: &mut [Row], count: usize) {
    for (sample, out) in out[..count].iter_mut().enumerate() {
        *out = Row::ZERO;
        out.0[0] = (0..columns).fold(1.0, |product, column| product * x.lane(column, sample));
    }
}

/// Adds the gradient of x of `count` samples, or writes it.
///
/// # Shapes
/// As in [`forward_simd`]; `behind` has a row for each panel of x.
pub fn backward_simd(
    x: Panels<'_>,
    columns: usize,
    grad_output: &[Row],
    behind: &mut [Row],
    grad_x: &mut PanelsMut<'_>,
    count: usize,
    overwrites: bool,
) {
    if overwrites {
        grad_x.rows.fill(Row::ZERO);
    }
    for (sample, grad_output) in grad_output[..count].iter().enumerate() {
        let mut product = grad_output.0[0];
        for column in (0..columns).rev() {
            behind[column / LANES].0[column % LANES] = product;
            product *= x.lane(column, sample);
        }
        let mut before = 1.0;
        for column in 0..columns {
            grad_x.add_to_lane(column, sample, before * behind[column / LANES].0[column % LANES]);
            before *= x.lane(column, sample);
        }
    }
}

/// The product on tensors, factor by factor: Burn's gradient of a product over an axis divides by factors that may be 0.
///
/// # Shapes
/// `x` is `[replicas, rows, columns]`, the result `[replicas, rows, 1]`.
#[cfg(feature = "train")]
pub fn forward_tensors(x: burn::tensor::Tensor<3>) -> burn::tensor::Tensor<3> {
    let factor = |column: usize| x.clone().narrow(2, column, 1);
    (1..x.dims()[2]).fold(factor(0), |product, column| product * factor(column))
}
