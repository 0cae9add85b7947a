//! Runs that share their launches on a GPU: each is what it would have been alone, bit for bit.
//!
//! Without a GPU adapter (a simulated one is enough) these tests are reported as skipped, and fail in CI.

use vivarium::run::RunSpec;
use vivarium::sweep::cells;
use vivarium::training::gpu::learner::Company;
use vivarium::training::gpu::one_hidden_layer::OneHiddenLayerGpu;
use vivarium::training::launch::batch_queue::{BatchQueue, covers};
use vivarium::training::launch::device::Device;
use vivarium::training::session::learner::{Learner, Segment};
use vivarium::training::session::{Options, Outcome, Session};

use crate::devices::{gpu, tolerance};
use crate::{finish, spec};

const STOP_SOLVED: Options = Options { held_out_limit: None, stop_solved: true, cores: 1 };

/// What the runs come to in the queue, in their order, and the most of them that trained at once.
fn together(specs: &[RunSpec], gpu: &Device) -> (Vec<Outcome>, usize) {
    let mut queue = BatchQueue::new(gpu, STOP_SOLVED);
    for (number, spec) in specs.iter().enumerate() {
        assert!(covers(spec));
        queue.add(number, spec.clone());
    }
    let (mut outcomes, mut most) = (vec![Outcome::default(); specs.len()], 0);
    while !queue.is_empty() {
        for run in pollster::block_on(queue.advance(0.0)).unwrap() {
            let (number, outcome) = (run.number, run.outcome());
            assert_eq!(outcomes[number], Outcome::default(), "run {number} ends once");
            outcomes[number] = outcome;
        }
        most = most.max(queue.under_way().0);
    }
    (outcomes, most)
}

fn alone(spec: &RunSpec, device: &Device) -> Outcome {
    finish(&mut Session::start(spec, device, STOP_SOLVED).unwrap())
}

fn specs(link: &str) -> Vec<RunSpec> {
    cells(&spec(link)).into_iter().map(|cell| cell.spec).collect()
}

/// Every number as its bits, so that what is no number is compared too.
fn bits(outcome: &Outcome) -> Vec<u32> {
    let columns = |row: &vivarium::protocol::Measurement| {
        [&row.train_loss, &row.train_accuracy, &row.test_loss, &row.test_accuracy].map(Clone::clone).concat()
    };
    outcome.rows.iter().flat_map(columns).map(f32::to_bits).collect()
}

#[test]
fn cells_that_share_launches_are_their_runs_done_singly_bit_for_bit() {
    let Some(gpu) = gpu() else { return };
    let rest = "replicas=3&steps=120&every=10&held=128&device=gpu";
    for link in [
        // Widths and sizes of the sample, some of which never find it, with noise and decay.
        "#v1/sparse-parity?n=10&k=2&lr=0.5&wd=0.01&sweep=width:5_24_60_130&series=m:40_100_8",
        // Inputs and relevant bits, fresh data; one of many more inputs than the others.
        "#v1/sparse-parity?width=24&lr=1&batch=16&sweep=n:6_8_40&series=k:2_3",
        // Fresh labels with noise and without; columns that leave the last lanes of a launch without work.
        "#v1/sparse-parity?n=9&k=2&lr=0.3&sweep=noise:0_0.2&series=width:12_40",
        // Numbers of the update rule, over batches of several blocks, the last one partial.
        "#v1/sparse-parity?opt=adam&n=8&k=2&width=20&batch=75&m=90&eps=0.0001&sweep=lr:0.001_0.01_0.1&series=wd:0_0.1",
        "#v1/sparse-parity?n=8&k=2&width=20&mom=0.9&loss=square&sweep=lr:0.01_0.1_30&series=seed:0_7",
        "#v1/sparse-parity?n=8&k=2&width=30&m=64&lr=0.3&sweep=init:uniform_sparse_sign&series=seed:0_3",
        "#v1/sparse-parity?n=10&k=2&lr=0.3&sweep=width:40_41&series=layout:anywhere_blocks",
        "#v1/sparse-parity?model=polynet&n=9&k=2&lr=0.03&sweep=degree:2_3_4",
        // Runs that differ in what a kernel is compiled for, in length and in rhythm.
        "#v1/sparse-parity?n=8&k=2&width=16&lr=0.5&sweep=loss:hinge_ce&series=every:10_15",
        "#v1/sparse-parity?n=8&k=2&width=16&lr=0.5&sweep=steps:7_40_95&series=halt:target_steps",
    ] {
        let specs = specs(&format!("{link}&{rest}"));
        let (found, most) = together(&specs, &gpu);
        assert!(most > 1, "{link}: they train at once");
        for (number, (spec, found)) in specs.iter().zip(&found).enumerate() {
            let alone = alone(spec, &gpu);
            assert_eq!(
                (&found.solved, found.ending, found.step),
                (&alone.solved, alone.ending, alone.step),
                "{link}: {number}"
            );
            assert_eq!(bits(found), bits(&alone), "{link}: run {number}");
        }
    }
}

