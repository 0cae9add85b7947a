//! A run at one step, as a safetensors file: its link, the step, every parameter and the optimizer's memory.

use std::collections::BTreeMap;

use safetensors::{Dtype, SafeTensors};
use serde_json::json;

use crate::session::learner::Weights;
use vivarium_model::permalink::{Link, decode, encode};
use vivarium_model::protocol::RunError;
use vivarium_model::run::RunSpec;
use vivarium_model::run::checkpoint::{
    CheckpointMetadata, FORMAT, INITIAL_WEIGHTS_KEYS, MOMENT_INFIX, moment_name,
};

/// A run at one step.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// The run.
    pub spec: RunSpec,
    /// Steps made.
    pub step: u64,
    /// For each replica, the step at which it reached the target.
    pub solved: Vec<Option<u64>>,
    /// The file with the initial weights of the run and what that file is; both empty if the link draws the weights.
    pub initial: [String; 2],
    /// Parameters and optimizer memory.
    pub weights: Weights,
}

impl Checkpoint {
    /// As the bytes of a safetensors file, the same for the same run.
    ///
    /// # Errors
    /// [`RunError::Internal`] if its header cannot be written, which it can.
    pub fn encode(&self) -> Result<Vec<u8>, RunError> {
        self.encode_with(&[])
    }

    /// The same with more entries in its header.
    ///
    /// # Errors
    /// As [`Checkpoint::encode`].
    pub fn encode_with(&self, more: &[(&str, String)]) -> Result<Vec<u8>, RunError> {
        let link = Link::from_spec(self.spec.clone());
        let solved: Vec<String> =
            self.solved.iter().map(|s| s.map_or("-".to_string(), |step| step.to_string())).collect();
        let own = [
            ("format", FORMAT.to_string()),
            ("link", encode(&link)),
            ("step", self.step.to_string()),
            ("solved", solved.join(" ")),
        ];
        // By hand: the library writes these entries in another order each time. Both maps are sorted by key, whatever the
        // features of the JSON library.
        let initial =
            INITIAL_WEIGHTS_KEYS.into_iter().zip(&self.initial).filter(|(_, text)| !text.is_empty());
        let more = own.iter().chain(more).map(|(key, text)| (*key, text.as_str()));
        let about: BTreeMap<&str, &str> =
            more.chain(initial.map(|(key, text)| (key, text.as_str()))).collect();
        let mut header = BTreeMap::from([("__metadata__".to_string(), json!(about))]);
        let mut data: Vec<u8> = vec![];
        let mut add = |name: String, shape: [usize; 3], numbers: &[f32]| {
            let from = data.len();
            data.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            let place = json!({"data_offsets": [from, data.len()], "dtype": "F32", "shape": shape});
            header.insert(name, place);
        };
        for (which, parameter) in self.spec.parameters().iter().enumerate() {
            add(parameter.name.clone(), parameter.shape, &self.weights.parameters[which]);
            for (i, moment) in self.weights.moments.get(which).into_iter().flatten().enumerate() {
                add(moment_name(&parameter.name, i), parameter.shape, moment);
            }
        }
        let mut text = serde_json::to_vec(&header).map_err(|e| RunError::Internal(e.to_string()))?;
        // The numbers begin at a multiple of eight bytes, as the format wants it.
        text.resize(text.len().next_multiple_of(8), b' ');
        Ok([&(text.len() as u64).to_le_bytes()[..], &text, &data].concat())
    }

    /// From the bytes of a file, checked against the shapes that its link asks for.
    ///
    /// # Errors
    /// [`RunError::BadCheckpoint`] with what is wrong.
    pub fn decode(bytes: &[u8]) -> Result<Self, RunError> {
        let bad = |why: String| RunError::BadCheckpoint(why);
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(|e| bad(e.to_string()))?;
        let about = header.metadata().clone().unwrap_or_default();
        let metadata = CheckpointMetadata::read(|key| about.get(key).map(String::as_str))
            .map_err(|error| bad(error.to_string()))?;
        let (link, notices) = decode(metadata.link);
        if let Some(notice) = notices.first() {
            return Err(bad(notice.to_string()));
        }
        let spec = link.spec;
        if metadata.solved.len() != spec.run.replicas {
            return Err(bad("it has a different number of replicas".into()));
        }
        let arrays = SafeTensors::deserialize(bytes).map_err(|e| bad(e.to_string()))?;
        let read = |name: &str, shape: [usize; 3]| {
            let view = arrays.tensor(name).map_err(|e| bad(e.to_string()))?;
            if view.shape() != shape || view.dtype() != Dtype::F32 {
                return Err(bad(format!("{name} has another shape")));
            }
            Ok(numbers(view.data()))
        };
        let mut weights = Weights::default();
        for parameter in spec.parameters() {
            weights.parameters.push(read(&parameter.name, parameter.shape)?);
            let moments = (0..spec.optimizer.moment_count())
                .map(|i| read(&moment_name(&parameter.name, i), parameter.shape));
            weights.moments.push(moments.collect::<Result<_, _>>()?);
        }
        let CheckpointMetadata { step, solved, initial_weights_file, .. } = metadata;
        Ok(Checkpoint { spec, step, solved, initial: initial_weights_file.map(String::from), weights })
    }
}

/// The numbers in these bytes.
fn numbers(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|word| f32::from_le_bytes(*word)).collect()
}

/// The parameters of `spec` from the bytes of a safetensors file of any program: each by its name and in its shape. The
/// optimizer's memory in the file is left out.
///
/// # Errors
/// [`RunError::BadCheckpoint`] if this is no safetensors file, and [`RunError::Impossible`] with the first tensor that does
/// not fit the run.
pub fn parameters_in(bytes: &[u8], spec: &RunSpec) -> Result<Vec<Vec<f32>>, RunError> {
    let arrays = SafeTensors::deserialize(bytes).map_err(|e| RunError::BadCheckpoint(e.to_string()))?;
    let parameters = spec.parameters();
    let is_of_run = |name: &str| parameters.iter().any(|parameter| parameter.name == name);
    let names = arrays.names().into_iter();
    let other = names.filter(|name| !is_of_run(name.split(MOMENT_INFIX).next().unwrap_or_default())).min();
    if let Some(name) = other {
        let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        let why = format!("the file contains {name}, and this network has only {}", names.join(", "));
        return Err(RunError::Impossible(why));
    }
    let text = |shape: &[usize]| shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
    let read = |name: &str, shape: [usize; 3]| {
        let wanted =
            format!("this run needs {name} with {} numbers (replicas × rows × columns)", text(&shape));
        let Ok(view) = arrays.tensor(name) else {
            return Err(format!("{wanted}; the file does not contain {name}"));
        };
        if view.shape() != shape {
            return Err(format!("{wanted}; in the file {name} has {}", text(view.shape())));
        }
        if view.dtype() != Dtype::F32 {
            return Err(format!(
                "{name} must be in single precision (F32); in the file it is {:?}",
                view.dtype()
            ));
        }
        let values = numbers(view.data());
        match values.iter().all(|value| value.is_finite()) {
            true => Ok(values),
            false => Err(format!("{name} contains numbers that are NaN or infinite")),
        }
    };
    let all = parameters.iter().map(|parameter| read(&parameter.name, parameter.shape));
    all.collect::<Result<_, String>>().map_err(RunError::Impossible)
}
