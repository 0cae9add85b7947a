//! Metrics as a CSV table, for page and command line.

use std::borrow::{Borrow, Cow};

use super::{MARGIN, MARGIN_OVER_MAX, divide_by_max};
use vivarium_model::protocol::Measurement;
use vivarium_model::tasks::MeasureNames;

/// A column of metrics in the CSV table of measurements.
#[derive(Debug, Clone)]
pub struct MetricColumn {
    /// Name of the column in the CSV header; the README defines the columns.
    pub key: String,
    /// Index, from 0, of the column's quantity among the further measures of the task (those besides loss and
    /// accuracy); `None` for columns that all tasks have.
    pub further: Option<usize>,
    /// Field of a measurement from which the column takes its numbers, one per replica.
    source: ColumnSource,
}

/// Field of a [`Measurement`] from which a column of the CSV table takes its numbers.
#[derive(Debug, Clone, Copy)]
enum ColumnSource {
    /// A list of the measurement.
    List(fn(&Measurement) -> &Vec<f32>),
    /// The margin divided by the largest possible margin, which is given here.
    OverMax(f64),
    /// The further measure with this index.
    Further(usize),
}

impl MetricColumn {
    /// Values of the column in a measurement, one per replica; empty if the measurement lacks them.
    pub fn values<'a>(&self, row: &'a Measurement) -> Cow<'a, [f32]> {
        match self.source {
            ColumnSource::List(list) => list(row).into(),
            ColumnSource::OverMax(largest) => divide_by_max(&row.margin, largest).into(),
            ColumnSource::Further(which) => row.measures.get(which).map_or(&[][..], |values| values).into(),
        }
    }
}

/// Fields of a measurement that all tasks have, in the order of columns: training loss and accuracy, held-out loss and
/// accuracy.
const COMMON_LISTS: [fn(&Measurement) -> &Vec<f32>; 4] =
    [|row| &row.train_loss, |row| &row.train_accuracy, |row| &row.test_loss, |row| &row.test_accuracy];

/// Columns after `step` and `replica` in the CSV table of the measurements `rows`: losses and accuracies, normalised
/// margins if any measurement has them, and the further measures that occur.
pub fn list_columns<M: Borrow<Measurement>>(
    measures: &MeasureNames,
    rows: impl Iterator<Item = M> + Clone,
) -> Vec<MetricColumn> {
    let is_filled = |of: &dyn Fn(&Measurement) -> bool| rows.clone().any(|row| of(row.borrow()));
    let named = |key: &str, of| MetricColumn { key: key.into(), further: None, source: of };
    let four = measures.names.iter().zip(COMMON_LISTS);
    let mut columns: Vec<MetricColumn> =
        four.map(|(name, list)| named(name, ColumnSource::List(list))).collect();
    if is_filled(&|row| !row.margin.is_empty()) {
        columns.push(named(MARGIN, ColumnSource::List(|row| &row.margin)));
        let share =
            measures.largest_margin.map(|largest| named(MARGIN_OVER_MAX, ColumnSource::OverMax(largest)));
        columns.extend(share);
    }
    for which in 0..measures.further_measures.len() {
        if is_filled(&|row| row.measures.get(which).is_some_and(|values| !values.is_empty())) {
            let key = measures.json_name(which).replace('-', "_");
            columns.push(MetricColumn { key, further: Some(which), source: ColumnSource::Further(which) });
        }
    }
    columns
}

/// Formats the first CSV line of the table of measurements: `step`, `replica`, then the names of `columns`.
pub fn format_csv_header(columns: &[MetricColumn]) -> String {
    let mut text = String::from("step,replica");
    for column in columns {
        text.push(',');
        text.push_str(&column.key);
    }
    text.push('\n');
    text
}

/// Formats the measurement `row` as CSV lines, one per replica: step, replica (from 0), then the values of `columns`.
pub fn format_csv_lines(columns: &[MetricColumn], row: &Measurement) -> String {
    let columns: Vec<_> = columns.iter().map(|column| Some(column.values(row))).collect();
    format_csv_cells("", row, &columns)
}

