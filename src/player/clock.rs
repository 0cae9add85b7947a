//! Timeouts of the browser and of the trainer, checked once a second.

use crate::device::GpuSupport;
use crate::player::{DevicePhase, Player};
use crate::trainer::{TrainerEffect, TrainerPhase};
use vivarium_model::protocol::Command;
use vivarium_model::run::DeviceChoice;
use vivarium_view::display::RunPhase;

/// Seconds after which a trainer on the GPU that has not reported to be ready counts as failed; it loads its
/// WebAssembly and compiles kernels.
const GPU_READY_TIMEOUT_S: u32 = 20;
/// Seconds until the browser must have reported its GPU support; after that the GPU counts as absent.
const GPU_DETECT_TIMEOUT_S: u32 = 5;
/// Seconds without a message after which a running trainer is sent a request, to see whether it answers.
const PING_AFTER_S: u32 = 5;
/// Seconds without a message after which a running trainer counts as dead; longer for runs with slow steps.
const DEAD_AFTER_S: u32 = 12;
/// Least value of the three limits for a run whose settings demand the GPU. On a busy machine the start of the browser's
/// GPU process and the compilation of a kernel each take longer than the limits of a run that chooses its device itself.
const DEMANDED_GPU_TIMEOUT_S: u32 = 60;

impl Player {
    /// Returns a time limit in seconds for an answer of the GPU: `seconds`, or more if the run's settings demand the GPU.
    fn gpu_timeout_s(&self, seconds: u32) -> u32 {
        match self.run.spec().run.device {
            DeviceChoice::Gpu => seconds.max(DEMANDED_GPU_TIMEOUT_S),
            DeviceChoice::Auto | DeviceChoice::Cpu => seconds,
        }
    }

    /// Counts one second, and checks the timeouts of the browser and of the trainer.
    pub fn tick<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        if let Some(sweep) =
            self.run.sweep.as_mut().filter(|_| self.run.phase == RunPhase::Running || self.awaiting_start)
        {
            sweep.trained_seconds += 1;
        }
        self.update_seek(effects);
        let [detect_timeout, ready_timeout] =
            [GPU_DETECT_TIMEOUT_S, GPU_READY_TIMEOUT_S].map(|seconds| self.gpu_timeout_s(seconds));
        let is_detecting = self.run.phase == RunPhase::Loading && self.device == DevicePhase::Undecided;
        if let GpuSupport::Requested { seconds } = &mut self.gpu_support
            && is_detecting
        {
            *seconds += 1;
            if *seconds >= detect_timeout {
                self.handle_gpu_support(GpuSupport::NoAdapter, effects);
            }
            return;
        }
        let is_expected = self.run.phase == RunPhase::Running || self.awaiting_start;
        match &mut self.trainer {
            // The CPU's program may be slow to download, and there is nothing to fall back to.
            TrainerPhase::Opening { program, seconds } if program.needs_gpu() => {
                *seconds += 1;
                if *seconds >= ready_timeout {
                    let program = *program;
                    let why = tr!(
                        "the worker for the GPU did not answer within {seconds} seconds",
                        seconds = ready_timeout
                    );
                    self.replace_trainer(program, &why, false, effects);
                }
            }
            TrainerPhase::Ready { program, silent_seconds, .. } if is_expected => {
                *silent_seconds += 1;
                let (program, silent_seconds) = (*program, *silent_seconds);
                // Large networks may take long for one step, and many held-out sequences long for the first
                // measurement.
                let patience = self.run.spec().estimate_cost().response_timeout_s(DEAD_AFTER_S);
                let patience = if program.needs_gpu() { self.gpu_timeout_s(patience) } else { patience };
                if silent_seconds == PING_AFTER_S {
                    self.send(Command::Checkpoint, effects);
                } else if silent_seconds >= patience {
                    self.replace_trainer(
                        program,
                        &tr!("the worker sent nothing for {patience} seconds", patience),
                        false,
                        effects,
                    );
                }
            }
            _ => {}
        }
    }
}
