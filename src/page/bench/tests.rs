use super::*;
use crate::effect::{BenchEffect, Effect};
use crate::gallery::update::page_address;
use crate::run::tests::Page;
use crate::state::{Action, State};
use vivarium_model::protocol::{
    Command, DeviceInfo, DeviceKind, Event, PeakPerformance, RunError, TrainingSpeed,
};
use vivarium_model::run::LearnerChoice;
use vivarium_view::display::RunPhase;
use vivarium_view::record::bench::NETWORKS;

/// The bench's worker, which answers at once.
struct BenchPage {
    state: State,
    /// Whether there is a GPU.
    has_gpu: bool,
    opened: Vec<Program>,
    /// Runs that each program was asked to time.
    timed: Vec<(Program, String, LearnerChoice)>,
    closed: u32,
    /// The program after whose third network the user presses Stop.
    stops: Option<Program>,
}

impl BenchPage {
    fn open(has_gpu: bool) -> Self {
        let mut page = BenchPage {
            state: State::default(),
            has_gpu,
            opened: vec![],
            timed: vec![],
            closed: 0,
            stops: None,
        };
        page.act(Action::Open(FRAGMENT.into()));
        page
    }

    fn act(&mut self, action: Action) {
        for effect in self.state.apply(action) {
            match effect {
                Effect::Bench(BenchEffect::Open(program)) => {
                    self.opened.push(program);
                    let is_gpu = program.needs_gpu();
                    let (kind, name) = match is_gpu {
                        true => (DeviceKind::Gpu, "WebGPU: <M2>"),
                        false => (DeviceKind::Cpu, "CPU"),
                    };
                    let report = DeviceInfo { kind, name: name.into(), simulated: is_gpu };
                    self.receive(match !is_gpu || self.has_gpu {
                        true => Event::Ready(report),
                        false => Event::Failed(RunError::NoGpu("no GPU could be opened".into())),
                    });
                }
                Effect::Bench(BenchEffect::Send(Command::MeasurePeaks)) => {
                    let is_gpu = self.opened.last() != Some(&Program::Cpu);
                    let of_gpu = |value: f64| is_gpu.then_some(value);
                    let flops = if is_gpu { 2e12 } else { 1e11 };
                    let peaks =
                        PeakPerformance { flops, workgroup_flops: of_gpu(4e10), launch_ms: of_gpu(0.01) };
                    self.receive(Event::PeaksMeasured(peaks));
                }
                Effect::Bench(BenchEffect::Send(Command::Measure(number, spec, _))) => {
                    let program = *self.opened.last().unwrap();
                    let learner = spec.run.learner;
                    self.timed.push((program, spec.task.info().slug.into(), learner));
                    if self.stops == Some(program) && number == 3 {
                        self.act(Action::Bench(BenchAction::Stop));
                        return;
                    }
                    // Kernels lack the last network.
                    let is_missing = program == Program::Fused && number as usize == NETWORKS.len() - 1;
                    let speed =
                        TrainingSpeed { steps_per_s: 100.0, learner: format!("{learner:?}, in a test") };
                    self.receive(Event::Measured(
                        number,
                        if is_missing { Err(RunError::NeedsAutodiff("no kernel".into())) } else { Ok(speed) },
                    ));
                }
                Effect::Bench(BenchEffect::Send(other)) => panic!("{other:?}"),
                Effect::Bench(BenchEffect::Close) => self.closed += 1,
                _ => {}
            }
        }
    }

    fn receive(&mut self, event: Event) {
        let program = *self.opened.last().unwrap();
        self.act(Action::Bench(BenchAction::Worker(program, TrainerMessage::Message(event.into()))));
    }

    fn start(&mut self) {
        self.act(Action::Bench(BenchAction::Start));
    }

    fn bench(&self) -> &Bench {
        &self.state.bench
    }
}

/// The state after a whole bench.
pub fn completed_bench() -> State {
    let mut page = BenchPage::open(true);
    page.start();
    page.state
}

#[test]
fn all_networks_are_timed_with_every_program_that_can() {
    let mut page = BenchPage::open(true);
    assert!(page.opened.is_empty() && page.bench().is_open && !page.bench().is_running());
    assert!(page.bench().buttons_html().contains("data-press=\"start\""));
    page.start();
    assert_eq!(page.opened, [Program::Cpu, Program::Fused, Program::Gpu]);
    assert_eq!((page.timed.len(), page.closed), (3 * NETWORKS.len(), 1));
    let learners: Vec<LearnerChoice> =
        page.timed.iter().step_by(NETWORKS.len()).map(|timed| timed.2).collect();
    assert_eq!(learners, [LearnerChoice::Auto, LearnerChoice::Fused, LearnerChoice::Autodiff]);
    let bench = page.bench();
    assert_eq!(bench.table.rows.len(), 3 * NETWORKS.len() - 1, "what kernels lack is no row");
    assert_eq!(bench.table.devices.len(), 2);
    assert!(bench.is_complete && !bench.is_running() && bench.notes.is_empty());
    let found = bench.buttons_html() + &bench.status_text() + &bench.results_html();
    for text in
        ["All networks have been timed.", "Run again", "WebGPU: &lt;M2> (simulated on the CPU)", "2,000"]
    {
        assert!(found.contains(text), "{text}\n{found}");
    }
    assert!(!found.contains("Speed relative"));
}

