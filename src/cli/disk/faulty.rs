//! A disk on which one operation goes wrong, as SQLite's tests have it: each one in turn, in each way.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{Disk, Native};

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The operation is not done, and says why.
    Fails(ErrorKind),
    /// Of what is written, the first half arrives.
    HalfDone(ErrorKind),
    /// The process ends in the middle of it: nothing is done after it.
    Killed,
    /// So does the machine: what was not synchronised is lost, and files that were renamed have their new names, or,
    /// where the folder was not synchronised, their old ones.
    PowerCut {
        /// Which of the two.
        names_kept: bool,
    },
}

/// All of them.
pub const FAULTS: [Fault; 5] = [
    Fault::Fails(ErrorKind::StorageFull),
    Fault::HalfDone(ErrorKind::StorageFull),
    Fault::Killed,
    Fault::PowerCut { names_kept: true },
    Fault::PowerCut { names_kept: false },
];

/// A disk on which operation number `at` goes wrong.
pub struct Faulty {
    at: usize,
    fault: Fault,
    /// Operations so far.
    count: Cell<usize>,
    dead: Cell<bool>,
    /// Of each file, by its number, where it is and how many bytes are safe.
    safe: RefCell<BTreeMap<u64, (PathBuf, u64)>>,
    /// Renames that are not safe: from, to, and where the file is kept that was there before.
    renames: RefCell<Vec<(PathBuf, PathBuf, Option<PathBuf>)>>,
}

impl Faulty {
    /// With the fault at this operation, counted from 0.
    pub fn new(at: usize, fault: Fault) -> Faulty {
        Faulty {
            at,
            fault,
            count: Cell::new(0),
            dead: Cell::new(false),
            safe: RefCell::default(),
            renames: RefCell::default(),
        }
    }

    /// Without a fault; it synchronises nothing, which takes its time.
    pub fn none() -> Faulty {
        Faulty::new(usize::MAX, Fault::Killed)
    }

    /// Whether process or machine have ended.
    pub fn is_dead(&self) -> bool {
        self.dead.get()
    }

    /// Whether it came to the fault.
    pub fn went_wrong(&self) -> bool {
        self.count.get() > self.at
    }

    /// Leaves on the real disk what would be there when the machine is started again.
    pub fn restart(self) {
        let Fault::PowerCut { names_kept } = self.fault else { return self.forget_renames() };
        if !self.dead.get() {
            return self.forget_renames();
        }
        for (path, safe) in self.safe.borrow().values() {
            if let Ok(file) = File::options().write(true).open(path)
                && file.metadata().unwrap().len() > *safe
            {
                file.set_len(*safe).unwrap();
            }
        }
        if !names_kept {
            for (from, to, before) in self.renames.take().into_iter().rev() {
                std::fs::rename(&to, from).unwrap();
                if let Some(before) = before {
                    std::fs::rename(before, to).unwrap();
                }
            }
        }
        self.forget_renames();
    }

    fn forget_renames(&self) {
        for (_, _, before) in self.renames.take() {
            if let Some(before) = before {
                std::fs::remove_file(before).unwrap();
            }
        }
    }

    /// Whether half of the operation is done, and what is said, if it goes wrong.
    fn wrong(&self) -> Option<(bool, io::Error)> {
        let killed = || io::Error::other("the process has ended");
        if self.dead.get() {
            return Some((false, killed()));
        }
        let now = self.count.replace(self.count.get() + 1);
        match self.fault {
            _ if now != self.at => None,
            Fault::Fails(kind) => Some((false, kind.into())),
            Fault::HalfDone(kind) => Some((true, kind.into())),
            Fault::Killed | Fault::PowerCut { .. } => {
                self.dead.set(true);
                Some((true, killed()))
            }
        }
    }

    fn pass(&self) -> io::Result<()> {
        self.wrong().map_or(Ok(()), |(_, error)| Err(error))
    }
}

impl Disk for Faulty {
    fn open(&self, path: &Path) -> io::Result<File> {
        self.pass()?;
        let file = Native.open(path)?;
        let about = file.metadata()?;
        self.safe.borrow_mut().entry(about.ino()).or_insert((path.to_path_buf(), about.len()));
        Ok(file)
    }

    fn append(&self, file: &File, bytes: &[u8]) -> io::Result<()> {
        let Some((half, error)) = self.wrong() else { return Native.append(file, bytes) };
        if half {
            Native.append(file, &bytes[..bytes.len() / 2])?;
        }
        Err(error)
    }

    fn cut(&self, file: &File, length: u64) -> io::Result<()> {
        self.pass()?;
        Native.cut(file, length)?;
        if let Some((_, safe)) = self.safe.borrow_mut().get_mut(&file.metadata()?.ino()) {
            *safe = length.min(*safe);
        }
        Ok(())
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        self.pass()?;
        let about = file.metadata()?;
        if let Some((_, safe)) = self.safe.borrow_mut().get_mut(&about.ino()) {
            *safe = about.len();
        }
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.pass()?;
        let mut before = None;
        if let Ok(about) = std::fs::metadata(to) {
            let kept = PathBuf::from(format!("{}.before{}", to.display(), self.count.get()));
            std::fs::hard_link(to, &kept)?;
            self.safe.borrow_mut().remove(&about.ino());
            before = Some(kept);
        }
        Native.rename(from, to)?;
        if let Some((path, _)) = self.safe.borrow_mut().get_mut(&std::fs::metadata(to)?.ino()) {
            *path = to.to_path_buf();
        }
        self.renames.borrow_mut().push((from.to_path_buf(), to.to_path_buf(), before));
        Ok(())
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        self.pass()?;
        self.forget_renames();
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.pass()?;
        self.safe.borrow_mut().remove(&std::fs::metadata(path)?.ino());
        Native.remove(path)
    }
}
