//! What a person's action changes in the state, and how a run begins.

use crate::bench;
use crate::gallery::FRAGMENT;
use crate::settings::form::{default_text, theory_knob};
use crate::state::{Action, Draft, State, TrainerStatus, UndoEntry};
use crate::timeline::Seek;
use crate::tour::Goal;
use crate::trainer::device::{Choice, Decision, Known, Survey, decide};
use crate::trainer::{Effect, Program};
use vivarium_core::language::translated;
use vivarium_core::settings::{Knob, Problem, Range, Settings, Value};
use vivarium_labs::PRESETS;
use vivarium_model::permalink::{Link, Start, View, decode, encode, percent_decode};
use vivarium_model::protocol::{Command, Ending, Payload};
use vivarium_model::run::{Halt, OPTIMIZER_KEY, RunSpec};
use vivarium_view::display::own_data;
use vivarium_view::display::sweep::Sweep;
use vivarium_view::display::{Phase, words};

/// Most changes that can be undone.
const MAX_UNDO: usize = 100;

/// Held-out examples that the CPU measures on while the run goes on.
pub const CPU_HELD_OUT: usize = 1024;

/// Held-out examples that a run is measured on while it goes on on the processor, if not all.
pub fn held_out_limit(spec: &RunSpec) -> Option<usize> {
    let is_drawn = spec.task.examples().held_out_size().is_none();
    (is_drawn && spec.held_out() > CPU_HELD_OUT).then_some(CPU_HELD_OUT)
}

/// Most changes of the learning rate that a link can hold.
const MAX_CHANGES: usize = 64;

/// Most notices that wait to be read: a few more than one link can cause.
const MAX_NOTICES: usize = 24;

impl State {
    /// Changes the state; what is returned must be done, in order.
    pub fn apply(&mut self, action: Action) -> Vec<Effect> {
        let mut effects = vec![];
        if let Action::Toggle | Action::SingleStep | Action::Reset = action {
            self.forget_goal(&mut effects);
        }
        match action {
            Action::Open(fragment) => self.open(&fragment, &mut effects),
            Action::Surveyed(survey) => self.surveyed(survey, &mut effects),
            Action::Heard(kind, sign) => self.heard(kind, sign, &mut effects),
            Action::Ahead(run, outcome) => self.ended_ahead(run, outcome),
            Action::Tick => self.tick(&mut effects),
            Action::Work => self.run.work(),
            Action::Edit(key, text) => self.edit(&key, &text, &mut effects),
            Action::Request(what) => self.request(what, &mut effects),
            Action::Default(key) => self.reset(&key, &mut effects),
            Action::Choose(preset) => {
                if self.is_locked("presets") {
                    return effects;
                }
                let mut link = preset.link();
                link.reserved.clone_from(&self.run.link.reserved);
                self.change(
                    link,
                    tr!("The page has opened the preset {preset}.", preset = translated(preset.name)),
                    &mut effects,
                );
            }
            Action::Toggle => self.toggle(&mut effects),
            Action::SingleStep => self.single_step(&mut effects),
            Action::Reset => {
                self.paused =
                    self.run.phase == Phase::Paused || (self.run.phase == Phase::Loading && self.paused);
                self.message = self.said_at_start(tr!("The same run has started again."));
                self.turn_page(&mut effects);
                self.begin(&mut effects);
            }
            Action::NewSeed(seed) => {
                if self.is_locked("seed") {
                    return effects;
                }
                let mut link = self.run.link.clone();
                link.spec.run.seed = seed;
                self.change(link, tr!("The run has started with the new seed {seed}.", seed), &mut effects);
            }
            Action::ToggleChart(chart) => self.toggle_chart(chart, &mut effects),
            Action::ToggleAxis(key) => self.toggle_axis(key, &mut effects),
            Action::Gallery(what) => self.browse(what),
            Action::Bench(what) => self.time_networks(what, &mut effects),
            Action::Tour(what) => self.tour(what, &mut effects),
            Action::Present(what) => self.present(what, &mut effects),
            Action::Sweep(wish) => self.sweep(wish, &mut effects),
            Action::Scrub(step) => self.scrub(step, &mut effects),
            Action::ScrubBy(later) => self.scrub_by(later, &mut effects),
            Action::BackToEnd => self.back_to_end(&mut effects),
            Action::ViewportAction(sight) => self.see(sight),
            Action::Library(wish) => self.wish(wish, &mut effects),
            Action::Undo => self.take_back(&mut effects),
            Action::Retry => {
                self.replaced_at = None;
                self.message = match &self.checkpoint {
                    Some((step, _)) => {
                        tr!("The run has restarted from step {step}.", step = words::thousands(*step))
                    }
                    None => tr!("The run has restarted from its beginning.").into(),
                };
                self.staff = TrainerStatus::Absent;
                self.resume(&mut effects);
            }
            Action::DismissNotices => self.notices.clear(),
            Action::Arrived => self.catch_up(&mut effects),
            Action::Said(text) => self.message = text.into(),
            Action::FileNews(number, news) => self.file_news(number, news, &mut effects),
            Action::WantWeights => self.want_weights(&mut effects),
        }
        self.explain();
        if let Some(end) = &mut self.end {
            end.link.view.clone_from(&self.run.link.view);
        }
        for compared in &mut self.library.compared {
            compared.run.link.view.clone_from(&self.run.link.view);
        }
        effects
    }

