//! CSV tables with decimal commas, for spreadsheets in countries that write them, and back.
//!
//! # Why
//! Where a decimal comma is usual, a spreadsheet separates columns at semicolons and takes `0.5` for a text or a date.
//! Such a table begins with the mark of UTF-8, without which symbols such as η are misread. A comment line says what the
//! table is, so that `lab plot` can read it.

use std::borrow::Cow;

/// Mark of UTF-8 at the beginning of a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Comment line of a table with decimal commas; the last one before the names of the columns.
const NOTE: &str = "# spreadsheet: semicolons between columns, decimal commas";

/// How a table is written.
#[derive(Clone, Copy)]
struct TableStyle {
    /// Sign between two columns.
    separator: char,
    /// Sign before the decimals of a number.
    decimal: char,
}

/// The style of all tables that this program writes.
const USUAL: TableStyle = TableStyle { separator: ',', decimal: '.' };
/// The style for spreadsheets.
const WITH_COMMAS: TableStyle = TableStyle { separator: ';', decimal: ',' };

/// Converts a CSV table of this program, whose comment lines come first, to decimal commas with semicolons between columns.
pub fn to_decimal_commas(table: &str) -> String {
    let (comments, body) = table.split_at(comment_length(table));
    format!("{BYTE_ORDER_MARK}{comments}{NOTE}\n{}", convert(body, USUAL, WITH_COMMAS))
}

/// Converts a table of [`to_decimal_commas`] back, except for quotation marks; any other text is returned as it is.
pub fn from_decimal_commas(text: &str) -> Cow<'_, str> {
    let table = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let (comments, body) = table.split_at(comment_length(table));
    if comments.lines().all(|line| line != NOTE) {
        return text.into();
    }
    let kept: String =
        comments.lines().filter(|line| *line != NOTE).map(|line| format!("{line}\n")).collect();
    (kept + &convert(body, WITH_COMMAS, USUAL)).into()
}

/// Number of bytes of the comment lines at the beginning of a table.
fn comment_length(table: &str) -> usize {
    table.split_inclusive('\n').take_while(|line| line.starts_with('#')).map(str::len).sum()
}

/// Converts the lines of a table from one style to another.
fn convert(body: &str, from: TableStyle, to: TableStyle) -> String {
    let mut text = String::with_capacity(body.len() + body.len() / 16);
    let (mut begin, mut is_quoted) = (0, false);
    for (at, letter) in body.char_indices() {
        is_quoted ^= letter == '"';
        if !is_quoted && (letter == from.separator || letter == '\n') {
            push_field(&mut text, &body[begin..at], from, to);
            text.push(if letter == '\n' { '\n' } else { to.separator });
            begin = at + 1;
        }
    }
    push_field(&mut text, &body[begin..], from, to);
    text
}

/// Appends a field to a table: a number with the other decimal sign, and a text in quotation marks if it contains the
/// separator.
fn push_field(text: &mut String, field: &str, from: TableStyle, to: TableStyle) {
    let (value, end) = match field.strip_suffix('\r') {
        Some(value) => (value, "\r"),
        None => (field, ""),
    };
    let is_number = || value.replace(from.decimal, ".").parse::<f64>().is_ok();
    match value {
        quoted if quoted.starts_with('"') => text.push_str(quoted),
        number if number.contains(from.decimal) && is_number() => {
            text.extend(
                number.chars().map(|letter| if letter == from.decimal { to.decimal } else { letter }),
            );
        }
        word if word.contains(to.separator) => text.extend(["\"", word, "\""]),
        word => text.push_str(word),
    }
    text.push_str(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# program: Vivarium 0.1.0\n# link: #v1/sparse-parity?lr=0.1;x\nrun,step,replica,test_loss\n\
                         \"k = 3, η = 0.5\",0,0,0.25\na;b,10,1,-1.5\n\"say \"\"0.5\"\", \n# two\",20,0,NaN\n,30,1,\n";

    #[test]
    fn numbers_have_commas_and_columns_semicolons() {
        let expected = "\u{feff}# program: Vivarium 0.1.0\n# link: #v1/sparse-parity?lr=0.1;x\n\
                        # spreadsheet: semicolons between columns, decimal commas\nrun;step;replica;test_loss\n\
                        \"k = 3, η = 0.5\";0;0;0,25\n\"a;b\";10;1;-1,5\n\"say \"\"0.5\"\", \n# two\";20;0;NaN\n;30;1;\n";
        assert_eq!(to_decimal_commas(TABLE), expected);
        assert_eq!(to_decimal_commas(""), format!("\u{feff}{NOTE}\n"));
    }

    #[test]
    fn such_a_table_is_read_back_and_others_are_left_alone() {
        let back = from_decimal_commas(&to_decimal_commas(TABLE)).into_owned();
        assert_eq!(back, TABLE.replace("a;b", "\"a;b\""));
        let by_windows = to_decimal_commas("# program: Vivarium\nstep,x\n1,0.5\n").replace('\n', "\r\n");
        assert_eq!(from_decimal_commas(&by_windows), "# program: Vivarium\nstep,x\r\n1,0.5\r\n");
        for other in [TABLE, "", "a;b\n1,5;2\n", "# link: x\na;b\n"] {
            assert!(matches!(from_decimal_commas(other), Cow::Borrowed(text) if text == other));
        }
    }
}
