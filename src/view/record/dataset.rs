//! A user's CSV file as a dataset for binary classification: columns with mean 0 and standard deviation 1, and two
//! classes.
//!
//! # Why
//! As in the benchmark of Grinsztajn, Oyallon and Varoquaux (2022) that Edelman 2024, section 6.4.2, takes: columns of
//! numbers alone; columns with many missing values are left out, and then rows with any; of more than two classes the two
//! most frequent stay; and a column of numbers is split at its median. Columns are brought to mean 0 and deviation 1, as
//! in the thesis's appendix C.3.3. The notes of the dataset list everything that was left out.

use std::collections::BTreeMap;
use std::io::Read;

use ::csv::StringRecord;
use serde::{Deserialize, Serialize};

use super::FileError;
use super::head::{HEAD_BYTES, strip_bom};
use vivarium_core::language::escape_hidden_characters;
use vivarium_core::math::mean_and_variance;
use vivarium_core::sorting;
use vivarium_model::tasks::tabular::uploaded::UploadedTable;

/// Largest number of feature columns (all columns but the label) of an uploaded table; a table with more is rejected.
pub const MAX_COLUMNS: usize = 512;
/// Largest number of cells of an uploaded CSV file; a file with more is rejected. Their numbers take 64 MiB while
/// reading and half of that afterwards.
const MAX_CELLS: u64 = 1 << 23;
/// Largest absolute value of a cell that is read as a number, so that sums of squares stay finite; a cell beyond it
/// counts as text.
const MAX_ABS_VALUE: f64 = 1e100;
/// Smallest number of usable rows of an uploaded table, enough for training and test data; a table with fewer is
/// rejected.
const MIN_ROWS: usize = 40;
/// Fraction of missing values above which a column of an uploaded table is left out.
const MAX_MISSING_SHARE: f64 = 0.2;
/// Largest number of different numeric labels that count as classes; with more, the labels are split into two classes
/// at their median.
const MAX_CLASSES: usize = 10;
/// Usual names of a label column, in lower case; a column with one of these names is the label unless another is
/// chosen.
const LABEL_NAMES: [&str; 6] = ["target", "label", "class", "y", "outcome", "output"];

/// Dataset for binary classification read from a CSV file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dataset {
    /// Standardised inputs and labels ±1; sent from worker to page apart from the other fields.
    #[serde(skip)]
    pub table: UploadedTable,
    /// Hash that identifies the table, as `UploadedTable::table_id` computes it.
    pub number: u64,
    /// Names of the feature columns, in the order of the table's numbers.
    pub names: Vec<String>,
    /// Names of all columns of the file, each of which may be chosen as the label.
    pub all: Vec<String>,
    /// Index, from 0, of the label column in `all`, the names of all columns.
    pub label: usize,
    /// Names of the classes with label −1 and +1.
    pub classes: [String; 2],
    /// Sentences on columns and rows that were left out, and on how the label was made.
    pub notes: Vec<String>,
}

impl Dataset {
    /// Puts the table's numbers (inputs, then labels) into a dataset that was sent without them; `None` if their count
    /// does not match the columns.
    pub fn with_numbers(self, numbers: Vec<f32>) -> Option<Dataset> {
        let table = UploadedTable::from_floats(self.names.len(), numbers)?;
        Some(Dataset { table, ..self })
    }
}

/// Reads a CSV file from memory. The label is column `label` (from 0); if `None`, a column with a usual label name, or
/// the last column.
///
/// # Errors
/// The reason why the file cannot be used, as a sentence.
pub fn read_bytes(bytes: &[u8], label: Option<usize>) -> Result<Dataset, String> {
    read_from(bytes, label).map_err(|flaw| flaw.to_string())
}

/// Reads a CSV file row by row; keeps the numbers of numeric columns and the texts of the label, and drops other
/// columns.
///
/// # Errors
/// The first [`FileError`] that is found.
pub fn read_from(source: impl Read, label: Option<usize>) -> Result<Dataset, FileError> {
    let cells = CsvCells::read(source, label)?;
    prepare(cells).map_err(FileError::NoTable)
}

