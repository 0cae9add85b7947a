//! Lines and rows of a CSV file, read one after the other, with the numbers of their lines.
//!
//! # Why
//! Quotation marks are read as the crate `csv` reads them (RFC 4180, and a text behind a closing mark belongs to the cell),
//! so that a table that was always readable stays the same table. Our reader knows the line in which a mark was opened:
//! a mark that is not closed swallows the rows behind it, and the crate says nothing about that in the last column.

use std::io::{BufRead, BufReader, ErrorKind, Read};

use super::FileError;
use super::numbers::is_number;

/// Largest length of a line in MB; a file with a longer line is refused.
const MAX_LINE_MB: usize = 16;
/// Number of lines in a row within a quoted cell of which each has all cells of a row and a number among them, so that the
/// quotation mark before them cannot be meant to enclose them. Lines of a text may have as many commas.
const MAX_ROWS_IN_CELL: usize = 3;
/// Size in bytes of the buffer through which a file is read.
const BUFFER_BYTES: usize = 1 << 16;

/// Sign between the cells of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    /// This ASCII character.
    Sign(u8),
    /// Any number of blanks and tabs.
    Blanks,
}

/// Deviations from RFC 4180 that a reader accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Dialect {
    /// Whether blanks may precede a quoted cell, and whether byte order marks at the beginning of a line, as joined files
    /// have them, and signs of the end of a file are skipped.
    pub is_lenient: bool,
    /// Whether a backslash before a quotation mark within a quoted cell makes the mark a part of the cell.
    pub has_escapes: bool,
}

/// Signs with which old programs end a file or fill it up.
const END_SIGNS: [char; 2] = ['\u{1a}', '\0'];

/// Reader of the lines of a file; a line ends with a line feed, a carriage return, or both.
struct LineReader<R> {
    /// The rest of the file.
    source: BufReader<R>,
    /// Number, from 1, of the line that was read last; 0 before the first.
    number: u64,
    /// Whether the line that was read last ended with a carriage return, so that a line feed behind it ends no line.
    after_return: bool,
    /// Bytes of the line that was read last, without its end.
    line: Vec<u8>,
}

impl<R: Read> LineReader<R> {
    /// Reads the next line, without its end; `None` at the end of the file.
    fn next_line(&mut self) -> Result<Option<&str>, FileError> {
        self.line.clear();
        let mut has_line = false;
        loop {
            let buffer = match self.source.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return Err(FileError::Unreadable),
            };
            let Some(first) = buffer.first() else { break };
            if std::mem::take(&mut self.after_return) && *first == b'\n' {
                self.source.consume(1);
                continue;
            }
            has_line = true;
            let end = buffer.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let length = end.unwrap_or(buffer.len());
            self.line.extend_from_slice(&buffer[..length]);
            self.after_return = buffer.get(length) == Some(&b'\r');
            self.source.consume(length + usize::from(end.is_some()));
            if end.is_some() {
                break;
            }
            if self.line.len() > MAX_LINE_MB << 20 {
                return Err(FileError::LongText(MAX_LINE_MB));
            }
        }
        if !has_line {
            return Ok(None);
        }
        self.number += 1;
        std::str::from_utf8(&self.line).map(Some).map_err(|_| FileError::NotText)
    }
}

/// Cells of one row of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Row {
    /// Texts of all cells of the row, one after the other.
    text: String,
    /// For each cell, the position in bytes at which it ends in `text`.
    ends: Vec<usize>,
    /// Number, from 1, of the line in which the row begins.
    pub line: u64,
    /// Whether a text follows the closing quotation mark of a cell that spans several lines.
    is_broken: bool,
}

impl Row {
    /// Number of cells of the row.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Cell with the index `at`, from 0, without blanks at its ends.
    pub fn cell(&self, at: usize) -> &str {
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text[begin..self.ends[at]].trim()
    }

