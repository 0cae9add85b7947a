//! The file system of the operating system, with a record of its renames and synchronised folders.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::{Disk, SystemDisk};

/// The file system of the operating system, with a record of renames and folder synchronisations.
#[derive(Default)]
pub struct RecordingDisk {
    /// New paths of renamed files, in order.
    pub renamed_to: RefCell<Vec<PathBuf>>,
    /// Folders that were synchronised, in order.
    pub synced_folders: RefCell<Vec<PathBuf>>,
}

impl Disk for RecordingDisk {
    fn open(&self, path: &Path) -> io::Result<File> {
        SystemDisk.open(path)
    }

    fn append(&self, file: &File, bytes: &[u8]) -> io::Result<()> {
        SystemDisk.append(file, bytes)
    }

    fn truncate(&self, file: &File, length: u64) -> io::Result<()> {
        SystemDisk.truncate(file, length)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        SystemDisk.sync(file)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.renamed_to.borrow_mut().push(to.to_path_buf());
        SystemDisk.rename(from, to)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.synced_folders.borrow_mut().push(folder.to_path_buf());
        SystemDisk.sync_folder(folder)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        SystemDisk.remove(path)
    }
}
