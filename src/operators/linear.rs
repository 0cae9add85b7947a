//! Linear map of every row, added to other values.
//!
//! ```text
//! out = x w + Σ_i onto_i                         x [rows, inputs], w [inputs, columns], onto_i [rows or 1, columns]
//! grad_x = grad_out wᵀ    grad_w += xᵀ grad_out  grad_onto_i as of a sum
//! ```

use crate::matrix::Matrix;
use crate::simd::{Panels, PanelsMut, Row, Source, TILE_ROWS, accumulate_weight_gradient, multiply};
use crate::sum;

/// x w + Σ onto.
pub fn forward(x: &Matrix, w: &Matrix, onto: &[&Matrix]) -> Matrix {
    let mut out = x.multiply(w);
    onto.iter().for_each(|onto| out.add(onto));
    out
}

/// The gradients of x and w.
pub fn backward(x: &Matrix, w: &Matrix, grad_output: &Matrix) -> [Matrix; 2] {
    [grad_output.multiply(&w.transposed()), x.transposed().multiply(grad_output)]
}

/// Writes x w + Σ onto of `count` samples.
///
/// # Shapes
/// `x` is `[panel of inputs][sample]`, `w` is `[panel of columns][input]`, of which `inputs` rows count, and `out` is
/// `[panel of columns][sample]`, each with room for full tiles of samples.
pub fn forward_simd(
    x: Panels<'_>,
    w: Panels<'_>,
    inputs: usize,
    onto: &[Source<'_>],
    out: &mut PanelsMut<'_>,
    count: usize,
) {
    match onto {
        [] => {}
        [bias] if bias.is_constant => {
            for (panel, out) in out.rows.chunks_exact_mut(out.stride).enumerate() {
                out[..count].fill(bias.row(panel, 0));
            }
        }
        terms => sum::forward_simd(terms, out, count, false),
    }
    let tiled = count.next_multiple_of(TILE_ROWS);
    // The products are added to the rest of the last tile too, in which no NaN may stay.
    if !onto.is_empty() && tiled > count {
        out.rows.chunks_exact_mut(out.stride).for_each(|rows| rows[count..tiled].fill(Row::ZERO));
    }
    multiply(x, w, inputs, out, tiled, !onto.is_empty());
}

/// Writes grad_out wᵀ of `count` samples into the gradient of x, or adds it.
///
/// # Shapes
/// As in [`forward_simd`]; `transposed` is `[panel of inputs][column]`, of which `columns` rows count.
pub fn backward_simd(
    grad_output: Panels<'_>,
    transposed: Panels<'_>,
    columns: usize,
    grad_x: &mut PanelsMut<'_>,
    count: usize,
    overwrites: bool,
) {
    multiply(grad_output, transposed, columns, grad_x, count.next_multiple_of(TILE_ROWS), !overwrites);
}

/// Adds xᵀ grad_out of `count` samples to the gradient of w.
///
/// # Shapes
/// As in [`forward_simd`]; `grad_w` has the layout of `w`.
pub fn backward_simd_weights(
    x: Panels<'_>,
    grad_output: Panels<'_>,
    inputs: usize,
    grad_w: &mut PanelsMut<'_>,
    count: usize,
) {
    let panels = grad_output.rows.len() / grad_output.stride;
    accumulate_weight_gradient(x, grad_output, panels, inputs, grad_w, count);
}
