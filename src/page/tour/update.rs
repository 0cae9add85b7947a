//! What a story's buttons, and training to a step, change in the state.

use super::{Goal, Tour, TourAction};
use crate::settings::form::SHOW_KEY;
use crate::state::State;
use crate::trainer::Effect;
use vivarium_core::language::translated;
use vivarium_labs::stories;
use vivarium_labs::story::{StoryAction, parse};
use vivarium_model::chart::Chart;
use vivarium_model::permalink::decode;
use vivarium_model::protocol::Command;
use vivarium_view::display::Phase;
use vivarium_view::display::words::thousands;

/// What is said where an address names no passage, as `#story/grokking/0` does.
const MISNUMBERED: &str = text!("The passages of a story are numbered from 1. This is passage 1.");

impl State {
    /// Opens a story by its name, at its beginning or, as in `grokking/3`, at a passage.
    pub fn open_story(&mut self, place: &str, effects: &mut Vec<Effect>) {
        let (slug, number) = place.split_once('/').unwrap_or((place, "1"));
        let Some(about) = stories().find(|about| about.slug == slug) else {
            self.message = tr!("There is no story with this name; the list shows all stories.").into();
            return;
        };
        let number = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let (at, is_misnumbered) = (number.unwrap_or(0), number.is_none());
        if is_misnumbered {
            self.message = translated(MISNUMBERED).into();
        }
        if let Some(tour) = &self.tour
            && tour.slug == about.slug
            && matches!(tour.story, Some(Ok(_)))
        {
            let by = at as isize - tour.at as isize;
            self.tour(TourAction::Turn(by), effects);
            return;
        }
        self.tour = Some(Box::new(Tour {
            slug: about.slug,
            story: None,
            at,
            guesses: vec![],
            explained: vec![],
            changed: vec![],
            pointed: None,
            is_misnumbered,
        }));
        effects.push(Effect::Fetch(about.slug));
    }

    pub(crate) fn tour(&mut self, what: TourAction, effects: &mut Vec<Effect>) {
        match what {
            TourAction::Open(slug) => self.open_story(&slug, effects),
            TourAction::Fetched(slug, text) => {
                let Some(tour) = self.tour.as_mut().filter(|tour| tour.slug == slug) else { return };
                let story = text.and_then(|text| parse(&text).map_err(|flaw| flaw.to_string()));
                if let Ok(story) = &story
                    && tour.at > story.passages.len()
                {
                    tour.at = story.passages.len();
                    let count = story.passages.len();
                    self.message = tr!(
                        "This story has only {count} passages. The page now shows the sources of the story.",
                        count
                    );
                }
                tour.story = Some(story);
                let is_misnumbered = tour.is_misnumbered;
                // The reader is to predict what has not happened yet.
                self.enter(effects);
                if self.run.step > 0 || !self.paused {
                    self.paused = true;
                    self.begin(effects);
                }
                // Not instead of this: that the story has opened a run.
                if is_misnumbered {
                    self.message = translated(MISNUMBERED).into();
                }
            }
            TourAction::Turn(by) => {
                let Some(tour) = &mut self.tour else { return };
                let Some(Ok(story)) = &tour.story else { return };
                // One past the last are the sources.
                let to = tour.at.saturating_add_signed(by).min(story.passages.len());
                if to != tour.at {
                    (tour.at, tour.pointed) = (to, None);
                    self.enter(effects);
                }
            }
            TourAction::Do(deed) => self.act_out(deed, effects),
            TourAction::Guess(block, guess) => {
                if let Some(tour) = &mut self.tour
                    && tour.guess(block).is_none()
                {
                    tour.guesses.push((tour.at, block, guess));
                }
            }
            TourAction::Recall(answers) => {
                if let Some(tour) = &mut self.tour {
                    tour.recall(&answers);
                }
            }
            TourAction::Close => self.tour = None,
        }
    }

    /// Whether a reader is to predict what the page would tell.
    pub fn is_predicting(&self) -> bool {
        self.tour.as_ref().is_some_and(|tour| tour.open_question().is_some())
    }