    fn open(&mut self, fragment: &str, effects: &mut Vec<Effect>) {
        // Rooms and stories have no settings; a chat program may have added some, or have encoded the address.
        let plain = percent_decode(fragment);
        let room = plain.split('?').next().unwrap_or_default();
        if room == bench::FRAGMENT {
            self.begin_beneath(effects);
            self.gallery.is_open = false;
            return self.open_bench();
        }
        self.close_bench(effects);
        if room == FRAGMENT {
            self.begin_beneath(effects);
            if !self.is_locked("presets") {
                self.open_gallery(effects);
            }
            return;
        }
        self.gallery.is_open = false;
        if let Some(slug) = room.trim_start_matches('#').strip_prefix("story/") {
            if self.run.runs == 0 {
                self.set_link(PRESETS[0].link(), effects);
            }
            return self.open_story(slug, effects);
        }
        // Back in the history, to before the story.
        self.tour = None;
        let empty = fragment.trim_start_matches('#').is_empty();
        let (link, notices) = if empty { (PRESETS[0].link(), vec![]) } else { decode(fragment) };
        let first = self.run.runs == 0;
        self.library.is_blank = first && empty;
        if !first && encode(&link) == encode(&self.run.link) {
            self.notices = notices;
            return;
        }
        self.notices = notices;
        if first {
            self.set_link(link, effects);
        } else {
            self.take_up(
                link,
                tr!("The page opened the run that the new address (URL) describes.").into(),
                effects,
            );
        }
    }

    /// Begins a run beneath a view that opens first.
    fn begin_beneath(&mut self, effects: &mut Vec<Effect>) {
        if self.run.runs == 0 {
            self.library.is_blank = true;
            self.set_link(PRESETS[0].link(), effects);
        }
    }

    pub(crate) fn surveyed(&mut self, survey: Survey, effects: &mut Vec<Effect>) {
        let waited = self.choice.is_none() && self.run.phase == Phase::Loading && self.run.runs > 0;
        self.survey = survey;
        if waited {
            self.resume(effects);
        } else if let (Decision::Made(new), Some(old)) = (self.decide(), &mut self.choice) {
            // The run goes on where it is; only the reason may be clearer now.
            if new.program == old.program {
                *old = new;
            }
        }
    }

    fn decide(&self) -> Decision {
        self.decide_for(self.run.spec())
    }

    /// What comes before a run of this page.
    fn decide_for(&self, spec: &RunSpec) -> Decision {
        let known = Known {
            survey: &self.survey,
            refused: self.refused.as_deref(),
            uncovered: self.uncovered.is_some(),
            // The runs of a sweep share launches: one alone says nothing of them.
            speeds: self.speeds.as_ref().filter(|_| self.run.sweep.is_none()),
        };
        decide(spec, known)
    }

