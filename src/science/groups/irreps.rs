//! Irreducible real representations of a group: their characters, the functions that their entries span, and
//! matrices.
//!
//! A complex representation that can be made real is one as it is; one with a character that is not real is
//! joined with its conjugate; one that has a real character but cannot be made real is taken twice (Serre 1977,
//! section 13.2). The projector to the functions that the entries of such a representation span is
//!
//! ```text
//! (P f)(x) = (d / |G|) Σ_y χ(x y⁻¹) f(y)
//! ```
//!
//! with the complex dimension d, and with χ + χ̄ for a joined pair (section 2.6; Edelman 2024, appendix D.8).

use super::{CharacterTable, Group, matrices, named};
use vivarium_core::math::{dot, normalize, orthogonalize};
use vivarium_core::sorting;

/// The type of an irreducible real representation: the algebra of matrices that commute with it (Frobenius and Schur
/// 1906).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IrrepType {
    /// The real numbers. The representation is irreducible over the complex numbers, too.
    Real,
    /// The complex numbers. The representation is the sum of two conjugate complex representations.
    Complex,
    /// The quaternions. The representation is twice a complex representation.
    Quaternionic,
}

/// An irreducible real representation, up to the choice of a basis.
#[derive(Debug, Clone, PartialEq)]
pub struct Irrep {
    /// Printable name. Cyclic groups: the frequency, `ζ = 3`. Otherwise `trivial`, for permutations `sign`,
    /// `standard` and `standard ⊗ sign`, and for all others the dimension, with a letter if several irreps share it:
    /// `2`, `3a`, `3b`.
    pub name: String,
    /// Type of the irrep (real, complex or quaternionic), by the matrices that commute with it.
    pub irrep_type: IrrepType,
    /// Dimension D, the number of rows of the irrep's matrices: d, 2d or 2d for real, complex and quaternionic
    /// type, where d is the complex dimension.
    pub dimension: usize,
    /// Trace of the irrep's matrices on each conjugacy class of the group, `[classes]`; it is D at the identity.
    pub character: Vec<f64>,
    /// Dimension of the space of functions on the group that the irrep's matrix entries span: d², 2d² or d² for
    /// real, complex and quaternionic type, where d is the complex dimension.
    pub span_dimension: usize,
}

impl Irrep {
    /// Builds an irrep without a name from its type, the complex dimension d and the real character `[classes]`.
    fn new(kind: IrrepType, complex_dimension: usize, character: Vec<f64>) -> Irrep {
        let twice = if kind == IrrepType::Real { 1 } else { 2 };
        let parts = if kind == IrrepType::Complex { 2 } else { 1 };
        let (dimension, functions) = (twice * complex_dimension, parts * complex_dimension.pow(2));
        Irrep { name: String::new(), irrep_type: kind, dimension, character, span_dimension: functions }
    }
}

/// All irreducible real representations (irreps) of a group, with orthonormal bases of their functions.
#[derive(Debug, Clone, PartialEq)]
pub struct Irreps {
    /// The group that the irreps represent.
    group: Group,
    /// The irreps, the trivial one first.
    all: Vec<Irrep>,
    /// For each irrep, orthonormal functions on the group that span its matrix entries, as [`Irreps::function_basis`]
    /// returns them, `[functions, order]`.
    bases: Vec<Vec<f64>>,
}

impl Irreps {
    /// Computes the irreps of a group. The trivial irrep is first; the others are sorted by dimension, then by the
    /// values of the character in decreasing order. For [`Group::cyclic`] of order n they are sorted by frequency, 0 to
    /// ⌊n/2⌋.
    pub fn compute(group: &Group) -> Irreps {
        if group.is_standard_cyclic() {
            Irreps::of_cyclic_group(group)
        } else {
            Irreps::from_character_table(group)
        }
    }

    /// Computes the irreps of any group from its complex character table, in the order of [`Irreps::compute`] for
    /// groups that are not cyclic.
    fn from_character_table(group: &Group) -> Irreps {
        let characters = CharacterTable::compute(group);
        let mut all = vec![];
        for r in 0..characters.count() {
            let partner = characters.conjugate_index(r);
            // The first of two conjugate characters already added this irrep.
            if partner < r {
                continue;
            }
            let kind = match characters.frobenius_schur_indicators[r] {
                1 => IrrepType::Real,
                0 => IrrepType::Complex,
                _ => IrrepType::Quaternionic,
            };
            let times = if kind == IrrepType::Real { 1.0 } else { 2.0 };
            let character = characters.character_values(r).iter().map(|value| times * value[0]).collect();
            all.push(Irrep::new(kind, characters.dimensions[r], character));
        }
        // The sort is stable: irreps of equal dimension keep the order of the characters.
        sorting::sort_by_key(&mut all[1..], |irrep| irrep.dimension);
        assign_names(group, &mut all);
        let bases = all.iter().map(|irrep| compute_function_basis(group, irrep)).collect();
        Irreps { group: group.clone(), all, bases }
    }

