//! Numbers on an axis: ends that stand still, ticks, short labels, and where a value falls.

/// Ends of a horizontal axis, as multiples of a power of ten: it grows in steps, not with every frame.
const COARSE: &[f64] = &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
/// Ends of a vertical axis, which must not waste height.
const FINE: &[f64] = &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
/// Distances between ticks.
const STEPS: &[f64] = &[1.0, 2.0, 5.0, 10.0];

/// Values beyond this are not drawn: differences of two of them must stay finite.
pub(super) const LARGEST: f64 = 1e300;

/// The smallest number not below `value` that is a multiple in `of` times a power of ten.
fn round_up(value: f64, of: &[f64]) -> f64 {
    if value.is_nan() || value < 1e-290 {
        return 1e-290;
    }
    let base = libm::pow(10.0, libm::floor(libm::log10(value)));
    of.iter().map(|m| m * base).find(|end| *end >= value * (1.0 - 1e-9)).unwrap_or(10.0 * base)
}

/// Whether a pair can be the ends of an axis.
pub(super) fn sane((low, high): (f64, f64)) -> bool {
    let size = low.abs().max(high.abs());
    low < high && size <= LARGEST && high - low > 1e-9 * size && high - low > 1e-280
}

/// Ends that hold all finite `values`, from 0 on unless some are negative; `empty` if there are none.
fn ends(values: impl Iterator<Item = f64>, empty: f64, of: &[f64], pad: f64) -> (f64, f64) {
    let (mut low, mut high) = (0.0f64, 0.0f64);
    for v in values.filter(|v| v.abs() <= LARGEST / 100.0) {
        (low, high) = (low.min(v), high.max(v));
    }
    let size = high.max(-low) * 1e-6;
    let end = |v: f64| if v > size { round_up(v * pad, of) } else { 0.0 };
    let range = (-end(-low), end(high));
    if sane(range) { range } else { (0.0, empty) }
}

/// Ends of a horizontal axis that reaches at least `least`.
pub(super) fn horizontal(values: impl Iterator<Item = f64>, least: f64) -> (f64, f64) {
    ends(values.chain([least]), 1.0, COARSE, 1.0)
}

/// Ends of a vertical axis, with a little air.
pub(super) fn vertical(values: impl Iterator<Item = f64>) -> (f64, f64) {
    ends(values, 1.0, FINE, 1.03)
}

/// Ends of a logarithmic axis.
pub(super) fn logarithmic(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let high = values.filter(|v| v.abs() <= LARGEST / 100.0).fold(10.0, f64::max);
    (1.0, round_up(high, STEPS))
}

/// A direction of a chart: numbers on one side, pixels on the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    /// Number at `start`.
    pub low: f64,
    /// Number at `end`.
    pub high: f64,
    /// Whether distances are ratios; everything up to one is drawn at one then.
    pub log: bool,
    /// Pixel of `low`.
    pub start: i32,
    /// Pixel of `high`.
    pub end: i32,
}

impl Axis {
    /// The pixel of a value, held within the ends; none for what is not a number.
    pub fn place(&self, value: f64) -> Option<i32> {
        let on = |v: f64| if self.log { libm::log(v.max(1.0)) } else { v };
        let share = (on(value) - on(self.low)) / (on(self.high) - on(self.low));
        let pixels = f64::from(self.end - self.start);
        value.is_finite().then(|| self.start + (share.clamp(0.0, 1.0) * pixels).round() as i32)
    }

    /// The pixel of a value within the ends.
    pub fn place_inside(&self, value: f64) -> Option<i32> {
        let (low, high) = if self.log { (0.0, self.high) } else { (self.low, self.high) };
        self.place(value).filter(|_| (low..=high).contains(&value))
    }

    /// About `most` ticks with their labels.
    pub fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        if !self.log {
            return ticks(self.low, self.high, most);
        }
        let decades = libm::log10(self.high / self.low);
        let factors: &[f64] = if decades < 2.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let every = (decades / most.max(1) as f64).ceil().max(1.0) as usize;
        decade_starts(self.low, self.high)
            .step_by(every)
            .flat_map(|d| factors.iter().map(move |f| f * d))
            .filter(|v| (self.low..=self.high).contains(v))
            .map(|v| (v, label(v, v)))
            .collect()
    }

    /// Unlabelled ticks of a logarithmic axis; none where they would be crowded.
    pub fn minor_ticks(&self) -> Vec<f64> {
        if !self.log || libm::log10(self.high / self.low) > 6.5 {
            return vec![];
        }
        decade_starts(self.low, self.high)
            .flat_map(|d| (2..10).map(move |f| f64::from(f) * d))
            .filter(|v| (self.low..=self.high).contains(v))
            .collect()
    }
}

fn decade_starts(low: f64, high: f64) -> impl Iterator<Item = f64> {
    let exponent = |v: f64| libm::floor(libm::log10(v) + 1e-9) as i32;
    (exponent(low)..=exponent(high)).map(|e| libm::pow(10.0, f64::from(e)))
}

