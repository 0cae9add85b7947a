//! Whole sessions, played natively against the scripted trainer.

use crate::effect::Effect;
use crate::scripted::Scripted;
use crate::state::{Action, State};
use vivarium_labs::find_preset;
use vivarium_model::permalink::{decode, encode};
use vivarium_model::protocol::{Command, DeviceInfo, DeviceKind, EndReason, Event, Payload, RunError};
use vivarium_player::device::GpuSupport;
use vivarium_player::speeds::SpeedCache;
use vivarium_player::status::status_line;
use vivarium_player::trainer::{Program, Trainer, TrainerMessage};
use vivarium_view::display::RunPhase;
use vivarium_view::display::status::describe_held_out;

/// The page with whatever trainer it opened.
pub struct Page {
    pub state: State,
    trainer: Option<(Program, Scripted)>,
    pub opened: Vec<Program>,
    surveys: u32,
    pub sent: Vec<(Command, Payload)>,
}

impl Page {
    pub fn open(fragment: &str) -> Page {
        let mut page =
            Page { state: State::default(), trainer: None, opened: vec![], surveys: 0, sent: vec![] };
        page.act(Action::Open(fragment.into()));
        page
    }

    /// As [`Page::open`], of a browser, where devices are timed.
    pub fn open_with_timing(fragment: &str) -> Page {
        let state = State::with_speeds(SpeedCache::default());
        let mut page = Page { state, trainer: None, opened: vec![], surveys: 0, sent: vec![] };
        page.act(Action::Open(fragment.into()));
        page
    }

    /// The programs of the trainers that it opened.
    pub fn opened_programs(&self) -> &[Program] {
        &self.opened
    }

    pub fn act(&mut self, action: Action) {
        for effect in self.state.apply(action) {
            match effect {
                Effect::DetectGpu => self.surveys += 1,
                Effect::FetchStory(_)
                | Effect::FetchRecorded
                | Effect::StoreSpeeds(_)
                | Effect::Bench(_)
                | Effect::StoreTable(_) => {}
                Effect::Open(kind) => {
                    self.opened.push(kind);
                    self.trainer = Some((kind, Scripted::new(kind, 300)));
                }
                Effect::Send(command, payload) => {
                    self.trainer.as_ref().unwrap().1.send(&command, &payload);
                    self.sent.push((command, payload));
                }
                Effect::Library(deed) => panic!("nothing is kept in these tests, not {deed:?}"),
            }
        }
        self.listen();
    }

    fn listen(&mut self) {
        while let Some((kind, sentence)) =
            self.trainer.as_ref().map(|(kind, t)| (*kind, t.take())).filter(|s| !s.1.is_empty())
        {
            for message in sentence {
                self.act(Action::Trainer(kind, TrainerMessage::Message(message)));
            }
        }
    }

    pub fn train(&mut self, step: u64) {
        self.trainer.as_ref().unwrap().1.advance(step);
        self.listen();
    }

    fn receive(&mut self, event: Event) {
        let kind = self.trainer.as_ref().unwrap().0;
        self.act(Action::Trainer(kind, TrainerMessage::Message(event.into())));
    }

    pub fn end_trainer(&mut self) {
        let kind = self.trainer.take().unwrap().0;
        self.act(Action::Trainer(kind, TrainerMessage::Died("it was killed".into())));
    }

    fn edit(&mut self, key: &str, text: &str) {
        self.act(Action::Edit(key.into(), text.into()));
    }

    fn starts(&self) -> usize {
        self.sent.iter().filter(|(c, _)| matches!(c, Command::Start { .. })).count()
    }

    pub fn link(&self) -> String {
        encode(&self.state.player.run.link)
    }
}

