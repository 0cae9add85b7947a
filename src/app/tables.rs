//! Tables of a person's own on the page: opening one, choosing its label, and what is said of it.
//!
//! # Why
//! A table is no setting: it is kept beside the state, by the number that the link holds, and read from there by
//! whoever shows it. The bytes of the file are kept too, since another label makes another table of them, and so that
//! the browser can keep them until the page is opened again. None of it leaves the machine.

use std::sync::{Arc, Mutex, PoisonError};

use super::readings::{self, abscissa};
use super::state::State;
use super::study::study;
use super::trainer::Effect;
use super::words::{list, percent, setting, symbol, thousands};
use crate::analysis::Reading;
use crate::analysis::chart::Chart;
use crate::analysis::ends::{self, Curve};
use crate::permalink::{Link, View};
use crate::protocol::{Command, Payload};
use crate::record::dataset::{self, Dataset};
use crate::run::RunSpec;
use crate::settings::Value;
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
pub(super) fn handed_over(spec: &RunSpec) -> Option<(Command, Payload)> {
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
pub(super) fn applies(chart: Chart, state: &State) -> Result<(), String> {
    match chart {
        Chart::Ends if state.link.spec.run.sweep.is_empty() => {
            Err(tr!("This run is no sweep: the settings of the run can make it one.").into())
        }
        _ => Ok(()),
    }
}

/// The curves of the sweep so far: what each network got wrong at the end of each run.
fn curves(state: &State) -> Vec<Curve> {
    let (Some(sweep), spec) = (&state.sweep, &state.link.spec) else { return vec![] };
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
pub(super) fn reading(chart: Chart, state: &State) -> Option<Reading> {
    if chart != Chart::Ends {
        return None;
    }
    let (label, places, has_ratios) = abscissa(&state.link.spec);
    let mut lines = ends::chart(&curves(state), &label, tr!("held-out error"));
    (lines.log_x, lines.x_range) = (has_ratios, Some(readings::ends(&places)));
    if lines.series.iter().all(|series| series.y.iter().all(|y| y.is_nan())) {
        lines.y_range = Some((0.0, 0.5));
    }
    if let Some(larger) = larger_class(&state.link.spec) {
        lines.references.push((f64::from(1.0 - larger), tr!("guessing").into()));
    }
    Some(Reading::Lines(lines))
}

/// What is seen, for those who do not see it: each curve at its last place.
pub(super) fn summary(chart: Chart, state: &State) -> Option<String> {
    if chart != Chart::Ends {
        return None;
    }
    let last = |(name, points): &Curve| {
        let (x, values) = points.last()?;
        let [_, middle, _] = ends::quartiles(values)?;
        let (error, at) = (percent(middle), crate::settings::real(*x));
        let of = symbol(&state.link.spec, &state.link.spec.run.sweep.key);
        Some(tr!("{name}: {error} wrong at {of} = {at}", name, error, of, at))
    };
    let said: Vec<String> = curves(state).iter().filter_map(last).collect();
    Some(match said.is_empty() {
        true => tr!("No run of the sweep has ended yet.").into(),
        false => said.join("; ") + ".",
    })
}

impl State {
    /// Opens a table that a person chose or dropped, with column `label` of it as the label: the run is about it from
    /// now on. Of the second program.
    pub(super) fn read_table(
        &mut self,
        name: &str,
        bytes: Vec<u8>,
        label: Option<usize>,
        effects: &mut Vec<Effect>,
    ) {
        let number = match dataset::read(&bytes, label) {
            Ok(table) => keep(name, bytes, table),
            Err(why) => return self.refuse_file(name, &why),
        };
        effects.push(Effect::KeepTable(number));
        let mut link = match &self.link.spec.task {
            Task::Tabular(_) => self.link.clone(),
            _ => {
                let spec = RunSpec::of_lab(Tabular::INFO.slug).unwrap_or_default();
                Link {
                    view: View::of(&spec.task),
                    spec,
                    reserved: self.link.reserved.clone(),
                    ..Link::default()
                }
            }
        };
        for (key, value) in
            [("csv", Value::Int(number)), ("data", Value::Choice(Origin::Uploaded.slug().into()))]
        {
            // Both are of this task, and in range.
            let _ = link.spec.set(key, &value);
        }
        if let Task::Tabular(task) = &mut link.spec.task {
            task.m = task.m.min(task.pool());
        }
        self.notices = link.spec.repair();
        let columns = opened(number).map_or(0, |opened| opened.table.names.len());
        let message = tr!(
            "Opened {name}: a table of {columns} columns. Nothing of it leaves this device.",
            name,
            columns
        );
        self.change(link, message, effects);
    }

    /// Makes another column of the table the label.
    pub(super) fn relabel(&mut self, label: usize, effects: &mut Vec<Effect>) {
        // The menu of labels comes with the second program.
        let (Some(opened), Some(study)) = (shown(&self.link.spec), study()) else { return };
        (study.open_table)(self, &opened.name, opened.bytes.clone(), Some(label), effects);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::state::Action;
    use crate::permalink::encode;

    fn file(rows: usize) -> Vec<u8> {
        let line = |i: usize| {
            format!("{},{},{}", i * 7 % 31, i * i % 53, if i.is_multiple_of(4) { "yes" } else { "no" })
        };
        ["size,age,sold".to_string()]
            .into_iter()
            .chain((0..rows).map(line))
            .collect::<Vec<_>>()
            .join("\n")
            .into_bytes()
    }

    fn open(link: &str) -> State {
        let mut state = State::default();
        state.apply(Action::Open(link.into()));
        state
    }

    #[test]
    fn a_dropped_table_becomes_the_run_and_can_be_undone() {
        let mut state = open("#v1/sparse-parity?n=20");
        let effects = state.apply(Action::file("houses.csv", file(100)));
        assert!(matches!(effects[0], Effect::KeepTable(_)));
        let opened = shown(&state.link.spec).expect("it is open");
        assert_eq!((opened.name.as_str(), opened.table.names.len()), ("houses.csv", 2));
        assert!(encode(&state.link).starts_with("#v1/tabular?data=own&csv="));
        assert!(state.message.contains("2 columns") && state.notices.is_empty());
        let Some(Value::Int(m)) = state.link.spec.value("m") else { panic!("a number") };
        assert_eq!(m, 90, "as many as there are");
        let about = about(&state.link.spec).join(" ");
        for part in ["100 rows of 2 columns", "holds out 10 rows", "sold: no or yes", "75.0 %"] {
            assert!(about.contains(part), "{part}: {about}");
        }
        state.apply(Action::Relabel(1));
        let opened = shown(&state.link.spec).unwrap();
        assert_eq!((opened.table.label, opened.table.names.join(" ")), (1, "size".into()));
        state.apply(Action::Undo);
        state.apply(Action::Undo);
        assert_eq!(encode(&state.link), "#v1/sparse-parity?n=20");
    }

    #[test]
    fn the_trainer_gets_the_table_before_the_run() {
        use crate::app::device::Survey;
        use crate::app::trainer::{Program, Sign, Trainer, scripted::Scripted};
        let mut state = open("#v1/tabular?replicas=1");
        state.apply(Action::Surveyed(Survey::Missing));
        let trainer = Scripted::new(Program::Cpu, 10);
        let mut sent = vec![];
        for message in trainer.take() {
            sent.extend(state.apply(Action::Heard(Program::Cpu, Sign::Said(message))));
        }
        sent.clear();
        sent.extend(state.apply(Action::file("t.csv", file(60))));
        let place = |of: fn(&Command) -> bool| {
            sent.iter().position(|effect| matches!(effect, Effect::Send(command, _) if of(command)))
        };
        let table = place(|command| matches!(command, Command::Table { columns: 2 })).expect("a table");
        let start = place(|command| matches!(command, Command::Start { .. })).expect("a start");
        assert!(table < start);
        let Effect::Send(command, Payload::Numbers(numbers)) = &sent[table] else { panic!("numbers") };
        assert_eq!(numbers.len(), 60 * 3);
        trainer.send(command, &Payload::Numbers(numbers.clone()));
    }

    #[test]
    fn what_is_no_table_changes_nothing() {
        let mut state = open("#v1/tabular?n=9");
        state.apply(Action::file("notes.csv", b"only,words\nhere,and\n".to_vec()));
        assert!(
            state.flaw.contains("notes.csv was not opened") && state.flaw.contains("Nothing has changed")
        );
        assert_eq!(encode(&state.link), "#v1/tabular?n=9");
        state.apply(Action::file("metrics.csv", b"step,replica,train_loss\n1,0,0.5\n".to_vec()));
        assert!(state.flaw.contains("table of metrics"), "{}", state.flaw);
    }

    #[test]
    fn what_networks_reach_is_a_target_and_nothing_found() {
        let mut state = open("#v1/tabular?replicas=2");
        (state.step, state.solved) = (50, vec![(0, 40), (1, 50)]);
        for chart in [Chart::Loss, Chart::Accuracy] {
            let Reading::Lines(lines) = chart.reading(&state) else { panic!("curves") };
            assert_eq!(lines.marks, [(50.0, "target".to_string())]);
        }
        let mut hidden = open("#v1/sparse-parity");
        (hidden.step, hidden.solved) = (50, vec![(0, 50)]);
        let Reading::Lines(lines) = Chart::Loss.reading(&hidden) else { panic!("curves") };
        assert_eq!(lines.marks, [(50.0, "found".to_string())]);
    }

    #[test]
    fn a_generated_table_is_described_with_its_columns() {
        let said = |query: &str| about(&open(&format!("#v1/tabular{query}")).link.spec).join(" ");
        let of = said("?s=4.7.11&seed=3");
        assert!(
            of.contains("4,000 rows of 20 columns")
                && of.contains("columns 4, 7 and 11 alone and jumps at one place"),
            "{of}"
        );
        assert!(
            said("?turned=yes&pieces=8")
                .contains("at 7 places along each of 3 directions; no column matters by itself")
        );
        assert!(about(&RunSpec::default()).is_empty());
        assert_eq!(larger_class(&RunSpec::default()), None);
    }
}
