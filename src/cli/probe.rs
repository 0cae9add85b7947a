//! `lab probe`: what charts show, as data, and what is inside the network.
//!
//! # Why
//! The numbers are those of the page, by construction: the page's state gives the readings that it draws
//! ([`super::headless`]), and the page's menu saves them with the same function ([`vivarium_page::files::data`]). The run
//! goes from step to step as the page does when it is paused there: it is measured, and its probes are answered.

mod document;
mod npz;

use std::path::{Path, PathBuf};
use vivarium_view::display::charts::ChartOfRun;

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::disk::{Native, replace};
use super::headless::Headless;
use super::plot::train;
use super::print::write;
use super::{Trouble, open};
use document::{Document, Taken};
use vivarium_core::settings::thousands;
use vivarium_labs::find;
use vivarium_model::chart::Chart;
use vivarium_model::models::inside::{At, Inside, Kind, OUTPUTS, left_out};
use vivarium_model::permalink::Link;
use vivarium_model::tasks::{Batch, given};
use vivarium_page::files::data::chart_data;
use vivarium_page::state::State;
use vivarium_training::inside::inside;
use vivarium_training::session::checkpoint::Checkpoint;
use vivarium_view::display::Phase;
use vivarium_view::display::data::about_charts;
use vivarium_view::record::File;

/// What `lab probe` takes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The link, a preset's name, or a file of a run or of weights. With the file of a run, nothing is trained.
    link: String,
    /// Charts, by their names in links, or all. Without this option: the charts that the link shows.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    charts: Vec<String>,
    /// Training steps. Without this option: the end of the run, or the step of the file.
    #[arg(long, value_name = "STEPS", value_delimiter = ',')]
    at: Vec<u64>,
    /// What is inside the network for given inputs. Needs json or npz.
    #[arg(long, value_enum, value_name = "ARRAYS", value_delimiter = ',')]
    arrays: Vec<Wanted>,
    /// CSV file with one input in each line, for --arrays. Without this option: held-out examples.
    #[arg(long, value_name = "FILE", requires = "arrays")]
    inputs: Option<PathBuf>,
    /// Number of held-out examples for --arrays.
    #[arg(long, default_value_t = 16, conflicts_with = "inputs", requires = "arrays")]
    examples: usize,
    /// Last training step, instead of the last step in the link.
    #[arg(long)]
    steps: Option<u64>,
    /// Format of the data. Without this option: the ending of the output file, or csv.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// File for the data, instead of standard output. npz needs a file.
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// No progress bar.
    #[arg(long, short)]
    quiet: bool,
}

/// How the data are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One table with a line for each number of each chart.
    Csv,
    /// One object with the charts and arrays.
    Json,
    /// An archive of numpy arrays.
    Npz,
}

/// What can be taken from inside a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Wanted {
    /// Values of the hidden units.
    Activations,
    /// Attention weights.
    Attention,
    /// The network's answers.
    Outputs,
}

impl Wanted {
    /// The kind of these arrays.
    fn kind(self) -> Kind {
        match self {
            Wanted::Activations => Kind::Activations,
            Wanted::Attention => Kind::Attention,
            Wanted::Outputs => Kind::Examples,
        }
    }
}

/// The format that was asked for, or that the ending of the file says.
fn format(arguments: &Arguments) -> Result<Format, Trouble> {
    let ending = arguments.output.as_ref().and_then(|path| path.extension()).and_then(|end| end.to_str());
    let of_file = ending.and_then(|end| Format::from_str(end, true).ok());
    let format = arguments.format.or(of_file).unwrap_or(Format::Csv);
    if format == Format::Npz && arguments.output.is_none() {
        return Err(Trouble::bad("--format npz needs a file: add --output data.npz"));
    }
    if format == Format::Csv && !arguments.arrays.is_empty() {
        return Err(Trouble::bad("--arrays needs --format json or npz, because CSV has no arrays"));
    }
    Ok(format)
}

/// What is probed.
enum Source {
    /// A run that is trained.
    Link,
    /// A run that goes on from the weights in a file, at this step.
    Weights(Vec<u8>, u64),
    /// The measurements in a file, up to this step.
    Record(Vec<u8>, u64),
}

impl Source {
    fn open(text: &str) -> Result<Source, Trouble> {
        let file = if find(text).is_some() { None } else { open::file(text)? };
        let bytes = || std::fs::read(text).with_context(|| format!("cannot read {text}"));
        Ok(match file {
            None => Source::Link,
            Some(File::Run(record)) => Source::Record(bytes()?, record.step),
            Some(File::Weights(header)) => Source::Weights(bytes()?, header.step),
        })
    }

