//! The reader's language: every text stands in the source in English, and a table has it in another language.
//!
//! # Why
//! As with gettext, the English sentence is the key: whoever reads the source reads what the page says, and what a
//! table lacks is shown in English. `www/languages/en.json` lists every text (`lab words` writes it, a test compares);
//! another language is one more file beside it, with the same keys, and a line of [`LANGUAGES`]. Whole sentences are
//! texts, with named places for what varies, so that a language may turn them round.
//!
//! Command line and trainers have no table: what they say stays English, and so do numbers of every kind.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};

/// The languages of the page: the code of each table, and the language's name for itself. English comes first.
pub const LANGUAGES: &[(&str, &str)] = &[(ENGLISH, "English")];

/// The language of the source.
pub const ENGLISH: &str = "en";

/// The code of the table to use: the `chosen` one, or else the first language that the person `reads` and that has a
/// table.
///
/// A chosen code is used even if this build has no such table, so that a new table can be tried before it is built in.
pub fn wanted(chosen: Option<String>, reads: &[String]) -> String {
    let fits = |code: &String| code.len() <= 8 && code.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    let known = || {
        let codes = reads.iter().map(|tag| tag.split('-').next().unwrap_or_default().to_lowercase());
        codes.into_iter().find(|code| LANGUAGES.iter().any(|(known, _)| known == code))
    };
    chosen.filter(fits).or_else(known).unwrap_or_else(|| ENGLISH.into())
}

/// Translated texts by their English texts.
pub type Table = BTreeMap<String, String>;

thread_local! {
    static TABLE: Cell<Option<&'static Table>> = const { Cell::new(None) };
}

/// Sets the language of this thread, for as long as the thread runs.
pub fn speak(table: Table) {
    TABLE.set(Some(Box::leak(Box::new(table))));
}

/// The texts of the reader's language, for use in another thread; `None` if the language is English.
pub fn spoken() -> Option<Table> {
    TABLE.get().cloned()
}

/// `english` in the reader's language; unchanged if the table lacks it.
#[inline(never)] // It is called in a thousand places.
pub fn translated(english: &str) -> &str {
    let found = TABLE.get().and_then(|table| table.get(english)).filter(|text| !text.is_empty());
    found.map_or(english, String::as_str)
}

/// A text escaped for use in markup, between tags or in the quotes of an attribute.
///
/// Anybody can write a translation, and a name may come from a person's own table, so no text may act as markup.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// Whether a character is not seen itself, but changes how what is around it is shown, as U+202E turns it round.
///
/// Tabs and ends of lines are seen. So is what joins the letters of a word or the parts of an emoji.
pub fn is_hidden(letter: char) -> bool {
    let turns = matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || matches!(letter, '\u{200b}' | '\u{feff}') || (letter.is_control() && !letter.is_whitespace())
}

/// A character as its number, in the form that links have: `!202e!`.
pub fn numbered(letter: char) -> String {
    format!("!{:x}!", u32::from(letter))
}

/// A text of a link, of a file or of a person, with each character that [is hidden](is_hidden) as its number: such a
/// text cannot turn round the sentence that it stands in.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match is_hidden(letter) {
            true => out.push_str(&numbered(letter)),
            false => out.push(letter),
        }
    }
    out
}

/// A translated text with its places filled: `{name}` becomes the value at the place of that name, made [`visible`].
///
/// Names and values are separate arguments, so that the names are one constant at each place of a call.
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
                    let value = visible(&out[start..]);
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

/// A text of the page in the reader's language: `tr!("Gallery")`, or with places that are filled,
/// `tr!("Step {step} of {end}", step, end = thousands(end))`.
#[macro_export]
macro_rules! tr {
    (@ $name:ident) => { $name };
    (@ $name:ident $value:expr) => { $value };
    ($english:literal) => { $crate::language::translated($english) };
    ($english:literal, $($name:ident $(= $value:expr)?),+ $(,)?) => {
        $crate::language::filled($english, &[$(stringify!($name)),+], &[$(&$crate::tr!(@ $name $($value)?)),+])
    };
}

/// Marks a text of a table in the source, so that the catalogue has it; where it is shown, it is
/// [`translated`].
#[macro_export]
macro_rules! text {
    ($english:literal) => {
        $english
    };
}

/// Whether this program shows anything to a person: workers in a browser do not.
pub const SHOWS: bool = !cfg!(all(target_family = "wasm", feature = "web", not(feature = "ui")));

/// A text of a declaration, or an empty text in a program that shows none: labels, help and titles of settings and
/// charts take 28 KiB (8 after compression), and workers never read them.
pub const fn shown(text: &'static str) -> &'static str {
    if SHOWS { text } else { "" }
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
        speak(texts.map(|(english, text)| (english.into(), text.into())).into());
        assert_eq!(tr!("Gallery"), "Galerie");
        assert_eq!(tr!("Help"), "Help", "what is not translated yet is shown in English");
        assert_eq!(tr!("Step {step} of {end}", step = 1, end = "{step}"), "{step}, davon 1");
    }

    #[test]
    fn the_first_language_that_there_is_is_taken() {
        let reads = ["tlh", "en-GB", "en"].map(String::from);
        assert_eq!(wanted(None, &reads), "en");
        assert_eq!(wanted(None, &[]), "en");
        assert_eq!(wanted(Some("eo".into()), &reads), "eo");
        assert_eq!(wanted(Some("../../x".into()), &reads), "en");
        assert_eq!(LANGUAGES[0], ("en", "English"));
    }

    #[test]
    fn text_is_no_markup() {
        assert_eq!(escaped("a < \"b\" & c"), "a &lt; &quot;b&quot; &amp; c");
    }

    #[test]
    fn no_value_turns_a_sentence_round() {
        assert_eq!(visible("ab\u{202e}gpj.csv"), "ab!202e!gpj.csv");
        assert_eq!(tr!("Opened {name}.", name = "ab\u{202e}gpj.csv"), "Opened ab!202e!gpj.csv.");
        let hidden = ['\u{61c}', '\u{200e}', '\u{200f}', '\u{200b}', '\u{feff}', '\0', '\u{1f}', '\u{7f}'];
        for letter in hidden.into_iter().chain('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}') {
            let shown = visible(&format!("a{letter}b"));
            assert_eq!(shown, format!("a!{:x}!b", u32::from(letter)));
            assert_eq!(visible(&shown), shown, "what is visible stays");
        }
        // Tabs, lines, letters of every script, and an emoji that is joined.
        for text in ["", "a\tb\r\nc", "ü → 名 א", "👩\u{200d}🔬"] {
            assert_eq!((visible(text).as_str(), tr!("{text}", text).as_str()), (text, text));
        }
    }

    #[test]
    fn what_is_no_place_stays() {
        assert_eq!(filled("{a} {b} {", &["a"], &[&1]), "1 {b} {");
    }
}
