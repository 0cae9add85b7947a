//! Fast implementation: 64 queries per word, with bit-sliced cells.
//!
//! ```text
//! word       one cell of one column, for 64 queries; one word for each subset of {−1, 0, +1} that a cell may lie in
//! step       plus  ← (minus & A₋) | (zero & A₀) | (plus & A₊)
//!            minus ← (minus & B₋) | (zero & B₀) | (plus & B₊)      A, B: the cell above lies where f gives +1, −1
//! sum        of (cell + 1) over rows and then columns, in the bits of the sum
//! ```
//!
//! # Why
//! A rule selects two times three of the eight subsets, so that a step has no branches: about 20 operations for 64 cells, on
//! eight words at once, which the compiler vectorises. Columns are independent, so that a run processes eight words at a time,
//! which stay in the L1 cache. The rows after the last two steps are stored: a row that equals the row of two steps ago, below
//! a row with the same property, need not be computed again, and the run ends if this holds for all rows. It is two steps
//! rather than one, because many rules alternate for ever.
//!
//! A table of sums by distinct columns was considered: at d = 7, m = 15, 400 queries have 3,200 columns, of which about
//! 3,100 differ (all but those that are constant), so nothing is shared.
//!
//! All 19,683 rules on 400 queries at d = 7, m = 15 take 0.42 to 0.45 s, on one core of a shared server and with vectors of
//! 128 bits only, as in a browser: 22 µs for a rule, or 0.03 ns for each of its cells and steps. With two words for a cell,
//! from which the other subsets were made for each step, it was 0.75 s, and 1.0 s while the compiler made no vectors.

use super::super::data::check_input;
use super::error::SearchError;
use super::limits::{MAX_BATCH_CELLS, MAX_QUERIES};
use super::rule::{CellRule, CellValue};
use super::run::ReadoutCells;
use super::task::Query;

/// Number of 64-bit words that a run of a rule processes together.
const LANES: usize = 8;
/// Number of bits that hold the sum of (cell value + 1) over one column of an image, at most 2 · 101.
const COLUMN_BITS: usize = 8;
/// Number of bits that hold the sum of (cell value + 1) over all columns of an image, at most 2 · 101 · 64.
const SUM_BITS: usize = 14;

/// Eight 64-bit words that are processed together; each bit belongs to one query.
type Lanes = [u64; LANES];
/// Eight words whose bits are all 0.
const ZERO_LANES: Lanes = [0; LANES];
/// Eight words whose bits are all 1.
const ONE_LANES: Lanes = [u64::MAX; LANES];

/// One row of images, for eight words of 64 queries: for each of the eight subsets of {−1, 0, +1}, a bit per cell
/// whether its value is in the subset. Bit i of a subset's index stands for `CellValue::ALL[i]`.
#[derive(Debug, Clone, Copy)]
struct SlicedRow([Lanes; 8]);

/// Index in a [`SlicedRow`] of the words that mark cells with value −1: bit 0 stands for −1.
const MINUS: usize = 0b001;
/// Index in a [`SlicedRow`] of the words that mark cells with value 0: bit 1 stands for 0.
const ZERO: usize = 0b010;
/// Index in a [`SlicedRow`] of the words that mark cells with value +1: bit 2 stands for +1.
const PLUS: usize = 0b100;

/// A batch of queries, bit-sliced with 64 queries per word.
#[derive(Debug, Clone)]
pub struct BitSlicedQueries {
    /// Number m + 1 of rows of each query's image.
    rows: usize,
    /// Number d + 1 of columns of each query's image.
    columns: usize,
    /// Number of queries in the batch.
    queries: usize,
    /// Whether cells of the images are +1, `[groups][rows]` with eight words each; word w is column w mod columns of the 64
    /// queries from 64 (w / columns) on.
    plus: Vec<Lanes>,
    /// Bit mask of the labels, 64 queries per word: bit q is 1 if the label of query q is 1, and 0 if it is −1.
    right: Vec<u64>,
    /// Workspace for running a rule on eight words of 64 queries each.
    work: RowWorkspace,
    /// Workspace: for each word of 64 queries and one column, the bits of the sum of the column's cells, `[words]`.
    sums: Vec<[u64; COLUMN_BITS]>,
}

