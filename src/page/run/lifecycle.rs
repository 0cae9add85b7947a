//! How an action changes the state, and how a run is prepared and started.

use crate::bench;
use crate::gallery::FRAGMENT;
use crate::settings::form::{default_value_text, theory_setting};
use crate::state::{Action, InvalidInput, State, TrainerStatus, UndoEntry};
use crate::timeline::Seek;
use crate::tour::PauseGoal;
use crate::trainer::device::{DeviceKnowledge, GpuSupport, ProgramChoice, ProgramDecision, decide_program};
use crate::trainer::{Effect, Program};
use vivarium_core::language::translated;
use vivarium_core::settings::{InvalidSetting, Range, SettingInfo, Settings, Value};
use vivarium_labs::PRESETS;
use vivarium_model::permalink::{Link, StartMode, ViewSettings, decode, encode, percent_decode};
use vivarium_model::protocol::{Command, EndReason, Payload};
use vivarium_model::run::{OPTIMIZER_KEY, RunSpec, StopCondition};
use vivarium_view::display::sweep::SweepProgress;
use vivarium_view::display::upload_command;
use vivarium_view::display::{RunPhase, words};

/// Largest number of changes in the list of Undo; beyond it the oldest is removed.
const MAX_UNDO: usize = 100;

/// Largest number of held-out examples on which a run is measured during training on the CPU; a run with more is
/// measured on this many.
pub const CPU_HELD_OUT: usize = 1024;

/// Returns the number of held-out examples to which evaluations on the CPU during training are limited; None for no
/// limit.
pub fn held_out_limit(spec: &RunSpec) -> Option<usize> {
    let is_drawn = spec.task.examples().held_out_count().is_none();
    (is_drawn && spec.held_out_count() > CPU_HELD_OUT).then_some(CPU_HELD_OUT)
}

/// Largest number of learning-rate changes that the user can make in a run; a further change is rejected.
const MAX_RATE_CHANGES: usize = 64;

/// Largest number of notices about ignored parts of links; beyond it the oldest are dropped.
const MAX_NOTICES: usize = 24;

impl State {
    /// Applies an action to the state. Returns the effects that the caller must carry out, in order.
    pub fn apply(&mut self, action: Action) -> Vec<Effect> {
        let mut effects = vec![];
        if let Action::TogglePlay | Action::SingleStep | Action::Reset = action {
            self.clear_goal(&mut effects);
        }
        match action {
            Action::Open(fragment) => self.open_fragment(&fragment, &mut effects),
            Action::GpuDetected(survey) => self.handle_gpu_support(survey, &mut effects),
            Action::Trainer(kind, sign) => self.handle_trainer_message(kind, sign, &mut effects),
            Action::SweepRunEnded(run, outcome) => self.handle_worker_outcome(run, outcome),
            Action::Tick => self.tick(&mut effects),
            Action::ContinueWork => self.run.continue_work(),
            Action::Edit(key, text) => self.edit(&key, &text, &mut effects),
            Action::Request(what) => self.handle_request(what, &mut effects),
            Action::ResetField(key) => self.reset_field(&key, &mut effects),
            Action::ChoosePreset(preset) => {
                if self.refuse_if_locked("presets") {
                    return effects;
                }
                let mut link = preset.link();
                link.teacher_keys.clone_from(&self.run.link.teacher_keys);
                self.change_link(
                    link,
                    tr!("The page has opened the preset {preset}.", preset = translated(preset.name)),
                    &mut effects,
                );
            }
            Action::TogglePlay => self.toggle_play(&mut effects),
            Action::SingleStep => self.single_step(&mut effects),
            Action::Reset => {
                self.paused = self.run.phase == RunPhase::Paused
                    || (self.run.phase == RunPhase::Loading && self.paused);
                self.message = self.start_message(tr!("The same run has started again."));
                self.save_before_next_run(&mut effects);
                self.start_from_beginning(&mut effects);
            }
            Action::NewSeed(seed) => {
                if self.refuse_if_locked("seed") {
                    return effects;
                }
                let mut link = self.run.link.clone();
                link.spec.run.seed = seed;
                self.change_link(
                    link,
                    tr!("The run has started with the new seed {seed}.", seed),
                    &mut effects,
                );
            }
            Action::ToggleChart(chart) => self.toggle_chart(chart, &mut effects),
            Action::ToggleAxis(key) => self.toggle_axis(key, &mut effects),
            Action::Gallery(what) => self.apply_gallery_action(what),
            Action::Bench(what) => self.apply_bench_action(what, &mut effects),
            Action::Tour(what) => self.apply_tour_action(what, &mut effects),
            Action::Presenter(what) => self.apply_presenter_action(what, &mut effects),
            Action::Sweep(wish) => self.apply_sweep_action(wish, &mut effects),
            Action::Scrub(step) => self.scrub(step, &mut effects),
            Action::ScrubBy(later) => self.scrub_to_neighbour(later, &mut effects),
            Action::ShowLatestStep => self.show_latest_step(&mut effects),
            Action::Viewport(sight) => self.apply_viewport_action(sight),
            Action::Library(wish) => self.apply_library_action(wish, &mut effects),
            Action::Undo => self.undo_last(&mut effects),
            Action::Retry => {
                self.replaced_at = None;
                self.message = match &self.checkpoint {
                    Some((step, _)) => {
                        tr!("The run has restarted from step {step}.", step = words::format_thousands(*step))
                    }
                    None => tr!("The run has restarted from its beginning.").into(),
                };
                self.trainer = TrainerStatus::Absent;
                self.resume(&mut effects);
            }
            Action::DismissNotices => self.notices.clear(),
            Action::SecondProgramLoaded => self.handle_second_program(&mut effects),
            Action::ShowMessage(text) => self.message = text.into(),
            Action::FileMessage(number, news) => self.handle_file_message(number, news, &mut effects),
            Action::RequestWeights => self.request_weights(&mut effects),
        }
        self.show_due_explanations();
        if let Some(end) = &mut self.latest_run {
            end.link.view.clone_from(&self.run.link.view);
        }
        for compared in &mut self.library.compared {
            compared.run.link.view.clone_from(&self.run.link.view);
        }
        effects
    }

