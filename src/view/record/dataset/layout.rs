//! Layout of a CSV file, recognised by its first rows: separator, lines above the table, names of the columns.
//!
//! # Why
//! A person sees at once whether a first line holds names or data: names stand above numbers. Rows that have other numbers
//! of cells than the table are titles only if the table begins behind them; in its middle they are an error, as before.

use std::collections::BTreeMap;

use super::columns::ReadingRules;
use super::label::is_label_name;
use super::lines::{Dialect, Row, RowReader, Separator};
use super::numbers::{
    Unit, is_malformed_number, is_marker, is_missing, is_number, parse_number, parse_written,
};
use super::{TableChoices, shorten};

/// Largest number of rows by which the layout of a file is recognised.
const MAX_SAMPLE_ROWS: usize = 200;
/// Fraction of numbers among the cells with a value of a column by which the column counts as one of numbers here.
const NUMERIC_SHARE: f64 = 0.8;
/// Fraction of the rows with the usual number of cells that blanks as separators need, since blanks occur in any text.
const BLANKS_SHARE: f64 = 0.8;
/// Fraction of the rows with the usual number of cells that any other separator needs.
const SIGN_SHARE: f64 = 0.5;
/// Number of rows with the same number of cells that show that the lines above them are titles.
const MIN_TABLE_ROWS: usize = 3;
/// Largest number of rows below the names of a table that are recognised as units or types of its columns.
const MAX_UNIT_ROWS: usize = 3;
/// Smallest number of cells by which the numbers 0, 1, 2, … in a first line are recognised as names.
const MIN_COUNTED_NAMES: usize = 3;

/// Deviations from RFC 4180 by today's rules, unless backslashes escape quotation marks.
const LENIENT: Dialect = Dialect { is_lenient: true, has_escapes: false };

/// Layout of a CSV file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    /// Sign between the cells of a row.
    pub separator: Separator,
    /// Deviations from RFC 4180 with which the file is read.
    pub dialect: Dialect,
    /// Number of cells of a row, if the row of names has another number because of separators without a meaning at its end,
    /// or at the ends of the other rows.
    pub width: Option<usize>,
    /// Number of columns at the end that have neither a name nor a value in the first rows.
    pub empty_columns: usize,
    /// Number of lines above the table.
    pub skipped_lines: u64,
    /// Number of rows below the names that hold units or types of the columns and are no data.
    pub unit_rows: usize,
    /// Whether the first row of the table holds the names of its columns.
    pub has_header: bool,
    /// Whether the first column, which holds the names of the rows, has no cell in the row of names.
    pub has_row_names: bool,
    /// Sentences on what was assumed about the first lines.
    pub notes: Vec<String>,
}

impl Layout {
    /// Layout of a file that begins with `head`; `is_whole` says that these bytes are the whole file.
    pub fn detect(head: &[u8], is_whole: bool, choices: &TableChoices) -> Layout {
        match choices.rules {
            ReadingRules::First => Layout::detect_by_first_rules(head, is_whole),
            ReadingRules::Current => Layout::detect_by_rows(head, is_whole, choices.has_header),
        }
    }

    /// Whether a file that begins with `head` is a table by its contents: at least [`MIN_TABLE_ROWS`] rows have the same
    /// number of cells, and some column consists of numbers.
    pub fn is_table(head: &[u8], is_whole: bool) -> bool {
        let sample = choose_separator(head, is_whole, LENIENT);
        sample.width >= 2
            && sample.share >= BLANKS_SHARE
            && sample.numeric > 0.0
            && sample.rows.len() >= MIN_TABLE_ROWS
    }

    /// Layout by the rules of the first version: everything is decided by the first line.
    fn detect_by_first_rules(head: &[u8], is_whole: bool) -> Layout {
        let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let separator = Separator::Sign(commonest_sign(first));
        let rows = sample_rows(head, is_whole, (separator, Dialect::default()));
        Layout {
            separator,
            dialect: Dialect::default(),
            width: None,
            empty_columns: 0,
            skipped_lines: 0,
            unit_rows: 0,
            has_header: rows.first().is_some_and(has_text),
            has_row_names: false,
            notes: vec![],
        }
    }

