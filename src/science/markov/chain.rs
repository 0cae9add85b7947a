//! One chain: its rows, its stationary law, and sequences of it.

/// Symbols that there may be at most.
pub const MOST_SYMBOLS: usize = 8;
/// Contexts that there may be at most: the stationary law is found by elimination, which takes their third power.
pub const MOST_CONTEXTS: usize = 64;
/// How far the sum of a row of probabilities may be from one.
const TOLERANCE: f64 = 1e-6;

/// Contexts of a chain: `symbols^(order − 1)`.
pub fn contexts(symbols: usize, order: usize) -> usize {
    symbols.saturating_pow(order.saturating_sub(1) as u32)
}

/// Why numbers make no chain, or no sequence. Rows, entries and places are counted from 1, symbols from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ChainError {
    /// A number of symbols that there cannot be.
    #[error("{}", tr!("the number of symbols of a chain must be from 2 to {most}, but it is {found}", most = MOST_SYMBOLS, found = _0))]
    Symbols(usize),
    /// An order that there cannot be.
    #[error("{}", tr!("a chain of order {order} must have from 2 to {most} contexts; a context consists of the last k − 1 symbols, where k is the order; for order 2 a context is only the current symbol", order = _0, most = MOST_CONTEXTS))]
    Order(usize),
    /// Too few or too many numbers.
    #[error("{}", tr!("the transition matrix of a chain with {symbols} symbols needs {expected} entries, row by row, but there are {found}", symbols, expected, found))]
    Entries {
        /// Symbols of the chain.
        symbols: usize,
        /// Entries that there should be.
        expected: usize,
        /// Entries that there are.
        found: usize,
    },
    /// A number that is no probability.
    #[error("{}", tr!("entry {column} of row {row} is {value}, but a probability must be a number from 0 to 1", column, row, value))]
    Entry {
        /// Row of the entry.
        row: usize,
        /// Place in the row.
        column: usize,
        /// What stands there.
        value: f64,
    },
    /// A row that is not the law of a symbol.
    #[error("{}", tr!("row {row} must sum to {expected}, but it sums to {sum}", row, expected, sum))]
    Row {
        /// Which row.
        row: usize,
        /// Its sum.
        sum: f64,
        /// What it should be: 1, or 100 for percent.
        expected: f64,
    },
    /// A chain that stays where it begins, in one of several parts.
    #[error("{}", tr!("the symbols form {parts} separate sets, and the chain can never leave the set in which it begins, so its stationary distribution is not unique", parts = _0))]
    Parts(usize),
    /// A symbol that does not exist.
    #[error("{}", tr!("symbol {place} is {found}, but every symbol must be a number from 0 to {last}", place, found, last))]
    Symbol {
        /// Its place in the sequence.
        place: usize,
        /// What stands there.
        found: usize,
        /// The last symbol that there is.
        last: usize,
    },
}

/// A person's sequence as symbols.
///
/// # Errors
/// Names the first symbol that a chain with `symbols` symbols does not have.
pub fn symbols_of(given: &[usize], symbols: usize) -> Result<Vec<u8>, ChainError> {
    let check = |(at, found): (usize, &usize)| {
        let flaw = ChainError::Symbol { place: at + 1, found: *found, last: symbols - 1 };
        if *found < symbols { Ok(*found as u8) } else { Err(flaw) }
    };
    given.iter().enumerate().map(check).collect()
}

/// A chain of order n on symbols from 0.
///
/// ```
/// use vivarium_science::markov::Chain;
/// let chain = Chain::from_percent(2, &[90, 10, 30, 70]).unwrap();
/// assert!((chain.stationary()[0] - 0.75).abs() < 1e-6);
/// assert!(Chain::from_percent(2, &[90, 20, 30, 70]).is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// Symbols that there are.
    pub symbols: usize,
    /// n: a symbol depends on the n − 1 before it.
    pub order: usize,
    /// Probabilities in units of 2⁻²⁴, `[contexts, symbols]`; each row sums to [`Chain::ONE`].
    pub rows: Vec<u32>,
}

impl Chain {
    /// Probability one, in the units of the rows.
    pub const ONE: u32 = 1 << 24;

    /// The chain with these probabilities, `[contexts, symbols]`.
    ///
    /// # Errors
    /// If the numbers are not as many as they should be, are no probabilities, do not sum to one row by row, or leave
    /// it to the beginning where the chain settles.
    pub fn new(symbols: usize, order: usize, probabilities: &[f64]) -> Result<Self, ChainError> {
        Self::checked(symbols, order, probabilities, 1.0, TOLERANCE)
    }

