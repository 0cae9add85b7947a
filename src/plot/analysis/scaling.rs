//! How convergence time grows with a knob, and the laws that fit it.
//!
//! ```text
//! t_c ∝ x^α:   ln t = α ln x + c, by least squares over the medians
//! ```
//!
//! beside t = a + b ln x, which a time that hardly grows follows.
//!
//! (Edelman 2024, figures 5.1 right, 5.2 right and B.6: t_c ∝ n^α with α growing in k, until an elbow at larger n
//! beyond which it grows faster.)

use super::bootstrap::{self, Law, Timed};
use super::convergence::Times;
use super::{Lines, Role, Series};
use vivarium_core::math::{Line, binomial};

/// The replicas at one value of the knob.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Value of the knob.
    pub x: f64,
    /// Convergence times, `None` for a replica that has not converged by the horizon.
    pub times: Vec<Option<u64>>,
    /// Steps after which replicas were given up.
    pub horizon: u64,
}

impl Point {
    /// The median time; none if fewer than half of the replicas converged (appendix B.4.2).
    pub fn median(&self) -> Option<f64> {
        Times::new(&self.times).median()
    }

    /// The 95 % interval of the median, an open end at the horizon.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let (low, high) = Times::new(&self.times).median_interval()?;
        Some((low, high.min(self.horizon as f64)))
    }
}

/// t = scale · x^exponent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerLaw {
    /// α. Its interval is that of resampled networks ([`interval`]), not of the least squares.
    pub exponent: f64,
    /// t at x = 1.
    pub scale: f64,
}

impl PowerLaw {
    /// t at x.
    pub fn at(&self, x: f64) -> f64 {
        self.scale * libm::pow(x, self.exponent)
    }
}

/// t = level + slope · ln x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogLaw {
    /// a, which is t at x = 1.
    pub level: f64,
    /// b.
    pub slope: f64,
}

impl LogLaw {
    /// t at x.
    pub fn at(&self, x: f64) -> f64 {
        self.level + self.slope * libm::log(x)
    }
}

/// Places and medians, of the points that have them.
fn medians(points: &[Point]) -> impl Iterator<Item = (f64, f64)> {
    let medians = points.iter().filter_map(|point| Some((point.x, point.median()?)));
    medians.filter(|(x, t)| *x > 0.0 && *t > 0.0)
}

/// Places and medians in logarithms, of the points that have them.
fn logarithms(points: &[Point]) -> Vec<(f64, f64)> {
    medians(points).map(|(x, t)| (libm::log(x), libm::log(t))).collect()
}

/// The power law closest to the medians, by least squares in logarithms; none without two different places.
pub fn fit(points: &[Point]) -> Option<PowerLaw> {
    let line = Line::through(&logarithms(points))?;
    Some(PowerLaw { exponent: line.slope, scale: libm::exp(line.level) })
}

/// The 95 % interval of the slope of a law through these points, over resampled networks.
pub fn interval(points: &[Point], law: Law) -> Option<(f64, f64)> {
    let timed: Vec<Timed> = points.iter().map(|point| (point.x, point.times.as_slice())).collect();
    bootstrap::interval(&timed, law)
}

/// "exponent 0.61, 95 % interval 0.55 to 0.66": the power law of these points, everywhere in the same words; none where
/// none can be fitted, and no interval where networks are too few for one.
pub fn exponent(points: &[Point]) -> Option<String> {
    let number = |x: f64| {
        let text = format!("{x:.2}");
        if text == "-0.00" { "0.00".into() } else { text.replace('-', "−") }
    };
    let exponent = number(fit(points)?.exponent);
    Some(match interval(points, Law::Power) {
        Some((low, high)) => tr!(
            "exponent {exponent}, 95 % interval {low} to {high}",
            exponent,
            low = number(low),
            high = number(high)
        ),
        None => tr!("exponent {exponent}", exponent),
    })
}

