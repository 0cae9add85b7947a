//! Starting point of a run: weights drawn from the seed, weights of a file, or a checkpoint.
//!
//! # Why
//! A checkpoint continues only the run that the link states. Silently taking the settings of one of the two
//! would give numbers that the user did not ask for, so every setting that differs is named instead.
//! 2026-11-26.

use std::path::Path;

use anyhow::Context;

use super::Arguments;
use crate::output::{CHECKPOINT_KEY, OutputMark, checksum};
use crate::{CommandError, open};
use vivarium_model::protocol::RunError;
use vivarium_model::run::RunSpec;
use vivarium_training::launch::device::Device;
use vivarium_training::session::checkpoint::{Checkpoint, parameters_in};
use vivarium_training::session::{Options, Session};
use vivarium_view::record::weights::header_value;
use vivarium_view::record::{TrainingEnvironment, quote_argument};

/// Initial weights of a run, or the checkpoint that it continues.
pub struct RunStart {
    /// Where the weights of the first step come from: drawn from the seed, from a file, or from a checkpoint.
    point: StartPoint,
    /// The file with the initial weights and what it is; both empty if the link draws the weights.
    weights: [String; 2],
}

/// Point from which a run starts: drawn weights, weights of a file, or a checkpoint.
enum StartPoint {
    /// Weights drawn from the seed; with a sentence for the user if the file given as the link has other
    /// initial weights.
    Drawn(Option<String>),
    /// Weights from a file: for each parameter tensor of the model its numbers for all replicas, replica
    /// after replica.
    Weights(Vec<Vec<f32>>),
    /// A checkpoint, with the mark of its metrics text; None if it has no mark.
    Checkpoint(Box<Checkpoint>, Option<OutputMark>),
}

impl RunStart {
    /// Reads the file of `--resume` or `--weights`; without these options, the run starts with weights drawn
    /// from its seed.
    ///
    /// # Errors
    /// When a file cannot be read, or [`CommandError::BadLink`] when it does not fit the run.
    pub fn read(arguments: &Arguments, spec: &RunSpec) -> Result<RunStart, CommandError> {
        match (&arguments.resume, &arguments.weights) {
            (Some(path), _) => read_checkpoint(path, spec),
            (None, Some(path)) => read_weights(path, spec),
            (None, None) => {
                let at = StartPoint::Drawn(open::describe_other_start(&arguments.link)?);
                Ok(RunStart { point: at, weights: Default::default() })
            }
        }
    }

    /// Starts the session of the run at this point.
    ///
    /// # Errors
    /// As [`Session::start`].
    pub fn start_session(
        &self,
        spec: &RunSpec,
        device: &Device,
        options: Options,
    ) -> Result<Session, RunError> {
        match &self.point {
            StartPoint::Drawn(_) => Session::start(spec, device, options),
            StartPoint::Weights(parameters) => {
                // The state of the optimizer is that of a new run.
                let mut fresh = pollster::block_on(Session::start(spec, device, options)?.checkpoint())?;
                fresh.weights.parameters.clone_from(parameters);
                fresh.initial.clone_from(&self.weights);
                Session::resume(&fresh, device, options)
            }
            StartPoint::Checkpoint(checkpoint, _) => {
                let checkpoint = Checkpoint { spec: spec.clone(), ..checkpoint.as_ref().clone() };
                Session::resume(&checkpoint, device, options)
            }
        }
    }

    /// The mark of the metrics in the checkpoint of `--resume`: None for a new run, `Some(None)` for a
    /// checkpoint without a mark.
    pub fn resumed_mark(&self) -> Option<Option<OutputMark>> {
        if let StartPoint::Checkpoint(_, mark) = &self.point { Some(*mark) } else { None }
    }

    /// Adds the file with the initial weights and its description to the environment of a run.
    pub fn add_to_environment(&self, environment: TrainingEnvironment) -> TrainingEnvironment {
        let [weights, weights_of] = self.weights.clone();
        TrainingEnvironment { weights_file: weights, weights_description: weights_of, ..environment }
    }

    /// A sentence for the user if the run does not start with the weights that its link draws; None
    /// otherwise.
    pub fn describe(&self) -> Option<String> {
        let [file, what] = &self.weights;
        match &self.point {
            StartPoint::Drawn(told) => told.clone(),
            StartPoint::Weights(_) => Some(format!("The run begins with the weights in {file} ({what}).")),
            StartPoint::Checkpoint(..) => None,
        }
    }
}

/// Reads a file; an error names its path.
fn read_bytes(path: &Path) -> Result<Vec<u8>, CommandError> {
    Ok(std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?)
}

/// Reads the checkpoint of `--resume` and checks that it belongs to the run.
fn read_checkpoint(path: &Path, spec: &RunSpec) -> Result<RunStart, CommandError> {
    let bytes = read_bytes(path)?;
    let checkpoint = Checkpoint::decode(&bytes)?;
    let differs = list_contradictions(spec, &checkpoint.spec);
    if !differs.is_empty() {
        let file = path.display();
        let word = quote_argument(&file.to_string());
        let first =
            format!("{file} is a checkpoint of another run, so the run of the link cannot continue from it.");
        let hint = format!(
            "Only steps, device and the charts may differ. To continue the run of the checkpoint, give the file as the \
             link: lab run {word} --resume {word}"
        );
        return Err(CommandError::BadLink([vec![first], differs, vec![hint]].concat()));
    }
    let mark = header_value(&bytes, CHECKPOINT_KEY).and_then(|text| OutputMark::parse(&text));
    let weights = checkpoint.initial.clone();
    Ok(RunStart { point: StartPoint::Checkpoint(Box::new(checkpoint), mark), weights })
}

/// A sentence for each setting whose value differs between the run of the link and that of the checkpoint
/// file.
fn list_contradictions(link: &RunSpec, file: &RunSpec) -> Vec<String> {
    let mut same = file.clone();
    (same.run.steps, same.run.device) = (link.run.steps, link.run.device);
    if same == *link {
        return vec![];
    }
    let sentence = |key: &str, link: &str, file: &str| {
        let [link, file] = [link, file].map(|value| if value.is_empty() { "empty" } else { value });
        format!("{key} is {link} in the link and {file} in the checkpoint.")
    };
    let [lab, other] = [link, file].map(|spec| spec.task.info().slug);
    if lab != other {
        // Settings of two labs cannot be compared.
        return vec![sentence("lab", lab, other)];
    }
    // The settings of another model or optimizer are not compared: the choice itself differs.
    let differences = link.list_differences(&same).into_iter().filter(|(key, ..)| same.value(key).is_some());
    differences.map(|(key, file, link)| sentence(&key, &link, &file)).collect()
}

/// Reads the file of `--weights` and checks that its weights fit the run.
fn read_weights(path: &Path, spec: &RunSpec) -> Result<RunStart, CommandError> {
    let bytes = read_bytes(path)?;
    let file = path.display();
    let parameters = parameters_in(&bytes, spec).map_err(|why| match why {
        RunError::Impossible(why) => {
            CommandError::bad_link(format!("The weights in {file} do not fit the link: {why}."))
        }
        other => CommandError::Other(anyhow::anyhow!("{file}: {other}")),
    })?;
    let run = header_value(&bytes, "link").zip(header_value(&bytes, "step"));
    let run = run.map_or_else(String::new, |(link, step)| format!("step {step} of {link}, "));
    let what = format!("{run}checksum {:016x}", checksum(&bytes));
    Ok(RunStart { point: StartPoint::Weights(parameters), weights: [file.to_string(), what] })
}
