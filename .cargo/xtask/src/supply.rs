//! What the page and the command line are made of: its licences, its sources, and the notices that are published.
//!
//! # Why
//! `cargo deny` knows more, advisories first of all, but compiling it takes minutes that a bare machine's tests do not
//! have: `cargo xtask check` runs it where it is installed. What can be read off `Cargo.lock` and `cargo tree` is
//! checked at every `cargo xtask test`, against the same `deny.toml`. The notices are written here as well, and not by
//! `cargo about`, for the same reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::Outcome;
use crate::cache::{self, Project};
use crate::process::{command, output, run, say};
use crate::web;

/// The file of the page with the licences of all that is in it.
pub const NOTICES: &str = "licences.txt";
/// What may be depended on.
const RULES: &str = "deny.toml";
/// What a registry's entry in `Cargo.lock` begins with.
const REGISTRY: &str = "registry+";
/// Features of the Python module, which has those of the command line, and of all programs of the page together.
const NATIVE: &str = "python";
const PAGE: &str = "ui,train,fused,gpu,web";
const WASM: &str = "wasm32-unknown-unknown";

/// A crate that is compiled into one of our programs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Crate {
    name: String,
    version: String,
    licence: String,
    repository: String,
}

// What is checked -----------------------------------------------------------------------------------

/// Compares sources, copies and licences with `deny.toml`.
pub fn check(project: &Project) -> Outcome {
    let rules = project.read(RULES)?;
    let lock = packages(&project.read("Cargo.lock")?);
    let mut flaws = sources(&lock);
    flaws.extend(copies(&lock, &list(&rules, "bans", "skip")?));
    let mut all = tree(project, &["--features", NATIVE, "-e", "normal,build"])?;
    all.extend(published(project)?);
    flaws.extend(licences(&all, &list(&rules, "licenses", "allow")?));
    match flaws.as_slice() {
        [] => {
            say(format!("{} crates, all from the registry, with licences that {RULES} allows", all.len()));
            Ok(())
        }
        flaws => Err(format!("{} flaws\n  {}", flaws.len(), flaws.join("\n  "))),
    }
}

/// Runs `cargo deny`, which is installed; without the database of advisories where that cannot be reached.
pub fn deny(project: &Project) -> Outcome {
    let deny = |words: &[&str]| {
        let mut cargo = command("cargo");
        cargo.current_dir(&project.root).args(["deny", "--locked"]).args(words);
        cargo
    };
    run(&mut deny(&["check", "bans", "licenses", "sources"]))?;
    if output(&mut deny(&["fetch", "db"])).is_none() {
        say("the database of advisories cannot be reached from here, so advisories were not checked");
        return Ok(());
    }
    run(&mut deny(&["check", "advisories"]))
}

/// Packages of a `Cargo.lock`: name, version, source and checksum, empty where there is none.
fn packages(lock: &str) -> Vec<[String; 4]> {
    let entries = lock.split("[[package]]").skip(1);
    entries
        .map(|entry| {
            ["name", "version", "source", "checksum"].map(|key| {
                let value = |line: &str| {
                    line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"').map(String::from)
                };
                entry.lines().find_map(value).unwrap_or_default()
            })
        })
        .collect()
}

/// Every package but our own comes from one registry, with a checksum.
fn sources(lock: &[[String; 4]]) -> Vec<String> {
    let registry = lock.iter().map(|[.., source, _]| source).find(|source| source.starts_with(REGISTRY));
    let is_ours = |name: &str, source: &str| name == "vivarium" && source.is_empty();
    lock.iter()
        .filter(|[name, _, source, sum]| {
            !is_ours(name, source) && (Some(source) != registry || sum.len() != 64)
        })
        .map(|[name, version, ..]| format!("{name} {version} is not from the registry, with a checksum"))
        .collect()
}

/// Packages that are there in more than one version are those that `known` lists, without the newest of each.
fn copies(lock: &[[String; 4]], known: &[String]) -> Vec<String> {
    let mut versions = BTreeMap::<&str, Vec<&str>>::new();
    for [name, version, ..] in lock {
        versions.entry(name).or_default().push(version);
    }
    let mut older = BTreeSet::new();
    for (name, versions) in &mut versions {
        versions.sort_by_key(|version| numbers(version));
        versions.pop();
        older.extend(versions.iter().map(|version| format!("{name}@{version}")));
    }
    let known: BTreeSet<String> = known.iter().cloned().collect();
    let fresh = older
        .difference(&known)
        .map(|one| format!("{one} is a second copy: update what wants it, or list it in {RULES}"));
    let gone = known
        .difference(&older)
        .map(|one| format!("{one} is no second copy any more: take it out of {RULES}"));
    fresh.chain(gone).collect()
}

