//! A sweep on the page: one run after the other, each as any other run, and what has been found so far.

use super::state::{Phase, State};
use super::status::status;
use super::trainer::Effect;
use super::words::{count, setting, thousands};
use crate::analysis::convergence::Times;
use crate::analysis::curves::spread;
use crate::analysis::scaling::Point;
use crate::permalink::Link;
use crate::protocol::{Command, Ending};
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
    /// Whether a person has ended it before its last run.
    pub cancelled: bool,
    /// Seconds that were trained for it.
    pub seconds: u32,
    /// How long each run takes compared with the others, by its size and steps.
    costs: Vec<f64>,
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
            cancelled: false,
            seconds: 0,
        })
    }

    /// Whether nobody trains for it any more.
    pub fn is_at_rest(&self) -> bool {
        self.cancelled || self.is_over()
    }

    /// "12 of 40 runs, about 3 min left".
    pub fn progress(&self) -> String {
        let (done, all) = (thousands(self.done.len() as u64), count(self.cells.len(), "run"));
        match self.left() {
            _ if self.is_over() => tr!("All of {all}", all),
            _ if self.cancelled => tr!("Cancelled after {done} of {all}; what was found is kept", done, all),
            Some(left) => tr!("{done} of {all}, about {left} left", done, all, left = duration(left)),
            None => tr!("{done} of {all}", done, all),
        }
    }

    /// Seconds until the last run has ended, judged by those that have: each takes as much as its steps and size say.
    fn left(&self) -> Option<f64> {
        let (made, rest) = self.costs.split_at(self.done.len().min(self.costs.len()));
        let share = || rest.iter().sum::<f64>() / made.iter().sum::<f64>();
        (!made.is_empty() && self.seconds > 0).then(|| f64::from(self.seconds) * share())
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
        (self.done.iter().flatten().flatten().count(), self.done.iter().map(Vec::len).sum())
    }

    /// The values of the sweep of which all runs have ended and none has a median, since fewer than half of its
    /// networks reached the target: place, networks that did, and all of them.
    pub fn missed(&self) -> Vec<(usize, usize, usize)> {
        let runs = |at: usize| self.cells.iter().enumerate().filter(move |(_, cell)| cell.at == at);
        let missed = |at: usize| {
            let mut sum = (at, 0, 0);
            for (run, _) in runs(at) {
                let times = self.done.get(run)?;
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
            let ended = self.cells.iter().zip(&self.done).filter(|(cell, _)| cell.series == line);
            let mut points: Vec<Point> = ended
                .map(|(cell, solved)| Point {
                    x: axis[cell.at],
                    times: solved.clone(),
                    horizon: cell.spec.run.steps,
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
                tr!("The sweep was cancelled after {done} of {all} runs", done = sweep.done.len(), all)
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
        let times = self.trials();
        let last = self.history.last();
        let ends = last.map(|row| row.test_accuracy.clone()).unwrap_or_default();
        let last = last.map(|row| [spread(&row.test_loss).0, spread(&row.test_accuracy).0]);
        let Some(sweep) = self.sweep.as_mut().filter(|sweep| !sweep.is_at_rest()) else { return };
        sweep.done.push(times);
        sweep.finals.push(last.unwrap_or([f32::NAN; 2]));
        sweep.ends.push(ends);
        if sweep.is_over() {
            self.rest();
        } else {
            self.begin_run(effects);
        }
    }
}
