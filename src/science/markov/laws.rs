//! Laws of transition matrices, each drawn from a fixed number of random words.
//!
//! With α = 1, and for independent and doubly stochastic rows, a chain is whole numbers and nothing else: `u32` additions,
//! comparisons and the upper half of a product, which [`high`] makes of 16-bit halves. So a shader, which has no
//! 64-bit integers, draws the same chain.

use super::chain::{Chain, contexts, round};

/// A law of chains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// Rows drawn independently, each from the Dirichlet law with this parameter for every symbol; 1 is uniform.
    Dirichlet(f64),
    /// All rows equal to one uniform draw, so that symbols are independent.
    Independent,
    /// Uniform among matrices whose rows and columns sum to one. For contexts of more than one symbol the row is that
    /// of the last.
    Doubly,
    /// Doubly stochastic with this probability, else with independent symbols.
    Mixture(f64),
}

/// Tries to draw one gamma variable; each is refused with a probability below 5 % (Marsaglia and Tsang 2000, table 1),
/// so that the middle of the law stands in for less than one of 10⁷.
const TRIES: usize = 6;
/// Words per gamma variable: three for each try and one for α below 1.
pub(super) const GAMMA: usize = 3 * TRIES + 1;

/// Moves of the walk to a doubly stochastic matrix of `symbols` rows: one for 2, where it is exact, else `2·symbols³`.
///
/// # Why
/// From equal entries, the distance of the entries' second and fourth moments to their limits was seen to shrink
/// by e in about 4.6, 11, 21, 35, 50 and 69 moves for 3 to 8 rows (60 000 walks each), which the third power over
/// 7 follows. After symbols³ moves it was below 0.3 %, which is as far as could be seen; the same rates leave less than
/// 10⁻⁵ after twice as many.
pub fn moves(symbols: usize) -> usize {
    if symbols == 2 { 1 } else { 2 * symbols.pow(3) }
}

/// The upper 32 bits of the product, from 16-bit halves, as a shader has to make it. With a random `word` it is uniform
/// below `bound`, up to a bias below `bound / 2³²`.
pub fn high(word: u32, bound: u32) -> u32 {
    let ((a, b), (c, d)) = ((word >> 16, word & 0xffff), (bound >> 16, bound & 0xffff));
    let (upper, lower) = (a * d, b * c);
    let middle = ((b * d) >> 16) + (upper & 0xffff) + (lower & 0xffff);
    a * c + (upper >> 16) + (lower >> 16) + (middle >> 16)
}

impl Law {
    /// Random words that one chain takes, used or not.
    ///
    /// | law | words, in their order |
    /// |---|---|
    /// | Dirichlet, α = 1 | `symbols − 1` per context |
    /// | Dirichlet, else | 19 per entry: six times two for a normal and one to accept it, and one for α < 1 |
    /// | Independent | `symbols − 1` |
    /// | Doubly | two per move: which minor, and by how much |
    /// | Mixture | one that decides, and the most that either takes |
    pub fn words(self, symbols: usize, order: usize) -> usize {
        match self {
            Law::Dirichlet(1.0) => contexts(symbols, order) * (symbols - 1),
            Law::Dirichlet(_) => contexts(symbols, order) * symbols * GAMMA,
            Law::Independent => symbols - 1,
            Law::Doubly => 2 * moves(symbols),
            Law::Mixture(_) => 1 + (symbols - 1).max(2 * moves(symbols)),
        }
    }

    /// The chain of these words, [`Law::words`] many.
    pub fn draw(self, symbols: usize, order: usize, words: &[u32]) -> Chain {
        let mut rows = vec![0; contexts(symbols, order) * symbols];
        self.rows(symbols, words, &mut rows);
        Chain { symbols, order, rows }
    }

    /// The rows of that chain, `[contexts, symbols]`.
    pub fn rows(self, symbols: usize, words: &[u32], rows: &mut [u32]) {
        match self {
            Law::Dirichlet(1.0) => {
                let words = words.chunks(symbols - 1);
                rows.chunks_mut(symbols).zip(words).for_each(|(row, words)| spacings(words, row));
            }
            Law::Dirichlet(alpha) => {
                let words = words.chunks(symbols * GAMMA);
                rows.chunks_mut(symbols).zip(words).for_each(|(row, words)| dirichlet(alpha, words, row));
            }
            Law::Independent => {
                let (first, others) = rows.split_at_mut(symbols);
                spacings(&words[..symbols - 1], first);
                others.chunks_mut(symbols).for_each(|row| row.copy_from_slice(first));
            }
            Law::Doubly => {
                let (first, others) = rows.split_at_mut(symbols * symbols);
                doubly(symbols, &words[..2 * moves(symbols)], first);
                others.chunks_mut(symbols * symbols).for_each(|rows| rows.copy_from_slice(first));
            }
            Law::Mixture(share) => {
                let bound = libm::round(share * f64::from(Chain::ONE)) as u32;
                let law = if words[0] >> 8 < bound { Law::Doubly } else { Law::Independent };
                law.rows(symbols, &words[1..], rows);
            }
        }
    }
}