#[test]
fn an_empty_address_starts_the_first_preset_by_itself() {
    let mut page = Page::open("");
    assert_eq!(page.state.preset().unwrap().slug, "parity-20");
    assert_eq!(
        (page.opened.as_slice(), &page.state.player.run.phase),
        ([Program::Cpu].as_slice(), &RunPhase::Running)
    );
    assert_eq!(page.surveys, 0, "a small network needs no GPU");
    assert!(
        describe_held_out(&page.state.player.run)
            .unwrap()
            .contains("are measured on 1,024 of 8,192 held-out examples")
    );
    page.train(200);
    assert_eq!(
        (page.state.player.run.step, page.state.player.run.history.latest().unwrap().step),
        (200, 200)
    );
    assert_eq!(
        status_line(&page.state.player),
        "Learning: 50.0 % of the answers are right, as with random guessing"
    );
    page.train(400);
    assert_eq!(page.state.player.run.phase, RunPhase::Finished(EndReason::Target));
    let bits: Vec<String> = page.state.player.run.relevant.iter().map(|i| (i + 1).to_string()).collect();
    assert_eq!(
        status_line(&page.state.player),
        format!("Found at step 300: all 3 relevant bits ({}).", bits.join(", "))
    );
    assert_eq!(page.state.player.message, status_line(&page.state.player));
}

#[test]
fn a_paused_link_waits_and_steps_singly() {
    let mut page = Page::open("#v1/sparse-parity?n=20&start=paused");
    assert_eq!(page.state.player.run.phase, RunPhase::Paused);
    page.act(Action::SingleStep);
    page.act(Action::SingleStep);
    assert_eq!((page.state.player.run.step, &page.state.player.run.phase), (2, &RunPhase::Paused));
    page.act(Action::TogglePlay);
    assert_eq!(page.state.player.run.phase, RunPhase::Running);
    page.act(Action::TogglePlay);
    assert_eq!(page.state.player.run.phase, RunPhase::Paused);
    page.act(Action::Reset);
    assert_eq!((page.state.player.run.step, &page.state.player.run.phase), (0, &RunPhase::Paused));
}

/// Eight frames of a page of which one is in view train one network at a time.
#[test]
fn an_embedded_run_rests_while_its_frame_is_out_of_view() {
    let phase = |page: &Page| page.state.player.run.phase.clone();
    let mut page = Page::open("#v1/sparse-parity?n=20&embed=on");
    page.train(100);
    page.act(Action::FrameInView(false));
    assert_eq!(phase(&page), RunPhase::Paused);
    page.act(Action::FrameInView(false));
    page.act(Action::FrameInView(true));
    assert_eq!((phase(&page), page.state.player.run.step), (RunPhase::Running, 100));
    // A reader's own pause stays.
    page.act(Action::TogglePlay);
    page.act(Action::FrameInView(false));
    page.act(Action::FrameInView(true));
    assert_eq!(phase(&page), RunPhase::Paused);
    // A key that is pressed while the frame is out of view counts.
    page.act(Action::TogglePlay);
    page.act(Action::FrameInView(false));
    page.act(Action::Reset);
    page.act(Action::FrameInView(true));
    assert_eq!(phase(&page), RunPhase::Paused);
    // A run that has ended, a link that opens paused, a lesson that trains to a step, and a page that is not embedded.
    let mut ended = Page::open("#v1/sparse-parity?n=20&embed=on");
    ended.train(400);
    let mut paused = Page::open("#v1/sparse-parity?n=20&embed=on&start=paused");
    let mut lesson = Page::open("#v1/sparse-parity?n=20&embed=on&at=300");
    let mut whole = Page::open("#v1/sparse-parity?n=20");
    for page in [&mut ended, &mut paused, &mut lesson, &mut whole] {
        let before = phase(page);
        page.act(Action::FrameInView(false));
        assert_eq!(phase(page), before, "{}", page.link());
        page.act(Action::FrameInView(true));
        assert_eq!(phase(page), before, "{}", page.link());
    }
}

