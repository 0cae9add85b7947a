//! A copy of the values on which the fields of the form depend, so that fields are recomputed only when one changes.
//!
//! # Why
//! Subscribers are notified of every change of the state, up to sixty times a second during training. Computing fifty
//! fields takes 1 to 2 ms in a browser, most of it for their defaults, and their values change only when the user sets
//! something. So the page keeps a copy of the values on which they depend, and compares it with the state: while they
//! are equal, no field is computed. It is a copy and not a counter of changes, since a counter is right only as long as
//! every function that changes one of these values increments it. 2026-11-23.

use crate::state::{InvalidInput, State};
use vivarium_core::settings::InvalidSetting;
use vivarium_model::permalink::Link;
use vivarium_model::run::RunSpec;

/// The part of the state on which the settings form depends: what [`State::field_state`] and
/// [`section_fields`](super::form::section_fields) read.
#[derive(Debug, Clone, PartialEq)]
pub struct FormInputs {
    /// Link of the run, with all its settings.
    link: Link,
    /// Settings that conflict with each other and are not yet applied; None without a conflict.
    pending: Option<RunSpec>,
    /// Why the settings in `pending` conflict with each other; empty without a conflict.
    conflicts: Vec<InvalidSetting>,
    /// Form fields whose text was not accepted, each with its text and the error.
    invalid_inputs: Vec<InvalidInput>,
    /// Learning rate at the training step that the page shows; None when the form shows the initial learning rate of
    /// the settings.
    learning_rate: Option<f64>,
}

impl FormInputs {
    /// Copies the values on which the settings form depends from the page's state.
    pub fn of(state: &State) -> Self {
        FormInputs {
            link: state.player.run.link.clone(),
            pending: state.pending.clone(),
            conflicts: state.conflicts.clone(),
            invalid_inputs: state.invalid_inputs.clone(),
            learning_rate: state.current_learning_rate(),
        }
    }

    /// Whether the form's values in `state` are equal to this copy; nothing is cloned.
    fn matches(&self, state: &State) -> bool {
        let FormInputs { link, pending, conflicts, invalid_inputs: drafts, learning_rate: rate } = self;
        *link == state.player.run.link
            && *pending == state.pending
            && *conflicts == state.conflicts
            && *drafts == state.invalid_inputs
            && *rate == state.current_learning_rate()
    }

    /// Copies the form's values from `state` again. Returns whether they have changed.
    pub fn update(&mut self, state: &State) -> bool {
        let others = !self.matches(state);
        if others {
            *self = FormInputs::of(state);
        }
        others
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::tests::Page;
    use crate::settings::form::section_fields;
    use crate::state::Action;
    use vivarium_core::settings::Settings;
    use vivarium_model::permalink::ViewSettings;
    use vivarium_model::run::FormSection;
    use vivarium_science::markov::theory::TheorySettings;
    use vivarium_view::ui::field::{Field, FieldState};
    use vivarium_view::ui::request::Request;

    /// All that the form shows.
    fn form(state: &State) -> Vec<(Field, FieldState)> {
        let groups =
            FormSection::ALL.into_iter().flat_map(|section| section_fields(state.form_spec(), section));
        groups.map(|field| (field.clone(), state.field_state(field.key))).collect()
    }

    /// States of the fields of the view and the theory, which panels and toolbar show.
    fn view_field_states(state: &State) -> Vec<FieldState> {
        let settings = ViewSettings::SETTINGS.iter().chain(TheorySettings::SETTINGS);
        settings.map(|setting| state.field_state(setting.key)).collect()
    }

    /// A page with what its form was computed from and showed.
    struct Watched {
        page: Page,
        known: FormInputs,
        shown: (Vec<(Field, FieldState)>, Vec<FieldState>),
    }

    impl Watched {
        fn open(link: &str) -> Self {
            let page = Page::open(link);
            let known = FormInputs::of(&page.state);
            let shown = (form(&page.state), view_field_states(&page.state));
            Watched { page, known, shown }
        }

        /// Whether it is computed anew. It must be where something else is shown.
        fn renewed(&mut self, what: &str) -> bool {
            let shown = (form(&self.page.state), view_field_states(&self.page.state));
            let renewed = self.known.update(&self.page.state);
            assert!(renewed || shown == self.shown, "{what} changes a field that nobody is told of");
            assert!(!self.known.update(&self.page.state), "{what}: twice");
            self.shown = shown;
            renewed
        }

        fn act(&mut self, action: Action) -> bool {
            let what = format!("{action:?}");
            self.page.act(action);
            self.renewed(&what)
        }

        fn edit(&mut self, key: &str, text: &str) -> bool {
            self.act(Action::Edit(key.into(), text.into()))
        }
    }

    #[test]
    fn what_a_person_sets_is_reported() {
        let mut it = Watched::open("#v1/sparse-parity?n=20&start=paused");
        // What is taken, what is not, what cannot be beside the others, and back.
        for (key, text) in [
            ("width", "64"),
            ("width", "0"),
            ("width", "64"),
            ("k", "5"),
            ("n", "4"),
            ("k", "2"),
            ("speed", "0"),
        ] {
            assert!(it.edit(key, text), "{key} = {text}");
        }
        for (key, text) in [("opt", "adam"), ("model", "polynet"), ("x", "log"), ("sweep", "n:10_20")] {
            assert!(it.edit(key, text), "{key} = {text}");
        }
        let refused = Request::Refuse { key: "seq", text: "x".into(), expected: "symbols".into() };
        assert!(it.act(Action::Request(refused)));
        assert!(it.act(Action::Undo));
        assert!(it.act(Action::ResetField("model".into())));
        assert!(it.act(Action::Open("#v1/markov?model=minimal-markov&lock=t&hide=alpha".into())));
        assert!(it.edit("tsteps", "4"));
        assert!(it.edit("tsteps", "99"));
    }

    #[test]
    fn a_run_that_trains_tells_nobody_but_of_its_learning_rate() {
        let mut it = Watched::open("#v1/sparse-parity?n=20&lrs=150:0.05");
        let mut train = |step: u64| {
            it.page.train(step);
            it.renewed(&format!("step {step}"))
        };
        assert!(train(50), "from now on the field of the rate shows that of the step");
        assert!(!train(100));
        assert!(train(200), "another rate");
        assert!(!train(250));
        assert!(!it.act(Action::Tick) && !it.act(Action::TogglePlay) && !it.act(Action::TogglePlay));
    }
}
