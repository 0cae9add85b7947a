//! The same numbers on every device: CPU against GPU, and the generator inside a kernel.
//!
//! Without a GPU adapter (a simulated one is enough) these tests are reported as skipped, and fail in CI.

use cubecl::prelude::*;
use vivarium::kernels::client::client;
use vivarium::protocol::RunError;
use vivarium::rng::{Purpose, RandomStream, device};
use vivarium::training::autodiff::Autodiff;
use vivarium::training::launch::choose::Engine;
use vivarium::training::launch::device::Device;
use vivarium::training::launch::device_check::checked_gpu;
use vivarium::training::session::learner::Learner;
use vivarium::training::session::{Options, Session};
use vivarium_core::testing::skip_without_gpu;

use crate::gradients::{every_model, numbers};
use crate::spec;

/// The GPU; without one the running test is recorded as skipped.
pub fn gpu() -> Option<Device> {
    match pollster::block_on(checked_gpu(&[Engine::Fused])) {
        Ok(gpu) => {
            println!("on {}", gpu.report().name);
            Some(gpu)
        }
        Err(RunError::NoGpu(why)) => {
            skip_without_gpu(module_path!(), &why);
            None
        }
        Err(other) => panic!("{other}"),
    }
}

/// Relative difference allowed after this many steps: rounding in another order, grown by training.
pub fn tolerance(steps: u64) -> f32 {
    match steps {
        0..=1 => 1e-5,
        2..=10 => 1e-4,
        _ => 2e-3,
    }
}

#[test]
fn flex_and_wgpu_agree_after_1_10_and_100_steps() {
    let Some(gpu) = gpu() else { return };
    for link in [
        "#v1/sparse-parity?n=20&width=64&held=1024",
        "#v1/sparse-parity?opt=adam&n=12&width=24&loss=ce&held=256&replicas=3&m=64&noise=0.1",
        "#v1/sparse-parity?n=10&width=16&act=power&loss=square&lr=0.01&wd=0.01&mom=0.5&held=256",
        "#v1/sparse-token-regression?model=gru&n=4&dim=2&q=1&g=linear&width=5&batch=8&held=64&opt=sgd&lr=0.05&replicas=2",
        "#v1/in-context-learning?class=linear&points=4&dim=2&blocks=1&width=8&dmlp=8&batch=8&held=64&opt=sgd&lr=0.005",
    ] {
        let spec = spec(link);
        let lr = spec.optimizer.learning_rate();
        let mut learners = [&Device::cpu(), &gpu].map(|d| Autodiff::new(&spec, d.tensors()).unwrap());
        let mut step = 0;
        for until in [1, 10, 100] {
            while step < until {
                learners.iter_mut().for_each(|learner| learner.train(step, lr));
                step += 1;
            }
            let [cpu, gpu] =
                learners.each_ref().map(|learner| pollster::block_on(learner.weights()).unwrap());
            for (which, (a, b)) in cpu.parameters.iter().zip(&gpu.parameters).enumerate() {
                let scale = a.iter().fold(1e-3f32, |m, v| m.max(v.abs()));
                let worst = a.iter().zip(b).fold(0.0f32, |m, (a, b)| m.max((a - b).abs())) / scale;
                assert!(worst <= tolerance(until), "{link}: parameter {which} after {until} steps: {worst}");
            }
            let rows =
                learners.each_mut().map(|learner| pollster::block_on(learner.measure(step, 256)).unwrap());
            let difference = (rows[0].test_loss[0] - rows[1].test_loss[0]).abs();
            assert!(difference <= tolerance(until) * (1.0 + rows[0].test_loss[0]), "{link}: {rows:?}");
        }
    }
}