    /// Opens the gallery, the benchmark, a story or a run, according to the fragment of the address.
    fn open_fragment(&mut self, fragment: &str, effects: &mut Vec<Effect>) {
        // Gallery, benchmark and stories have no settings; a chat program may have added some, or have encoded the
        // address.
        let plain = percent_decode(fragment);
        let room = plain.split('?').next().unwrap_or_default();
        if room == bench::FRAGMENT {
            self.start_hidden_run(effects);
            self.gallery.is_open = false;
            return self.open_bench();
        }
        self.close_bench(effects);
        if room == FRAGMENT {
            self.start_hidden_run(effects);
            if !self.refuse_if_locked("presets") {
                self.open_gallery(effects);
            }
            return;
        }
        self.gallery.is_open = false;
        if let Some(slug) = room.trim_start_matches('#').strip_prefix("story/") {
            if self.run.run_count == 0 {
                self.start_link(PRESETS[0].link(), effects);
            }
            return self.open_story(slug, effects);
        }
        // The user has gone back in the history, to before the story.
        self.tour = None;
        let empty = fragment.trim_start_matches('#').is_empty();
        let (link, notices) = if empty { (PRESETS[0].link(), vec![]) } else { decode(fragment) };
        let first = self.run.run_count == 0;
        self.library.is_blank = first && empty;
        if !first && encode(&link) == encode(&self.run.link) {
            self.notices = notices;
            return;
        }
        self.notices = notices;
        if first {
            self.start_link(link, effects);
        } else {
            self.open_link(
                link,
                tr!("The page opened the run that the new address (URL) describes.").into(),
                effects,
            );
        }
    }

    /// Starts the default run if there is none yet; a story, the gallery or the benchmark covers it.
    fn start_hidden_run(&mut self, effects: &mut Vec<Effect>) {
        if self.run.run_count == 0 {
            self.library.is_blank = true;
            self.start_link(PRESETS[0].link(), effects);
        }
    }

