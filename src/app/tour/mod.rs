//! Going through a story, and training to a step: what their buttons change in the state.
//!
//! # Why
//! A story acts through the same actions as a person, so that everything it does can be undone, and nothing on the page
//! is its own. Its run opens paused: the reader predicts before anything moves.

#[cfg(all(feature = "ui", target_family = "wasm"))]
pub mod passage;
#[cfg(test)]
pub(in crate::app) mod tests;

mod update;

use super::html::Html;
use crate::catalog::chart::Chart;
use crate::labs::stories;
use crate::labs::story::{Block, Passage, Story, StoryAction};
use crate::language::translated;

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

impl TourAction {
    /// What pressing the button named `name` does.
    pub fn of(name: &str, tour: &Tour) -> Option<TourAction> {
        match name {
            "back" => return Some(TourAction::Turn(-1)),
            "next" => return Some(TourAction::Turn(1)),
            "close" => return Some(TourAction::Close),
            _ => {}
        }
        let (block, which) = name.split_once('.')?;
        let (block, which): (usize, usize) = (block.parse().ok()?, which.parse().ok()?);
        match tour.passage()?.blocks.get(block)? {
            Block::Buttons(buttons) => buttons.get(which).map(|(_, deed)| TourAction::Do(deed.clone())),
            Block::Question { .. } => Some(TourAction::Guess(block, which)),
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
pub enum TourAction {
    /// Opens the story of this name.
    Open(String),
    /// The text of the story of this name has come, or why it has not.
    Fetched(&'static str, Result<String, String>),
    /// Goes on, or back, by so many passages.
    Turn(isize),
    /// Presses a button.
    Do(StoryAction),
    /// Guesses: block of the passage, and which guess.
    Guess(usize, usize),
    /// Closes the story; the run stays.
    Close,
}
