//! Checkpoints, against what the page reads in their headers; and the trials of presets.

use safetensors::SafeTensors;
use vivarium::labs::PRESETS;
use vivarium::models::Parameter;
use vivarium::permalink::decode;
use vivarium::protocol::RunError;
use vivarium::record::weights::{CheckpointHeader, header_value};
use vivarium::run::checkpoint::INITIAL_WEIGHTS_KEYS;
use vivarium::training::session::checkpoint::{Checkpoint, parameters_in};
use vivarium::training::session::learner::Weights;
use vivarium::training::session::trial::endless;
use vivarium_core::testing::mutation::{MutationRng, mutate, mutation_count};

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
    let header = CheckpointHeader::read(&written).unwrap();
    assert_eq!((header.spec, header.step, header.solved), (checkpoint().spec, 1 << 40, vec![None, Some(7)]));
    let arrays = SafeTensors::deserialize(&written).unwrap();
    assert_eq!(arrays.tensor("w").unwrap().shape(), [2, 5, 3]);
}

#[test]
fn the_same_run_is_the_same_bytes_and_more_can_be_stated_of_it() {
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
    assert_eq!(header_value(&more, "rows").as_deref(), Some("of 7"));
    assert_eq!(header_value(&written, "rows"), None);
}

/// A run that began with the weights of a file says so in its checkpoints, and so does whoever reads their header.
#[test]
fn a_checkpoint_keeps_where_the_initial_weights_come_from() {
    let initial = ["half.safetensors", "step 50 of #v1/sparse-parity, checksum 0123456789abcdef"];
    let begun = Checkpoint { initial: initial.map(String::from), ..checkpoint() };
    let written = begun.encode().unwrap();
    assert_eq!(Checkpoint::decode(&written).unwrap(), begun);
    assert_eq!(CheckpointHeader::read(&written).unwrap().initial_weights_file, begun.initial);
    let drawn = checkpoint().encode().unwrap();
    assert_eq!(CheckpointHeader::read(&drawn).unwrap().initial_weights_file, [const { String::new() }; 2]);
    assert!(INITIAL_WEIGHTS_KEYS.iter().all(|key| header_value(&drawn, key).is_none()));
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
    let said = header_value(&bytes, "link");
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
        assert_eq!(of(link), Err(RunError::Impossible(sentence.into())), "{link}");
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
    assert_eq!(why, RunError::Impossible("w contains numbers that are NaN or infinite".into()));
    assert!(matches!(parameters_in(b"nonsense", &broken.spec), Err(RunError::BadCheckpoint(_))));
}

#[test]
fn damaged_files_are_refused_with_a_reason() {
    let written = checkpoint().encode().unwrap();
    for end in [0, 7, 100, written.len() - 1] {
        assert!(matches!(Checkpoint::decode(&written[..end]), Err(RunError::BadCheckpoint(_))));
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
    for which in 0..mutation_count() {
        let bytes = mutate(&written, &mut MutationRng::new(which));
        match Checkpoint::decode(&bytes) {
            Ok(read) => {
                taken += 1;
                let shapes = read.spec.parameters();
                let lengths = || shapes.iter().map(Parameter::len);
                assert!(read.weights.parameters.iter().map(Vec::len).eq(lengths()));
                let mut moments = read.weights.moments.iter().zip(lengths());
                assert!(moments.all(|(all, length)| all.iter().all(|moment| moment.len() == length)));
                assert_eq!(read.solved.len(), read.spec.run.replicas);
                // As bytes: a number that is none equals nothing.
                let again = read.encode().unwrap();
                assert_eq!(Checkpoint::decode(&again).unwrap().encode().unwrap(), again);
                // What the page says of it is what the worker takes.
                if let Ok(header) = CheckpointHeader::read(&bytes) {
                    assert_eq!(
                        (header.spec, header.step, header.solved),
                        (read.spec, read.step, read.solved)
                    );
                }
            }
            Err(RunError::BadCheckpoint(why)) => assert!(!why.is_empty()),
            Err(other) => panic!("{other}"),
        }
    }
    assert!(taken > mutation_count() / 100 && taken < mutation_count(), "{taken}");
}

#[test]
fn every_preset_can_be_tried() {
    for preset in PRESETS.iter() {
        let spec = preset.link().spec;
        assert!(spec.invalid_settings().is_empty());
        let tried = endless(&spec);
        assert!(tried.invalid_settings().is_empty(), "{}: {:?}", preset.slug, tried.invalid_settings());
        assert_eq!(tried.step_flops(), spec.step_flops(), "{}", preset.slug);
    }
}