/// A version's numbers, so that 0.10 comes after 0.9.
fn numbers(version: &str) -> Vec<u64> {
    let plain = version.split(['-', '+']).next().unwrap_or_default();
    plain.split('.').map(|number| number.parse().unwrap_or(0)).collect()
}

fn licences(crates: &BTreeSet<Crate>, allowed: &[String]) -> Vec<String> {
    let is_bad = |one: &&Crate| !is_allowed(&one.licence, allowed);
    let flaw = |one: &Crate| match one.licence.as_str() {
        "" => format!("{} {} names no licence", one.name, one.version),
        licence => format!("{} {}: {RULES} does not allow {licence}", one.name, one.version),
    };
    crates.iter().filter(is_bad).map(flaw).collect()
}

/// Whether a licence expression (SPDX 2.3, annex D) can be met with these licences. Older crates write OR as a slash.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let met = either(&words, &mut at, allowed);
    met && at == words.len()
}

fn either(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut met = both(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        // Not short: the words must be read in any case.
        met |= both(words, at, allowed);
    }
    met
}

fn both(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut met = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        met &= one(words, at, allowed);
    }
    met
}

fn one(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if *word == "(" {
        let met = either(words, at, allowed);
        let is_closed = words.get(*at) == Some(&")");
        *at += 1;
        return met && is_closed;
    }
    let mut licence = word.to_string();
    if let Some(["WITH", exception]) = words.get(*at..*at + 2) {
        *at += 2;
        licence += &format!(" WITH {exception}");
    }
    allowed.contains(&licence)
}

/// The texts of a list `key = ["…", …]` in the section of a TOML file; comments in it are left out.
fn list(toml: &str, section: &str, key: &str) -> Outcome<Vec<String>> {
    let lost = || format!("{RULES} has lost `{key} = [` of [{section}]");
    let (_, part) = toml.split_once(&format!("\n[{section}]\n")).ok_or_else(lost)?;
    let part = part.split("\n[").next().unwrap_or_default();
    let start = format!("{key} = [");
    let at =
        if part.starts_with(&start) { 0 } else { part.find(&format!("\n{start}")).ok_or_else(lost)? + 1 };
    let mut found = vec![];
    for line in part[at + start.len()..].lines() {
        let line = line.split('#').next().unwrap_or_default();
        let (inside, is_end) = line.split_once(']').map_or((line, false), |(inside, _)| (inside, true));
        found.extend(inside.split('"').skip(1).step_by(2).map(String::from));
        if is_end {
            return Ok(found);
        }
    }
    Err(lost())
}

// What is compiled in --------------------------------------------------------------------------------

/// The crates of all programs of the page. Macros are not in them: what they write is.
fn published(project: &Project) -> Outcome<BTreeSet<Crate>> {
    let mut all = BTreeSet::new();
    for bundle in web::bundles(project)? {
        all.extend(tree(
            project,
            &["--target", WASM, "--features", &bundle.features, "-e", "normal,no-proc-macro"],
        )?);
    }
    Ok(all)
}

fn tree(project: &Project, words: &[&str]) -> Outcome<BTreeSet<Crate>> {
    let mut cargo = command("cargo");
    cargo.current_dir(&project.root).args(["tree", "--locked", "--prefix", "none"]);
    cargo.args(["--format", "{p}|{l}|{r}"]).args(words);
    let lines = output(&mut cargo).ok_or("`cargo tree --locked` failed; is Cargo.lock up to date?")?;
    Ok(crates(&lines))
}

/// Lines of `cargo tree`, "name v1.2.3 (proc-macro)|licence|repository (*)", without our own.
fn crates(lines: &str) -> BTreeSet<Crate> {
    let read = |line: &str| {
        let mut parts = line.trim_end_matches(" (*)").split('|');
        let (package, licence) = (parts.next()?, parts.next()?);
        let mut words = package.split(' ');
        let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
        (name != "vivarium").then(|| Crate {
            name: name.into(),
            version: version.into(),
            licence: licence.trim().into(),
            repository: parts.next().unwrap_or_default().trim().into(),
        })
    };
    lines.lines().filter_map(read).collect()
}

