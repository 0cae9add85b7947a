//! Metrics as a table: the columns that page and command line write.

use crate::protocol::Row;
use crate::tasks::Measures;

/// A column of numbers.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name for a person.
    pub name: &'static str,
    /// Its name for a program.
    pub key: String,
    of: fn(&Row, usize) -> &[f32],
    which: usize,
}

impl Column {
    /// What stands in it for each replica; nothing where the row has none.
    pub fn of<'a>(&self, row: &'a Row) -> &'a [f32] {
        (self.of)(row, self.which)
    }
}

/// The columns that these rows have: losses and accuracies, margins of networks with a penalty, and what else is measured
/// in a task.
pub fn columns<'a>(measures: &Measures, rows: impl Iterator<Item = &'a Row> + Clone) -> Vec<Column> {
    let is_judged = rows.clone().any(|row| !row.measures.is_empty());
    let Measures { loss, accuracy, .. } = if is_judged { *measures } else { Measures::default() };
    // Programs find the loss and the accuracy that count under the same name in every lab.
    let named = |name, key: &str, of| Column { name, key: key.into(), of, which: 0 };
    let mut columns = vec![
        named("train loss", "train_loss", |row, _| &row.train_loss),
        named("train accuracy", "train_accuracy", |row, _| &row.train_accuracy),
        named(loss, "test_loss", |row, _| &row.test_loss),
        named(accuracy, "test_accuracy", |row, _| &row.test_accuracy),
    ];
    if rows.clone().any(|row| !row.margin.is_empty()) {
        columns.push(named("margin", "margin", |row, _| &row.margin));
    }
    for (which, measure) in measures.more.iter().enumerate() {
        let of: fn(&Row, usize) -> &[f32] = |row, which| row.measures.get(which).map_or(&[], |m| m);
        if rows.clone().any(|row| !of(row, which).is_empty()) {
            let key = measure.slug.replace('-', "_");
            columns.push(Column { name: measure.slug, key, of, which });
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
    let mut text = String::new();
    for replica in 0..row.test_loss.len() {
        text.push_str(&format!("{},{replica}", row.step));
        for column in columns {
            text.push(',');
            if let Some(number) = column.of(row).get(replica) {
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
    /// What is measured in its task.
    pub measures: Measures,
    /// Its measurements.
    pub rows: Vec<&'a Row>,
}

/// Text as one field of CSV: in quotes where it needs them (RFC 4180, 2005, section 2).
fn field(text: &str) -> String {
    match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.into(),
    }
}

/// Metrics of several runs as one table in long form: `run`, which is the name of the run, then the columns of [`csv`]
/// that any of the runs has. There is a line for each run, measurement and replica; where a run lacks a column, its field is
/// empty.
pub fn csv_of_runs(runs: &[RunRows]) -> String {
    let tables: Vec<Vec<Column>> =
        runs.iter().map(|run| columns(&run.measures, run.rows.iter().copied())).collect();
    let mut all: Vec<Column> = vec![];
    for column in tables.iter().flatten() {
        if all.iter().all(|known| known.key != column.key) {
            all.push(column.clone());
        }
    }
    let mut text = format!("run,{}", csv_head(&all));
    for (run, table) in runs.iter().zip(&tables) {
        // Where a measure stands in a row depends on the task.
        let own: Vec<Option<&Column>> =
            all.iter().map(|column| table.iter().find(|known| known.key == column.key)).collect();
        let name = field(run.name);
        for row in &run.rows {
            for replica in 0..row.test_loss.len() {
                text.push_str(&format!("{name},{},{replica}", row.step));
                for column in &own {
                    text.push(',');
                    if let Some(number) = column.and_then(|column| column.of(row).get(replica)) {
                        text.push_str(&number.to_string());
                    }
                }
                text.push('\n');
            }
        }
    }
    text
}
