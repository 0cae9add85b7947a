//! A user's CSV file as a dataset for binary classification: columns with mean 0 and standard deviation 1, and two
//! classes.
//!
//! # Why
//! As in the benchmark of Grinsztajn, Oyallon and Varoquaux (2022) that Edelman 2024, section 6.4.2, takes: columns of
//! numbers alone; columns with many missing values are left out, and then rows with any; of more than two classes the two
//! most frequent stay; and a column of numbers is split at its median. Columns are brought to mean 0 and deviation 1, as
//! in the thesis's appendix C.3.3. The notes of the dataset list everything that was left out or assumed.
//!
//! A link names a table by a hash of its numbers. Where the rules of reading have changed since the first version of the
//! program, [`ReadingRules::First`] reads a table as that version did, and [`read_numbered`] finds the reading that a link
//! means. 2026-11-28.

mod cells;
mod columns;
mod label;
mod layout;
mod lines;
mod numbers;
#[cfg(test)]
mod table_tests;

use std::io::Read;

use serde::{Deserialize, Serialize};

pub use columns::ReadingRules;

use super::FileError;
use cells::{CsvCells, TableOutline, TableReader};
use columns::{CellColumn, NumberForm};
use label::{BinaryLabels, assign_classes, gives_label_away, lacks_label};
use layout::Layout;
use numbers::{DecimalSign, Unit};
use vivarium_core::language::escape_hidden_characters;
use vivarium_core::math::mean_and_variance;
use vivarium_model::tasks::tabular::uploaded::UploadedTable;

/// Largest number of feature columns (all columns but the label) of an uploaded table; a table with more is rejected.
pub const MAX_COLUMNS: usize = 512;
/// Smallest number of usable rows of an uploaded table, enough for training and test data; a table with fewer is
/// rejected.
const MIN_ROWS: usize = 40;
/// Fraction of missing values above which a column of an uploaded table is left out.
const MAX_MISSING_SHARE: f64 = 0.2;
/// Names, in lower case, of columns that count the rows of a table.
const COUNTER_NAMES: [&str; 12] =
    ["id", "index", "idx", "row", "rows", "rownames", "row.names", "row_id", "no", "nr", "#", "unnamed: 0"];
/// Largest number of cells that are read as missing because of their texts and that a note names.
const MAX_NAMED_CELLS: usize = 3;

/// Largest number of characters of a text of the file that a note contains.
const MAX_QUOTED_CHARACTERS: usize = 80;

/// The first characters of a text of the file, for a note, with hidden characters made visible.
fn shorten(text: &str) -> String {
    let short: String = text.chars().take(MAX_QUOTED_CHARACTERS).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    escape_hidden_characters(&short) + more
}

/// Choices of the user on how a CSV file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TableChoices {
    /// Index, from 0, of the label column; `None` to choose it by the names of the columns.
    pub label: Option<usize>,
    /// Whether the first line holds the names of the columns; `None` to recognise it.
    pub has_header: Option<bool>,
    /// Whether a column that counts the rows is kept as a feature.
    pub keeps_counters: bool,
    /// Rules by which the file is read.
    pub rules: ReadingRules,
}

impl TableChoices {
    /// Choices of this label column alone.
    pub fn with_label(label: Option<usize>) -> TableChoices {
        TableChoices { label, ..TableChoices::default() }
    }

    /// Choices that give all tables which this file and this label have ever given: these choices first, then the
    /// rules of the first version, and the opposites of these choices.
    pub fn variants(&self) -> Vec<TableChoices> {
        let current = TableChoices { rules: ReadingRules::Current, ..*self };
        let first = TableChoices { rules: ReadingRules::First, ..TableChoices::with_label(self.label) };
        let others = [None, Some(true), Some(false)].into_iter().flat_map(|has_header| {
            [false, true].map(|keeps_counters| TableChoices { has_header, keeps_counters, ..current })
        });
        let all = [*self, first].into_iter().chain(others);
        let mut different: Vec<TableChoices> = vec![];
        for choices in all {
            if !different.contains(&choices) {
                different.push(choices);
            }
        }
        different
    }
}

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
    /// Whether the names of the columns were read from the file.
    pub has_header: bool,
    /// Names of the columns that count the rows; they are left out unless the choices keep them.
    pub counters: Vec<String>,
    /// Choices by which the file was read.
    pub choices: TableChoices,
}

impl Dataset {
    /// Puts the table's numbers (inputs, then labels) into a dataset that was sent without them; `None` if their count
    /// does not match the columns.
    pub fn with_numbers(self, numbers: Vec<f32>) -> Option<Dataset> {
        let table = UploadedTable::from_floats(self.names.len(), numbers)?;
        Some(Dataset { table, ..self })
    }
}

