//! Spelling and style of what is read: texts of the page, READMEs, and comments that become documentation.

use std::path::Path;

use unicase::UniCase;

use crate::readmes::files;
use crate::structure::sources;

/// Phrases that CONTRIBUTING.md, "Plain English", advises against, and that a text of the page once had.
const PHRASES: [&str; 18] = [
    "Ours:",
    "the one before",
    "the former",
    "the latter",
    "some hundred",
    "some thousand",
    "some minutes",
    "some seconds",
    "looks at",
    "wants to",
    "of which",
    "is to be ",
    "are to be ",
    "read off",
    "most weight",
    "by lot",
    "held against",
    "hangs on",
];

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// Every text of the page, in English.
fn texts() -> Vec<String> {
    let texts: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(&read(Path::new("www/languages/en.json"))).unwrap();
    texts.into_iter().map(|(text, _)| text).collect()
}

/// Words that are spelled as nobody spells them, with what was meant. The shortest are symbols, and names of authors.
fn misspelled(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphabetic() && c != '\'');
    words.filter(|word| word.chars().count() > 3).filter_map(|word| {
        let meant = typos_dict::WORD.find(&UniCase::new(word))?;
        Some(format!("{word}: {}", meant.join(" or ")))
    })
}

#[test]
fn every_text_and_every_comment_is_spelled_correctly() {
    assert_eq!(misspelled("to recieve a lable").count(), 2);
    let mut wrong: Vec<String> = texts().iter().flat_map(|text| misspelled(text)).collect();
    let (mut code, mut pages) = (vec![], vec![]);
    sources(Path::new("src"), &mut code);
    files(Path::new("src"), true, &mut pages);
    files(Path::new("."), false, &mut pages);
    assert!(code.len() > 500 && pages.len() >= 8, "{} {}", code.len(), pages.len());
    for path in code.iter().chain(&pages) {
        let (text, is_page) = (read(path), path.extension().is_some_and(|end| end == "md"));
        for line in text.lines().filter(|line| is_page || line.trim_start().starts_with("//")) {
            wrong.extend(misspelled(line).map(|word| format!("{}: {word}", path.display())));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn no_text_has_a_phrase_that_plain_english_does_without() {
    let texts = texts();
    assert!(texts.len() > 4_000);
    let found = texts.iter().flat_map(|text| {
        PHRASES
            .iter()
            .filter(move |phrase| text.contains(*phrase))
            .map(move |phrase| format!("{phrase}: {text}"))
    });
    assert_eq!(found.collect::<Vec<_>>(), [""; 0]);
}
