//! Stories: passages with questions, whose buttons train to a step or change the run.
//!
//! # Why
//! A story acts through the same actions as the user, so that everything it does can be undone. Its run opens paused:
//! the reader predicts before training starts.

pub mod handout;
pub mod lesson;
#[cfg(test)]
pub(crate) mod tests;

mod update;

use super::html::Html;
use vivarium_core::language::translated;
use vivarium_labs::stories;
use vivarium_labs::story::{Passage, PassageBlock, Story, StoryAction};
use vivarium_model::chart::Chart;
use vivarium_view::display::glossary::TermMarker;
use vivarium_view::display::words::format_thousands;

/// Value in place of the index of a guess if the reader has skipped the question.
pub const SKIPPED: usize = usize::MAX;

/// Prefix of the address of a passage: `#story/grokking/3` is the third passage of the story "grokking".
pub const ADDRESS_PREFIX: &str = "#story/";

/// The open story and the reader's progress in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tour {
    /// Slug (permanent name) of the open story.
    pub slug: &'static str,
    /// Text of the story, or why it could not be loaded; None until then.
    pub story: Option<Result<Story, String>>,
    /// Index of the passage that is shown, from 0; after the last passage come the sources.
    pub passage_index: usize,
    /// Guesses so far: (index of the passage, index of the block with the question, index of the guess or [`SKIPPED`]).
    pub guesses: Vec<(usize, usize, usize)>,
    /// Questions whose explanation is shown: (index of the passage, index of the block).
    pub explained_questions: Vec<(usize, usize)>,
    /// Indices, from 0, of the passages in which the reader has changed a setting or opened another run after a guess.
    pub changed_passages: Vec<usize>,
    /// Further reading that the reader has unfolded: (index of the passage, index of its first block).
    pub opened_readings: Vec<(usize, usize)>,
    /// (chart at which the story points, number of times that it has pointed at a chart); None if it points at none.
    pub pointed_chart: Option<(Chart, u32)>,
    /// Whether the address had a wrong passage number, as `#story/grokking/0` does.
    pub is_misnumbered: bool,
}

impl Tour {
    /// Returns the passage that is shown; None for the sources and before the text is loaded.
    pub fn passage(&self) -> Option<&Passage> {
        self.story.as_ref()?.as_ref().ok()?.passages.get(self.passage_index)
    }

    /// Returns the address of the shown passage, such as `#story/grokking/3`.
    pub fn passage_address(&self) -> String {
        format!("{ADDRESS_PREFIX}{}/{}", self.slug, self.passage_index + 1)
    }

    /// Returns the block index, from 0, of the first unanswered question in the shown passage; None if all are
    /// answered.
    pub fn open_question(&self) -> Option<usize> {
        let mut blocks = self.passage()?.blocks.iter().enumerate();
        let is_open = |(at, block): &(usize, &PassageBlock)| {
            matches!(block, PassageBlock::Question { .. }) && self.guess(*at).is_none()
        };
        blocks.find(is_open).map(|(at, _)| at)
    }

    /// Whether a question before the block with this index is unanswered; until then the block's buttons do not train.
    fn is_waiting_for_answer(&self, block: usize) -> bool {
        self.open_question().is_some_and(|question| question < block)
    }

    /// Iterates over the actions of the buttons after the question at this block index, up to the next question of the
    /// passage.
    fn actions_after(&self, question: usize) -> impl Iterator<Item = &StoryAction> {
        let after = self.passage().and_then(|passage| passage.blocks.get(question + 1..)).unwrap_or_default();
        let until_next = after.iter().take_while(|block| !matches!(block, PassageBlock::Question { .. }));
        let buttons = until_next.filter_map(|block| match block {
            PassageBlock::Buttons(buttons) => Some(buttons),
            _ => None,
        });
        buttons.flatten().map(|(_, action)| action)
    }

    /// Returns the largest step to which the buttons after the question at this block index train; None if none trains.
    fn answer_step(&self, question: usize) -> Option<u64> {
        let steps = self.actions_after(question).filter_map(|action| match action {
            StoryAction::Train(step) => Some(*step),
            _ => None,
        });
        steps.max()
    }

    /// Whether a button after the question at this block index changes a setting or opens another run.
    fn needs_change(&self, question: usize) -> bool {
        self.actions_after(question)
            .any(|action| matches!(action, StoryAction::Change(..) | StoryAction::Open(_)))
    }

