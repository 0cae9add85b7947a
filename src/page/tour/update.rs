//! How the buttons of a story, and training to a step, change the state.

use super::{Tour, TourAction};
use crate::effect::Effect;
use crate::settings::form::CHARTS_KEY;
use crate::state::State;
use vivarium_core::language::translated;
use vivarium_labs::stories;
use vivarium_labs::story::{StoryAction, parse_story};
use vivarium_model::chart::Chart;
use vivarium_model::permalink::decode;
use vivarium_model::protocol::Command;
use vivarium_player::player::PauseGoal;
use vivarium_view::display::RunPhase;
use vivarium_view::display::words::format_thousands;

/// Message for an address with the passage number 0 or another wrong one, such as `#story/grokking/0`.
const MISNUMBERED_TEXT: &str = text!("The passages of a story are numbered from 1. This is passage 1.");

impl State {
    /// Opens a story by its slug, at its first passage or, as in `grokking/3`, at the passage with this number.
    pub fn open_story(&mut self, place: &str, effects: &mut Vec<Effect>) {
        let (slug, number) = place.split_once('/').unwrap_or((place, "1"));
        let Some(about) = stories().find(|about| about.slug == slug) else {
            self.player.message = tr!("There is no story with this name; the list shows all stories.").into();
            return;
        };
        let number = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let (at, is_misnumbered) = (number.unwrap_or(0), number.is_none());
        if is_misnumbered {
            self.player.message = translated(MISNUMBERED_TEXT).into();
        }
        if let Some(tour) = &self.tour
            && tour.slug == about.slug
            && matches!(tour.story, Some(Ok(_)))
        {
            let by = at as isize - tour.passage_index as isize;
            self.apply_tour_action(TourAction::Turn(by), effects);
            return;
        }
        self.tour = Some(Box::new(Tour {
            slug: about.slug,
            story: None,
            passage_index: at,
            guesses: vec![],
            explained_questions: vec![],
            changed_passages: vec![],
            opened_readings: vec![],
            pointed_chart: None,
            is_misnumbered,
        }));
        effects.push(Effect::FetchStory(about.slug));
    }

    /// Applies an action of the reader of a story, such as a guess, to the state.
    pub(crate) fn apply_tour_action(&mut self, action: TourAction, effects: &mut Vec<Effect>) {
        match action {
            TourAction::Open(slug) => self.open_story(&slug, effects),
            TourAction::Fetched(slug, text) => {
                let Some(tour) = self.tour.as_mut().filter(|tour| tour.slug == slug) else { return };
                let story = text.and_then(|text| parse_story(&text).map_err(|error| error.to_string()));
                if let Ok(story) = &story
                    && tour.passage_index > story.passages.len()
                {
                    tour.passage_index = story.passages.len();
                    let count = story.passages.len();
                    self.player.message = tr!(
                        "This story has only {count} passages. The page now shows the sources of the story.",
                        count
                    );
                }
                tour.story = Some(story);
                let is_misnumbered = tour.is_misnumbered;
                // The run starts again, since the reader predicts what has not happened yet.
                self.open_passage_run(effects);
                if self.player.run.step > 0 || !self.player.paused {
                    self.player.paused = true;
                    self.start_from_beginning(effects);
                }
                // This replaces the message that the story has opened a run.
                if is_misnumbered {
                    self.player.message = translated(MISNUMBERED_TEXT).into();
                }
            }
            TourAction::Turn(by) => {
                let Some(tour) = &mut self.tour else { return };
                let Some(Ok(story)) = &tour.story else { return };
                // The sources follow the last passage.
                let to = tour.passage_index.saturating_add_signed(by).min(story.passages.len());
                if to != tour.passage_index {
                    (tour.passage_index, tour.pointed_chart) = (to, None);
                    self.open_passage_run(effects);
                }
            }
            TourAction::PressButton(action) => self.run_story_action(action, effects),
            TourAction::Guess(block, guess) => {
                if let Some(tour) = &mut self.tour
                    && tour.guess(block).is_none()
                {
                    tour.guesses.push((tour.passage_index, block, guess));
                }
            }
            TourAction::ToggleMore(block) => {
                if let Some(tour) = &mut self.tour {
                    let reading = (tour.passage_index, block);
                    match tour.opened_readings.iter().position(|opened| *opened == reading) {
                        Some(at) => {
                            tour.opened_readings.swap_remove(at);
                        }
                        None => tour.opened_readings.push(reading),
                    }
                }
            }
            TourAction::RestoreAnswers(answers) => {
                if let Some(tour) = &mut self.tour {
                    tour.restore_answers(&answers);
                }
            }
            TourAction::Close => self.tour = None,
        }
    }

    /// Whether a question of the shown passage is unanswered, so that the page hides results that would give the
    /// answer.
    pub fn is_predicting(&self) -> bool {
        self.tour.as_ref().is_some_and(|tour| tour.open_question().is_some())
    }

