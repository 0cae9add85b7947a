//! A direction of a chart: where a value falls, and which values are worth a tick.

use super::ends::{MAX_MAGNITUDE, TICK_MULTIPLES, round_up};
use super::numbers::format_tick;

/// Scale of an axis: how values are spaced along it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AxisScale {
    /// Linear.
    Linear,
    /// Logarithmic; only positive values can be drawn.
    Logarithmic,
    /// Logarithmic from one on, with zero drawn at one; used for steps.
    LogarithmicFromOne,
}

/// A horizontal or vertical axis, which maps values to pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    /// Value at the start of the axis, at the pixel `start_pixel`.
    pub low: f64,
    /// Value at the end of the axis, at the pixel `end_pixel`.
    pub high: f64,
    /// Whether values are spaced linearly or logarithmically along the axis.
    pub scale: AxisScale,
    /// Whether only whole numbers get a tick.
    pub whole_ticks_only: bool,
    /// Pixel of the value `low`.
    pub start_pixel: i32,
    /// Pixel of the value `high`.
    pub end_pixel: i32,
    /// Factor from values to the numbers written at the ticks, such as examples per training step.
    pub tick_unit: f64,
}

impl Axis {
    /// Whether the axis is logarithmic.
    pub fn is_logarithmic(&self) -> bool {
        self.scale != AxisScale::Linear
    }

    /// Position of a value along the axis, 0 at `low` and 1 at `high`; `None` if it is not finite, or not positive on a
    /// logarithmic axis.
    fn fraction_along(&self, value: f64) -> Option<f64> {
        let on = |v: f64| match self.scale {
            AxisScale::Linear => v,
            AxisScale::Logarithmic => libm::log(v),
            AxisScale::LogarithmicFromOne => libm::log(v.max(1.0)),
        };
        if !value.is_finite() || (self.scale == AxisScale::Logarithmic && value <= 0.0) {
            return None;
        }
        Some((on(value) - on(self.low)) / (on(self.high) - on(self.low)))
    }

    /// Pixel of a value, clamped to the ends of the axis; `None` if the value is not finite, or not positive on a
    /// logarithmic axis.
    pub fn pixel_clamped(&self, value: f64) -> Option<i32> {
        let pixels = f64::from(self.end_pixel - self.start_pixel);
        Some(self.start_pixel + (self.fraction_along(value)?.clamp(0.0, 1.0) * pixels).round() as i32)
    }

    /// Pixel of a value, possibly beyond the ends of the axis; `None` if the value is not finite, or not positive on a
    /// logarithmic axis.
    pub fn pixel_unclamped(&self, value: f64) -> Option<f64> {
        Some(
            f64::from(self.start_pixel)
                + self.fraction_along(value)? * f64::from(self.end_pixel - self.start_pixel),
        )
    }

    /// Value at a pixel, clamped to the ends of the axis.
    pub fn value_at(&self, pixel: f64) -> f64 {
        let share =
            (pixel - f64::from(self.start_pixel)) / f64::from((self.end_pixel - self.start_pixel).max(1));
        let between = |low: f64, high: f64| low + share.clamp(0.0, 1.0) * (high - low);
        match self.scale {
            // Zero is drawn where one is.
            AxisScale::LogarithmicFromOne if share <= 0.0 => 0.0,
            AxisScale::Linear => between(self.low, self.high),
            _ => libm::exp(between(libm::log(self.low), libm::log(self.high))),
        }
    }

    /// Range of values (low, high) that the axis shows after zooming in by `factor`, with the value at the backend
    /// pixel `pixel` fixed; a factor below 1 zooms out.
    pub fn zoomed_range(&self, pixel: f64, factor: f64) -> (f64, f64) {
        let share = ((pixel - f64::from(self.start_pixel))
            / f64::from((self.end_pixel - self.start_pixel).max(1)))
        .clamp(0.0, 1.0);
        let (from, to) = (share - share / factor, share + (1.0 - share) / factor);
        let ratio = self.is_logarithmic();
        let (low, high) =
            if ratio { (libm::log(self.low), libm::log(self.high)) } else { (self.low, self.high) };
        let at = |share: f64| low + share * (high - low);
        let back = |value: f64| if ratio { libm::exp(value) } else { value };
        (back(at(from)), back(at(to)))
    }

    /// Pixel of a value; `None` if it is not between the ends of the axis.
    pub fn pixel_if_inside(&self, value: f64) -> Option<i32> {
        self.pixel_clamped(value).filter(|_| self.contains(value))
    }

    /// Whether the axis overlaps the interval of values from `from` to `to`.
    pub fn overlaps(&self, from: f64, to: f64) -> bool {
        let low = if self.scale == AxisScale::LogarithmicFromOne { 0.0 } else { self.low };
        to >= low && from <= self.high
    }

    /// Whether a value is between the ends of the axis, up to rounding.
    fn contains(&self, value: f64) -> bool {
        let low = if self.scale == AxisScale::LogarithmicFromOne { 0.0 } else { self.low };
        // Powers of ten are not exact.
        let slack = if self.is_logarithmic() { 1e-9 } else { 0.0 };
        (low * (1.0 - slack)..=self.high * (1.0 + slack)).contains(&value)
    }

