//! Matrices of an irreducible representation, out of the functions that its entries span.
//!
//! The group acts on that space by (L_a f)(x) = f(a⁻¹x), which is the representation as many times as fit. The
//! translations (T_b f)(x) = f(xb) commute with it, so that each eigenspace of a symmetric combination of them is
//! carried to itself; with weights that have no pattern it is as small as it can be, and irreducible (Serre 1977,
//! section 2.7, takes such a space apart by other means).

use nalgebra::{DMatrix, DMatrixView};

use super::{Group, Irrep, generic};
use vivarium_core::sorting;

/// The matrices, `[order, D, D]`, of an irrep with this orthonormal `basis`, `[functions, order]`.
pub(super) fn of(group: &Group, irrep: &Irrep, basis: &[f64]) -> Vec<f64> {
    let (order, d) = (group.order(), irrep.dimension);
    // Column by column in memory, each a function on the group.
    let functions = DMatrixView::from_slice(basis, order, irrep.functions);
    // [order, D]
    let subspace = functions * eigenspace(group, d, &functions);
    let mut all = Vec::with_capacity(order * d * d);
    for a in 0..order {
        let inverse = group.inverse(a);
        for i in 0..d {
            for j in 0..d {
                let moved = (0..order).map(|x| subspace[(group.times(inverse, x), j)]);
                all.push(subspace.column(i).iter().zip(moved).map(|(f, moved)| f * moved).sum());
            }
        }
    }
    all
}

/// Orthonormal eigenvectors, `[functions, D]` in terms of the given functions, to the eigenvalue that stands out
/// most from the others.
fn eigenspace(group: &Group, d: usize, functions: &DMatrixView<f64>) -> DMatrix<f64> {
    let (order, count) = functions.shape();
    let mut draw = generic(count as u64);
    let mut weights: Vec<f64> = (0..order).map(|_| draw()).collect();
    for b in 0..order {
        weights[b] = weights[group.inverse(b)];
    }
    let translated = DMatrix::from_fn(order, count, |x, l| {
        weights.iter().enumerate().map(|(b, weight)| weight * functions[(group.times(x, b), l)]).sum::<f64>()
    });
    let eigen = (functions.transpose() * translated).symmetric_eigen();
    let mut sorted: Vec<(f64, usize)> =
        eigen.eigenvalues.iter().copied().enumerate().map(|(at, value)| (value, at)).collect();
    sorting::sort_by(&mut sorted, |a, b| a.0.total_cmp(&b.0));
    // Each eigenvalue is there D times, up to rounding.
    let gap = |at: usize| {
        let below = if at == 0 { f64::INFINITY } else { sorted[at].0 - sorted[at - 1].0 };
        let above = sorted.get(at + d).map_or(f64::INFINITY, |next| next.0 - sorted[at + d - 1].0);
        below.min(above)
    };
    let best = (0..count).step_by(d).max_by(|a, b| gap(*a).total_cmp(&gap(*b))).unwrap_or(0);
    DMatrix::from_fn(count, d, |row, column| eigen.eigenvectors[(row, sorted[best + column].1)])
}