/// Values, and gradients through every activation and through the product, at initial weights.
#[test]
fn every_model_has_the_same_gradients_on_flex_and_wgpu() {
    let Some(gpu) = gpu() else { return };
    for model in every_model() {
        let link =
            format!("#v1/sparse-parity?n=9&k=3&{model}&loss=square&batch=24&replicas=2&seed=5&held=64");
        let spec = spec(&link);
        let [cpu, gpu] = [&Device::cpu(), &gpu].map(|device| {
            let gradients = Autodiff::new(&spec, device.tensors()).unwrap().gradients(0);
            gradients.into_iter().map(numbers).collect::<Vec<_>>()
        });
        for (which, (a, b)) in cpu.iter().zip(&gpu).enumerate() {
            let scale = a.iter().fold(1e-2f32, |m, v| m.max(v.abs()));
            let worst = a.iter().zip(b).fold(0.0f32, |m, (a, b)| m.max((a - b).abs())) / scale;
            assert!(worst <= tolerance(1), "{link}: parameter {which}: {worst}");
        }
    }
}

#[test]
fn a_gpu_repeats_itself_bit_for_bit() {
    let Some(gpu) = gpu() else { return };
    let spec = spec("#v1/sparse-parity?n=20&width=64&held=256");
    let run = || {
        let mut learner = Autodiff::new(&spec, gpu.tensors()).unwrap();
        (0..20).for_each(|step| learner.train(step, 0.1));
        let row = pollster::block_on(learner.measure(20, 256)).unwrap();
        (pollster::block_on(learner.weights()).unwrap(), row)
    };
    assert_eq!(run(), run());
}

/// One draw per thread: word `index` of the stream whose key and counter come in.
#[cube(launch)]
fn draws(out: &mut [u32], seed_low: u32, seed_high: u32, purpose: u32, replica: u32, step: u32) {
    let index = ABSOLUTE_POS;
    if index < out.len() {
        out[index] = device::draw(seed_low, seed_high, purpose, replica, step, 0u32, index as u32);
    }
}

#[test]
#[expect(unsafe_code, reason = "launching a kernel hands it a raw buffer")]
fn the_generator_gives_the_same_bits_inside_a_kernel() {
    if gpu().is_none() {
        return;
    }
    let client = client();
    let count = 1000usize;
    for (seed, purpose, replica, step) in [
        (0u64, Purpose::Batch, 0, 0),
        (u64::MAX - 5, Purpose::Weights, 7, 12_345),
        (1 << 40, Purpose::Order, 255, u32::MAX),
    ] {
        let out = client.empty(count * 4);
        draws::launch(
            &client,
            CubeCount::Static(8, 1, 1),
            CubeDim::new_1d(128),
            // SAFETY: the buffer holds `count` words, and the kernel checks its length.
            unsafe { BufferArg::from_raw_parts(out.clone(), count) },
            seed as u32,
            (seed >> 32) as u32,
            purpose as u32,
            replica,
            step,
        );
        let bytes = client.read_one(out).unwrap();
        let stream = RandomStream::new(seed, purpose, replica);
        for (index, word) in u32::from_bytes(&bytes).iter().enumerate() {
            assert_eq!(*word, stream.draw_u32(u64::from(step), index as u32), "index {index}");
        }
    }
}

#[test]
fn a_lost_gpu_is_a_failure_and_the_run_goes_on_from_its_checkpoint_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let spec = spec("#v1/sparse-parity?n=10&width=16&held=64&every=10&steps=60&halt=steps&device=gpu");
    let mut session = Session::start(&spec, &gpu, Options::default()).unwrap();
    pollster::block_on(session.advance(1e9, 30)).unwrap();
    let checkpoint = pollster::block_on(session.checkpoint()).unwrap();
    gpu.lose();
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        (0..20).try_for_each(|_| pollster::block_on(session.advance(1e9, 10)).map(|_| ()))
    }));
    match outcome {
        Ok(Ok(())) => panic!("training went on without a GPU"),
        Ok(Err(failure)) => assert!(matches!(failure, RunError::GpuLost(_)), "{failure}"),
        // In the browser a panic ends the worker, which the page takes for the same thing.
        Err(_) => {}
    }
    let mut rest = Session::resume(&checkpoint, &Device::cpu(), Options::default()).unwrap();
    let outcome = pollster::block_on(rest.finish(|_| {})).unwrap();
    assert_eq!(outcome.step, 60);
    assert!(outcome.rows.iter().all(|row| row.test_loss[0].is_finite()));
}
