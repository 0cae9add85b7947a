//! How far H heads can come, exactly, for standard normal tokens.
//!
//! Where scores depend on positions alone, the heads at a position tell H linear forms of the tokens, V x with V
//! `[H, N]`, the same in each of a token's d numbers, and whatever follows them knows nothing else. With W an orthonormal
//! basis of the rows of V and M the part of WᵀW that belongs to the named tokens, these have the conditional mean of
//! covariance M ⊗ I and
//!
//! ```text
//! least risk = Var(y) − Var E[y | V x] = Var(y) − C_g(M),   C_g from Teacher::covariance
//! ```
//!
//! For centred squares C_g(M) = 2 tr(M²)/q of Var(y) = 2, where M has H eigenvalues of at most 1 and they are 1 where the
//! heads look at named tokens alone. So the least relative risk is **1 − H/q exactly, for every d** (proposition 21 has
//! d = 1), whatever the H forms of the named tokens are. Scores that read the tokens' numbers too can tell more: then H(q + d)
//! linear forms of the qd numbers are known at most, and 1 − H(q + d)/(qd) is a bound (proposition 3).
//!
//! # One head and linear functions
//! The mean of the named tokens is one form, and one head tells it. Not so every linear g = ⟨u, ·⟩: shares of attention
//! are not negative, so that even for d = 1 one head tells the positive part of u or the negative one, and with d > 1
//! numbers u is a matrix `[q, d]` whose rank is what heads can tell.
//!
//! # Two heads and more
//! Rows p > 0, p + εδ_2, …, p + εδ_H of V are shares of attention for small ε, and span what p, δ_2, …, δ_H span. Where p
//! has zeros the same holds in the limit, and whatever shares span has a p ≥ 0 in it, their sum. So the infimum over
//! shares is the least risk of spans of **one form that is not negative and H − 1 forms of any sign**. [`best`] searches
//! these for any g.

use super::super::teacher::partitions;
use super::super::{Function, Prompts, Repeats, Teacher};
use vivarium_core::math::{dot, norm, orthogonalize};
use vivarium_core::rng::{Purpose, Stream};

/// The least relative risk of `heads` heads for centred squares of `names` different tokens, max(0, 1 − H/q), where scores
/// depend on positions alone (proposition 21).
pub fn floor(heads: usize, names: usize) -> f64 {
    (1.0 - heads as f64 / names as f64).max(0.0)
}

/// The bound of proposition 3 on the same with any scores: max(0, 1 − H(q + d)/(qd)).
///
/// For d = 1 it says nothing: H(q + 1) is larger than q with one head already. It is above 0 only for H < qd/(q + d).
pub fn floor_of_any_scores(heads: usize, names: usize, dim: usize) -> f64 {
    let numbers = (names * dim) as f64;
    (1.0 - (heads * (names + dim)) as f64 / numbers).max(0.0)
}

/// The least relative risk for centred squares where names may be the same: a token that is named m times adds m (‖x‖² − d),
/// of variance 2m²d, and H forms tell H of the tokens at most.
pub fn floor_of_squares(heads: usize, names: usize, positions: usize, repeated: bool) -> f64 {
    let (mut left, mut whole) = (0.0, 0.0);
    for (share, classes) in partitions(names, positions, repeated) {
        let count = |class: usize| classes.iter().filter(|c| **c == class).count();
        let mut counts: Vec<usize> = (0..names).map(count).collect();
        counts.sort_unstable();
        counts.reverse();
        let squares = |counts: &[usize]| counts.iter().map(|m| (m * m) as f64).sum::<f64>();
        left += share * squares(&counts[heads.min(names)..]);
        whole += share * squares(&counts);
    }
    left / whole
}

/// The least relative risk of `heads` heads on these prompts where scores depend on positions alone, if it is known: of a
/// function that is searched for, as [`best`] has it.
pub fn floor_of(prompts: &Prompts, seed: u64, heads: usize) -> Option<f64> {
    let (q, repeated) = (prompts.names, prompts.repeats == Repeats::Free);
    match prompts.function {
        _ if heads >= q => Some(0.0),
        Function::Squares => Some(floor_of_squares(heads, q, prompts.length, repeated)),
        Function::Mean if heads > 0 => Some(0.0),
        _ if repeated => None,
        _ => Some(best(&prompts.teacher(seed), heads, Forms::Shares).risk),
    }
}

