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

use super::circuit::{Circuit, Kind, Line};
use super::error::CircuitError;
use super::limits::{MOST_GATES, MOST_TEXT};

impl FromStr for Circuit {
    type Err = CircuitError;

    fn from_str(text: &str) -> Result<Self, CircuitError> {
        if text.len() > MOST_TEXT {
            return Err(CircuitError::Text(text.len()));
        }
        let mut inputs: Option<(usize, Vec<String>)> = None;
        let mut lines = Vec::new();
        // Comments end with their line, whatever is in them. A ; at the end of a line begins no further one.
        let bare = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim_end());
        let bare = bare.map(|line| line.strip_suffix(';').unwrap_or(line));
        for (number, line) in (1..).zip(bare.flat_map(|line| line.split(';'))) {
            let words = line.replace('=', " = ");
            let words: Vec<&str> = words.split_whitespace().collect();
            match words.as_slice() {
                [] => {}
                [first, names @ ..] if first.eq_ignore_ascii_case("inputs") => {
                    if inputs.is_some() {
                        return Err(CircuitError::Inputs(number));
                    }
                    inputs = Some((number, names.iter().map(|name| name.to_string()).collect()));
                }
                _ if lines.len() >= MOST_GATES => return Err(CircuitError::TooManyGates(number)),
                words => lines.push((number, gate(number, words)?)),
            }
        }
        Circuit::numbered(inputs, &lines)
    }
}

/// The gate that these words write.
fn gate(line: usize, words: &[&str]) -> Result<Line, CircuitError> {
    let kind = |word: &str| Kind::ALL.into_iter().find(|kind| word.eq_ignore_ascii_case(kind.word()));
    let unknown = |word: &str| CircuitError::Gate { line, gate: word.chars().take(40).collect() };
    match words {
        [name, "=", a] if kind(a).is_none() => Ok(Line::one(*name, Kind::Id, a)),
        [name, "=", word, a] if ![*word, *a].contains(&"=") => match kind(word) {
            Some(kind @ (Kind::Not | Kind::Id)) => Ok(Line::one(*name, kind, a)),
            Some(_) => Err(CircuitError::Form(line)),
            None => Err(unknown(word)),
        },
        [name, "=", a, word, b] if kind(a).is_none() && *word != "=" => match kind(word) {
            Some(kind @ (Kind::And | Kind::Or)) => Ok(Line::two(*name, a, kind, b)),
            Some(_) => Err(CircuitError::Form(line)),
            None => Err(unknown(word)),
        },
        _ => Err(CircuitError::Form(line)),
    }
}

impl Display for Circuit {
    /// One gate a line; the inputs only where the gates do not tell them.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut seen = Vec::new();
        for signal in self.gates().iter().flat_map(|gate| gate.reads) {
            if signal < self.inputs() && !seen.contains(&signal) {
                seen.push(signal);
            }
        }
        if seen != (0..self.inputs()).collect::<Vec<_>>() {
            writeln!(f, "inputs {}", self.names()[..self.inputs()].join(" "))?;
        }
        for (at, gate) in self.gates().iter().enumerate() {
            let end = if at == 0 { "" } else { "\n" };
            let [a, b] = gate.reads.map(|signal| self.name(signal));
            let (name, word) = (self.name(self.inputs() + at), gate.kind.word());
            match gate.kind {
                Kind::And | Kind::Or => write!(f, "{end}{name} = {a} {word} {b}")?,
                Kind::Not | Kind::Id => write!(f, "{end}{name} = {word} {a}")?,
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
    fn a_text_is_read_and_written_back() {
        let text = "inputs b a z\ns = a and b\nc = not s\nout = c or a\nd = id out";
        let circuit = read(text).unwrap();
        assert_eq!(circuit.to_string(), text);
        assert_eq!(circuit.inputs(), 3);
        // Other ways of writing the same.
        let other =
            "INPUTS b a z;s=a AND b;; c = Not s # a remark; with a semicolon\n\nout = c or a; d = out;";
        assert_eq!(read(other).unwrap(), circuit);
        // Without the list, inputs stand in order of appearance.
        let short = read("s = a and b; out = s or c").unwrap();
        assert_eq!(short.names()[..3], ["a", "b", "c"]);
        assert_eq!(short.to_string(), "s = a and b\nout = s or c");
        assert_eq!(read("inputs a b c\ns = a and b; out = s or c").unwrap(), short);
    }

    #[test]
    fn mistakes_are_named_by_their_line() {
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
                    Err(CircuitError::Form(1) | CircuitError::Name { .. } | CircuitError::Gate { .. })
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
            matches!(read(&format!("s = not {long}")), Err(CircuitError::Name { name, .. }) if name.len() == 80)
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
        assert_eq!(read(&"x".repeat(MOST_TEXT + 1)), Err(CircuitError::Text(MOST_TEXT + 1)));
    }
}
