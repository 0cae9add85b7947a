//! Parses the circuit text in the editor and collects the errors of its lines.

use vivarium_core::settings::Value;
use vivarium_science::circuits::{Circuit, CircuitError, MAX_LINK_CHARACTERS};

/// Maximum number of errors listed for a circuit's text with malformed lines; further errors are left out.
const MAX_ERRORS: usize = 8;

/// An error in the text of a circuit that the user has typed, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CircuitTextError {
    /// Number of the line with the error, from 1; none for an error of the whole text.
    pub line: Option<usize>,
    /// The error message for the user, a full sentence.
    pub sentence: String,
}

/// The text of a circuit with one gate per line, as the editor shows it; gates separated by semicolons are split.
pub fn format_gate_lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let line = |line: &str| match line.split_once('#') {
        // Everything after a # is a comment and is not split.
        Some((gate, remark)) if !gate.trim().is_empty() => format!("{} #{remark}", split_gates(gate)),
        Some(_) => line.to_string(),
        None => split_gates(line),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A line of a circuit's text without semicolons: each gate between them is put on a line of its own.
fn split_gates(line: &str) -> String {
    let line = line.trim_end();
    let gates = line.strip_suffix(';').unwrap_or(line).split(';');
    gates
        .enumerate()
        .map(|(at, gate)| if at == 0 { gate } else { gate.trim_start() })
        .collect::<Vec<_>>()
        .join("\n")
}

/// Parses the text of a circuit. On failure, returns the errors of all malformed lines, or else the first other error.
pub fn parse_circuit_text(text: &str) -> Result<Circuit, Vec<CircuitTextError>> {
    let text = format_gate_lines(text);
    let found = Value::Text(text.clone()).to_string().len();
    if found > MAX_LINK_CHARACTERS {
        let sentence = tr!(
            "The text needs {found} characters in a link, but at most {most} characters are allowed.",
            found,
            most = MAX_LINK_CHARACTERS
        );
        return Err(vec![CircuitTextError { line: None, sentence }]);
    }
    let mut rest: Vec<&str> = text.lines().collect();
    let mut errors = vec![];
    loop {
        let error = match rest.join("\n").parse::<Circuit>() {
            Ok(circuit) if errors.is_empty() => return Ok(circuit),
            Ok(_) => return Err(errors),
            Err(error) => error,
        };
        let line = error.line();
        // A malformed line is skipped and parsing goes on; an error between lines may be a consequence of an earlier
        // one.
        let is_of_line = matches!(
            error,
            CircuitError::MalformedGate(_)
                | CircuitError::UnknownGate { .. }
                | CircuitError::InvalidName { .. }
        );
        if is_of_line || errors.is_empty() {
            errors.push(CircuitTextError { line, sentence: error_sentence(&error) });
        }
        let place = line.and_then(|line| rest.get_mut(line.checked_sub(1)?));
        match place {
            Some(place) if is_of_line && errors.len() < MAX_ERRORS => *place = "",
            _ => return Err(errors),
        }
    }
}

/// The message of a circuit's error as a sentence, with a capital letter and a full stop.
fn error_sentence(error: &CircuitError) -> String {
    format!("{}.", vivarium_view::display::words::capitalize(&error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_errors(text: &str) -> Vec<(Option<usize>, String)> {
        let mistakes = parse_circuit_text(text).unwrap_err().into_iter();
        mistakes.map(|mistake| (mistake.line, mistake.sentence)).collect()
    }

    #[test]
    fn every_line_that_is_no_gate_is_named() {
        let all = parse_errors("s = a xor b\nt = s and a\nu a\nout = 2t and s");
        assert_eq!(all.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [Some(1), Some(3), Some(4)]);
        assert_eq!(all[0].1, "Line 1: there is no gate “xor”; the gates are “and”, “or”, “not” and “id”.");
        let circle = parse_errors("s = t and a\nt = not s");
        assert_eq!(circle, [(Some(1), "Line 1: s depends on its own value.".into())]);
        assert_eq!(parse_errors("inputs a\ns = a and b")[0].0, Some(2));
        assert_eq!(
            parse_errors(""),
            [(None, "The circuit has no gate; write a gate on a line, for example “out = a and b”.".into())]
        );
        let many: String = (0..401).map(|i| format!("g{i}=x\n")).collect();
        assert_eq!(
            parse_errors(&many),
            [(Some(401), "Line 401: a circuit must have at most 400 gates.".into())]
        );
        assert_eq!(parse_errors(&"a = x xor y\n".repeat(30)).len(), MAX_ERRORS);
        assert_eq!(parse_errors(&"g = not x\n".repeat(1000))[0].0, None);
    }

    #[test]
    fn gates_of_one_line_become_lines() {
        assert_eq!(format_gate_lines("a = b; c = not a;\r\nd = a # e; f"), "a = b\nc = not a\nd = a # e; f");
        let circuit = parse_circuit_text("a = b; out = not a").unwrap();
        assert_eq!(circuit.to_string(), "a = id b\nout = not a");
    }
}
