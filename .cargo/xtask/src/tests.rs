//! Everything that checks: tests, lints, claims, speed.
//!
//! # Why
//! One native feature set, `cli` in the dev profile, for tests, docs and the command line: Burn takes
//! half an hour to compile, so it is compiled once. All parts run even when one fails, since whoever
//! waits for CI wants to learn everything at once; and the native tests' own summary is printed again
//! at the very end, where people and machines look for it.
//!
//! # Speed
//! A bare machine with two cores of a Xeon, 2026-11-27: the tools of the page take 6 min 22 s, of which Trunk 4 min; the native
//! build took 27 min 33 s, that is 52 min of processor time, 19 of them for our crate and its tests. With derives at level 0 it
//! takes about 47. A change of our crate costs 8 min then, most of it for unit tests at full optimisation.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::thread;
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::cache::{self, Project};
use crate::process::{self, command, find, run, say, status, tee};
use crate::skipped::{self, Skipped};
use crate::times::PartTimes;
use crate::{python, setup, supply, system, web, workspace};

const FEATURES: [&str; 2] = ["--features", "cli"];
const LINKS: &str = "tests/fuzz/links.mjs";
const FILES: &str = "tests/fuzz/files.mjs";
const FUZZED: &str = "tests/fuzz/wasm";
const E2E: &str = "tests/e2e/run.mjs";
const BROWSER_BENCH: &str = "tests/e2e/bench.mjs";
const BROWSER_PEERS: &str = "tests/e2e/peers.mjs";

/// How a part ended, other than badly.
enum Done {
    Passed,
    Skipped(String),
}

/// The parts of one command, with how each ended.
struct Report<'a> {
    project: &'a Project,
    parts: Vec<(&'static str, Outcome<Done>, Duration)>,
    /// The tests that were skipped, then the native tests' own summary, printed last.
    summary: Vec<String>,
    /// How long the parts took before.
    times: PartTimes,
}

impl<'a> Report<'a> {
    fn new(project: &'a Project) -> Self {
        Self { project, parts: Vec::new(), summary: Vec::new(), times: PartTimes::of(project) }
    }

    fn part(&mut self, name: &'static str, work: impl FnOnce(&mut Self) -> Outcome<Done>) {
        let before = self.times.describe(name).map(|words| format!(", {words}")).unwrap_or_default();
        eprintln!("\n━━ {name}{before} ━━");
        let start = Instant::now();
        let outcome = work(self);
        let took = start.elapsed();
        match &outcome {
            Ok(Done::Passed) => {
                self.times.set(name, took);
                eprintln!("━━ {name}: passed in {}", seconds(took));
            }
            Ok(Done::Skipped(why)) => eprintln!("━━ {name}: skipped, {why}"),
            Err(why) => eprintln!("━━ {name}: FAILED after {}, {why}", seconds(took)),
        }
        self.parts.push((name, outcome, took));
    }

    fn cargo(&mut self, name: &'static str, arguments: &[&str]) {
        self.part(name, |report| passed(run(native(report.project).args(arguments))));
    }

