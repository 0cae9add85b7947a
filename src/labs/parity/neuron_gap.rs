//! The derivative σ' of a neuron's activation, and the Fourier gap that it has where every weight is +1/√n or −1/√n and
//! the bias is 0.
//!
//! For such weights x ↦ σ'(w·x) depends on how many of the products w_i x_i are negative, h of n, so that its Fourier
//! coefficient at every set of m inputs is, up to its sign,
//!
//! ```text
//! f̂(m) = 2^−n Σ_h σ'((n − 2h)/√n) · K_h(m),   Σ_h K_h(m) t^h = (1 − t)^m (1 + t)^(n − m)
//! ```
//!
//! (Krawtchouk polynomials; O'Donnell 2014, section 5.3, for majority), and the gap at a set of k inputs is
//! |f̂(k − 1)| − |f̂(k + 1)| (Edelman 2024, definition 5.4). For a ReLU it is half the gap of majority, of lemma B.2.

use vivarium_model::models::Activation;
use vivarium_plot::analysis::gap::relu_majority_gap;

/// Derivative σ'(z) of a neuron's activation function σ (`degree` is its degree, if it has one) at the input z; at a
/// kink the mean of the left and right derivative.
///
/// # Why
///
/// With weights ±1, z is 0 for many inputs. Training takes the derivative of one side there, and these ties alone would
/// give a gap for an odd parity, which definition 5.4 does not intend: almost no weights have ties.
pub fn activation_derivative(activation: Activation, degree: usize, z: f64) -> f64 {
    let k = degree as f64;
    let is_kink = match activation {
        Activation::Relu if z == 0.0 => return 0.5,
        // At the first and the last point the zigzag continues straight.
        Activation::Zigzag => z.abs() < k && (z - k).rem_euclid(2.0) == 0.0,
        Activation::Wave => (z - k).rem_euclid(2.0) == 0.0,
        _ => false,
    };
    if is_kink { 0.0 } else { activation.value_and_slope(degree, z).1 }
}

/// Fourier gap of a neuron with weights ±1/√n and bias 0 (Edelman 2024, definition 5.4): |f̂(k − 1)| − |f̂(k + 1)|,
/// where f̂(m) is the Fourier coefficient of its activation's derivative on `m` inputs, and `degree` is the
/// activation's degree, if it has one. The gap is equal for all sets of `k` relevant inputs out of `n`; it is negative
/// if irrelevant inputs have larger gradient entries, and 0 without relevant inputs.
pub fn sign_neuron_gap(activation: Activation, degree: usize, n: usize, k: usize) -> f64 {
    if k == 0 || k > n {
        return 0.0;
    }
    if activation == Activation::Relu {
        return relu_majority_gap(n, k); // whatever the size of the weights
    }
    let of = |m: usize| {
        fourier_coefficient(n, m, |sum| activation_derivative(activation, degree, sum / libm::sqrt(n as f64)))
    };
    of(k - 1).abs() - if k < n { of(k + 1).abs() } else { 0.0 }
}

