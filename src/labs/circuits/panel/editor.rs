//! The text of a circuit as a person writes it: which lines are wrong, and why.

use vivarium_core::settings::Value;
use vivarium_science::circuits::{Circuit, CircuitError, MAX_LINK_CHARACTERS};

/// Most lines whose mistakes are listed.
const MOST_LISTED: usize = 8;

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The line, from 1; none where it is no line's.
    pub line: Option<usize>,
    /// A sentence.
    pub sentence: String,
}

/// The text with one gate a line, as the editor shows it.
pub fn lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let line = |line: &str| match line.split_once('#') {
        // What is behind a # is a remark, whatever is in it.
        Some((gate, remark)) if !gate.trim().is_empty() => format!("{} #{remark}", split(gate)),
        Some(_) => line.to_string(),
        None => split(line),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn split(line: &str) -> String {
    let line = line.trim_end();
    let gates = line.strip_suffix(';').unwrap_or(line).split(';');
    gates
        .enumerate()
        .map(|(at, gate)| if at == 0 { gate } else { gate.trim_start() })
        .collect::<Vec<_>>()
        .join("\n")
}

/// The circuit of a text, or what is wrong with it: of lines that are no gates, each with its mistake.
pub fn checked(text: &str) -> Result<Circuit, Vec<Mistake>> {
    let text = lines(text);
    let found = Value::Text(text.clone()).to_string().len();
    if found > MAX_LINK_CHARACTERS {
        let sentence = tr!(
            "The text needs {found} characters in a link, but at most {most} characters are allowed.",
            found,
            most = MAX_LINK_CHARACTERS
        );
        return Err(vec![Mistake { line: None, sentence }]);
    }
    let mut rest: Vec<&str> = text.lines().collect();
    let mut mistakes = vec![];
    loop {
        let error = match rest.join("\n").parse::<Circuit>() {
            Ok(circuit) if mistakes.is_empty() => return Ok(circuit),
            Ok(_) => return Err(mistakes),
            Err(error) => error,
        };
        let line = error.line();
        // A line that is no gate says nothing of the others; what is wrong between lines may be due to it.
        let is_of_line = matches!(
            error,
            CircuitError::MalformedGate(_)
                | CircuitError::UnknownGate { .. }
                | CircuitError::InvalidName { .. }
        );
        if is_of_line || mistakes.is_empty() {
            mistakes.push(Mistake { line, sentence: sentence(&error) });
        }
        let place = line.and_then(|line| rest.get_mut(line.checked_sub(1)?));
        match place {
            Some(place) if is_of_line && mistakes.len() < MOST_LISTED => *place = "",
            _ => return Err(mistakes),
        }
    }
}

/// The error with a capital letter and a full stop.
fn sentence(error: &CircuitError) -> String {
    format!("{}.", vivarium_view::display::words::capital(&error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<(Option<usize>, String)> {
        let mistakes = checked(text).unwrap_err().into_iter();
        mistakes.map(|mistake| (mistake.line, mistake.sentence)).collect()
    }

    #[test]
    fn every_line_that_is_no_gate_is_named() {
        let all = said("s = a xor b\nt = s and a\nu a\nout = 2t and s");
        assert_eq!(all.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [Some(1), Some(3), Some(4)]);
        assert_eq!(all[0].1, "Line 1: there is no gate “xor”; the gates are “and”, “or”, “not” and “id”.");
        let circle = said("s = t and a\nt = not s");
        assert_eq!(circle, [(Some(1), "Line 1: s depends on its own value.".into())]);
        assert_eq!(said("inputs a\ns = a and b")[0].0, Some(2));
        assert_eq!(
            said(""),
            [(None, "The circuit has no gate; write a gate on a line, for example “out = a and b”.".into())]
        );
        let many: String = (0..401).map(|i| format!("g{i}=x\n")).collect();
        assert_eq!(said(&many), [(Some(401), "Line 401: a circuit must have at most 400 gates.".into())]);
        assert_eq!(said(&"a = x xor y\n".repeat(30)).len(), MOST_LISTED);
        assert_eq!(said(&"g = not x\n".repeat(1000))[0].0, None);
    }

    #[test]
    fn gates_of_one_line_become_lines() {
        assert_eq!(lines("a = b; c = not a;\r\nd = a # e; f"), "a = b\nc = not a\nd = a # e; f");
        let circuit = checked("a = b; out = not a").unwrap();
        assert_eq!(circuit.to_string(), "a = id b\nout = not a");
    }
}
