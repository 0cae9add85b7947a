//! When runs converge: the distribution of convergence times over replicas, against that of random search.
//!
//! A random search that tries one of the C(n, k) sets per step is done at step t with probability
//!
//! ```text
//! P(t) = p (1−p)^(t−1),   p = 1 / C(n, k)
//! ```
//!
//! (Edelman 2024, section 5.3 and figure 5.2 left: gradient descent is no such search, for it never succeeds
//! early). A replica that has not converged by the horizon counts as later than all others: quantiles that fall on
//! such replicas do not exist, as curves stop in appendix B.4.2 where more than half of the runs fail.

use super::{Lines, Role, Series};
use vivarium_core::math::quantile;
use vivarium_core::rng::{Purpose, Stream};
use vivarium_core::sorting;

/// Resamples behind a confidence interval (Edelman 2024, appendix B.4.2).
pub const RESAMPLES: usize = 100;
/// Most bins of a histogram.
pub const MOST_BINS: usize = 80;
/// Seed of the resamples.
const SEED: u64 = 0x7469_6d65;

/// Convergence times of replicas, in rising order; infinite for those that did not converge.
#[derive(Debug, Clone, PartialEq)]
pub struct Times(Vec<f64>);

/// A box with whiskers, after Tukey (1977).
#[derive(Debug, Clone, PartialEq)]
pub struct FiveNumbers {
    /// The earliest time within 1.5 interquartile ranges below the lower quartile.
    pub low: f64,
    /// Lower quartile.
    pub lower: f64,
    /// Median.
    pub median: f64,
    /// Upper quartile; none if too few converged.
    pub upper: Option<f64>,
    /// The latest time within 1.5 interquartile ranges above the upper quartile; none without one.
    pub high: Option<f64>,
    /// Times beyond `low` and `high`.
    pub outliers: Vec<f64>,
}

/// The times of groups of `tries` replicas in a row that share their data: each that of its best.
pub fn best(times: &[Option<u64>], tries: usize) -> Vec<Option<u64>> {
    times.chunks(tries.max(1)).map(|group| group.iter().flatten().min().copied()).collect()
}

impl Times {
    /// The times of these replicas, `None` for one that has not converged by the horizon.
    pub fn new(times: &[Option<u64>]) -> Self {
        let mut sorted: Vec<f64> = times.iter().map(|t| t.map_or(f64::INFINITY, |t| t as f64)).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        Times(sorted)
    }

    /// Probability that one of these is earlier than one of `others`, with `own` and `theirs` as units of time: of all
    /// pairs the share in which it is, a tie counting half (Mann and Whitney 1947, U over the number of pairs).
    pub fn earlier_than(&self, own: f64, others: &Times, theirs: f64) -> f64 {
        let wins = |a: f64, b: f64| if a < b { 1.0 } else { f64::from(a == b) / 2.0 };
        let pairs = self.0.iter().flat_map(|a| others.0.iter().map(move |b| wins(a * own, b * theirs)));
        pairs.sum::<f64>() / (self.0.len() * others.0.len()) as f64
    }

    /// Number of replicas.
    pub fn replicas(&self) -> usize {
        self.0.len()
    }

    /// The times of those that converged, rising.
    pub fn converged(&self) -> &[f64] {
        &self.0[..self.0.partition_point(|t| t.is_finite())]
    }

    /// The quantile at `share`, [linear](quantile) between the two nearest replicas; none if
    /// it falls on replicas that did not converge.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        Some(quantile(&self.0, share)).filter(|t| t.is_finite())
    }

    /// The median; none if fewer than half of the replicas converged.
    pub fn median(&self) -> Option<f64> {
        self.quantile(0.5)
    }

    /// A 95 % confidence interval of the median from [`RESAMPLES`] bootstrap resamples, by their percentiles
    /// (Efron 1979). Its upper end is infinite where resamples had too few that converged; none where the lower
    /// end is, too.
    pub fn median_interval(&self) -> Option<(f64, f64)> {
        let count = self.0.len();
        let stream = Stream::new(SEED, Purpose::Sample, 0);
        let resample = |number: u64| {
            let pick = |i: u32| self.0[stream.below(number, i, count as u32) as usize];
            let mut sample: Vec<f64> = (0..count as u32).map(pick).collect();
            sample.sort_unstable_by(f64::total_cmp);
            quantile(&sample, 0.5)
        };
        let mut medians: Vec<f64> = (0..RESAMPLES as u64).map(resample).collect();
        medians.sort_unstable_by(f64::total_cmp);
        Some((quantile(&medians, 0.025), quantile(&medians, 0.975))).filter(|ends| ends.0.is_finite())
    }

    /// The box of these times, whiskers and what lies beyond them; none if fewer than half of the replicas converged.
    pub fn summary(&self) -> Option<FiveNumbers> {
        let (lower, median) = (self.quantile(0.25)?, self.median()?);
        let upper = self.quantile(0.75);
        let reach = upper.map_or(f64::INFINITY, |upper| 1.5 * (upper - lower));
        let (least, most) = (lower - reach, upper.map_or(f64::INFINITY, |upper| upper + reach));
        let within = || self.converged().iter().copied().filter(|t| (least..=most).contains(t));
        let outside = self.converged().iter().copied().filter(|t| !(least..=most).contains(t));
        Some(FiveNumbers {
            low: within().next().unwrap_or(lower),
            lower,
            median,
            upper,
            high: upper.and(within().next_back()),
            outliers: outside.collect(),
        })
    }
}

