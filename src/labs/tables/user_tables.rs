//! Tables that the user has opened, and sentences about a run's table.
//!
//! # Why
//! A table is no setting: it is stored in this module under the number that the link contains, and all parts of the
//! page read it from here. The file is kept too, since another label makes another table of it, and so that the browser
//! can keep it until the page is opened again. None of it leaves the machine.

use std::sync::{Arc, Mutex, PoisonError};

use vivarium_model::platform::file::UploadedFile;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::tabular::{TableOrigin, Tabular};
use vivarium_model::tasks::{Examples, Task};
use vivarium_view::display::words::{format_percent, format_thousands, join_list};
use vivarium_view::record::dataset::Dataset;

/// Maximum number of CSV files kept open; when another is opened, the one opened first is closed.
const MAX_OPEN_FILES: usize = 8;

/// CSV file that the user has opened, and the table read from it.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenedFile {
    /// File name of the CSV file, as the user's computer gave it.
    pub name: String,
    /// CSV file from which the table was read; its handle or its content.
    pub file: UploadedFile,
    /// Columns, classes and label of the table read from the file; its numbers are stored with the [open
    /// tables](vivarium_model::tasks::tabular::uploaded).
    pub table: Dataset,
}

/// Open CSV files as (number of the table, file), in the order in which they were opened.
static OPENED_FILES: Mutex<Vec<(u64, Arc<OpenedFile>)>> = Mutex::new(Vec::new());

/// Keeps an opened CSV file and the table read from it; returns the table's number, by which [`find_file`] finds it.
pub fn store_file(name: &str, file: UploadedFile, mut table: Dataset) -> u64 {
    let number = table.number;
    std::mem::take(&mut table.table).register_as(number);
    let mut opened = OPENED_FILES.lock().unwrap_or_else(PoisonError::into_inner);
    opened.retain(|(other, _)| *other != number);
    if opened.len() == MAX_OPEN_FILES {
        opened.remove(0);
    }
    opened.push((number, Arc::new(OpenedFile { name: name.into(), file, table })));
    number
}

/// Opened CSV file whose table has this number; `None` if it is not open any more.
pub fn find_file(table_number: u64) -> Option<Arc<OpenedFile>> {
    let opened = OPENED_FILES.lock().unwrap_or_else(PoisonError::into_inner);
    opened.iter().find(|(other, _)| *other == table_number).map(|(_, opened)| opened.clone())
}

/// Task of a run on the rows of a table; `None` for other tasks.
fn table_task(spec: &RunSpec) -> Option<&Tabular> {
    match &spec.task {
        Task::Tabular(task) => Some(task),
        _ => None,
    }
}

/// Opened file that a run trains on; `None` for generated tables and files that are not open.
pub fn file_of_run(spec: &RunSpec) -> Option<Arc<OpenedFile>> {
    table_task(spec).filter(|task| task.origin == TableOrigin::Uploaded).and_then(|task| find_file(task.csv))
}

/// Share of rows in the larger of the two classes, which is the accuracy of always guessing that class; ½ for generated
/// tables and for files that are not open, `None` if the run has no table.
pub fn larger_class_share(spec: &RunSpec) -> Option<f32> {
    let task = table_task(spec)?;
    let Some(own) = task.uploaded_table() else { return Some(0.5) };
    let high = own.y.iter().filter(|y| **y > 0.0).count() as f32 / own.y.len() as f32;
    Some(high.max(1.0 - high))
}

/// Sentences on the table on which a run trains: numbers of rows and columns, held-out rows and label; empty for runs
/// without a table.
pub fn describe_table(spec: &RunSpec) -> Vec<String> {
    let Some(task) = table_task(spec) else { return vec![] };
    let size = tr!(
        "The table has {rows} rows and {columns} columns. For each network, {tested} random rows are held out, and the network learns from {sample} of the other rows.",
        rows = format_thousands(task.row_count() as u64),
        columns = format_thousands(task.inputs() as u64),
        tested = format_thousands(task.held_out_row_count() as u64),
        sample = format_thousands(task.training_set_size().unwrap_or_default() as u64)
    );
    let Some(opened) = file_of_run(spec) else {
        return vec![size, describe_generated(task, spec.run.seed)];
    };
    let Dataset { classes, all, label, notes, .. } = &opened.table;
    let larger = larger_class_share(spec).unwrap_or(f32::NAN);
    let label_text = tr!(
        "The label is the column {label}, with the two classes {low} and {high}. The larger class has {share} of the rows.",
        label = all[*label],
        low = classes[0],
        high = classes[1],
        share = format_percent(larger)
    );
    [size, label_text].into_iter().chain(notes.iter().cloned()).collect()
}

/// Sentence on the columns, or directions, on which the label of a generated table depends in a run with this seed.
fn describe_generated(task: &Tabular, seed: u64) -> String {
    let relevant = task.relevant(seed);
    let columns: Vec<String> = relevant.iter().map(|column| (column + 1).to_string()).collect();
    let jumps = match task.pieces - 1 {
        1 => tr!("one point").to_string(),
        many => tr!("{many} points", many),
    };
    match columns.is_empty() {
        true => tr!(
            "The table is rotated: the label depends on {k} random directions, and it jumps at {jumps} along each of these directions. No single column is informative.",
            jumps,
            k = task.k
        ),
        false => tr!(
            "The label depends only on columns {columns}, and it jumps at {jumps} along each of these columns.",
            columns = join_list(&columns),
            jumps
        ),
    }
}
