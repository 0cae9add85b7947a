//! Running a rule on an image, cell by cell: the reference implementation for `sliced`, and the images that the page draws.
//!
//! ```text
//! step     every cell at once: cell(r, c) ← f(cell(r, c), cell(r − 1, c)); the top row sees itself above
//! run      m + 1 steps, one per row, so that the top row can influence the bottom row
//! answer   sign of the sum of all cells, or of the bottom row; none if the sum is 0, which counts as half correct
//! ```
//!
//! # Why
//! A sum of 0 counts as half correct, like a random guess. If it counted as +1, rules whose sum is always −1 or 0 would seem
//! perfect: with the bottom row only, twice as many rules would learn single bits. If it counted as wrong, the accuracy of the
//! identity rule on single bits would be 0.922 instead of 0.934.

use super::rule::{CellRule, CellValue};
use super::task::{CellImage, Query};

/// The cells of the image after a run whose sum gives the answer, by its sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReadoutCells {
    /// All cells.
    All,
    /// Only the bottom row, row m.
    Bottom,
}

impl CellImage {
    /// The image after one step of `rule`, which changes all cells at once; for a cell of the top row the value
    /// above it is its own value.
    pub fn step(&self, rule: CellRule) -> CellImage {
        let (rows, columns) = (self.rows(), self.columns());
        let become_of = |at: usize| {
            let centre = self.cells()[at];
            let above = at.checked_sub(columns).map_or(centre, |above| self.cells()[above]);
            rule.apply(centre, above)
        };
        CellImage::new(rows, columns, (0..rows * columns).map(become_of).collect())
    }

    /// The image after as many steps of the rule as the image has rows: m + 1 for m examples.
    pub fn run(&self, rule: CellRule) -> CellImage {
        (0..self.rows()).fold(self.clone(), |image, _| image.step(rule))
    }

    /// The images before and after each step of a run: rows + 1 images.
    pub fn trajectory(&self, rule: CellRule) -> Vec<CellImage> {
        let mut images = vec![self.clone()];
        for _ in 0..self.rows() {
            images.extend(images.last().map(|image| image.step(rule)));
        }
        images
    }

    /// The sum of the values of the cells that `readout` selects.
    pub fn sum(&self, readout: ReadoutCells) -> i32 {
        let cells = match readout {
            ReadoutCells::All => self.cells(),
            ReadoutCells::Bottom => &self.cells()[self.cells().len().saturating_sub(self.columns())..],
        };
        cells.iter().map(|cell: &CellValue| cell.value()).sum()
    }
}

/// Predicts the label of a query's test input by running the rule on its image: the sign, 1 or −1, of the sum of
/// the cells of `readout`; `None` if the sum is 0.
pub fn predict(query: &Query, rule: CellRule, readout: ReadoutCells) -> Option<i8> {
    label(query.image().run(rule).sum(readout))
}

/// The label that the sum of an image's cells stands for: its sign, 1 or −1; `None` for the sum 0.
fn label(sum: i32) -> Option<i8> {
    match sum {
        0 => None,
        1.. => Some(1),
        _ => Some(-1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::succinct::ConceptFamily;
    use crate::succinct::search::QueryDistribution;

    #[test]
    fn identity_is_a_vote_of_all_cells() {
        for query in
            QueryDistribution::new(ConceptFamily::HalfSpace, 6, 10, 0.0).unwrap().queries(1, 0, 50).unwrap()
        {
            let vote: i32 = query.image().cells().iter().map(|cell| cell.value()).sum();
            assert_eq!(predict(&query, CellRule::IDENTITY, ReadoutCells::All), label(vote));
            let bottom = query.test_input.iter().map(|one| i32::from(*one)).sum::<i32>() + 1;
            assert_eq!(predict(&query, CellRule::IDENTITY, ReadoutCells::Bottom), label(bottom));
        }
        assert_eq!([-2, 0, 3].map(label), [Some(-1), None, Some(1)]);
    }

    #[test]
    fn consensus_keeps_only_columns_of_equal_signs() {
        let query = QueryDistribution::new(ConceptFamily::Dictator, 4, 12, 0.0).unwrap().query(1, 0);
        let first = query.image();
        let last = first.run(CellRule::CONSENSUS);
        for column in 0..5 {
            let signs: Vec<CellValue> = (0..13).filter_map(|row| first.cell(row, column)).collect();
            let bottom = last.cell(12, column).unwrap();
            let are_equal = signs.iter().all(|sign| *sign == signs[0]);
            assert_eq!(bottom, if are_equal { signs[0] } else { CellValue::Zero }, "{column}");
        }
    }

    #[test]
    fn the_top_row_is_its_own_upper_neighbour_and_changes_move_one_row_per_step() {
        // Every cell becomes the cell above it: after m + 1 steps all rows are the top row.
        let copy = CellRule::parse("-0+-0+-0+").unwrap();
        let image = QueryDistribution::new(ConceptFamily::Constant, 3, 6, 0.0).unwrap().query(1, 5).image();
        let course = image.trajectory(copy);
        assert_eq!(course.len(), 8);
        assert_eq!(course[7], image.run(copy));
        for (step, later) in course.iter().enumerate() {
            for row in 0..7 {
                for column in 0..4 {
                    assert_eq!(later.cell(row, column), image.cell(row.saturating_sub(step), column));
                }
            }
        }
    }
}
