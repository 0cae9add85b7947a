//! A simulated disk on which one operation fails, as in the tests of SQLite: each operation in turn, with
//! each fault.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{Disk, SystemDisk};

/// How the failing operation of a [`FaultyDisk`] fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The operation is not done and returns this error.
    Fails(ErrorKind),
    /// The first half of the bytes is written, then the operation returns this error.
    HalfDone(ErrorKind),
    /// The process ends in the middle of the operation; all later operations fail.
    Killed,
    /// The machine ends: bytes and, with `names_kept` false, renames that were not synchronised are lost.
    PowerCut {
        /// Whether renamed files keep their new names although the folder was not synchronised.
        names_kept: bool,
    },
}

/// Every fault with which tests let an operation fail.
pub const ALL_FAULTS: [Fault; 5] = [
    Fault::Fails(ErrorKind::StorageFull),
    Fault::HalfDone(ErrorKind::StorageFull),
    Fault::Killed,
    Fault::PowerCut { names_kept: true },
    Fault::PowerCut { names_kept: false },
];

/// A [`Disk`] on which operation number `failing_operation` (counted from 0) fails.
pub struct FaultyDisk {
    /// Index, from 0, of the file operation that fails, in the order of calls.
    failing_operation: usize,
    /// How the failing operation fails.
    fault: Fault,
    /// Number of file operations that were called so far.
    operation_count: Cell<usize>,
    /// Whether the simulated process has been killed or the simulated machine has lost power; all operations
    /// fail then.
    is_dead: Cell<bool>,
    /// For each file, by its inode number: its path, and the number of its first bytes that a power cut does
    /// not lose.
    synced_lengths: RefCell<BTreeMap<u64, (PathBuf, u64)>>,
    /// Renames that a power cut may undo, since their folder is not synchronised: old path, new path, and
    /// where the replaced file is kept (None if there was none).
    unsynced_renames: RefCell<Vec<(PathBuf, PathBuf, Option<PathBuf>)>>,
}

impl FaultyDisk {
    /// A disk on which the file operation with index `at`, from 0, fails with `fault`.
    pub fn new(at: usize, fault: Fault) -> FaultyDisk {
        FaultyDisk {
            failing_operation: at,
            fault,
            operation_count: Cell::new(0),
            is_dead: Cell::new(false),
            synced_lengths: RefCell::default(),
            unsynced_renames: RefCell::default(),
        }
    }

    /// A disk without a fault. It does not synchronise, which makes tests faster.
    pub fn without_fault() -> FaultyDisk {
        FaultyDisk::new(usize::MAX, Fault::Killed)
    }

    /// Whether the simulated process has been killed or the simulated machine has lost power.
    pub fn is_dead(&self) -> bool {
        self.is_dead.get()
    }

    /// Whether the failing operation has been called.
    pub fn has_reached_fault(&self) -> bool {
        self.operation_count.get() > self.failing_operation
    }

    /// Changes the real files to what a restarted machine would find on its disk.
    pub fn simulate_restart(self) {
        let Fault::PowerCut { names_kept } = self.fault else { return self.commit_renames() };
        if !self.is_dead.get() {
            return self.commit_renames();
        }
        for (path, safe) in self.synced_lengths.borrow().values() {
            if let Ok(file) = File::options().write(true).open(path)
                && file.metadata().unwrap().len() > *safe
            {
                file.set_len(*safe).unwrap();
            }
        }
        if !names_kept {
            for (from, to, before) in self.unsynced_renames.take().into_iter().rev() {
                std::fs::rename(&to, from).unwrap();
                if let Some(before) = before {
                    std::fs::rename(before, to).unwrap();
                }
            }
        }
        self.commit_renames();
    }

    /// Treats all renames so far as synchronised, and deletes the kept old files.
    fn commit_renames(&self) {
        for (_, _, before) in self.unsynced_renames.take() {
            if let Some(before) = before {
                std::fs::remove_file(before).unwrap();
            }
        }
    }

    /// Counts one file operation. None if it succeeds; otherwise its error, and whether the first half of the
    /// bytes of a write is still written.
    fn next_fault(&self) -> Option<(bool, io::Error)> {
        let killed = || io::Error::other("the process has ended");
        if self.is_dead.get() {
            return Some((false, killed()));
        }
        let now = self.operation_count.replace(self.operation_count.get() + 1);
        match self.fault {
            _ if now != self.failing_operation => None,
            Fault::Fails(kind) => Some((false, kind.into())),
            Fault::HalfDone(kind) => Some((true, kind.into())),
            Fault::Killed | Fault::PowerCut { .. } => {
                self.is_dead.set(true);
                Some((true, killed()))
            }
        }
    }

    /// Counts one file operation and returns its error if it is the one that should fail.
    fn fail_if_due(&self) -> io::Result<()> {
        self.next_fault().map_or(Ok(()), |(_, error)| Err(error))
    }
}

impl Disk for FaultyDisk {
    fn open(&self, path: &Path) -> io::Result<File> {
        self.fail_if_due()?;
        let file = SystemDisk.open(path)?;
        let about = file.metadata()?;
        self.synced_lengths.borrow_mut().entry(about.ino()).or_insert((path.to_path_buf(), about.len()));
        Ok(file)
    }

    fn append(&self, file: &File, bytes: &[u8]) -> io::Result<()> {
        let Some((half, error)) = self.next_fault() else { return SystemDisk.append(file, bytes) };
        if half {
            SystemDisk.append(file, &bytes[..bytes.len() / 2])?;
        }
        Err(error)
    }

    fn truncate(&self, file: &File, length: u64) -> io::Result<()> {
        self.fail_if_due()?;
        SystemDisk.truncate(file, length)?;
        if let Some((_, safe)) = self.synced_lengths.borrow_mut().get_mut(&file.metadata()?.ino()) {
            *safe = length.min(*safe);
        }
        Ok(())
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        self.fail_if_due()?;
        let about = file.metadata()?;
        if let Some((_, safe)) = self.synced_lengths.borrow_mut().get_mut(&about.ino()) {
            *safe = about.len();
        }
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.fail_if_due()?;
        let mut before = None;
        if let Ok(about) = std::fs::metadata(to) {
            let kept = PathBuf::from(format!("{}.before{}", to.display(), self.operation_count.get()));
            std::fs::hard_link(to, &kept)?;
            self.synced_lengths.borrow_mut().remove(&about.ino());
            before = Some(kept);
        }
        SystemDisk.rename(from, to)?;
        if let Some((path, _)) = self.synced_lengths.borrow_mut().get_mut(&std::fs::metadata(to)?.ino()) {
            *path = to.to_path_buf();
        }
        self.unsynced_renames.borrow_mut().push((from.to_path_buf(), to.to_path_buf(), before));
        Ok(())
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        self.fail_if_due()?;
        self.commit_renames();
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.fail_if_due()?;
        self.synced_lengths.borrow_mut().remove(&std::fs::metadata(path)?.ino());
        SystemDisk.remove(path)
    }
}
