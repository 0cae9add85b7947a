//! What the page and the command line are made of: its licences, its sources, and the notices that are published.
//!
//! # Why
//! `cargo deny` knows more, advisories first of all, but compiling it takes minutes that a bare machine's tests do not
//! have: `cargo xtask check` runs it where it is installed. What can be read off `Cargo.lock` and `cargo tree` is
//! checked at every `cargo xtask test`, against the same `deny.toml`. The notices are written here as well, and not by
//! `cargo about`, for the same reason. Of what `cargo metadata` prints we need four fields, for which `cargo_metadata` with
//! `serde`'s derives would double the time that this program takes to compile; and only `cargo tree` knows which crates the
//! features of each program bring.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use spdx::{Expression, Licensee, ParseMode};
use toml::Table;

use crate::Outcome;
use crate::cache::{self, Project};
use crate::process::{command, output, run, say};
use crate::{web, workspace};

/// The file of the page with the licences of all that is in it.
pub const NOTICES: &str = "licences.txt";
/// What may be depended on.
const RULES: &str = "deny.toml";
/// What this program depends on, which runs on every machine that builds and publishes.
const CHORES_LOCK: &str = ".cargo/xtask/Cargo.lock";
/// What a registry's entry in `Cargo.lock` begins with.
const REGISTRY: &str = "registry+";
/// Features of all programs of the page together.
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
    let rules = cache::read_toml(project.root.join(RULES))?;
    let lock = packages(&cache::read_toml(project.root.join("Cargo.lock"))?);
    let mut flaws = sources(&lock);
    flaws.extend(sources(&packages(&cache::read_toml(project.root.join(CHORES_LOCK))?)));
    flaws.extend(copies(&lock, &list(&rules, "bans", "skip")?));
    let mut all = tree(project, &[&native(project)?[..], &["-e", "normal,build"]].concat())?;
    all.extend(published(project)?);
    flaws.extend(licences(&all, &licensees(&list(&rules, "licenses", "allow")?)?));
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

/// The Python module, which has what the command line has; in a workspace, all packages.
fn native(project: &Project) -> Outcome<Vec<&'static str>> {
    Ok(match workspace::has(project, workspace::PYTHON)? {
        true => vec!["--workspace", "--features", "cli"],
        false => vec!["--features", "python"],
    })
}

/// Packages of a `Cargo.lock`: name, version, source and checksum, empty where there is none.
fn packages(lock: &Table) -> Vec<[String; 4]> {
    let entries = lock.get("package").and_then(toml::Value::as_array).into_iter().flatten();
    let text =
        |entry: &toml::Value, key| entry.get(key).and_then(toml::Value::as_str).unwrap_or_default().into();
    entries.map(|entry| ["name", "version", "source", "checksum"].map(|key| text(entry, key))).collect()
}

