//! Keyboard shortcuts on every keyboard layout: the key of the page's tables for which a press stands.
//!
//! # Why
//! A browser reports the sign that a press writes (`key`) and the place of the key on the keyboard (`code`). Shortcuts are
//! letters, which people look for on their keyboards, so the sign counts. But a Cyrillic or Hebrew layout writes no Latin
//! letter, and many layouts have square brackets on another key or only with Alt: there the place counts as well. Letters
//! with accents, as on a French layout, are not replaced by their place, since Latin letters are elsewhere on such a
//! keyboard.

/// Last character of the Latin letters with accents; alphabetic characters beyond it belong to other scripts.
const LAST_LATIN: char = '\u{24f}';

/// A press of a key, as the browser reports it.
#[derive(Debug, Clone, Copy)]
pub struct KeyPress<'a> {
    /// Sign that the press writes, or the name of the key, such as `Escape`.
    pub key: &'a str,
    /// Name of the key's place on the keyboard, such as `KeyZ`.
    pub code: &'a str,
    /// Whether Ctrl or Cmd is held.
    pub has_command: bool,
    /// Whether Alt (Option) is held.
    pub has_alt: bool,
    /// Whether Shift is held.
    pub has_shift: bool,
}

impl KeyPress<'_> {
    /// Whether the press means Undo: Ctrl or Cmd with Z, also with Caps Lock and on layouts of other scripts.
    pub fn is_undo(self) -> bool {
        self.has_command && !self.has_alt && !self.has_shift && self.letter() == Some('z')
    }

    /// The single sign that the press writes; None for a key with a name.
    fn sign(self) -> Option<char> {
        let mut signs = self.key.chars();
        signs.next().filter(|_| signs.next().is_none())
    }

    /// The letter from a to z for which the press stands: the one that it writes or, on a layout of another script, the
    /// one at this place of a keyboard with Latin letters.
    fn letter(self) -> Option<char> {
        let sign = self.sign()?;
        if sign.is_ascii_alphabetic() {
            return Some(sign.to_ascii_lowercase());
        }
        let is_other_script = sign.is_alphabetic() && sign > LAST_LATIN;
        let place = self.code.strip_prefix("Key").filter(|_| is_other_script)?;
        place.chars().next().map(|letter| letter.to_ascii_lowercase())
    }

    /// The key of the page's tables for which the press stands; None for a press with Ctrl, Cmd or Alt that is no
    /// shortcut of the page.
    pub fn shortcut(self) -> Option<String> {
        let bracket = match self.code {
            "BracketLeft" => Some("["),
            "BracketRight" => Some("]"),
            _ => None,
        };
        if self.has_alt {
            // Option and 5, or Alt Gr and 8, which some browsers report as Ctrl and Alt.
            let is_moved = matches!(self.key, "[" | "]") && bracket.is_none();
            return is_moved.then(|| self.key.into());
        }
        if self.has_command {
            return None;
        }
        let is_named = self.sign().is_none() && self.key != "Dead";
        let is_shortcut_sign = matches!(self.key, "[" | "]" | "." | "?" | " ");
        let is_latin = self.sign().is_some_and(|sign| sign.is_ascii_alphanumeric());
        match (bracket, self.letter()) {
            (Some(bracket), _) if !(is_named || is_shortcut_sign || is_latin || self.has_shift) => {
                Some(bracket.into())
            }
            (_, Some(letter)) if !is_latin => Some(letter.into()),
            _ => Some(self.key.into()),
        }
    }
}

/// Whether a key of the page's tables is a single letter or sign, which people also write beside a field by mistake.
pub fn is_single_sign(key: &str) -> bool {
    key != " " && key.chars().count() == 1
}

