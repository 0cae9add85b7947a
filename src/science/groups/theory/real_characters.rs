//! The numbers of a group that the theory needs: sizes of classes, real dimensions and real characters.

use super::Problem;
use crate::groups::{Group, Irreps};

/// How far apart two characters may be and count as equal.
const EQUAL: f64 = 1e-7;

/// Classes and irreducible real characters of a finite group.
#[derive(Debug, Clone, PartialEq)]
pub struct RealCharacters {
    /// Elements of the group.
    pub order: usize,
    /// Real dimension D of each irrep, the trivial one first.
    pub dimensions: Vec<f64>,
    /// Dimension of what commutes with each irrep: 1 for the real type, 2 complex, 4 quaternionic.
    pub types: Vec<f64>,
    /// Size of each class but the identity's.
    pub sizes: Vec<f64>,
    /// Character of each irrep on each of those classes, `[irreps, classes]`.
    pub characters: Vec<f64>,
}

impl RealCharacters {
    /// Those of a group.
    ///
    /// # Errors
    ///
    /// For the group of one element.
    pub fn of(group: &Group, irreps: &Irreps) -> Result<RealCharacters, Problem> {
        let sizes: Vec<usize> = group.classes().iter().map(Vec::len).collect();
        let rows: Vec<Vec<f64>> = irreps.all().iter().map(|irrep| irrep.character.clone()).collect();
        RealCharacters::new(&sizes, &rows)
    }

    /// From the sizes of all classes and the real character of each irrep on them, `{e}` and the trivial first.
    ///
    /// # Errors
    ///
    /// Where the numbers break what holds for every group: `Σ_R D_R χ_R(C) / type = 0` for C ≠ e, and |G| at e.
    pub fn new(sizes: &[usize], characters: &[Vec<f64>]) -> Result<RealCharacters, Problem> {
        let wrong = |what: &str| Err(Problem::Characters(what.into()));
        let order: usize = sizes.iter().sum();
        if order < 2 {
            return Err(Problem::Trivial);
        }
        if sizes[0] != 1 || characters.iter().any(|row| row.len() != sizes.len()) {
            return wrong(
                "the first class is the identity alone, and a character has a value for each class",
            );
        }
        if characters.first().is_none_or(|row| row.iter().any(|x| (x - 1.0).abs() > EQUAL)) {
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
            sizes: sizes[1..].iter().map(|size| *size as f64).collect(),
            characters: characters.iter().flat_map(|row| row[1..].iter().copied()).collect(),
        })
    }

    /// Irreps, the trivial one included.
    pub fn irreps(&self) -> usize {
        self.dimensions.len()
    }

    /// χ_R(C) of irrep `r` on class `c`, counted without the identity's.
    pub fn at(&self, r: usize, c: usize) -> f64 {
        self.characters[r * self.sizes.len() + c]
    }

    /// The left side of theorem 7.9's condition on each class but the identity's: where all are below zero, every
    /// irrep and every class takes part in a network of maximum margin.
    ///
    /// ```text
    /// Σ_{R nontrivial} D_R^{1.5} χ_R(C) / type_R
    /// ```
    ///
    /// (Edelman 2024, theorem 7.9, for real types; the division by the type, which the same proof gives for irreducible
    /// real representations of any type, is ours.)
    pub fn condition(&self) -> Vec<f64> {
        let term = |r: usize, c: usize| libm::pow(self.dimensions[r], 1.5) * self.at(r, c) / self.types[r];
        (0..self.sizes.len()).map(|c| (1..self.irreps()).map(|r| term(r, c)).sum()).collect()
    }

    /// `Σ_{R nontrivial} D_R^{2.5} / type_R`, the sum in the closed form of γ*.
    pub fn sum(&self) -> f64 {
        (1..self.irreps()).map(|r| libm::pow(self.dimensions[r], 2.5) / self.types[r]).sum()
    }

    /// γ* = 2 / (3 √(3|G|) Σ_R D_R^{2.5} / type_R) where the condition holds (Edelman 2024, theorem 7.9, for real types;
    /// the types are ours).
    pub fn closed_form(&self) -> Option<f64> {
        let holds = self.condition().iter().all(|sum| *sum < 0.0);
        holds.then(|| 2.0 / (3.0 * (3.0 * self.order as f64).sqrt() * self.sum()))
    }

    /// The price of a unit of norm mass in a network on functions of norm 1: `(3|G|)^{1.5} / 2`.
    pub(super) fn price(&self) -> f64 {
        libm::pow(3.0 * self.order as f64, 1.5) / 2.0
    }

    /// Neurons of a construction with the irreps of which `used` says so: `Σ 2 D³ / type`.
    ///
    /// In the type's own terms 2 d³ for real ones (Edelman 2024, lemma D.15) and 8 for a pair of frequencies
    /// (appendix D.6.2).
    pub fn neurons_needed(&self, used: &[bool]) -> usize {
        let of =
            |r: usize| 2.0 * self.dimensions[r] * self.dimensions[r] * self.dimensions[r] / self.types[r];
        (0..self.irreps()).filter(|r| used.get(*r) == Some(&true)).map(|r| of(r).round() as usize).sum()
    }

    /// `(D_R − χ_R(C)) / D_R^{1.5}` for the nontrivial irreps on each class, equal rows once: the rows
    /// `[merged, irreps − 1]`, their sizes, and the row of each class.
    pub(super) fn gaps(&self) -> Gaps {
        let columns = self.irreps() - 1;
        let mut gaps = Gaps { rows: vec![], sizes: vec![], row_of: vec![] };
        for (c, size) in self.sizes.iter().enumerate() {
            let gap = |r: usize| (self.dimensions[r] - self.at(r, c)) / libm::pow(self.dimensions[r], 1.5);
            let row: Vec<f64> = (1..self.irreps()).map(gap).collect();
            let same = |other: &[f64]| other.iter().zip(&row).all(|(a, b)| (a - b).abs() < EQUAL);
            let found = gaps.rows.chunks_exact(columns).position(same);
            let index = found.unwrap_or(gaps.sizes.len());
            if found.is_none() {
                gaps.rows.extend(row);
                gaps.sizes.push(0.0);
            }
            gaps.sizes[index] += size;
            gaps.row_of.push(index);
        }
        gaps
    }
}

/// What each wrong class loses to the right one, per unit of norm mass of each irrep.
#[derive(Debug, Clone)]
pub(super) struct Gaps {
    /// `[merged classes, irreps − 1]`.
    pub rows: Vec<f64>,
    /// Elements behind each row.
    pub sizes: Vec<f64>,
    /// The row of each class.
    pub row_of: Vec<usize>,
}
