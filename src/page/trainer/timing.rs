//! Timing the processor and the GPU on a run, one after the other, before it begins.

use super::speeds::{Timing, TwoSpeeds};
use super::{Effect, Program};
use crate::state::{State, TrainerStatus};
use crate::trainer::device::Survey;
use vivarium_model::protocol::{Command, Failure, Payload, Speed};
use vivarium_view::display::own_data;

/// For how long a run is timed on each device, in milliseconds.
const WINDOW_MS: f64 = 120.0;

impl State {
    /// Times the run on the processor, then with `on_gpu`; the run begins after that.
    pub fn time_devices(&mut self, on_gpu: Program, effects: &mut Vec<Effect>) {
        let Survey::Adapter { name, .. } = &self.survey else { return };
        let (spec, adapter) = (self.run.spec().clone(), name.clone());
        self.timing = Some(Timing { spec, adapter, on_gpu, now: Program::Cpu, cpu: 0.0 });
        self.timings += 1;
        self.time_next(effects);
    }

    /// Times the run with the program whose turn it is, as soon as that is there.
    pub fn time_next(&mut self, effects: &mut Vec<Effect>) {
        let Some(Timing { spec, now, .. }) = self.timing.clone() else { return };
        if !self.has_staff(now, effects) {
            return;
        }
        effects.extend(own_data(&spec).map(|(command, table)| Effect::Send(command, table)));
        let command = Command::Measure(self.timings, Box::new(spec), WINDOW_MS);
        effects.push(Effect::Send(command, Payload::Empty));
    }

    /// Takes in what the timing of this number has found.
    pub fn timed(&mut self, number: u32, found: Result<Speed, Failure>, effects: &mut Vec<Effect>) {
        let Some(timing) = self.timing.as_mut().filter(|_| number == self.timings) else { return };
        let now = timing.now;
        let speed = match found {
            Ok(speed) => speed.steps_per_s,
            // Autodiff may train on the GPU what kernels do not fit.
            Err(failure @ Failure::NeedsAutodiff(_)) if now == Program::Fused && self.uncovered.is_none() => {
                return self.failed(now, failure, effects);
            }
            // What cannot be trained makes no steps.
            Err(_) => 0.0,
        };
        if now == Program::Cpu {
            (timing.cpu, timing.now) = (speed, timing.on_gpu);
            return self.time_next(effects);
        }
        let Timing { spec, adapter, on_gpu, cpu, .. } = timing.clone();
        if let Some(speeds) = &mut self.speeds {
            speeds.put(&adapter, &spec, on_gpu, TwoSpeeds { cpu, gpu: speed });
            effects.push(Effect::KeepSpeeds(speeds.text()));
        }
        self.resume(effects);
    }

    /// The processor's worker is gone while the run was timed on it: the GPU may train what it cannot.
    pub fn lost_while_timing(&mut self, program: Program, effects: &mut Vec<Effect>) -> bool {
        let is_timed = self.timing.as_ref().is_some_and(|timing| timing.now == program);
        if !is_timed || program.on_gpu() {
            return false;
        }
        self.staff = TrainerStatus::Absent;
        self.timed(self.timings, Err(Failure::Internal(String::new())), effects);
        true
    }

