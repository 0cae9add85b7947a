//! The loops against autodiff.

use super::*;
use crate::kernels::cpu::prompt_net::{attention::AttentionLoop, gru::GruLoop, mlp::MlpLoop};
use crate::permalink::decode;
use crate::training::autodiff::Autodiff;
use crate::training::launch::device::Device;
use crate::training::session::learner::Learner;

/// Relative difference allowed after so many steps: rounding in another order, grown by training.
fn tolerance(steps: u64) -> f32 {
    match steps {
        1 => 2e-5,
        10 => 2e-4,
        _ => 3e-3,
    }
}

#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
fn agrees<L: PromptLoop>(settings: &str) {
    let (link, notices) = decode(&format!("#v1/sparse-token-regression?{settings}&held=128"));
    assert!(notices.is_empty(), "{settings}: {notices:?}");
    let (spec, device) = (link.spec, Device::cpu());
    assert!(spec.problems().is_empty(), "{settings}: {:?}", spec.problems());
    let mut tensors = Autodiff::new(&spec, device.tensors());
    let mut looped = PromptNetCpu::<L>::new(&spec).unwrap();
    let mut step = 0;
    for until in [1, 10, 100] {
        looped.train(&spec, step, until);
        while step < until {
            tensors.train(step, spec.learning_rate(step));
            step += 1;
        }
        let weights = [pollster::block_on(tensors.weights()), pollster::block_on(looped.weights())];
        let [exact, mine] = weights.map(|weights| weights.unwrap().parameters);
        for (which, (a, b)) in exact.iter().zip(&mine).enumerate() {
            let scale = a.iter().fold(1e-3f32, |m, v| m.max(v.abs()));
            let worst = a.iter().zip(b).fold(0.0f32, |m, (a, b)| m.max((a - b).abs())) / scale;
            assert!(worst <= tolerance(until), "{settings}: parameter {which} after {until} steps: {worst}");
        }
        let rows =
            [pollster::block_on(tensors.measure(step, 128)), pollster::block_on(looped.measure(step, 128))];
        let [exact, mine] = rows.map(Result::unwrap);
        for (exact, mine) in [
            (&exact.train_loss, &mine.train_loss),
            (&exact.train_accuracy, &mine.train_accuracy),
            (&exact.test_loss, &mine.test_loss),
            (&exact.test_accuracy, &mine.test_accuracy),
        ] {
            assert_eq!((exact.len(), mine.len()), (spec.run.replicas, spec.run.replicas));
            for (a, b) in exact.iter().zip(mine) {
                assert!((a - b).abs() <= tolerance(until) * (1.0 + a.abs()), "{settings}, {until}: {a}, {b}");
            }
        }
    }
    let moved = spec
        .initial()
        .iter()
        .zip(&pollster::block_on(looped.weights()).unwrap().parameters)
        .skip(1)
        .all(|(a, b)| a != b);
    assert!(moved, "{settings}: every parameter but the codes is trained");
}

/// Prompts, optimizers and replicas of every kind.
const RUNS: [&str; 5] = [
    "n=6&dim=3&q=1&g=linear&codes=random&batch=32&opt=adam&lr=0.003&wd=0.01&wdkind=decoupled",
    "n=4&dim=1&q=2&batch=18&opt=sgd&lr=0.02&mom=0.9&wd=0.001&replicas=3",
    "n=5&dim=2&q=1&g=mean&batch=16&m=40&noise=0.3&replicas=2&opt=adam&lr=0.003&codes=orthogonal",
    "n=7&dim=2&q=2&g=network&draw=free&codes=random&de=5&batch=64&opt=sgd&lr=0.05",
    "n=4&dim=2&q=1&g=linear&lists=one&batch=0&m=32&opt=adam&lr=0.002&wd=0.02&wdkind=coupled",
];

#[test]
fn perceptrons_on_prompts_are_those_of_autodiff_after_1_10_and_100_steps() {
    for (run, widths) in RUNS.iter().zip(["32.16", "20", "16.16.8", "24.17", "33"]) {
        agrees::<MlpLoop>(&format!("{run}&model=token-mlp&widths={widths}"));
    }
}

#[test]
fn recurrent_networks_are_those_of_autodiff_after_1_10_and_100_steps() {
    for (run, width) in RUNS.iter().zip([16, 7, 20, 16, 5]) {
        agrees::<GruLoop>(&format!("{run}&model=gru&width={width}"));
    }
}

#[test]
fn attention_on_prompts_is_that_of_autodiff_after_1_10_and_100_steps() {
    let networks = [
        "h=1&width=30&scores=all&values=token",
        "h=2&width=16",
        "h=2&width=20&qk=separate&dk=3",
        "h=3&width=17&values=token&qk=separate",
        "h=1&width=5&scores=all",
    ];
    for (run, network) in RUNS.iter().zip(networks) {
        agrees::<AttentionLoop>(&format!("{run}&model=token-attention&{network}"));
    }
}
