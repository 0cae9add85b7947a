//! The columns of a sweep's file, and the lines of its networks, under the names of this version or of the one before.
//!
//! # Why
//! The file is also the journal, so a sweep that was begun before an update goes on after it: lines are read in both
//! layouts and written in the one that is asked for.

use crate::print::Names;
use vivarium_model::permalink::{Link, encode};
use vivarium_model::protocol::Row;
use vivarium_model::run::cells::{axes, panel, places};
use vivarium_model::run::{Halt, RunSpec};
use vivarium_model::sweep::{Cell, cell};
use vivarium_model::tasks::Measures;
use vivarium_training::session::Outcome;
use vivarium_view::record::Environment;
use vivarium_view::record::preamble::{self, relevant};

/// What one network came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ended {
    /// The step at which it reached the target, if it did.
    pub solved: Option<u64>,
    /// The step at which it ended: that one, or its last.
    pub step: u64,
    /// Held-out accuracy there.
    pub accuracy: f32,
}

/// Most values of a setting that are tried for the names of measures: of more, some at equal distances.
const MOST_TRIED: usize = 1024;

/// The link that stands for a sweep, however it is shown.
pub fn name(spec: &RunSpec) -> String {
    encode(&Link::of(spec.clone()))
}

/// The columns of a sweep's file.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    names: Names,
    /// The run, its values and its seed.
    place: Vec<String>,
    /// The relevant set that all runs share, or none where it has a column; empty where there is no such set.
    relevant: Option<Vec<usize>>,
    /// Columns of measures, and which of the four numbers each of them is. Runs of a sweep may have other names for
    /// a number, which is in a column of its own then.
    measures: Vec<(usize, &'static str)>,
}

/// What a line says of a network.
struct Network<'a> {
    place: Vec<&'a str>,
    replica: &'a str,
    solved: Option<u64>,
    /// The step at which the numbers were measured, if it is known.
    measured_at: Option<u64>,
    numbers: [String; 4],
}

/// Some runs that have every value of each setting of the sweep once.
fn some_runs(spec: &RunSpec) -> impl Iterator<Item = Cell> {
    let lines = spec.run.series.values.len().max(1);
    // How far apart the numbers of runs are that differ in one value of a setting, and how many values it has.
    let mut settings = vec![(1, lines), (lines, spec.run.sweep.values.len())];
    let mut apart = panel(spec);
    for axis in spec.run.further.iter().rev() {
        settings.push((apart, axis.values.len()));
        apart = apart.saturating_mul(axis.values.len());
    }
    let spread = |(apart, all): (usize, usize)| {
        let tried = all.min(MOST_TRIED);
        (0..tried).map(move |at| at * all / tried * apart)
    };
    settings.into_iter().flat_map(spread).filter_map(|number| cell(spec, number).ok())
}

