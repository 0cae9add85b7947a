//! A person's CSV file as a table to learn: numbers with mean 0 and deviation 1, and two classes.
//!
//! # Why
//! As in the benchmark of Grinsztajn, Oyallon and Varoquaux (2022) that Edelman 2024, section 6.4.2, takes: columns of
//! numbers alone; columns with many missing values are left out, and then rows with any; of more than two classes the two
//! most frequent stay; and a column of numbers is split at its median. Columns are brought to mean 0 and deviation 1, as
//! in the thesis's appendix C.3.3. Everything that is left out is said.

use std::collections::BTreeMap;
use std::io::Read;

use ::csv::StringRecord;
use serde::{Deserialize, Serialize};

use super::FileError;
use super::head::{HEAD, unmarked};
use vivarium_core::language::visible;
use vivarium_core::math::mean_and_variance;
use vivarium_core::sorting;
use vivarium_model::tasks::tabular::uploaded::UploadedTable;

/// Most columns besides the label.
pub const MOST_COLUMNS: usize = 512;
/// Most cells of a file: their numbers take 64 MiB while it is read, and half of that afterwards.
const MOST_CELLS: u64 = 1 << 23;
/// Largest number: sums of squares of larger ones are none any more.
const LARGEST: f64 = 1e100;
/// Fewest rows that leave something to learn from and something to test on.
const FEWEST_ROWS: usize = 40;
/// A column of which more than this share is missing is left out.
const MOST_MISSING: f64 = 0.2;
/// A label of so many different numbers or fewer names classes; more are an amount, which is split at its median.
const MOST_CLASSES: usize = 10;
/// Names that a label often has.
const LABELS: [&str; 6] = ["target", "label", "class", "y", "outcome", "output"];

/// What a CSV file holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dataset {
    /// The numbers; they travel beside the rest.
    #[serde(skip)]
    pub table: UploadedTable,
    /// The number that the table is known by.
    pub number: u64,
    /// Names of the columns besides the label, in order.
    pub names: Vec<String>,
    /// Names of all columns of the file, each of which might be the label.
    pub all: Vec<String>,
    /// Which of them is the label.
    pub label: usize,
    /// What a label of −1 and one of +1 stand for.
    pub classes: [String; 2],
    /// What was left out and how the label was made, each as a sentence.
    pub notes: Vec<String>,
}

impl Dataset {
    /// The same with the numbers of its table, as [`UploadedTable::numbers`] has them; none where there are not as many
    /// as it has columns and rows.
    pub fn with_numbers(self, numbers: Vec<f32>) -> Option<Dataset> {
        let table = UploadedTable::from_numbers(self.names.len(), numbers)?;
        Some(Dataset { table, ..self })
    }
}

/// Reads a CSV file. The label is column `label`, from 0; without a number, a column with a usual name of labels or the
/// last column.
///
/// # Errors
/// What is wrong with the file.
pub fn read(bytes: &[u8], label: Option<usize>) -> Result<Dataset, String> {
    read_from(bytes, label).map_err(|flaw| flaw.to_string())
}

/// The same from any source of bytes, row by row. Kept are the numbers of columns of numbers and the texts of the
/// label; other columns are dropped.
///
/// # Errors
/// What is wrong with the file.
pub fn read_from(source: impl Read, label: Option<usize>) -> Result<Dataset, FileError> {
    let cells = Cells::read(source, label)?;
    prepared(cells).map_err(FileError::NoTable)
}