    /// Whether the run is at its beginning: one under way stays where it is.
    fn may_be_timed(&self) -> bool {
        self.run.step == 0 && self.checkpoint.is_none() && self.end.is_none()
    }

    /// The program for a run of this page, if the browser has said what it has; by an estimate where nothing is timed.
    pub fn choose_for(&self, spec: &RunSpec) -> Option<Choice> {
        match self.decide_for(spec) {
            Decision::Ask => None,
            Decision::Time(_, choice) | Decision::Made(choice) => Some(choice),
        }
    }

    pub(crate) fn edit(&mut self, key: &str, text: &str, effects: &mut Vec<Effect>) {
        let text = text.trim();
        self.drafts.retain(|draft| draft.key != key);
        if self.is_locked(key) {
            return;
        }
        let taken = match view_knob(key) {
            Some(knob) => self.edit_view(knob, text, effects),
            None if theory_knob(key).is_some() && self.run.state.is_some() => self.edit_theory(key, text),
            None if key == "lr" && self.rate_under_way().is_some() => self.edit_learning_rate(text, effects),
            None => self.edit_spec(key, text, effects),
        };
        if let Err(problem) = taken {
            self.drafts.push(Draft { key: key.into(), text: text.into(), problem });
        }
    }

    /// Puts the field of `key` back to its default.
    pub fn reset(&mut self, key: &str, effects: &mut Vec<Effect>) {
        if let Some(text) = default_text(self.form_spec(), key) {
            self.edit(key, &text, effects);
        }
    }

    fn edit_learning_rate(&mut self, text: &str, effects: &mut Vec<Effect>) -> Result<(), Problem> {
        let Some(knob) = self.run.link.spec.knob("lr") else { return Ok(()) };
        let Value::Real(lr) = knob.parse(text)? else { return Ok(()) };
        if self.run.link.spec.run.schedule.len() >= MAX_CHANGES {
            return Err(Problem::new(
                "lr",
                text,
                tr!("at most {most} changes of the learning rate in one run", most = MAX_CHANGES),
            ));
        }
        if lr != self.run.link.spec.set_rate(self.run.step) {
            self.send(Command::LearningRate(lr), effects);
        }
        Ok(())
    }

    fn edit_spec(&mut self, key: &str, text: &str, effects: &mut Vec<Effect>) -> Result<(), Problem> {
        let mut spec = self.form_spec().clone();
        spec.parse(key, text)?;
        if key == "lr" || key == OPTIMIZER_KEY {
            // A rate for the whole run, or another meaning of it, replaces those that were set on the way.
            spec.run.schedule.clear();
        }
        self.conflicts = spec.problems();
        if !self.conflicts.is_empty() {
            self.message =
                tr!("These settings cannot be combined; the run goes on with the old settings.").into();
            self.pending = Some(spec);
            return Ok(());
        }
        self.pending = None;
        if spec != self.run.link.spec {
            let what = words::changes(&self.run.link.spec, &spec);
            let seed = if spec.run.seed == self.run.link.spec.run.seed {
                tr!("The run has restarted with the same seed")
            } else {
                tr!("The run has restarted")
            };
            let mut link = Link { spec, ..self.run.link.clone() };
            let lost = link.view.repair(&link.spec);
            self.notices.retain(|known| !lost.contains(known));
            self.notices.extend(lost);
            // Nobody has to read them, and each change may bring more.
            self.notices.drain(..self.notices.len().saturating_sub(MAX_NOTICES));
            self.change(link, tr!("{seed} because {what}.", seed, what), effects);
        }
        Ok(())
    }

    /// Takes up another link, which can be undone.
    pub fn change(&mut self, mut link: Link, message: String, effects: &mut Vec<Effect>) {
        // Another model or lab has other settings. Nothing is said of it: they are gone from the form as well.
        link.repair_lesson();
        // Where a teacher's run waits is no place for another one.
        self.take_up(link.without("at"), message, effects);
    }

    /// Whether the link forbids to change what `name` stands for; then it is said.
    pub fn is_locked(&mut self, name: &str) -> bool {
        let is_locked = self.run.link.locks(name);
        if is_locked {
            self.message = tr!("This page was opened with a link that does not allow this change.").into();
        }
        is_locked
    }

