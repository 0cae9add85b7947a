//! One Markov chain: its transition probabilities, its stationary distribution, and sequences drawn from it.

/// The largest number k of different symbols of a Markov chain.
pub const MAX_SYMBOLS: usize = 8;
/// The largest number of contexts of a chain. The stationary distribution is computed by elimination, in contexts³
/// operations.
pub const MAX_CONTEXTS: usize = 64;
/// A row of transition probabilities is rejected if its sum deviates from 1 by more than this.
const ROW_SUM_TOLERANCE: f64 = 1e-6;

/// Number of contexts of a chain, which are the possible sequences of `order − 1` symbols: `symbols^(order − 1)`.
pub fn context_count(symbols: usize, order: usize) -> usize {
    symbols.saturating_pow(order.saturating_sub(1) as u32)
}

/// A violation of the definition of a Markov chain or of a sequence. Rows, entries and positions are counted from 1,
/// symbols from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ChainError {
    /// The number of symbols is not from 2 to [`MAX_SYMBOLS`].
    #[error("{}", tr!("the number of symbols of a chain must be from 2 to {most}, but it is {found}", most = MAX_SYMBOLS, found = _0))]
    SymbolCount(usize),
    /// The order gives fewer than 2 or more than [`MAX_CONTEXTS`] contexts.
    #[error("{}", tr!("a chain of order {order} must have from 2 to {most} contexts; a context consists of the last k − 1 symbols, where k is the order; for order 2 a context is only the current symbol", order = _0, most = MAX_CONTEXTS))]
    Order(usize),
    /// The transition matrix has too few or too many entries.
    #[error("{}", tr!("the transition matrix of a chain with {symbols} symbols needs {expected} entries, row by row, but there are {found}", symbols, expected, found))]
    EntryCount {
        /// Symbols of the chain.
        symbols: usize,
        /// Required number of entries.
        expected: usize,
        /// Number of entries.
        found: usize,
    },
    /// An entry is not a probability.
    #[error("{}", tr!("entry {column} of row {row} is {value}, but a probability must be a number from 0 to 1", column, row, value))]
    InvalidProbability {
        /// Row of the entry.
        row: usize,
        /// The column of the entry.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// A row does not sum to one.
    #[error("{}", tr!("row {row} must sum to {expected}, but it sums to {sum}", row, expected, sum))]
    RowSum {
        /// The row.
        row: usize,
        /// The sum of the row.
        sum: f64,
        /// The required sum: 1, or 100 for percentages.
        expected: f64,
    },
    /// The chain has several closed classes, so that its stationary distribution is not unique. The number counts
    /// them.
    #[error("{}", tr!("the symbols form {parts} separate sets, and the chain can never leave the set in which it begins, so its stationary distribution is not unique", parts = _0))]
    SeveralClosedClasses(usize),
    /// A sequence contains a symbol that the chain does not have.
    #[error("{}", tr!("symbol {place} is {found}, but every symbol must be a number from 0 to {last}", place, found, last))]
    InvalidSymbol {
        /// Position in the sequence.
        place: usize,
        /// The symbol at this position.
        found: usize,
        /// The last symbol of the chain.
        last: usize,
    },
}

/// Converts a sequence that a user entered into symbols.
///
/// # Errors
/// If the chain with `symbols` symbols does not have a symbol of the sequence; the error names the first one.
pub fn validate_symbols(given: &[usize], symbols: usize) -> Result<Vec<u8>, ChainError> {
    let check = |(at, found): (usize, &usize)| {
        let error = ChainError::InvalidSymbol { place: at + 1, found: *found, last: symbols - 1 };
        if *found < symbols { Ok(*found as u8) } else { Err(error) }
    };
    given.iter().enumerate().map(check).collect()
}

/// A Markov chain of order n. Its symbols are 0 to `symbols` − 1.
///
/// ```
/// use vivarium_science::markov::Chain;
/// let chain = Chain::from_percent(2, &[90, 10, 30, 70]).unwrap();
/// assert!((chain.stationary_distribution()[0] - 0.75).abs() < 1e-6);
/// assert!(Chain::from_percent(2, &[90, 20, 30, 70]).is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// Number k of different symbols.
    pub symbols: usize,
    /// The order n: each symbol depends on the n − 1 symbols before it.
    pub order: usize,
    /// Transition probabilities in units of 2⁻²⁴, `[contexts, symbols]`; each row sums to [`Chain::ONE`].
    pub rows: Vec<u32>,
}

