//! The packages of the workspace, and which of them hold the tests that a filter names.
//!
//! # Why
//! The test programs of all packages take minutes to compile, and somebody who filters needs one or two. Searching the
//! sources takes less than a second. The search may select a package too many, which only costs time; it can miss a test
//! only where a macro writes its name or its `#[test]`.

use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::Outcome;
use crate::cache::{self, Project};

/// The package at the top. The names of all others begin with it.
pub const ROOT: &str = "vivarium";
/// The Python module, which has no test program: it would have to be linked with Python.
pub const PYTHON: &str = "vivarium-python";

/// Whether a package of that name is part of this clone.
pub fn is_ours(name: &str) -> bool {
    name.strip_prefix(ROOT).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Whether the clone has a package of that name besides the root package.
pub fn has(project: &Project, package: &str) -> Outcome<bool> {
    Ok(packages(&project.root)?.iter().any(|one| one.name == package))
}

/// The arguments with which cargo tests every package; none where there is only one.
pub fn every_package(project: &Project) -> Outcome<Vec<&'static str>> {
    let packages = packages(&project.root)?;
    let has_python = packages.iter().any(|one| one.name == PYTHON);
    Ok(match packages.as_slice() {
        [] => vec![],
        _ if has_python => vec!["--workspace", "--exclude", PYTHON],
        _ => vec!["--workspace"],
    })
}

/// The packages and test programs that are compiled for some filters.
#[derive(Debug, PartialEq, Eq)]
pub struct Selection {
    /// Names, the root package's first: without it, its feature `cli` would not be on, and Burn would be compiled again
    /// with other features.
    packages: Vec<String>,
    has_unit_tests: bool,
    /// Names of integration tests.
    integration: Vec<String>,
    /// The filters for the test programs: without crate names, which the names of tests do not contain.
    pub filters: Vec<String>,
}

impl Selection {
    /// The packages and targets, as arguments of `cargo test` or `cargo nextest run`.
    pub fn arguments(&self) -> Vec<&str> {
        let packages = self.packages.iter().flat_map(|name| ["-p", name]);
        let integration = self.integration.iter().flat_map(|name| ["--test", name]);
        packages.chain(self.has_unit_tests.then_some("--lib")).chain(integration).collect()
    }
}

/// The fewest packages and targets with all tests that the filters may name. `None` stands for all of them: without a
/// workspace, and where nothing matches one of the filters.
pub fn select(root: &Path, filters: &[String]) -> Outcome<Option<Selection>> {
    let packages = packages(root)?;
    let mut targets = vec![];
    for package in packages.iter().filter(|package| package.name != PYTHON) {
        targets.extend(package.targets()?);
    }
    let mut found: Vec<&Target> = vec![];
    let mut names: Vec<&str> = vec![];
    for filter in filters {
        let by_path: Vec<_> = targets.iter().filter(|target| target.matches(filter)).collect();
        let in_crate = |target| Some((target, Target::without_crate(target, filter)?));
        let mut by_crate: Vec<_> = targets.iter().filter_map(in_crate).collect();
        by_crate.retain(|(target, rest)| target.matches(rest));
        // `plot` is a word that many tests have in their names, before it is the name of a crate.
        if !by_path.is_empty() && !filter.contains("::") {
            by_crate.clear();
        }
        if by_path.is_empty() && by_crate.is_empty() {
            return Ok(None);
        }
        names.extend((!by_path.is_empty()).then_some(filter.as_str()));
        names.extend(by_crate.iter().map(|(_, rest)| rest));
        found.extend(by_path.into_iter().chain(by_crate.into_iter().map(|(target, _)| target)));
    }
    if found.is_empty() {
        return Ok(None);
    }
    let others = found.iter().map(|target| target.package).filter(|name| *name != ROOT);
    let integration = found.iter().filter(|target| target.is_integration);
    Ok(Some(Selection {
        packages: [vec![ROOT.to_string()], sorted(others)].concat(),
        has_unit_tests: found.iter().any(|target| !target.is_integration),
        integration: sorted(integration.map(|target| target.name)),
        // An empty one is left of a crate's name alone, and stands for all tests of the crate.
        filters: if names.contains(&"") { vec![] } else { sorted(names) },
    }))
}

