//! File operations of the command line that never leave a file half written.
//!
//! # Why
//! A crash, a full disk or a power cut may come between any two operations. So a file is replaced by writing
//! a new file next to it, waiting until that is on the disk, and renaming it over the old one. A command that
//! writes to a file over a long time holds a lock on it, which the system releases when the process ends.
//! Everything that changes a file goes through [`Disk`], so that tests can let each operation fail in turn.

use std::fs::{File, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use vivarium_model::platform::is_same_file;

/// File operations through which sweep files, metrics and checkpoints are written.
///
/// Tests implement this trait to make single operations fail.
pub trait Disk {
    /// Opens a file for reading and appending; creates it if it does not exist.
    fn open(&self, path: &Path) -> io::Result<File>;
    /// Appends `bytes` to the end of a file in one write.
    fn append(&self, file: &File, bytes: &[u8]) -> io::Result<()>;
    /// Shortens a file to its first `length` bytes.
    fn truncate(&self, file: &File, length: u64) -> io::Result<()>;
    /// Waits until the content of a file is on the disk, so that it outlasts a power cut.
    fn sync(&self, file: &File) -> io::Result<()>;
    /// Renames a file; a file that already has the name `to` is replaced.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Waits until creations and renames of files in a folder are on the disk.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
    /// Deletes the file at `path`.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// The file system of the operating system, through `std::fs`.
pub struct SystemDisk;

impl Disk for SystemDisk {
    fn open(&self, path: &Path) -> io::Result<File> {
        File::options().read(true).append(true).create(true).open(path)
    }

    fn append(&self, mut file: &File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }

    fn truncate(&self, file: &File, length: u64) -> io::Result<()> {
        file.set_len(length)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        File::open(folder)?.sync_all()
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }
}

/// Opens a file for reading and appending and locks it for this process.
///
/// The lock is released when the file is closed, also by a crash.
///
/// # Errors
/// When the file cannot be opened, or another process holds the lock.
#[expect(clippy::print_stderr, reason = "the run goes on, and the person should know of the danger")]
pub fn open_locked(disk: &dyn Disk, path: &Path) -> Result<File, anyhow::Error> {
    loop {
        let file = disk.open(path).with_context(|| format!("cannot write {}", path.display()))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!(
                "{} is being written by another lab command: wait until that command has ended, or choose another file",
                path.display()
            ),
            // Some file systems of clusters have no locks.
            Err(TryLockError::Error(why)) => eprintln!(
                "{} cannot be locked ({why}): make sure that no other lab command writes to this file.",
                path.display()
            ),
        }
        // The process that held the lock may have renamed the file.
        if is_same_file(&file, path) {
            return Ok(file);
        }
    }
}

/// Whether the path is a device, a pipe or a folder, which cannot be replaced by a rename.
pub fn is_special_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| !about.is_file())
}

/// A locked `.part` file next to a target file; [`PartFile::replace_target`] renames it over the target.
pub struct PartFile<'a> {
    /// File operations through which the part file is written and renamed.
    disk: &'a dyn Disk,
    /// The open part file; None after it has replaced the target.
    file: Option<File>,
    /// Path of the part file: the path of the target with `.part` appended.
    part_path: PathBuf,
    /// Path of the target file, with symbolic links resolved.
    target_path: PathBuf,
    /// Whether a part file that is not empty stays on the disk if the target is not replaced.
    keep_on_drop: bool,
}

impl<'a> PartFile<'a> {
    /// Opens the part file of the target at `path`, with the content that an interrupted process left in it.
    /// Symbolic links are followed. With `keep`, a part file that is not empty stays on the disk if it does
    /// not replace the target.
    ///
    /// # Errors
    /// When the part file cannot be written, another process has locked it, or the target is read-only.
    pub fn open(disk: &'a dyn Disk, path: &Path, keep: bool) -> Result<PartFile<'a>, anyhow::Error> {
        let is_link = std::fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink());
        let target = if is_link { std::fs::canonicalize(path).ok() } else { None };
        let path = target.unwrap_or_else(|| path.to_path_buf());
        if std::fs::metadata(&path).is_ok_and(|about| about.permissions().readonly()) {
            bail!("cannot write {}: it is protected against writing", path.display());
        }
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let file = open_locked(disk, &part).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(PartFile { disk, file: Some(file), part_path: part, target_path: path, keep_on_drop: keep })
    }

