//! Which device and which learner a run gets.

use crate::kernels::plan::Network;
use crate::run::{DeviceChoice, LearnerChoice, RunSpec};

/// Operations of one step above which a GPU with autodiff is faster than one processor core.
///
/// # Why
/// A step through autodiff is a fixed chain of launches: 1,020 steps/s on an NVIDIA H200 whatever the size,
/// against 8,280 on flex for (50,3)-parity at width 100 and batch 32 (0.64 Mflop a step) and 61 at width
/// 1,000 and batch 1,024 (205 Mflop). The lines cross near 8 Mflop. 2026-11-20.
pub const AUTODIFF_WORTH_FLOPS: f64 = 8e6;

/// Operations of one step above which a GPU with fused kernels is taken.
///
/// # Why
/// One replica is one workgroup, a small part of any GPU: an H200 made 66,400 steps/s of (50,3)-parity at 0.64
/// Mflop, five times what a browser's CPU makes; a laptop's GPU, with a twentieth of its clock times lanes in
/// one workgroup, is about even there. Two replicas more and it wins, and the CPU starts without a shader to
/// compile. 2026-11-21.
pub const FUSED_WORTH_FLOPS: f64 = 2e6;

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
    match (spec.run.learner, Network::of(spec)) {
        (LearnerChoice::Autodiff, _) => (Engine::Autodiff, String::new()),
        (_, Ok(_)) => (Engine::Fused, String::new()),
        (_, Err(why)) => (Engine::Autodiff, format!("Fused kernels do not cover this network: {why}.")),
    }
}

/// Whether a GPU, if there is one, should train this run.
pub fn prefers_gpu(spec: &RunSpec) -> bool {
    match spec.run.device {
        DeviceChoice::Auto => worth_a_gpu(spec, engine(spec).0),
        DeviceChoice::Cpu => false,
        DeviceChoice::Gpu => true,
    }
}

/// Whether one step is enough work for a GPU with `engine` to be faster than a processor core.
pub fn worth_a_gpu(spec: &RunSpec, engine: Engine) -> bool {
    let threshold = match engine {
        Engine::Fused => FUSED_WORTH_FLOPS,
        Engine::Autodiff => AUTODIFF_WORTH_FLOPS,
    };
    spec.step_flops() > threshold
}

#[cfg(feature = "session")]
pub use with_session::{Chosen, choose};

#[cfg(feature = "session")]
mod with_session {
    use super::*;
    use crate::protocol::{DeviceKind, Failure};
    use crate::training::device::Device;
    use crate::training::learner::Learner;

    /// A learner at its initial weights, with its name for the person.
    pub struct Chosen {
        /// It.
        pub learner: Box<dyn Learner>,
        /// Which it is.
        pub name: String,
        /// Why it is not the faster one; empty where there is nothing to explain.
        pub note: String,
    }

    /// The learner for `spec` on `device`: our kernels where they fit, else autodiff.
    ///
    /// # Errors
    /// [`Failure::NeedsAutodiff`] where this build has no autodiff and the run needs it.
    pub fn choose(spec: &RunSpec, device: &Device) -> Result<Chosen, Failure> {
        let mut note = String::new();
        if device.report().kind == DeviceKind::Gpu {
            let (engine, why) = engine(spec);
            note = why;
            #[cfg(feature = "fused")]
            if engine == Engine::Fused {
                match crate::training::fused::Fused::new(spec) {
                    Ok(learner) => {
                        let name = "fused kernels, many steps per launch".to_string();
                        return Ok(Chosen { learner: Box::new(learner), name, note });
                    }
                    Err(why) => note = format!("Fused kernels do not fit this GPU: {why}."),
                }
            }
            let _ = engine;
        } else if spec.run.learner != LearnerChoice::Autodiff {
            match crate::training::lanes::Lanes::new(spec) {
                Ok(learner) => {
                    return Ok(Chosen { learner: Box::new(learner), name: "fused loop, SIMD".into(), note });
                }
                Err(why) => note = format!("The fused loop does not cover this network: {why}."),
            }
        }
        #[cfg(feature = "train")]
        {
            let learner = crate::training::autodiff::Autodiff::new(spec, device.tensors());
            Ok(Chosen { learner: Box::new(learner), name: "Burn autodiff, step by step".into(), note })
        }
        #[cfg(not(feature = "train"))]
        Err(Failure::NeedsAutodiff(note))
    }
}