fn sorted<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().map(String::from).collect();
    names.sort();
    names.dedup();
    names
}

/// A package of the workspace.
struct Package {
    name: String,
    /// The folder of its `lib.rs`.
    sources: PathBuf,
    /// Its integration tests: name and file.
    integration: Vec<(String, PathBuf)>,
}

/// The packages, the root package first; none where `Cargo.toml` declares no workspace.
fn packages(root: &Path) -> Outcome<Vec<Package>> {
    let top = cache::read_toml(root.join("Cargo.toml"))?;
    let Some(members) = array(&top, "workspace", "members") else { return Ok(vec![]) };
    let mut packages = vec![Package::read(root)?];
    for member in members.iter().filter_map(Value::as_str) {
        packages.push(Package::read(&root.join(member))?);
    }
    Ok(packages)
}

fn array<'a>(manifest: &'a Table, section: &str, key: &str) -> Option<&'a Vec<Value>> {
    manifest.get(section)?.get(key)?.as_array()
}

impl Package {
    fn read(folder: &Path) -> Outcome<Self> {
        let file = folder.join("Cargo.toml");
        let manifest = cache::read_toml(&file)?;
        let text = |section: &str, key: &str| manifest.get(section)?.get(key)?.as_str();
        let name = text("package", "name").ok_or_else(|| format!("{} names no package", file.display()))?;
        let lib = folder.join(text("lib", "path").unwrap_or("src/lib.rs"));
        let tests = manifest.get("test").and_then(Value::as_array).into_iter().flatten();
        let read = |entry: &Value| {
            let (name, path) = (entry.get("name")?.as_str()?, entry.get("path")?.as_str()?);
            Some((name.to_string(), folder.join(path)))
        };
        Ok(Self {
            name: name.into(),
            sources: lib.parent().unwrap_or(folder).to_path_buf(),
            integration: tests.filter_map(read).collect(),
        })
    }

    fn targets(&self) -> Outcome<Vec<Target<'_>>> {
        let name = self.name.strip_prefix(ROOT).and_then(|rest| rest.strip_prefix('-')).unwrap_or(&self.name);
        let files = source_files(&self.sources)?;
        let mut targets = vec![Target {
            package: &self.name,
            name,
            is_integration: false,
            files: modules(&self.sources, &files)?,
        }];
        for (name, file) in &self.integration {
            let folder = file.parent().unwrap_or(file);
            let is_alone = file.file_name().is_none_or(|name| name != "main.rs");
            let files = if is_alone { vec![file.clone()] } else { source_files(folder)? };
            targets.push(Target {
                package: &self.name,
                name,
                is_integration: true,
                files: modules(folder, &files)?,
            });
        }
        Ok(targets)
    }
}

/// A test program: the unit tests of a package, or one of its integration tests.
struct Target<'a> {
    package: &'a str,
    /// The crate's name, without that of the root package: `labs` of `vivarium-labs`.
    name: &'a str,
    is_integration: bool,
    files: Vec<Module>,
}

/// A source file as names of tests have it.
struct Module {
    /// Its path within the crate, `parity::charts`; empty for the crate itself.
    path: String,
    /// The functions and modules that it declares.
    names: Vec<String>,
}

impl Target<'_> {
    fn matches(&self, filter: &str) -> bool {
        self.files.iter().any(|file| file.matches(filter))
    }

    /// What is left of a filter that begins with the name of this crate, in either form.
    fn without_crate<'a>(&self, filter: &'a str) -> Option<&'a str> {
        let long = self.package.replace('-', "_");
        let names = [self.name, if self.is_integration { self.name } else { &long }];
        let rest = |name| match filter.strip_prefix(name)? {
            "" => Some(""),
            rest => rest.strip_prefix("::"),
        };
        names.into_iter().find_map(rest)
    }
}

