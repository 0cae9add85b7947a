//! Saved runs on a table of a person's own: a table belongs to its run, and where it is not there, it is asked for.

use super::{LibraryAction, Waiting};
use crate::state::State;
use crate::trainer::Effect;
use vivarium_labs::tables::opened::shown;
use vivarium_model::run::RunSpec;
use vivarium_view::record::saved::{SavedRun, TableFile, lacks_table, link, table_of};

/// The file that the table of a run was read from, if it is about one.
pub(super) fn file_of(spec: &RunSpec) -> Option<TableFile> {
    let opened = shown(spec)?;
    let (name, size) = (opened.name.clone(), opened.file.size);
    Some(TableFile { name, size, label: opened.table.label })
}

/// The number of the table that a run is about, where that is not open.
pub(super) fn lacking(kept: &SavedRun) -> Option<u64> {
    let spec = link(&kept.link).ok()?.spec;
    table_of(&spec).filter(|_| lacks_table(&spec))
}

/// What is known of the file of a run's table, in words.
fn file_words(kept: &SavedRun, table: u64) -> String {
    match &kept.table {
        Some(file) => tr!(
            "{file} ({size} bytes; checksum of the table: {table})",
            file = file.name,
            size = file.size,
            table
        ),
        None => tr!("a CSV file (checksum of the table: {table})", table),
    }
}

impl State {
    /// What is asked for while a run waits for its table, in a sentence.
    pub fn wanted_table(&self) -> Option<String> {
        let Waiting { kept, table, .. } = self.library.waiting.as_deref()?;
        Some(tr!(
            "“{name}” was trained on {file}. That file is not open on this page. Open the file to continue the run; \
             until then nothing changes.",
            name = kept.name,
            file = file_words(kept, *table)
        ))
    }

    /// Number and label of the table that a run waits for; the label only where it is known.
    pub fn awaited_table(&self) -> Option<(u64, Option<usize>)> {
        let Waiting { kept, table, .. } = self.library.waiting.as_deref()?;
        Some((*table, kept.table.as_ref().map(|file| file.label)))
    }

    /// Has a run wait for its table, if that is not open; whether it waits.
    pub(super) fn await_table(&mut self, kept: &SavedRun) -> bool {
        let Some(table) = lacking(kept) else { return false };
        self.library.waiting = Some(Box::new(Waiting { kept: kept.clone(), table }));
        self.message = self.wanted_table().unwrap_or_default();
        true
    }

    /// The table that a run waits for has been opened: the run goes on.
    pub fn table_arrived(&mut self, effects: &mut Vec<Effect>) {
        if let Some(waiting) = self.library.waiting.take() {
            self.wish(LibraryAction::TakeUp(waiting.kept.id), effects);
        }
    }

    /// Another table than the one that a run waits for was opened.
    pub fn refuse_table(&mut self, name: &str) {
        let Some(waiting) = self.library.waiting.as_deref() else { return };
        let why = tr!(
            "“{run}” was trained on another table, {file}. To use the opened file without this run, press “Not now” and open the file again",
            run = waiting.kept.name,
            file = file_words(&waiting.kept, waiting.table)
        );
        self.refuse_file(name, &why);
    }
}
