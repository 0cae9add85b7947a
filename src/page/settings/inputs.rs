//! What the fields of the form are computed from, so that they are computed anew only when it changes.
//!
//! # Why
//! The page's readers are told of every change of the state, up to sixty times a second while a run trains. To compute fifty
//! fields takes 1 to 2 ms in a browser, most of it for their defaults, and what they show changes when somebody sets
//! something. So the page keeps a copy of what they follow from, and compares it with the state: while it is the same, no
//! field is looked at. A copy and not a count of changes, since a count is right only as long as every function that
//! changes one of these remembers to count. 2026-11-23.

use crate::state::{Draft, State};
use vivarium_core::settings::Problem;
use vivarium_model::permalink::Link;
use vivarium_model::run::RunSpec;

/// All that [`State::field`] and [`fields`](super::form::fields) read.
#[derive(Debug, Clone, PartialEq)]
pub struct FormInputs {
    link: Link,
    pending: Option<RunSpec>,
    conflicts: Vec<Problem>,
    drafts: Vec<Draft>,
    rate: Option<f64>,
}

impl FormInputs {
    /// Those of `state`.
    pub fn of(state: &State) -> Self {
        FormInputs {
            link: state.run.link.clone(),
            pending: state.pending.clone(),
            conflicts: state.conflicts.clone(),
            drafts: state.drafts.clone(),
            rate: state.rate_under_way(),
        }
    }

    /// Whether those of `state` are the same. Nothing is copied: most of the time they are.
    fn are_of(&self, state: &State) -> bool {
        let FormInputs { link, pending, conflicts, drafts, rate } = self;
        *link == state.run.link
            && *pending == state.pending
            && *conflicts == state.conflicts
            && *drafts == state.drafts
            && *rate == state.rate_under_way()
    }

    /// Takes those of `state`, and says whether they are others than before.
    pub fn renew(&mut self, state: &State) -> bool {
        let others = !self.are_of(state);
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
    use crate::settings::form::fields;
    use crate::state::Action;
    use vivarium_core::settings::Settings;
    use vivarium_model::permalink::View;
    use vivarium_model::run::Section;
    use vivarium_science::markov::theory::TheorySettings;
    use vivarium_view::ui::field::{Field, FieldState};
    use vivarium_view::ui::request::Request;

    /// All that the form shows.
    fn form(state: &State) -> Vec<(Field, FieldState)> {
        let groups = Section::ALL.into_iter().flat_map(|section| fields(state.form_spec(), section));
        groups.map(|field| (field.clone(), state.field(field.key))).collect()
    }

    /// What the panels and the toolbar show of the view and the theory.
    fn beside(state: &State) -> Vec<FieldState> {
        let knobs = View::KNOBS.iter().chain(TheorySettings::KNOBS);
        knobs.map(|knob| state.field(knob.key)).collect()
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
            let shown = (form(&page.state), beside(&page.state));
            Watched { page, known, shown }
        }

        /// Whether it is computed anew. It must be where something else is shown.
        fn renewed(&mut self, what: &str) -> bool {
            let shown = (form(&self.page.state), beside(&self.page.state));
            let renewed = self.known.renew(&self.page.state);
            assert!(renewed || shown == self.shown, "{what} changes a field that nobody is told of");
            assert!(!self.known.renew(&self.page.state), "{what}: twice");
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
    fn what_a_person_sets_is_told_of() {
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
        assert!(it.act(Action::Default("model".into())));
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
        assert!(!it.act(Action::Tick) && !it.act(Action::Toggle) && !it.act(Action::Toggle));
    }
}
