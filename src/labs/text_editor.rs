//! Parts that the text editors of the labs share: the errors of a text by line, the check of its length, and the
//! position of a line in the text.

use std::fmt::Display;

use vivarium_core::settings::line;
use vivarium_view::display::words::capitalize;

/// Maximum number of errors listed for one text; further errors are left out.
pub const MAX_ERRORS: usize = 8;

/// Error in a text that the user has typed into an editor, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextError {
    /// Number of the line with the error, from 1; `None` if no single line causes the error.
    pub line: Option<usize>,
    /// Error message for the user, a full sentence.
    pub message: String,
}

/// Message of an error as a sentence, with a capital letter and a full stop.
pub fn error_sentence(error: &impl Display) -> String {
    format!("{}.", capitalize(&error.to_string()))
}

/// Parses a text, and parses it again without the malformed lines until every malformed line is found.
///
/// `line_of` returns the number of an error's line, from 1, if it has one. `is_single_line` tells whether an error is
/// caused by its line alone, whatever the other lines hold.
///
/// # Errors
///
/// The errors of all malformed lines, at most [`MAX_ERRORS`], or else the first other error.
pub fn collect_line_errors<T, E: Display>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, E>,
    line_of: impl Fn(&E) -> Option<usize>,
    is_single_line: impl Fn(&E) -> bool,
) -> Result<T, Vec<TextError>> {
    let mut rest: Vec<&str> = text.lines().collect();
    let mut errors = vec![];
    loop {
        let error = match parse(&rest.join("\n")) {
            Ok(parsed) if errors.is_empty() => return Ok(parsed),
            Ok(_) => return Err(errors),
            Err(error) => error,
        };
        let (line, is_single) = (line_of(&error), is_single_line(&error));
        // An error between lines may be a consequence of a malformed line, so it counts only as the first error.
        if is_single || errors.is_empty() {
            errors.push(TextError { line, message: error_sentence(&error) });
        }
        let malformed = line.and_then(|line| rest.get_mut(line.checked_sub(1)?));
        match malformed {
            Some(malformed) if is_single && errors.len() < MAX_ERRORS => *malformed = "",
            _ => return Err(errors),
        }
    }
}

/// Checks that a setting of at most `max_len` bytes can hold a text, both as it is and encoded in a link.
///
/// # Errors
///
/// An error without a line, if the text is too long.
pub fn check_link_length(text: &str, max_len: usize) -> Result<(), TextError> {
    // In a link an arrow takes fewer bytes than in memory, and other characters take more.
    let found = line::encode(text).len().max(text.len());
    if found <= max_len {
        return Ok(());
    }
    let message = tr!(
        "The text needs {found} characters in a link, but at most {most} characters are allowed.",
        found,
        most = max_len
    );
    Err(TextError { line: None, message })
}

