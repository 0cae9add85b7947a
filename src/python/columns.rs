//! Tables as columns: the measurements of a run, and the results in the file of a sweep.

use vivarium_model::protocol::Measurement;
use vivarium_model::tasks::MeasureNames;
use vivarium_view::record;

/// The values of a column, one per row.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnValues {
    /// Steps, seeds and counts.
    U64(Vec<u64>),
    /// Measurements.
    F32(Vec<f32>),
    /// Settings.
    F64(Vec<f64>),
    /// Words, concatenated.
    Text {
        /// For each word the offset of its end in `letters`, in bytes, after a leading 0.
        ends: Vec<i32>,
        /// The words in UTF-8, without separators.
        letters: Vec<u8>,
    },
}

impl ColumnValues {
    /// A column of words, one per row.
    pub fn from_words<'a>(words: impl Iterator<Item = &'a str>) -> ColumnValues {
        let (mut ends, mut letters) = (vec![0], vec![]);
        for word in words {
            letters.extend_from_slice(word.as_bytes());
            ends.push(letters.len() as i32);
        }
        ColumnValues::Text { ends, letters }
    }

    /// Parses the cells of a CSV column: as whole numbers if all are whole, else as numbers if all are
    /// numbers, else as words.
    fn parse(cells: &[&str]) -> ColumnValues {
        let whole: Option<Vec<u64>> = cells.iter().map(|cell| cell.parse().ok()).collect();
        let real = || cells.iter().map(|cell| cell.parse().ok()).collect::<Option<Vec<f64>>>();
        match whole {
            Some(values) => ColumnValues::U64(values),
            None => real().map_or_else(|| ColumnValues::from_words(cells.iter().copied()), ColumnValues::F64),
        }
    }

    /// Number of values of the column, which is the number of rows of its table.
    fn len(&self) -> usize {
        match self {
            ColumnValues::U64(values) => values.len(),
            ColumnValues::F32(values) => values.len(),
            ColumnValues::F64(values) => values.len(),
            ColumnValues::Text { ends, .. } => ends.len() - 1,
        }
    }

    /// The words of a text column, one per row; `None` for a column of numbers.
    pub fn words(&self) -> Option<Vec<String>> {
        let ColumnValues::Text { ends, letters } = self else { return None };
        let word = |pair: &[i32]| letters.get(pair[0] as usize..pair[1] as usize).unwrap_or_default();
        Some(ends.windows(2).map(|pair| String::from_utf8_lossy(word(pair)).into_owned()).collect())
    }
}

/// A named column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Name of the column, as in the CSV files of `lab run` and `lab sweep`.
    pub name: String,
    /// Values of the column, one for each row of the table.
    pub values: ColumnValues,
}

/// A table of measurements or results: named columns of equal length.
#[derive(Debug, Clone, PartialEq)]
pub struct DataColumns(Vec<Column>);

impl DataColumns {
    /// A table with these columns, which must have equal length.
    pub fn new(columns: Vec<Column>) -> DataColumns {
        DataColumns(columns)
    }

    /// The table of a run's measurements, as in the command line's CSV: one row per measurement and replica.
    pub fn from_measurements(measures: &MeasureNames, rows: &[Measurement]) -> DataColumns {
        let replicas = || rows.iter().map(|row| row.test_loss.len());
        let steps = rows.iter().zip(replicas()).flat_map(|(row, count)| std::iter::repeat_n(row.step, count));
        let numbers = replicas().flat_map(|count| 0..count as u64);
        let column = |name: &str, values| Column { name: name.into(), values };
        let mut columns = vec![
            column("step", ColumnValues::U64(steps.collect())),
            column("replica", ColumnValues::U64(numbers.collect())),
        ];
        for measure in record::list_columns(measures, rows.iter()) {
            // A measurement that a row lacks is not a number.
            let of = |row: &Measurement| {
                let values = measure.values(row);
                (0..row.test_loss.len())
                    .map(|replica| values.get(replica).copied().unwrap_or(f32::NAN))
                    .collect::<Vec<_>>()
            };
            columns.push(column(&measure.key, ColumnValues::F32(rows.iter().flat_map(of).collect())));
        }
        DataColumns(columns)
    }

    /// Parses the CSV file of a sweep: lines with `#` are comments, and each other line is one network.
    ///
    /// # Errors
    /// When its lines are of different lengths.
    pub fn parse_csv(text: &str) -> Result<DataColumns, csv::Error> {
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
        let names = reader.headers()?.clone();
        let lines: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>()?;
        let column = |(at, name): (usize, &str)| {
            let cells: Vec<&str> = lines.iter().filter_map(|line| line.get(at)).collect();
            Column { name: name.into(), values: ColumnValues::parse(&cells) }
        };
        Ok(DataColumns(names.iter().enumerate().map(column).collect()))
    }

    /// The columns of the table, in order.
    pub fn columns(&self) -> &[Column] {
        &self.0
    }

    /// The column with the name `name`; `None` if the table has none.
    pub fn find(&self, name: &str) -> Option<&Column> {
        self.0.iter().find(|column| column.name == name)
    }

    /// Number of rows of the table.
    pub fn row_count(&self) -> usize {
        self.0.first().map_or(0, |column| column.values.len())
    }
}
