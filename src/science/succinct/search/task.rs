//! A task, its queries, and the image of examples and test input that a rule sees.
//!
//! ```text
//! query    one concept of the family, m examples with noise, and one test input
//!
//! image    row i < m    y_i [x∘x_i, 1]             (m + 1) × (d + 1) cells, each −1 or +1
//!          row m        [x, 1]
//! ```
//!
//! The image is the memory of Goel, Kakade, Kalai and Zhang 2022, section B.1.2 (the "XOR form"), in units of 1/3: with
//! W = y [x_i, 1] from m + 1 steps of SGD, of which the last one is on the dummy example (1, 1), the first layer is W diag([x, 1]).
//! Its last column is y_i. (The paper prints y_i·y_i there, which its own definition 5 does not give.)
//!
//! # Why
//! Every query draws its own concept, its own m examples and its own test input. So accuracy measures the learning
//! algorithm, not one classifier, as the paper's section 5 suggests (select over several problems).
//! Families and distributions are ours.

use super::super::data::{Concept, Data, Drawn, Family, check_draw};
use super::error::SearchError;
use super::limits::{MOST_CELLS, MOST_QUERIES};
use super::rule::Cell;

/// A family of concepts with a size and a noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Task {
    family: Family,
    bits: usize,
    examples: usize,
    noise: f64,
}

/// A test input, with the examples from which its label is to be learned.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The function that labels its inputs.
    pub concept: Concept,
    /// The examples, with noise on their labels.
    pub data: Data,
    /// The test input, `[d]`, each number 1 or −1.
    pub test: Vec<i8>,
    /// The right label of the test input, 1 or −1.
    pub right: i8,
}

/// Cells in rows and columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    rows: usize,
    columns: usize,
    cells: Vec<Cell>,
}

impl Task {
    /// The task with d `bits` and m `examples`, the label of each of which is wrong with probability `noise`.
    ///
    /// # Errors
    /// [`SearchError::Data`] for numbers outside of the limits.
    pub fn new(family: Family, bits: usize, examples: usize, noise: f64) -> Result<Self, SearchError> {
        check_draw(bits, examples, noise)?;
        Ok(Task { family, bits, examples, noise })
    }

    /// The same task with another number of bits and examples.
    ///
    /// # Errors
    /// As [`Task::new`].
    pub fn resized(self, bits: usize, examples: usize) -> Result<Self, SearchError> {
        Task::new(self.family, bits, examples, self.noise)
    }

    /// What the label is a function of.
    pub fn family(self) -> Family {
        self.family
    }

    /// Bits of an input, d.
    pub fn bits(self) -> usize {
        self.bits
    }

    /// Examples of a query, m.
    pub fn examples(self) -> usize {
        self.examples
    }

    /// Probability of a wrong label.
    pub fn noise(self) -> f64 {
        self.noise
    }

    /// Queries number `first`, `first + 1` and so on, `count` of them.
    ///
    /// # Errors
    /// [`SearchError::Queries`] and [`SearchError::Cells`] for too many; nothing is allocated then.
    pub fn queries(self, seed: u64, first: u64, count: usize) -> Result<Vec<Query>, SearchError> {
        if !(1..=MOST_QUERIES).contains(&count) {
            return Err(SearchError::Queries(count));
        }
        let sizes = [count, self.examples + 1, self.bits + 1];
        let cells = sizes.into_iter().fold(1u64, |all, size| all.saturating_mul(wide(size)));
        if cells > MOST_CELLS {
            return Err(SearchError::Cells(cells));
        }
        Ok((first..first.saturating_add(wide(count))).map(|number| self.query(seed, number)).collect())
    }

    /// Query `number` of a seed: what is [drawn](Drawn) with this number, and its first test input.
    pub fn query(self, seed: u64, number: u64) -> Query {
        let drawn = Drawn::of(self.family, [self.bits, self.examples], self.noise, seed, number);
        let test = drawn.query(0);
        let right = drawn.concept.label(&test);
        Query { concept: drawn.concept, data: drawn.data, test, right }
    }
}

/// A size as a wide integer.
fn wide(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}

impl Query {
    /// Number of rows of its image, m + 1, and of columns, d + 1.
    pub fn size(&self) -> (usize, usize) {
        (self.data.m() + 1, self.data.d() + 1)
    }

    /// The signs of its image, row by row, each 1 or −1.
    pub fn signs(&self) -> impl Iterator<Item = i8> {
        let examples = self.data.examples().flat_map(|(input, label)| {
            let products = input.iter().zip(&self.test).map(move |(one, test)| one * test * label);
            products.chain([label])
        });
        examples.chain(self.test.iter().copied()).chain([1])
    }

    /// What a rule sees.
    pub fn image(&self) -> Image {
        let (rows, columns) = self.size();
        Image::new(rows, columns, self.signs().map(Cell::of).collect())
    }
}

