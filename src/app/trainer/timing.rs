//! Timing the processor and the GPU on a run, one after the other, before it begins.

use super::speeds::{Timing, TwoSpeeds};
use super::{Effect, Program};
use crate::app::state::{State, TrainerStatus};
use crate::app::trainer::device::Survey;
use crate::display::own_data;
use crate::protocol::{Command, Payload, Speed};

/// For how long a run is timed on each device, in milliseconds.
const WINDOW_MS: f64 = 120.0;

impl State {
    /// Times the run on the processor, then with `on_gpu`; the run begins after that.
    pub(in crate::app) fn time_devices(&mut self, on_gpu: Program, effects: &mut Vec<Effect>) {
        let Survey::Adapter { name, .. } = &self.survey else { return };
        let (spec, adapter) = (self.run.spec().clone(), name.clone());
        self.timing = Some(Timing { spec, adapter, on_gpu, now: Program::Cpu, cpu: 0.0 });
        self.timings += 1;
        self.time_next(effects);
    }

    /// Times the run with the program whose turn it is, as soon as that is there.
    pub(in crate::app) fn time_next(&mut self, effects: &mut Vec<Effect>) {
        let Some(Timing { spec, now, .. }) = self.timing.clone() else { return };
        if !self.has_staff(now, effects) {
            return;
        }
        effects.extend(own_data(&spec).map(|(command, table)| Effect::Send(command, table)));
        let command = Command::Measure(self.timings, Box::new(spec), WINDOW_MS);
        effects.push(Effect::Send(command, Payload::Empty));
    }

    /// Takes in what the timing of this number has found.
    pub(in crate::app) fn timed(
        &mut self,
        number: u32,
        found: Result<Speed, String>,
        effects: &mut Vec<Effect>,
    ) {
        let Some(timing) = self.timing.as_mut().filter(|_| number == self.timings) else { return };
        // What cannot be trained makes no steps.
        let speed = found.map_or(0.0, |speed| speed.steps_per_s);
        if timing.now == Program::Cpu {
            (timing.cpu, timing.now) = (speed, timing.on_gpu);
            return self.time_next(effects);
        }
        let Timing { spec, adapter, cpu, .. } = timing.clone();
        self.speeds.put(&adapter, &spec, TwoSpeeds { cpu, gpu: speed });
        effects.push(Effect::KeepSpeeds(self.speeds.text()));
        self.resume(effects);
    }

    /// Whether the trainer is the one with `program` and takes commands; it is opened if not.
    pub(in crate::app) fn has_staff(&mut self, program: Program, effects: &mut Vec<Effect>) -> bool {
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
    use crate::app::run::status::status;
    use crate::app::run::tests::Page;
    use crate::app::state::Action;
    use crate::app::trainer::TrainerMessage;
    use crate::display::Phase;
    use crate::protocol::{DeviceKind, DeviceReport, Event, Failure};

    /// Replicas enough for the estimate to speak for the GPU, and not so many that it decides.
    const RUN: &str = "#v1/sparse-parity?n=20&replicas=20";

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
        let mut page = Page::open(RUN);
        page.act(adapter());
        assert_eq!(page.opened(), [Program::Cpu, Program::Fused]);
        let timings = |page: &Page| {
            page.sent.iter().filter(|(command, _)| matches!(command, Command::Measure(..))).count()
        };
        assert_eq!((timings(&page), &page.state.run.phase), (2, &Phase::Running));
        let why = &page.state.choice.as_ref().unwrap().why;
        assert_eq!(why, "30,000 steps per second here, and 10,000 on the CPU");
        // Another rate is no other work.
        page.act(Action::Edit("lr".into(), "0.5".into()));
        page.act(Action::NewSeed(5));
        assert_eq!((timings(&page), page.opened().len()), (2, 2));
        page.act(Action::Edit("width".into(), "7".into()));
        assert_eq!((timings(&page), page.opened().last()), (4, Some(&Program::Fused)));
    }

    #[test]
    fn what_is_timed_is_said_and_a_run_that_replaces_it_is_timed_instead() {
        let mut state = State::default();
        state.apply(Action::Open(RUN.into()));
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
            let mut state = State::default();
            state.apply(Action::Open(RUN.into()));
            state.apply(adapter());
            state.apply(ready(Program::Cpu));
            state.apply(heard(Program::Cpu, measured(1, 5.0)));
            state.apply(ready(Program::Fused));
            state
        };
        let mut state = start();
        let effects = state.apply(heard(Program::Fused, Event::Measured(1, Err("too large".into()))));
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
}
