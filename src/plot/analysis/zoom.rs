//! Zooming of line charts: a range of the horizontal axis, with the vertical axis fitted to it.

use super::{LineChart, Series};

/// Fraction of the range of the visible values by which the vertical axis of a zoomed chart extends beyond them, both
/// above and below.
const VERTICAL_MARGIN: f64 = 0.06;

impl LineChart {
    /// Whether the horizontal axis of the chart counts training steps.
    pub fn is_over_steps(&self) -> bool {
        self.x_label == tr!("step")
    }

    /// Restricts the horizontal axis to x from `low` to `high` and fits the vertical axis to the values within; if
    /// there are none, the vertical axis is unchanged.
    pub fn zoom(&mut self, low: f64, high: f64) {
        self.x_range = Some((low, high));
        let mut ends = None;
        for series in self.series.iter().filter(|series| !series.hidden) {
            for value in series.values_within(low, high).map(f64::from) {
                if value.is_finite() && (value > 0.0 || !self.log_y) {
                    let (least, most) = ends.unwrap_or((value, value));
                    ends = Some((value.min(least), value.max(most)));
                }
            }
        }
        let Some((least, most)) = ends else { return };
        self.y_range = Some(match self.log_y {
            true => {
                let air = libm::pow(most / least, VERTICAL_MARGIN).max(1.06);
                (least / air, most * air)
            }
            false => {
                let air =
                    (VERTICAL_MARGIN * (most - least)).max(1e-3 * most.abs().max(least.abs())).max(1e-9);
                (least - air, most + air)
            }
        });
    }
}

impl Series {
    /// All y values, unsmoothed values and band edges at x from `low` to `high`, and the y values interpolated at x =
    /// `low` and `high`.
    fn values_within(&self, low: f64, high: f64) -> impl Iterator<Item = f32> + '_ {
        let inside = move |at: &usize| self.x.get(*at).is_some_and(|x| (low..=high).contains(x));
        let places = (0..self.x.len()).filter(inside);
        let seen = places.flat_map(|at| {
            let band = self.band.get(at).into_iter().flat_map(|(low, high)| [*low, *high]);
            [self.y.get(at), self.unsmoothed.get(at)].into_iter().flatten().copied().chain(band)
        });
        seen.chain([low, high].into_iter().filter_map(|x| self.interpolate(x)))
    }

    /// Value of the line at `x`, interpolated between its neighbours; `None` outside the curve and for scatter plots.
    pub fn interpolate(&self, x: f64) -> Option<f32> {
        if self.scatter {
            return None;
        }
        let after = self.x.partition_point(|place| *place < x);
        let (x1, y1) = (*self.x.get(after)?, *self.y.get(after)?);
        if x1 == x {
            return Some(y1);
        }
        let (x0, y0) = (*self.x.get(after.checked_sub(1)?)?, *self.y.get(after - 1)?);
        if self.stairs {
            return Some(y0);
        }
        let share = ((x - x0) / (x1 - x0)) as f32;
        Some(y0 + share * (y1 - y0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_of_steps_may_count_examples_and_another_not() {
        let counted = Some((64.0, "sequences seen".to_string()));
        let lines = LineChart { step_unit: counted, ..curve(&[1.0, 0.5]) };
        assert_eq!((lines.x_label_and_scale(), lines.is_over_steps()), (("sequences seen", 64.0), true));
        assert_eq!(LineChart { x_label: "n".into(), ..lines.clone() }.x_label_and_scale(), ("n", 1.0));
        assert_eq!(LineChart { step_unit: None, ..lines }.x_label_and_scale(), ("step", 1.0));
    }

    fn curve(y: &[f32]) -> LineChart {
        let x = (0..y.len()).map(|i| 10.0 * i as f64).collect();
        let series = vec![Series { x, y: y.into(), ..Default::default() }];
        LineChart { x_label: "step".into(), series, ..Default::default() }
    }

    #[test]
    fn the_height_fits_what_is_seen() {
        let mut lines = curve(&[9.0, 4.0, 3.0, 2.0, 0.5]);
        lines.series.push(Series { hidden: true, y: vec![99.0; 5], ..lines.series[0].clone() });
        lines.zoom(10.0, 30.0);
        assert_eq!(lines.x_range, Some((10.0, 30.0)));
        let (low, high) = lines.y_range.unwrap();
        assert!((low - 1.88).abs() < 1e-6 && (high - 4.12).abs() < 1e-6, "{low} {high}");
        lines.zoom(12.0, 13.0);
        let (low, high) = lines.y_range.unwrap();
        assert!(low > 3.6 && high < 3.9, "between two measurements: {low} {high}");
        lines.log_y = true;
        lines.zoom(0.0, 40.0);
        let (low, high) = lines.y_range.unwrap();
        assert!(low > 0.4 && low < 0.5 && high > 9.0 && high < 11.0, "{low} {high}");
    }

    #[test]
    fn bands_and_what_was_measured_are_seen_too() {
        let mut lines = curve(&[1.0; 3]);
        lines.series[0].band = vec![(0.0, 2.0), (0.5, 1.5), (0.0, 9.0)];
        lines.series[0].unsmoothed = vec![1.0, 1.75, 1.0];
        lines.zoom(5.0, 15.0);
        let (low, high) = lines.y_range.unwrap();
        assert!(low < 0.5 && low > 0.4 && high > 1.75 && high < 1.9, "{low} {high}");
    }

    #[test]
    fn a_level_curve_and_nothing_at_all_have_a_height() {
        let mut lines = curve(&[0.0; 3]);
        lines.zoom(0.0, 10.0);
        assert!(lines.y_range.is_some_and(|(low, high)| low < 0.0 && high > 0.0));
        let mut lines = curve(&[f32::NAN; 3]);
        lines.zoom(0.0, 10.0);
        assert_eq!(lines.y_range, None);
    }

    #[test]
    fn between_two_places_a_line_is_straight() {
        let series = &curve(&[1.0, 3.0]).series[0];
        assert_eq!([0.0, 5.0, 10.0].map(|x| series.interpolate(x)), [Some(1.0), Some(2.0), Some(3.0)]);
        assert_eq!([-1.0, 11.0].map(|x| series.interpolate(x)), [None; 2]);
        let stairs = Series { stairs: true, ..series.clone() };
        assert_eq!(stairs.interpolate(9.0), Some(1.0));
    }
}
