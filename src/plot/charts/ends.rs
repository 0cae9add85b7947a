//! Axis ranges: round numbers that grow in steps, so that axes do not change with every frame.

/// Numbers, times a power of ten, at which a horizontal axis may end.
const HORIZONTAL_MULTIPLES: &[f64] = &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
/// Numbers, times a power of ten, at which a vertical axis may end; they are closer together than those of a horizontal
/// axis, so that less height is empty.
const VERTICAL_MULTIPLES: &[f64] = &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
/// Numbers, times a power of ten, that may be the distance between ticks or the end of a vertical logarithmic axis.
pub(super) const TICK_MULTIPLES: &[f64] = &[1.0, 2.0, 5.0, 10.0];
/// Numbers, times a power of ten, at which a long logarithmic axis may end: powers of ten only.
const DECADE_MULTIPLES: &[f64] = &[1.0, 10.0];

/// Largest absolute value at an end of an axis, so that differences of values remain finite.
pub(super) const MAX_MAGNITUDE: f64 = 1e300;
/// Smallest positive value at an end of a logarithmic axis, and smallest length of any axis.
const MIN_POSITIVE: f64 = 1e-280;
/// Smallest value at the lower end of a vertical logarithmic axis, as a fraction of the largest value, so that an
/// underflow does not flatten the other values.
const MIN_RELATIVE_TO_MAX: f64 = 1e-15;

/// The smallest number of at least `value` that is one of `multiples` times a power of ten.
pub(super) fn round_up(value: f64, multiples: &[f64]) -> f64 {
    if value.is_nan() || value < 1e-290 {
        return 1e-290;
    }
    let base = libm::pow(10.0, libm::floor(libm::log10(value)));
    multiples.iter().map(|m| m * base).find(|end| *end >= value * (1.0 - 1e-9)).unwrap_or(10.0 * base)
}

/// The largest number of at most the positive `value` that is one of `multiples` times a power of ten.
fn round_down(value: f64, multiples: &[f64]) -> f64 {
    let base = libm::pow(10.0, libm::floor(libm::log10(value)));
    multiples.iter().rev().map(|m| m * base).find(|end| *end <= value * (1.0 + 1e-9)).unwrap_or(base)
}

/// Whether (low, high) is a valid range of a linear axis: ascending, finite and distinct.
pub(super) fn is_valid_range((low, high): (f64, f64)) -> bool {
    let size = low.abs().max(high.abs());
    low < high && size <= MAX_MAGNITUDE && high - low > 1e-9 * size && high - low > MIN_POSITIVE
}

/// Whether (low, high) is a valid range of a logarithmic axis: positive, finite, and `high` at least 5 % above `low`.
pub(super) fn is_valid_log_range((low, high): (f64, f64)) -> bool {
    is_valid_range((low, high)) && low >= MIN_POSITIVE && high >= 1.05 * low
}

/// Range (low, high) of a linear axis that contains 0 and all finite `values`, extended outwards by the factor `pad`,
/// with ends that are one of `multiples` times a power of ten; (0, `empty`) without values.
fn enclosing_range(values: impl Iterator<Item = f64>, empty: f64, multiples: &[f64], pad: f64) -> (f64, f64) {
    let (mut low, mut high) = (0.0f64, 0.0f64);
    for v in values.filter(|v| v.abs() <= MAX_MAGNITUDE / 100.0) {
        (low, high) = (low.min(v), high.max(v));
    }
    let size = high.max(-low) * 1e-6;
    let end = |v: f64| if v > size { round_up(v * pad, multiples) } else { 0.0 };
    let range = (-end(-low), end(high));
    if is_valid_range(range) { range } else { (0.0, empty) }
}

/// Range (low, high) of a linear horizontal axis that contains 0, the values and `min_end`, with round ends.
pub(super) fn horizontal_range(values: impl Iterator<Item = f64>, min_end: f64) -> (f64, f64) {
    enclosing_range(values.chain([min_end]), 1.0, HORIZONTAL_MULTIPLES, 1.0)
}

/// Range (low, high) of a linear vertical axis that contains 0 and the values, with 3 % extra space and round ends.
pub(super) fn vertical_range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    enclosing_range(values, 1.0, VERTICAL_MULTIPLES, 1.03)
}

/// Range (low, high) of a logarithmic axis that begins at one and contains all values, at least up to ten.
pub(super) fn counting_log_range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let high = values.filter(|v| v.abs() <= MAX_MAGNITUDE / 100.0).fold(10.0, f64::max);
    (1.0, round_up(high, TICK_MULTIPLES))
}

