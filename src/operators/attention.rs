//! Attention of one query, with several heads.
//!
//! ```text
//! s[i, g] = Σ_j q[g, j] k[i, g, j] / √size       i: positions, g: heads, j: components of a head
//! A[i, g] = exp s[i, g] / Σ_i' exp s[i', g], or max(0, s[i, g]) / positions
//! out[g, j] = Σ_i A[i, g] v[i, g, j]             q, out [1, heads · size], k, v [positions, heads · size]
//! grad_q[g, j] = Σ_i grad_s[i, g] k[i, g, j] / √size      grad_k[i, g, j] = grad_s[i, g] q[g, j] / √size
//! grad_s, grad_v as of the weighted sum
//! ```
//!
//! Vaswani et al. 2017, section 3.2. This operator has no form in vectors and on tensors: [`rewrite`](crate::rewrite) replaces it
//! by [`weighted_sum`](crate::weighted_sum) of [scores](crate::score), or of [`attention_scores`](crate::attention_scores) where the
//! query is the same for all examples.

use crate::matrix::Matrix;
use crate::weighted_sum::{self, Weighting};

/// The scores, `[positions, heads]`.
fn scores(query: &Matrix, keys: &Matrix, heads: usize) -> Matrix {
    let size = query.columns / heads;
    let mut scores = Matrix::zeros(keys.rows, heads);
    for row in 0..keys.rows {
        for (head, score) in scores.row_mut(row).iter_mut().enumerate() {
            let own = head * size..(head + 1) * size;
            let products = query.values[own.clone()].iter().zip(&keys.row(row)[own]);
            *score = products.map(|(q, k)| q * k).sum::<f64>() / (size as f64).sqrt();
        }
    }
    scores
}

/// Attention of `query` over positions with these keys and values, with `heads` heads.
pub fn forward(query: &Matrix, keys: &Matrix, values: &Matrix, heads: usize, weighting: Weighting) -> Matrix {
    weighted_sum::forward(&scores(query, keys, heads), values, weighting)
}

/// The attention weights, `[positions, heads]`.
pub fn weights(query: &Matrix, keys: &Matrix, heads: usize, weighting: Weighting) -> Matrix {
    weighted_sum::weights(&scores(query, keys, heads), weighting)
}

/// The gradients of query, keys and values.
pub fn backward(
    query: &Matrix,
    keys: &Matrix,
    values: &Matrix,
    heads: usize,
    weighting: Weighting,
    grad_output: &Matrix,
) -> [Matrix; 3] {
    let size = query.columns / heads;
    let [grad_scores, grad_values] =
        weighted_sum::backward(&scores(query, keys, heads), values, weighting, grad_output);
    let (mut grad_query, mut grad_keys) = (Matrix::zeros_like(query), Matrix::zeros_like(keys));
    for row in 0..keys.rows {
        for column in 0..query.columns {
            let grad = grad_scores.row(row)[column / size] / (size as f64).sqrt();
            grad_query.values[column] += grad * keys.row(row)[column];
            grad_keys.row_mut(row)[column] = grad * query.values[column];
        }
    }
    [grad_query, grad_keys, grad_values]
}