    /// Shows the explanations in the open story that are due at the current step of the run.
    pub fn show_due_explanations(&mut self) {
        let phase = &self.player.run.phase;
        let has_ended = match &self.player.run.sweep {
            Some(sweep) => sweep.is_stopped() || matches!(phase, RunPhase::Failed(_)),
            None => phase.has_ended() || matches!(phase, RunPhase::Failed(_)),
        };
        if let Some(tour) = &mut self.tour {
            tour.update_explanations(self.player.run.step, has_ended, self.player.run.sweep.is_some());
        }
    }

    /// Opens the run of the passage that is shown, unless it is open already.
    fn open_passage_run(&mut self, effects: &mut Vec<Effect>) {
        if let Some(run) =
            self.tour.as_ref().and_then(|tour| tour.passage()).map(|passage| passage.run.clone())
        {
            self.open_run_paused(&run, effects);
        }
    }

    /// Opens the run of the link `run` paused, unless it is the current run.
    fn open_run_paused(&mut self, run: &str, effects: &mut Vec<Effect>) {
        let (mut link, _) = decode(run);
        if link.spec == self.player.run.link.spec {
            if link.view.show != self.player.run.link.view.show {
                let slugs: Vec<&str> = link.view.show.into_iter().map(Chart::slug).collect();
                self.edit(CHARTS_KEY, &slugs.join("."), effects);
            }
            return;
        }
        link.teacher_keys.clone_from(&self.player.run.link.teacher_keys);
        // The notices are about the link of the run that is left.
        self.notices.clear();
        // The run that is left is saved as it ended: only the next one is paused.
        self.player.next_run_paused = Some(true);
        self.change_link(
            link,
            tr!("The story has opened this run. The run waits until you start it.").into(),
            effects,
        );
    }

    /// Carries out the action of a button in a story.
    fn run_story_action(&mut self, action: StoryAction, effects: &mut Vec<Effect>) {
        if let Some(tour) = &mut self.tour
            && matches!(action, StoryAction::Change(..) | StoryAction::Open(_))
            && tour.guesses.iter().any(|(at, ..)| *at == tour.passage_index)
        {
            tour.changed_passages.push(tour.passage_index);
        }
        match action {
            StoryAction::Train(step) => self.train_to(step, effects),
            StoryAction::Change(key, value) => {
                self.player.next_run_paused = Some(true);
                self.edit(&key, &value, effects);
                // A setting of the view, or one that has the value already, has started no run: no later run is to
                // be paused.
                self.player.next_run_paused = None;
            }
            StoryAction::Point(chart) => {
                if !self.player.run.link.view.show.contains(&chart) {
                    self.toggle_chart(chart, effects);
                }
                self.player.message =
                    tr!("The story is about this chart: {chart}.", chart = chart.info().name);
                if let Some(tour) = &mut self.tour {
                    let before = tour.pointed_chart.map_or(0, |(_, times)| times);
                    tour.pointed_chart = Some((chart, before + 1));
                }
                self.show_pointed_chart();
            }
            StoryAction::Open(run) => self.open_run_paused(&run, effects),
        }
    }

    /// Trains the run to `step` and pauses there; restarts the run if it is beyond that step.
    pub fn train_to(&mut self, step: u64, effects: &mut Vec<Effect>) {
        let has_ended = self.player.run.phase.has_ended();
        if matches!(self.player.run.phase, RunPhase::Failed(_)) || self.player.run.sweep.is_some() {
            return;
        }
        if self.player.run.step == step || has_ended && self.player.run.step < step {
            let step = format_thousands(self.player.run.step);
            match has_ended {
                true => self.player.message = tr!("The run has ended at step {step}.", step),
                false => self.player.show_while_at_step(tr!("The run waits at step {step}.", step)),
            }
            return;
        }
        let goal = PauseGoal { step, ignores_speed_limit: false };
        if step < self.player.run.step {
            self.player.goal = Some(goal);
            self.player.paused = true;
            self.player.show_while_playing(tr!(
                "The run has started again from the beginning and continues up to step {step}.",
                step = format_thousands(step)
            ));
            self.start_from_beginning(effects);
            return;
        }
        self.player.goal = Some(goal);
        self.player
            .show_while_playing(tr!("The run continues up to step {step}.", step = format_thousands(step)));
        // A start command that is still to be sent carries the step; one that was sent before did not carry it.
        if !self.player.awaiting_start {
            self.player.paused = false;
            self.player.send(Command::PlayTo(step), effects);
        } else if self.player.trainer.has_unanswered_start() {
            self.player.send(Command::PlayTo(step), effects);
        }
    }

    /// Removes the step at which the run was to pause, and applies the speed limit again if it was ignored until then.
    pub fn clear_goal(&mut self, effects: &mut Vec<Effect>) {
        if self.player.goal.take().is_some_and(|goal| goal.ignores_speed_limit) {
            self.player.send(Command::Speed(self.player.speed_limit()), effects);
        }
    }
}
