//! Products of small transposed matrices, and the gradients of products and of softmax, in double precision.

use vivarium_core::math::{add_scaled, dot};

/// abᵀ of a `[rows, inner]` and b `[columns, inner]`, `[rows, columns]`.
pub(crate) fn product_turned(a: &[f64], b: &[f64], inner: usize) -> Vec<f64> {
    a.chunks_exact(inner).flat_map(|row| b.chunks_exact(inner).map(|other| dot(row, other))).collect()
}

/// Adds aᵀb of a `[rows, inner]` and b `[rows, columns]` to `out`, `[inner, columns]`.
pub(crate) fn add_turned_product(out: &mut [f64], a: &[f64], b: &[f64], inner: usize) {
    let columns = out.len() / inner;
    for (row, line) in a.chunks_exact(inner).zip(b.chunks_exact(columns)) {
        row.iter()
            .zip(out.chunks_exact_mut(columns))
            .for_each(|(factor, out)| add_scaled(out, *factor, line));
    }
}

/// Of yW with the matrix W at `at` of `weights`: adds the gradient with respect to W to `gradients`, and returns that with
/// respect to y.
///
/// # Shapes
/// `slopes` is that with respect to yW, `[t, columns]`, and `y` is `[t, inner]`, as is the result.
pub(crate) fn product_back(
    slopes: &[f64],
    y: &[f64],
    at: usize,
    inner: usize,
    weights: &[Vec<f64>],
    gradients: &mut [Vec<f64>],
) -> Vec<f64> {
    add_turned_product(&mut gradients[at], y, slopes, inner);
    product_turned(slopes, &weights[at], weights[at].len() / inner)
}

/// Turns `slopes`, the gradient ds with respect to the shares s of a softmax, into that with respect to its scores,
/// s·(ds − Σ s ds). Shares behind the end of `slopes` must be 0.
pub(crate) fn softmax_back(shares: &[f64], slopes: &mut [f64]) {
    let mean = dot(shares, slopes);
    slopes.iter_mut().zip(shares).for_each(|(slope, share)| *slope = share * (*slope - mean));
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::math::matrix_product;

    #[test]
    fn products_agree_with_one_another() {
        let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 0.0, -1.0, 0.0, 1.0, 2.0]);
        // 2 by 3 times 3 by 2, with b and its transpose.
        assert_eq!(product_turned(&a, &[1.0, -1.0, 1.0, 0.0, 0.0, 2.0], 3), matrix_product(&a, &b, 2));
        let mut out = matrix_product(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0], &[1.0, 0.0, 0.0, 1.0], 2);
        add_turned_product(&mut out, &a, &[1.0, 0.0, 0.0, 1.0], 3);
        assert_eq!(out, [2.0, 8.0, 4.0, 10.0, 6.0, 12.0], "twice the transpose of a");
    }
}
