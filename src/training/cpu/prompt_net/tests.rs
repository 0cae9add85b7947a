//! The loops against autodiff.

use super::*;
use crate::autodiff::Autodiff;
use crate::launch::device::Device;
use crate::session::learner::Learner;
use vivarium_kernels::cpu::in_context_net::InContextLoop;
use vivarium_kernels::cpu::prompt_net::{
    attention::AttentionLoop, graph::GraphLoop, gru::GruLoop, mlp::MlpLoop,
};
use vivarium_model::permalink::decode;

/// Relative difference allowed after so many steps: rounding in another order, grown by training.
fn tolerance(steps: u64) -> f32 {
    match steps {
        1 => 2e-5,
        10 => 2e-4,
        _ => 3e-3,
    }
}

fn agrees<L: PromptLoop>(settings: &str) {
    agrees_on::<L>("sparse-token-regression", settings);
}

#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
fn agrees_on<L: PromptLoop>(lab: &str, settings: &str) {
    let (link, notices) = decode(&format!("#v1/{lab}?{settings}&held=128"));
    assert!(notices.is_empty(), "{settings}: {notices:?}");
    let (spec, device) = (link.spec, Device::cpu());
    assert!(spec.invalid_settings().is_empty(), "{settings}: {:?}", spec.invalid_settings());
    let mut tensors = Autodiff::new(&spec, device.tensors()).unwrap();
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
        .initialize_parameters()
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

/// Decoders on points, with warm-up, decay and clipping; ε is large, since Adam would blow the rounding of a gradient that is
/// nearly 0 up to a full step.
const DECODERS: [&str; 5] = [
    "points=7&dim=2&batch=16&blocks=2&lr=0.003&eps=0.0001&warm=5&cool=linear&clip=0.3&steps=120",
    "class=linear&dim=3&const=no&points=9&batch=8&replicas=2&lr=0.003&eps=0.0001&warm=0&cool=none&clip=0.5&blocks=1&width=12&heads=3&dmlp=20&format=joint&attend=relu&norm=layer&act=gelu&pos=none",
    "class=tree&dim=4&splits=2&points=6&batch=8&opt=sgd&lr=0.004&mom=0.5&blocks=3&width=20&heads=1&dmlp=33&attend=relu",
    "class=sparse&dim=5&sparse=2&points=5&long=9&noise=0.2&batch=16&lr=0.003&eps=0.0001&warm=0&clip=0&wd=0.02&wdkind=coupled&blocks=2&width=16&heads=4&norm=layer",
    "points=2&dim=17&s=1&batch=8&replicas=3&lr=0.003&eps=0.0001&warm=20&clip=1&blocks=4&width=18&heads=2&dmlp=5&format=joint&act=gelu",
];

#[test]
fn decoders_on_points_are_those_of_autodiff_after_1_10_and_100_steps() {
    for settings in DECODERS {
        agrees_on::<InContextLoop>("in-context-learning", settings);
    }
}

/// Networks that are described by graphs, on both kinds of prompts.
#[test]
fn graphs_on_prompts_are_those_of_autodiff_after_1_10_and_100_steps() {
    let networks = [
        "embed~16;attention~2;mlp~24;read",
        "linear~9;gru~12;attention~3~size~4~causal;read",
        "mlp~20;norm;read",
        "embed~8;positions;attention~2~pre-norm;mlp~17~gelu~pre-norm;norm;read",
        "embed~12;gru~7;read",
    ];
    for (run, network) in RUNS.iter().zip(networks) {
        agrees::<GraphLoop>(&format!("{run}&model=own&net={network}"));
    }
    let run = "dim=2&batch=8&replicas=2&lr=0.003&eps=0.0001&warm=5&cool=linear&clip=0.3&steps=120&wd=0.02";
    for (points, network) in [(7, networks[3]), (9, "embed~12;attention~2~relative;gru~9;read")] {
        agrees_on::<GraphLoop>(
            "in-context-learning",
            &format!("points={points}&{run}&model=own&net={network}"),
        );
    }
}

#[test]
fn clipped_gradients_of_prompts_of_tokens_are_those_of_autodiff() {
    let run = "n=5&dim=2&q=1&g=mean&batch=16&replicas=2&opt=adam&lr=0.003&eps=0.0001&warm=3&clip=0.05";
    agrees::<MlpLoop>(&format!("{run}&model=token-mlp&widths=16.8"));
    agrees::<GruLoop>(&format!("{run}&model=gru&width=7"));
    agrees::<AttentionLoop>(&format!("{run}&model=token-attention&h=1&width=12"));
}

/// What a row says of a decoder: the error of all points in training, and of the last one alone in the test.
#[test]
fn a_decoder_is_judged_by_the_last_point_of_held_out_prompts() {
    let spec =
        decode("#v1/in-context-learning?points=5&dim=2&batch=8&held=64&width=8&dmlp=8&blocks=1").0.spec;
    let mut learner = PromptNetCpu::<InContextLoop>::new(&spec).unwrap();
    learner.train(&spec, 0, 3);
    let row = learner.measure_now(3, 64);
    let weights = pollster::block_on(learner.weights()).unwrap().parameters;
    let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
    let (sampler, inputs) = (spec.task.sampler(), spec.task.examples().inputs());
    let variance = sampler.label_variance(spec.run.seed).unwrap();
    let (mut seen, mut held_out) =
        (vivarium_model::tasks::Batch::default(), vivarium_model::tasks::Batch::default());
    sampler.sample(spec.run.seed, 0, 3, 8, &mut seen);
    sampler.append_held_out(spec.run.seed, 0, 64, &mut held_out);
    let error = |rows: &[f32], from: usize| {
        let found = spec.network().evaluate(&weights, inputs, rows, 0);
        let (mut sum, mut count) = (0.0, 0.0);
        for (row, found) in rows.chunks(sampler.columns()).zip(found.chunks(5)) {
            for (y, f) in row[row.len() - 5..].iter().zip(found).skip(from) {
                sum += f64::from(f - y).powi(2);
                count += 1.0;
            }
        }
        sum / count / variance
    };
    for (found, exact) in [(row.train_loss[0], error(&seen.x, 0)), (row.test_loss[0], error(&held_out.x, 4))]
    {
        assert!((f64::from(found) - exact).abs() < 1e-4 * (1.0 + exact), "{found} {exact}");
    }
    assert_eq!(row.train_accuracy[0], 1.0 - row.train_loss[0]);
    assert_eq!(row.test_accuracy[0], 1.0 - row.test_loss[0]);
}