    /// Shows the explanations of answered questions that are due now that the run is at `step` or has ended; the
    /// explanation of a question about a sweep (`is_sweep`) is due at the end of the sweep.
    pub fn update_explanations(&mut self, step: u64, has_ended: bool, is_sweep: bool) {
        let here: Vec<usize> = self
            .guesses
            .iter()
            .filter(|(at, ..)| *at == self.passage_index)
            .map(|(_, block, _)| *block)
            .collect();
        for block in here {
            let is_changed = !self.needs_change(block) || self.changed_passages.contains(&self.passage_index);
            let is_shown = match self.answer_step(block) {
                Some(goal) => is_changed && (step >= goal || has_ended),
                None => has_ended || !is_sweep,
            };
            if is_shown && !self.is_explained(block) {
                self.explained_questions.push((self.passage_index, block));
            }
        }
    }

    /// Whether the explanation of the question at this block index of the shown passage is shown.
    fn is_explained(&self, block: usize) -> bool {
        self.explained_questions.contains(&(self.passage_index, block))
    }

    /// Returns the block index of the question before block index `at` of the shown passage, if no question follows: text
    /// after it may contain its answer.
    fn find_question_before(&self, at: usize) -> Option<usize> {
        let (before, after) = self.passage()?.blocks.split_at_checked(at)?;
        let is_question = |block: &PassageBlock| matches!(block, PassageBlock::Question { .. });
        before.iter().rposition(is_question).filter(|_| !after.iter().any(is_question))
    }

    /// Whether the text at block index `at` of the shown passage is shown: text after its last question may contain the
    /// answer, and is shown with the explanation. Where no button trains, as in a sweep, this text says how to start,
    /// and is shown after the guess.
    fn is_text_shown(&self, at: usize) -> bool {
        self.find_question_before(at).is_none_or(|question| match self.answer_step(question) {
            Some(_) => self.is_explained(question),
            None => self.guess(question).is_some(),
        })
    }

    /// Whether the further reading at block index `at` of the shown passage is offered: after the last question it waits
    /// for the explanation.
    fn is_reading_shown(&self, at: usize) -> bool {
        self.find_question_before(at).is_none_or(|question| self.is_explained(question))
    }

    /// Encodes the guesses as `passage.block.guess`, separated by spaces, for the browser's storage.
    pub fn encode_answers(&self) -> String {
        let one = |(at, block, guess): &(usize, usize, usize)| match *guess {
            SKIPPED => format!("{at}.{block}.-"),
            guess => format!("{at}.{block}.{guess}"),
        };
        self.guesses.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    /// Restores guesses that [`Tour::encode_answers`] has encoded; invalid ones are ignored.
    pub fn restore_answers(&mut self, answers: &str) {
        let Some(Ok(story)) = &self.story else { return };
        let read = |answer: &str| {
            let mut parts = answer.split('.');
            let (at, block) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
            let PassageBlock::Question { guesses, .. } =
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
                self.explained_questions.push((at, block));
            }
        }
    }

    /// Returns the questions of the story with the reader's guesses as plain text.
    pub fn predictions_text(&self) -> String {
        let Some(Ok(story)) = &self.story else { return String::new() };
        let mut lines = vec![translated(&story.title).to_string()];
        for (number, passage) in story.passages.iter().enumerate() {
            for (block, question) in passage.blocks.iter().enumerate() {
                let PassageBlock::Question { guesses, .. } = question else { continue };
                let of = |(at, of, guess): &(usize, usize, usize)| {
                    ((*at, *of) == (number, block)).then_some(*guess)
                };
                let result = match self.guesses.iter().find_map(of) {
                    None => tr!("not answered").to_string(),
                    Some(SKIPPED) => tr!("skipped").to_string(),
                    Some(guess) => guesses.get(guess).map_or_else(String::new, |(word, is_right)| {
                        let verdict = if *is_right { tr!("right") } else { tr!("wrong") };
                        format!("{} ({verdict})", translated(word))
                    }),
                };
                lines.push(format!("{}. {}: {result}", number + 1, translated(&passage.title)));
            }
        }
        lines.join("\n")
    }

    /// Returns the index of the reader's guess (or [`SKIPPED`]) at this block index of the shown passage; None before
    /// an answer.
    pub fn guess(&self, block: usize) -> Option<usize> {
        self.guesses
            .iter()
            .find(|(at, of, _)| (*at, *of) == (self.passage_index, block))
            .map(|(_, _, guess)| *guess)
    }
}

