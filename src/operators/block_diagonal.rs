//! Block-diagonal matrix of a column: each block of consecutive rows has a column of its own.
//!
//! ```text
//! out[i, j] = w[i] if i ∈ P_j, else 0            w [rows, 1], out [rows, blocks]
//! P_j = ⌊j rows / blocks⌋ … ⌊(j + 1) rows / blocks⌋ − 1
//! grad_w[i] = grad_out[i, j] for i ∈ P_j
//! ```
//!
//! The matrix is computed once for all examples of a step. A linear map by this matrix is a linear form of each block of the
//! inputs.

use std::ops::Range;

use crate::matrix::Matrix;
use crate::simd::{Panels, PanelsMut, Row};

/// The rows of each block.
pub fn ranges(rows: usize, blocks: usize) -> impl Iterator<Item = Range<usize>> {
    (0..blocks).map(move |block| block * rows / blocks..(block + 1) * rows / blocks)
}

/// The column and the row of each entry in a block.
fn entries(rows: usize, blocks: usize) -> impl Iterator<Item = (usize, usize)> {
    ranges(rows, blocks).enumerate().flat_map(|(block, rows)| rows.map(move |row| (block, row)))
}

/// The matrix of the column `w`.
pub fn forward(w: &Matrix, blocks: usize) -> Matrix {
    let mut out = Matrix::zeros(w.rows, blocks);
    entries(w.rows, blocks).for_each(|(block, row)| out.row_mut(row)[block] = w.row(row)[0]);
    out
}

/// The gradient of the column.
pub fn backward(grad_output: &Matrix) -> Matrix {
    let mut grad_w = Matrix::zeros(grad_output.rows, 1);
    let all = entries(grad_output.rows, grad_output.columns);
    all.for_each(|(block, row)| grad_w.row_mut(row)[0] = grad_output.row(row)[block]);
    grad_w
}

/// Writes the matrix with `rows` rows.
///
/// # Shapes
/// `w` is `[row]`, `out` is `[panel of blocks][row]`.
pub fn forward_simd(w: Panels<'_>, blocks: usize, out: &mut PanelsMut<'_>, rows: usize) {
    out.rows.fill(Row::ZERO);
    entries(rows, blocks).for_each(|(block, row)| out.set_lane(block, row, w.lane(0, row)));
}

/// Adds the gradient of the column.
pub fn backward_simd(grad_output: Panels<'_>, blocks: usize, grad_w: &mut PanelsMut<'_>, rows: usize) {
    entries(rows, blocks).for_each(|(block, row)| grad_w.add_to_lane(0, row, grad_output.lane(block, row)));
}

/// The matrix on tensors.
///
/// # Shapes
/// `w` is `[replicas, rows, 1]`, the result `[replicas, rows, blocks]`.
#[cfg(feature = "train")]
pub fn forward_tensors(w: burn::tensor::Tensor<3>, blocks: usize) -> burn::tensor::Tensor<3> {
    use burn::tensor::{Tensor, TensorData};
    let rows = w.dims()[1];
    let mut mask = vec![0.0f32; rows * blocks];
    entries(rows, blocks).for_each(|(block, row)| mask[row * blocks + block] = 1.0);
    let mask = Tensor::<3>::from_data(TensorData::new(mask, [1, rows, blocks]), &w.device());
    w * mask
}
