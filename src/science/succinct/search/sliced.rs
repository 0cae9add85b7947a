//! The fast way: 64 queries in each word, two bits for each cell.
//!
//! ```text
//! word       one cell of one column, for 64 queries; one word for each subset of {−1, 0, +1} that a cell may lie in
//! step       plus  ← (minus & A₋) | (zero & A₀) | (plus & A₊)
//!            minus ← (minus & B₋) | (zero & B₀) | (plus & B₊)      A, B: the cell above lies where f gives +1, −1
//! sum        of (cell + 1) over rows and then columns, in the bits of the sum
//! ```
//!
//! # Why
//! A rule is two times three of the eight subsets, so a step decides no case: it is some 20 operations for 64 cells, on eight
//! words at once, which the compiler turns into vectors. Columns do not see one another, so a run goes eight words at a time,
//! which stay in the nearest cache. The rows after the last two steps are kept: a row that is what it was two steps ago, under
//! a row of which the same holds, need not be computed again, and a run ends where this holds for all. Two steps rather than
//! one, because many rules go to and fro for ever.
//!
//! A table of sums by distinct columns was considered: at d = 7, m = 15, 400 queries have 3,200 columns, of which about
//! 3,100 differ (all but those that are constant), so nothing is shared.
//!
//! All 19,683 rules on 400 queries at d = 7, m = 15 take 0.42 to 0.45 s, on one core of a shared server and with vectors of
//! 128 bits only, as in a browser: 22 µs for a rule, or 0.03 ns for each of its cells and steps. With two words for a cell,
//! from which the other subsets were made for each step, it was 0.75 s, and 1.0 s while the compiler made no vectors.

use super::super::data::check_input;
use super::error::SearchError;
use super::limits::{MOST_CELLS, MOST_QUERIES};
use super::rule::{Cell, Rule};
use super::run::Readout;
use super::task::Query;

/// Words that are worked on together.
const LANES: usize = 8;
/// Bits of a sum over one column of (cell + 1): at most 2 · 101.
const COLUMN_BITS: usize = 8;
/// Bits of a sum over all columns: at most 2 · 101 · 64.
const SUM_BITS: usize = 14;

type Lanes = [u64; LANES];
const NONE: Lanes = [0; LANES];
const ALL: Lanes = [u64::MAX; LANES];

/// A row of eight words: for each subset of {−1, 0, +1}, whether a cell lies in it; bit i of a subset is `Cell::ALL[i]`.
#[derive(Debug, Clone, Copy)]
struct Row([Lanes; 8]);

/// The subset {−1}.
const MINUS: usize = 0b001;
/// The subset {0}.
const ZERO: usize = 0b010;
/// The subset {+1}.
const PLUS: usize = 0b100;

/// The queries of a task, 64 in each word.
#[derive(Debug, Clone)]
pub struct Sliced {
    rows: usize,
    columns: usize,
    queries: usize,
    /// `[groups][rows]`, eight words each: word w is column w mod columns of queries 64 (w / columns) and on.
    plus: Vec<Lanes>,
    /// Bit q is the right label of query q.
    right: Vec<u64>,
    /// What a run needs.
    work: Work,
    /// `[words]` sums of the columns.
    sums: Vec<[u64; COLUMN_BITS]>,
}

/// For a result, which subset above gives it, for each centre.
fn subsets(rule: Rule, result: Cell) -> [usize; 3] {
    Cell::ALL.map(|centre| {
        let gives = |above: &Cell| rule.apply(centre, *above) == result;
        Cell::ALL.into_iter().filter(gives).map(|above| 1 << above.place()).sum()
    })
}

/// `join` of two words, lane by lane.
#[inline(always)]
fn each(one: &Lanes, other: &Lanes, join: impl Fn(u64, u64) -> u64) -> Lanes {
    std::array::from_fn(|i| join(one[i], other[i]))
}

impl Row {
    /// A row of zeros.
    const ZEROS: Row = Row([NONE, NONE, ALL, ALL, NONE, NONE, ALL, ALL]);

    /// A row of +1 where a bit is 1, and −1 elsewhere.
    fn signs(plus: &Lanes) -> Self {
        let minus = plus.map(|word| !word);
        Row([NONE, minus, NONE, minus, *plus, ALL, *plus, ALL])
    }
}

