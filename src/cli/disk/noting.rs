//! The system's disk, which notes the names that it gives and the folders that it synchronises.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::{Disk, Native};

/// What was done to names.
#[derive(Default)]
pub struct Noting {
    /// Names that were given.
    pub renamed: RefCell<Vec<PathBuf>>,
    /// Folders that were synchronised.
    pub folders: RefCell<Vec<PathBuf>>,
}

impl Disk for Noting {
    fn open(&self, path: &Path) -> io::Result<File> {
        Native.open(path)
    }

    fn append(&self, file: &File, bytes: &[u8]) -> io::Result<()> {
        Native.append(file, bytes)
    }

    fn cut(&self, file: &File, length: u64) -> io::Result<()> {
        Native.cut(file, length)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        Native.sync(file)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.renamed.borrow_mut().push(to.to_path_buf());
        Native.rename(from, to)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.folders.borrow_mut().push(folder.to_path_buf());
        Native.sync_folder(folder)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        Native.remove(path)
    }
}
