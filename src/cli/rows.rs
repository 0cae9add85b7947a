//! Formats the measurements of a run as text, each as soon as it is made.
//!
//! # Why
//! A run of a million measurements must not need more memory than one of ten, and a run that is stopped keeps
//! its measurements.

use super::print::{MetricsFormat, NameVersion};
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::MeasureNames;
use vivarium_plot::analysis::curves::median_range;
use vivarium_plot::analysis::replicas::{diverged_replicas, without_diverged};
use vivarium_view::record::{
    MetricColumn, Record, format_csv_header, format_csv_lines, json_row, list_columns,
};

/// Width in characters of a table column of measurements: first for the number of a single replica, then for
/// the median of several replicas with its range.
const NUMBER_WIDTHS: [usize; 2] = [10, 25];

/// Slugs of the further measures (besides losses, accuracies and margin) that tables show; other further
/// measures are only in files.
const TABLE_MEASURES: [&str; 7] =
    ["previous", "induction", "distance", "corollary", "least-norm", "held-bound", "formula-bound"];

/// Formats the measurements of a run as text, one after the other.
pub struct MeasurementPrinter {
    /// Format of the text: table, CSV or JSON.
    format: MetricsFormat,
    /// Whether the text has the present names of measures, or those that files of earlier versions have.
    names: NameVersion,
    /// Columns of the text; None before the first measurement is formatted.
    columns: Option<Vec<MetricColumn>>,
    /// Width in characters of the table column of steps, and smallest width of each other column.
    widths: (usize, usize),
    /// Names of the losses, accuracies and further measures of the task, as `names` chooses.
    measures: MeasureNames,
    /// Whether the run executes or searches its networks and trains nothing.
    is_executed: bool,
    /// Whether a measurement has been printed.
    has_printed: bool,
    /// Training step of the last printed measurement; None before the first.
    last_step: Option<u64>,
}

impl MeasurementPrinter {
    /// A printer of the run `spec` that has printed nothing yet.
    pub fn new(format: MetricsFormat, names: NameVersion, spec: &RunSpec) -> MeasurementPrinter {
        let run = &spec.run;
        let widths = (run.steps.to_string().len().max(4), NUMBER_WIDTHS[usize::from(run.replicas > 1)]);
        let measures = match names {
            NameVersion::New => spec.measure_names(),
            NameVersion::Old => spec.measure_names().with_earlier_names(),
        };
        MeasurementPrinter {
            format,
            names,
            columns: None,
            widths,
            measures,
            is_executed: spec.is_executed(),
            has_printed: false,
            last_step: None,
        }
    }

    /// Continues a text that has all measurements up to `step`; these are not printed again.
    pub fn resume_after(&mut self, step: u64) {
        (self.has_printed, self.last_step) = (true, Some(step));
    }

    /// Training step of the last printed measurement; None before the first.
    pub fn last_step(&self) -> Option<u64> {
        self.last_step
    }

    /// Text before the first measurement: a description of the run in CSV and JSON, empty for a table.
    pub fn format_head(&self, record: &Record) -> String {
        match (self.format, self.names) {
            (MetricsFormat::Json, NameVersion::New) => record.json_head(),
            (MetricsFormat::Json, NameVersion::Old) => record.earlier_json_head(),
            (MetricsFormat::Csv, NameVersion::New) => record.csv_preamble(),
            _ => String::new(),
        }
    }

    /// Text of the measurements in `rows` that are later than the last printed one.
    pub fn format_measurements(&mut self, rows: &[Measurement]) -> String {
        let mut text = String::new();
        for row in rows.iter().filter(|row| self.last_step.is_none_or(|until| row.step > until)) {
            let columns =
                self.columns.get_or_insert_with(|| choose_columns(self.format, &self.measures, row));
            if !self.has_printed {
                text += &format_heading(self.format, columns, self.widths);
            }
            match self.format {
                MetricsFormat::Csv => text += &format_csv_lines(columns, row),
                MetricsFormat::Json => text += &json_row(&self.measures, row, !self.has_printed),
                MetricsFormat::Table => text += &format_line(columns, row, self.is_executed, self.widths),
            }
            self.has_printed = true;
        }
        self.last_step = rows.last().map(|row| row.step).max(self.last_step);
        text
    }

    /// Text after the last measurement, such as the rule below a table.
    pub fn format_tail(&self, record: &Record) -> String {
        match self.format {
            MetricsFormat::Json => record.json_tail(!self.has_printed),
            // A text without measurements still has its heading.
            format if !self.has_printed => format_heading(
                format,
                &list_columns(&self.measures, std::iter::empty::<&Measurement>()),
                self.widths,
            ),
            MetricsFormat::Csv => String::new(),
            MetricsFormat::Table => {
                // A resumed run may have no further measurement and thus no columns.
                let usual = list_columns(&self.measures, std::iter::empty::<&Measurement>());
                format_rule('─', self.columns.as_deref().unwrap_or(&usual), self.widths)
            }
        }
    }
}

