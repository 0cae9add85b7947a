//! The worker without a browser: commands in, messages out.

use vivarium::protocol::{Command, DeviceKind, EndReason, Event, EventMessage, Payload, RunError};
use vivarium::run::RunSpec;
use vivarium::training::launch::device::Device;
use vivarium::training::session::checkpoint::Checkpoint;
use vivarium::worker::{NextSlice, Worker};

use crate::{finish, session, spec};

const LINK: &str = "#v1/sparse-parity?n=10&k=2&width=16&held=128&every=10&steps=200&halt=steps";

fn start(spec: RunSpec, paused: bool) -> Command {
    Command::Start { spec, speed: 0, paused, held_out_limit: None, resting: false }
}

fn slice(worker: &mut Worker) -> (Vec<EventMessage>, NextSlice) {
    pollster::block_on(worker.train_slice())
}

/// All messages until the worker has nothing to do.
fn drain(worker: &mut Worker) -> Vec<EventMessage> {
    let mut all = vec![];
    loop {
        let (messages, next) = slice(worker);
        all.extend(messages);
        if next == NextSlice::Idle {
            return all;
        }
    }
}

fn metrics(messages: &[EventMessage]) -> Vec<vivarium::protocol::Measurement> {
    let rows = messages.iter().filter_map(|m| match &m.event {
        Event::Metrics(rows) => Some(rows.clone()),
        _ => None,
    });
    rows.flatten().collect()
}

fn has(messages: &[EventMessage], what: impl Fn(&Event) -> bool) -> bool {
    messages.iter().any(|m| what(&m.event))
}

#[test]
fn a_run_through_the_worker_is_the_run_of_the_session() {
    let mut worker = Worker::new(Device::cpu());
    let Event::Ready(report) = worker.ready_message().event else { panic!("the first message is Ready") };
    assert_eq!(report.kind, DeviceKind::Cpu);
    let began = worker.handle(start(spec(LINK), false), Payload::Empty);
    assert!(has(&began, |e| matches!(e, Event::Started { step: 0, held_out: 128, .. })));
    let messages = drain(&mut worker);
    assert_eq!(metrics(&messages), finish(&mut session(LINK)).rows);
    assert!(has(&messages, |e| *e == Event::Finished { step: 200, reason: EndReason::LastStep }));
    let weights = messages.iter().rev().find(|m| matches!(m.event, Event::Weights { .. })).unwrap();
    assert_eq!(weights.event, Event::Weights { step: 200, inputs: 10, width: 16 });
    assert!(matches!(&weights.payload, Payload::Numbers(numbers) if numbers.len() == 160));
    assert_eq!(slice(&mut worker), (vec![], NextSlice::Idle));
}

#[test]
fn paused_at_the_start_still_shows_the_first_measurement() {
    let mut worker = Worker::new(Device::cpu());
    let began = worker.handle(start(spec(LINK), true), Payload::Empty);
    assert!(has(&began, |e| *e == Event::Paused { step: 0 }));
    let messages = drain(&mut worker);
    assert_eq!(metrics(&messages).len(), 1);
    assert!(has(&messages, |e| matches!(e, Event::Weights { step: 0, .. })));
}

#[test]
fn single_steps_make_one_step_each_and_show_it() {
    let mut worker = Worker::new(Device::cpu());
    worker.handle(start(spec(LINK), true), Payload::Empty);
    drain(&mut worker);
    for step in 1..=3 {
        worker.handle(Command::Step, Payload::Empty);
        let messages = drain(&mut worker);
        assert_eq!(metrics(&messages).iter().map(|r| r.step).collect::<Vec<_>>(), [step]);
        assert!(has(&messages, |e| *e == Event::Paused { step }));
        assert!(has(&messages, |e| matches!(e, Event::Weights { step: s, .. } if *s == step)));
    }
}

#[test]
fn a_run_goes_on_to_a_step_and_waits_there_with_a_measurement() {
    let mut worker = Worker::new(Device::cpu());
    let steps = |messages: &[EventMessage]| metrics(messages).iter().map(|r| r.step).collect::<Vec<_>>();
    worker.handle(start(spec(LINK), true), Payload::Empty);
    worker.handle(Command::PlayTo(25), Payload::Empty);
    let messages = drain(&mut worker);
    assert_eq!(steps(&messages), [0, 10, 20, 25]);
    assert!(has(&messages, |e| *e == Event::Paused { step: 25 }));
    // A step that lies behind is no reason to move.
    worker.handle(Command::PlayTo(20), Payload::Empty);
    let messages = drain(&mut worker);
    assert!(has(&messages, |e| *e == Event::Paused { step: 25 }) && steps(&messages) == [25]);
    // Whoever plays on is not held.
    worker.handle(Command::PlayTo(40), Payload::Empty);
    worker.handle(Command::Play, Payload::Empty);
    assert!(has(&drain(&mut worker), |e| matches!(e, Event::Finished { step: 200, .. })));
}

