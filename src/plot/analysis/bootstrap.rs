//! Bootstrap confidence interval of the slope of a fitted scaling law.
//!
//! ```text
//! at every x, as many networks as there are, drawn with replacement;   median of each;   law through the medians
//! ```
//!
//! The 2.5th and the 97.5th percentile of the slopes are the ends (Efron and Tibshirani 1993, "An introduction to the
//! bootstrap", section 13.3). A point has no median in a resample in which fewer than half of the networks converged;
//! the law is then fitted to the others.
//!
//! # Why
//! The error of least squares uses the medians alone: it is zero through two of them, however much networks differ,
//! and large where the law bends, however sure each median is. Networks are what was drawn at random, so they are drawn
//! again. The seed is fixed and the generator our own: the same times have the same interval, everywhere and always.

use std::cell::RefCell;

use super::convergence::ConvergenceTimes;
use vivarium_core::math::{LeastSquaresLine, quantile};
use vivarium_core::rng::{Purpose, RandomStream};

/// Number of bootstrap resamples behind a confidence interval; fewer, but at least 200, where all resamples together
/// would draw more than four million networks.
pub const RESAMPLES: usize = 1000;
/// Minimum number of networks at each value of the swept setting for a confidence interval of the slope; if any value
/// has fewer, no interval is computed, since a resample would have too few different medians.
pub const MIN_NETWORKS: usize = 5;
/// Random seed of the bootstrap resamples behind the interval of a slope: the ASCII word "fits".
pub const SEED: u64 = 0x6669_7473;
/// Maximum number of networks drawn over all bootstrap resamples of one interval; if 1000 resamples would draw more,
/// their number is reduced, down to [`MIN_RESAMPLES`].
const MAX_DRAWS: usize = 4_000_000;
/// Minimum number of bootstrap resamples behind a confidence interval, however many networks there are.
const MIN_RESAMPLES: usize = 200;
/// Number of confidence intervals kept in the cache: a chart is redrawn many times while its sweep runs.
const CACHE_SIZE: usize = 64;

/// The scaling law that is fitted to median convergence times t over the values x of a swept setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalingLaw {
    /// t ∝ x^α; the slope of the fit is α.
    Power,
    /// t = a + b ln x; the slope of the fit is b.
    Logarithm,
}

/// A value of the swept setting, and the convergence time in training steps of each network trained with it; `None` for
/// a network that has not converged.
pub type TimedPoint<'a> = (f64, &'a [Option<u64>]);

/// A point of a scaling curve that has a median: a value of the swept setting at which at least half of the networks
/// converged.
struct LogPoint {
    /// Natural logarithm of the value of the swept setting.
    ln_x: f64,
    /// Convergence times in ascending order, infinite for networks that did not converge.
    times: Vec<f64>,
}

/// The 95 % bootstrap confidence interval (low, high) of the slope of `law`, fitted to the median times at `points`;
/// computed once and then cached. `None` if a point with a median has fewer than [`MIN_NETWORKS`] networks, if fewer
/// than two points have a median, or if more than 5 % of the resamples have no fit.
pub fn slope_interval(points: &[TimedPoint], law: ScalingLaw) -> Option<(f64, f64)> {
    /// Arguments of [`slope_interval`], points and law, and the interval computed for them.
    type CacheEntry = (Vec<(f64, Vec<Option<u64>>)>, ScalingLaw, Option<(f64, f64)>);
    thread_local! {
        /// The latest [`CACHE_SIZE`] intervals computed by [`slope_interval`] on this thread with their arguments,
        /// oldest first.
        static CACHE: RefCell<Vec<CacheEntry>> = const { RefCell::new(vec![]) };
    }
    CACHE.with_borrow_mut(|known| {
        let is_it = |(of, by, _): &&CacheEntry| {
            let same = || of.iter().zip(points).all(|(a, b)| a.0 == b.0 && a.1 == b.1);
            *by == law && of.len() == points.len() && same()
        };
        if let Some((_, _, found)) = known.iter().find(is_it) {
            return *found;
        }
        let found = resample_slope_interval(points, law);
        if known.len() >= CACHE_SIZE {
            known.remove(0);
        }
        known.push((points.iter().map(|(x, times)| (*x, times.to_vec())).collect(), law, found));
        found
    })
}

