//! Cells of the columns of a table, collected while the file is read.

use super::numbers::{
    DecimalSign, SignEvidence, Unit, is_malformed_number, is_marker, is_missing, parse_number, parse_written,
};

/// Largest fraction of malformed numbers, such as dates, in a column of numbers; a column with more is not numeric.
const MAX_MALFORMED_SHARE: f64 = 0.01;

/// Rules by which a table is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum ReadingRules {
    /// The rules of today.
    #[default]
    Current,
    /// The rules of the first version of the program. A link names a table by a hash of its numbers, so that a table of
    /// an old link can be read again.
    First,
}

/// Cell that is neither a number nor a usual sign of a missing value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OddCell {
    /// Number, from 1, of the line of the file in which the row of the cell begins.
    pub line: u64,
    /// Text of the cell, shortened for a note.
    pub text: String,
}

/// Cells of one column besides the label, collected while a CSV file is read.
#[derive(Debug, Default)]
pub(super) struct CellColumn {
    /// One number per row, NaN where the cell is missing; empty once a cell of the column contained text.
    pub values: Vec<f64>,
    /// Number of cells of the column without a value so far.
    pub missing: usize,
    /// The first cell of the column that is text; `None` if there is none so far.
    pub word: Option<OddCell>,
    /// The first cells of the column that are read as missing because of their texts.
    pub odd_cells: Vec<OddCell>,
    /// Number of cells of the column that are read as missing because of their texts.
    pub odd: usize,
    /// Number of cells among them that contain digits, such as "1.2.3".
    malformed: usize,
    /// Decimal sign that a cell of the column has proved; `None` as long as all numbers are whole.
    decimal: Option<DecimalSign>,
    /// Unit next to all numbers of the column; `None` before the first number.
    unit: Option<Unit>,
    /// Whether signs separate the thousands of a number of the column.
    has_groups: bool,
    /// Indices, from 0, of the rows with a number that is a thousandth of the value in `values` if commas are decimal
    /// signs.
    ambiguous: Vec<u32>,
    /// Indices, from 0, of the rows with a number that is a thousand times the value in `values` if points separate
    /// thousands; empty once the decimal sign is proved.
    pointed: Vec<u32>,
}

/// Spelling of the numbers of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NumberForm {
    /// Whether a comma separates the fraction.
    pub has_decimal_commas: bool,
    /// Whether signs separate the thousands.
    pub has_groups: bool,
    /// Unit next to all numbers of the column.
    pub unit: Unit,
}

impl CellColumn {
    /// Adds the column's cell in the next row of the file, which begins in line number `line`: a number, a missing
    /// value, or text.
    pub fn push_cell(&mut self, cell: &str, line: u64, rules: ReadingRules) {
        if self.word.is_some() {
            return;
        }
        let value = match rules {
            ReadingRules::First => parse_number(cell),
            ReadingRules::Current => self.parse_cell(cell),
        };
        match value {
            Some(value) => self.values.push(value),
            None if is_missing(cell) => {
                self.values.push(f64::NAN);
                self.missing += 1;
            }
            None if rules == ReadingRules::Current && (is_marker(cell) || is_malformed_number(cell)) => {
                self.values.push(f64::NAN);
                self.odd += 1;
                self.malformed += usize::from(is_malformed_number(cell));
                if self.odd_cells.len() < super::MAX_NAMED_CELLS {
                    self.odd_cells.push(OddCell { line, text: super::shorten(cell) });
                }
            }
            None => {
                let word = OddCell { line, text: super::shorten(cell) };
                *self = CellColumn { word: Some(word), ..CellColumn::default() };
            }
        }
    }

