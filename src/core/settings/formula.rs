//! Boolean formulas and truth tables in links, encoded in characters that need no escaping there.
//!
//! ```text
//! letters, digits and ~(),   as they are
//! a space                    _
//! & | ^                      * + @
//! 01101001                   0x69, a truth table of eight digits or more
//! any other character        !hex!, as !2192!
//! ```
//!
//! # Why
//! In other [texts](super::line) of a link a `~` is a space, and a typed formula with `~x3` would silently lose its
//! negation. Here typed formulas and those of links are read alike, with the usual symbols:
//! `∧ · *` become `&`, `∨ +` become `|`, `⊕ @` become `^`, and `¬ !` become `~`.

use super::line::parse_escape;
use crate::language::escape_character;

/// Pairs of a character of a formula and the character that replaces it in a link.
const LINK_CHARACTERS: [(char, char); 4] = [(' ', '_'), ('&', '*'), ('|', '+'), ('^', '@')];

/// Pairs of an alternative symbol, as users type it, and the character of a formula that it means.
const SYMBOL_ALIASES: [(char, char); 7] =
    [('∧', '&'), ('·', '&'), ('⋅', '&'), ('∨', '|'), ('⊕', '^'), ('¬', '~'), ('!', '~')];

/// Number of binary digits of a truth table from which a link writes it in hexadecimal; shorter ones are written in
/// binary.
const MIN_HEX_TABLE_DIGITS: usize = 8;

/// Largest number of binary digits of a truth table that is read from its hexadecimal form in a link.
const MAX_TABLE_DIGITS: usize = 1 << 10;

/// Replaces the characters of a Boolean formula that a link cannot contain, and writes truth tables of eight digits or
/// more in hexadecimal; [`decode`] reverses it.
pub fn encode(text: &str) -> String {
    let is_table = text.bytes().all(|digit| digit == b'0' || digit == b'1');
    if is_table && text.len() >= MIN_HEX_TABLE_DIGITS && text.len().is_power_of_two() {
        let digit = |four: &[u8]| four.iter().fold(0, |digit, bit| 2 * digit + u32::from(bit - b'0'));
        let digits = text.as_bytes().chunks(4).map(|four| format!("{:x}", digit(four)));
        return format!("0x{}", digits.collect::<String>());
    }
    // Text that would be read as a hexadecimal table, but is a formula.
    let is_other = decode_table(text).is_some();
    let one = |(at, character): (usize, char)| match LINK_CHARACTERS.iter().find(|(of, _)| *of == character) {
        Some((_, written)) => written.to_string(),
        None if (at > 0 || !is_other)
            && (character.is_ascii_alphanumeric() || "~(),".contains(character)) =>
        {
            character.to_string()
        }
        None => escape_character(character),
    };
    text.chars().enumerate().map(one).collect()
}

/// Decodes a Boolean formula from a link or from typed text; alternative symbols are replaced by those of formulas.
pub fn decode(text: &str) -> String {
    if let Some(table) = decode_table(text.trim()) {
        return table;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        if first == '!'
            && let Some((character, after)) = parse_escape(rest)
        {
            out.push(character);
            rest = after;
            continue;
        }
        let signs = SYMBOL_ALIASES.iter().copied().chain(LINK_CHARACTERS.map(|(of, written)| (written, of)));
        out.push(signs.into_iter().find(|(sign, _)| *sign == first).map_or(first, |(_, of)| of));
    }
    out
}

/// Expands a truth table in hexadecimal, such as `0x69`, into binary digits; `None` if the text is no such table, or if
/// its number of binary digits is not a power of two from [`MIN_HEX_TABLE_DIGITS`] to [`MAX_TABLE_DIGITS`].
fn decode_table(text: &str) -> Option<String> {
    let digits = text.strip_prefix("0x").or(text.strip_prefix("0X"))?;
    let is_one = digits.len().is_power_of_two() && digits.len() <= MAX_TABLE_DIGITS / 4;
    if !is_one || digits.len() * 4 < MIN_HEX_TABLE_DIGITS {
        return None;
    }
    let four = |digit: char| Some(format!("{:04b}", digit.to_digit(16)?));
    digits.chars().map(four).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_formula_comes_back() {
        for text in [
            "",
            "(x1 ^ x2) & x3",
            "x1 & (x2 | ~x3) ^ x4",
            "maj(x1, ~x2, x3)",
            "x1 xor not x2",
            "01",
            "0110",
            "01101001",
            "0110100110010110",
            "011010011",
            "0x69",
            "0x",
            "0x6",
            "0xzz",
            "a_b * c + d @ e ! ¬ ∧ #\n%=&?",
            "!21! 😀",
        ] {
            let written = encode(text);
            assert_eq!(decode(&written), text, "{written}");
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "~(),_*+@!".contains(c);
            assert!(written.chars().all(is_plain), "{written}");
        }
        assert_eq!(encode("x1 & (x2 | ~x3) ^ x4"), "x1_*_(x2_+_~x3)_@_x4");
        assert_eq!(encode("01101001"), "0x69");
    }

    #[test]
    fn what_is_typed_keeps_its_meaning() {
        for (typed, read) in [
            ("x1 & ~x2", "x1 & ~x2"),
            ("x1&~x2", "x1&~x2"),
            ("x1 ∧ ¬x2 ∨ x3", "x1 & ~x2 | x3"),
            ("!x1 * x2 + x3 ⊕ x4", "~x1 & x2 | x3 ^ x4"),
            ("0x69", "01101001"),
            (" 0X6B ", "01101011"),
            ("0x691", "0x691"),
        ] {
            assert_eq!(decode(typed), read);
        }
    }
}