/// Computes the bootstrap interval of [`slope_interval`] by resampling the networks, without looking into the cache.
fn resample_slope_interval(points: &[TimedPoint], law: ScalingLaw) -> Option<(f64, f64)> {
    let has_place = |(x, times): &&TimedPoint| {
        *x > 0.0 && ConvergenceTimes::new(times).median().is_some_and(|time| time > 0.0)
    };
    let places: Vec<LogPoint> = points
        .iter()
        .filter(has_place)
        .map(|(x, times)| {
            let time = |time: &Option<u64>| time.map_or(f64::INFINITY, |time| time as f64);
            let mut times: Vec<f64> = times.iter().map(time).collect();
            times.sort_unstable_by(f64::total_cmp);
            LogPoint { ln_x: libm::log(*x), times }
        })
        .collect();
    if places.len() < 2 || places.iter().any(|place| place.times.len() < MIN_NETWORKS) {
        return None;
    }
    let networks: usize = places.iter().map(|place| place.times.len()).sum();
    let resamples = (MAX_DRAWS / networks).clamp(MIN_RESAMPLES, RESAMPLES);
    let (mut words, mut counts) = (vec![], vec![]);
    let mut slopes: Vec<f64> = (0..resamples as u64)
        .filter_map(|resample| {
            let medians = places.iter().enumerate().filter_map(|(at, place)| {
                let time = resample_median(&place.times, at as u32, resample, &mut words, &mut counts);
                let is_known = time.is_finite() && time > 0.0;
                is_known.then(|| (place.ln_x, if law == ScalingLaw::Power { libm::log(time) } else { time }))
            });
            Some(LeastSquaresLine::fit(&medians.collect::<Vec<_>>())?.slope)
        })
        .collect();
    slopes.sort_unstable_by(f64::total_cmp);
    (slopes.len() * 20 >= resamples * 19).then(|| (quantile(&slopes, 0.025), quantile(&slopes, 0.975)))
}

/// The median of one bootstrap resample of the convergence times `sorted`, ascending, of one point of a scaling curve.
/// `place` is the index of the point and `resample` the number of the resample, both from 0; they select the random
/// numbers. Draws are counted per time, so the resample needs no sorting; `words` and `counts` are workspaces.
fn resample_median(
    sorted: &[f64],
    place: u32,
    resample: u64,
    words: &mut Vec<u32>,
    counts: &mut Vec<u32>,
) -> f64 {
    let count = sorted.len();
    #[cfg(test)]
    tests::DRAWN.set(tests::DRAWN.get() + count);
    words.resize(count, 0);
    RandomStream::new(SEED, Purpose::Sample, place).fill_u32(resample, 0, words);
    counts.clear();
    counts.resize(count, 0);
    for word in words.iter() {
        counts[((u64::from(*word) * count as u64) >> 32) as usize] += 1;
    }
    let mut seen = 0;
    let mut before = None;
    for (time, times) in sorted.iter().zip(counts.iter()) {
        seen += *times as usize;
        // Of an even number, the mean of the two in the middle.
        if before.is_none() && count.is_multiple_of(2) && seen == count / 2 {
            before = Some(*time);
        } else if seen > count / 2 {
            return before.map_or(*time, |before| (before + time) / 2.0);
        }
    }
    f64::INFINITY
}

#[cfg(test)]
mod tests {
    use super::*;

    type Owned = Vec<(f64, Vec<Option<u64>>)>;

    thread_local! {
        /// Networks that this thread has drawn for resamples.
        pub(super) static DRAWN: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
    }

    fn interval(points: &[(f64, Vec<Option<u64>>)], law: ScalingLaw) -> Option<(f64, f64)> {
        super::slope_interval(&timed(points), law)
    }

