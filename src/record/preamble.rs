//! What a file of measurements says of its run before the measurements: program, link, all settings, the relevant set
//! and the resolution of t_c. In CSV these are lines that begin with #, in JSON fields of the head.
//!
//! # Why
//! A table that was found again after a year says where it comes from, and who reads it in a notebook needs no links:
//! each setting stands there by its key, also where it is a default. A reader skips the lines with one option, such as
//! `comment='#'` in pandas.

use super::{Record, quoted};
use crate::permalink::encode;
use crate::run::{MODEL_KEY, OPTIMIZER_KEY, RunSpec};

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
    std::iter::once(("lab", spec.task.info().slug.to_string())).chain(settings).collect()
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

impl Record {
    /// The lines of CSV that stand before the names of the columns.
    pub fn csv_preamble(&self) -> String {
        let spec = &self.link.spec;
        let relevant =
            self.relevant_sets().filter(|sets| sets.len() == 1).map(|mut sets| sets.swap_remove(0));
        let lines = lines(&self.environment.program, &encode(&self.link), spec, relevant.as_deref());
        match self.held_out {
            0 => lines,
            held_out => lines + &line("held_out", &held_out.to_string()),
        }
    }

    /// The relevant set of the run, or of each run of a sweep where these differ; none where there is none.
    pub fn relevant_sets(&self) -> Option<Vec<Vec<usize>>> {
        let cells = crate::sweep::cells(&self.link.spec);
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

    /// Every setting by its key, as fields of JSON.
    pub(super) fn settings(&self) -> String {
        let settings = settings(&self.link.spec);
        let fields = settings.iter().map(|(key, value)| format!("{}:{}", quoted(key), quoted(value)));
        fields.collect::<Vec<_>>().join(",")
    }
}