/// Where cargo has unpacked each package of the page: name, version, folder.
fn folders(project: &Project) -> Outcome<BTreeMap<(String, String), PathBuf>> {
    let mut cargo = command("cargo");
    cargo.current_dir(&project.root).args(["metadata", "--locked", "--format-version", "1"]);
    cargo.args(["--filter-platform", WASM, "--features", PAGE]);
    let json = output(&mut cargo).ok_or("`cargo metadata --locked` failed; is Cargo.lock up to date?")?;
    Ok(places(&json))
}

/// The manifests that `cargo metadata` names. Each package begins with its name and its version, and only packages do.
fn places(json: &str) -> BTreeMap<(String, String), PathBuf> {
    let mut found = BTreeMap::new();
    for part in json.split("{\"name\":\"").skip(1) {
        let Some((name, rest)) = part.split_once("\",\"version\":\"") else { continue };
        let Some((version, _)) = rest.split_once('"') else { continue };
        if name.contains('"') {
            continue;
        }
        // Dependencies and targets of the package begin in the same way: the manifest comes after them.
        let from = part.as_ptr() as usize - json.as_ptr() as usize;
        let manifest =
            json[from..].split_once("\"manifest_path\":\"").and_then(|(_, path)| path.split('"').next());
        let folder = manifest.map(|path| path.replace("\\\\", "\\")).map(PathBuf::from);
        if let Some(folder) = folder.and_then(|path| path.parent().map(Path::to_path_buf)) {
            found.insert((name.into(), version.into()), folder);
        }
    }
    found
}

// What is published ----------------------------------------------------------------------------------

/// The licences of all that is in the page, as one text.
pub fn notices(project: &Project) -> Outcome<String> {
    let folders = folders(project)?;
    let mut entries = vec![];
    for one in published(project)? {
        let key = (one.name.clone(), one.version.clone());
        let folder = folders
            .get(&key)
            .ok_or_else(|| format!("cargo names no folder of {} {}", one.name, one.version))?;
        let texts = texts_in(folder)?;
        let authors = authors(&cache::read(folder.join("Cargo.toml"))?);
        entries.push((one, texts, authors));
    }
    let ours = [project.read("LICENSE-MIT")?, project.read("LICENSE-APACHE")?];
    Ok(written(&entries, &ours))
}

/// The texts of licences in a crate's folder, in the order of their names.
fn texts_in(folder: &Path) -> Outcome<Vec<String>> {
    let broken = |why: std::io::Error| format!("cannot list {}: {why}", folder.display());
    let mut files = vec![];
    for entry in fs::read_dir(folder).map_err(broken)? {
        let entry = entry.map_err(broken)?;
        if is_licence(&entry.file_name().to_string_lossy()) && entry.path().is_file() {
            files.push(entry.path());
        }
    }
    files.sort();
    let read = |file: &PathBuf| fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    files.iter().map(read).collect::<Result<_, _>>().map_err(broken)
}

/// Whether a file of that name holds a licence, or what has to be passed on with one.
fn is_licence(name: &str) -> bool {
    let name = name.to_lowercase();
    let starts = ["license", "licence", "copying", "copyright", "notice", "unlicense"];
    // Sources and spellings of them apart: `license.rs`, `licenses.json`.
    let is_text = !name.contains('.') || [".md", ".txt", ".html"].iter().any(|end| name.ends_with(end)) || {
        let end = name.rsplit('.').next().unwrap_or_default();
        !["rs", "json", "toml", "yml"].contains(&end)
    };
    is_text && starts.iter().any(|start| name.starts_with(start))
}

