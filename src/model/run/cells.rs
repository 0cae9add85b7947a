//! Runs of a sweep: their number, the settings of each, and checks that they are valid.
//!
//! # Why
//! Validating a run includes the runs of its sweep, so they are built here.
//! [`sweep`](crate::sweep) gives them their positions in the grid for training and display.

use std::collections::BTreeMap;

use super::time::{estimate_run_seconds, format_duration};
use super::{MODEL_KEY, OPTIMIZER_KEY, RunSpec};
use crate::models::Family;
use vivarium_core::bounds::MAX_SWEEP_CONSTRUCTION_OPERATIONS;
use vivarium_core::settings::{InvalidSetting, SweepAxis, format_thousands};

/// Largest number of runs of a sweep on the page, and on the command line without `--yes`.
pub const MAX_PAGE_SWEEP_RUNS: usize = 1024;

/// Keys of settings that cannot be swept, as they describe sweeps, changes during a run or the device.
pub const UNSWEEPABLE_KEYS: &[&str] = &["sweep", "series", "further", "lrs", "device", "learner"];

/// Number of runs of a sweep, evenly chosen, whose durations are computed to estimate the duration of the whole sweep.
const ESTIMATED_RUNS: usize = 16;

/// Swept settings of `spec` with their values: the first, the second (one curve per value), and the further ones;
/// settings without values are left out.
pub fn sweep_axes(spec: &RunSpec) -> impl Iterator<Item = &SweepAxis> {
    let first = [&spec.run.sweep, &spec.run.series];
    first.into_iter().chain(&spec.run.further).filter(|axis| !axis.is_empty())
}

/// Number of runs of the sweep of `spec`, at most 2⁶⁴ − 1; 0 if it has no sweep.
pub fn count_runs(spec: &RunSpec) -> u64 {
    let lengths = sweep_axes(spec).map(|axis| axis.values.len() as u64);
    if spec.run.sweep.is_empty() { 0 } else { lengths.fold(1, u64::saturating_mul) }
}

/// Number of runs of the sweep of `spec` as [`count_runs`] returns it, at most `usize::MAX`.
pub fn count_runs_usize(spec: &RunSpec) -> usize {
    usize::try_from(count_runs(spec)).unwrap_or(usize::MAX)
}

/// Number of runs in one map or chart of a sweep: runs that differ only in the first two swept settings, and have
/// consecutive numbers.
pub fn runs_per_panel(spec: &RunSpec) -> usize {
    spec.run.sweep.values.len() * spec.run.series.values.len().max(1)
}

/// Indices, from 0, of the values of the first and of the second swept setting in run `number` (from 0); 0 for a
/// setting that is not swept.
pub fn value_indices(spec: &RunSpec, number: usize) -> (usize, usize) {
    let (number, lines) = (number % runs_per_panel(spec).max(1), spec.run.series.values.len().max(1));
    (number / lines, number % lines)
}

/// Indices, from 0, of the values of the third and later swept settings in run `number` (from 0). The last of these
/// settings varies fastest.
fn further_value_indices(spec: &RunSpec, number: usize) -> Vec<usize> {
    let mut rest = number / runs_per_panel(spec).max(1);
    let one = |axis: &SweepAxis| {
        let (length, all) = (axis.values.len().max(1), rest);
        rest = all / length;
        all % length
    };
    let mut places: Vec<usize> = spec.run.further.iter().rev().map(one).collect();
    places.reverse();
    places
}

/// Swept settings of `spec` in the order of [`sweep_axes`], each with the index (from 0) of its value in run `number`
/// (from 0).
pub fn axes_with_value_indices(spec: &RunSpec, number: usize) -> impl Iterator<Item = (&SweepAxis, usize)> {
    let (at, line) = value_indices(spec, number);
    let first = [(&spec.run.sweep, at), (&spec.run.series, line)];
    let all = first.into_iter().chain(spec.run.further.iter().zip(further_value_indices(spec, number)));
    all.filter(|(axis, _)| !axis.is_empty())
}

/// Builds run `number` of the sweep of `spec`, counted from 0, without a sweep.
///
/// # Errors
/// The invalid value of a swept setting. A valid specification has none.
pub fn build_run(spec: &RunSpec, number: usize) -> Result<RunSpec, InvalidSetting> {
    SweepRuns::new(spec).build_checked(number)
}