    fn finish(self) -> ExitCode {
        println!("\n━━ summary ━━");
        let mut is_good = true;
        for (name, outcome, took) in &self.parts {
            let (mark, note) = match outcome {
                Ok(Done::Passed) => ("passed ", String::new()),
                Ok(Done::Skipped(why)) => ("skipped", why.clone()),
                Err(why) => {
                    is_good = false;
                    ("FAILED ", why.lines().next().unwrap_or_default().into())
                }
            };
            println!("{mark} {name:<22}{:>8}  {note}", seconds(*took));
        }
        for line in &self.summary {
            println!("{line}");
        }
        if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// `cargo xtask test`: cheapest first. With a filter, only the native tests that match it.
pub fn test(project: &Project, filter: &[String]) -> Outcome<ExitCode> {
    let mut report = Report::new(project);
    vulkan(&mut report);
    let _claim = project.claim(&project.native_builds())?;
    if filter.is_empty() {
        if let Some(words) = report.times.describe_total() {
            say(words);
        }
        format(&mut report);
        everything(&mut report);
        report.times.save(project);
    } else {
        native_tests(&mut report, filter);
    }
    Ok(report.finish())
}

/// `cargo xtask browser`: the groups of browser tests with one of these words in their names, or all.
pub fn browser(project: &Project, words: &[String]) -> Outcome<ExitCode> {
    let claim = project.claim(&project.native_builds())?;
    let mut cargo = native(project);
    // The page's numbers are compared with those of the command line.
    run(cargo.args(["build", "--quiet", "--bin", "lab"]).args(FEATURES))?;
    drop(claim);
    web::build(project, "./")?;
    status(node(project, E2E)?.args(words)).map(code)
}

/// `cargo xtask check`: what has to pass before a commit.
pub fn check(project: &Project) -> Outcome<ExitCode> {
    let mut report = Report::new(project);
    vulkan(&mut report);
    let _claim = project.claim(&project.native_builds())?;
    format(&mut report);
    report.part("spelling", |report| match find("typos") {
        Some(typos) => passed(run(command(typos).current_dir(&report.project.root))),
        None => Ok(Done::Skipped("typos is not installed".into())),
    });
    report.part("lints, chores", |report| {
        passed(run(chores(report.project, "clippy").args(["--all-targets", "--", "-Dwarnings"])))
    });
    let every_package = workspace::every_package(project)?;
    let clippy =
        [&["clippy", "--all-targets"], &FEATURES[..], &every_package, &["--", "-Dwarnings"]].concat();
    report.cargo("lints, native", &clippy);
    // Separate, since its tests need a Python: `cargo xtask python` runs them.
    let python = python::features(project)?;
    report.cargo("lints, Python", &[&["clippy", "--lib"], &python[..], &["--", "-Dwarnings"]].concat());
    report.part("lints, CUDA", |report| {
        let mut clippy = native(report.project);
        clippy.args(["clippy", "--lib", "--features", "cli,cuda", "--", "-Dwarnings"]);
        // With it cubecl's build does not fetch LLVM, which only linking needs.
        passed(run(clippy.env("DOCS_RS", "1")))
    });
    report.part("lints, wasm", |report| {
        let toolchain = setup::page(report.project)?;
        let _claim = report.project.claim(&report.project.wasm_builds())?;
        for bundle in web::bundles(report.project)? {
            run(toolchain
                .command(report.project, "cargo")
                .current_dir(&report.project.root)
                .arg("clippy")
                .args(bundle.arguments())
                .args(["--", "-Dwarnings"]))?;
        }
        Ok(Done::Passed)
    });
    report.part("docs", |report| {
        passed(run(native(report.project)
            .args(["doc", "--no-deps", "--document-private-items"])
            .args(FEATURES)
            .args(&every_package)
            .env("RUSTDOCFLAGS", "-Dwarnings")))
    });
    report.part("cargo deny", |report| match find("cargo-deny") {
        Some(_) => passed(supply::deny(report.project)),
        None => Ok(Done::Skipped(
            "cargo-deny is not installed; what Cargo.lock tells is checked all the same".into(),
        )),
    });
    everything(&mut report);
    Ok(report.finish())
}

/// `cargo xtask dependencies`: what is depended on, against `deny.toml`.
pub fn dependencies(project: &Project) -> Outcome {
    supply::check(project)?;
    match find("cargo-deny") {
        Some(_) => supply::deny(project),
        None => {
            say("cargo-deny is not installed, so advisories were not checked");
            Ok(())
        }
    }
}

/// Sees to a Vulkan driver. Without one, tests on a GPU are skipped on a person's machine and fail in CI.
fn vulkan(report: &mut Report) {
    if cfg!(target_os = "linux") {
        report.part("Vulkan driver", |_| match system::vulkan() {
            Err(why) if !skipped::is_ci() => Ok(Done::Skipped(format!("and so are tests on a GPU: {why}"))),
            outcome => passed(outcome),
        });
    }
}

fn format(report: &mut Report) {
    report.cargo("format", &["fmt", "--all", "--check"]);
    report.part("format of labs", |report| {
        // Not the command, which names two hundred files.
        let outcome = run(rustfmt_labs(report.project)?.arg("--check"));
        passed(outcome.map_err(|_| "a lab has another format; run `cargo xtask format`".into()))
    });
}

/// `cargo xtask format`: everything that has a format gets it.
pub fn formatted(project: &Project) -> Outcome {
    run(native(project).args(["fmt", "--all"]))?;
    run(&mut rustfmt_labs(project)?)?;
    run(&mut chores(project, "fmt"))?;
    run(native(project).args(["fmt", "--manifest-path"]).arg(fuzzed(project)))
}

/// A formatter of the labs: a macro declares their modules, which `cargo fmt` therefore does not find.
fn rustfmt_labs(project: &Project) -> Outcome<Command> {
    let mut files = vec![];
    sources(&project.root.join("src/labs"), &mut files)?;
    let mut rustfmt = command("rustfmt");
    rustfmt.current_dir(&project.root).args(["--edition", "2024"]).args(files);
    Ok(rustfmt)
}

/// The Rust files of a folder and of those in it.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) -> Outcome {
    let broken = |why: std::io::Error| format!("cannot list {}: {why}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(broken)? {
        let path = entry.map_err(broken)?.path();
        if path.is_dir() {
            sources(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    Ok(())
}

/// All tests but the format.
fn everything(report: &mut Report) {
    report.part("chores", |report| {
        run(chores(report.project, "fmt").arg("--check"))?;
        passed(run(chores(report.project, "test").arg("--quiet")))
    });
    report.part("dependencies", |report| passed(supply::check(report.project)));
    report.cargo("core alone", &["check", "--lib", "--no-default-features"]);
    native_tests(report, &[]);
    report.part("examples in docs", |report| {
        let every_package = workspace::every_package(report.project)?;
        passed(run(native(report.project).args(["test", "--doc"]).args(FEATURES).args(every_package)))
    });
    report.part("Python module", |report| match python::is_wanted() {
        true => passed(python::test(report.project)),
        false => {
            Ok(Done::Skipped("VIVARIUM_PYTHON is not set; `cargo xtask python` runs these tests".into()))
        }
    });
    let mut module = None;
    report.part("core as WebAssembly", |report| {
        run(native(report.project).args(["fmt", "--check", "--manifest-path"]).arg(fuzzed(report.project)))?;
        module = Some(build_fuzzed(report.project)?);
        Ok(Done::Passed)
    });
    let trials = module.map(|module| Trials::start(report.project, &module));
    report.part("page", |report| passed(web::build(report.project, "./")));
    if let Some(trials) = trials {
        trials.finish(report);
    }
    report.part("page in a browser", |report| {
        if !report.project.root.join(E2E).is_file() {
            return Ok(Done::Skipped(format!("there is no {E2E}")));
        }
        if !report.project.dist().join("index.html").is_file() {
            return Err("there is no page to test".into());
        }
        passed(run(&mut node(report.project, E2E)?))
    });
}

fn native_tests(report: &mut Report, arguments: &[String]) {
    report.part("native tests", |report| {
        let mut cargo = native(report.project);
        let runner = match find("cargo-nextest") {
            Some(_) => Runner::Nextest,
            None => Runner::Cargo,
        };
        cargo.args(runner.words());
        // For the same reason as all parts run: each failure hidden by another costs a CI run.
        cargo.arg("--no-fail-fast").args(FEATURES);
        cargo.args(scope(report.project, runner, arguments)?);
        let skipped = Skipped::start(report.project)?;
        skipped.watch(&mut cargo);
        let (status, summary) = tee(&mut cargo, is_summary)?;
        report.summary = [skipped.summary()?, summary].concat();
        if status.success() { Ok(Done::Passed) } else { Err(format!("cargo said {status}")) }
    });
}

/// What runs the native tests.
#[derive(Clone, Copy)]
enum Runner {
    Cargo,
    Nextest,
}

impl Runner {
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Cargo => &["test"],
            Self::Nextest => &["nextest", "run"],
        }
    }

    /// All targets with native tests.
    fn every_target(self) -> &'static [&'static str] {
        match self {
            Self::Cargo => &["--lib", "--bins", "--tests"],
            Self::Nextest => &[],
        }
    }
}

/// What to compile, and what to pass on: only packages that match the filters, or all.
fn scope(project: &Project, runner: Runner, arguments: &[String]) -> Outcome<Vec<String>> {
    let at = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
    let (filters, rest) = arguments.split_at(at);
    // Somebody who passes options to cargo may choose targets or packages, and which words are filters is unknown.
    let has_options = filters.iter().any(|word| word.starts_with('-'));
    let has_packages = filters.iter().any(|word| ["-p", "--package", "--workspace"].contains(&word.as_str()));
    let selection = if has_options { None } else { workspace::select(&project.root, filters)? };
    let texts = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    Ok(match selection {
        Some(selection) => {
            let mut words = texts(&selection.arguments());
            // Behind the dashes both runners take several filters.
            words.push("--".into());
            words.extend(selection.filters);
            words.extend(rest.iter().skip(1).cloned());
            words
        }
        None => {
            let packages = if has_packages { vec![] } else { workspace::every_package(project)? };
            [texts(runner.every_target()), texts(&packages), arguments.to_vec()].concat()
        }
    })
}

/// Whether a line is nextest's or cargo's account of a whole run.
fn is_summary(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("Summary [") || line.starts_with("test result: ")
}

/// `cargo xtask links`: links at random, or those given, on the core as 32-bit WebAssembly.
pub fn links(project: &Project, given: &[String]) -> Outcome {
    fuzz(project, LINKS, given)
}

/// `cargo xtask files`: changed files and stored entries on it, of all kinds or of those given.
pub fn files(project: &Project, given: &[String]) -> Outcome {
    fuzz(project, FILES, given)
}

fn fuzz(project: &Project, script: &str, given: &[String]) -> Outcome {
    let module = build_fuzzed(project)?;
    run(trial(project, script, &module).args(given))
}

/// The command that tries random links or files on the compiled core.
fn trial(project: &Project, script: &str, module: &Path) -> Command {
    let mut node = command("node");
    node.current_dir(&project.root).arg(script).arg(module);
    node
}

/// Compiles the core for the trials of random links and files; the path of the module.
fn build_fuzzed(project: &Project) -> Outcome<PathBuf> {
    system::node()?;
    let toolchain = setup::wasm_std(project)?;
    let claim = project.claim(&project.wasm_builds())?;
    // The same versions as in the page, without another look at the registry.
    cache::write(project.root.join(FUZZED).join("Cargo.lock"), project.read("Cargo.lock")?)?;
    run(toolchain
        .command(project, "cargo")
        .current_dir(&project.root)
        .args(["build", "--release", "--target", setup::WASM, "--manifest-path"])
        .arg(fuzzed(project)))?;
    // The trials may go on for hours.
    drop(claim);
    Ok(project.target().join(setup::WASM).join("release/vivarium_links.wasm"))
}

/// Trials of random links, then of random files, in the background.
///
/// # Why
/// They keep one core busy for four minutes, and one core is idle for about as long while the page is linked.
struct Trials(thread::JoinHandle<Vec<(&'static str, Outcome<Output>)>>);

impl Trials {
    fn start(project: &Project, module: &Path) -> Self {
        let commands = [("links as WebAssembly", LINKS), ("files as WebAssembly", FILES)]
            .map(|(part, script)| (part, trial(project, script, module)));
        say("links and files are tried on the core while the page is compiled");
        Self(thread::spawn(move || {
            commands.into_iter().map(|(part, mut trial)| (part, process::capture(&mut trial))).collect()
        }))
    }

    /// Waits for the trials, and reports them as parts of the test.
    fn finish(self, report: &mut Report) {
        for (part, outcome) in self.0.join().expect("running a command does not panic") {
            report.part(part, |_| {
                let output = outcome?;
                eprint!("{}", String::from_utf8_lossy(&[output.stdout, output.stderr].concat()));
                match output.status {
                    status if status.success() => Ok(Done::Passed),
                    status => Err(format!("the trials failed ({status})")),
                }
            });
        }
    }
}

fn fuzzed(project: &Project) -> PathBuf {
    project.root.join(FUZZED).join("Cargo.toml")
}

/// `cargo xtask science`: the presets' claims, with their numbers printed.
pub fn science(project: &Project, filter: &[String]) -> Outcome<ExitCode> {
    system::vulkan_or_say();
    let _claim = project.claim(&project.native_builds())?;
    let cargo = &mut native(project);
    cargo.arg("test").args(FEATURES).args(["--test", "science", "--", "--include-ignored", "--nocapture"]);
    status(cargo.args(filter)).map(code)
}

/// `cargo xtask bench`: this machine, then its browser; with `--web`, the browser and its peers.
pub fn bench(project: &Project, arguments: &[String]) -> Outcome<ExitCode> {
    let (web, others): (Vec<_>, Vec<_>) = arguments.iter().cloned().partition(|word| word == "--web");
    if !web.is_empty() {
        return bench_peers(project, &others);
    }
    let bench = ["bench".to_string()];
    match lab(project, &[&bench, arguments].concat())? {
        ExitCode::SUCCESS => bench_browser(project),
        failed => Ok(failed),
    }
}

/// The built page in a browser.
fn bench_browser(project: &Project) -> Outcome<ExitCode> {
    if !project.root.join(BROWSER_BENCH).is_file() {
        say(format!("the browser is not measured, since there is no {BROWSER_BENCH}"));
        return Ok(ExitCode::SUCCESS);
    }
    web::build(project, "./")?;
    status(&mut node(project, BROWSER_BENCH)?).map(code)
}

/// The page in a browser, then the page and TensorFlow.js in turns.
fn bench_peers(project: &Project, arguments: &[String]) -> Outcome<ExitCode> {
    // First what can fail for want of a network: building and measuring take minutes.
    system::browser_peers(project)?;
    let alone = bench_browser(project)?;
    if alone != ExitCode::SUCCESS {
        return Ok(alone);
    }
    status(node(project, BROWSER_PEERS)?.args(arguments)).map(code)
}

/// `cargo lab …`: the library's own command line, where the person stands.
pub fn lab(project: &Project, arguments: &[String]) -> Outcome<ExitCode> {
    let claim = project.claim(&project.native_builds())?;
    let mut cargo = native(project);
    // Without the usual echo: the output of `lab` may be data.
    cargo.args(["build", "--quiet", "--bin", "lab"]).args(FEATURES);
    let built = cargo.status().map_err(|why| format!("cannot start cargo: {why}"))?;
    if !built.success() {
        return Ok(code(built));
    }
    // A run may take hours.
    drop(claim);
    let program = project.target().join("debug").join("lab").with_extension(std::env::consts::EXE_EXTENSION);
    let mut lab = command(&program);
    surroundings(project, &mut lab);
    lab.args(arguments).status().map(code).map_err(|why| format!("cannot start {}: {why}", program.display()))
}

fn native(project: &Project) -> Command {
    let mut cargo = command("cargo");
    surroundings(project, &mut cargo);
    cargo.current_dir(&project.root);
    cargo
}

/// A cargo for this crate, which is cheap and shares nothing with the others.
fn chores(project: &Project, verb: &str) -> Command {
    let mut cargo = command("cargo");
    cargo.current_dir(&project.root).args([verb, "--manifest-path", ".cargo/xtask/Cargo.toml"]);
    cargo
}

fn node(project: &Project, script: &str) -> Outcome<Command> {
    let browser = system::browser_tests(project)?;
    let mut node = command("node");
    surroundings(project, &mut node);
    node.current_dir(&project.root)
        .arg(script)
        .env("DIST", project.dist())
        .env("CHROME", browser.chrome)
        .env("NODE_PATH", browser.modules);
    Ok(node)
}

fn surroundings(project: &Project, command: &mut Command) {
    project.build_in(project.native_builds(), command);
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // Mesa's software driver complains about it in every single test.
        let folder = project.cache.join("runtime");
        if make_private(&folder).is_ok() {
            command.env("XDG_RUNTIME_DIR", folder);
        }
    }
}

fn make_private(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    #[cfg(unix)]
    std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}

fn passed(outcome: Outcome) -> Outcome<Done> {
    outcome.map(|()| Done::Passed)
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

fn code(status: std::process::ExitStatus) -> ExitCode {
    // Killed by a signal means no code; that is no success either.
    let code = status.code().unwrap_or(1);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn summaries_of_both_runners_are_recognised() {
        assert!(is_summary("     Summary [   1.5s] 3 tests run: 3 passed, 0 skipped"));
        assert!(is_summary("test result: ok. 3 passed; 0 failed; 0 ignored"));
        assert!(!is_summary("        PASS [   0.01s] vivarium tests::summary"));
    }
}
