//! Distribution of convergence times over replicas, compared with random search.
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

use super::{LineChart, Role, Series};
use vivarium_core::math::quantile;
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_core::sorting;

/// Number of bootstrap resamples behind a confidence interval of a median convergence time (Edelman 2024, appendix
/// B.4.2).
pub const RESAMPLES: usize = 100;
/// Maximum number of bins of a histogram of convergence times; where there would be more, the bins are made wider.
pub const MAX_BINS: usize = 80;
/// Random seed of the bootstrap resamples: the ASCII word "time".
const SEED: u64 = 0x7469_6d65;

/// Convergence times of replicas in steps, ascending; infinite for replicas that did not converge.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvergenceTimes(Vec<f64>);

/// The numbers of a box plot of convergence times in steps, after Tukey (1977).
#[derive(Debug, Clone, PartialEq)]
pub struct BoxPlotSummary {
    /// Earliest convergence time, in steps, within 1.5 interquartile ranges below the lower quartile.
    pub lower_whisker: f64,
    /// The 25 % quantile of the convergence times, in steps.
    pub lower_quartile: f64,
    /// The 50 % quantile of the convergence times, in steps.
    pub median: f64,
    /// The 75 % quantile of the convergence times, in steps; `None` if fewer than three quarters of the replicas
    /// converged.
    pub upper_quartile: Option<f64>,
    /// Latest convergence time, in steps, within 1.5 interquartile ranges above the upper quartile; `None` if there is
    /// no upper quartile.
    pub upper_whisker: Option<f64>,
    /// Convergence times, in steps, before the lower or after the upper whisker.
    pub outliers: Vec<f64>,
}

/// Splits the convergence times, in replica order, into consecutive groups of `group_size` replicas that share their
/// data, and returns the earliest time of each group in steps; `None` if no replica of the group converged.
pub fn best_of_groups(times: &[Option<u64>], group_size: usize) -> Vec<Option<u64>> {
    times.chunks(group_size.max(1)).map(|group| group.iter().flatten().min().copied()).collect()
}

impl ConvergenceTimes {
    /// Sorts the convergence times of replicas; `None` is a replica that had not converged by the last step.
    pub fn new(times: &[Option<u64>]) -> Self {
        let mut sorted: Vec<f64> = times.iter().map(|t| t.map_or(f64::INFINITY, |t| t as f64)).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        ConvergenceTimes(sorted)
    }

    /// Probability that the time of a random replica of `self`, multiplied by `unit`, is earlier than the time of a
    /// random replica of `others`, multiplied by `other_unit`, where units are factors such as examples per step; ties
    /// count half (Mann and Whitney 1947: U over the number of pairs).
    pub fn probability_earlier(&self, unit: f64, others: &ConvergenceTimes, other_unit: f64) -> f64 {
        let wins = |a: f64, b: f64| if a < b { 1.0 } else { f64::from(a == b) / 2.0 };
        let pairs = self.0.iter().flat_map(|a| others.0.iter().map(move |b| wins(a * unit, b * other_unit)));
        pairs.sum::<f64>() / (self.0.len() * others.0.len()) as f64
    }

    /// Number of replicas, whether they converged or not.
    pub fn replica_count(&self) -> usize {
        self.0.len()
    }

    /// The times of the replicas that converged, ascending.
    pub fn converged_times(&self) -> &[f64] {
        &self.0[..self.0.partition_point(|t| t.is_finite())]
    }

