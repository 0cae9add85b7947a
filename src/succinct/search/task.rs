//! The four tasks, and the image of examples and test input that a rule sees.
//!
//! ```text
//! bit         y = x_b, b uniform                      noisy bit   the same, each example's label wrong with probability p
//! halfspace   y = sign(w·x), w standard normal        constant    y = ±1, the same for every x
//!
//! image       row i < m    y_i [x∘x_i, 1]             (m + 1) × (d + 1) cells, each −1 or +1
//!             row m        [x, 1]
//! ```
//!
//! The image is the memory of Goel, Kakade, Kalai and Zhang 2022, section B.1.2 (the "XOR form"), in units of 1/3: with
//! W = y [x_i, 1] from m + 1 steps of SGD, of which the last one is on the dummy example (1, 1), the first layer is W diag([x, 1]).
//! Its last column is y_i. (The paper prints y_i·y_i there, which its own definition 5 does not give.)
//!
//! # Why
//! Every query draws its own concept (b, w or the constant), its own m examples and its own test input. So accuracy
//! measures the learning algorithm, not one classifier, as the paper's section 5 suggests (select over several problems).
//! With one constant for all queries, every rule that always answers +1 would be perfect.
//! The test input's label is never wrong: only examples have noise.
//! Tasks and distributions are ours. All draws are of one seed and the query's number.

use super::error::SearchError;
use super::limits::{MOST_BITS, MOST_CELLS, MOST_EXAMPLES, MOST_QUERIES};
use super::rule::Cell;
use crate::rng::{Purpose, Stream};

/// What the label is a function of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// One bit of the input, which one being unknown.
    Bit,
    /// On which side of a random hyperplane through 0 the input lies.
    Halfspace,
    /// Nothing: all labels are equal.
    Constant,
    /// One bit of the input, with noise on the labels of the examples.
    NoisyBit,
}

impl Kind {
    /// All of them, in the order of the table.
    pub const ALL: [Kind; 4] = [Kind::Bit, Kind::Halfspace, Kind::Constant, Kind::NoisyBit];
}

/// A kind with its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Task {
    kind: Kind,
    bits: usize,
    examples: usize,
    noise: f64,
}

/// The function that labels the inputs of one query.
#[derive(Debug, Clone, PartialEq)]
pub enum Concept {
    /// y = x_b; b from 0.
    Bit(usize),
    /// y = sign(w·x), +1 at 0; one weight for each bit.
    Halfspace(Vec<f32>),
    /// y is the same for all.
    Constant(bool),
}

/// A test input, with the examples from which its label is to be learned. Bits and labels: `true` is +1, `false` −1.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The function that labels its inputs.
    pub concept: Concept,
    /// The inputs of the examples, `[m][d]`.
    pub inputs: Vec<Vec<bool>>,
    /// The labels of the examples, `[m]`, some of them wrong where there is noise.
    pub labels: Vec<bool>,
    /// The test input, `[d]`.
    pub test: Vec<bool>,
    /// The right label of the test input.
    pub right: bool,
}

/// Cells in rows and columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    rows: usize,
    columns: usize,
    cells: Vec<Cell>,
}

impl Task {
    /// The task with d `bits` and m `examples`; the noisy kind has wrong labels with probability 0.1.
    ///
    /// # Errors
    /// [`SearchError::Bits`] and [`SearchError::Examples`] for sizes outside of the limits.
    pub fn new(kind: Kind, bits: usize, examples: usize) -> Result<Self, SearchError> {
        if !(1..=MOST_BITS).contains(&bits) {
            return Err(SearchError::Bits(bits));
        }
        if !(1..=MOST_EXAMPLES).contains(&examples) {
            return Err(SearchError::Examples(examples));
        }
        Ok(Task { kind, bits, examples, noise: if kind == Kind::NoisyBit { 0.1 } else { 0.0 } })
    }

