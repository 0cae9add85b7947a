//! Access to the lab of a displayed run.

use super::view::{Lab, LabState, Labs, LazyLab, RunView, Vocabulary};
use vivarium_core::catalog::CatalogInfo;

/// Empty table of labs, which a `RunView` has before a run is loaded.
static NO_LABS: Labs = Labs { all: &[], charts: &[], lazy: || None };

impl Default for &'static Labs {
    fn default() -> Self {
        &NO_LABS
    }
}

/// Placeholder lab of a run whose task belongs to no lab of the table.
struct NoLab;

impl Lab for NoLab {
    fn info(&self) -> &'static CatalogInfo {
        &vivarium_model::tasks::Task::ENTRIES[0].info
    }
}

impl RunView {
    /// Lab (a task with its own charts, texts and panels) to which the run's task belongs.
    pub fn lab(&self) -> &'static dyn Lab {
        self.labs.index_of(self.spec()).map_or(&NoLab, |at| self.labs.all[at])
    }

    /// Words and conventions of the run's lab, such as the name of its examples.
    pub fn vocabulary(&self) -> Vocabulary {
        self.lab().vocabulary()
    }

    /// Computing functions of the run's lab; `None` before the page's second WebAssembly file, which contains them, is
    /// loaded.
    pub fn lazy_lab(&self) -> Option<&'static LazyLab> {
        (self.labs.lazy)()?.all.get(self.labs.index_of(self.spec())?).copied()
    }

    /// Data that the run's lab keeps for the run, as the type `S`; `None` if there are none yet or they belong to
    /// another lab.
    pub fn lab_state<S: LabState>(&self) -> Option<&S> {
        self.lab_state.as_deref()?.downcast_state()
    }

    /// Mutable data that the run's lab keeps for the run, as the type `S`; `None` if there are none yet or they belong
    /// to another lab.
    pub fn lab_state_mut<S: LabState>(&mut self) -> Option<&mut S> {
        self.lab_state.as_deref_mut()?.downcast_state_mut()
    }
}
