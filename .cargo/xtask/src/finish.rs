//! What only a finished build knows: its name, the names of the workers' files, the content policy, and the list of
//! files that the service worker keeps.
//!
//! # Why
//! A static host sends no headers of ours, replaces all files at once, and lets browsers keep old ones by their names.
//! So the name of the build is part of every name that the page asks for later, each file that is kept for visits
//! without a network is checked by its sum, and the content policy stands in the pages themselves.

use std::fs;
use std::path::Path;

use crate::Outcome;
use crate::cache::{self, Project};
use crate::{hash, supply, wasm, web};

const INDEX: &str = "www/index.html";
const HEADERS: &str = "www/_headers";
/// Keeps the page for visits without a network.
const KEEPER: &str = "service-worker.js";
/// Starts a worker; its name ends as those of the workers' files do.
const LOADER: &str = "worker-loader";
/// The name of the build that the host has now, for pages that were opened before: no browser keeps it.
pub const PUBLISHED: &str = "build.txt";
/// What stands in files until [`finish`] knows better.
const BUILD: &str = "__BUILD__";
/// Beginnings of what is kept only once somebody wanted it: programs for a GPU, one language of many, the gallery's moving
/// tiles, and licences.
const LATER: [&str; 5] = ["worker_fused", "worker_gpu", "languages/", "tiles/", supply::NOTICES];
/// Beginnings of what no visit of the page itself wants: for whoever shares a link, for the server, and the keeper.
const NEVER: [&str; 6] = ["p/", "preview.", "404.", "_headers", PUBLISHED, KEEPER];
/// The whole address of the page, ending in a slash, for those who show a preview: they take no relative one.
const ADDRESS: &str = "VIVARIUM_ADDRESS";

/// Finishes the page that Trunk has left in `dist`.
pub fn finish(project: &Project, dist: &Path) -> Outcome {
    wasm::strip_names(dist)?;
    cache::write(dist.join(supply::NOTICES), supply::notices(project)?)?;
    if let Some(address) = std::env::var(ADDRESS).ok().filter(|address| !address.is_empty()) {
        previews(dist, &address)?;
    }
    let build = name(dist)?;
    let bins: Vec<String> = web::bundles(project)?.into_iter().map(|bundle| bundle.bin).collect();
    rename(dist, &bins, &build)?;
    let policy = content_policy(&project.read(HEADERS)?)?;
    let index = dist.join("index.html");
    cache::write(&index, finished(&cache::read(&index)?, &policy, &build)?)?;
    let keeper = dist.join(KEEPER);
    cache::write(&keeper, kept(&cache::read(&keeper)?, dist, &build, &policy)?)?;
    cache::write(dist.join(PUBLISHED), &build)
}

/// The build's name, which follows from all that is in it.
fn name(dist: &Path) -> Outcome<String> {
    let mut all = vec![];
    for file in files_in(dist, "")? {
        all.extend(hash::sha256(file.as_bytes()));
        all.extend(hash::sha256(&bytes(dist, &file)?));
    }
    Ok(hash::short(&hash::sha256(&all)))
}

fn bytes(dist: &Path, file: &str) -> Outcome<Vec<u8>> {
    fs::read(dist.join(file)).map_err(|why| format!("cannot read {file}: {why}"))
}

/// Puts the build's name into the names of the workers' files, and into each worker's script, which tells it to the
/// page. The page's own files have a sum in their names already.
fn rename(dist: &Path, bins: &[String], build: &str) -> Outcome {
    let lost = |file: &str, why: std::io::Error| format!("cannot rename {file}: {why}");
    for bin in bins {
        let (script, program) = (format!("{bin}.js"), format!("{bin}_bg.wasm"));
        // The page's own program has another name there.
        if !dist.join(&script).is_file() {
            continue;
        }
        let renamed = format!("{bin}-{build}_bg.wasm");
        let text = cache::read(dist.join(&script))?.replace(&program, &renamed);
        cache::write(dist.join(format!("{bin}-{build}.js")), text + &told(build))?;
        fs::remove_file(dist.join(&script)).map_err(|why| lost(&script, why))?;
        fs::rename(dist.join(&program), dist.join(renamed)).map_err(|why| lost(&program, why))?;
    }
    let loader = format!("{LOADER}.js");
    fs::rename(dist.join(&loader), dist.join(format!("{LOADER}-{build}.js")))
        .map_err(|why| lost(&loader, why))
}