    /// The irreps of Z_n in closed form, by cosines and sines (Serre 1977, section 5.1).
    fn of_cyclic_group(group: &Group) -> Irreps {
        let n = group.order();
        let waves = |zeta: usize, wave: fn(f64) -> f64| -> Vec<f64> {
            (0..n).map(|a| wave(std::f64::consts::TAU * (zeta * a % n) as f64 / n as f64)).collect()
        };
        let (mut all, mut bases) = (vec![], vec![]);
        for zeta in 0..=n / 2 {
            let (cosine, sine) = (waves(zeta, libm::cos), waves(zeta, libm::sin));
            let alone = zeta == 0 || 2 * zeta == n;
            let times = if alone { 1.0 } else { 2.0 };
            let kind = if alone { IrrepType::Real } else { IrrepType::Complex };
            // Class c contains only element c.
            let mut irrep = Irrep::new(kind, 1, cosine.iter().map(|cosine| times * cosine).collect());
            irrep.name = format!("ζ = {zeta}");
            all.push(irrep);
            let scale = libm::sqrt(times / n as f64);
            let functions = if alone { cosine } else { [cosine, sine].concat() };
            bases.push(functions.into_iter().map(|value| scale * value).collect());
        }
        Irreps { group: group.clone(), all, bases }
    }

    /// All irreps of the group, the trivial one first.
    pub fn all(&self) -> &[Irrep] {
        &self.all
    }

    /// Orthonormal functions on the group, `[functions, order]`, that span the matrix entries of irrep `r`. For
    /// cyclic groups they are multiples of cos(2πζa/n) and sin(2πζa/n), in this order.
    pub fn function_basis(&self, r: usize) -> &[f64] {
        &self.bases[r]
    }

    /// The squared norm of the projection of the function `f` on the group, `[order]`, onto the span of each irrep's
    /// matrix entries, `[irreps]`. The sum is the squared norm of the function.
    pub fn power_spectrum(&self, f: &[f64]) -> Vec<f64> {
        let along = |row: &[f64]| dot(row, f);
        let rows = |basis: &Vec<f64>| basis.chunks(self.group.order()).map(along).map(|a| a * a).sum();
        self.bases.iter().map(rows).collect()
    }

    /// The matrices of irrep `r`, `[order, D, D]`: orthogonal, with R(a) R(b) = R(a·b). For cyclic groups R(a) is the
    /// rotation by 2πζa/n. For other groups the choice of the basis is arbitrary but deterministic.
    pub fn matrices(&self, r: usize) -> Vec<f64> {
        let irrep = &self.all[r];
        match (self.frequency(r), irrep.dimension) {
            (Some(_), 1) => irrep.character.clone(),
            (Some(zeta), _) => {
                let n = self.group.order();
                let angle = |a: usize| std::f64::consts::TAU * (zeta * a % n) as f64 / n as f64;
                (0..n).map(|a| libm::sincos(angle(a))).flat_map(|(s, c)| [c, -s, s, c]).collect()
            }
            _ => matrices::compute_matrices(&self.group, irrep, &self.bases[r]),
        }
    }

    /// The frequency ζ of irrep `r` of a cyclic group, which equals r. `None` if [`Group::cyclic`] did not build
    /// the group.
    pub fn frequency(&self, r: usize) -> Option<usize> {
        self.group.is_standard_cyclic().then_some(r)
    }
}