    /// Shows explanations that the run has earned.
    pub fn explain(&mut self) {
        let has_ended =
            matches!(self.run.phase, Phase::Finished(_) | Phase::Diverged { .. } | Phase::Failed(_));
        if let Some(tour) = &mut self.tour {
            tour.look_at_run(self.run.step, has_ended);
        }
    }

    /// Opens the run of the passage that is read, unless it is open.
    fn enter(&mut self, effects: &mut Vec<Effect>) {
        if let Some(run) =
            self.tour.as_ref().and_then(|tour| tour.passage()).map(|passage| passage.run.clone())
        {
            self.open_paused(&run, effects);
        }
    }

    fn open_paused(&mut self, run: &str, effects: &mut Vec<Effect>) {
        let (mut link, _) = decode(run);
        if link.spec == self.run.link.spec {
            if link.view.show != self.run.link.view.show {
                let slugs: Vec<&str> = link.view.show.into_iter().map(Chart::slug).collect();
                self.edit(SHOW_KEY, &slugs.join("."), effects);
            }
            return;
        }
        link.reserved.clone_from(&self.run.link.reserved);
        // A change of the run keeps it waiting if it waits.
        self.run.phase = Phase::Paused;
        self.change(
            link,
            tr!("The story has opened this run. The run waits until you start it.").into(),
            effects,
        );
    }

    fn act_out(&mut self, deed: StoryAction, effects: &mut Vec<Effect>) {
        if let Some(tour) = &mut self.tour
            && matches!(deed, StoryAction::Change(..) | StoryAction::Open(_))
            && tour.guesses.iter().any(|(at, ..)| *at == tour.at)
        {
            tour.changed.push(tour.at);
        }
        match deed {
            StoryAction::Train(step) => self.train_to(step, effects),
            StoryAction::Change(key, value) => {
                self.run.phase = Phase::Paused;
                self.edit(&key, &value, effects);
            }
            StoryAction::Point(chart) => {
                if !self.run.link.view.show.contains(&chart) {
                    self.toggle_chart(chart, effects);
                }
                self.message = tr!("The story is about this chart: {chart}.", chart = chart.info().name);
                if let Some(tour) = &mut self.tour {
                    let before = tour.pointed.map_or(0, |(_, times)| times);
                    tour.pointed = Some((chart, before + 1));
                }
                self.present_pointed();
            }
            StoryAction::Open(run) => self.open_paused(&run, effects),
        }
    }

    /// Has the run train to `step` and wait there; from its start, where it has gone beyond.
    pub fn train_to(&mut self, step: u64, effects: &mut Vec<Effect>) {
        let has_ended = matches!(self.run.phase, Phase::Finished(_) | Phase::Diverged { .. });
        if matches!(self.run.phase, Phase::Failed(_)) || self.run.sweep.is_some() {
            return;
        }
        if self.run.step == step || has_ended && self.run.step < step {
            let step = thousands(self.run.step);
            self.message = match has_ended {
                true => tr!("The run has ended at step {step}.", step),
                false => tr!("The run waits at step {step}.", step),
            };
            return;
        }
        let goal = Goal { step, in_haste: false };
        if step < self.run.step {
            self.goal = Some(goal);
            self.paused = true;
            self.message = tr!(
                "Training has started again from the beginning and continues up to step {step}.",
                step = thousands(step)
            );
            self.begin(effects);
            return;
        }
        self.goal = Some(goal);
        self.message = tr!("Training continues up to step {step}.", step = thousands(step));
        // One that has not started yet is told when it does.
        if !self.awaiting {
            self.paused = false;
            self.send(Command::PlayTo(step), effects);
        }
    }

    /// From now on the run waits at no step.
    pub fn forget_goal(&mut self, effects: &mut Vec<Effect>) {
        if self.goal.take().is_some_and(|goal| goal.in_haste) {
            self.send(Command::Speed(self.run.link.view.speed), effects);
        }
    }
}
