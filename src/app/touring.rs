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
use crate::labs::stories;
use crate::labs::story::{Block, Deed, Passage, Story, parse};
use crate::language::translated;
use crate::permalink::decode;
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

impl Touring {
    /// What pressing the button named `name` does.
    pub fn of(name: &str, tour: &Tour) -> Option<Touring> {
        match name {
            "back" => return Some(Touring::Turn(-1)),
            "next" => return Some(Touring::Turn(1)),
            "close" => return Some(Touring::Close),
            _ => {}
        }
        let (block, which) = name.split_once('.')?;
        let (block, which): (usize, usize) = (block.parse().ok()?, which.parse().ok()?);
        match tour.passage()?.blocks.get(block)? {
            Block::Buttons(buttons) => buttons.get(which).map(|(_, deed)| Touring::Do(deed.clone())),
            Block::Question { .. } => Some(Touring::Guess(block, which)),
            Block::Text(_) => None,
        }
    }
}

impl Tour {
    /// The page that is read, as a section's content. Buttons carry their names as `data-press`.
    ///
    /// # Why
    /// A text from a file is a string before it is anything else. As components it would make the program twice as much
    /// larger, and be tested in a browser alone.
    pub fn html(&self) -> String {
        let mut out = Html::default();
        let story = match &self.story {
            Some(Ok(story)) => story,
            other => {
                let words = match other {
                    Some(Err(why)) => tr!("This story is not there: {why}.", why),
                    _ => tr!("Loading").into(),
                };
                out.mixed(&["<p>", &words, "</p><div class=\"tour__turns\">"]);
                out.button("close", "button", "tour-close", "", tr!("Leave"));
                out.raw("</div>");
                return out.0;
            }
        };
        let last = story.passages.len();
        out.raw("<p class=\"tour__name\" data-testid=\"tour-place\">");
        out.text(translated(&story.title));
        out.text(&tr!(" · {at} of {last}", at = self.at + 1, last = last + 1));
        out.raw("</p><h2 class=\"tour__title\" tabindex=\"-1\">");
        match self.passage() {
            Some(passage) => {
                out.text(translated(&passage.title));
                out.raw("</h2>");
                for (at, block) in passage.blocks.iter().enumerate() {
                    self.block(at, block, &mut out);
                }
            }
            None => {
                out.mixed(&["", tr!("Sources"), "</h2><ul class=\"tour__sources\">"]);
                for source in &story.sources {
                    out.raw("<li>");
                    out.text(source);
                    out.raw("</li>");
                }
                out.raw("</ul>");
            }
        }
        out.raw("<div class=\"tour__turns\">");
        let off = |off: bool| if off { "disabled" } else { "" };
        out.button("back", "button", "tour-back", off(self.at == 0), tr!("Back"));
        out.button("next", "button button--main", "tour-next", off(self.at == last), tr!("Next"));
        out.button("close", "button", "tour-close", "", tr!("Leave"));
        out.raw("</div>");
        out.0
    }

    fn block(&self, at: usize, block: &Block, out: &mut Html) {
        match block {
            Block::Text(text) => out.paragraph(translated(text)),
            Block::Buttons(buttons) => {
                out.raw("<div class=\"tour__buttons\">");
                for (i, (word, _)) in buttons.iter().enumerate() {
                    out.button(&format!("{at}.{i}"), "button", "", "", translated(word));
                }
                out.raw("</div>");
            }
            Block::Question { guesses, answer } => {
                let guessed = self.guess(at);
                out.mixed(&[
                    "<div class=\"guesses\" role=\"group\" aria-label=\"",
                    tr!("Your prediction"),
                    "\">",
                ]);
                for (i, (word, is_right)) in guesses.iter().enumerate() {
                    let class = if guessed.is_some() && *is_right {
                        "button guess guess--right"
                    } else {
                        "button guess"
                    };
                    let state = match guessed {
                        None => "",
                        Some(guess) if guess == i => "aria-pressed=\"true\" aria-disabled=\"true\"",
                        Some(_) => "aria-disabled=\"true\"",
                    };
                    out.button(&format!("{at}.{i}"), class, &format!("guess-{i}"), state, translated(word));
                }
                out.raw("</div><div class=\"answer\" role=\"status\" data-testid=\"answer\">");
                if let Some(guess) = guessed {
                    let is_right = guesses.get(guess).is_some_and(|(_, right)| *right);
                    let verdict = if is_right {
                        tr!("*Yes.* {answer}", answer = translated(answer))
                    } else {
                        tr!("*Not quite.* {answer}", answer = translated(answer))
                    };
                    out.paragraph(&verdict);
                }
                out.raw("</div>");
            }
        }
    }
}

