//! `lab probe`: the data of charts, and arrays inside the network.
//!
//! # Why
//! The numbers are exactly those of the page: the player of the page gives the readings that it draws
//! ([`super::headless`]), and the menu of the page saves them with the same function
//! ([`vivarium_view::display::data`]). The run goes from step to step as on a page that is paused there: it is
//! measured, and its probes are answered.

mod document;
mod npz;

use std::path::{Path, PathBuf};
use vivarium_view::display::charts::ChartOfRun;

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::disk::{SystemDisk, replace_file};
use super::headless::HeadlessRun;
use super::plot::train_page;
use super::print::write_text;
use super::{CommandError, open};
use document::{ProbeDocument, StepArray};
use vivarium_core::settings::format_thousands;
use vivarium_labs::find_preset;
use vivarium_model::chart::Chart;
use vivarium_model::models::inside::{At, Inside, Kind, OUTPUTS, left_out};
use vivarium_model::permalink::Link;
use vivarium_model::tasks::{Batch, given};
use vivarium_player::Player;
use vivarium_training::inside::inside;
use vivarium_training::session::checkpoint::Checkpoint;
use vivarium_view::display::RunPhase;
use vivarium_view::display::data::{ChartData, build_chart_record};
use vivarium_view::record::RunFile;

/// Command-line arguments of `lab probe`.
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
    /// Arrays inside the network for given inputs. Needs json or npz.
    #[arg(long, value_enum, value_name = "ARRAYS", value_delimiter = ',')]
    arrays: Vec<ArrayKind>,
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
    format: Option<ProbeFormat>,
    /// File for the data, instead of standard output. npz needs a file.
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// No progress bar.
    #[arg(long, short)]
    quiet: bool,
}

/// File format of probed data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProbeFormat {
    /// One table with a line for each number of each chart.
    Csv,
    /// One object with the charts and arrays.
    Json,
    /// An archive of numpy arrays.
    Npz,
}

/// Kind of arrays inside a network, for `--arrays`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ArrayKind {
    /// Values of the hidden units.
    Activations,
    /// Attention weights.
    Attention,
    /// The network's answers.
    Outputs,
}

impl ArrayKind {
    /// Kind in the model crate under which arrays of this kind are computed: a network's outputs belong to
    /// [`Kind::Examples`], as its inputs and labels do.
    fn inside_kind(self) -> Kind {
        match self {
            ArrayKind::Activations => Kind::Activations,
            ArrayKind::Attention => Kind::Attention,
            ArrayKind::Outputs => Kind::Examples,
        }
    }
}

/// Format of the data: `--format`, or the extension of the output file, or CSV.
fn choose_format(arguments: &Arguments) -> Result<ProbeFormat, CommandError> {
    let ending = arguments.output.as_ref().and_then(|path| path.extension()).and_then(|end| end.to_str());
    let of_file = ending.and_then(|end| ProbeFormat::from_str(end, true).ok());
    let format = arguments.format.or(of_file).unwrap_or(ProbeFormat::Csv);
    if format == ProbeFormat::Npz && arguments.output.is_none() {
        return Err(CommandError::bad_link("--format npz needs a file: add --output data.npz"));
    }
    if format == ProbeFormat::Csv && !arguments.arrays.is_empty() {
        return Err(CommandError::bad_link("--arrays needs --format json or npz, because CSV has no arrays"));
    }
    Ok(format)
}

/// Where the probed numbers come from: a run that is trained, or a file.
enum ProbeSource {
    /// A run that is trained.
    Link,
    /// Bytes of a file of weights, and their step; the run continues from there.
    Weights(Vec<u8>, u64),
    /// Bytes of the file of a run, and its last step; nothing is trained.
    Record(Vec<u8>, u64),
}

impl ProbeSource {
    /// Opens `text` as a file; anything else is a link or the name of a preset.
    fn open(text: &str) -> Result<ProbeSource, CommandError> {
        let file = if find_preset(text).is_some() { None } else { open::read_run_file(text)? };
        let bytes = || std::fs::read(text).with_context(|| format!("cannot read {text}"));
        Ok(match file {
            None => ProbeSource::Link,
            Some(RunFile::Run(record)) => ProbeSource::Record(bytes()?, record.step),
            Some(RunFile::Weights(header)) => ProbeSource::Weights(bytes()?, header.step),
        })
    }