/// Whether a key of the page's tables acts once while it is held: Space, "?" and letters, except J and K, which turn pages.
/// A held key would start and pause the run many times in a second.
pub fn acts_once(key: &str) -> bool {
    let is_letter = is_single_sign(key) && key.chars().all(char::is_alphabetic);
    matches!(key, " " | "?") || (is_letter && !matches!(key, "j" | "J" | "k" | "K"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A press without Ctrl, Alt and Shift.
    fn press<'a>(key: &'a str, code: &'a str) -> KeyPress<'a> {
        KeyPress { key, code, has_command: false, has_alt: false, has_shift: false }
    }

    #[test]
    fn undo_is_ctrl_z_on_every_layout() {
        let ctrl = |key, code| KeyPress { has_command: true, ..press(key, code) };
        // English; with Caps Lock; Russian; Hebrew; Greek; German, where Z and Y are exchanged; French.
        for (key, code) in [
            ("z", "KeyZ"),
            ("Z", "KeyZ"),
            ("я", "KeyZ"),
            ("Я", "KeyZ"),
            ("ז", "KeyZ"),
            ("ζ", "KeyZ"),
            ("z", "KeyY"),
            ("z", "KeyW"),
        ] {
            assert!(ctrl(key, code).is_undo(), "{key} {code}");
        }
        // The key at this place writes another Latin letter, or a sign; and Redo of other programs.
        for (key, code) in [("y", "KeyZ"), ("w", "KeyZ"), (";", "KeyZ"), ("à", "KeyZ"), ("н", "KeyY")] {
            assert!(!ctrl(key, code).is_undo(), "{key} {code}");
        }
        assert!(!KeyPress { has_shift: true, ..ctrl("Z", "KeyZ") }.is_undo());
        assert!(!KeyPress { has_alt: true, ..ctrl("z", "KeyZ") }.is_undo());
        assert!(!press("z", "KeyZ").is_undo());
    }

    #[test]
    fn letters_and_brackets_are_reached_on_every_layout() {
        for (key, code, expected) in [
            ("r", "KeyR", "r"),
            ("R", "KeyR", "R"),
            ("к", "KeyR", "r"),
            ("ר", "KeyR", "r"),
            ("п", "KeyG", "g"),
            ("é", "KeyW", "é"),
            ("[", "BracketLeft", "["),
            ("х", "BracketLeft", "["),
            ("ъ", "BracketRight", "]"),
            ("ü", "BracketLeft", "["),
            ("+", "BracketRight", "]"),
            ("Dead", "BracketLeft", "["),
            ("[", "BracketRight", "["),
            ("]", "BracketLeft", "]"),
            (".", "Slash", "."),
            (" ", "Space", " "),
            ("Escape", "Escape", "Escape"),
            ("ArrowRight", "ArrowRight", "ArrowRight"),
            ("l", "BracketLeft", "l"),
        ] {
            assert_eq!(press(key, code).shortcut().as_deref(), Some(expected), "{key} {code}");
        }
        let alt = |key, code| KeyPress { has_alt: true, ..press(key, code) };
        assert_eq!(alt("[", "Digit5").shortcut().as_deref(), Some("["), "Option and 5");
        let alt_gr = KeyPress { has_command: true, ..alt("]", "Digit9") };
        assert_eq!(alt_gr.shortcut().as_deref(), Some("]"), "Alt Gr and 9");
        for other in [alt("[", "BracketLeft"), alt("g", "KeyG"), alt("ArrowLeft", "ArrowLeft")] {
            assert_eq!(other.shortcut(), None, "{other:?}");
        }
        assert_eq!(KeyPress { has_command: true, ..press("r", "KeyR") }.shortcut(), None);
    }

    #[test]
    fn single_signs_are_letters_and_signs_but_no_space_and_no_named_key() {
        assert!(["r", "R", "[", "?", "."].into_iter().all(is_single_sign));
        assert!(![" ", "Escape", "PageDown", "ArrowRight"].into_iter().any(is_single_sign));
    }

    #[test]
    fn a_held_key_makes_many_steps_and_turns_pages_but_switches_once() {
        assert!([" ", "?", "r", "R", "g", "p", "P", "n", "c", "s"].into_iter().all(acts_once));
        let repeated = [".", "[", "]", "j", "K", "ArrowRight", "PageDown", "Escape"];
        assert!(!repeated.into_iter().any(acts_once));
    }
}