    /// The steps to probe, rising; none for the end of a run, wherever that is.
    fn steps(&self, arguments: &Arguments, link: &Link) -> Result<Vec<u64>, Trouble> {
        let mut steps = arguments.at.clone();
        steps.sort_unstable();
        steps.dedup();
        let is_sweep = !link.spec.run.sweep.is_empty();
        if is_sweep && !steps.is_empty() {
            return Err(Trouble::bad("--at can be used only with a single run, and this link is a sweep"));
        }
        if is_sweep && !arguments.arrays.is_empty() {
            return Err(Trouble::bad(
                "--arrays can be used only with a single run, and this link is a sweep",
            ));
        }
        let (first, last) = (steps.first().copied(), steps.last().copied());
        match *self {
            Source::Link => match last.filter(|last| *last > link.spec.run.steps) {
                Some(late) => {
                    let (late, end) = (thousands(late), thousands(link.spec.run.steps));
                    Err(Trouble::bad(format!(
                        "step {late} is after the last step of the run, {end}; --steps sets the last step"
                    )))
                }
                None => Ok(steps),
            },
            Source::Weights(_, step) => match first.filter(|first| *first < step) {
                Some(early) => {
                    let (early, step) = (thousands(early), thousands(step));
                    Err(Trouble::bad(format!(
                        "the file contains the weights at step {step}; step {early} came before it"
                    )))
                }
                None if steps.is_empty() => Ok(vec![step]),
                None => Ok(steps),
            },
            Source::Record(_, step) => match last.filter(|last| *last > step) {
                Some(late) => {
                    let (late, step) = (thousands(late), thousands(step));
                    Err(Trouble::bad(format!("the run in the file ends at step {step}, before step {late}")))
                }
                None if steps.is_empty() => Ok(vec![step]),
                None => Ok(steps),
            },
        }
    }
}

/// The charts that were named; none where the link's are meant, and all that apply for "all".
fn named(arguments: &Arguments, link: &Link) -> Result<Vec<Chart>, Trouble> {
    if arguments.charts.is_empty() {
        return Ok(vec![]);
    }
    let page = Headless::waiting(link);
    let run = &page.state().run;
    if arguments.charts.iter().any(|name| name == "all") {
        return Ok(Chart::ALL.iter().copied().filter(|chart| chart.applies(run).is_ok()).collect());
    }
    let mut charts: Vec<Chart> = vec![];
    let mut sentences = vec![];
    for name in &arguments.charts {
        match Chart::find(name) {
            Some(chart) if charts.contains(&chart) => {}
            Some(chart) => charts.push(chart),
            None => {
                let some = Chart::ALL.iter().filter(|chart| chart.applies(run).is_ok());
                let some: Vec<&str> = some.map(|chart| chart.slug()).collect();
                sentences
                    .push(format!("there is no chart {name}; this run has the charts {}", some.join(", ")));
            }
        }
    }
    if sentences.is_empty() { Ok(charts) } else { Err(Trouble::BadLink(sentences)) }
}

/// Runs `lab probe`.
///
/// # Errors
/// A bad link, a chart, step or array that there is not, no device, or a file that cannot be written.
pub fn probe(arguments: &Arguments) -> Result<(), Trouble> {
    let format = format(arguments)?;
    let mut link = open::link(&arguments.link)?;
    if let Some(steps) = arguments.steps {
        open::set(&mut link.spec, "steps", &steps.to_string())?;
    }
    let source = Source::open(&arguments.link)?;
    if arguments.steps.is_some() && !matches!(source, Source::Link) {
        let file = &arguments.link;
        return Err(Trouble::bad(format!("--steps needs a link to train, and {file} is a file")));
    }
    let steps = source.steps(arguments, &link)?;
    let charts = named(arguments, &link)?;
    let are_named = !charts.is_empty();
    if are_named {
        link.view.show = charts;
    }
    let inputs = inputs(arguments, &link)?;
    if let (Source::Record(..), false) = (&source, arguments.arrays.is_empty()) {
        return Err(Trouble::bad(
            "--arrays needs weights, but the file contains none. Use the link of the run or a checkpoint.",
        ));
    }
    let mut document = Document::default();
    let mut probing = Probing { arguments, link: &link, inputs, are_named, document: &mut document };
    probing.all(source, &steps)?;
    say_what_is_empty(&document);
    let bytes = match format {
        Format::Csv => document.to_csv().into_bytes(),
        Format::Json => document.to_json()?.into_bytes(),
        Format::Npz => document.to_npz()?,
    };
    let written = match &arguments.output {
        Some(path) => replace(&Native, path, &bytes),
        // The two formats that may stand there are text.
        None => write(&mut std::io::stdout().lock(), &String::from_utf8_lossy(&bytes)),
    };
    Ok(written?)
}