/// What of a row no row of an orthonormal `basis` has.
fn beyond(row: &[f64], basis: &[Vec<f64>]) -> Vec<f64> {
    let mut rest = row.to_vec();
    orthogonalize(&mut rest, basis.iter());
    rest
}

/// An orthonormal basis of what rows span (Gram and Schmidt); a row that those before it span adds none.
fn basis<'a>(rows: impl Iterator<Item = &'a [f64]>) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = vec![];
    for row in rows {
        let mut rest = beyond(row, &basis);
        let left = norm(&rest);
        if left > 1e-9 * norm(row) && left > 0.0 {
            rest.iter_mut().for_each(|x| *x /= left);
            basis.push(rest);
        }
    }
    basis
}

/// The part of WᵀW that belongs to the named tokens, `[names, names]`, with W of this orthonormal basis.
fn shared(basis: &[Vec<f64>], names: &[usize]) -> Vec<f64> {
    let entry = |j: usize, l: usize| basis.iter().map(|w| w[j] * w[l]).sum::<f64>();
    names.iter().flat_map(|j| names.iter().map(move |l| (*j, *l))).map(|(j, l)| entry(j, l)).collect()
}

/// What the heads tell of the named tokens: the covariance M of their conditional means given V x.
///
/// # Shapes
/// `shares` is V, `[heads, positions]`; the result is `[names, names]`. A position may be named twice.
pub fn told(shares: &[f64], positions: usize, names: &[usize]) -> Vec<f64> {
    shared(&basis(shares.chunks(positions)), names)
}

/// The least relative risk of whatever follows heads with these shares of attention, for different names.
///
/// # Shapes
/// `shares` is `[heads, positions]`.
pub fn risk(teacher: &Teacher, shares: &[f64], positions: usize, names: &[usize]) -> f64 {
    1.0 - teacher.covariance(&told(shares, positions, names)) / teacher.variance(positions, false)
}

/// What rows of V may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forms {
    /// Shares of attention, which are not negative.
    Shares,
    /// Any numbers.
    Any,
}

/// The best that heads can do.
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    /// Relative risk.
    pub risk: f64,
    /// An orthonormal basis of what the rows of V span on the named tokens, `[heads, names]`, the first one not negative
    /// where rows are shares; on other tokens V is zero, where it could only add noise.
    pub forms: Vec<f64>,
}

/// The best V for g of different names, found by going downhill from every choice of names and a few random starts: the
/// least risk of all, or one near it.
///
/// # Why
/// The risk depends on what rows span, so that rows are kept orthonormal on the way (Edelman, Arias and Smith 1998), and
/// one of them not negative, by spectral projected gradients (Birgin, Martínez and Raydan 2000).
///
/// # Speed
/// Five to a hundred looks from a start, each about as dear as two risks. Steps along single numbers (Hooke and Jeeves 1961)
/// took a hundred to forty thousand risks, and with two heads and more stopped above the infimum.
pub fn best(teacher: &Teacher, heads: usize, forms: Forms) -> Best {
    let names = teacher.names();
    let all: Vec<usize> = (0..names).collect();
    let search = Search::new(teacher, names, &all, forms);
    let mut found = Best { risk: f64::INFINITY, forms: vec![] };
    for start in starts(heads.min(names), names) {
        let (rows, risk) = search.downhill(&start);
        if risk < found.risk {
            found = Best { risk, forms: rows.concat() };
        }
    }
    Best { risk: found.risk.max(0.0), ..found }
}

/// Random starts besides those on chosen names.
const RANDOM_STARTS: u64 = 4;

/// Every choice of `heads` of the names, and some random numbers; the first row of each is not negative.
fn starts(heads: usize, names: usize) -> Vec<Vec<Vec<f64>>> {
    let stream = Stream::new(0, Purpose::Weights, 0);
    let chosen = (0..1usize << names).filter(|set| set.count_ones() as usize == heads).map(|set| {
        let is_in = |j: &usize| set >> j & 1 == 1;
        let one = |at: usize| (0..names).map(|j| if j == at { 1.0 } else { 0.0 }).collect();
        let mut rows: Vec<Vec<f64>> = (0..names).filter(is_in).map(one).collect();
        // All of them, so that it has as few zeros as it can.
        if let Some(first) = rows.first_mut() {
            (0..names).filter(is_in).for_each(|j| first[j] = 1.0);
        }
        rows
    });
    let random = (0..RANDOM_STARTS).map(|step| {
        let number = |at: usize| f64::from(stream.normal(step, at as u32));
        let row = |h: usize| (0..names).map(|j| number(h * names + j)).collect();
        let mut rows: Vec<Vec<f64>> = (0..heads).map(row).collect();
        rows.iter_mut().take(1).flatten().for_each(|x| *x = x.abs());
        rows
    });
    chosen.chain(random).collect()
}

