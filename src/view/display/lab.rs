//! Access to the lab of a displayed run.

use super::view::{Lab, LabState, Labs, LazyLab, RunView, Vocabulary};
use vivarium_core::catalog::CatalogInfo;

/// Empty table of labs: the default of a view before a run is loaded.
static NO_LABS: Labs = Labs { all: &[], charts: &[], lazy: || None };

impl Default for &'static Labs {
    fn default() -> Self {
        &NO_LABS
    }
}

/// Placeholder lab of a run whose task belongs to no lab.
struct NoLab;

impl Lab for NoLab {
    fn info(&self) -> &'static CatalogInfo {
        &vivarium_model::tasks::Task::ENTRIES[0].info
    }
}

impl RunView {
    /// Lab of the run's task.
    pub fn lab(&self) -> &'static dyn Lab {
        self.labs.index_of(self.spec()).map_or(&NoLab, |at| self.labs.all[at])
    }

    /// Vocabulary of the run's lab.
    pub fn vocabulary(&self) -> Vocabulary {
        self.lab().vocabulary()
    }

    /// Lazy part of the run's lab; `None` before the page's second program is loaded.
    pub fn lazy_lab(&self) -> Option<&'static dyn LazyLab> {
        (self.labs.lazy)()?.all.get(self.labs.index_of(self.spec())?).copied()
    }

    /// State of the run's lab as the type `S`; `None` if there is none yet or it belongs to another lab.
    pub fn lab_state<S: LabState>(&self) -> Option<&S> {
        self.lab_state.as_deref()?.downcast_state()
    }

    /// Mutable state of the run's lab as the type `S`; `None` if there is none yet or it belongs to another lab.
    pub fn lab_state_mut<S: LabState>(&mut self) -> Option<&mut S> {
        self.lab_state.as_deref_mut()?.downcast_state_mut()
    }
}