/// Table that cannot be used with the label that was chosen, so that another column may be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedTable {
    /// Reason why the table cannot be used, as a part of a sentence.
    pub reason: String,
    /// Names of all columns of the file, each of which may be chosen as the label.
    pub all: Vec<String>,
    /// Index, from 0, of the label column in `all`.
    pub label: usize,
    /// Choices by which the file was read.
    pub choices: TableChoices,
}

/// Reads a CSV file from memory. The label is column `label` (from 0); if `None`, a column with a usual label name, or
/// the last column.
///
/// # Errors
/// The reason why the file cannot be used, as a sentence.
pub fn read_bytes(bytes: &[u8], label: Option<usize>) -> Result<Dataset, String> {
    read_from(bytes, label).map_err(|flaw| flaw.to_string())
}

/// Reads a CSV file as [`read_bytes`] does, row by row.
///
/// # Errors
/// The first [`FileError`] that is found.
pub fn read_from(source: impl Read, label: Option<usize>) -> Result<Dataset, FileError> {
    read_with(source, &TableChoices::with_label(label))
}

/// Reads a CSV file row by row, according to the choices of the user; keeps the numbers of numeric columns and the texts
/// of the label, and drops other columns.
///
/// # Errors
/// The first [`FileError`] that is found; [`FileError::Label`] where another column may be chosen as the label.
pub fn read_with(source: impl Read, choices: &TableChoices) -> Result<Dataset, FileError> {
    let cells = CsvCells::read(source, choices)?;
    let (all, label) = (cells.outline.names.clone(), cells.outline.label);
    prepare(cells, choices)
        .map_err(|reason| FileError::Label(Box::new(RefusedTable { reason, all, label, choices: *choices })))
}

/// Whether a file that begins with `head` is a table by its contents: its rows have the same number of cells, and some
/// column consists of numbers. `is_whole` says that these bytes are the whole file.
pub(super) fn is_table(head: &[u8], is_whole: bool) -> bool {
    Layout::is_table(head, is_whole)
}

/// Names of all columns of a CSV file, as [`Dataset::all`] has them.
///
/// # Errors
/// The first [`FileError`] that is found in the first rows.
pub fn read_names(source: impl Read, choices: &TableChoices) -> Result<Vec<String>, FileError> {
    Ok(TableReader::open(source, choices)?.outline.names)
}

/// Reads the table with the number `number` from a file: by these choices, by their opposites, or by the rules of the
/// first version; `None` if the file does not contain this table with the label of the choices.
pub fn read_numbered(bytes: &[u8], choices: &TableChoices, number: u64) -> Option<Dataset> {
    let variants = choices.variants();
    variants.iter().find_map(|choices| read_with(bytes, choices).ok().filter(|table| table.number == number))
}

/// Index, from 0, of the column with the name `name` among the names of all columns. Columns with the same name in the
/// file are numbered; `Err` has the indices of all columns that have the name in the file, none or several.
pub fn find_column(all: &[String], name: &str) -> Result<usize, Vec<usize>> {
    if let Some(at) = all.iter().position(|other| other == name) {
        return Ok(at);
    }
    let is_numbered = |other: &str| {
        let number = other.strip_prefix(name).and_then(|rest| rest.strip_prefix(" (")?.strip_suffix(')'));
        number.is_some_and(|number| number.parse::<usize>().is_ok())
    };
    let numbered: Vec<usize> = (0..all.len()).filter(|at| is_numbered(&all[*at])).collect();
    Err(if numbered.len() > 1 { numbered } else { vec![] })
}

