//! Convergence time as a function of a swept setting, and scaling laws fitted to it.
//!
//! ```text
//! t_c ∝ x^α:   ln t = α ln x + c, by least squares over the medians
//! ```
//!
//! and t = a + b ln x, for times that hardly grow.
//!
//! (Edelman 2024, figures 5.1 right, 5.2 right and B.6: t_c ∝ n^α with α growing in k, until an elbow at larger n
//! beyond which it grows faster.)

use super::bootstrap::{self, ScalingLaw, TimedPoint};
use super::convergence::ConvergenceTimes;
use super::{LineChart, Role, Series};
use vivarium_core::math::{LeastSquaresLine, binomial};

/// Convergence times of the replicas at one value of the swept setting.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalingPoint {
    /// Value of the swept setting, such as the number of input bits.
    pub x: f64,
    /// Convergence time of each replica in steps; `None` if it has not converged by `horizon`.
    pub times: Vec<Option<u64>>,
    /// Number of training steps after which a replica that has not converged is given up.
    pub horizon: u64,
}

impl ScalingPoint {
    /// Median convergence time in steps; `None` if fewer than half of the replicas converged (Edelman 2024, appendix
    /// B.4.2).
    pub fn median_time(&self) -> Option<f64> {
        ConvergenceTimes::new(&self.times).median()
    }

    /// 95 % confidence interval (low, high) of the median convergence time in steps; an unbounded end is set to the
    /// horizon.
    pub fn median_interval(&self) -> Option<(f64, f64)> {
        let (low, high) = ConvergenceTimes::new(&self.times).median_interval()?;
        Some((low, high.min(self.horizon as f64)))
    }
}

/// Power law t = scale · x^exponent, fitted to median convergence times t in steps over the swept setting x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerLaw {
    /// Exponent α of t = scale · x^α; its confidence interval is computed by [`slope_interval`].
    pub exponent: f64,
    /// Convergence time t, in training steps, at x = 1.
    pub scale: f64,
}

impl PowerLaw {
    /// The convergence time t, in training steps, that the fitted law gives at `x`.
    pub fn time_at(&self, x: f64) -> f64 {
        self.scale * libm::pow(x, self.exponent)
    }
}

/// Logarithmic law t = level + slope · ln x, fitted to median convergence times t in steps over the swept setting x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogarithmicLaw {
    /// Convergence time t, in training steps, at x = 1.
    pub level: f64,
    /// Increase of the time t, in steps, where ln x increases by 1.
    pub slope: f64,
}

impl LogarithmicLaw {
    /// The convergence time t, in training steps, that the fitted law gives at `x`.
    pub fn time_at(&self, x: f64) -> f64 {
        self.level + self.slope * libm::log(x)
    }
}

/// Pairs (x, median convergence time in steps) of the `points` that have a median, where x is the value of the swept
/// setting; points where x or the median is 0 are left out.
fn median_points(points: &[ScalingPoint]) -> impl Iterator<Item = (f64, f64)> {
    let medians = points.iter().filter_map(|point| Some((point.x, point.median_time()?)));
    medians.filter(|(x, t)| *x > 0.0 && *t > 0.0)
}

/// Pairs (ln x, ln median convergence time in steps) of the `points` that have a median, where x is the value of the
/// swept setting; points where x or the median is 0 are left out.
fn log_log_points(points: &[ScalingPoint]) -> Vec<(f64, f64)> {
    median_points(points).map(|(x, t)| (libm::log(x), libm::log(t))).collect()
}

/// Fits a power law to the median convergence times of the points by least squares of the logarithms; `None` with fewer
/// than two different x.
pub fn fit_power_law(points: &[ScalingPoint]) -> Option<PowerLaw> {
    let line = LeastSquaresLine::fit(&log_log_points(points))?;
    Some(PowerLaw { exponent: line.slope, scale: libm::exp(line.intercept) })
}

/// 95 % bootstrap confidence interval (low, high) of the slope of a scaling law fitted to the median convergence times
/// of the points; `None` if it cannot be computed.
pub fn slope_interval(points: &[ScalingPoint], law: ScalingLaw) -> Option<(f64, f64)> {
    let timed: Vec<TimedPoint> = points.iter().map(|point| (point.x, point.times.as_slice())).collect();
    bootstrap::slope_interval(&timed, law)
}

/// "exponent 0.61, 95 % interval 0.55 to 0.66": describes the fitted power law; `None` if there is no fit, and
/// without an interval if there are too few networks.
pub fn describe_exponent(points: &[ScalingPoint]) -> Option<String> {
    let number = |x: f64| {
        let text = format!("{x:.2}");
        if text == "-0.00" { "0.00".into() } else { text.replace('-', "−") }
    };
    let exponent = number(fit_power_law(points)?.exponent);
    Some(match slope_interval(points, ScalingLaw::Power) {
        Some((low, high)) => tr!(
            "exponent {exponent}, 95 % interval {low} to {high}",
            exponent,
            low = number(low),
            high = number(high)
        ),
        None => tr!("exponent {exponent}", exponent),
    })
}