    /// Training steps to probe, ascending; empty for the end of a run that is trained.
    ///
    /// # Errors
    /// When a step is outside the run or the file, or the link is a sweep.
    fn probed_steps(&self, arguments: &Arguments, link: &Link) -> Result<Vec<u64>, CommandError> {
        let mut steps = arguments.at.clone();
        steps.sort_unstable();
        steps.dedup();
        let is_sweep = !link.spec.run.sweep.is_empty();
        if is_sweep && !steps.is_empty() {
            return Err(CommandError::bad_link(
                "--at can be used only with a single run, and this link is a sweep",
            ));
        }
        if is_sweep && !arguments.arrays.is_empty() {
            return Err(CommandError::bad_link(
                "--arrays can be used only with a single run, and this link is a sweep",
            ));
        }
        let (first, last) = (steps.first().copied(), steps.last().copied());
        match *self {
            ProbeSource::Link => match last.filter(|last| *last > link.spec.run.steps) {
                Some(late) => {
                    let (late, end) = (format_thousands(late), format_thousands(link.spec.run.steps));
                    Err(CommandError::bad_link(format!(
                        "step {late} is after the last step of the run, {end}; --steps sets the last step"
                    )))
                }
                None => Ok(steps),
            },
            ProbeSource::Weights(_, step) => match first.filter(|first| *first < step) {
                Some(early) => {
                    let (early, step) = (format_thousands(early), format_thousands(step));
                    Err(CommandError::bad_link(format!(
                        "the file contains the weights at step {step}; step {early} came before it"
                    )))
                }
                None if steps.is_empty() => Ok(vec![step]),
                None => Ok(steps),
            },
            ProbeSource::Record(_, step) => match last.filter(|last| *last > step) {
                Some(late) => {
                    let (late, step) = (format_thousands(late), format_thousands(step));
                    Err(CommandError::bad_link(format!(
                        "the run in the file ends at step {step}, before step {late}"
                    )))
                }
                None if steps.is_empty() => Ok(vec![step]),
                None => Ok(steps),
            },
        }
    }
}