/// Builds the dataset from the cells of a CSV file: selects columns and rows, assigns two classes, and standardises the
/// columns. The error is a sentence on why the file cannot be used.
fn prepare(cells: CsvCells) -> Result<Dataset, String> {
    let CsvCells { names: all, label, mut columns, labels } = cells;
    let mut notes = vec![];
    let chosen = select_numeric_columns(&all, label, &columns, labels.len(), &mut notes)?;
    // Frees the values of unused columns.
    for (at, column) in columns.iter_mut().enumerate() {
        if !chosen.contains(&at) {
            column.values = vec![];
        }
    }
    let whole = |row: &usize| {
        chosen.iter().all(|column| !columns[*column].values[*row].is_nan())
            && !is_missing(labels.text_of(*row))
    };
    let kept: Vec<usize> = (0..labels.len()).filter(whole).collect();
    if kept.len() < labels.len() {
        notes.push(tr!(
            "Rows left out because of missing values: {count}.",
            count = labels.len() - kept.len()
        ));
    }
    let (kept, y, classes) = assign_classes(kept, &labels, &mut notes)?;
    if kept.len() < MIN_ROWS {
        return Err(tr!(
            "only {rows} rows can be used, and at least {fewest} rows are needed",
            rows = kept.len(),
            fewest = MIN_ROWS
        ));
    }
    let (mut standard, mut constant) = (vec![], vec![]);
    for column in chosen {
        let (mean, variance) = mean_and_variance(kept.iter().map(|row| columns[column].values[*row]));
        let deviation = libm::sqrt(variance);
        match deviation <= 1e-12 * mean.abs().max(f64::MIN_POSITIVE) {
            true => constant.push(all[column].as_str()),
            false => standard.push((column, mean, deviation)),
        }
    }
    if !constant.is_empty() {
        notes.push(tr!(
            "Columns left out because their values never change: {columns}.",
            columns = constant.join(", ")
        ));
    }
    let names: Vec<String> = standard.iter().map(|(column, ..)| all[*column].clone()).collect();
    if names.is_empty() {
        return Err(
            tr!("apart from the label, no column of numbers has at least two different values").into()
        );
    }
    let mut x = vec![0.0; kept.len() * names.len()];
    for (at, (column, mean, deviation)) in standard.into_iter().enumerate() {
        let values = std::mem::take(&mut columns[column].values);
        for (row, from) in kept.iter().enumerate() {
            x[row * names.len() + at] = ((values[*from] - mean) / deviation) as f32;
        }
    }
    let table = UploadedTable { columns: names.len(), x, y };
    Ok(Dataset { number: table.table_id(), table, names, all, label, classes, notes })
}

/// Cells of one column besides the label, collected while a CSV file is read.
#[derive(Default)]
struct CellColumn {
    /// One number per row, NaN where the cell is missing; empty once a cell of the column contained text.
    values: Vec<f64>,
    /// Number of cells of the column without a value so far.
    missing: usize,
    /// Whether the column contains text.
    has_words: bool,
}

impl CellColumn {
    /// Adds the column's cell in the next row of the file: a number, a missing value, or text.
    fn push_cell(&mut self, cell: &str) {
        if self.has_words {
            return;
        }
        match parse_number(cell) {
            Some(value) => self.values.push(value),
            None if is_missing(cell) => {
                self.values.push(f64::NAN);
                self.missing += 1;
            }
            None => *self = CellColumn { has_words: true, ..CellColumn::default() },
        }
    }
}

/// Texts of the label column of a CSV file, stored one after the other in one string.
#[derive(Default)]
struct LabelTexts {
    /// Label texts of all rows of the file, one after the other without separators.
    text: String,
    /// For each row, the position in bytes at which its text in `text` ends.
    ends: Vec<u32>,
}

impl LabelTexts {
    /// Adds the text that the label column has in the next row of the file.
    fn push_text(&mut self, cell: &str) {
        self.text.push_str(cell);
        // A file has fewer bytes.
        self.ends.push(self.text.len() as u32);
    }

    /// Number of rows of the file whose label texts are stored.
    fn len(&self) -> usize {
        self.ends.len()
    }

    /// Label text of the row with index `row`, counted from 0.
    fn text_of(&self, row: usize) -> &str {
        let begin = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[begin as usize..self.ends[row] as usize]
    }
}

/// Cells of a CSV file: numbers of the numeric columns, and texts of the label column.
struct CsvCells {
    /// Names of all columns of the file, in the order of the file.
    names: Vec<String>,
    /// Index, from 0, of the label column among all columns of the file.
    label: usize,
    /// All columns of the file; the entry of the label column is empty, since `labels` holds its cells.
    columns: Vec<CellColumn>,
    /// Texts of the label column, one per row of the file.
    labels: LabelTexts,
}