    /// The same task with this probability of a wrong label; it has an effect on [`Kind::NoisyBit`] only.
    ///
    /// # Errors
    /// [`SearchError::Noise`] for one outside of 0 to 0.5.
    pub fn with_noise(self, noise: f64) -> Result<Self, SearchError> {
        if !(0.0..=0.5).contains(&noise) {
            return Err(SearchError::Noise(noise));
        }
        Ok(Task { noise, ..self })
    }

    /// The same task with another number of bits and examples.
    ///
    /// # Errors
    /// As [`Task::new`].
    pub fn resized(self, bits: usize, examples: usize) -> Result<Self, SearchError> {
        Ok(Task { noise: self.noise, ..Task::new(self.kind, bits, examples)? })
    }

    /// What the label is a function of.
    pub fn kind(self) -> Kind {
        self.kind
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

    /// Query `number` of a seed.
    pub fn query(self, seed: u64, number: u64) -> Query {
        let concept = self.concept(seed, number);
        let sample = Stream::new(seed, Purpose::Sample, 0);
        // One word holds an input, of at most 31 bits.
        let input = |index: u32| -> Vec<bool> {
            let word = sample.word(number, index);
            (0..self.bits).map(|bit| (word >> bit) & 1 == 1).collect()
        };
        let noise = Stream::new(seed, Purpose::Noise, 0);
        let is_wrong = |index: u32| self.kind == Kind::NoisyBit && noise.chance(number, index, self.noise);
        let inputs: Vec<Vec<bool>> = (1..).take(self.examples).map(input).collect();
        let labels = inputs.iter().zip(1..).map(|(input, index)| concept.label(input) ^ is_wrong(index));
        let labels = labels.collect();
        let test = input(0);
        let right = concept.label(&test);
        Query { concept, inputs, labels, test, right }
    }

    /// The function of query `number`.
    fn concept(self, seed: u64, number: u64) -> Concept {
        let stream = Stream::new(seed, Purpose::Support, 0);
        match self.kind {
            Kind::Bit | Kind::NoisyBit => {
                // Fewer than 32 bits fit any integer.
                let bound = u32::try_from(self.bits).unwrap_or(1);
                Concept::Bit(usize::try_from(stream.below(number, 0, bound)).unwrap_or(0))
            }
            Kind::Halfspace => {
                Concept::Halfspace((0..).take(self.bits).map(|bit| stream.normal(number, bit)).collect())
            }
            Kind::Constant => Concept::Constant(stream.word(number, 0) >> 31 == 1),
        }
    }
}

/// A size as a wide integer.
fn wide(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}

impl Concept {
    /// The label of an input.
    pub fn label(&self, input: &[bool]) -> bool {
        match self {
            Concept::Bit(bit) => input.get(*bit).copied().unwrap_or(true),
            Concept::Halfspace(weights) => {
                let signed = |(weight, bit): (&f32, &bool)| f64::from(if *bit { *weight } else { -*weight });
                weights.iter().zip(input).map(signed).sum::<f64>() >= 0.0
            }
            Concept::Constant(label) => *label,
        }
    }
}

impl Query {
    /// Number of rows of its image, m + 1, and of columns, d + 1.
    pub fn size(&self) -> (usize, usize) {
        (self.inputs.len() + 1, self.test.len() + 1)
    }

    /// The signs of its image, row by row: `true` is +1.
    pub(super) fn signs(&self) -> impl Iterator<Item = bool> {
        // y x x_i of signs is +1 where an even number of them is −1.
        let examples = self.inputs.iter().zip(&self.labels).flat_map(|(input, label)| {
            let products = input.iter().zip(&self.test).map(move |(bit, test)| bit ^ test ^ label);
            products.chain([*label])
        });
        examples.chain(self.test.iter().copied()).chain([true])
    }

