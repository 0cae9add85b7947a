//! The lab of a run that is shown.

use super::view::{Lab, LabState, Labs, LazyLab, RunView, Vocabulary};
use vivarium_core::catalog::Info;

/// No lab: what a view has before a run is put into it.
static NONE: Labs = Labs { all: &[], charts: &[], lazy: || None };

impl Default for &'static Labs {
    fn default() -> Self {
        &NONE
    }
}

/// The words of a run that is of no lab.
struct NoLab;

impl Lab for NoLab {
    fn info(&self) -> &'static Info {
        &vivarium_model::tasks::Task::ENTRIES[0].info
    }
}

impl RunView {
    /// The run's lab.
    pub fn lab(&self) -> &'static dyn Lab {
        self.labs.place(self.spec()).map_or(&NoLab, |at| self.labs.all[at])
    }

    /// The words of the run's lab.
    pub fn vocabulary(&self) -> Vocabulary {
        self.lab().vocabulary()
    }

    /// The second half of the run's lab, once it is there.
    pub fn lazy(&self) -> Option<&'static dyn LazyLab> {
        (self.labs.lazy)()?.all.get(self.labs.place(self.spec())?).copied()
    }

    /// What the run's lab knows of it, if that is of the type `S`.
    pub fn state<S: LabState>(&self) -> Option<&S> {
        self.state.as_deref()?.of()
    }

    /// The same, to be changed.
    pub fn state_mut<S: LabState>(&mut self) -> Option<&mut S> {
        self.state.as_deref_mut()?.of_mut()
    }
}
