//! Going through a story, and training to a step: what their buttons change in the state.
//!
//! # Why
//! A story acts through the same actions as a person, so that everything it does can be undone, and nothing on the page
//! is its own. Its run opens paused: the reader predicts before anything moves.

pub mod handout;
pub mod lesson;
#[cfg(test)]
pub(crate) mod tests;

mod update;

use super::html::Html;
use vivarium_core::language::translated;
use vivarium_labs::stories;
use vivarium_labs::story::{Block, Passage, Story, StoryAction};
use vivarium_model::chart::Chart;
use vivarium_view::display::glossary::Marks;
use vivarium_view::display::words::thousands;

/// A step at which the run is to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Goal {
    /// The step.
    pub step: u64,
    /// Whether the way there is only waited for, so that no speed limit holds.
    pub in_haste: bool,
}

/// In place of a guess: the question was passed over.
pub const SKIPPED: usize = usize::MAX;

/// The beginning of a story's address: `#story/grokking/3` is the third passage of that story.
const ADDRESS: &str = "#story/";

/// A story that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tour {
    /// Its name.
    pub slug: &'static str,
    /// Its text, once it is there; or why it is not.
    pub story: Option<Result<Story, String>>,
    /// Passage that is read, from 0.
    pub at: usize,
    /// Guesses that were made: passage, block and guess, or [`SKIPPED`].
    pub guesses: Vec<(usize, usize, usize)>,
    /// Questions whose explanation is shown: passage and block.
    pub explained: Vec<(usize, usize)>,
    /// Passages in which a setting was changed, or another run opened, after a guess.
    pub changed: Vec<usize>,
    /// Chart that is pointed at, and how often one was.
    pub pointed: Option<(Chart, u32)>,
    /// Whether the address named no passage, as `#story/grokking/0` does.
    pub is_misnumbered: bool,
}

impl Tour {
    /// The passage that is read.
    pub fn passage(&self) -> Option<&Passage> {
        self.story.as_ref()?.as_ref().ok()?.passages.get(self.at)
    }

    /// The address of the passage that is read.
    pub fn address(&self) -> String {
        format!("{ADDRESS}{}/{}", self.slug, self.at + 1)
    }

    /// The question of the passage that has no answer yet, by its block.
    pub fn open_question(&self) -> Option<usize> {
        let mut blocks = self.passage()?.blocks.iter().enumerate();
        let is_open = |(at, block): &(usize, &Block)| {
            matches!(block, Block::Question { .. }) && self.guess(*at).is_none()
        };
        blocks.find(is_open).map(|(at, _)| at)
    }

    /// Whether the buttons of a block do not train yet, since a question before them is open.
    fn waits(&self, block: usize) -> bool {
        self.open_question().is_some_and(|question| question < block)
    }

    /// What the buttons between a question and the next one do.
    fn deeds_after(&self, question: usize) -> impl Iterator<Item = &StoryAction> {
        let after = self.passage().and_then(|passage| passage.blocks.get(question + 1..)).unwrap_or_default();
        let until_next = after.iter().take_while(|block| !matches!(block, Block::Question { .. }));
        let buttons = until_next.filter_map(|block| match block {
            Block::Buttons(buttons) => Some(buttons),
            _ => None,
        });
        buttons.flatten().map(|(_, deed)| deed)
    }

    /// Of an answered question, the step of the run that shows the answer; none if nothing is trained after the question.
    fn shown_at(&self, question: usize) -> Option<u64> {
        let steps = self.deeds_after(question).filter_map(|deed| match deed {
            StoryAction::Train(step) => Some(*step),
            _ => None,
        });
        steps.max()
    }

    /// Whether another run or setting is to be chosen between a question and the step that answers it.
    fn changes(&self, question: usize) -> bool {
        self.deeds_after(question).any(|deed| matches!(deed, StoryAction::Change(..) | StoryAction::Open(_)))
    }

    /// Takes it that the run stands at `step`, and whether it has ended: explanations that it has earned are shown from now on.
    pub fn look_at_run(&mut self, step: u64, has_ended: bool) {
        let here: Vec<usize> =
            self.guesses.iter().filter(|(at, ..)| *at == self.at).map(|(_, block, _)| *block).collect();
        for block in here {
            let is_changed = !self.changes(block) || self.changed.contains(&self.at);
            let is_shown = self.shown_at(block).is_none_or(|goal| is_changed && (step >= goal || has_ended));
            if is_shown && !self.is_explained(block) {
                self.explained.push((self.at, block));
            }
        }
    }

