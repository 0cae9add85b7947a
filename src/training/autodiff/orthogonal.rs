//! The nearest orthogonal matrix, roughly, by the Newton–Schulz iteration of [`vivarium_model::optim::muon`].

use burn::tensor::Tensor;

use vivarium_model::optim::muon::{NEWTON_SCHULZ_COEFFICIENTS, NORM_EPSILON};

/// Each matrix with singular values that are nearly 1 instead of its own; of zeros, zeros.
///
/// # Shapes
/// `matrix` is `[replicas, rows, columns]`; the result likewise.
pub fn orthogonal(matrix: Tensor<3>, iterations: usize) -> Tensor<3> {
    let [_, rows, columns] = matrix.dims();
    let [a, b, c] = NEWTON_SCHULZ_COEFFICIENTS.map(|factor| factor as f32);
    let squares = (matrix.clone() * matrix.clone()).sum_dim(1).sum_dim(2); // [replicas, 1, 1]
    let x = matrix / (squares.sqrt() + NORM_EPSILON as f32);
    // The smaller of both products of the matrix with itself.
    let mut x = if rows > columns { x.swap_dims(1, 2) } else { x };
    for _ in 0..iterations {
        let square = x.clone().matmul(x.clone().swap_dims(1, 2));
        let factor = square.clone() * b + square.clone().matmul(square) * c;
        x = x.clone() * a + factor.matmul(x);
    }
    if rows > columns { x.swap_dims(1, 2) } else { x }
}
