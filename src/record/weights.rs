//! What a file of weights says of itself, without a tensor library: a safetensors file begins with the length of its
//! header, which is JSON, and goes on with the numbers.

use serde_json::{Map, Value};

use super::FileError;
use super::read::link;
use crate::permalink::Link;
use crate::run::RunSpec;

/// The format that checkpoints name in their header.
pub const FORMAT: &str = "vivarium-checkpoint-1";

/// Longest header that is read.
const MOST_HEADER: u64 = 16 << 20;

/// What the header of a checkpoint says.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// The run.
    pub spec: RunSpec,
    /// Steps made.
    pub step: u64,
    /// For each replica, the step at which it reached the target.
    pub solved: Vec<Option<u64>>,
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

/// What a file of weights says of itself under this key, if it is one and says so.
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
        let length = header_length(bytes).filter(|_| looks_so(bytes)).ok_or(FileError::Unknown)? as usize;
        let Some(text) = bytes.get(8..8 + length) else {
            return Err(FileError::Length { found: bytes.len(), expected: 8 + length });
        };
        let header: Value = serde_json::from_slice(text)
            .map_err(|e| FileError::NotJson { line: e.line(), column: e.column().max(1) })?;
        let header = header.as_object().ok_or(FileError::ForeignWeights)?;
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
            let expected = tr!("as many as its {replicas} replicas", replicas = spec.run.replicas);
            return Err(FileError::field(tr!("the times in the header of these weights"), expected));
        }
        let data = &bytes[8 + length..];
        let mut expected = 0;
        let mut tensors = vec![];
        for parameter in spec.parameters() {
            let moments = (0..spec.optimizer.moments()).map(|i| format!("{}.moment{i}", parameter.name));
            for name in std::iter::once(parameter.name.clone()).chain(moments) {
                let range = tensor(header, &name, parameter.shape)?;
                expected = expected.max(range.end);
                let Some(numbers) = data.get(range.clone()) else {
                    return Err(FileError::Length { found: bytes.len(), expected: 8 + length + range.end });
                };
                let words = numbers.as_chunks::<4>().0;
                if !words.iter().all(|word| f32::from_le_bytes(*word).is_finite()) {
                    return Err(FileError::Tensor { name, expected: tr!("finite numbers alone").into() });
                }
            }
            tensors.push((parameter.name, parameter.shape));
        }
        if data.len() != expected {
            return Err(FileError::Length { found: bytes.len(), expected: 8 + length + expected });
        }
        Ok(Header { spec, step, solved, tensors })
    }
}

/// Where the numbers of a tensor stand.
fn tensor(
    header: &Map<String, Value>,
    name: &str,
    shape: [usize; 3],
) -> Result<std::ops::Range<usize>, FileError> {
    let text = shape.map(|n| n.to_string()).join(" × ");
    let wrong =
        || FileError::Tensor { name: name.into(), expected: tr!("{text} numbers in single precision", text) };
    let about = header.get(name).and_then(Value::as_object).ok_or_else(wrong)?;
    let list = |key: &str| -> Option<Vec<usize>> {
        let values = about.get(key)?.as_array()?;
        values.iter().map(|v| v.as_u64().map(|v| v as usize)).collect()
    };
    let ends = list("data_offsets").ok_or_else(wrong)?;
    let is_right = about.get("dtype").and_then(Value::as_str) == Some("F32")
        && list("shape").is_some_and(|found| found == shape);
    match ends[..] {
        [from, to] if is_right && from <= to && to - from == 4 * shape.iter().product::<usize>() => {
            Ok(from..to)
        }
        _ => Err(wrong()),
    }
}
