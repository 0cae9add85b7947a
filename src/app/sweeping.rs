//! A sweep on the page: one run after the other, each as any other run, and what has been found so far.

use super::state::{Phase, State};
use super::status::status;
use super::trainer::Effect;
use super::words::setting;
use crate::analysis::convergence::Times;
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

    /// "Run 4 of 15: n = 20, k = 2", or at the end how many there were and which of them the other charts show.
    pub fn place_in_sweep(&self) -> Option<String> {
        let sweep = self.sweep.as_ref()?;
        let (cell, spec) = (sweep.current(), &self.link.spec);
        let axes = [(&spec.run.sweep, cell.at), (&spec.run.series, cell.series)];
        let values =
            axes.iter().filter_map(|(axis, at)| Some(setting(spec, &axis.key, axis.values.get(*at)?)));
        let (values, all) = (values.collect::<Vec<_>>().join(", "), sweep.cells.len());
        Some(match sweep.is_over() {
            true => format!("The sweep is complete: {all} runs, the last of them with {values}"),
            false => format!("Run {} of {all}: {values}", sweep.done.len() + 1),
        })
    }

    /// Whether the sweep sets the setting behind `key`, so that its field has no effect.
    pub fn is_swept(&self, key: &str) -> bool {
        let run = &self.form_spec().run;
        [&run.sweep, &run.series].iter().any(|axis| !axis.is_empty() && axis.key == key)
    }

    /// A run has ended: of a sweep, the next one begins.
    pub(super) fn next_of_sweep(&mut self, reason: Ending, effects: &mut Vec<Effect>) {
        let times = self.times();
        let Some(sweep) = self.sweep.as_mut().filter(|sweep| !sweep.is_over()) else { return };
        sweep.done.push(times);
        if sweep.is_over() {
            self.phase = Phase::Finished(reason);
            self.message = status(self);
        } else {
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

    /// The page with a sweep of four runs, and what it asked of its trainer.
    fn open() -> (State, Vec<Effect>) {
        let link = "#v1/sparse-parity?replicas=2&sweep=n:10_20&series=k:2_3&device=cpu";
        let mut state = State::default();
        state.apply(Action::Surveyed(Survey::Missing));
        state.apply(Action::Open(link.into()));
        let report = DeviceReport { kind: DeviceKind::Cpu, name: "CPU".into(), simulated: false };
        let effects = hear(&mut state, Event::Ready(report));
        (state, effects)
    }

    fn begun(state: &mut State) {
        let started = Event::Started {
            step: 0,
            relevant: vec![0, 1],
            held_out: 64,
            parameters: 9,
            learner: String::new(),
            note: String::new(),
        };
        hear(state, started);
    }

    fn waits(effects: &[Effect]) -> bool {
        effects.iter().any(|e| matches!(e, Effect::Send(Command::Start { paused: true, .. }, _)))
    }

    /// Plays a trainer that ends every run at once.
    #[test]
    fn runs_follow_each_other_and_the_curves_grow() {
        let (mut state, mut effects) = open();
        let mut seen = vec![];
        while let Some(spec) = started(&effects) {
            assert_eq!(&spec, state.spec());
            assert!(spec.run.sweep.is_empty());
            seen.push(format!("{}/{}", spec.value("n").unwrap(), spec.value("k").unwrap()));
            begun(&mut state);
            hear(&mut state, Event::Solved { replica: 1, step: 10 * seen.len() as u64 });
            effects = hear(&mut state, Event::Finished { step: 50, reason: Ending::LastStep });
        }
        assert_eq!(seen, ["10/2", "10/3", "20/2", "20/3"]);
        let curves = state.sweep.as_ref().unwrap().curves(&state.link.spec);
        assert_eq!((curves[0].0.as_str(), curves[1].0.as_str()), ("k = 2", "k = 3"));
        let times: Vec<_> = curves[1].1.iter().map(|p| (p.x, p.times.clone())).collect();
        assert_eq!(times, [(10.0, vec![None, Some(20)]), (20.0, vec![None, Some(40)])]);
        assert_eq!(state.phase, Phase::Finished(Ending::LastStep));
        assert_eq!(status(&state), "The sweep is complete: 4 runs, the last of them with n = 20, k = 3");
        assert_eq!((&state.message, state.main_button()), (&status(&state), ("Complete", true)));
        assert!(
            crate::permalink::encode(&state.link).contains("sweep=n:10_20"),
            "the link stays the sweep's"
        );
        state.apply(Action::Reset);
        assert_eq!(state.place_in_sweep().unwrap(), "Run 1 of 4: n = 10, k = 2");
        assert!(state.sweep.as_ref().unwrap().done.is_empty());
    }

    #[test]
    fn a_pause_or_a_step_at_the_end_of_a_run_holds_the_next_one() {
        for wish in [Action::Toggle, Action::SingleStep] {
            let (mut state, _) = open();
            begun(&mut state);
            state.apply(wish);
            // The run had ended when the wish arrived.
            let effects = hear(&mut state, Event::Finished { step: 50, reason: Ending::Target });
            assert!(waits(&effects));
            begun(&mut state);
            assert_eq!(state.phase, Phase::Paused);
            assert_eq!(status(&state), "Run 2 of 4: n = 10, k = 3. Waiting at the start. Play begins");
            state.apply(Action::Toggle);
            hear(&mut state, Event::Resumed { step: 0 });
            let effects = hear(&mut state, Event::Finished { step: 50, reason: Ending::Target });
            assert!(started(&effects).is_some() && !waits(&effects));
        }
    }

    #[test]
    fn a_run_that_diverges_does_not_end_the_sweep() {
        let (mut state, _) = open();
        begun(&mut state);
        hear(&mut state, Event::Diverged { step: 10, last_good: 0 });
        let effects = hear(&mut state, Event::Finished { step: 0, reason: Ending::Diverged });
        assert!(started(&effects).is_some());
        assert!(
            state.message.starts_with("Run 1 of 4: n = 10, k = 2. The loss was no longer"),
            "{}",
            state.message
        );
        assert!(state.message.ends_with("the sweep goes on."));
    }

    #[test]
    fn fields_that_the_sweep_sets_are_known() {
        let (state, _) = open();
        assert_eq!(["n", "k", "width", ""].map(|key| state.is_swept(key)), [true, true, false, false]);
    }
}