impl Module {
    /// Whether the filter may be a part of a test's name in this file: of the file's own path, or of the end of it and names
    /// that are declared there.
    fn matches(&self, filter: &str) -> bool {
        let parts: Vec<&str> = filter.split("::").collect();
        // Only the first part may begin within a name, and only the last may end within one.
        let is_part = |name: &str, at: usize| match (at == 0, at + 1 == parts.len()) {
            (true, true) => name.contains(parts[at]),
            (true, false) => name.ends_with(parts[at]),
            (false, true) => name.starts_with(parts[at]),
            (false, false) => name == parts[at],
        };
        let is_declared = |at: usize| self.names.iter().any(|name| is_part(name, at));
        let is_found =
            |at: usize| self.path.ends_with(&parts[..at].join("::")) && (at..parts.len()).all(is_declared);
        self.path.contains(filter) || (0..parts.len()).any(is_found)
    }
}

/// The files with tests. Those of a crate's other files have no name that a filter could mean.
fn modules(folder: &Path, files: &[PathBuf]) -> Outcome<Vec<Module>> {
    let mut modules = vec![];
    for file in files {
        if let Some(names) = names(&cache::read(file)?) {
            modules.push(Module { path: path(folder, file), names });
        }
    }
    Ok(modules)
}

/// The path of a file's module within the crate that lies in `folder`.
fn path(folder: &Path, file: &Path) -> String {
    let inside = file.strip_prefix(folder).unwrap_or(file).with_extension("");
    let mut parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
    parts.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_ref()));
    parts.join("::")
}

/// The names behind `mod`, and behind those `fn` that may be tests: `#[test]` or `#[cfg(test)]` stands before them. `None`
/// where no test can be.
fn names(text: &str) -> Option<Vec<String>> {
    let (before, after) = text.split_at(text.find("test")?);
    let named = |text: &str, keywords: &[&str]| {
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let pairs = words.windows(2).filter(|pair| keywords.contains(&pair[0]));
        pairs.map(|pair| pair[1].to_string()).collect::<Vec<_>>()
    };
    Some([named(before, &["mod"]), named(after, &["fn", "mod"])].concat())
}