/// Columns that the format shows of a measurement: in a table not all further measures. All measurements of a
/// run have the same columns.
fn choose_columns(format: MetricsFormat, measures: &MeasureNames, row: &Measurement) -> Vec<MetricColumn> {
    let all = list_columns(measures, std::iter::once(row));
    // A table line has to fit the screen, so most further measures are only in files.
    let is_short = |column: &MetricColumn| {
        let further = column.further.and_then(|which| measures.further_measures.get(which));
        further.is_none_or(|measure| TABLE_MEASURES.contains(&measure.slug))
    };
    if format == MetricsFormat::Table { all.into_iter().filter(is_short).collect() } else { all }
}

/// First line of a table or of CSV with the names of the columns; empty in JSON.
fn format_heading(format: MetricsFormat, columns: &[MetricColumn], widths: (usize, usize)) -> String {
    match format {
        MetricsFormat::Csv => format_csv_header(columns),
        MetricsFormat::Json => String::new(),
        MetricsFormat::Table => {
            let names = columns.iter().map(|column| column.key.clone());
            align_cells("step".into(), names, fit_widths(columns, widths))
                + &format_rule('═', columns, widths)
        }
    }
}

/// Width in characters of the table column of steps and of each other column, widened to the longest column
/// name; `first` and `width` are the smallest widths.
fn fit_widths(columns: &[MetricColumn], (first, width): (usize, usize)) -> (usize, usize) {
    let names = columns.iter().map(|column| column.key.len());
    (first, names.chain([width, "train_accuracy".len()]).max().unwrap_or(width))
}

/// Indices, from 0, of the replicas that have diverged by a measurement of several replicas; of a single replica, the
/// values are shown as they are.
pub(super) fn diverged_of_several(row: &Measurement, is_executed: bool) -> Vec<usize> {
    if row.test_loss.len() > 1 { diverged_replicas(row, is_executed) } else { vec![] }
}

/// Table line of one measurement: the value of a single replica, or the median with the range over the replicas that
/// have not diverged, and the number of those that have.
fn format_line(
    columns: &[MetricColumn],
    row: &Measurement,
    is_executed: bool,
    widths: (usize, usize),
) -> String {
    let cell = |values: &[f32]| {
        let (middle, low, high) = median_range(values);
        if values.len() == 1 {
            format!("{middle:.6}")
        } else {
            format!("{middle:.4} ({low:.4} to {high:.4})")
        }
    };
    let diverged = diverged_of_several(row, is_executed);
    let cells = columns.iter().map(|column| cell(&without_diverged(&column.values(row), &diverged)));
    let line = align_cells(row.step.to_string(), cells, fit_widths(columns, widths));
    match diverged.len() {
        0 => line,
        lost => format!("{}  diverged networks: {lost}\n", line.trim_end_matches('\n')),
    }
}

/// Table line with right-aligned cells: the training step, `first` characters wide, then each other cell,
/// `width` characters wide.
fn align_cells(step: String, cells: impl Iterator<Item = String>, (first, width): (usize, usize)) -> String {
    let cells: String = cells.map(|cell| format!("  {cell:>width$}")).collect();
    format!("{step:>first$}{cells}\n")
}

