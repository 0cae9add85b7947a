//! Reading a file apart from the page: the job, what comes of it, and the messages by which that travels.
//!
//! # Why
//! A large file takes seconds and hundreds of megabytes, and the memory of a WebAssembly program never shrinks. So a page
//! has a file read by a worker that is ended afterwards, and gets the few numbers that it shows. Small files, and those
//! of the command line, are read where they are; the code is the same.

use std::io::Read;

use serde::{Deserialize, Serialize};

use super::dataset::{self, Dataset};
use super::head::{Kind, unmarked};
use super::read::{Form, Raw};
use super::{FileError, weights};
use vivarium_core::language::Table;
use vivarium_model::protocol::{Payload, Row};

/// What is to be read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// What it is.
    pub kind: Kind,
    /// Bytes that it has.
    pub size: u64,
    /// Which column of a table is its label, if that was chosen.
    pub label: Option<usize>,
    /// Largest number of measurements to keep: at this number every second measurement is dropped, each time again.
    pub most_rows: usize,
    /// The reader's language, for the sentences about the file.
    pub texts: Option<Table>,
}

impl Job {
    /// All of a file of this kind and size.
    pub fn new(kind: Kind, size: u64) -> Job {
        Job { kind, size, label: None, most_rows: usize::MAX, texts: None }
    }
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// A run that has not been compared with its link yet.
    Run(Box<Raw>),
    /// Weights that are all finite; the header has not been compared with its link yet.
    Weights(Vec<u8>),
    /// A table.
    Table(Box<Dataset>),
}

/// Reads a file from its beginning to its end.
///
/// # Errors
/// The first [`FileError`] that is found.
pub fn read(job: &Job, mut source: impl Read) -> Result<Found, FileError> {
    match job.kind {
        Kind::Run { replicas } => {
            // A mark that some editors put before a text.
            let mut mark = Vec::with_capacity(3);
            source.by_ref().take(3).read_to_end(&mut mark).map_err(|_| FileError::Unreadable)?;
            let mut raw = Raw::default();
            let form = Form { replicas, most_rows: job.most_rows };
            raw.read(&mut unmarked(&mark).chain(source), &form)?;
            Ok(Found::Run(Box::new(raw)))
        }
        Kind::Weights => {
            // Its size is below the limit for files; one byte more shows that the file has grown.
            let mut bytes = Vec::with_capacity(job.size as usize);
            let all = source.take(job.size.saturating_add(1)).read_to_end(&mut bytes);
            all.map_err(|_| FileError::Unreadable)?;
            if bytes.len() as u64 != job.size {
                return Err(FileError::Unreadable);
            }
            weights::finite(&bytes)?;
            Ok(Found::Weights(bytes))
        }
        Kind::Table => dataset::read_from(source, job.label).map(|table| Found::Table(Box::new(table))),
    }
}

/// What a worker says of a file that it reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FileEvent {
    /// So much of it is read, from 0 to 1.
    Progress(f64),
    /// Measurements of a run, which come before the run: the payload has them.
    Rows,
    /// The rest of the run.
    Run(Box<Raw>),
    /// Weights: the payload is the file.
    Weights,
    /// A table, whose numbers are the payload.
    Table(Box<Dataset>),
    /// It is not taken, for this reason.
    Refused(String),
}

/// Most numbers in one message of measurements: a few milliseconds of whoever gets it.
const MOST_NUMBERS: usize = 1 << 18;

impl FileEvent {
    /// The messages that say what was found.
    pub fn of(found: Result<Found, FileError>) -> Vec<(FileEvent, Payload)> {
        match found {
            Err(flaw) => vec![(FileEvent::Refused(flaw.to_string()), Payload::Empty)],
            Ok(Found::Run(mut raw)) => {
                let mut messages = vec![];
                let (mut bytes, mut numbers) = (vec![], 0);
                for row in raw.take_rows() {
                    numbers += packed(&row, &mut bytes);
                    if numbers > MOST_NUMBERS {
                        messages.push((FileEvent::Rows, Payload::Bytes(std::mem::take(&mut bytes))));
                        numbers = 0;
                    }
                }
                messages.push((FileEvent::Rows, Payload::Bytes(bytes)));
                messages.push((FileEvent::Run(raw), Payload::Empty));
                messages
            }
            Ok(Found::Weights(bytes)) => vec![(FileEvent::Weights, Payload::Bytes(bytes))],
            Ok(Found::Table(mut table)) => {
                let numbers = std::mem::take(&mut table.table).into_numbers();
                vec![(FileEvent::Table(table), Payload::Numbers(numbers))]
            }
        }
    }
}