/// The probability that random search among `sets` sets, one per step, is done after step `from` and by step `to`.
pub fn random_search(sets: f64, from: f64, to: f64) -> f64 {
    // ln(1−p); one set is found in the first step.
    let rest = libm::log1p(-1.0 / sets.max(1.0));
    let left = |t: f64| if t > 0.0 { libm::exp(t * rest) } else { 1.0 };
    if rest == f64::NEG_INFINITY {
        left(from) - left(to)
    } else {
        -left(from) * libm::expm1((to - from) * rest)
    }
}

/// What the height of a histogram says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Height {
    /// Replicas per bin.
    Count,
    /// Share of all replicas per step, so that the area is the share that converged.
    Density,
}

/// Width of the bins of a histogram from zero on: that of Freedman and Diaconis (1981), rounded to a multiple of
/// the `every` steps between two checks, since no time lies between; wider where there would be more than
/// [`MOST_BINS`].
fn bin_width(times: &Times, every: u64) -> f64 {
    let every = every.max(1) as f64;
    let times = times.converged();
    let last = times.last().copied().unwrap_or(0.0);
    let spread = quantile(times, 0.75) - quantile(times, 0.25);
    let ideal = 2.0 * spread / libm::cbrt(times.len() as f64);
    let fewest = every * libm::ceil(last / every / MOST_BINS as f64);
    (every * libm::round(ideal / every)).max(fewest).max(every)
}

/// The histogram of convergence times as a filled staircase, with random search among `sets` sets over the same
/// bins. A bin holds the times after its left and up to its right end, for a time is the first check that
/// was passed.
pub fn histogram(times: &Times, every: u64, sets: f64, height: Height) -> Lines {
    let width = bin_width(times, every);
    let replicas = times.replicas() as f64;
    let converged = times.converged();
    let bins = converged.last().map_or(0, |last| libm::ceil(last / width).max(1.0) as usize);
    let mut counts = vec![0.0; bins];
    for time in converged {
        counts[(libm::ceil(time / width) as usize).saturating_sub(1)] += 1.0;
    }
    let mass = |bin: usize| replicas * random_search(sets, bin as f64 * width, (bin + 1) as f64 * width);
    let law: Vec<f64> = (0..bins).map(mass).collect();
    let scale = match height {
        Height::Count => 1.0,
        Height::Density => 1.0 / (replicas * width),
    };
    let mut found = staircase(&counts, width, scale);
    found.name = tr!(
        "{converged} of {replicas} replicas converged",
        converged = converged.len(),
        replicas = times.replicas()
    );
    found.role = Role::Test;
    found.band = found.y.iter().map(|y| (0.0, *y)).collect();
    let mut search = staircase(&law, width, scale);
    search.name = tr!("random search").into();
    search.role = Role::Other;
    Lines {
        title: tr!("Convergence times").into(),
        x_label: tr!("steps until converged").into(),
        y_label: match height {
            Height::Count => tr!("replicas per {width} steps", width),
            Height::Density => tr!("share of replicas per step").into(),
        },
        series: vec![found, search],
        marks: times.median().map(|median| (median, tr!("median").into())).into_iter().collect(),
        ..Default::default()
    }
}