/// Orthonormal functions `[functions, order]` that span the matrix entries of an irrep: a basis of the range of the
/// projector onto them, by Gram–Schmidt with pivoting. Each step takes the column of the projector with the largest
/// remaining norm.
fn compute_function_basis(group: &Group, irrep: &Irrep) -> Vec<f64> {
    let order = group.order();
    // The real character is χ + χ̄ for a conjugate pair and 2χ for quaternionic type.
    let complex_dimension = match irrep.irrep_type {
        IrrepType::Real => irrep.dimension,
        IrrepType::Complex | IrrepType::Quaternionic => irrep.dimension / 2,
    };
    let half = if irrep.irrep_type == IrrepType::Quaternionic { 0.5 } else { 1.0 };
    let scale = half * complex_dimension as f64 / order as f64;
    let kernel: Vec<f64> = irrep.character.iter().map(|value| scale * value).collect();
    let mut left = vec![scale * irrep.character[0]; order];
    let mut basis: Vec<f64> = Vec::with_capacity(irrep.span_dimension * order);
    for _ in 0..irrep.span_dimension {
        // The first column whose remaining norm is the maximum up to rounding.
        let max_left = left.iter().copied().fold(0.0, f64::max);
        let y = left.iter().position(|left| *left > max_left - 1e-9).unwrap_or(0);
        let inverse = group.inverse(y);
        let mut next: Vec<f64> =
            (0..order).map(|x| kernel[group.class_of(group.multiply(x, inverse))]).collect();
        orthogonalize(&mut next, basis.chunks(order));
        normalize(&mut next);
        left.iter_mut().zip(&next).for_each(|(left, value)| *left -= value * value);
        basis.extend(next);
    }
    basis
}

/// Sets the names of all irreps of a group that is not handled as cyclic.
fn assign_names(group: &Group, all: &mut [Irrep]) {
    all[0].name = "trivial".into();
    if let Some(points) = group.permutation(0).map(<[u8]>::len) {
        let of_classes = |value: &dyn Fn(&[u8]) -> f64| -> Vec<f64> {
            let representatives = group.classes().iter().filter_map(|class| group.permutation(class[0]));
            representatives.map(value).collect()
        };
        let fixed = |p: &[u8]| (0..points as u8).filter(|i| p[usize::from(*i)] == *i).count() as f64;
        let sign = of_classes(&|p| {
            let odd =
                named::cycle_decomposition(p).iter().filter(|cycle| cycle.len() % 2 == 0).count() % 2 == 1;
            if odd { -1.0 } else { 1.0 }
        });
        let standard = of_classes(&|p| fixed(p) - 1.0);
        let both: Vec<f64> = standard.iter().zip(&sign).map(|(a, b)| a * b).collect();
        for (name, wanted) in [("sign", sign), ("standard", standard), ("standard ⊗ sign", both)] {
            let same = |a: &f64, b: &f64| (a - b).abs() < 1e-6;
            let fits = |irrep: &&mut Irrep| irrep.character.iter().zip(&wanted).all(|(a, b)| same(a, b));
            if let Some(irrep) = all.iter_mut().find(fits).filter(|irrep| irrep.name.is_empty()) {
                irrep.name = name.into();
            }
        }
    }
    let unnamed: Vec<usize> = (0..all.len()).filter(|r| all[*r].name.is_empty()).collect();
    for r in &unnamed {
        let dimension = all[*r].dimension;
        let alike: Vec<&usize> = unnamed.iter().filter(|s| all[**s].dimension == dimension).collect();
        let place = alike.iter().position(|s| *s == r).unwrap_or(0);
        let letter = if alike.len() > 1 { alphabetic_index(place) } else { String::new() };
        all[*r].name = format!("{dimension}{letter}");
    }
}

