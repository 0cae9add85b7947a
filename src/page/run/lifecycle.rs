//! How an action changes the state, and how another link is opened.

use crate::bench;
use crate::effect::Effect;
use crate::gallery::FRAGMENT;
use crate::lecture;
use crate::settings::form::{default_value_text, theory_setting};
use crate::state::{Action, InvalidInput, State, UndoEntry};
use vivarium_core::language::translated;
use vivarium_core::settings::{InvalidSetting, SettingInfo, Settings, Value};
use vivarium_labs::PRESETS;
use vivarium_model::permalink::{Link, ViewSettings, decode, encode, percent_decode, trim_trailing_marks};
use vivarium_model::protocol::Command;
use vivarium_model::run::OPTIMIZER_KEY;
use vivarium_player::trainer::{Program, TrainerMessage};
use vivarium_view::display::words;

/// Largest number of changes in the list of Undo; beyond it the oldest is removed.
const MAX_UNDO: usize = 100;

/// Largest number of learning-rate changes that the user can make in a run; a further change is rejected.
const MAX_RATE_CHANGES: usize = 64;

/// Largest number of notices about ignored parts of links; beyond it the oldest are dropped.
const MAX_NOTICES: usize = 24;

/// Returns the address of the gallery, the benchmark, a lecture or a story in small letters, without the marks of a
/// sentence at its end; the code of a lecture keeps its letters.
fn normalize_room(address: &str) -> String {
    let address = trim_trailing_marks(address);
    let lowercase = address.to_ascii_lowercase();
    match lowercase.starts_with(lecture::ADDRESS_PREFIX) {
        true => format!("{}{}", lecture::ADDRESS_PREFIX, &address[lecture::ADDRESS_PREFIX.len()..]),
        false => lowercase,
    }
}

