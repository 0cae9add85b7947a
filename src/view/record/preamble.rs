//! What a file of numbers says of its run before the numbers: program, link, all settings, the relevant set, the resolution
//! of t_c and the file of the initial weights, if there is one. In CSV these are lines that begin with #, in JSON fields of
//! the head.
//!
//! # Why
//! A table that was found again after a year says where it comes from, and who reads it in a notebook needs no links:
//! each setting stands there by its key, also where it is a default. A reader skips the lines with one option, such as
//! `comment='#'` in pandas.

use super::{Environment, Record, quoted};
use vivarium_model::permalink::encode;
use vivarium_model::run::{MODEL_KEY, OPTIMIZER_KEY, RunSpec};

/// What names the task among the settings.
pub(super) const LAB_KEY: &str = "lab";

/// What names the initial weights that are not those of the link.
const INITIAL_WEIGHTS: &str = "initial_weights";

/// The numbers, from 1, of the input coordinates that the label depends on, which all replicas share; none where no
/// coordinate matters more than another.
pub fn relevant(spec: &RunSpec) -> Vec<usize> {
    spec.task.examples().relevant(spec.run.seed).into_iter().map(|at| at + 1).collect()
}

/// Every setting by its key, as text; the lab, the model and the optimizer come first.
pub fn settings(spec: &RunSpec) -> Vec<(&'static str, String)> {
    let keys =
        [MODEL_KEY, OPTIMIZER_KEY].into_iter().chain(spec.knobs().into_iter().map(|(_, knob)| knob.key));
    let settings = keys.filter_map(|key| Some((key, spec.value(key)?.to_string())));
    std::iter::once((LAB_KEY, spec.task.info().slug.to_string())).chain(settings).collect()
}

/// A text in one line.
fn in_one_line(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

/// A line of a preamble.
fn line(key: &str, value: &str) -> String {
    format!("# {key}: {}\n", in_one_line(value))
}

/// Numbers as in JSON.
pub(super) fn list(numbers: &[usize]) -> String {
    format!("[{}]", numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(","))
}

/// The lines about a run, its device aside: the same run has the same lines on every machine. `program` is what made the
/// measurements, and `link` its link; the relevant set is left out where it is said for each run of a sweep.
pub fn lines(program: &str, link: &str, spec: &RunSpec, relevant: Option<&[usize]>) -> String {
    let mut text = line("program", program) + &line("link", link);
    for (key, value) in settings(spec) {
        text += &line(&format!("settings.{key}"), &value);
    }
    if let Some(relevant) = relevant.filter(|relevant| !relevant.is_empty()) {
        text += &line("relevant", &list(relevant));
    }
    text + &line("t_c_resolution", &spec.run.every.to_string())
}

/// The name of a file without its folders.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The file with the initial weights and what that file is, as the line of [`Record::csv_preamble`] among `lines` says it;
/// both empty if there is no such line.
pub fn initial_weights<'a>(mut lines: impl Iterator<Item = &'a str>) -> [String; 2] {
    let begin = format!("# {INITIAL_WEIGHTS}: ");
    let said = lines.find_map(|line| line.strip_prefix(&begin)).unwrap_or_default();
    // A link has no spaces, so the name of the file ends here, whatever it contains.
    let checksum = said.rfind(", checksum ").unwrap_or(said.len());
    let step = said[..checksum].rfind(", step ").filter(|at| said[*at..checksum].contains(" of "));
    let end = step.unwrap_or(checksum);
    [&said[..end], said[end..].strip_prefix(", ").unwrap_or_default()].map(String::from)
}

impl Record {
    /// The lines of CSV that stand before the names of the columns.
    pub fn csv_preamble(&self) -> String {
        let spec = &self.link.spec;
        let relevant =
            self.relevant_sets().filter(|sets| sets.len() == 1).map(|mut sets| sets.swap_remove(0));
        let lines = lines(&self.environment.program, &encode(&self.link), spec, relevant.as_deref());
        let held_out = Some(self.held_out).filter(|held_out| *held_out > 0);
        let held_out = held_out.map(|held_out| line("held_out", &held_out.to_string()));
        let initial = self.initial_weights().map(|initial| line(INITIAL_WEIGHTS, &initial));
        [Some(lines), held_out, initial].into_iter().flatten().collect()
    }

    /// The file with the initial weights, without its folders, and what that file is; none if the link draws the weights.
    fn initial_weights(&self) -> Option<String> {
        let Environment { weights, weights_of, .. } = &self.environment;
        let parts = [file_name(weights), weights_of].into_iter().filter(|part| !part.is_empty());
        (!weights.is_empty()).then(|| parts.collect::<Vec<_>>().join(", "))
    }

    /// The lines of CSV as fields of JSON.
    pub fn json_about(&self) -> Vec<String> {
        let program = format!("\"program\":{}", quoted(&self.environment.program));
        let mut fields = vec![program, self.json_link(), self.json_settings(), self.json_held_out()];
        let initial = self.initial_weights();
        fields.extend(initial.map(|initial| format!("\"{INITIAL_WEIGHTS}\":{}", quoted(&initial))));
        fields.extend(self.json_preamble());
        fields
    }

    /// The link as a field of JSON.
    pub(super) fn json_link(&self) -> String {
        format!("\"link\":{}", quoted(&encode(&self.link)))
    }

    /// The number of held-out examples as a field of JSON.
    pub(super) fn json_held_out(&self) -> String {
        format!("\"held_out\":{}", self.held_out)
    }

    /// The relevant set of the run, or of each run of a sweep where these differ; none where there is none.
    pub fn relevant_sets(&self) -> Option<Vec<Vec<usize>>> {
        let cells = vivarium_model::sweep::cells(&self.link.spec);
        let mut sets: Vec<Vec<usize>> = cells.iter().map(|cell| relevant(&cell.spec)).collect();
        if sets.is_empty() {
            sets.push(relevant(&self.link.spec));
        }
        if sets.iter().all(|set| *set == sets[0]) {
            sets.truncate(1);
        }
        sets.iter().any(|set| !set.is_empty()).then_some(sets)
    }

    /// What the head of JSON has besides: the relevant set, or a list with that of each run of a sweep, and the
    /// resolution of t_c in steps.
    pub(super) fn json_preamble(&self) -> Vec<String> {
        let mut lines = vec![];
        if let Some(sets) = self.relevant_sets() {
            let all: Vec<String> = sets.iter().map(|set| list(set)).collect();
            let value = if all.len() == 1 { all.concat() } else { format!("[{}]", all.join(",")) };
            lines.push(format!("\"relevant\":{value}"));
        }
        lines.push(format!("\"t_c_resolution\":{}", self.link.spec.run.every));
        lines
    }

    /// Every setting by its key, as a field of JSON.
    pub(super) fn json_settings(&self) -> String {
        let settings = settings(&self.link.spec);
        let fields = settings.iter().map(|(key, value)| format!("{}:{}", quoted(key), quoted(value)));
        format!("\"settings\":{{{}}}", fields.collect::<Vec<_>>().join(","))
    }
}
