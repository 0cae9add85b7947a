//! Distributions of transition matrices, each drawn from a fixed number of random words.
//!
//! With α = 1, and for independent and doubly stochastic rows, drawing uses only integers: `u32` additions,
//! comparisons and the upper half of a product, which [`multiply_high`] computes from 16-bit halves. So a shader,
//! which has no 64-bit integers, draws the same chain.
//!
//! # Chains without signal of lower order
//! In a chain of order n, let a context consist of its first symbol x and its n − 2 middle symbols m, and let z be
//! the next symbol. [`ChainDistribution::NoLowerOrder`] draws the matrix `P(z | x, m)` over (x, z) of each m as a
//! doubly stochastic one. If contexts are uniformly distributed, so are the contexts one symbol later, because
//!
//! ```text
//! P(m, z) = Σ_x P(x, m) P(z | x, m) = k^(1 − n) Σ_x P(z | x, m) = k^(1 − n)
//! ```
//!
//! So the uniform distribution is stationary, and `P(z | m) = 1/k`: with less than the whole context, no symbol is
//! more likely than another. For n = 3 these are trigrams without bigram signal: m is the previous symbol.

use super::chain::{Chain, context_count, round_to_units};

/// A distribution from which transition matrices of Markov chains are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ChainDistribution {
    /// Independent rows, each from the symmetric Dirichlet distribution with this parameter α; α = 1 is uniform.
    Dirichlet(f64),
    /// All rows equal one uniformly drawn row, so that symbols are independent.
    Independent,
    /// Uniform over matrices whose rows and columns sum to one. For contexts of several symbols, the row depends on
    /// the last symbol only.
    DoublyStochastic,
    /// Doubly stochastic with this probability, otherwise independent symbols.
    Mixture(f64),
    /// Only the whole context predicts the next symbol. For each value of the middle symbols, which are the symbols of
    /// the context after its first, an independent doubly stochastic matrix from the first symbol to the next symbol.
    /// For order 2 there are no middle symbols and one matrix, as for [`ChainDistribution::DoublyStochastic`].
    NoLowerOrder,
    /// As [`ChainDistribution::NoLowerOrder`] with the probability of the first field. Otherwise a chain of order
    /// n − 1, whose rows have the Dirichlet distribution with the parameter α of the second field; for order 2 these
    /// are independent symbols.
    LowerOrderMixture(f64, f64),
}

/// Number of attempts of the rejection sampler for one gamma variable. Each is rejected with a probability below 5
/// % (Marsaglia and Tsang 2000, table 1), so that fewer than one variable in 10⁷ is replaced by the middle of the
/// distribution.
const GAMMA_ATTEMPTS: usize = 6;
/// Number of random words per gamma variable: three for each attempt, and one for a shape parameter α below 1.
pub(super) const WORDS_PER_GAMMA: usize = 3 * GAMMA_ATTEMPTS + 1;

/// Number of moves of the random walk that draws a doubly stochastic matrix of `symbols` rows: one move for 2 rows,
/// where it is exact, otherwise `2·symbols³`.
///
/// # Why
/// From equal entries, the distance of the entries' second and fourth moments to their limits shrank by a
/// factor e in about 4.6, 11, 21, 35, 50 and 69 moves for 3 to 8 rows (60 000 walks each), which the third power over
/// 7 follows. After symbols³ moves it was below 0.3 %, the resolution of the measurement; at the same
/// rates it is below 10⁻⁵ after twice as many.
pub fn hit_and_run_move_count(symbols: usize) -> usize {
    if symbols == 2 { 1 } else { 2 * symbols.pow(3) }
}

/// The upper 32 bits of the 64-bit product of `word` and `bound`, computed from 16-bit halves as a shader must.
/// With a random `word` the result is uniform below `bound`, up to a bias below `bound / 2³²`.
pub fn multiply_high(word: u32, bound: u32) -> u32 {
    let ((a, b), (c, d)) = ((word >> 16, word & 0xffff), (bound >> 16, bound & 0xffff));
    let (upper, lower) = (a * d, b * c);
    let middle = ((b * d) >> 16) + (upper & 0xffff) + (lower & 0xffff);
    a * c + (upper >> 16) + (lower >> 16) + (middle >> 16)
}

