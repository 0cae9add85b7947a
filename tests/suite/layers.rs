//! Who may know whom: the table of allowed imports between the rooms of `src/`.

use std::path::{Path, PathBuf};

/// Each room with the rooms it may name. Tensors and pages are kept out by features besides.
const ALLOWED: &[(&str, &[&str])] = &[
    ("language", &[]),
    ("settings", &[]),
    ("catalog", &["settings"]),
    ("rng", &[]),
    ("groups", &[]),
    ("markov", &["settings", "rng"]),
    ("tasks", &["settings", "catalog", "rng", "groups", "markov"]),
    ("models", &["settings", "catalog", "rng", "tasks", "groups"]),
    ("optim", &["settings", "catalog"]),
    ("run", &["settings", "catalog", "tasks", "models", "optim", "sweep"]),
    ("sweep", &["settings", "run", "permalink"]),
    ("kernels", &["rng", "tasks", "models", "optim", "run", "protocol", "platform"]),
    ("permalink", &["settings", "run", "sweep", "tasks", "markov", "analysis"]),
    ("presets", &["analysis", "markov", "permalink", "run", "settings"]),
    ("advice", &["settings", "run", "tasks", "models"]),
    ("protocol", &["run"]),
    // A run's files; that of weights is checked by its header, without tensors.
    ("record", &["markov", "models", "permalink", "protocol", "run", "settings", "sweep", "tasks", "optim"]),
    (
        "training",
        &[
            "settings",
            "catalog",
            "rng",
            "markov",
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
    ("analysis", &["groups", "markov", "protocol", "rng", "tasks"]),
    (
        "probing",
        &["analysis", "groups", "kernels", "models", "platform", "protocol", "run", "tasks", "training"],
    ),
    ("charts", &["analysis"]),
    ("platform", &["protocol"]),
    ("worker", &["platform", "probing", "protocol", "tasks", "training", "run"]),
    ("worker_web", &["platform", "protocol", "kernels", "training", "worker"]),
    ("app", &[]),
    // The figures of the command line are what the page's reducer shows of a worker.
    ("lab", &["app", "worker"]),
];

/// What all may name: the words for a person.
const EVERYWHERE: &str = "language";

/// The two fronts, page and command line.
const FRONTS: &[&str] = &["app", "lab"];

/// What both fronts may name.
const FRONT: &[&str] = &[
    "settings",
    "catalog",
    "tasks",
    "models",
    "optim",
    "run",
    "permalink",
    "presets",
    "advice",
    "protocol",
    "record",
    "sweep",
    "analysis",
    "groups",
    "markov",
    "rng",
    "charts",
    "platform",
    "kernels",
    "training",
    "probing",
];

/// Rooms whose sources may name Burn or CubeCL.
const TENSORS: &[&str] = &["models", "kernels", "training", "rng"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
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
                if !["settings", "choices", "catalog", "tr"].contains(&room.as_str()) || name.contains("::") {
                    rooms.push(room);
                }
            }
        }
    }
    rooms
}

/// The folder of the sources, and every file in it.
fn all_sources() -> (PathBuf, Vec<PathBuf>) {
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
            if ![&room, EVERYWHERE].contains(&other) && !allowed.contains(&other) && !common.contains(&other)
            {
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

/// Rooms that still name each other; the list only gets shorter.
const MUTUAL: &[[&str; 2]] = &[["run", "sweep"], ["permalink", "sweep"]];

#[test]
fn no_two_rooms_name_each_other() {
    let may = |room: &str, other: &str| {
        ALLOWED.iter().any(|(name, allowed)| *name == room && allowed.contains(&other))
    };
    for (room, allowed) in ALLOWED {
        for other in allowed.iter().filter(|other| may(other, room)) {
            let known = MUTUAL.iter().any(|pair| pair.contains(room) && pair.contains(other));
            assert!(known, "{room} and {other} name each other");
        }
    }
}

#[test]
fn files_stay_short() {
    for file in all_sources().1 {
        let lines = std::fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines <= 500, "{} has {lines} lines; above 500 a file is split", file.display());
    }
}