/// Makes `next` the row one step later under the row `above`; 0 where it was that already.
// Not inlined: the compiler makes vectors of it only while it sees that `next` is apart from the others.
#[inline(never)]
fn step(row: &Row, above: &Row, plus: [usize; 3], minus: [usize; 3], next: &mut Row) -> u64 {
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

impl Sliced {
    /// The words of these queries.
    ///
    /// # Errors
    /// [`SearchError::Queries`], [`SearchError::Mixed`] and [`SearchError::Cells`], and [`SearchError::Data`] for a test input
    /// or a label that does not fit, before anything is allocated.
    pub fn new(queries: &[Query]) -> Result<Self, SearchError> {
        let count = queries.len();
        let (rows, columns) = queries.first().map(Query::size).ok_or(SearchError::Queries(0))?;
        if count > MOST_QUERIES {
            return Err(SearchError::Queries(count));
        }
        if queries.iter().any(|query| query.size() != (rows, columns)) {
            return Err(SearchError::Mixed);
        }
        for query in queries {
            check_input(query.data.d(), &query.test)?;
            check_input(1, &[query.right])?;
        }
        let blocks = count.div_ceil(64);
        let words = blocks * columns;
        let cells = u64::try_from(words * rows).unwrap_or(u64::MAX).saturating_mul(64);
        // Rounded up to whole words, and therefore up to 64 times as many.
        if cells > MOST_CELLS.saturating_mul(2) {
            return Err(SearchError::Cells(cells));
        }
        let mut plus = vec![NONE; words.div_ceil(LANES) * rows];
        let mut right = vec![0; blocks];
        for (number, query) in queries.iter().enumerate() {
            let (block, bit) = (number / 64, number % 64);
            right[block] |= u64::from(query.right > 0) << bit;
            for (at, sign) in query.signs().enumerate() {
                let (row, word) = (at / columns, block * columns + at % columns);
                plus[word / LANES * rows + row][word % LANES] |= u64::from(sign > 0) << bit;
            }
        }
        let sums = vec![[0; COLUMN_BITS]; words];
        Ok(Sliced { rows, columns, queries: count, plus, right, work: Work::new(rows), sums })
    }

    /// Number of queries.
    pub fn queries(&self) -> usize {
        self.queries
    }

    /// Words of 64 queries each.
    pub fn words(&self) -> usize {
        self.right.len()
    }

    /// What the rule answers to each query, compared with the right label.
    pub fn judge(&mut self, rule: Rule, readout: Readout, judged: &mut Judged) {
        let (plus, minus) = (subsets(rule, Cell::Plus), subsets(rule, Cell::Minus));
        let groups = self.plus.chunks(self.rows).zip(self.sums.chunks_mut(LANES));
        for (first, sums) in groups {
            let last = self.work.run(first, plus, minus);
            let read = match readout {
                Readout::All => last,
                Readout::Bottom => &last[self.rows - 1..],
            };
            add_rows(read, sums);
        }
        let read_rows = match readout {
            Readout::All => self.rows,
            Readout::Bottom => 1,
        };
        judged.right.clear();
        judged.tied.clear();
        for (block, sums) in self.sums.chunks(self.columns).enumerate() {
            let inside = (self.queries - block * 64).min(64);
            let mask = u64::MAX >> (64 - inside);
            // The sum of cells is above 0 where that of (cell + 1) is above the number of cells.
            let (positive, tied) = compare(&add_columns(sums), read_rows * self.columns);
            judged.right.push(!(positive ^ self.right[block]) & !tied & mask);
            judged.tied.push(tied & mask);
        }
    }

    /// The part of queries that the rule answers right, 0 to 1; a sum of 0 counts as one half.
    pub fn accuracy(&mut self, rule: Rule, readout: Readout) -> f64 {
        let mut judged = Judged::default();
        self.judge(rule, readout, &mut judged);
        let queries = u32::try_from(self.queries).unwrap_or(u32::MAX);
        f64::from(judged.halves()) / (2.0 * f64::from(queries))
    }
}

/// A rule's answers to 64 queries in each word; bits behind the last query are 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judged {
    /// Bit q: query q is answered correctly.
    pub right: Vec<u64>,
    /// Bit q: the sum of query q is 0, so that there is no answer.
    pub tied: Vec<u64>,
}

impl Judged {
    /// Two for each right answer, and one for each sum of 0.
    pub fn halves(&self) -> u32 {
        let ones = |words: &[u64]| words.iter().map(|word| word.count_ones()).sum::<u32>();
        2 * ones(&self.right) + ones(&self.tied)
    }
}

/// What a run of eight words needs: the rows of the last two steps, and which of them repeat.
#[derive(Debug, Clone)]
struct Work {
    /// The rows after steps 0, 2, 4 and on, and after steps 1, 3 and on.
    rows: [Vec<Row>; 2],
    /// Whether a row is what it was two steps ago.
    repeats: Vec<bool>,
}

impl Work {
    fn new(rows: usize) -> Self {
        let zeros = vec![Row::ZEROS; rows];
        Work { rows: [zeros.clone(), zeros], repeats: vec![false; rows] }
    }

