//! A text of several lines as it stands in a link: a space is a plus sign, the end of a line a semicolon, and what a link
//! cannot hold is written byte by byte.
//!
//! ```text
//! s = a and b         s+=+a+and+b;out+=+not+s
//! out = not s         other bytes: ~2B for a plus sign, ~E2~86~92 for an arrow
//! ```

use std::fmt::{Formatter, Result, Write};

/// Characters besides letters and digits that stand for themselves in every link.
const PLAIN: &str = "-_.,:=*()!/";

/// Writes a text as it stands in a link.
pub(super) fn write(text: &str, f: &mut Formatter<'_>) -> Result {
    for byte in text.bytes() {
        let letter = char::from(byte);
        match letter {
            ' ' => f.write_char('+')?,
            '\n' => f.write_char(';')?,
            _ if letter.is_ascii_alphanumeric() || PLAIN.contains(letter) => f.write_char(letter)?,
            _ => write!(f, "~{byte:02X}")?,
        }
    }
    Ok(())
}

/// The text that a link holds, or that somebody has typed; none where bytes that are written one by one are no text.
/// Tabs become spaces, and all ends of lines the same.
pub(super) fn parse(link: &str) -> Option<String> {
    let bytes = link.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'~')
            .then(|| bytes.get(at + 1..at + 3))
            .flatten()
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (code, bytes[at]) {
            (Some(code), _) => out.push(code),
            (None, b'+' | b'\t') => out.push(b' '),
            (None, b';') => out.push(b'\n'),
            (None, b'\r') => {}
            (None, other) => out.push(other),
        }
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::super::Value;
    use super::*;

    #[test]
    fn every_text_comes_back_from_a_link() {
        for (text, link) in [
            ("s = a and b\nout = not s", "s+=+a+and+b;out+=+not+s"),
            ("", ""),
            ("a+b; c&d #e%f", "a~2Bb~3B+c~26d+~23e~25f"),
            ("1 → 2", "1+~E2~86~92+2"),
            ("~41", "~7E41"),
        ] {
            assert_eq!(Value::Text(text.into()).to_string(), link);
            assert_eq!(parse(link).as_deref(), Some(text));
        }
        let all: String = (0..0x500).filter_map(char::from_u32).collect();
        assert_eq!(parse(&Value::Text(all.clone()).to_string()), Some(all));
    }

    #[test]
    fn a_typed_text_is_read_as_it_is() {
        assert_eq!(parse("s = a\r\n\tout = s").as_deref(), Some("s = a\n out = s"));
        assert_eq!(parse("~FF"), None);
        assert_eq!(parse("~4").as_deref(), Some("~4"));
        assert_eq!(parse("~é+").as_deref(), Some("~é "));
    }
}
