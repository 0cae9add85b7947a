//! The moving picture of the current run: it takes the newest weights, carries out touches, and replays the run when it has
//! ended.

use super::curve::{MeasuredCurve, PreviousRun};
use super::tape::Tape;
use vivarium_plot::scene::Scene;
use vivarium_view::display::hero::{Frame, Hero, StageProgress, Touch};
use vivarium_view::display::{RunPhase, RunView};

/// Duration of a replay of the recorded run, in milliseconds.
const REPLAY_MS: f64 = 12_000.0;
/// Time after the end of the run, or of a replay, in which nothing is touched before a replay begins, in milliseconds.
const REST_MS: f64 = 6_000.0;
/// Time after the last touch in which examples do not change by themselves, in milliseconds.
const TOUCH_REST_MS: f64 = 30_000.0;

/// Which weights the picture shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Showing {
    /// The newest weights of the run.
    Latest,
    /// A replay of the recorded run that began at this time in milliseconds.
    Replay(f64),
    /// The recorded weights at or before this step, which the user has chosen.
    Step(u64),
}

/// The moving picture of the current run.
#[derive(Debug)]
pub struct Stage {
    /// The lab's picture; `None` for runs without one.
    hero: Option<Box<dyn Hero>>,
    /// Number of the run that is shown, as the page counts runs.
    run_count: Option<u64>,
    /// Weights recorded along the run.
    tape: Tape,
    /// Curve of the run that is shown, as far as it has been measured; `None` before the first measurement.
    measured: Option<MeasuredCurve>,
    /// Step of the last measurement in `measured`; `None` before the first.
    measured_step: Option<u64>,
    /// Curves of the run that was shown before, if both have the same task.
    previous: Option<PreviousRun>,
    /// Whether the picture was taken from the page since the last update, so that it may have missed a run.
    was_hidden: bool,
    /// Which weights are shown.
    showing: Showing,
    /// Step whose weights the picture has; `None` before the first.
    shown_step: Option<u64>,
    /// Newest state of the run.
    progress: StageProgress,
    /// Time of the last change of the example by itself, in milliseconds.
    example_ms: f64,
    /// Time of the last touch, in milliseconds.
    touched_ms: f64,
    /// Time at which the run or a replay ended, in milliseconds; `None` while either goes on.
    rested_ms: Option<f64>,
    /// Whether the text of a story stands beside the picture: then replays begin only when the user asks for one, and a
    /// picture that executes its run itself follows the run.
    is_in_story: bool,
    /// Earlier step to which the charts are set back, which the picture shows, too; `None` at the latest step.
    chart_step: Option<u64>,
    /// Whether the run was training at the last update.
    was_running: bool,
}

impl Default for Stage {
    fn default() -> Self {
        Stage {
            hero: None,
            run_count: None,
            tape: Tape::default(),
            measured: None,
            measured_step: None,
            previous: None,
            was_hidden: false,
            showing: Showing::Latest,
            shown_step: None,
            progress: StageProgress::default(),
            example_ms: 0.0,
            touched_ms: f64::NEG_INFINITY,
            rested_ms: None,
            is_in_story: false,
            chart_step: None,
            was_running: false,
        }
    }
}

/// The state of a run that pictures show.
fn progress_of(run: &RunView) -> StageProgress {
    StageProgress {
        step: run.step,
        has_ended: run.phase.has_ended(),
        // The picture is that of the first replica.
        has_succeeded: run.solved.iter().any(|(replica, _)| *replica == 0),
    }
}

impl Stage {
    /// The lab's picture; `None` for runs without one.
    pub fn hero(&self) -> Option<&dyn Hero> {
        self.hero.as_deref()
    }

    /// Weights recorded along the run.
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// Which weights are shown.
    pub fn showing(&self) -> Showing {
        self.showing
    }

    /// The step that the picture shows.
    pub fn shown_step(&self) -> u64 {
        self.hero.as_ref().and_then(|hero| hero.own_step()).or(self.shown_step).unwrap_or(0)
    }

    /// Curve of the run up to its latest measurement; `None` if the run was not measured, or was measured again since the last
    /// update.
    pub fn measured(&self, run: &RunView) -> Option<&MeasuredCurve> {
        let is_of_run = self.run_count == Some(run.run_count);
        let is_latest = self.measured_step == run.history.latest().map(|row| row.step);
        self.measured.as_ref().filter(|_| is_of_run && is_latest)
    }

    /// Curves of the run that was shown before; `None` if it had another task or hardly any measurement.
    pub fn previous(&self) -> Option<&PreviousRun> {
        self.previous.as_ref()
    }

    /// Notes that the picture is taken from the page: until it is shown again, runs can begin and end without it.
    pub fn hide(&mut self) {
        self.was_hidden = true;
    }

