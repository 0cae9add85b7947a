//! Whether a GPU can be trusted: a tiny run on it must give the processor's numbers.
//!
//! # Why
//! In a browser a shader that does not compile is no error: the submission is dropped, recycled buffers give
//! plausible stale numbers, and training goes on (tracel-ai/cubecl#1641, open 2026-09). So the GPU is
//! compared with what the CPU gave before the first run, and every error that cubecl or wgpu logs later ends the run.

use crate::gpu::errors::{forget, listen, trouble};
use crate::launch::choose::Engine;
use crate::launch::device::Device;
use crate::session::learner::{Learner, Segment};
use vivarium_model::permalink::decode;
use vivarium_model::protocol::RunError;

/// A run so small that it takes no time, with all kinds of biases, products and reductions in it.
pub const TINY: &str =
    "#v1/sparse-parity?n=6&k=2&width=9&batch=16&replicas=2&held=64&steps=3&every=3&halt=steps";

/// What the processor gives for [`TINY`]: held-out loss of each replica after three steps, then the sum of all
/// squared weights. A test computes them afresh.
pub const KNOWN: [f32; 3] = [1.021_998_3, 0.993_798_5, 7.739_493];

/// Largest relative difference that is still the rounding of another order of additions.
pub const TOLERANCE: f32 = 1e-4;

/// The numbers of [`KNOWN`], as `learner` gives them.
///
/// # Errors
/// When the device stops working.
pub async fn tiny(learner: &mut dyn Learner) -> Result<[f32; 3], RunError> {
    let spec = decode(TINY).0.spec;
    let mut segment = Segment {
        spec: &spec,
        from: 0,
        until: 3,
        last: 3,
        measured: None,
        held_out: 64,
        deadline_ms: f64::INFINITY,
    };
    let mut last = None;
    while last.as_ref().is_none_or(|row: &vivarium_model::protocol::Measurement| row.step < 3) {
        let progress = learner.advance(&segment).await?;
        segment.from = progress.step;
        last = progress.rows.last().cloned().or(last);
        segment.measured = last.as_ref().map(|row| row.step);
    }
    let loss = last.map(|row| row.test_loss).unwrap_or_default();
    let weights = learner.weights().await?.parameters.concat();
    Ok([loss[0], loss[1], weights.iter().map(|w| w * w).sum()])
}

/// The GPU, after three steps of each of the `engines` have given what the CPU gives.
///
/// # Errors
/// [`RunError::NoGpu`] when there is none, [`RunError::GpuLost`] when its numbers are wrong.
pub async fn checked_gpu(engines: &[Engine]) -> Result<Device, RunError> {
    listen();
    let gpu = Device::gpu().await?;
    // While it looks for adapters, wgpu logs every driver that is not there as an error.
    forget();
    let spec = decode(TINY).0.spec;
    for engine in engines {
        let found = match engine {
            Engine::Fused => {
                let learner =
                    crate::gpu::one_hidden_layer::OneHiddenLayerGpu::new(&spec).map_err(RunError::GpuLost)?;
                tiny(&mut { learner }).await?
            }
            #[cfg(feature = "train")]
            Engine::Autodiff => {
                let learner = crate::autodiff::Autodiff::new(&spec, gpu.tensors());
                tiny(&mut { learner.map_err(RunError::Impossible)? }).await?
            }
            #[cfg(not(feature = "train"))]
            Engine::Autodiff => continue,
        };
        if let Some(why) = trouble() {
            return Err(RunError::GpuLost(why));
        }
        // Said this way round, numbers that are none are no agreement.
        let agrees = |(a, b): (&f32, &f32)| (a - b).abs() <= TOLERANCE * (1.0 + b.abs());
        if !found.iter().zip(&KNOWN).all(agrees) {
            return Err(RunError::GpuLost(
                "in a small trial its numbers differed from the processor's".into(),
            ));
        }
    }
    Ok(gpu)
}
