//! The Python module: a wheel, its tests, and the notebook.
//!
//! # Why
//! The wheel is built in the dev profile, which is at full speed and shares the compiled Burn with tests and command line.
//! It is unpacked into the cache and not installed, so that no environment of the person changes and a system's Python,
//! which takes no packages, can test it.

use std::env;
use std::fs;
use std::path::PathBuf;

use crate::Outcome;
use crate::cache::Project;
use crate::process::{command, find, output, path_with, run, say};
use crate::workspace;

/// The program, if it is not the first one on PATH.
const PYTHON: &str = "VIVARIUM_PYTHON";
/// What builds and tests the module.
const NEEDED: [&str; 6] = ["maturin", "pytest", "numpy", "matplotlib", "nbclient", "ipykernel"];
/// What some tests need, which are skipped without it.
const WANTED: [&str; 4] = ["pyarrow", "pandas", "polars", "torch"];
const TESTS: &str = "tests/python";

/// Builds the wheel into `target/wheels`, and runs its tests and the notebook.
pub fn test(project: &Project) -> Outcome {
    let python = interpreter()?;
    let claim = project.claim(&project.native_builds())?;
    let wheels = project.target().join("wheels");
    // Of another version, it would be unpacked beside the new one.
    let _ = fs::remove_dir_all(&wheels);
    let mut maturin = command(&python);
    project.build_in(project.native_builds(), &mut maturin);
    // Its own program, which pip has put beside the interpreter, is not always on PATH.
    maturin
        .current_dir(&project.root)
        .args(["-m", "maturin", "build", "--profile", "dev", "--out"])
        .arg(&wheels);
    maturin.env("PATH", path_with(python.parent().map(PathBuf::from)));
    run(maturin.arg("--interpreter").arg(&python))?;
    drop(claim);
    let place = project.cache.join("python");
    let _ = fs::remove_dir_all(&place);
    let broken = |why: std::io::Error| format!("cannot list {}: {why}", wheels.display());
    let files: Vec<PathBuf> = fs::read_dir(&wheels)
        .map_err(broken)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| file.extension().is_some_and(|extension| extension == "whl"))
        .collect();
    let [wheel] = files.as_slice() else { return Err(format!("{} wheels were built", files.len())) };
    run(command(&python)
        .args(["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target"])
        .arg(&place)
        .arg(wheel))?;
    run(command(&python)
        .current_dir(&project.root)
        .args(["-m", "pytest", "-ra", "-p", "no:cacheprovider", TESTS])
        .env("PYTHONPATH", &place)
        .env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// What cargo is asked for to compile the module: its own package, or else a feature of the only one.
pub fn features(project: &Project) -> Outcome<[&'static str; 2]> {
    let has_package = workspace::has(project, workspace::PYTHON)?;
    Ok(if has_package { ["--package", workspace::PYTHON] } else { ["--features", "python"] })
}

/// Whether somebody has named a Python for the tests.
pub fn is_wanted() -> bool {
    env::var_os(PYTHON).is_some()
}

/// A Python with all that is needed.
///
/// # Errors
/// What is missing, and how to get it.
fn interpreter() -> Outcome<PathBuf> {
    let named = env::var_os(PYTHON).map(PathBuf::from);
    let python = named.or_else(|| find("python3")).or_else(|| find("python"));
    let python = python.ok_or_else(|| format!("there is no Python; set {PYTHON} to one"))?;
    let modules = [&NEEDED[..], &WANTED[..]].concat();
    let asked = format!(
        "import importlib.util as u; print(*(m for m in {:?}.split() if not u.find_spec(m)))",
        modules.join(" ")
    );
    let missing = output(command(&python).args(["-c", &asked]));
    let missing = missing.ok_or_else(|| format!("{} does not start", python.display()))?;
    let (needed, wanted) = told_apart(&missing);
    if !needed.is_empty() {
        return Err(format!(
            "{} has no {}; `python3 -m pip install {}` in an environment, and set {PYTHON} to its Python",
            python.display(),
            needed.join(", no "),
            NEEDED.join(" ")
        ));
    }
    if !wanted.is_empty() {
        say(format!(
            "without {}, so the tests with {} are skipped",
            wanted.join(" and "),
            wanted.join(" and ")
        ));
    }
    Ok(python)
}

/// Of the modules that are missing, those that are needed, and the others.
fn told_apart(missing: &str) -> (Vec<&str>, Vec<&str>) {
    missing.split_whitespace().partition(|module| NEEDED.contains(module))
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn what_is_needed_and_missing_is_distinguished_from_what_is_wanted() {
        assert_eq!(told_apart("pytest torch\n"), (vec!["pytest"], vec!["torch"]));
        assert_eq!(told_apart("\n"), (vec![], vec![]));
    }
}