    /// The convergence time, in steps, before which the fraction `share`, from 0 to 1, of the replicas converged,
    /// interpolated [linearly](quantile); `None` if it falls on replicas that did not converge.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        Some(quantile(&self.0, share)).filter(|t| t.is_finite())
    }

    /// The median convergence time in steps; `None` if fewer than half of the replicas converged.
    pub fn median(&self) -> Option<f64> {
        self.quantile(0.5)
    }

    /// A 95 % confidence interval (low, high) of the median, from the 2.5 % and 97.5 % quantiles of the medians of
    /// [`RESAMPLES`] bootstrap resamples (Efron 1979). The upper end is infinite if more than 2.5 % of the resamples
    /// have no finite median; `None` if the lower end is infinite too.
    pub fn median_interval(&self) -> Option<(f64, f64)> {
        let count = self.0.len();
        let stream = RandomStream::new(SEED, Purpose::Sample, 0);
        let resample = |number: u64| {
            let pick = |i: u32| self.0[stream.draw_below(number, i, count as u32) as usize];
            let mut sample: Vec<f64> = (0..count as u32).map(pick).collect();
            sample.sort_unstable_by(f64::total_cmp);
            quantile(&sample, 0.5)
        };
        let mut medians: Vec<f64> = (0..RESAMPLES as u64).map(resample).collect();
        medians.sort_unstable_by(f64::total_cmp);
        Some((quantile(&medians, 0.025), quantile(&medians, 0.975))).filter(|ends| ends.0.is_finite())
    }

    /// Quartiles, whiskers and outliers of the times; `None` if fewer than half of the replicas converged.
    pub fn box_plot_summary(&self) -> Option<BoxPlotSummary> {
        let (lower, median) = (self.quantile(0.25)?, self.median()?);
        let upper = self.quantile(0.75);
        let reach = upper.map_or(f64::INFINITY, |upper| 1.5 * (upper - lower));
        let (least, most) = (lower - reach, upper.map_or(f64::INFINITY, |upper| upper + reach));
        let within = || self.converged_times().iter().copied().filter(|t| (least..=most).contains(t));
        let outside = self.converged_times().iter().copied().filter(|t| !(least..=most).contains(t));
        Some(BoxPlotSummary {
            lower_whisker: within().next().unwrap_or(lower),
            lower_quartile: lower,
            median,
            upper_quartile: upper,
            upper_whisker: upper.and(within().next_back()),
            outliers: outside.collect(),
        })
    }
}

/// Probability that random search among `sets` sets, testing one random set per step and possibly the same again, first
/// finds the right one after step `from` and by step `to`.
pub fn random_search_probability(sets: f64, from: f64, to: f64) -> f64 {
    // ln(1−p); one set is found in the first step.
    let rest = libm::log1p(-1.0 / sets.max(1.0));
    let left = |t: f64| if t > 0.0 { libm::exp(t * rest) } else { 1.0 };
    if rest == f64::NEG_INFINITY {
        left(from) - left(to)
    } else {
        -left(from) * libm::expm1((to - from) * rest)
    }
}

/// Quantity that the bar heights of a histogram of convergence times show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistogramHeight {
    /// Number of replicas per bin.
    Count,
    /// Share of all replicas per step, so that the total area is the share that converged.
    Density,
}

/// Bin width in steps after Freedman and Diaconis (1981), rounded to a multiple of the evaluation interval
/// `eval_every`, and widened where there would be more than [`MAX_BINS`] bins.
fn bin_width(times: &ConvergenceTimes, eval_every: u64) -> f64 {
    let every = eval_every.max(1) as f64;
    let times = times.converged_times();
    let last = times.last().copied().unwrap_or(0.0);
    let spread = quantile(times, 0.75) - quantile(times, 0.25);
    let ideal = 2.0 * spread / libm::cbrt(times.len() as f64);
    let fewest = every * libm::ceil(last / every / MAX_BINS as f64);
    (every * libm::round(ideal / every)).max(fewest).max(every)
}

