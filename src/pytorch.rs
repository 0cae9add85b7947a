//! What a task or a model adds to the PyTorch script of a run, and values as Python writes them.
//!
//! # Why
//! The script is put together in [`record`](crate::record), which knows no task and no model: each says by itself what
//! its part is, in a trait of its own, so that programs that write no scripts do not carry their text.

use crate::settings::{Value, real};

/// What a task or a model adds to the script.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Part {
    /// Python code, one piece after the other.
    pub code: Vec<&'static str>,
    /// Further entries of the dictionary of settings, as Python writes them.
    pub settings: Vec<(&'static str, String)>,
    /// Places of parameters that the model has for its shape alone: they stay zeros or ones.
    pub fixed: Vec<usize>,
    /// Places of parameters that stay as they were drawn.
    pub frozen: Vec<usize>,
}

impl Part {
    /// A part that is code alone.
    pub fn code(code: &[&'static str]) -> Part {
        Part { code: code.to_vec(), ..Part::default() }
    }
}

/// What can be written as a part of a PyTorch script.
pub trait ToPyTorch {
    /// The part of a run with this seed.
    ///
    /// # Errors
    /// A sentence where the script would not be the same experiment.
    fn to_pytorch(&self, seed: u64) -> Result<Part, String>;
}

/// A string.
pub fn text(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A list of pairs of a step and a value.
pub fn schedule(changes: &[(u64, f64)]) -> String {
    let change = |(step, value): &(u64, f64)| format!("({step}, {})", real(*value));
    format!("[{}]", changes.iter().map(change).collect::<Vec<_>>().join(", "))
}

/// A list of columns, counted from 1.
pub fn from_one(columns: &[usize]) -> String {
    let columns: Vec<String> = columns.iter().map(|column| (column + 1).to_string()).collect();
    format!("[{}]", columns.join(", "))
}

/// The value of a setting.
pub fn value(value: &Value) -> String {
    match value {
        Value::Int(_) | Value::Real(_) => value.to_string(),
        Value::Choice(word) => text(word),
        Value::Schedule(changes) => schedule(changes),
        Value::Points(points) => {
            let point = |[x, y]: &[f64; 2]| format!("({}, {})", real(*x), real(*y));
            format!("[{}]", points.iter().map(point).collect::<Vec<_>>().join(", "))
        }
        Value::Text(written) => text(written).replace('\n', "\\n"),
        Value::List(_) => format!("[{}]", value.to_string().replace('.', ", ")),
        other => text(&other.to_string()),
    }
}

/// A square table in rows of one string, which Python splits.
pub fn rows(entries: &[u32], order: usize) -> String {
    let row = |row: &[u32]| row.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    let rows: Vec<String> = entries.chunks(order.max(1)).map(row).collect();
    format!("\"\"\"\n{}\n\"\"\"", rows.join("\n"))
}

/// Which of `all` examples are among `chosen`, as hexadecimal digits of four examples each, the first the lowest bit;
/// None for all of them.
pub fn mask(chosen: &[u32], all: usize) -> String {
    if chosen.len() == all {
        return "None".into();
    }
    let mut digits = vec![0u8; all.div_ceil(4)];
    chosen.iter().for_each(|example| digits[*example as usize / 4] |= 1 << (example % 4));
    let digits: String = digits.iter().map(|d| char::from_digit((*d).into(), 16).unwrap_or('0')).collect();
    let lines: Vec<String> = digits
        .as_bytes()
        .chunks(100)
        .map(|c| format!("        \"{}\"", String::from_utf8_lossy(c)))
        .collect();
    format!("(\n{}\n    )", lines.join("\n"))
}
