//! Settings of the view and of the theory that labs' panels set: none of them restarts the run, and all can be undone.

use super::form::theory_knob;
use crate::state::{State, UndoEntry};
use vivarium_core::settings::{Problem, Settings, Value};

impl State {
    /// Takes what was entered for a knob of the theory.
    pub fn edit_theory(&mut self, key: &str, text: &str) -> Result<(), Problem> {
        let Some(knob) = theory_knob(key) else { return Ok(()) };
        let (before, value) = (self.run.link.theory.value(key), knob.parse(text)?);
        self.run.link.theory.set(key, &value)?;
        self.run.look_anew();
        if let Some(before) = before.filter(|before| *before != value) {
            self.remember_look(knob.key, before);
        }
        Ok(())
    }

    /// Remembers what was looked into, so that changes of one kind that follow each other are undone together.
    pub fn remember_look(&mut self, key: &'static str, before: Value) {
        if !matches!(self.undo.last(), Some(UndoEntry::Shown(last, _)) if *last == key) {
            self.remember(UndoEntry::Shown(key, before));
        }
    }

    /// Whether what is looked into suits the run, and has it looked into; or why not, and nothing is changed then.
    pub fn check_look(&mut self, key: &str, before: Option<&Value>) -> Result<(), Problem> {
        if let Some(problem) = self.run.link.view.repair(&self.run.link.spec).into_iter().next() {
            if let Some(before) = before {
                self.run.link.view.set(key, before)?;
            }
            return Err(problem);
        }
        self.run.look_anew();
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
    fn knobs_of_the_theory_change_it_and_are_undone() {
        let mut state = open("#v1/markov?model=minimal-markov");
        let steps = |state: &State| {
            state
                .run
                .state::<vivarium_labs::markov::MarkovState>()
                .unwrap()
                .theory
                .as_ref()
                .map_or(0, |(_, outcome)| outcome.models.len() - 1)
        };
        assert_eq!(steps(&state), 2);
        state.apply(Action::Edit("tsteps".into(), "4".into()));
        assert_eq!(
            (steps(&state), encode(&state.run.link).as_str()),
            (4, "#v1/markov?model=minimal-markov&tsteps=4")
        );
        state.apply(Action::Edit("tsteps".into(), "99".into()));
        assert_eq!((steps(&state), state.drafts.len()), (4, 1));
        state.apply(Action::Undo);
        assert_eq!((steps(&state), encode(&state.run.link).as_str()), (2, "#v1/markov?model=minimal-markov"));
        assert_eq!(state.message, "Undone: the change of the setting “gradient steps in the theory”.");
    }

    #[test]
    fn knobs_of_the_theory_that_do_nothing_are_known() {
        let mut state = open("#v1/markov?model=minimal-markov");
        assert!(state.has_effect("teta") && !state.has_effect("teps") && state.has_effect("tdata"));
        state.apply(Action::Edit("tdata".into(), "twostep".into()));
        assert!(!state.has_effect("teta") && state.has_effect("teps"));
    }
}
