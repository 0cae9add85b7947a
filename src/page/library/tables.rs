//! Saved runs on a table of the user: a run that is resumed without its table waits until the user opens it.

use super::{LibraryAction, WaitingRun};
use crate::effect::Effect;
use crate::state::State;
use vivarium_labs::tables::user_tables::file_of_run;
use vivarium_model::run::RunSpec;
use vivarium_view::record::saved::{SavedRun, TableFile, is_table_missing, parse_saved_link, table_number};

/// Returns name, size and label column of the file from which a run's data table was read; None if the run uses no
/// opened file.
pub(super) fn table_file(spec: &RunSpec) -> Option<TableFile> {
    let opened = file_of_run(spec)?;
    let (name, size) = (opened.name.clone(), opened.file.size);
    Some(TableFile { name, size, label: opened.table.label })
}

/// Returns the number of a saved run's data table if that table is not open on the page; None if it is, or if the run
/// uses none.
pub(super) fn missing_table(saved: &SavedRun) -> Option<u64> {
    let spec = parse_saved_link(&saved.link).ok()?.spec;
    table_number(&spec).filter(|_| is_table_missing(&spec))
}

/// Describes the file of a saved run's data table: name, size, checksum.
fn describe_file(saved: &SavedRun, table: u64) -> String {
    match &saved.table {
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
    /// Returns the sentence that asks the user for the data table of a waiting run; None if no run waits.
    pub fn table_request(&self) -> Option<String> {
        let WaitingRun { saved, table_number: table, .. } = self.library.waiting_run.as_deref()?;
        Some(tr!(
            "“{name}” was trained on {file}. That file is not open on this page. Open the file to continue the run; \
             until then nothing changes.",
            name = saved.name,
            file = describe_file(saved, *table)
        ))
    }

    /// Returns (number of the data table that a run waits for, index of its label column if known); None if no run
    /// waits.
    pub fn awaited_table(&self) -> Option<(u64, Option<usize>)> {
        let WaitingRun { saved, table_number: table, .. } = self.library.waiting_run.as_deref()?;
        Some((*table, saved.table.as_ref().map(|file| file.label)))
    }

    /// Makes a saved run wait for its data table if that is not open. Returns whether the run waits.
    pub(super) fn wait_for_table(&mut self, saved: &SavedRun) -> bool {
        let Some(table) = missing_table(saved) else { return false };
        self.library.waiting_run = Some(Box::new(WaitingRun { saved: saved.clone(), table_number: table }));
        self.player.message = self.table_request().unwrap_or_default();
        true
    }

    /// Resumes the run that waited for the table that has been opened.
    pub fn resume_waiting_run(&mut self, effects: &mut Vec<Effect>) {
        if let Some(waiting) = self.library.waiting_run.take() {
            self.apply_library_action(LibraryAction::Resume(waiting.saved.id), effects);
        }
    }

    /// Reports that the opened data table, from the file `name`, is not the one that a saved run waits for.
    pub fn reject_table(&mut self, name: &str) {
        let Some(waiting) = self.library.waiting_run.as_deref() else { return };
        let why = tr!(
            "“{run}” was trained on another table, {file}. To use the opened file without this run, press “Not now” and open the file again",
            run = waiting.saved.name,
            file = describe_file(&waiting.saved, waiting.table_number)
        );
        self.reject_file(name, &why);
    }
}