    /// Layout by the first rows; `has_header` is the choice of the user, if any.
    fn detect_by_rows(head: &[u8], is_whole: bool, has_header: Option<bool>) -> Layout {
        let (declared, head) = match declared_separator(head) {
            Some((sign, rest)) => (Some(sign), rest),
            None => (None, head),
        };
        let sample_with = |dialect: Dialect| match declared {
            Some(sign) => Sample::new(head, is_whole, (Separator::Sign(sign), dialect)),
            None => choose_separator(head, is_whole, dialect),
        };
        let (mut sample, mut dialect) = (sample_with(LENIENT), LENIENT);
        let mut notes: Vec<String> = vec![];
        if !sample.fits() && head.windows(2).any(|pair| pair == b"\\\"") {
            let escaping = Dialect { has_escapes: true, ..LENIENT };
            let escaped = sample_with(escaping);
            // A sample that ends early, at a quotation mark that is not closed, would fit, too.
            if escaped.width >= 2
                && escaped.share > sample.share
                && escaped.fitting_rows >= sample.fitting_rows
            {
                (sample, dialect) = (escaped, escaping);
                notes.push(
                    tr!("Quotation marks after a backslash are read as part of the text of the cell.").into(),
                );
            }
        }
        let (mut start, has_row_names) = sample.find_start();
        let mut width = None;
        if has_header != Some(false) && start > 0 && !has_row_names && sample.has_names_of_other_width(start)
        {
            (start, width) = (start - 1, Some(sample.width));
        }
        let rows = &sample.rows[start.min(sample.rows.len())..];
        let above = rows.first().map_or(0, |row| row.line - 1);
        let (names, body) = match has_row_names {
            true => (rows.first(), rows.get(1..).unwrap_or_default()),
            false => (None, rows),
        };
        if start > 0 {
            let texts = sample.rows[..start].iter().map(|row| row.cells().collect::<Vec<_>>().join(" "));
            let text = texts.map(|text| text.trim().to_string()).find(|text| !text.is_empty());
            notes.push(match text {
                Some(text) => tr!(
                    "Lines above the table, which are not read: {count}, beginning with “{text}”.",
                    count = above,
                    text = shorten(&text)
                ),
                None => tr!("Empty lines above the table, which are not read: {count}.", count = above),
            });
        }
        if names.is_some() {
            notes.push(tr!("The first column has no name; it is read as the names of the rows.").into());
        }
        let assumed = match (names, width) {
            (None, None) => detect_header(body, sample.width),
            _ => HeaderKind::Names,
        };
        let is_names = has_header.unwrap_or(assumed != HeaderKind::Data);
        let below: &[Row] = match (has_row_names, is_names) {
            (true, _) => body,
            (false, true) => body.get(1..).unwrap_or_default(),
            (false, false) => &[],
        };
        let unit_rows = count_unit_rows(below, sample.width);
        if let Some(first) = below.first().filter(|_| unit_rows > 0) {
            notes.push(tr!(
                "Lines left out between the names of the columns and the data, because these lines contain text in columns of numbers, such as units: {count} ({text}, …).",
                count = unit_rows,
                text = shorten(&first_texts(first).join(", "))
            ));
        }
        let first = || {
            body.first()
                .map(|row| shorten(&row.cells().take(3).collect::<Vec<_>>().join(", ")))
                .unwrap_or_default()
        };
        match (assumed, has_header) {
            (HeaderKind::Data, None) if !body.is_empty() => notes.push(
                tr!("The first line ({first}, …) is read as data, because it contains numbers; the columns have no names.", first = first()),
            ),
            (HeaderKind::Counted, None) => notes.push(
                tr!("The first line ({first}, …) is read as the names of the columns, because it counts them.", first = first()),
            ),
            _ => {}
        }
        Layout {
            separator: sample.separator,
            dialect,
            width,
            empty_columns: sample.count_empty_columns(start),
            skipped_lines: above + u64::from(declared.is_some()),
            unit_rows,
            has_header: is_names || has_row_names,
            has_row_names,
            notes,
        }
    }
}

