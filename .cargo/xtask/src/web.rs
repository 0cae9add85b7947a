//! The page: compile each wasm binary, bundle with Trunk, finish what it left ([`finish`]).
//!
//! # Why
//! Trunk starts one cargo per binary at once, so we compile first, one after the other, smallest
//! first: the output stays readable, a mistake in the page shows after seconds, and Trunk then
//! finds everything fresh. Which binaries Trunk bundles is read from `www/index.html`, so that Trunk,
//! this file and the lints agree. The programs for the GPU take as long to compile as all others, and
//! the page works without them, so they are no part of what Trunk waits for: `serve` compiles them
//! while the page is shown already.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, SystemTime};

use crate::Outcome;
use crate::cache::Project;
use crate::process::{run, say, start};
use crate::setup::{self, Toolchain};
use crate::{finish, wasm};

const INDEX: &str = "www/index.html";

/// Cargo's settings while the page is served and rebuilt: what changed is compiled again piece by piece, and nothing is
/// optimised across crates. A rebuild takes a fifth of the time; the first program is larger by half.
const REBUILT: [(&str, &str); 5] = [
    ("CARGO_PROFILE_PAGE_LTO", "off"),
    ("CARGO_PROFILE_PAGE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_PAGE_INCREMENTAL", "true"),
    ("CARGO_PROFILE_WORKER_INCREMENTAL", "true"),
    ("CARGO_PROFILE_WORKER_GPU_INCREMENTAL", "true"),
];

/// The programs for the GPU, each with its cargo features: our kernels alone, and Burn. They share a profile.
const GPU_PROGRAMS: [(&str, &str); 2] = [("worker_fused", "fused,web"), ("worker_gpu", "gpu,web")];
const GPU_PROFILE: &str = "worker_gpu";

/// How often `serve` looks whether Trunk has built the page again.
const POLL: Duration = Duration::from_secs(1);

/// One program of the page: a `<link data-trunk rel="rust">`, or a program for the GPU.
#[derive(PartialEq, Eq, Debug, Clone)]
pub struct Bundle {
    /// The binary's name.
    pub bin: String,
    /// Its cargo features, separated by commas.
    pub features: String,
    /// Its cargo profile.
    pub profile: String,
}

impl Bundle {
    /// What cargo must be told to compile, check or lint it; the same words as Trunk's.
    pub fn arguments(&self) -> [&str; 7] {
        [
            "--target=wasm32-unknown-unknown",
            "--profile",
            &self.profile,
            "--bin",
            &self.bin,
            "--features",
            &self.features,
        ]
    }
}

/// The wasm binaries of the page: those of `index.html` in its order, then those for the GPU.
pub fn bundles(project: &Project) -> Outcome<Vec<Bundle>> {
    Ok([rust_links(&project.read(INDEX)?), gpu_programs()].concat())
}

fn gpu_programs() -> Vec<Bundle> {
    let bundle = |(bin, features): (&str, &str)| Bundle {
        bin: bin.into(),
        features: features.into(),
        profile: GPU_PROFILE.into(),
    };
    GPU_PROGRAMS.map(bundle).to_vec()
}

/// Builds the page into `dist/`.
pub fn build(project: &Project, public_url: &str) -> Outcome {
    let toolchain = setup::page(project)?;
    let _claim = project.claim(&project.wasm_builds())?;
    let (first, gpu) = (rust_links(&project.read(INDEX)?), gpu_programs());
    for bundle in first.iter().chain(&gpu) {
        compile(project, &toolchain, bundle, &[])?;
    }
    let dist = project.dist();
    forget_snippets(project);
    run(trunk(project, &toolchain, "build", &dist).args(["--public-url", public_url]))?;
    for bundle in &gpu {
        copy(&bind(project, &toolchain, bundle)?, &dist)?;
    }
    finish::finish(project, &dist)?;
    say(format!("the page is in {}", dist.display()));
    Ok(())
}

/// Builds the page, serves it on this machine only, and rebuilds on every change. The page is there before the programs for
/// the GPU are.
pub fn serve(project: &Project, port: u16) -> Outcome {
    let toolchain = setup::page(project)?;
    let claim = project.claim(&project.wasm_builds())?;
    for bundle in &rust_links(&project.read(INDEX)?) {
        compile(project, &toolchain, bundle, &REBUILT)?;
    }
    forget_snippets(project);
    // A page that is shown all day must not keep other clones from building.
    drop(claim);
    // Not `dist`: what Trunk serves reloads itself, and that must never be published.
    let dist = project.target().join("serve");
    // What an earlier command has left there is no sign that the page is built.
    let _ = fs::remove_file(dist.join("index.html"));
    say(format!("soon at http://127.0.0.1:{port}, until Ctrl-C; then come the programs for the GPU"));
    let port = port.to_string();
    let mut trunk = trunk(project, &toolchain, "serve", &dist);
    let mut served = start(trunk.envs(REBUILT).args(["--address", "127.0.0.1", "--port", &port]))?;
    let mut done = None;
    loop {
        if let Some(status) = served.try_wait().map_err(|why| format!("lost Trunk: {why}"))? {
            return if status.success() { Ok(()) } else { Err(format!("Trunk failed ({status})")) };
        }
        let page = built_at(&dist);
        if page.is_some() && page != done {
            // The next change of the source may correct a mistake.
            add_gpu_programs(project, &toolchain, &dist, page)
                .unwrap_or_else(|why| say(format!("no programs for the GPU: {why}")));
            done = page;
        }
        thread::sleep(POLL);
    }
}

