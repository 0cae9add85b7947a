//! Probes through the worker, against the double-precision reference on the whole cube; and closed forms of training.

use vivarium::analysis::{disjoint, walsh};
use vivarium::labs;
use vivarium::labs::parity::probes::{ATTENTION, GAP, SPECTRUM};
use vivarium::probing::Probe;
use vivarium::protocol::{Command, Ending, Event, Finding, Message, Payload, Row};
use vivarium::run::RunSpec;
use vivarium::tasks::Batch;
use vivarium::training::launch::device::Device;
use vivarium::training::session::{Options, Session};
use vivarium::worker::{Next, Worker};

use crate::reference::Reference;
use crate::{finish, session, spec};

/// Models with a first layer, on 8 bits.
const MODELS: &[&str] = &[
    "width=6&loss=ce",
    "width=5&act=sin&loss=square&init=gaussian",
    "width=4&act=zigzag&second=ones&loss=corr",
    "model=polynet&init=gaussian",
    "model=disjoint-polynet&loss=ce",
    "model=deep-mlp&widths=4.2&init=gaussian",
];

fn weights(spec: &RunSpec) -> Vec<Vec<f32>> {
    spec.initial()
}

fn found(probe: Probe, spec: &RunSpec, weights: Vec<Vec<f32>>) -> Finding {
    labs::measured(&probe.id(), spec, 0, weights).unwrap()
}

/// Every point of the cube once, with its label.
fn cube(spec: &RunSpec, inputs: usize) -> Batch {
    let relevant = spec.task.examples().relevant(spec.run.seed);
    let mut batch = Batch::default();
    for point in 0..1usize << inputs {
        let x: Vec<f32> = (0..inputs).map(|i| if point >> i & 1 == 1 { -1.0 } else { 1.0 }).collect();
        batch.y.push(relevant.iter().map(|i| x[*i]).product());
        batch.x.extend(x);
    }
    batch
}

/// The population gradient is the gradient of the mean loss over the whole cube.
#[test]
fn the_gap_is_that_of_the_gradient_over_the_whole_cube() {
    for model in MODELS {
        let spec = spec(&format!("#v1/sparse-parity?n=8&k=3&{model}&seed=3"));
        let relevant = spec.task.examples().relevant(3);
        let net = Reference::new(&spec.model, spec.run.loss, 8, &weights(&spec));
        let gradient = &net.gradients(&cube(&spec, 8))[0];
        // A Disjoint-PolyNet keeps one weight per input, each in the form of its block.
        let columns = gradient.len() / 8;
        let entries = |j: usize, inside: bool| {
            let rows = (0..8).filter(move |i| relevant.contains(i) == inside).collect::<Vec<_>>();
            rows.into_iter().map(move |i| gradient[i * columns + j].abs()).collect::<Vec<f64>>()
        };
        let [relaxed, strict, error] = found(GAP, &spec, weights(&spec)).few[..] else { panic!("a gap") };
        assert_eq!(error, 0.0);
        if model.contains("disjoint") {
            continue; // its forms have inputs outside of their block, which have no weight
        }
        let top = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
        let gaps: Vec<(f64, f64)> = (0..columns)
            .map(|j| {
                let (inside, outside) = (entries.clone()(j, true), entries.clone()(j, false));
                (top(&inside) - top(&outside), least(&inside) - top(&outside))
            })
            .collect();
        let best = gaps.iter().copied().reduce(|a, b| if b.0 > a.0 { b } else { a }).unwrap();
        assert!((best.0 - relaxed).abs() < 1e-6, "{model}: {relaxed} against {}", best.0);
        assert!((best.1 - strict).abs() < 1e-6, "{model}: {strict} against {}", best.1);
    }
}

#[test]
fn the_spectrum_is_that_of_the_output_on_every_point() {
    for model in MODELS.iter().chain(&["model=parity-transformer&demb=6&dattn=2&heads=2&dmlp=4"]) {
        let spec = spec(&format!("#v1/sparse-parity?n=8&k=3&{model}&seed=4"));
        let net = Reference::new(&spec.model, spec.run.loss, 8, &weights(&spec));
        let batch = cube(&spec, 8);
        let mut values: Vec<f64> = batch.x.chunks(8).map(|x| net.output(x)).collect();
        let norm: f64 = values.iter().map(|f| f * f).sum::<f64>() / 256.0;
        let target: f64 = values.iter().zip(&batch.y).map(|(f, y)| f * f64::from(*y)).sum::<f64>() / 256.0;
        walsh::transform(&mut values);
        let by_degree = walsh::weight_by_degree(&values);
        let Finding { numbers: shares, few, .. } = found(SPECTRUM, &spec, weights(&spec));
        assert!((few[0] - target / norm.sqrt()).abs() < 1e-5, "{model}");
        for (mine, exact) in shares.iter().zip(&by_degree) {
            assert!((f64::from(*mine) - exact / norm).abs() < 1e-5, "{model}: {mine} against {exact}");
        }
    }
}

#[test]
fn probes_say_why_they_do_not_apply() {
    let transformer = spec("#v1/sparse-parity?model=parity-transformer");
    assert!((GAP.applies)(&transformer).unwrap_err().contains("linear in the input"));
    assert!((SPECTRUM.applies)(&transformer).unwrap_err().contains("up to 16"));
    assert_eq!((ATTENTION.applies)(&transformer), Ok(()));
    let mlp = spec("#v1/sparse-parity?n=16");
    assert_eq!(((GAP.applies)(&mlp), (SPECTRUM.applies)(&mlp)), (Ok(()), Ok(())));
    assert!((ATTENTION.applies)(&mlp).is_err());
}