    /// Length of a logarithmic axis in decades: log₁₀ of `high` divided by `low`.
    pub fn decade_count(&self) -> f64 {
        libm::log10(self.high / self.low)
    }

    /// A copy of the axis with its ends multiplied by `tick_unit`, in the unit of the numbers at the ticks.
    fn in_tick_units(&self) -> Axis {
        Axis { low: self.low * self.tick_unit, high: self.high * self.tick_unit, tick_unit: 1.0, ..*self }
    }

    /// Values and labels of about `max_ticks` ticks of the axis.
    pub fn ticks(&self, max_ticks: usize) -> Vec<(f64, String)> {
        if self.tick_unit != 1.0 {
            let ticks = self.in_tick_units().ticks(max_ticks).into_iter();
            return ticks.map(|(value, label)| (value / self.tick_unit, label)).collect();
        }
        // Up to here, steps look as round between ratios as between differences.
        if !self.is_logarithmic() || self.high <= 4.0 * self.low {
            let least = if self.whole_ticks_only { 1.0 } else { 0.0 };
            return ticks_with_min_step(self.low, self.high, max_ticks, least);
        }
        let every = (self.decade_count() / max_ticks.max(1) as f64).ceil().max(1.0) as i32;
        let fine = self.multiples_of_powers(&[1.0, 2.0, 5.0], 1);
        let coarse = self.multiples_of_powers(&[1.0], every);
        let chosen = if self.decade_count() * 3.0 <= max_ticks as f64 * 1.3 || fine.len() < 2 {
            fine
        } else if coarse.len() >= 2 {
            coarse
        } else {
            [fine[0], fine[fine.len() - 1]].into()
        };
        chosen.into_iter().map(|v| (v, format_tick(v, v))).collect()
    }

    /// All powers of ten on a logarithmic axis, as values.
    pub fn decade_ticks(&self) -> Vec<f64> {
        self.multiples_of_powers(&[1.0], 1)
    }

    /// All products of 1 to 9 with a power of ten on a logarithmic axis, as values.
    pub fn minor_ticks(&self) -> Vec<f64> {
        self.multiples_of_powers(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], 1)
    }

    /// The products of `factors` with every n-th power of ten on the axis, n being `every`. The powers always include
    /// 1, so they stay fixed while an end of the axis moves.
    fn multiples_of_powers(&self, factors: &[f64], every: i32) -> Vec<f64> {
        if self.tick_unit != 1.0 {
            let multiples = self.in_tick_units().multiples_of_powers(factors, every);
            return multiples.into_iter().map(|value| value / self.tick_unit).collect();
        }
        let exponent = |v: f64| libm::floor(libm::log10(v) + 1e-9) as i32;
        (exponent(self.low)..=exponent(self.high))
            .filter(|e| e % every == 0)
            .flat_map(|e| factors.iter().map(move |f| f * libm::pow(10.0, f64::from(e))))
            .filter(|v| v.abs() <= MAX_MAGNITUDE && self.low * (1.0 - 1e-9) <= *v && self.contains(*v))
            .collect()
    }
}

/// Values and labels of about `max_ticks` round numbers from `low` to `high`.
pub(super) fn ticks(low: f64, high: f64, max_ticks: usize) -> Vec<(f64, String)> {
    ticks_with_min_step(low, high, max_ticks, 0.0)
}

