//! Exact margins of the toy network of section 3.2, a product of d weights that are 1.
//!
//! ```text
//! ρ = min ‖δ‖₂ such that (y − ½) F(x, θ + δ) ≤ 0                       all-layer margin, equation (2.1)
//!
//! without rounding    ∏ (1 + δ_i) = ½                                  ρ = √d (1 − 2^(−1/d)) → ln 2 / √d
//! with rounding       h_i = 3 (1 + δ_i) h_{i−1} − 1,  h₀ = 1, h_d = ½   ρ = 0.5, 0.49176, 0.49080, 0.49069, … → 0.490681
//! ```
//!
//! # Why
//! *Without rounding.* With t_i = −ln(1 + δ_i), Σ t_i = ln 2, the sum of squares is Σ (1 − e^(−t_i))², whose terms are
//! convex for t from 0 to ln 2: it is smallest where all are equal. If one weight is above 1 the others must be
//! smaller, and a weight below 0 costs more than 1.
//!
//! *With rounding.* A layer whose product is above 2/3 outputs exactly 1. So weights before the first layer with a product
//! below 2/3 need no change, and in the optimum that layer is the first of all. From there on every product lies between 1/3
//! and 2/3. With w_i = 1 + δ_i = (h_i + 1)/(3 h_{i−1}), the sum of squares Σ (1 − w_i)² is stationary in h_i where
//!
//! ```text
//! (1 − w_{i+1}) w_{i+1} = (1 − w_i) h_i / (3 h_{i−1}),      i = 1 … d − 1
//! ```
//!
//! Given h₁ this is a quadratic equation for w_{i+1} (the root near 1 is taken), and h₁ is found by bisection so that
//! h_d = ½. The constant 0.4924 = 0.5/√(1 + 1/36 + 1/324 + …) is the first order of this problem at h_i = ½, where
//! the point of the linear boundary nearest to θ is not on the true one: [`first_order_margin`]. The exact margin is
//! smaller, by 0.0017, and above the paper's 1/3 (claim 3.5) all the same.

use super::error::{CircuitError, check_range};
use super::limits::MAX_TOY_DEPTH;

/// The exact all-layer margin ρ = √d (1 − 2^(−1/d)) of the toy network w_d ⋯ w₁ x − ½ with d = `depth` weights, all 1,
/// at the input x = 1, without rounding.
///
/// # Errors
/// `depth` is 0 or greater than [`MAX_TOY_DEPTH`].
pub fn toy_margin(depth: usize) -> Result<f64, CircuitError> {
    let d = check_range(depth, 1, MAX_TOY_DEPTH)? as f64;
    Ok(-d.sqrt() * libm::expm1(-std::f64::consts::LN_2 / d))
}

/// First-order approximation of the toy network's all-layer margin with rounding: 0.5/√(1 + 1/36 + 1/324 + …) with
/// `depth` terms under the root, which converges to 0.49237.
///
/// # Errors
/// `depth` is 0 or greater than [`MAX_TOY_DEPTH`].
pub fn first_order_margin(depth: usize) -> Result<f64, CircuitError> {
    let mut sum = 1.0;
    let mut term = 1.0 / 36.0;
    for _ in 1..check_range(depth, 1, MAX_TOY_DEPTH)? {
        sum += term;
        term /= 9.0;
    }
    Ok(0.5 / f64::sqrt(sum))
}

/// The exact all-layer margin of the toy network with `depth` weights and rounding after each weight, with an error of
/// about 10⁻¹².
///
/// # Errors
/// `depth` is 0 or greater than [`MAX_TOY_DEPTH`].
pub fn rounded_toy_margin(depth: usize) -> Result<f64, CircuitError> {
    // Each further layer changes the margin by a ninth of the previous change, which is below floating-point precision after 14
    // layers; and each further layer would multiply floating-point errors by 3.
    let depth = check_range(depth, 1, MAX_TOY_DEPTH)?.min(14);
    // If h₁ is too small the last value falls below ½, and if h₁ is too large the last value stays above ½.
    let (mut low, mut high) = (0.5, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        match stationary_chain(middle, depth) {
            Some((last, _)) if last >= 0.5 => high = middle,
            _ => low = middle,
        }
    }
    Ok(stationary_chain(high, depth).map_or(0.5, |(_, squares)| squares.sqrt()))
}

