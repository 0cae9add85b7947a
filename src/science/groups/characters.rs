//! The complex characters of a group, from the algebra of its classes.
//!
//! The sums K_i over the classes multiply as K_i K_j = Σ_k a_ijk K_k, and the numbers ω(K_i) = |C_i| χ(C_i) / χ(e)
//! of a character multiply alike, so that ω is an eigenvector of every matrix (a_ijk)_jk, with eigenvalue ω(K_i)
//! (Isaacs 1976, section 3; Burnside's algorithm). Scaled to
//!
//! ```text
//! (N_i)_jk = a_ijk √(|C_k| / |C_j|),   u_k = √(|C_k| / |G|) χ(C_k),
//! ```
//!
//! the matrices are normal, N_i is the adjoint of N_j for the class j of the inverses, and the eigenvectors are
//! orthonormal (Serre 1977, section 2.3). A Hermitian combination with weights that have no pattern tells all
//! characters apart.
//!
//! # Why
//! Floating point instead of arithmetic modulo a prime (Dixon 1967), because an eigenvalue solver is available and
//! twelve digits suffice. The solver's result is refined: u† N_i u has an error of second order.

use std::cmp::Ordering;

use nalgebra::{Complex, DMatrix};

use super::{Group, splitmix64_numbers};
use vivarium_core::sorting;

/// Character values that differ by less than this are equal. Values of different characters differ by much more.
const VALUE_TOLERANCE: f64 = 1e-7;

/// The complex character table of a group. The trivial character is first; the others are sorted by dimension, then
/// by their values in decreasing order.
#[derive(Debug, Clone, PartialEq)]
pub struct CharacterTable {
    /// The dimension χ(e), the value at the identity, of each complex character, `[characters]`.
    pub dimensions: Vec<usize>,
    /// Real and imaginary part of χ on each class, `[characters, classes]`, to about twelve digits. Values that are
    /// an integer up to rounding are exactly that integer.
    pub values: Vec<[f64; 2]>,
    /// Frobenius–Schur indicator of each character, the mean of χ(g²), `[characters]`: 1 if the representation can be
    /// made real, 0 if χ is not real, −1 if χ is real but the representation cannot be made real (Serre 1977, section
    /// 13.2).
    pub frobenius_schur_indicators: Vec<i8>,
}

impl CharacterTable {
    /// Computes the character table of a group, in about order · classes² + 10 · classes³ steps.
    pub fn compute(group: &Group) -> CharacterTable {
        let classes = group.classes().len();
        let roots: Vec<f64> = group.classes().iter().map(|class| libm::sqrt(class.len() as f64)).collect();
        // The class of x⁻¹·z for the first z of each class: how often it is j, over x in C_i, is a_ijk.
        let quotients: Vec<usize> = (0..group.order())
            .flat_map(|x| group.classes().iter().map(move |class| (group.inverse(x), class[0])))
            .map(|(x, z)| group.class_of(group.multiply(x, z)))
            .collect();
        let vectors = class_algebra_eigenvectors(group, &roots, &quotients);
        let mut rows: Vec<(usize, Vec<[f64; 2]>)> = vectors
            .chunks(classes)
            .map(|u| character_from_eigenvector(group, &roots, &quotients, u))
            .collect();
        let trivial = |row: &[[f64; 2]]| row.iter().all(|value| *value == [1.0, 0.0]);
        sorting::sort_by(&mut rows, |(d, a), (e, b)| {
            trivial(b).cmp(&trivial(a)).then(d.cmp(e)).then_with(|| compare_descending(a, b))
        });
        let squares: Vec<(f64, usize)> = (0..classes)
            .map(|c| (group.classes()[c].len() as f64, group.classes()[c][0]))
            .map(|(size, a)| (size / group.order() as f64, group.class_of(group.multiply(a, a))))
            .collect();
        let indicator = |row: &[[f64; 2]]| squares.iter().map(|(share, c)| share * row[*c][0]).sum::<f64>();
        CharacterTable {
            dimensions: rows.iter().map(|(d, _)| *d).collect(),
            frobenius_schur_indicators: rows
                .iter()
                .map(|(_, row)| libm::round(indicator(row)) as i8)
                .collect(),
            values: rows.into_iter().flat_map(|(_, row)| row).collect(),
        }
    }

    /// Number of irreducible complex characters, which equals the number of conjugacy classes.
    pub fn count(&self) -> usize {
        self.dimensions.len()
    }

    /// Real and imaginary part of the character with index `character`, from 0, on each conjugacy class, `[classes]`.
    pub fn character_values(&self, character: usize) -> &[[f64; 2]] {
        &self.values[character * self.count()..][..self.count()]
    }

