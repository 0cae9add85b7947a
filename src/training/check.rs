//! Whether a GPU can be trusted: a tiny run on it must give the processor's numbers.
//!
//! # Why
//! In a browser a shader that does not compile is no error: the submission is dropped, recycled buffers give
//! plausible stale numbers, and training goes on (tracel-ai/cubecl#1641, open 2026-09). So the GPU is
//! compared with the CPU before the first run, and every error that cubecl or wgpu logs later ends the run.

use std::sync::Mutex;

use super::autodiff::Autodiff;
use super::device::Device;
use super::learner::Learner;
use crate::permalink::decode;
use crate::protocol::Failure;

/// A run so small that it takes no time, with all three kinds of biases, products and reductions in it.
const TINY: &str = "#v1/sparse-parity?n=6&k=2&width=9&batch=16&replicas=2&held=64";

/// Largest relative difference that is still the rounding of another order of additions.
pub const TOLERANCE: f32 = 1e-4;

/// The GPU, after three steps on it have given what the CPU gives.
///
/// # Errors
/// [`Failure::NoGpu`] when there is none, [`Failure::GpuLost`] when its numbers are wrong.
pub async fn checked_gpu() -> Result<Device, Failure> {
    listen();
    let gpu = Device::gpu().await?;
    // While it looks for adapters, wgpu logs every driver that is not there as an error.
    forget();
    let spec = decode(TINY).0.spec;
    let mut ends = vec![];
    for device in [&gpu, &Device::cpu()] {
        let mut learner = Autodiff::new(&spec, device.tensors());
        for step in 0..3 {
            learner.train(step, 0.1);
        }
        let row = learner.measure(3, 64).await?;
        let mut numbers = learner.weights().await?.parameters.concat();
        numbers.extend(row.test_loss);
        ends.push(numbers);
    }
    if let Some(why) = trouble() {
        return Err(Failure::GpuLost(why));
    }
    // Said this way round, numbers that are none are no agreement.
    let agrees = |(a, b): (&f32, &f32)| (a - b).abs() <= TOLERANCE * (1.0 + b.abs());
    if !ends[0].iter().zip(&ends[1]).all(agrees) {
        return Err(Failure::GpuLost("in a small trial its numbers differed from the processor's".into()));
    }
    Ok(gpu)
}

static TROUBLE: Mutex<Option<String>> = Mutex::new(None);

/// The first error that the GPU libraries have logged, if any.
pub fn trouble() -> Option<String> {
    TROUBLE.lock().ok().and_then(|trouble| trouble.clone())
}

fn forget() {
    if let Ok(mut trouble) = TROUBLE.lock() {
        *trouble = None;
    }
}

struct Listener;

impl log::Log for Listener {
    fn enabled(&self, metadata: &log::Metadata) -> bool {
        metadata.level() <= log::Level::Error
    }

    fn log(&self, record: &log::Record) {
        let ours = ["cubecl", "wgpu", "burn", "naga"].iter().any(|name| record.target().starts_with(name));
        if self.enabled(record.metadata()) && ours {
            let line = record.args().to_string();
            if let Ok(mut trouble) = TROUBLE.lock() {
                // The first error is the cause; later ones follow from it. Shaders are long.
                trouble.get_or_insert_with(|| line.chars().take(300).collect());
            }
        }
    }

    fn flush(&self) {}
}

/// Hears what the GPU libraries log as errors. A second call changes nothing.
fn listen() {
    if log::set_logger(&Listener).is_ok() {
        log::set_max_level(log::LevelFilter::Error);
    }
}
