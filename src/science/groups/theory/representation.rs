//! Networks of maximum margin on any finite group, from matrices of its irreducible real representations.
//!
//! For an orthogonal representation with entries R_ij, two neurons
//!
//! ```text
//! u = s R_ij,   v = ± s R_jk,   w = ± s R_ik
//! ```
//!
//! add 4 s³ R_ij(a) R_jk(b) R_ik(c) to the logits, and over all j, k and i that is 4 s³ tr R(a)R(b)R(c)ᵀ
//! (Edelman 2024, appendix D.9, lemmas D.15 and D.16).
//!
//! # Why other types need fewer neurons
//!
//! Suppose matrices J commute with an irreducible representation (√−1, or the three quaternion units). They turn one
//! vector x into 2 or 4 vectors with `⟨Jx, M Jx⟩ = ⟨x, M x⟩` for all matrices M of the representation. So i may run
//! over one vector of each such set, with 2 or 4 times the weight: on Z_p that leaves the eight neurons per frequency
//! of appendix D.6.2. The norm |G|/D of `⟨x, R e_j⟩`, and with it the margin, are the same for all types.

use super::{MarginError, QuadraticNetwork, RealCharacters};
use vivarium_core::math::{dot, project_out};

impl RealCharacters {
    /// Builds the network that computes `Σ_R s_R χ_R(a b c⁻¹)`, where each irrep R has the given share `shares` of
    /// Σ‖ω‖³, `[irreps]`; the share of the trivial irrep is ignored. `matrices(r)` returns the matrices of irrep r,
    /// `[order, D, D]`.
    ///
    /// With the shares of [`compute_max_margin`](Self::compute_max_margin) its margin is γ*. The scale is that of lemma D.16: where
    /// theorem 7.9 holds, the right logit is |G| − 1 and all others are −1. It has
    /// [`count_neurons`](Self::count_neurons) neurons.
    ///
    /// # Errors
    ///
    /// If the shares do not fit, or matrices are not of the dimension and the type that they should be of.
    pub fn build_network(
        &self,
        shares: &[f64],
        mut matrices: impl FnMut(usize) -> Vec<f64>,
    ) -> Result<QuadraticNetwork, MarginError> {
        let total: f64 = shares.iter().skip(1).sum();
        let fits = shares.len() == self.irrep_count() && shares[1..].iter().all(|share| *share >= 0.0);
        if !(fits && total > 0.0 && total.is_finite()) {
            return Err(MarginError::InvalidNormShares);
        }
        let mut neurons = vec![];
        for r in (1..self.irrep_count()).filter(|r| shares[*r] > 0.0) {
            let (dimension, units) = (self.dimensions[r] as usize, self.types[r] as usize);
            let matrices = matrices(r);
            if matrices.len() != self.order * dimension * dimension {
                return Err(MarginError::InvalidMatrices(r));
            }
            let representation = RepresentationMatrices { matrices: &matrices, dimension };
            let vectors =
                representation.orbit_representatives(units).ok_or(MarginError::InvalidMatrices(r))?;
            // Scales s so that Σ D^{1.5} s_R has the same value as for s_R = D_R / type.
            let s = shares[r] / total * self.dimension_sum() / libm::pow(self.dimensions[r], 1.5);
            let amplitude = libm::cbrt(units as f64 * s / 4.0);
            for x in &vectors {
                let rows = representation.row_functions(x);
                for (j, first) in rows.iter().enumerate() {
                    for (k, last) in rows.iter().enumerate() {
                        let middle = representation.entry_function(j, k);
                        for sign in [1.0, -1.0] {
                            let times = |f: &[f64], by: f64| f.iter().map(|x| by * x).collect::<Vec<f64>>();
                            neurons.push([
                                times(first, amplitude),
                                times(&middle, sign * amplitude),
                                times(last, sign * amplitude),
                            ]);
                        }
                    }
                }
            }
        }
        Ok(QuadraticNetwork::from_neurons(self.order, &neurons))
    }
}

