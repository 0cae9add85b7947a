//! The label of a table: which column it is, the two classes, and columns that give it away.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::columns::{CellColumn, LabelTexts, ReadingRules};
use super::numbers::{DecimalSign, is_missing, is_missing_label, parse_number};
use super::shorten;
use vivarium_core::language::escape_hidden_characters;
use vivarium_core::sorting;

/// Largest number of different numeric labels that count as classes; with more, the labels are split into two classes
/// at their median.
const MAX_CLASSES: usize = 10;

/// Usual names of a label column in lower case, in order of preference; the first of them that a column has makes this
/// column the label unless another is chosen.
const LABEL_NAMES: [&str; 7] = ["label", "class", "target", "species", "outcome", "output", "y"];

/// Names by which the first version of the program recognised the label: it took the first column with any of them.
const FIRST_LABEL_NAMES: [&str; 6] = ["target", "label", "class", "y", "outcome", "output"];

/// Whether a text is a usual name of a label column.
pub(super) fn is_label_name(name: &str) -> bool {
    LABEL_NAMES.contains(&name.to_lowercase().as_str())
}

/// Index, from 0, of the column that is the label unless another is chosen: one with a usual name, or the last.
pub(super) fn find_label(names: &[String], rules: ReadingRules) -> usize {
    let lower: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let named = match rules {
        ReadingRules::Current => {
            LABEL_NAMES.iter().find_map(|wanted| lower.iter().position(|name| name == wanted))
        }
        ReadingRules::First => lower.iter().position(|name| FIRST_LABEL_NAMES.contains(&name.as_str())),
    };
    named.unwrap_or(names.len().saturating_sub(1))
}

/// Whether the label of a row is missing.
pub(super) fn lacks_label(text: &str, rules: ReadingRules) -> bool {
    match rules {
        ReadingRules::Current => is_missing_label(text),
        ReadingRules::First => is_missing(text),
    }
}

/// Rows of a table that belong to its two classes.
pub(super) struct BinaryLabels {
    /// Indices, from 0, of the rows among all rows of the file.
    pub rows: Vec<usize>,
    /// Label of each of these rows, −1 or +1.
    pub y: Vec<f32>,
    /// Names of the classes −1 and +1.
    pub classes: [String; 2],
    /// Number of classes in the rows of the file, of which two are kept.
    pub class_count: usize,
    /// Numbers of the label in these rows, if the classes are its values below the median and the others.
    pub numbers: Option<Vec<f64>>,
}

/// Numbers of the label in `rows`, if all of them are numbers, together with the rows that have one. By today's rules
/// the spelling may be that of people, and words such as "NA" are missing values among more than [`MAX_CLASSES`] numbers.
fn parse_numbers(
    rows: &[usize],
    labels: &LabelTexts,
    (rules, usual): (ReadingRules, DecimalSign),
) -> Option<(Vec<usize>, Vec<f64>)> {
    let plain: Option<Vec<f64>> = rows.iter().map(|row| parse_number(labels.text_of(*row))).collect();
    if let Some(numbers) = plain {
        return Some((rows.to_vec(), numbers));
    }
    if rules == ReadingRules::First {
        return None;
    }
    let mut column = CellColumn::default();
    rows.iter().for_each(|row| column.push_cell(labels.text_of(*row), 0, rules));
    if column.is_text(rows.len()) || column.odd > 0 {
        return None;
    }
    column.settle(usual);
    let pairs = rows.iter().zip(&column.values).filter(|(_, value)| !value.is_nan());
    let pairs: Vec<(usize, f64)> = pairs.map(|(row, value)| (*row, *value)).collect();
    let mut sorted: Vec<f64> = pairs.iter().map(|(_, value)| *value).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.dedup();
    (sorted.len() > MAX_CLASSES).then(|| pairs.into_iter().unzip())
}

/// Text of the whole number that a label is, without a sign before 0 and without zeros behind a point; `None` for other
/// labels. A zero at the beginning, as in postal codes, is kept.
fn simplify_whole_number(label: &str) -> Option<&str> {
    let whole =
        label.split_once('.').map_or(label, |(whole, zeros)| match zeros.bytes().all(|b| b == b'0') {
            true => whole,
            false => label,
        });
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_whole.then_some(if digits == "0" { digits } else { whole })
}

