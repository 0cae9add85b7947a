//! The runs that a sweep stands for: how many, which settings each has, and what cannot be in them.
//!
//! # Why
//! Whether the settings of a run can be together includes those of its sweep, so its runs are taken apart here.
//! [`sweep`](crate::sweep) puts them in their places for whoever makes and shows them.

use std::collections::BTreeMap;

use super::RunSpec;
use super::time::{duration, seconds_of_one};
use crate::bounds::MOST_CONSTRUCTIONS;
use crate::models::Family;
use crate::settings::{Axis, Problem, thousands};

/// Most runs that a sweep may stand for without anybody's word: what a page makes and shows.
pub const MOST_CELLS: usize = 1024;

/// Settings that no run of a sweep can have for itself.
pub const FIXED: &[&str] = &["sweep", "series", "lrs", "device", "learner"];

/// Runs that are looked at for an estimate.
const LOOKED_AT: usize = 16;

/// How many runs the sweep of `spec` stands for; 0 if it is no sweep.
pub fn count(spec: &RunSpec) -> usize {
    spec.run.sweep.values.len().saturating_mul(spec.run.series.values.len().max(1))
}

/// Which value of the sweep's setting run `number` has, and which of the second setting; 0 where there is none.
pub fn place(spec: &RunSpec, number: usize) -> (usize, usize) {
    let lines = spec.run.series.values.len().max(1);
    (number / lines, number % lines)
}

/// Run `number` of the sweep of `spec`, from 0, without a sweep.
///
/// # Errors
/// Which of the sweep's values cannot be. None of a sweep in a specification without problems.
pub fn run(spec: &RunSpec, number: usize) -> Result<RunSpec, Problem> {
    Runs::of(spec).checked(number)
}

/// The runs of a sweep, one by one. What they share is copied once: a thousand runs of a thousand values are a million
/// texts otherwise.
pub struct Runs<'a> {
    sweep: &'a Axis,
    series: &'a Axis,
    /// What they share, without a sweep.
    shared: RunSpec,
}

impl<'a> Runs<'a> {
    /// Those of `spec`.
    pub fn of(spec: &'a RunSpec) -> Self {
        let mut shared = spec.clone();
        (shared.run.sweep, shared.run.series) = (Axis::default(), Axis::default());
        Runs { sweep: &spec.run.sweep, series: &spec.run.series, shared }
    }

    /// Run `number`, which may be one whose settings cannot be together; none where one of the sweep's values cannot be.
    pub fn unchecked(&self, number: usize) -> Option<RunSpec> {
        self.parsed(number).ok()
    }

    /// Run `number`, or what is wrong with which of the sweep's settings. To write that setting down takes a millisecond
    /// if it has a thousand values, so that is left to who says it to somebody.
    fn parsed(&self, number: usize) -> Result<RunSpec, (&'static str, &'a Axis, Problem)> {
        let lines = self.series.values.len().max(1);
        let mut one = self.shared.clone();
        // The second setting first: it may be the one that the first depends on.
        if let Some(value) = self.series.values.get(number % lines) {
            one.parse(&self.series.key, value).map_err(|problem| ("series", self.series, problem))?;
        }
        let value = self.sweep.values.get(number / lines).map_or("", String::as_str);
        one.parse(&self.sweep.key, value).map_err(|problem| ("sweep", self.sweep, problem))?;
        Ok(one)
    }

    /// Run `number`.
    ///
    /// # Errors
    /// As [`run`].
    pub fn checked(&self, number: usize) -> Result<RunSpec, Problem> {
        #[cfg(test)]
        CHECKED.set(CHECKED.get() + 1);
        let one = self.parsed(number).map_err(|(key, axis, problem)| wrong(key, axis, &problem))?;
        match one.problems_alone().first() {
            Some(problem) => Err(wrong("sweep", self.sweep, problem)),
            None => Ok(one),
        }
    }
}

