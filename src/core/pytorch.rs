//! Parts of the PyTorch script of a run that tasks, models and optimizers supply, and Python literals.
//!
//! # Why
//! The script is put together in `record`, which knows no task, model or optimizer: each writes
//! its own part, in a separate trait, so that programs that write no scripts do not contain their text.

use crate::base64::{STANDARD_DIGITS, encode_base64};
use crate::settings::{Value, format_real};

/// Part of a PyTorch script that a task, a model or an optimizer supplies.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScriptPart {
    /// Python code of this part, in pieces that are concatenated.
    pub code: Vec<&'static str>,
    /// Entries that this part adds to the script's Python dictionary of settings: key, and value as a Python literal.
    pub settings: Vec<(&'static str, String)>,
    /// Indices, from 0 in the model's list of parameter tensors, of tensors that stay all zeros or all ones, since the
    /// model needs them only for its shape.
    pub constant_parameters: Vec<usize>,
    /// Indices, from 0 in the model's list of parameter tensors, of tensors that are not trained: they keep their
    /// initial values.
    pub frozen_parameters: Vec<usize>,
    /// Whether the script contains the run's initial weights as data, because no short formula gives them: then the
    /// code does not define the function `initial`.
    pub embeds_initial_weights: bool,
    /// Complete script with the placeholder `{{settings}}` for the entries of the settings dictionary, for a model that
    /// is executed and not trained; it is used instead of the other parts.
    pub full_script: Option<&'static str>,
}

impl ScriptPart {
    /// Returns a part of a PyTorch script that consists of the Python code `code` only, without settings.
    pub fn from_code(code: &[&'static str]) -> ScriptPart {
        ScriptPart { code: code.to_vec(), ..ScriptPart::default() }
    }
}

/// Tasks, models and optimizers of which a part of a PyTorch script can be written.
pub trait ToPyTorch {
    /// Returns the part of a PyTorch script that reproduces this task, model or optimizer in a run with the random seed
    /// `seed`.
    ///
    /// # Errors
    /// A sentence that says why a script cannot reproduce the experiment.
    fn to_pytorch(&self, seed: u64) -> Result<ScriptPart, String>;
}

/// Writes a text as a Python string literal. Invisible characters, such as line breaks, are escaped.
pub fn string_literal(text: &str) -> String {
    let letter = |letter: char| match letter {
        '"' | '\\' => format!("\\{letter}"),
        '\'' => letter.to_string(),
        _ if letter.escape_debug().len() == 1 => letter.to_string(),
        _ => format!("\\U{:08x}", u32::from(letter)),
    };
    format!("\"{}\"", text.chars().map(letter).collect::<String>())
}

/// Writes keys and values as the entries of a Python dictionary, one line each; the values are Python literals. Of
/// several values for one key the last one counts, at the position of the first.
pub fn dict_entries<Key: AsRef<str>>(settings: impl IntoIterator<Item = (Key, String)>) -> String {
    let mut lines: Vec<(Key, String)> = vec![];
    for (key, value) in settings {
        match lines.iter_mut().find(|(known, _)| known.as_ref() == key.as_ref()) {
            Some(line) => line.1 = value,
            None => lines.push((key, value)),
        }
    }
    lines.iter().map(|(key, value)| format!("    {}: {value},\n", string_literal(key.as_ref()))).collect()
}

/// Writes the changes of a scheduled setting as a Python list of pairs (training step, value from this step on).
pub fn schedule_list(changes: &[(u64, f64)]) -> String {
    let change = |(step, value): &(u64, f64)| format!("({step}, {})", format_real(*value));
    format!("[{}]", changes.iter().map(change).collect::<Vec<_>>().join(", "))
}

/// Writes column indices of a data table as a Python list that counts from 1; `columns` counts from 0.
pub fn one_based_list(columns: &[usize]) -> String {
    let columns: Vec<String> = columns.iter().map(|column| (column + 1).to_string()).collect();
    format!("[{}]", columns.join(", "))
}

/// Writes the value of a setting as a Python literal.
pub fn setting_literal(value: &Value) -> String {
    match value {
        Value::Int(_) | Value::Real(_) => value.to_string(),
        Value::Choice(word) => string_literal(word),
        Value::Schedule(changes) => schedule_list(changes),
        Value::Points(points) => {
            let point = |[x, y]: &[f64; 2]| format!("({}, {})", format_real(*x), format_real(*y));
            format!("[{}]", points.iter().map(point).collect::<Vec<_>>().join(", "))
        }
        Value::Text(written) | Value::Formula(written) => string_literal(written),
        Value::List(_) => format!("[{}]", value.to_string().replace('.', ", ")),
        other => string_literal(&other.to_string()),
    }
}

/// Writes a square table of `row_count` rows, given row by row, as a Python string with one line per row.
pub fn table_literal(entries: &[u32], row_count: usize) -> String {
    let row = |row: &[u32]| row.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    let rows: Vec<String> = entries.chunks(row_count.max(1)).map(row).collect();
    format!("\"\"\"\n{}\n\"\"\"", rows.join("\n"))
}

/// Writes which of `example_count` examples are in `subset`, a list of their indices from 0, as a Python string of
/// hexadecimal digits. Each digit stands for four examples, the first of them in its lowest bit. If all examples are in
/// it, the Python literal is `None`.
pub fn subset_mask(subset: &[u32], example_count: usize) -> String {
    if subset.len() == example_count {
        return "None".into();
    }
    let mut digits = vec![0u8; example_count.div_ceil(4)];
    subset.iter().for_each(|example| digits[*example as usize / 4] |= 1 << (example % 4));
    let digits: String = digits.iter().map(|d| char::from_digit((*d).into(), 16).unwrap_or('0')).collect();
    let lines: Vec<String> = digits
        .as_bytes()
        .chunks(100)
        .map(|c| format!("        \"{}\"", String::from_utf8_lossy(c)))
        .collect();
    format!("(\n{}\n    )", lines.join("\n"))
}

/// Writes numbers as little-endian 32-bit floats in base64, as a Python string over several lines.
pub fn base64_floats(values: &[f32]) -> String {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    // 75 bytes are a line of 100 digits.
    let line = |bytes: &[u8]| {
        let digits = encode_base64(bytes, STANDARD_DIGITS);
        let padding = "=".repeat(digits.len().next_multiple_of(4) - digits.len());
        format!("        \"{digits}{padding}\"")
    };
    let lines: Vec<String> = bytes.chunks(75).map(line).collect();
    format!("(\n{}\n    )", lines.join("\n"))
}

/// Running PyTorch scripts in the tests of all crates.
#[cfg(not(target_family = "wasm"))]
#[doc(hidden)]
pub mod peer {
    use std::process::Command;

