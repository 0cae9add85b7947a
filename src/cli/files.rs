//! `lab check`: what a file holds. `lab script`: the same experiment in PyTorch.

use std::path::PathBuf;

use clap::Args;

use super::disk::{Native, replace};
use super::print::write;
use super::{Trouble, open};
use vivarium_core::settings::thousands;
use vivarium_model::permalink::{Link, encode};
use vivarium_model::protocol::Ending;
use vivarium_model::run::RunSpec;
use vivarium_view::record::{File, Record, columns, torch};

/// What `lab script` takes.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The link, a preset's name, or a file of a run or of weights.
    link: String,
    /// File for the script, instead of standard output.
    #[arg(long, short)]
    output: Option<PathBuf>,
}

/// Runs `lab script`.
///
/// # Errors
/// A bad link, a run that the script does not cover, or a file that cannot be written.
pub fn script(arguments: &Arguments) -> Result<(), Trouble> {
    let spec = open::link(&arguments.link)?.spec;
    let script = torch::script(&spec).map_err(Trouble::bad)?;
    match &arguments.output {
        Some(path) => replace(&Native, path, script.as_bytes())?,
        None => write(&mut std::io::stdout().lock(), &script)?,
    }
    Ok(())
}

/// Runs `lab check`.
///
/// # Errors
/// That there is no such file, or what is wrong with it.
pub fn check(path: &str) -> Result<(), Trouble> {
    let found = open::file(path)?.ok_or_else(|| anyhow::anyhow!("there is no file {path}"))?;
    let lines = match found {
        File::Run(record) => of_run(&record),
        File::Weights(header) => {
            let numbers: usize =
                header.tensors.iter().map(|(_, shape)| shape.iter().product::<usize>()).sum();
            let mut lines = vec![
                format!("Weights at step {}: {} numbers.", thousands(header.step), thousands(numbers as u64)),
                link_of(&header.spec),
            ];
            let [file, what] = &header.initial;
            lines.extend(initial(file, what));
            let named = header.tensors.iter().map(|(name, shape)| format!("  {name:<14}{shape:?}"));
            lines.extend(named);
            lines.push(solved(&header.solved));
            lines
        }
    };
    let mut text = lines.join("\n");
    text.push('\n');
    Ok(write(&mut std::io::stdout().lock(), &text)?)
}

fn link_of(spec: &RunSpec) -> String {
    encode(&Link::of(spec.clone()))
}

/// The file with the initial weights of a run, if the link does not draw them, and what that file is.
fn initial(file: &str, what: &str) -> Option<String> {
    (!file.is_empty()).then(|| format!("Initial weights: {file} ({what})."))
}

fn of_run(record: &Record) -> Vec<String> {
    let about = &record.environment;
    let places = [&about.device, &about.learner, &about.system, &about.program];
    let places: Vec<&str> = places.into_iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    let ended = match record.ending {
        Some(Ending::Target) => "ended at its target",
        Some(Ending::LastStep) => "ended at its last step",
        Some(Ending::Diverged) => "ended when its loss was no longer finite",
        None => "not ended",
    };
    let mut lines = vec![encode(&record.link), places.join(", ")];
    lines.extend(initial(&about.weights, &about.weights_of));
    if !record.times.is_empty() {
        let cells = vivarium_model::sweep::cells(&record.link.spec).len();
        lines.push(format!("A sweep: {} of {cells} runs, {ended}.", record.times.len()));
        return lines;
    }
    let (step, rows) = (thousands(record.step), thousands(record.rows.len() as u64));
    lines.push(format!("Step {step}, {ended}; {rows} measurements of {} replicas.", record.solved.len()));
    if let Some(last) = record.rows.last() {
        let spread = |values: &[f32]| vivarium_plot::analysis::curves::spread(values).0;
        for column in columns(&record.link.spec.measures(), record.rows.iter()) {
            lines.push(format!("  {:<32}{:.6}", column.key, spread(&column.of(last))));
        }
    }
    lines.push(solved(&record.solved));
    lines
}

fn solved(times: &[Option<u64>]) -> String {
    let found = times.iter().flatten().count();
    format!("{found} of {} replicas have reached the target.", times.len())
}
