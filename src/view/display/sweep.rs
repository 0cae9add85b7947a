//! A sweep: one run after the other, each as any other run, and what has been found so far.

use std::collections::BTreeMap;

use super::words::{count, label, option, setting, thousands};
use vivarium_core::settings::Axis;
use vivarium_core::sorting;
use vivarium_model::protocol::Row;
use vivarium_model::run::RunSpec;
use vivarium_model::run::time::{duration, seconds_of_one};
use vivarium_model::sweep::{Cell, cells, places};
use vivarium_plot::analysis::convergence::{Times, best};
use vivarium_plot::analysis::curves::spread;
use vivarium_plot::analysis::scaling::Point;

/// A sweep that is being made.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// Its runs, in order.
    pub cells: Vec<Cell>,
    /// For each run that has ended, the step at which each replica reached the target.
    pub done: Vec<Vec<Option<u64>>>,
    /// Medians of held-out loss and accuracy at the end of each of them; none for those from a file.
    pub finals: Vec<[f32; 2]>,
    /// Held-out accuracy of every network at the end of each of them, likewise.
    pub ends: Vec<Vec<f32>>,
    /// Medians of the further measures there, likewise.
    pub measures: Vec<Vec<f32>>,
    /// What runs came to that have ended before their turn, by their numbers.
    ahead: BTreeMap<usize, Outcome>,
    /// Whether a person has ended it before its last run.
    pub cancelled: bool,
    /// Seconds that were trained for it.
    pub seconds: u32,
    /// How long each run takes compared with the others, by its size and steps.
    costs: Vec<f64>,
}

/// What a run of a sweep came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The step at which each replica reached the target, or the best of each group that shares its data.
    pub times: Vec<Option<u64>>,
    /// Medians of held-out loss and accuracy at its end.
    pub last: [f32; 2],
    /// Held-out accuracy of every network there.
    pub right: Vec<f32>,
    /// Medians of the further measures there.
    pub measures: Vec<f32>,
}

impl Outcome {
    /// Of the run of `spec`, whose replicas reached the target at `times`, with its last measurement.
    pub fn of(spec: &RunSpec, times: &[Option<u64>], last: Option<&Row>) -> Self {
        Outcome {
            times: best(times, spec.task.examples().tries()),
            last: last.map_or([f32::NAN; 2], |row| [spread(&row.test_loss).0, spread(&row.test_accuracy).0]),
            right: last.map(|row| row.test_accuracy.clone()).unwrap_or_default(),
            measures: measures(last),
        }
    }
}

/// Medians over the replicas of the further measures of a row, if there is one.
pub fn measures(row: Option<&Row>) -> Vec<f32> {
    row.map_or(vec![], |row| row.measures.iter().map(|values| spread(values).0).collect())
}

impl Sweep {
    /// The sweep of `spec`, if it is one, at its beginning.
    pub fn of(spec: &RunSpec) -> Option<Sweep> {
        let cells = cells(spec);
        let costs = cells.iter().map(|cell| seconds_of_one(&cell.spec)).collect();
        (!cells.is_empty()).then_some(Sweep {
            cells,
            costs,
            done: vec![],
            finals: vec![],
            ends: vec![],
            measures: vec![],
            ahead: BTreeMap::new(),
            cancelled: false,
            seconds: 0,
        })
    }

    /// Whether nobody trains for it any more.
    pub fn is_at_rest(&self) -> bool {
        self.cancelled || self.is_over()
    }

    /// How many runs have ended.
    pub fn ended(&self) -> usize {
        self.done.len() + self.ahead.len()
    }

    /// When the networks of a run reached the target, if it has ended.
    pub fn times(&self, run: usize) -> Option<&Vec<Option<u64>>> {
        self.done.get(run).or_else(|| Some(&self.ahead.get(&run)?.times))
    }

    /// Medians of held-out loss and accuracy at its end, likewise.
    pub fn last(&self, run: usize) -> Option<[f32; 2]> {
        self.finals.get(run).copied().or_else(|| Some(self.ahead.get(&run)?.last))
    }

    /// Held-out accuracy of every network there, likewise.
    pub fn right(&self, run: usize) -> Option<&Vec<f32>> {
        self.ends.get(run).or_else(|| Some(&self.ahead.get(&run)?.right))
    }

    /// Medians of the further measures there, likewise.
    pub fn measured(&self, run: usize) -> Option<&Vec<f32>> {
        self.measures.get(run).or_else(|| Some(&self.ahead.get(&run)?.measures))
    }

    /// Takes what the run under way has come to, and what those after it came to before.
    pub fn end(&mut self, outcome: Outcome) {
        let mut next = Some(outcome);
        while let Some(Outcome { times, last, right, measures }) = next {
            self.done.push(times);
            self.finals.push(last);
            self.ends.push(right);
            self.measures.push(measures);
            next = self.ahead.remove(&self.done.len());
        }
    }