    /// The open part file.
    ///
    /// # Errors
    /// When it has already replaced the target.
    fn file(&self) -> io::Result<&File> {
        self.file.as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// File operations through which the part file is written.
    pub fn disk(&self) -> &'a dyn Disk {
        self.disk
    }

    /// Path of the part file: the path of its target with `.part` appended.
    pub fn part_path(&self) -> &Path {
        &self.part_path
    }

    /// Path of the file that the part file is to replace, with symbolic links resolved.
    pub fn target_path(&self) -> &Path {
        &self.target_path
    }

    /// The part file, positioned at its first byte.
    ///
    /// # Errors
    /// When the file cannot seek, or has already replaced the target.
    pub fn rewind(&self) -> io::Result<&File> {
        let mut file = self.file()?;
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    }

    /// Bytes in the part file; 0 after the part file has replaced the target.
    pub fn byte_length(&self) -> u64 {
        self.file().and_then(File::metadata).map_or(0, |about| about.len())
    }

    /// Appends bytes to the part file.
    ///
    /// # Errors
    /// When the write fails.
    pub fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.disk.append(self.file()?, bytes)
    }

    /// Shortens the part file to its first `length` bytes.
    ///
    /// # Errors
    /// When the file cannot be shortened.
    pub fn truncate(&self, length: u64) -> io::Result<()> {
        self.disk.truncate(self.file()?, length)
    }

    /// Waits until the content of the part file is on the disk.
    ///
    /// # Errors
    /// When the system reports an error.
    pub fn sync(&self) -> io::Result<()> {
        self.disk.sync(self.file()?)
    }

    /// Renames the part file over the target and returns the open file.
    ///
    /// # Errors
    /// When the file cannot be synchronised or renamed; the target is unchanged then.
    pub fn replace_target(mut self) -> io::Result<File> {
        self.sync()?;
        if let Ok(old) = std::fs::metadata(&self.target_path) {
            // The new file gets the permissions of the old one; some file systems have none.
            let _ = self.file()?.set_permissions(old.permissions());
        }
        self.disk.rename(&self.part_path, &self.target_path)?;
        let folder = self.target_path.parent().filter(|folder| !folder.as_os_str().is_empty());
        // Some systems cannot synchronise folders.
        let _ = self.disk.sync_folder(folder.unwrap_or(Path::new(".")));
        self.file.take().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Drop for PartFile<'_> {
    /// Deletes a part file that has not replaced its target, except one that was opened to be kept and is not
    /// empty.
    fn drop(&mut self) {
        if self.file.is_some() && !(self.keep_on_drop && self.byte_length() > 0) {
            // A part file that cannot be removed only takes space.
            let _ = self.disk.remove(&self.part_path);
        }
    }
}

/// Writes `bytes` to the file at `path`: creates it, or replaces its content in one step, by renaming a part
/// file.
///
/// # Errors
/// When it cannot be written; an old file is unchanged then.
pub fn replace_file(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), anyhow::Error> {
    let cannot = || format!("cannot write {}", path.display());
    if is_special_file(path) {
        return std::fs::write(path, bytes).with_context(cannot);
    }
    let beside = PartFile::open(disk, path, false)?;
    let written =
        beside.truncate(0).and_then(|()| beside.append(bytes)).and_then(|()| beside.replace_target());
    written.map(drop).with_context(cannot)
}

/// Checks that [`replace_file`] could write to `path`, without writing.
///
/// # Errors
/// When [`replace_file`] would fail to open its part file.
pub fn check_replaceable(disk: &dyn Disk, path: &Path) -> Result<(), anyhow::Error> {
    if !is_special_file(path) {
        PartFile::open(disk, path, false)?;
    }
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
pub mod faulty;
#[cfg(test)]
pub mod noting;

#[cfg(test)]
mod tests {
    use super::noting::RecordingDisk;
    use super::*;

    /// Otherwise a power cut may take the new name away.
    #[test]
    fn the_folder_of_a_new_name_is_synchronised() {
        let name = format!("vivarium-disk-{}", std::process::id());
        let folder = std::env::temp_dir().join(&name);
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("run.csv");
        let disk = RecordingDisk::default();
        replace_file(&disk, &path, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!((disk.renamed_to.take(), disk.synced_folders.take()), (vec![path], vec![folder]));
        // A name alone is one in the folder in which the command was given.
        let path = PathBuf::from(name + ".part-of-a-test");
        replace_file(&disk, &path, b"new").unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(
            (disk.renamed_to.take(), disk.synced_folders.take()),
            (vec![path], vec![PathBuf::from(".")])
        );
    }
}
