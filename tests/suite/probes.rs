//! Probes through the worker, against the double-precision reference on the whole cube; and closed forms of training.

use vivarium::analysis::rank::rank_correlation;
use vivarium::analysis::{disjoint, walsh};
use vivarium::labs;
use vivarium::labs::parity::plateau::predicted_errors;
use vivarium::labs::parity::probes::{ATTENTION, GAP, INITIAL_GAPS, MOVEMENTS, SPECTRUM};
use vivarium::models::{Activation, Model};
use vivarium::optim::loss::Loss;
use vivarium::probing::Probe;
use vivarium::protocol::{Command, EndReason, Event, EventMessage, Measurement, Payload, ProbeResult};
use vivarium::rng::{Purpose, RandomStream};
use vivarium::run::RunSpec;
use vivarium::tasks::Batch;
use vivarium::training::launch::device::Device;
use vivarium::training::session::{Options, Session};
use vivarium::worker::{NextSlice, Worker};

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
    spec.initialize_parameters()
}

fn found(probe: Probe, spec: &RunSpec, weights: Vec<Vec<f32>>) -> ProbeResult {
    labs::run_probe(&probe.id(), spec, 0, weights).unwrap()
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

/// Networks that are sums of neurons: whatever the loss and the second layer, the gap is that of E\[y x σ'(w·x + b)\].
const SUMS: &[&str] = &[
    "width=6&loss=ce",
    "width=5&loss=square&init=gaussian&bias=none",
    "width=3&init=sign&bias=none",
    "width=4&init=sparse&loss=corr",
    "width=5&act=sin&loss=square&init=gaussian",
    "width=3&act=sin&degree=2&init=sign&bias=output",
    "width=4&act=zigzag&second=ones&loss=corr",
    "width=3&act=wave&degree=4&init=gaussian&loss=ce",
    "width=2&act=osc&degree=5&init=gaussian",
    "width=4&act=power&degree=4&loss=square",
    "model=power-net&degree=3&width=5&loss=ce",
];

/// σ of a neuron, by its definition: through the points (k − 2j, (−1)^j) where it has some.
fn sigma(activation: Activation, k: usize, z: f64) -> f64 {
    let top = k as f64;
    let point = |j: usize| (top - 2.0 * j as f64, if j.is_multiple_of(2) { 1.0 } else { -1.0 });
    match activation {
        Activation::Relu => z.max(0.0),
        Activation::Power => z.powi(k as i32),
        Activation::Sine => (std::f64::consts::FRAC_PI_2 * (z - top + 1.0)).sin(),
        // Distance to the nearest top, of which there is one every four.
        Activation::Wave => 1.0 - ((z - top + 2.0).rem_euclid(4.0) - 2.0).abs(),
        Activation::Zigzag => {
            let j = (0..k - 1).find(|j| z >= point(j + 1).0).unwrap_or(k - 1);
            let ((right, value), (left, before)) = (point(j), point(j + 1));
            before + (value - before) * (z - left) / (right - left)
        }
        Activation::Oscillating => (0..=k)
            .map(|j| {
                let others =
                    (0..=k).filter(|i| *i != j).map(|i| (z - point(i).0) / (point(j).0 - point(i).0));
                point(j).1 * others.product::<f64>()
            })
            .sum(),
    }
}

/// Γ and the strict gap of the columns of g, `[inputs, columns]`, of the column with the largest Γ.
fn largest_gap(g: &[f64], columns: usize, relevant: &[usize]) -> (f64, f64) {
    let sizes = |j: usize, inside: bool| {
        let rows = (0..g.len() / columns).filter(move |i| relevant.contains(i) == inside);
        rows.map(move |i| g[i * columns + j].abs())
    };
    let gaps = (0..columns).map(|j| {
        let beyond = sizes(j, false).fold(0.0, f64::max);
        let [most, least] =
            [sizes(j, true).fold(0.0, f64::max), sizes(j, true).fold(f64::INFINITY, f64::min)];
        (most - beyond, least - beyond)
    });
    gaps.reduce(|a, b| if b.0 > a.0 { b } else { a }).unwrap()
}

/// Definition 5.4 and appendix B.3.1 of Edelman 2024, one input after the other.
#[test]
fn the_gap_is_that_of_the_slope_of_the_neurons() {
    let stream = RandomStream::new(54, Purpose::Sample, 0);
    for (index, model) in SUMS.iter().enumerate() {
        let drawn = (0..4).map(|case| {
            let below = |number, bound| u64::from(stream.draw_below(10 * index as u64 + case, number, bound));
            (6 + below(0, 4) as usize, 2 + below(1, 3) as usize, 10 + below(2, 1000))
        });
        for (n, k, seed) in [(8, 3, 3), (7, 2, 4), (9, 4, 5)].into_iter().chain(drawn) {
            let spec = spec(&format!("#v1/sparse-parity?n={n}&k={k}&{model}&seed={seed}"));
            let (activation, degree) = match &spec.model {
                Model::Mlp(net) => (net.activation, net.degree),
                Model::PowerNet(net) => (Activation::Power, net.degree),
                _ => panic!("a sum of neurons"),
            };
            let relevant = spec.task.examples().relevant(seed);
            let weights = weights(&spec);
            let width = spec.parameters()[0].shape[2];
            let bias = |j: usize| match &spec.model {
                Model::Mlp(_) => f64::from(weights[2][j]),
                _ => 0.0,
            };
            let batch = cube(&spec, n);
            let mut g = vec![0.0; n * width];
            for (x, y) in batch.x.chunks(n).zip(&batch.y) {
                for j in 0..width {
                    let terms = x.iter().enumerate().map(|(i, x)| f64::from(*x * weights[0][i * width + j]));
                    let (z, h) = (bias(j) + terms.sum::<f64>(), 1e-5);
                    let slope = sigma(activation, degree, z + h) - sigma(activation, degree, z - h);
                    for (i, x) in x.iter().enumerate() {
                        g[i * width + j] += f64::from(y * x) * slope / (2.0 * h) / f64::from(1u32 << n);
                    }
                }
            }
            let (relaxed, strict) = largest_gap(&g, width, &relevant);
            let few = found(GAP, &spec, weights.clone()).few;
            let close = |found: f64, expected: f64| (found - expected).abs() < 1e-6 * (1.0 + expected.abs());
            assert!(close(few[0], relaxed), "{model} {n} {k}: {} against {relaxed}", few[0]);
            assert!(few[2] == 0.0);
            // Where several neurons have the same gap, any of them may be meant.
            let strict_is_one = (0..width).any(|j| {
                let column: Vec<f64> = g.iter().skip(j).step_by(width).copied().collect();
                let gap = largest_gap(&column, 1, &relevant);
                close(gap.0, relaxed) && close(few[1], gap.1)
            });
            assert!(strict_is_one, "{model} {n} {k}: {} against {strict}", few[1]);
            // |ξ_{k−1}| − |ξ_{k+1}| of lemma B.1, halved: for odd k there is none.
            let expected = match (n, k) {
                (8, 3) => Some(0.0),
                (7, 2) => Some(0.5 * (0.3125 - 0.0625)),
                (9, 4) => Some(0.5 * (0.0390625 - 0.0234375)),
                _ => None,
            };
            if let Some(expected) = expected.filter(|_| model.contains("init=sign&bias=none")) {
                assert!((few[0] - expected).abs() < 1e-12, "{n} {k}: {}", few[0]);
            }
        }
    }
}

/// A network that is no sum of neurons shows the population gradient of the correlation loss, whatever its own loss is.
#[test]
fn the_gap_of_other_networks_is_that_of_the_gradient_over_the_whole_cube() {
    for model in ["model=polynet&init=gaussian", "model=deep-mlp&widths=4.2&init=gaussian&loss=ce"] {
        let spec = spec(&format!("#v1/sparse-parity?n=8&k=3&{model}&seed=3"));
        let relevant = spec.task.examples().relevant(3);
        let net = Reference::new(&spec.model, Loss::Correlation, 8, &weights(&spec));
        let gradient = &net.gradients(&cube(&spec, 8))[0];
        let (relaxed, strict) = largest_gap(gradient, gradient.len() / 8, &relevant);
        let few = found(GAP, &spec, weights(&spec)).few;
        assert!((few[0] - relaxed).abs() < 1e-6, "{model}: {} against {relaxed}", few[0]);
        assert!((few[1] - strict).abs() < 1e-6, "{model}: {} against {strict}", few[1]);
        assert_eq!(few[2], 0.0);
    }
    let spec = spec("#v1/sparse-parity?n=8&k=3&model=disjoint-polynet&loss=ce&seed=3");
    assert_eq!(found(GAP, &spec, weights(&spec)).few[2], 0.0);
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
        walsh::walsh_transform(&mut values);
        let by_degree = walsh::weight_by_degree(&values);
        let ProbeResult { numbers: shares, few, .. } = found(SPECTRUM, &spec, weights(&spec));
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
pub fn watched(link: &str, probes: &[Probe]) -> Vec<EventMessage> {
    let mut worker = Worker::new(Device::cpu());
    let mut all = worker.handle(Command::Watch(probes.iter().map(Probe::id).collect()), Payload::Empty);
    let start =
        Command::Start { spec: spec(link), speed: 0, paused: false, held_out_limit: None, resting: false };
    all.extend(worker.handle(start, Payload::Empty));
    loop {
        let (messages, next) = pollster::block_on(worker.train_slice());
        all.extend(messages);
        if next == NextSlice::Idle {
            return all;
        }
    }
}

pub fn rows(messages: &[EventMessage]) -> Vec<Measurement> {
    let rows = messages.iter().filter_map(|m| match &m.event {
        Event::Metrics(rows) => Some(rows.clone()),
        _ => None,
    });
    rows.flatten().collect()
}

fn findings(messages: &[EventMessage]) -> Vec<(u64, ProbeResult)> {
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
        let of_kind = |f: &ProbeResult| f.probe == probe.id();
        let steps: Vec<u64> = found.iter().filter(|(_, f)| of_kind(f)).map(|(step, _)| *step).collect();
        assert!(steps.is_sorted() && steps.first() == Some(&0) && steps.last() == Some(&3000), "{steps:?}");
    }
    assert!(!found.iter().any(|(_, f)| f.probe == ATTENTION.id()), "an MLP has none");
    let (_, newest) = found.iter().rev().find(|(_, f)| f.probe == SPECTRUM.id()).unwrap();
    let correlation = newest.few[0];
    assert!(correlation > 0.9, "the parity was found: {correlation}");
}

/// The worker measures the progress of every network at its own weights, and the gaps of the initial weights once.
#[test]
fn a_worker_measures_the_progress_of_every_network() {
    let link = "#v1/sparse-parity?n=10&k=2&width=8&replicas=3&held=128&every=10&steps=300&halt=steps";
    let found = findings(&watched(link, &[MOVEMENTS, INITIAL_GAPS]));
    let of_kind = |probe: Probe| found.iter().filter(move |(_, f)| f.probe == probe.id());
    assert_eq!(of_kind(INITIAL_GAPS).map(|(_, f)| f.few.len()).collect::<Vec<_>>(), [3]);
    let (step, last) = of_kind(MOVEMENTS).last().unwrap();
    assert_eq!((*step, last.few.len()), (300, 6));
    let (spec, mut session) = (spec(link), session(link));
    finish(&mut session);
    let now = pollster::block_on(session.checkpoint()).unwrap().weights.parameters.swap_remove(0);
    let start = spec.initialize_parameters().swap_remove(0);
    let relevant = spec.task.examples().relevant(spec.run.seed);
    for (replica, (now, start)) in now.chunks(80).zip(start.chunks(80)).enumerate() {
        let rho = now.iter().zip(start).map(|(now, start)| (now - start).abs()).fold(0.0, f32::max);
        assert_eq!(last.few[replica], f64::from(rho), "network {replica}");
        let mut order: Vec<usize> = (0..10).collect();
        let largest = |i: usize| now[8 * i..8 * i + 8].iter().fold(0.0f32, |largest, w| largest.max(w.abs()));
        order.sort_by(|a, b| largest(*b).total_cmp(&largest(*a)));
        let is_revealed = relevant.iter().all(|i| order[..2].contains(i));
        assert_eq!(last.few[3 + replica], f64::from(u8::from(is_revealed)), "network {replica}");
    }
}

/// The claim of the preset on the time that is left: at step 200, before any network reaches the target, the networks that
/// have moved farthest are those that reach the target first.
#[test]
fn weight_movement_predicts_the_time_that_is_left() {
    let spec = labs::find_preset("time-left").unwrap().link().spec;
    let mut session = Session::start(&spec, &Device::cpu(), Options::default()).unwrap();
    while session.step() < 200 {
        pollster::block_on(session.advance(f64::INFINITY, 200 - session.step())).unwrap();
    }
    assert!(session.step() == 200 && session.solved().iter().all(Option::is_none));
    let start = spec.initialize_parameters().swap_remove(0);
    let now = pollster::block_on(session.first_layers()).unwrap();
    // Each network has one neuron.
    let rho = now.chunks(30).zip(start.chunks(30)).map(|(now, start)| {
        let moved = now.iter().zip(start).map(|(now, start)| (now - start).abs());
        f64::from(moved.fold(0.0, f32::max))
    });
    let solved = finish(&mut session).solved;
    let left = solved.iter().map(|step| step.map_or(f64::INFINITY, |step| step as f64 - 200.0));
    let rank = rank_correlation(&rho.zip(left).collect::<Vec<_>>()).unwrap();
    assert!(rank < -0.6, "{rank}");
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
    assert_ne!(outcome.ending, Some(EndReason::Diverged));
    let waiting = (0..12).filter(|r| outcome.solved[*r].is_none() && !broken.contains(r)).count();
    assert_eq!(
        outcome.ending == Some(EndReason::Target),
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
        let exact = disjoint::symmetric_weight(3, 0.002 * step as f64);
        for (i, w) in w.iter().enumerate() {
            let expected = if relevant.contains(&i) { exact } else { 1.0 };
            assert!((f64::from(*w) - expected).abs() < 0.03, "step {step}, bit {i}: {w} against {expected}");
        }
        moved.push(exact);
    }
    assert!(moved[3] > 1.6, "far from the start, so that the exponent shows: {moved:?}");
}

/// Figure B.1 (left) and theorem 5.7: training on all inputs with a small learning rate has the error that theory computes
/// from the initial weights. The error is a step function of time, so it differs only around its steps.
#[test]
fn the_error_on_all_inputs_is_the_predicted_error() {
    for seed in [3, 10, 8] {
        let link = "#v1/sparse-parity?model=disjoint-polynet&n=12&layout=blocks&data=cube&lr=0.001&loss=corr&batch=0&steps=3000&target=0.99&every=20";
        let spec = spec(&format!("{link}&seed={seed}"));
        let rows = finish(&mut session(&format!("{link}&seed={seed}"))).rows;
        let predicted = predicted_errors(&spec, rows.iter().map(|row| row.step));
        assert!(rows.len() > 20 && rows.len() == predicted.len(), "seed {seed}");
        let differences: Vec<f64> = rows
            .iter()
            .zip(&predicted)
            .map(|(row, error)| (1.0 - f64::from(row.test_accuracy[0]) - error).abs())
            .collect();
        let same = differences.iter().filter(|difference| **difference < 1e-6).count();
        assert!(same * 10 > 9 * rows.len(), "seed {seed}: {same} of {}, {differences:?}", rows.len());
        assert!(predicted[0] > 0.4 && predicted[rows.len() - 1] < 0.1, "seed {seed}: {predicted:?}");
    }
    // The preset's claim: three quarters of the time above 45 %, then 0.
    let spec = labs::find_preset("disjoint-polynet-all-inputs").unwrap().link().spec;
    let predicted = predicted_errors(&spec, (0..=4_000).step_by(10));
    let end = predicted.iter().position(|error| *error < 1e-9).unwrap();
    let share = predicted[..end].iter().filter(|error| **error > 0.45).count() as f64 / end as f64;
    assert!((0.75..0.8).contains(&share) && predicted[end..].iter().all(|error| *error < 1e-9), "{share}");
}
