//! A person's CSV file as a table to learn: numbers with mean 0 and deviation 1, and two classes.
//!
//! # Why
//! As in the benchmark of Grinsztajn, Oyallon and Varoquaux (2022) that Edelman 2024, section 6.4.2, takes: columns of
//! numbers alone; columns with many missing values are left out, and then rows with any; of more than two classes the two
//! most frequent stay; and a column of numbers is split at its median. Columns are brought to mean 0 and deviation 1, as
//! in the thesis's appendix C.3.3. Everything that is left out is said.

use std::collections::BTreeMap;

use ::csv::StringRecord;

use crate::tasks::tabular::uploaded::UploadedTable;

/// Most columns besides the label.
pub const MOST_COLUMNS: usize = 512;
/// Most cells of a file: more would hold up the page while they are read.
const MOST_CELLS: usize = 1 << 23;
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
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// The numbers.
    pub table: UploadedTable,
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

/// Reads a CSV file. The label is column `label` of it, from 0; where none is named, one that is called so, or the last.
///
/// # Errors
/// What is wrong with the file.
pub fn read(bytes: &[u8], label: Option<usize>) -> Result<Dataset, String> {
    let (all, rows) = cells(bytes)?;
    let by_name = || all.iter().position(|name| LABELS.contains(&name.to_lowercase().as_str()));
    let label = label.filter(|label| *label < all.len()).or_else(by_name).unwrap_or(all.len() - 1);
    let mut notes = vec![];
    let columns = numeric(&all, &rows, label, &mut notes)?;
    let whole = |row: &&StringRecord| {
        columns.iter().all(|column| number(&row[*column]).is_some()) && !is_missing(&row[label])
    };
    let kept: Vec<&StringRecord> = rows.iter().filter(whole).collect();
    if kept.len() < rows.len() {
        notes.push(tr!("Rows left out because of missing values: {count}.", count = rows.len() - kept.len()));
    }
    let (kept, y, classes) = classes(kept, label, &mut notes)?;
    if kept.len() < FEWEST_ROWS {
        return Err(tr!(
            "{rows} rows are left, and {fewest} are the fewest",
            rows = kept.len(),
            fewest = FEWEST_ROWS
        ));
    }
    let mut x = vec![0.0; kept.len() * columns.len()];
    let mut constant = vec![];
    for (at, column) in columns.iter().enumerate() {
        let values: Vec<f64> = kept.iter().filter_map(|row| number(&row[*column])).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / values.len() as f64;
        let deviation = libm::sqrt(variance);
        if deviation <= 1e-12 * mean.abs().max(f64::MIN_POSITIVE) {
            constant.push(at);
        }
        for (row, value) in values.iter().enumerate() {
            x[row * columns.len() + at] = ((value - mean) / deviation) as f32;
        }
    }
    let width = columns.len();
    let keeps = |at: &usize| !constant.contains(at);
    if !constant.is_empty() {
        let names: Vec<&str> = constant.iter().map(|at| all[columns[*at]].as_str()).collect();
        notes.push(tr!("Left out, since they never change: {columns}.", columns = names.join(", ")));
        x = x.chunks_exact(width).flat_map(|row| (0..width).filter(keeps).map(|at| row[at])).collect();
    }
    let names: Vec<String> = (0..width).filter(keeps).map(|at| all[columns[at]].clone()).collect();
    if names.is_empty() {
        return Err(tr!("no column besides the label holds numbers that differ").into());
    }
    Ok(Dataset { table: UploadedTable { columns: names.len(), x, y }, names, all, label, classes, notes })
}

/// Names of the columns, and the cells row by row.
fn cells(bytes: &[u8]) -> Result<(Vec<String>, Vec<StringRecord>), String> {
    let text = std::str::from_utf8(bytes).map_err(|_| tr!("it is no text in UTF-8").to_string())?;
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().next().unwrap_or_default();
    let separator = [b',', b';', b'\t'].into_iter().max_by_key(|sign| {
        // Where there are as many of both, the one named first.
        (first.bytes().filter(|byte| byte == sign).count(), *sign == b',')
    });
    let mut reader = ::csv::ReaderBuilder::new()
        .delimiter(separator.unwrap_or(b','))
        .has_headers(false)
        .trim(::csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut rows: Vec<StringRecord> = vec![];
    for record in reader.records() {
        let record = record.map_err(|error| match error.kind() {
            ::csv::ErrorKind::UnequalLengths { pos, expected_len, len } => tr!(
                "line {line} has {found} cells, and the lines before have {expected}",
                line = pos.as_ref().map_or(0, ::csv::Position::line),
                found = len,
                expected = expected_len
            ),
            _ => tr!("it is no CSV file ({error})", error),
        })?;
        if (rows.len() + 1) * record.len() > MOST_CELLS {
            return Err(tr!("it has more than {most} cells", most = MOST_CELLS));
        }
        rows.push(record);
    }
    let columns = rows.first().map_or(0, StringRecord::len);
    if columns < 2 {
        return Err(tr!("it has no two columns: one for the label, and one to tell it from").into());
    }
    if columns > MOST_COLUMNS + 1 {
        return Err(tr!(
            "it has {columns} columns, and {most} are the most",
            columns,
            most = MOST_COLUMNS + 1
        ));
    }
    // A first line without a number is names; where every cell of it is a number, the columns have none.
    let has_names = rows[0].iter().any(|cell| number(cell).is_none() && !is_missing(cell));
    let names = match has_names {
        true => rows.remove(0).iter().map(String::from).collect(),
        false => (1..=columns).map(|column| tr!("column {column}", column)).collect(),
    };
    if rows.is_empty() {
        return Err(tr!("it has no rows").into());
    }
    Ok((names, rows))
}

/// The columns of numbers besides the label.
fn numeric(
    all: &[String],
    rows: &[StringRecord],
    label: usize,
    notes: &mut Vec<String>,
) -> Result<Vec<usize>, String> {
    let (mut columns, mut words, mut gaps) = (vec![], vec![], vec![]);
    for column in (0..all.len()).filter(|column| *column != label) {
        let missing = rows.iter().filter(|row| is_missing(&row[column])).count();
        let numbers = rows.iter().filter(|row| number(&row[column]).is_some()).count();
        if numbers + missing < rows.len() || numbers == 0 {
            words.push(all[column].as_str());
        } else if missing as f64 > MOST_MISSING * rows.len() as f64 {
            gaps.push(all[column].as_str());
        } else {
            columns.push(column);
        }
    }
    if !words.is_empty() {
        notes.push(tr!(
            "Left out, since they do not hold numbers alone: {columns}.",
            columns = words.join(", ")
        ));
    }
    if !gaps.is_empty() {
        notes.push(tr!("Left out, since much of them is missing: {columns}.", columns = gaps.join(", ")));
    }
    match columns.is_empty() {
        true => Err(tr!("no column besides the label holds numbers").into()),
        false => Ok(columns),
    }
}

/// The rows of two classes, their labels, and what these stand for.
type Classes<'a> = (Vec<&'a StringRecord>, Vec<f32>, [String; 2]);