/// Most steps from one start.
const MOST_STEPS: usize = 200;
/// A search ends where a step promises less than this, or where this is left.
const LEAST: f64 = 1e-12;
/// Risks of so many steps back a new one may come up to, and the share of what a step promises that it has to bring
/// besides: rates are right on average, not at each step.
const LOOKED_BACK: usize = 5;
const KEPT_PROMISE: f64 = 1e-4;

/// A search for the best V, whose rows are orthonormal.
struct Search<'a> {
    teacher: &'a Teacher,
    positions: usize,
    names: &'a [usize],
    forms: Forms,
    /// The variance of a label.
    variance: f64,
}

impl<'a> Search<'a> {
    fn new(teacher: &'a Teacher, positions: usize, names: &'a [usize], forms: Forms) -> Self {
        Search { teacher, positions, names, forms, variance: teacher.variance(positions, false) }
    }

    /// The risk, and its slopes in the entries of the rows.
    ///
    /// With G the slopes of C_g in M, zero beside the named tokens, those of a row w in C_g are 2 (1 − WᵀW) G w: what is
    /// along the rows does not change what they span.
    fn look(&self, rows: &[Vec<f64>]) -> (f64, Vec<Vec<f64>>) {
        let (covariance, of_shared) = self.teacher.covariance_with_slopes(&shared(rows, self.names));
        let of_row = |row: &Vec<f64>| {
            let mut pull = vec![0.0; self.positions];
            for (j, of_name) in self.names.iter().zip(of_shared.chunks(self.names.len())) {
                pull[*j] += of_name.iter().zip(self.names).map(|(slope, l)| slope * row[*l]).sum::<f64>();
            }
            let mut slopes = beyond(&pull, rows);
            slopes.iter_mut().for_each(|slope| *slope *= -2.0 / self.variance);
            slopes
        };
        (1.0 - covariance / self.variance, rows.iter().map(of_row).collect())
    }

    /// From the rows to where a step at this rate would take them, not beyond what they may be.
    fn way(&self, rows: &[Vec<f64>], slopes: &[Vec<f64>], rate: f64) -> Vec<Vec<f64>> {
        let of_row = |(h, (row, slopes)): (usize, (&Vec<f64>, &Vec<f64>))| {
            let least = if h == 0 && self.forms == Forms::Shares { 0.0 } else { f64::NEG_INFINITY };
            row.iter().zip(slopes).map(|(x, slope)| (x - rate * slope).max(least) - x).collect()
        };
        rows.iter().zip(slopes).enumerate().map(of_row).collect()
    }

    /// Goes downhill from what these rows span; the best rows on the way, and their risk.
    fn downhill(&self, start: &[Vec<f64>]) -> (Vec<Vec<f64>>, f64) {
        let mut rows = basis(start.iter().map(Vec::as_slice));
        let (mut risk, mut slopes) = self.look(&rows);
        let (mut best, mut last, mut rate) = ((rows.clone(), risk), vec![risk], 1.0);
        for _ in 0..MOST_STEPS {
            let way = self.way(&rows, &slopes, rate);
            let promise = dots(&way, &slopes);
            if promise > -LEAST || risk < LEAST {
                break;
            }
            let highest = last.iter().copied().fold(risk, f64::max);
            let shorter = (0..30).find_map(|halvings| {
                let share = 1.0 / f64::from(1u32 << halvings);
                let next = basis(moved(&rows, &way, share).iter().map(Vec::as_slice));
                let look = (next.len() == rows.len()).then(|| self.look(&next))?;
                (look.0 <= highest + KEPT_PROMISE * share * promise).then_some((next, look))
            });
            let Some((next, (next_risk, next_slopes))) = shorter else { break };
            // The inverse of the curvature along the step (Barzilai and Borwein 1988).
            let step = moved(&next, &rows, -1.0);
            let curvature = dots(&step, &moved(&next_slopes, &slopes, -1.0));
            rate = if curvature > 0.0 { dots(&step, &step) / curvature } else { 4.0 * rate }.clamp(1e-3, 1e3);
            (rows, risk, slopes) = (next, next_risk, next_slopes);
            last.push(risk);
            last.drain(..last.len().saturating_sub(LOOKED_BACK));
            if risk < best.1 {
                best = (rows.clone(), risk);
            }
        }
        best
    }
}

