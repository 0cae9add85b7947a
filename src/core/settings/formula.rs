//! A Boolean formula or a truth table as a value, written with those characters that stand in a link as they are.
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
//! In other [texts](super::line) of a link a `~` is a space, and a formula in which somebody types `~x3` would lose its
//! negation without a word. Here what is typed and what stands in a link are read alike, with the signs that people use:
//! `∧ · *` become `&`, `∨ +` become `|`, `⊕ @` become `^`, and `¬ !` become `~`.

use super::line::escaped;
use crate::language::numbered;

/// A character of a formula, and the one that stands for it in a link.
const WRITTEN: [(char, char); 4] = [(' ', '_'), ('&', '*'), ('|', '+'), ('^', '@')];

/// Other signs for the characters of a formula.
const SIGNS: [(char, char); 7] =
    [('∧', '&'), ('·', '&'), ('⋅', '&'), ('∨', '|'), ('⊕', '^'), ('¬', '~'), ('!', '~')];

/// Fewest digits of a table that are written in groups of four.
const FEWEST: usize = 8;

/// Most digits of a table, and of its groups of four.
const MOST_DIGITS: usize = 1 << 10;

/// The formula as it stands in a link.
pub fn encode(text: &str) -> String {
    let is_table = text.bytes().all(|digit| digit == b'0' || digit == b'1');
    if is_table && text.len() >= FEWEST && text.len().is_power_of_two() {
        let digit = |four: &[u8]| four.iter().fold(0, |digit, bit| 2 * digit + u32::from(bit - b'0'));
        let digits = text.as_bytes().chunks(4).map(|four| format!("{:x}", digit(four)));
        return format!("0x{}", digits.collect::<String>());
    }
    // Text that would be read as a table of the other form, and is none.
    let is_other = table(text).is_some();
    let one = |(at, character): (usize, char)| match WRITTEN.iter().find(|(of, _)| *of == character) {
        Some((_, written)) => written.to_string(),
        None if (at > 0 || !is_other)
            && (character.is_ascii_alphanumeric() || "~(),".contains(character)) =>
        {
            character.to_string()
        }
        None => numbered(character),
    };
    text.chars().enumerate().map(one).collect()
}

/// What such a text stands for, or one that somebody types.
pub fn decode(text: &str) -> String {
    if let Some(table) = table(text.trim()) {
        return table;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        if first == '!'
            && let Some((character, after)) = escaped(rest)
        {
            out.push(character);
            rest = after;
            continue;
        }
        let signs = SIGNS.iter().copied().chain(WRITTEN.map(|(of, written)| (written, of)));
        out.push(signs.into_iter().find(|(sign, _)| *sign == first).map_or(first, |(_, of)| of));
    }
    out
}

/// The table of these hexadecimal digits.
fn table(text: &str) -> Option<String> {
    let digits = text.strip_prefix("0x").or(text.strip_prefix("0X"))?;
    let is_one = digits.len().is_power_of_two() && digits.len() <= MOST_DIGITS / 4;
    if !is_one || digits.len() * 4 < FEWEST {
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