#[test]
fn a_changed_setting_restarts_from_the_same_seed_and_can_be_undone() {
    let mut page = Page::open("#v1/sparse-parity?seed=7");
    page.train(100);
    page.edit("width", "64");
    assert_eq!(
        page.state.player.message,
        "The run has restarted with the same seed because Width changed from 100 to 64."
    );
    assert_eq!((page.state.player.run.step, page.state.player.run.history.rows().count()), (0, 1));
    assert_eq!(page.link(), "#v1/sparse-parity?width=64&seed=7");
    page.edit("width", "64");
    assert_eq!((page.starts(), page.state.undo.len()), (2, 1));
    page.act(Action::Undo);
    assert_eq!(page.link(), "#v1/sparse-parity?seed=7");
    assert!(page.state.player.message.starts_with("Effect of Undo: Width changed from 64 to 100."));
    page.act(Action::Undo);
    assert_eq!(page.starts(), 3, "there is nothing left to undo");
    page.edit("batch", "8");
    page.act(Action::ResetField("batch".into()));
    assert_eq!(page.link(), "#v1/sparse-parity?seed=7");
}

#[test]
fn what_cannot_be_keeps_the_run_that_is() {
    let mut page = Page::open("#v1/sparse-parity?n=20");
    page.train(100);
    page.edit("width", "0");
    assert_eq!(
        page.state.invalid_inputs[0].error.to_string(),
        "width = 0: expected a whole number from 1 to 16384"
    );
    page.edit("k", "5");
    page.edit("n", "4");
    assert_eq!(
        (page.state.conflicts[0].key.as_str(), page.state.player.run.step),
        ("k", 0),
        "k = 5 restarted, n = 4 did not"
    );
    assert_eq!(page.link(), "#v1/sparse-parity?n=20&k=5");
    assert_eq!(page.state.form_value("n").unwrap().to_string(), "4");
    page.edit("k", "2");
    assert_eq!(page.link(), "#v1/sparse-parity?n=4&k=2");
    assert!(page.state.conflicts.is_empty() && page.state.pending.is_none());
}

#[test]
fn the_learning_rate_changes_live_and_is_recorded() {
    let mut page = Page::open("#v1/sparse-parity?n=20");
    page.edit("lr", "0.2");
    assert_eq!(page.link(), "#v1/sparse-parity?n=20&lr=0.2", "at step 0 it is a setting like others");
    page.train(150);
    page.edit("lr", "0.05");
    assert_eq!(page.link(), "#v1/sparse-parity?n=20&lr=0.2&lrs=150:0.05");
    assert_eq!(
        (page.state.player.run.step, page.state.form_value("lr").unwrap().to_string()),
        (150, "0.05".into())
    );
    page.train(400);
    assert!(matches!(page.state.player.run.phase, RunPhase::Finished(_)));
    page.edit("lr", "0.3");
    assert_eq!(page.link(), "#v1/sparse-parity?n=20&lr=0.3", "a rate for the whole run replaces the changes");
}

#[test]
fn playing_on_after_the_end_extends_the_run_and_its_link() {
    let mut page = Page::open("#v1/sparse-parity?n=20");
    page.train(400);
    page.act(Action::TogglePlay);
    assert!(page.sent.iter().any(|(c, _)| *c == Command::Extend(600)));
    assert_eq!(page.link(), "#v1/sparse-parity?n=20&steps=600&halt=steps");
    assert_eq!(page.state.player.run.phase, RunPhase::Running);
}

#[test]
fn events_of_the_run_before_are_not_taken_for_the_new_one() {
    let mut page = Page::open("#v1/sparse-parity?n=20");
    page.train(100);
    let effects = page.state.apply(Action::NewSeed(5));
    page.receive(Event::Solved { replica: 0, step: 150 });
    assert!(page.state.player.run.solved.is_empty());
    let [Effect::Send(Command::Watch(_), _), Effect::Send(Command::Start { .. }, Payload::Empty)] =
        effects.as_slice()
    else {
        panic!("{effects:?}");
    };
    assert_eq!(page.link(), "#v1/sparse-parity?n=20&seed=5");
}

