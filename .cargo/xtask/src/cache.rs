//! Where the clone is, and where everything lives that must outlast it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Outcome;

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

    /// Native build outputs.
    pub fn native_target(&self) -> PathBuf {
        self.cache.join("target")
    }

    /// WebAssembly build outputs; apart, since another compiler may make them.
    pub fn wasm_target(&self) -> PathBuf {
        self.cache.join("target-wasm")
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

/// Reads a text file, or says which one could not be read.
pub fn read(file: impl AsRef<Path>) -> Outcome<String> {
    let file = file.as_ref();
    fs::read_to_string(file).map_err(|why| format!("cannot read {}: {why}", file.display()))
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
