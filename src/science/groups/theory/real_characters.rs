//! The real character table of a group: class sizes, dimensions and characters of its irreducible real
//! representations.

use super::MarginError;
use crate::groups::{Group, Irreps};

/// Values of characters that differ by less than this count as equal.
const CHARACTER_TOLERANCE: f64 = 1e-7;

/// The real characters of a finite group: one value for each irreducible real representation and conjugacy class.
#[derive(Debug, Clone, PartialEq)]
pub struct RealCharacters {
    /// Number of elements |G| of the group.
    pub order: usize,
    /// Dimension D of each irreducible real representation (irrep), the trivial one first, `[irreps]`.
    pub dimensions: Vec<f64>,
    /// Type of each irrep, the dimension of the algebra of matrices that commute with it, `[irreps]`: 1 real, 2
    /// complex, 4 quaternionic.
    pub types: Vec<f64>,
    /// Number of elements of each conjugacy class except the identity's, `[classes]`.
    pub class_sizes: Vec<f64>,
    /// Character of each irrep on each class except the identity's, `[irreps, classes]`.
    pub characters: Vec<f64>,
}

impl RealCharacters {
    /// Computes the real characters of a group from its irreps.
    ///
    /// # Errors
    ///
    /// For the group of one element.
    pub fn from_group(group: &Group, irreps: &Irreps) -> Result<RealCharacters, MarginError> {
        let sizes: Vec<usize> = group.classes().iter().map(Vec::len).collect();
        let rows: Vec<Vec<f64>> = irreps.all().iter().map(|irrep| irrep.character.clone()).collect();
        RealCharacters::from_characters(&sizes, &rows)
    }

    /// Builds the table from the sizes of all classes `[classes]` and the real character of each irrep on them
    /// `[irreps][classes]`. The class of the identity and the trivial irrep come first.
    ///
    /// # Errors
    ///
    /// If the numbers violate an identity that holds for every group: `Σ_R D_R χ_R(C) / type_R` is 0 for C ≠ e and
    /// |G| for e.
    pub fn from_characters(sizes: &[usize], characters: &[Vec<f64>]) -> Result<RealCharacters, MarginError> {
        let wrong = |what: &str| Err(MarginError::InvalidCharacters(what.into()));
        let order: usize = sizes.iter().sum();
        if order < 2 {
            return Err(MarginError::TrivialGroup);
        }
        if sizes[0] != 1 || characters.iter().any(|row| row.len() != sizes.len()) {
            return wrong(
                "the first class is the identity alone, and a character has a value for each class",
            );
        }
        if characters.first().is_none_or(|row| row.iter().any(|x| (x - 1.0).abs() > CHARACTER_TOLERANCE)) {
            return wrong("the first character is not the trivial one");
        }
        let norm = |row: &Vec<f64>| {
            row.iter().zip(sizes).map(|(x, size)| x * x * *size as f64).sum::<f64>() / order as f64
        };
        let types: Vec<f64> = characters.iter().map(|row| norm(row).round()).collect();
        if characters
            .iter()
            .zip(&types)
            .any(|(row, of)| (norm(row) - of).abs() > 1e-6 || ![1.0, 2.0, 4.0].contains(of))
        {
            return wrong("a mean square is none of 1, 2 and 4");
        }
        for c in 0..sizes.len() {
            let sum: f64 = characters.iter().zip(&types).map(|(row, of)| row[0] * row[c] / of).sum();
            let expected = if c == 0 { order as f64 } else { 0.0 };
            if (sum - expected).abs() > 1e-6 * order as f64 {
                return wrong("the characters do not add up to the regular character");
            }
        }
        Ok(RealCharacters {
            order,
            dimensions: characters.iter().map(|row| row[0]).collect(),
            types,
            class_sizes: sizes[1..].iter().map(|size| *size as f64).collect(),
            characters: characters.iter().flat_map(|row| row[1..].iter().copied()).collect(),
        })
    }

    /// Number of irreducible real representations (irreps) of the group, including the trivial one.
    pub fn irrep_count(&self) -> usize {
        self.dimensions.len()
    }

    /// The character χ_R(C) of irrep `r` on conjugacy class `c`, both from 0; the identity's class is not counted.
    pub fn character_at(&self, r: usize, c: usize) -> f64 {
        self.characters[r * self.class_sizes.len() + c]
    }

