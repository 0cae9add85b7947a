//! Columns of a sweep file and the lines of its networks, with the new or the old names of measures.
//!
//! # Why
//! A sweep file is also the journal of its sweep, and a sweep that was started before an update continues
//! after it: lines are read in both layouts and written in the requested one.

use crate::print::NameVersion;
use vivarium_model::permalink::{Link, encode};
use vivarium_model::protocol::Measurement;
use vivarium_model::run::cells::{axes_with_value_indices, runs_per_panel, sweep_axes};
use vivarium_model::run::{RunSpec, StopCondition};
use vivarium_model::sweep::{SweepCell, cell};
use vivarium_model::tasks::MeasureNames;
use vivarium_training::session::Outcome;
use vivarium_view::record::TrainingEnvironment;
use vivarium_view::record::preamble::{self, relevant_numbers};

/// Steps and accuracy of one trained network, as its line in a sweep file has them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NetworkOutcome {
    /// Step at which the network reached the target; None if it never did.
    pub solved: Option<u64>,
    /// Step at which the training of the network ended: at the target, or at its last step.
    pub step: u64,
    /// Held-out accuracy at the step at which the training of the network ended.
    pub accuracy: f32,
}

/// Largest number of values of a swept setting for which the names of measures are looked up; if there are
/// more, this many evenly spaced values are taken.
const MAX_TRIED_VALUES: usize = 1024;

/// The link of a sweep without settings of the view, by which sweeps are told apart.
pub fn sweep_link(spec: &RunSpec) -> String {
    encode(&Link::from_spec(spec.clone()))
}

/// Columns of a sweep file, the CSV file of `lab sweep` with a line for each trained network.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnLayout {
    /// Whether the columns have the new or the old names of measures.
    names: NameVersion,
    /// Names of the columns that identify a run: its number, the keys of the swept settings, and the seed.
    run_columns: Vec<String>,
    /// Relevant coordinates, from 1, that all runs share (empty if the task has none). None if they differ
    /// between runs and have a column.
    shared_relevant: Option<Vec<usize>>,
    /// Columns of measures: index into `NetworkLine::numbers` (0 train loss, 1 train accuracy, 2 held-out
    /// loss, 3 held-out accuracy), and name of the column. Where runs of a sweep have different names for one
    /// number, each name has its own column.
    measure_columns: Vec<(usize, &'static str)>,
}

/// Contents of one line of a sweep file: steps, losses and accuracies of one network.
struct NetworkLine<'a> {
    /// Cells that identify the run: its number, the values of the swept settings and the seed.
    run_cells: Vec<&'a str>,
    /// Number of the network in its run, from 0, as text.
    replica: &'a str,
    /// Step at which the network reached the target; None if never.
    solved: Option<u64>,
    /// Step at which the losses and accuracies were measured; None if unknown.
    measured_at: Option<u64>,
    /// Train loss, train accuracy, held-out loss and held-out accuracy, as text.
    numbers: [String; 4],
}

/// A sample of the runs of a sweep in which each value of each swept setting occurs, up to
/// [`MAX_TRIED_VALUES`] values of a setting.
fn sample_runs(spec: &RunSpec) -> impl Iterator<Item = SweepCell> {
    let lines = spec.run.series.values.len().max(1);
    // For each setting: the distance between the numbers of runs with successive values, and its number of values.
    let mut settings = vec![(1, lines), (lines, spec.run.sweep.values.len())];
    let mut apart = runs_per_panel(spec);
    for axis in spec.run.further.iter().rev() {
        settings.push((apart, axis.values.len()));
        apart = apart.saturating_mul(axis.values.len());
    }
    let spread = |(apart, all): (usize, usize)| {
        let tried = all.min(MAX_TRIED_VALUES);
        (0..tried).map(move |at| at * all / tried * apart)
    };
    settings.into_iter().flat_map(spread).filter_map(|number| cell(spec, number).ok())
}

