//! Numbers that people enter in forms, in the notations of many countries.
//!
//! # Why
//! Links, files and commands have one notation: digits, and a dot before the decimals. A telephone with another locale
//! offers only a decimal comma, the page itself writes 16,384, and other texts have 16 384, 16.384 or a minus sign of
//! Unicode. Forms read all of them and pass on the notation of links. A text with two readings is refused, and the error
//! gives both: in a decimal field one comma before exactly three digits, in a field of whole numbers one dot before exactly
//! three digits. Elsewhere one comma or one dot is the sign before the decimals, except that a comma before three digits
//! separates thousands in a field of whole numbers, as the page writes them.

use super::{InvalidSetting, Range, SettingInfo};
use crate::language::is_hidden;

/// Error of a text that is not one number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryError {
    /// The text has these readings, in the notation of the page; one if only the other notation fits the field.
    Ambiguous(Vec<String>),
    /// The text has this character in a place where no number has it.
    Character(char),
}

impl EntryError {
    /// Describes what the field expects instead, where `expected` describes its valid values.
    pub fn describe(&self, expected: &str) -> String {
        match self {
            EntryError::Ambiguous(readings) => match &readings[..] {
                [first, second] => {
                    tr!("{expected}. Do you mean {first} or {second}?", expected, first, second)
                }
                readings => {
                    tr!("{expected}. Do you mean {reading}?", expected, reading = readings.join(", "))
                }
            },
            EntryError::Character(' ') => {
                tr!("{expected}. A space is only possible before groups of three digits", expected)
            }
            EntryError::Character(character) => {
                tr!("{expected}. “{character}” is not possible here", expected, character)
            }
        }
    }
}

impl SettingInfo {
    /// Converts a text of a form to the notation of links, which [`SettingInfo::parse`] reads, if this setting is a
    /// number, a schedule or a list of points; other texts stay as they are.
    ///
    /// # Errors
    /// When a part of the text contains digits but is not one number; the error names the wrong character or both
    /// readings.
    pub fn normalize_entry(&self, text: &str) -> Result<String, InvalidSetting> {
        let normalized = match self.range {
            Range::Int(..) => normalize_number(text, true),
            Range::Real(..) => normalize_number(text, false),
            Range::Schedule(..) => normalize_parts(text, true),
            Range::Points(..) => normalize_parts(text, false),
            _ => return Ok(text.into()),
        };
        normalized
            .map_err(|error| InvalidSetting::new(self.key, text, error.describe(&self.describe_expected())))
    }
}

/// Converts the numbers of a schedule or of a list of points, such as "500:0,05_900:0,02", to the notation of links;
/// `has_steps` says whether the number before each colon is whole.
fn normalize_parts(text: &str, has_steps: bool) -> Result<String, EntryError> {
    let is_separator = |letter: char| letter == ':' || letter == '_' || letter.is_whitespace();
    let mut out = String::new();
    for part in text.split_inclusive(is_separator) {
        let number = part.trim_end_matches(is_separator);
        out += &normalize_number(number, has_steps && part.ends_with(':'))?;
        out += &part[number.len()..];
    }
    Ok(out)
}

/// Parses a whole number that was entered in a form; `None` if the text is not one, or has two readings.
pub fn parse_whole_entry(text: &str) -> Option<u64> {
    super::parse_whole_number(&normalize_number(text, true).ok()?)
}

/// Parses a number that was entered in a form.
///
/// # Errors
/// When the text is not one number; the error is `None` for a text without digits and for a number that is not finite.
pub fn parse_real_entry(text: &str) -> Result<f64, Option<EntryError>> {
    let number = normalize_number(text, false)?.parse().ok();
    number.filter(|number: &f64| number.is_finite()).ok_or(None)
}