impl ChainDistribution {
    /// Number of random words that one chain takes, including unused ones.
    ///
    /// | distribution | words, in order |
    /// |---|---|
    /// | Dirichlet, α = 1 | `symbols − 1` per context |
    /// | Dirichlet, other α | 19 per entry: six times two for a normal and one to accept it, and one for α < 1 |
    /// | Independent | `symbols − 1` |
    /// | DoublyStochastic | two per move: the index of the minor, and the shift |
    /// | Mixture | one that selects, and the larger number of the two |
    /// | NoLowerOrder | those of DoublyStochastic for each value of the middle symbols |
    /// | LowerOrderMixture | one that selects, and the larger number of NoLowerOrder and Dirichlet of order n − 1 |
    pub fn words_per_chain(self, symbols: usize, order: usize) -> usize {
        match self {
            ChainDistribution::Dirichlet(1.0) => context_count(symbols, order) * (symbols - 1),
            ChainDistribution::Dirichlet(_) => context_count(symbols, order) * symbols * WORDS_PER_GAMMA,
            ChainDistribution::Independent => symbols - 1,
            ChainDistribution::DoublyStochastic => 2 * hit_and_run_move_count(symbols),
            ChainDistribution::Mixture(_) => 1 + (symbols - 1).max(2 * hit_and_run_move_count(symbols)),
            ChainDistribution::NoLowerOrder => {
                context_count(symbols, order - 1) * 2 * hit_and_run_move_count(symbols)
            }
            ChainDistribution::LowerOrderMixture(_, alpha) => {
                let no_lower = ChainDistribution::NoLowerOrder.words_per_chain(symbols, order);
                1 + no_lower.max(ChainDistribution::Dirichlet(alpha).words_per_chain(symbols, order - 1))
            }
        }
    }

    /// Draws a chain from [`ChainDistribution::words_per_chain`] random words.
    pub fn draw_chain(self, symbols: usize, order: usize, words: &[u32]) -> Chain {
        let mut rows = vec![0; context_count(symbols, order) * symbols];
        self.draw_rows(symbols, words, &mut rows);
        Chain { symbols, order, rows }
    }

    /// Draws the transition probabilities of a chain on `symbols` symbols into `rows`, `[contexts, symbols]` in
    /// units of 2⁻²⁴, from the random words of [`ChainDistribution::words_per_chain`].
    pub fn draw_rows(self, symbols: usize, words: &[u32], rows: &mut [u32]) {
        match self {
            ChainDistribution::Dirichlet(1.0) => {
                let words = words.chunks(symbols - 1);
                rows.chunks_mut(symbols).zip(words).for_each(|(row, words)| draw_uniform_row(words, row));
            }
            ChainDistribution::Dirichlet(alpha) => {
                let words = words.chunks(symbols * WORDS_PER_GAMMA);
                rows.chunks_mut(symbols)
                    .zip(words)
                    .for_each(|(row, words)| draw_symmetric_dirichlet_row(alpha, words, row));
            }
            ChainDistribution::Independent => {
                let (first, others) = rows.split_at_mut(symbols);
                draw_uniform_row(&words[..symbols - 1], first);
                others.chunks_mut(symbols).for_each(|row| row.copy_from_slice(first));
            }
            ChainDistribution::DoublyStochastic => {
                let (first, others) = rows.split_at_mut(symbols * symbols);
                draw_doubly_stochastic(symbols, &words[..2 * hit_and_run_move_count(symbols)], first);
                others.chunks_mut(symbols * symbols).for_each(|rows| rows.copy_from_slice(first));
            }
            ChainDistribution::Mixture(share) => {
                let distribution = if selects_first(share, words[0]) {
                    ChainDistribution::DoublyStochastic
                } else {
                    ChainDistribution::Independent
                };
                distribution.draw_rows(symbols, &words[1..], rows);
            }
            ChainDistribution::NoLowerOrder => draw_without_lower_order(symbols, words, rows),
            ChainDistribution::LowerOrderMixture(weight, _) if selects_first(weight, words[0]) => {
                draw_without_lower_order(symbols, &words[1..], rows);
            }
            ChainDistribution::LowerOrderMixture(_, alpha) => {
                // The rows of all contexts that differ only in their first symbol are equal.
                let (first, others) = rows.split_at_mut(rows.len() / symbols);
                let length = first.len();
                ChainDistribution::Dirichlet(alpha).draw_rows(symbols, &words[1..], first);
                others.chunks_mut(length).for_each(|rows| rows.copy_from_slice(first));
            }
        }
    }
}