    /// Index of the complex conjugate of the character with index `character`: the same index if its values are real.
    pub fn conjugate_index(&self, character: usize) -> usize {
        let row = self.character_values(character);
        let same = |a: &[f64; 2], b: &[f64; 2]| {
            (a[0] - b[0]).abs() < VALUE_TOLERANCE && (a[1] + b[1]).abs() < VALUE_TOLERANCE
        };
        (0..self.count())
            .find(|other| self.character_values(*other).iter().zip(row).all(|(a, b)| same(a, b)))
            .unwrap_or(character)
    }
}

/// Orders two characters, given by their values `[classes]` as pairs (real part, imaginary part), by decreasing values:
/// the first class where they differ decides, by its real part, then by its imaginary part.
fn compare_descending(a: &[[f64; 2]], b: &[[f64; 2]]) -> Ordering {
    let pairs = a.as_flattened().iter().zip(b.as_flattened());
    let differing = pairs.into_iter().find(|(a, b)| (*a - *b).abs() > VALUE_TOLERANCE);
    differing.map_or(Ordering::Equal, |(a, b)| b.total_cmp(a))
}

/// Orthonormal eigenvectors of a random Hermitian combination of the class matrices N_i of the module, one for each
/// character, `[characters, classes]`. `roots` are √|C_i| for the classes C_i; `quotients` is `[order, classes]`,
/// the class of x⁻¹·z for each element x and the first element z of each class.
fn class_algebra_eigenvectors(group: &Group, roots: &[f64], quotients: &[usize]) -> Vec<Complex<f64>> {
    /// Maximum number of random combinations of class matrices; another one is tried if two eigenvalues of a
    /// combination are too close.
    const MAX_ATTEMPTS: u64 = 8;
    let classes = roots.len();
    let attempt = |seed: u64| {
        let mut draw = splitmix64_numbers(seed);
        let mut weights = vec![Complex::new(0.0, 0.0); classes];
        for (i, class) in group.classes().iter().enumerate() {
            let j = group.class_of(group.inverse(class[0]));
            if i <= j {
                let (re, im) = (draw() / roots[i], draw() / roots[i]);
                weights[i] = Complex::new(re, if i == j { 0.0 } else { im });
                weights[j] = weights[i].conj();
            }
        }
        let mut matrix = DMatrix::from_element(classes, classes, Complex::new(0.0, 0.0));
        for (x, row) in quotients.chunks(classes).enumerate() {
            for (k, j) in row.iter().enumerate() {
                matrix[(*j, k)] += weights[group.class_of(x)] * (roots[k] / roots[*j]);
            }
        }
        let eigen = matrix.symmetric_eigen();
        let mut sorted: Vec<f64> = eigen.eigenvalues.iter().copied().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let spread = sorted[classes - 1] - sorted[0];
        let gap = sorted.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        (gap > 1e-8 * spread, eigen.eigenvectors.as_slice().to_vec())
    };
    // If two eigenvalues are too close, other random weights separate them.
    let mut found = attempt(0);
    for seed in 1..MAX_ATTEMPTS {
        if found.0 {
            break;
        }
        found = attempt(seed);
    }
    found.1
}

/// Computes the dimension of a character and its values on all classes, as pairs (real part, imaginary part), from
/// the eigenvector u of the class matrices N_i: |C_i| χ(C_i) / χ(e) is u† N_i u. `roots` are √|C_i|, and
/// `quotients` is as in [`class_algebra_eigenvectors`].
fn character_from_eigenvector(
    group: &Group,
    roots: &[f64],
    quotients: &[usize],
    u: &[Complex<f64>],
) -> (usize, Vec<[f64; 2]>) {
    let left: Vec<Complex<f64>> = u.iter().zip(roots).map(|(u, root)| u.conj() / *root).collect();
    let right: Vec<Complex<f64>> = u.iter().zip(roots).map(|(u, root)| u * *root).collect();
    let mut omega = vec![Complex::new(0.0, 0.0); u.len()];
    for (x, row) in quotients.chunks(u.len()).enumerate() {
        omega[group.class_of(x)] += row.iter().zip(&right).map(|(j, r)| left[*j] * r).sum::<Complex<f64>>();
    }
    // χ(e)² Σ_i |ω_i|² / |C_i| = |G|.
    let norm: f64 = omega.iter().zip(roots).map(|(omega, root)| omega.norm_sqr() / (root * root)).sum();
    let dimension = libm::round(libm::sqrt(group.order() as f64 / norm));
    let whole = |x: f64| if (x - libm::round(x)).abs() < 1e-10 { libm::round(x) + 0.0 } else { x };
    let value = |(omega, root): (&Complex<f64>, &f64)| {
        let value = omega * (dimension / (root * root));
        [whole(value.re), whole(value.im)]
    };
    (dimension as usize, omega.iter().zip(roots).map(value).collect())
}

#[cfg(test)]
mod tests {
    use super::super::named::tests::examples;
    use super::*;