/// Fourier coefficient of x ↦ f(Σ x_i) on the parity of `m` of the `n` signs x_i = ±1, equal for all sets of `m`
/// inputs.
fn fourier_coefficient(n: usize, m: usize, f: impl Fn(f64) -> f64) -> f64 {
    // ((1 − t)/2)^m ((1 + t)/2)^(n − m), factor by factor: first what is a distribution, then its differences.
    let mut product = vec![1.0];
    for factor in 0..n {
        let second = if factor < n - m { 0.5 } else { -0.5 };
        product.push(0.0);
        for h in (1..product.len()).rev() {
            product[h] = 0.5 * product[h] + second * product[h - 1];
        }
        product[0] *= 0.5;
    }
    product.iter().enumerate().map(|(h, share)| share * f(n as f64 - 2.0 * h as f64)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_plot::analysis::gap::majority_gap;
    use vivarium_plot::analysis::walsh;

    /// By the full transform of x ↦ σ'(w·x), with weights of both signs, for every activation.
    #[test]
    fn it_is_the_gap_of_the_transform() {
        for &activation in Activation::ALL {
            for (n, k, degree) in
                [(5, 2, 2), (6, 3, 3), (9, 4, 4), (10, 3, 3), (11, 3, 5), (12, 4, 3), (4, 4, 4)]
            {
                let all = walsh::walsh_coefficients(n, |x| {
                    // Signs are added up as whole numbers, so that a tie is a tie.
                    let sum: f64 = x.iter().enumerate().map(|(i, x)| if i % 3 == 1 { -x } else { *x }).sum();
                    activation_derivative(activation, degree, sum / (n as f64).sqrt())
                });
                let set = (1usize << k) - 1;
                let at = |mask: usize| all[mask].abs();
                // Every set of one fewer and of one more has the same coefficient, up to its sign.
                let less = (0..k).map(|i| at(set ^ 1 << i)).fold(f64::INFINITY, f64::min);
                let more = (k..n).map(|i| at(set | 1 << i)).fold(0.0, f64::max);
                let found = sign_neuron_gap(activation, degree, n, k);
                assert!(
                    (found - (less - more)).abs() < 1e-13,
                    "{activation:?} {n} {k}: {found} {less} {more}"
                );
            }
        }
    }

    #[test]
    fn sines_powers_and_relus_have_closed_forms() {
        for (n, k) in [(15usize, 2usize), (15, 3), (20, 4), (50, 3), (101, 5), (400, 6)] {
            let c = 1.0 / (n as f64).sqrt();
            // σ' = (π/2) cos(πz/2 + β) with β = (1 − k)π/2. The mean of e^(iπz/2) χ_m is cos^(n−m) a · (i sin a)^m with
            // a = πc/2; times e^(iβ) it has the real part 1 · … at m = k − 1, and −1 · … at m = k + 1.
            let a = std::f64::consts::FRAC_PI_2 * c;
            let of = |m: usize| a.cos().powi((n - m) as i32) * a.sin().powi(m as i32);
            let expected = std::f64::consts::FRAC_PI_2 * (of(k - 1) - of(k + 1));
            let found = sign_neuron_gap(Activation::Sine, k, n, k);
            assert!((found - expected).abs() < 1e-9 * expected.abs(), "{n} {k}: {found} {expected}");
            // σ' = k z^(k−1): only the products of k − 1 different inputs are of degree k − 1, (k − 1)! each.
            let expected = (1..=k).product::<usize>() as f64 * c.powi(k as i32 - 1);
            let found = sign_neuron_gap(Activation::Power, k, n, k);
            assert!((found - expected).abs() < 1e-6 * expected, "{n} {k}: {found} {expected}");
            assert_eq!(sign_neuron_gap(Activation::Relu, k, n, k), 0.5 * majority_gap(n, k));
        }
        // a = π/(2√15): cos a = 0.918875, sin a = 0.394550, (π/2) · (cos^13 a · sin² a − cos^11 a · sin⁴ a) = 0.066397.
        let gap = sign_neuron_gap(Activation::Sine, 3, 15, 3);
        assert!((gap - 0.066_397).abs() < 1e-6, "{gap}");
    }

    #[test]
    fn kinks_have_the_mean_of_both_slopes() {
        for &activation in Activation::ALL {
            for k in 1..=8 {
                for z in -12..=12 {
                    let (z, h) = (f64::from(z), 1e-6);
                    let value = |z: f64| activation.value_and_slope(k, z).0;
                    let numeric = (value(z + h) - value(z - h)) / (2.0 * h);
                    let found = activation_derivative(activation, k, z);
                    assert!((numeric - found).abs() < 1e-5 * (1.0 + found.abs()), "{activation:?} {k} {z}");
                }
            }
        }
    }
}
