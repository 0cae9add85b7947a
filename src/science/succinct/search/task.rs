//! Random queries, each a learning problem with one test input, and the image of examples and test input to which a rule is
//! applied.
//!
//! ```text
//! query    one concept of the family, m examples with noise, and one test input
//!
//! image    row i < m    y_i [x∘x_i, 1]             (m + 1) × (d + 1) cells, each −1 or +1
//!          row m        [x, 1]
//! ```
//!
//! The image is the memory of Goel, Kakade, Kalai and Zhang 2022, section B.1.2 (the "XOR form"), in units of 1/3: with W = y
//! [x_i, 1] from m + 1 steps of SGD, of which the last one is on the dummy example (1, 1), the first layer is W diag([x, 1]).
//! Its last column is y_i. (The paper prints y_i·y_i there, which its own definition 5 does not give.)
//!
//! # Why
//! Every query draws its own concept, its own m examples and its own test input. So accuracy measures the learning
//! algorithm, not one classifier, as the paper's section 5 suggests (select over several problems).
//! Families and distributions are ours.

use super::super::data::{Concept, ConceptFamily, Dataset, SampledProblem, check_settings};
use super::error::SearchError;
use super::limits::{MAX_BATCH_CELLS, MAX_QUERIES};
use super::rule::CellValue;

/// Distribution of queries: family of concepts, numbers of inputs and examples, and label noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueryDistribution {
    /// Family of functions from which the concept of each query is drawn.
    family: ConceptFamily,
    /// Number d of inputs of an example, each 1 or −1.
    bits: usize,
    /// Number m of examples of a query.
    examples: usize,
    /// Probability that an example has the wrong label.
    noise: f64,
}

/// A learning problem with one test input: examples of a concept, and a test input whose label is to be predicted.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The concept that gives the labels of the examples and the right answer.
    pub concept: Concept,
    /// The examples of the query, whose labels include label noise.
    pub data: Dataset,
    /// The test input, `[d]`, each number 1 or −1.
    pub test_input: Vec<i8>,
    /// The correct label of the test input, 1 or −1.
    pub label: i8,
}

/// The image to which a rule is applied: cell values in m + 1 rows and d + 1 columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellImage {
    /// Number m + 1 of rows of the image.
    rows: usize,
    /// Number d + 1 of columns of the image.
    columns: usize,
    /// The values of all cells of the image, row-major, `[rows, columns]`.
    cells: Vec<CellValue>,
}

impl QueryDistribution {
    /// The distribution with d = `bits` inputs and m = `examples` examples, whose labels are wrong with probability `noise`.
    ///
    /// # Errors
    /// [`SearchError::Dataset`] for numbers outside of the limits.
    pub fn new(family: ConceptFamily, bits: usize, examples: usize, noise: f64) -> Result<Self, SearchError> {
        check_settings(bits, examples, noise)?;
        Ok(QueryDistribution { family, bits, examples, noise })
    }

    /// Replaces the numbers of inputs and examples.
    ///
    /// # Errors
    /// As [`QueryDistribution::new`].
    pub fn with_size(self, bits: usize, examples: usize) -> Result<Self, SearchError> {
        QueryDistribution::new(self.family, bits, examples, self.noise)
    }

    /// Family of functions from which the concept of each query is drawn.
    pub fn family(self) -> ConceptFamily {
        self.family
    }

    /// Number d of inputs of an example.
    pub fn bits(self) -> usize {
        self.bits
    }

    /// Number m of examples of a query.
    pub fn examples(self) -> usize {
        self.examples
    }

    /// Probability that an example of a query has the wrong label.
    pub fn noise(self) -> f64 {
        self.noise
    }

    /// Samples `count` queries of the seed `seed`, with the numbers `first`, `first + 1`, ….
    ///
    /// # Errors
    /// [`SearchError::QueryCount`] and [`SearchError::TooManyCells`] for too many; nothing is allocated then.
    pub fn queries(self, seed: u64, first: u64, count: usize) -> Result<Vec<Query>, SearchError> {
        if !(1..=MAX_QUERIES).contains(&count) {
            return Err(SearchError::QueryCount(count));
        }
        let sizes = [count, self.examples + 1, self.bits + 1];
        let cells = sizes.into_iter().fold(1u64, |all, size| all.saturating_mul(to_u64(size)));
        if cells > MAX_BATCH_CELLS {
            return Err(SearchError::TooManyCells(cells));
        }
        Ok((first..first.saturating_add(to_u64(count))).map(|number| self.query(seed, number)).collect())
    }

    /// Samples query `number` of a seed: the [`SampledProblem`] with this number, and its first test input.
    pub fn query(self, seed: u64, number: u64) -> Query {
        let sampled = SampledProblem::sample_unchecked(
            self.family,
            [self.bits, self.examples],
            self.noise,
            seed,
            number,
        );
        let test_input = sampled.test_input(0);
        let label = sampled.concept.label(&test_input);
        Query { concept: sampled.concept, data: sampled.data, test_input, label }
    }
}

/// Converts a size to `u64`; sizes that do not fit become the maximum.
fn to_u64(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}

impl Query {
    /// Numbers of rows and columns of the query's image: m + 1 and d + 1.
    pub fn size(&self) -> (usize, usize) {
        (self.data.m() + 1, self.data.d() + 1)
    }

    /// The cell values of the query's image, row-major, each 1 or −1.
    pub fn image_signs(&self) -> impl Iterator<Item = i8> {
        let examples = self.data.examples().flat_map(|(input, label)| {
            let products = input.iter().zip(&self.test_input).map(move |(one, test)| one * test * label);
            products.chain([label])
        });
        examples.chain(self.test_input.iter().copied()).chain([1])
    }

