//! Tables of a person's own: those that are open, and what is said of them.
//!
//! # Why
//! A table is no setting: it is kept beside the run, by the number that the link holds, and read from there by
//! whoever shows it. The file is kept too, since another label makes another table of it, and so that the browser can keep it
//! until the page is opened again. None of it leaves the machine.

use std::sync::{Arc, Mutex, PoisonError};

use vivarium_model::platform::file::GivenFile;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::tabular::{Origin, Tabular};
use vivarium_model::tasks::{Examples, Task};
use vivarium_view::display::words::{list, percent, thousands};
use vivarium_view::record::dataset::Dataset;

/// Most files that are kept; the oldest goes first.
const MOST_KEPT: usize = 8;

/// A file that was opened.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// What it is called.
    pub name: String,
    /// The file itself, wherever it is.
    pub file: GivenFile,
    /// What was read from it; the numbers are with the [open tables](vivarium_model::tasks::tabular::uploaded).
    pub table: Dataset,
}

static OPENED: Mutex<Vec<(u64, Arc<Opened>)>> = Mutex::new(Vec::new());

/// Keeps a file and what was read from it for whoever asks for its number, which is the result.
pub fn keep(name: &str, file: GivenFile, mut table: Dataset) -> u64 {
    let number = table.number;
    std::mem::take(&mut table.table).open_as(number);
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    opened.retain(|(other, _)| *other != number);
    if opened.len() == MOST_KEPT {
        opened.remove(0);
    }
    opened.push((number, Arc::new(Opened { name: name.into(), file, table })));
    number
}

/// The file of that number.
pub fn opened(number: u64) -> Option<Arc<Opened>> {
    let opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    opened.iter().find(|(other, _)| *other == number).map(|(_, opened)| opened.clone())
}

/// The task of a run on a table.
fn of(spec: &RunSpec) -> Option<&Tabular> {
    match &spec.task {
        Task::Tabular(task) => Some(task),
        _ => None,
    }
}

/// The file that a run is about.
pub fn shown(spec: &RunSpec) -> Option<Arc<Opened>> {
    of(spec).filter(|task| task.origin == Origin::Uploaded).and_then(|task| opened(task.csv))
}

/// Share of the larger class, which is what guessing gets right.
pub fn larger_class(spec: &RunSpec) -> Option<f32> {
    let task = of(spec)?;
    let Some(own) = task.uploaded() else { return Some(0.5) };
    let high = own.y.iter().filter(|y| **y > 0.0).count() as f32 / own.y.len() as f32;
    Some(high.max(1.0 - high))
}

/// What the table is, in sentences, for a run on one.
pub fn about(spec: &RunSpec) -> Vec<String> {
    let Some(task) = of(spec) else { return vec![] };
    let size = tr!(
        "The table has {rows} rows and {columns} columns. For each network, {tested} random rows are held out, and the network learns from {sample} of the other rows.",
        rows = thousands(task.table_rows() as u64),
        columns = thousands(task.inputs() as u64),
        tested = thousands(task.tested() as u64),
        sample = thousands(task.sample_size().unwrap_or_default() as u64)
    );
    let Some(opened) = shown(spec) else {
        return vec![size, made(task, spec.run.seed)];
    };
    let Dataset { classes, all, label, notes, .. } = &opened.table;
    let larger = larger_class(spec).unwrap_or(f32::NAN);
    let told = tr!(
        "The label is the column {label}, with the two classes {low} and {high}. The larger class has {share} of the rows.",
        label = all[*label],
        low = classes[0],
        high = classes[1],
        share = percent(larger)
    );
    [size, told].into_iter().chain(notes.iter().cloned()).collect()
}

/// How a generated table came about.
fn made(task: &Tabular, seed: u64) -> String {
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
            columns = list(&columns),
            jumps
        ),
    }
}
