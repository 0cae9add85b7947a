//! Telling the files of a run apart.

use super::weights::{Header, looks_so};
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
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        match text.first() {
            None => Err(FileError::Empty),
            _ if looks_so(bytes) => Header::read(bytes).map(|header| File::Weights(Box::new(header))),
            Some(b'{' | b'[') => Record::parse(bytes).map(|record| File::Run(Box::new(record))),
            _ if text.starts_with(b"step,replica,") => Err(FileError::Table),
            _ => Err(FileError::Unknown),
        }
    }
}
