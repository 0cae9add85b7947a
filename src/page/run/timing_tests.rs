//! Timing of a run on the CPU and on the GPU before it starts, on the page.

use crate::effect::Effect;
use crate::run::tests::Page;
use crate::state::{Action, State};
use vivarium_model::protocol::{Command, DeviceInfo, DeviceKind, Event, RunError, TrainingSpeed};
use vivarium_player::device::GpuSupport;
use vivarium_player::speeds::SpeedCache;
use vivarium_player::status::status_line;
use vivarium_player::trainer::{Program, TrainerMessage};
use vivarium_view::display::RunPhase;

/// Replicas enough for the estimate to speak for the GPU, and not so many that it decides.
const RUN: &str = "#v1/sparse-parity?n=20&replicas=20";

/// The page of a browser, which times.
fn open(link: &str) -> State {
    let mut state = State::with_speeds(SpeedCache::default());
    state.apply(Action::Open(link.into()));
    state
}

fn adapter() -> Action {
    Action::GpuDetected(GpuSupport::Adapter { name: "Apple M2".into(), simulated: false })
}

fn trainer_action(program: Program, event: Event) -> Action {
    Action::Trainer(program, TrainerMessage::Message(event.into()))
}

fn ready(program: Program) -> Action {
    let kind = if program.needs_gpu() { DeviceKind::Gpu } else { DeviceKind::Cpu };
    trainer_action(program, Event::Ready(DeviceInfo { kind, name: "a device".into(), simulated: false }))
}

fn measured(number: u32, steps_per_s: f64) -> Event {
    Event::Measured(number, Ok(TrainingSpeed { steps_per_s, learner: "a learner".into() }))
}

/// The numbers of the timings that were asked for.
fn timing_requests(effects: &[Effect]) -> Vec<u32> {
    let number = |effect: &Effect| match effect {
        Effect::Send(Command::Measure(number, ..), _) => Some(*number),
        _ => None,
    };
    effects.iter().filter_map(number).collect()
}

#[test]
fn a_run_is_timed_on_both_devices_once_and_trains_on_the_faster_one() {
    let mut page = Page::open_with_timing(RUN);
    page.act(adapter());
    assert_eq!(page.opened_programs(), [Program::Cpu, Program::Fused]);
    let timings =
        |page: &Page| page.sent.iter().filter(|(command, _)| matches!(command, Command::Measure(..))).count();
    assert_eq!((timings(&page), &page.state.player.run.phase), (2, &RunPhase::Running));
    let why = &page.state.player.device_choice().unwrap().reason;
    assert_eq!(why, "30,000 steps per second with WebGPU, and 10,000 on the CPU");
    // Another rate is no other work.
    page.act(Action::Edit("lr".into(), "0.5".into()));
    page.act(Action::NewSeed(5));
    assert_eq!((timings(&page), page.opened_programs().len()), (2, 2));
    page.act(Action::Edit("width".into(), "7".into()));
    assert_eq!((timings(&page), page.opened_programs().last()), (4, Some(&Program::Fused)));
}

#[test]
fn what_is_timed_is_stated_and_a_run_that_replaces_it_is_timed_instead() {
    let mut state = open(RUN);
    assert_eq!(state.apply(adapter()), [Effect::Open(Program::Cpu)]);
    assert_eq!(timing_requests(&state.apply(ready(Program::Cpu))), [1]);
    assert_eq!(status_line(&state.player), "Timing the CPU and the GPU");
    assert_eq!(timing_requests(&state.apply(Action::Edit("width".into(), "64".into()))), [2]);
    assert_eq!(state.apply(trainer_action(Program::Cpu, measured(1, 5.0))), [], "of the run before");
    assert_eq!(state.apply(trainer_action(Program::Cpu, measured(2, 5.0))), [Effect::Open(Program::Fused)]);
    assert_eq!(timing_requests(&state.apply(ready(Program::Fused))), [2]);
    let effects = state.apply(trainer_action(Program::Fused, measured(2, 4.0)));
    assert!(matches!(&effects[..], [Effect::StoreSpeeds(_), Effect::Open(Program::Cpu)]), "{effects:?}");
    assert_eq!(status_line(&state.player), "Getting ready");
    // One that needs no timing ends it.
    state.apply(ready(Program::Cpu));
    state.apply(Action::Edit("width".into(), "8".into()));
    assert!(state.player.is_timing());
    state.apply(Action::Edit("replicas".into(), "1".into()));
    assert!(!state.player.is_timing() && state.player.device_choice().is_some());
}

