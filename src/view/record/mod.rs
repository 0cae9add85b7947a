//! A run as files: what it measured as CSV, all of it as JSON, the command line and the PyTorch script that state the
//! same experiment, and what a file of weights says of itself.
//!
//! Page and command line write and read the same bytes. What is read is checked, and each flaw is a sentence; nothing
//! is taken of a file that has one.
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

pub use csv::{Column, RunRows, columns, csv, csv_field, csv_head, csv_lines, csv_of_runs};
pub use error::FileError;
pub use file::File;

use vivarium_model::permalink::{Link, encode};
use vivarium_model::protocol::{Ending, Row};
use vivarium_model::tasks::Measures;

/// The name of our file format; files of other programs do not have it.
pub const FORMAT: &str = "vivarium-run";

/// The version of the format that is written. Files of this version and of earlier versions can be read. Since version 2 a
/// task [names its measures](vivarium_model::tasks::measures).
pub const VERSION: u64 = 2;

/// The version whose names are still written on request, by `--names old`.
const EARLIER: u64 = 1;

/// Where a run was trained.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment {
    /// The program and its version.
    pub program: String,
    /// "page" or "lab".
    pub front: String,
    /// The device: "CPU", "WebGPU: Apple M2".
    pub device: String,
    /// The learner that trained the run: "fused kernels".
    pub learner: String,
    /// The name that the browser or the system gives itself; empty if the name is not known.
    pub system: String,
    /// The file with the initial weights; empty if the weights are those that the link draws.
    pub weights: String,
    /// What this file is: its run and step, and its checksum.
    pub weights_of: String,
}

/// The keys of an [`Environment`] in a file, in the order of its fields.
const ABOUT: [&str; 7] = ["program", "front", "device", "learner", "system", "weights", "weights_of"];

impl Environment {
    /// The words behind [`ABOUT`].
    fn words(&self) -> [&String; ABOUT.len()] {
        [
            &self.program,
            &self.front,
            &self.device,
            &self.learner,
            &self.system,
            &self.weights,
            &self.weights_of,
        ]
    }

    /// The name and version of this program.
    pub fn program() -> String {
        format!("Vivarium {}", env!("CARGO_PKG_VERSION"))
    }
}

/// A run, or a sweep of several, with what was measured of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record {
    /// The run and how it is shown.
    pub link: Link,
    /// Where it was trained.
    pub environment: Environment,
    /// Steps made.
    pub step: u64,
    /// Why it ended, if it has.
    pub ending: Option<Ending>,
    /// Number of held-out examples in measurements during the run; 0 means the number in the link.
    pub held_out: usize,
    /// For each replica, the step at which it reached the target; empty for a sweep.
    pub solved: Vec<Option<u64>>,
    /// Measurements in rising order of steps; none of a sweep.
    pub rows: Vec<Row>,
    /// For each run of a sweep that has ended, in their order, the steps at which its replicas reached the target.
    pub times: Vec<Vec<Option<u64>>>,
}

/// Words for the endings, for ever.
const ENDINGS: [(Ending, &str); 3] =
    [(Ending::Target, "target"), (Ending::LastStep, "last-step"), (Ending::Diverged, "diverged")];