/// Runs of a sweep, built one by one. Their common settings are copied once: with a thousand values, copying the axes
/// for each run would copy a million strings.
pub struct SweepRuns<'a> {
    /// Specification of the run that contains the sweep, with the swept settings and their values.
    sweep: &'a RunSpec,
    /// Settings that all runs of the sweep have in common, without a sweep.
    shared: RunSpec,
}

impl<'a> SweepRuns<'a> {
    /// Copies the settings that all runs of the sweep of `spec` share.
    pub fn new(spec: &'a RunSpec) -> Self {
        let mut shared = spec.clone();
        (shared.run.sweep, shared.run.series) = (SweepAxis::default(), SweepAxis::default());
        shared.run.further.clear();
        SweepRuns { sweep: spec, shared }
    }

    /// Builds run `number` (from 0) without checking that its settings are compatible; None if the swept settings
    /// cannot take the run's values.
    pub fn build_unchecked(&self, number: usize) -> Option<RunSpec> {
        self.try_build(number).ok()
    }

    /// Builds run `number` (from 0); the error holds "sweep", "series" or "further", the swept setting with all its
    /// values, and the invalid value. The text of the values is not formatted here, since that takes a millisecond for
    /// a thousand values.
    fn try_build(&self, number: usize) -> Result<RunSpec, (&'static str, &'a SweepAxis, InvalidSetting)> {
        let run = &self.sweep.run;
        let mut one = self.shared.clone();
        let (at, line) = value_indices(self.sweep, number);
        let further = further_value_indices(self.sweep, number);
        let mut set = |key: &'static str, axis: &'a SweepAxis, place: usize| {
            let value = axis.values.get(place).map_or("", String::as_str);
            one.parse(&axis.key, value).map_err(|problem| (key, axis, problem))
        };
        // Another model or optimizer resets its settings to defaults, so it is chosen first.
        let chooses = |axis: &SweepAxis| axis.key == MODEL_KEY || axis.key == OPTIMIZER_KEY;
        for is_choice in [true, false] {
            // The later settings first: they may be those that the first depends on.
            for (axis, place) in run.further.iter().zip(&further).rev() {
                if chooses(axis) == is_choice {
                    set("further", axis, *place)?;
                }
            }
            if !run.series.is_empty() && chooses(&run.series) == is_choice {
                set("series", &run.series, line)?;
            }
            if chooses(&run.sweep) == is_choice {
                set("sweep", &run.sweep, at)?;
            }
        }
        Ok(one)
    }

    /// Builds run `number` (from 0) and checks that its settings are compatible.
    ///
    /// # Errors
    /// As [`build_run`].
    pub fn build_checked(&self, number: usize) -> Result<RunSpec, InvalidSetting> {
        #[cfg(test)]
        CHECKED_COUNT.set(CHECKED_COUNT.get() + 1);
        let one =
            self.try_build(number).map_err(|(key, axis, problem)| impossible_axis(key, axis, &problem))?;
        match one.invalid_settings_of_one_run().first() {
            Some(problem) => Err(impossible_axis("sweep", &self.sweep.run.sweep, problem)),
            None => Ok(one),
        }
    }
}

