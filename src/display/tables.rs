//! Tables of a person's own: those that are open, what is said of them, and the chart of a sweep's ends.
//!
//! # Why
//! A table is no setting: it is kept beside the run, by the number that the link holds, and read from there by
//! whoever shows it. The bytes of the file are kept too, since another label makes another table of them, and so that
//! the browser can keep them until the page is opened again. None of it leaves the machine.

use crate::analysis::chart;
use std::sync::{Arc, Mutex, PoisonError};

use super::sweep::{self, abscissa};
use super::view::RunView;
use super::words::{list, percent, setting, symbol, thousands};
use crate::analysis::Reading;
use crate::analysis::ends::{self, Curve};
use crate::catalog::chart::Chart;
use crate::protocol::{Command, Payload};
use crate::record::dataset::Dataset;
use crate::run::RunSpec;
use crate::tasks::tabular::{Origin, Tabular};
use crate::tasks::{Form, Sampler, Task};

/// Most files that are kept; the oldest goes first.
const MOST_KEPT: usize = 8;

/// A file that was opened.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// What it is called.
    pub name: String,
    /// All of it.
    pub bytes: Vec<u8>,
    /// What was read from it.
    pub table: Dataset,
}

static OPENED: Mutex<Vec<(u64, Arc<Opened>)>> = Mutex::new(Vec::new());

/// Keeps a file and what was read from it for whoever asks for its number, which is the result.
pub fn keep(name: &str, bytes: Vec<u8>, table: Dataset) -> u64 {
    let number = table.table.clone().open();
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    opened.retain(|(other, _)| *other != number);
    if opened.len() == MOST_KEPT {
        opened.remove(0);
    }
    opened.push((number, Arc::new(Opened { name: name.into(), bytes, table })));
    number
}

/// The file of that number.
pub fn opened(number: u64) -> Option<Arc<Opened>> {
    let opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    opened.iter().find(|(other, _)| *other == number).map(|(_, opened)| opened.clone())
}

/// The task of a run on a table.
fn of(spec: &RunSpec) -> Option<&Tabular> {
    match &spec.task {
        Task::Tabular(task) => Some(task),
        _ => None,
    }
}

/// The file that a run is about.
pub fn shown(spec: &RunSpec) -> Option<Arc<Opened>> {
    of(spec).filter(|task| task.origin == Origin::Uploaded).and_then(|task| opened(task.csv))
}

/// What gives a trainer the table of a run that is about to begin, if it is a person's own.
pub fn handed_over(spec: &RunSpec) -> Option<(Command, Payload)> {
    let own = of(spec)?.uploaded()?;
    Some((Command::Table { columns: own.columns }, Payload::Numbers(own.numbers())))
}

/// Share of the larger class, which is what guessing gets right.
pub fn larger_class(spec: &RunSpec) -> Option<f32> {
    let task = of(spec)?;
    let Some(own) = task.uploaded() else { return Some(0.5) };
    let high = own.y.iter().filter(|y| **y > 0.0).count() as f32 / own.y.len() as f32;
    Some(high.max(1.0 - high))
}

/// Whether a run is about a table.
pub fn is_table(spec: &RunSpec) -> bool {
    spec.task.sampler().form() == Form::Row
}

/// Whether the learner is a forest.
pub fn is_forest(spec: &RunSpec) -> bool {
    !spec.model.config().has_weights()
}

/// What the table is, in sentences, for a run on one.
pub fn about(spec: &RunSpec) -> Vec<String> {
    let Some(task) = of(spec) else { return vec![] };
    let size = tr!(
        "{rows} rows of {columns} columns. Each network holds out {tested} rows of its own and learns from {sample} of \
         the others.",
        rows = thousands(task.table_rows() as u64),
        columns = thousands(task.inputs() as u64),
        tested = thousands(task.tested() as u64),
        sample = thousands(task.sample_size().unwrap_or_default() as u64)
    );
    let Some(opened) = shown(spec) else {
        return vec![size, made(task, spec.run.seed)];
    };
    let Dataset { classes, all, label, notes, .. } = &opened.table;
    let larger = larger_class(spec).unwrap_or(f32::NAN);
    let told = tr!(
        "The label is {label}: {low} or {high}. The larger class has {share} of the rows.",
        label = all[*label],
        low = classes[0],
        high = classes[1],
        share = percent(larger)
    );
    [size, told].into_iter().chain(notes.iter().cloned()).collect()
}

