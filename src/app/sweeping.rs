//! A sweep on the page: one run after the other, each as any other run, and what has been found so far.

use super::state::{Phase, State};
use super::trainer::Effect;
use super::words::thousands;
use crate::analysis::scaling::Point;
use crate::protocol::Ending;
use crate::run::RunSpec;
use crate::sweep::{Cell, cells, places};

/// A sweep that is being made.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// Its runs, in order.
    pub cells: Vec<Cell>,
    /// For each run that has ended, the step at which each replica reached the target.
    pub done: Vec<Vec<Option<u64>>>,
}

impl Sweep {
    /// The sweep of `spec`, if it is one, at its beginning.
    pub fn of(spec: &RunSpec) -> Option<Sweep> {
        let cells = cells(spec);
        (!cells.is_empty()).then(|| Sweep { cells, done: vec![] })
    }

    /// The run under way, or the last one.
    pub fn current(&self) -> &Cell {
        &self.cells[self.done.len().min(self.cells.len() - 1)]
    }

    /// Whether every run has ended.
    pub fn is_over(&self) -> bool {
        self.done.len() == self.cells.len()
    }

    /// The curves found so far: their names, and a point for every value whose run has ended.
    pub fn curves(&self, spec: &RunSpec) -> Vec<(String, Vec<Point>)> {
        let (axis, series) = (places(&spec.run.sweep), &spec.run.series);
        let name = |line: usize| match series.values.get(line) {
            Some(value) => format!("{} = {value}", series.key),
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
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
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

    /// "Run 4 of 15: n = 20, k = 2".
    pub fn place_in_sweep(&self) -> Option<String> {
        let sweep = self.sweep.as_ref()?;
        let (cell, run) = (sweep.current(), &self.link.spec.run);
        let mut values = vec![format!("{} = {}", run.sweep.key, run.sweep.values[cell.at])];
        if let Some(value) = run.series.values.get(cell.series) {
            values.push(format!("{} = {value}", run.series.key));
        }
        let number = (sweep.done.len() + 1).min(sweep.cells.len());
        Some(format!("Run {number} of {}: {}", sweep.cells.len(), values.join(", ")))
    }

    /// A run has ended: of a sweep, the next one begins.
    pub(super) fn next_of_sweep(&mut self, reason: Ending, effects: &mut Vec<Effect>) {
        let replicas = self.spec().run.replicas;
        let Some(sweep) = &mut self.sweep else { return };
        if sweep.is_over() {
            return;
        }
        let mut times = vec![None; replicas];
        for (replica, step) in &self.solved {
            times[*replica] = Some(*step);
        }
        sweep.done.push(times);
        if sweep.is_over() {
            self.phase = Phase::Finished(reason);
            self.message = format!("The sweep is complete: {} runs.", thousands(sweep.cells.len() as u64));
        } else {
            self.paused = false;
            self.begin_run(effects);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::device::Survey;
    use crate::app::state::Action;
    use crate::app::trainer::{Program, Sign};
    use crate::protocol::{Command, DeviceKind, DeviceReport, Event};

    fn hear(state: &mut State, event: Event) -> Vec<Effect> {
        state.apply(Action::Heard(Program::Cpu, Sign::Said(event.into())))
    }

    fn started(effects: &[Effect]) -> Option<RunSpec> {
        effects.iter().find_map(|effect| match effect {
            Effect::Send(Command::Start { spec, .. }, _) => Some(spec.clone()),
            _ => None,
        })
    }

    /// Plays a trainer that ends every run at once.
    #[test]
    fn runs_follow_each_other_and_the_curves_grow() {
        let link = "#v1/sparse-parity?replicas=2&sweep=n:10_20&series=k:2_3&device=cpu";
        let mut state = State::default();
        state.apply(Action::Surveyed(Survey::Missing));
        state.apply(Action::Open(link.into()));
        let report = DeviceReport { kind: DeviceKind::Cpu, name: "CPU".into(), simulated: false };
        let mut effects = hear(&mut state, Event::Ready(report));
        let mut seen = vec![];
        while let Some(spec) = started(&effects) {
            assert_eq!(&spec, state.spec());
            assert!(spec.run.sweep.is_empty());
            seen.push(format!("{}/{}", spec.value("n").unwrap(), spec.value("k").unwrap()));
            let started = Event::Started {
                step: 0,
                relevant: vec![0, 1],
                held_out: 64,
                parameters: 9,
                learner: String::new(),
                note: String::new(),
            };
            hear(&mut state, started);
            hear(&mut state, Event::Solved { replica: 1, step: 10 * seen.len() as u64 });
            effects = hear(&mut state, Event::Finished { step: 50, reason: Ending::LastStep });
        }
        assert_eq!(seen, ["10/2", "10/3", "20/2", "20/3"]);
        let curves = state.sweep.as_ref().unwrap().curves(&state.link.spec);
        assert_eq!((curves[0].0.as_str(), curves[1].0.as_str()), ("k = 2", "k = 3"));
        let times: Vec<_> = curves[1].1.iter().map(|p| (p.x, p.times.clone())).collect();
        assert_eq!(times, [(10.0, vec![None, Some(20)]), (20.0, vec![None, Some(40)])]);
        assert_eq!(state.phase, Phase::Finished(Ending::LastStep));
        assert!(state.message.starts_with("The sweep is complete"));
        assert!(
            crate::permalink::encode(&state.link).contains("sweep=n:10_20"),
            "the link stays the sweep's"
        );
        state.apply(Action::Reset);
        assert_eq!(state.place_in_sweep().unwrap(), "Run 1 of 4: n = 10, k = 2");
        assert!(state.sweep.as_ref().unwrap().done.is_empty());
    }
}