/// Histogram of convergence times in steps, compared with the expected histogram of random search among `sets` sets.
/// Each bin includes its right end and excludes its left end; `eval_every` is the evaluation interval in steps, and
/// `height` what the bar heights show.
pub fn histogram_chart(
    times: &ConvergenceTimes,
    eval_every: u64,
    sets: f64,
    height: HistogramHeight,
) -> LineChart {
    let width = bin_width(times, eval_every);
    let replicas = times.replica_count() as f64;
    let converged = times.converged_times();
    let bins = converged.last().map_or(0, |last| libm::ceil(last / width).max(1.0) as usize);
    let mut counts = vec![0.0; bins];
    for time in converged {
        counts[(libm::ceil(time / width) as usize).saturating_sub(1)] += 1.0;
    }
    let mass =
        |bin: usize| replicas * random_search_probability(sets, bin as f64 * width, (bin + 1) as f64 * width);
    let law: Vec<f64> = (0..bins).map(mass).collect();
    let scale = match height {
        HistogramHeight::Count => 1.0,
        HistogramHeight::Density => 1.0 / (replicas * width),
    };
    let mut found = histogram_outline(&counts, width, scale);
    found.name = tr!(
        "{converged} of {replicas} replicas converged",
        converged = converged.len(),
        replicas = times.replica_count()
    );
    found.role = Role::Test;
    found.band = found.y.iter().map(|y| (0.0, *y)).collect();
    let mut search = histogram_outline(&law, width, scale);
    search.name = tr!("random search").into();
    search.role = Role::Other;
    LineChart {
        title: tr!("Convergence times").into(),
        x_label: tr!("steps until converged").into(),
        y_label: match height {
            HistogramHeight::Count => tr!("replicas per {width} steps", width),
            HistogramHeight::Density => tr!("share of replicas per step").into(),
        },
        series: vec![found, search],
        marks: times.median().map(|median| (median, tr!("median").into())).into_iter().collect(),
        ..Default::default()
    }
}

/// The outline of a histogram with adjacent bins of width `width` from zero on: one height per bin, multiplied by
/// `scale`, and one more x value for the end of the last bin.
fn histogram_outline(heights: &[f64], width: f64, scale: f64) -> Series {
    let edges = if heights.is_empty() { 0 } else { heights.len() + 1 };
    Series {
        x: (0..edges).map(|edge| edge as f64 * width).collect(),
        y: heights.iter().map(|height| (height * scale) as f32).collect(),
        stairs: true,
        ..Default::default()
    }
}

