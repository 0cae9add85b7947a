//! Where the clone is, and where everything lives that must outlast it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use toml::Table;

use crate::Outcome;
use crate::process::say;

/// The clone and its cache.
pub struct Project {
    /// The top of the clone.
    pub root: PathBuf,
    /// The folder outside the clone that holds tools and build outputs.
    pub cache: PathBuf,
}

impl Project {
    /// Finds the clone that this program belongs to, and makes its cache folder.
    pub fn open() -> Outcome<Self> {
        let manifest = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest.ancestors().nth(2).ok_or("start it as `cargo xtask`")?.to_path_buf();
        let cache = cache_folder().ok_or("no home folder; set VIVARIUM_CACHE to a folder")?;
        fs::create_dir_all(&cache).map_err(|why| format!("cannot make {}: {why}", cache.display()))?;
        Ok(Self { root, cache })
    }

    /// Intermediate files of native builds.
    pub fn native_builds(&self) -> PathBuf {
        self.cache.join("target")
    }

    /// Intermediate files of WebAssembly builds; apart, since another compiler may make them.
    pub fn wasm_builds(&self) -> PathBuf {
        self.cache.join("target-wasm")
    }

    /// Makes a cargo keep its intermediate files in the cache and its finished ones in this clone.
    pub fn build_in(&self, builds: PathBuf, cargo: &mut Command) {
        cargo.env("CARGO_BUILD_BUILD_DIR", builds).env("CARGO_TARGET_DIR", self.target());
    }

    /// Makes sure that what lies in a folder of intermediate files is ours, until the claim is dropped.
    ///
    /// # Why
    /// Clones share these files so that each compiles Burn once, and to cargo all clones are the same
    /// package: it compares times alone, and would take another clone's newer build of our crate for
    /// ours. So whoever comes from another clone makes cargo forget our crate, and waits its turn.
    pub fn claim(&self, builds: &Path) -> Outcome<Claim> {
        let place = builds.join("clone");
        let broken = |why: std::io::Error| format!("cannot use {}: {why}", place.display());
        fs::create_dir_all(builds).map_err(broken)?;
        let mut options = fs::OpenOptions::new();
        let file =
            options.read(true).write(true).create(true).truncate(false).open(&place).map_err(broken)?;
        let clone = self.root.display().to_string();
        loop {
            file.lock_shared().map_err(broken)?;
            if read(&place)? == clone {
                return Ok(Claim { _file: file });
            }
            file.unlock().map_err(broken)?;
            if file.try_lock().is_err() {
                say("another clone is building; waiting for it to finish");
                file.lock().map_err(broken)?;
            }
            forget_our_crate(builds);
            write(&place, &clone)?;
            file.unlock().map_err(broken)?;
        }
    }

    /// What this clone has built.
    pub fn target(&self) -> PathBuf {
        self.root.join("target")
    }

    /// Build outputs of the installed tools.
    pub fn tools_target(&self) -> PathBuf {
        self.cache.join("target-tools")
    }

    /// The root that `cargo install` installs into.
    pub fn tools(&self) -> PathBuf {
        self.cache.join("tools")
    }

    /// The folder of the installed tools' programs.
    pub fn tools_bin(&self) -> PathBuf {
        self.tools().join("bin")
    }

    /// The scratch crate for a standard library built from source.
    pub fn wasm_std(&self) -> PathBuf {
        self.cache.join("wasm-std")
    }

    /// The npm packages that drive a browser.
    pub fn node(&self) -> PathBuf {
        self.cache.join("node")
    }

    /// The finished page.
    pub fn dist(&self) -> PathBuf {
        self.root.join("dist")
    }

    /// Reads a file of the clone.
    pub fn read(&self, file: impl AsRef<Path>) -> Outcome<String> {
        read(self.root.join(file))
    }
}

/// The right to build in one folder of intermediate files; clones take turns.
pub struct Claim {
    _file: fs::File,
}

/// Removes cargo's notes on our own crate, which makes it compile that crate again.
fn forget_our_crate(builds: &Path) {
    let inside = |folder: &Path| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect::<Vec<_>>()
    };
    // `<profile>/.fingerprint` natively, `<target>/<profile>/.fingerprint` otherwise.
    let profiles = inside(builds);
    let below = profiles.iter().flat_map(|folder| inside(folder)).collect::<Vec<_>>();
    for folder in profiles.iter().chain(&below) {
        for note in inside(&folder.join(".fingerprint")) {
            if note.file_name().is_some_and(|name| name.to_string_lossy().starts_with("vivarium-")) {
                let _ = fs::remove_dir_all(note);
            }
        }
    }
}

/// Reads a text file, or says which one could not be read.
pub fn read(file: impl AsRef<Path>) -> Outcome<String> {
    let file = file.as_ref();
    fs::read_to_string(file).map_err(|why| format!("cannot read {}: {why}", file.display()))
}

/// Reads a TOML file, or says which one could not be read.
pub fn read_toml(file: impl AsRef<Path>) -> Outcome<Table> {
    let file = file.as_ref();
    read(file)?.parse().map_err(|why| format!("cannot read {}: {why}", file.display()))
}

/// Writes a file and the folders above it, or says which one could not be written.
pub fn write(file: impl AsRef<Path>, text: impl AsRef<[u8]>) -> Outcome {
    let file = file.as_ref();
    file.parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(file, text))
        .map_err(|why| format!("cannot write {}: {why}", file.display()))
}

fn cache_folder() -> Option<PathBuf> {
    let folder = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    folder("VIVARIUM_CACHE")
        .map(PathBuf::from)
        .or_else(|| folder("XDG_CACHE_HOME").map(|cache| Path::new(&cache).join("vivarium")))
        .or_else(|| {
            let home = folder("HOME").or_else(|| folder("USERPROFILE"))?;
            Some(Path::new(&home).join(".cache").join("vivarium"))
        })
        .map(|path| std::path::absolute(&path).unwrap_or(path))
}
