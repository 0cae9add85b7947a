//! Header of a file of weights, read without a tensor library: a safetensors file begins with the length of its header,
//! which is JSON, and goes on with the numbers.
//!
//! What each tensor is, and how other programs read such a file, is in `src/model/models/TENSORS.md`.

use std::ops::Range;

use serde_json::{Map, Value};

use super::FileError;
use super::read::parse_link;
use super::values::shorten;
use vivarium_model::permalink::Link;
use vivarium_model::run::RunSpec;
use vivarium_model::run::checkpoint::{CheckpointMetadata, CheckpointMetadataError, moment_name};

/// Longest header in bytes of a safetensors file; a file with a longer header is not recognised. The header for 4096
/// replicas and a hundred tensors has a tenth of this length.
const MAX_HEADER_BYTES: u64 = 1 << 20;

/// Header of a checkpoint, a safetensors file with the weights and optimizer state of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckpointHeader {
    /// Settings of the run whose weights the checkpoint contains.
    pub spec: RunSpec,
    /// Training steps completed when the checkpoint was written.
    pub step: u64,
    /// For each replica, the step at which it reached the target, `None` if it did not.
    pub solved: Vec<Option<u64>>,
    /// Name of the file with the initial weights, and its description; both empty if the link determines the weights.
    pub initial_weights_file: [String; 2],
    /// Names and shapes `[replicas, rows, columns]` of the parameters, without optimizer state.
    pub tensors: Vec<(String, [usize; 3])>,
}

/// Length in bytes of the header of a safetensors file, from the file's first eight bytes; `None` if there are fewer.
fn header_length(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk::<8>().map(|length| u64::from_le_bytes(*length))
}

/// Whether the file begins like a safetensors file: a header length within the limit, then `{`.
pub fn is_safetensors(bytes: &[u8]) -> bool {
    header_length(bytes).is_some_and(|length| length <= MAX_HEADER_BYTES) && bytes.get(8) == Some(&b'{')
}

/// Value of `key` in the metadata of a safetensors file; `None` if the bytes are no such file or lack the key.
pub fn header_value(bytes: &[u8], key: &str) -> Option<String> {
    let length = header_length(bytes).filter(|_| is_safetensors(bytes))? as usize;
    let header: Value = serde_json::from_slice(bytes.get(8..8 + length)?).ok()?;
    Some(header.get("__metadata__")?.get(key)?.as_str()?.to_string())
}

impl CheckpointHeader {
    /// Reads the header of a checkpoint, checks it against the shapes that its link requires, and checks that all
    /// weights are finite.
    ///
    /// # Errors
    /// The first [`FileError`] that is found.
    pub fn read(bytes: &[u8]) -> Result<CheckpointHeader, FileError> {
        let header = CheckpointHeader::check(bytes, bytes.len() as u64)?;
        check_finite(bytes)?;
        Ok(header)
    }

    /// Whether `head`, the first bytes of a safetensors file, contains the whole header.
    pub(super) fn is_complete_in(head: &[u8]) -> bool {
        header_length(head).is_some_and(|length| length <= (head.len() as u64).saturating_sub(8))
    }

    /// Reads the header from the first bytes of a checkpoint of `size` bytes and checks it against the shapes that its
    /// link requires; the weights are not checked.
    ///
    /// # Errors
    /// The first [`FileError`] that is found.
    pub fn check(head: &[u8], size: u64) -> Result<CheckpointHeader, FileError> {
        let (header, begin) = parse_header(head, size)?;
        let about = header.get("__metadata__").and_then(Value::as_object).ok_or(FileError::ForeignWeights)?;
        let word = |key: &str| about.get(key).and_then(Value::as_str);
        let CheckpointMetadata { link, step, solved, initial_weights_file } = CheckpointMetadata::read(word)
            .map_err(|error| match error {
                CheckpointMetadataError::Format => FileError::ForeignWeights,
                CheckpointMetadataError::Step => {
                    FileError::invalid_field(tr!("the step of these weights"), tr!("a whole number"))
                }
            })?;
        let Link { spec, .. } = parse_link(link)?;
        if solved.len() != spec.run.replicas {
            let expected = tr!("one entry for each of the {replicas} replicas", replicas = spec.run.replicas);
            return Err(FileError::invalid_field(
                tr!("the list “solved” in the header of these weights"),
                expected,
            ));
        }
        let mut expected = begin;
        let mut tensors = vec![];
        for parameter in spec.parameters() {
            let moments = (0..spec.optimizer.moment_count()).map(|i| moment_name(&parameter.name, i));
            for name in std::iter::once(parameter.name.clone()).chain(moments) {
                let end = check_tensor(&header, &name, parameter.shape)?.end;
                expected = expected.max(begin.saturating_add(end));
            }
            tensors.push((parameter.name, parameter.shape));
        }
        match size == expected {
            true => {
                let initial = initial_weights_file.map(shorten);
                Ok(CheckpointHeader { spec, step, solved, initial_weights_file: initial, tensors })
            }
            false => Err(FileError::Length { found: size, expected }),
        }
    }
}

