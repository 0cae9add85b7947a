//! The constructed look-up of lemma 11 (equation A.2) and its error against its sharpness α.
//!
//! A query that names t gives position j the score α s² ⟨ω_t, ω_j⟩, where s is the factor of the codes, √(d/q) in the
//! paper. If inner products are at most 1/2 (assumption 3), the named position leads by β/2 with β = α s², so that
//! the attention weight on all others is at most (N − 1)e^{−β/2} and
//!
//! ```text
//! ‖Σ_j a_j x_j − x_t‖ ≤ 2 (N − 1) e^{−β/2} max‖x‖
//! ```
//!
//! which the paper writes as ≲ N e^{−αd/(2q)} max‖x‖: its logarithm has slope −d/(2q) in α. Codes with smaller inner
//! products decay faster. One-hot codes have slope **−d/q**, twice as steep. The bound is reached if two codes have
//! the inner product 1/2. If a pair of codes violates assumption 3, the slope is less steep, and 0 if the two codes
//! are equal.

use super::super::ReluReadout;
use vivarium_core::math::{dot, norm, softmax};

/// Errors of a look-up of tokens by softmax attention to position codes, over all named positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LookupMetrics {
    /// Mean over the named positions of the total attention weight on other positions.
    pub mean_leak: f64,
    /// Maximum over the named positions of the total attention weight on other positions.
    pub max_leak: f64,
    /// Mean squared error of a retrieved coordinate of variance 1, for independent tokens: (1 − a_t)² + Σ_{j≠t}
    /// a_j² with attention weights a_j and the named position t. It is the relative error of a linear function of
    /// one name with an exact readout.
    pub mean_squared_error: f64,
}

/// The attention weights a_j ∝ exp(β ⟨ω_t, ω_j⟩), for codes ω_j and β = `beta`, of a query that names position t =
/// `target`.
///
/// # Shapes
/// `codes` is `[positions, dimension]`, unit vectors; the result is `[positions]`.
pub fn lookup_attention(codes: &[f32], dimension: usize, beta: f64, target: usize) -> Vec<f64> {
    let rows: Vec<Vec<f64>> = rows_as_f64(codes, dimension);
    let score = |row: &Vec<f64>| beta * dot(&rows[target], row);
    let mut shares: Vec<f64> = rows.iter().map(score).collect();
    softmax(&mut shares);
    shares
}

/// Computes the errors of the look-up over all named positions, with softmax attention at inverse temperature β =
/// `beta`.
///
/// # Shapes
/// `codes` is `[positions, dimension]`, unit vectors.
pub fn evaluate_lookup(codes: &[f32], dimension: usize, beta: f64) -> LookupMetrics {
    let positions = codes.len() / dimension;
    let mut all = LookupMetrics { mean_leak: 0.0, max_leak: 0.0, mean_squared_error: 0.0 };
    for target in 0..positions {
        let attention = lookup_attention(codes, dimension, beta, target);
        let others = || attention.iter().enumerate().filter(|(j, _)| *j != target).map(|(_, weight)| weight);
        // Summed over the others, because 1 − a_t would round to 0 below 10⁻¹⁶.
        let leak: f64 = others().sum();
        all.mean_leak += leak / positions as f64;
        all.max_leak = all.max_leak.max(leak);
        all.mean_squared_error +=
            (leak * leak + others().map(|weight| weight * weight).sum::<f64>()) / positions as f64;
    }
    all
}

/// The bound N e^{−β/2} of Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025 on the error of the look-up of lemma 11,
/// relative to the maximum norm max‖x‖ of a token, up to a factor of 2, for N = `positions` and the inverse
/// temperature β = `beta`.
///
/// If no two codes have an inner product above 1/2, every a_j of another position is at most e^{−β/2}. So
/// [`LookupMetrics::max_leak`] is at most (N − 1) e^{−β/2}, and √[`LookupMetrics::mean_squared_error`] is at most √((N −
/// 1)² + (N − 1)) e^{−β/2}, which is below N e^{−β/2}.
pub fn lookup_error_bound(positions: usize, beta: f64) -> f64 {
    positions as f64 * libm::exp(-beta / 2.0)
}

