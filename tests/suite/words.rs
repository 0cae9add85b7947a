//! The catalogue of texts is complete, and every language fits it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use vivarium::cli::{collect_texts, find_placeholders, format_catalogue};
use vivarium::language::{LANGUAGES, TranslationTable};

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("www/languages")
}

#[test]
fn the_catalogue_has_every_text() {
    let texts = collect_texts(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    let catalogue = fs::read_to_string(folder().join("en.json")).unwrap();
    assert!(catalogue == format_catalogue(&texts), "out of date; `cargo lab words` refreshes it");
    // Every mark and every catalogue: a text of each kind.
    for text in [
        "Gallery",
        "Paused at step {step}",
        "Weight decay λ",
        "First-layer weights W",
        "neurons",
        "Where is the progress hidden?",
    ] {
        assert!(texts.iter().any(|one| one == text), "{text}");
    }
}

#[test]
fn every_language_fits_the_catalogue() {
    let read = |path: &Path| -> TranslationTable {
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    };
    let english = read(&folder().join("en.json"));
    let files = fs::read_dir(folder()).unwrap().flatten();
    assert_eq!(
        files.count(),
        LANGUAGES.len(),
        "a table without its line in src/core/language.rs, or a line too many"
    );
    for (code, name) in LANGUAGES {
        let table = read(&folder().join(format!("{code}.json")));
        assert_eq!(table.get("English").map(String::as_str), Some(*name), "{code}");
    }
    for file in fs::read_dir(folder()).unwrap().flatten() {
        let name = file.file_name().into_string().unwrap();
        let code = name.strip_suffix(".json").unwrap();
        assert!(code.len() <= 8 && code.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{name}");
        assert_eq!(flaws(&english, &read(&file.path())), Vec::<String>::new(), "{name}");
    }
}

/// Texts of a table that the page does not have, or whose places are not those of the English text.
fn flaws(english: &TranslationTable, table: &TranslationTable) -> Vec<String> {
    let fits = |(text, own): &(&String, &String)| {
        own.is_empty() || english.contains_key(*text) && find_placeholders(text) == find_placeholders(own)
    };
    table.iter().filter(|pair| !fits(pair)).map(|(text, own)| format!("{text}: {own}")).collect()
}

#[test]
fn a_lost_place_or_an_old_text_is_seen() {
    let table = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect()
    };
    let english = table(&[("Step {step}", "Step {step}"), ("Help", "Help")]);
    assert!(flaws(&english, &table(&[("Help", "Hilfe"), ("Step {step}", "")])).is_empty());
    assert_eq!(flaws(&english, &table(&[("Step {step}", "Schritt")])).len(), 1);
    assert_eq!(flaws(&english, &table(&[("Undo", "Zurück")])).len(), 1);
}