#[test]
fn a_checkpoint_carries_a_run_to_another_worker() {
    let mut first = Worker::new(Device::cpu());
    first.handle(start(spec(LINK), true), Payload::Empty);
    (0..25).for_each(|_| {
        first.handle(Command::Step, Payload::Empty);
        drain(&mut first);
    });
    first.handle(Command::Pause, Payload::Empty);
    let messages = drain(&mut first);
    let checkpoint = messages.into_iter().find(|m| m.event == Event::Checkpoint { step: 25 }).unwrap();
    let mut second = Worker::new(Device::cpu());
    let began = second.handle(start(spec(LINK), false), checkpoint.payload);
    assert!(has(&began, |e| matches!(e, Event::Started { step: 25, .. })));
    let rows = metrics(&drain(&mut second));
    let expected = finish(&mut session(LINK)).rows;
    assert_eq!(rows, expected.into_iter().filter(|r| r.step >= 25).collect::<Vec<_>>());
}

#[test]
fn the_speed_limit_holds_and_can_be_lifted() {
    let mut worker = Worker::new(Device::cpu());
    let command =
        Command::Start { spec: spec(LINK), speed: 4, paused: false, held_out_limit: None, resting: false };
    worker.handle(command, Payload::Empty);
    let mut waits = 0;
    for _ in 0..20 {
        let (messages, next) = slice(&mut worker);
        assert!(!has(&messages, |e| matches!(e, Event::Finished { .. })));
        waits += usize::from(matches!(next, NextSlice::Wait(ms) if ms > 0.0));
    }
    // Most slices are over before the next step is due; the machine may hang in some.
    assert!(waits > 0, "no slice ends with a wait");
    worker.handle(Command::Speed(0), Payload::Empty);
    assert!(has(&drain(&mut worker), |e| matches!(e, Event::Finished { step: 200, .. })));
}

#[test]
fn the_learning_rate_changes_live_and_a_finished_run_can_go_on() {
    let mut worker = Worker::new(Device::cpu());
    worker.handle(start(spec(LINK), true), Payload::Empty);
    worker.handle(Command::Step, Payload::Empty);
    drain(&mut worker);
    let answer = worker.handle(Command::LearningRate(0.05), Payload::Empty);
    assert_eq!(answer, [Event::LearningRateChanged { step: 1, lr: 0.05 }.into()]);
    worker.handle(Command::Play, Payload::Empty);
    assert!(has(&drain(&mut worker), |e| matches!(e, Event::Finished { step: 200, .. })));
    worker.handle(Command::Extend(230), Payload::Empty);
    assert!(has(&drain(&mut worker), |e| *e == Event::Finished { step: 230, reason: EndReason::LastStep }));
}

#[test]
fn bad_commands_become_one_sentence_and_the_worker_lives_on() {
    let mut worker = Worker::new(Device::cpu());
    for (command, payload) in [
        (start(spec(LINK), false), Payload::Bytes(vec![1, 2, 3])),
        (
            start(
                {
                    let mut s = spec(LINK);
                    s.parse("k", "8").unwrap();
                    s.parse("n", "4").unwrap();
                    s
                },
                false,
            ),
            Payload::Empty,
        ),
    ] {
        let messages = worker.handle(command, payload);
        assert!(has(&messages, |e| matches!(
            e,
            Event::Failed(RunError::BadCheckpoint(_) | RunError::Impossible(_))
        )));
        assert_eq!(slice(&mut worker), (vec![], NextSlice::Idle));
    }
    for command in
        [Command::Play, Command::Step, Command::Pause, Command::Checkpoint, Command::LearningRate(1.0)]
    {
        worker.handle(command, Payload::Empty);
        assert_eq!(slice(&mut worker).1, NextSlice::Idle);
    }
    worker.handle(start(spec(LINK), false), Payload::Empty);
    assert_eq!(metrics(&drain(&mut worker)).len(), 21);
}