/// The law a + b ln x closest to the medians, by least squares; none without two different places.
pub fn fit_logarithm(points: &[Point]) -> Option<LogLaw> {
    let places: Vec<(f64, f64)> = medians(points).map(|(x, t)| (libm::log(x), t)).collect();
    let Line { level, slope } = Line::through(&places)?;
    Some(LogLaw { level, slope })
}

/// The exponent between each two neighbouring medians, at the geometric mean of their places: where it rises is
/// the elbow.
pub fn local_exponents(points: &[Point]) -> Vec<(f64, f64)> {
    let slope = |pair: &[(f64, f64)]| {
        let ((x0, t0), (x1, t1)) = (pair[0], pair[1]);
        (x1 > x0).then(|| (libm::exp(0.5 * (x0 + x1)), (t1 - t0) / (x1 - x0)))
    };
    logarithms(points).windows(2).filter_map(slope).collect()
}

/// The mean number of steps of random search, C(n, k), at these numbers of inputs.
pub fn random_search(inputs: &[usize], k: usize) -> Series {
    Series {
        name: tr!("random search, k = {k}", k),
        role: Role::Other,
        x: inputs.iter().map(|n| *n as f64).collect(),
        y: inputs.iter().map(|n| binomial(*n, k) as f32).collect(),
        ..Default::default()
    }
}

/// The mean number of steps of as many random searches at once as a network has neurons, C(n, k)/r (the green line
/// of figure 5.4, left).
pub fn parallel_search(widths: &[usize], sets: f64) -> Series {
    Series {
        name: tr!("random search with one guess per neuron").into(),
        role: Role::Other,
        x: widths.iter().map(|width| *width as f64).collect(),
        y: widths.iter().map(|width| (sets / *width as f64).max(1.0) as f32).collect(),
        ..Default::default()
    }
}