/// The decrease, per unit of the inverse temperature β and for large β, of the logarithm of the leaked attention
/// weight [`LookupMetrics::max_leak`]: 1 minus the largest inner product of two of the `codes`, `[positions,
/// dimension]`. It is at least 1/2 under assumption 3 of Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025.
pub fn leak_decay_rate(codes: &[f32], dimension: usize) -> f64 {
    let rows = rows_as_f64(codes, dimension);
    let pairs = rows.iter().enumerate().flat_map(|(i, a)| rows[..i].iter().map(move |b| dot(a, b)));
    1.0 - pairs.fold(f64::NEG_INFINITY, f64::max)
}

/// The radii (r_a, r_w) of a readout with m units that enter [`required_sharpness`]: the smallest with ‖a‖ ≤ r_a/√m
/// and ‖(W, b)‖ ≤ √m r_w, for output weights a, input weights W and biases b (Mousavi-Hosseini, Sanford, Wu and
/// Erdogdu 2025, assumption 2).
pub fn readout_radii(readout: &ReluReadout) -> (f64, f64) {
    let units = libm::sqrt(readout.a.len() as f64);
    let inner = libm::sqrt(dot(&readout.w, &readout.w) + dot(&readout.b, &readout.b));
    (units * norm(&readout.a), inner / units)
}