/// For the toy network with rounding: the product h_d after the last of d = `depth` layers, and the sum Σ δ_i² of the
/// squared weight changes, of the sequence of products h₁, h₂, … that starts with `h1` and makes the sum stationary
/// (the equation of the module). `None` if it has no solution before layer `depth`.
fn stationary_chain(h1: f64, depth: usize) -> Option<(f64, f64)> {
    let (mut before, mut h) = (1.0, h1);
    let mut delta = 1.0 - (h + 1.0) / 3.0;
    let mut squares = delta * delta;
    for _ in 1..depth {
        let root = 1.0 - 4.0 * delta * h / (3.0 * before);
        if root < 0.0 || h <= 0.0 {
            return None;
        }
        delta = 0.5 * (1.0 - root.sqrt());
        (before, h) = (h, 3.0 * (1.0 - delta) * h - 1.0);
        squares += delta * delta;
    }
    Some((h, squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found} {expected}");
    }

    #[test]
    fn the_toy_margin_without_rounding_equals_published_measurements() {
        for (depth, margin) in [(1, 0.500), (4, 0.3182), (25, 0.137), (100, 0.069), (400, 0.035)] {
            assert_near(toy_margin(depth).unwrap(), margin, 5e-4);
        }
        // ln 2 / √d in the limit.
        assert_near(toy_margin(1000).unwrap() * f64::sqrt(1000.0), std::f64::consts::LN_2, 5e-4);
        // δ_i = 1 − 2^(−1/d) lies on the boundary.
        let delta = toy_margin(25).unwrap() / 5.0;
        assert_near((0..25).map(|_| 1.0 - delta).product(), 0.5, 1e-12);
    }

    #[test]
    fn the_first_order_margin_converges_to_the_published_constant() {
        assert_near(first_order_margin(1).unwrap(), 0.5, 0.0);
        for depth in [4, 5, 100, 1000] {
            assert_near(first_order_margin(depth).unwrap(), 0.4924, 5e-5);
        }
        assert_near(first_order_margin(1000).unwrap(), 0.5 / f64::sqrt(1.0 + 1.0 / 32.0), 1e-15);
    }

    #[test]
    fn the_exact_margin_with_rounding_is_slightly_smaller_than_the_first_order() {
        let exact = [0.5, 0.491_755_392_3, 0.490_802_686_2, 0.490_694_814_2, 0.490_682_746_7];
        for (depth, margin) in (1..).zip(exact) {
            assert_near(rounded_toy_margin(depth).unwrap(), margin, 1e-9);
        }
        for depth in [12, 14, 15, 100, 1000] {
            assert_near(rounded_toy_margin(depth).unwrap(), 0.490_681_234_6, 1e-9);
        }
        // Compared with a grid search for two layers, where δ₁ determines δ₂.
        let of = |a: f64| a * a + (1.0 - 0.5 / (2.0 - 3.0 * a)) * (1.0 - 0.5 / (2.0 - 3.0 * a));
        let best = (0..=100_000).map(|i| of(0.4 + 1e-6 * f64::from(i))).fold(1.0, f64::min);
        assert_near(rounded_toy_margin(2).unwrap(), best.sqrt(), 1e-9);
    }

    #[test]
    fn depths_out_of_range_are_rejected() {
        assert!(toy_margin(0).is_err() && toy_margin(1001).is_err());
        assert!(first_order_margin(0).is_err() && rounded_toy_margin(usize::MAX).is_err());
    }
}