/// The Rust files below a folder, without those of packages in it.
fn source_files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let broken = |why: std::io::Error| format!("cannot list {}: {why}", folder.display());
    let mut files = vec![];
    for entry in fs::read_dir(folder).map_err(broken)? {
        let path = entry.map_err(broken)?.path();
        if path.is_dir() {
            if !path.join("Cargo.toml").is_file() {
                files.extend(source_files(&path)?);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

#[cfg(test)]
mod checks {
    use super::*;

    /// A small workspace: the root package with an integration test, `labs` and `plot`.
    fn workspace(name: &str) -> PathBuf {
        let root = std::env::temp_dir().join(format!("vivarium-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let files = [
            (
                "Cargo.toml",
                "[workspace]\nmembers = [\"src/labs\", \"src/plot\", \"src/python\"]\n[package]\nname = \"vivarium\"\n\
                 [[test]]\nname = \"suite\"\npath = \"tests/suite/main.rs\"\n\
                 [[test]]\nname = \"science\"\npath = \"tests/science.rs\"\n",
            ),
            ("src/lib.rs", "mod map { #[test] fn is_a_map() {} }"),
            ("src/labs/Cargo.toml", "[package]\nname = \"vivarium-labs\"\n[lib]\npath = \"lib.rs\"\n"),
            ("src/labs/lib.rs", "pub mod parity;"),
            (
                "src/labs/parity/mod.rs",
                "mod charts;\n#[cfg(test)]\nmod tests { #[test] fn bits_are_hidden() {} }",
            ),
            ("src/labs/parity/charts.rs", "fn bits_are_tested() {}\n#[test]\nfn draws_a_plot_of_bits() {}"),
            ("src/plot/Cargo.toml", "[package]\nname = \"vivarium-plot\"\n[lib]\npath = \"lib.rs\"\n"),
            ("src/plot/lib.rs", "mod axes { fn is_no_map() {} #[test] fn bits_are_drawn() {} }"),
            ("src/python/Cargo.toml", "[package]\nname = \"vivarium-python\"\n[lib]\npath = \"lib.rs\"\n"),
            ("src/python/lib.rs", "fn bits_are_numbers() {}"),
            ("tests/suite/main.rs", "mod links;"),
            ("tests/suite/links.rs", "#[test]\nfn links_last() {}\n#[test]\nfn parity_charts_last() {}"),
            ("tests/science.rs", "#[test]\nfn claims_hold() {}"),
        ];
        files.iter().for_each(|(file, text)| cache::write(root.join(file), text).unwrap());
        root
    }

    /// What is compiled for the filters, and what the test programs are filtered by.
    fn selected(root: &Path, filters: &[&str]) -> Option<(String, String)> {
        let filters: Vec<String> = filters.iter().map(ToString::to_string).collect();
        let selection = select(root, &filters).unwrap()?;
        Some((selection.arguments().join(" "), selection.filters.join(" ")))
    }

    #[test]
    fn a_filter_selects_the_packages_that_declare_such_tests() {
        let root = workspace("select");
        for (filters, arguments, rest) in [
            (&["bits_are_hidden"][..], "-p vivarium -p vivarium-labs --lib", "bits_are_hidden"),
            (&["bits_are"], "-p vivarium -p vivarium-labs -p vivarium-plot --lib", "bits_are"),
            (&["links_last"], "-p vivarium --test suite", "links_last"),
            (&["claims"], "-p vivarium --test science", "claims"),
            // Not `plot`, whose function is no test.
            (&["map"], "-p vivarium --lib", "map"),
            (&["parity"], "-p vivarium -p vivarium-labs --lib --test suite", "parity"),
            (&["claims", "axes"], "-p vivarium -p vivarium-plot --lib --test science", "axes claims"),
        ] {
            assert_eq!(selected(&root, filters), Some((arguments.into(), rest.into())), "{filters:?}");
        }
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_path_selects_the_package_of_its_module() {
        let root = workspace("path");
        let labs = "-p vivarium -p vivarium-labs --lib";
        for (filter, arguments, rest) in [
            ("parity::charts", labs, "parity::charts"),
            ("parity::tests::bits_are", labs, "parity::tests::bits_are"),
            ("arity::charts::draws_a_plot_of_bits", labs, "arity::charts::draws_a_plot_of_bits"),
            ("labs::parity", labs, "parity"),
            ("vivarium_labs::parity::charts::draws", labs, "parity::charts::draws"),
            ("labs::", labs, ""),
            ("labs", labs, ""),
            // No crate, but a word of a test's name.
            ("plot", labs, "plot"),
            ("plot::axes", "-p vivarium -p vivarium-plot --lib", "axes"),
            ("suite::links", "-p vivarium --test suite", "links"),
        ] {
            assert_eq!(selected(&root, &[filter]), Some((arguments.into(), rest.into())), "{filter}");
        }
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn everything_is_selected_where_nothing_matches() {
        let root = workspace("none");
        for filters in
            [&["no_such_test"][..], &["bits_are_tested"], &["labs::axes"], &["claims", "no_such_test"], &[]]
        {
            assert_eq!(selected(&root, filters), None, "{filters:?}");
        }
        // Nor is there anything to select from in a single package.
        cache::write(root.join("Cargo.toml"), "[package]\nname = \"vivarium\"\n").unwrap();
        assert_eq!(selected(&root, &["links"]), None);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn our_packages_are_known_by_their_names() {
        assert!(is_ours("vivarium") && is_ours("vivarium-labs"));
        assert!(!is_ours("vivariums") && !is_ours("labs"));
    }
}
