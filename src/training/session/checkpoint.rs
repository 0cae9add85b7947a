//! A run at one step, as a safetensors file: its link, the step, every parameter and the optimizer's memory.

use safetensors::{Dtype, SafeTensors};
use serde_json::{Map, Value, json};

use crate::permalink::{Link, decode, encode};
use crate::protocol::Failure;
use crate::run::RunSpec;
use crate::training::session::learner::Weights;

/// What distinguishes our files from other people's.
const FORMAT: &str = "vivarium-checkpoint-1";

/// A run at one step.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// The run.
    pub spec: RunSpec,
    /// Steps made.
    pub step: u64,
    /// For each replica, the step at which it reached the target.
    pub solved: Vec<Option<u64>>,
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
        let link = Link { spec: self.spec.clone(), ..Default::default() };
        let solved: Vec<String> =
            self.solved.iter().map(|s| s.map_or("-".to_string(), |step| step.to_string())).collect();
        let own = [
            ("format", FORMAT.to_string()),
            ("link", encode(&link)),
            ("step", self.step.to_string()),
            ("solved", solved.join(" ")),
        ];
        // By hand: the library writes these entries in another order each time.
        let about: Map<String, Value> =
            own.iter().chain(more).map(|(key, text)| (key.to_string(), text.clone().into())).collect();
        let mut header = Map::from_iter([("__metadata__".to_string(), Value::from(about))]);
        let mut data: Vec<u8> = vec![];
        let mut add = |name: String, shape: [usize; 3], numbers: &[f32]| {
            let from = data.len();
            data.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            let place = json!({"dtype": "F32", "shape": shape, "data_offsets": [from, data.len()]});
            header.insert(name, place);
        };
        for (which, parameter) in self.spec.parameters().iter().enumerate() {
            add(parameter.name.clone(), parameter.shape, &self.weights.parameters[which]);
            for (i, moment) in self.weights.moments.get(which).into_iter().flatten().enumerate() {
                add(format!("{}.moment{i}", parameter.name), parameter.shape, moment);
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
            let words = view.data().as_chunks::<4>().0;
            Ok(words.iter().map(|word| f32::from_le_bytes(*word)).collect::<Vec<f32>>())
        };
        let mut weights = Weights::default();
        for parameter in spec.parameters() {
            weights.parameters.push(read(&parameter.name, parameter.shape)?);
            let moments = (0..spec.optimizer.moments())
                .map(|i| read(&format!("{}.moment{i}", parameter.name), parameter.shape));
            weights.moments.push(moments.collect::<Result<_, _>>()?);
        }
        Ok(Checkpoint { spec, step, solved, weights })
    }
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
        Checkpoint { spec: link.spec, step: 1 << 40, solved: vec![None, Some(7)], weights }
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
        assert!((0..20).all(|_| checkpoint().encode().unwrap() == written));
        let more = checkpoint().encode_with(&[("rows", "of 7".into())]).unwrap();
        assert_eq!(Checkpoint::decode(&more).unwrap(), checkpoint());
        assert_eq!(crate::record::weights::about(&more, "rows").as_deref(), Some("of 7"));
        assert_eq!(crate::record::weights::about(&written, "rows"), None);
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
