//! The constructed look-up of lemma 11 (equation A.2) and its error against its sharpness α.
//!
//! A query that names t scores the key of position j with α s² ⟨ω_t, ω_j⟩, where codes are written down as s·ω, s = √(d/q)
//! in the paper. With inner products of at most 1/2 (assumption 3) the named key is ahead by β/2, β = α s², so that the
//! share on all others is at most (N − 1)e^{−β/2} and
//!
//! ```text
//! ‖Σ_j a_j x_j − x_t‖ ≤ 2 (N − 1) e^{−β/2} max‖x‖
//! ```
//!
//! which the paper writes as ≲ N e^{−αd/(2q)} max‖x‖: slope −d/(2q) against α in a logarithm. Codes that are further apart
//! do better. One-hot codes have slope **−d/q**, twice as steep; the slope is that of the bound where two codes have the
//! inner product 1/2, and with a pair of codes that break assumption 3 it is less steep, down to none where they are equal.

use super::super::Readout;
use vivarium_core::math::{dot, norm, softmax};

/// How well names are looked up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retrieval {
    /// Mean share of attention on other positions than the named one.
    pub leak: f64,
    /// The largest such share.
    pub worst_leak: f64,
    /// Mean squared error of a retrieved number of variance 1, for independent tokens: (1 − a_t)² + Σ_{j≠t} a_j². It is the
    /// relative error of a linear function of one name that is read out exactly.
    pub error: f64,
}

/// The shares of attention of a query that names `target`.
///
/// # Shapes
/// `codes` is `[positions, dimension]`, unit vectors; the result is `[positions]`.
pub fn shares(codes: &[f32], dimension: usize, beta: f64, target: usize) -> Vec<f64> {
    let rows: Vec<Vec<f64>> = wide(codes, dimension);
    let score = |row: &Vec<f64>| beta * dot(&rows[target], row);
    let mut shares: Vec<f64> = rows.iter().map(score).collect();
    softmax(&mut shares);
    shares
}

/// The executed look-up, over all names: softmax over every position's score at β = α s².
///
/// # Shapes
/// `codes` is `[positions, dimension]`, unit vectors.
pub fn retrieval(codes: &[f32], dimension: usize, beta: f64) -> Retrieval {
    let positions = codes.len() / dimension;
    let mut all = Retrieval { leak: 0.0, worst_leak: 0.0, error: 0.0 };
    for target in 0..positions {
        let shares = shares(codes, dimension, beta, target);
        let others = || shares.iter().enumerate().filter(|(j, _)| *j != target).map(|(_, share)| share);
        // Summed, not 1 − a_t: that would round off what is smaller than 10⁻¹⁶.
        let leak: f64 = others().sum();
        all.leak += leak / positions as f64;
        all.worst_leak = all.worst_leak.max(leak);
        all.error += (leak * leak + others().map(|share| share * share).sum::<f64>()) / positions as f64;
    }
    all
}

/// N e^{−β/2}, the paper's bound on the error over max‖x‖, up to a factor of 2 in front.
///
/// Where no two codes have an inner product above 1/2, every a_j beside the named one is at most e^{−β/2}. So
/// [`Retrieval::worst_leak`] is at most (N − 1) e^{−β/2}, and √[`Retrieval::error`] at most
/// √((N − 1)² + (N − 1)) e^{−β/2}, which is below N e^{−β/2}.
pub fn bound(positions: usize, beta: f64) -> f64 {
    positions as f64 * libm::exp(-beta / 2.0)
}

/// By how much ln(leak) falls where β rises by 1, for large β: 1 − the largest inner product of two codes, which is 1/2 or
/// more under assumption 3.
pub fn rate(codes: &[f32], dimension: usize) -> f64 {
    let rows = wide(codes, dimension);
    let pairs = rows.iter().enumerate().flat_map(|(i, a)| rows[..i].iter().map(move |b| dot(a, b)));
    1.0 - pairs.fold(f64::NEG_INFINITY, f64::max)
}

/// What of the readout enters the paper's sharpness: (r_a, r_w) with ‖a‖ ≤ r_a/√m and ‖(W, b)‖ ≤ √m r_w for m units
/// (assumption 2).
pub fn radii(readout: &Readout) -> (f64, f64) {
    let units = libm::sqrt(readout.a.len() as f64);
    let inner = libm::sqrt(dot(&readout.w, &readout.w) + dot(&readout.b, &readout.b));
    (units * norm(&readout.a), inner / units)
}

/// The paper's sharpness α = (2/s²) ln(2 r_a r_w r_x N √q / √ε), with s² = d/q where codes are scaled by √(d/q), tokens of
/// length r_x at most, and ε the squared error that the readout has of g.
pub fn sharpness(
    squared_scale: f64,
    (r_a, r_w): (f64, f64),
    r_x: f64,
    positions: usize,
    names: usize,
    epsilon: f64,
) -> f64 {
    let inside = 2.0 * r_a * r_w * r_x * positions as f64 * libm::sqrt(names as f64 / epsilon);
    (2.0 / squared_scale * libm::log(inside)).max(0.0)
}