#[test]
fn without_a_gpu_the_cpu_alone_is_timed_and_the_reason_is_stated() {
    let mut page = BenchPage::open(false);
    page.start();
    assert_eq!(page.opened, [Program::Cpu, Program::Fused]);
    assert_eq!((page.bench().table.rows.len(), page.closed), (NETWORKS.len(), 1));
    let found = page.bench().results_html();
    assert!(found.contains("This browser offers no GPU adapter that this page can use"), "{found}");
    assert!(!found.contains("could be opened"), "{found}");
    assert!(page.bench().is_complete);
    // Another time begins anew.
    page.has_gpu = true;
    page.start();
    assert!(page.bench().notes.is_empty() && page.bench().table.rows.len() > NETWORKS.len());
}

#[test]
fn a_share_above_the_whole_is_explained() {
    let mut page = BenchPage::open(false);
    page.start();
    let sentence = "A share above 100 % means";
    page.state.bench.table.devices[0].gflops = 1e9;
    assert!(!page.bench().results_html().contains(sentence));
    page.state.bench.table.devices[0].gflops = 1e-6;
    assert!(page.bench().results_html().contains(sentence));
}

#[test]
fn stop_keeps_what_was_found() {
    let mut page = BenchPage::open(true);
    page.stops = Some(Program::Fused);
    page.start();
    assert_eq!(page.bench().table.rows.len(), NETWORKS.len() + 3);
    assert!(page.bench().status_text() == "The benchmark was stopped." && page.closed == 1);
    // What comes late is not taken for a result.
    let speed = TrainingSpeed { steps_per_s: 1.0, learner: String::new() };
    page.receive(Event::Measured(3, Ok(speed)));
    assert_eq!(page.bench().table.rows.len(), NETWORKS.len() + 3);
}

#[test]
fn a_worker_that_dies_or_falls_silent_is_given_up() {
    let mut state = State::default();
    state.apply(Action::Open(FRAGMENT.into()));
    let open = |program| Effect::Bench(BenchEffect::Open(program));
    assert!(state.apply(Action::Bench(BenchAction::Start)).contains(&open(Program::Cpu)));
    let died = TrainerMessage::Died("it was killed".into());
    let effects = state.apply(Action::Bench(BenchAction::Worker(Program::Cpu, died)));
    assert!(effects.contains(&open(Program::Fused)));
    let effects: Vec<Effect> = (0..100).flat_map(|_| state.apply(Action::Tick)).collect();
    assert!(effects.contains(&Effect::Bench(BenchEffect::Close)));
    let found = state.bench.results_html();
    for text in
        ["The speed measurement on the CPU did not finish: it was killed.", "sent nothing for 90 seconds."]
    {
        assert!(found.contains(text), "{text}\n{found}");
    }
}

#[test]
fn the_run_waits_while_networks_are_timed_and_is_there_afterwards() {
    let mut page = Page::open("#v1/sparse-parity?n=20");
    page.train(100);
    page.act(Action::Open(FRAGMENT.into()));
    assert_eq!(
        (page_address(&page.state), &page.state.player.run.phase),
        (FRAGMENT.into(), &RunPhase::Running)
    );
    page.act(Action::Bench(BenchAction::Start));
    assert_eq!(page.state.player.run.phase, RunPhase::Paused);
    page.act(Action::Bench(BenchAction::Close));
    assert!(!page.state.bench.is_open && !page.state.bench.is_running());
    assert_eq!(
        (page_address(&page.state).as_str(), page.state.player.run.step),
        ("#v1/sparse-parity?n=20", 100)
    );
    // So does another address, or the gallery.
    for fragment in ["#gallery", "#v1/sparse-parity?n=21"] {
        page.act(Action::Open(FRAGMENT.into()));
        page.act(Action::Bench(BenchAction::Start));
        page.act(Action::Open(fragment.into()));
        assert!(!page.state.bench.is_open && !page.state.bench.is_running(), "{fragment}");
    }
}

#[test]
fn a_pasted_table_stands_next_to_this_one() {
    let mut state = completed_bench();
    let mut theirs = state.bench.table.clone();
    theirs.program = "another".into();
    theirs.rows[0].steps_per_s = Some(50.0);
    for _ in 0..2 {
        state.apply(Action::Bench(BenchAction::Compare(Some(Ok(theirs.clone())))));
        assert_eq!(state.bench.comparison_note(), "The other table is from another.");
        let found = state.bench.results_html();
        assert!(found.contains("Speed relative to the other table") && found.contains(">2.00<"), "{found}");
    }
    state.apply(Action::Bench(BenchAction::Compare(Some(Err("The text is no table.".into())))));
    assert_eq!(state.bench.comparison_note(), "The text is no table.");
    assert!(!state.bench.results_html().contains("Speed relative"));
    state.apply(Action::Bench(BenchAction::Compare(None)));
    assert_eq!(state.bench.comparison_note(), "");
    state.apply(Action::Bench(BenchAction::Compare(Some(Ok(theirs)))));
    state.apply(Action::Bench(BenchAction::Close));
    assert_eq!(state.bench.comparison_note(), "", "the field is empty, too, when it is opened again");
}