/// a + share · b.
fn moved(a: &[Vec<f64>], b: &[Vec<f64>], share: f64) -> Vec<Vec<f64>> {
    let row = |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| a + share * b).collect();
    a.iter().zip(b).map(row).collect()
}

/// Σ a b.
fn dots(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| dot(a, b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn teacher(function: Function, names: usize, dim: usize) -> Teacher {
        Teacher::new(function, names, dim, 6, 5)
    }

    fn normals(seed: u64, count: usize) -> Vec<f64> {
        let stream = Stream::new(seed, Purpose::Batch, 0);
        (0..count as u32).map(|i| f64::from(stream.normal(0, i))).collect()
    }

    fn rows_of(numbers: &[f64], positions: usize) -> Vec<Vec<f64>> {
        numbers.chunks(positions).map(<[f64]>::to_vec).collect()
    }

    #[test]
    fn the_bounds_are_those_of_the_paper() {
        assert_eq!([0, 1, 2, 3, 4].map(|h| floor(h, 2)), [1.0, 0.5, 0.0, 0.0, 0.0]);
        assert!((floor(1, 3) - 2.0 / 3.0).abs() < 1e-15);
        assert!((floor_of_any_scores(1, 8, 16) - (1.0 - 24.0 / 128.0)).abs() < 1e-15);
        assert_eq!(floor_of_any_scores(1, 4, 1), 0.0);
        for (h, q, d) in [(1, 3, 8), (2, 6, 64), (3, 5, 2)] {
            assert!(floor_of_any_scores(h, q, d) <= floor(h, q));
        }
    }

    /// With d = 1 one head has q + 1 linear forms, more than the q numbers of the named tokens. Unclamped the bound is
    /// 1 − (q + 1)/q = −1/q, and less with more heads. By hand: with q = 4 and d = 16 the 20 forms of one head leave 44 of 64
    /// numbers, and the 40 forms of two leave 24.
    #[test]
    fn proposition_3_says_nothing_of_tokens_of_one_number() {
        for names in 1..=6 {
            for heads in 1..=8 {
                assert_eq!(floor_of_any_scores(heads, names, 1), 0.0, "{heads} heads, {names} names");
            }
            assert!(1.0 - (names as f64 + 1.0) / (names as f64) < 0.0);
        }
        assert!((floor_of_any_scores(1, 4, 16) - 44.0 / 64.0).abs() < 1e-15);
        assert!((floor_of_any_scores(2, 4, 16) - 24.0 / 64.0).abs() < 1e-15);
    }

    /// 1 − H/q, whatever H forms of the named tokens are told, in every dimension, and more where other tokens are in
    /// them.
    #[test]
    fn squares_have_the_same_risk_for_every_choice_of_forms() {
        for (heads, names, dim) in [(1, 2, 1), (1, 3, 1), (2, 3, 1), (2, 5, 3), (3, 4, 8)] {
            let (teacher, all): (_, Vec<usize>) =
                (teacher(Function::Squares, names, dim), (0..names).collect());
            for seed in 0..20 {
                let own = normals(seed, heads * names);
                let least = risk(&teacher, &own, names, &all);
                assert!((least - floor(heads, names)).abs() < 1e-9, "{heads} of {names}: {least}");
                let wider = normals(seed, heads * (names + 3));
                assert!(risk(&teacher, &wider, names + 3, &all) > floor(heads, names) + 1e-6);
            }
        }
    }

    /// No V on all tokens of a prompt does better: the search comes down to the floor and not below.
    #[test]
    fn a_search_over_all_tokens_ends_at_the_floor() {
        for (heads, names, positions) in [(1, 2, 5), (1, 3, 6), (2, 3, 5)] {
            let (teacher, all): (_, Vec<usize>) =
                (teacher(Function::Squares, names, 1), (0..names).collect());
            for seed in 0..3 {
                let start = rows_of(&normals(seed, heads * positions), positions);
                let (_, least) = Search::new(&teacher, positions, &all, Forms::Any).downhill(&start);
                let exact = floor(heads, names);
                assert!(least > exact - 1e-9 && least < exact + 1e-3, "{heads} of {names}: {least}");
            }
        }
    }

    /// The formula against the conditional expectation itself, on drawn tokens: for squares it is
    /// (‖mean‖² + d tr(I − M) − qd)/√(qd).
    #[test]
    fn the_risk_is_the_error_of_the_conditional_expectation() {
        let (heads, names, dim, positions, draws) = (2, 3, 2, 5, 60_000u64);
        let (shares, named) = (normals(3, heads * positions), [4usize, 0, 2]);
        let teacher = teacher(Function::Squares, names, dim);
        // W from its own Gram and Schmidt, so that it is not the code under test.
        let (first, second) = shares.split_at(positions);
        let unit = |v: Vec<f64>| -> Vec<f64> { v.iter().map(|x| x / dot(&v, &v).sqrt()).collect() };
        let first = unit(first.to_vec());
        let along = dot(&first, second);
        let second = unit(second.iter().zip(&first).map(|(x, o)| x - along * o).collect());
        let trace: f64 = named.iter().map(|j| first[*j].powi(2) + second[*j].powi(2)).sum();
        let (stream, size) = (Stream::new(8, Purpose::Batch, 0), (names * dim) as f64);
        let mut error = 0.0;
        for draw in 0..draws {
            let x: Vec<f64> =
                (0..positions * dim).map(|i| f64::from(stream.normal(draw, i as u32))).collect();
            let label =
                teacher.label(&named.iter().flat_map(|j| x[j * dim..][..dim].to_vec()).collect::<Vec<_>>());
            let mut square = 0.0;
            for of in 0..dim {
                let form = |w: &[f64]| w.iter().enumerate().map(|(i, w)| w * x[i * dim + of]).sum::<f64>();
                let (a, b) = (form(&first), form(&second));
                square += named.iter().map(|j| (a * first[*j] + b * second[*j]).powi(2)).sum::<f64>();
            }
            let guess = (square + dim as f64 * (names as f64 - trace) - size) / size.sqrt();
            error += (label - guess).powi(2) / draws as f64;
        }
        let exact = risk(&teacher, &shares, positions, &named);
        assert!((error / 2.0 / exact - 1.0).abs() < 0.03, "{error} {exact}");
    }

    #[test]
    fn the_mean_takes_one_head() {
        for (names, dim) in [(2, 1), (3, 1), (3, 4), (6, 2)] {
            let found = best(&teacher(Function::Mean, names, dim), 1, Forms::Shares);
            assert!(found.risk < 1e-6, "{found:?}");
            let [least, most] =
                [f64::min, f64::max].map(|f| found.forms.iter().copied().fold(found.forms[0], f));
            assert!(least / most > 0.99, "{found:?}");
        }
    }

    /// One head tells the positive or the negative part of u, two tell both; without the sign one is enough.
    #[test]
    fn a_linear_function_of_numbers_takes_a_head_for_each_sign() {
        let teacher = teacher(Function::Linear, 4, 1);
        let u = teacher.direction().unwrap();
        let part = |sign: f64| u.iter().map(|x| (sign * x).max(0.0).powi(2)).sum::<f64>();
        let (up, down) = (part(1.0), part(-1.0));
        assert!(up > 0.02 && down > 0.02, "a direction with both signs: {u:?}");
        let one = best(&teacher, 1, Forms::Shares).risk;
        assert!((one - up.min(down)).abs() < 1e-6, "{one} {up} {down}");
        assert!(best(&teacher, 2, Forms::Shares).risk < 1e-6);
        assert!(best(&teacher, 1, Forms::Any).risk < 1e-6);
    }

    /// Of any forms, as many as u has singular values, and the risk is what the others have.
    #[test]
    fn a_linear_function_of_tokens_takes_its_rank() {
        let teacher = teacher(Function::Linear, 2, 3);
        let (a, b) = teacher.direction().unwrap().split_at(3);
        let (aa, ab, bb) = (dot(a, a), dot(a, b), dot(b, b));
        let least = 0.5 * (aa + bb - ((aa - bb).powi(2) + 4.0 * ab * ab).sqrt());
        let any = best(&teacher, 1, Forms::Any).risk;
        assert!((any - least).abs() < 1e-6 && least > 0.01, "{any} {least}");
        let shares = best(&teacher, 1, Forms::Shares).risk;
        assert!(if ab < 0.0 { (shares - aa.min(bb)).abs() < 1e-6 } else { (shares - least).abs() < 1e-6 });
    }

    #[test]
    fn slopes_are_central_differences() {
        let (positions, named, step) = (5, [4usize, 0, 2], 1e-5);
        for function in Function::ALL {
            let teacher = teacher(*function, 3, 2);
            let rows = basis(normals(3, 2 * positions).chunks(positions));
            let (least, slopes) = Search::new(&teacher, positions, &named, Forms::Any).look(&rows);
            assert!((least - risk(&teacher, &rows.concat(), positions, &named)).abs() < 1e-12);
            for (at, slope) in slopes.concat().iter().enumerate() {
                let moved = |by: f64| {
                    let mut shares = rows.concat();
                    shares[at] += by;
                    risk(&teacher, &shares, positions, &named)
                };
                let numeric = (moved(step) - moved(-step)) / (2.0 * step);
                assert!((slope - numeric).abs() < 1e-7, "{function:?} at {at}: {slope} {numeric}");
            }
        }
    }

    /// Two heads whose shares hardly differ come as near to what the search found as one likes.
    #[test]
    fn shares_that_hardly_differ_tell_a_form_of_any_sign() {
        for (function, dim) in [(Function::Linear, 3), (Function::Network, 1)] {
            let (teacher, all) = (teacher(function, 4, dim), [0, 1, 2, 3]);
            let found = best(&teacher, 2, Forms::Shares);
            let (first, second) = found.forms.split_at(4);
            assert!(first.iter().all(|share| *share >= 0.0), "{found:?}");
            let near = |by: f64| {
                let one: Vec<f64> = first.iter().map(|share| share + by).collect();
                let other = one.iter().zip(second).map(|(share, x)| share + by * x);
                let shares: Vec<f64> = one.iter().copied().chain(other).collect();
                assert!(shares.iter().all(|share| *share >= 0.0));
                risk(&teacher, &shares, 4, &all) - found.risk
            };
            let apart = [1e-2, 1e-3, 1e-4].map(near);
            assert!(apart.iter().all(|apart| *apart > -1e-6) && apart[2] < 1e-3, "{apart:?}");
            assert!(found.risk > best(&teacher, 2, Forms::Any).risk - 1e-9);
        }
    }

    #[test]
    fn a_network_is_between_nothing_and_everything() {
        let teacher = teacher(Function::Network, 3, 2);
        let risks: Vec<f64> = (0..=3).map(|heads| best(&teacher, heads, Forms::Shares).risk).collect();
        assert!(risks.windows(2).all(|pair| pair[1] < pair[0]), "{risks:?}");
        assert!((risks[0] - 1.0).abs() < 1e-9 && risks[3].abs() < 1e-9, "{risks:?}");
    }

    #[test]
    fn names_that_are_the_same_take_fewer_heads() {
        for heads in 0..=3 {
            assert!((floor_of_squares(heads, 3, 9, false) - floor(heads, 3)).abs() < 1e-12);
        }
        // Two names of two tokens: half of the time the same, of variance 4 then and of 1 + 1 else; one head leaves 1.
        assert!((floor_of_squares(1, 2, 2, true) - 0.5 * 1.0 / (0.5 * 4.0 + 0.5 * 2.0)).abs() < 1e-12);
        assert!(floor_of_squares(1, 3, 8, true) < floor(1, 3));
    }

    #[test]
    fn prompts_have_floors_where_they_are_known() {
        let of = |function, repeats, heads| {
            floor_of(&Prompts { function, repeats, ..Prompts::default() }, 1, heads)
        };
        assert_eq!(of(Function::Squares, Repeats::Distinct, 1), Some(0.5));
        assert_eq!(of(Function::Mean, Repeats::Free, 1), Some(0.0));
        assert_eq!(of(Function::Network, Repeats::Free, 1), None);
        assert!(of(Function::Network, Repeats::Distinct, 1).is_some_and(|risk| risk > 0.0 && risk < 1.0));
        assert_eq!(of(Function::Network, Repeats::Free, 2), Some(0.0));
    }
}
