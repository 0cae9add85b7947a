//! Smoother curves, with what was measured behind them.

use super::{Lines, Series};

impl Lines {
    /// Smooths every curve that goes through its values by an exponential moving average in which the measurement
    /// before the newest counts `weight` times as much, and so on; 0 leaves all as it is. Bands stay as they are.
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
    fn smooth(&mut self, weight: f64) {
        let smooth = average(&self.y, weight);
        self.raw = std::mem::replace(&mut self.y, smooth);
    }

    /// What was measured, smoothed or not.
    pub fn measured(&self) -> &[f32] {
        if self.raw.is_empty() { &self.y } else { &self.raw }
    }
}

/// Exponential moving average, freed of its bias to the first value as Kingma and Ba (2015, section 3) do it: each
/// value is a weighted mean of those up to it. What is not finite stays so, and counts for nothing.
fn average(values: &[f32], weight: f64) -> Vec<f32> {
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
        let of = |values: &[f32]| average(values, 0.5);
        assert_eq!(of(&[4.0, 1.0]), [4.0, 2.0], "(0.5·4 + 1) / 1.5");
        assert_eq!(average(&[7.0; 50], 0.9), [7.0; 50]);
        let gap = of(&[4.0, f32::NAN, 1.0]);
        assert!(gap[1].is_nan() && gap[2] == 2.0);
    }

    #[test]
    fn what_was_measured_stays_and_dots_and_bars_are_not_smoothed() {
        let one = Series { x: vec![0.0, 1.0], y: vec![4.0, 1.0], ..Default::default() };
        let stairs = Series { stairs: true, ..one.clone() };
        let scatter = Series { scatter: true, ..one.clone() };
        let mut lines = Lines { series: vec![one, stairs, scatter], ..Default::default() };
        let before = lines.clone();
        lines.smooth(0.0);
        assert_eq!(lines, before);
        lines.smooth(0.5);
        assert_eq!(
            (lines.series[0].y.as_slice(), lines.series[0].measured()),
            (&[4.0, 2.0][..], &[4.0, 1.0][..])
        );
        assert_eq!(lines.series[1..], before.series[1..]);
    }
}
