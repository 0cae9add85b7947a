//! Closed form of the loss plateau: gradient flow of a disjoint-PolyNet under the correlation loss.
//!
//! The n = k·n' inputs are cut into k blocks of n' with one relevant coordinate each, and
//! f(x) = ∏_i ⟨w_i, x_{P_i}⟩. With v_i the relevant and u_i the n'−1 other weights of block i, population gradient
//! flow leaves every u_i where it is, and
//!
//! ```text
//! v_i' = ∏_{j≠i} v_j
//! err  = ½ − ½ ∏_i (1 − 2 Pr_z[u_i·z > |v_i|])
//! ```
//!
//! where no ⟨w_i, x_{P_i}⟩ can be 0 and ∏ v_i > 0 (Edelman 2024, section 5.4.2, theorem 5.7, lemmas B.8 and B.9).

use super::{LineChart, Role, Series};

/// Relevant weight v(t) of every block of a disjoint PolyNet with `k` blocks at time t of gradient flow, if all
/// relevant weights start at one: (1 − (k−2)t)^(−1/(k−2)), e^t for k = 2; infinite from [`blow_up_time`] on.
pub fn symmetric_weight(k: usize, t: f64) -> f64 {
    let power = k as f64 - 2.0;
    match k {
        2 => libm::exp(t),
        _ if t >= blow_up_time(k) => f64::INFINITY,
        _ => libm::pow(1.0 - power * t, -1.0 / power),
    }
}

/// The time of gradient flow at which [`symmetric_weight`] reaches `v` ≥ 1: (1 − v^(2−k)) / (k−2), and ln v for k = 2.
pub fn time_to_reach(k: usize, v: f64) -> f64 {
    let power = k as f64 - 2.0;
    if k == 2 { libm::log(v) } else { (1.0 - libm::pow(v, -power)) / power }
}

/// The time of gradient flow at which the relevant weights of a disjoint PolyNet with `k` blocks become infinite if all
/// start at one, 1/(k−2); infinite for k ≤ 2.
pub fn blow_up_time(k: usize) -> f64 {
    if k > 2 { 1.0 / (k as f64 - 2.0) } else { f64::INFINITY }
}

/// Gradient flow of the relevant weights v_i of a disjoint PolyNet, a product of linear functions of disjoint blocks of
/// inputs, under the correlation loss, from any initial values: dv_i/dt = ∏_{j≠i} v_j.
#[derive(Debug, Clone, PartialEq)]
pub struct GradientFlow {
    /// The relevant weights now, one per block of inputs.
    pub v: Vec<f64>,
    /// Time since the start of gradient flow, in units in which dv_i/dt = ∏_{j≠i} v_j.
    pub time: f64,
}

impl GradientFlow {
    /// Starts the flow at time 0 from the relevant weights `v`, one per block.
    pub fn new(v: &[f64]) -> Self {
        GradientFlow { v: v.to_vec(), time: 0.0 }
    }

    /// Integrates the flow until `time`, or until a weight exceeds `max_weight`, by the classical Runge–Kutta method
    /// in steps that change no weight by more than 1 % of the largest.
    pub fn advance(&mut self, time: f64, max_weight: f64) {
        while self.time < time {
            let largest = self.v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            let slope1 = compute_gradient(&self.v);
            let fastest = slope1.iter().fold(0.0f64, |m, s| m.max(s.abs()));
            // A start at zero stays there.
            if largest > max_weight || fastest == 0.0 {
                break;
            }
            let step = (time - self.time).min(0.01 * largest / fastest);
            let moved = |slope: &[f64], share: f64| -> Vec<f64> {
                self.v.iter().zip(slope).map(|(v, s)| v + share * step * s).collect()
            };
            let slope2 = compute_gradient(&moved(&slope1, 0.5));
            let slope3 = compute_gradient(&moved(&slope2, 0.5));
            let slope4 = compute_gradient(&moved(&slope3, 1.0));
            for (i, v) in self.v.iter_mut().enumerate() {
                *v += step / 6.0 * (slope1[i] + 2.0 * slope2[i] + 2.0 * slope3[i] + slope4[i]);
            }
            self.time += step;
        }
    }
}

