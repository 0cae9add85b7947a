//! Smoothing of curves by an exponential moving average.

use super::{LineChart, Series};

impl LineChart {
    /// Smooths every curve of the chart that is no staircase and no scatter plot by an exponential moving average with
    /// decay `weight`, below 1; 0 changes nothing. Bands are unchanged.
    pub fn smooth(&mut self, weight: f64) {
        if weight <= 0.0 {
            return;
        }
        for series in self.series.iter_mut().filter(|series| !series.stairs && !series.scatter) {
            series.smooth(weight);
        }
    }
}

impl Series {
    /// Replaces the values of the curve by their exponential moving average with decay `weight`, and keeps the measured
    /// values in `unsmoothed`.
    fn smooth(&mut self, weight: f64) {
        let smooth = exponential_moving_average(&self.y, weight);
        self.unsmoothed = std::mem::replace(&mut self.y, smooth);
    }

    /// The y values before smoothing; if the curve is not smoothed, its y values.
    pub fn measured_values(&self) -> &[f32] {
        if self.unsmoothed.is_empty() { &self.y } else { &self.unsmoothed }
    }
}

/// Exponential moving average with decay `weight` and bias correction (Kingma and Ba 2015, section 3). Values that
/// are not finite are kept and do not enter the average.
fn exponential_moving_average(values: &[f32], weight: f64) -> Vec<f32> {
    let (mut sum, mut all) = (0.0, 0.0);
    let step = |value: &f32| {
        if !value.is_finite() {
            return *value;
        }
        sum = weight * sum + f64::from(*value);
        all = weight * all + 1.0;
        (sum / all) as f32
    };
    values.iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_is_a_weighted_mean_of_those_before() {
        let of = |values: &[f32]| exponential_moving_average(values, 0.5);
        assert_eq!(of(&[4.0, 1.0]), [4.0, 2.0], "(0.5·4 + 1) / 1.5");
        assert_eq!(exponential_moving_average(&[7.0; 50], 0.9), [7.0; 50]);
        let gap = of(&[4.0, f32::NAN, 1.0]);
        assert!(gap[1].is_nan() && gap[2] == 2.0);
    }

    #[test]
    fn what_was_measured_stays_and_dots_and_bars_are_not_smoothed() {
        let one = Series { x: vec![0.0, 1.0], y: vec![4.0, 1.0], ..Default::default() };
        let stairs = Series { stairs: true, ..one.clone() };
        let scatter = Series { scatter: true, ..one.clone() };
        let mut lines = LineChart { series: vec![one, stairs, scatter], ..Default::default() };
        let before = lines.clone();
        lines.smooth(0.0);
        assert_eq!(lines, before);
        lines.smooth(0.5);
        assert_eq!(
            (lines.series[0].y.as_slice(), lines.series[0].measured_values()),
            (&[4.0, 2.0][..], &[4.0, 1.0][..])
        );
        assert_eq!(lines.series[1..], before.series[1..]);
    }
}
