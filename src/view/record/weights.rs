//! What a file of weights says of itself, without a tensor library: a safetensors file begins with the length of its
//! header, which is JSON, and goes on with the numbers.
//!
//! What each tensor is, and how other programs read such a file, is in `src/model/models/TENSORS.md`.

use std::ops::Range;

use serde_json::{Map, Value};

use super::FileError;
use super::read::link;
use super::values::shortened;
use vivarium_model::permalink::Link;
use vivarium_model::run::RunSpec;

/// The format that checkpoints name in their header.
pub const FORMAT: &str = "vivarium-checkpoint-1";

/// Under which keys a header has the file with the initial weights of its run, and what that file is.
pub const INITIAL: [&str; 2] = ["weights", "weights_of"];

/// Longest header that is read. One of 4096 replicas and a hundred tensors has a tenth of it.
const MOST_HEADER: u64 = 1 << 20;

/// What the header of a checkpoint says.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// The run.
    pub spec: RunSpec,
    /// Steps made.
    pub step: u64,
    /// For each replica, the step at which it reached the target.
    pub solved: Vec<Option<u64>>,
    /// The file with the initial weights of the run and what that file is; both empty if the link draws the weights.
    pub initial: [String; 2],
    /// Names and shapes of the parameters, without the optimizer's memory.
    pub tensors: Vec<(String, [usize; 3])>,
}

fn header_length(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk::<8>().map(|length| u64::from_le_bytes(*length))
}

/// Whether these bytes begin as a safetensors file does.
pub fn looks_so(bytes: &[u8]) -> bool {
    header_length(bytes).is_some_and(|length| length <= MOST_HEADER) && bytes.get(8) == Some(&b'{')
}

/// The value of this key in the header of a file of weights, if the file has such a header and key.
pub fn about(bytes: &[u8], key: &str) -> Option<String> {
    let length = header_length(bytes).filter(|_| looks_so(bytes))? as usize;
    let header: Value = serde_json::from_slice(bytes.get(8..8 + length)?).ok()?;
    Some(header.get("__metadata__")?.get(key)?.as_str()?.to_string())
}

impl Header {
    /// Reads the header of a checkpoint and checks it against the shapes that its link asks for, and the numbers behind
    /// it for being finite.
    ///
    /// # Errors
    /// The first [`FileError`] that is found.
    pub fn read(bytes: &[u8]) -> Result<Header, FileError> {
        let header = Header::check(bytes, bytes.len() as u64)?;
        finite(bytes)?;
        Ok(header)
    }

    /// Whether a header is whole among these first bytes of a file.
    pub(super) fn is_in(head: &[u8]) -> bool {
        header_length(head).is_some_and(|length| length <= (head.len() as u64).saturating_sub(8))
    }

    /// Reads the header of a checkpoint of `size` bytes, which is among the first ones of it, and checks it against the
    /// shapes that its link asks for; the numbers behind it are not looked at.
    ///
    /// # Errors
    /// The first [`FileError`] that is found.
    pub fn check(head: &[u8], size: u64) -> Result<Header, FileError> {
        let (header, begin) = parsed(head, size)?;
        let about = header.get("__metadata__").and_then(Value::as_object).ok_or(FileError::ForeignWeights)?;
        let word = |key: &str| about.get(key).and_then(Value::as_str);
        if word("format") != Some(FORMAT) {
            return Err(FileError::ForeignWeights);
        }
        let Link { spec, .. } = link(word("link").unwrap_or_default())?;
        let whole = || FileError::field(tr!("the step of these weights"), tr!("a whole number"));
        let step = word("step").and_then(|word| word.parse().ok()).ok_or_else(whole)?;
        let solved: Vec<Option<u64>> =
            word("solved").unwrap_or_default().split_whitespace().map(|word| word.parse().ok()).collect();
        if solved.len() != spec.run.replicas {
            let expected = tr!("one entry for each of the {replicas} replicas", replicas = spec.run.replicas);
            return Err(FileError::field(tr!("the list “solved” in the header of these weights"), expected));
        }
        let mut expected = begin;
        let mut tensors = vec![];
        for parameter in spec.parameters() {
            let moments = (0..spec.optimizer.moments()).map(|i| format!("{}.moment{i}", parameter.name));
            for name in std::iter::once(parameter.name.clone()).chain(moments) {
                let end = tensor(&header, &name, parameter.shape)?.end;
                expected = expected.max(begin.saturating_add(end));
            }
            tensors.push((parameter.name, parameter.shape));
        }
        match size == expected {
            true => {
                let initial = INITIAL.map(|key| shortened(word(key).unwrap_or_default()));
                Ok(Header { spec, step, solved, initial, tensors })
            }
            false => Err(FileError::Length { found: size, expected }),
        }
    }
}

/// The header of a file of `size` bytes, and where the numbers behind it begin.
fn parsed(head: &[u8], size: u64) -> Result<(Map<String, Value>, u64), FileError> {
    let length = header_length(head).filter(|_| looks_so(head)).ok_or(FileError::Unknown)?;
    // It is at most [`MOST_HEADER`].
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

/// Whether all numbers that a file of weights speaks of are finite.
///
/// # Errors
/// The name of the first tensor that has another one, or that the file has no header.
pub fn finite(bytes: &[u8]) -> Result<(), FileError> {
    let (header, begin) = parsed(bytes, bytes.len() as u64)?;
    let data = &bytes[begin as usize..];
    for (name, about) in &header {
        let inside =
            |ends: Range<u64>| data.get(usize::try_from(ends.start).ok()?..usize::try_from(ends.end).ok()?);
        let words = ends(about).and_then(inside).unwrap_or_default().as_chunks::<4>().0;
        if !words.iter().all(|word| f32::from_le_bytes(*word).is_finite()) {
            let expected = tr!("only finite numbers").into();
            return Err(FileError::Tensor { name: name.clone(), expected });
        }
    }
    Ok(())
}

/// Where the numbers of a tensor stand.
fn ends(about: &Value) -> Option<Range<u64>> {
    let ends = about.get("data_offsets")?.as_array()?;
    match ends[..] {
        [ref from, ref to] => Some(from.as_u64()?..to.as_u64()?).filter(|ends| ends.start <= ends.end),
        _ => None,
    }
}

/// The same of a tensor that must have this shape.
fn tensor(header: &Map<String, Value>, name: &str, shape: [usize; 3]) -> Result<Range<u64>, FileError> {
    let text = shape.map(|n| n.to_string()).join(" × ");
    let wrong =
        || FileError::Tensor { name: name.into(), expected: tr!("{text} numbers in single precision", text) };
    let about = header.get(name).ok_or_else(wrong)?;
    let list = about.get("shape").and_then(Value::as_array);
    let is_so = |list: &Vec<Value>| list.iter().map(Value::as_u64).eq(shape.map(|n| Some(n as u64)));
    let is_right = about.get("dtype").and_then(Value::as_str) == Some("F32") && list.is_some_and(is_so);
    let bytes = shape.iter().fold(4, |bytes: u64, n| bytes.saturating_mul(*n as u64));
    ends(about).filter(|ends| is_right && ends.end - ends.start == bytes).ok_or_else(wrong)
}
