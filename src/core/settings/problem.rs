//! Error type for invalid settings of a run or a link.

use serde::{Deserialize, Serialize};

use crate::language::{escape_hidden_characters, is_hidden};

/// Largest number of characters of a rejected text that an error message shows; the rest is cut off.
const MAX_SHOWN_CHARACTERS: usize = 40;

/// Invalid value of a setting or of another part of a link, with a description of valid values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{}", tr!("{key} = {found}: expected {expected}", key, found, expected))]
pub struct InvalidSetting {
    /// Key of the invalid setting, or name of the invalid part of the link; shortened.
    pub key: String,
    /// Rejected text of the value, shortened, with hidden characters as code points.
    pub found: String,
    /// Description of the values that would be valid.
    pub expected: String,
}

impl InvalidSetting {
    /// Creates the error for the rejected text `found` of the setting `key`.
    pub fn new(key: &str, found: &str, expected: impl Into<String>) -> Self {
        InvalidSetting { key: shorten(key), found: shorten(found), expected: expected.into() }
    }
}

/// Shortens a rejected text to 40 printable characters. Hidden characters are written as code points: without them, an
/// invalid value could look like a valid one.
fn shorten(text: &str) -> String {
    let printed =
        text.chars().filter(|letter| !letter.is_control() || is_hidden(*letter)).take(MAX_SHOWN_CHARACTERS);
    let start = escape_hidden_characters(&printed.collect::<String>());
    let mut out: String = start.chars().take(MAX_SHOWN_CHARACTERS).collect();
    if text.chars().count() > MAX_SHOWN_CHARACTERS || out.len() < start.len() {
        out.push('…');
    }
    if out.is_empty() { "(nothing)".into() } else { out }
}