    fn timed(points: &[(f64, Vec<Option<u64>>)]) -> Vec<TimedPoint<'_>> {
        points.iter().map(|(x, times)| (*x, times.as_slice())).collect()
    }

    /// Times of `networks` networks at each of these places: t = 300·x^α·e^(σz) with z normal, of data set `number`.
    fn random_points(number: u32, places: &[f64], networks: u32, alpha: f64, sigma: f64) -> Owned {
        let stream = RandomStream::new(11, Purpose::Batch, number);
        let time = |at: usize, x: f64, network: u32| {
            let noise = f64::from(stream.draw_normal(at as u64, network));
            Some((300.0 * x.powf(alpha) * (sigma * noise).exp()).round() as u64)
        };
        let point =
            |(at, x): (usize, &f64)| (*x, (0..networks).map(|network| time(at, *x, network)).collect());
        places.iter().enumerate().map(point).collect()
    }

    const PLACES: [f64; 5] = [10.0, 20.0, 40.0, 80.0, 160.0];

    /// The median of t is 300·x^α exactly, so α is the truth.
    #[test]
    fn intervals_hold_the_exponent_about_as_often_as_they_say() {
        let holds = |number: u32| {
            let points = random_points(number, &PLACES, 20, 0.61, 0.5);
            let (low, high) = interval(&points, ScalingLaw::Power).unwrap();
            assert!(low < high);
            (low..=high).contains(&0.61)
        };
        let held = (0..200).filter(|number| holds(*number)).count();
        assert!((181..=198).contains(&held), "{held} of 200");
    }

    /// Reference that shares only the generator: single draws, sorted samples, and for two points the slope
    /// is that of the line between their medians.
    #[test]
    fn an_interval_equals_its_definition() {
        for networks in [5u32, 6, 20] {
            let points = random_points(3, &[8.0, 32.0], networks, 1.5, 0.4);
            let median = |at: u32, resample: u64| {
                let stream = RandomStream::new(0x6669_7473, Purpose::Sample, at);
                let mut times: Vec<f64> =
                    points[at as usize].1.iter().map(|time| time.unwrap() as f64).collect();
                times.sort_by(f64::total_cmp);
                let mut sample: Vec<f64> =
                    (0..networks).map(|i| times[stream.draw_below(resample, i, networks) as usize]).collect();
                sample.sort_by(f64::total_cmp);
                let half = networks as usize / 2;
                if networks % 2 == 1 { sample[half] } else { (sample[half - 1] + sample[half]) / 2.0 }
            };
            let mut slopes: Vec<f64> =
                (0..1000).map(|b| (median(1, b) / median(0, b)).ln() / 4f64.ln()).collect();
            slopes.sort_by(f64::total_cmp);
            // 0.025 and 0.975 of the way from the first to the last of 1,000.
            let low = slopes[24] + 0.975 * (slopes[25] - slopes[24]);
            let high = slopes[974] + 0.025 * (slopes[975] - slopes[974]);
            let found = interval(&points, ScalingLaw::Power).unwrap();
            assert!((found.0 - low).abs() < 1e-9 && (found.1 - high).abs() < 1e-9, "{found:?} {low} {high}");
        }
    }

    #[test]
    fn the_same_times_have_the_same_interval() {
        let points = random_points(7, &PLACES, 20, 1.28, 0.3);
        let found = resample_slope_interval(&timed(&points), ScalingLaw::Power);
        assert!(found.is_some());
        assert_eq!(resample_slope_interval(&timed(&points), ScalingLaw::Power), found);
        assert_eq!(interval(&points, ScalingLaw::Power), found, "computed");
        assert_eq!(interval(&points, ScalingLaw::Power), found, "remembered");
        assert_ne!(interval(&points, ScalingLaw::Logarithm), found);
    }

    #[test]
    fn times_without_spread_have_an_interval_without_width() {
        let points = random_points(0, &PLACES, 6, 2.0, 0.0);
        let (low, high) = interval(&points, ScalingLaw::Power).unwrap();
        assert!((low - 2.0).abs() < 1e-9 && (high - 2.0).abs() < 1e-9, "{low} {high}");
    }

    #[test]
    fn too_few_networks_or_places_have_none() {
        assert_eq!(interval(&random_points(0, &PLACES, 4, 1.0, 0.5), ScalingLaw::Power), None);
        assert_eq!(interval(&random_points(0, &PLACES[..1], 20, 1.0, 0.5), ScalingLaw::Power), None);
        assert_eq!(interval(&[], ScalingLaw::Power), None);
        // Just half of the networks converged at one of two places: half of the resamples have no median there.
        let mut points = random_points(0, &PLACES[..2], 11, 1.0, 0.5);
        points[1].1[6..].fill(None);
        assert!(ConvergenceTimes::new(&points[1].1).median().is_some());
        assert_eq!(interval(&points, ScalingLaw::Power), None);
        // A place without a median is not missed.
        let mut points = random_points(0, &PLACES, 20, 1.0, 0.5);
        let without = interval(&points[..4], ScalingLaw::Power);
        points[4].1[3..].fill(None);
        assert!(without.is_some());
        assert_eq!(interval(&points, ScalingLaw::Power), without);
    }

    /// On the page this is done when a run of a sweep ends, and whenever the chart is drawn again.
    #[test]
    fn few_networks_are_drawn_for_an_interval_and_none_again() {
        let places: Vec<f64> = (1..=40).map(|i| 10.0 * f64::from(i)).collect();
        for (count, networks, expected) in [(5, 20, 100_000), (40, 20, 800_000), (40, 200, MAX_DRAWS)] {
            let points = random_points(1, &places[..count], networks, 1.0, 0.5);
            for expected in [expected, 0] {
                DRAWN.set(0);
                assert!(interval(&points, ScalingLaw::Power).is_some());
                assert_eq!(DRAWN.get(), expected, "{count} places of {networks} networks");
            }
        }
    }
}
