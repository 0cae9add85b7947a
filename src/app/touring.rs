//! Going through a story, and training to a step: what their buttons change in the state.
//!
//! # Why
//! A story acts through the same actions as a person, so that everything it does can be undone, and nothing on the page
//! is its own. Its run opens paused: the reader predicts before anything moves.

use super::form::SHOW_KEY;
use super::state::{Phase, State};
use super::trainer::Effect;
use super::words::thousands;
use crate::analysis::chart::Chart;
use crate::permalink::decode;
use crate::presets::stories::{Deed, Passage, STORIES, Story, parse};
use crate::protocol::Command;

/// A step at which the run is to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Goal {
    /// The step.
    pub step: u64,
    /// Whether the way there is only waited for, so that no speed limit holds.
    pub in_haste: bool,
}

/// A story that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tour {
    /// Its name.
    pub slug: &'static str,
    /// Its text, once it is there; or why it is not.
    pub story: Option<Result<Story, String>>,
    /// Passage that is read, from 0.
    pub at: usize,
    /// Guesses that were made: passage, block and guess.
    pub guesses: Vec<(usize, usize, usize)>,
    /// Chart that is pointed at, and how often one was.
    pub pointed: Option<(Chart, u32)>,
}

impl Tour {
    /// The passage that is read.
    pub fn passage(&self) -> Option<&Passage> {
        self.story.as_ref()?.as_ref().ok()?.passages.get(self.at)
    }

    /// The guess at block `block` of the passage that is read.
    pub fn guess(&self, block: usize) -> Option<usize> {
        self.guesses.iter().find(|(at, of, _)| (*at, *of) == (self.at, block)).map(|(_, _, guess)| *guess)
    }
}

/// What a reader does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touring {
    /// Opens the story of this name.
    Open(&'static str),
    /// The text of the story of this name has come, or why it has not.
    Fetched(&'static str, Result<String, String>),
    /// Goes on, or back, by so many passages.
    Turn(isize),
    /// Presses a button.
    Do(Deed),
    /// Guesses: block of the passage, and which guess.
    Guess(usize, usize),
    /// Closes the story; the run stays.
    Close,
}

impl State {
    pub(super) fn open_story(&mut self, slug: &str, effects: &mut Vec<Effect>) {
        let Some(about) = STORIES.iter().find(|about| about.slug == slug) else {
            self.message = "There is no story of that name; the list has them all.".into();
            return;
        };
        self.tour = Some(Box::new(Tour {
            slug: about.slug,
            story: None,
            at: 0,
            guesses: vec![],
            pointed: None,
        }));
        effects.push(Effect::Fetch(about.slug));
    }

    pub(super) fn tour(&mut self, what: Touring, effects: &mut Vec<Effect>) {
        match what {
            Touring::Open(slug) => self.open_story(slug, effects),
            Touring::Fetched(slug, text) => {
                let Some(tour) = self.tour.as_mut().filter(|tour| tour.slug == slug) else { return };
                let story = text.and_then(|text| parse(&text).map_err(|flaw| flaw.to_string()));
                tour.story = Some(story);
                self.enter(effects);
            }
            Touring::Turn(by) => {
                let Some(tour) = &mut self.tour else { return };
                let Some(Ok(story)) = &tour.story else { return };
                // One past the last are the sources.
                let to = tour.at.saturating_add_signed(by).min(story.passages.len());
                if to != tour.at {
                    (tour.at, tour.pointed) = (to, None);
                    self.enter(effects);
                }
            }
            Touring::Do(deed) => self.act_out(deed, effects),
            Touring::Guess(block, guess) => {
                if let Some(tour) = &mut self.tour
                    && tour.guess(block).is_none()
                {
                    tour.guesses.push((tour.at, block, guess));
                }
            }
            Touring::Close => self.tour = None,
        }
    }

    /// Opens the run of the passage that is read, unless it is open.
    fn enter(&mut self, effects: &mut Vec<Effect>) {
        if let Some(run) = self.tour.as_ref().and_then(|tour| tour.passage()).map(|passage| passage.run.clone()) {
            self.open_paused(&run, effects);
        }
    }

    fn open_paused(&mut self, run: &str, effects: &mut Vec<Effect>) {
        let (mut link, _) = decode(run);
        if link.spec == self.link.spec {
            if link.view.show != self.link.view.show {
                let slugs: Vec<&str> = link.view.show.into_iter().map(Chart::slug).collect();
                self.edit(SHOW_KEY, &slugs.join("."), effects);
            }
            return;
        }
        link.reserved.clone_from(&self.link.reserved);
        // A change of the run keeps it waiting if it waits.
        self.phase = Phase::Paused;
        self.change(link, "The story opened this run; it waits.".into(), effects);
    }

    fn act_out(&mut self, deed: Deed, effects: &mut Vec<Effect>) {
        match deed {
            Deed::Train(step) => self.train_to(step, effects),
            Deed::Change(key, value) => {
                self.phase = Phase::Paused;
                self.edit(&key, &value, effects);
            }
            Deed::Point(chart) => {
                if !self.link.view.show.contains(&chart) {
                    self.toggle_chart(chart, effects);
                }
                if let Some(tour) = &mut self.tour {
                    let before = tour.pointed.map_or(0, |(_, times)| times);
                    tour.pointed = Some((chart, before + 1));
                }
            }
            Deed::Open(run) => self.open_paused(&run, effects),
        }
    }

    /// Has the run train to `step` and wait there; from its start, where it has gone beyond.
    pub(super) fn train_to(&mut self, step: u64, effects: &mut Vec<Effect>) {
        let has_ended = matches!(self.phase, Phase::Finished(_) | Phase::Diverged { .. });
        if matches!(self.phase, Phase::Failed(_)) || self.sweep.is_some() {
            return;
        }
        if self.step == step || has_ended && self.step < step {
            let end = if has_ended { "has ended" } else { "waits" };
            self.message = format!("The run {end} at step {}.", thousands(self.step));
            return;
        }
        let goal = Goal { step, in_haste: false };
        if step < self.step {
            self.goal = Some(goal);
            self.paused = true;
            self.message = format!("Started again, to step {}.", thousands(step));
            self.begin(effects);
            return;
        }
        self.goal = Some(goal);
        self.message = format!("Trains to step {}.", thousands(step));
        // One that has not started yet is told when it does.
        if !self.awaiting {
            self.paused = false;
            self.send(Command::PlayTo(step), effects);
        }
    }

    /// From now on the run waits at no step.
    pub(super) fn forget_goal(&mut self, effects: &mut Vec<Effect>) {
        if self.goal.take().is_some_and(|goal| goal.in_haste) {
            self.send(Command::Speed(self.link.view.speed), effects);
        }
    }
}
