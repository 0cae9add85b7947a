//! The fused learners against autodiff: the same specification, seed and data give the same weights.
//!
//! Without a GPU adapter (a simulated one is enough) these tests try only the loop on the processor, are reported as
//! skipped, and fail in CI.

use vivarium::models::Activation;
use vivarium::optim::loss::Loss;
use vivarium::platform::now_ms;
use vivarium::protocol::Measurement;
use vivarium::run::RunSpec;
use vivarium::training::autodiff::Autodiff;
use vivarium::training::cpu::one_hidden_layer::OneHiddenLayerCpu;
use vivarium::training::gpu::one_hidden_layer::OneHiddenLayerGpu;
use vivarium::training::launch::choose::{Engine, engine};
use vivarium::training::launch::device::Device;
use vivarium::training::launch::device_check::{KNOWN, TINY, tiny};
use vivarium::training::session::learner::{Learner, Segment};

use crate::devices::{gpu, tolerance};
use crate::spec;

/// Trains up to `until` and gives the rows on the way.
pub fn train_to(learner: &mut dyn Learner, spec: &RunSpec, from: u64, until: u64) -> Vec<Measurement> {
    let mut rows: Vec<Measurement> = vec![];
    let mut step = from;
    loop {
        let measured = rows.last().map(|row| row.step);
        let segment = Segment {
            spec,
            from: step,
            until,
            last: u64::MAX,
            measured,
            held_out: 256,
            deadline_ms: now_ms() + 1e9,
        };
        if step == until {
            return rows;
        }
        let progress = pollster::block_on(learner.advance(&segment)).unwrap();
        step = progress.step;
        rows.extend(progress.rows);
    }
}

/// Largest difference of two arrays, relative to the largest number in the first.
fn apart(a: &[f32], b: &[f32]) -> f32 {
    let scale = a.iter().fold(1e-3f32, |m, v| m.max(v.abs()));
    a.iter().zip(b).fold(0.0f32, |m, (a, b)| m.max((a - b).abs())) / scale
}

/// Makes a learner of a run.
type Make = fn(&RunSpec) -> Box<dyn Learner>;

/// The fused learners that can be tried here.
fn learners() -> Vec<Make> {
    let mut learners: Vec<Make> = vec![|spec| Box::new(OneHiddenLayerCpu::new(spec).unwrap())];
    if gpu().is_some() {
        learners.push(|spec| Box::new(OneHiddenLayerGpu::new(spec).unwrap()));
    }
    learners
}

fn agree(link: &str, make: fn(&RunSpec) -> Box<dyn Learner>) {
    let spec = spec(link);
    let mut autodiff = Autodiff::new(&spec, Device::cpu().tensors()).unwrap();
    let mut fused = make(&spec);
    let mut step = 0;
    for until in [1, 10, 100] {
        let rows = [train_to(&mut autodiff, &spec, step, until), train_to(&mut *fused, &spec, step, until)];
        step = until;
        let [a, b] =
            [pollster::block_on(autodiff.weights()).unwrap(), pollster::block_on(fused.weights()).unwrap()];
        for (which, (a, b)) in a.parameters.iter().zip(&b.parameters).enumerate() {
            let worst = apart(a, b);
            assert!(worst <= tolerance(until), "{link}: parameter {which} after {until} steps: {worst}");
        }
        for (a, b) in a.moments.iter().flatten().zip(b.moments.iter().flatten()) {
            assert!(apart(a, b) <= 10.0 * tolerance(until), "{link}: a moment after {until} steps");
        }
        assert_eq!(rows[0].len(), rows[1].len(), "{link}");
        for (a, b) in rows[0].iter().zip(&rows[1]) {
            assert_eq!(a.step, b.step);
            for (a, b) in [(&a.train_loss, &b.train_loss), (&a.test_loss, &b.test_loss)] {
                assert!(apart(a, b) <= tolerance(until), "{link}: loss at {step}: {a:?} {b:?}");
            }
            // An output near zero may fall on either side.
            for (a, b) in [(&a.train_accuracy, &b.train_accuracy), (&a.test_accuracy, &b.test_accuracy)] {
                assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.05), "{link}: accuracy {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn every_loss_and_optimizer() {
    for make in learners() {
        for loss in Loss::ALL.iter().map(|loss| loss.slug()) {
            for optimizer in [
                "lr=0.05",
                "lr=0.05&wd=0.01",
                "lr=0.02&mom=0.9&wd=0.01",
                "lr=0.02&mom=0.9&momkind=nesterov&wd=0.01&warm=20&cool=cosine&steps=110&lrs=50:0.03",
                "lr=0.05&cool=drops&drop=30&gamma=0.5",
                // Where gradients cancel, one learner has 0 and another a remainder of rounding, which a smaller
                // ε would blow up to a full step.
                "opt=adam&eps=0.0001",
                "opt=adam&wd=0.1&eps=0.0001",
                "opt=adam&wd=0.1&wdkind=coupled&b1=0.8&eps=0.0001",
            ] {
                let rest = "n=11&width=14&every=7&seed=3&replicas=2";
                agree(&format!("#v1/sparse-parity?{optimizer}&loss={loss}&{rest}"), make);
            }
        }
    }
}

/// Where a mean gradient is nearly 0, rounding decides on its sign, and a weight takes another step: few weights do.
#[test]
fn lion_is_that_of_autodiff_but_for_signs_that_rounding_decides() {
    for make in learners() {
        let spec =
            spec("#v1/sparse-parity?opt=lion&lr=0.0005&wd=0.1&loss=ce&n=11&width=14&seed=3&replicas=2");
        let mut autodiff = Autodiff::new(&spec, Device::cpu().tensors()).unwrap();
        let mut fused = make(&spec);
        let mut step = 0;
        for until in [1, 10, 100] {
            train_to(&mut autodiff, &spec, step, until);
            train_to(&mut *fused, &spec, step, until);
            step = until;
            let [a, b] =
                [&autodiff as &dyn Learner, &*fused].map(|l| pollster::block_on(l.weights()).unwrap());
            let (a, b) = (a.parameters.concat(), b.parameters.concat());
            let off = a.iter().zip(&b).filter(|(a, b)| (*a - *b).abs() > 1e-5).count();
            assert!(off * 50 <= a.len(), "after {until} steps {off} of {} weights", a.len());
            assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 0.005), "after {until} steps");
        }
    }
}