/// The derivative ∏_{j≠i} v_j of each relevant weight v_i with respect to time, computed without a division that could
/// be by zero.
fn compute_gradient(v: &[f64]) -> Vec<f64> {
    (0..v.len()).map(|i| v.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, v)| v).product()).collect()
}

/// Probability over uniform random signs z that the relevant weight `v` decides the sign of its block, Pr[|u·z| ≤ |v|],
/// where `u` are the irrelevant weights of the block. Computed by trying all signs; `None` for more than 20 irrelevant
/// weights.
pub fn exact_dominance(v: f64, u: &[f64]) -> Option<f64> {
    let inside = |signs: &u32| {
        let sum: f64 = u.iter().enumerate().map(|(i, u)| if signs >> i & 1 == 1 { -u } else { *u }).sum();
        sum.abs() <= v.abs()
    };
    let points = 1u32 << u.len().min(20);
    (u.len() <= 20).then(|| (0..points).filter(inside).count() as f64 / f64::from(points))
}

/// Normal approximation of [`exact_dominance`] for a relevant weight `v` beside many irrelevant weights of Euclidean
/// norm `norm`: erf(|v| / (√2·`norm`)) (Edelman 2024, lemma B.9, by Berry and Esseen).
pub fn approximate_dominance(v: f64, norm: f64) -> f64 {
    if norm > 0.0 { libm::erf(v.abs() / (std::f64::consts::SQRT_2 * norm)) } else { 1.0 }
}

/// Classification error, from 0 to 1, of a disjoint PolyNet on the parity of its relevant inputs, with the relevant
/// weight of each block in `v`: ½ − ½·s·∏ `dominance`, where s is the sign of the product of these weights and
/// `dominance` has for each block the probability that its relevant weight decides the sign of the block.
pub fn parity_error(v: &[f64], dominance: &[f64]) -> f64 {
    let sign = v.iter().map(|v| v.signum()).product::<f64>();
    0.5 - 0.5 * sign * dominance.iter().product::<f64>()
}

/// Share of its time that gradient flow of a disjoint PolyNet, from weights of one, spends at an error of at least ½ −
/// γ: T(½ − γ) / T(0) of Edelman 2024, theorem 5.7, where γ = `gamma` and T(e) is the time at which the error falls to
/// e. Assumes `k` ≥ 3 blocks of `block` inputs each, and uses the normal approximation of [`approximate_dominance`].
///
/// T(0) is taken to be [`blow_up_time`], as in the proof of corollary B.10. The error is zero already where the
/// relevant weights reach `block` − 1, so the true share is slightly larger.
pub fn plateau_share(k: usize, block: usize, gamma: f64) -> f64 {
    let norm = libm::sqrt((block as f64 - 1.0).max(0.0));
    let wanted = libm::pow(2.0 * gamma, 1.0 / k as f64);
    let (mut low, mut high) = (1.0, 1.0 + 40.0 * norm);
    if approximate_dominance(low, norm) >= wanted {
        return 0.0;
    }
    // Each halving is one bit of the weight at which the error is ½ − γ.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let reached = approximate_dominance(middle, norm) >= wanted;
        (low, high) = if reached { (low, middle) } else { (middle, high) };
    }
    time_to_reach(k, low) / blow_up_time(k)
}