/// Says which charts have no numbers.
#[expect(clippy::print_stderr, reason = "what is missing in the data is for the person")]
fn say_what_is_empty(document: &Document) {
    for data in document.charts.iter().filter(|data| data.is_empty()) {
        eprintln!("The chart {} has no data at step {}.", data.chart, thousands(data.step));
    }
}

/// What is taken from step to step.
struct Probing<'a> {
    arguments: &'a Arguments,
    link: &'a Link,
    inputs: Batch,
    /// Whether the charts were named, and a missing one is an error.
    are_named: bool,
    document: &'a mut Document,
}

impl Probing<'_> {
    fn all(&mut self, source: Source, steps: &[u64]) -> Result<(), Trouble> {
        match source {
            Source::Record(bytes, _) => {
                for step in steps {
                    let mut page = Headless::of_record(self.link, &self.arguments.link, bytes.clone())?;
                    page.cut_record(*step);
                    self.take(&mut page)?;
                }
                Ok(())
            }
            Source::Weights(bytes, _) => {
                self.walk(Headless::of_weights(self.link, &self.arguments.link, bytes)?, steps)
            }
            Source::Link if steps.is_empty() => {
                let mut page = Headless::open(self.link);
                self.check(page.state())?;
                train(&mut page, self.arguments.quiet)?;
                self.take(&mut page)
            }
            Source::Link => self.walk(Headless::waiting(self.link), steps),
        }
    }

    /// Goes from step to step.
    fn walk(&mut self, mut page: Headless, steps: &[u64]) -> Result<(), Trouble> {
        self.check(page.state())?;
        let bar = open::bar(steps.last().copied().unwrap_or(0), self.arguments.quiet);
        let mut walked = Ok(());
        for step in steps {
            walked = match page.reach(*step, |state| bar.set_position(state.run.step)) {
                Ok(true) => self.take(&mut page),
                Ok(false) => Err(Trouble::bad(early(page.state(), *step))),
                Err(trouble) => Err(trouble),
            };
            if walked.is_err() {
                break;
            }
        }
        bar.finish_and_clear();
        walked
    }

    /// Refuses charts that were named and that this run does not have, before anything is trained. What a sweep has is
    /// known when it is over.
    fn check(&self, state: &State) -> Result<(), Trouble> {
        if !self.are_named || state.run.sweep.is_some() {
            return Ok(());
        }
        let missing: Vec<String> = missing(state).into_iter().map(|(_, sentence)| sentence).collect();
        if missing.is_empty() { Ok(()) } else { Err(Trouble::BadLink(missing)) }
    }

    /// Takes the charts and the arrays at the step that the page shows.
    #[expect(clippy::print_stderr, reason = "what is left out is for the person")]
    fn take(&mut self, page: &mut Headless) -> Result<(), Trouble> {
        let state = page.state();
        let missing = missing(state);
        if !missing.is_empty() && self.are_named {
            return Err(Trouble::BadLink(missing.into_iter().map(|(_, sentence)| sentence).collect()));
        }
        missing.iter().for_each(|(_, sentence)| eprintln!("{sentence}"));
        self.document.about = about_charts(&state.run);
        for chart in &state.run.link.view.show {
            if missing.iter().all(|(other, _)| other != chart) {
                self.document.charts.push(chart_data(state, *chart));
            }
        }
        if self.arguments.arrays.is_empty() {
            return Ok(());
        }
        let checkpoint = page.weights()?;
        let arrays = arrays(&checkpoint, &self.inputs, &self.arguments.arrays)?;
        left_out(&arrays).iter().for_each(|sentence| eprintln!("{sentence}"));
        let step = checkpoint.step;
        self.document.arrays.extend(arrays.into_iter().map(|array| Taken { step, array }));
        Ok(())
    }
}

/// The charts on show that there are not of this run, each with a sentence that says why.
fn missing(state: &State) -> Vec<(Chart, String)> {
    let shown = state.run.link.view.show.iter();
    let why = |chart: &Chart| chart.applies(&state.run).err().map(|why| (*chart, why));
    shown.filter_map(why).map(|(chart, why)| (chart, format!("{}: {why}", chart.slug()))).collect()
}