    /// Number in a cell, if its spelling agrees with that of the numbers of the column so far.
    fn parse_cell(&mut self, cell: &str) -> Option<f64> {
        let has_point = cell.contains('.');
        if let Some(value) = parse_number(cell)
            && !(has_point && self.decimal == Some(DecimalSign::Comma))
        {
            self.agree_on_unit(Unit::None)?;
            match self.decimal {
                None if has_thousands_point(cell) => self.pointed.push(self.values.len() as u32),
                None if has_point => {
                    self.settle_points(DecimalSign::Point);
                    self.decimal = Some(DecimalSign::Point);
                }
                _ => {}
            }
            return Some(value);
        }
        let number = parse_written(cell)?;
        let row = self.values.len() as u32;
        let (value, sign) = match (number.evidence, self.decimal) {
            (SignEvidence::None, sign) => (number.value, sign),
            (SignEvidence::Sign(DecimalSign::Point), None) if has_thousands_point(cell) => {
                (number.value, None)
            }
            (SignEvidence::Sign(new), None) => (number.value, Some(new)),
            (SignEvidence::Sign(new), Some(sign)) if new == sign => (number.value, Some(sign)),
            // Three digits behind one point: thousands in a column with decimal commas.
            (SignEvidence::Sign(DecimalSign::Point), Some(DecimalSign::Comma)) => (
                parse_written(&cell.replacen('.', "", 1)).filter(|_| has_thousands_point(cell))?.value,
                self.decimal,
            ),
            (SignEvidence::Sign(_), Some(_)) => return None,
            (SignEvidence::Ambiguous, sign) => {
                let is_fraction = sign == Some(DecimalSign::Comma);
                (if is_fraction { number.value / 1000.0 } else { number.value }, sign)
            }
        };
        self.agree_on_unit(number.unit)?;
        match (number.evidence, self.decimal) {
            (SignEvidence::Ambiguous, None) => self.ambiguous.push(row),
            (SignEvidence::Ambiguous, Some(DecimalSign::Comma)) => {}
            (SignEvidence::Sign(_), None) if sign.is_none() => self.pointed.push(row),
            (SignEvidence::Sign(DecimalSign::Point), Some(DecimalSign::Comma)) => self.has_groups = true,
            _ => self.has_groups |= number.has_groups,
        }
        if let Some(sign) = sign {
            self.settle_points(sign);
        }
        self.decimal = sign;
        Some(value)
    }

    /// Settles the meaning of points that may separate thousands or fractions, once the decimal sign is known.
    fn settle_points(&mut self, sign: DecimalSign) {
        let pointed = std::mem::take(&mut self.pointed);
        if sign == DecimalSign::Comma {
            self.has_groups |= !pointed.is_empty();
            for row in pointed {
                let value = &mut self.values[row as usize];
                *value = libm::round(*value * 1000.0);
            }
        }
    }

    /// `None` if the unit of a number differs from that of the numbers of the column so far.
    fn agree_on_unit(&mut self, unit: Unit) -> Option<()> {
        (*self.unit.get_or_insert(unit) == unit).then_some(())
    }

    /// Decimal sign that the cells of the column prove; `None` if they prove none. The point of a number in the spelling
    /// of programs, without a unit, is a decimal sign unless a cell proves another one, so that the column keeps its hash.
    pub fn proven_sign(&self) -> Option<DecimalSign> {
        let is_plain = self.unit == Some(Unit::None) && !self.pointed.is_empty();
        self.decimal.or(is_plain.then_some(DecimalSign::Point))
    }

    /// Settles the meaning of commas and points that may separate thousands or fractions; `usual` holds where the column
    /// proves none. Returns the spelling of the numbers of the column.
    pub fn settle(&mut self, usual: DecimalSign) -> NumberForm {
        let sign = self.proven_sign().unwrap_or(usual);
        self.settle_points(sign);
        let has_commas = sign == DecimalSign::Comma && (self.decimal.is_some() || !self.ambiguous.is_empty());
        if has_commas {
            for row in &self.ambiguous {
                self.values[*row as usize] /= 1000.0;
            }
        }
        let has_groups = self.has_groups || !has_commas && !self.ambiguous.is_empty();
        self.ambiguous = vec![];
        NumberForm { has_decimal_commas: has_commas, has_groups, unit: self.unit.unwrap_or(Unit::None) }
    }

    /// Whether a number was read and no text.
    pub fn has_numbers(&self) -> bool {
        self.word.is_none() && self.values.len() > self.missing + self.odd
    }

    /// Whether the column, of which `rows` rows were read, has so few values or so many malformed ones that it is no
    /// column of numbers.
    pub fn is_text(&self, rows: usize) -> bool {
        self.word.is_some()
            || self.missing + self.odd == rows
            || self.malformed > 1.max((MAX_MALFORMED_SHARE * rows as f64) as usize)
    }
}

/// Whether the only point of a number may separate thousands: three digits follow it, and one to three, which do not begin
/// with 0, precede it.
fn has_thousands_point(cell: &str) -> bool {
    let number = cell.trim_matches(|sign: char| !sign.is_ascii_digit());
    number.split_once('.').is_some_and(|(whole, rest)| {
        (1..=3).contains(&whole.len())
            && !whole.starts_with('0')
            && rest.len() == 3
            && whole.bytes().chain(rest.bytes()).all(|byte| byte.is_ascii_digit())
    })
}