/// Charts that `--charts` names, or all that apply to the run for "all"; empty without the option, which
/// means those of the link.
fn parse_charts(arguments: &Arguments, link: &Link) -> Result<Vec<Chart>, CommandError> {
    if arguments.charts.is_empty() {
        return Ok(vec![]);
    }
    let page = HeadlessRun::open_paused(link);
    let run = &page.player().run;
    if arguments.charts.iter().any(|name| name == "all") {
        return Ok(Chart::ALL.iter().copied().filter(|chart| chart.applies(run).is_ok()).collect());
    }
    let mut charts: Vec<Chart> = vec![];
    let mut sentences = vec![];
    for name in &arguments.charts {
        match Chart::from_slug(name) {
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
    if sentences.is_empty() { Ok(charts) } else { Err(CommandError::BadLink(sentences)) }
}

/// Runs `lab probe`: writes the data of charts, and arrays inside the network, at chosen training steps.
///
/// # Errors
/// A bad link, a chart, step or array that there is not, no device, or a file that cannot be written.
pub fn probe(arguments: &Arguments) -> Result<(), CommandError> {
    let format = choose_format(arguments)?;
    let mut link = open::read_link(&arguments.link)?;
    if let Some(steps) = arguments.steps {
        open::override_setting(&mut link.spec, "steps", &steps.to_string())?;
    }
    let source = ProbeSource::open(&arguments.link)?;
    if arguments.steps.is_some() && !matches!(source, ProbeSource::Link) {
        let file = &arguments.link;
        return Err(CommandError::bad_link(format!("--steps needs a link to train, and {file} is a file")));
    }
    let steps = source.probed_steps(arguments, &link)?;
    let charts = parse_charts(arguments, &link)?;
    let are_named = !charts.is_empty();
    if are_named {
        link.view.show = charts;
    }
    let inputs = read_inputs(arguments, &link)?;
    if let (ProbeSource::Record(..), false) = (&source, arguments.arrays.is_empty()) {
        return Err(CommandError::bad_link(
            "--arrays needs weights, but the file contains none. Use the link of the run or a checkpoint.",
        ));
    }
    let mut document = ProbeDocument::default();
    let mut probing =
        ProbeRun { arguments, link: &link, inputs, requires_charts: are_named, document: &mut document };
    probing.probe_source(source, &steps)?;
    report_empty_charts(&document);
    let bytes = match format {
        ProbeFormat::Csv => document.to_csv().into_bytes(),
        ProbeFormat::Json => document.to_json()?.into_bytes(),
        ProbeFormat::Npz => document.to_npz()?,
    };
    let written = match &arguments.output {
        Some(path) => replace_file(&SystemDisk, path, &bytes),
        // CSV and JSON are text; npz needs a file.
        None => write_text(&mut std::io::stdout().lock(), &String::from_utf8_lossy(&bytes)),
    };
    Ok(written?)
}

/// Prints a sentence for each chart of the document that has no numbers at its step.
#[expect(clippy::print_stderr, reason = "what is missing in the data is for the person")]
fn report_empty_charts(document: &ProbeDocument) {
    for data in document.charts.iter().filter(|data| data.is_empty()) {
        eprintln!("The chart {} has no data at step {}.", data.chart, format_thousands(data.step));
    }
}

/// Arguments, inputs and collected data of a `lab probe` command in progress.
struct ProbeRun<'a> {
    /// Command-line arguments of `lab probe`.
    arguments: &'a Arguments,
    /// Link of the run that is probed, with the charts to read.
    link: &'a Link,
    /// Inputs for which `--arrays` computes activations, attention weights or outputs; empty without
    /// `--arrays`.
    inputs: Batch,
    /// Whether `--charts` names the charts, so that a missing one is an error.
    requires_charts: bool,
    /// Document to which the charts and arrays of each probed step are added.
    document: &'a mut ProbeDocument,
}

impl ProbeRun<'_> {
    /// Adds to the document the charts and arrays of the run, weights or record `source` at each of the
    /// training steps `steps`.
    fn probe_source(&mut self, source: ProbeSource, steps: &[u64]) -> Result<(), CommandError> {
        match source {
            ProbeSource::Record(bytes, _) => {
                for step in steps {
                    let mut page = HeadlessRun::from_record(self.link, &self.arguments.link, bytes.clone())?;
                    page.truncate_record(*step);
                    self.probe_step(&mut page)?;
                }
                Ok(())
            }
            ProbeSource::Weights(bytes, _) => {
                self.probe_steps(HeadlessRun::from_weights(self.link, &self.arguments.link, bytes)?, steps)
            }
            ProbeSource::Link if steps.is_empty() => {
                let mut page = HeadlessRun::open(self.link);
                self.check_charts(page.player())?;
                train_page(&mut page, self.arguments.quiet)?;
                self.probe_step(&mut page)
            }
            ProbeSource::Link => self.probe_steps(HeadlessRun::open_paused(self.link), steps),
        }
    }

    /// Trains the run on `page` to each of these training steps in turn, and adds its charts and arrays
    /// there.
    fn probe_steps(&mut self, mut page: HeadlessRun, steps: &[u64]) -> Result<(), CommandError> {
        self.check_charts(page.player())?;
        let bar = open::step_bar(steps.last().copied().unwrap_or(0), self.arguments.quiet);
        let mut walked = Ok(());
        for step in steps {
            walked = match page.train_to(*step, |player| bar.set_position(player.run.step)) {
                Ok(true) => self.probe_step(&mut page),
                Ok(false) => Err(CommandError::bad_link(describe_unreached_step(page.player(), *step))),
                Err(trouble) => Err(trouble),
            };
            if walked.is_err() {
                break;
            }
        }
        bar.finish_and_clear();
        walked
    }

    /// Checks before training that the run has all charts that `--charts` names. Which charts a sweep has is
    /// known only at its end.
    fn check_charts(&self, player: &Player) -> Result<(), CommandError> {
        if !self.requires_charts || player.run.sweep.is_some() {
            return Ok(());
        }
        let missing: Vec<String> = missing_charts(player).into_iter().map(|(_, sentence)| sentence).collect();
        if missing.is_empty() { Ok(()) } else { Err(CommandError::BadLink(missing)) }
    }

    /// Adds the charts and the arrays at the current step of the page to the document.
    #[expect(clippy::print_stderr, reason = "what is left out is for the person")]
    fn probe_step(&mut self, page: &mut HeadlessRun) -> Result<(), CommandError> {
        let player = page.player();
        let missing = missing_charts(player);
        if !missing.is_empty() && self.requires_charts {
            return Err(CommandError::BadLink(missing.into_iter().map(|(_, sentence)| sentence).collect()));
        }
        missing.iter().for_each(|(_, sentence)| eprintln!("{sentence}"));
        self.document.about = build_chart_record(&player.run);
        for chart in &player.run.link.view.show {
            if missing.iter().all(|(other, _)| other != chart) {
                self.document.charts.push(ChartData::new(*chart, &player.run, chart.reading(&player.run)));
            }
        }
        if self.arguments.arrays.is_empty() {
            return Ok(());
        }
        let checkpoint = page.request_checkpoint()?;
        let arrays = extract_arrays(&checkpoint, &self.inputs, &self.arguments.arrays)?;
        left_out(&arrays).iter().for_each(|sentence| eprintln!("{sentence}"));
        let step = checkpoint.step;
        self.document.arrays.extend(arrays.into_iter().map(|array| StepArray { step, array }));
        Ok(())
    }
}