/// Smallest and largest of the positive values; `None` if no value is positive.
fn positive_min_max(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let mut drawn = values.filter(|v| (MIN_POSITIVE * 100.0..=MAX_MAGNITUDE / 100.0).contains(v));
    let first = drawn.next()?;
    Some(drawn.fold((first, first), |(low, high), v| (low.min(v), high.max(v))))
}

/// Range (low, high) of a logarithmic horizontal axis, with round ends close to the smallest and the largest positive
/// value.
pub(super) fn horizontal_log_range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let Some((low, high)) = positive_min_max(values) else { return (1.0, 10.0) };
    let close = (round_down(low, HORIZONTAL_MULTIPLES), round_up(high, HORIZONTAL_MULTIPLES));
    if close.1 >= 1.9 * close.0 {
        close
    } else {
        (round_down(low * 0.7, HORIZONTAL_MULTIPLES), round_up(high * 1.4, HORIZONTAL_MULTIPLES))
    }
}

/// Range (low, high) of a logarithmic vertical axis that contains the positive values: at least one decade; a long
/// range begins at a power of ten.
pub(super) fn vertical_log_range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let Some((low, high)) = positive_min_max(values) else { return (0.01, 1.0) };
    let top = round_up(high, TICK_MULTIPLES);
    let low = low.max(top * MIN_RELATIVE_TO_MAX);
    let bottom = round_down(low, if high > 100.0 * low { DECADE_MULTIPLES } else { TICK_MULTIPLES });
    (bottom.min(round_down(top / 10.0, TICK_MULTIPLES)), top)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many different ends are seen while `from` to `to` come in one by one.
    fn jumps(of: impl Fn(f64) -> (f64, f64)) -> usize {
        let mut seen: Vec<_> = (1..=10_000).map(|i| of(f64::from(i))).collect();
        seen.dedup();
        seen.len()
    }

    #[test]
    fn ends_are_round_and_grow_in_steps() {
        assert_eq!(horizontal_range([].into_iter(), 100.0), (0.0, 100.0));
        assert_eq!(horizontal_range([2500.0].into_iter(), 100.0), (0.0, 3000.0));
        assert_eq!(vertical_range([0.3, 1.02, f64::NAN, f64::INFINITY].into_iter()), (0.0, 1.2));
        assert_eq!(vertical_range([-0.3, 1.0].into_iter()), (-0.4, 1.2));
        assert_eq!(vertical_range([0.0].into_iter()), (0.0, 1.0));
        assert_eq!(counting_log_range([0.0, 4321.0].into_iter()), (1.0, 5000.0));
        assert_eq!(jumps(|s| horizontal_range([s].into_iter(), 100.0)), 17);
    }

    /// Compares ends up to rounding: powers of ten are not exact.
    fn assert_ends(found: (f64, f64), expected: (f64, f64)) {
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
        assert!(near(found.0, expected.0) && near(found.1, expected.1), "{found:?} instead of {expected:?}");
    }

    #[test]
    fn places_fill_a_logarithmic_axis() {
        let of = |values: &[f64]| horizontal_log_range(values.iter().copied());
        assert_ends(of(&[10.0, 20.0, 160.0]), (10.0, 200.0));
        assert_ends(of(&[128.0, 8.0]), (8.0, 150.0));
        assert_ends(of(&[3e-4, 0.1, -1.0, f64::NAN]), (3e-4, 0.1));
        assert_ends(of(&[10.0]), (6.0, 15.0));
        assert_ends(of(&[]), (1.0, 10.0));
    }

    #[test]
    fn a_falling_loss_moves_its_axis_by_decades() {
        let of = |values: &[f64]| vertical_log_range(values.iter().copied());
        assert_ends(of(&[0.7, 0.69]), (0.1, 1.0));
        assert_ends(of(&[0.7, 0.03, 0.0]), (0.02, 1.0));
        assert_ends(of(&[0.7, 3e-5, -1.0]), (1e-5, 1.0));
        assert_ends(of(&[3000.0, 41_000.0]), (2000.0, 50_000.0));
        assert_ends(of(&[0.0, f64::NAN]), (0.01, 1.0));
        assert_ends(of(&[1.0, 1e-40]), (1e-15, 1.0));
        assert_eq!(jumps(|s| of(&[1.0, 1.0 / s])), 6);
    }
}