/// The line by which a worker's script tells of which build it is.
fn told(build: &str) -> String {
    format!("\nexport const build = \"{build}\";\n")
}

/// Writes the whole addresses of the pictures into the pages that show one.
fn previews(dist: &Path, address: &str) -> Outcome {
    if !address.ends_with('/') {
        return Err(format!("{ADDRESS} is the page's whole address and ends in a slash, not {address}"));
    }
    for (folder, below) in [("", ""), ("p", "p/")] {
        for entry in fs::read_dir(dist.join(folder)).map_err(|why| format!("cannot list {folder}: {why}"))? {
            let path = entry.map_err(|why| why.to_string())?.path();
            if path.extension().is_some_and(|end| end == "html") {
                let text = with_pictures(&cache::read(&path)?, &format!("{address}{below}"));
                cache::write(&path, text)?;
            }
        }
    }
    Ok(())
}

/// A page whose pictures are below `address`.
fn with_pictures(html: &str, address: &str) -> String {
    let (mark, up) = ("og:image\" content=\"", "../");
    let Some((before, after)) = html.split_once(mark) else { return html.into() };
    match after.strip_prefix(up) {
        Some(after) => {
            let above = address.trim_end_matches('/').rsplit_once('/').map_or(address, |(above, _)| above);
            format!("{before}{mark}{above}/{after}")
        }
        None => format!("{before}{mark}{address}{after}"),
    }
}

