//! The measurements of a run as text, each as soon as it is there.
//!
//! # Why
//! A run of a million measurements must not need more memory than one of ten, and who stops it has what was measured.

use super::print::Format;
use crate::analysis::curves::spread;
use crate::protocol::Row;
use crate::record::{Column, Record, columns, csv_head, csv_lines, json_row};
use crate::run::RunSpec;
use crate::tasks::Measures;

/// Width of a number in a table, and of a median with its range.
const WIDTHS: [usize; 2] = [10, 25];

/// Further measures that stand in a table; the others are in files alone.
const IN_TABLE: [&str; 6] = ["previous", "induction", "distance", "corollary", "least-norm", "held-bound"];

/// What has been printed of a run.
pub struct Rows {
    format: Format,
    /// The columns, which the first measurement settles.
    columns: Option<Vec<Column>>,
    /// Width of the column of steps, and of the others.
    widths: (usize, usize),
    /// What is measured in the task.
    measures: Measures,
    /// Whether there is a measurement before the next one.
    begun: bool,
    /// Measurements up to this step are there already.
    until: Option<u64>,
}

impl Rows {
    /// None yet of this run.
    pub fn new(format: Format, spec: &RunSpec) -> Rows {
        let run = &spec.run;
        let widths = (run.steps.to_string().len().max(4), WIDTHS[usize::from(run.replicas > 1)]);
        let measures = spec.task.examples().measures();
        Rows { format, columns: None, widths, measures, begun: false, until: None }
    }

    /// Those up to `step` have been printed before.
    pub fn go_on(&mut self, step: u64) {
        (self.begun, self.until) = (true, Some(step));
    }

    /// The step of the last one.
    pub fn last(&self) -> Option<u64> {
        self.until
    }

    /// The text before the first one.
    pub fn head(&self, record: &Record) -> String {
        if self.format == Format::Json { record.json_head() } else { String::new() }
    }

    /// The text of these.
    pub fn lines(&mut self, rows: &[Row]) -> String {
        let mut text = String::new();
        for row in rows.iter().filter(|row| self.until.is_none_or(|until| row.step > until)) {
            let columns = self.columns.get_or_insert_with(|| shown(self.format, &self.measures, row));
            if !self.begun {
                text += &heading(self.format, columns, self.widths);
            }
            match self.format {
                Format::Csv => text += &csv_lines(columns, row),
                Format::Json => text += &json_row(&self.measures, row, !self.begun),
                Format::Table => text += &line(columns, row, self.widths),
            }
            self.begun = true;
        }
        self.until = rows.last().map(|row| row.step).max(self.until);
        text
    }

    /// The text behind the last one.
    pub fn tail(&self, record: &Record) -> String {
        match self.format {
            Format::Json => record.json_tail(!self.begun),
            // A file without measurements has its heading.
            format if !self.begun => {
                heading(format, &columns(&self.measures, std::iter::empty()), self.widths)
            }
            Format::Csv => String::new(),
            Format::Table => rule('─', self.columns.as_ref().map_or(4, Vec::len), self.widths),
        }
    }
}

/// The columns of this and all other measurements of a run.
fn shown(format: Format, measures: &Measures, row: &Row) -> Vec<Column> {
    let all = columns(measures, std::iter::once(row));
    // Most further measures are for programs: a line has to fit a screen.
    let is_short = |column: &Column| {
        let is_further = measures.more.iter().any(|measure| measure.slug == column.name);
        !is_further || IN_TABLE.contains(&column.name)
    };
    if format == Format::Table { all.into_iter().filter(is_short).collect() } else { all }
}

fn heading(format: Format, columns: &[Column], widths: (usize, usize)) -> String {
    match format {
        Format::Csv => csv_head(columns),
        Format::Json => String::new(),
        Format::Table => {
            let names = columns.iter().map(|column| column.name.to_string());
            aligned("step".into(), names, widths) + &rule('═', columns.len(), widths)
        }
    }
}

fn line(columns: &[Column], row: &Row, widths: (usize, usize)) -> String {
    let cell = |values: &[f32]| {
        let (middle, low, high) = spread(values);
        if values.len() == 1 {
            format!("{middle:.6}")
        } else {
            format!("{middle:.4} ({low:.4} to {high:.4})")
        }
    };
    aligned(row.step.to_string(), columns.iter().map(|column| cell(column.of(row))), widths)
}

