//! Earlier steps of a run, shown again and played on: against the scripted trainer, and against the worker itself.

use std::collections::VecDeque;
#[cfg(test)]
use vivarium_model::chart;

use crate::effect::Effect;
use crate::scripted::Scripted;
use crate::state::{Action, State};
use vivarium_model::protocol::{Command, EndReason, EventMessage, Measurement, Payload};
use vivarium_player::status::status_line;
use vivarium_player::trainer::{Program, Trainer, TrainerMessage};
use vivarium_plot::analysis::Reading;
use vivarium_view::display::RunPhase;

/// Who trains in a test.
pub trait Trains: Trainer {
    /// Messages since the last call.
    fn take(&self) -> Vec<EventMessage>;
}

impl Trains for Scripted {
    fn take(&self) -> Vec<EventMessage> {
        Scripted::take(self)
    }
}

/// The page with a trainer.
pub struct Page<T> {
    pub state: State,
    pub trainer: T,
    sent: Vec<Command>,
}

impl<T: Trains> Page<T> {
    pub fn open(fragment: &str, trainer: T) -> Self {
        let mut page = Page { state: State::default(), trainer, sent: vec![] };
        page.act(Action::Open(fragment.into()));
        page
    }

    pub fn act(&mut self, action: Action) {
        self.apply(action);
        self.listen();
    }

    fn apply(&mut self, action: Action) {
        for effect in self.state.apply(action) {
            if let Effect::Send(command, payload) = effect {
                self.trainer.send(&command, &payload);
                self.sent.push(command);
            }
        }
    }

    pub fn listen(&mut self) {
        let mut messages = VecDeque::from(self.trainer.take());
        while let Some(message) = messages.pop_front() {
            self.apply(Action::Trainer(Program::Cpu, TrainerMessage::Message(message)));
            messages.extend(self.trainer.take());
        }
    }

    fn rows(&self) -> Vec<Measurement> {
        self.state.player.run.history.rows().cloned().collect()
    }

    fn starts(&self) -> usize {
        self.sent.iter().filter(|command| matches!(command, Command::Start { .. })).count()
    }
}

fn scripted(until: u64) -> Page<Scripted> {
    let mut page = Page::open("#v1/sparse-parity?n=20", Scripted::new(Program::Cpu, 300));
    for step in (100..=until).step_by(100) {
        page.trainer.advance(step);
        page.listen();
    }
    page
}

#[test]
fn every_panel_goes_back_and_returns() {
    let mut page = scripted(200);
    let whole = page.rows();
    page.act(Action::Scrub(130));
    assert_eq!(
        (page.state.player.run.step, &page.state.player.run.phase, page.state.player.latest_step()),
        (130, &RunPhase::Paused, 200)
    );
    assert_eq!(page.sent.last(), Some(&Command::Reach(130)));
    assert_eq!(page.rows().last().unwrap().step, 100, "the newest measurement until then");
    assert_eq!(
        status_line(&page.state.player),
        "Step 130 of 200 is shown again. The button Play continues the training from this step"
    );
    let Reading::Lines(lines) = page.state.reading_to_end(chart::LOSS) else { panic!("curves") };
    let ends = |faint: bool| {
        let curves = lines.series.iter().filter(move |s| s.faint == faint);
        curves.map(|s| (s.x[0], *s.x.last().unwrap())).collect::<Vec<_>>()
    };
    assert!(ends(false).iter().all(|(from, to)| (*from, *to) == (0.0, 100.0)), "{:?}", ends(false));
    assert!(ends(true).iter().all(|(from, to)| (*from, *to) == (100.0, 200.0)), "{:?}", ends(true));
    page.act(Action::ShowLatestStep);
    assert_eq!(
        (page.state.player.run.step, &page.state.player.run.phase, page.rows()),
        (200, &RunPhase::Running, whole)
    );
    assert_eq!(page.sent[page.sent.len() - 2..], [Command::Reach(200), Command::Play]);
    assert!(
        page.state.player.latest_run.is_none() && status_line(&page.state.player).starts_with("Learning")
    );
}