/// Whether the random word `word` selects the first of two distributions, which has the probability `weight`.
fn selects_first(weight: f64, word: u32) -> bool {
    word >> 8 < libm::round(weight * f64::from(Chain::ONE)) as u32
}

/// Draws a row of probabilities, uniform over the simplex, into `row`, in units of 2⁻²⁴: the gaps between sorted
/// 24-bit numbers from 0 to one. The last gap is never 0, so that the last symbol follows every context and the
/// stationary distribution is unique.
fn draw_uniform_row(words: &[u32], row: &mut [u32]) {
    for (i, word) in words.iter().enumerate() {
        let (draw, mut at) = (word >> 8, i);
        while at > 0 && row[at - 1] > draw {
            row[at] = row[at - 1];
            at -= 1;
        }
        row[at] = draw;
    }
    row[words.len()] = Chain::ONE;
    for i in (1..row.len()).rev() {
        row[i] -= row[i - 1];
    }
}

/// Draws a row of transition probabilities into `row`, in units of 2⁻²⁴, from the symmetric Dirichlet distribution
/// with parameter `alpha`, as gamma variables divided by their sum. Every entry has at least one unit; otherwise a
/// small α would round entries to 0, and the chain could have several stationary distributions.
fn draw_symmetric_dirichlet_row(alpha: f64, words: &[u32], row: &mut [u32]) {
    draw_dirichlet_row(&[alpha; super::MAX_SYMBOLS][..row.len()], words, row);
}

/// Draws a row from the Dirichlet distribution with the parameters `alphas`, one for each entry of `row`, as
/// [`draw_symmetric_dirichlet_row`] does; each entry takes [`WORDS_PER_GAMMA`] of `words`.
pub(super) fn draw_dirichlet_row(alphas: &[f64], words: &[u32], row: &mut [u32]) {
    let mut shares = [0.0; super::MAX_SYMBOLS];
    let shares = &mut shares[..row.len()];
    let draws = shares.iter_mut().zip(alphas).zip(words.chunks(WORDS_PER_GAMMA));
    draws.for_each(|((share, alpha), words)| *share = draw_gamma(*alpha, words));
    round_to_units(shares, Chain::ONE - row.len() as u32, row);
    row.iter_mut().for_each(|units| *units += 1);
}

/// Draws a gamma variable with shape parameter α and scale 1 from [`WORDS_PER_GAMMA`] random words (Marsaglia and
/// Tsang 2000): the cube of a shifted normal variable, with rejection. Below α = 1, their section 6: a power of a
/// uniform variable times a variable of parameter α + 1.
fn draw_gamma(alpha: f64, words: &[u32]) -> f64 {
    // Uniform in (0, 1].
    let unit = |word: u32| (f64::from(word) + 1.0) / 4_294_967_296.0;
    let shape = if alpha < 1.0 { alpha + 1.0 } else { alpha };
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / libm::sqrt(9.0 * d);
    let tries =
        words[..3 * GAMMA_ATTEMPTS].as_chunks::<3>().0.iter().filter_map(|[radius, angle, accept]| {
            let angle = 2.0 * std::f64::consts::PI * unit(*angle);
            let normal = libm::sqrt(-2.0 * libm::log(unit(*radius))) * libm::cos(angle);
            let root = 1.0 + c * normal;
            let v = root * root * root;
            let accepted =
                root > 0.0 && libm::log(unit(*accept)) < 0.5 * normal * normal + d * (1.0 - v + libm::log(v));
            accepted.then_some(d * v)
        });
    let drawn = { tries }.next().unwrap_or(d);
    if alpha < 1.0 { drawn * libm::pow(unit(words[3 * GAMMA_ATTEMPTS]), 1.0 / alpha) } else { drawn }
}

