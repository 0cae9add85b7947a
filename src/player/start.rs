//! How a run is prepared and started, and which device trains it.

use crate::device::{DeviceKnowledge, GpuSupport, ProgramChoice, ProgramDecision, decide_program};
use crate::player::{DevicePhase, PauseGoal, Player, ResumedRun, Seek};
use crate::trainer::{BEING_COMPILED, TrainerEffect, TrainerPhase, worker_error_text};
use vivarium_model::permalink::{Link, StartMode};
use vivarium_model::protocol::{Command, Payload};
use vivarium_model::run::RunSpec;
use vivarium_view::display::sweep::SweepProgress;
use vivarium_view::display::{RunPhase, upload_command};

/// Largest number of held-out examples on which a run is measured during training on the CPU; a run with more is
/// measured on this many.
pub const CPU_HELD_OUT: usize = 1024;

/// Returns the number of held-out examples to which evaluations on the CPU during training are limited; None for no
/// limit.
pub fn held_out_limit(spec: &RunSpec) -> Option<usize> {
    let is_drawn = spec.task.examples().held_out_count().is_none();
    (is_drawn && spec.held_out_count() > CPU_HELD_OUT).then_some(CPU_HELD_OUT)
}

impl Player {
    /// Replaces the link of the run and starts its run from the first step.
    pub fn open_link<E: From<TrainerEffect>>(&mut self, link: Link, effects: &mut Vec<E>) {
        self.replace_link(link);
        self.start_from_beginning(effects);
    }

    /// Stores the browser's GPU support, and starts a run that waited for it.
    pub fn handle_gpu_support<E: From<TrainerEffect>>(
        &mut self,
        gpu_support: GpuSupport,
        effects: &mut Vec<E>,
    ) {
        let waited =
            self.device_choice().is_none() && self.run.phase == RunPhase::Loading && self.run.run_count > 0;
        self.gpu_support = gpu_support;
        if waited {
            self.resume(effects);
        } else if let (ProgramDecision::Chosen(new), DevicePhase::Chosen(old)) =
            (self.decide_program(), &mut self.device)
        {
            // The run stays on its device; only the reason is updated.
            if new.program == old.program {
                *old = new;
            }
        }
    }

    /// Handles the news that the server has the programs for the GPU, which were still being compiled: later starts may use
    /// the GPU. The current run stays on the CPU, since its numbers would be rounded differently from this step on.
    pub fn handle_compiled_programs(&mut self) {
        let was_missing = worker_error_text(Some(BEING_COMPILED));
        let Some(failure) = self.gpu_failure.take_if(|failure| failure.reason.contains(&was_missing)) else {
            return;
        };
        // Another run may be on the CPU for another reason by now.
        if let DevicePhase::Chosen(choice) = &mut self.device
            && choice.reason == failure.reason
        {
            choice.reason =
                tr!("the program for the GPU was still being compiled when this run started").into();
            self.message = tr!(
                "The program for the GPU has been compiled. Press Reset to start the same run again, now on the GPU."
            )
            .into();
        }
    }

    /// Chooses the worker program (CPU, GPU or fused kernels) for the current run, or returns what must be found out
    /// first.
    fn decide_program(&self) -> ProgramDecision {
        self.decide_program_for(self.run.spec())
    }

    /// Chooses the worker program (CPU, GPU or fused kernels) for a run with these settings, or returns what must be
    /// found out first.
    fn decide_program_for(&self, spec: &RunSpec) -> ProgramDecision {
        let known = DeviceKnowledge {
            gpu_support: &self.gpu_support,
            gpu_error: self.gpu_failure.as_ref().map(|failure| failure.reason.as_str()),
            uncovered: self.fused_error.is_some(),
            loops_failed: self.loops_failed,
            // The runs of a sweep share launches: the speed of a single run says nothing about them.
            speeds: self.speeds.as_ref().filter(|_| self.run.sweep.is_none()),
        };
        decide_program(spec, known)
    }

