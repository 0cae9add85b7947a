//! Numbers and missing values in the cells of a table, as people and spreadsheets write them.
//!
//! # Why
//! A cell that Rust reads as a number is that number, as it always was, so that a table of such cells keeps its hash. Any
//! other spelling (decimal commas, signs between thousands, per cent, currency) is read only if all cells of its column
//! agree on it, because “1,234” alone may be one number or another.

use std::borrow::Cow;

/// Largest absolute value of a cell that is read as a number, so that sums of squares stay finite; a cell beyond it
/// counts as text.
const MAX_ABS_VALUE: f64 = 1e100;

/// Parses a number of at most [`MAX_ABS_VALUE`] in the spelling of programs; "inf" and "nan" are not numbers here.
pub(super) fn parse_number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|x: &f64| x.abs() <= MAX_ABS_VALUE)
}

/// Whether a cell is a number in any spelling.
pub(super) fn is_number(cell: &str) -> bool {
    parse_number(cell).is_some() || parse_written(cell).is_some()
}

/// Whether a cell of a feature column stands for a missing value, as an empty cell or "NA" does.
pub(super) fn is_missing(cell: &str) -> bool {
    cell.is_empty() || ["?", "na", "n/a", "nan", "null", "none"].contains(&cell.to_lowercase().as_str())
}

/// Whether a cell of the label column stands for a missing label: a class may be called None, NA or nan.
pub(super) fn is_missing_label(cell: &str) -> bool {
    cell.is_empty() || cell == "?"
}

/// Whether a cell is a marker of a program for a missing value or an error, such as "-", "<NA>" or "#DIV/0!".
pub(super) fn is_marker(cell: &str) -> bool {
    let lower = cell.to_lowercase();
    let is_sign =
        !cell.is_empty() && cell.chars().all(|sign| sign.is_ascii_punctuation() || "–—…".contains(sign));
    let is_error = cell.len() > 1 && cell.starts_with('#');
    is_sign || is_error || MARKERS.contains(&lower.trim_start_matches(['-', '+', '−']))
}

/// Texts of programs, in lower case and without a sign before them, for missing values and for numbers that are not
/// finite: of pandas and spreadsheets, of MySQL, and of the C library of Windows.
const MARKERS: [&str; 14] = [
    "<na>", "n.a.", "inf", "infinity", "∞", "nan", "\\n", "(null)", "(blank)", "1.#inf", "1.#ind", "1.#nan",
    "1.#qnan", "1.#snan",
];

/// Whether a cell consists of digits and signs without letters, but is no number, such as "1.2.3".
pub(super) fn is_malformed_number(cell: &str) -> bool {
    cell.chars().any(|sign| sign.is_ascii_digit()) && !cell.chars().any(char::is_alphabetic)
}

/// Sign between the whole part and the fraction of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DecimalSign {
    /// A point: 1.5.
    Point,
    /// A comma: 1,5.
    Comma,
}

/// Unit that is written next to a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// No unit.
    None,
    /// A per cent sign.
    Percent,
    /// A currency sign.
    Currency(char),
}

/// Decimal sign that the spelling of one number proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignEvidence {
    /// None: a whole number without points and commas.
    None,
    /// This decimal sign.
    Sign(DecimalSign),
    /// Either: "1,234" is a thousand times larger if its comma separates thousands. The value is the larger one.
    Ambiguous,
}

/// A number with the properties of its spelling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WrittenNumber {
    /// Value of the number; per cent are not divided by 100.
    pub value: f64,
    /// Decimal sign that the spelling proves.
    pub evidence: SignEvidence,
    /// Unit next to the number.
    pub unit: Unit,
    /// Whether signs separate groups of three digits.
    pub has_groups: bool,
}

/// Currency signs that may stand before or behind a number.
const CURRENCIES: [char; 8] = ['$', '€', '£', '¥', '₹', '₩', '₽', '₺'];
/// Signs between groups of three digits besides point and comma.
const GROUP_SIGNS: [char; 7] = [' ', '\u{a0}', '\u{202f}', '\u{2009}', '\'', '’', '\u{66c}'];

/// The digits 0 of scripts whose ten digits follow each other: Arabic, Persian, Devanagari, Bengali, Thai and full-width.
const ZEROS: [char; 6] = ['\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}', '\u{e50}', '\u{ff10}'];
/// Characters without a width that programs and web pages put next to numbers, such as marks of the reading direction.
const HIDDEN_SIGNS: [char; 7] =
    ['\u{200b}', '\u{200e}', '\u{200f}', '\u{202c}', '\u{202d}', '\u{2060}', '\u{feff}'];

