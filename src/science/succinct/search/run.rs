//! Running a rule on an image: the plain way, cell by cell, which the page draws and the fast way is compared with.
//!
//! ```text
//! step     every cell at once: cell(r, c) ← f(cell(r, c), cell(r − 1, c)); the top row sees itself above
//! run      m + 1 steps, one for each row: so what the top row holds can reach the bottom row
//! answer   sign of the sum of all cells, or of the bottom row; none where the sum is 0, which counts as half right
//! ```
//!
//! # Why
//! A sum of 0 counts as half right, as if a coin were thrown. Counted as +1 instead, rules that can only say −1 or nothing would
//! look perfect: with the bottom row read, twice as many rules would learn single bits. Counted as wrong, the identity rule
//! would lose two points on single bits, 0.922 instead of 0.934.

use super::rule::{Cell, Rule};
use super::task::{Image, Query};

/// Which cells are added up for the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Readout {
    /// All cells.
    All,
    /// The bottom row, m, alone.
    Bottom,
}

impl Image {
    /// The image one step later.
    pub fn step(&self, rule: Rule) -> Image {
        let (rows, columns) = (self.rows(), self.columns());
        let become_of = |at: usize| {
            let centre = self.cells()[at];
            let above = at.checked_sub(columns).map_or(centre, |above| self.cells()[above]);
            rule.apply(centre, above)
        };
        Image::new(rows, columns, (0..rows * columns).map(become_of).collect())
    }

    /// The image after one step for each row.
    pub fn run(&self, rule: Rule) -> Image {
        (0..self.rows()).fold(self.clone(), |image, _| image.step(rule))
    }

    /// All images of a run, the first one among them: one more than there are rows.
    pub fn course(&self, rule: Rule) -> Vec<Image> {
        let mut images = vec![self.clone()];
        for _ in 0..self.rows() {
            images.extend(images.last().map(|image| image.step(rule)));
        }
        images
    }

    /// The sum of the cells that are read.
    pub fn sum(&self, readout: Readout) -> i32 {
        let cells = match readout {
            Readout::All => self.cells(),
            Readout::Bottom => &self.cells()[self.cells().len().saturating_sub(self.columns())..],
        };
        cells.iter().map(|cell: &Cell| cell.value()).sum()
    }
}

/// The label that a rule predicts for the test input of a query, 1 or −1; none where the sum is 0.
pub fn answer(query: &Query, rule: Rule, readout: Readout) -> Option<i8> {
    label(query.image().run(rule).sum(readout))
}

/// The label that a sum stands for.
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
    use crate::succinct::Family;
    use crate::succinct::search::Task;

    #[test]
    fn identity_is_a_vote_of_all_cells() {
        for query in Task::new(Family::HalfSpace, 6, 10, 0.0).unwrap().queries(1, 0, 50).unwrap() {
            let vote: i32 = query.image().cells().iter().map(|cell| cell.value()).sum();
            assert_eq!(answer(&query, Rule::IDENTITY, Readout::All), label(vote));
            let bottom = query.test.iter().map(|one| i32::from(*one)).sum::<i32>() + 1;
            assert_eq!(answer(&query, Rule::IDENTITY, Readout::Bottom), label(bottom));
        }
        assert_eq!([-2, 0, 3].map(label), [Some(-1), None, Some(1)]);
    }

    #[test]
    fn consensus_leaves_columns_of_equal_signs() {
        let query = Task::new(Family::Dictator, 4, 12, 0.0).unwrap().query(1, 0);
        let first = query.image();
        let last = first.run(Rule::CONSENSUS);
        for column in 0..5 {
            let signs: Vec<Cell> = (0..13).filter_map(|row| first.cell(row, column)).collect();
            let bottom = last.cell(12, column).unwrap();
            let are_equal = signs.iter().all(|sign| *sign == signs[0]);
            assert_eq!(bottom, if are_equal { signs[0] } else { Cell::Zero }, "{column}");
        }
    }

    #[test]
    fn the_top_row_sees_itself_and_news_travels_one_row_a_step() {
        // Every cell becomes the cell above it: after m + 1 steps all rows are the top row.
        let copy = Rule::read("-0+-0+-0+").unwrap();
        let image = Task::new(Family::Constant, 3, 6, 0.0).unwrap().query(1, 5).image();
        let course = image.course(copy);
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