/// The keeper with the files that it keeps, each with its sum. Its own text names their contents, so that a browser
/// sees a new build.
fn kept(keeper: &str, dist: &Path, build: &str, policy: &str) -> Outcome<String> {
    let (mut files, mut later) = (vec![], vec![]);
    for file in files_in(dist, "")? {
        if NEVER.iter().any(|start| file.starts_with(start)) {
            continue;
        }
        let sum = hash::integrity(&bytes(dist, &file)?);
        let is_later = LATER.iter().any(|start| file.starts_with(start));
        let address = if file == "index.html" { "./" } else { &file };
        if is_later { &mut later } else { &mut files }.push(format!("\n  \"{address}\": \"{sum}\","));
    }
    let texts = [
        (BUILD, build.to_string()),
        ("__FILES__", format!("{{{}\n}}", files.concat())),
        ("__LATER__", format!("{{{}\n}}", later.concat())),
        ("__POLICY__", policy.to_string()),
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
    entries.sort_by_key(fs::DirEntry::file_name);
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

#[cfg(test)]
mod checks {
    use super::*;

    /// A folder of its own with these files in it.
    fn folder(name: &str, files: &[(&str, &str)]) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("vivarium-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        files.iter().for_each(|(file, text)| cache::write(folder.join(file), text).unwrap());
        folder
    }

    #[test]
    fn a_finished_page_carries_its_policy_and_its_build() {
        let page = finished("<html><head><meta content=\"__BUILD__\">", "default-src 'none'", "7");
        let page = page.unwrap();
        assert!(page.contains("content=\"default-src 'none'\"><meta content=\"7\">"));
        assert!(finished("<head>", "", "").is_err());
    }

    #[test]
    fn the_keeper_names_every_file_with_its_sum() {
        let files = [
            ("index.html", "a"),
            ("icons/i.svg", "b"),
            ("worker_gpu-12.js", "abc"),
            ("worker-12.js", "d"),
            ("_headers", ""),
            ("preview.png", ""),
            ("404.html", ""),
            ("p/a.html", ""),
            ("build.txt", "12"),
            ("service-worker.js", ""),
            ("languages/de.json", "{}"),
            ("tiles/a.txt", "t"),
        ];
        let dist = folder("kept", &files);
        let text = |template: &str| kept(template, &dist, "12", "default-src 'none'");
        let whole = text("__BUILD__;__POLICY__;__FILES__;__LATER__").unwrap();
        let (files, later) = whole.strip_prefix("12;default-src 'none';").unwrap().split_once(';').unwrap();
        let named = |list: &str| -> Vec<String> {
            list.lines().filter_map(|line| Some(line.split('"').nth(1)?.to_string())).collect()
        };
        assert_eq!(named(files), ["icons/i.svg", "./", "worker-12.js"]);
        assert_eq!(named(later), ["languages/de.json", "tiles/a.txt", "worker_gpu-12.js"]);
        assert!(files.contains(&format!("\"./\": \"{}\"", hash::integrity(b"a"))), "{files}");
        assert!(text("__BUILD__").is_err());
        fs::remove_dir_all(dist).unwrap();
    }

    #[test]
    fn a_build_is_named_after_all_that_is_in_it() {
        let dist = folder("name", &[("a", "1"), ("b/c", "2")]);
        let first = name(&dist).unwrap();
        assert_eq!(first.len(), 16);
        for (file, text) in [("b/c", "3"), ("b/d", "")] {
            cache::write(dist.join(file), text).unwrap();
            assert_ne!(name(&dist).unwrap(), first);
        }
        fs::remove_dir_all(&dist).unwrap();
        // The same bytes under other names are another build.
        let dist = folder("name", &[("a", "2"), ("b/c", "1")]);
        assert_ne!(name(&dist).unwrap(), first);
        fs::remove_dir_all(dist).unwrap();
    }

    #[test]
    fn the_files_of_workers_carry_the_build_and_tell_it() {
        let files = [
            ("worker.js", "fetch('worker_bg.wasm')"),
            ("worker_bg.wasm", "W"),
            ("worker_gpu.js", "fetch('worker_gpu_bg.wasm')"),
            ("worker_gpu_bg.wasm", "G"),
            ("worker-loader.js", "L"),
            ("app-77.js", "A"),
        ];
        let dist = folder("rename", &files);
        let bins = ["app", "worker", "worker_gpu"].map(String::from);
        rename(&dist, &bins, "12").unwrap();
        let names = [
            "app-77.js",
            "worker-12.js",
            "worker-12_bg.wasm",
            "worker-loader-12.js",
            "worker_gpu-12.js",
            "worker_gpu-12_bg.wasm",
        ];
        assert_eq!(files_in(&dist, "").unwrap(), names);
        let script = cache::read(dist.join("worker_gpu-12.js")).unwrap();
        assert_eq!(script, "fetch('worker_gpu-12_bg.wasm')\nexport const build = \"12\";\n");
        fs::remove_dir_all(dist).unwrap();
    }

    #[test]
    fn previews_have_whole_addresses() {
        let page = |picture: &str| format!("<meta property=\"og:image\" content=\"{picture}\">\n<p>");
        let address = "https://a.example/b/";
        let written =
            |picture: &str, below: &str| with_pictures(&page(picture), &format!("{address}{below}"));
        assert_eq!(written("preview.png", ""), page("https://a.example/b/preview.png"));
        assert_eq!(written("a5.png", "p/"), page("https://a.example/b/p/a5.png"));
        assert_eq!(written("../preview.png", "p/"), page("https://a.example/b/preview.png"));
        assert!(previews(Path::new("/"), "https://a.example/b").is_err());
    }

    #[test]
    fn the_policy_is_one_line_of_the_headers() {
        let headers = "/*\n  X-A: b\n  Content-Security-Policy: default-src 'none'\n";
        assert_eq!(content_policy(headers).as_deref(), Ok("default-src 'none'"));
        assert!(content_policy("/*\n").is_err());
    }

    /// The policy stands within quotes of HTML and of the keeper's script.
    #[test]
    fn our_policy_has_no_mark_that_would_end_it() {
        let headers = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/_headers")).unwrap();
        let policy = content_policy(&headers).unwrap();
        assert!(!policy.contains(['"', '`', '\\', '<', '$']), "{policy}");
        assert!(policy.contains("require-trusted-types-for 'script'; trusted-types default"));
    }

    /// The service worker does not keep this page, so that only its own policy binds it on a static host.
    #[test]
    fn the_page_for_missing_addresses_has_its_policy() {
        let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/404.html")).unwrap();
        let at = page.find("Content-Security-Policy").expect("a policy");
        assert!(
            page.contains("default-src 'none'; script-src 'self';") && at < page.find("<script").unwrap()
        );
        assert!(!page.contains("<style") && !page.contains("unsafe"), "{page}");
    }

    /// `lab previews` writes them; a page without a policy would have none at all on a static host.
    #[test]
    fn every_page_of_a_preview_has_its_policy() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/p");
        let pages = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        for page in pages.filter(|path| path.extension().is_some_and(|end| end == "html")) {
            let text = fs::read_to_string(&page).unwrap();
            let at = text.find("Content-Security-Policy").expect("a policy");
            assert!(text.contains("default-src 'none'") && at < text.find("<title>").unwrap(), "{page:?}");
        }
    }
}