impl ColumnLayout {
    /// The columns of the sweep of `spec`, with the new or old names of measures.
    pub fn of(spec: &RunSpec, names: NameVersion) -> ColumnLayout {
        let mut place = vec!["cell".to_string()];
        place.extend(sweep_axes(spec).map(|axis| axis.key.clone()));
        if !place.iter().any(|column| column == "seed") {
            place.push("seed".into());
        }
        let mut measures: Vec<(usize, &str)> = MeasureNames::EARLIER.names.into_iter().enumerate().collect();
        let mut shared = None;
        if names == NameVersion::New {
            measures.clear();
            let mut differs = false;
            for cell in sample_runs(spec) {
                measures.extend(cell.spec.measure_names().names.into_iter().enumerate());
                let set = relevant_numbers(&cell.spec);
                differs |= *shared.get_or_insert_with(|| set.clone()) != set;
            }
            measures.sort_by_key(|(slot, _)| *slot);
            let all = std::mem::take(&mut measures);
            all.into_iter().for_each(|one| {
                if !measures.contains(&one) {
                    measures.push(one)
                }
            });
            shared = shared.filter(|_| !differs);
        }
        ColumnLayout { names, run_columns: place, shared_relevant: shared, measure_columns: measures }
    }

    /// Whether the file has a column `relevant`: the relevant input coordinates of a task, where they differ
    /// between runs.
    fn has_relevant_column(&self) -> bool {
        self.names == NameVersion::New && self.shared_relevant.is_none()
    }

    /// Names of all columns of the sweep file, in order: run, relevant coordinates, replica, steps, measures.
    pub fn column_names(&self) -> Vec<&str> {
        let mut columns: Vec<&str> = self.run_columns.iter().map(String::as_str).collect();
        if self.has_relevant_column() {
            columns.push("relevant");
        }
        columns.extend(["replica", "success", "step"]);
        if self.names == NameVersion::New {
            columns.extend(["budget", "measured_at"]);
        }
        columns.extend(self.measure_columns.iter().map(|(_, name)| *name));
        columns
    }

    /// Number of columns of the sweep file.
    fn column_count(&self) -> usize {
        let later = if self.names == NameVersion::New { 2 } else { 0 };
        self.run_columns.len()
            + usize::from(self.has_relevant_column())
            + 3
            + later
            + self.measure_columns.len()
    }

    /// The lines of a sweep file before its first run: `first_line_prefix` with the link of the sweep, facts
    /// that hold for all runs, and the names of the columns.
    pub fn header_lines(&self, spec: &RunSpec, first_line_prefix: &str) -> String {
        let link = sweep_link(spec);
        let about = match self.names {
            NameVersion::New => preamble::format_run_lines(
                &TrainingEnvironment::program(),
                &link,
                spec,
                self.shared_relevant.as_deref(),
            ),
            NameVersion::Old => String::new(),
        };
        format!("{first_line_prefix}{link}\n{about}{}\n", self.column_names().join(","))
    }

    /// CSV lines of run `number`, from 0, which has finished; one line for each network.
    ///
    /// Losses and accuracies are those of the step at which the network ended.
    pub fn format_run(&self, spec: &RunSpec, number: usize, cell: &SweepCell, outcome: &Outcome) -> String {
        let mut place = vec![number.to_string()];
        place.extend(
            axes_with_value_indices(spec, number).filter_map(|(axis, at)| axis.values.get(at)).cloned(),
        );
        if sweep_axes(spec).all(|axis| axis.key != "seed") {
            place.push(cell.spec.run.seed.to_string());
        }
        let line = |(replica, solved): (usize, &Option<u64>)| {
            let at = solved.filter(|_| cell.spec.run.halt == StopCondition::Target);
            let row = match at {
                Some(step) => outcome.rows.iter().find(|row| row.step == step),
                None => outcome.rows.last(),
            };
            let of = |column: fn(&Measurement) -> &Vec<f32>| {
                row.and_then(|row| column(row).get(replica)).map_or_else(|| "NaN".into(), f32::to_string)
            };
            // With old names, the column has the last step of the run instead of the step of the measurement.
            let last =
                if self.names == NameVersion::Old { Some(outcome.step) } else { row.map(|row| row.step) };
            let own = replica.to_string();
            let network = NetworkLine {
                run_cells: place.iter().map(String::as_str).collect(),
                replica: &own,
                solved: *solved,
                measured_at: last,
                numbers: [
                    of(|row| &row.train_loss),
                    of(|row| &row.train_accuracy),
                    of(|row| &row.test_loss),
                    of(|row| &row.test_accuracy),
                ],
            };
            self.format_network(&network, &cell.spec)
        };
        outcome.solved.iter().enumerate().map(line).collect()
    }