#[test]
fn a_lost_gpu_hands_over_to_the_cpu_from_the_last_checkpoint() {
    let mut page = Page::open("#v1/sparse-parity?device=gpu");
    assert!(page.opened.is_empty() && page.surveys == 1, "it waits for the survey");
    page.act(Action::GpuDetected(GpuSupport::Adapter { name: "Test".into(), simulated: false }));
    assert_eq!(page.opened, [Program::Fused]);
    assert_eq!(describe_held_out(&page.state.player.run), None);
    page.train(200);
    page.receive(Event::Failed(RunError::GpuLost("device lost".into())));
    assert_eq!(page.opened, [Program::Fused, Program::Cpu]);
    assert_eq!(
        page.state.player.message,
        "WebGPU cannot be used, because the GPU stopped working (device lost). The run goes on from step 200 on the \
         CPU."
    );
    assert_eq!((page.state.player.run.step, &page.state.player.run.phase), (200, &RunPhase::Running));
    assert_eq!(page.state.player.run.history.rows().count(), 5, "what was measured is kept");
    page.edit("width", "64");
    assert_eq!(page.opened.len(), 2, "the GPU is not tried again unasked");
}

#[test]
fn a_run_too_large_for_the_gpu_goes_to_the_cpu_and_the_next_one_does_not() {
    let mut page = Page::open("#v1/sparse-parity?device=gpu&replicas=2000");
    page.act(Action::GpuDetected(GpuSupport::Adapter { name: "Test".into(), simulated: false }));
    page.receive(Event::Failed(RunError::TooLarge("this run needs a buffer of 229 MiB".into())));
    assert_eq!(page.opened, [Program::Fused, Program::Cpu]);
    assert!(
        page.state
            .player
            .message
            .contains("needs a buffer of 229 MiB. The run restarts from its beginning on the CPU")
    );
    page.edit("replicas", "20");
    assert_eq!(page.opened.last(), Some(&Program::Fused));
}

#[test]
fn kernels_that_do_not_fit_hand_over_to_autodiff_for_this_run() {
    let mut page = Page::open("#v1/sparse-parity?device=gpu");
    page.act(Action::GpuDetected(GpuSupport::Adapter { name: "Test".into(), simulated: false }));
    page.receive(Event::Failed(RunError::NeedsAutodiff("Fused kernels do not fit this GPU: no.".into())));
    assert_eq!(page.opened, [Program::Fused, Program::Gpu]);
    assert!(
        page.state
            .player.message
            .ends_with("Fused kernels do not fit this GPU: no. The network is trained with autodiff (automatic differentiation) instead.")
    );
    assert_eq!(page.state.player.run.phase, RunPhase::Running);
    page.edit("width", "64");
    assert_eq!(page.opened.last(), Some(&Program::Fused), "another network may fit");
}

#[test]
fn autodiff_on_the_cpu_has_a_program_of_its_own() {
    let page = Page::open("#v1/sparse-parity?device=cpu&learner=autodiff");
    assert_eq!(page.opened, [Program::CpuAutodiff]);
    // Loops that refuse a run hand over to autodiff, once.
    let mut page = Page::open("#v1/sparse-parity?device=cpu");
    page.receive(Event::Failed(RunError::NeedsAutodiff("no loop".into())));
    assert_eq!(page.opened, [Program::Cpu, Program::CpuAutodiff]);
    assert_eq!(page.state.player.run.phase, RunPhase::Running);
    page.edit("width", "64");
    assert_eq!(page.opened.last(), Some(&Program::Cpu), "loops may support another network");
}

#[test]
fn a_dead_worker_is_replaced_once_and_then_only_by_hand() {
    let mut page = Page::open("#v1/sparse-parity?n=20");
    page.train(100);
    page.end_trainer();
    assert_eq!(
        (page.opened.len(), page.state.player.run.step, &page.state.player.run.phase),
        (2, 100, &RunPhase::Running)
    );
    assert!(page.state.player.message.contains("goes on from step 100 with a new worker"));
    page.end_trainer();
    assert_eq!(
        (page.opened.len(), &page.state.player.run.phase),
        (2, &RunPhase::Failed("it was killed".into()))
    );
    page.act(Action::Retry);
    assert_eq!(
        (page.opened.len(), page.state.player.run.step, &page.state.player.run.phase),
        (3, 100, &RunPhase::Running)
    );
}

