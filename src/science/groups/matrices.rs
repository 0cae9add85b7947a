//! Computes the matrices of an irreducible representation from the functions that its entries span.
//!
//! The group acts on that space by (L_a f)(x) = f(a⁻¹x); this action contains the representation several times. The
//! translations (T_b f)(x) = f(xb) commute with L_a, so each eigenspace of a symmetric combination of translations is
//! invariant under L_a. With random weights the eigenspaces are as small as possible, hence irreducible (Serre 1977,
//! section 2.7, decomposes such a space in another way).

use nalgebra::{DMatrix, DMatrixView};

use super::{Group, Irrep, splitmix64_numbers};
use vivarium_core::sorting;

/// Computes the matrices `[order, D, D]` of the irrep `irrep` of dimension D from `basis`, orthonormal functions on the
/// group that span its matrix entries, `[functions, order]`.
pub(super) fn compute_matrices(group: &Group, irrep: &Irrep, basis: &[f64]) -> Vec<f64> {
    let (order, d) = (group.order(), irrep.dimension);
    // nalgebra stores columns, so each function on the group is one column.
    let functions = DMatrixView::from_slice(basis, order, irrep.span_dimension);
    // [order, D]
    let subspace = functions * isolated_eigenspace(group, d, &functions);
    let mut all = Vec::with_capacity(order * d * d);
    for a in 0..order {
        let inverse = group.inverse(a);
        for i in 0..d {
            for j in 0..d {
                let moved = (0..order).map(|x| subspace[(group.multiply(inverse, x), j)]);
                all.push(subspace.column(i).iter().zip(moved).map(|(f, moved)| f * moved).sum());
            }
        }
    }
    all
}

/// Orthonormal eigenvectors, `[functions, D]` with D = `d` the dimension of the irrep, of a random symmetric
/// combination of translations by group elements, in coordinates of the orthonormal `functions`, `[order, functions]`.
/// Of all eigenspaces it returns the one whose eigenvalue is farthest from the others.
fn isolated_eigenspace(group: &Group, d: usize, functions: &DMatrixView<f64>) -> DMatrix<f64> {
    let (order, count) = functions.shape();
    let mut draw = splitmix64_numbers(count as u64);
    let mut weights: Vec<f64> = (0..order).map(|_| draw()).collect();
    for b in 0..order {
        weights[b] = weights[group.inverse(b)];
    }
    let translated = DMatrix::from_fn(order, count, |x, l| {
        weights
            .iter()
            .enumerate()
            .map(|(b, weight)| weight * functions[(group.multiply(x, b), l)])
            .sum::<f64>()
    });
    let eigen = (functions.transpose() * translated).symmetric_eigen();
    let mut sorted: Vec<(f64, usize)> =
        eigen.eigenvalues.iter().copied().enumerate().map(|(at, value)| (value, at)).collect();
    sorting::sort_by(&mut sorted, |a, b| a.0.total_cmp(&b.0));
    // Each eigenvalue has multiplicity D, up to rounding.
    let gap = |at: usize| {
        let below = if at == 0 { f64::INFINITY } else { sorted[at].0 - sorted[at - 1].0 };
        let above = sorted.get(at + d).map_or(f64::INFINITY, |next| next.0 - sorted[at + d - 1].0);
        below.min(above)
    };
    let best = (0..count).step_by(d).max_by(|a, b| gap(*a).total_cmp(&gap(*b))).unwrap_or(0);
    DMatrix::from_fn(count, d, |row, column| eigen.eigenvectors[(row, sorted[best + column].1)])
}
