//! The chores of Vivarium: `cargo xtask <command>`.
//!
//! # Why
//! One command line for people and for CI, with few dependencies, so that it compiles in ten seconds.
//! Whatever it builds or installs goes to one cache folder outside the clone ([`cache`]), so a fresh
//! clone on a warm machine compiles only our own crate.

mod cache;
mod finish;
mod hash;
mod process;
mod python;
mod serve;
mod setup;
mod size;
mod skipped;
mod split;
mod supply;
mod system;
mod tests;
mod times;
mod version;
mod wasm;
mod web;
mod workspace;

use std::process::ExitCode;

use cache::Project;

/// What a chore returns: nothing, or one sentence that says what went wrong and what to do.
type Outcome<T = ()> = Result<T, String>;

const HELP: &str = "\
cargo xtask <command>

  serve [--port 8080]   build the page, serve it on this machine, rebuild on every change
  serve --no-build      serve dist/ as it is
  build [--public-url ./]
                        build the page into dist/, ready for any static host
  test                  everything that must hold: format, core, native tests, page, browser
  test <filter>         the native tests whose names contain it: a word, a path such as
                        parity::charts, or with a package in front, labs::parity
  browser [word…]       builds the page and runs the groups of browser tests whose names contain a
                        word, or all; VIVARIUM_BROWSERS says how many at a time
  check                 lints and docs on top: what to run before a commit
  format                formats every source file, the labs too, which `cargo fmt` does not find
  dependencies          licences, sources and second copies against deny.toml; advisories
                        where cargo-deny is installed
  size                  compressed sizes of dist/ against .cargo/size-budget.toml
  links [link…]         links at random, or these, on the core as 32-bit WebAssembly;
                        VIVARIUM_MUTATIONS says how many
  files [kind…]         changed files and stored entries on it; of the kinds run, weights, table
                        and entry, or of all
  python                the wheel of the Python module into target/wheels, its tests and its
                        notebook; VIVARIUM_PYTHON is the Python that has what they need
  science               the claims of every preset, with their numbers printed
  bench                 steps per second, on this machine and in its browser
  bench --web [--seconds 3] [--rounds 5]
                        the same in its browser alone, then next to TensorFlow.js in turns
  lab <arguments>       the command line of the library; `cargo lab` is short for it
  split                 what Trunk calls to cut the page's program in two
  setup [--browser]     only fetch the tools, or the browsers and the Vulkan driver of the tests
                        too; every command above does so by itself

Tools and build outputs live in $VIVARIUM_CACHE, or else in ~/.cache/vivarium.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", [].as_slice()),
    };
    match run(command, rest) {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("xtask {command}: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: &str, rest: &[String]) -> Outcome<ExitCode> {
    let project = Project::open()?;
    let has = |flag: &str| rest.iter().any(|argument| argument == flag);
    let outcome = match command {
        "setup" => setup::page(&project).and_then(|_| match has("--browser") {
            true => system::browser_tests(&project).map(|_| {
                system::engines();
                system::vulkan_or_say();
            }),
            false => Ok(()),
        }),
        "serve" if has("--no-build") => serve::files(&project.dist(), port(rest)?),
        "serve" => web::serve(&project, port(rest)?),
        "build" => web::build(&project, value(rest, "--public-url").unwrap_or("./")),
        "test" => return tests::test(&project, rest),
        "browser" => return tests::browser(&project, rest),
        "check" => return tests::check(&project),
        "format" => tests::formatted(&project),
        "dependencies" => tests::dependencies(&project),
        "size" => size::check(&project),
        "links" => tests::links(&project, rest),
        "files" => tests::files(&project, rest),
        "split" => split::split(&project),
        "python" => python::test(&project),
        "science" => return tests::science(&project, rest),
        "bench" => return tests::bench(&project, rest),
        "lab" => return tests::lab(&project, rest),
        "help" | "--help" | "-h" => {
            println!("{HELP}");
            Ok(())
        }
        _ => Err(format!("no such command\n\n{HELP}")),
    };
    outcome.map(|()| ExitCode::SUCCESS)
}

/// The word after `flag`, or the part after `flag=`.
fn value<'a>(arguments: &'a [String], flag: &str) -> Option<&'a str> {
    arguments.iter().enumerate().find_map(|(at, argument)| match argument.strip_prefix(flag)? {
        "" => arguments.get(at + 1).map(String::as_str),
        rest => rest.strip_prefix('='),
    })
}

fn port(arguments: &[String]) -> Outcome<u16> {
    value(arguments, "--port").map_or(Ok(8080), |port| {
        port.parse().map_err(|_| format!("`{port}` is not a port; it is a number up to 65535"))
    })
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn flags_take_a_value_in_both_forms() {
        let words = |line: &str| line.split(' ').map(String::from).collect::<Vec<_>>();
        assert_eq!(port(&words("serve")), Ok(8080));
        assert_eq!(port(&words("--port 9000")), Ok(9000));
        assert_eq!(port(&words("--port=9001")), Ok(9001));
        assert!(port(&words("--port many")).is_err());
        assert_eq!(value(&words("--port"), "--port"), None);
    }
}
