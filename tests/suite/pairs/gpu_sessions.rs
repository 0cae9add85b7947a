//! Whole sessions on the kernels of pairs: how they are cut into launches, stopped and taken up must not show.

use vivarium::protocol::{EndReason, Event, RunError};
use vivarium::training::launch::device::Device;
use vivarium::training::session::{Options, Outcome, Session};

use super::learners::sliced;
use super::{apart, block_on, fields, weights};
use crate::devices::gpu;
use crate::{finish, session, spec};

const RUN: &str = "#v1/groups?n=5&width=12&eps=0.0001&steps=60&every=5&seed=4&replicas=2";

/// A session on the GPU, on our kernels.
fn start(link: &str, gpu: &Device) -> Session {
    let session = Session::start(&spec(&format!("{link}&device=gpu")), gpu, Options::default()).unwrap();
    assert!(session.learner().starts_with("fused kernels"), "{}", session.learner());
    session
}

/// Rows of two runs, which may differ by rounding.
fn close(a: &Outcome, b: &Outcome, link: &str) {
    assert_eq!((a.rows.len(), a.step, a.ending), (b.rows.len(), b.step, b.ending), "{link}");
    for (a, b) in a.rows.iter().zip(&b.rows) {
        assert_eq!(a.step, b.step);
        for ((name, a), (_, b)) in fields(a).into_iter().zip(fields(b)) {
            let allowed = if name.contains("accuracy") { 0.05 } else { 5e-3 };
            assert!(apart(a, b) <= allowed, "{link}: {name}: {a:?} {b:?}");
        }
    }
}

#[test]
fn the_kernels_give_the_same_bits_however_they_are_sliced() {
    let Some(gpu) = gpu() else { return };
    for rest in ["", "&frac=0.5", "&lambdas=13:0.01&lrs=27:0.003&act=relu&nu=2"] {
        let link = format!("{RUN}{rest}");
        let mut whole = start(&link, &gpu);
        let outcome = finish(&mut whole);
        let expected = (outcome.rows.clone(), weights(&whole).parameters);
        assert_eq!(expected.0.len(), 13, "{link}");
        for (budget_ms, slices) in [(0.0, [1_000_000].as_slice()), (1e9, &[1_000_000]), (1e9, &[1, 3, 7])] {
            assert_eq!(sliced(start(&link, &gpu), budget_ms, slices), expected, "{link} by {slices:?}");
        }
        assert_eq!(finish(&mut start(&link, &gpu)), outcome, "{link} again");
        close(&finish(&mut session(&link)), &outcome, &link);
    }
}

#[test]
fn a_run_that_reaches_its_target_stands_where_it_was_reached() {
    let Some(gpu) = gpu() else { return };
    for rest in ["n=5&seed=1", "n=7&frac=0.9&target=0.5&seed=2"] {
        let link = format!("#v1/groups?{rest}&width=24&eps=0.0001&lr=0.02&every=3&halt=target&steps=2000");
        let mut run = start(&link, &gpu);
        let outcome = finish(&mut run);
        let reached = outcome.solved[0].expect("it reaches its target");
        assert_eq!((outcome.ending, outcome.step, run.step()), (Some(EndReason::Target), reached, reached));
        assert_eq!(outcome.rows.last().unwrap().step, reached);
        assert!(reached > 3 && reached.is_multiple_of(3), "{reached}");
        let stopped =
            link.replace("halt=target", "halt=steps").replace("steps=2000", &format!("steps={reached}"));
        let mut again = start(&stopped, &gpu);
        finish(&mut again);
        assert_eq!(weights(&run), weights(&again), "{link}: the same steps, cut differently");
        let mut on_cpu = session(&stopped);
        finish(&mut on_cpu);
        for (a, b) in weights(&on_cpu).parameters.iter().zip(&weights(&run).parameters) {
            assert!(apart(a, b) < 5e-3, "{link}: {}", apart(a, b));
        }
        // It was measured there, and looking again gives the same.
        assert_eq!(block_on(run.measure()).unwrap(), *outcome.rows.last().unwrap());
    }
}

