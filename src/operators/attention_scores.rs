//! The linear map from a position to its attention scores, for a query that is the same for all examples.
//!
//! ```text
//! out[d, g] = Σ_j w[d, g, j] q[g, j] / √size     w [inputs, heads · size], q [1, heads · size], out [inputs, heads]
//! grad_w[d, g, j] = grad_out[d, g] q[g, j] / √size
//! grad_q[g, j] = Σ_d grad_out[d, g] w[d, g, j] / √size
//! ```
//!
//! With the keys x w of a position x, x out is its score in each head: `heads` numbers for a position instead of
//! `heads · size`.

use crate::matrix::Matrix;
use crate::simd::{LANES, Panels, PanelsMut, SourceMut, row_by_row, wide};

/// The map, `[inputs, heads]`.
pub fn forward(w: &Matrix, query: &Matrix, heads: usize) -> Matrix {
    let size = query.columns / heads;
    let mut out = Matrix::zeros(w.rows, heads);
    for row in 0..w.rows {
        for (column, (w, q)) in w.row(row).iter().zip(&query.values).enumerate() {
            out.row_mut(row)[column / size] += w * q / (size as f64).sqrt();
        }
    }
    out
}

/// The gradients of w and the query.
pub fn backward(w: &Matrix, query: &Matrix, heads: usize, grad_output: &Matrix) -> [Matrix; 2] {
    let size = query.columns / heads;
    let (mut grad_w, mut grad_query) = (Matrix::zeros_like(w), Matrix::zeros_like(query));
    for row in 0..w.rows {
        for column in 0..query.columns {
            let grad = grad_output.row(row)[column / size] / (size as f64).sqrt();
            grad_w.row_mut(row)[column] = grad * query.values[column];
            grad_query.values[column] += grad * w.row(row)[column];
        }
    }
    [grad_w, grad_query]
}

/// Heads and their size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heads {
    /// Number of heads.
    pub count: usize,
    /// Components of a head.
    pub size: usize,
}

impl Heads {
    /// Panels that the components of one head fill.
    #[inline(always)]
    pub fn panels(self) -> usize {
        self.size.div_ceil(LANES)
    }
}

wide! {
    /// Writes the map.
    ///
    /// # Shapes
    /// `w` is `[head][panel][input]`, `query` is `[head][panel]` with a row each, `out` is `[panel of heads][input]`; `inputs`
    /// rows count.
    pub fn forward_simd(w: Panels<'_>, query: Panels<'_>, heads: Heads, out: &mut PanelsMut<'_>, inputs: usize) {
        let scale = 1.0 / (heads.size as f32).sqrt();
        for head in 0..heads.count {
            let panels = head * heads.panels()..(head + 1) * heads.panels();
            for input in 0..inputs {
                row_by_row();
                let mut sum = 0.0;
                for panel in panels.clone() {
                    let query = query.rows[panel * query.stride];
                    sum += w.rows[panel * w.stride + input].zip(query, |w, q| w * q).sum();
                }
                out.rows[head / LANES * out.stride + input].0[head % LANES] = sum * scale;
            }
        }
    }
}

wide! {
    /// Adds the gradient of w.
    ///
    /// # Shapes
    /// As in [`forward_simd`]; `grad_output` has the layout of `out`.
    pub fn backward_simd_weights(
        query: Panels<'_>,
        heads: Heads,
        grad_output: Panels<'_>,
        grad_w: &mut SourceMut<'_>,
        inputs: usize,
    ) {
        let scale = 1.0 / (heads.size as f32).sqrt();
        for panel in 0..heads.count * heads.panels() {
            let (head, query) = (panel / heads.panels(), query.rows[panel * query.stride]);
            for input in 0..inputs {
                row_by_row();
                let grad = grad_output.rows[head / LANES * grad_output.stride + input].0[head % LANES] * scale;
                let sum = grad_w.row_mut(panel, input);
                *sum = *sum + query * grad;
            }
        }
    }
}

wide! {
    /// Adds the gradient of the query.
    ///
    /// # Shapes
    /// As in [`forward_simd`]; `grad_output` has the layout of `out`.
    pub fn backward_simd_query(
        w: Panels<'_>,
        heads: Heads,
        grad_output: Panels<'_>,
        grad_query: &mut SourceMut<'_>,
        inputs: usize,
    ) {
        let scale = 1.0 / (heads.size as f32).sqrt();
        for panel in 0..heads.count * heads.panels() {
            let head = panel / heads.panels();
            let mut sum = *grad_query.row_mut(panel, 0);
            for input in 0..inputs {
                row_by_row();
                let grad = grad_output.rows[head / LANES * grad_output.stride + input].0[head % LANES] * scale;
                sum = sum + w.rows[panel * w.stride + input] * grad;
            }
            *grad_query.row_mut(panel, 0) = sum;
        }
    }
}

/// The map on tensors.
///
/// # Shapes
/// `w` is `[replicas, inputs, heads · size]`, `query` is `[replicas, 1, heads · size]`; the result is
/// `[replicas, inputs, heads]`.
#[cfg(feature = "train")]
pub fn forward_tensors(
    w: burn::tensor::Tensor<3>,
    query: burn::tensor::Tensor<3>,
    heads: usize,
) -> burn::tensor::Tensor<3> {
    let [replicas, inputs, columns] = w.dims();
    let size = columns / heads;
    let products = w.reshape([replicas, inputs, heads, size]) * query.reshape([replicas, 1, heads, size]);
    products.sum_dim(3).reshape([replicas, inputs, heads]) / (size as f32).sqrt()
}