    /// The chain of order 2 with these percentages, row by row.
    ///
    /// # Errors
    /// As [`Chain::new`]; rows must sum to 100.
    pub fn from_percent(symbols: usize, percent: &[usize]) -> Result<Self, ChainError> {
        let probabilities: Vec<f64> = percent.iter().map(|p| *p as f64).collect();
        Self::checked(symbols, 2, &probabilities, 100.0, 0.0)
    }

    fn checked(
        symbols: usize,
        order: usize,
        numbers: &[f64],
        expected: f64,
        tolerance: f64,
    ) -> Result<Self, ChainError> {
        if !(2..=MOST_SYMBOLS).contains(&symbols) {
            return Err(ChainError::Symbols(symbols));
        }
        let contexts = contexts(symbols, order);
        if !(2..=MOST_CONTEXTS).contains(&contexts) {
            return Err(ChainError::Order(order));
        }
        if numbers.len() != contexts * symbols {
            let (expected, found) = (contexts * symbols, numbers.len());
            return Err(ChainError::Entries { symbols, expected, found });
        }
        let mut rows = vec![0; numbers.len()];
        for (at, (row, units)) in numbers.chunks(symbols).zip(rows.chunks_mut(symbols)).enumerate() {
            if let Some(column) = row.iter().position(|p| !p.is_finite() || *p < 0.0) {
                return Err(ChainError::Entry { row: at + 1, column: column + 1, value: row[column] });
            }
            let sum: f64 = row.iter().sum();
            if (sum - expected).abs() > tolerance {
                return Err(ChainError::Row { row: at + 1, sum, expected });
            }
            round(row, Chain::ONE, units);
        }
        match closed(symbols, &rows).len() {
            1 => Ok(Chain { symbols, order, rows }),
            parts => Err(ChainError::Parts(parts)),
        }
    }

    /// Contexts that there are.
    pub fn contexts(&self) -> usize {
        contexts(self.symbols, self.order)
    }

    /// Probability of `symbol` after context number `context`.
    pub fn probability(&self, context: usize, symbol: usize) -> f64 {
        f64::from(self.rows[context * self.symbols + symbol]) / f64::from(Chain::ONE)
    }

    /// Probabilities of all symbols after context number `context`.
    pub fn law(&self, context: usize) -> Vec<f64> {
        (0..self.symbols).map(|symbol| self.probability(context, symbol)).collect()
    }

    /// Number of the context that `sequence` ends with: its last symbol counts 1, the one before counts
    /// `symbols`, and so on. Symbols that are missing at the beginning count as 0.
    pub fn context(&self, sequence: &[u8]) -> usize {
        let last = &sequence[sequence.len().saturating_sub(self.order - 1)..];
        last.iter().fold(0, |number, symbol| number * self.symbols + usize::from(*symbol))
    }

    /// Shares of the contexts in the long run, `[contexts]`; with several closed parts, those within one of them.
    pub fn stationary(&self) -> Vec<f64> {
        let mut walker = Walker::new(self.symbols, self.order);
        walker.settle(&self.rows);
        walker.law
    }

    /// A sequence from these random words: the first draws a context by the stationary law, whose symbols the sequence
    /// begins with, and each of the others draws one symbol. So there are `words.len() + order − 2` symbols.
    pub fn sequence(&self, words: &[u32]) -> Vec<u8> {
        let mut out = vec![];
        Walker::new(self.symbols, self.order).walk(&self.rows, words, &mut out);
        out
    }
}

/// Whole numbers with the sum `whole` in proportion to `shares`. A share of nothing stays nothing.
pub(super) fn round(shares: &[f64], whole: u32, units: &mut [u32]) {
    let sum: f64 = shares.iter().sum();
    let (mut share, mut before) = (0.0, 0);
    for (unit, add) in units.iter_mut().zip(shares) {
        share += add;
        let until = libm::round(share / sum * f64::from(whole)) as u32;
        *unit = until - before;
        before = until;
    }
}

