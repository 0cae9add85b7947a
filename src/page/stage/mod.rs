//! The first screen: one moving picture of the run, a strip with its curves, and a few buttons.
//!
//! ```text
//! mod.rs    whether the picture is shown, and at which pace the run trains
//! live.rs   the picture of the current run: new weights, touches, replay
//! tape.rs   weights recorded along the run, thinned to a fixed amount of memory
//! strip.rs  the curves below the picture, which are also the slider of time
//! ```
//!
//! # Why
//! The page's state knows only whether the picture is shown. The picture itself changes sixty times a second and is owned
//! by its view ([`live::Stage`]), so that a frame notifies nobody else. Both are plain data, which tests play natively.

pub mod live;
pub mod strip;
pub mod tape;

use crate::effect::Effect;
use crate::state::State;
use vivarium_labs::find_matching_preset;
use vivarium_model::run::RunSpec;
use vivarium_view::display::RunPhase;
use vivarium_view::presets::recorded::recorded_steps;

/// Seconds that a preset's run lasts on the first screen, whatever the device.
pub const STAGE_SECONDS: u64 = 15;

/// Steps done after a share of the duration, as a power of that share: more time for the first steps, in which much changes
/// and which a steady pace would pass in a moment.
const PACE_EXPONENT: f64 = 1.5;

/// Training steps in the second number `second` (from 0) of a run of `steps` steps that lasts [`STAGE_SECONDS`]; at least 1.
fn steps_in_second(steps: u64, second: u64) -> u64 {
    let done = |seconds: u64| {
        let share = seconds.min(STAGE_SECONDS) as f64 / STAGE_SECONDS as f64;
        steps as f64 * libm::pow(share, PACE_EXPONENT)
    };
    let second = second.min(STAGE_SECONDS - 1);
    ((done(second + 1) - done(second)).round() as u64).max(1)
}

/// An action on the moving picture of the first screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageAction {
    /// Show the picture (`true`), or charts, settings and numbers (`false`).
    ShowPicture(bool),
    /// Train as fast as the device can (`true`), or so that the run lasts [`STAGE_SECONDS`].
    Unpaced(bool),
}

/// Whether the moving picture is shown in place of charts, settings and numbers, and at which pace the run trains then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StageMode {
    /// Whether the user wants the picture; it is shown only for runs that have one.
    pub wants_picture: bool,
    /// What the link of the run opens in place of what the user wants: the picture (true) or the details; `None` if it
    /// leaves the choice to the user, or if the user has chosen since.
    opened_by_link: Option<bool>,
    /// What the link of the run says, whatever the user has chosen since.
    said_by_link: Option<bool>,
    /// Whether the run trains as fast as the device can.
    pub is_unpaced: bool,
    /// What is known of the current run: its number, and its recorded length if there is a picture of it.
    current: Option<StagedRun>,
}

/// What the first screen needs to know of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct StagedRun {
    /// Number of the run, as the page counts runs.
    run_count: u64,
    /// Whether there is a picture of the run.
    has_hero: bool,
    /// Recorded number of steps of the preset with the settings of the run; `None` for other runs.
    recorded_steps: Option<u64>,
    /// Seconds for which the run has trained while it was shown.
    seconds: u64,
}

impl State {
    /// Whether the moving picture of the run is shown in place of charts, settings and numbers.
    pub fn shows_stage(&self) -> bool {
        let has_hero = self.stage.current.is_some_and(|run| run.has_hero);
        self.stage.opened_by_link.unwrap_or(self.stage.wants_picture)
            && has_hero
            && self.tour.is_none()
            && self.presenter.is_none()
    }

    /// The number of steps after which the current run is expected to end, from the recording of its preset; `None` if it
    /// was not recorded.
    pub fn expected_steps(&self) -> Option<u64> {
        self.stage.current?.recorded_steps
    }

    /// Whether there is a moving picture of the current run.
    pub fn has_picture(&self) -> bool {
        self.stage.current.is_some_and(|run| run.has_hero)
    }

    /// Carries out an action on the first screen.
    pub(crate) fn apply_stage_action(&mut self, action: StageAction) {
        match action {
            StageAction::ShowPicture(wanted) => {
                (self.stage.wants_picture, self.stage.opened_by_link) = (wanted, None);
            }
            StageAction::Unpaced(is_unpaced) => self.stage.is_unpaced = is_unpaced,
        }
    }

    /// Counts one second of training on the first screen.
    pub(crate) fn tick_stage(&mut self) {
        let trains = self.player.run.phase == RunPhase::Running && self.shows_stage();
        if let Some(run) = self.stage.current.as_mut().filter(|_| trains) {
            run.seconds += 1;
        }
    }

    /// Keeps what is measured for the picture, and the pace of the run, in agreement with what is shown.
    pub(crate) fn update_stage(&mut self, effects: &mut Vec<Effect>) {
        let run = &self.player.run;
        if self.stage.current.is_none_or(|known| known.run_count != run.run_count) {
            let is_single = run.sweep.is_none() && run.file_environment.is_none() && !run.link.is_embedded();
            // A lesson shows what it showed when it was made.
            let is_lesson = !run.link.teacher_keys.is_empty();
            let said = run.link.shows_picture().or_else(|| is_lesson.then_some(false));
            if said != self.stage.said_by_link {
                (self.stage.said_by_link, self.stage.opened_by_link) = (said, said);
            }
            // Another seed takes about as long.
            let mut spec = run.link.spec.clone();
            let exact = find_matching_preset(&spec);
            spec.run.seed = RunSpec::default().run.seed;
            let preset = exact.or_else(|| find_matching_preset(&spec));
            self.stage.current = Some(StagedRun {
                run_count: run.run_count,
                has_hero: is_single && run.lab().has_hero(run.spec()),
                recorded_steps: preset.and_then(|preset| recorded_steps(preset.slug)),
                seconds: 0,
            });
        }
        let shows = self.shows_stage();
        if self.player.run.shows_hero != shows {
            self.player.run.shows_hero = shows;
            self.player.send_probes(effects);
        }
        // A run that nobody recorded is at least not over before it was seen.
        let (link, steps) = (self.player.run.link.view.speed, self.player.run.spec().run.steps);
        let seconds = self.stage.current.map_or(0, |run| run.seconds);
        let pace = steps_in_second(self.expected_steps().unwrap_or(steps), seconds);
        let is_slower = self.expected_steps().is_some() || link == 0 || pace < link;
        let speed = if self.stage.is_unpaced { Some(0) } else { is_slower.then_some(pace) };
        self.player.set_stage_speed(speed.filter(|_| shows), effects);
    }
}

#[cfg(test)]
mod tests;