/// Converts a number that was entered in a form to the notation of links; `is_whole` says whether the field is for whole
/// numbers. A text without digits stays as it is.
///
/// # Errors
/// When the text contains digits but is not one number.
pub fn normalize_number(text: &str, is_whole: bool) -> Result<String, EntryError> {
    // Numbers that were copied from other pages, or written from right to left, may contain invisible characters.
    let visible = text.chars().filter(|c| !is_hidden(*c) && !matches!(c, '\u{ad}' | '\u{2060}'));
    let visible: String = visible.collect();
    let plain: Vec<char> = visible.trim().chars().map(plain_character).collect();
    if !plain.iter().any(char::is_ascii_digit) {
        return Ok(text.into());
    }
    let exponent_start = plain.iter().position(|c| matches!(c, 'e' | 'E')).unwrap_or(plain.len());
    let (mantissa, exponent) = plain.split_at(exponent_start);
    let sign_length = usize::from(matches!(mantissa.first(), Some('-' | '+')));
    let (sign, body) = mantissa.split_at(sign_length);
    if let Some(wrong) =
        body.iter().find(|c| !c.is_ascii_digit() && !matches!(c, ',' | '.' | ' ' | '\'' | '_'))
    {
        return Err(EntryError::Character(*wrong));
    }
    check_exponent(exponent)?;
    let body: String = body.iter().filter(|c| **c != '_' || !is_whole).collect();
    let (integer, decimals) =
        split_decimals(&body, is_whole).map_err(|error| with_sign(error, sign, exponent))?;
    let mut out: String = sign.iter().chain(&join_groups(integer)?).collect();
    if let Some((decimal_sign, decimals)) = decimals {
        if let Some(wrong) = decimals.chars().find(|c| !c.is_ascii_digit()) {
            return Err(EntryError::Character(wrong));
        }
        if is_whole && exponent.is_empty() && decimals.chars().any(|c| c != '0') {
            return Err(EntryError::Character(decimal_sign));
        }
        out.push('.');
        out.push_str(decimals);
    }
    out.extend(exponent);
    Ok(out)
}

/// ASCII character with the meaning of `character` in a number: digits, minus signs, spaces, apostrophes, commas and dots
/// of other scripts; other characters stay as they are.
fn plain_character(character: char) -> char {
    /// First digits, from 0, of the decimal digits that become ASCII digits: Arabic, Persian, Devanagari, Bengali, full
    /// width.
    const ZEROS: [char; 5] = ['\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}', '\u{ff10}'];
    for zero in ZEROS {
        let digit =
            u32::from(character).checked_sub(u32::from(zero)).and_then(|digit| char::from_digit(digit, 10));
        if let Some(digit) = digit {
            return digit;
        }
    }
    match character {
        // Minus sign, hyphens, figure dash, en dash, small and full-width minus.
        '\u{2212}' | '\u{2010}'..='\u{2013}' | '\u{fe63}' | '\u{ff0d}' => '-',
        '\u{2019}' => '\'',
        // The last two are what Japanese and Chinese keyboards write for a dot.
        '\u{66b}' | '\u{ff0e}' | '\u{3002}' | '\u{ff61}' => '.',
        '\u{66c}' | '\u{ff0c}' => ',',
        // No-break and thin spaces among others.
        other if other.is_whitespace() => ' ',
        other => other,
    }
}

/// Checks an exponent with its letter, such as "e-3"; an empty one is valid.
fn check_exponent(exponent: &[char]) -> Result<(), EntryError> {
    let Some((letter, rest)) = exponent.split_first() else { return Ok(()) };
    let digits = match rest {
        ['-' | '+', digits @ ..] => digits,
        digits => digits,
    };
    match digits.iter().find(|c| !c.is_ascii_digit()) {
        Some(wrong) => Err(EntryError::Character(*wrong)),
        None if digits.is_empty() => Err(EntryError::Character(*letter)),
        None => Ok(()),
    }
}

