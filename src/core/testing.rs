//! Helpers for the tests of every crate: skipping a test, and files that are changed at random.
//!
//! # Why
//! nextest hides what passing tests print, so a test that returned early looked like one that ran. A test that skips itself
//! therefore also appends a line to the file named by `VIVARIUM_SKIPPED`. `cargo xtask test` sets this variable and lists
//! the lines in its summary. In CI it also sets `VIVARIUM_NEEDS_GPU=1`, with which a test without a GPU fails.

use std::io::Write;
use std::path::Path;

pub mod mutation;

/// Skips the running test, or a part of it: prints the reason and records it. `module` is the caller's `module_path!()`.
///
/// # Panics
/// If the file named by `VIVARIUM_SKIPPED` cannot be written.
#[expect(clippy::print_stderr, reason = "only tests call this")]
pub fn skip(module: &str, reason: &str) {
    let line = format_skipped(module, std::thread::current().name(), reason);
    eprint!("{line}");
    if let Some(file) = std::env::var_os("VIVARIUM_SKIPPED") {
        let recorded = append_line(Path::new(&file), &line);
        assert!(recorded.is_ok(), "cannot record a skipped test in {}: {recorded:?}", file.display());
    }
}

/// Skips the running test, or a part of it, because there is no GPU adapter. `module` is the caller's `module_path!()`.
///
/// # Panics
/// If `VIVARIUM_NEEDS_GPU` is `1`, and as [`skip`].
pub fn skip_without_gpu(module: &str, reason: &str) {
    let needs_gpu = std::env::var_os("VIVARIUM_NEEDS_GPU").is_some_and(|value| value == "1");
    assert!(!needs_gpu, "this test needs a GPU adapter: {reason}");
    skip(module, reason);
}

/// Line for the record of skipped tests: names the crate of `module`, the test, and the reason. libtest names the
/// `thread` after the path of the test within its crate; without a thread name, or in the main thread, the line names
/// `module`.
fn format_skipped(module: &str, thread: Option<&str>, reason: &str) -> String {
    let name = module.split("::").next().unwrap_or(module);
    let test = match thread {
        Some(thread) if thread != "main" => format!("{name}::{thread}"),
        _ => module.into(),
    };
    let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("SKIPPED {test}: {reason}\n")
}

/// Appends `line` to the file of skipped tests, in one write, since tests of several processes share the file.
fn append_line(file: &Path, line: &str) -> std::io::Result<()> {
    std::fs::OpenOptions::new().append(true).create(true).open(file)?.write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skipped_test_is_named_with_its_crate_in_one_line() {
        let thread = std::thread::current();
        assert_eq!(
            format_skipped(module_path!(), thread.name(), "no adapter\n  (of 2)"),
            "SKIPPED vivarium_core::testing::tests::a_skipped_test_is_named_with_its_crate_in_one_line: no adapter (of 2)\n"
        );
        assert_eq!(format_skipped("suite::devices", None, "no GPU"), "SKIPPED suite::devices: no GPU\n");
        assert_eq!(
            format_skipped("suite::devices", Some("main"), "no GPU"),
            "SKIPPED suite::devices: no GPU\n"
        );
    }

    #[test]
    fn skipped_tests_are_appended() {
        let file = std::env::temp_dir().join(format!("vivarium-core-skipped-{}", std::process::id()));
        for line in ["SKIPPED a: b\n", "SKIPPED c: d\n"] {
            append_line(&file, line).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "SKIPPED a: b\nSKIPPED c: d\n");
        std::fs::remove_file(&file).unwrap();
    }
}