/// Builds the dataset from the cells of a CSV file: selects columns and rows, assigns two classes, and standardises the
/// columns. The error is a sentence on why the file cannot be used.
fn prepare(cells: CsvCells, choices: &TableChoices) -> Result<Dataset, String> {
    let CsvCells { outline, mut columns, labels } = cells;
    let TableOutline { names: all, unnamed, has_header, label, usual_sign, mut notes } = outline;
    let rules = choices.rules;
    let chosen = select_numeric_columns(&all, label, &columns, labels.len(), &mut notes)?;
    // Frees the values of unused columns.
    for (at, column) in columns.iter_mut().enumerate() {
        if !chosen.contains(&at) {
            column.values = vec![];
        }
    }
    let usual_sign = match rules {
        ReadingRules::Current => settle_spellings(&all, &chosen, &mut columns, usual_sign, &mut notes),
        ReadingRules::First => usual_sign,
    };
    let whole = |row: &usize| {
        chosen.iter().all(|column| !columns[*column].values[*row].is_nan())
            && !lacks_label(labels.text_of(*row), rules)
    };
    let kept: Vec<usize> = (0..labels.len()).filter(whole).collect();
    if kept.len() < labels.len() {
        notes.push(tr!(
            "Rows left out because of missing values: {count}.",
            count = labels.len() - kept.len()
        ));
    }
    let labeled = assign_classes(kept, &labels, (rules, usual_sign), &mut notes)?;
    let kept = &labeled.rows;
    if kept.len() < MIN_ROWS {
        return Err(match labeled.class_count > 2 {
            true => tr!(
                "the label has {classes} classes, and of the two most frequent classes only {rows} rows can be used; at least {fewest} rows are needed",
                classes = labeled.class_count,
                rows = kept.len(),
                fewest = MIN_ROWS
            ),
            false => tr!(
                "only {rows} rows can be used, and at least {fewest} rows are needed",
                rows = kept.len(),
                fewest = MIN_ROWS
            ),
        });
    }
    let (mut standard, mut constant, mut narrow) = (vec![], vec![], vec![]);
    for column in chosen {
        let (mean, variance) = mean_and_variance(kept.iter().map(|row| columns[column].values[*row]));
        let deviation = libm::sqrt(variance);
        let first = columns[column].values[kept[0]];
        if deviation > 1e-12 * mean.abs().max(f64::MIN_POSITIVE) {
            standard.push((column, mean, deviation));
        } else if kept.iter().all(|row| columns[column].values[*row] == first) {
            constant.push(all[column].as_str());
        } else {
            narrow.push(all[column].as_str());
        }
    }
    if !constant.is_empty() {
        notes.push(tr!(
            "Columns left out because their values never change: {columns}.",
            columns = constant.join(", ")
        ));
    }
    if !narrow.is_empty() {
        notes.push(tr!(
            "Columns left out because their values differ by less than a trillionth of their mean: {columns}.",
            columns = narrow.join(", ")
        ));
    }
    let mut counters = vec![];
    if rules == ReadingRules::Current {
        let counts = |column: usize| {
            let name = if unnamed[column] { "" } else { all[column].as_str() };
            counts_rows(&columns[column].values, name, has_header, column)
        };
        let (counting, others): (Vec<_>, Vec<_>) =
            standard.iter().copied().partition(|(column, ..)| counts(*column));
        counters = counting.iter().map(|(column, ..)| all[*column].clone()).collect();
        let has_other = !others.is_empty();
        if !counters.is_empty() {
            let columns = counters.join(", ");
            notes.push(match (choices.keeps_counters, has_other) {
                (false, true) => tr!("Columns left out because they count the rows: {columns}.", columns),
                (false, false) => {
                    tr!(
                        "Columns kept although they count the rows, because there are no others: {columns}.",
                        columns
                    )
                }
                (true, _) => tr!("Columns that count the rows are kept: {columns}.", columns),
            });
        }
        let is_index =
            |column: usize| has_header && unnamed[column] && has_own_numbers(&columns[column].values, kept);
        let indices = others.iter().filter(|(column, ..)| is_index(*column));
        let indices: Vec<&str> = indices.map(|(column, ..)| all[*column].as_str()).collect();
        if !indices.is_empty() {
            notes.push(tr!(
                "Columns kept although they have no name and a different whole number in each row, perhaps the row numbers of a larger table: {columns}.",
                columns = indices.join(", ")
            ));
        }
        if !choices.keeps_counters && has_other {
            standard = others;
        }
        note_giveaways(&all, standard.iter().map(|(column, ..)| *column), &columns, &labeled, &mut notes);
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
    let table = UploadedTable { columns: names.len(), x, y: labeled.y };
    Ok(Dataset {
        number: table.table_id(),
        table,
        names,
        all,
        label,
        classes: labeled.classes,
        notes,
        has_header,
        counters,
        choices: *choices,
    })
}

/// Settles the spelling of the numbers of the columns `chosen`, and adds a note for each spelling that is not that of
/// programs and on the cells that are read as missing. Returns the decimal sign of columns that prove none.
fn settle_spellings(
    all: &[String],
    chosen: &[usize],
    columns: &mut [CellColumn],
    usual: DecimalSign,
    notes: &mut Vec<String>,
) -> DecimalSign {
    // A sign that another column proves holds for columns that prove none.
    let proven =
        |wanted: DecimalSign| chosen.iter().any(|column| columns[*column].proven_sign() == Some(wanted));
    let usual = match (proven(DecimalSign::Comma), proven(DecimalSign::Point)) {
        (true, false) => DecimalSign::Comma,
        (false, true) => DecimalSign::Point,
        _ => usual,
    };
    let forms: Vec<(usize, NumberForm)> =
        chosen.iter().map(|column| (*column, columns[*column].settle(usual))).collect();
    let of = |holds: &dyn Fn(&NumberForm) -> bool| {
        let named = forms.iter().filter(|(_, form)| holds(form)).map(|(column, _)| all[*column].as_str());
        named.collect::<Vec<_>>().join(", ")
    };
    let decimal = of(&|form| form.has_decimal_commas);
    if !decimal.is_empty() {
        notes.push(tr!("Columns read with decimal commas: {columns}.", columns = decimal));
    }
    let grouped = of(&|form| form.has_groups);
    if !grouped.is_empty() {
        notes.push(tr!("Columns read with signs between thousands: {columns}.", columns = grouped));
    }
    let percent = of(&|form| form.unit == Unit::Percent);
    if !percent.is_empty() {
        notes.push(tr!("Columns read as per cent: {columns}.", columns = percent));
    }
    let money = of(&|form| matches!(form.unit, Unit::Currency(_)));
    if !money.is_empty() {
        notes.push(tr!("Columns read as amounts of money: {columns}.", columns = money));
    }
    let odd = chosen.iter().flat_map(|at| columns[*at].odd_cells.iter().map(move |cell| (*at, cell)));
    let odd: Vec<String> = odd
        .take(MAX_NAMED_CELLS)
        .map(|(at, cell)| {
            tr!(
                "“{text}” in line {line}, column {column}",
                text = cell.text,
                line = cell.line,
                column = all[at]
            )
        })
        .collect();
    let count: usize = chosen.iter().map(|column| columns[*column].odd).sum();
    if count > 0 {
        notes.push(tr!("Values read as missing: {count} ({values}).", count, values = odd.join("; ")));
    }
    usual
}

/// Whether a column counts the rows: 0, 1, 2, … with no name or with a name of such columns. Of a file without names it
/// is the first column (`column` is its index, from 0).
fn counts_rows(values: &[f64], name: &str, has_header: bool, column: usize) -> bool {
    let Some(first) = values.first().copied().filter(|first| first.fract() == 0.0) else { return false };
    let name = name.trim().to_lowercase();
    let may_count = match has_header {
        true => name.is_empty() || COUNTER_NAMES.contains(&name.as_str()),
        false => column == 0 && (first == 0.0 || first == 1.0),
    };
    may_count && values.iter().enumerate().all(|(row, value)| *value == first + row as f64)
}

/// Whether a column has a whole number in each of the rows `kept`, and each number only once, as the row numbers of a
/// larger table.
fn has_own_numbers(values: &[f64], kept: &[usize]) -> bool {
    let mut numbers: Vec<f64> = kept.iter().map(|row| values[*row]).collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.iter().all(|number| number.fract() == 0.0) && numbers.windows(2).all(|pair| pair[0] < pair[1])
}

/// Adds a note on the columns among those with the indices `used` that determine the label by themselves.
fn note_giveaways(
    all: &[String],
    used: impl Iterator<Item = usize>,
    columns: &[CellColumn],
    labeled: &BinaryLabels,
    notes: &mut Vec<String>,
) {
    let gives_away = |column: &usize| {
        let values: Vec<f64> = labeled.rows.iter().map(|row| columns[*column].values[*row]).collect();
        gives_label_away(&values, labeled)
    };
    let found: Vec<&str> = used.filter(gives_away).map(|column| all[column].as_str()).collect();
    if !found.is_empty() {
        notes.push(tr!(
            "Columns that reveal the label, because each of their values belongs to one value of the label: {columns}.",
            columns = found.join(", ")
        ));
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
        if column.is_text(rows) {
            words.push(all[at].as_str());
        } else if (column.missing + column.odd) as f64 > MAX_MISSING_SHARE * rows as f64 {
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
    if !chosen.is_empty() {
        return Ok(chosen);
    }
    let mut others = columns.iter().enumerate().filter(|(at, _)| *at != label);
    let word = others.find_map(|(at, column)| Some((at, column.word.as_ref()?)));
    Err(match word {
        Some((at, word)) => tr!(
            "apart from the label, no column contains only numbers; the text in column {column}, line {line}, for example, is “{text}”",
            column = all[at],
            line = word.line,
            text = word.text
        ),
        None => tr!("apart from the label, no column contains only numbers").into(),
    })
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
        assert_eq!((table.names.join(" "), table.counters.join(" ")), ("age".into(), "id".into()));
        assert_eq!((table.table.y.len(), table.table.x.len()), (60, 60));
        let said = table.notes.join(" ");
        for part in [
            "are not numbers: name",
            "missing: gap",
            "missing values: 1",
            "has 3 classes",
            "a and b",
            "never change: four",
            "count the rows: id",
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
