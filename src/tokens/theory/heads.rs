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
//! [`best`] searches V for any g.

use super::super::teacher::{dot, partitions};
use super::super::{Function, Prompts, Repeats, Teacher};
use crate::rng::{Purpose, Stream};

/// The least relative risk of `heads` heads for centred squares of `names` different tokens, max(0, 1 − H/q), where scores
/// depend on positions alone (proposition 21).
pub fn floor(heads: usize, names: usize) -> f64 {
    (1.0 - heads as f64 / names as f64).max(0.0)
}

/// The bound of proposition 3 on the same with any scores: max(0, 1 − H(q + d)/(qd)).
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

/// What the heads tell of the named tokens: the covariance M of their conditional means given V x.
///
/// # Shapes
/// `shares` is V, `[heads, positions]`; the result is `[names, names]`. A position may be named twice.
pub fn told(shares: &[f64], positions: usize, names: &[usize]) -> Vec<f64> {
    let mut basis: Vec<Vec<f64>> = vec![];
    for row in shares.chunks(positions) {
        let mut rest = row.to_vec();
        // Twice for rounding.
        for _ in 0..2 {
            for other in &basis {
                let along = dot(&rest, other);
                rest.iter_mut().zip(other).for_each(|(x, o)| *x -= along * o);
            }
        }
        let norm = libm::sqrt(dot(&rest, &rest));
        if norm > 1e-9 * libm::sqrt(dot(row, row)) && norm > 0.0 {
            rest.iter_mut().for_each(|x| *x /= norm);
            basis.push(rest);
        }
    }
    let entry = |j: usize, l: usize| basis.iter().map(|w| w[j] * w[l]).sum::<f64>();
    names.iter().flat_map(|j| names.iter().map(move |l| (*j, *l))).map(|(j, l)| entry(j, l)).collect()
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
    /// V on the named tokens, `[heads, names]`; on the others it is zero, where it could only add noise.
    pub forms: Vec<f64>,
}

/// The best V for g of different names, found by going downhill from every choice of names and a few random starts: the
/// least risk of all, or one near it.
///
/// # Speed
/// Squares and means take microseconds; a network of 32 units on six names half a second.
pub fn best(teacher: &Teacher, heads: usize, forms: Forms) -> Best {
    let names = teacher.names();
    let heads = heads.min(names);
    let all: Vec<usize> = (0..names).collect();
    let of = |roots: &[f64]| -> Vec<f64> {
        match forms {
            Forms::Shares => roots.iter().map(|r| r * r).collect(),
            Forms::Any => roots.to_vec(),
        }
    };
    let variance = teacher.variance(names, false);
    let risk_of = |roots: &[f64]| 1.0 - teacher.covariance(&told(&of(roots), names, &all)) / variance;
    let mut found = Best { risk: 1.0, forms: vec![0.0; heads * names] };
    for start in starts(heads, names) {
        let (roots, risk) = downhill(start, risk_of);
        if risk < found.risk {
            found = Best { risk: risk.max(0.0), forms: of(&roots) };
        }
    }
    found
}

/// Random starts besides those on chosen names.
const RANDOM_STARTS: u64 = 4;

/// Every choice of `heads` of the names, and some random numbers.
fn starts(heads: usize, names: usize) -> Vec<Vec<f64>> {
    let stream = Stream::new(0, Purpose::Weights, 0);
    let chosen = (0..1usize << names).filter(|set| set.count_ones() as usize == heads).map(|set| {
        let mut start = vec![0.0; heads * names];
        let members = (0..names).filter(|j| set >> j & 1 == 1);
        members.enumerate().for_each(|(h, j)| start[h * names + j] = 1.0);
        start
    });
    let random = (0..RANDOM_STARTS)
        .map(|step| (0..(heads * names) as u32).map(|i| f64::from(stream.normal(step, i))).collect());
    chosen.chain(random).collect()
}

/// Steps along each number in turn, of half the size where none helps.
fn downhill(mut at: Vec<f64>, risk: impl Fn(&[f64]) -> f64) -> (Vec<f64>, f64) {
    let (mut least, mut size) = (risk(&at), 0.5);
    while size > 1e-6 && least > 1e-12 {
        let before = least;
        for i in 0..at.len() {
            for way in [size, -size] {
                let kept = at[i];
                at[i] += way;
                let found = risk(&at);
                match found < least {
                    true => least = found,
                    false => at[i] = kept,
                }
            }
        }
        if before - least < 1e-3 * before * size {
            size /= 2.0;
        }
    }
    (at, least)
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
                let start = normals(seed, heads * positions);
                let (_, least) = downhill(start, |v| risk(&teacher, v, positions, &all));
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