/// The outline of bars that stand side by side from zero on: a height for each bin, and one more place, where the
/// last one ends.
fn staircase(heights: &[f64], width: f64, scale: f64) -> Series {
    let edges = if heights.is_empty() { 0 } else { heights.len() + 1 };
    Series {
        x: (0..edges).map(|edge| edge as f64 * width).collect(),
        y: heights.iter().map(|height| (height * scale) as f32).collect(),
        stairs: true,
        ..Default::default()
    }
}

/// Convergence times by initialisation, where replica r starts from initialisation r mod `inits`: a dot for each
/// replica that converged, those of one initialisation on a line from the earliest to the latest.
pub fn by_start(solved: &[Option<u64>], inits: usize) -> Lines {
    let name = tr!(
        "{converged} of {replicas} replicas converged",
        converged = solved.iter().flatten().count(),
        replicas = solved.len()
    );
    let dots = |init: usize| {
        let mut times: Vec<u64> = solved.iter().skip(init).step_by(inits.max(1)).flatten().copied().collect();
        sorting::sort_by_key(&mut times, |time| *time);
        let (x, y) = times.into_iter().map(|t| (init as f64 + 1.0, t as f32)).unzip();
        Series { name: name.clone(), role: Role::Test, x, y, points: true, ..Default::default() }
    };
    Lines {
        title: tr!("Convergence times").into(),
        x_label: tr!("initialisation").into(),
        y_label: tr!("steps until converged").into(),
        x_range: Some((0.0, inits as f64 + 1.0)),
        series: (0..inits).map(dots).collect(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(of: &[u64], missed: usize) -> Times {
        let mut all: Vec<Option<u64>> = vec![None; missed];
        all.extend(of.iter().map(|t| Some(*t)));
        Times::new(&all)
    }

    #[test]
    fn quantiles_by_hand() {
        let five = times(&[50, 10, 40, 20, 30], 0);
        assert_eq!([0.0, 0.25, 0.5, 1.0].map(|q| five.quantile(q)), [10.0, 20.0, 30.0, 50.0].map(Some));
        assert_eq!(five.quantile(0.1), Some(14.0));
        assert_eq!(times(&[10, 20], 0).median(), Some(15.0));
        // Two of five missed: the median is the last that converged; two of four: it is in between.
        assert_eq!(
            (times(&[10, 20, 30], 2).median(), times(&[10, 20, 30], 2).quantile(0.6)),
            (Some(30.0), None)
        );
        assert_eq!(times(&[10, 20], 2).median(), None);
        assert_eq!((times(&[], 0).median(), times(&[], 0).median_interval()), (None, None));
        assert_eq!(times(&[], 3).median_interval(), None);
    }

    #[test]
    fn who_is_earlier_is_counted_over_pairs() {
        let (one, other) = (times(&[10, 30], 1), times(&[20, 30], 2));
        // 10 before all four; 30 after 20, with 30, before those that missed; the missed with the missed. In half the
        // time 20 is with 10, and 30 is 15.
        assert_eq!(one.earlier_than(1.0, &other, 1.0), (4.0 + 2.5 + 1.0) / 12.0);
        assert_eq!(one.earlier_than(1.0, &other, 0.5), (3.5 + 2.0 + 1.0) / 12.0);
        assert_eq!(one.earlier_than(1.0, &one, 1.0), 0.5);
    }

    #[test]
    fn the_box_leaves_outliers_outside() {
        let summary = times(&[10, 20, 30, 40, 50, 60, 70, 500, 600], 0).summary().unwrap();
        assert_eq!((summary.low, summary.lower, summary.median), (10.0, 30.0, 50.0));
        assert_eq!((summary.upper, summary.high), (Some(70.0), Some(70.0)));
        assert_eq!(summary.outliers, [500.0, 600.0]);
        let open = times(&[10, 20, 30, 40], 3).summary().unwrap();
        assert_eq!((open.low, open.median, open.upper, open.high), (10.0, 40.0, None, None));
        assert_eq!(times(&[10], 3).summary(), None);
    }

    /// A population whose median is known, 200 samples of 41: about 95 % of the intervals hold it.
    #[test]
    fn intervals_hold_the_median_about_as_often_as_they_say() {
        let draw = |sample: u32| -> Times {
            let stream = Stream::new(3, Purpose::Batch, sample);
            Times::new(&(0..41).map(|i| Some(u64::from(stream.below(0, i, 1001)))).collect::<Vec<_>>())
        };
        let holds = |times: &Times| times.median_interval().is_some_and(|(a, b)| (a..=b).contains(&500.0));
        let held = (0..200).filter(|sample| holds(&draw(*sample))).count();
        assert!((176..=198).contains(&held), "{held} of 200");
        assert_eq!(draw(0).median_interval(), draw(0).median_interval());
        let (low, high) = times(&[10; 12], 10).median_interval().unwrap();
        assert_eq!((low, high), (10.0, f64::INFINITY));
    }

    #[test]
    fn random_search_is_a_law() {
        for count in [1.0, 2.0, 1140.0, 1e12] {
            let bins = (0..2000).map(|i| random_search(count, f64::from(i) * 7.0, f64::from(i + 1) * 7.0));
            let sum: f64 = bins.sum::<f64>() + random_search(count, 14_000.0, f64::INFINITY);
            assert!((sum - 1.0).abs() < 1e-12, "{count}: {sum}");
            let p: f64 = 1.0 / count;
            for t in [1, 2, 9] {
                let expected = p * (1.0 - p).powi(t - 1);
                let found = random_search(count, f64::from(t - 1), f64::from(t));
                assert!((found - expected).abs() <= 1e-12 * p, "{count} {t}");
            }
        }
        let mean: f64 =
            (1..40_000).map(|t| f64::from(t) * random_search(1140.0, f64::from(t - 1), f64::from(t))).sum();
        assert!((mean - 1140.0).abs() < 1e-6);
    }

    #[test]
    fn bins_are_whole_intervals_and_hold_everything() {
        for every in [1, 5, 10, 250] {
            let stream = Stream::new(5, Purpose::Batch, 0);
            let drawn: Vec<u64> = (0..300).map(|i| u64::from(stream.below(0, i, 400) + 1) * every).collect();
            let times = times(&drawn, 20);
            let counts = histogram(&times, every, 1140.0, Height::Count);
            let outline = &counts.series[0];
            let width = outline.x[1] - outline.x[0];
            assert_eq!(width % every as f64, 0.0);
            assert!((6..=MOST_BINS + 1).contains(&outline.x.len()) && outline.stairs);
            let sum = |series: &Series| series.y.iter().map(|y| f64::from(*y)).sum::<f64>();
            assert_eq!(sum(outline), 300.0);
            assert!(outline.band.iter().zip(&outline.y).all(|(band, y)| *band == (0.0, *y)));
            let last = outline.x.last().unwrap();
            let law = sum(&counts.series[1]);
            assert!((law / (320.0 * random_search(1140.0, 0.0, *last)) - 1.0).abs() < 1e-5);
            let density = histogram(&times, every, 1140.0, Height::Density);
            assert!((sum(&density.series[0]) * width - 300.0 / 320.0).abs() < 1e-5);
        }
    }

    #[test]
    fn a_time_belongs_to_the_bin_that_it_ends() {
        let lines = histogram(&times(&[10, 10, 20, 40], 1), 10, 20.0, Height::Count);
        // Freedman and Diaconis want 2 · 15 / ∛4 = 18.9 steps, which is two checks.
        assert_eq!(lines.series[0].x, [0.0, 20.0, 40.0]);
        assert_eq!(lines.series[0].y, [3.0, 1.0]);
        assert_eq!(lines.series[0].name, "4 of 5 replicas converged");
        assert_eq!(lines.marks, [(20.0, "median".to_string())]);
        let none = histogram(&times(&[], 4), 10, 20.0, Height::Density);
        assert!(none.series.iter().all(|s| s.x.is_empty()) && none.marks.is_empty());
        assert_eq!(histogram(&times(&[0], 0), 10, 20.0, Height::Count).series[0].y, [1.0]);
    }

    #[test]
    fn the_best_of_a_group_stands_for_it() {
        let times = [Some(9), None, Some(4), None, None, None, Some(7)];
        assert_eq!(best(&times, 3), [Some(4), None, Some(7)]);
        assert_eq!(best(&times, 1), times);
    }

    #[test]
    fn replicas_stand_over_the_initialisation_that_they_share() {
        let lines = by_start(&[Some(30), Some(5), None, Some(7), Some(10), None], 2);
        let [first, second] = &lines.series[..] else { panic!("one series for each") };
        assert_eq!(
            (first.x.as_slice(), first.y.as_slice()),
            ([1.0, 1.0].as_slice(), [10.0, 30.0].as_slice())
        );
        assert_eq!(
            (second.x.as_slice(), second.y.as_slice()),
            ([2.0, 2.0].as_slice(), [5.0, 7.0].as_slice())
        );
        assert!(first.points && first.name == second.name && first.name == "4 of 6 replicas converged");
    }
}
