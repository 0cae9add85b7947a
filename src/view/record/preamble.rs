//! Description of the run at the beginning of a file of numbers: program, link, all settings, the relevant set, the
//! resolution of t_c and the file of the initial weights, if there is one. In CSV these are lines that begin with #, in
//! JSON fields of the head.
//!
//! # Why
//! A table that was found again after a year says where it comes from, and who reads it in a notebook needs no links:
//! each setting stands there by its key, also where it is a default. A reader skips the lines with one option, such as
//! `comment='#'` in pandas.

use super::{Record, TrainingEnvironment, quote_json};
use vivarium_model::permalink::encode;
use vivarium_model::run::{MODEL_KEY, OPTIMIZER_KEY, RunSpec};

/// Key of the lab's slug among the settings in a file.
pub(super) const LAB_KEY: &str = "lab";

/// Key, in CSV comments and JSON, of the name and description of the file with the initial weights.
const INITIAL_WEIGHTS: &str = "initial_weights";

/// Key, in CSV comments and JSON, of the number of measurements of the run from one in the file to the next; only in files
/// that lack measurements of the run.
const MEASUREMENT_STRIDE: &str = "measurement_stride";

/// Input coordinates that determine the label, counted from 1; empty if all coordinates matter equally.
pub fn relevant_numbers(spec: &RunSpec) -> Vec<usize> {
    spec.task.examples().relevant(spec.run.seed).into_iter().map(|at| at + 1).collect()
}

/// All settings of a run as (key, value as in a link); lab, model and optimizer come first.
pub fn list_settings(spec: &RunSpec) -> Vec<(&'static str, String)> {
    let keys = [MODEL_KEY, OPTIMIZER_KEY]
        .into_iter()
        .chain(spec.settings().into_iter().map(|(_, setting)| setting.key));
    let settings = keys.filter_map(|key| Some((key, spec.value(key)?.to_string())));
    std::iter::once((LAB_KEY, spec.task.info().slug.to_string())).chain(settings).collect()
}

/// Escapes backslashes and line breaks in a text, so that it fits on one line.
fn join_lines(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

/// Formats one comment line of a CSV file: "# key: value".
fn format_line(key: &str, value: &str) -> String {
    format!("# {key}: {}\n", join_lines(value))
}

/// Formats whole numbers (such as input coordinates) as a JSON array.
pub(super) fn format_list(numbers: &[usize]) -> String {
    format!("[{}]", numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(","))
}

/// Formats the comment lines on a run: program, link, settings, relevant coordinates, and the resolution of t_c (the
/// step of reaching the target), which is the number of steps between measurements. `relevant` is `None` if the runs of
/// a sweep differ in it.
pub fn format_run_lines(program: &str, link: &str, spec: &RunSpec, relevant: Option<&[usize]>) -> String {
    format_stride_lines(program, link, spec, relevant, 1)
}

/// Formats the comment lines of [`format_run_lines`] for a table in which `stride` measurements of the run are one line
/// further on. A step of reaching the target that is read from the table has the resolution of the table.
fn format_stride_lines(
    program: &str,
    link: &str,
    spec: &RunSpec,
    relevant: Option<&[usize]>,
    stride: u64,
) -> String {
    let mut text = format_line("program", program) + &format_line("link", link);
    for (key, value) in list_settings(spec) {
        text += &format_line(&format!("settings.{key}"), &value);
    }
    if let Some(relevant) = relevant.filter(|relevant| !relevant.is_empty()) {
        text += &format_line("relevant", &format_list(relevant));
    }
    text += &format_line("t_c_resolution", &spec.run.every.saturating_mul(stride).to_string());
    if stride > 1 {
        text += &format_line(MEASUREMENT_STRIDE, &stride.to_string());
    }
    text
}

/// Number of measurements of a run that measures every `every` steps from one of the stored measurements to the next,
/// computed from the steps of the first two, ascending: 1 if all are stored.
pub fn measurement_stride(every: u64, mut steps: impl Iterator<Item = u64>) -> u64 {
    let (Some(first), Some(second)) = (steps.next(), steps.next()) else { return 1 };
    second.saturating_sub(first).div_ceil(every.max(1)).max(1)
}

/// Returns the last part of a file path, the file's name without its folders.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Parses name and description of the file with the initial weights from the comment lines of [`Record::csv_preamble`];
/// both are empty if no line states them.
pub fn parse_initial_weights<'a>(mut lines: impl Iterator<Item = &'a str>) -> [String; 2] {
    let begin = format!("# {INITIAL_WEIGHTS}: ");
    let text = lines.find_map(|line| line.strip_prefix(&begin)).unwrap_or_default();
    // A link has no spaces, so the name of the file ends here, whatever it contains.
    let checksum = text.rfind(", checksum ").unwrap_or(text.len());
    let step = text[..checksum].rfind(", step ").filter(|at| text[*at..checksum].contains(" of "));
    let end = step.unwrap_or(checksum);
    [&text[..end], text[end..].strip_prefix(", ").unwrap_or_default()].map(String::from)
}