#[test]
fn the_nearest_checkpoint_is_taken_and_a_little_way_on_needs_none() {
    let mut page = scripted(200);
    page.act(Action::Scrub(130));
    let starts = page.starts();
    page.act(Action::Scrub(150));
    assert_eq!((page.starts(), page.state.player.run.step), (starts, 150), "it goes on from where it stands");
    page.act(Action::ScrubBy(false));
    let steps = |page: &Page<Scripted>| page.rows().iter().map(|row| row.step).collect::<Vec<_>>();
    assert_eq!(
        (page.starts(), page.state.player.run.step, steps(&page)),
        (starts + 1, 100, vec![0, 50, 100])
    );
    (0..2).for_each(|_| page.act(Action::ScrubBy(false)));
    assert_eq!((page.state.player.run.step, page.state.player.run.history.latest().unwrap().step), (0, 0));
    (0..4).for_each(|_| page.act(Action::ScrubBy(true)));
    assert!(page.state.player.latest_run.is_none(), "past the last measurement is the end");
}

#[test]
fn an_ended_run_is_played_again_from_where_it_is_shown() {
    let mut page = scripted(300);
    let whole = page.rows();
    assert_eq!(
        (&page.state.player.run.phase, page.state.player.run.step),
        (&RunPhase::Finished(EndReason::Target), 300)
    );
    page.act(Action::Scrub(100));
    assert!(page.state.player.run.solved.is_empty());
    page.act(Action::TogglePlay);
    assert_eq!(page.state.player.run.phase, RunPhase::Running);
    page.trainer.advance(200);
    page.listen();
    assert_eq!(
        (page.state.player.run.step, page.state.player.latest_step()),
        (200, 300),
        "the rest is still drawn"
    );
    page.trainer.advance(300);
    page.listen();
    assert_eq!(
        (page.state.player.latest_step(), &page.state.player.run.phase),
        (300, &RunPhase::Finished(EndReason::Target))
    );
    assert_eq!((page.rows(), page.state.player.run.solved.as_slice()), (whole, [(0, 300)].as_slice()));
    assert!(page.state.player.latest_run.is_none());
    page.act(Action::Scrub(100));
    page.act(Action::ShowLatestStep);
    assert_eq!(
        (page.state.player.run.step, &page.state.player.run.phase),
        (300, &RunPhase::Finished(EndReason::Target))
    );
}

/// A trainer that is slow to answer gets one wish at a time, and the last one counts.
#[test]
fn a_pointer_is_faster_than_the_trainer() {
    struct Slow(Scripted, std::cell::Cell<bool>);
    impl Trainer for Slow {
        fn send(&self, command: &Command, payload: &Payload) {
            self.0.send(command, payload);
        }
    }
    impl Trains for Slow {
        fn take(&self) -> Vec<EventMessage> {
            if self.1.get() { vec![] } else { self.0.take() }
        }
    }
    let trainer = Slow(Scripted::new(Program::Cpu, 300), false.into());
    let mut page = Page::open("#v1/sparse-parity?n=20", trainer);
    page.trainer.0.advance(200);
    page.listen();
    let starts = page.starts();
    page.trainer.1.set(true);
    (10..150).rev().for_each(|step| page.act(Action::Scrub(step)));
    assert_eq!((page.starts(), page.state.player.run.step), (starts + 1, 10));
    assert_eq!(status_line(&page.state.player), "Going to step 10 of 200");
    page.act(Action::TogglePlay);
    page.act(Action::SingleStep);
    page.act(Action::TogglePlay);
    page.trainer.1.set(false);
    page.listen();
    assert_eq!(
        (page.starts(), page.state.player.run.step, &page.state.player.run.phase),
        (starts + 2, 10, &RunPhase::Running)
    );
}

#[test]
fn another_learning_rate_and_another_run_leave_no_end_behind() {
    let mut page = scripted(200);
    page.act(Action::Scrub(100));
    page.act(Action::Edit("lr".into(), "0.05".into()));
    assert!(page.state.player.latest_run.is_none() && page.state.player.latest_step() == 100);
    assert_eq!(page.rows().last().unwrap().step, 100);
    page.act(Action::Scrub(0));
    page.act(Action::Edit("width".into(), "10".into()));
    assert!(page.state.player.latest_run.is_none() && page.state.player.seek.is_none());
    assert_eq!(page.state.player.run.step, 0);
    page.act(Action::Scrub(7));
    assert_eq!(page.state.player.run.step, 0, "nothing has been trained yet");
}