/// Draws a uniform doubly stochastic matrix into `rows`, `[symbols, symbols]` in units of 2⁻²⁴, by a random walk
/// (hit-and-run, Smith 1984) with one move for each two of `words`. Each move shifts the minor of two rows and two
/// columns by a uniform amount within the bounds of its entries, which preserves the uniform distribution.
fn draw_doubly_stochastic(symbols: usize, words: &[u32], rows: &mut [u32]) {
    let (k, one) = (symbols, Chain::ONE);
    // Starts from equal entries; the remainder of the division goes to diagonals.
    let (each, over) = (one / k as u32, one as usize % k);
    for (at, units) in rows.iter_mut().enumerate() {
        *units = each + u32::from((at % k + k - at / k) % k < over);
    }
    let pairs = (k * (k - 1) / 2) as u32;
    for [which, shift] in words.as_chunks::<2>().0 {
        let minor = multiply_high(*which, pairs * pairs);
        let ((i, j), (a, b)) = (unrank_pair(k, minor / pairs), unrank_pair(k, minor % pairs));
        let [ia, ib, ja, jb] = [i * k + a, i * k + b, j * k + a, j * k + b];
        let (down, up) = (rows[ia].min(rows[jb]), rows[ib].min(rows[ja]));
        // Uniform from −down to up.
        let shift = multiply_high(*shift, down + up + 1);
        rows[ia] = rows[ia] - down + shift;
        rows[jb] = rows[jb] - down + shift;
        rows[ib] = rows[ib] + down - shift;
        rows[ja] = rows[ja] + down - shift;
    }
}

/// Draws a chain without signal of lower order into `rows`, `[symbols, middles, symbols]` in units of 2⁻²⁴: for each
/// middle, a doubly stochastic matrix from the first symbol of a context to the next symbol.
fn draw_without_lower_order(symbols: usize, words: &[u32], rows: &mut [u32]) {
    let middles = rows.len() / (symbols * symbols);
    let mut matrix = [0; super::MAX_SYMBOLS * super::MAX_SYMBOLS];
    let matrix = &mut matrix[..symbols * symbols];
    for (middle, words) in words.chunks(2 * hit_and_run_move_count(symbols)).take(middles).enumerate() {
        draw_doubly_stochastic(symbols, words, matrix);
        for (first, row) in matrix.chunks(symbols).enumerate() {
            rows[(first * middles + middle) * symbols..][..symbols].copy_from_slice(row);
        }
    }
}

