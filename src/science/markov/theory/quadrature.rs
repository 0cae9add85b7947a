//! Gauss–Legendre quadrature.

/// The `count` nodes of Gauss–Legendre quadrature in the interval (0, 1) and their weights, which sum to 1, as
/// pairs (node, weight). The weighted sum over the nodes integrates polynomials up to degree 2·`count` − 1 exactly.
///
/// Nodes are the zeros of the Legendre polynomial by Newton's method from the guess cos(π(i − ¼)/(n + ½)) (Press et al.
/// 2007, Numerical Recipes, section 4.6).
pub fn gauss_legendre(count: usize) -> Vec<(f64, f64)> {
    let n = count as f64;
    let node = |i: usize| {
        let mut x = libm::cos(std::f64::consts::PI * (i as f64 + 0.75) / (n + 0.5));
        let mut derivative = 1.0;
        // Newton converges quadratically from this guess; four iterations suffice for every count.
        for _ in 0..8 {
            let (value, before) = legendre_pair(count, x);
            derivative = n * (x * value - before) / (x * x - 1.0);
            x -= value / derivative;
        }
        (0.5 * (1.0 - x), 1.0 / ((1.0 - x * x) * derivative * derivative))
    };
    (0..count).map(node).collect()
}

/// Values at `x` of the Legendre polynomial of degree `count` and of that of degree `count` − 1.
fn legendre_pair(count: usize, x: f64) -> (f64, f64) {
    let (mut value, mut before) = (1.0, 0.0);
    for k in 0..count {
        let k = k as f64;
        (value, before) = (((2.0 * k + 1.0) * x * value - k * before) / (k + 1.0), value);
    }
    (value, before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_integrated_exactly() {
        for count in [1, 2, 5, 20, 60, 61] {
            let nodes = gauss_legendre(count);
            assert!(nodes.windows(2).all(|w| w[0].0 < w[1].0) && nodes[0].0 > 0.0);
            for degree in [0, 1, count, 2 * count - 1] {
                let found: f64 = nodes.iter().map(|(x, w)| w * x.powi(degree as i32)).sum();
                let expected = 1.0 / (degree as f64 + 1.0);
                assert!((found - expected).abs() < 1e-14, "{count} {degree}: {found}");
            }
        }
        let two = gauss_legendre(2);
        assert!((two[0].0 - (0.5 - 0.5 / 3f64.sqrt())).abs() < 1e-15 && (two[1].1 - 0.5).abs() < 1e-15);
    }

    #[test]
    fn a_logarithm_is_integrated_accurately() {
        let found: f64 = gauss_legendre(60).iter().map(|(x, w)| w / (1.0 + x)).sum();
        assert!((found - std::f64::consts::LN_2).abs() < 1e-15);
    }
}