    /// The query's image: the XOR form of the examples with the test input, rows y_i · [x ∘ x_i, 1] for the
    /// examples (x_i, y_i) and last the row [x, 1] of the test input x.
    pub fn image(&self) -> CellImage {
        let (rows, columns) = self.size();
        CellImage::new(rows, columns, self.image_signs().map(CellValue::from_sign_of).collect())
    }
}

impl CellImage {
    /// An image with the values `cells`, row-major; missing cells are 0.
    pub(super) fn new(rows: usize, columns: usize, mut cells: Vec<CellValue>) -> Self {
        cells.resize(rows * columns, CellValue::Zero);
        CellImage { rows, columns, cells }
    }

    /// Number m + 1 of rows of the image.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number d + 1 of columns of the image.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The values of all cells of the image, row-major, `[rows, columns]`.
    pub fn cells(&self) -> &[CellValue] {
        &self.cells
    }

    /// The cell in a row and a column, numbered from 0; `None` outside of the image.
    pub fn cell(&self, row: usize, column: usize) -> Option<CellValue> {
        let is_inside = row < self.rows && column < self.columns;
        is_inside.then(|| self.cells[row * self.columns + column])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::succinct::SuccinctError;

    #[test]
    fn the_image_is_the_memory_times_the_test_input() {
        for &family in ConceptFamily::ALL {
            let query = QueryDistribution::new(family, 5, 9, 0.1).unwrap().query(3, 17);
            let image = query.image();
            assert_eq!((image.rows(), image.columns(), image.cells().len()), (10, 6, 60));
            for row in 0..10 {
                for column in 0..6 {
                    let one = |input: &[i8]| input.get(column).copied().unwrap_or(1);
                    let (inputs, labels) = (query.data.inputs(), query.data.labels());
                    let memory = inputs.get(row).map_or(1, |input| labels[row] * one(input));
                    let expected = i32::from(memory * one(&query.test_input));
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
    fn labels_follow_concept_and_noise() {
        let count = 1_000;
        for (&family, noise) in ConceptFamily::ALL.iter().flat_map(|family| [(family, 0.0), (family, 0.1)]) {
            let task = QueryDistribution::new(family, 7, 15, noise).unwrap();
            let queries = task.queries(1, 0, count).unwrap();
            let mut wrong = 0;
            for query in &queries {
                wrong += query.data.examples().filter(|(x, y)| query.concept.label(x) != *y).count();
                assert_eq!(query.label, query.concept.label(&query.test_input));
            }
            let rate = wrong as f64 / (15.0 * count as f64);
            // Four standard deviations of 15,000 labels.
            assert!((rate - task.noise()).abs() <= if noise > 0.0 { 0.01 } else { 0.0 }, "{rate}");
            let positive = queries.iter().filter(|query| query.label > 0).count();
            assert!((437..=563).contains(&positive), "{family:?}: labels are balanced, {positive}");
            let first = &queries[0].concept;
            assert!(queries.iter().any(|query| query.concept != *first), "each query has its own concept");
        }
    }

    #[test]
    fn a_query_depends_only_on_seed_and_number() {
        let task = QueryDistribution::new(ConceptFamily::Dictator, 31, 4, 0.1).unwrap();
        let all = task.queries(5, 10, 20).unwrap();
        assert_eq!(task.queries(5, 17, 2).unwrap(), all[7..9]);
        assert_ne!(task.query(6, 10), all[0]);
        assert_eq!(
            task.with_size(7, 15).unwrap(),
            QueryDistribution::new(ConceptFamily::Dictator, 7, 15, 0.1).unwrap()
        );
        let sampled = SampledProblem::new(ConceptFamily::Dictator, 31, 4, 0.1, 5, 12).unwrap();
        let expected = (&sampled.concept, &sampled.data, sampled.test_input(0));
        assert_eq!((&all[2].concept, &all[2].data, all[2].test_input.clone()), expected);
    }

    #[test]
    fn sizes_out_of_range_are_rejected() {
        let refused = |bits, examples, noise| match QueryDistribution::new(
            ConceptFamily::Parity,
            bits,
            examples,
            noise,
        ) {
            Err(SearchError::Dataset(mistake)) => Some(mistake),
            _ => None,
        };
        assert_eq!(refused(0, 5, 0.0), Some(SuccinctError::InputsOutOfRange { found: 0 }));
        assert_eq!(refused(64, 5, 0.0), Some(SuccinctError::InputsOutOfRange { found: 64 }));
        assert_eq!(refused(5, 0, 0.0), Some(SuccinctError::ExamplesOutOfRange { found: 0 }));
        assert_eq!(refused(5, 101, 0.0), Some(SuccinctError::ExamplesOutOfRange { found: 101 }));
        for noise in [-0.1, 0.6, f64::NAN] {
            assert!(matches!(refused(5, 5, noise), Some(SuccinctError::NoiseOutOfRange { .. })));
        }
        let error = QueryDistribution::new(ConceptFamily::Parity, 64, 5, 0.0).unwrap_err();
        assert_eq!(error.to_string(), "the number of inputs must be from 1 to 63, but it is 64");
        let largest = QueryDistribution::new(ConceptFamily::Dictator, 63, 100, 0.5).unwrap();
        assert_eq!(largest.queries(0, 0, 0), Err(SearchError::QueryCount(0)));
        assert_eq!(largest.queries(0, 0, usize::MAX), Err(SearchError::QueryCount(usize::MAX)));
        assert_eq!(largest.queries(0, 0, 10_000), Err(SearchError::TooManyCells(64_640_000)));
        assert_eq!(largest.queries(0, u64::MAX, 2).unwrap().len(), 0);
    }
}
