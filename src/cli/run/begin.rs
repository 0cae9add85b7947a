//! Where a run begins: at the weights that its link draws, at weights of a file, or at the step of a checkpoint.
//!
//! # Why
//! A checkpoint continues only the run that the link states. To take the settings of one of the two in silence would give
//! numbers that the person did not ask for, so every setting that differs is named instead. 2026-11-26.

use std::path::Path;

use anyhow::Context;

use super::Arguments;
use crate::output::{KEY, Mark, checksum};
use crate::{Trouble, open};
use vivarium_model::protocol::Failure;
use vivarium_model::run::RunSpec;
use vivarium_training::launch::device::Device;
use vivarium_training::session::checkpoint::{Checkpoint, parameters_in};
use vivarium_training::session::{Options, Session};
use vivarium_view::record::weights::about;
use vivarium_view::record::{Environment, shell};

/// Where a run begins.
pub struct Beginning {
    at: At,
    /// The file with the initial weights and what it is; both empty if the link draws the weights.
    weights: [String; 2],
}

enum At {
    /// With what a person is told of a file of which only the link is taken.
    Drawn(Option<String>),
    Weights(Vec<Vec<f32>>),
    /// With how far the metrics had come.
    Checkpoint(Box<Checkpoint>, Option<Mark>),
}

impl Beginning {
    /// What the arguments say of it, read from the files that they name.
    ///
    /// # Errors
    /// A file that cannot be read, and [`Trouble::BadLink`] where it does not fit the run.
    pub fn read(arguments: &Arguments, spec: &RunSpec) -> Result<Beginning, Trouble> {
        match (&arguments.resume, &arguments.weights) {
            (Some(path), _) => resumed(path, spec),
            (None, Some(path)) => from_weights(path, spec),
            (None, None) => {
                let at = At::Drawn(open::other_start(&arguments.link)?);
                Ok(Beginning { at, weights: Default::default() })
            }
        }
    }

    /// The run there.
    ///
    /// # Errors
    /// As [`Session::start`].
    pub fn session(&self, spec: &RunSpec, device: &Device, options: Options) -> Result<Session, Failure> {
        match &self.at {
            At::Drawn(_) => Session::start(spec, device, options),
            At::Weights(parameters) => {
                // The optimizer begins as it always does.
                let mut fresh = pollster::block_on(Session::start(spec, device, options)?.checkpoint())?;
                fresh.weights.parameters.clone_from(parameters);
                fresh.initial.clone_from(&self.weights);
                Session::resume(&fresh, device, options)
            }
            At::Checkpoint(checkpoint, _) => {
                let checkpoint = Checkpoint { spec: spec.clone(), ..checkpoint.as_ref().clone() };
                Session::resume(&checkpoint, device, options)
            }
        }
    }

    /// Whether a run goes on, and then how far its metrics had come.
    pub fn resumed(&self) -> Option<Option<Mark>> {
        if let At::Checkpoint(_, mark) = &self.at { Some(*mark) } else { None }
    }

    /// The environment of a run with this beginning.
    pub fn in_environment(&self, environment: Environment) -> Environment {
        let [weights, weights_of] = self.weights.clone();
        Environment { weights, weights_of, ..environment }
    }

    /// What a person is told of a run that does not begin as its link says, or as the run of the file that was given.
    pub fn told(&self) -> Option<String> {
        let [file, what] = &self.weights;
        match &self.at {
            At::Drawn(told) => told.clone(),
            At::Weights(_) => Some(format!("The run begins with the weights in {file} ({what}).")),
            At::Checkpoint(..) => None,
        }
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, Trouble> {
    Ok(std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?)
}

/// The checkpoint in a file, if it is one of the run.
fn resumed(path: &Path, spec: &RunSpec) -> Result<Beginning, Trouble> {
    let bytes = bytes(path)?;
    let checkpoint = Checkpoint::decode(&bytes)?;
    let differs = contradictions(spec, &checkpoint.spec);
    if !differs.is_empty() {
        let file = path.display();
        let word = shell(&file.to_string());
        let first =
            format!("{file} is a checkpoint of another run, so the run of the link cannot continue from it.");
        let hint = format!(
            "Only steps, device and the charts may differ. To continue the run of the checkpoint, give the file as the \
             link: lab run {word} --resume {word}"
        );
        return Err(Trouble::BadLink([vec![first], differs, vec![hint]].concat()));
    }
    let mark = about(&bytes, KEY).and_then(|text| Mark::parse(&text));
    let weights = checkpoint.initial.clone();
    Ok(Beginning { at: At::Checkpoint(Box::new(checkpoint), mark), weights })
}

/// A sentence for each setting in which a link contradicts a checkpoint.
fn contradictions(link: &RunSpec, file: &RunSpec) -> Vec<String> {
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
        // Settings of two labs have no common meaning.
        return vec![sentence("lab", lab, other)];
    }
    // The settings of another model or optimizer are not compared: the choice itself differs.
    let differences = link.differences(&same).into_iter().filter(|(key, ..)| same.value(key).is_some());
    differences.map(|(key, file, link)| sentence(&key, &link, &file)).collect()
}

/// The weights in a file, if they are weights for the run.
fn from_weights(path: &Path, spec: &RunSpec) -> Result<Beginning, Trouble> {
    let bytes = bytes(path)?;
    let file = path.display();
    let parameters = parameters_in(&bytes, spec).map_err(|why| match why {
        Failure::Impossible(why) => {
            Trouble::bad(format!("The weights in {file} do not fit the link: {why}."))
        }
        other => Trouble::Other(anyhow::anyhow!("{file}: {other}")),
    })?;
    let run = about(&bytes, "link").zip(about(&bytes, "step"));
    let run = run.map_or_else(String::new, |(link, step)| format!("step {step} of {link}, "));
    let what = format!("{run}checksum {:016x}", checksum(&bytes));
    Ok(Beginning { at: At::Weights(parameters), weights: [file.to_string(), what] })
}
