//! Checks the text of a program in the editor, and lists the errors by line.

use super::listing;
use vivarium_core::settings::Value;
use vivarium_model::models::recurrent_conv::MOST_IN_LINK;
use vivarium_science::succinct::SuccinctError as Wrong;
use vivarium_science::succinct::grid::GridProgram;
use vivarium_view::display::words::capitalize;

/// Maximum number of lines of a program text whose errors are listed below the editor.
const MAX_ERRORS: usize = 8;

/// Error in the text of a program for the grid, which the user edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramTextError {
    /// Line of the program text with the error, from 1; `None` if it is in no single line.
    pub line: Option<usize>,
    /// Reason why the program cannot run, as a sentence.
    pub message: String,
}

/// Program text as stored in a link: with Unix line ends, and without empty lines at the end.
pub fn normalize_text(text: &str) -> String {
    text.replace("\r\n", "\n").trim_end().to_string()
}

/// Parses the text of a program for the grid.
///
/// # Errors
///
/// The errors of the text: for each invalid line its own error, or else the first error between lines.
pub fn parse_program(text: &str) -> Result<GridProgram, Vec<ProgramTextError>> {
    let text = normalize_text(text);
    // In a link an arrow takes fewer bytes than in memory, and other characters take more.
    let found = Value::Text(text.clone()).to_string().len().max(text.len());
    if found > MOST_IN_LINK {
        let sentence = tr!(
            "The text needs {found} characters in a link, but at most {most} characters are allowed.",
            found,
            most = MOST_IN_LINK
        );
        return Err(vec![ProgramTextError { line: None, message: sentence }]);
    }
    let mut rest: Vec<&str> = text.lines().collect();
    let mut errors = vec![];
    loop {
        let wrong = match GridProgram::parse(&rest.join("\n")) {
            Ok(program) if errors.is_empty() => return check_first_step(&text, program),
            Ok(_) => return Err(errors),
            Err(wrong) => wrong,
        };
        let line = error_line(&wrong);
        // An invalid line does not affect other lines, but errors between lines may be a consequence of it.
        let is_of_line = is_single_line_error(&wrong);
        if is_of_line || errors.is_empty() {
            errors.push(ProgramTextError { line, message: format_error(&wrong) });
        }
        let place = line.and_then(|line| rest.get_mut(line.checked_sub(1)?));
        match place {
            Some(place) if is_of_line && errors.len() < MAX_ERRORS => *place = "",
            _ => return Err(errors),
        }
    }
}

/// Returns the program unchanged, or an error if a rule of its start state moves the head, which the first step must
/// not do.
fn check_first_step(text: &str, program: GridProgram) -> Result<GridProgram, Vec<ProgramTextError>> {
    let Err(wrong) = program.check_first_step() else { return Ok(program) };
    let line = match &wrong {
        Wrong::FirstStepMoves { state, symbol } => listing::find_rule_line(text, &program, state, *symbol),
        _ => None,
    };
    let sentence = match line {
        Some(line) => tr!("Line {line}: {mistake}.", line, mistake = wrong),
        None => format_error(&wrong),
    };
    Err(vec![ProgramTextError { line, message: sentence }])
}

/// Line of the program text that an error refers to, from 1; `None` if it refers to no line.
fn error_line(error: &Wrong) -> Option<usize> {
    match error {
        Wrong::InvalidRule { line, .. }
        | Wrong::UnknownMove { line, .. }
        | Wrong::ReservedSymbol { line, .. }
        | Wrong::DuplicateSymbol { line, .. }
        | Wrong::WrittenSymbolCount { line, .. }
        | Wrong::StateNameTooLong { line }
        | Wrong::InvalidStateName { line, .. }
        | Wrong::DuplicateRule { line, .. }
        | Wrong::TooManyStates { line }
        | Wrong::TooManySymbols { line }
        | Wrong::TooManyRules { line }
        | Wrong::HaltHasRule { line }
        | Wrong::StateWithoutRule { line, .. } => Some(*line),
        _ => None,
    }
}

/// Whether an error in the program text lies in one line alone, whatever the other lines hold.
fn is_single_line_error(error: &Wrong) -> bool {
    matches!(
        error,
        Wrong::InvalidRule { .. }
            | Wrong::UnknownMove { .. }
            | Wrong::ReservedSymbol { .. }
            | Wrong::DuplicateSymbol { .. }
            | Wrong::WrittenSymbolCount { .. }
            | Wrong::StateNameTooLong { .. }
            | Wrong::InvalidStateName { .. }
            | Wrong::HaltHasRule { .. }
    )
}

/// Formats an error in a program text as a sentence with a capital letter and a full stop.
fn format_error(error: &Wrong) -> String {
    format!("{}.", capitalize(&error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_science::succinct::grid::library;

    fn parse_errors(text: &str) -> Vec<(Option<usize>, String)> {
        let errors = parse_program(text).unwrap_err().into_iter();
        errors.map(|mistake| (mistake.line, mistake.message)).collect()
    }

    fn numbers(text: &str) -> Vec<Option<usize>> {
        parse_errors(text).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn every_line_that_is_no_rule_is_named() {
        let all = parse_errors("a + → * S b\nb + = * L b // no\nb - → * X b\nHALT + → * S a\nb _ → * L c");
        assert_eq!(all.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [Some(2), Some(3), Some(4)]);
        let expected =
            "Line 2: expected state, symbols read → symbol to write, move, next state, found: b + = * L b.";
        assert_eq!(all[0].1, expected);
        assert_eq!(all[1].1, "Line 3: unknown move X; write U, D, L, R or S (stay).");
        assert_eq!(all[2].1, "Line 4: the state HALT ends the run and must not have a rule.");
        assert_eq!(parse_errors(&"a + = b\n".repeat(30)).len(), MAX_ERRORS);
    }

    #[test]
    fn what_is_wrong_between_lines_is_stated_alone() {
        let twice = parse_errors("a + → * S a\n\na -+ → * S a\na + → - S a");
        assert_eq!(
            twice,
            [(Some(3), "Line 3: state a with symbol + already has a rule, in line 1.".to_string())]
        );
        assert_eq!(numbers("a + → * S b"), [Some(1)]);
        assert_eq!(numbers("a + → * S b\nb ++ → * S b"), [Some(2)], "the state b has a rule, which is wrong");
        assert_eq!(
            parse_errors("// nothing"),
            [(None, "The text has no rule; write one rule per line, for example A + → - L B.".into())]
        );
        let long = parse_errors(&"a + → * S a // Äh\n".repeat(400));
        assert!(
            long.len() == 1
                && long[0].0.is_none()
                && long[0].1.ends_with("at most 6000 characters are allowed."),
            "{long:?}"
        );
    }

    #[test]
    fn the_first_step_stays() {
        let all = parse_errors("a _ → * S b\na +- → * U b\nb * → * S HALT");
        assert_eq!((all.len(), all[0].0), (1, Some(2)));
        assert!(
            all[0]
                .1
                .starts_with("Line 2: in the start state a, a head that reads the symbol + must not move:"),
            "{}",
            all[0].1
        );
        assert!(all[0].1.ends_with('.'));
    }

    #[test]
    fn the_library_has_no_error() {
        for learner in library::LEARNERS {
            assert_eq!(
                parse_program(learner.text).as_ref(),
                Ok(&learner.parse_program().unwrap()),
                "{}",
                learner.slug
            );
            assert_eq!(normalize_text(learner.text), learner.text.trim_end());
        }
        assert_eq!(normalize_text("a + → * S a\r\nb\r\n\n"), "a + → * S a\nb");
    }
}
