//! Which device and which learner a run gets.

use crate::kernels::plan::Network;
use crate::kernels::sequence_net;
use crate::models::Model;
use crate::run::{DeviceChoice, LearnerChoice, RunSpec};
use crate::tasks::Form;

/// Operations of one step above which a GPU with autodiff is faster than one processor core with our loop, and
/// with flex where our loop does not cover the network.
///
/// # Why
/// A step through autodiff is a fixed chain of launches: 1,020 steps/s on an NVIDIA H200 whatever the size. Our
/// loop makes 40 to 55 Gflop/s in a browser (63,000 steps/s of 0.64 Mflop, 7,600 of 6.4, 290 of 205), flex 5 to
/// 12: the lines cross near 50 and near 8 Mflop. A laptop's GPU is slower than that one, so the first is doubled.
/// 2026-11-21.
pub const AUTODIFF_WORTH_FLOPS: f64 = 1e8;
/// See [`AUTODIFF_WORTH_FLOPS`].
pub const AUTODIFF_WORTH_FLOPS_OVER_FLEX: f64 = 8e6;

/// Replicas from which on a GPU with fused kernels is faster than one processor core.
///
/// # Why
/// A replica is one workgroup, a small part of any GPU: the prototype's made 42 Gflop/s on an H200, no more than
/// the processor, but 132 of them run at once there, and 8 or more on a laptop's GPU. Below that the processor
/// is as fast, and starts without a shader to compile. 2026-11-21.
pub const FUSED_WORTH_REPLICAS: usize = 8;

/// Operations of one replica's step above which autodiff, which spreads them over the whole GPU, is faster than
/// a kernel that keeps them in one workgroup: a millisecond of launches against as long in one workgroup.
pub const FUSED_MOST_FLOPS: f64 = 5e7;

/// Operations of one step of a network on pairs above which a GPU with our kernels is faster than our loop on the
/// processor.
///
/// # Why
/// The loop makes some 20 to 40 Gflop/s, so that p = 23 with 200 neurons (15 Mflop) takes it half a millisecond. A
/// GPU's step is two launches, or one workgroup's work, and takes a tenth of a millisecond at least; a laptop's is
/// slower than a server's. Estimated, not measured on hardware.
pub const PAIRS_WORTH_FLOPS: f64 = 2e7;

/// Operations of one step of a network on sequences above which a GPU with our kernels is faster than our loop on the
/// processor.
///
/// # Why
/// The loop makes some 20 Gflop/s, so that this is half a millisecond. A GPU takes a workgroup to a sequence and two
/// launches to a step: a tenth to a fifth of a millisecond on a server's, several times that where a laptop's takes
/// sequences in turns. Estimated, not measured on hardware.
pub const SEQUENCES_WORTH_FLOPS: f64 = 1e7;

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
    let one = spec.step_flops() / spec.run.replicas as f64;
    if matches!(spec.model, Model::RandomForest(_)) {
        return (Engine::Autodiff, "A forest grows on the processor.".into());
    }
    if spec.run.learner != LearnerChoice::Autodiff && matches!(spec.model, Model::GroupNet(_)) {
        return match Some(spec.batch()) == spec.task.sampler().sample_size() {
            true => (Engine::Fused, String::new()),
            false => (Engine::Autodiff, format!("{UNCOVERED}: a step takes a part of the sample.")),
        };
    }
    if spec.run.learner != LearnerChoice::Autodiff && spec.task.sampler().form() == Form::Sequence {
        return match sequence_net::covers(spec) {
            Ok(()) => (Engine::Fused, String::new()),
            Err(why) => (Engine::Autodiff, format!("{UNCOVERED}: {why}.")),
        };
    }
    let network = Network::of(spec).and_then(|network| network.on_a_gpu().map(|()| network));
    match (spec.run.learner, network) {
        (LearnerChoice::Autodiff, _) => (Engine::Autodiff, String::new()),
        (_, Err(why)) => (Engine::Autodiff, format!("{UNCOVERED}: {why}.")),
        (LearnerChoice::Auto, Ok(_)) if one > FUSED_MOST_FLOPS => {
            (Engine::Autodiff, "For a network this large autodiff uses more of a GPU.".into())
        }
        (_, Ok(_)) => (Engine::Fused, String::new()),
    }
}

