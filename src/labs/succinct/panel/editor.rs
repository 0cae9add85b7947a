//! The text of a program as a person writes it: which lines are wrong, and why.

use super::listing;
use vivarium_core::settings::Value;
use vivarium_model::models::recurrent_conv::MOST_IN_LINK;
use vivarium_science::succinct::SuccinctError as Wrong;
use vivarium_science::succinct::grid::GridProgram;
use vivarium_view::display::words::capital;

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

/// The text as a link holds it: without what ends a line on other systems, and without empty lines at its end.
pub fn lines(text: &str) -> String {
    text.replace("\r\n", "\n").trim_end().to_string()
}

/// The program of a text, or what is wrong with it: of lines that are no rules, each with its mistake.
pub fn checked(text: &str) -> Result<GridProgram, Vec<Mistake>> {
    let text = lines(text);
    // An arrow is shorter in a link than in memory, and other characters are longer.
    let found = Value::Text(text.clone()).to_string().len().max(text.len());
    if found > MOST_IN_LINK {
        let sentence = tr!(
            "The text needs {found} characters in a link, but at most {most} characters are allowed.",
            found,
            most = MOST_IN_LINK
        );
        return Err(vec![Mistake { line: None, sentence }]);
    }
    let mut rest: Vec<&str> = text.lines().collect();
    let mut mistakes = vec![];
    loop {
        let wrong = match GridProgram::parse(&rest.join("\n")) {
            Ok(program) if mistakes.is_empty() => return first_stays(&text, program),
            Ok(_) => return Err(mistakes),
            Err(wrong) => wrong,
        };
        let line = line(&wrong);
        // A line that is no rule says nothing of the others; what is wrong between lines may be due to it.
        let is_of_line = is_of_line(&wrong);
        if is_of_line || mistakes.is_empty() {
            mistakes.push(Mistake { line, sentence: sentence(&wrong) });
        }
        let place = line.and_then(|line| rest.get_mut(line.checked_sub(1)?));
        match place {
            Some(place) if is_of_line && mistakes.len() < MOST_LISTED => *place = "",
            _ => return Err(mistakes),
        }
    }
}

/// The program, or the line of the start state that moves the head.
fn first_stays(text: &str, program: GridProgram) -> Result<GridProgram, Vec<Mistake>> {
    let Err(wrong) = program.check_first_step() else { return Ok(program) };
    let line = match &wrong {
        Wrong::FirstStepMoves { state, symbol } => listing::line_of(text, &program, state, *symbol),
        _ => None,
    };
    let sentence = match line {
        Some(line) => tr!("Line {line}: {mistake}.", line, mistake = wrong),
        None => sentence(&wrong),
    };
    Err(vec![Mistake { line, sentence }])
}

/// The line of a mistake, if it has one.
fn line(wrong: &Wrong) -> Option<usize> {
    match wrong {
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

/// Whether a mistake stays whatever the other lines become.
fn is_of_line(wrong: &Wrong) -> bool {
    matches!(
        wrong,
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

/// The mistake with a capital letter and a full stop.
fn sentence(wrong: &Wrong) -> String {
    format!("{}.", capital(&wrong.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_science::succinct::grid::library;

    fn said(text: &str) -> Vec<(Option<usize>, String)> {
        let mistakes = checked(text).unwrap_err().into_iter();
        mistakes.map(|mistake| (mistake.line, mistake.sentence)).collect()
    }

    fn numbers(text: &str) -> Vec<Option<usize>> {
        said(text).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn every_line_that_is_no_rule_is_named() {
        let all = said("a + → * S b\nb + = * L b // no\nb - → * X b\nHALT + → * S a\nb _ → * L c");
        assert_eq!(all.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [Some(2), Some(3), Some(4)]);
        let expected =
            "Line 2: expected state, symbols read → symbol to write, move, next state, found: b + = * L b.";
        assert_eq!(all[0].1, expected);
        assert_eq!(all[1].1, "Line 3: unknown move X; write U, D, L, R or S (stay).");
        assert_eq!(all[2].1, "Line 4: the state HALT ends the run and must not have a rule.");
        assert_eq!(said(&"a + = b\n".repeat(30)).len(), MOST_LISTED);
    }

    #[test]
    fn what_is_wrong_between_lines_is_said_alone() {
        let twice = said("a + → * S a\n\na -+ → * S a\na + → - S a");
        assert_eq!(
            twice,
            [(Some(3), "Line 3: state a with symbol + already has a rule, in line 1.".to_string())]
        );
        assert_eq!(numbers("a + → * S b"), [Some(1)]);
        assert_eq!(numbers("a + → * S b\nb ++ → * S b"), [Some(2)], "the state b has a rule, which is wrong");
        assert_eq!(
            said("// nothing"),
            [(None, "The text has no rule; write one rule per line, for example A + → - L B.".into())]
        );
        let long = said(&"a + → * S a // Äh\n".repeat(400));
        assert!(
            long.len() == 1
                && long[0].0.is_none()
                && long[0].1.ends_with("at most 6000 characters are allowed."),
            "{long:?}"
        );
    }

    #[test]
    fn the_first_step_stays() {
        let all = said("a _ → * S b\na +- → * U b\nb * → * S HALT");
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
    fn the_library_has_no_mistake() {
        for learner in library::LEARNERS {
            assert_eq!(
                checked(learner.text).as_ref(),
                Ok(&learner.parse_program().unwrap()),
                "{}",
                learner.slug
            );
            assert_eq!(lines(learner.text), learner.text.trim_end());
        }
        assert_eq!(lines("a + → * S a\r\nb\r\n\n"), "a + → * S a\nb");
    }
}
