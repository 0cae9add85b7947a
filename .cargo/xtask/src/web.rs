//! The page: compile each wasm binary, bundle with Trunk, finish what it left ([`finish`]).
//!
//! # Why
//! Trunk starts one cargo per binary at once, so we compile first, one after the other, smallest
//! first: the output stays readable, a mistake in the page shows after seconds, and Trunk then
//! finds everything fresh. Which binaries there are is read from `www/index.html`, so that Trunk,
//! this file and the lints agree.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::Outcome;
use crate::cache::Project;
use crate::finish;
use crate::process::{run, say};
use crate::setup::{self, Toolchain};

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

/// One `<link data-trunk rel="rust">`.
#[derive(PartialEq, Eq, Debug)]
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

/// The wasm binaries of the page, in the order of `index.html`.
pub fn bundles(project: &Project) -> Outcome<Vec<Bundle>> {
    Ok(rust_links(&project.read(INDEX)?))
}

/// Builds the page into `dist/`.
pub fn build(project: &Project, public_url: &str) -> Outcome {
    let toolchain = setup::page(project)?;
    let _claim = project.claim(&project.wasm_builds())?;
    compile(project, &toolchain, &[])?;
    let dist = project.dist();
    run(trunk(project, &toolchain, "build", &dist).args(["--public-url", public_url]))?;
    finish::finish(project, &dist)?;
    say(format!("the page is in {}", dist.display()));
    Ok(())
}

/// Builds the page, serves it on this machine only, and rebuilds on every change.
pub fn serve(project: &Project, port: u16) -> Outcome {
    let toolchain = setup::page(project)?;
    let claim = project.claim(&project.wasm_builds())?;
    compile(project, &toolchain, &REBUILT)?;
    // A page that is shown all day must not keep other clones from building.
    drop(claim);
    // Not `dist`: what Trunk serves reloads itself, and that must never be published.
    let dist = project.target().join("serve");
    say(format!("soon at http://127.0.0.1:{port}, until Ctrl-C"));
    let port = port.to_string();
    let mut trunk = trunk(project, &toolchain, "serve", &dist);
    run(trunk.envs(REBUILT).args(["--address", "127.0.0.1", "--port", &port]))
}

/// Compiles every program, with these settings of cargo besides the profiles'.
fn compile(project: &Project, toolchain: &Toolchain, settings: &[(&str, &str)]) -> Outcome {
    for bundle in bundles(project)? {
        say(format!("compiling {} for the browser", bundle.bin));
        run(toolchain
            .command(project, "cargo")
            .current_dir(&project.root)
            .envs(settings.iter().copied())
            .arg("build")
            .args(bundle.arguments()))?;
    }
    // Trunk copies every snippet that it finds there, those of earlier builds included.
    let _ = fs::remove_dir_all(project.target().join("wasm-bindgen"));
    Ok(())
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
