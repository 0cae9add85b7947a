//! Running other programs, and saying so.

use std::env;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::Outcome;

/// Prints one line about what happens next and why.
pub fn say(what: impl AsRef<str>) {
    eprintln!("▸ {}", what.as_ref());
}

/// A command without what `cargo run` put into our own environment.
///
/// Build scripts watch such variables: were they passed on, Burn would be rebuilt whenever somebody
/// alternates between `cargo build` and `cargo xtask`.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in env::vars_os() {
        if is_ours(&name.to_string_lossy()) {
            command.env_remove(name);
        }
    }
    command
}

fn is_ours(name: &str) -> bool {
    name.starts_with("CARGO_PKG_")
        || name.starts_with("CARGO_MANIFEST_")
        || ["CARGO", "CARGO_BIN_NAME", "CARGO_CRATE_NAME", "CARGO_PRIMARY_PACKAGE", "OUT_DIR"].contains(&name)
}

/// Runs a command in the open; anything but success is an error.
pub fn run(command: &mut Command) -> Outcome {
    match status(command)? {
        status if status.success() => Ok(()),
        status => Err(format!("`{}` failed ({status})", line(command))),
    }
}

/// Runs a command in the open.
pub fn status(command: &mut Command) -> Outcome<ExitStatus> {
    eprintln!("  $ {}", line(command));
    command.status().map_err(|why| cannot_start(command, &why))
}

/// Starts a command in the open, and does not wait for its end.
pub fn start(command: &mut Command) -> Outcome<Child> {
    eprintln!("  $ {}", line(command));
    command.spawn().map_err(|why| cannot_start(command, &why))
}

/// What a command prints, if it succeeds.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command to its end; what it printed, and how it ended.
pub fn capture(command: &mut Command) -> Outcome<Output> {
    command.stdin(Stdio::null()).output().map_err(|why| cannot_start(command, &why))
}

/// Runs a command in the open and hands back the lines that `wanted` picks, colours removed.
pub fn tee(command: &mut Command, wanted: fn(&str) -> bool) -> Outcome<(ExitStatus, Vec<String>)> {
    eprintln!("  $ {}", line(command));
    // A pipe makes cargo drop its colours; a person at a terminal still wants them.
    if std::io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|why| cannot_start(command, &why))?;
    let errors = child.stderr.take().map(|pipe| thread::spawn(move || copy(pipe, wanted)));
    let mut picked = child.stdout.take().map_or_else(Vec::new, |pipe| copy(pipe, wanted));
    picked.extend(errors.and_then(|copying| copying.join().ok()).unwrap_or_default());
    let status = child.wait().map_err(|why| format!("lost `{}`: {why}", line(command)))?;
    Ok((status, picked))
}

fn copy(pipe: impl Read, wanted: fn(&str) -> bool) -> Vec<String> {
    let mut picked = Vec::new();
    let mut reader = BufReader::new(pipe);
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes).is_ok_and(|count| count > 0) {
        // Errors are cargo's own stream too, so all goes to one place and stays in order.
        let _ = std::io::stderr().write_all(&bytes);
        let plain = without_colours(String::from_utf8_lossy(&bytes).trim_end());
        if wanted(&plain) {
            picked.push(plain);
        }
        bytes.clear();
    }
    picked
}

/// Removes terminal colour codes.
pub fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '\u{1b}' => drop(rest.find(|letter| letter.is_ascii_alphabetic())),
            _ => plain.push(letter),
        }
    }
    plain
}

/// Runs a command in the open for at most `limit`; true if it ended in time and well.
pub fn run_within(command: &mut Command, limit: Duration) -> bool {
    eprintln!("  $ {}", line(command));
    let Ok(mut child) = command.stdin(Stdio::null()).spawn() else {
        return false;
    };
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if start.elapsed() < limit => thread::sleep(Duration::from_millis(100)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}

/// The program of that name on PATH.
pub fn find(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(format!("{program}{}", env::consts::EXE_SUFFIX)))
        .find(|file| file.is_file())
}

/// PATH with some folders put first.
pub fn path_with(first: impl IntoIterator<Item = PathBuf>) -> std::ffi::OsString {
    let rest = env::var_os("PATH").unwrap_or_default();
    env::join_paths(first.into_iter().chain(env::split_paths(&rest))).unwrap_or(rest)
}

/// The command as a person would type it.
fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut line = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}

fn cannot_start(command: &Command, why: &std::io::Error) -> String {
    format!("cannot start `{}`: {why}", line(command))
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn colours_are_removed() {
        assert_eq!(without_colours("\u{1b}[32;1mSummary\u{1b}[0m [ 1s]"), "Summary [ 1s]");
        assert_eq!(without_colours("plain"), "plain");
    }

    #[test]
    fn only_the_variables_of_cargo_run_are_dropped() {
        assert!(is_ours("CARGO_MANIFEST_DIR"));
        assert!(is_ours("CARGO"));
        assert!(!is_ours("CARGO_HOME"));
        assert!(!is_ours("CARGO_NET_OFFLINE"));
    }
}