    /// Stores the browser's GPU support, and starts a run that waited for it.
    pub(crate) fn handle_gpu_support(&mut self, gpu_support: GpuSupport, effects: &mut Vec<Effect>) {
        let waited =
            self.device_choice.is_none() && self.run.phase == RunPhase::Loading && self.run.run_count > 0;
        self.gpu_support = gpu_support;
        if waited {
            self.resume(effects);
        } else if let (ProgramDecision::Chosen(new), Some(old)) =
            (self.decide_program(), &mut self.device_choice)
        {
            // The run stays on its device; only the reason is updated.
            if new.program == old.program {
                *old = new;
            }
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

    /// Sets the form field `key` to a text; a text that is not accepted is kept with its error.
    pub(crate) fn edit(&mut self, key: &str, text: &str, effects: &mut Vec<Effect>) {
        let text = text.trim();
        self.invalid_inputs.retain(|draft| draft.key != key);
        if self.refuse_if_locked(key) {
            return;
        }
        let taken = match view_setting(key) {
            Some(setting) => self.edit_view(setting, text, effects),
            None if theory_setting(key).is_some() && self.run.lab_state.is_some() => {
                self.edit_theory(key, text)
            }
            None if key == "lr" && self.current_learning_rate().is_some() => {
                self.edit_learning_rate(text, effects)
            }
            None => self.edit_spec(key, text, effects),
        };
        if let Err(problem) = taken {
            self.invalid_inputs.push(InvalidInput { key: key.into(), text: text.into(), error: problem });
        }
    }

    /// Resets the form field `key` to its default.
    pub fn reset_field(&mut self, key: &str, effects: &mut Vec<Effect>) {
        if let Some(text) = default_value_text(self.form_spec(), key) {
            self.edit(key, &text, effects);
        }
    }

    /// Changes the learning rate of the run from the current step on; the earlier steps keep theirs.
    fn edit_learning_rate(&mut self, text: &str, effects: &mut Vec<Effect>) -> Result<(), InvalidSetting> {
        let Some(setting) = self.run.link.spec.setting("lr") else { return Ok(()) };
        let Value::Real(lr) = setting.parse(text)? else { return Ok(()) };
        if self.run.link.spec.run.schedule.len() >= MAX_RATE_CHANGES {
            return Err(InvalidSetting::new(
                "lr",
                text,
                tr!("at most {most} changes of the learning rate in one run", most = MAX_RATE_CHANGES),
            ));
        }
        if lr != self.run.link.spec.learning_rate_before_schedule(self.run.step) {
            self.send(Command::LearningRate(lr), effects);
        }
        Ok(())
    }

    /// Changes a setting of the run and restarts it, unless the new settings conflict.
    fn edit_spec(&mut self, key: &str, text: &str, effects: &mut Vec<Effect>) -> Result<(), InvalidSetting> {
        let mut spec = self.form_spec().clone();
        spec.parse(key, text)?;
        if key == "lr" || key == OPTIMIZER_KEY {
            // A new learning rate or optimizer replaces the changes made during training.
            spec.run.schedule.clear();
        }
        self.conflicts = spec.invalid_settings();
        if !self.conflicts.is_empty() {
            self.message =
                tr!("These settings cannot be combined; the run goes on with the old settings.").into();
            self.pending = Some(spec);
            return Ok(());
        }
        self.pending = None;
        if spec != self.run.link.spec {
            let what = words::describe_changes(&self.run.link.spec, &spec);
            let seed = if spec.run.seed == self.run.link.spec.run.seed {
                tr!("The run has restarted with the same seed")
            } else {
                tr!("The run has restarted")
            };
            let mut link = Link { spec, ..self.run.link.clone() };
            let lost = link.view.repair(&link.spec);
            self.notices.retain(|known| !lost.contains(known));
            self.notices.extend(lost);
            // The user may leave them unread, and each change may add more.
            self.notices.drain(..self.notices.len().saturating_sub(MAX_NOTICES));
            self.change_link(link, tr!("{seed} because {what}.", seed, what), effects);
        }
        Ok(())
    }

    /// Opens another link, after removal of settings that do not apply to it; Undo goes back to the previous link.
    pub fn change_link(&mut self, mut link: Link, message: String, effects: &mut Vec<Effect>) {
        // Another model or lab has other settings. No notice is needed: they are gone from the form as well.
        link.repair_teacher_keys();
        // The pause step of a teacher's link applies to its own run only.
        self.open_link(link.without_teacher_key("at"), message, effects);
    }

    /// Returns whether the link forbids changes to the setting or part of the page named `name`; if so, sets a message.
    pub fn refuse_if_locked(&mut self, name: &str) -> bool {
        let is_locked = self.run.link.locks(name);
        if is_locked {
            self.message = tr!("This page was opened with a link that does not allow this change.").into();
        }
        is_locked
    }

    /// Opens another link and starts its run; Undo goes back to the previous link.
    fn open_link(&mut self, link: Link, message: String, effects: &mut Vec<Effect>) {
        self.clear_goal(effects);
        self.push_undo(UndoEntry::Link(Box::new(self.run.link.clone())));
        self.message = message;
        self.start_link(link, effects);
    }

    /// Appends an entry to the list of Undo, and removes the oldest entry if there are too many.
    pub(crate) fn push_undo(&mut self, before: UndoEntry) {
        if self.undo.len() >= MAX_UNDO {
            self.undo.remove(0);
        }
        self.undo.push(before);
    }

    /// Replaces the link of the page and starts its run.
    pub(crate) fn start_link(&mut self, link: Link, effects: &mut Vec<Effect>) {
        self.gallery.is_open = false;
        self.replace_link(link, effects);
        self.start_from_beginning(effects);
    }

    /// Replaces the link of the page without starting its run; the current run is saved before.
    pub fn replace_link(&mut self, link: Link, effects: &mut Vec<Effect>) {
        let first = self.run.run_count == 0;
        self.close_bench(effects);
        self.save_before_next_run(effects);
        let device_wish = link.spec.run.device != self.run.link.spec.run.device;
        // Only the page's opening obeys "start paused"; a change keeps the run going or waiting.
        self.paused = if first {
            link.view.start == StartMode::Paused
        } else {
            self.run.phase == RunPhase::Paused || (self.run.phase == RunPhase::Loading && self.paused)
        };
        self.goal = link.start_step().map(|step| PauseGoal { step, ignores_speed_limit: true });
        if let Some(sweep) = self.run.sweep.take() {
            self.suspended_sweep = Some((self.run.link.spec.clone(), sweep));
        }
        self.run.link = link;
        self.fused_error = None;
        self.consent.question = None;
        self.pending = None;
        self.conflicts.clear();
        self.invalid_inputs.clear();
        self.gpu_failure.take_if(|failure| failure.is_of_this_run || device_wish);
    }

    /// Starts the run from its first step, or the sweep from its first run.
    pub fn start_from_beginning(&mut self, effects: &mut Vec<Effect>) {
        self.prepare_sweep();
        if self.run.sweep.as_ref().is_some_and(SweepProgress::is_stopped) {
            self.drop_trainer(effects);
            self.prepare_run();
            self.finish_sweep();
        } else {
            self.start_current_run(effects);
        }
    }

    /// Sets the progress of the link's sweep: as it was left, or a new one; none if the link has no sweep.
    pub fn prepare_sweep(&mut self) {
        let shelved = self.suspended_sweep.take_if(|(spec, _)| *spec == self.run.link.spec);
        self.run.sweep = shelved.map(|(_, sweep)| sweep).or_else(|| SweepProgress::of(&self.run.link.spec));
    }

    /// Resets the current run to its first step and starts it, unless it is expensive and the user has not agreed.
    pub fn start_current_run(&mut self, effects: &mut Vec<Effect>) {
        self.prepare_run();
        if self.ask_or_allow_start(effects) {
            self.resume(effects);
        }
    }

    /// Resets the state to the first step of the current run; training is not started.
    pub fn prepare_run(&mut self) {
        self.run.reset_to_start(&vivarium_labs::LABS);
        self.file_error.clear();
        self.viewport.zoom = None;
        self.step_rates = None;
        self.checkpoint = None;
        self.replaced_at = None;
        (self.latest_run, self.seek, self.checkpoints) = Default::default();
        self.restore_resumed_run();
    }

    /// Starts training from the last checkpoint, or from the first step if there is none.
    pub fn resume(&mut self, effects: &mut Vec<Effect>) {
        self.run.phase = RunPhase::Loading;
        self.awaiting_start = true;
        self.silent_seconds = 0;
        if self.latest_run.is_some() && self.seek.is_none() {
            self.seek = Some(Seek { step: self.run.step, phase_on_arrival: RunPhase::Paused });
        }
        (self.device_choice, self.timing) = (None, None);
        match self.decide_program() {
            // Only now: the request starts the GPU, and a browser without one logs a warning.
            ProgramDecision::DetectGpu => {
                if !std::mem::replace(&mut self.gpu_requested, true) {
                    effects.push(Effect::DetectGpu);
                }
            }
            ProgramDecision::TimeBoth(program, _) if self.is_at_start() => {
                self.start_timing(program, effects)
            }
            ProgramDecision::TimeBoth(_, choice) | ProgramDecision::Chosen(choice) => {
                let program = choice.program;
                self.device_choice = Some(choice);
                if self.ensure_trainer(program, effects) {
                    self.send_start(effects);
                }
            }
        }
    }

    /// Sends the start command to the trainer.
    pub(crate) fn send_start(&mut self, effects: &mut Vec<Effect>) {
        let spec = self.run.spec().clone();
        let held_out_limit =
            (self.trainer == TrainerStatus::Ready(Program::Cpu)).then(|| held_out_limit(&spec)).flatten();
        let payload =
            self.checkpoint.as_ref().map_or(Payload::Empty, |(_, bytes)| Payload::Bytes(bytes.clone()));
        self.awaiting_start = true;
        self.unanswered_starts += 1;
        let goal = self.goal.filter(|_| self.run.sweep.is_none());
        let speed =
            if goal.is_some_and(|goal| goal.ignores_speed_limit) { 0 } else { self.run.link.view.speed };
        let paused = self.paused || goal.is_some() || self.seek.is_some();
        let resting = self.run.sweep.is_some();
        let command = Command::Start { spec, speed, paused, held_out_limit, resting };
        // First the probes, so that they include the first step, and the user's table.
        self.send_probes(effects);
        effects.extend(upload_command(self.run.spec()).map(|(command, table)| Effect::Send(command, table)));
        effects.push(Effect::Send(command, payload));
        self.send_sweep_position(effects);
        if let Some(seek) = &self.seek {
            self.send(Command::Reach(seek.step), effects);
        } else if let Some(goal) = goal {
            self.send(Command::PlayTo(goal.step), effects);
        }
    }

    /// Sends a command to the trainer, if one is ready.
    pub(crate) fn send(&self, command: Command, effects: &mut Vec<Effect>) {
        if matches!(self.trainer, TrainerStatus::Ready(_)) {
            effects.push(Effect::Send(command, Payload::Empty));
        }
    }

    /// Plays, pauses or extends the run: the main button.
    fn toggle_play(&mut self, effects: &mut Vec<Effect>) {
        if self.train_opened_record(false, effects) || self.start_after_consent(false, effects) {
            return;
        }
        match self.run.phase {
            // On arrival, the run plays or pauses accordingly.
            RunPhase::Loading if self.seek.is_some() => self.paused = !self.paused,
            RunPhase::Loading => {
                self.paused = !self.paused;
                self.send(if self.paused { Command::Pause } else { Command::Play }, effects);
            }
            // The pause is stored: in a sweep, the run may have ended meanwhile, and then the next one waits.
            RunPhase::Running => {
                self.paused = true;
                self.send(Command::Pause, effects);
            }
            RunPhase::Paused => {
                self.paused = false;
                self.send(Command::Play, effects);
            }
            RunPhase::Finished(_) if self.run.sweep.is_some() => {
                if !self.resume_sweep(effects) {
                    self.message =
                        tr!("The sweep is complete. The button Reset starts the sweep again.").into();
                }
            }
            RunPhase::Finished(reason) => self.extend_run(reason, effects),
            RunPhase::Diverged { .. } | RunPhase::Failed(_) => {}
        }
    }

    /// Doubles the number of steps of a run that has ended, and continues training; `reason` tells why it had ended.
    fn extend_run(&mut self, reason: EndReason, effects: &mut Vec<Effect>) {
        let Some(Range::Int(_, most)) = self.run.link.spec.setting("steps").map(|k| k.range) else { return };
        let end = (self.run.step * 2).clamp(1, most);
        if end <= self.run.step {
            self.message =
                tr!("A run cannot have more than {most} steps.", most = words::format_thousands(most));
            return;
        }
        if reason == EndReason::Target {
            self.run.link.spec.run.halt = StopCondition::Steps;
        }
        self.run.link.spec.run.steps = end;
        self.message = tr!(
            "The run goes on to step {end}; the link contains this change.",
            end = words::format_thousands(end)
        );
        if matches!(self.trainer, TrainerStatus::Ready(_)) {
            self.send(Command::Extend(end), effects);
        } else {
            self.paused = false;
            self.resume(effects);
        }
    }

    /// Trains one step and pauses.
    fn single_step(&mut self, effects: &mut Vec<Effect>) {
        if self.train_opened_record(true, effects) || self.start_after_consent(true, effects) {
            return;
        }
        match self.run.phase {
            RunPhase::Loading if self.seek.is_some() => self.paused = true,
            // A trainer that is not there yet finds the run waiting for the next press, as does the next run of
            // a sweep.
            RunPhase::Running | RunPhase::Paused | RunPhase::Loading => {
                self.paused = true;
                self.send(Command::Step, effects);
            }
            _ => {}
        }
    }
}

/// Returns the view setting with this key; None if there is none.
fn view_setting(key: &str) -> Option<&'static SettingInfo> {
    ViewSettings::SETTINGS.iter().find(|setting| setting.key == key)
}
