//! A sweep on the page: one run after the other, each as any other run, and what has been found so far.

use std::collections::BTreeMap;

use super::state::{Phase, Staff, State};
use super::status::status;
use super::trainer::{Effect, Program};
use super::words::{count, setting, thousands};
use crate::analysis::convergence::{Times, best};
use crate::analysis::curves::spread;
use crate::analysis::scaling::Point;
use crate::permalink::Link;
use crate::protocol::{Command, Ending, Row};
use crate::run::RunSpec;
use crate::sweep::{Cell, cells, duration, places, seconds_of_one};

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
}

impl Outcome {
    /// Of the run of `spec`, whose replicas reached the target at `times`, with its last measurement.
    pub fn of(spec: &RunSpec, times: &[Option<u64>], last: Option<&Row>) -> Self {
        Outcome {
            times: best(times, spec.task.sampler().tries()),
            last: last.map_or([f32::NAN; 2], |row| [spread(&row.test_loss).0, spread(&row.test_accuracy).0]),
            right: last.map(|row| row.test_accuracy.clone()).unwrap_or_default(),
        }
    }
}

/// What a person wants of sweeps.
#[derive(Debug, Clone, PartialEq)]
pub enum Wish {
    /// Make the one of this link.
    Make(Box<Link>),
    /// Make no more runs, and keep what was found.
    Cancel,
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

    /// Takes what the run under way has come to, and what those after it came to before.
    fn end(&mut self, outcome: Outcome) {
        let mut next = Some(outcome);
        while let Some(Outcome { times, last, right }) = next {
            self.done.push(times);
            self.finals.push(last);
            self.ends.push(right);
            next = self.ahead.remove(&self.done.len());
        }
    }

    /// Whether somebody may train this run before its turn: the last one is left to the page, where it stays on show.
    pub fn is_open(&self, run: usize) -> bool {
        run > self.done.len() && run + 1 < self.cells.len() && !self.ahead.contains_key(&run)
    }

    /// "12 of 40 runs, about 3 min left".
    pub fn progress(&self) -> String {
        let (done, all) = (thousands(self.ended() as u64), count(self.cells.len(), "run"));
        match self.left() {
            _ if self.is_over() => tr!("All of {all}", all),
            _ if self.cancelled => tr!("Cancelled after {done} of {all}; what was found is kept", done, all),
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
            points.sort_unstable_by(|a, b| a.x.total_cmp(&b.x));
            points
        };
        (0..series.values.len().max(1)).map(|line| (name(line), points(line))).collect()
    }
}

impl State {
    /// The run under way: of a sweep, the one whose turn it is.
    pub fn spec(&self) -> &RunSpec {
        self.sweep.as_ref().map_or(&self.link.spec, |sweep| &sweep.current().spec)
    }

    /// "Run 4 of 15: n = 20, k = 2", or at the end how many there were and which of them the other charts show.
    pub fn place_in_sweep(&self) -> Option<String> {
        let sweep = self.sweep.as_ref()?;
        let (cell, spec) = (sweep.current(), &self.link.spec);
        let axes = [(&spec.run.sweep, cell.at), (&spec.run.series, cell.series)];
        let values =
            axes.iter().filter_map(|(axis, at)| Some(setting(spec, &axis.key, axis.values.get(*at)?)));
        let (values, all) = (values.collect::<Vec<_>>().join(", "), sweep.cells.len());
        Some(match sweep.is_over() {
            true => tr!("The sweep is complete: {all} runs, the last of them with {values}", all, values),
            false if sweep.cancelled => {
                tr!("The sweep was cancelled after {done} of {all} runs", done = sweep.ended(), all)
            }
            false => tr!("Run {number} of {all}: {values}", number = sweep.done.len() + 1, all, values),
        })
    }

    /// Whether the sweep sets the setting behind `key`, so that its field has no effect.
    pub fn is_swept(&self, key: &str) -> bool {
        let run = &self.form_spec().run;
        [&run.sweep, &run.series].iter().any(|axis| !axis.is_empty() && axis.key == key)
    }

    /// Operations that the device has shown that it makes in a second.
    pub fn flops(&self) -> Option<f64> {
        self.rate.map(|(_, capacity)| capacity * self.spec().step_flops()).filter(|flops| *flops > 0.0)
    }

    /// Does what a person wants of sweeps.
    pub(super) fn sweep(&mut self, wish: Wish, effects: &mut Vec<Effect>) {
        match wish {
            Wish::Make(_) if self.is_locked("sweep") => {}
            Wish::Make(link) => {
                // Who presses the button waits for nothing, also where the run before was paused.
                self.paused = false;
                self.phase = Phase::Loading;
                let runs = count(crate::sweep::count(&link.spec), "run");
                self.change(*link, tr!("A sweep of {runs}. Undo goes back.", runs), effects);
            }
            Wish::Cancel => {
                let Some(sweep) = self.sweep.as_mut().filter(|sweep| !sweep.is_at_rest()) else { return };
                sweep.cancelled = true;
                self.paused = true;
                self.awaiting = false;
                self.send(Command::Pause, effects);
                self.rest();
            }
        }
    }

    /// Nobody trains for the sweep any more.
    pub(super) fn rest(&mut self) {
        self.phase = Phase::Finished(Ending::LastStep);
        self.message = status(self);
    }

    /// Goes on with a sweep that was cancelled; whether there is one.
    pub(super) fn go_on_sweeping(&mut self, effects: &mut Vec<Effect>) -> bool {
        let Some(sweep) = self.sweep.as_mut().filter(|sweep| sweep.cancelled) else { return false };
        sweep.cancelled = false;
        self.paused = false;
        self.message = tr!("The sweep goes on.").into();
        self.begin_run(effects);
        true
    }

    /// Tells the trainer which run of a sweep it was given, so that it can begin those after it.
    pub(super) fn look_ahead(&self, effects: &mut Vec<Effect>) {
        if let Some(sweep) = self.sweep.as_ref().filter(|_| !self.paused) {
            let command = Command::Sweep(Box::new(self.link.spec.clone()), sweep.done.len());
            effects.push(Effect::Send(command, crate::protocol::Payload::Empty));
        }
    }

    /// A run has ended: of a sweep, the next one begins.
    pub(super) fn next_of_sweep(&mut self, effects: &mut Vec<Effect>) {
        let outcome = Outcome::of(self.spec(), &self.times(), self.history.last());
        let Some(sweep) = self.sweep.as_mut().filter(|sweep| !sweep.is_at_rest()) else { return };
        sweep.end(outcome);
        if sweep.is_over() {
            self.rest();
        } else {
            self.begin_run(effects);
        }
    }

    /// A run has ended before its turn.
    pub(super) fn ended_ahead(&mut self, run: usize, outcome: Outcome) {
        if let Some(sweep) = self.sweep.as_mut().filter(|sweep| !sweep.is_at_rest() && sweep.is_open(run)) {
            sweep.ahead.insert(run, outcome);
        }
    }

    /// The sweep that others may help with, and whether they are to train now: beside a trainer on the processor, which
    /// makes one run at a time, and not at a speed that a person has chosen.
    pub(super) fn helped(&self) -> Option<(&Sweep, bool)> {
        let sweep = self.sweep.as_ref().filter(|sweep| !sweep.is_at_rest())?;
        let is_now = !self.paused && self.link.view.speed == 0 && self.staff == Staff::Ready(Program::Cpu);
        Some((sweep, is_now))
    }
}
