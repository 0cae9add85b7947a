//! Values one below the other, as the positions of a sequence.
//!
//! ```text
//! out = [x_0; x_1; …]                            x_i [rows_i, columns], out [Σ rows_i, columns]
//! grad_x_i = rows of grad_out at the positions of x_i
//! ```
//!
//! In vectors and on tensors only a weighted sum can read a stack, and it reads the parts.

use crate::matrix::Matrix;

/// The values one below the other.
pub fn forward(inputs: &[&Matrix]) -> Matrix {
    Matrix {
        rows: inputs.iter().map(|input| input.rows).sum(),
        columns: inputs.first().map_or(0, |input| input.columns),
        values: inputs.iter().flat_map(|input| input.values.iter().copied()).collect(),
    }
}

/// The gradient of each value.
pub fn backward(inputs: &[&Matrix], grad_output: &Matrix) -> Vec<Matrix> {
    let mut values = grad_output.values.iter().copied();
    let part = |input: &&Matrix| {
        let values = values.by_ref().take(input.values.len()).collect();
        Matrix { rows: input.rows, columns: input.columns, values }
    };
    inputs.iter().map(part).collect()
}
