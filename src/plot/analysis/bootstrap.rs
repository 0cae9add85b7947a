//! How sure a fitted law is: the interval of its slope over resampled networks.
//!
//! ```text
//! at every place, as many networks as there are, drawn with replacement;   median of each;   the law through the medians
//! ```
//!
//! The 2.5th and the 97.5th percentile of the slopes are the ends (Efron and Tibshirani 1993, "An introduction to the
//! bootstrap", section 13.3). A place has no median in a resample in which fewer than half of the networks converged; the
//! law goes through the others then.
//!
//! # Why
//! The error of least squares uses the medians alone: it is zero through two of them, however much networks differ,
//! and large where the law bends, however sure each median is. Networks are what was drawn at random, so they are drawn
//! again. The seed is fixed and the generator our own: the same times have the same interval, everywhere and always.

use std::cell::RefCell;

use super::convergence::Times;
use vivarium_core::math::{Line, quantile};
use vivarium_core::rng::{Purpose, Stream};

/// Resamples behind an interval.
pub const RESAMPLES: usize = 1000;
/// Fewest networks at each place: of fewer, a resample has too few different medians.
pub const FEWEST: usize = 5;
/// Seed of the resamples: the word "fits".
pub const SEED: u64 = 0x6669_7473;
/// Most networks that are drawn for an interval; of more, there are fewer resamples.
const MOST_DRAWN: usize = 4_000_000;
/// Fewest resamples, however many networks there are.
const FEWEST_RESAMPLES: usize = 200;
/// Curves that are remembered: a chart is drawn again and again while its sweep goes on.
const REMEMBERED: usize = 64;

/// Which law is fitted to the medians.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Law {
    /// t ∝ x^α: the slope is α.
    Power,
    /// t = a + b ln x: the slope is b.
    Logarithm,
}

/// A place with the times of its networks, `None` for a network that has not converged.
pub type Timed<'a> = (f64, &'a [Option<u64>]);

/// Times at a place that has a median.
struct Place {
    /// Logarithm of the place.
    x: f64,
    /// Times in rising order, infinite for networks that did not converge.
    times: Vec<f64>,
}

/// The 95 % interval of the slope of `law` through the medians of these points. None if a place that has a median has
/// fewer than [`FEWEST`] networks, if there are fewer than two places, or if so few networks converged that more than 5 %
/// of the resamples have no law.
pub fn interval(points: &[Timed], law: Law) -> Option<(f64, f64)> {
    type Known = (Vec<(f64, Vec<Option<u64>>)>, Law, Option<(f64, f64)>);
    thread_local! {
        static KNOWN: RefCell<Vec<Known>> = const { RefCell::new(vec![]) };
    }
    KNOWN.with_borrow_mut(|known| {
        let is_it = |(of, by, _): &&Known| {
            let same = || of.iter().zip(points).all(|(a, b)| a.0 == b.0 && a.1 == b.1);
            *by == law && of.len() == points.len() && same()
        };
        if let Some((_, _, found)) = known.iter().find(is_it) {
            return *found;
        }
        let found = resampled(points, law);
        if known.len() >= REMEMBERED {
            known.remove(0);
        }
        known.push((points.iter().map(|(x, times)| (*x, times.to_vec())).collect(), law, found));
        found
    })
}

fn resampled(points: &[Timed], law: Law) -> Option<(f64, f64)> {
    let has_place =
        |(x, times): &&Timed| *x > 0.0 && Times::new(times).median().is_some_and(|time| time > 0.0);
    let places: Vec<Place> = points
        .iter()
        .filter(has_place)
        .map(|(x, times)| {
            let time = |time: &Option<u64>| time.map_or(f64::INFINITY, |time| time as f64);
            let mut times: Vec<f64> = times.iter().map(time).collect();
            times.sort_unstable_by(f64::total_cmp);
            Place { x: libm::log(*x), times }
        })
        .collect();
    if places.len() < 2 || places.iter().any(|place| place.times.len() < FEWEST) {
        return None;
    }
    let networks: usize = places.iter().map(|place| place.times.len()).sum();
    let resamples = (MOST_DRAWN / networks).clamp(FEWEST_RESAMPLES, RESAMPLES);
    let (mut words, mut counts) = (vec![], vec![]);
    let mut slopes: Vec<f64> = (0..resamples as u64)
        .filter_map(|resample| {
            let medians = places.iter().enumerate().filter_map(|(at, place)| {
                let time = median_of(&place.times, at as u32, resample, &mut words, &mut counts);
                let is_known = time.is_finite() && time > 0.0;
                is_known.then(|| (place.x, if law == Law::Power { libm::log(time) } else { time }))
            });
            Some(Line::through(&medians.collect::<Vec<_>>())?.slope)
        })
        .collect();
    slopes.sort_unstable_by(f64::total_cmp);
    (slopes.len() * 20 >= resamples * 19).then(|| (quantile(&slopes, 0.025), quantile(&slopes, 0.975)))
}