/// For each value of a cell, in the order of `CellValue::ALL`, the index, as in [`SlicedRow`], of the subset of
/// values of the cell above for which the rule gives `result`.
fn subsets(rule: CellRule, result: CellValue) -> [usize; 3] {
    CellValue::ALL.map(|centre| {
        let gives = |above: &CellValue| rule.apply(centre, *above) == result;
        CellValue::ALL.into_iter().filter(gives).map(|above| 1 << above.index()).sum()
    })
}

/// Applies `join` to each pair of words at the same index in two groups of words.
#[inline(always)]
fn zip_lanes(one: &Lanes, other: &Lanes, join: impl Fn(u64, u64) -> u64) -> Lanes {
    std::array::from_fn(|i| join(one[i], other[i]))
}

impl SlicedRow {
    /// A row in which all cell values are 0.
    const ZEROS: SlicedRow = SlicedRow([
        ZERO_LANES, ZERO_LANES, ONE_LANES, ONE_LANES, ZERO_LANES, ZERO_LANES, ONE_LANES, ONE_LANES,
    ]);

    /// A row whose cell values are +1 where the bit of `plus` is 1, and −1 elsewhere.
    fn signs(plus: &Lanes) -> Self {
        let minus = plus.map(|word| !word);
        SlicedRow([ZERO_LANES, minus, ZERO_LANES, minus, *plus, ONE_LANES, *plus, ONE_LANES])
    }
}

// Not inlined: the compiler vectorises the loop only if it knows that `next` does not alias the other rows.
/// Computes the row `row` after one step of a rule, below the row `above`, into `next`; `plus` and `minus` are the
/// rule's [`subsets`] for the results +1 and −1. Returns 0 if `next` held the result before, otherwise another
/// number.
#[inline(never)]
fn step(
    row: &SlicedRow,
    above: &SlicedRow,
    plus: [usize; 3],
    minus: [usize; 3],
    next: &mut SlicedRow,
) -> u64 {
    let [a, b, c] = plus.map(|subset| &above.0[subset & 7]);
    let [d, e, f] = minus.map(|subset| &above.0[subset & 7]);
    let mut changed = 0;
    for i in 0..LANES {
        let (n, z, p) = (row.0[MINUS][i], row.0[ZERO][i], row.0[PLUS][i]);
        let plus = (n & a[i]) | (z & b[i]) | (p & c[i]);
        let minus = (n & d[i]) | (z & e[i]) | (p & f[i]);
        changed |= (next.0[PLUS][i] ^ plus) | (next.0[MINUS][i] ^ minus);
        next.0[MINUS][i] = minus;
        next.0[ZERO][i] = !(plus | minus);
        next.0[MINUS | ZERO][i] = !plus;
        next.0[PLUS][i] = plus;
        next.0[PLUS | MINUS][i] = plus | minus;
        next.0[PLUS | ZERO][i] = !minus;
    }
    changed
}

impl BitSlicedQueries {
    /// Slices a batch of queries.
    ///
    /// # Errors
    /// [`SearchError::QueryCount`], [`SearchError::MixedSizes`] and [`SearchError::TooManyCells`], and [`SearchError::Dataset`]
    /// for a test input or a label that does not fit, before anything is allocated.
    pub fn new(queries: &[Query]) -> Result<Self, SearchError> {
        let count = queries.len();
        let (rows, columns) = queries.first().map(Query::size).ok_or(SearchError::QueryCount(0))?;
        if count > MAX_QUERIES {
            return Err(SearchError::QueryCount(count));
        }
        if queries.iter().any(|query| query.size() != (rows, columns)) {
            return Err(SearchError::MixedSizes);
        }
        for query in queries {
            check_input(query.data.d(), &query.test_input)?;
            check_input(1, &[query.label])?;
        }
        let blocks = count.div_ceil(64);
        let words = blocks * columns;
        let cells = u64::try_from(words * rows).unwrap_or(u64::MAX).saturating_mul(64);
        // Rounded up to whole words, and therefore up to 64 times as many.
        if cells > MAX_BATCH_CELLS.saturating_mul(2) {
            return Err(SearchError::TooManyCells(cells));
        }
        let mut plus = vec![ZERO_LANES; words.div_ceil(LANES) * rows];
        let mut right = vec![0; blocks];
        for (number, query) in queries.iter().enumerate() {
            let (block, bit) = (number / 64, number % 64);
            right[block] |= u64::from(query.label > 0) << bit;
            for (at, sign) in query.image_signs().enumerate() {
                let (row, word) = (at / columns, block * columns + at % columns);
                plus[word / LANES * rows + row][word % LANES] |= u64::from(sign > 0) << bit;
            }
        }
        let sums = vec![[0; COLUMN_BITS]; words];
        Ok(BitSlicedQueries {
            rows,
            columns,
            queries: count,
            plus,
            right,
            work: RowWorkspace::new(rows),
            sums,
        })
    }