    /// Cells of the row, without blanks at their ends.
    pub fn cells(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|at| self.cell(at))
    }

    /// Removes all cells.
    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.is_broken = false;
    }

    /// Adds the cells of a line; `continues_cell` says that the line begins within a quoted cell. Returns whether the
    /// line ends within a quoted cell.
    fn push_line(
        &mut self,
        line: &str,
        (separator, dialect): (Separator, Dialect),
        continues_cell: bool,
    ) -> bool {
        match separator {
            Separator::Sign(sign) => self.push_cells(line, (sign, dialect), continues_cell),
            Separator::Blanks => {
                self.push_cells(&collapse_blanks(line, continues_cell), (b'\t', dialect), continues_cell)
            }
        }
    }

    /// Adds the cells of a line with the separator `sign`, as [`Row::push_line`] does.
    fn push_cells(&mut self, line: &str, (sign, dialect): (u8, Dialect), continues_cell: bool) -> bool {
        let bytes = line.as_bytes();
        let find = |from: usize, wanted: u8| {
            bytes[from..].iter().position(|byte| *byte == wanted).map(|length| from + length)
        };
        let (mut at, mut is_quoted) = (0, continues_cell);
        loop {
            if is_quoted {
                let Some(mark) = find(at, b'"') else {
                    self.text.push_str(&line[at..]);
                    self.text.push('\n');
                    return true;
                };
                if dialect.has_escapes && is_escaped(&bytes[at..mark]) {
                    self.text.push_str(&line[at..mark - 1]);
                    self.text.push('"');
                    at = mark + 1;
                    continue;
                }
                self.text.push_str(&line[at..mark]);
                at = mark + 1;
                if bytes.get(at) == Some(&b'"') {
                    // Two marks within a cell are one mark of its text.
                    self.text.push('"');
                    at += 1;
                    continue;
                }
                let spans_lines = self.spans_lines();
                let rest = &line[at..find(at, sign).unwrap_or(bytes.len())];
                self.is_broken |= spans_lines && !rest.trim().is_empty();
            } else if bytes.get(at) == Some(&b'"') {
                (at, is_quoted) = (at + 1, true);
                continue;
            } else if dialect.is_lenient
                && let Some(mark) = find_mark_behind_blanks(&bytes[at..], sign, dialect)
            {
                (at, is_quoted) = (at + mark + 1, true);
                continue;
            }
            let end = find(at, sign);
            self.text.push_str(&line[at..end.unwrap_or(bytes.len())]);
            self.ends.push(self.text.len());
            let Some(end) = end else { return false };
            (at, is_quoted) = (end + 1, false);
        }
    }

    /// Whether the cell that is being read contains the end of a line.
    fn spans_lines(&self) -> bool {
        let begin = self.ends.last().copied().unwrap_or_default();
        self.text[begin..].contains('\n')
    }
}