    fn take_up(&mut self, link: Link, message: String, effects: &mut Vec<Effect>) {
        self.forget_goal(effects);
        self.remember(UndoEntry::Link(Box::new(self.run.link.clone())));
        self.message = message;
        self.set_link(link, effects);
    }

    pub(crate) fn remember(&mut self, before: UndoEntry) {
        if self.undo.len() >= MAX_UNDO {
            self.undo.remove(0);
        }
        self.undo.push(before);
    }

    pub(crate) fn set_link(&mut self, link: Link, effects: &mut Vec<Effect>) {
        self.gallery.is_open = false;
        self.take_link(link, effects);
        self.begin(effects);
    }

    /// Takes up another link; nothing begins.
    pub fn take_link(&mut self, link: Link, effects: &mut Vec<Effect>) {
        let first = self.run.runs == 0;
        self.close_bench(effects);
        self.turn_page(effects);
        let device_wish = link.spec.run.device != self.run.link.spec.run.device;
        // Only the page's opening obeys "start paused"; a change keeps the run going or waiting.
        self.paused = if first {
            link.view.start == Start::Paused
        } else {
            self.run.phase == Phase::Paused || (self.run.phase == Phase::Loading && self.paused)
        };
        self.goal = link.at().map(|step| Goal { step, in_haste: true });
        if let Some(sweep) = self.run.sweep.take() {
            self.shelf = Some((self.run.link.spec.clone(), sweep));
        }
        self.run.link = link;
        self.uncovered = None;
        self.consent.question = None;
        self.pending = None;
        self.conflicts.clear();
        self.drafts.clear();
        if std::mem::take(&mut self.oversized) || device_wish {
            self.refused = None;
        }
    }

    /// Begins the run, or the first run of the sweep, from its start.
    pub fn begin(&mut self, effects: &mut Vec<Effect>) {
        self.set_up_sweep();
        if self.run.sweep.as_ref().is_some_and(Sweep::is_at_rest) {
            self.dismiss(effects);
            self.set_up_run();
            self.rest();
        } else {
            self.begin_run(effects);
        }
    }

    /// A sweep at its start, or as far as it was when it was left for another run; or none.
    pub fn set_up_sweep(&mut self) {
        let shelved = self.shelf.take_if(|(spec, _)| *spec == self.run.link.spec);
        self.run.sweep = shelved.map(|(_, sweep)| sweep).or_else(|| Sweep::of(&self.run.link.spec));
    }

    /// Begins the run whose turn it is.
    pub fn begin_run(&mut self, effects: &mut Vec<Effect>) {
        self.set_up_run();
        if self.may_begin(effects) {
            self.resume(effects);
        }
    }

    /// The run whose turn it is at its start; nobody trains it yet.
    pub fn set_up_run(&mut self) {
        self.run.set_up(&vivarium_labs::LABS);
        self.flaw.clear();
        self.viewing.zoom = None;
        self.rate = None;
        self.checkpoint = None;
        self.replaced_at = None;
        (self.end, self.seeking, self.past) = Default::default();
        self.take_handed();
    }

    /// Has the run trained from the last checkpoint, or from the start if there is none.
    pub fn resume(&mut self, effects: &mut Vec<Effect>) {
        self.run.phase = Phase::Loading;
        self.awaiting = true;
        self.silence = 0;
        if self.end.is_some() && self.seeking.is_none() {
            self.seeking = Some(Seek { to: self.run.step, then: Phase::Paused });
        }
        (self.choice, self.timing) = (None, None);
        match self.decide() {
            // Only now: a browser starts its GPU for the question, and complains if it has none.
            Decision::Ask => {
                if !std::mem::replace(&mut self.asked, true) {
                    effects.push(Effect::Survey);
                }
            }
            Decision::Time(program, _) if self.may_be_timed() => self.time_devices(program, effects),
            Decision::Time(_, choice) | Decision::Made(choice) => {
                let program = choice.program;
                self.choice = Some(choice);
                if self.has_staff(program, effects) {
                    self.start(effects);
                }
            }
        }
    }

