//! Tables as columns: those of a run's measurements, and those of a sweep's file.

use vivarium_model::protocol::Row;
use vivarium_model::tasks::Measures;
use vivarium_view::record;

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Steps, seeds and counts.
    U64(Vec<u64>),
    /// Measurements.
    F32(Vec<f32>),
    /// Settings.
    F64(Vec<f64>),
    /// Words: all of them as one text, and where each ends. The first entry is 0.
    Text {
        /// One more than there are words.
        ends: Vec<i32>,
        /// The words, one after the other.
        letters: Vec<u8>,
    },
}

impl Values {
    /// A column of words.
    pub fn text<'a>(words: impl Iterator<Item = &'a str>) -> Values {
        let (mut ends, mut letters) = (vec![0], vec![]);
        for word in words {
            letters.extend_from_slice(word.as_bytes());
            ends.push(letters.len() as i32);
        }
        Values::Text { ends, letters }
    }

    /// What these cells of a file are: whole numbers, numbers or words.
    fn read(cells: &[&str]) -> Values {
        let whole: Option<Vec<u64>> = cells.iter().map(|cell| cell.parse().ok()).collect();
        let real = || cells.iter().map(|cell| cell.parse().ok()).collect::<Option<Vec<f64>>>();
        match whole {
            Some(values) => Values::U64(values),
            None => real().map_or_else(|| Values::text(cells.iter().copied()), Values::F64),
        }
    }

    fn len(&self) -> usize {
        match self {
            Values::U64(values) => values.len(),
            Values::F32(values) => values.len(),
            Values::F64(values) => values.len(),
            Values::Text { ends, .. } => ends.len() - 1,
        }
    }

    /// The words, if it is a column of words.
    pub fn words(&self) -> Option<Vec<String>> {
        let Values::Text { ends, letters } = self else { return None };
        let word = |pair: &[i32]| letters.get(pair[0] as usize..pair[1] as usize).unwrap_or_default();
        Some(ends.windows(2).map(|pair| String::from_utf8_lossy(word(pair)).into_owned()).collect())
    }
}

/// A column with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name for a program.
    pub name: String,
    /// Its values.
    pub values: Values,
}

/// Columns of the same length.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns(Vec<Column>);

impl Columns {
    /// These.
    pub fn new(columns: Vec<Column>) -> Columns {
        Columns(columns)
    }

    /// A run's measurements as the command line's CSV has them: a row for each measurement and replica.
    pub fn of_rows(measures: &Measures, rows: &[Row]) -> Columns {
        let replicas = || rows.iter().map(|row| row.test_loss.len());
        let steps = rows.iter().zip(replicas()).flat_map(|(row, count)| std::iter::repeat_n(row.step, count));
        let numbers = replicas().flat_map(|count| 0..count as u64);
        let column = |name: &str, values| Column { name: name.into(), values };
        let mut columns = vec![
            column("step", Values::U64(steps.collect())),
            column("replica", Values::U64(numbers.collect())),
        ];
        for measure in record::columns(measures, rows.iter()) {
            // A measurement that a row lacks is not a number.
            let of = |row: &Row| {
                let values = measure.of(row);
                (0..row.test_loss.len())
                    .map(|replica| values.get(replica).copied().unwrap_or(f32::NAN))
                    .collect::<Vec<_>>()
            };
            columns.push(column(&measure.key, Values::F32(rows.iter().flat_map(of).collect())));
        }
        Columns(columns)
    }

    /// What stands in the CSV file of a sweep: comments, the names of the columns, and a line for each network.
    ///
    /// # Errors
    /// When its lines are of different lengths.
    pub fn of_csv(text: &str) -> Result<Columns, csv::Error> {
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
        let names = reader.headers()?.clone();
        let lines: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>()?;
        let column = |(at, name): (usize, &str)| {
            let cells: Vec<&str> = lines.iter().filter_map(|line| line.get(at)).collect();
            Column { name: name.into(), values: Values::read(&cells) }
        };
        Ok(Columns(names.iter().enumerate().map(column).collect()))
    }

    /// The columns, in order.
    pub fn all(&self) -> &[Column] {
        &self.0
    }

    /// The column of that name.
    pub fn find(&self, name: &str) -> Option<&Column> {
        self.0.iter().find(|column| column.name == name)
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.0.first().map_or(0, |column| column.values.len())
    }
}