/// Horizontal rule as wide as the table, drawn with the character `letter`.
fn format_rule(letter: char, columns: &[MetricColumn], widths: (usize, usize)) -> String {
    let (first, width) = fit_widths(columns, widths);
    let length = first + columns.len() * (2 + width);
    std::iter::repeat_n(letter, length).chain(['\n']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_science::markov::ChainMeasure;

    fn row(step: u64) -> Measurement {
        let of = |x: f32| vec![x, 2.0 * x, 4.0 * x];
        Measurement {
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
        let rows: Vec<Measurement> = (0..5).map(|i| row(i * 250)).collect();
        let record = Record { solved: vec![None; 3], rows: rows.clone(), ..Record::default() };
        for format in [MetricsFormat::Csv, MetricsFormat::Json, MetricsFormat::Table] {
            let mut spec = RunSpec::default();
            (spec.run.steps, spec.run.replicas) = (1000, 3);
            let fresh = || MeasurementPrinter::new(format, NameVersion::New, &spec);
            let mut whole = fresh();
            let whole =
                whole.format_head(&record) + &whole.format_measurements(&rows) + &whole.format_tail(&record);
            let mut parts = fresh();
            let mut text = parts.format_head(&record);
            rows.chunks(2).for_each(|rows| text += &parts.format_measurements(rows));
            assert_eq!(text + &parts.format_tail(&record), whole);
            let mut begun = fresh();
            let text = begun.format_head(&record) + &begun.format_measurements(&rows[..3]);
            let mut rest = fresh();
            rest.resume_after(begun.last_step().unwrap());
            assert_eq!(
                text + &rest.format_measurements(&rows[2..]) + &rest.format_tail(&record),
                whole,
                "{format:?}"
            );
            match format {
                MetricsFormat::Csv => {
                    let table = vivarium_view::record::format_csv(&MeasureNames::default(), rows.iter());
                    assert_eq!(whole, record.csv_preamble() + &table);
                }
                MetricsFormat::Json => assert_eq!(whole, record.to_json()),
                MetricsFormat::Table => {
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
            let rows = MeasurementPrinter::new(format, NameVersion::New, &RunSpec::default());
            rows.format_head(&record) + &rows.format_tail(&record)
        };
        let table =
            vivarium_view::record::format_csv(&MeasureNames::default(), std::iter::empty::<&Measurement>());
        assert_eq!(text(MetricsFormat::Csv), record.csv_preamble() + &table);
        assert_eq!(text(MetricsFormat::Json), record.to_json());
        assert_eq!(text(MetricsFormat::Table).lines().count(), 2);
    }

    #[test]
    fn a_table_is_as_wide_as_medians_and_ranges_need() {
        let lengths = |replicas: usize| {
            let mut spec = RunSpec::default();
            (spec.run.steps, spec.run.replicas) = (1000, replicas);
            let text = MeasurementPrinter::new(MetricsFormat::Table, NameVersion::New, &spec)
                .format_tail(&Record::default());
            text.lines().map(|line| line.chars().count()).collect::<Vec<_>>()
        };
        // Four digits of a step, then four columns behind two spaces: as wide as "train_accuracy", or as a range.
        assert_eq!(lengths(1), [4 + 4 * (2 + 14); 2]);
        assert_eq!(lengths(2), [4 + 4 * (2 + 25); 2]);
    }

    #[test]
    fn a_table_has_few_of_the_further_measures_and_a_file_all() {
        let measures = MeasureNames { further_measures: ChainMeasure::OPTIONS, ..MeasureNames::default() };
        let judged =
            Measurement { measures: ChainMeasure::ALL.iter().map(|_| vec![0.5; 3]).collect(), ..row(0) };
        let names = |format: MetricsFormat| {
            choose_columns(format, &measures, &judged)
                .into_iter()
                .map(|column| column.key)
                .collect::<Vec<_>>()
        };
        let usual = "train_loss, train_accuracy, test_loss, test_accuracy";
        assert_eq!(names(MetricsFormat::Table).join(", "), format!("{usual}, previous, induction"));
        let strategies = "uniform, unigram, bigram, trigram, tetragram";
        let chains = "on_dirichlet, on_iid, on_ds";
        assert_eq!(
            names(MetricsFormat::Csv).join(", "),
            format!("{usual}, {strategies}, previous, induction, {chains}")
        );
    }

    /// `--names old` prints exactly what the previous version printed.
    #[test]
    fn old_names_are_those_of_the_version_before() {
        let spec = vivarium_model::permalink::decode("#v1/markov").0.spec;
        let mut judged = row(0);
        judged.measures = ChainMeasure::ALL.iter().map(|_| vec![]).collect();
        judged.measures[ChainMeasure::OnIndependent as usize] = vec![0.5; 3];
        let record = Record { link: vivarium_model::permalink::Link::from_spec(spec), ..Record::default() };
        let text = |format, names| {
            let mut rows = MeasurementPrinter::new(format, names, &record.link.spec);
            rows.format_head(&record)
                + &rows.format_measurements(&[judged.clone()])
                + &rows.format_tail(&record)
        };
        let csv = text(MetricsFormat::Csv, NameVersion::Old);
        let four = "train_loss,train_accuracy,test_loss,test_accuracy";
        assert!(csv.starts_with(&format!("step,replica,{four},on_iid\n0,0,0.1,")), "{csv}");
        let json = text(MetricsFormat::Json, NameVersion::Old);
        assert!(json.starts_with("{\n\"format\":\"vivarium-run\",\n\"version\":1,\n\"link\""), "{json}");
        assert!(json.contains("\"test_loss\":[0.5,") && json.contains("\"on-iid\":[0.5,"), "{json}");
        let csv = text(MetricsFormat::Csv, NameVersion::New);
        assert!(csv.starts_with("# program: \n# link: #v1/markov\n# settings.lab: markov\n"), "{csv}");
        let four = "train_cross_entropy,train_accuracy,kl_to_truth,share_of_bigram";
        assert!(csv.contains(&format!("\nstep,replica,{four},kl_to_truth_on_iid\n0,0,0.1,")), "{csv}");
    }
}