/// Separator that the first line of a file of a spreadsheet states, as `sep=;` does, and the bytes behind this line.
fn declared_separator(head: &[u8]) -> Option<(u8, &[u8])> {
    let end = head.iter().position(|byte| matches!(byte, b'\n' | b'\r'))?;
    let line = head[..end].trim_ascii_start();
    // The separator may be a tab.
    let line = if line.ends_with(b"=\t") { line } else { line.trim_ascii_end() };
    let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
    let [s, e, p, b'=', sign] = line else { return None };
    let is_key = [s, e, p].map(u8::to_ascii_lowercase) == *b"sep";
    let rest = &head[end..];
    let rest = rest.strip_prefix(b"\r\n").unwrap_or(&rest[1..]);
    let is_sign = *sign == b'\t' || sign.is_ascii_punctuation() && *sign != b'"';
    (is_key && is_sign).then_some((*sign, rest))
}

/// The sign of comma, semicolon and tab that occurs most often in a line; the comma if it occurs as often as another.
fn commonest_sign(line: &[u8]) -> u8 {
    let signs = [b',', b';', b'\t'].into_iter().max_by_key(|sign| {
        // Where there are as many of both, the one named first.
        (line.iter().filter(|byte| *byte == sign).count(), *sign == b',')
    });
    signs.unwrap_or(b',')
}

/// The line without the texts between quotation marks.
fn strip_quoted(line: &[u8]) -> Vec<u8> {
    let mut is_quoted = false;
    let mut kept = line.to_vec();
    kept.retain(|byte| {
        is_quoted ^= *byte == b'"';
        !is_quoted
    });
    kept
}

/// The first rows of a file whose cells are separated by `separator`, with the deviations `dialect`; without the last one
/// if the file goes on behind `head`.
fn sample_rows(head: &[u8], is_whole: bool, (separator, dialect): (Separator, Dialect)) -> Vec<Row> {
    let (mut reader, mut row, mut rows) = (RowReader::new(head, separator, dialect), Row::default(), vec![]);
    // An error ends the sample; it is reported when the file is read.
    while rows.len() < MAX_SAMPLE_ROWS && matches!(reader.read_row(&mut row), Ok(true)) {
        rows.push(row.clone());
    }
    if !is_whole && rows.len() > 1 && rows.len() < MAX_SAMPLE_ROWS {
        rows.pop();
    }
    rows
}

/// Whether a row contains a text that is neither a number nor a missing value.
fn has_text(row: &Row) -> bool {
    row.cells().any(|cell| parse_number(cell).is_none() && !is_missing(cell))
}

/// The first rows of a file, divided at one separator.
struct Sample {
    /// Sign between the cells of a row.
    separator: Separator,
    /// The first rows of the file.
    rows: Vec<Row>,
    /// Number of cells that most of the rows have.
    width: usize,
    /// Number of rows that have this number of cells.
    fitting_rows: usize,
    /// Fraction of the rows that have this number of cells; comments do not count.
    share: f64,
    /// Fraction of the columns that consist of numbers, without the first row.
    numeric: f64,
}

impl Sample {
    /// Divides the first rows of a file at `separator`, with the deviations `dialect`.
    fn new(head: &[u8], is_whole: bool, (separator, dialect): (Separator, Dialect)) -> Sample {
        let rows = sample_rows(head, is_whole, (separator, dialect));
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        let counted = || rows.iter().filter(|row| !row.cell(0).starts_with('#'));
        counted().for_each(|row| *counts.entry(row.len()).or_default() += 1);
        let total = counted().count();
        let largest = counts.values().copied().max().unwrap_or_default();
        // Of two numbers of cells that as many rows have, the one of the earlier row.
        let width =
            counted().map(Row::len).find(|length| counts.get(length) == Some(&largest)).unwrap_or_default();
        let share = if total == 0 { 0.0 } else { largest as f64 / total as f64 };
        let table: Vec<&Row> = rows.iter().filter(|row| row.len() == width).collect();
        let body = table.get(1..).unwrap_or_default();
        let numbers = (0..width).filter(|at| is_numeric(body, *at)).count();
        let numeric = if width == 0 { 0.0 } else { numbers as f64 / width as f64 };
        Sample { separator, width, fitting_rows: largest, share, numeric, rows }
    }

    /// Whether the rows are divided into at least two cells each, all in the same number.
    fn fits(&self) -> bool {
        self.width >= 2 && self.share >= 1.0
    }

