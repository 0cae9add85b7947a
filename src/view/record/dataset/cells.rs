//! Cells of a CSV file: numbers of its columns, and texts of its label.

use std::io::{Chain, Cursor, Read};

use super::columns::{CellColumn, LabelTexts, ReadingRules};
use super::label::find_label;
use super::layout::{Layout, is_name};
use super::lines::{Row, RowReader, Separator};
use super::numbers::{DecimalSign, is_number};
use super::{FileError, MAX_COLUMNS, MAX_NAMED_CELLS, TableChoices, shorten};
use crate::record::head::{HEAD_BYTES, find_foreign_format, strip_bom};
use vivarium_core::language::escape_hidden_characters;

/// Largest number of cells of an uploaded CSV file; a file with more is rejected. Their numbers take 64 MiB while
/// reading and half of that afterwards.
const MAX_CELLS: u64 = 1 << 23;
/// Beginnings, in lower case, of a line below a table that sums it up.
const TOTAL_NAMES: [&str; 7] = ["total", "totals", "grand total", "sum", "mean", "average", "summe"];

/// Largest number of lines below a table that are read as notes on it.
const MAX_LINES_BELOW: usize = 20;

/// Columns of a CSV file, as its first rows show them.
pub(super) struct TableOutline {
    /// Names of all columns of the file, in the order of the file; equal names are numbered.
    pub names: Vec<String>,
    /// For each column, whether the file gives it no name.
    pub unnamed: Vec<bool>,
    /// Whether the first row of the table holds the names of the columns.
    pub has_header: bool,
    /// Index, from 0, of the label column.
    pub label: usize,
    /// Decimal sign that is usual in files with this separator.
    pub usual_sign: DecimalSign,
    /// Sentences on lines that were left out and on what was assumed.
    pub notes: Vec<String>,
}

/// Reader of a CSV file after its layout was recognised and the names of its columns were read.
pub(super) struct TableReader<R> {
    /// Reader of the rows behind the names.
    pub rows: RowReader<R>,
    /// The first row, if it is data.
    pub first: Option<Row>,
    /// The first row, if it holds the names of the columns.
    header: Option<Row>,
    /// Columns of the file.
    pub outline: TableOutline,
}

impl<S: Read> TableReader<Chain<Cursor<Vec<u8>>, S>> {
    /// Recognises the layout of a CSV file and reads the names of its columns.
    pub fn open(mut source: S, choices: &TableChoices) -> Result<Self, FileError> {
        let mut head = vec![];
        source.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head).map_err(|_| FileError::Unreadable)?;
        if let Some(format) = find_foreign_format(&head) {
            return Err(FileError::OtherFormat(format));
        }
        let is_whole = head.len() < HEAD_BYTES;
        let mark = head.len() - strip_bom(&head).len();
        head.drain(..mark);
        let layout = Layout::detect(&head, is_whole, choices);
        let source = Cursor::new(head).chain(source);
        let mut rows = RowReader::new(source, layout.separator, layout.dialect);
        rows.skip_lines(layout.skipped_lines)?;
        let mut first = Row::default();
        rows.read_row(&mut first)?;
        let columns = layout.width.unwrap_or(first.len() + usize::from(layout.has_row_names));
        if columns < 2 {
            let is_quoted = match layout.separator {
                Separator::Sign(sign) => first.cells().any(|cell| cell.contains(char::from(sign))),
                Separator::Blanks => false,
            };
            let why = match is_quoted {
                true => tr!(
                    "this file has only one column, because each whole line is in quotation marks; remove these marks, or save the table again with each value in a cell of its own"
                ),
                false => tr!(
                    "this file has only one column, and two are needed: one for the label, and one from which the label is predicted; cells are divided at commas, semicolons, tabs, vertical bars or blanks, or at the sign that a first line such as “sep=^” names"
                ),
            };
            return Err(FileError::NoTable(why.into()));
        }
        if columns > MAX_COLUMNS + 1 {
            return Err(FileError::NoTable(tr!(
                "this file has {columns} columns, and at most {most} columns are allowed",
                columns,
                most = MAX_COLUMNS + 1
            )));
        }
        rows.expect_columns(columns, choices.rules == ReadingRules::Current);
        let mut units = Row::default();
        for _ in 0..layout.unit_rows {
            rows.read_row(&mut units)?;
        }
        let mut names: Vec<String> = match layout.has_header {
            true => first.cells().map(escape_hidden_characters).collect(),
            false => vec![String::new(); columns],
        };
        if layout.has_row_names {
            names.insert(0, String::new());
        }
        names.resize(columns, String::new());
        let label = choices.label.filter(|label| *label < columns);
        // Columns without names and values are not meant as the label.
        let named = &names[..columns.saturating_sub(layout.empty_columns).max(2)];
        let label = label.unwrap_or_else(|| find_label(named, choices.rules));
        let unnamed: Vec<bool> = names.iter().map(String::is_empty).collect();
        for (at, name) in names.iter_mut().enumerate().filter(|(_, name)| name.is_empty()) {
            *name = tr!("column {column}", column = at + 1);
        }
        let mut notes = layout.notes;
        number_equal_names(&mut names, &mut notes);
        let usual_sign = match layout.separator {
            // Where a comma is the decimal sign, spreadsheets separate cells at semicolons.
            Separator::Sign(b';') => DecimalSign::Comma,
            _ => DecimalSign::Point,
        };
        let has_header = layout.has_header;
        let (header, first) = if has_header { (Some(first), None) } else { (None, Some(first)) };
        let outline = TableOutline { names, unnamed, has_header, label, usual_sign, notes };
        Ok(TableReader { rows, first, header, outline })
    }
}