/// Networks on pairs, sequences and prompts share launches where they have one shape; others train beside them.
#[test]
fn runs_of_other_families_that_share_launches_are_their_runs_done_singly_bit_for_bit() {
    let Some(gpu) = gpu() else { return };
    let groups = "#v1/groups?n=5&width=12&steps=60&every=10&device=gpu&learner=fused";
    let markov = "#v1/markov?k=2&t=12&d=8&batch=4&steps=24&every=6&held=64&device=gpu&learner=fused";
    let prompts = "#v1/sparse-token-regression?n=6&batch=4&steps=24&every=6&held=64&device=gpu&learner=fused";
    for (link, at_once) in [
        // One workgroup for a network: seeds and rates, in which nothing is held out, and two replicas each.
        (format!("{groups}&replicas=2&sweep=seed:0_1_2&series=lr:0.01_0.003"), 6),
        // Held-out pairs, which are each seed's own; penalties that differ, and one that changes on the way.
        (format!("{groups}&frac=0.6&sweep=seed:3_4_5&series=lambda:0.001_0.0001"), 6),
        (format!("{groups}&frac=0.6&lambdas=25:1e-5&sweep=seed:3_4"), 2),
        // Two shapes in one sweep, one rate at which networks diverge in the middle of a slice.
        (format!("{groups}&opt=sgd&mom=0.5&sweep=width:8_12&series=lr:0.1_100"), 4),
        // Sequences: each seed's own chains and held-out contexts, decay and momentum of Adam.
        (format!("{markov}&replicas=2&sweep=seed:0_1_2&series=lr:0.01_0.03"), 6),
        (format!("{markov}&opt=sgd&sweep=wd:0_0.1&series=heads:1_1.1"), 4),
        // Prompts: each seed's own, or shared by rates; finite samples with noise and without, of each replica its own.
        (format!("{prompts}&width=12&replicas=2&sweep=seed:0_1_2&series=lr:0.01_0.03"), 6),
        (format!("{prompts}&width=12&replicas=2&m=16&sweep=seed:0_1&series=noise:0_0.3"), 4),
        // Tables that are made of codes, in two shapes, one rate at which networks diverge.
        (format!("{prompts}&codes=random&de=5&opt=sgd&sweep=width:8_12&series=lr:0.01_100"), 4),
        (format!("{prompts}&model=token-mlp&widths=10.7&replicas=2&sweep=seed:0_1_2&series=wd:0_0.1"), 6),
    ] {
        let specs = specs(&link);
        let (found, most) = together(&specs, &gpu);
        assert_eq!(most, at_once, "{link}: they train at once");
        for (number, (spec, found)) in specs.iter().zip(&found).enumerate() {
            let alone = alone(spec, &gpu);
            assert!(!alone.rows.is_empty(), "{link}: {number}");
            assert_eq!(
                (&found.solved, found.ending, found.step),
                (&alone.solved, alone.ending, alone.step),
                "{link}: {number}"
            );
            // As text, in which every number is exact and one that is no number equals itself.
            assert_eq!(format!("{:?}", found.rows), format!("{:?}", alone.rows), "{link}: run {number}");
        }
    }
}

#[test]
fn cells_that_share_launches_are_what_the_processor_gives() {
    let Some(gpu) = gpu() else { return };
    let link = "#v1/sparse-parity?n=11&k=3&lr=0.2&wd=0.01&replicas=2&steps=100&every=5&held=256&halt=steps\
                &sweep=width:7_30_100&series=m:0_200";
    let specs = specs(link);
    let (found, _) = together(&specs, &gpu);
    for (spec, found) in specs.iter().zip(&found) {
        let expected = alone(spec, &Device::cpu());
        assert_eq!(expected.rows.len(), found.rows.len());
        for (a, b) in expected.rows.iter().zip(&found.rows) {
            assert_eq!(a.step, b.step);
            for (a, b) in [(&a.train_loss, &b.train_loss), (&a.test_loss, &b.test_loss)] {
                for (a, b) in a.iter().zip(b) {
                    assert!((a - b).abs() <= tolerance(found.step) * (1.0 + a), "{a} {b}");
                }
            }
        }
    }
}