    /// CSV line of one network of the run `spec`, with its line break.
    fn format_network(&self, network: &NetworkLine, spec: &RunSpec) -> String {
        let step = |step: Option<u64>| step.map_or_else(String::new, |step| step.to_string());
        let mut cells: Vec<String> = network.run_cells.iter().map(|cell| (*cell).into()).collect();
        if self.has_relevant_column() {
            cells.push(relevant_numbers(spec).iter().map(usize::to_string).collect::<Vec<_>>().join(" "));
        }
        cells.push(network.replica.into());
        cells.push(u8::from(network.solved.is_some()).to_string());
        let names = match self.names {
            NameVersion::New => {
                cells.extend([step(network.solved), spec.run.steps.to_string(), step(network.measured_at)]);
                spec.measure_names().names
            }
            NameVersion::Old => {
                let last = network.measured_at.unwrap_or(spec.run.steps);
                cells.push(network.solved.unwrap_or(last).to_string());
                MeasureNames::EARLIER.names
            }
        };
        for (at, (slot, name)) in self.measure_columns.iter().enumerate() {
            // A name that occurs in no sampled run is written in the first column of the same number.
            let is_known = self.measure_columns.contains(&(*slot, names[*slot]));
            let is_first = self.measure_columns.iter().position(|(of, _)| of == slot) == Some(at);
            let is_its = if is_known { *name == names[*slot] } else { is_first };
            cells.push(if is_its { network.numbers[*slot].clone() } else { String::new() });
        }
        // No cell needs quotes: values of an axis are letters, digits, points and signs.
        cells.join(",") + "\n"
    }

    /// Parses the line of network `replica` of run `number` (both from 0); None if it is another line or
    /// damaged.
    fn parse_network<'a>(&self, line: &'a str, number: usize, replica: usize) -> Option<NetworkLine<'a>> {
        let cells: Vec<&str> = line.trim_end().split(',').collect();
        let begun = self.run_columns.len() + usize::from(self.has_relevant_column());
        let is_its = cells.len() == self.column_count() && cells[0].parse() == Ok(number);
        let ([of, success, step], rest) = cells.get(begun..)?.split_first_chunk::<3>()?;
        let (later, values) = rest.split_at_checked(if self.names == NameVersion::New { 2 } else { 0 })?;
        let whole = |cell: &str| cell.parse::<u64>().ok();
        let mut measured_at = None;
        if let [budget, at] = later {
            whole(budget)?;
            measured_at = if at.is_empty() { None } else { Some(whole(at)?) };
        }
        let solved = match (*success, self.names) {
            ("1", _) => Some(whole(step)?),
            ("0", NameVersion::New) if step.is_empty() => None,
            ("0", NameVersion::Old) => {
                measured_at = Some(whole(step)?);
                None
            }
            _ => return None,
        };
        let mut numbers = [const { String::new() }; 4];
        for ((slot, _), value) in
            self.measure_columns.iter().zip(values).filter(|(_, value)| !value.is_empty())
        {
            value.parse::<f32>().ok().filter(|_| numbers[*slot].is_empty())?;
            numbers[*slot] = (*value).into();
        }
        let is_whole = is_its && of.parse() == Ok(replica) && numbers.iter().all(|number| !number.is_empty());
        let place = cells[..self.run_columns.len()].to_vec();
        is_whole.then_some(NetworkLine { run_cells: place, replica: of, solved, measured_at, numbers })
    }

    /// Result of network `replica` of run `number` (both from 0) from its line; None if it is another line or
    /// damaged. `budget` is the last step of the run, at which a network ended if the line names no step.
    pub fn parse_outcome(
        &self,
        line: &str,
        number: usize,
        replica: usize,
        budget: u64,
    ) -> Option<NetworkOutcome> {
        let NetworkLine { solved, measured_at, numbers, .. } = self.parse_network(line, number, replica)?;
        let step = solved.or(measured_at).unwrap_or(budget);
        Some(NetworkOutcome { solved, step, accuracy: numbers[3].parse().ok()? })
    }

    /// Converts the lines of run `number` of the sweep `spec` from this layout to the layout `target`; None if
    /// they are damaged.
    pub fn convert_lines(
        &self,
        text: &str,
        target: &ColumnLayout,
        spec: &RunSpec,
        number: usize,
    ) -> Option<String> {
        let run = cell(spec, number).ok()?.spec;
        let line = |(replica, line): (usize, &str)| {
            let mut network = self.parse_network(line, number, replica)?;
            if self.names == NameVersion::Old && run.run.halt == StopCondition::Target {
                network.measured_at = network.solved.or(network.measured_at);
            }
            Some(target.format_network(&network, &run))
        };
        text.lines().enumerate().map(line).collect()
    }
}
