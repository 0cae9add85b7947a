//! Messages on the present state of the run are removed when this state ends; the name of a run stays when it goes on.

use crate::effect::Effect;
use crate::run::tests::{Page, receive, started_event};
use crate::share::titles::page_title;
use crate::state::{Action, State};
use vivarium_labs::find_preset;
use vivarium_model::permalink::encode;
use vivarium_model::protocol::{Command, DeviceInfo, DeviceKind, EndReason, Event};
use vivarium_view::display::RunPhase;
use vivarium_view::presets::recorded::recorded_steps;

/// Opens a link; its run has started.
fn started(link: &str) -> State {
    let mut state = State::default();
    state.apply(Action::Open(link.into()));
    receive(
        &mut state,
        Event::Ready(DeviceInfo { kind: DeviceKind::Cpu, name: "CPU".into(), simulated: false }),
    );
    receive(&mut state, started_event());
    assert_eq!(state.player.run.phase, RunPhase::Running);
    state
}

#[test]
fn a_step_requested_while_the_run_starts_reaches_the_trainer() {
    let ready = Event::Ready(DeviceInfo { kind: DeviceKind::Cpu, name: "CPU".into(), simulated: false });
    let sent_goals = |effects: &[Effect]| {
        effects.iter().filter(|effect| matches!(effect, Effect::Send(Command::PlayTo(500), _))).count()
    };
    for is_sent in [false, true] {
        let mut state = State::default();
        state.apply(Action::Open("#v1/sparse-parity?n=20&device=cpu&start=paused".into()));
        let mut effects = vec![];
        if is_sent {
            effects.extend(receive(&mut state, ready.clone()));
        }
        assert_eq!((state.player.awaiting_start, sent_goals(&effects)), (true, 0));
        state.train_to(500, &mut effects);
        if !is_sent {
            assert_eq!(sent_goals(&effects), 0, "no start command has been sent");
            effects.extend(receive(&mut state, ready.clone()));
        }
        assert_eq!(sent_goals(&effects), 1);
        receive(&mut state, started_event());
        receive(&mut state, Event::Resumed { step: 0 });
        assert_eq!((&state.player.run.phase, state.player.paused), (&RunPhase::Running, false));
    }
}

/// A frame that is scrolled past comes back into view before the worker has answered.
#[test]
fn an_embedded_run_continues_although_its_pause_is_not_confirmed() {
    let is_sent = |effects: &[Effect], command: &Command| {
        effects.iter().any(|effect| matches!(effect, Effect::Send(sent, _) if sent == command))
    };
    let mut state = started("#v1/sparse-parity?n=20&device=cpu&embed=on");
    assert!(is_sent(&state.apply(Action::FrameInView(false)), &Command::Pause));
    assert!(is_sent(&state.apply(Action::FrameInView(true)), &Command::Play));
    receive(&mut state, Event::Paused { step: 300 });
    receive(&mut state, Event::Resumed { step: 300 });
    assert_eq!((&state.player.run.phase, state.player.paused), (&RunPhase::Running, false));
    // A reader's own pause stays, confirmed or not.
    state.apply(Action::TogglePlay);
    for is_in_view in [false, true] {
        assert_eq!(state.apply(Action::FrameInView(is_in_view)), []);
    }
    receive(&mut state, Event::Paused { step: 400 });
    assert_eq!(state.player.run.phase, RunPhase::Paused);
}

#[test]
fn a_paused_run_does_not_continue_up_to_a_step() {
    let mut state = started("#v1/sparse-parity?n=20&device=cpu");
    state.train_to(500, &mut vec![]);
    receive(&mut state, Event::Resumed { step: 20 });
    assert_eq!(state.player.message, "The run continues up to step 500.");
    state.apply(Action::TogglePlay);
    receive(&mut state, Event::Paused { step: 300 });
    assert_eq!((state.player.message.as_str(), &state.player.run.phase), ("", &RunPhase::Paused));
}

#[test]
fn a_run_that_plays_does_not_wait() {
    let mut state = started("#v1/sparse-parity?n=20&device=cpu");
    state.apply(Action::TogglePlay);
    receive(&mut state, Event::Paused { step: 300 });
    state.train_to(300, &mut vec![]);
    state.apply(Action::Tick);
    assert_eq!(state.player.message, "The run waits at step 300.");
    let mut playing = state.clone();
    playing.apply(Action::TogglePlay);
    receive(&mut playing, Event::Resumed { step: 300 });
    assert_eq!(playing.player.message, "");
    state.apply(Action::SingleStep);
    receive(&mut state, Event::Paused { step: 301 });
    assert_eq!(state.player.message, "");
}

#[test]
fn a_run_that_went_on_and_is_paused_does_not_go_on() {
    let mut page = Page::open("");
    page.train(400);
    let end = page.state.player.run.step;
    assert!(matches!(page.state.player.run.phase, RunPhase::Finished(_)));
    page.act(Action::TogglePlay);
    assert_eq!(
        page.state.player.message,
        format!("The run goes on to step {}; the link contains this change.", 2 * end)
    );
    page.act(Action::TogglePlay);
    assert_eq!((page.state.player.message.as_str(), &page.state.player.run.phase), ("", &RunPhase::Paused));
}

#[test]
fn a_message_about_something_else_stays() {
    let mut state = started("#v1/sparse-parity?n=20&device=cpu");
    state.train_to(500, &mut vec![]);
    receive(&mut state, Event::Resumed { step: 20 });
    state.apply(Action::ShowMessage("Something else."));
    state.apply(Action::TogglePlay);
    receive(&mut state, Event::Paused { step: 300 });
    assert_eq!(state.player.message, "Something else.");
}

#[test]
fn settings_that_agree_again_are_no_conflict() {
    let mut page = Page::open("#v1/sparse-parity?n=10&device=cpu");
    page.act(Action::Edit("k".into(), "8".into()));
    page.act(Action::Edit("n".into(), "7".into()));
    assert!(page.state.player.message.starts_with("These settings cannot be combined"));
    page.act(Action::Edit("n".into(), "10".into()));
    assert!(page.state.conflicts.is_empty() && page.state.player.message.is_empty());
}

#[test]
fn a_question_is_gone_when_it_is_answered() {
    let link = "#v1/sparse-parity?n=512&width=4096&batch=1024&replicas=16&steps=10000000&device=cpu";
    let mut page = Page::open(link);
    assert!(page.state.player.message.ends_with("Play starts the run."));
    page.act(Action::TogglePlay);
    assert_eq!(page.state.player.message, "");
}

#[test]
fn a_preset_that_goes_on_keeps_its_name_and_its_claim() {
    let preset = find_preset("parity-20").unwrap();
    let end = recorded_steps(preset.slug).unwrap();
    let mut state = State::default();
    state.apply(Action::Open(preset.link.into()));
    let title = page_title(&state);
    state.player.run.step = end;
    state.player.run.phase = RunPhase::Finished(EndReason::Target);
    state.apply(Action::TogglePlay);
    assert_eq!(state.player.run.link.spec.run.steps, 2 * end);
    assert_eq!((page_title(&state), state.preset()), (title.clone(), Some(preset)));
    // The link of the longer run opens the longer run, under the same name.
    let mut other = State::default();
    other.apply(Action::Open(encode(&state.player.run.link)));
    assert_eq!(other.player.run.link.spec, state.player.run.link.spec);
    assert_eq!((page_title(&other), other.preset()), (title, Some(preset)));
}
