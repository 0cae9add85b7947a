//! Networks on pairs of elements: what trains them against each other and against plain double precision, what is
//! looked at in them, and what theory says of them.
//!
//! Without a GPU adapter (a simulated one is enough) tests of the kernels are reported as skipped, and fail in CI.

mod gpu_sessions;
mod gradients;
mod learners;
mod measures;
mod probes;
mod reference;
mod refused;
mod science;

use vivarium::labs::groups::probes::{COSETS, NEURONS, OUTPUTS, PROGRESS};
use vivarium::probing::Probe;
use vivarium::protocol::{Event, Measurement};
use vivarium::run::RunSpec;
use vivarium::tasks::Batch;
use vivarium::training::session::Session;
use vivarium::training::session::learner::Weights;

/// The probes of networks on pairs.
const PROBES: [Probe; 4] = [NEURONS, OUTPUTS, COSETS, PROGRESS];

fn block_on<F: Future>(future: F) -> F::Output {
    pollster::block_on(future)
}

/// Largest difference of two arrays, relative to the largest number in the first.
fn apart(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    let scale = a.iter().fold(1e-3f32, |m, v| m.max(v.abs()));
    // Not a maximum, which would pass over what is no number.
    a.iter().zip(b).fold(0.0f32, |m, (a, b)| if (a - b).abs() <= m { m } else { (a - b).abs() }) / scale
}

/// What a session's network holds now.
fn weights(session: &Session) -> Weights {
    block_on(session.checkpoint()).unwrap().weights
}

/// The five fields of a row by name; the margin is the last.
fn fields(row: &Measurement) -> [(&'static str, &[f32]); 5] {
    [
        ("training loss", &row.train_loss),
        ("training accuracy", &row.train_accuracy),
        ("test loss", &row.test_loss),
        ("test accuracy", &row.test_accuracy),
        ("margin", &row.margin),
    ]
}

/// The rows of these events.
fn rows_of(events: Vec<Event>) -> Vec<Measurement> {
    let rows = events.into_iter().filter_map(|event| match event {
        Event::Metrics(rows) => Some(rows),
        _ => None,
    });
    rows.flatten().collect()
}

/// The pairs that a run trains on, and those that it holds out.
fn both_sets(spec: &RunSpec) -> [Batch; 2] {
    let (task, [mut trained, mut held_out]) = (spec.task.sampler(), [Batch::default(), Batch::default()]);
    task.append_training_set(spec.run.seed, 0, 0, task.training_set_size().unwrap(), &mut trained);
    task.append_held_out(spec.run.seed, 0, spec.held_out_count(), &mut held_out);
    [trained, held_out]
}

/// The kinds of networks on pairs, small, as parts of links.
fn every_model() -> Vec<String> {
    let mut models = vec![];
    for (width, nu) in [(3, 2), (4, 3), (6, 4)] {
        for sigma in ["square", "relu"] {
            // So strong that its gradient counts.
            models.push(format!("width={width}&act={sigma}&nu={nu}&lambda=0.05&std=0.6"));
        }
    }
    models.push("model=modular-transformer&demb=8&dattn=4&heads=2&dmlp=6".into());
    models.push("model=modular-transformer&demb=3&dattn=5&heads=1&dmlp=4".into());
    models.push("model=modular-transformer&demb=8&dattn=4&heads=2&dmlp=6&attend=relu".into());
    for tied in ["yes", "no"] {
        for join in ["sum", "concat"] {
            models.push(format!("model=embedding-mlp&demb=4&width=6&tied={tied}&join={join}"));
        }
    }
    for layers in [
        "embed~6;token;positions;attention~2;mlp~5~gelu;attention~3~size~2~relu~causal;read~last",
        "embed~8~separate;norm;mlp~6;concat;linear~5;square;read",
    ] {
        models.push(format!("model=own&net={layers}"));
    }
    models
}

/// Weights of no symmetry: `spec`'s own, but with biases that are not zero.
fn stirred(spec: &RunSpec) -> Vec<Vec<f32>> {
    let mut weights = spec.initialize_parameters();
    for (which, values) in weights.iter_mut().enumerate() {
        for (i, value) in values.iter_mut().enumerate() {
            *value += 0.1 * libm::sinf((1 + which * 31 + i * 7) as f32);
        }
    }
    weights
}
