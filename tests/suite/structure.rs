//! The structure of the sources: no circles of modules, no overlong files or folders, one style sheet for each class.
//!
//! Cargo holds the direction between crates: a crate names only the crates of its manifest.

use std::path::{Path, PathBuf};

/// The Rust files below a folder.
pub fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The folder of the sources, and every file in it.
pub fn all_sources() -> (PathBuf, Vec<PathBuf>) {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = vec![];
    sources(&src, &mut files);
    (src, files)
}

/// Files of one long type, which would be harder to read in two.
const FILES_OF_ONE_TYPE: [&str; 1] = ["src/training/gpu/batched_runs.rs"];

/// Number of lines of code: neither empty nor only a comment, so that the limits do not discourage documentation.
fn count_code_lines(text: &str) -> usize {
    text.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

/// Largest number of lines of code in a file; above it, the file is two files.
const MAX_FILE_LINES: usize = 550;

#[test]
fn files_stay_short() {
    for file in all_sources().1 {
        if FILES_OF_ONE_TYPE.iter().any(|one| file.ends_with(one)) {
            continue;
        }
        let lines = count_code_lines(&std::fs::read_to_string(&file).unwrap());
        assert!(
            lines <= MAX_FILE_LINES,
            "{} has {lines} lines of code; above {MAX_FILE_LINES} a file is split",
            file.display()
        );
    }
}

/// Sheets share one space of names: a class of one lab would dress the elements of another.
#[test]
fn a_class_is_dressed_in_one_sheet() {
    let styles = Path::new(env!("CARGO_MANIFEST_DIR")).join("styles");
    let mut homes = std::collections::BTreeMap::<String, Vec<String>>::new();
    for sheet in std::fs::read_dir(styles).unwrap() {
        let sheet = sheet.unwrap();
        let name = sheet.file_name().to_string_lossy().into_owned();
        // Paper changes what the other sheets say.
        if name == "print.css" {
            continue;
        }
        for line in std::fs::read_to_string(sheet.path()).unwrap().lines() {
            let class = line.strip_prefix('.').and_then(|line| line.strip_suffix(" {"));
            if let Some(class) = class.filter(|class| !class.contains([' ', '.', ':', '[', '>'])) {
                homes.entry(class.into()).or_default().push(name.clone());
            }
        }
    }
    assert!(homes.len() > 300, "{} classes", homes.len());
    for (class, mut sheets) in homes {
        sheets.dedup();
        assert_eq!(sheets.len(), 1, ".{class} is in {sheets:?}");
    }
}

/// Largest number of lines of code in the folder of a feature of the page or of a lab, without tests; above it, the
/// feature is two features.
const MAX_FEATURE_LINES: usize = 1500;

#[test]
fn features_stay_small() {
    let (src, files) = all_sources();
    let mut lines = std::collections::BTreeMap::new();
    for file in files {
        let folder = file.strip_prefix(&src).unwrap().parent().unwrap().to_path_buf();
        let is_feature = ["app", "page", "panels", "labs"].iter().any(|room| folder.starts_with(room));
        let is_of_tests = file.file_name().unwrap().to_string_lossy().ends_with("tests.rs")
            || folder.iter().any(|part| part.to_string_lossy().ends_with("_tests"));
        if is_feature && !is_of_tests {
            let text = std::fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            *lines.entry(folder).or_insert(0) += count_code_lines(code);
        }
    }
    let large: Vec<_> = lines.iter().filter(|(_, lines)| **lines > MAX_FEATURE_LINES).collect();
    assert!(large.is_empty(), "more than {MAX_FEATURE_LINES} lines: {large:?}");
}

/// The files of all crates that are no tests, as the modules that they hold, each with its code. A module's path begins with
/// the folder of its crate.
fn modules() -> Vec<(Vec<String>, String)> {
    let (src, files) = all_sources();
    let mut modules = vec![];
    for file in files {
        let inside = file.strip_prefix(&src).unwrap().with_extension("");
        let mut path: Vec<String> =
            inside.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        let name = path.last().unwrap().clone();
        let is_of_tests = path.iter().any(|part| part == "tests" || part.ends_with("_tests"));
        if is_of_tests || path.len() == 1 || path[0] == "bin" {
            continue;
        }
        if name == "mod" || name == "lib" {
            path.pop();
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        modules.push((path, code.collect::<Vec<_>>().join("\n")));
    }
    modules
}

/// The paths that stand at the beginning of `text`, with those of a list in braces each for itself.
fn paths(text: &str, before: &[String], found: &mut Vec<Vec<String>>) {
    let text = text.trim_start();
    if let Some(list) = text.strip_prefix('{') {
        let (mut depth, mut from) = (0, 0);
        for (at, sign) in list.char_indices() {
            match sign {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    paths(&list[from..at], before, found);
                    from = at + 1;
                    if sign == '}' {
                        return;
                    }
                }
                _ => {}
            }
        }
        return;
    }
    let name: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let mut path = before.to_vec();
    path.push(name.clone());
    match text[name.len()..].strip_prefix("::") {
        Some(rest) => paths(rest, &path, found),
        None => found.push(path),
    }
}

/// What code in the module `of` names by paths that begin with `crate` or `super`, as paths that begin with the crate's folder.
fn names_of(of: &[String], code: &str) -> Vec<Vec<String>> {
    let mut found = vec![];
    for (start, root) in [("crate::", &of[..1]), ("super::", &of[..of.len().max(2) - 1])] {
        for (at, _) in code.match_indices(start) {
            // The second of `super::super` is found with the first.
            let is_first = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
            if !is_first {
                continue;
            }
            let (mut root, mut rest) = (root.to_vec(), &code[at + start.len()..]);
            while let Some(after) = rest.strip_prefix("super::") {
                root.pop();
                rest = after;
            }
            paths(rest, &root, &mut found);
        }
    }
    found
}

#[test]
fn no_crate_has_a_circle_of_modules() {
    let modules = modules();
    // The innermost module that a path goes through.
    let target = |path: &[String]| {
        (1..=path.len()).rev().find_map(|count| modules.iter().position(|(of, _)| *of == path[..count]))
    };
    let arrows: Vec<Vec<usize>> = modules
        .iter()
        .map(|(of, code)| {
            let targets = names_of(of, code).into_iter().filter_map(|path| target(&path));
            // A crate's root lists its modules and re-exports what is in them.
            targets.filter(|to| modules[*to].0.len() > 1 && modules[*to].0 != *of).collect()
        })
        .collect();
    let mut tied = vec![];
    for (start, (of, _)) in modules.iter().enumerate() {
        let (mut seen, mut next) = (vec![false; modules.len()], arrows[start].clone());
        while let Some(at) = next.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                next.extend(&arrows[at]);
            }
        }
        if seen[start] {
            tied.push(of.join("/"));
        }
    }
    assert!(tied.is_empty(), "{tied:#?} name each other in a circle");
}

#[test]
fn paths_are_read_as_the_compiler_reads_them() {
    let of = ["app", "tour", "update"].map(String::from);
    let code = "use super::{Goal, word::{A, b::C}};\nuse super::super::state::State;\nlet x = crate::run::Run::new();";
    let mut found: Vec<String> = names_of(&of, code).iter().map(|path| path.join("/")).collect();
    found.sort_unstable();
    let wanted =
        ["app/run/Run/new", "app/state/State", "app/tour/Goal", "app/tour/word/A", "app/tour/word/b/C"];
    assert_eq!(found, wanted);
}
