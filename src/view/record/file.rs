//! Telling the files of a run apart.

use super::head::{HEAD, Kind, MOST_RUN, look, unmarked};
use super::read::{Form, Raw};
use super::reading::{Found, Job, read};
use super::weights::Header;
use super::{FileError, Record};

/// What a file turns out to be.
#[derive(Debug, Clone, PartialEq)]
pub enum File {
    /// A run's JSON.
    Run(Box<Record>),
    /// A run's weights.
    Weights(Box<Header>),
}

impl File {
    /// Recognises a file by its first bytes, whatever it is called, and reads it.
    ///
    /// # Errors
    /// The first [`FileError`] that is found.
    pub fn read(bytes: &[u8]) -> Result<File, FileError> {
        let size = bytes.len() as u64;
        let kind = look("", size, &bytes[..bytes.len().min(HEAD)])?;
        match read(&Job::new(kind, size), bytes)? {
            Found::Run(raw) => raw.check().map(|record| File::Run(Box::new(record))),
            Found::Weights(bytes) => {
                Header::check(&bytes, size).map(|header| File::Weights(Box::new(header)))
            }
            // A table is one by its name.
            Found::Table(_) => Err(FileError::Unknown),
        }
    }
}

impl Record {
    /// Reads a file that [`Record::to_json`] wrote.
    ///
    /// # Errors
    /// The first [`FileError`] that is found.
    pub fn parse(bytes: &[u8]) -> Result<Record, FileError> {
        if bytes.len() as u64 > MOST_RUN {
            return Err(FileError::TooLarge(bytes.len() as u64 >> 20, MOST_RUN >> 20));
        }
        if unmarked(bytes).trim_ascii().is_empty() {
            return Err(FileError::Empty);
        }
        let head = &bytes[..bytes.len().min(HEAD)];
        let replicas = match look("", bytes.len() as u64, head) {
            Ok(Kind::Run { replicas }) => replicas,
            Err(FileError::Unknown | FileError::Table) | Ok(_) => None,
            Err(flaw) => return Err(flaw),
        };
        let mut raw = Raw::default();
        raw.read(&mut unmarked(bytes), &Form { replicas, most_rows: usize::MAX })?;
        raw.check()
    }
}
