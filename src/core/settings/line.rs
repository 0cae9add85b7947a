//! Texts in links: any characters, encoded in those that need no escaping there.
//!
//! ```text
//! letters, digits and _-.,:=+*()/@$   as they are
//! a space                             ~
//! " → "                               ~~
//! the end of a line                   ;
//! any other character                 !hex!, as !2192!
//! ```
//!
//! # Why
//! `%` would not do: what chat programs do to links is undone before a link is cut at `&` and `=`. A space and an arrow have
//! short forms since the rules of a machine are full of them and are read by people.

use crate::language::escape_character;

/// Characters besides ASCII letters and digits that a text in a link contains unencoded.
const PLAIN_CHARACTERS: &str = "_-.,:=+*()/@$";
/// Arrow between two spaces, which a link writes as `~~`.
const ARROW: &str = " → ";

/// Encodes a text for a link: characters that a link cannot contain are written as code points such as `!2192!`.
pub fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_free = !out.ends_with('~');
        if let Some(after) = rest.strip_prefix(ARROW).filter(|_| is_free) {
            out.push_str("~~");
            rest = after;
            continue;
        }
        rest = &rest[first.len_utf8()..];
        match first {
            ' ' if is_free && !rest.starts_with(' ') => out.push('~'),
            '\n' => out.push(';'),
            safe if safe.is_ascii_alphanumeric() || PLAIN_CHARACTERS.contains(safe) => out.push(safe),
            other => out.push_str(&escape_character(other)),
        }
    }
    out
}

/// Decodes a text of a link; everything that is no valid code is kept, so that plain text can be typed.
pub fn decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("~~") {
            out.push_str(ARROW);
            rest = after;
            continue;
        }
        rest = &rest[first.len_utf8()..];
        match first {
            '~' => out.push(' '),
            ';' => out.push('\n'),
            '\r' => {}
            '!' => match parse_escape(rest) {
                Some((character, after)) => {
                    out.push(character);
                    rest = after;
                }
                None => out.push('!'),
            },
            other => out.push(other),
        }
    }
    out
}

/// Parses the part after the first `!` of an encoded character such as `!2192!`, here "2192!…": returns the character
/// with this hexadecimal code point, and the rest of the text. `None` if it is no valid code.
pub(super) fn parse_escape(text: &str) -> Option<(char, &str)> {
    let (hex, after) = text.split_once('!')?;
    let is_hex = (1..=6).contains(&hex.len()) && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    let code = u32::from_str_radix(hex, 16).ok().filter(|_| is_hex)?;
    Some((char::from_u32(code)?, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back() {
        for text in [
            "",
            "A _ → 1 R B\nA 1 → 1 L B",
            "a; b",
            "  two   spaces  → →  → ",
            "~!% &=#?\n'\"<>`{}|\\^[]",
            "a~~b ~ c",
            "!2192! ü 😀",
            " → ",
            " →",
            "→  → → ",
        ] {
            let written = encode(text);
            assert_eq!(decode(&written), text, "{written}");
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.,;:=+*()/@$~!".contains(c);
            assert!(written.chars().all(is_plain), "{written}");
        }
        assert_eq!(encode("A _ → 1 R B\nA 1 → 1 L B"), "A~_~~1~R~B;A~1~~1~L~B");
        assert_eq!(encode("111+11"), "111+11");
    }

    #[test]
    fn a_field_shows_plain_text_where_it_reads_back() {
        use crate::settings::{Range, SettingInfo, Value};
        let setting = SettingInfo {
            key: "text",
            label: "",
            help: "",
            unit: "",
            range: Range::Text(40),
            condition: None,
        };
        for (text, typed) in
            [("A _ → 1 R B", "A _ → 1 R B"), ("a~b", "a!7e!b"), ("!61!", "!21!61!21!"), ("", "")]
        {
            let value = Value::Text(text.into());
            assert_eq!(value.form_text(), typed);
            assert_eq!(setting.parse(&value.form_text()).unwrap(), value);
            assert_eq!(setting.parse(&value.to_string()).unwrap(), value);
        }
        assert!(
            setting.parse(&"x".repeat(41)).is_err() && setting.check(&Value::Text("#".repeat(11))).is_err()
        );
        assert!(setting.check(&Value::Text("#".repeat(10))).is_ok());
    }

    #[test]
    fn plain_text_may_be_typed() {
        assert_eq!(decode("A _ → 1 R B"), "A _ → 1 R B");
        assert_eq!(decode("what! no, !zz! and !110000!"), "what! no, !zz! and !110000!");
        // One to six digits and nothing else: a sign is none, and seven are too many.
        for plain in ["!+41!", "!0000041!", "!!"] {
            assert_eq!(decode(plain), plain);
        }
        assert_eq!(["!41!", "!000041!"].map(decode), ["A", "A"]);
    }
}