    /// Number of queries in the batch.
    pub fn queries(&self) -> usize {
        self.queries
    }

    /// Number of 64-bit words of a bit mask with one bit per query.
    pub fn words(&self) -> usize {
        self.right.len()
    }

    /// Runs a rule on all queries, and overwrites `rule_answers` with the queries that it answers correctly and
    /// those without an answer.
    pub fn evaluate(&mut self, rule: CellRule, readout: ReadoutCells, rule_answers: &mut RuleAnswers) {
        let (plus, minus) = (subsets(rule, CellValue::Plus), subsets(rule, CellValue::Minus));
        let groups = self.plus.chunks(self.rows).zip(self.sums.chunks_mut(LANES));
        for (first, sums) in groups {
            let last = self.work.run(first, plus, minus);
            let read = match readout {
                ReadoutCells::All => last,
                ReadoutCells::Bottom => &last[self.rows - 1..],
            };
            add_rows(read, sums);
        }
        let read_rows = match readout {
            ReadoutCells::All => self.rows,
            ReadoutCells::Bottom => 1,
        };
        rule_answers.correct.clear();
        rule_answers.tied.clear();
        for (block, sums) in self.sums.chunks(self.columns).enumerate() {
            let inside = (self.queries - block * 64).min(64);
            let mask = u64::MAX >> (64 - inside);
            // The sum of cells is above 0 where that of (cell + 1) is above the number of cells.
            let (positive, tied) = compare(&add_columns(sums), read_rows * self.columns);
            rule_answers.correct.push(!(positive ^ self.right[block]) & !tied & mask);
            rule_answers.tied.push(tied & mask);
        }
    }

    /// Accuracy of a rule: the share of queries that it answers correctly, 0 to 1; a sum of 0 counts as one half.
    pub fn accuracy(&mut self, rule: CellRule, readout: ReadoutCells) -> f64 {
        let mut rule_answers = RuleAnswers::default();
        self.evaluate(rule, readout, &mut rule_answers);
        let queries = u32::try_from(self.queries).unwrap_or(u32::MAX);
        f64::from(rule_answers.half_points()) / (2.0 * f64::from(queries))
    }
}

/// Which queries a rule answers correctly, one bit per query. Bits after the last query are 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleAnswers {
    /// Bit mask: bit q is 1 if the rule answers query q correctly.
    pub correct: Vec<u64>,
    /// Bit mask: bit q is 1 if the sum of the cells of query q is 0, so that there is no answer.
    pub tied: Vec<u64>,
}

impl RuleAnswers {
    /// Number of half points of the rule: two per correct answer, one per sum of 0.
    pub fn half_points(&self) -> u32 {
        let ones = |words: &[u64]| words.iter().map(|word| word.count_ones()).sum::<u32>();
        2 * ones(&self.correct) + ones(&self.tied)
    }
}

/// Workspace of a run of a rule on eight words: the rows after the last two steps, and which rows repeat.
#[derive(Debug, Clone)]
struct RowWorkspace {
    /// Entry 0 holds the rows of the images after the latest even number of steps, entry 1 after the latest odd
    /// number, `[rows]` each.
    rows: [Vec<SlicedRow>; 2],
    /// For each row of the images, whether it equals the row of two steps ago, `[rows]`.
    repeats: Vec<bool>,
}

