//! Files of a run: measurements as CSV, settings and measurements as JSON, a command line and a PyTorch script that
//! repeat the experiment, and the header of a file of weights.
//!
//! Page and command line write and read the same bytes. What is read is checked, and each error is a sentence; a file
//! with an error is refused as a whole.
//!
//! ```
//! use vivarium_model::permalink::decode;
//! use vivarium_view::record::Record;
//! let (link, _) = decode("#v1/sparse-parity?n=20");
//! let record = Record { link, solved: vec![None], ..Default::default() };
//! assert_eq!(Record::parse(record.to_json().as_bytes()).unwrap(), record);
//! assert!(Record::parse(b"{}").unwrap_err().to_string().contains("not a run"));
//! ```
//!
//! # Why
//! The link is the run: it alone is read back. The settings stand beside it by name for programs that know no links,
//! and a file whose settings are not those of its link is refused.
//! There is no date, so that the same run is the same file. JSON is written by hand: a line for each measurement, so that two
//! runs can be compared line by line, the shortest digits that give the same `f32` again, and no serialiser in the page.
//! `serde_json` has other digits below 10⁻⁴ and from 10¹³ on (`1e+13`), and a run that goes on compares its file as text.
//! How the run ended stands behind the measurements, so that they can be written as they are made.
//!
#![doc = include_str!("README.md")]

pub mod bench;
mod csv;
pub mod dataset;
mod error;
mod file;
mod fits;
pub mod head;
pub mod preamble;
mod read;
pub mod reading;
pub mod saved;
pub mod spreadsheet;
pub mod torch;
mod values;
pub mod weights;

#[cfg(test)]
mod edge_tests;
#[cfg(test)]
mod mutation_tests;
#[cfg(test)]
mod naming_tests;
#[cfg(test)]
mod tests;

pub use csv::{
    MetricColumn, RunRows, RunTable, format_csv, format_csv_header, format_csv_lines, format_runs_csv,
    format_tables, list_columns, quote_csv_field,
};
pub use error::FileError;
pub use file::RunFile;

use dataset::TableChoices;
use vivarium_model::permalink::{Link, encode};
use vivarium_model::protocol::{EndReason, Measurement};
use vivarium_model::tasks::MeasureNames;

/// Value of the field "format" in a run's JSON file, which identifies files of this program.
pub const FORMAT: &str = "vivarium-run";

/// Version of the JSON format that is written. Files of this version and of earlier versions can be read. Since version
/// 2 each task [names its own measures](vivarium_model::tasks::measures).
pub const VERSION: u64 = 2;

/// Previous version of the JSON format, which is still written with `--names old`.
const EARLIER_VERSION: u64 = 1;

/// Program, device and files with which a run was trained.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrainingEnvironment {
    /// Name and version of the program that trained the run.
    pub program: String,
    /// User interface that trained the run: "page" for the web page, "lab" for the command line.
    pub frontend: String,
    /// Name of the device on which the run was trained: "CPU", "WebGPU: Apple M2".
    pub device: String,
    /// Name of the learner (the code that computed the training steps): "fused kernels".
    pub learner: String,
    /// Browser or operating system, as it describes itself; empty if unknown.
    pub system: String,
    /// File with the initial weights; empty if the link determines the weights.
    pub weights_file: String,
    /// Description of the file with the initial weights: its run, step and checksum.
    pub weights_description: String,
}

/// Keys in a JSON file of the fields of [`TrainingEnvironment`], in the order in which that struct declares the fields.
const ENVIRONMENT_KEYS: [&str; 7] =
    ["program", "front", "device", "learner", "system", "weights", "weights_of"];

impl TrainingEnvironment {
    /// Texts of all fields of the environment, in the order of [`ENVIRONMENT_KEYS`].
    fn values(&self) -> [&String; ENVIRONMENT_KEYS.len()] {
        [
            &self.program,
            &self.frontend,
            &self.device,
            &self.learner,
            &self.system,
            &self.weights_file,
            &self.weights_description,
        ]
    }

    /// Name and version of this program, as files state them.
    pub fn program() -> String {
        format!("Vivarium {}", env!("CARGO_PKG_VERSION"))
    }
}

/// A run or sweep with its measurements, as stored in files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record {
    /// Settings of the run and of its display.
    pub link: Link,
    /// Program and device that trained the run.
    pub environment: TrainingEnvironment,
    /// Training steps that the run had completed when the file was written.
    pub step: u64,
    /// Reason why the run ended; `None` while it can continue.
    pub ending: Option<EndReason>,
    /// Number of held-out examples used in measurements during the run; 0 means the number in the link.
    pub held_out: usize,
    /// For each replica, the step at which it reached the target, `None` if it did not; empty for a sweep.
    pub solved: Vec<Option<u64>>,
    /// Measurements of the run at increasing training steps; empty for a sweep.
    pub rows: Vec<Measurement>,
    /// For each finished run of a sweep, in order, the step at which each replica reached the target, `None` if it did
    /// not; empty for a single run.
    pub times: Vec<Vec<Option<u64>>>,
}