#[test]
fn a_silent_worker_is_queried_and_then_replaced() {
    let mut page = Page::open("#v1/sparse-parity?n=20");
    page.train(100);
    for _ in 0..5 {
        page.act(Action::Tick);
    }
    assert_eq!(page.sent.last().unwrap().0, Command::Checkpoint);
    for _ in 0..7 {
        page.act(Action::Tick);
    }
    assert_eq!(page.opened.len(), 2);
    page.act(Action::TogglePlay);
    for _ in 0..60 {
        page.act(Action::Tick);
    }
    assert_eq!(
        (page.opened.len(), &page.state.player.run.phase),
        (2, &RunPhase::Paused),
        "who waits may be silent"
    );
}

#[test]
fn a_diverged_run_stands_at_the_last_good_step() {
    let mut page = Page::open("#v1/sparse-parity?n=20&lr=90");
    page.train(100);
    page.receive(Event::Diverged { step: 120, last_good: 100 });
    page.receive(Event::Finished { step: 100, reason: EndReason::Diverged });
    assert_eq!(page.state.player.run.phase, RunPhase::Diverged { step: 120, last_good: 100 });
    assert_eq!(
        status_line(&page.state.player),
        "The loss was not finite at step 120; the run went back to step 100, the last step with a finite loss"
    );
    assert_eq!(page.state.player.run.history.rows().count(), 3);
}

#[test]
fn a_pasted_link_is_opened_with_its_notices_and_can_be_undone() {
    let mut page = Page::open("");
    page.act(Action::Open("#v1/sparse-parity?n=30&batch=5000&x=<script>".into()));
    assert_eq!(page.link(), "#v1/sparse-parity?n=30");
    assert_eq!(page.state.notices.iter().map(|n| n.key.as_str()).collect::<Vec<_>>(), ["batch", "x"]);
    page.act(Action::DismissNotices);
    assert!(page.state.notices.is_empty());
    let starts = page.starts();
    page.act(Action::Open("#v1/sparse-parity?n=30".into()));
    assert_eq!(page.starts(), starts, "the same run is not begun again");
    page.act(Action::Undo);
    assert_eq!(page.state.preset().unwrap().slug, "parity-20");
}

/// As a sentence in a chat ends, and as a telephone's keyboard begins.
#[test]
fn a_link_in_a_sentence_opens_as_meant_with_a_notice_on_what_was_changed() {
    for (text, keys) in [
        ("#V1/Sparse-Parity?n=30&width=64", &["version", "task"][..]),
        ("#v1/sparse-parity?n=30&amp;width=64", &["link"]),
        ("#v1/sparse-parity?n=30&width=64),", &["width"]),
        ("#%23v1/sparse-parity?n=30&width=64", &[]),
    ] {
        let page = Page::open(text);
        assert_eq!(page.link(), "#v1/sparse-parity?n=30&width=64", "{text}");
        assert_eq!(page.state.notices.iter().map(|n| n.key.as_str()).collect::<Vec<_>>(), keys, "{text}");
    }
    for story in ["#Story/One-Note", "#story/one-note.", "#story/one-note)"] {
        assert_eq!(Page::open(story).state.tour.as_ref().map(|tour| tour.slug), Some("one-note"), "{story}");
    }
    for gallery in ["#Gallery", "#gallery)", "#gallery\""] {
        assert!(Page::open(gallery).state.gallery.is_open, "{gallery}");
    }
}

#[test]
fn what_a_link_keeps_of_a_model_goes_with_the_model() {
    let text = "#v1/sparse-parity?n=20&lock=width,seed,bias&hide=act,presets";
    let mut page = Page::open(text);
    page.edit("width", "64");
    assert_eq!(page.link(), text, "it is locked");
    page.edit("model", "polynet");
    let left = "#v1/sparse-parity?model=polynet&n=20&lock=seed,bias&hide=presets";
    assert_eq!((page.link().as_str(), decode(left).1.len()), (left, 0));
    assert_eq!(decode(left).0, page.state.player.run.link);
    page.edit("model", "mlp");
    assert!(!page.state.player.run.link.locks("width") && page.state.player.run.link.locks("bias"));
    page.act(Action::Undo);
    page.act(Action::Undo);
    assert_eq!(page.link(), text, "with the model it comes back");
}