    /// What a rule sees.
    pub fn image(&self) -> Image {
        let (rows, columns) = self.size();
        Image { rows, columns, cells: self.signs().map(Cell::of_bit).collect() }
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

    fn sign(bit: bool) -> i32 {
        if bit { 1 } else { -1 }
    }

    #[test]
    fn the_image_is_the_memory_times_the_test_input() {
        for kind in Kind::ALL {
            let query = Task::new(kind, 5, 9).unwrap().query(3, 17);
            let image = query.image();
            assert_eq!((image.rows(), image.columns(), image.cells().len()), (10, 6, 60));
            for row in 0..10 {
                for column in 0..6 {
                    let one = |input: &[bool]| input.get(column).map_or(1, |bit| sign(*bit));
                    let memory =
                        query.inputs.get(row).map_or(1, |input| sign(query.labels[row]) * one(input));
                    let expected = memory * one(&query.test);
                    assert_eq!(image.cell(row, column).unwrap().value(), expected, "{kind:?} {row} {column}");
                }
            }
            assert_eq!((image.cell(10, 0), image.cell(0, 6)), (None, None));
        }
    }

    #[test]
    fn concepts_and_noise_are_as_declared() {
        let count = 1_000;
        for kind in Kind::ALL {
            let task = Task::new(kind, 7, 15).unwrap();
            let queries = task.queries(1, 0, count).unwrap();
            let mut wrong = 0;
            for query in &queries {
                let right = query.inputs.iter().map(|input| query.concept.label(input));
                wrong += right.zip(&query.labels).filter(|(right, label)| right != *label).count();
                assert_eq!(query.right, query.concept.label(&query.test));
            }
            let rate = wrong as f64 / (15.0 * count as f64);
            // Four standard deviations of 15,000 labels.
            assert!((rate - task.noise()).abs() <= if kind == Kind::NoisyBit { 0.01 } else { 0.0 }, "{rate}");
            let positive = queries.iter().filter(|query| query.right).count();
            assert!((437..=563).contains(&positive), "{kind:?}: labels are balanced, {positive}");
            let first = &queries[0].concept;
            assert!(queries.iter().any(|query| query.concept != *first), "each query has its own concept");
        }
        let noiseless = Task::new(Kind::NoisyBit, 4, 6).unwrap().with_noise(0.0).unwrap();
        let query = noiseless.query(2, 0);
        assert!(
            query.inputs.iter().zip(&query.labels).all(|(input, label)| query.concept.label(input) == *label)
        );
    }

    #[test]
    fn a_query_depends_on_seed_and_number_alone() {
        let task = Task::new(Kind::Bit, 31, 4).unwrap();
        let all = task.queries(5, 10, 20).unwrap();
        assert_eq!(task.queries(5, 17, 2).unwrap(), all[7..9]);
        assert_ne!(task.query(6, 10), all[0]);
        assert_eq!(task.resized(7, 15).unwrap(), Task::new(Kind::Bit, 7, 15).unwrap());
    }

    #[test]
    fn sizes_are_bounded() {
        assert_eq!(Task::new(Kind::Bit, 0, 5), Err(SearchError::Bits(0)));
        assert_eq!(Task::new(Kind::Bit, 32, 5), Err(SearchError::Bits(32)));
        assert_eq!(Task::new(Kind::Bit, 5, 0), Err(SearchError::Examples(0)));
        assert_eq!(Task::new(Kind::Bit, 5, 101), Err(SearchError::Examples(101)));
        let largest = Task::new(Kind::Bit, 31, 100).unwrap();
        assert_eq!(largest.queries(0, 0, 0), Err(SearchError::Queries(0)));
        assert_eq!(largest.queries(0, 0, usize::MAX), Err(SearchError::Queries(usize::MAX)));
        assert_eq!(largest.queries(0, 0, 10_000), Err(SearchError::Cells(32_320_000)));
        assert_eq!(largest.queries(0, u64::MAX, 2).unwrap().len(), 0);
        for noise in [-0.1, 0.6, f64::NAN] {
            assert!(matches!(largest.with_noise(noise), Err(SearchError::Noise(_))));
        }
    }
}
