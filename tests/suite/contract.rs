//! Shared code asks an entry, never which entry it is: no line of it names one.

use std::path::Path;

use crate::structure::all_sources;

/// The catalogs whose variants are meant, and what an example is.
const ENUMS: [&str; 3] = ["Task", "Model", "Form"];

/// Folders in which a lab, a task or a model is at home.
const HOMES: [&str; 4] = ["labs", "panels", "model/tasks", "model/models"];

/// The lines of code with their numbers: without comments, texts and the tests at the end of a file.
fn code(text: &str) -> impl Iterator<Item = (usize, String)> {
    let before_tests = text.lines().take_while(|line| *line != "mod tests {");
    // Every other part between quotes is text, as far as a line shows it.
    let without_texts = |line: &str| line.split('"').step_by(2).collect::<Vec<_>>().join("\"");
    (1..)
        .zip(before_tests)
        .map(move |(at, line)| (at, without_texts(line)))
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// The types of the entries, as the two catalogs list them.
fn entries(src: &Path) -> Vec<String> {
    let listed = |room: &str| {
        let text = std::fs::read_to_string(src.join("model").join(room).join("mod.rs")).unwrap();
        let list = text.split("catalog! {").nth(1).unwrap().split("\n    }\n").next().unwrap().to_string();
        let entry = |line: &str| Some(line.trim().strip_suffix(',')?.split_once("::")?.1.to_string());
        list.lines().filter_map(entry).collect::<Vec<_>>()
    };
    let all = [listed("tasks"), listed("models")].concat();
    assert!(all.len() >= 18 && all.iter().any(|entry| entry == "SparseParity"), "{all:?}");
    all
}

/// The paths in a line of code, as `["Task", "SparseParity"]`.
fn paths(line: &str) -> impl Iterator<Item = Vec<&str>> {
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    line.split(move |c: char| !is_path(c))
        .map(|path| path.split("::").filter(|word| !word.is_empty()).collect())
}

/// Whether a line names a variant of a catalog, or the type of an entry.
fn names_an_entry(line: &str, entries: &[String]) -> bool {
    let is_type = |word: &str| word.starts_with(char::is_uppercase) && word.contains(char::is_lowercase);
    paths(line).any(|path| {
        path.iter().enumerate().any(|(at, word)| {
            let before = at.checked_sub(1).map(|at| path[at]);
            let is_variant = before.is_some_and(|before| ENUMS.contains(&before)) && is_type(word);
            // Behind another type it is another thing of this name.
            let is_entry = entries.iter().any(|entry| entry == word) && !before.is_some_and(is_type);
            is_variant || is_entry
        })
    })
}

#[test]
fn shared_code_asks_the_entry() {
    let (src, files) = all_sources();
    let entries = entries(&src);
    let mut found = vec![];
    for file in files {
        let inside = file.strip_prefix(&src).unwrap();
        let home = HOMES.iter().find_map(|home| inside.strip_prefix(home).ok());
        let is_catalog = home.is_some_and(|rest| rest == Path::new("mod.rs"));
        let is_of_tests =
            inside.iter().any(|part| part.to_string_lossy().trim_end_matches(".rs").ends_with("tests"));
        if (home.is_some() && !is_catalog) || is_of_tests {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        // A catalog's list is the one line of each entry.
        let is_listed = |line: &str| is_catalog && line.trim().ends_with(',') && !line.trim().contains(' ');
        let lines = code(&text).filter(|(_, line)| !is_listed(line) && names_an_entry(line, &entries));
        found.extend(lines.map(|(at, line)| format!("{}:{at}: {}", inside.display(), line.trim())));
    }
    assert!(found.is_empty(), "{} lines name an entry:\n{}", found.len(), found.join("\n"));
}

#[test]
fn lines_that_name_an_entry_are_distinguished() {
    let entries = ["SparseParity".to_string(), "Mlp".to_string()];
    let names = |line: &str| names_an_entry(line, &entries);
    for line in
        ["Task::SparseParity(task) => 1,", "use crate::models::Mlp;", "Form::Bits => {}", "fn of(net: &Mlp)"]
    {
        assert!(names(line), "{line}");
    }
    for line in ["Task::ENTRIES", "let family = Family::Pairs(net);", "task.sampler()", "Layer::Mlp"] {
        assert!(!names(line), "{line}");
    }
}
