//! Reading a file in a worker: the order, the contents, and the messages that transfer them to the page.
//!
//! # Why
//! A large file takes seconds and hundreds of megabytes, and the memory of a WebAssembly program never shrinks. So a page
//! has a file read by a worker that is ended afterwards, and gets the few numbers that it shows. Small files, and those
//! of the command line, are read where they are; the code is the same.

use std::io::Read;

use serde::{Deserialize, Serialize};

use super::dataset::{self, Dataset, RefusedTable, TableChoices};
use super::head::{FileKind, strip_bom};
use super::read::{RawRun, ReadOptions};
use super::{FileError, weights};
use vivarium_core::language::TranslationTable;
use vivarium_model::protocol::{Measurement, Payload};

/// Order to read a file that the user opened, sent from the page to a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadJob {
    /// Kind of the file to read: a run, weights or a table.
    pub kind: FileKind,
    /// Size in bytes of the file to read.
    pub size: u64,
    /// Choices of the user on how a CSV table is read.
    pub choices: TableChoices,
    /// Number of the table that a link expects in a CSV file; the file is read by other choices if these give another
    /// table. `None` if any table will do.
    pub expected_table: Option<u64>,
    /// Number of kept measurements of a run at which every second one is dropped; this repeats while the file is read.
    pub most_rows: usize,
    /// Translations of the program's texts, so that error messages are in the reader's language; `None` for English.
    pub texts: Option<TranslationTable>,
}

impl ReadJob {
    /// Order to read a whole file of this kind and size in bytes, without thinning, with the label chosen by name and
    /// messages in English.
    pub fn new(kind: FileKind, size: u64) -> ReadJob {
        ReadJob {
            kind,
            size,
            choices: TableChoices::default(),
            expected_table: None,
            most_rows: usize::MAX,
            texts: None,
        }
    }
}

/// Contents of a file that a worker has read: a run, weights or a table.
#[derive(Debug, Clone, PartialEq)]
pub enum FileContents {
    /// A run, not yet compared with its link.
    Run(Box<RawRun>),
    /// Bytes of a checkpoint with finite weights, whose header is not yet compared with its link.
    Weights(Vec<u8>),
    /// A table to train on.
    Table(Box<Dataset>),
    /// A table that cannot be used with this column as the label.
    RefusedTable(Box<RefusedTable>),
}

impl FileContents {
    /// Contents of a file for the page, which lets the user choose another label for a refused table; other errors become
    /// sentences.
    pub fn for_page(found: Result<FileContents, FileError>) -> Result<FileContents, String> {
        match found {
            Err(FileError::Label(refused)) => Ok(FileContents::RefusedTable(refused)),
            found => found.map_err(|flaw| flaw.to_string()),
        }
    }
}

/// Reads a file from `source`, of the kind given in `job`.
///
/// # Errors
/// The first [`FileError`] that is found.
pub fn read(job: &ReadJob, mut source: impl Read) -> Result<FileContents, FileError> {
    match job.kind {
        FileKind::Run { replicas } => {
            // A mark that some editors put before a text.
            let mut mark = Vec::with_capacity(3);
            source.by_ref().take(3).read_to_end(&mut mark).map_err(|_| FileError::Unreadable)?;
            let mut raw = RawRun::default();
            let form = ReadOptions { replicas, max_rows: job.most_rows };
            raw.read(&mut strip_bom(&mark).chain(source), &form)?;
            Ok(FileContents::Run(Box::new(raw)))
        }
        FileKind::Weights => {
            // Its size is below the limit for files; one byte more shows that the file has grown.
            let mut bytes = Vec::with_capacity(job.size as usize);
            let all = source.take(job.size.saturating_add(1)).read_to_end(&mut bytes);
            all.map_err(|_| FileError::Unreadable)?;
            if bytes.len() as u64 != job.size {
                return Err(FileError::Unreadable);
            }
            weights::check_finite(&bytes)?;
            Ok(FileContents::Weights(bytes))
        }
        FileKind::Table => {
            dataset::read_with(source, &job.choices).map(|table| FileContents::Table(Box::new(table)))
        }
    }
}

/// Reads a file as [`read`] does. If the job expects another table than its choices give, the file is read by other
/// choices, too, until one gives the expected table; if none does, the first result counts. `open` opens the file at its
/// beginning.
///
/// # Errors
/// The first [`FileError`] that is found.
pub fn read_expected<R: Read>(
    job: &ReadJob,
    mut open: impl FnMut() -> Result<R, FileError>,
) -> Result<FileContents, FileError> {
    let first = read(job, open()?);
    let Some(expected) = job.expected_table.filter(|_| job.kind == FileKind::Table) else { return first };
    let is_expected = |found: &Result<FileContents, FileError>| matches!(found, Ok(FileContents::Table(table)) if table.number == expected);
    if is_expected(&first) {
        return first;
    }
    for choices in job.choices.variants().into_iter().skip(1) {
        let other = read(&ReadJob { choices, texts: None, ..*job }, open()?);
        if is_expected(&other) {
            return other;
        }
    }
    first
}

/// Message from a worker to the page about the file that the worker reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FileEvent {
    /// Fraction of the file that has been read, from 0 to 1.
    Progress(f64),
    /// Measurements of a run, in the payload; sent before [`FileEvent::Run`].
    Rows,
    /// The run without its measurements.
    Run(Box<RawRun>),
    /// Weights; the payload is the whole file.
    Weights,
    /// A table, whose numbers are the payload.
    Table(Box<Dataset>),
    /// A table that cannot be used with its label.
    RefusedTable(Box<RefusedTable>),
    /// The file cannot be used, for this reason.
    Refused(String),
}