/// Names in JSON files, which never change, of the reasons why a run ended.
const ENDING_NAMES: [(EndReason, &str); 3] =
    [(EndReason::Target, "target"), (EndReason::LastStep, "last-step"), (EndReason::Diverged, "diverged")];

/// Formats a text as a JSON string, with quotation marks and escapes.
pub fn quote_json(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Formats numbers as a JSON array, with null for those that are not finite.
fn format_numbers(values: &[f32]) -> String {
    let number = |v: &f32| if v.is_finite() { format!("{v:?}") } else { "null".into() };
    format!("[{}]", values.iter().map(number).collect::<Vec<_>>().join(","))
}

/// Formats steps at which replicas reached the target as a JSON array, with null for replicas that have not reached it.
fn format_steps(values: &[Option<u64>]) -> String {
    let step = |v: &Option<u64>| v.map_or("null".into(), |step| step.to_string());
    format!("[{}]", values.iter().map(step).collect::<Vec<_>>().join(","))
}

impl Record {
    /// Formats the whole JSON file of the run: head, measurements and tail.
    pub fn to_json(&self) -> String {
        let measures = self.link.spec.measure_names();
        let rows = self.rows.iter().enumerate().map(|(at, row)| json_row(&measures, row, at == 0));
        let rows: String = rows.collect();
        self.json_head() + &rows + &self.json_tail(self.rows.is_empty())
    }

    /// Formats the JSON text before the first measurement: everything known when the run begins.
    pub fn json_head(&self) -> String {
        self.format_json_head(VERSION, self.json_preamble())
    }

    /// Formats the JSON text before the first measurement in the previous format version.
    pub fn earlier_json_head(&self) -> String {
        self.format_json_head(EARLIER_VERSION, vec![])
    }

    /// Formats the JSON text before the first measurement in format version `version`; `preamble` holds further fields
    /// as lines.
    fn format_json_head(&self, version: u64, preamble: Vec<String>) -> String {
        let words = ENVIRONMENT_KEYS.into_iter().zip(self.environment.values());
        // Of most runs the link says all about the weights.
        let words = words.filter(|(key, text)| !key.starts_with("weights") || !text.is_empty());
        let environment: Vec<String> =
            words.map(|(key, text)| format!("{}:{}", quote_json(key), quote_json(text))).collect();
        let mut lines = vec![
            format!("\"format\":{}", quote_json(FORMAT)),
            format!("\"version\":{version}"),
            self.json_link(),
            self.json_settings(),
            format!("\"environment\":{{{}}}", environment.join(",")),
            self.json_held_out(),
        ];
        lines.extend(preamble);
        if !self.times.is_empty() {
            let times: Vec<String> = self.times.iter().map(|times| format_steps(times)).collect();
            lines.push(format!("\"times\":[\n{}\n]", times.join(",\n")));
            let fits = fits::format_power_laws(self);
            if !fits.is_empty() {
                lines.push(format!("\"fits\":[\n{}\n]", fits.join(",\n")));
            }
        }
        lines.push("\"rows\":[".into());
        format!("{{\n{}", lines.join(",\n"))
    }

    /// Formats the JSON text after the last measurement: how the run ended. `is_empty` says that the file has no
    /// measurements.
    pub fn json_tail(&self, is_empty: bool) -> String {
        let ending = ENDING_NAMES.iter().find(|(ending, _)| Some(*ending) == self.ending);
        let ending = ending.map_or("null".to_string(), |(_, word)| quote_json(word));
        let lines = [
            if is_empty { "]".to_string() } else { "\n]".to_string() },
            format!("\"step\":{}", self.step),
            format!("\"ending\":{ending}"),
            format!("\"solved\":{}", format_steps(&self.solved)),
        ];
        format!("{}\n}}\n", lines.join(",\n"))
    }

    /// File name of the run without extension: lab, model, seed and step.
    pub fn file_stem(&self) -> String {
        let spec = &self.link.spec;
        let sweep = if spec.run.sweep.is_empty() { "" } else { "-sweep" };
        let (task, model) = (spec.task.info().slug, spec.model.info().slug);
        format!("{task}-{model}-seed{}{sweep}-step{}", spec.run.seed, self.step)
    }

    /// Shell command that repeats the run, in the command prompt of Windows, in PowerShell and in POSIX shells.
    ///
    /// On the same device the numbers agree exactly. If the page measures fewer examples, the command does too. A run from
    /// weights of a file needs this file.
    pub fn command(&self) -> String {
        self.command_on_table(None)
    }

    /// Shell command that repeats the run as [`Record::command`] does, with the file of its table, if it has one.
    pub fn command_on_table(&self, table: Option<&CommandTable>) -> String {
        let link = encode(&Link::from_spec(self.link.spec.clone()));
        let table = table.map(CommandTable::arguments).unwrap_or_default();
        let fewer = (self.held_out > 0 && self.held_out < self.link.spec.held_out_count())
            .then(|| format!(" --held-out {}", self.held_out));
        let weights = Some(&self.environment.weights_file).filter(|file| !file.is_empty());
        let weights = weights.map(|file| format!(" --weights {}", quote_argument(file))).unwrap_or_default();
        format!("lab run {}{table}{weights}{}", quote_argument(&link), fewer.unwrap_or_default())
    }

    /// Python statements, in one line, that repeat the run, or all runs of a sweep, with the package `vivarium`.
    ///
    /// The package has no run from the initial weights of a file; a comment says so.
    pub fn python_code(&self) -> String {
        self.python_code_on_table(None)
    }

    /// Python statements that repeat the run as [`Record::python_code`] does, with the file of its table, if it has one.
    pub fn python_code_on_table(&self, table: Option<&CommandTable>) -> String {
        let spec = &self.link.spec;
        let table = table
            .map(|table| format!(", table={}, label={}", quote_json(&table.file), quote_json(&table.label)));
        let table = table.unwrap_or_default();
        // A JSON string is also a string of Python.
        let link = quote_json(&encode(&Link::from_spec(spec.clone())));
        let mut code = match spec.run.sweep.is_empty() {
            true => {
                let fewer = (self.held_out > 0 && self.held_out < spec.held_out_count())
                    .then(|| format!(", held_out={}", self.held_out));
                let options = fewer.unwrap_or_default();
                format!("import vivarium; run = vivarium.run({link}{table}{options}); run.finish()")
            }
            false => format!("import vivarium; sweep = vivarium.sweep({link}{table}); print(sweep)"),
        };
        let weights = preamble::file_name(&self.environment.weights_file);
        if !weights.is_empty() {
            // A line break would end the comment.
            code += &format!("  # without the initial weights of {}", weights.replace(['\n', '\r'], " "));
        }
        code
    }
}

/// Formats one measurement as a line of the JSON file, after a line break and, except for the first, a comma.
pub fn json_row(measures: &MeasureNames, row: &Measurement, is_first: bool) -> String {
    let end_of_line = if is_first { "\n" } else { ",\n" };
    let four = [&row.train_loss, &row.train_accuracy, &row.test_loss, &row.test_accuracy];
    let mut parts = vec![format!("\"step\":{}", row.step)];
    let field = |name: &str, values: &[f32]| format!("\"{name}\":{}", format_numbers(values));
    parts.extend(measures.names.iter().zip(four).map(|(name, values)| field(name, values)));
    if !row.margin.is_empty() {
        parts.push(field(MARGIN, &row.margin));
        let largest = measures.largest_margin;
        parts.extend(largest.map(|largest| field(MARGIN_OVER_MAX, &divide_by_max(&row.margin, largest))));
    }
    let further = row.measures.iter().enumerate().filter(|(_, values)| !values.is_empty());
    let further: Vec<String> =
        further.map(|(which, values)| field(measures.json_name(which), values)).collect();
    if !row.measures.is_empty() {
        parts.push(format!("\"measures\":{{{}}}", further.join(",")));
    }
    format!("{end_of_line}{{{}}}", parts.join(","))
}

/// Key in CSV and JSON files of the normalised margin of each replica.
const MARGIN: &str = "margin";
/// Key in CSV and JSON of the normalised margin divided by the largest possible margin.
const MARGIN_OVER_MAX: &str = "margin_over_max";

/// Divides each replica's margin by the largest possible margin `largest`.
fn divide_by_max(margins: &[f32], largest: f64) -> Vec<f32> {
    margins.iter().map(|margin| (f64::from(*margin) / largest) as f32).collect()
}

/// File of a run's table, as a command names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandTable {
    /// Name of the CSV file, without folders.
    pub file: String,
    /// Name of the label column.
    pub label: String,
    /// Choices by which the file was read.
    pub choices: TableChoices,
}

impl CommandTable {
    /// Arguments of the command line for this table, with a blank before each.
    fn arguments(&self) -> String {
        let header = match self.choices.has_header {
            None => "",
            Some(true) => " --header yes",
            Some(false) => " --header no",
        };
        let counters = if self.choices.keeps_counters { " --row-numbers" } else { "" };
        let (file, label) = (quote_argument(&self.file), quote_argument(&self.label));
        format!(" --table {file} --label {label}{header}{counters}")
    }
}

/// Quotes a text as one argument of the command prompt of Windows, of PowerShell and of POSIX shells alike: in double
/// quotation marks. A text with a sign that one of these shells expands there is quoted for POSIX shells.
pub fn quote_argument(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.into();
    }
    match text.contains(['"', '$', '`', '!']) || text.ends_with('\\') || text.contains("\\\\") {
        true => quote_shell(text),
        false => format!("\"{text}\""),
    }
}

/// Quotes a text as one word of a POSIX shell.
pub fn quote_shell(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.into();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
