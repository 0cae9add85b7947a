//! Timing of a run on the CPU and on the GPU, one after the other, before it starts.

use crate::device::{GpuSupport, cpu_program};
use crate::player::{DevicePhase, Player};
use crate::speeds::{DeviceSpeeds, DeviceTiming};
use crate::trainer::{Program, TrainerEffect, TrainerPhase};
use vivarium_model::protocol::{Command, Payload, RunError, TrainingSpeed};
use vivarium_view::display::upload_command;

/// Time in milliseconds for which a run is trained on each device to measure its speed.
const WINDOW_MS: f64 = 120.0;

impl Player {
    /// Starts to measure the speed of the current run on the CPU, then with the GPU program `on_gpu`; after that the
    /// run starts.
    pub fn start_timing<E: From<TrainerEffect>>(&mut self, on_gpu: Program, effects: &mut Vec<E>) {
        let GpuSupport::Adapter { name, .. } = &self.gpu_support else { return };
        let (spec, adapter) = (self.run.spec().clone(), name.clone());
        self.device = DevicePhase::Timing(Box::new(DeviceTiming {
            adapter,
            gpu_program: on_gpu,
            current_program: cpu_program(&spec, self.loops_failed),
            cpu: 0.0,
            spec,
        }));
        self.timing_count += 1;
        self.time_current_program(effects);
    }

    /// Asks the trainer with the program in turn to measure the speed of the run, or opens that trainer first.
    pub fn time_current_program<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        let DevicePhase::Timing(timing) = &self.device else { return };
        let (spec, now) = (timing.spec.clone(), timing.current_program);
        if !self.ensure_trainer(now, effects) {
            return;
        }
        effects
            .extend(upload_command(&spec).map(|(command, table)| TrainerEffect::Send(command, table).into()));
        let command = Command::Measure(self.timing_count, Box::new(spec), WINDOW_MS);
        effects.push(TrainerEffect::Send(command, Payload::Empty).into());
    }

    /// Handles the result of the speed measurement with this number: times the run with the next program, or starts the
    /// run.
    pub fn handle_timing<E: From<TrainerEffect>>(
        &mut self,
        number: u32,
        found: Result<TrainingSpeed, RunError>,
        effects: &mut Vec<E>,
    ) {
        let DevicePhase::Timing(timing) = &mut self.device else { return };
        if number != self.timing_count {
            return;
        }
        let now = timing.current_program;
        let speed = match found {
            Ok(speed) => speed.steps_per_s,
            // Autodiff may train on the GPU what the fused kernels do not support.
            Err(failure @ RunError::NeedsAutodiff(_))
                if now == Program::Fused && self.fused_error.is_none() =>
            {
                return self.handle_failure(now, failure, effects);
            }
            // A run that cannot be trained there has speed 0.
            Err(_) => 0.0,
        };
        if !now.needs_gpu() {
            (timing.cpu, timing.current_program) = (speed, timing.gpu_program);
            return self.time_current_program(effects);
        }
        let DeviceTiming { spec, adapter, gpu_program: on_gpu, cpu, .. } = (**timing).clone();
        if let Some(speeds) = &mut self.speeds {
            speeds.insert(&adapter, &spec, on_gpu, DeviceSpeeds { cpu, gpu: speed });
            effects.push(TrainerEffect::StoreSpeeds(speeds.encode()).into());
        }
        self.resume(effects);
    }

    /// Handles the end of the CPU's worker during its speed measurement: the run counts as impossible on the CPU.
    /// Returns false if nothing was being timed on it.
    pub fn handle_loss_while_timing<E: From<TrainerEffect>>(
        &mut self,
        program: Program,
        effects: &mut Vec<E>,
    ) -> bool {
        let is_timed =
            matches!(&self.device, DevicePhase::Timing(timing) if timing.current_program == program);
        if !is_timed || program.needs_gpu() {
            return false;
        }
        self.trainer = TrainerPhase::Absent;
        self.handle_timing(self.timing_count, Err(RunError::Internal(String::new())), effects);
        true
    }

    /// Returns whether a trainer with this worker program is ready; opens one if not.
    pub fn ensure_trainer<E: From<TrainerEffect>>(&mut self, program: Program, effects: &mut Vec<E>) -> bool {
        if self.trainer.program() != Some(program) {
            self.trainer = TrainerPhase::Opening { program, seconds: 0 };
            self.device_report = None;
            effects.push(TrainerEffect::Open(program).into());
        }
        self.trainer.ready_program() == Some(program)
    }

    /// Stops a measurement of the run's speed on CPU and GPU; returns whether one was in progress.
    pub fn cancel_timing(&mut self) -> bool {
        let was_timing = self.is_timing();
        if was_timing {
            self.device = DevicePhase::Undecided;
        }
        was_timing
    }
}