/// Median convergence times against a knob, one curve per name with the intervals as a band and the fitted exponent
/// in its name; `others` are drawn beside them. Points are expected in rising order. A curve has a gap where fewer
/// than half of the replicas converged.
pub fn chart(curves: &[(String, Vec<Point>)], x_label: &str, others: Vec<Series>) -> Lines {
    // Every curve has a colour of its own as long as there are enough of them; none is of training data here.
    let roles = [Role::Test, Role::Train, Role::Relevant, Role::Other];
    let curve = |(i, (name, points)): (usize, &(String, Vec<Point>))| {
        let gap = (f32::NAN, f32::NAN);
        let edges = |point: &Point| point.interval().map_or(gap, |(low, high)| (low as f32, high as f32));
        let mut series = Series {
            name: match exponent(points) {
                Some(exponent) => format!("{name}, {exponent}"),
                None => name.clone(),
            },
            role: roles[i % roles.len()],
            points: true,
            x: points.iter().map(|point| point.x).collect(),
            y: points.iter().map(|point| point.median().map_or(f32::NAN, |t| t as f32)).collect(),
            ..Default::default()
        };
        // An interval around a median that does not exist is none.
        series.band = points.iter().map(|p| if p.median().is_some() { edges(p) } else { gap }).collect();
        series
    };
    Lines {
        title: tr!("Median convergence time").into(),
        x_label: x_label.into(),
        y_label: tr!("steps until converged").into(),
        log_x: true,
        log_y: true,
        series: curves.iter().enumerate().map(curve).chain(others).collect(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, times: &[u64], missed: usize) -> Point {
        let mut all: Vec<Option<u64>> = times.iter().map(|t| Some(*t)).collect();
        all.extend(vec![None; missed]);
        Point { x, times: all, horizon: 100_000 }
    }

    #[test]
    fn an_exact_power_law_is_found_exactly() {
        let points: Vec<Point> = [10u64, 20, 40, 80].map(|n| point(n as f64, &[3 * n * n], 0)).to_vec();
        let law = fit(&points).unwrap();
        assert!((law.exponent - 2.0).abs() < 1e-12 && (law.scale - 3.0).abs() < 1e-10, "{law:?}");
        for ((x, exponent), middle) in local_exponents(&points).into_iter().zip([200f64, 800.0, 3200.0]) {
            assert!((exponent - 2.0).abs() < 1e-12 && (x - middle.sqrt()).abs() < 1e-9);
        }
        assert_eq!(
            (fit(&points[..1]), fit(&[]), fit(&[points[0].clone(), points[0].clone()])),
            (None, None, None)
        );
    }

    /// ln t = 0, 1, 1 at ln x = 0, 1, 2, but for a scale: slope ½. t = 1000, 1001, 1001 there: slope ½, level 1000 + 1/6.
    #[test]
    fn both_laws_are_the_closest_to_three_points() {
        let e = std::f64::consts::E;
        let of = |times: [f64; 3]| -> Vec<Point> {
            (0..3).zip(times).map(|(x, t)| point(e.powi(x), &[t as u64], 0)).collect()
        };
        assert!((fit(&of([1e9, 1e9 * e, 1e9 * e])).unwrap().exponent - 0.5).abs() < 1e-8);
        let points = of([1000.0, 1001.0, 1001.0]);
        let law = fit_logarithm(&points).unwrap();
        assert!((law.slope - 0.5).abs() < 1e-9 && (law.level - 1000.0 - 1.0 / 6.0).abs() < 1e-9, "{law:?}");
        assert!((law.at(e * e) - 1000.0 - 7.0 / 6.0).abs() < 1e-9);
        assert_eq!(fit_logarithm(&points[..1]), None);
    }

    /// Of times that grow like a logarithm the power law misses more.
    #[test]
    fn both_laws_are_held_against_the_same_points() {
        let times = |n: f64| (500.0 + 2000.0 * n.ln()) as u64;
        let points: Vec<Point> = [2.0, 4.0, 8.0, 16.0, 32.0].map(|n| point(n, &[times(n)], 0)).to_vec();
        let (power, log) = (fit(&points).unwrap(), fit_logarithm(&points).unwrap());
        assert!((log.slope - 2000.0).abs() < 1.0, "{log:?}");
        let miss = |t: f64, n: f64| (t / times(n) as f64 - 1.0).abs();
        assert!(miss(power.at(32.0), 32.0) > 50.0 * miss(log.at(32.0), 32.0), "{power:?} {log:?}");
    }

    #[test]
    fn an_exponent_is_said_with_its_interval_where_networks_are_enough() {
        let points = |networks: usize| -> Vec<Point> {
            [10u64, 20, 40].map(|n| point(n as f64, &vec![n * n; networks], 0)).to_vec()
        };
        assert_eq!(exponent(&points(5)).unwrap(), "exponent 2.00, 95 % interval 2.00 to 2.00");
        assert_eq!(exponent(&points(4)).unwrap(), "exponent 2.00");
        assert_eq!(exponent(&points(9)[..1]), None);
        let still: Vec<Point> = [10.0, 20.0].map(|n| point(n, &[100], 0)).to_vec();
        assert_eq!(exponent(&still).unwrap(), "exponent 0.00");
    }

    #[test]
    fn an_elbow_shows_in_the_local_exponents() {
        let time = |n: u64| if n <= 40 { n * n } else { n * n * n / 40 };
        let points: Vec<Point> = [10, 20, 40, 80, 160].map(|n| point(n as f64, &[time(n)], 0)).to_vec();
        let exponents: Vec<f64> = local_exponents(&points).into_iter().map(|(_, e)| e).collect();
        for (found, expected) in exponents.iter().zip([2.0, 2.0, 3.0, 3.0]) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn a_curve_stops_where_fewer_than_half_converge() {
        let points =
            vec![point(10.0, &[100, 110, 120], 0), point(20.0, &[200, 210, 220], 2), point(40.0, &[900], 4)];
        let law = fit(&points).unwrap();
        assert!((law.exponent - 1.0).abs() < 1e-12, "medians 110 and 220: {law:?}");
        let lines = chart(&[("k = 3".into(), points)], "inputs n", vec![random_search(&[10, 20], 3)]);
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