/// Formats one measurement as CSV lines, one per replica, each with the prefix `before`; a column that is `None` gives
/// an empty field.
fn format_csv_cells(before: &str, row: &Measurement, columns: &[Option<Cow<[f32]>>]) -> String {
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

/// Formats the measurements `rows` as a CSV table with the header of [`format_csv_header`] and one line per measurement
/// and replica.
pub fn format_csv<M: Borrow<Measurement>>(
    measures: &MeasureNames,
    rows: impl Iterator<Item = M> + Clone,
) -> String {
    let columns = list_columns(measures, rows.clone());
    rows.fold(format_csv_header(&columns), |text, row| text + &format_csv_lines(&columns, row.borrow()))
}

/// Measurements of one of several runs that are written into one CSV table.
pub struct RunRows<'a> {
    /// Name of the run in its column `run` of the table.
    pub name: &'a str,
    /// Names of the measures (loss, accuracy and further ones) of the run's task.
    pub measures: MeasureNames,
    /// Comment lines on the run at the top of the file, as from [`csv_preamble`](super::Record::csv_preamble).
    pub preamble: String,
    /// Measurements of the run, one per measured training step, in increasing order of steps.
    pub rows: Vec<&'a Measurement>,
}

/// Quotes text as one CSV field where RFC 4180 (2005, section 2) requires it, and where a program might read a comment.
///
/// By hand: `csv` writes the same bytes, but the page has only its reader, and the writer is 20 KB of WebAssembly more.
pub fn quote_csv_field(text: &str) -> Cow<'_, str> {
    match text.contains(['"', ',', '\n', '\r', '#']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")).into(),
        false => text.into(),
    }
}

/// Formats the measurements of several runs as one CSV table in long form: `run` (name of the run), then the columns of
/// [`format_csv`] that any run has, with one line per run, measurement and replica and empty fields for missing
/// columns. The comment lines of each run come first, headed by its name.
pub fn format_runs_csv(runs: &[RunRows]) -> String {
    let about = |run: &RunRows| format!("# run: {}\n{}", run.name.replace(['\n', '\r'], " "), run.preamble);
    let tables = runs.iter().map(|run| RunTable {
        first_fields: quote_csv_field(run.name).into_owned(),
        measures: &run.measures,
        rows: run.rows.clone(),
    });
    let tables: Vec<RunTable> = tables.collect();
    runs.iter().map(about).collect::<String>() + &format_tables("run", &tables)
}

/// Measurements of a run as a part of the CSV table of several runs.
pub struct RunTable<'a> {
    /// The first fields of every line of the run, which tell its lines from those of other runs; quoted where necessary
    /// and separated by commas.
    pub first_fields: String,
    /// Names of the measures (loss, accuracy and further ones) of the run's task.
    pub measures: &'a MeasureNames,
    /// Measurements of the run, one per measured training step, in increasing order of steps.
    pub rows: Vec<&'a Measurement>,
}

/// Formats the measurements of several runs as one CSV table in long form: the columns `first_columns`, whose values are
/// the first fields of each run, then the columns of [`format_csv`] that any run has, with one line per run, measurement
/// and replica and empty fields for missing columns.
pub fn format_tables(first_columns: &str, runs: &[RunTable]) -> String {
    let tables: Vec<Vec<MetricColumn>> =
        runs.iter().map(|run| list_columns(run.measures, run.rows.iter().copied())).collect();
    let mut all: Vec<MetricColumn> = vec![];
    for column in tables.iter().flatten() {
        if all.iter().all(|known| known.key != column.key) {
            all.push(column.clone());
        }
    }
    let mut text = format!("{first_columns},{}", format_csv_header(&all));
    for (run, table) in runs.iter().zip(&tables) {
        // Where a measure stands in a row depends on the task.
        let own: Vec<Option<&MetricColumn>> =
            all.iter().map(|column| table.iter().find(|known| known.key == column.key)).collect();
        let first = format!("{},", run.first_fields);
        for row in &run.rows {
            let columns: Vec<_> = own.iter().map(|column| column.map(|column| column.values(row))).collect();
            text += &format_csv_cells(&first, row, &columns);
        }
    }
    text
}