impl State {
    /// Applies an action to the state. Returns the effects that the caller must carry out, in order.
    pub fn apply(&mut self, action: Action) -> Vec<Effect> {
        let mut effects = vec![];
        let (message, was_playing) = (self.player.passing_message.clone(), self.player.is_playing());
        if let Action::TogglePlay | Action::SingleStep | Action::Reset = action {
            self.player.clear_goal(&mut effects);
            self.rests_out_of_view = false;
        }
        match action {
            Action::Open(fragment) => self.open_fragment(&fragment, &mut effects),
            Action::GpuDetected(survey) => self.player.handle_gpu_support(survey, &mut effects),
            Action::Trainer(kind, sign) => self.handle_trainer_message(kind, sign, &mut effects),
            Action::SweepRunEnded(run, outcome) => self.player.handle_worker_outcome(run, outcome),
            Action::Tick => self.tick(&mut effects),
            Action::ContinueWork => self.player.run.continue_work(),
            Action::Edit(key, text) => self.edit(&key, &text, &mut effects),
            Action::Request(what) => self.handle_request(what, &mut effects),
            Action::ResetField(key) => self.reset_field(&key, &mut effects),
            Action::ChoosePreset(preset) => {
                if self.refuse_if_locked("presets") {
                    return effects;
                }
                let mut link = preset.link();
                link.teacher_keys.clone_from(&self.player.run.link.teacher_keys);
                self.change_link(
                    link,
                    tr!("The page has opened the preset {preset}.", preset = translated(preset.name)),
                    &mut effects,
                );
            }
            Action::TogglePlay => self.toggle_play(&mut effects),
            Action::SingleStep => self.single_step(&mut effects),
            Action::Reset => {
                let left = self.player.left_run();
                self.player.paused = self.player.is_to_stay_paused();
                self.player.message = self.start_message(tr!("The same run has started again."));
                self.save_before_next_run(&mut effects);
                if let Some(left) = left {
                    self.push_left_run(left);
                }
                self.start_from_beginning(&mut effects);
            }
            Action::NewSeed(seed) => {
                if self.refuse_if_locked("seed") {
                    return effects;
                }
                let (left, mut link) = (self.player.left_run(), self.player.run.link.clone());
                link.spec.run.seed = seed;
                self.change_link(
                    link,
                    tr!("The run has started with the new seed {seed}.", seed),
                    &mut effects,
                );
                // The entry of the previous run has its step, in place of its link alone.
                if let Some(left) = left {
                    self.undo.pop();
                    self.push_left_run(left);
                }
            }
            Action::ToggleChart(chart) => self.toggle_chart(chart, &mut effects),
            Action::ToggleAxis(key) => self.toggle_axis(key, &mut effects),
            Action::Gallery(what) => self.apply_gallery_action(what),
            Action::Bench(what) => self.apply_bench_action(what, &mut effects),
            Action::Tour(what) => self.apply_tour_action(what, &mut effects),
            Action::Lecture(what) => self.apply_lecture_action(what, &mut effects),
            Action::Presenter(what) => self.apply_presenter_action(what, &mut effects),
            Action::Stage(what) => self.apply_stage_action(what),
            Action::Sweep(wish) => self.apply_sweep_action(wish, &mut effects),
            Action::Scrub(step) => self.player.scrub(step, &mut effects),
            Action::ScrubBy(later) => self.player.scrub_to_neighbour(later, &mut effects),
            Action::ShowLatestStep => self.player.show_latest_step(&mut effects),
            Action::Viewport(sight) => self.apply_viewport_action(sight),
            Action::Library(wish) => self.apply_library_action(wish, &mut effects),
            Action::Undo => self.undo_last(&mut effects),
            Action::Retry => {
                self.player.message = match &self.player.checkpoint {
                    Some((step, _)) => {
                        tr!("The run has restarted from step {step}.", step = words::format_thousands(*step))
                    }
                    None => tr!("The run has restarted from its beginning.").into(),
                };
                self.player.retry(&mut effects);
            }
            Action::DismissNotices => self.notices.clear(),
            Action::GpuProgramsCompiled => self.player.handle_compiled_programs(),
            Action::SecondProgramLoaded => self.player.handle_second_program(&mut effects),
            Action::ShowMessage(text) => self.player.message = text.into(),
            Action::FileMessage(number, news) => {
                self.handle_file_message(number, news, &mut effects);
                self.show_unread_files();
            }
            Action::FilesIgnored(count) => self.note_ignored_files(count),
            Action::RequestWeights => self.request_weights(&mut effects),
            Action::FrameInView(is_in_view) => self.rest_out_of_view(is_in_view, &mut effects),
        }
        self.player.remove_outdated_message(message.as_ref(), was_playing);
        self.update_stage(&mut effects);
        self.show_due_explanations();
        self.player.hides_result = self.is_predicting();
        let view = &self.player.run.link.view;
        if let Some(end) = &mut self.player.latest_run {
            end.link.view.clone_from(view);
        }
        for compared in &mut self.library.compared {
            compared.run.link.view.clone_from(view);
        }
        self.library.note_commands(&effects);
        effects
    }

    /// Pauses the run of an embedded page while its frame is out of view, and continues the run when the frame is in view
    /// again. A run that trains to the step of a lesson is not paused: it pauses there by itself.
    fn rest_out_of_view(&mut self, is_in_view: bool, effects: &mut Vec<Effect>) {
        if is_in_view {
            if std::mem::take(&mut self.rests_out_of_view) {
                self.player.undo_pause(effects);
            }
            return;
        }
        let player = &self.player;
        let is_playing = player.is_playing() && !player.paused && player.goal.is_none();
        if player.run.link.is_embedded() && is_playing {
            self.rests_out_of_view = true;
            self.player.toggle_play(effects);
        }
    }

    /// Counts one second: checks timeouts of the trainer and of the benchmark, and saves the run at intervals.
    fn tick(&mut self, effects: &mut Vec<Effect>) {
        self.tick_bench(effects);
        self.tick_library(effects);
        self.tick_stage();
        self.player.tick(effects);
    }