/// Compiles the programs for the GPU and puts them beside the page that was built at `page`. If Trunk has built another page
/// meanwhile, whose folder replaces this one, it copies nothing.
fn add_gpu_programs(
    project: &Project,
    toolchain: &Toolchain,
    dist: &Path,
    page: Option<SystemTime>,
) -> Outcome {
    for bundle in gpu_programs() {
        let _claim = project.claim(&project.wasm_builds())?;
        compile(project, toolchain, &bundle, &REBUILT)?;
        let folder = bind(project, toolchain, &bundle)?;
        wasm::strip_names(&folder)?;
        if built_at(dist) != page {
            return Ok(());
        }
        copy(&folder, dist)?;
    }
    say("the programs for the GPU are beside the page");
    Ok(())
}

/// When Trunk wrote the page into this folder, if it has.
fn built_at(dist: &Path) -> Option<SystemTime> {
    fs::metadata(dist.join("index.html")).and_then(|index| index.modified()).ok()
}

/// Compiles one program, with these settings of cargo besides its profile's.
fn compile(project: &Project, toolchain: &Toolchain, bundle: &Bundle, settings: &[(&str, &str)]) -> Outcome {
    say(format!("compiling {} for the browser", bundle.bin));
    run(toolchain
        .command(project, "cargo")
        .current_dir(&project.root)
        .envs(settings.iter().copied())
        .arg("build")
        .args(bundle.arguments()))
}

/// Has wasm-bindgen write the files of a compiled program into a folder, as Trunk does for the programs that it bundles, and
/// returns the folder.
fn bind(project: &Project, toolchain: &Toolchain, bundle: &Bundle) -> Outcome<PathBuf> {
    let Bundle { bin, profile, .. } = bundle;
    let folder = project.target().join("gpu").join(bin);
    let _ = fs::remove_dir_all(&folder);
    let program = project.target().join(setup::WASM).join(profile).join(format!("{bin}.wasm"));
    run(toolchain
        .command(project, "wasm-bindgen")
        .arg(program)
        .args(["--target", "web", "--no-typescript", "--out-name", bin, "--out-dir"])
        .arg(&folder))?;
    Ok(folder)
}

/// Copies the files of a folder into another one, the programs before the scripts that fetch them: a script that is there
/// tells that its program is.
fn copy(from: &Path, to: &Path) -> Outcome {
    let broken = |why: std::io::Error| format!("cannot copy {} to {}: {why}", from.display(), to.display());
    let mut files: Vec<_> = fs::read_dir(from).map_err(broken)?.flatten().map(|entry| entry.path()).collect();
    files.sort_by_key(|file| file.extension().is_none_or(|end| end != "wasm"));
    for file in files {
        let name = file.file_name().unwrap_or_default();
        fs::copy(&file, to.join(name)).map_err(broken)?;
    }
    Ok(())
}

/// Removes the snippets of earlier builds, all of which Trunk would copy.
fn forget_snippets(project: &Project) {
    let _ = fs::remove_dir_all(project.target().join("wasm-bindgen"));
}

fn trunk(project: &Project, toolchain: &Toolchain, verb: &str, dist: &Path) -> Command {
    let mut trunk = toolchain.command(project, "trunk");
    trunk
        .current_dir(&project.root)
        .args([verb, "--dist"])
        .arg(dist)
        .env("TRUNK_SKIP_VERSION_CHECK", "true")
        // Trunk wants `true` or `false` there and stops at the usual `1`.
        .env_remove("NO_COLOR");
    trunk
}

fn rust_links(html: &str) -> Vec<Bundle> {
    let mut shown = String::new();
    for (at, part) in html.split("<!--").enumerate() {
        shown.push_str(if at == 0 { part } else { part.split_once("-->").map_or("", |it| it.1) });
    }
    shown
        .split("<link")
        .skip(1)
        .filter_map(|link| {
            let link = link.split('>').next()?;
            let value = |name: &str| {
                let (_, rest) = link.split_once(&format!("{name}=\""))?;
                Some(rest.split('"').next()?.to_string())
            };
            (value(" rel")? == "rust").then_some(())?;
            Some(Bundle {
                bin: value("data-bin")?,
                features: value("data-cargo-features").unwrap_or_default(),
                profile: value("data-cargo-profile").unwrap_or_else(|| "release".into()),
            })
        })
        .collect()
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn the_binaries_are_read_from_the_links() {
        let html = "<link data-trunk rel=\"css\" href=\"a.css\">\n<!-- <link rel=\"rust\" data-bin=\"no\"> -->\n\
                    <link data-trunk rel=\"rust\"\n  data-bin=\"worker\" data-cargo-features=\"cpu,web\"\n\
                    data-cargo-profile=\"worker\">";
        let worker = Bundle { bin: "worker".into(), features: "cpu,web".into(), profile: "worker".into() };
        assert_eq!(rust_links(html), [worker]);
    }
}
