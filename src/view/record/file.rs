//! Reading the files of a run, whose kind is recognised by their first bytes.

use super::head::{FileKind, HEAD_BYTES, MAX_RUN_BYTES, detect_kind, strip_bom};
use super::read::{RawRun, ReadOptions};
use super::reading::{FileContents, ReadJob, read};
use super::weights::CheckpointHeader;
use super::{FileError, Record};

/// A file of a run: measurements as JSON, or weights.
#[derive(Debug, Clone, PartialEq)]
pub enum RunFile {
    /// Settings and measurements, from JSON.
    Run(Box<Record>),
    /// Header of a checkpoint with the run's weights.
    Weights(Box<CheckpointHeader>),
}

impl RunFile {
    /// Recognises the kind of a file by its first bytes and reads it; the file name does not matter.
    ///
    /// # Errors
    /// The first [`FileError`] that is found.
    pub fn read(bytes: &[u8]) -> Result<RunFile, FileError> {
        let size = bytes.len() as u64;
        let kind = detect_kind("", size, &bytes[..bytes.len().min(HEAD_BYTES)])?;
        match read(&ReadJob::new(kind, size), bytes)? {
            FileContents::Run(raw) => raw.check().map(|record| RunFile::Run(Box::new(record))),
            FileContents::Weights(bytes) => {
                CheckpointHeader::check(&bytes, size).map(|header| RunFile::Weights(Box::new(header)))
            }
            // A table is one by its name.
            FileContents::Table(_) | FileContents::RefusedTable(_) => Err(FileError::Unknown),
        }
    }
}

impl Record {
    /// Reads a run from JSON written by [`Record::to_json`].
    ///
    /// # Errors
    /// The first [`FileError`] that is found.
    pub fn parse(bytes: &[u8]) -> Result<Record, FileError> {
        if bytes.len() as u64 > MAX_RUN_BYTES {
            return Err(FileError::TooLarge(bytes.len() as u64 >> 20, MAX_RUN_BYTES >> 20));
        }
        if strip_bom(bytes).trim_ascii().is_empty() {
            return Err(FileError::Empty);
        }
        let head = &bytes[..bytes.len().min(HEAD_BYTES)];
        let replicas = match detect_kind("", bytes.len() as u64, head) {
            Ok(FileKind::Run { replicas }) => replicas,
            Err(FileError::Unknown | FileError::Table) | Ok(_) => None,
            Err(flaw) => return Err(flaw),
        };
        let mut raw = RawRun::default();
        raw.read(&mut strip_bom(bytes), &ReadOptions { replicas, max_rows: usize::MAX })?;
        raw.check()
    }
}
