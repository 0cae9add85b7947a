//! `lab check`: describes a file of a run or of weights. `lab script`: writes the same experiment in PyTorch.

use std::path::PathBuf;

use clap::Args;

use super::disk::{SystemDisk, replace_file};
use super::print::write_text;
use super::rows::diverged_of_several;
use super::{CommandError, open};
use vivarium_core::settings::format_thousands;
use vivarium_model::permalink::{Link, encode};
use vivarium_model::protocol::EndReason;
use vivarium_model::run::RunSpec;
use vivarium_plot::analysis::curves::median_range;
use vivarium_plot::analysis::replicas::without_diverged;
use vivarium_view::record::{Record, RunFile, list_columns, torch};

/// Command-line arguments of `lab script`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The link, a preset's name, or a file of a run or of weights.
    link: String,
    /// File for the script, instead of standard output.
    #[arg(long, short)]
    output: Option<PathBuf>,
}

/// Runs `lab script`: writes the PyTorch script of a run.
///
/// # Errors
/// A bad link, a run that the script does not cover, or a file that cannot be written.
pub fn script(arguments: &Arguments) -> Result<(), CommandError> {
    let spec = open::read_link(&arguments.link)?.spec;
    let script = torch::write_script(&spec).map_err(CommandError::bad_link)?;
    match &arguments.output {
        Some(path) => replace_file(&SystemDisk, path, script.as_bytes())?,
        None => write_text(&mut std::io::stdout().lock(), &script)?,
    }
    Ok(())
}

/// Runs `lab check`: prints what the file at `path` contains.
///
/// # Errors
/// When there is no file at `path`, or it cannot be read, for example because it is damaged.
pub fn check(path: &str) -> Result<(), CommandError> {
    let found = open::read_run_file(path)?.ok_or_else(|| anyhow::anyhow!("there is no file {path}"))?;
    let lines = match found {
        RunFile::Run(record) => describe_run(&record),
        RunFile::Weights(header) => {
            let numbers: usize =
                header.tensors.iter().map(|(_, shape)| shape.iter().product::<usize>()).sum();
            let mut lines = vec![
                format!(
                    "Weights at step {}: {} numbers.",
                    format_thousands(header.step),
                    format_thousands(numbers as u64)
                ),
                encode_link(&header.spec),
            ];
            let [file, what] = &header.initial_weights_file;
            lines.extend(describe_initial_weights(file, what));
            let named = header.tensors.iter().map(|(name, shape)| format!("  {name:<14}{shape:?}"));
            lines.extend(named);
            lines.push(describe_solved(&header.solved));
            lines
        }
    };
    let mut text = lines.join("\n");
    text.push('\n');
    Ok(write_text(&mut std::io::stdout().lock(), &text)?)
}

/// The link of a run without settings of the view, such as the charts on show.
fn encode_link(spec: &RunSpec) -> String {
    encode(&Link::from_spec(spec.clone()))
}

/// A sentence about the file with the initial weights, named `file` and described by `about`. None if `file`
/// is empty, since the link then draws the weights.
fn describe_initial_weights(file: &str, about: &str) -> Option<String> {
    (!file.is_empty()).then(|| format!("Initial weights: {file} ({about})."))
}

/// Lines that `lab check` prints about `record`, the contents of the file of a run or a sweep.
fn describe_run(record: &Record) -> Vec<String> {
    let about = &record.environment;
    let places = [&about.device, &about.learner, &about.system, &about.program];
    let places: Vec<&str> = places.into_iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    let ended = match record.ending {
        Some(EndReason::Target) => "ended at its target",
        Some(EndReason::LastStep) => "ended at its last step",
        Some(EndReason::Diverged) => "ended when its loss was no longer finite",
        None => "not ended",
    };
    let mut lines = vec![encode(&record.link), places.join(", ")];
    lines.extend(describe_initial_weights(&about.weights_file, &about.weights_description));
    if !record.times.is_empty() {
        let cells = vivarium_model::sweep::cells(&record.link.spec).len();
        lines.push(format!("A sweep: {} of {cells} runs, {ended}.", record.times.len()));
        return lines;
    }
    let (step, rows) = (format_thousands(record.step), format_thousands(record.rows.len() as u64));
    lines.push(format!("Step {step}, {ended}; {rows} measurements of {} replicas.", record.solved.len()));
    if let Some(last) = record.rows.last() {
        let diverged = diverged_of_several(last, record.link.spec.is_executed());
        for column in list_columns(&record.link.spec.measure_names(), record.rows.iter()) {
            let (median, ..) = median_range(&without_diverged(&column.values(last), &diverged));
            lines.push(format!("  {:<32}{median:.6}", column.key));
        }
        if !diverged.is_empty() {
            lines.push(format!("  Diverged networks, left out of these medians: {}", diverged.len()));
        }
    }
    lines.push(describe_solved(&record.solved));
    lines
}

/// A sentence with the number of replicas that reached the target. `times` has for each replica the step at
/// which it did; None if never.
fn describe_solved(times: &[Option<u64>]) -> String {
    let found = times.iter().flatten().count();
    format!("{found} of {} replicas have reached the target.", times.len())
}