/// A real representation of a group, given by its matrices.
struct RepresentationMatrices<'a> {
    /// R(a) for each element a, `[order, D, D]`.
    matrices: &'a [f64],
    /// Dimension D of the representation: number of rows of its matrices.
    dimension: usize,
}

impl RepresentationMatrices<'_> {
    /// The entry in row `j` and column `k`, both from 0, of the matrices R(a) as a function of the element a,
    /// `[order]`.
    fn entry_function(&self, j: usize, k: usize) -> Vec<f64> {
        let d = self.dimension;
        self.matrices.chunks_exact(d * d).map(|matrix| matrix[j * d + k]).collect()
    }

    /// For the vector `x`, `[D]`, the functions a ↦ ⟨x, R(a) e_j⟩ on the group, one for each unit vector e_j,
    /// `[D][order]`.
    fn row_functions(&self, x: &[f64]) -> Vec<Vec<f64>> {
        let d = self.dimension;
        let along = |j: usize| {
            let of = |matrix: &[f64]| x.iter().enumerate().map(|(i, x)| x * matrix[i * d + j]).sum();
            self.matrices.chunks_exact(d * d).map(of).collect()
        };
        (0..d).map(along).collect()
    }

    /// Orthonormal vectors, D / `units` of them, each from another orbit under the `units` matrices that commute
    /// with the representation (1, 2 or 4 by its type). `None` if these matrices do not exist.
    fn orbit_representatives(&self, units: usize) -> Option<Vec<Vec<f64>>> {
        let d = self.dimension;
        if !d.is_multiple_of(units) {
            return None;
        }
        // A single orbit can be represented by any vector.
        let commuting = if d == units { vec![] } else { self.find_commuting_matrices(units - 1)? };
        let mut vectors: Vec<Vec<f64>> = vec![];
        let mut spanned: Vec<Vec<f64>> = vec![];
        while vectors.len() < d / units {
            // The standard basis vector farthest from the span of the previous ones.
            let rests = (0..d).map(|i| {
                let mut rest = vec![0.0; d];
                rest[i] = 1.0;
                spanned.iter().for_each(|axis| project_out(&mut rest, axis));
                let left = dot(&rest, &rest);
                (left, rest)
            });
            // The first vector among equally distant ones, so that rounding does not decide.
            let (left, rest) = rests.reduce(|best, next| if next.0 > best.0 + 1e-9 { next } else { best })?;
            let vector: Vec<f64> = rest.iter().map(|x| x / left.sqrt()).collect();
            spanned.push(vector.clone());
            for unit in &commuting {
                spanned.push(unit.chunks_exact(d).map(|row| dot(row, &vector)).collect());
            }
            vectors.push(vector);
        }
        Some(vectors)
    }

    /// Finds `count` antisymmetric orthogonal matrices `[D, D]` that commute with the matrices R(a) of the
    /// representation and are orthogonal to each other, by averaging R X Rᵀ over the group. `None` if there are fewer.
    fn find_commuting_matrices(&self, count: usize) -> Option<Vec<Vec<f64>>> {
        let d = self.dimension;
        let mut found: Vec<Vec<f64>> = vec![];
        for (a, b) in (1..d).flat_map(|b| (0..b).map(move |a| (a, b))) {
            if found.len() == count {
                break;
            }
            let mut mean = vec![0.0; d * d];
            for matrix in self.matrices.chunks_exact(d * d) {
                for i in 0..d {
                    for j in 0..d {
                        mean[i * d + j] +=
                            matrix[i * d + a] * matrix[j * d + b] - matrix[i * d + b] * matrix[j * d + a];
                    }
                }
            }
            let order = (self.matrices.len() / (d * d)) as f64;
            mean.iter_mut().for_each(|x| *x /= order);
            for other in &found {
                let along = dot(&mean, other) / d as f64;
                mean.iter_mut().zip(other).for_each(|(x, o)| *x -= along * o);
            }
            let square = dot(&mean, &mean) / d as f64;
            // A nonzero mean is far above rounding errors.
            if square > 1e-6 {
                mean.iter_mut().for_each(|x| *x /= square.sqrt());
                found.push(mean);
            }
        }
        (found.len() == count).then_some(found)
    }
}
