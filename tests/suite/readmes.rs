//! Every link of a Markdown file leads to a file that exists, and to a heading that it has.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders whose Markdown files are ours.
const FOLDERS: [&str; 3] = ["src", "tests", "www"];

/// Folders in them that are left out: installed packages, and stories, whose links are steps of a tour.
const OTHERS: [&str; 2] = ["node_modules", "stories"];

/// The Markdown files of a folder.
pub fn files(folder: &Path, is_deep: bool, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_ours = !OTHERS.iter().any(|other| path.ends_with(other));
        if path.is_dir() && is_deep && is_ours {
            files(&path, true, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// The lines of a text outside of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// Where the links of a text lead.
fn targets(text: &str) -> Vec<&str> {
    let links = prose(text).flat_map(|line| line.split("](").skip(1));
    links.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target).collect()
}

/// The names by which a link reaches the headings of a text.
fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    let name = |heading: &str| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        heading.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
    };
    headings.map(name).collect()
}

/// What is wrong with a link in a file, if anything.
fn flaw(file: &Path, target: &str) -> Option<String> {
    if target.starts_with("https://") {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let other = if path.is_empty() { file.to_path_buf() } else { file.with_file_name(path) };
    let leads = other.exists()
        && (anchor.is_empty() || anchors(&fs::read_to_string(&other).unwrap()).iter().any(|a| a == anchor));
    (!leads).then(|| format!("{}: {target}", file.display()))
}

#[test]
fn every_link_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = vec![];
    files(root, false, &mut found);
    FOLDERS.iter().for_each(|folder| files(&root.join(folder), true, &mut found));
    let mut flaws = vec![];
    for file in found {
        let text = fs::read_to_string(&file).unwrap();
        flaws.extend(targets(&text).into_iter().filter_map(|target| flaw(&file, target)));
    }
    assert_eq!(flaws, Vec::<String>::new());
}

/// A README that a module's documentation includes has no relative links: in rustdoc they would lead nowhere.
#[test]
fn included_readmes_link_to_the_web_alone() {
    let mut found = vec![];
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), true, &mut found);
    for file in found.iter().filter(|file| file.ends_with("README.md")) {
        let text = fs::read_to_string(file).unwrap();
        let relative: Vec<_> = targets(&text).into_iter().filter(|t| !t.starts_with("https://")).collect();
        assert!(relative.is_empty(), "{}: {relative:?}", file.display());
    }
}

#[test]
fn the_readme_fits_on_two_screens() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let lines = readme.lines().count();
    assert!(lines <= 120, "README.md has {lines} lines; tables belong in the READMEs of the folders");
}

/// What is wrong with a row of the README's promises: a test that its files do not have, or a variable.
fn missing_tests(row: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let [_, _, tests, longer, _] = row.split('|').collect::<Vec<_>>()[..] else { return vec![row.into()] };
    let code = |cell: &str| cell.split('`').skip(1).step_by(2).map(String::from).collect::<Vec<_>>();
    let mut flaws = vec![];
    let mut all = String::new();
    for part in tests.split("](").skip(1) {
        // Up to the next file.
        let (path, rest) = part.split_once(')').unwrap();
        let text = fs::read_to_string(root.join(path)).unwrap_or_default();
        let is_rust = path.ends_with(".rs");
        let is_there = |name: &String| match is_rust {
            true => text.contains(&format!("fn {name}()")),
            false => text.contains(&format!("it(\"{name}")) || text.contains(&format!("it(`{name}")),
        };
        flaws.extend(code(rest).iter().filter(|name| !is_there(name)).map(|name| format!("{path}: {name}")));
        if text.is_empty() {
            flaws.push(path.into());
        }
        all += &text;
    }
    let words = code(longer);
    let variables = words.iter().filter_map(|word| word.split_once('=')).map(|(name, _)| name);
    flaws.extend(variables.filter(|name| !all.contains(*name)).map(String::from));
    flaws
}

#[test]
fn every_promise_of_the_readme_has_its_tests() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let (_, promises) = readme.split_once("## What is promised\n").unwrap();
    let rows: Vec<_> = promises
        .lines()
        .take_while(|line| !line.starts_with('#'))
        .filter(|line| line.starts_with("| "))
        .collect();
    assert!(rows.len() > 10, "{rows:?}");
    // The first one is the head.
    assert_eq!(rows[1..].iter().flat_map(|row| missing_tests(row)).collect::<Vec<_>>(), Vec::<String>::new());
    let of = |cells: &str| missing_tests(&format!("| p | {cells} |"));
    let [suite, browser] = ["[a](tests/suite/links.rs)", "[b](tests/e2e/links.mjs)"];
    assert_eq!(
        of(&format!("{suite}: `recorded_links_mean_what_they_meant`; {browser}: `answers while` | ")),
        Vec::<String>::new()
    );
    assert_eq!(of(&format!("{suite}: `no_such_test`; {browser} | `VIVARIUM_NONE=1`")).len(), 2);
    assert_eq!(of(&format!("{browser}: `answers never` | ")).len(), 1);
    assert_eq!(of("[c](tests/nowhere.rs) | "), ["tests/nowhere.rs"]);
}

#[test]
fn broken_links_are_seen() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    assert_eq!(targets("[a](b.md), ![c](d.png)\n```\n[e](f)\n```"), ["b.md", "d.png"]);
    assert_eq!(
        anchors("# What runs where\n## Tables, of your own"),
        ["what-runs-where", "tables-of-your-own"]
    );
    assert_eq!(flaw(&file, "CONTRIBUTING.md#licence"), None);
    assert_eq!(flaw(&file, "#licence"), None);
    assert!(flaw(&file, "src/nowhere.md").is_some() && flaw(&file, "#nowhere").is_some());
}