impl CsvCells {
    /// Reads a CSV file row by row, with `label` as the index of the label column; fails as soon as there are more than
    /// [`MAX_CELLS`] cells.
    fn read(mut source: impl Read, label: Option<usize>) -> Result<CsvCells, FileError> {
        let mut head = vec![];
        source.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head).map_err(|_| FileError::Unreadable)?;
        let head = strip_bom(&head);
        let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let separator = [b',', b';', b'\t'].into_iter().max_by_key(|sign| {
            // Where there are as many of both, the one named first.
            (first.iter().filter(|byte| *byte == sign).count(), *sign == b',')
        });
        let mut reader = ::csv::ReaderBuilder::new()
            .delimiter(separator.unwrap_or(b','))
            .has_headers(false)
            .trim(::csv::Trim::All)
            .from_reader(head.chain(source));
        let mut row = StringRecord::new();
        let mut cells = match reader.read_record(&mut row).map_err(to_file_error)? {
            true => CsvCells::from_first_row(&row, label)?,
            false => CsvCells::from_first_row(&StringRecord::new(), label)?,
        };
        let mut count = row.len() as u64;
        while reader.read_record(&mut row).map_err(to_file_error)? {
            count += row.len() as u64;
            if count > MAX_CELLS {
                return Err(FileError::NoTable(tr!(
                    "this file has more than {most} cells",
                    most = MAX_CELLS
                )));
            }
            cells.push_row(&row);
        }
        match cells.labels.len() {
            0 => Err(FileError::NoTable(tr!("this file has no rows").into())),
            _ => Ok(cells),
        }
    }

    /// Starts with the first row, which holds the names of the columns, or data if no cell of it is text. `label` is
    /// the index of the label column; if `None`, the column's name decides.
    fn from_first_row(first: &StringRecord, label: Option<usize>) -> Result<CsvCells, FileError> {
        let columns = first.len();
        if columns < 2 {
            let why = tr!(
                "this file has only one column, and two are needed: one for the label, and one from which the label is predicted"
            );
            return Err(FileError::NoTable(why.into()));
        }
        if columns > MAX_COLUMNS + 1 {
            return Err(FileError::NoTable(tr!(
                "this file has {columns} columns, and at most {most} columns are allowed",
                columns,
                most = MAX_COLUMNS + 1
            )));
        }
        // A first line without a number is names; where every cell of it is a number, the columns have none.
        let has_names = first.iter().any(|cell| parse_number(cell).is_none() && !is_missing(cell));
        let names: Vec<String> = match has_names {
            true => first.iter().map(escape_hidden_characters).collect(),
            false => (1..=columns).map(|column| tr!("column {column}", column)).collect(),
        };
        let by_name = || names.iter().position(|name| LABEL_NAMES.contains(&name.to_lowercase().as_str()));
        let label = label.filter(|label| *label < columns).or_else(by_name).unwrap_or(columns - 1);
        let empty = (0..columns).map(|_| CellColumn::default()).collect();
        let mut cells = CsvCells { names, label, columns: empty, labels: LabelTexts::default() };
        if !has_names {
            cells.push_row(first);
        }
        Ok(cells)
    }

    /// Adds the cells of the file's next row to the columns and its label to `labels`.
    fn push_row(&mut self, row: &StringRecord) {
        for (at, (column, cell)) in self.columns.iter_mut().zip(row).enumerate() {
            match at == self.label {
                true => self.labels.push_text(cell),
                false => column.push_cell(cell),
            }
        }
    }
}

/// Converts an error of the CSV parser to the error that the page shows.
fn to_file_error(error: ::csv::Error) -> FileError {
    match error.kind() {
        ::csv::ErrorKind::Io(_) => FileError::Unreadable,
        ::csv::ErrorKind::Utf8 { .. } => FileError::NotText,
        ::csv::ErrorKind::UnequalLengths { pos, expected_len, len } => FileError::NoTable(tr!(
            "the lines before line {line} have {expected} cells, but the number of cells in line {line} is {found}; perhaps a quotation mark is not closed",
            line = pos.as_ref().map_or(0, ::csv::Position::line),
            found = len,
            expected = expected_len
        )),
        _ => FileError::NoTable(tr!("this file is not a CSV file ({error})", error)),
    }
}