    /// The curves with which those of the next run `run` are compared. A run without a curve replaces no other.
    fn take_previous(&mut self, run: &RunView) -> Option<PreviousRun> {
        let is_next = self.run_count.is_some_and(|count| count != run.run_count);
        let previous = self.previous.take();
        if !is_next {
            return previous;
        }
        if self.was_hidden {
            return None;
        }
        let last = self.measured.take().and_then(|measured| PreviousRun::new(measured, &self.tape));
        last.or(previous).filter(|previous| previous.has_task_of(run))
    }

    /// Takes what is new in the run; called after each change of the page's state.
    pub fn update(&mut self, run: &RunView, now_ms: f64) {
        let is_new = self.run_count != Some(run.run_count) || self.hero.is_none();
        if is_new {
            let previous = self.take_previous(run);
            *self = Stage {
                previous,
                hero: run.lazy_lab().and_then(|lab| (lab.hero)(run.spec())),
                run_count: Some(run.run_count),
                example_ms: now_ms,
                is_in_story: self.is_in_story,
                ..Stage::default()
            };
            // The worker may have trained some steps before the picture was there.
            let spec = run.spec();
            let is_of_link = run.initial_weights_file.iter().all(String::is_empty);
            if run.lab().hero_probe().is_some() && is_of_link && spec.can_page_initialize() {
                self.take(StageProgress::default(), spec.initialize_replicas(1), now_ms);
            }
        }
        self.was_hidden = false;
        let measured_step = run.history.latest().map(|row| row.step);
        if self.measured_step != measured_step {
            (self.measured, self.measured_step) = (Some(MeasuredCurve::of(run)), measured_step);
        }
        let progress = progress_of(run);
        let has_just_ended = progress.has_ended && !self.progress.has_ended;
        let has_moved = progress.step != self.progress.step;
        let is_resumed = self.progress.has_ended && !progress.has_ended;
        self.progress = progress;
        // A new picture, too, shows the step of its run in a story, and not the step with which it begins elsewhere.
        if let Some(hero) = self.story_hero().filter(|_| has_moved || is_new) {
            hero.go_to_step(progress.step, now_ms);
        }
        let is_running = run.phase == RunPhase::Running;
        let begins_to_run = is_running && !self.was_running;
        self.was_running = is_running;
        if is_resumed {
            self.tape.end(progress);
            self.shown_step = None;
            self.show_latest(now_ms);
        } else if begins_to_run {
            // A run that goes on is seen, whatever was shown while it waited.
            self.show_latest(now_ms);
        }
        let probe = run.lab().hero_probe();
        let latest = match &probe {
            None => Some((run.step, vec![])),
            Some(probe) => run.latest_results.get(&probe.id()).and_then(|(step, result)| {
                // A run that was resumed from a checkpoint goes back.
                let is_new = self.tape.frames().last().is_none_or(|frame| frame.progress.step != *step);
                is_new.then(|| Some((*step, probe.parameters(run.spec(), result)?))).flatten()
            }),
        };
        if let Some((step, weights)) = latest {
            self.take(StageProgress { step, ..progress }, weights, now_ms);
        }
        if has_just_ended {
            self.tape.end(progress);
            self.rested_ms = Some(now_ms);
            self.shown_step = None;
            self.show(now_ms);
        } else if !progress.has_ended {
            self.rested_ms = None;
        }
    }

    /// Records new weights and shows them if the newest are shown.
    fn take(&mut self, progress: StageProgress, weights: Vec<Vec<f32>>, now_ms: f64) {
        let Some(hero) = &mut self.hero else { return };
        // The curve of progress needs a number for each recorded step, which the picture computes from its weights.
        hero.set_weights(progress, &weights, now_ms);
        let inner = hero.inner_progress();
        if !weights.is_empty() || self.tape.frames().is_empty() {
            self.tape.push(progress, weights, inner);
        }
        self.shown_step = Some(progress.step);
        if self.showing != Showing::Latest {
            self.show(now_ms);
        }
    }

    /// Sets whether the text of a story stands beside the picture: then replays begin only when the user asks for one, and
    /// not also by themselves some seconds after the end; and a picture that executes its run itself shows the run's step.
    pub fn set_in_story(&mut self, is_in_story: bool) {
        let is_opened = is_in_story && !self.is_in_story;
        self.is_in_story = is_in_story;
        let step = self.progress.step;
        if let Some(hero) = self.story_hero().filter(|_| is_opened) {
            hero.go_to_step(step, f64::NEG_INFINITY);
        }
    }

    /// Shows the earlier step to which the charts are set back, or the latest step again at `None`; does nothing as long as
    /// the charts stay where they are.
    pub fn follow_charts(&mut self, step: Option<u64>, now_ms: f64) {
        if self.chart_step == step {
            return;
        }
        self.chart_step = step;
        match step {
            Some(step) => self.rewind(step, now_ms),
            None => self.show_latest(now_ms),
        }
    }