/// The median of one resample of sorted times. Which of them are drawn is counted, so nothing has to be sorted.
fn median_of(sorted: &[f64], place: u32, resample: u64, words: &mut Vec<u32>, counts: &mut Vec<u32>) -> f64 {
    let count = sorted.len();
    #[cfg(test)]
    tests::DRAWN.set(tests::DRAWN.get() + count);
    words.resize(count, 0);
    Stream::new(SEED, Purpose::Sample, place).words(resample, 0, words);
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

    fn interval(points: &[(f64, Vec<Option<u64>>)], law: Law) -> Option<(f64, f64)> {
        super::interval(&timed(points), law)
    }

    fn timed(points: &[(f64, Vec<Option<u64>>)]) -> Vec<Timed<'_>> {
        points.iter().map(|(x, times)| (*x, times.as_slice())).collect()
    }

    /// Times of `networks` networks at each of these places: t = 300·x^α·e^(σz) with z normal, of data set `number`.
    fn drawn(number: u32, places: &[f64], networks: u32, alpha: f64, sigma: f64) -> Owned {
        let stream = Stream::new(11, Purpose::Batch, number);
        let time = |at: usize, x: f64, network: u32| {
            let noise = f64::from(stream.normal(at as u64, network));
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
            let points = drawn(number, &PLACES, 20, 0.61, 0.5);
            let (low, high) = interval(&points, Law::Power).unwrap();
            assert!(low < high);
            (low..=high).contains(&0.61)
        };
        let held = (0..200).filter(|number| holds(*number)).count();
        assert!((181..=198).contains(&held), "{held} of 200");
    }

    /// The same with nothing in common but the generator: draws one by one, sorted samples, and of two places the slope
    /// is that of the line between their medians.
    #[test]
    fn an_interval_equals_its_definition() {
        for networks in [5u32, 6, 20] {
            let points = drawn(3, &[8.0, 32.0], networks, 1.5, 0.4);
            let median = |at: u32, resample: u64| {
                let stream = Stream::new(0x6669_7473, Purpose::Sample, at);
                let mut times: Vec<f64> =
                    points[at as usize].1.iter().map(|time| time.unwrap() as f64).collect();
                times.sort_by(f64::total_cmp);
                let mut sample: Vec<f64> =
                    (0..networks).map(|i| times[stream.below(resample, i, networks) as usize]).collect();
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
            let found = interval(&points, Law::Power).unwrap();
            assert!((found.0 - low).abs() < 1e-9 && (found.1 - high).abs() < 1e-9, "{found:?} {low} {high}");
        }
    }

    #[test]
    fn the_same_times_have_the_same_interval() {
        let points = drawn(7, &PLACES, 20, 1.28, 0.3);
        let found = resampled(&timed(&points), Law::Power);
        assert!(found.is_some());
        assert_eq!(resampled(&timed(&points), Law::Power), found);
        assert_eq!(interval(&points, Law::Power), found, "computed");
        assert_eq!(interval(&points, Law::Power), found, "remembered");
        assert_ne!(interval(&points, Law::Logarithm), found);
    }

    #[test]
    fn times_without_spread_have_an_interval_without_width() {
        let points = drawn(0, &PLACES, 6, 2.0, 0.0);
        let (low, high) = interval(&points, Law::Power).unwrap();
        assert!((low - 2.0).abs() < 1e-9 && (high - 2.0).abs() < 1e-9, "{low} {high}");
    }

    #[test]
    fn too_few_networks_or_places_have_none() {
        assert_eq!(interval(&drawn(0, &PLACES, 4, 1.0, 0.5), Law::Power), None);
        assert_eq!(interval(&drawn(0, &PLACES[..1], 20, 1.0, 0.5), Law::Power), None);
        assert_eq!(interval(&[], Law::Power), None);
        // Just half of the networks converged at one of two places: half of the resamples have no median there.
        let mut points = drawn(0, &PLACES[..2], 11, 1.0, 0.5);
        points[1].1[6..].fill(None);
        assert!(Times::new(&points[1].1).median().is_some());
        assert_eq!(interval(&points, Law::Power), None);
        // A place without a median is not missed.
        let mut points = drawn(0, &PLACES, 20, 1.0, 0.5);
        let without = interval(&points[..4], Law::Power);
        points[4].1[3..].fill(None);
        assert!(without.is_some());
        assert_eq!(interval(&points, Law::Power), without);
    }

    /// On the page this is done when a run of a sweep ends, and whenever the chart is drawn again.
    #[test]
    fn few_networks_are_drawn_for_an_interval_and_none_again() {
        let places: Vec<f64> = (1..=40).map(|i| 10.0 * f64::from(i)).collect();
        for (count, networks, expected) in [(5, 20, 100_000), (40, 20, 800_000), (40, 200, MOST_DRAWN)] {
            let points = drawn(1, &places[..count], networks, 1.0, 0.5);
            for expected in [expected, 0] {
                DRAWN.set(0);
                assert!(interval(&points, Law::Power).is_some());
                assert_eq!(DRAWN.get(), expected, "{count} places of {networks} networks");
            }
        }
    }
}