    /// Finds a Python interpreter that can import torch; `None` if there is none.
    pub fn find_python() -> Option<&'static str> {
        let names = ["python3", "/usr/bin/python3", "python"];
        let has = |name: &&&str| {
            let tried = Command::new(name).args(["-c", "import torch"]).output();
            tried.is_ok_and(|output| output.status.success())
        };
        names.iter().find(has).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_safe_whatever_they_hold() {
        assert_eq!(string_literal("q0'→é漢"), "\"q0'→é漢\"");
        assert_eq!(string_literal("a\"b\\n"), r#""a\"b\\n""#);
        assert_eq!(string_literal("a\nb\0\u{202e}"), r#""a\U0000000ab\U00000000\U0000202e""#);
    }

    /// The test vectors of RFC 4648, section 10, are texts; four letters each are a number here.
    #[test]
    fn numbers_are_written_in_base64() {
        let of = |text: &[u8]| f32::from_le_bytes(text.try_into().unwrap());
        assert_eq!(base64_floats(&[of(b"foob")]), "(\n        \"Zm9vYg==\"\n    )");
        assert_eq!(base64_floats(&[of(b"foob"), of(b"arfo")]), "(\n        \"Zm9vYmFyZm8=\"\n    )");
        assert_eq!(
            base64_floats(&[of(b"foob"), of(b"arfo"), of(b"obar")]),
            "(\n        \"Zm9vYmFyZm9vYmFy\"\n    )"
        );
        let lines: Vec<usize> = base64_floats(&[0.5; 60]).lines().map(str::len).collect();
        assert_eq!(lines, [1, 110, 110, 110, 30, 5]);
    }

    #[test]
    fn the_last_value_of_a_key_counts() {
        let settings = [("a", "1".into()), ("b", "2".into()), ("a", "3".to_string())];
        assert_eq!(dict_entries(settings), "    \"a\": 3,\n    \"b\": 2,\n");
    }
}