/// Scatter plot of the convergence times `solved` of all replicas, in steps, by initialisation, where replica r starts
/// from initialisation r mod `inits`: a dot for each replica that converged, joined by a line per initialisation.
pub fn times_by_initialisation_chart(solved: &[Option<u64>], inits: usize) -> LineChart {
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
    LineChart {
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

    fn times(of: &[u64], missed: usize) -> ConvergenceTimes {
        let mut all: Vec<Option<u64>> = vec![None; missed];
        all.extend(of.iter().map(|t| Some(*t)));
        ConvergenceTimes::new(&all)
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
        assert_eq!(one.probability_earlier(1.0, &other, 1.0), (4.0 + 2.5 + 1.0) / 12.0);
        assert_eq!(one.probability_earlier(1.0, &other, 0.5), (3.5 + 2.0 + 1.0) / 12.0);
        assert_eq!(one.probability_earlier(1.0, &one, 1.0), 0.5);
    }

    #[test]
    fn the_box_leaves_outliers_outside() {
        let summary = times(&[10, 20, 30, 40, 50, 60, 70, 500, 600], 0).box_plot_summary().unwrap();
        assert_eq!((summary.lower_whisker, summary.lower_quartile, summary.median), (10.0, 30.0, 50.0));
        assert_eq!((summary.upper_quartile, summary.upper_whisker), (Some(70.0), Some(70.0)));
        assert_eq!(summary.outliers, [500.0, 600.0]);
        let open = times(&[10, 20, 30, 40], 3).box_plot_summary().unwrap();
        assert_eq!(
            (open.lower_whisker, open.median, open.upper_quartile, open.upper_whisker),
            (10.0, 40.0, None, None)
        );
        assert_eq!(times(&[10], 3).box_plot_summary(), None);
    }

    /// A population whose median is known, 200 samples of 41: about 95 % of the intervals hold it.
    #[test]
    fn intervals_hold_the_median_about_as_often_as_they_say() {
        let draw = |sample: u32| -> ConvergenceTimes {
            let stream = RandomStream::new(3, Purpose::Batch, sample);
            ConvergenceTimes::new(
                &(0..41).map(|i| Some(u64::from(stream.draw_below(0, i, 1001)))).collect::<Vec<_>>(),
            )
        };
        let holds =
            |times: &ConvergenceTimes| times.median_interval().is_some_and(|(a, b)| (a..=b).contains(&500.0));
        let held = (0..200).filter(|sample| holds(&draw(*sample))).count();
        assert!((176..=198).contains(&held), "{held} of 200");
        assert_eq!(draw(0).median_interval(), draw(0).median_interval());
        let (low, high) = times(&[10; 12], 10).median_interval().unwrap();
        assert_eq!((low, high), (10.0, f64::INFINITY));
    }

    #[test]
    fn random_search_has_a_closed_form() {
        for count in [1.0, 2.0, 1140.0, 1e12] {
            let bins = (0..2000)
                .map(|i| random_search_probability(count, f64::from(i) * 7.0, f64::from(i + 1) * 7.0));
            let sum: f64 = bins.sum::<f64>() + random_search_probability(count, 14_000.0, f64::INFINITY);
            assert!((sum - 1.0).abs() < 1e-12, "{count}: {sum}");
            let p: f64 = 1.0 / count;
            for t in [1, 2, 9] {
                let expected = p * (1.0 - p).powi(t - 1);
                let found = random_search_probability(count, f64::from(t - 1), f64::from(t));
                assert!((found - expected).abs() <= 1e-12 * p, "{count} {t}");
            }
        }
        let mean: f64 = (1..40_000)
            .map(|t| f64::from(t) * random_search_probability(1140.0, f64::from(t - 1), f64::from(t)))
            .sum();
        assert!((mean - 1140.0).abs() < 1e-6);
    }

    #[test]
    fn bins_are_whole_intervals_and_hold_everything() {
        for every in [1, 5, 10, 250] {
            let stream = RandomStream::new(5, Purpose::Batch, 0);
            let drawn: Vec<u64> =
                (0..300).map(|i| u64::from(stream.draw_below(0, i, 400) + 1) * every).collect();
            let times = times(&drawn, 20);
            let counts = histogram_chart(&times, every, 1140.0, HistogramHeight::Count);
            let outline = &counts.series[0];
            let width = outline.x[1] - outline.x[0];
            assert_eq!(width % every as f64, 0.0);
            assert!((6..=MAX_BINS + 1).contains(&outline.x.len()) && outline.stairs);
            let sum = |series: &Series| series.y.iter().map(|y| f64::from(*y)).sum::<f64>();
            assert_eq!(sum(outline), 300.0);
            assert!(outline.band.iter().zip(&outline.y).all(|(band, y)| *band == (0.0, *y)));
            let last = outline.x.last().unwrap();
            let law = sum(&counts.series[1]);
            assert!((law / (320.0 * random_search_probability(1140.0, 0.0, *last)) - 1.0).abs() < 1e-5);
            let density = histogram_chart(&times, every, 1140.0, HistogramHeight::Density);
            assert!((sum(&density.series[0]) * width - 300.0 / 320.0).abs() < 1e-5);
        }
    }

    #[test]
    fn a_time_belongs_to_the_bin_that_it_ends() {
        let lines = histogram_chart(&times(&[10, 10, 20, 40], 1), 10, 20.0, HistogramHeight::Count);
        // Freedman and Diaconis want 2 · 15 / ∛4 = 18.9 steps, which is two checks.
        assert_eq!(lines.series[0].x, [0.0, 20.0, 40.0]);
        assert_eq!(lines.series[0].y, [3.0, 1.0]);
        assert_eq!(lines.series[0].name, "4 of 5 replicas converged");
        assert_eq!(lines.marks, [(20.0, "median".to_string())]);
        let none = histogram_chart(&times(&[], 4), 10, 20.0, HistogramHeight::Density);
        assert!(none.series.iter().all(|s| s.x.is_empty()) && none.marks.is_empty());
        assert_eq!(histogram_chart(&times(&[0], 0), 10, 20.0, HistogramHeight::Count).series[0].y, [1.0]);
    }

    #[test]
    fn the_best_of_a_group_stands_for_it() {
        let times = [Some(9), None, Some(4), None, None, None, Some(7)];
        assert_eq!(best_of_groups(&times, 3), [Some(4), None, Some(7)]);
        assert_eq!(best_of_groups(&times, 1), times);
    }

    #[test]
    fn replicas_stand_over_the_initialisation_that_they_share() {
        let lines = times_by_initialisation_chart(&[Some(30), Some(5), None, Some(7), Some(10), None], 2);
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