fn wide(codes: &[f32], dimension: usize) -> Vec<Vec<f64>> {
    codes.chunks(dimension).map(|row| row.iter().map(|x| f64::from(*x)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::{Codes, Function, Teacher};
    use super::*;
    use vivarium_core::rng::{Purpose, Stream};

    /// Codes (e_0 + e_i)/√2, of which each two have the inner product 1/2.
    fn at_the_limit(positions: usize) -> Vec<f32> {
        let at = |i: usize, j: usize| if j == 0 || j == i + 1 { 0.5f64.sqrt() as f32 } else { 0.0 };
        (0..positions).flat_map(|i| (0..=positions).map(move |j| at(i, j))).collect()
    }

    fn slope(codes: &[f32], dimension: usize) -> f64 {
        let leak = |beta: f64| retrieval(codes, dimension, beta).leak.ln();
        (leak(61.0) - leak(60.0)) / 1.0
    }

    #[test]
    fn the_slope_is_that_of_the_bound_at_the_limit_and_twice_as_steep_for_one_hot_codes() {
        let (limit, one_hot) = (at_the_limit(8), Codes::OneHot.draw(1, 8, 8));
        assert!((slope(&limit, 9) + 0.5).abs() < 1e-5 && (rate(&limit, 9) - 0.5).abs() < 1e-6);
        assert!((slope(&one_hot, 8) + 1.0).abs() < 1e-9 && (rate(&one_hot, 8) - 1.0).abs() < 1e-12);
        // Codes of 24 signs: the slope of the closest pair.
        let random = Codes::Random.draw(4, 12, 24);
        assert!((slope(&random, 24) + rate(&random, 24)).abs() < 0.02, "{}", slope(&random, 24));
    }

    #[test]
    fn one_hot_codes_leak_as_softmax_says() {
        for beta in [0.0, 1.0, 7.5] {
            let found = retrieval(&Codes::OneHot.draw(1, 6, 6), 6, beta);
            let others = 5.0 * libm::exp(-beta);
            let leak = others / (1.0 + others);
            assert!((found.leak - leak).abs() < 1e-12 && (found.worst_leak - leak).abs() < 1e-12);
            assert!((found.error - (leak * leak + leak * leak / 5.0)).abs() < 1e-12);
        }
    }

    /// Wherever no pair breaks assumption 3 the leak is below (N − 1)e^{−β/2}; equal codes leak half for ever.
    #[test]
    fn the_bound_holds_under_assumption_3() {
        for (codes, dimension) in
            [(at_the_limit(8), 9), (Codes::OneHot.draw(1, 8, 8), 8), (Codes::Orthogonal.draw(2, 8, 11), 11)]
        {
            for beta in [0.5, 4.0, 12.0, 40.0] {
                let found = retrieval(&codes, dimension, beta);
                let exact = bound(8, beta) * 7.0 / 8.0;
                assert!(found.worst_leak <= exact * (1.0 + 1e-5), "{beta}: {found:?} {exact}");
            }
        }
        let equal = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0];
        assert!((retrieval(&equal, 2, 50.0).worst_leak - 0.5).abs() < 1e-12);
        assert_eq!(rate(&equal, 2), 0.0);
    }

    /// The error of many drawn retrievals.
    #[test]
    fn the_error_is_that_of_drawn_tokens() {
        let (codes, dimension, positions, draws) = (Codes::Random.draw(2, 6, 9), 9, 6, 20_000u64);
        let stream = Stream::new(1, Purpose::Batch, 0);
        let mut error = 0.0;
        for draw in 0..draws {
            let x: Vec<f64> = (0..positions).map(|i| f64::from(stream.normal(draw, i))).collect();
            let target = (draw % u64::from(positions)) as usize;
            let found = dot(&shares(&codes, dimension, 3.0, target), &x);
            error += (found - x[target]).powi(2) / draws as f64;
        }
        let exact = retrieval(&codes, dimension, 3.0).error;
        assert!((error / exact - 1.0).abs() < 0.05, "{error} {exact}");
    }

    #[test]
    fn bounds_and_radii_by_hand() {
        let near =
            |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
        near(bound(6, 2.0 * 3f64.ln()), 2.0);
        let readout = Readout { w: vec![1.0, 2.0], b: vec![2.0, 0.0], a: vec![3.0, 4.0], c: 7.0 };
        let (r_a, r_w) = radii(&readout);
        near(r_a, 5.0 * 2f64.sqrt());
        near(r_w, 3.0 / 2f64.sqrt());
        // 2 · 3 · 5 · 7 · 11 √(2 / ½) = 4620.
        near(sharpness(0.25, (3.0, 5.0), 7.0, 11, 2, 0.5), 8.0 * 4620f64.ln());
        assert_eq!(sharpness(1.0, (0.1, 0.1), 1.0, 1, 1, 1.0), 0.0);
    }

    /// With the paper's α the retrieved readout is within the error that it was made for.
    #[test]
    fn the_papers_sharpness_is_enough() {
        let (positions, names, dim, epsilon) = (8, 2, 3, 0.01);
        let teacher = Teacher::new(Function::Network, names, dim, 6, 3);
        let readout = teacher.readout(0);
        let (scale, r_x) = (dim as f64 / names as f64, (dim as f64 * 10.0).sqrt());
        let alpha = sharpness(scale, radii(&readout), r_x, positions, names, epsilon);
        let (codes, stream) = (at_the_limit(positions), Stream::new(5, Purpose::Batch, 0));
        let (mut error, draws) = (0.0, 2000u64);
        for draw in 0..draws {
            let x: Vec<f64> =
                (0..(positions * dim) as u32).map(|i| f64::from(stream.normal(draw, i))).collect();
            let targets = [draw as usize % positions, (draw as usize / positions + 1) % positions];
            let (mut named, mut found) = (vec![], vec![]);
            for target in targets {
                let shares = shares(&codes, positions + 1, alpha * scale, target);
                for of in 0..dim {
                    named.push(x[target * dim + of]);
                    found.push(shares.iter().enumerate().map(|(j, share)| share * x[j * dim + of]).sum());
                }
            }
            error += (readout.output(&found) - teacher.label(&named)).powi(2) / draws as f64;
        }
        assert!(error < epsilon && error > 0.0, "{error} at α = {alpha}");
    }
}