/// What is said of a run that our kernels train many steps at a time.
pub const KERNELS: &str = "fused kernels, many steps per launch";

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
    if matches!(spec.model, Model::RandomForest(_)) {
        return false;
    }
    if engine == Engine::Fused && matches!(spec.model, Model::GroupNet(_)) {
        return spec.step_flops() > PAIRS_WORTH_FLOPS;
    }
    if engine == Engine::Fused && spec.task.sampler().form() == Form::Sequence {
        return spec.step_flops() > SEQUENCES_WORTH_FLOPS;
    }
    let loops = spec.run.learner != LearnerChoice::Autodiff && Network::of(spec).is_ok();
    match engine {
        Engine::Fused => spec.run.replicas >= FUSED_WORTH_REPLICAS,
        Engine::Autodiff if loops => spec.step_flops() > AUTODIFF_WORTH_FLOPS,
        Engine::Autodiff => spec.step_flops() > AUTODIFF_WORTH_FLOPS_OVER_FLEX,
    }
}

#[cfg(feature = "session")]
pub use with_session::{Chosen, choose};

#[cfg(feature = "session")]
mod with_session {
    use super::*;
    use crate::protocol::{DeviceKind, Failure};
    use crate::training::launch::device::Device;
    use crate::training::session::learner::Learner;

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
    fn fits(spec: &RunSpec) -> Result<(), Failure> {
        use crate::kernels::client::{client, limits};
        let most = limits(&client()).buffer_bytes;
        let parameters = spec.parameters();
        let inputs = spec.task.sampler().inputs();
        let widest = spec.architecture().activations(inputs).max(inputs);
        let activations = spec.run.replicas * spec.batch() * widest;
        let largest = parameters.iter().map(|p| p.len()).max().unwrap_or(0).max(activations) as u64 * 4;
        if largest > most {
            let (need, have) = (largest.div_ceil(1 << 20), most >> 20);
            let why = format!("this run needs a buffer of {need} MiB, and the GPU takes {have} MiB at most");
            return Err(Failure::TooLarge(why));
        }
        Ok(())
    }

    /// Our kernels for `spec`, and what they do.
    #[cfg(feature = "fused")]
    fn kernels(spec: &RunSpec) -> Result<(Box<dyn Learner>, &'static str), String> {
        use crate::kernels::group_net::plan::Variant;
        let many = KERNELS;
        let two = "fused kernels, two launches per step";
        if spec.task.sampler().form() == Form::Sequence {
            return Ok((Box::new(crate::training::gpu::sequence_net::SequenceNetGpu::new(spec)?), two));
        }
        if !matches!(spec.model, Model::GroupNet(_)) {
            return Ok((
                Box::new(crate::training::gpu::one_hidden_layer::OneHiddenLayerGpu::new(spec)?),
                many,
            ));
        }
        let learner = crate::training::gpu::group_net::GroupNetGpu::new(spec)?;
        let name = match learner.variant() {
            Variant::One => many,
            Variant::Many => two,
        };
        Ok((Box::new(learner), name))
    }

    /// Our loops on the processor for `spec`.
    fn loops(spec: &RunSpec) -> Result<Box<dyn Learner>, String> {
        Ok(match spec.task.sampler().form() {
            Form::Bits => Box::new(crate::training::cpu::one_hidden_layer::OneHiddenLayerCpu::new(spec)?),
            Form::Pair => Box::new(crate::training::cpu::group_net::GroupNetCpu::new(spec)?),
            Form::Sequence => Box::new(crate::training::cpu::sequence_net::SequenceNetCpu::new(spec)?),
        })
    }

    /// The learner for `spec` on `device`: our kernels where they fit, else autodiff.
    ///
    /// # Errors
    /// [`Failure::NeedsAutodiff`] where this build has no autodiff and the run needs it, [`Failure::TooLarge`]
    /// where the run is too large for the GPU altogether.
    pub fn choose(spec: &RunSpec, device: &Device) -> Result<Chosen, Failure> {
        let mut note = String::new();
        #[cfg(feature = "train")]
        if let Model::RandomForest(forest) = &spec.model {
            let learner = Box::new(crate::training::cpu::random_forest::Forest::new(spec, forest));
            return Ok(Chosen { learner, name: "decision trees".into(), note });
        }
        if device.report().kind == DeviceKind::Gpu {
            let (engine, why) = engine(spec);
            note = why;
            #[cfg(feature = "fused")]
            if engine == Engine::Fused {
                match kernels(spec) {
                    Ok((learner, name)) => return Ok(Chosen { learner, name: name.into(), note }),
                    Err(why) => note = format!("Fused kernels do not fit this GPU: {why}."),
                }
            }
            let _ = engine;
            #[cfg(feature = "fused")]
            fits(spec)?;
        } else if spec.run.learner != LearnerChoice::Autodiff {
            match loops(spec) {
                Ok(learner) => return Ok(Chosen { learner, name: "fused loop, SIMD".into(), note }),
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
