//! Parses the circuit text in the editor and collects the errors of its lines.

use crate::text_editor::{TextError, check_link_length, collect_line_errors};
use vivarium_science::circuits::{Circuit, CircuitError, MAX_LINK_CHARACTERS};

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

/// Parses the text of a circuit. On failure, returns the errors of all lines that are malformed by themselves, or else
/// a single error: the first one of the circuit as a whole, or that the text is too long for a link.
pub fn parse_circuit_text(text: &str) -> Result<Circuit, Vec<TextError>> {
    let text = format_gate_lines(text);
    check_link_length(&text, MAX_LINK_CHARACTERS).map_err(|error| vec![error])?;
    collect_line_errors(&text, str::parse::<Circuit>, CircuitError::line, is_single_line_error)
}

/// Whether an error in a circuit's text lies in one line alone, whatever the other lines hold.
fn is_single_line_error(error: &CircuitError) -> bool {
    matches!(
        error,
        CircuitError::MalformedGate(_) | CircuitError::UnknownGate { .. } | CircuitError::InvalidName { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_editor::MAX_ERRORS;

    fn parse_errors(text: &str) -> Vec<(Option<usize>, String)> {
        let errors = parse_circuit_text(text).unwrap_err().into_iter();
        errors.map(|error| (error.line, error.message)).collect()
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
        // The setting refuses this text, which is short enough in a link.
        let arrows = parse_errors(&format!("out = a and b #{}", " → a".repeat(1000)));
        assert!(arrows[0].1.starts_with("The text needs 6015 characters"), "{arrows:?}");
    }

    #[test]
    fn gates_of_one_line_become_lines() {
        assert_eq!(format_gate_lines("a = b; c = not a;\r\nd = a # e; f"), "a = b\nc = not a\nd = a # e; f");
        let circuit = parse_circuit_text("a = b; out = not a").unwrap();
        assert_eq!(circuit.to_string(), "a = id b\nout = not a");
    }
}