/// Why a step was not reached.
fn early(state: &State, step: u64) -> String {
    let (end, step) = (thousands(state.run.step), thousands(step));
    match state.run.phase {
        Phase::Diverged { .. } => {
            format!("step {step} was not reached: the loss is no longer finite after step {end}")
        }
        _ => format!(
            "the run ended at step {end}, before step {step}; with halt=steps in the link, it goes on to its last step"
        ),
    }
}

/// The inputs of a file, or held-out examples with their labels.
fn inputs(arguments: &Arguments, link: &Link) -> Result<Batch, Trouble> {
    let (mut batch, spec) = (Batch::default(), &link.spec);
    if arguments.arrays.is_empty() {
        return Ok(batch);
    }
    let Some(path) = &arguments.inputs else {
        let most = spec.task.examples().held_out_size().unwrap_or(usize::MAX);
        let count = arguments.examples.min(most);
        if count == 0 {
            return Err(Trouble::bad("--arrays needs at least one example"));
        }
        spec.task.sampler().held_out_of(spec.run.seed, 0, 0, count, &mut batch);
        return Ok(batch);
    };
    for (line, numbers) in numbers(path)? {
        let row = given::row(spec.task.examples(), numbers);
        let row = row.map_err(|why| Trouble::bad(format!("{}, line {line}: {why}", path.display())))?;
        batch.x.extend(row);
    }
    Ok(batch)
}

/// The numbers in each line of a CSV file, with the number of the line; a first line without numbers names the columns.
fn numbers(path: &Path) -> Result<Vec<(usize, Vec<f32>)>, Trouble> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut all = vec![];
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let numbers: Result<Vec<f32>, _> = text.split(',').map(|cell| cell.trim().parse()).collect();
        match numbers {
            Ok(numbers) => all.push((line, numbers)),
            Err(_) if all.is_empty() && line == 1 => {}
            Err(_) => {
                return Err(Trouble::bad(format!(
                    "{}, line {line} contains something else than numbers",
                    path.display()
                )));
            }
        }
    }
    match all.is_empty() {
        true => Err(Trouble::bad(format!("{} contains no inputs", path.display()))),
        false => Ok(all),
    }
}

/// What is inside the first network of a checkpoint for these inputs, with the inputs.
fn arrays(checkpoint: &Checkpoint, batch: &Batch, wanted: &[Wanted]) -> Result<Vec<Inside>, Trouble> {
    let spec = &checkpoint.spec;
    let (examples, network) = (spec.task.examples(), spec.network());
    let parameters = checkpoint.weights.parameters.iter();
    // The first replica is the first part of each.
    let weights: Vec<&[f32]> = parameters.map(|values| &values[..values.len() / spec.run.replicas]).collect();
    let count = batch.x.len() / examples.columns().max(1);
    let array = |name: &str, axis: Option<&'static str>, values: Vec<f32>| {
        let each = values.len() / count.max(1);
        let axes: Vec<&'static str> = std::iter::once("example").chain(axis).collect();
        let shape = std::iter::once(count).chain(axis.map(|_| each)).collect();
        Inside { kind: Kind::Examples, name: name.into(), axes, shape, values }
    };
    let mut all = vec![array("inputs", Some("column"), batch.x.clone())];
    if !batch.y.is_empty() {
        all.push(array("labels", None, batch.y.clone()));
    }
    let none = |what: &str| {
        let name = spec.model.info().name;
        Trouble::bad(format!("the model {name} has no {what} that can be written as arrays"))
    };
    let kinds: Vec<Kind> = wanted.iter().map(|wanted| wanted.kind()).collect();
    let rate = spec.learning_rate(checkpoint.step);
    let at = At { seed: spec.run.seed, step: checkpoint.step, rate, kinds: &kinds };
    let mut inside = inside(spec, &at, &weights, &batch.x).map_err(Trouble::bad)?;
    let outputs = inside.iter().position(|array| array.name == OUTPUTS).map(|at| inside.remove(at));
    for (which, what) in [(Wanted::Activations, "activations"), (Wanted::Attention, "attention weights")] {
        if wanted.contains(&which) {
            let found = inside.iter().filter(|array| array.kind == which.kind()).cloned();
            let before = all.len();
            all.extend(found);
            if all.len() == before {
                return Err(none(what));
            }
        }
    }
    if wanted.contains(&Wanted::Outputs) {
        all.push(outputs.unwrap_or_else(|| {
            let stage = spec.stage(checkpoint.step);
            let outputs = network.evaluate(&weights, examples.inputs(), &batch.x, stage);
            let axis = (outputs.len() > count).then_some("output");
            array(OUTPUTS, axis, outputs)
        }));
    }
    Ok(all)
}

#[cfg(test)]
mod tests;