    /// The left side of the condition of theorem 7.9 for each class except the identity's, `[classes]`. If all are
    /// negative, every irrep and every class takes part in a network of maximum margin.
    ///
    /// ```text
    /// Σ_{R nontrivial} D_R^{1.5} χ_R(C) / type_R
    /// ```
    ///
    /// (Edelman 2024, theorem 7.9, for real types; the division by the type, which the same proof gives for irreducible
    /// real representations of any type, is ours.)
    pub fn theorem_condition(&self) -> Vec<f64> {
        let term =
            |r: usize, c: usize| libm::pow(self.dimensions[r], 1.5) * self.character_at(r, c) / self.types[r];
        (0..self.class_sizes.len()).map(|c| (1..self.irrep_count()).map(|r| term(r, c)).sum()).collect()
    }

    /// Whether the condition of theorem 7.9 holds: the [sums](Self::theorem_condition) of all classes except the identity's
    /// are negative. It holds for S₃, S₄ and S₅, but not for A₅ and S₆.
    pub fn satisfies_theorem_condition(&self) -> bool {
        self.theorem_condition().iter().all(|sum| *sum < 0.0)
    }

    /// The sum `Σ_{R nontrivial} D_R^{2.5} / type_R` over irreps R of dimension D_R, which the closed form of the
    /// maximum margin γ* contains.
    pub fn dimension_sum(&self) -> f64 {
        (1..self.irrep_count()).map(|r| libm::pow(self.dimensions[r], 2.5) / self.types[r]).sum()
    }

    /// The maximum margin γ* = 2 / (3 √(3|G|) Σ_R D_R^{2.5} / type_R) if the condition of theorem 7.9 holds, else
    /// `None` (Edelman 2024, theorem 7.9, for real types; the division by the type is ours).
    pub fn closed_form_margin(&self) -> Option<f64> {
        self.satisfies_theorem_condition()
            .then(|| 2.0 / (3.0 * (3.0 * self.order as f64).sqrt() * self.dimension_sum()))
    }

    /// The factor `(3|G|)^{1.5} / 2` between Σ‖ω‖³ of a network and the sum of the variables `D_R^{1.5} s_R` of the
    /// programs, one for each nontrivial irrep R.
    pub(super) fn norm_mass_factor(&self) -> f64 {
        libm::pow(3.0 * self.order as f64, 1.5) / 2.0
    }

    /// Number of neurons of [`RealCharacters::build_network`] for the irreps that `used` marks, `[irreps]`: the sum of
    /// 2 D³ / type over them, with dimension D.
    ///
    /// For real type this is 2 d³ (Edelman 2024, lemma D.15); for a pair of frequencies it is 8 (appendix D.6.2).
    pub fn count_neurons(&self, used: &[bool]) -> usize {
        let of =
            |r: usize| 2.0 * self.dimensions[r] * self.dimensions[r] * self.dimensions[r] / self.types[r];
        (0..self.irrep_count()).filter(|r| used.get(*r) == Some(&true)).map(|r| of(r).round() as usize).sum()
    }

    /// The matrix `(D_R − χ_R(C)) / D_R^{1.5}` with a row for each conjugacy class C ≠ e and a column for each
    /// nontrivial irrep R. Classes with equal rows share one row.
    pub(super) fn compute_character_gaps(&self) -> CharacterGaps {
        let columns = self.irrep_count() - 1;
        let mut gaps = CharacterGaps { rows: vec![], answer_counts: vec![], row_of: vec![] };
        for (c, size) in self.class_sizes.iter().enumerate() {
            let gap = |r: usize| {
                (self.dimensions[r] - self.character_at(r, c)) / libm::pow(self.dimensions[r], 1.5)
            };
            let row: Vec<f64> = (1..self.irrep_count()).map(gap).collect();
            let same =
                |other: &[f64]| other.iter().zip(&row).all(|(a, b)| (a - b).abs() < CHARACTER_TOLERANCE);
            let found = gaps.rows.chunks_exact(columns).position(same);
            let index = found.unwrap_or(gaps.answer_counts.len());
            if found.is_none() {
                gaps.rows.extend(row);
                gaps.answer_counts.push(0.0);
            }
            gaps.answer_counts[index] += size;
            gaps.row_of.push(index);
        }
        gaps
    }
}

/// The matrix of the theory's programs: the margin over each class of wrong answers per unit of each irrep's share,
/// with equal classes merged.
#[derive(Debug, Clone)]
pub(super) struct CharacterGaps {
    /// The entries `(D_R − χ_R(C)) / D_R^{1.5}` of the matrix, for merged classes C and nontrivial irreps R,
    /// `[merged classes, irreps − 1]`.
    pub rows: Vec<f64>,
    /// Number of wrong answers in each merged class: the total size of the conjugacy classes, `[merged classes]`.
    pub answer_counts: Vec<f64>,
    /// Index of the row in the matrix for each conjugacy class except the identity's, `[classes]`.
    pub row_of: Vec<usize>,
}
