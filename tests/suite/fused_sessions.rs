//! Whole sessions on the fused kernels: how their launches are cut must not show.
//!
//! Without a GPU adapter (a simulated one is enough) these tests are reported as skipped, and fail in CI.

use vivarium::kernels::plan::{Limits, Network, Plan};
use vivarium::protocol::{EndReason, Event};
use vivarium::training::launch::device::Device;
use vivarium::training::session::{Options, Session};

use crate::devices::gpu;
use crate::spec;

fn start(link: &str, device: &Device) -> Session {
    let session = Session::start(&spec(link), device, Options::default()).unwrap();
    assert!(session.learner().starts_with("fused kernels"), "{}", session.learner());
    session
}

const RUN: &str =
    "#v1/sparse-parity?n=10&k=2&width=24&lr=0.2&held=256&every=10&steps=300&halt=steps&replicas=2&device=gpu";

#[test]
fn however_a_run_is_sliced_it_gives_the_same_bits() {
    let Some(gpu) = gpu() else { return };
    let whole = pollster::block_on(start(RUN, &gpu).finish(|_| {})).unwrap();
    assert_eq!(whole.rows.len(), 31);
    let mut session = start(RUN, &gpu);
    let mut rows = vec![];
    let mut most = 1;
    while !session.finished() {
        for event in pollster::block_on(session.advance(0.0, most)).unwrap() {
            if let Event::Metrics(new) = event {
                rows.extend(new);
            }
        }
        most = most % 7 + 1;
    }
    assert_eq!(whole.rows, rows);
    let again = pollster::block_on(start(RUN, &gpu).finish(|_| {})).unwrap();
    assert_eq!(whole, again, "a GPU repeats itself");
}

#[test]
fn a_run_that_reaches_its_target_stands_where_it_was_reached() {
    let Some(gpu) = gpu() else { return };
    let link = RUN.replace("&halt=steps", "").replace("steps=300", "steps=20000");
    let mut session = start(&link, &gpu);
    let outcome = pollster::block_on(session.finish(|_| {})).unwrap();
    let reached = outcome.solved.iter().flatten().copied().max().unwrap();
    assert_eq!((outcome.ending, outcome.step), (Some(EndReason::Target), reached));
    assert_eq!(outcome.rows.last().unwrap().step, reached);
    let row = pollster::block_on(session.measure()).unwrap();
    assert!(row.test_accuracy.contains(&1.0));
    // The same weights as a run that was made to stop there.
    let stopped = RUN.replace("steps=300", &format!("steps={reached}"));
    let mut other = start(&stopped, &gpu);
    pollster::block_on(other.finish(|_| {})).unwrap();
    let [a, b] = [&session, &other].map(|s| pollster::block_on(s.checkpoint()).unwrap().weights);
    assert_eq!(a, b);
}

#[test]
fn a_checkpoint_of_one_learner_goes_on_in_another() {
    let Some(gpu) = gpu() else { return };
    let link = RUN.replace("lr=0.2", "opt=adam&lr=0.01&eps=0.0001");
    let whole = pollster::block_on(start(&link, &gpu).finish(|_| {})).unwrap();
    let mut first = start(&link, &gpu);
    while first.step() < 150 {
        pollster::block_on(first.advance(1e9, 150 - first.step())).unwrap();
    }
    let checkpoint = pollster::block_on(first.checkpoint()).unwrap();
    for device in [&gpu, &Device::cpu()] {
        let mut rest = Session::resume(&checkpoint, device, Options::default()).unwrap();
        let rows = pollster::block_on(rest.finish(|_| {})).unwrap().rows;
        assert_eq!(rows.len(), 16, "the checkpoint's own step is measured again");
        for (a, b) in whole.rows[15..].iter().zip(&rows) {
            assert_eq!(a.step, b.step);
            if device.report() == gpu.report() {
                assert_eq!(a, b);
            }
            let apart = (a.test_loss[0] - b.test_loss[0]).abs();
            assert!(apart < 1e-3, "step {}: {apart}", a.step);
        }
    }
}