/// What has come of a file that a worker reads.
#[derive(Debug, Default)]
pub struct Received {
    rows: Vec<Row>,
}

/// What there is to tell of a file that is being read.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// So much of it is read, from 0 to 1.
    Progress(f64),
    /// It has been read, or is not taken, for this reason.
    Done(Result<Found, String>),
}

impl Received {
    /// Takes a message; what there is to tell after it.
    pub fn take(&mut self, event: FileEvent, payload: Payload) -> Option<News> {
        let broken = || Err(tr!("the contents of the file did not reach the page").to_string());
        let found = match (event, payload) {
            (FileEvent::Progress(share), _) => return Some(News::Progress(share)),
            (FileEvent::Refused(why), _) => Err(why),
            (FileEvent::Rows, Payload::Bytes(bytes)) => {
                match unpacked(&bytes) {
                    Some(rows) => self.rows.extend(rows),
                    None => return Some(News::Done(broken())),
                }
                return None;
            }
            (FileEvent::Run(raw), _) => {
                Ok(Found::Run(Box::new(raw.with_rows(std::mem::take(&mut self.rows)))))
            }
            (FileEvent::Weights, Payload::Bytes(bytes)) => Ok(Found::Weights(bytes)),
            (FileEvent::Table(table), Payload::Numbers(numbers)) => {
                table.with_numbers(numbers).map(|table| Found::Table(Box::new(table))).map_or_else(broken, Ok)
            }
            _ => broken(),
        };
        Some(News::Done(found))
    }
}

/// Appends a measurement, as the other side reads it with [`unpacked`]; how many numbers it has.
fn packed(row: &Row, bytes: &mut Vec<u8>) -> usize {
    let Row { step, train_loss, train_accuracy, test_loss, test_accuracy, margin, measures } = row;
    bytes.extend(step.to_le_bytes());
    bytes.extend((measures.len() as u32).to_le_bytes());
    let lists = [train_loss, train_accuracy, test_loss, test_accuracy, margin];
    let mut count = 0;
    for list in lists.into_iter().chain(measures) {
        bytes.extend((list.len() as u32).to_le_bytes());
        list.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        count += list.len();
    }
    count
}

/// The measurements in these bytes; none where they are something else.
fn unpacked(mut bytes: &[u8]) -> Option<Vec<Row>> {
    fn word<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
        bytes.split_off(..count)
    }
    fn count(bytes: &mut &[u8]) -> Option<usize> {
        Some(u32::from_le_bytes(word(bytes, 4)?.try_into().ok()?) as usize)
    }
    fn list(bytes: &mut &[u8]) -> Option<Vec<f32>> {
        let count = count(bytes)?;
        let numbers = word(bytes, count.checked_mul(4)?)?;
        Some(numbers.as_chunks::<4>().0.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }
    let mut rows = vec![];
    while !bytes.is_empty() {
        let step = u64::from_le_bytes(word(&mut bytes, 8)?.try_into().ok()?);
        let further = count(&mut bytes)?;
        let mut row = Row {
            step,
            train_loss: list(&mut bytes)?,
            train_accuracy: list(&mut bytes)?,
            test_loss: list(&mut bytes)?,
            test_accuracy: list(&mut bytes)?,
            margin: list(&mut bytes)?,
            measures: vec![],
        };
        for _ in 0..further {
            row.measures.push(list(&mut bytes)?);
        }
        rows.push(row);
    }
    Some(rows)
}