#[cfg(test)]
thread_local! {
    /// Runs of sweeps whose settings this thread has held against each other.
    static CHECKED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Operations that it takes to write down the networks of largest margin that these runs of a sweep begin with, each
/// group's once.
fn construction(spec: &RunSpec, numbers: impl Iterator<Item = usize>) -> u64 {
    // Of no other family is a construction work, so that no run has to be looked at.
    if !matches!(spec.model.config().family(), Some(Family::Pairs(_))) {
        return 0;
    }
    let runs = Runs::of(spec);
    let of_one = |number| {
        let RunSpec { model, task, .. } = runs.unchecked(number)?;
        model.config().construction(&task)
    };
    // Collecting them would sort them first.
    let mut different: BTreeMap<_, u64> = BTreeMap::new();
    numbers.filter_map(of_one).for_each(|(law, operations)| _ = different.insert(law, operations));
    different.into_values().fold(0, u64::saturating_add)
}

/// Runs of a sweep that are looked at before it begins, where to look at one takes a millisecond.
const MOST_LOOKED_AT_OF_DEAR: usize = 24;

fn wrong(key: &str, axis: &Axis, problem: &Problem) -> Problem {
    Problem::new(key, &axis.to_string(), tr!("runs that are possible; {problem}", problem))
}

/// What cannot be in the sweep of `spec`, of at most so many runs.
pub(super) fn problems(spec: &RunSpec, most: usize) -> Vec<Problem> {
    let (sweep, series) = (&spec.run.sweep, &spec.run.series);
    let found = |axis: &Axis, key: &str, expected: &str| vec![Problem::new(key, &axis.to_string(), expected)];
    if sweep.is_empty() {
        return if series.is_empty() {
            vec![]
        } else {
            found(
                series,
                "series",
                tr!("a value for sweep as well, because the curves are curves of a sweep"),
            )
        };
    }
    for (key, axis) in [("sweep", sweep), ("series", series)] {
        if FIXED.contains(&axis.key.as_str()) || (key == "series" && axis.key == sweep.key) {
            return found(axis, key, tr!("a setting that can be different for each run of the sweep"));
        }
    }
    if count(spec) > most {
        return found(sweep, "sweep", &too_many(spec, most));
    }
    // What cannot be is at an end of an axis, nearly always; the rest of very many is found when its turn comes.
    let (ends, lines) = (sweep.values.len() - 1, series.values.len().max(1));
    // Circuits, machines and programs are read or built for each run.
    let few = !spec.model.config().is_optimized();
    let stride = count(spec).div_ceil(MOST_LOOKED_AT_OF_DEAR);
    let is_looked_at = |number: &usize| {
        if few {
            return number.is_multiple_of(stride) || number + 1 == count(spec);
        }
        let (at, line) = place(spec, *number);
        count(spec) <= MOST_CELLS || at == 0 || at == ends || line == 0 || line == lines - 1
    };
    let looked_at = (0..count(spec)).filter(is_looked_at);
    if construction(spec, looked_at.clone()) > MOST_CONSTRUCTIONS {
        let expected = tr!(
            "fewer or smaller groups, because finding maximum-margin networks on all of these groups takes too long"
        );
        return found(sweep, "sweep", expected);
    }
    let runs = Runs::of(spec);
    looked_at.filter_map(|number| runs.checked(number).err()).take(1).collect()
}

/// What is said of a sweep of more than `most` runs: how many they are, how long they take, and what can be done.
fn too_many(spec: &RunSpec, most: usize) -> String {
    let (most, count, time) =
        (thousands(most as u64), thousands(count(spec) as u64), duration(seconds(spec)));
    format!(
        "at most {most} runs; this sweep has {count} runs, which take up to {time} on one core of a processor: choose fewer values, or \
         run the sweep with `lab sweep --yes` and the same link"
    )
}

/// Seconds that one core of a processor takes for all runs of the sweep of `spec`, roughly: most take less, as they end
/// at their target.
pub fn seconds(spec: &RunSpec) -> f64 {
    let count = count(spec);
    let some = count.min(LOOKED_AT);
    let runs = Runs::of(spec);
    let times = (0..some).filter_map(|i| runs.unchecked(i * count / some));
    let times: Vec<f64> = times.map(|one| seconds_of_one(&one)).collect();
    count as f64 * times.iter().sum::<f64>() / times.len().max(1) as f64
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
            ("sweep=n:lin:10..50:41&series=seed:lin:1..25:25", "sweep", "1,025 runs, which take up to"),
        ] {
            let (link, notices) = decode(&format!("#v1/sparse-parity?lr=0.5&{query}"));
            assert!(
                notices.iter().any(|n| n.key == key && n.expected.contains(part)),
                "{query}: {notices:?}"
            );
            assert!(link.spec.problems().is_empty());
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
        assert!(notices.is_empty() && count(&read.spec) == 1032, "{notices:?}");
        let cells = crate::sweep::cells(&read.spec);
        assert!(cells.len() == 1031 && cells.iter().all(|cell| (cell.at, cell.series) != (64, 3)));
        assert!(crate::sweep::cell(&read.spec, 64 * 8 + 3).is_err());
        let other = crate::sweep::cell(&read.spec, 64 * 8 + 4).unwrap();
        assert_eq!((other.at, other.series, other.spec.value("k").unwrap().to_string()), (64, 4, "4".into()));
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
        let one = seconds_of_one(&spec("steps=100"));
        let is = |query: &str, runs: f64| {
            let found = seconds(&spec(query)) / one;
            assert!((found / runs - 1.0).abs() < 1e-9, "{query}: {found}");
        };
        is("sweep=steps:100_200_300_500", 11.0);
        // Of very many some are looked at.
        is("steps=100&sweep=seed:lin:1..40:40", 40.0);
    }

    /// A page reads its link in one task: each run of a sweep is looked at once.
    #[test]
    fn a_thousand_runs_are_each_checked_once() {
        CHECKED.set(0);
        let link = "#v1/sparse-parity?sweep=lr:log:0.001..1:32&series=seed:lin:1..32:32";
        let (read, notices) = decode(link);
        assert!(notices.is_empty() && encode(&read) == link);
        assert_eq!(CHECKED.get(), 1024);
        assert_eq!(crate::sweep::cells(&read.spec).len(), 1024);
        assert_eq!(CHECKED.get(), 1024, "what a link may hold is not checked again");
        let all = Runs::of(&read.spec);
        let same = |number| run(&read.spec, number).unwrap() == all.unchecked(number).unwrap();
        assert!([0, 1, 500, 1023].into_iter().all(same));
    }

    /// A circuit is built to be checked, which takes a millisecond.
    #[test]
    fn of_a_thousand_circuits_a_few_are_checked_the_last_among_them() {
        CHECKED.set(0);
        let (read, notices) = decode("#v1/boolean-circuit?sweep=sigma:log:0.001..1:1000");
        assert!(notices.is_empty() && read.spec.run.sweep.values.len() == 1000, "{notices:?}");
        assert!((20..=MOST_LOOKED_AT_OF_DEAR + 1).contains(&CHECKED.get()), "{}", CHECKED.get());
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
        assert_eq!(count(&link.spec), 100_000);
        assert_eq!(encode(&link), asked);
        assert_eq!(place(&link.spec, 99_999), (399, 249));
        assert_eq!(run(&link.spec, 99_999).unwrap().run.seed, 250);
    }
}
