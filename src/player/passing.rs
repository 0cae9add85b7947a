//! Messages that are true only while the run plays, or only while it waits at its step.
//!
//! # Why
//! A message stays on the page until another one replaces it. "The run continues up to step 500." is wrong as soon as
//! the user pauses the run at step 300, so a message on the present state is removed when this state ends. Messages on
//! past events, such as "The run has started again.", stay.

use crate::player::{MessageCondition, PassingMessage, Player};

impl Player {
    /// Shows a message that is true only while the run plays; a pause or the end of the run removes it.
    pub fn show_while_playing(&mut self, text: String) {
        self.show_passing(text, MessageCondition::Playing);
    }

    /// Shows a message that is true only until the run plays.
    pub fn show_while_waiting(&mut self, text: String) {
        self.show_passing(text, MessageCondition::Waiting);
    }

    /// Shows a message that is true only while the run waits at its present step; the next step removes it.
    pub fn show_while_at_step(&mut self, text: String) {
        self.show_passing(text, MessageCondition::WaitingAt(self.run.step));
    }

    /// Appends a sentence to the message; a message that is true only in the present state of the run stays so.
    pub fn append_to_message(&mut self, sentence: &str) {
        let text = format!("{} {sentence}", self.message).trim_start().to_string();
        if let Some(passing) = self.passing_message.as_mut().filter(|passing| passing.text == self.message) {
            passing.text.clone_from(&text);
        }
        self.message = text;
    }

    /// Shows a message that is true only under a condition.
    fn show_passing(&mut self, text: String, condition: MessageCondition) {
        self.passing_message = Some(PassingMessage { text: text.clone(), condition });
        self.message = text;
    }

    /// Removes a passing message that is no longer true. `before` is the passing message before the latest action, and
    /// `was_playing` tells whether the run played then.
    pub fn remove_outdated_message(&mut self, before: Option<&PassingMessage>, was_playing: bool) {
        let is_playing = self.is_playing();
        let Some(message) = &self.passing_message else { return };
        let is_outdated = match message.condition {
            // A run that is about to start does not play yet.
            MessageCondition::Playing => was_playing && !is_playing && before == Some(message),
            MessageCondition::Waiting => is_playing,
            MessageCondition::WaitingAt(step) => is_playing || self.run.step != step,
        };
        if !is_outdated {
            return;
        }
        // The run at its latest step keeps the message while an earlier step is shown.
        let kept = self.latest_run.as_mut().map(|end| &mut end.resume_message);
        for text in [Some(&mut self.message), kept].into_iter().flatten() {
            if *text == message.text {
                text.clear();
            }
        }
        self.passing_message = None;
    }
}
