//! Metrics as a table: the columns that page and command line write.

use std::borrow::Cow;

use super::{MARGIN, MARGIN_OVER_MAX, over_max};
use vivarium_model::protocol::Row;
use vivarium_model::tasks::Measures;

/// A column of numbers.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name, also in the README with the definitions.
    pub key: String,
    /// Its place among the further measures of the task, if it is one of these.
    pub further: Option<usize>,
    of: Numbers,
}

/// Where the numbers of a column are.
#[derive(Debug, Clone, Copy)]
enum Numbers {
    /// A list of the row.
    List(fn(&Row) -> &Vec<f32>),
    /// The margin divided by the largest one.
    OverMax(f64),
    /// A further measure.
    Further(usize),
}

impl Column {
    /// What stands in it for each replica; nothing where the row has none.
    pub fn of<'a>(&self, row: &'a Row) -> Cow<'a, [f32]> {
        match self.of {
            Numbers::List(list) => list(row).into(),
            Numbers::OverMax(largest) => over_max(&row.margin, largest).into(),
            Numbers::Further(which) => row.measures.get(which).map_or(&[][..], |values| values).into(),
        }
    }
}

/// The lists of a row that all tasks have.
const FOUR: [fn(&Row) -> &Vec<f32>; 4] =
    [|row| &row.train_loss, |row| &row.train_accuracy, |row| &row.test_loss, |row| &row.test_accuracy];

/// The columns that these rows have: losses and accuracies, margins of networks with a penalty, and what else is measured
/// in a task.
pub fn columns<'a>(measures: &Measures, rows: impl Iterator<Item = &'a Row> + Clone) -> Vec<Column> {
    let named = |key: &str, of| Column { key: key.into(), further: None, of };
    let four = measures.names.iter().zip(FOUR);
    let mut columns: Vec<Column> = four.map(|(name, list)| named(name, Numbers::List(list))).collect();
    if rows.clone().any(|row| !row.margin.is_empty()) {
        columns.push(named(MARGIN, Numbers::List(|row| &row.margin)));
        let share = measures.largest_margin.map(|largest| named(MARGIN_OVER_MAX, Numbers::OverMax(largest)));
        columns.extend(share);
    }
    for which in 0..measures.more.len() {
        if rows.clone().any(|row| row.measures.get(which).is_some_and(|values| !values.is_empty())) {
            let key = measures.field(which).replace('-', "_");
            columns.push(Column { key, further: Some(which), of: Numbers::Further(which) });
        }
    }
    columns
}

/// The line of CSV that names the columns.
pub fn csv_head(columns: &[Column]) -> String {
    let mut text = String::from("step,replica");
    for column in columns {
        text.push(',');
        text.push_str(&column.key);
    }
    text.push('\n');
    text
}

/// The lines of CSV of one measurement, one for each replica.
pub fn csv_lines(columns: &[Column], row: &Row) -> String {
    let columns: Vec<_> = columns.iter().map(|column| Some(column.of(row))).collect();
    cells("", row, &columns)
}

/// The lines of one measurement, each behind `before`, with these numbers in the columns.
fn cells(before: &str, row: &Row, columns: &[Option<Cow<[f32]>>]) -> String {
    let mut text = String::new();
    for replica in 0..row.test_loss.len() {
        text.push_str(&format!("{before}{},{replica}", row.step));
        for column in columns {
            text.push(',');
            if let Some(number) = column.as_ref().and_then(|column| column.get(replica)) {
                text.push_str(&number.to_string());
            }
        }
        text.push('\n');
    }
    text
}

/// Metrics for programs: a line for each measurement and replica.
pub fn csv<'a>(measures: &Measures, rows: impl Iterator<Item = &'a Row> + Clone) -> String {
    let columns = columns(measures, rows.clone());
    rows.fold(csv_head(&columns), |text, row| text + &csv_lines(&columns, row))
}

/// The measurements of one of several runs.
pub struct RunRows<'a> {
    /// What the run is called among them.
    pub name: &'a str,
    /// What is measured of it.
    pub measures: Measures,
    /// What is said of it [before the columns](super::Record::csv_preamble).
    pub preamble: String,
    /// Its measurements.
    pub rows: Vec<&'a Row>,
}

/// Text as one field of CSV: in quotes where it needs them (RFC 4180, 2005, section 2), and where a program might take its
/// rest for a comment.
///
/// By hand: `csv` writes the same bytes, but the page has only its reader, and the writer is 20 KB of WebAssembly more.
pub fn csv_field(text: &str) -> Cow<'_, str> {
    match text.contains(['"', ',', '\n', '\r', '#']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")).into(),
        false => text.into(),
    }
}

/// Metrics of several runs as one table in long form: `run`, which is the name of the run, then the columns of [`csv`]
/// that any of the runs has. There is a line for each run, measurement and replica; where a run lacks a column, its field is
/// empty. Before the columns, each run has its lines about it, behind one with its name.
pub fn csv_of_runs(runs: &[RunRows]) -> String {
    let tables: Vec<Vec<Column>> =
        runs.iter().map(|run| columns(&run.measures, run.rows.iter().copied())).collect();
    let mut all: Vec<Column> = vec![];
    for column in tables.iter().flatten() {
        if all.iter().all(|known| known.key != column.key) {
            all.push(column.clone());
        }
    }
    let about = |run: &RunRows| format!("# run: {}\n{}", run.name.replace(['\n', '\r'], " "), run.preamble);
    let mut text = runs.iter().map(about).collect::<String>();
    text += &format!("run,{}", csv_head(&all));
    for (run, table) in runs.iter().zip(&tables) {
        // Where a measure stands in a row depends on the task.
        let own: Vec<Option<&Column>> =
            all.iter().map(|column| table.iter().find(|known| known.key == column.key)).collect();
        let name = format!("{},", csv_field(run.name));
        for row in &run.rows {
            let columns: Vec<_> = own.iter().map(|column| column.map(|column| column.of(row))).collect();
            text += &cells(&name, row, &columns);
        }
    }
    text
}