/// Indices, from 0, of the numeric columns besides the label, among columns with `rows` rows each; adds a note on the
/// columns that are left out. The error is a sentence on why no column is left.
fn select_numeric_columns(
    all: &[String],
    label: usize,
    columns: &[CellColumn],
    rows: usize,
    notes: &mut Vec<String>,
) -> Result<Vec<usize>, String> {
    let (mut chosen, mut words, mut gaps) = (vec![], vec![], vec![]);
    for (at, column) in columns.iter().enumerate().filter(|(at, _)| *at != label) {
        if column.has_words || column.missing == rows {
            words.push(all[at].as_str());
        } else if column.missing as f64 > MAX_MISSING_SHARE * rows as f64 {
            gaps.push(all[at].as_str());
        } else {
            chosen.push(at);
        }
    }
    if !words.is_empty() {
        notes.push(tr!(
            "Columns left out because some values are not numbers: {columns}.",
            columns = words.join(", ")
        ));
    }
    if !gaps.is_empty() {
        notes.push(tr!(
            "Columns left out because too many values are missing: {columns}.",
            columns = gaps.join(", ")
        ));
    }
    match chosen.is_empty() {
        true => Err(tr!("apart from the label, no column contains only numbers").into()),
        false => Ok(chosen),
    }
}

/// Indices of the rows that belong to the two classes, their labels ±1, and the names of the classes −1 and +1.
type BinaryLabels = (Vec<usize>, Vec<f32>, [String; 2]);

/// Assigns the class −1 or +1 to the rows with the indices `rows`: the two most frequent labels, or numeric labels
/// split at the median. Rows with other labels are dropped, and a note is added.
fn assign_classes(
    rows: Vec<usize>,
    labels: &LabelTexts,
    notes: &mut Vec<String>,
) -> Result<BinaryLabels, String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    rows.iter().for_each(|row| *counts.entry(labels.text_of(*row)).or_default() += 1);
    if counts.len() < 2 {
        return Err(
            tr!("the label has the same value in all rows; choose another column as the label").into()
        );
    }
    let numbers: Option<Vec<f64>> = rows.iter().map(|row| parse_number(labels.text_of(*row))).collect();
    if let Some(numbers) = numbers.filter(|_| counts.len() > MAX_CLASSES) {
        let mut sorted = numbers.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let median = sorted[sorted.len() / 2];
        // Where half of the rows have the smallest value, the others are one class.
        let min = sorted[0];
        let is_high = |v: f64| if median > min { v >= median } else { v > min };
        let y = numbers.iter().map(|v| if is_high(*v) { 1.0 } else { -1.0 }).collect();
        notes.push(tr!(
            "The label is a number. Its values are split at their median, {median}, into two classes.",
            median
        ));
        return Ok((rows, y, [tr!("below {median}", median), tr!("{median} or more", median)]));
    }
    if counts.len() > rows.len() / 2 {
        return Err(tr!("nearly every row has a different label; choose another column as the label").into());
    }
    let mut frequent: Vec<(&str, usize)> = counts.iter().map(|(name, count)| (*name, *count)).collect();
    // The sort is stable, so that equal counts stay in the order of their names.
    sorting::sort_by_key(&mut frequent, |(_, count)| std::cmp::Reverse(*count));
    if frequent.len() > 2 {
        let (most, next, all) = (frequent[0].0, frequent[1].0, frequent.len());
        notes.push(tr!(
            "The label has {all} classes. Only rows of the two most frequent classes are kept: {most} and {next}.",
            all,
            most,
            next
        ));
    }
    let mut two = [frequent[0].0, frequent[1].0];
    sorting::sort_by(&mut two, |a, b| match (parse_number(a), parse_number(b)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => a.cmp(b),
    });
    let kept: Vec<usize> = rows.into_iter().filter(|row| two.contains(&labels.text_of(*row))).collect();
    let y = kept.iter().map(|row| if labels.text_of(*row) == two[1] { 1.0 } else { -1.0 }).collect();
    Ok((kept, y, two.map(escape_hidden_characters)))
}

/// Parses a number of at most [`MAX_ABS_VALUE`]; "inf" and "nan" are not numbers here.
fn parse_number(cell: &str) -> Option<f64> {
    // "inf" and "nan" are read as numbers by Rust, and are none here.
    cell.parse().ok().filter(|x: &f64| x.abs() <= MAX_ABS_VALUE)
}