    /// Index, from 0, of the row in which the table begins, and whether this row has no cell for the first column.
    fn find_start(&self) -> (usize, bool) {
        let is_table_row = |row: &Row| row.len() == self.width;
        let Some(start) = self.rows.iter().position(is_table_row) else { return (0, false) };
        let table = &self.rows[start..];
        if start == 0 {
            // A comment may have as many cells as the table by chance; the names of the columns follow it then.
            let is_comment = table[0].cell(0).starts_with('#')
                && table
                    .get(1..)
                    .is_some_and(|rows| names_numbers(rows, self.width) && rows.iter().all(is_table_row));
            let start = usize::from(is_comment);
            return (start + self.count_title_rows(start), false);
        }
        if table.len() < MIN_TABLE_ROWS || !table.iter().take(MIN_TABLE_ROWS).all(is_table_row) {
            return (0, false);
        }
        let above = &self.rows[start - 1];
        let has_row_names = above.len() + 1 == self.width
            && above.cells().all(|cell| !cell.is_empty() && !is_number(cell))
            && !above.cell(0).starts_with('#')
            && !names_numbers(table, self.width)
            // A separator behind the last cell of each row is no column of row names.
            && table.iter().filter(|row| is_table_row(row)).any(|row| !row.cell(self.width - 1).is_empty());
        match has_row_names {
            true => (start - 1, true),
            false => (start + self.count_title_rows(start), false),
        }
    }

    /// Number of rows from the row with the index `start` on that a spreadsheet has filled up with separators: titles of one
    /// cell and empty rows above a row of names.
    fn count_title_rows(&self, start: usize) -> usize {
        let rows = &self.rows[start..];
        let is_title = |row: &Row| row.len() == self.width && row.cells().skip(1).all(|cell| cell.is_empty());
        let count = rows.iter().take_while(|row| is_title(row)).count();
        let names = rows.get(count..).unwrap_or_default();
        let are_names = names.first().is_some_and(|row| {
            row.len() == self.width
                && row.cells().all(|cell| cell.is_empty() || is_name(cell))
                && row.cells().filter(|cell| !cell.is_empty()).count() >= 2
        });
        if self.width > 2 && are_names && names_numbers(names, self.width) { count } else { 0 }
    }

    /// Whether the row above the table holds the names of the columns although it has another number of cells: the additional
    /// cells of the wider ones are all empty. The table begins with the row with the index `start`, which holds no names.
    fn has_names_of_other_width(&self, start: usize) -> bool {
        let (above, table) = (&self.rows[start - 1], &self.rows[start..]);
        let common = above.len().min(self.width);
        let in_table = || table.iter().filter(|row| row.len() == self.width);
        let are_names = (0..common).all(|at| !above.cell(at).is_empty() && is_name(above.cell(at)));
        common >= 2
            && above.len() != self.width
            && are_names
            && !above.cell(0).starts_with('#')
            && !names_numbers(table, self.width)
            && (common..above.len()).all(|at| above.cell(at).is_empty())
            && in_table().all(|row| (common..self.width).all(|at| row.cell(at).is_empty()))
    }

    /// Number of columns at the end of the table, which begins with the row with the index `start`, that have no value.
    fn count_empty_columns(&self, start: usize) -> usize {
        let rows = || self.rows[start.min(self.rows.len())..].iter().filter(|row| row.len() == self.width);
        (0..self.width).rev().take_while(|at| rows().all(|row| row.cell(*at).is_empty())).count()
    }
}

