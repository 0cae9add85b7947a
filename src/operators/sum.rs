//! Sum of values; a value of a single row is added to every row.
//!
//! ```text
//! out = Σ_i x_i                                  x_i [rows or 1, columns], out [rows, columns]
//! grad_x_i = grad_out, or the sum of its rows
//! ```

use crate::matrix::Matrix;
use crate::relu;
use crate::simd::{PanelsMut, Row, Source, SourceMut, row_by_row, wide};

/// The sum, of `rows` rows.
pub fn forward(inputs: &[&Matrix], rows: usize) -> Matrix {
    let mut sum = Matrix::zeros(rows, inputs.first().map_or(0, |input| input.columns));
    inputs.iter().for_each(|input| sum.add(input));
    sum
}

/// The gradient of a summand with the shape of `input`.
pub fn backward(input: &Matrix, grad_output: &Matrix) -> Matrix {
    if input.rows == 1 { grad_output.sum_of_rows() } else { grad_output.clone() }
}

wide! {
    /// Writes the sum of `inputs` for `count` samples, or max(0, sum).
    ///
    /// # Shapes
    /// `out` is `[panel][sample]`.
    pub fn forward_simd(inputs: &[Source<'_>], out: &mut PanelsMut<'_>, count: usize, is_rectified: bool) {
        for (panel, out) in out.rows.chunks_exact_mut(out.stride).enumerate() {
            // Few at once, so that the sum stays in registers.
            let rest = match inputs {
                [] => return,
                [a] => {
                    out.iter_mut().zip(a.samples(panel, count)).for_each(|(sum, a)| *sum = a);
                    &[]
                }
                [a, b] => {
                    for ((sum, a), b) in out.iter_mut().zip(a.samples(panel, count)).zip(b.samples(panel, count)) {
                        row_by_row();
                        *sum = a + b;
                    }
                    &[]
                }
                [a, b, c, rest @ ..] => {
                    for (((sum, a), b), c) in out.iter_mut().zip(a.samples(panel, count)).zip(b.samples(panel, count)).zip(c.samples(panel, count)) {
                        row_by_row();
                        *sum = a + b + c;
                    }
                    rest
                }
            };
            for input in rest {
                for (sum, row) in out.iter_mut().zip(input.samples(panel, count)) {
                    row_by_row();
                    *sum = *sum + row;
                }
            }
            // While the panel is in the first cache.
            if is_rectified {
                relu::rectify(&mut out[..count]);
            }
        }
    }
}

wide! {
    /// Adds the gradient of the sum of `count` samples to that of a summand, or writes it there, for one panel.
    ///
    /// # Shapes
    /// `grad_output` is `[sample]`, the rows of the panel.
    pub fn backward_simd(grad_output: &[Row], grad_input: &mut SourceMut<'_>, panel: usize, overwrites: bool) {
        let count = grad_output.len();
        let sums = &mut grad_input.rows[panel * grad_input.stride..][..grad_input.stride];
        if grad_input.is_constant {
            sums[0] = grad_output.iter().fold(sums[0], |sum, row| sum + *row);
        } else if overwrites {
            sums[..count].copy_from_slice(grad_output);
        } else {
            for (row, index) in grad_output.iter().zip(grad_input.index) {
                row_by_row();
                let sum = &mut sums[*index as usize];
                *sum = *sum + *row;
            }
        }
    }
}
