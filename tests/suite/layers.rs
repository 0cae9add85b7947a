//! Who may know whom: the table of allowed imports between the rooms of `src/`.

use std::path::{Path, PathBuf};

/// Each room with the rooms it may name. Tensors and pages are kept out by features besides.
const ALLOWED: &[(&str, &[&str])] = &[
    ("language", &[]),
    ("sources", &[]),
    ("bounds", &[]),
    ("settings", &[]),
    ("sorting", &[]),
    ("catalog", &["settings"]),
    ("rng", &[]),
    ("groups", &[]),
    ("markov", &["settings", "rng"]),
    ("tokens", &["settings", "rng"]),
    ("functions", &["bounds", "settings", "rng"]),
    ("descent", &["bounds", "settings", "rng"]),
    ("machines", &["settings", "rng", "pytorch"]),
    ("circuits", &["rng"]),
    ("succinct", &["rng", "settings"]),
    ("pytorch", &["settings"]),
    (
        "tasks",
        &[
            "settings",
            "catalog",
            "bounds",
            "rng",
            "groups",
            "machines",
            "markov",
            "tokens",
            "descent",
            "functions",
            "circuits",
            "succinct",
            "pytorch",
        ],
    ),
    (
        "models",
        &[
            "settings",
            "catalog",
            "bounds",
            "rng",
            "tasks",
            "groups",
            "tokens",
            "descent",
            "functions",
            "machines",
            "circuits",
            "succinct",
            "pytorch",
        ],
    ),
    ("optim", &["settings", "catalog", "pytorch"]),
    ("run", &["settings", "catalog", "bounds", "tasks", "models", "optim"]),
    ("sweep", &["settings", "run"]),
    (
        "kernels",
        &[
            "bounds",
            "rng",
            "markov",
            "succinct",
            "tokens",
            "functions",
            "tasks",
            "models",
            "optim",
            "run",
            "protocol",
            "platform",
        ],
    ),
    ("permalink", &["catalog", "settings", "run", "tasks", "markov", "analysis"]),
    (
        "presets",
        &[
            "analysis",
            "catalog",
            "circuits",
            "descent",
            "machines",
            "markov",
            "permalink",
            "run",
            "settings",
            "succinct",
        ],
    ),
    // What only one lab knows. No lab names another one.
    (
        "labs",
        &[
            "analysis",
            "bounds",
            "catalog",
            "circuits",
            "succinct",
            "descent",
            "display",
            "functions",
            "groups",
            "kernels",
            "machines",
            "markov",
            "models",
            "optim",
            "permalink",
            "platform",
            "presets",
            "probing",
            "protocol",
            "record",
            "rng",
            "run",
            "settings",
            "sweep",
            "tasks",
            "tokens",
            "descent",
            "training",
            "ui",
        ],
    ),
    // Pieces of a page that know no lab and nothing of the page's state.
    ("ui", &["analysis", "catalog", "charts", "display", "permalink", "platform", "run", "settings"]),
    ("protocol", &["run"]),
    // A run's files; that of weights is checked by its header, without tensors.
    (
        "record",
        &[
            "analysis",
            "markov",
            "models",
            "optim",
            "permalink",
            "protocol",
            "pytorch",
            "run",
            "settings",
            "sweep",
            "tasks",
            // Tests alone: scripts are held against autodiff.
            "training",
        ],
    ),
    (
        "training",
        &[
            "settings",
            "catalog",
            "bounds",
            "rng",
            "machines",
            "markov",
            "tokens",
            "descent",
            "functions",
            "machines",
            "circuits",
            "succinct",
            "tasks",
            "models",
            "optim",
            "run",
            "kernels",
            "permalink",
            "protocol",
            "platform",
            "sweep",
        ],
    ),
    (
        "analysis",
        &[
            "bounds",
            "catalog",
            "functions",
            "groups",
            "markov",
            "protocol",
            "rng",
            "settings",
            "tasks",
            "tokens",
        ],
    ),
    ("probing", &["platform", "protocol", "run"]),
    ("charts", &["analysis"]),
    // A run as it is shown. What labs say of it comes in as a table.
    (
        "display",
        &[
            "analysis",
            "bounds",
            "catalog",
            "models",
            "optim",
            "permalink",
            "presets",
            "probing",
            "protocol",
            "record",
            "run",
            "settings",
            "sweep",
            "tasks",
        ],
    ),
    ("platform", &["protocol"]),
    ("worker", &["labs", "platform", "probing", "protocol", "tasks", "training", "run"]),
    ("worker_web", &["platform", "protocol", "kernels", "record", "run", "training", "worker"]),
    ("app", &[]),
    // The figures of the command line are what the page's reducer shows of a worker.
    ("cli", &["app", "worker"]),
    // What Python runs is what the command line runs.
    ("python", &["app", "cli"]),
];

/// What all may name: the words for a person, the publications, and how lists are sorted.
const EVERYWHERE: &[&str] = &["language", "sources", "sorting"];

/// The fronts: page, command line and Python module.
const FRONTS: &[&str] = &["app", "cli", "python"];

/// What all fronts may name.
const FRONT: &[&str] = &[
    "settings",
    "catalog",
    "tasks",
    "models",
    "optim",
    "run",
    "permalink",
    "presets",
    "labs",
    "protocol",
    "record",
    "sweep",
    "analysis",
    "circuits",
    "descent",
    "functions",
    "groups",
    "markov",
    "tokens",
    "rng",
    "charts",
    "display",
    "platform",
    "kernels",
    "training",
    "probing",
    "ui",
];