    /// Whether the trainer is the one with `program` and takes commands; it is opened if not.
    pub fn has_staff(&mut self, program: Program, effects: &mut Vec<Effect>) -> bool {
        match self.staff {
            TrainerStatus::Ready(now) if now == program => return true,
            TrainerStatus::Opening(now, _) if now == program => {}
            _ => {
                self.staff = TrainerStatus::Opening(program, 0);
                self.report = None;
                self.unanswered = 0;
                effects.push(Effect::Open(program));
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::status::status;
    use crate::run::tests::Page;
    use crate::state::Action;
    use crate::trainer::TrainerMessage;
    use crate::trainer::speeds::Speeds;
    use vivarium_model::protocol::{DeviceKind, DeviceReport, Event};
    use vivarium_view::display::Phase;

    /// Replicas enough for the estimate to speak for the GPU, and not so many that it decides.
    const RUN: &str = "#v1/sparse-parity?n=20&replicas=20";

    /// The page of a browser, which times.
    fn open(link: &str) -> State {
        let mut state = State { speeds: Some(Speeds::default()), ..State::default() };
        state.apply(Action::Open(link.into()));
        state
    }

    fn adapter() -> Action {
        Action::Surveyed(Survey::Adapter { name: "Apple M2".into(), simulated: false })
    }

    fn heard(program: Program, event: Event) -> Action {
        Action::Heard(program, TrainerMessage::Said(event.into()))
    }

    fn ready(program: Program) -> Action {
        let kind = if program.on_gpu() { DeviceKind::Gpu } else { DeviceKind::Cpu };
        heard(program, Event::Ready(DeviceReport { kind, name: "a device".into(), simulated: false }))
    }

    fn measured(number: u32, steps_per_s: f64) -> Event {
        Event::Measured(number, Ok(Speed { steps_per_s, learner: "a learner".into() }))
    }

    /// The numbers of the timings that were asked for.
    fn asked(effects: &[Effect]) -> Vec<u32> {
        let number = |effect: &Effect| match effect {
            Effect::Send(Command::Measure(number, ..), _) => Some(*number),
            _ => None,
        };
        effects.iter().filter_map(number).collect()
    }

    #[test]
    fn a_run_is_timed_on_both_devices_once_and_trains_on_the_faster_one() {
        let mut page = Page::that_times(RUN);
        page.act(adapter());
        assert_eq!(page.opened(), [Program::Cpu, Program::Fused]);
        let timings = |page: &Page| {
            page.sent.iter().filter(|(command, _)| matches!(command, Command::Measure(..))).count()
        };
        assert_eq!((timings(&page), &page.state.run.phase), (2, &Phase::Running));
        let why = &page.state.choice.as_ref().unwrap().why;
        assert_eq!(why, "30,000 steps per second with WebGPU, and 10,000 on the CPU");
        // Another rate is no other work.
        page.act(Action::Edit("lr".into(), "0.5".into()));
        page.act(Action::NewSeed(5));
        assert_eq!((timings(&page), page.opened().len()), (2, 2));
        page.act(Action::Edit("width".into(), "7".into()));
        assert_eq!((timings(&page), page.opened().last()), (4, Some(&Program::Fused)));
    }

    #[test]
    fn what_is_timed_is_said_and_a_run_that_replaces_it_is_timed_instead() {
        let mut state = open(RUN);
        assert_eq!(state.apply(adapter()), [Effect::Open(Program::Cpu)]);
        assert_eq!(asked(&state.apply(ready(Program::Cpu))), [1]);
        assert_eq!(status(&state), "Timing the CPU and the GPU");
        assert_eq!(asked(&state.apply(Action::Edit("width".into(), "64".into()))), [2]);
        assert_eq!(state.apply(heard(Program::Cpu, measured(1, 5.0))), [], "of the run before");
        assert_eq!(state.apply(heard(Program::Cpu, measured(2, 5.0))), [Effect::Open(Program::Fused)]);
        assert_eq!(asked(&state.apply(ready(Program::Fused))), [2]);
        let effects = state.apply(heard(Program::Fused, measured(2, 4.0)));
        assert!(matches!(&effects[..], [Effect::KeepSpeeds(_), Effect::Open(Program::Cpu)]), "{effects:?}");
        assert_eq!(status(&state), "Getting ready");
        // One that needs no timing ends it.
        state.apply(ready(Program::Cpu));
        state.apply(Action::Edit("width".into(), "8".into()));
        assert!(state.is_timing());
        state.apply(Action::Edit("replicas".into(), "1".into()));
        assert!(!state.is_timing() && state.choice.is_some());
    }

    /// What a device cannot train is not timed there, and no device that fails is waited for.
    #[test]
    fn a_gpu_that_cannot_train_the_run_or_fails_leaves_it_to_the_cpu() {
        let start = || {
            let mut state = open(RUN);
            state.apply(adapter());
            state.apply(ready(Program::Cpu));
            state.apply(heard(Program::Cpu, measured(1, 5.0)));
            state.apply(ready(Program::Fused));
            state
        };
        let mut state = start();
        let effects = state
            .apply(heard(Program::Fused, Event::Measured(1, Err(Failure::TooLarge("too large".into())))));
        assert!(effects.contains(&Effect::Open(Program::Cpu)), "{effects:?}");
        assert_eq!(state.choice.as_ref().unwrap().why, "the GPU cannot train this network");

        let mut state = start();
        let lost = Event::Failed(Failure::GpuLost("device lost".into()));
        assert_eq!(state.apply(heard(Program::Fused, lost)), [Effect::Open(Program::Cpu)]);
        assert!(state.message.contains("device lost") && !state.is_timing(), "{}", state.message);

        let mut state = start();
        let effects: Vec<Effect> = (0..60).flat_map(|_| state.apply(Action::Tick)).collect();
        assert!(effects.contains(&Effect::Open(Program::Cpu)), "{effects:?}");
        assert!(state.message.contains("sent nothing for"), "{}", state.message);
    }

    /// Cells of a sweep have no sweep of their own, and their runs share launches.
    #[test]
    fn neither_a_sweep_nor_a_run_under_way_nor_the_command_line_is_timed() {
        let mut state = open("#v1/sparse-parity?replicas=20&sweep=n:20_50");
        assert_eq!(state.apply(adapter()), [Effect::Open(Program::Fused)]);
        let mut state = State::default();
        state.apply(Action::Open(RUN.into()));
        assert_eq!(state.apply(adapter()), [Effect::Open(Program::Fused)]);
        // A run with little work began on the processor; now the page knows a GPU.
        let mut page = Page::that_times("#v1/sparse-parity?n=20&replicas=5");
        page.train(100);
        page.act(adapter());
        page.die();
        assert_eq!((page.opened(), page.state.run.step), (&[Program::Cpu; 2][..], 100));
        assert!(!page.sent.iter().any(|(command, _)| matches!(command, Command::Measure(..))));
        page.act(Action::Reset);
        assert!(page.sent.iter().any(|(command, _)| matches!(command, Command::Measure(..))));
    }

    #[test]
    fn a_cpu_that_fails_leaves_the_run_to_the_gpu_and_kernels_that_do_not_fit_to_autodiff() {
        let mut state = open(RUN);
        state.apply(adapter());
        state.apply(ready(Program::Cpu));
        let died = Action::Heard(Program::Cpu, TrainerMessage::Died("out of memory".into()));
        assert_eq!(state.apply(died), [Effect::Open(Program::Fused)]);
        assert_eq!(asked(&state.apply(ready(Program::Fused))), [1]);
        let uncovered = Failure::NeedsAutodiff("Fused kernels do not fit this GPU: no.".into());
        let effects = state.apply(heard(Program::Fused, Event::Measured(1, Err(uncovered))));
        assert!(
            effects.contains(&Effect::Open(Program::Gpu)) || effects.contains(&Effect::Open(Program::Cpu))
        );
        assert!(
            state.uncovered.is_some() && state.speeds == Some(Speeds::default()),
            "nothing is kept of it"
        );
        // A sound GPU trains what the processor cannot.
        let mut state = open(RUN);
        state.apply(adapter());
        state.apply(ready(Program::Cpu));
        state.apply(heard(Program::Cpu, Event::Measured(1, Err(Failure::TooLarge("no".into())))));
        state.apply(ready(Program::Fused));
        let effects = state.apply(heard(Program::Fused, measured(1, 4.0)));
        assert!(effects.iter().any(|effect| matches!(effect, Effect::Send(Command::Start { .. }, _))));
        let choice = state.choice.as_ref().unwrap();
        assert_eq!((choice.program, choice.why.as_str()), (Program::Fused, ""));
    }
}