/// Offsets of the start and end of line number `line`, from 1, in `text`, counted in UTF-16 units as browsers do;
/// `None` beyond the last line.
pub fn line_range(text: &str, line: usize) -> Option<(u32, u32)> {
    let units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
    let mut start: u32 = 0;
    for (at, of) in text.split('\n').enumerate() {
        let end = start.saturating_add(units(of));
        if at + 1 == line {
            return Some((start, end));
        }
        start = end.saturating_add(1);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Error of a text of whole numbers, one per line, whose sum must be less than 100.
    #[derive(Debug)]
    enum SumError {
        NotANumber { line: usize },
        WrongLine { line: usize },
        TooLarge,
        LargeFrom { line: usize },
    }

    impl Display for SumError {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            match self {
                SumError::NotANumber { line } => write!(f, "line {line}: not a number"),
                SumError::WrongLine { .. } => f.write_str("an error of a line that does not exist"),
                SumError::TooLarge => f.write_str("the sum is too large"),
                SumError::LargeFrom { line } => write!(f, "the sum is too large from line {line}"),
            }
        }
    }

    /// Sum of the numbers in the lines of a text; empty lines are skipped, and the word "beyond" gives an error of a
    /// line that does not exist.
    fn parse_sum(text: &str) -> Result<u32, SumError> {
        let mut sum = 0;
        for (line, word) in (1..).zip(text.lines()).filter(|(_, word)| !word.is_empty()) {
            if word == "beyond" {
                return Err(SumError::WrongLine { line: 1000 });
            }
            sum += word.parse::<u32>().map_err(|_| SumError::NotANumber { line })?;
            if sum >= 100 {
                return Err(if sum > 1000 { SumError::TooLarge } else { SumError::LargeFrom { line } });
            }
        }
        Ok(sum)
    }

    fn line_of(error: &SumError) -> Option<usize> {
        match error {
            SumError::NotANumber { line } | SumError::WrongLine { line } | SumError::LargeFrom { line } => {
                Some(*line)
            }
            SumError::TooLarge => None,
        }
    }

    fn is_single_line(error: &SumError) -> bool {
        matches!(error, SumError::NotANumber { .. } | SumError::WrongLine { .. })
    }

    fn collect(text: &str) -> Result<u32, Vec<(Option<usize>, String)>> {
        collect_line_errors(text, parse_sum, line_of, is_single_line)
            .map_err(|errors| errors.into_iter().map(|error| (error.line, error.message)).collect())
    }

    #[test]
    fn a_valid_text_is_parsed() {
        assert_eq!(collect("1\n\n20\n"), Ok(21));
        assert_eq!(collect(""), Ok(0));
    }

    #[test]
    fn every_malformed_line_is_listed_once() {
        let expected = [2, 4].map(|line| (Some(line), format!("Line {line}: not a number.")));
        assert_eq!(collect("1\nx\n2\ny\n3"), Err(expected.to_vec()));
        let many = collect(&"x\n".repeat(30)).unwrap_err();
        assert_eq!(
            many.iter().map(|(line, _)| *line).collect::<Vec<_>>(),
            (1..=MAX_ERRORS).map(Some).collect::<Vec<_>>()
        );
    }

    #[test]
    fn an_error_between_lines_is_listed_only_without_malformed_lines() {
        let from = (Some(2), "The sum is too large from line 2.".to_string());
        assert_eq!(collect("50\n50\n0"), Err(vec![from]));
        assert_eq!(collect("2000"), Err(vec![(None, "The sum is too large.".to_string())]));
        let malformed = (Some(1), "Line 1: not a number.".to_string());
        assert_eq!(collect("x\n50\n50"), Err(vec![malformed]));
        // Parsing ends at an error between lines, so that a later malformed line is not found.
        assert_eq!(collect("50\n50\nx").unwrap_err().len(), 1);
    }

    #[test]
    fn an_error_of_a_line_that_does_not_exist_ends_the_search() {
        let beyond = (Some(1000), "An error of a line that does not exist.".to_string());
        assert_eq!(collect("1\nbeyond\nx"), Err(vec![beyond]));
    }

    #[test]
    fn a_text_must_fit_in_memory_and_in_a_link() {
        assert_eq!(check_link_length("a → b", 7), Ok(()));
        let arrows = check_link_length("a → b", 6).unwrap_err();
        assert_eq!(
            (arrows.line, arrows.message.as_str()),
            (None, "The text needs 7 characters in a link, but at most 6 characters are allowed.")
        );
        // A vertical bar is written as !7c!.
        assert!(check_link_length("|", 4).is_ok() && check_link_length("|", 3).is_err());
    }

    #[test]
    fn a_line_is_found_in_the_text() {
        let text = "a → b\n\nüx";
        assert_eq!((line_range(text, 1), line_range(text, 2)), (Some((0, 5)), Some((6, 6))));
        assert_eq!(
            (line_range(text, 3), line_range(text, 4), line_range(text, 0)),
            (Some((7, 9)), None, None)
        );
        assert_eq!(line_range("😀\nb", 2), Some((3, 4)));
    }
}
