//! Success threshold of a sweep: the smallest value of a setting at which most trials succeed, as a function of a
//! second setting.
//!
//! ```text
//! m(T) = the smallest m at which at least 80 % of the trials succeed;   m(T) ≈ a + b ln T, by least squares
//! ```
//!
//! (Edelman 2024, figure 4.2 and appendix A.3.1.) An attention head of bounded norms is learned from samples whose
//! size grows with ln T alone (corollary 4.9), and every learner needs about s·log₂ T labels to identify s of T
//! positions, since each label is one bit.

use super::{LineChart, Role, Series};
use vivarium_core::math::LeastSquaresLine;

/// Share of the trials that must succeed at a value of the swept setting for it to reach the success threshold.
pub const REQUIRED_SUCCESS_SHARE: f64 = 0.8;
/// Number of points of each theoretical curve in a chart of success thresholds.
const CURVE_POINTS: usize = 40;

/// The first of the ascending `values` of a setting at which at least [`REQUIRED_SUCCESS_SHARE`] of the trials
/// succeeded; `None` if there is none. `counts` has for each value (successes, trials), or `None` before any trial.
pub fn find_threshold(values: &[f64], counts: &[Option<(usize, usize)>]) -> Option<f64> {
    let is_enough =
        |(some, all): (usize, usize)| all > 0 && some as f64 >= REQUIRED_SUCCESS_SHARE * all as f64 - 1e-9;
    let mut both = values.iter().zip(counts);
    both.find(|(_, count)| count.is_some_and(is_enough)).map(|(value, _)| *value)
}

/// Fits the success threshold m = a + b ln x over a setting x to points (x, m) by least squares and returns (a, b);
/// `None` with fewer than two different x.
pub fn fit_logarithm(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, m)| (libm::log(*x), *m)).collect();
    LeastSquaresLine::fit(&logs).map(|line| (line.intercept, line.slope))
}

/// Line chart of success thresholds, see [`find_threshold`], over a setting x, with the fitted law a + b ln x and
/// proportional growth for comparison; `symbol` is the name of x in the legend. Points are (x, threshold), ascending in
/// x; the threshold is `None` if no value of the sweep reaches it.
pub fn chart(points: &[(f64, Option<f64>)], x_label: &str, y_label: &str, symbol: &str) -> LineChart {
    let known: Vec<(f64, f64)> = points.iter().filter_map(|(x, m)| Some((*x, (*m)?))).collect();
    let ends = known.first().zip(known.last()).filter(|(first, last)| first.0 > 0.0 && last.0 > first.0);
    let most = known.iter().fold(0.0f64, |most, p| most.max(p.1));
    let top = if most > 0.0 { 1.6 * most } else { 100.0 };
    let curve = |name: String, role: Role, of: &dyn Fn(f64) -> f64| {
        let (first, last) = ends.map_or((1.0, 1.0), |(first, last)| (first.0, last.0));
        let place = |i: usize| first * libm::pow(last / first, i as f64 / (CURVE_POINTS - 1) as f64);
        // What grows in proportion soon leaves the chart, and should.
        let x: Vec<f64> = (0..CURVE_POINTS).map(place).filter(|x| of(*x) <= top).collect();
        Series { name, role, y: x.iter().map(|x| of(*x) as f32).collect(), x, ..Default::default() }
    };
    let mut series = vec![Series {
        name: "enough for 80 % of the trials".into(),
        role: Role::Test,
        x: known.iter().map(|p| p.0).collect(),
        y: known.iter().map(|p| p.1 as f32).collect(),
        points: true,
        ..Default::default()
    }];
    if let Some((first, _)) = ends {
        if let Some((a, b)) = fit_logarithm(&known) {
            let name = format!("{a:.0} {} {:.0} ln {symbol}", if b < 0.0 { "−" } else { "+" }, b.abs());
            series.push(curve(name, Role::Train, &|x| a + b * libm::log(x)));
        }
        let name = tr!("in proportion to {symbol}", symbol);
        series.push(curve(name, Role::Other, &|x| first.1 * x / first.0));
    }
    LineChart {
        x_label: x_label.into(),
        y_label: y_label.into(),
        y_range: Some((0.0, top)),
        log_x: points.iter().all(|(x, _)| *x > 0.0),
        series,
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_is_where_four_of_five_succeed_first() {
        let values = [20.0, 30.0, 40.0];
        assert_eq!(find_threshold(&values, &[Some((3, 5)), Some((4, 5)), Some((3, 5))]), Some(30.0));
        assert_eq!(find_threshold(&values, &[Some((3, 5)), None, Some((8, 10))]), Some(40.0));
        assert_eq!(find_threshold(&values, &[Some((0, 0)), Some((39, 50)), None]), None);
    }

    #[test]
    fn a_logarithm_is_fitted_exactly_and_noise_evenly() {
        let points: Vec<(f64, f64)> = [25.0, 50.0, 100.0].map(|x| (x, 7.0 + 11.0 * libm::log(x))).to_vec();
        let (a, b) = fit_logarithm(&points).unwrap();
        assert!((a - 7.0).abs() < 1e-9 && (b - 11.0).abs() < 1e-9);
        let (_, flat) = fit_logarithm(&[(1.0, 3.0), (10.0, 5.0), (100.0, 3.0)]).unwrap();
        assert!(flat.abs() < 1e-9);
        assert_eq!(fit_logarithm(&[(5.0, 3.0), (5.0, 4.0)]), None);
    }

    #[test]
    fn the_chart_has_the_points_and_both_fits() {
        let lines = chart(&[(25.0, Some(30.0)), (50.0, None), (100.0, Some(40.0))], "T", "m", "T");
        let [points, log, proportion] = &lines.series[..] else { panic!("three series") };
        assert_eq!(
            (points.x.as_slice(), points.y.as_slice()),
            ([25.0, 100.0].as_slice(), [30.0, 40.0].as_slice())
        );
        assert!((log.y[0] - 30.0).abs() < 1e-4 && (log.y[CURVE_POINTS - 1] - 40.0).abs() < 1e-4);
        let last = proportion.x.last().copied().unwrap();
        assert!((52.0..=53.4).contains(&last) && lines.log_x, "up to 64 of 30 for 25: {last}");
        assert_eq!(chart(&[(25.0, None)], "T", "m", "T").series.len(), 1);
    }
}
