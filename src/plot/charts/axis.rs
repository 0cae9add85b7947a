//! A direction of a chart: where a value falls, and which values are worth a tick.

use super::ends::{LARGEST, STEPS, round_up};
use super::numbers::label;

/// What equal distances mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    /// Equal differences.
    Even,
    /// Equal ratios; what is not positive has no place.
    Ratio,
    /// Equal ratios from one on, where zero is drawn too: steps.
    Counting,
}

/// A direction of a chart: numbers on one side, pixels on the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    /// Number at `start`.
    pub low: f64,
    /// Number at `end`.
    pub high: f64,
    /// What equal distances mean.
    pub scale: Scale,
    /// Whether only whole numbers are worth a tick.
    pub whole: bool,
    /// Pixel of `low`.
    pub start: i32,
    /// Pixel of `high`.
    pub end: i32,
    /// What one is in the numbers at its ticks.
    pub unit: f64,
}

impl Axis {
    /// Whether equal distances are equal ratios.
    pub fn log(&self) -> bool {
        self.scale != Scale::Even
    }

    /// How far along the axis a value lies, from 0 to 1 within the ends; none for what has no place.
    fn share(&self, value: f64) -> Option<f64> {
        let on = |v: f64| match self.scale {
            Scale::Even => v,
            Scale::Ratio => libm::log(v),
            Scale::Counting => libm::log(v.max(1.0)),
        };
        if !value.is_finite() || (self.scale == Scale::Ratio && value <= 0.0) {
            return None;
        }
        Some((on(value) - on(self.low)) / (on(self.high) - on(self.low)))
    }

    /// The pixel of a value, held within the ends; none for what has no place.
    pub fn place(&self, value: f64) -> Option<i32> {
        let pixels = f64::from(self.end - self.start);
        Some(self.start + (self.share(value)?.clamp(0.0, 1.0) * pixels).round() as i32)
    }

    /// The pixel of a value, also beyond the ends.
    pub fn place_anywhere(&self, value: f64) -> Option<f64> {
        Some(f64::from(self.start) + self.share(value)? * f64::from(self.end - self.start))
    }

    /// The value at a pixel, held within the ends.
    pub fn value(&self, pixel: f64) -> f64 {
        let share = (pixel - f64::from(self.start)) / f64::from((self.end - self.start).max(1));
        let between = |low: f64, high: f64| low + share.clamp(0.0, 1.0) * (high - low);
        match self.scale {
            // Zero is drawn where one is.
            Scale::Counting if share <= 0.0 => 0.0,
            Scale::Even => between(self.low, self.high),
            _ => libm::exp(between(libm::log(self.low), libm::log(self.high))),
        }
    }

    /// The ends of the same axis that shows `1 / factor` of it, with the value at `pixel` where it is.
    pub fn nearer(&self, pixel: f64, factor: f64) -> (f64, f64) {
        let share =
            ((pixel - f64::from(self.start)) / f64::from((self.end - self.start).max(1))).clamp(0.0, 1.0);
        let (from, to) = (share - share / factor, share + (1.0 - share) / factor);
        let ratio = self.log();
        let (low, high) =
            if ratio { (libm::log(self.low), libm::log(self.high)) } else { (self.low, self.high) };
        let at = |share: f64| low + share * (high - low);
        let back = |value: f64| if ratio { libm::exp(value) } else { value };
        (back(at(from)), back(at(to)))
    }

    /// The pixel of a value within the ends.
    pub fn place_inside(&self, value: f64) -> Option<i32> {
        self.place(value).filter(|_| self.holds(value))
    }

    /// Whether any of the axis lies between two values.
    pub fn meets(&self, from: f64, to: f64) -> bool {
        let low = if self.scale == Scale::Counting { 0.0 } else { self.low };
        to >= low && from <= self.high
    }

    fn holds(&self, value: f64) -> bool {
        let low = if self.scale == Scale::Counting { 0.0 } else { self.low };
        // Powers of ten are not exact.
        let slack = if self.log() { 1e-9 } else { 0.0 };
        (low * (1.0 - slack)..=self.high * (1.0 + slack)).contains(&value)
    }

    /// How many powers of ten lie between the ends of a logarithmic axis.
    pub fn decades(&self) -> f64 {
        libm::log10(self.high / self.low)
    }

    /// The same axis in the numbers at its ticks.
    fn in_units(&self) -> Axis {
        Axis { low: self.low * self.unit, high: self.high * self.unit, unit: 1.0, ..*self }
    }

    /// About `most` ticks with their labels.
    pub fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        if self.unit != 1.0 {
            let ticks = self.in_units().ticks(most).into_iter();
            return ticks.map(|(value, label)| (value / self.unit, label)).collect();
        }
        // Up to here, steps look as round between ratios as between differences.
        if !self.log() || self.high <= 4.0 * self.low {
            let least = if self.whole { 1.0 } else { 0.0 };
            return ticks_from(self.low, self.high, most, least);
        }
        let every = (self.decades() / most.max(1) as f64).ceil().max(1.0) as i32;
        let fine = self.multiples(&[1.0, 2.0, 5.0], 1);
        let coarse = self.multiples(&[1.0], every);
        let chosen = if self.decades() * 3.0 <= most as f64 * 1.3 || fine.len() < 2 {
            fine
        } else if coarse.len() >= 2 {
            coarse
        } else {
            [fine[0], fine[fine.len() - 1]].into()
        };
        chosen.into_iter().map(|v| (v, label(v, v))).collect()
    }

    /// Every decade of a logarithmic axis.
    pub fn decade_ticks(&self) -> Vec<f64> {
        self.multiples(&[1.0], 1)
    }

    /// Every tenth of a decade of a logarithmic axis.
    pub fn minor_ticks(&self) -> Vec<f64> {
        self.multiples(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], 1)
    }

    /// Multiples of every n-th power of ten within the ends. One is always among the powers, so that they stay
    /// where they are while an end moves.
    fn multiples(&self, factors: &[f64], every: i32) -> Vec<f64> {
        if self.unit != 1.0 {
            let multiples = self.in_units().multiples(factors, every);
            return multiples.into_iter().map(|value| value / self.unit).collect();
        }
        let exponent = |v: f64| libm::floor(libm::log10(v) + 1e-9) as i32;
        (exponent(self.low)..=exponent(self.high))
            .filter(|e| e % every == 0)
            .flat_map(|e| factors.iter().map(move |f| f * libm::pow(10.0, f64::from(e))))
            .filter(|v| v.abs() <= LARGEST && self.low * (1.0 - 1e-9) <= *v && self.holds(*v))
            .collect()
    }
}