/// Fits t = a + b ln x to the median convergence times t of the points, in steps, over the swept setting x by least
/// squares; `None` with fewer than two different x.
pub fn fit_logarithm(points: &[ScalingPoint]) -> Option<LogarithmicLaw> {
    let places: Vec<(f64, f64)> = median_points(points).map(|(x, t)| (libm::log(x), t)).collect();
    let LeastSquaresLine { intercept: level, slope } = LeastSquaresLine::fit(&places)?;
    Some(LogarithmicLaw { level, slope })
}

/// Exponents of the power laws of the median convergence time through each two consecutive points that have a median:
/// pairs (geometric mean of the two values x of the swept setting, exponent).
pub fn local_exponents(points: &[ScalingPoint]) -> Vec<(f64, f64)> {
    let slope = |pair: &[(f64, f64)]| {
        let ((x0, t0), (x1, t1)) = (pair[0], pair[1]);
        (x1 > x0).then(|| (libm::exp(0.5 * (x0 + x1)), (t1 - t0) / (x1 - x0)))
    };
    log_log_points(points).windows(2).filter_map(slope).collect()
}

/// Curve of the number C(n, k) of sets of `k` of n bits, which is the expected number of steps of random search for one
/// of them, over the number of bits n in `inputs`.
pub fn random_search_series(inputs: &[usize], k: usize) -> Series {
    Series {
        name: tr!("random search, k = {k}", k),
        role: Role::Other,
        x: inputs.iter().map(|n| *n as f64).collect(),
        y: inputs.iter().map(|n| binomial(*n, k) as f32).collect(),
        ..Default::default()
    }
}

/// Curve, over the network widths r in `widths`, of the expected number of steps in which r random searches in parallel
/// find one of `sets` sets, `sets`/r but at least 1 (Edelman 2024, figure 5.4, left, the green line).
pub fn parallel_search_series(widths: &[usize], sets: f64) -> Series {
    Series {
        name: tr!("random search with one guess per neuron").into(),
        role: Role::Other,
        x: widths.iter().map(|width| *width as f64).collect(),
        y: widths.iter().map(|width| (sets / *width as f64).max(1.0) as f32).collect(),
        ..Default::default()
    }
}