/// Networks that have found it leave the launches, with the weights that found it; the others go on as they would have.
#[test]
fn networks_that_rest_leave_their_launches_and_keep_their_weights() {
    let Some(gpu) = gpu() else { return };
    let link = "#v1/sparse-parity?n=8&k=2&width=24&lr=0.5&replicas=6&steps=300&every=5&held=128&device=gpu";
    let (first, second) = (spec(link), spec(&link.replace("width=24", "width=9")));
    let (shared, mut learners) = OneHiddenLayerGpu::batch(&[first.clone(), second]).unwrap();
    assert_eq!(shared.awake(), 12);
    let (mut awake, mut rested) = (vec![], vec![None; 6]);
    let mut at = [(0, None); 2];
    while awake.last() != Some(&0) && at[0].0 < 300 {
        for (which, learner) in learners.iter_mut().enumerate() {
            let segment = Segment {
                spec: &first,
                from: at[which].0,
                until: 300,
                last: 300,
                measured: at[which].1,
                held_out: 128,
                deadline_ms: f64::INFINITY,
            };
            let progress = pollster::block_on(learner.advance(&segment)).unwrap();
            at[which].0 = progress.step;
            for row in progress.rows {
                at[which].1 = Some(row.step);
                learner.remember(row.step);
                for replica in (0..6).filter(|_| which == 0) {
                    if rested[replica].is_none() && row.test_accuracy[replica] == 1.0 {
                        rested[replica] = Some(row.step);
                        learner.stop_replica(replica, &row);
                    }
                }
            }
        }
        awake.push(shared.awake());
    }
    assert!(awake.windows(2).all(|pair| pair[0] >= pair[1]), "{awake:?}");
    let found = rested.iter().flatten().count();
    assert!(found >= 3, "{rested:?}");
    assert_eq!(*awake.last().unwrap(), 12 - found);
    let weights = pollster::block_on(learners[0].weights()).unwrap();
    for (replica, step) in rested.iter().enumerate().filter_map(|(r, step)| Some((r, (*step)?))) {
        let stopped = spec(&format!("{}&halt=steps", link.replace("steps=300", &format!("steps={step}"))));
        let mut session = Session::start(&stopped, &gpu, Options::default()).unwrap();
        finish(&mut session);
        let other = pollster::block_on(session.checkpoint()).unwrap().weights;
        for (a, b) in weights.parameters.iter().zip(&other.parameters) {
            let own = a.len() / 6;
            assert_eq!(a[replica * own..][..own], b[replica * own..][..own], "network {replica} at {step}");
        }
    }
}

/// A run of a batch that ends, diverges, is saved or goes on is where it would have been.
#[test]
fn a_session_does_not_know_that_it_has_company() {
    let Some(gpu) = gpu() else { return };
    let link = "#v1/sparse-parity?n=8&k=2&act=power&degree=3&loss=square&width=16&replicas=2&steps=60&every=5\
                &held=64&halt=steps&device=gpu&sweep=lr:0.01_0.05_100";
    let specs = specs(link);
    let (found, _) = together(&specs, &gpu);
    assert_eq!(found[2].ending, Some(vivarium::protocol::EndReason::Diverged));
    for (spec, found) in specs.iter().zip(&found) {
        let alone = alone(spec, &gpu);
        assert_eq!((bits(found), found.step, found.ending), (bits(&alone), alone.step, alone.ending));
    }
}

#[test]
fn those_who_cancel_wait_for_one_launch() {
    let Some(gpu) = gpu() else { return };
    let link = "#v1/sparse-parity?n=30&k=3&m=400&replicas=10&every=100&held=512&device=gpu&sweep=width:10_30_100&series=seed:1_2";
    let mut queue = BatchQueue::new(&gpu, STOP_SOLVED);
    specs(link).into_iter().enumerate().for_each(|(number, spec)| queue.add(number, spec));
    // The first three launches make one step each; how later ones grow is tested where their size is chosen.
    for slice in 1..=3 {
        pollster::block_on(queue.advance(0.0)).unwrap();
        let (_, networks) = queue.under_way();
        assert!(queue.network_steps() <= slice * networks as u64, "more than one launch in slice {slice}");
    }
    assert!(queue.network_steps() > 0);
}

#[test]
fn a_gpu_sweep_of_the_command_line_is_its_runs() {
    if gpu().is_none() {
        return;
    }
    let link = "#v1/sparse-parity?width=24&lr=1&batch=16&replicas=3&steps=100&every=5&held=128&sweep=n:6_8_20&series=k:2_3";
    let path = std::env::temp_dir().join(format!("vivarium-batched-{}.csv", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let arguments = ["sweep", link, "--device", "gpu", "-o", path.to_str().unwrap()];
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_lab")).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && !said.contains("(CPU,"), "{said}");
    let gpu = gpu().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let mut lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    for (number, spec) in specs(&format!("{link}&device=gpu")).iter().enumerate() {
        let alone = alone(spec, &gpu);
        for (replica, solved) in alone.solved.iter().enumerate() {
            let line: Vec<&str> = lines.next().unwrap().split(',').collect();
            // Behind the two settings and the seed comes the relevant set.
            assert_eq!((line[0], line[5]), (&*number.to_string(), &*replica.to_string()), "{line:?}");
            let reached = solved.map_or(String::new(), |step| step.to_string());
            assert_eq!((line[6], line[7]), (if solved.is_some() { "1" } else { "0" }, &*reached));
            let step = solved.unwrap_or(alone.step);
            assert_eq!((line[8], line[9]), ("100", &*step.to_string()));
            let row = alone.rows.iter().find(|row| row.step == step).unwrap();
            assert_eq!(line[10], row.train_loss[replica].to_string());
            assert_eq!(line[13], row.test_accuracy[replica].to_string());
        }
    }
    assert!(lines.next().is_none());
}