/// Whether a cell stands for a missing value, as an empty cell or "NA" does.
fn is_missing(cell: &str) -> bool {
    cell.is_empty() || ["?", "na", "n/a", "nan", "null", "none"].contains(&cell.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(rows: usize, row: impl Fn(usize) -> String) -> Vec<u8> {
        (0..rows).map(row).collect::<Vec<_>>().join("\n").into_bytes()
    }

    #[test]
    fn a_plain_file_becomes_standard_columns_and_two_classes() {
        let bytes = [
            b"size, Class ,age\n".to_vec(),
            file(50, |i| format!("{i},{},{}", ["no", "yes"][i % 2], 3 * i + 1)),
        ];
        let table = read_bytes(&bytes.concat(), None).unwrap();
        assert_eq!((table.label, table.names.join(" ")), (1, "size age".into()));
        assert_eq!((table.classes.join(" "), table.notes.len()), ("no yes".into(), 0));
        assert_eq!(table.table.y[..4], [-1.0, 1.0, -1.0, 1.0]);
        for column in 0..2 {
            let values: Vec<f64> =
                table.table.x.iter().skip(column).step_by(2).map(|x| f64::from(*x)).collect();
            let mean = values.iter().sum::<f64>() / 50.0;
            let variance = values.iter().map(|x| x * x).sum::<f64>() / 50.0;
            assert!(mean.abs() < 1e-6 && (variance - 1.0).abs() < 1e-6);
        }
        // Both columns rise evenly with the row, so that they are the same after it.
        assert!(table.table.x.chunks(2).all(|row| (row[0] - row[1]).abs() < 1e-6));
    }

    #[test]
    fn what_is_left_out_is_stated() {
        let row = |i: usize| {
            let gap = if i.is_multiple_of(3) { "" } else { "1.5" };
            let age = if i == 4 { "NA".into() } else { i.to_string() };
            format!("{i};{age};word;{gap};4;{}", ["a", "b", "c"][(i / 2) % 3])
        };
        let bytes = [b"id;age;name;gap;four;kind\n".to_vec(), file(90, row)].concat();
        let table = read_bytes(&bytes, None).unwrap();
        assert_eq!(table.names, ["id", "age"]);
        assert_eq!((table.table.y.len(), table.table.x.len()), (60, 120));
        let said = table.notes.join(" ");
        for part in [
            "are not numbers: name",
            "missing: gap",
            "missing values: 1",
            "has 3 classes",
            "a and b",
            "never change: four",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
        // Another column as the label: a number with many values is split at its median.
        let table = read_bytes(&bytes, Some(0)).unwrap();
        assert!(table.notes.iter().any(|note| note.contains("median")), "{:?}", table.notes);
        assert!((table.table.y.iter().sum::<f32>()).abs() <= 1.0);
        assert_eq!(table.all[table.label], "id");
    }

    #[test]
    fn files_without_names_and_with_tabs_are_read() {
        let table = read_bytes(&file(60, |i| format!("{}\t{}\t{}", i * i % 11, i, i % 2)), None).unwrap();
        assert_eq!(table.names, ["column 1", "column 2"]);
        assert_eq!((table.classes.join(" "), table.table.y[1]), ("0 1".into(), 1.0));
    }

    #[test]
    fn names_turn_no_sentence_round() {
        let text = format!("a\u{202e}b,sold\n{}", "1,no\n2,no\u{200b}\n".repeat(40));
        let table = read_bytes(text.as_bytes(), None).unwrap();
        assert_eq!(table.all, ["a!202e!b", "sold"]);
        assert_eq!(table.classes, ["no", "no!200b!"]);
    }

    #[test]
    fn a_label_of_mostly_one_number_is_split_next_to_it() {
        let table = read_bytes(&file(80, |i| format!("{},{}", i, if i < 50 { 0 } else { i })), None).unwrap();
        assert_eq!(table.table.y.iter().filter(|y| **y > 0.0).count(), 30);
    }

    #[test]
    fn what_is_no_table_is_refused_in_a_sentence() {
        let of = |bytes: &[u8]| read_bytes(bytes, None).unwrap_err();
        let rows = |row: &str| format!("a,b\n{}", [row; 60].join("\n")).into_bytes();
        for (bytes, part) in [
            (b"".to_vec(), "only one column"),
            (b"\xff\xfe\x00".to_vec(), "UTF-8"),
            (b"a,b\n".to_vec(), "no rows"),
            (b"a,b\n1,2,3\n".to_vec(), "the number of cells in line 2 is 3"),
            (b"a,b\n1,x\n2,y\n".to_vec(), "nearly every row"),
            (rows("1,x"), "the same value in all rows"),
            (rows("w,x"), "no column contains only numbers"),
            (file(60, |i| format!("1e{},{}", 200 + i, i % 2)), "no column contains only numbers"),
            (file(60, |i| format!("3,{}", i % 2)), "differ"),
            (file(30, |i| format!("{i},{}", i % 2)), "30 rows can be used"),
        ] {
            assert!(of(&bytes).contains(part), "{part}: {}", of(&bytes));
        }
    }
}
