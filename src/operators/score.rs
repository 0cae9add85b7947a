//! The attention score of a query with a key, with several heads.
//!
//! ```text
//! out[g] = Σ_j q[g, j] k[g, j] / √size           q, k [1, heads · size], out [1, heads]
//! grad_q[g, j] = grad_out[g] k[g, j] / √size     grad_k[g, j] = grad_out[g] q[g, j] / √size
//! ```
//!
//! [`rewrite`](crate::rewrite) makes one of each position of an [`attention`](crate::attention) whose query depends on the example.

use crate::attention_scores::Heads;
use crate::matrix::Matrix;
use crate::simd::{Panels, PanelsMut, Row, Source, SourceMut, row_by_row, wide};

/// The score in each head, `[1, heads]`.
pub fn forward(query: &Matrix, key: &Matrix, heads: usize) -> Matrix {
    let size = query.columns / heads;
    let mut out = Matrix::zeros(1, heads);
    for (column, (q, k)) in query.values.iter().zip(&key.values).enumerate() {
        out.values[column / size] += q * k / (size as f64).sqrt();
    }
    out
}

/// The gradients of query and key.
pub fn backward(query: &Matrix, key: &Matrix, heads: usize, grad_output: &Matrix) -> [Matrix; 2] {
    let size = query.columns / heads;
    [key, query].map(|other| {
        let mut gradient = other.clone();
        for (column, value) in gradient.values.iter_mut().enumerate() {
            *value *= grad_output.values[column / size] / (size as f64).sqrt();
        }
        gradient
    })
}

wide! {
    /// Writes the scores of `count` samples.
    ///
    /// # Shapes
    /// Query and key are `[head][panel][sample]`, `out` is `[panel of heads][sample]`.
    pub fn forward_simd(query: Source<'_>, key: Source<'_>, heads: Heads, out: &mut PanelsMut<'_>, count: usize) {
        let scale = 1.0 / (heads.size as f32).sqrt();
        for head in 0..heads.count {
            let panels = head * heads.panels()..(head + 1) * heads.panels();
            for sample in 0..count {
                row_by_row();
                let products = panels.clone().map(|panel| query.row(panel, sample).zip(key.row(panel, sample), |q, k| q * k));
                let sum = products.fold(Row::ZERO, |sum, product| sum + product).sum();
                out.set_lane(head, sample, sum * scale);
            }
        }
    }
}

wide! {
    /// Adds the gradient of query or key, or writes it; `other` is the other one of the two.
    ///
    /// # Shapes
    /// As in [`forward_simd`]; `grad_output` has the layout of `out`.
    pub fn backward_simd(
        other: Source<'_>,
        heads: Heads,
        grad_output: Panels<'_>,
        gradient: &mut SourceMut<'_>,
        count: usize,
        overwrites: bool,
    ) {
        let scale = 1.0 / (heads.size as f32).sqrt();
        for panel in 0..heads.count * heads.panels() {
            let head = panel / heads.panels();
            for sample in 0..count {
                row_by_row();
                let product = other.row(panel, sample) * (grad_output.lane(head, sample) * scale);
                let sum = gradient.row_mut(panel, sample);
                *sum = if overwrites { product } else { *sum + product };
            }
        }
    }
}

/// The scores on tensors.
///
/// # Shapes
/// Query and key are `[replicas, batch or 1, heads · size]`; the result is `[replicas, batch or 1, heads]`.
#[cfg(feature = "train")]
pub fn forward_tensors(
    query: burn::tensor::Tensor<3>,
    key: burn::tensor::Tensor<3>,
    heads: usize,
) -> burn::tensor::Tensor<3> {
    let size = query.dims()[2] / heads;
    let products = query * key;
    let [replicas, batch, _] = products.dims();
    products.reshape([replicas, batch, heads, size]).sum_dim(3).reshape([replicas, batch, heads])
        / (size as f32).sqrt()
}
