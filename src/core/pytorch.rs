//! What a task, a model or an optimizer adds to the PyTorch script of a run, and values as Python writes them.
//!
//! # Why
//! The script is put together in `record`, which knows no task, model or optimizer: each says by itself what
//! its part is, in a trait of its own, so that programs that write no scripts do not carry their text.

use crate::settings::{Value, real};

/// What a task, a model or an optimizer adds to the script.
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
    /// Whether the script holds the run's own initial weights, because no short formula gives them: then the code leaves
    /// out the function `initial`.
    pub given: bool,
    /// A whole script with the place `{{settings}}` for the entries of a dictionary, given by a model that is executed:
    /// such a run has no training, so that its script is not put together from parts.
    pub whole: Option<&'static str>,
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

/// A string. Characters that cannot be seen, such as line breaks, are written as numbers.
pub fn text(text: &str) -> String {
    let letter = |letter: char| match letter {
        '"' | '\\' => format!("\\{letter}"),
        '\'' => letter.to_string(),
        _ if letter.escape_debug().len() == 1 => letter.to_string(),
        _ => format!("\\U{:08x}", u32::from(letter)),
    };
    format!("\"{}\"", text.chars().map(letter).collect::<String>())
}

/// The entries of a dictionary, a line for each. The last value counts where a key is given twice, and stands where the
/// key was first.
pub fn entries<Key: AsRef<str>>(settings: impl IntoIterator<Item = (Key, String)>) -> String {
    let mut lines: Vec<(Key, String)> = vec![];
    for (key, value) in settings {
        match lines.iter_mut().find(|(known, _)| known.as_ref() == key.as_ref()) {
            Some(line) => line.1 = value,
            None => lines.push((key, value)),
        }
    }
    lines.iter().map(|(key, value)| format!("    {}: {value},\n", text(key.as_ref()))).collect()
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
        Value::Text(written) | Value::Formula(written) => text(written),
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

/// Numbers of 32 bits, the lowest byte first, in base64: a string over several lines.
pub fn numbers(values: &[f32]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let group = |group: &[u8]| {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        // Of one byte there are two digits, of two bytes three.
        [0, 1, 2, 3].map(|digit| match digit <= group.len() {
            true => char::from(DIGITS[(word >> (18 - 6 * digit) & 63) as usize]),
            false => '=',
        })
    };
    // 75 bytes are a line of 100 digits.
    let line = |bytes: &[u8]| {
        let digits: String = bytes.chunks(3).flat_map(group).collect();
        format!("        \"{digits}\"")
    };
    let lines: Vec<String> = bytes.chunks(75).map(line).collect();
    format!("(\n{}\n    )", lines.join("\n"))
}

/// What runs scripts in tests, those of other crates too.
#[cfg(not(target_family = "wasm"))]
#[doc(hidden)]
pub mod peer {
    use std::process::Command;

    /// A Python that can import torch.
    pub fn python() -> Option<&'static str> {
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
        assert_eq!(text("q0'→é漢"), "\"q0'→é漢\"");
        assert_eq!(text("a\"b\\n"), r#""a\"b\\n""#);
        assert_eq!(text("a\nb\0\u{202e}"), r#""a\U0000000ab\U00000000\U0000202e""#);
    }

    /// The test vectors of RFC 4648, section 10, are texts; four letters each are a number here.
    #[test]
    fn numbers_are_written_in_base64() {
        let of = |text: &[u8]| f32::from_le_bytes(text.try_into().unwrap());
        assert_eq!(numbers(&[of(b"foob")]), "(\n        \"Zm9vYg==\"\n    )");
        assert_eq!(numbers(&[of(b"foob"), of(b"arfo")]), "(\n        \"Zm9vYmFyZm8=\"\n    )");
        assert_eq!(
            numbers(&[of(b"foob"), of(b"arfo"), of(b"obar")]),
            "(\n        \"Zm9vYmFyZm9vYmFy\"\n    )"
        );
        let lines: Vec<usize> = numbers(&[0.5; 60]).lines().map(str::len).collect();
        assert_eq!(lines, [1, 110, 110, 110, 30, 5]);
    }

    #[test]
    fn the_last_value_of_a_key_counts() {
        let settings = [("a", "1".into()), ("b", "2".into()), ("a", "3".to_string())];
        assert_eq!(entries(settings), "    \"a\": 3,\n    \"b\": 2,\n");
    }
}
