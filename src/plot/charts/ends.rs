//! Ends of axes that stand still: round, and grown in steps, not with every frame.

/// Ends of a horizontal axis, as multiples of a power of ten.
const COARSE: &[f64] = &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
/// Ends of a vertical axis, which must not waste height.
const FINE: &[f64] = &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
/// Distances between ticks, and ends of a vertical logarithmic axis.
pub(super) const STEPS: &[f64] = &[1.0, 2.0, 5.0, 10.0];
/// Ends far from each other on a logarithmic axis.
const DECADES: &[f64] = &[1.0, 10.0];

/// Values beyond this are not drawn: differences of two of them must stay finite.
pub(super) const LARGEST: f64 = 1e300;
/// Values below this have no logarithm worth drawing.
const SMALLEST: f64 = 1e-280;
/// A vertical logarithmic axis ends so far below its largest value: one underflow must not flatten the rest.
const DEEPEST: f64 = 1e-15;

/// The smallest number not below `value` that is a multiple in `of` times a power of ten.
pub(super) fn round_up(value: f64, of: &[f64]) -> f64 {
    if value.is_nan() || value < 1e-290 {
        return 1e-290;
    }
    let base = libm::pow(10.0, libm::floor(libm::log10(value)));
    of.iter().map(|m| m * base).find(|end| *end >= value * (1.0 - 1e-9)).unwrap_or(10.0 * base)
}

/// The largest such number not above `value`, which is positive.
fn round_down(value: f64, of: &[f64]) -> f64 {
    let base = libm::pow(10.0, libm::floor(libm::log10(value)));
    of.iter().rev().map(|m| m * base).find(|end| *end <= value * (1.0 + 1e-9)).unwrap_or(base)
}

/// Whether a pair can be the ends of an axis.
pub(super) fn sane((low, high): (f64, f64)) -> bool {
    let size = low.abs().max(high.abs());
    low < high && size <= LARGEST && high - low > 1e-9 * size && high - low > SMALLEST
}

/// Whether a pair can be the ends of a logarithmic axis.
pub(super) fn sane_ratio((low, high): (f64, f64)) -> bool {
    sane((low, high)) && low >= SMALLEST && high >= 1.05 * low
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

/// Ends of a logarithmic axis that counts from one.
pub(super) fn counting(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let high = values.filter(|v| v.abs() <= LARGEST / 100.0).fold(10.0, f64::max);
    (1.0, round_up(high, STEPS))
}

/// The smallest and the largest positive value.
fn positive(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let mut drawn = values.filter(|v| (SMALLEST * 100.0..=LARGEST / 100.0).contains(v));
    let first = drawn.next()?;
    Some(drawn.fold((first, first), |(low, high), v| (low.min(v), high.max(v))))
}

/// Ends of a horizontal logarithmic axis, close around its places, so that few of them fill it.
pub(super) fn horizontal_ratio(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let Some((low, high)) = positive(values) else { return (1.0, 10.0) };
    let close = (round_down(low, COARSE), round_up(high, COARSE));
    if close.1 >= 1.9 * close.0 {
        close
    } else {
        (round_down(low * 0.7, COARSE), round_up(high * 1.4, COARSE))
    }
}

/// Ends of a vertical logarithmic axis: a decade or more, and whole decades below once there are many.
pub(super) fn vertical_ratio(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let Some((low, high)) = positive(values) else { return (0.01, 1.0) };
    let top = round_up(high, STEPS);
    let low = low.max(top * DEEPEST);
    let bottom = round_down(low, if high > 100.0 * low { DECADES } else { STEPS });
    (bottom.min(round_down(top / 10.0, STEPS)), top)
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
        assert_eq!(horizontal([].into_iter(), 100.0), (0.0, 100.0));
        assert_eq!(horizontal([2500.0].into_iter(), 100.0), (0.0, 3000.0));
        assert_eq!(vertical([0.3, 1.02, f64::NAN, f64::INFINITY].into_iter()), (0.0, 1.2));
        assert_eq!(vertical([-0.3, 1.0].into_iter()), (-0.4, 1.2));
        assert_eq!(vertical([0.0].into_iter()), (0.0, 1.0));
        assert_eq!(counting([0.0, 4321.0].into_iter()), (1.0, 5000.0));
        assert_eq!(jumps(|s| horizontal([s].into_iter(), 100.0)), 17);
    }

    /// Compares ends up to rounding: powers of ten are not exact.
    fn assert_ends(found: (f64, f64), expected: (f64, f64)) {
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
        assert!(near(found.0, expected.0) && near(found.1, expected.1), "{found:?} instead of {expected:?}");
    }

    #[test]
    fn places_fill_a_logarithmic_axis() {
        let of = |values: &[f64]| horizontal_ratio(values.iter().copied());
        assert_ends(of(&[10.0, 20.0, 160.0]), (10.0, 200.0));
        assert_ends(of(&[128.0, 8.0]), (8.0, 150.0));
        assert_ends(of(&[3e-4, 0.1, -1.0, f64::NAN]), (3e-4, 0.1));
        assert_ends(of(&[10.0]), (6.0, 15.0));
        assert_ends(of(&[]), (1.0, 10.0));
    }

    #[test]
    fn a_falling_loss_moves_its_axis_by_decades() {
        let of = |values: &[f64]| vertical_ratio(values.iter().copied());
        assert_ends(of(&[0.7, 0.69]), (0.1, 1.0));
        assert_ends(of(&[0.7, 0.03, 0.0]), (0.02, 1.0));
        assert_ends(of(&[0.7, 3e-5, -1.0]), (1e-5, 1.0));
        assert_ends(of(&[3000.0, 41_000.0]), (2000.0, 50_000.0));
        assert_ends(of(&[0.0, f64::NAN]), (0.01, 1.0));
        assert_ends(of(&[1.0, 1e-40]), (1e-15, 1.0));
        assert_eq!(jumps(|s| of(&[1.0, 1.0 / s])), 6);
    }
}