/// Markup that is being written.
#[derive(Default)]
pub(super) struct Html(pub(super) String);

impl Html {
    /// Markup as it is.
    pub(super) fn raw(&mut self, markup: &str) {
        self.0.push_str(markup);
    }

    /// Markup and text by turns, markup first.
    pub(super) fn mixed(&mut self, parts: &[&str]) {
        for (at, part) in parts.iter().enumerate() {
            if at % 2 == 0 { self.raw(part) } else { self.text(part) }
        }
    }

    /// Text, whatever is in it.
    pub(super) fn text(&mut self, text: &str) {
        for letter in text.chars() {
            match letter {
                '&' => self.raw("&amp;"),
                '<' => self.raw("&lt;"),
                '"' => self.raw("&quot;"),
                letter => self.0.push(letter),
            }
        }
    }

    /// Every second part between stars is stressed.
    fn paragraph(&mut self, text: &str) {
        self.raw("<p>");
        for (i, part) in text.split('*').enumerate() {
            if i > 0 {
                self.raw(if i % 2 == 1 { "<em>" } else { "</em>" });
            }
            self.text(part);
        }
        self.raw("</p>");
    }

    /// An option of a list, of which `chosen` is the value.
    pub(super) fn option(&mut self, value: &str, word: &str, chosen: &str) {
        for part in ["<option value=\"", value, if value == chosen { "\" selected>" } else { "\">" }] {
            self.raw(part);
        }
        self.text(word);
        self.raw("</option>");
    }

    fn button(&mut self, name: &str, class: &str, testid: &str, state: &str, word: &str) {
        for part in
            ["<button type=\"button\" class=\"", class, "\" data-testid=\"", testid, "\" data-press=\""]
        {
            self.raw(part);
        }
        for part in [name, "\" ", state, ">"] {
            self.raw(part);
        }
        self.text(word);
        self.raw("</button>");
    }
}

/// The list of stories, likewise; buttons are named by the stories' slugs.
pub fn list() -> String {
    let mut out = Html::default();
    for about in stories() {
        out.raw("<li><button type=\"button\" class=\"tours__one\" data-testid=\"story-");
        for part in [about.slug, "\" data-press=\"", about.slug, "\"><strong>"] {
            out.raw(part);
        }
        out.text(translated(about.title));
        out.raw("</strong><span>");
        out.text(&tr!(
            "{about} {minutes} minutes.",
            about = translated(about.about),
            minutes = about.minutes
        ));
        out.raw("</span></button></li>");
    }
    out.0
}

/// What a reader does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touring {
    /// Opens the story of this name.
    Open(String),
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
        let Some(about) = stories().find(|about| about.slug == slug) else {
            self.message = tr!("There is no story of that name; the list has them all.").into();
            return;
        };
        self.tour =
            Some(Box::new(Tour { slug: about.slug, story: None, at: 0, guesses: vec![], pointed: None }));
        effects.push(Effect::Fetch(about.slug));
    }

    pub(super) fn tour(&mut self, what: Touring, effects: &mut Vec<Effect>) {
        match what {
            Touring::Open(slug) => self.open_story(&slug, effects),
            Touring::Fetched(slug, text) => {
                let Some(tour) = self.tour.as_mut().filter(|tour| tour.slug == slug) else { return };
                let story = text.and_then(|text| parse(&text).map_err(|flaw| flaw.to_string()));
                tour.story = Some(story);
                // The reader is to predict what has not happened yet.
                self.enter(effects);
                if self.step > 0 || !self.paused {
                    self.paused = true;
                    self.begin(effects);
                }
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
        if let Some(run) =
            self.tour.as_ref().and_then(|tour| tour.passage()).map(|passage| passage.run.clone())
        {
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
        self.change(link, tr!("The story opened this run; it waits.").into(), effects);
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
                self.message = tr!("The story points at a chart: {chart}.", chart = chart.info().name);
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
            let step = thousands(self.step);
            self.message = match has_ended {
                true => tr!("The run has ended at step {step}.", step),
                false => tr!("The run waits at step {step}.", step),
            };
            return;
        }
        let goal = Goal { step, in_haste: false };
        if step < self.step {
            self.goal = Some(goal);
            self.paused = true;
            self.message = tr!("Started again, to step {step}.", step = thousands(step));
            self.begin(effects);
            return;
        }
        self.goal = Some(goal);
        self.message = tr!("Trains to step {step}.", step = thousands(step));
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