#[test]
fn a_diverged_run_stands_at_its_last_good_measurement() {
    const LINK: &str = "#v1/groups?n=5&width=12&std=1&opt=sgd&lr=1&every=2&steps=400&lrs=10:100&seed=1";
    let gone = |mut run: Session| {
        let outcome = finish(&mut run);
        assert_eq!(outcome.ending, Some(EndReason::Diverged), "{}", run.learner());
        assert_eq!(outcome.rows.last().unwrap().step, outcome.step);
        assert!((10..400).contains(&outcome.step), "{}", outcome.step);
        let left = weights(&run);
        assert!(left.parameters.iter().flatten().all(|w| w.is_finite()));
        // The weights are those of that step.
        let row = block_on(run.measure()).unwrap();
        assert_eq!(row.train_loss, outcome.rows.last().unwrap().train_loss);
        (left, LINK.replace("steps=400", &format!("steps={}", outcome.step)))
    };
    let (left, stopped) = gone(session(LINK));
    let mut plain = session(&stopped);
    finish(&mut plain);
    assert_eq!(weights(&plain), left);
    let Some(gpu) = gpu() else { return };
    let (left, stopped) = gone(start(LINK, &gpu));
    let mut plain = start(&stopped, &gpu);
    finish(&mut plain);
    assert_eq!(weights(&plain), left);
}

#[test]
fn a_checkpoint_of_one_learner_goes_on_in_another() {
    let Some(gpu) = gpu() else { return };
    for rule in ["eps=0.0001", "opt=sgd&lr=0.3&mom=0.9", "eps=0.0001&frac=0.5&lambdas=40:0.0001&lrs=35:0.002"]
    {
        let link = RUN.replace("eps=0.0001", rule);
        let cpu = Device::cpu();
        let devices = [&cpu, &gpu];
        let wholes = [finish(&mut session(&link)), finish(&mut start(&link, &gpu))];
        for (from, whole) in wholes.iter().enumerate() {
            let mut first = if from == 0 { session(&link) } else { start(&link, &gpu) };
            while first.step() < 30 {
                block_on(first.advance(1e9, 30 - first.step())).unwrap();
            }
            let checkpoint = block_on(first.checkpoint()).unwrap();
            for (to, device) in devices.iter().enumerate() {
                let mut rest = Session::resume(&checkpoint, device, Options::default()).unwrap();
                assert!(rest.learner().starts_with("fused"), "{}", rest.learner());
                let outcome = finish(&mut rest);
                assert_eq!(outcome.rows.len(), 7, "the checkpoint's own step is measured again");
                let expected = Outcome { rows: whole.rows[6..].to_vec(), ..whole.clone() };
                if from == to {
                    assert_eq!(outcome.rows, expected.rows, "{link} from {from}");
                } else {
                    close(&expected, &outcome, &link);
                }
            }
        }
    }
}

#[test]
fn learning_rates_set_on_the_way_are_obeyed() {
    let Some(gpu) = gpu() else { return };
    let mut live = start(RUN, &gpu);
    while live.step() < 13 {
        block_on(live.advance(1e9, 13 - live.step())).unwrap();
    }
    live.set_learning_rate(0.002);
    finish(&mut live);
    let mut replay = start(&format!("{RUN}&lrs=13:0.002"), &gpu);
    finish(&mut replay);
    assert_eq!(weights(&live), weights(&replay));
    assert_eq!(live.spec(), replay.spec());
}

#[test]
fn what_the_kernels_do_not_cover_falls_to_autodiff_and_says_so() {
    let Some(gpu) = gpu() else { return };
    for rest in ["batch=7", "frac=0.5&batch=3"] {
        let link = format!("#v1/groups?n=5&width=6&steps=4&every=2&{rest}");
        let mut run = Session::start(&spec(&format!("{link}&device=gpu")), &gpu, Options::default()).unwrap();
        let Event::Started { learner, note, .. } = run.started() else {
            panic!("the first event is Started")
        };
        assert!(learner.contains("autodiff"), "{learner}");
        assert_eq!(note, "Fused kernels do not cover this network: a step uses only a part of the sample.");
        close(&finish(&mut session(&link)), &finish(&mut run), &link);
    }
}

#[test]
fn what_is_too_large_for_a_gpu_is_refused_in_a_sentence() {
    let Some(gpu) = gpu() else { return };
    // 256 MiB of hidden neurons, or of outputs.
    for link in [
        "#v1/groups?n=16&width=256&replicas=1024&learner=autodiff&device=gpu",
        "#v1/groups?n=128&width=100&replicas=32&device=gpu",
    ] {
        match Session::start(&spec(link), &gpu, Options::default()) {
            Err(RunError::TooLarge(said)) => {
                assert!(said.starts_with("this run needs a buffer of 256 MiB, and the GPU takes "), "{said}");
            }
            Err(other) => panic!("{link}: {other}"),
            Ok(session) => {
                let Event::Started { learner, note, .. } = session.started() else { panic!("no start") };
                let said = if link.contains("autodiff") { "" } else { "Fused kernels do not fit this GPU: " };
                let is_fused = learner.starts_with("fused kernels");
                assert!(
                    is_fused || note.starts_with(said) && learner.contains("autodiff"),
                    "{learner}, {note}"
                );
            }
        }
    }
}