    /// Handles a message, or the end, of the trainer that runs `program`.
    fn handle_trainer_message(
        &mut self,
        program: Program,
        message: TrainerMessage,
        effects: &mut Vec<Effect>,
    ) {
        let run_count = self.player.run.run_count;
        self.player.handle_trainer_message(program, message, effects);
        if let Some(link) = self.player.replaced_link.take() {
            self.push_undo(UndoEntry::Link(link));
        }
        // The next run of a sweep has begun.
        if self.player.run.run_count != run_count {
            self.reset_view_of_run();
        }
    }

    /// Resets what the page shows of the run before: its zoom, and the error of a file.
    pub(crate) fn reset_view_of_run(&mut self) {
        self.file_error.clear();
        self.viewport.zoom = None;
    }

    /// Opens the gallery, the benchmark, a lecture, a story or a run, according to the fragment of the address.
    fn open_fragment(&mut self, fragment: &str, effects: &mut Vec<Effect>) {
        // Gallery, benchmark, lectures and stories have no settings; a chat program may have added some, or have encoded the
        // address.
        let plain = percent_decode(fragment);
        let room = normalize_room(plain.split('?').next().unwrap_or_default());
        if let Some(place) = room.strip_prefix(lecture::ADDRESS_PREFIX) {
            return self.open_lecture(place, effects);
        }
        self.end_lecture();
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
            self.start_default_run(effects);
            return self.open_story(slug, effects);
        }
        // The user has gone back in the history, to before the story.
        self.tour = None;
        let empty = fragment.trim_start_matches('#').is_empty();
        let (link, notices) = if empty { (PRESETS[0].link(), vec![]) } else { decode(fragment) };
        let first = self.player.run.run_count == 0;
        self.library.is_blank = first && empty;
        if !first && encode(&link) == encode(&self.player.run.link) {
            self.notices = notices;
            return;
        }
        self.notices = notices;
        self.forget_stated_view();
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

    /// Starts the default run if there is none yet.
    pub(crate) fn start_default_run(&mut self, effects: &mut Vec<Effect>) {
        if self.player.run.run_count == 0 {
            self.start_link(PRESETS[0].link(), effects);
        }
    }

    /// Starts the default run if there is none yet; the gallery or the benchmark covers it.
    fn start_hidden_run(&mut self, effects: &mut Vec<Effect>) {
        self.library.is_blank |= self.player.run.run_count == 0;
        self.start_default_run(effects);
    }

    /// Sets the form field `key` to a text; a text that is not accepted is kept with its error.
    pub(crate) fn edit(&mut self, key: &str, text: &str, effects: &mut Vec<Effect>) {
        let text = text.trim();
        self.invalid_inputs.retain(|draft| draft.key != key);
        if self.refuse_if_locked(key) {
            return;
        }
        // Forms accept the notations of many countries; links have one.
        let setting =
            view_setting(key).or_else(|| theory_setting(key)).or_else(|| self.form_spec().setting(key));
        let read = setting.map_or_else(|| Ok(text.to_string()), |setting| setting.normalize_entry(text));
        let taken = read.and_then(|text| self.edit_normalized(key, &text, effects));
        if let Err(problem) = taken {
            self.invalid_inputs.push(InvalidInput { key: key.into(), text: text.into(), error: problem });
        }
    }

