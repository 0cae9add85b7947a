//! The text form of a circuit: one gate a line, short enough for a link.
//!
//! ```text
//! inputs a b c        # optional; else the names that are never assigned, in order of appearance
//! s = a and b         # lines end with a line break or with ;
//! t = not s
//! u = c               # the same as u = id c
//! out = t or u        # the output is named out, or else it is the last line
//! ```

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use super::circuit::{Circuit, GateDefinition, GateKind};
use super::error::CircuitError;
use super::limits::{MAX_CIRCUIT_TEXT_BYTES, MAX_GATES};

impl FromStr for Circuit {
    type Err = CircuitError;

    fn from_str(text: &str) -> Result<Self, CircuitError> {
        if text.len() > MAX_CIRCUIT_TEXT_BYTES {
            return Err(CircuitError::TextTooLong(text.len()));
        }
        let mut inputs: Option<(usize, Vec<String>)> = None;
        let mut lines = Vec::new();
        // A comment ends with its line, even if it contains a ;. A ; at the end of a line does not begin another line.
        let bare = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim_end());
        let bare = bare.map(|line| line.strip_suffix(';').unwrap_or(line));
        for (number, line) in (1..).zip(bare.flat_map(|line| line.split(';'))) {
            let words = line.replace('=', " = ");
            let words: Vec<&str> = words.split_whitespace().collect();
            match words.as_slice() {
                [] => {}
                [first, names @ ..] if first.eq_ignore_ascii_case("inputs") => {
                    if inputs.is_some() {
                        return Err(CircuitError::SecondInputList(number));
                    }
                    inputs = Some((number, names.iter().map(|name| name.to_string()).collect()));
                }
                _ if lines.len() >= MAX_GATES => return Err(CircuitError::TooManyGates(number)),
                words => lines.push((number, parse_gate(number, words)?)),
            }
        }
        Circuit::with_line_numbers(inputs, &lines)
    }
}

/// Parses the words of one line of a circuit's text, such as `s = a and b`; an error reports `line`, a line number
/// from 1.
fn parse_gate(line: usize, words: &[&str]) -> Result<GateDefinition, CircuitError> {
    let kind = |word: &str| GateKind::ALL.into_iter().find(|kind| word.eq_ignore_ascii_case(kind.keyword()));
    let unknown = |word: &str| CircuitError::UnknownGate { line, gate: word.chars().take(40).collect() };
    match words {
        [name, "=", a] if kind(a).is_none() => Ok(GateDefinition::unary(*name, GateKind::Id, a)),
        [name, "=", word, a] if ![*word, *a].contains(&"=") => match kind(word) {
            Some(kind @ (GateKind::Not | GateKind::Id)) => Ok(GateDefinition::unary(*name, kind, a)),
            Some(_) => Err(CircuitError::MalformedGate(line)),
            None => Err(unknown(word)),
        },
        [name, "=", a, word, b] if kind(a).is_none() && *word != "=" => match kind(word) {
            Some(kind @ (GateKind::And | GateKind::Or)) => Ok(GateDefinition::binary(*name, a, kind, b)),
            Some(_) => Err(CircuitError::MalformedGate(line)),
            None => Err(unknown(word)),
        },
        _ => Err(CircuitError::MalformedGate(line)),
    }
}

