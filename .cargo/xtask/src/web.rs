//! The page: compile each wasm binary, bundle with Trunk, finish `index.html`.
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
use crate::cache::{self, Project};
use crate::process::{run, say};
use crate::setup::{self, Toolchain};
use crate::wasm;

const INDEX: &str = "www/index.html";
const HEADERS: &str = "www/_headers";
/// Keeps the page for visits without a network.
const KEEPER: &str = "service-worker.js";
/// Beginnings of the programs that only some visits want: they are left to the network.
const LATER: [&str; 2] = ["worker_fused", "worker_gpu"];
/// Beginnings of what is there for whoever shares a link: no visit of the page itself wants it.
const PREVIEWS: [&str; 2] = ["p/", "preview."];

/// Where the languages are, of which each visitor wants one at most: kept once it was fetched.
const LANGUAGES: &str = "languages/";
/// What stands in `index.html` until [`finish`] knows better.
const BUILD: &str = "__BUILD__";

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
    compile(project, &toolchain)?;
    let dist = project.dist();
    run(trunk(project, &toolchain, "build", &dist).args(["--public-url", public_url]))?;
    finish(project, &dist)?;
    say(format!("the page is in {}", dist.display()));
    Ok(())
}

/// Builds the page, serves it on this machine only, and rebuilds on every change.
pub fn serve(project: &Project, port: u16) -> Outcome {
    let toolchain = setup::page(project)?;
    let claim = project.claim(&project.wasm_builds())?;
    compile(project, &toolchain)?;
    // A page that is shown all day must not keep other clones from building.
    drop(claim);
    // Not `dist`: what Trunk serves reloads itself, and that must never be published.
    let dist = project.target().join("serve");
    say(format!("soon at http://127.0.0.1:{port}, until Ctrl-C"));
    let port = port.to_string();
    run(trunk(project, &toolchain, "serve", &dist).args(["--address", "127.0.0.1", "--port", &port]))
}

fn compile(project: &Project, toolchain: &Toolchain) -> Outcome {
    for bundle in bundles(project)? {
        say(format!("compiling {} for the browser", bundle.bin));
        run(toolchain
            .command(project, "cargo")
            .current_dir(&project.root)
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

/// Writes into `dist/index.html` what only a finished build knows.
///
/// The build's name goes into the workers' addresses, because their file names are fixed and a
/// browser could otherwise pair a new page with an old worker. The content policy goes there as
/// well, because GitHub Pages sends no headers of ours.
fn finish(project: &Project, dist: &Path) -> Outcome {
    wasm::strip_names(dist)?;
    let mut build = Fnv::default();
    for bundle in bundles(project)? {
        for end in [".js", "_bg.wasm"] {
            // The page's own files have a hash in their names already.
            if let Ok(bytes) = fs::read(dist.join(format!("{}{end}", bundle.bin))) {
                build.add(&bytes);
            }
        }
    }
    let index = dist.join("index.html");
    let policy = content_policy(&project.read(HEADERS)?)?;
    cache::write(&index, finished(&cache::read(&index)?, &policy, &build.name())?)?;
    let keeper = dist.join(KEEPER);
    cache::write(&keeper, kept(&cache::read(&keeper)?, dist)?)
}

/// The keeper with the files that it keeps. Its own text names their contents, so that a browser sees a new build.
fn kept(keeper: &str, dist: &Path) -> Outcome<String> {
    let (mut build, mut files, mut later) = (Fnv::default(), vec!["\"./\"".to_string()], vec![]);
    for file in files_in(dist, "")? {
        // Headers are for the server, and the keeper is the browser's own to keep.
        if [KEEPER, "_headers"].contains(&file.as_str()) {
            continue;
        }
        if PREVIEWS.iter().any(|start| file.starts_with(start)) {
            continue;
        }
        let bytes = fs::read(dist.join(&file)).map_err(|e| format!("{file}: {e}"))?;
        build.add(file.as_bytes());
        build.add(&bytes);
        if file.starts_with(LANGUAGES) {
            continue;
        }
        if LATER.iter().any(|start| file.starts_with(start)) {
            later.push(format!("\"{file}\": {}", bytes.len()));
        } else {
            files.push(format!("\"{file}\""));
        }
    }
    let texts = [
        (BUILD, build.name()),
        ("__FILES__", format!("[{}]", files.join(", "))),
        ("__LATER__", format!("{{ {} }}", later.join(", "))),
    ];
    let mut text = keeper.to_string();
    for (place, with) in texts {
        if !text.contains(place) {
            return Err(format!("www/{KEEPER} has lost its {place}"));
        }
        text = text.replace(place, &with);
    }
    Ok(text)
}

/// Files below `folder`, in the order of their names.
fn files_in(folder: &Path, below: &str) -> Outcome<Vec<String>> {
    let (mut files, mut entries) = (vec![], vec![]);
    for entry in fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))? {
        entries.push(entry.map_err(|e| e.to_string())?);
    }
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            files.extend(files_in(&entry.path(), &format!("{name}/"))?);
        } else {
            files.push(name);
        }
    }
    Ok(files)
}

