//! A file that is being read.

use vivarium_model::platform::file::GivenFile;
use vivarium_view::record::reading::Job;

/// What a file is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be shown.
    Opened,
    /// A saved run waits for its table, and this may be it.
    Awaited,
}

/// A file that a worker reads for the page.
#[derive(Debug, Clone, PartialEq)]
pub struct FileReading {
    /// Counts them, so that a late word about another file is not taken.
    pub number: u64,
    /// What the file is called.
    pub name: String,
    /// The file.
    pub file: GivenFile,
    /// What for.
    pub purpose: Purpose,
    /// What is to be read.
    pub job: Job,
    /// How much of it has been read, from 0 to 1.
    pub share: f64,
}

impl FileReading {
    /// What is said of it while it is read.
    pub fn sentence(&self) -> String {
        tr!(
            "Reading {name}: {percent} % of {size} MB.",
            name = self.name,
            percent = (100.0 * self.share.clamp(0.0, 1.0)) as u32,
            size = self.file.size.div_ceil(1 << 20)
        )
    }
}