/// Largest number of values in one message of measurements, which the receiver unpacks in a few milliseconds.
const MAX_MESSAGE_NUMBERS: usize = 1 << 18;

impl FileEvent {
    /// Messages that transfer the contents of a file, or the error, to the page.
    pub fn messages(found: Result<FileContents, FileError>) -> Vec<(FileEvent, Payload)> {
        match FileContents::for_page(found) {
            Err(why) => vec![(FileEvent::Refused(why), Payload::Empty)],
            Ok(FileContents::RefusedTable(refused)) => {
                vec![(FileEvent::RefusedTable(refused), Payload::Empty)]
            }
            Ok(FileContents::Run(mut raw)) => {
                let mut messages = vec![];
                let (mut bytes, mut numbers) = (vec![], 0);
                for row in raw.take_rows() {
                    numbers += pack_row(&row, &mut bytes);
                    if numbers > MAX_MESSAGE_NUMBERS {
                        messages.push((FileEvent::Rows, Payload::Bytes(std::mem::take(&mut bytes))));
                        numbers = 0;
                    }
                }
                messages.push((FileEvent::Rows, Payload::Bytes(bytes)));
                messages.push((FileEvent::Run(raw), Payload::Empty));
                messages
            }
            Ok(FileContents::Weights(bytes)) => vec![(FileEvent::Weights, Payload::Bytes(bytes))],
            Ok(FileContents::Table(mut table)) => {
                let numbers = std::mem::take(&mut table.table).into_floats();
                vec![(FileEvent::Table(table), Payload::Numbers(numbers))]
            }
        }
    }
}

/// Assembles the contents of a file from the messages of a worker.
#[derive(Debug, Default)]
pub struct FileReceiver {
    /// Measurements of the run's file that the worker has sent so far.
    rows: Vec<Measurement>,
}

/// Progress of reading a file, as the page shows it.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadProgress {
    /// Fraction of the file that has been read, from 0 to 1.
    Progress(f64),
    /// The contents of the file, or the reason why it cannot be used.
    Done(Result<FileContents, String>),
}

impl FileReceiver {
    /// Handles a message of the worker that reads the file; `None` if the page has nothing to show after it.
    pub fn receive(&mut self, event: FileEvent, payload: Payload) -> Option<ReadProgress> {
        let broken = || Err(tr!("the contents of the file did not reach the page").to_string());
        let found = match (event, payload) {
            (FileEvent::Progress(share), _) => return Some(ReadProgress::Progress(share)),
            (FileEvent::Refused(why), _) => Err(why),
            (FileEvent::RefusedTable(refused), _) => Ok(FileContents::RefusedTable(refused)),
            (FileEvent::Rows, Payload::Bytes(bytes)) => {
                match unpack_rows(&bytes) {
                    Some(rows) => self.rows.extend(rows),
                    None => return Some(ReadProgress::Done(broken())),
                }
                return None;
            }
            (FileEvent::Run(raw), _) => {
                Ok(FileContents::Run(Box::new(raw.with_rows(std::mem::take(&mut self.rows)))))
            }
            (FileEvent::Weights, Payload::Bytes(bytes)) => Ok(FileContents::Weights(bytes)),
            (FileEvent::Table(table), Payload::Numbers(numbers)) => table
                .with_numbers(numbers)
                .map(|table| FileContents::Table(Box::new(table)))
                .map_or_else(broken, Ok),
            _ => broken(),
        };
        Some(ReadProgress::Done(found))
    }
}

/// Appends a measurement in the binary form that [`unpack_rows`] reads; returns how many numbers its lists contain.
fn pack_row(row: &Measurement, bytes: &mut Vec<u8>) -> usize {
    let Measurement { step, train_loss, train_accuracy, test_loss, test_accuracy, margin, measures } = row;
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

/// Unpacks measurements from the binary form that [`pack_row`] writes; `None` if the bytes are invalid.
fn unpack_rows(mut bytes: &[u8]) -> Option<Vec<Measurement>> {
    /// Takes `count` bytes from the front of the packed measurements; `None` if fewer are left.
    fn take_bytes<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
        bytes.split_off(..count)
    }
    /// Takes the length of a list from the front of the packed measurements; `None` if too few bytes are left.
    fn take_count(bytes: &mut &[u8]) -> Option<usize> {
        Some(u32::from_le_bytes(take_bytes(bytes, 4)?.try_into().ok()?) as usize)
    }
    /// Takes a list of numbers, with its length before it, from the front of the packed measurements; `None` if the
    /// bytes are invalid.
    fn take_list(bytes: &mut &[u8]) -> Option<Vec<f32>> {
        let count = take_count(bytes)?;
        let numbers = take_bytes(bytes, count.checked_mul(4)?)?;
        Some(numbers.as_chunks::<4>().0.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }
    let mut rows = vec![];
    while !bytes.is_empty() {
        let step = u64::from_le_bytes(take_bytes(&mut bytes, 8)?.try_into().ok()?);
        let further = take_count(&mut bytes)?;
        let mut row = Measurement {
            step,
            train_loss: take_list(&mut bytes)?,
            train_accuracy: take_list(&mut bytes)?,
            test_loss: take_list(&mut bytes)?,
            test_accuracy: take_list(&mut bytes)?,
            margin: take_list(&mut bytes)?,
            measures: vec![],
        };
        for _ in 0..further {
            row.measures.push(take_list(&mut bytes)?);
        }
        rows.push(row);
    }
    Some(rows)
}