    /// The rows after as many steps as there are rows.
    fn run(&mut self, first: &[Lanes], plus: [usize; 3], minus: [usize; 3]) -> &[Row] {
        let [even, odd] = &mut self.rows;
        for (row, first) in even.iter_mut().zip(first) {
            *row = Row::signs(first);
        }
        self.repeats.fill(false);
        for number in 0..first.len() {
            let (from, to) = if number.is_multiple_of(2) { (&*even, &mut *odd) } else { (&*odd, &mut *even) };
            let mut all_repeat = true;
            let mut above_repeats = true;
            for (at, (row, next)) in from.iter().zip(to.iter_mut()).enumerate() {
                let repeats = self.repeats[at];
                // Then its next row is the one of two steps before, which is there already.
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
        // Where all rows repeat, each list stays what it is.
        if first.len().is_multiple_of(2) { even } else { odd }
    }
}

/// Adds (cell + 1) over rows, for each word by itself.
fn add_rows(rows: &[Row], sums: &mut [[u64; COLUMN_BITS]]) {
    let mut total = [NONE; COLUMN_BITS];
    for row in rows {
        // cell + 1 is 2 for +1, and 1 for 0: both never go to the second bit.
        let (zero, plus) = (&row.0[ZERO], &row.0[PLUS]);
        let [first, second, others @ ..] = &mut total;
        let two = each(first, zero, |bit, zero| bit & zero);
        let two = each(&two, plus, |two, plus| two | plus);
        *first = each(first, zero, |bit, zero| bit ^ zero);
        let mut carry = each(second, &two, |bit, two| bit & two);
        *second = each(second, &two, |bit, two| bit ^ two);
        for sum in others {
            let next = each(sum, &carry, |bit, carry| bit & carry);
            *sum = each(sum, &carry, |bit, carry| bit ^ carry);
            carry = next;
        }
    }
    for (lane, sums) in sums.iter_mut().enumerate() {
        for (sum, total) in sums.iter_mut().zip(&total) {
            *sum = total[lane];
        }
    }
}

/// Adds the sums of columns.
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

/// Where a sum is above `number`, and where it is equal.
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
    use crate::succinct::search::{Task, answer};
    use crate::succinct::{Family, Mistake};

    fn check(queries: &[Query], rules: impl Iterator<Item = Rule>) {
        let mut sliced = Sliced::new(queries).unwrap();
        let images: Vec<_> = queries.iter().map(Query::image).collect();
        let mut judged = Judged::default();
        for rule in rules {
            let last: Vec<_> = images.iter().map(|image| image.run(rule)).collect();
            for readout in [Readout::All, Readout::Bottom] {
                sliced.judge(rule, readout, &mut judged);
                let mut halves = 0;
                for (number, (last, query)) in last.iter().zip(queries).enumerate() {
                    let sum = last.sum(readout);
                    let bit = |words: &[u64]| (words[number / 64] >> (number % 64)) & 1 == 1;
                    let expected = (sum != 0 && (sum > 0) == (query.right > 0), sum == 0);
                    assert_eq!((bit(&judged.right), bit(&judged.tied)), expected, "{rule:?} {number}");
                    halves += 2 * u32::from(expected.0) + u32::from(expected.1);
                }
                assert_eq!(judged.halves(), halves, "no bits behind the last query");
            }
        }
    }

    #[test]
    fn all_rules_answer_as_the_plain_way() {
        // Five columns and two blocks: groups of eight words lie across a block.
        let task = Task::new(Family::Dictator, 4, 3, 0.1).unwrap();
        check(&task.queries(1, 0, 66).unwrap(), Rule::all());
    }

    #[test]
    fn other_sizes_answer_as_the_plain_way() {
        for (bits, examples, count, every) in
            [(7, 15, 64, 99), (1, 1, 130, 7), (15, 40, 10, 499), (63, 100, 3, 1_999)]
        {
            let task = Task::new(Family::HalfSpace, bits, examples, 0.0).unwrap();
            let queries = task.queries(2, 0, count).unwrap();
            let named = [Rule::IDENTITY, Rule::CONSENSUS, Rule::read("-0+-0+-0+").unwrap()];
            check(&queries, named.into_iter().chain(Rule::all().skip(17).step_by(every)));
            let query = &queries[0];
            let expected = match answer(query, Rule::CONSENSUS, Readout::All) {
                None => 0.5,
                Some(label) => f64::from(u8::from(label == query.right)),
            };
            let found = Sliced::new(&queries[..1]).unwrap().accuracy(Rule::CONSENSUS, Readout::All);
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let error = |queries: &[Query]| Sliced::new(queries).err();
        assert_eq!(error(&[]), Some(SearchError::Queries(0)));
        let query = |bits, examples| Task::new(Family::Dictator, bits, examples, 0.0).unwrap().query(1, 1);
        for other in [query(3, 6), query(4, 5)] {
            assert_eq!(error(&[query(3, 5), other]), Some(SearchError::Mixed));
        }
        let query = query(3, 5);
        let long = Query { test: vec![1; 4], ..query.clone() };
        assert_eq!(error(&[long]), Some(SearchError::Data(Mistake::Length { found: 4, wanted: 3 })));
        let strange = Query { test: vec![1, 0, 1], ..query.clone() };
        assert_eq!(error(&[strange]), Some(SearchError::Data(Mistake::Value { found: 0 })));
        let unlabelled = Query { right: 5, ..query.clone() };
        assert_eq!(error(&[unlabelled]), Some(SearchError::Data(Mistake::Value { found: 5 })));
        assert_eq!(error(&vec![query; 10_001]), Some(SearchError::Queries(10_001)));
    }
}