fn aligned(step: String, cells: impl Iterator<Item = String>, (first, width): (usize, usize)) -> String {
    let width = width.max("train accuracy".len());
    let cells: String = cells.map(|cell| format!("  {cell:>width$}")).collect();
    format!("{step:>first$}{cells}\n")
}

fn rule(sign: char, columns: usize, (first, width): (usize, usize)) -> String {
    let length = first + columns * (2 + width.max("train accuracy".len()));
    std::iter::repeat_n(sign, length).chain(['\n']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markov::Measure;

    fn row(step: u64) -> Row {
        let of = |x: f32| vec![x, 2.0 * x, 4.0 * x];
        Row {
            step,
            train_loss: of(0.1),
            train_accuracy: of(0.125),
            test_loss: of(0.5),
            test_accuracy: of(0.25),
            ..Default::default()
        }
    }

    /// One after the other or all at once, and also where a part of them has been printed before: the same text.
    #[test]
    fn in_parts_it_is_the_same_text() {
        let rows: Vec<Row> = (0..5).map(|i| row(i * 250)).collect();
        let record = Record { solved: vec![None; 3], rows: rows.clone(), ..Record::default() };
        for format in [Format::Csv, Format::Json, Format::Table] {
            let mut spec = RunSpec::default();
            (spec.run.steps, spec.run.replicas) = (1000, 3);
            let fresh = || Rows::new(format, &spec);
            let mut whole = fresh();
            let whole = whole.head(&record) + &whole.lines(&rows) + &whole.tail(&record);
            let mut parts = fresh();
            let mut text = parts.head(&record);
            rows.chunks(2).for_each(|rows| text += &parts.lines(rows));
            assert_eq!(text + &parts.tail(&record), whole);
            let mut begun = fresh();
            let text = begun.head(&record) + &begun.lines(&rows[..3]);
            let mut rest = fresh();
            rest.go_on(begun.last().unwrap());
            assert_eq!(text + &rest.lines(&rows[2..]) + &rest.tail(&record), whole, "{format:?}");
            match format {
                Format::Csv => assert_eq!(whole, crate::record::csv(&Measures::default(), rows.iter())),
                Format::Json => assert_eq!(whole, record.to_json()),
                Format::Table => {
                    let lengths: Vec<usize> = whole.lines().map(|line| line.chars().count()).collect();
                    assert!(
                        whole.lines().count() == 8 && lengths.iter().all(|n| *n == lengths[0]),
                        "{whole}"
                    );
                    assert!(whole.contains("0.2000 (0.1000 to 0.4000)"), "{whole}");
                }
            }
        }
    }

    #[test]
    fn a_run_without_measurements_has_its_heading() {
        let record = Record::default();
        let text = |format| {
            let rows = Rows::new(format, &RunSpec::default());
            rows.head(&record) + &rows.tail(&record)
        };
        assert_eq!(text(Format::Csv), crate::record::csv(&Measures::default(), std::iter::empty()));
        assert_eq!(text(Format::Json), record.to_json());
        assert_eq!(text(Format::Table).lines().count(), 2);
    }

    #[test]
    fn a_table_is_as_wide_as_medians_and_ranges_need() {
        let lengths = |replicas: usize| {
            let mut spec = RunSpec::default();
            (spec.run.steps, spec.run.replicas) = (1000, replicas);
            let text = Rows::new(Format::Table, &spec).tail(&Record::default());
            text.lines().map(|line| line.chars().count()).collect::<Vec<_>>()
        };
        // Four digits of a step, then four columns behind two spaces: as wide as "train accuracy", or as a range.
        assert_eq!(lengths(1), [4 + 4 * (2 + 14); 2]);
        assert_eq!(lengths(2), [4 + 4 * (2 + 25); 2]);
    }

    #[test]
    fn a_table_has_few_of_the_further_measures_and_a_file_all() {
        let measures = Measures { more: Measure::OPTIONS, ..Measures::default() };
        let judged = Row { measures: Measure::ALL.iter().map(|_| vec![0.5; 3]).collect(), ..row(0) };
        let names = |format: Format| {
            shown(format, &measures, &judged).iter().map(|column| column.name).collect::<Vec<_>>()
        };
        let usual = "train loss, train accuracy, test loss, test accuracy";
        assert_eq!(names(Format::Table).join(", "), format!("{usual}, previous, induction"));
        let strategies = "uniform, unigram, bigram, trigram, tetragram";
        let chains = "on-dirichlet, on-iid, on-ds";
        assert_eq!(
            names(Format::Csv).join(", "),
            format!("{usual}, {strategies}, previous, induction, {chains}")
        );
    }
}