/// Whether a text consists of at least one digit and nothing else.
fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The digits of a whole number whose groups of three are separated by signs for which `is_sign` holds, and whether
/// there is such a sign; `None` if the groups have other lengths.
fn join_groups(text: &str, is_sign: impl Fn(char) -> bool) -> Option<(String, bool)> {
    let groups: Vec<&str> = text.split(is_sign).collect();
    let (first, others) = groups.split_first()?;
    let is_grouped = !others.is_empty();
    // In India, commas separate groups of two digits before the last three: 1,00,000.
    let is_indian = others.len() > 1 && first.len() < 3 && text.contains(',');
    let has_lengths = |before_last: usize| {
        let mut from_last = others.iter().rev().enumerate();
        from_last.all(|(at, group)| group.len() == if at == 0 { 3 } else { before_last })
    };
    let fits = is_digits(first)
        && (!is_grouped || first.len() <= 3)
        && others.iter().all(|group| is_digits(group))
        && (has_lengths(3) || is_indian && has_lengths(2));
    fits.then(|| (groups.concat(), is_grouped))
}

/// Splits a unit off a cell: the rest, without blanks at its ends, and the unit.
fn split_unit(cell: &str) -> (&str, Unit) {
    if let Some(rest) = cell.strip_suffix('%') {
        return (rest.trim(), Unit::Percent);
    }
    for sign in CURRENCIES {
        if let Some(rest) = cell.strip_prefix(sign).or_else(|| cell.strip_suffix(sign)) {
            return (rest.trim(), Unit::Currency(sign));
        }
    }
    (cell, Unit::None)
}

/// Parses a number in the spelling of people: with a decimal point or comma, with signs between thousands, and with a
/// per cent or currency sign; `None` if the cell is no such number.
pub(super) fn parse_written(cell: &str) -> Option<WrittenNumber> {
    let cell = to_ascii_digits(cell);
    let (rest, is_negative) = split_sign(&cell);
    let (rest, unit) = split_unit(rest);
    let (body, is_negative) = match is_negative {
        true => (rest, true),
        // The sign may also stand behind the currency.
        false => split_sign(rest),
    };
    let (digits, evidence, has_groups) = parse_body(body)?;
    let value = parse_number(&digits)?;
    Some(WrittenNumber { value: if is_negative { -value } else { value }, evidence, unit, has_groups })
}

/// The cell with the digits 0 to 9 in place of those of other scripts, and without hidden characters.
fn to_ascii_digits(cell: &str) -> Cow<'_, str> {
    if cell.is_ascii() {
        return Cow::Borrowed(cell);
    }
    let digit = |sign: char| {
        let mut values = ZEROS.iter().map(|zero| u32::from(sign).wrapping_sub(u32::from(*zero)));
        values.find(|value| *value < 10).and_then(|value| char::from_digit(value, 10))
    };
    let signs = cell.chars().filter(|sign| !HIDDEN_SIGNS.contains(sign)).map(|sign| match sign {
        // The Arabic and the full-width decimal sign.
        '\u{66b}' | '\u{ff0e}' => '.',
        _ => digit(sign).unwrap_or(sign),
    });
    Cow::Owned(signs.collect())
}

/// Splits a plus or minus sign off the beginning of a number: the rest, and whether the number is negative.
fn split_sign(text: &str) -> (&str, bool) {
    match text.strip_prefix(['-', '−']) {
        Some(rest) => (rest.trim_start(), true),
        None => (text.strip_prefix('+').unwrap_or(text), false),
    }
}

/// Parses digits with points, commas and signs between thousands: the number in the spelling of programs, the decimal
/// sign that the spelling proves, and whether groups are separated.
fn parse_body(body: &str) -> Option<(String, SignEvidence, bool)> {
    if let Some((digits, sign)) = parse_exponent(body) {
        return Some((digits, SignEvidence::Sign(sign), false));
    }
    let is_group_sign = |sign: char| GROUP_SIGNS.contains(&sign);
    let (points, commas) = (body.matches('.').count(), body.matches(',').count());
    let sign = match (points, commas) {
        (0, 0) => {
            let (digits, has_groups) = join_groups(body, is_group_sign)?;
            return Some((digits, SignEvidence::None, has_groups));
        }
        (1, 0) => DecimalSign::Point,
        (0, 1) => DecimalSign::Comma,
        // Several of one sign: they separate thousands, and the number is whole.
        (0, _) => {
            let (digits, _) = join_groups(body, |sign| sign == ',')?;
            return Some((digits, SignEvidence::Sign(DecimalSign::Point), true));
        }
        (_, 0) => {
            let (digits, _) = join_groups(body, |sign| sign == '.')?;
            return Some((digits, SignEvidence::Sign(DecimalSign::Comma), true));
        }
        // The last one is the decimal sign.
        _ if body.rfind('.') > body.rfind(',') => DecimalSign::Point,
        _ => DecimalSign::Comma,
    };
    let (mark, other) = match sign {
        DecimalSign::Point => ('.', ','),
        DecimalSign::Comma => (',', '.'),
    };
    let (whole, fraction) = body.rsplit_once(mark)?;
    let (digits, has_groups) = match whole.is_empty() {
        true => ("0".to_string(), false),
        false => join_groups(whole, |sign| sign == other || is_group_sign(sign))?,
    };
    let has_fraction = !fraction.is_empty();
    if has_fraction && !is_digits(fraction) || !has_fraction && whole.is_empty() {
        return None;
    }
    let may_be_group = (points, commas) == (0, 1)
        && !has_groups
        && fraction.len() == 3
        && is_digits(whole)
        && whole.len() <= 3
        && !whole.starts_with('0');
    match may_be_group {
        true => Some((format!("{digits}{fraction}"), SignEvidence::Ambiguous, true)),
        false => Some((format!("{digits}.{fraction}0"), SignEvidence::Sign(sign), has_groups)),
    }
}