impl Image {
    /// An image of these cells, row by row; what is missing is 0.
    pub(super) fn new(rows: usize, columns: usize, mut cells: Vec<Cell>) -> Self {
        cells.resize(rows * columns, Cell::Zero);
        Image { rows, columns, cells }
    }

    /// Number of rows, m + 1.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns, d + 1.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All cells, row by row.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The cell of a row and a column, from 0; none outside of the image.
    pub fn cell(&self, row: usize, column: usize) -> Option<Cell> {
        let is_inside = row < self.rows && column < self.columns;
        is_inside.then(|| self.cells[row * self.columns + column])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::succinct::Mistake;

    #[test]
    fn the_image_is_the_memory_times_the_test_input() {
        for &family in Family::ALL {
            let query = Task::new(family, 5, 9, 0.1).unwrap().query(3, 17);
            let image = query.image();
            assert_eq!((image.rows(), image.columns(), image.cells().len()), (10, 6, 60));
            for row in 0..10 {
                for column in 0..6 {
                    let one = |input: &[i8]| input.get(column).copied().unwrap_or(1);
                    let (inputs, labels) = (query.data.inputs(), query.data.labels());
                    let memory = inputs.get(row).map_or(1, |input| labels[row] * one(input));
                    let expected = i32::from(memory * one(&query.test));
                    assert_eq!(
                        image.cell(row, column).unwrap().value(),
                        expected,
                        "{family:?} {row} {column}"
                    );
                }
            }
            assert_eq!((image.cell(10, 0), image.cell(0, 6)), (None, None));
        }
    }

    #[test]
    fn concepts_and_noise_are_as_declared() {
        let count = 1_000;
        for (&family, noise) in Family::ALL.iter().flat_map(|family| [(family, 0.0), (family, 0.1)]) {
            let task = Task::new(family, 7, 15, noise).unwrap();
            let queries = task.queries(1, 0, count).unwrap();
            let mut wrong = 0;
            for query in &queries {
                wrong += query.data.examples().filter(|(x, y)| query.concept.label(x) != *y).count();
                assert_eq!(query.right, query.concept.label(&query.test));
            }
            let rate = wrong as f64 / (15.0 * count as f64);
            // Four standard deviations of 15,000 labels.
            assert!((rate - task.noise()).abs() <= if noise > 0.0 { 0.01 } else { 0.0 }, "{rate}");
            let positive = queries.iter().filter(|query| query.right > 0).count();
            assert!((437..=563).contains(&positive), "{family:?}: labels are balanced, {positive}");
            let first = &queries[0].concept;
            assert!(queries.iter().any(|query| query.concept != *first), "each query has its own concept");
        }
    }

    #[test]
    fn a_query_depends_on_seed_and_number_alone() {
        let task = Task::new(Family::Dictator, 31, 4, 0.1).unwrap();
        let all = task.queries(5, 10, 20).unwrap();
        assert_eq!(task.queries(5, 17, 2).unwrap(), all[7..9]);
        assert_ne!(task.query(6, 10), all[0]);
        assert_eq!(task.resized(7, 15).unwrap(), Task::new(Family::Dictator, 7, 15, 0.1).unwrap());
        let drawn = Drawn::new(Family::Dictator, 31, 4, 0.1, 5, 12).unwrap();
        let expected = (&drawn.concept, &drawn.data, drawn.query(0));
        assert_eq!((&all[2].concept, &all[2].data, all[2].test.clone()), expected);
    }

    #[test]
    fn sizes_are_bounded() {
        let refused = |bits, examples, noise| match Task::new(Family::Parity, bits, examples, noise) {
            Err(SearchError::Data(mistake)) => Some(mistake),
            _ => None,
        };
        assert_eq!(refused(0, 5, 0.0), Some(Mistake::Inputs { found: 0 }));
        assert_eq!(refused(64, 5, 0.0), Some(Mistake::Inputs { found: 64 }));
        assert_eq!(refused(5, 0, 0.0), Some(Mistake::Examples { found: 0 }));
        assert_eq!(refused(5, 101, 0.0), Some(Mistake::Examples { found: 101 }));
        for noise in [-0.1, 0.6, f64::NAN] {
            assert!(matches!(refused(5, 5, noise), Some(Mistake::Noise { .. })));
        }
        let error = Task::new(Family::Parity, 64, 5, 0.0).unwrap_err();
        assert_eq!(error.to_string(), "the number of inputs must be from 1 to 63, but it is 64");
        let largest = Task::new(Family::Dictator, 63, 100, 0.5).unwrap();
        assert_eq!(largest.queries(0, 0, 0), Err(SearchError::Queries(0)));
        assert_eq!(largest.queries(0, 0, usize::MAX), Err(SearchError::Queries(usize::MAX)));
        assert_eq!(largest.queries(0, 0, 10_000), Err(SearchError::Cells(64_640_000)));
        assert_eq!(largest.queries(0, u64::MAX, 2).unwrap().len(), 0);
    }
}