/// The sets of contexts that are never left and have no smaller such set in them, as bits.
fn closed(symbols: usize, rows: &[u32]) -> Vec<u64> {
    let contexts = rows.len() / symbols;
    let mut reach: Vec<u64> = (0..contexts).map(|c| 1 << c).collect();
    for (c, row) in rows.chunks(symbols).enumerate() {
        for (symbol, _) in row.iter().enumerate().filter(|(_, units)| **units > 0) {
            reach[c] |= 1 << ((c * symbols + symbol) % contexts);
        }
    }
    // Warshall 1962, a row of bits at a time.
    for via in 0..contexts {
        let further = reach[via];
        for from in reach.iter_mut().filter(|from| **from >> via & 1 == 1) {
            *from |= further;
        }
    }
    let mut found: Vec<u64> = vec![];
    for set in &reach {
        let returns = (0..contexts).filter(|d| set >> d & 1 == 1).all(|d| reach[d] == *set);
        if returns && !found.contains(set) {
            found.push(*set);
        }
    }
    found
}

/// Draws sequences of many chains of one size, and keeps its memory in between.
#[derive(Debug, Clone)]
pub struct Walker {
    symbols: usize,
    order: usize,
    /// Stationary law of the last chain, `[contexts]`.
    law: Vec<f64>,
    /// What is left of the transition matrix, `[members, members]`.
    work: Vec<f64>,
    /// Cumulative units without the last, `[contexts, symbols − 1]`.
    bounds: Vec<u32>,
}

impl Walker {
    /// For chains of that size.
    pub fn new(symbols: usize, order: usize) -> Self {
        let contexts = contexts(symbols, order);
        Walker {
            symbols,
            order,
            law: vec![0.0; contexts],
            work: vec![],
            bounds: vec![0; contexts * (symbols - 1)],
        }
    }

    /// The stationary law of the chain with these rows, by the elimination of Grassmann, Taksar and Heyman (1985). It
    /// subtracts nothing, so that every share has small relative error.
    pub fn settle(&mut self, rows: &[u32]) -> &[f64] {
        let contexts = self.law.len();
        let everywhere = rows.iter().all(|units| *units > 0);
        let set = if everywhere { u64::MAX } else { closed(self.symbols, rows)[0] };
        let members: Vec<usize> = (0..contexts).filter(|c| set >> c & 1 == 1).collect();
        self.eliminate(rows, &members);
        &self.law
    }

    /// The stationary law of the chain among `members`, which it does not leave and all of which it visits.
    fn eliminate(&mut self, rows: &[u32], members: &[usize]) {
        let (k, contexts, count) = (self.symbols, self.law.len(), members.len());
        let mut place = [0; MOST_CONTEXTS];
        members.iter().enumerate().for_each(|(at, member)| place[*member] = at);
        self.work.clear();
        self.work.resize(count * count, 0.0);
        for (at, member) in members.iter().enumerate() {
            for (symbol, units) in rows[member * k..][..k].iter().enumerate().filter(|(_, units)| **units > 0)
            {
                self.work[at * count + place[(member * k + symbol) % contexts]] += f64::from(*units);
            }
        }
        for last in (1..count).rev() {
            let (above, row) = self.work.split_at_mut(last * count);
            let row = &row[..last];
            // Above zero, since the chain comes back from every set of members.
            let leaving: f64 = row.iter().sum();
            for other in above.chunks_mut(count).filter(|other| other[last] > 0.0) {
                let (before, after) = other.split_at_mut(last);
                after[0] /= leaving;
                before.iter_mut().zip(row).for_each(|(entry, step)| *entry += after[0] * step);
            }
        }
        self.law.fill(0.0);
        let mut sum = 0.0;
        for (at, member) in members.iter().enumerate() {
            let share: f64 = (0..at).map(|i| self.law[members[i]] * self.work[i * count + at]).sum();
            self.law[*member] = if at == 0 { 1.0 } else { share };
            sum += self.law[*member];
        }
        self.law.iter_mut().for_each(|share| *share /= sum);
    }

    /// Appends the sequence of [`Chain::sequence`] for the chain with these rows.
    pub fn walk(&mut self, rows: &[u32], words: &[u32], out: &mut Vec<u8>) {
        let Some((first, rest)) = words.split_first() else { return };
        self.settle(rows);
        let (k, contexts) = (self.symbols, self.law.len());
        let mut context = self.first(*first);
        let digits = (0..self.order - 1).rev().map(|place| context / k.pow(place as u32) % k);
        out.extend(digits.map(|symbol| symbol as u8));
        for (bounds, row) in self.bounds.chunks_mut(k - 1).zip(rows.chunks(k)) {
            let mut sum = 0;
            for (bound, units) in bounds.iter_mut().zip(row) {
                sum += units;
                *bound = sum;
            }
        }
        let chain = self.order == 2;
        out.extend(rest.iter().map(|word| {
            let bounds = &self.bounds[context * (k - 1)..][..k - 1];
            let symbol: usize = bounds.iter().map(|bound| usize::from(word >> 8 >= *bound)).sum();
            context = if chain { symbol } else { (context * k + symbol) % contexts };
            symbol as u8
        }));
    }