/// What is learned from these cells.
fn prepared(cells: Cells) -> Result<Dataset, String> {
    let Cells { names: all, label, mut columns, labels } = cells;
    let mut notes = vec![];
    let chosen = numeric(&all, label, &columns, labels.len(), &mut notes)?;
    // Of the others nothing is needed any more.
    for (at, column) in columns.iter_mut().enumerate() {
        if !chosen.contains(&at) {
            column.values = vec![];
        }
    }
    let whole = |row: &usize| {
        chosen.iter().all(|column| !columns[*column].values[*row].is_nan()) && !is_missing(labels.of(*row))
    };
    let kept: Vec<usize> = (0..labels.len()).filter(whole).collect();
    if kept.len() < labels.len() {
        notes.push(tr!(
            "Rows left out because of missing values: {count}.",
            count = labels.len() - kept.len()
        ));
    }
    let (kept, y, classes) = classes(kept, &labels, &mut notes)?;
    if kept.len() < FEWEST_ROWS {
        return Err(tr!(
            "only {rows} rows can be used, and at least {fewest} rows are needed",
            rows = kept.len(),
            fewest = FEWEST_ROWS
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
    Ok(Dataset { number: table.number(), table, names, all, label, classes, notes })
}

/// A column besides the label.
#[derive(Default)]
struct Column {
    /// A number for each row, not a number where it is missing; nothing once there was something else.
    values: Vec<f64>,
    missing: usize,
    has_words: bool,
}

impl Column {
    fn push(&mut self, cell: &str) {
        if self.has_words {
            return;
        }
        match number(cell) {
            Some(value) => self.values.push(value),
            None if is_missing(cell) => {
                self.values.push(f64::NAN);
                self.missing += 1;
            }
            None => *self = Column { has_words: true, ..Column::default() },
        }
    }
}

/// The texts of the label, one after the other.
#[derive(Default)]
struct Labels {
    text: String,
    ends: Vec<u32>,
}

impl Labels {
    fn push(&mut self, cell: &str) {
        self.text.push_str(cell);
        // A file has fewer bytes.
        self.ends.push(self.text.len() as u32);
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn of(&self, row: usize) -> &str {
        let begin = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[begin as usize..self.ends[row] as usize]
    }
}

/// What is kept of the cells of a file.
struct Cells {
    names: Vec<String>,
    label: usize,
    /// Every column; that of the label is empty.
    columns: Vec<Column>,
    labels: Labels,
}

impl Cells {
    /// Reads a file row by row, and counts its cells before they are kept.
    fn read(mut source: impl Read, label: Option<usize>) -> Result<Cells, FileError> {
        let mut head = vec![];
        source.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(|_| FileError::Unreadable)?;
        let head = unmarked(&head);
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
        let mut cells = match reader.read_record(&mut row).map_err(flaw)? {
            true => Cells::begin(&row, label)?,
            false => Cells::begin(&StringRecord::new(), label)?,
        };
        let mut count = row.len() as u64;
        while reader.read_record(&mut row).map_err(flaw)? {
            count += row.len() as u64;
            if count > MOST_CELLS {
                return Err(FileError::NoTable(tr!(
                    "this file has more than {most} cells",
                    most = MOST_CELLS
                )));
            }
            cells.push(&row);
        }
        match cells.labels.len() {
            0 => Err(FileError::NoTable(tr!("this file has no rows").into())),
            _ => Ok(cells),
        }
    }

    /// What is known once the first line is there.
    fn begin(first: &StringRecord, label: Option<usize>) -> Result<Cells, FileError> {
        let columns = first.len();
        if columns < 2 {
            let why = tr!(
                "this file has only one column, and two are needed: one for the label, and one from which the label is predicted"
            );
            return Err(FileError::NoTable(why.into()));
        }
        if columns > MOST_COLUMNS + 1 {
            return Err(FileError::NoTable(tr!(
                "this file has {columns} columns, and at most {most} columns are allowed",
                columns,
                most = MOST_COLUMNS + 1
            )));
        }
        // A first line without a number is names; where every cell of it is a number, the columns have none.
        let has_names = first.iter().any(|cell| number(cell).is_none() && !is_missing(cell));
        let names: Vec<String> = match has_names {
            true => first.iter().map(visible).collect(),
            false => (1..=columns).map(|column| tr!("column {column}", column)).collect(),
        };
        let by_name = || names.iter().position(|name| LABELS.contains(&name.to_lowercase().as_str()));
        let label = label.filter(|label| *label < columns).or_else(by_name).unwrap_or(columns - 1);
        let empty = (0..columns).map(|_| Column::default()).collect();
        let mut cells = Cells { names, label, columns: empty, labels: Labels::default() };
        if !has_names {
            cells.push(first);
        }
        Ok(cells)
    }

    fn push(&mut self, row: &StringRecord) {
        for (at, (column, cell)) in self.columns.iter_mut().zip(row).enumerate() {
            match at == self.label {
                true => self.labels.push(cell),
                false => column.push(cell),
            }
        }
    }
}

/// What is wrong with the file, in our words.
fn flaw(error: ::csv::Error) -> FileError {
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

/// The columns of numbers besides the label, of so many rows.
fn numeric(
    all: &[String],
    label: usize,
    columns: &[Column],
    rows: usize,
    notes: &mut Vec<String>,
) -> Result<Vec<usize>, String> {
    let (mut chosen, mut words, mut gaps) = (vec![], vec![], vec![]);
    for (at, column) in columns.iter().enumerate().filter(|(at, _)| *at != label) {
        if column.has_words || column.missing == rows {
            words.push(all[at].as_str());
        } else if column.missing as f64 > MOST_MISSING * rows as f64 {
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

/// The rows of two classes, their labels, and what these stand for.
type Classes = (Vec<usize>, Vec<f32>, [String; 2]);

fn classes(rows: Vec<usize>, labels: &Labels, notes: &mut Vec<String>) -> Result<Classes, String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    rows.iter().for_each(|row| *counts.entry(labels.of(*row)).or_default() += 1);
    if counts.len() < 2 {
        return Err(
            tr!("the label has the same value in all rows; choose another column as the label").into()
        );
    }
    let numbers: Option<Vec<f64>> = rows.iter().map(|row| number(labels.of(*row))).collect();
    if let Some(numbers) = numbers.filter(|_| counts.len() > MOST_CLASSES) {
        let mut sorted = numbers.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let median = sorted[sorted.len() / 2];
        // Where half of the rows have the smallest value, the others are one class.
        let least = sorted[0];
        let is_high = |v: f64| if median > least { v >= median } else { v > least };
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
    sorting::sort_by(&mut two, |a, b| match (number(a), number(b)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => a.cmp(b),
    });
    let kept: Vec<usize> = rows.into_iter().filter(|row| two.contains(&labels.of(*row))).collect();
    let y = kept.iter().map(|row| if labels.of(*row) == two[1] { 1.0 } else { -1.0 }).collect();
    Ok((kept, y, two.map(visible)))
}

fn number(cell: &str) -> Option<f64> {
    // "inf" and "nan" are read as numbers by Rust, and are none here.
    cell.parse().ok().filter(|x: &f64| x.abs() <= LARGEST)
}

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
        let table = read(&bytes.concat(), None).unwrap();
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
    fn what_is_left_out_is_said() {
        let row = |i: usize| {
            let gap = if i.is_multiple_of(3) { "" } else { "1.5" };
            let age = if i == 4 { "NA".into() } else { i.to_string() };
            format!("{i};{age};word;{gap};4;{}", ["a", "b", "c"][(i / 2) % 3])
        };
        let bytes = [b"id;age;name;gap;four;kind\n".to_vec(), file(90, row)].concat();
        let table = read(&bytes, None).unwrap();
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
        let table = read(&bytes, Some(0)).unwrap();
        assert!(table.notes.iter().any(|note| note.contains("median")), "{:?}", table.notes);
        assert!((table.table.y.iter().sum::<f32>()).abs() <= 1.0);
        assert_eq!(table.all[table.label], "id");
    }

    #[test]
    fn files_without_names_and_with_tabs_are_read() {
        let table = read(&file(60, |i| format!("{}\t{}\t{}", i * i % 11, i, i % 2)), None).unwrap();
        assert_eq!(table.names, ["column 1", "column 2"]);
        assert_eq!((table.classes.join(" "), table.table.y[1]), ("0 1".into(), 1.0));
    }

    #[test]
    fn names_turn_no_sentence_round() {
        let text = format!("a\u{202e}b,sold\n{}", "1,no\n2,no\u{200b}\n".repeat(40));
        let table = read(text.as_bytes(), None).unwrap();
        assert_eq!(table.all, ["a!202e!b", "sold"]);
        assert_eq!(table.classes, ["no", "no!200b!"]);
    }

    #[test]
    fn a_label_of_mostly_one_number_is_split_beside_it() {
        let table = read(&file(80, |i| format!("{},{}", i, if i < 50 { 0 } else { i })), None).unwrap();
        assert_eq!(table.table.y.iter().filter(|y| **y > 0.0).count(), 30);
    }

    #[test]
    fn what_is_no_table_is_refused_in_a_sentence() {
        let of = |bytes: &[u8]| read(bytes, None).unwrap_err();
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