    /// Whether the run is at its first step; only then may its device be changed by a measurement.
    fn is_at_start(&self) -> bool {
        self.run.step == 0 && self.checkpoint.is_none() && self.latest_run.is_none()
    }

    /// Returns the worker program for a run with these settings, by an estimate of the speeds if the devices have not
    /// been timed; None before the browser has reported its GPU support.
    pub fn choose_program_for(&self, spec: &RunSpec) -> Option<ProgramChoice> {
        match self.decide_program_for(spec) {
            ProgramDecision::DetectGpu => None,
            ProgramDecision::TimeBoth(_, choice) | ProgramDecision::Chosen(choice) => Some(choice),
        }
    }

    /// Replaces the link of the run without starting its run. A sweep that is left is put aside, to be continued.
    pub fn replace_link(&mut self, link: Link) {
        let first = self.run.run_count == 0;
        let device_wish = link.spec.run.device != self.run.link.spec.run.device;
        // Only the first link obeys "start paused"; a change keeps the run going or waiting.
        self.paused = match self.next_run_paused.take() {
            Some(is_paused) => is_paused,
            None if first => link.view.start == StartMode::Paused,
            None => self.is_to_stay_paused(),
        };
        self.goal = link.start_step().map(|step| PauseGoal { step, ignores_speed_limit: true });
        if let Some(sweep) = self.run.sweep.take() {
            self.suspended_sweep = Some((self.run.link.spec.clone(), sweep));
        }
        self.run.link = link;
        (self.fused_error, self.loops_failed) = (None, false);
        self.consent.question = None;
        self.gpu_failure.take_if(|failure| failure.is_of_this_run || device_wish);
    }

    /// Whether the run is paused, or will be once it has loaded.
    pub fn is_to_stay_paused(&self) -> bool {
        self.run.phase == RunPhase::Paused || (self.run.phase == RunPhase::Loading && self.paused)
    }

