//! Language of the page: texts are written in English in the source, and a table translates them.
//!
//! # Why
//! As with gettext, the English sentence is the key: the source shows what the page says, and a text that the
//! table lacks is shown in English. `www/languages/en.json` lists every text (`lab words` writes it, a test compares);
//! another language is one more file next to it, with the same keys, and a line of [`LANGUAGES`]. Whole sentences are
//! texts, with named placeholders for the values, so that a translation may reorder them.
//!
//! Command line and trainers have no table: their messages stay English. Numbers are formatted in the English way
//! everywhere.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};

/// Languages of the page: the code of each translation table, and the language's name in that language. English comes
/// first.
pub const LANGUAGES: &[(&str, &str)] = &[(ENGLISH, "English")];

/// Language code of English, in which the page's texts are written in the source code.
pub const ENGLISH: &str = "en";

/// Chooses the language of the page, as a table's code: the `requested` one, or else the first of the browser's
/// `preferred` languages that has a table, or else English.
///
/// A requested code is used even if this build has no such table, so that a new table can be tried before it is built
/// in.
pub fn choose_language(requested: Option<String>, preferred: &[String]) -> String {
    let fits = |code: &String| code.len() <= 8 && code.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    let known = || {
        let codes = preferred.iter().map(|tag| tag.split('-').next().unwrap_or_default().to_lowercase());
        codes.into_iter().find(|code| LANGUAGES.iter().any(|(known, _)| known == code))
    };
    requested.filter(fits).or_else(known).unwrap_or_else(|| ENGLISH.into())
}

/// Whether the language with this code is written from right to left.
pub fn is_right_to_left(code: &str) -> bool {
    let language = code.split('-').next().unwrap_or_default();
    ["ar", "dv", "fa", "ckb", "he", "ps", "sd", "ug", "ur", "yi"].contains(&language)
}

/// Translation table of one language: the key is a text of the page in English, the value its translation.
pub type TranslationTable = BTreeMap<String, String>;

thread_local! {
    /// Translation table of the page's language for this thread; None if the language is English.
    static TRANSLATIONS: Cell<Option<&'static TranslationTable>> = const { Cell::new(None) };
}

/// Sets the translation table of this thread, for as long as the thread runs.
pub fn set_translations(table: TranslationTable) {
    TRANSLATIONS.set(Some(Box::leak(Box::new(table))));
}

/// Returns a copy of this thread's translation table, for use in another thread; `None` if the language is English.
pub fn translations() -> Option<TranslationTable> {
    TRANSLATIONS.get().cloned()
}

/// Translates a text into the language of the page; returns it unchanged if the table lacks it.
#[inline(never)] // It is called in a thousand places.
pub fn translated(english: &str) -> &str {
    let found = TRANSLATIONS.get().and_then(|table| table.get(english)).filter(|text| !text.is_empty());
    found.map_or(english, String::as_str)
}

/// Escapes a text for use in HTML, between tags or in a quoted attribute.
///
/// Translations and names may come from untrusted files, so no text may act as markup.
pub fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// Whether a character is invisible but changes how the text around it is shown, as the direction override U+202E does.
///
/// Tabs, line ends, and the joiners within words and emoji count as visible.
pub fn is_hidden(letter: char) -> bool {
    let turns = matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || matches!(letter, '\u{200b}' | '\u{feff}') || (letter.is_control() && !letter.is_whitespace())
}

/// Writes a character as its code point in the form that links use: `!202e!`.
pub fn escape_character(letter: char) -> String {
    format!("!{:x}!", u32::from(letter))
}

/// Replaces each [hidden character](is_hidden) of untrusted text by its code point, so that it cannot reorder the
/// sentence around it.
pub fn escape_hidden_characters(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match is_hidden(letter) {
            true => out.push_str(&escape_character(letter)),
            false => out.push(letter),
        }
    }
    out
}

/// Translates a text and fills its placeholders: `{name}` becomes the value of that name, with [hidden characters
/// escaped](escape_hidden_characters).
///
/// Names and values are separate arguments, so that the names are one constant per call site.
#[inline(never)]
pub fn filled(english: &str, names: &[&str], values: &[&dyn Display]) -> String {
    let mut out = String::new();
    let mut rest = translated(english);
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let place = after.split_once('}');
        let at = place.and_then(|(name, _)| names.iter().position(|known| *known == name));
        let value = at.and_then(|at| values.get(at));
        match (place, value) {
            (Some((_, behind)), Some(value)) => {
                let start = out.len();
                // Strings take everything.
                let _ = write!(out, "{value}");
                if out[start..].chars().any(is_hidden) {
                    let value = escape_hidden_characters(&out[start..]);
                    out.truncate(start);
                    out.push_str(&value);
                }
                rest = behind;
            }
            _ => {
                out.push('{');
                rest = after;
            }
        }
    }
    out + rest
}