/// Formats the index `place`, from 0, as a to z, then aa, ab and so on.
fn alphabetic_index(place: usize) -> String {
    let last = char::from(b'a' + (place % 26) as u8).to_string();
    if place < 26 { last } else { alphabetic_index(place / 26 - 1) + &last }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::super::named::tests::examples;
    use super::super::splitmix64_numbers;
    use super::*;

    fn names(irreps: &Irreps) -> Vec<&str> {
        irreps.all().iter().map(|irrep| irrep.name.as_str()).collect()
    }

    fn dimensions(group: &Group) -> Vec<usize> {
        Irreps::compute(group).all().iter().map(|irrep| irrep.dimension).collect()
    }

    #[test]
    fn dimensions_and_names_match_the_literature() {
        let irreps = |group: Group| Irreps::compute(&group);
        assert_eq!(names(&irreps(Group::symmetric(3))), ["trivial", "sign", "standard"]);
        let s4 = irreps(Group::symmetric(4));
        assert_eq!(names(&s4), ["trivial", "sign", "2", "standard", "standard ⊗ sign"]);
        let s5 = irreps(Group::symmetric(5));
        assert_eq!(names(&s5), ["trivial", "sign", "standard", "standard ⊗ sign", "5a", "5b", "6"]);
        assert_eq!(names(&irreps(Group::symmetric(2))), ["trivial", "sign"]);
        assert_eq!(names(&irreps(Group::alternating(5))), ["trivial", "3a", "3b", "standard", "5"]);
        assert_eq!(names(&irreps(Group::dihedral(4))), ["trivial", "1a", "1b", "1c", "2"]);
        assert_eq!(names(&irreps(Group::cyclic(6))), ["ζ = 0", "ζ = 1", "ζ = 2", "ζ = 3"]);
        assert_eq!(dimensions(&Group::dihedral(7)), [1, 1, 2, 2, 2]);
        assert_eq!(dimensions(&Group::dihedral(12)), [1, 1, 1, 1, 2, 2, 2, 2, 2]);
        assert_eq!(dimensions(&Group::cyclic(1)), [1]);
        assert_eq!(
            [0, 25, 26, 51, 52, 701, 702].map(alphabetic_index),
            ["a", "z", "aa", "az", "ba", "zz", "aaa"]
        );
    }

    #[test]
    fn irreps_have_the_expected_types() {
        let kinds = |group: &Group| -> Vec<(IrrepType, usize, usize)> {
            let irreps = Irreps::compute(group);
            irreps
                .all()
                .iter()
                .map(|irrep| (irrep.irrep_type, irrep.dimension, irrep.span_dimension))
                .collect()
        };
        let one = (IrrepType::Real, 1, 1);
        assert_eq!(kinds(&Group::quaternion()), [one, one, one, one, (IrrepType::Quaternionic, 4, 4)]);
        assert_eq!(kinds(&Group::alternating(4)), [one, (IrrepType::Complex, 2, 2), (IrrepType::Real, 3, 9)]);
        assert_eq!(kinds(&Group::cyclic(4)), [one, (IrrepType::Complex, 2, 2), one]);
        let group = Group::direct_product(&[Group::quaternion(), Group::cyclic(3)]);
        let last = &kinds(&group)[8..];
        assert_eq!(last, [(IrrepType::Quaternionic, 4, 4), (IrrepType::Complex, 4, 8)]);
    }

    /// Edelman 2024, theorem 7.9: Σ d^1.5 χ(C) over the irreps that are not trivial is below 0 at every class but
    /// {e}, which A₅ and S₆ fail; values from direct sums over the printed tables.
    #[test]
    fn the_condition_of_the_theorem_matches_direct_sums() {
        let condition = |group: &Group| -> Vec<f64> {
            let irreps = Irreps::compute(group);
            let sum =
                |c| irreps.all()[1..].iter().map(|r| (r.dimension as f64).powf(1.5) * r.character[c]).sum();
            (1..group.classes().len()).map(sum).collect()
        };
        let close = |found: Vec<f64>, expected: &[f64]| {
            assert_eq!(found.len(), expected.len());
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.006), "{found:?} {expected:?}");
        };
        close(condition(&Group::symmetric(3)), &[-1.0, -1.828]);
        let s4 = condition(&Group::symmetric(4));
        assert_eq!(Group::symmetric(4).class_name(1), "(1 2)(3 4)", "three of these, six transpositions");
        close(s4, &[-3.735, -1.0, -1.828, -1.0]);
        close(condition(&Group::symmetric(5)), &[-1.0, -6.033, -5.361, -1.0, -0.303, -1.0]);
        close(condition(&Group::alternating(5)), &[0.788, -3.18, -2.80, -2.80]);
        for n in 3..=12 {
            assert!(condition(&Group::dihedral(n)).iter().all(|value| *value < 0.0), "{n}");
        }
        let s6 = Group::symmetric(6);
        let failing: Vec<String> = condition(&s6)
            .iter()
            .enumerate()
            .filter(|(_, value)| **value > 0.0)
            .map(|(c, value)| format!("{} {value:.1}", s6.class_name(c + 1)))
            .collect();
        assert_eq!(failing, ["(1 2 3 4)(5 6) 10.3", "(1 2 3 4 5) 11.0"]);
    }

    #[test]
    fn the_bases_together_are_an_orthonormal_basis_of_all_functions() {
        for group in examples() {
            let irreps = Irreps::compute(&group);
            let order = group.order();
            let sum: usize = irreps.all().iter().map(|irrep| irrep.span_dimension).sum();
            assert_eq!(sum, order);
            let rows: Vec<&[f64]> =
                (0..irreps.all().len()).flat_map(|r| irreps.function_basis(r).chunks(order)).collect();
            assert_eq!(rows.len(), order);
            for (i, a) in rows.iter().enumerate() {
                for (j, b) in rows.iter().enumerate() {
                    let same = if i == j { 1.0 } else { 0.0 };
                    assert!((dot(a, b) - same).abs() < 1e-11, "{order} {i} {j}");
                }
            }
            let mut draw = splitmix64_numbers(3);
            let f: Vec<f64> = (0..order).map(|_| draw()).collect();
            let power = irreps.power_spectrum(&f);
            assert!((power.iter().sum::<f64>() - dot(&f, &f)).abs() < 1e-11);
            let mean = f.iter().sum::<f64>() / order as f64;
            assert!((power[0] - order as f64 * mean * mean).abs() < 1e-11);
            assert!(irreps.all().iter().zip(&power).all(|(_, power)| *power > 0.0));
        }
    }

    #[test]
    fn matrices_are_orthogonal_homomorphisms_with_the_characters_as_traces() {
        for group in examples().into_iter().filter(|group| group.order() <= 60) {
            let irreps = Irreps::compute(&group);
            let order = group.order();
            for (r, irrep) in irreps.all().iter().enumerate() {
                let d = irrep.dimension;
                let all = irreps.matrices(r);
                assert_eq!(all.len(), order * d * d);
                assert_eq!(all, irreps.matrices(r));
                let matrix = |a: usize| DMatrix::from_row_slice(d, d, &all[a * d * d..][..d * d]);
                for a in 0..order {
                    let unit = matrix(a) * matrix(a).transpose() - DMatrix::identity(d, d);
                    assert!(unit.amax() < 1e-11, "{order} {r}");
                    assert!((matrix(a).trace() - irrep.character[group.class_of(a)]).abs() < 1e-11);
                    for b in 0..order {
                        let difference = matrix(a) * matrix(b) - matrix(group.multiply(a, b));
                        assert!(difference.amax() < 1e-11, "{order} {r}");
                    }
                }
                // The entries lie in the span of the basis, and their rank is its dimension.
                let entries = DMatrix::from_row_slice(order, d * d, &all);
                let basis = DMatrix::from_row_slice(irrep.span_dimension, order, irreps.function_basis(r));
                let outside = &entries - basis.transpose() * (&basis * &entries);
                assert!(outside.amax() < 1e-11, "{order} {r}");
                assert_eq!(entries.rank(1e-6), irrep.span_dimension);
            }
        }
    }

    #[test]
    fn the_matrices_of_the_largest_irrep_of_s5_are_a_homomorphism() {
        let group = Group::symmetric(5);
        let irreps = Irreps::compute(&group);
        let all = irreps.matrices(6);
        let matrix = |a: usize| DMatrix::from_row_slice(6, 6, &all[a * 36..][..36]);
        for a in 0..120 {
            for b in [1, 37, 119] {
                assert!((matrix(a) * matrix(b) - matrix(group.multiply(a, b))).amax() < 1e-11);
            }
        }
    }

    #[test]
    fn the_cyclic_and_the_general_algorithm_agree() {
        for n in [1, 2, 3, 8, 13, 30] {
            let group = Group::cyclic(n);
            let (direct, general) = (Irreps::compute(&group), Irreps::from_character_table(&group));
            assert_eq!(direct.all().len(), n / 2 + 1);
            let mut draw = splitmix64_numbers(n as u64);
            let f: Vec<f64> = (0..n).map(|_| draw()).collect();
            let (power, other) = (direct.power_spectrum(&f), general.power_spectrum(&f));
            let mut matched = vec![];
            for (r, irrep) in direct.all().iter().enumerate() {
                assert_eq!(direct.frequency(r), Some(r));
                let near =
                    |a: &Irrep| a.character.iter().zip(&irrep.character).all(|(a, b)| (a - b).abs() < 1e-11);
                let s = general.all().iter().position(near).unwrap();
                let twin = &general.all()[s];
                assert_eq!((twin.irrep_type, twin.span_dimension), (irrep.irrep_type, irrep.span_dimension));
                assert!((power[r] - other[s]).abs() < 1e-11);
                matched.push(s);
            }
            matched.sort_unstable();
            assert_eq!(matched, (0..general.all().len()).collect::<Vec<_>>());
        }
        let irreps = Irreps::compute(&Group::cyclic(7));
        let expected: Vec<f64> = (0..7)
            .map(|a| std::f64::consts::TAU * 2.0 * f64::from(a) / 7.0)
            .flat_map(|angle| [angle.cos(), -angle.sin(), angle.sin(), angle.cos()])
            .collect();
        assert!(irreps.matrices(2).iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14));
        assert_eq!(Irreps::compute(&Group::dihedral(3)).frequency(1), None);
    }
}