    /// Starts the run from its first step, or the sweep from its first run.
    pub fn start_from_beginning<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        self.prepare_sweep();
        if self.run.sweep.as_ref().is_some_and(SweepProgress::is_stopped) {
            self.drop_trainer(effects);
            self.prepare_run();
            self.finish_sweep();
        } else {
            self.start_current_run(effects);
        }
    }

    /// Resets the current run to its first step and starts it, unless it is expensive and the user has not agreed.
    pub fn start_current_run<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        self.prepare_run();
        if self.ask_or_allow_start(effects) {
            self.resume(effects);
        }
    }

    /// Resets the player to the first step of the current run, or to the step of a resumed run; training is not
    /// started.
    pub fn prepare_run(&mut self) {
        self.run.reset_to_start(&vivarium_labs::LABS);
        self.step_rates = None;
        self.checkpoint = None;
        self.replaced_at = None;
        (self.latest_run, self.seek, self.checkpoints) = Default::default();
        if let Some(resumed) = self.resumed_run.take() {
            self.restore_run(resumed);
        }
    }

    /// Sets the run to the step of its checkpoint, with its measurements up to that step.
    fn restore_run(&mut self, resumed: ResumedRun) {
        let ResumedRun { step, checkpoint, rows, solved, initial_weights_file, has_ended } = resumed;
        (self.run.step, self.run.solved, self.paused) = (step, solved, has_ended);
        for row in rows.into_iter().filter(|row| row.step <= step) {
            self.run.add_measurement(row);
        }
        self.run.initial_weights_file = initial_weights_file;
        self.checkpoints.push(step, &checkpoint, self.run.latest_accuracy());
        self.checkpoint = Some((step, checkpoint));
    }

    /// Starts training from the last checkpoint, or from the first step if there is none.
    pub fn resume<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        self.run.phase = RunPhase::Loading;
        self.awaiting_start = true;
        self.trainer.reset_silence();
        if self.latest_run.is_some() && self.seek.is_none() {
            self.seek = Some(Seek { step: self.run.step, phase_on_arrival: RunPhase::Paused });
        }
        self.device = DevicePhase::Undecided;
        match self.decide_program() {
            // Only now: the request starts the GPU, and a browser without one logs a warning.
            ProgramDecision::DetectGpu => {
                if self.gpu_support == GpuSupport::Unknown {
                    self.gpu_support = GpuSupport::Requested { seconds: 0 };
                    effects.push(TrainerEffect::DetectGpu.into());
                }
            }
            ProgramDecision::TimeBoth(program, _) if self.is_at_start() => {
                self.start_timing(program, effects)
            }
            ProgramDecision::TimeBoth(_, choice) | ProgramDecision::Chosen(choice) => {
                let program = choice.program;
                self.device = DevicePhase::Chosen(choice);
                if self.ensure_trainer(program, effects) {
                    self.send_start(effects);
                }
            }
        }
    }

    /// Opens a new trainer for a failed run, and starts from the last checkpoint or from the first step.
    pub fn retry<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        self.replaced_at = None;
        self.trainer = TrainerPhase::Absent;
        self.resume(effects);
    }

    /// Sends the start command to the trainer.
    pub(crate) fn send_start<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        let spec = self.run.spec().clone();
        let is_on_cpu = self.trainer.ready_program().is_some_and(|program| !program.needs_gpu());
        let held_out_limit = is_on_cpu.then(|| held_out_limit(&spec)).flatten();
        let payload =
            self.checkpoint.as_ref().map_or(Payload::Empty, |(_, bytes)| Payload::Bytes(bytes.clone()));
        self.awaiting_start = true;
        self.trainer.add_start();
        let goal = self.goal.filter(|_| self.run.sweep.is_none());
        let speed = if goal.is_some_and(|goal| goal.ignores_speed_limit) { 0 } else { self.speed_limit() };
        let paused = self.paused || goal.is_some() || self.seek.is_some();
        let resting = self.run.sweep.is_some();
        let command = Command::Start { spec, speed, paused, held_out_limit, resting };
        // First the probes, so that they include the first step, and the user's table.
        self.send_probes(effects);
        let table = upload_command(self.run.spec());
        effects.extend(table.map(|(command, table)| TrainerEffect::Send(command, table).into()));
        effects.push(TrainerEffect::Send(command, payload).into());
        self.send_sweep_position(effects);
        if let Some(seek) = &self.seek {
            self.send(Command::Reach(seek.step), effects);
        } else if let Some(goal) = goal {
            self.send(Command::PlayTo(goal.step), effects);
        }
    }

    /// Tells the trainer which probes (measurements of the network's inside) the shown charts need; sends nothing if
    /// none are and were needed.
    pub fn send_probes<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        let probes = self.run.required_probes();
        let was_watching = std::mem::replace(&mut self.probes_sent, !probes.is_empty());
        if self.probes_sent || was_watching {
            self.send(Command::Watch(probes), effects);
        }
    }

    /// Handles the arrival of the page's second WebAssembly module: computes what only that module can, and sends the
    /// probes.
    pub fn handle_second_program<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        self.run.init_lazy_state();
        self.send_probes(effects);
    }

    /// Sends a command to the trainer, if one is ready.
    pub fn send<E: From<TrainerEffect>>(&self, command: Command, effects: &mut Vec<E>) {
        if self.trainer.ready_program().is_some() {
            effects.push(TrainerEffect::Send(command, Payload::Empty).into());
        }
    }

    /// Pauses the run and closes the trainer, so that its later messages are ignored.
    pub fn drop_trainer<E: From<TrainerEffect>>(&mut self, effects: &mut Vec<E>) {
        self.send(Command::Pause, effects);
        (self.trainer, self.device, self.awaiting_start) = Default::default();
        (self.device_report, self.step_rates) = (None, None);
    }
}