impl Layout {
    /// That of a sweep under these names.
    pub fn of(spec: &RunSpec, names: Names) -> Layout {
        let mut place = vec!["cell".to_string()];
        place.extend(axes(spec).map(|axis| axis.key.clone()));
        if !place.iter().any(|column| column == "seed") {
            place.push("seed".into());
        }
        let mut measures: Vec<(usize, &str)> = Measures::EARLIER.names.into_iter().enumerate().collect();
        let mut shared = None;
        if names == Names::New {
            measures.clear();
            let mut differs = false;
            for cell in some_runs(spec) {
                measures.extend(cell.spec.measures().names.into_iter().enumerate());
                let set = relevant(&cell.spec);
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
        Layout { names, place, relevant: shared, measures }
    }

    /// Whether each run has its relevant set in a column.
    fn has_relevant(&self) -> bool {
        self.names == Names::New && self.relevant.is_none()
    }

    /// The names of the columns: the run and its values, the network, and what it came to.
    pub fn columns(&self) -> Vec<&str> {
        let mut columns: Vec<&str> = self.place.iter().map(String::as_str).collect();
        if self.has_relevant() {
            columns.push("relevant");
        }
        columns.extend(["replica", "success", "step"]);
        if self.names == Names::New {
            columns.extend(["budget", "measured_at"]);
        }
        columns.extend(self.measures.iter().map(|(_, name)| *name));
        columns
    }

    /// How many columns there are.
    fn width(&self) -> usize {
        let later = if self.names == Names::New { 2 } else { 0 };
        self.place.len() + usize::from(self.has_relevant()) + 3 + later + self.measures.len()
    }

    /// The lines before the first run: `beginning` with the link of the sweep, what else is said of it, and the columns.
    pub fn head(&self, spec: &RunSpec, beginning: &str) -> String {
        let link = name(spec);
        let about = match self.names {
            Names::New => preamble::lines(&Environment::program(), &link, spec, self.relevant.as_deref()),
            Names::Old => String::new(),
        };
        format!("{beginning}{link}\n{about}{}\n", self.columns().join(","))
    }

    /// The lines of a run that has ended: one for each of its networks.
    ///
    /// Losses and accuracies are those at the step at which the network ended.
    pub fn lines(&self, spec: &RunSpec, number: usize, cell: &Cell, outcome: &Outcome) -> String {
        let mut place = vec![number.to_string()];
        place.extend(places(spec, number).filter_map(|(axis, at)| axis.values.get(at)).cloned());
        if axes(spec).all(|axis| axis.key != "seed") {
            place.push(cell.spec.run.seed.to_string());
        }
        let line = |(replica, solved): (usize, &Option<u64>)| {
            let at = solved.filter(|_| cell.spec.run.halt == Halt::Target);
            let row = match at {
                Some(step) => outcome.rows.iter().find(|row| row.step == step),
                None => outcome.rows.last(),
            };
            let of = |column: fn(&Row) -> &Vec<f32>| {
                row.and_then(|row| column(row).get(replica)).map_or_else(|| "NaN".into(), f32::to_string)
            };
            // In the file of the version before, the last step of the run stands for that of the measurement.
            let last = if self.names == Names::Old { Some(outcome.step) } else { row.map(|row| row.step) };
            let own = replica.to_string();
            let network = Network {
                place: place.iter().map(String::as_str).collect(),
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
            self.write(&network, &cell.spec)
        };
        outcome.solved.iter().enumerate().map(line).collect()
    }

    /// The line of a network of the run `spec`.
    fn write(&self, network: &Network, spec: &RunSpec) -> String {
        let step = |step: Option<u64>| step.map_or_else(String::new, |step| step.to_string());
        let mut cells: Vec<String> = network.place.iter().map(|cell| (*cell).into()).collect();
        if self.has_relevant() {
            cells.push(relevant(spec).iter().map(usize::to_string).collect::<Vec<_>>().join(" "));
        }
        cells.push(network.replica.into());
        cells.push(u8::from(network.solved.is_some()).to_string());
        let names = match self.names {
            Names::New => {
                cells.extend([step(network.solved), spec.run.steps.to_string(), step(network.measured_at)]);
                spec.measures().names
            }
            Names::Old => {
                let last = network.measured_at.unwrap_or(spec.run.steps);
                cells.push(network.solved.unwrap_or(last).to_string());
                Measures::EARLIER.names
            }
        };
        for (at, (slot, name)) in self.measures.iter().enumerate() {
            // A name that none of the runs tried has is put under that of the same number.
            let is_known = self.measures.contains(&(*slot, names[*slot]));
            let is_first = self.measures.iter().position(|(of, _)| of == slot) == Some(at);
            let is_its = if is_known { *name == names[*slot] } else { is_first };
            cells.push(if is_its { network.numbers[*slot].clone() } else { String::new() });
        }
        // No cell needs quotes: values of an axis are letters, digits, points and signs.
        cells.join(",") + "\n"
    }

    /// What a line says, if it is one of this network's.
    fn read<'a>(&self, line: &'a str, number: usize, replica: usize) -> Option<Network<'a>> {
        let cells: Vec<&str> = line.trim_end().split(',').collect();
        let begun = self.place.len() + usize::from(self.has_relevant());
        let is_its = cells.len() == self.width() && cells[0].parse() == Ok(number);
        let ([of, success, step], rest) = cells.get(begun..)?.split_first_chunk::<3>()?;
        let (later, values) = rest.split_at_checked(if self.names == Names::New { 2 } else { 0 })?;
        let whole = |cell: &str| cell.parse::<u64>().ok();
        let mut measured_at = None;
        if let [budget, at] = later {
            whole(budget)?;
            measured_at = if at.is_empty() { None } else { Some(whole(at)?) };
        }
        let solved = match (*success, self.names) {
            ("1", _) => Some(whole(step)?),
            ("0", Names::New) if step.is_empty() => None,
            ("0", Names::Old) => {
                measured_at = Some(whole(step)?);
                None
            }
            _ => return None,
        };
        let mut numbers = [const { String::new() }; 4];
        for ((slot, _), value) in self.measures.iter().zip(values).filter(|(_, value)| !value.is_empty()) {
            value.parse::<f32>().ok().filter(|_| numbers[*slot].is_empty())?;
            numbers[*slot] = (*value).into();
        }
        let is_whole = is_its && of.parse() == Ok(replica) && numbers.iter().all(|number| !number.is_empty());
        let place = cells[..self.place.len()].to_vec();
        is_whole.then_some(Network { place, replica: of, solved, measured_at, numbers })
    }

    /// What the network of a line came to, if it is one of this network's.
    pub fn ended(&self, line: &str, number: usize, replica: usize, budget: u64) -> Option<Ended> {
        let Network { solved, measured_at, numbers, .. } = self.read(line, number, replica)?;
        let step = solved.or(measured_at).unwrap_or(budget);
        Some(Ended { solved, step, accuracy: numbers[3].parse().ok()? })
    }

    /// The lines of run `number` of a sweep, which are in this layout, in another one.
    pub fn turned(&self, text: &str, to: &Layout, spec: &RunSpec, number: usize) -> Option<String> {
        let run = cell(spec, number).ok()?.spec;
        let line = |(replica, line): (usize, &str)| {
            let mut network = self.read(line, number, replica)?;
            if self.names == Names::Old && run.run.halt == Halt::Target {
                network.measured_at = network.solved.or(network.measured_at);
            }
            Some(to.write(&network, &run))
        };
        text.lines().enumerate().map(line).collect()
    }
}
