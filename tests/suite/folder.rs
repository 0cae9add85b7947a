//! A folder for the files of a test.

use std::path::PathBuf;

/// A folder of its own, removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    /// An empty folder of this name, apart from those of other processes.
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("vivarium-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().into()
    }

    /// What is in it, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