fn finished(html: &str, policy: &str, build: &str) -> Outcome<String> {
    let lost = |what| format!("{INDEX} has lost its {what}");
    if !html.contains(BUILD) {
        return Err(lost("`<meta name=\"build\" content=\"__BUILD__\">`"));
    }
    let (before, after) = html.split_once("<head>").ok_or_else(|| lost("<head>"))?;
    let meta = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">");
    Ok(format!("{before}<head>\n    {meta}{after}").replace(BUILD, build))
}

fn content_policy(headers: &str) -> Outcome<String> {
    headers
        .lines()
        .find_map(|line| line.trim().strip_prefix("Content-Security-Policy:"))
        .map(|policy| policy.trim().to_string())
        .ok_or_else(|| format!("{HEADERS} has lost its Content-Security-Policy"))
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

/// A checksum that names a build; it guards against mistakes, not against malice.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn name(&self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn the_binaries_are_read_from_the_links() {
        let html = "<link data-trunk rel=\"css\" href=\"a.css\">\n<!-- <link rel=\"rust\" data-bin=\"no\"> -->\n\
                    <link data-trunk rel=\"rust\"\n  data-bin=\"worker\" data-cargo-features=\"train,web\"\n\
                    data-cargo-profile=\"worker\">";
        let worker = Bundle { bin: "worker".into(), features: "train,web".into(), profile: "worker".into() };
        assert_eq!(rust_links(html), [worker]);
    }

    #[test]
    fn a_finished_page_carries_its_policy_and_its_build() {
        let page = finished("<html><head><meta content=\"__BUILD__\">", "default-src 'none'", "7");
        let page = page.unwrap();
        assert!(page.contains("content=\"default-src 'none'\"><meta content=\"7\">"));
        assert!(finished("<head>", "", "").is_err());
    }

    #[test]
    fn the_keeper_names_every_file_and_the_sizes_of_what_comes_later() {
        let dist = std::env::temp_dir().join(format!("vivarium-kept-{}", std::process::id()));
        fs::create_dir_all(dist.join("icons")).unwrap();
        fs::create_dir_all(dist.join("languages")).unwrap();
        for (name, text) in [
            ("index.html", "a"),
            ("icons/i.svg", "b"),
            ("worker_gpu.js", "abc"),
            ("_headers", ""),
            ("preview.png", ""),
            ("languages/de.json", "{}"),
        ] {
            fs::write(dist.join(name), text).unwrap();
        }
        let first = kept("__BUILD__;__FILES__;__LATER__", &dist).unwrap();
        assert!(
            first.ends_with(";[\"./\", \"icons/i.svg\", \"index.html\"];{ \"worker_gpu.js\": 3 }"),
            "{first}"
        );
        fs::write(dist.join("icons/i.svg"), "c").unwrap();
        assert_ne!(kept("__BUILD__;__FILES__;__LATER__", &dist).unwrap(), first);
        assert!(kept("__BUILD__", &dist).is_err());
        fs::remove_dir_all(dist).unwrap();
    }

    #[test]
    fn the_policy_is_one_line_of_the_headers() {
        let headers = "/*\n  X-A: b\n  Content-Security-Policy: default-src 'none'\n";
        assert_eq!(content_policy(headers).as_deref(), Ok("default-src 'none'"));
        assert!(content_policy("/*\n").is_err());
    }

    #[test]
    fn the_checksum_is_the_published_one() {
        let mut sum = Fnv::default();
        sum.add(b"a");
        assert_eq!(sum.name(), "af63dc4c8601ec8c");
    }
}