/// How a generated table came about.
fn made(task: &Tabular, seed: u64) -> String {
    let relevant = task.relevant(seed);
    let columns: Vec<String> = relevant.iter().map(|column| (column + 1).to_string()).collect();
    let jumps = match task.pieces - 1 {
        1 => tr!("one place").to_string(),
        many => tr!("{many} places", many),
    };
    match columns.is_empty() {
        true => tr!(
            "The label jumps at {jumps} along each of {k} directions; no column matters by itself.",
            jumps,
            k = task.k
        ),
        false => tr!(
            "The label depends on columns {columns} alone and jumps at {jumps} along each of them.",
            columns = list(&columns),
            jumps
        ),
    }
}

/// Whether there is such a chart of this run.
///
/// # Errors
/// A sentence that says why not.
pub(super) fn applies(chart: Chart, run: &RunView) -> Result<(), String> {
    match chart {
        chart::ENDS if run.link.spec.run.sweep.is_empty() => {
            Err(tr!("This run is no sweep: the settings of the run can make it one.").into())
        }
        _ => Ok(()),
    }
}

/// The curves of the sweep so far: what each network got wrong at the end of each run.
fn curves(run: &RunView) -> Vec<Curve> {
    let (Some(sweep), spec) = (&run.sweep, &run.link.spec) else { return vec![] };
    let (places, series) = (crate::sweep::places(&spec.run.sweep), &spec.run.series);
    let curve = |line: usize| {
        let name = series.values.get(line).map(|value| setting(spec, &series.key, value));
        let cells = sweep.cells.iter().enumerate().filter(|(_, cell)| cell.series == line);
        let mut points: Vec<(f64, Vec<f32>)> = cells
            .filter_map(|(run, cell)| {
                Some((places[cell.at], sweep.right(run)?.iter().map(|right| 1.0 - right).collect()))
            })
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        (name.unwrap_or(tr!("median").into()), points)
    };
    (0..series.values.len().max(1)).map(curve).collect()
}

/// What the chart of ends draws.
pub(super) fn reading(chart: Chart, run: &RunView) -> Option<Reading> {
    if chart != chart::ENDS {
        return None;
    }
    let (label, places, has_ratios) = abscissa(&run.link.spec);
    let mut lines = ends::chart(&curves(run), &label, tr!("held-out error"));
    (lines.log_x, lines.x_range) = (has_ratios, Some(sweep::ends(&places)));
    if lines.series.iter().all(|series| series.y.iter().all(|y| y.is_nan())) {
        lines.y_range = Some((0.0, 0.5));
    }
    if let Some(larger) = larger_class(&run.link.spec) {
        lines.references.push((f64::from(1.0 - larger), tr!("guessing").into()));
    }
    Some(Reading::Lines(lines))
}

/// What is seen, for those who do not see it: each curve at its last place.
pub(super) fn summary(chart: Chart, run: &RunView) -> Option<String> {
    if chart != chart::ENDS {
        return None;
    }
    let last = |(name, points): &Curve| {
        let (x, values) = points.last()?;
        let [_, middle, _] = ends::quartiles(values)?;
        let (error, at) = (percent(middle), crate::settings::real(*x));
        let of = symbol(&run.link.spec, &run.link.spec.run.sweep.key);
        Some(tr!("{name}: {error} wrong at {of} = {at}", name, error, of, at))
    };
    let said: Vec<String> = curves(run).iter().filter_map(last).collect();
    Some(match said.is_empty() {
        true => tr!("No run of the sweep has ended yet.").into(),
        false => said.join("; ") + ".",
    })
}