fn classes<'a>(
    rows: Vec<&'a StringRecord>,
    label: usize,
    notes: &mut Vec<String>,
) -> Result<Classes<'a>, String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    rows.iter().for_each(|row| *counts.entry(&row[label]).or_default() += 1);
    if counts.len() < 2 {
        return Err(tr!("its label has one value only; another column can be the label").into());
    }
    let numbers: Option<Vec<f64>> = rows.iter().map(|row| number(&row[label])).collect();
    if let Some(numbers) = numbers.filter(|_| counts.len() > MOST_CLASSES) {
        let mut sorted = numbers.clone();
        sorted.sort_by(f64::total_cmp);
        let median = sorted[sorted.len() / 2];
        // Where half of the rows have the smallest value, the others are one class.
        let least = sorted[0];
        let is_high = |v: f64| if median > least { v >= median } else { v > least };
        let y = numbers.iter().map(|v| if is_high(*v) { 1.0 } else { -1.0 }).collect();
        notes.push(tr!("The label is a number; it is split at its median, {median}.", median));
        return Ok((rows, y, [tr!("below {median}", median), tr!("from {median} on", median)]));
    }
    if counts.len() > rows.len() / 2 {
        return Err(tr!("nearly every row has a label of its own; another column can be the label").into());
    }
    let mut frequent: Vec<(&str, usize)> = counts.iter().map(|(name, count)| (*name, *count)).collect();
    // The sort is stable, so that equal counts stay in the order of their names.
    frequent.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    if frequent.len() > 2 {
        let (most, next, all) = (frequent[0].0, frequent[1].0, frequent.len());
        notes.push(tr!(
            "Of {all} classes the two most frequent are kept: {most} and {next}.",
            all,
            most,
            next
        ));
    }
    let mut two = [frequent[0].0, frequent[1].0];
    two.sort_by(|a, b| match (number(a), number(b)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => a.cmp(b),
    });
    let kept: Vec<&StringRecord> = rows.into_iter().filter(|row| two.contains(&&row[label])).collect();
    let y = kept.iter().map(|row| if &row[label] == two[1] { 1.0 } else { -1.0 }).collect();
    Ok((kept, y, two.map(String::from)))
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
            "numbers alone: name",
            "missing: gap",
            "missing values: 1",
            "Of 3 classes",
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
    fn a_label_of_mostly_one_number_is_split_beside_it() {
        let table = read(&file(80, |i| format!("{},{}", i, if i < 50 { 0 } else { i })), None).unwrap();
        assert_eq!(table.table.y.iter().filter(|y| **y > 0.0).count(), 30);
    }

    #[test]
    fn what_is_no_table_is_refused_in_a_sentence() {
        let of = |bytes: &[u8]| read(bytes, None).unwrap_err();
        let rows = |row: &str| format!("a,b\n{}", [row; 60].join("\n")).into_bytes();
        for (bytes, part) in [
            (b"".to_vec(), "two columns"),
            (b"\xff\xfe\x00".to_vec(), "UTF-8"),
            (b"a,b\n".to_vec(), "no rows"),
            (b"a,b\n1,2,3\n".to_vec(), "line 2 has 3 cells"),
            (b"a,b\n1,x\n2,y\n".to_vec(), "nearly every row"),
            (rows("1,x"), "one value only"),
            (rows("w,x"), "no column besides"),
            (file(60, |i| format!("1e{},{}", 200 + i, i % 2)), "no column besides"),
            (file(60, |i| format!("3,{}", i % 2)), "differ"),
            (file(30, |i| format!("{i},{}", i % 2)), "30 rows are left"),
        ] {
            assert!(of(&bytes).contains(part), "{part}: {}", of(&bytes));
        }
    }
}