/// About `most` round numbers from `low` to `high`, with their labels.
pub(super) fn ticks(low: f64, high: f64, most: usize) -> Vec<(f64, String)> {
    let step = round_up((high - low) / most.max(1) as f64, STEPS);
    let slack = 1e-6;
    let (first, last) = ((low / step - slack).ceil(), (high / step + slack).floor());
    let count = if last >= first { (last - first) as usize + 1 } else { 0 };
    (0..count.min(100)).map(|i| (first + i as f64) * step).map(|v| (v, label(v, step))).collect()
}

/// `value` as short as the distance `step` to its neighbours allows: 0.25, 1.5k, 20k, 1M, 2e−5.
pub(super) fn label(value: f64, step: f64) -> String {
    let size = value.abs();
    if size < step * 1e-6 || size == 0.0 {
        return "0".into();
    }
    let (unit, suffix) = match size * (1.0 + 1e-9) {
        s if s >= 1e15 => (0.0, ""),
        s if s >= 1e12 => (1e12, "T"),
        s if s >= 1e9 => (1e9, "G"),
        s if s >= 1e6 => (1e6, "M"),
        s if s >= 1e3 => (1e3, "k"),
        s if s >= 1e-3 => (1.0, ""),
        _ => (0.0, ""),
    };
    let digits = |ratio: f64| (-libm::floor(libm::log10(ratio * (1.0 + 1e-9)))).clamp(0.0, 6.0) as usize;
    let text = if unit == 0.0 {
        let base = libm::pow(10.0, libm::floor(libm::log10(size * (1.0 + 1e-9))));
        let text = format!("{:.*e}", digits(step / base), value);
        match text.split_once('e') {
            Some((number, exponent)) => format!("{}e{exponent}", shorter(number)),
            None => text,
        }
    } else {
        shorter(&format!("{:.*}", digits(step / unit), value / unit)) + suffix
    };
    text.replace('-', "−")
}

/// `value` with two significant digits.
pub(super) fn rounded(value: f64) -> String {
    let size = value.abs();
    if size < 1e-290 || !size.is_finite() {
        return "0".into();
    }
    let digit = libm::pow(10.0, libm::floor(libm::log10(size)) - 1.0);
    label((value / digit).round() * digit, digit)
}

/// Without zeros at the end.
fn shorter(number: &str) -> String {
    if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.').into()
    } else {
        number.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: Vec<(f64, String)>) -> String {
        ticks.into_iter().map(|t| t.1).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ends_are_round_and_grow_in_steps() {
        assert_eq!(horizontal([].into_iter(), 100.0), (0.0, 100.0));
        assert_eq!(horizontal([2500.0].into_iter(), 100.0), (0.0, 3000.0));
        assert_eq!(vertical([0.3, 1.02, f64::NAN, f64::INFINITY].into_iter()), (0.0, 1.2));
        assert_eq!(vertical([-0.3, 1.0].into_iter()), (-0.4, 1.2));
        assert_eq!(vertical([0.0].into_iter()), (0.0, 1.0));
        assert_eq!(logarithmic([0.0, 4321.0].into_iter()), (1.0, 5000.0));
        let mut seen: Vec<f64> =
            (1..=10_000).map(|s| horizontal([f64::from(s)].into_iter(), 100.0).1).collect();
        seen.dedup();
        assert_eq!(seen.len(), 17);
    }

    #[test]
    fn ticks_are_few_and_short() {
        assert_eq!(labels(ticks(0.0, 3000.0, 4)), "0 1k 2k 3k");
        assert_eq!(labels(ticks(0.0, 2000.0, 4)), "0 500 1k 1.5k 2k");
        assert_eq!(labels(ticks(0.0, 1.2, 5)), "0 0.5 1");
        assert_eq!(labels(ticks(-0.004, 0.004, 5)), "−0.004 −0.002 0 0.002 0.004");
        assert_eq!(labels(ticks(0.0, 3e-5, 3)), "0 1e−5 2e−5 3e−5");
        assert_eq!(labels(ticks(0.0, 20_000_000.0, 2)), "0 10M 20M");
        let axis = |high| Axis { low: 1.0, high, log: true, start: 0, end: 100 };
        assert_eq!(labels(axis(20_000.0).ticks(6)), "1 10 100 1k 10k");
        assert_eq!(labels(axis(20_000.0).ticks(3)), "1 100 10k");
        assert_eq!(labels(axis(50.0).ticks(6)), "1 2 5 10 20 50");
    }

    #[test]
    fn two_digits() {
        for (v, text) in
            [(0.3142, "0.31"), (-12.7, "−13"), (1234.0, "1.2k"), (4.24e-5, "4.2e−5"), (0.999, "1")]
        {
            assert_eq!(rounded(v), text);
        }
    }

    #[test]
    fn zero_is_at_one_on_a_logarithmic_axis() {
        let axis = Axis { low: 1.0, high: 100.0, log: true, start: 10, end: 210 };
        assert_eq!([0.0, 1.0, 10.0, 100.0, 1e9].map(|v| axis.place(v)), [10, 10, 110, 210, 210].map(Some));
        assert_eq!([f64::NAN, -1.0, 101.0].map(|v| axis.place_inside(v)), [None; 3]);
    }
}
