//! What cannot be in a specification or a link.

use serde::{Deserialize, Serialize};

use crate::language::{is_hidden, visible};

/// Most characters that are shown.
const MOST: usize = 40;

/// Something in a specification that cannot be, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{}", tr!("{key} = {found}: expected {expected}", key, found, expected))]
pub struct Problem {
    /// The knob's key, or the part of the link.
    pub key: String,
    /// What stood there, shortened, and with the numbers of hidden characters.
    pub found: String,
    /// What would have been right.
    pub expected: String,
}

impl Problem {
    /// A problem with `key`, where `found` stood and `expected` would be right.
    pub fn new(key: &str, found: &str, expected: impl Into<String>) -> Self {
        Problem { key: shorten(key), found: shorten(found), expected: expected.into() }
    }
}

/// At most 40 printable characters of what somebody typed or linked. Hidden ones stand there as their numbers: without
/// them, a value that cannot be read would look like one that can.
fn shorten(text: &str) -> String {
    let printed = text.chars().filter(|letter| !letter.is_control() || is_hidden(*letter)).take(MOST);
    let start = visible(&printed.collect::<String>());
    let mut out: String = start.chars().take(MOST).collect();
    if text.chars().count() > MOST || out.len() < start.len() {
        out.push('…');
    }
    if out.is_empty() { "(nothing)".into() } else { out }
}