/// A run that a device cannot train is not timed there, and no device that fails is waited for.
#[test]
fn a_gpu_that_cannot_train_the_run_or_fails_leaves_it_to_the_cpu() {
    let start = || {
        let mut state = open(RUN);
        state.apply(adapter());
        state.apply(ready(Program::Cpu));
        state.apply(trainer_action(Program::Cpu, measured(1, 5.0)));
        state.apply(ready(Program::Fused));
        state
    };
    let mut state = start();
    let effects = state.apply(trainer_action(
        Program::Fused,
        Event::Measured(1, Err(RunError::TooLarge("too large".into()))),
    ));
    assert!(effects.contains(&Effect::Open(Program::Cpu)), "{effects:?}");
    assert_eq!(state.player.device_choice().unwrap().reason, "the GPU cannot train this network");

    let mut state = start();
    let lost = Event::Failed(RunError::GpuLost("device lost".into()));
    assert_eq!(state.apply(trainer_action(Program::Fused, lost)), [Effect::Open(Program::Cpu)]);
    assert!(
        state.player.message.contains("device lost") && !state.player.is_timing(),
        "{}",
        state.player.message
    );

    let mut state = start();
    let effects: Vec<Effect> = (0..60).flat_map(|_| state.apply(Action::Tick)).collect();
    assert!(effects.contains(&Effect::Open(Program::Cpu)), "{effects:?}");
    assert!(state.player.message.contains("sent nothing for"), "{}", state.player.message);
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
    let mut page = Page::open_with_timing("#v1/sparse-parity?n=20&replicas=5");
    page.train(100);
    page.act(adapter());
    page.end_trainer();
    assert_eq!((page.opened_programs(), page.state.player.run.step), (&[Program::Cpu; 2][..], 100));
    assert!(!page.sent.iter().any(|(command, _)| matches!(command, Command::Measure(..))));
    page.act(Action::Reset);
    assert!(page.sent.iter().any(|(command, _)| matches!(command, Command::Measure(..))));
}

#[test]
fn a_cpu_that_fails_leaves_the_run_to_the_gpu_and_kernels_that_do_not_fit_to_autodiff() {
    let mut state = open(RUN);
    state.apply(adapter());
    state.apply(ready(Program::Cpu));
    let died = Action::Trainer(Program::Cpu, TrainerMessage::Died("out of memory".into()));
    assert_eq!(state.apply(died), [Effect::Open(Program::Fused)]);
    assert_eq!(timing_requests(&state.apply(ready(Program::Fused))), [1]);
    let uncovered = RunError::NeedsAutodiff("Fused kernels do not fit this GPU: no.".into());
    let effects = state.apply(trainer_action(Program::Fused, Event::Measured(1, Err(uncovered))));
    assert!(effects.contains(&Effect::Open(Program::Gpu)) || effects.contains(&Effect::Open(Program::Cpu)));
    assert!(
        state.player.fused_error.is_some() && state.player.speeds == Some(SpeedCache::default()),
        "nothing is kept of it"
    );
    // A sound GPU trains what the processor cannot.
    let mut state = open(RUN);
    state.apply(adapter());
    state.apply(ready(Program::Cpu));
    state.apply(trainer_action(Program::Cpu, Event::Measured(1, Err(RunError::TooLarge("no".into())))));
    state.apply(ready(Program::Fused));
    let effects = state.apply(trainer_action(Program::Fused, measured(1, 4.0)));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Send(Command::Start { .. }, _))));
    let choice = state.player.device_choice().unwrap();
    assert_eq!((choice.program, choice.reason.as_str()), (Program::Fused, ""));
}