/// The sharpness α = (2/s²) ln(2 r_a r_w r_x N √q / √ε) of the look-up of lemma 11 of Mousavi-Hosseini, Sanford, Wu
/// and Erdogdu 2025, at least 0: s² = `squared_scale` is the squared factor of the codes, (r_a, r_w) are the
/// [`readout_radii`], r_x is the maximum norm of a token, N = `positions`, q = `names`, and ε = `epsilon` is the
/// squared error of the readout.
pub fn required_sharpness(
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

/// The codes `[positions, dimension]` as one list of double-precision numbers per position.
fn rows_as_f64(codes: &[f32], dimension: usize) -> Vec<Vec<f64>> {
    codes.chunks(dimension).map(|row| row.iter().map(|x| f64::from(*x)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::{PositionCodes, Teacher, TeacherKind};
    use super::*;
    use vivarium_core::rng::{Purpose, RandomStream};

    /// Codes (e_0 + e_i)/√2, of which each two have the inner product 1/2.
    fn at_the_limit(positions: usize) -> Vec<f32> {
        let at = |i: usize, j: usize| if j == 0 || j == i + 1 { 0.5f64.sqrt() as f32 } else { 0.0 };
        (0..positions).flat_map(|i| (0..=positions).map(move |j| at(i, j))).collect()
    }

    fn slope(codes: &[f32], dimension: usize) -> f64 {
        let leak = |beta: f64| evaluate_lookup(codes, dimension, beta).mean_leak.ln();
        (leak(61.0) - leak(60.0)) / 1.0
    }

    #[test]
    fn the_decay_rate_matches_the_bound_and_is_twice_as_large_for_one_hot_codes() {
        let (limit, one_hot) = (at_the_limit(8), PositionCodes::OneHot.draw(1, 8, 8));
        assert!((slope(&limit, 9) + 0.5).abs() < 1e-5 && (leak_decay_rate(&limit, 9) - 0.5).abs() < 1e-6);
        assert!(
            (slope(&one_hot, 8) + 1.0).abs() < 1e-9 && (leak_decay_rate(&one_hot, 8) - 1.0).abs() < 1e-12
        );
        // Codes of 24 signs: the slope of the closest pair.
        let random = PositionCodes::Random.draw(4, 12, 24);
        assert!((slope(&random, 24) + leak_decay_rate(&random, 24)).abs() < 0.02, "{}", slope(&random, 24));
    }

    #[test]
    fn the_leak_of_one_hot_codes_matches_softmax() {
        for beta in [0.0, 1.0, 7.5] {
            let found = evaluate_lookup(&PositionCodes::OneHot.draw(1, 6, 6), 6, beta);
            let others = 5.0 * libm::exp(-beta);
            let leak = others / (1.0 + others);
            assert!((found.mean_leak - leak).abs() < 1e-12 && (found.max_leak - leak).abs() < 1e-12);
            assert!((found.mean_squared_error - (leak * leak + leak * leak / 5.0)).abs() < 1e-12);
        }
    }

    /// Wherever no pair breaks assumption 3 the leak is below (N − 1)e^{−β/2}; equal codes leak half for ever.
    #[test]
    fn the_bound_holds_under_assumption_3() {
        for (codes, dimension) in [
            (at_the_limit(8), 9),
            (PositionCodes::OneHot.draw(1, 8, 8), 8),
            (PositionCodes::Orthogonal.draw(2, 8, 11), 11),
        ] {
            for beta in [0.5, 4.0, 12.0, 40.0] {
                let found = evaluate_lookup(&codes, dimension, beta);
                let exact = lookup_error_bound(8, beta) * 7.0 / 8.0;
                assert!(found.max_leak <= exact * (1.0 + 1e-5), "{beta}: {found:?} {exact}");
            }
        }
        let equal = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0];
        assert!((evaluate_lookup(&equal, 2, 50.0).max_leak - 0.5).abs() < 1e-12);
        assert_eq!(leak_decay_rate(&equal, 2), 0.0);
    }

    /// The error of many drawn retrievals.
    #[test]
    fn the_error_matches_drawn_tokens() {
        let (codes, dimension, positions, draws) = (PositionCodes::Random.draw(2, 6, 9), 9, 6, 20_000u64);
        let stream = RandomStream::new(1, Purpose::Batch, 0);
        let mut error = 0.0;
        for draw in 0..draws {
            let x: Vec<f64> = (0..positions).map(|i| f64::from(stream.draw_normal(draw, i))).collect();
            let target = (draw % u64::from(positions)) as usize;
            let found = dot(&lookup_attention(&codes, dimension, 3.0, target), &x);
            error += (found - x[target]).powi(2) / draws as f64;
        }
        let exact = evaluate_lookup(&codes, dimension, 3.0).mean_squared_error;
        assert!((error / exact - 1.0).abs() < 0.05, "{error} {exact}");
    }

    #[test]
    fn bounds_and_radii_match_hand_computation() {
        let near =
            |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
        near(lookup_error_bound(6, 2.0 * 3f64.ln()), 2.0);
        let readout = ReluReadout { w: vec![1.0, 2.0], b: vec![2.0, 0.0], a: vec![3.0, 4.0], c: 7.0 };
        let (r_a, r_w) = readout_radii(&readout);
        near(r_a, 5.0 * 2f64.sqrt());
        near(r_w, 3.0 / 2f64.sqrt());
        // 2 · 3 · 5 · 7 · 11 √(2 / ½) = 4620.
        near(required_sharpness(0.25, (3.0, 5.0), 7.0, 11, 2, 0.5), 8.0 * 4620f64.ln());
        assert_eq!(required_sharpness(1.0, (0.1, 0.1), 1.0, 1, 1, 1.0), 0.0);
    }

    /// With the paper's α the retrieved readout is within the error that it was made for.
    #[test]
    fn the_papers_sharpness_reaches_its_error() {
        let (positions, names, dim, epsilon) = (8, 2, 3, 0.01);
        let teacher = Teacher::draw(TeacherKind::Network, names, dim, 6, 3);
        let readout = teacher.build_readout(0);
        let (scale, r_x) = (dim as f64 / names as f64, (dim as f64 * 10.0).sqrt());
        let alpha = required_sharpness(scale, readout_radii(&readout), r_x, positions, names, epsilon);
        let (codes, stream) = (at_the_limit(positions), RandomStream::new(5, Purpose::Batch, 0));
        let (mut error, draws) = (0.0, 2000u64);
        for draw in 0..draws {
            let x: Vec<f64> =
                (0..(positions * dim) as u32).map(|i| f64::from(stream.draw_normal(draw, i))).collect();
            let targets = [draw as usize % positions, (draw as usize / positions + 1) % positions];
            let (mut named, mut found) = (vec![], vec![]);
            for target in targets {
                let shares = lookup_attention(&codes, positions + 1, alpha * scale, target);
                for of in 0..dim {
                    named.push(x[target * dim + of]);
                    found.push(shares.iter().enumerate().map(|(j, share)| share * x[j * dim + of]).sum());
                }
            }
            error += (readout.compute_output(&found) - teacher.compute_label(&named)).powi(2) / draws as f64;
        }
        assert!(error < epsilon && error > 0.0, "{error} at α = {alpha}");
    }
}
