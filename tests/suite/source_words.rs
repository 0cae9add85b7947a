//! The source speaks the field's language: words that only its authors understand are in no name and begin no comment.
//!
//! `CONTRIBUTING.md` has the same list with the words to write instead. The crates of networks, their kernels and their
//! training keep older words until one description of each network replaces them.

use crate::structure::all_sources;

/// Folders of `src` that keep older words.
const OLDER: [&str; 3] = ["kernels", "training", "model/models"];

/// Words that are part of no name: of a function, type, field, constant or module.
const WORDS: [&str; 41] = [
    "said",
    "told",
    "heard",
    "asked",
    "begun",
    "knob",
    "knobs",
    "wish",
    "wishes",
    "deed",
    "deeds",
    "trouble",
    "troubles",
    "mistake",
    "mistakes",
    "flaw",
    "flaws",
    "judge",
    "judges",
    "judged",
    "rhythm",
    "glance",
    "grove",
    "ballot",
    "crew",
    "staff",
    "newest",
    "anyhow",
    "dear",
    "straighten",
    "beside",
    "most",
    "least",
    "many",
    "law",
    "laws",
    "somebody",
    "pull",
    "pulls",
    "hall",
    "doings",
];

/// Participles that are no name of a function: a function is a verb.
const PARTICIPLES: [&str; 6] = ["drawn", "made", "found", "told", "said", "begun"];

/// Terms of the field, and idioms, with one of the words.
const TERMS: [&str; 12] = [
    "at_most",
    "at_least",
    "as_many",
    "too_many",
    "how_many",
    "so_many",
    "least_squares",
    "least_norm",
    "power_law",
    "power_laws",
    "scaling_law",
    "logarithmic_law",
];

/// Fields of files that were written before, whose names must stay.
const IN_FILES: [&str; 3] = ["most_rows", "judged", "few"];

/// First words of a comment that only continues a name.
const BEGINNINGS: [&str; 8] =
    ["What ", "The same ", "The same.", "All of them", "Its ", "Somebody", "Something ", "Nothing "];

/// Phrases in comments that personify or leave out the noun.
const PHRASES: [&str; 10] = [
    "gave a sign",
    "is wanted of",
    "news of",
    "somebody",
    "what stands where",
    "a knob",
    "the knob",
    "knobs",
    "the one before",
    "as before)",
];

/// The words of a name, in lower case: `MarginNetwork` and `margin_network` have two.
fn split_name(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_upper = true;
    for letter in name.chars() {
        if letter == '_' || letter.is_uppercase() && !was_upper {
            words.push(String::new());
        }
        was_upper = letter.is_uppercase() || letter == '_';
        if letter != '_' {
            words.last_mut().unwrap().extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The name that a line of code defines, and whether it is a function's.
fn defined_name(line: &str) -> Option<(&str, bool)> {
    let mut rest = line.trim_start();
    if let Some(after) = rest.strip_prefix("pub") {
        rest = match after.strip_prefix('(') {
            Some(after) => after.split_once(')')?.1,
            None => after,
        };
        rest = rest.strip_prefix(' ')?;
    }
    for qualifier in ["const fn ", "async fn ", "unsafe fn "] {
        if let Some(after) = rest.strip_prefix(qualifier) {
            return Some((identifier(after), true));
        }
    }
    if let Some(after) = rest.strip_prefix("fn ") {
        return Some((identifier(after), true));
    }
    for keyword in ["struct ", "enum ", "trait ", "type ", "const ", "static ", "mod "] {
        if let Some(after) = rest.strip_prefix(keyword) {
            return Some((identifier(after), false));
        }
    }
    // A field: a name, a colon and a type.
    let name = identifier(rest);
    let of_field = line.starts_with("    ") && rest[name.len()..].starts_with(": ") && rest.ends_with(',');
    (of_field && !name.is_empty() && !IN_FILES.contains(&name)).then_some((name, false))
}

fn identifier(text: &str) -> &str {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or_default()
}

/// The word for which a name is refused, if any.
fn refused_word(name: &str, is_function: bool) -> Option<String> {
    let words = split_name(name);
    let mut joined = words.join("_");
    for term in TERMS {
        joined = joined.replace(term, "");
    }
    let rest: Vec<&str> = joined.split('_').collect();
    if let Some(word) = rest.iter().find(|word| WORDS.contains(word)) {
        return Some((*word).into());
    }
    let is_participle = is_function && words.len() == 1 && PARTICIPLES.contains(&words[0].as_str());
    is_participle.then(|| words[0].clone())
}

/// The reason for which a comment is refused, if any.
fn refused_comment(comment: &str, is_first_line: bool) -> Option<&'static str> {
    let begins = BEGINNINGS.into_iter().find(|beginning| is_first_line && comment.starts_with(beginning));
    begins.or_else(|| PHRASES.into_iter().find(|phrase| comment.to_lowercase().contains(phrase)))
}

/// Every place of a source with a word that the list refuses, as "line: reason". Names of tests are sentences, which may
/// speak of many networks or the least loss.
fn refused_places(text: &str) -> Vec<String> {
    let mut refused = vec![];
    let mut before = "";
    let mut is_test = false;
    for (index, line) in text.lines().enumerate() {
        let code = line.trim_start();
        let number = index + 1;
        if let Some(comment) = code.strip_prefix("///").or_else(|| code.strip_prefix("//!")) {
            let is_first_line = !before.trim_start().starts_with("//");
            if let Some(reason) = refused_comment(comment.trim_start(), is_first_line) {
                refused.push(format!("{number}: “{reason}” in a comment"));
            }
        } else if !code.starts_with("//") {
            if let Some((name, is_function)) = defined_name(line)
                && let Some(word) = refused_word(name, is_function)
                && !(is_test && ["most", "least", "many"].contains(&word.as_str()))
            {
                refused.push(format!("{number}: “{word}” in the name {name}"));
            }
            is_test = is_test && code.starts_with('#') || code.starts_with("#[test]");
        }
        before = line;
    }
    refused
}

#[test]
fn names_and_comments_are_in_the_fields_words() {
    let (src, files) = all_sources();
    let mut refused = vec![];
    for file in files {
        let path = file.strip_prefix(&src).unwrap();
        if OLDER.iter().any(|older| path.starts_with(older)) {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        refused.extend(refused_places(&text).into_iter().map(|place| format!("{}:{place}", path.display())));
    }
    assert!(refused.is_empty(), "{} places:\n{}", refused.len(), refused.join("\n"));
}

#[test]
fn names_are_split_and_refused_by_word() {
    assert_eq!(split_name("MarginNetwork"), ["margin", "network"]);
    assert_eq!(split_name("MAX_GATES"), ["max", "gates"]);
    for name in ["drawn", "all_knobs", "MOST_GATES", "NewestRow", "what_is_said"] {
        assert!(refused_word(name, true).is_some(), "{name}");
    }
    for name in ["draw", "describe_found", "power_law_exponent", "LeastNormSearch", "at_most_one", "held_out"]
    {
        assert_eq!(refused_word(name, true), None, "{name}");
    }
    let source =
        "    /// What becomes of its scores.\n    fn scores() {}\n    /// Scores.\n    pub flaw: String,\n";
    assert_eq!(refused_places(source), ["1: “What ” in a comment", "4: “flaw” in the name flaw"]);
}