    /// Whether the explanation of a question of the passage is shown.
    fn is_explained(&self, block: usize) -> bool {
        self.explained.contains(&(self.at, block))
    }

    /// Whether the text at block `at` is shown: what follows the last question of a passage may say the answer, and comes with
    /// its explanation.
    fn is_told(&self, at: usize) -> bool {
        let Some((before, after)) = self.passage().and_then(|passage| passage.blocks.split_at_checked(at))
        else {
            return true;
        };
        let is_question = |block: &Block| matches!(block, Block::Question { .. });
        let question = before.iter().rposition(is_question);
        after.iter().any(is_question) || question.is_none_or(|question| self.is_explained(question))
    }

    /// What was answered, as the browser keeps it.
    pub fn answers(&self) -> String {
        let one = |(at, block, guess): &(usize, usize, usize)| match *guess {
            SKIPPED => format!("{at}.{block}.-"),
            guess => format!("{at}.{block}.{guess}"),
        };
        self.guesses.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    /// Takes up answers that the browser has kept; whatever is no answer to this story is left out.
    pub fn recall(&mut self, answers: &str) {
        let Some(Ok(story)) = &self.story else { return };
        let read = |answer: &str| {
            let mut parts = answer.split('.');
            let (at, block) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
            let Block::Question { guesses, .. } =
                story.passages.get::<usize>(at)?.blocks.get::<usize>(block)?
            else {
                return None;
            };
            let guess = match parts.next()? {
                "-" => SKIPPED,
                number => number.parse().ok().filter(|guess| *guess < guesses.len())?,
            };
            Some((at, block, guess))
        };
        for (at, block, guess) in answers.split(' ').filter_map(read) {
            if !self.guesses.iter().any(|(a, b, _)| (*a, *b) == (at, block)) {
                self.guesses.push((at, block, guess));
                self.explained.push((at, block));
            }
        }
    }

    /// The questions with what the reader predicted, as plain text.
    pub fn predictions(&self) -> String {
        let Some(Ok(story)) = &self.story else { return String::new() };
        let mut lines = vec![translated(&story.title).to_string()];
        for (number, passage) in story.passages.iter().enumerate() {
            for (block, question) in passage.blocks.iter().enumerate() {
                let Block::Question { guesses, .. } = question else { continue };
                let of = |(at, of, guess): &(usize, usize, usize)| {
                    ((*at, *of) == (number, block)).then_some(*guess)
                };
                let said = match self.guesses.iter().find_map(of) {
                    None => tr!("not answered").to_string(),
                    Some(SKIPPED) => tr!("skipped").to_string(),
                    Some(guess) => guesses.get(guess).map_or_else(String::new, |(word, is_right)| {
                        let verdict = if *is_right { tr!("right") } else { tr!("wrong") };
                        format!("{} ({verdict})", translated(word))
                    }),
                };
                lines.push(format!("{}. {}: {said}", number + 1, translated(&passage.title)));
            }
        }
        lines.join("\n")
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
        let block: usize = block.parse().ok()?;
        let which = if which == "skip" { SKIPPED } else { which.parse().ok()? };
        match tour.passage()?.blocks.get(block)? {
            Block::Buttons(buttons) => {
                let (_, deed) = buttons.get(which)?;
                let is_free = !matches!(deed, StoryAction::Train(_)) || !tour.waits(block);
                is_free.then(|| TourAction::Do(deed.clone()))
            }
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
                    Some(Err(why)) => not_loaded(why),
                    _ => tr!("Loading").into(),
                };
                out.mixed(&["<p>", &words, "</p><div class=\"tour__turns\">"]);
                out.button("close", "button", "tour-close", "", tr!("Leave the story"));
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
                let mut marks = Marks::default();
                for (at, block) in passage.blocks.iter().enumerate() {
                    self.block(at, block, &mut marks, &mut out);
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
                if !self.guesses.is_empty() {
                    out.raw("<div class=\"tour__buttons\">");
                    out.button("copy", "button", "copy-predictions", "", tr!("Copy your predictions"));
                    out.raw("</div>");
                }
            }
        }
        out.raw("<div class=\"tour__turns\">");
        let off = |off: bool| if off { "disabled" } else { "" };
        out.button("back", "button", "tour-back", off(self.at == 0), tr!("Back"));
        out.button("next", "button button--main", "tour-next", off(self.at == last), tr!("Next"));
        out.button("close", "button", "tour-close", "", tr!("Leave the story"));
        if self.at == 0 || self.at == last {
            out.raw("</div><div class=\"tour__paper\">");
            out.button("print", "button", "print-story", "", tr!("Print the story"));
            out.button("lesson", "button", "story-lesson", "", tr!("For teachers"));
        }
        out.raw("</div>");
        out.0
    }