/// All messages of a run through a worker that watches these probes.
pub fn watched(link: &str, probes: &[Probe]) -> Vec<Message> {
    let mut worker = Worker::new(Device::cpu());
    let mut all = worker.handle(Command::Watch(probes.iter().map(Probe::id).collect()), Payload::Empty);
    let start =
        Command::Start { spec: spec(link), speed: 0, paused: false, held_out_limit: None, resting: false };
    all.extend(worker.handle(start, Payload::Empty));
    loop {
        let (messages, next) = pollster::block_on(worker.slice());
        all.extend(messages);
        if next == Next::Idle {
            return all;
        }
    }
}

pub fn rows(messages: &[Message]) -> Vec<Row> {
    let rows = messages.iter().filter_map(|m| match &m.event {
        Event::Metrics(rows) => Some(rows.clone()),
        _ => None,
    });
    rows.flatten().collect()
}

fn findings(messages: &[Message]) -> Vec<(u64, Finding)> {
    let found = messages.iter().filter_map(|m| match &m.event {
        Event::Probed { step, finding } => Some((*step, finding.clone())),
        _ => None,
    });
    found.collect()
}

/// The newest of every kind is of the last step, and looking changes no number.
#[test]
fn a_worker_that_is_watched_trains_the_same_run() {
    let link = "#v1/sparse-parity?n=10&k=2&width=8&held=128&every=10&steps=3000&halt=steps";
    let (alone, seen) = (watched(link, &[]), watched(link, &[GAP, SPECTRUM, ATTENTION]));
    assert_eq!(rows(&alone), rows(&seen));
    assert!(findings(&alone).is_empty());
    let found = findings(&seen);
    for probe in [GAP, SPECTRUM] {
        let of_kind = |f: &Finding| f.probe == probe.id();
        let steps: Vec<u64> = found.iter().filter(|(_, f)| of_kind(f)).map(|(step, _)| *step).collect();
        assert!(steps.is_sorted() && steps.first() == Some(&0) && steps.last() == Some(&3000), "{steps:?}");
    }
    assert!(!found.iter().any(|(_, f)| f.probe == ATTENTION.id()), "an MLP has none");
    let (_, newest) = found.iter().rev().find(|(_, f)| f.probe == SPECTRUM.id()).unwrap();
    let correlation = newest.few[0];
    assert!(correlation > 0.9, "the parity was found: {correlation}");
}

/// One replica's divergence is its own affair.
#[test]
fn replicas_that_diverge_leave_the_others_alone() {
    let link = "#v1/sparse-parity?n=10&width=10&act=power&lr=0.2&loss=square&held=128&every=5&steps=2000&target=0.95&replicas=12";
    let outcome = finish(&mut session(link));
    let last = outcome.rows.last().unwrap();
    let broken: Vec<usize> = (0..12).filter(|r| !last.test_loss[*r].is_finite()).collect();
    let solved = outcome.solved.iter().flatten().count();
    assert!(
        !broken.is_empty() && solved > 0,
        "{broken:?} diverged, {solved} arrived: the link must show both"
    );
    assert_ne!(outcome.ending, Some(Ending::Diverged));
    let waiting = (0..12).filter(|r| outcome.solved[*r].is_none() && !broken.contains(r)).count();
    assert_eq!(
        outcome.ending == Some(Ending::Target),
        waiting == 0,
        "nobody is waited for who cannot arrive"
    );
    // And those that arrive do so as they do without the others.
    let first = outcome.solved.iter().position(Option::is_some).unwrap();
    let fewer = finish(&mut session(&link.replace("replicas=12", &format!("replicas={}", first + 1))));
    assert_eq!(fewer.solved[first], outcome.solved[first]);
}

/// Section 5.4.2: v_i' = Π_{j≠i} v_j from v_i = 1 gives v(t) = (1 − (k−2)t)^(−1/(k−2)), and weights on other bits
/// stay where they are; training with small steps and large batches follows within its noise.
#[test]
fn disjoint_polynet_follows_the_gradient_flow() {
    let link = "#v1/sparse-parity?model=disjoint-polynet&n=6&layout=blocks&init=ones&loss=corr&batch=4096&lr=0.002&steps=200&halt=steps&every=50&held=64";
    let spec = spec(link);
    let relevant = spec.task.examples().relevant(0);
    let mut session = Session::start(&spec, &Device::cpu(), Options::default()).unwrap();
    let mut moved = vec![];
    for step in [50, 100, 150, 200] {
        while session.step() < step {
            pollster::block_on(session.advance(1e9, step - session.step())).unwrap();
        }
        let w = pollster::block_on(session.first_layer()).unwrap().0;
        let exact = disjoint::all_ones(3, 0.002 * step as f64);
        for (i, w) in w.iter().enumerate() {
            let expected = if relevant.contains(&i) { exact } else { 1.0 };
            assert!((f64::from(*w) - expected).abs() < 0.03, "step {step}, bit {i}: {w} against {expected}");
        }
        moved.push(exact);
    }
    assert!(moved[3] > 1.6, "far from the start, so that the exponent shows: {moved:?}");
}