/// A frozen first layer is the loop's and autodiff's; kernels on a GPU say that they have none. Kept neurons are everybody's.
#[test]
fn frozen_layers_and_kept_neurons() {
    for optimizer in ["lr=0.05&wd=0.1", "lr=0.02&mom=0.9&wd=0.01", "opt=adam&wd=0.1&eps=0.0001"] {
        let rest = "n=11&width=14&first=frozen&every=7&seed=3&replicas=2";
        agree(&format!("#v1/sparse-parity?{rest}&{optimizer}"), |spec| {
            Box::new(OneHiddenLayerCpu::new(spec).unwrap())
        });
        for make in learners() {
            let rest = "n=11&width=14&init=sparse&keep=9.2.14&every=7&seed=3&replicas=3&inits=1";
            agree(&format!("#v1/sparse-parity?{rest}&{optimizer}"), make);
        }
    }
    let frozen = spec("#v1/sparse-parity?n=11&first=frozen&replicas=64");
    let (engine, why) = engine(&frozen);
    assert_eq!(engine, Engine::Autodiff);
    assert!(why.contains("the first layer of the network is frozen"), "{why}");
}

#[test]
fn every_activation_and_polynets() {
    for make in learners() {
        for activation in Activation::OPTIONS {
            for degree in [1, 2, 3, 4] {
                let net = format!("act={}&degree={degree}", activation.slug);
                let rest = "n=10&k=2&width=9&lr=0.02&every=25&seed=7&batch=20";
                // A degree says nothing about a ReLU.
                if activation.slug != "relu" || degree == 3 {
                    agree(&format!("#v1/sparse-parity?{net}&{rest}"), make);
                }
            }
        }
        // Without a second layer, also where a decay would shrink it.
        for net in ["act=sin&bias=hidden&wd=0.1", "act=relu&mom=0.9&bias=none", "act=osc&opt=adam&eps=0.0001"]
        {
            agree(
                &format!("#v1/sparse-parity?{net}&second=ones&n=10&width=5&lr=0.01&every=25&replicas=2"),
                make,
            );
        }
        for (degree, bias, loss) in
            [(1, "yes", "ce"), (3, "yes", "hinge"), (4, "no", "square"), (8, "yes", "hinge")]
        {
            let net = format!("model=polynet&degree={degree}&bias={bias}");
            agree(&format!("#v1/sparse-parity?{net}&loss={loss}&n=9&lr=0.03&every=20&replicas=2"), make);
        }
        agree("#v1/sparse-parity?model=polynet&opt=adam&wd=0.1&n=9&every=20&eps=0.0001", make);
    }
}

#[test]
fn every_shape_of_batch_width_and_data() {
    for make in learners() {
        for link in [
            // One example, one unit; batches that fill no block, one, and several with a partial last one.
            "#v1/sparse-parity?n=5&k=2&width=1&batch=1&every=10",
            "#v1/sparse-parity?n=5&k=2&width=3&batch=5&every=10&bias=hidden",
            "#v1/sparse-parity?n=33&width=70&batch=100&every=30&bias=output",
            "#v1/sparse-parity?n=65&width=5&batch=64&every=30&bias=none&opt=adam&eps=0.0001",
            // Batches of several parts, the last one partial.
            "#v1/sparse-parity?n=20&width=33&batch=600&every=30&mom=0.5",
            // Fewer units and inputs than lanes for the examples of a block.
            "#v1/sparse-parity?n=2&k=1&width=1&batch=32&every=10",
            "#v1/sparse-parity?n=3&k=2&width=2&batch=64&every=10&replicas=3",
            // Wider than the workgroup and its memory.
            "#v1/sparse-parity?n=12&width=1024&lr=0.02&every=50",
            "#v1/sparse-parity?n=7&width=1500&batch=40&every=50&opt=adam&lr=0.001&eps=0.0001",
            // Label noise, a finite sample, one smaller than the batch, one with noise.
            "#v1/sparse-parity?n=13&width=20&noise=0.2&batch=50&every=10",
            "#v1/sparse-parity?n=31&width=20&m=100&every=10&replicas=2",
            "#v1/sparse-parity?n=32&width=20&m=7&every=10",
            "#v1/sparse-parity?n=40&width=20&m=1000&noise=0.3&batch=96&wd=0.01&every=10",
        ] {
            agree(link, make);
        }
    }
}

#[test]
fn the_known_tiny_run_is_what_the_processor_gives() {
    let spec = spec(TINY);
    let found =
        pollster::block_on(tiny(&mut Autodiff::new(&spec, Device::cpu().tensors()).unwrap())).unwrap();
    assert!(apart(&found, &KNOWN) < 1e-6, "{found:?}");
    let found = pollster::block_on(tiny(&mut OneHiddenLayerCpu::new(&spec).unwrap())).unwrap();
    assert!(apart(&found, &KNOWN) < 1e-6, "{found:?}");
}