    pub(crate) fn start(&mut self, effects: &mut Vec<Effect>) {
        let spec = self.run.spec().clone();
        let held_out_limit =
            (self.staff == TrainerStatus::Ready(Program::Cpu)).then(|| held_out_limit(&spec)).flatten();
        let payload =
            self.checkpoint.as_ref().map_or(Payload::Empty, |(_, bytes)| Payload::Bytes(bytes.clone()));
        self.awaiting = true;
        self.unanswered += 1;
        let goal = self.goal.filter(|_| self.run.sweep.is_none());
        let speed = if goal.is_some_and(|goal| goal.in_haste) { 0 } else { self.run.link.view.speed };
        let paused = self.paused || goal.is_some() || self.seeking.is_some();
        let resting = self.run.sweep.is_some();
        let command = Command::Start { spec, speed, paused, held_out_limit, resting };
        // First what to look at, so that the start is among it, and what to learn.
        self.watch_anew(effects);
        effects.extend(own_data(self.run.spec()).map(|(command, table)| Effect::Send(command, table)));
        effects.push(Effect::Send(command, payload));
        self.look_ahead(effects);
        if let Some(seek) = &self.seeking {
            self.send(Command::Reach(seek.to), effects);
        } else if let Some(goal) = goal {
            self.send(Command::PlayTo(goal.step), effects);
        }
    }

    pub(crate) fn send(&self, command: Command, effects: &mut Vec<Effect>) {
        if matches!(self.staff, TrainerStatus::Ready(_)) {
            effects.push(Effect::Send(command, Payload::Empty));
        }
    }

    fn toggle(&mut self, effects: &mut Vec<Effect>) {
        if self.train_record(false, effects) || self.begin_agreed(false, effects) {
            return;
        }
        match self.run.phase {
            // What is wished for is done on arrival.
            Phase::Loading if self.seeking.is_some() => self.paused = !self.paused,
            Phase::Loading => {
                self.paused = !self.paused;
                self.send(if self.paused { Command::Pause } else { Command::Play }, effects);
            }
            // The wish is kept: of a sweep, the run may have ended meanwhile, and then the next one waits.
            Phase::Running => {
                self.paused = true;
                self.send(Command::Pause, effects);
            }
            Phase::Paused => {
                self.paused = false;
                self.send(Command::Play, effects);
            }
            Phase::Finished(_) if self.run.sweep.is_some() => {
                if !self.go_on_sweeping(effects) {
                    self.message =
                        tr!("The sweep is complete. The button Reset starts the sweep again.").into();
                }
            }
            Phase::Finished(reason) => self.extend(reason, effects),
            Phase::Diverged { .. } | Phase::Failed(_) => {}
        }
    }

    fn extend(&mut self, reason: Ending, effects: &mut Vec<Effect>) {
        let Some(Range::Int(_, most)) = self.run.link.spec.knob("steps").map(|k| k.range) else { return };
        let end = (self.run.step * 2).clamp(1, most);
        if end <= self.run.step {
            self.message = tr!("A run cannot have more than {most} steps.", most = words::thousands(most));
            return;
        }
        if reason == Ending::Target {
            self.run.link.spec.run.halt = Halt::Steps;
        }
        self.run.link.spec.run.steps = end;
        self.message =
            tr!("The run goes on to step {end}; the link contains this change.", end = words::thousands(end));
        if matches!(self.staff, TrainerStatus::Ready(_)) {
            self.send(Command::Extend(end), effects);
        } else {
            self.paused = false;
            self.resume(effects);
        }
    }

    fn single_step(&mut self, effects: &mut Vec<Effect>) {
        if self.train_record(true, effects) || self.begin_agreed(true, effects) {
            return;
        }
        match self.run.phase {
            Phase::Loading if self.seeking.is_some() => self.paused = true,
            // A trainer that is not there yet finds the run waiting for the next press, as does the next run of
            // a sweep.
            Phase::Running | Phase::Paused | Phase::Loading => {
                self.paused = true;
                self.send(Command::Step, effects);
            }
            _ => {}
        }
    }
}

fn view_knob(key: &str) -> Option<&'static Knob> {
    View::KNOBS.iter().find(|knob| knob.key == key)
}