/// A uniform point of the simplex: the gaps between 24-bit draws in rising order, from 0 to one. The last gap is never
/// nothing, so that the last symbol is reached from everywhere and the stationary law is unique.
fn spacings(words: &[u32], row: &mut [u32]) {
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

/// A row of the Dirichlet law: gamma variables by their sum. Every entry has at least one unit, since a small α makes
/// entries too small for any, and a chain of such rows might have several stationary laws.
fn dirichlet(alpha: f64, words: &[u32], row: &mut [u32]) {
    posterior_row(&[alpha; super::MOST_SYMBOLS][..row.len()], words, row);
}

/// The same with a parameter for each entry.
pub(super) fn posterior_row(alphas: &[f64], words: &[u32], row: &mut [u32]) {
    let mut shares = [0.0; super::MOST_SYMBOLS];
    let shares = &mut shares[..row.len()];
    let draws = shares.iter_mut().zip(alphas).zip(words.chunks(GAMMA));
    draws.for_each(|((share, alpha), words)| *share = gamma(*alpha, words));
    round(shares, Chain::ONE - row.len() as u32, row);
    row.iter_mut().for_each(|units| *units += 1);
}

/// A gamma variable by Marsaglia and Tsang (2000): the cube of a shifted normal, refused now and then; below 1 their
/// section 6, by a power of a uniform variable.
fn gamma(alpha: f64, words: &[u32]) -> f64 {
    // Above zero, up to one.
    let unit = |word: u32| (f64::from(word) + 1.0) / 4_294_967_296.0;
    let shape = if alpha < 1.0 { alpha + 1.0 } else { alpha };
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / libm::sqrt(9.0 * d);
    let tries = words[..3 * TRIES].as_chunks::<3>().0.iter().filter_map(|[radius, angle, accept]| {
        let angle = 2.0 * std::f64::consts::PI * unit(*angle);
        let normal = libm::sqrt(-2.0 * libm::log(unit(*radius))) * libm::cos(angle);
        let root = 1.0 + c * normal;
        let v = root * root * root;
        let accepted =
            root > 0.0 && libm::log(unit(*accept)) < 0.5 * normal * normal + d * (1.0 - v + libm::log(v));
        accepted.then_some(d * v)
    });
    let drawn = { tries }.next().unwrap_or(d);
    if alpha < 1.0 { drawn * libm::pow(unit(words[3 * TRIES]), 1.0 / alpha) } else { drawn }
}

/// A uniform doubly stochastic matrix, by a walk within them (hit and run: Smith 1984): shift a minor of two rows and two
/// columns by a uniform amount, as far as its entries allow. Each move leaves the uniform law as it is.
fn doubly(symbols: usize, words: &[u32], rows: &mut [u32]) {
    let (k, one) = (symbols, Chain::ONE);
    // As equal as whole numbers can be: what division leaves over goes to as many diagonals.
    let (each, over) = (one / k as u32, one as usize % k);
    for (at, units) in rows.iter_mut().enumerate() {
        *units = each + u32::from((at % k + k - at / k) % k < over);
    }
    let pairs = (k * (k - 1) / 2) as u32;
    for [which, shift] in words.as_chunks::<2>().0 {
        let minor = high(*which, pairs * pairs);
        let ((i, j), (a, b)) = (pair(k, minor / pairs), pair(k, minor % pairs));
        let [ia, ib, ja, jb] = [i * k + a, i * k + b, j * k + a, j * k + b];
        let (down, up) = (rows[ia].min(rows[jb]), rows[ib].min(rows[ja]));
        // From −down to up.
        let shift = high(*shift, down + up + 1);
        rows[ia] = rows[ia] - down + shift;
        rows[jb] = rows[jb] - down + shift;
        rows[ib] = rows[ib] + down - shift;
        rows[ja] = rows[ja] + down - shift;
    }
}

/// Pair number `which` of different numbers below `k`: 01, 02, …, 12, ….
fn pair(k: usize, which: u32) -> (usize, usize) {
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
    use vivarium_core::rng::{Purpose, Stream};

    fn chains(law: Law, symbols: usize, order: usize, count: u64) -> Vec<Chain> {
        let (stream, mut words) = (Stream::new(2, Purpose::Chain, 0), vec![0; law.words(symbols, order)]);
        let draw = |step| {
            stream.words(step, 0, &mut words);
            law.draw(symbols, order, &words)
        };
        (0..count).map(draw).collect()
    }

    fn mean(values: impl Iterator<Item = f64>) -> f64 {
        let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
        sum / count
    }

    #[test]
    fn halves_multiply_like_long_words() {
        let stream = Stream::new(0, Purpose::Chain, 0);
        for i in 0..2000 {
            let (a, b) = (stream.word(0, i), stream.word(1, i) >> (i % 32));
            assert_eq!(u64::from(high(a, b)), (u64::from(a) * u64::from(b)) >> 32);
        }
        assert_eq!(high(u32::MAX, u32::MAX), u32::MAX - 1);
    }

    /// Another number of words would move the chains of all later examples of a stream.
    #[test]
    fn every_law_takes_the_words_of_its_table() {
        assert_eq!([2, 3, 4, 8].map(moves), [1, 54, 128, 1024]);
        for (symbols, order, expected) in [
            (2, 2, [2, 76, 1, 2, 3]),
            (3, 2, [6, 171, 2, 108, 109]),
            (4, 3, [48, 1216, 3, 256, 257]),
            (8, 2, [56, 1216, 7, 2048, 2049]),
        ] {
            let laws =
                [Law::Dirichlet(1.0), Law::Dirichlet(0.5), Law::Independent, Law::Doubly, Law::Mixture(0.5)];
            assert_eq!(laws.map(|law| law.words(symbols, order)), expected, "{symbols} {order}");
        }
    }

    #[test]
    fn chains_of_chosen_words_are_known() {
        const QUARTER: u32 = Chain::ONE / 4;
        // Words of a quarter, a half and three quarters of their range.
        let [low, half, upper] = [1u32 << 30, 1 << 31, 3 << 30];
        let flat = Law::Dirichlet(1.0).draw(2, 2, &[low, upper]);
        assert_eq!(flat.rows, [QUARTER, 3 * QUARTER, 3 * QUARTER, QUARTER]);
        let independent = Law::Independent.draw(3, 2, &[half, low]);
        assert_eq!(independent.rows, [QUARTER, QUARTER, 2 * QUARTER].repeat(3));
        // One move, from one end of what the entries allow to the other.
        for (word, own) in [(0, 0), (upper, 3 * QUARTER), (u32::MAX, Chain::ONE)] {
            let other = Chain::ONE - own;
            assert_eq!(Law::Doubly.draw(2, 2, &[0, word]).rows, [own, other, other, own]);
        }
        // The share decides between the words on its two sides.
        let mixed = |decides: u32| Law::Mixture(0.5).draw(2, 2, &[decides, low, upper]).rows;
        assert_eq!(mixed(half - 1), [3 * QUARTER, QUARTER, QUARTER, 3 * QUARTER]);
        assert_eq!(mixed(half), [QUARTER, 3 * QUARTER, QUARTER, 3 * QUARTER]);
    }

    #[test]
    fn pairs_are_counted_in_order() {
        assert_eq!(pair(2, 0), (0, 1));
        let pairs: Vec<_> = (0..6).map(|which| pair(4, which)).collect();
        assert_eq!(pairs, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
    }

    #[test]
    fn a_walk_begins_with_what_is_left_over_on_diagonals() {
        let mut rows = [0; 9];
        doubly(3, &[], &mut rows);
        let (each, more) = (5_592_405u32, 5_592_406);
        assert_eq!(rows, [more, each, each, each, more, each, each, each, more]);
        let mut rows = [0; 36];
        doubly(6, &[], &mut rows);
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
    fn a_doubly_stochastic_chain_is_the_walk_of_its_words() {
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
        assert_eq!(Law::Doubly.draw(3, 2, &words).rows, once);
        // In longer contexts the last symbol decides.
        assert_eq!(Law::Doubly.draw(3, 3, &words).rows, once.repeat(3));
    }

    /// Where all uniform variables are powers of two, normals and powers have closed forms.
    #[test]
    fn a_gamma_variable_is_that_of_the_first_accepted_normal() {
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
            let mut words = [word(0); GAMMA];
            words.iter_mut().zip(tries.as_flattened()).for_each(|(to, halvings)| *to = word(*halvings));
            words[18] = word(3);
            // Shape α + 1 and the factor (1/8)^(1/α) below one.
            let (shape, factor): (f64, f64) = if alpha < 1.0 { (1.3, 1.0 / 1024.0) } else { (2.5, 1.0) };
            let d = shape - 1.0 / 3.0;
            let expected = factor * d * (1.0 + normal / (9.0 * d).sqrt()).powi(3);
            let found = gamma(alpha, &words);
            assert!((found / expected - 1.0).abs() < 1e-12, "{alpha} {tries:?}: {found} {expected}");
        }
    }

    #[test]
    fn rows_sum_to_one_and_columns_too_where_they_should() {
        let laws = [
            Law::Dirichlet(1.0),
            Law::Dirichlet(0.05),
            Law::Dirichlet(20.0),
            Law::Independent,
            Law::Doubly,
            Law::Mixture(0.5),
        ];
        for (law, symbols) in laws.into_iter().flat_map(|law| (2..=8).map(move |k| (law, k))) {
            for chain in chains(law, symbols, 2, 200) {
                assert!(chain.rows.chunks(symbols).all(|row| row.iter().sum::<u32>() == Chain::ONE));
                let columns = (0..symbols)
                    .all(|s| (0..symbols).map(|c| chain.rows[c * symbols + s]).sum::<u32>() == Chain::ONE);
                let equal = chain.rows.chunks(symbols).all(|row| row == &chain.rows[..symbols]);
                match law {
                    Law::Doubly => assert!(columns),
                    Law::Independent => assert!(equal && !columns),
                    Law::Mixture(_) => assert!(columns != equal),
                    // With a small α rows are often all in one symbol.
                    Law::Dirichlet(alpha) => assert!(alpha < 1.0 || !columns && !equal),
                }
                let probabilities: Vec<f64> = (0..symbols).flat_map(|c| chain.law(c)).collect();
                assert!(Chain::new(symbols, 2, &probabilities).is_ok(), "{law:?} {symbols}");
            }
        }
        assert_eq!(chains(Law::Dirichlet(1.0), 4, 4, 1)[0].rows.len(), 256);
    }

    /// Means of p², of p⁴ and of pq in a row against those of the law; the marginal is Beta(α, (k − 1)α).
    #[test]
    fn dirichlet_rows_have_the_moments_of_their_law() {
        for (alpha, symbols) in
            [(1.0, 2), (1.0, 3), (1.0, 8), (0.3, 3), (0.05, 2), (1.5, 4), (20.0, 2), (2.0, 8)]
        {
            let chains = chains(Law::Dirichlet(alpha), symbols, 2, 40_000);
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
    fn a_mixture_has_its_share_of_each() {
        for share in [0.0, 0.25, 1.0] {
            let chains = chains(Law::Mixture(share), 3, 2, 4000);
            let doubly = mean(chains.iter().map(|chain| f64::from(chain.rows[..3] != chain.rows[3..6])));
            assert!((doubly - share).abs() < 0.03, "{share}: {doubly}");
        }
    }

    /// Against the matrices that rejection leaves: a uniform block of two by two, if the rest is not negative.
    #[test]
    fn doubly_stochastic_matrices_are_uniform() {
        let stream = Stream::new(8, Purpose::Noise, 0);
        let mut accepted: Vec<[f64; 9]> = vec![];
        for step in 0.. {
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| f64::from(stream.unit(step, i)));
            let matrix =
                [a, b, 1.0 - a - b, c, d, 1.0 - c - d, 1.0 - a - c, 1.0 - b - d, a + b + c + d - 1.0];
            if matrix.iter().all(|p| *p > 0.0) {
                accepted.push(matrix);
            }
            if accepted.len() == 40_000 {
                break;
            }
        }
        let walked: Vec<[f64; 9]> = chains(Law::Doubly, 3, 2, 40_000)
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
        let two = chains(Law::Doubly, 2, 2, 40_000);
        for n in 1..5 {
            let found = mean(two.iter().map(|chain| chain.probability(0, 0).powi(n)));
            assert!((found - 1.0 / f64::from(n + 1)).abs() < 0.008, "{n}: {found}");
        }
    }
}
