//! Which device and which learner a run gets.

use super::learners::{Place, entry};
use super::worth::AUTODIFF_WORTH_FLOPS_OVER_FLEX;
use vivarium_model::run::time::estimate_run_seconds;
use vivarium_model::run::{DeviceChoice, LearnerChoice, RunSpec};

/// How the note begins that says why kernels do not train.
const UNCOVERED: &str = "Fused kernels do not cover this network";

/// What a run is trained with on a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Our kernels.
    Fused,
    /// Burn.
    Autodiff,
}

/// What trains `spec` on a GPU, as far as that can be known without one, and why not fused kernels.
pub fn engine(spec: &RunSpec) -> (Engine, String) {
    if entry(spec, Place::Anywhere).is_some() && entry(spec, Place::Gpu).is_none() {
        return (Engine::Autodiff, "Models that are not trained with gradients run on the processor.".into());
    }
    if spec.run.learner == LearnerChoice::Autodiff {
        return (Engine::Autodiff, String::new());
    }
    let Some(entry) = entry(spec, Place::Gpu) else { return (Engine::Autodiff, format!("{UNCOVERED}.")) };
    match entry.accepts(spec) {
        Err(why) => (Engine::Autodiff, format!("{UNCOVERED}: {why}.")),
        Ok(()) if spec.run.learner == LearnerChoice::Auto && (entry.autodiff_worth)(spec) > 1.0 => {
            (Engine::Autodiff, "For a network of this size, autodiff makes better use of a GPU.".into())
        }
        Ok(()) => (Engine::Fused, String::new()),
    }
}

/// Whether a loop of ours trains, executes or searches this run on the processor, so that it needs no autodiff there.
pub fn is_trained_by_loops(spec: &RunSpec) -> bool {
    let is_covered = || entry(spec, Place::Cpu).is_some_and(|entry| entry.accepts(spec).is_ok());
    entry(spec, Place::Anywhere).is_some() || spec.run.learner != LearnerChoice::Autodiff && is_covered()
}

/// Whether a GPU, if there is one, should train this run.
pub fn prefers_gpu(spec: &RunSpec) -> bool {
    match spec.run.device {
        DeviceChoice::Auto => worth_a_gpu(spec, engine(spec).0),
        DeviceChoice::Cpu => false,
        DeviceChoice::Gpu => true,
    }
}

/// Whether one step is enough work for a GPU with `engine` to be faster than a processor core, by an estimate.
pub fn worth_a_gpu(spec: &RunSpec, engine: Engine) -> bool {
    gpu_worth(spec, engine) >= 1.0
}

/// The work of a step as a multiple of that from which on a GPU with `engine` is estimated to be faster than a processor
/// core: how the estimates are found is in [`worth`](super::worth).
pub fn gpu_worth(spec: &RunSpec, engine: Engine) -> f64 {
    if entry(spec, Place::Anywhere).is_some() && engine != Engine::Fused {
        return 0.0;
    }
    match engine {
        Engine::Fused => entry(spec, Place::Gpu).map_or(0.0, |entry| (entry.gpu_worth)(spec)),
        Engine::Autodiff => match entry(spec, Place::Cpu) {
            Some(entry) if spec.run.learner != LearnerChoice::Autodiff && entry.accepts(spec).is_ok() => {
                (entry.autodiff_worth)(spec)
            }
            _ => spec.step_flops() / AUTODIFF_WORTH_FLOPS_OVER_FLEX,
        },
    }
}

/// Whether an estimate is too rough to tell which device is faster, so that both are to be timed: on a GPU that is not the
/// one of the estimates the lines may cross elsewhere, from a quarter to thirty times the work.
///
/// # Why
/// Far below, the other program would be fetched for nothing; far above, one step on the processor may take seconds.
pub fn is_to_be_timed(spec: &RunSpec, engine: Engine) -> bool {
    /// Seconds of the processor for one step above which it is not tried.
    const SLOWEST_STEP_S: f64 = 0.1;
    let is_searched = entry(spec, Place::Anywhere).is_some();
    let step_s = estimate_run_seconds(spec) / spec.run.steps.max(1) as f64;
    !is_searched && (0.25..=32.0).contains(&gpu_worth(spec, engine)) && step_s < SLOWEST_STEP_S
}

#[cfg(feature = "session")]
pub use with_session::{Chosen, choose};