#[cfg(test)]
thread_local! {
    /// Number of runs of sweeps that this thread has checked, for tests.
    static CHECKED_COUNT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Rough number of operations for constructing the maximum-margin networks of the runs with these numbers (from 0);
/// runs on the same group count once.
fn sum_construction_operations(spec: &RunSpec, numbers: impl Iterator<Item = usize>) -> u64 {
    // Only in this family are constructions expensive, so that other runs need not be examined.
    if !matches!(spec.model.config().family(), Some(Family::Pairs(_))) {
        return 0;
    }
    let runs = SweepRuns::new(spec);
    let of_one = |number| {
        let RunSpec { model, task, .. } = runs.build_unchecked(number)?;
        model.config().construction(&task)
    };
    // Collecting them would sort them first.
    let mut different: BTreeMap<_, u64> = BTreeMap::new();
    numbers.filter_map(of_one).for_each(|(law, operations)| _ = different.insert(law, operations));
    different.into_values().fold(0, u64::saturating_add)
}

/// Largest number of runs of a sweep that are checked before the sweep starts if checking one run takes about a
/// millisecond, as for constructed networks; the other runs are checked when they start.
const MAX_CHECKED_EXPENSIVE_RUNS: usize = 24;

/// Error for the swept setting `axis` of a sweep that contains an invalid run; `key` is "sweep", "series" or "further".
fn impossible_axis(key: &str, axis: &SweepAxis, problem: &InvalidSetting) -> InvalidSetting {
    InvalidSetting::new(
        key,
        &axis.to_string(),
        tr!("values for which every run is possible; {problem}", problem),
    )
}

/// Errors of the sweep of `spec`, which may have at most `max_runs` runs; empty if it is valid.
pub(super) fn invalid_sweep_settings(spec: &RunSpec, max_runs: usize) -> Vec<InvalidSetting> {
    let (sweep, series, further) = (&spec.run.sweep, &spec.run.series, &spec.run.further);
    let found = |axis: &SweepAxis, key: &str, expected: &str| {
        vec![InvalidSetting::new(key, &axis.to_string(), expected)]
    };
    // A page, which has this limit of runs, can show only two swept settings.
    if let Some(axis) = further.first().filter(|_| max_runs <= MAX_PAGE_SWEEP_RUNS) {
        let expected = tr!(
            "at most two settings of a sweep; to sweep more settings, run `lab sweep` with the same link"
        );
        return found(axis, "further", expected);
    }
    let keys = ["sweep", "series"].into_iter().chain(std::iter::repeat("further"));
    let all = keys.zip([sweep, series].into_iter().chain(further)).filter(|(_, axis)| !axis.is_empty());
    if sweep.is_empty() {
        let expected = tr!(
            "a value for the setting “sweep” as well, because this setting has an effect only in a sweep"
        );
        return all.take(1).flat_map(|(key, axis)| found(axis, key, expected)).collect();
    }
    for (before, (key, axis)) in all.enumerate() {
        let is_twice = sweep_axes(spec).take(before).any(|other| other.key == axis.key);
        if UNSWEEPABLE_KEYS.contains(&axis.key.as_str()) || is_twice {
            return found(axis, key, tr!("a setting that can be different for each run of the sweep"));
        }
    }
    if count_runs(spec) > max_runs as u64 {
        return found(sweep, "sweep", &describe_too_many_runs(spec, max_runs));
    }
    // An invalid run is nearly always at an end of an axis; others among very many runs are found when they start.
    // Circuits, machines and programs are read or built for each run.
    let few = !spec.model.config().is_optimized();
    let number_of_runs = count_runs_usize(spec);
    let stride = number_of_runs.div_ceil(MAX_CHECKED_EXPENSIVE_RUNS);
    let is_looked_at = |number: &usize| {
        if few {
            return number.is_multiple_of(stride) || number + 1 == number_of_runs;
        }
        if number_of_runs <= MAX_PAGE_SWEEP_RUNS {
            return true;
        }
        // All settings but one have their first values, or all but one their last.
        let (mut not_first, mut not_last) = (0, 0);
        for (axis, place) in axes_with_value_indices(spec, *number) {
            not_first += usize::from(place != 0);
            not_last += usize::from(place + 1 != axis.values.len());
        }
        not_first <= 1 || not_last <= 1
    };
    let looked_at = (0..number_of_runs).filter(is_looked_at);
    if sum_construction_operations(spec, looked_at.clone()) > MAX_SWEEP_CONSTRUCTION_OPERATIONS {
        let expected = tr!(
            "fewer or smaller groups, because finding maximum-margin networks on all of these groups takes too long"
        );
        return found(sweep, "sweep", expected);
    }
    let all = SweepRuns::new(spec);
    looked_at.filter_map(|number| all.build_checked(number).err()).take(1).collect()
}

/// Describes the error of a sweep of more than `max_runs` runs: its number of runs, their duration, and what can be
/// done.
fn describe_too_many_runs(spec: &RunSpec, max_runs: usize) -> String {
    let (most, count, time) = (
        format_thousands(max_runs as u64),
        format_thousands(count_runs(spec)),
        format_duration(estimate_sweep_seconds(spec)),
    );
    format!(
        "at most {most} runs; this sweep has {count} runs, which take up to {time} on one core of a processor: choose fewer values, or \
         run the sweep with `lab sweep --yes` and the same link"
    )
}

/// Estimated seconds on one core for all runs of the sweep of `spec`; most runs take less, since they end at their
/// target.
pub fn estimate_sweep_seconds(spec: &RunSpec) -> f64 {
    // The product below must not overflow.
    let count = count_runs_usize(spec).min(usize::MAX / ESTIMATED_RUNS);
    let some = count.min(ESTIMATED_RUNS);
    let all = SweepRuns::new(spec);
    let times = (0..some).filter_map(|i| all.build_unchecked(i * count / some));
    let times: Vec<f64> = times.map(|one| estimate_run_seconds(&one)).collect();
    count_runs(spec) as f64 * times.iter().sum::<f64>() / times.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permalink::{decode, decode_within, encode};

    #[test]
    fn impossible_sweeps_are_named_and_the_rest_of_the_link_is_kept() {
        for (query, key, part) in [
            ("sweep=m:0_10&series=k:2_600", "series", "1 to 8"),
            ("sweep=n:2_20&k=3", "sweep", "at most n = 2"),
            ("sweep=colour:1_2", "sweep", "a setting of this run"),
            ("sweep=sweep:1_2", "sweep", "different for each run"),
            ("sweep=n:10_20&series=n:10_20", "series", "different for each run"),
            ("series=k:2_3", "series", "a sweep"),
            ("sweep=n:10_20&further=k:2_3", "further", "at most two settings of a sweep"),
            ("sweep=n:lin:10..50:41&series=seed:lin:1..25:25", "sweep", "1,025 runs, which take up to"),
        ] {
            let (link, notices) = decode(&format!("#v1/sparse-parity?lr=0.5&{query}"));
            assert!(
                notices.iter().any(|n| n.key == key && n.expected.contains(part)),
                "{query}: {notices:?}"
            );
            assert!(link.spec.invalid_settings().is_empty());
            assert_eq!(link.spec.value("lr").unwrap().to_string(), "0.5");
        }
    }

    /// Of 129 times 8 runs one cannot be: parity of 8 bits out of 7. Along the edges it is found before anything is made, in
    /// the middle when its turn comes.
    #[test]
    fn of_more_runs_than_a_page_makes_the_edges_are_looked_at() {
        let link = |at: usize, line: usize| {
            let mut sizes: Vec<String> = (10..139).map(|n| n.to_string()).collect();
            sizes[at] = "7".into();
            let mut bits = ["1", "2", "3", "4", "5", "6", "7"].to_vec();
            bits.insert(line, "8");
            format!("#v1/sparse-parity?sweep=n:{}&series=k:{}", sizes.join("_"), bits.join("_"))
        };
        for (at, line) in [(0, 3), (128, 3), (64, 0), (64, 7)] {
            let notices = decode_within(&link(at, line), 2000).1;
            assert!(notices.iter().any(|notice| notice.key == "sweep"), "{at} {line}: {notices:?}");
        }
        let (read, notices) = decode_within(&link(64, 3), 2000);
        assert!(notices.is_empty() && count_runs_usize(&read.spec) == 1032, "{notices:?}");
        let cells = crate::sweep::cells(&read.spec);
        assert!(
            cells.len() == 1031 && cells.iter().all(|cell| (cell.sweep_index, cell.series_index) != (64, 3))
        );
        assert!(crate::sweep::cell(&read.spec, 64 * 8 + 3).is_err());
        let other = crate::sweep::cell(&read.spec, 64 * 8 + 4).unwrap();
        assert_eq!(
            (other.sweep_index, other.series_index, other.spec.value("k").unwrap().to_string()),
            (64, 4, "4".into())
        );
    }

    /// A run's number counts the values of the second setting first, then those of the first, and then those of the further
    /// settings from the last to the first.
    #[test]
    fn runs_of_four_settings_are_numbered_map_by_map() {
        let link = "#v1/sparse-parity?sweep=n:10_20_30&series=k:2_3&further=seed:5_6,lr:0.1_0.2";
        let (read, notices) = decode_within(link, MAX_PAGE_SWEEP_RUNS + 1);
        assert!(notices.is_empty() && encode(&read) == link, "{notices:?}");
        let spec = &read.spec;
        assert_eq!((count_runs(spec), count_runs_usize(spec), runs_per_panel(spec)), (24, 24, 6));
        let keys: Vec<&str> = sweep_axes(spec).map(|axis| axis.key.as_str()).collect();
        assert_eq!(keys, ["n", "k", "seed", "lr"]);
        let values = |number| {
            let places: Vec<String> =
                axes_with_value_indices(spec, number).map(|(axis, at)| axis.values[at].clone()).collect();
            let one = build_run(spec, number).unwrap();
            assert!(one.run.sweep.is_empty() && one.run.series.is_empty() && one.run.further.is_empty());
            let set: Vec<String> = keys.iter().map(|key| one.value(key).unwrap().to_string()).collect();
            assert_eq!(places, set, "{number}");
            set.join(" ")
        };
        let found = [0, 1, 2, 6, 12, 23].map(values);
        let expected = ["10 2 5 0.1", "10 3 5 0.1", "20 2 5 0.1", "10 2 5 0.2", "10 2 6 0.1", "30 3 6 0.2"];
        assert_eq!(found, expected);
        let mut all: Vec<String> = (0..24).map(values).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 24);
    }

    #[test]
    fn impossible_further_settings_are_named() {
        for (query, key, part) in [
            ("further=seed:1_2", "further", "a value for the setting “sweep” as well"),
            ("sweep=n:10_20&further=n:10_20", "further", "different for each run"),
            ("sweep=n:10_20&series=k:2_3&further=seed:1_2,k:2_3", "further", "different for each run"),
            ("sweep=n:10_20&further=device:cpu_gpu", "further", "different for each run"),
            ("sweep=n:10_20&further=k:2_9", "further", "1 to 8"),
            ("sweep=n:2_20&further=k:2_3", "sweep", "at most n = 2"),
            ("sweep=n:10_20&further=seed:1_2,seed:3", "further", "at most 18 settings"),
        ] {
            let (link, notices) = decode_within(&format!("#v1/sparse-parity?{query}"), 10_000);
            let is_named = |notice: &InvalidSetting| notice.key == key && notice.expected.contains(part);
            assert!(notices.iter().any(is_named), "{query}: {notices:?}");
            assert!(link.spec.invalid_settings_within(10_000).is_empty());
        }
        // Of more runs than a page makes, every value of every setting is looked at with the others at an end.
        let query = "sweep=n:lin:10..39:30&series=seed:lin:1..30:30&further=k:2_40,lr:0.1_0.2";
        let notices = decode_within(&format!("#v1/sparse-parity?{query}"), 10_000).1;
        assert!(notices.iter().any(|notice| notice.key == "further"), "{notices:?}");
    }

    /// 1,000 values four times are 10¹², which 32 bits do not hold, and seven times more than 64 bits do.
    #[test]
    fn numbers_of_runs_are_of_64_bits_and_end_there() {
        let many = |from: u64| (from..from + 1000).map(|i| i.to_string()).collect();
        let axis = |key: &str| SweepAxis::new(key.into(), many(10));
        let mut spec = RunSpec::default();
        (spec.run.sweep, spec.run.series) = (axis("seed"), axis("n"));
        spec.run.further = vec![axis("k"), axis("width")];
        assert_eq!(count_runs(&spec), 1_000_000_000_000);
        assert!(invalid_sweep_settings(&spec, 1_000_000)[0].expected.contains("1,000,000,000,000 runs"));
        spec.run.further = vec![axis("k"); 5];
        assert_eq!(count_runs(&spec), u64::MAX);
        assert!(estimate_sweep_seconds(&spec).is_finite());
    }

    /// A value of the optimizer would take the learning rate back that was set before it.
    #[test]
    fn the_optimizer_is_chosen_before_its_settings_are_set() {
        for query in ["sweep=opt:sgd_adam&series=lr:0.3_0.7", "sweep=lr:0.3_0.7&series=opt:sgd_adam"] {
            let spec = decode(&format!("#v1/sparse-parity?{query}")).0.spec;
            let chosen = |number| {
                let one = build_run(&spec, number).unwrap();
                ["opt", "lr"].map(|key| one.value(key).unwrap().to_string())
            };
            let mut found: Vec<_> = (0..4).map(chosen).collect();
            found.sort();
            let expected = [["adam", "0.3"], ["adam", "0.7"], ["sgd", "0.3"], ["sgd", "0.7"]];
            assert_eq!(found, expected, "{query}");
        }
    }

    /// Networks of largest margin on Z_121 to Z_128 take 2.46 · 10⁸ operations, with Z_120 2.73 · 10⁸; 2²⁸ are the most.
    #[test]
    fn constructions_of_a_sweep_are_added_up() {
        let notices = |values: &str| decode(&format!("#v1/groups?width=512&from=maximum&sweep=n:{values}")).1;
        assert!(notices("lin:121..128:8").is_empty(), "{:?}", notices("lin:121..128:8"));
        let too_many = notices("lin:120..128:9");
        assert!(
            too_many[0].key == "sweep" && too_many[0].expected.contains("takes too long"),
            "{too_many:?}"
        );
    }

    #[test]
    fn a_sweep_takes_as_long_as_its_runs() {
        let spec = |query: &str| decode(&format!("#v1/sparse-parity?{query}")).0.spec;
        let one = estimate_run_seconds(&spec("steps=100"));
        let is = |query: &str, runs: f64| {
            let found = estimate_sweep_seconds(&spec(query)) / one;
            assert!((found / runs - 1.0).abs() < 1e-9, "{query}: {found}");
        };
        is("sweep=steps:100_200_300_500", 11.0);
        // Of very many some are looked at.
        is("steps=100&sweep=seed:lin:1..40:40", 40.0);
    }

    /// A page reads its link in one task: each run of a sweep is looked at once.
    #[test]
    fn a_thousand_runs_are_each_checked_once() {
        CHECKED_COUNT.set(0);
        let link = "#v1/sparse-parity?sweep=lr:log:0.001..1:32&series=seed:lin:1..32:32";
        let (read, notices) = decode(link);
        assert!(notices.is_empty() && encode(&read) == link);
        assert_eq!(CHECKED_COUNT.get(), 1024);
        assert_eq!(crate::sweep::cells(&read.spec).len(), 1024);
        assert_eq!(CHECKED_COUNT.get(), 1024, "what a link may hold is not checked again");
        let all = SweepRuns::new(&read.spec);
        let same = |number| build_run(&read.spec, number).unwrap() == all.build_unchecked(number).unwrap();
        assert!([0, 1, 500, 1023].into_iter().all(same));
    }

    /// A circuit is built to be checked, which takes a millisecond.
    #[test]
    fn of_a_thousand_circuits_a_few_are_checked_the_last_among_them() {
        CHECKED_COUNT.set(0);
        let (read, notices) = decode("#v1/boolean-circuit?sweep=sigma:log:0.001..1:1000");
        assert!(notices.is_empty() && read.spec.run.sweep.values.len() == 1000, "{notices:?}");
        assert!(
            (20..=MAX_CHECKED_EXPENSIVE_RUNS + 1).contains(&CHECKED_COUNT.get()),
            "{}",
            CHECKED_COUNT.get()
        );
    }

    /// Of 26 circuits every second one is looked at, from the first, and then the last.
    #[test]
    fn a_last_circuit_that_cannot_be_is_found_whatever_the_stride() {
        let read = |wrong: usize| {
            let mut noises: Vec<String> = (1..=26).map(|i| format!("0.{i:02}")).collect();
            noises[wrong] = "11".into();
            decode(&format!("#v1/boolean-circuit?sweep=sigma:{}", noises.join("_")))
        };
        for (wrong, is_found) in [(25, true), (24, true), (0, true), (1, false), (23, false)] {
            let (link, notices) = read(wrong);
            let keys: Vec<&str> = notices.iter().map(|notice| notice.key.as_str()).collect();
            assert_eq!(keys, if is_found { vec!["sweep"] } else { vec![] }, "{wrong}: {notices:?}");
            assert_eq!(link.spec.run.sweep.is_empty(), is_found, "{wrong}");
        }
    }

    #[test]
    fn a_hundred_thousand_runs_are_refused_with_their_time_and_a_way_to_go_on() {
        let asked = "#v1/sparse-parity?replicas=20&sweep=lr:log:0.001..1:400&series=seed:lin:1..250:250";
        let (link, notices) = decode(asked);
        assert!(link.spec.run.sweep.is_empty() && link.spec.run.replicas == 20);
        let said = notices.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        for part in ["at most 1,024 runs", "100,000", " days on one core", "fewer values", "lab sweep --yes"]
        {
            assert!(said.contains(part), "{part}: {said}");
        }
        let (link, notices) = decode_within(asked, 1_000_000);
        assert!(notices.is_empty(), "{notices:?}");
        assert_eq!(count_runs_usize(&link.spec), 100_000);
        assert_eq!(encode(&link), asked);
        assert_eq!(value_indices(&link.spec, 99_999), (399, 249));
        assert_eq!(build_run(&link.spec, 99_999).unwrap().run.seed, 250);
    }
}
