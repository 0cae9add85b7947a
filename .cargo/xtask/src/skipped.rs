//! Tests that skipped themselves, and why.
//!
//! # Why
//! A test that needs a GPU passes where there is none, and nextest hides what passing tests print. Therefore such a test
//! also appends the line `SKIPPED <module path of the test>: <reason>` to the file named by `VIVARIUM_SKIPPED`, and the
//! summary lists these lines. In CI a missing adapter is a failure: with `VIVARIUM_NEEDS_GPU=1` the test panics instead.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use crate::Outcome;
use crate::cache::{self, Project};

/// The variable with the file that tests append to.
const FILE: &str = "VIVARIUM_SKIPPED";
/// The variable that makes a test without an adapter fail.
const NEEDS_GPU: &str = "VIVARIUM_NEEDS_GPU";
const MARK: &str = "SKIPPED ";

/// The file that one run of tests appends to.
pub struct Skipped(PathBuf);

impl Skipped {
    /// Starts with an empty file.
    pub fn start(project: &Project) -> Outcome<Self> {
        let file = project.target().join("skipped.txt");
        cache::write(&file, "")?;
        Ok(Self(file))
    }

    /// Tells the tests of this command where the file is, and in CI that they need a GPU, unless somebody has set that.
    pub fn watch(&self, tests: &mut Command) {
        tests.env(FILE, &self.0);
        if is_ci() && env::var_os(NEEDS_GPU).is_none() {
            tests.env(NEEDS_GPU, "1");
        }
    }

    /// The lines of the summary: how many tests, and each with its reason.
    pub fn summary(&self) -> Outcome<Vec<String>> {
        Ok(summary(&cache::read(&self.0)?))
    }
}

/// Whether this runs in continuous integration.
pub fn is_ci() -> bool {
    env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false")
}

fn summary(text: &str) -> Vec<String> {
    let mut tests: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix(MARK)).collect();
    tests.sort_unstable();
    // A test may skip several of its parts for the same reason.
    tests.dedup();
    let title = match tests.len() {
        0 => return vec![],
        1 => "1 test was skipped:".to_string(),
        count => format!("{count} tests were skipped:"),
    };
    [title].into_iter().chain(tests.iter().map(|test| format!("  {test}"))).collect()
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn each_test_that_was_skipped_is_named_once() {
        let text = "SKIPPED suite::fused: no adapter\nnoise\nSKIPPED kernels::a: no adapter\nSKIPPED suite::fused: no adapter\n";
        assert_eq!(
            summary(text),
            ["2 tests were skipped:", "  kernels::a: no adapter", "  suite::fused: no adapter"]
        );
        assert_eq!(summary("SKIPPED a: b\n")[0], "1 test was skipped:");
        assert!(summary("").is_empty());
    }

    #[test]
    fn every_run_of_tests_starts_with_an_empty_file() {
        let root = env::temp_dir().join(format!("vivarium-skipped-{}", std::process::id()));
        let project = Project { root: root.clone(), cache: root.clone() };
        let first = Skipped::start(&project).unwrap();
        cache::write(&first.0, "SKIPPED a: b\n").unwrap();
        assert_eq!(first.summary().unwrap().len(), 2);
        let second = Skipped::start(&project).unwrap();
        assert!(second.summary().unwrap().is_empty());
        let mut tests = Command::new("tests");
        second.watch(&mut tests);
        assert!(tests.get_envs().any(|(name, value)| name == FILE && value == Some(second.0.as_os_str())));
        std::fs::remove_dir_all(root).unwrap();
    }
}
