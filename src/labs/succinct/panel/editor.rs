//! Checks the text of a program in the editor, and lists the errors by line.

use super::listing;
use crate::text_editor::{TextError, check_link_length, collect_line_errors, error_sentence};
use vivarium_model::models::recurrent_conv::MOST_IN_LINK;
use vivarium_science::succinct::SuccinctError as Wrong;
use vivarium_science::succinct::grid::GridProgram;

/// Program text as stored in a link: with Unix line ends, and without empty lines at the end.
pub fn normalize_text(text: &str) -> String {
    text.replace("\r\n", "\n").trim_end().to_string()
}

/// Parses the text of a program for the grid.
///
/// # Errors
///
/// The errors of the text: for each invalid line its own error, or else the first error between lines.
pub fn parse_program(text: &str) -> Result<GridProgram, Vec<TextError>> {
    let text = normalize_text(text);
    check_link_length(&text, MOST_IN_LINK).map_err(|error| vec![error])?;
    let program = collect_line_errors(&text, GridProgram::parse, error_line, is_single_line_error)?;
    check_first_step(&text, program).map_err(|error| vec![error])
}

/// Returns the program unchanged, or an error if a rule of its start state moves the head, which the first step must
/// not do.
fn check_first_step(text: &str, program: GridProgram) -> Result<GridProgram, TextError> {
    let Err(wrong) = program.check_first_step() else { return Ok(program) };
    let line = match &wrong {
        Wrong::FirstStepMoves { state, symbol } => listing::find_rule_line(text, &program, state, *symbol),
        _ => None,
    };
    let message = match line {
        Some(line) => tr!("Line {line}: {mistake}.", line, mistake = wrong),
        None => error_sentence(&wrong),
    };
    Err(TextError { line, message })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_editor::MAX_ERRORS;
    use vivarium_science::succinct::grid::library;

    fn parse_errors(text: &str) -> Vec<(Option<usize>, String)> {
        let errors = parse_program(text).unwrap_err().into_iter();
        errors.map(|error| (error.line, error.message)).collect()
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