    /// Applies a text in the notation of links to the form field `key`.
    fn edit_normalized(
        &mut self,
        key: &str,
        text: &str,
        effects: &mut Vec<Effect>,
    ) -> Result<(), InvalidSetting> {
        match view_setting(key) {
            Some(setting) => self.edit_view(setting, text, effects),
            None if theory_setting(key).is_some() && self.player.run.lab_state.is_some() => {
                self.edit_theory(key, text)
            }
            None if key == "lr" && self.current_learning_rate().is_some() => {
                self.edit_learning_rate(text, effects)
            }
            None => self.edit_spec(key, text, effects),
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
        let Some(setting) = self.player.run.link.spec.setting("lr") else { return Ok(()) };
        let Value::Real(lr) = setting.parse(text)? else { return Ok(()) };
        if self.player.run.link.spec.run.schedule.len() >= MAX_RATE_CHANGES {
            return Err(InvalidSetting::new(
                "lr",
                text,
                tr!("at most {most} changes of the learning rate in one run", most = MAX_RATE_CHANGES),
            ));
        }
        if lr != self.player.run.link.spec.learning_rate_before_schedule(self.player.run.step) {
            self.player.send(Command::LearningRate(lr), effects);
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
        let conflict = tr!("These settings cannot be combined; the run goes on with the old settings.");
        if !self.conflicts.is_empty() {
            self.player.message = conflict.into();
            self.pending = Some(spec);
            return Ok(());
        }
        self.pending = None;
        if self.player.message == conflict {
            self.player.message.clear();
        }
        if spec != self.player.run.link.spec {
            let what = words::describe_changes(&self.player.run.link.spec, &spec);
            let seed = if spec.run.seed == self.player.run.link.spec.run.seed {
                tr!("The run has restarted with the same seed")
            } else {
                tr!("The run has restarted")
            };
            let mut link = Link { spec, ..self.player.run.link.clone() };
            let lost = link.view.repair(&link.spec);
            self.notices.retain(|known| !lost.contains(known));
            self.notices.extend(lost);
            // The user may leave them unread, and each change may add more.
            self.notices.drain(..self.notices.len().saturating_sub(MAX_NOTICES));
            self.change_link(link, tr!("{seed} because {what}.", seed, what), effects);
        }
        Ok(())
    }

    /// Opens another link, after removal of settings that do not apply to it, and shows `message` to the user; Undo
    /// goes back to the previous link.
    pub fn change_link(&mut self, mut link: Link, message: String, effects: &mut Vec<Effect>) {
        // Another model or lab has other settings. No notice is needed: they are gone from the form as well.
        link.repair_teacher_keys();
        // The pause step of a teacher's link applies to its own run only.
        self.open_link(link.without_teacher_key("at"), message, effects);
    }

    /// Returns whether the link forbids changes to the setting or part of the page named `name`; if so, sets a message.
    pub fn refuse_if_locked(&mut self, name: &str) -> bool {
        let is_locked = self.player.run.link.locks(name);
        if is_locked {
            self.player.message =
                tr!("This page was opened with a link that does not allow this change.").into();
        }
        is_locked
    }

    /// Opens another link, starts its run and shows `message` to the user; Undo goes back to the previous link.
    pub(crate) fn open_link(&mut self, link: Link, message: String, effects: &mut Vec<Effect>) {
        self.clear_goal(effects);
        self.push_undo(UndoEntry::Link(Box::new(self.player.run.link.clone())));
        self.player.message = message;
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
        self.leave_run(effects);
        self.player.replace_link(link);
    }

    /// Saves the current run and closes what belongs to it, before another link replaces it.
    pub(crate) fn leave_run(&mut self, effects: &mut Vec<Effect>) {
        self.close_bench(effects);
        self.save_before_next_run(effects);
        self.pending = None;
        self.conflicts.clear();
        self.invalid_inputs.clear();
    }

    /// Starts the run from its first step, or the sweep from its first run.
    pub fn start_from_beginning(&mut self, effects: &mut Vec<Effect>) {
        self.reset_view_of_run();
        self.player.resumed_run = self.library.take_resumed_run();
        self.player.start_from_beginning(effects);
    }

    /// Plays, pauses or extends the run: the main button.
    fn toggle_play(&mut self, effects: &mut Vec<Effect>) {
        if !self.train_opened_record(false, effects) {
            self.player.toggle_play(effects);
        }
    }

    /// Trains one step and pauses.
    fn single_step(&mut self, effects: &mut Vec<Effect>) {
        if !self.train_opened_record(true, effects) {
            self.player.single_step(effects);
        }
    }
}

/// Returns the view setting with this key; None if there is none.
fn view_setting(key: &str) -> Option<&'static SettingInfo> {
    ViewSettings::SETTINGS.iter().find(|setting| setting.key == key)
}