/// Every package but our own comes from one registry, with a checksum.
fn sources(lock: &[[String; 4]]) -> Vec<String> {
    let registry = lock.iter().map(|[.., source, _]| source).find(|source| source.starts_with(REGISTRY));
    let is_ours = |name: &str, source: &str| {
        (workspace::is_ours(name) || name == env!("CARGO_PKG_NAME")) && source.is_empty()
    };
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

fn licences(crates: &BTreeSet<Crate>, allowed: &[Licensee]) -> Vec<String> {
    let is_bad = |one: &&Crate| !is_allowed(&one.licence, allowed);
    let flaw = |one: &Crate| match one.licence.as_str() {
        "" => format!("{} {} names no licence", one.name, one.version),
        licence => format!("{} {}: {RULES} does not allow {licence}", one.name, one.version),
    };
    crates.iter().filter(is_bad).map(flaw).collect()
}

/// Whether a licence expression (SPDX 2.3, annex D) can be met with these licences.
fn is_allowed(expression: &str, allowed: &[Licensee]) -> bool {
    // Older crates write OR as a slash, and names that the SPDX list has replaced.
    let mode = ParseMode { allow_imprecise_license_names: false, allow_unknown: true, ..ParseMode::LAX };
    Expression::parse_mode(expression, mode)
        .is_ok_and(|expression| expression.evaluate(|wanted| allowed.iter().any(|one| one.satisfies(wanted))))
}

/// The licences that `deny.toml` allows, each with its exception.
fn licensees(allowed: &[String]) -> Outcome<Vec<Licensee>> {
    let read = |name: &String| {
        Licensee::parse(name)
            .map_err(|_| format!("{RULES} allows {name}, which is no licence of the SPDX list"))
    };
    allowed.iter().map(read).collect()
}

/// The texts of a list in a section of `deny.toml`.
fn list(rules: &Table, section: &str, key: &str) -> Outcome<Vec<String>> {
    let list = rules.get(section).and_then(|section| section.get(key)?.as_array());
    let texts = list.and_then(|list| list.iter().map(|text| text.as_str().map(String::from)).collect());
    texts.ok_or_else(|| format!("{RULES} has lost `{key} = [` of [{section}]"))
}

// What is compiled in --------------------------------------------------------------------------------

/// The crates of all programs of the page. Macros are not in them: what they write is.
fn published(project: &Project) -> Outcome<BTreeSet<Crate>> {
    let mut all = BTreeSet::new();
    for bundle in web::bundles(project)? {
        let program = ["-p", workspace::ROOT, "--target", WASM, "--features", &bundle.features];
        all.extend(tree(project, &[&program[..], &["-e", "normal,no-proc-macro"]].concat())?);
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
        (!workspace::is_ours(name)).then(|| Crate {
            name: name.into(),
            version: version.into(),
            licence: licence.trim().into(),
            repository: parts.next().unwrap_or_default().trim().into(),
        })
    };
    lines.lines().filter_map(read).collect()
}

/// What only a crate's own files tell.
struct Unpacked {
    folder: PathBuf,
    /// Who wrote it, without addresses; empty where it does not say.
    authors: String,
}

/// Where cargo has unpacked each package of the page, by name and version.
fn unpacked(project: &Project) -> Outcome<BTreeMap<(String, String), Unpacked>> {
    let mut cargo = command("cargo");
    cargo.current_dir(&project.root).args(["metadata", "--locked", "--format-version", "1"]);
    cargo.args(["--filter-platform", WASM, "--features", PAGE]);
    let json = output(&mut cargo).ok_or("`cargo metadata --locked` failed; is Cargo.lock up to date?")?;
    let metadata = serde_json::from_str(&json).map_err(|why| format!("`cargo metadata` printed {why}"))?;
    Ok(manifests(&metadata))
}

/// The packages that `cargo metadata` lists.
fn manifests(metadata: &Value) -> BTreeMap<(String, String), Unpacked> {
    let read = |package: &Value| {
        let text = |key: &str| package[key].as_str().map(String::from);
        let folder = Path::new(package["manifest_path"].as_str()?).parent()?.to_path_buf();
        let authors = package["authors"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Some(((text("name")?, text("version")?), Unpacked { folder, authors: without_addresses(authors) }))
    };
    metadata["packages"].as_array().into_iter().flatten().filter_map(read).collect()
}

/// Names of authors, `A. Author <a@a.example>`, as one text.
fn without_addresses<'a>(authors: impl Iterator<Item = &'a str>) -> String {
    let names = authors.map(|author| author.split('<').next().unwrap_or_default().trim());
    names.filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ")
}

// What is published ----------------------------------------------------------------------------------

/// The licences of all that is in the page, as one text.
pub fn notices(project: &Project) -> Outcome<String> {
    let mut unpacked = unpacked(project)?;
    let mut entries = vec![];
    for one in published(project)? {
        let key = (one.name.clone(), one.version.clone());
        let Unpacked { folder, authors } = unpacked
            .remove(&key)
            .ok_or_else(|| format!("cargo names no folder of {} {}", one.name, one.version))?;
        entries.push((one, texts_in(&folder)?, authors));
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
        let allowed = licensees(&allowed).unwrap();
        for good in [
            "MIT",
            "GPL-3.0 OR MIT",
            "MIT/Apache-2.0",
            "Apache-2.0 / MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception",
            "GPL-3.0 AND ISC OR Zlib",
            "MIT OR Nobody-1.0",
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
        assert!(licensees(&texts(&["Mite"])).is_err());
    }

    #[test]
    fn what_is_not_from_the_registry_is_found() {
        let sum = "0".repeat(64);
        let ours = "[[package]]\nname = \"vivarium\"\nversion = \"0.1.0\"\ndependencies = [\n \"a\",\n]\n\n";
        let good = entry("a", "1.0.0", "registry+here", &sum);
        let flaws =
            |more: &str| sources(&packages(&format!("version = 4\n\n{ours}{good}{more}").parse().unwrap()));
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
        let lock = packages(&lock.concat().parse().unwrap());
        assert!(copies(&lock, &texts(&["a@0.9.0"])).is_empty());
        assert_eq!(copies(&lock, &[]).len(), 1);
        assert_eq!(copies(&lock, &texts(&["a@0.9.0", "b@0.1.0"])).len(), 1);
    }

    #[test]
    fn lists_are_read_from_their_own_section() {
        let toml = "# [bans]\n[licenses]\nallow = [\"MIT\", # why \"not\"\n  \"ISC\"]\n\n[bans]\nx = 1\nskip = [\n]\n";
        let rules = toml.parse().unwrap();
        assert_eq!(list(&rules, "licenses", "allow"), Ok(texts(&["MIT", "ISC"])));
        assert_eq!(list(&rules, "bans", "skip"), Ok(vec![]));
        assert!(list(&rules, "bans", "allow").is_err() && list(&rules, "none", "skip").is_err());
        assert!(list(&"[bans]\nskip = [1]".parse().unwrap(), "bans", "skip").is_err());
    }

    #[test]
    fn lines_of_the_tree_are_crates() {
        let lines = "vivarium v0.1.0 (/here)|MIT|\nvivarium-core v0.1.0 (/here/src/core)|MIT|\nab v1.2.3|MIT OR Zlib|https://a.example (*)\nab v1.2.3|MIT OR Zlib|https://a.example\n\n";
        let found = crates(lines);
        let first = found.first().expect("a crate");
        assert_eq!((found.len(), first.name.as_str(), first.version.as_str()), (1, "ab", "1.2.3"));
        assert_eq!((first.licence.as_str(), first.repository.as_str()), ("MIT OR Zlib", "https://a.example"));
    }

    #[test]
    fn folders_and_authors_are_read_from_cargos_metadata() {
        let json = r#"{"packages": [
            {"name": "a", "version": "1.0.0", "dependencies": [{"name": "b"}], "authors": ["A <a@a.example>", "B"],
             "manifest_path": "/r/a-1.0.0/Cargo.toml"},
            {"name": "b", "version": "2.0.0", "authors": [], "manifest_path": "C:\\r\\b/Cargo.toml"}]}"#;
        let found = manifests(&serde_json::from_str(json).unwrap());
        let first = &found[&("a".into(), "1.0.0".into())];
        assert_eq!((first.folder.as_path(), first.authors.as_str()), (Path::new("/r/a-1.0.0"), "A, B"));
        let second = &found[&("b".into(), "2.0.0".into())];
        assert_eq!((second.folder.as_path(), second.authors.as_str()), (Path::new("C:\\r\\b"), ""));
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
    }

    /// Our own `deny.toml` and `Cargo.lock`: what takes no other program to check.
    #[test]
    fn our_lock_file_keeps_to_our_rules() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let read = |file: &str| cache::read_toml(format!("{root}/{file}")).expect("a file of the clone");
        let (rules, lock) = (read(RULES), packages(&read("Cargo.lock")));
        assert!(lock.len() > 100);
        assert_eq!(sources(&lock), Vec::<String>::new());
        assert_eq!(sources(&packages(&read(CHORES_LOCK))), Vec::<String>::new());
        assert_eq!(copies(&lock, &list(&rules, "bans", "skip").expect("skip")), Vec::<String>::new());
        let allowed = list(&rules, "licenses", "allow").and_then(|allowed| licensees(&allowed));
        assert!(is_allowed("MIT", &allowed.expect("allow")));
    }
}