/// Who wrote a crate, as its manifest has it, without addresses; empty where it does not say.
fn authors(manifest: &str) -> String {
    let Some((_, rest)) = manifest.split_once("\nauthors = [") else { return String::new() };
    let inside = rest.split(']').next().unwrap_or_default();
    let names =
        inside.split('"').skip(1).step_by(2).map(|name| name.split('<').next().unwrap_or_default().trim());
    names.filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The text of all crates with their licences: our own first, each text once.
fn written(entries: &[(Crate, Vec<String>, String)], ours: &[String; 2]) -> String {
    // Texts are the same where only spaces and breaks of lines differ.
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let mut order: Vec<&str> = vec![];
    let mut known = BTreeMap::<String, usize>::new();
    let mut number = |text| {
        *known.entry(plain(text)).or_insert_with(|| {
            order.push(text);
            order.len()
        })
    };
    let listed = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let own = ours.each_ref().map(|text| number(text.as_str()));
    let (mut with, mut without) = (String::new(), String::new());
    for (one, texts, authors) in entries {
        let mut numbers: Vec<usize> = texts.iter().map(|text| number(text.as_str())).collect();
        numbers.dedup();
        let about = [&one.licence, &one.repository, authors].map(String::as_str);
        let about = about.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        match numbers.as_slice() {
            [] => without += &format!("{} {}: {about}\n", one.name, one.version),
            numbers => with += &format!("{} {}: {about} [{}]\n", one.name, one.version, listed(numbers)),
        }
    }
    let mut out = format!(
        "Licences of the programs in this page\n\
         =====================================\n\n\
         Vivarium itself is available under the MIT licence or the Apache licence 2.0 [{}].\n\n\
         It is compiled with the standard library of Rust, copyright The Rust Project contributors, which is available\n\
         under the MIT licence or the Apache licence 2.0, and with the crates below. The numbers in brackets are those of\n\
         the texts at the end, in the words of each crate.\n\n{with}",
        listed(&own)
    );
    if !without.is_empty() {
        out += &format!(
            "\nThese crates name their licence and bring no text of it. Where it is the MIT licence or the Apache licence\n\
             2.0, the texts are those of [{}], with their authors in place of ours; else the repository has it.\n\n{without}",
            listed(&own)
        );
    }
    for (at, text) in order.iter().enumerate() {
        out += &format!("\n{}\n[{}]\n\n{}\n", "-".repeat(80), at + 1, text.trim().replace('\r', ""));
    }
    out
}

#[cfg(test)]
mod checks {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(ToString::to_string).collect()
    }

    fn entry(name: &str, version: &str, source: &str, sum: &str) -> String {
        format!(
            "[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \"{source}\"\nchecksum = \"{sum}\"\n"
        )
    }

    #[test]
    fn expressions_are_read_as_spdx_has_them() {
        let allowed = texts(&["MIT", "Zlib", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"]);
        for good in [
            "MIT",
            "GPL-3.0 OR MIT",
            "MIT/Apache-2.0",
            "Apache-2.0 / MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception",
            "GPL-3.0 AND ISC OR Zlib",
        ] {
            assert!(is_allowed(good, &allowed), "{good}");
        }
        for bad in [
            "",
            "Apache-2.0",
            "MIT AND GPL-3.0",
            "(MIT",
            "MIT)",
            "MIT MIT",
            "OR MIT",
            "MIT WITH LLVM-exception",
            "mit",
        ] {
            assert!(!is_allowed(bad, &allowed), "{bad}");
        }
    }

    #[test]
    fn what_is_not_from_the_registry_is_found() {
        let sum = "0".repeat(64);
        let ours = "[[package]]\nname = \"vivarium\"\nversion = \"0.1.0\"\ndependencies = [\n \"a\",\n]\n\n";
        let good = entry("a", "1.0.0", "registry+here", &sum);
        let flaws = |more: &str| sources(&packages(&format!("version = 4\n\n{ours}{good}{more}")));
        assert!(flaws("").is_empty());
        for bad in [
            entry("b", "1.0.0", "git+https://a.example", &sum),
            entry("b", "1.0.0", "registry+there", &sum),
            entry("b", "1.0.0", "registry+here", ""),
            "[[package]]\nname = \"b\"\nversion = \"1.0.0\"\n".into(),
        ] {
            assert_eq!(flaws(&bad).len(), 1, "{bad}");
        }
    }

    #[test]
    fn copies_are_those_that_are_listed() {
        let lock = [("a", "0.9.0"), ("a", "0.10.0"), ("b", "1.0.0")]
            .map(|(name, version)| entry(name, version, "", ""));
        let lock = packages(&lock.concat());
        assert!(copies(&lock, &texts(&["a@0.9.0"])).is_empty());
        assert_eq!(copies(&lock, &[]).len(), 1);
        assert_eq!(copies(&lock, &texts(&["a@0.9.0", "b@0.1.0"])).len(), 1);
    }

    #[test]
    fn lists_are_read_from_their_own_section() {
        let toml = "# [bans]\n[licenses]\nallow = [\"MIT\", # why \"not\"\n  \"ISC\"]\n\n[bans]\nx = 1\nskip = [\n]\n";
        let toml = format!("\n{toml}");
        assert_eq!(list(&toml, "licenses", "allow"), Ok(texts(&["MIT", "ISC"])));
        assert_eq!(list(&toml, "bans", "skip"), Ok(vec![]));
        assert!(list(&toml, "bans", "allow").is_err() && list(&toml, "none", "skip").is_err());
    }

    #[test]
    fn lines_of_the_tree_are_crates() {
        let lines = "vivarium v0.1.0 (/here)|MIT|\nab v1.2.3|MIT OR Zlib|https://a.example (*)\nab v1.2.3|MIT OR Zlib|https://a.example\n\n";
        let found = crates(lines);
        let first = found.first().expect("a crate");
        assert_eq!((found.len(), first.name.as_str(), first.version.as_str()), (1, "ab", "1.2.3"));
        assert_eq!((first.licence.as_str(), first.repository.as_str()), ("MIT OR Zlib", "https://a.example"));
    }

    #[test]
    fn folders_are_read_from_cargos_metadata() {
        let json = "{\"packages\":[{\"name\":\"a\",\"version\":\"1.0.0\",\"id\":\"x\",\"dependencies\":[{\"name\":\"b\",\"source\":\"r\"}],\
                    \"manifest_path\":\"/r/a-1.0.0/Cargo.toml\"},{\"name\":\"b\",\"version\":\"2.0.0\",\"manifest_path\":\
                    \"C:\\\\r\\\\b\\\\Cargo.toml\"}]}";
        let found = places(json);
        assert_eq!(found[&("a".into(), "1.0.0".into())], Path::new("/r/a-1.0.0"));
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn files_of_licences_are_known_by_their_names() {
        for name in [
            "LICENSE",
            "LICENSE-MIT",
            "licence.txt",
            "COPYING.LESSER",
            "UNLICENSE",
            "NOTICE.md",
            "LICENSE.Apache-2.0",
        ] {
            assert!(is_licence(name), "{name}");
        }
        for name in ["README.md", "license.rs", "licenses.json", "src"] {
            assert!(!is_licence(name), "{name}");
        }
    }

    #[test]
    fn each_text_is_written_once_and_every_crate_is_named() {
        let of = |name: &str| Crate {
            name: name.into(),
            version: "1.0.0".into(),
            licence: "MIT".into(),
            repository: String::new(),
        };
        let entries = [
            (of("a"), texts(&["Text one", "text\n ONE", "Text two"]), String::new()),
            (of("b"), texts(&["Text  two"]), "B. Author".into()),
            (of("c"), vec![], "C. Author".into()),
        ];
        let all = written(&entries, &["Ours, MIT".into(), "Ours, Apache".into()]);
        assert_eq!(all.matches("Text one").count() + all.matches("text\n ONE").count(), 1);
        assert_eq!(all.to_lowercase().matches("text two").count(), 1);
        assert!(
            all.contains("a 1.0.0: MIT [3, 4]\n") && all.contains("b 1.0.0: MIT; B. Author [4]\n"),
            "{all}"
        );
        let (_, without) = all.split_once("bring no text").expect("a part for those without a text");
        assert!(without.contains("c 1.0.0: MIT; C. Author\n"));
        assert_eq!(
            authors("[package]\nname = \"a\"\nauthors = [\n    \"A <a@a.example>\",\n    \"B\",\n]\n"),
            "A, B"
        );
    }

    /// Our own `deny.toml` and `Cargo.lock`: what takes no other program to check.
    #[test]
    fn our_lock_file_keeps_to_our_rules() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let read = |file: &str| fs::read_to_string(format!("{root}/{file}")).expect("a file of the clone");
        let (rules, lock) = (read(RULES), packages(&read("Cargo.lock")));
        assert!(lock.len() > 100);
        assert_eq!(sources(&lock), Vec::<String>::new());
        assert_eq!(copies(&lock, &list(&rules, "bans", "skip").expect("skip")), Vec::<String>::new());
        assert!(list(&rules, "licenses", "allow").expect("allow").contains(&"MIT".to_string()));
    }
}
