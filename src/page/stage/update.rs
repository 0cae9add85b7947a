//! Actions on the first screen, and the pace of the run that it shows.

use super::{StageAction, StagePlacement, StagedRun};
use crate::effect::Effect;
use crate::state::State;
use vivarium_labs::find_matching_preset;
use vivarium_model::chart::Chart;
use vivarium_model::run::RunSpec;
use vivarium_view::display::RunPhase;
use vivarium_view::presets::recorded::recorded_steps;

/// Seconds that a preset's run lasts on the first screen, whatever the device.
pub(super) const STAGE_SECONDS: u64 = 15;

/// Steps done after a share of the duration, as a power of that share: more time for the first steps, in which much changes
/// and which a steady pace would pass in a moment.
const PACE_EXPONENT: f64 = 1.5;

/// Training steps in the second number `second` (from 0) of a run of `steps` steps that lasts [`STAGE_SECONDS`]; at least 1.
pub(super) fn steps_in_second(steps: u64, second: u64) -> u64 {
    let done = |seconds: u64| {
        let share = seconds.min(STAGE_SECONDS) as f64 / STAGE_SECONDS as f64;
        steps as f64 * libm::pow(share, PACE_EXPONENT)
    };
    let second = second.min(STAGE_SECONDS - 1);
    ((done(second + 1) - done(second)).round() as u64).max(1)
}

impl State {
    /// Where the moving picture of the run is shown.
    pub fn stage_placement(&self) -> StagePlacement {
        let is_first_screen = || self.stage.opened_by_link.unwrap_or(self.stage.wants_picture);
        match (&self.presenter, &self.tour) {
            _ if !self.has_picture() => StagePlacement::Hidden,
            (None, None) if is_first_screen() => StagePlacement::FirstScreen,
            (None, None) => StagePlacement::Hidden,
            _ if self.is_run_hidden() => StagePlacement::Hidden,
            (Some(_), _) if self.presents_picture() => StagePlacement::Panel,
            // The text speaks of the picture, so that readers who usually want the details see it, too.
            (None, Some(_)) if self.offers_picture_panel() => StagePlacement::Panel,
            _ => StagePlacement::Hidden,
        }
    }

    /// Whether the moving picture of the run is shown in place of charts, settings and numbers.
    pub fn shows_stage(&self) -> bool {
        self.stage_placement() == StagePlacement::FirstScreen
    }

    /// Whether stories and presenter mode show the moving picture of the run: it has one, and its link does not state that
    /// the charts are shown.
    pub fn offers_picture_panel(&self) -> bool {
        self.stage.current.is_some_and(|run| run.has_hero && !run.prefers_charts)
    }

    /// Charts that represent the preset of the run best, in order of preference; empty for other runs and for presets
    /// whose default charts do.
    pub(crate) fn preset_charts(&self) -> &'static [Chart] {
        self.stage.current.map(|run| run.preset_charts).unwrap_or_default()
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

    /// Forgets which view the link before stated, so that the view that the next link states is opened again, even if the
    /// user has chosen another one meanwhile.
    pub(crate) fn forget_stated_view(&mut self) {
        self.stage.stated_by_link = None;
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
            let is_single = run.sweep.is_none() && run.file_environment.is_none();
            // An embedded page shows charts unless its link states the picture.
            let is_chart_frame = run.link.is_embedded() && run.link.shows_picture() != Some(true);
            // A lesson shows what it showed when it was made.
            let is_lesson = !run.link.teacher_keys.is_empty() && !run.link.is_embedded();
            let stated = run.link.shows_picture().or_else(|| is_lesson.then_some(false));
            // A change of a lesson's run removes some of its keys, and is no reason to show another view.
            if stated.is_some() && stated != self.stage.stated_by_link {
                (self.stage.stated_by_link, self.stage.opened_by_link) = (stated, stated);
            }
            // Another seed takes about as long.
            let mut spec = run.link.spec.clone();
            let exact = find_matching_preset(&spec);
            spec.run.seed = RunSpec::default().run.seed;
            let preset = exact.or_else(|| find_matching_preset(&spec));
            self.stage.current = Some(StagedRun {
                run_count: run.run_count,
                has_hero: is_single && !is_chart_frame && run.lab().has_hero(run.spec()),
                prefers_charts: stated == Some(false),
                preset_charts: preset.map(|preset| preset.group.charts).unwrap_or_default(),
                recorded_steps: preset.and_then(|preset| recorded_steps(preset.slug)),
                seconds: 0,
            });
        }
        let placement = self.stage_placement();
        let shows_hero = placement != StagePlacement::Hidden;
        if self.player.run.shows_hero != shows_hero {
            self.player.run.shows_hero = shows_hero;
            self.player.send_probes(effects);
        }
        // A run that nobody recorded is at least not over before it was seen.
        let (link, steps) = (self.player.run.link.view.speed, self.player.run.spec().run.steps);
        let seconds = self.stage.current.map_or(0, |run| run.seconds);
        let pace = steps_in_second(self.expected_steps().unwrap_or(steps), seconds);
        let is_slower = self.expected_steps().is_some() || link == 0 || pace < link;
        let speed = if self.stage.is_unpaced { Some(0) } else { is_slower.then_some(pace) };
        // A story and presenter mode keep the speed of the run.
        let is_paced = placement == StagePlacement::FirstScreen;
        self.player.set_stage_speed(speed.filter(|_| is_paced), effects);
    }
}