impl TourAction {
    /// Returns the action of the button named `name`; None if the button is disabled or unknown.
    pub fn from_button(name: &str, tour: &Tour) -> Option<TourAction> {
        match name {
            "back" => return Some(TourAction::Turn(-1)),
            "next" => return Some(TourAction::Turn(1)),
            "close" => return Some(TourAction::Close),
            _ => {}
        }
        let (block, which) = name.split_once('.')?;
        let block: usize = block.parse().ok()?;
        let at_block = tour.passage()?.blocks.get(block)?;
        if which == "more" {
            return matches!(at_block, PassageBlock::More(_)).then_some(TourAction::ToggleMore(block));
        }
        let which = if which == "skip" { SKIPPED } else { which.parse().ok()? };
        match at_block {
            PassageBlock::Buttons(buttons) => {
                let (_, action) = buttons.get(which)?;
                let is_free = !matches!(action, StoryAction::Train(_)) || !tour.is_waiting_for_answer(block);
                is_free.then(|| TourAction::PressButton(action.clone()))
            }
            PassageBlock::Question { .. } => Some(TourAction::Guess(block, which)),
            PassageBlock::Text(_) | PassageBlock::More(_) => None,
        }
    }
}

impl Tour {
    /// Returns the passage that is shown as HTML; buttons carry their names as `data-press`.
    ///
    /// # Why
    /// The story comes from a file as a string. As components it would make the program twice as much
    /// larger, and be tested in a browser alone.
    pub fn passage_html(&self) -> String {
        let mut out = Html::default();
        let story = match &self.story {
            Some(Ok(story)) => story,
            other => {
                let words = match other {
                    Some(Err(why)) => load_error_text(why),
                    _ => tr!("Loading").into(),
                };
                out.alternate(&["<p>", &words, "</p><div class=\"tour__navigation\">"]);
                out.button("close", "button", "tour-close", "", tr!("Leave the story"));
                out.raw("</div>");
                return out.0;
            }
        };
        let last = story.passages.len();
        out.raw("<p class=\"tour__name\" data-testid=\"tour-place\">");
        out.text(translated(&story.title));
        out.text(&tr!(" · {at} of {last}", at = self.passage_index + 1, last = last + 1));
        out.raw("</p><h2 class=\"tour__title\" tabindex=\"-1\">");
        match self.passage() {
            Some(passage) => {
                out.text(translated(&passage.title));
                out.raw("</h2>");
                let mut marks = TermMarker::default();
                for (at, block) in passage.blocks.iter().enumerate() {
                    self.write_block(at, block, &mut marks, &mut out);
                }
            }
            None => {
                out.alternate(&["", tr!("Sources"), "</h2><ul class=\"tour__sources\">"]);
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
        out.raw("<div class=\"tour__navigation\">");
        let off = |off: bool| if off { "disabled" } else { "" };
        out.button("back", "button", "tour-back", off(self.passage_index == 0), tr!("Back"));
        out.button("next", "button button--main", "tour-next", off(self.passage_index == last), tr!("Next"));
        out.button("close", "button", "tour-close", "", tr!("Leave the story"));
        if self.passage_index == 0 || self.passage_index == last {
            out.raw("</div><div class=\"tour__paper\">");
            out.button("print", "button", "print-story", "", tr!("Print the story"));
            out.button("lesson", "button", "story-lesson", "", tr!("For teachers"));
        }
        out.raw("</div>");
        out.0
    }

    /// Appends the further reading that begins with the block of index `at` as HTML: a button and, if the reader has
    /// unfolded it, the paragraphs `texts`.
    ///
    /// # Why
    /// The browser would fold an element `<details>` again whenever the passage is written anew.
    fn write_further_reading(&self, at: usize, texts: &[&str], marks: &mut TermMarker, out: &mut Html) {
        let is_open = self.opened_readings.contains(&(self.passage_index, at));
        let state = if is_open { "aria-expanded=\"true\"" } else { "aria-expanded=\"false\"" };
        out.raw("<div class=\"tour__more\">");
        out.button(&format!("{at}.more"), "button tour__unfold", "read-more", state, tr!("Read more"));
        if is_open {
            for text in texts {
                out.paragraph(translated(text), marks);
            }
        }
        out.raw("</div>");
    }

    /// Appends the block with index `at` of the passage as HTML: text, further reading, buttons or a question.
    fn write_block(&self, at: usize, block: &PassageBlock, marks: &mut TermMarker, out: &mut Html) {
        match block {
            PassageBlock::Text(_) if !self.is_text_shown(at) => {}
            PassageBlock::Text(text) => out.paragraph(translated(text), marks),
            PassageBlock::More(_) => {
                let blocks = self.passage().map(|passage| &*passage.blocks).unwrap_or_default();
                let is_more = |block: &PassageBlock| matches!(block, PassageBlock::More(_));
                // The first paragraph of several writes all of them.
                if self.is_reading_shown(at) && !blocks[..at].last().is_some_and(is_more) {
                    let texts = blocks[at..].iter().map_while(|block| match block {
                        PassageBlock::More(text) => Some(&**text),
                        _ => None,
                    });
                    self.write_further_reading(at, &texts.collect::<Vec<&str>>(), marks, out);
                }
            }
            PassageBlock::Buttons(buttons) => {
                out.raw("<div class=\"tour__buttons\">");
                let waits = self.is_waiting_for_answer(at);
                let is_train = |action: &StoryAction| matches!(action, StoryAction::Train(_));
                for (i, (word, action)) in buttons.iter().enumerate() {
                    let state = if waits && is_train(action) { "aria-disabled=\"true\"" } else { "" };
                    out.button(&format!("{at}.{i}"), "button", "", state, translated(word));
                }
                out.raw("</div>");
                if waits && buttons.iter().any(|(_, action)| is_train(action)) {
                    out.alternate(&[
                        "<p class=\"tour__hint\" data-testid=\"tour-hint\">",
                        tr!("Predict first, or skip the question. Then use the buttons."),
                        "</p>",
                    ]);
                }
            }
            PassageBlock::Question { guesses, answer } => {
                let guessed = self.guess(at);
                out.alternate(&[
                    "<div class=\"guesses\" role=\"group\" aria-label=\"",
                    tr!("Your prediction"),
                    "\">",
                ]);
                for (i, (word, is_right)) in guesses.iter().enumerate() {
                    let class = if self.is_explained(at) && *is_right {
                        "button guess guess--correct"
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
                        (_, false) => match self.answer_step(at) {
                            Some(step) => tr!(
                                "The explanation is shown when the run has reached step {step} or has ended.",
                                step = format_thousands(step)
                            ),
                            None => {
                                tr!("The explanation is shown when all runs of the sweep have ended.").into()
                            }
                        },
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

/// Returns the story's description (`about`) and its duration in minutes as a text.
fn story_summary(about: &str, minutes: u32) -> String {
    tr!("{about} The story takes {minutes} minutes.", about = translated(about), minutes)
}

/// Returns the sentence on why the text of a story could not be loaded.
pub fn load_error_text(why: &str) -> String {
    tr!("This story could not be loaded: {why}.", why)
}

/// Returns the list of stories as HTML; buttons carry the slugs of the stories.
pub fn story_list_html() -> String {
    let mut out = Html::default();
    for about in stories() {
        out.raw("<li><button type=\"button\" class=\"story-list__story\" data-testid=\"story-");
        for part in [about.slug, "\" data-press=\"", about.slug, "\"><strong>"] {
            out.raw(part);
        }
        out.text(translated(about.title));
        out.raw("</strong><span>");
        out.text(&story_summary(about.about, about.minutes));
        out.raw("</span></button>");
        let for_teachers = tr!("For teachers: {title}", title = translated(about.title));
        out.raw("<button type=\"button\" class=\"button\" data-testid=\"lesson-");
        for part in [about.slug, "\" data-press=\"", LESSON_BUTTON_PREFIX, about.slug, "\" aria-label=\""] {
            out.raw(part);
        }
        out.alternate(&["", &for_teachers, "\">", tr!("For teachers"), "</button></li>"]);
    }
    out.0
}

/// Prefix of the name of a button that opens a page for teachers; the slug of the story follows.
pub const LESSON_BUTTON_PREFIX: &str = "lesson/";

/// Returns the address of the first passage of a story.
pub fn story_address(slug: &str) -> String {
    format!("{ADDRESS_PREFIX}{slug}/1")
}

/// Returns the path of the file with a story's text, relative to the page.
pub fn story_file_path(slug: &str) -> String {
    format!("./stories/{slug}.md")
}

/// Returns the key in the tab's session storage of the guesses in a story. They last while the tab is open, because the
/// next reader in a classroom is another person.
pub fn answers_storage_key(slug: &str) -> String {
    format!("vivarium.story.{slug}")
}

/// An action of the reader of a story, such as a guess or a press of a button.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TourAction {
    /// Open the story with this slug.
    Open(String),
    /// The text of the story with this slug was fetched, or could not be.
    Fetched(&'static str, Result<String, String>),
    /// Go forward (or back) by this number of passages.
    Turn(isize),
    /// Carry out the action of a button in the passage.
    PressButton(StoryAction),
    /// Answer the question at this block index (first) with the guess of this index (second), or [`SKIPPED`].
    Guess(usize, usize),
    /// Unfold or fold the further reading that begins at this block index of the shown passage.
    ToggleMore(usize),
    /// Restore answers from the browser's storage.
    RestoreAnswers(String),
    /// Close the story; the run stays.
    Close,
}