/// Text of the page in the language of the page: `tr!("Gallery")`, or with placeholders,
/// `tr!("Step {step} of {end}", step, end = format_thousands(end))`.
#[macro_export]
macro_rules! tr {
    (@ $name:ident) => { $name };
    (@ $name:ident $value:expr) => { $value };
    ($english:literal) => { $crate::language::translated($english) };
    ($english:literal, $($name:ident $(= $value:expr)?),+ $(,)?) => {
        $crate::language::filled($english, &[$(stringify!($name)),+], &[$(&$crate::tr!(@ $name $($value)?)),+])
    };
}

/// Marks a text of a constant table for the list of texts to translate; where it is shown, it is
/// [`translated`].
#[macro_export]
macro_rules! text {
    ($english:literal) => {
        $english
    };
}

/// Whether this build contains the page's texts; builds for the browser's workers do not.
pub const HAS_TEXTS: bool = !cfg!(all(target_family = "wasm", feature = "web", not(feature = "ui")));

/// Returns `text`, or an empty text in a build without texts: labels, help and titles of settings and charts take 28
/// KiB (8 KiB after compression), and workers never read them.
pub const fn shown(text: &'static str) -> &'static str {
    if HAS_TEXTS { text } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_table_has_is_english() {
        assert_eq!(tr!("Gallery"), "Gallery");
        let step = 3;
        assert_eq!(tr!("Step {step} of {end}", step, end = 2 + 2), "Step 3 of 4");
    }

    #[test]
    fn a_table_turns_sentences_round() {
        let texts = [("Step {step} of {end}", "{end}, davon {step}"), ("Gallery", "Galerie"), ("Help", "")];
        set_translations(texts.map(|(english, text)| (english.into(), text.into())).into());
        assert_eq!(tr!("Gallery"), "Galerie");
        assert_eq!(tr!("Help"), "Help", "what is not translated yet is shown in English");
        assert_eq!(tr!("Step {step} of {end}", step = 1, end = "{step}"), "{step}, davon 1");
    }

    #[test]
    fn the_first_language_that_there_is_is_taken() {
        let reads = ["tlh", "en-GB", "en"].map(String::from);
        assert_eq!(choose_language(None, &reads), "en");
        assert_eq!(choose_language(None, &[]), "en");
        assert_eq!(choose_language(Some("eo".into()), &reads), "eo");
        assert_eq!(choose_language(Some("../../x".into()), &reads), "en");
        assert_eq!(LANGUAGES[0], ("en", "English"));
    }

    #[test]
    fn some_languages_are_written_from_right_to_left() {
        assert!(is_right_to_left("he") && is_right_to_left("ar-EG") && !is_right_to_left("en"));
    }

    #[test]
    fn text_is_no_markup() {
        assert_eq!(escape_html("a < \"b\" & c"), "a &lt; &quot;b&quot; &amp; c");
    }

    #[test]
    fn no_value_turns_a_sentence_round() {
        assert_eq!(escape_hidden_characters("ab\u{202e}gpj.csv"), "ab!202e!gpj.csv");
        assert_eq!(tr!("Opened {name}.", name = "ab\u{202e}gpj.csv"), "Opened ab!202e!gpj.csv.");
        let hidden = ['\u{61c}', '\u{200e}', '\u{200f}', '\u{200b}', '\u{feff}', '\0', '\u{1f}', '\u{7f}'];
        for letter in hidden.into_iter().chain('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}') {
            let shown = escape_hidden_characters(&format!("a{letter}b"));
            assert_eq!(shown, format!("a!{:x}!b", u32::from(letter)));
            assert_eq!(escape_hidden_characters(&shown), shown, "what is visible stays");
        }
        // Tabs, lines, letters of every script, and an emoji that is joined.
        for text in ["", "a\tb\r\nc", "ü → 名 א", "👩\u{200d}🔬"] {
            assert_eq!((escape_hidden_characters(text).as_str(), tr!("{text}", text).as_str()), (text, text));
        }
    }

    #[test]
    fn what_is_no_place_stays() {
        assert_eq!(filled("{a} {b} {", &["a"], &[&1]), "1 {b} {");
    }
}