/// Charts of the link that do not apply to the run, each with the reason in a sentence.
fn missing_charts(player: &Player) -> Vec<(Chart, String)> {
    let shown = player.run.link.view.show.iter();
    let why = |chart: &Chart| chart.applies(&player.run).err().map(|why| (*chart, why));
    shown.filter_map(why).map(|(chart, why)| (chart, format!("{}: {why}", chart.slug()))).collect()
}

/// A sentence that explains why the run did not reach `step`.
fn describe_unreached_step(player: &Player, step: u64) -> String {
    let (end, step) = (format_thousands(player.run.step), format_thousands(step));
    match player.run.phase {
        RunPhase::Diverged { .. } => {
            format!("step {step} was not reached: the loss is no longer finite after step {end}")
        }
        _ => format!(
            "the run ended at step {end}, before step {step}; with halt=steps in the link, it goes on to its last step"
        ),
    }
}

/// Inputs for `--arrays`: those in the file of `--inputs`, or held-out examples with their labels.
fn read_inputs(arguments: &Arguments, link: &Link) -> Result<Batch, CommandError> {
    let (mut batch, spec) = (Batch::default(), &link.spec);
    if arguments.arrays.is_empty() {
        return Ok(batch);
    }
    let Some(path) = &arguments.inputs else {
        let most = spec.task.examples().held_out_count().unwrap_or(usize::MAX);
        let count = arguments.examples.min(most);
        if count == 0 {
            return Err(CommandError::bad_link("--arrays needs at least one example"));
        }
        spec.task.sampler().append_held_out_of_replica(spec.run.seed, 0, 0, count, &mut batch);
        return Ok(batch);
    };
    for (line, numbers) in read_numbers(path)? {
        let row = given::input_row(spec.task.examples(), numbers);
        let row =
            row.map_err(|why| CommandError::bad_link(format!("{}, line {line}: {why}", path.display())))?;
        batch.x.extend(row);
    }
    Ok(batch)
}

/// Rows of numbers of a CSV file, each with its line number from 1; a first line without numbers is skipped
/// as a header.
fn read_numbers(path: &Path) -> Result<Vec<(usize, Vec<f32>)>, CommandError> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut all = vec![];
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let numbers: Result<Vec<f32>, _> = text.split(',').map(|cell| cell.trim().parse()).collect();
        match numbers {
            Ok(numbers) => all.push((line, numbers)),
            Err(_) if all.is_empty() && line == 1 => {}
            Err(_) => {
                return Err(CommandError::bad_link(format!(
                    "{}, line {line} contains something else than numbers",
                    path.display()
                )));
            }
        }
    }
    match all.is_empty() {
        true => Err(CommandError::bad_link(format!("{} contains no inputs", path.display()))),
        false => Ok(all),
    }
}

/// The inputs in `batch`, and the requested arrays inside the first network of a checkpoint for these inputs.
fn extract_arrays(
    checkpoint: &Checkpoint,
    batch: &Batch,
    wanted: &[ArrayKind],
) -> Result<Vec<Inside>, CommandError> {
    let spec = &checkpoint.spec;
    let (examples, network) = (spec.task.examples(), spec.network());
    let parameters = checkpoint.weights.parameters.iter();
    // The first replica is the first part of each parameter.
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
        CommandError::bad_link(format!("the model {name} has no {what} that can be written as arrays"))
    };
    let kinds: Vec<Kind> = wanted.iter().map(|wanted| wanted.inside_kind()).collect();
    let rate = spec.learning_rate(checkpoint.step);
    let at = At { seed: spec.run.seed, step: checkpoint.step, rate, kinds: &kinds };
    let mut inside = inside(spec, &at, &weights, &batch.x).map_err(CommandError::bad_link)?;
    let outputs = inside.iter().position(|array| array.name == OUTPUTS).map(|at| inside.remove(at));
    for (which, what) in
        [(ArrayKind::Activations, "activations"), (ArrayKind::Attention, "attention weights")]
    {
        if wanted.contains(&which) {
            let found = inside.iter().filter(|array| array.kind == which.inside_kind()).cloned();
            let before = all.len();
            all.extend(found);
            if all.len() == before {
                return Err(none(what));
            }
        }
    }
    if wanted.contains(&ArrayKind::Outputs) {
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