/// Line chart of the error of a disjoint PolyNet with `k` ≥ 3 blocks over the time of gradient flow, as a share of
/// [`blow_up_time`], for weights that start at one; one curve for each number of inputs per block in `blocks`.
pub fn chart(k: usize, blocks: &[usize]) -> LineChart {
    /// Number of points of each error curve, over the time of gradient flow.
    const POINTS: usize = 400;
    let curve = |block: &usize| {
        let share = |i: usize| i as f64 / POINTS as f64;
        let norm = libm::sqrt((*block as f64 - 1.0).max(0.0));
        let at = |i: usize| {
            let v = symmetric_weight(k, share(i) * blow_up_time(k));
            parity_error(&vec![v; k], &vec![approximate_dominance(v, norm); k]) as f32
        };
        Series {
            name: tr!("{block} inputs per factor of the product", block),
            role: Role::Train,
            x: (0..=POINTS).map(share).collect(),
            y: (0..=POINTS).map(at).collect(),
            ..Default::default()
        }
    };
    LineChart {
        title: tr!("The plateau of gradient flow").into(),
        x_label: tr!("time (at 1, the weights become infinite)").into(),
        y_label: tr!("error").into(),
        y_range: Some((0.0, 0.52)),
        series: blocks.iter().map(curve).collect(),
        reference_lines: vec![(0.5, tr!("chance").into())],
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::walsh;

    #[test]
    fn ones_follow_the_closed_form() {
        for k in 1..=6 {
            let until = 0.9 * blow_up_time(k).min(1.0);
            let mut flow = GradientFlow::new(&vec![1.0; k]);
            flow.advance(until, 1e9);
            assert_eq!(flow.time, until);
            for v in &flow.v {
                assert!(
                    (v / symmetric_weight(k, until) - 1.0).abs() < 1e-7,
                    "{k}: {v} {}",
                    symmetric_weight(k, until)
                );
            }
            assert!((time_to_reach(k, symmetric_weight(k, until)) - until).abs() < 1e-12);
        }
        assert_eq!((symmetric_weight(3, 1.0), symmetric_weight(4, 0.5)), (f64::INFINITY, f64::INFINITY));
    }

    #[test]
    fn two_weights_follow_the_hyperbola_and_squares_move_in_lockstep() {
        let mut flow = GradientFlow::new(&[1.5, -0.5]);
        flow.advance(2.0, 1e9);
        let expected = 1.5 * 2f64.cosh() - 0.5 * 2f64.sinh();
        assert!((flow.v[0] / expected - 1.0).abs() < 1e-7, "{:?} {expected}", flow.v);
        // Lemma B.8: v_i² − v_i(0)² is the same for all i, through a change of sign too.
        let start = [0.8, -0.3, 1.7, 0.9];
        let mut flow = GradientFlow::new(&start);
        flow.advance(f64::INFINITY, 100.0);
        assert!(flow.v.iter().product::<f64>() > 0.0);
        let gained: Vec<f64> = flow.v.iter().zip(start).map(|(v, s)| v * v - s * s).collect();
        assert!(gained.iter().all(|g| (g / gained[0] - 1.0).abs() < 1e-6), "{gained:?}");
        let mut still = GradientFlow::new(&[0.0; 3]);
        still.advance(1.0, 1e9);
        assert_eq!(still.v, [0.0; 3]);
    }

    /// Both bounds of lemma B.8 of Edelman 2024.
    #[test]
    fn times_are_within_the_bounds_of_lemma_b8() {
        let start: [f64; 4] = [0.5, 0.8, 1.1, 1.4];
        let (k, power) = (4.0, -1.0);
        let arithmetic = start.iter().map(|v| v * v).sum::<f64>() / k;
        let geometric = libm::pow(start.iter().map(|v| v * v).product(), 1.0 / k);
        let time = |limit: f64| {
            let mut flow = GradientFlow::new(&start);
            flow.advance(f64::INFINITY, limit);
            (flow.time, flow.v[3])
        };
        let (forever, _) = time(1e5);
        for limit in [2.0, 5.0, 20.0] {
            let (at, b) = time(limit);
            let gained = b * b - start[3] * start[3];
            let least = (libm::pow(arithmetic, power) - libm::pow(arithmetic + gained, power)) / (k - 2.0);
            let rest = libm::pow(geometric + gained, power) / (k - 2.0);
            assert!(at >= least - 1e-9 && forever - at <= rest + 1e-9, "{limit}: {at} {least} {rest}");
        }
    }

    /// Three blocks of three weights, the first of each relevant, by brute force over 2⁹ points.
    #[test]
    fn only_relevant_weights_have_a_gradient_and_the_error_is_the_identity() {
        let w = [[0.9, 0.31, -0.52], [-1.3, 0.77, 0.61], [-0.4, 0.2, 0.35]];
        let form = |i: usize, x: &[f64]| (0..3).map(|j| w[i][j] * x[3 * i + j]).sum::<f64>();
        let y = |x: &[f64]| x[0] * x[3] * x[6];
        let v = [w[0][0], w[1][0], w[2][0]];
        for (i, slope) in compute_gradient(&v).into_iter().enumerate() {
            for j in 0..3 {
                let others =
                    |x: &[f64]| (0..3).filter(|other| *other != i).map(|o| form(o, x)).product::<f64>();
                let mean = walsh::walsh_coefficients(9, |x| y(x) * others(x) * x[3 * i + j])[0];
                assert!((mean - if j == 0 { slope } else { 0.0 }).abs() < 1e-14, "{i} {j}");
            }
        }
        let wrong =
            |x: &[f64]| if (0..3).map(|i| form(i, x)).product::<f64>() * y(x) > 0.0 { 0.0 } else { 1.0 };
        let holds: Vec<f64> = w.iter().map(|w| exact_dominance(w[0], &w[1..]).unwrap()).collect();
        assert!(holds.iter().filter(|h| **h < 1.0).count() == 3 - 1);
        assert!((walsh::walsh_coefficients(9, wrong)[0] - parity_error(&v, &holds)).abs() < 1e-14);
        let flipped = [-v[0], v[1], v[2]];
        assert!((parity_error(&flipped, &holds) + parity_error(&v, &holds) - 1.0).abs() < 1e-14);
    }

    #[test]
    fn many_weights_are_nearly_normal() {
        let u = [1.0; 20];
        // Halfway between two values that the sum can take.
        for v in [1.0, 3.0, 7.0, 13.0] {
            let (exact, near) = (exact_dominance(v, &u).unwrap(), approximate_dominance(v, 20f64.sqrt()));
            assert!((exact - near).abs() < 0.005, "{v}: {exact} {near}");
        }
        assert_eq!(exact_dominance(1.0, &[1.0; 21]), None);
        assert_eq!((exact_dominance(0.1, &[]), approximate_dominance(0.1, 0.0)), (Some(1.0), 1.0));
    }

    /// Theorem 5.7 of Edelman 2024: the share of the plateau tends to one as (n')^(1−k/2).
    #[test]
    fn the_plateau_takes_nearly_all_of_the_time() {
        for (k, shares) in
            [(3, [0.04, 0.34, 0.54, 0.68]), (4, [0.54, 0.78, 0.89, 0.95]), (6, [0.95, 0.989, 0.997, 0.9994])]
        {
            for (block, expected) in [10, 20, 40, 80].into_iter().zip(shares) {
                let share = plateau_share(k, block, 0.01);
                let digits = if expected > 0.98 { 5e-4 } else { 5e-3 };
                assert!((share - expected).abs() <= digits, "{k} {block}: {share}");
            }
            let rest = |block| 1.0 - plateau_share(k, block, 0.01);
            let power = libm::log2(rest(20_000) / rest(10_000));
            assert!((power - (1.0 - 0.5 * k as f64)).abs() < 0.01, "{power}");
        }
        assert_eq!(plateau_share(3, 1, 0.01), 0.0);
    }

    #[test]
    fn the_chart_ends_at_no_error_and_stays_on_the_plateau_as_long_as_it_says() {
        let lines = chart(3, &[20, 80]);
        for (series, block) in lines.series.iter().zip([20, 80]) {
            assert_eq!(series.y.last(), Some(&0.0));
            let on = series.y.iter().filter(|error| **error >= 0.49).count() as f64 / 401.0;
            assert!((on - plateau_share(3, block, 0.01)).abs() < 0.01);
        }
    }
}