    /// Whether somebody may train this run before its turn: the last one is left to the page, where it stays on show.
    pub fn is_open(&self, run: usize) -> bool {
        run > self.done.len() && run + 1 < self.cells.len() && !self.ahead.contains_key(&run)
    }

    /// Takes what a run came to that has ended before its turn.
    pub fn end_ahead(&mut self, run: usize, outcome: Outcome) {
        self.ahead.insert(run, outcome);
    }

    /// "12 of 40 runs, about 3 min left".
    pub fn progress(&self) -> String {
        let (done, all) = (thousands(self.ended() as u64), count(self.cells.len(), "run"));
        match self.left() {
            _ if self.is_over() => tr!("All {all} have ended", all),
            _ if self.cancelled => {
                tr!("Cancelled after {done} of {all}; the results so far are kept", done, all)
            }
            Some(left) => tr!("{done} of {all}, about {left} left", done, all, left = duration(left)),
            None => tr!("{done} of {all}", done, all),
        }
    }

    /// Seconds until the last run has ended, judged by those that have: each takes as much as its steps and size say.
    fn left(&self) -> Option<f64> {
        let of = |ended: bool| {
            let costs = self.costs.iter().enumerate();
            costs.filter(|(run, _)| self.times(*run).is_some() == ended).map(|(_, cost)| cost).sum::<f64>()
        };
        (self.ended() > 0 && self.seconds > 0).then(|| f64::from(self.seconds) * of(false) / of(true))
    }

    /// The run under way, or the last one.
    pub fn current(&self) -> &Cell {
        &self.cells[self.done.len().min(self.cells.len() - 1)]
    }

    /// Whether every run has ended.
    pub fn is_over(&self) -> bool {
        self.done.len() == self.cells.len()
    }

    /// How many networks of the runs that have ended have reached the target, and of how many.
    pub fn found(&self) -> (usize, usize) {
        let all = || (0..self.cells.len()).filter_map(|run| self.times(run));
        (all().flatten().flatten().count(), all().map(Vec::len).sum())
    }

    /// The values of the sweep of which all runs have ended and none has a median, since fewer than half of its
    /// networks reached the target: place, networks that did, and all of them.
    pub fn missed(&self) -> Vec<(usize, usize, usize)> {
        let runs = |at: usize| self.cells.iter().enumerate().filter(move |(_, cell)| cell.at == at);
        let missed = |at: usize| {
            let mut sum = (at, 0, 0);
            for (run, _) in runs(at) {
                let times = self.times(run)?;
                if Times::new(times).median().is_some() {
                    return None;
                }
                sum = (at, sum.1 + times.iter().flatten().count(), sum.2 + times.len());
            }
            Some(sum)
        };
        let last = self.cells.iter().map(|cell| cell.at).max().unwrap_or(0);
        (0..=last).filter_map(missed).collect()
    }

    /// The curves found so far: their names, and a point for every value whose run has ended.
    pub fn curves(&self, spec: &RunSpec) -> Vec<(String, Vec<Point>)> {
        let (axis, series) = (places(&spec.run.sweep), &spec.run.series);
        let name = |line: usize| match series.values.get(line) {
            Some(value) => setting(spec, &series.key, value),
            None => "median".into(),
        };
        let points = |line: usize| {
            let cells = self.cells.iter().enumerate().filter(|(_, cell)| cell.series == line);
            let mut points: Vec<Point> = cells
                .filter_map(|(run, cell)| {
                    let times = self.times(run)?.clone();
                    Some(Point { x: axis[cell.at], times, horizon: cell.spec.run.steps })
                })
                .collect();
            sorting::sort_by(&mut points, |a, b| a.x.total_cmp(&b.x));
            points
        };
        (0..series.values.len().max(1)).map(|line| (name(line), points(line))).collect()
    }
}

/// The axis of a sweep's curves: its label, the places of its values, and whether it can be logarithmic. A value of zero,
/// as no noise, has no place on a logarithmic axis, and words have no ratio.
pub(super) fn abscissa(spec: &RunSpec) -> (String, Vec<f64>, bool) {
    let Axis { key, values, .. } = &spec.run.sweep;
    let at = places(&spec.run.sweep);
    let are_numbers = values.iter().all(|v| v.parse::<f64>().is_ok());
    let label = match are_numbers {
        true => label(spec, key),
        false => {
            let names = at.iter().zip(values).map(|(at, v)| format!("{at} {}", option(spec, key, v)));
            format!("{}: {}", label(spec, key), names.collect::<Vec<_>>().join(", "))
        }
    };
    let has_ratios = are_numbers && at.iter().all(|x| *x > 0.0);
    (label, at, has_ratios)
}

/// All of the way that a sweep will go, from the start.
pub(super) fn ends(places: &[f64]) -> (f64, f64) {
    let low = places.iter().copied().fold(f64::INFINITY, f64::min);
    (low, places.iter().copied().fold(f64::NEG_INFINITY, f64::max))
}
