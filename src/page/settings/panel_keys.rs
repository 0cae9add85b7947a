//! Settings of the view and of the theory panel that labs' panels set: none of them restarts the run, and all can be
//! undone.

use super::form::theory_setting;
use crate::state::{State, UndoEntry};
use vivarium_core::settings::{InvalidSetting, Settings, Value};

impl State {
    /// Sets a setting of the theory panel from a text.
    pub fn edit_theory(&mut self, key: &str, text: &str) -> Result<(), InvalidSetting> {
        let Some(setting) = theory_setting(key) else { return Ok(()) };
        let (before, value) = (self.player.run.link.theory.value(key), setting.parse(text)?);
        self.player.run.link.theory.set(key, &value)?;
        self.player.run.recompute_view();
        if let Some(before) = before.filter(|before| *before != value) {
            self.push_view_undo(setting.key, before);
        }
        Ok(())
    }

    /// Adds the previous value of a view setting to the list of Undo; successive changes of the same setting are one
    /// entry.
    pub fn push_view_undo(&mut self, key: &'static str, before: Value) {
        if !matches!(self.undo.last(), Some(UndoEntry::ViewSetting(last, _)) if *last == key) {
            self.push_undo(UndoEntry::ViewSetting(key, before));
        }
    }

    /// Checks that the changed view setting `key` suits the run; if not, restores the value `before` (None: restores
    /// nothing) and returns the error.
    pub fn check_view_setting(&mut self, key: &str, before: Option<&Value>) -> Result<(), InvalidSetting> {
        if let Some(problem) = self.player.run.link.view.repair(&self.player.run.link.spec).into_iter().next()
        {
            if let Some(before) = before {
                self.player.run.link.view.set(key, before)?;
            }
            return Err(problem);
        }
        self.player.run.recompute_view();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Action;
    use vivarium_model::permalink::encode;

    fn open(link: &str) -> State {
        let mut state = State::default();
        state.apply(Action::Open(link.into()));
        state
    }

    #[test]
    fn settings_of_the_theory_change_it_and_are_undone() {
        let mut state = open("#v1/markov?model=minimal-markov");
        let steps = |state: &State| {
            state
                .player
                .run
                .lab_state::<vivarium_labs::markov::MarkovState>()
                .unwrap()
                .theory
                .as_ref()
                .map_or(0, |(_, outcome)| outcome.models.len() - 1)
        };
        assert_eq!(steps(&state), 2);
        state.apply(Action::Edit("tsteps".into(), "4".into()));
        assert_eq!(
            (steps(&state), encode(&state.player.run.link).as_str()),
            (4, "#v1/markov?model=minimal-markov&tsteps=4")
        );
        state.apply(Action::Edit("tsteps".into(), "99".into()));
        assert_eq!((steps(&state), state.invalid_inputs.len()), (4, 1));
        state.apply(Action::Undo);
        assert_eq!(
            (steps(&state), encode(&state.player.run.link).as_str()),
            (2, "#v1/markov?model=minimal-markov")
        );
        assert_eq!(state.player.message, "Undone: the change of the setting “gradient steps in the theory”.");
    }

    #[test]
    fn settings_of_the_theory_that_do_nothing_are_known() {
        let mut state = open("#v1/markov?model=minimal-markov");
        assert!(state.has_effect("teta") && !state.has_effect("teps") && state.has_effect("tdata"));
        state.apply(Action::Edit("tdata".into(), "twostep".into()));
        assert!(!state.has_effect("teta") && state.has_effect("teps"));
    }
}
