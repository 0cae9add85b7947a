//! What the command line does to files, so that a file is at all times the old one or the new one, and whole.
//!
//! # Why
//! A crash, a full disk or a power cut may come between any two of these operations. So a file is replaced by writing
//! the new one beside it, waiting until it is on the disk, and renaming it over the old one; and who writes to a file
//! over a long time holds a lock on it, which the system releases whatever happens to the process. Everything that
//! changes a file goes through [`Disk`], so that tests can let each operation fail in turn.

use std::fs::{File, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use vivarium_model::platform::is_at;

/// What changes files.
pub trait Disk {
    /// Opens a file to be read, and written at its end; makes it where there is none.
    fn open(&self, path: &Path) -> io::Result<File>;
    /// Writes at the end of a file, in one go.
    fn append(&self, file: &File, bytes: &[u8]) -> io::Result<()>;
    /// Leaves of a file its first bytes alone.
    fn cut(&self, file: &File, length: u64) -> io::Result<()>;
    /// Waits until a file's content is on the disk.
    fn sync(&self, file: &File) -> io::Result<()>;
    /// Gives a file the name of another one, which is gone then.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Waits until the names of a folder's files are on the disk.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// The system's own.
pub struct Native;

impl Disk for Native {
    fn open(&self, path: &Path) -> io::Result<File> {
        File::options().read(true).append(true).create(true).open(path)
    }

    fn append(&self, mut file: &File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }

    fn cut(&self, file: &File, length: u64) -> io::Result<()> {
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

/// Opens a file for this process alone; the lock is released when the file is closed, also by a crash.
///
/// # Errors
/// When it cannot be opened, or another process has it open for itself.
#[expect(clippy::print_stderr, reason = "the run goes on, and the person should know of the danger")]
pub fn open_alone(disk: &dyn Disk, path: &Path) -> Result<File, anyhow::Error> {
    loop {
        let file = disk.open(path).with_context(|| format!("cannot write {}", path.display()))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!(
                "{} is being written by another lab command: wait until that command has ended, or choose another file",
                path.display()
            ),
            // On some file systems of clusters there are no locks.
            Err(TryLockError::Error(why)) => eprintln!(
                "{} cannot be locked ({why}): make sure that no other lab command writes to this file.",
                path.display()
            ),
        }
        // The one that had it may have renamed it in the meantime.
        if is_at(&file, path) {
            return Ok(file);
        }
    }
}

/// Whether this is a device, a pipe or a folder, which cannot be replaced.
pub fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| !about.is_file())
}

/// A new file that is written beside an old one and will take its place.
pub struct Beside<'a> {
    disk: &'a dyn Disk,
    /// The new one; none when it has taken the place.
    file: Option<File>,
    part: PathBuf,
    path: PathBuf,
    /// Whether what is in it stays there when it does not come to that.
    keep: bool,
}

impl<'a> Beside<'a> {
    /// A file beside the one at `path`, with what an interrupted process has left in it.
    ///
    /// # Errors
    /// When it cannot be written, is another process's, or the old one is protected.
    pub fn open(disk: &'a dyn Disk, path: &Path, keep: bool) -> Result<Beside<'a>, anyhow::Error> {
        let is_link = std::fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink());
        let target = if is_link { std::fs::canonicalize(path).ok() } else { None };
        let path = target.unwrap_or_else(|| path.to_path_buf());
        if std::fs::metadata(&path).is_ok_and(|about| about.permissions().readonly()) {
            bail!("cannot write {}: it is protected against writing", path.display());
        }
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let file = open_alone(disk, &part).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Beside { disk, file: Some(file), part, path, keep })
    }

    /// The file, as long as it is beside the other one.
    fn file(&self) -> io::Result<&File> {
        self.file.as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// What changes it.
    pub fn disk(&self) -> &'a dyn Disk {
        self.disk
    }

    /// Where it is.
    pub fn part(&self) -> &Path {
        &self.part
    }

    /// The place that it will take.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// It, to be read from its beginning.
    ///
    /// # Errors
    /// When that fails.
    pub fn read(&self) -> io::Result<&File> {
        let mut file = self.file()?;
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    }

    /// Bytes in it.
    pub fn length(&self) -> u64 {
        self.file().and_then(File::metadata).map_or(0, |about| about.len())
    }

    /// Writes at its end.
    ///
    /// # Errors
    /// When that fails.
    pub fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.disk.append(self.file()?, bytes)
    }

    /// Leaves its first bytes alone.
    ///
    /// # Errors
    /// When that fails.
    pub fn cut(&self, length: u64) -> io::Result<()> {
        self.disk.cut(self.file()?, length)
    }

    /// Waits until it is on the disk.
    ///
    /// # Errors
    /// When that fails.
    pub fn sync(&self) -> io::Result<()> {
        self.disk.sync(self.file()?)
    }

    /// Takes the place, and gives the file.
    ///
    /// # Errors
    /// When that fails; the old file is there then.
    pub fn finish(mut self) -> io::Result<File> {
        self.sync()?;
        if let Ok(old) = std::fs::metadata(&self.path) {
            // Who might not read the old one should not read the new one. Not every file system has it.
            let _ = self.file()?.set_permissions(old.permissions());
        }
        self.disk.rename(&self.part, &self.path)?;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        // Where folders cannot be synchronised, the system does what it can.
        let _ = self.disk.sync_folder(folder.unwrap_or(Path::new(".")));
        self.file.take().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Drop for Beside<'_> {
    fn drop(&mut self) {
        if self.file.is_some() && !(self.keep && self.length() > 0) {
            // What is left behind takes space, and harms nobody.
            let _ = self.disk.remove(&self.part);
        }
    }
}

/// Replaces a file, or makes it.
///
/// # Errors
/// When it cannot be written; the old one is there then.
pub fn replace(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), anyhow::Error> {
    let cannot = || format!("cannot write {}", path.display());
    if is_special(path) {
        return std::fs::write(path, bytes).with_context(cannot);
    }
    let beside = Beside::open(disk, path, false)?;
    let written = beside.cut(0).and_then(|()| beside.append(bytes)).and_then(|()| beside.finish());
    written.map(drop).with_context(cannot)
}

/// Says at once whether [`replace`] could begin.
///
/// # Errors
/// What it would say.
pub fn try_out(disk: &dyn Disk, path: &Path) -> Result<(), anyhow::Error> {
    if !is_special(path) {
        Beside::open(disk, path, false)?;
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
    use super::noting::Noting;
    use super::*;

    /// Otherwise a power cut may take the new name away.
    #[test]
    fn the_folder_of_a_new_name_is_synchronised() {
        let name = format!("vivarium-disk-{}", std::process::id());
        let folder = std::env::temp_dir().join(&name);
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("run.csv");
        let disk = Noting::default();
        replace(&disk, &path, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!((disk.renamed.take(), disk.folders.take()), (vec![path], vec![folder]));
        // A name alone is one in the folder in which the command was given.
        let path = PathBuf::from(name + ".part-of-a-test");
        replace(&disk, &path, b"new").unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!((disk.renamed.take(), disk.folders.take()), (vec![path], vec![PathBuf::from(".")]));
    }
}