impl Chain {
    /// The number that stands for probability 1 in `rows`, which count units of 2⁻²⁴.
    pub const ONE: u32 = 1 << 24;

    /// Builds a chain from its transition probabilities `[contexts, symbols]`.
    ///
    /// # Errors
    /// If the number of entries is wrong, an entry is not a probability, a row does not sum to one, or the stationary
    /// distribution is not unique.
    pub fn new(symbols: usize, order: usize, probabilities: &[f64]) -> Result<Self, ChainError> {
        Self::from_rows_with_sum(symbols, order, probabilities, 1.0, ROW_SUM_TOLERANCE)
    }

    /// Builds a chain of order 2 on `symbols` symbols from transition probabilities in percent, row-major,
    /// `[symbols, symbols]`.
    ///
    /// # Errors
    /// As [`Chain::new`]; rows must sum to 100.
    pub fn from_percent(symbols: usize, percent: &[usize]) -> Result<Self, ChainError> {
        let probabilities: Vec<f64> = percent.iter().map(|p| *p as f64).collect();
        Self::from_rows_with_sum(symbols, 2, &probabilities, 100.0, 0.0)
    }

    /// Builds a chain from the numbers `[contexts, symbols]`, each row of which must sum to `expected` up to
    /// `tolerance` and is proportional to the transition probabilities.
    fn from_rows_with_sum(
        symbols: usize,
        order: usize,
        numbers: &[f64],
        expected: f64,
        tolerance: f64,
    ) -> Result<Self, ChainError> {
        if !(2..=MAX_SYMBOLS).contains(&symbols) {
            return Err(ChainError::SymbolCount(symbols));
        }
        let contexts = context_count(symbols, order);
        if !(2..=MAX_CONTEXTS).contains(&contexts) {
            return Err(ChainError::Order(order));
        }
        if numbers.len() != contexts * symbols {
            let (expected, found) = (contexts * symbols, numbers.len());
            return Err(ChainError::EntryCount { symbols, expected, found });
        }
        let mut rows = vec![0; numbers.len()];
        for (at, (row, units)) in numbers.chunks(symbols).zip(rows.chunks_mut(symbols)).enumerate() {
            if let Some(column) = row.iter().position(|p| !p.is_finite() || *p < 0.0) {
                return Err(ChainError::InvalidProbability {
                    row: at + 1,
                    column: column + 1,
                    value: row[column],
                });
            }
            let sum: f64 = row.iter().sum();
            if (sum - expected).abs() > tolerance {
                return Err(ChainError::RowSum { row: at + 1, sum, expected });
            }
            round_to_units(row, Chain::ONE, units);
        }
        match closed_classes(symbols, &rows).len() {
            1 => Ok(Chain { symbols, order, rows }),
            parts => Err(ChainError::SeveralClosedClasses(parts)),
        }
    }

    /// Number of contexts of the chain: the possible sequences of n − 1 symbols.
    pub fn context_count(&self) -> usize {
        context_count(self.symbols, self.order)
    }

    /// Probability that `symbol`, from 0, follows the context with index `context`.
    pub fn probability(&self, context: usize, symbol: usize) -> f64 {
        f64::from(self.rows[context * self.symbols + symbol]) / f64::from(Chain::ONE)
    }

    /// Probabilities of all symbols after the context with this index, `[symbols]`.
    pub fn next_symbol_distribution(&self, context: usize) -> Vec<f64> {
        (0..self.symbols).map(|symbol| self.probability(context, symbol)).collect()
    }

    /// Index of the context that ends `sequence`, in base `symbols` with the last symbol as the lowest digit. Symbols
    /// before the beginning count as 0.
    pub fn context_index(&self, sequence: &[u8]) -> usize {
        let last = &sequence[sequence.len().saturating_sub(self.order - 1)..];
        last.iter().fold(0, |number, symbol| number * self.symbols + usize::from(*symbol))
    }

    /// The stationary distribution over contexts, `[contexts]`. If the chain has several closed classes of
    /// contexts, that of the first class.
    pub fn stationary_distribution(&self) -> Vec<f64> {
        let mut walker = SequenceSampler::new(self.symbols, self.order);
        walker.compute_stationary(&self.rows);
        walker.stationary
    }