/// Chooses the separator by the first rows of a file, which are read with the deviations `dialect`.
fn choose_separator(head: &[u8], is_whole: bool, dialect: Dialect) -> Sample {
    let sample = |sign: u8| Sample::new(head, is_whole, (Separator::Sign(sign), dialect));
    let first = head.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let usual = sample(commonest_sign(&strip_quoted(first)));
    let separator = usual.separator;
    let others = || {
        let samples = [b',', b';', b'\t', b'|'].into_iter().map(sample);
        samples.filter(move |other| other.separator != separator)
    };
    let mut best: Option<Sample> = None;
    if usual.fits() {
        // Decimal commas between other separators divide each row into as many cells, too.
        if usual.separator == Separator::Sign(b',') {
            best = others().find(|other| other.fits() && other.numeric > usual.numeric);
        }
    } else {
        let is_possible = |sample: &Sample| sample.width >= 2 && sample.share >= SIGN_SHARE;
        let rank = |sample: &Sample| (is_possible(sample), sample.share, sample.numeric);
        for other in others().filter(is_possible) {
            if rank(&other) > rank(best.as_ref().unwrap_or(&usual)) {
                best = Some(other);
            }
        }
    }
    let best = best.unwrap_or(usual);
    if best.width < 2 || best.numeric == 0.0 {
        let blanks = Sample::new(head, is_whole, (Separator::Blanks, dialect));
        // Blanks before units, as in "5 kg", do not divide the names of the columns as they divide the rows.
        let is_better = blanks.fits() || !best.fits();
        if is_better && blanks.width >= 2 && blanks.share >= BLANKS_SHARE && blanks.numeric > 0.0 {
            return blanks;
        }
    }
    best
}

/// Whether the column with the index `at`, from 0, consists of numbers in most of the rows in which it has a value.
fn is_numeric(rows: &[&Row], at: usize) -> bool {
    let with_value = || rows.iter().map(move |row| row.cell(at)).filter(|cell| !is_missing(cell));
    let (numbers, all) = (with_value().filter(|cell| is_number(cell)).count(), with_value().count());
    numbers > 0 && numbers as f64 >= NUMERIC_SHARE * all as f64
}

/// Contents of the first row of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HeaderKind {
    /// Names of the columns.
    Names,
    /// The numbers of the columns: 0, 1, 2, …
    Counted,
    /// Data.
    Data,
}

/// Whether a cell of the first row of `rows` is a text above numbers.
fn names_numbers(rows: &[Row], width: usize) -> bool {
    let Some((first, body)) = rows.split_first().filter(|(first, _)| first.len() == width) else {
        return false;
    };
    let body: Vec<&Row> = body.iter().filter(|row| row.len() == width).collect();
    (0..width).any(|at| is_name(first.cell(at)) && is_numeric(&body, at))
}

/// The first texts of a row that are not empty.
fn first_texts(row: &Row) -> Vec<&str> {
    row.cells().filter(|cell| !cell.is_empty()).take(3).collect()
}

/// Number of the first rows below the names of a table with `width` columns that hold units or types of the columns: texts
/// above numbers, and no number.
fn count_unit_rows(rows: &[Row], width: usize) -> usize {
    let holds_units =
        |at: &usize| names_numbers(&rows[*at..], width) && rows[*at].cells().all(|cell| !is_number(cell));
    (0..rows.len().min(MAX_UNIT_ROWS)).take_while(holds_units).count()
}

/// Whether a cell is a text that may be the name of a column of numbers: no number, no missing value and no marker.
pub(super) fn is_name(cell: &str) -> bool {
    !is_number(cell) && !is_missing(cell) && !is_marker(cell) && !is_malformed_number(cell)
}

/// Whether a cell is a number in any spelling, without a unit: "10 %" may be the name of a column.
fn is_bare_number(cell: &str) -> bool {
    parse_number(cell).is_some() || parse_written(cell).is_some_and(|number| number.unit == Unit::None)
}

/// Recognises whether the first of the rows of a table with `width` columns holds names.
fn detect_header(rows: &[Row], width: usize) -> HeaderKind {
    let Some((first, body)) = rows.split_first() else { return HeaderKind::Data };
    let body: Vec<&Row> = body.iter().filter(|row| row.len() == width).collect();
    let is_text = |cell: &str| !is_bare_number(cell) && !is_missing(cell);
    let usual = if first.cells().any(is_text) { HeaderKind::Names } else { HeaderKind::Data };
    if body.is_empty() || first.len() != width {
        return usual;
    }
    if counts_columns(first) && !counts_columns(body[0]) {
        return HeaderKind::Counted;
    }
    let numeric: Vec<usize> = (0..width).filter(|at| is_numeric(&body, *at)).collect();
    let numbers_of =
        |row: &Row| -> Vec<f64> { numeric.iter().filter_map(|at| parse_number(row.cell(*at))).collect() };
    let numbers = numbers_of(first);
    let names = numeric.iter().filter(|at| is_name(first.cell(**at))).count();
    let bare_numbers = numeric.iter().filter(|at| is_bare_number(first.cell(**at))).count();
    let has_label_name = (0..width)
        .any(|at| is_label_name(first.cell(at)) && body.iter().all(|row| row.cell(at) != first.cell(at)));
    // Years in a row are names.
    let are_years = is_consecutive(&numbers) && !is_consecutive(&numbers_of(body[0]));
    if has_label_name {
        HeaderKind::Names
    } else if are_years || names >= bare_numbers {
        usual
    } else {
        HeaderKind::Data
    }
}