/// For each label that is written in several ways, as 1, 1.0 and 1.00, its most frequent spelling; empty if fewer than two
/// classes would be left. `counts` has the number of rows of each label.
fn unite_spellings<'a>(counts: &BTreeMap<&'a str, usize>) -> BTreeMap<&'a str, &'a str> {
    let mut spellings: BTreeMap<&str, Vec<(&'a str, usize)>> = BTreeMap::new();
    for (&label, &count) in counts {
        spellings.entry(simplify_whole_number(label).unwrap_or(label)).or_default().push((label, count));
    }
    let mut united = BTreeMap::new();
    for same in spellings.values().filter(|same| same.len() > 1 && spellings.len() > 1) {
        if let Some((main, _)) = same.iter().rev().max_by_key(|(_, count)| *count) {
            united.extend(same.iter().map(|(label, _)| (*label, *main)));
        }
    }
    united
}

/// Assigns the class −1 or +1 to the rows with the indices `rows`: the two most frequent labels, or numeric labels
/// split at the median. Rows with other labels are dropped, and a note is added. `spelling` has the rules of reading, and
/// the sign for which an ambiguous comma stands. The error is a sentence on why the column cannot be the label.
pub(super) fn assign_classes(
    rows: Vec<usize>,
    labels: &LabelTexts,
    spelling: (ReadingRules, DecimalSign),
    notes: &mut Vec<String>,
) -> Result<BinaryLabels, String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    rows.iter().for_each(|row| *counts.entry(labels.text_of(*row)).or_default() += 1);
    if counts.len() < 2 {
        return Err(
            tr!("the label has the same value in all rows; choose another column as the label").into()
        );
    }
    let numbers = if counts.len() > MAX_CLASSES { parse_numbers(&rows, labels, spelling) } else { None };
    if let Some((kept, numbers)) = numbers {
        if kept.len() < rows.len() {
            notes.push(tr!(
                "Rows left out because their label is no number: {count}.",
                count = rows.len() - kept.len()
            ));
        }
        return Ok(split_at_median(kept, numbers, notes));
    }
    if counts.len() > rows.len() / 2 {
        return Err(tr!("nearly every row has a different label; choose another column as the label").into());
    }
    let united = match spelling.0 {
        ReadingRules::Current => unite_spellings(&counts),
        ReadingRules::First => BTreeMap::new(),
    };
    let class_of = |row: usize| {
        let label = labels.text_of(row);
        united.get(label).copied().unwrap_or(label)
    };
    if !united.is_empty() {
        notes.push(tr!(
            "Labels that are the same number are one class: {labels}.",
            labels = united.keys().map(|label| shorten(label)).collect::<Vec<_>>().join(", ")
        ));
        counts.clear();
        rows.iter().for_each(|row| *counts.entry(class_of(*row)).or_default() += 1);
    }
    let mut frequent: Vec<(&str, usize)> = counts.iter().map(|(name, count)| (*name, *count)).collect();
    // The sort is stable, so that equal counts stay in the order of their names.
    sorting::sort_by_key(&mut frequent, |(_, count)| std::cmp::Reverse(*count));
    if frequent.len() > 2 {
        let (most, next, all) = (shorten(frequent[0].0), shorten(frequent[1].0), frequent.len());
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
    let kept: Vec<usize> = rows.into_iter().filter(|row| two.contains(&class_of(*row))).collect();
    let y = kept.iter().map(|row| if class_of(*row) == two[1] { 1.0 } else { -1.0 }).collect();
    let classes = two.map(escape_hidden_characters);
    Ok(BinaryLabels { rows: kept, y, classes, class_count: frequent.len(), numbers: None })
}

/// Splits the rows with the indices `rows` at the median of their numeric labels `numbers`, and adds a note.
fn split_at_median(rows: Vec<usize>, numbers: Vec<f64>, notes: &mut Vec<String>) -> BinaryLabels {
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
    let classes = [tr!("below {median}", median), tr!("{median} or more", median)];
    BinaryLabels { rows, y, classes, class_count: 2, numbers: Some(numbers) }
}

/// Whether a column determines the label by itself: each class has one value of its own, or the column rises or falls
/// with a numeric label and is equal wherever the label is. `values` are those of the rows of `labels`.
pub(super) fn gives_label_away(values: &[f64], labels: &BinaryLabels) -> bool {
    is_function_of_class(values, &labels.y)
        || labels.numbers.as_ref().is_some_and(|numbers| is_monotone(values, numbers))
}

/// Whether a column has one value in all rows of one class, and another value in all rows of the other class.
fn is_function_of_class(values: &[f64], y: &[f32]) -> bool {
    let value_of = |is_high: bool| {
        let mut of_class =
            values.iter().zip(y).filter(|(_, y)| (**y > 0.0) == is_high).map(|(value, _)| *value);
        let first = of_class.next()?;
        of_class.all(|value| value == first).then_some(first)
    };
    matches!((value_of(false), value_of(true)), (Some(low), Some(high)) if low != high)
}

/// Whether a column is a strictly rising or strictly falling function of the numbers of the label.
fn is_monotone(values: &[f64], numbers: &[f64]) -> bool {
    let pairs = || values.iter().copied().zip(numbers.iter().copied());
    /// Direction from one pair to the next: `Greater` if both numbers rise or both fall, `Less` if one rises and the other
    /// falls, `Equal` if both stay; `None` if one of them stays.
    fn compare_steps(first: (f64, f64), second: (f64, f64)) -> Option<Ordering> {
        match (second.0.total_cmp(&first.0), second.1.total_cmp(&first.1)) {
            (Ordering::Equal, Ordering::Equal) => Some(Ordering::Equal),
            (Ordering::Equal, _) | (_, Ordering::Equal) => None,
            (value, number) => Some(if value == number { Ordering::Greater } else { Ordering::Less }),
        }
    }
    /// Whether the two numbers always rise and fall together, or always in opposite directions.
    fn is_one_way(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> bool {
        let mut direction = None;
        pairs.clone().zip(pairs.skip(1)).all(|(first, second)| match compare_steps(first, second) {
            None => false,
            Some(Ordering::Equal) => true,
            Some(step) => *direction.get_or_insert(step) == step,
        })
    }
    // Most columns are none by their first rows, without sorting.
    if !is_one_way(pairs()) {
        return false;
    }
    let mut sorted: Vec<(f64, f64)> = pairs().collect();
    sorted.sort_unstable_by(|a, b| a.1.total_cmp(&b.1));
    is_one_way(sorted.into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split(',').map(String::from).collect()
    }

    #[test]
    fn names_of_labels_have_an_order_of_preference() {
        for (columns, current, first) in [
            ("x,y,label", 2, 1),
            ("y,x,Class", 2, 0),
            ("target,label,x", 1, 0),
            ("species,x,y", 0, 2),
            ("a,b,c", 2, 2),
            ("output,outcome,x", 1, 0),
        ] {
            let names = names(columns);
            assert_eq!(find_label(&names, ReadingRules::Current), current, "{columns}");
            assert_eq!(find_label(&names, ReadingRules::First), first, "{columns}");
        }
    }

    #[test]
    fn spellings_of_a_whole_number_are_one_label() {
        for (label, expected) in [
            ("1.0", Some("1")),
            ("1.", Some("1")),
            ("-0.00", Some("0")),
            ("-1", Some("-1")),
            ("01", Some("01")),
            ("1.5", None),
            (".0", None),
            ("", None),
            ("v1.0", None),
        ] {
            assert_eq!(simplify_whole_number(label), expected, "{label}");
        }
        let united = |counts: &[(&'static str, usize)]| unite_spellings(&counts.iter().copied().collect());
        let expected = BTreeMap::from([("1", "1.0"), ("1.0", "1.0")]);
        assert_eq!(united(&[("0", 5), ("1", 2), ("1.0", 3)]), expected);
        // Nothing would be left to distinguish.
        assert_eq!(united(&[("1", 2), ("1.0", 3)]), BTreeMap::new());
    }

    #[test]
    fn columns_that_give_the_label_away_are_found() {
        let labels = |numbers: Option<Vec<f64>>| BinaryLabels {
            rows: (0..6).collect(),
            y: vec![-1.0, 1.0, -1.0, 1.0, -1.0, 1.0],
            classes: ["a".into(), "b".into()],
            class_count: 2,
            numbers,
        };
        let classes = labels(None);
        assert!(gives_label_away(&[3.0, 5.0, 3.0, 5.0, 3.0, 5.0], &classes));
        assert!(!gives_label_away(&[3.0, 5.0, 3.0, 5.0, 3.0, 3.0], &classes));
        assert!(!gives_label_away(&[3.0, 3.0, 3.0, 3.0, 3.0, 3.0], &classes));
        let numbers = labels(Some(vec![1.0, 9.0, 2.0, 8.0, 2.0, 7.0]));
        assert!(gives_label_away(&[1.0, 81.0, 4.0, 64.0, 4.0, 49.0], &numbers));
        assert!(gives_label_away(&[9.0, 1.0, 8.0, 2.0, 8.0, 3.0], &numbers));
        assert!(!gives_label_away(&[1.0, 81.0, 4.0, 64.0, 5.0, 49.0], &numbers));
        assert!(!gives_label_away(&[1.0, 81.0, 4.0, 2.0, 4.0, 49.0], &numbers));
    }
}