    fn block(&self, at: usize, block: &Block, marks: &mut Marks, out: &mut Html) {
        match block {
            Block::Text(_) if !self.is_told(at) => {}
            Block::Text(text) => out.paragraph(translated(text), marks),
            Block::Buttons(buttons) => {
                out.raw("<div class=\"tour__buttons\">");
                let waits = self.waits(at);
                let is_train = |deed: &StoryAction| matches!(deed, StoryAction::Train(_));
                for (i, (word, deed)) in buttons.iter().enumerate() {
                    let state = if waits && is_train(deed) { "aria-disabled=\"true\"" } else { "" };
                    out.button(&format!("{at}.{i}"), "button", "", state, translated(word));
                }
                out.raw("</div>");
                if waits && buttons.iter().any(|(_, deed)| is_train(deed)) {
                    out.mixed(&[
                        "<p class=\"tour__hint\" data-testid=\"tour-waits\">",
                        tr!("Predict first, or skip the question. Then train."),
                        "</p>",
                    ]);
                }
            }
            Block::Question { guesses, answer } => {
                let guessed = self.guess(at);
                out.mixed(&[
                    "<div class=\"guesses\" role=\"group\" aria-label=\"",
                    tr!("Your prediction"),
                    "\">",
                ]);
                for (i, (word, is_right)) in guesses.iter().enumerate() {
                    let class = if self.is_explained(at) && *is_right {
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
                if guessed.is_none() {
                    out.button(&format!("{at}.skip"), "button", "skip", "", tr!("Skip the question"));
                }
                out.raw("</div><div class=\"answer\" role=\"status\" data-testid=\"answer\">");
                if let Some(guess) = guessed {
                    let words = match (guesses.get(guess), self.is_explained(at)) {
                        (_, false) => {
                            let step = thousands(self.shown_at(at).unwrap_or_default());
                            tr!(
                                "Now train. The explanation is shown when the run has reached step {step} or has ended.",
                                step
                            )
                        }
                        (None, true) => translated(answer).to_string(),
                        (Some((_, true)), true) => tr!("*Yes.* {answer}", answer = translated(answer)),
                        (Some(_), true) => tr!("*No.* {answer}", answer = translated(answer)),
                    };
                    out.paragraph(&words, marks);
                }
                out.raw("</div>");
            }
        }
    }
}

/// What a story is about, and how long it takes.
fn in_short(about: &str, minutes: u32) -> String {
    tr!("{about} The story takes {minutes} minutes.", about = translated(about), minutes)
}

/// Why there is no text of a story.
pub fn not_loaded(why: &str) -> String {
    tr!("This story could not be loaded: {why}.", why)
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
        out.text(&in_short(about.about, about.minutes));
        out.raw("</span></button>");
        let for_teachers = tr!("For teachers: {title}", title = translated(about.title));
        out.raw("<button type=\"button\" class=\"button\" data-testid=\"lesson-");
        for part in [about.slug, "\" data-press=\"", LESSON, about.slug, "\" aria-label=\""] {
            out.raw(part);
        }
        out.mixed(&["", &for_teachers, "\">", tr!("For teachers"), "</button></li>"]);
    }
    out.0
}

/// The beginning of the name of a button that opens a page for teachers; the story's name follows.
pub const LESSON: &str = "lesson/";

/// The address of a story's first passage.
pub fn start_of(slug: &str) -> String {
    format!("{ADDRESS}{slug}/1")
}

/// The file of a story, as the page fetches it.
pub fn file_of(slug: &str) -> String {
    format!("./stories/{slug}.md")
}

/// Where the browser keeps the answers to a story. Only as long as the tab is open: in a classroom the next reader is somebody
/// else.
pub fn answers_of(slug: &str) -> String {
    format!("vivarium.story.{slug}")
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
    /// Guesses: block of the passage, and which guess, or [`SKIPPED`].
    Guess(usize, usize),
    /// The answers that the browser has kept of the story that is open.
    Recall(String),
    /// Closes the story; the run stays.
    Close,
}
