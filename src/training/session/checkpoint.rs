//! A run at one step, as a safetensors file: its link, the step, every parameter and the optimizer's memory.

use std::collections::BTreeMap;

use safetensors::{Dtype, SafeTensors};
use serde_json::json;

use crate::permalink::{Link, decode, encode};
use crate::protocol::Failure;
use crate::run::RunSpec;
use crate::training::session::learner::Weights;

/// What distinguishes our files from other people's.
const FORMAT: &str = "vivarium-checkpoint-1";

/// How the optimizer's memory of a parameter is named, behind the parameter's own name and before its number.
const MOMENT: &str = ".moment";

/// Under which keys the header has [the origin of the initial weights](Checkpoint::initial).
const INITIAL: [&str; 2] = ["weights", "weights_of"];

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
    /// [`Failure::Internal`] if its header cannot be written, which it can.
    pub fn encode(&self) -> Result<Vec<u8>, Failure> {
        self.encode_with(&[])
    }

    /// The same with more entries in its header.
    ///
    /// # Errors
    /// As [`Checkpoint::encode`].
    pub fn encode_with(&self, more: &[(&str, String)]) -> Result<Vec<u8>, Failure> {
        let link = Link::of(self.spec.clone());
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
        let initial = INITIAL.into_iter().zip(&self.initial).filter(|(_, text)| !text.is_empty());
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
                add(format!("{}{MOMENT}{i}", parameter.name), parameter.shape, moment);
            }
        }
        let mut text = serde_json::to_vec(&header).map_err(|e| Failure::Internal(e.to_string()))?;
        // The numbers begin at a multiple of eight bytes, as the format wants it.
        text.resize(text.len().next_multiple_of(8), b' ');
        Ok([&(text.len() as u64).to_le_bytes()[..], &text, &data].concat())
    }

    /// From the bytes of a file, checked against the shapes that its link asks for.
    ///
    /// # Errors
    /// [`Failure::BadCheckpoint`] with what is wrong.
    pub fn decode(bytes: &[u8]) -> Result<Self, Failure> {
        let bad = |why: String| Failure::BadCheckpoint(why);
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(|e| bad(e.to_string()))?;
        let about = header.metadata().clone().unwrap_or_default();
        let field = |name: &str| about.get(name).ok_or_else(|| bad(format!("{name} is missing")));
        if field("format")? != FORMAT {
            return Err(bad("it was written by another program".into()));
        }
        let (link, notices) = decode(field("link")?);
        if let Some(notice) = notices.first() {
            return Err(bad(notice.to_string()));
        }
        let spec = link.spec;
        let step = field("step")?.parse().map_err(|_| bad("its step is not a number".into()))?;
        let solved: Vec<Option<u64>> =
            field("solved")?.split_whitespace().map(|word| word.parse().ok()).collect();
        if solved.len() != spec.run.replicas {
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
            let moments = (0..spec.optimizer.moments())
                .map(|i| read(&format!("{}{MOMENT}{i}", parameter.name), parameter.shape));
            weights.moments.push(moments.collect::<Result<_, _>>()?);
        }
        let initial = INITIAL.map(|key| about.get(key).cloned().unwrap_or_default());
        Ok(Checkpoint { spec, step, solved, initial, weights })
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
/// [`Failure::BadCheckpoint`] if this is no safetensors file, and [`Failure::Impossible`] with the first tensor that does
/// not fit the run.
pub fn parameters_in(bytes: &[u8], spec: &RunSpec) -> Result<Vec<Vec<f32>>, Failure> {
    let arrays = SafeTensors::deserialize(bytes).map_err(|e| Failure::BadCheckpoint(e.to_string()))?;
    let parameters = spec.parameters();
    let is_of_run = |name: &str| parameters.iter().any(|parameter| parameter.name == name);
    let names = arrays.names().into_iter();
    let other = names.filter(|name| !is_of_run(name.split(MOMENT).next().unwrap_or_default())).min();
    if let Some(name) = other {
        let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        let why = format!("the file contains {name}, and this network has only {}", names.join(", "));
        return Err(Failure::Impossible(why));
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
    all.collect::<Result<_, String>>().map_err(Failure::Impossible)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::mutation_tests::{Dice, changed, many};
    use crate::record::weights::Header;

    fn checkpoint() -> Checkpoint {
        let (link, _) = decode("#v1/sparse-parity?opt=adam&n=5&width=3&replicas=2");
        let numbers = |scale: f32| -> Vec<Vec<f32>> {
            let shapes = link.spec.parameters();
            shapes.iter().map(|p| (0..p.len()).map(|i| i as f32 * scale).collect()).collect()
        };
        let moments = numbers(0.5).into_iter().zip(numbers(0.25)).map(|(a, b)| vec![a, b]).collect();
        let weights = Weights { parameters: numbers(0.1), moments };
        let initial = Default::default();
        Checkpoint { spec: link.spec, step: 1 << 40, solved: vec![None, Some(7)], initial, weights }
    }

    #[test]
    fn reads_back_what_it_writes_and_other_programs_can_read_it() {
        let written = checkpoint().encode().unwrap();
        assert_eq!(Checkpoint::decode(&written).unwrap(), checkpoint());
        // The page reads the header without this library.
        let header = Header::read(&written).unwrap();
        assert_eq!(
            (header.spec, header.step, header.solved),
            (checkpoint().spec, 1 << 40, vec![None, Some(7)])
        );
        let arrays = SafeTensors::deserialize(&written).unwrap();
        assert_eq!(arrays.tensor("w").unwrap().shape(), [2, 5, 3]);
    }

    #[test]
    fn the_same_run_is_the_same_bytes_and_more_can_be_said_of_it() {
        let written = checkpoint().encode().unwrap();
        assert!((0..200).all(|_| checkpoint().encode().unwrap() == written));
        let more = checkpoint().encode_with(&[("rows", "of 7".into())]).unwrap();
        // In whatever order more is said.
        let said = ["rows", "weights", "a", "z"].map(|key| (key, format!("of {key}")));
        let all = checkpoint().encode_with(&said).unwrap();
        for first in 0..said.len() {
            let mut other = said.clone();
            other.rotate_left(first);
            assert!(checkpoint().encode_with(&other).unwrap() == all);
            other.reverse();
            assert!(checkpoint().encode_with(&other).unwrap() == all);
        }
        // The header is the same text, byte for byte, in every build.
        let length = u64::from_le_bytes(*written.first_chunk::<8>().unwrap()) as usize;
        let header = String::from_utf8(written[8..8 + length].to_vec()).unwrap();
        let begin = "{\"__metadata__\":{\"format\":\"vivarium-checkpoint-1\",\"link\":\"#v1/sparse-parity?opt=adam&n=5&\
                     width=3&replicas=2\",\"solved\":\"- 7\",\"step\":\"1099511627776\"},";
        assert!(header.starts_with(begin), "{header}");
        assert!(
            header.contains("\"w\":{\"data_offsets\":[0,120],\"dtype\":\"F32\",\"shape\":[2,5,3]}"),
            "{header}"
        );
        assert_eq!(Checkpoint::decode(&more).unwrap(), checkpoint());
        assert_eq!(crate::record::weights::about(&more, "rows").as_deref(), Some("of 7"));
        assert_eq!(crate::record::weights::about(&written, "rows"), None);
    }

    /// A run that began with the weights of a file says so in its checkpoints, and so does whoever reads their header.
    #[test]
    fn a_checkpoint_keeps_where_the_initial_weights_come_from() {
        let initial = ["half.safetensors", "step 50 of #v1/sparse-parity, checksum 0123456789abcdef"];
        let begun = Checkpoint { initial: initial.map(String::from), ..checkpoint() };
        let written = begun.encode().unwrap();
        assert_eq!(Checkpoint::decode(&written).unwrap(), begun);
        assert_eq!(Header::read(&written).unwrap().initial, begun.initial);
        let drawn = checkpoint().encode().unwrap();
        assert_eq!(Header::read(&drawn).unwrap().initial, [const { String::new() }; 2]);
        assert!(INITIAL.iter().all(|key| crate::record::weights::about(&drawn, key).is_none()));
    }

    /// What was shown when a checkpoint was made is no part of it.
    #[test]
    fn the_link_of_a_checkpoint_is_that_of_its_run() {
        let (link, _) = decode("#v1/groups?n=13&width=8&steps=20&show=neurons&y=log");
        let numbers = link.spec.parameters().iter().map(|p| vec![0.0; p.len()]).collect();
        let weights = Weights { parameters: numbers, ..Default::default() };
        let spec = link.spec.clone();
        let initial = Default::default();
        let bytes = Checkpoint { spec, step: 0, solved: vec![None], initial, weights }.encode().unwrap();
        let said = crate::record::weights::about(&bytes, "link");
        assert_eq!(said.as_deref(), Some("#v1/groups?n=13&width=8&steps=20"));
    }

    #[test]
    fn parameters_are_taken_from_any_file_that_has_them_in_their_shapes() {
        let file = checkpoint().encode().unwrap();
        let of = |link: &str| parameters_in(&file, &decode(link).0.spec);
        let whole = Ok(checkpoint().weights.parameters);
        assert_eq!(of("#v1/sparse-parity?opt=adam&n=5&width=3&replicas=2"), whole);
        // Another optimizer, task and seed have other memory and examples, and the same parameters.
        assert_eq!(of("#v1/sparse-parity?n=5&k=2&width=3&replicas=2&seed=7"), whole);
        for (link, sentence) in [
            (
                "#v1/sparse-parity?n=5&width=4&replicas=2",
                "this run needs w with 2 × 5 × 4 numbers (replicas × rows × columns); in the file w has 2 × 5 × 3",
            ),
            (
                "#v1/sparse-parity?n=5&width=3",
                "this run needs w with 1 × 5 × 3 numbers (replicas × rows × columns); in the file w has 2 × 5 × 3",
            ),
        ] {
            assert_eq!(of(link), Err(Failure::Impossible(sentence.into())), "{link}");
        }
        let said = |link: &str| of(link).unwrap_err().to_string();
        let deep = said("#v1/sparse-parity?n=5&model=deep-mlp&widths=3.3&replicas=2");
        assert!(
            deep.starts_with("the file contains ") || deep.contains("; the file does not contain "),
            "{deep}"
        );
        let mut broken = checkpoint();
        broken.weights.parameters[0][7] = f32::NAN;
        let why = parameters_in(&broken.encode().unwrap(), &broken.spec).unwrap_err();
        assert_eq!(why, Failure::Impossible("w contains numbers that are NaN or infinite".into()));
        assert!(matches!(parameters_in(b"nonsense", &broken.spec), Err(Failure::BadCheckpoint(_))));
    }

    #[test]
    fn damaged_files_are_refused_with_a_reason() {
        let written = checkpoint().encode().unwrap();
        for end in [0, 7, 100, written.len() - 1] {
            assert!(matches!(Checkpoint::decode(&written[..end]), Err(Failure::BadCheckpoint(_))));
        }
        let text = String::from_utf8_lossy(&written[8..]).into_owned();
        assert!(text.contains("width=3"));
        let mut other = written.clone();
        let at = other.windows(7).position(|w| w == b"width=3").unwrap();
        other[at + 6] = b'4';
        let problem = Checkpoint::decode(&other).unwrap_err().to_string();
        assert!(problem.contains("shape"), "{problem}");
    }

    #[test]
    fn files_that_were_changed_are_read_whole_or_refused() {
        let written = checkpoint().encode().unwrap();
        let mut taken = 0;
        for which in 0..many() {
            let bytes = changed(&written, &mut Dice::new(which));
            match Checkpoint::decode(&bytes) {
                Ok(read) => {
                    taken += 1;
                    let shapes = read.spec.parameters();
                    let lengths = || shapes.iter().map(crate::models::Parameter::len);
                    assert!(read.weights.parameters.iter().map(Vec::len).eq(lengths()));
                    let mut moments = read.weights.moments.iter().zip(lengths());
                    assert!(moments.all(|(all, length)| all.iter().all(|moment| moment.len() == length)));
                    assert_eq!(read.solved.len(), read.spec.run.replicas);
                    // As bytes: a number that is none equals nothing.
                    let again = read.encode().unwrap();
                    assert_eq!(Checkpoint::decode(&again).unwrap().encode().unwrap(), again);
                    // What the page says of it is what the worker takes.
                    if let Ok(header) = Header::read(&bytes) {
                        assert_eq!(
                            (header.spec, header.step, header.solved),
                            (read.spec, read.step, read.solved)
                        );
                    }
                }
                Err(Failure::BadCheckpoint(why)) => assert!(!why.is_empty()),
                Err(other) => panic!("{other}"),
            }
        }
        assert!(taken > many() / 100 && taken < many(), "{taken}");
    }
}