/// Parses the header of a safetensors file of `size` bytes from its first bytes; returns it with the offset in bytes at
/// which the tensors' data begin.
fn parse_header(head: &[u8], size: u64) -> Result<(Map<String, Value>, u64), FileError> {
    let length = header_length(head).filter(|_| is_safetensors(head)).ok_or(FileError::Unknown)?;
    // The length is at most [`MAX_HEADER_BYTES`].
    let Some(text) = head.get(8..8 + length as usize) else {
        return Err(FileError::Length { found: size, expected: 8 + length });
    };
    match serde_json::from_slice(text) {
        Ok(Value::Object(header)) => Ok((header, 8 + length)),
        Ok(_) => Err(FileError::ForeignWeights),
        Err(e) => {
            let (line, column) = (e.line(), e.column().max(1));
            Err(FileError::NotJson { line, column, ends_early: false })
        }
    }
}

/// Checks that all numbers in a safetensors file are finite.
///
/// # Errors
/// The name of the first tensor that has another one, or that the file has no header.
pub fn check_finite(bytes: &[u8]) -> Result<(), FileError> {
    let (header, begin) = parse_header(bytes, bytes.len() as u64)?;
    let data = &bytes[begin as usize..];
    for (name, about) in &header {
        let inside =
            |ends: Range<u64>| data.get(usize::try_from(ends.start).ok()?..usize::try_from(ends.end).ok()?);
        let words = data_range(about).and_then(inside).unwrap_or_default().as_chunks::<4>().0;
        if !words.iter().all(|word| f32::from_le_bytes(*word).is_finite()) {
            let expected = tr!("only finite numbers").into();
            return Err(FileError::Tensor { name: name.clone(), expected });
        }
    }
    Ok(())
}

/// Byte range of a tensor, relative to the beginning of the data, from the tensor's header entry; `None` if the entry
/// is invalid.
fn data_range(about: &Value) -> Option<Range<u64>> {
    let ends = about.get("data_offsets")?.as_array()?;
    match ends[..] {
        [ref from, ref to] => Some(from.as_u64()?..to.as_u64()?).filter(|ends| ends.start <= ends.end),
        _ => None,
    }
}

/// Byte range of the tensor `name`, relative to the beginning of the data, after checking that it has the shape
/// `[replicas, rows, columns]` in single precision.
fn check_tensor(header: &Map<String, Value>, name: &str, shape: [usize; 3]) -> Result<Range<u64>, FileError> {
    let text = shape.map(|n| n.to_string()).join(" × ");
    let wrong =
        || FileError::Tensor { name: name.into(), expected: tr!("{text} numbers in single precision", text) };
    let about = header.get(name).ok_or_else(wrong)?;
    let list = about.get("shape").and_then(Value::as_array);
    let is_so = |list: &Vec<Value>| list.iter().map(Value::as_u64).eq(shape.map(|n| Some(n as u64)));
    let is_right = about.get("dtype").and_then(Value::as_str) == Some("F32") && list.is_some_and(is_so);
    let bytes = shape.iter().fold(4, |bytes: u64, n| bytes.saturating_mul(*n as u64));
    data_range(about).filter(|ends| is_right && ends.end - ends.start == bytes).ok_or_else(wrong)
}
