//! Version numbers, as programs print them and as `Cargo.lock` has them.

use std::path::Path;

use toml::{Table, Value};

use crate::process::{command, output};

/// A version without its suffix.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// The first word of a text that is a version; a missing patch number is 0.
    pub fn find(text: &str) -> Option<Self> {
        text.split(|letter: char| letter.is_whitespace() || letter == '"').find_map(|word| {
            let word = word.split(['-', '+']).next()?;
            let mut parts = word.split('.').map(str::parse);
            let (major, minor) = (parts.next()?.ok()?, parts.next()?.ok()?);
            Some(Self(major, minor, parts.next().map_or(Some(0), Result::ok)?))
        })
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// What a program says its version is.
pub fn of(program: impl AsRef<Path>) -> Option<Version> {
    Version::find(&output(command(program.as_ref()).arg("--version"))?)
}

/// The version of a package in a `Cargo.lock`.
pub fn locked(lock: &Table, package: &str) -> Option<Version> {
    let is_named = |entry: &&Value| entry.get("name").and_then(Value::as_str) == Some(package);
    let entry = lock.get("package")?.as_array()?.iter().find(is_named)?;
    Version::find(entry.get("version")?.as_str()?)
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn a_version_is_found_in_what_programs_print() {
        assert_eq!(Version::find("trunk 0.21.14"), Some(Version(0, 21, 14)));
        assert_eq!(Version::find("rustc 1.96.0-dev (30a34c682 2026-05-25)"), Some(Version(1, 96, 0)));
        assert_eq!(Version::find("\"1.95\""), Some(Version(1, 95, 0)));
        assert_eq!(Version::find("no version here"), None);
    }

    #[test]
    fn versions_compare_by_number() {
        assert!(Version(0, 21, 14) > Version(0, 21, 9));
        assert!(Version(0, 22, 0) > Version(0, 21, 14));
        assert!(Version(0, 20, 99) < Version(0, 21, 14));
    }

    #[test]
    fn the_lock_is_read_by_whole_names() {
        let lock = "version = 4\n\n[[package]]\nname = \"wasm-bindgen-macro\"\nversion = \"9.9.9\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n\
                    dependencies = [\n \"wasm-bindgen-macro\",\n]\n";
        let lock = lock.parse().unwrap();
        assert_eq!(locked(&lock, "wasm-bindgen"), Some(Version(0, 2, 130)));
        assert_eq!(locked(&lock, "wasm"), None);
    }
}