/// Texts of the label column of a CSV file, stored one after the other in one string.
#[derive(Default)]
pub(super) struct LabelTexts {
    /// Label texts of all rows of the file, one after the other without separators.
    text: String,
    /// For each row, the position in bytes at which its text in `text` ends.
    ends: Vec<u32>,
}

impl LabelTexts {
    /// Adds the text that the label column has in the next row of the file.
    pub fn push_text(&mut self, cell: &str) {
        self.text.push_str(cell);
        // A file has fewer bytes.
        self.ends.push(self.text.len() as u32);
    }

    /// Number of rows of the file whose label texts are stored.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Label text of the row with index `row`, counted from 0.
    pub fn text_of(&self, row: usize) -> &str {
        let begin = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[begin as usize..self.ends[row] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The column with these cells.
    fn column(cells: &[&str]) -> CellColumn {
        let mut column = CellColumn::default();
        for (at, cell) in cells.iter().enumerate() {
            column.push_cell(cell, at as u64 + 2, ReadingRules::Current);
        }
        column
    }

    #[test]
    fn a_spelling_is_that_of_the_whole_column() {
        let settled = |cells: &[&str], usual| {
            let mut column = column(cells);
            let form = column.settle(usual);
            (column.values.clone(), form.has_decimal_commas, form.has_groups, column.odd)
        };
        let (point, comma) = (DecimalSign::Point, DecimalSign::Comma);
        assert_eq!(settled(&["1", "2.5"], comma), (vec![1.0, 2.5], false, false, 0));
        assert_eq!(settled(&["1,234", "999"], point), (vec![1234.0, 999.0], false, true, 0));
        assert_eq!(settled(&["1.5", "1,234"], comma), (vec![1.5, 1234.0], false, true, 0));
        assert_eq!(settled(&["1,234", "999"], comma), (vec![1.234, 999.0], true, false, 0));
        assert_eq!(settled(&["1,234", "1,5"], point), (vec![1.234, 1.5], true, false, 0));
        assert_eq!(settled(&["1,5", "1,234"], point), (vec![1.5, 1.234], true, false, 0));
        assert_eq!(settled(&["1,234", "1,234,567"], comma), (vec![1234.0, 1_234_567.0], false, true, 0));
        assert_eq!(settled(&["1.234,5", "1.234"], point), (vec![1234.5, 1234.0], true, true, 0));
        // Points between thousands are recognised by a later cell.
        assert_eq!(settled(&["1.234", "1.234,5"], point), (vec![1234.0, 1234.5], true, true, 0));
        let whole = vec![12_345.0, 1_234_567.0, 1001.0, 999.0];
        assert_eq!(settled(&["12.345", "1.234.567", "1.001", "999"], point), (whole, true, true, 0));
        assert_eq!(settled(&["1.234", "2.5"], comma), (vec![1.234, 2.5], false, false, 0));
        assert_eq!(settled(&["1.234", "999"], comma), (vec![1.234, 999.0], false, false, 0));
        assert_eq!(settled(&["€ 1.234", "€ 999"], comma), (vec![1234.0, 999.0], false, true, 0));
        assert_eq!(settled(&["€ 1.234", "€ 999"], point), (vec![1.234, 999.0], false, false, 0));
        // No group of digits begins with 0.
        assert_eq!(column(&["0,5", "0.125"]).odd, 1);
        let mixed = column(&["1.5", "2.5", "3,5"]);
        assert_eq!((mixed.odd, mixed.odd_cells[0].text.as_str(), mixed.odd_cells[0].line), (1, "3,5", 4));
        assert_eq!(column(&["5 %", "6 %", "7"]).odd, 1);
        assert_eq!(column(&["$5", "$1,000", "€7"]).odd, 1);
        let words = column(&["1", "word", "other"]);
        let word = OddCell { line: 3, text: "word".into() };
        assert_eq!(words.word, Some(word));
        let dates = column(&["2020-01-02", "2020-01-03", "7"]);
        assert!(dates.is_text(3));
    }

    #[test]
    fn the_first_rules_read_no_signs() {
        for cell in ["1,234", "5 %", "-", "1.2.3"] {
            let mut column = CellColumn::default();
            column.push_cell(cell, 2, ReadingRules::First);
            assert!(column.word.is_some(), "{cell}");
        }
    }
}