/// Line chart of median convergence times over a swept setting: one curve per name, with confidence intervals as a
/// band and the fitted exponent in the legend; `extra_series` are added unchanged. Points must be in ascending order; a
/// curve has a gap where fewer than half of the replicas converged.
pub fn chart(curves: &[(String, Vec<ScalingPoint>)], x_label: &str, extra_series: Vec<Series>) -> LineChart {
    // Every curve has a colour of its own as long as there are enough of them; none is of training data here.
    let roles = [Role::Test, Role::Train, Role::Relevant, Role::Other];
    let curve = |(i, (name, points)): (usize, &(String, Vec<ScalingPoint>))| {
        let gap = (f32::NAN, f32::NAN);
        let edges = |point: &ScalingPoint| {
            point.median_interval().map_or(gap, |(low, high)| (low as f32, high as f32))
        };
        let mut series = Series {
            name: match describe_exponent(points) {
                Some(exponent) => format!("{name}, {exponent}"),
                None => name.clone(),
            },
            role: roles[i % roles.len()],
            points: true,
            x: points.iter().map(|point| point.x).collect(),
            y: points.iter().map(|point| point.median_time().map_or(f32::NAN, |t| t as f32)).collect(),
            ..Default::default()
        };
        // An interval around a median that does not exist is none.
        series.band = points.iter().map(|p| if p.median_time().is_some() { edges(p) } else { gap }).collect();
        series
    };
    LineChart {
        title: tr!("Median convergence time").into(),
        x_label: x_label.into(),
        y_label: tr!("steps until converged").into(),
        log_x: true,
        log_y: true,
        series: curves.iter().enumerate().map(curve).chain(extra_series).collect(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, times: &[u64], missed: usize) -> ScalingPoint {
        let mut all: Vec<Option<u64>> = times.iter().map(|t| Some(*t)).collect();
        all.extend(vec![None; missed]);
        ScalingPoint { x, times: all, horizon: 100_000 }
    }

    #[test]
    fn an_exact_power_law_is_found_exactly() {
        let points: Vec<ScalingPoint> =
            [10u64, 20, 40, 80].map(|n| point(n as f64, &[3 * n * n], 0)).to_vec();
        let law = fit_power_law(&points).unwrap();
        assert!((law.exponent - 2.0).abs() < 1e-12 && (law.scale - 3.0).abs() < 1e-10, "{law:?}");
        for ((x, exponent), middle) in local_exponents(&points).into_iter().zip([200f64, 800.0, 3200.0]) {
            assert!((exponent - 2.0).abs() < 1e-12 && (x - middle.sqrt()).abs() < 1e-9);
        }
        assert_eq!(
            (
                fit_power_law(&points[..1]),
                fit_power_law(&[]),
                fit_power_law(&[points[0].clone(), points[0].clone()])
            ),
            (None, None, None)
        );
    }

    /// ln t = 0, 1, 1 at ln x = 0, 1, 2, but for a scale: slope ½. t = 1000, 1001, 1001 there: slope ½, level 1000 + 1/6.
    #[test]
    fn both_fits_are_the_closest_to_three_points() {
        let e = std::f64::consts::E;
        let of = |times: [f64; 3]| -> Vec<ScalingPoint> {
            (0..3).zip(times).map(|(x, t)| point(e.powi(x), &[t as u64], 0)).collect()
        };
        assert!((fit_power_law(&of([1e9, 1e9 * e, 1e9 * e])).unwrap().exponent - 0.5).abs() < 1e-8);
        let points = of([1000.0, 1001.0, 1001.0]);
        let law = fit_logarithm(&points).unwrap();
        assert!((law.slope - 0.5).abs() < 1e-9 && (law.level - 1000.0 - 1.0 / 6.0).abs() < 1e-9, "{law:?}");
        assert!((law.time_at(e * e) - 1000.0 - 7.0 / 6.0).abs() < 1e-9);
        assert_eq!(fit_logarithm(&points[..1]), None);
    }

    /// Of times that grow like a logarithm the power law misses more.
    #[test]
    fn both_fits_are_held_against_the_same_points() {
        let times = |n: f64| (500.0 + 2000.0 * n.ln()) as u64;
        let points: Vec<ScalingPoint> =
            [2.0, 4.0, 8.0, 16.0, 32.0].map(|n| point(n, &[times(n)], 0)).to_vec();
        let (power, log) = (fit_power_law(&points).unwrap(), fit_logarithm(&points).unwrap());
        assert!((log.slope - 2000.0).abs() < 1.0, "{log:?}");
        let miss = |t: f64, n: f64| (t / times(n) as f64 - 1.0).abs();
        assert!(miss(power.time_at(32.0), 32.0) > 50.0 * miss(log.time_at(32.0), 32.0), "{power:?} {log:?}");
    }

    #[test]
    fn an_exponent_is_stated_with_its_interval_where_networks_are_enough() {
        let points = |networks: usize| -> Vec<ScalingPoint> {
            [10u64, 20, 40].map(|n| point(n as f64, &vec![n * n; networks], 0)).to_vec()
        };
        assert_eq!(describe_exponent(&points(5)).unwrap(), "exponent 2.00, 95 % interval 2.00 to 2.00");
        assert_eq!(describe_exponent(&points(4)).unwrap(), "exponent 2.00");
        assert_eq!(describe_exponent(&points(9)[..1]), None);
        let still: Vec<ScalingPoint> = [10.0, 20.0].map(|n| point(n, &[100], 0)).to_vec();
        assert_eq!(describe_exponent(&still).unwrap(), "exponent 0.00");
    }

    #[test]
    fn an_elbow_shows_in_the_local_exponents() {
        let time = |n: u64| if n <= 40 { n * n } else { n * n * n / 40 };
        let points: Vec<ScalingPoint> =
            [10, 20, 40, 80, 160].map(|n| point(n as f64, &[time(n)], 0)).to_vec();
        let exponents: Vec<f64> = local_exponents(&points).into_iter().map(|(_, e)| e).collect();
        for (found, expected) in exponents.iter().zip([2.0, 2.0, 3.0, 3.0]) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn a_curve_stops_where_fewer_than_half_converge() {
        let points =
            vec![point(10.0, &[100, 110, 120], 0), point(20.0, &[200, 210, 220], 2), point(40.0, &[900], 4)];
        let law = fit_power_law(&points).unwrap();
        assert!((law.exponent - 1.0).abs() < 1e-12, "medians 110 and 220: {law:?}");
        let lines = chart(&[("k = 3".into(), points)], "inputs n", vec![random_search_series(&[10, 20], 3)]);
        assert!(lines.log_x);
        let [curve, search] = &lines.series[..] else { panic!("two series") };
        assert_eq!(curve.name, "k = 3, exponent 1.00");
        assert_eq!(curve.y[..2], [110.0, 220.0]);
        assert!(curve.y[2].is_nan() && curve.band[2].0.is_nan());
        assert!(curve.band[0].0 >= 100.0 && curve.band[0].1 <= 120.0);
        assert_eq!(curve.band[1].1, 100_000.0, "an open interval ends at the horizon");
        assert_eq!(search.y, [120.0, 1140.0]);
    }

    #[test]
    fn curves_have_colours_of_their_own_and_falling_ones_a_minus() {
        let falling = vec![point(10.0, &[200], 0), point(100.0, &[20], 0)];
        let curves: Vec<_> = ["a", "b", "c", "d"].map(|name| (name.to_string(), falling.clone())).to_vec();
        let lines = chart(&curves, "width", vec![]);
        assert_eq!(lines.series[0].name, "a, exponent −1.00");
        let roles: Vec<Role> = lines.series.iter().map(|s| s.role).collect();
        assert!((1..4).all(|i| !roles[..i].contains(&roles[i])), "{roles:?}");
    }
}