impl Display for Circuit {
    /// Writes one gate per line. The line `inputs …` comes first if the gates alone would not give the same inputs.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut seen = Vec::new();
        for signal in self.gates().iter().flat_map(|gate| gate.inputs) {
            if signal < self.input_count() && !seen.contains(&signal) {
                seen.push(signal);
            }
        }
        if seen != (0..self.input_count()).collect::<Vec<_>>() {
            writeln!(f, "inputs {}", self.signal_names()[..self.input_count()].join(" "))?;
        }
        for (at, gate) in self.gates().iter().enumerate() {
            let end = if at == 0 { "" } else { "\n" };
            let [a, b] = gate.inputs.map(|signal| self.signal_name(signal));
            let (name, word) = (self.signal_name(self.input_count() + at), gate.kind.keyword());
            match gate.kind {
                GateKind::And | GateKind::Or => write!(f, "{end}{name} = {a} {word} {b}")?,
                GateKind::Not | GateKind::Id => write!(f, "{end}{name} = {word} {a}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Circuit, CircuitError> {
        text.parse()
    }

    #[test]
    fn a_text_is_parsed_and_written_back() {
        let text = "inputs b a z\ns = a and b\nc = not s\nout = c or a\nd = id out";
        let circuit = read(text).unwrap();
        assert_eq!(circuit.to_string(), text);
        assert_eq!(circuit.input_count(), 3);
        // Other ways of writing the same.
        let other =
            "INPUTS b a z;s=a AND b;; c = Not s # a remark; with a semicolon\n\nout = c or a; d = out;";
        assert_eq!(read(other).unwrap(), circuit);
        // Without the list, the inputs are in order of appearance.
        let short = read("s = a and b; out = s or c").unwrap();
        assert_eq!(short.signal_names()[..3], ["a", "b", "c"]);
        assert_eq!(short.to_string(), "s = a and b\nout = s or c");
        assert_eq!(read("inputs a b c\ns = a and b; out = s or c").unwrap(), short);
    }

    #[test]
    fn errors_name_their_line() {
        let says = |text: &str, what: &str| assert_eq!(read(text).unwrap_err().to_string(), what, "{text}");
        let form = "is not a gate; write a gate as “s = a and b”, “s = a or b”, “s = not a” or “s = a”";
        for empty in ["", "\n;# a = b\n ", "inputs a b"] {
            assert_eq!(read(empty), Err(CircuitError::Empty), "{empty}");
        }
        for (line, text) in [(1, "a and b"), (2, "s = a\nt = "), (1, "s = and"), (1, "s = a not b")] {
            says(text, &format!("line {line} {form}"));
        }
        for text in ["s = and a", "s = a b and c", "s = a and b c", "= a and b", "s == a", "s = a and"] {
            assert!(
                matches!(
                    read(text),
                    Err(CircuitError::MalformedGate(1)
                        | CircuitError::InvalidName { .. }
                        | CircuitError::UnknownGate { .. })
                ),
                "{text}"
            );
        }
        says(
            "s = a and b\nt = s xor a",
            "line 2: there is no gate “xor”; the gates are “and”, “or”, “not” and “id”",
        );
        says("s = minus a", "line 1: there is no gate “minus”; the gates are “and”, “or”, “not” and “id”");
        says("s = a; t = b; s = c", "line 3: s is already assigned in line 1");
        says(
            "s = a;\nt = s xor a;\n",
            "line 2: there is no gate “xor”; the gates are “and”, “or”, “not” and “id”",
        );
        says("s = t or a; t = not s", "line 1: s depends on its own value");
        says("inputs a a; s = a", "line 1: the input a is listed twice");
        says("inputs a; s = a; inputs b", "line 3: the inputs are already listed in a line above");
        says("inputs a; s = a and b", "line 2: b is neither in the list of inputs nor assigned in any line");
        says("inputs a s\ns = a", "line 2: s is an input, and no gate may have the name of an input");
        assert!(read("2a = not b").unwrap_err().to_string().starts_with("line 1: “2a” cannot be a name"));
        assert!(read("s = not inputs").is_err());
        let long = "é".repeat(1000);
        assert!(
            matches!(read(&format!("s = not {long}")), Err(CircuitError::InvalidName { name, .. }) if name.len() == 80)
        );
    }

    #[test]
    fn a_link_with_a_thousand_gates_is_one_sentence() {
        let many: String = (0..1000).map(|i| format!("g{i} = not x;")).collect();
        assert_eq!(read(&many).unwrap_err().to_string(), "line 401: a circuit must have at most 400 gates");
        let wide: String = (0..70).map(|i| format!("g{i} = not x{i};")).collect();
        assert_eq!(read(&wide).unwrap_err().to_string(), "line 65: a circuit must have at most 64 inputs");
        let listed = format!("inputs {}; s = not x0", (0..70).map(|i| format!("x{i} ")).collect::<String>());
        assert_eq!(read(&listed), Err(CircuitError::TooManyInputs(1)));
        assert_eq!(
            read(&"x".repeat(MAX_CIRCUIT_TEXT_BYTES + 1)),
            Err(CircuitError::TextTooLong(MAX_CIRCUIT_TEXT_BYTES + 1))
        );
    }
}