    /// Draws a sequence from random words. The first word draws a context from the stationary distribution, and the
    /// sequence begins with the symbols of this context. Each other word draws one symbol. The result has
    /// `words.len() + order − 2` symbols.
    pub fn draw_sequence(&self, words: &[u32]) -> Vec<u8> {
        let mut out = vec![];
        SequenceSampler::new(self.symbols, self.order).append_sequence(&self.rows, words, &mut out);
        out
    }
}

/// Rounds the numbers `shares`, which need not sum to 1, to integers in about the same proportions whose sum is
/// `whole`, and writes them to `units`. A share of 0 becomes 0.
pub(super) fn round_to_units(shares: &[f64], whole: u32, units: &mut [u32]) {
    let sum: f64 = shares.iter().sum();
    let (mut share, mut before) = (0.0, 0);
    for (unit, add) in units.iter_mut().zip(shares) {
        share += add;
        let until = libm::round(share / sum * f64::from(whole)) as u32;
        *unit = until - before;
        before = until;
    }
}

/// The closed classes of contexts, which are the minimal sets that the chain never leaves, as bit masks with bit i
/// for context i. `rows` is `[contexts, symbols]`.
fn closed_classes(symbols: usize, rows: &[u32]) -> Vec<u64> {
    let contexts = rows.len() / symbols;
    let mut reach: Vec<u64> = (0..contexts).map(|c| 1 << c).collect();
    for (c, row) in rows.chunks(symbols).enumerate() {
        for (symbol, _) in row.iter().enumerate().filter(|(_, units)| **units > 0) {
            reach[c] |= 1 << ((c * symbols + symbol) % contexts);
        }
    }
    // Transitive closure (Warshall 1962), one bit mask per row.
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

/// Draws sequences of many chains with the same numbers of symbols and contexts, and reuses its memory.
#[derive(Debug, Clone)]
pub struct SequenceSampler {
    /// Number k of different symbols of the chains.
    symbols: usize,
    /// Order n of the chains: each symbol depends on the n − 1 symbols before it.
    order: usize,
    /// Stationary distribution over contexts of the chain that was used last, `[contexts]`.
    stationary: Vec<f64>,
    /// Transition matrix of a closed class of contexts during the elimination, `[members, members]`.
    elimination: Vec<f64>,
    /// Cumulative transition probabilities in units of 2⁻²⁴, without the last column, `[contexts, symbols − 1]`.
    cumulative_units: Vec<u32>,
}

impl SequenceSampler {
    /// Creates a sampler for chains with this number of symbols and this order.
    pub fn new(symbols: usize, order: usize) -> Self {
        let contexts = context_count(symbols, order);
        SequenceSampler {
            symbols,
            order,
            stationary: vec![0.0; contexts],
            elimination: vec![],
            cumulative_units: vec![0; contexts * (symbols - 1)],
        }
    }

    /// Computes the stationary distribution `[contexts]` of the chain with the transition probabilities `rows`,
    /// `[contexts, symbols]` in units of 2⁻²⁴, by the elimination of Grassmann, Taksar and Heyman (1985). The
    /// method subtracts nothing, so that every probability has a small relative error.
    pub fn compute_stationary(&mut self, rows: &[u32]) -> &[f64] {
        let contexts = self.stationary.len();
        let everywhere = rows.iter().all(|units| *units > 0);
        let set = if everywhere { u64::MAX } else { closed_classes(self.symbols, rows)[0] };
        let members: Vec<usize> = (0..contexts).filter(|c| set >> c & 1 == 1).collect();
        self.eliminate(rows, &members);
        &self.stationary
    }

    /// Computes, by elimination, the stationary distribution of the chain with transition probabilities `rows` on
    /// the closed class of contexts `members`, and stores it in `self.stationary`, which is 0 for all other
    /// contexts.
    fn eliminate(&mut self, rows: &[u32], members: &[usize]) {
        let (k, contexts, count) = (self.symbols, self.stationary.len(), members.len());
        let mut member_index = [0; MAX_CONTEXTS];
        members.iter().enumerate().for_each(|(at, member)| member_index[*member] = at);
        self.elimination.clear();
        self.elimination.resize(count * count, 0.0);
        for (at, member) in members.iter().enumerate() {
            for (symbol, units) in rows[member * k..][..k].iter().enumerate().filter(|(_, units)| **units > 0)
            {
                self.elimination[at * count + member_index[(member * k + symbol) % contexts]] +=
                    f64::from(*units);
            }
        }
        for last in (1..count).rev() {
            let (above, row) = self.elimination.split_at_mut(last * count);
            let row = &row[..last];
            // Positive, because the chain leaves every proper subset of a closed class.
            let leaving: f64 = row.iter().sum();
            for other in above.chunks_mut(count).filter(|other| other[last] > 0.0) {
                let (before, after) = other.split_at_mut(last);
                after[0] /= leaving;
                before.iter_mut().zip(row).for_each(|(entry, step)| *entry += after[0] * step);
            }
        }
        self.stationary.fill(0.0);
        let mut sum = 0.0;
        for (at, member) in members.iter().enumerate() {
            let share: f64 =
                (0..at).map(|i| self.stationary[members[i]] * self.elimination[i * count + at]).sum();
            self.stationary[*member] = if at == 0 { 1.0 } else { share };
            sum += self.stationary[*member];
        }
        self.stationary.iter_mut().for_each(|share| *share /= sum);
    }

    /// Appends to `out` the sequence that [`Chain::draw_sequence`] draws from `words` for the chain with the
    /// transition probabilities `rows`, `[contexts, symbols]` in units of 2⁻²⁴.
    pub fn append_sequence(&mut self, rows: &[u32], words: &[u32], out: &mut Vec<u8>) {
        let Some((first, rest)) = words.split_first() else { return };
        self.compute_stationary(rows);
        let (k, contexts) = (self.symbols, self.stationary.len());
        let mut context = self.draw_first_context(*first);
        let digits = (0..self.order - 1).rev().map(|place| context / k.pow(place as u32) % k);
        out.extend(digits.map(|symbol| symbol as u8));
        for (bounds, row) in self.cumulative_units.chunks_mut(k - 1).zip(rows.chunks(k)) {
            let mut sum = 0;
            for (bound, units) in bounds.iter_mut().zip(row) {
                sum += units;
                *bound = sum;
            }
        }
        let chain = self.order == 2;
        out.extend(rest.iter().map(|word| {
            let bounds = &self.cumulative_units[context * (k - 1)..][..k - 1];
            let symbol: usize = bounds.iter().map(|bound| usize::from(word >> 8 >= *bound)).sum();
            context = if chain { symbol } else { (context * k + symbol) % contexts };
            symbol as u8
        }));
    }

    /// Draws the index of a sequence's first context from the stationary distribution computed last, with the
    /// random word `word`.
    fn draw_first_context(&self, word: u32) -> usize {
        let (uniform, mut sum) = (f64::from(word >> 8) / f64::from(Chain::ONE), 0.0);
        let context = self.stationary.iter().position(|share| {
            sum += share;
            uniform < sum
        });
        // Rounding can leave the sum of the probabilities below the drawn number.
        context.or_else(|| self.stationary.iter().rposition(|share| *share > 0.0)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markov::ChainDistribution;
    use vivarium_core::rng::{Purpose, RandomStream};

    fn draw_test_chain(distribution: ChainDistribution, symbols: usize, order: usize, step: u64) -> Chain {
        let mut words = vec![0; distribution.words_per_chain(symbols, order)];
        RandomStream::new(1, Purpose::Chain, 0).fill_u32(step, 0, &mut words);
        distribution.draw_chain(symbols, order, &words)
    }

    /// The distribution of the context after one more symbol.
    fn advance_context_distribution(chain: &Chain, distribution: &[f64]) -> Vec<f64> {
        let mut next = vec![0.0; distribution.len()];
        for (context, share) in distribution.iter().enumerate() {
            for symbol in 0..chain.symbols {
                let to = (context * chain.symbols + symbol) % distribution.len();
                next[to] += share * chain.probability(context, symbol);
            }
        }
        next
    }

    #[test]
    fn the_stationary_distribution_is_the_limit_of_matrix_powers() {
        for (symbols, order) in [(2, 2), (3, 2), (8, 2), (2, 3), (2, 4), (3, 3), (4, 4), (8, 3)] {
            let chain = draw_test_chain(ChainDistribution::Dirichlet(1.0), symbols, order, 5);
            let mut distribution = vec![1.0 / chain.context_count() as f64; chain.context_count()];
            // The mean of all laws so far settles for periodic chains too; these are not.
            for _ in 0..20_000 {
                distribution = advance_context_distribution(&chain, &distribution);
            }
            let found = chain.stationary_distribution();
            assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(found.iter().zip(&distribution).all(|(a, b)| (a - b).abs() < 1e-9), "{symbols} {order}");
        }
    }

    #[test]
    fn the_stationary_distribution_is_zero_outside_the_closed_class() {
        let near = |chain: Chain, expected: &[f64]| {
            let found = chain.stationary_distribution();
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
        assert!((rare.stationary_distribution()[1] * f64::from(Chain::ONE) - 2.0).abs() < 1e-5);
    }

    #[test]
    fn invalid_chains_give_the_violated_rule() {
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
        assert_eq!(validate_symbols(&[0, 2, 1], 3), Ok(vec![0, 2, 1]));
        let error = validate_symbols(&[0, 1, 2], 2).unwrap_err();
        assert_eq!(error.to_string(), "symbol 3 is 2, but every symbol must be a number from 0 to 1");
    }

    #[test]
    fn the_last_symbol_is_the_lowest_digit_of_a_context() {
        let chain = draw_test_chain(ChainDistribution::Dirichlet(1.0), 3, 3, 0);
        assert_eq!(chain.context_index(&[2, 2, 1, 0, 2]), 2);
        assert_eq!(chain.context_index(&[0, 1, 0]), 3);
        assert_eq!(chain.context_index(&[2]), 2);
        assert_eq!(chain.draw_sequence(&[7]).len(), 2);
        assert_eq!(chain.draw_sequence(&[7, 8, 9]).len(), 4);
        assert!(chain.draw_sequence(&[]).is_empty());
    }

    #[test]
    fn a_word_at_a_boundary_draws_the_later_symbol() {
        let even = Chain::from_percent(2, &[50, 50, 50, 50]).unwrap();
        let half = 1u32 << 31;
        assert_eq!(even.draw_sequence(&[half - 1, half, half - 1, half]), [0, 1, 0, 1]);
        assert_eq!(even.draw_sequence(&[half, half - 1, u32::MAX, 0]), [1, 0, 1, 0]);
    }

    #[test]
    fn symbols_follow_the_rows_and_the_first_context_follows_the_stationary_distribution() {
        for (symbols, order) in [(2, 2), (3, 2), (5, 2), (2, 4), (3, 3)] {
            let (chain, stream) = (
                draw_test_chain(ChainDistribution::Dirichlet(1.0), symbols, order, 9),
                RandomStream::new(3, Purpose::Batch, 0),
            );
            let (all, sequences) = (chain.context_count(), 20_000);
            let (mut first, mut next) = (vec![0.0; all], vec![0.0; all * symbols]);
            for e in 0..sequences {
                let mut words = [0; 4];
                stream.fill_u32(e, 0, &mut words);
                let sequence = chain.draw_sequence(&words);
                first[chain.context_index(&sequence[..order - 1])] += 1.0;
                for end in order - 1..sequence.len() {
                    next[chain.context_index(&sequence[..end]) * symbols + usize::from(sequence[end])] += 1.0;
                }
            }
            let shares = chain.stationary_distribution();
            let chi = |counts: &[f64], distribution: &[f64]| -> f64 {
                let n: f64 = counts.iter().sum();
                counts.iter().zip(distribution).map(|(c, p)| (c - n * p).powi(2) / (n * p).max(1e-9)).sum()
            };
            let bound = |freedom: usize| freedom as f64 + 4.5 * (2.0 * freedom as f64).sqrt() + 4.0;
            assert!(chi(&first, &shares) < bound(all - 1), "{symbols} {order}: {}", chi(&first, &shares));
            let rows: f64 = (0..all)
                .map(|c| chi(&next[c * symbols..][..symbols], &chain.next_symbol_distribution(c)))
                .sum();
            assert!(rows < bound(all * (symbols - 1)), "{symbols} {order}: {rows}");
        }
    }
}