    /// Gives the picture the weights that `showing` chooses, if it has others.
    fn show(&mut self, now_ms: f64) {
        let frame = match self.showing {
            Showing::Latest => self.tape.frames().last(),
            Showing::Step(step) => self.tape.frame_at(step),
            Showing::Replay(since) => self.tape.replay_frame((now_ms - since) / REPLAY_MS),
        };
        let (Some(frame), Some(hero)) = (frame, &mut self.hero) else { return };
        if self.shown_step != Some(frame.progress.step) {
            hero.set_weights(frame.progress, &frame.weights, now_ms);
            self.shown_step = Some(frame.progress.step);
        }
    }

    /// The picture if it executes its run itself, step by step.
    fn self_paced_hero(&mut self) -> Option<&mut Box<dyn Hero>> {
        self.hero.as_mut().filter(|hero| hero.own_step().is_some())
    }

    /// The picture if it executes its run itself, where the text of a story stands beside it: there it shows the step of the
    /// run, and does not go on by itself.
    fn story_hero(&mut self) -> Option<&mut Box<dyn Hero>> {
        let is_in_story = self.is_in_story;
        self.self_paced_hero().filter(|_| is_in_story)
    }

    /// Shows the recorded weights at a step, or the newest ones if the step is the newest.
    pub fn rewind(&mut self, step: u64, now_ms: f64) {
        self.touched_ms = now_ms;
        if let Some(hero) = self.self_paced_hero() {
            return hero.go_to_step(step, now_ms);
        }
        let last = self.tape.frames().last().map_or(0, |frame| frame.progress.step);
        self.showing = if step >= last { Showing::Latest } else { Showing::Step(step) };
        self.show(now_ms);
    }

    /// Shows weights that were recorded earlier (for a negative share) or later than the shown ones, by this share of the
    /// axis, which ends at step `end`: at least one step, and at least one recorded step.
    pub fn move_by(&mut self, share: f64, end: u64, now_ms: f64) {
        let shown = self.shown_step();
        let distance = ((end as f64 * share.abs()).round() as u64).max(1);
        if share < 0.0 {
            return self.rewind(shown.saturating_sub(distance), now_ms);
        }
        // The next recorded weights may be farther away.
        let is_self_paced = self.self_paced_hero().is_some();
        let mut later = self.tape.frames().iter().map(|frame| frame.progress.step);
        let next = later.find(|step| *step > shown).filter(|_| !is_self_paced);
        let step = shown.saturating_add(distance);
        self.rewind(next.map_or(step, |next| step.max(next)), now_ms);
    }

    /// Begins a replay of the recorded run.
    pub fn replay(&mut self, now_ms: f64) {
        if let Some(hero) = self.self_paced_hero() {
            hero.go_to_step(0, now_ms);
            self.touched_ms = f64::NEG_INFINITY;
            return;
        }
        if self.tape.frames().len() > 1 {
            self.showing = Showing::Replay(now_ms);
            (self.rested_ms, self.touched_ms) = (None, f64::NEG_INFINITY);
            self.show(now_ms);
        }
    }

    /// Shows the newest weights again.
    pub fn show_latest(&mut self, now_ms: f64) {
        self.showing = Showing::Latest;
        self.show(now_ms);
    }

    /// Carries out a touch; returns the sentence on its effect for screen readers.
    pub fn touch(&mut self, key: &str, touch: Touch, frame: &Frame) -> Option<String> {
        let spoken = self.hero.as_mut()?.touch(key, touch, frame)?;
        self.touched_ms = frame.now_ms;
        if let Showing::Replay(_) = self.showing {
            // The touch is answered by the weights that are seen, which stay.
            self.showing = Showing::Step(self.shown_step());
        }
        Some(spoken)
    }

    /// Lets time pass: the next example, the next frame of a replay, or the beginning of a replay.
    pub fn advance(&mut self, frame: &Frame) {
        let now = frame.now_ms;
        let is_resting = now - self.touched_ms < TOUCH_REST_MS;
        let interval = self.hero.as_ref().map_or(f64::INFINITY, |hero| hero.example_interval_ms());
        let waits_for_run = self.story_hero().is_some();
        if !frame.is_still && !is_resting && !waits_for_run && now - self.example_ms >= interval {
            self.example_ms = now;
            if let Some(hero) = &mut self.hero {
                hero.show_next_example(now);
            }
        }
        if let Showing::Replay(since) = self.showing {
            self.show(now);
            if now - since >= REPLAY_MS {
                self.show_latest(now);
                self.rested_ms = Some(now);
            }
        } else if let Some(rested) = self.rested_ms
            && !self.is_in_story
            && self.self_paced_hero().is_none()
            && !frame.is_still
            && !is_resting
            && now - rested >= REST_MS
        {
            self.replay(now);
        }
    }

    /// The picture at the time of the frame; empty without one.
    pub fn scene(&self, frame: &Frame) -> Scene {
        self.hero.as_ref().map_or_else(|| Scene::new(frame.width, frame.height), |hero| hero.scene(frame))
    }
}
