//! The measurements of a run as text, each as soon as it is there.
//!
//! # Why
//! A run of a million measurements must not need more memory than one of ten, and who stops it has what was measured.

use super::print::{Format, Names};
use vivarium_model::protocol::Row;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Measures;
use vivarium_plot::analysis::curves::spread;
use vivarium_view::record::{Column, Record, columns, csv_head, csv_lines, json_row};

/// Width of a number in a table, and of a median with its range.
const WIDTHS: [usize; 2] = [10, 25];

/// Further measures that stand in a table; the others are in files alone.
const IN_TABLE: [&str; 7] =
    ["previous", "induction", "distance", "corollary", "least-norm", "held-bound", "formula-bound"];

/// What has been printed of a run.
pub struct Rows {
    format: Format,
    /// Which names measures have.
    names: Names,
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
    pub fn new(format: Format, names: Names, spec: &RunSpec) -> Rows {
        let run = &spec.run;
        let widths = (run.steps.to_string().len().max(4), WIDTHS[usize::from(run.replicas > 1)]);
        let measures = match names {
            Names::New => spec.measures(),
            Names::Old => spec.measures().earlier(),
        };
        Rows { format, names, columns: None, widths, measures, begun: false, until: None }
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
        match (self.format, self.names) {
            (Format::Json, Names::New) => record.json_head(),
            (Format::Json, Names::Old) => record.earlier_json_head(),
            (Format::Csv, Names::New) => record.csv_preamble(),
            _ => String::new(),
        }
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
            Format::Table => {
                // A run that goes on after its last measurement prints no further one.
                let usual = columns(&self.measures, std::iter::empty());
                rule('─', self.columns.as_deref().unwrap_or(&usual), self.widths)
            }
        }
    }
}

/// The columns of this and all other measurements of a run.
fn shown(format: Format, measures: &Measures, row: &Row) -> Vec<Column> {
    let all = columns(measures, std::iter::once(row));
    // Most further measures are for programs: a line has to fit a screen.
    let is_short = |column: &Column| {
        let further = column.further.and_then(|which| measures.more.get(which));
        further.is_none_or(|measure| IN_TABLE.contains(&measure.slug))
    };
    if format == Format::Table { all.into_iter().filter(is_short).collect() } else { all }
}

fn heading(format: Format, columns: &[Column], widths: (usize, usize)) -> String {
    match format {
        Format::Csv => csv_head(columns),
        Format::Json => String::new(),
        Format::Table => {
            let names = columns.iter().map(|column| column.key.clone());
            aligned("step".into(), names, wide(columns, widths)) + &rule('═', columns, widths)
        }
    }
}

/// The widths with room for the names of the columns.
fn wide(columns: &[Column], (first, width): (usize, usize)) -> (usize, usize) {
    let names = columns.iter().map(|column| column.key.len());
    (first, names.chain([width, "train_accuracy".len()]).max().unwrap_or(width))
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
    let cells = columns.iter().map(|column| cell(&column.of(row)));
    aligned(row.step.to_string(), cells, wide(columns, widths))
}

fn aligned(step: String, cells: impl Iterator<Item = String>, (first, width): (usize, usize)) -> String {
    let cells: String = cells.map(|cell| format!("  {cell:>width$}")).collect();
    format!("{step:>first$}{cells}\n")
}

fn rule(sign: char, columns: &[Column], widths: (usize, usize)) -> String {
    let (first, width) = wide(columns, widths);
    let length = first + columns.len() * (2 + width);
    std::iter::repeat_n(sign, length).chain(['\n']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_science::markov::ChainMeasure;

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
            let fresh = || Rows::new(format, Names::New, &spec);
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
                Format::Csv => {
                    let table = vivarium_view::record::csv(&Measures::default(), rows.iter());
                    assert_eq!(whole, record.csv_preamble() + &table);
                }
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
            let rows = Rows::new(format, Names::New, &RunSpec::default());
            rows.head(&record) + &rows.tail(&record)
        };
        let table = vivarium_view::record::csv(&Measures::default(), std::iter::empty());
        assert_eq!(text(Format::Csv), record.csv_preamble() + &table);
        assert_eq!(text(Format::Json), record.to_json());
        assert_eq!(text(Format::Table).lines().count(), 2);
    }

    #[test]
    fn a_table_is_as_wide_as_medians_and_ranges_need() {
        let lengths = |replicas: usize| {
            let mut spec = RunSpec::default();
            (spec.run.steps, spec.run.replicas) = (1000, replicas);
            let text = Rows::new(Format::Table, Names::New, &spec).tail(&Record::default());
            text.lines().map(|line| line.chars().count()).collect::<Vec<_>>()
        };
        // Four digits of a step, then four columns behind two spaces: as wide as "train_accuracy", or as a range.
        assert_eq!(lengths(1), [4 + 4 * (2 + 14); 2]);
        assert_eq!(lengths(2), [4 + 4 * (2 + 25); 2]);
    }

    #[test]
    fn a_table_has_few_of_the_further_measures_and_a_file_all() {
        let measures = Measures { more: ChainMeasure::OPTIONS, ..Measures::default() };
        let judged = Row { measures: ChainMeasure::ALL.iter().map(|_| vec![0.5; 3]).collect(), ..row(0) };
        let names = |format: Format| {
            shown(format, &measures, &judged).into_iter().map(|column| column.key).collect::<Vec<_>>()
        };
        let usual = "train_loss, train_accuracy, test_loss, test_accuracy";
        assert_eq!(names(Format::Table).join(", "), format!("{usual}, previous, induction"));
        let strategies = "uniform, unigram, bigram, trigram, tetragram";
        let chains = "on_dirichlet, on_iid, on_ds";
        assert_eq!(
            names(Format::Csv).join(", "),
            format!("{usual}, {strategies}, previous, induction, {chains}")
        );
    }

    /// What `--names old` prints is what the version before printed.
    #[test]
    fn old_names_are_those_of_the_version_before() {
        let spec = vivarium_model::permalink::decode("#v1/markov").0.spec;
        let mut judged = row(0);
        judged.measures = ChainMeasure::ALL.iter().map(|_| vec![]).collect();
        judged.measures[ChainMeasure::OnIndependent as usize] = vec![0.5; 3];
        let record = Record { link: vivarium_model::permalink::Link::of(spec), ..Record::default() };
        let text = |format, names| {
            let mut rows = Rows::new(format, names, &record.link.spec);
            rows.head(&record) + &rows.lines(&[judged.clone()]) + &rows.tail(&record)
        };
        let csv = text(Format::Csv, Names::Old);
        let four = "train_loss,train_accuracy,test_loss,test_accuracy";
        assert!(csv.starts_with(&format!("step,replica,{four},on_iid\n0,0,0.1,")), "{csv}");
        let json = text(Format::Json, Names::Old);
        assert!(json.starts_with("{\n\"format\":\"vivarium-run\",\n\"version\":1,\n\"link\""), "{json}");
        assert!(json.contains("\"test_loss\":[0.5,") && json.contains("\"on-iid\":[0.5,"), "{json}");
        let csv = text(Format::Csv, Names::New);
        assert!(csv.starts_with("# program: \n# link: #v1/markov\n# settings.lab: markov\n"), "{csv}");
        let four = "train_cross_entropy,train_accuracy,kl_to_truth,share_of_bigram";
        assert!(csv.contains(&format!("\nstep,replica,{four},kl_to_truth_on_iid\n0,0,0.1,")), "{csv}");
    }
}