/// Integer part of a number, and its decimals with the sign before them; `None` for a number without that sign.
type NumberParts<'a> = (&'a str, Option<(char, &'a str)>);

/// Splits a number without sign and exponent into its integer part, which may have separators of thousands, and its
/// decimals.
fn split_decimals(body: &str, is_whole: bool) -> Result<NumberParts<'_>, EntryError> {
    let count = |of: char| body.matches(of).count();
    let has_other_groups = body.contains([' ', '\'', '_']);
    let (commas, dots) = (count(','), count('.'));
    let Some(place) = body.rfind([',', '.']) else { return Ok((body, None)) };
    let (integer, rest) = body.split_at(place);
    let mut letters = rest.chars();
    let (last, decimals) = (letters.next().unwrap_or('.'), letters.as_str());
    let is_grouped = !has_other_groups && is_grouped_by(body, last);
    match (commas + dots, count(last)) {
        // One sign: it precedes the decimals unless it can separate thousands.
        (1, _) if !is_grouped => Ok((integer, Some((last, decimals)))),
        (1, _) => match (last, is_whole) {
            (',', true) => Ok((body, None)),
            ('.', false) => Ok((integer, Some((last, decimals)))),
            _ => {
                let thousands = format!("{integer},{decimals}");
                let readings = match (is_whole, decimals.chars().all(|c| c == '0')) {
                    (true, true) => vec![integer.into(), thousands],
                    (true, false) => vec![thousands],
                    (false, _) => vec![format!("{integer}.{decimals}"), format!("{integer}{decimals}")],
                };
                Err(EntryError::Ambiguous(readings))
            }
        },
        // Several equal signs separate thousands.
        (all, of_last) if all == of_last => match is_grouped {
            true => Ok((body, None)),
            false => Err(EntryError::Character(last)),
        },
        // The last of two kinds precedes the decimals.
        (_, 1) => Ok((integer, Some((last, decimals)))),
        _ => Err(EntryError::Character(last)),
    }
}

/// Adds sign and exponent of the number to the readings of an ambiguous text.
fn with_sign(error: EntryError, sign: &[char], exponent: &[char]) -> EntryError {
    let sign = if sign == ['-'] { "−" } else { "" };
    let exponent: String = exponent.iter().collect();
    match error {
        EntryError::Ambiguous(readings) => EntryError::Ambiguous(
            readings.into_iter().map(|reading| format!("{sign}{reading}{exponent}")).collect(),
        ),
        other => other,
    }
}

/// Whether `separator` divides `text` into groups of digits as numbers have them: one to three digits that do not begin
/// with 0, then groups of three, or, as in India, groups of two and a last one of three.
fn is_grouped_by(text: &str, separator: char) -> bool {
    let groups: Vec<&str> = text.split(separator).collect();
    let (Some((first, rest)), Some(last)) = (groups.split_first(), groups.last()) else { return false };
    let Some((_, middle)) = rest.split_last() else { return false };
    let has_equal_groups = |size: usize| middle.iter().all(|group| group.len() == size);
    groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_digit()))
        && (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && last.len() == 3
        && (has_equal_groups(3) || has_equal_groups(2))
}