impl Record {
    /// Formats the comment lines that precede the column names in CSV.
    pub fn csv_preamble(&self) -> String {
        let spec = &self.link.spec;
        let relevant =
            self.relevant_sets().filter(|sets| sets.len() == 1).map(|mut sets| sets.swap_remove(0));
        let (program, link) = (&self.environment.program, encode(&self.link));
        let lines = format_stride_lines(program, &link, spec, relevant.as_deref(), self.measurement_stride());
        let held_out = Some(self.held_out).filter(|held_out| *held_out > 0);
        let held_out = held_out.map(|held_out| format_line("held_out", &held_out.to_string()));
        let initial = self.describe_initial_weights().map(|initial| format_line(INITIAL_WEIGHTS, &initial));
        [Some(lines), held_out, initial].into_iter().flatten().collect()
    }

    /// Number of measurements of the run from one in `rows` to the next, as in [`measurement_stride`].
    fn measurement_stride(&self) -> u64 {
        measurement_stride(self.link.spec.run.every, self.rows.iter().map(|row| row.step))
    }

    /// File with the initial weights, without folders, and its description; `None` if the link determines the weights.
    fn describe_initial_weights(&self) -> Option<String> {
        let TrainingEnvironment { weights_file: weights, weights_description: weights_of, .. } =
            &self.environment;
        let parts = [file_name(weights), weights_of].into_iter().filter(|part| !part.is_empty());
        (!weights.is_empty()).then(|| parts.collect::<Vec<_>>().join(", "))
    }

    /// Formats the same facts as [`Record::csv_preamble`] as JSON fields, one text per field.
    pub fn json_about(&self) -> Vec<String> {
        let program = format!("\"program\":{}", quote_json(&self.environment.program));
        let mut fields = vec![program, self.json_link(), self.json_settings(), self.json_held_out()];
        let initial = self.describe_initial_weights();
        fields.extend(initial.map(|initial| format!("\"{INITIAL_WEIGHTS}\":{}", quote_json(&initial))));
        fields.extend(self.json_preamble());
        fields
    }

    /// The run's link as a JSON field: `"link": …`.
    pub(super) fn json_link(&self) -> String {
        format!("\"link\":{}", quote_json(&encode(&self.link)))
    }

    /// Number of held-out examples in measurements as a JSON field.
    pub(super) fn json_held_out(&self) -> String {
        format!("\"held_out\":{}", self.held_out)
    }

    /// Relevant input coordinates, counted from 1: one list if they are the same for all runs, else one list per run of
    /// the sweep. `None` if all coordinates matter equally.
    pub fn relevant_sets(&self) -> Option<Vec<Vec<usize>>> {
        let cells = vivarium_model::sweep::cells(&self.link.spec);
        let mut sets: Vec<Vec<usize>> = cells.iter().map(|cell| relevant_numbers(&cell.spec)).collect();
        if sets.is_empty() {
            sets.push(relevant_numbers(&self.link.spec));
        }
        if sets.iter().all(|set| *set == sets[0]) {
            sets.truncate(1);
        }
        sets.iter().any(|set| !set.is_empty()).then_some(sets)
    }

    /// JSON fields of the relevant input coordinates and of the resolution of t_c (steps between measurements of
    /// whether the target is reached).
    pub(super) fn json_preamble(&self) -> Vec<String> {
        let mut lines = vec![];
        if let Some(sets) = self.relevant_sets() {
            let all: Vec<String> = sets.iter().map(|set| format_list(set)).collect();
            let value = if all.len() == 1 { all.concat() } else { format!("[{}]", all.join(",")) };
            lines.push(format!("\"relevant\":{value}"));
        }
        // The steps in the field "solved" are those at which the training program measured.
        lines.push(format!("\"t_c_resolution\":{}", self.link.spec.run.every));
        let stride = self.measurement_stride();
        if stride > 1 {
            lines.push(format!("\"{MEASUREMENT_STRIDE}\":{stride}"));
        }
        lines
    }

    /// All settings of the run as one JSON field, an object of keys and values as in a link.
    pub(super) fn json_settings(&self) -> String {
        let settings = list_settings(&self.link.spec);
        let fields = settings.iter().map(|(key, value)| format!("{}:{}", quote_json(key), quote_json(value)));
        format!("\"settings\":{{{}}}", fields.collect::<Vec<_>>().join(","))
    }
}
