//! The file that is being read, and its progress.

use vivarium_model::platform::file::UploadedFile;
use vivarium_view::record::dataset::RefusedTable;
use vivarium_view::record::reading::ReadJob;

/// Purpose for which a worker reads a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadPurpose {
    /// The file is opened as a run, as weights or as a data table.
    Open,
    /// The file should contain the data table for which a saved run waits.
    ResumeRun,
}

/// A file that a worker is reading.
#[derive(Debug, Clone, PartialEq)]
pub struct FileReading {
    /// Number of the file among those given to workers since the page was opened, so that a late message about another
    /// file is ignored.
    pub number: u64,
    /// Name of the file that a worker is reading.
    pub name: String,
    /// Handle to the file that a worker is reading, with the file's first bytes.
    pub file: UploadedFile,
    /// Purpose for which the file is read, such as opening it.
    pub purpose: ReadPurpose,
    /// The task of the worker: kind of file, and options.
    pub job: ReadJob,
    /// Share of the file that has been read, from 0 to 1.
    pub fraction: f64,
}

/// A table that could not be used with its label, so that the user may choose another column of its file as the label.
#[derive(Debug, Clone, PartialEq)]
pub struct RefusedFile {
    /// Name of the file of the refused table.
    pub name: String,
    /// Handle to the file of the refused table.
    pub file: UploadedFile,
    /// Columns of the refused table, its label, and the choices by which it was read.
    pub table: RefusedTable,
}

impl FileReading {
    /// Returns the sentence that tells how much of the file has been read.
    pub fn progress_text(&self) -> String {
        tr!(
            "Reading {name}: {percent} % of {size} MB.",
            name = self.name,
            percent = (100.0 * self.fraction.clamp(0.0, 1.0)) as u32,
            size = self.file.size.div_ceil(1 << 20)
        )
    }
}