/// Values and labels of about `max_ticks` round numbers from `low` to `high`, at least `min_step` apart.
fn ticks_with_min_step(low: f64, high: f64, max_ticks: usize, min_step: f64) -> Vec<(f64, String)> {
    let step = round_up((high - low) / max_ticks.max(1) as f64, TICK_MULTIPLES).max(min_step);
    let slack = 1e-6;
    let (first, last) = ((low / step - slack).ceil(), (high / step + slack).floor());
    let count = if last >= first { (last - first) as usize + 1 } else { 0 };
    (0..count.min(100)).map(|i| (first + i as f64) * step).map(|v| (v, format_tick(v, step))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_at_ticks_may_count_something_else_than_places() {
        for scale in [AxisScale::Linear, AxisScale::LogarithmicFromOne] {
            let steps = Axis { tick_unit: 64.0, ..axis(1.0, 1000.0, scale) };
            let ticks = steps.ticks(6);
            assert!(ticks.len() > 2, "{ticks:?}");
            let round = axis(64.0, 64_000.0, scale).ticks(6);
            for ((place, label), (number, same)) in ticks.into_iter().zip(round) {
                assert!((place * 64.0 - number).abs() < 1e-9 && label == same, "{place} {label} {number}");
            }
        }
    }

    fn labels(ticks: Vec<(f64, String)>) -> String {
        ticks.into_iter().map(|t| t.1).collect::<Vec<_>>().join(" ")
    }

    fn axis(low: f64, high: f64, scale: AxisScale) -> Axis {
        Axis { low, high, scale, whole_ticks_only: false, start_pixel: 10, end_pixel: 210, tick_unit: 1.0 }
    }

    #[test]
    fn ticks_are_few_and_short() {
        assert_eq!(labels(ticks(0.0, 3000.0, 4)), "0 1k 2k 3k");
        assert_eq!(labels(ticks(0.0, 2000.0, 4)), "0 500 1k 1.5k 2k");
        assert_eq!(labels(ticks(0.0, 1.2, 5)), "0 0.5 1");
        assert_eq!(labels(ticks(-0.004, 0.004, 5)), "−0.004 −0.002 0 0.002 0.004");
        assert_eq!(labels(ticks(0.0, 3e-5, 3)), "0 1e−5 2e−5 3e−5");
        assert_eq!(labels(ticks(0.0, 20_000_000.0, 2)), "0 10M 20M");
        let half = axis(0.0, 3.0, AxisScale::Linear);
        assert_eq!(labels(half.ticks(6)), "0 0.5 1 1.5 2 2.5 3");
        assert_eq!(labels(Axis { whole_ticks_only: true, ..half }.ticks(6)), "0 1 2 3");
    }

    #[test]
    fn ticks_of_a_logarithmic_axis() {
        let of = |low, high, most| labels(axis(low, high, AxisScale::Logarithmic).ticks(most));
        assert_eq!(of(1.0, 20_000.0, 6), "1 10 100 1k 10k");
        assert_eq!(of(1.0, 20_000.0, 3), "1 100 10k");
        assert_eq!(of(1.0, 50.0, 6), "1 2 5 10 20 50");
        assert_eq!(of(10.0, 200.0, 5), "10 20 50 100 200");
        assert_eq!(of(10.0, 30.0, 4), "10 15 20 25 30");
        assert_eq!(of(1e-5, 1.0, 6), "1e−5 1e−4 0.001 0.01 0.1 1");
        assert_eq!(of(1e-5, 1.0, 2), "0.001 1");
        assert_eq!(of(1e-6, 1.0, 2), "1e−6 0.001 1", "the others stay while an end moves");
        assert_eq!(of(20.0, 800.0, 2), "20 500", "one power of ten alone is no scale");
        assert_eq!(of(0.3, 1.02, 5), "0.4 0.6 0.8 1");
        assert_eq!(of(2.1, 4.9, 5), "3 4");
    }

    #[test]
    fn values_are_read_off_where_they_are_drawn() {
        for scale in [AxisScale::Linear, AxisScale::Logarithmic, AxisScale::LogarithmicFromOne] {
            let axis = axis(1.0, 1000.0, scale);
            for value in [1.5, 20.0, 999.0] {
                let read = axis.value_at(f64::from(axis.pixel_clamped(value).unwrap()));
                assert!((read / value - 1.0).abs() < if value < 10.0 { 3.0 } else { 0.2 }, "{value}: {read}");
            }
            assert!((axis.value_at(1e9) - 1000.0).abs() < 1e-9);
        }
        assert_eq!(
            [AxisScale::Linear, AxisScale::LogarithmicFromOne]
                .map(|scale| axis(1.0, 9.0, scale).value_at(-7.0)),
            [1.0, 0.0]
        );
    }

    #[test]
    fn nearer_the_value_under_the_pointer_stays() {
        for scale in [AxisScale::Linear, AxisScale::Logarithmic, AxisScale::LogarithmicFromOne] {
            let whole = axis(1.0, 1000.0, scale);
            let (low, high) = whole.zoomed_range(60.0, 2.0);
            let near = Axis { low, high, ..whole };
            assert!((near.value_at(60.0) / whole.value_at(60.0) - 1.0).abs() < 1e-9, "{low} {high}");
            let (low, high) = near.zoomed_range(60.0, 0.5);
            assert!((low - 1.0).abs() < 1e-9 && (high - 1000.0).abs() < 1e-6, "{low} {high}");
        }
        assert_eq!(axis(0.0, 100.0, AxisScale::Linear).zoomed_range(10.0, 4.0), (0.0, 25.0));
    }

    #[test]
    fn zero_has_a_place_only_where_one_counts() {
        let steps = axis(1.0, 100.0, AxisScale::LogarithmicFromOne);
        assert_eq!(
            [0.0, 1.0, 10.0, 100.0, 1e9].map(|v| steps.pixel_clamped(v)),
            [10, 10, 110, 210, 210].map(Some)
        );
        assert_eq!([f64::NAN, -1.0, 101.0].map(|v| steps.pixel_if_inside(v)), [None; 3]);
        let losses = axis(1e-4, 1.0, AxisScale::Logarithmic);
        assert_eq!([1e-9, 1e-4, 0.01, 7.0].map(|v| losses.pixel_clamped(v)), [10, 10, 110, 210].map(Some));
        assert_eq!([0.0, -1.0, f64::INFINITY].map(|v| losses.pixel_clamped(v)), [None; 3]);
        assert_eq!([0.0, 9e-5, 1.1].map(|v| losses.pixel_if_inside(v)), [None; 3]);
    }
}
