//! A GPU that answers late, or whose program is compiled late.

use crate::effect::Effect;
use crate::run::tests::Page;
use crate::state::{Action, State};
use vivarium_player::device::GpuSupport;
use vivarium_player::trainer::{BEING_COMPILED, Program, TrainerMessage, worker_error_text};
use vivarium_view::display::RunPhase;

#[test]
fn a_browser_that_does_not_say_what_gpu_it_has_is_not_waited_for() {
    for (link, seconds) in [("#v1/sparse-parity?replicas=1000", 5), ("#v1/sparse-parity?device=gpu", 60)] {
        let mut page = Page::open(link);
        for _ in 1..seconds {
            page.act(Action::Tick);
        }
        assert!(page.opened.is_empty());
        page.act(Action::Tick);
        assert_eq!(
            (page.opened.as_slice(), &page.state.player.run.phase),
            ([Program::Cpu].as_slice(), &RunPhase::Running)
        );
    }
}

#[test]
fn a_gpu_that_never_answers_is_given_up() {
    for (link, seconds) in [("#v1/sparse-parity?replicas=1000", 20), ("#v1/sparse-parity?device=gpu", 60)] {
        let mut state = State::default();
        state.apply(Action::Open(link.into()));
        state.apply(Action::GpuDetected(GpuSupport::Adapter { name: "Test".into(), simulated: false }));
        let mut ticks = |count: u32| (0..count).flat_map(|_| state.apply(Action::Tick)).collect::<Vec<_>>();
        assert!(ticks(seconds - 1).is_empty());
        assert_eq!(ticks(1), [Effect::Open(Program::Cpu)]);
        let expected = format!("did not answer within {seconds} seconds");
        assert!(state.player.message.contains(&expected), "{}", state.player.message);
    }
}

#[test]
fn kernels_of_a_gpu_that_was_demanded_may_take_a_minute_to_compile() {
    for (link, seconds) in [("#v1/sparse-parity?replicas=1000", 12), ("#v1/sparse-parity?device=gpu", 60)] {
        let mut page = Page::open(link);
        page.act(Action::GpuDetected(GpuSupport::Adapter { name: "Test".into(), simulated: false }));
        assert_eq!(page.opened, [Program::Fused], "{link}");
        let more = page.state.player.run.spec().estimate_cost().response_timeout_s(0);
        for _ in 1..(seconds.max(12 + more)) {
            page.act(Action::Tick);
        }
        assert_eq!(page.opened.len(), 1, "{link}");
        page.act(Action::Tick);
        assert_eq!(page.opened.last(), Some(&Program::Cpu), "{link}");
    }
}

#[test]
fn a_run_trains_on_the_cpu_until_the_program_for_the_gpu_has_been_compiled() {
    let mut page = Page::open("#v1/sparse-parity?device=gpu");
    page.act(Action::GpuDetected(GpuSupport::Adapter { name: "Test".into(), simulated: false }));
    let why = worker_error_text(Some(BEING_COMPILED));
    page.act(Action::Trainer(Program::Fused, TrainerMessage::Died(why)));
    assert_eq!(page.opened, [Program::Fused, Program::Cpu]);
    let device = |page: &Page| page.state.player.device_choice().unwrap().reason.clone();
    assert_eq!(
        device(&page),
        "WebGPU cannot be used, because the program for the GPU is still being compiled"
    );
    page.train(100);
    page.act(Action::GpuProgramsCompiled);
    // The run goes on where it is; the next start is on the GPU.
    assert_eq!((page.opened.len(), page.state.player.run.step), (2, 100));
    assert_eq!(device(&page), "the program for the GPU was still being compiled when this run started");
    assert!(page.state.player.message.starts_with("The program for the GPU has been compiled."));
    page.act(Action::Reset);
    assert_eq!(page.opened.last(), Some(&Program::Fused));
}

#[test]
fn a_run_with_another_reason_for_the_cpu_keeps_it_when_the_program_for_the_gpu_has_been_compiled() {
    let mut page = Page::open("#v1/sparse-parity?device=gpu");
    page.act(Action::GpuDetected(GpuSupport::Adapter { name: "Test".into(), simulated: false }));
    page.act(Action::Trainer(Program::Fused, TrainerMessage::Died(worker_error_text(Some(BEING_COMPILED)))));
    page.act(Action::Edit("device".into(), "cpu".into()));
    let before = page.state.player.message.clone();
    page.act(Action::GpuProgramsCompiled);
    let player = &page.state.player;
    assert_eq!((player.message.as_str(), player.gpu_failure.as_ref()), (before.as_str(), None));
    assert_eq!(player.device_choice().unwrap().reason, "chosen in the settings");
    // Another failure of the GPU has nothing to do with its programs.
    let mut page = Page::open("#v1/sparse-parity?device=gpu");
    page.act(Action::GpuDetected(GpuSupport::Adapter { name: "Test".into(), simulated: false }));
    page.act(Action::Trainer(Program::Fused, TrainerMessage::Died("the driver has been reset".into())));
    page.act(Action::GpuProgramsCompiled);
    assert!(page.state.player.gpu_failure.is_some());
}