#[test]
fn notices_of_changes_do_not_pile_up() {
    let mut page = Page::open("#v1/markov?t=8&held=64&batch=4&device=cpu");
    for at in 0..40 {
        page.edit("k", "3");
        let bits: Vec<String> = (0..6).map(|bit| (at >> bit & 1).to_string()).collect();
        page.edit("seq", &format!("2.{}", bits.join(".")));
        page.edit("k", "2");
        let notices = &page.state.notices;
        assert_eq!(notices.last().map(|notice| notice.key.as_str()), Some("seq"));
        assert_eq!(notices.len(), 24.min(at + 1));
    }
}

#[test]
fn presets_and_speed() {
    let mut page = Page::open("");
    let preset = find_preset("parity-grokking").unwrap();
    page.act(Action::ChoosePreset(preset));
    assert_eq!((page.link().as_str(), page.state.preset()), (preset.link, Some(preset)));
    let starts = page.starts();
    page.edit("speed", "0");
    assert_eq!((page.starts(), &page.sent.last().unwrap().0), (starts, &Command::Speed(0)));
    assert_eq!(page.state.preset(), Some(preset), "speed changes no number of the run");
    assert_eq!(page.state.player.trainer.ready_program(), Some(Program::Cpu));
}

/// Applies a message of the trainer on the CPU.
pub(super) fn receive(state: &mut State, event: Event) -> Vec<Effect> {
    state.apply(Action::Trainer(Program::Cpu, TrainerMessage::Message(event.into())))
}

/// The message that a run has started.
pub(super) fn started_event() -> Event {
    Event::Started {
        step: 0,
        relevant: vec![0],
        held_out: 64,
        parameters: 9,
        learner: String::new(),
        note: String::new(),
    }
}

/// Several runs are requested before the trainer has answered the first.
#[test]
fn only_the_answer_to_the_last_start_is_about_this_run() {
    let mut state = State::default();
    let starts = |effects: Vec<Effect>| {
        effects.iter().filter(|e| matches!(e, Effect::Send(Command::Start { .. }, _))).count()
    };
    let found = |step| Event::Solved { replica: 0, step };
    state.apply(Action::Open("#v1/sparse-parity?n=20".into()));
    let report = DeviceInfo { kind: DeviceKind::Cpu, name: "CPU".into(), simulated: false };
    assert_eq!(starts(receive(&mut state, Event::Ready(report))), 1);
    // A run that may want a GPU is chosen, and nobody knows yet if there is one.
    let large = find_preset("no-luck").unwrap();
    assert_eq!(state.apply(Action::ChoosePreset(large)), [Effect::DetectGpu]);
    receive(&mut state, started_event());
    receive(&mut state, found(770));
    receive(&mut state, Event::Finished { step: 770, reason: EndReason::Target });
    assert_eq!(
        (&state.player.run.phase, state.player.run.solved.len(), state.player.run.step),
        (&RunPhase::Loading, 0, 0)
    );
    assert_eq!(starts(state.apply(Action::GpuDetected(GpuSupport::NoAdapter))), 1);
    // And from there another seed, twice.
    for seed in [5, 6] {
        assert_eq!(starts(state.apply(Action::NewSeed(seed))), 1);
    }
    for _ in 0..2 {
        receive(&mut state, started_event());
        receive(&mut state, found(60));
        assert_eq!((&state.player.run.phase, state.player.run.solved.len()), (&RunPhase::Loading, 0));
    }
    receive(&mut state, started_event());
    receive(&mut state, found(80));
    assert_eq!(
        (&state.player.run.phase, state.player.run.solved.as_slice()),
        (&RunPhase::Running, [(0, 80)].as_slice())
    );
}