#[cfg(feature = "session")]
mod with_session {
    use super::*;
    use crate::launch::device::Device;
    use crate::session::learner::Learner;
    use vivarium_core::bounds::MAX_TENSOR_ENTRIES;
    use vivarium_model::protocol::{DeviceKind, RunError};

    /// A learner at its initial weights, with its name for the person.
    pub struct Chosen {
        /// It.
        pub learner: Box<dyn Learner>,
        /// Which it is.
        pub name: String,
        /// Why it is not the faster one; empty where there is nothing to explain.
        pub note: String,
    }

    /// Whether the largest tensor of an autodiff step fits the GPU: weights, inputs or activations of all replicas.
    #[cfg(feature = "fused")]
    fn fits(spec: &RunSpec) -> Result<(), RunError> {
        use vivarium_core::bounds;
        use vivarium_kernels::client::{client, limits};
        let most = limits(&client()).buffer_bytes;
        let parameters = spec.parameters();
        let inputs = spec.task.examples().inputs();
        let widest = spec.architecture().activations(inputs).max(inputs as u64);
        let activations =
            bounds::saturating_product([spec.run.replicas as u64, spec.batch_size() as u64, widest]);
        let weights = parameters.iter().map(|p| p.numbers()).max().unwrap_or(0);
        let largest = weights.max(activations).saturating_mul(4);
        if largest > most {
            let (need, have) = (largest.div_ceil(1 << 20), most >> 20);
            let why = format!("this run needs a buffer of {need} MiB, and the GPU takes {have} MiB at most");
            return Err(RunError::TooLarge(why));
        }
        Ok(())
    }

    /// The learner for `spec` on `device`: our kernels where they fit, else autodiff.
    ///
    /// # Errors
    /// [`RunError::NeedsAutodiff`] where this build has no autodiff and the run needs it, [`RunError::TooLarge`]
    /// where the run is too large for the GPU altogether.
    pub fn choose(spec: &RunSpec, device: &Device) -> Result<Chosen, RunError> {
        let mut note = String::new();
        let make = |place| entry(spec, place).and_then(|entry| entry.build(spec));
        // No other learner runs a process, so that an error of this one is the error of the run.
        let process = |note: &String| {
            make(Place::Anywhere).map(|learner| match learner {
                Ok((learner, name)) => Ok(Chosen { learner, name: name.into(), note: note.clone() }),
                Err(why) => Err(RunError::Impossible(why)),
            })
        };
        if device.report().kind == DeviceKind::Gpu {
            let (engine, why) = engine(spec);
            note = why;
            let kernels = (engine == Engine::Fused).then(|| make(Place::Gpu)).flatten();
            match kernels {
                Some(Ok((learner, name))) => return Ok(Chosen { learner, name: name.into(), note }),
                Some(Err(why)) => note = format!("Fused kernels do not fit this GPU: {why}."),
                None => {}
            }
            if let Some(chosen) = process(&note) {
                return chosen;
            }
            #[cfg(feature = "fused")]
            fits(spec)?;
        } else if let Some(chosen) = process(&note) {
            return chosen;
        } else if spec.run.learner != LearnerChoice::Autodiff {
            let refusal = match make(Place::Cpu) {
                Some(Ok((learner, name))) => return Ok(Chosen { learner, name: name.into(), note }),
                Some(Err(why)) => Some(why),
                // The program that has autodiff in a browser has no loops.
                None => entry(spec, Place::Cpu).and_then(|entry| entry.accepts(spec).err()),
            };
            if let Some(why) = refusal {
                note = format!("The fused loop does not cover this network: {why}.");
            }
        }
        if device.report().kind == DeviceKind::Cpu && spec.sizes().activations > MAX_TENSOR_ENTRIES {
            let why = "its activations would not fit into memory: choose fewer networks or a smaller batch";
            return Err(RunError::Impossible(why.into()));
        }
        #[cfg(feature = "train")]
        {
            let learner = crate::autodiff::Autodiff::new(spec, device.tensors());
            let learner = learner.map_err(RunError::Impossible)?;
            Ok(Chosen { learner: Box::new(learner), name: "Burn autodiff, step by step".into(), note })
        }
        #[cfg(not(feature = "train"))]
        Err(RunError::NeedsAutodiff(note))
    }
}
