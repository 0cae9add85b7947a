//! Final errors of the networks of a sweep: medians with quartiles over the swept setting.

use super::{LineChart, Role, Series};
use vivarium_core::math::quantile;

/// Lower quartile, median and upper quartile of the finite `values`; `None` if there are none.
pub fn quartiles(values: &[f32]) -> Option<[f32; 3]> {
    let mut sorted: Vec<f64> = values.iter().map(|v| f64::from(*v)).filter(|v| v.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    (!sorted.is_empty()).then(|| [0.25, 0.5, 0.75].map(|share| quantile(&sorted, share) as f32))
}

/// A curve of a sweep: its name, and pairs of a value of the swept setting and the final results, one per network, of
/// the plotted measure such as the error.
pub type SweepCurve = (String, Vec<(f64, Vec<f32>)>);

/// Line chart over a swept setting: at each value the median over the networks of a final result such as the error,
/// with the quartiles as a band; one line per curve.
pub fn chart(curves: &[SweepCurve], x_label: &str, y_label: &str) -> LineChart {
    let roles = [Role::Test, Role::Train, Role::Relevant, Role::Other];
    let curve = |(number, (name, points)): (usize, &SweepCurve)| {
        let mut series = Series {
            name: name.clone(),
            role: roles[number % roles.len()],
            muted_colour: number.checked_sub(roles.len()),
            points: true,
            ..Default::default()
        };
        for (x, values) in points {
            let [low, middle, high] = quartiles(values).unwrap_or([f32::NAN; 3]);
            series.x.push(*x);
            series.y.push(middle);
            series.band.push((low, high));
        }
        series
    };
    LineChart {
        x_label: x_label.into(),
        y_label: y_label.into(),
        series: curves.iter().enumerate().map(curve).collect(),
        ..Default::default()
    }
}

/// Fits the power law y = c·x^α to `points` (x, y) by least squares of the logarithms and returns (c, α); `None` with
/// fewer than two different x, or if a coordinate is not positive and finite.
pub fn fit_power_law(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let are_sound = points.iter().all(|(x, y)| *x > 0.0 && *y > 0.0 && x.is_finite() && y.is_finite());
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (libm::log(*x), libm::log(*y))).collect();
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / logs.len().max(1) as f64;
    let (x, y) = (mean(&|at| at.0), mean(&|at| at.1));
    let spread = mean(&|at| (at.0 - x) * (at.0 - x));
    (are_sound && spread > 0.0).then(|| {
        let exponent = mean(&|at| (at.0 - x) * (at.1 - y)) / spread;
        (libm::exp(y - exponent * x), exponent)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_is_found_again() {
        let points: Vec<(f64, f64)> = [8.0, 16.0, 64.0].iter().map(|x| (*x, 3.0 / (x * x))).collect();
        let (level, exponent) = fit_power_law(&points).unwrap();
        assert!((level - 3.0).abs() < 1e-9 && (exponent + 2.0).abs() < 1e-12);
        // Of a pair at one place and one above, the line goes through the mean of the logarithms.
        let (_, exponent) = fit_power_law(&[(1.0, 1.0), (1.0, 100.0), (10.0, 100.0)]).unwrap();
        assert!((exponent - 1.0).abs() < 1e-12);
        for none in [&[][..], &[(2.0, 1.0)], &[(2.0, 1.0), (2.0, 3.0)], &[(1.0, 0.0), (2.0, 1.0)]] {
            assert_eq!(fit_power_law(none), None);
        }
    }

    #[test]
    fn quartiles_by_hand() {
        assert_eq!(quartiles(&[4.0, 1.0, 3.0, 2.0, 5.0]), Some([2.0, 3.0, 4.0]));
        assert_eq!(quartiles(&[1.0, 2.0, f32::NAN]), Some([1.25, 1.5, 1.75]));
        assert_eq!((quartiles(&[7.0]), quartiles(&[f32::INFINITY])), (Some([7.0; 3]), None));
    }

    #[test]
    fn every_curve_has_its_medians_and_its_own_look() {
        let points = vec![(10.0, vec![0.5, 0.3, 0.4]), (20.0, vec![])];
        let curves: Vec<SweepCurve> = (0..6).map(|i| (format!("curve {i}"), points.clone())).collect();
        let lines = chart(&curves, "m", "error");
        assert_eq!((lines.series[0].x.as_slice(), lines.series[0].y[0]), ([10.0, 20.0].as_slice(), 0.4));
        assert!(lines.series[0].y[1].is_nan());
        let looks: Vec<_> = lines.series.iter().map(|s| (s.role as usize, s.muted_colour)).collect();
        assert!(looks.iter().enumerate().all(|(i, look)| !looks[..i].contains(look)), "{looks:?}");
    }
}