impl RowWorkspace {
    /// Creates the workspace for running rules on images with `rows` rows.
    fn new(rows: usize) -> Self {
        let zeros = vec![SlicedRow::ZEROS; rows];
        RowWorkspace { rows: [zeros.clone(), zeros], repeats: vec![false; rows] }
    }

    /// Runs a rule for as many steps as the images have rows and returns the resulting rows. `first` has the bits
    /// of the initial +1 cells; `plus` and `minus` are the rule's [`subsets`] for the results +1 and −1.
    fn run(&mut self, first: &[Lanes], plus: [usize; 3], minus: [usize; 3]) -> &[SlicedRow] {
        let [even, odd] = &mut self.rows;
        for (row, first) in even.iter_mut().zip(first) {
            *row = SlicedRow::signs(first);
        }
        self.repeats.fill(false);
        for number in 0..first.len() {
            let (from, to) = if number.is_multiple_of(2) { (&*even, &mut *odd) } else { (&*odd, &mut *even) };
            let mut all_repeat = true;
            let mut above_repeats = true;
            for (at, (row, next)) in from.iter().zip(to.iter_mut()).enumerate() {
                let repeats = self.repeats[at];
                // If both repeat, the next row equals the row of two steps ago, which is already stored in `next`.
                if !(repeats && above_repeats) {
                    let changed = step(row, &from[at.saturating_sub(1)], plus, minus, next);
                    self.repeats[at] = number > 0 && changed == 0;
                    all_repeat &= self.repeats[at];
                }
                above_repeats = repeats;
            }
            if all_repeat {
                break;
            }
        }
        // If all rows repeat, further steps would not change the two lists.
        if first.len().is_multiple_of(2) { even } else { odd }
    }
}

/// Sums (cell value + 1) over the rows, separately for each query of the eight words, and overwrites `sums` with
/// the bit-sliced sums, `[words][bits]`, lowest bit first.
fn add_rows(rows: &[SlicedRow], sums: &mut [[u64; COLUMN_BITS]]) {
    let mut total = [ZERO_LANES; COLUMN_BITS];
    for row in rows {
        // cell + 1 is 2 for +1 and 1 for 0, so that at most one of the two carries into the second bit.
        let (zero, plus) = (&row.0[ZERO], &row.0[PLUS]);
        let [first, second, others @ ..] = &mut total;
        let two = zip_lanes(first, zero, |bit, zero| bit & zero);
        let two = zip_lanes(&two, plus, |two, plus| two | plus);
        *first = zip_lanes(first, zero, |bit, zero| bit ^ zero);
        let mut carry = zip_lanes(second, &two, |bit, two| bit & two);
        *second = zip_lanes(second, &two, |bit, two| bit ^ two);
        for sum in others {
            let next = zip_lanes(sum, &carry, |bit, carry| bit & carry);
            *sum = zip_lanes(sum, &carry, |bit, carry| bit ^ carry);
            carry = next;
        }
    }
    for (lane, sums) in sums.iter_mut().enumerate() {
        for (sum, total) in sums.iter_mut().zip(&total) {
            *sum = total[lane];
        }
    }
}

/// Adds up the bit-sliced sums of an image's columns, `[columns][bits]` with the lowest bit first, for 64 queries
/// at once.
fn add_columns(columns: &[[u64; COLUMN_BITS]]) -> [u64; SUM_BITS] {
    let mut total = [0; SUM_BITS];
    for column in columns {
        let mut carry = 0;
        for (at, sum) in total.iter_mut().enumerate() {
            let (bit, other) = (*sum, column.get(at).copied().unwrap_or(0));
            *sum = bit ^ other ^ carry;
            carry = (bit & other) | (carry & (bit ^ other));
        }
    }
    total
}