/// Rooms whose sources may name Burn or CubeCL.
const TENSORS: &[&str] = &["models", "kernels", "training", "rng"];

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

/// The rooms named by `crate::room` in code, documentation aside; macros at the crate's root are no room.
fn named(text: &str) -> Vec<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut rooms = vec![];
    for line in code {
        for after in line.split("crate::").skip(1) {
            let names: Vec<&str> = match after.strip_prefix('{') {
                Some(list) => list.split('}').next().unwrap_or("").split(',').map(str::trim).collect(),
                None => vec![after],
            };
            for name in names {
                let room: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if !["settings", "choices", "catalog", "charts", "tr"].contains(&room.as_str())
                    || name.contains("::")
                {
                    rooms.push(room);
                }
            }
        }
    }
    rooms
}

/// The folder of the sources, and every file in it.
pub fn all_sources() -> (PathBuf, Vec<PathBuf>) {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = vec![];
    sources(&src, &mut files);
    (src, files)
}

#[test]
fn imports_point_one_way() {
    let (src, files) = all_sources();
    let mut wrong = vec![];
    for file in files {
        let inside = file.strip_prefix(&src).unwrap();
        let first = inside.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
        let room = first.trim_end_matches(".rs").to_string();
        if room == "lib" || room == "bin" {
            continue;
        }
        let (_, allowed) = ALLOWED
            .iter()
            .find(|(name, _)| *name == room)
            .unwrap_or_else(|| panic!("{room} is not in the table"));
        let text = std::fs::read_to_string(&file).unwrap();
        // Tests may look around.
        let of_tests = file.file_name().is_some_and(|name| name == "tests.rs");
        let text = if of_tests { "" } else { text.split("#[cfg(test)]").next().unwrap() };
        let common = if FRONTS.contains(&room.as_str()) { FRONT } else { &[] };
        for other in named(text) {
            let other = other.as_str();
            let permitted = [EVERYWHERE, *allowed, common].iter().any(|rooms| rooms.contains(&other));
            if other != room && !permitted {
                wrong.push(format!("{} names {other}", inside.display()));
            }
        }
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            if (line.contains("burn::") || line.contains("cubecl::")) && !TENSORS.contains(&room.as_str()) {
                wrong.push(format!("{} names a tensor library", inside.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_two_rooms_name_each_other() {
    let may = |room: &str, other: &str| {
        ALLOWED.iter().any(|(name, allowed)| *name == room && allowed.contains(&other))
    };
    let mut pairs = ALLOWED.iter().flat_map(|(room, others)| others.iter().map(move |other| (room, other)));
    if let Some((room, other)) = pairs.find(|(room, other)| may(other, room)) {
        panic!("{room} and {other} name each other");
    }
}

#[test]
fn files_stay_short() {
    for file in all_sources().1 {
        let lines = std::fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines <= 600, "{} has {lines} lines; above 600 a file is split", file.display());
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

/// Most lines in the folder of a feature of the page or of a lab, tests aside: above it, it is two features.
const MOST_OF_A_FEATURE: usize = 1600;

#[test]
fn features_stay_small() {
    let (src, files) = all_sources();
    let mut lines = std::collections::BTreeMap::new();
    for file in files {
        let folder = file.strip_prefix(&src).unwrap().parent().unwrap().to_path_buf();
        let is_feature = ["app", "labs"].iter().any(|room| folder.starts_with(room));
        let is_of_tests = file.file_name().unwrap().to_string_lossy().ends_with("tests.rs");
        if is_feature && !is_of_tests {
            let text = std::fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            *lines.entry(folder).or_insert(0) += code.lines().count();
        }
    }
    let large: Vec<_> = lines.iter().filter(|(_, lines)| **lines > MOST_OF_A_FEATURE).collect();
    assert!(large.is_empty(), "more than {MOST_OF_A_FEATURE} lines: {large:?}");
}

/// The files below `src/` that are no tests, as the modules that they hold, each with its code.
fn modules() -> Vec<(Vec<String>, String)> {
    let (src, files) = all_sources();
    let mut modules = vec![];
    for file in files {
        let inside = file.strip_prefix(&src).unwrap().with_extension("");
        let mut path: Vec<String> =
            inside.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        let name = path.last().unwrap().clone();
        if name == "tests" || name.ends_with("_tests") || path[0] == "bin" {
            continue;
        }
        if name == "mod" {
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

/// What code in the module `of` names by paths that begin with `crate` or `super`, as paths from the crate's root.
fn names_of(of: &[String], code: &str) -> Vec<Vec<String>> {
    let mut found = vec![];
    for (start, root) in [("crate::", &[][..]), ("super::", &of[..of.len() - 1])] {
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
fn no_room_has_a_circle_of_files() {
    let modules = modules();
    // The innermost module that a path goes through.
    let target = |path: &[String]| {
        (1..=path.len()).rev().find_map(|count| modules.iter().position(|(of, _)| *of == path[..count]))
    };
    let arrows: Vec<Vec<usize>> = modules
        .iter()
        .map(|(of, code)| {
            let targets = names_of(of, code).into_iter().filter_map(|path| target(&path));
            targets.filter(|to| modules[*to].0[0] == of[0] && modules[*to].0 != *of).collect()
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
    let wanted = ["app/state/State", "app/tour/Goal", "app/tour/word/A", "app/tour/word/b/C", "run/Run/new"];
    assert_eq!(found, wanted);
}