/// Adds a number to each name that several columns have, and a note on these columns.
fn number_equal_names(names: &mut [String], notes: &mut Vec<String>) {
    let given = names.to_vec();
    let mut numbered: Vec<&str> = vec![];
    for (at, name) in given.iter().enumerate() {
        if given.iter().filter(|other| *other == name).count() < 2 {
            continue;
        }
        let mut number = given[..=at].iter().filter(|other| *other == name).count();
        while given.contains(&format!("{name} ({number})")) {
            number += given.len();
        }
        names[at] = format!("{name} ({number})");
        if !numbered.contains(&name.as_str()) {
            numbered.push(name);
        }
    }
    if !numbered.is_empty() {
        notes.push(tr!("Columns with the same name are numbered: {columns}.", columns = numbered.join(", ")));
    }
}

/// Cells of a CSV file: numbers of the numeric columns, and texts of the label column.
pub(super) struct CsvCells {
    /// Names and label of the columns.
    pub outline: TableOutline,
    /// All columns of the file; the entry of the label column is empty, since `labels` holds its cells.
    pub columns: Vec<CellColumn>,
    /// Texts of the label column, one per row of the file.
    pub labels: LabelTexts,
}

impl CsvCells {
    /// Reads a CSV file row by row; fails as soon as there are more than [`MAX_CELLS`] cells.
    pub fn read(source: impl Read, choices: &TableChoices) -> Result<CsvCells, FileError> {
        let TableReader { mut rows, first, header, outline } = TableReader::open(source, choices)?;
        let width = outline.names.len();
        let columns = (0..width).map(|_| CellColumn::default()).collect();
        let labels = LabelTexts::default();
        let mut cells = CsvCells { outline, columns, labels };
        // The row of names counts, too.
        let mut count = width as u64;
        if let Some(first) = first {
            cells.push_row(&first, choices.rules);
        }
        let is_current = choices.rules == ReadingRules::Current;
        let (mut row, mut totals, mut repeated) = (Row::default(), vec![], vec![]);
        let mut below: Vec<Row> = vec![];
        while rows.read_row(&mut row)? {
            if row.len() != width || !below.is_empty() {
                // Notes may follow the last row of a table, but no further row.
                let is_note = is_current && row.len() < width && !row.cells().any(is_number);
                if is_note && below.len() < MAX_LINES_BELOW {
                    below.push(row.clone());
                    continue;
                }
                let wrong = below.first().unwrap_or(&row);
                return Err(FileError::NoTable(tr!(
                    "the lines before line {line} have {expected} cells, but the number of cells in line {line} is {found}; perhaps a quotation mark is not closed",
                    line = wrong.line,
                    found = wrong.len(),
                    expected = width
                )));
            }
            count += width as u64;
            if count > MAX_CELLS {
                return Err(FileError::NoTable(tr!(
                    "this file has more than {most} cells",
                    most = MAX_CELLS
                )));
            }
            if is_current && cells.is_total(&row) {
                totals.push(row.line);
            } else if is_current && header.as_ref().is_some_and(|header| cells.repeats_names(&row, header)) {
                repeated.push(row.line);
            } else {
                cells.push_row(&row, choices.rules);
            }
        }
        let list = |lines: &[u64]| {
            let first: Vec<String> = lines.iter().take(MAX_NAMED_CELLS).map(u64::to_string).collect();
            let more = if lines.len() > MAX_NAMED_CELLS { ", …" } else { "" };
            first.join(", ") + more
        };
        if !rows.comments.is_empty() {
            let lines = list(&rows.comments);
            cells.outline.notes.push(tr!("Lines left out as comments: {lines}.", lines));
        }
        if !totals.is_empty() {
            cells.outline.notes.push(tr!(
                "Lines left out because they sum up the rows above: {lines}.",
                lines = list(&totals)
            ));
        }
        if !repeated.is_empty() {
            cells.outline.notes.push(tr!(
                "Lines left out because they repeat the names of the columns: {lines}.",
                lines = list(&repeated)
            ));
        }
        if let Some(first) = below.first() {
            cells.outline.notes.push(tr!(
                "Lines below the table, which are not read: {count}, beginning with “{text}” in line {line}.",
                count = below.len(),
                text = shorten(&first.cells().collect::<Vec<_>>().join(" ")),
                line = first.line
            ));
        }
        match cells.labels.len() {
            0 => Err(FileError::NoTable(tr!("this file has no rows").into())),
            _ => Ok(cells),
        }
    }

    /// Whether a row sums up the rows above: its first text is "Total" or the like, and its column contains numbers.
    fn is_total(&self, row: &Row) -> bool {
        let Some(at) = (0..row.len()).find(|at| !row.cell(*at).is_empty()) else { return false };
        let text = row.cell(at).trim_end_matches(':');
        let is_word = text.starts_with(|sign: char| sign.is_ascii_alphabetic());
        is_word
            && at != self.outline.label
            && self.columns[at].has_numbers()
            && TOTAL_NAMES.contains(&text.to_lowercase().as_str())
    }

    /// Whether a row repeats the row of names, as in files that were joined: one of its texts is in a column of numbers.
    fn repeats_names(&self, row: &Row, header: &Row) -> bool {
        let is_text = |(at, name): (usize, &str)| is_name(name) && self.columns[at].has_numbers();
        header.len() == row.len() && header.cells().eq(row.cells()) && header.cells().enumerate().any(is_text)
    }

    /// Adds the cells of the file's next row to the columns and its label to `labels`.
    fn push_row(&mut self, row: &Row, rules: ReadingRules) {
        for (at, (column, cell)) in self.columns.iter_mut().zip(row.cells()).enumerate() {
            match at == self.outline.label {
                true => self.labels.push_text(cell),
                false => column.push_cell(cell, row.line, rules),
            }
        }
    }
}