/// Whether at least three numbers count on from the first one.
fn is_consecutive(numbers: &[f64]) -> bool {
    numbers.len() >= MIN_COUNTED_NAMES && numbers.windows(2).all(|pair| pair[0] + 1.0 == pair[1])
}

/// Whether all cells of a row besides its last count from 0 or 1, and the last one, too, or is a text.
fn counts_columns(row: &Row) -> bool {
    let last = row.len().saturating_sub(1);
    let value = |at: usize| parse_number(row.cell(at));
    let Some(begin) = (row.len() >= MIN_COUNTED_NAMES).then(|| value(0)).flatten() else { return false };
    (begin == 0.0 || begin == 1.0)
        && (0..last).all(|at| value(at) == Some(begin + at as f64))
        && value(last).map_or_else(|| is_name(row.cell(last)), |x| x == begin + last as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> Layout {
        Layout::detect(text.as_bytes(), true, &TableChoices::default())
    }

    /// Separator, lines above the table, and whether there are names.
    fn recognize(text: &str) -> (Separator, u64, bool) {
        let layout = layout(text);
        (layout.separator, layout.skipped_lines, layout.has_header)
    }

    #[test]
    fn the_first_line_is_names_or_data() {
        for (first, row, has_header) in [
            ("a,b,kind", "1.5,2,x", true),
            ("5.1,3.5,setosa", "4.9,3.0,setosa", false),
            ("0,1,2", "5.5,6,x", true),
            ("0,1,2,y", "5.5,6,7,x", true),
            ("1,2,3", "5.5,6,7", true),
            ("0,1,2", "1,2,3", false),
            ("1,2", "5,6", false),
            ("7,8,9", "5,6,7", false),
            ("id,2019,2020,2021,sold", "1,5,9,7,yes", true),
            ("country,2019,2020,2021,sold", "France,5,9,7,yes", true),
            ("France,7,5,9,yes", "Spain,5,9,7,no", false),
            ("7,5,label", "1,2,x", true),
            ("word,kind", "other,x", true),
            (",a,b", "1,5,6", true),
        ] {
            let text = format!("{first}\n{}", format!("{row}\n").repeat(5));
            assert_eq!(layout(&text).has_header, has_header, "{first}");
        }
        let chosen = TableChoices { has_header: Some(false), ..TableChoices::default() };
        assert!(!Layout::detect(b"a,b\n1,2\n3,4\n", true, &chosen).has_header);
        // A note states an assumption that may surprise.
        assert!(layout("5.1,x\n4,x\n").notes[0].contains("(5.1, x, …) is read as data"));
        assert!(layout("0,1,2\n5,5,5\n").notes[0].contains("because it counts them"));
        assert!(layout("a,b\n5,x\n").notes.is_empty());
    }

    #[test]
    fn separators_are_recognised_by_all_rows() {
        let [comma, semicolon, tab] = [b',', b';', b'\t'].map(Separator::Sign);
        for (text, expected) in [
            ("a,b\n1,2\n", comma),
            ("a;b\n1,5;2\n", semicolon),
            ("1,5;2,5;a\n1,5;2,5;b\n1,5;3,5;b\n", semicolon),
            ("\"a,b\";\"c,d\";x\n1;2;3\n", semicolon),
            ("a\tb\n1,5\t2\n", tab),
            ("x,kind;of\n1,a\n2,b\n", comma),
            ("1.0   2.0  a\n3.5  4.0  b\n", Separator::Blanks),
            ("18.0   8   307.0\t\"a b\"\n15.0   8   350.0\t\"c\"\n", Separator::Blanks),
            ("only words here\nand some more\n", comma),
        ] {
            assert_eq!(layout(text).separator, expected, "{text:?}");
        }
    }

    #[test]
    fn lines_above_a_table_are_recognised() {
        let semicolon = Separator::Sign(b';');
        let comma = Separator::Sign(b',');
        let rows = "1,2,x\n".repeat(5);
        assert_eq!(recognize("sep=;\r\na;b\r\n1;2\r\n3;4\r\n"), (semicolon, 1, true));
        assert_eq!(recognize("sep=\t\r\na\tb\r\n1\t2\r\n3\t4\r\n"), (Separator::Sign(b'\t'), 1, true));
        assert_eq!(recognize(&format!("Sales of 2020\n\na,b,kind\n{rows}")), (comma, 2, true));
        assert_eq!(recognize(&format!("# by hand\n# twice\na,b,kind\n{rows}")), (comma, 2, true));
        assert_eq!(recognize(&format!("# by hand, twice, on Monday\na,b,kind\n{rows}")), (comma, 1, true));
        assert_eq!(recognize(&format!("#a,b,kind\n{rows}")), (comma, 0, true));
        // Names of rows without a name.
        let r = layout(&format!("a,kind\n{rows}"));
        assert!(r.has_row_names && r.has_header && r.skipped_lines == 0);
        // Titles and empty rows that a spreadsheet has filled up with separators.
        assert_eq!(recognize(&format!("Sales of 2020,,\n,,\na,b,kind\n{rows}")), (comma, 2, true));
        assert_eq!(layout(&format!(",,\na,b,kind\n{rows}")).notes.len(), 1);
        assert_eq!(recognize(&format!("a,,\nunknown,5,x\n{rows}")), (comma, 0, true));
        // Units and types below the names.
        let units = |text: String| layout(&text).unit_rows;
        assert_eq!(units(format!("a,b,kind\n(m),(s),\n{rows}")), 1);
        assert_eq!(units(format!("a,b,kind\nm,s,\nfloat,int,text\n{}", rows.repeat(2))), 2);
        assert_eq!(units(format!("a,b,kind\nunknown,5,x\n{rows}")), 0);
        assert_eq!(units(format!("a,b,kind\n?,,x\n{rows}")), 0);
        // Separators without a meaning at the ends of rows.
        let width = |text: String| {
            let layout = layout(&text);
            (layout.skipped_lines, layout.has_header, layout.width, layout.empty_columns)
        };
        let filled = "1,2,x,\n".repeat(5);
        assert_eq!(width(format!("a,b,kind\n{filled}")), (0, true, Some(4), 1));
        assert_eq!(width(format!("a,b,kind,,\n{rows}")), (0, true, Some(3), 0));
        assert_eq!(width(format!("a,b,kind,\n{filled}")), (0, true, None, 1));
        assert_eq!(width(format!("Sales,2020\n{rows}")), (1, false, None, 0));
        // A row in the middle that has another number of cells is an error when the file is read.
        assert_eq!(recognize("a,b\n1,2,3\n"), (comma, 0, true));
        assert_eq!(recognize(&format!("a,b,kind\n1,2,x\n1,2\n{rows}")), (comma, 0, true));
    }

    #[test]
    fn notes_contain_no_long_text_and_no_hidden_character() {
        let notes =
            |title: &str| layout(&format!("{title}\na,b,kind\n{}", "1,2,x\n".repeat(5))).notes.join(" ");
        assert!(notes(&"long ".repeat(1000)).len() < 300);
        assert!(notes("Sales \u{202e}of 2020").contains("Sales !202e!of 2020"));
    }

    #[test]
    fn the_first_rules_see_the_first_line_alone() {
        let first = TableChoices { rules: ReadingRules::First, ..TableChoices::default() };
        let of = |text: &str| Layout::detect(text.as_bytes(), true, &first);
        assert!(of("5.1,setosa\n4.9,setosa\n").has_header && !of("0,1,2\n5,5,5\n").has_header);
        assert_eq!(of("1,5;2,5;a\n1,5;2,5;b\n").separator, Separator::Sign(b','));
    }
}