pub(crate) mod with_a_worker {
    use std::cell::RefCell;
    use std::task::{Context, Poll, Waker};

    use super::*;
    use vivarium_training::launch::device::Device;
    use vivarium_worker::{NextSlice, Worker};

    /// The worker of the page, on this thread.
    pub struct Real {
        worker: RefCell<Worker>,
        messages: RefCell<Vec<EventMessage>>,
    }

    impl Real {
        pub fn new() -> Self {
            let worker = Worker::new(Device::cpu());
            let messages = RefCell::new(vec![worker.ready_message()]);
            Real { worker: RefCell::new(worker), messages }
        }

        /// Trains until there is nothing to do, or so many slices.
        pub fn work(&self, slices: usize) {
            for _ in 0..slices {
                let mut worker = self.worker.borrow_mut();
                let mut slice = std::pin::pin!(worker.train_slice());
                let (messages, next) = loop {
                    if let Poll::Ready(done) = slice.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                        break done;
                    }
                };
                self.messages.borrow_mut().extend(messages);
                if next == NextSlice::Idle {
                    return;
                }
            }
        }
    }

    impl Trainer for Real {
        fn send(&self, command: &Command, payload: &Payload) {
            let messages = self.worker.borrow_mut().handle(command.clone(), payload.clone());
            self.messages.borrow_mut().extend(messages);
        }
    }

    impl Trains for Real {
        fn take(&self) -> Vec<EventMessage> {
            self.messages.take()
        }
    }

    impl Page<Real> {
        fn work(&mut self, slices: usize) {
            for _ in 0..slices {
                self.trainer.work(1);
                self.listen();
            }
        }

        fn until(&mut self, done: impl Fn(&State) -> bool) {
            for _ in 0..10_000 {
                if done(&self.state) {
                    return;
                }
                self.work(1);
            }
            panic!("it never came to that");
        }
    }

    fn same_again(link: &str) {
        let mut page = Page::open(link, Real::new());
        page.until(|state| matches!(state.player.run.phase, RunPhase::Finished(_)));
        page.work(50);
        let (whole, step) = (page.rows(), page.state.player.run.step);
        let weights = page.state.player.run.weights.clone();
        assert!(whole.len() > 10, "{}", whole.len());
        for (at, play) in [(step / 2 + 1, true), (3, true), (step - 1, false), (step / 3, false)] {
            page.act(Action::Scrub(at));
            page.until(|state| state.player.run.phase == RunPhase::Paused);
            page.work(5);
            assert_eq!((page.state.player.run.step, page.state.player.run.weights.step), (at, at), "{link}");
            assert!(at > 3 || page.state.player.run.weights.values != weights.values);
            if play {
                page.act(Action::TogglePlay);
            } else {
                page.act(Action::ShowLatestStep);
            }
            page.until(|state| matches!(state.player.run.phase, RunPhase::Finished(_)));
            page.work(50);
            assert_eq!(page.rows(), whole, "{link} from {at}");
            assert_eq!(page.state.player.run.weights, weights, "bit for bit");
        }
    }

    #[test]
    fn the_same_training_is_played_again_bit_for_bit() {
        same_again("#v1/sparse-parity?n=10&k=2&width=16&held=128&every=10&steps=300&halt=steps&speed=0");
        same_again(
            "#v1/sparse-parity?opt=adam&n=10&k=2&width=16&held=128&every=7&steps=300&halt=steps&speed=0&replicas=3",
        );
        // A change of the rate on the way is part of the run, also for whoever comes from before it.
        same_again(
            "#v1/sparse-parity?n=10&k=2&width=16&held=64&every=10&steps=300&halt=steps&speed=0&lrs=100:0.02",
        );
        same_again("#v1/groups?order=5&width=8&steps=200&every=10&halt=steps&speed=0");
    }
}