/// About `most` round numbers from `low` to `high`, with their labels.
pub(super) fn ticks(low: f64, high: f64, most: usize) -> Vec<(f64, String)> {
    ticks_from(low, high, most, 0.0)
}

/// The same with a least distance.
fn ticks_from(low: f64, high: f64, most: usize, least: f64) -> Vec<(f64, String)> {
    let step = round_up((high - low) / most.max(1) as f64, STEPS).max(least);
    let slack = 1e-6;
    let (first, last) = ((low / step - slack).ceil(), (high / step + slack).floor());
    let count = if last >= first { (last - first) as usize + 1 } else { 0 };
    (0..count.min(100)).map(|i| (first + i as f64) * step).map(|v| (v, label(v, step))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_at_ticks_may_count_something_else_than_places() {
        for scale in [Scale::Even, Scale::Counting] {
            let steps = Axis { unit: 64.0, ..axis(1.0, 1000.0, scale) };
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

    fn axis(low: f64, high: f64, scale: Scale) -> Axis {
        Axis { low, high, scale, whole: false, start: 10, end: 210, unit: 1.0 }
    }

    #[test]
    fn ticks_are_few_and_short() {
        assert_eq!(labels(ticks(0.0, 3000.0, 4)), "0 1k 2k 3k");
        assert_eq!(labels(ticks(0.0, 2000.0, 4)), "0 500 1k 1.5k 2k");
        assert_eq!(labels(ticks(0.0, 1.2, 5)), "0 0.5 1");
        assert_eq!(labels(ticks(-0.004, 0.004, 5)), "−0.004 −0.002 0 0.002 0.004");
        assert_eq!(labels(ticks(0.0, 3e-5, 3)), "0 1e−5 2e−5 3e−5");
        assert_eq!(labels(ticks(0.0, 20_000_000.0, 2)), "0 10M 20M");
        let half = axis(0.0, 3.0, Scale::Even);
        assert_eq!(labels(half.ticks(6)), "0 0.5 1 1.5 2 2.5 3");
        assert_eq!(labels(Axis { whole: true, ..half }.ticks(6)), "0 1 2 3");
    }

    #[test]
    fn ticks_of_a_logarithmic_axis() {
        let of = |low, high, most| labels(axis(low, high, Scale::Ratio).ticks(most));
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
        for scale in [Scale::Even, Scale::Ratio, Scale::Counting] {
            let axis = axis(1.0, 1000.0, scale);
            for value in [1.5, 20.0, 999.0] {
                let read = axis.value(f64::from(axis.place(value).unwrap()));
                assert!((read / value - 1.0).abs() < if value < 10.0 { 3.0 } else { 0.2 }, "{value}: {read}");
            }
            assert!((axis.value(1e9) - 1000.0).abs() < 1e-9);
        }
        assert_eq!([Scale::Even, Scale::Counting].map(|scale| axis(1.0, 9.0, scale).value(-7.0)), [1.0, 0.0]);
    }

    #[test]
    fn nearer_the_value_under_the_pointer_stays() {
        for scale in [Scale::Even, Scale::Ratio, Scale::Counting] {
            let whole = axis(1.0, 1000.0, scale);
            let (low, high) = whole.nearer(60.0, 2.0);
            let near = Axis { low, high, ..whole };
            assert!((near.value(60.0) / whole.value(60.0) - 1.0).abs() < 1e-9, "{low} {high}");
            let (low, high) = near.nearer(60.0, 0.5);
            assert!((low - 1.0).abs() < 1e-9 && (high - 1000.0).abs() < 1e-6, "{low} {high}");
        }
        assert_eq!(axis(0.0, 100.0, Scale::Even).nearer(10.0, 4.0), (0.0, 25.0));
    }

    #[test]
    fn zero_has_a_place_only_where_one_counts() {
        let steps = axis(1.0, 100.0, Scale::Counting);
        assert_eq!([0.0, 1.0, 10.0, 100.0, 1e9].map(|v| steps.place(v)), [10, 10, 110, 210, 210].map(Some));
        assert_eq!([f64::NAN, -1.0, 101.0].map(|v| steps.place_inside(v)), [None; 3]);
        let losses = axis(1e-4, 1.0, Scale::Ratio);
        assert_eq!([1e-9, 1e-4, 0.01, 7.0].map(|v| losses.place(v)), [10, 10, 110, 210].map(Some));
        assert_eq!([0.0, -1.0, f64::INFINITY].map(|v| losses.place(v)), [None; 3]);
        assert_eq!([0.0, 9e-5, 1.1].map(|v| losses.place_inside(v)), [None; 3]);
    }
}