#[test]
fn a_checkpoint_is_taken_up_under_new_stopping_rules() {
    let mut run = session(LINK);
    pollster::block_on(run.advance(1e9, 30)).unwrap();
    let bytes = pollster::block_on(run.checkpoint()).unwrap().encode().unwrap();
    assert_eq!(Checkpoint::decode(&bytes).unwrap().step, 30);
    let mut longer = spec(LINK);
    longer.parse("steps", "260").unwrap();
    let mut worker = Worker::new(Device::cpu());
    worker.handle(start(longer, false), Payload::Bytes(bytes));
    assert!(has(&drain(&mut worker), |e| matches!(e, Event::Finished { step: 260, .. })));
}

/// A page asks for one run of its sweep after the other, and is told of each what it would have been told, however far the
/// GPU was ahead.
#[test]
fn runs_that_a_gpu_trains_ahead_are_reported_as_if_they_began_on_request() {
    let Some(gpu) = crate::devices::gpu() else { return };
    let sweep = spec(
        "#v1/sparse-parity?n=8&k=2&lr=0.5&replicas=3&every=10&steps=150&held=128&device=gpu&sweep=width:8_20_40_41&series=seed:1_2",
    );
    let ask = |spec: &RunSpec, resting| Command::Start {
        spec: spec.clone(),
        speed: 0,
        paused: false,
        held_out_limit: None,
        resting,
    };
    let mut worker = Worker::new(gpu.clone());
    let mut slices = vec![];
    let cells = vivarium::sweep::cells(&sweep);
    for (number, cell) in cells.iter().enumerate() {
        let began = worker.handle(ask(&cell.spec, true), Payload::Empty);
        assert!(has(&began, |e| matches!(e, Event::Started { step: 0, held_out: 128, .. })), "{began:?}");
        assert_eq!(worker.handle(Command::Sweep(Box::new(sweep.clone()), number), Payload::Empty), []);
        let mut messages = vec![];
        let mut count = 0;
        loop {
            let (new, next) = slice(&mut worker);
            messages.extend(new);
            count += 1;
            if next == NextSlice::Idle {
                break;
            }
        }
        slices.push(count);
        let options = vivarium::training::session::Options { stop_solved: true, ..Default::default() };
        let mut alone = vivarium::training::session::Session::start(&cell.spec, &gpu, options).unwrap();
        let outcome = finish(&mut alone);
        assert_eq!(metrics(&messages), outcome.rows, "run {number}");
        let mut solved = vec![None; 3];
        for message in &messages {
            if let Event::Solved { replica, step } = message.event {
                solved[replica] = Some(step);
            }
        }
        assert_eq!(solved, outcome.solved);
        let ended = Event::Finished { step: outcome.step, reason: outcome.ending.unwrap() };
        assert!(has(&messages, |e| *e == ended), "run {number}");
        let weights = messages.iter().rev().find(|m| matches!(m.event, Event::Weights { .. })).unwrap();
        let (first, width) = pollster::block_on(alone.first_layer()).unwrap();
        assert_eq!(weights.event, Event::Weights { step: outcome.step, inputs: 8, width });
        assert_eq!(weights.payload, Payload::Numbers(first), "the weights that found it");
    }
    println!("slices of each run: {slices:?}");
    assert!(slices[1..].iter().sum::<usize>() < 7 * slices[0], "they were ahead: {slices:?}");
    // Another run is begun anew, and the runs ahead are given up.
    let other = worker.handle(ask(&cells[3].spec, false), Payload::Empty);
    assert!(has(&other, |e| matches!(e, Event::Started { step: 0, .. })));
    assert_eq!(metrics(&drain(&mut worker)), finish(&mut crate::session_on(&cells[3].spec, &gpu)).rows);
}

/// A person who pauses a sweep pauses what is ahead of it too, and is answered at once.
#[test]
fn a_sweep_that_is_paused_trains_nothing_ahead() {
    let Some(gpu) = crate::devices::gpu() else { return };
    let sweep = spec(
        "#v1/sparse-parity?n=30&k=3&m=400&replicas=4&every=100&held=128&device=gpu&sweep=width:10_30&series=seed:1_2",
    );
    let cells = vivarium::sweep::cells(&sweep);
    let mut worker = Worker::new(gpu);
    let command = Command::Start {
        spec: cells[0].spec.clone(),
        speed: 0,
        paused: false,
        held_out_limit: None,
        resting: true,
    };
    worker.handle(command, Payload::Empty);
    worker.handle(Command::Sweep(Box::new(sweep), 0), Payload::Empty);
    for _ in 0..6 {
        slice(&mut worker);
    }
    let answer = worker.handle(Command::Pause, Payload::Empty);
    assert!(has(&answer, |e| matches!(e, Event::Paused { .. })));
    drain(&mut worker);
    assert_eq!(slice(&mut worker), (vec![], NextSlice::Idle), "nothing goes on unseen");
}