/// Removes the separators of thousands from the integer part of a number.
fn join_groups(integer: &str) -> Result<Vec<char>, EntryError> {
    let Some(separator) = integer.chars().find(|c| !c.is_ascii_digit()) else {
        return Ok(integer.chars().collect());
    };
    match is_grouped_by(integer, separator) {
        true => Ok(integer.chars().filter(char::is_ascii_digit).collect()),
        false => Err(EntryError::Character(separator)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Setting for numbers of the given range.
    fn setting(range: Range) -> SettingInfo {
        SettingInfo { key: "x", label: "X", help: "Number.", unit: "", range, condition: None }
    }

    #[test]
    fn numbers_of_many_countries_are_read() {
        for (text, expected) in [
            ("0,05", "0.05"),
            ("0.05", "0.05"),
            (",5", ".5"),
            ("0,125", "0.125"),
            ("12,5", "12.5"),
            ("1,2345", "1.2345"),
            ("1.234", "1.234"),
            ("1.234,5", "1234.5"),
            ("1,234.5", "1234.5"),
            ("1.234.567", "1234567"),
            ("1 234,567", "1234.567"),
            ("1’234.5", "1234.5"),
            ("\u{2212}0,5", "-0.5"),
            ("1,5e\u{2212}3", "1.5e-3"),
            ("1E5", "1E5"),
            (" 7 ", "7"),
            ("٠٫٥", "0.5"),
            ("０．５", "0.5"),
            ("0。5", "0.5"),
            ("\u{200b}0.5\u{200f}", "0.5"),
            ("0.\u{ad}5\u{2060}", "0.5"),
        ] {
            assert_eq!(normalize_number(text, false).as_deref(), Ok(expected), "{text}");
        }
        for (text, expected) in [
            ("16,384", "16384"),
            ("16 384", "16384"),
            ("16\u{a0}384", "16384"),
            ("16\u{202f}384", "16384"),
            ("16\u{2009}384", "16384"),
            ("1.000.000", "1000000"),
            ("1,00,000", "100000"),
            ("16,384.0", "16384.0"),
            ("3,0", "3.0"),
            ("1e5", "1e5"),
            ("1,5e3", "1.5e3"),
            ("100_000", "100000"),
            ("१२", "12"),
        ] {
            assert_eq!(normalize_number(text, true).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_text_with_two_readings_is_refused_with_both() {
        let readings =
            |all: &[&str]| Err(EntryError::Ambiguous(all.iter().map(ToString::to_string).collect()));
        assert_eq!(normalize_number("100.000", true), readings(&["100", "100,000"]));
        assert_eq!(normalize_number("1.234", true), readings(&["1,234"]));
        assert_eq!(normalize_number("1,234", false), readings(&["1.234", "1234"]));
        assert_eq!(normalize_number("\u{2212}1,234e2", false), readings(&["−1.234e2", "−1234e2"]));
        // Every reading is accepted when it is entered.
        for (text, is_whole) in [("100", true), ("100,000", true), ("1.234", false), ("1234", false)] {
            assert!(normalize_number(text, is_whole).is_ok(), "{text}");
        }
    }

    #[test]
    fn the_error_names_the_wrong_character() {
        for (text, is_whole, wrong) in [
            ("1;5", false, ';'),
            ("50 %", false, '%'),
            ("1 2", true, ' '),
            ("1.2.3", false, '.'),
            ("1,2,3", true, ','),
            ("3,5", true, ','),
            ("3.5", true, '.'),
            ("0,050", true, ','),
            ("1,234.5,6", false, ','),
            ("1.2 3", false, ' '),
            ("1e", false, 'e'),
            ("1e5x", false, 'x'),
            ("1-2", true, '-'),
        ] {
            assert_eq!(normalize_number(text, is_whole), Err(EntryError::Character(wrong)), "{text}");
        }
        let error = setting(Range::Real(0.0, 1.0)).normalize_entry("0;5").unwrap_err();
        assert_eq!(error.expected, "a number from 0 to 1. “;” is not possible here");
        let error = setting(Range::Int(1, 1_000_000)).normalize_entry("100.000").unwrap_err();
        assert_eq!(error.expected, "a whole number from 1 to 1000000. Do you mean 100 or 100,000?");
    }

    #[test]
    fn schedules_and_points_are_read_number_by_number() {
        let schedule = setting(Range::Schedule(0.0, 10.0));
        assert_eq!(schedule.normalize_entry("1,000:0,05_2000:1").as_deref(), Ok("1000:0.05_2000:1"));
        assert!(
            schedule.normalize_entry("1.000:0.05").unwrap_err().expected.ends_with("Do you mean 1 or 1,000?")
        );
        let points = setting(Range::Points(10.0, 9));
        assert_eq!(points.normalize_entry("−1:0,5 0.3:2").as_deref(), Ok("-1:0.5 0.3:2"));
    }

    #[test]
    fn texts_without_digits_and_other_settings_stay_as_they_are() {
        assert_eq!(normalize_number("many", true).as_deref(), Ok("many"));
        assert_eq!(normalize_number("", false).as_deref(), Ok(""));
        let list = setting(Range::Numbers(0, 9, 9));
        assert_eq!(list.normalize_entry("1.2,3").as_deref(), Ok("1.2,3"));
    }

    #[test]
    fn entries_are_parsed_in_one_call() {
        assert_eq!((parse_whole_entry("16 384"), parse_whole_entry("100.000")), (Some(16_384), None));
        assert_eq!((parse_real_entry("0,5"), parse_real_entry("1e999")), (Ok(0.5), Err(None)));
        let readings = vec!["1.234".to_string(), "1234".to_string()];
        assert_eq!(parse_real_entry("1,234"), Err(Some(EntryError::Ambiguous(readings))));
    }

    #[test]
    fn links_keep_their_strict_notation() {
        let real = setting(Range::Real(0.0, 10.0));
        assert!(real.parse("0,05").is_err() && real.parse("\u{2212}1").is_err());
        assert!(setting(Range::Int(1, 100_000)).parse("16,384").is_err());
    }
}