/// Parses a number with a decimal sign and an exponent that programs write otherwise than Rust: with a decimal comma, as
/// in 1,5E+03, or with the letter D and a sign, as Fortran does. Returns the spelling in Rust, and the decimal sign.
/// Without a decimal sign, as in 2011D2, the text may be a name.
fn parse_exponent(body: &str) -> Option<(String, DecimalSign)> {
    let (mantissa, exponent) = body.split_once(['e', 'E', 'd', 'D'])?;
    let (whole, fraction) = mantissa.split_once(['.', ','])?;
    let sign = if mantissa.contains(',') { DecimalSign::Comma } else { DecimalSign::Point };
    let power = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    // Fortran writes the sign of the exponent; without this sign, a text with the letter D may be a code.
    let is_signed = power.len() < exponent.len();
    let fits = is_digits(whole)
        && (is_signed || body.contains(['e', 'E']))
        && (fraction.is_empty() || is_digits(fraction))
        && is_digits(power)
        && power.len() <= 3;
    fits.then(|| (format!("{whole}.{fraction}0e{exponent}"), sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let point = SignEvidence::Sign(DecimalSign::Point);
        let comma = SignEvidence::Sign(DecimalSign::Comma);
        for (cell, value, evidence, unit, has_groups) in [
            ("12", 12.0, SignEvidence::None, Unit::None, false),
            ("−7", -7.0, SignEvidence::None, Unit::None, false),
            ("1 234 567", 1_234_567.0, SignEvidence::None, Unit::None, true),
            ("1’234.5", 1234.5, point, Unit::None, true),
            ("1,5", 1.5, comma, Unit::None, false),
            (",5", 0.5, comma, Unit::None, false),
            ("0,125", 0.125, comma, Unit::None, false),
            ("1,234", 1234.0, SignEvidence::Ambiguous, Unit::None, true),
            ("1,234,567", 1_234_567.0, point, Unit::None, true),
            ("1,234.5", 1234.5, point, Unit::None, true),
            ("1.234,5", 1234.5, comma, Unit::None, true),
            ("1.234.567", 1_234_567.0, comma, Unit::None, true),
            ("12 %", 12.0, SignEvidence::None, Unit::Percent, false),
            ("-$1,200.50", -1200.5, point, Unit::Currency('$'), true),
            ("$-3", -3.0, SignEvidence::None, Unit::Currency('$'), false),
            ("3,50 €", 3.5, comma, Unit::Currency('€'), false),
            ("1.5D+02", 150.0, point, Unit::None, false),
            ("-2.5d-1", -0.25, point, Unit::None, false),
            ("1,234E+03", 1234.0, comma, Unit::None, false),
            ("12,34,567", 1_234_567.0, point, Unit::None, true),
            ("1,00,000.5", 100_000.5, point, Unit::None, true),
            ("٣٤", 34.0, SignEvidence::None, Unit::None, false),
            ("٣٬٤٥٦٫٥", 3456.5, point, Unit::None, true),
            ("१२", 12.0, SignEvidence::None, Unit::None, false),
            ("１２．５", 12.5, point, Unit::None, false),
            ("\u{200e}-\u{feff}42\u{200e}", -42.0, SignEvidence::None, Unit::None, false),
        ] {
            let expected = WrittenNumber { value, evidence, unit, has_groups };
            assert_eq!(parse_written(cell), Some(expected), "{cell}");
        }
        for cell in [
            "",
            ".",
            ",",
            "1.2.3",
            "12,34,56",
            "1,23.4,5",
            "2020-01-02",
            "a",
            "1 23",
            "%",
            "€",
            "1,,2",
            "12kg",
            "2011D2",
            "1.5D",
            "1.5D+1000",
            "1,2,345",
            "1.23.456",
            "٣a",
        ] {
            assert_eq!(parse_written(cell), None, "{cell}");
        }
    }

    #[test]
    fn markers_are_no_words_and_no_numbers() {
        for cell in
            ["#N/A", "#DIV/0!", "-", ".", "<NA>", "--", "n.a.", "-Infinity", "+inf", "−∞", "-nan", "\\N"]
        {
            assert!(is_marker(cell) && !is_malformed_number(cell), "{cell}");
        }
        for cell in ["1.#INF", "-1.#IND", "1.#QNAN", "(null)"] {
            assert!(is_marker(cell), "{cell}");
        }
        for cell in ["1.2.3", "2020-01-02", "12:30"] {
            assert!(!is_marker(cell) && is_malformed_number(cell), "{cell}");
        }
        for cell in ["word", "Total", "12 kg", ""] {
            assert!(!is_marker(cell) && !is_malformed_number(cell), "{cell}");
        }
    }
}