    /// Table D.1 of Edelman 2024, of S₅: the numbers are typed off.
    #[test]
    fn the_character_table_of_s5_matches_the_printed_one() {
        let found = CharacterTable::compute(&Group::symmetric(5));
        let mut printed = [
            [1, 1, 1, 1, 1, 1, 1],
            [1, -1, 1, 1, -1, 1, -1],
            [4, -2, 0, 1, 0, -1, 1],
            [4, 2, 0, 1, 0, -1, -1],
            [5, 1, 1, -1, -1, 0, 1],
            [5, -1, 1, -1, 1, 0, -1],
            [6, 0, -2, 0, 0, 1, 0],
        ];
        printed.swap(2, 3);
        for (r, row) in printed.iter().enumerate() {
            let real: Vec<[f64; 2]> = row.iter().map(|value| [f64::from(*value), 0.0]).collect();
            assert_eq!(found.character_values(r), real);
        }
        assert_eq!(found.frobenius_schur_indicators, [1; 7]);
    }

    #[test]
    fn rows_and_columns_are_orthogonal() {
        for group in examples() {
            let found = CharacterTable::compute(&group);
            let n = found.count();
            assert_eq!(n, group.classes().len());
            assert_eq!(found.dimensions.iter().map(|d| d * d).sum::<usize>(), group.order());
            assert!(found.character_values(0).iter().all(|value| *value == [1.0, 0.0]));
            let at = |r: usize, c: usize| {
                Complex::new(found.character_values(r)[c][0], found.character_values(r)[c][1])
            };
            let size = |c: usize| group.classes()[c].len() as f64;
            let order = group.order() as f64;
            for a in 0..n {
                assert_eq!(found.character_values(a)[0], [found.dimensions[a] as f64, 0.0]);
                assert_eq!(found.conjugate_index(found.conjugate_index(a)), a);
                for b in 0..n {
                    let rows: Complex<f64> = (0..n).map(|c| at(a, c) * at(b, c).conj() * size(c)).sum();
                    let same = if a == b { 1.0 } else { 0.0 };
                    assert!((rows / order - same).norm_sqr() < 1e-22, "{order} {a} {b} {rows}");
                    let columns: Complex<f64> = (0..n).map(|r| at(r, a) * at(r, b).conj()).sum();
                    assert!(
                        (columns * size(a) / order - same).norm_sqr() < 1e-22,
                        "{order} {a} {b} {columns}"
                    );
                }
            }
        }
    }

    #[test]
    fn values_have_twelve_correct_digits() {
        for n in [5, 12, 97, 128] {
            let found = CharacterTable::compute(&Group::cyclic(n));
            for zeta in 0..n {
                // Larger values first: 0, 1, −1, 2, −2, …
                let row = found.character_values(if zeta <= n / 2 {
                    (2 * zeta).saturating_sub(1)
                } else {
                    2 * (n - zeta)
                });
                for (a, value) in row.iter().enumerate() {
                    let angle = std::f64::consts::TAU * (zeta * a % n) as f64 / n as f64;
                    assert!((value[0] - angle.cos()).abs() < 1e-12 && (value[1] - angle.sin()).abs() < 1e-12);
                }
            }
        }
    }

    /// A₅ has the golden ratio in its table (Serre 1977, section 18.6).
    #[test]
    fn other_character_tables_match_printed_ones() {
        let found = CharacterTable::compute(&Group::alternating(5));
        assert_eq!(found.dimensions, [1, 3, 3, 4, 5]);
        let golden = (1.0 + 5f64.sqrt()) / 2.0;
        let expected = [3.0, -1.0, 0.0, golden, 1.0 - golden];
        assert!(
            found
                .character_values(1)
                .iter()
                .zip(expected)
                .all(|(a, b)| (a[0] - b).abs() < 1e-12 && a[1] == 0.0)
        );
        let found = CharacterTable::compute(&Group::quaternion());
        assert_eq!(
            (found.dimensions, found.frobenius_schur_indicators),
            (vec![1, 1, 1, 1, 2], vec![1, 1, 1, 1, -1])
        );
        let found = CharacterTable::compute(&Group::alternating(4));
        assert_eq!(
            (found.dimensions.clone(), found.frobenius_schur_indicators.clone()),
            (vec![1, 1, 1, 3], vec![1, 0, 0, 1])
        );
        assert_eq!((found.conjugate_index(1), found.conjugate_index(3)), (2, 3));
        let found = CharacterTable::compute(&Group::dihedral(4));
        assert_eq!((found.dimensions, found.frobenius_schur_indicators), (vec![1, 1, 1, 1, 2], vec![1; 5]));
        let found = CharacterTable::compute(&Group::symmetric(6));
        assert_eq!(found.dimensions, [1, 1, 5, 5, 5, 5, 9, 9, 10, 10, 16]);
    }
}