#[test]
fn a_diverged_run_stands_at_its_last_good_measurement() {
    let Some(gpu) = gpu() else { return };
    let link = "#v1/sparse-parity?n=10&k=2&width=32&act=power&degree=4&lr=50&loss=square&every=1&held=64&steps=400&halt=steps&device=gpu";
    let mut session = start(link, &gpu);
    let outcome = pollster::block_on(session.finish(|_| {})).unwrap();
    assert_eq!(outcome.ending, Some(EndReason::Diverged));
    assert_eq!(outcome.rows.last().unwrap().step, outcome.step);
    let weights = pollster::block_on(session.checkpoint()).unwrap().weights;
    assert!(weights.parameters.iter().flatten().all(|w| w.is_finite()));
}

#[test]
fn learning_rates_set_on_the_way_and_single_steps_are_obeyed() {
    let Some(gpu) = gpu() else { return };
    let mut session = start(RUN, &gpu);
    for _ in 0..3 {
        let before = session.step();
        pollster::block_on(session.advance(1e9, 1)).unwrap();
        assert_eq!(session.step(), before + 1, "one step is one step");
    }
    session.set_learning_rate(0.05);
    let live = pollster::block_on(session.finish(|_| {})).unwrap();
    let recorded = session.spec().clone();
    assert_eq!(recorded.run.schedule, [(3, 0.05)]);
    let mut replay = Session::start(&recorded, &gpu, Options::default()).unwrap();
    let replayed = pollster::block_on(replay.finish(|_| {})).unwrap();
    assert_eq!(live.rows, replayed.rows[1..], "the first row came before the loop");
}

fn network(link: &str) -> Network {
    Network::of(&spec(link)).unwrap()
}

#[test]
fn what_does_not_fit_a_gpu_is_refused_in_a_sentence() {
    let small = Limits { lanes: 256, workgroup_bytes: 4096, buffer_bytes: 1 << 27, turns: u64::MAX };
    let why = Plan::tiled(network("#v1/sparse-parity?n=512"), 1, small).unwrap_err();
    assert!(why.contains("KiB of workgroup memory"), "{why}");
    let usual = Limits { workgroup_bytes: 16384, ..small };
    for link in ["#v1/sparse-parity?n=512&width=4096&batch=4096", "#v1/sparse-parity?model=polynet&degree=8"]
    {
        assert!(Plan::tiled(network(link), 1, usual).is_ok(), "16 KiB, which WebGPU promises, suffice");
    }
    let Some(gpu) = gpu() else { return };
    // Too large for either learner: a sentence, instead of a driver's words.
    let huge = "#v1/sparse-parity?width=1000&replicas=1200&held=64&device=gpu";
    if let Err(failure) = Session::start(&spec(huge), &gpu, Options::default()) {
        assert!(failure.to_string().starts_with("this run needs a buffer of 229 MiB"), "{failure}");
    }
    // Weights and two moments of all replicas in one buffer: more than a simulated GPU binds.
    let large = "#v1/sparse-parity?opt=adam&width=200&replicas=1500&held=64&device=gpu";
    let session = Session::start(&spec(large), &gpu, Options::default()).unwrap();
    if !session.learner().starts_with("fused kernels") {
        let Event::Started { learner, note, .. } = session.started() else { panic!() };
        assert!(
            learner.contains("autodiff") && note.starts_with("Fused kernels do not fit this GPU"),
            "{note}"
        );
        assert!(note.ends_with('.') && note.contains("MiB"), "{note}");
    }
}

#[test]
fn every_division_of_the_work_covers_it() {
    let limits = Limits { lanes: 256, workgroup_bytes: 16384, buffer_bytes: 1 << 27, turns: u64::MAX };
    let base = network("#v1/sparse-parity");
    for inputs in [2, 3, 7, 33, 50, 512] {
        for width in [1, 2, 9, 100, 257, 4096] {
            for batch in [1, 5, 32, 33, 4096] {
                for replicas in [1, 4096] {
                    let plan =
                        Plan::tiled(Network { inputs, width, batch, ..base }, replicas, limits).unwrap();
                    let what = format!("{inputs} inputs, width {width}, batch {batch}, {replicas}: {plan:?}");
                    assert!(plan.lanes <= 256 && plan.lanes >= plan.block.max(4), "{what}");
                    assert!(plan.bands() * plan.columns <= plan.lanes, "{what}");
                    assert!(plan.bands() * plan.examples == plan.block, "{what}");
                    assert!(plan.passes * plan.units * plan.columns >= width, "{what}");
                    assert!(plan.row_passes * plan.rows * plan.groups() >= inputs, "{what}");
                    assert!(plan.examples * plan.units <= 32 && plan.rows * plan.units <= 32, "{what}");
                }
            }
        }
    }
}