/// Compares the bit-sliced sums of 64 queries with `number`: bit masks of the queries whose sum is greater, and of
/// those whose sum is equal.
fn compare(sum: &[u64; SUM_BITS], number: usize) -> (u64, u64) {
    let (mut above, mut equal) = (0, u64::MAX);
    for (at, bit) in sum.iter().enumerate().rev() {
        if (number >> at) & 1 == 1 {
            equal &= bit;
        } else {
            above |= equal & bit;
            equal &= !bit;
        }
    }
    (above, equal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::succinct::search::{QueryDistribution, predict};
    use crate::succinct::{ConceptFamily, SuccinctError};

    fn check(queries: &[Query], rules: impl Iterator<Item = CellRule>) {
        let mut sliced = BitSlicedQueries::new(queries).unwrap();
        let images: Vec<_> = queries.iter().map(Query::image).collect();
        let mut rule_answers = RuleAnswers::default();
        for rule in rules {
            let last: Vec<_> = images.iter().map(|image| image.run(rule)).collect();
            for readout in [ReadoutCells::All, ReadoutCells::Bottom] {
                sliced.evaluate(rule, readout, &mut rule_answers);
                let mut halves = 0;
                for (number, (last, query)) in last.iter().zip(queries).enumerate() {
                    let sum = last.sum(readout);
                    let bit = |words: &[u64]| (words[number / 64] >> (number % 64)) & 1 == 1;
                    let expected = (sum != 0 && (sum > 0) == (query.label > 0), sum == 0);
                    assert_eq!(
                        (bit(&rule_answers.correct), bit(&rule_answers.tied)),
                        expected,
                        "{rule:?} {number}"
                    );
                    halves += 2 * u32::from(expected.0) + u32::from(expected.1);
                }
                assert_eq!(rule_answers.half_points(), halves, "no bits behind the last query");
            }
        }
    }

    #[test]
    fn all_rules_give_the_answers_of_the_reference() {
        // Five columns and two blocks: groups of eight words lie across a block.
        let task = QueryDistribution::new(ConceptFamily::Dictator, 4, 3, 0.1).unwrap();
        check(&task.queries(1, 0, 66).unwrap(), CellRule::all());
    }

    #[test]
    fn other_sizes_give_the_answers_of_the_reference() {
        for (bits, examples, count, every) in
            [(7, 15, 64, 99), (1, 1, 130, 7), (15, 40, 10, 499), (63, 100, 3, 1_999)]
        {
            let task = QueryDistribution::new(ConceptFamily::HalfSpace, bits, examples, 0.0).unwrap();
            let queries = task.queries(2, 0, count).unwrap();
            let named = [CellRule::IDENTITY, CellRule::CONSENSUS, CellRule::parse("-0+-0+-0+").unwrap()];
            check(&queries, named.into_iter().chain(CellRule::all().skip(17).step_by(every)));
            let query = &queries[0];
            let expected = match predict(query, CellRule::CONSENSUS, ReadoutCells::All) {
                None => 0.5,
                Some(label) => f64::from(u8::from(label == query.label)),
            };
            let found = BitSlicedQueries::new(&queries[..1])
                .unwrap()
                .accuracy(CellRule::CONSENSUS, ReadoutCells::All);
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn invalid_batches_are_rejected() {
        let error = |queries: &[Query]| BitSlicedQueries::new(queries).err();
        assert_eq!(error(&[]), Some(SearchError::QueryCount(0)));
        let query = |bits, examples| {
            QueryDistribution::new(ConceptFamily::Dictator, bits, examples, 0.0).unwrap().query(1, 1)
        };
        for other in [query(3, 6), query(4, 5)] {
            assert_eq!(error(&[query(3, 5), other]), Some(SearchError::MixedSizes));
        }
        let query = query(3, 5);
        let long = Query { test_input: vec![1; 4], ..query.clone() };
        assert_eq!(
            error(&[long]),
            Some(SearchError::Dataset(SuccinctError::InputLength { found: 4, wanted: 3 }))
        );
        let strange = Query { test_input: vec![1, 0, 1], ..query.clone() };
        assert_eq!(error(&[strange]), Some(SearchError::Dataset(SuccinctError::InvalidValue { found: 0 })));
        let unlabelled = Query { label: 5, ..query.clone() };
        assert_eq!(
            error(&[unlabelled]),
            Some(SearchError::Dataset(SuccinctError::InvalidValue { found: 5 }))
        );
        assert_eq!(error(&vec![query; 10_001]), Some(SearchError::QueryCount(10_001)));
    }
}