    /// The context that a random word draws by the stationary law.
    fn first(&self, word: u32) -> usize {
        let (draw, mut sum) = (f64::from(word >> 8) / f64::from(Chain::ONE), 0.0);
        let drawn = self.law.iter().position(|share| {
            sum += share;
            draw < sum
        });
        // Where rounding leaves the sum below one.
        drawn.or_else(|| self.law.iter().rposition(|share| *share > 0.0)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markov::Law;
    use vivarium_core::rng::{Purpose, Stream};

    fn drawn(law: Law, symbols: usize, order: usize, step: u64) -> Chain {
        let mut words = vec![0; law.words(symbols, order)];
        Stream::new(1, Purpose::Chain, 0).words(step, 0, &mut words);
        law.draw(symbols, order, &words)
    }

    /// One step of the law of the context.
    fn step(chain: &Chain, law: &[f64]) -> Vec<f64> {
        let mut next = vec![0.0; law.len()];
        for (context, share) in law.iter().enumerate() {
            for symbol in 0..chain.symbols {
                let to = (context * chain.symbols + symbol) % law.len();
                next[to] += share * chain.probability(context, symbol);
            }
        }
        next
    }

    #[test]
    fn the_stationary_law_is_what_powers_of_the_matrix_come_to() {
        for (symbols, order) in [(2, 2), (3, 2), (8, 2), (2, 3), (2, 4), (3, 3), (4, 4), (8, 3)] {
            let chain = drawn(Law::Dirichlet(1.0), symbols, order, 5);
            let mut law = vec![1.0 / chain.contexts() as f64; chain.contexts()];
            // The mean of all laws so far settles for periodic chains too; these are not.
            for _ in 0..20_000 {
                law = step(&chain, &law);
            }
            let found = chain.stationary();
            assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(found.iter().zip(&law).all(|(a, b)| (a - b).abs() < 1e-9), "{symbols} {order}");
        }
    }

    #[test]
    fn chains_with_one_closed_part_settle_there() {
        let near = |chain: Chain, expected: &[f64]| {
            let found = chain.stationary();
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}");
        };
        // A cycle, an absorbing symbol in any place, and a pair that takes turns.
        near(Chain::from_percent(3, &[0, 100, 0, 0, 0, 100, 100, 0, 0]).unwrap(), &[1.0 / 3.0; 3]);
        near(Chain::from_percent(2, &[100, 0, 50, 50]).unwrap(), &[1.0, 0.0]);
        // π P = π, solved by hand: (18, 28, 29) / 75.
        let everywhere = Chain::from_percent(3, &[20, 30, 50, 10, 60, 30, 40, 20, 40]).unwrap();
        near(everywhere, &[18.0 / 75.0, 28.0 / 75.0, 29.0 / 75.0]);
        near(Chain::from_percent(2, &[50, 50, 0, 100]).unwrap(), &[0.0, 1.0]);
        near(Chain::from_percent(3, &[20, 30, 50, 0, 0, 100, 0, 100, 0]).unwrap(), &[0.0, 0.5, 0.5]);
        near(Chain::from_percent(3, &[0, 0, 100, 20, 30, 50, 100, 0, 0]).unwrap(), &[0.5, 0.0, 0.5]);
        // After two equal symbols the other one: 0 0 1 1 0 0 …
        let turns = Chain::new(2, 3, &[0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0]).unwrap();
        near(turns, &[0.25; 4]);
        let rare = Chain::new(2, 2, &[1.0 - 1e-7, 1e-7, 1.0, 0.0]).unwrap();
        assert!((rare.stationary()[1] * f64::from(Chain::ONE) - 2.0).abs() < 1e-5);
    }

    #[test]
    fn what_is_no_chain_is_refused_with_the_reason() {
        for (result, sentence) in [
            (Chain::from_percent(2, &[90, 20, 30, 70]), "row 1 must sum to 100, but it sums to 110"),
            (
                Chain::from_percent(2, &[90, 10, 30]),
                "the transition matrix of a chain with 2 symbols needs 4 entries, row by row, but there are 3",
            ),
            (
                Chain::from_percent(9, &[]),
                "the number of symbols of a chain must be from 2 to 8, but it is 9",
            ),
            (
                Chain::from_percent(2, &[100, 0, 0, 100]),
                "the symbols form 2 separate sets, and the chain can never leave the set in which it begins, so its stationary distribution is not unique",
            ),
            (
                Chain::new(2, 2, &[0.5, 0.5, 1.5, -0.5]),
                "entry 2 of row 2 is -0.5, but a probability must be a number from 0 to 1",
            ),
            (
                Chain::new(2, 2, &[0.5, f64::NAN, 1.0, 0.0]),
                "entry 2 of row 1 is NaN, but a probability must be a number from 0 to 1",
            ),
            (Chain::new(2, 2, &[0.5, 0.5, 0.5, 0.50001]), "row 2 must sum to 1, but it sums to 1.00001"),
            (
                Chain::new(8, 4, &[]),
                "a chain of order 4 must have from 2 to 64 contexts; a context consists of the last k − 1 symbols, where k is the order; for order 2 a context is only the current symbol",
            ),
            (
                Chain::new(2, 1, &[0.5, 0.5]),
                "a chain of order 1 must have from 2 to 64 contexts; a context consists of the last k − 1 symbols, where k is the order; for order 2 a context is only the current symbol",
            ),
        ] {
            assert_eq!(result.unwrap_err().to_string(), sentence);
        }
        assert!(Chain::new(2, 2, &[0.5, 0.500_000_9, 0.3, 0.7]).is_ok());
        let sums = |chain: &Chain| chain.rows.chunks(3).all(|row| row.iter().sum::<u32>() == Chain::ONE);
        assert!(sums(&Chain::from_percent(3, &[33, 33, 34, 1, 98, 1, 7, 0, 93]).unwrap()));
        assert_eq!(symbols_of(&[0, 2, 1], 3), Ok(vec![0, 2, 1]));
        let flaw = symbols_of(&[0, 1, 2], 2).unwrap_err();
        assert_eq!(flaw.to_string(), "symbol 3 is 2, but every symbol must be a number from 0 to 1");
    }

    #[test]
    fn a_context_counts_its_last_symbol_once() {
        let chain = drawn(Law::Dirichlet(1.0), 3, 3, 0);
        assert_eq!(chain.context(&[2, 2, 1, 0, 2]), 2);
        assert_eq!(chain.context(&[0, 1, 0]), 3);
        assert_eq!(chain.context(&[2]), 2);
        assert_eq!(chain.sequence(&[7]).len(), 2);
        assert_eq!(chain.sequence(&[7, 8, 9]).len(), 4);
        assert!(chain.sequence(&[]).is_empty());
    }

    #[test]
    fn a_word_at_the_edge_of_two_symbols_draws_the_later_one() {
        let even = Chain::from_percent(2, &[50, 50, 50, 50]).unwrap();
        let half = 1u32 << 31;
        assert_eq!(even.sequence(&[half - 1, half, half - 1, half]), [0, 1, 0, 1]);
        assert_eq!(even.sequence(&[half, half - 1, u32::MAX, 0]), [1, 0, 1, 0]);
    }

    #[test]
    fn symbols_follow_the_rows_and_the_first_context_the_stationary_law() {
        for (symbols, order) in [(2, 2), (3, 2), (5, 2), (2, 4), (3, 3)] {
            let (chain, stream) =
                (drawn(Law::Dirichlet(1.0), symbols, order, 9), Stream::new(3, Purpose::Batch, 0));
            let (all, sequences) = (chain.contexts(), 20_000);
            let (mut first, mut next) = (vec![0.0; all], vec![0.0; all * symbols]);
            for e in 0..sequences {
                let mut words = [0; 4];
                stream.words(e, 0, &mut words);
                let sequence = chain.sequence(&words);
                first[chain.context(&sequence[..order - 1])] += 1.0;
                for end in order - 1..sequence.len() {
                    next[chain.context(&sequence[..end]) * symbols + usize::from(sequence[end])] += 1.0;
                }
            }
            let shares = chain.stationary();
            let chi = |counts: &[f64], law: &[f64]| -> f64 {
                let n: f64 = counts.iter().sum();
                counts.iter().zip(law).map(|(c, p)| (c - n * p).powi(2) / (n * p).max(1e-9)).sum()
            };
            let bound = |freedom: usize| freedom as f64 + 4.5 * (2.0 * freedom as f64).sqrt() + 4.0;
            assert!(chi(&first, &shares) < bound(all - 1), "{symbols} {order}: {}", chi(&first, &shares));
            let rows: f64 = (0..all).map(|c| chi(&next[c * symbols..][..symbols], &chain.law(c))).sum();
            assert!(rows < bound(all * (symbols - 1)), "{symbols} {order}: {rows}");
        }
    }
}