/// A JSON string.
fn quoted(text: &str) -> String {
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

/// Numbers as a JSON array; one that is not finite is null.
fn numbers(values: &[f32]) -> String {
    let number = |v: &f32| if v.is_finite() { format!("{v:?}") } else { "null".into() };
    format!("[{}]", values.iter().map(number).collect::<Vec<_>>().join(","))
}

/// Steps as a JSON array; none is null.
fn steps(values: &[Option<u64>]) -> String {
    let step = |v: &Option<u64>| v.map_or("null".into(), |step| step.to_string());
    format!("[{}]", values.iter().map(step).collect::<Vec<_>>().join(","))
}

impl Record {
    /// The text of the file.
    pub fn to_json(&self) -> String {
        let measures = self.link.spec.measures();
        let rows = self.rows.iter().enumerate().map(|(at, row)| json_row(&measures, row, at == 0));
        let rows: String = rows.collect();
        self.json_head() + &rows + &self.json_tail(self.rows.is_empty())
    }

    /// The text up to the first measurement: all that is known when a run begins.
    pub fn json_head(&self) -> String {
        self.head(VERSION, self.json_preamble())
    }

    /// The same as the version before wrote it.
    pub fn earlier_json_head(&self) -> String {
        self.head(EARLIER, vec![])
    }

    fn head(&self, version: u64, preamble: Vec<String>) -> String {
        let words = ABOUT.into_iter().zip(self.environment.words());
        // Of most runs the link says all about the weights.
        let words = words.filter(|(key, text)| !key.starts_with("weights") || !text.is_empty());
        let environment: Vec<String> =
            words.map(|(key, text)| format!("{}:{}", quoted(key), quoted(text))).collect();
        let mut lines = vec![
            format!("\"format\":{}", quoted(FORMAT)),
            format!("\"version\":{version}"),
            self.json_link(),
            self.json_settings(),
            format!("\"environment\":{{{}}}", environment.join(",")),
            self.json_held_out(),
        ];
        lines.extend(preamble);
        if !self.times.is_empty() {
            let times: Vec<String> = self.times.iter().map(|times| steps(times)).collect();
            lines.push(format!("\"times\":[\n{}\n]", times.join(",\n")));
            let fits = fits::json(self);
            if !fits.is_empty() {
                lines.push(format!("\"fits\":[\n{}\n]", fits.join(",\n")));
            }
        }
        lines.push("\"rows\":[".into());
        format!("{{\n{}", lines.join(",\n"))
    }

    /// The text behind the last measurement, or behind the head where there is none: how the run ended.
    pub fn json_tail(&self, is_empty: bool) -> String {
        let ending = ENDINGS.iter().find(|(ending, _)| Some(*ending) == self.ending);
        let ending = ending.map_or("null".to_string(), |(_, word)| quoted(word));
        let lines = [
            if is_empty { "]".to_string() } else { "\n]".to_string() },
            format!("\"step\":{}", self.step),
            format!("\"ending\":{ending}"),
            format!("\"solved\":{}", steps(&self.solved)),
        ];
        format!("{}\n}}\n", lines.join(",\n"))
    }

    /// What a file of this run is called, without its ending: the lab, the model and the step.
    pub fn name(&self) -> String {
        let spec = &self.link.spec;
        let sweep = if spec.run.sweep.is_empty() { "" } else { "-sweep" };
        let (task, model) = (spec.task.info().slug, spec.model.info().slug);
        format!("{task}-{model}-seed{}{sweep}-step{}", spec.run.seed, self.step)
    }

    /// The command that makes the same run, in a shell of a POSIX system.
    ///
    /// On the same device the numbers agree exactly. If the page measures fewer examples, the command does too. A run from
    /// weights of a file needs this file.
    pub fn command(&self) -> String {
        let link = encode(&Link::of(self.link.spec.clone()));
        let fewer = (self.held_out > 0 && self.held_out < self.link.spec.held_out())
            .then(|| format!(" --held-out {}", self.held_out));
        let weights = Some(&self.environment.weights).filter(|file| !file.is_empty());
        let weights = weights.map(|file| format!(" --weights {}", shell(file)));
        format!("lab run {}{}{}", shell(&link), weights.unwrap_or_default(), fewer.unwrap_or_default())
    }
}

/// One measurement as a line of the file, behind the head or the line before it.
pub fn json_row(measures: &Measures, row: &Row, is_first: bool) -> String {
    let end_of_line = if is_first { "\n" } else { ",\n" };
    let four = [&row.train_loss, &row.train_accuracy, &row.test_loss, &row.test_accuracy];
    let mut parts = vec![format!("\"step\":{}", row.step)];
    let field = |name: &str, values: &[f32]| format!("\"{name}\":{}", numbers(values));
    parts.extend(measures.names.iter().zip(four).map(|(name, values)| field(name, values)));
    if !row.margin.is_empty() {
        parts.push(field(MARGIN, &row.margin));
        let largest = measures.largest_margin;
        parts.extend(largest.map(|largest| field(MARGIN_OVER_MAX, &over_max(&row.margin, largest))));
    }
    let further = row.measures.iter().enumerate().filter(|(_, values)| !values.is_empty());
    let further: Vec<String> = further.map(|(which, values)| field(measures.field(which), values)).collect();
    if !row.measures.is_empty() {
        parts.push(format!("\"measures\":{{{}}}", further.join(",")));
    }
    format!("{end_of_line}{{{}}}", parts.join(","))
}

/// Name of the margin.
const MARGIN: &str = "margin";
/// Name of the margin divided by the largest one.
const MARGIN_OVER_MAX: &str = "margin_over_max";

/// Margins divided by the largest one.
fn over_max(margins: &[f32], largest: f64) -> Vec<f32> {
    margins.iter().map(|margin| (f64::from(*margin) / largest) as f32).collect()
}

/// `text` as one word of a POSIX shell.
pub fn shell(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.into();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