/// The pair (i, j) with index `which`, from 0, among the pairs i < j of numbers from 0 to `k` − 1, in lexicographic
/// order.
fn unrank_pair(k: usize, which: u32) -> (usize, usize) {
    let (mut first, mut rest) = (0, which as usize);
    while rest >= k - 1 - first {
        rest -= k - 1 - first;
        first += 1;
    }
    (first, first + 1 + rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::rng::{Purpose, RandomStream};

    fn chains(distribution: ChainDistribution, symbols: usize, order: usize, count: u64) -> Vec<Chain> {
        let (stream, mut words) =
            (RandomStream::new(2, Purpose::Chain, 0), vec![0; distribution.words_per_chain(symbols, order)]);
        let draw = |step| {
            stream.fill_u32(step, 0, &mut words);
            distribution.draw_chain(symbols, order, &words)
        };
        (0..count).map(draw).collect()
    }

    fn mean(values: impl Iterator<Item = f64>) -> f64 {
        let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
        sum / count
    }

    #[test]
    fn multiplication_by_halves_matches_64_bit_multiplication() {
        let stream = RandomStream::new(0, Purpose::Chain, 0);
        for i in 0..2000 {
            let (a, b) = (stream.draw_u32(0, i), stream.draw_u32(1, i) >> (i % 32));
            assert_eq!(u64::from(multiply_high(a, b)), (u64::from(a) * u64::from(b)) >> 32);
        }
        assert_eq!(multiply_high(u32::MAX, u32::MAX), u32::MAX - 1);
    }

    /// Another number of words would move the chains of all later examples of a stream.
    #[test]
    fn every_distribution_takes_the_words_of_the_table() {
        assert_eq!([2, 3, 4, 8].map(hit_and_run_move_count), [1, 54, 128, 1024]);
        for (symbols, order, expected) in [
            (2, 2, [2, 76, 1, 2, 3, 2, 3, 39]),
            (3, 2, [6, 171, 2, 108, 109, 108, 109, 109]),
            (4, 3, [48, 1216, 3, 256, 257, 1024, 1025, 1025]),
            (2, 3, [4, 152, 1, 2, 3, 4, 5, 77]),
            (8, 2, [56, 1216, 7, 2048, 2049, 2048, 2049, 2049]),
        ] {
            let distributions = [
                ChainDistribution::Dirichlet(1.0),
                ChainDistribution::Dirichlet(0.5),
                ChainDistribution::Independent,
                ChainDistribution::DoublyStochastic,
                ChainDistribution::Mixture(0.5),
                ChainDistribution::NoLowerOrder,
                ChainDistribution::LowerOrderMixture(0.5, 1.0),
                ChainDistribution::LowerOrderMixture(0.5, 0.5),
            ];
            assert_eq!(
                distributions.map(|distribution| distribution.words_per_chain(symbols, order)),
                expected,
                "{symbols} {order}"
            );
        }
    }

    #[test]
    fn chosen_words_give_the_expected_chains() {
        const QUARTER: u32 = Chain::ONE / 4;
        // Words of a quarter, a half and three quarters of their range.
        let [low, half, upper] = [1u32 << 30, 1 << 31, 3 << 30];
        let flat = ChainDistribution::Dirichlet(1.0).draw_chain(2, 2, &[low, upper]);
        assert_eq!(flat.rows, [QUARTER, 3 * QUARTER, 3 * QUARTER, QUARTER]);
        let independent = ChainDistribution::Independent.draw_chain(3, 2, &[half, low]);
        assert_eq!(independent.rows, [QUARTER, QUARTER, 2 * QUARTER].repeat(3));
        // One move, from one end of what the entries allow to the other.
        for (word, own) in [(0, 0), (upper, 3 * QUARTER), (u32::MAX, Chain::ONE)] {
            let other = Chain::ONE - own;
            assert_eq!(
                ChainDistribution::DoublyStochastic.draw_chain(2, 2, &[0, word]).rows,
                [own, other, other, own]
            );
        }
        // The share decides between the words on its two sides.
        let mixed =
            |decides: u32| ChainDistribution::Mixture(0.5).draw_chain(2, 2, &[decides, low, upper]).rows;
        assert_eq!(mixed(half - 1), [3 * QUARTER, QUARTER, QUARTER, 3 * QUARTER]);
        assert_eq!(mixed(half), [QUARTER, 3 * QUARTER, QUARTER, 3 * QUARTER]);
    }

    #[test]
    fn pairs_are_in_lexicographic_order() {
        assert_eq!(unrank_pair(2, 0), (0, 1));
        let pairs: Vec<_> = (0..6).map(|which| unrank_pair(4, which)).collect();
        assert_eq!(pairs, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
    }

    #[test]
    fn the_random_walk_starts_with_the_remainder_on_diagonals() {
        let mut rows = [0; 9];
        draw_doubly_stochastic(3, &[], &mut rows);
        let (each, more) = (5_592_405u32, 5_592_406);
        assert_eq!(rows, [more, each, each, each, more, each, each, each, more]);
        let mut rows = [0; 36];
        draw_doubly_stochastic(6, &[], &mut rows);
        let (each, more) = (2_796_202u32, 2_796_203);
        let expected = [
            [more, more, more, more, each, each],
            [each, more, more, more, more, each],
            [each, each, more, more, more, more],
            [more, each, each, more, more, more],
            [more, more, each, each, more, more],
            [more, more, more, each, each, more],
        ];
        assert_eq!(rows, expected.as_flattened());
    }

    /// The walk in plain numbers: pairs from a table, products of long words, and signed shifts.
    #[test]
    fn a_doubly_stochastic_chain_matches_a_plain_random_walk() {
        const PAIRS: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];
        // Multiples of the golden ratio, which come to all nine minors within 54 moves.
        let words: Vec<u32> = (1..=108u32).map(|i| i.wrapping_mul(2_654_435_769)).collect();
        let share = |word: u32, of: i64| (i64::from(word) * of) >> 32;
        let mut matrix = [[5_592_405i64; 3]; 3];
        (0..3).for_each(|at| matrix[at][at] += 1);
        for move_words in words.chunks(2) {
            let minor = share(move_words[0], 9) as usize;
            let ((i, j), (a, b)) = (PAIRS[minor / 3], PAIRS[minor % 3]);
            let down = matrix[i][a].min(matrix[j][b]);
            let up = matrix[i][b].min(matrix[j][a]);
            let shift = share(move_words[1], down + up + 1) - down;
            matrix[i][a] += shift;
            matrix[j][b] += shift;
            matrix[i][b] -= shift;
            matrix[j][a] -= shift;
        }
        let expected = [
            [4_672_469, 5_025_920, 7_078_827],
            [1_576_897, 8_699_123, 6_501_196],
            [10_527_850, 3_052_173, 3_197_193],
        ];
        assert_eq!(matrix, expected);
        let once: Vec<u32> = matrix.as_flattened().iter().map(|units| *units as u32).collect();
        assert_eq!(ChainDistribution::DoublyStochastic.draw_chain(3, 2, &words).rows, once);
        // In longer contexts the last symbol decides.
        assert_eq!(ChainDistribution::DoublyStochastic.draw_chain(3, 3, &words).rows, once.repeat(3));
    }

    /// Where all uniform variables are powers of two, normals and powers have closed forms.
    #[test]
    fn a_gamma_variable_uses_the_first_accepted_normal() {
        // The word whose uniform variable is one, halved so many times.
        let word = |halvings: u32| ((1u64 << (32 - halvings)) - 1) as u32;
        // A normal of zero is accepted below one, and this is one.
        let refused = [0, 0, 0];
        let ln_2 = std::f64::consts::LN_2;
        // The largest radius √(64 ln 2) at an eighth of the circle, and √(2 ln 2) at the whole or half of it.
        let (large, small) = ((32.0 * ln_2).sqrt(), (2.0 * ln_2).sqrt());
        for (alpha, tries, normal) in [
            // The large normal is accepted below 0.318 at α = 2.5, and below 0.1223 at 0.3.
            (2.5, &[[32, 3, 2]][..], large),
            (2.5, &[[32, 3, 1], [1, 0, 1]], small),
            (0.3, &[[32, 3, 4]], large),
            (0.3, &[[32, 3, 3], [1, 0, 1]], small),
            // The root of the first is below zero.
            (2.5, &[[32, 1, 32], [1, 1, 1]], -small),
            // The last of six tries, and none.
            (2.5, &[refused, refused, refused, refused, refused, [1, 0, 1]], small),
            (2.5, &[], 0.0),
        ] {
            let mut words = [word(0); WORDS_PER_GAMMA];
            words.iter_mut().zip(tries.as_flattened()).for_each(|(to, halvings)| *to = word(*halvings));
            words[18] = word(3);
            // Shape α + 1 and the factor (1/8)^(1/α) below one.
            let (shape, factor): (f64, f64) = if alpha < 1.0 { (1.3, 1.0 / 1024.0) } else { (2.5, 1.0) };
            let d = shape - 1.0 / 3.0;
            let expected = factor * d * (1.0 + normal / (9.0 * d).sqrt()).powi(3);
            let found = draw_gamma(alpha, &words);
            assert!((found / expected - 1.0).abs() < 1e-12, "{alpha} {tries:?}: {found} {expected}");
        }
    }

    #[test]
    fn rows_sum_to_one_and_columns_of_doubly_stochastic_chains_too() {
        let distributions = [
            ChainDistribution::Dirichlet(1.0),
            ChainDistribution::Dirichlet(0.05),
            ChainDistribution::Dirichlet(20.0),
            ChainDistribution::Independent,
            ChainDistribution::DoublyStochastic,
            ChainDistribution::Mixture(0.5),
        ];
        for (distribution, symbols) in
            distributions.into_iter().flat_map(|distribution| (2..=8).map(move |k| (distribution, k)))
        {
            for chain in chains(distribution, symbols, 2, 200) {
                assert!(chain.rows.chunks(symbols).all(|row| row.iter().sum::<u32>() == Chain::ONE));
                let columns = (0..symbols)
                    .all(|s| (0..symbols).map(|c| chain.rows[c * symbols + s]).sum::<u32>() == Chain::ONE);
                let equal = chain.rows.chunks(symbols).all(|row| row == &chain.rows[..symbols]);
                match distribution {
                    ChainDistribution::DoublyStochastic => assert!(columns),
                    ChainDistribution::Independent => assert!(equal && !columns),
                    ChainDistribution::Mixture(_) => assert!(columns != equal),
                    ChainDistribution::NoLowerOrder | ChainDistribution::LowerOrderMixture(..) => {}
                    // With a small α rows are often all in one symbol.
                    ChainDistribution::Dirichlet(alpha) => assert!(alpha < 1.0 || !columns && !equal),
                }
                let probabilities: Vec<f64> =
                    (0..symbols).flat_map(|c| chain.next_symbol_distribution(c)).collect();
                assert!(Chain::new(symbols, 2, &probabilities).is_ok(), "{distribution:?} {symbols}");
            }
        }
        assert_eq!(chains(ChainDistribution::Dirichlet(1.0), 4, 4, 1)[0].rows.len(), 256);
    }

    /// Means of p², of p⁴ and of pq in a row against those of the law; the marginal is Beta(α, (k − 1)α).
    #[test]
    fn dirichlet_rows_have_the_moments_of_their_distribution() {
        for (alpha, symbols) in
            [(1.0, 2), (1.0, 3), (1.0, 8), (0.3, 3), (0.05, 2), (1.5, 4), (20.0, 2), (2.0, 8)]
        {
            let chains = chains(ChainDistribution::Dirichlet(alpha), symbols, 2, 40_000);
            let total = alpha * symbols as f64;
            let moment =
                |n: i32| (0..n).map(|i| (alpha + f64::from(i)) / (total + f64::from(i))).product::<f64>();
            for column in [0, symbols - 1] {
                for n in [1, 2, 4] {
                    let found =
                        mean(chains.iter().map(|chain| chain.probability(symbols - 1, column).powi(n)));
                    let error = ((moment(2 * n) - moment(n).powi(2)) / 40_000.0).sqrt();
                    assert!(
                        (found - moment(n)).abs() < 4.5 * error + 1e-6,
                        "{alpha} {symbols}: {found} {}",
                        moment(n)
                    );
                }
            }
            let product = mean(chains.iter().map(|chain| chain.probability(0, 0) * chain.probability(0, 1)));
            let expected = alpha * alpha / (total * (total + 1.0));
            assert!(
                (product - expected).abs() < 0.04 * expected + 1e-4,
                "{alpha} {symbols}: {product} {expected}"
            );
        }
    }

    #[test]
    fn a_mixture_draws_both_families_with_their_weights() {
        for share in [0.0, 0.25, 1.0] {
            let chains = chains(ChainDistribution::Mixture(share), 3, 2, 4000);
            let doubly = mean(chains.iter().map(|chain| f64::from(chain.rows[..3] != chain.rows[3..6])));
            assert!((doubly - share).abs() < 0.03, "{share}: {doubly}");
        }
    }

    /// With the exact sums of integers, the uniform distribution over contexts is stationary.
    #[test]
    fn without_lower_order_contexts_are_uniform_and_shorter_contexts_do_not_help() {
        for (k, order) in [(2, 3), (3, 3), (5, 3), (8, 3), (2, 4), (4, 4)] {
            let (contexts, middles) = (context_count(k, order), context_count(k, order - 1));
            for chain in chains(ChainDistribution::NoLowerOrder, k, order, 12) {
                assert!(chain.rows.chunks(k).all(|row| row.iter().sum::<u32>() == Chain::ONE));
                let stationary = chain.stationary_distribution();
                let uniform = 1.0 / contexts as f64;
                assert!(stationary.iter().all(|share| (share - uniform).abs() < 1e-6), "{k} {order}");
                // Every shorter end of a context, down to none.
                for ends in (1..order).map(|shorter| context_count(k, shorter)) {
                    for (end, next) in (0..ends).flat_map(|end| (0..k).map(move |next| (end, next))) {
                        let of_end = (end..contexts).step_by(ends);
                        let joint: f64 =
                            of_end.clone().map(|c| stationary[c] * chain.probability(c, next)).sum();
                        let given = joint / of_end.map(|c| stationary[c]).sum::<f64>();
                        assert!((given - 1.0 / k as f64).abs() < 1e-6, "{k} {order} {end}: {given}");
                    }
                }
                let matrix = |middle: usize| -> Vec<u32> {
                    (0..k).flat_map(|x| chain.rows[(x * middles + middle) * k..][..k].to_vec()).collect()
                };
                let column = |matrix: &[u32], z: usize| matrix.iter().skip(z).step_by(k).sum::<u32>();
                let matrices: Vec<Vec<u32>> = (0..middles).map(matrix).collect();
                assert!(matrices.iter().all(|matrix| (0..k).all(|z| column(matrix, z) == Chain::ONE)));
                assert!((1..middles).all(|middle| matrices[middle] != matrices[0]), "{k} {order}");
                let probabilities: Vec<f64> =
                    (0..contexts).flat_map(|c| chain.next_symbol_distribution(c)).collect();
                assert!(Chain::new(k, order, &probabilities).is_ok());
            }
        }
    }

    #[test]
    fn each_middle_has_the_doubly_stochastic_matrix_of_its_words() {
        let stream = RandomStream::new(3, Purpose::Chain, 0);
        let drawn = |distribution: ChainDistribution, order: usize, words: &[u32]| {
            distribution.draw_chain(3, order, words).rows
        };
        for case in 0..20 {
            let mut words = [0; 1 + 3 * 108];
            stream.fill_u32(case, 0, &mut words);
            let rows = drawn(ChainDistribution::NoLowerOrder, 3, &words[1..]);
            for (middle, words) in words[1..].chunks(108).enumerate() {
                let matrix = drawn(ChainDistribution::DoublyStochastic, 2, words);
                for first in 0..3 {
                    assert_eq!(rows[(first * 3 + middle) * 3..][..3], matrix[first * 3..][..3]);
                }
            }
            let bigrams = drawn(ChainDistribution::Dirichlet(1.0), 2, &words[1..]).repeat(3);
            for (weight, expected) in [(1.0, &rows), (0.0, &bigrams)] {
                let mixed = drawn(ChainDistribution::LowerOrderMixture(weight, 1.0), 3, &words);
                assert_eq!(mixed, *expected, "{case} {weight}");
            }
            // For order 2 the families are the doubly stochastic chains and their mixture with independent symbols.
            assert_eq!(
                drawn(ChainDistribution::NoLowerOrder, 2, &words),
                drawn(ChainDistribution::DoublyStochastic, 2, &words)
            );
            assert_eq!(
                drawn(ChainDistribution::LowerOrderMixture(0.5, 1.0), 2, &words),
                drawn(ChainDistribution::Mixture(0.5), 2, &words)
            );
        }
        let small = chains(ChainDistribution::LowerOrderMixture(0.0, 0.05), 3, 4, 20);
        assert!(small.iter().all(|chain| chain.rows.chunks(81).all(|rows| *rows == chain.rows[..81])));
        assert!(
            small.iter().all(|chain| chain.rows.chunks(3).all(|row| row.iter().sum::<u32>() == Chain::ONE))
        );
        for weight in [0.25, 0.75] {
            let chains = chains(ChainDistribution::LowerOrderMixture(weight, 1.0), 2, 3, 4000);
            let full = mean(chains.iter().map(|chain| f64::from(chain.rows[..4] != chain.rows[4..])));
            assert!((full - weight).abs() < 0.03, "{weight}: {full}");
        }
    }

    /// Against the matrices that rejection leaves: a uniform block of two by two, if the rest is not negative.
    #[test]
    fn doubly_stochastic_matrices_are_uniform() {
        let stream = RandomStream::new(8, Purpose::Noise, 0);
        let mut accepted: Vec<[f64; 9]> = vec![];
        for step in 0.. {
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| f64::from(stream.draw_uniform(step, i)));
            let matrix =
                [a, b, 1.0 - a - b, c, d, 1.0 - c - d, 1.0 - a - c, 1.0 - b - d, a + b + c + d - 1.0];
            if matrix.iter().all(|p| *p > 0.0) {
                accepted.push(matrix);
            }
            if accepted.len() == 40_000 {
                break;
            }
        }
        let walked: Vec<[f64; 9]> = chains(ChainDistribution::DoublyStochastic, 3, 2, 40_000)
            .iter()
            .map(|chain| std::array::from_fn(|at| chain.probability(at / 3, at % 3)))
            .collect();
        // Means, variances, products in a row and across, a fourth moment and shares of small entries.
        let readings: [fn(&[f64; 9]) -> f64; 7] = [
            |m| m[0],
            |m| m[8],
            |m| m[4] * m[4],
            |m| m[0] * m[1],
            |m| m[0] * m[4],
            |m| m[2].powi(4),
            |m| f64::from(m.iter().any(|p| *p < 0.01)),
        ];
        for (which, reading) in readings.into_iter().enumerate() {
            let moments = |all: &[[f64; 9]]| {
                let first = mean(all.iter().map(reading));
                (first, mean(all.iter().map(|m| (reading(m) - first).powi(2))))
            };
            let ((a, va), (b, vb)) = (moments(&accepted), moments(&walked));
            let z = (a - b) / ((va + vb) / 40_000.0).sqrt();
            assert!(z.abs() < 4.0, "{which}: {a} {b}");
        }
        // With two symbols it is one uniform number.
        let two = chains(ChainDistribution::DoublyStochastic, 2, 2, 40_000);
        for n in 1..5 {
            let found = mean(two.iter().map(|chain| chain.probability(0, 0).powi(n)));
            assert!((found - 1.0 / f64::from(n + 1)).abs() < 0.008, "{n}: {found}");
        }
    }
}