/// Whether the sign behind these bytes of a quoted cell is escaped: an odd number of backslashes precedes it.
fn is_escaped(before: &[u8]) -> bool {
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// Position of the quotation mark that opens a cell behind at least one blank, in the rest of a line from the beginning of
/// this cell; `None` if there is no such mark, or if the quoted text does not end before a separator `sign` or the end of
/// this line.
fn find_mark_behind_blanks(rest: &[u8], sign: u8, dialect: Dialect) -> Option<usize> {
    let mark = rest.iter().position(|byte| *byte != b' ').filter(|blanks| *blanks > 0)?;
    if rest[mark] != b'"' {
        return None;
    }
    let mut end = mark + 1;
    loop {
        end += rest[end..].iter().position(|byte| *byte == b'"')?;
        if dialect.has_escapes && is_escaped(&rest[mark + 1..end]) {
            end += 1;
        } else if rest.get(end + 1) == Some(&b'"') {
            end += 2;
        } else {
            break;
        }
    }
    let behind = rest[end + 1..].iter().find(|byte| **byte != b' ');
    behind.is_none_or(|byte| *byte == sign).then_some(mark)
}

/// The line with one tab in place of each run of blanks and tabs outside quotation marks, and none at its ends;
/// `is_quoted` says that the line begins within a quoted cell.
fn collapse_blanks(line: &str, mut is_quoted: bool) -> String {
    let (mut text, mut has_gap) = (String::with_capacity(line.len()), false);
    for sign in line.chars() {
        if !is_quoted && matches!(sign, ' ' | '\t') {
            has_gap = !text.is_empty();
            continue;
        }
        if std::mem::take(&mut has_gap) {
            text.push('\t');
        }
        is_quoted ^= sign == '"';
        text.push(sign);
    }
    text
}

/// Reader of the rows of a file.
pub(super) struct RowReader<R> {
    /// Reader of the lines of the file.
    lines: LineReader<R>,
    /// Sign between the cells of a row.
    separator: Separator,
    /// Deviations from RFC 4180 that are accepted.
    dialect: Dialect,
    /// Number of cells of a row of the table; `None` until [`RowReader::expect_columns`] sets it.
    columns: Option<usize>,
    /// Whether lines that begin with "#" and have another number of cells are comments.
    has_comments: bool,
    /// Numbers, from 1, of the lines behind the first row that were skipped as comments.
    pub comments: Vec<u64>,
}

impl<R: Read> RowReader<R> {
    /// Reader of the rows of `source`, whose cells are separated by `separator`, with the deviations `dialect`.
    pub fn new(source: R, separator: Separator, dialect: Dialect) -> RowReader<R> {
        let source = BufReader::with_capacity(BUFFER_BYTES, source);
        let lines = LineReader { source, number: 0, after_return: false, line: vec![] };
        RowReader { lines, separator, dialect, columns: None, has_comments: false, comments: vec![] }
    }

    /// Sets the number of cells of a row; from here on, lines that begin with "#" and have another number of cells are
    /// skipped as comments if `has_comments`.
    pub fn expect_columns(&mut self, columns: usize, has_comments: bool) {
        (self.columns, self.has_comments) = (Some(columns), has_comments);
    }

    /// Skips this number of lines.
    pub fn skip_lines(&mut self, count: u64) -> Result<(), FileError> {
        for _ in 0..count {
            self.lines.next_line()?;
        }
        Ok(())
    }

    /// Reads the next row into `row`; lines without a cell are skipped. Returns whether there is one.
    pub fn read_row(&mut self, row: &mut Row) -> Result<bool, FileError> {
        let form = (self.separator, self.dialect);
        loop {
            row.clear();
            let Some(line) = self.lines.next_line()? else { return Ok(false) };
            let line = match self.dialect.is_lenient {
                true => line.trim_start_matches('\u{feff}').trim_end_matches(END_SIGNS),
                false => line,
            };
            if line.bytes().all(|byte| byte == b' ') {
                continue;
            }
            let is_comment = self.has_comments && line.starts_with('#');
            let is_open = row.push_line(line, form, false);
            row.line = self.lines.number;
            if is_comment && (is_open || self.columns != Some(row.len())) {
                self.comments.push(row.line);
                continue;
            }
            if is_open {
                self.read_rest(row)?;
            }
            return Ok(true);
        }
    }

    /// Reads the rest of a row of which a quoted cell is not complete at the end of its line; an error if its quotation
    /// mark is not closed, or closed only by the mark of another cell.
    fn read_rest(&mut self, row: &mut Row) -> Result<(), FileError> {
        let form = (self.separator, self.dialect);
        let (mut alone, mut alike) = (Row::default(), 0);
        loop {
            let Some(line) = self.lines.next_line()? else { return Err(unclosed(row.line)) };
            if let Some(columns) = self.columns.filter(|columns| *columns > 1) {
                alone.clear();
                let is_row = !alone.push_line(line, form, false)
                    && alone.len() == columns
                    && alone.cells().any(is_number);
                alike = if is_row { alike + 1 } else { 0 };
            }
            let is_open = row.push_line(line, form, true);
            if alike == MAX_ROWS_IN_CELL || row.is_broken {
                return Err(unclosed(row.line));
            }
            if !is_open {
                return Ok(());
            }
        }
    }
}

/// Error of a quotation mark that is opened in line number `line`, from 1, and not closed.
fn unclosed(line: u64) -> FileError {
    FileError::NoTable(tr!(
        "a quotation mark in line {line} is not closed, so that the lines behind it would be read as a part of its cell; close the mark, or remove it",
        line
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All rows of a text, with "|" between cells and "#" before the number of the line.
    fn rows(text: &str, separator: Separator, columns: usize) -> Result<Vec<String>, String> {
        rows_in(text, separator, columns, Dialect::default())
    }

    /// All rows of a text as [`rows`] gives them, with these deviations.
    fn rows_in(
        text: &str,
        separator: Separator,
        columns: usize,
        dialect: Dialect,
    ) -> Result<Vec<String>, String> {
        let (mut reader, mut row) = (RowReader::new(text.as_bytes(), separator, dialect), Row::default());
        reader.expect_columns(columns, true);
        let mut all = vec![];
        while reader.read_row(&mut row).map_err(|error| error.to_string())? {
            all.push(format!("{}#{}", row.cells().collect::<Vec<_>>().join("|"), row.line));
        }
        Ok(all)
    }

    #[test]
    fn rows_are_read_as_before() {
        let comma = Separator::Sign(b',');
        for (text, expected) in [
            ("a,b\n1,2\n", vec!["a|b#1", "1|2#2"]),
            ("a,b\r\n1,2", vec!["a|b#1", "1|2#2"]),
            ("a,b\r1,2\r", vec!["a|b#1", "1|2#2"]),
            ("a,b\n\n 1 , 2 \n", vec!["a|b#1", "1|2#3"]),
            ("\"a,\"\"b\",c\n", vec!["a,\"b|c#1"]),
            ("\"a\"x,c\"d\n", vec!["ax|c\"d#1"]),
            ("a,\"b\nc\"\n1,2\n", vec!["a|b\nc#1", "1|2#3"]),
            ("a,\n,b", vec!["a|#1", "|b#2"]),
            ("a,b\n# note\n#1,2\n", vec!["a|b#1", "#1|2#3"]),
        ] {
            assert_eq!(rows(text, comma, 2).unwrap(), expected, "{text:?}");
        }
        let blanks = rows("  1.5   2\t\"a b\" \n3 4 c\n", Separator::Blanks, 3).unwrap();
        assert_eq!(blanks, ["1.5|2|a b#1", "3|4|c#2"]);
        let blanks = rows("1 \"a\nb  c\" 2\n3 x 4\n", Separator::Blanks, 3).unwrap();
        assert_eq!(blanks, ["1|a\nb  c|2#1", "3|x|4#3"]);
    }

    #[test]
    fn deviations_are_accepted_where_the_dialect_has_them() {
        let (comma, strict) = (Separator::Sign(b','), Dialect::default());
        let lenient = Dialect { is_lenient: true, ..strict };
        let escapes = Dialect { has_escapes: true, ..lenient };
        for (text, dialect, expected) in [
            ("1, \"a, b\" ,2\n", lenient, "1|a, b|2#1"),
            ("1, \"a \"\"b\"\", c\"\n", lenient, "1|a \"b\", c#1"),
            ("1, \"a\" inch,2\n", lenient, "1|\"a\" inch|2#1"),
            ("1, \"a,2\n", lenient, "1|\"a|2#1"),
            ("1, \"a, b\"\n", strict, "1|\"a|b\"#1"),
            ("\u{feff}1,2\n", lenient, "1|2#1"),
            ("1,2\n\u{1a}", lenient, "1|2#1"),
            ("1,2\u{1a}", lenient, "1|2#1"),
            ("1,2\n\0\0\0", lenient, "1|2#1"),
            ("1,\"a \\\"b\\\", c\"\n", escapes, "1|a \"b\", c#1"),
            ("1, \"a \\\"b\\\", c\"\n", escapes, "1|a \"b\", c#1"),
            ("\"a\\\\\",2\n", escapes, "a\\\\|2#1"),
        ] {
            assert_eq!(rows_in(text, comma, 3, dialect).unwrap(), [expected], "{text:?}");
        }
    }

    #[test]
    fn a_mark_that_is_not_closed_is_named_with_its_line() {
        let comma = Separator::Sign(b',');
        let plain = "1,x\n".repeat(20);
        for text in [
            format!("{plain}1,\"x\n{plain}"),
            format!("{plain}1,\"x\n1,x\n"),
            format!("{plain}1,\"x\n1,\"y\"\n{plain}"),
            format!("{plain}\"1,x\n{plain}"),
        ] {
            let error = rows(&text, comma, 2).unwrap_err();
            assert!(error.starts_with("a quotation mark in line 21 is not closed"), "{error}");
        }
        let text = "1,\"two\nlines, and more, text\nhere\"\n2,x\n";
        assert_eq!(rows(text, comma, 2).unwrap().len(), 2, "a text of several lines is one cell");
        let text = "1,\"Dear sir, madam\nthank you, again\nyours, as ever\nAnna, Ben\nand all\"\n2,x\n";
        assert_eq!(rows(text, comma, 2).unwrap().len(), 2, "lines with the commas of rows are text");
    }
}
